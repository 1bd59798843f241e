/**
 * Case folding, held against the regular expressions of the platform: `/iu` compares by Unicode simple case folding.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { endpointKey, foldCase } from '../../../src/endpoint-key.ts'

/** Every code point but halves of pairs. */
const points: string[] = []
for (let code = 0; code < 0x110000; code++) if (code < 0xd800 || code > 0xdfff) points.push(String.fromCodePoint(code))
/** Those that do not fold to themselves: a map of all of them would take longer than all the comparisons. */
const changed = points.filter((point) => foldCase(point) !== point)
const folds = new Map(changed.map((point) => [point, foldCase(point)]))

function foldOf(point: string): string {
  return folds.get(point) ?? point
}

function toPattern(point: string): string {
  return `\\u{${(point.codePointAt(0) as number).toString(16)}}`
}

test('folding agrees with /iu on every pair of code points [D1.6] [S-file.1]', () => {
  const hasCase = /[\p{CWCF}\p{CWL}\p{CWU}\p{CWT}]/u
  const cased = points.filter((point) => hasCase.test(point) || folds.has(point))
  const isCased = new Set(cased)

  // The letters without case fold to themselves, and none of them equals one that has.
  const likeCased = new RegExp(`[${cased.map(toPattern).join('')}]`, 'iu')
  const foldsOfCased = new Set(cased.map((point) => foldOf(point)))
  const mixed = points.filter((point) => !isCased.has(point) && (likeCased.test(point) || foldsOfCased.has(point)))
  deepStrictEqual(mixed, [])

  const casedText = cased.join('')
  const groups = Map.groupBy(cased, (point) => foldOf(point))
  for (const point of cased) {
    deepStrictEqual(casedText.match(new RegExp(toPattern(point), 'giu')), groups.get(foldOf(point)), toPattern(point))
  }
  ok(cased.length > 2500)
})

test('a folded text folds to itself [D1.6]', () => {
  const unstable = changed.filter((point) => foldCase(foldOf(point)) !== foldOf(point))
  deepStrictEqual(unstable, [])
})

test('simple folding keeps letters apart that full folding would join [D1.6]', () => {
  const same: [string, string][] = [
    ['ÕHTU', 'õhtu'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['ẞ', 'ß'],
    ['ſ', 'S'],
    ['\u212a', 'k'],
    ['𐐀', '𐐨'],
  ]
  const different: [string, string][] = [
    ['ß', 'ss'],
    ['İ', 'i'],
    ['ı', 'i'],
    ['ŉ', 'ʼn'],
    ['é', 'e'],
  ]
  for (const [a, b] of same) strictEqual(foldCase(a), foldCase(b), `${a} ${b}`)
  for (const [a, b] of different) ok(foldCase(a) !== foldCase(b), `${a} ${b}`)
})

test('the method is part of the key and is compared as it is [D1.6]', () => {
  strictEqual(endpointKey('POST', '/CRM/Orders/List'), 'POST /crm/orders/list')
  ok(endpointKey('GET', '/a') !== endpointKey('get', '/a'))
})
