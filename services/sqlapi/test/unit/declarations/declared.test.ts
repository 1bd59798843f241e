/**
 * Values against declared types: what each type takes from a query string and from a body, and what is said otherwise.
 */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readDeclarations } from '../../../src/declarations/read.ts'
import { valueTypes } from '../../../src/declarations/value-types.ts'
import { compact } from '../../../src/json/read.ts'
import type { JsonValue, ParameterSet, ValueTypeName } from '../../../src/model.ts'
import { readDeclaredQuery, toDeclaredSets, type Wanted } from '../../../src/serve/params/declared.ts'
import { readBody, toBatch, toParameterSet } from '../../../src/serve/params/params.ts'

/** Lines of declarations for the parameters `x` and `y`; only `x` has to be given. */
function wanted(...lines: readonly string[]): Wanted {
  const text = [...lines, 'SELECT 1'].join('\n')
  const { declarations } = readDeclarations({ text, method: 'GET', parameters: ['x', 'y'] })
  deepStrictEqual(declarations?.problems ?? [], [], text)
  return { params: declarations?.params ?? [], names: ['x'] }
}

function get(query: string, what: Wanted): unknown {
  return Object.fromEntries(Array.from(readDeclaredQuery(query, what), ([name, value]) => [name, plain(value)]))
}

function post(body: unknown, what: Wanted): unknown {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const [set] = toDeclaredSets([toParameterSet(readBody(Buffer.from(text)))], what, { batch: false, areTexts: false })
  return Object.fromEntries(Array.from(set as ParameterSet, ([name, value]) => [name, plain(value)]))
}

/** Numbers as their digits, arrays and objects as their text without white space. */
function plain(value: JsonValue): unknown {
  if (typeof value !== 'object' || value === null) return value
  return 'digits' in value ? { [value.kind]: value.digits } : { [value.kind]: compact(value.text) }
}

function refuses(run: () => unknown, message: string): void {
  throws(run, { name: 'InvalidDataAccessApiUsageException', message })
}

/** Texts of a query string that have the type, with what is bound; and those that have not. */
const texts: Readonly<Record<ValueTypeName, { taken: readonly (readonly [string, unknown])[]; refused: string[] }>> = {
  string: {
    taken: [
      ['5', '5'],
      ['', ''],
      ['true', 'true'],
      ['{"a":1}', '{"a":1}'],
    ],
    refused: [],
  },
  integer: {
    taken: [
      ['5', { integer: '5' }],
      ['-5', { integer: '-5' }],
      ['0', { integer: '0' }],
      ['9223372036854775807', { integer: '9223372036854775807' }],
      ['-9223372036854775808', { integer: '-9223372036854775808' }],
    ],
    refused: [
      '9223372036854775808',
      '-9223372036854775809',
      '1'.repeat(500),
      '1.0',
      '1e3',
      '05',
      '+5',
      ' 5',
      '5 ',
      '0x1F',
      '5n',
      'five',
      '--5',
      '-',
      '١',
      'null',
      '1,2',
    ],
  },
  number: {
    taken: [
      ['5', { integer: '5' }],
      ['1.50', { float: '1.50' }],
      ['-0.25', { float: '-0.25' }],
      ['1e3', { float: '1e3' }],
      ['1E-7', { float: '1E-7' }],
      ['2.5e+10', { float: '2.5e+10' }],
    ],
    refused: ['1e400', '.5', '5.', '1,5', 'NaN', 'Infinity', '-Infinity', '1e', '01.5', '+1', '0x1F', '1_000', ' 1'],
  },
  boolean: {
    taken: [
      ['true', true],
      ['false', false],
    ],
    refused: ['TRUE', 'True', '1', '0', 'yes', 'on', 't', ' true', 'null'],
  },
  date: {
    taken: [
      ['2026-01-31', '2026-01-31'],
      ['2024-02-29', '2024-02-29'],
      ['2000-02-29', '2000-02-29'],
      ['0001-01-01', '0001-01-01'],
      ['9999-12-31', '9999-12-31'],
    ],
    refused: [
      '2023-02-29',
      '1900-02-29',
      '2026-04-31',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '2026-01-32',
      '0000-01-01',
      '10000-01-01',
      '26-01-31',
      '2026-1-31',
      '20260131',
      '2026/01/31',
      '31.01.2026',
      '2026-01-31T00:00:00',
      ' 2026-01-31',
      '2026-01-31 ',
      '2026-01-31\n',
      '-2026-01-31',
      'today',
      'infinity',
      '2026-W05-6',
    ],
  },
  timestamp: {
    taken: [
      '2026-01-31T10:20:30Z',
      '2026-01-31T10:20:30',
      '2026-01-31 10:20:30',
      '2026-01-31T10:20',
      '2026-01-31T10:20:30.123456789Z',
      '2026-01-31T10:20:30+02:00',
      '2026-01-31T10:20:30-0330',
      '2026-01-31T10:20:30+02',
      '2026-01-31T23:59:59.9-15:59',
      '2024-02-29T00:00:00+14:00',
    ].map((text) => [text, text] as const),
    refused: [
      '2026-01-31',
      '2026-01-31T24:00:00',
      '2026-01-31T10:60:00',
      '2026-01-31T10:20:60',
      '2023-02-29T10:20:30',
      '2026-01-31T10:20:30+16:00',
      '2026-01-31T10:20:30+02:60',
      '2026-01-31T10:20:30.',
      '2026-01-31T10:20:30.1234567890',
      '2026-01-31T10',
      '2026-01-31t10:20:30z',
      '2026-01-31T1:20:30',
      '2026-01-31T10:20:30 02:00',
      '2026-01-31T10:20:30 Europe/Tallinn',
      '2026-01-31T10:20:30ZZ',
      'now',
      '1769854830',
    ],
  },
  uuid: {
    taken: [
      ['0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b', '0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b'],
      ['0B8A2F6E-3C1D-4E5F-9A7B-6C5D4E3F2A1B', '0B8A2F6E-3C1D-4E5F-9A7B-6C5D4E3F2A1B'],
      ['00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000'],
    ],
    refused: [
      '0b8a2f6e3c1d4e5f9a7b6c5d4e3f2a1b',
      '{0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b}',
      '0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1',
      '0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1g',
      'urn:uuid:0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b',
    ],
  },
  json: {
    taken: [
      ['{"a": [1]}', { document: '{"a":[1]}' }],
      ['[1,2]', { document: '[1,2]' }],
      ['"x"', { document: '"x"' }],
      ['5', { document: '5' }],
      ['1e3', { document: '1e3' }],
      ['true', { document: 'true' }],
      ['null', null],
      [' {} ', { document: '{}' }],
    ],
    refused: [
      'x',
      '{a:1}',
      '{',
      '[1,]',
      "{'a':1}",
      '1 2',
      '"\\ud800"',
      '[[',
      '01',
      '1e400',
      '['.repeat(200) + ']'.repeat(200),
    ],
  },
}

for (const [type, { taken, refused }] of Object.entries(texts)) {
  const what = wanted(`-- @param x ${type}`)
  const { one, example } = valueTypes[type as ValueTypeName]
  test(`a query string's ${type} [N3.3]`, () => {
    for (const [text, bound] of taken) deepStrictEqual(get(`x=${encodeURIComponent(text)}`, what), { x: bound }, text)
    for (const text of refused) {
      const query = `x=${encodeURIComponent(text)}`
      refuses(() => get(query, what), `Parameter 'x' has to be ${one}, such as ${example}`)
    }
    ok(valueTypes[type as ValueTypeName].read(example) !== undefined)
  })
}

/** JSON of a body that has the type; everything else in the list of all has not. */
const values: Readonly<Record<ValueTypeName, readonly string[]>> = {
  string: [
    '"a"',
    '""',
    '"2026-01-31"',
    '5',
    '-9223372036854775808',
    '9223372036854775808',
    '1.5',
    '1e3',
    'true',
    'false',
  ],
  integer: ['5', '-9223372036854775808'],
  number: ['5', '-9223372036854775808', '9223372036854775808', '1.5', '1e3'],
  boolean: ['true', 'false'],
  date: ['"2026-01-31"'],
  timestamp: ['"2026-01-31T10:20:30+02:00"'],
  uuid: ['"0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b"'],
  json: [],
}
const other = ['"2026-01-31T10:20:30+02:00"', '"0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b"', '[]', '[1]', '{}', '{"a":1}']
const all = [...new Set([...values.string, ...other])]

for (const [type, taken] of Object.entries(values)) {
  test(`a body's ${type} [N3.3]`, () => {
    const what = wanted(`-- @param x ${type}`)
    const { one, example } = valueTypes[type as ValueTypeName]
    for (const value of all) {
      const body = `{"x": ${value}, "y": ${value}}`
      const isText = type === 'string' && value.startsWith('"')
      if (type === 'json')
        deepStrictEqual(post(body, what), { ...(post(body, wanted()) as object), x: { document: value } })
      else if (taken.includes(value) || isText) deepStrictEqual(post(body, what), post(body, wanted()), value)
      else refuses(() => post(body, what), `Parameter 'x' has to be ${one}, such as ${example}`)
    }
  })
}

/** As callers see them, for one value and for a list. */
const messages: Readonly<Record<ValueTypeName, readonly [one: string, list: string]>> = {
  string: ['a string, such as open', 'a list of strings, such as ["open"]'],
  integer: ['an integer, such as 42', 'a list of integers, such as [42]'],
  number: ['a number, such as 1.5', 'a list of numbers, such as [1.5]'],
  boolean: ['a boolean, such as true', 'a list of booleans, such as [true]'],
  date: ['a date, such as 2026-01-31', 'a list of dates, such as ["2026-01-31"]'],
  timestamp: ['a timestamp, such as 2026-01-31T10:20:30Z', 'a list of timestamps, such as ["2026-01-31T10:20:30Z"]'],
  uuid: [
    'a UUID, such as 0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b',
    'a list of UUIDs, such as ["0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b"]',
  ],
  json: ['JSON, such as {"a":1}', 'a list of JSON values, such as [{"a":1}]'],
}

test('each type is told in words, with an example [N3.3]', () => {
  for (const [type, [one, list]] of Object.entries(messages)) {
    refuses(() => post({ x: {} }, wanted(`-- @param x ${type}[]`)), `Parameter 'x' has to be ${list}`)
    if (type === 'json') refuses(() => get('x=a', wanted('-- @param x json')), `Parameter 'x' has to be ${one}`)
    else refuses(() => post({ x: {} }, wanted(`-- @param x ${type}`)), `Parameter 'x' has to be ${one}`)
  }
})

test('null passes every type, every list and every enumeration [N3.3]', () => {
  for (const type of Object.keys(valueTypes)) {
    for (const list of ['', '[]']) {
      deepStrictEqual(post({ x: null }, wanted(`-- @param x ${type}${list} default null`)), { x: null })
    }
  }
  deepStrictEqual(post({ x: null }, wanted('-- @enum x a, b')), { x: null })
})

test('an empty value of a query string counts as missing, but for a string [N3.3]', () => {
  const missing = "Parameter 'x' has no value in the request"
  for (const type of Object.keys(valueTypes)) {
    if (type === 'string') continue
    refuses(() => get('x=', wanted(`-- @param x ${type}`)), missing)
    refuses(() => get('x', wanted(`-- @param x ${type}`)), missing)
    refuses(() => get('x=&x', wanted(`-- @param x ${type}[]`)), missing)
    deepStrictEqual(get('x=', wanted(`-- @param x ${type} default null`)), { x: null })
  }
  deepStrictEqual(get('x=&y=', wanted('-- @param x string default "a"')), { x: '', y: '' })
  deepStrictEqual(get('x=', wanted('-- @param x default "a"')), { x: '' })
  deepStrictEqual(get('x=', wanted('-- @param x string[]')), { x: { array: '[""]' } })
  refuses(() => post({ x: '' }, wanted('-- @param x date')), "Parameter 'x' has to be a date, such as 2026-01-31")
})

test('a default stands in for a missing key, and for no other [N3.2]', () => {
  const what = wanted('-- @param x integer default 9007199254740993', '-- @param y default {"a": 1.10}')
  const both = { x: { integer: '9007199254740993' }, y: { object: '{"a":1.10}' } }
  deepStrictEqual([get('', what), post({}, what), post('', what)], [both, both, both])
  deepStrictEqual(post({ x: null, y: false }, what), { x: null, y: false })
  deepStrictEqual(get('x=7&z=1', what), { ...both, x: { integer: '7' }, z: '1' })
  refuses(() => get('y=1', wanted('-- @param y default 5')), "Parameter 'x' has no value in the request")
})

test('each set of a batch has its defaults, and each is checked [N3.2] [N3.3]', () => {
  const what = wanted('-- @param x date', '-- @param y integer[] default [1]')
  const sets = (body: unknown): readonly ParameterSet[] => {
    return toDeclaredSets(toBatch(readBody(Buffer.from(JSON.stringify({ queries: body })))), what, {
      batch: true,
      areTexts: false,
    })
  }
  const x = '2026-01-31'
  deepStrictEqual(
    sets([{ x }, { x, y: [2] }, { x: null, y: null }]).map((set) => [set.get('x'), plain(set.get('y') as JsonValue)]),
    [
      [x, { array: '[1]' }],
      [x, { array: '[2]' }],
      [null, null],
    ],
  )
  deepStrictEqual(sets([]), [])
  refuses(() => sets([{ x }, {}]), "Parameter 'x' has no value in queries[1]")
  refuses(() => sets([{ x }, null, { x: 1 }]), "Parameter 'x' has no value in queries[1]")
  refuses(() => sets([{ x }, { x: '2026-02-30' }]), "Parameter 'x' has to be a date, such as 2026-01-31, in queries[1]")
  refuses(() => sets([{ x, y: [1, 'a'] }]), "Parameter 'y[1]' has to be an integer, such as 42, in queries[0]")
  refuses(() => sets([{ x, y: 1 }]), "Parameter 'y' has to be a list of integers, such as [42], in queries[0]")
})

test('sets without parameters of their own share nothing [N3.2]', () => {
  const what = wanted('-- @param x default 1')
  const [one, two] = toDeclaredSets(toBatch(readBody(Buffer.from('{"queries":[null,null]}'))), what, {
    batch: true,
    areTexts: false,
  })
  ok(one !== two)
  deepStrictEqual(toParameterSet(null), new Map())
})

test('repeated keys are the elements of a list [N3.3]', () => {
  const what = wanted('-- @param x integer[] default []', '-- @param y string[] default null')
  const cases: readonly [query: string, x: string, y: string | null][] = [
    ['x=1', '[1]', null],
    ['x=3&y=a&x=1&y=b&x=3', '[3,1,3]', '["a","b"]'],
    ['x=1&x=&x=2&x', '[1,2]', null],
    ['', '[]', null],
    ['x=&y=', '[]', '[""]'],
    ['y=%22%2C%5D', '[]', String.raw`["\",]"]`],
  ]
  for (const [query, x, y] of cases) {
    deepStrictEqual(get(query, what), { x: { array: x }, y: y === null ? null : { array: y } }, query)
  }
  refuses(() => get('x=1&x=&x=b', what), "Parameter 'x[1]' has to be an integer, such as 42")
  deepStrictEqual(get('x=1&x=2', wanted('-- @param x integer')), { x: { integer: '2' } })
  deepStrictEqual(get('x={"a":1}&x=[2]&x=null', wanted('-- @param x json[]')), { x: { array: '[{"a":1},[2],null]' } })
})

test('a list of a body is an array whose elements have the type, nulls allowed [N3.3]', () => {
  const what = wanted('-- @param x date[]')
  for (const list of [[], [null], ['2024-02-29', null, '2026-01-31']]) {
    deepStrictEqual(post({ x: list }, what), { x: { array: JSON.stringify(list) } })
  }
  const message = 'Parameter \'x\' has to be a list of dates, such as ["2026-01-31"]'
  for (const value of ['2026-01-31', 1, {}, false]) refuses(() => post({ x: value }, what), message)
  refuses(() => post({ x: [[]] }, what), "Parameter 'x[0]' has to be a date, such as 2026-01-31")
  deepStrictEqual(post({ x: [1, 'a', null, [{}]] }, wanted('-- @param x json[]')), {
    x: { array: '[1,"a",null,[{}]]' },
  })
})

test('a value is one of the enumeration, however it is spelled [N3.3]', () => {
  const message = 'Parameter \'x\' has to be one of open, paid, ""'
  const what = wanted('-- @enum x open, paid, ""')
  deepStrictEqual(
    [get('x=paid', what), get('x=', what), post({ x: 'open' }, what)],
    [{ x: 'paid' }, { x: '' }, { x: 'open' }],
  )
  refuses(() => get('x=Open', what), message)
  for (const value of ['', 'OPEN', 1, true, [], ['open'], {}]) {
    if (value !== '') refuses(() => post({ x: value }, what), message)
  }
  const numbers = wanted('-- @param x number', '-- @enum x 1.50, 1e3')
  deepStrictEqual(get('x=1000', numbers), { x: { integer: '1000' } })
  deepStrictEqual(post('{"x":1.5}', numbers), { x: { float: '1.5' } })
  const zero = wanted('-- @param x number', '-- @enum x 0, 9007199254740993')
  for (const text of ['0', '-0', '0.0', '-0e0', '9007199254740993']) ok(get(`x=${text}`, zero) !== undefined, text)
  refuses(() => get('x=9007199254740992', zero), "Parameter 'x' has to be one of 0, 9007199254740993")
  refuses(() => post(`{"x":${'9'.repeat(1_000_000)}}`, zero), "Parameter 'x' has to be one of 0, 9007199254740993")
  refuses(() => get('x=2', numbers), "Parameter 'x' has to be one of 1.5, 1000")
  const lists = wanted('-- @param x string[]', '-- @enum x a, b')
  deepStrictEqual(get('x=b&x=a', lists), { x: { array: '["b","a"]' } })
  refuses(() => get('x=b&x=c', lists), "Parameter 'x[1]' has to be one of a, b")
  refuses(() => post({ x: ['a', null, 'c'] }, lists), "Parameter 'x[2]' has to be one of a, b")
  const uuids = wanted('-- @param x uuid', '-- @enum x 0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b')
  get('x=0B8A2F6E-3C1D-4E5F-9A7B-6C5D4E3F2A1B', uuids)
  const many = wanted(`-- @enum x ${Array.from({ length: 30 }, (_, index) => `v${index}`).join()}`)
  throws(() => get('x=a', many), /v18, v19 \.\. \(30 values\)$/)
})

test('texts of a format that has no other values are read as those of a query string [N3.3]', () => {
  const what = wanted('-- @param x integer', '-- @param y integer[]')
  const sets = [
    new Map<string, JsonValue>([
      ['x', '5'],
      ['y', '6'],
    ]),
    new Map<string, JsonValue>([['x', null]]),
  ]
  const fitting = toDeclaredSets(sets, what, { batch: true, areTexts: true })
  deepStrictEqual(
    fitting.map((set) => Array.from(set.values(), plain)),
    [[{ integer: '5' }, { array: '[6]' }], [null]],
  )
})

test('a set that fits is not copied [N3.3]', () => {
  const set = new Map<string, JsonValue>([['x', '2026-01-31']])
  strictEqual(
    toDeclaredSets([set], wanted('-- @param x date', '-- @param y string'), { batch: false, areTexts: false })[0],
    set,
  )
})

test('dates are those of the calendar [N3.3]', () => {
  const day = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(day, (date) => {
      const text = date.toISOString()
      ok(valueTypes.date.read(text.slice(0, 10)) !== undefined, text)
      ok(valueTypes.timestamp.read(text) !== undefined, text)
    }),
    { seed: 20261122 },
  )
  const parts = fc.tuple(
    fc.integer({ min: 1, max: 9999 }),
    fc.integer({ min: 0, max: 14 }),
    fc.integer({ min: 0, max: 33 }),
  )
  fc.assert(
    fc.property(parts, ([year, month, date]) => {
      const text = [String(year).padStart(4, '0'), ...[month, date].map((part) => String(part).padStart(2, '0'))].join(
        '-',
      )
      const parsed = new Date(`${text}T00:00:00Z`)
      const isOne = !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text)
      strictEqual(valueTypes.date.read(text) !== undefined, isOne, text)
    }),
    { seed: 20261122 },
  )
})
