/**
 * Names of projects that lead nowhere: keys of `project_datasource_map` without a folder, and folders without a
 * datasource. Messages name the one that was probably meant. Pure.
 */
import { nearest, type Origins, toFieldName } from '@services/config-file'
import { foldCase } from '../endpoint-key.ts'

interface Keys {
  readonly config: { readonly projectDatasourceMap: Readonly<Record<string, string>> }
  readonly origins: Origins
}

/** One message for each key of the map that no project has, so that its line has no effect. */
export function strayKeys({ config, origins }: Keys, projects: Iterable<string>): string[] {
  const known = Array.from(new Set(projects))
  const folded = new Set(known.map(foldCase))
  return Object.keys(config.projectDatasourceMap).flatMap((key) => {
    if (folded.has(foldCase(key))) return []
    const field = toFieldName(['project_datasource_map', key])
    const meant = nearest(key, known)
    const cure = meant === undefined ? 'make the folder, or remove the line' : `did you mean ${meant}?`
    return [`${origins[field]}: ${field}: sql_dir has no folder of this name with a .sql file to serve; ${cure}`]
  })
}

/** For a project that leads to no datasource. */
export function cureOfProject(project: string, datasources: readonly { readonly name: string }[]): string {
  const names = datasources.map(({ name }) => name)
  const meant = nearest(project, names)
  if (meant === undefined) return usualCure
  return `there is a datasource ${meant}: rename one of the two, or add ${project}: ${meant} to project_datasource_map`
}

const usualCure = 'add a datasource of this name, a line to project_datasource_map, or default_datasource'
