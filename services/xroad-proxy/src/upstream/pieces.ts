/** The pieces of a body as they arrive, up to a cap. */
export class Pieces {
  readonly #chunks: Buffer[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  /** False when the cap is passed. */
  add(chunk: Buffer, maxBytes: number): boolean {
    this.#length += chunk.length
    if (this.#length > maxBytes) return false
    this.#chunks.push(chunk)
    return true
  }

  join(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#length)
  }
}
