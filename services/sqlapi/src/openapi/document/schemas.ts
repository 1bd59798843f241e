/** What values are in JSON -> JSON Schema, and an example of each. Pure. */
import type { JsonType } from '../../endpoint-types/json-types.ts'

export type Schema = Readonly<Record<string, unknown>>

/** Formats of numbers, as generators of client code know them. */
const numberFormats: ReadonlyMap<string, string> = new Map([
  ['integer', 'int64'],
  ['number', 'double'],
])

/** Without null. */
export function toSchema({ type, format, isBase64, labels, items }: JsonType): Schema {
  if (type === 'any') return {}
  if (type === 'array') return { type, items: items === undefined ? {} : orNull(toSchema(items)) }
  return {
    type,
    ...(labels === undefined ? {} : { enum: labels }),
    ...(format === undefined ? formatOfNumber(type) : { format }),
    ...(isBase64 === true ? { contentEncoding: 'base64' } : {}),
  }
}

function formatOfNumber(type: string): Schema {
  const format = numberFormats.get(type)
  return format === undefined ? {} : { format }
}

/** The same or null. What has no type allows null already. */
export function orNull(schema: Schema): Schema {
  const { type, enum: choices } = schema as { type?: string; enum?: readonly unknown[] }
  if (type === undefined && choices === undefined) return schema
  return choices === undefined ? { ...schema, type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] }
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
