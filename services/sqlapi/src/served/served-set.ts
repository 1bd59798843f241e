/**
 * Everything that requests are answered from, made of what boot has made. It never changes: a reload makes another one,
 * which takes its place between two requests, and it goes when the last request that began with it has ended.
 */
import { openTracing, type Tracing } from '@services/trace'
import type { Booted } from '../boot/boot.ts'
import { maskUrl } from '../boot/config/url.ts'
import { dialects } from '../dialects.ts'
import type { Events } from '../events.ts'
import type { Reply, Request } from '../model.ts'
import { projectRules } from '../project-datasource.ts'
import { createCors } from '../serve/cors.ts'
import { handle, type Service } from '../serve/handle.ts'
import { WithoutEffect } from '../serve/params/without-effect.ts'
import { createFormatChooser } from '../serve/representation/accept.ts'
import { createDatasourceChooser } from '../serve/route.ts'
import { UnderWay } from '../serve/under-way.ts'
import { createPages, type DatasourceSummary } from '../serve/status.ts'
import { packagingTime, version } from '../version.ts'
import type { HeldDatabases } from './databases.ts'
import { describePages, type DescribedPages } from './pages.ts'

export interface ServedSet {
  readonly booted: Booted
  readonly service: Service
  readonly handle: (request: Request) => Promise<Reply>
  readonly databases: HeldDatabases
  /** What may be shown of the datasources. */
  readonly summaries: readonly DatasourceSummary[]
  readonly described: DescribedPages
  /** Undefined when tracing is off. */
  readonly tracing: Tracing | undefined
  /** Requests that have begun with it. */
  readonly underWay: UnderWay
}

export async function makeSet(booted: Booted, databases: HeldDatabases, events: Events): Promise<ServedSet> {
  const { config, endpoints, startTime } = booted
  const summaries = booted.datasources.map(({ name, url, dialect, username }) => ({
    name,
    url: maskUrl(url),
    dialect,
    username,
    driverClassName: dialects[dialect].driverClassName,
  }))
  const described = await describePages(booted, databases.databases)
  const service: Service = {
    endpoints,
    unloaded: new Map(),
    databases: databases.databases,
    chooseDatasource: createDatasourceChooser({
      ...projectRules(config),
      allowHeader: config.allowDatasourceHeader,
    }),
    chooseFormat: createFormatChooser(),
    pages: new Map([...createPages({ version, packagingTime, startTime, datasources: summaries }), ...described.pages]),
    cors: createCors(config.cors.allowedOrigins),
    events,
    errors: config.errors,
    withoutEffect: new WithoutEffect(events),
  }
  const tracing = await openTracing({ enabled: config.trace.enabled, name: 'sqlapi', version })
  const underWay = new UnderWay()
  const handler = await handlerOf(service, config.server.compression)
  return { booted, service, handle: handler, databases, summaries, described, tracing, underWay }
}

/** What compresses is loaded only when it is wanted: zlib takes memory. */
async function handlerOf(service: Service, compression: boolean): Promise<(request: Request) => Promise<Reply>> {
  if (!compression) return (request) => handle(service, request)
  const { encode } = await import('../serve/representation/compress.ts')
  return (request) => {
    // The body is not kept while the database works.
    const asked = { method: request.method, headers: request.headers }
    return handle(service, request).then((reply) => encode(reply, asked))
  }
}
