/**
 * Log lines of this service: levels, targets, both formats. What is the same in all services is tested with the package
 * observe.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { levelsPattern } from '@services/observe'
import { defaultLevels, type Events, openEvents } from '../../../src/events.ts'

function record(level: string, format: 'text' | 'json'): { events: Events; lines: string[] } {
  const lines: string[] = []
  return { lines, events: openEvents({ level, format }, { write: (line) => void lines.push(line) }) }
}

const heard: readonly [string, string][] = [
  [defaultLevels, 'startupFailure diagnostic listening arrayAsJson'],
  ['info', 'startupFailure diagnostic listening'],
  ['INFO, sqlx = DEBUG', 'startupFailure diagnostic listening statement'],
  ['sqlx=debug', 'startupFailure diagnostic listening statement'],
  ['debug', 'startupFailure diagnostic listening arrayAsJson statement'],
  ['trace,sqlx=off', 'startupFailure diagnostic listening arrayAsJson'],
  ['error', 'startupFailure'],
  ['off', 'startupFailure'],
  ['warn,hyper=trace,tower_http::trace=debug', 'startupFailure diagnostic'],
  ['off,sqlapi=info,sqlapi=warn', 'startupFailure diagnostic'],
]

for (const [level, names] of heard) {
  test(`${level} [D6.8] [S-config.logging.level]`, () => {
    const { events, lines } = record(level, 'json')
    events.emit('startupFailure', { error: 'ListenException', message: 'm' })
    events.emit('diagnostic', { message: 'm' })
    events.emit('listening', { address: 'a' })
    events.emit('arrayAsJson', { endpoint: 'e', parameter: 'p', requestId: 'r' })
    events.emit('statement', { datasource: 'd', sql: 's', parameters: 'p', requestId: 'r' })
    const written = lines.map((line) => (JSON.parse(line) as { event: string }).event)
    strictEqual(written.join(' '), names)
    for (const event of ['diagnostic', 'listening', 'arrayAsJson', 'statement'] as const)
      strictEqual(events.isEnabled(event), written.includes(event))
  })
}

for (const level of [
  '',
  ' ',
  'loud',
  'info,',
  ',info',
  'sqlapi',
  'sqlapi=',
  '=info',
  'sqlapi=info=debug',
  'info;sqlx=debug',
  'a b=info',
  'info\n,x',
]) {
  test(`refused: ${JSON.stringify(level)} [D6.8] [S-config.logging.level]`, () => {
    ok(!levelsPattern.test(level))
  })
}

test('json: one object a line [D6.8] [S-config.logging.format]', () => {
  const { events, lines } = record('info', 'json')
  events.emit('requestFailed', {
    method: 'GET',
    path: '/a/b',
    status: 400,
    error: 'BadSqlGrammarException',
    code: undefined,
    ms: 1.2,
    waitedMs: 0.1,
    datasource: 'a',
    rows: undefined,
    bytes: 42,
    requestId: 'r',
  })
  strictEqual(lines.length, 1)
  const { time, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>
  match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  deepStrictEqual(rest, {
    level: 'info',
    target: 'sqlapi',
    event: 'requestFailed',
    message: 'Request refused',
    method: 'GET',
    path: '/a/b',
    status: 400,
    error: 'BadSqlGrammarException',
    ms: 1.2,
    waitedMs: 0.1,
    datasource: 'a',
    bytes: 42,
    requestId: 'r',
  })
})

test('text: time, level, target, message, fields [D6.8] [S-config.logging.format]', () => {
  const { events, lines } = record('info', 'text')
  events.emit('listening', { address: '0.0.0.0:8080' })
  events.emit('datasourceUnreachable', { datasource: 'my db', url: 'sqlite:a?mode=ro', reason: '' })
  events.emit('startupFailure', { error: 'ListenException', message: 'port 80: taken' })
  deepStrictEqual(
    lines.map((line) => line.replace(/^\S+/, 'T')),
    [
      'T  INFO sqlapi: Listening address=0.0.0.0:8080\n',
      'T  WARN sqlapi: Database cannot be reached; the next request tries again datasource="my db" url="sqlite:a?mode=ro" reason=""\n',
      'T ERROR sqlapi: port 80: taken error=ListenException\n',
    ],
  )
})

for (const format of ['text', 'json'] as const) {
  test(`${format}: whatever a request sends, an event is one line without control characters [D6.8]`, () => {
    const { events, lines } = record('debug', format)
    const sent = 'a\nb\r\u0000\u001b[31m\u007f\u0085\u200b\u202e\u2028\ud800'
    events.emit('internalError', { stack: sent })
    events.emit('diagnostic', { message: sent })
    strictEqual(lines.length, 2)
    for (const line of lines) match(line, /^[ -~]+\n$/)
  })
}
