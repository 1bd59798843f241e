/**
 * What is said of a statement that fails: to the client in short, with the number of its set, and in the log with its
 * place.
 */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dialectNames } from '../../../src/dialects.ts'
import type { Dialect } from '../../../src/model.ts'
import { startTestService, type TestService } from '../../support/service.ts'

interface Situation {
  readonly title: string
  readonly file: string
  readonly body?: unknown
  readonly dialect?: Dialect
  readonly batch?: true
  /** `line:column`. */
  readonly at: string
  readonly code?: string | RegExp
  readonly text: RegExp
  readonly postgres?: { readonly text: RegExp }
}

const situations: readonly Situation[] = [
  { title: 'a word at the start', file: 'SELEC 1', at: '1:1', text: /near "SELEC"/i },
  { title: 'a word in a later line', file: '-- first\n\nSELECT 1\n  FORM t WHERE', at: '4:8', dialect: 'postgres', text: /"t"/ }, // prettier-ignore
  { title: 'a word in a later line', file: '-- first\n\nSELECT 1\n  FORM t WHERE', at: '4:8', dialect: 'sqlite', text: /near "t"/ }, // prettier-ignore
  { title: 'CRLF', file: 'SELECT 1;\r\n\r\nSELECT\r\n\t:x,\r\n\t FROM WHERE;\r\n', body: { x: 1 }, at: '5:3', text: /near "FROM"/i }, // prettier-ignore
  { title: 'characters of several bytes', file: "SELECT 'õ😀e\u0301', :õ ASS x", at: '1:16', dialect: 'postgres', text: /near ":"/ }, // prettier-ignore
  { title: 'behind them', file: "/* 😀😀 */ SELECT :x, 'õõ' ASS FROMM 1", body: { x: 'a' }, at: '1:30', text: /near "FROMM"/i }, // prettier-ignore
  { title: 'behind a byte-order mark', file: '\ufeffSELECT 1 1', at: '1:10', text: /near "1"/ },
  { title: 'in the second statement', file: 'SELECT 1; SELECT :x + ; SELECT 3', body: { x: 1 }, at: '1:22', text: /.*/, dialect: 'postgres' }, // prettier-ignore
  { title: 'behind expanded lists', file: 'SELECT 1 WHERE 1 IN (:xs)\n AND 2 NOT IN (:xs) AND 3 IN (:xs) FORM', body: { xs: [1, 2] }, at: '2:36', text: /near "FORM"|end of input|incomplete input/ }, // prettier-ignore
  { title: 'an unknown column behind lists with casts', file: 'SELECT 1\nWHERE 1 IN (:xs::int) AND nope = :y', body: { xs: [1], y: 2 }, at: '2:27', dialect: 'postgres', code: '42703', text: /column "nope" does not exist/ }, // prettier-ignore
  {
    title: 'an unknown column',
    file: 'SELECT :x AS x,\n\n  õ.nope FROM (SELECT 1 AS a) AS õ',
    body: { x: 1 },
    at: '3:3',
    text: /nope/,
  },
  {
    title: 'an unknown table',
    file: 'SELECT :x AS x\n  FROM nowhere_at_all',
    body: { x: 1 },
    at: '2:8',
    text: /nowhere_at_all/,
  },
  {
    title: 'an unknown function',
    file: 'SELECT\n  1, no_such_function(:x)',
    body: { x: 1 },
    at: '2:6',
    text: /no_such_function/,
  },
  { title: 'a parameter of an array', file: 'SELECT ARRAY[:xs]::text[],\n ARRAY[:xs]::text[] FORM x', body: { xs: ['a', 'b'] }, at: '2:26', dialect: 'postgres', text: /"x"/ }, // prettier-ignore
  { title: 'a slice', file: 'SELECT (ARRAY[1])[1:n] FORM x', body: { n: 1 }, at: '1:29', dialect: 'postgres', text: /"x"/ }, // prettier-ignore
  { title: 'an error while it runs', file: '\n  SELECT 1 / :x AS r', body: { x: 0 }, at: '2:3', dialect: 'postgres', code: '22012', text: /division by zero/ }, // prettier-ignore
  { title: 'a value that its type refuses', file: 'SELECT\n  :x AS x, id FROM t WHERE id = :id', body: { x: 'a', id: 'b' }, at: '2:33', dialect: 'postgres', code: '22P02', text: /type integer: "…"/ }, // prettier-ignore
  { title: 'a value out of range', file: "SELECT '$2', 1 FROM t WHERE id = :id AND\n 1 = :x AND id = :id", body: { x: 1, id: '3000000000' }, at: '1:34', dialect: 'postgres', code: '22003', text: /out of range/ }, // prettier-ignore
  { title: 'a value that is no date', file: "SELECT :a AS a, date '2026-01-01' + 1 > :x", body: { a: 1, x: 'x' }, at: '1:41', dialect: 'postgres', code: '22007', text: /type date/ }, // prettier-ignore
  { title: 'an element that its type refuses', file: 'SELECT id FROM t\n WHERE id IN (:xs) OR id = :x', body: { xs: ['1', 'b'], x: 1 }, at: '2:15', dialect: 'postgres', code: '22P02', text: /type integer/ }, // prettier-ignore
  { title: 'an element of an array', file: 'SELECT ARRAY[1] = :a, ARRAY[1] = ARRAY[:xs]', body: { a: ['1'], xs: ['1', 'b'] }, at: '1:40', dialect: 'postgres', code: '22P02', text: /type integer/ }, // prettier-ignore
  { title: 'a broken constraint', file: 'SELECT 1;\n INSERT INTO t (id) VALUES (:x)', body: { x: 1 }, at: '2:2', code: /^(23505|SQLite 1555)$/, text: /unique/i }, // prettier-ignore
  { title: 'a marked file', file: '-- @transactional\nSELECT 1;\nSELECT 2 FORM x y', at: '3:15', text: /near "x"/ },
  { title: 'a file that touches the session', file: "SELECT set_config('a.b', 'c', false);\n SELECT 2 FORM x y", at: '2:16', dialect: 'postgres', text: /near "x"/ }, // prettier-ignore
]

function startWith(
  kind: Dialect,
  files: Record<string, string>,
  config: Record<string, unknown> = {},
): Promise<TestService> {
  return startTestService({
    kind,
    files,
    // What is wrong is in the statements, and not that a busy machine opens connections slowly.
    datasource: { acquire_timeout_seconds: 300 },
    schema:
      'CREATE TABLE t (id integer PRIMARY KEY, name text CONSTRAINT short_name CHECK (length(name) < 5)); INSERT INTO t VALUES (1, NULL)',
    config: { logging: { format: 'json' }, ...config },
  })
}

async function withFiles(
  kind: Dialect,
  files: Record<string, string>,
  run: (service: TestService) => Promise<void>,
  config: Record<string, unknown> = {},
): Promise<void> {
  const service = await startWith(kind, files, config)
  try {
    await run(service)
  } finally {
    await service.close()
  }
}

function faultsOf({ log }: TestService): Record<string, unknown>[] {
  return log
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === 'statementFailed')
}

for (const dialect of dialectNames) {
  describe(`the place of a mistake, ${dialect}`, { concurrency: 4 }, () => {
    const own = situations.filter((situation) => (situation.dialect ?? dialect) === dialect)
    const path = (situation: Situation): string => `demo/POST/deep/file${own.indexOf(situation)}.sql`
    let service: TestService
    before(async () => {
      service = await startWith(dialect, Object.fromEntries(own.map((situation) => [path(situation), situation.file])))
    })
    after(() => service.close())

    for (const situation of own) {
      const { title, body = {}, at, code, text } = situation
      test(`${title}, ${dialect} [S16]`, async () => {
        const file = path(situation)
        const url = `/${file.replace('POST/', '').replace('.sql', '')}`
        // The first call settles types, later ones find the plan.
        for (let round = 0; round < 5; round++) {
          const { status, text: answer } = await service.post(url, body)
          strictEqual(status, 400, answer)
        }
        await service.post(`${url}/batch`, { queries: [body] })
        const faults = faultsOf(service).filter((fault) => fault['file'] === file)
        strictEqual(faults.length, 6)
        for (const [index, fault] of faults.entries()) {
          strictEqual(`${String(fault['line'])}:${String(fault['column'])}`, at, JSON.stringify(fault))
          deepStrictEqual([fault['datasource'], fault['level']], ['demo', 'info'])
          match(String(fault['text']), text)
          if (code !== undefined)
            ok(typeof code === 'string' ? fault['code'] === code : code.test(String(fault['code'])))
          ok(typeof fault['ms'] === 'number' && fault['ms'] >= 0)
          strictEqual(fault['set'], index === 5 ? 0 : undefined)
        }
      })
    }
  })
}

const secret = 'Secret-Value-4711'

test('what a database quotes of a value does not reach the log [S16] [D6.8]', () =>
  withFiles(
    'postgres',
    {
      'demo/POST/setup.sql': `
        CREATE FUNCTION complain(v text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
          RAISE EXCEPTION 'nobody like % or % is known', substr(v, 1, 5), lower(v);
        END $$;
        CREATE FUNCTION build(v text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
          EXECUTE format('SELECT %I FROM %s', v, v); RETURN 1;
        END $$`,
      'demo/POST/int.sql': 'SELECT (:x)::text::int AS n',
      'demo/POST/array.sql': 'SELECT (:x)::text::int[] AS n',
      'demo/POST/date.sql': 'SELECT (:x)::text::timestamptz AS n',
      'demo/POST/class.sql': 'SELECT (:x)::text::regclass AS n',
      'demo/POST/json.sql': 'SELECT (:x)::text::json AS n',
      'demo/POST/raise.sql': 'SELECT complain(:x) AS n',
      'demo/POST/dynamic.sql': 'SELECT build(:x) AS n',
      'demo/POST/setting.sql': 'SELECT current_setting(:x) AS n',
      'demo/POST/literal.sql': "SELECT 'file-literal'::int AS n, :x::text AS x",
    },
    async (service) => {
      strictEqual((await service.post('/demo/setup', {})).status, 200)
      const values = [secret, `{1,${secret}}`, `2026-01-01 10:00 ${secret}`, `"${secret}"x`, 'x'.repeat(3000), '7']
      for (const name of ['int', 'array', 'date', 'class', 'json', 'raise', 'dynamic', 'setting', 'literal']) {
        for (const x of values) {
          await service.post(`/demo/${name}`, { x })
          await service.post(`/demo/${name}/batch`, { queries: [{ x: '1' }, { x }] })
        }
      }
      const faults = faultsOf(service)
      ok(faults.length > 60, `${faults.length}`)
      for (const fault of faults) {
        const text = String(fault['text'])
        doesNotMatch(text, /secre|4711|xxxx|value-/i, JSON.stringify(fault))
        ok(text.length <= 1001)
      }
      const complaint = faults.find(({ file }) => file === 'demo/POST/raise.sql')
      deepStrictEqual([complaint?.['code'], complaint?.['text']], ['P0001', 'nobody like … or … is known'])
      const literal = faults.find(({ file }) => file === 'demo/POST/literal.sql')
      strictEqual(literal?.['text'], 'invalid input syntax for type integer: "file-literal"')
    },
  ))

for (const dialect of dialectNames) {
  test(`names of constraints, detail and hint stay out of answers, ${dialect} [S16]`, () =>
    withFiles(
      dialect,
      { 'demo/POST/add.sql': 'INSERT INTO t VALUES (:id, :name)', 'demo/POST/near.sql': 'SELECT nam FROM t' },
      async (service) => {
        const answers = [
          await service.post('/demo/add', { id: 1, name: 'a' }),
          await service.post('/demo/add', { id: 2, name: 'too long' }),
          await service.post('/demo/near', {}),
        ].map(({ text }) => text)
        for (const answer of answers) doesNotMatch(answer, /short_name|t_pkey|Key \(|too long|Perhaps|HINT|DETAIL/i)
        match(answers[0] ?? '', /unique constraint/i)
        match(answers[1] ?? '', /check constraint/i)
        // The log names the constraint.
        match(String(faultsOf(service)[1]?.['text']), /short_name/)
      },
    ))
}

for (const dialect of dialectNames) {
  test(`an error behind the first mebibyte is in the log although nobody can be told, ${dialect} [S16]`, () => {
    const rows = dialect === 'postgres' ? 'generate_series(1, 100000) AS g (n)' : 'c'
    const series = 'WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000)'
    // SQLite has few errors that only a row brings about.
    const last =
      dialect === 'postgres' ? '1 / (90000 - n)' : "CASE WHEN n < 90000 THEN 1 ELSE json_extract('{', '$') END"
    const file = `${dialect === 'sqlite' ? series : ''}\n  SELECT n, 'some text to fill a row with', ${last} AS r FROM ${rows}`
    return withFiles(dialect, { 'demo/GET/long.sql': file }, async (service) => {
      await rejects(service.get('/demo/long'))
      const [fault, ...others] = faultsOf(service)
      strictEqual(fault?.['file'], 'demo/GET/long.sql')
      match(String(fault['text']), /division by zero|malformed JSON/)
      deepStrictEqual(others, [])
    })
  })
}

for (const dialect of dialectNames) {
  test(`a statement that is refused without a database is in the log too, ${dialect} [S16]`, () =>
    withFiles(dialect, { 'demo/POST/open.sql': 'SELECT 1;\n  SELECT 2 /* never closed' }, async (service) => {
      match((await service.post('/demo/open', {})).text, /never closed/)
      match((await service.post('/demo/open/batch', { queries: [{}] })).text, /never closed/)
      deepStrictEqual(
        faultsOf(service).map(({ line, column, text }) => [line, column, /never closed/.test(String(text))]),
        [
          [2, 12, true],
          [2, 12, true],
        ],
      )
    }))
}

test('a lost client and a database that cannot be reached are no failures of a statement [S16]', () =>
  withFiles('postgres', { 'demo/GET/end.sql': 'SELECT pg_terminate_backend(pg_backend_pid())' }, async (service) => {
    strictEqual((await service.get('/demo/end')).status, 400)
    deepStrictEqual(faultsOf(service), [])
  }))

describe('a batch that fails says which set it was', { concurrency: 4 }, () => {
  const files = {
    'demo/POST/add.sql': 'INSERT INTO t VALUES (:id, :name)',
    'demo/POST/two.sql': 'INSERT INTO t VALUES (:id, :name);\n\nUPDATE t SET name = :name WHERE id = :id',
    'demo/POST/divide.sql': 'SELECT 1 / :id AS r',
    'demo/POST/number.sql': 'SELECT :id AS n',
    'demo/POST/temp.sql': 'CREATE TEMPORARY TABLE IF NOT EXISTS mine (id integer); INSERT INTO t VALUES (:id, :name)',
  }
  const sets = (count: number, bad: number, set: object): object[] =>
    Array.from({ length: count }, (_, index) => (index === bad ? set : { id: index + 10, name: 'a' }))

  for (const dialect of dialectNames) {
    for (const name of ['add', 'two', 'temp']) {
      // One batch at a time: all of them write the same keys.
      describe(`${name}, ${dialect}`, { concurrency: 1 }, () => {
        let service: TestService
        before(async () => {
          service = await startWith(dialect, {
            ...files,
            'demo/POST/count.sql': 'SELECT count(*) AS n FROM t',
            'demo/POST/clear.sql': 'DELETE FROM t WHERE id > 1',
          })
        })
        after(() => service.close())
        for (const [count, bad] of [
          [1, 0],
          [3, 2],
          [1000, 777],
          [1000, 999],
          [2001, 1000],
          [2001, 2000],
          [4000, 1],
        ] as const) {
          // Sets that touch the session go one by one, and not in flights whose ends would matter.
          if (name === 'temp' && (bad === 999 || bad === 2000)) continue
          test(`${name}, ${bad} of ${count}, ${dialect} [S17]`, async () => {
            for (const set of [
              { id: 1, name: 'a' },
              { id: 2, name: 'too long' },
              { id: 'x', name: 'a' },
            ]) {
              const before = faultsOf(service).length
              const { text } = await service.post(`/demo/${name}/batch`, { queries: sets(count, bad, set) })
              const { error, message } = JSON.parse(text) as { error: string; message: string }
              strictEqual(error, 'BadSqlGrammarException')
              ok(message.endsWith(` in queries[${bad}]`), message)
              deepStrictEqual(
                faultsOf(service)
                  .slice(before)
                  .map((fault) => fault['set']),
                [bad],
              )
            }
            // Nothing is left, and the connection serves on; once with as many sets as before.
            strictEqual((await service.post('/demo/count')).text, '[{"n":1}]')
            const again = bad === 777 ? count : 3
            strictEqual((await service.post(`/demo/${name}/batch`, { queries: sets(again, -1, {}) })).status, 200)
            strictEqual((await service.post('/demo/clear')).status, 200)
          })
        }
      })
    }

    test(`values that fit nothing, ${dialect} [S17]`, () =>
      withFiles(dialect, files, async (service) => {
        const id = '9'.repeat(30)
        const body = `{"queries":[${'{"id":1},'.repeat(777)}{"id":${id}}]}`
        const { text } = await service.post('/demo/number/batch', body)
        strictEqual(
          (JSON.parse(text) as { message: string }).message,
          "Parameter 'id' is outside the range of 64-bit integers in queries[777]",
        )
        // A single call has no set.
        doesNotMatch((await service.post('/demo/number', `{"id":${id}}`)).text, /queries/)
        doesNotMatch((await service.post('/demo/add', { id: 1, name: 'a' })).text, /queries/)
      }))
  }

  test('an error while a statement runs, a timeout and one at the commit, postgres [S17]', () =>
    withFiles(
      'postgres',
      {
        ...files,
        'demo/POST/sleep.sql': "SET LOCAL statement_timeout = '100ms'; SELECT pg_sleep(:id)",
        'demo/POST/setup.sql': 'CREATE TABLE later (id integer REFERENCES t DEFERRABLE INITIALLY DEFERRED)',
        'demo/POST/deferred.sql': '\n\nINSERT INTO later VALUES (:id)',
      },
      async (service) => {
        const divide = await service.post('/demo/divide/batch', { queries: sets(2000, 1777, { id: 0 }) })
        match(divide.text, /division by zero \(SQLSTATE 22012, statement at line 1\) in queries\[1777\]/)
        const sleep = await service.post('/demo/sleep/batch', { queries: [{ id: 0 }, { id: 0 }, { id: 60 }] })
        match(sleep.text, /57014.* in queries\[2\]/)
        // Nobody knows which set the commit stumbles over.
        await service.post('/demo/setup', {})
        const deferred = await service.post('/demo/deferred/batch', { queries: [{ id: 1 }, { id: 4711 }] })
        match(deferred.text, /violates foreign key constraint \(SQLSTATE 23503, statement at line 3\)"/)
        const { line, set, text } = faultsOf(service).at(-1) ?? {}
        deepStrictEqual([line, set], [3, undefined])
        doesNotMatch(String(text), /4711/)
      },
    ))
})
