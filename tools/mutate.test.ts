/** The mutator: which changes it makes to a source, and what a trial of a test file finds out about one. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { mutantsOf } from './mutate/mutants.ts'
import { tryTest } from './mutate/trial.ts'

const folder = mkdtempSync(join(tmpdir(), 'mutate-'))
after(() => rmSync(folder, { recursive: true }))

const limits = { cpuSeconds: 1, clockMs: 60_000 }

test('a source becomes mutants with one change each, at the places of the TypeScript', () => {
  const source = [
    "import type { A } from './a.ts'",
    'export function count(texts: readonly string[], most: number): A {',
    '  let found: number = 0',
    "  for (const text of texts) if (text !== 'x' && found < most) found++",
    '  return { found }',
    '}',
  ].join('\n')
  deepStrictEqual(
    mutantsOf(source).map(({ line, column, was, becomes }) => `${line}:${column} ${was} -> ${becomes}`),
    [
      '3:23 0 -> (0 + 1)',
      "4:33 text !== 'x' && found < most -> true",
      "4:33 text !== 'x' && found < most -> false",
      '4:38 !== -> ===',
      "4:42 'x' -> ''",
      '4:46 && -> ||',
      '4:55 < -> <=',
      '4:55 < -> >=',
      '4:63 found++ -> ;',
      '4:68 ++ -> --',
    ],
  )
})

test('a change that makes no program is left out', () => {
  deepStrictEqual(
    mutantsOf('export const a = (b, c) => b ?? c ?? 1').map(({ was, becomes }) => `${was} ${becomes}`),
    ['1 (1 + 1)'],
  )
})

test('a trial tells a mutant that the test notices, one that it does not, and one that never ends', async () => {
  const sourceFile = join(folder, 'next.ts')
  const testFile = join(folder, 'next.test.ts')
  const source =
    'export function next(number: number): number {\n  while (number < 0) number++\n  return number + 1\n}\n'
  writeFileSync(sourceFile, source)
  writeFileSync(
    testFile,
    [
      "import { strictEqual } from 'node:assert'",
      "import { test } from 'node:test'",
      "import { next } from './next.ts'",
      "test('next', () => strictEqual(next(-2) + next(1), 3))",
    ].join('\n'),
  )
  strictEqual((await tryTest(testFile, [], limits)).outcome, 'passed')
  const outcomes = mutantsOf(source).map(async ({ was, becomes, source: mutant }, index) => {
    const file = join(folder, `${index}.js`)
    writeFileSync(file, mutant)
    const env = { MUTANT_URL: pathToFileURL(sourceFile).href, MUTANT_SOURCE: file }
    return `${was} ${becomes}: ${(await tryTest(testFile, [], limits, env)).outcome}`
  })
  deepStrictEqual(await Promise.all(outcomes), [
    'number < 0 false: failed',
    '< <=: failed',
    '< >=: stopped',
    '0 (0 + 1): failed',
    'number++ ;: stopped',
    '++ --: stopped',
    '+ -: failed',
    '1 (1 + 1): failed',
  ])
})
