/**
 * Errors of PostgreSQL -> the failures that clients get. Passes the server's message on if it is about data and names.
 * If it could show the SQL, the server's address or a user name, the client gets a sentence of our own instead.
 */
import { Failure, failures } from '../../../errors.ts'
import type { ParameterSet, Statement } from '../../../model.ts'
import {
  nameOfParameter,
  offsetOfByte,
  offsetOfPoint,
  type Position,
  positionOf,
  positionOfParameter,
  type Rendered,
  sourceOf,
} from '../../../sql/position.ts'
import { onlyParameter, StatementFailure, syntaxError, timeoutMessage, type Verdict } from '../../statement-failure.ts'
import { redact, type RedactOptions, scalarsOf } from '../../redact.ts'
import { cureOfDenied } from './missing-right.ts'
import { ServerError } from '../wire/frames.ts'
import { NotStarted, TimedOut } from './plan-run.ts'
import type { Session } from './session.ts'

/** SQLSTATE or its class -> what went wrong, and the message; the server passes its own on with any other. */
const states = [
  { prefix: '42601', reason: 'statement_failed', message: syntaxError },
  { prefix: '57014', reason: 'statement_cancelled', message: 'The statement was cancelled' },
  // These say nothing about the statement.
  { prefix: '08', reason: 'connection_lost', message: failures.connection_lost.message },
  { prefix: '28', reason: 'datasource_unreachable', message: 'The database refused the credentials of the datasource' },
  { prefix: '53300', reason: 'datasource_unreachable', message: 'The database accepts no more connections' },
  { prefix: '57P', reason: 'connection_lost', message: 'The database ended the connection' },
] as const

/** An error of a statement. */
export function toFailure(error: unknown, statement: Statement): Failure {
  if (error instanceof Failure) return error
  const { code } = error as ServerError
  if (code === 'ERR_STRING_TOO_LONG') return new Failure('result_too_large')
  const options = { cause: error }
  // Nobody knows how far the statement got, and it is not the cause.
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return new Failure('connection_lost', undefined, options)
  const said = toServerError(error)
  const verdict = toVerdict(said, statement)
  const place = `SQLSTATE ${code}, statement at line ${statement.line}`
  if (said instanceof TimedOut) {
    return new StatementFailure('statement_timeout', timeoutMessage(said.seconds, place), verdict, options)
  }
  const state = states.find(({ prefix }) => code.startsWith(prefix))
  const { reason, message } = state ?? { reason: 'statement_failed', message: withoutConstraint(said) }
  const told = `${message} (${place})`
  if (reason === 'statement_failed' || reason === 'statement_cancelled') {
    return new StatementFailure(reason, told, verdict, options)
  }
  return new Failure(reason, told, options)
}

/** Remembers with the server's error which text it is about. */
export function noteSent(error: unknown, rendered: Rendered, session: Session): void {
  const said = toServerError(error)
  if (said instanceof ServerError) said.sent ??= { rendered, inBytes: !session.isUtf8, role: session.role }
}

function toServerError(error: unknown): ServerError {
  return (error instanceof NotStarted ? error.cause : error) as ServerError
}

function toVerdict(said: ServerError, statement: Statement): Verdict {
  const { code, message: text } = said
  const quotes = quotesOf(said)
  return {
    statement,
    code,
    text,
    position: positionOfError(said, statement),
    more: moreOf(said),
    redact: (shown, values) => redact(shown, values, { sql: sourceOf(statement), quotes }),
    cureOf: code === '42501' ? (words) => cureOfDenied(words, said.sent?.role) : undefined,
    parameterIn: (set) => parameterOf(said, statement, set),
    wanted: wantedType(said),
  }
}

/** Names of types, as messages in all languages have them. */
const typeNames = [
  [/\b(?:smallint|integer|bigint)\b/, 'integer'],
  [/\b(?:numeric|real|double precision)\b/, 'number'],
  [/\bboolean\b/, 'boolean'],
  [/\btimestamp\b/, 'timestamp'],
  [/\bdate\b(?!\/)/, 'date'],
  [/\buuid\b/, 'uuid'],
] as const

/** The type that PostgreSQL expected. The message about a day that there is not (22008) has no name of a type. */
function wantedType({ code = '', message }: ServerError): Verdict['wanted'] {
  if (code === '22008') return /\d:\d/.test(message) ? 'timestamp' : 'date'
  if (code !== '22P02' && code !== '22007') return undefined
  const words = message.replace(quotedValue, '')
  return typeNames.find(([pattern]) => pattern.test(words))?.[1]
}

const quotedValue = /["'«»“”„‘’‹›「『](.+)["'«»“”„‘’‹›」』]/su

/** The server says which `$n` it could not read; of what a cast refuses later it quotes the value. */
function parameterOf(
  { code = '', message, parameter, sent }: ServerError,
  statement: Statement,
  set: ParameterSet,
): string | undefined {
  if (!code.startsWith('22')) return undefined
  if (parameter !== undefined) return sent && nameOfParameter(statement, sent.rendered, parameter)
  const refused = quotedValue.exec(message)?.[1]?.trim()
  return refused === undefined
    ? undefined
    : onlyParameter(statement.names, set, (value) => scalarsOf(value).some((scalar) => scalar.trim() === refused))
}

function moreOf({ detail, hint, code }: ServerError): Verdict['more'] {
  return { ...(detail && { detail }), ...(hint && { hint }), ...(code && { sqlstate: code }) }
}

/** What is in the quotes of the text. */
function quotesOf({ code = '', routine }: ServerError): RedactOptions['quotes'] {
  if (code.startsWith('P0') || routine === 'exec_stmt_raise') return 'author'
  if (code.startsWith('22')) return 'data'
  return code.startsWith('23') ? 'schema' : 'names'
}

/** Where in the file the mistake is, if the server says so. */
export function positionOfError(
  { position, parameter, sent }: ServerError,
  statement: Statement,
): Position | undefined {
  if (sent === undefined) return undefined
  const { rendered, inBytes } = sent
  if (parameter !== undefined) return positionOfParameter(statement, rendered, parameter)
  if (position === undefined) return undefined
  const offset = inBytes ? offsetOfByte(rendered.text, position) : offsetOfPoint(rendered.text, position)
  return positionOf(statement, rendered, offset)
}

/**
 * The server's message without the name of a constraint, which tells callers of the schema and nothing that they can
 * use.
 */
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
  const told = `Datasource '${datasource}' cannot be connected${state}; the database is down, unreachable or refuses the login, which the log explains`
  return new Failure('datasource_unreachable', told, {
    cause: error,
  })
}

/** No connection could be opened in time; the servers are for operators. */
export function toUnanswered(datasource: string, servers: readonly string[], seconds: number): Failure {
  const told = `No connection of datasource '${datasource}' could be opened within ${seconds} s; the database is silent, unreachable or overloaded, which the log explains`
  const reason = `no answer from ${servers.join(', ')} within ${seconds} s`
  return new Failure('acquire_timeout', told, { cause: Object.assign(new Error(reason), { code: 'ETIMEDOUT' }) })
}
