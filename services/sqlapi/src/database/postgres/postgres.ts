/**
 * A PostgreSQL datasource: takes work, finds the plans, gets a connection from the pool and runs the statements there, in a
 * transaction where the work asks for one. Answers with JSON text; throws failures.
 *
 * Where things are decided: which connection, pool.ts; which types, settle.ts; what is sent, exchanges.ts.
 */
import { Failure } from '../../errors.ts'
import type { Database, ParameterSet, Statement, Work } from '../../model.ts'
import { emptyAnswer, joinAnswers } from '../answer.ts'
import { Pool } from '../pool.ts'
import { Catalog } from './catalog.ts'
import { toConnectFailure, toFailure } from './failures.ts'
import { isKindless } from './encode.ts'
import { type Binding, bindStatement, encodeAll, type Plan } from './plan.ts'
import { NotStarted, type Rows, Session } from './session.ts'
import { isTypeError, settle } from './settle.ts'
import { type KnownStatement, Statements } from './statements.ts'

export interface PostgresOptions {
  readonly name: string
  /** Connection URL with the credentials. */
  readonly url: string
  readonly maxConnections: number
  readonly acquireTimeoutSeconds: number
  /** Called for every statement that runs, when statements are logged. */
  readonly onStatement?: ((text: string, values: readonly (string | null)[]) => void) | undefined
  /** Called when an array has no element type of its own and is sent as JSONB. */
  readonly onArrayAsJson?: ((endpoint: string, parameter: string) => void) | undefined
}

/** Short statements in flight on one connection. */
const depth = 32
/** Sets of a batch that are under way at once, inside their transaction. */
const batchWindow = 100

/** Statements that drop our prepared statements too. */
const dropsPrepared = /^(?:DEALLOCATE|DISCARD)\b/i

/** One statement with the values of one set. */
interface Call {
  readonly known: KnownStatement
  readonly binding: Binding
}

export class PostgresDatabase implements Database {
  readonly dialect = 'postgres'
  readonly #options: PostgresOptions
  readonly #pool: Pool<Session>
  readonly #statements = new Statements()

  constructor(options: PostgresOptions) {
    const { name, url, maxConnections, acquireTimeoutSeconds } = options
    const catalog = new Catalog()
    const openSession = (broken: () => void): Promise<Session> =>
      Session.open({ url, connectTimeoutSeconds: acquireTimeoutSeconds, onBroken: broken }, catalog).catch(
        (error: unknown) => {
          throw toConnectFailure(error, name)
        },
      )
    this.#options = options
    this.#pool = new Pool({
      name,
      max: maxConnections,
      maxConnections,
      acquireTimeoutSeconds,
      depth,
      open: openSession,
    })
  }

  probe(): Promise<void> {
    return this.#pool.probe()
  }

  close(): Promise<void> {
    return this.#pool.close()
  }

  async run(work: Work): Promise<string> {
    const { script, sets, batch, cancellation } = work
    // Values are checked and encoded before a connection is asked for.
    const calls = sets.map((set) => script.statements.map((statement) => this.#call(work, statement, set)))
    const only = script.statements.length === 1 && !batch ? (calls[0] as Call[])[0] : undefined
    if (only !== undefined && only.known.statement.effect !== 'session') return this.#runOne(only, work)
    if (calls.flat().length === 0) return emptyAnswer(sets.length, batch)
    return this.#pool.run({
      group: undefined,
      history: undefined,
      cancellation,
      run: (session) =>
        cancellable(
          work,
          () => session.cancel(),
          () => this.#runAlone(session, work, calls),
        ),
    })
  }

  #call({ endpoint }: Work, statement: Statement, set: ParameterSet): Call {
    if (statement.refusal !== undefined) throw new Failure('BadSqlGrammarException', statement.refusal)
    const binding = bindStatement(statement, set)
    const { onArrayAsJson } = this.#options
    if (onArrayAsJson !== undefined) {
      for (const [index, { code }] of binding.values.entries()) {
        if (isKindless(code)) onArrayAsJson(endpoint.path, statement.names[index] as string)
      }
    }
    return { known: this.#statements.of(statement), binding }
  }

  /** One statement that commits itself: on a shared connection once its plan is known and it has proved short. */
  async #runOne(call: Call, work: Work): Promise<string> {
    const { known, binding } = call
    const plan = known.plans.get(binding.shape)
    if (plan !== undefined && known.history.isShort) {
      const job = { group: groupOf(known), history: known.history, cancellation: work.cancellation }
      try {
        const run = (session: Session) =>
          cancellable(
            work,
            () => session.cancelIfOnly(),
            () => this.#execute(session, plan, call),
          )
        return (await this.#pool.run({ ...job, run })) ?? '[]'
      } catch (error) {
        // The slow way finds a new plan.
        if (!needsNewPlan(error)) throw toFailure(error, known.statement.line)
        known.plans.delete(binding.shape)
      }
    }
    return this.#pool.run({
      group: undefined,
      history: known.history,
      cancellation: work.cancellation,
      run: (session) =>
        cancellable(
          work,
          () => session.cancel(),
          async () => (await this.#runCall(session, call)) ?? '[]',
        ),
    })
  }

  /** Several statements or sets, or one that touches the session, on a connection of their own. */
  async #runAlone(session: Session, work: Work, calls: readonly (readonly Call[])[]): Promise<string> {
    // What looks at the session must not see what the plain statements of others have left (the last value of a sequence).
    const touchesSession = work.script.statements.some(({ effect }) => effect === 'session')
    const line = work.script.statements[0]?.line ?? 1
    if (touchesSession) {
      await session.reset().catch((error: unknown) => {
        throw toFailure(error, line)
      })
    }
    if (!work.batch && !work.endpoint.transactional) return this.#runSet(session, calls[0] ?? [])
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#transact(session, work, calls)
      } catch (error) {
        // The transaction is undone, so running it once more with fresh plans is safe, unless the file itself can commit.
        if (attempt > 1 || touchesSession || !needsNewPlan(error)) throw toFailure(error, line)
        for (const call of calls.flat()) forgetPlan(session, call)
      }
    }
  }

  async #transact(session: Session, work: Work, calls: readonly (readonly Call[])[]): Promise<string> {
    try {
      await session.command('BEGIN')
      const answers = await this.#runSets(session, work, calls)
      await session.command('COMMIT')
      return work.batch ? joinAnswers(answers) : (answers[0] as string)
    } catch (error) {
      // Where the connection is lost the server rolls back by itself.
      await session.command('ROLLBACK').catch(() => undefined)
      throw error
    }
  }

  /** The sets in order. Single statements with known plans go out without waiting for each other's answers. */
  async #runSets(session: Session, { cancellation }: Work, calls: readonly (readonly Call[])[]): Promise<string[]> {
    const answers: string[] = []
    let underWay: Promise<string>[] = []
    // Waited for together, so the first to fail is the first in order; the later ones only say that the transaction failed.
    const collect = async (): Promise<void> => {
      const collected = underWay
      underWay = []
      answers.push(...(await Promise.all(collected)))
    }
    for (const set of calls) {
      const [call] = set
      const isKnown =
        set.length === 1 && call?.known.plans.has(call.binding.shape) && call.known.statement.effect !== 'session'
      if (!isKnown) await collect()
      if (cancellation.cancelled) throw new Failure('BadSqlGrammarException', 'The client has gone')
      underWay.push(this.#runSet(session, set))
      if (!isKnown || underWay.length >= batchWindow) await collect()
    }
    await collect()
    return answers
  }

  /** The statements of one set in order; the answer is that of the last one with a result set. */
  async #runSet(session: Session, calls: readonly Call[]): Promise<string> {
    let answer: Rows
    for (const call of calls) answer = (await this.#runCall(session, call)) ?? answer
    return answer ?? '[]'
  }

  async #runCall(session: Session, call: Call): Promise<Rows> {
    const { known, binding } = call
    try {
      const plan = known.plans.get(binding.shape)
      if (plan === undefined) return await this.#execute(session, await this.#settle(session, call), call)
      try {
        return await this.#execute(session, plan, call)
      } catch (error) {
        if (session.isInTransaction || !needsNewPlan(error)) throw error
        forgetPlan(session, call)
        return await this.#execute(session, await this.#settle(session, call), call)
      }
    } catch (error) {
      throw toFailure(error, known.statement.line)
    }
  }

  async #settle(session: Session, { known, binding }: Call): Promise<Plan> {
    const preparer = {
      describe: (text: string, types: readonly number[]) => describeSafely(session, text, types),
      isArrayType: (type: number) => session.isArrayType(type),
    }
    const plan = await settle(preparer, this.#statements.nextName(), known.statement, binding.shape)
    this.#statements.keep(known, binding.shape, plan)
    return plan
  }

  async #execute(session: Session, plan: Plan, { known, binding }: Call): Promise<Rows> {
    const { effect } = known.statement
    if (effect === 'session') session.hasRunSession = true
    if (effect === 'definition') session.hasRunDefinition = true
    const values = encodeAll(plan, binding)
    this.#options.onStatement?.(plan.text, values)
    const rows = await session.execute(plan, values)
    if (effect === 'session' && dropsPrepared.test(plan.text)) session.forget()
    return rows
  }
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

/** In a transaction a text that cannot be prepared would end it; behind a savepoint only the attempt is undone. */
async function describeSafely(session: Session, text: string, types: readonly number[]): Promise<readonly number[]> {
  if (!session.isInTransaction) return session.describe(text, types)
  await session.command('SAVEPOINT sqlapi_describe')
  try {
    const reported = await session.describe(text, types)
    await session.command('RELEASE SAVEPOINT sqlapi_describe')
    return reported
  } catch (error) {
    await session.command('ROLLBACK TO SAVEPOINT sqlapi_describe; RELEASE SAVEPOINT sqlapi_describe')
    throw error
  }
}

/**
 * What the plan was made for has changed: a table has other columns (0A000 in that one routine), a type was made anew, the
 * prepared statement was dropped (26000), or its types do not fit any more. Only while nothing was executed: a statement must
 * not run twice.
 */
function needsNewPlan(error: unknown): boolean {
  const reason = error instanceof Failure ? error.cause : error
  if (!(reason instanceof NotStarted)) return false
  const { code, routine, message } = reason.cause
  if (code === '26000' || (code === '0A000' && routine === 'RevalidateCachedQuery')) return true
  return (code === 'XX000' && message.startsWith('cache lookup failed')) || isTypeError(reason.cause)
}

function forgetPlan(session: Session, { known, binding }: Call): void {
  const plan = known.plans.get(binding.shape)
  known.plans.delete(binding.shape)
  if (plan !== undefined) session.forget(plan)
}
