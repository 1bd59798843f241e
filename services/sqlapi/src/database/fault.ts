/**
 * Failures of statements: which statement it was, and which set of a batch. The client is told the message; what the database
 * said beside it is for the log and comes out of here as a `StatementFault`.
 */
import { Failure } from '../errors.ts'
import type { JsonValue, Statement, Work } from '../model.ts'
import type { Place } from '../sql/place.ts'

/** Why a statement failed, as the log has it. No value of a parameter is in it. */
export interface StatementFault {
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
  /** How long it took, without the wait for a connection; of a batch all that had run. */
  readonly ms: number
}

/** What a database said of a statement. */
export interface Verdict {
  readonly statement: Statement
  readonly code: string | undefined
  readonly text: string
  /** Where the text says the mistake is; else it is told of the statement's start. */
  readonly place: Place | undefined
  /** Takes out of the text what came from the client. */
  readonly redact: (text: string, values: readonly JsonValue[]) => string
}

/** A statement that a database has refused or given up. */
export class StatementFailure extends Failure {
  readonly verdict: Verdict
  readonly set: number | undefined

  constructor(message: string, verdict: Verdict, cause: unknown, set?: number) {
    super('BadSqlGrammarException', message, { cause })
    this.verdict = verdict
    this.set = set
  }
}

/** Nobody knows how far the statement came, nor is it to blame. */
export class ConnectionLost extends Failure {
  constructor(cause: unknown) {
    super('BadSqlGrammarException', 'The connection to the database was lost', { cause })
  }
}

/** The failure of a batch, with the number of the set that it came from. */
export function inSet(error: unknown, set: number): unknown {
  if (!(error instanceof Failure)) return error
  const message = `${error.message} in queries[${set}]`
  if (error instanceof StatementFailure) return new StatementFailure(message, error.verdict, error.cause, set)
  return new Failure(error.name, message, { cause: error.cause })
}

export type FaultListener = ((fault: StatementFault) => void) | undefined

/** Throws for a statement that cannot run on this database, before a connection is asked for, and tells the listener. */
export function requireRunnable(work: Work, datasource: string, listener: FaultListener): void {
  for (const statement of work.script.statements) {
    const { refusal } = statement
    if (refusal === undefined) continue
    const verdict = { statement, code: undefined, text: refusal, place: undefined, redact: (text: string) => text }
    const failure = new StatementFailure(refusal, verdict, undefined)
    listener?.(toFault(failure, work, datasource, 0))
    throw failure
  }
}

export function toFault(failure: StatementFailure, work: Work, datasource: string, ms: number): StatementFault {
  const { statement, code, text, place = statement, redact } = failure.verdict
  // What fails at the end of a batch may be of any set.
  const sets = failure.set === undefined ? work.sets : work.sets.slice(failure.set, failure.set + 1)
  return {
    datasource,
    file: work.endpoint.file,
    line: place.line,
    column: place.column,
    set: failure.set,
    code,
    text: redact(
      text,
      sets.flatMap((set) => Array.from(set.values())),
    ),
    ms: Math.round(ms * 10) / 10,
  }
}
