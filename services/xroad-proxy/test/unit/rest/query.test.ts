/** The query string on the REST lane, byte for byte. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { toQuery } from '../../../src/serve/lanes/query.ts'

const target = '/g/s?a=1&b=%20x+y&a=2&&c&%61=3&a%26=4&=5&a=%zz'

test('without a list everything passes byte for byte [S-rest.allowed_query_params D4.1]', () => {
  strictEqual(toQuery(target, undefined), target.slice(4))
  strictEqual(toQuery('/g/s?', undefined), '?')
  strictEqual(toQuery('/g/s', undefined), '')
  strictEqual(toQuery('/g/s?a=1?b=2#c', undefined), '?a=1?b=2#c')
})

test('an empty list lets nothing pass [S-rest.allowed_query_params]', () => {
  strictEqual(toQuery(target, new Set()), '')
})

test('listed keys pass as written, in order, repeats included, compared decoded [S-rest.allowed_query_params D4.1]', () => {
  strictEqual(toQuery(target, new Set(['a'])), '?a=1&a=2&%61=3&a=%zz')
  strictEqual(toQuery(target, new Set(['b'])), '?b=%20x+y')
  strictEqual(toQuery(target, new Set(['a&'])), '?a%26=4')
  strictEqual(toQuery(target, new Set(['c'])), '?c')
  strictEqual(toQuery(target, new Set(['nothing'])), '')
})

const ab = new Set(['a', 'b', 'c;d'])

for (const [given, sent] of [
  ['?a=1;b=2', '?a=1%3Bb=2'],
  ['?a=1;x=2&b=;;&x=;', '?a=1%3Bx=2&b=%3B%3B'],
  ['?a;x=2', ''],
  ['?;a=1', ''],
  ['?a=;', '?a=%3B'],
  ['?x=1;a=2', ''],
  ['?c;d=1', ''],
  ['?c%3Bd=1;x=2', '?c%3Bd=1%3Bx=2'],
  ['?a=%3b;%3B+%7e', '?a=%3b%3B%3B+%7e'],
  ['?a=1;b=2;c=3&b=4', '?a=1%3Bb=2%3Bc=3&b=4'],
] as const) {
  test(`with a list no semicolon goes out as itself: ${given} [X15]`, () => {
    strictEqual(toQuery(`/g/s${given}`, ab), sent)
    strictEqual(toQuery(`/g/s${given}`, undefined), given)
  })
}

test('keys beyond ASCII and with spaces are compared decoded, whatever their spelling [D4.1]', () => {
  strictEqual(toQuery('/g/s?%C3%B5=1&%F5=2&a+b=3&a%20b=4', new Set(['õ', 'a b'])), '?%C3%B5=1&a+b=3&a%20b=4')
  strictEqual(toQuery('/g/s?%zz=1', new Set(['%zz'])), '?%zz=1')
})

test('names of prototype members are ordinary keys [D4.1]', () => {
  strictEqual(toQuery('/g/s?__proto__=1&constructor=2', new Set(['a'])), '')
  strictEqual(toQuery('/g/s?__proto__=1', new Set(['__proto__'])), '?__proto__=1')
})
