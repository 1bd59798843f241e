/** Rounds -> figures. Medians throughout: one bad round changes nothing. */
import { median } from '../report/median.ts'
import type { Result, Round } from './race.ts'

/** What a race is about: requests per second, or the 99th percentile of the time that an answer takes. */
export type RaceMerit = 'requests/s' | 'p99'

/** Nothing if the contender does not know it. */
export function medianOf({ rounds }: Result, figure: Exclude<keyof Round, 'remark'>): number | undefined {
  const values = rounds.flatMap((round) => round[figure] ?? [])
  return values.length === rounds.length ? median(values) : undefined
}

/**
 * CPU time of the contender by that of the load, which does the same work for each answer: where the machine is slower
 * for a while both cost more, and this stays. Nothing if one of the two is not known.
 */
export function costToLoad({ rounds }: Result): number | undefined {
  const costs = rounds.flatMap(({ cpuSecondsPer1000, loadCpuSecondsPer1000 }) =>
    cpuSecondsPer1000 === undefined || loadCpuSecondsPer1000 === undefined
      ? []
      : cpuSecondsPer1000 / loadCpuSecondsPer1000,
  )
  return costs.length === rounds.length ? median(costs) : undefined
}

/**
 * How many times as good `one` was as `other`: the median of the ratios within each round. Nothing if one of the two
 * was not there.
 */
export function ratio(one: Result | undefined, other: Result | undefined, merit: RaceMerit): number | undefined {
  if (one === undefined || other === undefined) return undefined
  return median(one.rounds.map((round, index) => goodness(round, merit) / goodness(other.rounds[index]!, merit)))
}

function goodness({ requestsPerSecond, p99Ms }: Round, merit: RaceMerit): number {
  return merit === 'p99' ? 1 / (p99Ms ?? Number.NaN) : requestsPerSecond
}

/** For people: at least three digits, and none that mean nothing. */
export function readable(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en').replaceAll(',', ' ')
  if (value >= 100) return value.toFixed(0)
  if (value >= 0.1) return value.toFixed(value >= 10 ? 1 : 2)
  return value.toFixed(3)
}
