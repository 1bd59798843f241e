/**
 * Rows as PostgreSQL prints them -> JSON text. A writer is compiled once per result shape (column names and types) and
 * then called for every row with the column texts; no row object, Date or Number is ever made. Pure.
 */
import { planColumns } from '../../rows/names.ts'
import { quote } from '../../rows/json.ts'
import { arrayToJson } from './arrays.ts'
import type { TextRow } from './driver.ts'
import type { ColumnType, ScalarKind } from './types.ts'

export type RowWriter = (row: TextRow) => string
type ValueWriter = (text: string) => string

/** How each scalar kind becomes JSON text. `undefined` stands for "as it is", so that the row loop can skip the call. */
const scalarWriters: Readonly<Record<ScalarKind, ValueWriter | undefined>> = {
  verbatim: undefined,
  // NaN, Infinity and -Infinity are the only forms that end in a letter.
  float: (text) => (text.endsWith('N') || text.endsWith('y') ? 'null' : text),
  boolean: (text) => (text === 't' ? 'true' : 'false'),
  string: quote,
  timestamp: (text) => quote(toIsoTime(text)),
  timestamptz: (text) => quote(toIsoTime(toZulu(text))),
}

export function compileRowWriter(names: readonly string[], types: readonly ColumnType[]): RowWriter {
  const columns = planColumns(names)
  const keys = columns.map(({ key }, index) => `${index === 0 ? '{' : ','}${quote(key)}:`)
  const sources = columns.map(({ column }) => column)
  const writers = sources.map((column) => valueWriter(types[column] as ColumnType))
  const count = columns.length
  if (count === 0) return () => '{}'
  return (row) => {
    let json = ''
    for (let i = 0; i < count; i++) {
      const text = row[sources[i] as number] as string | null
      json += keys[i]
      if (text === null) json += 'null'
      else {
        const write = writers[i]
        json += write === undefined ? text : write(text)
      }
    }
    return `${json}}`
  }
}

function valueWriter(type: ColumnType): ValueWriter | undefined {
  const write = scalarWriters[type.kind]
  if (!type.array) return write
  const writeElement = write ?? ((text: string) => text)
  return (text) => arrayToJson(text, type.delimiter, writeElement)
}

/** `2026-01-01 10:20:30.5` -> `2026-01-01T10:20:30.5`; the infinities and the era (` BC`) stay as they are. */
function toIsoTime(text: string): string {
  return text.replace(' ', 'T')
}

/** The session speaks UTC, so `+00` is what nearly every value ends in; a file that sets another zone keeps its offset. */
function toZulu(text: string): string {
  return text.endsWith('+00') ? `${text.slice(0, -3)}Z` : text.replace('+00 BC', 'Z BC')
}
