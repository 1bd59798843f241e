/** Schemas as OpenAPI 3.0 writes them -> as 3.1 does, which is JSON Schema. Pure. */
import { type Data, isMapping, type Mapping } from '@services/config-file'

/** One schema, whose parts are new already. */
export function toNewerSchema(schema: Mapping): Mapping {
  // Beside a reference nothing counts.
  if (typeof schema['$ref'] === 'string') return { $ref: schema['$ref'] }
  const { nullable, ...others } = withBounds(withEncoding(schema))
  return nullable === true ? withNull(others) : others
}

function withBounds(schema: Mapping): Mapping {
  const newer: Record<string, Data> = { ...schema }
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const given = newer[flag]
    if (typeof given !== 'boolean') continue
    delete newer[flag]
    const limit = newer[bound]
    if (!given || limit === undefined) continue
    newer[flag] = limit
    delete newer[bound]
  }
  return newer
}

function withEncoding(schema: Mapping): Mapping {
  if (schema['format'] !== 'byte') return schema
  const { format: _, ...others } = schema
  return { ...others, contentEncoding: 'base64' }
}

function withNull(schema: Mapping): Mapping {
  const { type, enum: values } = schema
  if (typeof type !== 'string') return isEmpty(schema) ? schema : { anyOf: [schema, { type: 'null' }] }
  const withType: Mapping = { ...schema, type: [type, 'null'] }
  return Array.isArray(values) && !values.includes(null)
    ? { ...withType, enum: [...(values as readonly Data[]), null] }
    : withType
}

/** It allows everything as it is. */
function isEmpty(schema: Mapping): boolean {
  return ['allOf', 'anyOf', 'oneOf', 'not', 'enum'].every(
    (key) => !isMapping(schema[key]) && !Array.isArray(schema[key]),
  )
}
