/** What was typed in -> the request that is sent and shown as a curl line. Pure. */
import { readJson, writeJson } from './docs-json.js'

/**
 * @typedef {import('./docs-description.js').Field} Field
 * @typedef {import('./docs-description.js').Operation} Operation
 */

/** @typedef {{ readonly state: 'value' | 'null' | 'absent', readonly text: string }} Typed What stands in a field. */

/**
 * A request, ready to be sent.
 *
 * @typedef {object} Prepared
 * @property {string} method
 * @property {string} url
 * @property {readonly (readonly [name: string, value: string])[]} headers
 * @property {string | undefined} body
 */

/** What cannot be sent as it stands. */
export class Mistake extends Error {
  /**
   * @param {Field | undefined} field
   * @param {string} message
   */
  constructor(field, message) {
    super(message)
    this.field = field
  }
}

/**
 * What a field shows at first.
 *
 * @param {Field} field
 * @returns {Typed}
 */
export function typedExample({ example, control }) {
  return typedValue(example, control)
}

/**
 * @param {unknown} value As `readJson` gives it.
 * @param {Field['control']} control
 * @returns {Typed}
 */
export function typedValue(value, control) {
  if (value === undefined) return { state: 'absent', text: '' }
  if (value === null) return { state: 'null', text: '' }
  if (control === 'lines')
    return { state: 'value', text: (Array.isArray(value) ? value : [value]).map(plain).join('\n') }
  if (control === 'any' && typeof value === 'string' && toAny(value) === JSON.stringify(value)) {
    return { state: 'value', text: value }
  }
  return { state: 'value', text: control === 'json' || control === 'any' ? writeJson(value) : plain(value) }
}

/**
 * A text as it is, anything else as JSON.
 *
 * @param {unknown} value
 * @returns {string}
 */
function plain(value) {
  return typeof value === 'string' ? value : writeJson(value)
}

/**
 * Throws a `Mistake` for what is no JSON where it has to be. `bodyText` takes the place of the fields of the body.
 *
 * @param {string} base
 * @param {Operation} operation
 * @param {(field: Field) => Typed} typedOf
 * @param {string | undefined} bodyText
 * @returns {Prepared}
 */
export function prepare(base, operation, typedOf, bodyText) {
  const { method, path, fields, hasBody } = operation
  /** @type {string[]} */
  const query = []
  /** @type {[string, string][]} */
  const headers = []
  for (const field of fields) {
    const { state, text } = typedOf(field)
    if (field.place === 'body' || state !== 'value') continue
    if (field.place === 'header') headers.push([field.name, text])
    else for (const value of valuesIn(field, text)) query.push(`${encode(field.name)}=${encode(value)}`)
  }
  const url = `${base}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`
  if (!hasBody) return { method, url, headers, body: undefined }
  const body = bodyText ?? writeBody(fields, typedOf)
  return { method, url, headers: [...headers, ['Content-Type', 'application/json']], body }
}

/**
 * A list has one element a line.
 *
 * @param {Field} field
 * @param {string} text
 * @returns {readonly string[]}
 */
function valuesIn({ control }, text) {
  return control === 'lines' ? text.split('\n').filter((line) => line !== '') : [text]
}

/**
 * Only what stands for itself in a query string stays as it is; a single quote would make the curl line hard to read.
 *
 * @param {string} text
 * @returns {string}
 */
function encode(text) {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27')
}

/**
 * @param {readonly Field[]} fields
 * @param {(field: Field) => Typed} typedOf
 * @returns {string}
 */
export function writeBody(fields, typedOf) {
  const members = fields
    .filter(({ place }) => place === 'body')
    .map((field) => /** @type {const} */ ([field, typedOf(field)]))
    .filter(([, { state }]) => state !== 'absent')
    .map(([field, typed]) => `${JSON.stringify(field.name)}: ${toJson(field, typed)}`)
  return `{${members.join(', ')}}`
}

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * @param {Field} field
 * @param {Typed} typed
 * @returns {string}
 */
function toJson(field, { state, text }) {
  if (state === 'null') return 'null'
  switch (field.control) {
    case 'json':
      if (!isJson(text)) throw new Mistake(field, 'This is no JSON.')
      return text.trim()
    case 'number':
      // The service says best what is wrong with another text.
      return number.test(text.trim()) ? text.trim() : JSON.stringify(text)
    case 'boolean':
      return text === 'true' || text === 'false' ? text : JSON.stringify(text)
    case 'choice': {
      const choice = field.schema.enum?.find((each) => String(each) === text)
      return writeJson(choice ?? text)
    }
    case 'any':
      return toAny(text)
    case 'lines':
      return JSON.stringify(text.split('\n').filter((line) => line !== ''))
    case 'text':
    case 'date':
      return JSON.stringify(text)
  }
}

/**
 * @param {string} text
 * @returns {string}
 */
function toAny(text) {
  return isJson(text) ? text.trim() : JSON.stringify(text)
}

/**
 * @param {string} text
 * @returns {boolean}
 */
export function isJson(text) {
  try {
    readJson(text)
    return true
  } catch {
    return false
  }
}
