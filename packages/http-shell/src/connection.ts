/**
 * One client connection: which answers it owes and in what order, how many requests may have begun, when the socket is not
 * read, and how it ends. Each request that has begun gets its own answer; behind them comes at most one refusal, and then
 * the end. Knows sockets and exchanges, not the server.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Exchange, type Leaving, type Owner } from './exchange.ts'
import { type Bounds, drainMs, stallBytes } from './limits.ts'
import { dropInput } from './node-http.ts'

export interface Arrival {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  readonly awaitsGoAhead: boolean
}

/** What a connection needs from the server. */
export interface Host {
  readonly bounds: Bounds
  readonly isClosing: boolean
  /** Makes the exchange and gives it to the service. */
  begin(connection: Connection, arrival: Arrival): void
  /** The client was disconnected because it took too little; called with the exchange whose answer it was reading. */
  cut(exchange: Exchange): void
}

/** A closed connection answers the first probe with a reset, which the second one meets. */
const secondProbeMs = 250

export class Connection implements Owner {
  readonly socket: Socket
  readonly #host: Host
  /** Begun and not answered, in their order on the wire. */
  readonly #begun: Exchange[] = []
  /** Arrived, but not begun. */
  #waiting: Arrival[] = []
  /** The newest request, begun or not. */
  #newest: IncomingMessage | undefined
  #unsent = 0
  #isHeld = false
  #isScheduled = false
  #isDone = false
  /** Nothing that comes from here on is a request. */
  #isEnding = false
  /** What is written behind the last answer. */
  #refusal: string | undefined
  /** Called when no answer is owed any more. */
  #onIdle: (() => void) | undefined
  #hasEndedItsSide = false
  /** Bytes that the client has taken, and how many it had at the last look that found it stalled. */
  #taken = 0
  #takenThen = 0
  #stalledSince = 0
  /** When the socket was read again after a head had been late because it was not read. */
  #lateSince = 0
  #isExcused = false

  constructor(socket: Socket, host: Host) {
    this.socket = socket
    this.#host = host
    socket.on('resume', () => {
      // Bodies ask the socket for more on their own.
      if (this.#isHeld || this.#onIdle !== undefined) socket.pause()
    })
    socket.on('end', () => this.#clientEnded())
    socket.on('close', () => this.#closed())
  }

  /** The newest request has not arrived completely. */
  get isReading(): boolean {
    return this.#newest !== undefined && !this.#newest.complete
  }

  get owesNothing(): boolean {
    return this.#begun.length === 0 && this.#waiting.length === 0
  }

  get isEnding(): boolean {
    return this.#isEnding
  }

  /** A request has arrived: it begins now, or when others are answered. */
  arrived(arrival: Arrival): void {
    if (this.#isEnding) return
    this.#newest = arrival.message
    this.#lateSince = 0
    if (this.#waiting.length === 0 && this.#mayBegin()) {
      this.#begin(arrival)
      return
    }
    this.#waiting.push(arrival)
    if (!this.#isHeld) {
      this.#isHeld = true
      this.socket.pause()
    }
  }

  /** An answer is out. */
  answered(exchange: Exchange): void {
    // Node sends them in their order, and what has been cut off is not in the list.
    if (this.#begun[0] !== exchange) return
    this.#begun.shift()
    this.#unsent -= exchange.unsent
    this.#taken += exchange.unsent
    exchange.held?.close()
    if (this.#waiting.length > 0) this.#schedule()
    else if (this.#begun.length === 0) this.#idle()
  }

  ended(exchange: Exchange, bytes: number): void {
    exchange.unsent = bytes
    this.#unsent += bytes
  }

  took(bytes: number): void {
    this.#taken += bytes
  }

  isLast(exchange: Exchange): boolean {
    if (!this.#host.isClosing || this.#isEnding || this.#waiting.length > 0) return false
    return this.#begun[this.#begun.length - 1] === exchange
  }

  isHead(exchange: Exchange): boolean {
    return this.#begun[0] === exchange
  }

  /** No further request is taken from this connection; it ends behind the answers that it owes, with `refusal` if there is one. */
  endWith(refusal: string | undefined): void {
    if (this.#isEnding) return
    this.#isEnding = true
    this.#refusal = refusal
    this.#release()
    dropInput(this.socket)
    if (this.owesNothing) this.#idle()
  }

  /** What the newest request sends is no body. Its answer is the refusal, unless it has an answer already. */
  endWithBody(refusal: string): void {
    const newest = this.#begun.at(-1)
    if (this.#waiting.at(-1)?.message === this.#newest) {
      this.#waiting.pop()
      this.endWith(refusal)
    } else if (newest === undefined || newest.isRead || newest.isEnded || newest.hasBegun) this.endWith(undefined)
    else {
      this.#begun.pop()
      newest.leave('left')
      this.endWith(refusal)
    }
  }

  /** Ignores whatever follows the newest request; the connection ends with the answer to that request. */
  ignoreRest(): void {
    this.#isEnding = true
  }

  /** Node no longer listens to the socket. */
  detached(): void {
    this.socket.on('drain', () => this.#begun[0]?.drained())
  }

  /** Reads nothing more until no answer is owed, then calls back. */
  whenIdle(callback: () => void): void {
    this.#onIdle = callback
    this.socket.pause()
    if (this.owesNothing) this.#idle()
  }

  /** The head of a request is late. True when that is because the socket was not read. */
  excuse(): boolean {
    if (!this.#isHeld) return false
    this.#isExcused = true
    return true
  }

  /** The server takes no further requests: an idle connection ends now, any other with its last answer. */
  close(): void {
    if (this.owesNothing) this.socket.destroySoon()
  }

  /** Called every second or so, with the time in milliseconds. Gives 'late' for a head that does not come. */
  look(now: number): 'late' | undefined {
    const head = this.#begun[0]
    if (head === undefined) {
      this.#stalledSince = 0
      return this.#lateSince !== 0 && now - this.#lateSince > this.#host.bounds.headMs ? 'late' : undefined
    }
    if (this.#hasEndedItsSide) head.probe()
    if (!head.isEnded && !head.isBlocked) this.#stalledSince = 0
    else if (this.#stalledSince === 0 || this.#taken - this.#takenThen >= stallBytes) {
      this.#stalledSince = now
      this.#takenThen = this.#taken
    } else if (now - this.#stalledSince >= this.#host.bounds.stallMs) this.#cut(head)
    return undefined
  }

  #mayBegin(): boolean {
    const { maxPipelinedRequests, maxUnsentBytes } = this.#host.bounds
    return this.#begun.length < maxPipelinedRequests && this.#unsent <= maxUnsentBytes
  }

  #begin(arrival: Arrival): void {
    this.#host.begin(this, arrival)
  }

  /** Called by the host before the service hears of it. */
  began(exchange: Exchange): void {
    this.#begun.push(exchange)
  }

  /** Not at once: other connections get their turn between two lots of a long pipeline. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#beginWaiting()
    })
  }

  #beginWaiting(): void {
    if (this.#isDone) return
    const waiting = this.#waiting
    let count = 0
    while (count < waiting.length && count < this.#host.bounds.maxPipelinedRequests && this.#mayBegin()) {
      this.#begin(waiting[count++] as Arrival)
    }
    this.#waiting = waiting.slice(count)
    if (this.#waiting.length === 0) this.#release()
    else if (this.#mayBegin()) this.#schedule()
    if (this.owesNothing) this.#idle()
  }

  #release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    if (this.#isExcused) this.#lateSince = Date.now()
    this.#isExcused = false
    if (this.#onIdle === undefined) this.socket.resume()
  }

  /** No answer is owed. */
  #idle(): void {
    const { socket } = this
    if (this.#onIdle !== undefined) {
      const callback = this.#onIdle
      this.#onIdle = undefined
      callback()
      socket.resume()
    } else if (this.#refusal !== undefined && socket.writable) {
      socket.end(this.#refusal)
      this.#refusal = undefined
      // A client that is still sending reads its answer only after that, and one that never closes holds nothing.
      const timer = setTimeout(() => socket.destroy(), drainMs)
      socket.once('close', () => clearTimeout(timer))
    } else if (this.#isEnding || this.#host.isClosing) socket.destroySoon()
  }

  /** The client will send nothing more. Whether it still reads is not known before something is written. */
  #clientEnded(): void {
    if (this.owesNothing || this.#hasEndedItsSide) return
    const probe = (): void => {
      this.#hasEndedItsSide = true
      this.#begun[0]?.probe()
    }
    const first = setTimeout(() => {
      probe()
      const second = setTimeout(probe, secondProbeMs)
      this.socket.once('close', () => clearTimeout(second))
    }, this.#host.bounds.halfOpenMs)
    this.socket.once('close', () => clearTimeout(first))
  }

  #cut(head: Exchange): void {
    this.#host.cut(head)
    this.#closed('too slow')
    this.socket.resetAndDestroy()
  }

  #closed(leaving: Leaving = 'left'): void {
    this.#isDone = true
    this.#waiting = []
    this.#onIdle = undefined
    // Also those whose turn to be written has not come: Node tells of the first one only.
    for (const exchange of this.#begun.splice(0)) exchange.leave(leaving)
  }
}
