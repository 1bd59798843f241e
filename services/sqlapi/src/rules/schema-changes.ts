/**
 * A statement -> the command by which it changes the schema, rights or stored data as a whole, if it does. Nothing for
 * what is gone with the session.
 */
import type { Script } from '../model.ts'
import { temporaryTable } from './data-changes.ts'
import { Reading } from './reading.ts'
import type { TokenRules } from '../sql/grammar.ts'

const commands = new Set(
  'CREATE ALTER DROP REFRESH GRANT REVOKE COMMENT REINDEX CLUSTER VACUUM REASSIGN IMPORT SECURITY'.split(' '),
)

export interface SchemaChange {
  readonly command: string
  /** Number of its token. */
  readonly at: number
}

export function findSchemaChange(reading: Reading, script: Script, rules: TokenRules): SchemaChange | undefined {
  const first = reading.wordAt(0)
  const into = first === 'SELECT' || first === 'WITH' ? selectInto(reading) : undefined
  if (!commands.has(first) && into === undefined) return undefined
  if (isTemporary(reading, script, rules)) return undefined
  return into === undefined ? { command: first, at: 0 } : { command: 'SELECT INTO', at: into }
}

/** `SELECT .. INTO t FROM` makes a table. */
function selectInto(reading: Reading): number | undefined {
  const before = new Set(['INSERT', 'MERGE', 'REPLACE'])
  for (const at of reading.tokens.keys()) {
    if (reading.wordAt(at) === 'INTO' && !before.has(reading.wordAt(at - 1))) return at
  }
  return undefined
}

const temporary = new Set(['TEMP', 'TEMPORARY', 'PG_TEMP'])

/** Temporary itself, or about a table that the file makes as a temporary one, wherever in it. */
function isTemporary(reading: Reading, { statements }: Script, rules: TokenRules): boolean {
  if (reading.tokens.some((_, at) => temporary.has(reading.wordAt(at)))) return true
  const names = new Set(reading.tokens.map((_, at) => reading.nameAt(at)))
  return statements.some((statement) => {
    if (!statement.pieces.some((piece) => /\btemp/i.test(piece))) return false
    const made = temporaryTable(new Reading(statement, rules))
    return made !== undefined && names.has(made)
  })
}
