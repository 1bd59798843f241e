/**
 * A PostgreSQL datasource: takes work, gets a connection from the pool and has the statements run there, in a transaction
 * where the work asks for one. Answers in the format that the work asks for, whole or as a stream; throws failures.
 *
 * Where things are decided: which connection, pool.ts; which plan and types, calls.ts and settle.ts; what is sent, exchanges.ts.
 */
import type { Answer, Database, ParameterSet, Statement, Work } from '../../model.ts'
import { deliver, emptyAnswer, type Outlet } from '../answer.ts'
import { type FaultListener, requireRunnable, StatementFailure, toFault } from '../fault.ts'
import type { History } from '../pool/history.ts'
import { Pool } from '../pool/pool.ts'
import { runBatch } from './sessions/batch.ts'
import { type Call, type CallListeners, Calls, needsNewPlan } from './sessions/calls.ts'
import { Catalog } from './sessions/catalog.ts'
import { toConnectFailure, toFailure } from './sessions/failures.ts'
import type { Finding } from './sessions/session-code.ts'
import { Session } from './sessions/session.ts'
import type { KnownStatement } from './plans/statements.ts'

export interface PostgresOptions extends CallListeners {
  readonly name: string
  /** Connection URL with the credentials. */
  readonly url: string
  /** As configured, for all processes together; shown in messages. */
  readonly maxConnections: number
  /** Most connections of this process. */
  readonly poolSize: number
  readonly acquireTimeoutSeconds: number
  readonly onStatementFailure?: FaultListener
  /** Longest time that a statement may run; 0 for no limit. */
  readonly statementTimeoutSeconds: number
  /** Called for each piece of stored code that costs every request a reset, once. */
  readonly onSessionCode?: ((finding: Finding) => void) | undefined
}

/** Short statements in flight on one connection. */
const depth = 32

export class PostgresDatabase implements Database {
  readonly dialect = 'postgres'
  readonly #pool: Pool<Session>
  readonly #calls: Calls
  readonly #options: PostgresOptions

  constructor(options: PostgresOptions) {
    this.#options = options
    const { name, url, maxConnections, poolSize, acquireTimeoutSeconds, statementTimeoutSeconds } = options
    const session = { url, connectTimeoutSeconds: acquireTimeoutSeconds, statementTimeoutSeconds }
    const catalog = new Catalog(options.onSessionCode)
    this.#calls = new Calls(options, catalog.code)
    this.#pool = new Pool({
      name,
      max: poolSize,
      maxConnections,
      acquireTimeoutSeconds,
      depth,
      open: (broken) =>
        Session.open(session, catalog, broken).catch((error: unknown) => {
          throw toConnectFailure(error, name)
        }),
    })
  }

  probe(): Promise<void> {
    return this.#pool.probe()
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  run(work: Work): Promise<Answer> {
    return work.batch ? this.#runBatch(work) : deliver((outlet) => this.#runCall(work, outlet))
  }

  async #runCall(work: Work, outlet: Outlet): Promise<Answer> {
    const { name, onStatementFailure } = this.#options
    // Statements and values are checked before a connection is asked for.
    requireRunnable(work, name, onStatementFailure)
    const calls = this.#calls.of(work, work.sets[0] as ParameterSet)
    const [only] = calls
    if (only === undefined) return emptyAnswer(work)
    if (calls.length === 1 && !this.#calls.touchesSession(only.known)) return this.#runOne(only, work, outlet)
    return this.#onOwnConnection(work, undefined, async (session) => {
      const runAll = async (): Promise<Answer> =>
        (await this.#calls.runAll(session, calls, outlet)) ?? only.format.nothing
      await this.#resetFor(work, session)
      return work.endpoint.transactional ? this.#transact(session, work, runAll) : runAll()
    })
  }

  /** One statement that commits itself: on a shared connection once its plan is known and it has proved short. */
  async #runOne(call: Call, work: Work, outlet: Outlet): Promise<Answer> {
    const { known, binding, format } = call
    const { history } = known
    const plan = this.#calls.planFor(call)
    if (plan !== undefined && history.isShort) {
      let started = 0
      try {
        const run = async (session: Session): Promise<Answer> => {
          started = performance.now()
          return (await this.#calls.execute(session, plan, call, outlet, work.cancellation)) ?? format.nothing
        }
        return await this.#pool.run({ group: groupOf(known), history, cancellation: work.cancellation, run })
      } catch (error) {
        // The slow way finds a new plan.
        if (!needsNewPlan(error)) throw this.#told(toFailure(error, known.statement), work, started)
        // Somebody else may have found one already.
        if (known.plans.get(binding.shape) === plan) known.plans.delete(binding.shape)
      }
    }
    return this.#onOwnConnection(work, history, async (session) => {
      return (await this.#calls.run(session, call, outlet)) ?? format.nothing
    })
  }

  async #runBatch(work: Work): Promise<Answer> {
    const { script, sets } = work
    if (script.statements.length === 0 || sets.length === 0) return emptyAnswer(work)
    requireRunnable(work, this.#options.name, this.#options.onStatementFailure)
    this.#calls.check(work)
    return this.#onOwnConnection(work, undefined, async (session) => {
      await this.#resetFor(work, session)
      return this.#transact(session, work, () => runBatch(this.#calls, session, work))
    })
  }

  #onOwnConnection(
    work: Work,
    history: History | undefined,
    job: (session: Session) => Promise<Answer>,
  ): Promise<Answer> {
    const { cancellation } = work
    const run = async (session: Session): Promise<Answer> => {
      const started = performance.now()
      cancellation.onCancel = session.cancel
      try {
        return await job(session)
      } catch (error) {
        throw this.#told(error, work, started)
      } finally {
        cancellation.onCancel = undefined
      }
    }
    return this.#pool.run({ group: undefined, history, cancellation, run })
  }

  /** Tells the listener of a statement that has failed for good, unless its client has gone, which ends statements too. */
  #told(error: unknown, work: Work, started: number): unknown {
    const { name, onStatementFailure } = this.#options
    if (error instanceof StatementFailure && !work.cancellation.cancelled) {
      onStatementFailure?.(toFault(error, work, name, performance.now() - started))
    }
    return error
  }

  /** What looks at the session must not see what the plain statements of others have left (the last value of a sequence). */
  async #resetFor(work: Work, session: Session): Promise<void> {
    if (!this.#calls.isAnySession(work)) return
    await session.reset().catch((error: unknown) => {
      throw toFailure(error, firstStatement(work))
    })
  }

  async #transact(session: Session, work: Work, job: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        await session.command('BEGIN')
        const answer = await job()
        await session.command('COMMIT')
        return answer
      } catch (error) {
        // Where the connection is lost the server rolls back by itself.
        await session.command('ROLLBACK').catch(() => undefined)
        // The transaction is undone, so running it once more with fresh plans is safe, unless the file itself can commit.
        if (attempt > 1 || this.#calls.isAnySession(work) || !needsNewPlan(error))
          throw toFailure(error, firstStatement(work))
        this.#calls.forget(session, work)
      }
    }
  }
}

function firstStatement({ script }: Work): Statement {
  return script.statements[0] as Statement
}

/**
 * Reads share with reads. A write may have to wait for somebody's row lock, so it shares only with calls of its own statement,
 * which would wait for it anyway.
 */
function groupOf({ statement }: KnownStatement): unknown {
  return statement.effect === 'read' ? 'read' : statement
}
