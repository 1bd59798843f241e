/**
 * That a format is one thing and a database another: a format that the service does not have is given to both
 * databases, and comes out alike. What JSON looks like is for row-writer.test.ts and rows-json.test.ts.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { Sink } from '../../../src/database/result.ts'
import { Catalog } from '../../../src/database/postgres/sessions/catalog.ts'
import { Session as PostgresSession } from '../../../src/database/postgres/sessions/session.ts'
import { Session as SqliteSession } from '../../../src/database/sqlite/worker/session.ts'
import type { RowFormat } from '../../../src/formats/format.ts'
import { formats } from '../../../src/formats/formats.ts'
import { json } from '../../../src/formats/json.ts'
import type { Dialect } from '../../../src/model.ts'
import { createDatabase } from '../../support/databases.ts'
import { newFile, openOptions, textOf } from '../../support/sqlite.ts'

/**
 * Each of its texts is another one, so none can stand for another. Keys of several characters show what has to be made
 * room for.
 */
const lines: RowFormat = {
  mediaType: 'text/x-lines',
  nothing: 'nothing',
  layout: (keys) => ({
    start: `<<${keys.join('|')}\n`,
    between: '\n+',
    before: keys.map((key, index) => `${index === 0 ? '' : ' & '}${key}=`),
    rowEnd: ' ;;',
    end: '\n>>',
    empty: `none of ${keys.join('|')}`,
  }),
  values: {
    null: '(there is nothing here)',
    json: (text) => `json ${text}`,
    plain: (text) => `plain ${text}`,
    text: (text) => `text ${text}`,
    typedJson: (type, text) => `${type} ${text}`,
  },
}

interface Opened {
  /** The rows, or nothing where there is no result set. */
  run(sql: string, format: RowFormat): Promise<string | undefined>
  /** The pieces of a long result. */
  stream(sql: string, format: RowFormat): Promise<readonly string[]>
  close(): Promise<void>
}

const open: Readonly<Record<Dialect, () => Promise<Opened>>> = { postgres: openPostgres, sqlite: openSqlite }

async function openPostgres(): Promise<Opened> {
  const database = await createDatabase('postgres')
  const options = { url: database.url, connectTimeoutSeconds: 5, statementTimeoutSeconds: 0 }
  const session = await PostgresSession.open(options, new Catalog(), () => undefined)
  const plan = (text: string) => ({
    name: `test_${Buffer.from(text).toString('hex')}`.slice(0, 60),
    text,
    ends: [],
    parameters: [],
    narrow: [],
  })
  return {
    async run(sql, format) {
      const answer = await session.execute(plan(sql), [], format)
      return answer === undefined ? undefined : textOf(answer)
    },
    async stream(sql, format) {
      const { promise, resolve } = Promise.withResolvers<Readable>()
      const sink = new Sink(resolve)
      const running = session.execute(plan(sql), [], format, sink).then((rest) => sink.end(rest ?? ''))
      const pieces: string[] = []
      for await (const piece of await promise) pieces.push(String(piece))
      await running
      return pieces
    },
    async close() {
      await session.close()
      await database.remove()
    },
  }
}

function openSqlite(): Promise<Opened> {
  const session = new SqliteSession(openOptions(newFile(), 1000))
  const numbers = new Map<string, number>()
  const call = (sql: string) => {
    const statement = numbers.get(sql) ?? numbers.size
    numbers.set(sql, statement)
    session.statements.learn([[statement, sql]])
    return { statement, values: [] }
  }
  const check = (): void => undefined
  return Promise.resolve({
    run: (sql, format) => Promise.resolve(session.run(call(sql), { format, check })),
    stream(sql, format) {
      const pieces: string[] = []
      const rest = session.run(call(sql), {
        format,
        check,
        pieces: { length: 65_536, send: (piece) => pieces.push(piece) },
      })
      return Promise.resolve([...pieces, rest ?? ''])
    },
    close() {
      session.close()
      return Promise.resolve()
    },
  })
}

for (const [dialect, openDatabase] of Object.entries(open)) {
  describe(`a format that the service does not have, on ${dialect}`, () => {
    test('writes rows, and what stands around and between them [H4]', async () => {
      const database = await openDatabase()
      const sql = "SELECT 1 AS row_id, 'a\"b' AS \"NAME\", NULL AS x UNION ALL SELECT 2, '', NULL ORDER BY 1"
      const written = [
        '<<rowId|NAME|x',
        'rowId=json 1 & NAME=text a"b & x=(there is nothing here) ;;',
        '+rowId=json 2 & NAME=text  & x=(there is nothing here) ;;',
        '>>',
      ].join('\n')
      const asJson = '[{"rowId":1,"NAME":"a\\"b","x":null},{"rowId":2,"NAME":"","x":null}]'
      // Whichever was there first, the other one is not what it says.
      for (let round = 0; round < 2; round++) {
        strictEqual(await database.run(sql, lines), written)
        strictEqual(await database.run(sql, json), asJson)
      }
      await database.close()
    })

    test('says what no row looks like, and has no say where there is no result set [H4]', async () => {
      const database = await openDatabase()
      strictEqual(await database.run('SELECT 1 AS row_id, 2 AS b WHERE 1 = 2', lines), 'none of rowId|b')
      strictEqual(await database.run('SELECT 1 AS row_id, 2 AS b WHERE 1 = 2', json), '[]')
      strictEqual(await database.run('CREATE TABLE t (a integer)', lines), undefined)
      await database.close()
    })

    test('goes on where a result has grown long and leaves in pieces [H4]', async () => {
      const database = await openDatabase()
      const sql =
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 60000) SELECT n, 'some more text' AS t FROM c"
      const row = (n: number): string => `n=json ${n} & t=text some more text ;;`
      const pieces = await database.stream(sql, lines)
      ok(pieces.length > 3, `${pieces.length}`)
      const expected = `<<n|t\n${Array.from({ length: 60_000 }, (_, index) => row(index + 1)).join('\n+')}\n>>`
      ok(pieces.join('') === expected)
      await database.close()
    })
  })
}

test('each kind of value of PostgreSQL is told to the format by what it is [H4]', async () => {
  const database = await openPostgres()
  const kinds: readonly (readonly [sql: string, written: string])[] = [
    ['9007199254740993::bigint', 'json 9007199254740993'],
    ['12345678901234567890.10::numeric', 'plain 12345678901234567890.10'],
    ["'NaN'::float8", '(there is nothing here)'],
    ['true', 'json true'],
    ["DATE '2026-01-31'", 'plain 2026-01-31'],
    ["TIMESTAMPTZ '2026-01-31 10:20:30+00'", 'plain 2026-01-31T10:20:30Z'],
    ["TIMESTAMP '2026-01-31 10:20:30'", 'plain 2026-01-31T10:20:30'],
    [`'{"a": "x"}'::json`, 'json {"a": "x"}'],
    [`ARRAY['a"b', NULL]`, 'json ["a\\"b",null]'],
    ["'õ'::text", 'text õ'],
  ]
  for (const [sql, written] of kinds) {
    strictEqual(await database.run(`SELECT ${sql} AS v`, lines), `<<v\nv=${written} ;;\n>>`, sql)
  }
  await database.run("CREATE TYPE mood AS ENUM ('fine')", lines)
  // Rows that come before their type is known are kept, and written then.
  strictEqual(await database.run("SELECT 'fine'::mood AS v", lines), '<<v\nv=text fine ;;\n>>')
  await database.close()
})

test('each kind of value of SQLite is told to the format by what it is [H4]', async () => {
  const database = await openSqlite()
  const kinds: readonly (readonly [sql: string, written: string])[] = [
    ['9007199254740993', 'json 9007199254740993'],
    ['1.5', 'json 1.5'],
    ['9e999', '(there is nothing here)'],
    ["x'00ff'", 'plain AP8='],
  ]
  for (const [sql, written] of kinds) {
    strictEqual(await database.run(`SELECT ${sql} AS v`, lines), `<<v\nv=${written} ;;\n>>`, sql)
  }
  await database.run('CREATE TABLE flags (is_on BOOLEAN)', lines)
  await database.run('INSERT INTO flags VALUES (0), (1), (2)', lines)
  strictEqual(
    await database.run('SELECT is_on FROM flags ORDER BY 1', lines),
    '<<isOn\nisOn=json false ;;\n+isOn=json true ;;\n+isOn=json 2 ;;\n>>',
  )
  await database.close()
})

test('a format is not taken for another one when the columns of a table change [H4]', async () => {
  const database = await openSqlite()
  await database.run('CREATE TABLE t (a integer)', lines)
  await database.run('INSERT INTO t VALUES (1)', lines)
  const both = async (): Promise<unknown[]> => [
    await database.run('SELECT * FROM t', lines),
    await database.run('SELECT * FROM t', json),
  ]
  deepStrictEqual(await both(), ['<<a\na=json 1 ;;\n>>', '[{"a":1}]'])
  await database.run('ALTER TABLE t RENAME COLUMN a TO new_name', lines)
  deepStrictEqual(await both(), ['<<newName\nnewName=json 1 ;;\n>>', '[{"newName":1}]'])
  await database.run('DELETE FROM t', lines)
  await database.run('ALTER TABLE t RENAME COLUMN new_name TO b', lines)
  deepStrictEqual(await both(), ['none of b', '[]'])
  await database.close()
})

test('the table of formats has JSON, and what it writes for nothing is a result without rows [H4]', () => {
  deepStrictEqual(Object.keys(formats), ['json', 'csv', 'ndjson'])
  strictEqual(formats.json.mediaType, 'application/json')
  strictEqual(formats.json.layout(['a']).empty, formats.json.nothing)
})
