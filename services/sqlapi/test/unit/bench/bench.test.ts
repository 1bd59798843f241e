/**
 * The pure parts of the benchmark, on given numbers: what it says of a run has to be right before the run is worth
 * anything.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Round } from '@services/bench'
import { testBench } from '@services/bench/testing'
import { oneItem, pageOfItems } from '../../../bench/scenarios/answers.ts'
import { callersContenders, toCallersChart, toCallersReport } from '../../../bench/callers.ts'
import { toChart } from '../../../bench/report/chart.ts'
import { findAbsences } from '../../../bench/contenders/all.ts'
import { isSameMeaning } from '../../../bench/scenarios/meaning.ts'
import { flags } from '../../../bench/options.ts'
import { findMissing, reasonIn } from '../../../bench/install/peers.ts'
import { readme } from '../../../bench/report/readme.ts'
import { toMarkdown } from '../../../bench/report/report.ts'
import { scenarios } from '../../../bench/scenarios/all.ts'
import { type ContenderName, contenderTitles, type Scenario } from '../../../bench/scenarios/scenario.ts'
import { judge, type RaceResult, type Results } from '../../../bench/report/targets.ts'

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
      sqlapi: { requestsPerSecond: 55, p99Ms: 5, peakMiB: 104 },
      floor: rate(22),
      'rust-10': { requestsPerSecond: 40, p99Ms: 1 },
      'rust-1': { requestsPerSecond: 50, p99Ms: 5 },
      pgbench: rate(100),
      toolbox: rate(55),
    }),
    raced('hundred', {
      sqlapi: { requestsPerSecond: 30, p99Ms: 9, peakMiB: 123 },
      floor: rate(10),
      'rust-3': { requestsPerSecond: 23, p99Ms: 9 },
      toolbox: rate(1),
    }),
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
      sqlapi: { requestsPerSecond: 54.9, p99Ms: 5.1, peakMiB: 106 },
      floor: rate(22),
      'rust-10': { requestsPerSecond: 40, p99Ms: 9 },
      'rust-1': { requestsPerSecond: 50, p99Ms: 5 },
      pgbench: rate(100),
      toolbox: rate(1),
    }),
    raced('hundred', {
      sqlapi: { requestsPerSecond: 29.8, p99Ms: 9.1, peakMiB: 124 },
      floor: rate(10),
      'rust-3': { requestsPerSecond: 23, p99Ms: 9 },
      toolbox: rate(30),
    }),
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
  strictEqual(reachedRows.length, 15)
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
  strictEqual(measured, '0.99 x (the closest of 3: 100 rows x 8 mixed columns)')
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
  ok(isSameMeaning('[{"score":1.0}]', '[{"score":1}]'))
  ok(!isSameMeaning('[{"score":1.5}]', '[{"score":1}]'))
  ok(!isSameMeaning('[{"isActive":0}]', '[{"isActive":false}]'))
  ok(!isSameMeaning('[{"id":9007199254740993}]', '[{"id":9007199254740992}]'))
  ok(!isSameMeaning(pageOfItems(7, 2), pageOfItems(8, 2)))
  ok(!isSameMeaning(oneItem(7), ''))
})

test('absences: whoever is wanted and missing is named, with the reason', () => {
  const arena = {
    installed: { reason: 'no network' },
    pgbench: undefined,
    rust: { reason: 'no cargo' },
    go: { program: '/go-server' },
  }
  const all = new Set(Object.keys(contenderTitles) as ContenderName[])
  deepStrictEqual(
    [...findAbsences(arena, all)],
    [
      ['fastify', 'no Fastify: no network'],
      ['toolbox', 'no MCP Toolbox: no network'],
      ['pgbench', 'no pgbench: neither on the PATH nor below /usr/lib/postgresql'],
      ['rust-10', 'no Rust: no cargo'],
      ['rust-3', 'no Rust: no cargo'],
      ['rust-1', 'no Rust: no cargo'],
    ],
  )
  deepStrictEqual([...findAbsences(arena, new Set<ContenderName>(['sqlapi', 'rust-1', 'go'])).keys()], ['rust-1'])
  deepStrictEqual(
    findAbsences({ ...arena, go: { reason: 'no go' } }, new Set<ContenderName>(['go'])).get('go'),
    'no Go: no go',
  )
})

test('peers: the libraries that are missing are named, and the packages that bring them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'peers-'))
  try {
    const packages = { 'hyper-0.14.': 'librust-hyper-dev', 'chrono-0.4.': 'librust-chrono-dev' }
    mkdirSync(join(folder, 'hyper-0.14.19'))
    // Another version than the source was written for.
    mkdirSync(join(folder, 'chrono-0.5.0'))
    strictEqual(
      findMissing({ folder, packages }),
      `${folder} lacks chrono-0.4 (Debian: apt install librust-chrono-dev)`,
    )
    mkdirSync(join(folder, 'chrono-0.4.23'))
    strictEqual(findMissing({ folder, packages }), undefined)
    strictEqual(
      findMissing({ folder: join(folder, 'nowhere'), packages }),
      `${join(folder, 'nowhere')} lacks hyper-0.14, chrono-0.4 (Debian: apt install librust-hyper-dev librust-chrono-dev)`,
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('peers: of what a compiler prints the error is told', () => {
  strictEqual(reasonIn('warning: old\nerror[E0277]: no such trait\n --> src/main.rs\n'), 'error[E0277]: no such trait')
  strictEqual(reasonIn('# command-line-arguments\n./main.go:12:2: undefined: x\n'), './main.go:12:2: undefined: x')
  strictEqual(reasonIn(''), 'it does not say why')
})

test('callers: sqlapi is beside Rust and the floor, with a colour for each', () => {
  deepStrictEqual(callersContenders, ['sqlapi', 'rust-10', 'rust-3', 'rust-1', 'floor'])
  const lengths = { rounds: 1, warmUpSeconds: 1, seconds: 1 }
  const results = callersContenders.map((name) => {
    return { contender: contenderTitles[name], callers: 8, rounds: [rate(10)] }
  })
  strictEqual(Array.from(toCallersChart({ lengths, results }).matchAll(/<polyline class="curve c\d"/g)).length, 5)
  const { peer, rivals } = toCallersReport({ lengths, results }, '18', [])
  strictEqual(peer?.contender, 'Rust, 10 connections')
  const titles = Object.values(contenderTitles)
  ok(rivals.every(({ contenders }) => contenders.every((contender) => titles.includes(contender))))
})
