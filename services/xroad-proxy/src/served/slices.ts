/** Long work that makes a set, done in slices: requests are served with the set before meanwhile. */
import type { Steps } from '../steps.ts'

/** Requests that have arrived meanwhile wait for the rest of a slice, and for the step that it ends with. */
const sliceMs = 5

export async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (let end = performance.now() + sliceMs; ; end = performance.now() + sliceMs) {
    do {
      const step = steps.next()
      if (step.done === true) return step.value
    } while (performance.now() < end)
    await othersTurn()
  }
}

/** Resolves when whatever else has arrived has had its turn. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
