/** Errors of preparing on SQLite -> what is wrong with the statement, by SQLite's words, and where. */
import type { Mistake, StatementDescription } from '../../../description.ts'
import type { Statement } from '../../../model.ts'
import { positionOf, type Rendered } from '../../../sql/position.ts'

/** As Node.js passes errors of SQLite on. */
export interface SqliteError extends Error {
  readonly errcode?: number
}

const noUniqueIndex = 'create a unique index on these columns, or name columns that have one'

/** The first that fits; SQLite has one number for them all. A hint says what the code of the finding does not. */
const mistakes: readonly (readonly [pattern: RegExp, mistake: Mistake, hint?: string])[] = [
  [/^no such (?:table|view)/, 'unknown-table'],
  [/^(?:no such column|table .* has no column named)/, 'unknown-column'],
  [/^ambiguous column name/, 'ambiguous'],
  [/^(?:no such function|wrong number of arguments)/, 'unknown-function'],
  [/^(?:no such |unknown database |unable to identify the object)/, 'unknown-name'],
  [/ already exists$/, 'syntax', 'give it another name, or write IF NOT EXISTS'],
  [/^ON CONFLICT clause does not match/, 'syntax', noUniqueIndex],
  [
    /^table .* has .* columns but/,
    'type',
    'name the columns that get the values: INSERT INTO table (a, b) VALUES (..)',
  ],
  [/^.* values for .* columns/, 'type', 'write as many values as columns'],
  [/^(?:row value misused|sub-select returns)/, 'type', 'write one value here, or as many on both sides'],
]

function isOfTable(mistake: Mistake): boolean {
  return mistake === 'unknown-table' || mistake === 'unknown-column'
}

/** The statement does not have the name. */
const elsewhere = 'create it, or correct the view or trigger that names it'

const otherMistake = [/^/, 'syntax', undefined] as const

const primary = { error: 1, busy: 5, locked: 6, range: 25 }

function primaryCode({ errcode = 0 }: SqliteError): number {
  return errcode & 0xff
}

export function isBusy(error: unknown): boolean {
  const code = primaryCode(error as SqliteError)
  return code === primary.busy || code === primary.locked
}

/** Throws an error that is not about the statement: the file cannot be read. */
export function toFailed(
  error: SqliteError,
  { statement, rendered, offset }: { statement: Statement; rendered: Rendered; offset: number | undefined },
): StatementDescription {
  if (isBusy(error)) return { outcome: 'unchecked', reason: 'the file is locked by somebody else' }
  const code = primaryCode(error)
  if (code !== primary.error && code !== primary.range) throw error
  const { message } = error
  const { line, column } = offset === undefined ? statement : positionOf(statement, rendered, offset)
  const [, mistake, known] = mistakes.find(([pattern]) => pattern.test(message)) ?? otherMistake
  const hint = known ?? (offset === undefined && isOfTable(mistake) ? elsewhere : undefined)
  return {
    outcome: 'failed',
    mistake,
    code: String(error.errcode),
    message,
    detail: undefined,
    hint,
    line,
    column,
  }
}
