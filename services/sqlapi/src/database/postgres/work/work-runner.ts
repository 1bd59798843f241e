/**
 * Runs the work of a datasource: decides for each what connection it gets from the pool, and where a transaction begins
 * and ends. Results leave in the format that the work asks for, whole or as a stream; failures are thrown, and told to
 * whoever logs them.
 *
 * A short statement shares a connection (shared-run.ts), all else has one of its own. statement-runner.ts knows
 * statements and their plans, batch.ts the sets of a batch.
 */
import type { ParameterSet, Result, Statement, Work } from '../../../model.ts'
import type { DatabaseOptions } from '../../options.ts'
import type { History } from '../../pool/history.ts'
import type { Pool } from '../../pool/pool.ts'
import { Delivery, emptyResult, type Sink } from '../../result.ts'
import { requireRunnable, StatementFailure, naming, toReport } from '../../statement-failure.ts'
import { endWith, type StatementSpans, type Times } from '../../statement-spans.ts'
import { runBatch } from './batch.ts'
import { toFailure } from '../sessions/postgres-failures.ts'
import type { Session } from '../sessions/session.ts'
import type { BoundStatement, StatementRunner } from './statement-runner.ts'
import { needsNewPlan } from './stale-plan.ts'
import type { SessionNeeds } from './session-needs.ts'
import { SharedRun, type SharedRunOwner } from './shared-run.ts'

/** With the plans that are known, with new ones, and, for a batch, with new ones for each set. */
const lastAttempt = 3

/** Read each time, because who is told changes. */
type RunOptions = Pick<DatabaseOptions, 'name' | 'meter' | 'onStatementFailure'>

/** What work runs on. */
export interface WorkRunnerParts {
  readonly pool: Pool<Session>
  readonly runner: StatementRunner
  readonly spans: StatementSpans
  /** Where each transaction may have another connection of the server. */
  readonly needs: SessionNeeds | undefined
}

export class WorkRunner implements SharedRunOwner {
  readonly pool: Pool<Session>
  readonly runner: StatementRunner
  readonly spans: StatementSpans
  readonly #needs: SessionNeeds | undefined
  readonly #options: RunOptions

  constructor(options: RunOptions, { pool, runner, spans, needs }: WorkRunnerParts) {
    this.#options = options
    this.pool = pool
    this.runner = runner
    this.spans = spans
    this.#needs = needs
  }

  run(work: Work): Promise<Result> {
    if (work.batch) return this.#runBatch(work)
    return new Promise((resolve, reject) => this.#runPlain(work, new Delivery(resolve, reject)))
  }

  /** Throws what is known before a connection is asked for. */
  #runPlain(work: Work, delivery: Delivery): void {
    this.#require(work)
    const statements = this.runner.bind(work, work.sets[0] as ParameterSet)
    const [only] = statements
    if (only === undefined) {
      delivery.end(emptyResult(work))
    } else if (statements.length > 1 || this.runner.touchesSession(only.known)) {
      delivery.follow(this.#runAll(statements, work, delivery))
    } else {
      // It commits itself: on a shared connection once its plan is known and it has proved short.
      const { history, statement, writes } = only.known
      const isAlike = this.#needs === undefined || (statement.effect === 'read' && !writes)
      const mayShare = isAlike && history.isShort && work.endpoint.declarations?.timeoutSeconds === undefined
      const plan = mayShare ? this.runner.planFor(only) : undefined
      if (plan === undefined) delivery.follow(this.runAlone(only, delivery))
      else this.pool.start(new SharedRun(this, only, plan, delivery))
    }
  }

  /** The statements of a file in order, in a transaction where the file asks for one. */
  #runAll(statements: readonly BoundStatement[], work: Work, sink: Sink): Promise<Result> {
    const { format } = statements[0] as BoundStatement
    return this.#onOwnConnection(work, undefined, async (session) => {
      const runAll = async (): Promise<Result> =>
        (await this.runner.runAll(session, statements, sink)) ?? format.nothing
      await this.#resetFor(work, session)
      return work.endpoint.transactional ? this.#transact(session, work, runAll) : runAll()
    })
  }

  runAlone(bound: BoundStatement, sink: Sink): Promise<Result> {
    return this.#onOwnConnection(bound.work, bound.known.history, async (session) => {
      try {
        return (await this.runner.run(session, bound, sink)) ?? bound.format.nothing
      } catch (error) {
        this.undone(bound.work)
        throw error
      }
    })
  }

  undone({ endpoint }: Work): void {
    if (endpoint.transactional) this.#options.meter?.rolledBack()
  }

  async #runBatch(work: Work): Promise<Result> {
    const { script, sets } = work
    if (script.statements.length === 0 || sets.length === 0) return emptyResult(work)
    this.#require(work)
    this.runner.check(work)
    return this.#onOwnConnection(work, undefined, async (session) => {
      await this.#resetFor(work, session)
      const span = this.spans.beginAll(work)
      const comment = this.spans.commentOf(span)
      const running = this.#transact(session, work, (attempt) =>
        runBatch({ runner: this.runner, session, work, comment, isUnsteady: attempt === lastAttempt }),
      )
      return span === undefined ? running : endWith(span, running)
    })
  }

  #require(work: Work): void {
    requireRunnable(work, this.#options.name, this.#options.onStatementFailure)
    try {
      this.#needs?.refuse(work)
    } catch (error) {
      throw this.#told(error, work, 0)
    }
  }

  #onOwnConnection(
    work: Work,
    history: History | undefined,
    job: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const { cancellation } = work
    const timeoutSeconds = work.endpoint.declarations?.timeoutSeconds
    const times: Times = { arrived: performance.now(), started: undefined }
    const run = async (session: Session): Promise<Result> => {
      const started = (times.started = performance.now())
      this.spans.waited(work, times.arrived)
      cancellation.onCancel = session.cancel
      if (timeoutSeconds !== undefined) session.limitStatements(timeoutSeconds)
      try {
        this.#needs?.refuseUnknown(work)
        return await job(session)
      } catch (error) {
        throw this.#told(error, work, performance.now() - started)
      } finally {
        cancellation.onCancel = undefined
      }
    }
    const running = this.pool.run({ group: undefined, history, cancellation, meter: work.trace, run })
    return work.trace?.span === undefined ? running : this.spans.wait(work, times, running)
  }

  toFailure(error: unknown, { known, work }: BoundStatement, ms: number): unknown {
    return this.#told(toFailure(error, known.statement), work, ms)
  }

  /** Reports a statement that has finally failed, unless its client has gone, because that ends statements too. */
  #told(failure: unknown, work: Work, ms: number): unknown {
    const { name, onStatementFailure } = this.#options
    const error = this.#needs === undefined ? failure : this.#needs.explain(failure)
    if (!(error instanceof StatementFailure)) return error
    if (!work.cancellation.cancelled) onStatementFailure?.(toReport(error, work, name, ms))
    return naming(error, work)
  }

  /**
   * What looks at the session must not see what the plain statements of others have left (the last value of a
   * sequence).
   */
  async #resetFor(work: Work, session: Session): Promise<void> {
    if (!this.runner.isAnySession(work)) return
    await session.reset().catch((error: unknown) => {
      throw toFailure(error, firstStatement(work))
    })
  }

  async #transact(session: Session, work: Work, job: (attempt: number) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        session.newPlans = undefined
        await session.begin()
        const result = await job(attempt)
        await session.command('COMMIT')
        return result
      } catch (error) {
        // Where the connection is lost the server rolls back by itself.
        await session.command('ROLLBACK').catch(() => undefined)
        this.#options.meter?.rolledBack()
        if (!needsNewPlan(error)) throw toFailure(error, firstStatement(work))
        this.runner.forget(session, work)
        // The transaction is undone, so running it again is safe, unless what the file has run itself can commit.
        if (attempt === lastAttempt || (session.newPlans !== undefined && this.runner.isAnySession(work)))
          throw toFailure(error, firstStatement(work))
      }
    }
  }
}

function firstStatement({ script }: Work): Statement {
  return script.statements[0] as Statement
}
