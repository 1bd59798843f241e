/**
 * A client connection whose requests Node.js reads: which of them have begun and which wait, when the socket is not
 * read, and what follows from something that is not a request. Node writes the answers in their order.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Connection, type Host } from '../exchange/connection.ts'
import type { Leaving } from '../exchange/exchange.ts'
import type { Arrival, NodeExchange, Owner } from './exchange.ts'
import { dropInput, readWhilePaused } from './node-http.ts'

export interface NodeHost extends Host {
  /** Makes the exchange and gives it to the service. */
  begin(connection: NodeConnection, arrival: Arrival): void
}

export class NodeConnection extends Connection<NodeExchange> implements Owner {
  declare protected readonly host: NodeHost
  /** Arrived, but not begun. */
  #waiting: Arrival[] = []
  /** The newest request, begun or not. */
  #newest: IncomingMessage | undefined
  #isHeld = false
  #isBodyBroken = false
  /** When the socket was read again after a head had been late because it was not read. */
  #lateSince = 0
  #isExcused = false
  readonly #onDrain = (): void => this.begun[0]?.drained()

  constructor(socket: Socket, host: NodeHost) {
    super(socket, host)
    socket.on('resume', () => {
      // Bodies ask the socket for more on their own.
      if (this.#isHeld || this.isLeaving) socket.pause()
    })
    socket.on('end', () => this.clientEnded())
    socket.on('close', () => this.closed())
  }

  /** The newest request has not arrived completely. */
  get isReading(): boolean {
    return this.#newest !== undefined && !this.#newest.complete
  }

  /** Of the request whose body is arriving, once it has begun. */
  get readingId(): string | undefined {
    return this.hasWaiting || !this.isReading ? undefined : this.begun.at(-1)?.requestId
  }

  protected get hasWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** A request has arrived: it begins now, or when others are answered. */
  arrived(arrival: Arrival): void {
    if (this.isEnding) return
    this.#newest = arrival.message
    this.#lateSince = 0
    if (this.#waiting.length === 0 && this.mayBegin()) {
      this.host.begin(this, arrival)
      return
    }
    this.#waiting.push(arrival)
    if (!this.#isHeld) {
      this.#isHeld = true
      this.socket.pause()
      readWhilePaused(this.socket)
    }
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

  protected dropInput(): void {
    this.#release()
    dropInput(this.socket)
  }

  /**
   * What the newest request sends is not a body. Its answer is the refusal, unless it has an answer already: not at
   * once, because the service may have one when it has heard of what came before.
   */
  endWithBody(refusal: string): void {
    if (this.#isBodyBroken) return
    this.#isBodyBroken = true
    dropInput(this.socket)
    setImmediate(() => this.#endWithBody(refusal))
  }

  #endWithBody(refusal: string): void {
    const newest = this.begun.at(-1)
    if (this.#waiting.at(-1)?.message === this.#newest) {
      this.#waiting.pop()
      this.endWith(refusal)
    } else if (newest === undefined || newest.isRead || newest.isEnded || newest.hasBegun) this.endWith(undefined)
    else {
      this.removeNewest()
      newest.leave('left')
      this.endWith(refusal)
    }
  }

  /** Ignores whatever follows the request that begins; the connection ends with the answer to that request. */
  ignoreRest(): void {
    this.isEnding = true
    // In place: `beginWaiting` may be in the middle of them.
    this.#waiting.length = 0
  }

  /** Node no longer listens to the socket. */
  detached(): void {
    this.socket.off('drain', this.#onDrain).on('drain', this.#onDrain)
  }

  /** The head of a request is late. True when that is because the socket was not read. */
  excuse(): boolean {
    if (!this.#isHeld) return false
    this.#isExcused = true
    return true
  }

  protected lookIdle(now: number): 'late' | undefined {
    return this.#lateSince !== 0 && now - this.#lateSince > this.host.limits.headMs ? 'late' : undefined
  }

  protected beginWaiting(): void {
    const waiting = this.#waiting
    let count = 0
    while (count < waiting.length && count < this.host.limits.maxPipelinedRequests && this.mayBegin()) {
      this.host.begin(this, waiting[count++] as Arrival)
    }
    this.#waiting = waiting.slice(count)
    if (this.#waiting.length === 0) this.#release()
    else if (this.mayBegin()) this.schedule()
  }

  #release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    if (this.#isExcused) this.#lateSince = Date.now()
    this.#isExcused = false
    if (!this.isLeaving) this.socket.resume()
  }

  protected override closed(leaving: Leaving = 'left'): void {
    this.#waiting = []
    super.closed(leaving)
  }
}
