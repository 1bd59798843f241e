/** JSON on the page: nothing of a text is lost, neither when it is read nor when it is laid out. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Digits, layOutJson, readJson, writeJson } from '../../src/browser/text/docs-json.js'

const squeezed = (text: string): string => JSON.stringify(JSON.parse(text))

describe('JSON on the page [N4.3]', () => {
  for (const digits of ['9007199254740993', '1.0', '1e3', '-0', '0.10', '1E+2', '12345678901234567890.5', '-1.50']) {
    test(`${digits} keeps its digits, wherever it stands`, () => {
      for (const text of [digits, `[${digits}]`, `{"a": ${digits}}`, `[1, ${digits}]`, `{"a":[null,\n ${digits}]}`]) {
        strictEqual(writeJson(readJson(text)).replaceAll(' ', ''), text.replaceAll(/\s/g, ''))
      }
      ok(readJson(digits) instanceof Digits)
    })
  }

  test('plain numbers are numbers, texts that look like others are texts', () => {
    deepStrictEqual(readJson('[1, -5, 2.5, 0, 123456789012345, "1.0", ",1e3"]'), [
      1,
      -5,
      2.5,
      0,
      123456789012345,
      '1.0',
      ',1e3',
    ])
  })

  test('what is laid out is the same JSON, and what is not JSON is not laid out', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        const shown =
          layOutJson(text)
            ?.map(([, part]) => part)
            .join('') ?? ''
        strictEqual(squeezed(shown), squeezed(text))
        strictEqual(shown, JSON.stringify(JSON.parse(text), null, 2))
      }),
    )
    for (const text of ['<p>', '[1, x]', '"open', '{a: 1}']) strictEqual(layOutJson(text), undefined)
  })
})
