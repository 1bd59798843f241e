/** Values in the predecessor's shapes, for the datasources that ask for them. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../support/service.ts'

/**
 * Expression -> as specified, with `numeric: number`, with `json: pgobject`; where a field says nothing, as specified.
 */
const shapes: readonly (readonly [
  sql: string,
  usual: string,
  asNumber: string | undefined,
  asObject: string | undefined,
])[] = [
  ['1.50::numeric', '"1.50"', '1.50', undefined],
  [
    '12345678901234567890.1234567890::numeric',
    '"12345678901234567890.1234567890"',
    '12345678901234567890.1234567890',
    undefined,
  ],
  ['(-0.000000000000000000001)::numeric', '"-0.000000000000000000001"', '-0.000000000000000000001', undefined],
  ['1e30::numeric', '"1000000000000000000000000000000"', '1000000000000000000000000000000', undefined],
  [`'NaN'::numeric`, '"NaN"', undefined, undefined],
  [`'-Infinity'::numeric`, '"-Infinity"', undefined, undefined],
  ['NULL::numeric', 'null', undefined, undefined],
  [`ARRAY[1.0, NULL, 'NaN']::numeric[]`, '["1.0",null,"NaN"]', '[1.0,null,"NaN"]', undefined],
  [`ARRAY[[1.5],[2]]::numeric[]`, '[["1.5"],["2"]]', '[[1.5],[2]]', undefined],
  ['7.5::price', '"7.5"', '7.5', undefined],
  ['ARRAY[7.5]::price[]', '["7.5"]', '[7.5]', undefined],
  ['1.5::float8', '1.5', undefined, undefined],
  [
    `'{"a": 1.00,\n"b":"x\\"y"}'::json`,
    `{"a": 1.00,\n"b":"x\\"y"}`,
    undefined,
    '{"type":"json","value":"{\\"a\\": 1.00,\\n\\"b\\":\\"x\\\\\\"y\\"}"}',
  ],
  [`'{"a":[1,2]}'::jsonb`, '{"a": [1, 2]}', undefined, '{"type":"jsonb","value":"{\\"a\\": [1, 2]}"}'],
  [`'null'::jsonb`, 'null', undefined, '{"type":"jsonb","value":"null"}'],
  [`'"õ"'::jsonb`, '"õ"', undefined, '{"type":"jsonb","value":"\\"õ\\""}'],
  ['NULL::jsonb', 'null', undefined, undefined],
  [
    `to_jsonb(repeat('a"b', 200))`,
    JSON.stringify('a"b'.repeat(200)),
    undefined,
    JSON.stringify({ type: 'jsonb', value: JSON.stringify('a"b'.repeat(200)) }),
  ],
  [`ARRAY['{"a":1}', NULL, '"x"']::json[]`, '[{"a":1},null,"x"]', undefined, '["{\\"a\\":1}",null,"\\"x\\""]'],
  [`ARRAY[['1'],['2']]::jsonb[]`, '[[1],[2]]', undefined, '[["1"],["2"]]'],
  [`'{"a":1}'::document`, '{"a": 1}', undefined, '{"type":"jsonb","value":"{\\"a\\": 1}"}'],
  [`ROW(1.50, '{"a":1}'::json)`, '"(1.50,\\"{\\"\\"a\\"\\":1}\\")"', undefined, undefined],
  ['numrange(1.0, 2.5)', '"[1.0,2.5)"', undefined, undefined],
]

const files = Object.fromEntries(
  ['usual', 'number', 'object', 'both'].flatMap((name) =>
    shapes.map(([sql], at) => [`${name}/POST/v${at}.sql`, `SELECT ${sql} AS v`]),
  ),
)
const schema = 'CREATE DOMAIN price AS numeric; CREATE DOMAIN document AS jsonb'

test('numeric and json in either shape, alone and in arrays, single and in batches [N6.5] [S-config.datasources.results]', async () => {
  const start = (results: object) =>
    startTestService({
      kind: 'postgres',
      files,
      schema,
      datasources: { usual: '', number: '', object: '', both: '' },
      datasource: { results },
    })
  for (const [name, results] of Object.entries({
    usual: {},
    number: { numeric: 'number' },
    object: { json: 'pgobject' },
    both: { numeric: 'number', json: 'pgobject' },
  })) {
    const service = await start(results)
    try {
      for (const [at, [sql, usual, asNumber, asObject]] of shapes.entries()) {
        const chosen = { usual: undefined, number: asNumber, object: asObject, both: asNumber ?? asObject }[name]
        const row = `{"v":${chosen ?? usual}}`
        // The later runs take another way than the first.
        for (let round = 0; round < 4; round++)
          strictEqual((await service.post(`/${name}/v${at}`)).text, `[${row}]`, sql)
        const batch = await service.post(`/${name}/v${at}/batch`, { queries: [{}, {}] })
        strictEqual(batch.text, `[[${row}],[${row}]]`, sql)
        const line = (await service.post(`/${name}/v${at}`, {}, { accept: 'application/x-ndjson' })).text
        deepStrictEqual([line.endsWith('\n'), line.trimEnd().includes('\n')], [true, false], sql)
        deepStrictEqual(JSON.parse(line), JSON.parse(row), sql)
      }
    } finally {
      await service.close()
    }
  }
})

test('in CSV the cell holds the JSON, without its type [N6.5] [N6.1]', async () => {
  const service = await startTestService({
    kind: 'postgres',
    files: {
      'demo/GET/v.sql': `SELECT '{"a": 1}'::jsonb AS a, 1.50::numeric AS b, 'NaN'::numeric AS c, '7'::json AS d`,
    },
    datasource: { results: { numeric: 'number', json: 'pgobject' } },
  })
  try {
    for (let round = 0; round < 4; round++) {
      strictEqual((await service.get('/demo/v', { accept: 'text/csv' })).text, 'a,b,c,d\r\n"{""a"": 1}",1.50,NaN,7\r\n')
    }
  } finally {
    await service.close()
  }
})

test('each datasource has its own shapes [N6.5]', async () => {
  const v = 'SELECT 1.50::numeric AS v'
  const usual = await startTestService({ kind: 'postgres', files: { 'demo/GET/v.sql': v } })
  const own = await startTestService({
    kind: 'postgres',
    files: { 'demo/GET/v.sql': v },
    datasource: { results: { numeric: 'number' } },
  })
  try {
    strictEqual((await usual.get('/demo/v')).text, '[{"v":"1.50"}]')
    strictEqual((await own.get('/demo/v')).text, '[{"v":1.50}]')
  } finally {
    await Promise.all([usual.close(), own.close()])
  }
})

test('on SQLite it changes nothing, and one line says so [N6.5]', async () => {
  const service = await startTestService({
    kind: 'sqlite',
    files: { 'demo/GET/v.sql': `SELECT 1.5 AS v, json('{"a":1}') AS j` },
    datasource: { results: { numeric: 'number', json: 'pgobject' } },
  })
  try {
    strictEqual((await service.get('/demo/v')).text, '[{"v":1.5,"j":"{\\"a\\":1}"}]')
    const lines = service.log.filter((line) => line.includes('results'))
    strictEqual(lines.length, 1)
    match(
      lines[0] as string,
      /WARN.*datasources\[0\]\.results: has no effect: SQLite has neither numeric nor json values/,
    )
  } finally {
    await service.close()
  }
})
