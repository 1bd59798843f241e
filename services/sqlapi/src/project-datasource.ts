/**
 * Project -> name of its datasource. Requests, the start and `check` share it, so that they cannot disagree on where a file
 * runs.
 */
import { foldCase } from './endpoint-key.ts'

export interface ProjectRules {
  /** Of every datasource there is. */
  readonly names: readonly string[]
  /** Project -> datasource name. */
  readonly projectMap: Readonly<Record<string, string>>
}

/** Nothing where no datasource is configured for a project. */
export type DatasourceOfProject = (project: string) => string | undefined

/** A map entry beats a datasource with the name of the project; an exact spelling beats another casing. */
export function datasourcesByProject({ names, projectMap }: ProjectRules): DatasourceOfProject {
  const own = new Map(names.map((name) => [name, name]))
  const mapped = new Map(Object.entries(projectMap))
  const ownFolded = foldKeys(own)
  const mappedFolded = foldKeys(mapped)
  return (project) => {
    const name = mapped.get(project) ?? mappedFolded.get(foldCase(project))
    return name ?? own.get(project) ?? ownFolded.get(foldCase(project))
  }
}

/** Of keys that differ in casing only, the first one listed counts. */
function foldKeys(entries: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(Array.from(entries, ([key, name]): [string, string] => [foldCase(key), name]).toReversed())
}
