/** Log lines: levels, formats, what never reaches a line, and that lines are out before the process ends. */
import { deepStrictEqual, doesNotMatch, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Log, openLog } from '../src/log.ts'

function record(level: string, format: 'text' | 'json'): { log: Log; lines: string[] } {
  const lines: string[] = []
  return { lines, log: openLog({ level, format, destination: { write: (line) => void lines.push(line) } }) }
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

for (const [level, events] of heard) {
  test(`[S-env.RUST_LOG] ${JSON.stringify(level)}`, () => {
    const { log, lines } = record(level, 'json')
    log.write('startupFailure', { error: 'listen_failed', message: 'm' })
    log.write('warning', { message: 'm' })
    log.write('listening', { address: 'a' })
    const written = lines.map((line) => (JSON.parse(line) as { event: string }).event)
    strictEqual(written.join(' '), events)
    for (const event of ['warning', 'listening'] as const) strictEqual(log.isEnabled(event), written.includes(event))
  })
}

const requestFields = {
  method: 'GET',
  endpoint: 'a/b',
  path: undefined,
  status: 502,
  ms: 1.5,
  upstream_ms: 1.2,
  id: 'an id',
  error: 'upstream_soap_fault',
  source: 'provider',
}

test('[D1.8] json: one object a line', () => {
  const { log, lines } = record('info', 'json')
  log.write('request', requestFields)
  const { time, ...rest } = JSON.parse(lines[0] ?? '') as Record<string, unknown>
  ok(Math.abs(Date.parse(String(time)) - Date.now()) < 60_000)
  const { path: _, ...shown } = requestFields
  deepStrictEqual(rest, { level: 'info', target: 'xroad_proxy', event: 'request', message: 'Request', ...shown })
})

test('[D1.8] text: time, level, target, message, fields', () => {
  const { log, lines } = record('info', 'text')
  log.write('listening', { address: '0.0.0.0:8080' })
  log.write('request', requestFields)
  log.write('startupFailure', { error: 'listen_failed', message: 'port 80 is taken' })
  deepStrictEqual(
    lines.map((line) => line.replace(/^\S+/, 'T')),
    [
      'T  INFO xroad_proxy: Listening address=0.0.0.0:8080\n',
      'T  INFO xroad_proxy: Request method=GET endpoint=a/b status=502 ms=1.5 upstream_ms=1.2 id="an id" error=upstream_soap_fault source=provider\n',
      'T ERROR xroad_proxy: port 80 is taken error=listen_failed\n',
    ],
  )
})

for (const format of ['text', 'json'] as const) {
  test(`[D1.8] ${format}: whatever a request or an answer holds, an event is one line without control characters`, () => {
    const { log, lines } = record('debug', format)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.integer({ min: 0, max: 0xffff })), (text, units) => {
        const value = text + String.fromCharCode(...units)
        lines.length = 0
        log.write('soapFault', { code: value, string: value, detail: value })
        log.write('warning', { message: value })
        for (const line of lines) {
          ok(line.endsWith('\n'))
          doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
          if (format === 'json') strictEqual(Object.values(JSON.parse(line) as object).includes(value), true)
        }
        strictEqual(lines.length, 2)
      }),
      { numRuns: 2000 },
    )
  })

  test(`[D1.8] ${format}: a field as large as an answer is cut`, () => {
    const { log, lines } = record('info', format)
    log.write('soapFault', { code: 'a', string: 'b'.repeat(1_000_000) })
    ok((lines[0] ?? '').length < 70_000)
    ok((lines[0] ?? '').includes('(truncated)'))
  })
}
