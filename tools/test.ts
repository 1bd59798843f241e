/**
 * Runs test files with `node --test`: all of them, some classes, or those that the command line names.
 *
 *   node tools/test.ts [--unit] [--changed] [--nightly] [FILE ..]
 *
 * `--unit`: the unit tests. `--changed`: tests of the rooms that changed. `--nightly`: all tests, the slow ones too, in
 * full size. A whole run starts services from their packages, as users do, and tries files that failed once more,
 * alone; other runs take everything from the sources. Ends with 1 if a test fails, or is skipped without a reason.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { alone } from './test/alone.ts'
import { testsOfChanges } from './test/changed.ts'

const own = ['{packages,services}/*/test/process/**/*.test.ts', 'tools/*.test.ts', ...Object.keys(alone)]
const units = ['tools/test/groups/*-unit.ts', ...Object.keys(alone).filter((file) => file.includes('/unit/'))]
/** Most tests wait for other processes: two cores have work for five files. */
const atOnce = availableParallelism() + 3
/** No file, and no group, waits forever; a machine under load may need minutes for seconds of work. */
const longestFileMs = 900_000
/** More failed files than this have one common cause. */
const maxSecondTries = 8

const { values, positionals } = parseArgs({
  options: { unit: { type: 'boolean' }, changed: { type: 'boolean' }, nightly: { type: 'boolean' } },
  allowPositionals: true,
})
const root = resolve(import.meta.dirname, '..')
const isWhole = positionals.length === 0 && values.unit !== true && values.changed !== true
const folder = mkdtempSync(join(tmpdir(), 'test-failed-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
process.exitCode = isWhole ? runWhole(values.nightly === true) : runSome()

function runSome(): number {
  const files = positionals.map((file) => resolve(file))
  if (values.unit === true) files.push(...find(units))
  if (values.changed === true) files.push(...find(testsOfChanges()))
  return run(files, {})
}

function runWhole(isNightly: boolean): number {
  const list = join(folder, 'failed')
  writeFileSync(list, '')
  const env = { TEST_WHOLE: '1', ...(isNightly ? { TEST_FULL: '1' } : {}) }
  const files = ['tools/test/groups/*.ts', ...own, ...(isNightly ? ['**/test/slow/**/*.test.ts'] : [])]
  const code = run(find(files), { ...env, TEST_FAILED: list })
  const failed = [...new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean))]
  if (code === 0 || failed.length === 0 || failed.length > maxSecondTries) return code
  console.log(`\n# ${failed.length} files failed beside others; each runs once more, alone\n`)
  const second = run(failed, env, 1)
  if (second !== 0) return second
  console.log('\n# failed beside others and passed alone (CONTRIBUTING.md, "Unsteady tests"):')
  for (const file of failed) console.log(`#   ${relative('.', file)}`)
  return 0
}

function find(patterns: readonly string[]): string[] {
  const found = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
  return found.map((file) => join(root, file))
}

function run(files: readonly string[], env: NodeJS.ProcessEnv, concurrency: number = atOnce): number {
  const flags = [
    `--test-global-setup=${join(import.meta.dirname, 'test/setup.ts')}`,
    `--test-reporter=${join(import.meta.dirname, 'test/reporter.ts')}`,
    `--test-concurrency=${concurrency}`,
    `--test-timeout=${longestFileMs}`,
  ]
  const args = ['--test', ...flags, ...files]
  const { status, error } = spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  if (error !== undefined) throw error
  return status ?? 1
}
