/** Declared dates, timestamps and UUIDs: PostgreSQL gets them as these types, wherever a request has them. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { newFolder } from '@services/testing'
import { readLock } from '../../../src/lock/lock-text.ts'
import { runCheck } from '../../support/check.ts'
import { createDatabase } from '../../support/databases.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const schema = `CREATE TABLE t (id int, day date, at timestamp, moment timestamptz, code uuid, note text);
CREATE TABLE days (days date[], texts text[]);
INSERT INTO t VALUES (1, '2026-01-31', '2026-01-31 10:00', '2026-01-31T10:00:00Z', '0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b', '2026-01-31')`

const day = '2026-01-31'
const uuid = '0B8A2F6E-3C1D-4E5F-9A7B-6C5D4E3F2A1B'

/** Declaration of `x`, expression, value, answer. */
const expressions: readonly (readonly [type: string, sql: string, value: unknown, answer: unknown])[] = [
  ['date', ':x + 1', day, '2026-02-01'],
  ['date', "date_trunc('month', :x)", day, '2026-01-01T00:00:00Z'],
  ['date', ':x', day, day],
  ['date', 'pg_typeof(:x)', day, 'date'],
  ['date', 'pg_typeof(:x)', null, 'date'],
  ['date', "to_char(:x, 'DD.MM.YYYY')", day, '31.01.2026'],
  ['date', 'extract(year FROM :x)', day, '2026'],
  ['date', ":x > '2026-1-5'", day, true],
  ['date', ':x::text', day, day],
  ['date', 'coalesce(:x, note) FROM t', day, day],
  ['date', "nullif(:x, '')", day, day],
  ['date', 'id FROM t WHERE day = :x', day, 1],
  ['date', 'id FROM t WHERE note = :x', day, 1],
  ['date', 'id FROM t WHERE moment >= :x AND at >= :x AND :x IS NOT NULL', day, 1],
  ['date', 'id FROM t WHERE :x IS NULL OR day >= :x', null, 1],
  ['date', 'id FROM t WHERE :x IS NULL OR note >= :x', null, 1],
  ['date', 'id FROM t WHERE :x IS NULL OR id::text = :x', null, 1],
  ['date', 'id FROM t WHERE :x IN (day, moment)', day, 1],
  ['timestamp', 'pg_typeof(:x)', '2026-01-31T10:00', 'timestamp without time zone'],
  ['timestamp', 'pg_typeof(:x)', '2026-01-31T10:00-02', 'timestamp with time zone'],
  ['timestamp', 'pg_typeof(:x)', null, 'timestamp without time zone'],
  ['timestamp', ":x + interval '1 hour'", '2026-01-31 10:00:00', '2026-01-31T11:00:00'],
  ['timestamp', ":x + interval '1 hour'", '2026-01-31T10:00:00+02:00', '2026-01-31T09:00:00Z'],
  ['timestamp', ":x < '2026-01-31T09:00:00Z'", '2026-01-31T10:00:00+02:00', true],
  ['timestamp', 'id FROM t WHERE moment = :x', '2026-01-31T12:00:00+0200', 1],
  ['timestamp', 'id FROM t WHERE at = :x', '2026-01-31T10:00:00', 1],
  ['timestamp', 'id FROM t WHERE at = :x AND moment = :x', '2026-01-31T12:00:00+02:00', 1],
  ['timestamp', "date_trunc('hour', :x)", '2026-01-31T10:20:30', '2026-01-31T10:00:00'],
  ['uuid', 'pg_typeof(:x)', uuid, 'uuid'],
  ['uuid', ':x', uuid, uuid.toLowerCase()],
  ['uuid', 'id FROM t WHERE code = :x', uuid, 1],
  ['uuid', "id FROM t WHERE :x = '0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b'", uuid, 1],
  ['uuid', "'x' || :x", uuid, `x${uuid.toLowerCase()}`],
  ['date[]', 'pg_typeof(:x)', [day], 'date[]'],
  ['date[]', 'pg_typeof(:x)', [], 'date[]'],
  ['date[]', 'pg_typeof(:x)', null, 'date[]'],
  ['date[]', ':x', [day, null], [day, null]],
  ['date[]', '(:x)[1] + 1', [day], '2026-02-01'],
  ['date[]', 'id FROM t WHERE day = ANY(:x)', [day], 1],
  ['date[]', 'id FROM t WHERE note = ANY(:x)', [day], 1],
  ['date[]', 'id FROM t WHERE day IN (:x)', [day], 1],
  ['date[]', 'id FROM t WHERE note IN (:x)', [day], 1],
  ['date[]', 'pg_typeof(ARRAY[:x])', [day], 'date[]'],
  ['date[]', 'pg_typeof(ARRAY[:x])', [], 'date[]'],
  ['date[]', 'id FROM t WHERE :x IS NULL OR day = ANY(:x)', null, 1],
  ['date[]', 'jsonb_array_length(:x)', [day, day], 2],
  ['date[]', 'jsonb_array_length(:x)', [], 0],
  ['timestamp[]', 'pg_typeof(:x)', ['2026-01-31T10:00', '2026-01-31T10:00Z'], 'timestamp with time zone[]'],
  ['timestamp[]', 'pg_typeof(:x)', ['2026-01-31T10:00', null], 'timestamp without time zone[]'],
  ['uuid[]', 'id FROM t WHERE code = ANY(:x)', [uuid], 1],
  ['uuid[]', 'id FROM t WHERE code IN (:x)', [uuid], 1],
]

const methods = ['GET', 'POST'] as const
const files: Record<string, string> = Object.fromEntries(
  expressions.flatMap(
    ([type, sql], index) =>
    methods.map((method) => [`demo/${method}/e${index}.sql`, `-- @param x ${type}\nSELECT ${sql} AS r`.replace(/ (FROM t.*) AS r$/, ' AS r $1')]), // prettier-ignore
  ),
)
const declared = '-- @param day date\n-- @param at timestamp\n-- @param code uuid\n'
const insert = 'INSERT INTO t (id, day, at, moment, code, note) VALUES (2, :day + 0, :at, :at, :code, :day)'
Object.assign(files, {
  'demo/GET/fallback.sql': "-- @param x date default \"2026-01-31\"\n-- @param xs date[] default [\"2026-02-28\"]\nSELECT :x + 1 AS r, (:xs)[1] + 1 AS s",
  'demo/GET/nothing.sql': '-- @param x date default null\nSELECT :x + 1 AS r',
  'demo/POST/row.sql': `${declared}${insert} RETURNING day, at, moment, code, note`,
  'demo/POST/texts.sql': '-- @param at timestamp\n-- @param code uuid\nINSERT INTO t (note) VALUES (:at), (:code) RETURNING note',
  'demo/POST/both.sql': '-- @param at timestamp\nINSERT INTO t (note, moment) VALUES (:at, :at) RETURNING note, moment',
  'demo/POST/grouped.sql': '-- @param day date\nINSERT INTO t (day, id) SELECT greatest(day, :day), 3 FROM t WHERE id = 1 GROUP BY greatest(day, :day) RETURNING day',
  'demo/POST/lists.sql': '-- @param xs date[]\nINSERT INTO days VALUES (:xs, NULL) RETURNING days',
}) // prettier-ignore

let service: TestService

function rowsOf({ status, text }: Awaited<ReturnType<TestService['get']>>, what: string): unknown {
  strictEqual(status, 200, `${what}: ${text}`)
  return JSON.parse(text)
}

function inQuery(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.includes(null) || value.length === 0 ? undefined : value.map(inOne).join('&')
  return value === null ? undefined : inOne(value)
}

const inOne = (value: unknown): string => `x=${encodeURIComponent(value as string)}`

describe('declared dates, timestamps and UUIDs on PostgreSQL [F6]', () => {
  before(async () => {
    service = await startTestService({ kind: 'postgres', files, schema, config: { openapi: true } })
  })

  after(() => service.close())

  test('have their type in a query string, in a body and in a batch', async () => {
    for (const [index, [type, sql, x, r]] of expressions.entries()) {
      const what = `${type} ${sql} ${JSON.stringify(x)}`
      const query = inQuery(x)
      for (let round = 0; round < 2; round++) {
        if (query !== undefined) deepStrictEqual(rowsOf(await service.get(`/demo/e${index}?${query}`), what), [{ r }])
        deepStrictEqual(rowsOf(await service.post(`/demo/e${index}`, { x }), what), [{ r }])
      }
      const queries = [{ x }, { x: null }, { x }]
      const sets = rowsOf(await service.post(`/demo/e${index}/batch`, { queries }), what) as unknown[]
      deepStrictEqual([sets[0], sets[2]], [[{ r }], [{ r }]], what)
    }
  })

  test('have it as defaults too', async () => {
    const found = rowsOf(await service.get('/demo/fallback'), 'defaults')
    deepStrictEqual(found, [{ r: '2026-02-01', s: '2026-03-01' }])
    deepStrictEqual(rowsOf(await service.get('/demo/nothing'), 'null'), [{ r: null }])
    deepStrictEqual(rowsOf(await service.get(`/demo/nothing?x=${day}`), 'a date'), [{ r: '2026-02-01' }])
  })

  test('fit the columns that they are written to, and a column of text keeps what was sent', async () => {
    const at = '2026-01-31T12:00:00+02:00'
    deepStrictEqual(rowsOf(await service.post('/demo/row', { day, at, code: uuid }), 'a row'), [
      { day, at: '2026-01-31T10:00:00', moment: '2026-01-31T10:00:00Z', code: uuid.toLowerCase(), note: day },
    ])
    const nulls = rowsOf(await service.post('/demo/row', { day: null, at: null, code: null }), 'nulls')
    deepStrictEqual(nulls, [{ day: null, at: null, moment: null, code: null, note: null }])
    deepStrictEqual(rowsOf(await service.post('/demo/texts', { at, code: uuid }), 'texts'), [
      { note: at },
      { note: uuid },
    ])
    deepStrictEqual(rowsOf(await service.post('/demo/both', { at }), 'text and moment'), [
      { note: at, moment: '2026-01-31T10:00:00Z' },
    ])
    deepStrictEqual(rowsOf(await service.post('/demo/grouped', { day: '2026-02-01' }), 'a group'), [
      { day: '2026-02-01' },
    ])
    for (const xs of [[day, null], [], null]) {
      deepStrictEqual(rowsOf(await service.post('/demo/lists', { xs }), 'a list'), [{ days: xs }])
    }
  })

  test('are described as requests find them', async () => {
    const { components } = JSON.parse((await service.get('/openapi.json')).text) as Described
    const rowOf = (name: string): unknown => components.schemas[`get_demo_${name}_row`]?.properties?.['r']
    const text = { type: ['string', 'null'] }
    deepStrictEqual([rowOf('e0'), rowOf('nothing')], [text, text])
    const database = await createDatabase('postgres')
    const folder = newFolder()
    try {
      await database.execute(schema)
      const setting = { files, folder, config: { datasources: [{ name: 'demo', url: database.url }] } }
      const report = await runCheck({ ...setting, args: ['--write'] })
      ok(!/error/.test(report.stdout), report.stdout)
      const lock = readLock(readFileSync(join(folder, 'sqlapi.lock.json'), 'utf8'))
      const typesOf = (name: string): unknown => {
        const entry = lock.get(name)?.postgres
        return [entry?.parameters[0]?.type?.name, entry?.keys?.[0]?.type?.name]
      }
      deepStrictEqual(typesOf('GET /demo/e0'), ['date', 'date'])
      deepStrictEqual(typesOf('GET /demo/e1'), ['date', 'timestamp with time zone'])
      deepStrictEqual(typesOf('GET /demo/e2'), ['date', 'date'])
      deepStrictEqual(typesOf(`GET /demo/e${expressions.findIndex(([type]) => type === 'timestamp') + 3}`), ['timestamp without time zone', undefined]) // prettier-ignore
    } finally {
      await database.remove()
    }
  })
})

interface Described {
  readonly components: { readonly schemas: Record<string, { readonly properties?: Record<string, unknown> }> }
}
