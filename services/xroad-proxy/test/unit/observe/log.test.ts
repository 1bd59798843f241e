/** Log lines: levels, formats, what never reaches a line, and that lines are out before the process ends. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { type Events, openEvents } from '../../../src/events.ts'

function record(level: string, format: 'text' | 'json'): { events: Events; lines: string[] } {
  const lines: string[] = []
  return { lines, events: openEvents({ level, format }, { write: (line) => void lines.push(line) }) }
}

const heard: readonly [string, string][] = [
  ['info', 'startupFailure warning listening'],
  ['', 'startupFailure warning listening'],
  ['nonsense', 'startupFailure warning listening'],
  ['INFO', 'startupFailure warning listening'],
  ['warn', 'startupFailure warning'],
  ['error', 'startupFailure'],
  ['off', 'startupFailure'],
  ['off,xroad_proxy=info', 'startupFailure warning listening'],
  ['debug, xroad-proxy = warn', 'startupFailure warning'],
  ['warn,hyper=trace,tower_http::trace=debug', 'startupFailure warning'],
]

for (const [level, names] of heard) {
  test(`${JSON.stringify(level)} [S-env.RUST_LOG]`, () => {
    const { events, lines } = record(level, 'json')
    events.emit('startupFailure', { error: 'listen_failed', message: 'm' })
    events.emit('warning', { message: 'm' })
    events.emit('listening', { address: 'a' })
    const written = lines.map((line) => (JSON.parse(line) as { event: string }).event)
    strictEqual(written.join(' '), names)
    for (const event of ['warning', 'listening'] as const) strictEqual(events.isEnabled(event), written.includes(event))
  })
}

const requestFields = {
  method: 'GET',
  endpoint: 'a/b',
  path: undefined,
  status: 502,
  ms: 1.5,
  upstream_ms: 1.2,
  waited_ms: 0,
  bytes: 120,
  id: 'an id',
  error: 'upstream_soap_fault',
  source: 'provider',
  request_id: 'r-1',
}

test('json: one object a line [D1.8]', () => {
  const { events, lines } = record('info', 'json')
  events.emit('request', requestFields)
  const { time, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>
  ok(Math.abs(Date.parse(String(time)) - Date.now()) < 60_000)
  const { path: _, ...shown } = requestFields
  deepStrictEqual(rest, { level: 'info', target: 'xroad_proxy', event: 'request', message: 'Request', ...shown })
})

test('text: time, level, target, message, fields [D1.8]', () => {
  const { events, lines } = record('info', 'text')
  events.emit('listening', { address: '0.0.0.0:8080' })
  events.emit('request', requestFields)
  events.emit('startupFailure', { error: 'listen_failed', message: 'port 80 is taken' })
  deepStrictEqual(
    lines.map((line) => line.replace(/^\S+/, 'T')),
    [
      'T  INFO xroad_proxy: Listening address=0.0.0.0:8080\n',
      'T  INFO xroad_proxy: Request method=GET endpoint=a/b status=502 ms=1.5 upstream_ms=1.2 waited_ms=0 bytes=120 id="an id" error=upstream_soap_fault source=provider request_id=r-1\n',
      'T ERROR xroad_proxy: port 80 is taken error=listen_failed\n',
    ],
  )
})

for (const format of ['text', 'json'] as const) {
  test(`${format}: whatever a request or an answer holds, an event is one line without control characters [D1.8]`, () => {
    const { events, lines } = record('debug', format)
    const sent = 'a\nb\r\u0000\u001b[31m\u007f\u0085\u200b\u202e\u2028\ud800'
    events.emit('soapFault', { code: sent, string: sent, request_id: 'r' })
    events.emit('warning', { message: sent })
    strictEqual(lines.length, 2)
    for (const line of lines) match(line, /^[ -~]+\n$/)
  })

  test(`${format}: a field as large as an answer is cut [D1.8]`, () => {
    const { events, lines } = record('info', format)
    events.emit('soapFault', { code: 'a', string: 'b'.repeat(1_000_000), request_id: 'r' })
    ok((lines[0] ?? '').length < 70_000)
    ok((lines[0] ?? '').includes('(truncated)'))
  })
}
