/**
 * What SQLite knows of its tables: which columns hold no null. Asked with PRAGMAs that only read, once for each table.
 */
import type { SqliteConnection } from '../worker/library.ts'

export class Tables {
  readonly #connection: SqliteConnection
  readonly #neverNull = new Map<string, ReadonlySet<string>>()
  #views: ReadonlySet<string> | undefined
  #aggregates: ReadonlySet<string> | undefined

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** Whether no row of the table holds a null in this column. */
  isNeverNull(database: string, table: string, column: string): boolean {
    const key = `${database}.${table}`
    let columns = this.#neverNull.get(key)
    if (columns === undefined) this.#neverNull.set(key, (columns = this.#find(database, table)))
    return columns.has(column.toLowerCase())
  }

  /** Names in lower case. */
  get views(): ReadonlySet<string> {
    return (this.#views ??= this.#names("SELECT name FROM pragma_table_list WHERE type = 'view'"))
  }

  /** Names of functions that can make one row of many. */
  get aggregates(): ReadonlySet<string> {
    return (this.#aggregates ??= this.#names("SELECT name FROM pragma_function_list WHERE type <> 's'"))
  }

  #find(database: string, table: string): ReadonlySet<string> {
    const [found] = this.#list('SELECT type, wr FROM pragma_table_list WHERE schema = ? AND name = ?', [
      database,
      table,
    ])
    // A virtual table holds what its module gives.
    if (found?.['type'] !== 'table') return new Set()
    const columns = this.#list('SELECT name, type, pk, "notnull" FROM pragma_table_xinfo(?, ?)', [table, database])
    const neverNull = columns.filter((column) => column['notnull'] === 1).map(nameOf)
    const keys = columns.filter(({ pk }) => pk !== 0)
    const [key] = keys
    // The number of a row never is; a key that has an index of its own is not that number.
    const isRowNumber = found['wr'] === 0 && keys.length === 1 && String(key?.['type']).toUpperCase() === 'INTEGER'
    if (isRowNumber && !this.#hasKeyIndex(database, table)) neverNull.push(nameOf(key as Row))
    // These are columns of tables where no other has the name.
    if (found['wr'] === 0)
      neverNull.push(...rowNumbers.filter((name) => columns.every((column) => nameOf(column) !== name)))
    return new Set(neverNull)
  }

  #hasKeyIndex(database: string, table: string): boolean {
    return this.#list("SELECT 1 FROM pragma_index_list(?, ?) WHERE origin = 'pk'", [table, database]).length > 0
  }

  #names(query: string): ReadonlySet<string> {
    return new Set(this.#list(query, []).map(nameOf))
  }

  #list(query: string, values: readonly string[]): Row[] {
    return this.#connection.prepare(query).all(...values)
  }
}

type Row = Readonly<Record<string, unknown>>

const rowNumbers = ['rowid', 'oid', '_rowid_']

function nameOf({ name }: Row): string {
  return String(name).toLowerCase()
}
