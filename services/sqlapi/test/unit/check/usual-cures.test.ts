/** What `check` says to those who write SQL as they are used to from elsewhere, where the databases point. */
import { ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { usualCure } from '../../../src/check/usual-cures.ts'
import type { Mistake } from '../../../src/description.ts'
import { dialectNames, dialects } from '../../../src/dialects.ts'
import type { Dialect } from '../../../src/model.ts'
import { readScript } from '../../../src/sql/script.ts'

function cureAt(text: string, column: number, dialect: Dialect, mistake: Mistake = 'syntax'): string | undefined {
  const [statement] = readScript(text, dialects[dialect].grammar).statements
  ok(statement !== undefined)
  return usualCure(mistake, statement, dialect, { line: 1, column })
}

/** The column is that which PostgreSQL and SQLite give. */
const cases: readonly [text: string, column: number, cure: string | undefined][] = [
  ['SELECT 1 WHERE a = {id}', 20, 'write a parameter with a colon, such as :id'],
  ['SELECT 1 WHERE a = ${id}', 20, 'write a parameter with a colon, such as :id'],
  ['SELECT 1 WHERE a = #{id}', 21, 'write a parameter with a colon, such as :id'],
  ['SELECT 1 WHERE a = %s', 20, 'write a parameter with a colon, such as :id'],
  ['SELECT 1 WHERE a = %(id)s', 20, 'write a parameter with a colon, such as :id'],
  ['SELECT 1 WHERE a = :1', 20, 'write a parameter as a colon and a name of A-Z, a-z, 0-9 and _, such as :id'],
  ['SELECT 1 WHERE a = : id', 20, 'write a parameter as a colon and a name of A-Z, a-z, 0-9 and _, such as :id'],
  ['SELECT 1 WHERE a IN :ids', 21, 'write the list in brackets: IN (:names)'],
  ['SELECT 1 FROM :name', 15, 'write the name of the table; a parameter can only be a value'],
  ['SELECT\u00a01', 1, 'remove the character U+00A0, which looks like a space or like nothing'],
  ['\\set x 1', 1, 'remove the command, which only psql knows'],
  ['.mode json', 1, 'remove the command, which only the shell of SQLite knows'],
  ['SELECT a, FROM t', 11, 'remove the comma in front of FROM'],
  ['INSERT INTO t (a, ) VALUES (1)', 19, 'remove the comma in front of )'],
  ['SELECT TOP 10 * FROM t', 12, 'write LIMIT 10 at the end of the statement'],
  ['USE shop', 1, 'remove it; the datasource of the project is the database'],
  ['GO', 1, 'remove it; a semicolon ends a statement'],
  [
    'SELECT a FROM t ORDER BY :key :direction',
    31,
    'write the words of SQL, such as DESC, in the file; a parameter can only be a value',
  ],
  ['SELECT 1 AS a SELECT 2 AS b', 15, 'put a semicolon in front of SELECT if a statement begins there'],
  [
    "INSERT INTO t VALUES ('x') update t SET a = 1",
    28,
    'put a semicolon in front of update if a statement begins there',
  ],
  ['SELECT (1 + SELECT 2)', 13, undefined],
  ['SELECT (a SELECT 2)', 11, undefined],
  ['SELECT (1 FROM a', 11, undefined],
  ['SELCT :id', 1, undefined],
  ['SELECT a::text FROM WHERE', 21, undefined],
]

test('what is right elsewhere has a cure of its own, other errors have none [N1.2]', () => {
  for (const [text, column, cure] of cases) {
    for (const dialect of dialectNames) strictEqual(cureAt(text, column, dialect), cure, text)
  }
  const colon = 'write a parameter with a colon, such as :id'
  strictEqual(cureAt('SELECT 1 WHERE a = ?', 21, 'postgres'), colon)
  strictEqual(cureAt('SELECT 1 WHERE (a = ?)', 22, 'postgres'), colon)
  strictEqual(cureAt('SELECT interval :n day', 17, 'postgres'), "write :n * interval '1 day', or :text::interval")
  strictEqual(cureAt('SELECT a::text FROM t', 9, 'sqlite'), 'write cast(.. AS type); SQLite has no ::')
  strictEqual(
    cureAt("SELECT a - interval '1 day' FROM t", 21, 'sqlite'),
    "write the interval into a function, such as datetime('now', '-1 day')",
  )
})

test('a keyword that PostgreSQL takes for an alias is the cure of the mistake behind it [F11]', () => {
  const cureBelow = (text: string, column: number): string | undefined => {
    const [statement] = readScript(text, dialects.postgres.grammar).statements
    ok(statement !== undefined)
    return usualCure('syntax', statement, 'postgres', { line: 2, column })
  }
  const cases: readonly [text: string, column: number, keyword: string | undefined][] = [
    ['SELECT id, name FROM item\nUPDATE item SET a = 1', 8, 'UPDATE'],
    ['SELECT id, name FROM item\n  delete FROM item', 10, 'delete'],
    ['SELECT id FROM item\nINSERT INTO item VALUES (1)', 8, 'INSERT'],
    ['UPDATE item SET a = 1 RETURNING id\nSELECT 1 AS one', 8, 'SELECT'],
    ['INSERT INTO item (id) SELECT 99\nSELECT id FROM item', 8, 'SELECT'],
    ['INSERT INTO t VALUES (1) ON CONFLICT (a) DO\nUPDATE t SET a = 1', 8, undefined],
    ['SELECT a FROM t FOR\nUPDATE t', 8, undefined],
    ['SELECT 1 UNION ALL\nSELECT order', 8, undefined],
    ['WITH a AS (SELECT 1)\nSELECT order FROM a', 8, undefined],
    ['SELECT a FROM t\nSELECT, b FROM t', 7, undefined],
    ['SELECT (a FROM t\nDELETE FROM t', 8, undefined],
  ]
  for (const [text, column, keyword] of cases) {
    const cure = keyword && `put a semicolon in front of ${keyword} if a statement begins there`
    strictEqual(cureBelow(text, column), cure, text)
  }
})

test('a column that nobody meant as one has the cure of what was meant [N1.2]', () => {
  for (const dialect of dialectNames) {
    const cureOf = (text: string, column: number): string | undefined => cureAt(text, column, dialect, 'unknown-column')
    strictEqual(
      cureOf('SELECT 1 FROM t WHERE a = "open"', 27),
      'write a text in single quotes; double quotes are for names',
    )
    strictEqual(
      cureOf('SELECT 1 FROM t WHERE a = :note-id', 33),
      'write :note_id if that is one parameter; its name can have no hyphen',
    )
    strictEqual(cureOf('SELECT nope FROM t', 8), undefined)
  }
})
