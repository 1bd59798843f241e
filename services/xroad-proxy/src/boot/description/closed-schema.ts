/**
 * A JSON Schema of a request -> the same where no object has a key that it does not name: as requests are checked that
 * are refused.
 */
import type { Json } from './openapi-errors.ts'

/** Large parts are shared by many requests. */
const known = new WeakMap<object, unknown>()

export function closeObjects(schema: Json): Json {
  return close(schema) as Json
}

function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close)
  if (typeof schema !== 'object' || schema === null) return schema
  const found = known.get(schema)
  if (found !== undefined) return found
  const { properties, items, ...rest } = schema as Json
  const inner: Record<string, unknown> = {}
  for (const keyword of ['oneOf', 'anyOf', 'allOf']) {
    if (rest[keyword] !== undefined) inner[keyword] = close(rest[keyword])
  }
  const closed = {
    ...rest,
    ...inner,
    ...(properties === undefined ? {} : { properties: closeEach(properties as Json) }),
    ...(items === undefined ? {} : { items: close(items) }),
    ...(isOpen(schema as Json) ? { additionalProperties: false } : {}),
  }
  known.set(schema, closed)
  return closed
}

function closeEach(properties: Json): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, close(schema)]))
}

/** Alternatives close themselves. */
function isOpen({ type, oneOf, additionalProperties }: Json): boolean {
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'))
  return isObject && oneOf === undefined && additionalProperties === undefined
}
