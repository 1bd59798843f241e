/**
 * The HTTP server: an address and a handler come in, requests go to the handler as exchanges. Owns the refusals before
 * the handler sees a request, and the orderly end. Decides nothing about paths.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Exchange } from './exchange/exchange.ts'
import { type ConnectionLimits, defaultLimits, maxHeadBytes } from './exchange/limits.ts'
import { type ParserError, type Reason, type Refusal, type Refused, toBytes, toRefusal } from './exchange/refusals.ts'
import { newRequestId, readRequestId, requestIdKey } from './exchange/request-id.ts'
import { type Address, listen } from './listen.ts'
import { NodeConnection, type NodeHost } from './node/connection.ts'
import { type Arrival, NodeExchange } from './node/exchange.ts'
import { closeAfter, createHttpServer, stopListening, takeConnections } from './node/node-http.ts'
import { reasonToRefuse } from './node/reason-to-refuse.ts'
import { isFramedUnsurely } from './node/upload.ts'
import { toKeepAliveLines } from './plain/answer.ts'
import { PlainConnection, type PlainHost } from './plain/connection.ts'

export interface ShellOptions extends Address {
  /** Called with each request, in their order on a connection, when it may begin. Must not throw. */
  readonly handle: (exchange: Exchange) => void
  /** Answers what never becomes a request for the handler. */
  readonly refuse: (refusal: Refusal) => Refused
  /** Called with the exchange whose answer a client was reading when it was disconnected because it took too little. */
  readonly cut?: (exchange: Exchange) => void
  readonly limits?: Partial<ConnectionLimits>
  /** Further connections are closed at once. Without it there is no limit. */
  readonly maxConnections?: number
  /** Called for each connection that is closed because of that. */
  readonly full?: () => void
  /**
   * Whether plain requests are read here, and Node.js reads only connections with something else. Both ways give the
   * same answers.
   */
  readonly fastReader?: boolean
  /** Whether every answer, refusals too, has the id of its request in `X-Request-Id`. */
  readonly namesRequests?: boolean
}

/** What a server has to do, and has done since it was started. */
export interface ShellLoad {
  /** Requests that have begun and whose answers are not out. */
  readonly requests: number
  /** Bytes on the wire, heads included, of all connections. */
  readonly bytesIn: number
  readonly bytesOut: number
}

export interface Shell {
  /** Address as bound, `host:port`. */
  readonly address: string
  readonly port: number
  /** Infinity if there is no limit. */
  readonly maxConnections: number
  /** Counted when it is asked for: requests pay nothing for it. */
  load(): ShellLoad
  /** Changes how many requests of a connection may be in progress. Those that have begun go on. */
  limitPipelines(maxPipelinedRequests: number): void
  /** Changes how many connections may be open. Those that are go on. */
  limitConnections(maxConnections: number): void
  /** Goes on accepting, but each answer from now on ends its connection where no other request has arrived there. */
  drain(): void
  /** Stops accepting, finishes what is in flight. Settles when the last connection has closed. */
  close(): Promise<void>
}

/** Often enough to notice within two seconds a client that has left a connection that is not read. */
const lookMs = 500

/** Rejects with a ListenProblem. */
export async function startShell(options: ShellOptions): Promise<Shell> {
  const host = new ShellHost(options)
  const { address, port } = await listen(host.server, options)
  return {
    address,
    port,
    get maxConnections() {
      return (host.server.maxConnections as number | undefined) ?? Infinity
    },
    load: () => host.load(),
    limitPipelines: (maxPipelinedRequests) => host.limitPipelines(maxPipelinedRequests),
    limitConnections: (maxConnections) => void (host.server.maxConnections = maxConnections),
    drain: () => host.drain(),
    close: () => host.close(),
  }
}

class ShellHost implements NodeHost, PlainHost {
  readonly server: Server
  limits: ConnectionLimits
  readonly keepAliveLines: string
  isClosing = false
  isDraining = false
  readonly namesRequests: boolean
  shared = 0
  /** Of connections that have closed. */
  #bytesIn = 0
  #bytesOut = 0
  readonly #options: ShellOptions
  /** Open connections only. */
  readonly #connections = new Map<Duplex, PlainConnection | NodeConnection>()
  readonly #giveToNode: (socket: Socket) => void
  readonly #emptied = Promise.withResolvers<void>()

  constructor(options: ShellOptions) {
    this.#options = options
    this.limits = { ...defaultLimits, ...options.limits }
    this.namesRequests = options.namesRequests === true
    this.keepAliveLines = toKeepAliveLines(this.limits.keepAliveMs)
    const settings = {
      keepAliveTimeout: this.limits.keepAliveMs,
      maxHeaderSize: maxHeadBytes,
      headersTimeout: this.limits.headMs,
      // A request without one is refused here, in the words of the service.
      requireHostHeader: false,
      // A request without a body costs no stream then.
      optimizeEmptyRequests: true,
    }
    this.server = createHttpServer(settings, (message, response) =>
      this.#arrived({ message, response, awaitsGoAhead: false }),
    )
    // Size is the limit. With a count, Node passes over the headers beyond it, the length of the body too.
    this.server.maxHeadersCount = 0
    if (options.maxConnections !== undefined) this.server.maxConnections = options.maxConnections
    this.server.on('drop', () => options.full?.())
    this.#giveToNode = takeConnections(this.server, (socket) => this.#ofNode(socket)?.mayBeginNext === true)
    this.#listen()
    const looking = setInterval(() => this.#look(), lookMs).unref()
    this.server.once('close', () => clearInterval(looking))
  }

  #listen(): void {
    const { server } = this
    const { fastReader = false } = this.#options
    server.on('connection', (socket: Socket) => {
      socket.once('close', () => this.#disconnected(socket))
      if (fastReader) this.#connections.set(socket, new PlainConnection(socket, this))
      else this.handOver(socket)
    })
    // The go-ahead is given when somebody wants the body, so a body that is refused is never sent.
    server.on('checkContinue', (message: IncomingMessage, response: ServerResponse) =>
      this.#arrived({ message, response, awaitsGoAhead: true }),
    )
    // Expectations that nobody knows are passed over.
    server.on('checkExpectation', (message: IncomingMessage, response: ServerResponse) =>
      this.#arrived({ message, response, awaitsGoAhead: false }),
    )
    server.on('clientError', (error: ParserError, socket: Duplex) => this.#failed(error, socket))
    server.on('connect', (message: IncomingMessage, socket: Duplex) => {
      const { method = '', url: target = '', headers } = message
      const requestId = readRequestId(headers[requestIdKey]) ?? newRequestId()
      const refusal = { reason: 'tunnel', line: { method, target }, isBody: false, requestId, maxHeadBytes } as const
      this.#ofNode(socket)?.refuseTunnel(this.#toBytes(refusal))
    })
    server.on('upgrade', (message: IncomingMessage, socket: Socket, behind: Buffer) =>
      this.#ofNode(socket)?.readAgain(message, behind),
    )
  }

  begin(connection: NodeConnection, arrival: Arrival): void {
    const { message, response } = arrival
    const exchange = new NodeExchange(arrival, connection)
    connection.began(exchange)
    response.on('finish', () => connection.answered(exchange))
    if (isFramedUnsurely(message)) {
      closeAfter(response)
      connection.ignoreRest()
    }
    const reason = reasonToRefuse(message)
    if (reason === undefined) this.handle(exchange)
    else this.#refuseRequest(connection, exchange, reason)
  }

  cut(exchange: Exchange): void {
    this.#options.cut?.(exchange)
  }

  load(): ShellLoad {
    let requests = 0
    let bytesIn = this.#bytesIn
    let bytesOut = this.#bytesOut
    for (const connection of this.#connections.values()) {
      requests += connection.underWay
      bytesIn += connection.socket.bytesRead
      bytesOut += connection.socket.bytesWritten
    }
    return { requests, bytesIn, bytesOut }
  }

  limitPipelines(maxPipelinedRequests: number): void {
    this.limits = { ...this.limits, maxPipelinedRequests }
  }

  drain(): void {
    this.isDraining = true
  }

  /** Ends the idle connections now and the others with their last answer. */
  async close(): Promise<void> {
    this.isClosing = true
    const stopped = Promise.withResolvers<void>()
    stopListening(this.server, stopped.resolve)
    for (const connection of this.#connections.values()) connection.close()
    this.#settle()
    await Promise.all([stopped.promise, this.#emptied.promise])
  }

  handle(exchange: Exchange): void {
    this.#options.handle(exchange)
  }

  handOver(socket: Socket): void {
    this.readByNode(socket)
    this.#connections.set(socket, new NodeConnection(socket, this))
  }

  readByNode(socket: Socket): void {
    this.#giveToNode(socket)
    // The end has begun: what was handed over may be a request, which has its answer first.
    if (this.isClosing) setImmediate(() => this.#connections.get(socket)?.close())
  }

  refuseCut(connection: PlainConnection): void {
    connection.endWith(this.#withoutRequest('malformed'))
  }

  #disconnected(socket: Socket): void {
    this.#connections.delete(socket)
    this.#bytesIn += socket.bytesRead
    this.#bytesOut += socket.bytesWritten
    this.#settle()
  }

  #ofNode(socket: Duplex): NodeConnection | undefined {
    return this.#connections.get(socket) as NodeConnection | undefined
  }

  #settle(): void {
    // Not at once: others who wait for the last connection to close are told first.
    if (this.isClosing && this.#connections.size === 0) setImmediate(this.#emptied.resolve)
  }

  #arrived(arrival: Arrival): void {
    this.#ofNode(arrival.message.socket)?.arrived(arrival)
  }

  /** A request that was understood and must not run. What follows it on the connection cannot be trusted. */
  #refuseRequest(connection: NodeConnection, exchange: Exchange, reason: Reason): void {
    const { method, target, requestId } = exchange
    const refusal = { reason, line: { method, target }, isBody: false, requestId, maxHeadBytes }
    const { status, body, headers } = this.#options.refuse(refusal)
    exchange.send(status, { 'content-type': 'application/json', ...headers }, body, { close: true })
    connection.ignoreRest()
  }

  /** The bytes of an answer to nothing that could be read. */
  #withoutRequest(reason: Reason): string {
    const requestId = newRequestId()
    return this.#toBytes({ reason, line: undefined, isBody: false, requestId, maxHeadBytes })
  }

  #toBytes(refusal: Refusal): string {
    return toBytes(this.#options.refuse(refusal), this.namesRequests ? refusal.requestId : undefined)
  }

  #failed(error: ParserError, socket: Duplex): void {
    const connection = this.#ofNode(socket)
    if (connection === undefined || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    if (socket.writable && !connection.isEnding) this.#end(connection, error)
  }

  #end(connection: NodeConnection, error: ParserError): void {
    const isBody = connection.isReading
    const refused = this.#toBytes(toRefusal(error, isBody, connection.readingId ?? newRequestId()))
    if (isBody) connection.endWithBody(refused)
    else connection.endWith(refused)
  }

  #look(): void {
    const now = Date.now()
    for (const connection of this.#connections.values()) {
      if (connection.look(now) === 'late') connection.endWith(this.#withoutRequest('timeout'))
    }
  }
}
