/** The command `check` through its process: what it reads, what it says, how it ends. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findingsOf, inBrief, runCheck } from './support/check.ts'

describe('check', { concurrency: 4 }, () => {
  test('a configuration that stops the start ends it with 2 and the words of the start [N1.1]', async () => {
    const { code, stdout, stderr } = await runCheck({ files: {}, config: { sqldir: 'x' } })
    deepStrictEqual([code, stdout], [2, ''])
    match(stderr, /^sqlapi: InvalidConfigurationException: .*sqldir: unknown field.*\n$/)
  })

  test('a tree that stops the start ends it with 2 [N1.1]', async () => {
    const { code, stderr } = await runCheck({ files: {}, config: { sql_dir: 'none' } })
    strictEqual(code, 2)
    match(stderr, /^sqlapi: InvalidDirectoryException: sql_dir 'none'/)
  })

  test('folders and files that are not published are warnings, with their cure [N1.2]', async () => {
    const files = { 'demo/get/a.sql': 'SELECT 1', 'demo/DELETE/b.sql': 'SELECT 1', 'loose.sql': 'SELECT 1' }
    const { code, findings } = await findingsOf({ files })
    strictEqual(code, 0)
    deepStrictEqual(findings.map(inBrief), [
      'warning ignored-folder sql/demo/DELETE:1:1 not published',
      'warning ignored-folder sql/demo/get:1:1 not published',
      'warning ignored-folder sql/loose.sql:1:1 not published',
    ])
    match(findings[1]?.cure ?? '', /rename it to GET/)
    strictEqual((await findingsOf({ files, args: ['--strict'] })).code, 1)
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

  test('a reader that goes away is no failure, and nothing but the report is on stdout [N1.3]', async () => {
    const { stdout, stderr, code } = await runCheck({ files: { 'x.sql': 'SELECT 1' }, args: ['--format', 'github'] })
    deepStrictEqual([code, stderr], [0, ''])
    match(stdout, /^::warning file=sql\/x\.sql,line=1,col=1::ignored-folder: /)
  })
})
