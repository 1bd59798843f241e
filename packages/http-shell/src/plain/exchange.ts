/**
 * An exchange whose request has been read here: it was whole before it began, so nothing of it is ever waited for. Its
 * answer is kept as text, one character for each byte, and long bytes, until the connection writes it. Owns HEAD,
 * chunks and answers in pieces; connection.ts owns the order of answers and every write.
 */
import type { Socket } from 'node:net'
import { BodyCut, BodyTooLarge, type Reserve } from '../exchange/body.ts'
import {
  type Headers,
  type Leaving,
  type Owed,
  pieceBytes,
  type RawHeaders,
  reasonPhrase,
  type SendOptions,
  type SentHeaders,
  smallAnswerBytes,
} from '../exchange/exchange.ts'
import { peerOf } from '../exchange/peer.ts'
import { newRequestId } from '../exchange/request-id.ts'
import { closeLines, isBodyless, toHead, toIdLine, toWholeHead } from './answer.ts'
import type { Head } from './request.ts'

const nothing = Buffer.alloc(0)

/** What an exchange needs of its connection. */
export interface Owner {
  readonly socket: Socket
  /** What answers say of a connection that stays. */
  readonly keepAliveLines: string
  /** Answers have the ids of their requests. */
  readonly namesRequests: boolean
  /** The answer is complete, but not yet on its way. `bytes` count as unsent until it is out. */
  ended(exchange: Owed, bytes: number): void
  /** No other answer is owed and none is wanted after this one. */
  isLast(exchange: Owed): boolean
  /** Nothing is between this answer and the client. */
  mayWrite(exchange: PlainExchange): boolean
  /** There is something to write. */
  flush(exchange: PlainExchange): void
  /** Ends the connection in the middle of the answer, when those before it are out. */
  breakOff(exchange: PlainExchange): void
  /** Writes between two answers, at once. */
  interject(text: string): void
  /** The connection ends behind the answer, and what follows the request is not a request. */
  endsBehind(): void
}

export class PlainExchange implements Owed {
  readonly method: string
  readonly target: string
  onGone: (() => void) | undefined
  leaving: Leaving | undefined
  held: { close(): void } | undefined
  status = 0
  isEnded = false
  isBlocked = false
  /** The rest of the answer will never come. */
  isBroken = false
  /** The connection ends with the answer. */
  isFinal: boolean
  /** The answer has been taken. */
  isOut = false
  unsent = 0
  readonly #head: Head
  #body: Buffer
  readonly #owner: Owner
  #requestId: string | undefined
  traceparent: string | undefined
  #isChunked = false
  /** Not yet given to the socket: first the text, then the pieces. */
  #text = ''
  #pieces: (string | Uint8Array)[] | undefined
  #resume: (() => void) | undefined

  constructor(method: string, target: string, head: Head, body: Buffer, owner: Owner) {
    this.method = method
    this.target = target
    this.#body = body
    this.isFinal = head.isLast
    this.#head = head
    this.#owner = owner
    this.#requestId = head.requestId
  }

  get rawHeaders(): RawHeaders {
    return this.#head.rawHeaders
  }

  get headers(): Head['headers'] {
    return this.#head.headers
  }

  get requestId(): string {
    return (this.#requestId ??= newRequestId())
  }

  get peer(): string | undefined {
    return peerOf(this.#owner.socket)
  }

  get length(): number {
    return this.#head.length
  }

  takeBody(maxBytes: number): Buffer | undefined {
    if (this.length > maxBytes) return undefined
    const body = this.#body
    this.#body = nothing
    return body
  }

  collect(maxBytes: number, reserve?: Reserve): Promise<Buffer> {
    const body = this.takeBody(maxBytes)
    if (body === undefined) return Promise.reject(new BodyTooLarge(maxBytes))
    const waiting = body.length === 0 ? undefined : reserve?.(body.length, ignore, true)
    return waiting === undefined ? Promise.resolve(body) : this.#giveAfter(waiting, body)
  }

  async #giveAfter(waiting: Promise<void>, body: Buffer): Promise<Buffer> {
    await waiting
    if (this.leaving !== undefined) throw new BodyCut()
    return body
  }

  async *stream(): AsyncIterable<Uint8Array> {
    const body = this.takeBody(this.length)
    if (body !== undefined && body.length > 0) yield body
  }

  get isOpen(): boolean {
    return this.leaving === undefined && !this.isOut
  }

  get hasBegun(): boolean {
    return this.status !== 0
  }

  send(status: number, headers: SentHeaders, body: string | Uint8Array, options?: SendOptions): void {
    if (!this.isOpen || this.isEnded) return
    const bytes = typeof body === 'string' ? toBytes(body) : body
    headers['content-length'] = bytes.length
    const isFinal = this.isFinal || options?.close === true || this.#owner.isLast(this)
    const head = toWholeHead(status, headers, this.#idLine, isFinal ? closeLines : this.#owner.keepAliveLines)
    if (isFinal) this.#endsConnection()
    this.status = status
    this.#put(head)
    if (!isBodyless(this.method, status)) this.#put(bytes)
    this.#finish(bytes.length)
  }

  begin(status: number, headers: Headers | RawHeaders, statusText = ''): void {
    if (!this.isOpen) return
    const isLast = this.isFinal || this.#owner.isLast(this)
    const hasBody = !isBodyless(this.method, status)
    const reason = reasonPhrase.test(statusText) ? statusText : ''
    const connectionLines = isLast ? closeLines : this.#owner.keepAliveLines
    const { text, isChunked } = toHead(status, reason, headers, { connectionLines, idLine: this.#idLine, hasBody })
    if (isLast) this.#endsConnection()
    this.status = status
    this.#isChunked = isChunked
    this.#put(text)
  }

  write(chunk: Uint8Array | string, resume: () => void): boolean {
    if (!this.isOpen || this.isEnded || isBodyless(this.method, this.status)) return true
    this.#putChunk(chunk)
    this.#owner.flush(this)
    if (this.#owner.mayWrite(this)) return true
    this.#resume = resume
    this.isBlocked = true
    return false
  }

  end(chunk?: Uint8Array): void {
    if (!this.isOpen || this.isEnded) return
    if (!isBodyless(this.method, this.status)) {
      if (chunk !== undefined) this.#putChunk(chunk)
      if (this.#isChunked) this.#put('0\r\n\r\n')
    }
    this.#finish(chunk?.length ?? 0)
  }

  breakOff(): void {
    if (!this.isOpen) return
    this.#owner.breakOff(this)
  }

  probe(): boolean {
    if (this.hasBegun) return false
    this.#owner.interject('HTTP/1.1 102 Processing\r\n\r\n')
    return true
  }

  leave(leaving: Leaving): void {
    if (!this.isOpen) return
    this.leaving = leaving
    this.#resume = undefined
    this.#text = ''
    this.#pieces = undefined
    this.onGone?.()
    this.held?.close()
  }

  /** Called by the connection: the next piece to write, undefined when there is none by now. */
  next(): string | Uint8Array | undefined {
    if (this.#text !== '') {
      const text = this.#text
      this.#text = ''
      return text
    }
    const [first] = this.#pieces ?? []
    if (first === undefined) return undefined
    // In pieces, so that it shows whether the client takes it.
    if (typeof first !== 'string' && first.length > pieceBytes) {
      ;(this.#pieces as unknown[])[0] = first.subarray(pieceBytes)
      return first.subarray(0, pieceBytes)
    }
    this.#pieces?.shift()
    return first
  }

  /** Called by the connection: the client has taken what was written. */
  drained(): void {
    this.isBlocked = false
    this.#resume?.()
  }

  get #idLine(): string {
    return this.#owner.namesRequests ? toIdLine(this.requestId) : ''
  }

  #finish(bytes: number): void {
    this.isEnded = true
    this.#owner.ended(this, bytes)
    this.#owner.flush(this)
  }

  #endsConnection(): void {
    this.isFinal = true
    this.#owner.endsBehind()
  }

  #putChunk(chunk: Uint8Array | string): void {
    const bytes = typeof chunk === 'string' ? toBytes(chunk) : chunk
    if (bytes.length === 0) return
    if (this.#isChunked) this.#put(`${bytes.length.toString(16)}\r\n`)
    this.#put(bytes)
    if (this.#isChunked) this.#put('\r\n')
  }

  #put(piece: string | Uint8Array): void {
    const isShort = typeof piece === 'string' || piece.length <= smallAnswerBytes
    if (isShort && this.#pieces === undefined) this.#text += toText(piece)
    else (this.#pieces ??= []).push(isShort ? toText(piece) : piece)
  }
}

/** A body that is whole already is not given up. */
function ignore(): void {}

/** Text with one character for each of its bytes is given as it is. */
function toBytes(text: string): string | Uint8Array {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text)
}

function toText(piece: string | Uint8Array): string {
  if (typeof piece === 'string') return piece
  const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
  return bytes.toString('latin1')
}
