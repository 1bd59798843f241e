/**
 * Whether a new version is slower than an old one, from the ratios of races between them. A noisy machine gives ratios
 * on both sides of any limit, so one bad race proves nothing: how many must agree is a question of chance.
 */
import { median } from '../report/median.ts'

export interface Guard {
  /** A ratio of new to old that is still good enough. */
  readonly limit: number
  /** How likely races like these may be at the most if the new version is in truth good enough. */
  readonly chance: number
}

export const guard: Guard = { limit: 0.97, chance: 0.01 }

/** `unclear`: slower on the face of it, but that may be noise; more races would tell. */
export type Judgement = 'fine' | 'unclear' | 'slower'

/**
 * One ratio for each race, a race being one process of each version: rounds between the same two processes agree with
 * each other more than with the next two, and would prove too much.
 */
export function judgeRatios(ratios: readonly number[], { limit, chance }: Guard = guard): Judgement {
  if (median(ratios) >= limit) return 'fine'
  const slow = ratios.filter((ratio) => ratio < limit).length
  return chanceOfSoMany(slow, ratios.length) < chance ? 'slower' : 'unclear'
}

/**
 * The sign test: how likely at least `slow` of `races` fall below the limit if the true median lies on it, when each
 * falls below or above like a coin.
 */
export function chanceOfSoMany(slow: number, races: number): number {
  let ways = 1
  let sum = 0
  for (let heads = races; heads >= slow; heads--) {
    sum += ways
    ways = (ways * heads) / (races - heads + 1)
  }
  return sum / 2 ** races
}
