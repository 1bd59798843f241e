/**
 * The exchanges that the service has with PostgreSQL, one class each: what is sent and what is made of the answer.
 */
import { maxAnswerLength } from '../answer.ts'
import { type ColumnDescription, Exchange, type TextRow, type Wire } from './driver.ts'
import { declaredType, type Plan } from './plan.ts'
import type { RowWriter } from './rows.ts'

/** A result set's columns, with the writer that was compiled for them, if all their types are known yet. */
export interface ResultShape {
  readonly columns: readonly ColumnDescription[]
  writer: RowWriter | undefined
}

/** A plan that one connection has prepared, or is just preparing in the pipeline ahead. */
export interface Prepared {
  readonly plan: Plan
  /** Set when the server has described the statement; stays undefined when it has no result set. */
  result: ResultShape | undefined
}

/** Runs a plan: Parse and Describe where the connection has not prepared it, then Bind, Execute, Sync. */
export class Execution extends Exchange {
  readonly #prepared: Prepared
  readonly #values: readonly (string | null)[]
  readonly #isNew: boolean
  readonly #compile: (columns: readonly ColumnDescription[]) => RowWriter | undefined
  #json = ''
  /** Rows that came before their types were known. */
  readonly unwritten: TextRow[] = []
  #length = 0
  isParsed: boolean
  /** The server has begun to execute; before that nothing has happened. */
  isBound = false
  isTooLong = false

  constructor(
    prepared: Prepared,
    isNew: boolean,
    values: readonly (string | null)[],
    compile: (columns: readonly ColumnDescription[]) => RowWriter | undefined,
  ) {
    super()
    this.#prepared = prepared
    this.#isNew = isNew
    this.isParsed = !isNew
    this.#values = values
    this.#compile = compile
  }

  /** The rows as a JSON array. */
  get answer(): string {
    return this.#json === '' ? '[]' : `${this.#json}]`
  }

  send(wire: Wire): void {
    const { name, text, parameters } = this.#prepared.plan
    if (this.#isNew) {
      wire.parse({ name, text, types: parameters.map(declaredType) })
      wire.describe({ type: 'S', name })
    }
    wire.bind({ statement: name, values: this.#values })
    wire.execute()
    wire.sync()
  }

  override handleParsed(): void {
    this.isParsed = true
  }

  override handleBound(): void {
    this.isBound = true
  }

  override handleRowDescription({ fields }: { fields: readonly ColumnDescription[] }): void {
    this.#prepared.result = { columns: fields, writer: this.#compile(fields) }
  }

  override handleDataRow({ fields }: { fields: TextRow }): void {
    for (const text of fields) if (text !== null) this.#length += text.length
    const writer = this.#prepared.result?.writer
    // Looked at before the row is written, so that no string grows beyond what the engine can hold.
    if (this.#length > maxAnswerLength) this.isTooLong = true
    else if (writer === undefined) this.unwritten.push(fields)
    else this.#json += (this.#json === '' ? '[' : ',') + writer(fields)
  }
}

/** Prepares a text without a name, to learn whether it can be and which parameter types the server sees. */
export class Description extends Exchange {
  readonly #text: string
  readonly #types: readonly number[]
  reported: readonly number[] = []

  constructor(text: string, types: readonly number[]) {
    super()
    this.#text = text
    this.#types = types
  }

  send(wire: Wire): void {
    wire.parse({ name: '', text: this.#text, types: this.#types })
    wire.describe({ type: 'S', name: '' })
    wire.sync()
  }

  override handleParameterTypes(types: readonly number[]): void {
    this.reported = types
  }
}

/** Runs a text of our own, which may hold several commands, for its effect. */
export class Command extends Exchange {
  readonly #text: string

  constructor(text: string) {
    super()
    this.#text = text
  }

  send(wire: Wire): void {
    wire.query(this.#text)
  }
}

/** Runs a query of our own and keeps its rows as text. */
export class Listing extends Exchange {
  readonly #text: string
  readonly #values: readonly (string | null)[]
  readonly listed: TextRow[] = []

  constructor(text: string, values: readonly (string | null)[]) {
    super()
    this.#text = text
    this.#values = values
  }

  send(wire: Wire): void {
    wire.parse({ name: '', text: this.#text, types: [] })
    wire.bind({ statement: '', values: this.#values })
    wire.execute()
    wire.sync()
  }

  override handleDataRow({ fields }: { fields: TextRow }): void {
    this.listed.push(fields)
  }
}

/** Closes a prepared statement. */
export class Closing extends Exchange {
  readonly #name: string

  constructor(name: string) {
    super()
    this.#name = name
  }

  send(wire: Wire): void {
    wire.close({ type: 'S', name: this.#name })
    wire.sync()
  }
}
