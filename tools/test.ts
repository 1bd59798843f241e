/**
 * Runs test files with `node --test`: all of them, or those that the command line names.
 *
 *   node tools/test.ts [FILE ..]
 *
 * A whole run starts services from their packages, as users do, and tries files that failed once more, alone. Named
 * files and their services run from their sources. Ends with 1 if a test fails, or is skipped without a reason.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'

const all = ['packages/*/test/**/*.test.ts', 'services/*/test/**/*.test.ts', 'tools/*.test.ts']
/** Most tests wait for other processes: two cores have work for five files. */
const atOnce = availableParallelism() + 3
/** No file waits forever; a machine under load may need minutes for seconds of work. */
const longestFileMs = 600_000
/** More failed files than this have one common cause. */
const maxSecondTries = 8

const named = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'test-failed-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
process.exitCode = named.length > 0 ? run(named, {}) : runWhole()

function runWhole(): number {
  const list = join(folder, 'failed')
  writeFileSync(list, '')
  const code = run(globSync(all), { TEST_WHOLE: '1', TEST_FAILED: list })
  const failed = [...new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean))]
  if (code === 0 || failed.length === 0 || failed.length > maxSecondTries) return code
  console.log(`\n# ${failed.length} files failed beside others; each runs once more, alone\n`)
  const second = run(failed, { TEST_WHOLE: '1' }, 1)
  if (second !== 0) return second
  console.log('\n# failed beside others and passed alone (CONTRIBUTING.md, "Unsteady tests"):')
  for (const file of failed) console.log(`#   ${relative('.', file)}`)
  return 0
}

function run(files: readonly string[], env: NodeJS.ProcessEnv, concurrency: number = atOnce): number {
  const flags = [
    `--test-global-setup=${join(import.meta.dirname, 'test/setup.ts')}`,
    `--test-reporter=${join(import.meta.dirname, 'test/reporter.ts')}`,
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${longestFileMs}`,
  ]
  const args = ['--test', ...flags, ...files.map((file) => resolve(file))]
  const { status, error } = spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  if (error !== undefined) throw error
  return status ?? 1
}
