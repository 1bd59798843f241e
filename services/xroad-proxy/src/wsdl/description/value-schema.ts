/**
 * A simple type of XML Schema -> the JSON Schema (2020-12) of the JSON value that stands for it in a response: what the
 * translation of text makes of it (only bare integers, `true` and `false` are more than text there, and then whatever
 * the type says). Values of requests are request-value.ts.
 */
import { canonicalDecimal } from '../../soap/check/decimals.ts'
import { integerTypes, type SimpleType } from '../schema/simple-type.ts'

export type Json = null | boolean | number | string | readonly Json[] | JsonSchema
export interface JsonSchema {
  readonly [key: string]: Json
}

export type Kind = 'text' | 'integer' | 'number' | 'boolean'

const numbers: ReadonlySet<string> = new Set(['decimal', 'float', 'double'])

export function kindOf({ builtin, isList }: SimpleType): Kind {
  if (isList) return 'text'
  if (integerTypes.has(builtin)) return 'integer'
  if (numbers.has(builtin)) return 'number'
  return builtin === 'boolean' ? 'boolean' : 'text'
}

/** Built-in type -> what JSON Schema calls it. */
const formats: Readonly<Record<string, JsonSchema>> = {
  date: { format: 'date' },
  dateTime: { format: 'date-time' },
  time: { format: 'time' },
  duration: { format: 'duration' },
  anyURI: { format: 'uri-reference' },
  base64Binary: { contentEncoding: 'base64' },
  hexBinary: { contentEncoding: 'base16' },
  int: { format: 'int32' },
  long: { format: 'int64' },
  float: { format: 'float' },
  double: { format: 'double' },
}

/** Kind of value -> type of JSON. */
export const jsonTypes: Readonly<Record<Kind, string>> = {
  text: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
}

const responseTypes: Readonly<Record<Kind, readonly string[]>> = {
  text: ['string', 'integer', 'boolean', 'null'],
  integer: ['integer', 'string', 'null'],
  number: ['integer', 'string', 'null'],
  boolean: ['boolean', 'integer', 'null'],
}
/** Legal values of these, such as a time without a zone, do not have the format of JSON Schema. */
const oftenLoose: ReadonlySet<string> = new Set(['time', 'duration', 'anyURI'])
const neverBare: ReadonlySet<string> = new Set(['date', 'dateTime', 'time', 'duration'])

/** What a text leaf of a response becomes. Attributes and text beside attributes are always strings. */
export function toResponseValue(type: SimpleType): JsonSchema {
  if (type.enumeration.length > 0) return { enum: [...new Set(type.enumeration.map((item) => coerce(item.value)))] }
  if (type.members.length > 0) return { type: responseTypes.text }
  const isPlain = !type.isList && neverBare.has(type.builtin)
  const format = kindOf(type) === 'text' && !oftenLoose.has(type.builtin) ? formatOf(type) : {}
  return { type: isPlain ? ['string', 'null'] : responseTypes[kindOf(type)], ...format }
}

export function toStringValue(type: SimpleType): JsonSchema {
  if (type.enumeration.length > 0) return { type: 'string', enum: type.enumeration.map((item) => item.value) }
  return { type: 'string', ...(kindOf(type) === 'text' ? formatOf(type) : {}) }
}

/** What a text of a response becomes where its type counts, attributes and text beside attributes included. */
export function toTypedSchema(type: SimpleType): JsonSchema {
  const kind = kindOf(type)
  const values = type.enumeration.map((item) => (kind === 'text' ? item.value : toJson(item.value, kind)))
  // Values that only digits can say are not listed: no number of JavaScript is the same.
  const isExact = values.every((value) => (typeof value === 'string') === (kind === 'text'))
  if (values.length > 0 && isExact) return { type: jsonTypes[kind], enum: values }
  const schema = { type: jsonTypes[kind], ...formatOf(type) }
  const isFloat = kind === 'number' && type.builtin !== 'decimal'
  return isFloat ? { anyOf: [schema, { enum: ['INF', '-INF', 'NaN'] }] } : schema
}

export function formatOf({ builtin, isList }: SimpleType): JsonSchema {
  return isList ? {} : (formats[builtin] ?? {})
}

const bareInteger = /^[+-]?(?:0|[1-9]\d*)$/u

/** As the translation of responses does it. */
function coerce(text: string): Json {
  const value = text.trim()
  if (value === 'true' || value === 'false') return value === 'true'
  if (value === '') return null
  return bareInteger.test(value) && value !== '-0' && Number.isSafeInteger(Number(value)) ? Number(value) : value
}

/** A value of the WSDL as JSON; what does not fit its own type stays text. */
export function toJson(text: string, kind: Kind): Json {
  const value = text.trim()
  if (kind === 'text') return text
  if (kind === 'boolean') return value === 'true' || value === '1'
  const number = value === '' ? NaN : Number(value)
  const isKept =
    kind === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number) && hasDigitsOf(number, value)
  return isKept ? number : text
}

/** Whether JSON writes all digits of a text without an exponent, and no others. */
function hasDigitsOf(number: number, text: string): boolean {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)$/u.test(text)) return true
  const written = String(number)
  return !written.includes('e') && canonicalDecimal(written) === canonicalDecimal(text)
}

export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...(values as Json[]), null] } : {}) }
}
