/** The scenario `callers`: who is driven when, and what table and chart say of given figures. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { callerCounts, type CallersResult, raceCallers } from '../../src/race/callers.ts'
import { drawCallers } from '../../src/report/callers-chart.ts'
import { type CallersReport, callersMarkers, toCallersMarkdown, writeCallers } from '../../src/report/callers.ts'

function toResult(callers: number, contender: string, rate: number, p99Ms = 4): CallersResult {
  const round = {
    requestsPerSecond: rate,
    p50Ms: 2,
    p99Ms,
    cpuSecondsPer1000: 0.025,
    loadCpuSecondsPer1000: 0.01,
  }
  return { callers, contender, rounds: [round], peakBytes: 120e6 }
}

const results = [
  toResult(1, 'ours', 9000),
  toResult(1, 'Rust, 10', 10_000),
  toResult(1, 'Rust, 1', 11_000),
  toResult(64, 'ours', 30_000),
  toResult(64, 'Rust, 10', 25_000),
  toResult(64, 'Rust, 1', 40_000),
  toResult(512, 'ours', 27_000, 30),
  toResult(512, 'Rust, 10', 27_000, 20),
  toResult(512, 'Rust, 1', 20_000, 20),
  toResult(1024, 'ours', 26_900, 46),
  toResult(1024, 'Rust, 10', 26_900, 30),
]

const report: CallersReport = {
  results,
  lengths: { rounds: 3, warmUpSeconds: 1, seconds: 2 },
  title: 'one row',
  service: 'ours',
  rivals: [
    { head: 'to Rust, 10', contenders: ['Rust, 10'] },
    { head: "to Rust's best", contenders: ['Rust, 10', 'Rust, 1'] },
    { head: 'to Go', contenders: ['Go'] },
  ],
  peer: { contender: 'Rust, 10', leastAlone: 0.9, mostP99: 1.5 },
  versions: 'PostgreSQL 18',
  absences: ['Left out: no Go'],
}

test('race: every number has a process of each contender, and all take turns', async () => {
  const log: string[] = []
  const enter = (title: string) => ({
    title,
    start: async (callers: number) => ({
      round: async (seconds: number) => {
        log.push(`${title} ${callers}`)
        return { requestsPerSecond: callers * seconds }
      },
      usage: () => undefined,
      stop: async () => undefined,
    }),
  })
  const plan = { callers: [64, 8, 64], isQuick: true, rounds: 2 }
  const { lengths, results } = await raceCallers([enter('a'), enter('b')], plan)
  strictEqual(lengths.rounds, 2)
  const there = ['a 8', 'b 8', 'a 64', 'b 64']
  deepStrictEqual(log, [...there, ...there, ...there.toReversed()])
  deepStrictEqual(
    results.map(({ callers, contender, rounds }) => [callers, contender, rounds.length]),
    [
      [8, 'a', 2],
      [8, 'b', 2],
      [64, 'a', 2],
      [64, 'b', 2],
    ],
  )
  const whole = await raceCallers([enter('a')], { callers: [], isQuick: false, rounds: undefined })
  deepStrictEqual(
    whole.results.map(({ callers }) => callers),
    callerCounts,
  )
  deepStrictEqual(callerCounts, [1, 8, 64, 128, 256, 512, 1024])
})

test('table: ratios to each rival, to the fastest of several, and to its own with 64; what the load took', () => {
  const lines = toCallersMarkdown(report).split('\n')
  match(lines[0]!, /PostgreSQL 18; one row; 3 rounds of 2 s \(medians\)\. Left out: no Go\.$/)
  const head = lines.find((line) => line.startsWith('| callers '))
  strictEqual(
    head,
    "| callers | contender | requests/s | to Rust, 10 | to Rust's best | to its own with 64 | p50 ms | p99 ms | CPU s per 1000 requests | load, % of a core | peak MB |",
  )
  ok(lines.includes('| 64 | ours | 30 000 | 1.20 | 0.75 | 1.00 | 2.00 | 4.00 | 0.025 | 30 | 120 |'))
  ok(lines.includes('| 512 | ours | 27 000 | 1.00 | 1.00 | 0.90 | 2.00 | 30.00 | 0.025 | 27 | 120 |'))
  ok(lines.includes('| 1024 | Rust, 10 | 26 900 | 1.00 | 1.00 | 1.08 | 2.00 | 30.00 | 0.025 | 27 | 120 |'))
})

test('targets: each has its limit, and is judged only where it was measured', () => {
  const rowsOf = (of: CallersReport): string[] =>
    toCallersMarkdown(of)
      .split('\n')
      .filter((line) => / (yes|no) \|$/.test(line))
  deepStrictEqual(rowsOf(report), [
    '| requests/s with 512 callers, to those with 64 | at least 0.90 x | 0.90 x | yes |',
    '| requests/s with 1024 callers, to those with 64 | at least 0.90 x | 0.90 x | no |',
    '| requests/s of a single caller, to Rust, 10 | at least 0.90 x | 0.90 x | yes |',
    '| p99 with 512 callers, to that of Rust, 10 | at most 1.50 x | 1.50 x | yes |',
    '| p99 with 1024 callers, to that of Rust, 10 | at most 1.50 x | 1.53 x | no |',
  ])
  const { peer: _, ...alone } = report
  strictEqual(rowsOf(alone).length, 2)
  const few = { ...report, results: [toResult(1, 'ours', 9000), toResult(512, 'ours', 9000)] }
  deepStrictEqual(rowsOf(few), [])
  doesNotMatch(toCallersMarkdown(few), /to its own|NaN|undefined|to Rust/)
})

const colours = { ours: ['#000', '#fff'], 'Rust, 10': ['#100', '#f00'], 'Rust, 1': ['#010', '#0f0'] } as const

test('chart: four panels with a curve for each contender, also where some know nothing', () => {
  const chart = drawCallers({ title: 'a < b', heading: 'h', colours, results })
  const curves = Array.from(chart.matchAll(/<polyline class="curve c(\d)" points="([^"]+)"/g))
  strictEqual(curves.length, 4 * 3)
  const first = curves.find(([, colour]) => colour === '0')
  const points = first![2]!.split(' ').map((point) => point.split(',').map(Number))
  strictEqual(points.length, 4)
  // More is higher up: from 9 000 to 30 000 and down again.
  ok(points[1]![1]! < points[0]![1]! && points[1]![1]! < points[2]![1]!)
  ok(points.every(([x], index) => index === 0 || x! > points[index - 1]![0]!))
  match(chart, /a &lt; b/)
  match(chart, /prefers-color-scheme:dark/)
  doesNotMatch(chart, /NaN|undefined|Infinity|<script|href|url\(/)
  const bare = { callers: 8, contender: 'ours', rounds: [{ requestsPerSecond: 5 }] }
  const some = drawCallers({ title: '', heading: '', colours, results: [bare] })
  strictEqual(Array.from(some.matchAll(/<polyline/g)).length, 1)
  for (const results of [[], [bare]]) doesNotMatch(drawCallers({ title: '', heading: '', colours, results }), /NaN|Inf/)
})

test('chart: a legend that is too long for one line goes on in the next', () => {
  const names = Array.from({ length: 9 }, (_, index) => `contender number ${index}`)
  const many = Object.fromEntries(names.map((name) => [name, ['#000', '#fff'] as const]))
  const chart = drawCallers({
    title: '',
    heading: '',
    colours: many,
    results: names.map((name) => toResult(8, name, 1000)),
  })
  const boxes = Array.from(chart.matchAll(/<rect class="c\d" x="(\d+)" y="(\d+)"/g), ([, x, y]) => [
    Number(x),
    Number(y),
  ])
  strictEqual(boxes.length, 9)
  ok(new Set(boxes.map(([, y]) => y)).size > 1)
  ok(boxes.every(([x]) => x! + 40 + names[0]!.length * 7 <= 920))
})

test('page: table and chart go to their own place and nowhere else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'callers-'))
  try {
    const file = pathToFileURL(join(folder, 'README.md'))
    const { begin, end } = callersMarkers('bench:it')
    match(begin, /npm run bench:it -- --only callers --write/)
    writeFileSync(file, `above\n${begin}\nold\n${end}\nbelow\n`)
    writeCallers({ file, script: 'bench:it', title: 'Many' }, 'NEW', '<svg/>')
    strictEqual(readFileSync(file, 'utf8'), `above\n${begin}\n\n![Many](callers.svg)\n\nNEW\n\n${end}\nbelow\n`)
    strictEqual(readFileSync(join(folder, 'callers.svg'), 'utf8'), '<svg/>')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
