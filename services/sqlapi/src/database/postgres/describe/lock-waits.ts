/**
 * Waits for locks that others hold, but not once for each statement that meets the same one: all are asked with next to
 * no patience; then, until the time is up, one of those that had to wait gets what is left of it, and the others are
 * asked again.
 */
import type { Session } from '../sessions/session.ts'

/** How long statements wait for somebody who changes a table. */
const patienceMs = 2000
/** How long one waits while others wait as well. */
const shortMs = 50

/** A question to the server; asked again as long as its answer says that something is locked. */
export interface Question<Outcome> {
  ask(): Promise<Outcome>
  isLocked(outcome: Outcome): boolean
}

/** The outcomes, in the order of the questions. Leaves the session with the lock timeout that it had. */
export async function askPatiently<Outcome>(
  session: Session,
  questions: readonly Question<Outcome>[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  const askAll = async (numbers: readonly number[], waitMs: number): Promise<number[]> => {
    const set = session.limitLocks(Math.max(1, Math.round(waitMs)))
    const ask = async (number: number): Promise<void> => {
      outcomes[number] = await (questions[number] as Question<Outcome>).ask()
    }
    await Promise.all([set, ...numbers.map(ask)])
    return numbers.filter((number) => questions[number]?.isLocked(outcomes[number] as Outcome))
  }
  const until = performance.now() + patienceMs
  try {
    let locked = await askAll([...questions.keys()], shortMs)
    while (locked.length > 0) {
      const leftMs = until - performance.now()
      if (leftMs <= 0) break
      const [first, ...others] = locked as [number, ...number[]]
      const stillLocked = await askAll([first], leftMs)
      locked = [...stillLocked, ...(await askAll(others, shortMs))]
    }
    return outcomes
  } finally {
    // A lost connection has no settings.
    await session.limitLocks().catch(() => undefined)
  }
}
