/**
 * Runs the sets of a batch inside the transaction that work-runner.ts has opened. Sets whose plans the connection knows
 * go out in flights, without waiting for each other's results. Any other set goes by itself, and its plans are known
 * from then on.
 */
import { Failure } from '../../../errors.ts'
import { json } from '../../../formats/json.ts'
import type { ParameterSet, Statement, Work } from '../../../model.ts'
import { maxResultLength } from '../../result.ts'
import { inSet, StatementFailure } from '../../statement-failure.ts'
import { ByteWriter } from '../rows/bytes.ts'
import type { BoundStatement, StatementRunner } from './statement-runner.ts'
import { noteSent, toFailure } from '../sessions/postgres-failures.ts'
import { appendResult, beginResults, endResults, Flight, type Step } from '../wire/flight.ts'
import type { Session } from '../sessions/session.ts'

/** A flight is sent when it has this many steps, or this many characters of values. */
const flightSteps = 1000
const flightLength = 256 * 1024
/** One flight is on its way while the next is made ready. */
const maxFlights = 2

interface BatchOptions {
  readonly runner: StatementRunner
  readonly session: Session
  readonly work: Work
  /** Goes behind the texts of all statements. */
  readonly comment: string | undefined
  /** What is known after one set need not be true for the next. */
  readonly isUnsteady: boolean
}

/** Runs all sets in order; gives the array of their results. Rejects with the error of the first set that fails. */
export async function runBatch(options: BatchOptions): Promise<Buffer> {
  const batch = new Batch(options)
  for (const [index, set] of options.work.sets.entries()) {
    const running = batch.add(set, index)
    if (running !== undefined) await running
  }
  return batch.end()
}

class Batch {
  readonly #runner: StatementRunner
  readonly #session: Session
  readonly #work: Work
  readonly #comment: string | undefined
  readonly #isUnsteady: boolean
  readonly #out = new ByteWriter()
  readonly #underWay: Promise<void>[] = []
  /** Of sets that follow each other, each with one step for each statement of the file. */
  #steps: Step[] = []
  #firstSet = 0
  #length = 0

  constructor({ runner, session, work, comment, isUnsteady }: BatchOptions) {
    this.#runner = runner
    this.#session = session
    this.#work = work
    this.#comment = comment
    this.#isUnsteady = isUnsteady
    beginResults(this.#out)
  }

  /** Takes the next set; a promise where it is to be waited for. */
  add(set: ParameterSet, index: number): Promise<void> | undefined {
    if (this.#work.cancellation.cancelled) return this.#refuse(new Failure('client_gone'))
    let statements: BoundStatement[]
    try {
      statements = this.#runner.bind(this.#work, set)
    } catch (error) {
      return this.#refuse(inSet(error, index))
    }
    if (this.#isUnsteady) this.#session.newPlans = new Set()
    const steps = this.#runner.toSteps(this.#session, statements, this.#comment)
    if (steps === undefined) return this.#runAlone(statements, index)
    if (this.#steps.length === 0) this.#firstSet = index
    for (const step of steps) {
      this.#steps.push(step)
      for (const value of step.values) this.#length += value?.length ?? 0
    }
    return this.#steps.length >= flightSteps || this.#length >= flightLength ? this.#send() : undefined
  }

  async end(): Promise<Buffer> {
    await this.#land()
    return endResults(this.#out)
  }

  /** The error of an earlier set counts. */
  async #refuse(error: unknown): Promise<never> {
    await this.#land()
    throw error
  }

  async #runAlone(statements: readonly BoundStatement[], index: number): Promise<void> {
    await this.#land()
    try {
      const rows = await this.#runner.runAll(this.#session, statements, undefined, this.#comment)
      appendResult(this.#out, rows ?? json.nothing)
    } catch (error) {
      throw error instanceof StatementFailure ? inSet(error, index) : error
    }
    if (this.#out.length > maxResultLength) throw new Failure('result_too_large')
  }

  async #send(): Promise<void> {
    const steps = this.#steps
    const firstSet = this.#firstSet
    const flight = new Flight(steps, this.#out, this.#comment)
    const landing = this.#session
      .fly(flight)
      .finally(() => this.#work.trace?.gave(flight.rows))
      .catch((error: unknown) => {
        throw this.#toFailure(error, steps, flight.current, firstSet)
      })
    // The flights behind one that failed fail too; only the first is waited for then.
    landing.catch(() => undefined)
    this.#steps = []
    this.#length = 0
    this.#underWay.push(landing)
    if (this.#underWay.length >= maxFlights) await this.#underWay.shift()
  }

  #toFailure(error: unknown, steps: readonly Step[], failed: number, firstSet: number): unknown {
    const { statements } = this.#work.script
    const plan = steps[failed]?.prepared.plan
    if (plan !== undefined) noteSent(error, plan, this.#session)
    const failure = toFailure(error, statements[failed % statements.length] as Statement)
    const set = firstSet + Math.floor(failed / statements.length)
    return failure instanceof StatementFailure ? inSet(failure, set) : failure
  }

  async #land(): Promise<void> {
    if (this.#steps.length > 0) await this.#send()
    while (this.#underWay.length > 0) await this.#underWay.shift()
  }
}
