/**
 * A description as a tree in which schemas, references and plain values are distinguished: a value called `$ref` in an
 * example is not a reference, a property called `example` is a schema. Gives a copy in which references and schemas are
 * what the visitor makes of them. Pure.
 */
import { type Data, isMapping, type Mapping, type Path } from '@services/config-file'

export interface Visitor {
  /** Instead of an object with a `$ref`; `as` is for `walk`, to go on where the reference leads. */
  reference(node: Mapping & { readonly $ref: string }, path: Path, as: Role): Data
  /** Of a schema, after its parts. */
  schema?(copy: Mapping): Mapping
  /** For each list and each object, before its parts. */
  enter?(path: Path): void
}

/**
 * What is at a place: an object of OpenAPI, names with an object each, a schema, or several of them, in a list or
 * by name.
 */
export type Role = 'object' | 'names' | 'schema' | 'schemas'

/** Plain values, whatever they look like. */
const values: ReadonlySet<string> = new Set([
  'example',
  'default',
  'enum',
  'const',
  'value',
  'mapping',
  'scopes',
  'security',
])

const named: ReadonlySet<string> = new Set(
  'paths webhooks responses headers content callbacks examples links requestBodies securitySchemes pathItems encoding variables'.split(
    ' ',
  ),
)

/** Keywords of schemas that hold schemas. */
const roleOfKeyword: Readonly<Record<string, Role>> = {
  ...Object.fromEntries(
    'properties patternProperties $defs definitions dependentSchemas'.split(' ').map((key) => [key, 'schemas']),
  ),
  ...Object.fromEntries('allOf anyOf oneOf prefixItems'.split(' ').map((key) => [key, 'schemas'])),
  ...Object.fromEntries(
    'items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties contentSchema'
      .split(' ')
      .map((key) => [key, 'schema']),
  ),
}

export class TooDeep extends Error {
  readonly path: Path

  constructor(path: Path) {
    super('nested too deeply')
    this.path = path
  }
}

/** Levels of a bundle. */
export const maxDepth = 200

export function walk(data: Data, role: Role, visitor: Visitor, path: Path = []): Data {
  if (path.length > maxDepth) throw new TooDeep(path)
  if (typeof data === 'object' && data !== null) visitor.enter?.(path)
  if (Array.isArray(data)) {
    const inner = role === 'schemas' ? 'schema' : role
    return (data as readonly Data[]).map((item, at) => walk(item, inner, visitor, [...path, at]))
  }
  if (!isMapping(data)) return data
  const isReference = typeof data['$ref'] === 'string' && (role === 'object' || role === 'schema')
  if (isReference) return visitor.reference(data as Mapping & { $ref: string }, path, role)
  const copy = Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      const inner = roleOf(key, value, role)
      return [key, inner === undefined ? value : walk(value, inner, visitor, [...path, key])]
    }),
  )
  return role === 'schema' && visitor.schema !== undefined ? visitor.schema(copy) : copy
}

/** Undefined for plain values. */
function roleOf(key: string, value: Data, role: Role): Role | undefined {
  switch (role) {
    case 'names':
      return 'object'
    case 'schemas':
      return 'schema'
    case 'schema':
      return Object.hasOwn(roleOfKeyword, key) ? roleOfKeyword[key] : undefined
    case 'object':
      if (key === 'schema' || key === 'itemSchema') return 'schema'
      if (key === 'schemas') return 'schemas'
      if (values.has(key) || key.startsWith('x-') || (key === 'examples' && Array.isArray(value))) return undefined
      return named.has(key) || (key === 'parameters' && !Array.isArray(value)) ? 'names' : 'object'
  }
}
