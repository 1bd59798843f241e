/** What is to be reached, as a table, and whether a run has reached it. */
import { median, medianOf, type RaceMerit, ratio, type Result, toMiB } from '@services/bench'
import type { BootResult } from '../boot/boot.ts'
import type { MillionResult } from '../million.ts'
import { rustNames } from '../contenders/rust.ts'
import { type ContenderName, contenderTitles, type Scenario } from '../scenarios/scenario.ts'

export type RacedScenario = Pick<Scenario, 'name' | 'title' | 'reference' | 'merit'>

export interface RaceResult {
  readonly scenario: RacedScenario
  readonly results: readonly Result[]
}

export interface Results {
  readonly races: readonly RaceResult[]
  readonly boots: readonly BootResult[]
  readonly million: readonly MillionResult[]
}

export interface Verdict {
  readonly what: string
  readonly target: string
  readonly measured: string
  readonly isReached: boolean
}

interface Target {
  readonly what: string
  readonly bound: 'at least' | 'at most' | 'less than'
  readonly limit: number
  readonly unit: Unit
  /** Nothing if the run had not all that it takes. */
  readonly measure: (results: Results) => number | undefined
  /** More words about what was measured. */
  readonly detail?: (results: Results) => string
}

type Unit = keyof typeof units

const units = {
  times: (value: number) => `${value.toFixed(2)} x`,
  percent: (value: number) => `${(value * 100).toFixed(0)} %`,
  seconds: (value: number) => `${value.toFixed(2)} s`,
  MiB: (value: number) => `${value.toFixed(0)} MiB`,
} as const

/** `110 MB` and not MiB, as the targets were set. */
const mebibytesOf = (megabytes: number): number => (megabytes * 1e6) / 2 ** 20

const targets: readonly Target[] = [
  {
    what: 'one row by key, to the floor',
    bound: 'at least',
    limit: 2.5,
    unit: 'times',
    measure: to('one-get', 'floor'),
  },
  {
    what: 'one row by key, of `pgbench -M prepared -c 10 -j 1`',
    bound: 'at least',
    limit: 0.55,
    unit: 'percent',
    measure: to('one-get', 'pgbench'),
  },
  {
    what: "one row by key, to Rust's best",
    bound: 'at least',
    limit: 1.1,
    unit: 'times',
    measure: toBestRust('one-get', 'requests/s'),
    detail: (results) => bestRust(results, 'one-get')?.contender ?? '',
  },
  {
    what: "p99 of one row by key, to that of Rust's best",
    bound: 'at most',
    limit: 1,
    unit: 'times',
    measure: toBestRust('one-get', 'p99'),
  },
  {
    what: '100 rows x 8, to the floor',
    bound: 'at least',
    limit: 3,
    unit: 'times',
    measure: to('hundred', 'floor'),
  },
  {
    what: "100 rows x 8, to Rust's best",
    bound: 'at least',
    limit: 1.3,
    unit: 'times',
    measure: toBestRust('hundred', 'requests/s'),
    detail: (results) => bestRust(results, 'hundred')?.contender ?? '',
  },
  {
    what: "p99 of 100 rows x 8, to that of Rust's best",
    bound: 'at most',
    limit: 1,
    unit: 'times',
    measure: toBestRust('hundred', 'p99'),
  },
  {
    what: 'batch of 10 000 inserts, to a sequential loop in one transaction',
    bound: 'at least',
    limit: 8,
    unit: 'times',
    measure: to('batch-10000', 'floor'),
  },
  {
    what: 'p99 of fast calls beside 5 callers of 1 s statements, to their p99 alone',
    bound: 'at most',
    limit: 2,
    unit: 'times',
    measure: disturbance,
  },
  {
    what: 'SQLite, one row by key, of the constant answer of Fastify',
    bound: 'at least',
    limit: 0.35,
    unit: 'percent',
    measure: to('sqlite', 'fastify'),
  },
  {
    what: 'boot of 10 000 files',
    bound: 'less than',
    limit: 3,
    unit: 'seconds',
    measure: ({ boots }) => boots.find(({ files }) => files === 10_000)?.seconds,
  },
  {
    what: 'most memory in the run of one row by key (110 MB)',
    bound: 'at most',
    limit: mebibytesOf(110),
    unit: 'MiB',
    measure: memoryOf('one-get'),
  },
  {
    what: 'most memory in the run of 100 rows x 8 (130 MB)',
    bound: 'at most',
    limit: mebibytesOf(130),
    unit: 'MiB',
    measure: memoryOf('hundred'),
  },
  {
    what: 'most memory with an answer of 1 000 000 rows (200 MB)',
    bound: 'less than',
    limit: mebibytesOf(200),
    unit: 'MiB',
    measure: ({ million }) => find(million, 'sqlapi')?.peakMiB,
  },
  {
    what: 'ahead of MCP Toolbox in every scenario',
    bound: 'at least',
    limit: 1,
    unit: 'times',
    measure: (results) => closest(results)?.ratio,
    detail: (results) => `the closest of ${leads(results).length}: ${closest(results)?.title ?? ''}`,
  },
]

/** A row for each target that was measured. */
export function judge(results: Results): Verdict[] {
  return targets.flatMap(({ what, bound, limit, unit, measure, detail }) => {
    const value = measure(results)
    if (value === undefined) return []
    const more = detail === undefined ? '' : ` (${detail(results)})`
    return {
      what,
      target: `${bound} ${units[unit](limit)}`,
      measured: units[unit](value) + more,
      isReached: isWithin(value, bound, limit),
    }
  })
}

function isWithin(value: number, bound: Target['bound'], limit: number): boolean {
  switch (bound) {
    case 'at least':
      return value >= limit
    case 'at most':
      return value <= limit
    case 'less than':
      return value < limit
  }
}

function resultOf({ races }: Results, name: string, contender: ContenderName): Result | undefined {
  const race = races.find(({ scenario }) => scenario.name === name)
  return race && find(race.results, contender)
}

function find<T extends { readonly contender: string }>(results: readonly T[], name: ContenderName): T | undefined {
  return results.find(({ contender }) => contender === contenderTitles[name])
}

function to(name: string, other: ContenderName): Target['measure'] {
  return (results) => ratio(resultOf(results, name, 'sqlapi'), resultOf(results, name, other), 'requests/s')
}

/** Whichever number of connections gives most requests per second. */
function bestRust(results: Results, name: string): Result | undefined {
  const all = rustNames.flatMap((rust) => resultOf(results, name, rust) ?? [])
  return all.toSorted((a, b) => rateOf(b) - rateOf(a))[0]
}

function rateOf(result: Result): number {
  return medianOf(result, 'requestsPerSecond') ?? Number.NaN
}

function toBestRust(name: string, merit: RaceMerit): Target['measure'] {
  return (results) => {
    const [own, best] = [resultOf(results, name, 'sqlapi'), bestRust(results, name)]
    // Of times, less is better.
    return merit === 'p99' ? ratio(best, own, merit) : ratio(own, best, merit)
  }
}

function memoryOf(name: string): Target['measure'] {
  return (results) => {
    const peakBytes = resultOf(results, name, 'sqlapi')?.peakBytes
    return peakBytes === undefined ? undefined : toMiB(peakBytes)
  }
}

function disturbance(results: Results): number | undefined {
  const rounds = resultOf(results, 'slow-callers', 'sqlapi')?.rounds
  return rounds && median(rounds.map(({ p99Ms, aloneP99Ms }) => (p99Ms ?? Number.NaN) / (aloneP99Ms ?? Number.NaN)))
}

interface Lead {
  readonly title: string
  readonly ratio: number
}

/** How far sqlapi is ahead of MCP Toolbox, wherever both were. */
function leads({ races, million }: Results): Lead[] {
  const raced = races.flatMap(({ scenario: { title, merit }, results }) => {
    const lead = ratio(find(results, 'sqlapi'), find(results, 'toolbox'), merit)
    return lead === undefined ? [] : { title, ratio: lead }
  })
  const [own, other] = [find(million, 'sqlapi')?.seconds, find(million, 'toolbox')?.seconds]
  return own === undefined || other === undefined ? raced : [...raced, { title: 'a million rows', ratio: other / own }]
}

function closest(results: Results): Lead | undefined {
  return leads(results).toSorted((a, b) => a.ratio - b.ratio)[0]
}
