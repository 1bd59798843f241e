/**
 * Scripts -> whether SQLite's parser can read their statements. It is asked in a database in memory that has no tables,
 * so what it says of names does not count.
 */
import type { OfflineDescription } from '../../../description.ts'
import type { Script, Statement } from '../../../model.ts'
import { positionOf } from '../../../sql/position.ts'
import { render } from '../render.ts'
import { openEmpty, type SqliteConnection } from '../worker/library.ts'
import { findMistake, messageOf } from '../worker/mistake.ts'
import { isPragma } from './pragma.ts'

export function parseScripts(scripts: readonly Script[]): Promise<readonly (readonly OfflineDescription[])[]> {
  const connection = openEmpty()
  try {
    return Promise.resolve(
      scripts.map(({ statements }) => statements.map((statement) => parseStatement(connection, statement))),
    )
  } finally {
    connection.close()
  }
}

const syntaxErrors = /syntax error$|^unrecognized token|^incomplete input$/s

function parseStatement(connection: SqliteConnection, statement: Statement): OfflineDescription {
  // What is refused without asking is reported without asking.
  if (statement.refusal !== undefined || isPragma(statement)) return { outcome: 'parsed' }
  const rendered = render(statement, [])
  const message = messageOf(connection, rendered.text)
  if (message === undefined || !syntaxErrors.test(message)) return { outcome: 'parsed' }
  const offset = findMistake(rendered.text, message, (text) => messageOf(connection, text))
  const { line, column } = offset === undefined ? statement : positionOf(statement, rendered, offset)
  return { outcome: 'failed', mistake: 'syntax', code: '1', message, detail: undefined, hint: undefined, line, column }
}
