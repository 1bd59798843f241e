/** What `/metrics` says of real requests, on both readers, on both databases and over several processes. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { call, inBackquotes, tableAfter, until, Wire } from '@services/testing'
import { type ThrowawayPostgres, startThrowawayPostgres } from '@services/testing/postgres'
import { promtool, startPrometheus, withoutPrometheus } from '@services/testing/prometheus'
import { metricTable } from '../../../src/measure/metric-table.ts'
import { startProcessWithAdmin, startWithAdmin, type WithAdmin } from '../../support/admin.ts'
import type { Setting } from '../../support/process.ts'

const files = {
  'lite/GET/many.sql': 'SELECT value FROM json_each(:list)',
  'lite/POST/setup.sql': 'CREATE TABLE IF NOT EXISTS t (x INTEGER PRIMARY KEY)',
  'lite/POST/add.sql': 'INSERT INTO t VALUES (:x)',
  'pg/GET/one.sql': 'SELECT 1 AS one',
  'pg/GET/pid.sql': 'SELECT 1 AS one',
  'pg/GET/many.sql': 'SELECT * FROM generate_series(1, 7) AS n',
  'pg/GET/long.sql': "SELECT repeat('x', 1000) AS x FROM generate_series(1, 5000)",
  // Too long to be under way as a whole when its client leaves.
  'pg/GET/endless.sql': "SELECT repeat('x', 1000) AS x, generate_series(1, 2000000000) AS n",
  'pg/POST/divide.sql': 'SELECT 1 / CAST(:x AS int) AS y',
  'pg/POST/marked.sql': '-- @transactional\nSELECT 1 / CAST(:x AS int) AS y',
  'lite/POST/marked.sql': '-- @transactional\nINSERT INTO t VALUES (:x)',
  'pg/POST/open.sql': 'BEGIN; SELECT 1 AS one',
  'pg/POST/sleep.sql': 'SELECT 1 AS one FROM pg_sleep(:s)',
}
const lite = { name: 'lite', url: 'sqlite:lite.db' }

let postgres: ThrowawayPostgres
before(async () => {
  postgres = await startThrowawayPostgres()
})
after(async () => postgres.remove())

function start(config: Readonly<Record<string, unknown>> = {}): Promise<WithAdmin> {
  return startWithAdmin(settingOf(config))
}

function startWorkers(): ReturnType<typeof startProcessWithAdmin> {
  return startProcessWithAdmin(settingOf({ server: { workers: 2 } }))
}

function settingOf(config: Readonly<Record<string, unknown>>): Setting {
  return { files, config: { datasources: [{ name: 'pg', url: postgres.url }, lite], ...config } }
}

function requests(endpoint: string, method: string, status: number, error = ''): string {
  return `sqlapi_http_requests_total{endpoint="${endpoint}",method="${method}",status="${status}",error="${error}"}`
}

/** Waits until the series has the value: counting goes on behind an answer. */
function untilValue(service: WithAdmin, series: string, value: number): Promise<void> {
  return until(async () => (await service.samples()).get(series) === value, `${series} ${value}`)
}

test('operations.md lists every metric with its type and its labels [O1.3]', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
  deepStrictEqual(
    tableAfter(page, '<!-- table: metrics').map(([name = '', type, labels = '']) => [
      name,
      type,
      labels.split(', ').filter(Boolean),
    ]),
    Object.entries(metricTable).map(([name, { kind, labels }]) => [name, kind, labels]),
  )
  ok(inBackquotes(page).length > 0)
})

for (const fastReader of [true, false]) {
  test(`requests and refusals are counted, fast_reader: ${fastReader} [O1.3] [F10]`, async () => {
    const service = await start({ server: { fast_reader: fastReader, max_body_bytes: 1000 } })
    const before = await service.samples()
    strictEqual(before.get('sqlapi_http_request_bytes_total'), 0)
    for (let i = 0; i < 5; i++) await call(service.port, '/pg/one')
    await call(service.port, '/PG/ONE', { method: 'HEAD' })
    await call(service.port, '/health')
    await call(service.port, '/secret-%F0%9F%98%80/path')
    await call(service.port, '/pg/one', { method: 'PROPFIND' })
    await call(service.port, '/pg/one', {
      method: 'OPTIONS',
      headers: { origin: 'x', 'access-control-request-method': 'GET' },
    })
    await call(service.port, '/pg/divide', { body: { x: 0 } })
    await call(service.port, '/pg/divide', { body: 'x'.repeat(2000) })
    await call(service.port, '/pg/divide', { body: '{}', headers: { 'content-encoding': 'gzip' } })
    const wire = await Wire.open(service.port)
    wire.write('BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n')
    strictEqual((await wire.answer()).status, 400)
    const other = await Wire.open(service.port)
    other.write('no request\r\n\r\n')
    strictEqual((await other.answer()).status, 400)
    const unknown = 'SqlapiRuntimeException'
    await untilValue(service, requests('/pg/one', 'GET', 200), 5)
    const samples = await service.samples()
    const wanted: [string, number][] = [
      [requests('/pg/one', 'HEAD', 200), 1],
      [requests('/health', 'GET', 200), 1],
      [requests('none', 'GET', 400, unknown), 1],
      [requests('none', 'other', 400, unknown), 2],
      [requests('none', 'OPTIONS', 204), 1],
      [requests('/pg/divide', 'POST', 400, 'BadSqlGrammarException'), 1],
      [requests('none', 'POST', 413, 'PayloadTooLargeException'), 1],
      [requests('/pg/divide', 'POST', 415, 'MalformedRequestException'), 1],
      [requests('none', 'other', 400, 'MalformedRequestException'), 1],
      ['sqlapi_http_request_duration_seconds_count{endpoint="/pg/one",method="GET"}', 5],
      ['sqlapi_http_requests_in_flight', 0],
    ]
    for (const [series, value] of wanted) strictEqual(samples.get(series), value, series)
    ok((samples.get('sqlapi_http_request_bytes_total') ?? 0) > 2000)
    ok((samples.get('sqlapi_http_response_bytes_total') ?? 0) > 1000)
    ok(![...samples.keys()].some((series) => series.includes('secret')), 'no path of a caller')
    await service.stop()
  })
}

test('what PostgreSQL does for calls is counted [O1.3]', async () => {
  const service = await start({
    datasources: [{ name: 'pg', url: postgres.url, max_connections: 1, acquire_timeout_seconds: 2 }],
  })
  for (let i = 0; i < 10; i++) await call(service.port, '/pg/many')
  await untilValue(service, 'sqlapi_rows_total{datasource="pg"}', 70)
  strictEqual((await call(service.port, '/pg/divide/batch', { body: { queries: [{ x: 1 }, { x: 0 }] } })).status, 400)
  strictEqual((await call(service.port, '/pg/divide/batch', { body: { queries: [{ x: 1 }, { x: 2 }] } })).status, 200)
  const gone = new AbortController()
  const sleeping = call(service.port, '/pg/sleep', { body: { s: 60 }, signal: gone.signal }).catch(() => undefined)
  await until(async () => {
    const found = await postgres.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)
    return found.length > 0
  }, 'the statement to run')
  const busy = await service.samples()
  strictEqual(busy.get('sqlapi_http_requests_in_flight'), 1)
  strictEqual(busy.get('sqlapi_connections{datasource="pg",state="alone"}'), 1)
  const late = call(service.port, '/pg/one')
  await untilValue(service, 'sqlapi_jobs_waiting{datasource="pg"}', 1)
  strictEqual((await late).status, 400)
  gone.abort()
  await sleeping
  await untilValue(service, requests('/pg/sleep', 'POST', 499), 1)
  const samples = await service.samples()
  const of = (name: string, more = ''): number => samples.get(`sqlapi_${name}{datasource="pg"${more}}`) ?? -1
  strictEqual(of('rollbacks_total'), 1)
  strictEqual(of('cancels_total'), 1)
  ok(of('rows_total') >= 73)
  // How many were shared depends on how fast the machine is; the first three never are.
  ok(of('calls_total', ',lane="alone"') >= 3)
  ok(of('calls_total', ',lane="shared"') + of('calls_total', ',lane="alone"') >= 13)
  ok(of('connection_wait_seconds_sum') >= 1, 'who waited in vain counts')
  ok(of('statement_duration_seconds_count') >= 13)
  await service.stop()
})

for (const pooler of ['none', 'transaction']) {
  test(`each failed marked file is a transaction that was rolled back, pooler: ${pooler} [T5]`, async () => {
    const service = await start({ datasources: [{ name: 'pg', url: postgres.url, pooler, max_connections: 2 }, lite] })
    await call(service.port, '/lite/setup', { body: {} })
    const send = async (name: string, x: number): Promise<number> =>
      (await call(service.port, `/${name}/marked`, { body: { x } })).status
    for (let round = 0; round < 4; round++) {
      // Alone at first, with others once the statement is known to be short.
      for (const x of [1, 0, 1]) strictEqual(await send('pg', x), x === 0 ? 400 : 200)
      await Promise.all([0, 1, 0, 0, 1].map((x) => send('pg', x)))
    }
    await untilValue(service, 'sqlapi_rollbacks_total{datasource="pg"}', 16)
    if (pooler === 'none') {
      await call(service.port, '/pg/open', { body: {} })
      await untilValue(service, 'sqlapi_rollbacks_total{datasource="pg"}', 17)
    }
    const ways = ['shared', 'alone'].map((lane) => `sqlapi_calls_total{datasource="pg",lane="${lane}"}`)
    const samples = await service.samples()
    ok(ways.reduce((sum, way) => sum + (samples.get(way) ?? 0), 0) >= 32)
    for (const status of [200, 400, 400]) strictEqual(await send('lite', 1), status)
    await untilValue(service, 'sqlapi_rollbacks_total{datasource="lite"}', 2)
    await service.stop()
  })
}

test('what SQLite does for calls is counted [O1.3]', async () => {
  const service = await start({ datasources: [lite] })
  strictEqual((await call(service.port, '/lite/setup', { body: {} })).status, 200)
  for (let i = 0; i < 4; i++) strictEqual((await call(service.port, '/lite/many?list=[1,2,3]')).status, 200)
  strictEqual((await call(service.port, '/lite/add/batch', { body: { queries: [{ x: 1 }, { x: 1 }] } })).status, 400)
  await untilValue(service, 'sqlapi_rows_total{datasource="lite"}', 12)
  const samples = await service.samples()
  strictEqual(samples.get('sqlapi_rollbacks_total{datasource="lite"}'), 1)
  const lanes = ['shared', 'alone'].map(
    (lane) => samples.get(`sqlapi_calls_total{datasource="lite",lane="${lane}"}`) ?? 0,
  )
  strictEqual((lanes[0] ?? 0) + (lanes[1] ?? 0), 6)
  await service.stop()
})

test('a streamed answer counts when it has ended, one whose client left as such [O1.3]', async () => {
  const service = await start()
  strictEqual((await call(service.port, '/pg/long')).status, 200)
  await untilValue(service, requests('/pg/long', 'GET', 200), 1)
  const wire = await Wire.open(service.port)
  wire.write('GET /pg/endless HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(() => wire.received.length > 0, 'the answer to begin')
  wire.socket.destroy()
  await untilValue(service, requests('/pg/endless', 'GET', 499), 1)
  await service.stop()
})

describe('several workers', () => {
  test('are one sum, which does not fall when one of them is killed [O1.3]', async () => {
    const service = await startWorkers()
    const series = requests('/pg/one', 'GET', 200)
    for (let i = 0; i < 20; i++) await call(service.port, '/pg/one')
    await untilValue(service, series, 20)
    const cpu = (await service.samples()).get('process_cpu_seconds_total') ?? 0
    strictEqual((await service.samples()).get('sqlapi_build_info{version="0.1.0"}'), 1)
    const [{ pid } = { pid: 0 }] = (await import('node:child_process'))
      .execFileSync('ps', ['-o', 'pid=', '--ppid', String(service.pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((line) => ({ pid: Number(line) }))
    process.kill(pid, 'SIGKILL')
    // Scraped without a pause, so also at the moment of its end.
    for (let i = 0; i < 20; i++) {
      const samples = await service.samples()
      strictEqual(samples.get(series), 20)
      ok((samples.get('process_cpu_seconds_total') ?? 0) >= cpu)
    }
    await service.line(/A worker has ended/)
    await until(
      async () => (await call(service.port, '/pg/one').catch(() => ({ status: 0 }))).status === 200,
      'an answer',
    )
    await untilValue(service, series, 21)
    await service.stop()
  })

  test('one that stands still keeps no scrape waiting [O1.3]', async () => {
    const service = await startWorkers()
    for (let i = 0; i < 6; i++) await call(service.port, '/health')
    await untilValue(service, requests('/health', 'GET', 200), 6)
    const { execFileSync } = await import('node:child_process')
    const [pid = 0] = execFileSync('ps', ['-o', 'pid=', '--ppid', String(service.pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
    process.kill(pid, 'SIGSTOP')
    try {
      strictEqual((await service.samples()).get(requests('/health', 'GET', 200)), 6)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await service.stop()
  })
})

describe('Prometheus', { skip: withoutPrometheus ?? false }, () => {
  test('reads the page, and promtool finds nothing in it [O1.4]', async () => {
    const service = await startWorkers()
    for (let i = 0; i < 5; i++) await call(service.port, '/pg/one')
    await call(service.port, '/nothing')
    deepStrictEqual(promtool(['check', 'metrics'], (await service.admin('/metrics')).text), { code: 0, said: '' })
    const prometheus = await startPrometheus('sqlapi', service.adminPort)
    try {
      await until(async () => (await prometheus.value('up{job="sqlapi"}')) === 1, 'a scrape')
      const sum = 'sum(sqlapi_http_requests_total{endpoint="/pg/one",status="200"})'
      await until(async () => (await prometheus.value(sum)) === 5, sum)
      const count = 'sqlapi_http_request_duration_seconds_count{endpoint="/pg/one"}'
      await until(async () => (await prometheus.value(count)) === 5, count)
    } finally {
      await prometheus.stop()
    }
    await service.stop()
  })
})
