/**
 * Runs test files, each in a process of its own: all of them, or those named on the command line.
 *
 *   node tools/test.ts [--slowest] [FILE ..]
 *
 * Beside `node --test` it knows where the tests lie, and how many files at once suit them: most tests wait for other
 * processes, so two cores have work for three files. `--slowest` lists the files that took most CPU time. Ends with 1 when a
 * test fails, or is skipped without a reason.
 */
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from 'node:test'
import { parseArgs } from 'node:util'
import report from './reporter.ts'

const patterns = ['packages/*/test/**/*.test.ts', 'services/*/test/**/*.test.ts', 'tools/*.test.ts']
const atOnce = Math.max(3, availableParallelism())
/** No test waits for ever; a machine under load may need minutes for what takes seconds. */
const longestTestMs = 600_000

// Test files share most of what they import: each text is stripped of its types and compiled once. The bins use it as well.
process.env['NODE_COMPILE_CACHE'] ??= resolve(import.meta.dirname, '../node_modules/.cache/compile')

const { values, positionals } = parseArgs({ options: { slowest: { type: 'boolean' } }, allowPositionals: true })
const files = positionals.length > 0 ? positionals.map((file) => resolve(file)) : globSync(patterns).toSorted()
const execArgv = values.slowest === true ? noteCosts() : []

run({ files, concurrency: atOnce, timeout: longestTestMs, forceExit: true, execArgv })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1
  })
  .on('test:pass', ({ skip }) => {
    if (skip === true || skip === '') process.exitCode = 1
  })
  .compose(report)
  .pipe(process.stdout)

/** The flags that have each test file note its costs; the reporter reads the notes. */
function noteCosts(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'test-costs-'))
  process.once('exit', () => rmSync(folder, { recursive: true }))
  const notes = join(folder, 'notes')
  writeFileSync(notes, '')
  process.env['TEST_COSTS'] = notes
  return ['--import', import.meta.resolve('./costs.ts')]
}
