/**
 * Which SQLite statements are known to give one row at most, judged by SQLite's own programs; the others are read row
 * by row.
 */
import { strictEqual } from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { givesOneRow, type Instruction } from '../../../src/database/sqlite/worker/bytecode.ts'
import { Datasource, newFile } from '../../support/sqlite.ts'

const schema = 'CREATE TABLE t (id INTEGER PRIMARY KEY, a, u UNIQUE); CREATE TABLE s (id INTEGER PRIMARY KEY, a)'

const statements: Readonly<Record<string, boolean>> = {
  'SELECT * FROM t WHERE id = ?': true,
  'SELECT * FROM t WHERE u = ?': true,
  'SELECT t.a, s.a FROM t JOIN s ON s.id = t.a WHERE t.id = ?': true,
  'SELECT count(*) FROM t': true,
  'SELECT max(id) FROM t': true,
  'SELECT 1': true,
  'SELECT * FROM t': false,
  'SELECT * FROM t WHERE a = ?': false,
  'SELECT * FROM t WHERE id IN (1, 2)': false,
  'SELECT * FROM t WHERE id = 1 OR u = 2': false,
  'SELECT * FROM t LEFT JOIN s ON s.a = t.a WHERE t.id = 1': false,
  'SELECT 1 UNION ALL SELECT 2': false,
  'SELECT a FROM t GROUP BY a': false,
  'SELECT a FROM t ORDER BY a': false,
  'SELECT a, row_number() OVER () FROM t': false,
  'VALUES (1), (2)': false,
  'SELECT * FROM (VALUES (1), (2))': false,
  'SELECT value FROM json_each(?)': false,
  'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT * FROM c': false,
  'INSERT INTO t (a) SELECT a FROM s RETURNING id': false,
}

describe('a statement gives one row at most', () => {
  const database = new DatabaseSync(':memory:')
  database.exec(schema)
  for (const [sql, expected] of Object.entries(statements)) {
    test(`${sql}: ${expected ? 'yes' : 'nobody knows'}`, () => {
      strictEqual(givesOneRow(database.prepare(`EXPLAIN ${sql}`).all() as unknown as Instruction[]), expected)
    })
  }
})

test('a statement that gave one row gives all when somebody has dropped its index', async () => {
  const file = newFile('CREATE TABLE t (x, u); CREATE UNIQUE INDEX i ON t (u); INSERT INTO t VALUES (1, 7)')
  const lite = new Datasource(file, 1)
  const read = (): Promise<string> => lite.text('SELECT x FROM t WHERE u = :u', { u: 7 })
  strictEqual(await read(), '[{"x":1}]')
  strictEqual(await read(), '[{"x":1}]')
  const other = new DatabaseSync(file)
  other.exec('DROP INDEX i; INSERT INTO t VALUES (2, 7)')
  other.close()
  strictEqual(await read(), '[{"x":1},{"x":2}]')
  strictEqual(await read(), '[{"x":1},{"x":2}]')
})
