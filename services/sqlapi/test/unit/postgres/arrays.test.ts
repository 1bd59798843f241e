/** PostgreSQL's array text both ways: database/postgres/types/arrays.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { type ArrayElements, arrayToJson, toArrayText } from '../../../src/database/postgres/types/arrays.ts'

const asString = (text: string): string => JSON.stringify(text)
const asIs = (text: string): string => text

const readings: readonly (readonly [array: string, json: string, write: (text: string) => string])[] = [
  ['{}', '[]', asIs],
  ['{1,-2,3}', '[1,-2,3]', asIs],
  ['{1,NULL,3}', '[1,null,3]', asIs],
  ['{"NULL",null,NULL}', '["NULL","null",null]', asString],
  ['{{1,2},{3,4}}', '[[1,2],[3,4]]', asIs],
  ['{{{a}}}', '[[["a"]]]', asString],
  ['[0:1]={1,2}', '[1,2]', asIs],
  ['[-2:-1][3:3]={{1},{2}}', '[[1],[2]]', asIs],
  [String.raw`{"a b","q\"q","b\\b","{}","a,b",""}`, String.raw`["a b","q\"q","b\\b","{}","a,b",""]`, asString],
  [String.raw`{"{\"a\": 1}"}`, '[{"a": 1}]', asIs],
]

for (const [array, json, write] of readings) {
  test(`${array} reads as ${json} [D5.3]`, () => assert.equal(arrayToJson(array, ',', write), json))
}

test('the elements of a box array are separated by semicolons [D5.3]', () => {
  assert.equal(arrayToJson('{(1,1),(0,0);(2,2),(1,1)}', ';', asString), '["(1,1),(0,0)","(2,2),(1,1)"]')
})

test('what is written reads back, whatever the elements hold [S-arrays.1]', () => {
  // PostgreSQL has no empty array within an array.
  const { list } = fc.letrec<{ list: ArrayElements; element: string | null | ArrayElements }>((tie) => ({
    list: fc.array(tie('element'), { minLength: 1, maxLength: 5 }),
    element: fc.oneof({ depthSize: 'small' }, fc.string({ unit: anyCharacter }), fc.constant(null), tie('list')),
  }))
  fc.assert(
    fc.property(list, (elements) => {
      assert.deepEqual(JSON.parse(arrayToJson(toArrayText(elements), ',', asString)), elements)
    }),
  )
})
