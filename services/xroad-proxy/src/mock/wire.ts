/**
 * One request and the connection that it came on: reads the body, sends answers whole, in pieces, or broken in the ways
 * that `failures/` asks for. Everything that waits ends when the client leaves. Knows HTTP and TCP, nothing of X-Road.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Header = readonly [name: string, value: string]

export interface MockReply {
  readonly status: number
  /** Content-Type. */
  readonly type: string
  /** Beyond Content-Type and the framing, in order, repeats included. */
  readonly headers: readonly Header[]
  readonly body: Buffer
}

/** Piece of the answer for each tick of a trickle, in bytes and milliseconds. */
const trickleBytes = 1
const trickleMs = 100

export class Wire {
  readonly request: IncomingMessage
  /** The service code that was asked for, once it is known. */
  service: string | undefined
  readonly #response: ServerResponse
  /** The TCP connection under TLS: the only way to send a reset. */
  readonly #connection: Socket

  constructor(request: IncomingMessage, response: ServerResponse, connection: Socket) {
    this.request = request
    this.#response = response
    this.#connection = connection
  }

  /** The body in pieces, each given to `take`. False when the client left before its end. */
  async read(take: (chunk: Buffer) => void): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const { request } = this
    request.on('data', take)
    request.once('end', () => resolve(true))
    request.once('close', () => resolve(false))
    request.once('error', () => resolve(false))
    return promise
  }

  /** Whether nothing has been answered yet. */
  get isUntouched(): boolean {
    return !this.#response.headersSent
  }

  /** Called once, when the answer has gone out or the connection is gone. */
  onOver(report: (outcome: string) => void): void {
    const response = this.#response
    response.once('close', () => {
      const status = response.headersSent ? String(response.statusCode) : 'no answer'
      report(response.writableFinished ? status : `${status}, broken off`)
    })
  }

  send(answer: MockReply): void {
    const hasBody = answer.status !== 204 && answer.status !== 304
    this.#head(answer, hasBody ? ['Content-Length', String(answer.body.length)] : [])
    this.#response.end(hasBody ? answer.body : undefined)
  }

  /** Head and the pieces, at the speed of the client; chunked where no length is declared. */
  async stream(answer: MockReply, pieces: Iterable<Buffer>, length?: number): Promise<void> {
    const response = this.#response
    this.#head(answer, length === undefined ? chunked : ['Content-Length', String(length)])
    let wake = (): void => undefined
    response.on('drain', () => wake())
    response.once('close', () => wake())
    for (const piece of pieces) {
      if (response.destroyed) return
      if (response.write(piece)) continue
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
    response.end()
  }

  /** The whole answer, a byte at a time. */
  trickle(answer: MockReply): void {
    this.#head(answer, ['Content-Length', String(answer.body.length)])
    let sent = 0
    const timer = setInterval(() => {
      this.#response.write(answer.body.subarray(sent, sent + trickleBytes))
      sent += trickleBytes
      if (sent >= answer.body.length) this.#response.end()
    }, trickleMs)
    this.#response.once('close', () => clearInterval(timer))
  }

  /** The head, declared or chunked, and half of the body. `then` runs once they are on their way. */
  sendHalf(answer: MockReply, framing: 'declared' | 'chunked', then: () => void = () => undefined): void {
    this.#head(answer, framing === 'chunked' ? chunked : ['Content-Length', String(answer.body.length)])
    this.#response.write(answer.body.subarray(0, answer.body.length >> 1), then)
  }

  /** An orderly end of the connection, with whatever is missing of the answer. */
  hangUp(): void {
    this.#response.socket?.end()
  }

  /** TCP reset. */
  reset(): void {
    this.#connection.resetAndDestroy()
  }

  /** Bytes that are not HTTP, and the end of the connection. */
  sendRaw(bytes: string): void {
    this.#response.socket?.end(bytes)
  }

  #head(answer: MockReply, framing: readonly string[]): void {
    const response = this.#response
    // A Security Server announces neither the connection's fate nor how long it keeps idle ones.
    if (response.shouldKeepAlive) response.removeHeader('connection')
    const type = answer.type === '' ? [] : ['Content-Type', answer.type]
    response.writeHead(answer.status, [...type, ...answer.headers.flat(), ...framing])
  }
}

const chunked = ['Transfer-Encoding', 'chunked']
