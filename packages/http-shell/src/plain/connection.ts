/**
 * A client connection whose requests are read here, as long as they are plain. The first bytes that are not go to
 * Node's server, with the connection, for good: once no answer is owed, so that every answer keeps its place. Owns what
 * is read, the order of answers and every write: one for all answers that are ready in the same turn.
 */
import type { Socket } from 'node:net'
import { Connection, type Host } from '../exchange/connection.ts'
import type { Leaving } from '../exchange/exchange.ts'
import { type Owner, PlainExchange } from './exchange.ts'
import { type Head, RequestReader } from './request.ts'

export interface PlainHost extends Host {
  /** What answers say of a connection that stays. */
  readonly keepAliveLines: string
  /** Gives a request to the service. */
  handle(exchange: PlainExchange): void
  /** Gives the connection to Node's server, which reads what the socket has. */
  handOver(socket: Socket): void
  /** Ends the connection: what came before the client ended its side is not a request. */
  refuseCut(connection: PlainConnection): void
}

/** How long the rest of a request is waited for, and in how many pieces; then Node waits for it. */
const partMs = 50
const maxParts = 16
/** How much later than promised Node closes an idle connection. */
const keepAliveSpareMs = 1000

/** Nothing is kept between two requests, so one does for all connections. */
const reader = new RequestReader()
const nothing = Buffer.alloc(0)

export class PlainConnection extends Connection<PlainExchange> implements Owner {
  declare protected readonly host: PlainHost
  /** Headers of the newest request. */
  #head: Head | undefined
  /** The first part of a request whose end has not arrived. */
  #part: Buffer | undefined
  /** What has arrived, and is with the socket again, may hold requests that must not begin yet. */
  #isHeld = false
  #parts = 0
  #partTimer: NodeJS.Timeout | undefined
  /** Requests are being read, and there are bytes behind the one that begins. */
  #isReading = false
  #hasMore = false
  /** Exchanges at the head whose answers are with the socket, whole. */
  #written = 0
  /** Bytes that are with the socket. */
  #handed = 0
  /** The client has to take something first. */
  #isBlocked = false
  #willWrite = false
  #hasHadRequest = false
  /** The first look that found it idle. */
  #idleSince = 0
  readonly #onData = (bytes: Buffer): void => this.#arrived(bytes)
  readonly #onEnd = (): void => this.#clientEnded()
  readonly #onClose = (): void => this.closed()

  constructor(socket: Socket, host: PlainHost) {
    super(socket, host)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('close', this.#onClose)
    socket.on('error', ignore)
  }

  get keepAliveLines(): string {
    return this.host.keepAliveLines
  }

  protected override get hasWaiting(): boolean {
    return this.#isHeld || this.#hasMore
  }

  #arrived(bytes: Buffer): void {
    this.#isHeld = false
    if (this.isEnding) return
    const part = this.#takePart()
    this.#read(part === undefined ? bytes : Buffer.concat([part, bytes]))
  }

  #takePart(): Buffer | undefined {
    const part = this.#part
    this.#part = undefined
    clearTimeout(this.#partTimer)
    return part
  }

  #read(bytes: Buffer): void {
    this.#idleSince = 0
    this.#isReading = true
    let at = 0
    while (at < bytes.length && !this.isEnding) {
      if (!this.mayBegin()) {
        this.#hold(bytes.subarray(at))
        break
      }
      const found = reader.read(bytes, at, this.#head)
      if (found !== 'plain') {
        this.#part = bytes.subarray(at)
        if (found === 'unusual' || ++this.#parts > maxParts) this.#leave()
        else this.#partTimer = setTimeout(() => this.#leave(), partMs)
        break
      }
      at = reader.end
      this.#begin(bytes, at < bytes.length)
    }
    this.#isReading = false
    this.#hasMore = false
    this.#write()
  }

  /** What the reader has found. */
  #begin(bytes: Buffer, hasMore: boolean): void {
    const { method, target, head, bodyAt, end } = reader
    this.#head = head
    this.#parts = 0
    this.#hasHadRequest = true
    this.#hasMore = hasMore
    const body = head.length === 0 ? nothing : bytes.subarray(bodyAt, end)
    const exchange = new PlainExchange(method, target, head, body, this)
    this.add(exchange)
    if (head.isLast) this.endsBehind()
    this.host.handle(exchange)
  }

  /** Given back at once: a stream that is empty when the client ends its side takes nothing any more. */
  #giveBack(bytes: Buffer): void {
    this.socket.pause()
    this.socket.unshift(bytes)
  }

  #hold(bytes: Buffer): void {
    this.#isHeld = true
    this.#giveBack(bytes)
  }

  protected override beginWaiting(): void {
    if (this.#isHeld && this.mayBegin() && !this.isLeaving) this.socket.resume()
  }

  /** Node reads on. */
  #leave(): void {
    const part = this.#takePart()
    if (part !== undefined) this.#giveBack(part)
    this.whenIdle(() => {
      const { socket } = this
      socket.off('data', this.#onData)
      socket.off('end', this.#onEnd)
      socket.off('close', this.#onClose)
      socket.off('error', ignore)
      this.closed()
      this.host.handOver(socket)
    })
  }

  protected dropInput(): void {
    this.#takePart()
    this.#isHeld = false
    this.socket.resume()
  }

  #clientEnded(): void {
    if (this.#part !== undefined) this.host.refuseCut(this)
    else if (this.owesNothing) this.socket.end()
    this.isEnding = true
    this.clientEnded()
  }

  override close(): void {
    // A request that has begun to arrive is waited for by Node.
    if (this.owesNothing && this.#part !== undefined) this.#leave()
    else super.close()
  }

  protected lookIdle(now: number): 'late' | undefined {
    if (this.#idleSince === 0) this.#idleSince = now
    const ms = now - this.#idleSince
    if (!this.#hasHadRequest && this.#part === undefined && ms > this.host.limits.headMs) return 'late'
    if (this.#hasHadRequest && ms > this.host.limits.keepAliveMs + keepAliveSpareMs) this.socket.destroy()
    return undefined
  }

  protected override closed(leaving: Leaving = 'left'): void {
    this.#takePart()
    this.#isHeld = false
    super.closed(leaving)
  }

  mayWrite(exchange: PlainExchange): boolean {
    return !this.#isBlocked && this.begun[this.#written] === exchange
  }

  breakOff(exchange: PlainExchange): void {
    if (this.isHead(exchange)) this.socket.resetAndDestroy()
    else exchange.isBroken = true
  }

  interject(text: string): void {
    this.socket.write(text, 'latin1')
  }

  endsBehind(): void {
    this.isEnding = true
    this.#takePart()
    this.#isHeld = false
  }

  flush(exchange: PlainExchange): void {
    if (!this.mayWrite(exchange)) return
    if (!exchange.isEnded) {
      this.#write()
      return
    }
    // When a lot of requests has been read, all answers that are ready are written.
    if (this.#isReading || this.#willWrite) return
    if (this.begun.length === 1) {
      this.#write()
      return
    }
    this.#willWrite = true
    setImmediate(() => {
      this.#willWrite = false
      this.#write()
    })
  }

  /** Gives the socket all that may go now. */
  #write(): void {
    const { begun, socket } = this
    let text = ''
    while (!this.#isBlocked) {
      const exchange = begun[this.#written]
      if (exchange === undefined || exchange.isBroken) break
      const piece = exchange.next()
      if (typeof piece === 'string') text += piece
      else if (piece !== undefined) {
        this.#give(text, piece)
        text = ''
      } else if (exchange.isEnded) {
        this.#written++
        if (exchange.isFinal) break
      } else break
    }
    if (text !== '') this.#give(text)
    if (!this.#isBlocked && !socket.destroyed) this.#taken()
  }

  #give(text: string, bytes?: Uint8Array): void {
    const { socket } = this
    this.#handed += text.length + (bytes?.length ?? 0)
    if (bytes === undefined) socket.write(text, 'latin1')
    else {
      socket.cork()
      if (text !== '') socket.write(text, 'latin1')
      socket.write(bytes)
      socket.uncork()
    }
    if (socket.writableLength === 0) return
    // Rare, so only then is there a callback: that of nothing, which is written when all before it has been taken.
    this.#isBlocked = true
    socket.write(nothing, () => {
      this.#isBlocked = false
      // Of a long answer too, whose next piece blocks at once: a slow client does take it.
      this.#countHanded()
      if (!socket.destroyed) this.#write()
    })
  }

  #countHanded(): void {
    if (this.#handed > 0) this.took(this.#handed)
    this.#handed = 0
  }

  /** The client has taken all that the socket had. */
  #taken(): void {
    this.#countHanded()
    const isAnswered = this.#written > 0
    while (this.#written > 0) {
      this.#written--
      const exchange = this.begun[0] as PlainExchange
      this.removeHead()
      exchange.isOut = true
      if (exchange.isFinal) {
        this.socket.destroySoon()
        return
      }
    }
    const [head] = this.begun
    if (head?.isBroken === true) this.socket.resetAndDestroy()
    else if (head?.isBlocked === true) head.drained()
    if (isAnswered) this.afterAnswers()
  }
}

function ignore(): void {}
