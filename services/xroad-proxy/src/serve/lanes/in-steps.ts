/** Long work of requests, with others served between its steps. */
import { setImmediate } from 'node:timers/promises'
import { CallerGone } from '../../errors.ts'
import type { ResponseWriter } from '../../model.ts'
import type { Steps } from '../../steps.ts'

/** One step of one request in each turn of the event loop: steps of several in one turn would be one long step. */
export class StepQueue {
  #turn = Promise.resolve()

  /**
   * Throws what the work throws, or CallerGone when the caller leaves in the middle of it. `waitFor` says what each
   * step has to wait for.
   */
  async run<Result>(
    steps: Steps<Result>,
    writer: ResponseWriter,
    waitFor?: () => Promise<void> | undefined,
  ): Promise<Result> {
    let step = steps.next()
    while (step.done !== true) {
      await this.#nextTurn()
      const waiting = waitFor?.()
      if (waiting !== undefined) await waiting
      if (!writer.isOpen) throw new CallerGone()
      step = steps.next()
    }
    return step.value
  }

  #nextTurn(): Promise<void> {
    this.#turn = this.#turn.then(() => setImmediate())
    return this.#turn
  }
}
