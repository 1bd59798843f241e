/**
 * How long a worker that has ended stays unreplaced: longer each time, so that one which cannot run costs little. Pure.
 */

/** A worker that has run this long did not end because of how it was started. */
export const soundAfterMs = 60_000

const firstPauseMs = 100
const longestPauseMs = 30_000

/** How long to wait before a worker is replaced for the `times`-th time in a row (1, 2, ..). */
export function pauseMs(times: number): number {
  return Math.min(firstPauseMs * 2 ** (times - 1), longestPauseMs)
}
