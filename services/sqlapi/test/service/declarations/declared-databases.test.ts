/** Declared parameters end to end: real requests, and what each database makes of the values. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { dialectNames } from '../../../src/dialects.ts'
import type { Dialect } from '../../../src/model.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const schema = `CREATE TABLE orders (order_id INTEGER, state TEXT, placed_on DATE, note TEXT);
INSERT INTO orders VALUES (1, 'open', '2026-01-10', NULL), (2, 'paid', '2026-02-10', 'x'), (3, 'sent', '2026-03-10', NULL)`

const manual = readFileSync(join(import.meta.dirname, '../../../docs/declarations.md'), 'utf8')

/** The statements of the manual's examples, each known by a part of it. */
function example(part: string): string {
  const blocks = Array.from(manual.matchAll(/```sql\n(.*?)```/gs), ([, sql = '']) => sql)
  return blocks.find((sql) => sql.includes(part)) as string
}

async function withService(
  kind: Dialect,
  files: Record<string, string>,
  run: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await startTestService({ kind, files, schema })
  try {
    await run(service)
    deepStrictEqual(
      service.log.filter((line) => line.includes('WARN') && !line.includes('it occurs twice')),
      [],
    )
  } finally {
    await service.close()
  }
}

async function rows(reply: ReturnType<TestService['get']>): Promise<unknown> {
  const { status, text } = await reply
  strictEqual(status, 200, text)
  return JSON.parse(text)
}

async function refusal(reply: ReturnType<TestService['get']>): Promise<string> {
  const { status, text } = await reply
  strictEqual(status, 400, text)
  const { error, message } = JSON.parse(text) as { error: string; message: string }
  return `${error}: ${message}`
}

const usage = 'InvalidDataAccessApiUsageException'

describe('declared parameters', { concurrency: 2 }, () => {
  for (const kind of dialectNames) {
    test(`${kind}: the optional filter of the manual [N3.2] [N3.3]`, async () => {
      const sql = example(kind === 'postgres' ? ':from::date IS NULL' : '(:from IS NULL')
      await withService(kind, { 'demo/GET/orders.sql': sql, 'demo/POST/orders.sql': sql }, async (service) => {
        const ids = async (reply: ReturnType<TestService['get']>): Promise<unknown> =>
          ((await rows(reply)) as { orderId: number }[]).map(({ orderId }) => orderId)
        for (let round = 0; round < 3; round++) {
          deepStrictEqual(await ids(service.get('/demo/orders')), [3, 2, 1])
          deepStrictEqual(await ids(service.get('/demo/orders?from=2026-02-10')), [3, 2])
          deepStrictEqual(await ids(service.get('/demo/orders?from=')), [3, 2, 1])
          deepStrictEqual(await ids(service.get('/demo/orders?from=2026-02-10&state=paid&state=open')), [2])
          deepStrictEqual(await ids(service.post('/demo/orders', { state: ['open', 'sent'] })), [3, 1])
          deepStrictEqual(await ids(service.post('/demo/orders', { from: null, state: null })), [3, 2, 1])
          const batch = await rows(service.post('/demo/orders/batch', { queries: [{}, { from: '2026-03-01' }, null] }))
          deepStrictEqual(
            (batch as unknown[][]).map(({ length }) => length),
            [3, 1, 3],
          )
        }
        const type = `${usage}: Parameter 'from' has to be a date, such as 2026-01-31`
        strictEqual(await refusal(service.get('/demo/orders?from=yesterday')), type)
        strictEqual(await refusal(service.post('/demo/orders', { from: 5 })), type)
        const queries = [{}, { from: '2026-02-30' }]
        strictEqual(await refusal(service.post('/demo/orders/batch', { queries })), `${type}, in queries[1]`)
        strictEqual(
          await refusal(service.get('/demo/orders?state=lost')),
          `${usage}: Parameter 'state[0]' has to be one of open, paid, sent`,
        )
      })
    })

    test(`${kind}: values of a query string are bound as their type [N3.3]`, async () => {
      const typed = (type: string, sql: string): string => `-- @param x ${type}\nSELECT ${sql} AS x`
      const isPostgres = kind === 'postgres'
      const files = {
        'demo/GET/integer.sql': typed('integer', ':x'),
        'demo/GET/sum.sql': typed('integer', ':x + 1'),
        'demo/GET/number.sql': typed('number', ':x'),
        'demo/GET/boolean.sql': typed('boolean', isPostgres ? ':x' : 'typeof(:x) || :x'),
        'demo/GET/json.sql': typed('json', isPostgres ? ":x::jsonb -> 'a'" : "json_extract(:x, '$.a')"),
        'demo/GET/word.sql': typed('json', isPostgres ? 'jsonb_typeof(:x)' : 'json_type(:x)'),
        'demo/GET/date.sql': typed('date', isPostgres ? ':x::date + 1' : "date(:x, '+1 day')"),
        'demo/GET/timestamp.sql': typed('timestamp', isPostgres ? ':x::timestamptz' : 'datetime(:x)'),
        'demo/GET/uuid.sql': typed('uuid', isPostgres ? ':x::uuid' : 'lower(:x)'),
        'demo/GET/string.sql': typed('string', ':x'),
        'demo/GET/order.sql': '-- @param id integer\nSELECT state FROM orders WHERE order_id = :id',
      }
      await withService(kind, files, async (service) => {
        const x = async (path: string, text: string): Promise<unknown> =>
          ((await rows(service.get(`/demo/${path}?x=${encodeURIComponent(text)}`))) as { x: unknown }[])[0]?.x
        for (let round = 0; round < 3; round++) {
          const { text } = await service.get('/demo/integer?x=9223372036854775807')
          strictEqual(text, '[{"x":9223372036854775807}]')
          strictEqual(await x('integer', '5'), 5)
          strictEqual(await x('sum', '5'), 6)
          strictEqual(await x('number', '1.5'), 1.5)
          strictEqual(await x('number', '2'), 2)
          strictEqual(await x('number', '1e-3'), 0.001)
          strictEqual(await x('boolean', 'true'), isPostgres ? true : 'integer1')
          strictEqual(await x('json', '{"a": 7}'), 7)
          strictEqual(await x('word', '"text"'), isPostgres ? 'string' : 'text')
          strictEqual(await x('word', '[1,2]'), 'array')
          strictEqual(await x('word', '5'), isPostgres ? 'number' : 'integer')
          strictEqual(await x('date', '2024-02-28'), '2024-02-29')
          const moment = await x('timestamp', '2026-01-31T12:00:00+02:00')
          strictEqual(moment, isPostgres ? '2026-01-31T10:00:00Z' : '2026-01-31 10:00:00')
          strictEqual(await x('uuid', '0B8A2F6E-3C1D-4E5F-9A7B-6C5D4E3F2A1B'), '0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b')
          strictEqual(await x('string', '5'), '5')
          deepStrictEqual(await rows(service.get('/demo/order?id=2')), [{ state: 'paid' }])
        }
      })
    })

    test(`${kind}: JSON that is declared stays JSON in the database [N3.3]`, async () => {
      const isPostgres = kind === 'postgres'
      const type = isPostgres ? 'jsonb' : 'TEXT'
      const files = {
        'demo/POST/make.sql': `CREATE TABLE docs (doc ${type})`,
        'demo/POST/put.sql': '-- @param doc json\nINSERT INTO docs VALUES (:doc)',
        'demo/POST/all.sql': 'SELECT doc FROM docs',
      }
      await withService(kind, files, async (service) => {
        await rows(service.post('/demo/make', {}))
        const docs = [{ a: 1 }, [1, 2], ['a', 1], [], 'text', '{"a":1}', 5, 1.5, true, null]
        for (const doc of docs) await rows(service.post('/demo/put', { doc }))
        await rows(service.post('/demo/put/batch', { queries: docs.map((doc) => ({ doc })) }))
        const found = (await rows(service.post('/demo/all', {}))) as { doc: unknown }[]
        const back = found.map(({ doc }) => (isPostgres || doc === null ? doc : (JSON.parse(doc as string) as unknown)))
        deepStrictEqual(back, [...docs, ...docs])
      })
    })

    test(`${kind}: lists of a query string and of a body, where lists may stand [N3.3]`, async () => {
      const isPostgres = kind === 'postgres'
      const list = (type: string, where: string): string =>
        `-- @param ids ${type}[] default []\nSELECT order_id AS id FROM orders WHERE ${where} ORDER BY 1`
      const files: Record<string, string> = {
        'demo/GET/in.sql': list('integer', 'order_id IN (:ids)'),
        'demo/POST/in.sql': list('integer', 'order_id IN (:ids)'),
        'demo/GET/notin.sql': list('integer', 'order_id NOT IN (:ids)'),
        'demo/GET/states.sql': list('string', 'state IN (:ids)'),
        'demo/GET/days.sql': list('date', 'placed_on IN (:ids)'),
      }
      if (isPostgres) {
        files['demo/GET/any.sql'] = list('integer', 'order_id = ANY(:ids)')
        files['demo/POST/any.sql'] = list('integer', 'order_id = ANY(:ids)')
        files['demo/GET/array.sql'] = list('integer', 'order_id = ANY(ARRAY[:ids]::int[])')
        files['demo/GET/anyday.sql'] = list('date', 'placed_on = ANY(:ids)')
      } else {
        files['demo/GET/any.sql'] = list('integer', 'order_id IN (SELECT value FROM json_each(:ids))')
        files['demo/POST/any.sql'] = files['demo/GET/any.sql']
      }
      await withService(kind, files, async (service) => {
        const ids = async (reply: ReturnType<TestService['get']>): Promise<unknown> =>
          ((await rows(reply)) as { id: number }[]).map(({ id }) => id)
        for (let round = 0; round < 3; round++) {
          for (const path of isPostgres ? ['in', 'any', 'array'] : ['in', 'any']) {
            deepStrictEqual(await ids(service.get(`/demo/${path}?ids=3&ids=1`)), [1, 3], path)
            deepStrictEqual(await ids(service.get(`/demo/${path}?ids=2`)), [2], path)
            deepStrictEqual(await ids(service.get(`/demo/${path}`)), [], path)
          }
          for (const path of ['in', 'any']) {
            deepStrictEqual(await ids(service.post(`/demo/${path}`, { ids: [1, null, 2] })), [1, 2], path)
            deepStrictEqual(await ids(service.post(`/demo/${path}`, { ids: [] })), [], path)
            deepStrictEqual(await ids(service.post(`/demo/${path}`, {})), [], path)
          }
          deepStrictEqual(await ids(service.get('/demo/notin?ids=1&ids=2')), [3])
          deepStrictEqual(await ids(service.get('/demo/notin')), [1, 2, 3])
          deepStrictEqual(await ids(service.get('/demo/states?ids=open&ids=sent')), [1, 3])
          for (const path of isPostgres ? ['days', 'anyday'] : ['days']) {
            deepStrictEqual(await ids(service.get(`/demo/${path}?ids=2026-01-10&ids=2026-02-10`)), [1, 2], path)
          }
        }
        strictEqual(
          await refusal(service.get('/demo/in?ids=1,2')),
          `${usage}: Parameter 'ids[0]' has to be an integer, such as 42`,
        )
      })
    })

    test(`${kind}: what a file without declarations is answered is as it was [N3.3]`, async () => {
      const sql = 'SELECT :x AS x'
      const files = { 'demo/GET/x.sql': sql, 'demo/GET/said.sql': `-- @summary X\n-- @param x -- any text\n${sql}` }
      await withService(kind, files, async (service) => {
        for (const path of ['x', 'said']) {
          deepStrictEqual(await rows(service.get(`/demo/${path}?x=5&x=`)), [{ x: '' }])
          deepStrictEqual(await rows(service.get(`/demo/${path}?x=&x=5`)), [{ x: '5' }])
          strictEqual(
            await refusal(service.get(`/demo/${path}`)),
            `${usage}: Parameter 'x' has no value in the request`,
          )
        }
      })
    })
  }

  test('a type is checked before a connection is asked for, and after the datasource [N3.3]', async () => {
    const url = 'postgres://127.0.0.1:1/none'
    const files = { 'demo/GET/x.sql': '-- @param x date\nSELECT :x', 'lost/GET/x.sql': '-- @param x date\nSELECT :x' }
    const service = await startTestService({ kind: 'postgres', files, datasource: { url } })
    try {
      strictEqual(
        await refusal(service.get('/demo/x?x=1')),
        `${usage}: Parameter 'x' has to be a date, such as 2026-01-31`,
      )
      strictEqual(
        await refusal(service.get('/lost/x?x=1')),
        "UnknownDataSourceNameException: Datasource 'lost' is not configured; a project runs on the datasource of its name, on that of its line in project_datasource_map, or on default_datasource",
      )
      strictEqual((await refusal(service.get('/demo/x?x=2026-01-31'))).split(':')[0], 'BadSqlGrammarException')
    } finally {
      await service.close()
    }
  })
})
