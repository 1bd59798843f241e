/** What `npm run compare` takes for volatile, and what it must not take for it. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { describe, openJudge } from './compare/judge.ts'
import { mutate } from './compare/inputs/mutations.ts'
import { Recording } from './compare/recording.ts'
import { type Origin, withoutPlaces, withoutVolatile } from './compare/volatile.ts'

const origin: Origin = { root: '/checkout', folder: '/work/old', ports: new Map([[40123, 'service']]) }

test('times of the run are volatile, others are not; their form is compared', () => {
  const now = new Date()
  const text = now.toISOString()
  strictEqual(withoutVolatile(text, ''), '<now T.msZ>')
  strictEqual(withoutVolatile(text.replace('T', ' ').replace('Z', '+00'), ''), '<now  .ms+00>')
  strictEqual(withoutVolatile(`Date: ${now.toUTCString()}`, ''), 'Date: <now, GMT>')
  strictEqual(withoutVolatile(`${now.getTime()}`, ''), '<now, milliseconds>')
  for (const other of ['2020-01-02T03:04:05.678Z', 'Thu, 02 Jan 2020 03:04:05 GMT', '1577934245678']) {
    strictEqual(withoutVolatile(other, ''), other)
  }
})

test('an id is random if the other side does not have it, and the same id keeps its number', () => {
  const [a, b] = ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '9b2504e0-4f89-41d3-9a0c-0305e82c3302']
  strictEqual(withoutVolatile(`${a} ${b} ${a}`, 'x'), '<uuid 1> <uuid 2> <uuid 1>')
  strictEqual(withoutVolatile(`${a} ${b}`, `${a} x`), `${a} <uuid 1>`)
})

test('durations, and metrics of time, are volatile; counts are not', () => {
  strictEqual(withoutVolatile('status=200 ms=1.5 waitedMs=0 rows=3', ''), 'status=200 ms=<ms> waitedMs=<ms> rows=3')
  strictEqual(withoutVolatile('"upstream_ms":3,"bytes":4', ''), '"upstream_ms":<ms>,"bytes":4')
  const metrics = ['a_seconds_sum{x="1"} 0.5', 'a_seconds_count{x="1"} 2', 'a_total 3']
  deepStrictEqual(withoutVolatile(metrics.join('\n'), '').split('\n'), [
    'a_seconds_sum{x="1"} <value>',
    ...metrics.slice(1),
  ])
})

test('ports and folders of a side are replaced; a length that fits its body is no difference of its own', () => {
  strictEqual(
    withoutPlaces('/work/old/a 127.0.0.1:40123 127.0.0.1:5432', origin),
    '<folder>/a 127.0.0.1:<port of service> 127.0.0.1:5432',
  )
  strictEqual(
    withoutPlaces('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}', origin),
    'HTTP/1.1 200 OK\r\ncontent-length: <length of the body>\r\n\r\n{}',
  )
  const wrong = 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n{}'
  strictEqual(withoutPlaces(wrong, origin), wrong)
})

test('a difference is reported with its place, unless an entry explains it; unused entries are reported', () => {
  const older = new Recording('part', origin)
  const newer = new Recording('part', origin)
  older.addText('request', 'a', 'GET /a', 'one\ntwo words\n')
  newer.addText('request', 'a', 'GET /a', 'one\ntwo Words\n')
  newer.addText('request', 'b', 'GET /b', 'more')
  const judge = openJudge([])
  judge.compare(older, newer)
  const [first = '', second = ''] = describe(judge.findings)
  match(
    first,
    /part: a\n {2}asked: GET \/a\n {2}first difference: line 2, column 5\n {4}one\n {2}- two words\n {2}\+ two Words/,
  )
  match(second, /only the new version was asked/)

  const entries = [
    { in: 'part: a', old: 'words', new: 'Words', reason: 'B6' },
    { in: 'part: c', old: 'x', new: 'y', reason: 'B6' },
  ]
  const lenient = openJudge(entries)
  lenient.compare(older, newer)
  deepStrictEqual([lenient.findings.map(({ key }) => key), lenient.unused()], [['part: b'], [entries[1]]])
})

test('broken configurations are the same in each run', () => {
  const text = 'a: 1\nb:\n  c: text\n'
  const numbers = (): (() => number) => {
    let state = 7
    return () => (state = (state * 16807) % 2147483647) / 2147483647
  }
  const mutations = mutate(text, 20, numbers())
  strictEqual(mutations.length, 20)
  deepStrictEqual(mutate(text, 20, numbers()), mutations)
})
