/**
 * What went wrong on PostgreSQL -> the failure that the client is told. The server's message is passed on where it speaks of
 * data and names; where it could show the SQL, the server's address or a user name, a sentence of our own stands instead.
 */
import { Failure } from '../../errors.ts'
import { tooLong } from '../answer.ts'
import { statementTimeout } from '../statement-timeout.ts'
import type { ServerError } from './frames.ts'
import { NotStarted, TimedOut } from './session.ts'

/** SQLSTATE or its class -> message; `undefined` passes the server's own on. */
const messages: readonly (readonly [prefix: string, message: string])[] = [
  ['42601', 'Syntax error'],
  ['57014', 'The statement was cancelled'],
  ['08', 'The connection to the database was lost'],
  ['28', 'The database refused the credentials of the datasource'],
  ['53300', 'The database accepts no more connections'],
  ['57P', 'The database ended the connection'],
]

/** An error of a statement. `line` is the statement's first line in its file. */
export function toFailure(error: unknown, line: number): Failure {
  if (error instanceof Failure) return error
  const { code, message } = error as ServerError
  if (code === 'ERR_STRING_TOO_LONG') return tooLong()
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return lost(error)
  const place = `SQLSTATE ${code}, statement at line ${line}`
  const reason = error instanceof NotStarted ? error.cause : error
  if (reason instanceof TimedOut) return statementTimeout(reason.seconds, place, error)
  const own = messages.find(([prefix]) => code.startsWith(prefix))?.[1]
  return new Failure('BadSqlGrammarException', `${own ?? message} (${place})`, { cause: error })
}

/** An error of connecting to the datasource. */
export function toConnectFailure(error: unknown, datasource: string): Failure {
  const { code } = error as ServerError
  const state = code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? ` (SQLSTATE ${code})` : ''
  return new Failure('BadSqlGrammarException', `Datasource '${datasource}' cannot be connected${state}`, {
    cause: error,
  })
}

function lost(error: unknown): Failure {
  return new Failure('BadSqlGrammarException', 'The connection to the database was lost', { cause: error })
}
