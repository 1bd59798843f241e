/**
 * Whether the tests of a source would notice its mistakes: makes one small change after another and runs the tests
 * against it.
 *
 *   npm run mutate -- FILE [--jobs N] [--lines FROM-TO] [--tests NAME,NAME]
 *
 * Each mutant gets a line: killed, stopped (it ran in circles, which counts as killed), or survived. The file on disk
 * stays as it is. Ends with 1 when fewer than 85 % were killed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Mutant, mutantsOf } from './mutants.ts'
import { skipped, testsFor } from './tests.ts'
import { type Limits, tryTest } from './trial.ts'

const minKilled = 0.85
const usual: Limits = { cpuSeconds: 600, clockMs: 600_000 }

const { values, positionals } = parseArgs({
  options: { jobs: { type: 'string' }, lines: { type: 'string' }, tests: { type: 'string' } },
  allowPositionals: true,
})
const [path] = positionals
if (path === undefined || positionals.length > 1)
  fail('Name one file: npm run mutate -- services/sqlapi/src/sql/lex.ts')

const root = resolve(import.meta.dirname, '../..')
process.chdir(root)
const file = relative(root, resolve(process.env['INIT_CWD'] ?? root, path))
  .split(sep)
  .join('/')
const [first = 1, last = Infinity] = values.lines?.split('-').map(Number) ?? []
const mutants = mutantsOf(readFileSync(file, 'utf8')).filter(({ line }) => line >= first && line <= last)
const workspace = file.split('/').slice(0, 2).join('/')
const tests = values.tests?.split(',').map((name) => `${workspace}/test/${name}.test.ts`) ?? testsFor(file)
if (tests.length === 0)
  fail(`No test file imports ${file}. Give it a row in tools/mutate/tests.ts, or name some with --tests.`)

const flags = [`--test-skip-pattern=${skipped}`]
const limits = await measure()
console.log(`${file}: ${mutants.length} mutants, tried with ${tests.join(', ')}`)

const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
process.once('exit', () => rmSync(folder, { recursive: true }))
const counts = { killed: 0, stopped: 0, survived: 0 }
const queue = mutants.entries()
await Promise.all(Array.from({ length: Number(values.jobs ?? 2) }, work))

const share = (counts.killed + counts.stopped) / mutants.length
const found = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`)
console.log(`${file}: ${found.join(', ')}: ${(100 * share).toFixed(1)} %`)
process.exitCode = share < minKilled ? 1 : 0

/** The tests as they are have to pass; how long they take bounds how long a mutant may. */
async function measure(): Promise<Map<string, Limits>> {
  const measured = new Map<string, Limits>()
  for (const test of tests) {
    const { outcome, cpuMs } = await tryTest(test, flags, usual)
    if (outcome !== 'passed') fail(`${test} fails without any change`)
    measured.set(test, { cpuSeconds: Math.ceil((1.5 * cpuMs) / 1000) + 1, clockMs: 20 * cpuMs + 60_000 })
  }
  return measured
}

async function work(): Promise<void> {
  for (const [index, mutant] of queue) {
    const outcome = await judge(mutant, join(folder, `${index}.js`))
    counts[outcome]++
    const { line, column, was, becomes } = mutant
    console.log(`${outcome.padEnd(8)} ${file}:${line}:${column} ${shown(was)} -> ${shown(becomes)}`)
  }
}

async function judge({ source }: Mutant, at: string): Promise<keyof typeof counts> {
  writeFileSync(at, source)
  const env = { MUTANT_URL: pathToFileURL(resolve(file)).href, MUTANT_SOURCE: at }
  for (const test of tests) {
    const { outcome } = await tryTest(test, flags, limits.get(test) ?? usual, env)
    if (outcome !== 'passed') return outcome === 'failed' ? 'killed' : 'stopped'
  }
  return 'survived'
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return `\`${line.length > 60 ? `${line.slice(0, 57)}...` : line}\``
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
