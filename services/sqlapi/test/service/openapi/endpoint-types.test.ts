/** What an endpoint takes and gives: endpoint-types/, held against what the service answers. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../../src/database/open.ts'
import { dialects } from '../../../src/dialects.ts'
import type { DatabaseType, DescribedColumn, StatementDescription } from '../../../src/description.ts'
import { toEndpointTypes } from '../../../src/endpoint-types/endpoint-types.ts'
import { type JsonType, jsonTypeOfParameter, jsonTypeOfResult } from '../../../src/endpoint-types/json-types.ts'
import type { Dialect, Endpoint } from '../../../src/model.ts'
import { kindOf } from '../../../src/sql/kind.ts'
import { readScript } from '../../../src/sql/script.ts'
import { createDatabase } from '../../support/databases.ts'
import { textOf } from '../../support/sqlite.ts'

const column = (name: string, type?: string): DescribedColumn => ({
  key: name,
  column: name,
  type: type === undefined ? undefined : { name: type },
  nullable: undefined,
})

const described = (
  columns: readonly DescribedColumn[] | undefined,
  types: Record<string, string> = {},
): StatementDescription => ({
  outcome: 'described',
  parameters: Object.entries(types).map(([name, type]) => ({ name, type: { name: type }, isList: false })),
  columns,
})

const unchecked: StatementDescription = { outcome: 'unchecked', reason: 'why not' }

function typesOf(sql: string, descriptions: readonly StatementDescription[]) {
  return toEndpointTypes(readScript(sql, dialects.postgres.grammar), descriptions)
}

test('the keys are those of the last statement with a result, if nothing behind it is unknown [N2.1]', () => {
  const [a, b] = [[column('a')], [column('b')]]
  deepStrictEqual(typesOf('SELECT 1; SELECT 2', [described(a), described(b)]).keys, b)
  deepStrictEqual(typesOf('SELECT 1; UPDATE t SET a = 1', [described(a), described(undefined)]).keys, a)
  deepStrictEqual(typesOf('SELECT 1; SELECT 2', [described(a), unchecked]).keys, undefined)
  deepStrictEqual(typesOf('SELECT 1; SELECT 2', [unchecked, described(b)]).keys, b)
  deepStrictEqual(typesOf('UPDATE t SET a = 1', [described(undefined)]).keys, [])
  deepStrictEqual(typesOf('-- nothing', []).keys, [])
  deepStrictEqual(typesOf('SELECT', [described([])]).keys, [])
})

test('of two columns with one key the last counts, where the first stands [N2.1] [D5.1]', () => {
  const columns = [column('user_id', 'integer'), column('b'), { ...column('USER_ID', 'text'), key: 'userId' }]
  deepStrictEqual(
    typesOf('SELECT 1', [described(columns)]).keys?.map(({ type, column: name }) => [name, type?.name]),
    [
      ['USER_ID', 'text'],
      ['b', undefined],
    ],
  )
})

test('a parameter has the type on which all statements agree [N2.1]', () => {
  const sql = 'SELECT :a, :b; SELECT :b, :c; SELECT :d IN (:d)'
  const { parameters } = typesOf(sql, [
    described([], { a: 'integer', b: 'integer' }),
    described([], { b: 'text', c: 'date' }),
    unchecked,
  ])
  deepStrictEqual(
    parameters.map(({ name, type, isList }) => [name, type?.name, isList]),
    [
      ['a', 'integer', false],
      ['b', undefined, false],
      ['c', 'date', false],
      ['d', undefined, true],
    ],
  )
})

/** Values of PostgreSQL, one of each kind of type, and what they are declared to be. */
const postgresValues: readonly (readonly [value: string, type: JsonType['type'], rest?: Partial<JsonType>])[] = [
  ['true', 'boolean'],
  ['1::int2', 'integer', { bits: 16 }],
  ['1::int4', 'integer', { bits: 32 }],
  ['1::int8', 'integer'],
  ['1::oid', 'integer'],
  ['1.5::float4', 'number', { holdsNoNumbers: true }],
  ["'NaN'::float8", 'number', { holdsNoNumbers: true }],
  ['1.50::numeric(10,2)', 'string'],
  ['1.50::numeric', 'string'],
  ['\'{"a": 1}\'::json', 'any'],
  ["'[1]'::jsonb", 'any'],
  ["'2026-01-01'::date", 'string'],
  ["'10:20'::time", 'string'],
  ["'10:20+02'::timetz(3)", 'string'],
  ['now()::timestamp(3)', 'string'],
  ['now()', 'string'],
  ["'2026-01-01 00:00Z'::timestamptz(0)", 'string'],
  ["'1 day'::interval", 'string'],
  ["'a'::text", 'string'],
  ["'a'::varchar(3)", 'string'],
  ["'a'::char(3)", 'string'],
  ["'a'::name", 'string'],
  ["'a'::bytea", 'string'],
  ["'101'::bit(3)", 'string'],
  ["'10.0.0.0/8'::cidr", 'string'],
  ['1::money', 'string'],
  ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", 'string', { format: 'uuid' }],
  ["'(1,2)'::point", 'string'],
  ["'[1,2)'::int4range", 'string'],
  ["'1 2'::int2vector", 'string'],
  ["'1 2'::oidvector", 'string'],
  ["ROW(1, 'a')", 'string'],
  ["'good'::mood", 'string', { labels: ['good', 'bad'] }],
  ['5::positive', 'integer', { bits: 32 }],
  ["'{good,bad}'::moods", 'array', { mayNest: true, items: { type: 'string', labels: ['good', 'bad'] } }],
  ['ARRAY[1, NULL]', 'array', { mayNest: true, items: { type: 'integer', bits: 32 } }],
  ['ARRAY[1.5]::numeric(10,2)[]', 'array', { mayNest: true, items: { type: 'string' } }],
  ["ARRAY['NaN']::float8[]", 'array', { mayNest: true, items: { type: 'number', holdsNoNumbers: true } }],
  ["ARRAY['a']::varchar(3)[]", 'array', { mayNest: true, items: { type: 'string' } }],
  ['ARRAY[5]::positive[]', 'array', { mayNest: true, items: { type: 'integer', bits: 32 } }],
  ["ARRAY['{}']::json[]", 'array', { mayNest: true, items: { type: 'any' } }],
  ["'{(1,2),(3,4)}'::box[]", 'array', { mayNest: true, items: { type: 'string' } }],
  ['null', 'string'],
]

const sqliteValues: readonly (readonly [
  declared: string,
  value: string,
  type: JsonType['type'],
  rest?: Partial<JsonType>,
])[] = [
  ['INTEGER', '9007199254740993', 'number', { others: ['string'], holdsNoNumbers: true }],
  ['BIGINT', '1', 'number', { others: ['string'], holdsNoNumbers: true }],
  ['BOOLEAN', '1', 'boolean', { others: ['number', 'string'], holdsNoNumbers: true }],
  ['bool', '0', 'boolean', { others: ['number', 'string'], holdsNoNumbers: true }],
  ['VARCHAR(40)', "'a'", 'string'],
  ['text', "'a'", 'string'],
  ['BLOB', "x'00ff'", 'string', { others: ['number'], holdsNoNumbers: true }],
  ['REAL', '1.5', 'number', { others: ['string'], holdsNoNumbers: true }],
  ['DOUBLE PRECISION', '1.5', 'number', { others: ['string'], holdsNoNumbers: true }],
  ['NUMERIC(10,2)', '1.5', 'number', { others: ['string'], holdsNoNumbers: true }],
  ['DATE', "'2026-01-01'", 'any'],
  ['', "'a'", 'any'],
]

function isOf(value: unknown, { type, items }: JsonType): boolean {
  if (value === null) return true
  if (type === 'any') return true
  if (type === 'array') return Array.isArray(value) && value.every((element) => isOf(element, items as JsonType))
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

/** Describes and runs `SELECT value AS x`. */
async function answersOf(kind: Dialect, schema: string, queries: readonly string[]) {
  const raw = await createDatabase(kind)
  if (schema !== '') await raw.execute(schema)
  const options = {
    maxConnections: 1,
    poolSize: 1,
    acquireTimeoutSeconds: 300,
    statementTimeoutSeconds: 0,
    timeZone: 'UTC',
  }
  const database = await openDatabase({ name: 'demo', dialect: kind, url: raw.url, ...options })
  try {
    const found: { type: DatabaseType | undefined; value: unknown }[] = []
    for (const sql of queries) {
      const script = readScript(sql, dialects[kind].grammar)
      const descriptions = await database.describe([script])
      const [key] = toEndpointTypes(script, descriptions[0] as StatementDescription[]).keys as DescribedColumn[]
      const endpoint: Endpoint = {
        method: 'GET',
        project: 'p',
        path: '/p/x',
        file: 'x',
        transactional: false,
        scripts: {},
        declarations: undefined,
      }
      const cancellation = { cancelled: false, onCancel: undefined }
      const result = await database.run({
        endpoint,
        script,
        sets: [new Map()],
        batch: false,
        format: 'json',
        cancellation,
        requestId: 'a-request',
        trace: undefined,
      })
      const [row] = JSON.parse(await textOf(result)) as [{ x: unknown }]
      found.push({ type: key?.type, value: row.x })
    }
    return found
  } finally {
    await database.close()
    await raw.remove()
  }
}

test('every type of PostgreSQL is in JSON what the table says [N2.1] [D5.3]', async () => {
  const schema = `CREATE TYPE mood AS ENUM ('good', 'bad'); CREATE DOMAIN moods AS mood[]; CREATE DOMAIN positive AS int`
  const found = await answersOf('postgres', schema, postgresValues.map(([value]) => `SELECT ${value} AS x`)) // prettier-ignore
  for (const [index, [value, type, rest = {}]] of postgresValues.entries()) {
    const { type: found1, value: answered } = found[index] as (typeof found)[number]
    const json = jsonTypeOfResult(found1, 'postgres')
    deepStrictEqual(json, { type, ...rest }, value)
    ok(isOf(answered, json), `${value} is ${JSON.stringify(answered)}`)
  }
})

test('what a column of SQLite was declared as is in JSON what the table says [N2.1] [D5.4]', async () => {
  const columns = sqliteValues.map(([declared], index) => `c${index} ${declared}`)
  const schema = `CREATE TABLE t (${columns.join()}); INSERT INTO t VALUES (${sqliteValues.map(([, value]) => value).join()})`
  const found = await answersOf('sqlite', schema, sqliteValues.map((_, index) => `SELECT c${index} AS x FROM t`)) // prettier-ignore
  for (const [index, [declared, , type, rest = {}]] of sqliteValues.entries()) {
    const { type: found1, value } = found[index] as (typeof found)[number]
    const json = jsonTypeOfResult(found1, 'sqlite')
    deepStrictEqual(json, { type, ...rest }, declared)
    ok(isOf(value, json), `${declared} is ${JSON.stringify(value)}`)
  }
})

test('a number is sent as one, whatever it comes back as [N2.1]', () => {
  deepStrictEqual(jsonTypeOfParameter({ name: 'numeric(10,2)' }, 'postgres'), { type: 'number' })
  deepStrictEqual(jsonTypeOfParameter({ name: 'numeric[]' }, 'postgres'), { type: 'array', items: { type: 'number' } })
  deepStrictEqual(jsonTypeOfParameter({ name: 'double precision' }, 'postgres'), { type: 'number' })
  deepStrictEqual(jsonTypeOfParameter(undefined, 'sqlite'), { type: 'any' })
})

test('the kind of a file is that of the statement that does most [N2.1]', () => {
  const expected: readonly (readonly [sql: string, kind: string])[] = [
    ['', 'read'],
    ['SELECT 1', 'read'],
    ["SELECT set_config('a.b', 'update', false); SELECT 2", 'read'],
    ['SELECT 1; INSERT INTO t VALUES (1)', 'write'],
    ['WITH x AS (DELETE FROM t RETURNING a) SELECT pg_advisory_lock(1) FROM x', 'write'],
    ['CREATE TABLE t (a int); INSERT INTO t VALUES (1)', 'definition'],
    ['CREATE TEMP TABLE t (a int)', 'definition'],
    ['BEGIN; SELECT 1; COMMIT', 'read'],
    ['CALL something()', 'write'],
    ['DO $$ BEGIN END $$', 'write'],
  ]
  for (const [sql, kind] of expected) strictEqual(kindOf(readScript(sql, dialects.postgres.grammar), dialects.postgres.grammar), kind, sql) // prettier-ignore
  const onSqlite = (sql: string): string => kindOf(readScript(sql, dialects.sqlite.grammar), dialects.sqlite.grammar)
  strictEqual(onSqlite('PRAGMA table_info(t)'), 'read')
  strictEqual(onSqlite('PRAGMA user_version = 3'), 'write')
})
