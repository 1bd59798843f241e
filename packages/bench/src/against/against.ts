/**
 * `--against`: a service beside an earlier version of itself. Trials in; a table, its place in the page and the exit
 * code out.
 */
import { costToLoad, medianOf, type RaceMerit } from '../race/figures.ts'
import { type Entrant, type Lengths, race, type Result } from '../race/race.ts'
import { againstMarkers, toReport, writeBetween } from '../report/report.ts'
import { compare, exitCode, type Figures, type Limits, type Pair, type Sides, type Trial } from './compare.ts'
import type { Release } from './release.ts'

export interface Comparison {
  /** As people call it. */
  readonly service: string
  readonly release: Release
  readonly trials: readonly Trial[]
  readonly limits: Limits
  /** What else the figures depend on. */
  readonly versions: string
  /** The page that keeps the table, and the script whose table it is; nothing if it is only printed. */
  readonly page: { readonly file: URL; readonly script: string } | undefined
}

/** Prints a table; returns the exit code. */
export async function compareWithRelease(comparison: Comparison): Promise<number> {
  const { service, release, trials, limits, versions, page } = comparison
  console.error(`Compared with ${release.title}.`)
  for (const remark of release.remarks) console.error(remark)
  const all = await compare(trials, limits, console.error)
  const report = toReport(all, `${service} ${release.title}`, versions)
  console.log(report)
  if (page !== undefined) writeBetween(page.file, againstMarkers(page.script), report)
  return exitCode(all)
}

export interface PairRace {
  readonly name: string
  readonly merit: RaceMerit
  readonly entrants: Sides<Entrant>
  readonly lengths: Lengths
}

/** One race of a trial: both versions run beside each other and take turns. */
export async function racePair(
  { name, merit, entrants: { ours, theirs }, lengths }: PairRace,
  isThisFirst: boolean,
): Promise<Pair> {
  const results = await race(name, isThisFirst ? [ours, theirs] : [theirs, ours], lengths)
  const [first, second] = results.map((result) => toFigures(result, merit)) as [Figures, Figures]
  return isThisFirst ? { ours: first, theirs: second } : { ours: second, theirs: first }
}

function toFigures(result: Result, merit: RaceMerit): Figures {
  const requestsPerSecond = medianOf(result, 'requestsPerSecond') ?? Number.NaN
  const p99Ms = medianOf(result, 'p99Ms') ?? Number.NaN
  const cpu = medianOf(result, 'cpuSecondsPer1000') ?? Number.NaN
  const cpuToLoad = costToLoad(result)
  const { peakBytes } = result
  const speed = merit === 'p99' ? 1 / p99Ms : requestsPerSecond
  return {
    speed,
    requestsPerSecond,
    p99Ms,
    cpu,
    ...(cpuToLoad === undefined ? {} : { cpuToLoad }),
    ...(peakBytes === undefined ? {} : { peak: peakBytes }),
  }
}
