/**
 * Between the HTTP shell and the request path: turns exchanges into `Request`s and writes `Reply`s to them. Owns the
 * limit of the body, when a preflight is answered, and what a client gets when its reply breaks off. Decides nothing
 * about SQL.
 */
import { Readable } from 'node:stream'
import {
  BodyTooLarge,
  type Exchange,
  ListenProblem,
  type Refusal,
  type Refused,
  type SendOptions,
  type Shell,
  startShell,
} from '@services/http-shell'
import { goneStatus } from '@services/observe'
import type { Tracing } from '@services/trace'
import { Failure, StartupFailure, toReply } from '../errors.ts'
import type { Cancellation, Reply, Request, RequestHeaders, Trace } from '../model.ts'
import type { Cors } from './cors.ts'
import { pump } from './pump.ts'
import { refuse } from './refuse.ts'
import { beginRequest, endRequest } from './request-span.ts'
import { brokenOff, RequestTrace } from './trace.ts'
import type { UnderWay } from './under-way.ts'
import { BodyGivenUp, maxHeldBytes, type Upload, type Uploads } from './uploads.ts'

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly maxBodyBytes: number
  /** Shared by all requests, whichever set they began with. */
  readonly uploads: Uploads
  readonly maxPipelinedRequests: number
  readonly fastReader: boolean
  readonly cors: Cors
  /** Answers a request; never rejects. */
  readonly handle: (request: Request) => Promise<Reply>
  /** Called when a reply breaks off; the client sees a reset connection. */
  readonly breaksOff: (request: Pick<Exchange, 'method' | 'target' | 'requestId' | 'traceparent'>, error: Error) => void
  readonly listener?: RequestListener | undefined
  /** Told of each request that begins with these options, and when it has ended. */
  readonly underWay?: UnderWay | undefined
  /** Undefined when tracing is off. */
  readonly tracing?: Tracing | undefined
}

/** Is told what became of requests. */
export interface RequestListener {
  /** Asked for each request, because a reload may change it. */
  isListening(): boolean
  /** A request has been answered, or nobody is left to take its reply. Told of refused requests as well. */
  answered(trace: Trace): void
}

/** A request ends with the options that `current` gave when it began. Address and reader never change. */
export async function startServer(
  options: ServerOptions,
  current: () => ServerOptions = () => options,
): Promise<Shell> {
  const { host, port, maxPipelinedRequests, fastReader } = options
  try {
    return await startShell({
      host,
      port,
      limits: { maxPipelinedRequests },
      fastReader,
      namesRequests: true,
      handle: (exchange) => serve(current(), exchange),
      refuse: (refusal) => refuseRequest(current(), refusal),
      cut: (exchange) => current().breaksOff(exchange, new Error('The client reads too slowly')),
    })
  } catch (error) {
    if (!(error instanceof ListenProblem)) throw error
    throw new StartupFailure('ListenException', `server.bind ${host}:${port} ${error.message}`)
  }
}

function serve(options: ServerOptions, exchange: Exchange): void {
  const { method } = exchange
  options.underWay?.begin()
  const trace = startTrace(options, exchange)
  // The only one that Node gives as a list is `set-cookie`, which no client sends.
  const headers = exchange.headers as RequestHeaders
  const preflight = options.cors.preflight(method, headers)
  if (preflight !== undefined) {
    write(options, exchange, preflight, trace)
    return
  }
  const cancellation: Cancellation = { cancelled: false, onCancel: undefined }
  exchange.onGone = toLeaver(cancellation)
  const body = exchange.takeBody(options.maxBodyBytes)
  if (body === undefined) void serveBody(options, exchange, cancellation, trace)
  else void respond(options, exchange, body, cancellation, trace)
}

function startTrace({ listener, tracing }: ServerOptions, exchange: Exchange): Trace | undefined {
  if (tracing === undefined) return listener?.isListening() === true ? new RequestTrace(exchange) : undefined
  const span = beginRequest(tracing, exchange)
  exchange.traceparent = span.traceparent
  return new RequestTrace(exchange, span)
}

async function serveBody(
  options: ServerOptions,
  exchange: Exchange,
  cancellation: Cancellation,
  trace: Trace | undefined,
): Promise<void> {
  const upload = options.uploads.begin(maxHeldBytes(options.maxBodyBytes))
  const body = await readBody(options, exchange, upload, trace)
  if (body === undefined) {
    upload.end()
    return
  }
  upload.arrived()
  void respond(options, exchange, body, cancellation, trace).finally(upload.end)
}

/** Not an async function: that would keep the body, and more, while the database works. */
function respond(
  options: ServerOptions,
  exchange: Exchange,
  body: Buffer,
  cancellation: Cancellation,
  trace: Trace | undefined,
): Promise<void> {
  const { method, target, requestId } = exchange
  const request = { method, target, requestId, headers: exchange.headers as RequestHeaders, body, cancellation, trace }
  return options.handle(request).then((reply) => write(options, exchange, reply, trace))
}

/** Undefined where the request has been answered, or its client has left: nothing is left to do. */
async function readBody(
  options: ServerOptions,
  exchange: Exchange,
  { reserve }: Upload,
  trace: Trace | undefined,
): Promise<Buffer | undefined> {
  const { cors, maxBodyBytes } = options
  try {
    return await exchange.collect(maxBodyBytes, reserve)
  } catch (error) {
    const failure = toBodyFailure(error, maxBodyBytes)
    if (failure === undefined) {
      conclude(options, exchange, trace)
      return undefined
    }
    if (trace !== undefined) trace.error = failure.name
    const headers = cors.headersFor(exchange.headers as RequestHeaders)
    write(options, exchange, toReply(failure, headers), trace, { close: true })
    return undefined
  }
}

/** Undefined where nobody is left to be told. */
function toBodyFailure(error: unknown, maxBodyBytes: number): Failure | undefined {
  if (error instanceof BodyTooLarge) {
    return new Failure('body_too_large', `Request body is larger than ${maxBodyBytes} bytes`)
  }
  return error instanceof BodyGivenUp ? new Failure('body_given_up', error.message) : undefined
}

/** For a client that leaves before its reply. Not inside `serve`: a closure there would keep the request alive. */
function toLeaver(cancellation: Cancellation): () => void {
  return () => {
    cancellation.cancelled = true
    cancellation.onCancel?.()
  }
}

function write(
  options: ServerOptions,
  exchange: Exchange,
  { status, headers, body }: Reply,
  trace: Trace | undefined,
  sending?: SendOptions,
): void {
  if (trace !== undefined && trace.rows === undefined) trace.bytes = bytesOf(exchange, body)
  if (body === undefined) {
    exchange.begin(status, headers)
    exchange.end()
    conclude(options, exchange, trace)
    return
  }
  const { mediaType, content } = body
  // A new object: the shell adds the length.
  const all = { 'content-type': mediaType, ...headers }
  if (!(content instanceof Readable)) {
    exchange.send(status, all, content, sending)
    conclude(options, exchange, trace)
    return
  }
  exchange.begin(status, all)
  whenClosed(content, () => conclude(options, exchange, trace))
  if (exchange.method === 'HEAD') {
    exchange.end()
    // The statement of a HEAD runs to its end like any other.
    content.resume()
    return
  }
  pump(content, exchange, (error) => {
    if (trace !== undefined) trace.error = brokenOff
    options.breaksOff(exchange, error)
    exchange.breakOff()
  })
}

/** Undefined for a stream, whose rows are counted. */
function bytesOf({ method }: Exchange, body: Reply['body']): number | undefined {
  if (body === undefined || method === 'HEAD') return 0
  return body.content instanceof Readable ? undefined : Buffer.byteLength(body.content)
}

/** A stream that broke off early may be closed already. */
function whenClosed(stream: Readable, call: () => void): void {
  if (stream.closed) setImmediate(call)
  else stream.once('close', call)
}

/** The request has ended. Tells what became of it when somebody listens. */
function conclude({ listener, underWay }: ServerOptions, exchange: Exchange, trace: Trace | undefined): void {
  underWay?.end()
  if (trace === undefined) return
  const isGone = exchange.status === 0 || (exchange.leaving !== undefined && trace.error !== brokenOff)
  trace.status = isGone ? goneStatus : exchange.status
  if (isGone) {
    trace.error = undefined
    trace.bytes = undefined
  }
  trace.ms = performance.now() - trace.started
  if (trace.span !== undefined) endRequest(trace.span, trace)
  if (listener?.isListening() === true) listener.answered(trace)
}

/**
 * What never becomes a request. One whose body is wrong is a request, and counts as one that its client has left. What
 * looks like a target may be the rest of a body that was longer than declared, so nobody is told.
 */
function refuseRequest({ listener }: ServerOptions, refusal: Refusal): Refused {
  const refused = refuse(refusal)
  if (listener?.isListening() === true && !refusal.isBody) {
    const { requestId, line } = refusal
    const trace = new RequestTrace({ requestId, method: line?.method ?? '', target: undefined })
    trace.status = refused.status
    trace.error = refused.error
    trace.bytes = Buffer.byteLength(refused.body)
    listener.answered(trace)
  }
  return refused
}
