/**
 * Whether the tests of a source would notice its mistakes: makes one small change after another and runs the tests
 * against it.
 *
 *   npm run mutate -- FILE [--jobs N] [--lines FROM-TO] [--tests NAME,NAME] [--cost MS]
 *
 * Each mutant gets a line: killed, stopped (it ran in circles or waited for ever, which counts as killed), survived,
 * or unreached (no test comes to its place). The file on disk stays as it is. Ends with 1 when fewer than 85 % were
 * killed.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { mutantsOf } from './mutants.ts'
import { skipped, testsFor } from './tests.ts'
import { measure, Trials } from './trials.ts'

const minKilled = 0.85

const { values, positionals } = parseArgs({
  options: { jobs: { type: 'string' }, lines: { type: 'string' }, tests: { type: 'string' }, cost: { type: 'string' } },
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
const source = readFileSync(file, 'utf8')
const mutants = mutantsOf(source).filter(({ line }) => line >= first && line <= last)
const workspace = file.split('/').slice(0, 2).join('/')
const tests = values.tests?.split(',').map((name) => `${workspace}/test/${name}.test.ts`) ?? testsFor(file)
if (tests.length === 0)
  fail(`No test file imports ${file}. Give it a row in tools/mutate/tests.ts, or name some with --tests.`)

const toUrl = (path: string): string => pathToFileURL(resolve(path)).href
const subject = { source: toUrl(file), tests: tests.map(toUrl), skipped }
const all = await measure(subject).catch((error: unknown) => fail((error as Error).message))
const measured = { ...all, tests: all.tests.filter(({ costMs }) => costMs <= Number(values.cost ?? 1000)) }
console.log(`${file}: ${mutants.length} mutants, tried with ${measured.tests.length} tests of ${tests.join(', ')}`)
const left = all.tests.length - measured.tests.length
if (left > 0) console.log(`${left} tests are left out, which take more CPU time than --cost`)

const counts = { killed: 0, stopped: 0, survived: 0, unreached: 0 }
const queue = mutants.entries()
await Promise.all(Array.from({ length: Number(values.jobs ?? 2) }, work))

const share = (counts.killed + counts.stopped) / mutants.length
const found = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`)
console.log(`${file}: ${found.join(', ')}: ${(100 * share).toFixed(1)} %`)
process.exitCode = share < minKilled ? 1 : 0

async function work(): Promise<void> {
  const trials = new Trials(subject, measured)
  for (const [, mutant] of queue) {
    const outcome = await trials.try(mutant)
    counts[outcome]++
    const { line, column, was, becomes } = mutant
    console.log(`${outcome.padEnd(9)} ${file}:${line}:${column} ${shown(was)} -> ${shown(becomes)}`)
  }
  await trials.end(stripTypeScriptTypes(source)).catch((error: unknown) => fail((error as Error).message))
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return `\`${line.length > 60 ? `${line.slice(0, 57)}...` : line}\``
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
