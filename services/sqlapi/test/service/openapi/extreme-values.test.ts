/** Every value that an answer can have fits the schema that describes it, extreme values of all types included. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Ajv2020, type Format } from 'ajv/dist/2020.js'
import { startTestService, type TestService, type TestServiceOptions } from '../../support/service.ts'

/** A type and values of it, as texts. */
type Values = readonly (readonly [type: string, ...values: string[]])[]

const manyYears = ['2026-01-31', '0001-01-01', '0044-03-15 BC', '10000-01-01', '294276-12-31', 'infinity', '-infinity']
const moments = manyYears.map((day) => (day.includes('infinity') ? day : day.replace(/^[\d-]+/, '$& 23:59:59.999999')))
const nested = (...elements: string[]): string[] => [
  '{}',
  '{NULL}',
  ...elements.flatMap((each) => [`{"${each}",NULL}`, `{{"${each}"},{NULL}}`, `{{{"${each}","${each}"}}}`]),
  `[0:1]={"${elements[0]}",NULL}`,
]

const postgresTypes: Values = [
  ['bool', 'true', 'false'],
  ['int2', '-32768', '32767'],
  ['int4', '-2147483648', '2147483647'],
  ['int8', '-9223372036854775808', '9223372036854775807', '9007199254740993'],
  ['oid', '0', '4294967295'],
  ['float4', 'NaN', 'Infinity', '-Infinity', '3.4028235e38', '1e-45', '-0'],
  ['float8', 'NaN', 'Infinity', '-Infinity', '1.7976931348623157e308', '5e-324', '0.1', '1'],
  ['numeric', 'NaN', 'Infinity', '-Infinity', '1', '0.000', `${'9'.repeat(60)}.5`],
  ['numeric(10,2)', 'NaN', '-99999999.99'],
  ['date', ...manyYears.filter((day) => !day.startsWith('294')), '5874897-12-31', '4713-01-01 BC'],
  ['timestamp', ...moments],
  ['timestamp(3)', ...moments.slice(0, 4)],
  ['timestamptz', ...moments.filter((each) => !each.startsWith('294'))],
  ['time', '00:00', '24:00:00', '23:59:59.999999'],
  ['timetz', '24:00:00+15:59', '00:00:00-15:59', '10:20:30.5Z'],
  ['interval', '178000000 years', '-1 day', '00:00'],
  ['text', '', 'õ😀"\\'],
  ['varchar(3)', 'abc'],
  ['char(3)', 'a'],
  ['"char"', 'a'],
  ['name', 'a'],
  ['bytea', '\\x', '\\x00ff'],
  ['bit(3)', '101'],
  ['bit varying', '', '1'],
  ['money', '-92233720368547758.08', '92233720368547758.07'],
  ['uuid', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF', '00000000-0000-0000-0000-000000000000'],
  ['json', 'null', '1e400', '[]', '"x"', '{"a":1,"a":2}'],
  ['jsonb', 'null', '12345678901234567890123', '[{}]', 'true'],
  ['xml', '<a/>'],
  ['inet', '::1/0'],
  ['macaddr8', '08:00:2b:01:02:03:04:05'],
  ['point', '(NaN,Infinity)'],
  ['int4range', 'empty', '(,)', '[1,2)'],
  ['daterange', '[-infinity,infinity]'],
  ['int8multirange', '{}', '{[1,2),[3,)}'],
  ['int2vector', '1 2'],
  ['tsvector', 'a:1'],
  ['pg_lsn', 'FFFFFFFF/FFFFFFFF'],
  ['mood', 'good', 'so so'],
  ['pair', '(1,"a b")', '(,)'],
  ['positive', '1', '2147483647'],
  ['late', 'infinity', '0044-03-15 BC'],
  ['moods', ...nested('good')],
  ['moods[]', ...nested('{good}', '{{good},{NULL}}')],
  ['int2[]', ...nested('-32768', '32767')],
  ['int4[]', ...nested('2147483647')],
  ['float8[]', ...nested('NaN', '1.5')],
  ['numeric[]', ...nested('NaN', '1.50')],
  ['bool[]', ...nested('t')],
  ['text[]', ...nested('', 'NULL')],
  ['date[]', ...nested('infinity', '0044-03-15 BC')],
  ['timestamptz[]', ...nested('-infinity', '2026-01-31 10:00Z')],
  ['json[]', ...nested('1', 'null')],
  ['jsonb[]', ...nested('true')],
  ['mood[]', ...nested('so so')],
  ['pair[]', ...nested('(1,a)')],
  ['positive[]', ...nested('5')],
  ['box[]', '{(1,2),(3,4);NULL}'],
  ['uuid[]', ...nested('ffffffff-ffff-ffff-ffff-ffffffffffff')],
  ['interval[]', ...nested('1 day')],
]

const postgresSchema = `CREATE TYPE mood AS ENUM ('good', 'so so'); CREATE DOMAIN moods AS mood[]; CREATE DOMAIN positive AS int;
CREATE DOMAIN late AS date; CREATE TYPE pair AS (a int, b text)`

/** Formats as JSON Schema and OpenAPI define them. */
const formats: Record<string, Format> = {
  int32: { type: 'number', validate: (value: number) => Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31 },
  // A double rounds the largest one up.
  int64: { type: 'number', validate: (value: number) => Number.isInteger(value) && Math.abs(value) <= 2 ** 63 },
  double: { type: 'number', validate: (value: number) => Number.isFinite(value) },
  date: { type: 'string', validate: (value: string) => /^\d{4}-\d\d-\d\d$/.test(value) },
  'date-time': { type: 'string', validate: (value: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value) },
  uuid: { type: 'string', validate: (value: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) },
} // prettier-ignore

interface Described {
  readonly components: { readonly schemas: Record<string, Record<string, unknown>> }
}

/** Calls each file, and holds its rows against what the service says of them; gives these schemas. */
async function checkRows(service: TestService, names: readonly string[]): Promise<Record<string, unknown>> {
  const { components } = JSON.parse((await service.get('/openapi.json')).text) as Described
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats })
  const found: Record<string, unknown> = {}
  for (const name of names) {
    const reply = await service.get(`/demo/${name}`)
    strictEqual(reply.status, 200, `${name}: ${reply.text}`)
    const rows = JSON.parse(reply.text) as unknown[]
    ok(rows.length > 0, name)
    const row = components.schemas[`get_demo_${name}_row`] as Record<string, unknown>
    const validate = ajv.compile(row)
    for (const each of rows) ok(validate(each), `${name}: ${JSON.stringify(each)} ${JSON.stringify(row)}`)
    found[name] = (row['properties'] as { x: unknown }).x
  }
  return found
}

async function start(t: TestContext, options: TestServiceOptions): Promise<TestService> {
  const service = await startTestService({ ...options, config: { openapi: true } })
  t.after(() => service.close())
  return service
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

for (const [title, datasource, session] of [
  ['as they are', {}, ''],
  ['in the shapes of the predecessor', { results: { numeric: 'number', json: 'pgobject' } }, ''],
  [
    'in another zone and style',
    { time_zone: 'Asia/Kathmandu' },
    "SET DateStyle TO 'SQL, DMY'; SET IntervalStyle TO 'sql_standard';",
  ],
] as const) {
  test(`values of every type of PostgreSQL fit their description, ${title} [F8]`, async (t) => {
    const name = (index: number): string => `t${index}`
    const files = Object.fromEntries(
      postgresTypes.map(([type, ...values], index) => {
        const rows = values.map((value) => `(${quoted(value)}::${type})`)
        return [`demo/GET/${name(index)}.sql`, `${session}SELECT x FROM (VALUES ${rows.join()}, (NULL)) AS v(x)`]
      }),
    )
    const service = await start(t, { kind: 'postgres', files, schema: postgresSchema, datasource })
    const schemas = await checkRows(
      service,
      postgresTypes.map((_, index) => name(index)),
    )
    const schemaOf = (type: string): unknown => schemas[name(postgresTypes.findIndex(([each]) => each === type))]
    deepStrictEqual(schemaOf('int2'), { type: ['integer', 'null'], format: 'int32', minimum: -32_768, maximum: 32_767 })
    deepStrictEqual(schemaOf('int4'), { type: ['integer', 'null'], format: 'int32' })
    deepStrictEqual(schemaOf('int8'), { type: ['integer', 'null'], format: 'int64' })
    deepStrictEqual(schemaOf('int4[]'), {
      type: ['array', 'null'],
      items: { type: ['integer', 'null', 'array'], format: 'int32' },
    })
    // Types say as much as values allow.
    deepStrictEqual(Object.keys(schemas).filter((each) => JSON.stringify(schemas[each]) === '{}').length, title.includes('shapes') ? 0 : 2) // prettier-ignore
  })
}

/** What SQLite keeps in a column of any type. */
const anything = ["1", "-9223372036854775808", "9007199254740993", "1.5", "9e999", "-9e999", "'text'", "'12'", "''", "x'00ff'", "x''", 'NULL', "'NaN'"] // prettier-ignore
const sqliteTypes = ['INTEGER', 'INT', 'BIGINT', 'BOOLEAN', 'bool', 'TEXT', 'VARCHAR(40)', 'CLOB', 'BLOB', 'REAL', 'DOUBLE PRECISION', 'FLOATING POINT', 'NUMERIC(10,2)', 'DECIMAL', 'DATE', 'DATETIME', 'JSON', ''] // prettier-ignore

test('whatever SQLite keeps in a column fits its description [F8]', async (t) => {
  const columns = sqliteTypes.map((type, index) => `c${index} ${type}`)
  const values = anything.map((value) => `(${sqliteTypes.map(() => value).join()})`)
  const strict: Record<string, readonly string[]> = {
    INTEGER: ['-9223372036854775808', 'NULL', '1.0'],
    REAL: ['1', '9e999', '0.1', 'NULL'],
    TEXT: ['1', "''", 'NULL'],
    BLOB: ["x'00ff'", 'NULL'],
    ANY: anything,
  }
  const schema = [
    `CREATE TABLE t (id INTEGER PRIMARY KEY, ${columns.join()})`,
    `INSERT INTO t (${sqliteTypes.map((_, index) => `c${index}`).join()}) VALUES ${values.join()}`,
    ...Object.entries(strict).flatMap(([type, own]) => [
      `CREATE TABLE s_${type} (x ${type}) STRICT`,
      `INSERT INTO s_${type} VALUES ${own.map((value) => `(${value})`).join()}`,
    ]),
    'CREATE VIEW v AS SELECT id AS x FROM t',
    "CREATE VIEW u AS SELECT c5 AS x FROM t UNION ALL SELECT 5 UNION ALL SELECT x'00'",
  ].join(';')
  const files = {
    ...Object.fromEntries(
      sqliteTypes.map((_, index) => [`demo/GET/c${index}.sql`, `SELECT c${index} AS x FROM t`]),
    ),
    ...Object.fromEntries(
      Object.keys(strict).map((type) => [`demo/GET/s${type}.sql`, `SELECT x FROM s_${type}`]),
    ),
    'demo/GET/id.sql': 'SELECT id AS x FROM t',
    'demo/GET/outer.sql': 'SELECT b.id AS x FROM t a LEFT JOIN t b ON a.id = b.id + 1',
    'demo/GET/view.sql': 'SELECT x FROM u',
    'demo/GET/compound.sql': "SELECT id AS x FROM t UNION ALL SELECT 'text'",
    'demo/GET/inside.sql': "SELECT x FROM (SELECT c5 AS x FROM t UNION ALL SELECT 1.5)",
    'demo/GET/recursive.sql': "WITH RECURSIVE r(x) AS (SELECT id FROM t UNION ALL SELECT x || 'a' FROM r LIMIT 40) SELECT x FROM r",
  } // prettier-ignore
  const service = await start(t, { kind: 'sqlite', files, schema })
  const names = Object.keys(files).map((file) => file.slice('demo/GET/'.length, -'.sql'.length))
  const schemas = await checkRows(service, names)
  deepStrictEqual(schemas['id'], { type: 'integer', format: 'int64' })
  deepStrictEqual(schemas['outer'], { type: ['integer', 'null'], format: 'int64' })
  deepStrictEqual(schemas['sINTEGER'], { type: ['integer', 'null'], format: 'int64' })
  deepStrictEqual(schemas['sBLOB'], { type: ['string', 'null'], contentEncoding: 'base64' })
  deepStrictEqual(schemas['c0'], { type: ['number', 'string', 'null'] })
  deepStrictEqual(schemas['c3'], { type: ['boolean', 'number', 'string', 'null'] })
  deepStrictEqual(schemas['c5'], { type: ['string', 'null'] })
})
