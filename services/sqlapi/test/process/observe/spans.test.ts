/** Spans of a started process with a real SDK of OpenTelemetry, on both databases and over several processes. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { call, newFolder } from '@services/testing'
import { type ThrowawayPostgres, startThrowawayPostgres } from '@services/testing/postgres'
import { loadSdk, partsOf, readSpans, refuseSdk, spanKinds, type WrittenSpan } from '@services/trace/testing'
import { startSqlapi } from '../../support/process.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const sampled = `00-${traceId}-${parentId}-01`
const unsampled = `00-${'a'.repeat(32)}-${parentId}-00`
const secret = '38001085718'
const waiting = 'wait for a connection'

const files = {
  'pg/POST/one.sql': '-- @summary one\nSELECT CAST(:code AS text) AS code',
  'pg/POST/two.sql': 'SET LOCAL search_path = public;\nSELECT CAST(:code AS text) AS code -- the end',
  'pg/POST/divide.sql': 'SELECT 1 / (CAST(:code AS bigint) - CAST(:code AS bigint)) AS x',
  'lite/POST/setup.sql': 'CREATE TABLE t (code TEXT UNIQUE)',
  'lite/POST/add.sql': 'INSERT INTO t VALUES (:code)',
  'lite/POST/both.sql': 'INSERT INTO t VALUES (:code);\nSELECT count(*) AS n FROM t',
  'lite/POST/large.sql': 'SELECT :code AS code',
  'down/POST/one.sql': 'SELECT :code',
}

let postgres: ThrowawayPostgres
before(async () => {
  postgres = await startThrowawayPostgres()
})
after(async () => postgres.remove())

function configFor(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    datasources: [
      { name: 'pg', url: postgres.url },
      { name: 'lite', url: 'sqlite:lite.db' },
      { name: 'down', url: 'postgres://nobody@127.0.0.1:1/gone', acquire_timeout_seconds: 1 },
    ],
    ...more,
  }
}

function environment(folder: string, options = loadSdk): Record<string, string> {
  return { SPANS_FILE: join(folder, 'spans'), NODE_OPTIONS: options }
}

describe('spans of both databases', () => {
  let spans: readonly WrittenSpan[] = []
  let log = ''

  before(async () => {
    const folder = newFolder()
    const service = await startSqlapi({
      files,
      config: configFor({ logging: { requests: 'all' } }),
      env: environment(folder),
      folder,
    })
    const post = async (path: string, body: unknown, status: number, headers = {}): Promise<void> => {
      strictEqual((await call(service.port, path, { body, headers })).status, status, path)
    }
    const code = { code: secret }
    await post(`/PG/one?q=${secret}`, code, 200, { traceparent: sampled, tracestate: 'a=1' })
    await post('/pg/one', code, 200, { traceparent: unsampled })
    // Once its plan is known and it has proved short it shares a connection, which is another way.
    for (let i = 0; i < 8; i++) await post('/pg/one', code, 200, { traceparent: `00-${'b'.repeat(32)}-${parentId}-01` })
    await post('/pg/two', code, 200)
    await post('/pg/divide', code, 400)
    await post('/pg/one/batch', { queries: [code, code, code] }, 200)
    await post('/pg/divide/batch', { queries: [code, code] }, 400)
    await post('/lite/setup', {}, 200)
    await post('/lite/add', code, 200)
    await post('/lite/add', code, 400)
    await post('/lite/add/batch', { queries: [{ code: '1' }, { code: '2' }] }, 200)
    await post('/lite/both', { code: '3' }, 200)
    await post('/down/one', code, 400)
    await post('/pg/nothing', code, 400)
    const large = 'x'.repeat(70_000)
    await post('/lite/large', { large, code: '4' }, 200)
    await post('/lite/large', { large }, 400)
    await post('/lite/large', `{"large": "${large}`, 400)
    strictEqual((await call(service.port, '/health')).status, 200)
    strictEqual((await service.stop()).code, 0)
    log = service.stdout()
    spans = readSpans(join(folder, 'spans'))
  })

  /** The spans of the only request of its kind. */
  function of(route: string, size = 1): WrittenSpan[] {
    const found = spans.filter(({ name, traceId: id }) => name === `POST ${route}` && id !== 'b'.repeat(32))
    ok(found.length >= size, JSON.stringify(spans.map(({ name }) => name)))
    return found
  }

  function parts(server: WrittenSpan | undefined): WrittenSpan[] {
    return partsOf(spans, server as WrittenSpan)
  }

  function statementsOf(server: WrittenSpan | undefined): WrittenSpan[] {
    return parts(server).filter(({ kind }) => kind === spanKinds.client)
  }

  test('a request is a server span below that of its caller, with the names of the conventions [O2.2]', () => {
    const [span] = of('/pg/one')
    deepStrictEqual([span?.traceId, span?.parentId, span?.kind, span?.status], [traceId, parentId, spanKinds.server, 0])
    deepStrictEqual(span?.attributes, {
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'http.route': '/pg/one',
      'url.path': '/pg/one',
      'http.response.status_code': 200,
    })
    strictEqual(span?.scope, 'sqlapi')
  })

  test('it waits for a connection, and has a statement with the text of the file [O2.2]', () => {
    const [wait, statement, ...others] = parts(of('/pg/one')[0])
    deepStrictEqual(others, [])
    strictEqual(wait?.name, waiting)
    const { port, pathname } = new URL(postgres.url)
    const database = pathname.slice(1)
    deepStrictEqual([statement?.name, statement?.kind, statement?.status], [`SELECT ${database}`, spanKinds.client, 0])
    deepStrictEqual(statement?.attributes, {
      'db.system.name': 'postgresql',
      'db.namespace': database,
      'server.address': new URL(postgres.url).hostname,
      'server.port': Number(port),
      'sqlapi.datasource': 'pg',
      'db.operation.name': 'SELECT',
      'db.query.text': 'SELECT CAST(:code AS text) AS code',
      'code.file.path': 'pg/POST/one.sql',
      'code.line.number': 2,
    })
  })

  test('so it is on a connection that is shared [O2.2]', () => {
    const shared = spans.filter(({ name, traceId: id }) => name === 'POST /pg/one' && id === 'b'.repeat(32))
    strictEqual(shared.length, 8)
    for (const server of shared) {
      deepStrictEqual(
        parts(server)
          .map(({ kind }) => kind)
          .sort((a, b) => a - b),
        [spanKinds.internal, spanKinds.client],
      )
    }
  })

  test('each statement of a file has a span on PostgreSQL, with its line [O2.2]', () => {
    deepStrictEqual(
      statementsOf(of('/pg/two')[0]).map(({ attributes }) => [
        attributes['db.operation.name'],
        attributes['code.line.number'],
      ]),
      [
        ['SET', 1],
        ['SELECT', 2],
      ],
    )
  })

  test('a statement that fails has the code of the database, its request the name of the error [O2.2]', () => {
    const [server] = of('/pg/divide')
    deepStrictEqual([server?.status, server?.attributes['error.type']], [0, 'BadSqlGrammarException'])
    const [statement] = statementsOf(server)
    deepStrictEqual(
      [statement?.status, statement?.attributes['error.type'], statement?.attributes['db.response.status_code']],
      [2, '22012', '22012'],
    )
    const [insert] = statementsOf(of('/lite/add', 2)[1])
    deepStrictEqual([insert?.status, typeof insert?.attributes['db.response.status_code']], [2, 'string'])
  })

  test('a batch is one span with its size [O2.2]', () => {
    const batches = spans.filter(({ attributes }) => 'db.operation.batch.size' in attributes)
    deepStrictEqual(
      batches.map(({ attributes, status }) => [
        attributes['sqlapi.datasource'],
        attributes['db.operation.name'],
        attributes['db.operation.batch.size'],
        status,
      ]),
      [
        ['pg', 'BATCH SELECT', 3, 0],
        ['pg', 'BATCH SELECT', 2, 2],
        ['lite', 'BATCH INSERT', 2, 0],
        ['lite', 'BATCH', 2, 0],
      ],
    )
  })

  test('a large body has a span for its reading, which a small one has not [O2.2]', () => {
    const readings = of('/lite/large', 3).map((server) => parts(server).find(({ name }) => name === 'parse'))
    deepStrictEqual(readings.map((span) => [span?.kind, span?.attributes['error.type']]), [[spanKinds.internal, undefined], [spanKinds.internal, 'InvalidDataAccessApiUsageException'], [spanKinds.internal, 'MalformedRequestException']]) // prettier-ignore
    for (const span of readings) ok((span?.attributes['http.request.body.size'] as number) > 70_000)
    strictEqual(spans.filter(({ name }) => name === 'parse').length, 3)
  })

  test('SQLite has the same, without a server [O2.2]', () => {
    const [statement] = statementsOf(of('/lite/add')[0])
    strictEqual(parts(of('/lite/add')[0]).filter(({ name }) => name === waiting).length, 1)
    deepStrictEqual([statement?.name, statement?.kind], ['INSERT', spanKinds.client])
    deepStrictEqual(statement?.attributes, {
      'db.system.name': 'sqlite',
      'sqlapi.datasource': 'lite',
      'db.operation.name': 'INSERT',
      'db.query.text': 'INSERT INTO t VALUES (:code)',
      'code.file.path': 'lite/POST/add.sql',
      'code.line.number': 1,
    })
  })

  test('a wait in vain has failed, and there is no statement [O2.2]', () => {
    const [wait, ...others] = parts(of('/down/one')[0])
    deepStrictEqual(others, [])
    deepStrictEqual([wait?.name, wait?.status], [waiting, 2])
  })

  test('what reaches no file has no route, a page has its path [O2.2]', () => {
    const lost = spans.find(({ attributes }) => attributes['url.path'] === '/pg/nothing')
    deepStrictEqual([lost?.name, lost?.attributes['error.type']], ['POST', 'SqlapiRuntimeException'])
    ok(spans.some(({ name }) => name === 'GET /health'))
  })

  test('the decision of the caller not to record is respected [O2.2]', () => {
    ok(!spans.some((span) => span.traceId === 'a'.repeat(32)))
    match(log, new RegExp(`traceparent=00-a{32}-(?!${parentId})[0-9a-f]{16}-00`))
  })

  test('no span has a value of a caller, an exception or a text of an error [O2.2]', () => {
    doesNotMatch(JSON.stringify(spans), new RegExp(`${secret}|division by zero`))
    for (const { events, message } of spans) deepStrictEqual([events, message], [0, undefined])
  })

  test('lines of the log name the server span, without any configuration [O2.1]', () => {
    ok(log.includes(`traceparent=00-${traceId}-${of('/pg/one')[0]?.spanId}-01`), log)
  })
})

test('an SDK reaches the workers, which have all exported at the end, and no thread of SQLite [O2.2]', async () => {
  const folder = newFolder()
  const service = await startSqlapi({
    files,
    config: configFor({ server: { workers: 2 } }),
    env: { SPANS_FILE: join(folder, 'spans') },
    flags: loadSdk.split('='),
    folder,
  })
  // Connections are given to the workers in turn.
  for (let i = 0; i < 4; i++) strictEqual((await call(service.port, '/pg/one', { body: { code: '1' } })).status, 200)
  strictEqual((await call(service.port, '/lite/setup', { body: {} })).status, 200)
  strictEqual((await service.stop()).code, 0)
  const spans = readSpans(join(folder, 'spans'))
  const servers = spans.filter(({ kind }) => kind === spanKinds.server)
  strictEqual(servers.length, 5)
  const pids = new Set(servers.map(({ pid }) => pid))
  ok(pids.size > 1 && !pids.has(service.pid), [...pids].join())
  for (const server of servers) strictEqual(partsOf(spans, server).length, 2)
})

test('without an SDK nothing of OpenTelemetry is loaded [O2.2]', async () => {
  const folder = newFolder()
  const config = configFor({ trace: { enabled: true } })
  const service = await startSqlapi({ files, config, env: environment(folder, refuseSdk) })
  for (const path of ['/pg/one', '/lite/setup']) {
    strictEqual(
      (await call(service.port, path, { body: { code: '1' }, headers: { traceparent: sampled } })).status,
      200,
    )
  }
  strictEqual((await service.stop()).code, 0)
  strictEqual(service.stderr(), '')
})
