/**
 * The place of a request in a trace, from its caller into every line of the log; no SDK is loaded. Spans are
 * spans.test.ts.
 */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { call, until, Wire } from '@services/testing'
import { type ThrowawayPostgres, startThrowawayPostgres } from '@services/testing/postgres'
import { type Served, startInside } from '../../support/inside.ts'
import { type Setting, startSqlapi } from '../../support/process.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const sent = `00-${traceId}-00f067aa0ba902b7-01`
const made = /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/
const files = {
  'pg/POST/one.sql': 'SELECT 1 AS one',
  'pg/POST/divide.sql': 'SELECT 1 / CAST(:x AS int) AS y',
  'lite/POST/one.sql': 'SELECT :x AS x',
}

type Line = Readonly<Record<string, unknown>>

let postgres: ThrowawayPostgres
let tracing: Served

function start(more: Readonly<Record<string, unknown>>): Promise<Served> {
  return startInside(settingOf(more))
}

function settingOf(more: Readonly<Record<string, unknown>>): Setting {
  const datasources = [
    { name: 'pg', url: postgres.url },
    { name: 'lite', url: 'sqlite:lite.db' },
  ]
  const logging = { requests: 'all', format: 'json', level: 'debug,sqlx=debug' }
  return { files, config: { datasources, logging, ...more } }
}

before(async () => {
  postgres = await startThrowawayPostgres()
  tracing = await start({ trace: { enabled: true } })
})
after(async () => {
  await tracing.stop()
  await postgres.remove()
})

function linesOf(service: Served, id: string): Line[] {
  return service
    .stdout()
    .split('\n')
    .filter((line) => line.includes(`"requestId":"${id}"`))
    .map((line) => JSON.parse(line) as Line)
}

/** Sends one request under an id of its own; gives the lines of the log about it. */
async function follow(service: Served, path: string, headers: object = {}, body: unknown = {}): Promise<Line[]> {
  const id = `request-${follow.count++}`
  await call(service.port, path, { body, headers: { 'x-request-id': id, ...headers } })
  await untilAnswered(service, id)
  return linesOf(service, id)
}
follow.count = 0

function untilAnswered(service: Served, id: string): Promise<void> {
  return until(
    () => linesOf(service, id).some(({ event }) => event === 'request' || event === 'requestFailed'),
    'the line of the request',
  )
}

function areOf(lines: readonly Line[], events: readonly string[], traceparent: string | null = sent): void {
  deepStrictEqual(
    lines.map((line) => [line['event'], line['traceparent'] ?? null]),
    events.map((event) => [event, traceparent]),
  )
}

describe('every line of a request has what its caller sent', () => {
  const headers = { traceparent: sent }

  test('of one that succeeds, its statement too [O2.1]', async () => {
    areOf(await follow(tracing, '/pg/one', headers), ['statement', 'request'])
    areOf(await follow(tracing, '/lite/one', headers, { x: 1 }), ['statement', 'request'])
  })

  test('of one that fails, with the cause [O2.1]', async () => {
    areOf(await follow(tracing, '/pg/divide', headers, { x: 0 }), ['statement', 'statementFailed', 'requestFailed'])
    areOf(await follow(tracing, '/lite/one', headers, { x: [1] }), ['statement', 'request'])
  })

  test('of one that reaches nothing, and of a page [O2.1]', async () => {
    areOf(await follow(tracing, '/pg/nothing', headers), ['requestFailed'])
    const id = 'page-1'
    await call(tracing.port, '/health', { headers: { ...headers, 'x-request-id': id } })
    await untilAnswered(tracing, id)
    areOf(linesOf(tracing, id), ['request'])
  })

  test('of a batch [O2.1]', async () => {
    const lines = await follow(tracing, '/pg/one/batch', headers, { queries: [{}, {}] })
    areOf(lines, ['statement', 'statement', 'request'])
  })

  for (const fastReader of [true, false]) {
    test(`whoever reads the request, fast_reader: ${fastReader} [O2.1]`, async () => {
      const service = await start({ trace: { enabled: true }, server: { fast_reader: fastReader } })
      const [line] = await follow(service, '/lite/one', { TraceParent: sent }, { x: 1 })
      strictEqual(line?.['traceparent'], sent)
      await service.stop()
    })
  }
})

test('it is made where the caller sends none, another one each time [O2.1]', async () => {
  const [first] = await follow(tracing, '/lite/one', { tracestate: 'a=1' }, { x: 1 })
  const [second] = await follow(tracing, '/lite/one', {}, { x: 1 })
  match(first?.['traceparent'] as string, made)
  notStrictEqual(first?.['traceparent'], second?.['traceparent'])
})

test('an invalid one is replaced, and cannot forge a line [O2.1]', async () => {
  for (const invalid of [
    sent.replace('00-', 'ff-'),
    sent.toUpperCase(),
    `${sent}-more`,
    'x'.repeat(5000),
    `${sent}'*/`,
  ]) {
    const [line] = await follow(tracing, '/lite/one', { traceparent: invalid }, { x: 1 })
    match(line?.['traceparent'] as string, made)
    ok(!String(line?.['traceparent']).includes(traceId))
  }
})

test('two of them are none [O2.1]', async () => {
  const wire = await Wire.open(tracing.port)
  const body = '{"x":1}'
  wire.write(
    `POST /lite/one HTTP/1.1\r\nHost: x\r\nX-Request-Id: twice\r\ntraceparent: ${sent}\r\ntraceparent: ${sent}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  strictEqual((await wire.answer()).status, 200)
  wire.socket.destroy()
  await untilAnswered(tracing, 'twice')
  match(linesOf(tracing, 'twice')[0]?.['traceparent'] as string, made)
})

test('without tracing no line has it, and no answer either way [O2.1]', async () => {
  const plain = await start({})
  const lines = await follow(plain, '/pg/one', { traceparent: sent })
  areOf(lines, ['statement', 'request'], null)
  ok(!plain.stdout().includes(traceId))
  await plain.stop()
})

test('the log has it with several workers as well [O2.1]', async () => {
  const service = await startSqlapi(settingOf({ trace: { enabled: true }, server: { workers: 2 } }))
  areOf(await follow(service, '/pg/one', { traceparent: sent }), ['statement', 'request'])
  await service.stop()
})
