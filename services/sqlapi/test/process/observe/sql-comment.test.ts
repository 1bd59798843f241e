/**
 * The place of a request in its trace, as a comment behind its statements: what a real PostgreSQL sees of it, and what
 * stays as it was.
 */
import { deepStrictEqual, match, notDeepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { call, newFolder, until } from '@services/testing'
import { startPgbouncer, withoutPgbouncer } from '@services/testing/pgbouncer'
import { type ThrowawayPostgres, startThrowawayPostgres } from '@services/testing/postgres'
import { loadSdk, readSpans, spanKinds } from '@services/trace/testing'
import { configure, type Served, startInside } from '../../support/inside.ts'
import { startSqlapi } from '../../support/process.ts'

const sampled = traceparent(1)
const unsampled = sampled.replace(/01$/, '00')

/** Of a trace of its own for each number. */
function traceparent(number: number): string {
  return `00-${number.toString(16).padStart(32, '4')}-00f067aa0ba902b7-01`
}

function commented(text: string, trace = sampled): string {
  return `${text}\n/*traceparent='${trace}'*/`
}

const one = 'SELECT current_query() AS q, CAST(:x AS int) AS x'
const sentOne = one.replace(':x', '$1')
const activity = 'SELECT query AS q FROM pg_stat_activity WHERE pid = pg_backend_pid()'
const kept = `SELECT count(*) AS n FROM pg_prepared_statements WHERE name LIKE 'sqlapi%'`
const files = {
  'pg/POST/one.sql': one,
  'pg/POST/activity.sql': `${activity};`,
  'pg/POST/line.sql': 'SELECT current_query() AS q -- the end',
  'pg/POST/block.sql': 'SELECT current_query() AS q /* the end */',
  'pg/POST/string.sql': "SELECT current_query() AS q, '*/ -- /*' AS x",
  'pg/POST/both.sql': `INSERT INTO seen VALUES (current_query()) -- ; first\n;\nSELECT array_agg(q) AS all, current_query() AS q FROM seen /* last */`,
  'pg/POST/whole.sql': `-- @transactional\nDELETE FROM seen; INSERT INTO seen VALUES (current_query()); SELECT q FROM seen`,
  'pg/POST/session.sql': `SELECT set_config('app.x', current_query(), false) AS q`,
  'pg/POST/add.sql': 'INSERT INTO seen VALUES (current_query())',
  'pg/POST/two.sql': 'INSERT INTO seen VALUES (current_query()); UPDATE counted SET n = n + :x',
  'pg/POST/seen.sql': 'SELECT q, count(*) AS n FROM seen GROUP BY q ORDER BY q',
  'pg/POST/clear.sql': 'DELETE FROM seen',
  'pg/POST/kept.sql': kept,
  'pg/POST/divide.sql': '-- @summary x\nSELECT 1 /\n CAST(:x AS int) AS y',
  'pg/POST/divided.sql': '-- @transactional\nUPDATE counted SET n = n;\nSELECT 1 / CAST(:x AS int) AS y',
  'pg/POST/unfinished.sql': "SELECT :x AS x,\n 'ä' AS y +",
  'pg/POST/column.sql': 'SELECT id,\n gone, :x::int AS x\nFROM changing',
  'pg/POST/all.sql': 'SELECT * FROM widening',
  'lite/POST/one.sql': 'SELECT :x AS x -- the end',
}
const schema = [
  'CREATE TABLE seen (q text)',
  'CREATE TABLE counted (n int)',
  'CREATE TABLE changing (id int, gone int)',
  'CREATE TABLE widening (a int)',
  // As any volatile function of the server it would have the session reset, and its statements share no connection and
  // no flight.
  'ALTER FUNCTION pg_catalog.current_query() STABLE',
]

let postgres: ThrowawayPostgres
const running: Served[] = []
before(async () => {
  postgres = await startThrowawayPostgres()
  for (const text of schema) await postgres.query(text)
})
after(async () => {
  for (const service of running) await service.stop()
  await postgres.remove()
})

interface Options {
  readonly trace?: object
  readonly datasource?: object
  readonly env?: Readonly<Record<string, string>>
  readonly folder?: string
}

/** On a single connection, so that calls share it. */
async function start({
  trace = { enabled: true, sql_comment: true },
  datasource,
  env = {},
  folder,
}: Options = {}): Promise<Served> {
  const config = {
    datasources: [
      { name: 'pg', url: postgres.url, max_connections: 1, ...datasource },
      { name: 'lite', url: 'sqlite:lite.db' },
    ],
    logging: { format: 'json', level: 'debug,sqlx=debug' },
    trace,
  }
  // Only an SDK needs a process, into which Node.js loads it first.
  const service = await (folder === undefined
    ? startInside({ files, config })
    : startSqlapi({ files, config, env, folder }))
  running.push(service)
  return service
}

async function text(service: Served, path: string, body: unknown = {}, trace?: string, status = 200): Promise<string> {
  const reply = await call(service.port, `/pg/${path}`, {
    body,
    headers: trace === undefined ? {} : { traceparent: trace },
  })
  strictEqual(reply.status, status, `${path}: ${reply.text}`)
  return reply.text
}

type Row = Readonly<Record<string, unknown>>

async function rows(service: Served, path: string, body?: unknown, trace?: string): Promise<Row[]> {
  return JSON.parse(await text(service, path, body, trace)) as Row[]
}

async function seen(service: Served, path: string, trace?: string, body?: unknown): Promise<unknown> {
  return (await rows(service, path, body, trace))[0]?.['q']
}

function linesOf(service: Served, event: string): Row[] {
  const lines = service
    .stdout()
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`))
  return lines.map((line) => JSON.parse(line) as Row)
}

describe('statements of sampled requests carry their place in the trace', () => {
  let service: Served
  before(async () => {
    service = await start()
  })

  test('and no others, on a connection of their own and on a shared one [O2.1]', async () => {
    // With its plan known and proved short, a statement shares connections.
    for (let i = 0; i < 10; i++) {
      deepStrictEqual(await rows(service, 'one', { x: i }, sampled), [{ q: commented(sentOne), x: i }])
      deepStrictEqual(await rows(service, 'one', { x: i }, unsampled), [{ q: sentOne, x: i }])
      deepStrictEqual(await rows(service, 'one', { x: i }), [{ q: sentOne, x: i }])
      strictEqual(await seen(service, 'activity', sampled), commented(activity))
      strictEqual(await seen(service, 'activity', unsampled), activity)
    }
  })

  test('each its own, where many share a connection [O2.1]', async () => {
    const calls = Array.from({ length: 300 }, async (_, x) => {
      const own = x % 3 === 0 ? undefined : traceparent(x)
      const wanted = own === undefined ? sentOne : commented(sentOne, own)
      deepStrictEqual(await rows(service, 'one', { x }, own), [{ q: wanted, x }])
    })
    await Promise.all(calls)
  })

  test('whatever the file ends in [O2.1]', async () => {
    for (const name of ['line', 'block', 'string', 'session'] as const) {
      const file = files[`pg/POST/${name}.sql`]
      const q = String(await seen(service, name, sampled))
      ok(q.endsWith(commented('')), q)
      ok(q.startsWith(file.slice(0, 20)), q)
    }
  })

  test('of a file all, in a transaction too [O2.1]', async () => {
    await text(service, 'clear')
    const [both] = await rows(service, 'both', {}, sampled)
    match(String(both?.['q']), /FROM seen[^]*\n\/\*traceparent='[^']+'\*\/$/)
    const [first = ''] = (both?.['all'] ?? []) as string[]
    match(first, /^INSERT INTO seen VALUES \(current_query\(\)\)[^]*\n\/\*traceparent='[^']+'\*\/$/)
    strictEqual(await seen(service, 'whole', sampled), commented('INSERT INTO seen VALUES (current_query())'))
    strictEqual(await seen(service, 'whole', unsampled), 'INSERT INTO seen VALUES (current_query())')
  })

  test('of a batch all, and sets of no trace that follow have none [O2.1]', async () => {
    const insert = 'INSERT INTO seen VALUES (current_query())'
    const queries = Array.from({ length: 2500 }, () => ({ x: 1 }))
    for (const path of ['add', 'two']) {
      await text(service, 'clear')
      const plain = await text(service, `${path}/batch`, { queries })
      deepStrictEqual(await rows(service, 'seen'), [{ q: insert, n: 2500 }])
      for (let round = 0; round < 2; round++) {
        await text(service, 'clear')
        strictEqual(await text(service, `${path}/batch`, { queries }, sampled), plain)
        deepStrictEqual(await rows(service, 'seen'), [{ q: commented(insert), n: 2500 }])
      }
    }
  })

  test('with the ids of the header and nothing else of it [O2.1]', async () => {
    for (const forged of [`${sampled}'*/; DROP TABLE seen; --`, `${sampled}'`, sampled.toUpperCase(), `${sampled}-x`]) {
      deepStrictEqual(await rows(service, 'one', { x: 1 }, forged), [{ q: sentOne, x: 1 }])
    }
    const later = `${sampled.replace('00-', '01-')}-'*/ DROP`
    deepStrictEqual(await rows(service, 'one', { x: 1 }, later), [{ q: commented(sentOne), x: 1 }])
  })

  test('and the log has statements as they are in the files [O2.1]', async () => {
    await text(service, 'one', { x: 77 }, sampled)
    await text(service, 'add/batch', { queries: [{}, {}] }, sampled)
    const isMine = ({ parameters }: Row): boolean => parameters === '["77"]'
    await until(() => linesOf(service, 'statement').some(isMine), 'its line')
    strictEqual(linesOf(service, 'statement').find(isMine)?.['sql'], sentOne)
    ok(linesOf(service, 'statement').every(({ sql }) => !String(sql).includes('traceparent')))
  })

  test('and on SQLite nothing changes [O2.1]', async () => {
    const { text: answer } = await call(service.port, '/lite/one', {
      body: { x: 1 },
      headers: { traceparent: sampled },
    })
    strictEqual(answer, '[{"x":1}]')
  })
})

test('they are not prepared: neither the server nor the service keeps any [O2.1]', async () => {
  const service = await start()
  for (let i = 1; i < 20; i++) {
    await text(service, 'one', { x: i }, traceparent(i))
    await text(service, 'both', {}, traceparent(i))
    await text(service, 'add/batch', { queries: [{}, {}, {}] }, traceparent(i))
    deepStrictEqual(await rows(service, 'kept', {}, traceparent(i)), [{ n: 0 }])
  }
  // What is not sampled still is, once.
  for (let i = 1; i < 5; i++) await text(service, 'one', { x: i }, unsampled)
  deepStrictEqual(await rows(service, 'kept', {}, sampled), [{ n: 1 }])
})

test('a failure is told as without a comment, with the place in the file [O2.1]', async () => {
  const service = await start()
  const failing = [
    ['divide', { x: 0 }],
    ['divided', { x: 0 }],
    ['unfinished', { x: 'a' }],
    ['divide/batch', { queries: [{ x: 1 }, { x: 2 }, { x: 0 }, { x: 3 }] }],
    ['column', { x: 1 }],
    ['column/batch', { queries: [{ x: 1 }, { x: 2 }] }],
  ] as const
  // Known, and prepared, before the column goes.
  for (const trace of [sampled, unsampled]) {
    for (let i = 0; i < 5; i++) await text(service, 'column', { x: 1 }, trace)
    await text(service, 'column/batch', { queries: [{ x: 1 }, { x: 2 }] }, trace)
  }
  await postgres.query('ALTER TABLE changing DROP COLUMN gone')
  for (const [path, body] of failing) {
    const told: unknown[] = []
    for (const trace of [sampled, unsampled, sampled]) {
      const known = linesOf(service, 'statementFailed').length
      const answer = await text(service, path, body, trace, 400)
      ok(!answer.includes('traceparent'), answer)
      await until(() => linesOf(service, 'statementFailed').length > known, 'the cause')
      const { file, line, column, set, code, text: said } = linesOf(service, 'statementFailed').at(-1) as Row
      told.push({ answer, file, line, column, set, code, said })
    }
    deepStrictEqual(told[0], told[1], path)
    deepStrictEqual(told[2], told[1], path)
  }
  const { line, column } = linesOf(service, 'statementFailed').at(-1) as Row
  deepStrictEqual([line, column], [2, 2])
})

test('what a table has become meanwhile is seen [O2.1]', async () => {
  const service = await start()
  await postgres.query('INSERT INTO widening VALUES (1)')
  const batch = { queries: [{}, {}] }
  for (const [index, wanted] of ['[{"a":1}]', '[{"a":1,"b":"2"}]'].entries()) {
    if (index === 1) await postgres.query(`ALTER TABLE widening ADD COLUMN b text DEFAULT '2'`)
    for (let i = 0; i < 4; i++) {
      for (const trace of [sampled, unsampled]) {
        strictEqual(await text(service, 'all/batch', batch, trace), `[${wanted},${wanted}]`)
        strictEqual(await text(service, 'all', {}, trace), wanted)
      }
    }
  }
})

describe('the field decides', () => {
  test('without it no statement has a comment, and all are prepared [O2.1]', async () => {
    for (const trace of [{ enabled: true }, {}, { sql_comment: true }]) {
      const service = await start({ trace })
      for (let i = 0; i < 6; i++) deepStrictEqual(await rows(service, 'one', { x: i }, sampled), [{ q: sentOne, x: i }])
      notDeepStrictEqual(await rows(service, 'kept'), [{ n: 0 }])
    }
  })

  test('a reload puts it on and takes it away [O2.1]', async () => {
    const service = await start({ trace: { enabled: true } })
    strictEqual(await seen(service, 'one', sampled, { x: 1 }), sentOne)
    const write = (isOn: boolean): void => {
      const datasources = [
        { name: 'pg', url: postgres.url, max_connections: 1 },
        { name: 'lite', url: 'sqlite:lite.db' },
      ]
      const trace = { enabled: true, sql_comment: isOn }
      configure(service, { datasources, trace })
      service.hangUp()
    }
    write(true)
    await until(async () => (await seen(service, 'one', sampled, { x: 1 })) === commented(sentOne), 'the comment')
    write(false)
    await until(async () => (await seen(service, 'one', sampled, { x: 1 })) === sentOne, 'none')
  })
})

test('with an SDK it names the span of the statement, or of the batch [O2.1]', async () => {
  const folder = newFolder()
  const env = { SPANS_FILE: join(folder, 'spans'), NODE_OPTIONS: loadSdk }
  const service = await start({ trace: { sql_comment: true }, env, folder })
  const found: string[] = []
  // Some alone, some on a shared connection; without a caller's trace the SDK samples.
  for (let x = 0; x < 8; x++) found.push(String(await seen(service, 'one', x % 2 === 0 ? sampled : undefined, { x })))
  await text(service, 'clear', {}, unsampled)
  await text(service, 'add/batch', { queries: [{}, {}, {}] }, sampled)
  const [batch, ...others] = await rows(service, 'seen', {}, unsampled)
  deepStrictEqual([batch?.['n'], others], [3, []])
  found.push(String(batch?.['q']))
  strictEqual(await seen(service, 'one', unsampled, { x: 1 }), sentOne)
  await service.stop()
  const spans = readSpans(join(folder, 'spans')).filter(({ kind }) => kind === spanKinds.client)
  const named = found.map((q) => {
    const [, trace, id] = /\n\/\*traceparent='00-([0-9a-f]{32})-([0-9a-f]{16})-0[13]'\*\/$/.exec(q) ?? []
    return spans.find(({ spanId, traceId }) => spanId === id && traceId === trace)?.name.split(' ')[0]
  })
  deepStrictEqual(named, [...Array<string>(8).fill('SELECT'), 'BATCH'])
})

test(
  'behind a pooler that gives each transaction another connection [O2.1]',
  { skip: withoutPgbouncer ?? false },
  async (t) => {
    const pooler = await startPgbouncer(postgres.url, { pool_mode: 'transaction', default_pool_size: '2' })
    t.after(() => pooler.stop())
    const datasource = { url: pooler.through(postgres.url), pooler: 'transaction', max_connections: 2 }
    const service = await start({ datasource })
    // One statement, with comments and without, in one flight.
    for (let round = 0; round < 5; round++) {
      const calls = Array.from({ length: 60 }, async (_, x) => {
        const own = x % 3 === 0 ? undefined : traceparent(x % 4)
        const wanted = own === undefined ? sentOne : commented(sentOne, own)
        deepStrictEqual(await rows(service, 'one', { x }, own), [{ q: wanted, x }])
      })
      await Promise.all(calls)
    }
    await text(service, 'clear')
    await text(service, 'add/batch', { queries: [{}, {}, {}] }, sampled)
    deepStrictEqual(await rows(service, 'seen'), [{ q: commented('INSERT INTO seen VALUES (current_query())'), n: 3 }])
    strictEqual(await seen(service, 'whole', sampled), commented('INSERT INTO seen VALUES (current_query())'))
  },
)
