/**
 * A plan that runs on a session, and who wants its rows: one object and no promise, because there is one for each
 * request in progress. execution.ts knows what is sent and what comes, plan-connection.ts what its end means.
 */
import type { RowFormat } from '../../../formats/format.ts'
import type { Cancellation, Result, Trace } from '../../../model.ts'
import type { Sink } from '../../result.ts'
import { Execution, type ExecutionContext, type Prepared, type Values } from '../wire/execution.ts'
import { ServerError } from '../wire/frames.ts'
import type { Listener } from '../wire/round-trip.ts'
import { sqlStates } from '../plans/sql-states.ts'

/** The result of one statement: its rows in a format, or nothing when it has no result set. */
export type Rows = Result | undefined

/** What takes the rows of a run. */
export interface RowsReader {
  readonly format: RowFormat
  /** Where the rows go when the result grows long; without it they are collected. */
  readonly sink: Sink | undefined
  /**
   * Given where others may be on the connection too: their statements must not be hit, so this one is only stopped when
   * their clients have gone as well.
   */
  readonly shared: Cancellation | undefined
  /** Is told how many rows there were; undefined when nobody listens. */
  readonly meter?: Pick<Trace, 'gave'> | undefined
  /** One of the two is called, once. Neither may throw. */
  gave(rows: Rows): void
  failed(error: unknown): void
}

/** The part of a session that hears of the end. */
export interface Concluder {
  conclude(run: PlanRun, error: unknown): void
}

export class PlanRun extends Execution implements Listener {
  readonly reader: RowsReader
  /** By the session's clock. */
  started = 0
  readonly #concluder: Concluder

  constructor(concluder: Concluder, context: ExecutionContext, prepared: Prepared, values: Values, reader: RowsReader) {
    super(context, prepared, values, reader.format, reader.sink)
    this.#concluder = concluder
    this.reader = reader
  }

  ended(error: unknown): void {
    this.reader.meter?.gave(this.rows)
    this.#concluder.conclude(this, error)
  }
}

/** The server has ended a statement because it ran longer than the session lets it. */
export class TimedOut extends ServerError {
  readonly seconds: number

  constructor(cause: ServerError, seconds: number) {
    super(cause.message, cause)
    this.seconds = seconds
  }
}

/** The server has refused the plan or a value before anything was executed. */
export class NotStarted extends Error {
  override readonly cause: ServerError
  readonly code: string | undefined

  constructor(cause: ServerError) {
    super(cause.message)
    this.cause = cause
    this.code = cause.code
  }
}

/** Two clocks measure a statement's time. */
const clockSlackMs = 50

/**
 * Tells a statement that the server has ended for its time apart from one that somebody cancelled: the server has one
 * code for both, and its text may be in any language. `timeoutSeconds` is 0 where the server decides.
 */
export function withTimeout(error: unknown, started: number, timeoutSeconds: number): unknown {
  if (timeoutSeconds === 0 || !(error instanceof ServerError) || error.code !== sqlStates.queryCanceled) return error
  return performance.now() - started < timeoutSeconds * 1000 - clockSlackMs
    ? error
    : new TimedOut(error, timeoutSeconds)
}

/** A write in a transaction that only reads: what a standby says of it, and a primary that has become one. */
export function isRefusedWrite(error: unknown): boolean {
  return error instanceof ServerError && error.code === sqlStates.readOnlyTransaction
}
