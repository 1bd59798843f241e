/**
 * Runs the statements of the files: binds their values, finds or settles their plans, sends them on a session. Knows
 * what the datasource has learnt about its statements; work-runner.ts and batch.ts decide about connections and
 * transactions.
 */
import type { RowFormat } from '../../../formats/format.ts'
import { formats } from '../../../formats/formats.ts'
import type { ParameterSet, Statement, Work } from '../../../model.ts'
import { type Rendered, sourceOf } from '../../../sql/position.ts'
import { isCommand, isTransactionBound } from '../../../sql/transaction-bound.ts'
import type { Sink } from '../../result.ts'
import { inSet } from '../../statement-failure.ts'
import { endWith, type StatementSpans } from '../../statement-spans.ts'
import { grammar } from '../grammar.ts'
import { isKindless, requireRange } from '../types/encode.ts'
import { noteSent, toFailure } from '../sessions/postgres-failures.ts'
import type { Step } from '../wire/flight.ts'
import { type Binding, bindStatement, encodeAll, type Plan } from '../plans/plan.ts'
import { type Rows, type RowsReader } from '../sessions/plan-run.ts'
import type { Session } from '../sessions/session.ts'
import type { SessionCode } from '../stored-code/session-code.ts'
import { settle } from '../plans/settle.ts'
import { type KnownStatement, Statements } from '../plans/statements.ts'
import { needsNewPlan } from './stale-plan.ts'

export interface StatementListeners {
  /** Called for every statement that runs, when statements are logged. */
  readonly onStatement?: ((text: string, values: readonly (string | null)[], work: Work) => void) | undefined
  /** Called when an array has no element type of its own and is sent as JSONB. */
  readonly onArrayAsJson?: ((parameter: string, work: Work) => void) | undefined
}

/** One statement with the values of one set. */
export interface BoundStatement {
  readonly known: KnownStatement
  readonly binding: Binding
  /** Of its rows. */
  readonly format: RowFormat
  readonly work: Work
}

/** Risky names that `isTransactionBound` has judged already. */
const boundNames: ReadonlySet<string> = new Set(['set_config', 'pg_settings'])

/** Most are misspelled. */
const unknownCommand = 'begins with no command of PostgreSQL that the service knows, so it may need a session'

/** Statements that drop our prepared statements too. */
const dropsPrepared = /^(?:DEALLOCATE\s+(?:PREPARE\s+)?|DISCARD\s+)ALL\b/i

export class StatementRunner {
  readonly #listeners: StatementListeners
  readonly #statements = new Statements()
  readonly #code: SessionCode
  readonly #spans: StatementSpans

  constructor(listeners: StatementListeners, code: SessionCode, spans: StatementSpans) {
    this.#listeners = listeners
    this.#spans = spans
    this.#code = code
  }

  /** Whether the statement may leave something behind: it says so, or names stored code that does. */
  touchesSession(known: KnownStatement): boolean {
    const { statement } = known
    if (statement.effect === 'session') return true
    if (known.judgedAt !== this.#code.version) {
      known.judgedAt = this.#code.version
      known.namesSessionCode = this.#code.isNamedIn(statement.pieces.join(' '))
    }
    return known.namesSessionCode
  }

  /** Why the statement cannot run where each transaction has another connection; undefined where it can. */
  sessionNeedOf(statement: Statement): string | undefined {
    const known = this.#statements.of(statement)
    if (!this.touchesSession(known)) return undefined
    if (statement.effect !== 'session') return 'names stored code that may change the session'
    const source = sourceOf(statement)
    if (!isTransactionBound(source, grammar)) return isCommand(source, grammar) ? 'needs a session' : unknownCommand
    return this.#code.isNamedIn(source, boundNames) ? 'names stored code that may change the session' : undefined
  }

  /** Whether the statement names stored code that may change the session. */
  reachesOut(statement: Statement): boolean {
    return statement.effect !== 'session' && this.touchesSession(this.#statements.of(statement))
  }

  /** The same of any statement of the file. */
  isAnySession({ script }: Work): boolean {
    return script.statements.some((statement) => this.touchesSession(this.#statements.of(statement)))
  }

  /** The statements of the file with the values of a set, in order. Throws where a value fits no type. */
  bind(work: Work, set: ParameterSet): BoundStatement[] {
    const { onArrayAsJson } = this.#listeners
    const format = formats[work.format]
    return work.script.statements.map((statement) => {
      const binding = bindStatement(statement, set)
      if (onArrayAsJson !== undefined) {
        for (const [index, { code }] of binding.values.entries()) {
          if (isKindless(code)) onArrayAsJson(statement.names[index] as string, work)
        }
      }
      return { known: this.#statements.of(statement), binding, format, work }
    })
  }

  /** Throws where `bind` will for some set, before a connection is asked for. */
  check({ script, sets }: Work): void {
    let index = 0
    try {
      for (; index < sets.length; index++) {
        for (const name of script.parameters) requireRange(name, sets[index]?.get(name) ?? null)
      }
    } catch (error) {
      throw inSet(error, index)
    }
  }

  /**
   * The statements of one set in order; the result is that of the last one with a result set, which alone may go to the
   * sink. `comment` as for `run`.
   */
  async runAll(session: Session, statements: readonly BoundStatement[], sink?: Sink, comment?: string): Promise<Rows> {
    let rows: Rows
    const last = statements.at(-1)
    for (const bound of statements)
      rows = (await this.run(session, bound, bound === last ? sink : undefined, comment)) ?? rows
    return rows
  }

  /** One statement, its plan settled where it is not known yet or fits no more. `comment` is that of a batch. */
  run(session: Session, bound: BoundStatement, sink?: Sink, comment?: string): Promise<Rows> {
    const { known, work } = bound
    // A batch is one span.
    const span = work.batch ? undefined : this.#spans.begin(work, known.statement)
    if (span === undefined) return this.#run(session, bound, sink, comment)
    return endWith(span, this.#run(session, bound, sink, this.#spans.commentOf(span)))
  }

  async #run(
    session: Session,
    bound: BoundStatement,
    sink: Sink | undefined,
    comment: string | undefined,
  ): Promise<Rows> {
    const { known } = bound
    try {
      let plan = this.planFor(bound)
      // A transaction would not survive the refusal of a plan that does not fit any more.
      if (plan !== undefined && session.isInTransaction && session.newPlans?.has(plan) === false) {
        forgetPlan(session, bound)
        plan = undefined
      }
      if (plan === undefined) {
        return await this.#execute(session, await this.#settle(session, bound), bound, sink, comment)
      }
      try {
        return await this.#execute(session, plan, bound, sink, comment)
      } catch (error) {
        if (session.isInTransaction || !needsNewPlan(error)) throw error
        forgetPlan(session, bound)
        return await this.#execute(session, await this.#settle(session, bound), bound, sink, comment)
      }
    } catch (error) {
      throw toFailure(error, known.statement)
    }
  }

  /** The plan that the values need, if one is known. */
  planFor({ known, binding }: BoundStatement): Plan | undefined {
    return this.#statements.find(known, binding)
  }

  /** One statement with the plan that it has. */
  async #execute(
    session: Session,
    plan: Plan,
    bound: BoundStatement,
    sink: Sink | undefined,
    comment: string | undefined,
  ): Promise<Rows> {
    const { effect } = bound.known.statement
    try {
      const rows = await new Promise<Rows>((resolve, reject) => {
        const { format, work } = bound
        const reader = { format, sink, shared: undefined, meter: work.trace, gave: resolve, failed: reject }
        this.start(session, plan, bound, reader, comment)
      })
      if (effect === 'definition' || this.touchesSession(bound.known)) session.newPlans = new Set()
      if (effect === 'session') await session.repairSettings(plan.text)
      if (effect === 'session' && dropsPrepared.test(plan.text)) session.prepared.forget()
      return rows
    } catch (error) {
      noteSent(error, plan, session)
      throw error
    }
  }

  /** The same without a promise, for a statement that leaves the session as it is. */
  start(session: Session, plan: Plan, bound: BoundStatement, reader: RowsReader, comment?: string): void {
    const { known, binding, work } = bound
    const { effect } = known.statement
    if (effect === 'session') session.hasRunSession = true
    // What was assumed when the statement ran counts, whatever is known when it has ended.
    else if (this.#code.isEverywhere || this.touchesSession(known)) session.hasRunCode = true
    if (effect === 'definition') session.hasRunDefinition = true
    const values = encodeAll(plan, binding)
    this.#listeners.onStatement?.(plan.text, values, work)
    if (reader.sink !== undefined) reader.sink.history = known.history
    session.start(plan, values, reader, comment)
  }

  /** The statements of one set as steps of a flight; nothing where the session does not know all about one yet. */
  toSteps(session: Session, statements: readonly BoundStatement[], comment?: string): Step[] | undefined {
    if (session.newPlans !== undefined) return undefined
    const steps: Step[] = []
    let giving = statements.length - 1
    for (const [index, bound] of statements.entries()) {
      const { known, binding } = bound
      const plan = this.planFor(bound)
      const prepared = plan === undefined ? undefined : session.prepared.described(plan, comment)
      // What touches the session or the schema may change what was known.
      if (
        session.newPlans !== undefined ||
        prepared === undefined ||
        known.statement.effect === 'definition' ||
        this.touchesSession(known)
      ) {
        return undefined
      }
      if (prepared.result !== undefined) giving = index
      steps.push({ prepared, values: encodeAll(prepared.plan, binding), gives: 'none' })
    }
    if (this.#code.isEverywhere) session.hasRunCode = true
    const last = steps[giving]
    if (last !== undefined) {
      const gives = last.prepared.result === undefined ? 'empty' : 'rows'
      steps[giving] = { ...last, gives }
    }
    const { onStatement } = this.#listeners
    const [first] = statements
    if (onStatement !== undefined && first !== undefined) {
      for (const { prepared, values } of steps) onStatement(prepared.plan.text, values, first.work)
    }
    return steps
  }

  /** Forgets every plan of the file, which is then settled again. */
  forget(session: Session, { script }: Work): void {
    for (const statement of script.statements) {
      const { plans } = this.#statements.of(statement)
      for (const plan of plans.values()) session.prepared.giveUp(plan)
      plans.clear()
    }
  }

  async #settle(session: Session, bound: BoundStatement): Promise<Plan> {
    const { known, binding } = bound
    const preparer = {
      describe: (text: string, types: readonly number[]) => describeSafely(session, text, types),
      noteSent: (error: unknown, rendered: Rendered) => noteSent(error, rendered, session),
      elementsOf: (type: number) => session.elementsOf(type),
    }
    // What values of these kinds need is settled before what this one needs that does not fit, so that it does not
    // matter which values come first.
    for (;;) {
      const plan = await settle(preparer, this.#statements.nextName(), known.statement, binding.shape)
      this.#statements.keep(known, binding.shape, plan)
      const fitting = this.planFor(bound)
      session.newPlans?.add(plan)
      if (fitting !== undefined) return fitting
    }
  }
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

function forgetPlan(session: Session, { known, binding }: BoundStatement): void {
  const plan = known.plans.get(binding.shape)
  known.plans.delete(binding.shape)
  if (plan !== undefined) session.prepared.giveUp(plan)
}
