/**
 * Columns in binary form: whatever the server would print of a value, the same comes out of its bytes. The oracle is
 * the server: an array always comes as text, and a statement that runs for the first time does.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { createDatabase, sharedPostgres } from '../../support/databases.ts'
import { startForwarder } from '../../support/forwarder.ts'
import { startTestService, type TestService } from '../../support/service.ts'

/** Edges of each type, and values that are printed in another way than their neighbours. */
const types = {
  bool: 'true, false',
  int2: '0, -1, 9, 10, -32768, 32767',
  int4: '0, -1, 99, 100, -2147483648, 2147483647, 999999999, 1000000000, -1000000001',
  int8: `0, -1, 4294967295, 4294967296, -4294967296, 999999999999999999, 1000000000000000000, 9007199254740991,
    9007199254740992, 9007199254740993, -9007199254740991, -9007199254740992, -9007199254740993,
    9223372036854775807, -9223372036854775807, -9223372036854775808`,
  oid: '0, 4294967295, 2147483648',
  float8: `0, -0, 1, -1.5, 0.1, -0.30000000000000004, NaN, Infinity, -Infinity, 1e15, 999999999999999, 123456.000001,
    999999999999999.9, 123456789012345.67, 1e-4, 0.00009999999999999999, 1e-5, 5e-324, 2.5e-310, 0.0000005,
    1.7976931348623157e308, 1e22, 9007199254740993, 999999999.999999, 1000000000.000001, 4.35, 2.675, 1e21, -1e-7,
    100000000000000, 0.5000001, -33158073782670232, 1e23, 36028797018963968`,
  date: `2000-01-01, 1999-12-31, 2000-02-29, 1900-03-01, 0001-01-01, 0001-12-31 BC, 4713-11-24 BC, 9999-12-31,
    10000-01-01, 5874897-12-31, infinity, -infinity, 0001-02-29 BC, 2400-02-29, 1969-12-31`,
  timestamp: `2000-01-01 00:00:00, 1999-12-31 23:59:59.999999, 2026-07-01 10:20:30.5, 1714-12-31 23:59:59.000001,
    2285-12-31 23:59:59.999999, 294276-12-31 23:59:59.999999, 4713-11-24 00:00:00 BC, 0044-03-15 12:00:00 BC, infinity,
    -infinity, 2026-01-01 00:00:00.1, 2026-01-01 00:00:00.100001, 2026-01-01 00:00:00.000010`,
  timestamptz: `2000-01-01 00:00:00Z, 1999-12-31 23:59:59.999999Z, 2026-07-01 10:20:30.5+03, 0044-03-15 12:00:00Z BC,
    294276-12-31 23:59:59.999999Z, 4713-11-24 00:00:00Z BC, infinity, -infinity, 2285-06-05 23:47:34.740991Z`,
}
type Type = keyof typeof types

/** Bits of 8 bytes at random, as a float and as microseconds; and what people write. */
const random: Partial<Record<Type, fc.Arbitrary<string>>> = {
  int4: fc.integer().map(String),
  int8: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  float8: fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.tuple(fc.integer(), fc.integer({ min: 0, max: 8 })).map(([digits, places]) => `${digits}e-${places}`),
    fc
      .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 5 }))
      .map(([digits, zeros]) => `${digits}${'0'.repeat(zeros)}`),
    fc.tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 20 })).map(([digits, places]) => `${digits}e-${places}`),
  ),
}

const row = `
  SELECT 7::int2 AS "int2", -5 AS "int4", 9007199254740993 AS "int8", 26::oid AS "oid", 0.5::float8 AS "float8",
    true AS "bool", date '2026-01-02' AS "date", timestamp '2026-01-02 03:04:05' AS "timestamp",
    timestamptz '2026-01-02 03:04:05.6Z' AS "timestamptz", 'a "b", c' AS "text", NULL::int4 AS "null",
    'NaN'::float8 AS "nan" FROM generate_series(1, :count)`

const files = {
  ...Object.fromEntries(
    Object.keys(types).map((type) => [
      `demo/POST/${type}.sql`,
      `SELECT x AS value, ARRAY[x] AS list FROM unnest(:values::${type}[]) AS x`,
    ]),
  ),
  'demo/POST/days.sql': `
    SELECT x AS value, ARRAY[x] AS list
    FROM generate_series(timestamptz '4713-11-24 00:00:00Z BC', timestamptz '12000-01-01 00:00:00Z', :step::interval) AS x`,
  ...Object.fromEntries(['json', 'csv', 'ndjson'].map((name) => [`demo/GET/row-${name}.sql`, row])),
  'demo/POST/zone.sql': "SET TIME ZONE 'Asia/Kolkata'; SELECT timestamptz '2026-01-02 00:00:00Z' AS moment",
  'demo/POST/zone-by-code.sql':
    "SELECT set_config('TimeZone', 'Asia/Kolkata', false) IS NOT NULL AS done, timestamptz '2026-01-02 00:00:00Z' AS moment",
  'demo/POST/digits.sql': 'SET extra_float_digits = 0; SELECT 0.1::float8 + 0.2::float8 AS sum',
  'demo/GET/moment.sql': "SELECT timestamptz '2026-01-02 00:00:00Z' AS moment, 0.1::float8 + 0.2::float8 AS sum",
  'demo/GET/changed.sql': 'SELECT * FROM changing ORDER BY 1',
  'demo/POST/change.sql': 'ALTER TABLE changing ALTER COLUMN a TYPE text',
}
const schema = "CREATE TABLE changing (a int4, b timestamptz); INSERT INTO changing VALUES (1, '2026-01-01 00:00:00Z');"

describe('columns in binary form', () => {
  let service: TestService
  before(async () => {
    // One connection, so that everything but the first call of a statement asks for binary columns.
    service = await startTestService({ kind: 'postgres', files, schema, datasource: { max_connections: 1 } })
  })
  after(() => service.close())

  /** Each row has the value, and the server's text of it in a list. */
  async function compare(path: string, body: unknown): Promise<number> {
    const first = await service.post(path, body)
    strictEqual(first.status, 200, first.text)
    const second = await service.post(path, body)
    strictEqual(second.text, first.text)
    const rows = second.text.slice(1, -1).split(/(?<=\}),/)
    for (const row of rows) {
      const [, value, list] = /^\{"value":(.*),"list":\[(.*)\]\}$/.exec(row) ?? []
      ok(value !== undefined && value === list, row)
    }
    return rows.length
  }

  for (const [type, text] of Object.entries(types)) {
    test(`${type} is what the server prints`, async () => {
      const values = text.split(/,\s+/)
      strictEqual(await compare(`/demo/${type}`, { values }), values.length)
      const arbitrary = random[type as Type]
      if (arbitrary === undefined) return
      const many = fc.sample(arbitrary, 20_000)
      strictEqual(await compare(`/demo/${type}`, { values: many }), many.length)
    })
  }

  test('moments of seventeen thousand years are what the server prints', async () => {
    // A prime number of microseconds beside the hours, so that every part of a moment varies.
    ok((await compare('/demo/days', { step: '1000 hours 1.000003 seconds' })) > 140_000)
  })

  for (const [name, accept] of [
    ['json', 'application/json'] as const,
    ['csv', 'text/csv'] as const,
    ['ndjson', 'application/x-ndjson'] as const,
  ]) {
    test(`${name} is the same byte for byte as from texts`, async () => {
      const get = (path: string): ReturnType<TestService['get']> => service.get(path, { accept })
      // The first call of each file is answered from texts.
      const { text: fromTexts } = await get(`/demo/row-${name}?count=3`)
      const { text, status } = await get(`/demo/row-${name}?count=3`)
      deepStrictEqual([status, text], [200, fromTexts])
      ok(text.includes('9007199254740993') && text.includes('2026-01-02T03:04:05.6Z'), text)
      strictEqual((await get(`/demo/row-${name}?count=0`)).status, 200)
    })
  }

  test('what a file sets for itself counts, on later calls too [S4]', async () => {
    for (let call = 0; call < 3; call++) {
      strictEqual((await service.post('/demo/zone')).text, '[{"moment":"2026-01-02T05:30:00+05:30"}]')
      strictEqual(
        (await service.post('/demo/zone-by-code')).text,
        '[{"done":true,"moment":"2026-01-02T05:30:00+05:30"}]',
      )
      strictEqual((await service.post('/demo/digits')).text, '[{"sum":0.3}]')
      strictEqual(
        (await service.get('/demo/moment')).text,
        '[{"moment":"2026-01-02T00:00:00Z","sum":0.30000000000000004}]',
      )
    }
  })

  test('columns that become others are read as what they are', async () => {
    for (let call = 0; call < 3; call++) {
      strictEqual((await service.get('/demo/changed')).text, '[{"a":1,"b":"2026-01-01T00:00:00Z"}]')
    }
    strictEqual((await service.post('/demo/change')).status, 200)
    for (let call = 0; call < 3; call++) {
      strictEqual((await service.get('/demo/changed')).text, '[{"a":"1","b":"2026-01-01T00:00:00Z"}]')
    }
  })
})

/** The format codes of each Bind with this value alone (manual, "Message Formats"), of what one client has sent. */
function askedFormats(sent: Buffer, value: string): number[][] {
  const binds: number[][] = []
  // The first message has no type.
  for (let at = sent.readUInt32BE(0); at < sent.length; at += 1 + sent.readUInt32BE(at + 1)) {
    if (sent[at] !== 0x42) continue
    const behindNames = sent.indexOf(0, sent.indexOf(0, at + 5) + 1) + 1
    const parameters = Buffer.concat([Buffer.of(0, 0, 0, 1, 0, 0, 0, value.length), Buffer.from(value)])
    if (sent.indexOf(parameters, behindNames) !== behindNames) continue
    const codes = behindNames + parameters.length
    binds.push(Array.from({ length: sent.readUInt16BE(codes) }, (_, index) => sent.readUInt16BE(codes + 2 + 2 * index)))
  }
  return binds
}

describe('what is asked for in binary form', () => {
  const all = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1]

  async function asked(fields: Readonly<Record<string, unknown>>): Promise<readonly number[][]> {
    const sent = new Map<object, Buffer>()
    const forwarder = await startForwarder((await sharedPostgres()).port, (chunk, client) => {
      sent.set(client, Buffer.concat([sent.get(client) ?? Buffer.alloc(0), chunk]))
    })
    const database = await createDatabase('postgres')
    const url = database.url.replace(/:\d+(?=\/[^/]*$)/, `:${forwarder.port}`)
    const service = await startTestService({
      kind: 'postgres',
      files,
      datasource: { url, max_connections: 1, ...fields },
    })
    try {
      for (let call = 0; call < 3; call++) strictEqual((await service.get('/demo/row-json?count=31')).status, 200)
      return [...sent.values()].flatMap((bytes) => askedFormats(bytes, '31'))
    } finally {
      await service.close()
      await forwarder.close()
      await database.remove()
    }
  }

  test('every type of the table from the second call on', async () => {
    deepStrictEqual(await asked({}), [[], all, all])
  })

  test('no moment where the session has a time zone', async () => {
    const others = all.map((code, index) => (index === 8 ? 0 : code))
    deepStrictEqual(await asked({ time_zone: 'Europe/Tallinn' }), [[], others, others])
  })

  test('nothing where a pooler gives each transaction another connection', async () => {
    deepStrictEqual(await asked({ pooler: 'transaction' }), [[], [], []])
  })
})
