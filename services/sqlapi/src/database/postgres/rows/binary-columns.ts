/**
 * Columns that the server is asked for in binary form (PostgreSQL manual, "Formats and Format Codes"): those of the
 * types that cost it more to print than they cost us. What becomes of them is what becomes of their texts
 * (column-writers.ts), byte by byte. Tables only.
 */
import type { RowFormat } from '../../../formats/format.ts'
import { csv } from '../../../formats/csv.ts'
import { json } from '../../../formats/json.ts'
import { ndjson } from '../../../formats/ndjson.ts'
import { oid } from '../types/types.ts'
import type { ByteWriter } from './bytes.ts'
import { writeDate, writeMoment } from './calendar.ts'
import { type ValueWriter, words, writeWord } from './column-writers.ts'
import { writeFloat, writeInt8, writeInteger } from './digits.ts'

/** Most bytes of a value in a result. */
export const maxPerValue = 48

const quote = 0x22

/** Digits and signs, which need no quotes in any format. */
const numbers: readonly (readonly [number, ValueWriter])[] = [
  [oid.bool, (source, from, _end, out) => writeWord(source[from] === 1 ? words.true : words.false, out)],
  [oid.int2, (source, from, _end, out) => writeInteger(source.readInt16BE(from), out)],
  [oid.int4, (source, from, _end, out) => writeInteger(source.readInt32BE(from), out)],
  [oid.oid, (source, from, _end, out) => writeInteger(source.readUInt32BE(from), out)],
  [oid.int8, (source, from, _end, out) => writeInt8(source.readInt32BE(from), source.readUInt32BE(from + 4), out)],
]

const moments: readonly (readonly [number, ValueWriter])[] = [
  [oid.date, (source, from, _end, out) => writeDate(source.readInt32BE(from), out)],
  [oid.timestamp, (source, from, _end, out) => writeMicros(source, from, false, out)],
  [oid.timestamptz, (source, from, _end, out) => writeMicros(source, from, true, out)],
]

function writeMicros(source: Buffer, from: number, isUtc: boolean, out: ByteWriter): void {
  writeMoment(source.readInt32BE(from), source.readUInt32BE(from + 4), isUtc, out)
}

function inQuotes(write: ValueWriter): ValueWriter {
  return (source, from, end, out) => {
    out.bytes[out.at++] = quote
    write(source, from, end, out)
    out.bytes[out.at++] = quote
  }
}

/** NaN and the infinities have no number in JSON, and none in what is made of it. */
function floatOr(nothing: string): ValueWriter {
  const word = Buffer.from(nothing)
  return (source, from, _end, out) => {
    const value = source.readDoubleBE(from)
    if (Number.isFinite(value)) writeFloat(value, out)
    else writeWord(word, out)
  }
}

const jsonWriters: ReadonlyMap<number, ValueWriter> = new Map([
  ...numbers,
  ...moments.map(([type, write]) => [type, inQuotes(write)] as const),
  [oid.float8, floatOr(json.values.null)],
])

/** By format and type. A format that is not here takes texts. */
export const binaryWriters: ReadonlyMap<RowFormat, ReadonlyMap<number, ValueWriter>> = new Map([
  [json, jsonWriters],
  [ndjson, jsonWriters],
  [csv, new Map([...numbers, ...moments, [oid.float8, floatOr(csv.values.null)]])],
])

/** The types that a column may have to come in binary form. */
export const binaryTypes: ReadonlySet<number> = new Set(jsonWriters.keys())
