/**
 * Calls that share a connection which a pooler may change with each transaction: they come in one by one and leave in
 * flights, one flight at a time. A pooler that sees the end of one flight while a part of the next has reached it gives
 * the connection away in the middle.
 */
import { Failure } from '../../../errors.ts'
import { CallFlight } from '../wire/call-flight.ts'
import { ServerError } from '../wire/frames.ts'
import type { Wire } from '../wire/wire.ts'
import { NotStarted, type PlanRun } from './plan-run.ts'
import { sqlStates } from '../plans/sql-states.ts'

/** Most calls of a flight. */
const maxCalls = 64
/** Most characters of values in a flight. */
const maxLength = 256 * 1024

/** The part of a session that sends. */
export interface Sender {
  /** A query that goes ahead of a flight; with `isReadOnly` its transaction cannot write. */
  ahead(isReadOnly: boolean): string | undefined
  /** A promise while a request to cancel is in progress, which would hit whatever is sent now. */
  readonly cancelling: Promise<void> | undefined
  cancel(): void
}

export class SharedCalls {
  readonly #wire: Wire
  readonly #sender: Sender
  readonly #waiting: PlanRun[] = []
  #flight: CallFlight<PlanRun> | undefined
  readonly #abandoned = new Set<PlanRun>()
  #isScheduled = false

  constructor(wire: Wire, sender: Sender) {
    this.#wire = wire
    this.#sender = sender
  }

  add(run: PlanRun): void {
    this.#waiting.push(run)
    if (this.#flight === undefined) this.#schedule()
  }

  /**
   * Nobody waits for the run any more. Nothing is cancelled as long as somebody waits for another call of its flight.
   */
  abandon(run: PlanRun): void {
    const at = this.#waiting.indexOf(run)
    if (at !== -1) {
      this.#waiting.splice(at, 1)
      run.ended(new Failure('client_gone'))
      return
    }
    const flight = this.#flight
    if (flight === undefined) return
    this.#abandoned.add(run)
    if (flight.calls.slice(flight.completed).every((call) => this.#abandoned.has(call))) this.#sender.cancel()
  }

  /** Everything that comes in one turn of the event loop leaves in one flight. */
  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#send()
    })
  }

  #send(): void {
    if (this.#flight !== undefined || this.#waiting.length === 0) return
    const { cancelling } = this.#sender
    if (cancelling !== undefined) {
      void cancelling.then(() => this.#send())
      return
    }
    const calls = this.#take()
    const flight = new CallFlight(calls, () => this.#waiting.length > 0)
    flight.ahead = this.#sender.ahead(calls.length > 1)
    this.#flight = flight
    this.#wire.submit(flight, { ended: (error) => this.#end(flight, error) })
    this.#wire.flush()
  }

  #take(): PlanRun[] {
    let length = 0
    let count = 0
    for (const run of this.#waiting) {
      if (count > 0 && (count === maxCalls || length + run.length > maxLength)) break
      length += run.length
      count++
    }
    return this.#waiting.splice(0, count)
  }

  #end(flight: CallFlight<PlanRun>, error: unknown): void {
    this.#flight = undefined
    this.#abandoned.clear()
    const { calls, completed } = flight
    if (error === undefined) {
      for (const call of calls) call.settle()
    } else {
      this.#endFailed(calls, completed, error)
    }
    this.#send()
  }

  /** Those before the one that failed have their rows, and those behind it have not begun. */
  #endFailed(calls: readonly PlanRun[], completed: number, error: unknown): void {
    const isOfOne = error instanceof ServerError && error.severity === 'ERROR' && completed < calls.length
    const failed = isOfOne ? calls[completed] : undefined
    // The end of the transaction has failed, or the connection is lost.
    const isEnd = failed === undefined && completed === calls.length
    if (failed !== undefined) this.#waiting.unshift(...calls.slice(completed + 1))
    for (const call of calls.slice(0, completed)) {
      if (isEnd) call.fail(error)
      call.settle()
    }
    if (failed === undefined) {
      for (const call of calls.slice(completed)) call.ended(error)
      return
    }
    failed.fail(calls.length > 1 && isWrite(error) ? new NotStarted(error as ServerError) : error)
    failed.settle()
  }
}

/** The statement writes where only reading is allowed; it is undone, and can run by itself. */
function isWrite(error: unknown): boolean {
  return (error as ServerError).code === sqlStates.readOnlyTransaction
}
