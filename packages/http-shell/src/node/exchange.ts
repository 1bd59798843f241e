/**
 * An exchange over Node's own request and response. One object has all the roles: a few more objects for each request
 * would cost more than everything else. Owns HEAD, uploads that nobody wants, and how an answer that cannot be finished
 * ends; Node owns the order of answers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { peerOf } from '../exchange/peer.ts'
import { BodyTooLarge, isTooLarge, type Reserve } from '../exchange/body.ts'
import {
  type Headers,
  type Leaving,
  type Owed,
  pieceBytes,
  type RawHeaders,
  reasonPhrase,
  type RequestHeaders,
  type SendOptions,
  type SentHeaders,
  smallAnswerBytes,
} from '../exchange/exchange.ts'
import { drainMs, smallUploadBytes } from '../exchange/limits.ts'
import { isRequestIdName, newRequestId, readRequestId, requestIdKey, requestIdName } from '../exchange/request-id.ts'
import { closeAfter, isClosedAfter } from './node-http.ts'
import { bytesToCome, declaredLength, type Input, Upload } from './upload.ts'

/** A request as Node gives it. */
export interface Arrival {
  readonly message: IncomingMessage
  readonly response: ServerResponse
  /** The client sends the body when it is told to. */
  readonly awaitsGoAhead: boolean
}

/** What a connection hears of its exchanges. */
export interface Owner extends Input {
  /** Answers have the ids of their requests. */
  readonly namesRequests: boolean
  /** The answer is complete, but not yet on its way. `bytes` count as unsent until `sent`. */
  ended(exchange: Owed, bytes: number): void
  /** The client took a piece of a long answer. */
  took(bytes: number): void
  /** No other answer is owed and none is wanted after this one. */
  isLast(exchange: Owed): boolean
  isHead(exchange: Owed): boolean
}

const noBody = Buffer.alloc(0)

export class NodeExchange implements Owed {
  readonly method: string
  readonly target: string
  onGone: (() => void) | undefined
  leaving: Leaving | undefined
  held: { close(): void } | undefined
  isEnded = false
  isBlocked = false
  unsent = 0
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  readonly #owner: Owner
  /** Node does not report the end of what has no body. */
  readonly #upload: Upload | undefined
  #requestId: string | undefined
  traceparent: string | undefined
  #isGone = false
  #awaitsGoAhead: boolean
  #resume: (() => void) | undefined
  /** What is left of a long answer. */
  #rest: Uint8Array | undefined

  constructor({ message, response, awaitsGoAhead }: Arrival, owner: Owner) {
    this.method = message.method as string
    this.target = message.url as string
    this.#message = message
    this.#response = response
    this.#owner = owner
    this.#awaitsGoAhead = awaitsGoAhead
    this.#upload = this.length === 0 ? undefined : new Upload(message, owner)
  }

  get rawHeaders(): RawHeaders {
    return this.#message.rawHeaders
  }

  get headers(): RequestHeaders {
    return this.#message.headers
  }

  get requestId(): string {
    return (this.#requestId ??= readRequestId(this.#message.headers[requestIdKey]) ?? newRequestId())
  }

  get peer(): string | undefined {
    return peerOf(this.#message.socket)
  }

  get length(): number | undefined {
    return declaredLength(this.#message)
  }

  /** Node gives one in pieces, and later. */
  takeBody(): Buffer | undefined {
    return this.length === 0 ? noBody : undefined
  }

  collect(maxBytes: number, reserve?: Reserve): Promise<Buffer> {
    if (this.#upload === undefined) return Promise.resolve(noBody)
    if (isTooLarge(this.length, maxBytes)) return Promise.reject(new BodyTooLarge(maxBytes))
    this.#goAhead()
    return this.#upload.collect(maxBytes, reserve)
  }

  async *stream(): AsyncIterable<Uint8Array> {
    if (this.#upload === undefined) return
    this.#goAhead()
    yield* this.#upload.stream()
  }

  get isOpen(): boolean {
    return !this.#isGone && !this.#response.destroyed
  }

  get hasBegun(): boolean {
    return this.#response.headersSent
  }

  get status(): number {
    return this.#response.headersSent ? this.#response.statusCode : 0
  }

  /** The whole body has arrived. */
  get isRead(): boolean {
    return this.#message.complete
  }

  send(status: number, headers: SentHeaders, body: string | Uint8Array, options?: SendOptions): void {
    if (!this.isOpen || this.isEnded) return
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    // A client that has not sent the body need not send it any more. A large upload is not read to its end for nothing.
    const isUploadLeft =
      !this.#message.complete && (this.#awaitsGoAhead || bytesToCome(this.#message) > smallUploadBytes)
    if (options?.close === true || isUploadLeft) closeAfter(this.#response)
    this.#endIfLast()
    headers['content-length'] = length
    if (this.#owner.namesRequests) headers[requestIdName] = this.requestId
    this.#response.writeHead(status, headers)
    this.#end(this.method === 'HEAD' ? undefined : body)
  }

  begin(status: number, headers: Headers | RawHeaders, statusText = ''): void {
    if (!this.isOpen) return
    this.#endIfLast()
    const response = this.#response
    // An upstream's answer keeps its own date, or none.
    if (Array.isArray(headers)) response.sendDate = false
    // Node takes raw pairs as they are; its types know objects only.
    const all = (this.#owner.namesRequests ? this.#withId(headers) : headers) as Record<string, string>
    if (reasonPhrase.test(statusText)) response.writeHead(status, statusText, all)
    else response.writeHead(status, all)
  }

  /** An upstream's own id stays. */
  #withId(headers: Headers | RawHeaders): Headers | RawHeaders {
    const isRaw = Array.isArray(headers)
    const names = isRaw ? (headers as RawHeaders).filter((_, i) => i % 2 === 0) : Object.keys(headers)
    if (names.some(isRequestIdName)) return headers
    return isRaw
      ? [...(headers as RawHeaders), requestIdName, this.requestId]
      : { ...(headers as Headers), [requestIdName]: this.requestId }
  }

  write(chunk: Uint8Array | string, resume: () => void): boolean {
    if (this.#response.write(chunk)) return true
    this.#resume = resume
    this.#block()
    return false
  }

  end(chunk?: Uint8Array): void {
    if (this.isOpen && !this.isEnded) this.#end(chunk)
  }

  breakOff(): void {
    if (!this.isOpen) return
    // A reset, not an end: without chunks (HTTP/1.0) an end would look like that of the answer. Those before it go
    // first.
    if (this.#owner.isHead(this)) this.#message.socket.resetAndDestroy()
    else this.#response.destroy()
  }

  probe(): boolean {
    if (this.#response.headersSent || this.#message.httpVersionMinor === 0) return false
    this.#response.writeProcessing()
    return true
  }

  /** The socket has taken everything. */
  drained(): void {
    if (this.isBlocked) this.#response.emit('drain')
  }

  leave(leaving: Leaving): void {
    if (this.#isGone) return
    this.#isGone = true
    this.leaving = leaving
    this.#resume = undefined
    this.#rest = undefined
    this.onGone?.()
    this.held?.close()
  }

  #goAhead(): void {
    if (!this.#awaitsGoAhead) return
    this.#awaitsGoAhead = false
    this.#response.writeContinue()
  }

  #endIfLast(): void {
    if (this.#owner.isLast(this)) closeAfter(this.#response)
  }

  #end(body: Uint8Array | string | undefined): void {
    const response = this.#response
    const bytes = body === undefined ? 0 : body.length
    this.isEnded = true
    this.#upload?.dropUnwanted()
    this.#owner.ended(this, bytes)
    if (bytes > pieceBytes) {
      this.#rest = typeof body === 'string' ? Buffer.from(body) : (body as Uint8Array)
      this.#writeRest()
    } else if (isClosedAfter(response) && bytesToCome(this.#message) !== 0) this.#endAfterUpload(body)
    // Head and bytes go out in one write when both are text to the HTTP server, one character for each byte.
    else if (bytes <= smallAnswerBytes && Buffer.isBuffer(body)) response.end(body.toString('latin1'), 'latin1')
    else response.end(body)
  }

  #writeRest(): void {
    const response = this.#response
    let rest = this.#rest
    while (rest !== undefined && rest.length > pieceBytes) {
      const isTaken = response.write(rest.subarray(0, pieceBytes))
      rest = rest.subarray(pieceBytes)
      if (isTaken) continue
      this.#rest = rest
      this.#block()
      return
    }
    this.#rest = undefined
    if (isClosedAfter(response) && bytesToCome(this.#message) !== 0) this.#endAfterUpload(rest)
    else response.end(rest)
  }

  #block(): void {
    this.isBlocked = true
    this.#response.once('drain', () => {
      this.isBlocked = false
      if (this.#isGone) return
      this.#owner.took(pieceBytes)
      if (this.#rest !== undefined) this.#writeRest()
      else this.#resume?.()
    })
  }

  /** Ended only when the upload has: Node closes the connection with the answer, whatever is still on its way. */
  #endAfterUpload(chunk: Uint8Array | string | undefined): void {
    const response = this.#response
    if (chunk === undefined || chunk.length === 0) response.flushHeaders()
    else response.write(chunk)
    const end = (): void => void response.end()
    this.#message.once('end', end)
    this.#upload?.drop()
    const timer = setTimeout(end, drainMs)
    response.once('close', () => clearTimeout(timer))
  }
}
