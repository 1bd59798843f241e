/**
 * Rows as SQLite gives them (arrays of values, integers as bigint) -> JSON text. A writer is compiled once per result shape
 * of a statement. Pure.
 */
import { quote } from '../../../json/quote.ts'
import { planColumns } from '../../../json/keys.ts'

export type SqliteColumn = null | bigint | number | string | Uint8Array
export type RowWriter = (row: readonly SqliteColumn[]) => string

export interface ColumnDescription {
  readonly name: string
  /** Declared type, null for an expression. */
  readonly type: string | null
}

export function compileRowWriter(descriptions: readonly ColumnDescription[]): RowWriter {
  const columns = planColumns(descriptions.map(({ name }) => name))
  const keys = columns.map(({ key }, index) => `${index === 0 ? '{' : ','}${quote(key)}:`)
  const sources = columns.map(({ column }) => column)
  const writers = sources.map((column) => (isBoolean(descriptions[column]?.type) ? toBoolean : toJson))
  const count = columns.length
  return (row) => {
    let json = ''
    for (let i = 0; i < count; i++) {
      const value = row[sources[i] as number] as SqliteColumn
      json += keys[i] + (writers[i] as typeof toJson)(value)
    }
    return `${json}}`
  }
}

function isBoolean(type: string | null | undefined): boolean {
  return /^bool(?:ean)?$/i.test(type ?? '')
}

function toBoolean(value: SqliteColumn): string {
  if (value === 0n) return 'false'
  return value === 1n ? 'true' : toJson(value)
}

function toJson(value: SqliteColumn): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'bigint') return value.toString()
  if (value === null) return 'null'
  // JSON has no infinities; SQLite has no NaN.
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`
}
