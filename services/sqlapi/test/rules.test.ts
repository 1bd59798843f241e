import { deepStrictEqual } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { test } from 'node:test'
import { rules } from './rules.ts'

interface Mention {
  readonly rule: string
  readonly place: string
}

/** `[D5.1]`, `[S-rows.2]` and `[S16]`, as titles of tests and cases have them. */
const inBrackets = /\[((?:D\d|S-|S\d)[\w.-]*)\]/g

const mentions = readdirSync(import.meta.dirname, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile())
  .flatMap(({ parentPath, name }) => readMentions(join(parentPath, name), name))

test('every rule has a test that names it', () => {
  const tested = new Set(mentions.map(({ rule }) => rule))
  deepStrictEqual(
    Object.keys(rules).filter((rule) => !tested.has(rule)),
    [],
  )
})

test('every rule that a test names is in rules.ts', () => {
  deepStrictEqual(
    mentions.filter(({ rule }) => !Object.hasOwn(rules, rule)),
    [],
  )
})

function readMentions(path: string, name: string): Mention[] {
  const place = relative(import.meta.dirname, path)
    .split(sep)
    .join('/')
  // The texts of this file are examples.
  if (place === 'rules.test.ts') return []
  if (name === 'case.json') return rulesOfCase(path).map((rule) => ({ rule, place }))
  return name.endsWith('.test.ts') ? rulesIn(path).map((rule) => ({ rule, place })) : []
}

function rulesIn(path: string): string[] {
  return Array.from(readFileSync(path, 'utf8').matchAll(inBrackets), ([, rule = '']) => rule)
}

/** A case names its rules in its title or in a list. */
function rulesOfCase(path: string): string[] {
  const { rule = [] } = JSON.parse(readFileSync(path, 'utf8')) as { rule?: string[] }
  return [...rule, ...rulesIn(path)]
}
