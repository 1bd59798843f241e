/** Rows as CSV and as NDJSON, asked for with `Accept`, over real sockets, from both databases. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dialectNames } from '../../../src/dialects.ts'
import { formats } from '../../../src/formats/formats.ts'
import type { Dialect } from '../../../src/model.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const csv = { accept: 'text/csv' }
const ndjson = { accept: 'application/x-ndjson' }

/** `:n` rows of about a hundred bytes; the row number `:bad` is an error. */
const many: Readonly<Record<Dialect, string>> = {
  postgres: `SELECT g AS id, repeat('x,', 40) AS pad, 1 / (:bad::int - g) AS ratio FROM generate_series(1, :n::int) g`,
  sqlite: `WITH RECURSIVE g(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM g WHERE id < CAST(:n AS INTEGER))
    SELECT id, replace(printf('%.40c', 'x'), 'x', 'x,') AS pad, iif(id = CAST(:bad AS INTEGER), abs(-9223372036854775807 - 1), 0) AS ratio FROM g`,
}

const files = (kind: Dialect): Record<string, string> => ({
  'demo/GET/few.sql': `SELECT 1 AS row_id, 'a,b' AS "NAME", NULL AS x UNION ALL SELECT 2, '', 'y' ORDER BY 1`,
  'demo/POST/few.sql': `SELECT 1 AS row_id, :t AS t`,
  'demo/GET/none.sql': 'SELECT 1 AS row_id, 2 AS "a,""b" WHERE 1 = 2',
  'demo/POST/nothing.sql': 'CREATE TABLE IF NOT EXISTS t (a integer)',
  'demo/POST/text.sql': `SELECT ${kind === 'postgres' ? ':t::text' : ':t'} AS t, 1 AS one`,
  'demo/GET/many.sql': many[kind],
  'demo/GET/bad.sql': 'SELECT * FROM missing',
  'demo/GET/alone.sql': `SELECT NULL AS a UNION ALL SELECT ''`,
})

for (const kind of dialectNames) {
  describe(`on ${kind}`, () => {
    let service: TestService
    before(async () => {
      service = await startTestService({ kind, files: files(kind) })
    })
    after(() => service.close())

    test('CSV has a line of keys, CR LF, empty nulls and quoted empty texts [N6.1]', async () => {
      const { status, headers, text } = await service.get('/demo/few', csv)
      deepStrictEqual([status, headers['content-type']], [200, 'text/csv; charset=utf-8'])
      strictEqual(text, 'rowId,NAME,x\r\n1,"a,b",\r\n2,"",y\r\n')
      strictEqual(headers['content-length'], String(text.length))
      strictEqual((await service.get('/demo/alone', csv)).text.replace('""', ''), 'a\r\n\r\n\r\n')
    })

    test('NDJSON has an object a line [N6.1]', async () => {
      const { status, headers, text } = await service.get('/demo/few', ndjson)
      deepStrictEqual([status, headers['content-type']], [200, 'application/x-ndjson'])
      strictEqual(text, '{"rowId":1,"NAME":"a,b","x":null}\n{"rowId":2,"NAME":"","x":"y"}\n')
    })

    test('JSON is the default, also for whoever asks for something else [N6.1]', async () => {
      const expected = '[{"rowId":1,"NAME":"a,b","x":null},{"rowId":2,"NAME":"","x":"y"}]'
      for (const accept of [
        undefined,
        '*/*',
        'application/json',
        'image/png',
        'text/csv;q=0',
        '',
        'text/csv, */*;q=2',
      ]) {
        const { text, headers } = await service.get('/demo/few', accept === undefined ? {} : { accept })
        if (accept?.startsWith('text/csv, ') === true) match(text, /^rowId,/)
        else
          deepStrictEqual([text, headers['content-type'], headers['vary']], [expected, 'application/json', undefined])
      }
    })

    test('without rows CSV still has its keys; without a result set there is nothing [N6.1]', async () => {
      strictEqual((await service.get('/demo/none', csv)).text, 'rowId,"a,""b"\r\n')
      strictEqual((await service.get('/demo/none', ndjson)).text, '')
      for (const asked of [csv, ndjson]) {
        const { status, text, headers } = await service.post('/demo/nothing', {}, asked)
        deepStrictEqual([status, text, headers['content-length']], [200, '', '0'])
        strictEqual(headers['content-type'], formats[asked === csv ? 'csv' : 'ndjson'].mediaType)
      }
    })

    test('whatever a text holds comes back from a reader of CSV as it was [N6.1]', async () => {
      const texts = [
        '"',
        '""',
        ',',
        '\r',
        '\n',
        '\r\n',
        ' a ',
        '=1+1',
        'õ€😀',
        '\t',
        "'",
        `a"b,c\r\nd`,
        'x'.repeat(700),
        '""\n'.repeat(300),
      ]
      for (const t of texts) {
        // The later runs take another way than the first.
        for (let round = 0; round < 5; round++) {
          const { text } = await service.post('/demo/text', { t }, csv)
          const isQuoted = /[",\r\n]/.test(t)
          strictEqual(text, `t,one\r\n${isQuoted ? `"${t.replaceAll('"', '""')}"` : t},1\r\n`)
        }
        strictEqual((await service.post('/demo/text', { t }, ndjson)).text, `${JSON.stringify({ t, one: 1 })}\n`)
      }
    })

    test('HEAD says of itself what GET would [N6.1]', async () => {
      for (const headers of [csv, ndjson]) {
        const get = await service.get('/demo/few', headers)
        const head = await service.send({ method: 'HEAD', path: '/demo/few', headers })
        for (const name of ['content-type', 'content-length', 'vary'])
          strictEqual(head.headers[name], get.headers[name])
        strictEqual(head.text, '')
      }
    })

    test('errors and batches stay JSON [N6.1]', async () => {
      const bad = await service.get('/demo/bad', csv)
      deepStrictEqual([bad.status, bad.headers['content-type']], [400, 'application/json'])
      match(bad.text, /^\{"error":"BadSqlGrammarException"/)
      const batch = await service.post('/demo/few/batch', { queries: [{ t: 'a' }, { t: 'b' }] }, csv)
      deepStrictEqual([batch.status, batch.headers['content-type']], [200, 'application/json'])
      strictEqual(batch.text, '[[{"rowId":1,"t":"a"}],[{"rowId":1,"t":"b"}]]')
    })

    test('a cache is told that the answer depends on Accept [N6.1]', async () => {
      strictEqual((await service.get('/demo/few', csv)).headers['vary'], 'Accept')
    })

    test('a long result streams, whole or cut [N6.1]', async () => {
      const long = await service.get('/demo/many?n=50000&bad=-1', csv)
      strictEqual(long.headers['transfer-encoding'], 'chunked')
      const lines = long.text.split('\r\n')
      deepStrictEqual([lines.length, lines[0], lines.at(-1)], [50_002, 'id,pad,ratio', ''])
      match(lines[50_000] as string, /^50000,"(?:x,)+",0$/)
      const objects = (await service.get('/demo/many?n=50000&bad=-1', ndjson)).text.trimEnd().split('\n')
      deepStrictEqual([objects.length, (JSON.parse(objects.at(-1) as string) as { id: number }).id], [50_000, 50_000])
      const isCut = await service.get('/demo/many?n=50000&bad=49000', csv).then(
        () => false,
        () => true,
      )
      ok(isCut)
    })
  })
}

test('each kind of value of PostgreSQL as a cell, and on one line of NDJSON [N6.1]', async () => {
  const kindsOfValues: readonly (readonly [sql: string, cell: string, json: string])[] = [
    ['9007199254740993::bigint', '9007199254740993', '9007199254740993'],
    ['1.50::numeric', '1.50', '"1.50"'],
    ["'NaN'::float8", '', 'null'],
    ['true', 'true', 'true'],
    ["DATE '2026-01-31'", '2026-01-31', '"2026-01-31"'],
    ["TIMESTAMPTZ '2026-01-31 10:20:30+00'", '2026-01-31T10:20:30Z', '"2026-01-31T10:20:30Z"'],
    ["TIMESTAMPTZ '0044-03-15 10:20:30+00 BC'", '0044-03-15T10:20:30Z BC', '"0044-03-15T10:20:30Z BC"'],
    ["TIMESTAMP '2026-01-31 10:20:30.5'", '2026-01-31T10:20:30.5', '"2026-01-31T10:20:30.5"'],
    ["TIMESTAMP 'infinity'", 'infinity', '"infinity"'],
    [`E'{"a":\\n "x"}'::json`, `"{""a"":\n ""x""}"`, '{"a":  "x"}'],
    [`ARRAY[E'{"a":\\r\\n1}'::json]`, `"[{""a"":\r\n1}]"`, '[{"a":  1}]'],
    [`'{"a": 1}'::jsonb`, `"{""a"": 1}"`, '{"a": 1}'],
    [`'7'::json`, '7', '7'],
    ['ARRAY[1,2]', '"[1,2]"', '[1,2]'],
    ['ARRAY[1]', '[1]', '[1]'],
    ["'{}'::text[]", '[]', '[]'],
    ["'\\x00ff'::bytea", '\\x00ff', '"\\\\x00ff"'],
    ["'fine'::mood", 'fine', '"fine"'],
    ["ROW(1, 'a')::text", '"(1,a)"', '"(1,a)"'],
  ]
  const service = await startTestService({
    kind: 'postgres',
    schema: `CREATE TYPE mood AS ENUM ('fine')`,
    files: Object.fromEntries(kindsOfValues.map(([sql], at) => [`demo/GET/v${at}.sql`, `SELECT ${sql} AS v`])),
  })
  try {
    for (const [at, [sql, cell, json]] of kindsOfValues.entries()) {
      for (let round = 0; round < 5; round++) {
        strictEqual((await service.get(`/demo/v${at}`, csv)).text, `v\r\n${cell}\r\n`, sql)
        strictEqual((await service.get(`/demo/v${at}`, ndjson)).text, `{"v":${json}}\n`, sql)
      }
    }
  } finally {
    await service.close()
  }
})

test('each kind of value of SQLite as a cell [N6.1]', async () => {
  const values: readonly (readonly [sql: string, cell: string])[] = [
    ['9007199254740993', '9007199254740993'],
    ['1.5', '1.5'],
    ['9e999', ''],
    ["x'00ff'", 'AP8='],
    ["x''", '""'],
    ['json(\'{"a":[1,2]}\')', '"{""a"":[1,2]}"'],
  ]
  const service = await startTestService({
    kind: 'sqlite',
    files: Object.fromEntries(values.map(([sql], at) => [`demo/GET/v${at}.sql`, `SELECT ${sql} AS v`])),
  })
  try {
    for (const [at, [sql, cell]] of values.entries()) {
      strictEqual((await service.get(`/demo/v${at}`, csv)).text, `v\r\n${cell}\r\n`, sql)
    }
  } finally {
    await service.close()
  }
})
