/**
 * Every error that a caller or an operator can meet, as tables. The request path throws `Failure`; anything else that
 * is thrown becomes `internal_error`, its text goes to the log and never to the caller. Start-up throws
 * `StartupFailure`.
 */
import type { Reply } from './model.ts'

/** Errors of a request: stable code -> HTTP status. */
export const failures = {
  malformed_request: 400,
  invalid_request: 400,
  template_not_found: 404,
  method_not_allowed: 405,
  request_too_large: 413,
  template_expansion_failed: 500,
  keystore_load_failed: 500,
  internal_error: 500,
  upstream_http_error: 502,
  upstream_soap_fault: 502,
  upstream_xml_parse_error: 502,
  upstream_body_too_large: 502,
  upstream_timeout: 504,
  audit_unavailable: 503,
} as const

export type FailureCode = keyof typeof failures

/** Errors of the start: code -> what it is about. The process ends with exit code 1. */
export const startupFailures = {
  invalid_configuration: 'configuration file, field or variable',
  invalid_dsl: 'a DSL file',
  keystore_load_failed: 'the PKCS12 identity or its password',
  trust_ca_load_failed: 'the CA bundle of trust_ca_path',
  listen_failed: 'the port',
} as const

/** The same of files that are read again; those of the start count there as well. */
export const reloadFailures = {
  wsdl_lost: 'a WSDL file that could be read before and cannot be read now',
} as const

export type StartupFailureCode = keyof typeof startupFailures | keyof typeof reloadFailures

/** Further fields of an error body: plain JSON values. */
export type Extras = Readonly<Record<string, string | number>>

/** Of one request; more are not looked for. */
export const maxProblems = 100

/** What is wrong with one param of a request, without its value. */
export interface RequestProblem {
  /** Path such as `items[3].code`; empty for the body as a whole. */
  readonly param: string
  /** What is wrong, what would be right. */
  readonly problem: string
}

interface FailureOptions extends ErrorOptions {
  readonly extras?: Extras
  readonly problems?: readonly RequestProblem[]
  /** JSON text of the field `detail`. */
  readonly detail?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** An expected error of one request. `cause` is for the log; code, message, extras and detail reach the caller. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly extras: Extras
  readonly problems: readonly RequestProblem[] | undefined
  readonly detail: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options)
    this.name = 'Failure'
    this.code = code
    this.extras = options.extras ?? {}
    this.problems = options.problems
    this.detail = options.detail
    this.headers = options.headers
  }
}

/** The caller left: whatever was in progress is given up, and there is nobody to answer. */
export class CallerGone extends Error {
  constructor() {
    super('the caller has left')
    this.name = 'CallerGone'
  }
}

/** The name of `CallerGone` in logs and traces. No caller is ever told it. */
export const callerGone = 'caller_gone'

/** The name of whatever was thrown, in logs and traces. */
export function nameOf(thrown: unknown): FailureCode | typeof callerGone {
  if (thrown instanceof CallerGone) return callerGone
  return thrown instanceof Failure ? thrown.code : 'internal_error'
}

/**
 * An expected error of the start, or of files read again: the message names the file, the field or the variable and
 * what would be right.
 */
export class StartupFailure extends Error {
  readonly code: StartupFailureCode
  /** Of the configuration, where the message is about a file that it names: the code that knows its line adds it. */
  readonly field: string | undefined

  constructor(code: StartupFailureCode, message: string, field?: string) {
    super(message)
    this.name = 'StartupFailure'
    this.code = code
    this.field = field
  }
}

/**
 * Turns whatever was thrown into the reply of the manual's error table; with the id of the message where one is given.
 */
export function toReply(thrown: unknown, messageId?: string): Reply {
  if (!(thrown instanceof Failure)) return toReply(new Failure('internal_error', 'internal error'), messageId)
  const { code, message, extras, problems, detail, headers } = thrown
  const plain = JSON.stringify({ error: code, message, ...extras, problems, message_id: messageId })
  const body = detail === undefined ? plain : `${plain.slice(0, -1)},"detail":${detail}}`
  return headers === undefined ? { status: failures[code], body } : { status: failures[code], body, headers }
}
