/**
 * The schema of a JSON body with attachments -> the content of a request in both media types: JSON, where attachments
 * are base64, and a form, where they are files. Pure.
 */
import type { Json } from './openapi-errors.ts'

export interface RequestContent {
  readonly schema: Json
  readonly example?: Json
}

/** `attached` are the properties that are attachments; undefined where a body can only be JSON. */
export function requestContent(described: RequestContent, attached: readonly string[] | undefined): Json {
  if (attached === undefined) return { 'application/json': described }
  const { schema } = described
  const isAttached = ([name]: readonly [string, Json]): boolean => attached.includes(name)
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Json>>)
  const files = properties.filter(isAttached)
  const fields = properties.filter((property) => !isAttached(property))
  const json = properties.map((property) => (isAttached(property) ? changed(property, toBase64) : property))
  // Clients send parts in the order of the schema, and files come last.
  const form = [...fields.map((field) => changed(field, toField)), ...files.map((file) => changed(file, toFile))]
  const types = files.flatMap(([name, property]) => {
    const type = mediaTypeOf(property)
    return type === undefined ? [] : [[name, { contentType: type }] as const]
  })
  return {
    'application/json': { ...described, schema: { ...schema, properties: Object.fromEntries(json) } },
    'multipart/form-data': {
      schema: { ...schema, properties: Object.fromEntries(form) },
      ...(types.length === 0 ? {} : { encoding: Object.fromEntries(types) }),
    },
  }
}

function changed([name, property]: readonly [string, Json], change: (property: Json) => Json): readonly [string, Json] {
  return [name, ofItems(property, change)]
}

/** Of a list, the items are attachments. */
function ofItems(property: Json, change: (property: Json) => Json): Json {
  if (property['type'] !== 'array' || property['items'] === undefined) return change(property)
  return { ...property, items: change(property['items'] as Json) }
}

/** A file written by hand does not say whether there may be several. */
function toBase64(property: Json): Json {
  return { contentEncoding: 'base64', ...property }
}

/**
 * Base64 that is in the envelope is text in a form too; with its encoding told, clients would take it for a file.
 */
function toField(property: Json): Json {
  if (property['contentEncoding'] !== 'base64') return property
  return Object.fromEntries(Object.entries(property).filter(([keyword]) => keyword !== 'contentEncoding'))
}

const ofText: ReadonlySet<string> = new Set(['contentEncoding', 'pattern', 'minLength', 'maxLength', 'type', 'format'])

/** The older `format` is what viewers offer a choice of files for. */
function toFile(property: Json): Json {
  const kept = Object.entries(property).filter(([keyword]) => !ofText.has(keyword))
  return { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream', ...Object.fromEntries(kept) }
}

function mediaTypeOf(property: Json): unknown {
  const { contentMediaType, items } = property as { contentMediaType?: unknown; items?: Json }
  return contentMediaType ?? items?.['contentMediaType']
}
