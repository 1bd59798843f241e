/**
 * Expressions that are matched in one pass: beside the engine of JavaScript where both say the same, and where that one
 * would hang.
 */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Automaton, type Effort, maxEffort } from '../../../../src/soap/check/pattern/automaton.ts'
import { readExpression, readPattern } from '../../../../src/soap/check/pattern/syntax.ts'
import { UnknownSyntax } from '../../../../src/soap/check/pattern/unknown-syntax.ts'

function matches(source: string, text: string, read = readPattern, effort: Effort = { left: maxEffort }): unknown {
  return new Automaton(read(source)).matches(text, effort)
}

describe('patterns of XML Schema [P4.2]', () => {
  const cases: readonly (readonly [pattern: string, right: readonly string[], wrong: readonly string[]])[] = [
    ['[0-9]{11}', ['12345678901'], ['1234567890', '123456789012', 'x12345678901', '12345678901\n']],
    ['', [''], ['a']],
    ['a|b|', ['a', 'b', ''], ['ab']],
    ['(ab)+c?', ['ab', 'ababc'], ['', 'abcc']],
    ['a{2,}', ['aa', 'aaaaa'], ['a']],
    ['a{0,2}b{0}', ['', 'aa'], ['aaa', 'b']],
    ['\\d+', ['12', '\u0661'], ['a']],
    ['\\w*', ['aõ1$', '\u{1f600}'], ['a-b', ' ']],
    ['\\i\\c*', ['_a-b.c', 'õ1'], ['1a', '-a']],
    ['[^\\s,]+', ['a.b'], ['a b', 'a,b']],
    ['\\s\\S', [' a', '\ta'], ['aa', '  ']],
    ['[a-z-[aeiou]]+', ['xyz'], ['xaz', 'A']],
    ['[^a-c-[x]]', ['d'], ['x', 'a']],
    ['[\\-+*.\\]^]+', ['-+*.]^'], ['a']],
    ['[a\\-z]', ['-'], ['b']],
    ['\\p{Lu}\\P{Lu}', ['Aa'], ['AA']],
    ['\\p{IsBasicLatin}+', ['aZ9~'], ['õ']],
    ['.', ['a', '\u{1f600}'], ['\n', '\r', 'ab']],
    ['^[A-Z]+$', ['ABC'], ['^ABC$', '']],
    ['(^a$)|(^b$)', ['a', 'b'], ['ab']],
    ['a^b', ['a^b'], ['ab']],
    ['[0-9]+$', ['5$'], ['5']],
    ['\\$\\^\\.\\\\', ['$^.\\'], ['x']],
    ['(a|(b(c|d){2}))*', ['abcdabdd'], ['abc']],
  ]
  for (const [pattern, right, wrong] of cases) {
    test(pattern === '' ? 'nothing' : pattern, () => {
      for (const text of right) strictEqual(matches(pattern, text), true, JSON.stringify(text))
      for (const text of wrong) strictEqual(matches(pattern, text), false, JSON.stringify(text))
    })
  }

  const unknown = [
    '(',
    'a)',
    '[a',
    '*a',
    'a{2',
    '\\',
    '[b-a]',
    'a{3,2}',
    '(?:a)',
    '\\p{IsNowhere}',
    '\\p{Foo}',
    '[a[b]]',
  ]
  for (const pattern of [...unknown, `${'('.repeat(200)}a${')'.repeat(200)}`]) {
    test(`not known: ${pattern.slice(0, 40)}`, () => {
      throws(() => matches(pattern, ''), UnknownSyntax)
    })
  }
})

describe('expressions of ECMAScript [P4.2]', () => {
  const cases: readonly (readonly [expression: string, right: readonly string[], wrong: readonly string[]])[] = [
    ['^(?:a|b)+?$', ['abab'], ['c']],
    ['(?<year>\\d{4})', ['2026'], ['\u0661\u0661\u0661\u0661']],
    ['\\u0041\\x42\\u{43}', ['ABC'], ['abc']],
    ['[\\w.]+@\\S+', ['a.b_1@c'], ['õ@c', 'a@ c']],
    ['^a$|^b$', ['a', 'b'], ['ab']],
    ['\\p{Script=Latin}+', ['aõ'], ['\u0430']],
    ['[\\d\\-/]+', ['1-2/3'], ['a']],
  ]
  for (const [expression, right, wrong] of cases) {
    test(expression, () => {
      for (const text of right) strictEqual(matches(expression, text, readExpression), true, text)
      for (const text of wrong) strictEqual(matches(expression, text, readExpression), false, text)
    })
  }

  for (const expression of ['(?=a)a', '(?<!a)b', '(a)\\1', '\\bword', '(?<n>a)\\k<n>', 'a$b', '(^a)', '(?i:a)']) {
    test(`refused: ${expression}`, () => {
      throws(() => matches(expression, '', readExpression), UnknownSyntax)
    })
  }
})

test('random expressions match what the engine of JavaScript matches', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', 'õ', '\\.', '[a-c1]')
  const { expression } = fc.letrec<{ expression: string; piece: string }>((tie) => ({
    piece: fc.oneof(
      { depthSize: 'small' },
      atom,
      tie('expression').map((inner) => `(?:${inner})`),
    ),
    expression: fc
      .array(fc.tuple(tie('piece'), fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?')), {
        minLength: 1,
        maxLength: 4,
      })
      .chain((parts) => {
        const text = parts.map((part) => part.join('')).join('')
        return fc.constantFrom(text, text, `${text}|b`)
      }),
  }))
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', 'õ', '.', '\n', '\u{1f600}'), maxLength: 8 })
  fc.assert(
    fc.property(expression, fc.array(text, { minLength: 1, maxLength: 10 }), (source, texts) => {
      const automaton = new Automaton(readExpression(source))
      const engine = new RegExp(`^(?:${source})$`, 'u')
      for (const each of texts)
        strictEqual(automaton.matches(each, { left: maxEffort }), engine.test(each), `${source} ${each}`)
    }),
    { numRuns: 300 },
  )
})

describe('no pattern holds the service up [P4.2]', () => {
  const hostile = [
    '(a+)+b',
    '(a|a)*b',
    '(a*)*b',
    '((a|aa)+)+c',
    '(.*)*x',
    '(a?){50}a{50}',
    '([a-z]+)*\\d',
    '(a|b|ab)*c',
  ]
  for (const pattern of hostile) {
    test(`${pattern} costs as much as its text is long`, () => {
      const effort = { left: maxEffort }
      strictEqual(matches(pattern, `${'a'.repeat(100_000)}!`, readPattern, effort), false)
      ok(maxEffort - effort.left < 500_000, String(maxEffort - effort.left))
    })
  }

  test('a text that takes too long is given up', () => {
    const text = Array.from({ length: 100_000 }, (_, index) => 'ab'[((index * index) % 7) & 1]).join('')
    strictEqual(matches('(a|b)*a(a|b){900}', text), undefined)
  })

  for (const pattern of [
    'a{5001}',
    '((a{100}){100}){100}',
    '(){999999999}',
    '(((){9999}){9999}){9999}',
    'a{0,999999999}',
  ]) {
    test(`${pattern} is too large`, () => {
      throws(() => matches(pattern, ''), UnknownSyntax)
    })
  }

  test('many different characters do not fill the memory', () => {
    const automaton = new Automaton(readPattern('[^x]*(a|b|c)?'))
    const text = Array.from({ length: 60_000 }, (_, index) => String.fromCodePoint(0x4e_00 + (index % 20_000))).join('')
    const effort = { left: 100_000_000 }
    deepStrictEqual([automaton.matches(text, effort), automaton.matches(`${text}x`, effort)], [true, false])
  })
})
