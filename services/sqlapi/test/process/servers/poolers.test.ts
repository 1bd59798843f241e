/**
 * The session behind a pooler: pgbouncer in session mode, in front of a server with settings of its own; and how
 * transaction mode is noticed.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { elapsed, until } from '@services/testing'
import { startPgbouncer, withoutPgbouncer } from '@services/testing/pgbouncer'
import { startThrowawayPostgres, type ThrowawayPostgres } from '@services/testing/postgres'
import pg from 'pg'
import { startTestService, type TestService } from '../../support/service.ts'

const files = {
  'demo/GET/times.sql': `SELECT timestamptz '2026-07-01 12:00:00Z' AS at, to_json(timestamptz '2026-07-01 12:00:00Z')::text AS json,
    ARRAY[timestamptz '2026-07-01 12:00:00Z'] AS ats, date '2026-07-01' AS day, daterange('2026-07-01', '2026-07-02')::text AS days,
    ('2026-07-01 12:00:00'::text)::timestamptz AS read`,
  'demo/GET/settings.sql': `SELECT current_setting('TimeZone') AS zone, current_setting('DateStyle') AS dates, current_setting('client_encoding') AS encoding,
    current_setting('search_path') AS path, current_setting('statement_timeout') AS timeout, current_setting('application_name') AS name`,
  'demo/POST/set.sql': `SET TIME ZONE 'Asia/Tokyo'; SET DateStyle = 'SQL, MDY'`,
  'demo/POST/discard.sql': `DISCARD ALL; SELECT timestamptz '2026-07-01 12:00:00Z' AS at`,
  'demo/POST/reset.sql': `RESET ALL; SELECT timestamptz '2026-07-01 12:00:00Z' AS at`,
  'demo/POST/temp.sql': 'CREATE TEMP TABLE x (a int)',
  'demo/POST/config.sql': `SELECT set_config('TimeZone', 'Asia/Tokyo', false)`,
  'demo/POST/define.sql': 'CREATE TABLE IF NOT EXISTS made (a int)',
  'demo/POST/echo.sql': 'SELECT cast(:x AS int) AS x',
}
/** Each brings one of the server's own settings back. */
const resets = [
  'RESET TimeZone',
  '/* first */ reset "TimeZone"',
  '-- first\nRESET\tTIME ZONE',
  'SET TimeZone TO DEFAULT',
  'SET SESSION timezone=DEFAULT',
  'SET LOCAL TimeZone = DEFAULT',
  'SET TIME ZONE DEFAULT',
  'SET SESSION TIME ZONE LOCAL',
  'SET LOCAL TIME ZONE DEFAULT',
  'RESET DateStyle',
  'SET datestyle TO DEFAULT',
  '/* first */ RESET ALL',
]
const utc = 'T12:00:00Z'
const times = JSON.stringify([
  {
    at: `2026-07-01${utc}`,
    json: '"2026-07-01T12:00:00+00:00"',
    ats: [`2026-07-01${utc}`],
    day: '2026-07-01',
    days: '[2026-07-01,2026-07-02)',
    read: `2026-07-01${utc}`,
  },
])

const modes: readonly (readonly [what: string, settings: Record<string, string>])[] = [
  ['as it comes', {}],
  ['that resets after every client', { server_reset_query_always: '1' }],
  ['with another reset query', { server_reset_query: 'RESET ALL' }],
  ['without a reset query', { server_reset_query: '' }],
  ['that passes over options', { ignore_startup_parameters: 'options,extra_float_digits' }],
]

const inTransactionMode = { pool_mode: 'transaction', default_pool_size: '2' }

describe('pgbouncer', { skip: withoutPgbouncer ?? false }, () => {
  let postgres: ThrowawayPostgres
  before(async () => {
    postgres = await startThrowawayPostgres({
      TimeZone: 'Europe/Helsinki',
      DateStyle: 'German,DMY',
      IntervalStyle: 'iso_8601',
    })
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    for (const text of ['CREATE SCHEMA crm', 'CREATE DATABASE other']) await client.query(text)
    await client.query(`ALTER DATABASE other SET TimeZone = 'America/New_York'`)
    await client.end()
  })
  after(() => postgres.remove())

  for (const [what, settings] of modes) {
    test(`${what}: our settings hold after every reset [S8]`, async () => {
      const pooler = await startPgbouncer(postgres.url, settings)
      for (const database of ['postgres', 'other']) {
        const options = database === 'postgres' ? '?options=-c%20search_path%3Dcrm,public' : ''
        const url = `${pooler.through(postgres.url).replace(/postgres$/, database)}${options}`
        const service = await startTestService({
          kind: 'postgres',
          files,
          datasource: { url, max_connections: 1, statement_timeout_seconds: 77 },
        })
        try {
          const path = database === 'postgres' ? 'crm,public' : '"$user", public'
          const expected = { zone: 'UTC', dates: 'ISO, DMY', encoding: 'UTF8', path, timeout: '77s', name: 'sqlapi' }
          for (const leave of ['set', 'times', 'discard', 'reset', 'temp', 'config', 'define', 'set']) {
            const { text } = leave === 'times' ? await service.get('/demo/times') : await service.post(`/demo/${leave}`)
            if (/discard|reset/.test(leave)) strictEqual(text, `[{"at":"2026-07-01${utc}"}]`)
            strictEqual((await service.get('/demo/times')).text, times, leave)
            deepStrictEqual(JSON.parse((await service.get('/demo/settings')).text), [expected], leave)
          }
        } finally {
          await service.close()
        }
      }
      await pooler.stop()
    })
  }

  test('a setting of ours that a file resets is ours again at once, and the file keeps its others [S8]', async () => {
    const pooler = await startPgbouncer(postgres.url, {})
    const look = `SELECT ('2026-07-01 12:00:00'::text)::timestamptz AS at, timestamptz '2026-07-01 12:00:00Z' AS same`
    const service = await startTestService({
      kind: 'postgres',
      files: {
        ...Object.fromEntries(
          resets.flatMap((reset, at) => [
            [`demo/POST/plain${at}.sql`, `${reset};\n${look}`],
            [`demo/POST/marked${at}.sql`, `-- @transactional\n${reset};\n${look}`],
          ]),
        ),
        'demo/POST/keep.sql': `SET TIME ZONE 'Asia/Tokyo'; RESET DateStyle; SET work_mem TO DEFAULT; SELECT timestamptz '2026-07-01 12:00:00Z' AS at`,
      },
      datasource: { url: pooler.through(postgres.url), max_connections: 1 },
    })
    try {
      const expected = `[{"at":"2026-07-01${utc}","same":"2026-07-01${utc}"}]`
      for (const [at, reset] of resets.entries()) {
        for (const kind of ['plain', 'marked'])
          strictEqual((await service.post(`/demo/${kind}${at}`)).text, expected, `${kind}: ${reset}`)
        const batch = await service.post(`/demo/plain${at}/batch`, { queries: [{}, {}] })
        strictEqual(batch.text, `[${expected},${expected}]`, `batch: ${reset}`)
      }
      strictEqual((await service.post('/demo/keep')).text, '[{"at":"2026-07-01T21:00:00+09:00"}]')
    } finally {
      await service.close()
      await pooler.stop()
    }
  })

  test('acquire_timeout_seconds counts while the pooler makes us wait for a connection [S10]', async () => {
    const pooler = await startPgbouncer(postgres.url, { default_pool_size: '1' })
    const holder = new pg.Client({ connectionString: pooler.through(postgres.url) })
    await holder.connect()
    await holder.query('SELECT 1')
    const url = pooler.through(postgres.url)
    const service: TestService = await startTestService({
      kind: 'postgres',
      files,
      datasource: { url, max_connections: 3, acquire_timeout_seconds: 1 },
    })
    try {
      for (let round = 0; round < 2; round++) {
        const since = elapsed()
        const { status, text } = await service.post('/demo/echo', { x: 1 })
        strictEqual(status, 400)
        match(text, /(?:became free|could be opened) within 1 s|cannot be connected/)
        ok(since() < 10_000, `${since()} ms`)
      }
      await holder.end()
      for (let status = 0; status !== 200;) ({ status } = await service.post('/demo/echo', { x: 1 }))
    } finally {
      await service.close()
      await pooler.stop()
    }
  })

  for (const { reach, made, code, isRead } of [
    {
      reach: 'a trigger reaches has calls that write refused',
      made: 'CREATE TRIGGER leaves BEFORE INSERT ON note FOR EACH ROW EXECUTE FUNCTION leave()',
      code: /WARN.*leave \(trigger leaves on table note\)/,
      isRead: true,
    },
    {
      reach: 'a view reaches has all calls refused',
      made: `CREATE VIEW left_over AS SELECT set_config('app.tenant', 'kept', false)`,
      code: /WARN.*view left_over/,
      isRead: false,
    },
  ]) {
    test(`stored code that may change the session and that ${reach}, and is named [O4.3]`, async () => {
      const pooler = await startPgbouncer(postgres.url, inTransactionMode)
      const name = `coded_${isRead}`
      await postgres.query(`CREATE DATABASE ${name}`)
      const url = postgres.url.replace(/postgres$/, name)
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`CREATE TABLE note (id int);
        CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('app.tenant', 'kept', false); RETURN NEW; END $$;
        CREATE FUNCTION write(id int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO note VALUES (id); RETURN id; END $$`)
      const own = await startTestService({
        kind: 'postgres',
        files: {
          'demo/POST/note.sql': 'INSERT INTO note VALUES (:id)',
          'demo/POST/make.sql': 'CREATE TABLE made (a int)',
          'demo/GET/notes.sql': 'SELECT count(*) AS n FROM note',
          'demo/GET/marked.sql': '-- @transactional\nSELECT 1 AS one; SELECT count(*) AS n FROM note',
          // By their words they only read.
          'demo/GET/write.sql': 'SELECT write(7)',
          'demo/GET/written.sql': '-- @transactional\nSELECT 1 AS one; SELECT write(7)',
        },
        datasource: { url: pooler.through(url), pooler: 'transaction' },
      })
      const refusal = /Stored code of the database may change the session.*pooler: transaction/
      try {
        strictEqual((await own.post('/demo/note', { id: 1 })).status, 200)
        await client.query(made)
        // The code is read again after a definition.
        strictEqual((await own.post('/demo/make', {})).status, 200)
        await until(async () => (await own.post('/demo/note', { id: 2 })).status === 400, 'the refusal')
        const { rows } = await client.query<{ n: string }>('SELECT count(*) AS n FROM note')
        const notes = `[{"n":${rows[0]?.n}}]`
        match((await own.post('/demo/note', { id: 2 })).text, refusal)
        for (const path of ['/demo/write', '/demo/written']) match((await own.get(path)).text, refusal, path)
        for (const path of ['/demo/notes', '/demo/marked']) {
          const { text } = await own.get(path)
          if (isRead) strictEqual(text, notes)
          else match(text, refusal)
        }
        // Together they leave in flights of several.
        const together = await Promise.all(Array.from({ length: 20 }, () => own.get('/demo/notes')))
        ok(together.every(({ text }) => (isRead ? text === notes : refusal.test(text))))
        match(own.log.find((line) => line.includes('calls are refused')) ?? '', code)
        const { rows: after } = await client.query<{ n: string }>('SELECT count(*) AS n FROM note')
        deepStrictEqual(after, rows)
      } finally {
        await own.close()
        await client.end()
        await pooler.stop()
      }
    })
  }

  test('a pooler in transaction mode that is not configured is named in one WARN [O4.3]', async () => {
    const pooler = await startPgbouncer(postgres.url, inTransactionMode)
    const url = pooler.through(postgres.url)
    const own = await startTestService({
      kind: 'postgres',
      files: { 'demo/GET/one.sql': 'SELECT 1 AS one' },
      datasource: { url, max_connections: 1, acquire_timeout_seconds: 60 },
    })
    try {
      for (let round = 0; round < 3; round++) strictEqual((await own.get('/demo/one')).text, '[{"one":1}]')
      const told = (): string[] => own.log.filter((line) => line.includes('pooler in transaction mode is in front'))
      deepStrictEqual(told(), [])
      // Others use the connections in between, as they may.
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await until(async () => {
        await client.query('DEALLOCATE ALL')
        await own.get('/demo/one')
        return told().length > 0
      }, 'the WARN')
      await client.query('DEALLOCATE ALL')
      await own.get('/demo/one')
      await client.end()
      strictEqual(told().length, 1)
      match(told()[0] as string, /WARN.*datasource=demo.*26000.*pooler: transaction/)
    } finally {
      await own.close()
      await pooler.stop()
    }
  })

  test('a pooler in session mode, or none, is not taken for one in transaction mode [O4.3]', async () => {
    const sessions = await startPgbouncer(postgres.url, { pool_mode: 'session' })
    for (const url of [sessions.through(postgres.url), postgres.url]) {
      const own = await startTestService({
        kind: 'postgres',
        files: {
          'demo/GET/one.sql': 'SELECT 1 AS one',
          'demo/POST/all.sql': 'DEALLOCATE ALL',
          'demo/POST/make.sql': 'CREATE TABLE IF NOT EXISTS m (a int)',
        },
        datasource: { url, max_connections: 3 },
      })
      for (let round = 0; round < 3; round++) {
        await Promise.all(Array.from({ length: 6 }, () => own.get('/demo/one')))
        await own.post('/demo/all', {})
        await own.post('/demo/make', {})
      }
      await own.close()
      deepStrictEqual(
        own.log.filter((line) => line.includes('pooler')),
        [],
      )
    }
    await sessions.stop()
  })
})
