/**
 * The request path. A request comes in as plain values, a reply goes out. The body of `runFile` makes the checks in the
 * order that the manual promises. Each stage is a call into the file that owns it; no stage calls the next.
 */
import { stackOf } from '@services/observe'
import { Failure, type FullDetails, nameOf, toReply } from '../errors.ts'
import { formats } from '../formats/formats.ts'
import type { Events } from '../events.ts'
import type {
  Body,
  DeclaredCache,
  Endpoint,
  FormatName,
  Page,
  Pages,
  Reply,
  ReplyHeaders,
  Request,
  RequestHeaders,
  Result,
  Script,
  Trace,
} from '../model.ts'
import type { Database } from '../database/database.ts'
import type { Cors } from './cors.ts'
import { readBody, requireUncoded } from './params/params.ts'
import { findLines, readSets } from './params/request-sets.ts'
import type { WithoutEffect } from './params/without-effect.ts'
import { Parsing } from './request-span.ts'
import type { FormatChooser } from './representation/accept.ts'
import { forCaches } from './representation/cache.ts'
import { addVary } from './representation/vary.ts'
import {
  answersInstead,
  findEndpoint,
  missingEndpoint,
  nearestPath,
  pathOf,
  readTarget,
  type Target,
  unloadedFile,
} from './route.ts'

/** Everything that requests are answered from; made once at boot. */
export interface Service {
  /** Another set may take its place between two requests; one that has begun goes on with what it has found. */
  endpoints: ReadonlyMap<string, Endpoint>
  /**
   * Files without an endpoint, by the key that it would have -> what is wrong with them. Only `dev` serves beside such
   * files.
   */
  unloaded: ReadonlyMap<string, string>
  readonly databases: ReadonlyMap<string, Database>
  /** Project and `X-Datasource` header -> name of a configured datasource, or a failure. */
  readonly chooseDatasource: (project: string, header: string | undefined) => string
  /** `Accept` header -> format of the rows. */
  readonly chooseFormat: FormatChooser
  readonly pages: Pages
  readonly cors: Cors
  readonly events: Events
  readonly errors: 'short' | 'full'
  readonly withoutEffect: WithoutEffect
}

/** Never rejects: whatever is thrown on the way becomes a reply. */
export function handle(service: Service, request: Request): Promise<Reply> {
  const headers = service.cors.headersFor(request.headers)
  try {
    return answer(service, request, headers)
  } catch (error) {
    return Promise.resolve(refuse(service, request, headers, error))
  }
}

/**
 * One of the service's own pages, or the result of a file. Not an async function: it would keep all its variables, the
 * body of the request too, until the database has answered.
 */
function answer(service: Service, request: Request, headers: ReplyHeaders): Promise<Reply> {
  const target = readTarget(request.target)
  const page = findPage(service, request, target)
  if (page !== undefined) {
    if (request.trace !== undefined) request.trace.page = target.path
    return showPage(page, request.headers, headers).catch(refuser(service, request, headers))
  }
  const parsing = Parsing.begin(request)
  if (parsing === undefined) return runFile(service, request, target, headers)
  try {
    return runFile(service, request, target, headers, parsing)
  } catch (error) {
    parsing.end(error)
    throw error
  }
}

/** Throws for a request that can be refused without the database. `parsing` ends where the database begins. */
function runFile(
  service: Service,
  request: Request,
  target: Target,
  headers: ReplyHeaders,
  parsing?: Parsing,
): Promise<Reply> {
  const { requestId, trace, cancellation } = request
  const refused = refuser(service, request, headers)
  const found = findEndpoint(service.endpoints, request.method, target.path)
  if (trace !== undefined) trace.endpoint = found?.endpoint
  if (request.method === 'POST') requireUncoded(request.body, request.headers)
  const lines = findLines(request, found, target.path)
  const document =
    request.method === 'POST' && lines === undefined ? readBody(request.body, request.headers) : undefined
  if (found === undefined) throw nothingThere(service, request.method, target)
  const { endpoint, batch } = found
  const datasource = chooseDatasource(service, target, request.headers['x-datasource'])
  if (trace !== undefined) trace.datasource = datasource
  const database = service.databases.get(datasource) as Database
  const script = endpoint.scripts[database.dialect] as Script
  const sets = readSets(lines, document, found, script, target.query)
  service.withoutEffect.look(endpoint, script, { sets, query: target.query })
  const format = batch ? 'json' : service.chooseFormat(request.headers['accept'])
  parsing?.end()
  const running = database.run({ endpoint, script, sets, batch, format, cancellation, requestId, trace })
  const cache = endpoint.declarations?.cache
  if (cache === undefined) return running.then(replier(format, headers), refused)
  return running.then(cachedReplier(format, headers, cache, request.headers['if-none-match'])).catch(refused)
}

/** No file answers this path and method. */
function nothingThere(service: Service, method: string, target: Target): Failure {
  return (
    unloadedFile(service.unloaded, method, target.path) ??
    missingEndpoint(
      target.shown,
      answersInstead(service, method, target.path) || nearestPath(service, method, target.path),
    )
  )
}

/** A function of its own: a closure in `runFile` would keep the request until the database has answered. */
function replier(format: FormatName, headers: ReplyHeaders): (content: Result) => Reply {
  const all = format === 'json' ? headers : addVary(headers, 'Accept')
  return (content) => ({ status: 200, headers: all, body: toBody(format, content) })
}

/** `knownTags` is the header `If-None-Match`. */
function cachedReplier(
  format: FormatName,
  headers: ReplyHeaders,
  cache: DeclaredCache,
  knownTags: string | undefined,
): (content: Result) => Reply {
  return (content) => forCaches({ status: 200, headers, body: toBody(format, content) }, cache, knownTags)
}

function toBody(format: FormatName, content: Result): Body {
  return { mediaType: formats[format].mediaType, content }
}

/** What is kept of a request until its reply is made: neither its headers nor its body. */
type RequestLine = Pick<Request, 'method' | 'target' | 'requestId' | 'trace'>

function refuser(
  service: Service,
  { method, target, requestId, trace }: RequestLine,
  headers: ReplyHeaders,
): (error: unknown) => Reply {
  return (error) => refuse(service, { method, target, requestId, trace }, headers, error)
}

function refuse(service: Service, line: RequestLine, headers: ReplyHeaders, error: unknown): Reply {
  const reply = toReply(error, headers, service.errors === 'full' ? explain(service, line, error) : undefined)
  if (!(error instanceof Failure)) reportInternal(service.events, line, error)
  if (line.trace !== undefined) note(line.trace, error)
  return reply
}

/** Says what went wrong. The code behind the error (SQLSTATE, or the system's) is for the log, not for the client. */
function note(trace: Trace, error: unknown): void {
  trace.error = nameOf(error)
  if (error instanceof Failure) trace.code = ((error.cause ?? {}) as { code?: string }).code
}

/** One of the service's own pages. `/` is one for browsers only: a program that asks for it has missed its file. */
function findPage({ pages }: Service, { method, headers }: Request, { path }: Target): Page | undefined {
  if (path === undefined || (method !== 'GET' && method !== 'HEAD')) return undefined
  if (path === '/' && !headers['accept']?.includes('text/html')) return undefined
  return pages.get(path)
}

/** The page's own reply with the headers of CORS added. */
async function showPage(page: Page, asked: RequestHeaders, cors: ReplyHeaders): Promise<Reply> {
  const { status, headers, body } = await page(asked)
  const { vary } = headers
  return { status, headers: { ...headers, ...(vary === undefined ? cors : addVary(cors, vary)) }, body }
}

/** The name of the datasource for this project and header. Throws where none is configured. */
function chooseDatasource(service: Service, target: Target, header: string | undefined): string {
  const [, project = ''] = (target.path ?? '').split('/', 2)
  return service.chooseDatasource(project, header)
}

/** Finds the file a second time, so that a request that succeeds need not keep it. */
function explain({ endpoints }: Service, { method, target }: RequestLine, error: unknown): FullDetails | undefined {
  if (!(error instanceof Failure)) return undefined
  const found = findEndpoint(endpoints, method, readTarget(target).path)
  return found === undefined ? undefined : error.detailsIn(found.endpoint.file)
}

/** Only the log says where an unexpected error came from. */
function reportInternal(events: Events, { method, target, requestId, trace }: RequestLine, error: unknown): void {
  events.emit('internalError', {
    method,
    path: pathOf(target),
    stack: stackOf(error),
    requestId,
    traceparent: trace?.span?.traceparent,
  })
}

/** A streamed result could not be sent whole: the client was disconnected, and the log says why. */
export function reportBrokenOff(
  { events }: Service,
  { method, target, requestId, traceparent }: Omit<RequestLine, 'trace'> & { readonly traceparent: string | undefined },
  error: Error,
): void {
  const reason = error instanceof Failure ? error.loggedMessage : error.message
  events.emit('answerBrokenOff', { method, path: pathOf(target), reason, requestId, traceparent })
}
