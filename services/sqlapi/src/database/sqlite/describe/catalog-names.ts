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
  const columns = connection.prepare(
    `SELECT t.name AS owner, c.name AS name FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
     WHERE t.type IN ('table', 'view') LIMIT ${maxNames}`,
  )
  const tables = Map.groupBy(columns.all() as { owner: string; name: string }[], ({ owner }) => owner)
  const functions = connection.prepare('SELECT DISTINCT name FROM pragma_function_list').all() as { name: string }[]
  return {
    tables: Array.from(tables, ([name, own]) => ({ name, columns: own.map((column) => column.name) })),
    functions: functions.map(({ name }) => name),
  }
}
