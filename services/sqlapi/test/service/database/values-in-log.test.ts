/**
 * No message of a database brings a value into the log, however the database repeats it: without quotes, in part,
 * folded to lower case, with a prefix.
 */
import { deepStrictEqual, doesNotMatch, match, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialect } from '../../../src/model.ts'
import { startTestService, type TestService } from '../../support/service.ts'

/** A file, and values for its `:x` of which the log must not have `kask` and `8001085`. */
type Situations = Readonly<Record<string, { readonly file: string; readonly values: readonly string[] }>>

/** Without a letter or a digit, and longer than a name may be. */
const signs = '🎉🦊🍕🚀🐙!$%&/=?~'.repeat(4)

const sqlite: Situations = {
  search: { file: 'SELECT * FROM ft WHERE ft MATCH :x', values: ['Kask38001085718:x', 'Kask38001085718 +', '- kask : 38001085718', '*Kask38001085718'] }, // prettier-ignore
  special: { file: 'INSERT INTO ft (ft) VALUES (:x)', values: ['Kask38001085718'] },
  rank: { file: "INSERT INTO ft (ft, rank) VALUES ('rank', :x)", values: ['Kask38001085718()', 'kask38001085718('] },
  attach: { file: 'ATTACH :x AS other', values: ['file:nowhere?vfs=Kask38001085718', '/nowhere/Kask38001085718/x.db', 'file:x?mode=Kask38001085718'] }, // prettier-ignore
  json: {
    file: "SELECT json_extract('{}', :x)",
    values: ['$.Kask38001085718[', '$[Kask38001085718]', 'Kask38001085718'],
  },
  signs: { file: 'SELECT * FROM ft WHERE ft MATCH :x', values: [`"${signs}" : x`] },
  raise: { file: 'INSERT INTO guarded VALUES (:x)', values: ['Kask38001085718'] },
}

const postgres: Situations = {
  column: { file: 'SELECT by_column(:x)', values: ['Kask38001085718', 'Kask38001085718, b'] },
  table: { file: 'SELECT by_table(:x)', values: ['Kask38001085718', 'Kask'] },
  signs: { file: 'SELECT by_column(quote_ident(:x))', values: [signs] },
  made: { file: 'SELECT by_made(substr(:x::text, 3))', values: ['Kask38001085718'] },
  call: { file: 'SELECT by_call(:x)', values: ['Kask38001085718'] },
  cut: { file: 'SELECT by_table(substr(:x::text, 3, 9))', values: ['Kask38001085718'] },
  class: {
    file: 'SELECT to_regclass(:x)',
    values: ['Kask.Kask38001085718.c.d', 'a.b.Kask38001085718', '"Kask38001085718'],
  },
  type: {
    file: 'SELECT (:x)::text::regtype',
    values: ['Kask38001085718', 'Kask38001085718(', 'numeric(Kask38001085718)'],
  },
  procedure: { file: 'SELECT (:x)::text::regprocedure', values: ['kask38001085718(int)', 'abs(Kask38001085718)', 'Kask38001085718'] }, // prettier-ignore
  search: { file: 'SELECT (:x)::text::tsquery', values: ['Kask38001085718 Mets', "'Kask38001085718"] },
  bytes: { file: "SELECT convert_from((:x)::text::bytea, 'UTF8')", values: ['Kask38001085718\\303('] },
  setting: { file: 'SELECT set_config(:x, :x, true)', values: ['Kask38001085718', 'kask.a b'] },
  role: { file: 'SELECT pg_has_role(:x::text, 1::oid, :x::text)', values: ['Kask38001085718'] },
  sequence: { file: 'SELECT nextval(:x::text)', values: ['Kask38001085718', 'a.b.c.Kask38001085718'] },
}

const schemas: Readonly<Record<Dialect, string>> = {
  sqlite: `CREATE VIRTUAL TABLE ft USING fts5(name); CREATE TABLE guarded (name text UNIQUE);
    CREATE TRIGGER guard BEFORE INSERT ON guarded BEGIN SELECT RAISE(ABORT, 'not now'); END`,
  postgres: `
    CREATE FUNCTION by_made(x text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'CREATE TABLE t_' || x || ' AS SELECT null AS a';
      EXECUTE 'ALTER TABLE t_' || x || ' ALTER a SET NOT NULL'; RETURN 1; END $$;
    CREATE FUNCTION by_column(x text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT p.' || x || ' FROM (SELECT 1 AS a) p'; RETURN 1; END $$;
    CREATE FUNCTION by_table(x text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT 1 FROM tenant_' || x; RETURN 1; END $$;
    CREATE FUNCTION by_call(x text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT ' || x || '(1)'; RETURN 1; END $$`,
}

async function withFiles(kind: Dialect, files: Record<string, string>, run: (service: TestService) => Promise<void>) {
  const config = { logging: { format: 'json' } }
  const datasource = { acquire_timeout_seconds: 300 }
  const service = await startTestService({ kind, files, schema: schemas[kind], datasource, config })
  try {
    await run(service)
  } finally {
    await service.close()
  }
}

function eventsOf({ log }: TestService, event: string): Record<string, unknown>[] {
  return log.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['event'] === event)
}

for (const [kind, situations] of [
  ['sqlite', sqlite],
  ['postgres', postgres],
] as const) {
  test(`a database repeats a value without quotes or in part, and the log does not, ${kind} [F2]`, () => {
    const files = Object.entries(situations).map(([name, { file }]) => [`demo/POST/${name}.sql`, file])
    return withFiles(kind, Object.fromEntries(files) as Record<string, string>, async (service) => {
      for (const [name, { values }] of Object.entries(situations)) {
        for (const x of values) {
          await service.post(`/demo/${name}`, { x })
          await service.post(`/demo/${name}/batch`, { queries: [{ x }] })
        }
      }
      for (const line of service.log) doesNotMatch(line, /kask|8001085|0x4b|0xc3|🦊|\$%&/i)
      const failed = eventsOf(service, 'statementFailed')
      deepStrictEqual(new Set(failed.map(({ file }) => file)).size, files.length)
    })
  })
}

test('names that the file has stay in the log, even if a value is alike [F2]', () =>
  withFiles(
    'sqlite',
    {
      'demo/GET/list.sql': 'SELECT nmae FROM ft WHERE name = :x',
      'demo/POST/add.sql': 'INSERT INTO missing VALUES (:x)',
    },
    async (service) => {
      await service.get('/demo/list?x=the+nmae')
      await service.post('/demo/add', { x: 'is missing' })
      deepStrictEqual(
        eventsOf(service, 'statementFailed').map(({ text }) => text),
        ['no such column: nmae', 'no such table: missing'],
      )
    },
  ))

test('the reason why an answer broke off has no value [F2]', () =>
  withFiles(
    'postgres',
    {
      'demo/GET/long.sql':
        "SELECT n, repeat('x', 50) AS a, CASE WHEN n = 90000 THEN (:x)::text ELSE '1' END::int AS r FROM generate_series(1, 100000) AS g (n)",
    },
    async (service) => {
      await rejects(service.get('/demo/long?x=Kask38001085718'))
      const [broken] = eventsOf(service, 'answerBrokenOff')
      match(String(broken?.['reason']), /^the statement at line 1 failed \(22P02\)$/)
      for (const line of service.log) doesNotMatch(line, /kask/i)
    },
  ))
