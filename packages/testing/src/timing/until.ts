/**
 * Waiting for something that no event reports. The bound is for tests that would never end; nothing is measured with
 * it.
 */

/**
 * Between two looks: a tenth of the time that has passed, within these bounds. A look may cost a connection to a
 * database.
 */
const shortestPauseMs = 10
const longestPauseMs = 50

/**
 * Resolves once `holds` does; rejects with `what` when that takes too long. A function says what is there in its place.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string),
  withinMs = 120_000,
): Promise<void> {
  for (const since = elapsed(); !(await holds());) {
    if (since() > withinMs) throw new Error(`not within ${withinMs} ms: ${typeof what === 'string' ? what : what()}`)
    const pauseMs = Math.min(longestPauseMs, Math.max(shortestPauseMs, since() / 10))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** A stopwatch: milliseconds since this call. */
export function elapsed(): () => number {
  const start = performance.now()
  return () => performance.now() - start
}
