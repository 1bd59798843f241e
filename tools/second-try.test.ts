/** The second try of failed test files, by real runs of `tools/test.ts` in a folder of their own. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { newFolder, spawnProcess } from '@services/testing'

const passes = `import { test } from 'node:test'\ntest('steady', () => {})\n`
const fails = `import { test } from 'node:test'\ntest('broken', () => { throw new Error('for good') })\n`
/** Fails until its folder has the file that its first run leaves there. */
const unsteady = `import { existsSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
const mark = new URL('mark', import.meta.url)
const isFirst = !existsSync(mark)
writeFileSync(mark, '')
describe('several', () => {
  test('the other', () => {})
  test('late', () => { if (isFirst) throw new Error('not in time') })
})
`
const crashesOnce = unsteady.replace('describe(', 'if (isFirst) process.exit(3)\ndescribe(').replaceAll('mark', 'mark2')

interface Told {
  readonly code: number | null
  readonly text: string
  /** The totals, by name. */
  readonly totals: Readonly<Record<string, number>>
}

async function runIn(files: Readonly<Record<string, string>>, named: readonly string[] = []): Promise<Told> {
  const cwd = newFolder({ 'package.json': '{"type":"module"}', ...files })
  const command = [process.execPath, join(import.meta.dirname, 'test.ts'), ...named]
  const { code, stdout, stderr } = await spawnProcess({ command, cwd }).ended
  const totals = [...stdout.matchAll(/^# (\w+) (\d+)$/gm)].map(([, name, count]) => [name, Number(count)])
  return { code, text: stdout + stderr, totals: Object.fromEntries(totals) as Record<string, number> }
}

function totals(tests: number, pass: number, fail: number, suites: number): Readonly<Record<string, number>> {
  return { tests, suites, pass, fail, cancelled: 0, skipped: 0, todo: 0 }
}

describe('a file that failed beside others runs again, alone', () => {
  test('what passes then has passed, and is told with its cause', async () => {
    const { code, text, totals: counts } = await runIn({ 'tools/a.test.ts': unsteady, 'tools/b.test.ts': passes })
    strictEqual(code, 0, text)
    deepStrictEqual(counts, totals(3, 3, 0, 1))
    match(text, /passed alone .*\n# {3}tools\/a\.test\.ts\n# {5}late: not in time\n/)
    ok(!text.includes('✖'), 'no failure is shown')
  })

  test('what fails again has failed, once in the totals', async () => {
    const files = { 'tools/a.test.ts': fails, 'tools/b.test.ts': unsteady, 'tools/c.test.ts': passes }
    const { code, text, totals: counts } = await runIn(files)
    strictEqual(code, 1)
    deepStrictEqual(counts, totals(4, 3, 1, 1))
    match(text, /✖ broken/)
    match(text, /late: not in time/)
    ok(!text.includes('broken: for good'), 'it is not an unsteady one')
  })

  test('the file that is run again is the one that was run, wherever its tests stand', async () => {
    const files = {
      'tools/cases.ts': fails.replace("test('broken'", "export const testCases = () => test('broken'"),
      'tools/a.test.ts': `import { testCases } from './cases.ts'\ntestCases()\n`,
      'tools/b.test.ts': unsteady,
    }
    const { code, text, totals: counts } = await runIn(files)
    strictEqual(code, 1)
    deepStrictEqual(counts, totals(3, 2, 1, 1))
    match(text, /✖ broken/)
  })

  test('a process that ended without a word counts too', async () => {
    const { code, text, totals: counts } = await runIn({ 'tools/a.test.ts': crashesOnce, 'tools/b.test.ts': passes })
    strictEqual(code, 0, text)
    deepStrictEqual(counts, totals(3, 3, 0, 1))
    match(text, /tools\/a\.test\.ts\n# {5}.*a\.test\.ts: test failed\n/)
  })

  test('of more than eight none does', async () => {
    const files = Array.from({ length: 9 }, (_, i) => [`tools/t${i}.test.ts`, unsteady.replaceAll('mark', `mark${i}`)])
    const { code, text, totals: counts } = await runIn(Object.fromEntries(files) as Record<string, string>)
    strictEqual(code, 1)
    deepStrictEqual(counts, totals(18, 9, 9, 9))
    ok(!text.includes('passed alone'))
  })

  test('a file that is named on the command line shows its first failure', async () => {
    const { code, text } = await runIn({ 'tools/a.test.ts': unsteady }, ['tools/a.test.ts'])
    strictEqual(code, 1)
    match(text, /✖ late/)
  })

  test('a skip without a reason fails, and does not run again', async () => {
    const skips = `import { test } from 'node:test'\ntest.skip('silent', () => {})\n`
    const { code, text } = await runIn({ 'tools/a.test.ts': skips })
    strictEqual(code, 1)
    match(text, /no reason was given: tools\/a\.test\.ts/)
  })
})
