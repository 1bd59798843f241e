/**
 * The types that a parameter may be declared with, as one table: which values have the type, what a text of a query
 * string becomes, and how a message calls the type. Null has every type and never comes here. Boot reads defaults with
 * it, requests their values.
 */
import { readElements } from '../json/read.ts'
import { skipBlank, skipValue } from '../json/scan.ts'
import type { JsonNumber, JsonValue, ValueTypeName } from '../model.ts'

export interface ValueType {
  /** In messages: `a date`, `dates`. */
  readonly one: string
  readonly many: string
  /** As it is in a query string. */
  readonly example: string
  /** A JSON value -> what is bound; undefined for one of another type. */
  readonly fit: (value: JsonValue) => JsonValue | undefined
  /** The same for a text of a query string. */
  readonly read: (text: string) => JsonValue | undefined
}

export const valueTypes: Readonly<Record<ValueTypeName, ValueType>> = {
  string: {
    one: 'a string',
    many: 'strings',
    example: 'open',
    fit: (value) => (isNested(value) ? undefined : value),
    read: (text) => text,
  },
  integer: {
    one: 'an integer',
    many: 'integers',
    example: '42',
    fit: (value) => (isNumber(value) && value.kind === 'integer' && isInt64(value.digits) ? value : undefined),
    read: (text) => (integer.test(text) && isInt64(text) ? { kind: 'integer', digits: text } : undefined),
  },
  number: {
    one: 'a number',
    many: 'numbers',
    example: '1.5',
    fit: (value) => (isNumber(value) ? value : undefined),
    read: readNumber,
  },
  boolean: {
    one: 'a boolean',
    many: 'booleans',
    example: 'true',
    fit: (value) => (typeof value === 'boolean' ? value : undefined),
    read: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  },
  date: { one: 'a date', many: 'dates', example: '2026-01-31', ...textOf(isDate) },
  timestamp: { one: 'a timestamp', many: 'timestamps', example: '2026-01-31T10:20:30Z', ...textOf(isTimestamp) },
  uuid: {
    one: 'a UUID',
    many: 'UUIDs',
    example: '0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b',
    ...textOf((text) => uuid.test(text)),
  },
  json: { one: 'JSON', many: 'JSON values', example: '{"a":1}', fit: toDocument, read: readDocument },
}

/** A value as enumerations compare it: equal values have equal keys. Nothing for an array or object. */
export function keyOf(value: JsonValue, type: ValueTypeName | undefined): string | undefined {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return type === 'uuid' ? value.toLowerCase() : value
  if (!isNumber(value)) return undefined
  if (type === 'string') return value.digits
  // Beyond 2^53 a double would make different integers one; otherwise JSON has one way to write an integer, except for
  // zero.
  return value.kind === 'float' || value.digits === '-0' ? String(Number(value.digits) + 0) : value.digits
}

const integer = /^-?(?:0|[1-9][0-9]*)$/
const decimal = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
const date = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/
/** A date, a time to the second or its fraction, and where it has one a time zone. */
const timestamp =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]{1,9})?)?(?:Z|[+-]([0-9]{2})(?::?([0-9]{2}))?)?$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n }
/** The farthest time zone that PostgreSQL reads. */
const maxOffsetHours = 15

function textOf(isOne: (text: string) => boolean): Pick<ValueType, 'fit' | 'read'> {
  return {
    fit: (value) => (typeof value === 'string' && isOne(value) ? value : undefined),
    read: (text) => (isOne(text) ? text : undefined),
  }
}

function isNested(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && 'text' in value
}

function isNumber(value: JsonValue): value is JsonNumber {
  return typeof value === 'object' && value !== null && 'digits' in value
}

function isInt64(digits: string): boolean {
  // 17 digits and a sign always fit, and a text longer than any integer is not worth the arithmetic.
  if (digits.length <= 18) return true
  if (digits.length > 20) return false
  const number = BigInt(digits)
  return number >= int64.least && number <= int64.most
}

function readNumber(text: string): JsonNumber | undefined {
  if (!decimal.test(text) || !Number.isFinite(Number(text))) return undefined
  return { kind: integer.test(text) ? 'integer' : 'float', digits: text }
}

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = date.exec(text) ?? []
  if (Number(year) === 0 || Number(month) === 0 || Number(month) > 12) return false
  return Number(day) >= 1 && Number(day) <= daysOf(Number(year), Number(month))
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

function isTimestamp(text: string): boolean {
  const [, day = '', hour = '', minute = '', second = '0', zoneHours = '0', zoneMinutes = '0'] =
    timestamp.exec(text) ?? []
  if (!isDate(day) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return false
  return Number(zoneHours) <= maxOffsetHours && Number(zoneMinutes) <= 59
}

/** Whatever the JSON is, it is JSON in the database too: the text `"x"` and not `x`. */
function toDocument(value: JsonValue): JsonValue {
  if (isNumber(value)) return { kind: 'document', text: value.digits }
  if (typeof value === 'object' && value !== null) return { kind: 'document', text: value.text }
  return { kind: 'document', text: JSON.stringify(value) }
}

function readDocument(text: string): JsonValue | undefined {
  const [value] = readWhole(text) ?? []
  if (value === undefined) return undefined
  return value === null ? null : toDocument(value)
}

/** The value of a text that is JSON from end to end, in an array of its own. */
export function readWhole(text: string): [JsonValue] | undefined {
  try {
    const end = skipBlank(text, skipValue(text, skipBlank(text, 0), maxDepth))
    return end === text.length ? (readElements(`[${text}]`) as [JsonValue]) : undefined
  } catch {
    return undefined
  }
}

/** Levels of brackets, as in a body. */
const maxDepth = 127
