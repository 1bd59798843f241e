/**
 * A call whose response goes to the caller while it arrives. A response without a declared length is collected first,
 * up to the limit, so that the caller can still be told if it is too large.
 */
import { Pieces } from '@services/http-shell'
import type { ResponseWriter, RawHeaders } from '../model.ts'
import type { Call } from './client.ts'
import { foreignAnswer, UpstreamCall, tooLarge, type Way } from './upstream-call.ts'
import { bodyless, type Inbound, toInbound } from './headers.ts'
import type { Room } from './room.ts'

/** What a call did for the log. */
export interface Outcome {
  readonly status: number
  readonly errorCode: string | undefined
  /** What the body of an error of X-Road begins with. */
  readonly errorStart: Uint8Array | undefined
}

const maxErrorBytes = 8192

export class Streamed extends UpstreamCall<Outcome> {
  readonly #isHead: boolean
  readonly #messageId: string | undefined
  #head: Inbound | undefined
  #status = 0
  #statusText = ''
  /** Collected until the end, because the length was not declared. */
  #pieces: Pieces | undefined
  #left = 0
  /** The start of an error of X-Road, for the log. */
  #told: Pieces | undefined
  #isEnded = false

  constructor(way: Way, call: Call, writer: ResponseWriter, room?: Room) {
    super(way, call, writer, room)
    this.#isHead = call.method === 'HEAD'
    this.#messageId = call.messageId
  }

  /** Nothing is said before the body comes: until then the caller can still be told what went wrong. */
  protected override onHead(status: number, statusText: string, received: RawHeaders): void {
    this.#status = status
    this.#statusText = statusText
    this.#head = toInbound(received, status, this.#messageId)
    const { contentLength } = this.#head
    const foreignId = this.#head.foreignId ?? (this.isOfOtherLane(this.#head) ? 'a SOAP message' : undefined)
    if (foreignId !== undefined) return this.fail(foreignAnswer(this.#messageId ?? '', foreignId))
    if (this.#isHead || bodyless.has(status)) return
    if (contentLength === undefined) this.#collect()
    else if (contentLength > this.limits.maxResponseBytes) this.fail(tooLarge(this.limits))
    else this.#left = contentLength
  }

  protected override onData(chunk: Buffer): void {
    if (this.#pieces !== undefined) {
      if (!this.#pieces.add(chunk, this.limits.maxResponseBytes)) this.fail(tooLarge(this.limits))
      else this.waitFor(this.room?.grow(this.#pieces.length, 1))
      return
    }
    this.#begin()
    if (this.#head?.errorCode !== undefined) this.#tell(chunk)
    this.#left -= chunk.length
    // The last piece goes with the end: one write less, and for a small response the only one.
    if (this.#left === 0) {
      this.#isEnded = true
      this.writer.end(chunk)
    } else if (!this.writer.write(chunk, this.resume)) {
      this.pause()
    }
  }

  protected override onEnd(): Outcome {
    const collected = this.#pieces?.join()
    if (!this.#isEnded) {
      this.#begin()
      this.writer.end(collected)
    }
    const errorCode = this.#head?.errorCode
    const errorStart =
      errorCode === undefined ? undefined : (collected?.subarray(0, maxErrorBytes) ?? this.#told?.join())
    return { status: this.#status, errorCode, errorStart }
  }

  #tell(chunk: Buffer): void {
    this.#told ??= new Pieces()
    this.#told.add(chunk.subarray(0, maxErrorBytes - this.#told.length), maxErrorBytes)
  }

  #collect(): void {
    this.#pieces = new Pieces()
    void this.room?.expect(0, 1)
  }

  #begin(): void {
    if (!this.writer.hasBegun) this.writer.begin(this.#status, this.#statusText, this.#head?.headers ?? [])
  }
}
