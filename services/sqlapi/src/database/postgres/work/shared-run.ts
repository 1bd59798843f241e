/**
 * A statement that is known to be short, on a connection that it may share with others: the path of nearly every
 * request, so it is one object without promises of its own. work-runner.ts decides that a statement runs in this way.
 */
import type { Span } from '@services/trace'
import type { Cancellation, Result, Trace, Work } from '../../../model.ts'
import type { History } from '../../pool/history.ts'
import { Job } from '../../pool/job.ts'
import type { Pool } from '../../pool/pool.ts'
import type { Delivery } from '../../result.ts'
import type { Plan } from '../plans/plan.ts'
import type { KnownStatement } from '../plans/statements.ts'
import { endStatement, type StatementSpans } from '../../statement-spans.ts'
import { noteSent } from '../sessions/postgres-failures.ts'
import type { Rows, RowsReader } from '../sessions/plan-run.ts'
import type { Session } from '../sessions/session.ts'
import { needsNewPlan } from './stale-plan.ts'
import type { BoundStatement, StatementRunner } from './statement-runner.ts'
import { sqlStates } from '../plans/sql-states.ts'

/** Who begins shared runs, and goes on with those that cannot stay shared. */
export interface SharedRunOwner {
  readonly pool: Pool<Session>
  readonly runner: StatementRunner
  readonly spans: StatementSpans
  /** Runs a statement whose plan does not fit any more on a connection of its own. */
  runAlone(bound: BoundStatement, delivery: Delivery): Promise<Result>
  /** A single statement has failed, and with it the transaction that it is. */
  undone(work: Work): void
  /** The failure that the client gets, once it is reported; `ms` is how long the run took. */
  toFailure(error: unknown, bound: BoundStatement, ms: number): unknown
}

export class SharedRun extends Job<Session> implements RowsReader {
  readonly #owner: SharedRunOwner
  readonly #bound: BoundStatement
  readonly #plan: Plan
  readonly sink: Delivery
  #session: Session | undefined
  #span: Span | undefined

  constructor(owner: SharedRunOwner, bound: BoundStatement, plan: Plan, delivery: Delivery) {
    super()
    this.#owner = owner
    this.#bound = bound
    this.#plan = plan
    this.sink = delivery
  }

  get group(): unknown {
    return groupOf(this.#bound.known)
  }

  get history(): History {
    return this.#bound.known.history
  }

  get cancellation(): Cancellation {
    return this.#bound.work.cancellation
  }

  get meter(): Trace | undefined {
    return this.#bound.work.trace
  }

  get shared(): Cancellation {
    return this.#bound.work.cancellation
  }

  get format(): BoundStatement['format'] {
    return this.#bound.format
  }

  begin(session: Session): void {
    this.#session = session
    const { runner, spans } = this.#owner
    if (this.#bound.work.trace?.span !== undefined) {
      spans.waited(this.#bound.work, this.arrived)
      this.#span = spans.begin(this.#bound.work, this.#bound.known.statement)
    }
    try {
      runner.start(session, this.#plan, this.#bound, this, spans.commentOf(this.#span))
    } catch (error) {
      this.failed(error)
    }
  }

  gave(rows: Rows): void {
    this.#owner.pool.ended(this, true)
    this.#span?.end()
    this.sink.end(rows ?? this.#bound.format.nothing)
  }

  failed(error: unknown): void {
    if (this.#session !== undefined) noteSent(error, this.#plan, this.#session)
    this.#owner.pool.ended(this)
    endStatement(this.#span, error)
    if ((error as { code?: string }).code === sqlStates.readOnlyTransaction) this.#bound.known.writes = true
    if (needsNewPlan(error)) {
      this.#runAlone()
      return
    }
    this.#owner.undone(this.#bound.work)
    this.#tell(error, performance.now() - this.started)
  }

  refuse(reason: unknown): void {
    this.#owner.spans.waited(this.#bound.work, this.arrived, reason)
    this.#tell(reason, 0)
  }

  #tell(error: unknown, ms: number): void {
    this.sink.fail(this.#owner.toFailure(error, this.#bound, ms) as Error)
  }

  /** The slow way finds a new plan. */
  #runAlone(): void {
    const { plans } = this.#bound.known
    const { shape } = this.#bound.binding
    // Somebody else may have found one already.
    if (plans.get(shape) === this.#plan) plans.delete(shape)
    this.sink.follow(this.#owner.runAlone(this.#bound, this.sink))
  }
}

/**
 * Reads share with reads. A write may have to wait for somebody's row lock, so it shares only with other runs of its
 * own statement, which would wait for it anyway.
 */
function groupOf({ statement }: KnownStatement): unknown {
  return statement.effect === 'read' ? 'read' : statement
}
