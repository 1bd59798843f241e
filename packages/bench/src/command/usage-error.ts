/** Mistakes on the command line of a bench. */

/** Words for the user, and no run. */
export class UsageError extends Error {}

/** The value of a flag that counts something. */
export function readCount(flag: string, text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new UsageError(`${flag} takes a whole number from 1`)
  return count
}
