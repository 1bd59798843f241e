/** The command `check`: what it reads, what it says, how it ends. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Finding } from '../../../src/findings/finding.ts'
import { findingsOf, inBrief, runCheck, spawnCheck } from '../../support/check.ts'

const lite = { datasources: [{ name: 'demo', url: 'sqlite::memory:' }] }

/** Severity and code of what needs no database. */
function offline(findings: readonly Finding[]): string[] {
  return findings.filter(({ code }) => code !== 'not-checked').map(({ severity, code }) => `${severity} ${code}`)
}

describe('check', { concurrency: 4 }, () => {
  test('a configuration that stops the start ends it with 2 and the words of the start [N1.1]', async () => {
    const { code, stdout, stderr } = await spawnCheck({ files: {}, config: { sqldir: 'x' } })
    deepStrictEqual([code, stdout], [2, ''])
    match(stderr, /^sqlapi: InvalidConfigurationException: .*sqldir: unknown field.*\n$/)
  })

  test('what the start warns of in the configuration is on stderr, and fails nothing [N1.1]', async () => {
    const config = { ...lite, logging: { slow_ms: 5 }, cors: { allowed_origins: 'crm.example' } }
    const files = { 'demo/GET/x.sql': 'SELECT 1 AS one' }
    const { code, stdout, stderr } = await runCheck({ files, config, args: ['--strict', '--format', 'json'] })
    deepStrictEqual([code, (JSON.parse(stdout) as Finding[]).map((finding) => finding.code)], [0, ['not-checked']])
    match(
      stderr,
      /^sqlapi: warning: \.\/sqlapi\.yaml:1: cors\.allowed_origins: "crm\.example" is not an origin.*\nsqlapi: warning: .*logging\.slow_ms: has no effect.*\n$/,
    )
  })

  test('a tree that stops the start ends it with 2 [N1.1]', async () => {
    const { code, stderr } = await runCheck({ files: {}, config: { sql_dir: 'none' } })
    strictEqual(code, 2)
    match(stderr, /^sqlapi: InvalidDirectoryException: \.\/sqlapi\.yaml:1: sql_dir 'none'/)
  })

  test('every file with which the service would not start is an error, and the others are checked [N1.2]', async () => {
    const files = {
      'demo/GET/empty.sql': ' \n',
      'demo/GET/latin.sql': Buffer.from('SELECT 1 -- \xe4', 'latin1'),
      'demo/GET/nul.sql': 'SELECT 1\0',
      'demo/GET/twin.sql': 'SELECT 1',
      'demo/GET/Twin.sql': 'SELECT 1',
      'demo/POST/x.sql': 'SELECT 1 AS one',
      'demo/POST/x/batch.sql': 'SELECT 1 AS one',
      'demo/POST/all.sql': 'DELETE FROM t',
    }
    const { code, findings, stderr } = await findingsOf({ files, config: lite })
    strictEqual(code, 1, stderr)
    const told = findings
      .filter((finding) => finding.code === 'file')
      .map(({ file, message, cure }) => [file, message, cure])
    const collide = (other: string, url: string): string =>
      `this file and ${other} give the same endpoint ${url} (case does not count, /batch is the batch variant)`
    deepStrictEqual(told, [
      ['sql/demo/GET/Twin.sql', collide('sql/demo/GET/twin.sql', 'GET /demo/twin'), 'rename one'],
      ['sql/demo/GET/empty.sql', 'is empty', 'write a statement or remove the file'],
      ['sql/demo/GET/latin.sql', 'is not UTF-8 text', 'save it as UTF-8'],
      ['sql/demo/GET/nul.sql', 'contains a NUL character', 'no database reads past it'],
      ['sql/demo/GET/twin.sql', collide('sql/demo/GET/Twin.sql', 'GET /demo/twin'), 'rename one'],
      ['sql/demo/POST/x.sql', collide('sql/demo/POST/x/batch.sql', 'POST /demo/x/batch'), 'rename one'],
      ['sql/demo/POST/x/batch.sql', collide('sql/demo/POST/x.sql', 'POST /demo/x/batch'), 'rename one'],
    ])
    ok(findings.some((finding) => finding.code === 'no-where'))
  })

  test('folders and files that are not published are warnings, with their cure [N1.2]', async () => {
    const files = { 'demo/get/a.sql': 'SELECT 1', 'demo/DELETE/b.sql': 'SELECT 1', 'loose.sql': 'SELECT 1' }
    const { code, findings } = await findingsOf({ files })
    strictEqual(code, 1)
    deepStrictEqual(findings.map(inBrief), [
      'error file sql:1:1 there is no .sql file to serve',
      'warning ignored-folder sql/demo/DELETE:1:1 not published',
      'warning ignored-folder sql/demo/get:1:1 not published',
      'warning ignored-folder sql/loose.sql:1:1 not published',
    ])
    match(findings[2]?.cure ?? '', /rename it to GET/)
    strictEqual((await spawnCheck({ files, args: ['--strict'] })).code, 1)
  })

  test('a project that leads to no datasource is an error, said once [N1.2]', async () => {
    const files = { 'crm/GET/a.sql': 'SELECT 1', 'crm/GET/b.sql': 'SELECT 1', 'demo/GET/a.sql': 'SELECT 1' }
    const datasources = [{ name: 'demo', url: 'sqlite::memory:' }]
    const { code, findings } = await findingsOf({ files, config: { datasources } })
    strictEqual(code, 1)
    deepStrictEqual(findings.filter(({ severity }) => severity === 'error').map(inBrief), [
      'error datasource sql/crm/GET/a.sql:1:1 project "crm" leads to no datasource, and with it 1 more file',
    ])
  })

  test('what shows without a database: position, line and cure [N1.2]', async () => {
    const text = "-- Tidy up.\r\n\tDELETE FROM notes; SELECT 'ä\u{1F600}'; UPDATE notes SET a = 1\r\n"
    const { findings } = await findingsOf({ files: { 'demo/GET/tidy.sql': `\ufeff${text}` }, config: lite })
    deepStrictEqual(
      findings.filter(({ code }) => code === 'no-where'),
      [
        {
          severity: 'warning',
          code: 'no-where',
          file: 'sql/demo/GET/tidy.sql',
          line: 2,
          column: 2,
          message: 'DELETE has no WHERE of its own, so it removes every row of notes',
          text: "\tDELETE FROM notes; SELECT 'ä\u{1F600}'; UPDATE notes SET a = 1",
          cure: 'add a WHERE; WHERE true says that all rows are meant',
        },
        {
          severity: 'warning',
          code: 'no-where',
          file: 'sql/demo/GET/tidy.sql',
          line: 2,
          column: 34,
          message: 'UPDATE has no WHERE of its own, so it changes every row of notes',
          text: "\tDELETE FROM notes; SELECT 'ä\u{1F600}'; UPDATE notes SET a = 1",
          cure: 'add a WHERE; WHERE true says that all rows are meant',
        },
      ],
    )
  })

  test('check.rules makes codes as severe as it says, and off silences them [N1.2]', async () => {
    const files = { 'demo/GET/a.sql': 'DELETE FROM notes', 'demo/get/b.sql': 'SELECT 1' }
    const rules = { 'no-where': 'error', 'write-in-get': 'off', 'ignored-folder': 'info' }
    const { code, findings } = await findingsOf({ files, config: { ...lite, check: { rules } } })
    strictEqual(code, 1)
    deepStrictEqual(offline(findings), ['error no-where', 'info ignored-folder'])
  })

  test('a code that there is not is a problem of the configuration [N1.2]', async () => {
    const { code, stderr } = await findingsOf({ files: {}, config: { check: { rules: { 'no-were': 'off' } } } })
    strictEqual(code, 2)
    match(stderr, /check\.rules\.no-were: there is no such code; did you mean no-where\?/)
    const wrong = await findingsOf({ files: {}, config: { check: { rules: { 'no-where': 'fatal' } } } })
    match(wrong.stderr, /found "fatal", expected off, info, warning or error/)
  })

  test('a file allows what it means, and no other file does [N1.2]', async () => {
    const files = {
      'demo/POST/a.sql': '-- @allow no-where The table has one row.\nDELETE FROM notes',
      'demo/POST/b.sql': 'DELETE FROM notes',
    }
    const { findings } = await findingsOf({ files, config: lite })
    deepStrictEqual(
      findings.filter(({ code }) => code === 'no-where').map(({ file }) => file),
      ['sql/demo/POST/b.sql'],
    )
  })

  test('a datasource that is not configured ends it with 2 and the name that was meant [N1.4]', async () => {
    const { code, stderr } = await findingsOf({ files: {}, config: lite, args: ['--datasource', 'dmo'] })
    strictEqual(code, 2)
    match(stderr, /--datasource: there is no datasource "dmo"; did you mean demo\?/)
  })

  test('a reader that goes away is no failure, and nothing but the report is on stdout [N1.3]', async () => {
    const { stdout, stderr, code } = await spawnCheck({ files: { 'x.sql': 'SELECT 1' }, args: ['--format', 'github'] })
    deepStrictEqual([code, stderr], [1, ''])
    match(stdout, /^::warning file=sql\/x\.sql,line=1,col=1::ignored-folder: /m)
  })
})
