/** Column names -> keys. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { planColumns, toCamelCase } from '../../../src/json/keys.ts'

test('names with underscores become camel case [S-rows.2] [D5.2]', () => {
  const cases = {
    user_id: 'userId',
    PASSWORD_HASH: 'passwordHash',
    _leading: 'leading',
    trailing_: 'trailing',
    __both__: 'both',
    a__b: 'aB',
    user_1_id: 'user1Id',
    _1a: '1a',
    a_1b: 'a1b',
    USER_Id: 'userId',
    userId_x: 'useridX',
    'sum_(x)': 'sum(x)',
    'first name_x': 'first nameX',
  }
  for (const [name, key] of Object.entries(cases)) strictEqual(toCamelCase(name), key, name)
})

test('a name without an underscore is unchanged [S-rows.2] [D5.2]', () => {
  for (const name of ['userId', 'ID', 'name', 'É', '?column?', '']) strictEqual(toCamelCase(name), name)
})

test('a name of underscores only is unchanged [D5.2]', () => {
  for (const name of ['_', '__', '_____']) strictEqual(toCamelCase(name), name)
})

test('letters beyond ASCII have capitals too [D5.2]', () => {
  const cases = {
    É_a: 'éA',
    a_é: 'aÉ',
    ÕHTU_ÄÖ: 'õhtuÄö',
    a_𐐨x: 'a𐐀x',
    нОмер_заКаза: 'номерЗаказа',
    a_ßx: 'aßx',
    価_格: '価格',
  }
  for (const [name, key] of Object.entries(cases)) strictEqual(toCamelCase(name), key, name)
})

test('a key has an underscore only where there is nothing else [D5.2]', () => {
  const unit = fc.constantFrom('_', 'a', 'B', 'é', '1', ' ')
  fc.assert(
    fc.property(fc.string({ unit }), (name) => {
      const key = toCamelCase(name)
      strictEqual(key.includes('_'), /^_+$/.test(name))
      strictEqual(toCamelCase(key), key)
      if (name.includes('_') && key !== name) strictEqual(key.toLowerCase(), name.toLowerCase().replaceAll('_', ''))
    }),
  )
})

test('keys stand in column order, integer-like names included [D5.1]', () => {
  deepStrictEqual(planColumns(['b', '10', 'user_id', '9']), [
    { key: 'b', column: 0 },
    { key: '10', column: 1 },
    { key: 'userId', column: 2 },
    { key: '9', column: 3 },
  ])
  deepStrictEqual(planColumns([]), [])
})

test('two columns of one name: the last value, at the first place [D5.1]', () => {
  deepStrictEqual(planColumns(['user_id', 'x', 'USER_ID', '__proto__', 'userId']), [
    { key: 'userId', column: 4 },
    { key: 'x', column: 1 },
    { key: 'proto', column: 3 },
  ])
})
