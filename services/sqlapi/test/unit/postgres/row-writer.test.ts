/** DataRow frames -> JSON: database/postgres/rows/rows.ts and json-bytes.ts. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { ByteWriter } from '../../../src/database/postgres/rows/bytes.ts'
import { compileRowWriter } from '../../../src/database/postgres/rows/rows.ts'
import { json } from '../../../src/formats/json.ts'
import type { ColumnType, ScalarKind } from '../../../src/database/postgres/types/types.ts'

function dataRow(texts: readonly (string | Buffer | null)[]): Buffer {
  const parts = [Buffer.of(texts.length >> 8, texts.length & 255)]
  for (const text of texts) {
    const bytes = text === null ? Buffer.alloc(0) : Buffer.from(text as string)
    const length = Buffer.alloc(4)
    length.writeInt32BE(text === null ? -1 : bytes.length)
    parts.push(length, bytes)
  }
  return Buffer.concat(parts)
}

const scalar = (kind: ScalarKind): ColumnType => ({ kind, array: false, delimiter: ',' })

function write(texts: readonly (string | Buffer | null)[], types: readonly ColumnType[], isUtf8 = true): string {
  const out = new ByteWriter()
  const names = types.map((_, index) => `c${index}`)
  const writer = compileRowWriter({ names, types, isUtf8 }, json)
  writer.write(dataRow(texts), 0, out, true)
  writer.writeEnd(out)
  return out.takeText().slice(1, -1)
}

const values: readonly (readonly [kind: ScalarKind, text: string, expected: string])[] = [
  ['verbatim', '9007199254740993', '9007199254740993'],
  ['json', '{"b": 1.10, "a": [1, 2]}', '{"b": 1.10, "a": [1, 2]}'],
  ['decimal', '-12345678901234567890.10', '-12345678901234567890.10'],
  ['decimal', 'NaN', '"NaN"'],
  ['decimal', '-Infinity', '"-Infinity"'],
  ['float', '1.5e-300', '1.5e-300'],
  ['float', 'NaN', 'null'],
  ['float', 'Infinity', 'null'],
  ['float', '-Infinity', 'null'],
  ['boolean', 't', 'true'],
  ['boolean', 'f', 'false'],
  ['plain', '10:20:30.5', '"10:20:30.5"'],
  ['plain', 'NaN', '"NaN"'],
  ['timestamp', '2026-01-01 10:20:30.123456', '"2026-01-01T10:20:30.123456"'],
  ['timestamp', '0044-03-15 12:00:00 BC', '"0044-03-15T12:00:00 BC"'],
  ['timestamp', '-infinity', '"-infinity"'],
  ['timestamptz', '2026-01-01 10:20:30+00', '"2026-01-01T10:20:30Z"'],
  ['timestamptz', '0044-03-15 12:00:00+00 BC', '"0044-03-15T12:00:00Z BC"'],
  ['timestamp', 'Thu Jan 01 10:20:30 2026', '"Thu Jan 01 10:20:30 2026"'],
  ['timestamptz', '2026-01-01 10:20:30+05:30', '"2026-01-01T10:20:30+05:30"'],
  ['timestamptz', 'infinity', '"infinity"'],
]

for (const [kind, text, expected] of values) {
  test(`${kind} ${text} is ${expected}, alone, in an array and without knowing the encoding [D5.3]`, () => {
    strictEqual(write([text], [scalar(kind)]), `{"c0":${expected}}`)
    strictEqual(write([text], [scalar(kind)], false), `{"c0":${expected}}`)
    const quoted = `{"${text.replaceAll('"', String.raw`\"`)}",NULL}`
    strictEqual(write([quoted], [{ ...scalar(kind), array: true }]), `{"c0":[${expected},null]}`)
  })
}

const moments: readonly (readonly [text: string, expected: string])[] = [
  ['2026-01-01 10:20:30+02', '2026-01-01T10:20:30+02:00'],
  ['2026-01-01 10:20:30.123456-11', '2026-01-01T10:20:30.123456-11:00'],
  ['2026-01-01 10:20:30+05:45', '2026-01-01T10:20:30+05:45'],
  ['2026-01-01 10:20:30-00:30', '2026-01-01T10:20:30-00:30'],
  ['12026-01-01 10:20:30+02', '12026-01-01T10:20:30+02:00'],
  ['0044-03-15 12:00:00+02 BC', '0044-03-15T12:00:00+02:00 BC'],
  ['1880-01-01 00:00:00+01:39:49', '1880-01-01T00:00:11+01:40'],
  ['1880-01-01 00:00:00.5+01:39:29', '1879-12-31T23:59:31.5+01:39'],
  ['1883-11-18 12:00:00-04:56:02', '1883-11-18T12:00:02-04:56'],
  ['1900-02-28 23:59:59-04:56:58', '1900-02-28T23:59:57-04:57'],
  ['1900-02-28 23:59:59-00:00:02', '1900-03-01T00:00:01Z'],
  ['0001-12-31 23:59:50+00:19:32 BC', '0001-01-01T00:00:18+00:20'],
  ['0001-01-01 00:00:00+00:19:28', '0001-12-31T23:59:32+00:19 BC'],
  ['294276-12-31 10:00:00+01:02:03', '294276-12-31T09:59:57+01:02'],
  ['-infinity', '-infinity'],
  ['01.01.2026 10:20:30 EET', '01.01.2026 10:20:30 EET'],
]

for (const [text, moment] of moments) {
  test(`the moment ${text} is ${moment}, alone, in an array and without knowing the encoding [S4]`, () => {
    strictEqual(write([text], [scalar('timestamptz')]), `{"c0":"${moment}"}`)
    strictEqual(write([text], [scalar('timestamptz')], false), `{"c0":"${moment}"}`)
    strictEqual(write([`{"${text}",NULL}`], [{ ...scalar('timestamptz'), array: true }]), `{"c0":["${moment}",null]}`)
  })
}

test('any text becomes the JSON string that it is, however long it is [D5.3]', () => {
  const short = fc.string({ unit: anyCharacter, maxLength: 400 })
  const long = fc.string({ unit: anyCharacter, minLength: 100, maxLength: 3000 })
  const controls = fc.string({
    unit: fc.constantFrom('\u0001', '\u001f', '"', '\\', '\n', '\t', '\b', '\f', '\r', 'õ'),
  })
  fc.assert(
    fc.property(fc.array(fc.option(fc.oneof(short, long, controls)), { minLength: 1, maxLength: 6 }), (wanted) => {
      const texts = wanted.map((text) => text?.toWellFormed() ?? null)
      const written = write(
        texts,
        texts.map(() => scalar('string')),
      )
      strictEqual(written, JSON.stringify(Object.fromEntries(texts.map((text, index) => [`c${index}`, text]))))
    }),
  )
})

test('of two columns with one key the last is written where the first stands [D5.1]', () => {
  const out = new ByteWriter()
  const types = ['verbatim', 'string', 'verbatim'].map((kind) => scalar(kind as ScalarKind))
  const writer = compileRowWriter({ names: ['user_id', 'name', 'USER_ID'], types, isUtf8: true }, json)
  writer.write(dataRow(['1', 'x', null]), 0, out, true)
  writer.write(dataRow([null, null, '2']), 0, out, false)
  strictEqual(out.takeText(), '[{"userId":null,"name":"x"},{"userId":2,"name":null}')
})

test('rows beyond a slab are whole, and a row without columns is an empty object', () => {
  const out = new ByteWriter()
  const texts = Array.from({ length: 200 }, (_, index) => `"${index}"`.repeat(index * 7))
  const writer = compileRowWriter({ names: ['a'], types: [scalar('string')], isUtf8: true }, json)
  for (const [index, text] of texts.entries()) writer.write(dataRow([text]), 0, out, index === 0)
  writer.writeEnd(out)
  deepStrictEqual(
    JSON.parse(out.take().toString()),
    texts.map((a) => ({ a })),
  )
  const none = compileRowWriter({ names: [], types: [], isUtf8: true }, json)
  for (const isFirst of [true, false]) none.write(dataRow([]), 0, out, isFirst)
  none.writeEnd(out)
  strictEqual(out.takeText(), '[{},{}]')
})

test('bytes that are no UTF-8, from a server that does not care, come out as UTF-8 [D5.3]', () => {
  const broken = Buffer.from([0x61, 0xff, 0x62])
  strictEqual(write([broken], [scalar('string')], false), '{"c0":"a\ufffdb"}')
  strictEqual(
    write([Buffer.concat([Buffer.from('"'), broken, Buffer.from('"')])], [scalar('verbatim')], false),
    '{"c0":"a\ufffdb"}',
  )
})
