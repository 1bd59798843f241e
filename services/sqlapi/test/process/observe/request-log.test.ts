/**
 * Which requests have a line in the log, what stands in it, and that answer, line and causes of a request have one id.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { call, freePort, linesOf, until, Wire } from '@services/testing'
import pg from 'pg'
import { dialectNames } from '../../../src/dialects.ts'
import { createDatabase } from '../../support/databases.ts'
import { startSqlapi } from '../../support/process.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../../support/service.ts'

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const files = {
  'demo/GET/one.sql': 'SELECT 1 AS one',
  'demo/GET/echo.sql': 'SELECT :x AS x',
  'demo/GET/many.sql': 'SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 3',
  'demo/POST/two.sql': 'SELECT 1 AS x; SELECT 2 AS x UNION ALL SELECT 3',
  'demo/POST/syntax.sql': 'SELEC :x',
  'demo/POST/add.sql': 'INSERT INTO t VALUES (:x)',
}
const schema = 'CREATE TABLE t (x integer PRIMARY KEY)'

type Line = Readonly<Record<string, unknown>>

async function withService(
  logging: Readonly<Record<string, unknown>>,
  run: (service: TestService, port: number) => Promise<void>,
  options: Partial<TestServiceOptions> = {},
): Promise<void> {
  const { config, ...others } = options
  const service = await startTestService({
    kind: 'sqlite',
    files,
    schema,
    config: { logging: { format: 'json', ...logging }, ...config },
    ...others,
  })
  try {
    await run(service, Number(new URL(service.url).port))
  } finally {
    await service.close()
  }
}

/** Lines about requests, without what all lines have. */
function requestsOf({ log }: Pick<TestService, 'log'>): Line[] {
  return eventsOf(log).filter(({ event }) => event === 'request' || event === 'requestFailed')
}

function eventsOf(log: readonly string[]): Line[] {
  return log.map((line) => JSON.parse(line) as Line)
}

/** A line is written once the answer is with the socket, which may be later than its client has read it. */
async function untilLines(service: TestService, count: number): Promise<Line[]> {
  await until(() => requestsOf(service).length >= count, `${count} lines`)
  return requestsOf(service)
}

/** What does not vary from run to run. */
function steady({ time, target, ms, waitedMs, bytes, requestId, ...line }: Line): Line {
  strictEqual(typeof time, 'string')
  strictEqual(target, 'sqlapi')
  ok(typeof ms === 'number' && ms >= 0, String(ms))
  if (line['datasource'] !== undefined && line['rows'] !== undefined) ok(typeof waitedMs === 'number' && waitedMs >= 0)
  // Rows, or the bytes of an answer without any.
  strictEqual(typeof bytes, line['rows'] === undefined && line['status'] !== 499 ? 'number' : 'undefined')
  strictEqual(typeof requestId, 'string')
  return line
}

const refused = { level: 'info', event: 'requestFailed', message: 'Request refused' }
const good = { level: 'info', event: 'request', message: 'Request' }

test('errors, the default: a line for each answer with an error, and none for others [O2.3] [S-config.logging.requests]', async () => {
  await withService({}, async (service, port) => {
    await service.get('/demo/one')
    await service.get('/health')
    await service.get('/demo/echo?secret=1')
    await service.get('/demo/none?x=secret')
    await service.post('/demo/syntax', { x: 'secret' })
    await service.post('/demo/add', 'x'.repeat(2_000_000))
    await service.get('/demo/one', { 'x-datasource': 'other' })
    const wire = await Wire.open(port)
    wire.write('no request secret\r\n\r\n')
    strictEqual((await wire.answer()).status, 400)
    const lines = await untilLines(service, 6)
    const missing = 'InvalidDataAccessApiUsageException'
    deepStrictEqual(lines.map(steady), [
      { ...refused, method: 'GET', path: '/demo/echo', status: 400, error: missing, datasource: 'demo' },
      { ...refused, method: 'GET', path: '/demo/none', status: 400, error: 'SqlapiRuntimeException' },
      { ...refused, method: 'POST', path: '/demo/syntax', status: 400, error: 'BadSqlGrammarException', datasource: 'demo', code: 'SQLite 1' }, // prettier-ignore
      { ...refused, method: 'POST', path: '/demo/add', status: 413, error: 'PayloadTooLargeException' },
      { ...refused, method: 'GET', path: '/demo/one', status: 400, error: 'UnknownDataSourceNameException' },
      { ...refused, method: 'unknown', status: 400, error: 'MalformedRequestException' },
    ])
    ok(!service.log.join('').includes('secret'))
  })
})

for (const kind of dialectNames) {
  test(`all, ${kind}: a line for each request with its rows, datasource and wait [O2.3]`, async () => {
    const batch = { queries: [{ x: 1 }, { x: 2 }, { x: 3 }] }
    await withService(
      { requests: 'all' },
      async (service) => {
        // The first runs of a statement go another way than later ones.
        for (let i = 0; i < 6; i++) await service.get('/demo/many')
        await service.send({ method: 'HEAD', path: '/demo/many' })
        await service.post('/demo/two', {})
        await service.post('/demo/two/batch', { queries: [{}, {}] })
        await service.post('/demo/add/batch', batch)
        await service.get('/health?x=1')
        await service.send({
          method: 'OPTIONS',
          path: '/demo/one',
          headers: { origin: 'x', 'access-control-request-method': 'GET' },
        })
        const lines = await untilLines(service, 12)
        const call = { ...good, status: 200, datasource: 'demo' }
        deepStrictEqual(lines.map(steady), [
          ...Array.from({ length: 6 }, () => ({ ...call, method: 'GET', path: '/demo/many', rows: 3 })),
          { ...call, method: 'HEAD', path: '/demo/many', rows: 3 },
          { ...call, method: 'POST', path: '/demo/two', rows: 3 },
          { ...call, method: 'POST', path: '/demo/two/batch', rows: 6 },
          { ...call, method: 'POST', path: '/demo/add/batch', rows: 0 },
          { ...good, method: 'GET', path: '/health', status: 200 },
          { ...good, method: 'OPTIONS', path: '/demo/one', status: 204 },
        ])
      },
      { kind },
    )
  })
}

test('slow: also requests that took slow_ms, whatever came of them [O2.3] [S-config.logging.slow_ms]', async () => {
  const sleep = { 'demo/GET/sleep.sql': 'SELECT 1 AS one FROM pg_sleep(0.1)' }
  const options = { kind: 'postgres', files: { ...files, ...sleep } } as const
  await withService({ requests: 'slow', slow_ms: 100 }, async (service) => {
    await service.get('/demo/sleep')
    const [line = {}] = await untilLines(service, 1)
    deepStrictEqual(steady(line), { ...good, method: 'GET', path: '/demo/sleep', status: 200, datasource: 'demo', rows: 1 }) // prettier-ignore
    ok(Number(line['ms']) >= 100)
  }, options) // prettier-ignore
  await withService({ requests: 'slow', slow_ms: 3_600_000 }, async (service) => {
    await service.get('/demo/sleep')
    await service.get('/demo/none')
    deepStrictEqual((await untilLines(service, 1)).map(({ path }) => path), ['/demo/none']) // prettier-ignore
  }, options) // prettier-ignore
})

test('off: no line about a request, but its cause, under the id of the answer [O2.3] [O2.4]', async () => {
  await withService({ requests: 'off' }, async (service) => {
    const { headers } = await service.post('/demo/syntax', { x: 1 })
    await service.get('/demo/one')
    deepStrictEqual(requestsOf(service), [])
    const [failed, ...others] = eventsOf(service.log).filter(({ event }) => event === 'statementFailed')
    deepStrictEqual([failed?.['requestId'], others], [headers['x-request-id'], []])
    match(String(headers['x-request-id']), uuid)
  })
})

describe('the id of a request', () => {
  test("is the caller's or a new one: in every answer, its line and the lines about its causes [O2.3] [O2.4] [S16]", async () => {
    await withService({ requests: 'all' }, async (service) => {
      const paths = ['/demo/one', '/demo/none', '/health', '/datasources', '/demo/echo?x=1', '/%', '/']
      for (const path of paths) {
        const given = await service.get(path, { 'x-request-id': `of-${paths.indexOf(path)}` })
        strictEqual(given.headers['x-request-id'], `of-${paths.indexOf(path)}`)
        match(String((await service.get(path)).headers['x-request-id']), uuid)
      }
      const { headers } = await service.post('/demo/syntax', { x: 1 }, { 'x-request-id': 'the.cause_1-2' })
      strictEqual(headers['x-request-id'], 'the.cause_1-2')
      const lines = await untilLines(service, 2 * paths.length + 1)
      strictEqual(new Set(lines.map(({ requestId }) => requestId)).size, lines.length)
      const ofCause = eventsOf(service.log).filter(({ requestId }) => requestId === 'the.cause_1-2')
      deepStrictEqual(ofCause.map(({ event }) => event), ['statementFailed', 'requestFailed']) // prettier-ignore
    })
  })

  test('what is no id is replaced, and reaches neither answer nor log [O2.3]', async () => {
    await withService({ requests: 'all' }, async (service) => {
      for (const sent of ['no id', 'a,b', 'x'.repeat(129), 'p\u00e4ring', '"quoted"', '../secret']) {
        match(String((await service.get('/demo/one', { 'x-request-id': sent })).headers['x-request-id']), uuid)
      }
      for (const { requestId } of await untilLines(service, 6)) match(String(requestId), uuid)
    })
  })

  test('is in the lines about statements and arrays too [O2.3]', async () => {
    await withService(
      { level: 'debug' },
      async (service) => {
        const { headers } = await service.post('/demo/list', { xs: [1, 'a'] })
        const lines = eventsOf(service.log).filter(({ event }) => event === 'statement' || event === 'arrayAsJson')
        deepStrictEqual(new Set(lines.map(({ event }) => event)), new Set(['statement', 'arrayAsJson']))
        for (const { requestId } of lines) strictEqual(requestId, headers['x-request-id'])
      },
      { kind: 'postgres', files: { 'demo/POST/list.sql': 'SELECT :xs AS xs' } },
    )
  })

  test('a stream has it, and its rows are counted; so is one that breaks off [O2.3]', async () => {
    const long = "SELECT repeat('x', 1000) AS x FROM generate_series(1, 3000) AS n"
    const broken = "SELECT repeat('x', 1000) AS x, 1 / (3000 - n) AS y FROM generate_series(1, 3000) AS n"
    await withService(
      { requests: 'all' },
      async (service) => {
        const answer = await service.get('/demo/long')
        const cut = await service.get('/demo/broken').catch(() => undefined)
        strictEqual(cut, undefined)
        const lines = await untilLines(service, 2)
        deepStrictEqual(lines.map(steady), [
          { ...good, method: 'GET', path: '/demo/long', status: 200, datasource: 'demo', rows: 3000 },
          { ...refused, method: 'GET', path: '/demo/broken', status: 200, error: 'BrokenOff', datasource: 'demo', rows: 2999 }, // prettier-ignore
        ])
        strictEqual(lines[0]?.['requestId'], answer.headers['x-request-id'])
        const why = eventsOf(service.log).find(({ event }) => event === 'answerBrokenOff')
        strictEqual(why?.['requestId'], lines[1]?.['requestId'])
      },
      { kind: 'postgres', files: { 'demo/GET/long.sql': long, 'demo/GET/broken.sql': broken } },
    )
  })

  test('with workers each writes the lines of its requests [O2.3]', async () => {
    const service = await startSqlapi({
      files: { 'lite/GET/one.sql': 'SELECT 1 AS one' },
      config: {
        server: { workers: 2 },
        logging: { format: 'json', requests: 'all' },
        datasources: [{ name: 'lite', url: 'sqlite:lite.db' }],
      },
    })
    const ids: unknown[] = []
    for (let i = 0; i < 6; i++) ids.push((await call(service.port, '/lite/one')).headers['x-request-id'])
    const { stdout } = await service.stop()
    const logged = eventsOf(linesOf(stdout)).filter(({ event }) => event === 'request')
    deepStrictEqual(new Set(logged.map(({ requestId }) => requestId)), new Set(ids))
    strictEqual(new Set(ids).size, 6)
  })
})

test('a client that leaves is 499, and a line tells how long its request has waited [O2.3]', async () => {
  const database = await createDatabase('postgres')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('CREATE TABLE held (x int)')
  // On a connection of its own: inside a transaction it never shows who has begun to wait.
  await database.execute('BEGIN; LOCK TABLE held IN ACCESS EXCLUSIVE MODE')
  await withService(
    {},
    async (service, port) => {
      const holder = await Wire.open(port)
      holder.write('GET /demo/held HTTP/1.1\r\nHost: x\r\nX-Request-Id: holder\r\n\r\n')
      const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
      await until(async () => (await client.query(waiting)).rowCount === 1, 'the one that holds the connection')
      strictEqual((await service.get('/demo/one', { 'x-request-id': 'waiter' })).status, 400)
      holder.socket.resetAndDestroy()
      const lines = await untilLines(service, 2)
      const [waited, left] = ['waiter', 'holder'].map((id) => lines.find(({ requestId }) => requestId === id))
      deepStrictEqual([left?.['status'], left?.['error']], [499, undefined])
      deepStrictEqual([waited?.['status'], waited?.['error'], waited?.['waitedMs']], [400, 'BadSqlGrammarException', 1000]) // prettier-ignore
      await database.execute('ROLLBACK')
    },
    {
      kind: 'postgres',
      files: { ...files, 'demo/GET/held.sql': 'SELECT x FROM held' },
      datasource: { url: database.url, acquire_timeout_seconds: 1, max_connections: 1 },
    },
  )
  await client.end()
  await database.remove()
})

test('a line tells how long its request has waited for a database that cannot be opened [O2.3]', async () => {
  const database = await createDatabase('postgres')
  const url = database.url.replace(/:\d+(?=\/[^/]*$)/, `:${await freePort()}`)
  await withService(
    {},
    async (service) => {
      strictEqual((await service.get('/demo/one')).status, 400)
      const [line] = await untilLines(service, 1)
      strictEqual(line?.['error'], 'BadSqlGrammarException')
      strictEqual(typeof line?.['waitedMs'], 'number')
    },
    { kind: 'postgres', datasource: { url } },
  )
  await database.remove()
})
