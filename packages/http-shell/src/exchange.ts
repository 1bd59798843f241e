/**
 * A request that has begun and the answer to it, as a service reads and writes them. One object has all these roles: a few more objects
 * for each request would cost more than everything else. Owns HEAD, uploads that nobody wants, and how an answer that cannot
 * be finished ends; connection.ts owns the order of answers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bytesToCome, collect, declaredLength, BodyTooLarge, isTooLarge, readPieces, type Reserve } from './body.ts'
import { drainMs, smallUploadBytes } from './limits.ts'
import { closeAfter, isClosedAfter } from './node-http.ts'

export type Headers = Readonly<Record<string, string | number>>
/** Header names and values in turn, as they stood on the wire, one character for each byte. */
export type RawHeaders = readonly string[]

/** Why nobody is there to take the answer: the client left, or it took less than 64 KiB in 10 seconds. */
export type Leaving = 'left' | 'too slow'

/** What a connection hears of its exchanges. */
export interface Owner {
  /** The answer is complete, but not yet on its way. `bytes` count as unsent until `sent`. */
  ended(exchange: Exchange, bytes: number): void
  /** The client took a piece of a long answer. */
  took(bytes: number): void
  /** No other answer is owed and none is wanted after this one. */
  isLast(exchange: Exchange): boolean
  isHead(exchange: Exchange): boolean
}

/** Bytes this few are cheaper to copy than to write apart from their head. */
const smallAnswerBytes = 16 * 1024
/** A longer answer goes out in pieces of this size, so that it shows whether the client takes it. */
const pieceBytes = 64 * 1024

const noBody = Buffer.alloc(0)

export class Exchange {
  readonly method: string
  /** Path and query string as on the request line. */
  readonly target: string
  /** Called at most once, when there is nobody left to hear the answer before it is out. */
  onGone: (() => void) | undefined
  /** Why nobody is there, once nobody is. */
  leaving: Leaving | undefined
  /** Closed when the answer is out, or there is nobody to take it. */
  held: { close(): void } | undefined
  /** The answer has been handed over whole, but may still be on its way. */
  isEnded = false
  /** The client has to take something before more can be written. */
  isBlocked = false
  /** Bytes that count as unsent. */
  unsent = 0
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  readonly #owner: Owner
  #isGone = false
  #awaitsGoAhead: boolean
  #resume: (() => void) | undefined
  /** What is left of a long answer. */
  #rest: Uint8Array | undefined

  constructor(message: IncomingMessage, response: ServerResponse, owner: Owner, awaitsGoAhead: boolean) {
    this.method = message.method as string
    this.target = message.url as string
    this.#message = message
    this.#response = response
    this.#owner = owner
    this.#awaitsGoAhead = awaitsGoAhead
  }

  get rawHeaders(): RawHeaders {
    return this.#message.rawHeaders
  }

  get headers(): IncomingMessage['headers'] {
    return this.#message.headers
  }

  /** Declared length of the body in bytes, 0 without a body, undefined for a chunked one. */
  get length(): number | undefined {
    return declaredLength(this.#message)
  }

  /** The body, whole. Throws BodyTooLarge, or BodyCut where its end never comes. */
  collect(maxBytes: number, reserve?: Reserve): Promise<Buffer> {
    const { length } = this
    // Node does not tell of the end of what has none.
    if (length === 0) return Promise.resolve(noBody)
    if (isTooLarge(length, maxBytes)) return Promise.reject(new BodyTooLarge(maxBytes))
    this.#goAhead()
    return collect(this.#message, maxBytes, reserve)
  }

  /** The body in pieces as they arrive. Leaving the loop early does not end the connection. */
  stream(): AsyncIterable<Uint8Array> {
    this.#goAhead()
    return readPieces(this.#message)
  }

  /** Whether somebody is there to hear the answer. */
  get isOpen(): boolean {
    return !this.#isGone && !this.#response.destroyed
  }

  get hasBegun(): boolean {
    return this.#response.headersSent
  }

  /** Status that was sent, 0 before. */
  get status(): number {
    return this.#response.headersSent ? this.#response.statusCode : 0
  }

  /** The whole body has arrived. */
  get isRead(): boolean {
    return this.#message.complete
  }

  /** A whole answer; `headers` are the shell's from now on. `close` ends the connection with it. */
  send(status: number, headers: Record<string, string | number>, body: string | Uint8Array, close = false): void {
    if (!this.isOpen || this.isEnded) return
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    // A client that has not sent the body need not send it any more. A large upload is not read to its end for nothing.
    if (close || (!this.#message.complete && (this.#awaitsGoAhead || bytesToCome(this.#message) > smallUploadBytes))) {
      closeAfter(this.#response)
    }
    this.#endIfLast()
    headers['content-length'] = length
    this.#response.writeHead(status, headers)
    this.#end(this.method === 'HEAD' ? undefined : body)
  }

  /** The head of an answer in pieces: names and values as an object, or raw pairs that are sent as they are. */
  begin(status: number, headers: Headers | RawHeaders, statusText = ''): void {
    if (!this.isOpen) return
    this.#endIfLast()
    const response = this.#response
    // An upstream's answer keeps its own date, or none.
    if (Array.isArray(headers)) response.sendDate = false
    // Node takes raw pairs as they are; its types know objects only.
    const all = headers as Record<string, string>
    if (reasonPhrase.test(statusText)) response.writeHead(status, statusText, all)
    else response.writeHead(status, all)
  }

  /** False when the client reads slower than we write; `resume` is called when it is time for more. */
  write(chunk: Uint8Array | string, resume: () => void): boolean {
    if (this.#response.write(chunk)) return true
    this.#resume = resume
    this.#block()
    return false
  }

  end(chunk?: Uint8Array): void {
    if (this.isOpen && !this.isEnded) this.#end(chunk)
  }

  /** The rest is missing: the client must not take the answer for a whole one. */
  breakOff(): void {
    if (!this.isOpen) return
    // A reset, not an end: without chunks (HTTP/1.0) an end would look like that of the answer. Those before it go first.
    if (this.#owner.isHead(this)) this.#message.socket.resetAndDestroy()
    else this.#response.destroy()
  }

  /** For a client that may be gone and does not tell: a closed connection answers with a reset. */
  probe(): void {
    if (!this.#response.headersSent && this.#message.httpVersionMinor === 1) this.#response.writeProcessing()
    else if (!this.#response.headersSent) this.#message.socket.destroy()
  }

  /** The socket has taken everything. */
  drained(): void {
    if (this.isBlocked) this.#response.emit('drain')
  }

  /** Nobody is there any more. */
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
    this.#message.once('end', end).resume()
    const timer = setTimeout(end, drainMs)
    response.once('close', () => clearTimeout(timer))
  }
}

/** A reason phrase that may be sent on. */
const reasonPhrase = /^[\t\u0020-\u007e\u0080-\u00ff]+$/
