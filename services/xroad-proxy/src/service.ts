/**
 * The service: a port that stays, and behind it the set of files that requests are served with (served/). What
 * `main.ts` adds is the process (flags, signals, exit code), what reload/ adds is when another set takes its place.
 */
import type { Environment } from '@services/config-file'
import type { Shell } from '@services/http-shell'
import type { Loaded } from './boot/config/config.ts'
import type { Events } from './events.ts'
import type { Measures } from './measure/measures.ts'
import { handle, reportTooSlow } from './serve/handle.ts'
import { refuse } from './serve/refuse.ts'
import { startServer } from './serve/server.ts'
import type { ServerIdentity } from './served/lanes.ts'
import { Sets } from './served/sets.ts'

export interface RunningService {
  readonly address: string
  readonly port: number
  isListening(): boolean
  /** Of the set that is served now. */
  readonly identities: readonly ServerIdentity[]
  /** Answers end their connections from now on. */
  announceEnd(): void
  /** Stops accepting, finishes what is in flight, closes the connections. */
  close(): Promise<void>
  /** The audit file, where there is one, is opened again: it may have been moved. */
  reopenAudit(): void
  /**
   * Serves what files hold by this configuration from now on. Rejects with a StartupFailure where a part of it is
   * wrong, and then nothing has changed. Gives nothing where `signal` is aborted meanwhile, else how many endpoints
   * there are. Not to be called again before it has settled.
   */
  replace(loaded: Loaded, signal: AbortSignal): Promise<number | undefined>
  /** Paths of the OpenAPI documents that DSL files led to when they were read last. */
  readonly descriptions: Iterable<string>
}

/** `measures` counts what the service does; without it nothing is counted. */
export async function startService(
  loaded: Loaded,
  env: Environment,
  events: Events,
  measures?: Measures,
): Promise<RunningService> {
  const { config } = loaded
  const sets = new Sets(env, events, config.limits.maxInflightBytes)
  await sets.begin(loaded)
  const server = await startServer({
    host: config.host,
    port: config.port,
    fastReader: config.server.fastReader,
    handle: (request, writer) => handle(sets.service, request, writer),
    refuse: (refusal) => refuse(sets.service, refusal),
    tooSlow: (request) => reportTooSlow(sets.service, request),
    maxConnections: config.limits.maxConnections,
    full: (closed) => events.emit('connectionsFull', { limit: server.maxConnections, closed }),
  })
  measures?.watch(() => sets.measured(server))
  events.emit('listening', { address: server.address })
  sets.watchCertificates()
  return running(server, sets)
}

function running(server: Shell, sets: Sets): RunningService {
  let isListening = true
  return {
    address: server.address,
    port: server.port,
    isListening: () => isListening,
    get identities() {
      return sets.identities
    },
    announceEnd: () => server.drain(),
    async close() {
      isListening = false
      sets.stopWatching()
      await server.close()
      await sets.close()
    },
    reopenAudit: () => sets.reopenAudit(),
    async replace(loaded, signal) {
      const count = await sets.replace(loaded, signal)
      if (count !== undefined) server.limitConnections(loaded.config.limits.maxConnections)
      return count
    },
    get descriptions() {
      return sets.descriptions
    },
  }
}
