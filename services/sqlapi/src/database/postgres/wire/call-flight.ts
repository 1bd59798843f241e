/**
 * Calls of several clients in one flight, each a statement that only reads: what waits while a pooler has another
 * flight in progress. They share a transaction that cannot write, so that the one that fails takes nothing from the
 * others; those behind it did not begin. Statements have no names, and one is parsed once for all calls that follow
 * each other.
 */
import type { ByteWriter } from '../rows/bytes.ts'
import type { Execution } from './execution.ts'
import { writeSync } from './frontend-messages.ts'
import { RoundTrip } from './round-trip.ts'

export class CallFlight<Call extends Execution> extends RoundTrip {
  readonly calls: readonly Call[]
  /** Whether others wait for the next flight. */
  readonly #hasFollowers: () => boolean
  #current = 0

  constructor(calls: readonly Call[], hasFollowers: () => boolean) {
    super()
    this.calls = calls
    this.#hasFollowers = hasFollowers
  }

  /** How many have come to their end; that at this number has failed, where one has. */
  get completed(): number {
    return this.#current
  }

  override get isShared(): boolean {
    return this.#current < this.calls.length - 1 || this.#hasFollowers()
  }

  send(out: ByteWriter): void {
    let previous: Call | undefined
    for (const call of this.calls) {
      call.write(out, call.prepared !== previous?.prepared || call.comment !== previous.comment)
      previous = call
    }
    writeSync(out)
  }

  override handleParsed(): void {
    this.calls[this.#current]?.handleParsed()
  }

  override handleBound(): void {
    this.calls[this.#current]?.handleBound()
  }

  override handleDescription(source: Buffer, at: number, end: number): void {
    this.calls[this.#current]?.handleDescription(source, at, end)
  }

  override handleRow(source: Buffer, at: number, end: number): void {
    this.calls[this.#current]?.handleRow(source, at, end)
  }

  override handleHugeRow(): void {
    this.calls[this.#current]?.handleHugeRow()
  }

  override handleComplete(): void {
    this.calls[this.#current]?.handleComplete()
    this.#current++
  }
}
