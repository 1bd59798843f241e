/** Mistakes of somebody who writes a first file: each is reported with its place and cure, and nothing like it is. */
import { deepStrictEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { dialectNames } from '../../../src/dialects.ts'
import { judge } from '../../../src/rules/judge.ts'
import { endpointOf, testAll } from '../../support/check/judging.ts'

testAll('rows-lost', [
  { title: 'two SELECTs [F11]', text: 'SELECT a FROM t;\nSELECT b FROM u', found: ['rows-lost 1:1'] },
  { title: 'the first two of three [F11]', text: 'SELECT 1;\n(SELECT 2);\nVALUES (3)', found: ['rows-lost 1:1', 'rows-lost 2:1'] }, // prettier-ignore
  { title: 'functions that only compute [F11]', text: 'SELECT count(*), lower(max(a)) FROM t; SELECT a FROM t', found: ['rows-lost 1:1'] }, // prettier-ignore
  { title: 'WITH, a list, a subselect [F11]', text: 'WITH a AS (SELECT 1) SELECT * FROM a WHERE b IN (:b) AND c = (SELECT 1); SELECT 2', found: ['rows-lost 1:1'] }, // prettier-ignore
  { title: 'RETURNING before a SELECT [F11]', text: 'INSERT INTO t VALUES (1) RETURNING a;\nSELECT b FROM u', found: ['rows-lost 1:1'] }, // prettier-ignore
  { title: 'a SELECT before RETURNING [F11]', text: 'SELECT b FROM u; INSERT INTO t VALUES (1) RETURNING a', found: ['rows-lost 1:1'] }, // prettier-ignore
  { title: 'a SELECT before one for its effect [F11]', text: "SELECT b FROM u; SELECT set_config('a.b', 'c', true)", only: 'postgres', found: ['rows-lost 1:1'] }, // prettier-ignore
  {
    title: 'a statement without rows follows [F11]',
    text: 'SELECT a FROM t; UPDATE t SET a = 1 WHERE b; INSERT INTO t SELECT * FROM u',
  },
  { title: 'functions that may act [F11]', text: "SELECT set_config('a.b', :c, true); SELECT app.count(a) FROM t; SELECT move(a) FROM t; SELECT a FROM t" }, // prettier-ignore
  { title: 'locks and temporary tables [F11]', text: 'SELECT a FROM t FOR UPDATE; SELECT a INTO TEMP x FROM t; SELECT a FROM x', only: 'postgres' }, // prettier-ignore
  { title: 'assertions [F11]', text: 'SELECT 1 / (SELECT count(*) FROM t); SELECT cast(:why AS int) WHERE NOT EXISTS (SELECT 1 FROM t); SELECT a FROM t' }, // prettier-ignore
  { title: 'a file that is allowed none runs none [F11]', text: "SELECT a FROM t; SELECT 'b", found: ['syntax 1:25'] },
])

test('rows-lost says which statement answers, and what to write [F11]', () => {
  for (const dialect of dialectNames) {
    const judged = judge(endpointOf('GET', 'SELECT a FROM t;\n\nSELECT b FROM u'), dialect)
    deepStrictEqual(
      judged.map(({ message, cure }) => [message, cure]),
      [
        [
          'no caller gets these rows, because the answer has those of the statement in line 3',
          'move it to a file of its own, or make one SELECT of both, each in brackets: SELECT (SELECT ..), (SELECT ..)',
        ],
      ],
    )
  }
})

testAll('lost-semicolon', [
  { title: 'after a parameter [F11]', text: 'INSERT INTO t (a) SELECT :a\nDELETE FROM t', only: 'postgres', found: ['lost-semicolon 2:1'] }, // prettier-ignore
  { title: 'after a call, a comment [F11]', text: 'SELECT max(1) -- One\n  delete from t', only: 'postgres', found: ['lost-semicolon 2:3'] }, // prettier-ignore
  { title: 'after a name in WITH [F11]', text: 'WITH a AS (SELECT 1) SELECT now\nDELETE FROM a', only: 'postgres', found: ['lost-semicolon 2:1'] }, // prettier-ignore
  { title: 'on the same line, AS, a column [F11]', text: 'SELECT 1 DELETE FROM t; SELECT 1 AS\nDELETE FROM t; SELECT a,\nDELETE FROM t', only: 'postgres' }, // prettier-ignore
  { title: 'WITH before DELETE [F11]', text: 'WITH a AS (SELECT 1)\nDELETE FROM t WHERE b', only: 'postgres' },
  { title: 'a semicolon [F11]', text: 'INSERT INTO t (a) SELECT :a;\nDELETE FROM t WHERE b', only: 'postgres' },
  { title: 'errors of the database [F11]', text: 'SELECT 1\nDELETE FROM t', only: 'sqlite' },
])

testAll('list-undeclared', [
  { title: 'IN [F11]', method: 'GET', text: 'SELECT a FROM t\nWHERE a IN (:ids)', found: ['list-undeclared 2:13'] },
  { title: 'NOT IN, twice [F11]', method: 'GET', text: 'SELECT a FROM t WHERE a NOT IN (:ids) AND b IN (:ids)', found: ['list-undeclared 1:33'] }, // prettier-ignore
  { title: 'a cast [F11]', method: 'GET', text: 'SELECT a FROM t WHERE a IN (:ids::int)', only: 'postgres', found: ['list-undeclared 1:29'] }, // prettier-ignore
  { title: 'ANY and ALL [F11]', method: 'GET', text: 'SELECT a FROM t WHERE a = ANY(:ids) OR a <> ALL (:others::int[])', only: 'postgres', found: ['list-undeclared 1:31', 'list-undeclared 1:50'] }, // prettier-ignore
  { title: 'declared without a type [F11]', method: 'GET', text: '-- @param ids -- Numbers\nSELECT a FROM t WHERE a IN (:ids)', found: ['list-undeclared 2:29'] }, // prettier-ignore
  { title: 'declared as a list, or as one value [F11]', method: 'GET', text: '-- @param ids integer[]\n-- @param id string\nSELECT a FROM t WHERE a IN (:ids) OR a IN (:id)' }, // prettier-ignore
  { title: 'a POST file gets lists [F11]', text: 'SELECT a FROM t WHERE a IN (:ids) OR a IN (:others)' },
  { title: 'what makes a list of a text [F11]', method: 'GET', text: "SELECT a FROM t WHERE a = ANY(string_to_array(:ids, ',')) OR a IN (lower(:b)) OR a = ANY(:c::text || '}') OR a IN (:d, :e)" }, // prettier-ignore
  {
    title: 'JSON on SQLite [F11]',
    method: 'GET',
    text: 'SELECT a FROM t WHERE a IN (SELECT value FROM json_each(:ids))',
    only: 'sqlite',
  },
])

test('list-undeclared says what to declare, and how callers give the list [F11]', () => {
  const [inList] = judge(endpointOf('GET', 'SELECT a FROM t WHERE a NOT IN (:ids)'), 'sqlite')
  match(inList?.message ?? '', /gives :ids one text, so IN compares with that alone: \?ids=1,2 is no list/)
  match(inList?.cure ?? '', /^write -- @param ids integer\[\] .* \?ids=1&ids=2\. For one value write <> :ids$/)
  const [any] = judge(endpointOf('GET', 'SELECT a FROM t WHERE a = ANY(:ids)'), 'postgres')
  deepStrictEqual([any?.severity, any?.message.includes('?ids={1,2}')], ['info', true])
})

testAll('foreign-placeholder', [
  { title: '@id [F11]', text: 'SELECT a FROM t\nWHERE a = @a AND b =@b AND c IN (@c, @d)', only: 'postgres', found: ['foreign-placeholder 2:11', 'foreign-placeholder 2:21', 'foreign-placeholder 2:34', 'foreign-placeholder 2:38'] }, // prettier-ignore
  { title: '@id in VALUES [F11]', text: 'INSERT INTO t VALUES (1, @a), (@b)', only: 'postgres', found: ['foreign-placeholder 1:26', 'foreign-placeholder 1:32'] }, // prettier-ignore
  { title: 'operators with @, and an absolute value [F11]', text: 'SELECT @a, @ -5 FROM t WHERE a @> b AND c <@d AND e @@ f AND g @? h AND i <= @ j AND abs(k) > 1 ORDER BY @a', only: 'postgres' }, // prettier-ignore
  { title: 'braces [F11]', text: 'SELECT a FROM t WHERE a = {{ b }} AND c = #{d} AND e = {f}', found: ['foreign-placeholder 1:27', 'foreign-placeholder 1:43', 'foreign-placeholder 1:56'] }, // prettier-ignore
  { title: 'a dollar and braces [F11]', text: 'SELECT a FROM t WHERE a = ${b}', found: ['foreign-placeholder 1:27'] },
  { title: '%s [F11]', text: 'SELECT a FROM t WHERE a = %s AND b IN (%d) AND c > %(d)s LIMIT %s', found: ['foreign-placeholder 1:27', 'foreign-placeholder 1:40', 'foreign-placeholder 1:52', 'foreign-placeholder 1:64'] }, // prettier-ignore
  { title: 'modulo [F11]', text: 'SELECT a %s, a % s, (a)%d FROM t WHERE a = b %s' },
  { title: 'a question mark [F11]', text: 'SELECT a FROM t WHERE a = ? AND b LIKE ? AND c IN (?, ?)', only: 'postgres', found: ['foreign-placeholder 1:27', 'foreign-placeholder 1:40', 'foreign-placeholder 1:52', 'foreign-placeholder 1:55'] }, // prettier-ignore
  {
    title: 'operators with ? [F11]',
    text: "SELECT a ? 'b', a ?| ARRAY['b'], a ?& b, a @? '$.b' FROM t WHERE a ? :b",
    only: 'postgres',
  },
  { title: 'in quotes [F11]', text: "SELECT a FROM t WHERE a = '{{b}}' AND c <> '${d}' AND e IN ('%s', '#{f}') AND g LIKE '{{ h }}'", found: ['quoted-parameter 1:27', 'quoted-parameter 1:44', 'quoted-parameter 1:61', 'quoted-parameter 1:67', 'quoted-parameter 1:86'] }, // prettier-ignore
  { title: 'texts that are meant [F11]', text: "SELECT replace(a, '{{b}}', :b), strftime('%s', c), printf('%d', d), '{{e}}' FROM t WHERE f LIKE '%s' AND g LIKE '%{{h}}%' AND i = '100%' AND j = strftime('%s', k) AND l = '{a}' AND m = '%s' || n" }, // prettier-ignore
  { title: 'arrays [F11]', text: "SELECT a FROM t WHERE b @> '{{c}}' AND d = '{{e}}'::text[] AND f -> '${g}' = h AND i(j => '%s')", only: 'postgres' }, // prettier-ignore
  { title: 'those that no statement can have [F11]', text: 'SELECT a FROM t WHERE a = $1', found: ['syntax 1:27'] },
  { title: '@name and ? on SQLite [F11]', text: 'SELECT a FROM t WHERE a = @a; SELECT b FROM t WHERE b = ?', only: 'sqlite', found: ['syntax 1:27', 'syntax 1:57'] }, // prettier-ignore
])

test('placeholders of other tools have the parameter to write as their cure [F11]', () => {
  const cureOf = (sql: string, dialect: 'postgres' | 'sqlite' = 'postgres') => judge(endpointOf('GET', sql), dialect)[0]?.cure // prettier-ignore
  deepStrictEqual(cureOf('SELECT 1 FROM t WHERE a = @a'), 'write :a, or abs(a) if you mean that')
  deepStrictEqual(cureOf("SELECT 1 FROM t WHERE a = '{{b}}'"), 'write :b')
  deepStrictEqual(cureOf('SELECT 1 FROM t WHERE a = #{b}'), 'write :b')
  deepStrictEqual(cureOf('SELECT 1 FROM t WHERE a = %(b)s'), 'write :b')
  deepStrictEqual(cureOf('SELECT 1 FROM t WHERE a = @b', 'sqlite'), 'write :b')
})
