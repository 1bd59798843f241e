/** A project -> everything that is to be said about its files. */
import { type Code, codes } from '../findings/codes.ts'
import type { Finding } from '../findings/finding.ts'
import type { Endpoint } from '../model.ts'
import { datasourcesByProject } from '../project-datasource.ts'
import type { Project } from './project.ts'

export interface Checked {
  readonly findings: readonly Finding[]
  /** How many files were looked at. */
  readonly files: number
  /** Why not all could be checked, in words; empty where all was. */
  readonly hindrances: readonly string[]
}

export function checkFiles(project: Project): Checked {
  const findings = [...findIgnored(project), ...findLost(project)]
  return { findings, files: project.endpoints.size, hindrances: [] }
}

function findIgnored({ ignored, shown }: Project): Finding[] {
  return ignored.map(({ path, cure }) => aboutFile('ignored-folder', shown(path), 'not published', cure))
}

/** Once for each project, at its first file. */
function findLost({ config, datasources, endpoints, shown }: Project): Finding[] {
  const names = datasources.map(({ name }) => name)
  const datasourceOf = datasourcesByProject({ names, projectMap: config.projectDatasourceMap })
  const projects = Map.groupBy(endpoints.values(), ({ project }) => project)
  return Array.from(projects).flatMap(([project, files]) => {
    if (datasourceOf(project) !== undefined) return []
    const message = `project ${JSON.stringify(project)} leads to no datasource${others(files)}`
    return [aboutFile('datasource', shown((files[0] as Endpoint).file), message)]
  })
}

function others({ length }: readonly Endpoint[]): string {
  return length === 1 ? '' : `, and with it ${length - 1} more ${length === 2 ? 'file' : 'files'}`
}

function aboutFile(code: Code, file: string, message: string, cure: string = codes[code].cure): Finding {
  return { severity: codes[code].severity, code, file, line: 1, column: 1, message, text: '', cure }
}
