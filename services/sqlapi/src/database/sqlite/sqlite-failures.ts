/**
 * Errors of SQLite -> the failures that clients get. Passes SQLite's message on, except for those that quote
 * the SQL (`near "x": syntax error`, `unrecognized token: "x"`).
 */
import { Failure } from '../../errors.ts'
import type { JsonValue } from '../../model.ts'
import { positionOf, sourceOf } from '../../sql/position.ts'
import {
  inSet,
  onlyParameter,
  StatementFailure,
  syntaxError,
  timeoutMessage,
  type Verdict,
} from '../statement-failure.ts'
import { redact, type RedactOptions } from '../redact.ts'
import { cureOfCode } from './access.ts'
import type { Location } from './location.ts'
import { JobFailure } from './workplaces/assignment.ts'
import type { StatementText } from './jobs/statements.ts'

const quotesSql = /syntax error|unrecognized token|incomplete input|contains no statements/

/** A check that has no name is reported with its SQL, and an index on expressions with its name. */
const constraintName = /^(CHECK constraint failed): .*|^(UNIQUE constraint failed): index '.*/s

/** `textOf` gives a statement by its number, and how it was written. */
export function toFailure(
  error: unknown,
  textOf: (statement: number) => StatementText,
  { batch, location }: { readonly batch: boolean; readonly location: Location },
): Failure {
  const options = { cause: error }
  // Nobody knows how far the statement got, and it is not the cause.
  if (!(error instanceof JobFailure)) return new Failure('connection_lost', undefined, options)
  const { reason, code, message, statement: number, set, offset, timeoutSeconds } = error.error
  const text = number === undefined ? undefined : textOf(number)
  const ofSet = (failure: Failure): Failure => (batch && set !== undefined ? (inSet(failure, set) as Failure) : failure)
  if (timeoutSeconds !== undefined && text !== undefined) {
    const { statement } = text
    const told = timeoutMessage(timeoutSeconds, `statement at line ${statement.line}`)
    const verdict: Verdict = {
      statement,
      code: undefined,
      text: message,
      position: undefined,
      more: {},
      redact: (words) => words,
    }
    return ofSet(new StatementFailure('statement_timeout', told, verdict, options))
  }
  const place = text === undefined ? '' : `, statement at line ${text.statement.line}`
  const state = code === undefined ? '' : ` (SQLite ${code}${place})`
  const shown = quotesSql.test(message) ? syntaxError : message.replace(constraintName, '$1$2')
  if (text === undefined || code === undefined) {
    return new Failure(reason ?? 'transaction_failed', `${shown}${state}`, options)
  }
  const { statement } = text
  const verdict: Verdict = {
    statement,
    code: error.code,
    text: message,
    position: offset === undefined ? undefined : positionOf(statement, text, offset),
    more: { code },
    redact: (words, values) => redact(words, values, { sql: sourceOf(statement), quotes: quotesOf(code) }),
    cureOf: () => cureOfCode(code, location),
    // SQLite wanted an integer, and does not say of which value.
    parameterIn: (set) => (code === mismatch ? onlyParameter(statement.names, set, isNoInteger) : undefined),
    wanted: code === mismatch ? 'integer' : undefined,
  }
  return ofSet(new StatementFailure('statement_failed', `${shown}${state}`, verdict, options))
}

/** The words of a broken constraint (SQLITE_CONSTRAINT, in its low byte) are the schema's. */
function quotesOf(code: number): RedactOptions['quotes'] {
  if (code === raised) return 'author'
  return (code & 0xff) === 19 ? 'schema' : 'names'
}

/** SQLITE_MISMATCH, of a key or a LIMIT. */
const mismatch = 20

function isNoInteger(value: JsonValue): boolean {
  const text = typeof value === 'object' && value !== null && 'digits' in value ? value.digits : value
  return typeof text !== 'string' || !/^\s*[+-]?\d+(?:\.0*)?\s*$/.test(text)
}

/** SQLITE_CONSTRAINT_TRIGGER: the words are those of a RAISE. */
const raised = 1811

/** An error of opening the datasource; `closed` says why this process may not, if that is the reason. */
export function toOpenFailure(error: unknown, datasource: string, closed: string | undefined): Failure {
  return new Failure(
    'datasource_unreachable',
    `Datasource '${datasource}' cannot be opened; its file is missing, closed to the service or no database, which the log explains`,
    { cause: closed === undefined ? error : new Error(closed, { cause: error }) },
  )
}

/** A deleted file is not created again: its owner may be about to put another one there. */
export function toGoneFailure(datasource: string): Failure {
  const cure = 'put a file in its place, or restart the service to have an empty one made'
  return new Failure('database_file_deleted', `The file of datasource '${datasource}' was deleted; ${cure}`)
}

export function toFullFailure({ name, maxConnections }: { name: string; maxConnections: number }): Failure {
  const statements = `${maxConnections} statements that were given up still run (max_connections ${maxConnections})`
  const cure = 'wait for their end, or restart the service'
  return new Failure('workers_exhausted', `No worker of datasource '${name}' can be started: ${statements}; ${cure}`)
}
