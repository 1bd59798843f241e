/** What `check` says with the help of databases: the real command over real databases of both kinds. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { freePort, newFolder, until } from '@services/testing'
import pg from 'pg'
import { dialectNames } from '../../../src/dialects.ts'
import type { Dialect } from '../../../src/model.ts'
import { type CheckSetting, findingsOf, type Found, inBrief, runCheck } from '../../support/check.ts'
import { createDatabase, type TestDatabase } from '../../support/databases.ts'

const schemas: Readonly<Record<Dialect, string>> = {
  postgres: `CREATE TABLE orders (order_id bigint PRIMARY KEY, placed_on date NOT NULL, total numeric(10,2), tags text[]);
CREATE SCHEMA crm; CREATE TABLE crm.customers (customer_id int, full_name text);
CREATE FUNCTION vat(amount numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT amount * 0.24';`,
  sqlite: 'CREATE TABLE orders (order_id integer PRIMARY KEY, placed_on text NOT NULL, total numeric, tags text)',
}

async function withDatabase(kind: Dialect, run: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await createDatabase(kind)
  try {
    await database.execute(schemas[kind])
    await run(database)
  } finally {
    await database.remove()
  }
}

function settingOf({ url }: TestDatabase, files: CheckSetting['files'], args: readonly string[] = []): CheckSetting {
  return { files, args, config: { datasources: [{ name: 'demo', url }] } }
}

/** Of one file. */
async function check(kind: Dialect, text: string, path = 'demo/POST/x.sql'): Promise<Found> {
  let found: Found | undefined
  await withDatabase(kind, async (database) => {
    found = await findingsOf(settingOf(database, { [path]: text }))
  })
  return found as Found
}

interface Mistake {
  readonly title: string
  readonly text: string
  /** `code line:column` of all findings. */
  readonly found: readonly string[]
  readonly message?: RegExp
  readonly cure?: RegExp
}

const mistakes: Readonly<Record<Dialect, readonly Mistake[]>> = {
  postgres: [
    {
      title: 'a word too many',
      text: 'ANALYZE;\nSELECT 2 FORM orders',
      found: ['syntax 2:15'],
      message: /syntax error at or near "orders"/,
    },
    { title: 'no statement at all', text: 'SELEC 1', found: ['syntax 1:1'] },
    {
      title: 'a table',
      text: 'SELECT order_id\nFROM ordres',
      found: ['unknown-table 2:6'],
      message: /relation "ordres" does not exist/,
      cure: /^did you mean orders\?$/,
    },
    {
      title: 'a table of another schema',
      text: 'SELECT full_name FROM customers',
      found: ['unknown-table 1:23'],
      cure: /^did you mean crm\.customers\?$/,
    },
    {
      title: 'a column',
      text: 'SELECT o.order_id,\n  o.plaecd_on FROM orders o WHERE o.order_id = :id',
      found: ['unknown-column 2:3'],
      cure: /placed_on/,
    },
    {
      title: 'a column far behind parameters',
      text: "SELECT :a::text, 'ä😀', :b::int[], x.nothing_like FROM orders x",
      found: ['unknown-column 1:35'],
    },
    {
      title: 'a function',
      text: 'SELECT vatt(total) FROM orders',
      found: ['unknown-function 1:8'],
      cure: /^did you mean vat\?$/,
    },
    { title: 'a function with other arguments', text: 'SELECT vat(placed_on) FROM orders', found: ['type 1:8'] },
    {
      title: 'two types',
      text: 'SELECT order_id = placed_on FROM orders',
      found: ['type 1:17'],
      message: /operator does not exist: bigint = date/,
    },
    { title: 'too few values', text: 'INSERT INTO orders (order_id, placed_on) VALUES (1)', found: ['syntax 1:31'] },
    {
      title: 'each statement of a file',
      text: 'SELECT 1 FROM a;\nSELECT b FROM orders',
      found: ['rows-lost 1:1', 'unknown-table 1:15', 'unknown-column 2:8'],
    },
  ],
  sqlite: [
    {
      title: 'a word too many',
      text: 'ANALYZE;\nSELECT 2 FROM orders x y',
      found: ['syntax 2:24'],
      message: /near "y": syntax error/,
    },
    {
      title: 'a parameter, by its name',
      text: 'SELECT 1 FROM :name',
      found: ['syntax 1:15'],
      message: /near ":name": syntax error/,
    },
    { title: 'no statement at all', text: 'SELEC 1', found: ['syntax 1:1'] },
    {
      title: 'a table',
      text: 'SELECT order_id\nFROM ordres',
      found: ['unknown-table 2:6'],
      message: /no such table: ordres/,
      cure: /^did you mean orders\?$/,
    },
    {
      title: 'a column',
      text: 'SELECT o.order_id,\n  o.plaecd_on FROM orders o WHERE o.order_id = :id',
      found: ['unknown-column 2:3'],
      cure: /^did you mean placed_on\?$/,
    },
    {
      title: 'a function',
      text: 'SELECT lenght(tags) FROM orders',
      found: ['unknown-function 1:8'],
      cure: /^did you mean length\?$/,
    },
    {
      title: 'each statement of a file',
      text: 'SELECT 1 FROM a;\nSELECT b FROM orders',
      found: ['rows-lost 1:1', 'unknown-table 1:15', 'unknown-column 2:8'],
    },
    {
      title: 'a text in double quotes',
      text: 'SELECT 1 FROM orders WHERE tags = "open"',
      found: ['unknown-column 1:35'],
      cure: /^write a text in single quotes; /,
    },
    {
      title: 'fewer values than columns, and no names',
      text: 'INSERT INTO orders VALUES (1)',
      found: ['type 1:1'],
      cure: /^name the columns that get the values: INSERT INTO /,
    },
    {
      title: 'fewer values than named columns',
      text: 'INSERT INTO orders (order_id, placed_on) VALUES (1)',
      found: ['type 1:1'],
      cure: /^write as many values as columns$/,
    },
  ],
}

for (const kind of dialectNames) {
  describe(`${kind}: mistakes`, () => {
    let all: Found | undefined

    before(async () => {
      await withDatabase(kind, async (database) => {
        const files = Object.fromEntries(mistakes[kind].map(({ text }, index) => [`demo/POST/${index}.sql`, text]))
        all = await findingsOf(settingOf(database, files))
      })
    })

    for (const [index, { title, text, found, message = /./, cure = /./ }] of mistakes[kind].entries()) {
      test(`${title} [N1.2] [N1.4]`, () => {
        const findings = all?.findings.filter(({ file }) => file === `sql/demo/POST/${index}.sql`) ?? []
        deepStrictEqual(
          findings.map(({ code, line, column }) => `${code} ${line}:${column}`),
          found,
        )
        const last = findings.at(-1)
        match(last?.message ?? '', message)
        match(last?.cure ?? '', cure)
        deepStrictEqual([last?.severity, last?.text], ['error', text.split('\n')[(last?.line ?? 0) - 1]])
      })
    }

    test('errors end it with 1 [N1.1]', () => strictEqual(all?.code, 1))
  })
}

/** What can run, whatever it looks like. */
const fine: Readonly<Record<Dialect, readonly string[]>> = {
  postgres: [
    'SELECT :a + :b',
    'SELECT order_id FROM orders WHERE order_id = :id',
    'SELECT order_id FROM orders WHERE :id IS NULL OR order_id = :id',
    'SELECT order_id FROM orders WHERE order_id IN (:ids) AND tags @> ARRAY[:tags]::text[]',
    'SELECT * FROM unnest(:ids, :names) AS t(a, b)',
    'SELECT jsonb_array_elements(:rows)',
    'INSERT INTO orders (order_id, placed_on, total) SELECT * FROM jsonb_to_recordset(:rows) AS r(a bigint, b date, c numeric)',
    "SELECT substring('hello', :n), '[1]'::jsonb -> :n",
    'SELECT order_id FROM orders ORDER BY placed_on LIMIT :size OFFSET (:page - 1) * :size',
    'SELECT xs[:from::int : :to] FROM (SELECT tags AS xs FROM orders) AS t',
    "SELECT json_object('a': :value)",
    'SELECT vat(:amount)',
    '-- only a comment',
    "SET LOCAL search_path = crm; SELECT set_config('app.user', :user, true)",
    'CREATE TABLE later (a int)',
    'VACUUM orders',
    'SELECT concat(:a, :b), coalesce(:c, :d), format(:e, :f)',
  ],
  sqlite: [
    'SELECT :a + :b',
    'SELECT order_id FROM orders WHERE order_id IN (:ids)',
    'INSERT INTO orders VALUES (:a, :b, :c, :d) ON CONFLICT DO UPDATE SET total = 1',
    "SELECT value ->> '$.a' FROM json_each(:rows)",
    '-- only a comment',
    'CREATE TABLE later (a)',
  ],
}

for (const kind of dialectNames) {
  test(`${kind}: what can run is no error [N1.2]`, async () => {
    await withDatabase(kind, async (database) => {
      const files = Object.fromEntries(fine[kind].map((text, index) => [`demo/POST/${index}.sql`, text]))
      const { code, findings } = await findingsOf(settingOf(database, files))
      deepStrictEqual(findings.filter(({ severity }) => severity !== 'info').map(inBrief), [])
      strictEqual(code, 0)
    })
  })

  test(`${kind}: a statement that depends on an earlier one of its file is not checked [N1.1]`, async () => {
    const text = 'CREATE TEMP TABLE x AS SELECT 1 AS a;\nUPDATE x SET a = 2;\nSELECT 2 AS b'
    const { code, findings } = await check(kind, text)
    deepStrictEqual(findings.filter(({ code: what }) => what !== 'session-change').map(inBrief), [
      'info not-checked sql/demo/POST/x.sql:2:1 it depends on the statement at line 1, which is not run',
    ])
    strictEqual(code, 0)
  })

  test(`${kind}: two columns of one key [N1.2]`, async () => {
    const text = 'SELECT 1 AS order_id;\nSELECT order_id, 2 AS x,\n  3 AS "orderId" FROM orders'
    const { code, findings } = await check(kind, text, 'demo/GET/x.sql')
    deepStrictEqual(findings.map(inBrief), [
      'warning rows-lost sql/demo/GET/x.sql:1:1 no caller gets these rows, because the answer has those of the statement in line 2',
      'warning duplicate-key sql/demo/GET/x.sql:3:8 2 columns (order_id, orderId) have the key orderId, which gets the value of the last one',
    ])
    strictEqual(code, 0)
  })

  test(`${kind}: all keys that a star doubles are one finding [N1.2]`, async () => {
    const { findings } = await check(kind, 'SELECT * FROM orders a, orders b', 'demo/GET/x.sql')
    strictEqual(findings.length, 1)
    match(
      findings[0]?.message ?? '',
      /the key orderId, .*; .*the key placedOn, .*; .*the key total, .*; .*the key tags, /,
    )
  })

  test(`${kind}: keys of a statement that does not answer do not matter [N1.2]`, async () => {
    const { findings } = await check(kind, 'SELECT 1 AS a, 2 AS a; SELECT 3 AS b', 'demo/GET/x.sql')
    deepStrictEqual(
      findings.map(({ code }) => code),
      ['rows-lost'],
    )
  })

  test(`${kind}: nothing is run [N1.1]`, async () => {
    await withDatabase(kind, async (database) => {
      const files = {
        'demo/POST/a.sql':
          "DELETE FROM orders; INSERT INTO orders VALUES (1, '2026-01-01', 2, NULL); DROP TABLE orders",
      }
      strictEqual((await findingsOf(settingOf(database, files))).code, 0)
      await database.execute("INSERT INTO orders VALUES (1, '2026-01-01', 2, NULL)")
    })
  })
}

test('postgres: a parameter for which no type fits is an error, told by its name [N1.2]', async () => {
  const { findings } = await check('postgres', "SELECT :x::int + date '2026-01-01' + :x::point")
  strictEqual(findings.length, 1)
  const { code } = await check('postgres', 'SELECT lower(:x) + abs(:x)')
  strictEqual(code, 1)
})

test('postgres: nothing is left behind: no session, lock, prepared statement or temporary table [N1.1]', async () => {
  await withDatabase('postgres', async (database) => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [
        `demo/POST/${index}.sql`,
        `CREATE TEMP TABLE t${index} (a int); SELECT order_id FROM orders WHERE order_id = :id; LOCK TABLE orders; SELECT pg_advisory_lock(${index})`,
      ]),
    )
    strictEqual((await findingsOf(settingOf(database, files))).code, 0)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      // The check has let go of its sessions; the server ends them a moment later, and their locks with them.
      await until(async () => {
        const left = await client.query<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'sqlapi'`,
        )
        return left.rows.length === 0
      }, 'sessions of the check to end')
      const locks = await client.query(
        `SELECT locktype FROM pg_locks WHERE pid <> pg_backend_pid() AND locktype IN ('advisory', 'relation')
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
      deepStrictEqual(locks.rows, [])
      const made = await client.query(`SELECT relname FROM pg_class WHERE relname ~ '^t[0-9]+$'`)
      deepStrictEqual(made.rows, [])
    } finally {
      await client.end()
    }
  })
})

test('postgres: a table that somebody has locked makes its statements not-checked, and progress is told [N1.1] [N1.3]', async () => {
  await withDatabase('postgres', async (database) => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      await client.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE')
      const files = { 'demo/GET/a.sql': 'SELECT order_id FROM orders', 'demo/GET/b.sql': 'SELECT 1 AS a' }
      const { code, findings } = await findingsOf(settingOf(database, files))
      deepStrictEqual(findings.map(inBrief), [
        'info not-checked sql/demo/GET/a.sql:1:1 what it needs is locked by somebody else',
      ])
      strictEqual(code, 0)
      // It takes two seconds, so a person is told how far the check has come; a program is not.
      const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`demo/GET/b${index}.sql`, 'SELECT 1']))
      const config = { datasources: [{ name: 'demo', url: database.url, max_connections: 1 }] }
      const { stderr } = await runCheck({ files: { ...files, ...many }, config })
      match(stderr, /^25 of 62 files\n/)
      strictEqual((await findingsOf({ files: { ...files, ...many }, config })).stderr, '')
    } finally {
      await client.end()
    }
  })
})

test('sqlite: the file is as it was, and nothing is beside it [N1.1]', async () => {
  await withDatabase('sqlite', async (database) => {
    const file = database.url.slice('sqlite:'.length)
    const before = fingerprint(file)
    const files = { 'demo/POST/a.sql': 'PRAGMA journal_mode = delete; PRAGMA user_version = 7; CREATE TABLE x (a)' }
    const { code, findings } = await findingsOf(settingOf(database, files))
    strictEqual(code, 0)
    deepStrictEqual(
      findings.filter(({ code: what }) => what === 'not-checked').map(({ column }) => column),
      [1, 31],
    )
    deepStrictEqual(fingerprint(file), before)
  })
})

function fingerprint(file: string): unknown {
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex')
  return { hash, modified: statSync(file).mtimeMs, beside: readdirSync(dirname(file)) }
}

test('sqlite: a missing file ends it with 2, and is not made [N1.1]', async () => {
  const folder = newFolder()
  const setting = { files: { 'demo/GET/a.sql': 'SELECT 1', 'demo/POST/b.sql': 'DELETE FROM t' }, folder }
  const config = { datasources: [{ name: 'demo', url: `sqlite:${join(folder, 'none.db')}` }] }
  const { code, findings, stderr } = await findingsOf({ ...setting, config })
  strictEqual(code, 2)
  match(stderr, /^sqlapi: datasource 'demo' \(sqlite:\/.*none\.db\): .*The file \/.*none\.db does not exist/m)
  deepStrictEqual(findings.map(inBrief), [
    'warning no-where sql/demo/POST/b.sql:1:1 DELETE has no WHERE of its own, so it removes every row of t',
  ])
  ok(!existsSync(join(folder, 'none.db')))
})

test('sqlite: a folder that is misspelt is told with those beside it [F11]', async () => {
  const folder = newFolder({ 'database/crm.db': '' })
  const config = { datasources: [{ name: 'demo', url: `sqlite:${join(folder, 'databse/crm.db')}` }] }
  const { code, stderr } = await runCheck({ files: { 'demo/GET/a.sql': 'SELECT 1' }, folder, config })
  strictEqual(code, 2)
  match(stderr, /The folder \/.*databse does not exist; beside it: database\b.*; correct the url, or make the folder$/m)
})

test('sqlite: a folder in the place of the file is told as one [N1.1]', async () => {
  const folder = newFolder({ 'data/crm.db': '' })
  const config = { datasources: [{ name: 'demo', url: `sqlite:${join(folder, 'data')}` }] }
  const { code, stderr } = await findingsOf({ files: { 'demo/GET/a.sql': 'SELECT 1' }, folder, config })
  strictEqual(code, 2)
  match(stderr, /: \/.*data is a folder; name a file$/m)
})

test('sqlite: a database in memory has nothing to ask [N1.1]', async () => {
  const config = { datasources: [{ name: 'demo', url: 'sqlite::memory:' }] }
  const { code, findings } = await findingsOf({ files: { 'demo/GET/a.sql': 'ANALYZE; SELECT 2' }, config })
  deepStrictEqual([code, findings.map(({ code: what }) => what)], [0, ['not-checked', 'not-checked']])
})

test('a database that cannot be reached ends it with 2, and the others are checked [N1.1]', async () => {
  await withDatabase('sqlite', async (database) => {
    const port = await freePort()
    const datasources = [
      { name: 'crm', url: `postgres://u:hunter2@127.0.0.1:${port}/crm` },
      { name: 'demo', url: database.url },
    ]
    const files = { 'crm/GET/a.sql': 'SELECT absent', 'demo/GET/b.sql': 'SELECT absent' }
    const { code, stdout, stderr } = await runCheck({ files, config: { datasources } })
    strictEqual(code, 2)
    match(stdout, /no such column: absent/)
    match(stderr, /^sqlapi: datasource 'crm' \(postgres:\/\/u:\*{5}@127\.0\.0\.1:\d+\/crm\): .*ECONNREFUSED/m)
    ok(!(stdout + stderr).includes('hunter2'))
  })
})

test('a database that is down is told with the remedy, and never as nothing to report [F11]', async () => {
  const url = `postgres://u@127.0.0.1:${await freePort()}/crm`
  const config = { datasources: [{ name: 'crm', url }] }
  const { code, stdout, stderr } = await runCheck({ files: { 'crm/GET/a.sql': 'SELECT 1 AS one' }, config })
  strictEqual(code, 2)
  match(stdout, /^1 file checked in .*: not all could be checked\n$/)
  match(stderr, /ECONNREFUSED.*; nothing listens there; correct host or port in the url, or start the server\n$/)
})

test('a database that goes away during the check ends it with 2, with what was found so far [N1.1]', async () => {
  await withDatabase('postgres', async (database) => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      await client.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE')
      const wrong = Array.from({ length: 60 }, (_, index) => [`demo/GET/${index + 100}.sql`, 'SELECT absent'])
      // Each of them waits for two seconds.
      const slow = Array.from({ length: 15 }, (_, index) => [
        `demo/GET/${index + 900}.sql`,
        'SELECT order_id FROM orders',
      ])
      const files = Object.fromEntries([...wrong, ...slow]) as CheckSetting['files']
      const config = { datasources: [{ name: 'demo', url: database.url, max_connections: 1 }] }
      const checked = findingsOf({ files, config })
      const waiting = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND application_name = 'sqlapi'`
      await until(async () => {
        await client.query('SELECT pg_stat_clear_snapshot()')
        return (await client.query(waiting)).rowCount === 1
      }, 'the check to wait for the lock')
      const { code, stderr, findings } = await checked
      strictEqual(code, 2)
      match(stderr, /^sqlapi: datasource 'demo' .*(?:ended the connection|was lost)/m)
      strictEqual(findings.length, 50)
    } finally {
      await client.end()
    }
  })
})

test('a file is checked on another datasource with --datasource [N1.4]', async () => {
  await withDatabase('sqlite', async (lite) => {
    await withDatabase('postgres', async (postgres) => {
      const datasources = [
        { name: 'lite', url: lite.url },
        { name: 'big', url: postgres.url },
      ]
      const files = { 'lite/GET/a.sql': 'SELECT to_char(placed_on) FROM orders', 'free/GET/b.sql': 'SELECT 1 AS a' }
      const on = async (...args: string[]): Promise<string[]> => {
        const { findings } = await findingsOf({ files, config: { datasources }, args })
        return findings.map(({ code, message }) => `${code} ${message}`)
      }
      deepStrictEqual(await on(), [
        'datasource project "free" leads to no datasource',
        'unknown-function no such function: to_char',
      ])
      match((await on('--datasource', 'big')).join('\n'), /^type function to_char\(date\) does not exist$/)
    })
  })
})

test('the report as people see it, with progress and count [N1.3]', async () => {
  await withDatabase('postgres', async (database) => {
    const text = '-- Orders.\nSELECT order_id, plaecd_on\nFROM orders\nWHERE order_id = :id\n'
    const { stdout, stderr, code } = await runCheck(settingOf(database, { 'demo/GET/orders.sql': text }))
    strictEqual(code, 1)
    ok(/^(?:\d+ of \d+ files\n)*$/.test(stderr), stderr)
    match(
      stdout,
      /^sql\/demo\/GET\/orders\.sql\n {2}2:18 {2}error {2}unknown-column: column "plaecd_on" does not exist\n {6}SELECT order_id, plaecd_on\n {23}\^\n {6}= .*placed_on.*\n\n1 file checked in \d+\.\d s: 1 error\n$/,
    )
  })
})

const large = {
  postgres: `CREATE TABLE visits (visit_id int PRIMARY KEY, page text, seen date);
INSERT INTO visits SELECT n, 'page ' || n, '2026-01-01' FROM generate_series(1, 100100) AS n; ANALYZE visits; ANALYZE orders`,
  sqlite: `CREATE TABLE visits (visit_id integer PRIMARY KEY, page text, seen text); CREATE INDEX visits_seen ON visits (seen);
INSERT INTO visits WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100100) SELECT n, 'page ' || n, n FROM c; ANALYZE`,
} as const satisfies Record<Dialect, string>

for (const kind of dialectNames) {
  test(`${kind}: --explain tells statements that read a large table as a whole, and runs nothing [N1.1] [N1.2]`, async () => {
    await withDatabase(kind, async (database) => {
      await database.execute(large[kind])
      const files = {
        'demo/GET/all.sql': 'SELECT page\nFROM visits v WHERE page = :page',
        'demo/GET/one.sql': 'SELECT page FROM visits WHERE visit_id = :id',
        'demo/GET/small.sql': 'SELECT order_id FROM orders',
        'demo/GET/joined.sql': 'SELECT count(*) AS n FROM orders o JOIN visits v ON v.visit_id = o.order_id',
        'demo/POST/gone.sql': 'DELETE FROM visits WHERE page = :page RETURNING page',
        'demo/POST/wrong.sql': 'SELECT nothing_like FROM visits',
        'demo/POST/other.sql': 'CREATE TABLE x (a int); SELECT a FROM x',
      }
      const { findings } = await findingsOf(settingOf(database, files, ['--explain']))
      deepStrictEqual(
        findings.filter(({ code }) => code === 'slow-plan').map(inBrief),
        ['GET/all.sql:2:6', 'POST/gone.sql:1:13'].map(
          (place) =>
            `info slow-plan sql/demo/${place} the plan reads all of visits, some 100100 rows by the database's estimate`,
        ),
      )
      const without = await findingsOf(settingOf(database, files))
      deepStrictEqual(
        without.findings.filter(({ code }) => code === 'slow-plan'),
        [],
      )
      await database.execute(
        "INSERT INTO visits (visit_id, page) SELECT 0, 'x' WHERE (SELECT count(*) FROM visits) = 100100",
      )
    })
  })
}

test('postgres: the first rows of a large table are not all of it, and plans leave nothing behind [N1.1]', async () => {
  await withDatabase('postgres', async (database) => {
    await database.execute(large.postgres)
    await database.execute(`CREATE TABLE log (n int);
CREATE FUNCTION noted(n int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN INSERT INTO log VALUES (n); RETURN n; END $$`)
    const files = {
      'demo/GET/first.sql': 'SELECT page FROM visits LIMIT :n',
      'demo/GET/noted.sql': 'SELECT page FROM visits WHERE visit_id = noted(1)',
    }
    const { findings, code } = await findingsOf(settingOf(database, files, ['--explain']))
    deepStrictEqual([code, findings.map(inBrief)], [0, []])
    await database.execute('DO $$ BEGIN IF EXISTS (SELECT FROM log) THEN RAISE EXCEPTION $m$written$m$; END IF; END $$')
  })
})
