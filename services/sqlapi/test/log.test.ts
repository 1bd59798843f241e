import { deepStrictEqual, doesNotMatch, match, ok, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { defaultLevels, openLog } from '../src/log.ts'
import type { Log } from '../src/log.ts'

function record(level: string, format: 'text' | 'json'): { log: Log; lines: string[] } {
  const lines: string[] = []
  return { lines, log: openLog({ level, format, destination: { write: (line) => void lines.push(line) } }) }
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

for (const [level, events] of heard) {
  test(`[D6.8] [S-config.logging.level] ${level}`, () => {
    const { log, lines } = record(level, 'json')
    log.write('startupFailure', { error: 'ListenException', message: 'm' })
    log.write('diagnostic', { message: 'm' })
    log.write('listening', { address: 'a' })
    log.write('arrayAsJson', { endpoint: 'e', parameter: 'p' })
    log.write('statement', { datasource: 'd', sql: 's', parameters: 'p' })
    const written = lines.map((line) => (JSON.parse(line) as { event: string }).event)
    strictEqual(written.join(' '), events)
    for (const event of ['diagnostic', 'listening', 'arrayAsJson', 'statement'] as const)
      strictEqual(log.isEnabled(event), written.includes(event))
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
  test(`[D6.8] [S-config.logging.level] refused: ${JSON.stringify(level)}`, () => {
    throws(() => record(level, 'text'), { name: 'InvalidConfigurationException', message: /expected levels such as/ })
  })
}

test('[D6.8] [S-config.logging.format] json: one object a line', () => {
  const { log, lines } = record('info', 'json')
  log.write('requestFailed', {
    method: 'GET',
    path: '/a/b',
    status: 400,
    error: 'BadSqlGrammarException',
    code: undefined,
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
  })
})

test('[D6.8] [S-config.logging.format] text: time, level, target, message, fields', () => {
  const { log, lines } = record('info', 'text')
  log.write('listening', { address: '0.0.0.0:8080' })
  log.write('datasourceUnreachable', { datasource: 'my db', url: 'sqlite:a?mode=ro', reason: '' })
  log.write('startupFailure', { error: 'ListenException', message: 'port 80: taken' })
  deepStrictEqual(
    lines.map((line) => line.replace(/^\S+/, 'T')),
    [
      'T  INFO sqlapi: Listening address=0.0.0.0:8080\n',
      'T  WARN sqlapi: Database cannot be reached, will be tried again datasource="my db" url="sqlite:a?mode=ro" reason=""\n',
      'T ERROR sqlapi: port 80: taken error=ListenException\n',
    ],
  )
})

for (const format of ['text', 'json'] as const) {
  test(`[D6.8] ${format}: whatever a request sends, an event is one line without control characters`, () => {
    const { log, lines } = record('debug', format)
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.integer({ min: 0, max: 0xffff })), (text, units) => {
        const path = text + String.fromCharCode(...units)
        lines.length = 0
        log.write('internalError', { method: 'GET', path, stack: path })
        log.write('diagnostic', { message: path })
        for (const line of lines) {
          ok(line.endsWith('\n'))
          doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u)
          if (format === 'json')
            strictEqual((JSON.parse(line) as { message: string }).message, line === lines[1] ? path : 'Internal error')
        }
        strictEqual(lines.length, 2)
      }),
      { numRuns: 2000 },
    )
  })
}
