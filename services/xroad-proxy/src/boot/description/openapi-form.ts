/**
 * The schema of a JSON body with attachments -> the content of a request in both media types: JSON, where attachments are base64,
 * and a form, where they are files. Pure.
 */
import type { Json } from './openapi-errors.ts'

export interface RequestContent {
  readonly schema: Json
  readonly example?: Json
}

/** `attached` are the properties that are attachments; undefined where a body can only be JSON. */
export function requestContent(described: RequestContent, attached: readonly string[] | undefined): Json {
  if (attached === undefined) return { 'application/json': described }
  const json = withProperties(described, attached, toBase64)
  const form = withProperties({ schema: described.schema }, attached, toFile)
  const types = attached.flatMap((name) => {
    const type = mediaTypeOf(propertiesOf(described.schema)[name])
    return type === undefined ? [] : [[name, { contentType: type }] as const]
  })
  const encoding = types.length === 0 ? {} : { encoding: Object.fromEntries(types) }
  return { 'application/json': json, 'multipart/form-data': { ...form, ...encoding } }
}

function propertiesOf({ properties = {} }: Json): Readonly<Record<string, Json>> {
  return properties as Readonly<Record<string, Json>>
}

function withProperties(
  described: RequestContent,
  attached: readonly string[],
  change: (property: Json) => Json,
): RequestContent {
  const properties = Object.entries(propertiesOf(described.schema)).map(([name, property]) => {
    return [name, attached.includes(name) ? ofItems(property, change) : property] as const
  })
  return { ...described, schema: { ...described.schema, properties: Object.fromEntries(properties) } }
}

/** Of a list, the items are attachments. */
function ofItems(property: Json, change: (property: Json) => Json): Json {
  if (property['type'] !== 'array') return change(property)
  return { ...property, items: change(property['items'] as Json) }
}

/** A file written by hand does not say whether there may be several. */
function toBase64(property: Json): Json {
  return { contentEncoding: 'base64', ...property }
}

const ofText: ReadonlySet<string> = new Set(['contentEncoding', 'pattern', 'minLength', 'maxLength', 'type', 'format'])

/** The older `format` is what viewers offer a choice of files for. */
function toFile(property: Json): Json {
  const kept = Object.entries(property).filter(([keyword]) => !ofText.has(keyword))
  return { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream', ...Object.fromEntries(kept) }
}

function mediaTypeOf(property: Json | undefined): unknown {
  const { contentMediaType, items } = (property ?? {}) as { contentMediaType?: unknown; items?: Json }
  return contentMediaType ?? items?.['contentMediaType']
}
