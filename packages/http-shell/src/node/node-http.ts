/**
 * What this package needs of Node's HTTP server beyond its documentation, and why; test/node-http.test.ts fails where a
 * version of Node has it no longer.
 */
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'

// An import would make every export of the module, the browser's WebSocket and what it needs among them, which costs
// more memory than all of a service's code.
const { createServer } = process.getBuiltinModule('node:http')

interface HalfOpen {
  httpAllowHalfOpen: boolean
}

/** A server whose clients may end their side after their last request and still get the answers. */
export function createHttpServer(options: ServerOptions, listener: RequestListener): Server {
  const server = createServer(options, listener)
  // Without it Node ends the connection at the client's FIN, whatever is owed. It has no option.
  const halfOpen = server as Server & HalfOpen
  halfOpen.httpAllowHalfOpen = true
  return server
}

/**
 * Takes new connections from the HTTP server, which still listens, and gives the function that hands it one. That is
 * Node's own listener; emitting the event instead would also inform other listeners.
 */
export function takeConnections(server: Server): (socket: Socket) => void {
  const [listener] = server.listeners('connection')
  server.removeAllListeners('connection')
  return (socket) => {
    listener?.call(server, socket)
    stopAfterUpgrade((socket as Socket & Parsed).parser)
  }
}

interface Parsed {
  readonly parser: { onIncoming: (message: IncomingMessage, keepAlive: boolean) => number }
}

/** This answer to a head makes the parser expect neither a body nor another request. */
const otherProtocol = 2

/**
 * Has the parser stop at the head of each request for another protocol. By itself it would read the body, and drop what
 * follows it in the same piece.
 */
function stopAfterUpgrade(parser: Parsed['parser']): void {
  const { onIncoming } = parser
  parser.onIncoming = (message, keepAlive) => {
    const answer = onIncoming.call(parser, message, keepAlive)
    return (message as IncomingMessage & { upgrade: boolean }).upgrade ? otherProtocol : answer
  }
}

/** Stops listening. The HTTP server's own `close` cuts answers which their clients are still reading. */
export function stopListening(server: Server, done: () => void): void {
  NetServer.prototype.close.call(server, done)
}

/**
 * The connection ends with this answer. A header `Connection: close` says the same, but not in raw pairs of an
 * upstream.
 */
export function closeAfter(response: ServerResponse): void {
  response.shouldKeepAlive = false
}

export function isClosedAfter(response: ServerResponse): boolean {
  return !response.shouldKeepAlive
}

/**
 * Takes the connection from the parser, which has met something that it cannot read: whatever still comes is dropped.
 * The parser would report an error for each piece.
 */
export function dropInput(socket: Socket): void {
  socket.removeAllListeners('data')
  socket.on('data', () => undefined)
  socket.resume()
}

/**
 * Has the socket read on while it is paused, up to its own limit, so that it notices an end and a reset. Node's parser
 * reads without the stream until somebody listens for data. `read` does nothing: to itself the stream is reading.
 */
export function readWhilePaused(socket: Socket): void {
  const listener = (): void => undefined
  socket.on('data', listener).off('data', listener)
  socket._read(0)
}
