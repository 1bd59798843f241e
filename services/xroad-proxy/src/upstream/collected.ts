/** A call whose response is kept whole, up to the limit. */
import { Pieces } from '@services/http-shell'
import type { RawHeaders } from '../model.ts'
import { UpstreamCall, tooLarge } from './upstream-call.ts'

export interface UpstreamResponse {
  readonly status: number
  /** The last one, where the header is repeated. */
  readonly contentType: string | undefined
  readonly headers: RawHeaders
  readonly body: Uint8Array
  /** Says whether it belongs to its call, if that is verified. Once. */
  readonly source: { settle(isOwn: boolean): void }
}

/** A response, and what is made of it, which is about as long. */
const perByte = 2

export class Collected extends UpstreamCall<UpstreamResponse> {
  #status = 0
  #contentType: string | undefined
  #headers: RawHeaders = []
  readonly #pieces = new Pieces()

  protected override onHead(status: number, _statusText: string, headers: RawHeaders): void {
    this.#status = status
    let length = 0
    this.#headers = headers
    for (let i = 0; i < headers.length; i += 2) {
      const name = (headers[i] as string).toLowerCase()
      if (name === 'content-type') this.#contentType = headers[i + 1]
      else if (name === 'content-length') length = Number(headers[i + 1])
    }
    if (length > this.limits.maxResponseBytes) this.fail(tooLarge(this.limits))
    else this.waitFor(this.room?.expect(length, perByte))
  }

  protected override onData(chunk: Buffer): void {
    if (!this.#pieces.add(chunk, this.limits.maxResponseBytes)) this.fail(tooLarge(this.limits))
    else this.waitFor(this.room?.grow(this.#pieces.length, perByte))
  }

  protected override onEnd(): UpstreamResponse {
    return {
      status: this.#status,
      contentType: this.#contentType,
      headers: this.#headers,
      body: this.#pieces.join(),
      source: this,
    }
  }
}
