/**
 * Every error that a client or an operator can meet, as tables. The request path throws `Failure`; anything else that is
 * thrown becomes `InternalError`, its text goes to the log and never to the client. Start-up throws `StartupFailure`.
 */
import type { Reply } from './model.ts'

/** Errors of a request: class name -> HTTP status. */
export const failures = {
  SqlapiRuntimeException: 400,
  UnknownDataSourceNameException: 400,
  InvalidDataAccessApiUsageException: 400,
  BadSqlGrammarException: 400,
  MalformedRequestException: 400,
  PayloadTooLargeException: 413,
  InternalError: 500,
} as const

export type FailureName = keyof typeof failures

/** Errors of the start: class name -> what it is about. The process ends with exit code 1. */
export const startupFailures = {
  InvalidConfigurationException: 'configuration file, field or variable',
  InvalidDirectoryException: 'sql_dir',
  InvalidQueryException: 'a .sql file',
  ListenException: 'the listener address',
} as const

export type StartupFailureName = keyof typeof startupFailures

/** How log lines are written. */
export type LogFormat = 'text' | 'json'

/** An expected error of one request. `cause` is for the log; only name and message reach the client. */
export class Failure extends Error {
  override readonly name: FailureName

  constructor(name: FailureName, message: string, options?: ErrorOptions) {
    // Nobody reads where an expected error was made, and to find that out costs more than to answer with it.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message, options)
    Error.stackTraceLimit = stackTraceLimit
    this.name = name
  }
}

/** An expected error of the start: the message names the file, the field or the variable and what would be right. */
export class StartupFailure extends Error {
  override readonly name: StartupFailureName
  /** How the log was to be written, where the configuration could be read that far. */
  readonly format: LogFormat | undefined

  constructor(name: StartupFailureName, message: string, format?: LogFormat) {
    super(message)
    this.name = name
    this.format = format
  }
}

/** Turns whatever was thrown into the reply of rule "Errors": two string fields, nothing else. */
export function toReply(thrown: unknown): Reply & { readonly body: string } {
  if (thrown instanceof Failure) return { status: failures[thrown.name], body: toBody(thrown.name, thrown.message) }
  return { status: failures.InternalError, body: toBody('InternalError', 'Internal error') }
}

function toBody(error: FailureName, message: string): string {
  return JSON.stringify({ error, message })
}
