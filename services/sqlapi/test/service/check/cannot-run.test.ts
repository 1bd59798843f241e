/** What cannot run, and what `check` says about it: codes and cures that fit, from real databases of both kinds. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { dialectNames } from '../../../src/dialects.ts'
import type { Dialect } from '../../../src/model.ts'
import { findingsOf, type Found, inBrief } from '../../support/check.ts'
import { createDatabase, type TestDatabase } from '../../support/databases.ts'

const schemas: Readonly<Record<Dialect, string>> = {
  postgres: `CREATE TABLE orders (order_id bigint PRIMARY KEY, placed_on date NOT NULL, total numeric(10,2));
CREATE TABLE lines (line_id int PRIMARY KEY, order_id bigint, note text); CREATE TABLE "Mixed" (a int);
CREATE SCHEMA crm; CREATE FUNCTION crm.rate() RETURNS int LANGUAGE sql AS 'SELECT 1'; CREATE TYPE mood AS ENUM ('a');
CREATE VIEW joined AS SELECT o.order_id, l.note FROM orders o JOIN lines l USING (order_id)`,
  sqlite: `CREATE TABLE orders (order_id integer PRIMARY KEY, placed_on text NOT NULL, total numeric);
CREATE TABLE lines (line_id integer PRIMARY KEY, order_id integer, note text); CREATE TABLE gone (a);
CREATE VIEW broken AS SELECT a FROM gone; DROP TABLE gone`,
}

const databases = new Map<Dialect, TestDatabase>()

/** Of files with these texts. */
function check(kind: Dialect, texts: readonly string[], args: readonly string[] = []): Promise<Found> {
  const files = Object.fromEntries(texts.map((text, index) => [`demo/POST/${index}.sql`, text]))
  const { url } = databases.get(kind) as TestDatabase
  return findingsOf({ files, args, config: { datasources: [{ name: 'demo', url }] } })
}

type Case = readonly [rule: string, text: string, code: string, place: string, cure: RegExp]

const cases: Readonly<Record<Dialect, readonly Case[]>> = {
  postgres: [
    ['F7', 'SELECT orders.total FROM orders o', 'unknown-table', '1:8', /table alias "o"/],
    ['F7', 'SELECT o.total FROM orders', 'unknown-table', '1:8', /^add o to FROM, or write the name or alias /],
    ['F7', 'DELETE FROM joined WHERE true', 'syntax', '1:1', /INSTEAD OF DELETE/],
    ['F7', 'SELECT a FROM Mixed', 'unknown-table', '1:15', /^did you mean "Mixed"\?$/],
    ['F12', 'SELECT order_id FROM orders, lines', 'ambiguous', '1:8', /^put the table, or its alias, in front of /],
    ['F12', 'SELECT total::nosuchtype FROM orders', 'unknown-name', '1:15', /^correct the name, or create /],
    ['F12', 'SELECT :x::mod', 'unknown-name', '1:12', /^did you mean mood\?$/],
    ['F12', 'SELECT nosuch.rate()', 'unknown-name', '1:8', /^correct the name, or create /],
    ['F12', 'SHOW nosuch', 'unknown-name', '1:1', /^correct the name, or create /],
    ['F12', 'SELECT note FROM nosuch.lines', 'unknown-table', '1:18', /^did you mean lines\?$/],
  ],
  sqlite: [
    ['F7', 'SELECT orders.total FROM orders o', 'unknown-column', '1:8', /^did you mean o\.total\?$/],
    ['F7', 'SELECT o.total FROM orders', 'unknown-column', '1:8', /^did you mean orders\.total\?$/],
    ['F7', 'SELECT o.note FROM orders o, lines AS l', 'unknown-column', '1:8', /^did you mean l\.note\?$/],
    ['F12', 'SELECT order_id FROM orders, lines', 'ambiguous', '1:8', /^put the table, or its alias, in front of /],
    ['F12', 'SELECT a FROM broken', 'unknown-table', '1:1', /^create it, or correct the view or trigger /],
    ['F12', 'DROP INDEX nosuch', 'unknown-name', '1:12', /^correct the name, or create /],
    ['F12', 'CREATE TABLE nosuch.t (a)', 'unknown-name', '1:14', /^correct the name, or create /],
    ['F12', 'CREATE TABLE orders (a)', 'syntax', '1:1', /IF NOT EXISTS$/],
    [
      'F12',
      'INSERT INTO lines (note) VALUES (1) ON CONFLICT (note) DO NOTHING',
      'syntax',
      '1:1',
      /^create a unique index /,
    ],
    ['F12', 'SELECT (SELECT order_id, total FROM orders)', 'type', '1:1', /^write one value here, /],
  ],
}

describe('what cannot run', () => {
  before(async () => {
    for (const kind of dialectNames) {
      const database = await createDatabase(kind)
      await database.execute(schemas[kind])
      databases.set(kind, database)
    }
  })

  after(async () => {
    for (const database of databases.values()) await database.remove()
  })

  for (const kind of dialectNames) {
    describe(`${kind}: code and cure fit`, () => {
      let found: Found | undefined

      before(async () => {
        found = await check(
          kind,
          cases[kind].map(([, text]) => text),
        )
      })

      test('names are only for cures: whatever the catalogue holds, the check ends with 1 [F12]', () => {
        deepStrictEqual([found?.code, found?.stderr], [1, ''])
      })

      for (const [index, [rule, text, code, place, cure]] of cases[kind].entries()) {
        test(`${text} [${rule}]`, () => {
          const own = (found?.findings ?? []).filter(({ file }) => file === `sql/demo/POST/${index}.sql`)
          deepStrictEqual(
            own.map((finding) => `${finding.code} ${finding.line}:${finding.column}`),
            [`${code} ${place}`],
          )
          match(own[0]?.cure ?? '', cure)
        })
      }
    })
  }

  test('sqlite: what SQLite looks at later is not-checked [F7]', async () => {
    const later = ['DETACH nosuch', 'RELEASE nosuch', 'ROLLBACK TO nosuch', 'CREATE VIRTUAL TABLE v USING nosuch(a)', 'CREATE TABLE t (a CHECK (nosuch > 1))', 'CREATE VIEW v AS SELECT nosuch FROM orders'] // prettier-ignore
    const { code, findings } = await check('sqlite', [...later, 'CREATE TABLE t (a)', 'DROP TABLE orders', 'ROLLBACK'])
    const told = findings.filter(({ code: what }) => what !== 'session-change')
    deepStrictEqual(
      told.map(({ code: what, file }) => `${what} ${file}`),
      later.map((_, index) => `not-checked sql/demo/POST/${index}.sql`),
    )
    strictEqual(code, 0)
  })

  test('--explain may call IMMUTABLE functions, as the manual says, and they write nothing [F7]', async () => {
    const database = databases.get('postgres') as TestDatabase
    await database.execute(`CREATE TABLE calls (n int);
CREATE FUNCTION noted() RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN INSERT INTO calls VALUES (1); RETURN 1; END $$`)
    const { code, findings } = await check(
      'postgres',
      ['SELECT total FROM orders WHERE order_id = noted()'],
      ['--explain'],
    )
    deepStrictEqual([code, findings.map(inBrief)], [0, []])
    await database.execute('DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM calls); END $$')
    const manual = readFileSync(resolve(import.meta.dirname, '../../../docs/check.md'), 'utf8')
    match(manual, /PostgreSQL calls IMMUTABLE functions whose arguments are constants/)
  })

  test('--explain passes over commands that have no plan [F7]', async () => {
    const commands = ['SHOW work_mem', 'NOTIFY news', 'EXPLAIN SELECT total FROM orders', 'TRUNCATE orders']
    const { code, stderr, findings } = await check('postgres', commands, ['--explain'])
    deepStrictEqual([code, stderr, findings.map(inBrief)], [0, '', []])
  })

  test('--explain finds what only planning finds [F7]', async () => {
    const insert = "INSERT INTO lines (line_id, note) VALUES (1, 'x') ON CONFLICT"
    const texts = [
      `${insert} (note) DO NOTHING`,
      `${insert} (line_id) DO NOTHING`,
      'SELECT 1 / 0',
      'SELECT 1 / (:n - :n)',
    ]
    const { code, findings } = await check('postgres', texts, ['--explain'])
    strictEqual(code, 1)
    deepStrictEqual(findings.map(inBrief), [
      'error syntax sql/demo/POST/0.sql:1:1 there is no unique or exclusion constraint matching the ON CONFLICT specification',
      'error type sql/demo/POST/2.sql:1:1 division by zero',
    ])
    match(findings[0]?.cure ?? '', /^create a unique index on the columns of ON CONFLICT, /)
    match(findings[1]?.cure ?? '', /^correct the constants: /)
    deepStrictEqual((await check('postgres', texts)).findings.map(inBrief), [])
  })
})
