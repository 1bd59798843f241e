/**
 * Lines of log: both formats, what stands in quotes, what is cut, what never reaches a line, and the table of levels.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  error,
  EventStream,
  type FieldsOf,
  info,
  type LineStyle,
  type LogFormat,
  openLog,
  readLevels,
  trace,
  warn,
} from '@services/observe'
import fc from 'fast-check'

const table = {
  request: info<{ path?: string | undefined; status?: number; ok?: boolean }>('Request'),
  told: warn<{ message: string; a?: string; b?: string }>('Told'),
  quiet: trace('Quiet', { target: 'part' }),
  failure: error('Cannot start', { always: true }),
}
const style: LineStyle = { target: 'example', quoted: /^$|[\s"=]/, maxFieldLength: 20 }

/** Also halves of surrogate pairs. */
const units = fc.integer({ min: 0, max: 0xffff })
const points = fc.integer({ min: 0, max: 0x10_ffff })

function record(format: LogFormat, settings: { level?: string; style?: LineStyle } = {}) {
  const lines: string[] = []
  const events = new EventStream<FieldsOf<typeof table>>(table)
  events.subscribe(
    openLog(table, {
      levels: readLevels(settings.level ?? 'trace', (target) => target),
      format,
      style: settings.style ?? style,
      destination: { write: (line) => void lines.push(line) },
    }),
  )
  return { events, lines }
}

describe('text', () => {
  test('time, level, target, message, fields in their order, without what is undefined', () => {
    const { events, lines } = record('text')
    events.emit('request', { status: 200, path: '/a/b', ok: true })
    events.emit('request', { path: undefined })
    events.emit('told', { a: 'x', message: 'own words', b: 'y' })
    events.emit('quiet', {})
    for (const line of lines) match(line, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /)
    deepStrictEqual(
      lines.map((line) => line.slice('2026-07-01T10:20:30.123Z'.length)),
      [
        '  INFO example: Request status=200 path=/a/b ok=true\n',
        '  INFO example: Request\n',
        '  WARN example: own words a=x b=y\n',
        ' TRACE part: Quiet\n',
      ],
    )
  })

  const quotes: readonly [string, string, string][] = [
    ['plain', 'plain', 'plain'],
    ['a/b:c@d', 'a/b:c@d', 'a/b:c@d'],
    ['', '""', '""'],
    ['a b', '"a b"', '"a b"'],
    ['a=b', '"a=b"', '"a=b"'],
    ['a"b', '"a\\"b"', '"a\\"b"'],
    ['a?b', 'a?b', '"a?b"'],
    ['ä', 'ä', '"ä"'],
    ['a\u200bb', 'a\\u200bb', '"a\\u200bb"'],
  ]
  for (const [value, loose, strict] of quotes) {
    test(`the service says which values stand in quotes: ${JSON.stringify(value)}`, () => {
      for (const [quoted, shown] of [
        [style.quoted, loose],
        [/^/, strict],
      ] as const) {
        const { events, lines } = record('text', { style: { ...style, quoted } })
        events.emit('request', { path: value })
        strictEqual(lines[0]?.replace(/^.* path=/, ''), `${shown}\n`)
      }
    })
  }
})

describe('json', () => {
  test('one object a line; a field called message takes the place of the words of the table', () => {
    const { events, lines } = record('json')
    events.emit('request', { status: 200, path: undefined })
    events.emit('told', { a: 'x', message: 'own words' })
    events.emit('failure', {})
    deepStrictEqual(
      lines.map((line) => line.replace(/"time":"[^"]*"/, '"time":"T"')),
      [
        '{"level":"info","time":"T","target":"example","event":"request","message":"Request","status":200}\n',
        '{"level":"warn","time":"T","target":"example","event":"told","message":"own words","a":"x"}\n',
        '{"level":"error","time":"T","target":"example","event":"failure","message":"Cannot start"}\n',
      ],
    )
  })
})

for (const format of ['text', 'json'] as const) {
  test(`${format}: a long text is cut, and says so`, () => {
    const { events, lines } = record(format)
    events.emit('told', { message: 'm'.repeat(21), a: 'a'.repeat(20), b: 'b'.repeat(1000) })
    const [line = ''] = lines
    ok(line.includes(`${'m'.repeat(20)}… (truncated)`))
    ok(line.includes('a'.repeat(20)) && !line.includes(`${'a'.repeat(20)}…`))
    ok(line.includes(`${'b'.repeat(20)}… (truncated)`))
  })

  test(`${format}: whatever a field holds, an event is one line without control or invisible characters`, () => {
    const { events, lines } = record(format, { style: { ...style, maxFieldLength: Infinity } })
    fc.assert(
      fc.property(fc.array(points), fc.array(units), (wanted, halves) => {
        const value = String.fromCodePoint(...wanted) + String.fromCharCode(...halves)
        lines.length = 0
        events.emit('told', { message: value, a: value })
        strictEqual(lines.length, 1)
        const [line = ''] = lines
        ok(line.endsWith('\n'))
        doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
        if (format === 'json') {
          const { message, a } = JSON.parse(line) as { message: string; a: string }
          deepStrictEqual([message, a], [value, value])
        }
      }),
      { numRuns: 2000 },
    )
  })
}

test('the time is that of the event, to the millisecond', (t) => {
  const { events, lines } = record('text')
  const timeShown = (): string | undefined => {
    events.emit('request', {})
    return /^\S+/.exec(lines.pop() ?? '')?.[0]
  }
  const before = Date.now()
  const time = Date.parse(timeShown() ?? '')
  ok(before <= time && time <= Date.now(), `${before} ${time}`)

  // What events share of their time is used again, so: within a millisecond, within a second, beyond its end, and back.
  const start = Date.parse('2026-07-01T23:59:58.990Z')
  t.mock.timers.enable({ apis: ['Date'] })
  for (const offset of [0, 0, 1, 9, 10, 10, 11, 1009, 1010, 1011, 500, 0, -86_400_000, 3_600_000]) {
    t.mock.timers.setTime(start + offset)
    strictEqual(timeShown(), new Date(start + offset).toISOString())
  }
})

test('what no level silences is written even with off', () => {
  const { events, lines } = record('text', { level: 'off' })
  for (const name of ['request', 'quiet', 'failure'] as const) events.emit(name, {})
  strictEqual(lines.length, 1)
  match(lines[0] ?? '', /Cannot start/)
})
