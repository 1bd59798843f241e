/**
 * Builds bytes: messages to the server (frontend-messages.ts), JSON for the client (rows.ts). They are written into a
 * slab; what has been taken out as bytes is never written to again, and the rest of the slab goes on being used. So a
 * long result is neither copied nor allocated by itself, and a slab is free when the last result in it has been sent.
 */

const slabSize = 64 * 1024
/** A larger slab is not kept when it is empty. */
const largestKept = 1024 * 1024

export class ByteWriter {
  /** Writers of hot loops store here directly, from `at` on, in the room that they have reserved, and move `at` on. */
  bytes = Buffer.allocUnsafeSlow(slabSize)
  at = 0
  #start = 0

  /** Bytes written and not taken yet. */
  get length(): number {
    return this.at - this.#start
  }

  /** Makes room for `count` more bytes; `bytes` and `at` may have changed afterwards. */
  reserve(count: number): void {
    if (this.at + count > this.bytes.length) this.#moveToNewSlab(count)
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.at++] = value
  }

  int16(value: number): void {
    this.reserve(2)
    this.at = this.bytes.writeUInt16BE(value, this.at)
  }

  int32(value: number): void {
    this.reserve(4)
    this.at = this.bytes.writeInt32BE(value, this.at)
  }

  uint32(value: number): void {
    this.reserve(4)
    this.at = this.bytes.writeUInt32BE(value, this.at)
  }

  /** Writes the text as UTF-8; gives the number of bytes. */
  text(value: string): number {
    // A UTF-16 code unit makes at most three bytes; for long texts it pays to count them.
    this.reserve(value.length * 3 <= slabSize ? value.length * 3 : Buffer.byteLength(value))
    const count = this.bytes.write(value, this.at)
    this.at += count
    return count
  }

  copy(source: Buffer): void {
    this.reserve(source.length)
    this.at += source.copy(this.bytes, this.at)
  }

  /** Drops what was written after the first `length` bytes. */
  truncate(length: number): void {
    this.at = this.#start + length
    this.#shrink()
  }

  /** What was written since the last time, as text; its place is used again. */
  takeText(): string {
    const text = this.bytes.toString('utf8', this.#start, this.at)
    this.at = this.#start
    this.#shrink()
    return text
  }

  /** What was written since the last time, without a copy. */
  take(): Buffer {
    const taken = this.bytes.subarray(this.#start, this.at)
    this.#start = this.at
    this.#shrink()
    return taken
  }

  #shrink(): void {
    if (this.length === 0 && this.bytes.length > largestKept) this.#moveToNewSlab(0)
  }

  #moveToNewSlab(count: number): void {
    const { length } = this
    // At least twice what is there, so that a long result is not moved for every row.
    const slab = Buffer.allocUnsafeSlow(Math.max(slabSize, 2 * length, length + count))
    this.bytes.copy(slab, 0, this.#start, this.at)
    this.bytes = slab
    this.#start = 0
    this.at = length
  }
}
