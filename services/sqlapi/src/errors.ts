/**
 * Every error that a client or an operator can meet, as tables. The request path throws `Failure`; anything else that
 * is thrown becomes `InternalError`, its text goes to the log and never to the client. Start-up throws
 * `StartupFailure`.
 */
import type { LogFormat } from '@services/observe'
import { jsonBody } from './json/body.ts'
import type { Body, Reply, ReplyHeaders } from './model.ts'

/** The database refused, or could not be reached. */
const database = { error: 'BadSqlGrammarException', status: 400 } as const
const usage = { error: 'InvalidDataAccessApiUsageException', status: 400 } as const
const malformed = { error: 'MalformedRequestException', status: 400 } as const

/**
 * Errors of a request: what went wrong -> the name that the client is promised for it, the HTTP status and, where it is
 * always the same, the message.
 */
export const failures = {
  endpoint_missing: { error: 'SqlapiRuntimeException', status: 400 },
  /** The file of the URL could not be loaded; only where files are loaded again while the service runs. */
  file_unloaded: { error: 'InvalidQueryException', status: 400 },
  datasource_unknown: { error: 'UnknownDataSourceNameException', status: 400 },
  parameter_missing: usage,
  /** Not of the type, or none of the values, that the file declares. */
  parameter_type: usage,
  parameter_value: usage,

  /** The request is not HTTP that the service speaks. */
  http_malformed: malformed,
  query_malformed: malformed,
  body_malformed: malformed,
  /** Compressed, or coded in another way that the service does not decode. */
  body_coded: { error: 'MalformedRequestException', status: 415 },
  /** It arrives too slowly while others arrive as well. */
  body_given_up: malformed,
  body_too_large: { error: 'PayloadTooLargeException', status: 413 },

  client_gone: { ...database, message: 'The client has gone' },
  acquire_timeout: database,
  datasource_closed: database,
  datasource_unreachable: database,
  connection_lost: { ...database, message: 'The connection to the database was lost' },
  session_swapped: {
    ...database,
    message: 'The connection to the database is not kept, use a pooler in session mode',
  },
  /** SQLite: statements that were given up still run. */
  workers_exhausted: database,
  database_file_deleted: database,
  database_file_moved: { ...database, message: 'The file of the database was deleted or replaced in the meantime' },

  /** The statement cannot run on this kind of database, whatever its parameters are. */
  statement_unsupported: database,
  /** A pooler gives each transaction another connection, and the file needs one that is kept. */
  session_needed: database,
  statement_failed: database,
  statement_cancelled: database,
  statement_timeout: database,
  /** What is around the statements: BEGIN, COMMIT. */
  transaction_failed: database,
  integer_out_of_range: database,
  list_combinations_exhausted: {
    ...database,
    message: 'The parameters of this statement are lists in too many combinations',
  },
  result_too_large: { ...database, message: 'The result is too large' },

  /** A fault of the service; what it was is in the log. */
  internal_error: { error: 'InternalError', status: 500, message: 'Internal error' },
} as const satisfies Record<string, Kind>

interface Kind {
  readonly error: string
  readonly status: number
  readonly message?: string
}

/** What went wrong, as the code calls it. */
export type Reason = keyof typeof failures

/** The name that is in the reply and in the log. */
export type FailureName = (typeof failures)[Reason]['error']

/** The status of a reply about an error. */
export type ErrorStatus = (typeof failures)[Reason]['status']

/** The reasons whose message is always the same. */
type FixedReason = { [R in Reason]: (typeof failures)[R] extends { message: string } ? R : never }[Reason]

/** Errors of the start: class name -> what it is about. The process ends with exit code 1. */
export const startupFailures = {
  InvalidConfigurationException: 'configuration file, field or variable',
  InvalidDirectoryException: 'sql_dir',
  InvalidQueryException: 'a .sql file',
  ListenException: 'the listener address',
} as const

export type StartupFailureName = keyof typeof startupFailures

/** An expected error of one request. `cause` is for the log; only name and message reach the client. */
export class Failure extends Error {
  override readonly name: FailureName
  readonly reason: Reason

  constructor(reason: FixedReason, message?: string, options?: ErrorOptions)
  constructor(reason: Reason, message: string, options?: ErrorOptions)
  constructor(reason: Reason, message?: string, options?: ErrorOptions) {
    // Nobody reads the stack of an expected error, and collecting it doubles what the error costs (1.5 µs more of CPU).
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message ?? messageOf(reason), options)
    Error.stackTraceLimit = stackTraceLimit
    this.name = failures[reason].error
    this.reason = reason
  }

  /** The message for the log. The message for callers may quote a database, and a database may quote a value. */
  get loggedMessage(): string {
    return this.message
  }

  /** For `errors: full`, about the file on this path. */
  detailsIn(_file: string): FullDetails | undefined {
    return undefined
  }
}

/** What else a database says of a statement that failed; keys without a value are absent. */
export interface FailureDetails {
  readonly detail?: string
  readonly hint?: string
  /** In the `.sql` file; its path is below `sql_dir`. */
  readonly position?: { readonly file: string; readonly line: number; readonly column: number }
  /** Of PostgreSQL. */
  readonly sqlstate?: string
  /** Of SQLite: its extended result code. */
  readonly code?: number
}

export interface FullDetails extends FailureDetails {
  /** Replaces a message that hides the database's words. */
  readonly message?: string
}

function messageOf(reason: Reason): string | undefined {
  const kind: Kind = failures[reason]
  return kind.message
}

/** An expected error of the start: the message names the file, the field or the variable and what would be right. */
export class StartupFailure extends Error {
  override readonly name: StartupFailureName
  /** The log format that the configuration asks for, if it could be read that far. */
  readonly format: LogFormat | undefined

  constructor(name: StartupFailureName, message: string, format?: LogFormat) {
    super(message)
    this.name = name
    this.format = format
  }
}

/** What clients, logs and traces call whatever was thrown. */
export function nameOf(thrown: unknown): FailureName {
  return thrown instanceof Failure ? thrown.name : failures.internal_error.error
}

/** A reply about an error. */
export interface ErrorReply extends Reply {
  readonly body: Body & { readonly content: string }
}

/**
 * Turns whatever was thrown into the reply of rule "Errors": two string fields, nothing else but the details that are
 * given.
 */
export function toReply(thrown: unknown, headers: ReplyHeaders, details?: FullDetails): ErrorReply {
  const { reason, name, message } = thrown instanceof Failure ? thrown : new Failure('internal_error')
  const content = JSON.stringify({ error: name, message, ...details })
  return { status: failures[reason].status, headers, body: jsonBody(content) }
}
