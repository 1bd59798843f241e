/**
 * What went wrong on PostgreSQL -> the failure that the client is told. The server's message is passed on where it speaks of
 * data and names; where it could show the SQL, the server's address or a user name, a sentence of our own stands instead.
 */
import { Failure } from '../../../errors.ts'
import type { Statement } from '../../../model.ts'
import { offsetOfByte, offsetOfPoint, type Place, placeOf, type Rendered, sourceOf } from '../../../sql/place.ts'
import { tooLong } from '../../answer.ts'
import { ConnectionLost, StatementFailure, type Verdict } from '../../fault.ts'
import { redact, type RedactOptions } from '../../redact.ts'
import { statementTimeout } from '../../statement-timeout.ts'
import { ServerError } from '../wire/frames.ts'
import { NotStarted, type Session, TimedOut } from './session.ts'

/** SQLSTATE or its class -> message; `undefined` passes the server's own on. */
const messages: readonly (readonly [prefix: string, message: string])[] = [
  ['42601', 'Syntax error'],
  ['57014', 'The statement was cancelled'],
  ['08', 'The connection to the database was lost'],
  ['28', 'The database refused the credentials of the datasource'],
  ['53300', 'The database accepts no more connections'],
  ['57P', 'The database ended the connection'],
]

/** Codes that say nothing of the statement. */
const ofConnection = /^(?:08|28|53300|57P)/

/** An error of a statement. */
export function toFailure(error: unknown, statement: Statement): Failure {
  if (error instanceof Failure) return error
  const { code } = error as ServerError
  if (code === 'ERR_STRING_TOO_LONG') return tooLong()
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return new ConnectionLost(error)
  const reason = toReason(error)
  const place = `SQLSTATE ${code}, statement at line ${statement.line}`
  const message = messages.find(([prefix]) => code.startsWith(prefix))?.[1] ?? withoutConstraint(reason)
  const told =
    reason instanceof TimedOut ? statementTimeout(reason.seconds, place, error).message : `${message} (${place})`
  if (ofConnection.test(code)) return new Failure('BadSqlGrammarException', told, { cause: error })
  return new StatementFailure(told, toVerdict(reason, statement), error)
}

/** Remembers with the server's error which text it is about. */
export function noteSent(error: unknown, rendered: Rendered, session: Session): void {
  const reason = toReason(error)
  if (reason instanceof ServerError) reason.sent ??= { rendered, inBytes: !session.isUtf8 }
}

function toReason(error: unknown): ServerError {
  return (error instanceof NotStarted ? error.cause : error) as ServerError
}

function toVerdict(reason: ServerError, statement: Statement): Verdict {
  const { code, message: text } = reason
  const quotes = quotesOf(reason)
  return {
    statement,
    code,
    text,
    place: placeOfError(reason, statement),
    redact: (shown, values) => redact(shown, values, { sql: sourceOf(statement), quotes }),
  }
}

/** What stands in the quotes of the text. */
function quotesOf({ code = '', routine }: ServerError): RedactOptions['quotes'] {
  if (code.startsWith('P0') || routine === 'exec_stmt_raise') return 'author'
  return code.startsWith('22') ? 'data' : 'names'
}

function placeOfError({ position, sent }: ServerError, statement: Statement): Place | undefined {
  if (position === undefined || sent === undefined) return undefined
  const { rendered, inBytes } = sent
  const offset = inBytes ? offsetOfByte(rendered.text, position) : offsetOfPoint(rendered.text, position)
  return placeOf(statement, rendered, offset)
}

/** The server's message without the name of a constraint, which tells callers of the schema and nothing that they can use. */
function withoutConstraint({ message, code = '', constraint }: ServerError): string {
  if (constraint === undefined || !code.startsWith('23')) return message
  // In whatever quotes the server's language has.
  const name = constraint.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return message.replaceAll(new RegExp(`\\s*["'«»“”„‘’‹›「『]\\s?${name}\\s?["'«»“”„‘’‹›」』]`, 'gu'), '')
}

/** An error of connecting to the datasource. */
export function toConnectFailure(error: unknown, datasource: string): Failure {
  const { code } = error as ServerError
  const state = code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? ` (SQLSTATE ${code})` : ''
  return new Failure('BadSqlGrammarException', `Datasource '${datasource}' cannot be connected${state}`, {
    cause: error,
  })
}
