/**
 * `errors: full`: what the answer of a failed statement has then, on both databases, and that it never has it
 * otherwise.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dialectNames } from '../../../src/dialects.ts'
import type { Dialect } from '../../../src/model.ts'
import { findingsOf } from '../../support/check.ts'
import { createDatabase } from '../../support/databases.ts'
import { startTestService, type TestReply, type TestService } from '../../support/service.ts'

const schema = `CREATE TABLE orders (order_id INTEGER PRIMARY KEY, state TEXT CHECK (length(state) < 9), placed_on DATE);
INSERT INTO orders VALUES (7, 'open', NULL)`

const files = {
  'demo/POST/add.sql': 'SELECT 1;\n\nINSERT INTO orders (order_id)\n  VALUES (:id)',
  'demo/POST/marked.sql': '-- @transactional\nSELECT 1;\n  INSERT INTO orders (order_id) VALUES (:id)',
  'demo/GET/column.sql': '-- Äö\nSELECT order_id,\n  order_idd FROM orders',
  'demo/GET/syntax.sql': 'SELECT 1\n FORM x y',
  'demo/GET/unclosed.sql': 'SELECT 1;\n /* never',
  'demo/GET/value.sql': 'SELECT state FROM orders\nWHERE order_id = :id',
  'demo/POST/wide.sql': 'SELECT :id AS id',
  'demo/GET/typed.sql': '-- @param id integer\nSELECT :id AS id',
}

async function withService(kind: Dialect, config: object, run: (service: TestService) => Promise<void>): Promise<void> {
  const service = await startTestService({ kind, files, schema, config: { logging: { level: 'error' }, ...config } })
  try {
    await run(service)
  } finally {
    await service.close()
  }
}

/** All but error and message, which are as ever. */
function more({ status, text }: TestReply): Record<string, unknown> {
  strictEqual(status, 400, text)
  const { error, message, ...rest } = JSON.parse(text) as Record<string, unknown>
  ok(typeof error === 'string' && typeof message === 'string', text)
  return rest
}

const failing: readonly (readonly [request: (service: TestService) => Promise<TestReply>, of: Answers])[] = [
  [
    (service) => service.post('/demo/add', { id: 7 }),
    {
      position: { file: 'demo/POST/add.sql', line: 3, column: 1 },
      postgres: { detail: 'Key (order_id)=(7) already exists.', sqlstate: '23505' },
      sqlite: { code: 1555 },
    },
  ],
  [
    (service) => service.post('/demo/marked', { id: 7 }),
    {
      position: { file: 'demo/POST/marked.sql', line: 3, column: 3 },
      postgres: { detail: 'Key (order_id)=(7) already exists.', sqlstate: '23505' },
      sqlite: { code: 1555 },
    },
  ],
  [
    (service) => service.post('/demo/marked/batch', { queries: [{ id: 1 }, { id: 7 }] }),
    {
      position: { file: 'demo/POST/marked.sql', line: 3, column: 3 },
      postgres: { detail: 'Key (order_id)=(7) already exists.', sqlstate: '23505' },
      sqlite: { code: 1555 },
    },
  ],
  [
    (service) => service.get('/demo/column'),
    {
      position: { file: 'demo/GET/column.sql', line: 3, column: 3 },
      postgres: { hint: 'Perhaps you meant to reference the column "orders.order_id".', sqlstate: '42703' },
      sqlite: { code: 1 },
    },
  ],
  [
    (service) => service.get('/demo/syntax'),
    {
      position: { file: 'demo/GET/syntax.sql', line: 2, column: 7 },
      postgres: { sqlstate: '42601' },
      sqlite: { code: 1, position: { file: 'demo/GET/syntax.sql', line: 2, column: 7 } },
    },
  ],
  [
    (service) => service.get('/demo/unclosed'),
    { position: { file: 'demo/GET/unclosed.sql', line: 2, column: 2 }, postgres: {}, sqlite: {} },
  ],
]

interface Answers {
  readonly position: unknown
  readonly postgres: object
  readonly sqlite: object
}

describe('errors: full', { concurrency: 2 }, () => {
  for (const kind of dialectNames) {
    test(`${kind}: a failed statement is told with detail, hint, position and code [N5.2]`, () =>
      withService(kind, { errors: 'full' }, async (service) => {
        for (let round = 0; round < 4; round++) {
          for (const [request, of] of failing) {
            deepStrictEqual(more(await request(service)), { position: of.position, ...of[kind] })
          }
        }
      }))

    test(`${kind}: without it nothing of that is told, and by itself it is off [N5.2]`, async () => {
      for (const config of [{}, { errors: 'short' }]) {
        await withService(kind, config, async (service) => {
          for (const [request] of failing) deepStrictEqual(more(await request(service)), {})
        })
      }
    })

    test(`${kind}: what is not of a statement stays as it is [N5.2]`, () =>
      withService(kind, { errors: 'full' }, async (service) => {
        for (const path of [
          '/demo/none',
          '/none/x',
          '/demo/value',
          '/demo/value?id=%',
          '/demo/typed?id=x',
          '//',
          '/%',
        ]) {
          deepStrictEqual(more(await service.get(path)), {}, path)
        }
        deepStrictEqual(more(await service.post('/demo/wide', '{')), {})
        deepStrictEqual(more(await service.post('/demo/wide', '{"id":9223372036854775808}')), {})
      }))
  }

  for (const kind of dialectNames) {
    test(`${kind}: a syntax error has the words and the place that check reports [F10]`, async () => {
      const wrong = {
        'demo/GET/form.sql': 'SELECT 1 AS a\n  FORM t WHERE',
        'demo/GET/open.sql': 'SELECT 1;\nSELECT 2 AS a, (3',
        'demo/GET/text.sql': "SELECT 1;\n SELECT 'a",
        'demo/GET/mark.sql': 'SELECT 1 AS a,\n  $1',
      }
      const database = await createDatabase(kind)
      const { url } = database
      const service = await startTestService({ kind, files: wrong, datasource: { url }, config: { errors: 'full' } })
      try {
        // SQLite makes the file.
        await service.get('/demo/form')
        const { findings } = await findingsOf({ files: wrong, config: { datasources: [{ name: 'demo', url }] } })
        for (const file of Object.keys(wrong)) {
          const { text } = await service.get(`/${file.replace('GET/', '').replace('.sql', '')}`)
          const { message, position } = JSON.parse(text) as { message: string; position: object }
          const found = findings.find((finding) => finding.file.endsWith(file) && finding.severity === 'error')
          ok(found !== undefined && message.startsWith(found.message), `${message} ${found?.message}`)
          deepStrictEqual(position, { file, line: found.line, column: found.column })
        }
      } finally {
        await service.close()
        await database.remove()
      }
    })
  }

  test('a value that its type refuses is told at its parameter [N5.2]', () =>
    withService('postgres', { errors: 'full' }, async (service) => {
      for (let round = 0; round < 4; round++) {
        const reply = await service.get('/demo/value?id=seven')
        match(reply.text, /seven/)
        const position = { file: 'demo/GET/value.sql', line: 2, column: 18 }
        deepStrictEqual(more(reply), { sqlstate: '22P02', position })
      }
    }))
})
