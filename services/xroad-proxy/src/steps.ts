/**
 * Work that is done in steps, so that others can have their turn between two of them: the code that does it says when.
 * Pure.
 */

/** Work that may pause when it yields, until a promise that it yields is kept, and gives its result in the end. */
export type Steps<Result> = Generator<Promise<void> | undefined, Result, undefined>

/** Does all of it at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}
