/** Errors of preparing -> what is wrong with the statement, as a table over SQLSTATEs, and where. */
import type { Mistake, StatementDescription } from '../../../description.ts'
import type { Statement } from '../../../model.ts'
import { cureOfDenied } from '../sessions/missing-right.ts'
import { positionOfError } from '../sessions/postgres-failures.ts'
import type { Refusal } from './types.ts'

/** SQLSTATE or its class; the first that fits. */
const mistakes: readonly (readonly [prefix: string, mistake: Mistake])[] = [
  ['42P01', 'unknown-table'],
  ['3F000', 'unknown-name'],
  ['42703', 'unknown-column'],
  ['42702', 'ambiguous'],
  ['42P09', 'ambiguous'],
  ['42883', 'unknown-function'],
  ['42601', 'syntax'],
  ['42704', 'unknown-name'],
  ['42501', 'permission'],
  ['42725', 'type'],
  ['42804', 'type'],
  ['42809', 'type'],
  ['42846', 'type'],
  ['42P08', 'type'],
  ['42P18', 'type'],
  ['42P21', 'type'],
  ['42P22', 'type'],
  ['22', 'type'],
  ['42', 'syntax'],
  ['0A', 'syntax'],
  // A view that takes no rows; a view without data.
  ['55000', 'syntax'],
  ['54', 'syntax'],
]

type Failed = Exclude<StatementDescription, { outcome: 'described' }>

export function toFailed({ error, isUnknownFunction, hasTypeInQuestion }: Refusal, statement: Statement): Failed {
  const { code = '', message, detail, hint } = error
  const known = mistakes.find(([prefix]) => code.startsWith(prefix))?.[1]
  // It says nothing about the statement: the server had no time, no memory or no connection to spare.
  if (known === undefined) return { outcome: 'unchecked', reason: `${message} (SQLSTATE ${code})` }
  const { line, column } = positionOfError(error, statement) ?? statement
  const cure = hint ?? (code === '42501' ? cureOfDenied(message, error.sent?.role) : undefined)
  return { outcome: 'failed', mistake: judged(known), code, message, detail, hint: cure, line, column }

  function judged(mistake: Mistake): Mistake {
    if (isUnknownFunction) return 'unknown-function'
    if (hasTypeInQuestion) return 'parameter-type'
    // An operator, or a function that is there for other types.
    return mistake === 'unknown-function' ? 'type' : mistake
  }
}

const identifier = String.raw`(?:[\p{L}_][\p{L}\p{N}_$]*|"(?:[^"]|"")+")`
const call = new RegExp(String.raw`(?:${identifier}\s*\.\s*)*(${identifier})\s*\(`, 'uy')

/** The name of the function, without its schema, that is called at this place of a text. */
export function functionAt(text: string, offset: number): string | undefined {
  call.lastIndex = offset
  const name = call.exec(text)?.[1]
  return name?.startsWith('"') === true ? name.slice(1, -1).replaceAll('""', '"') : name?.toLowerCase()
}
