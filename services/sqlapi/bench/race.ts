/**
 * One scenario: its contenders run beside each other and are driven in turns, so that what disturbs the machine for a while
 * disturbs them all.
 */
import type { Arena } from './arena.ts'
import type { Contender, Racer, Round } from './contenders/contender.ts'
import { readable } from './figures.ts'
import type { Scenario } from './scenarios/scenario.ts'

export interface Lengths {
  readonly rounds: number
  readonly warmUpSeconds: number
  readonly seconds: number
}

export interface Result {
  /** Title of the contender. */
  readonly contender: string
  readonly rounds: readonly Round[]
  /** Of the whole race. */
  readonly peakMiB?: number
}

interface Entry {
  readonly title: string
  readonly racer: Racer
  readonly rounds: Round[]
}

export async function race(
  scenario: Scenario,
  contenders: readonly Contender[],
  arena: Arena,
  { rounds, warmUpSeconds, seconds }: Lengths,
): Promise<Result[]> {
  const entries: Entry[] = []
  try {
    for (const contender of contenders) {
      entries.push({ title: contender.title, racer: await contender.startRacer(scenario, arena), rounds: [] })
    }
    for (const { racer } of entries) await racer.round(warmUpSeconds)
    for (let round = 0; round < rounds; round++) {
      // There and back, so that none is always the one behind the same other.
      for (const { title, racer, rounds } of round % 2 === 0 ? entries : entries.toReversed()) {
        const measured = await racer.round(seconds)
        rounds.push(measured)
        console.error(`${scenario.name}, round ${round + 1}, ${title}: ${describe(measured)}`)
      }
    }
    return entries.map(toResult)
  } finally {
    await Promise.all(entries.map(({ racer }) => racer.stop()))
  }
}

function describe({ requestsPerSecond, p99Ms, aloneP99Ms, cpuSecondsPer1000, loadCpuSecondsPer1000 }: Round): string {
  const figures = [
    [requestsPerSecond, '/s'],
    [p99Ms, ' ms p99'],
    [aloneP99Ms, ' ms p99 alone'],
    [cpuSecondsPer1000, ' CPU s per 1000'],
    [loadCpuSecondsPer1000, ' of the load itself'],
  ] as const
  return figures.flatMap(([value, unit]) => (value === undefined ? [] : readable(value) + unit)).join(', ')
}

function toResult({ title, racer, rounds }: Entry): Result {
  const usage = racer.usage()
  return { contender: title, rounds, ...(usage === undefined ? {} : { peakMiB: usage.peakMiB }) }
}
