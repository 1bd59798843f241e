/** Batches whose body has a set a line: CSV and NDJSON, over real sockets, to both databases. */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { dialectNames } from '../../../src/dialects.ts'
import { csv } from '../../../src/formats/csv.ts'
import type { Dialect } from '../../../src/model.ts'
import { readRows } from '../../../src/serve/params/csv.ts'
import { readLines } from '../../../src/serve/params/lines.ts'
import { startTestService, type TestReply, type TestService } from '../../support/service.ts'

const asCsv = { 'content-type': 'text/csv' }
const asNdjson = { 'content-type': 'application/x-ndjson' }

const echo: Readonly<Record<Dialect, string>> = {
  postgres: 'SELECT :a::text AS a, :b::text AS b',
  sqlite: 'SELECT :a AS a, :b AS b',
}

function messageOf({ text }: TestReply): string {
  return (JSON.parse(text) as { message: string }).message
}

for (const kind of dialectNames) {
  describe(`on ${kind}`, () => {
    let service: TestService
    before(async () => {
      service = await startTestService({
        kind,
        schema: 'CREATE TABLE item (code text NOT NULL, amount integer)',
        files: {
          'demo/POST/echo.sql': echo[kind],
          'demo/POST/one.sql': `SELECT ${kind === 'postgres' ? ':a::text' : ':a'} AS a`,
          'demo/POST/add.sql': `INSERT INTO item VALUES (:code, ${kind === 'postgres' ? ':amount::integer' : ':amount'})`,
          'demo/GET/items.sql': 'SELECT code, amount FROM item ORDER BY code',
          'demo/POST/typed.sql': `-- @param n integer\n-- @param day date default null\n-- @param kind string\n-- @enum kind a, b\n${
            kind === 'postgres'
              ? 'SELECT :n::int + 1 AS n, :day::date AS day, :kind::text AS kind'
              : 'SELECT :n + 1 AS n, :day AS day, :kind AS kind'
          }`,
          'demo/POST/real/batch.sql': `SELECT ${kind === 'postgres' ? ':a::text' : ':a'} AS a`,
        },
        config: { server: { max_body_bytes: 100_000 } },
      })
    })
    after(() => service.close())

    const send = (path: string, body: string | Uint8Array, headers: Record<string, string>): Promise<TestReply> =>
      service.send({ method: 'POST', path, body, headers })

    test('a line of CSV is a set of texts, an empty cell a null [N6.1]', async () => {
      const { status, text, headers } = await send(
        '/demo/echo/batch',
        'a,b\r\n1,x\r\n,""\r\n"a ""b"", c","two\r\nlines"\r\n',
        asCsv,
      )
      deepStrictEqual([status, headers['content-type']], [200, 'application/json'])
      strictEqual(text, '[[{"a":"1","b":"x"}],[{"a":null,"b":""}],[{"a":"a \\"b\\", c","b":"two\\r\\nlines"}]]')
    })

    test('columns may stand in any order, and others than the SQL asks for are passed over [N6.1]', async () => {
      strictEqual((await send('/demo/echo/batch', 'x,b,a\n1,2,3', asCsv)).text, '[[{"a":"3","b":"2"}]]')
    })

    test('a line of NDJSON is a set of values [N6.1]', async () => {
      const lines = '{"a":"1","b":null}\n\n  {"a":"x","b":"y"}  \r\nnull\n{"b":"","a":""}'
      const missing = await send('/demo/echo/batch', lines, asNdjson)
      match(messageOf(missing), /^Parameter 'a' has no value in queries\[2\]$/)
      const { status, text } = await send('/demo/echo/batch', lines.replace('null\n{', '{'), asNdjson)
      deepStrictEqual([status, text], [200, '[[{"a":"1","b":null}],[{"a":"x","b":"y"}],[{"a":"","b":""}]]'])
    })

    test('the batch is a transaction, and says which set failed [N6.1]', async () => {
      const bad = await send('/demo/add/batch', 'code,amount\na,1\n,2\n', asCsv)
      strictEqual(bad.status, 400)
      match(messageOf(bad), /in queries\[1\]$/)
      strictEqual((await service.get('/demo/items')).text, '[]')
      strictEqual((await send('/demo/add/batch', 'code,amount\na,1\nb,\n', asCsv)).text, '[[],[]]')
      strictEqual((await service.get('/demo/items')).text, '[{"code":"a","amount":1},{"code":"b","amount":null}]')
    })

    test('what comes out as CSV goes in as CSV [N6.1]', async () => {
      const made = await service.post('/demo/echo', { a: 'a,"b"\r\nc', b: '' }, { accept: 'text/csv' })
      strictEqual((await send('/demo/echo/batch', made.text, asCsv)).text, '[[{"a":"a,\\"b\\"\\r\\nc","b":""}]]')
    })

    test('declared types and defaults count for texts too [N6.1] [N3.3]', async () => {
      const good = await send('/demo/typed/batch', 'n,kind\n41,a\n-1,b\n', asCsv)
      strictEqual(good.text, '[[{"n":42,"day":null,"kind":"a"}],[{"n":0,"day":null,"kind":"b"}]]')
      const date = await send('/demo/typed/batch', 'n,kind,day\n1,a,2026-01-31\n1,a,\n1,a,31.01.2026\n', asCsv)
      strictEqual(messageOf(date), "Parameter 'day' has to be a date, such as 2026-01-31, in queries[2]")
      const listed = await send('/demo/typed/batch', 'n,kind\n1,a\n1,c\n', asCsv)
      match(messageOf(listed), /has to be one of a, b, in queries\[1\]$/)
      const text = await send('/demo/typed/batch', '{"n":"41","kind":"a"}', asNdjson)
      match(messageOf(text), /^Parameter 'n' has to be an integer/)
    })

    test('no lines are no sets [N6.1]', async () => {
      for (const body of ['a,b', 'a,b\r\n', '\ufeffa,b\n\n\n'])
        strictEqual((await send('/demo/echo/batch', body, asCsv)).text, '[]')
      for (const body of ['', '\n', ' \r\n\t']) strictEqual((await send('/demo/echo/batch', body, asNdjson)).text, '[]')
    })

    test('an empty line is a null in a single column, and nothing elsewhere [N6.1]', async () => {
      strictEqual((await send('/demo/one/batch', 'a\n\n""\n', asCsv)).text, '[[{"a":null}],[{"a":""}]]')
      strictEqual((await send('/demo/echo/batch', 'a,b\n\n1,2\n\n', asCsv)).text, '[[{"a":"1","b":"2"}]]')
    })

    test('the media type may be spelled in many ways, and UTF-8 is the only charset [N6.1]', async () => {
      for (const type of [
        'TEXT/CSV',
        'text/csv; charset=utf-8',
        'text/csv;charset="UTF-8";header=present',
        'text/csv; x=y',
      ]) {
        strictEqual((await send('/demo/one/batch', '\ufeffa\nõ', { 'content-type': type })).text, '[[{"a":"õ"}]]', type)
      }
      const latin = await send('/demo/one/batch', Buffer.from('a\nõ', 'latin1'), {
        'content-type': 'text/csv; charset=iso-8859-1',
      })
      strictEqual(messageOf(latin), 'Request body has a charset that is not supported; send UTF-8')
      const broken = await send('/demo/one/batch', Buffer.from('a\nõ', 'latin1'), asCsv)
      strictEqual(messageOf(broken), 'Request body is not valid UTF-8 at byte 3')
      const absent = await send('/demo/one/batch', 'x', { 'content-type': 'text/csv;header=absent' })
      match(messageOf(absent), /needs a line with the names of the columns/)
    })

    const mistakes: readonly (readonly [body: string, headers: Record<string, string>, message: string])[] = [
      ['', asCsv, 'Request body has no line with the names of the columns'],
      [
        'a,b\n1,2\n3\n',
        asCsv,
        'Request body is not valid CSV: found 1 cell, expected 2 as in the first line, in line 3',
      ],
      [
        'a,b\n"x\ny",2\n1,2,3',
        asCsv,
        'Request body is not valid CSV: found 3 cells, expected 2 as in the first line, in line 4',
      ],
      ['a,b,a\n', asCsv, 'Request body is not valid CSV: the column "a" occurs twice, in line 1'],
      [
        'a;b\n1;2\n',
        asCsv,
        'Request body is not valid CSV: found one column; cells are separated by commas, in line 1',
      ],
      [
        'a,b\n1,2"3\n',
        asCsv,
        'Request body is not valid CSV: a quote inside a cell that does not begin with one, in line 2',
      ],
      ['a,b\n1,"2"3\n', asCsv, 'Request body is not valid CSV: text behind a closing quote, in line 2'],
      ['a,b\n1,"2\n3,4\n', asCsv, 'Request body is not valid CSV: a quote that is never closed, in line 2'],
      ['a,b\r1,2\r', asCsv, 'Request body is not valid CSV: a carriage return without a line feed, in line 1'],
      ['{"a":1}\n{"a":}\n', asNdjson, "Request body is not valid JSON: unexpected '}' at character 6, in line 2"],
      ['{"a":1}\n[1]\n', asNdjson, 'A line must be a JSON object, not an array, in line 2'],
      ['{"a":1} {"a":2}\n', asNdjson, "Request body is not valid JSON: unexpected '{' at character 9, in line 1"],
      ['[\n{"a":1}]', asNdjson, 'Request body is not valid JSON: unexpected end at character 2, in line 1'],
    ]
    test('what is wrong is told with its line [N6.1]', async () => {
      for (const [body, headers, message] of mistakes) {
        const reply = await send('/demo/echo/batch', body, headers)
        deepStrictEqual(
          [reply.status, JSON.parse(reply.text)],
          [400, { error: 'MalformedRequestException', message }],
          body,
        )
      }
    })

    test('a wrong path is told before a wrong line, as with JSON, where the body can be read [N6.1]', async () => {
      match((await send('/demo/none/batch', 'a\n1', asCsv)).text, /SqlapiRuntimeException/)
      match((await send('/demo/none/batch', 'a\n1,2', asCsv)).text, /MalformedRequestException/)
    })

    test('a request that is no batch is read as JSON, whatever its media type says [N6.1] [D2.1]', async () => {
      strictEqual((await send('/demo/one', '{"a":"1"}', asCsv)).text, '[{"a":"1"}]')
      match(messageOf(await send('/demo/one', 'a\n1', asCsv)), /^Request body is not valid JSON/)
      strictEqual((await send('/demo/real/batch', '{"a":"1"}', asNdjson)).text, '[{"a":"1"}]')
      const queries = JSON.stringify({ queries: [{ a: '1' }] })
      for (const type of ['application/json', 'text/plain', 'text/csvx', 'application/xml', '']) {
        strictEqual((await send('/demo/one/batch', queries, { 'content-type': type })).text, '[[{"a":"1"}]]', type)
      }
    })

    test('the cap on bodies counts as ever [N6.1]', async () => {
      const fits = `a\n${'1\n'.repeat(49_999)}`
      strictEqual((JSON.parse((await send('/demo/one/batch', fits, asCsv)).text) as unknown[]).length, 49_999)
      strictEqual((await send('/demo/one/batch', `${fits}1`, asCsv)).status, 413)
    })
  })
}

test('whatever texts are written as CSV are read back as they were [N6.1]', () => {
  const cell = fc.oneof(
    fc.constant(null),
    fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', 'a', ' ', 'õ', ';'), maxLength: 12 }),
    fc.string({ unit: anyCharacter, maxLength: 12 }),
  )
  const table = fc
    .integer({ min: 1, max: 4 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width })))
  fc.assert(
    fc.property(table, (rows) => {
      const { values, layout } = { values: csv.values, layout: csv.layout(['a']) }
      const text = rows
        .map(
          (cells) => cells.map((each) => (each === null ? values.null : values.text(each))).join(',') + layout.rowEnd,
        )
        .join('')
      deepStrictEqual(
        Array.from(readRows(text), ({ cells }) => cells),
        rows,
      )
    }),
  )
})

test('no body makes the reader fail in any other way than it says [N6.1]', () => {
  const unit = fc.constantFrom('"', ',', '\r', '\n', 'a', '{', '}', ':', '1', '\ufeff')
  fc.assert(
    fc.property(
      fc.string({ unit, maxLength: 40 }),
      fc.constantFrom('text/csv', 'application/x-ndjson'),
      (text, type) => {
        try {
          readLines(type, Buffer.from(text))
        } catch (error) {
          match((error as Error).message, /, in line \d+$|has no line with the names/)
        }
      },
    ),
  )
})

test('a long body takes time in proportion to its length [N6.1]', () => {
  // Each of these would take minutes if a step looked at all that comes, or at all that was.
  for (const body of ['"'.repeat(300_001), `a\n${'"'.repeat(300_001)}`, ','.repeat(300_000)]) {
    throws(() => readLines('text/csv', Buffer.from(body)))
  }
  const names = Array.from({ length: 100_000 }, (_, index) => `c${index}`).join()
  strictEqual(readLines('text/csv', Buffer.from(names))?.sets.length, 0)
  strictEqual(readLines('text/csv', Buffer.from(`a\n${'""'.repeat(150_000)}`))?.sets.length, 1)
  strictEqual(readLines('text/csv', Buffer.from(`a,b\n${'\n'.repeat(300_000)}`))?.sets.length, 0)
  strictEqual(readLines('application/x-ndjson', Buffer.from('{}\n'.repeat(100_000)))?.sets.length, 100_000)
  ok(readLines('application/json', Buffer.from('{}')) === undefined)
})
