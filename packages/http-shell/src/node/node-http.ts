/**
 * Undocumented behaviour of Node's HTTP server that this package needs, and why; test/service/node-http.test.ts fails
 * if a version of Node lacks it.
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
 * Node's own listener; emitting the event instead would also inform other listeners. A request that `mayBegin` does not
 * admit is handed back with an event `upgrade`, as one for another protocol is.
 */
export function takeConnections(server: Server, mayBegin: (socket: Socket) => boolean): (socket: Socket) => void {
  const [listener] = server.listeners('connection')
  server.removeAllListeners('connection')
  return (socket) => {
    listener?.call(server, socket)
    stopAtHeads((socket as Socket & Parsed).parser, () => mayBegin(socket))
  }
}

interface Parsed {
  readonly parser: { onIncoming: (message: IncomingMessage, keepAlive: boolean) => number }
}

/** This answer to a head makes the parser expect neither a body nor another request. */
const otherProtocol = 2

/**
 * Has the parser stop at the head of each request for another protocol: by itself it would read the body, and drop what
 * follows it in the same piece. And at that of each request that may not begin: by itself it would make an object of a
 * kilobyte and more of every few bytes that it has.
 */
function stopAtHeads(parser: Parsed['parser'], mayBegin: () => boolean): void {
  const { onIncoming } = parser
  parser.onIncoming = (message, keepAlive) => {
    const wish = message as IncomingMessage & { upgrade: boolean }
    if (!mayBegin()) {
      wish.upgrade = true
      return otherProtocol
    }
    const answer = onIncoming.call(parser, message, keepAlive)
    return wish.upgrade ? otherProtocol : answer
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
 * The parser would report an error for each piece. At the end of what comes only `onEnd` is called: Node's own listener
 * would end the connection with the answer under way, before a refusal.
 */
export function dropInput(socket: Socket, onEnd: () => void): void {
  socket.removeAllListeners('data').removeAllListeners('end')
  socket.on('end', onEnd).on('data', () => undefined)
  socket.resume()
}
