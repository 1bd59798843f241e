/**
 * A PostgreSQL datasource: takes work, gets a connection from the pool and has the statements run there, in a transaction
 * where the work asks for one. Answers with JSON, whole or as a stream; throws failures.
 *
 * Where things are decided: which connection, pool.ts; which plan and types, calls.ts and settle.ts; what is sent, exchanges.ts.
 */
import type { Answer, Database, ParameterSet, Work } from '../../model.ts'
import { deliver, emptyAnswer, type Outlet } from '../answer.ts'
import type { History } from '../history.ts'
import { Pool } from '../pool.ts'
import { runBatch } from './batch.ts'
import { type Call, type CallListeners, Calls, needsNewPlan } from './calls.ts'
import { Catalog } from './catalog.ts'
import { toConnectFailure, toFailure } from './failures.ts'
import { Session } from './session.ts'
import type { KnownStatement } from './statements.ts'

export interface PostgresOptions extends CallListeners {
  readonly name: string
  /** Connection URL with the credentials. */
  readonly url: string
  /** As configured, for all processes together; shown in messages. */
  readonly maxConnections: number
  /** Most connections of this process. */
  readonly poolSize: number
  readonly acquireTimeoutSeconds: number
  /** Longest time that a statement may run; 0 for no limit. */
  readonly statementTimeoutSeconds: number
}

/** Short statements in flight on one connection. */
const depth = 32

export class PostgresDatabase implements Database {
  readonly dialect = 'postgres'
  readonly #pool: Pool<Session>
  readonly #calls: Calls

  constructor(options: PostgresOptions) {
    const { name, url, maxConnections, poolSize, acquireTimeoutSeconds, statementTimeoutSeconds } = options
    const session = { url, connectTimeoutSeconds: acquireTimeoutSeconds, statementTimeoutSeconds }
    const catalog = new Catalog()
    this.#calls = new Calls(options)
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
    // Values are checked before a connection is asked for.
    const calls = this.#calls.of(work, work.sets[0] as ParameterSet)
    const [only] = calls
    if (only === undefined) return emptyAnswer(1, false)
    if (calls.length === 1 && only.known.statement.effect !== 'session') return this.#runOne(only, work, outlet)
    return this.#onOwnConnection(work, undefined, async (session) => {
      const runAll = async (): Promise<Answer> => (await this.#calls.runAll(session, calls, outlet)) ?? '[]'
      await resetFor(work, session)
      return work.endpoint.transactional ? this.#transact(session, work, runAll) : runAll()
    })
  }

  /** One statement that commits itself: on a shared connection once its plan is known and it has proved short. */
  async #runOne(call: Call, work: Work, outlet: Outlet): Promise<Answer> {
    const { known, binding } = call
    const { history } = known
    const plan = known.plans.get(binding.shape)
    if (plan !== undefined && history.isShort) {
      try {
        const run = async (session: Session): Promise<Answer> =>
          (await this.#calls.execute(session, plan, call, outlet, work.cancellation)) ?? '[]'
        return await this.#pool.run({ group: groupOf(known), history, cancellation: work.cancellation, run })
      } catch (error) {
        // The slow way finds a new plan.
        if (!needsNewPlan(error)) throw toFailure(error, known.statement.line)
        // Somebody else may have found one already.
        if (known.plans.get(binding.shape) === plan) known.plans.delete(binding.shape)
      }
    }
    return this.#onOwnConnection(work, history, async (session) => {
      return (await this.#calls.run(session, call, outlet)) ?? '[]'
    })
  }

  async #runBatch(work: Work): Promise<Answer> {
    const { script, sets } = work
    if (script.statements.length === 0 || sets.length === 0) return emptyAnswer(sets.length, true)
    this.#calls.check(work)
    return this.#onOwnConnection(work, undefined, async (session) => {
      await resetFor(work, session)
      return this.#transact(session, work, () => runBatch(this.#calls, session, work))
    })
  }

  #onOwnConnection(
    work: Work,
    history: History | undefined,
    job: (session: Session) => Promise<Answer>,
  ): Promise<Answer> {
    const { cancellation } = work
    const run = (session: Session): Promise<Answer> =>
      cancellable(
        work,
        () => session.cancel(),
        () => job(session),
      )
    return this.#pool.run({ group: undefined, history, cancellation, run })
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
        if (attempt > 1 || touchesSession(work) || !needsNewPlan(error)) throw toFailure(error, firstLine(work))
        this.#calls.forget(session, work)
      }
    }
  }
}

/** What looks at the session must not see what the plain statements of others have left (the last value of a sequence). */
async function resetFor(work: Work, session: Session): Promise<void> {
  if (!touchesSession(work)) return
  await session.reset().catch((error: unknown) => {
    throw toFailure(error, firstLine(work))
  })
}

function touchesSession({ script }: Work): boolean {
  return script.statements.some(({ effect }) => effect === 'session')
}

function firstLine({ script }: Work): number {
  return script.statements[0]?.line ?? 1
}

/** Runs the job; a client that goes meanwhile has it cancelled. */
async function cancellable<T>({ cancellation }: Work, cancel: () => void, job: () => Promise<T>): Promise<T> {
  cancellation.onCancel = cancel
  try {
    return await job()
  } finally {
    cancellation.onCancel = undefined
  }
}

/**
 * Reads share with reads. A write may have to wait for somebody's row lock, so it shares only with calls of its own statement,
 * which would wait for it anyway.
 */
function groupOf({ statement }: KnownStatement): unknown {
  return statement.effect === 'read' ? 'read' : statement
}
