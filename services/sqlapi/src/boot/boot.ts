/**
 * What boot does once the configuration is read: tells what the operator should know, and reads the files. Out comes
 * everything that a service is made of, as plain values, so that it can be made in another process too.
 */
import type { Events } from '../events.ts'
import type { Datasource, Loaded } from './config/config.ts'
import { type Endpoints, loadEndpoints } from './endpoints.ts'
import type { Ignored } from './ignored.ts'
import type { Config } from './config/schema.ts'
import { tellJudgements } from './judgements.ts'
import type { LockedTypes } from './locked-types.ts'
import type { Dialect } from '../model.ts'
import { datasourcesByProject, projectRules } from '../project-datasource.ts'
import { version } from '../version.ts'

export interface Booted {
  readonly config: Config
  readonly datasources: readonly SizedDatasource[]
  readonly endpoints: Endpoints
  /** What the lock file says of them, where they are to be described. */
  readonly lockedTypes: LockedTypes
  /** Unix time in milliseconds. */
  readonly startTime: number
}

export interface SizedDatasource extends Datasource {
  /** Most connections of one process: its part of `maxConnections`. */
  readonly poolSize: number
}

/** `readFiles` reads the tree. For a single process, which has every connection to itself. */
export async function boot(
  { config, datasources, file, diagnostics }: Loaded,
  events: Events,
  readFiles: typeof loadEndpoints = loadEndpoints,
): Promise<Booted> {
  const startTime = Date.now()
  for (const message of diagnostics) events.emit('diagnostic', { message })
  if (events.isEnabled('statement')) events.emit('statementsLogged', {})
  const dialects = new Set(datasources.map(({ dialect }) => dialect))
  const ignored: Ignored[] = []
  const endpoints = await readFiles(config.sqlDir, dialects, (what) => ignored.push(what))
  events.emit('started', { version, config: file, endpoints: endpoints.size, datasources: datasources.length })
  tellSurprises({ config, datasources, endpoints, ignored }, events)
  const sized = datasources.map((datasource) => ({ ...datasource, poolSize: datasource.maxConnections }))
  const lockedTypes = config.openapi ? await lockedTypesOf({ config, datasources, file }, endpoints, events) : new Map()
  return { config, datasources: sized, endpoints, lockedTypes, startTime }
}

/** Loaded only where somebody wants them. */
async function lockedTypesOf(
  loaded: Pick<Loaded, 'config' | 'datasources' | 'file'>,
  endpoints: Endpoints,
  events: Events,
): Promise<LockedTypes> {
  const { readLockedTypes, tellLocked } = await import('./locked-types.ts')
  const locked = readLockedTypes(loaded, endpoints)
  tellLocked(locked, events)
  return locked.types
}

/** How many lines of one kind are written; one more line then says how many are left out. */
const maxLines = 20

/** What starts without an error and may still not be what the operator expects. */
function tellSurprises({ config, datasources, endpoints, ignored }: Findings, events: Events): void {
  const datasourceOf = datasourcesByProject(projectRules(config))
  for (const what of ignored.slice(0, maxLines)) events.emit('ignored', { ...what })
  if (ignored.length > maxLines) events.emit('moreIgnored', { more: ignored.length - maxLines })
  const projects = new Set(Array.from(endpoints.values(), ({ project }) => project))
  const lost = Array.from(projects).filter((project) => datasourceOf(project) === undefined)
  for (const project of lost.slice(0, maxLines)) events.emit('projectWithoutDatasource', { project, cure: projectCure })
  if (lost.length > maxLines) events.emit('moreProjectsWithoutDatasource', { more: lost.length - maxLines })
  if (config.checks !== 'off') {
    const dialects = new Map(datasources.map(({ name, dialect }) => [name, dialect]))
    const dialectOf = (project: string): Dialect | undefined => dialects.get(datasourceOf(project) ?? '')
    tellJudgements({ endpoints: endpoints.values(), dialectOf, weights: config.check.rules }, events)
  }
  if (config.allowDatasourceHeader && config.datasources.length > 1) {
    events.emit('datasourceHeader', { datasources: config.datasources.length, cure: headerCure })
  }
}

interface Findings {
  readonly config: Config
  readonly datasources: readonly Datasource[]
  readonly endpoints: Endpoints
  readonly ignored: readonly Ignored[]
}

const projectCure =
  'its requests are refused unless X-Datasource names one; add a datasource of this name, a line to project_datasource_map, or default_datasource'
const headerCure = 'allow_datasource_header: false switches it off'
