/** How long an answer may get, and how a long one becomes a stream. */
import { Readable } from 'node:stream'
import { formats } from '../formats/formats.ts'
import type { Result, Work } from '../model.ts'
import type { History } from './pool/history.ts'

/** A result longer than this is sent while its rows come; until then an error is still answered as one. Bytes. */
export const collectLimit = 1024 * 1024
/** From then on rows are handed over in pieces of about this size. */
export const pieceSize = 64 * 1024
/** So much of a stream may wait for its reader before the database is made to wait. */
const maxBacklog = 4 * pieceSize

/**
 * Longest answer that is collected whatever comes, in bytes of column text: that of a batch, or of a statement in the middle
 * of a file. No single row may be longer.
 */
export const maxResultLength = 64 * 1024 * 1024

/** What is answered where there is nothing to run: a file without statements, a batch without sets. */
export function emptyResult({ sets, batch, format }: Work): string {
  const { nothing } = formats[format]
  return batch ? `[${sets.map(() => nothing).join(',')}]` : nothing
}

/** Where a statement puts what has grown beyond `collectLimit`. */
export class Sink {
  readonly #open: (stream: Readable) => void
  #stream: Readable | undefined
  /** Of the statement that writes here: one with a long result is to run alone from then on. */
  history: History | undefined
  /** Called when the reader wants more after a `write` that said no, and when it has gone. */
  onWanted: (() => void) | undefined

  constructor(open: (stream: Readable) => void) {
    this.#open = open
  }

  /** The answer has become a stream: an error can no longer be told in words. */
  get isOpen(): boolean {
    return this.#stream !== undefined
  }

  /** Bytes that wait for the reader. */
  get waiting(): number {
    return this.#stream?.readableLength ?? 0
  }

  /** Nobody reads any more; what is written is dropped. */
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
    // Whoever reads hears of it too; unheard, it would end the process.
    stream.on('error', () => undefined)
    this.history?.recordLarge()
    this.#open(stream)
    return stream
  }
}

/**
 * Runs what makes an answer and gives the answer: the whole of it, or the stream that it has become, in which case what `run`
 * resolves with is the end of the stream and what it rejects with is the stream's error.
 */
export function deliver(run: (sink: Sink) => Promise<Result>): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>()
  const sink = new Sink(resolve)
  const running = run(sink)
  running.then(
    (answer) => (sink.isOpen ? sink.end(answer) : resolve(answer)),
    // A promise that is resolved with a rejected one rejects.
    (error: unknown) => (sink.isOpen ? sink.fail(error as Error) : resolve(running)),
  )
  return promise
}
