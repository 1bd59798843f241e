/**
 * The examples of the manual about `check`: each is checked as it stands there, and gets the code or the report beside
 * it.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, test } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import { inBackquotes, newFolder, tableAfter } from '@services/testing'
import type { Finding } from '../../../src/findings/finding.ts'
import { findingsOf, spawnCheck } from '../../support/check.ts'
import { createDatabase } from '../../support/databases.ts'

const service = resolve(import.meta.dirname, '../../..')
const manual = readFileSync(join(service, 'docs/check.md'), 'utf8')
const readme = readFileSync(join(service, 'README.md'), 'utf8')

/** The fenced block behind a text. */
function blockAfter(text: string, mark: string): string {
  return /```\w*\n([\s\S]*?)```/.exec(text.slice(text.indexOf(mark)))?.[1] ?? ''
}

const examples = tableAfter(manual, '<!-- table: codes').map(([code = '', , , cell = '']) => {
  const [path = '', ...lines] = inBackquotes(cell)
  return { code, path: path.replace('a.sql', `${code}.sql`), text: lines.join('\n') }
})
/** Need a file first (test/service/commands/lock.test.ts), or another role (test/service/check/rights.test.ts). */
const elsewhere = new Set(['lock', 'permission'])

let findings: readonly Finding[] = []

before(async () => {
  const database = await createDatabase('postgres')
  try {
    await database.execute(blockAfter(manual, 'The examples are for PostgreSQL'))
    await database.execute(
      `INSERT INTO visits SELECT n, 'page ' || n FROM generate_series(1, 200000) AS n; ANALYZE visits`,
    )
    const files = Object.fromEntries(
      examples.filter(({ code }) => !elsewhere.has(code)).map(({ path, text }) => [path, text]),
    )
    const config = { datasources: [{ name: 'crm', url: database.url }] }
    ;({ findings } = await findingsOf({ files, config, args: ['--explain'] }))
  } finally {
    await database.remove()
  }
})

for (const { code, path } of examples.filter((example) => !elsewhere.has(example.code))) {
  test(`check.md: the example of ${code} is one [N1.2]`, () => {
    const own = findings.filter(({ file }) => file === `sql/${path}` || `sql/${path}`.startsWith(`${file}/`))
    deepStrictEqual(
      // A temporary table is a change of the session too.
      own.map((finding) => finding.code).filter((each) => code !== 'not-checked' || each !== 'session-change'),
      code === 'transaction-control' ? ['session-change', code] : [code],
    )
  })
}

test('README.md shows a report as it is [N1.3]', async () => {
  const folder = newFolder()
  const database = new DatabaseSync(join(folder, 'demo.db'))
  database.exec(readFileSync(resolve(service, '../../examples/sqlapi/schema.sql'), 'utf8'))
  database.close()
  const files = { 'demo/GET/recent.sql': blockAfter(readme, '<!-- check: file') }
  const config = { datasources: [{ name: 'demo', url: 'sqlite:demo.db' }] }
  const { stdout, code } = await spawnCheck({ folder, files, config })
  strictEqual(code, 1)
  strictEqual(stdout.replace(/in \d+\.\d s/, 'in 0.0 s'), blockAfter(readme, '<!-- check: report'))
})
