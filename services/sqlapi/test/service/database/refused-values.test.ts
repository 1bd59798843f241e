/** The message about a value that a database refuses names its parameter, if only one can be meant. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialect } from '../../../src/model.ts'
import { startTestService } from '../../support/service.ts'

const schema = 'CREATE TABLE t (id integer PRIMARY KEY, name text, day date, open boolean)'

const files = {
  'demo/POST/number.sql': 'SELECT name FROM t WHERE id = :id AND name = :name',
  'demo/POST/list.sql': 'SELECT name FROM t WHERE name = :name AND id IN (:ids)',
  'demo/POST/day.sql': 'SELECT name FROM t WHERE day = :day',
  'demo/POST/open.sql': 'SELECT name FROM t WHERE open = :open',
  'demo/POST/cast.sql': 'SELECT CAST(CAST(:id AS text) AS integer) AS id, CAST(:name AS text) AS name',
  'demo/POST/key.sql': 'INSERT INTO t (id, name) VALUES (:id, :name)',
  'demo/POST/declared.sql': '-- @param id string\nSELECT name FROM t WHERE id = CAST(:id AS integer) LIMIT :id',
  'demo/POST/limit.sql': 'SELECT name FROM t LIMIT :limit',
}

const lines: Readonly<Record<Dialect, readonly (readonly [path: string, body: unknown, message: string])[]>> = {
  postgres: [
    ['number', { id: 'abc', name: 'abc' }, 'type integer: "abc" (SQLSTATE 22P02, statement at line 1); the value of parameter id (declare its type in the file: -- @param id integer)'], // prettier-ignore
    ['list', { name: 'x', ids: ['1', 'b'] }, 'type integer: "b" (SQLSTATE 22P02, statement at line 1); the value of parameter ids (declare its type in the file: -- @param ids integer[])'], // prettier-ignore
    ['list', { name: 'x', ids: '1,2' }, 'type integer: "1,2" (SQLSTATE 22P02, statement at line 1); the value of parameter ids (declare its type in the file: -- @param ids integer[]; a list in a query string repeats the key: ?ids=1&ids=2)'], // prettier-ignore
    ['list', { name: 'x', ids: 'b' }, 'the value of parameter ids (declare its type in the file: -- @param ids integer[])'], // prettier-ignore
    ['day', { day: '2026-13-01' }, 'out of range: "2026-13-01" (SQLSTATE 22008, statement at line 1); the value of parameter day (declare its type in the file: -- @param day date)'], // prettier-ignore
    ['open', { open: 'maybe' }, 'type boolean: "maybe" (SQLSTATE 22P02, statement at line 1); the value of parameter open (declare its type in the file: -- @param open boolean)'], // prettier-ignore
    ['cast', { id: 'abc', name: 'x' }, 'type integer: "abc" (SQLSTATE 22P02, statement at line 1); the value of parameter id (declare its type in the file: -- @param id integer)'], // prettier-ignore
    ['day', { day: 'x' }, 'type date: "x" (SQLSTATE 22007, statement at line 1); the value of parameter day (declare its type in the file: -- @param day date)'], // prettier-ignore
    ['declared', { id: 'abc' }, '; the value of parameter id'],
    ['cast', { id: 'abc', name: 'abc' }, 'type integer: "abc" (SQLSTATE 22P02, statement at line 1)'],
    ['number/batch', { queries: [{ id: 1, name: 'x' }, { id: 'abc', name: 'x' }] }, 'statement at line 1); the value of parameter id (declare its type in the file: -- @param id integer) in queries[1]'], // prettier-ignore
  ],
  sqlite: [
    [
      'limit',
      { limit: 'abc' },
      'datatype mismatch (SQLite 20, statement at line 1); the value of parameter limit (declare its type in the file: -- @param limit integer)',
    ],
    [
      'key',
      { id: 'abc', name: 7 },
      'datatype mismatch (SQLite 20, statement at line 1); the value of parameter id (declare its type in the file: -- @param id integer)',
    ],
    ['declared', { id: 'abc' }, '; the value of parameter id'],
    ['key', { id: 'abc', name: 'x' }, 'datatype mismatch (SQLite 20, statement at line 1)'],
    ['key/batch', { queries: [{ id: 1, name: '1' }, { id: 'b', name: '1' }] }, '; the value of parameter id (declare its type in the file: -- @param id integer) in queries[1]'], // prettier-ignore
  ],
}

for (const kind of ['postgres', 'sqlite'] as const) {
  test(`a value that is refused is named by its parameter, ${kind} [F11]`, async () => {
    const service = await startTestService({ kind, files, schema, config: { logging: { level: 'error' } } })
    try {
      for (const [path, body, expected] of lines[kind]) {
        const { status, text } = await service.post(`/demo/${path}`, body)
        const { error, message } = JSON.parse(text) as { error: string; message: string }
        strictEqual(`${status} ${error}`, '400 BadSqlGrammarException')
        strictEqual(message.slice(-expected.length), expected)
      }
    } finally {
      await service.close()
    }
  })
}
