/**
 * What boot does once the configuration is read: tells what the operator should know, and reads the files. Out comes
 * everything that a service is made of, as plain values, so that it can be made in another process too.
 */
import { resolve } from 'node:path'
import { dialects } from '../dialects.ts'
import type { Events } from '../events.ts'
import type { Loaded } from './config/config.ts'
import { type Endpoints, loadEndpoints } from './endpoints.ts'
import { type Ignored, layoutCure } from './ignored.ts'
import { digestOfLogin } from './config/login-files.ts'
import type { Config } from './config/schema.ts'
import { tellJudgements } from './judgements.ts'
import type { LockedTypes } from './locked-types.ts'
import type { KnownAtStart } from '../lock/at-start.ts'
import { lockFileName } from '../lock/lock.ts'
import type { Dialect } from '../model.ts'
import { cureOfProject, strayKeys } from './project-names.ts'
import { datasourceFinder } from '../project-datasource.ts'
import type { SizedDatasource } from './sized-datasource.ts'
import { version } from '../version.ts'

export interface Booted {
  readonly config: Config
  readonly datasources: readonly SizedDatasource[]
  readonly endpoints: Endpoints
  /** What the lock file says of them, where they are to be described. */
  readonly lockedTypes: LockedTypes
  /** Unix time in milliseconds. */
  readonly startTime: number
  /**
   * Names of datasources and replicas whose loss the log has, and for how long they have been lost; of a process that
   * replaces another one.
   */
  readonly lostForMs?: Readonly<Record<string, number>>
}

/** `readFiles` reads the tree. For a single process, which has every connection to itself. */
export async function boot(
  loaded: Loaded,
  events: Events,
  readFiles: typeof loadEndpoints = loadEndpoints,
): Promise<Booted> {
  const startTime = Date.now()
  tellConfiguration(loaded, events)
  const found = await readAll(loaded, startTime, readFiles)
  const { endpoints, datasources } = found.booted
  events.emit('started', {
    version,
    config: loaded.file,
    endpoints: endpoints.size,
    datasources: datasources.length,
  })
  tellSurprises(found, events)
  return found.booted
}

/** What was read, with what the operator should know of it. */
export interface Found {
  readonly booted: Booted
  readonly ignored: readonly Ignored[]
  /** Keys of `project_datasource_map` that have no effect, in words. */
  readonly strayKeys: readonly string[]
  /** Undefined when no description is wanted. */
  readonly locked: KnownAtStart | undefined
}

/** Tells nothing. Throws a StartupFailure. */
export async function readAll(
  { config, datasources, file, origins }: Pick<Loaded, 'config' | 'datasources' | 'file' | 'origins'>,
  startTime: number,
  readFiles: typeof loadEndpoints = loadEndpoints,
): Promise<Found> {
  const dialectsInUse = new Set(datasources.map(({ dialect }) => dialect))
  const ignored: Ignored[] = []
  const endpoints = await readFiles(config.sqlDir, dialectsInUse, {
    ignored: (what) => ignored.push(what),
    origin: origins['sql_dir'],
  })
  const sized = datasources.map((datasource) => {
    const sqlComment = config.trace.sqlComment && dialects[datasource.dialect].takesTraceComments
    return { ...datasource, poolSize: datasource.maxConnections, login: digestOfLogin(datasource), sqlComment }
  })
  const locked = config.openapi ? await readLocked({ config, datasources, file }, endpoints) : undefined
  const lockedTypes: LockedTypes = locked?.types ?? new Map()
  return {
    booted: { config, datasources: sized, endpoints, lockedTypes, startTime },
    ignored,
    strayKeys: strayKeys({ config, origins }, projectsOf(endpoints)),
    locked,
  }
}

function projectsOf(endpoints: Endpoints): ReadonlySet<string> {
  return new Set(Array.from(endpoints.values(), ({ project }) => project))
}

/** Loaded only when it is wanted. */
async function readLocked(
  loaded: Pick<Loaded, 'config' | 'datasources' | 'file'>,
  endpoints: Endpoints,
): Promise<KnownAtStart> {
  const { readLockedTypes } = await import('./locked-types.ts')
  return readLockedTypes(loaded, endpoints)
}

/** What is unwise in the configuration. */
export function tellConfiguration({ diagnostics }: Pick<Loaded, 'diagnostics'>, events: Events): void {
  for (const message of diagnostics) events.emit('diagnostic', { message })
  if (events.isEnabled('statement')) events.emit('statementsLogged', {})
}

/** How many lines of one kind are written; one more line then says how many are left out. */
const maxLines = 20

/** What starts without an error and may still not be what the operator expects. */
export function tellSurprises({ booted, ignored, strayKeys: stray, locked }: Found, events: Events): void {
  const { config, datasources, endpoints } = booted
  const datasourceOf = datasourceFinder({ config, datasources })
  for (const what of ignored.slice(0, maxLines)) events.emit('ignored', { ...what })
  if (endpoints.size === 0) events.emit('noEndpoints', { path: resolve(config.sqlDir), cure: layoutCure })
  if (ignored.length > maxLines) events.emit('moreIgnored', { more: ignored.length - maxLines })
  const lost = Array.from(projectsOf(endpoints)).filter((project) => datasourceOf(project) === undefined)
  for (const project of lost.slice(0, maxLines)) {
    const cure = `its requests are refused unless X-Datasource names one; ${cureOfProject(project, datasources)}`
    events.emit('projectWithoutDatasource', { project, cure })
  }
  if (lost.length > maxLines) events.emit('moreProjectsWithoutDatasource', { more: lost.length - maxLines })
  for (const message of stray.slice(0, maxLines)) events.emit('diagnostic', { message })
  const more = stray.length - maxLines
  if (more > 0) events.emit('diagnostic', { message: `and ${more} more such keys; sqlapi check lists all` })
  if (config.checks !== 'off') {
    const dialectOf = (project: string): Dialect | undefined => datasourceOf(project)?.dialect
    tellJudgements({ endpoints: endpoints.values(), dialectOf, weights: config.check.rules }, events)
  }
  if (config.allowDatasourceHeader && config.datasources.length > 1) {
    events.emit('datasourceHeader', { datasources: config.datasources.length, cure: headerCure })
  }
  if (locked !== undefined) tellLocked(locked, events)
}

function tellLocked({ stale, refusal }: KnownAtStart, events: Events): void {
  const cure = 'write it again with sqlapi check --write'
  if (refusal !== undefined) events.emit('lockRefused', { file: lockFileName, reason: refusal, cure })
  const [first] = stale
  if (first !== undefined) events.emit('lockStale', { file: lockFileName, first, endpoints: stale.length, cure })
}

const headerCure = 'allow_datasource_header: false switches it off'
