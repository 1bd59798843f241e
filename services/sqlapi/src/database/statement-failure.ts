/**
 * Failures of statements: which statement failed, and in which set of a batch. The client gets the message; what else
 * the database said goes to the log, as a `StatementFailureReport`.
 */
import { Failure, type FailureDetails, type FullDetails } from '../errors.ts'
import type { JsonValue, ParameterSet, Statement, ValueTypeName, Work } from '../model.ts'
import type { Position } from '../sql/position.ts'

/** Why a statement failed, for the log. Contains no value of a parameter. */
export interface StatementFailureReport {
  readonly datasource: string
  /** Path below `sql_dir`. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Number of the set in a batch. */
  readonly set: number | undefined
  /** SQLSTATE, or SQLite's number. */
  readonly code: string | undefined
  /** The database's own words. */
  readonly text: string
  /** For operators, if the database does not say it. */
  readonly cure?: string | undefined
  /** How long it took, without the wait for a connection; of a batch all that had run. */
  readonly ms: number
  readonly requestId: string
  readonly traceparent: string | undefined
}

/** What a database said about a statement. */
export interface Verdict {
  readonly statement: Statement
  readonly code: string | undefined
  readonly text: string
  /** Where the mistake is, if the database says so; otherwise the start of the statement counts. */
  readonly position: Position | undefined
  /** What else the database says; for callers only where `errors: full` wants it. */
  readonly more: Omit<FailureDetails, 'position'>
  /** Takes out of the text what came from the client. */
  readonly redact: (text: string, values: readonly JsonValue[]) => string
  /** For operators; the text is what is left after `redact`. */
  readonly cureOf?: ((text: string) => string | undefined) | undefined
  /** The parameter whose value was refused, if only one of this set can be meant. */
  readonly parameterIn?: (set: ParameterSet) => string | undefined
  /** A declaration of this type would have refused that value. */
  readonly wanted?: ValueTypeName | undefined
}

type StatementReason =
  | 'session_needed'
  | 'statement_unsupported'
  | 'statement_failed'
  | 'statement_cancelled'
  | 'statement_timeout'

interface StatementFailureOptions extends ErrorOptions {
  /** Number of the set in a batch. */
  readonly set?: number
}

/** A statement that a database has refused or given up. */
export class StatementFailure extends Failure {
  declare readonly reason: StatementReason
  readonly verdict: Verdict
  readonly set: number | undefined

  constructor(reason: StatementReason, message: string, verdict: Verdict, options: StatementFailureOptions = {}) {
    super(reason, message, options)
    this.verdict = verdict
    this.set = options.set
  }

  override get loggedMessage(): string {
    const { statement, code } = this.verdict
    return `the statement at line ${statement.line} failed${code === undefined ? '' : ` (${code})`}`
  }

  override detailsIn(file: string): FullDetails {
    const { statement, position = statement, more, text } = this.verdict
    const isHidden = this.message.startsWith(syntaxError)
    const message = isHidden && { message: text + this.message.slice(syntaxError.length) }
    return { ...message, ...more, position: { file, line: position.line, column: position.column } }
  }
}

/** Instead of the database's words, which quote the SQL. With `errors: full` the caller gets them. */
export const syntaxError = 'Syntax error'

/**
 * The message for a statement that ran longer than `statement_timeout_seconds` allows; `place` says where it is.
 */
export function timeoutMessage(seconds: number, place: string): string {
  return `statement timeout after ${seconds} s (${place})`
}

/** The failure of a batch, with the number of the set that it came from. */
export function inSet(error: unknown, set: number): unknown {
  if (!(error instanceof Failure)) return error
  const message = error.message + endOfSet(set)
  const { reason, cause } = error
  if (error instanceof StatementFailure)
    return new StatementFailure(error.reason, message, error.verdict, { cause, set })
  return new Failure(reason, message, { cause })
}

/** The failure with the name of the parameter whose value it is about, if only one can be meant. */
export function naming(failure: StatementFailure, { sets }: Work): StatementFailure {
  const { reason, verdict, set, cause } = failure
  const only = set === undefined && sets.length > 1 ? undefined : sets[set ?? 0]
  const name = only === undefined ? undefined : verdict.parameterIn?.(only)
  if (name === undefined || only === undefined) return failure
  const message = `${withoutSet(failure)}; the value of parameter ${name}${declaring(name, verdict, only)}`
  const told = new StatementFailure(reason, message, verdict, { cause })
  return set === undefined ? told : (inSet(told, set) as StatementFailure)
}

/** Nothing for a parameter with a declared type. */
function declaring(
  name: string,
  { statement: { names, declared, slots }, wanted }: Verdict,
  set: ParameterSet,
): string {
  if (wanted === undefined || declared?.[names.indexOf(name)]?.type !== undefined) return ''
  const value = set.get(name)
  const isList = typeof value === 'object' && value !== null && 'text' in value && value.kind === 'array'
  const isInList = slots.some((slot) => slot.name === name && (slot.role === 'in' || slot.role === 'notIn'))
  const repeated = isInList && typeof value === 'string' && value.includes(',')
  const how = repeated ? `; a list in a query string repeats the key: ?${name}=1&${name}=2` : ''
  return ` (declare its type in the file: -- @param ${name} ${wanted}${isList || isInList ? '[]' : ''}${how})`
}

function withoutSet({ message, set }: StatementFailure): string {
  return set === undefined ? message : message.slice(0, -endOfSet(set).length)
}

/** The one name whose value fits; undefined if several fit. */
export function onlyParameter(
  names: readonly string[],
  set: ParameterSet,
  fits: (value: JsonValue) => boolean,
): string | undefined {
  const [name, ...others] = names.filter((each) => {
    const value = set.get(each)
    return value !== undefined && fits(value)
  })
  return others.length === 0 ? name : undefined
}

function endOfSet(set: number): string {
  return ` in queries[${set}]`
}

export type FailureListener = ((report: StatementFailureReport) => void) | undefined

/**
 * Throws for a statement that cannot run on this database, before a connection is asked for, and tells the listener.
 */
export function requireRunnable(work: Work, datasource: string, listener: FailureListener): void {
  for (const statement of work.script.statements) {
    const { refusal } = statement
    if (refusal === undefined) continue
    const redact = (text: string): string => text
    const verdict = { statement, code: undefined, text: refusal, position: statement.refusedAt, more: {}, redact }
    const failure = new StatementFailure('statement_unsupported', refusal, verdict)
    listener?.(toReport(failure, work, datasource, 0))
    throw failure
  }
}

export function toReport(
  failure: StatementFailure,
  work: Work,
  datasource: string,
  ms: number,
): StatementFailureReport {
  const { statement, code, text, position = statement, redact, cureOf } = failure.verdict
  // What fails at the end of a batch may be of any set.
  const sets = failure.set === undefined ? work.sets : work.sets.slice(failure.set, failure.set + 1)
  const shown = redact(
    text,
    sets.flatMap((set) => Array.from(set.values())),
  )
  return {
    datasource,
    file: work.endpoint.file,
    line: position.line,
    column: position.column,
    set: failure.set,
    code,
    text: shown,
    cure: cureOf?.(shown),
    ms: Math.round(ms * 10) / 10,
    requestId: work.requestId,
    traceparent: work.trace?.span?.traceparent,
  }
}
