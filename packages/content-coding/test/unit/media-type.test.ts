/** What a client gets of what can be sent, by what it says it accepts. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chooseMediaType } from '../../src/media-type.ts'
import { readWeights } from '../../src/weights.ts'

const offers = [
  { type: 'application/json', parameters: ['charset=utf-8'] },
  { type: 'text/csv', parameters: ['charset=utf-8', 'header=present'] },
  { type: 'application/x-ndjson', parameters: ['charset=utf-8'] },
]

const cases: readonly (readonly [accept: string, type: string | undefined])[] = [
  ['application/json', 'application/json'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV', 'text/csv'],
  [' text/csv ', 'text/csv'],
  ['text/*', 'text/csv'],
  ['application/*', 'application/json'],
  ['*/*', 'application/json'],
  ['*', 'application/json'],
  ['application/x-ndjson', 'application/x-ndjson'],
  ['text/csv, application/json;q=0.9', 'text/csv'],
  ['text/csv;q=0.8, application/json;q=0.9', 'application/json'],
  ['text/csv;q=0.001, application/json;q=0', 'text/csv'],
  ['text/csv ; Q=0.5 , */* ; q=0.1', 'text/csv'],
  ['text/csv, */*', 'text/csv'],
  ['*/*, application/x-ndjson', 'application/x-ndjson'],
  ['text/csv, application/json', 'application/json'],
  ['application/json, text/plain, */*', 'application/json'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json'],
  ['application/json;q=0, */*', 'text/csv'],
  ['application/*;q=0, */*', 'text/csv'],
  ['text/*;q=0.5, text/csv;q=0, application/x-ndjson;q=0.1', 'application/x-ndjson'],
  ['text/csv;charset=utf-8', 'text/csv'],
  ['text/csv; charset="UTF-8"; header=present', 'text/csv'],
  ['text/csv;charset=utf-8;q=0.1, text/csv;q=0.9, application/json;q=0.5', 'application/json'],
  ['text/csv;header=absent', undefined],
  ['text/csv;charset=utf-16, application/json;q=0.1', 'application/json'],
  ['text/csv;x="a,b;q=0\\"", application/json;q=0.1', 'application/json'],
  ['text/csv;q=0', undefined],
  ['text/csv;q=2', undefined],
  ['text/csv;q=', undefined],
  ['text/csv;q=-1', undefined],
  ['*/*;q=0', undefined],
  ['image/png, text/plain', undefined],
  ['csv', undefined],
  ['text/csvx', undefined],
  ['', undefined],
  [',,;;,', undefined],
  ['text/csv;x="', undefined],
]

for (const [accept, type] of cases) {
  test(`Accept: ${accept} gets ${type ?? 'nothing'} [N6.1]`, () => {
    strictEqual(chooseMediaType(accept, offers)?.type, type)
  })
}

test('an item keeps what stands between quotes, and loses its weight to its own field [N6.1]', () => {
  deepStrictEqual(readWeights('a;x="1,2";q=0.5, B'), [
    { name: 'a', parameters: ['x="1,2"'], weight: 0.5 },
    { name: 'b', parameters: [], weight: 1 },
  ])
})

test('of a list that has no end only its beginning counts [N6.1]', () => {
  for (const item of ['a,', 'a;', '"a,",', 'a;q=0,'])
    strictEqual(readWeights(item.repeat(20_000)).length <= 201, true, item)
  strictEqual(chooseMediaType(`${'a/b,'.repeat(199)}text/csv`, offers)?.type, 'text/csv')
  strictEqual(chooseMediaType(`${'a/b,'.repeat(200)}text/csv`, offers), undefined)
})

test('no header is too strange, and none gets what it has refused [N6.1]', () => {
  const parts = fc.constantFrom('text', 'csv', '/', '*', ';', ',', 'q=', '0', '1', '.', '"', '\\', ' ', 'json')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (texts) => {
      const chosen = chooseMediaType(texts.join(''), offers)
      ok(chosen === undefined || offers.includes(chosen))
      strictEqual(
        chooseMediaType(`text/csv;q=0, ${texts.join('').replaceAll(/csv|"/g, '')}`, offers)?.type === 'text/csv',
        false,
      )
    }),
  )
})
