/**
 * The pieces of a body as they arrive, up to a limit. Each piece costs more than a hundred bytes besides its own, so
 * a client that sends a mebibyte byte by byte would fill a hundred: small ones are joined on the way.
 */

/** This many small pieces in a row become one. */
const runLength = 64
/** A piece of this size costs little besides itself. */
const largeBytes = 4096

export class Pieces {
  readonly #pieces: Buffer[] = []
  /** Small ones at the end. */
  #run = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Buffers that hold them. */
  get count(): number {
    return this.#pieces.length
  }

  /** False when the limit is exceeded. */
  add(piece: Buffer, maxBytes: number): boolean {
    this.#length += piece.length
    if (this.#length > maxBytes) return false
    this.#pieces.push(piece)
    this.#run = piece.length < largeBytes ? this.#run + 1 : 0
    if (this.#run === runLength) this.#joinRun()
    return true
  }

  join(): Buffer {
    return this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces, this.#length)
  }

  /** All of them; the next ones begin anew. */
  take(): Buffer {
    const whole = this.join()
    this.drop()
    this.#length = 0
    this.#run = 0
    return whole
  }

  /** Nobody wants them any more. */
  drop(): void {
    this.#pieces.length = 0
  }

  #joinRun(): void {
    const joined = Buffer.concat(this.#pieces.splice(-runLength))
    this.#pieces.push(joined)
    this.#run = joined.length < largeBytes ? 1 : 0
  }
}
