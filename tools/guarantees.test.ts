/**
 * Each promise of `docs/guarantees.md` has a proof that is there: a case folder, or a test file with these words in a
 * title.
 */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/guarantees.md'), 'utf8')
const fewest = 40

interface Promised {
  readonly line: number
  readonly folder: string
  readonly text: string
  readonly proofs: readonly string[]
}

/** The rows of its tables, each with the folder that its chapter names. */
function promises(): Promised[] {
  let folder = ''
  return page.split('\n').flatMap((line, index) => {
    folder = /^Paths are below `(.*)`\.$/.exec(line)?.[1] ?? folder
    const [, text, proof] = /^\| (.+?) \| (.+) \|$/.exec(line) ?? []
    if (text === undefined || proof === undefined || text === 'promise' || /^-+$/.test(text)) return []
    return [{ line: index + 1, folder, text, proofs: proof.split(/, (?=`)/) }]
  })
}

/** Why it proves nothing; undefined where it is there. */
function problemOf(folder: string, proof: string): string | undefined {
  const [, path, words] = /^`([^`]+)`(?:: (.+))?$/.exec(proof) ?? []
  if (path === undefined) return `${proof} is not a path in backquotes`
  const full = join(root, folder, path)
  if (!existsSync(full)) return `${path} is not there`
  if (statSync(full).isDirectory()) return existsSync(join(full, 'case.json')) ? undefined : `${path} is not a case`
  if (words === undefined) return `${path} without words of a title`
  return titlesIn(full).some((title) => title.includes(words)) ? undefined : `${path} has no test "${words}"`
}

/** What stands in quotes behind `test(`, `describe(`, `it(` or `title:`. */
function titlesIn(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return Array.from(
    text.matchAll(
      /(?:\b(?:test|describe)\(|\btitle: ?)\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g,
    ),
    ([, single, double, template]) => single ?? double ?? template ?? '',
  )
}

test('every promise has a proof that is there [O6.1]', () => {
  const all = promises()
  ok(all.length >= fewest, `${all.length} promises`)
  const problems = all.flatMap(({ line, folder, proofs }) =>
    proofs.flatMap((proof) => {
      const problem = problemOf(folder, proof)
      return problem === undefined ? [] : [`docs/guarantees.md:${line}: ${problem}`]
    }),
  )
  deepStrictEqual(problems, [])
})
