/**
 * How a column's text becomes part of a result, as tables: for each kind of column a function that goes from bytes to
 * bytes in the formats that have one, and a function from text to text for any format.
 */
import type { RowFormat, ValueWriters } from '../../../formats/format.ts'
import { csv } from '../../../formats/csv.ts'
import { json } from '../../../formats/json.ts'
import { ndjson } from '../../../formats/ndjson.ts'
import type { ScalarKind } from '../types/types.ts'
import type { ByteWriter } from './bytes.ts'
import { withoutQuotes, writeCell } from './csv-bytes.ts'
import { writeOneLine, writeQuoted, writeText, writeTimestamp, writeTimestamptz, writeVerbatim } from './json-bytes.ts'
import { toMoment } from './moments.ts'

/** Writes the text of a column's bytes from `from` to before `end`. */
export type ValueWriter = (source: Buffer, from: number, end: number, out: ByteWriter) => void

type ByKind<Writer> = Readonly<Record<ScalarKind, Writer>>

export const words = { true: Buffer.from('true'), false: Buffer.from('false'), null: Buffer.from('null') }

/** Room for it has been reserved. */
export function writeWord(word: Buffer, out: ByteWriter): void {
  writeVerbatim(word, 0, word.length, out)
}

const closingBrace = 0x7d

const writeBoolean: ValueWriter = (source, from, _end, out) =>
  writeWord(source[from] === 0x74 ? words.true : words.false, out)

/** The predecessor's shape of JSON. */
function writeTyped(type: string): ValueWriter {
  const before = Buffer.from(`{"type":"${type}","value":`)
  return (source, from, end, out) => {
    out.reserve(before.length + end - from + 2)
    writeWord(before, out)
    writeText(source, from, end, out)
    out.byte(closingBrace)
  }
}

const jsonWriters: ByKind<ValueWriter> = {
  verbatim: writeVerbatim,
  json: writeVerbatim,
  float: (source, from, end, out) => {
    if (isNoNumber(source[end - 1])) writeWord(words.null, out)
    else writeVerbatim(source, from, end, out)
  },
  decimal: (source, from, end, out) => {
    if (isDigit(source[end - 1])) writeVerbatim(source, from, end, out)
    else writeQuoted(source, from, end, out)
  },
  typedJson: writeTyped('json'),
  typedJsonb: writeTyped('jsonb'),
  boolean: writeBoolean,
  plain: writeQuoted,
  string: writeText,
  timestamp: writeTimestamp,
  timestamptz: writeTimestamptz,
}

const csvWriters: ByKind<ValueWriter> = {
  verbatim: writeVerbatim,
  json: writeCell,
  float: (source, from, end, out) => {
    if (!isNoNumber(source[end - 1])) writeVerbatim(source, from, end, out)
  },
  decimal: writeVerbatim,
  typedJson: writeCell,
  typedJsonb: writeCell,
  boolean: writeBoolean,
  plain: writeVerbatim,
  string: writeCell,
  timestamp: withoutQuotes(writeTimestamp),
  timestamptz: withoutQuotes(writeTimestamptz),
}

/**
 * Formats that are written without making strings of the values, where these are UTF-8. Any other format is written
 * too.
 */
export const byteWriters: ReadonlyMap<RowFormat, ByKind<ValueWriter>> = new Map([
  [json, jsonWriters],
  [ndjson, { ...jsonWriters, json: writeOneLine }],
  [csv, csvWriters],
])

/** The same in any format, from the text that the server has printed. */
export function textWriters(values: ValueWriters): ByKind<(text: string) => string> {
  return {
    verbatim: values.json,
    json: values.json,
    float: (text) => (isNoNumber(text.charCodeAt(text.length - 1)) ? values.null : values.json(text)),
    decimal: (text) => (isDigit(text.charCodeAt(text.length - 1)) ? values.json(text) : values.plain(text)),
    typedJson: (text) => values.typedJson('json', text),
    typedJsonb: (text) => values.typedJson('jsonb', text),
    boolean: (text) => values.json(text === 't' ? 'true' : 'false'),
    plain: values.plain,
    string: values.text,
    timestamp: (text) => values.plain(text.replace(/(?<=-\d\d) /, 'T')),
    timestamptz: (text) => values.plain(toMoment(text)),
  }
}

/** Of what PostgreSQL prints for a numeric only a number ends in one. */
function isDigit(last: number | undefined): boolean {
  return last !== undefined && last >= 0x30 && last <= 0x39
}

/** Of what PostgreSQL prints for a float only NaN and the infinities end in a letter. */
function isNoNumber(last: number | undefined): boolean {
  return last === 0x4e || last === 0x79
}
