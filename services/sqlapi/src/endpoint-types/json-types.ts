/**
 * The table of types: what values of a database type are in JSON, in results and as parameters (manual, "PostgreSQL
 * types" and "SQLite values"). Pure. How values are written is the business of `database/`; a test holds both together.
 */
import type { DatabaseType } from '../description.ts'
import type { Dialect } from '../model.ts'

export interface JsonType {
  /** `any` is any JSON; an `array` may hold nulls and, of several dimensions, arrays. */
  readonly type: 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'any'
  /** What a string holds, by its name in JSON Schema. */
  readonly format?: 'date' | 'date-time' | 'uuid'
  /** A string holds base64. */
  readonly isBase64?: true
  /** The only texts that there are. */
  readonly labels?: readonly string[]
  /** Of the elements of an array. */
  readonly items?: JsonType
  /** Elements of an array may be arrays too: types do not say how many dimensions a value has. */
  readonly mayNest?: true
  /** Of an integer with fewer bits than 64. */
  readonly bits?: 16 | 32
  /** Values may be of these types too. */
  readonly others?: readonly ('number' | 'string')[]
  /** Some values that are not null in the database are null in JSON: NaN, the infinities. */
  readonly holdsNoNumbers?: true
}

const anything: JsonType = { type: 'any' }
const text: JsonType = { type: 'string' }
const integer: JsonType = { type: 'integer' }
const base64: JsonType = { type: 'string', isBase64: true }
/** A text with all digits. */
const numeric: JsonType = { type: 'string' }
const float: JsonType = { type: 'number', holdsNoNumbers: true }

/** What a value is in a result. */
export function jsonTypeOfResult(type: DatabaseType | undefined, dialect: Dialect): JsonType {
  return type === undefined ? anything : asResult(tables[dialect](type))
}

/**
 * A day or moment may be `infinity` or before our era, or printed as the file's DateStyle wants it. Elements that are
 * arrays, of a domain over arrays, are texts.
 */
function asResult({ format, items, ...rest }: JsonType): JsonType {
  if (items !== undefined) return { ...rest, items: items.items === undefined ? asResult(items) : text, mayNest: true }
  return format === 'uuid' ? { ...rest, format } : rest
}

/** What is sent for a parameter; a text that the database can read is understood as well. */
export function jsonTypeOfParameter(type: DatabaseType | undefined, dialect: Dialect): JsonType {
  return type === undefined ? anything : asParameter(tables[dialect](type))
}

/** A number that is sent is taken for one, whatever it comes back as. */
function asParameter(json: JsonType): JsonType {
  if (json === numeric) return { type: 'number' }
  const { holdsNoNumbers: _, bits: _bits, items, ...rest } = json
  return items === undefined ? rest : { ...rest, items: asParameter(items) }
}

const tables: Readonly<Record<Dialect, (type: DatabaseType) => JsonType>> = { postgres: onPostgres, sqlite: onSqlite }

/** By the names that the server prints, without lengths; every other type is a text. */
const postgresTypes: ReadonlyMap<string, JsonType> = new Map([
  ['boolean', { type: 'boolean' }],
  ['smallint', { type: 'integer', bits: 16 }],
  ['integer', { type: 'integer', bits: 32 }],
  ['bigint', integer],
  ['oid', integer],
  ['real', float],
  ['double precision', float],
  ['numeric', numeric],
  ['json', anything],
  ['jsonb', anything],
  ['date', { type: 'string', format: 'date' }],
  ['timestamp with time zone', { type: 'string', format: 'date-time' }],
  ['uuid', { type: 'string', format: 'uuid' }],
])

function onPostgres({ name, base = name, labels }: DatabaseType): JsonType {
  const plain = base.replaceAll(/\(\d+(?:,-?\d+)?\)/g, '')
  if (plain.endsWith('[]')) {
    return { type: 'array', items: onPostgres({ name: plain.slice(0, -2), ...(labels && { labels }) }) }
  }
  return labels === undefined ? (postgresTypes.get(plain) ?? text) : { type: 'string', labels }
}

/** SQLite keeps any number, text or blob in most columns, and JSON has no infinities. */
const numberOrText: JsonType = { type: 'number', others: ['string'], holdsNoNumbers: true }

/**
 * By what a column was declared with, as SQLite finds its affinity; the first that fits. The second type is that of a
 * column that takes no other values.
 */
const sqliteTypes: readonly (readonly [declared: RegExp, type: JsonType, exact: JsonType])[] = [
  [/^bool(?:ean)?$/i, { ...numberOrText, type: 'boolean', others: ['number', 'string'] }, anything],
  [/int/i, numberOrText, integer],
  // These columns make texts of numbers, and a blob is a text in JSON.
  [/char|clob|text/i, text, text],
  [/blob/i, { ...numberOrText, type: 'string', others: ['number'] }, base64],
  [/real|floa|doub/i, numberOrText, float],
  [/^(?:numeric|decimal|number)\b/i, numberOrText, float],
]

function onSqlite({ name, isExact }: DatabaseType): JsonType {
  const [, type, exact] = sqliteTypes.find(([declared]) => declared.test(name)) ?? []
  return (isExact === true ? exact : type) ?? anything
}
