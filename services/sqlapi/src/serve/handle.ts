/**
 * THE request path. A request comes in as plain values, a reply goes out; the body of `answer` has the checks in the
 * order that the manual promises. Each stage is a call into the file that owns it; no stage calls the next.
 */
import { Failure, type FailureDetails, failures, toReply } from '../errors.ts'
import { formats } from '../formats/formats.ts'
import type { Events } from '../events.ts'
import type {
  Body,
  DeclaredCache,
  Endpoint,
  FormatName,
  Page,
  Pages,
  ParameterSet,
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
import { readDeclaredQuery, toDeclaredSets } from './declared.ts'
import { type Lines, readLines } from './lines/lines.ts'
import { type BodyDocument, readBody, readQuery, requireParameters, toBatch, toParameterSet } from './params.ts'
import { Parsing } from './request-span.ts'
import type { FormatChooser } from './representation/accept.ts'
import { forCaches } from './representation/cache.ts'
import { addVary } from './representation/vary.ts'
import {
  answersInstead,
  findEndpoint,
  isBatchPath,
  missingEndpoint,
  pathOf,
  readTarget,
  type Route,
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

/** A streamed result could not be sent whole: the client was disconnected, and the log says why. */
export function reportBrokenOff(
  { events }: Service,
  { method, target, requestId, traceparent }: Omit<RequestLine, 'trace'> & { readonly traceparent: string | undefined },
  error: Error,
): void {
  events.emit('answerBrokenOff', { method, path: pathOf(target), reason: error.message, requestId, traceparent })
}

/** Not an async function: while the database works that would keep all that was needed up to then, the body too. */
function answer(service: Service, request: Request, headers: ReplyHeaders): Promise<Reply> {
  const target = readTarget(request.target)
  const page = findPage(service, request, target)
  if (request.trace !== undefined && page !== undefined) request.trace.page = target.path
  if (page !== undefined) return showPage(page, request.headers, headers).catch(refuser(service, request, headers))
  const parsing = Parsing.begin(request)
  if (parsing === undefined) return work(service, request, target, headers)
  try {
    return work(service, request, target, headers, parsing)
  } catch (error) {
    parsing.end(error)
    throw error
  }
}

/** The reading of the body ends where the database begins. */
function work(
  service: Service,
  request: Request,
  target: Target,
  headers: ReplyHeaders,
  parsing?: Parsing,
): Promise<Reply> {
  const { requestId, trace } = request
  const refused = refuser(service, request, headers)
  const found = findEndpoint(service.endpoints, request.method, target.path)
  if (trace !== undefined) trace.endpoint = found?.endpoint
  const lines = found?.batch === false ? undefined : findLines(request, found, target)
  const document = request.method === 'POST' && lines === undefined ? readBody(request.body) : undefined
  if (found === undefined) {
    throw (
      unloadedFile(service.unloaded, request.method, target.path) ??
      missingEndpoint(target.shown, answersInstead(service, request.method, target.path))
    )
  }
  const { endpoint, batch } = found
  const datasource = chooseDatasource(service, target, request.headers['x-datasource'])
  if (trace !== undefined) trace.datasource = datasource
  const database = service.databases.get(datasource) as Database
  const script = endpoint.scripts[database.dialect] as Script
  const sets = lines === undefined ? toSets(document, found, script, target.query) : fitLines(lines, found, script)
  const format = batch ? 'json' : service.chooseFormat(request.headers['accept'])
  parsing?.end()
  const { cancellation } = request
  const running = database.run({ endpoint, script, sets, batch, format, cancellation, requestId, trace })
  const cache = endpoint.declarations?.cache
  if (cache === undefined) return running.then(replier(format, headers), refused)
  return running.then(cachedReplier(format, headers, cache, request.headers['if-none-match'])).catch(refused)
}

/** Made apart from `answer`, of which it would keep all that any function in there needs. */
function replier(format: FormatName, headers: ReplyHeaders): (content: Result) => Reply {
  const all = format === 'json' ? headers : addVary(headers, 'Accept')
  return (content) => ({ status: 200, headers: all, body: toBody(format, content) })
}

function cachedReplier(
  format: FormatName,
  headers: ReplyHeaders,
  cache: DeclaredCache,
  known: string | undefined,
): (content: Result) => Reply {
  return (content) => forCaches({ status: 200, headers, body: toBody(format, content) }, cache, known)
}

function toBody(format: FormatName, content: Result): Body {
  return { mediaType: formats[format].mediaType, content }
}

/** What is kept of a request until its reply is there: neither its headers nor its body. */
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

/** The log gets what the client does not: which kind of error it was. */
function note(trace: Trace, error: unknown): void {
  const { error: unexpected } = failures.internal_error
  trace.error = error instanceof Failure ? error.name : unexpected
  if (error instanceof Failure) trace.code = ((error.cause ?? {}) as { code?: string }).code
}

/** One of the service's own pages. */
function findPage({ pages }: Service, { method }: Request, { path }: Target): Page | undefined {
  return path === undefined || (method !== 'GET' && method !== 'HEAD') ? undefined : pages.get(path)
}

/** As the page has it, with the headers of CORS. */
async function showPage(page: Page, asked: RequestHeaders, cors: ReplyHeaders): Promise<Reply> {
  const { status, headers, body } = await page(asked)
  const { vary } = headers
  return { status, headers: { ...headers, ...(vary === undefined ? cors : addVary(cors, vary)) }, body }
}

/** Its name. */
function chooseDatasource(service: Service, target: Target, header: string | undefined): string {
  const [, project = ''] = (target.path ?? '').split('/', 2)
  return service.chooseDatasource(project, header)
}

/** With everything that the SQL asks for. Without a document it is a GET. */
function toSets(
  document: BodyDocument | undefined,
  { endpoint: { declarations }, batch }: Route,
  { parameters }: Script,
  query: string,
): readonly ParameterSet[] {
  if (declarations !== undefined) {
    const wanted = { params: declarations.params, names: parameters }
    if (document === undefined) return [readDeclaredQuery(query, wanted)]
    return toDeclaredSets(readSets(document, batch), wanted, batch)
  }
  const sets = document === undefined ? [readQuery(query)] : readSets(document, batch)
  requireParameters(parameters, sets, batch)
  return sets
}

/** The body of a batch, where it has a set a line. Of a path without a file too: what is wrong then is the path. */
function findLines({ method, headers, body }: Request, found: Route | undefined, { path }: Target): Lines | undefined {
  const isBatch = found === undefined ? method === 'POST' && isBatchPath(path) : found.batch
  return isBatch ? readLines(headers['content-type'], body) : undefined
}

function fitLines({ sets, areTexts }: Lines, { endpoint }: Route, { parameters }: Script): readonly ParameterSet[] {
  const { declarations } = endpoint
  if (declarations !== undefined) {
    return toDeclaredSets(sets, { params: declarations.params, names: parameters }, true, areTexts)
  }
  requireParameters(parameters, sets, true)
  return sets
}

function readSets(document: BodyDocument, batch: boolean): readonly ParameterSet[] {
  return batch ? toBatch(document) : [toParameterSet(document)]
}

/** Looks for the file once more, so that no request that succeeds has to keep it. */
function explain({ endpoints }: Service, { method, target }: RequestLine, error: unknown): FailureDetails | undefined {
  if (!(error instanceof Failure)) return undefined
  const found = findEndpoint(endpoints, method, readTarget(target).path)
  return found === undefined ? undefined : error.detailsIn(found.endpoint.file)
}

/** Where an unexpected error came from is for the log only. */
function reportInternal(events: Events, { method, target, requestId, trace }: RequestLine, error: unknown): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  events.emit('internalError', {
    method,
    path: pathOf(target),
    stack,
    requestId,
    traceparent: trace?.span?.traceparent,
  })
}
