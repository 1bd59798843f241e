/**
 * An exchange of the HTTP shell as the request path knows it: request, upload and response writer in one object. Turns
 * the shell's errors into those that a caller gets.
 */
import { BodyCut, BodyTooLarge, type Exchange } from '@services/http-shell'
import { CallerGone, Failure } from '../errors.ts'
import type { FileReply, ResponseWriter, RawHeaders, Reply, Request, Reserve, Upload } from '../model.ts'

export class Inbound implements Request, Upload, ResponseWriter {
  readonly method: string
  readonly target: string
  bytes = 0
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.method = exchange.method
    this.target = exchange.target
    this.#exchange = exchange
  }

  get requestId(): string {
    return this.#exchange.requestId
  }

  get traceparent(): string | undefined {
    return this.#exchange.traceparent
  }

  set traceparent(traceparent: string | undefined) {
    this.#exchange.traceparent = traceparent
  }

  get headers(): RawHeaders {
    return this.#exchange.rawHeaders
  }

  get peer(): string | undefined {
    return this.#exchange.peer
  }

  get upload(): Upload {
    return this
  }

  get length(): number | undefined {
    return this.#exchange.length
  }

  async collect(maxBytes: number, reserve?: Reserve): Promise<Uint8Array> {
    try {
      return await this.#exchange.collect(maxBytes, reserve)
    } catch (error) {
      if (error instanceof BodyCut) throw new CallerGone()
      if (!(error instanceof BodyTooLarge)) throw error
      const { message, limit } = error
      throw new Failure('request_too_large', message, { extras: { limit }, cause: error })
    }
  }

  stream(): AsyncIterable<Uint8Array> {
    return this.#exchange.stream()
  }

  get isOpen(): boolean {
    return this.#exchange.isOpen
  }

  get hasBegun(): boolean {
    return this.#exchange.hasBegun
  }

  get status(): number {
    return this.#exchange.status
  }

  get onGone(): (() => void) | undefined {
    return this.#exchange.onGone
  }

  set onGone(callback: (() => void) | undefined) {
    this.#exchange.onGone = callback
  }

  get held(): ResponseWriter['held'] {
    return this.#exchange.held
  }

  set held(held: ResponseWriter['held']) {
    this.#exchange.held = held
  }

  send({ status, body, headers }: Reply | FileReply): void {
    this.#count(typeof body === 'string' ? Buffer.byteLength(body) : body.length)
    this.#exchange.send(status, { 'content-type': 'application/json', ...headers }, body)
  }

  begin(status: number, statusText: string, headers: RawHeaders): void {
    this.#exchange.begin(status, headers, statusText)
  }

  write(chunk: Uint8Array, resume: () => void): boolean {
    this.#count(chunk.length)
    return this.#exchange.write(chunk, resume)
  }

  end(chunk?: Uint8Array): void {
    if (chunk !== undefined) this.#count(chunk.length)
    this.#exchange.end(chunk)
  }

  breakOff(): void {
    this.#exchange.breakOff()
  }

  /** Nobody takes what is sent to a caller who has left, and a reply to HEAD has no body. */
  #count(bytes: number): void {
    if (this.method !== 'HEAD' && this.#exchange.isOpen) this.bytes += bytes
  }
}
