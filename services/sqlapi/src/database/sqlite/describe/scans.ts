/**
 * Statements -> the tables that their plans read as a whole. SQLite knows how many rows a table has where somebody has
 * run ANALYZE; of other tables nothing is said.
 */
import type { StatementPlan, TableScan } from '../../../description.ts'
import type { Statement } from '../../../model.ts'
import { lex } from '../../../sql/lex.ts'
import { grammar } from '../grammar.ts'
import { render } from '../render.ts'
import type { SqliteConnection } from '../worker/library.ts'
import { type AskedFile, withConnection } from './connection.ts'

export function plansOf(file: AskedFile, statements: readonly Statement[]): Promise<StatementPlan[]> {
  if (file.path === undefined) return Promise.resolve(statements.map(() => ({ scans: [] })))
  return withConnection(file, (connection) => {
    const rows = rowsByTable(connection)
    return statements.map((statement) => ({
      scans: rows.size === 0 ? [] : scansOfText(connection, render(statement, []).text, rows),
    }))
  })
}

function rowsByTable(connection: SqliteConnection): ReadonlyMap<string, number> {
  if (connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'").get() === undefined)
    return new Map()
  const rows = connection
    .prepare('SELECT lower(tbl) AS name, max(CAST(stat AS integer)) AS count FROM sqlite_stat1 GROUP BY lower(tbl)')
    .all() as { name: string; count: number }[]
  return new Map(rows.map(({ name, count }) => [name, count]))
}

const scan = /^SCAN (\S+)(?! .*USING)/

function scansOfText(connection: SqliteConnection, text: string, rows: ReadonlyMap<string, number>): TableScan[] {
  let steps: { detail: string }[]
  try {
    steps = connection.prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[]
  } catch {
    // No statement with a plan.
    return []
  }
  return steps.flatMap(({ detail }) => {
    const shown = scan.exec(detail)?.[1]?.toLowerCase()
    const table = shown === undefined || rows.has(shown) ? shown : behindAlias(text, shown, rows)
    const count = rows.get(table ?? '')
    return table === undefined || count === undefined ? [] : [{ table, rows: count }]
  })
}

/** The plan shows the alias: `orders o`, `orders AS o`. */
function behindAlias(text: string, alias: string, rows: ReadonlyMap<string, number>): string | undefined {
  const words = lex(text, grammar).map(({ start, end }) =>
    text
      .slice(start, end)
      .replaceAll(/^["`[]|["`\]]$/g, '')
      .toLowerCase(),
  )
  for (const [index, word] of words.entries()) {
    const before = words[index - 1] === 'as' ? words[index - 2] : words[index - 1]
    if (word === alias && before !== undefined && rows.has(before)) return before
  }
  return undefined
}
