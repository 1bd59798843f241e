/**
 * Project -> its datasource. Requests, the start and `check` share it, so that they cannot disagree on where a
 * file runs.
 */
import { foldCase } from './endpoint-key.ts'

export interface ProjectRules {
  /** Of every datasource there is. */
  readonly names: readonly string[]
  /** Project -> datasource name. */
  readonly projectMap: Readonly<Record<string, string>>
  /** Of every project that neither names; empty where there is none. */
  readonly fallback: string
}

/** What the configuration says of it. */
interface ProjectConfig {
  readonly datasources: readonly { readonly name: string }[]
  readonly projectDatasourceMap: Readonly<Record<string, string>>
  readonly defaultDatasource: string
}

export function projectRules({ datasources, projectDatasourceMap, defaultDatasource }: ProjectConfig): ProjectRules {
  return { names: datasources.map(({ name }) => name), projectMap: projectDatasourceMap, fallback: defaultDatasource }
}

/** Project -> its datasource, in whatever form there is one; nothing where none is configured for it. */
export function datasourceFinder<Datasource extends { readonly name: string }>({
  config,
  datasources,
}: {
  readonly config: ProjectConfig
  readonly datasources: readonly Datasource[]
}): (project: string) => Datasource | undefined {
  const byName = new Map(datasources.map((datasource) => [datasource.name, datasource]))
  const nameOf = datasourcesByProject(projectRules(config))
  return (project) => byName.get(nameOf(project) ?? '')
}

/** Nothing where no datasource is configured for a project. */
export type DatasourceOfProject = (project: string) => string | undefined

/**
 * A map entry beats a datasource with the name of the project, which beats the fallback; an exact spelling beats
 * another casing.
 */
export function datasourcesByProject({ names, projectMap, fallback }: ProjectRules): DatasourceOfProject {
  const own = new Map(names.map((name) => [name, name]))
  const mapped = new Map(Object.entries(projectMap))
  const ownFolded = foldKeys(own)
  const mappedFolded = foldKeys(mapped)
  const last = fallback === '' ? undefined : fallback
  return (project) => {
    const name = mapped.get(project) ?? mappedFolded.get(foldCase(project))
    return name ?? own.get(project) ?? ownFolded.get(foldCase(project)) ?? last
  }
}

/** Of keys that differ in casing only, the first one listed counts. */
function foldKeys(entries: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(Array.from(entries, ([key, name]): [string, string] => [foldCase(key), name]).toReversed())
}
