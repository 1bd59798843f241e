/**
 * The JSON reader, by examples and against `JSON.parse`: the two agree on every text except in the three ways that
 * json/scan.ts names.
 */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { checkGrowth } from '@services/testing'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { Failure } from '../../../src/errors.ts'
import {
  compact,
  type JsonDocument,
  readDocuments,
  readElements,
  readJson,
  readObject,
} from '../../../src/json/read.ts'

const depth = 128
const mebibyte = 1024 * 1024

function read(text: string): JsonDocument {
  return readJson(Buffer.from(text))
}

/** The message after the fixed beginning. */
function refusal(body: string | Buffer): string {
  try {
    readJson(Buffer.from(body as string))
  } catch (error) {
    ok(error instanceof Failure, String(error))
    strictEqual(error.name, 'MalformedRequestException')
    return error.message.replace('Request body is not valid ', '')
  }
  throw new Error(`accepted: ${body.toString().slice(0, 100)}`)
}

function nest(open: string, levels: number, close: string): string {
  return open.repeat(levels) + close.repeat(levels)
}

test('a flat object becomes a map in the order of the text', () => {
  const document = read(' { "b" : null , "a" : true, "c":false, "d":"x", "e":-12, "f":[1, 2], "g":{"h":1} } ')
  deepStrictEqual(Array.from(document as Map<string, unknown>), [
    ['b', null],
    ['a', true],
    ['c', false],
    ['d', 'x'],
    ['e', { kind: 'integer', digits: '-12' }],
    ['f', { kind: 'array', text: '[1, 2]' }],
    ['g', { kind: 'object', text: '{"h":1}' }],
  ])
})

test('any JSON value may stand at the top, to be judged later [D2.1]', () => {
  const values: [string, JsonDocument][] = [
    ['null', null],
    [' true\n', true],
    ['"x"', 'x'],
    ['7', { kind: 'integer', digits: '7' }],
    ['[ 1 ]', { kind: 'array', text: '[ 1 ]' }],
    ['{}', new Map()],
  ]
  for (const [text, value] of values) deepStrictEqual(read(text), value, text)
})

test('numbers keep their digits [D2.3]', () => {
  const integers = ['0', '-0', '9007199254740993', '18446744073709551616', '1'.repeat(400)]
  const floats = ['1.0', '1e3', '-0.10', '1E+2', '1e-999', `1${'0'.repeat(300)}.5`, '0e999']
  for (const digits of integers) deepStrictEqual(read(digits), { kind: 'integer', digits })
  for (const digits of floats) deepStrictEqual(read(digits), { kind: 'float', digits })
})

test('a double out of range is malformed wherever it stands [D2.3]', () => {
  const long = `${'9'.repeat(400)}.0`
  strictEqual(refusal('1e400'), 'JSON: a number out of range at character 1')
  strictEqual(refusal('{"a":-1e309}'), 'JSON: a number out of range at character 6')
  strictEqual(refusal('{"a":[[1,1E999]]}'), 'JSON: a number out of range at character 10')
  strictEqual(refusal(`[{"a":${long}}]`), 'JSON: a number out of range at character 7')
})

test('the reader is strict, and says where it stopped [D2.2]', () => {
  const cases: [string, string][] = [
    [' ', 'unexpected end at character 2'],
    ['{"a":1', 'unexpected end at character 7'],
    ['{"a":1}}', "unexpected '}' at character 8"],
    ['{"a":1,}', "unexpected '}' at character 8"],
    ['[1,]', "unexpected ']' at character 4"],
    ['[1 2]', "unexpected '2' at character 4"],
    ['{a:1}', "unexpected 'a' at character 2"],
    ["{'a':1}", "unexpected ''' at character 2"],
    ['{"a" 1}', "unexpected '1' at character 6"],
    ['01', "unexpected '1' at character 2"],
    ['-', 'unexpected end at character 2'],
    ['1.', 'unexpected end at character 3'],
    ['.5', "unexpected '.' at character 1"],
    ['+1', "unexpected '+' at character 1"],
    ['1e+', 'unexpected end at character 4'],
    ['NaN', "unexpected 'N' at character 1"],
    ['nul', 'unexpected end at character 4'],
    ['trux', "unexpected 'x' at character 4"],
    ['"a\nb"', 'unexpected U+000A at character 3'],
    ['"\\x"', "unexpected 'x' at character 3"],
    ['"\\u12g4"', "unexpected 'g' at character 6"],
    ['"\\u12', 'unexpected end at character 6'],
    ['"a', 'unexpected end at character 3'],
    ['[1]/*c*/', "unexpected '/' at character 4"],
    ['\u00a01', 'unexpected U+00A0 at character 1'],
    ['😀', 'unexpected U+1F600 at character 1'],
  ]
  for (const [text, message] of cases) strictEqual(refusal(text), `JSON: ${message}`, text)
})

test('a message shows one character of the body at most [D2.2] [S-error.MalformedRequestException]', () => {
  const { length } = refusal(`{"secret": ${'x'.repeat(500)}`)
  ok(length < 60)
})

test('what is not UTF-8 is malformed, and so is a byte-order mark [D2.2]', () => {
  strictEqual(refusal(Buffer.from([0x22, 0x61, 0xff, 0x22])), 'UTF-8 at byte 3')
  strictEqual(refusal(Buffer.from([0x22, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0x22])), 'UTF-8 at byte 4')
  strictEqual(refusal(Buffer.from([0x22, 0xef, 0xbf])), 'UTF-8 at byte 4')
  strictEqual(refusal('\ufeff{}'), 'JSON: unexpected U+FEFF at character 1')
  strictEqual(read('"\ufffd é 😀"'), '\ufffd é 😀')
})

test('128 levels are read, the next one is malformed, counted over the whole document [D2.2]', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    read(nest(open, depth - 1, close).replace(`${open}${close}`, `${open}1${close}`))
  }
  read(`{"a":${nest('[', depth - 1, ']')}}`)
  strictEqual(refusal(`{"a":${nest('[', depth, ']')}}`), 'JSON: nested too deeply at character 133')
  strictEqual(refusal(nest('[', depth + 1, ']')), 'JSON: nested too deeply at character 129')
  throws(() => readJson(Buffer.from('[[1]]'), 1), Failure)
})

test('of a repeated key the last value counts, however the key is written [D2.2]', () => {
  deepStrictEqual(
    read('{"a":1,"b":2,"\\u0061":"x"}'),
    new Map<string, unknown>([
      ['a', 'x'],
      ['b', { kind: 'integer', digits: '2' }],
    ]),
  )
})

test('names of Object.prototype are ordinary keys [D2.2]', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']
  const document = read(JSON.stringify(Object.fromEntries(names.map((name) => [name, name]))))
  deepStrictEqual(document, new Map(names.map((name) => [name, name])))
})

test('escapes are decoded, U+0000 and pairs of surrogates among them', () => {
  strictEqual(read(String.raw`"\"\\\/\b\f\n\r\t\u0000\u00E4\u00e4\ud83D\uDE00"`), '"\\/\b\f\n\r\t\0ää😀')
})

test('half of a surrogate pair is malformed, in keys and nested too [D2.2]', () => {
  const half = String.raw`half of a surrogate pair`
  strictEqual(refusal(String.raw`"\ud800"`), `JSON: ${half} at character 2`)
  strictEqual(refusal(String.raw`"\udc00\ud800"`), `JSON: ${half} at character 2`)
  strictEqual(refusal(String.raw`"\ud800\u0041"`), `JSON: ${half} at character 2`)
  strictEqual(refusal(String.raw`"\ud800x"`), `JSON: ${half} at character 2`)
  strictEqual(refusal(String.raw`{"\ud800":1}`), `JSON: ${half} at character 3`)
  strictEqual(refusal(String.raw`{"a":[{"b":"\ude00"}]}`), `JSON: ${half} at character 13`)
})

const alphabet = [
  ...Array.from('{}[],:"\\ud8Dc0-+.eE1 \n\t\0/tfab'),
  'true',
  'false',
  'null',
  '"a":',
  '"',
  '"',
  '\\u',
  'é',
  '😀',
  '\u2028',
  '\ufffd',
]
const soup = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 30 })
const jsonText = fc.json({ stringUnit: anyCharacter, maxDepth: 4 })
const spaced = fc
  .tuple(fc.jsonValue({ stringUnit: anyCharacter }), fc.nat(3))
  .map(([value, space]) => JSON.stringify(value, null, space))
const mutated = fc.tuple(fc.oneof(jsonText, spaced), fc.nat(), fc.nat(3), soup).map(([text, at, removed, added]) => {
  const start = at % (text.length + 1)
  return (text.slice(0, start) + added.slice(0, 3) + text.slice(start + removed)).toWellFormed()
})
const anyText = fc.oneof(soup, jsonText, spaced, mutated)

/**
 * What JSON.parse says, and then the three differences, found by cutting the (now known to be valid) text into tokens.
 */
function isAcceptable(text: string): boolean {
  try {
    JSON.parse(text)
  } catch {
    return false
  }
  let level = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[{}[\]]/g)) {
    if (token === '{' || token === '[') level++
    if (token === '}' || token === ']') level--
    if (level > depth) return false
    if (token.startsWith('"') && !(JSON.parse(token) as string).isWellFormed()) return false
    if (/^[-0-9]+[.eE]/.test(token) && !Number.isFinite(Number(token))) return false
  }
  return true
}

function toPlain(value: JsonDocument): unknown {
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, member]) => [key, toPlain(member)]))
  if (value === null || typeof value !== 'object') return value
  if ('digits' in value) return Number(value.digits)
  if (value.kind === 'array') return readElements(value.text).map(toPlain)
  return toPlain(readObject(value.text))
}

test('accepts what JSON.parse accepts, and gives the same values [D2.2]', () => {
  const property = fc.property(anyText, (text) => {
    if (isAcceptable(text)) deepStrictEqual(toPlain(read(text)), JSON.parse(text))
    else throws(() => read(text), Failure)
  })
  fc.assert(property, { numRuns: 20_000 })
})

test('arbitrary bytes are read or refused, never anything else', () => {
  const property = fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
    try {
      readJson(Buffer.from(bytes))
    } catch (error) {
      ok(error instanceof Failure, String(error))
    }
  })
  fc.assert(property, { numRuns: 5000 })
})

test('elements of an array are read one level deep, or with their objects', () => {
  const text = ' [ 1.50 , "x" , null , { "a" : [ ] } , [ 2 ] ] '.trim()
  const shared = [{ kind: 'float', digits: '1.50' }, 'x', null] as const
  const last = { kind: 'array', text: '[ 2 ]' }
  deepStrictEqual(readElements(text), [...shared, { kind: 'object', text: '{ "a" : [ ] }' }, last])
  deepStrictEqual(readDocuments(text), [...shared, new Map([['a', { kind: 'array', text: '[ ]' }]]), last])
  deepStrictEqual(readElements('[\n]'), [])
})

test('a nested value is kept digit by digit [D4.1]', () => {
  const text = '[9007199254740993, {"x": 1.10}]'
  deepStrictEqual(read(`{"a": ${text} }`), new Map([['a', { kind: 'array', text }]]))
})

test('compact JSON has no white space, every digit and the order of the keys [D4.5] [D2.3]', () => {
  const text = String.raw`{ "10" : [ 1.0 , 9007199254740993 , [ ] , { } ] , "2" : "a b\u0020 \"c" , "x" : { "y" : null } }`
  strictEqual(compact(text), String.raw`{"10":[1.0,9007199254740993,[],{}],"2":"a b\u0020 \"c","x":{"y":null}}`)
})

test('compact JSON has each key once, the last value at the first place [D4.5] [D2.2]', () => {
  strictEqual(
    compact(String.raw`[{"a":1,"b":{"c":1,"c":[2,2]},"\u0061":3}]`),
    '[{"a":3,"b":{"c":[2,2]}}]'.replace('"a"', String.raw`"\u0061"`),
  )
})

test('compact JSON means the same and cannot be made smaller [D4.5]', () => {
  const property = fc.property(fc.jsonValue(), fc.nat(3), (value, space) => {
    strictEqual(compact(JSON.stringify(value, null, space)), JSON.stringify(value))
  })
  fc.assert(property, { numRuns: 3000 })
  const mutant = fc.property(mutated.filter(isAcceptable), (text) => {
    const small = compact(text.trim())
    deepStrictEqual(JSON.parse(small), JSON.parse(text))
    strictEqual(compact(small), small)
  })
  fc.assert(mutant, { numRuns: 3000 })
})

test('the time that a hostile body takes grows with its length [D2.2]', () => {
  const deep = nest('[', depth - 1, ']')
  /** What is repeated, and what stands around. */
  const bodies: readonly (readonly [piece: string, before?: string, behind?: string])[] = [
    ...['[', '{"a":', '"', '"\\', '\\u', ' ', '1', '-', '1e', '[1,', '{"a":1,', 'tru'].map((piece) => [piece] as const),
    ['\\u0041', '"', '"'],
    ['"\\\\",', '[', '1]'],
    [`${deep},`, '[', '1]'],
    ['"a":1,', '{', '"a":1}'],
    ['1', '1.', ''],
    ['\\"', '{"a":"', '"}'],
  ]
  for (const [piece, before = '', behind = ''] of bodies) {
    checkGrowth(mebibyte / 16, (length) => {
      const body = Buffer.from(`${before}${piece.repeat(Math.floor(length / piece.length))}${behind}`)
      return () => {
        try {
          readJson(body)
        } catch (error) {
          ok(error instanceof Failure, String(error))
        }
      }
    })
  }
})

test('what stands below many brackets is copied once to compact it, not once per bracket [D4.5]', () => {
  checkGrowth(15, (levels) => {
    const spaces = levels * 3000
    const text = `${'{"a":[0,'.repeat(levels)}0${', "abc"'.repeat(spaces)}${']}'.repeat(levels)}`
    return () => strictEqual(Buffer.from(compact(text)).length, text.length - spaces)
  })
})
