/** Bodies and query strings -> parameter sets, and what is said when one does not fit. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FailureName } from '../src/errors.ts'
import type { ParameterSet } from '../src/model.ts'
import { findMissing, readBody, readQuery, requireParameters, toBatch, toParameterSet } from '../src/serve/params.ts'

function body(text: string): ReturnType<typeof readBody> {
  return readBody(Buffer.from(text))
}

function refuses(run: () => unknown, name: FailureName, message: string): void {
  throws(run, { name, message })
}

function malformed(run: () => unknown, message: string): void {
  refuses(run, 'MalformedRequestException', message)
}

function set(...names: string[]): ParameterSet {
  return new Map(names.map((name) => [name, name]))
}

test('[D2.1] an empty body and null mean no parameters', () => {
  for (const text of ['', 'null', ' null ', '{}']) deepStrictEqual(toParameterSet(body(text)), new Map(), text)
})

test('[D2.1] [S-error.MalformedRequestException] a body that is no object is malformed', () => {
  const kinds = { '[1]': 'an array', '"x"': 'a string', '1': 'a number', '1.5': 'a number', false: 'a boolean' }
  for (const [text, kind] of Object.entries(kinds)) {
    malformed(() => toParameterSet(body(text)), `Request body must be a JSON object, not ${kind}`)
  }
})

test('[D1.8] [S-error.MalformedRequestException] a broken body is found in the first step, a wrong shape in the second', () => {
  malformed(() => body('{'), 'Request body is not valid JSON: unexpected end at character 2')
  malformed(() => body(' '), 'Request body is not valid JSON: unexpected end at character 2')
  body('[1]')
})

test('[S-params.7] an object is the parameter set, with every key', () => {
  deepStrictEqual(
    toParameterSet(body('{"a":"x","extra":null}')),
    new Map([
      ['a', 'x'],
      ['extra', null],
    ]),
  )
})

test('[D2.1] a batch has one set per element, null meaning none', () => {
  const sets = toBatch(body('{"other": 1, "queries": [ {"a": "x"}, null, {}, {"b": true} ]}'))
  deepStrictEqual(sets, [new Map([['a', 'x']]), new Map(), new Map(), new Map([['b', true]])])
  deepStrictEqual(toBatch(body('{"queries":[]}')), [])
})

test('[S-batch.4] [S-error.MalformedRequestException] a batch without queries is malformed', () => {
  for (const text of ['', 'null', '{}', '{"Queries":[]}']) {
    malformed(() => toBatch(body(text)), "Request body has no field 'queries'")
  }
  malformed(() => toBatch(body('[{}]')), 'Request body must be a JSON object, not an array')
})

test('[S-batch.4] queries that are no array are malformed', () => {
  const kinds = { '{}': 'an object', '"x"': 'a string', '1': 'a number', true: 'a boolean', null: 'null' }
  for (const [text, kind] of Object.entries(kinds)) {
    malformed(() => toBatch(body(`{"queries":${text}}`)), `'queries' must be an array, not ${kind}`)
  }
})

test('[D2.1] an element that is no object is malformed, and named by its index', () => {
  malformed(() => toBatch(body('{"queries":[{},[],1]}')), 'queries[1] must be a JSON object, not an array')
  malformed(() => toBatch(body('{"queries":[{},null,"x"]}')), 'queries[2] must be a JSON object, not a string')
})

test('[D2.2] a repeated key of a body: the last value, also for queries', () => {
  deepStrictEqual(toBatch(body('{"queries":1,"queries":[{"a":"x","a":"y"}]}')), [new Map([['a', 'y']])])
})

test('[S-params.4] every key of a query string binds its value as a string', () => {
  deepStrictEqual(Array.from(readQuery('id=42&name=J%C3%BCri&flag=true&none=null')), [
    ['id', '42'],
    ['name', 'Jüri'],
    ['flag', 'true'],
    ['none', 'null'],
  ])
})

test('[D2.4] query strings: the last of a repeated key, keys without a value, plus signs', () => {
  const cases: [string, Record<string, string>][] = [
    ['', {}],
    ['&&', {}],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['a=1&&b=2&', { a: '1', b: '2' }],
    ['a=1&a=2', { a: '2' }],
    ['a=1&a', { a: '' }],
    ['a=1=2', { a: '1=2' }],
    ['a=1+2%2B3', { a: '1 2+3' }],
    ['a+b=1', { 'a b': '1' }],
    ['a%3Db=%26', { 'a=b': '&' }],
    ['=x', { '': 'x' }],
    ['a=?/;:@', { a: '?/;:@' }],
  ]
  for (const [query, expected] of cases) deepStrictEqual(readQuery(query), new Map(Object.entries(expected)), query)
})

test('[D2.4] what the platform writes as a query string is read back', () => {
  const pairs = fc.uniqueArray(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })), {
    selector: ([key]) => key,
  })
  fc.assert(
    fc.property(pairs, (entries) => {
      const query = new URLSearchParams(entries).toString()
      deepStrictEqual(readQuery(query), new Map(new URLSearchParams(query)))
    }),
  )
})

test('[S-error.MalformedRequestException] a percent escape that cannot be decoded is malformed, not guessed at', () => {
  for (const query of ['a=100%', 'a=%zz', 'a=%ff', '%ED%A0%80=1', 'b=1&a=%C3']) {
    malformed(() => readQuery(query), 'Query string has a percent escape that does not decode to UTF-8')
  }
})

test('[S-params.6] [D1.8] the missing parameter that is reported is the first in SQL order', () => {
  strictEqual(findMissing(['b', 'a'], set('c')), 'b')
  strictEqual(findMissing(['b', 'a'], set('b')), 'a')
  strictEqual(findMissing(['b', 'a'], set('a', 'b', 'c')), undefined)
  strictEqual(findMissing(['toString'], set()), 'toString')
})

test('[S-params.6] a value of null is not missing', () => {
  strictEqual(findMissing(['a'], new Map([['a', null]])), undefined)
})

test('[S-params.6] [S-error.InvalidDataAccessApiUsageException] the message has the name', () => {
  requireParameters(['a'], [set('a')], false)
  const message = "Parameter 'b' has no value in the request"
  refuses(() => requireParameters(['a', 'b'], [set('a')], false), 'InvalidDataAccessApiUsageException', message)
})

test('[S-batch.1] [S-error.InvalidDataAccessApiUsageException] in a batch it has the index too', () => {
  requireParameters(['a'], [], true)
  const message = "Parameter 'b' has no value in queries[1]"
  const sets = [set('a', 'b'), set('a'), set()]
  refuses(() => requireParameters(['a', 'b'], sets, true), 'InvalidDataAccessApiUsageException', message)
})
