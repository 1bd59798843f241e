/** Bytes from and to PostgreSQL: database/postgres/wire/frames.ts, frontend-messages.ts, rows/bytes.ts. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ByteWriter } from '../../../../src/database/postgres/rows/bytes.ts'
import {
  FrameReader,
  frameType,
  readColumns,
  readError,
  readParameterTypes,
  readTexts,
} from '../../../../src/database/postgres/wire/frames.ts'
import {
  writeBind,
  writeParse,
  writeQuery,
  writeSync,
} from '../../../../src/database/postgres/wire/frontend-messages.ts'

interface Frame {
  readonly type: number
  readonly body: string
}

const maxBody = 1000

function frame(type: number, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body as string, 'latin1')
  const head = Buffer.alloc(5)
  head[0] = type
  head.writeUInt32BE(bytes.length + 4, 1)
  return Buffer.concat([head, bytes])
}

/** What a reader makes of the chunks: frames in order, too long ones with the body `too long`. */
function readAll(chunks: readonly Buffer[]): Frame[] {
  const frames: Frame[] = []
  const reader = new FrameReader(
    (type, source, at, end) => void frames.push({ type, body: source.toString('latin1', at, end) }),
    maxBody,
    (type) => void frames.push({ type, body: 'too long' }),
  )
  for (const chunk of chunks) reader.read(chunk)
  return frames
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [0, ...sorted].map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length))
}

test('frames are the same however the bytes are cut into chunks', () => {
  const body = fc.oneof({ weight: 5, arbitrary: fc.nat(60) }, { weight: 1, arbitrary: fc.nat(3 * maxBody) })
  const sizes = fc.array(fc.tuple(fc.integer({ min: 1, max: 255 }), body), { maxLength: 12 })
  fc.assert(
    fc.property(sizes, fc.array(fc.nat(), { maxLength: 40 }), (wanted, places) => {
      const bodies = wanted.map(([type, size]) => ({ type, body: 'abcdefghij'.repeat(size / 10 + 1).slice(0, size) }))
      const bytes = Buffer.concat(bodies.map(({ type, body }) => frame(type, body)))
      const expected = bodies.map(({ type, body }) => ({ type, body: body.length > maxBody ? 'too long' : body }))
      deepStrictEqual(readAll(cut(bytes, places)), expected)
    }),
  )
})

test('a frame that comes byte by byte is one frame', () => {
  const bytes = Buffer.concat([frame(frameType.commandComplete, 'SELECT 1\0'), frame(frameType.readyForQuery, 'I')])
  deepStrictEqual(readAll(Array.from(bytes, (byte) => Buffer.of(byte))), [
    { type: frameType.commandComplete, body: 'SELECT 1\0' },
    { type: frameType.readyForQuery, body: 'I' },
  ])
})

test('what a frame says is read: columns, types, texts, errors', () => {
  const column = (name: string, type: number): Buffer => {
    const tail = Buffer.alloc(18)
    tail.writeUInt32BE(16_385, 0)
    tail.writeInt16BE(-3, 4)
    tail.writeUInt32BE(type, 6)
    tail.writeInt32BE(-1, 12)
    return Buffer.concat([Buffer.from(`${name}\0`), tail])
  }
  const columns = Buffer.concat([Buffer.of(0, 2), column('user_id', 23), column('õun', 4_000_000_000)])
  deepStrictEqual(readColumns(columns, 0), [
    { name: 'user_id', tableID: 16_385, columnNumber: -3, dataTypeID: 23, typeModifier: -1 },
    { name: 'õun', tableID: 16_385, columnNumber: -3, dataTypeID: 4_000_000_000, typeModifier: -1 },
  ])
  deepStrictEqual(readParameterTypes(Buffer.of(0, 2, 0, 0, 0, 25, 255, 0, 0, 0), 0), [25, 4_278_190_080])
  deepStrictEqual(readTexts(Buffer.from('\0\x03\0\0\0\x02ab\xff\xff\xff\xff\0\0\0\0', 'latin1'), 0), ['ab', null, ''])
  const error = Buffer.from('SVIGA\0VERROR\0C23505\0Mduplicate key\0Dit is there\0Hdrop it\0R_bt_check_unique\0\0')
  const { message, code, severity, routine, detail, hint } = readError(error, 0, error.length)
  deepStrictEqual([message, code, severity, routine], ['duplicate key', '23505', 'ERROR', '_bt_check_unique'])
  deepStrictEqual([detail, hint], ['it is there', 'drop it'])
})

/** The line as PostgreSQL's own translations have it. */
const ofParameter = {
  'unbenanntes Portal Parameter $12': 12,
  "unnamed portal parameter $2 = '$3 and more'": 2,
  'portal sin nombre, parámetro 12': 12,
  'paramètre de portail non nommé $12': 12,
  'parametro portale senza nome $12': 12,
  '無名ポータルパラメータ $12': 12,
  'უსახელო პორტალის პარამეტრი $12': 12,
  '이름없는 포탈 $12 매개 변수': 12,
  'неименованный портал, параметр $12': 12,
  'ej namngiven portalparameter $12': 12,
  'параметр порталу без назви $12': 12,
  'PL/pgSQL-Funktion bereich(text) Zeile 3 bei RAISE\nunbenanntes Portal Parameter $4': 4,
  'PL/pgSQL function f(integer) line 3 at RAISE': undefined,
  'PL/pgSQL-Funktion inline_code_block Zeile 1 bei RAISE': undefined,
  'SQL-Ausdruck »$1 / 0«\nPL/pgSQL-Funktion f(integer) Zeile 3 bei RETURN': undefined,
  'SQL statement "SELECT $1 / 0"\nPL/pgSQL function f(integer) line 3 at SQL statement': undefined,
  'SQL function "f" statement 1': undefined,
  'JSON data, line 1: {$1': undefined,
} as const

test('the parameter that could not be read is known in every language of the server [S16]', () => {
  for (const [context, parameter] of Object.entries(ofParameter)) {
    const error = Buffer.from(`VERROR\0C22P02\0W${context}\0\0`)
    strictEqual(readError(error, 0, error.length).parameter, parameter, context)
  }
})

test('messages to the server have their lengths, names and values', () => {
  const out = new ByteWriter()
  writeParse(out, 's1', 'SELECT $1', [25, 0])
  writeBind(out, 's1', ['õ', null, ''])
  writeSync(out)
  writeQuery(out, 'BEGIN')
  const text = out.take().toString('latin1')
  strictEqual(
    text,
    `P\0\0\0\x1bs1\0SELECT $1\0\0\x02\0\0\0\x19\0\0\0\0` +
      `B\0\0\0\x1c\0s1\0\0\0\0\x03\0\0\0\x02\xc3\xb5\xff\xff\xff\xff\0\0\0\0\0\0` +
      `S\0\0\0\x04Q\0\0\0\x0aBEGIN\0`,
  )
})

test('what was taken out of a writer stays as it was, whatever is written afterwards', () => {
  const sizes = fc.array(fc.nat(50_000), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(sizes, (wanted) => {
      const out = new ByteWriter()
      const texts = wanted.map((size, index) => String(index % 10).repeat(size))
      const taken = texts.map((text) => {
        for (let at = 0; at < text.length; at += 7000) out.text(text.slice(at, at + 7000))
        return out.take()
      })
      deepStrictEqual(
        taken.map((bytes) => bytes.toString()),
        texts,
      )
    }),
    { numRuns: 30 },
  )
})
