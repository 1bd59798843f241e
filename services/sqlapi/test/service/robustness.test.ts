/**
 * Rough treatment: values of every kind for parameters of every type, SQL that is noise, files that leave the session
 * in disorder, tables that change and servers that drop connections while requests run. Whatever is sent, the answer is
 * rows or a named error, and the next request gets what it would have got without. What is random says its seed;
 * `SQLAPI_SEED` repeats it.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { randomFrom, repeat, until } from '@services/testing'
import { dialectNames } from '../../src/dialects.ts'
import { startTestService, type TestReply, type TestService } from '../support/service.ts'

const seed = Number(process.env['SQLAPI_SEED'] ?? 20_260_701)

function pickFrom(random: () => number): <T>(items: readonly T[]) => T {
  return <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T
}

/** What is wrong with a reply that has to be rows or a named error; nothing when it is one of them. */
function complaint({ status, text }: TestReply): string | undefined {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return `${status}, not JSON: ${text.slice(0, 100)}`
  }
  if (status === 200) return Array.isArray(body) ? undefined : `200, no array: ${text.slice(0, 100)}`
  const keys = Object.keys(body as object).join()
  const isNamed = [400, 413, 415].includes(status) && keys === 'error,message'
  return isNamed && !text.includes('SQLSTATE XX') ? undefined : `${status} ${text.slice(0, 200)}`
}

const good = { 'demo/POST/good.sql': 'SELECT :g + 1 AS x', 'demo/GET/good.sql': 'SELECT 1 AS x' }

/** A reply that cannot be right by accident. */
async function askGood(service: TestService, number: number): Promise<string | undefined> {
  const { text } = await service.post('/demo/good', { g: number })
  return text === `[{"x":${number + 1}}]` ? undefined : `after that: ${text}`
}

/** Runs the jobs, so many at a time, and gives what they complain about. */
async function runAll(jobs: readonly (() => Promise<string | undefined>)[], width: number): Promise<string[]> {
  const complaints: string[] = []
  const queue = jobs.values()
  const work = async (): Promise<void> => {
    for (const job of queue) {
      const found = await job()
      if (found !== undefined) complaints.push(found)
    }
  }
  await Promise.all(Array.from({ length: width }, work))
  return complaints
}

const columns = {
  i: 'integer',
  s: 'smallint',
  f: 'double precision',
  n: 'numeric',
  t: 'text',
  b: 'boolean',
  ts: 'timestamptz',
  d: 'date',
  iv: 'interval',
  u: 'uuid',
  j: 'jsonb',
  e: 'mood',
  ta: 'text[]',
  ia: 'integer[]',
  p: 'posint',
  r: 'int4range',
}
const schema = `CREATE TYPE mood AS ENUM ('a', 'b'); CREATE DOMAIN posint AS int CHECK (VALUE > 0);
  CREATE TABLE m (id serial PRIMARY KEY, ${Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')});
  INSERT INTO m (i, t) VALUES (1, 'x')`

const values =
  `null true 0 -1 42 9007199254740993 123456789012345678901 1.5 1e300 "" "x" "1" "true" "2026-01-01" "{a,b}" "a\\u0000b"
  "6c84fb90-12c4-11e1-840d-7b25c5ee775a" "it's" [] [null] [1,2] [1,null] [1.5,2] ["a",null] [true] [1,"a"] [[1],[2]]
  [[1,2],[3]] [{}] {} {"a":[1]}`.split(/\s+/)

test(`values of all kinds for parameters of all types (seed ${seed}) [D4.2]`, async () => {
  const forms = Object.entries(columns).flatMap(([name, type]) => [
    `SELECT * FROM m WHERE ${name} = :a LIMIT 2`,
    `SELECT id FROM m WHERE (:a IS NULL OR ${name} = :a) AND ${name} IN (:b) LIMIT 2`,
    `UPDATE m SET ${name} = COALESCE(:a, ${name}) WHERE id = 1 RETURNING ${name}`,
    `SELECT CASE WHEN :a::${type} IS NULL THEN 1 END AS a, :b AS b, ARRAY[:b]::${type}[] AS c`,
  ])
  const files = Object.fromEntries(forms.map((sql, index) => [`demo/POST/f${index}.sql`, sql]))
  const datasource = { max_connections: 3 }
  const service = await startTestService({ kind: 'postgres', schema, datasource, files: { ...good, ...files } })
  const pick = pickFrom(randomFrom(seed))
  const jobs = forms.flatMap((sql, index) =>
    values.map((value, number) => {
      const body = `{"a":${value},"b":${pick(values)}}`
      return async () => {
        const found = complaint(await service.post(`/demo/f${index}`, body))
        return found === undefined ? askGood(service, number) : `${sql} with ${body}: ${found}`
      }
    }),
  )
  const complaints = await runAll(jobs, 16)
  await service.close()
  deepStrictEqual(complaints, [])
})

const words =
  `SELECT INSERT INTO UPDATE DELETE FROM WHERE ORDER BY LIMIT NULL ( ) ( ) [ ] , ; : :: := :a :b :a . * + - / = <> ||
  'x' "m" 'it''s' $1 ? @x $$q$$ $t$ E'\\'' -- /* */ 1 1.5 1e9 m t id AS IN NOT ARRAY CASE WHEN THEN END BEGIN COMMIT ROLLBACK
  SAVEPOINT SET RESET DISCARD PREPARE EXECUTE DEALLOCATE DECLARE CURSOR FETCH COPY STDOUT STDIN TO CREATE TEMP TABLE VIEW
  EXPLAIN VALUES WITH RECURSIVE UNION RETURNING ATOMIC LISTEN LOCK now() count(*) text[] é 😀 \`q\` [w] #> @> ~ role`.split(
    /\s+/,
  )

for (const kind of dialectNames) {
  test(`${kind}: files of noise harm nobody (seed ${seed}) [D3.1]`, async () => {
    const random = randomFrom(seed)
    const pick = pickFrom(random)
    const noise = Array.from({ length: 400 }, () => {
      const start = pick(['', 'SELECT ', 'BEGIN; ', 'SELECT :a; SELECT ', '-- @transactional\nSELECT ', 'SELECT 1; '])
      return start + Array.from({ length: 1 + Math.floor(random() * 12) }, () => pick(words)).join(' ')
    })
    const files = Object.fromEntries(noise.map((text, index) => [`demo/POST/f${index}.sql`, text]))
    const service = await startTestService({ kind, files: { ...good, ...files }, datasource: { max_connections: 3 } })
    const jobs = noise.map((text, index) => async () => {
      const found = complaint(await service.post(`/demo/f${index}`, '{"a":1,"b":["x"]}'))
      return found === undefined ? askGood(service, index) : `${JSON.stringify(text)}: ${found}`
    })
    const complaints = await runAll(jobs, 6)
    await service.close()
    deepStrictEqual(complaints, [])
  })
}

test('disorder that a file leaves is gone with its request [D3.6]', async () => {
  const disorder = [
    `SET TimeZone = 'Asia/Tokyo'; SET DateStyle = German; SET extra_float_digits = -15; SET bytea_output = escape`,
    `SET search_path = pg_catalog`,
    `SET default_transaction_read_only = on`,
    `SET statement_timeout = 1; SELECT pg_sleep(1)`,
    `CREATE TEMP TABLE t (v text); INSERT INTO t VALUES ('false')`,
    `BEGIN; UPDATE t SET v = 'dirty'`,
    `BEGIN; SELECT 1 / 0`,
    `DISCARD ALL; SELECT v FROM t; DEALLOCATE ALL; SELECT v FROM t`,
    `PREPARE q AS SELECT 1; EXECUTE q`,
    `DECLARE c CURSOR WITH HOLD FOR SELECT 1; LISTEN x; NOTIFY x`,
    `COPY t TO STDOUT`,
    `COPY t FROM STDIN`,
    `SELECT pg_advisory_lock(7)`,
    `SELECT set_config('TimeZone', 'Asia/Tokyo', false)`,
    `EXPLAIN ANALYZE SELECT set_config('app.user', 'other', false)`,
    `DO $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '26000'; END$$`,
    `SELECT pg_cancel_backend(pg_backend_pid())`,
  ]
  const state = `SELECT v, now()::text LIKE '%+00' AS utc, current_setting('search_path') AS path,
    coalesce(current_setting('app.user', true), '') AS app, 1.1::float8 AS f, '\\x01'::bytea AS b,
    current_setting('transaction_read_only') AS read_only,
    (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks FROM t`
  const files = Object.fromEntries(disorder.map((sql, index) => [`demo/POST/f${index}.sql`, sql]))
  const service = await startTestService({
    kind: 'postgres',
    schema: `CREATE TABLE t (v text); INSERT INTO t VALUES ('true')`,
    files: { 'demo/GET/state.sql': state, ...files },
    datasource: { max_connections: 1 },
  })
  const before = await service.get('/demo/state')
  const after: [string, string][] = []
  for (const [index, sql] of disorder.entries()) {
    for (let i = 0; i < 2; i++) {
      await service.post(`/demo/f${index}`)
      after.push([sql, (await service.get('/demo/state')).text])
    }
  }
  await service.close()
  strictEqual(before.status, 200)
  deepStrictEqual(
    after.filter(([, text]) => text !== before.text),
    [],
  )
})

test('tables that change while clients read them [D4.2]', async (t) => {
  const changes = [
    'ADD x int DEFAULT 5',
    'RENAME v TO w',
    'RENAME w TO v',
    'ALTER n TYPE bigint',
    'ALTER n TYPE text',
    'ALTER n TYPE int USING n::int',
    'DROP x',
    'ADD y timestamptz DEFAULT now()',
    'ALTER y TYPE text',
    'DROP y',
  ]
  const files = {
    'demo/POST/row.sql': 'SELECT * FROM d WHERE id = :id',
    'demo/POST/number.sql': 'SELECT id FROM d WHERE n = :id',
    ...Object.fromEntries(changes.map((sql, index) => [`demo/POST/change${index}.sql`, `ALTER TABLE d ${sql}`])),
  }
  const set =
    'CREATE TABLE d (id int PRIMARY KEY, v text, n int); INSERT INTO d SELECT i, i, i FROM generate_series(1, 50) i'
  const service = await startTestService({ kind: 'postgres', schema: set, files, datasource: { max_connections: 5 } })
  const wrong: string[] = []
  let right = 0
  const readers = repeat(t, 16, async (reader, round) => {
    const id = reader + round
    const asked = { id: 1 + (id % 50) }
    const { text } = await service.post(id % 3 === 0 ? '/demo/number' : '/demo/row', asked)
    // A call that a change meets twice may fail, but no call gives another's rows.
    if (text.startsWith(`[{"id":${asked.id}`)) right++
    else if (!text.startsWith('{"error":"BadSqlGrammarException"')) wrong.push(text)
  })
  for (const index of changes.keys()) {
    strictEqual((await service.post(`/demo/change${index}`)).text, '[]')
    const before = right
    await until(() => right > before + 16, `somebody to read after ${changes[index]}`)
  }
  await readers.end()
  await service.close()
  deepStrictEqual(wrong, [])
})

describe('connections and types that come and go', () => {
  let service: TestService
  before(async () => {
    const files = {
      ...good,
      'demo/POST/kill.sql': 'SELECT pg_terminate_backend(pg_backend_pid())',
      'demo/POST/killAll.sql': `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'sqlapi' AND pid <> pg_backend_pid()`,
      'demo/POST/mood.sql': 'SELECT id FROM m WHERE e = :e',
      'demo/POST/remake.sql': `DROP TABLE m; DROP TYPE mood; CREATE TYPE mood AS ENUM ('a', 'b');
        CREATE TABLE m (id int, e mood); INSERT INTO m VALUES (7, 'b')`,
      'demo/POST/insert.sql': 'INSERT INTO k VALUES (:id, :v)',
      'demo/POST/count.sql': 'SELECT count(*) AS n FROM k',
      'demo/POST/call.sql': 'CALL steps()',
      'demo/POST/prepare.sql': Array.from({ length: 40 }, (_, i) => `PREPARE s${i} AS SELECT ${i}`).join(';'),
      'demo/POST/list.sql': 'SELECT ARRAY[:xs::text]::text[] AS xs',
      'demo/POST/atomic.sql': "SELECT note('other') AS x",
      'demo/POST/view.sql': 'SELECT * FROM noted',
      'demo/POST/noted.sql': "SELECT coalesce(current_setting('app.user', true), '') AS u",
    }
    const made = `${schema}; CREATE TABLE k (id int PRIMARY KEY, v text); CREATE SEQUENCE steps_seq;
      CREATE PROCEDURE steps() LANGUAGE plpgsql AS $$BEGIN INSERT INTO k VALUES (nextval('steps_seq') + 100, '');
      COMMIT; RAISE EXCEPTION 'after' USING ERRCODE = '42804'; END$$;
      CREATE FUNCTION note(x text) RETURNS text BEGIN ATOMIC SELECT set_config('app.user', x, false); END;
      CREATE VIEW noted AS SELECT set_config('app.user', 'other', false) AS s`
    service = await startTestService({ kind: 'postgres', schema: made, files, datasource: { max_connections: 1 } })
  })
  after(() => service.close())

  test('a connection that the server ends is not given to the next request [D6.4]', async () => {
    match((await service.post('/demo/kill')).text, /57P01/)
    strictEqual(await askGood(service, 1), undefined)
  })

  test('a type that was made anew is found again [D4.2]', async () => {
    for (let i = 0; i < 3; i++) strictEqual((await service.post('/demo/mood', { e: 'a' })).text, '[]')
    strictEqual((await service.post('/demo/remake')).text, '[]')
    strictEqual((await service.post('/demo/mood', { e: 'b' })).text, '[{"id":7}]')
  })

  test('the set that fails is the one that is told, whatever kinds the later sets have [S-batch.3]', async () => {
    for (let i = 0; i < 3; i++) await service.post('/demo/insert', { id: 1000 + i, v: 'x' })
    const queries = [
      { id: 1, v: 'a' },
      { id: 1, v: 'b' },
      { id: 2, v: 'c' },
      { id: 3, v: null },
      { id: 4, v: 5 },
    ]
    const { status, text } = await service.post('/demo/insert/batch', { queries })
    strictEqual(status, 400)
    match(text, /23505/)
    strictEqual((await service.post('/demo/count')).text, '[{"n":3}]')
  })

  test('a procedure that commits and then fails has run once for each call [S-marker.4]', async () => {
    const [{ n }] = JSON.parse((await service.post('/demo/count')).text) as [{ n: number }]
    for (let i = 0; i < 3; i++) match((await service.post('/demo/call')).text, /42804/)
    strictEqual((await service.post('/demo/count')).text, `[{"n":${n + 3}}]`)
  })

  test('names of prepared statements in a file are its own [D3.6]', async () => {
    for (let i = 0; i < 2; i++) deepStrictEqual((await service.post('/demo/prepare')).text, '[]')
  })

  test('a list in ARRAY[..] with a cast of the element is the list [D4.3]', async () => {
    strictEqual((await service.post('/demo/list', { xs: ['a', 'b'] })).text, '[{"xs":["a","b"]}]')
  })

  for (const name of ['atomic', 'view']) {
    test(`a setting made by way of a function body or view (${name}) is gone [D3.6]`, async () => {
      for (let i = 0; i < 2; i++) ok((await service.post(`/demo/${name}`)).text.includes('other'))
      strictEqual((await service.post('/demo/noted')).text, '[{"u":""}]')
    })
  }
})
