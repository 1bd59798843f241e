/** The mutator: which changes it makes to a source, and what trials find out about them. */
import { deepStrictEqual, rejects } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { mutantsOf } from '../../mutate/mutants.ts'
import { measure, Trials } from '../../mutate/trials.ts'

const folder = mkdtempSync(join(tmpdir(), 'mutate-'))
after(() => rmSync(folder, { recursive: true }))

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

test('trials tell mutants that a test notices, that none does, that none reaches, and that never end', async () => {
  const sourceFile = join(folder, 'next.ts')
  const testFile = join(folder, 'next.test.ts')
  const source = [
    'export function next(number: number): number {',
    '  while (number < 0) number++',
    '  if (number > 9) number = 0',
    '  return number + 1',
    '}',
  ].join('\n')
  writeFileSync(sourceFile, source)
  writeFileSync(
    testFile,
    [
      "import { strictEqual } from 'node:assert'",
      "import { before, describe, test } from 'node:test'",
      "import { next } from './next.ts'",
      'let sum = 0',
      "describe('next', () => {",
      '  before(() => { sum = next(-2) + next(1) })',
      "  test('sums', async (t) => t.test('inside', () => strictEqual(sum, 3)))",
      "  test('grows with', () => strictEqual(sum, 4))",
      '})',
    ].join('\n'),
  )
  const toUrl = (file: string): string => pathToFileURL(file).href
  const subject = { source: toUrl(sourceFile), tests: [toUrl(testFile)], skipped: /grows with/ }
  const trials = new Trials(subject, await measure(subject))
  const outcomes: string[] = []
  // Each that runs in circles takes a second, and one is enough.
  for (const mutant of mutantsOf(source).filter(({ was }) => !was.endsWith('++')))
    outcomes.push(`${mutant.was} ${mutant.becomes}: ${await trials.try(mutant)}`)
  await trials.end(source.replaceAll(': number', ''))
  deepStrictEqual(outcomes, [
    'number < 0 false: killed',
    '< <=: killed',
    '< >=: stopped',
    '0 (0 + 1): killed',
    'number > 9 true: killed',
    'number > 9 false: survived',
    '> >=: survived',
    '> <=: killed',
    '9 (9 + 1): survived',
    'number = 0 ;: unreached',
    '0 (0 + 1): unreached',
    '+ -: killed',
    '1 (1 + 1): killed',
  ])
})

test('tests that fail without any change end it', async () => {
  const testFile = join(folder, 'wrong.test.ts')
  writeFileSync(testFile, "import { test } from 'node:test'\ntest('wrong', () => { throw new Error('so') })")
  const url = pathToFileURL(testFile).href
  await rejects(measure({ source: url, tests: [url], skipped: /grows with/ }), {
    message: '"wrong" fails without any change: Error: so',
  })
})
