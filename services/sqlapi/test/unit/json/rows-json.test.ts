/** Text -> JSON string. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { quote } from '../../../src/json/quote.ts'

test('any text comes back from its JSON string, which is well-formed [D5.3] [D5.4]', () => {
  const units = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) })
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), units), (text) => {
      const json = quote(text)
      strictEqual(JSON.parse(json), text)
      strictEqual(json.isWellFormed(), true)
    }),
  )
})

test('what has to be escaped is, and nothing else [D5.3] [D5.4]', () => {
  const cases = {
    '': '""',
    'a/b é 😀 \u2028': '"a/b é 😀 \u2028"',
    '"\\': '"\\"\\\\"',
    '\0\b\n\u001f\u007f': '"\\u0000\\b\\n\\u001f\u007f"',
    '\ud800x': '"\\ud800x"',
  }
  for (const [text, json] of Object.entries(cases)) strictEqual(quote(text), json)
})
