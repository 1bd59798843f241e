/** JSON Schema, as far as a form needs it: what a value may be, in words and as an input. Pure. */

/**
 * @typedef {object} Schema
 * @property {string | readonly string[]} [type]
 * @property {string} [format]
 * @property {readonly unknown[]} [enum]
 * @property {unknown} [const]
 * @property {unknown} [default]
 * @property {string} [title]
 * @property {string} [description]
 * @property {unknown} [example]
 * @property {readonly unknown[]} [examples]
 * @property {Schema} [items]
 * @property {Readonly<Record<string, Schema>>} [properties]
 * @property {readonly string[]} [required]
 * @property {boolean | Schema} [additionalProperties]
 * @property {readonly Schema[]} [allOf]
 * @property {readonly Schema[]} [anyOf]
 * @property {readonly Schema[]} [oneOf]
 * @property {string} [pattern]
 * @property {number} [minLength]
 * @property {number} [maxLength]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [minItems]
 * @property {number} [maxItems]
 * @property {string} [contentMediaType]
 * @property {string} [contentEncoding]
 * @property {string} [$ref]
 */

/**
 * How a value is typed in: `any` takes JSON or else a text, `lines` a list with one element a line, `pairs` a
 * `name=value` a line, `base64` a text that a file can fill in, `file` one file or several.
 *
 * @typedef {'text' | 'number' | 'boolean' | 'choice' | 'date' | 'json' | 'any' | 'lines' | 'pairs' | 'base64' | 'file'} Control
 */

/**
 * The schema itself, or the alternatives that it allows, without null.
 *
 * @param {Schema} schema
 * @returns {Schema[]}
 */
function alternatives(schema) {
  const several = schema.anyOf ?? schema.oneOf
  if (several !== undefined) return several.flatMap(alternatives)
  const types = typesOf(schema).filter((type) => type !== 'null')
  if (types.length === 0) return typesOf(schema).length === 0 ? [schema] : []
  return types.map((type) => Object.assign({}, schema, { type }))
}

/**
 * @param {Schema} schema
 * @returns {readonly string[]}
 */
function typesOf({ type }) {
  if (type === undefined) return []
  return typeof type === 'string' ? [type] : type
}

/**
 * Whether null may replace it.
 *
 * @param {Schema} schema
 * @returns {boolean}
 */
export function isNullable(schema) {
  const several = schema.anyOf ?? schema.oneOf
  if (several !== undefined) return several.some(isNullable)
  // What a reference leads to is not seen here.
  if (schema.$ref !== undefined) return false
  if (schema.enum !== undefined && !schema.enum.includes(null)) return false
  const types = typesOf(schema)
  return types.length === 0 || types.includes('null')
}

/**
 * The values to choose from, where they are listed.
 *
 * @param {Schema} schema
 * @returns {readonly unknown[] | undefined}
 */
export function choicesOf(schema) {
  const all = alternatives(schema)
  const listed = all.map(({ enum: choices }) => choices)
  if (all.length !== 1 || listed[0] === undefined) return undefined
  return listed[0].filter((choice) => choice !== null)
}

/**
 * What counts where the value is left out; it may be with one of several alternatives.
 *
 * @param {Schema} schema
 * @returns {unknown}
 */
export function defaultOf(schema) {
  if (schema.default !== undefined) return schema.default
  return (schema.anyOf ?? schema.oneOf)?.map(defaultOf).find((value) => value !== undefined)
}

/**
 * @param {Schema} schema
 * @param {unknown} example
 * @returns {Control}
 */
export function controlOf(schema, example) {
  const all = alternatives(schema)
  if (choicesOf(schema) !== undefined && !all.some(({ type }) => type === 'array')) return 'choice'
  if (all.length === 1 && all[0]?.contentEncoding === 'base64') return 'base64'
  const types = all.flatMap(typesOf)
  if (types.length === 0) return typeof example === 'object' && example !== null ? 'json' : 'any'
  if (types.includes('array') || types.includes('object')) return 'json'
  if (types.includes('boolean')) return 'boolean'
  if (types.includes('integer') || types.includes('number')) return 'number'
  return all[0]?.format === 'date' ? 'date' : 'text'
}

/**
 * A value that the schema itself names; undefined where it names none.
 *
 * @param {Schema} schema
 * @returns {unknown}
 */
export function exampleIn({ example, examples, const: only }) {
  return example ?? examples?.[0] ?? only
}

/**
 * What a value may be beside null, in a word or a few: `integer`, `list of text`.
 *
 * @param {Schema} schema
 * @returns {string}
 */
export function valueWords(schema) {
  return [...new Set(alternatives(schema).map(typeWord))].filter((word) => word !== '').join(' or ')
}

/**
 * The same with null: `date or null`.
 *
 * @param {Schema} schema
 * @returns {string}
 */
export function typeWords(schema) {
  const words = valueWords(schema)
  if (words === '') return ''
  const isTyped = typesOf(schema).length > 0 || schema.anyOf !== undefined || schema.oneOf !== undefined
  return isTyped && isNullable(schema) ? `${words} or null` : words
}

/** Formats that say more than `string` does. */
const formatWords = new Map([
  ['date', 'date'],
  ['date-time', 'date and time with offset'],
  ['date-time-local', 'date and time'],
  ['time-local', 'time'],
  ['uuid', 'UUID'],
  ['decimal', 'decimal'],
])

/**
 * What narrows a value beyond its type: `at most 20 characters`, `1 to 5`.
 *
 * @param {Schema} schema
 * @returns {readonly string[]}
 */
export function boundWords({ pattern, minLength, maxLength, minimum, maximum, minItems, maxItems }) {
  return [
    range(minLength === 0 ? undefined : minLength, maxLength, ' characters'),
    range(minimum, maximum, ''),
    range(minItems === 0 ? undefined : minItems, maxItems, ' items'),
    // What says no more than that the whole value counts.
    pattern === undefined ? '' : `like ${pattern.replace(/^\^\(\?:([^()]*)\)\$$/, '$1')}`,
  ].filter((words) => words !== '')
}

/**
 * @param {number | undefined} least
 * @param {number | undefined} most
 * @param {string} unit
 * @returns {string}
 */
function range(least, most, unit) {
  if (least === undefined) return most === undefined ? '' : `at most ${most}${unit}`
  if (most === undefined) return `at least ${least}${unit}`
  return least === most ? `exactly ${least}${unit}` : `${least} to ${most}${unit}`
}

/**
 * @param {Schema} schema
 * @returns {string}
 */
function typeWord(schema) {
  const { type, format = '', items, enum: choices, contentMediaType, contentEncoding, $ref } = schema
  // The name of a component, without where it came from.
  if ($ref !== undefined) return $ref.slice(Math.max($ref.lastIndexOf('/'), $ref.lastIndexOf('.')) + 1)
  if (type === 'array') return `list of ${(items && valueWords(items)) || 'anything'}`
  if (choices !== undefined)
    return `one of ${choices
      .filter((choice) => choice !== null)
      .map(String)
      .join(', ')}`
  if (type !== 'string') return typeof type === 'string' ? type : ''
  if (contentMediaType === 'application/json') return 'JSON'
  return formatWords.get(format) ?? (contentEncoding || 'text')
}
