/**
 * A worker's connection: prepared statements, transactions, one statement at a time. The only file that runs the files' SQL on
 * SQLite. worker.ts knows to which jobs they belong and in which order they come.
 */
import { Failure } from '../../../errors.ts'
import { maxResultLength } from '../../result.ts'
import { givesOneRow, type Instruction, mayRunOn } from './bytecode.ts'
import { areInPlace, type DatabaseFiles, findFiles, isInPlace, keyOf } from '../files.ts'
import { openConnection, type OpenOptions, type SqliteConnection, type SqliteStatement } from './library.ts'
import type { BoundStatement, Job } from '../worker-messages.ts'
import { findMistake } from './mistake.ts'
import { compileRowWriter, type RowWriter, type SqliteColumn } from './rows.ts'
import type { RowFormat } from '../../../formats/format.ts'
import { Writers } from '../../../formats/writers.ts'

/** Prepared statements kept; the oldest goes first. */
const maxPrepared = 1000

/** A database with fewer pages is scanned in no time. */
const smallPages = 4096

const explained = /^(?:SELECT|VALUES|WITH|INSERT|REPLACE|UPDATE|DELETE|CREATE)\b/i

interface Prepared {
  readonly statement: SqliteStatement
  /** Undefined when the statement has no result set. */
  readonly writers: Writers<RowWriter> | undefined
  /** How often SQLite had prepared the statement anew, after a change of the schema, when the writers were compiled. */
  reprepared: number
  /** It gives no more than one row, as long as SQLite has not prepared it anew. */
  isOneRow: boolean
}

/** What becomes of the rows of a statement while they come. */
export interface Rows {
  readonly format: RowFormat
  /** Called between two rows. Throws to give the statement up. */
  readonly check: () => void
  /** Takes what has been written so far once it is so long; without it everything is collected. */
  readonly pieces?: Pieces | undefined
}

export interface Pieces {
  /** How long the next piece is to be. Characters. */
  readonly length: number
  send(json: string): void
}

export class Session {
  readonly #options: OpenOptions
  /** Read so far. */
  rows = 0
  readonly #texts = new Map<number, string>()
  /** Whether a statement may run on and on, as long as the schema is this one. */
  readonly #runsOn = new Map<number, { readonly schemaVersion: unknown; readonly verdict: boolean }>()
  #database: SqliteConnection
  /** Asked for each group of writes. */
  #versionQuery: SqliteStatement | undefined
  /** The file under the database's name, as long as nobody touches it; undefined for a database in memory. */
  #files: DatabaseFiles | undefined
  #prepared = new Map<number, Prepared>()
  /** The version of the schema that was seen last. */
  #schemaVersion: unknown
  #defersSince: unknown
  #defers = false
  #isLost = false
  /** Readers and the writer do not wait for each other. */
  readonly isWal: boolean

  constructor(options: OpenOptions) {
    this.#options = options
    this.#database = this.#open(options.uri, options.openElsewhere)
    this.isWal = this.#ask('PRAGMA journal_mode') === 'wal'
  }

  /** The files that were opened, where they are known. */
  get files(): DatabaseFiles | undefined {
    return this.#files
  }

  /** Whether the database is still what its name leads to. Costs one look at the file system. */
  get isInPlace(): boolean {
    return this.#files === undefined || isInPlace(this.#files)
  }

  /** Something of an earlier job is left: no other job may run here. */
  get isLost(): boolean {
    return this.#isLost
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction
  }

  learn(texts: Iterable<readonly [statement: number, text: string]>): void {
    for (const [statement, text] of texts) this.#texts.set(statement, text)
  }

  begin(kind: 'deferred' | 'immediate'): void {
    this.#database.exec(`BEGIN ${kind}`)
  }

  /** A file may have ended the transaction itself. */
  commit(): void {
    if (this.isTransaction) this.#database.exec('COMMIT')
  }

  rollback(): void {
    if (this.isTransaction) this.#database.exec('ROLLBACK')
  }

  /**
   * Whether a commit may find a broken constraint that the statement itself did not: then what a statement has done is known
   * only with its commit, and a later statement may mend it. To be asked inside a transaction, so that nobody changes the schema.
   */
  defersConstraints(): boolean {
    this.noticeSchema()
    if (this.#defersSince !== this.#schemaVersion) {
      this.#defersSince = this.#schemaVersion
      // No pragma tells which foreign keys are deferred. A text that mentions it otherwise costs nothing but speed.
      this.#defers = this.#ask("SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%deferred%'") !== 0
    }
    return this.#defers
  }

  /** To be called when what is known about statements has to be true. */
  noticeSchema(): void {
    this.#versionQuery ??= this.#database.prepare('PRAGMA schema_version')
    this.#schemaVersion = this.#versionQuery.get()?.['schema_version']
  }

  /**
   * Whether the statement may run on and on. Inside a write transaction that is certain, elsewhere as certain as the schema that
   * was seen last.
   */
  mayRunOn(statement: number, isWrite: boolean): boolean {
    const known = this.#runsOn.get(statement)
    if (known !== undefined && known.schemaVersion === this.#schemaVersion) return known.verdict
    const text = this.#texts.get(statement) ?? ''
    const isSmall = (this.#ask('PRAGMA page_count') as number) < smallPages
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
  prepare(number: number): void {
    this.#entryOf(number)
  }

  /** The rows (their end, where pieces were taken), or nothing when the statement has no result set. */
  run({ statement: number, values }: BoundStatement, { format, check, pieces }: Rows): string | undefined {
    const entry = this.#entryOf(number)
    if (entry.writers === undefined) {
      entry.statement.run(...values)
      return undefined
    }
    let text = ''
    let writer: RowWriter | undefined
    for (const row of rowsOf(entry, values)) {
      this.rows++
      if (text.length + lengthOf(row) > maxResultLength) throw new Failure('result_too_large')
      if (writer === undefined) {
        writer = writerOf(entry, format)
        text = writer.write(row, true)
      } else {
        check()
        text += writer.write(row, false)
      }
      if (pieces !== undefined && text.length > pieces.length) {
        pieces.send(text)
        text = ''
      }
    }
    return writer === undefined ? writerOf(entry, format).empty : text + writer.end
  }

  /** Where in the text of a statement the mistake is that the message tells of, if it tells of one. */
  findMistake(number: number, message: string): number | undefined {
    return findMistake(this.#texts.get(number) ?? '', message, (text) => {
      try {
        this.#database.prepare(text)
        return undefined
      } catch (error) {
        return (error as Error).message
      }
    })
  }

  /** A statement that has failed stays in the middle of it, which would stop a rollback and fail its next run. */
  forget(number: number): void {
    ;(this.#prepared.get(number)?.statement as { close?(): void } | undefined)?.close?.()
    this.#prepared.delete(number)
  }

  /**
   * Leaves behind what the job has made of the session, so that the next one finds it as it was. What cannot be left behind
   * is lost with the session.
   */
  settle({ transaction, touchesSession }: Job): void {
    try {
      if (transaction !== 'shared') this.rollback()
      if (touchesSession) this.#renew()
    } catch (error) {
      this.#isLost = true
      throw error
    }
  }

  /** To be called between a commit and its answer. Throws if the commit went into a file that nobody will find. */
  requireFiles(): void {
    if (this.#files === undefined || areInPlace(this.#files)) return
    this.#isLost = true
    throw new Failure('database_file_moved')
  }

  /** From now on no job begins. */
  lose(): void {
    this.#isLost = true
  }

  /** No job is begun any more. What was committed is brought into the database itself, wherever that is now. */
  leaveFiles(): void {
    this.#isLost = true
    try {
      this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch {
      // Nobody was told that it was saved.
    }
  }

  close(): void {
    this.#database.close()
  }

  #renew(): void {
    this.#prepared = new Map()
    this.#versionQuery = undefined
    // Opened before the old one is closed: a database in memory lives as long as somebody has it open.
    this.requireFiles()
    const old = this.#database
    this.#database = this.#open(this.#options.uriOfExisting, this.#files)
    old.close()
  }

  #open(uri: string, openElsewhere: DatabaseFiles | undefined): SqliteConnection {
    const { path } = this.#options
    if (path === undefined) return openConnection({ ...this.#options, uri })
    for (;;) {
      if (openElsewhere !== undefined && !areInPlace(openElsewhere)) throw new Error('The file was replaced just now')
      const key = keyOf(path)
      const connection = openConnection({ ...this.#options, uri })
      makeLogs(connection)
      this.#files = findFiles(path)
      // Otherwise it was replaced at this very moment, and it is unknown which one is open.
      if (this.#files !== undefined && (key === '' || key === keyOf(path))) return connection
      connection.close()
    }
  }

  #entryOf(number: number): Prepared {
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

  /**
   * What another process has done to the schema SQLite notices when a statement runs, not when one is prepared: until then
   * it may say of a column that is gone that it is there already.
   */
  #compile(text: string): SqliteStatement {
    try {
      return this.#database.prepare(text)
    } catch {
      this.#ask('SELECT 1 FROM sqlite_schema LIMIT 1')
      return this.#database.prepare(text)
    }
  }

  /** The program of the statement; nothing for others (PRAGMA, BEGIN), of which some would be done by being asked. */
  #explain(text: string): Instruction[] {
    if (!explained.test(text)) return []
    return this.#database.prepare(`EXPLAIN ${text}`).all() as unknown as Instruction[]
  }

  /** The only value of the only row. */
  #ask(sql: string): unknown {
    return Object.values(this.#database.prepare(sql).get() ?? {})[0]
  }
}

/** In a new file, or one that nobody has open, the log and its index come with the first look. They have to be known then. */
function makeLogs(connection: SqliteConnection): void {
  try {
    connection.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get()
  } catch {
    // If it cannot be read, each request reports that.
  }
}

function lengthOf(row: readonly SqliteColumn[]): number {
  let length = 0
  for (const value of row) if (typeof value === 'string' || value instanceof Uint8Array) length += value.length
  return length
}

/** An iterator takes as long as three short rows, and its rows one by one; so it is for those that may be many. */
function rowsOf({ statement, isOneRow }: Prepared, values: BoundStatement['values']): Iterable<SqliteColumn[]> {
  const rows: Iterable<unknown> = isOneRow ? statement.all(...values) : statement.iterate(...values)
  return rows as Iterable<SqliteColumn[]>
}

/**
 * To be called when the statement has run to its first row, or its end: after a change of the schema SQLite prepares it anew
 * then, and its columns may be others.
 */
function writerOf(entry: Prepared, format: RowFormat): RowWriter {
  // Node 24 cannot count the preparations, so there the writer is made anew each time.
  const count = (entry.statement as { stat?(counter: string): number }).stat?.('reprepare')
  if (count !== entry.reprepared) {
    entry.writers?.forget()
    entry.isOneRow = false
  }
  entry.reprepared = count ?? 0
  return entry.writers?.find(format) as RowWriter
}
