/** How the logs of all services shorten the texts of requests, round their times, and count a caller that left. */

/** Counted for a caller who left before the reply, as nginx does. */
export const goneStatus = 499

const shownLength = 256

/**
 * A text of a request for a log line or a message: its first 256 characters. Only whole ones, so none is cut in the
 * middle of a surrogate pair; no character is longer than two code units.
 */
export function cutText(text: string): string {
  if (text.length <= shownLength) return text
  return Array.from(text.slice(0, 2 * shownLength))
    .slice(0, shownLength)
    .join('')
}

/** To tenths. */
export function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10
}
