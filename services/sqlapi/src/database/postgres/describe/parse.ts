/** Scripts -> whether PostgreSQL's parser can read their statements, without any server. */
import type { OfflineDescription } from '../../../description.ts'
import type { Script, Statement } from '../../../model.ts'
import { offsetOfPoint, positionOf } from '../../../sql/position.ts'
import { ParseError, parseSql } from '../parser.ts'
import { render } from '../plans/plan.ts'
import { sqlStates } from '../plans/sql-states.ts'

export function parseScripts(scripts: readonly Script[]): Promise<readonly (readonly OfflineDescription[])[]> {
  return Promise.all(scripts.map(({ statements }) => Promise.all(statements.map(parseStatement))))
}

async function parseStatement(statement: Statement): Promise<OfflineDescription> {
  // What is refused without asking is reported without asking.
  if (statement.refusal !== undefined) return { outcome: 'parsed' }
  const shape = 'n'.repeat(statement.names.length)
  const rendered = render(statement, shape, { membership: false, perSlot: false })
  try {
    await parseSql(rendered.text)
    return { outcome: 'parsed' }
  } catch (error) {
    // What is too large for the parser may not be too large for a server.
    if (!(error instanceof ParseError)) return { outcome: 'parsed' }
    const { message, position } = error
    const offset = position === undefined ? 0 : offsetOfPoint(rendered.text, position + 1)
    const { line, column } = positionOf(statement, rendered, offset)
    const code = sqlStates.syntaxError
    return { outcome: 'failed', mistake: 'syntax', code, message, detail: undefined, hint: undefined, line, column }
  }
}
