/**
 * The body of a request that Node.js reads, whole and up to a limit, or in pieces. Owns what has arrived of it and
 * has not been taken, and when the connection is not read because of that. A service that counts bytes hears of them
 * before they are kept, and may delay the reader.
 */
import type { IncomingMessage } from 'node:http'
import { BodyCut, BodyTooLarge, type Reserve } from '../exchange/body.ts'
import { readAheadBytes } from '../exchange/limits.ts'
import { Pieces } from '../exchange/pieces.ts'

/** In bytes; 0 without a body, undefined where the length is not declared. */
export function declaredLength({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  const length = headers['content-length']
  return length === undefined ? 0 : Number(length)
}

/**
 * HTTP/1.0 has no chunks: a program that passes them on in it may take something else for the end of the body (RFC
 * 9112, 6.1).
 */
export function isFramedUnsurely({ httpVersionMinor, headers }: IncomingMessage): boolean {
  return httpVersionMinor === 0 && headers['transfer-encoding'] !== undefined
}

/** The connection that a body arrives on. */
export interface Input {
  /** Reads nothing more of it, or goes on. */
  setFull(isFull: boolean): void
}

/** Use of the body: not asked for yet, taken by the service, or dropped. */
type Use = 'kept' | 'taken' | 'dropped'

export class Upload {
  readonly #message: IncomingMessage
  readonly #input: Input
  readonly #pieces = new Pieces()
  #maxBytes = Infinity
  #use: Use = 'kept'
  /** The reader waits for more. */
  #isWanted = false
  #isFull = false
  #isCut = false
  /** Called when a piece has arrived, with its length, and when the body has ended or its end will never come. */
  #onNews: ((bytes: number) => void) | undefined

  constructor(message: IncomingMessage, input: Input) {
    this.#message = message
    this.#input = input
    message.on('data', (chunk: Buffer) => this.#arrived(chunk))
    message.on('end', () => this.#ended(false))
    // Asked first, because every body ends with this event.
    message.on('close', () => {
      if (!this.#isWhole) this.#ended(true)
    })
    message.on('error', () => this.#ended(true))
  }

  get #isWhole(): boolean {
    return this.#message.readableEnded
  }

  /** The whole body, counted as it arrives. Throws BodyTooLarge or BodyCut. */
  collect(maxBytes: number, reserve?: Reserve): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const length = declaredLength(this.#message)
    let waiting: Promise<void> | undefined
    const giveUp = (reason: Error): void => {
      this.drop()
      reject(reason)
    }
    const goOn = (room: Promise<void>): void => {
      if (waiting !== room) return
      waiting = undefined
      if (this.#isWhole) resolve(this.#pieces.take())
      else this.#want()
    }
    const count = (bytes: number, isWhole: boolean): void => {
      const room = reserve?.(bytes, giveUp, isWhole)
      if (room === undefined) return
      waiting = room
      this.#isWanted = false
      room.then(
        () => goOn(room),
        (error: unknown) => giveUp(error instanceof Error ? error : new BodyCut()),
      )
    }
    const onNews = (bytes: number): void => {
      if (this.#isCut) giveUp(new BodyCut())
      else if (this.#pieces.length > maxBytes) giveUp(new BodyTooLarge(maxBytes))
      else if (bytes > 0) count(bytes, this.#isWhole || this.#pieces.length === length)
      else if (this.#isWhole && waiting !== undefined) count(0, true)
      if (this.#isWhole && waiting === undefined) resolve(this.#pieces.take())
    }
    this.#use = 'taken'
    this.#maxBytes = maxBytes
    this.#onNews = onNews
    this.#want()
    onNews(this.#pieces.length)
    return promise
  }

  /**
   * The body in pieces, as they arrive. If its reader leaves early, the rest is dropped: a client that sends everything
   * before it reads would otherwise wait for ever.
   */
  async *stream(): AsyncIterable<Uint8Array> {
    this.#use = 'taken'
    try {
      for (;;) {
        if (this.#pieces.length > 0) yield this.#pieces.take()
        else if (this.#isWhole) return
        else if (this.#isCut) throw new BodyCut()
        else await this.#news()
      }
    } finally {
      this.drop()
    }
  }

  /** Reads what still comes, and keeps nothing of it. */
  drop(): void {
    this.#use = 'dropped'
    this.#onNews = undefined
    this.#pieces.drop()
    this.#want()
  }

  /** Does the same, unless a reader takes the body. */
  dropUnwanted(): void {
    if (this.#use === 'kept') this.drop()
  }

  #news(): Promise<void> {
    this.#want()
    return new Promise((resolve) => {
      this.#onNews = () => {
        this.#onNews = undefined
        this.#isWanted = false
        resolve()
      }
    })
  }

  #arrived(chunk: Buffer): void {
    if (this.#use === 'dropped') return
    this.#pieces.add(chunk, this.#maxBytes)
    this.#onNews?.(chunk.length)
    if (!this.#isWanted && !this.#isFull && this.#pieces.length >= readAheadBytes) this.#setFull(true)
  }

  /** Nothing more comes. */
  #ended(isCut: boolean): void {
    this.#isCut = isCut
    if (this.#isFull) this.#setFull(false)
    this.#onNews?.(0)
  }

  #want(): void {
    this.#isWanted = true
    if (this.#isFull) this.#setFull(false)
  }

  #setFull(isFull: boolean): void {
    this.#isFull = isFull
    this.#input.setFull(isFull)
  }
}

/** What is left of the upload at most. */
export function bytesToCome(message: IncomingMessage): number {
  if (message.complete) return 0
  return declaredLength(message) ?? Infinity
}
