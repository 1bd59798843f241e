/**
 * Between the HTTP shell and the request path: turns exchanges into `Request`s and writes `Reply`s to them. Owns
 * the limit of the body, when a preflight is answered, and what a client gets when its reply breaks off. Decides nothing about SQL.
 */
import { Readable } from 'node:stream'
import { BodyTooLarge, type Exchange, ListenProblem, type Shell, startShell } from '@services/http-shell'
import { Failure, StartupFailure, toReply } from '../errors.ts'
import type { Cancellation, Reply, Request, RequestHeaders } from '../model.ts'
import type { Cors } from './cors.ts'
import { pump } from './pump.ts'
import { refuse } from './refuse.ts'

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly maxBodyBytes: number
  readonly maxPipelinedRequests: number
  readonly fastReader: boolean
  readonly cors: Cors
  /** Answers a request; never rejects. */
  readonly handle: (request: Request) => Promise<Reply>
  /** Called when a reply breaks off; the client sees a reset connection. */
  readonly breaksOff: (request: Pick<Request, 'method' | 'target'>, error: Error) => void
}

export async function startServer(options: ServerOptions): Promise<Shell> {
  const { host, port, maxPipelinedRequests, fastReader } = options
  try {
    return await startShell({
      host,
      port,
      bounds: { maxPipelinedRequests },
      fastReader,
      handle: (exchange) => serve(options, exchange),
      refuse,
      cut: (exchange) => options.breaksOff(exchange, new Error('The client reads too slowly')),
    })
  } catch (error) {
    if (!(error instanceof ListenProblem)) throw error
    throw new StartupFailure('ListenException', `server.bind ${host}:${port} ${error.message}`)
  }
}

function serve(options: ServerOptions, exchange: Exchange): void {
  const { method } = exchange
  // The only one that Node gives as a list is `set-cookie`, which no client sends.
  const headers = exchange.headers as RequestHeaders
  const preflight = options.cors.preflight(method, headers)
  if (preflight !== undefined) {
    write(options, exchange, preflight)
    return
  }
  const cancellation: Cancellation = { cancelled: false, onCancel: undefined }
  exchange.onGone = toLeaver(cancellation)
  const body = exchange.takeBody(options.maxBodyBytes)
  if (body === undefined) void serveBody(options, exchange, cancellation)
  else respond(options, exchange, body, cancellation)
}

async function serveBody(options: ServerOptions, exchange: Exchange, cancellation: Cancellation): Promise<void> {
  const body = await readBody(options, exchange, exchange.headers as RequestHeaders)
  if (body !== undefined) respond(options, exchange, body, cancellation)
}

/** Not in an async function: that would keep the body, and more, while the database works. */
function respond(options: ServerOptions, exchange: Exchange, body: Buffer, cancellation: Cancellation): void {
  const { method, target } = exchange
  const request = { method, target, headers: exchange.headers as RequestHeaders, body, cancellation }
  void options.handle(request).then((reply) => write(options, exchange, reply))
}

/** Undefined when there is nothing more to be done. */
async function readBody(
  options: ServerOptions,
  exchange: Exchange,
  headers: RequestHeaders,
): Promise<Buffer | undefined> {
  const { cors, maxBodyBytes } = options
  try {
    return await exchange.collect(maxBodyBytes)
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) return undefined
    const failure = new Failure('body_too_large', `Request body is larger than ${maxBodyBytes} bytes`)
    write(options, exchange, toReply(failure, cors.headersFor(headers)), true)
    return undefined
  }
}

/** For a client that goes before it has its reply. Not inside `serve`: a closure there would keep the request alive. */
function toLeaver(cancellation: Cancellation): () => void {
  return () => {
    cancellation.cancelled = true
    cancellation.onCancel?.()
  }
}

/** `close` ends the connection with the reply. */
function write(
  { breaksOff }: ServerOptions,
  exchange: Exchange,
  { status, headers, body }: Reply,
  close = false,
): void {
  if (body === undefined) {
    exchange.begin(status, headers)
    exchange.end()
    return
  }
  const { mediaType, content } = body
  // A new object: the shell adds the length.
  const all = { 'content-type': mediaType, ...headers }
  if (!(content instanceof Readable)) {
    exchange.send(status, all, content, close)
    return
  }
  exchange.begin(status, all)
  if (exchange.method === 'HEAD') {
    exchange.end()
    // The statement of a HEAD runs to its end like any other.
    content.resume()
    return
  }
  pump(content, exchange, (error) => {
    breaksOff(exchange, error)
    exchange.breakOff()
  })
}
