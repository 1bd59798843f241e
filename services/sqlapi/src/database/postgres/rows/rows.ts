/**
 * Rows as PostgreSQL sends them -> JSON. A writer is compiled once per result shape (column names and types) and then called
 * for every DataRow with the bytes of the frame; no row object, Date or Number is made on the way, and of most values no
 * string. Pure.
 */
import { planColumns } from '../../../json/keys.ts'
import { quote } from '../../../json/quote.ts'
import { arrayToJson } from '../types/arrays.ts'
import type { ByteWriter } from './bytes.ts'
import { writeQuoted, writeText, writeTimestamp, writeTimestamptz, writeVerbatim } from './json-bytes.ts'
import { toMoment } from './moments.ts'
import type { ColumnType, ScalarKind } from '../types/types.ts'

/** Writes the row whose DataRow begins in `source` at `at`. */
export type RowWriter = (source: Buffer, at: number, out: ByteWriter) => void

/** Writes the JSON of a column's bytes from `from` to before `end`. */
type ValueWriter = (source: Buffer, from: number, end: number, out: ByteWriter) => void

const writers: Readonly<Record<ScalarKind, ValueWriter>> = {
  verbatim: writeVerbatim,
  float: (source, from, end, out) => {
    if (isNoNumber(source[end - 1])) writeWord(words.null, out)
    else writeVerbatim(source, from, end, out)
  },
  boolean: (source, from, _end, out) => writeWord(source[from] === 0x74 ? words.true : words.false, out),
  plain: writeQuoted,
  string: writeText,
  timestamp: writeTimestamp,
  timestamptz: writeTimestamptz,
}

const words = { true: Buffer.from('true'), false: Buffer.from('false'), null: Buffer.from('null') }

function writeWord(word: Buffer, out: ByteWriter): void {
  writeVerbatim(word, 0, word.length, out)
}

/** The same for an element of an array, which has been taken out of its array's text. */
const elementWriters: Readonly<Record<ScalarKind, (text: string) => string>> = {
  verbatim: (text) => text,
  float: (text) => (isNoNumber(text.charCodeAt(text.length - 1)) ? 'null' : text),
  boolean: (text) => (text === 't' ? 'true' : 'false'),
  plain: quote,
  string: quote,
  timestamp: (text) => quote(text.replace(/(?<=-\d\d) /, 'T')),
  timestamptz: (text) => quote(toMoment(text)),
}

/** Of what PostgreSQL prints for a float only NaN and the infinities end in a letter. */
function isNoNumber(last: number | undefined): boolean {
  return last === 0x4e || last === 0x79
}

/** Quotes and the comma of a column; `null` and `false` fit in the four bytes of length that stand in the frame, and a byte. */
const perColumn = 3
const closingBrace = 0x7d

/** `isUtf8`: the server's texts are known to be UTF-8; else they are made so, a broken byte becoming U+FFFD. */
export function compileRowWriter(names: readonly string[], types: readonly ColumnType[], isUtf8: boolean): RowWriter {
  const columns = planColumns(names)
  const keys = columns.map(({ key }, index) => Buffer.from(`${index === 0 ? '{' : ','}${quote(key)}:`))
  const sources = columns.map(({ column }) => column)
  const values = sources.map((column) => valueWriter(types[column] as ColumnType, isUtf8))
  const count = columns.length
  if (count === 0) return (_source, _at, out) => void out.text('{}')
  const around = keys.reduce((sum, key) => sum + key.length + perColumn, 2)
  /** Where each column of the frame begins, behind its length. */
  const starts = new Int32Array(names.length)
  return (source, at, out) => {
    const end = findColumns(source, at, starts)
    // Values may move the answer to a larger slab, so room is made again for what is left of the row.
    for (let i = 0; i < count; i++) {
      const start = starts[sources[i] as number] as number
      const size = source.readInt32BE(start - 4)
      out.reserve(around + end - at)
      writeWord(keys[i] as Buffer, out)
      if (size < 0) writeWord(words.null, out)
      else (values[i] as ValueWriter)(source, start, start + size, out)
    }
    out.byte(closingBrace)
  }
}

/** Fills in where the columns begin; gives the end of the last. */
function findColumns(source: Buffer, from: number, starts: Int32Array): number {
  let at = from + 2
  for (let i = 0; i < starts.length; i++) {
    const size = source.readInt32BE(at)
    at += 4
    starts[i] = at
    if (size > 0) at += size
  }
  return at
}

function valueWriter({ kind, array, delimiter }: ColumnType, isUtf8: boolean): ValueWriter {
  if (array) {
    const writeElement = elementWriters[kind]
    return (source, from, end, out) => {
      out.text(arrayToJson(source.toString('utf8', from, end), delimiter, writeElement))
    }
  }
  if (isUtf8) return writers[kind]
  const write = elementWriters[kind]
  return (source, from, end, out) => void out.text(write(source.toString('utf8', from, end)))
}
