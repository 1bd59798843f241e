/**
 * This version of a service beside an earlier one: trials in, judgements out. A trial starts a process of each version,
 * and another pair of them for every further race. What looks slower is raced again until chance no longer explains it,
 * or the time is up. How a race is driven is the service's business.
 */
import { median } from '../report/median.ts'
import { guard, type Judgement, judgeRatios } from './regression.ts'

/** What a trial is about, and is judged by. */
export type Merit = 'requests/s' | 'p99' | 'MB/s' | 'time'

export interface Trial {
  readonly name: string
  readonly title: string
  readonly merit: Merit
  /** One race between fresh processes. The first contender is started and driven first. */
  race(isThisFirst: boolean): Promise<Pair>
}

export type Pair = Sides<Figures>

/** What is left out was not measured. */
export interface Figures {
  /** Of what the trial is about, more is better: requests or bytes per second, or one by the seconds it took. */
  readonly speed: number
  readonly requestsPerSecond?: number
  readonly p99Ms?: number
  /** CPU time for the same work, in any unit. */
  readonly cpu?: number
  /** The same, to the CPU time that the load has used meanwhile. */
  readonly cpuToLoad?: number
  /** Most memory, in any unit. */
  readonly peak?: number
}

export interface Compared {
  readonly title: string
  readonly merit: Merit
  readonly judgement: Judgement
  /** New to old, one for each race. */
  readonly speeds: readonly number[]
  /** New to old, medians over the races. */
  readonly requestsPerSecond: number | undefined
  readonly p99: number | undefined
  readonly cpu: number | undefined
  readonly cpuToLoad: number | undefined
  readonly peak: number | undefined
}

export interface Limits {
  /** Races of each trial at the least. */
  readonly races: number
  /** After this time no race begins that only repeats another one. */
  readonly seconds: number
}

/** Both versions, as the one who measures them knows them. */
export interface Sides<Side> {
  readonly ours: Side
  readonly theirs: Side
}

interface Run {
  readonly trial: Trial
  readonly pairs: Pair[]
}

/** Tells its progress by `tell`. */
export async function compare(
  trials: readonly Trial[],
  { races, seconds }: Limits,
  tell: (line: string) => void,
): Promise<Compared[]> {
  const started = performance.now()
  const isTimeUp = (): boolean => performance.now() - started > seconds * 1000
  const runs = trials.map((trial): Run => ({ trial, pairs: [] }))
  // Each trial in turn and not one after the other: what disturbs the machine for a minute disturbs one race of each.
  for (let round = 0; round < races; round++) {
    for (const run of runs) {
      if (round === 0 || !isTimeUp()) await raceOnce(run, tell)
    }
  }
  for (let unclear = findUnclear(runs); unclear.length > 0 && !isTimeUp(); unclear = findUnclear(runs)) {
    for (const run of unclear) {
      if (!isTimeUp()) await raceOnce(run, tell)
    }
  }
  return runs.map(toCompared)
}

/** A race in which each version is measured by itself: there and back, so twice. */
export async function thereAndBack<Side>(
  { ours, theirs }: Sides<Side>,
  isThisFirst: boolean,
  measure: (side: Side) => Promise<Figures>,
): Promise<Pair> {
  const order = isThisFirst ? [ours, theirs, theirs, ours] : [theirs, ours, ours, theirs]
  const measured: Figures[] = []
  for (const side of order) measured.push(await measure(side))
  const [first, second, third, fourth] = measured as [Figures, Figures, Figures, Figures]
  const [outer, inner] = [meanOf(first, fourth), meanOf(second, third)]
  return isThisFirst ? { ours: outer, theirs: inner } : { ours: inner, theirs: outer }
}

function meanOf(one: Figures, other: Figures): Figures {
  const names = Object.keys(one) as (keyof Figures)[]
  const means = names.map((name) => [name, ((one[name] ?? Number.NaN) + (other[name] ?? Number.NaN)) / 2])
  return Object.fromEntries(means) as Figures
}

/** Exit code of a run: 1 if anything has become slower. */
export function exitCode(all: readonly Compared[]): number {
  return all.some(({ judgement }) => judgement === 'slower') ? 1 : 0
}

async function raceOnce({ trial, pairs }: Run, tell: (line: string) => void): Promise<void> {
  const pair = await trial.race(pairs.length % 2 === 0)
  pairs.push(pair)
  const isSlow = toSpeed(pair) < guard.limit
  tell(`${trial.name}, race ${pairs.length}: ${toSpeed(pair).toFixed(2)} x${isSlow ? ', which may be noise' : ''}`)
}

function findUnclear(runs: readonly Run[]): Run[] {
  return runs.filter(({ pairs }) => judgeRatios(pairs.map(toSpeed)) === 'unclear')
}

function toSpeed({ ours, theirs }: Pair): number {
  return ours.speed / theirs.speed
}

function toCompared({ trial: { title, merit }, pairs }: Run): Compared {
  const speeds = pairs.map(toSpeed)
  return {
    title,
    merit,
    judgement: judgeRatios(speeds),
    speeds,
    requestsPerSecond: medianRatio(pairs, 'requestsPerSecond'),
    p99: medianRatio(pairs, 'p99Ms'),
    cpu: medianRatio(pairs, 'cpu'),
    cpuToLoad: medianRatio(pairs, 'cpuToLoad'),
    peak: medianRatio(pairs, 'peak'),
  }
}

function medianRatio(pairs: readonly Pair[], figure: keyof Figures): number | undefined {
  const ratios = pairs.flatMap(({ ours, theirs }) => {
    const [recent, old] = [ours[figure], theirs[figure]]
    return recent === undefined || old === undefined ? [] : [recent / old]
  })
  return ratios.length === 0 ? undefined : median(ratios)
}
