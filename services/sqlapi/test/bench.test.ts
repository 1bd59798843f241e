/**
 * The pure parts of the benchmark, on given numbers: what it says of a run has to be right before the run is worth anything.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { Round } from '@services/bench'
import { testBench } from '@services/bench/testing'
import { oneItem, pageOfItems } from '../bench/answers.ts'
import { toChart } from '../bench/chart.ts'
import { isSameMeaning } from '../bench/meaning.ts'
import { flags } from '../bench/options.ts'
import { readme } from '../bench/readme.ts'
import { toMarkdown } from '../bench/report.ts'
import { scenarios } from '../bench/scenarios/all.ts'
import { type ContenderName, contenderTitles, type Scenario } from '../bench/scenarios/scenario.ts'
import { judge, type RaceResult, type Results } from '../bench/targets.ts'

testBench(flags, readme)

function rate(requestsPerSecond: number): Round {
  return { requestsPerSecond }
}

type Figures = Partial<Record<ContenderName, Round & { readonly peakMiB?: number }>>

function raced(name: string, figures: Figures): RaceResult {
  const scenario = scenarios.find((scenario) => scenario.name === name) as Scenario
  const results = Object.entries(figures).map(([contender, { peakMiB, ...round }]) => ({
    contender: contenderTitles[contender as ContenderName],
    rounds: [round],
    ...(peakMiB === undefined ? {} : { peakBytes: peakMiB * 2 ** 20 }),
  }))
  return { scenario, results }
}

const boot = {
  files: 10_000,
  bytes: 1,
  seconds: 2.99,
  fastestSeconds: 2,
  slowestSeconds: 4,
  cpuSeconds: 3,
  peakMiB: 99,
}
const answer = { rows: 1_000_000, bytes: 83_000_000, firstByteSeconds: 0.1 }

/** Everything just reached. */
const reached: Results = {
  races: [
    raced('one-get', {
      sqlapi: { requestsPerSecond: 55, peakMiB: 143 },
      floor: rate(22),
      pgbench: rate(100),
      toolbox: rate(55),
    }),
    raced('hundred', { sqlapi: rate(30), floor: rate(10), toolbox: rate(1) }),
    raced('batch-10000', { sqlapi: rate(8), floor: rate(1) }),
    raced('slow-callers', { sqlapi: { requestsPerSecond: 1, p99Ms: 4, aloneP99Ms: 2 } }),
    raced('sqlite', { sqlapi: rate(35), fastify: rate(100) }),
  ],
  million: [
    { ...answer, contender: 'sqlapi', seconds: 2, peakMiB: 190 },
    { ...answer, contender: 'MCP Toolbox', seconds: 2, peakMiB: 900 },
    { ...answer, contender: 'floor', seconds: 4, peakMiB: 500 },
  ],
  boots: [boot],
}

/** Everything just missed. */
const missed: Results = {
  races: [
    raced('one-get', {
      sqlapi: { requestsPerSecond: 54.9, peakMiB: 144 },
      floor: rate(22),
      pgbench: rate(100),
      toolbox: rate(1),
    }),
    raced('hundred', { sqlapi: rate(29.9), floor: rate(10), toolbox: rate(30) }),
    raced('batch-10000', { sqlapi: rate(7.9), floor: rate(1) }),
    raced('slow-callers', { sqlapi: { requestsPerSecond: 1, p99Ms: 4.1, aloneP99Ms: 2 } }),
    raced('sqlite', { sqlapi: rate(34.9), fastify: rate(100) }),
  ],
  million: [
    { ...answer, contender: 'sqlapi', seconds: 2, peakMiB: 191 },
    { ...answer, contender: 'MCP Toolbox', seconds: 2, peakMiB: 900 },
  ],
  boots: [{ ...boot, seconds: 3 }],
}

test('targets: each has its limit', () => {
  const reachedRows = judge(reached)
  const missedRows = judge(missed)
  strictEqual(reachedRows.length, 10)
  deepStrictEqual(
    reachedRows.filter(({ isReached }) => !isReached),
    [],
  )
  deepStrictEqual(
    missedRows.filter(({ isReached }) => isReached),
    [],
  )
  deepStrictEqual(
    missedRows.map(({ what }) => what),
    reachedRows.map(({ what }) => what),
  )
})

test('targets: the scenario is named in which MCP Toolbox comes closest', () => {
  const { measured } = judge(missed).at(-1)!
  strictEqual(measured, '1.00 x (the closest of 3: 100 rows x 8 mixed columns)')
})

test('targets: what a run had not is not judged', () => {
  deepStrictEqual(judge({ races: [], million: [], boots: [] }), [])
  const races = [raced('one-get', { sqlapi: rate(30), floor: rate(10) })]
  deepStrictEqual(
    judge({ races, million: [], boots: [] }).map(({ measured }) => measured),
    ['3.00 x'],
  )
})

test('report: a row for each contender, empty where it knows nothing', () => {
  const circumstances = { rounds: 1, warmUpSeconds: 1, seconds: 1, postgresVersion: '18', absences: ['No pgbench'] }
  const lines = toMarkdown(reached, circumstances).split('\n')
  match(lines[0]!, /PostgreSQL 18; 1 rounds of 1 s \(medians\)\. No pgbench\.$/)
  ok(lines.includes('| one row by key, GET | pgbench | 100 | 4.55 |  |  |  |  |  |'))
  ok(lines.includes('| 1000000 rows, 83 MB | floor | 4.00 | 0.10 | 500 |'))
  ok(lines.includes('| boot of 10 000 files | less than 3.00 s | 2.99 s | yes |'))
})

test('chart: a bar for each contender but the one that is 1, right for better, left for worse', () => {
  const chart = toChart({
    races: [raced('one-get', { sqlapi: rate(40), floor: rate(10), toolbox: rate(5) })],
    million: reached.million,
  })
  const bars = Array.from(chart.matchAll(/<rect class="c(\d)" x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="14"/g))
  const [better, worse, ...rest] = bars.map(
    ([, colour, x, width]) => [Number(colour), Number(x), Number(width)] as const,
  )
  strictEqual(rest.length, 2)
  strictEqual(better![0], 0)
  // Four times is twice as far as half, on the other side.
  ok(Math.abs(better![2] / worse![2] - 2) < 0.01)
  ok(Math.abs(worse![1] + worse![2] - better![1]) < 0.11)
  match(chart, />4\.00<.*>0\.50</s)
  match(chart, /1 = floor, 10\.0\/s/)
})

test('chart: an image that stands alone, in light and dark', () => {
  const chart = toChart(missed)
  match(chart, /prefers-color-scheme:dark/)
  doesNotMatch(chart, /NaN|undefined|Infinity|<script|href|url\(/)
  const names = Array.from(chart.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g), ([, end, name, alone]) => [end, name, alone])
  const open: string[] = []
  for (const [end, name, alone] of names) {
    if (end === '/') strictEqual(open.pop(), name)
    else if (alone !== '/') open.push(name!)
  }
  deepStrictEqual(open, [])
})

test('chart: no results, no bars, still an image', () => {
  doesNotMatch(toChart({ races: [], million: [] }), /NaN|Infinity/)
})

test('meaning: spelling may differ, values may not', () => {
  ok(isSameMeaning('[{"id":"9007199254740993"}]', '[{"id":9007199254740993}]'))
  ok(isSameMeaning('[{"a":1,"b":"2026-01-01T00:07:00.000Z"}]', '[{"b":"2026-01-01T00:07:00Z","a":1}]'))
  ok(isSameMeaning('[{"isActive":0}]', '[{"isActive":false}]', ['isActive']))
  ok(!isSameMeaning('[{"isActive":0}]', '[{"isActive":false}]'))
  ok(!isSameMeaning('[{"id":9007199254740993}]', '[{"id":9007199254740992}]'))
  ok(!isSameMeaning(pageOfItems(7, 2), pageOfItems(8, 2)))
  ok(!isSameMeaning(oneItem(7), ''))
})
