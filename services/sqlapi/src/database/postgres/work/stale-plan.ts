/** An error of a statement -> whether a new plan is what it needs. Pure. */
import { Failure } from '../../../errors.ts'
import { isTypeError } from '../plans/search.ts'
import { sqlStates } from '../plans/sql-states.ts'
import { NotStarted } from '../sessions/plan-run.ts'

/**
 * What the plan was made for has changed: a table has other columns (told by that one routine), a type was made again,
 * the prepared statement was dropped, or its types do not fit any more. Only while nothing was executed: a
 * statement must not run twice.
 */
export function needsNewPlan(error: unknown): boolean {
  const reason = error instanceof Failure ? error.cause : error
  if (!(reason instanceof NotStarted)) return false
  const { code, routine, message } = reason.cause
  // The first: it writes, and was sent where nothing is written.
  if (code === sqlStates.readOnlyTransaction || code === sqlStates.invalidStatementName) return true
  if (code === sqlStates.featureNotSupported && routine === 'RevalidateCachedQuery') return true
  return (code === 'XX000' && message.startsWith('cache lookup failed')) || isTypeError(reason.cause)
}
