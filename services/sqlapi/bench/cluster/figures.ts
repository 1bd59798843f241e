/** What became of calls and of what they wrote, as figures. Pure. */
import type { Call } from './load.ts'

/** A call that took longer is a slow one. Milliseconds. */
export const slowMs = 1000

export interface Figures {
  readonly calls: number
  readonly writes: number
  /** Acknowledged and not there. */
  readonly lost: number
  /** There more often than once. */
  readonly doubled: number
  /** Told as failed, and there all the same: the answer was lost, not the write. */
  readonly unknownThere: number
  readonly failed: number
  readonly slow: number
  readonly longestMs: number
  /** From the kill until a write was acknowledged that had begun behind it. */
  readonly writesBackMs: number | undefined
  /** What failed calls were told, the most frequent first. */
  readonly failures: readonly (readonly [text: string, count: number])[]
}

/** `found` are the numbers that are in the table; `killed` is when the leader was, by the clock of the calls. */
export function figuresOf(calls: readonly Call[], found: readonly number[], killed: number): Figures {
  const times = new Map<number, number>()
  for (const id of found) times.set(id, (times.get(id) ?? 0) + 1)
  const writes = calls.filter(({ kind }) => kind === 'write')
  const failures = new Map<string, number>()
  for (const { failure } of calls) if (failure !== '') failures.set(failure, (failures.get(failure) ?? 0) + 1)
  const back = writes.filter(({ started, failure }) => failure === '' && started > killed).map(endOf)
  return {
    calls: calls.length,
    writes: writes.length,
    lost: writes.filter(({ id, failure }) => failure === '' && !times.has(id)).length,
    doubled: [...times.values()].filter((count) => count > 1).length,
    unknownThere: writes.filter(({ id, failure }) => failure !== '' && times.has(id)).length,
    failed: calls.filter(({ failure }) => failure !== '').length,
    slow: calls.filter(({ ms }) => ms > slowMs).length,
    longestMs: calls.reduce((longest, { ms }) => Math.max(longest, ms), 0),
    writesBackMs: back.length === 0 ? undefined : Math.min(...back) - killed,
    failures: [...failures].toSorted(([, a], [, b]) => b - a),
  }
}

function endOf({ started, ms }: Call): number {
  return started + ms
}
