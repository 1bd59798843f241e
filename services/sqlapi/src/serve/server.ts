/**
 * The HTTP shell, and the only file that knows the HTTP server: bytes in, `Request` out to the request path, `Reply` in,
 * bytes out. Owns the body cap, CORS headers, HEAD, clients that go away, and the orderly end. Decides nothing about SQL.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { listen, ListenProblem } from '@services/http-shell'
import { Failure, StartupFailure, toReply } from '../errors.ts'
import type { Cancellation, Reply, Request } from '../model.ts'
import { Connections } from './connections.ts'
import type { Cors } from './cors.ts'
import { pump } from './pump.ts'
import { missingEndpoint, readTarget } from './route.ts'

// An import would make every export of the module, the browser's WebSocket and what it needs among them, which costs more
// memory than all of this service's code.
const { createServer } = process.getBuiltinModule('node:http')

export interface ServerOptions {
  readonly host: string
  readonly port: number
  readonly maxBodyBytes: number
  readonly cors: Cors
  /** Answers a request; never rejects. */
  readonly handle: (request: Request) => Promise<Reply>
  /** Told when a streamed answer breaks off; the client sees a cut connection. */
  readonly breaksOff: (request: Request, error: Error) => void
}

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
/** An oversized upload is read and dropped for so long, so that the client gets to read its answer. */
const drainMs = 2000

const noBody = Buffer.alloc(0)

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  // A request without Host is answered like any other; Node would refuse it with an answer of its own.
  const settings = { keepAliveTimeout: keepAliveMs, maxHeaderSize: maxHeaderBytes, requireHostHeader: false }
  const server = createServer(settings)
  const connections = new Connections(server)
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    // Once the server is closing, a connection ends with the answer that is under way.
    if (connections.isClosing) response.shouldKeepAlive = false
    const { socket } = request
    const cancellation: Cancellation = { cancelled: false, onCancel: undefined }
    const gone = (): void => cancel(cancellation)
    // The answer to a pipelined request hears nothing of its client before its turn.
    const isPipelined = connections.asked(socket) > 1
    if (isPipelined) socket.once('close', gone)
    response.on('close', () => {
      connections.answered(socket)
      if (isPipelined) socket.off('close', gone)
      if (!response.writableFinished) gone()
    })
    void serve(options, connections, request, response, cancellation)
  }
  server.on('request', onRequest)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    // A body that is announced as too large is refused before it is sent.
    if (announcedLength(request) <= options.maxBodyBytes) response.writeContinue()
    onRequest(request, response)
  })
  // Expectations that nobody knows are passed over.
  server.on('checkExpectation', onRequest)
  server.on('clientError', (error: ParserError, socket: Duplex) => {
    // What came before the nonsense still gets its answer.
    if (!connections.endAfterAnswers(socket as Socket)) refuseMalformed(error, socket)
  })
  server.on('connect', ({ url }, socket) => {
    // Node has taken its own listeners off, and without one a reset by the client would end the process.
    socket.on('error', () => undefined)
    refuseConnection(missingEndpoint(readTarget(url ?? '/').shown), socket)
  })
  const { address, port } = await listenAt(server, options)
  return { address, port, close: () => close(server, connections) }
}

async function serve(
  options: ServerOptions,
  connections: Connections,
  request: IncomingMessage,
  response: ServerResponse,
  cancellation: Cancellation,
): Promise<void> {
  const { cors } = options
  const { origin } = request.headers
  if (request.method === 'OPTIONS' && isPreflight(request)) {
    const asked = request.headers['access-control-request-headers']
    response.writeHead(204, cors.preflight(origin, asked)).end()
    return
  }
  const headers = cors.headersFor(origin)
  let body: Awaited<ReturnType<typeof readBody>> = noBody
  if (hasBody(request)) {
    connections.reads(request.socket)
    body = await readBody(request, options.maxBodyBytes)
    connections.hasRead(request.socket)
  }
  if (body === 'gone') return
  if (body === 'too large') {
    refuseUpload(options, request, response)
    return
  }
  const datasource = request.headers['x-datasource']
  const asked: Request = {
    method: request.method as string,
    target: request.url as string,
    datasource: Array.isArray(datasource) ? datasource.join(', ') : datasource,
    body,
    cancellation,
  }
  write(options, asked, response, await options.handle(asked), headers)
}

function isPreflight({ headers }: IncomingMessage): boolean {
  return headers.origin !== undefined && headers['access-control-request-method'] !== undefined
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

function announcedLength({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0)
}

/** The whole body, counted as it arrives. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too large' | 'gone'> {
  if (announcedLength(request) > maxBytes) return Promise.resolve('too large')
  const { promise, resolve } = Promise.withResolvers<Buffer | 'too large' | 'gone'>()
  const chunks: Buffer[] = []
  let length = 0
  const onData = (chunk: Buffer): void => {
    length += chunk.length
    if (length > maxBytes) {
      request.off('data', onData)
      resolve('too large')
    } else {
      chunks.push(chunk)
    }
  }
  request.on('data', onData)
  request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
  request.on('close', () => resolve('gone'))
  request.on('error', () => resolve('gone'))
  return promise
}

/** Answers 413 and keeps reading for a moment: a client that is still sending would otherwise see only a reset. */
function refuseUpload({ cors, maxBodyBytes }: ServerOptions, request: IncomingMessage, response: ServerResponse): void {
  const failure = new Failure('PayloadTooLargeException', `Request body is larger than ${maxBodyBytes} bytes`)
  const headers = { ...cors.headersFor(request.headers.origin), connection: 'close' }
  const { status, body } = toReply(failure)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  if (request.method !== 'HEAD') response.write(body)
  // Ended only when the upload has: Node closes the connection with the answer, whatever is still on its way.
  request.once('end', () => response.end()).resume()
  const timer = setTimeout(() => request.socket.destroy(), drainMs)
  response.once('close', () => clearTimeout(timer))
}

/** The client has gone before it had its answer. */
function cancel(cancellation: Cancellation): void {
  cancellation.cancelled = true
  cancellation.onCancel?.()
}

function write(
  { breaksOff }: ServerOptions,
  request: Request,
  response: ServerResponse,
  { status, body }: Reply,
  headers: Readonly<Record<string, string>>,
): void {
  const isHead = request.method === 'HEAD'
  const cut = (error: Error): void => {
    breaksOff(request, error)
    // A reset, not an end: without chunks (HTTP/1.0) an end would look like that of the answer.
    response.req.socket.resetAndDestroy()
  }
  if (body instanceof Readable) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    // A pipelined request whose turn has not come is not read by anybody yet.
    if (!isHead) pump(body, response, { cut, isRead: () => response.socket !== null })
    else {
      response.end()
      // The statement of a HEAD runs to its end like any other.
      body.resume()
    }
    return
  }
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  })
  response.end(isHead ? undefined : body)
}

/** What is no HTTP, or a method that Node's parser does not know, gets its answer without a request. */
function refuseMalformed(error: ParserError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const failure =
    error.code === 'HPE_INVALID_METHOD'
      ? missingEndpoint(readTarget(requestTarget(error.rawPacket)).shown)
      : new Failure('MalformedRequestException', 'The request is not valid HTTP, or its head is too large')
  refuseConnection(failure, socket)
}

/** What Node's HTTP parser reports; `rawPacket` are the bytes that it could not read. */
interface ParserError {
  readonly code?: string | undefined
  readonly rawPacket?: Buffer | undefined
}

function requestTarget(packet: Buffer | undefined): string {
  return /^\S+ +(\S+)/.exec(packet?.toString('latin1', 0, maxHeaderBytes) ?? '')?.[1] ?? '/'
}

function refuseConnection(failure: Failure, socket: Duplex): void {
  const { status, body } = toReply(failure)
  const head = `HTTP/1.1 ${status} Bad Request\r\nconnection: close\r\ncontent-type: application/json`
  socket.end(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

async function listenAt(server: Server, { host, port }: ServerOptions): Promise<{ address: string; port: number }> {
  try {
    return await listen(server, { host, port })
  } catch (error) {
    if (!(error instanceof ListenProblem)) throw error
    throw new StartupFailure('ListenException', `server.bind ${host}:${port} ${error.message}`)
  }
}

function close(server: Server, connections: Connections): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  // Not the HTTP server's own close: that one cuts answers which their clients are still reading.
  NetServer.prototype.close.call(server, () => resolve())
  connections.close()
  return promise
}
