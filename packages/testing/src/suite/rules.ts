/**
 * Rules and the tests that prove them. A service's list of rules comes in, and the folder of its tests; a test that
 * compares the two is registered for each direction.
 */
import { deepStrictEqual } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { test } from 'node:test'

export interface RuleTests {
  /** Id -> what the rule says. */
  readonly rules: Readonly<Record<string, string>>
  /** Where the tests and cases are. */
  readonly folder: string
  /** The ids as titles of tests and cases have them, in brackets: its first group is the id. */
  readonly inBrackets: RegExp
}

interface Mention {
  readonly rule: string
  readonly place: string
}

export function testRules({ rules, folder, inBrackets }: RuleTests): void {
  const mentions = readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return idsIn(path, name, inBrackets).map((rule): Mention => {
        return { rule, place: relative(folder, path).split(sep).join('/') }
      })
    })

  test('every rule has a test that names it', () => {
    const tested = new Set(mentions.map(({ rule }) => rule))
    deepStrictEqual(
      Object.keys(rules).filter((rule) => !tested.has(rule)),
      [],
    )
  })

  test('every rule that a test names is in the list', () => {
    deepStrictEqual(
      mentions.filter(({ rule }) => !Object.hasOwn(rules, rule)),
      [],
    )
  })
}

/** A case names its rules in its title or in a list; the examples in rules.test.ts are not mentions. */
function idsIn(path: string, name: string, inBrackets: RegExp): string[] {
  const isCase = name === 'case.json'
  if (name === 'rules.test.ts' || (!isCase && !name.endsWith('.test.ts'))) return []
  const text = readFileSync(path, 'utf8')
  const { rule = [] } = isCase ? (JSON.parse(text) as { rule?: string[] }) : {}
  return [...rule, ...Array.from(text.matchAll(inBrackets), ([, id = '']) => id)]
}
