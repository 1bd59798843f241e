/**
 * A race: contenders run beside each other and are driven in turns, so that what disturbs the machine for a while
 * disturbs them all. What a contender is, and what it is asked, is the service's business.
 */
import type { Usage } from '../process/usage.ts'
import { readable } from './figures.ts'

export interface Lengths {
  readonly rounds: number
  readonly warmUpSeconds: number
  readonly seconds: number
}

export interface Entrant {
  /** As it is called in tables. */
  readonly title: string
  /** Starts its process and checks that it answers right. */
  start(): Promise<Racer>
}

/** A contender that runs and can be driven for a round. */
export interface Racer {
  round(seconds: number): Promise<Round>
  /** Nothing of what is over with each round. */
  usage(): Usage | undefined
  stop(): Promise<void>
}

/** One round. What a contender cannot know of itself is left out. */
export interface Round {
  readonly requestsPerSecond: number
  readonly p50Ms?: number
  readonly p99Ms?: number
  /** Where others call at the same time: without them. */
  readonly aloneP99Ms?: number
  readonly cpuSecondsPer1000?: number
  /** What the load itself has used. */
  readonly loadCpuSecondsPer1000?: number
  /** Words for the line of this round. */
  readonly remark?: string
}

export interface Result {
  /** Title of the contender. */
  readonly contender: string
  readonly rounds: readonly Round[]
  /** Of the whole race. */
  readonly peakBytes?: number
}

interface Entry {
  readonly title: string
  readonly racer: Racer
  readonly rounds: Round[]
}

/** Results in the order of the entrants. Each round gets a line on stderr, with `name`. */
export async function race(
  name: string,
  entrants: readonly Entrant[],
  { rounds, warmUpSeconds, seconds }: Lengths,
): Promise<Result[]> {
  const entries: Entry[] = []
  try {
    for (const entrant of entrants) {
      entries.push({ title: entrant.title, racer: await entrant.start(), rounds: [] })
    }
    for (const { racer } of entries) await racer.round(warmUpSeconds)
    for (let round = 0; round < rounds; round++) {
      // There and back, so that none is always the one behind the same other.
      for (const { title, racer, rounds } of round % 2 === 0 ? entries : entries.toReversed()) {
        const measured = await racer.round(seconds)
        rounds.push(measured)
        console.error(`${name}, round ${round + 1}, ${title}: ${describe(measured)}`)
      }
    }
    return entries.map(toResult)
  } finally {
    await Promise.all(entries.map(({ racer }) => racer.stop()))
  }
}

function describe({ remark, ...round }: Round): string {
  const { requestsPerSecond, p99Ms, aloneP99Ms, cpuSecondsPer1000, loadCpuSecondsPer1000 } = round
  const figures = [
    [requestsPerSecond, '/s'],
    [p99Ms, ' ms p99'],
    [aloneP99Ms, ' ms p99 alone'],
    [cpuSecondsPer1000, ' CPU s per 1000'],
    [loadCpuSecondsPer1000, ' of the load itself'],
  ] as const
  const texts = figures.flatMap(([value, unit]) => (value === undefined ? [] : readable(value) + unit))
  return [...texts, ...(remark === undefined ? [] : [remark])].join(', ')
}

function toResult({ title, racer, rounds }: Entry): Result {
  const usage = racer.usage()
  return { contender: title, rounds, ...(usage === undefined ? {} : { peakBytes: usage.peakBytes }) }
}
