/** Bodies and query strings -> parameter sets, and what is said when one does not fit. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FailureName } from '../../../src/errors.ts'
import type { ParameterSet } from '../../../src/model.ts'
import {
  findMissing,
  readBody,
  readQuery,
  requireParameters,
  requireUncoded,
  toBatch,
  toParameterSet,
} from '../../../src/serve/params/params.ts'

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

test('an empty body and null mean no parameters [D2.1]', () => {
  for (const text of ['', 'null', ' null ', '{}']) deepStrictEqual(toParameterSet(body(text)), new Map(), text)
})

test('a body that is no object is malformed [D2.1] [S-error.MalformedRequestException]', () => {
  const kinds = { '"x"': 'a string', '1': 'a number', '1.5': 'a number', false: 'a boolean' }
  for (const [text, kind] of Object.entries(kinds)) {
    malformed(() => toParameterSet(body(text)), `Request body must be a JSON object, not ${kind}`)
  }
})

test('a broken body is found in the first step, a wrong shape in the second [D1.8] [S-error.MalformedRequestException]', () => {
  malformed(() => body('{'), 'Request body is not valid JSON: unexpected end at character 2')
  malformed(() => body(' '), 'Request body is not valid JSON: unexpected end at character 2')
  body('[1]')
})

test('an object is the parameter set, with every key [S-params.7]', () => {
  deepStrictEqual(
    toParameterSet(body('{"a":"x","extra":null}')),
    new Map([
      ['a', 'x'],
      ['extra', null],
    ]),
  )
})

test('a batch has one set per element, null meaning none [D2.1]', () => {
  const sets = toBatch(body('{"other": 1, "queries": [ {"a": "x"}, null, {}, {"b": true} ]}'))
  deepStrictEqual(sets, [new Map([['a', 'x']]), new Map(), new Map(), new Map([['b', true]])])
  deepStrictEqual(toBatch(body('{"queries":[]}')), [])
})

const noQueries = `Request body has no field 'queries'; send {"queries": [{..}, {..}]}`

test('an array for a single call, and a batch under another name, are told the form of a batch [F11]', () => {
  const form = 'for a batch, send {"queries": [{..}, {..}]} to the path that ends in /batch'
  malformed(() => toParameterSet(body('[{}]')), `Request body must be a JSON object, not an array; ${form}`)
  malformed(() => toBatch(body('{"items":[{}]}')), `${noQueries}; the array in the body is called "items"`)
  malformed(() => toBatch(body('{"a":[{}],"b":[{}]}')), noQueries)
  malformed(() => toBatch(body(`{"${'a'.repeat(129)}":[{}]}`)), noQueries)
})

test('a batch without queries is malformed [S-batch.4] [S-error.MalformedRequestException]', () => {
  for (const text of ['', 'null', '{}', '{"Queries":[]}']) {
    malformed(
      () => toBatch(body(text)),
      `${noQueries}${text.includes('Q') ? '; the array in the body is called "Queries"' : ''}`,
    )
  }
  const inQueries = "put the array into its field 'queries'"
  malformed(() => toBatch(body('[{}]')), `Request body must be a JSON object, not an array; ${inQueries}`)
})

test('queries that are no array are malformed [S-batch.4]', () => {
  const kinds = { '{}': 'an object', '"x"': 'a string', '1': 'a number', true: 'a boolean', null: 'null' }
  for (const [text, kind] of Object.entries(kinds)) {
    malformed(() => toBatch(body(`{"queries":${text}}`)), `'queries' must be an array, not ${kind}`)
  }
})

test('an element that is no object is malformed, and named by its index [D2.1]', () => {
  malformed(() => toBatch(body('{"queries":[{},[],1]}')), 'queries[1] must be a JSON object, not an array')
  malformed(() => toBatch(body('{"queries":[{},null,"x"]}')), 'queries[2] must be a JSON object, not a string')
})

test('a repeated key of a body: the last value, also for queries [D2.2]', () => {
  deepStrictEqual(toBatch(body('{"queries":1,"queries":[{"a":"x","a":"y"}]}')), [new Map([['a', 'y']])])
})

test('every key of a query string binds its value as a string [S-params.4]', () => {
  deepStrictEqual(Array.from(readQuery('id=42&name=J%C3%BCri&flag=true&none=null')), [
    ['id', '42'],
    ['name', 'Jüri'],
    ['flag', 'true'],
    ['none', 'null'],
  ])
})

test('query strings: the last of a repeated key, keys without a value, plus signs [D2.4]', () => {
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

test('what the platform writes as a query string is read back [D2.4]', () => {
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

test('a percent escape that cannot be decoded is malformed, not guessed at [S-error.MalformedRequestException]', () => {
  for (const query of ['a=100%', 'a=%zz', 'a=%ff', '%ED%A0%80=1', 'b=1&a=%C3']) {
    malformed(() => readQuery(query), 'Query string has a percent escape that does not decode to UTF-8')
  }
})

test('the missing parameter that is reported is the first in SQL order [S-params.6] [D1.8]', () => {
  strictEqual(findMissing(['b', 'a'], set('c')), 'b')
  strictEqual(findMissing(['b', 'a'], set('b')), 'a')
  strictEqual(findMissing(['b', 'a'], set('a', 'b', 'c')), undefined)
  strictEqual(findMissing(['toString'], set()), 'toString')
})

test('a value of null is not missing [S-params.6]', () => {
  strictEqual(findMissing(['a'], new Map([['a', null]])), undefined)
})

test('the message has the name [S-params.6] [S-error.InvalidDataAccessApiUsageException]', () => {
  requireParameters(['a'], [set('a')], false)
  const message = "Parameter 'b' has no value in the request"
  refuses(() => requireParameters(['a', 'b'], [set('a')], false), 'InvalidDataAccessApiUsageException', message)
})

test('a key that is nearly the parameter is named too [S-params.6] [F11]', () => {
  const error = 'InvalidDataAccessApiUsageException'
  const missing = "Parameter 'userId' has no value in the request"
  for (const key of ['user_id', 'USERID', 'user-id', ' userId ', 'userIds', 'usreId']) {
    const message = `${missing}; found ${JSON.stringify(key)}, which is another name`
    refuses(() => requireParameters(['userId'], [set('a', key)], false), error, message)
  }
  refuses(() => requireParameters(['user_id', 'userId'], [set('user_id')], false), error, missing)
  refuses(() => requireParameters(['userId'], [set('us', 'userNames', '', 'x'.repeat(9_000))], false), error, missing)
  refuses(() => requireParameters(['_'], [set('', '-')], false), error, "Parameter '_' has no value in the request")
})

test('the body of a batch that is sent to the file itself is told where it belongs [S-params.6]', () => {
  const sent = toParameterSet(body('{"queries":[{"b":1}]}'))
  const message =
    "Parameter 'b' has no value in the request; the field 'queries' belongs to a batch, whose path ends in /batch"
  const error = 'InvalidDataAccessApiUsageException'
  refuses(() => requireParameters(['b'], [sent], false), error, message)
  refuses(() => requireParameters(['b'], [set('queries')], false), error, "Parameter 'b' has no value in the request")
})

test('in a batch it has the index too [S-batch.1] [S-error.InvalidDataAccessApiUsageException]', () => {
  requireParameters(['a'], [], true)
  const message = "Parameter 'b' has no value in queries[1]"
  const sets = [set('a', 'b'), set('a'), set()]
  refuses(() => requireParameters(['a', 'b'], sets, true), 'InvalidDataAccessApiUsageException', message)
})

test('the form of a page is told as one, and what only has its media type is not [S-error.MalformedRequestException]', () => {
  const ofPage = 'application/x-www-form-urlencoded'
  const readAs = (text: string, mediaType: string) => () => readBody(Buffer.from(text), { 'content-type': mediaType })
  const noJson = (what: string): string => `Request body is not valid JSON: unexpected ${what}`
  const hint = '; the body is a form, send a JSON object'
  malformed(readAs('first_name=x&b=2', ofPage), noJson("'i' at character 2") + hint)
  malformed(readAs('--x\r\n', 'multipart/form-data; boundary=x'), noJson("'-' at character 2") + hint)
  malformed(readAs('{"a"=1}', ofPage), noJson("'=' at character 5"))
  deepStrictEqual(readBody(Buffer.from('{"a":true}'), { 'content-type': ofPage }), new Map([['a', true]]))
})

test('a body that says it is coded is refused, even if it is not [F10]', () => {
  const body = Buffer.from('{"a":true}')
  const refused = (coding: string, shown = coding): void => {
    const message = `Request body has Content-Encoding: ${shown}, which is not supported; send it uncompressed`
    throws(() => requireUncoded(body, { 'content-encoding': coding }), { reason: 'body_coded', message })
  }
  for (const coding of ['gzip', 'X-GZIP', 'br', 'deflate, gzip', 'identity,gzip', 'identityidentity']) refused(coding)
  refused('x'.repeat(1000), 'x'.repeat(64))
  for (const coding of ['', ' ', 'Identity', 'identity , identity', ',']) {
    requireUncoded(body, { 'content-encoding': coding })
  }
  requireUncoded(body, {})
  requireUncoded(Buffer.alloc(0), { 'content-encoding': 'gzip' })
})

test('what is usual elsewhere is told with what JSON has [D2.2] [S-error.MalformedRequestException]', () => {
  const quotes = 'JSON has double quotes'
  const words = 'keys and texts have double quotes'
  const literals = 'write true, false and null in small letters'
  const backslash = String.raw`a backslash in a text is written \\`
  const cases: readonly (readonly [text: string, said: string])[] = [
    ["{'a': 1}", `unexpected ''' at character 2; ${quotes}`],
    [`'{"a": 1}'`, `unexpected ''' at character 1; ${quotes}`],
    ['{“a”: 1}', `unexpected U+201C at character 2; ${quotes}`],
    ['{a: 1}', `unexpected 'a' at character 2; ${words}`],
    ['{"a": open}', `unexpected 'o' at character 7; ${words}`],
    ['[1, õ]', `unexpected U+00F5 at character 5; ${words}`],
    ['{"a": True}', `unexpected 'T' at character 7; ${literals}`],
    ['[None]', `unexpected 'N' at character 2; ${literals}`],
    ['{"a": NaN}', `unexpected 'N' at character 7; JSON has no such number`],
    ['{"a": 1,}', `unexpected '}' at character 9; remove the comma in front of it`],
    ['[1,\n ]', `unexpected ']' at character 6; remove the comma in front of it`],
    [String.raw`{"a": "C:\data"}`, `unexpected 'd' at character 11; ${backslash}`],
    [String.raw`{"a": "it\'s"}`, `unexpected ''' at character 11; ${backslash}`],
    ['{"a": "x\n"}', String.raw`unexpected U+000A at character 9; in a text it is \n, \r or \t`],
    ['{"a": 1} // one', `unexpected '/' at character 10; JSON has no comments`],
    ['\ufeff{"a": 1}', `unexpected U+FEFF at character 1; send it without a byte-order mark`],
    ['a=1', `unexpected 'a' at character 1`],
    ['{"a"=1}', `unexpected '=' at character 5`],
    ['{"a":}', `unexpected '}' at character 6`],
    ['[nul]', `unexpected ']' at character 5`],
  ]
  for (const [text, said] of cases) {
    malformed(() => body(text), `Request body is not valid JSON: ${said}`)
  }
})
