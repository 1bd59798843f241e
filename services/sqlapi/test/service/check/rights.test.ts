/** Rights of a role, and names in commands: PostgreSQL asks for both only when a statement runs, `check` before. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, after, describe, test } from 'node:test'
import { findingsOf, type Found, inBrief } from '../../support/check.ts'
import { startTestService } from '../../support/service.ts'
import { createDatabase, type TestDatabase } from '../../support/databases.ts'

const role = `limited_${randomBytes(6).toString('hex')}`

const schema = `CREATE TABLE orders (order_id bigint PRIMARY KEY, placed_on date NOT NULL, total numeric);
CREATE TABLE secrets (secret_id int, body text); CREATE TABLE people (name text, salary int);
CREATE TABLE notes (note_id serial, body text); CREATE VIEW totals AS SELECT total FROM orders;
CREATE TABLE added (body text); CREATE TABLE hidden_names (order_id bigint, name text); CREATE SCHEMA hidden; CREATE TABLE hidden.things (a int); CREATE SEQUENCE tickets;
CREATE MATERIALIZED VIEW sums AS SELECT sum(total) FROM orders;
CREATE FUNCTION secret_rate() RETURNS int LANGUAGE sql AS 'SELECT 1'; REVOKE EXECUTE ON FUNCTION secret_rate() FROM public;
CREATE ROLE ${role} LOGIN PASSWORD 'limited';
GRANT SELECT ON orders, totals TO ${role}; GRANT SELECT (name) ON people, hidden_names TO ${role}; GRANT UPDATE (name) ON people TO ${role};
GRANT INSERT ON notes, added TO ${role}; REVOKE CREATE ON SCHEMA public FROM public; GRANT USAGE ON SCHEMA public TO ${role}`

describe('postgres: rights and names that only running asks for', () => {
  let database: TestDatabase
  let limited = ''

  before(async () => {
    database = await createDatabase('postgres')
    await database.execute(schema)
    const url = new URL(database.url)
    ;[url.username, url.password] = [role, 'limited']
    limited = url.href
  })

  after(async () => {
    await database.execute(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    await database.remove()
  })

  function check(url: string, texts: readonly string[], args: readonly string[] = []): Promise<Found> {
    const files = Object.fromEntries(texts.map((text, index) => [`demo/POST/${100 + index}.sql`, text]))
    return findingsOf({ files, args, config: { datasources: [{ name: 'demo', url }] } })
  }

  test('the log has the GRANT for a right that is missing, the answer has not [F11]', async () => {
    const files = { 'demo/GET/a.sql': 'SELECT a FROM hidden.things', 'demo/GET/b.sql': 'SELECT body FROM secrets' }
    const service = await startTestService({ kind: 'postgres', files, datasource: { url: limited } })
    try {
      for (const path of ['/demo/a', '/demo/b']) strictEqual((await service.get(path)).text.includes('GRANT'), false)
      match(service.log.join(''), /cure="let the owner run GRANT USAGE ON SCHEMA hidden TO limited_\w+"/)
      match(service.log.join(''), /GRANT SELECT \(or INSERT, UPDATE, DELETE\) ON secrets TO limited_/)
    } finally {
      await service.close()
    }
  })

  const denied: readonly (readonly [text: string, place: string, message: RegExp, cure: RegExp])[] = [
    [
      'SELECT body FROM secrets',
      '1:18',
      /^permission denied for table secrets$/,
      /GRANT SELECT ON secrets TO limited_/,
    ],
    ['SELECT salary FROM people', '1:20', /table people \(column salary\)$/, /GRANT SELECT \(salary\) ON people TO/],
    ['SELECT * FROM people', '1:15', /table people \(column salary\)$/, /GRANT SELECT \(salary\)/],
    ['SELECT p.name FROM people p JOIN orders o ON p.salary = o.total', '1:20', /\(column salary\)$/, /./],
    ['SELECT name FROM people WHERE salary > 1', '1:18', /\(column salary\)$/, /./],
    ['UPDATE people SET salary = 1 WHERE true', '1:8', /\(column salary\)$/, /GRANT UPDATE \(salary\)/],
    ['DELETE FROM orders WHERE order_id = 1', '1:13', /^permission denied for table orders$/, /GRANT DELETE ON orders/],
    ['SELECT total FROM orders FOR UPDATE', '1:19', /^permission denied for table orders$/, /GRANT UPDATE ON orders/],

    ["INSERT INTO notes (body) VALUES ('x')", '1:13', /sequence notes_note_id_seq, /, /GRANT USAGE ON SEQUENCE/],
    [
      "SELECT nextval('tickets')",
      '1:16',
      /^permission denied for sequence tickets$/,
      /GRANT USAGE ON SEQUENCE tickets/,
    ],
    ['SELECT secret_rate()', '1:8', /^permission denied for function secret_rate$/, /ON FUNCTION secret_rate TO/],
    ['WITH s AS (SELECT body FROM secrets) SELECT body FROM s', '1:29', /table secrets$/, /./],
    [
      'SELECT a FROM hidden.things',
      '1:15',
      /^permission denied for schema hidden$/,
      /GRANT USAGE ON SCHEMA hidden TO limited_/,
    ],
    ['TRUNCATE orders', '1:10', /^permission denied for table orders$/, /GRANT TRUNCATE ON orders/],
    ['TRUNCATE hidden.things', '1:17', /^permission denied for schema hidden$/, /GRANT USAGE ON SCHEMA hidden/],
    ['SELECT total FROM totals UNION SELECT salary FROM people', '1:51', /\(column salary\)$/, /./],
    ['SELECT o.total FROM orders o JOIN hidden_names h USING (order_id)', '1:35', /\(column order_id\)$/, /./],
    ['INSERT INTO notes DEFAULT VALUES', '1:13', /sequence notes_note_id_seq, /, /GRANT USAGE ON SEQUENCE/],
    ['LOCK TABLE orders', '1:12', /^permission denied for table orders$/, /GRANT INSERT ON orders/],
    ['SET ROLE postgres', '1:10', /^permission denied to set role "postgres"$/, /^grant the right to the role /],
    ['CREATE VIEW mine AS SELECT 1 AS a', '1:13', /^permission denied for schema /, /GRANT CREATE ON SCHEMA public/],
    ['DROP SCHEMA hidden', '1:13', /^must be owner of hidden$/, /^connect as its owner$/],
    ['DROP TABLE orders', '1:12', /^must be owner of orders$/, /^connect as its owner$/],
    ['CREATE INDEX i ON orders (total)', '1:19', /^must be owner of orders$/, /./],
    ['REFRESH MATERIALIZED VIEW sums', '1:27', /^must be owner of sums$/, /./],
    ['CREATE TABLE mine (a int)', '1:14', /^permission denied for schema /, /GRANT CREATE ON SCHEMA public/],
  ]

  test('a missing right is found, without --explain [F7]', async () => {
    const { code, stderr, findings } = await check(limited, denied.map(([text]) => text)) // prettier-ignore
    deepStrictEqual([code, stderr], [1, ''])
    const told = findings.filter(({ code: what }) => what !== 'session-change' && what !== 'no-where')
    deepStrictEqual(
      told.map(({ code: what, file, line, column }) => `${what} ${file} ${line}:${column}`),
      denied.map(([, place], index) => `permission sql/demo/POST/${100 + index}.sql ${place}`),
    )
    for (const [index, [text, , message, cure]] of denied.entries()) {
      match(told[index]?.message ?? '', message, text)
      match(told[index]?.cure ?? '', cure, text)
    }
  })

  test('--explain finds the same with the words of the server [F7]', async () => {
    const { findings } = await check(limited, ['SELECT total FROM (SELECT total FROM totals) t, LATERAL secret_rate() r'], ['--explain']) // prettier-ignore
    deepStrictEqual(findings.map(({ code }) => code), ['permission']) // prettier-ignore
  })

  test('what the role may do is no finding [F7]', async () => {
    const texts = [
      'SELECT * FROM orders o WHERE total > :min',
      'SELECT count(*) AS n FROM people',
      'SELECT name AS salary FROM people ORDER BY salary',
      'SELECT p.name, o.total FROM people p, orders o',
      'UPDATE people SET name = :name WHERE name = :old',
      "INSERT INTO notes (note_id, body) VALUES (1, 'x')",
      "INSERT INTO added VALUES ('x')",
      'WITH secrets AS (SELECT 1 AS body) SELECT body FROM secrets',
      'SELECT total FROM totals',
      'SELECT EXISTS (SELECT 1 FROM orders o WHERE o.order_id = n.x) AS a FROM (SELECT 1 AS x) n',
      'SET work_mem = 1000; SET app.mode = 1; SHOW timezone; SET TIME ZONE UTC; SET ROLE NONE; RESET ALL',
      'CREATE TEMP TABLE orders (a serial)',
      'DROP TABLE IF EXISTS nosuch; NOTIFY news; BEGIN; COMMIT',
      'ANALYZE orders (nosuch)',
      "INSERT INTO notes (body) SELECT 'x' FROM orders",
      'LOCK TABLE orders IN ACCESS SHARE MODE',
      'UPDATE people SET name = name WHERE true',
    ]
    const { code, findings } = await check(limited, texts)
    deepStrictEqual(findings.filter(({ severity }) => severity !== 'info').map(inBrief), [])
    strictEqual(code, 0)
  })

  const commands: readonly (readonly [text: string, finding: string])[] = [
    ['TRUNCATE orders, nosuch', 'unknown-table 1:18'],
    ['TRUNCATE nosuch.orders', 'unknown-name 1:10'],
    ['DROP TABLE nosuch', 'unknown-table 1:12'],
    ['DROP VIEW orders', 'syntax 1:11'],
    ['DROP INDEX nosuch', 'unknown-name 1:12'],
    ['DROP SEQUENCE nosuch', 'unknown-name 1:15'],
    ['DROP TYPE nosuch', 'unknown-name 1:11'],
    ['DROP SCHEMA nosuch', 'unknown-name 1:13'],
    ['DROP FUNCTION nosuch(int)', 'unknown-function 1:15'],
    ['DROP ROLE nosuch', 'unknown-name 1:11'],
    ['GRANT SELECT ON nosuch TO public', 'unknown-table 1:17'],
    ['GRANT SELECT ON orders TO nosuch', 'unknown-name 1:27'],
    ['GRANT USAGE ON SCHEMA nosuch TO public', 'unknown-name 1:23'],
    ['GRANT nosuch TO postgres', 'unknown-name 1:7'],
    ['REVOKE EXECUTE ON FUNCTION nosuch() FROM public', 'unknown-function 1:28'],
    ['CREATE INDEX ON nosuch (a)', 'unknown-table 1:17'],
    ['CREATE INDEX ON orders (nosuch)', 'unknown-column 1:25'],
    ['CREATE INDEX orders_pkey ON orders (total)', 'syntax 1:14'],
    ['ALTER TABLE nosuch ADD a int', 'unknown-table 1:13'],
    ['ALTER TABLE orders DROP nosuch', 'unknown-column 1:25'],
    ['ALTER TABLE orders RENAME nosuch TO b', 'unknown-column 1:27'],
    ['ALTER SEQUENCE nosuch RESTART', 'unknown-name 1:16'],
    ["COMMENT ON TABLE nosuch IS 'x'", 'unknown-table 1:18'],
    ["COMMENT ON COLUMN orders.nosuch IS 'x'", 'unknown-column 1:26'],
    ['LOCK TABLE nosuch', 'unknown-table 1:12'],
    ['VACUUM nosuch', 'unknown-table 1:8'],
    ['ANALYZE orders (nosuch)', 'unknown-column 1:17'],
    ['REINDEX INDEX nosuch', 'unknown-name 1:15'],
    ['CLUSTER nosuch', 'unknown-table 1:9'],
    ['REFRESH MATERIALIZED VIEW nosuch', 'unknown-table 1:27'],
    ['REFRESH MATERIALIZED VIEW orders', 'syntax 1:27'],
    ['SET nosuch = 1', 'unknown-name 1:5'],
    ['SET ROLE nosuch', 'unknown-name 1:10'],
    ['CREATE TABLE orders (a int)', 'syntax 1:14'],
    ['CREATE TABLE orders AS SELECT 1 AS a', 'syntax 1:14'],
    ['CREATE TABLE nosuch.t (a int)', 'unknown-name 1:14'],
    ['CREATE TABLE t (a nosuch)', 'unknown-name 1:19'],
    ['CREATE TABLE t (a int REFERENCES nosuch (a))', 'unknown-table 1:34'],
    ['CREATE VIEW v AS\nSELECT nosuch FROM orders', 'unknown-column 2:8'],
    ['CREATE TRIGGER g BEFORE INSERT ON nosuch EXECUTE FUNCTION f()', 'unknown-table 1:35'],
    ['CREATE RULE r AS ON INSERT TO nosuch DO NOTHING', 'unknown-table 1:31'],
    ['PREPARE p AS SELECT nosuch FROM orders', 'unknown-column 1:21'],
    ['CREATE VIEW v AS SELECT total FROM orders WHERE total = :total', 'syntax 1:57'],
    ['ALTER TABLE orders ALTER total SET DEFAULT :total', 'syntax 1:44'],
    ['COPY orders TO STDOUT', 'syntax 1:1'],
    ['COPY nosuch FROM STDIN', 'unknown-table 1:6'],
    ['COPY (SELECT nosuch FROM orders) TO STDOUT', 'unknown-column 1:14'],
    ['INSERT INTO sums VALUES (1)', 'syntax 1:13'],
    ['CREATE TABLE mine (LIKE nosuch)', 'unknown-table 1:25'],
    ['ROLLBACK TO nosuch', 'not-checked 1:1'],
    ['DO $$ BEGIN PERFORM nosuch(); END $$', 'not-checked 1:1'],
    ['CREATE EXTENSION nosuch', 'not-checked 1:1'],
    ['EXECUTE nosuch', 'not-checked 1:1'],
    ['ALTER TABLE orders ADD extra nosuch', 'not-checked 1:1'],
    ['DROP FUNCTION secret_rate(text)', 'not-checked 1:1'],
  ]

  test('what commands name is looked up, or they are not-checked [F7]', async () => {
    const { findings } = await check(database.url, commands.map(([text]) => text)) // prettier-ignore
    const told = findings.filter(({ code: what }) => what !== 'session-change')
    deepStrictEqual(
      commands.map(([text], index) => {
        const own = told.filter(({ file }) => file === `sql/demo/POST/${100 + index}.sql`)
        return [text, ...own.map(({ code, line, column }) => `${code} ${line}:${column}`)]
      }),
      commands,
    )
  })

  test('commands that can run are no findings [F7]', async () => {
    const texts = [
      'TRUNCATE orders', 'DROP TABLE orders', 'DROP TABLE IF EXISTS nosuch', 'CREATE TABLE IF NOT EXISTS orders (a int)',
      'CREATE TABLE later (a serial, b numeric(10, 2)[], c hidden.things)', 'GRANT SELECT ON orders TO public', 'LOCK TABLE orders',
      'CREATE INDEX CONCURRENTLY ON orders (total)', 'VACUUM', 'ANALYZE orders (total)', 'REINDEX TABLE orders', 'CLUSTER',
      'REFRESH MATERIALIZED VIEW sums', "COMMENT ON COLUMN orders.total IS 'x'", 'ALTER TABLE orders DROP total', 'CREATE SEQUENCE later',
      'CREATE VIEW later AS SELECT total FROM orders', 'CREATE OR REPLACE VIEW totals AS SELECT total FROM orders WITH CHECK OPTION',
      'CREATE TABLE later AS SELECT :a::int AS a', 'DROP INDEX orders_pkey', 'ALTER TABLE orders RENAME TO later',
      'DECLARE c CURSOR FOR SELECT total FROM orders', "SELECT set_config('a.b', :c, true)", 'DISCARD TEMP', 'LISTEN news',
    ] // prettier-ignore
    const { code, findings } = await check(database.url, texts)
    const told = findings.filter(({ severity, code: what }) => severity !== 'info' || what === 'not-checked')
    deepStrictEqual(told.filter(({ code: what }) => what !== 'not-checked' ).map(inBrief), []) // prettier-ignore
    deepStrictEqual(told.map(({ file }) => texts[Number(file.slice(-7, -4)) - 100]), ['CREATE OR REPLACE VIEW totals AS SELECT total FROM orders WITH CHECK OPTION']) // prettier-ignore
    strictEqual(code, 0)
  })
})
