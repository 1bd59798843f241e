/**
 * Rows as PostgreSQL sends them -> text in a format. A writer is compiled once for each result shape (column names and
 * types) and format, and then called for every DataRow with the bytes of the frame; no row object, Date or Number is
 * made on the way. Where the format has writers for bytes no string is made of most values either. Pure.
 */
import { type KeyedColumn, planColumns } from '../../../json/keys.ts'
import type { Layout, RowFormat } from '../../../formats/format.ts'
import { json } from '../../../formats/json.ts'
import { arrayToJson } from '../types/arrays.ts'
import { binaryWriters, maxPerValue } from './binary-columns.ts'
import type { ByteWriter } from './bytes.ts'
import { byteWriters, textWriters, type ValueWriter, writeWord } from './column-writers.ts'
import type { ColumnType } from '../types/types.ts'

export interface RowWriter {
  readonly format: RowFormat
  /** Writes the row whose DataRow begins in `source` at `at`, with what is in front of it. */
  readonly write: (source: Buffer, at: number, out: ByteWriter, isFirst: boolean) => void
  /** Writes what is behind the last row. */
  readonly writeEnd: (out: ByteWriter) => void
  /** The whole of a result without a row. */
  readonly empty: string
}

/** The same where there is no writer, because the types of the columns are not known. */
export function emptyOf(columns: readonly { readonly name: string }[], format: RowFormat): string {
  return layoutOf(planColumns(columns.map(({ name }) => name)), format).empty
}

function append(word: Buffer, out: ByteWriter): void {
  out.reserve(word.length)
  writeWord(word, out)
}

/** An array is JSON in every format. */
const elementWriters = {
  ...textWriters(json.values),
  // So the predecessor had them.
  typedJson: json.values.text,
  typedJsonb: json.values.text,
}

/** Quotes of a column; `null` and `false` fit in the four bytes of length that are in the frame, and a byte. */
const perColumn = 3

export interface ResultColumns {
  readonly names: readonly string[]
  readonly types: readonly ColumnType[]
  /** The server's texts are known to be UTF-8; else they are made so, a broken byte becoming U+FFFD. */
  readonly isUtf8: boolean
  /** The type of each column that comes in binary form, undefined for those that come as text. */
  readonly binary?: readonly (number | undefined)[]
}

/** Whether columns may come in binary form for this format. */
export function takesBinary(format: RowFormat): boolean {
  return binaryWriters.has(format)
}

export function compileRowWriter(result: ResultColumns, format: RowFormat): RowWriter {
  const { names, binary = [] } = result
  const columns = planColumns(names)
  const layout = layoutOf(columns, format)
  const sources = columns.map(({ column }) => column)
  const values = sources.map((column) => valueWriter(result, column, format))
  const firstRow = prefixes(layout.start, layout)
  const otherRow = prefixes(layout.between, layout)
  const rowEnd = Buffer.from(layout.rowEnd)
  const end = Buffer.from(layout.end)
  const nothing = Buffer.from(format.values.null)
  const inBinary = binary.filter((type) => type !== undefined).length
  const around = roomAround([firstRow, otherRow], rowEnd, nothing) + inBinary * maxPerValue
  const count = columns.length
  /** Where each column of the frame begins, behind its length. */
  const starts = new Int32Array(names.length)
  const write: RowWriter['write'] = (source, at, out, isFirst) => {
    const rowLength = findColumns(source, at, starts) - at
    const before = isFirst ? firstRow : otherRow
    // Values may move the result to a larger slab, so room is made again for what is left of the row.
    for (let i = 0; i < count; i++) {
      const start = starts[sources[i] as number] as number
      const size = source.readInt32BE(start - 4)
      out.reserve(around + rowLength)
      writeWord(before[i] as Buffer, out)
      if (size < 0) writeWord(nothing, out)
      else (values[i] as ValueWriter)(source, start, start + size, out)
    }
    if (count === 0) append(before[0] as Buffer, out)
    append(rowEnd, out)
  }
  return { format, write, writeEnd: (out) => append(end, out), empty: layout.empty }
}

function layoutOf(columns: readonly KeyedColumn[], format: RowFormat): Layout {
  return format.layout(columns.map(({ key }) => key))
}

/** What is in front of each value of a row; without columns, in front of the row. */
function prefixes(row: string, { before }: Layout): readonly Buffer[] {
  const [first = '', ...others] = before
  return [row + first, ...others].map((text) => Buffer.from(text))
}

/** Bytes of a row besides those of the frame. */
function roomAround(rows: readonly (readonly Buffer[])[], rowEnd: Buffer, nothing: Buffer): number {
  const ofRow = (before: readonly Buffer[]): number =>
    before.reduce((sum, prefix) => sum + prefix.length + Math.max(perColumn, nothing.length - 4), rowEnd.length)
  return Math.max(...rows.map(ofRow))
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

function valueWriter({ types, isUtf8, binary }: ResultColumns, column: number, format: RowFormat): ValueWriter {
  const asBinary = binary?.[column]
  if (asBinary !== undefined) return binaryWriters.get(format)?.get(asBinary) as ValueWriter
  const { kind, array, delimiter } = types[column] as ColumnType
  const { values } = format
  if (array) {
    const writeElement = elementWriters[kind]
    return (source, from, end, out) => {
      out.text(values.json(arrayToJson(source.toString('utf8', from, end), delimiter, writeElement)))
    }
  }
  const direct = byteWriters.get(format)
  if (isUtf8 && direct !== undefined) return direct[kind]
  const write = textWriters(values)[kind]
  return (source, from, end, out) => void out.text(write(source.toString('utf8', from, end)))
}
