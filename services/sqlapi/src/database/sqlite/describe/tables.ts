/**
 * What SQLite knows of its tables: which columns hold no null, or values of one type only. Asked with PRAGMAs that only
 * read, once for each table.
 */
import type { SqliteConnection } from '../worker/library.ts'
import { isCompound, wordTree } from './word-tree.ts'

export class Tables {
  readonly #connection: SqliteConnection
  readonly #facts = new Map<string, Facts>()
  #hasCompoundView: boolean | undefined
  #views: ReadonlySet<string> | undefined
  #aggregates: ReadonlySet<string> | undefined

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** Whether no row of the table holds a null in this column. */
  isNeverNull(database: string, table: string, column: string): boolean {
    return this.#factsOf(database, table).neverNull.has(column.toLowerCase())
  }

  /** Whether every value of the column is of the declared type: in a STRICT table, and of the number of a row. */
  isExact(database: string, table: string, column: string): boolean {
    const { isStrict, rowNumbers } = this.#factsOf(database, table)
    return isStrict || rowNumbers.has(column.toLowerCase())
  }

  /** Some view has rows of several queries, whose columns are called by the types of one of them. */
  get hasCompoundView(): boolean {
    return (this.#hasCompoundView ??= this.#list(viewsQuery, []).some(({ sql }) => isCompound(wordTree(String(sql)))))
  }

  #factsOf(database: string, table: string): Facts {
    const key = `${database}.${table}`
    let facts = this.#facts.get(key)
    if (facts === undefined) this.#facts.set(key, (facts = this.#find(database, table)))
    return facts
  }

  /** Names in lower case. */
  get views(): ReadonlySet<string> {
    return (this.#views ??= this.#names("SELECT name FROM pragma_table_list WHERE type = 'view'"))
  }

  /** Names of functions that can make one row of many. */
  get aggregates(): ReadonlySet<string> {
    return (this.#aggregates ??= this.#names("SELECT name FROM pragma_function_list WHERE type <> 's'"))
  }

  #find(database: string, table: string): Facts {
    const [found] = this.#list('SELECT type, wr, strict FROM pragma_table_list WHERE schema = ? AND name = ?', [
      database,
      table,
    ])
    // A virtual table holds what its module gives.
    if (found?.['type'] !== 'table') return noFacts
    const columns = this.#list('SELECT name, type, pk, "notnull" FROM pragma_table_xinfo(?, ?)', [table, database])
    const neverNull = columns.filter((column) => column['notnull'] === 1).map(nameOf)
    const keys = columns.filter(({ pk }) => pk !== 0)
    const [key] = keys
    // The number of a row never is; a key that has an index of its own is not that number.
    const rowNumbers = new Set<string>()
    const isRowNumber = found['wr'] === 0 && keys.length === 1 && String(key?.['type']).toUpperCase() === 'INTEGER'
    if (isRowNumber && !this.#hasKeyIndex(database, table)) rowNumbers.add(nameOf(key as Row))
    // These are columns of tables where no other has the name.
    if (found['wr'] === 0) {
      for (const name of namesOfRowNumbers) {
        if (columns.every((column) => nameOf(column) !== name)) rowNumbers.add(name)
      }
    }
    return { neverNull: new Set([...neverNull, ...rowNumbers]), rowNumbers, isStrict: found['strict'] === 1 }
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

/** Names of columns are in lower case. */
interface Facts {
  readonly neverNull: ReadonlySet<string>
  readonly rowNumbers: ReadonlySet<string>
  readonly isStrict: boolean
}

const noFacts: Facts = { neverNull: new Set(), rowNumbers: new Set(), isStrict: false }

const namesOfRowNumbers = ['rowid', 'oid', '_rowid_']

const viewsQuery = `SELECT sql FROM sqlite_schema WHERE type = 'view'
  UNION ALL SELECT sql FROM sqlite_temp_schema WHERE type = 'view'`

function nameOf({ name }: Row): string {
  return String(name).toLowerCase()
}
