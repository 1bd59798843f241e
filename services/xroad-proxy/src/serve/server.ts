/**
 * The HTTP shell, and the only file that knows the HTTP server: bytes in, `Request` and `Outlet` out to the request path.
 * Owns HEAD, clients that go away, what is no HTTP, and the orderly end. Decides nothing about endpoints.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { listen, ListenProblem } from '@services/http-shell'
import { StartupFailure } from '../errors.ts'
import type { Outlet, Reply, Request } from '../model.ts'
import { Connections } from './connections.ts'
import { drainMs, ResponseOutlet } from './outlet.ts'
import { RequestUpload } from './upload.ts'

// An import would make every export of the module, the browser's WebSocket and what it needs among them, which costs more
// memory than all of this service's code.
const { createServer } = process.getBuiltinModule('node:http')

export interface ServerOptions {
  readonly host: string
  readonly port: number
  /** Answers a request; never rejects. */
  readonly handle: (request: Request, outlet: Outlet) => Promise<void>
  /** Answers what is no request, or the body of one that breaks off in the middle: that one `handle` has as well. */
  readonly refuse: (reason: Refusal, at: RequestLine | 'body' | undefined) => Reply
}

export interface RequestLine {
  readonly method: string
  readonly target: string
}

/** Method that the parser does not know, a head beyond the limit, a head that took too long, or no HTTP at all. */
export type Refusal = 'unknown method' | 'head too large' | 'timeout' | 'malformed'

export interface RunningServer {
  /** Address as bound, `host:port`. */
  readonly address: string
  readonly port: number
  /** Stops accepting, lets requests in flight end. */
  close(): Promise<void>
}

/** Longer than the idle time of common load balancers, so that it is they who close. */
const keepAliveMs = 65_000
/** Query strings carry parameters, so the request line may be longer than Node's default of 16 KiB. */
const maxHeaderBytes = 64 * 1024

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const server = createServer({
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: maxHeaderBytes,
    // Answered like any other; Node would refuse it with an answer of its own.
    requireHostHeader: false,
    // A request without a body costs no stream then.
    optimizeEmptyRequests: true,
  })
  // Size is the limit. With a count, older versions of Node pass over the headers beyond it, the length of the body too.
  server.maxHeadersCount = 0
  const connections = new Connections(server)
  const newest = new WeakMap<Duplex, ServerResponse>()
  const onRequest = (message: IncomingMessage, response: ServerResponse, goAhead = noGoAhead): void => {
    // Once the server is closing, a connection ends with the answer that is under way.
    if (connections.isClosing) response.shouldKeepAlive = false
    const { socket, method = '', url = '', rawHeaders: headers } = message
    const outlet = new ResponseOutlet(message, response)
    connections.asked(socket, outlet)
    newest.set(socket, response)
    response.on('close', () => {
      outlet.gone()
      connections.answered(socket, outlet)
    })
    void options.handle({ method, target: url, headers, upload: new RequestUpload(message, goAhead) }, outlet)
  }
  server.on('request', (message, response) => onRequest(message, response))
  // The go-ahead is given when somebody wants the body, so a body that is refused is never sent.
  server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) => {
    onRequest(message, response, () => response.writeContinue())
  })
  // Expectations that nobody knows are passed over.
  server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) => onRequest(message, response))
  server.on('clientError', (error: ParserError, socket: Duplex) => {
    const response = newest.get(socket)
    const isBody = response !== undefined && !response.req.complete
    const isAnswered = isBody && response.headersSent
    // What came before the nonsense still gets its answer, and nothing gets two.
    if ((!isBody || isAnswered) && connections.endAfterAnswers(socket as Socket)) return
    if (isAnswered) (socket as Socket).destroySoon()
    else refuse(options, error, isBody, socket)
  })
  server.on('connect', ({ method = '', url: target = '' }, socket) => {
    // Node has taken its own listeners off, and without one a reset by the client would end the process.
    socket.on('error', () => undefined)
    if (connections.endAfterAnswers(socket as Socket)) return
    end(socket, options.refuse('unknown method', { method, target }))
  })
  const { address, port } = await listenAt(server, options)
  return { address, port, close: () => close(server, connections) }
}

/** What Node's HTTP parser reports; `rawPacket` are the bytes that it could not read. */
interface ParserError {
  readonly code?: string | undefined
  readonly rawPacket?: Buffer | undefined
}

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_INVALID_METHOD: 'unknown method',
  HPE_HEADER_OVERFLOW: 'head too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
}

/** What is no HTTP, or a method that the parser does not know, gets its answer without a request. */
function refuse(options: ServerOptions, error: ParserError, isBody: boolean, socket: Duplex): void {
  const { code = '', rawPacket } = error
  if (code === 'ECONNRESET') socket.destroy()
  // It has been refused already, and this is the rest of what the client sends.
  if (!socket.writable) return
  const reason = refusals[code] ?? 'malformed'
  end(socket, options.refuse(reason, isBody ? 'body' : readLine(rawPacket)))
}

/** Method and target. What follows does not count where the method is wrong. */
const lineStart = /^[\r\n]*([\w!#$%&'*+.^`|~-]{1,64}) +(\S+)/

function readLine(packet: Buffer | undefined): RequestLine | undefined {
  const [, method, target] = lineStart.exec(packet?.toString('latin1', 0, maxHeaderBytes) ?? '') ?? []
  return method === undefined || target === undefined ? undefined : { method, target }
}

function end(socket: Duplex, { status, body, headers = {} }: Reply): void {
  const all = {
    connection: 'close',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${body}`)
  // A client that is still sending reads its answer only after that, and one that never closes holds nothing.
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), drainMs)
  socket.once('close', () => clearTimeout(timer))
}

function noGoAhead(): void {}

async function listenAt(server: Server, { host, port }: ServerOptions): Promise<{ address: string; port: number }> {
  try {
    return await listen(server, { host, port })
  } catch (error) {
    if (!(error instanceof ListenProblem)) throw error
    throw new StartupFailure('listen_failed', `port ${port} of host ${host} ${error.message}`)
  }
}

async function close(server: Server, connections: Connections): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // Not the HTTP server's own close: that one cuts answers which their clients are still reading.
  NetServer.prototype.close.call(server, () => resolve())
  await Promise.all([promise, connections.close()])
}
