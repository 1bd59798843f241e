/**
 * What files declare in their leading comments: every word with its form, and every line that does not count with its
 * cure.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readDeclarations } from '../../../src/declarations/read.ts'
import type { Declarations, Method } from '../../../src/model.ts'

const names = Array.from({ length: 30 }, (_, index) => `n${index}`)
const parameters = ['id', 'status', 'from', 'ids', 'doc']

function read(text: string, method: Method = 'GET'): Declarations {
  const { declarations } = readDeclarations({ text: `${text}\nSELECT 1`, method, parameters })
  ok(declarations !== undefined, text)
  return declarations
}

/** The only problem of a text: position, message, cure. */
function problemOf(text: string, method: Method = 'GET'): string {
  const { problems } = read(text, method)
  strictEqual(problems.length, 1, JSON.stringify(problems))
  return problems.map(({ line, column, message, cure }) => `${line}:${column} ${message}; ${cure}`).join()
}

test('a file without declarations has none [N3.1]', () => {
  for (const text of [
    '',
    'SELECT 1',
    '-- Orders.\nSELECT 1',
    "SELECT '@param'",
    '-- me@example.org\nSELECT 1',
    '-- 5 @ 10\nSELECT 1',
  ]) {
    deepStrictEqual(readDeclarations({ text, method: 'GET', parameters }), {
      transactional: false,
      declarations: undefined,
    })
  }
  const marked = readDeclarations({ text: '-- @transactional\nSELECT 1', method: 'GET', parameters })
  deepStrictEqual(marked, { transactional: true, declarations: undefined })
})

test('every word is read [N3.1]', () => {
  const text = `-- Orders of a customer, for the shop.
-- @transactional
-- @summary  Orders of a customer
--@description Newest first.
--   @description At most 100.\r
-- @tag orders
-- @tag Shop front
-- @deprecated Call /shop/find

-- @param id integer -- Number of the customer
-- @param from date default null
-- @param status default "open"
-- @param ids integer[] default [1, 2] -- of orders
-- @param doc
-- @enum status open, closed, "a, b", ""
-- @result orderId Number of the order
-- @timeout 30s
-- @cache 60s public
-- @replica
-- @allow no-where The table has one row`
  const { transactional, declarations } = readDeclarations({ text, method: 'GET', parameters })
  strictEqual(transactional, true)
  const any = { type: undefined, list: false, default: undefined, description: undefined, enum: undefined }
  deepStrictEqual(declarations, {
    summary: 'Orders of a customer',
    description: 'Newest first.\nAt most 100.',
    tags: ['orders', 'Shop front'],
    deprecated: 'Call /shop/find',
    params: [
      { ...any, name: 'id', type: 'integer', description: 'Number of the customer' },
      { ...any, name: 'status', default: 'open', enum: ['open', 'closed', 'a, b', ''] },
      { ...any, name: 'from', type: 'date', default: null },
      {
        ...any,
        name: 'ids',
        type: 'integer',
        list: true,
        default: { kind: 'array', text: '[1, 2]' },
        description: 'of orders',
      },
      { ...any, name: 'doc' },
    ],
    results: [{ key: 'orderId', description: 'Number of the order', line: 16, column: 12 }],
    timeoutSeconds: 30,
    cache: { seconds: 60, isPublic: true },
    replica: true,
    allow: [{ code: 'no-where', reason: 'The table has one row', line: 20, column: 11 }],
    yaml: undefined,
    problems: [],
  })
})

test('words without a text, times in other units, a cache for one caller [N3.1]', () => {
  strictEqual(read('-- @deprecated').deprecated, '')
  for (const [time, seconds] of [
    ['1s', 1],
    ['5m', 300],
    ['24h', 86_400],
    ['1d', 86_400],
    ['086400s', 86_400],
  ] as const) {
    strictEqual(read(`-- @timeout ${time}`).timeoutSeconds, seconds, time)
  }
  deepStrictEqual(read('-- @cache 365d').cache, { seconds: 31_536_000, isPublic: false })
})

test('a default is JSON with all its digits, to its end [N3.2]', () => {
  const cases: readonly [line: string, value: unknown, description?: string][] = [
    ['default null', null],
    ['default true', true],
    ['default 9223372036854775807', { kind: 'integer', digits: '9223372036854775807' }],
    ['default 1.10', { kind: 'float', digits: '1.10' }],
    ['default "a -- b" -- text', 'a -- b', 'text'],
    ['default "it\\u0027s \\"x\\""', `it's "x"`],
    ['default {"a": [1, 2]} -- x', { kind: 'object', text: '{"a": [1, 2]}' }, 'x'],
    ['default [] --x', { kind: 'array', text: '[]' }, 'x'],
    ['json default "a"', { kind: 'document', text: '"a"' }],
    ['json default {"a":1}', { kind: 'document', text: '{"a":1}' }],
    ['json default null', null],
    ['date default "2024-02-29"', '2024-02-29'],
    ['string default 5', { kind: 'integer', digits: '5' }],
    ['integer default 9007199254740993', { kind: 'integer', digits: '9007199254740993' }],
    ['number default 1e3', { kind: 'float', digits: '1e3' }],
    ['date[] default ["2024-02-29", null]', { kind: 'array', text: '["2024-02-29", null]' }],
  ]
  for (const [line, value, description] of cases) {
    const [param] = read(`-- @param doc ${line}`).params
    deepStrictEqual(param?.default, value, line)
    strictEqual(param?.description, description, line)
  }
})

test('values of an enum are those of the type [N3.3]', () => {
  const cases: readonly [type: string, values: string, read: readonly string[]][] = [
    ['', 'a, 5, true', ['a', '5', 'true']],
    ['string', 'a,b', ['a', 'b']],
    ['integer', '1, 9007199254740993', ['1', '9007199254740993']],
    ['number', '1.50, 1e3', ['1.5', '1000']],
    ['boolean', 'true', ['true']],
    ['uuid', '0B8A2F6E-3C1D-4E5F-9A7B-6C5D4E3F2A1B', ['0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b']],
    ['string[]', 'a, b', ['a', 'b']],
  ]
  for (const [type, values, expected] of cases) {
    deepStrictEqual(read(`-- @enum id ${values}\n-- @param id ${type}`).params[0]?.enum, expected, type)
  }
  const [alone] = read('-- @enum status open').params
  deepStrictEqual([alone?.name, alone?.type, alone?.enum], ['status', undefined, ['open']])
})

const problems: readonly [text: string, expected: string, method?: Method][] = [
  ['-- @parm id', '1:4 unknown word "@parm"; did you mean @param?'],
  ['-- Äö\n  --   @Summary x', '2:8 unknown word "@Summary"; did you mean @summary?'],
  [
    '--@todo later',
    '1:3 unknown word "@todo"; the known words are @transactional, @summary, @description, @tag, @deprecated, @param, @enum, @result, @timeout, @cache, @replica, @allow; a remark may not begin with @',
  ],
  ['-- @transactional.', '1:4 unknown word "@transactional."; did you mean @transactional?'],
  ['-- @ param id', '1:4 white space between @ and param; write @param'],
  ['-- @__proto__ x', '1:4 unknown word "@__proto__"; the known words are'],
  ['-- @summary', '1:12 @summary has no text; write @summary Orders of a customer'],
  ['-- @summary a\n-- @summary b', '2:13 @summary occurs twice; the first one counts; remove the other'],
  ['-- @description  ', '1:18 @description has no text; write @description Newest first.'],
  ['-- @tag', '1:8 @tag has no text; write @tag orders'],
  ['-- @tag a\n-- @tag a', '2:9 the tag "a" occurs twice; the first one counts; remove the other'],
  ['-- @deprecated\n-- @deprecated x', '2:16 @deprecated occurs twice;'],
  ['-- @param', '1:10 the name of a parameter is missing; write @param from date default null -- First day'],
  ['-- @param :id', '1:11 ":id" is not the name of a parameter; write the name without the colon: id'],
  ['-- @param "id"', '1:11 "\\"id\\"" is not the name of a parameter; write @param from'],
  ['-- @param idd', '1:11 the SQL has no parameter :idd; did you mean id?'],
  ['-- @param zzz', '1:11 the SQL has no parameter :zzz; its parameters are id, status, from, ids, doc'],
  ['-- @param id\n-- @param id integer', '2:11 the parameter id has a line with @param already; the first one counts'],
  ['-- @param id int', '1:14 unknown type "int"; did you mean integer?'],
  ['-- @param id integr[]', '1:14 unknown type "integr[]"; did you mean integer?'],
  ['-- @param id Integer', '1:14 unknown type "Integer"; did you mean integer?'],
  [
    '-- @param id quux',
    '1:14 unknown type "quux"; the types are string, integer, number, boolean, date, timestamp, uuid, json, each with [] for a list',
  ],
  ['-- @param id constructor', '1:14 unknown type "constructor"; the types are string, integer,'],
  ['-- @param id integer [] -- x', '1:22 found "[]" behind the type; default VALUE or -- TEXT may stand there'],
  ['-- @param id integer = 5', '1:22 found "=" behind the type;'],
  ['-- @param id integer = 5', '1:22 found "=" behind the type; write default instead of the sign'],
  [
    '-- @param id integer required',
    '1:22 found "required" behind the type; remove it: a parameter without a default has to be given',
  ],
  [
    '-- @param id integer Optional',
    '1:22 found "Optional" behind the type; write default null, and the parameter may be left out',
  ],
  ['-- @param id optional', '1:14 "optional" is not a type; write default null, and the parameter may be left out'],
  [
    '-- @param id integer[] default 1,2',
    '1:32 the default "1,2" is not JSON; write a list in JSON, such as [1, 2] or ["open"]',
  ],
  ['-- @param id default', '1:21 default has no value; write JSON, such as null or "open"'],
  ['-- @param id default -- text', '1:22 default has no value;'],
  ['-- @param id default open', '1:22 the default "open" is not JSON; a text needs double quotes: default "open"'],
  [
    "-- @param id default 'open' -- x",
    '1:22 the default "\'open\'" is not JSON; a text needs double quotes: default "open"',
  ],
  ['-- @param id default 5abc', '1:22 the default "5abc" is not JSON; write JSON, such as null, 10 or "open"'],
  ['-- @param id default "a', '1:22 the default "\\"a" is not JSON; write JSON'],
  ['-- @param id default 1 2', '1:22 the default "1 2" is not JSON;'],
  ['-- @param id integer default "5"', '1:11 the default of id is not an integer; write an integer in JSON, or null'],
  ['-- @param id integer default 9223372036854775808', '1:11 the default of id is not an integer;'],
  ['-- @param from date default "2023-02-29"', '1:11 the default of from is not a date;'],
  ['-- @param ids integer[] default 5', '1:11 the default of ids is not a list of integers;'],
  ['-- @param ids integer[] default [1, "2"]', '1:11 the default of ids is not a list of integers;'],
  [
    '-- @param status default "x"\n-- @enum status open, closed',
    '1:11 the default of status is not one of its values; its values are open, closed',
  ],
  ['-- @enum ids a, b\n-- @param ids string[] default ["a", "c"]', '2:11 the default of ids is not one of its values;'],
  ['-- @enum', '1:9 the name of a parameter is missing; write @enum status open, closed'],
  ['-- @enum status', '1:16 a value is missing; @enum status open, closed; "" is the empty text'],
  ['-- @enum status open,,closed', '1:22 a value is missing;'],
  ['-- @enum status open,', '1:22 a value is missing;'],
  ['-- @enum status open, open', '1:23 the value "open" occurs twice; remove one'],
  ['-- @enum status [open, closed]', '1:17 the values are in brackets; write them without: open, closed'],
  ['-- @enum status (open)', '1:17 the values are in brackets; write them without: open'],
  [
    "-- @enum status 'open', 'closed'",
    '1:17 the values are in single quotes; write them without, or in double quotes: open,',
  ],
  ['-- @enum status open | closed', '1:17 "open | closed" is one value; write open, closed, or in double quotes'],
  ['-- @enum status open closed', '1:17 "open closed" is one value; write open, closed, or in double quotes'],
  ['-- @enum status "open', '1:17 a text in double quotes is never closed; close it'],
  ['-- @enum status "a" b', '1:21 found "b" behind a value; part the values by commas'],
  ['-- @enum stats open', '1:10 the SQL has no parameter :stats; did you mean status?'],
  ['-- @enum status a\n-- @enum status b', '2:10 the parameter status has a line with @enum already;'],
  ['-- @param id integer\n-- @enum id 1, x', '2:10 the value "x" is not an integer; write an integer such as 42'],
  ['-- @param doc json\n-- @enum doc 1', '2:10 the parameter doc is JSON, which is not compared; remove the line'],
  ['-- @result', '1:11 a key and a text are missing; @result orderId Number of the order'],
  ['-- @result orderId', '1:12 a key and a text are missing;'],
  ['-- @result a b\n-- @result a c', '2:12 the key "a" occurs twice;'],
  ['-- @timeout', '1:12 the time is missing; write whole seconds, minutes, hours or days (s, m, h, d): @timeout 30s'],
  ['-- @timeout 30', '1:13 "30" is not a time;'],
  ['-- @timeout 1.5s', '1:13 "1.5s" is not a time;'],
  ['-- @timeout 500ms', '1:13 "500ms" is not a time;'],
  ['-- @timeout 30s please', '1:13 "30s please" is not a time;'],
  ['-- @timeout 0s', '1:13 "0s" is out of range; write a time from 1s to 24h'],
  ['-- @timeout 86401s', '1:13 "86401s" is out of range; write a time from 1s to 24h'],
  ['-- @timeout 1s\n-- @timeout 2s', '2:13 @timeout occurs twice;'],
  [
    '-- @cache',
    '1:10 the time is missing; write whole seconds, minutes, hours or days (s, m, h, d): @cache 60s, @cache 60s public',
  ],
  ['-- @cache public', '1:11 "public" is not a time;'],
  ['-- @cache 0s', '1:11 "0s" is out of range; write a time from 1s to 365d'],
  ['-- @cache 366d', '1:11 "366d" is out of range;'],
  ['-- @cache 60s private', '1:15 found "private" behind the time; only public may stand there'],
  ['-- @cache 60s\n-- @cache 60s', '2:11 @cache occurs twice;'],
  ['-- @cache 60s', '1:11 the answer of a POST file is never kept; remove the line', 'POST'],
  ['-- @allow', '1:10 a code and a reason are missing; @allow no-where The table has one row'],
  ['-- @allow no-where', '1:11 a code and a reason are missing;'],
  ['-- @allow no-where b\n-- @allow no-where c', '2:11 the code "no-where" occurs twice;'],
  ['-- @allow nowhere b', '1:11 there is no code "nowhere"; did you mean no-where?'],
  [
    '/* Licence. */\n-- Text.\n-- @transactional',
    '3:4 @transactional is after a block comment, which ends the leading comments; move it above the block comment',
  ],
  [
    '/* @transactional */\nSELECT 1',
    '1:4 @transactional does not count here, so the file is no transaction; write -- @transactional above everything else',
  ],
  ['/*\n * Text.\n * @transactional both\n */\nSELECT 1', '3:4 @transactional does not count here'],
  ['SELECT 1; -- @transactional\nSELECT 2', '1:14 @transactional does not count here'],
  [
    '/* @param id integer */\nSELECT 1',
    '1:4 @param does not count here; write -- @param above everything else in the file',
  ],
  ['SELECT 1;\n  -- @timeout 30s\nSELECT 2', '2:6 @timeout does not count here;'],
  [`-- @param ${'x'.repeat(100)}-`, `1:11 "${'x'.repeat(60)}.." is not the name of a parameter;`],
]

for (const [text, expected, method] of problems) {
  test(`${JSON.stringify(text)} is told with its cure [N3.1]`, () => {
    const told = problemOf(text, method)
    ok(told.startsWith(expected), told)
  })
}

for (const [text, expected] of [
  ['SELECT 1;\n-- @transaction\nSELECT 2', '2:4 unknown word @transaction, and it does not count here; did you mean @transactional? write -- @transactional above everything else'], // prettier-ignore
  ['SELECT :id;\n  -- @parm id int\n', '2:6 unknown word @parm, and it does not count here; did you mean @param?'],
  ['SELECT 1\n/* @Params id */', '2:4 unknown word @Params, and it does not count here; did you mean @param?'],
  ['SELECT 1;\n-- @param id integer\nSELECT :id', '2:4 @param does not count here; write -- @param above everything'],
  ['SELECT 1;\n-- @allow no-where One row.\nDELETE FROM t', '2:4 @allow does not count here; write -- @allow above'],
] as const) {
  test(`${JSON.stringify(text)} is reported with its cure [F11]`, () => {
    const told = problemOf(text)
    ok(told.startsWith(expected), told)
  })
}

test('comments below the first statement that only look like words are none [F11]', () => {
  for (const text of [
    'SELECT 1;\n-- @id integer\n-- @parm = 5\n-- @params, @enums\n-- @author Kask\n-- @see @param',
    '-- @transactional\nSELECT 1;\n-- @transaction ends',
    'SELECT 1;\nDO $$\n-- @parm id\n$$',
    'SELECT 1;\n-- @summary of orders\n-- @results below',
  ]) {
    deepStrictEqual(readDeclarations({ text, method: 'POST', parameters: [] }).declarations, undefined, text)
  }
})

test('a second marker, and one in a text or a longer word, is no problem [N3.1]', () => {
  for (const text of [
    '-- @transactional\nSELECT 1 -- @transactional',
    "SELECT '@transactional'",
    'SELECT 1 -- @transactionally',
    'SELECT 1 -- see @transactional',
  ]) {
    deepStrictEqual(readDeclarations({ text, method: 'GET', parameters: [] }).declarations, undefined, text)
  }
})

const otherNames: Readonly<Record<string, string>> = {
  string: 'text VARCHAR char str',
  integer: 'int int4 int8 bigint smallint long',
  number: 'float float8 double real decimal numeric',
  boolean: 'bool',
  timestamp: 'datetime timestamptz date-time',
  json: 'object jsonb',
  uuid: 'guid',
}

test('what other languages call a type leads to it [N3.1]', () => {
  for (const [type, names] of Object.entries(otherNames)) {
    for (const name of names.split(' ')) {
      strictEqual(problemOf(`-- @param id ${name}`), `1:14 unknown type "${name}"; did you mean ${type}?`)
    }
  }
})

test('of many names a cure lists the first twenty [N3.1]', () => {
  const file = { text: '-- @param zzz\nSELECT 1', method: 'GET', parameters: names } as const
  const [problem] = readDeclarations(file).declarations?.problems ?? []
  ok(problem?.cure.endsWith('n19 .. (30)') === true, problem?.cure ?? 'no problem')
})

test('a line with a problem does not count, the others do [N3.1]', () => {
  const {
    params,
    summary,
    timeoutSeconds,
    problems: all,
  } = read(
    '-- @timeout 0s\n-- @param id integer default "x"\n-- @enum id 1, 2\n-- @param from date\n-- @summary a\n-- @summary b',
  )
  deepStrictEqual(
    params.map(({ name, type, enum: values }) => [name, type, values]),
    [
      ['id', undefined, ['1', '2']],
      ['from', 'date', undefined],
    ],
  )
  deepStrictEqual([summary, timeoutSeconds], ['a', undefined])
  deepStrictEqual(
    all.map(({ line }) => line),
    [1, 2, 6],
  )
})

test('where the parameters of the SQL are not known, every name is taken [N3.1]', () => {
  const file = { text: '-- @param b date\n-- @param a\nSELECT 1', method: 'GET', parameters: undefined } as const
  const { declarations } = readDeclarations(file)
  deepStrictEqual(
    declarations?.params.map(({ name }) => name),
    ['b', 'a'],
  )
  deepStrictEqual(declarations?.problems, [])
})

test('the YAML comment stands before, between and behind the lines, which all count [N3.5]', () => {
  const yaml = '/*\ndeclaration:\n  version: 0.1\n*/'
  for (const text of [
    `${yaml}\n-- @summary a\n-- @tag b`,
    `-- @summary a\n\n${yaml}\n-- @tag b`,
    `-- @summary a\n-- @tag b\n${yaml}`,
    `${yaml} -- @summary a\n-- @tag b`,
  ]) {
    const declared = read(text)
    deepStrictEqual([declared.summary, declared.tags, declared.problems], ['a', ['b'], []], text)
    strictEqual(declared.yaml?.text.trim(), 'declaration:\n  version: 0.1')
  }
  const marked = readDeclarations({ text: `${yaml}\n-- @transactional\nSELECT 1`, method: 'POST', parameters })
  strictEqual(marked.transactional, true)
  strictEqual(read(`--\n/** declaration : 1 */`).yaml?.line, 2)
})

test('words in texts, routines and remarks behind the leading comments are nobody’s declarations [N3.1]', () => {
  for (const rest of [
    "SELECT 'x', -- @param id\n '@param'",
    'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$\n-- @param a first\nSELECT 1 $$',
    '/*\n * @param id what it is\n */\nSELECT 1',
    'SELECT 1\n-- @parameters',
    "SELECT '\n- @param id'",
  ])
    deepStrictEqual(readDeclarations({ text: rest, method: 'GET', parameters }).declarations?.problems ?? [], [], rest)
})

test('other block comments end the leading comments, and one that is never closed [N3.5]', () => {
  for (const text of ['/* declarations: */', '/* see declaration: */', '/* a */', '/* declaration: ']) {
    const declared = readDeclarations({ text: `${text}\n-- @summary a\nSELECT 1`, method: 'GET', parameters })
    strictEqual(declared.declarations?.summary, undefined, text)
    strictEqual(declared.declarations?.yaml, undefined, text)
  }
})

test('whatever the comments hold, the reader neither throws nor finds a place outside of the file [N3.1]', () => {
  const piece = fc.constantFrom(
    ...'-- @ \n /* */ param enum default integer [] "a" , null 😀 id status from timeout 30s declaration: \r'.split(
      /(?<= )/,
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('')
      const { declarations } = readDeclarations({ text, method: 'GET', parameters })
      const lines = text.split('\n')
      for (const { line, column } of declarations?.problems ?? []) {
        ok(line >= 1 && line <= lines.length)
        ok(column >= 1 && column <= Array.from(lines[line - 1] as string).length + 1)
      }
    }),
    { seed: 20261122, numRuns: 2000 },
  )
})
