/** A misspelled name, and the known one that was probably meant. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { checkGrowth } from '@services/testing'
import { editsBetween } from '../../src/words/edits.ts'
import { misspelt, nearest, nearName } from '../../src/words/nearest.ts'

const known = ['sql_dir', 'server', 'logging', 'cors', 'limits', 'port', 'security_server', 'max_request_bytes']

const meant: readonly [name: string, known: string | undefined][] = [
  ['sqlDir', 'sql_dir'],
  ['SQL-DIR', 'sql_dir'],
  ['sqldirr', 'sql_dir'],
  ['log', 'logging'],
  ['sever', 'server'],
  ['prot', 'port'],
  ['sql_dri', 'sql_dir'],
  ['max_bytes', 'max_request_bytes'],
  ['limit', 'limits'],
  ['securty_server', 'security_server'],
  ['max_rqest_byts', 'max_request_bytes'],
  ['request_bytes', 'max_request_bytes'],
  ['x', undefined],
  ['', undefined],
  ['something', undefined],
]

for (const [name, expected] of meant) {
  test(`${JSON.stringify(name)} is near ${expected ?? 'nothing'}`, () => strictEqual(nearest(name, known), expected))
}

test('half of a name leads to a guess only where no other name has it', () => {
  strictEqual(nearest('keystore', ['my_keystore_path', 'url']), 'my_keystore_path')
  strictEqual(nearest('keystore', ['my_keystore_path', 'my_keystore_alias']), undefined)
})

test('two letters in the wrong order are one mistake', () => {
  strictEqual(nearest('DLS', ['DSL']), 'DSL')
  strictEqual(nearest('LSD', ['DSL']), undefined)
})

test('a name with all words of another one is nearer than one with a part of it', () => {
  strictEqual(nearest('wsdl_dir', ['wsdl', 'wsdl_watch_dir']), 'wsdl_watch_dir')
  strictEqual(nearest('wsdl_dir', ['wsdl_old_dir', 'wsdl_new_dir']), undefined)
})

test('a very long name takes no longer than its beginning', () => {
  strictEqual(nearest('a'.repeat(1_000_000), known), undefined)
})

test('a name is misspelt if it differs in case, separators or a few letters; half a name leads to none [F11]', () => {
  const params = ['personcode', 'personCodes', 'tax_year', 'id']
  const names = ['personCode', 'persncode', 'taxYear', 'taxyera', 'person', 'tax', 'idd']
  deepStrictEqual(
    names.map((name) => misspelt(name, params)),
    ['personcode', 'personcode', 'tax_year', 'tax_year', undefined, undefined, undefined],
  )
})

test('the edits near the diagonal are those of the whole table [F11]', () => {
  const names = ['', ...words(2), ...words(4), 'abcbacb', 'bacbabc']
  for (const one of names) {
    for (const other of names) {
      const edits = allEdits(one, other)
      for (let most = 0; most < 4; most++) {
        const found = editsBetween(one, other, most)
        ok(edits <= most ? found === edits : found > most, `${one} ${other} ${most}: ${found}, not ${edits}`)
      }
    }
  }
})

/** All words of this length over the letters a, b and c. */
function words(length: number): readonly string[] {
  return Array.from({ length: 3 ** length }, (_, index) =>
    index
      .toString(3)
      .padStart(length, '0')
      .replaceAll(/./g, (digit) => 'abc'[Number(digit)] as string),
  )
}

/** By the definition, without a bound. */
function allEdits(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length
  const [letter, next] = [one.at(-1), one.at(-2)]
  const rest = [one.slice(0, -1), other.slice(0, -1)] as const
  if (letter === other.at(-1)) return allEdits(...rest)
  const isSwapped = next !== undefined && letter === other.at(-2) && next === other.at(-1)
  return (
    1 +
    Math.min(
      allEdits(...rest),
      allEdits(one, rest[1]),
      allEdits(rest[0], other),
      isSwapped ? allEdits(one.slice(0, -2), other.slice(0, -2)) : Infinity,
    )
  )
}

test('the nearest name is found with bounded work [F11]', () => {
  const known = ['/demo/permits', '/demo/permit', 'a', 'ids']
  const found = ['/demo/permitz', '/demo/prmit', '/DEMO/PERMITS', 'b', 'ab', 'idss', '/demo/x', ''].map((name) =>
    nearName(name, known),
  )
  deepStrictEqual(found, [
    '/demo/permits',
    '/demo/permit',
    '/demo/permits',
    undefined,
    undefined,
    'ids',
    undefined,
    undefined,
  ])
  let asked = 0
  function* many(): Generator<string> {
    for (; asked < 1_000_000; asked++) yield `/demo/file${asked % 10}xxxxxxx`
  }
  strictEqual(nearName('/demo/file????????', many()), undefined)
  ok(asked <= 501, `${asked}`)
  strictEqual(nearName('x'.repeat(129), ['x'.repeat(129)]), undefined)
})

test('the work for a nearest name grows with its length, not with the square of it [F11]', () => {
  checkGrowth(30, (size) => {
    const known = Array.from({ length: 500 }, (_, index) => `${'x'.repeat(size)}${1000 + index}`)
    return () => {
      for (let time = 0; time < 20; time++) strictEqual(nearName(`${'x'.repeat(size)}????`, known), undefined)
    }
  })
})
