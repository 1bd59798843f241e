/**
 * The sets of a service, one after the other: which one is served now, what outlives each of them (the budget of bytes,
 * the queue of steps, the audit files, connections that stay the same), and when another one may take its place. A
 * request ends with the set with which it began.
 */
import { join } from 'node:path'
import type { Environment } from '@services/config-file'
import type { Shell } from '@services/http-shell'
import { RequestLog, whenDrained } from '@services/observe'
import { openTracing } from '@services/trace'
import { AuditFiles } from '../audit/audit-files.ts'
import { auditFileProblem } from '../audit/open-file.ts'
import type { Loaded } from '../boot/config/config.ts'
import { watchCertificates } from '../certificate-watch.ts'
import { StartupFailure } from '../errors.ts'
import type { EventFields, Events } from '../events.ts'
import type { Measured } from '../measure/measures.ts'
import type { Service } from '../serve/handle.ts'
import { StepQueue } from '../serve/lanes/in-steps.ts'
import { requestLines } from '../serve/request-lines.ts'
import { Budget } from '../upstream/budget.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { version } from '../version.ts'
import type { ServerIdentity } from './lanes.ts'
import { countOf, type ReadSet, readSet } from './read-set.ts'
import { openSet, type ServedSet } from './served-set.ts'

export class Sets {
  /** Read with each request. */
  service!: Service
  descriptions: ReadonlySet<string> = new Set()
  readonly #env: Environment
  readonly #events: Events
  readonly #budget: Budget
  readonly #queue = new StepQueue()
  readonly #auditFiles: AuditFiles
  readonly #requestLog: RequestLog<EventFields, 'answered'>
  #current!: ServedSet
  /** Those of earlier sets on which calls are still in progress. */
  #retired: Upstream[] = []
  #stopWatching = (): void => undefined

  constructor(env: Environment, events: Events, maxInflightBytes: number) {
    this.#env = env
    this.#events = events
    this.#budget = new Budget(maxInflightBytes)
    this.#auditFiles = new AuditFiles(events)
    this.#requestLog = new RequestLog(events, 'answered', requestLines(events))
    events.subscribe(whenDrained(async (withinMs) => (this.service as Service | undefined)?.tracing?.drained(withinMs)))
  }

  get identities(): readonly ServerIdentity[] {
    return this.#current.identities
  }

  /** Reads the first set and serves it. Rejects with a StartupFailure. */
  async begin(loaded: Loaded): Promise<void> {
    const read = await this.#readSet(loaded)
    this.#tell(read)
    this.#events.emit('started', { version, config: loaded.source, ...countOf(read) })
    this.#put(await this.#open(read, undefined))
  }

  /** As `RunningService.replace`. */
  async replace(loaded: Loaded, signal: AbortSignal): Promise<number | undefined> {
    const before = this.#current
    const read = await this.#readSet(loaded)
    refuseLost(before, read)
    this.#refuseAuditFile(loaded)
    const set = await this.#open(read, before)
    if (signal.aborted) return undefined
    this.#put(set)
    for (const { upstream } of before.upstreams.filter((each) => !set.upstreams.includes(each))) {
      upstream.retire()
      this.#retired.push(upstream)
    }
    this.#retired = this.#retired.filter(isInUse)
    this.#tell(read)
    this.watchCertificates()
    return read.endpoints.length
  }

  #readSet(loaded: Loaded): Promise<ReadSet> {
    const descriptions = new Set<string>()
    this.descriptions = descriptions
    return readSet(loaded, this.#env, descriptions)
  }

  #tell({ warnings, notices }: ReadSet): void {
    for (const message of notices) this.#events.emit('notice', { message })
    for (const message of warnings) this.#events.emit('warning', { message })
  }

  async #open(read: ReadSet, lanes: ServedSet | undefined): Promise<ServedSet> {
    const [env, events, budget, auditFiles] = [this.#env, this.#events, this.#budget, this.#auditFiles]
    const tracing = await openTracing({ ...read.loaded.config.trace, name: 'xroad-proxy', version })
    return openSet(read, { env, events, budget, queue: this.#queue, auditFiles, tracing, lanes })
  }

  /** Replaces the set before by it, between two requests. */
  #put(set: ServedSet): void {
    this.#current = set
    this.service = set.service
    this.#budget.resize(set.config.limits.maxInflightBytes)
    this.#requestLog.use(set.config.logging)
    this.#auditFiles.use(set.service.audit?.file)
  }

  /** A start goes on with an audit file that cannot be written; a service that is running keeps the one it has. */
  #refuseAuditFile({ config: { audit }, origins }: Loaded): void {
    if (audit === undefined || this.#auditFiles.has(audit.file)) return
    const problem = auditFileProblem(audit.file)
    if (problem === undefined) return
    throw new StartupFailure('invalid_configuration', `${origins['audit.file']}: audit.file: ${audit.file} ${problem}`)
  }

  /** Watches the certificates of the set that is served now, and no others. */
  watchCertificates(): void {
    this.#stopWatching()
    this.#stopWatching = watchCertificates(this.#current.certificates, this.#events)
  }

  measured(server: Shell): Measured {
    const upstreams = this.#current.upstreams.map(({ upstream }) => upstream)
    return {
      load: server.load(),
      upstreams: [...upstreams, ...this.#retired],
      budget: this.#budget,
      certificates: this.#current.certificates,
    }
  }

  reopenAudit(): void {
    this.#auditFiles.reopen()
  }

  stopWatching(): void {
    this.#stopWatching()
  }

  /** Call it when nothing is in progress any more. */
  async close(): Promise<void> {
    const upstreams = this.#current.upstreams.map(({ upstream }) => upstream)
    await Promise.all([...upstreams, ...this.#retired].map((upstream) => upstream.close()))
    this.#auditFiles.close()
    this.#requestLog.close()
  }
}

function isInUse(upstream: Upstream): boolean {
  const { busy, waiting } = upstream.load()
  return busy + waiting > 0
}

/**
 * A WSDL that could be read before and cannot be read now is broken, or is about to be written; a directory of DSL
 * files that is gone is being replaced, or no longer mounted. A start does without them.
 */
function refuseLost({ hasDsl, wsdls }: ServedSet, { loaded, found, ingested }: ReadSet): void {
  if (hasDsl && found.isMissing === true) {
    const { dsl_path: origin = 'default' } = loaded.origins
    const place = `${origin === 'default' ? '' : `${origin}: `}dsl_path: ${loaded.config.dslPath}`
    throw new StartupFailure('invalid_dsl', `${place} does not exist any more; put it back`)
  }
  if (ingested === undefined) return
  const { wsdlWatchDir: dir = '' } = loaded.config
  const problems = new Map(ingested.report.flatMap(({ file, isRead, problem }) => (isRead ? [] : [[file, problem]])))
  const unread = ingested.unread.map((folder) => join(dir, folder))
  const lost = Array.from(wsdls).flatMap((file) => {
    const problem =
      problems.get(file) ?? (unread.some((folder) => file.startsWith(folder)) ? 'cannot be read' : undefined)
    return problem === undefined ? [] : [`${file}: ${problem}`]
  })
  if (lost.length > 0) throw new StartupFailure('wsdl_lost', lost.join('; '))
}
