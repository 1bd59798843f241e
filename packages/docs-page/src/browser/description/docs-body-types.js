/** The body of a request, as its description has it -> how it can be typed in, one way for each media type. Pure. */
import { controlOf, exampleIn, isNullable } from './docs-schema.js'

/**
 * @typedef {import('./docs-description.js').Content} Content
 * @typedef {import('./docs-description.js').Field} Field
 * @typedef {import('./docs-description.js').Media} Media
 * @typedef {import('./docs-parts.js').Parts} Parts
 * @typedef {import('./docs-schema.js').Schema} Schema
 */

/**
 * Fields of which a request has those of one option.
 *
 * @typedef {{ readonly label: string, readonly names: readonly string[], readonly required: readonly string[] }} Option
 */

/**
 * A body in one media type. `json`, `form` and `parts` have fields; `text` is typed as it is sent; `any` is a text or a
 * file of a type that the caller names.
 *
 * @typedef {object} Body
 * @property {string} mediaType
 * @property {'json' | 'form' | 'parts' | 'text' | 'any'} kind
 * @property {boolean} isRequired
 * @property {readonly Field[]} fields
 * @property {readonly (readonly Option[])[]} choices
 * @property {unknown} example
 * @property {Schema} schema
 */

/**
 * @param {Parts} parts
 * @param {Content | undefined} requestBody
 * @returns {readonly Body[]}
 */
export function readBodies(parts, requestBody = {}) {
  const { content = {}, required = false } = parts.resolve(requestBody)
  return Object.entries(content).map(([mediaType, media]) => readBody(parts, mediaType, media, required))
}

/**
 * @param {Parts} parts
 * @param {string} mediaType
 * @param {Media} media
 * @param {boolean} isRequired
 * @returns {Body}
 */
function readBody(parts, mediaType, { schema: given = {}, example: one, examples = {} }, isRequired) {
  const kind = kindOf(mediaType)
  const schema = parts.open(given)
  const example = one ?? Object.values(examples)[0]?.value ?? exampleIn(schema)
  const choices = kind === 'any' || kind === 'text' ? [] : readChoices(parts, schema)
  const fields = kind === 'any' || kind === 'text' ? [] : readFields(parts, schema, kind, example)
  return { mediaType, kind, isRequired, fields, choices, example, schema }
}

/**
 * @param {string} mediaType
 * @returns {Body['kind']}
 */
function kindOf(mediaType) {
  const type = mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (isJsonType(type)) return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (type === 'multipart/form-data') return 'parts'
  return type.startsWith('text/') || type.endsWith('/xml') || type.endsWith('+xml') ? 'text' : 'any'
}

/**
 * @param {string} type In lower case, without parameters.
 * @returns {boolean}
 */
function isJsonType(type) {
  return type === 'application/json' || type.endsWith('+json')
}

/**
 * One for each key of an object, those of all alternatives too.
 *
 * @param {Parts} parts
 * @param {Schema} schema
 * @param {Body['kind']} kind
 * @param {unknown} example
 * @returns {Field[]}
 */
function readFields(parts, schema, kind, example) {
  const { properties, required } = gather(parts, schema)
  /** @type {ReadonlyMap<string, unknown>} */
  const examples = new Map(typeof example === 'object' && example !== null ? Object.entries(example) : [])
  return Array.from(properties, ([name, part]) => {
    const schema = parts.openAll(part)
    const own = examples.get(name) ?? exampleIn(schema)
    return {
      name,
      place: 'body',
      isRequired: required.includes(name),
      isNullable: kind === 'json' && isNullable(schema),
      control: bodyControl(parts, schema, kind, own),
      schema,
      description: schema.description,
      example: own,
    }
  })
}

/**
 * @param {Parts} parts
 * @param {Schema} schema
 * @param {Body['kind']} kind
 * @param {unknown} example
 * @returns {Field['control']}
 */
function bodyControl(parts, schema, kind, example) {
  if (kind === 'parts' && isFile(parts, schema)) return 'file'
  // Outside JSON a list has its name several times.
  if (kind !== 'json' && schema.type === 'array') return 'lines'
  return controlOf(schema, example)
}

/**
 * @param {Parts} parts
 * @param {Schema} schema
 * @returns {{ readonly properties: ReadonlyMap<string, Schema>, readonly required: readonly string[] }}
 */
function gather(parts, schema) {
  const branches = [...choicesOf(schema).flat(), ...(schema.anyOf ?? [])].map((branch) => parts.open(branch))
  /** @type {Map<string, Schema>} */
  const properties = new Map()
  for (const { properties: own = {} } of [schema, ...branches]) {
    for (const [name, part] of Object.entries(own)) {
      if (!properties.has(name) && !isRuledOut(part)) properties.set(name, part)
    }
  }
  return { properties, required: schema.required ?? [] }
}

/**
 * What of the fields goes together, for each choice that the schema leaves.
 *
 * @param {Parts} parts
 * @param {Schema} schema
 * @returns {readonly (readonly Option[])[]}
 */
export function readChoices(parts, schema) {
  return choicesOf(schema)
    .map((branches) => readOptions(branches.map((branch) => parts.open(branch))))
    .filter((options) => options.length > 1 && options.some(({ names }) => names.length > 0))
}

/**
 * A branch has the fields that it speaks of or, where it rules some out, all that are spoken of but these.
 *
 * @param {readonly Schema[]} branches
 * @returns {readonly Option[]}
 */
function readOptions(branches) {
  const all = new Set(branches.flatMap((branch) => [...wantedBy(branch), ...Object.keys(branch.properties ?? {})]))
  return branches.map((branch) => {
    const properties = Object.entries(branch.properties ?? {})
    const out = new Set(properties.flatMap(([name, part]) => (isRuledOut(part) ? [name] : [])))
    const spoken = [...wantedBy(branch), ...properties.map(([name]) => name)]
    const names = out.size === 0 ? [...new Set(spoken)] : [...all].filter((name) => !out.has(name))
    return { label: branch.title ?? labelOf(branch, names), names, required: branch.required ?? [] }
  })
}

/**
 * @param {Schema} branch
 * @returns {readonly string[]}
 */
function wantedBy({ required = [], anyOf = [] }) {
  return [...required, ...anyOf.flatMap((each) => each.required ?? [])]
}

/**
 * @param {Schema | boolean} part
 * @returns {boolean}
 */
function isRuledOut(part) {
  return part === false || (typeof part === 'object' && part.maxItems === 0)
}

/** Names in the label of a branch; a select is read in one glance. */
const maxNames = 3

/**
 * @param {Schema} branch
 * @param {readonly string[]} names
 * @returns {string}
 */
function labelOf(branch, names) {
  const wanted = new Set(wantedBy(branch))
  const told = wanted.size > 0 ? [...wanted] : names
  if (told.length === 0) return 'none of them'
  return told.length > maxNames ? `${told.slice(0, maxNames).join(', ')}, ..` : told.join(', ')
}

/**
 * @param {import('./docs-parts.js').Opened} schema
 * @returns {readonly (readonly Schema[])[]}
 */
function choicesOf({ choices = [] }) {
  return choices
}

/**
 * @param {Parts} parts
 * @param {Schema} schema
 * @returns {boolean}
 */
function isFile(parts, schema) {
  const { format, contentMediaType, contentEncoding } = parts.openItems(schema)
  return (
    format === 'binary' ||
    contentEncoding === 'base64' ||
    (contentMediaType ?? 'application/json') !== 'application/json'
  )
}
