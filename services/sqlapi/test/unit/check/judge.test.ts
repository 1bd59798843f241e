/**
 * What is said of a file without a database: its text in, codes with their positions out; and what must not be said.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { dialectNames } from '../../../src/dialects.ts'
import type { Remark } from '../../../src/findings/finding.ts'
import { severityOf } from '../../../src/findings/weights.ts'
import type { Dialect } from '../../../src/model.ts'
import { judge } from '../../../src/rules/judge.ts'
import { endpointOf, testAll } from '../../support/check/judging.ts'

testAll('no-where', [
  { title: 'UPDATE', text: 'UPDATE t SET a = 1', found: ['no-where 1:1'] },
  { title: 'DELETE', text: '\n  delete from t;', found: ['no-where 2:3'] },
  { title: 'with WHERE', text: 'UPDATE t SET a = 1 WHERE b = :b; DELETE FROM t WHERE true' },
  {
    title: 'a WHERE in brackets is of something else',
    text: 'UPDATE t SET a = (SELECT b FROM u WHERE u.id = t.id)',
    found: ['no-where 1:1'],
  },
  {
    title: 'a WHERE in quotes or in a comment is none',
    text: `DELETE FROM t -- WHERE a\n RETURNING 'WHERE', "where" /* WHERE */`,
    found: ['no-where 1:1'],
  },
  {
    title: 'INSERT .. ON CONFLICT DO UPDATE',
    text: 'INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = 2',
  },
  { title: 'DELETE .. USING', text: 'DELETE FROM t USING u', only: 'postgres', found: ['no-where 1:1'] },
  { title: 'DELETE .. USING .. WHERE', text: 'DELETE FROM t USING u WHERE t.id = u.id', only: 'postgres' },
  { title: 'UPDATE .. FROM', text: 'UPDATE t SET a = u.a FROM u', found: ['no-where 1:1'] },
  { title: 'UPDATE .. FROM .. WHERE', text: 'UPDATE t SET a = u.a FROM u WHERE u.id = t.id' },
  {
    title: 'a DELETE in WITH',
    text: 'WITH gone AS (\n  DELETE FROM t RETURNING *\n) SELECT * FROM gone WHERE true',
    only: 'postgres',
    found: ['no-where 2:3'],
  },
  {
    title: 'a WHERE of the WITH is not that of the main statement, nor the other way round',
    text: 'WITH a AS (DELETE FROM t WHERE x RETURNING *) UPDATE u SET y = 1 FROM a',
    only: 'postgres',
    found: ['no-where 1:47'],
  },
  {
    title: 'several WITH, with columns, materialized, recursive',
    text: 'WITH RECURSIVE a (x, y) AS NOT MATERIALIZED (SELECT 1, 2), b AS MATERIALIZED (UPDATE t SET a = 1) DELETE FROM u',
    only: 'postgres',
    found: ['no-where 1:79', 'no-where 1:99'],
  },
  {
    title: 'WITH .. SEARCH and CYCLE',
    text: 'WITH RECURSIVE a AS (SELECT 1) SEARCH DEPTH FIRST BY x, y SET o CYCLE x SET c USING p DELETE FROM t',
    only: 'postgres',
    found: ['no-where 1:87'],
  },
  {
    title: 'WITH in WITH',
    text: 'WITH a AS (WITH b AS (DELETE FROM t RETURNING 1) SELECT * FROM b) SELECT * FROM a',
    only: 'postgres',
    found: ['no-where 1:23'],
  },
  {
    title: 'a WITH whose name is a key word',
    text: 'WITH delete AS (SELECT 1) SELECT * FROM delete',
    only: 'postgres',
  },
  {
    title: 'WITH behind INSERT',
    text: 'INSERT INTO u WITH moved AS (DELETE FROM t RETURNING *) SELECT * FROM moved',
    only: 'postgres',
    found: ['no-where 1:30'],
  },
  {
    title: 'EXPLAIN ANALYZE runs it',
    text: 'EXPLAIN ANALYZE DELETE FROM t',
    only: 'postgres',
    found: ['no-where 1:17'],
  },
  {
    title: 'EXPLAIN ANALYSE VERBOSE',
    text: 'explain analyse verbose update t set a = 1',
    only: 'postgres',
    found: ['no-where 1:25'],
  },
  {
    title: 'ANALYZE among the options of EXPLAIN',
    text: 'EXPLAIN (BUFFERS, ANALYZE true) WITH a AS (DELETE FROM t) SELECT 1',
    only: 'postgres',
    found: ['no-where 1:44'],
  },
  { title: 'EXPLAIN alone runs nothing', text: 'EXPLAIN DELETE FROM t' },
  { title: 'EXPLAIN without ANALYZE', text: "EXPLAIN (ANALYZE 'off', VERBOSE) DELETE FROM t", only: 'postgres' },
  { title: 'EXPLAIN QUERY PLAN', text: 'EXPLAIN QUERY PLAN DELETE FROM t', only: 'sqlite' },
  { title: 'MERGE', text: 'MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE', only: 'postgres' },
  { title: 'FOR UPDATE', text: 'SELECT * FROM t FOR UPDATE', only: 'postgres' },
  {
    title: 'bodies of routines',
    text: `CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'DELETE FROM t'`,
    only: 'postgres',
  },
  {
    title: 'bodies of triggers',
    text: 'CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM u; UPDATE u SET a = 1; END',
    only: 'sqlite',
  },
  { title: 'a statement that is explained', text: 'EXPLAIN DELETE FROM t' },
  { title: 'rights', text: 'GRANT UPDATE, DELETE ON t TO me', only: 'postgres' },
  { title: 'conflict clauses', text: 'UPDATE OR IGNORE t SET a = 1', only: 'sqlite', found: ['no-where 1:1'] },
  { title: 'TRUNCATE says what it does', text: 'TRUNCATE t', only: 'postgres' },
  {
    title: 'a temporary table of the file',
    text: 'CREATE TEMP TABLE x (a int); INSERT INTO x VALUES (1); DELETE FROM x',
  },
  { title: 'a quoted one', text: 'CREATE TEMPORARY TABLE IF NOT EXISTS "X" (a int); DELETE FROM "X"' },
  { title: 'one made by SELECT .. INTO', text: 'SELECT 1 AS a INTO TEMP x; UPDATE x SET a = 2', only: 'postgres' },
  { title: 'one with its schema', text: 'CREATE TEMP TABLE x (a int); DELETE FROM pg_temp.x', only: 'postgres' },
  {
    title: 'another table of that name',
    text: 'CREATE TEMP TABLE x (a int); DELETE FROM app.x; DELETE FROM y',
    found: ['no-where 1:30', 'no-where 1:49'],
  },
  { title: 'columns are counted in characters', text: `SELECT '😀'; DELETE FROM t`, found: ['no-where 1:13'] },
])

testAll('replica-mark', [
  { title: 'a write', text: '-- @replica\nINSERT INTO t VALUES (1)', only: 'postgres', found: ['replica-mark 2:1'] },
  {
    title: 'the one among others',
    text: '-- @replica\nSHOW a; SELECT * FROM t FOR UPDATE',
    only: 'postgres',
    found: ['replica-mark 2:9'],
  },
  { title: 'reads', text: '-- @replica\nSHOW a; SHOW b; TABLE t', only: 'postgres' },
  { title: 'a write without the mark', text: 'INSERT INTO t VALUES (1)', only: 'postgres' },
  { title: 'a file on SQLite', text: '-- @replica\nINSERT INTO t VALUES (1)', only: 'sqlite' },
])

testAll('write-in-get', [
  { title: 'INSERT', method: 'GET', text: 'INSERT INTO t VALUES (1)', found: ['write-in-get 1:1'] },
  {
    title: 'one of several statements',
    method: 'GET',
    text: 'SELECT 1;\nUPDATE t SET a = 1 WHERE b',
    found: ['write-in-get 2:1'],
  },
  {
    title: 'in WITH',
    method: 'GET',
    text: 'WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x',
    only: 'postgres',
    found: ['write-in-get 1:12'],
  },
  {
    title: 'MERGE',
    method: 'GET',
    text: 'MERGE INTO t USING u ON a WHEN MATCHED THEN DELETE',
    only: 'postgres',
    found: ['write-in-get 1:1'],
  },
  { title: 'REPLACE', method: 'GET', text: 'REPLACE INTO t VALUES (1)', only: 'sqlite', found: ['write-in-get 1:1'] },
  { title: 'the function replace', method: 'GET', text: `SELECT replace(a, 'b', 'c') FROM t` },
  { title: 'columns that are called like verbs', method: 'GET', text: 'SELECT "update", t.delete FROM t' },
  { title: 'a POST file', text: 'INSERT INTO t VALUES (1)' },
  { title: 'a lock', method: 'GET', text: 'SELECT * FROM t FOR UPDATE', only: 'postgres' },
  {
    title: 'a temporary table',
    method: 'GET',
    text: 'CREATE TEMP TABLE x AS SELECT 1 AS a; INSERT INTO x VALUES (2); SELECT * FROM x',
  },
  { title: 'both at once', method: 'GET', text: 'DELETE FROM t', found: ['write-in-get 1:1', 'no-where 1:1'] },
  ...['CREATE TABLE x (a int)', 'ALTER TABLE t ADD a int', 'DROP TABLE t', 'REINDEX t', 'VACUUM'].map((text) => ({
    title: `${text} [F12]`,
    method: 'GET' as const,
    text,
    found: ['write-in-get 1:1'],
  })),
  ...['REFRESH MATERIALIZED VIEW v', 'GRANT SELECT ON t TO me', "COMMENT ON TABLE t IS 'x'", 'CLUSTER t'].map(
    (text) => ({
      title: `${text} [F12]`,
      method: 'GET' as const,
      text,
      only: 'postgres' as const,
      found: ['write-in-get 1:1'],
    }),
  ),
  {
    title: 'a table that is made by SELECT INTO [F12]',
    method: 'GET',
    text: 'SELECT 1 AS a INTO x',
    only: 'postgres',
    found: ['write-in-get 1:15'],
  },
  {
    title: 'a temporary table that is dropped before it is made [F12]',
    method: 'GET',
    text: 'DROP TABLE IF EXISTS x; CREATE TEMP TABLE x AS SELECT 1 AS a; CREATE INDEX i ON x (a); SELECT a FROM x',
  },
  { title: 'a schema change in a POST file [F12]', text: 'CREATE TABLE x (a int)' },
  { title: 'commands that change nothing [F12]', method: 'GET', text: 'SET work_mem = 1; SHOW work_mem; ANALYZE t', only: 'postgres' }, // prettier-ignore
])

testAll('parameter-case', [
  { title: 'two names [F7]', text: 'SELECT :id,\n  :ID', found: ['parameter-case 2:3'] },
  { title: 'in two statements [F7]', text: 'DELETE FROM t WHERE a = :userId; SELECT :userid, :USERID', found: ['parameter-case 1:41', 'parameter-case 1:50'] }, // prettier-ignore
  { title: 'one name twice [F7]', text: 'SELECT :id, :id, :id2' },
])

const marked = '-- @transactional\n'

testAll('transaction-control', [
  ...['COMMIT', 'END', 'ROLLBACK', 'BEGIN', 'commit work', 'BEGIN TRANSACTION', 'ABORT'].map((words) => ({
    title: words,
    text: `${marked}SELECT 1; ${words}`,
    found: ['transaction-control 2:11'],
  })),
  { title: 'START TRANSACTION', text: `${marked}START TRANSACTION`, found: ['transaction-control 2:1'] },
  { title: 'PREPARE TRANSACTION', text: `${marked}PREPARE TRANSACTION 'a'`, found: ['transaction-control 2:1'] },
  { title: 'PREPARE of a statement', text: `${marked}PREPARE a AS SELECT 1`, only: 'postgres' },
  ...['VACUUM', 'vacuum t'].map((words) => ({
    title: `${words} [F7]`,
    text: `${marked}${words}`,
    found: ['transaction-control 2:1'],
  })),
  ...['CREATE UNIQUE INDEX CONCURRENTLY i ON t (a)', 'REINDEX TABLE CONCURRENTLY t', 'CREATE DATABASE x'].map(
    (words) => ({
      title: `${words} [F7]`,
      text: `${marked}${words}`,
      only: 'postgres' as const,
      found: ['transaction-control 2:1'],
    }),
  ),
  { title: 'what runs in a transaction [F7]', text: `${marked}CREATE INDEX i ON t (a); REINDEX t; SELECT 1` },
  { title: 'VACUUM in a file that is not marked [F7]', text: 'VACUUM' },
  { title: 'savepoints', text: `${marked}SAVEPOINT a; ROLLBACK TO a; ROLLBACK TRANSACTION TO SAVEPOINT a; RELEASE a` },
  { title: 'a file that is not marked', text: 'BEGIN; COMMIT' },
  { title: 'a marker that does not count', text: '/* x */\n-- @transactional\nCOMMIT', found: ['declaration 2:4'] },
])

testAll('constant-parameter', [
  { title: 'alone', text: 'SELECT a FROM t ORDER BY :p', found: ['constant-parameter 1:26'] },
  { title: 'in small letters, with a direction', text: 'select a\nfrom t\norder by :p desc nulls last;', found: ['constant-parameter 3:10'] }, // prettier-ignore
  { title: 'several, beside a column', text: 'SELECT a FROM t ORDER BY a, :p, b DESC, :q ASC', found: ['constant-parameter 1:29', 'constant-parameter 1:41'] }, // prettier-ignore
  { title: 'before LIMIT', text: 'SELECT a FROM t ORDER BY :p LIMIT :n OFFSET :m', found: ['constant-parameter 1:26'] },
  { title: 'with a cast', text: 'SELECT a FROM t ORDER BY :p::text, :q::pg_catalog.numeric(10, 2) DESC', only: 'postgres', found: ['constant-parameter 1:26', 'constant-parameter 1:36'] }, // prettier-ignore
  { title: 'in a subquery and in a window', text: 'SELECT (SELECT a FROM t ORDER BY :p), row_number() OVER (ORDER BY :q ROWS 1 PRECEDING)', found: ['constant-parameter 1:34', 'constant-parameter 1:67'] }, // prettier-ignore
  {
    title: 'behind a function with commas',
    text: 'SELECT a FROM t ORDER BY coalesce(a, b), :p',
    found: ['constant-parameter 1:42'],
  },
  { title: 'in GROUP BY', text: 'SELECT count(*) FROM t GROUP BY :p HAVING true', found: ['constant-parameter 1:33'] },
  { title: 'of several UNIONs', text: 'SELECT 1 UNION SELECT 2 GROUP BY :p UNION SELECT 3 ORDER BY :q', found: ['constant-parameter 1:34', 'constant-parameter 1:61'] }, // prettier-ignore
  { title: 'GROUP BY what is selected', text: 'SELECT :p AS label, count(*) FROM t GROUP BY :p' },
  { title: 'CASE', text: "SELECT a FROM t ORDER BY CASE :p WHEN 'a' THEN a END, CASE WHEN :p = 'b' THEN b END" },
  { title: 'in an expression', text: 'SELECT a FROM t ORDER BY a = :p, :p || a, abs(a - :p), :p * a, a LIMIT :p' },
  { title: 'behind ORDER BY', text: 'SELECT a FROM t ORDER BY a LIMIT :p, :q' },
  { title: 'in quotes or in a comment', text: "SELECT 'ORDER BY :p' FROM t -- ORDER BY :p\n WHERE a = :p" },
  { title: 'columns that are called so', text: 'SELECT "order" FROM t WHERE "group" IN (:p, 1)' },
])

testAll('quoted-parameter', [
  { title: 'a pattern', text: "SELECT 1 WHERE a LIKE '%:q%'", found: ['quoted-parameter 1:23'] },
  { title: 'alone, beside a real one', text: "SELECT :a WHERE a = ':q' AND b = :a", found: ['quoted-parameter 1:21'] },
  { title: 'in a statement that writes', text: "INSERT INTO t VALUES (':a', ':b_')", found: ['quoted-parameter 1:23', 'quoted-parameter 1:29'] }, // prettier-ignore
  { title: 'times, paths, addresses and casts', text: "SELECT '10:30', 'HH24:MI', 'http://a', 'urn:x', ':', '::text', ': a', ':a b', '{\"a\":b}', ':1'" }, // prettier-ignore
  { title: 'a quoted name and a comment', text: `SELECT ":a" -- ':b'\n/* ':c' */` },
])

testAll('list-position', [
  { title: 'alone it is expanded', text: 'SELECT 1 WHERE a IN (:xs) AND b NOT IN (:ys)' },
  { title: 'with a plain cast too', text: 'SELECT 1 WHERE a IN (:xs::app.kind)', only: 'postgres' },
  {
    title: 'beside others, where another place shows that it is a list',
    text: 'SELECT 1 WHERE a IN (:xs) OR b IN (0, :xs)',
    found: ['list-position 1:39'],
  },
  { title: 'beside others, where nothing shows it', text: 'SELECT 1 WHERE a IN (:a, :b)' },
  {
    title: 'beside others in an array',
    text: 'SELECT ARRAY[:xs], ARRAY[:y, :xs]',
    only: 'postgres',
    found: ['list-position 1:30'],
  },
  {
    title: 'a cast with brackets',
    text: 'SELECT 1 WHERE a IN (:xs::numeric(10, 2))',
    only: 'postgres',
    found: ['list-position 1:22'],
  },
  {
    title: 'a cast to an array',
    text: 'SELECT 1 WHERE a IN (:xs::int[])',
    only: 'postgres',
    found: ['list-position 1:22'],
  },
  { title: 'CAST', text: 'SELECT 1 WHERE a NOT IN (CAST(:xs AS integer))', found: ['list-position 1:31'] },
  { title: 'brackets of its own', text: 'SELECT 1 WHERE a IN ((:xs))', found: ['list-position 1:23'] },
  { title: 'an expression', text: `SELECT 1 WHERE a IN (lower(:x)) OR b IN (:y || 'z') OR c IN (SELECT :z)` },
  { title: 'an index of an array', text: 'SELECT 1 WHERE a IN (:xs::int[] [1])', only: 'postgres' },
  {
    title: 'declared as a list',
    text: '-- @param xs integer[]\nSELECT 1 WHERE b IN (0, :xs)',
    found: ['list-position 2:25'],
  },
  { title: 'declared as no list', text: '-- @param x integer\nSELECT 1 WHERE b IN (0, :x)' },
])

testAll('syntax', [
  { title: 'a text that is never closed', text: `SELECT 1;\nSELECT 'x`, found: ['syntax 2:8'] },
  { title: 'a comment that is never closed', text: 'SELECT 1 /* x', found: ['syntax 1:10'] },
  { title: 'placeholders of others', text: 'SELECT a,\n  $1', found: ['syntax 2:3'] },
])

testAll('declaration', [
  { title: 'an unknown word', text: '-- @sumary x\nSELECT 1', found: ['declaration 1:4'] },
  {
    title: 'a parameter that the SQL does not have',
    text: '-- @param form date\nSELECT :from',
    found: ['declaration 1:11'],
  },
  {
    title: 'a code that there is not',
    text: '-- @allow no-wear Small table\nDELETE FROM t WHERE a',
    found: ['declaration 1:11'],
  },
  { title: 'everything is right', text: '-- @summary Orders\n-- @param from date default null\nSELECT :from' },
])

test('session-change: an info where a statement may leave something behind [N1.2]', () => {
  const codesOf = (text: string, dialect: Dialect) => judge(endpointOf('POST', text), dialect).map(({ code }) => code)
  deepStrictEqual(codesOf(`SHOW a; SET search_path = x; SELECT set_config('a.b', :c, false)`, 'postgres'), [
    'session-change',
    'session-change',
  ])
  deepStrictEqual(codesOf('PRAGMA foreign_keys = off', 'sqlite'), ['session-change'])
})

test('messages name the table as the file does, and cures say what to write [N1.2]', () => {
  const [remark] = judge(endpointOf('POST', 'DELETE FROM "App"."Orders" AS o'), 'postgres')
  match(remark?.message ?? '', /removes every row of "App"\."Orders"$/)
  const [list] = judge(endpointOf('POST', 'SELECT 1 WHERE a IN (:xs::int[])'), 'postgres')
  strictEqual(list?.cure, 'write = ANY (:xs::type[])')
  const [placeholder] = judge(endpointOf('POST', 'SELECT $1'), 'postgres')
  match(placeholder?.message ?? '', /Placeholder \$1 is not supported/)
  for (const dialect of dialectNames) {
    const [name] = judge(endpointOf('POST', 'SELECT :tähtaeg'), dialect)
    strictEqual(name?.message, 'Placeholder :tähtaeg is not supported, its name may have A-Z, a-z, 0-9 and _')
  }
})

test('the configuration makes a code as severe as it likes, a file allows it [N1.2]', () => {
  const remark: Remark = { code: 'no-where', line: 1, column: 1, message: '' }
  strictEqual(severityOf(remark, {}), 'warning')
  strictEqual(severityOf({ ...remark, severity: 'info' }, {}), 'info')
  strictEqual(severityOf({ ...remark, severity: 'info' }, { 'no-where': 'error' }), 'error')
  strictEqual(severityOf(remark, { 'no-where': 'off' }), undefined)
  strictEqual(severityOf(remark, { 'no-where': 'error' }, [{ code: 'no-where' }]), undefined)
  strictEqual(severityOf(remark, {}, [{ code: 'write-in-get' }]), 'warning')
})

test('every text is judged, however broken it is [N1.2]', () => {
  const texts = [
    'WITH',
    'WITH x',
    'WITH x AS (',
    'DELETE',
    'UPDATE',
    'INSERT INTO',
    'TRUNCATE',
    'SELECT 1 IN (',
    'SELECT 1 IN (:a',
    '(((',
    ')))',
    'CREATE TEMP',
    'DELETE FROM a.',
    'WITH a AS (DELETE FROM',
  ]
  for (const text of texts) {
    for (const dialect of dialectNames) ok(Array.isArray(judge(endpointOf('GET', text), dialect)), text)
  }
})
