/**
 * The description of a service with real databases: typed to the column, with examples that are sent and accepted, and
 * a client that the compiler holds to it.
 */
import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { newFolder, until, writeFiles } from '@services/testing'
import { compileClient, writeClientTypes } from '@services/testing/openapi-client'
import { dialectNames } from '../../../src/dialects.ts'
import type { Dialect } from '../../../src/model.ts'
import { createDatabase } from '../../support/databases.ts'
import { spawnSqlapi, startSqlapi } from '../../support/process.ts'
import { startTestService, type TestService, type TestServiceOptions } from '../../support/service.ts'

const files = {
  'demo/GET/orders.sql': `-- @summary Orders of one customer
-- @description Newest first.
-- @tag orders
-- @param customer -- Number of the customer
-- @param from date default null -- First day
-- @result placedOn Day of the order
SELECT order_id, placed_on, total_amount, note FROM orders
WHERE customer_id = :customer AND (:from IS NULL OR placed_on >= CAST(:from AS date)) ORDER BY order_id DESC`,
  'demo/GET/ids.sql': `-- @param ids integer[]
SELECT order_id FROM orders WHERE order_id IN (:ids)`,
  'demo/POST/orders/add.sql': `-- @param state string default "new"
-- @enum state new, paid
INSERT INTO orders (customer_id, placed_on, total_amount, note) VALUES (:customer, :placedOn, :total, :state)
RETURNING order_id, customer_id`,
  'demo/POST/orders/find.sql': 'SELECT order_id FROM orders WHERE note IN (:notes) OR order_id = :id',
  'demo/POST/orders/clear.sql': 'DELETE FROM orders WHERE order_id = :id AND note IS NULL AND total_amount < 0',
}

const schemas: Readonly<Record<Dialect, string>> = {
  postgres: `CREATE TABLE orders (order_id bigserial PRIMARY KEY, customer_id int NOT NULL, placed_on date NOT NULL,
    total_amount numeric(10,2), note text)`,
  sqlite: `CREATE TABLE orders (order_id integer PRIMARY KEY, customer_id integer NOT NULL, placed_on date NOT NULL,
    total_amount numeric(10,2), note text)`,
}

async function start(t: TestContext, kind: Dialect, more: Partial<TestServiceOptions> = {}): Promise<TestService> {
  const service = await startTestService({ kind, files, schema: schemas[kind], config: { openapi: true }, ...more })
  t.after(() => service.close())
  return service
}

function withoutNull(row: { properties: Record<string, unknown> } | undefined, ...keys: readonly string[]): unknown {
  const known = row?.properties as Record<string, { type?: string | string[] }>
  const changed = keys.map((key) => {
    const { type, ...others } = known[key] ?? {}
    return [key, type === undefined ? others : { type: [type].flat()[0], ...others }]
  })
  return { ...row, properties: { ...known, ...(Object.fromEntries(changed) as object) } }
}

interface Media {
  readonly example: Record<string, unknown>
}

interface Described {
  readonly summary?: string
  readonly parameters?: { name: string; in: string; required: boolean; example?: unknown; schema: object }[]
  readonly requestBody?: { readonly content: Record<string, Media> }
}

interface Document {
  readonly paths: Record<string, Record<string, Described>>
  readonly components: { schemas: Record<string, { required?: string[]; properties: Record<string, unknown> }> }
}

/** Once the databases have answered. */
async function readText(service: TestService): Promise<string> {
  let text = ''
  await until(async () => {
    ;({ text } = await service.get('/openapi.json'))
    return !text.includes('"additionalProperties":true')
  }, 'the types are known')
  return text
}

async function read(service: TestService): Promise<Document> {
  return JSON.parse(await readText(service)) as Document
}

/** Each operation with its example, as a client sends it. */
function examplesOf({ paths }: Document): { method: string; path: string; body: string | undefined }[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [], requestBody }]) => {
      const query = parameters
        .filter((parameter) => parameter.in === 'query')
        .flatMap(({ name, example }) => [example].flat().map((value) => [name, value] as const))
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
      const content = requestBody?.content['application/json']
      return {
        method: method.toUpperCase(),
        path: query.length === 0 ? path : `${path}?${query.join('&')}`,
        body: content === undefined ? undefined : JSON.stringify(content.example),
      }
    }),
  )
}

for (const kind of dialectNames) {
  describe(`described by ${kind}`, () => {
    test('rows are typed to the column, parameters from comments and statements [N4.1]', async (t) => {
      const { paths, components } = await read(await start(t, kind))
      const { get_demo_orders_row: row, post_demo_orders_add_parameters: body } = components.schemas
      const isPostgres = kind === 'postgres'
      // Whether a column may be null is the business of who asks the databases.
      deepStrictEqual(withoutNull(row, 'orderId', 'placedOn'), {
        type: 'object',
        required: ['orderId', 'placedOn', 'totalAmount', 'note'],
        properties: {
          orderId: { type: 'integer', format: 'int64' },
          placedOn: isPostgres
            ? { type: 'string', description: 'Day of the order' }
            : { description: 'Day of the order' },
          totalAmount: isPostgres ? { type: ['string', 'null'] } : { type: ['number', 'string', 'null'] },
          note: { type: ['string', 'null'] },
        },
      })
      const { summary, parameters } = paths['/demo/orders']?.['get'] ?? {}
      strictEqual(summary, 'Orders of one customer')
      deepStrictEqual(parameters, [
        {
          name: 'customer',
          in: 'query',
          required: true,
          description: 'Number of the customer',
          schema: isPostgres ? { type: 'integer', format: 'int64' } : { type: 'string' },
          example: isPostgres ? 1 : '1',
        },
        {
          name: 'from',
          in: 'query',
          required: false,
          description: 'First day',
          schema: { type: 'string', format: 'date' },
        },
      ])
      deepStrictEqual(body?.required, ['customer', 'placedOn', 'total'])
      deepStrictEqual(body?.properties['state'], {
        anyOf: [{ type: 'string', enum: ['new', 'paid'], default: 'new' }, { type: 'null' }],
      })
    })

    test('each example is accepted, the batch forms too [N4.1]', async (t) => {
      const service = await start(t, kind)
      const examples = examplesOf(await read(service))
      strictEqual(examples.length, 8)
      for (const example of examples) {
        const { status, text } = await service.send(example)
        strictEqual(status, 200, `${example.method} ${example.path} ${example.body}: ${text}`)
      }
    })

    test('a client of it compiles, and a wrong key is a compile error [N4.2]', async (t) => {
      const text = await readText(await start(t, kind))
      const wrong = [
        'data?.[0]?.placed_on',
        'data?.[0]?.total',
        "await api.GET('/demo/orders')",
        "await api.GET('/demo/nothing')",
        "await api.POST('/demo/orders', { body: {} })",
        "await api.POST('/demo/orders/add', { body: { placedOn: '2026-01-31', total: 1 } })",
        "await api.POST('/demo/orders/add', { body: { customer: 1, placedOn: '', total: 1, state: 'nwe' } })",
        'const wrong: string = data![0]!.orderId',
        'added.data?.[0]?.[0]?.order_id',
      ]
      // SQLite cannot tell what a parameter is.
      const customer = kind === 'postgres' ? '1' : "'1'"
      const code = `import createClient from 'openapi-fetch'
import type { components, paths } from './api.js'
const api = createClient<paths>({ baseUrl: 'http://localhost:8080' })
const { data, error } = await api.GET('/demo/orders', { params: { query: { customer: ${customer} } } })
const id: number | null | undefined = data?.[0]?.orderId
const note: string | null | undefined = data?.[0]?.note
if (error !== undefined) throw new Error(error.error + error.message)
const row: components['schemas']['get_demo_orders_row']['orderId'] = data[0]!.orderId
const set = { customer: 1, placedOn: '2026-01-31', total: 1 }
await api.POST('/demo/orders/add', { body: set })
const added = await api.POST('/demo/orders/add/batch', { body: { queries: [set, { ...set, state: 'paid' }] } })
const addedId: number | null | undefined = added.data?.[0]?.[0]?.orderId
await api.POST('/demo/orders/find', { body: { notes: ['a'], id: 1 } })
await api.GET('/demo/ids', { params: { query: { ids: [1, 2] } } })
${wrong.join('\n')}
export { id, note, row, addedId, wrong }
`
      deepStrictEqual(compileClient(await writeClientTypes(text), code), wrong)
    })

    test('the command prints the same without serving [N4.1]', async (t) => {
      const database = await createDatabase(kind)
      t.after(() => database.remove())
      await database.execute(schemas[kind])
      const datasources = [{ name: 'demo', url: database.url }]
      const running = await startSqlapi({ files, config: { openapi: true, datasources } })
      let text = ''
      await until(async () => {
        text = await (await fetch(`http://127.0.0.1:${running.port}/openapi.json`)).text()
        return !text.includes('"additionalProperties":true')
      }, 'the types are known')
      const document = JSON.parse(text) as Document
      await running.stop()
      const { code, stdout, stderr } = await spawnSqlapi({ args: ['openapi'], cwd: running.folder }).ended
      deepStrictEqual([code, stderr, JSON.parse(stdout)], [0, '', document])
      ok(stdout.startsWith('{\n  "openapi"') && stdout.endsWith('}\n'))
    })
  })
}

test('types that are texts have examples that PostgreSQL reads, GET and POST [N4.1]', async (t) => {
  const types = (
    'smallint;bigint;real;numeric;numeric(10,2);boolean;text;varchar(3);char(3);"char";date;time;timetz;timestamp;timestamp(3);' +
    'timestamptz;interval;uuid;json;jsonb;bytea;inet;cidr;macaddr;macaddr8;bit(1);varbit;money;jsonpath;oid;regclass;point;line;' +
    'lseg;box;path;polygon;circle;pg_lsn;tsvector;tsquery;xml;name;int4range;tstzrange;datemultirange;int[];text[];timestamp[];' +
    'jsonb[];uuid[];mood;mood[];email;money[]'
  ).split(';')
  const schema = "CREATE TYPE mood AS ENUM ('sad', 'it''s ok'); CREATE DOMAIN email AS text CHECK (VALUE <> '')"
  const own = Object.fromEntries(
    types.flatMap((type, index) => [
      [`demo/GET/t${index}.sql`, `SELECT CAST(:x AS ${type}) AS x`],
      [`demo/POST/t${index}.sql`, `SELECT CAST(:x AS ${type}) AS x`],
    ]),
  )
  const service = await start(t, 'postgres', { files: own, schema })
  const examples = examplesOf(await read(service))
  strictEqual(examples.length, 3 * types.length)
  const refused: string[] = []
  for (const example of examples) {
    const { status, text } = await service.send(example)
    const type = types[Number(/\d+/.exec(example.path)?.[0])]
    if (status !== 200) refused.push(`${type}: ${example.method} ${example.path} ${example.body}: ${text}`)
  }
  deepStrictEqual(refused, [])
})

test('rows of a datasource with the shapes of the predecessor have their types [N4.1]', async (t) => {
  const service = await start(t, 'postgres', {
    files: { 'demo/GET/a.sql': "SELECT 1.5 AS n, '{1.5}'::numeric[] AS ns, '1'::jsonb AS j, ARRAY['1'::json] AS js" },
    datasource: { results: { numeric: 'number', json: 'pgobject' } },
  })
  const { properties } = (await read(service)).components.schemas['get_demo_a_row']!
  const [row] = JSON.parse((await service.get('/demo/a')).text) as Record<string, unknown>[]
  deepStrictEqual(row, { n: 1.5, ns: [1.5], j: { type: 'jsonb', value: '1' }, js: ['1'] })
  deepStrictEqual(properties['n'], { type: ['number', 'string', 'null'] })
  deepStrictEqual(properties['ns'], { type: ['array', 'null'], items: { type: ['number', 'string', 'null', 'array'] } })
  deepStrictEqual(properties['js'], { type: ['array', 'null'], items: { type: ['string', 'null', 'array'] } })
  deepStrictEqual((properties['j'] as { properties: object }).properties, {
    type: { type: 'string' },
    value: { type: 'string' },
  })
})

test('numbers in comments keep their digits [N4.1]', async (t) => {
  const service = await start(t, 'sqlite', {
    files: {
      'demo/POST/a.sql': `-- @param big integer default 9007199254740993
-- @param list integer[] default [9007199254740993, 1.0]
-- @param one integer default 12345678901234567
-- @enum one 12345678901234567, 1
SELECT :big AS big, :list AS list, :one AS one`,
    },
  })
  const { text } = await service.get('/openapi.json')
  match(text, /"default":9007199254740993/)
  match(text, /"enum":\[12345678901234567,1\]/)
  match(text, /"example":\{"big":9007199254740993/)
})

test('a database that cannot be reached leaves its endpoints without types, and is asked again [N4.1]', async (t) => {
  const folder = newFolder()
  writeFiles(join(folder, 'sql'), { 'demo/GET/a.sql': 'SELECT 1 AS one' })
  const config = { sql_dir: 'sql', datasources: [{ name: 'demo', url: 'postgres://127.0.0.1:1/none' }] }
  writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify(config))
  const { code, stdout, stderr } = await spawnSqlapi({ args: ['openapi'], cwd: folder }).ended
  strictEqual(code, 0)
  match(stderr, /^sqlapi: datasource demo cannot be asked, types are left out: .+\n$/)
  deepStrictEqual((JSON.parse(stdout) as Document).components.schemas['get_demo_a_row'], {
    type: 'object',
    additionalProperties: true,
  })
  const service = await start(t, 'postgres', {
    files: { 'demo/GET/a.sql': 'SELECT 1 AS one' },
    datasource: { url: 'postgres://127.0.0.1:1/none' },
    schema: undefined,
  })
  strictEqual((await service.get('/openapi.json')).status, 200)
})

test('a configuration that is wrong ends the command with 1 and one line [N4.1]', async () => {
  const { code, stdout, stderr } = await spawnSqlapi({ args: ['openapi', '-c', 'nowhere.yaml'], cwd: newFolder() })
    .ended
  deepStrictEqual([code, stdout], [1, ''])
  match(stderr, /^sqlapi: InvalidConfigurationException: .*nowhere\.yaml.*\n$/)
})

test('every worker comes to describe the same [N4.1]', async (t) => {
  const database = await createDatabase('sqlite')
  await database.execute(schemas.sqlite)
  const running = await startSqlapi({
    files,
    config: { openapi: true, server: { workers: 2 }, datasources: [{ name: 'demo', url: database.url }] },
  })
  t.after(async () => {
    await running.stop()
    await database.remove()
  })
  const tags = new Set<string | null>()
  await until(async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, () =>
        fetch(`http://127.0.0.1:${running.port}/openapi.json`, { headers: { connection: 'close' } }),
      ),
    )
    const texts = await Promise.all(replies.map((reply) => reply.text()))
    tags.clear()
    for (const reply of replies) tags.add(reply.headers.get('etag'))
    return texts.every((text) => text.includes('"orderId"'))
  }, 'each worker knows the columns')
  strictEqual(tags.size, 1)
  notStrictEqual([...tags][0], null)
})
