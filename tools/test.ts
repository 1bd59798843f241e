/**
 * Runs test files, each in a process of its own: all of them, or those named on the command line.
 *
 *   node tools/test.ts [FILE ..]
 *
 * Beside `node --test` it knows where the tests lie, and how many files at once suit them: most tests wait for other
 * processes, so two cores have work for three files. Ends with 1 when a test fails.
 */
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { run } from 'node:test'
import report from './reporter.ts'

const patterns = ['packages/*/test/**/*.test.ts', 'services/*/test/**/*.test.ts', 'tools/*.test.ts']
const atOnce = Math.max(3, availableParallelism())
/** No test waits for ever; a machine under load may need minutes for what takes seconds. */
const longestTestMs = 600_000

const named = process.argv.slice(2)
const files = named.length > 0 ? named.map((file) => resolve(file)) : globSync(patterns).toSorted()

run({ files, concurrency: atOnce, timeout: longestTestMs, forceExit: true })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1
  })
  .compose(report)
  .pipe(process.stdout)
