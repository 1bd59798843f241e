/** Long work of one request, with other requests served between its steps. */
import { setImmediate } from 'node:timers/promises'
import { CallerGone } from '../../errors.ts'
import type { ResponseWriter } from '../../model.ts'
import type { Steps } from '../../steps.ts'

/** Throws what the work throws, or CallerGone when the caller leaves in the middle of it. */
export async function runInSteps<Result>(steps: Steps<Result>, writer: ResponseWriter): Promise<Result> {
  let step = steps.next()
  while (step.done !== true) {
    await setImmediate()
    if (!writer.isOpen) throw new CallerGone()
    step = steps.next()
  }
  return step.value
}
