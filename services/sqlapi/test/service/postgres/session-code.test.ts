/**
 * Stored code that changes the session, on a real PostgreSQL: whatever a request has reached, the next one on the
 * connection finds nothing of it. Functions hide what they do in all the ways that PL/pgSQL and SQL allow.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { until } from '@services/testing'
import fc from 'fast-check'
import pg from 'pg'
import { createDatabase } from '../../support/databases.ts'
import { startTestService, type TestService } from '../../support/service.ts'

/** Everything that may be left on a connection, asked by a statement that is itself a plain read. */
const look = `SELECT current_setting('app.own', true) AS own, current_setting('statement_timeout') AS setting,
  current_setting('search_path') AS path, current_user AS role, session_user AS login,
  current_setting('default_transaction_read_only') AS read_only,
  (SELECT count(*) FROM pg_class WHERE relpersistence = 't') AS temporary,
  (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks,
  (SELECT count(*) FROM pg_prepared_statements WHERE from_sql) AS prepared,
  (SELECT count(*) FROM pg_cursors WHERE is_holdable) AS cursors,
  (SELECT count(*) FROM pg_listening_channels()) AS channels`
const clean =
  '[{"own":"","setting":"0","path":"\\"$user\\", public","role":"postgres","login":"postgres","readOnly":"off","temporary":0,"locks":0,"prepared":0,"cursors":0,"channels":0}]'

function foundBy(text: string): string {
  // A setting with a name of one's own stays known, with an empty value.
  return text.replace('"own":null', '"own":""')
}

/** Commands that leave something behind. */
const commands = [
  `SET app.own = 'x'`,
  `SET SESSION statement_timeout = 54321`,
  'SET search_path = pg_catalog',
  'SET ROLE pg_monitor',
  'SET SESSION AUTHORIZATION other_user',
  'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY',
  'CREATE TEMP TABLE left_over (a int)',
  'CREATE TEMPORARY VIEW left_over AS SELECT 1 AS a',
  'CREATE TABLE pg_temp.left_over (a int)',
  'CREATE LOCAL TEMP SEQUENCE left_over',
  'LISTEN left_over',
  'PREPARE left_over AS SELECT 1',
]
/** Commands that only text that is put together can hold. */
const held = 'DECLARE left_over CURSOR WITH HOLD FOR SELECT 1'
/** Expressions that do. */
const expressions = [
  `set_config('app.own', 'x', false)`,
  `pg_catalog.set_config('statement_timeout', '54321', false)`,
  `"pg_catalog" . "set_config" ('search_path', 'pg_catalog', false)`,
  `pg_advisory_lock(7)::text`,
  `pg_try_advisory_lock_shared(1, 2)::text`,
  `query_to_xml('SELECT set_config(''app.own'', ''x'', false)', true, false, '')::text`,
  `ts_rewrite('a'::tsquery, 'SELECT ''a''::tsquery, set_config(''app.own'', ''a'', false)::tsquery')::text`,
  `(SELECT max(word) FROM ts_stat('SELECT to_tsvector(set_config(''app.own'', ''x'', false))'))`,
  `helper('app.own')`,
  `"Helper of ours"('x')`,
]
const helpers = `
CREATE ROLE other_user SUPERUSER;
CREATE FUNCTION helper(name text) RETURNS text LANGUAGE sql AS $$ SELECT set_config(name, 'x', false) $$;
CREATE FUNCTION "Helper of ours"(value text) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN helper(''app.own''); END';`

const gap = fc.constantFrom(
  ' ',
  '\n',
  '\t',
  '\r\n',
  '/**/',
  '/* SELECT \' " */',
  '/* a /* b */ c */',
  "-- it's\n",
  ' -- "\r',
  '\f',
)
const decoy = fc.constantFrom(
  '',
  `t := 'it''s; -- /*';`,
  `t := E'\\\\' || E'it\\'s /* ';`,
  't := $q$ BEGIN /* $q$ || $$ -- $$;',
  `t := U&'\\0041 $$';`,
  `t := "t" || 'a' -- '\n 'b';`.replace(" -- '\n", '\n'),
  'n := xs[1:n];',
  'FOR i IN 1..n LOOP NULL; END LOOP;',
  `IF t = 'x' THEN NULL; ELSE t := CASE WHEN n = 1 THEN 'a' ELSE 'b' END; END IF;`,
)
const around: readonly ((inner: string) => string)[] = [
  (inner) => inner,
  (inner) => `IF true THEN${inner}END IF;`,
  (inner) => `IF false THEN NULL; ELSE${inner}END IF;`,
  (inner) => `IF false THEN NULL; ELSIF true THEN${inner}END IF;`,
  (inner) => `CASE n WHEN 2 THEN${inner}ELSE${inner}END CASE;`,
  (inner) => `<<here>>LOOP${inner}EXIT here; END LOOP here;`,
  (inner) => `FOR i IN 1..1 LOOP${inner}END LOOP;`,
  (inner) => `WHILE n < 1 LOOP n := n + 1;${inner}END LOOP;`,
  (inner) => `DECLARE t text; BEGIN${inner}END;`,
  (inner) => `BEGIN n := 1 / 0; EXCEPTION WHEN OTHERS THEN${inner}END;`,
  (inner) => `BEGIN${inner}EXCEPTION WHEN division_by_zero THEN NULL; END;`,
]

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`
/** Blanks between words may be anything that is blank to the server. */
const respaced = (text: string, gaps: readonly string[]): string => {
  let at = 0
  return text.replaceAll(/'(?:[^']|'')*'| /g, (found) => (found === ' ' ? (gaps[at++ % gaps.length] as string) : found))
}
const asStatement = fc.oneof(
  fc.constantFrom(...commands).map((text) => `${text};`),
  fc
    .constantFrom(...commands, held)
    .chain((text) =>
      fc.constantFrom(
        `EXECUTE ${quote(text)};`,
        `EXECUTE format('%s', ${quote(text)});`,
        `t := ${quote(text)}; EXECUTE t;`,
        `EXECUTE $x$${text}$x$;`,
      ),
    ),
  fc
    .constantFrom(...expressions)
    .chain((text) =>
      fc.constantFrom(
        `PERFORM ${text};`,
        `t := ${text};`,
        `t = ${text};`,
        `SELECT ${text} INTO t;`,
        `xs[length(${text})] := 1;`,
        `IF ${text} IS NULL THEN NULL; END IF;`,
        `FOR i IN 1..length(${text}) LOOP NULL; END LOOP;`,
        `RAISE DEBUG '%', ${text};`,
        `WITH w AS (SELECT ${text} AS a) SELECT a INTO t FROM w;`,
        `EXECUTE 'SELECT $1' USING ${text};`,
        `ASSERT ${text} IS NOT NULL OR true;`,
        `CREATE TABLE IF NOT EXISTS made AS SELECT ${text} AS a;`,
      ),
    ),
)
const anyCase = fc.constantFrom(
  (text: string) => text,
  (text: string) =>
    text.replaceAll(/'(?:[^']|'')*'|"[^"]*"|\$x\$.*?\$x\$|[A-Z]+/gs, (found) =>
      /^[A-Z]/.test(found) ? found.toLowerCase() : found,
    ),
)

const plpgsql = fc
  .record({
    statement: asStatement,
    before: decoy,
    wrap: fc.constantFrom(...around),
    again: fc.constantFrom(...around),
    gaps: fc.array(gap, { minLength: 1, maxLength: 7 }),
    edge: gap,
    cased: anyCase,
  })
  .map(({ statement, before, wrap, again, gaps, edge, cased }) => {
    const inner = `${before}${wrap(`${edge}${again(`${edge}${cased(respaced(statement, gaps))}${edge}`)}${edge}`)}`
    return {
      language: 'plpgsql',
      body: `DECLARE t text; n int := 0; xs int[]; BEGIN${edge}${inner}${edge}RETURN 1; END`,
    }
  })
const sql = fc
  .record({
    text: fc.oneof(
      fc.constantFrom(...commands.filter((each) => !/PREPARE/.test(each))),
      fc
        .constantFrom(...expressions)
        .chain((each) =>
          fc.constantFrom(
            `SELECT ${each}`,
            `(SELECT ${each})`,
            `WITH w AS (SELECT ${each}) SELECT * FROM w`,
            `VALUES (${each})`,
          ),
        ),
      fc.constantFrom('SELECT 1 AS a INTO TEMP left_over', 'CREATE TEMP TABLE left_over AS SELECT 1 AS a'),
    ),
    gaps: fc.array(gap, { minLength: 1, maxLength: 7 }),
    edge: gap,
  })
  .map(({ text, gaps, edge }) => ({
    language: 'sql',
    body: `${edge}SELECT 'a;b';${edge}${respaced(text, gaps)};${edge}SELECT 1`,
  }))
const atomic = fc
  .record({ text: fc.constantFrom(...expressions), form: fc.constantFrom('atomic', 'return', 'default') })
  .filter(({ text, form }) => form !== 'default' || !text.startsWith('('))
  .map(({ text, form }) => ({ language: form, body: text }))

function definition(name: string, { language, body }: { language: string; body: string }): string {
  switch (language) {
    case 'atomic':
      return `CREATE FUNCTION ${name}() RETURNS int BEGIN ATOMIC SELECT ${body}; SELECT 1; END`
    case 'return':
      return `CREATE FUNCTION ${name}() RETURNS text RETURN ${body}`
    case 'default':
      return `CREATE FUNCTION ${name}(a text DEFAULT ${body}) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1'`
    default:
      return `CREATE FUNCTION ${name}() RETURNS int LANGUAGE ${language} AS $body_of$${body}$body_of$`
  }
}

const endpoints = { 'demo/GET/look.sql': look, 'demo/GET/one.sql': 'SELECT 1 AS one' }

async function lookAt(service: TestService): Promise<string> {
  return foundBy((await service.get('/demo/look')).text)
}

test('no function leaves anything for the next request, however it hides what it does [S7]', async () => {
  const database = await createDatabase('postgres')
  const functions = fc.sample(
    fc.oneof({ weight: 6, arbitrary: plpgsql }, { weight: 2, arbitrary: sql }, { weight: 1, arbitrary: atomic }),
    300,
  )
  const bare = new pg.Client({ connectionString: database.url })
  await bare.connect()
  await database.execute('SET check_function_bodies = off')
  await database.execute(helpers)
  const files: Record<string, string> = {}
  for (const [index, each] of functions.entries()) {
    await database.execute(definition(`hidden_${index}`, each))
    files[`demo/POST/call${index}.sql`] = `SELECT hidden_${index}()`
  }
  const service = await startTestService({
    kind: 'postgres',
    files: { ...endpoints, ...files },
    datasource: { url: database.url, max_connections: 1 },
  })
  let effective = 0
  try {
    for (const [index, each] of functions.entries()) {
      // A function that leaves nothing behind where nobody cleans up proves nothing.
      if (await leavesSomething(bare, index)) effective++
      const reply = await service.post(`/demo/call${index}`)
      strictEqual(await lookAt(service), clean, JSON.stringify({ each, reply: reply.text }))
    }
    ok(effective > functions.length * 0.7, `only ${effective} of ${functions.length} functions leave something`)
  } finally {
    await service.close()
    await bare.end()
    await database.execute('DROP OWNED BY other_user; DROP ROLE other_user')
    await database.remove()
  }
})

async function leavesSomething(client: pg.Client, index: number): Promise<boolean> {
  const before = await client.query(look)
  await client.query(`SELECT hidden_${index}()`).catch(() => undefined)
  const after = await client.query(look)
  await client.query('DISCARD ALL')
  return !isDeepStrictEqual({ ...before.rows[0], own: '' }, { ...after.rows[0], own: after.rows[0].own ?? '' })
}

/** Code that no statement has to name. */
const reached: readonly (readonly [what: string, schema: string, statement: string])[] = [
  [
    'a trigger',
    `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN/**/SET app.own = 'x'; RETURN NEW; END$$;
    CREATE TRIGGER t AFTER INSERT ON note FOR EACH ROW EXECUTE FUNCTION f()`,
    'INSERT INTO note VALUES (1)',
  ],
  [
    'a trigger that calls a function',
    `CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS $$BEGIN EXECUTE 'CREATE TEMP TABLE IF NOT EXISTS x (a int)'; RETURN 1; END$$;
    CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.id := g(); RETURN NEW; END$$;
    CREATE TRIGGER t BEFORE INSERT ON note FOR EACH ROW EXECUTE FUNCTION f()`,
    'INSERT INTO note VALUES (1)',
  ],
  [
    'an event trigger',
    `CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN PERFORM set_config('app.own', 'x', false); END$$;
    CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION f()`,
    'CREATE TABLE IF NOT EXISTS made (a int)',
  ],
  ['a view', `CREATE VIEW v AS SELECT set_config('app.own', 'x', false) AS a`, 'SELECT * FROM v'],
  [
    'a view with a function',
    `CREATE FUNCTION f() RETURNS text LANGUAGE sql AS $$ SELECT set_config('app.own', 'x', false) $$; CREATE VIEW v AS SELECT f()`,
    'SELECT * FROM v',
  ],
  [
    'a view of the settings',
    'CREATE VIEW v AS SELECT * FROM pg_settings',
    `UPDATE v SET setting = '54321' WHERE name = 'statement_timeout'`,
  ],
  ['a rule', `CREATE RULE r AS ON INSERT TO note DO ALSO SELECT pg_advisory_lock(3)`, 'INSERT INTO note VALUES (1)'],
  [
    'a default',
    `ALTER TABLE note ADD b text DEFAULT set_config('app.own', 'x', false)`,
    'INSERT INTO note (id) VALUES (1)',
  ],
  [
    'a default with a function',
    `CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$BEGIN SET app.own = 'x'; RETURN 'a'; END$$; ALTER TABLE note ADD b text DEFAULT f()`,
    'INSERT INTO note (id) VALUES (1)',
  ],
  [
    'a constraint',
    `ALTER TABLE note ADD CHECK (set_config('app.own', 'x', false) = 'x')`,
    'INSERT INTO note VALUES (1)',
  ],
  ['a domain', `CREATE DOMAIN d AS text CHECK (set_config('app.own', VALUE, false) = VALUE)`, `SELECT 'x'::d AS d`],
  [
    'the default of a domain',
    `CREATE DOMAIN d AS text DEFAULT set_config('app.own', 'x', false); CREATE TABLE defaulted (a int, v d)`,
    'INSERT INTO defaulted (a) VALUES (1)',
  ],
  [
    'an operator',
    `CREATE FUNCTION f(text, text) RETURNS text LANGUAGE plpgsql AS $$BEGIN RETURN set_config($1, $2, false); END$$;
    CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = f)`,
    `SELECT 'app.own'::text === 'x'::text AS r`,
  ],
  [
    'an operator on a function of the server',
    'CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = pg_try_advisory_lock)',
    'SELECT 1 === 2 AS r',
  ],
  [
    'a cast',
    `CREATE TYPE pair AS (a text, b text); CREATE FUNCTION f(pair) RETURNS int LANGUAGE plpgsql AS $$BEGIN PERFORM set_config($1.a, $1.b, false); RETURN 1; END$$;
    CREATE CAST (pair AS int) WITH FUNCTION f(pair)`,
    `SELECT ROW('app.own', 'x')::pair::int AS r`,
  ],
  [
    'an aggregate',
    "CREATE AGGREGATE gather(text, boolean) (SFUNC = set_config, STYPE = text, INITCOND = 'app.own')",
    `SELECT gather('x', false) AS r`,
  ],
  [
    'a function in a function notation',
    `CREATE FUNCTION f(note) RETURNS text LANGUAGE sql AS $$ SELECT set_config('app.own', 'x', false) $$; INSERT INTO note VALUES (1)`,
    'SELECT n.f FROM note n',
  ],
  [
    'a policy',
    `INSERT INTO note VALUES (1); ALTER TABLE note ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    CREATE POLICY p ON note USING (set_config('app.own', 'x', false) = 'x')`,
    'SELECT * FROM note',
  ],
  [
    'an index',
    `CREATE FUNCTION f(int) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN set_config('app.own', 'x', false); END$$; CREATE INDEX ON note (f(id))`,
    'INSERT INTO note VALUES (1)',
  ],
  [
    'the key of a partitioned table',
    `CREATE FUNCTION f(int) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN set_config('app.own', 'x', false); END$$;
    CREATE TABLE parted (id int) PARTITION BY LIST (f(id)); CREATE TABLE part PARTITION OF parted DEFAULT`,
    'INSERT INTO parted VALUES (1)',
  ],
  [
    'a generated column',
    `CREATE FUNCTION f(int) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN set_config('app.own', 'x', false); END$$; ALTER TABLE note ADD g text GENERATED ALWAYS AS (f(id)) STORED`,
    'INSERT INTO note VALUES (1)',
  ],
  [
    'a function of the server under another name',
    `CREATE FUNCTION f(text, text, boolean) RETURNS text LANGUAGE internal AS 'set_config_by_name'`,
    `SELECT f('app.own', 'x', false)`,
  ],
]

for (const [what, schema, statement] of reached) {
  test(`nothing is left of what is reached by ${what} [S7]`, async () => {
    const files = {
      ...endpoints,
      'demo/POST/do.sql': statement,
      'demo/POST/other.sql': 'SELECT count(*) AS n FROM note',
    }
    const service = await startTestService({
      kind: 'postgres',
      files,
      schema: `CREATE TABLE note (id int); ${schema}`,
      datasource: { max_connections: 1 },
    })
    try {
      for (let round = 0; round < 6; round++) {
        const { status, text } = await service.post('/demo/do')
        strictEqual(status, 200, text)
        strictEqual(await lookAt(service), clean)
      }
      const batch = await service.post('/demo/do/batch', { queries: [{}, {}] })
      strictEqual(batch.status, 200, batch.text)
      strictEqual(await lookAt(service), clean)
    } finally {
      await service.close()
    }
  })
}

test('the seed of random numbers reaches nobody else [S7]', async () => {
  const service = await startTestService({
    kind: 'postgres',
    files: {
      'demo/POST/seed.sql': 'SELECT setseed(0.5)',
      'demo/POST/hidden.sql': 'SELECT seed()',
      'demo/GET/random.sql': 'SELECT random() AS r',
    },
    schema: 'CREATE FUNCTION seed() RETURNS void LANGUAGE sql AS $$ SELECT setseed(0.5) $$',
    datasource: { max_connections: 1 },
  })
  const numbers: string[] = []
  for (const path of ['/demo/seed', '/demo/hidden', '/demo/seed', '/demo/hidden']) {
    strictEqual((await service.post(path)).status, 200)
    numbers.push((await service.get('/demo/random')).text)
  }
  strictEqual(new Set(numbers).size, numbers.length, numbers.join(' '))
  await service.close()
})

const usual = `
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.updated_at := now(); RETURN NEW; END';
CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'SET NULL is not %', 'possible'; END IF;
  INSERT INTO audit (at, what) VALUES (clock_timestamp(), to_jsonb(NEW)); -- EXECUTE nothing
  RETURN NULL;
END $$;
CREATE FUNCTION twice(n int) RETURNS int IMMUTABLE RETURN n * 2;
CREATE TABLE audit (at timestamptz, what jsonb);
CREATE TABLE orders (id serial, customer int CHECK (twice(customer) > 0), amount numeric, key uuid DEFAULT gen_random_uuid(), updated_at timestamptz);
CREATE FUNCTION total(who int) RETURNS numeric STABLE LANGUAGE sql AS 'SELECT sum(amount) FROM orders WHERE customer = who';
CREATE TRIGGER touch BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON orders FOR EACH ROW EXECUTE FUNCTION audit();
CREATE VIEW totals AS SELECT customer, total(customer) AS total, twice(customer) FROM orders;
CREATE EXTENSION pgcrypto; CREATE EXTENSION pg_trgm; CREATE EXTENSION tablefunc; CREATE EXTENSION dblink; CREATE EXTENSION hstore; CREATE EXTENSION citext;
CREATE FUNCTION maintain(name text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('ALTER TABLE %I SET (fillfactor = 80)', name); PERFORM set_config('app.own', 'x', false); END $$;`

const usualFiles = {
  ...endpoints,
  'demo/POST/order.sql': 'INSERT INTO orders (customer, amount) VALUES (1, 2)',
  'demo/GET/totals.sql': `SELECT customer, total, similarity('a', 'b') AS s, gen_random_bytes(4) IS NULL AS c FROM totals`,
  'demo/POST/maintain.sql': `SELECT maintain('orders')`,
}

/** What the service's connection was last told, as another client sees it. */
async function lastQuery(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'sqlapi' ORDER BY backend_start LIMIT 1`,
  )
  return rows[0]?.query ?? ''
}

test('usual stored code costs nothing, and code that nobody names neither [S7]', async () => {
  const database = await createDatabase('postgres')
  const observer = new pg.Client({ connectionString: database.url })
  await observer.connect()
  await database.execute(usual)
  const datasource = { url: database.url, max_connections: 1 }
  const service = await startTestService({ kind: 'postgres', files: usualFiles, datasource })
  try {
    const isRead = async (): Promise<boolean> => {
      await service.get('/demo/totals')
      return /FROM totals/.test(await lastQuery(observer))
    }
    await until(isRead, 'all stored code to be read', 50_000)
    for (let round = 0; round < 3; round++) {
      for (const path of ['/demo/order', '/demo/order/batch']) {
        const { status, text } = await service.post(path, path.endsWith('batch') ? { queries: [{}] } : {})
        strictEqual(status, 200, text)
      }
      strictEqual((await service.get('/demo/totals')).status, 200)
      match(await lastQuery(observer), /FROM totals/)
    }
    // The one statement that names such code is cleaned up after.
    strictEqual((await service.post('/demo/maintain')).status, 200)
    strictEqual(await lookAt(service), clean)
    deepStrictEqual(
      service.log.filter((line) => line.includes('Stored code')),
      [],
    )
  } finally {
    await service.close()
    await observer.end()
    await database.remove()
  }
})

test('stored code that costs every request a reset is named in the log, once [S7]', async () => {
  const schema = `${usual}
    CREATE FUNCTION audit_all() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT 1'; RETURN NULL; END $$;
    CREATE TRIGGER all_of_it AFTER UPDATE ON orders EXECUTE FUNCTION audit_all()`
  const files = { ...usualFiles, 'demo/POST/define.sql': 'CREATE TABLE IF NOT EXISTS made (a int)' }
  const service = await startTestService({ kind: 'postgres', files, schema })
  try {
    const toldOf = (): string[] => service.log.filter((line) => line.includes('Stored code'))
    const request = async (): Promise<boolean> => {
      for (const path of ['/demo/order', '/demo/define']) await service.post(path)
      return toldOf().length > 0
    }
    // Reading goes on with each request, as far as its time reaches.
    await until(request, 'the line', 50_000)
    await request()
    const lines = toldOf()
    strictEqual(lines.length, 1, lines.join('\n'))
    match(lines[0] ?? '', /INFO.*demo.*audit_all.*trigger all_of_it on table orders.*EXECUTE/)
  } finally {
    await service.close()
  }
})
