/** What was expected against the JSON that came: the first difference, with its path. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { readYaml } from '@services/config-file'
import { compareRows, readAnswer } from '../../../src/testing/compare.ts'

const table: readonly [expected: string, found: string, difference: string | undefined, ordered?: boolean][] = [
  ['[]', '[]', undefined],
  ['[{a: 1, b: x}]', '[{"b": "x", "a": 1}]', undefined],
  ['[{a: 1}]', '[{"a": 2}]', 'rows[0].a: expected 1, found 2'],
  ['[{a: 1}]', '[{"a": "1"}]', 'rows[0].a: expected 1, found "1"'],
  ['[{a: "1"}]', '[{"a": 1}]', 'rows[0].a: expected "1", found 1'],
  ['[{a: 1.50}]', '[{"a": 1.5}]', undefined],
  ['[{a: 1}]', '[{"a": 1.0}]', undefined],
  ['[{a: 9007199254740993}]', '[{"a": 9007199254740993}]', undefined],
  [
    '[{a: 9007199254740992}]',
    '[{"a": 9007199254740993}]',
    'rows[0].a: expected 9007199254740992, found 9007199254740993',
  ],
  [
    '[{a: 0.12345678901234567891}]',
    '[{"a": 0.12345678901234567892}]',
    'rows[0].a: expected 0.12345678901234567891, found 0.12345678901234567892',
  ],
  ['[{a: 1e3}]', '[{"a": 1000.0}]', 'rows[0].a: expected 1e3, found 1000.0'],
  ['[{a: true}]', '[{"a": true}]', undefined],
  ['[{a: true}]', '[{"a": 1}]', 'rows[0].a: expected true, found 1'],
  ['[{a: null}]', '[{"a": null}]', undefined],
  ['[{a: null}]', '[{}]', 'rows[0].a: expected null, found no such key'],
  ['[{}]', '[{"a": null}]', 'rows[0].a: found null, expected no such key'],
  ['[{a: ..}]', '[{"a": null}]', undefined],
  ['[{a: ..}]', '[{}]', 'rows[0].a: expected "..", found no such key'],
  ['[.., {a: 1}]', '[{"a": 5}, {"a": 1}]', undefined],
  ['..', '[{"a": 5}]', undefined],
  ['[{a: 1}, {a: 2}]', '[{"a": 1}]', 'rows[1]: expected {"a": 2}, found one'],
  ['[{a: 1}]', '[{"a": 1}, {"a": 2}]', 'rows[1]: found {"a": 2}, expected one'],
  ['[{a: [1, {b: 2}]}]', '[{"a": [1, {"b": 3}]}]', 'rows[0].a[1].b: expected 2, found 3'],
  ['[{a: 1}]', '[{"a": [1]}]', 'rows[0].a: expected 1, found [1]'],
  ['[{a: 1}]', '{"a": 1}', 'rows: expected [{"a": 1}], found {"a": 1}'],
  ['[{a: 1}, {a: 2}]', '[{"a": 2}, {"a": 1}]', 'rows[0].a: expected 1, found 2'],
  ['[{a: 1}, {a: 2}]', '[{"a": 2}, {"a": 1}]', undefined, false],
  ['[{a: ..}, {a: 2}]', '[{"a": 2}, {"a": 1}]', undefined, false],
  ['[{a: 1}, {a: 1}]', '[{"a": 1}, {"a": 2}]', 'rows[1]: expected {"a": 1}, found it in no row', false],
  ['[{a: 1}]', '[{"a": 2}, {"a": 1}]', 'rows: found {"a": 2}, which nothing expects', false],
  ['[[{a: 1}, {a: 2}], []]', '[[{"a": 2}, {"a": 1}], []]', undefined, false],
  ['[[{a: 1}], [{a: 2}]]', '[[{"a": 2}], [{"a": 1}]]', 'rows[0][0]: expected {"a": 1}, found it in no row', false],
]

for (const [expected, found, difference, ordered = true] of table) {
  test(`${expected} and ${found}${ordered ? '' : ', in any order'} [N5.4]`, () => {
    const told = compareRows(readYaml(`rows: ${expected}`)['rows'] ?? null, readAnswer(found), ordered)
    strictEqual(told && `${told.path}: ${told.message}`, difference)
  })
}
