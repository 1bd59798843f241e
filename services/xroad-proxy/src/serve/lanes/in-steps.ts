/** Long work of one request, with other requests served between its steps. */
import { setImmediate } from 'node:timers/promises'
import { CallerGone } from '../../errors.ts'
import type { ResponseWriter } from '../../model.ts'
import type { Steps } from '../../steps.ts'

/**
 * Throws what the work throws, or CallerGone when the caller leaves in the middle of it. `waitFor` says what each step
 * has to wait for.
 */
export async function runInSteps<Result>(
  steps: Steps<Result>,
  writer: ResponseWriter,
  waitFor?: () => Promise<void> | undefined,
): Promise<Result> {
  let step = steps.next()
  while (step.done !== true) {
    await nextTurn()
    const waiting = waitFor?.()
    if (waiting !== undefined) await waiting
    if (!writer.isOpen) throw new CallerGone()
    step = steps.next()
  }
  return step.value
}

let turn = Promise.resolve()

/** One step of one request in each turn of the event loop: steps of several in one turn would be one long step. */
function nextTurn(): Promise<void> {
  turn = turn.then(() => setImmediate())
  return turn
}
