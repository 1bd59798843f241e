/**
 * Puts the service together: what boot has made in, a running service out, in one process. What is served is a set
 * (served/); another one takes its place between two requests. What `main.ts` and `workers/` add is the process (flags,
 * signals, exit code).
 */
import { RequestLog, whenDrained } from '@services/observe'
import type { Booted } from './boot/boot.ts'
import type { Events } from './events.ts'
import type { Measures } from './measure/measures.ts'
import type { Database } from './database/database.ts'
import type { Reachability } from './reachability.ts'
import { reportBrokenOff } from './serve/handle.ts'
import { requestLines } from './serve/request-lines.ts'
import { type ServerOptions, startServer } from './serve/server.ts'
import { toWait, Uploads } from './serve/uploads.ts'
import { OpenDatabases } from './served/databases.ts'
import { makeSet, type ServedSet } from './served/served-set.ts'
import { keepUnchanged } from './served/unchanged.ts'
import { tellUnservableFiles } from './served/unservable-files.ts'

/** What is served instead of what was served so far. */
export interface ServedFiles {
  readonly endpoints: Booted['endpoints']
  /** As in `Service`. */
  readonly unloaded: ReadonlyMap<string, string>
}

/** Something else that could be served. Exactly one of the two must be called. */
export interface PreparedSet {
  /** Serves it from the next request on; requests in progress end with what they began with. */
  take(): void
  drop(): void
}

export interface RunningService {
  readonly address: string
  readonly port: number
  /** Serves another set of files from the next request on. */
  replaceFiles(files: ServedFiles): void
  /**
   * Opens what is needed to serve this, and changes nothing yet. Not to be called again before the last one was taken
   * or dropped.
   */
  prepare(booted: Booted): Promise<PreparedSet>
  isListening(): boolean
  /** Names of what is served now. */
  datasources(): Iterable<string>
  /** When work on the datasource last succeeded, by the clock of `performance`. */
  lastSuccess(datasource: string): number
  /** Answers end their connections from now on. */
  announceEnd(): void
  /** Stops accepting, finishes what is in flight, closes the databases. */
  close(): Promise<void>
}

/** `measures` counts what the service does; without it nothing is counted. */
export async function startService(booted: Booted, events: Events, measures?: Measures): Promise<RunningService> {
  const databases = new OpenDatabases(events, measures, booted.lostForMs)
  let set = await makeSet(booted, await databases.hold(booted.datasources), events)
  const uploads = new Uploads((held, maxBytes) => events.emit('bodiesWait', toWait(held, maxBytes)))
  let options = toOptions(set, uploads, events)
  const requestLog = new RequestLog(events, 'answered', requestLines(events))
  requestLog.use(booted.config.logging)
  // What was recorded is waited for where the log is: at the end.
  events.subscribe(whenDrained(async (withinMs) => set.tracing?.drained(withinMs)))
  const server = await startServer(options, () => options)
  measures?.watch({ databases, load: () => server.load() })
  let isListening = true
  events.emit('listening', { address: server.address })
  begin(set, events)

  const take = (next: ServedSet): void => {
    const before = set
    set = next
    options = toOptions(next, uploads, events)
    requestLog.use(next.booted.config.logging)
    server.limitPipelines(options.maxPipelinedRequests)
    databases.listenAnew()
    measures?.endpointsReplaced()
    before.described.close()
    before.underWay.whenNone(() => databases.release(before.databases))
    begin(next, events)
  }
  return {
    address: server.address,
    port: server.port,
    replaceFiles({ endpoints, unloaded }) {
      set.service.endpoints = endpoints
      set.service.unloaded = unloaded
      set.described.replaceEndpoints(endpoints.values())
    },
    async prepare(next) {
      const endpoints = await keepUnchanged(set.service.endpoints, next.endpoints)
      const held = await databases.hold(next.datasources)
      const prepared = await makeSet({ ...next, endpoints }, held, events)
      return {
        take: () => {
          if (isListening) take(prepared)
        },
        drop: () => databases.release(held),
      }
    },
    isListening: () => isListening,
    datasources: () => set.databases.databases.keys(),
    lastSuccess: (datasource) => set.databases.databases.get(datasource)?.lastSuccess ?? -Infinity,
    announceEnd: () => server.drain(),
    async close() {
      isListening = false
      await server.close()
      requestLog.close()
      set.described.close()
      await databases.close()
    },
  }
}

function toOptions(
  { booted: { config }, service, handle, tracing, underWay }: ServedSet,
  uploads: Uploads,
  events: Events,
): ServerOptions {
  return {
    ...config.server.bind,
    maxBodyBytes: config.server.maxBodyBytes,
    uploads,
    maxPipelinedRequests: config.server.maxPipelinedRequests,
    fastReader: config.server.fastReader,
    cors: service.cors,
    handle,
    breaksOff: (request, error) => reportBrokenOff(service, request, error),
    listener: {
      isListening: () => events.isEnabled('answered'),
      answered: (trace) => events.emit('answered', trace),
    },
    tracing,
    underWay,
  }
}

/**
 * What is done once a set is served: databases that were opened for it are tried, so that one that cannot be reached is
 * told.
 */
function begin({ databases: { held, opened }, described, booted }: ServedSet, events: Events): void {
  for (const { name, database, reach } of held) {
    const tried = opened.includes(name) ? probe(database, reach) : Promise.resolve()
    // By then the stored code is known.
    void tried.then(() => tellUnservableFiles({ name, database }, booted, events))
  }
  described.start()
}

/** The service starts even if a database is unreachable, and tries again with every request. */
async function probe(database: Database, reach: Reachability): Promise<void> {
  try {
    await database.probe()
  } catch (error) {
    reach.unreachable(error)
  }
}
