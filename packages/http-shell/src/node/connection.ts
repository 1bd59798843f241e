/**
 * A client connection whose requests Node.js reads: which of them begin, when the socket is not read, and what follows
 * from something that is not a request. Node writes the answers in their order.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Connection, type Host } from '../exchange/connection.ts'
import type { Arrival, NodeExchange, Owner } from './exchange.ts'
import { dropInput } from './node-http.ts'
import { toHeadAgain } from './upgrade.ts'

export interface NodeHost extends Host {
  /** Makes the exchange and gives it to the service. */
  begin(connection: NodeConnection, arrival: Arrival): void
  /** Gives the connection to Node's server, which reads what the socket has. */
  readByNode(socket: Socket): void
}

export class NodeConnection extends Connection<NodeExchange> implements Owner {
  declare protected readonly host: NodeHost
  /** The newest request that has begun. */
  #newest: IncomingMessage | undefined
  #isFull = false
  #dropsInput = false
  readonly #onEnd = (): void => this.clientEnded()
  readonly #onDrain = (): void => this.begun[0]?.drained()
  readonly #onResume = (): void => {
    // Bodies ask the socket for more on their own.
    if (this.#isFull || this.isLeaving) this.socket.pause()
  }

  constructor(socket: Socket, host: NodeHost) {
    super(socket, host)
    socket.on('end', this.#onEnd)
    socket.on('close', () => this.closed())
    this.#attached()
  }

  /** The newest request has not arrived completely. */
  get isReading(): boolean {
    return this.#newest !== undefined && !this.#newest.complete
  }

  /** Id of the request whose body is arriving. */
  get readingId(): string | undefined {
    return this.isReading ? this.begun.at(-1)?.requestId : undefined
  }

  /** Asked at the head of each request. One that may not begin is given to `readAgain`. */
  get mayBeginNext(): boolean {
    return !this.isEnding && this.mayBegin()
  }

  /** A request begins. */
  arrived(arrival: Arrival): void {
    this.#newest = arrival.message
    this.host.begin(this, arrival)
  }

  /** Called by the host before the service is told. */
  began(exchange: NodeExchange): void {
    this.add(exchange)
  }

  /** An answer is out. */
  answered(exchange: NodeExchange): void {
    // Node sends them in their order, and what has been cut off is not in the list.
    if (this.begun[0] !== exchange) return
    this.removeHead()
    this.afterAnswers()
  }

  /** Node has stopped at a request for a tunnel. What follows it is not a request. */
  refuseTunnel(refusal: string): void {
    this.#detached()
    if (this.isEnding) this.dropInput()
    else this.endWith(refusal)
  }

  /**
   * Node has stopped at the head of a request. It and what followed it are read again when no answer is owed; until
   * then they are bytes that the socket has.
   */
  readAgain(message: IncomingMessage, behind: Buffer): void {
    this.#detached()
    const { socket } = this
    if (this.isEnding) {
      this.dropInput()
      return
    }
    // Given back at once: a stream that is empty when the client ends its side takes nothing any more.
    if (behind.length > 0) socket.unshift(behind)
    socket.unshift(toHeadAgain(message))
    this.whenIdle(() => {
      this.host.readByNode(socket)
      this.#attached()
    })
  }

  protected dropInput(): void {
    this.#dropsInput = true
    this.#isFull = false
    dropInput(this.socket, this.#onEnd)
  }

  /**
   * What the newest request sends is not a body. Its answer is the refusal, unless it has an answer already: not at
   * once, because the service may have one when it has heard of what came before.
   */
  endWithBody(refusal: string): void {
    if (this.#dropsInput) return
    this.dropInput()
    setImmediate(() => this.#endWithBody(refusal))
  }

  #endWithBody(refusal: string): void {
    const newest = this.begun.at(-1)
    if (newest === undefined || newest.isRead || newest.isEnded || newest.hasBegun) this.endWith(undefined)
    else {
      this.removeNewest()
      newest.leave('left')
      this.endWith(refusal)
    }
  }

  /** Ignores whatever follows the request that begins; the connection ends with the answer to that request. */
  ignoreRest(): void {
    this.isEnding = true
  }

  setFull(isFull: boolean): void {
    if (this.#dropsInput) return
    this.#isFull = isFull
    if (isFull) this.socket.pause()
    else if (!this.isLeaving) this.socket.resume()
  }

  /** Node listens to the socket. */
  #attached(): void {
    // After Node's own listener, which reads on.
    this.socket.off('resume', this.#onResume).on('resume', this.#onResume)
  }

  /** Node no longer listens to the socket. */
  #detached(): void {
    const { socket } = this
    // Without one a reset by the client would end the process.
    if (socket.listenerCount('error') === 0) socket.on('error', () => undefined)
    socket.off('drain', this.#onDrain).on('drain', this.#onDrain)
  }

  /** Node waits for heads itself. */
  protected lookIdle(): undefined {
    return undefined
  }
}
