/** What values are in JSON -> JSON Schema, and an example of each. Pure. */
import type { JsonType } from '../../endpoint-types/json-types.ts'

export type Schema = Readonly<Record<string, unknown>>

/** Formats of numbers, as generators of client code know them. */
const int16 = { format: 'int32', minimum: -32_768, maximum: 32_767 }
const formatsOfIntegers = { 16: int16, 32: { format: 'int32' }, 64: { format: 'int64' } } as const

/** Without null. */
export function toSchema(json: JsonType): Schema {
  const { type, isBase64, labels, items, mayNest, others } = json
  if (type === 'any') return {}
  if (type === 'array') {
    const element = items === undefined ? {} : orNull(toSchema(items))
    return { type, items: mayNest === true ? or('array', element) : element }
  }
  if (others !== undefined) return { type: [type, ...others] }
  return {
    type,
    ...(labels === undefined ? {} : { enum: labels }),
    ...formatOf(json),
    ...(isBase64 === true ? { contentEncoding: 'base64' } : {}),
  }
}

function formatOf({ type, format, bits }: JsonType): Schema {
  if (format !== undefined) return { format }
  if (type === 'integer') return formatsOfIntegers[bits ?? 64]
  return type === 'number' ? { format: 'double' } : {}
}

/** The same or null. */
export function orNull(schema: Schema): Schema {
  return or('null', schema)
}

/** What has no type allows everything already. */
function or(other: string, schema: Schema): Schema {
  const { type, enum: choices, anyOf } = schema as Alternatives
  if (anyOf !== undefined) return { ...schema, anyOf: [...anyOf, { type: other }] }
  if (choices !== undefined) return { anyOf: [schema, { type: other }] }
  return type === undefined ? schema : { ...schema, type: [type, other].flat() }
}

interface Alternatives {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
}

const formatExamples = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:30:00Z',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
} as const

const typeExamples = { boolean: true, integer: 1, number: 1.5, string: 'text', any: {} } as const

/** What most types of most databases can read: a text, any number, a boolean, JSON. */
const exampleOfUnknown = 1

export function exampleOf(type: JsonType | undefined): unknown {
  if (type === undefined) return exampleOfUnknown
  if (type.type === 'array') return [exampleOf(type.items)]
  if (type.format !== undefined) return formatExamples[type.format]
  if (type.isBase64 === true) return ''
  return type.labels?.[0] ?? typeExamples[type.type]
}
