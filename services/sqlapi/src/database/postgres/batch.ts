/**
 * The sets of a batch, inside the transaction that postgres.ts has opened. Sets whose plans the connection knows go out in
 * flights, without waiting for each other's answers; the others go by themselves, and are known from then on.
 */
import { Failure } from '../../errors.ts'
import type { ParameterSet, Work } from '../../model.ts'
import { maxAnswerLength, tooLong } from '../answer.ts'
import { ByteWriter } from './bytes.ts'
import type { Call, Calls } from './calls.ts'
import { toFailure } from './failures.ts'
import { appendAnswer, beginAnswers, endAnswers, type Step } from './flight.ts'
import type { Session } from './session.ts'

/** A flight is sent when it has so many steps or so many characters of values. */
const flightSteps = 1000
const flightLength = 256 * 1024
/** One flight is on its way while the next is made ready. */
const maxFlights = 2

/** Runs all sets in order; gives the array of their answers. Rejects with the error of the first set that fails. */
export async function runBatch(calls: Calls, session: Session, work: Work): Promise<Buffer> {
  const batch = new Batch(calls, session, work)
  for (const set of work.sets) {
    const running = batch.add(set)
    if (running !== undefined) await running
  }
  return batch.end()
}

class Batch {
  readonly #calls: Calls
  readonly #session: Session
  readonly #work: Work
  readonly #out = new ByteWriter()
  readonly #underWay: Promise<void>[] = []
  #steps: Step[] = []
  #lines: number[] = []
  #length = 0

  constructor(calls: Calls, session: Session, work: Work) {
    this.#calls = calls
    this.#session = session
    this.#work = work
    beginAnswers(this.#out)
  }

  /** Takes the next set; a promise where it is to be waited for. */
  add(set: ParameterSet): Promise<void> | undefined {
    if (this.#work.cancellation.cancelled)
      return this.#refuse(new Failure('BadSqlGrammarException', 'The client has gone'))
    let calls: Call[]
    try {
      calls = this.#calls.of(this.#work, set)
    } catch (error) {
      return this.#refuse(error)
    }
    const steps = this.#calls.toSteps(this.#session, calls)
    if (steps === undefined) return this.#runAlone(calls)
    for (const [index, step] of steps.entries()) {
      this.#steps.push(step)
      this.#lines.push((calls[index] as Call).known.statement.line)
      for (const value of step.values) this.#length += value?.length ?? 0
    }
    return this.#steps.length >= flightSteps || this.#length >= flightLength ? this.#send() : undefined
  }

  async end(): Promise<Buffer> {
    await this.#land()
    return endAnswers(this.#out)
  }

  /** The error of a set that comes before counts more. */
  async #refuse(error: unknown): Promise<never> {
    await this.#land()
    throw error
  }

  async #runAlone(calls: readonly Call[]): Promise<void> {
    await this.#land()
    appendAnswer(this.#out, (await this.#calls.runAll(this.#session, calls)) ?? '[]')
    if (this.#out.length > maxAnswerLength) throw tooLong()
  }

  async #send(): Promise<void> {
    const lines = this.#lines
    let line = 1
    const flight = this.#session
      .fly(this.#steps, this.#out, (step) => {
        line = lines[step] ?? 1
      })
      .catch((error: unknown) => {
        throw toFailure(error, line)
      })
    // The flights behind one that failed fail too; only the first is waited for then.
    flight.catch(() => undefined)
    this.#steps = []
    this.#lines = []
    this.#length = 0
    this.#underWay.push(flight)
    if (this.#underWay.length >= maxFlights) await this.#underWay.shift()
  }

  async #land(): Promise<void> {
    if (this.#steps.length > 0) await this.#send()
    while (this.#underWay.length > 0) await this.#underWay.shift()
  }
}
