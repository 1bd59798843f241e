/**
 * The service behind a real pgbouncer in transaction mode: what calls get, what they leave to others, and what is
 * refused.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { call, until } from '@services/testing'
import { type Pgbouncer, startPgbouncer, withoutPgbouncer } from '@services/testing/pgbouncer'
import { startThrowawayPostgres, type ThrowawayPostgres } from '@services/testing/postgres'
import pg from 'pg'
import { startTestService, type TestService } from '../../support/service.ts'

const looks = `SELECT current_setting('TimeZone') AS zone, current_setting('DateStyle') AS dates, current_setting('search_path') AS path,
  current_setting('statement_timeout') AS timeout, current_setting('application_name') AS name, current_setting('client_encoding') AS encoding,
  ('2026-07-01 12:00:00'::text)::timestamptz AS at`

const files = {
  'demo/GET/look.sql': looks,
  'demo/POST/marked.sql': `-- @transactional\nDELETE FROM note WHERE false; ${looks}`,
  'demo/POST/batch.sql': looks,
  'demo/GET/limited.sql': `-- @timeout 1s\nSELECT pg_sleep(600)`,
  'demo/GET/tenant.sql': `-- @param tenant string\n-- @transactional\nSELECT set_config('app.tenant', :tenant, true);\nSELECT count(*) AS n, min(tenant) AS tenant, max(tenant) AS last, current_setting('app.tenant') AS own FROM owned`,
  'demo/POST/inserted.sql': `-- @transactional\nSET LOCAL lock_timeout = '7s'; INSERT INTO owned VALUES (:tenant); SELECT current_setting('lock_timeout') AS t`,
  'demo/GET/nobody.sql': `SELECT count(*) AS n, coalesce(current_setting('app.tenant', true), '') AS own, current_setting('lock_timeout') AS t FROM owned`,
  'demo/POST/dropped.sql': `-- @transactional\nCREATE TEMP TABLE x ON COMMIT DROP AS SELECT 1 AS a; SELECT a FROM x`,
  'demo/POST/lock.sql': `-- @transactional\nSELECT pg_advisory_xact_lock(1); SELECT 1 AS one`,
  'demo/POST/fails.sql': `-- @transactional\nINSERT INTO note VALUES (:id); SELECT 1 / 0`,
  'demo/POST/plain.sql': `INSERT INTO note VALUES (:id); SELECT 1 / 0`,
  'demo/GET/notes.sql': `SELECT count(*) AS n FROM note`,
  'demo/POST/note.sql': `INSERT INTO note VALUES (:id)`,
  'demo/GET/sleep.sql': `SELECT pg_sleep(600)`,
  'demo/GET/long.sql': `SELECT g, repeat('x', 100) AS text FROM generate_series(1, 60000) AS g`,
  'demo/GET/endless.sql': `SELECT generate_series(1, 100000000) AS g, repeat('x', 1000) AS text`,
  'demo/POST/in.sql': `COPY note FROM STDIN`,
  'demo/POST/out.sql': `COPY note TO STDOUT`,
  'demo/POST/isolated.sql': `-- @transactional\nSET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT current_setting('transaction_isolation') AS level, ${looks.slice('SELECT '.length)}`,
  'demo/GET/query.sql': `SELECT current_query() AS query`,
  'demo/POST/misspelled.sql': 'SELEC 1',
  'demo/POST/vacuum.sql': 'VACUUM note',
  'demo/POST/set.sql': `SET search_path = 'other'`,
  'demo/POST/kept.sql': `SELECT set_config('app.tenant', 'kept', false)`,
  'demo/POST/hidden.sql': `SELECT set_config('app.tenant', 'kept', :isLocal::boolean)`,
  'demo/POST/temp.sql': `CREATE TEMP TABLE t (a int)`,
  'demo/POST/advisory.sql': `SELECT pg_advisory_lock(7)`,
  'demo/POST/listen.sql': `LISTEN changes`,
  'demo/POST/prepare.sql': `PREPARE p AS SELECT 1`,
  'demo/POST/begin.sql': `BEGIN; INSERT INTO note VALUES (1)`,
  'demo/POST/do.sql': `DO $$ BEGIN PERFORM set_config('app.tenant', 'kept', false); END $$`,
  'demo/POST/last.sql': `SELECT lastval()`,
  'demo/POST/cursor.sql': `-- @transactional\nDECLARE c CURSOR WITH HOLD FOR SELECT 1`,
  'demo/POST/code.sql': `SELECT tenant_of('kept')`,
  'demo/POST/second.sql': `INSERT INTO note VALUES (:id);\nSET app.tenant = 'kept'`,
}
const refused = 'set kept hidden temp advisory listen prepare begin do last cursor code second in out misspelled'.split(
  ' ',
)
const schema = `CREATE TABLE note (id int); CREATE SCHEMA crm; CREATE TABLE crm.owned (tenant text);
CREATE FUNCTION tenant_of(t text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('app.tenant', t, false); RETURN t; END $$;
CREATE POLICY own ON crm.owned FOR SELECT USING (tenant = current_setting('app.tenant', true));
CREATE POLICY more ON crm.owned FOR INSERT WITH CHECK (true);
ALTER TABLE crm.owned ENABLE ROW LEVEL SECURITY;
CREATE ROLE caller LOGIN PASSWORD 'calls'; GRANT ALL ON ALL TABLES IN SCHEMA public, crm TO caller; GRANT USAGE ON SCHEMA crm TO caller`

describe('behind pgbouncer in transaction mode', { skip: withoutPgbouncer ?? false }, () => {
  let postgres: ThrowawayPostgres
  let pooler: Pgbouncer
  let service: TestService
  before(async () => {
    postgres = await startThrowawayPostgres({
      TimeZone: 'Europe/Helsinki',
      DateStyle: 'German,DMY',
      max_connections: '100',
    })
    for (const text of schema.split(/;\n/)) await postgres.query(text)
    // Of a role for which policies count. Two connections, so that calls change between them.
    const url = callers(postgres.url)
    pooler = await startPgbouncer(url, { pool_mode: 'transaction', default_pool_size: '2' })
    service = await startTestService({
      kind: 'postgres',
      files,
      datasource: {
        url: `${pooler.through(url)}?options=-c%20search_path%3Dcrm,public&application_name=crm-api`,
        pooler: 'transaction',
        max_connections: 6,
        statement_timeout_seconds: 77,
        acquire_timeout_seconds: 60,
      },
    })
  })
  after(async () => {
    await service.close()
    await pooler.stop()
    await postgres.remove()
  })

  const callers = (url: string): string => url.replace(/\/\/[^@]*@/, '//caller:calls@')

  /** Another program on the same pooler. */
  async function beside(texts: readonly string[]): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: pooler.through(callers(postgres.url)) })
    await client.connect()
    const rows: Record<string, unknown>[] = []
    for (const text of texts) rows.push(...(await client.query<Record<string, unknown>>(text)).rows)
    await client.end()
    return rows
  }
  const at = '2026-07-01T12:00:00Z'
  const settings = {
    zone: 'UTC',
    dates: 'ISO, DMY',
    path: 'crm,public',
    timeout: '77s',
    name: 'crm-api',
    encoding: 'UTF8',
    at,
  }
  /** The same behind a BEGIN, where the server writes the list itself. */
  const begun = { ...settings, path: 'crm, public' }
  const sleeping = async (): Promise<number> =>
    (await postgres.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)).length

  test('each call has its settings, whatever others on the pooler leave behind [O4.3]', async () => {
    for (let round = 0; round < 8; round++) {
      await beside([
        `SET TimeZone = 'Asia/Tokyo'`,
        `SET DateStyle = 'SQL, MDY'`,
        `SET search_path = pg_catalog`,
        `SET statement_timeout = '5min'`,
        `SET application_name = 'rude'`,
      ])
      const replies = await Promise.all(Array.from({ length: 12 }, () => service.get('/demo/look')))
      for (const { text } of replies) deepStrictEqual(JSON.parse(text), [settings])
      deepStrictEqual(JSON.parse((await service.post('/demo/marked', {})).text), [begun])
      const batch = await service.post('/demo/batch/batch', { queries: [{}, {}] })
      deepStrictEqual(JSON.parse(batch.text), [[begun], [begun]])
    }
  })

  test('a tenant of one call is never that of another, and nothing of it stays [O4.3]', async () => {
    const tenants = ['ann', 'bob', 'eve', 'kim']
    for (const tenant of tenants) {
      const { text } = await service.post('/demo/inserted', { tenant })
      strictEqual(text, '[{"t":"7s"}]')
    }
    for (let round = 0; round < 6; round++) {
      const replies = Array.from({ length: 40 }, async (_, n) => {
        const own = tenants[n % 5]
        if (own === undefined) {
          strictEqual((await service.get('/demo/nobody')).text, '[{"n":0,"own":"","t":"0"}]')
        } else {
          const { text } = await service.get(`/demo/tenant?tenant=${own}`)
          deepStrictEqual(JSON.parse(text), [{ n: 1, tenant: own, last: own, own }])
        }
      })
      await Promise.all(replies)
    }
    const left = await beside(
      Array.from(
        { length: 6 },
        () => `SELECT coalesce(current_setting('app.tenant', true), '') AS t, current_setting('lock_timeout') AS l`,
      ),
    )
    for (const row of left) deepStrictEqual(row, { t: '', l: '0' })
  })

  test('what ends with its transaction is served [O4.3]', async () => {
    for (let round = 0; round < 4; round++) {
      strictEqual((await service.post('/demo/dropped', {})).text, '[{"a":1}]')
      strictEqual((await service.post('/demo/lock', {})).text, '[{"one":1}]')
      deepStrictEqual(JSON.parse((await service.post('/demo/isolated', {})).text), [
        { level: 'serializable', ...begun },
      ])
    }
    strictEqual((await service.get('/demo/query')).status, 200)
  })

  test('an error undoes what its transaction did, and nothing stays open [O4.3]', async () => {
    await postgres.query('DELETE FROM note')
    for (let id = 0; id < 4; id++) {
      for (const path of ['/demo/fails', '/demo/fails/batch']) {
        const body = path.endsWith('batch') ? { queries: [{ id }, { id }] } : { id }
        match((await service.post(path, body)).text, /division by zero/)
      }
    }
    strictEqual((await service.get('/demo/notes')).text, '[{"n":0}]')
    match((await service.post('/demo/plain', { id: 1 })).text, /division by zero/)
    strictEqual((await service.get('/demo/notes')).text, '[{"n":1}]')
    const open = await postgres.query(`SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'`)
    deepStrictEqual(open, [])
  })

  test('a batch of many sets is one transaction on one connection [O4.3]', async () => {
    await postgres.query('DELETE FROM note')
    const queries = Array.from({ length: 3000 }, (_, id) => ({ id }))
    strictEqual((await service.post('/demo/note/batch', { queries })).status, 200)
    strictEqual((await service.get('/demo/notes')).text, '[{"n":3000}]')
    const broken = await service.post('/demo/note/batch', { queries: [...queries, { id: 'x' }] })
    match(broken.text, /in queries\[3000\]/)
    strictEqual((await service.get('/demo/notes')).text, '[{"n":3000}]')
  })

  test('limits of time hold for their calls [O4.3] [S11] [N3.4]', async () => {
    match((await service.get('/demo/limited')).text, /statement timeout after 1 s/)
    deepStrictEqual(JSON.parse((await service.get('/demo/look')).text), [settings])
  })

  test('a client that leaves has its own statement cancelled through the pooler [O4.3]', async () => {
    const controller = new AbortController()
    const port = Number(new URL(service.url).port)
    const left = call(port, '/demo/sleep', { method: 'GET', signal: controller.signal }).catch(() => undefined)
    await until(async () => (await sleeping()) === 1, 'a statement that sleeps')
    const beside = Array.from({ length: 20 }, () => service.get('/demo/look'))
    controller.abort()
    await left
    for (const { text } of await Promise.all(beside)) deepStrictEqual(JSON.parse(text), [settings])
    await until(async () => (await sleeping()) === 0, 'the end of the statement')
  })

  test('long answers are streamed whole, and one that nobody reads is cancelled [O4.3]', async () => {
    for (let round = 0; round < 3; round++) {
      const [long, look] = await Promise.all([service.get('/demo/long'), service.get('/demo/look')])
      strictEqual((JSON.parse(long.text) as unknown[]).length, 60_000)
      deepStrictEqual(JSON.parse(look.text), [settings])
    }
    const controller = new AbortController()
    const answer = await fetch(`${service.url}/demo/endless`, { signal: controller.signal })
    strictEqual(answer.status, 200)
    const running = `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%100000000%' AND pid <> pg_backend_pid()`
    await until(async () => (await postgres.query(running)).length === 1, 'a stream')
    controller.abort()
    await until(async () => (await postgres.query(running)).length === 0, 'the end of the stream')
  })

  test('what needs a session is refused before anything runs, and leaves the connections in order [O4.3]', async () => {
    const { n: before } = (JSON.parse((await service.get('/demo/notes')).text) as { n: number }[])[0] as { n: number }
    for (const name of refused) {
      for (const path of [`/demo/${name}`, `/demo/${name}/batch`]) {
        const sets = { id: 1, isLocal: 'false' }
        const { status, text } = await service.post(path, path.endsWith('batch') ? { queries: [sets] } : sets)
        strictEqual(status, 400, text)
        const { error, message } = JSON.parse(text) as { error: string; message: string }
        strictEqual(error, 'BadSqlGrammarException')
        match(message, /pooler of datasource 'demo'.*\(pooler: transaction\)/, path)
      }
    }
    strictEqual((await service.post('/demo/vacuum', {})).status, 400)
    match((await service.post('/demo/misspelled', {})).text, /line 1 begins with no command of PostgreSQL/)
    deepStrictEqual(JSON.parse((await service.get('/demo/notes')).text), [{ n: before }])
    deepStrictEqual(JSON.parse((await service.get('/demo/look')).text), [settings])
  })

  test('one WARN at the start names the files that need a session [O4.3]', async () => {
    await until(() => Promise.resolve(service.log.some((line) => line.includes('Files need a session'))), 'the line')
    const lines = service.log.filter((line) => line.includes('Files need a session'))
    strictEqual(lines.length, 1)
    match(lines[0] as string, /WARN/)
    for (const name of refused) ok(lines[0]?.includes(`demo/POST/${name}.sql`), name)
    ok(!/(?:tenant|dropped|inserted|lock)\.sql/.test(lines[0] as string))
    deepStrictEqual(
      service.log.filter((line) => line.includes('WARN') && !line.includes('Files need a session')),
      [],
    )
  })

  test('nothing is left on the connections of the pooler [O4.3]', async () => {
    const rows = await beside(
      Array.from(
        { length: 4 },
        () => `SELECT (SELECT count(*)::int FROM pg_prepared_statements) AS prepared, current_setting('lock_timeout') AS locks,
        (SELECT count(*)::int FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory') AS advisory`,
      ),
    )
    for (const row of rows) deepStrictEqual(row, { prepared: 0, locks: '0', advisory: 0 })
  })
})
