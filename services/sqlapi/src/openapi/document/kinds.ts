/**
 * Kinds of values -> JSON Schema and an example, as a table. A schema for what a request may hold differs from that of a row: a
 * number with all its digits comes back as text, and may be sent as a number too.
 */
import type { Kind, ValueType } from './operation.ts'

export type Schema = Readonly<Record<string, unknown>>

interface KindRow {
  /** As it stands in a row. */
  readonly schema: Schema
  /** As a request may have it, where that differs. */
  readonly given?: Schema
  readonly example: unknown
}

/** Formats are those of the OpenAPI registry; `-local` are the ones without an offset. */
const kinds: Readonly<Record<Kind, KindRow>> = {
  text: { schema: { type: 'string' }, example: 'text' },
  integer: { schema: { type: 'integer', format: 'int64' }, example: 1 },
  number: { schema: { type: 'number', format: 'double' }, example: 1.5 },
  decimal: {
    schema: { type: 'string', format: 'decimal' },
    given: { type: ['number', 'string'], format: 'decimal' },
    example: '1.50',
  },
  boolean: { schema: { type: 'boolean' }, example: true },
  date: { schema: { type: 'string', format: 'date' }, example: '2026-01-31' },
  time: { schema: { type: 'string', format: 'time-local' }, example: '12:30:00' },
  timestamp: { schema: { type: 'string', format: 'date-time-local' }, example: '2026-01-31T12:30:00' },
  moment: { schema: { type: 'string', format: 'date-time' }, example: '2026-01-31T12:30:00Z' },
  uuid: { schema: { type: 'string', format: 'uuid' }, example: '123e4567-e89b-42d3-a456-426614174000' },
  json: { schema: {}, example: {} },
  bytes: { schema: { type: 'string', contentEncoding: 'base64' }, example: '' },
}

/** What most types of most databases can read: a text, any number, a boolean, JSON. */
const exampleOfUnknown = 1

/** As a row has it. */
export function columnSchema(type: ValueType | undefined, isNullable: boolean): Schema {
  if (type === undefined) return {}
  const { schema } = kinds[type.kind]
  const whole = type.isList === true ? { type: 'array', items: orNull(schema) } : schema
  return isNullable ? orNull(whole) : whole
}

/** As a request may have it; undefined where nobody knows. */
export function givenSchema(type: ValueType | undefined): Schema | undefined {
  if (type === undefined) return undefined
  const { schema, given = schema } = kinds[type.kind]
  return type.isList === true ? { type: 'array', items: orNull(given) } : given
}

export function exampleOf(type: ValueType | undefined): unknown {
  if (type === undefined) return exampleOfUnknown
  const { example } = kinds[type.kind]
  return type.isList === true ? [example] : example
}

/** The same or null. What has no type allows null already. */
export function orNull(schema: Schema): Schema {
  const { type } = schema as { type?: string | readonly string[] }
  return type === undefined ? schema : { ...schema, type: [type, 'null'].flat() }
}
