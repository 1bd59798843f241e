/**
 * Case folding, held against the regular expressions of the platform: `/iu` compares by Unicode simple case folding.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { endpointKey, foldCase } from '../src/endpoint-key.ts'

const points = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
const folds = new Map(points.map((point) => [point, foldCase(point)]))

function toPattern(point: string): string {
  return `\\u{${(point.codePointAt(0) as number).toString(16)}}`
}

test('folding agrees with /iu on every pair of code points [D1.6] [S-file.1]', () => {
  const hasCase = /[\p{CWCF}\p{CWL}\p{CWU}\p{CWT}]/u
  const cased = points.filter((point) => hasCase.test(point) || folds.get(point) !== point)
  const isCased = new Set(cased)

  // The letters without case fold to themselves, and none of them equals one that has.
  const likeCased = new RegExp(`[${cased.map(toPattern).join('')}]`, 'iu')
  const foldsOfCased = new Set(cased.map((point) => folds.get(point)))
  const mixed = points.filter((point) => !isCased.has(point) && (likeCased.test(point) || foldsOfCased.has(point)))
  deepStrictEqual(mixed, [])

  const casedText = cased.join('')
  const groups = Map.groupBy(cased, (point) => folds.get(point))
  for (const point of cased) {
    deepStrictEqual(
      casedText.match(new RegExp(toPattern(point), 'giu')),
      groups.get(folds.get(point)),
      toPattern(point),
    )
  }
  ok(cased.length > 2500)
})

test('a folded text folds to itself [D1.6]', () => {
  const changed = points.filter((point) => folds.get(point) !== point)
  const unstable = changed.filter((point) => foldCase(folds.get(point) as string) !== folds.get(point))
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
