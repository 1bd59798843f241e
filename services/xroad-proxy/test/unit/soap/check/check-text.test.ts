/**
 * Texts beside the types of XML Schema: each line of the table is a type with texts that are values of it, and texts
 * that are none.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TextType } from '../../../../src/soap/check/contract.ts'
import { toRequestCheck } from '../../../../src/soap/check/check.ts'
import { CompiledContracts } from '../../../../src/soap/check/compiled-contracts.ts'
import { maxEffort } from '../../../../src/soap/check/pattern/automaton.ts'
import { toTextCheck } from '../../../../src/soap/check/text-check.ts'

function problemOf(type: TextType, text: string): string | undefined {
  return toTextCheck(type).problemOf(text, { left: maxEffort })
}

const digits = '123456789012345678901234567890'

const types: readonly (readonly [base: string, right: readonly string[], wrong: readonly string[]])[] = [
  ['string', ['', ' a ', 'a\nb'], []],
  ['token', ['', '  a  b '], []],
  ['boolean', ['true', 'false', '1', '0', ' 1 '], ['TRUE', 'yes', '2', '']],
  ['decimal', ['0', '-0', '+1.50', '.5', '5.', digits, ` ${digits} `], ['', '.', '1e3', '1,5', 'INF', '--1']],
  ['integer', [digits, `-${digits}`, '+007', '-0'], ['1.0', '1e3', '', '1 2']],
  ['long', ['9223372036854775807', '-9223372036854775808'], ['9223372036854775808', '-9223372036854775809']],
  ['unsignedLong', ['18446744073709551615', '0', '-0'], ['18446744073709551616', '-1']],
  ['int', ['2147483647', '-2147483648', '0002147483647'], ['2147483648', '-2147483649']],
  ['byte', ['127', '-128'], ['128', '-129']],
  ['positiveInteger', ['1'], ['0', '-0', '-1']],
  ['negativeInteger', ['-1'], ['0', '1']],
  ['nonPositiveInteger', ['0', '-5'], ['1']],
  ['double', ['1e400', '-1.5E-3', 'INF', '-INF', 'NaN', '.5'], ['Infinity', 'inf', '+INF', '1e', '']],
  [
    'date',
    ['2024-02-29', '2026-01-31Z', '2026-01-31-14:00', '-0001-02-28', '12026-12-31'],
    ['2026-02-29', '2026-2-1', '0000-01-01', '2026-01-31+14:01', '02026-01-01', '2026-13-01', '1900-02-29'],
  ],
  [
    'dateTime',
    ['2026-01-31T12:00:00', '2026-01-31T24:00:00Z', '2026-01-31T23:59:59.999999999+02:00'],
    ['2026-01-31', '2026-01-31T24:00:01', '2026-01-31T23:59:60', '2026-01-31 12:00:00', '2026-01-31T12:00'],
  ],
  ['time', ['12:00:00', '24:00:00', '00:00:00.5Z'], ['12:00', '25:00:00', '24:00:00.1']],
  ['gYear', ['2026', '-0044', '12026Z'], ['26', '0000']],
  ['gYearMonth', ['2026-12'], ['2026-13', '2026']],
  ['gMonth', ['--12'], ['--13', '12']],
  ['gMonthDay', ['--02-29', '--12-31Z'], ['--02-30', '--04-31']],
  ['gDay', ['---31'], ['---32', '31']],
  ['duration', ['P1Y2M3DT4H5M6.7S', '-P1D', 'PT0S', 'P0Y'], ['P', 'PT', 'P1DT', '1D', 'P1S', 'P1.5D']],
  ['dayTimeDuration', ['P1DT5M'], ['P1M', 'P1Y']],
  ['yearMonthDuration', ['P1Y6M'], ['P1D', 'PT5M']],
  ['hexBinary', ['', '0aFF'], ['0', 'xx', '0 a']],
  ['base64Binary', ['', 'QUJD', 'QQ==', 'Q U J D', 'QUI='], ['Q', 'QUJDR', 'QR==', 'QUJ=', '=', 'QU-_']],
  ['language', ['et', 'en-GB'], ['et_EE', 'toolonglang', '']],
  ['NCName', ['_a-b.c', 'õ'], ['1a', 'a:b', '']],
  ['QName', ['a'], ['a:b']],
  ['NMTOKEN', ['1-a:b'], ['a b', '']],
  ['anyURI', ['http://[::1]:80/a?b#c', 'a b', '', 'urn:x:%20'], ['a#b#c', '%zz', '[x]', ':x', 'a b:c']],
  ['anySimpleType', ['', 'anything'], []],
  ['noSuchType', ['anything'], []],
]

describe('built-in types [P4.2]', () => {
  for (const [base, right, wrong] of types) {
    test(base, () => {
      for (const text of right) strictEqual(problemOf({ base }, text), undefined, JSON.stringify(text))
      for (const text of wrong) ok(problemOf({ base }, text) !== undefined, JSON.stringify(text))
    })
  }
})

const narrowed: readonly (readonly [
  type: TextType,
  right: readonly string[],
  wrong: Readonly<Record<string, string>>,
])[] = [
  [
    { base: 'string', facets: { length: '2' } },
    ['ab', '\u{1f600}b'],
    { a: 'exactly 2 characters', abc: 'exactly 2 characters' },
  ],
  [
    { base: 'string', facets: { minLength: '1', maxLength: '3' } },
    ['a', ' '],
    { '': 'at least 1 character', abcd: 'at most 3 characters' },
  ],
  [{ base: 'token', facets: { minLength: '2' } }, ['ab'], { ' a ': 'at least 2 characters' }],
  [
    { base: 'string', facets: { whiteSpace: 'collapse', maxLength: '3' } },
    ['  a  b  '],
    { 'a b c': 'at most 3 characters' },
  ],
  [{ base: 'base64Binary', facets: { maxLength: '2' } }, ['QUI='], { QUJD: 'at most 2 bytes' }],
  [
    { base: 'decimal', facets: { totalDigits: '4', fractionDigits: '2' } },
    ['0012.3400', '-99.99'],
    { '123.45': 'at most 4 digits', '1.234': 'at most 2 digits behind the point' },
  ],
  [
    { base: 'integer', facets: { minExclusive: '9007199254740993' } },
    ['9007199254740994'],
    { '9007199254740993': 'more than 9007199254740993' },
  ],
  [
    { base: 'decimal', facets: { maxInclusive: '0.1' } },
    ['0.10', '-5'],
    { '0.100000000000000000000001': 'at most 0.1' },
  ],
  [{ base: 'double', facets: { minInclusive: '0' } }, ['0', 'INF'], { NaN: 'at least 0', '-1': 'at least 0' }],
  [{ base: 'date', facets: { minInclusive: '2020-01-01' } }, ['2020-01-01'], { '2019-12-31': 'at least 2020-01-01' }],
  [
    { base: 'dateTime', facets: { maxExclusive: '2020-01-01T00:00:00Z' } },
    ['2020-01-01T00:30:00+01:00', '2019-12-31T09:00:00'],
    {
      '2020-01-01T00:00:00Z': 'less than 2020-01-01T00:00:00Z',
      '2019-12-31T12:00:00': 'less than 2020-01-01T00:00:00Z',
    },
  ],
  [
    { base: 'duration', facets: { maxInclusive: 'P1M' } },
    ['P27D', 'P1M'],
    { P28D: 'at most P1M', P32D: 'at most P1M' },
  ],
  [{ base: 'int', facets: { minInclusive: 'nonsense' } }, ['1'], {}],
  [{ base: 'int', enumeration: ['1', '02'] }, ['2', '01', '+1'], { '3': 'one of "1", "02"' }],
  [{ base: 'decimal', enumeration: ['1.50'] }, ['1.5', '01.500'], { '1.51': '"1.50"' }],
  [{ base: 'date', enumeration: ['2026-01-01Z'] }, ['2026-01-01+00:00'], { '2026-01-01': '"2026-01-01Z"' }],
  [{ base: 'string', enumeration: ['a', ''] }, ['a', ''], { A: 'one of "a", ""' }],
  [
    { base: 'string', patterns: ['[a-c]*', '[b-d]+'] },
    ['bc'],
    { a: 'text that matches [b-d]+ as a whole', d: 'text that matches [a-c]* as a whole' },
  ],
  [{ base: 'token', patterns: ['a b'] }, [' a  b '], { ab: 'text that matches a b as a whole' }],
  [{ base: 'string', patterns: ['(?not known'] }, ['anything'], {}],
  [
    { base: 'int', item: { base: 'int' }, facets: { minLength: '2', maxLength: '3' } },
    ['1 2', ' 1\n2  3 '],
    {
      '1': 'at least 2 items',
      '1 2 3 4': 'at most 3 items',
      '1 x': 'of each item a whole number from -2147483648 to 2147483647',
    },
  ],
  [{ base: 'int', item: { base: 'int' }, enumeration: ['1 2'] }, ['01 2'], { '2 1': '"1 2"' }],
  [
    { base: 'anySimpleType', members: [{ base: 'int' }, { base: 'string', enumeration: ['none'] }] },
    ['5', 'none'],
    { x: 'a whole number from -2147483648 to 2147483647, or "none"' },
  ],
]

describe('facets [P4.2]', () => {
  for (const [type, right, wrong] of narrowed) {
    test(JSON.stringify(type), () => {
      for (const text of right) strictEqual(problemOf(type, text), undefined, JSON.stringify(text))
      for (const [text, problem] of Object.entries(wrong)) strictEqual(problemOf(type, text), problem, text)
    })
  }
})

const year = '9'.repeat(1000)

describe('more than nine digits in a year or a duration [G6]', () => {
  const right: readonly (readonly [base: string, text: string])[] = [
    ['date', '1234567890-02-28'],
    ['dateTime', '-12345678901234-12-31T24:00:00Z'],
    ['gYear', year],
    ['gYearMonth', '1234567890-12+14:00'],
    ['duration', 'P12345678901Y12345678901M12345678901DT12345678901H12345678901M12345678901.123456789012S'],
    ['duration', `-P${year}D`],
    ['dayTimeDuration', 'PT12345678901S'],
    ['yearMonthDuration', 'P12345678901M'],
  ]
  for (const [base, text] of right) {
    test(`${base} ${text.slice(0, 40)}`, () => strictEqual(problemOf({ base }, text), undefined))
  }

  test('the calendar goes on', () => {
    strictEqual(problemOf({ base: 'date' }, '10000000000-02-29'), undefined)
    ok(problemOf({ base: 'date' }, '10000000100-02-29') !== undefined)
    ok(problemOf({ base: 'date' }, '-10000000000-02-29') !== undefined)
    strictEqual(problemOf({ base: 'date' }, '-10000000001-02-29'), undefined)
  })

  const ordered: readonly (readonly [base: string, below: string, above: string])[] = [
    ['gYear', year.replace(/9$/, '8'), year],
    ['date', '99999999999-12-31', '100000000000-01-01'],
    ['date', '-100000000000-01-01', '-99999999999-12-31'],
    ['dateTime', '12345678901-01-01T00:00:00+00:01', '12345678901-01-01T00:00:00Z'],
    ['duration', 'P99999999999D', 'P100000000000D'],
    ['duration', 'PT0.10000000000000000000000000001S', 'PT0.10000000000000000000000000002S'],
    ['duration', '-PT0.2S', '-PT0.1S'],
    ['duration', '-PT1.2S', '-PT1S'],
    ['duration', 'P11M', 'P1Y'],
  ]
  for (const [base, below, above] of ordered) {
    test(`${base} ${below.slice(0, 40)} is less than the next`, () => {
      const least = { base, facets: { minExclusive: below } }
      strictEqual(problemOf(least, above), undefined)
      ok(problemOf(least, below) !== undefined)
      ok(problemOf({ base, facets: { minExclusive: above } }, below) !== undefined)
    })
  }

  test('durations that are the same are one value', () => {
    const same = { base: 'duration', enumeration: ['PT60.1S', 'P12345678901M'] }
    strictEqual(problemOf(same, 'PT1M0.100S'), undefined)
    strictEqual(problemOf(same, 'P1028806575Y1M'), undefined)
    ok(problemOf(same, 'PT1M0.1000000000000000000001S') !== undefined)
  })
})

test('the longest texts take no longer than they are long', () => {
  const length = 1_000_000
  const texts = [
    '0'.repeat(length),
    `0.${'0'.repeat(length)}1`,
    'õ'.repeat(length),
    'A'.repeat(length),
    ' '.repeat(length),
  ]
  const long = [
    ...texts,
    `P${'1Y'.repeat(length / 2)}`,
    `P${'1'.repeat(length)}D`,
    `${'1'.repeat(length)}-01-01`,
    `2026-01-31T12:00:00.${'0'.repeat(length)}1Z`,
    '%20'.repeat(length / 3),
  ]
  for (const [base] of types) for (const text of long) void problemOf({ base }, text)
})

test('names of a contract may be anything that an object of JavaScript has', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  const scope = names.map((name) => ({ kind: 'text', name, type: 0, isRequired: true }) as const)
  const check = toRequestCheck(new CompiledContracts({ types: [{ base: 'int' }], scopes: [scope] }), 0, () => undefined)
  deepStrictEqual(
    check({}).map(({ param }) => param),
    names,
  )
  deepStrictEqual(
    check(
      JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3, "hasOwnProperty": 4}') as Record<string, unknown>,
    ),
    [],
  )
  deepStrictEqual(
    check(
      JSON.parse('{"__proto__": "x", "constructor": 2, "toString": 3, "hasOwnProperty": 4}') as Record<string, unknown>,
    ).length,
    1,
  )
})
