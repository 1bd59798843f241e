/**
 * The answer to a request, as the request path writes it: a reply of our own, or an upstream's answer in pieces. Owns what a
 * client sees when its upload is not wanted, and how an answer that cannot be finished ends.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FileReply, Outlet, RawHeaders, Reply } from '../model.ts'

/** The rest of an upload that nobody wants is read and dropped for so long, so that the client gets to read its answer. */
export const drainMs = 2000
/** An upload this small is simply read to its end. */
const smallUploadBytes = 64 * 1024
/** An answer this small is cheaper to copy than to write apart from its head. */
const smallAnswerBytes = 16 * 1024

export class ResponseOutlet implements Outlet {
  onGone: (() => void) | undefined
  held: { close(): void } | undefined
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  #isGone = false

  constructor(message: IncomingMessage, response: ServerResponse) {
    this.#message = message
    this.#response = response
    // An upstream's answer keeps its own date, or none.
    response.sendDate = false
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

  /** The client has left, or has its answer. */
  gone(): void {
    if (!this.#isGone && !this.#response.writableFinished) {
      this.#isGone = true
      this.onGone?.()
    }
    this.held?.close()
  }

  send({ status, body, headers = {} }: Reply | FileReply): void {
    const response = this.#response
    if (!this.isOpen) return
    // Too much to be read to its end for nothing.
    if (bytesToCome(this.#message) > smallUploadBytes) response.shouldKeepAlive = false
    response.sendDate = true
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers })
    this.end(this.#message.method === 'HEAD' ? undefined : body)
  }

  begin(status: number, statusText: string, headers: RawHeaders): void {
    // Node takes raw pairs as they are; its types know objects only.
    const raw = headers as unknown as Record<string, string>
    if (reason.test(statusText)) this.#response.writeHead(status, statusText, raw)
    else this.#response.writeHead(status, raw)
  }

  write(chunk: Uint8Array, resume: () => void): boolean {
    if (this.#response.write(chunk)) return true
    this.#response.once('drain', resume)
    return false
  }

  /** A text goes out as UTF-8, and so does what `begin` was not called for. */
  end(chunk?: Uint8Array | string): void {
    const response = this.#response
    if (!response.shouldKeepAlive && bytesToCome(this.#message) !== 0) this.#endAfterUpload(chunk)
    // Head and bytes go out in one write when both are text to the HTTP server, one character for each byte.
    else if (Buffer.isBuffer(chunk) && chunk.length <= smallAnswerBytes)
      response.end(chunk.toString('latin1'), 'latin1')
    else response.end(chunk)
  }

  /** Ended only when the upload has: Node closes the connection with the answer, whatever is still on its way. */
  #endAfterUpload(chunk?: Uint8Array | string): void {
    const message = this.#message
    const response = this.#response
    if (chunk === undefined || chunk.length === 0) response.flushHeaders()
    else response.write(chunk)
    const end = (): void => void response.end()
    message.once('end', end).resume()
    const timer = setTimeout(end, drainMs)
    response.once('close', () => clearTimeout(timer))
  }

  breakOff(): void {
    this.#response.destroy()
  }
}

/** A reason phrase that may be sent on. */
const reason = /^[\t\u0020-\u007e\u0080-\u00ff]+$/

/** What is left of the upload at most. */
function bytesToCome({ headers, complete }: IncomingMessage): number {
  if (complete) return 0
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity
}
