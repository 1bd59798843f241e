/**
 * What boot does once the configuration is read: tells what the operator should know, and reads the files. Out comes
 * everything that a service is made of, as plain values, so that it can be made in another process too.
 */
import type { Events } from '../events.ts'
import type { Datasource, Loaded } from './config/config.ts'
import { type Endpoints, loadEndpoints } from './endpoints.ts'
import type { Ignored } from './ignored.ts'
import type { Config } from './config/schema.ts'
import { datasourcesByProject } from '../project-datasource.ts'
import { version } from '../version.ts'

export interface Booted {
  readonly config: Config
  readonly datasources: readonly SizedDatasource[]
  readonly endpoints: Endpoints
  /** Unix time in milliseconds. */
  readonly startTime: number
}

export interface SizedDatasource extends Datasource {
  /** Most connections of one process: its part of `maxConnections`. */
  readonly poolSize: number
}

/** For a single process, which has every connection to itself. */
export async function boot({ config, datasources, file, diagnostics }: Loaded, events: Events): Promise<Booted> {
  const startTime = Date.now()
  for (const message of diagnostics) events.emit('diagnostic', { message })
  if (events.isEnabled('statement')) events.emit('statementsLogged', {})
  const dialects = new Set(datasources.map(({ dialect }) => dialect))
  const ignored: Ignored[] = []
  const endpoints = await loadEndpoints(config.sqlDir, dialects, (what) => ignored.push(what))
  events.emit('started', { version, config: file, endpoints: endpoints.size, datasources: datasources.length })
  tellSurprises({ config, endpoints, ignored }, events)
  const sized = datasources.map((datasource) => ({ ...datasource, poolSize: datasource.maxConnections }))
  return { config, datasources: sized, endpoints, startTime }
}

/** How many lines of one kind are written; one more line then says how many are left out. */
const maxLines = 20

/** What starts without an error and may still not be what the operator expects. */
function tellSurprises({ config, endpoints, ignored }: Findings, events: Events): void {
  for (const what of ignored.slice(0, maxLines)) events.emit('ignored', { ...what })
  if (ignored.length > maxLines) events.emit('moreIgnored', { more: ignored.length - maxLines })
  const lost = projectsWithoutDatasource(config, endpoints)
  for (const project of lost.slice(0, maxLines)) events.emit('projectWithoutDatasource', { project, cure: projectCure })
  if (lost.length > maxLines) events.emit('moreProjectsWithoutDatasource', { more: lost.length - maxLines })
  const wrong = Array.from(endpoints.values()).flatMap(({ file, declarations }) =>
    (declarations?.problems ?? []).map(({ line, column, message, cure }) => {
      return { file, line, column, problem: message, cure }
    }),
  )
  for (const problem of wrong.slice(0, maxLines)) events.emit('declaration', problem)
  if (wrong.length > maxLines) events.emit('moreDeclarations', { more: wrong.length - maxLines })
  if (config.allowDatasourceHeader && config.datasources.length > 1) {
    events.emit('datasourceHeader', { datasources: config.datasources.length, cure: headerCure })
  }
}

interface Findings {
  readonly config: Config
  readonly endpoints: Endpoints
  readonly ignored: readonly Ignored[]
}

const projectCure =
  'its requests are refused unless X-Datasource names one; add a datasource of this name, or a line to project_datasource_map'
const headerCure = 'allow_datasource_header: false switches it off'

function projectsWithoutDatasource({ datasources, projectDatasourceMap }: Config, endpoints: Endpoints): string[] {
  const names = datasources.map(({ name }) => name)
  const datasourceOf = datasourcesByProject({ names, projectMap: projectDatasourceMap })
  const projects = new Set(Array.from(endpoints.values(), ({ project }) => project))
  return [...projects].filter((project) => datasourceOf(project) === undefined)
}
