/**
 * Puts the service together: what boot has made in, a running service out. The only file that sees both `serve/` and
 * `database/`; what `main.ts` and `workers/` add is the process (flags, signals, exit code).
 */
import type { Booted } from './boot/boot.ts'
import { maskUrl } from './boot/config/url.ts'
import { openDatabase } from './database/database.ts'
import { dialects } from './dialects.ts'
import type { Events } from './events.ts'
import type { Measures } from './measure/measures.ts'
import type { Database, Endpoint, Page, Reply, Request } from './model.ts'
import { projectRules } from './project-datasource.ts'
import { createCors } from './serve/cors.ts'
import { handle, reportBrokenOff, type Service } from './serve/handle.ts'
import { createFormatChooser } from './serve/representation/accept.ts'
import { createDatasourceChooser } from './serve/route.ts'
import { startServer } from './serve/server.ts'
import { createPages } from './serve/status.ts'
import { packagingTime, version } from './version.ts'

/** What is served in the place of what was served so far. */
export interface ServedFiles {
  readonly endpoints: Booted['endpoints']
  /** As in `Service`. */
  readonly unloaded: ReadonlyMap<string, string>
}

export interface RunningService {
  readonly address: string
  readonly port: number
  /** Serves another set of files from the next request on. */
  replaceFiles(files: ServedFiles): void
  isListening(): boolean
  /** When work on the datasource last succeeded, by the clock of `performance`. */
  lastSuccess(datasource: string): number
  /** Answers end their connections from now on. */
  announceEnd(): void
  /** Stops accepting, finishes what is in flight, closes the databases. */
  close(): Promise<void>
}

/** `measures` counts what the service does; without it nothing is counted. */
export async function startService(booted: Booted, events: Events, measures?: Measures): Promise<RunningService> {
  const { config, datasources, endpoints, startTime } = booted
  const databases = await openDatabases(booted, events, measures)

  const summaries = datasources.map(({ name, url, dialect, username }) => ({
    name,
    url: maskUrl(url),
    dialect,
    username,
    driverClassName: dialects[dialect].driverClassName,
  }))
  const cors = createCors(config.cors.allowedOrigins)
  const described = await describePages(booted, databases)
  const service: Service = {
    endpoints,
    unloaded: new Map(),
    databases,
    chooseDatasource: createDatasourceChooser({
      ...projectRules(config),
      allowHeader: config.allowDatasourceHeader,
    }),
    chooseFormat: createFormatChooser(),
    pages: new Map([...createPages({ version, packagingTime, startTime, datasources: summaries }), ...described.pages]),
    cors,
    events,
    errors: config.errors,
  }
  const server = await startServer({
    ...config.server.bind,
    maxBodyBytes: config.server.maxBodyBytes,
    maxPipelinedRequests: config.server.maxPipelinedRequests,
    fastReader: config.server.fastReader,
    cors,
    handle: await handlerOf(service, config.server.compression),
    breaksOff: (request, error) => reportBrokenOff(service, request, error),
    answered: events.isEnabled('answered') ? (trace) => events.emit('answered', trace) : undefined,
  })
  measures?.watch({ databases, load: () => server.load() })
  let isListening = true
  events.emit('listening', { address: server.address })
  for (const summary of summaries) void probe(databases.get(summary.name) as Database, summary, events)
  described.start()
  return {
    address: server.address,
    port: server.port,
    replaceFiles({ endpoints, unloaded }) {
      service.endpoints = endpoints
      service.unloaded = unloaded
      described.replaceEndpoints(endpoints.values())
    },
    isListening: () => isListening,
    lastSuccess: (datasource) => databases.get(datasource)?.lastSuccess ?? -Infinity,
    announceEnd: () => server.drain(),
    async close() {
      isListening = false
      await server.close()
      described.close()
      await Promise.all([...databases.values()].map((database) => database.close()))
    },
  }
}

/** What compresses is loaded only where somebody wants it: zlib takes memory. */
async function handlerOf(service: Service, compression: boolean): Promise<(request: Request) => Promise<Reply>> {
  if (!compression) return (request) => handle(service, request)
  const { encode } = await import('./serve/representation/compress.ts')
  return (request) => {
    // The body is not kept while the database works.
    const asked = { method: request.method, headers: request.headers }
    return handle(service, request).then((reply) => encode(reply, asked))
  }
}

interface DescribedPages {
  readonly pages: readonly (readonly [path: string, page: Page])[]
  /** Once the service listens. */
  start(): void
  replaceEndpoints(endpoints: Iterable<Endpoint>): void
  close(): void
}

const noPages: DescribedPages = {
  pages: [],
  start: () => undefined,
  replaceEndpoints: () => undefined,
  close: () => undefined,
}

/** Loaded only where somebody wants them. */
async function describePages(
  { config, datasources, endpoints, lockedTypes }: Booted,
  databases: ReadonlyMap<string, Database>,
): Promise<DescribedPages> {
  if (!config.openapi) return noPages
  const { openDescription } = await import('./openapi/description.ts')
  const { createApiPages } = await import('./openapi/pages.ts')
  const facts = { version, config, datasources, endpoints: endpoints.values() }
  const description = openDescription(facts, databases, lockedTypes)
  return {
    pages: createApiPages(() => description.read()),
    start: () => description.start(),
    replaceEndpoints: (endpoints) => description.replaceEndpoints(endpoints),
    close: () => description.close(),
  }
}

async function openDatabases(
  { datasources }: Booted,
  events: Events,
  measures: Measures | undefined,
): Promise<ReadonlyMap<string, Database>> {
  const opened = datasources.map(async (datasource): Promise<[name: string, database: Database]> => {
    const { name } = datasource
    const database = await openDatabase({
      ...datasource,
      meter: measures?.meterOf(name),
      meterOf: (replica) => measures?.meterOf(replica),
      onReplica: ({ replica, reason }) =>
        reason === undefined
          ? events.emit('replicaBack', { replica })
          : events.emit('replicaAway', { replica, reason }),
      onSessionCode: (finding) => events.emit('sessionCode', { datasource: name, ...finding }),
      onStatement: events.isEnabled('statement')
        ? (sql, values) => events.emit('statement', { datasource: name, sql, parameters: showValues(values) })
        : undefined,
      onDemotion: (report) => events.emit('serverDemoted', { datasource: name, ...report }),
      onFileChange: (change) => events.emit('fileChanged', { datasource: name, ...change }),
      onStatementFailure: events.isEnabled('statementFailed')
        ? (report) => events.emit('statementFailed', { ...report })
        : undefined,
      onGivenUp: (report) => events.emit('statementGivenUp', { datasource: name, ...report }),
      onArrayAsJson: events.isEnabled('arrayAsJson')
        ? (endpoint, parameter) => events.emit('arrayAsJson', { endpoint, parameter })
        : undefined,
    })
    return [name, database]
  })
  return new Map(await Promise.all(opened))
}

function showValues(values: readonly unknown[]): string {
  return JSON.stringify(values, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))
}

/** The service starts even if a database is unreachable, and tries again with every request. */
async function probe(database: Database, { name, url }: { name: string; url: string }, events: Events): Promise<void> {
  try {
    await database.probe()
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    events.emit('datasourceUnreachable', { datasource: name, url, reason })
  }
}
