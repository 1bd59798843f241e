/** Real servers, driven by the real load: rounds short enough for a test, so no figure is compared with another. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type Ask,
  type Callers,
  findProgram,
  race,
  ratio,
  readable,
  type Round,
  startHttpRacer,
  startOnce,
  startServer,
} from '@services/bench'
import { freePort } from '@services/testing'
import { toStartsReport } from '../../src/race/starts.ts'

const command = { args: [join(import.meta.dirname, '../support/server.ts')] }
const seconds = 0.3

function toAsk(target: string, body?: string): Ask {
  const method = body === undefined ? 'GET' : 'POST'
  const expected = JSON.stringify({ method, url: target, body: body ?? '' })
  const isRight: Ask['isRight'] = ({ status, body }) => status === 200 && body === expected
  return { method, target, ...(body === undefined ? {} : { body }), expected, isRight }
}

async function raceOnce(callers: Callers, more: { beside?: Callers } = {}): Promise<Round & { answered: number[] }> {
  const answered: number[] = []
  const racer = await startHttpRacer({
    title: 'server',
    command,
    callers,
    ...more,
    afterRound: async (answers) => void answered.push(...answers),
  })
  try {
    return { ...(await racer.round(seconds)), answered }
  } finally {
    await racer.stop()
  }
}

test('a closed loop asks everything in turns and says what it costs', async () => {
  const round = await raceOnce({ connections: 2, asks: [toAsk('/one?a=b'), toAsk('/two', '{"a":1}')] })
  ok(round.requestsPerSecond > 0 && round.p50Ms! <= round.p99Ms!)
  ok(round.cpuSecondsPer1000! > 0 && round.loadCpuSecondsPer1000! > 0)
  strictEqual(round.aloneP99Ms, undefined)
  const [one = 0, two = 0] = round.answered
  ok(one > 0 && Math.abs(one - two) <= 2, `${one} and ${two} answers`)
})

test('one load has a thousand callers, and each gets its answers', async () => {
  const round = await raceOnce({ connections: 1000, asks: [toAsk('/one')] })
  // Each of them has asked at least once, whatever the machine does meanwhile.
  ok(round.answered[0]! >= 1000, `${round.answered[0]} answers`)
})

test('a steady rate sends so many a second and no more', async () => {
  const { answered } = await raceOnce({ connections: 4, ratePerSecond: 50, asks: [toAsk('/one')] })
  // Half a second of ramp comes first.
  ok(answered[0]! > 1 && answered[0]! <= 50 * (seconds + 0.5) + 1, `${answered[0]} answers`)
})

test('a rate too low for the round still gives a figure', async () => {
  const round = await raceOnce({ connections: 1, ratePerSecond: 0.5, asks: [toAsk('/one')] })
  ok(round.requestsPerSecond > 0 && Number.isFinite(round.p99Ms!))
})

test('slow callers beside do not count, and there is a p99 without them', async () => {
  // More slow answers than fast ones: if they counted, half of all would take a second.
  const beside = { connections: 50, asks: [{ ...toAsk('/slow'), isSlow: true }] }
  const round = await raceOnce({ connections: 2, ratePerSecond: 20, asks: [toAsk('/one')] }, { beside })
  ok(round.aloneP99Ms! > 0)
  ok(round.p50Ms! < 1000)
})

test('an answer that is wrong before the rounds, or later, ends the race', async () => {
  const wrong = { ...toAsk('/one'), expected: 'another', isRight: () => false }
  await rejects(raceOnce({ connections: 1, asks: [wrong] }), /server: GET \/one: 200 .*\nexpected another/)
  const other = { ...toAsk('/turns'), isRight: () => true }
  await rejects(raceOnce({ connections: 1, asks: [other] }), /load\.ts ended with 1/)
})

test('a server is found by the port it prints, or by that it was given', async () => {
  const { seconds, cpuSeconds, peakBytes } = await startOnce(command)
  ok(seconds > 0 && cpuSeconds > 0 && peakBytes > 10e6)
  const port = await freePort()
  const server = await startServer({ ...command, env: { BENCH_PORT: String(port) }, port })
  strictEqual(server.port, port)
  strictEqual((await fetch(`http://127.0.0.1:${port}/`)).status, 200)
  await server.stop()
  await rejects(fetch(`http://127.0.0.1:${port}/`))
})

test('a program is found on the path, or where else it may be', () => {
  const folder = mkdtempSync(join(tmpdir(), 'programs-'))
  try {
    for (const version of ['1', '2']) {
      mkdirSync(join(folder, version))
      writeFileSync(join(folder, version, 'nobody-has-this'), '')
    }
    strictEqual(findProgram('nobody-has-this'), undefined)
    strictEqual(findProgram('nobody-has-this', [join(folder, '3/nobody-has-this')]), undefined)
    const elsewhere = [join(folder, '3/nobody-has-this'), join(folder, '*/nobody-has-this')]
    strictEqual(findProgram('nobody-has-this', elsewhere), join(folder, '2/nobody-has-this'))
    ok(existsSync(findProgram('node', elsewhere)!))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a server that ends in place of listening says why', async () => {
  await rejects(startServer({ ...command, env: { BENCH_END: '3' } }), /ended with 3: no wish to serve/)
})

test('contenders take turns, there and back, and all are stopped whatever happens', async () => {
  const log: string[] = []
  const enter = (title: string, rate: number) => ({
    title,
    start: async () => ({
      async round() {
        log.push(title)
        if (rate === 0) throw new Error('down')
        return { requestsPerSecond: rate }
      },
      usage: () => ({ cpuSeconds: 1, peakBytes: 5 }),
      stop: async () => void log.push(`${title} stops`),
    }),
  })
  const lengths = { rounds: 2, warmUpSeconds: 1, seconds: 1 }
  const rounds = (rate: number): Round[] => [{ requestsPerSecond: rate }, { requestsPerSecond: rate }]
  deepStrictEqual(await race('test', [enter('a', 1), enter('b', 2)], lengths), [
    { contender: 'a', rounds: rounds(1), peakBytes: 5 },
    { contender: 'b', rounds: rounds(2), peakBytes: 5 },
  ])
  deepStrictEqual(log.splice(0), ['a', 'b', 'a', 'b', 'b', 'a', 'a stops', 'b stops'])
  await rejects(race('test', [enter('a', 1), enter('b', 0)], lengths), /down/)
  deepStrictEqual(log, ['a', 'b', 'a stops', 'b stops'])
})

test('figures: ratios within each round', () => {
  const toResult = (contender: string, rates: number[]) => ({
    contender,
    rounds: rates.map((requestsPerSecond) => ({ requestsPerSecond })),
  })
  const fast = toResult('a', [100, 10, 1000])
  strictEqual(ratio(fast, toResult('b', [50, 10, 250]), 'requests/s'), 2)
  strictEqual(ratio(fast, undefined, 'requests/s'), undefined)
  const quick = { contender: 'a', rounds: [{ requestsPerSecond: 1, p99Ms: 2 }] }
  const tardy = { contender: 'b', rounds: [{ requestsPerSecond: 9, p99Ms: 8 }] }
  strictEqual(ratio(quick, tardy, 'p99'), 4)
  deepStrictEqual([41_914.2, 523.4, 29.31, 5.214, 0.0213].map(readable), ['41 914', '523', '29.3', '5.21', '0.021'])
})

test('starts: a row for each, and how much of the fastest the slowest reaches', () => {
  const start = (requestsPerSecond: number, load = {}) => ({
    contender: 'a',
    rounds: [{ requestsPerSecond, p99Ms: 4.5, cpuSecondsPer1000: 0.025, ...load }],
    peakBytes: 140e6,
  })
  const about = { count: 3, isQuick: false, title: 'one row', versions: 'PostgreSQL 18' }
  const lines = toStartsReport([start(30_000), start(25_000), start(28_000)], about).split('\n')
  match(lines[0]!, /PostgreSQL 18; one row, 3 starts in a row, each 5 s after 2 s of warm-up\.$/)
  deepStrictEqual(lines.slice(2), [
    '| start | requests/s | of the fastest | p99 ms | CPU s per 1000 requests | to the load | peak MB |',
    '| ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    '| 1 | 30 000 | 1.00 | 4.50 | 0.025 |  | 140 |',
    '| 2 | 25 000 | 0.83 | 4.50 | 0.025 |  | 140 |',
    '| 3 | 28 000 | 0.93 | 4.50 | 0.025 |  | 140 |',
    '',
    'Spread: the slowest start has 0.83 of the requests/s of the fastest (25 000 to 30 000, median 28 000). At least 0.90: no.',
  ])
  match(toStartsReport([start(30_000), start(27_000)], about), /At least 0\.90: yes\.$/)
})

test('starts: a machine that is slower for one of them is told from a start that is', () => {
  const start = (loadCpuSecondsPer1000: number) => ({
    contender: 'a',
    rounds: [{ requestsPerSecond: 1, cpuSecondsPer1000: 0.025, loadCpuSecondsPer1000 }],
  })
  const about = { count: 2, isQuick: false, title: 'one row', versions: '' }
  const alike = toStartsReport([start(0.0125), start(0.012)], about)
  match(alike, /^\| 2 \| 1\.00 \| 1\.00 \|  \| 0\.025 \| 2\.08 \|/m)
  match(alike, /the cheapest start has 0\.96 of the most expensive\. At least 0\.90: yes\.$/)
  match(toStartsReport([start(0.0125), start(0.01)], about), /0\.80 of the most expensive\. At least 0\.90: no\.$/)
})
