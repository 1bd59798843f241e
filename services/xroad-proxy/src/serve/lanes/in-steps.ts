/** Long work of requests, with others served between its steps. */
import { setImmediate } from 'node:timers/promises'
import { CallerGone } from '../../errors.ts'
import type { ResponseWriter } from '../../model.ts'
import type { Steps } from '../../steps.ts'

/** One step of one request in each turn of the event loop: steps of several in one turn would be one long step. */
export class StepQueue {
  #turn = Promise.resolve()

  /**
   * Throws what the work throws. If its caller leaves while it pauses (CallerGone), or if what it waits for fails, the
   * work itself hears so.
   */
  async run<Result>(steps: Steps<Result>, writer: ResponseWriter): Promise<Result> {
    let step = steps.next()
    while (step.done !== true) {
      try {
        if (step.value !== undefined) await step.value
        await this.#nextTurn()
        if (!writer.isOpen) throw new CallerGone()
      } catch (error) {
        step = steps.throw(error)
        continue
      }
      step = steps.next()
    }
    return step.value
  }

  #nextTurn(): Promise<void> {
    this.#turn = this.#turn.then(() => setImmediate())
    return this.#turn
  }
}
