/** What the benchmark is asked for, where in its page the results go, and what its charts say of given figures. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { testBench } from '@services/bench/testing'
import { toCallersReport } from '../../bench/callers.ts'
import { toChart } from '../../bench/report/chart.ts'
import { flags } from '../../bench/options.ts'
import { toMarkdown } from '../../bench/report/report.ts'
import { restTitle, scenarios } from '../../bench/scenarios.ts'
import { findAbsences } from '../../bench/setup.ts'

testBench(flags, new URL('../../bench/README.md', import.meta.url))

const lengths = { rounds: 1, warmUpSeconds: 1, seconds: 1 }

function raced(name: string, rates: Readonly<Record<string, number>>) {
  const scenario = scenarios.find((scenario) => scenario.name === name)!
  const results = Object.entries(rates).map(([contender, requestsPerSecond]) => {
    return { contender, rounds: [{ requestsPerSecond }], peakBytes: 100e6 }
  })
  return { scenario, results }
}

function of(haproxy: number) {
  const races = [raced('rest-get', { package: 45, haproxy, floor: 10 })]
  return { races, xml: undefined, boots: [], wsdl: undefined }
}

test('absences: without haproxy the others are raced, and the reason is told', () => {
  deepStrictEqual([...findAbsences('/usr/sbin/haproxy')], [])
  const absences = findAbsences(undefined)
  deepStrictEqual([...absences.keys()], ['haproxy'])
  match(absences.get('haproxy')!, /^no haproxy: .*apt install haproxy/)
  const [line] = toMarkdown(of(100), lengths, ['Left out: no haproxy']).split('\n')
  match(line!, /1 rounds of 1 s \(medians\)\. Left out: no haproxy\.$/)
})

test('targets: the REST lane beside haproxy', () => {
  const verdict = (haproxy: number) =>
    /^\| (REST, GET, 200 .*0\.45 x haproxy.*) \|$/m.exec(toMarkdown(of(haproxy), lengths, []))?.[1]
  strictEqual(verdict(100), `${restTitle} | >= 0.45 x haproxy | 0.45 x (45/s to 100/s) | yes`)
  strictEqual(verdict(101), `${restTitle} | >= 0.45 x haproxy | 0.45 x (45/s to 101/s) | no`)
})

test('charts: each contender has a colour', () => {
  const xml = { bytes: 1, events: 1, translateMBps: 40, parserMBps: 100, ratio: 0.4 }
  const races = scenarios.map(({ name, contenders }) =>
    raced(name, Object.fromEntries(contenders.map((contender, index) => [contender, index + 1]))),
  )
  const chart = toChart({ races, xml })
  const bars = Array.from(chart.matchAll(/<rect class="(c-?\d+)" x="[\d.]+" y="[\d.]+" width="[\d.]+" height="14"/g))
  strictEqual(
    bars.length,
    scenarios.reduce((sum, { contenders }) => sum + contenders.length - 1, 1),
  )
  ok(bars.every(([, colour]) => colour !== 'c-1'))
  match(chart, /1 = saxes alone, 100 MB\/s/)
  doesNotMatch(chart, /NaN|undefined|Infinity/)
  const { service, rivals } = toCallersReport({ lengths, results: [] }, [])
  deepStrictEqual(
    [service, rivals.map(({ head }) => head)],
    ['xroad-proxy', ['to haproxy', 'to the floor with context']],
  )
})
