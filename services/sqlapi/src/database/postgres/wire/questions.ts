/**
 * Round trips of the service itself, a class for each: what it asks or tells a server, and what it keeps of the
 * response. execution.ts runs the statements of the files.
 */
import type { ByteWriter } from '../rows/bytes.ts'
import type { Values } from './execution.ts'
import { type ColumnDescription, readTexts } from './frames.ts'
import {
  writeBind,
  writeClose,
  writeDescribe,
  writeExecute,
  writeParse,
  writeQuery,
  writeSync,
} from './frontend-messages.ts'
import { RoundTrip } from './round-trip.ts'

/**
 * Prepares a text, to learn whether it can be and which types the server sees; unless it is told otherwise without a
 * name.
 */
export class Description extends RoundTrip {
  readonly #text: string
  readonly #types: readonly number[]
  readonly #name: string
  parameters: readonly number[] = []
  /** Stays undefined where there is no result set. */
  columns: readonly ColumnDescription[] | undefined

  constructor(text: string, types: readonly number[], name = '') {
    super()
    this.#text = text
    this.#types = types
    this.#name = name
  }

  send(out: ByteWriter): void {
    writeParse(out, this.#name, this.#text, this.#types)
    writeDescribe(out, this.#name)
    writeSync(out)
  }

  override handleParameterTypes(types: readonly number[]): void {
    this.parameters = types
  }

  override handleColumns(columns: readonly ColumnDescription[]): void {
    this.columns = columns
  }
}

/** Runs a text of our own, which may hold several commands, for its effect. */
export class Command extends RoundTrip {
  readonly #text: string
  /** First values of its rows that are not empty. */
  readonly names: string[] = []

  constructor(text: string) {
    super()
    this.#text = text
  }

  send(out: ByteWriter): void {
    writeQuery(out, this.#text)
  }

  override handleRow(source: Buffer, at: number): void {
    const [name] = readTexts(source, at)
    if (name) this.names.push(name)
  }
}

/** Runs a query of our own and keeps its rows as text. */
export class Listing extends RoundTrip {
  readonly #text: string
  readonly #values: Values
  readonly rows: (readonly (string | null)[])[] = []

  constructor(text: string, values: Values) {
    super()
    this.#text = text
    this.#values = values
  }

  send(out: ByteWriter): void {
    writeParse(out, '', this.#text, [])
    writeBind(out, '', this.#values)
    writeExecute(out)
    writeSync(out)
  }

  override handleRow(source: Buffer, at: number): void {
    this.rows.push(readTexts(source, at))
  }
}

/** Closes a prepared statement. */
export class Closing extends RoundTrip {
  readonly #name: string

  constructor(name: string) {
    super()
    this.#name = name
  }

  send(out: ByteWriter): void {
    writeClose(out, this.#name)
    writeSync(out)
  }
}
