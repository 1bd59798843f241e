/**
 * The body of a SOAP call as values for a template: which keys survive, what numbers look like, and that no body makes
 * the reader throw or linger.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { checkGrowth } from '@services/testing'
import fc from 'fast-check'
import type { TemplateValue } from '../../../src/model.ts'
import { readParams } from '../../../src/soap/request/params.ts'

const mebibyte = 1024 * 1024

/** Objects without a prototype made plain, because `deepStrictEqual` looks at prototypes. */
function read(body: string | Uint8Array, allowed: readonly string[] = ['a', 'b', 'c']): unknown {
  return plain(readParams(typeof body === 'string' ? Buffer.from(body) : body, allowed))
}

function plain(value: TemplateValue): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  strictEqual(Object.getPrototypeOf(value), null)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
}

test('only listed keys survive [S-soap.params]', () => {
  deepStrictEqual(read('{"a":"x","d":"y","b":null,"generate":{"uuid":"z"}}'), { a: 'x', b: null })
  deepStrictEqual(read('{"a":"x"}', []), {})
  deepStrictEqual(read('{"a":{"d":[1,{"e":true}]}}'), { a: { d: [1, { e: true }] } })
})

test('whatever is no JSON object has no params [S-request.2]', () => {
  const bodies = [
    '',
    ' ',
    'null',
    'true',
    '1',
    '"a"',
    '[]',
    '[{"a":1}]',
    '{',
    '{"a":1',
    '{"a":1}}',
    '{"a":1},',
    "{'a':1}",
    '{a:1}',
    '{"a":01}',
    '{"a":1.}',
    '{"a":+1}',
    '{"a":1.50.1}',
    '{"a":1e}',
    '{"a":-}',
    '{"a":NaN}',
    '{"a":1,}',
    '{"a":"\n"}',
    '\u00a0{"a":1}',
    '<a>1</a>',
    'a=1&b=2',
    '{"a":1}\0',
  ]
  for (const body of bodies) deepStrictEqual(read(body), {}, body)
})

test('a body that is not UTF-8 has no params [S-request.2]', () => {
  const bodies = [
    Buffer.from('{"a":"õ"}', 'latin1'),
    Buffer.from('{"a":"x"}', 'utf16le'),
    Buffer.from([...Buffer.from('{"a":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
    Buffer.from([...Buffer.from('{"a":"'), 0xc0, 0xaf, ...Buffer.from('"}')]),
    Buffer.alloc(mebibyte, 0xff),
  ]
  for (const body of bodies) deepStrictEqual(read(body), {})
})

test('a byte-order mark and white space around the object do no harm [S-request.2]', () => {
  deepStrictEqual(read('\ufeff{"a":1}'), { a: 1 })
  deepStrictEqual(read(' \r\n\t{"a":1}\n'), { a: 1 })
  deepStrictEqual(read('\ufeff\ufeff{"a":1}'), {})
})

test('numbers keep the digits of the request [D2.1]', () => {
  const odd = [
    '12345678901234567890',
    '1.50',
    '1.0',
    '1e2',
    '1E+2',
    '-0',
    '-0.0',
    '0.00',
    '0.0000001',
    '1e400',
    '-1E-9',
  ]
  const more = ['9007199254740993', '123456789.123456789', '100000000000000000000000', '0.1000', '-1.10', '0e0']
  for (const digits of [...odd, ...more]) {
    for (const space of ['', ' ', '\n']) {
      deepStrictEqual(read(`{"b":"x","a":${space}${digits}${space}}`), { b: 'x', a: digits }, digits)
      deepStrictEqual(read(`{"a":[${space}${digits}${space},1]}`), { a: [digits, 1] }, digits)
    }
  }
  for (const digits of ['0', '7', '-7', '1.5', '-0.5', '38001085718', '999999999999999', '0.001', '0.05', '100']) {
    deepStrictEqual(read(`{"a":${digits},"b":-0}`), { a: Number(digits), b: '-0' }, digits)
    deepStrictEqual(read(`{"a":${digits}}`), { a: Number(digits) }, digits)
  }
})

test('any number renders as it was written [D2.1]', () => {
  const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/)
  const blank = fc.constantFrom('', ' ', '\n', '\t')
  fc.assert(
    fc.property(digits, blank, blank, (number, before, after) => {
      const { a, b } = readParams(Buffer.from(`{"a":${before}${number}${after},"b":[${number}]}`), ['a', 'b'])
      ok(typeof a === 'number' || typeof a === 'string')
      strictEqual(String(a), number)
      deepStrictEqual(b, [a])
    }),
    { numRuns: 5000 },
  )
})

test('text is never taken for a number, whatever digits and quotes it holds [D2.1]', () => {
  const piece = fc.constantFrom('"', '\\', '1.50', '-0', ' ', ',', ':', '{', '}', '[', ']', '1e5', 'õ', '\n', 'x')
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(fc.dictionary(text, text), text, (inner, outer) => {
      const body = `{"c":1.50,"a":${JSON.stringify(inner)},"b":${JSON.stringify(outer)}}`
      const expected = { a: JSON.parse(JSON.stringify(inner)) as unknown, b: outer, c: '1.50' }
      deepStrictEqual(read(body), expected)
    }),
    { numRuns: 2000 },
  )
})

test('any JSON object is read like JSON.parse does, but for the digits [S-soap.params]', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (document) => {
      const text = JSON.stringify(document)
      const digits = (_key: string, value: unknown): unknown => (typeof value === 'number' ? String(value) : value)
      const values = readParams(Buffer.from(text), Object.keys(document))
      strictEqual(JSON.stringify(values, digits), JSON.stringify(JSON.parse(text), digits))
    }),
    { numRuns: 1000 },
  )
})

test('keys that mean something to JavaScript are ordinary ones [D2.3]', () => {
  const allowed = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
  deepStrictEqual(read('{}', allowed), {})
  const values = readParams(Buffer.from('{"__proto__":{"x":1},"constructor":"c"}'), allowed)
  deepStrictEqual(Object.keys(values), ['__proto__', 'constructor'])
  deepStrictEqual(plain(values['__proto__'] as TemplateValue), { x: 1 })
  strictEqual(values['x'], undefined)
  const nested = readParams(Buffer.from('{"a":{"__proto__":{"x":1}}}'), ['a'])['a'] as Record<string, unknown>
  deepStrictEqual(Object.keys(nested), ['__proto__'])
  strictEqual(nested['x'], undefined)
  strictEqual(({} as Record<string, unknown>)['x'], undefined)
})

test('the last of several equal keys counts [S-soap.params]', () => {
  deepStrictEqual(read('{"a":1,"a":2}'), { a: 2 })
  deepStrictEqual(read('{"a":1.50,"a":2}'), { a: 2 })
  deepStrictEqual(read('{"a":2,"a":1.50}'), { a: '1.50' })
  deepStrictEqual(read('{"a":2,"\\u0061":3}'), { a: 3 })
})

test('128 levels inside a parameter pass, one more has no params [S-request.2]', () => {
  const nested = (levels: number): string => `{"b":1,"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
  deepStrictEqual(Object.keys(read(nested(128)) as object), ['a', 'b'])
  deepStrictEqual(read(nested(129)), {})
  deepStrictEqual(read(nested(129), ['b']), { b: 1 })
})

test('no long body crashes the reader, and the time grows with its length [S-request.2]', () => {
  const fill =
    (piece: string, around: readonly [string, string] = ['{"a":[', '1]}']) =>
    (length: number) =>
      around[0] + piece.repeat(Math.floor(length / piece.length)) + around[1]
  const broken = [
    fill('[', ['', '']),
    fill('[', ['{"a":', '']),
    fill('{"a":', ['', '']),
    fill('{"a":1.50,"b":', ['', '']),
    (length: number) => `{"b":1.50,"a":${'['.repeat(length / 2)}${']'.repeat(length / 2)}}`,
    fill('"', ['{"a":', '}']),
    fill('\\', ['{"a":"', '"']),
    fill(' ', ['', '']),
    fill('-', ['{"a":', '}']),
  ]
  const good = [
    fill('1,'),
    fill('1.50,'),
    fill('-0,'),
    fill('12345678901234567890,'),
    fill('7', ['{"a":', '}']),
    fill('0', ['{"a":0.', '}']),
    fill('1.', ['{"a":" ', '"}']),
    fill(',-0.0', ['{"a":"', '"}']),
    fill('\\\\', ['{"b":1.50,"a":"', '"}']),
    fill('\\"', ['{"b":1.50,"a":"', '"}']),
    fill(' ', ['{"a":1', '}']),
  ]
  for (const [bodies, isGood] of [[broken, false] as const, [good, true] as const]) {
    for (const write of bodies) {
      checkGrowth(mebibyte / 16, (length) => {
        const text = write(length)
        const body = Buffer.from(text)
        return () => strictEqual('a' in readParams(body, ['a', 'b']), isGood, text.slice(0, 40))
      })
    }
  }
})

test('no bytes at all make it throw [S-request.2]', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => typeof readParams(bytes, ['a']) === 'object'))
  const json = fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '1', '.', 'e', '-', '0', '\\', ' ', 'a', 'null')
  const text = fc.array(json).map((pieces) => pieces.join(''))
  fc.assert(fc.property(text, (inside) => typeof readParams(Buffer.from(`{"a":${inside}}`), ['a']) === 'object'))
})
