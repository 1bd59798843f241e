/**
 * What every client connection owes, in both ways of reading requests: answers in their order, how many requests may be
 * under way, and how it ends. Each request that has begun gets its own answer; behind them comes at most one refusal,
 * and then the end. Knows sockets and exchanges, not the server.
 */
import type { Socket } from 'node:net'
import type { Exchange, Leaving, Owed } from './exchange.ts'
import { type ConnectionLimits, drainMs, fewRequests, stallBytes } from './limits.ts'

/** What a connection needs from the server. */
export interface Host {
  readonly limits: ConnectionLimits
  readonly isClosing: boolean
  /** Requests are taken, and connections end with their answers. */
  readonly isDraining: boolean
  /** Answers have the ids of their requests. */
  readonly namesRequests: boolean
  /** Requests of all connections that are in progress beyond the first few of each. */
  shared: number
  /** The client was disconnected because it took too little; called with the exchange whose answer it was reading. */
  cut(exchange: Exchange): void
}

const nothing = Buffer.alloc(0)
/** Looks in `halfOpenMs`. */
const looksToAsk = 2

export abstract class Connection<Kind extends Owed = Owed> {
  readonly socket: Socket
  protected readonly host: Host
  /** Begun and not answered, in their order on the wire. */
  protected readonly begun: Kind[] = []
  /** Nothing that comes from here on is a request. */
  isEnding = false
  #unsent = 0
  #isScheduled = false
  #isDone = false
  /** What is written behind the last answer. */
  #refusal: string | undefined
  /** Called when no answer is owed any more. */
  #onIdle: (() => void) | undefined
  /** Runs once the client has ended its side. */
  #asking: NodeJS.Timeout | undefined
  /** Bytes that the client has taken, and how many it had at the last look that found it stalled. */
  #taken = 0
  #takenThen = 0
  #stalledSince = 0

  constructor(socket: Socket, host: Host) {
    this.socket = socket
    this.host = host
  }

  get namesRequests(): boolean {
    return this.host.namesRequests
  }

  /** Requests have arrived that have not begun, and this reader has them. */
  protected get hasWaiting(): boolean {
    return false
  }

  /** Begins what waits, as long as it may. */
  protected beginWaiting(): void {}

  /** Requests that have begun and whose answers are not out. */
  get underWay(): number {
    return this.begun.length
  }

  get owesNothing(): boolean {
    return this.begun.length === 0 && !this.hasWaiting
  }

  /** Somebody takes the connection over as soon as no answer is owed. */
  protected get isLeaving(): boolean {
    return this.#onIdle !== undefined
  }

  ended(exchange: Owed, bytes: number): void {
    exchange.unsent = bytes
    this.#unsent += bytes
  }

  took(bytes: number): void {
    this.#taken += bytes
  }

  isLast(exchange: Owed): boolean {
    const { isClosing, isDraining } = this.host
    if (!(isClosing || isDraining) || this.isEnding || this.hasWaiting || this.isLeaving) return false
    return this.begun[this.begun.length - 1] === exchange
  }

  isHead(exchange: Owed): boolean {
    return this.begun[0] === exchange
  }

  /**
   * No further request is taken from this connection; it ends behind the answers that it owes, with `refusal` if there
   * is one.
   */
  endWith(refusal: string | undefined): void {
    if (this.isEnding) return
    this.isEnding = true
    this.#refusal = refusal
    this.dropInput()
    if (this.owesNothing) this.idle()
  }

  /** Whatever still comes is dropped. */
  protected abstract dropInput(): void

  /** Reads nothing more until no answer is owed, then calls back. */
  whenIdle(callback: () => void): void {
    this.#onIdle = callback
    this.socket.pause()
    if (this.owesNothing) this.idle()
  }

  /** The server takes no further requests: an idle connection ends now, any other with its last answer. */
  close(): void {
    if (this.owesNothing && !this.isLeaving) this.socket.destroySoon()
  }

  /** Called every second or so, with the time in milliseconds. Returns 'late' for a head that does not come. */
  look(now: number): 'late' | undefined {
    const head = this.begun[0]
    if (head === undefined) {
      this.#stalledSince = 0
      return this.lookIdle(now)
    }
    const { socket } = this
    // While the socket is not read, only a write meets a reset.
    if (socket.isPaused() && socket.writableLength === 0) socket.write(nothing)
    if (hasReceivedEnd(socket)) this.clientEnded()
    if (!head.isEnded && !head.isBlocked) this.#stalledSince = 0
    else if (this.#stalledSince === 0 || this.#taken - this.#takenThen >= stallBytes) {
      this.#stalledSince = now
      this.#takenThen = this.#taken
    } else if (now - this.#stalledSince >= this.host.limits.stallMs) this.#cut(head)
    return undefined
  }

  /** The same, while no request is in progress. */
  protected abstract lookIdle(now: number): 'late' | undefined

  /**
   * A connection may have a few requests in progress; all of them share how many more those that send ahead may have.
   */
  protected mayBegin(): boolean {
    const { maxPipelinedRequests, maxUnsentBytes } = this.host.limits
    const { length } = this.begun
    if (length >= maxPipelinedRequests || this.#unsent > maxUnsentBytes) return false
    return length < fewRequests || this.host.shared < maxPipelinedRequests
  }

  /** A request begins. */
  protected add(exchange: Kind): void {
    this.begun.push(exchange)
    if (this.begun.length > fewRequests) this.host.shared++
  }

  /** The newest request is not answered after all. */
  protected removeNewest(): void {
    if (this.begun.length > fewRequests) this.host.shared--
    this.begun.pop()
  }

  /** The answer of the request at the head is out. */
  protected removeHead(): void {
    if (this.begun.length > fewRequests) this.host.shared--
    const exchange = this.begun.shift() as Kind
    this.#unsent -= exchange.unsent
    this.#taken += exchange.unsent
    exchange.held?.close()
  }

  protected afterAnswers(): void {
    const isIdle = this.begun.length === 0
    if (this.hasWaiting || (isIdle && this.isLeaving)) this.schedule()
    else if (isIdle) this.idle()
  }

  /** Not at once: other connections get their turn between two lots of a long pipeline. */
  protected schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (this.#isDone) return
      this.beginWaiting()
      if (this.owesNothing) this.idle()
    })
  }

  /** No answer is owed. */
  protected idle(): void {
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
    } else if (this.isEnding || this.host.isClosing) socket.destroySoon()
  }

  /**
   * The client will send nothing more. If it has closed the connection, it answers what is written with a reset, which
   * the next write meets. A client to which nothing can be written has left.
   */
  protected clientEnded(): void {
    if (this.owesNothing || this.#asking !== undefined) return
    const { socket } = this
    let written = socket.bytesWritten
    let quiet = 0
    this.#asking = setInterval(() => {
      const [head] = this.begun
      const isQuiet = socket.bytesWritten === written && socket.writableLength === 0
      quiet = isQuiet ? quiet + 1 : 0
      if (head !== undefined && quiet >= looksToAsk && !head.probe()) this.#end('left')
      written = socket.bytesWritten
    }, this.host.limits.halfOpenMs / looksToAsk)
  }

  #cut(head: Owed): void {
    this.host.cut(head)
    this.#end('too slow')
  }

  /** A reset: without a length and chunks (HTTP/1.0), an end would look like that of the answer. */
  #end(leaving: Leaving): void {
    this.closed(leaving)
    this.socket.resetAndDestroy()
  }

  /** Nobody is there any more. */
  protected closed(leaving: Leaving = 'left'): void {
    this.#isDone = true
    this.#onIdle = undefined
    clearInterval(this.#asking)
    this.host.shared -= Math.max(0, this.begun.length - fewRequests)
    // Also those whose turn to be written has not come.
    for (const exchange of this.begun.splice(0)) exchange.leave(leaving)
  }
}

/** Not documented by Node.js: what it calls the end of a stream comes only when all before it has been taken. */
interface ReadableState {
  readonly _readableState: { readonly ended: boolean }
}

/** The client has ended its side, whether or not all that it sent has been taken. */
function hasReceivedEnd(socket: Socket): boolean {
  return (socket as Socket & ReadableState)._readableState.ended
}
