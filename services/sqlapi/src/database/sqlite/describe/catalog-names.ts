/** Asks SQLite what there is, for code that has named something that does not exist. */
import type { CatalogNames } from '../../../description.ts'
import type { SqliteConnection } from '../worker/library.ts'
import { type AskedFile, withConnection } from './connection.ts'

/** More are not looked at: a guess is not worth it. */
const maxNames = 20_000

export function namesOf(file: AskedFile): Promise<CatalogNames> {
  return withConnection(file, askForNames)
}

function askForNames(connection: SqliteConnection): CatalogNames {
  const list = (query: string, ...values: string[]): string[] =>
    (connection.prepare(query).all(...values) as { name: string }[]).map(({ name }) => name)
  const tables = list(`SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') LIMIT ${maxNames}`)
  const columnsOf = (table: string): string[] => {
    try {
      return list('SELECT name FROM pragma_table_xinfo(?)', table)
    } catch {
      // A view of something that is gone.
      return []
    }
  }
  return {
    tables: tables.map((name) => ({ name, columns: columnsOf(name) })),
    functions: list('SELECT DISTINCT name FROM pragma_function_list'),
    others: list('SELECT name FROM pragma_database_list'),
  }
}
