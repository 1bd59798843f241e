/**
 * Between the HTTP shell and the request path: exchanges in, `Request` out to the request path; `Reply` in, answers out. Owns
 * the body cap, CORS headers and what a client hears when its answer breaks off. Decides nothing about SQL.
 */
import { Readable } from 'node:stream'
import { BodyTooLarge, type Exchange, ListenProblem, type Shell, startShell } from '@services/http-shell'
import { Failure, StartupFailure, toReply } from '../errors.ts'
import type { Cancellation, Reply, Request } from '../model.ts'
import type { Cors } from './cors.ts'
import { pump } from './pump.ts'
import { refuse } from './refuse.ts'

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly maxBodyBytes: number
  readonly maxPipelinedRequests: number
  readonly cors: Cors
  /** Answers a request; never rejects. */
  readonly handle: (request: Request) => Promise<Reply>
  /** Told when an answer breaks off; the client sees a cut connection. */
  readonly breaksOff: (request: Pick<Request, 'method' | 'target'>, error: Error) => void
}

const noBody = Buffer.alloc(0)

export async function startServer(options: ServerOptions): Promise<Shell> {
  const { host, port, maxPipelinedRequests } = options
  try {
    return await startShell({
      host,
      port,
      bounds: { maxPipelinedRequests },
      handle: (exchange) => void serve(options, exchange),
      refuse,
      cut: (exchange) => options.breaksOff(exchange, new Error('The client reads too slowly')),
    })
  } catch (error) {
    if (!(error instanceof ListenProblem)) throw error
    throw new StartupFailure('ListenException', `server.bind ${host}:${port} ${error.message}`)
  }
}

async function serve(options: ServerOptions, exchange: Exchange): Promise<void> {
  const { cors } = options
  const { method, target, headers } = exchange
  if (method === 'OPTIONS' && isPreflight(exchange)) {
    exchange.begin(204, cors.preflight(headers.origin, headers['access-control-request-headers']))
    exchange.end()
    return
  }
  const cancellation: Cancellation = { cancelled: false, onCancel: undefined }
  exchange.onGone = () => cancel(cancellation)
  const body = exchange.length === 0 ? noBody : await readBody(options, exchange)
  if (body === undefined) return
  const datasource = headers['x-datasource']
  const request: Request = {
    method,
    target,
    datasource: Array.isArray(datasource) ? datasource.join(', ') : datasource,
    body,
    cancellation,
  }
  write(options, request, exchange, await options.handle(request))
}

function isPreflight({ headers }: Exchange): boolean {
  return headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}

/** Undefined when there is nothing more to be done. */
async function readBody({ cors, maxBodyBytes }: ServerOptions, exchange: Exchange): Promise<Buffer | undefined> {
  try {
    return await exchange.collect(maxBodyBytes)
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) return undefined
    const failure = new Failure('body_too_large', `Request body is larger than ${maxBodyBytes} bytes`)
    const { status, body } = toReply(failure)
    exchange.send(status, { ...json, ...cors.headersFor(exchange.headers.origin) }, body, true)
    return undefined
  }
}

const json = { 'content-type': 'application/json' }

/** The client has gone before it had its answer. */
function cancel(cancellation: Cancellation): void {
  cancellation.cancelled = true
  cancellation.onCancel?.()
}

function write(
  { cors, breaksOff }: ServerOptions,
  request: Request,
  exchange: Exchange,
  { status, body }: Reply,
): void {
  const headers = { 'content-type': 'application/json', ...cors.headersFor(exchange.headers.origin) }
  if (!(body instanceof Readable)) {
    exchange.send(status, headers, body)
    return
  }
  exchange.begin(status, headers)
  if (request.method === 'HEAD') {
    exchange.end()
    // The statement of a HEAD runs to its end like any other.
    body.resume()
    return
  }
  pump(body, exchange, (error) => {
    breaksOff(request, error)
    exchange.breakOff()
  })
}
