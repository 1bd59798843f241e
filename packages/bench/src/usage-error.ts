/** Mistakes on the command line of a bench. */

/** Words for the user, and no run. */
export class UsageError extends Error {}

/** The value of `--rounds`. */
export function readRounds(text: string): number {
  const rounds = Number(text)
  if (!Number.isInteger(rounds) || rounds < 1) throw new UsageError('--rounds takes a whole number from 1')
  return rounds
}
