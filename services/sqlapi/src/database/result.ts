/** How long a result may get, and how a long one becomes a stream. */
import { Readable } from 'node:stream'
import { formats } from '../formats/formats.ts'
import type { Result, Work } from '../model.ts'
import type { History } from './pool/history.ts'

/**
 * A result longer than this is sent while its rows arrive; up to this length an error can still become the reply.
 * Bytes.
 */
export const collectLimit = 1024 * 1024
/** From then on rows are handed over in pieces of about this size. */
export const pieceSize = 64 * 1024
/** How much of a stream may wait for its reader before the database has to wait. */
const maxBacklog = 4 * pieceSize

/**
 * Longest result that is collected in any case, in bytes of column text: that of a batch, or of a statement in the
 * middle of a file. No single row may be longer.
 */
export const maxResultLength = 64 * 1024 * 1024

/** The result when there is nothing to run: a file without statements, a batch without sets. */
export function emptyResult({ sets, batch, format }: Work): string {
  const { nothing } = formats[format]
  return batch ? `[${sets.map(() => nothing).join(',')}]` : nothing
}

/** Where a statement writes its result once that has grown beyond `collectLimit`. */
export class Sink {
  readonly #open: (stream: Readable) => void
  #stream: Readable | undefined
  /** The history of the statement that writes here: after a long result it runs alone. */
  history: History | undefined
  /** How many rows there were, where the database counts them at the end. */
  rows = 0
  /** Called when the reader wants more after `write` returned false, and when the reader has gone. */
  onWanted: (() => void) | undefined

  constructor(open: (stream: Readable) => void) {
    this.#open = open
  }

  /** The result has become a stream: an error can no longer become the reply. */
  get isOpen(): boolean {
    return this.#stream !== undefined
  }

  /** Bytes that wait for the reader. */
  get waiting(): number {
    return this.#stream?.readableLength ?? 0
  }

  /** Nobody reads any more; whatever is written is dropped. */
  get isAbandoned(): boolean {
    return this.#stream?.destroyed === true
  }

  /** Hands a piece over. False when the reader has enough for now. */
  write(piece: Buffer | string): boolean {
    const stream = (this.#stream ??= this.#start())
    return stream.destroyed || stream.push(piece)
  }

  /** The last piece. */
  end(piece: Result): void {
    if (this.isAbandoned) return
    this.#stream?.push(piece)
    this.#stream?.push(null)
  }

  fail(error: Error): void {
    this.#stream?.destroy(error)
  }

  #start(): Readable {
    const stream = new Readable({
      highWaterMark: maxBacklog,
      read: () => this.onWanted?.(),
      destroy: (error, done) => {
        this.onWanted?.()
        done(error)
      },
    })
    // The reader has a listener too; without any the error would end the process.
    stream.on('error', () => undefined)
    this.history?.recordLarge()
    this.#open(stream)
    return stream
  }
}

/**
 * A sink whose result is promised: whole, or as the stream that it has become. In the second case the stream tells the
 * end.
 */
export class Delivery extends Sink {
  readonly #resolve: (result: Result) => void
  readonly #reject: (reason: unknown) => void

  constructor(resolve: (result: Result) => void, reject: (reason: unknown) => void) {
    super(resolve)
    this.#resolve = resolve
    this.#reject = reject
  }

  override end(piece: Result): void {
    if (this.isOpen) super.end(piece)
    else this.#resolve(piece)
  }

  override fail(error: Error): void {
    if (this.isOpen) super.fail(error)
    else this.#reject(error)
  }

  /** Takes the end, or the error, of what makes the result. */
  follow(running: Promise<Result>): void {
    running.then(
      (result) => this.end(result),
      (error: unknown) => this.fail(error as Error),
    )
  }
}

/**
 * Runs what makes a result and gives that result, whole or as the stream that it has become. In the second case `run`
 * resolves with the end of the stream, or rejects with its error.
 */
export function deliver(run: (sink: Sink) => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const delivery = new Delivery(resolve, reject)
    delivery.follow(run(delivery))
  })
}
