/** What databases say of statements that they are asked about and do not run: `describe` of both kinds of databases. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, test } from 'node:test'
import pg from 'pg'
import { openDatabase } from '../../../src/database/open.ts'
import { dialectNames, dialects } from '../../../src/dialects.ts'
import type { StatementDescription } from '../../../src/description.ts'
import type { Dialect } from '../../../src/model.ts'
import type { Database } from '../../../src/database/database.ts'
import { readScript } from '../../../src/sql/script.ts'
import { createDatabase, type TestDatabase } from '../../support/databases.ts'

type Ask = (sql: string) => Promise<readonly StatementDescription[]>

async function open(kind: Dialect, url: string): Promise<Database> {
  return openDatabase({
    name: 'demo',
    dialect: kind,
    url,
    maxConnections: 2,
    poolSize: 2,
    acquireTimeoutSeconds: 300,
    statementTimeoutSeconds: 0,
  })
}

async function withSchema(
  kind: Dialect,
  schema: string,
  run: (ask: Ask, test: { database: Database; raw: TestDatabase }) => Promise<void>,
): Promise<void> {
  const raw = await createDatabase(kind)
  await raw.execute(schema)
  const database = await open(kind, raw.url)
  const ask: Ask = async (sql) => {
    const [descriptions] = await database.describe([readScript(sql, dialects[kind].grammar)])
    return descriptions as readonly StatementDescription[]
  }
  try {
    await run(ask, { database, raw })
  } finally {
    await database.close()
    await raw.remove()
  }
}

/** In short: `name type` of parameters, `key column type` of columns; what is wrong; why nobody knows. */
function shown(description: StatementDescription): unknown {
  switch (description.outcome) {
    case 'described': {
      const { parameters, columns } = description
      return {
        in: parameters.map(({ name, type, isList }) => `${name} ${type?.name ?? '?'}${isList ? ' list' : ''}`),
        out: columns?.map(({ key, type }) => `${key} ${type?.name ?? '?'}`),
      }
    }
    case 'failed':
      return `${description.mistake} ${description.line}:${description.column} ${description.code}`
    case 'unchecked':
      return description.reason
  }
}

const postgresSchema = `
CREATE TYPE mood AS ENUM ('good', 'it''s bad');
CREATE DOMAIN positive AS numeric(8,2) CHECK (VALUE > 0);
CREATE DOMAIN moods AS mood[];
CREATE TABLE t (
  id int PRIMARY KEY, name varchar(40) NOT NULL, price numeric(10,2), at timestamptz, on_day date, tags text[], m mood, ms moods,
  p positive, j jsonb, d double precision, u uuid);
CREATE FUNCTION only_int(a int) RETURNS int LANGUAGE sql AS 'SELECT a';`

/** A statement, and what PostgreSQL says of it. */
const onPostgres: readonly (readonly [sql: string, expected: unknown])[] = [
  ['SELECT id, price FROM t WHERE id = :id', { in: ['id integer'], out: ['id integer', 'price numeric(10,2)'] }],
  [
    'SELECT name, at, on_day, tags, m, ms, p, j, d, u FROM t',
    {
      in: [],
      out: [
        'name character varying(40)',
        'at timestamp with time zone',
        'onDay date',
        'tags text[]',
        'm mood',
        'ms mood[]',
        'p numeric(8,2)',
        'j jsonb',
        'd double precision',
        'u uuid',
      ],
    },
  ],
  ['SELECT 1 AS a WHERE :from::date IS NULL OR now() >= :from', { in: ['from date'], out: ['a integer'] }],
  ['SELECT id FROM t WHERE id IN (:ids) AND name NOT IN (:names)', { in: ['ids integer list', 'names text list'], out: ['id integer'] }], // prettier-ignore
  ['SELECT array_length(ARRAY[:xs]::text[], 1) AS n', { in: ['xs text list'], out: ['n integer'] }],
  ['INSERT INTO t (id, name, j) VALUES (:id, :name, :j)', { in: ['id integer', 'name character varying', 'j jsonb'], out: undefined }], // prettier-ignore
  ['DELETE FROM t WHERE at < :before RETURNING id', { in: ['before timestamp with time zone'], out: ['id integer'] }],
  // A null has no type here, a list has.
  ['SELECT x FROM unnest(:xs) AS x', { in: ['xs text[]'], out: ['x text'] }],
  ['SELECT unnest(:xs), unnest(:ys) LIMIT :n', { in: ['xs text[]', 'ys text[]', 'n bigint'], out: ['unnest text', 'unnest text'] }], // prettier-ignore
  // One name, two types: both are tried, and it has none of its own.
  ['SELECT 1 AS a FROM t WHERE id = :x AND on_day = :x', { in: ['x ?'], out: ['a integer'] }],
  // A mixture that no values of one kind allow.
  ['SELECT 1 AS a WHERE 1 + :a > 0 AND jsonb_typeof(:b) = :c AND unnest_me(:d)', 'unknown-function 1:62 42883'],
  ["SELECT '2026-01-01'::date + :days AS d, :t || 'x' AS x", { in: ['days integer', 't text'], out: ['d date', 'x text'] }], // prettier-ignore
  ['SELECT', { in: [], out: [] }],
  // Its type is that of the value.
  ['SELECT :x AS x, id, upper(:t) AS t FROM t WHERE name = :n', { in: ['x text', 't text', 'n text'], out: ['x ?', 'id integer', 't text'] }], // prettier-ignore
  ['SELECT coalesce(:a, 1) AS a, :b::int + 1 AS b', { in: ['a integer', 'b integer'], out: ['a ?', 'b integer'] }],
  ['SELECT id FROM t WHERE name = :n AND id = ANY(:xs)', { in: ['n text', 'xs integer[]'], out: ['id integer'] }], // prettier-ignore
  ['SELECT\n  nope FROM t', 'unknown-column 2:3 42703'],
  ["SELECT 'õõ😀', :x,\n id FROM nowhere WHERE id = :x", 'unknown-table 2:10 42P01'],
  ['SELECT no_such(:x)', 'unknown-function 1:8 42883'],
  ['SELECT only_int(:x, :y)', 'parameter-type 1:8 42883'],
  ["SELECT only_int('x'::text)", 'type 1:8 42883'],
  ['SELECT name + 1 FROM t', 'type 1:13 42883'],
  ['SELECT id FROM t WHERE on_day = true AND id = :id', 'type 1:31 42883'],
  ['SELECT name * :x FROM t', 'parameter-type 1:13 42883'],
  // The literal is wrong, whatever the parameter in front of it is.
  ["SELECT date_trunc(:x, now()), NULLIF(1, '')", 'type 1:41 22P02'],
  ["SELECT id FROM t WHERE id = 'abc' AND id = :x", 'type 1:29 22P02'],
  ['SELEC 1', 'syntax 1:1 42601'],
  ['SELECT id, count(*) FROM t', 'syntax 1:8 42803'],
  ['SELECT "never', 'syntax 1:1 undefined'],
  ['SELECT $1', 'syntax 1:1 undefined'],
]

describe('postgres', () => {
  test('parameters, columns and mistakes of a statement [N1.1]', async () => {
    await withSchema('postgres', postgresSchema, async (ask) => {
      for (const [sql, expected] of onPostgres) {
        const [description] = await ask(sql)
        deepStrictEqual(shown(description as StatementDescription), expected, sql)
      }
    })
  })

  test('what a type is made of: domains, enums and their arrays [N2.1]', async () => {
    await withSchema('postgres', postgresSchema, async (ask) => {
      const [description] = await ask('SELECT m, ms, ARRAY[p] AS p, tags FROM t WHERE ms = :ms')
      ok(description?.outcome === 'described')
      const labels = ['good', "it's bad"]
      deepStrictEqual(
        description.columns?.map(({ type }) => type),
        [
          { name: 'mood', labels },
          // As a column a domain is what it is made of.
          { name: 'mood[]', labels },
          { name: 'positive[]', base: 'numeric[]' },
          { name: 'text[]' },
        ],
      )
      deepStrictEqual(description.parameters, [{ name: 'ms', type: { name: 'mood[]', labels }, isList: false }])
    })
  })

  test('what the server adds to an error is told [N1.2]', async () => {
    await withSchema('postgres', postgresSchema, async (ask) => {
      const [description] = await ask('SELECT nam FROM t')
      ok(description?.outcome === 'failed')
      strictEqual(description.message, 'column "nam" does not exist')
      strictEqual(description.hint, 'Perhaps you meant to reference the column "t.name".')
    })
  })

  test('nothing runs and nothing is left [N1.1]', async () => {
    await withSchema('postgres', postgresSchema, async (ask, { raw }) => {
      const texts = [
        'CREATE TABLE made (a int)',
        'DROP TABLE t',
        "INSERT INTO t VALUES (1, 'a')",
        'CREATE TEMP TABLE x (a int)',
      ]
      const descriptions = await ask([...texts, "SELECT set_config('a.b', 'c', false)", 'LISTEN c'].join(';\n'))
      deepStrictEqual(
        descriptions.map(({ outcome }) => outcome),
        ['described', 'described', 'unchecked', 'described', 'described', 'described'],
      )
      const client = new pg.Client({ connectionString: raw.url })
      await client.connect()
      try {
        const { rows } = await client.query(
          `SELECT (SELECT count(*) FROM t)::int AS rows, to_regclass('made') AS made,
             (SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
               WHERE d.datname = current_database() AND l.pid <> pg_backend_pid() AND l.relation = 't'::regclass)::int AS locks`,
        )
        deepStrictEqual(rows, [{ rows: 0, made: null, locks: 0 }])
      } finally {
        await client.end()
      }
      const [settings] = await ask('SHOW lock_timeout')
      strictEqual(settings?.outcome, 'described')
    })
  })

  test('a table that somebody has locked is waited for, but not for long [N1.1]', async () => {
    await withSchema('postgres', postgresSchema, async (ask, { raw }) => {
      await raw.execute('BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE')
      const descriptions = await ask('SELECT id FROM t; SELECT 1 AS a')
      await raw.execute('ROLLBACK')
      deepStrictEqual(descriptions.map(shown), [
        'what it needs is locked by somebody else',
        { in: [], out: ['a integer'] },
      ])
      deepStrictEqual((await ask('SELECT id FROM t')).map(shown), [{ in: [], out: ['id integer'] }])
    })
  })

  test('many statements that wait for one lock wait together [N1.1]', async () => {
    await withSchema('postgres', postgresSchema, async (ask, { raw, database }) => {
      await raw.execute('CREATE TABLE other (a int)')
      const sql = Array.from({ length: 20 }, () => 'SELECT id FROM t; SELECT a FROM other').join(';')
      await raw.execute('BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE')
      const asked = ask(sql)
      const descriptions = await asked
      deepStrictEqual(
        [descriptions[0], descriptions[38]].map((each) => each?.outcome),
        ['unchecked', 'unchecked'],
      )
      strictEqual(descriptions.filter(({ outcome }) => outcome === 'described').length, 20)
      // Whoever waits gets what is let go in time.
      const again = database.describe([readScript(sql, dialects.postgres.grammar)])
      await setTimeout(300)
      await raw.execute('ROLLBACK')
      const [found] = await again
      deepStrictEqual(new Set(found?.map(({ outcome }) => outcome)), new Set(['described']))
    })
  })

  test('a server that cannot be reached is the reason [N1.1]', async () => {
    const database = await open('postgres', 'postgres://nobody@127.0.0.1:1/x')
    await rejects(database.describe([readScript('SELECT 1', dialects.postgres.grammar)]), { reason: 'datasource_unreachable' }) // prettier-ignore
    await database.close()
  })

  test('many scripts are asked about at once [N1.3]', async () => {
    await withSchema('postgres', postgresSchema, async (_, { database }) => {
      const scripts = Array.from({ length: 500 }, (_, index) =>
        readScript(`SELECT id, ${index} AS n FROM t WHERE id = :id`, dialects.postgres.grammar),
      )
      const descriptions = await database.describe(scripts)
      strictEqual(descriptions.length, 500)
      for (const [description] of descriptions) {
        deepStrictEqual(shown(description as StatementDescription), {
          in: ['id integer'],
          out: ['id integer', 'n integer'],
        })
      }
    })
  })
})

const sqliteSchema = `
CREATE TABLE t (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, price NUMERIC(10,2), ok BOOLEAN, any);
CREATE VIEW v AS SELECT id FROM t;`

const onSqlite: readonly (readonly [sql: string, expected: unknown])[] = [
  ['SELECT id, name AS full_name, price, ok, any, count(*) AS n FROM t WHERE id = :id', { in: ['id ?'], out: ['id INTEGER', 'fullName VARCHAR(40)', 'price NUMERIC(10,2)', 'ok BOOLEAN', 'any ?', 'n ?'] }], // prettier-ignore
  ['SELECT id FROM t WHERE id IN (:ids)', { in: ['ids ? list'], out: ['id INTEGER'] }],
  ['INSERT INTO t (name) VALUES (:name)', { in: ['name ?'], out: undefined }],
  ['SELECT\n nope FROM t', 'unknown-column 2:2 1'],
  ['SELECT :x,\n id FROM nowhere WHERE id = :x', 'unknown-table 2:10 1'],
  ['SELECT no_such(:x)', 'unknown-function 1:8 1'],
  ['SELECT abs(1, 2)', 'unknown-function 1:8 1'],
  ['SELEC 1', 'syntax 1:1 1'],
  ["INSERT INTO t VALUES (1, 'a')", 'type 1:1 1'],
  ['PRAGMA journal_mode = DELETE', 'a PRAGMA may act when it is prepared'],
  ['EXPLAIN /* all */ QUERY PLAN pragma user_version', 'a PRAGMA may act when it is prepared'],
  ['SELECT "never', 'syntax 1:1 undefined'],
]

describe('sqlite', () => {
  test('columns and mistakes of a statement [N1.1]', async () => {
    await withSchema('sqlite', sqliteSchema, async (ask) => {
      for (const [sql, expected] of onSqlite) {
        const [description] = await ask(sql)
        deepStrictEqual(shown(description as StatementDescription), expected, sql)
      }
    })
  })

  test('nothing runs and nothing is left, with and without a log [N1.1]', async () => {
    for (const mode of ['WAL', 'DELETE']) {
      await withSchema('sqlite', `PRAGMA journal_mode = ${mode}; ${sqliteSchema}`, async (ask, { raw }) => {
        const folder = dirname(raw.url.replace('sqlite:', ''))
        const before = readdirSync(folder)
        const descriptions = await ask(
          "CREATE TABLE made (a); DROP VIEW v; INSERT INTO t (name) VALUES ('a'); ATTACH 'x.db' AS x",
        )
        deepStrictEqual(new Set(descriptions.map(({ outcome }) => outcome)), new Set(['described']))
        deepStrictEqual(readdirSync(folder), before)
        deepStrictEqual((await ask('SELECT * FROM made')).map(shown), ['unknown-table 1:15 1'])
      })
    }
  })

  test('a file that is missing is the reason, and is not made; a database in memory is not asked [N1.1]', async () => {
    const raw = await createDatabase('sqlite')
    const file = raw.url.replace('sqlite:', '')
    rmSync(file)
    const database = await open('sqlite', raw.url)
    const scripts = [readScript('SELECT 1', dialects.sqlite.grammar)]
    await rejects(database.describe(scripts), { reason: 'datasource_unreachable' })
    deepStrictEqual(readdirSync(dirname(file)), [])
    await database.close()
    await raw.remove()
    const memory = await open('sqlite', 'sqlite::memory:')
    deepStrictEqual(
      (await memory.describe(scripts))[0]?.map(({ outcome }) => outcome),
      ['unchecked'],
    )
    await memory.close()
  })

  test('a file that somebody has locked is waited for, but not for long [N1.1]', async () => {
    await withSchema('sqlite', `PRAGMA journal_mode = DELETE; ${sqliteSchema}`, async (ask, { raw }) => {
      const { DatabaseSync } = await import('node:sqlite')
      const other = new DatabaseSync(raw.url.replace('sqlite:', ''))
      other.exec("BEGIN EXCLUSIVE; INSERT INTO t (name) VALUES ('a')")
      const descriptions = await ask('SELECT id FROM t')
      other.close()
      deepStrictEqual(descriptions.map(shown), ['the file is locked by somebody else'])
    })
  })
})

/** Scripts, and what is said of each statement; `*` where it is described. */
const dependences: readonly (readonly [sql: string, expected: readonly string[], only?: Dialect])[] = [
  ['CREATE TEMP TABLE x (a int); INSERT INTO x VALUES (1); SELECT a FROM x', ['*', 'on 1', 'on 1']],
  ['CREATE TABLE IF NOT EXISTS "X y" (a int);\nSELECT id FROM t; SELECT a FROM "X y"', ['*', '*', 'on 1']],
  ['SELECT id INTO TEMP made FROM t;\n SELECT id FROM made', ['*', 'on 1'], 'postgres'],
  ['ALTER TABLE t ADD COLUMN extra int;\nSELECT extra FROM t', ['*', 'on 1']],
  ['ALTER TABLE t RENAME TO later; SELECT id FROM later', ['*', 'on 1']],
  ['DROP TABLE t; SELECT id FROM t', ['*', 'on 1']],
  ['CREATE SCHEMA s; SELECT * FROM s.t2', ['*', 'on 1'], 'postgres'],
  ['SET search_path TO other; SELECT id FROM t', ['*', 'on 1'], 'postgres'],
  ["SELECT set_config('search_path', :x, true); SELECT id FROM t", ['*', 'on 1'], 'postgres'],
  ["SELECT set_config('app.user', :x, true); SELECT nope FROM t", ['*', 'unknown-column'], 'postgres'],
  ['DO $$ BEGIN EXECUTE $x$ CREATE TEMP TABLE y (a int) $x$; END $$; SELECT a FROM y; SELECT id FROM t; SELEC', ['*', 'on 1', '*', 'syntax'], 'postgres'], // prettier-ignore
  ['SELECT make_it(); SELECT a FROM y', ['*', 'on 1'], 'postgres'],
  ["ATTACH 'other.db' AS o; SELECT a FROM o.y; SELECT id FROM t", ['*', 'on 1', '*'], 'sqlite'],
  ['BEGIN; SELECT nope FROM t; COMMIT', ['*', 'unknown-column', '*']],
]

for (const kind of dialectNames) {
  test(`${kind}: what depends on an earlier statement is not told as an error [N1.1]`, async () => {
    const makeIt = `; CREATE FUNCTION make_it() RETURNS void LANGUAGE plpgsql AS $f$ BEGIN EXECUTE 'CREATE TEMP TABLE y (a int)'; END $f$`
    const schema = `CREATE TABLE t (id int)${kind === 'postgres' ? makeIt : ''}`
    await withSchema(kind, schema, async (ask) => {
      for (const [sql, expected, only = kind] of dependences) {
        if (only !== kind) continue
        const found = (await ask(sql)).map((description) => {
          if (description.outcome === 'described') return '*'
          if (description.outcome === 'failed') return description.mistake
          return description.reason.replace(/^it depends on the statement at line (\d+), .*/, 'on $1')
        })
        deepStrictEqual(found, expected, sql)
      }
    })
  })
}
