/**
 * `--starts`: the same contender started several times in a row, each start raced alone. What one process does
 * differently from the next, with the same requests, is not noise of a round: V8 and the memory have got into another
 * state.
 */
import { toMB } from '../process/usage.ts'
import { median } from '../report/median.ts'
import { cell, describeMachine, table } from '../report/report.ts'
import { costToLoad, medianOf, readable } from './figures.ts'
import { type Entrant, type Lengths, race, type Result } from './race.ts'

/** One long round says more of a process than several short ones. */
const whole: Lengths = { rounds: 1, warmUpSeconds: 2, seconds: 5 }
const quick: Lengths = { rounds: 1, warmUpSeconds: 0.5, seconds: 1 }

/** The share of the fastest start that the slowest one has to reach. */
const leastOfFastest = 0.9

export interface Starts {
  readonly count: number
  readonly isQuick: boolean
  /** Of the scenario. */
  readonly title: string
  /** What else the figures depend on. */
  readonly versions: string
}

/** Prints a table. */
export async function measureStarts(entrant: Entrant, starts: Starts): Promise<void> {
  const results: Result[] = []
  for (let n = 1; n <= starts.count; n++) {
    results.push(...(await race(`start ${n}`, [entrant], starts.isQuick ? quick : whole)))
  }
  console.log(toStartsReport(results, starts))
}

/** A row for each start, in their order, and how much they differ. */
export function toStartsReport(results: readonly Result[], { isQuick, title, versions }: Starts): string {
  const { seconds, warmUpSeconds } = isQuick ? quick : whole
  const rates = results.map((result) => medianOf(result, 'requestsPerSecond') ?? Number.NaN)
  const [lowest, highest] = [Math.min(...rates), Math.max(...rates)]
  const rows = results.map((result, index) => [
    String(index + 1),
    readable(rates[index]!),
    (rates[index]! / highest).toFixed(2),
    cell(medianOf(result, 'p99Ms'), (value) => value.toFixed(2)),
    cell(medianOf(result, 'cpuSecondsPer1000'), readable),
    cell(costToLoad(result), (value) => value.toFixed(2)),
    cell(result.peakBytes, (bytes) => toMB(bytes).toFixed(0)),
  ])
  const heads = ['start', 'requests/s', 'of the fastest', 'p99 ms', 'CPU s per 1000 requests', 'to the load', 'peak MB']
  const verdict = lowest >= highest * leastOfFastest ? 'yes' : 'no'
  return [
    `${describeMachine(versions)}; ${title}, ${results.length} starts in a row, each ${seconds} s after ${warmUpSeconds} s of warm-up.`,
    '',
    ...table(heads, rows, 0),
    '',
    `Spread: the slowest start has ${(lowest / highest).toFixed(2)} of the requests/s of the fastest (${readable(lowest)} to ${readable(highest)}, median ${readable(median(rates))}). At least ${leastOfFastest.toFixed(2)}: ${verdict}.`,
    ...costSpread(results),
  ].join('\n')
}

/** Tells starts that differ from a machine that was slower for some of them. */
function costSpread(results: readonly Result[]): string[] {
  const costs = results.flatMap((result) => costToLoad(result) ?? [])
  if (costs.length === 0) return []
  const share = Math.min(...costs) / Math.max(...costs)
  const verdict = share >= leastOfFastest ? 'yes' : 'no'
  return [
    '',
    `CPU time, to that of the load, which does the same work in each start and is slower where the machine is: the cheapest start has ${share.toFixed(2)} of the most expensive. At least ${leastOfFastest.toFixed(2)}: ${verdict}.`,
  ]
}
