/**
 * What every round trip with PostgreSQL is to the wire: how it is sent, and who is given its frames. The kinds are in
 * execution.ts, flight.ts, call-flight.ts and questions.ts.
 */
import type { ByteWriter } from '../rows/bytes.ts'
import { type ColumnDescription, readColumns } from './frames.ts'

/** What waits for the end of a round trip. */
export interface Listener {
  /** The server is ready again, or the connection is lost. With the first error, if there was one. Must not throw. */
  ended(error: unknown): void
}

/** One round trip with the server. The `handle..` methods are called in the order in which the frames come in. */
export abstract class RoundTrip {
  /** Set when it is submitted. */
  listener: Listener | undefined
  /** A query of ours that goes ahead in the same flight, for what it does to it; cleared when it has run. */
  ahead: string | undefined
  #error: unknown

  /** Writes the round trip's messages, the last of them a Sync (or a simple query, which has one built in). */
  abstract send(out: ByteWriter): void

  /** Keeps the first error; the round trip ends with it when the server is ready again. */
  fail(error: unknown): void {
    this.#error ??= error
  }

  settle(): void {
    this.listener?.ended(this.#error)
  }

  /** Others wait for its end. */
  get isShared(): boolean {
    return false
  }

  get hasFailed(): boolean {
    return this.#error !== undefined
  }

  /** The server has accepted the statement, whatever comes later. */
  handleParsed(): void {}
  /** The values fit the types; from here on the statement runs. */
  handleBound(): void {}
  handleParameterTypes(_types: readonly number[]): void {}
  handleColumns(_columns: readonly ColumnDescription[]): void {}
  /** The same as bytes, which must be read before the call returns. */
  handleDescription(source: Buffer, at: number, _end: number): void {
    this.handleColumns(readColumns(source, at))
  }
  /** A row; `source` must be read before the call returns. */
  handleRow(_source: Buffer, _at: number, _end: number): void {}
  /** A row longer than any result may be. */
  handleHugeRow(): void {}
  /** The statement has come to its end. */
  handleComplete(): void {}
}
