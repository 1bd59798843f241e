/**
 * A worker's connection: transactions, one statement at a time, the files that it has open. The only file that runs the
 * files' SQL on SQLite. prepared-statements.ts has the statements, worker.ts knows to which jobs they belong and in
 * which order they come.
 */
import { Failure } from '../../../errors.ts'
import { maxResultLength } from '../../result.ts'
import { areInPlace, type DatabaseFiles, findFiles, isInPlace, keyOf } from '../files.ts'
import { openConnection, type OpenOptions, type SqliteConnection } from './library.ts'
import type { BoundStatement, Job } from '../worker-messages.ts'
import { askOne, type Prepared, PreparedStatements, writerOf } from './prepared-statements.ts'
import type { RowWriter, SqliteColumn } from './rows.ts'
import type { RowFormat } from '../../../formats/format.ts'

/** What becomes of the rows of a statement while they come. */
export interface Rows {
  readonly format: RowFormat
  /** Called between two rows. Throws to give the statement up. */
  readonly check: () => void
  /** Takes what has been written whenever it is long enough; without it everything is collected. */
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
  readonly statements: PreparedStatements
  #database: SqliteConnection
  /** The file under the database's name, as long as nobody touches it; undefined for a database in memory. */
  #files: DatabaseFiles | undefined
  #isLost = false
  /** Readers and the writer do not wait for each other. */
  readonly isWal: boolean

  constructor(options: OpenOptions) {
    this.#options = options
    this.#database = this.#open(options.uri, options.openElsewhere)
    this.statements = new PreparedStatements(this.#database)
    this.isWal = askOne(this.#database, 'PRAGMA journal_mode') === 'wal'
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

  /** The rows (their end, where pieces were taken), or nothing when the statement has no result set. */
  run({ statement: number, values }: BoundStatement, { format, check, pieces }: Rows): string | undefined {
    const entry = this.statements.prepare(number)
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

  /**
   * Leaves behind what the job has made of the session, so that the next one finds it as it was. What cannot be left
   * behind is lost with the session.
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

  /** Call it between a commit and its reply. Throws if the commit went into a file that nobody will find. */
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
    // Opened before the old one is closed: a database in memory lives as long as somebody has it open.
    this.requireFiles()
    const old = this.#database
    this.#database = this.#open(this.#options.uriOfExisting, this.#files)
    this.statements.moveTo(this.#database)
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
}

/**
 * In a new file, or one that nobody has open, the log and its index come with the first look. They have to be known
 * then.
 */
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
