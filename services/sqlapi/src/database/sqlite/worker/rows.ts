/**
 * Rows as SQLite gives them (arrays of values, integers as bigint) -> text in a format. A writer is compiled once for
 * each result shape of a statement and format. Pure.
 */
import type { RowFormat, ValueWriters } from '../../../formats/format.ts'
import { planColumns } from '../../../json/keys.ts'

export type SqliteColumn = null | bigint | number | string | Uint8Array

export interface RowWriter {
  readonly format: RowFormat
  /** The row, with what is in front of it. */
  readonly write: (row: readonly SqliteColumn[], isFirst: boolean) => string
  /** What is behind the last row. */
  readonly end: string
  /** The whole of a result without a row. */
  readonly empty: string
}

export interface ColumnDescription {
  readonly name: string
  /** Declared type, null for an expression. */
  readonly type: string | null
}

export function compileRowWriter(descriptions: readonly ColumnDescription[], format: RowFormat): RowWriter {
  const columns = planColumns(descriptions.map(({ name }) => name))
  const { start, between, before, rowEnd, end, empty } = format.layout(columns.map(({ key }) => key))
  const sources = columns.map(({ column }) => column)
  const { ofAny, ofBoolean } = valueWriters(format.values)
  const writers = sources.map((column) => (isBoolean(descriptions[column]?.type) ? ofBoolean : ofAny))
  const count = columns.length
  const write: RowWriter['write'] = (row, isFirst) => {
    let text = isFirst ? start : between
    for (let i = 0; i < count; i++) {
      const value = row[sources[i] as number] as SqliteColumn
      text += before[i] + (writers[i] as typeof ofAny)(value)
    }
    return text + rowEnd
  }
  return { format, write, end, empty }
}

function isBoolean(type: string | null | undefined): boolean {
  return /^bool(?:ean)?$/i.test(type ?? '')
}

type ValueWriter = (value: SqliteColumn) => string

function valueWriters(values: ValueWriters): { readonly ofAny: ValueWriter; readonly ofBoolean: ValueWriter } {
  const ofAny: ValueWriter = (value) => {
    if (typeof value === 'string') return values.text(value)
    if (typeof value === 'bigint') return values.json(value.toString())
    if (value === null) return values.null
    // JSON has no infinities; SQLite has no NaN.
    if (typeof value === 'number') return Number.isFinite(value) ? values.json(String(value)) : values.null
    return values.plain(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'))
  }
  const ofBoolean: ValueWriter = (value) => {
    if (value === 0n) return values.json('false')
    return value === 1n ? values.json('true') : ofAny(value)
  }
  return { ofAny, ofBoolean }
}
