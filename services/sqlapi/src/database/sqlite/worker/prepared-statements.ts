/**
 * The statements that one connection knows: numbers and texts come in, what SQLite has prepared of them goes out, and
 * what it says of each without running it: whether it may run very long, whether its rows are one at most, where a
 * mistake is. session.ts runs them.
 */
import type { RowFormat } from '../../../formats/format.ts'
import { Writers } from '../../../formats/writers.ts'
import { givesOneRow, type Instruction, mayRunOn } from './bytecode.ts'
import type { SqliteConnection, SqliteStatement } from './library.ts'
import { findMistake, messageOf } from './mistake.ts'
import { compileRowWriter, type RowWriter } from './rows.ts'

/** Prepared statements kept; the oldest goes first. */
const maxPrepared = 1000

/** A database with fewer pages is scanned in no time. */
const smallPages = 4096

const explained = /^(?:SELECT|VALUES|WITH|INSERT|REPLACE|UPDATE|DELETE|CREATE)\b/i

export interface Prepared {
  readonly statement: SqliteStatement
  /** Undefined when the statement has no result set. */
  readonly writers: Writers<RowWriter> | undefined
  /**
   * How often SQLite had prepared the statement again, after a change of the schema, when the writers were compiled.
   */
  reprepared: number
  /** It gives no more than one row, as long as SQLite has not prepared it again. */
  isOneRow: boolean
}

export class PreparedStatements {
  #connection: SqliteConnection
  readonly #texts = new Map<number, string>()
  /** Whether a statement may run very long, as long as the schema is this one. */
  readonly #runsOn = new Map<number, { readonly schemaVersion: unknown; readonly verdict: boolean }>()
  #prepared = new Map<number, Prepared>()
  /** Asked for each group of writes. */
  #versionQuery: SqliteStatement | undefined
  /** The version of the schema that was seen last. */
  #schemaVersion: unknown
  #defersSince: unknown
  #defers = false

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** Another connection takes the place of the one before, where nothing is prepared yet. */
  moveTo(connection: SqliteConnection): void {
    this.#connection = connection
    this.#prepared = new Map()
    this.#versionQuery = undefined
  }

  learn(texts: Iterable<readonly [statement: number, text: string]>): void {
    for (const [statement, text] of texts) this.#texts.set(statement, text)
  }

  /**
   * Whether a commit may find a broken constraint that the statement itself did not: then what a statement has done is
   * known only with its commit, and a later statement may repair it. To be asked inside a transaction, so that nobody
   * changes the schema.
   */
  defersConstraints(): boolean {
    this.noticeSchema()
    if (this.#defersSince !== this.#schemaVersion) {
      this.#defersSince = this.#schemaVersion
      // No pragma tells which foreign keys are deferred. A text that mentions it otherwise costs nothing but speed.
      this.#defers = askOne(this.#connection, "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%deferred%'") !== 0
    }
    return this.#defers
  }

  /** Call it when what is known about statements has to be true. */
  noticeSchema(): void {
    this.#versionQuery ??= this.#connection.prepare('PRAGMA schema_version')
    this.#schemaVersion = this.#versionQuery.get()?.['schema_version']
  }

  /**
   * Whether the statement may run very long. Inside a write transaction that is certain, elsewhere as certain as the
   * schema that was seen last.
   */
  mayRunOn(statement: number, isWrite: boolean): boolean {
    const known = this.#runsOn.get(statement)
    if (known !== undefined && known.schemaVersion === this.#schemaVersion) return known.verdict
    const text = this.#texts.get(statement) ?? ''
    const isSmall = (askOne(this.#connection, 'PRAGMA page_count') as number) < smallPages
    const verdict = mayRunOn(this.#explain(text), isWrite, isSmall)
    if (this.#runsOn.size >= maxPrepared) this.#runsOn.clear()
    this.#runsOn.set(statement, { schemaVersion: this.#schemaVersion, verdict })
    return verdict
  }

  /** Whether the statement has been prepared, as all have that ran here and did not fail. */
  knows(number: number): boolean {
    return this.#prepared.has(number)
  }

  /** Prepares the statement, if it is not. Throws for one that is wrong. */
  prepare(number: number): Prepared {
    const known = this.#prepared.get(number)
    if (known !== undefined) return known
    const text = this.#texts.get(number) as string
    const statement = this.#compile(text)
    statement.setReturnArrays(true)
    statement.setReadBigInts(true)
    const compile = (format: RowFormat): RowWriter => compileRowWriter(statement.columns(), format)
    const hasRows = statement.columns().length > 0
    const entry = {
      statement,
      writers: hasRows ? new Writers(compile) : undefined,
      reprepared: 0,
      isOneRow: hasRows && givesOneRow(this.#explain(text)),
    }
    const [oldest] = this.#prepared.keys()
    if (this.#prepared.size >= maxPrepared && oldest !== undefined) this.#prepared.delete(oldest)
    this.#prepared.set(number, entry)
    return entry
  }

  /** Where in the text of a statement the mistake is that the message names, if it names one. */
  findMistake(number: number, message: string): number | undefined {
    return findMistake(this.#texts.get(number) ?? '', message, (text) => messageOf(this.#connection, text))
  }

  /** A statement that has failed stays in the middle of it, which would stop a rollback and fail its next run. */
  forget(number: number): void {
    ;(this.#prepared.get(number)?.statement as { close?(): void } | undefined)?.close?.()
    this.#prepared.delete(number)
  }

  /**
   * What another process has done to the schema SQLite notices when a statement runs, not when one is prepared: until
   * then it may say of a column that is gone that it is there already.
   */
  #compile(text: string): SqliteStatement {
    try {
      return this.#connection.prepare(text)
    } catch {
      askOne(this.#connection, 'SELECT 1 FROM sqlite_schema LIMIT 1')
      return this.#connection.prepare(text)
    }
  }

  /** The program of the statement; nothing for others (PRAGMA, BEGIN), of which some would be done by being asked. */
  #explain(text: string): Instruction[] {
    if (!explained.test(text)) return []
    return this.#connection.prepare(`EXPLAIN ${text}`).all() as unknown as Instruction[]
  }
}

/**
 * Call it when the statement has run to its first row, or its end: after a change of the schema SQLite prepares it
 * again then, and its columns may be others.
 */
export function writerOf(entry: Prepared, format: RowFormat): RowWriter {
  // Node 24 cannot count the preparations, so there the writer is made again each time.
  const count = (entry.statement as { stat?(counter: string): number }).stat?.('reprepare')
  if (count !== entry.reprepared) {
    entry.writers?.forget()
    entry.isOneRow = false
  }
  entry.reprepared = count ?? 0
  return entry.writers?.find(format) as RowWriter
}

/** The only value of the only row. */
export function askOne(connection: SqliteConnection, sql: string): unknown {
  return Object.values(connection.prepare(sql).get() ?? {})[0]
}
