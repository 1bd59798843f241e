/** Rounds -> figures. Medians throughout: one bad round changes nothing. */
import { median } from '@services/bench'
import type { Round } from './contenders/contender.ts'
import type { Result } from './race.ts'
import type { Scenario } from './scenarios/scenario.ts'

/** Nothing if the contender does not know it. */
export function medianOf({ rounds }: Result, figure: keyof Round): number | undefined {
  const values = rounds.flatMap((round) => round[figure] ?? [])
  return values.length === rounds.length ? median(values) : undefined
}

/** How many times as good `one` was as `other`, for each round. */
export function ratios(one: Result, other: Result, merit: Scenario['merit']): number[] {
  return one.rounds.map((round, index) => goodness(round, merit) / goodness(other.rounds[index]!, merit))
}

/** The median of the ratios; nothing if one of the two was not there. */
export function ratio(
  one: Result | undefined,
  other: Result | undefined,
  merit: Scenario['merit'],
): number | undefined {
  return one === undefined || other === undefined ? undefined : median(ratios(one, other, merit))
}

function goodness({ requestsPerSecond, p99Ms }: Round, merit: Scenario['merit']): number {
  return merit === 'rate' ? requestsPerSecond : 1 / (p99Ms ?? Number.NaN)
}

/** For people: at least three digits, and none that mean nothing. */
export function readable(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString('en').replaceAll(',', ' ')
  if (value >= 100) return value.toFixed(0)
  if (value >= 0.1) return value.toFixed(value >= 10 ? 1 : 2)
  return value.toFixed(3)
}
