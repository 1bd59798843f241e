/** The command `test` through its process, on both databases: what it reports, how it ends, what it leaves alone. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { type Ended, type Files, newFolder, until, writeFiles } from '@services/testing'
import { sharedPostgres } from '../../support/databases.ts'
import { runCommand } from '../../support/commands.ts'
import { spawnSqlapi } from '../../support/process.ts'

const schema = `CREATE TABLE item (item_id INTEGER PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO item VALUES (1, 'one');`

const files = {
  'crm/GET/list.sql': 'SELECT item_id, name FROM item ORDER BY item_id',
  'crm/POST/add.sql': '-- @transactional\nINSERT INTO item VALUES (:id, :name);\nSELECT count(*) AS n FROM item',
  'other/GET/count.sql': 'SELECT count(*) AS n FROM item',
}

interface Setting {
  readonly config: Readonly<Record<string, unknown>>
  readonly tests: Files
  readonly args?: readonly string[]
  readonly more?: Files
}

async function runTests({ config, tests, args = [], more = {} }: Setting): Promise<Ended & { folder: string }> {
  const folder = newFolder({ 'schema.sql': schema, ...tests, ...more })
  writeFiles(join(folder, 'sql'), files)
  writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify({ sql_dir: 'sql', ...config }))
  return { ...(await runCommand({ cwd: folder, args: ['test', ...args] })), folder }
}

const lite = {
  datasources: [{ name: 'crm', url: 'sqlite:crm.db' }],
  default_datasource: 'crm',
  test: { datasource: 'crm', schema: 'schema.sql' },
}

const passing = `cases:
  - name: adds one
    request: {path: /crm/add, body: {id: 2, name: two}}
    expect: {rows: [{n: 2}]}
  - name: a batch commits, and nobody else sees it
    request: {path: /CRM/add/batch, body: {queries: [{id: 2, name: b}, {id: 3, name: c}]}}
    expect: {rows: [[{n: 2}], [{n: 3}]]}
  - name: each case has a copy of its own
    request: {path: /crm/list}
    expect: {rows: [{itemId: 1, name: one}]}
  - name: a header leads nowhere else
    request: {path: /other/count, headers: {x-datasource: live}}
    expect: {rows: [{n: 1}]}
  - name: an error has a status
    request: {path: /crm/add, body: {id: 1, name: again}}
    expect: {status: 400}
  - name: and a name
    request: {path: /crm/add, body: {id: 1, name: again}}
    expect: {error: BadSqlGrammarException}
`

describe('test', { concurrency: 3 }, () => {
  test('SQLite: cases run on copies, the file of the datasource stays as it is [N5.4] [S-config.test]', async () => {
    const { folder } = await runTests({ config: lite, tests: { 'none.txt': '' } })
    const database = new DatabaseSync(join(folder, 'crm.db'))
    database.exec(`CREATE TABLE item (item_id INTEGER PRIMARY KEY, name TEXT); INSERT INTO item VALUES (9, 'live')`)
    database.close()
    const before = readFileSync(join(folder, 'crm.db'))
    writeFiles(folder, {
      'deep/er/a.test.yaml': passing,
      'node_modules/x/b.test.yaml': 'bad',
      '.git/c.test.yaml': 'bad',
    })
    const { code, stdout, stderr } = await spawnSqlapi({ cwd: folder, args: ['test'] }).ended
    deepStrictEqual([code, stderr], [0, ''])
    match(
      stdout,
      /^deep\/er\/a\.test\.yaml\n(?: {2}ok {4}.*\n){6}\n6 cases, 0 failed, in .* s, on copies of a temporary SQLite file\n$/,
    )
    ok(before.equals(readFileSync(join(folder, 'crm.db'))))
  })

  test('PostgreSQL: cases run on databases of their own, which are gone afterwards [N5.4] [S-config.test.datasource]', async () => {
    const server = await sharedPostgres()
    const config = {
      datasources: [
        { name: 'live', url: 'postgresql://127.0.0.1:1/live' },
        { name: 'test', url: server.url },
      ],
      default_datasource: 'live',
      test: { datasource: 'test', schema: 'schema.sql' },
    }
    const { code, stdout, stderr } = await runTests({ config, tests: { 'a.test.yaml': passing } })
    deepStrictEqual([code, stderr], [0, ''], stdout)
    match(
      stdout,
      /6 cases, 0 failed, .* on copies of the new database sqlapi_test_\d+_[0-9a-f]{8}_prepared on [\w.]+:\d+\n$/,
    )
    const [, prefix = ''] = /(sqlapi_test_\w+)_prepared/.exec(stdout) ?? []
    await server.query(`DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_database WHERE starts_with(datname, '${prefix}')) THEN RAISE 'left behind'; END IF;
    END $$`)
  })

  test('PostgreSQL: a datasource that a project is served from is refused, and a server that cannot be asked told [N5.4]', async () => {
    const served = {
      datasources: [{ name: 'crm', url: 'postgresql://user:secret@127.0.0.1:1/crm' }],
      default_datasource: 'crm',
      test: { datasource: 'crm', schema: 'schema.sql' },
    }
    const refused = await runTests({ config: served, tests: { 'a.test.yaml': passing } })
    deepStrictEqual([refused.code, refused.stdout], [2, ''])
    match(
      refused.stderr,
      /test\.datasource: the files of project crm are served from crm; add a datasource for tests only\n$/,
    )
    const test = { name: 'test', url: 'postgresql://user:secret@127.0.0.1:1/x' }
    const config = {
      ...lite,
      datasources: [...lite.datasources, test],
      test: { datasource: 'test', schema: 'schema.sql' },
    }
    const { code, stderr } = await runTests({ config, tests: { 'a.test.yaml': passing } })
    strictEqual(code, 2)
    match(stderr, /^sqlapi: datasource test \(postgresql:\/\/user:\*+@127\.0\.0\.1:1\/x\) cannot be prepared: .+\n$/)
    doesNotMatch(stderr, /secret/)
  })

  test('a failed case is told with its line, request and first difference, and endpoints without a case [N5.4]', async () => {
    const text = `cases:
  - name: wrong name
    request: {path: /crm/list, query: {a: 1}}
    expect: {rows: [{itemId: 1, name: two}]}
  - name: wrong status
    request: {path: /crm/list}
    expect: {status: 400}
  - name: no such file
    request: {path: /crm/lst}
  - name: another error
    request: {path: /crm/add, body: {}}
    expect: {error: BadSqlGrammarException}
  - name: a body for a GET file
    request: {path: /crm/list, body: {}}
`
    const { code, stdout } = await runTests({ config: lite, tests: { 'a.test.yaml': text } })
    strictEqual(code, 1)
    match(
      stdout,
      /FAIL {2}wrong name \(line 2\)\n {8}GET \/crm\/list\?a=1\n {8}rows\[0\]\.name: expected "two", found "one"\n {8}the answer was \[\{"itemId":1,"name":"one"\}\]\n/,
    )
    match(
      stdout,
      /FAIL {2}another error \(line 10\)\n.*\n {8}error: expected BadSqlGrammarException, found "InvalidDataAccessApiUsageException"\n/,
    )
    match(stdout, /FAIL {2}wrong status \(line 5\)\n {8}GET \/crm\/list\n {8}status: expected 400, found 200\n/)
    match(
      stdout,
      /FAIL {2}no such file \(line 8\)\n {8}GET \/crm\/lst\n {8}no file answers GET \/crm\/lst; did you mean \/crm\/list\?\n/,
    )
    match(
      stdout,
      /FAIL {2}a body for a GET file \(line 13\)\n {8}POST \/crm\/list\n {8}no file answers POST \/crm\/list; the file answers GET and HEAD, not POST\n/,
    )
    match(stdout, /\nWithout a case:\n {2}GET \/other\/count\n\n5 cases, 5 failed/)
  })

  test('junit: XML with the failures, whatever characters there are [N5.4]', async () => {
    const text = `cases:
  - {name: 'a < b & "c" \u0007', request: {path: /crm/list}, expect: {rows: []}}
  - {name: fine, request: {path: /crm/list}}
`.replace('\u0007', '')
    const { code, stdout } = await runTests({
      config: lite,
      tests: { 'a.test.yaml': text },
      args: ['--format', 'junit'],
    })
    strictEqual(code, 1)
    match(stdout, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="2" failures="1" time="[\d.]+">\n/)
    match(
      stdout,
      /<testcase classname="a\.test\.yaml" name="a &lt; b &amp; &quot;c&quot; " file="a\.test\.yaml" line="2" time="[\d.]+">\n {6}<failure message="rows\[0\]: found \{&quot;itemId/,
    )
    match(stdout, /name="fine" [^>]*\/>\n {2}<\/testsuite>\n {2}<system-out>on copies of [^<]*Without a case:/)
  })

  test('a signal ends it in order, and nothing is left behind [N5.4]', async () => {
    const temporary = newFolder()
    const one = '  - {name: x, request: {path: /crm/list}}\n'
    const folder = newFolder({ 'schema.sql': schema, 'a.test.yaml': `cases:\n${one.repeat(500)}` })
    writeFiles(join(folder, 'sql'), files)
    writeFileSync(join(folder, 'sqlapi.yaml'), JSON.stringify({ sql_dir: 'sql', ...lite }))
    const running = spawnSqlapi({ cwd: folder, args: ['test'], env: { TMPDIR: temporary } })
    await until(() => readdirSync(temporary).length > 0, 'a database is made')
    running.kill('SIGINT')
    const { code, stderr } = await running.ended
    strictEqual(code, 1)
    match(stderr, /^sqlapi: ended by a signal, after \d+ of 500 cases\n$/)
    deepStrictEqual(readdirSync(temporary), [])
  })

  test('a wrong test file is 2, and the others run [N5.4]', async () => {
    const tests = { 'a.test.yaml': 'cases:\n  - name: x\n    request: {pth: /a}\n', 'b.test.yaml': passing }
    const { code, stdout, stderr } = await runTests({ config: lite, tests })
    strictEqual(code, 2)
    match(stderr, /^sqlapi: a\.test\.yaml:3: cases\[0\]\.request\.pth: unknown field; did you mean path\?\n/m)
    match(stdout, /6 cases, 0 failed/)
  })

  const refusals: readonly [what: string, setting: Setting, pattern: RegExp][] = [
    ['no test file', { config: lite, tests: {} }, /there is no \*\.test\.yaml file in \. or below/],
    [
      'no folder',
      { config: lite, tests: {}, args: ['none'] },
      /none cannot be read \(ENOENT\); it does not exist, name the folder of/,
    ],
    [
      'a file in the place of the folder',
      { config: lite, tests: { 'a.test.yaml': passing }, args: ['a.test.yaml'] },
      /a\.test\.yaml cannot be read \(ENOTDIR\); it is a file, name the folder in which it is/,
    ],
    [
      'no section test',
      { config: { datasources: lite.datasources }, tests: { 'a.test.yaml': passing } },
      /sqlapi\.yaml: test\.datasource is missing, expected the name of a datasource; tests run on nothing else/,
    ],
    [
      'no schema',
      { config: { ...lite, test: { datasource: 'crm' } }, tests: { 'a.test.yaml': passing } },
      /sqlapi\.yaml: test\.schema is missing, expected a file of SQL/,
    ],
    [
      'a schema that is not there',
      { config: { ...lite, test: { datasource: 'crm', schema: 'no.sql' } }, tests: { 'a.test.yaml': passing } },
      /test\.schema: no\.sql cannot be read \(ENOENT\)/,
    ],
    [
      'a schema that is no SQL',
      { config: lite, tests: { 'a.test.yaml': passing, 'schema.sql': 'CREATE TABEL x' } },
      /datasource crm \(sqlite:crm\.db\) cannot be prepared: near "TABEL": syntax error \(test\.schema: schema\.sql\)/,
    ],
    [
      'a datasource that is none',
      { config: { ...lite, test: { datasource: 'crn', schema: 'schema.sql' } }, tests: { 'a.test.yaml': passing } },
      /test\.datasource: there is no datasource "crn"/,
    ],
  ]

  for (const [what, setting, pattern] of refusals) {
    test(`${what} is 2 [N5.4] [S-config.test.schema]`, async () => {
      const { code, stdout, stderr } = await runTests(setting)
      deepStrictEqual([code, stdout], [2, ''])
      match(stderr, pattern)
    })
  }
})
