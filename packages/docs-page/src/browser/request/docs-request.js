/** What was typed in -> the request that is sent and shown as a curl line. Pure. */
import { readJson, writeJson } from '../text/docs-json.js'
import { linesIn, pathOf, queryPieces } from './docs-parameter.js'

/**
 * @typedef {import('../answer/docs-answer.js').Prepared} Prepared
 * @typedef {import('../answer/docs-answer.js').Part} Part
 * @typedef {import('../description/docs-body-types.js').Body} Body
 * @typedef {import('../description/docs-description.js').Field} Field
 */

/**
 * What is in a field.
 *
 * @typedef {{ readonly state: 'value' | 'null' | 'absent', readonly text: string, readonly files?: readonly File[] }} Typed
 */

/**
 * The body: `text` or `file` as they are, without either the fields in the manner of `body`. `mediaType` takes the
 * place of the one of `body`.
 *
 * @typedef {{ readonly body: Body, readonly text?: string | undefined, readonly file?: File | undefined,
 *   readonly mediaType?: string | undefined }} Content
 */

/** What cannot be sent as it is. */
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
  if (control === 'file') return { state: 'absent', text: '' }
  if (control === 'lines')
    return { state: 'value', text: (Array.isArray(value) ? value : [value]).map(plain).join('\n') }
  if (control === 'pairs') {
    const pairs = Object.entries(typeof value === 'object' ? value : {})
    return { state: 'value', text: pairs.map(([name, each]) => `${name}=${plain(each)}`).join('\n') }
  }
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
 * Throws a `Mistake` for what is missing in the path, and for what is not JSON where it has to be.
 *
 * @param {string} base
 * @param {{ readonly method: string, readonly path: string, readonly parameters: readonly Field[] }} operation
 * @param {(field: Field) => Typed} typedOf
 * @param {Content | undefined} content
 * @returns {Prepared}
 */
export function prepare(base, { method, path, parameters }, typedOf, content) {
  const given = parameters.filter((field) => typedOf(field).state === 'value')
  const query = given
    .filter(({ place }) => place === 'query')
    .flatMap((field) => queryPieces(field, typedOf(field).text))
  const url = `${base}${fillPath(path, parameters, typedOf)}${query.length === 0 ? '' : `?${query.join('&')}`}`
  const headers = given
    .filter(({ place }) => place === 'header')
    .map((field) => /** @type {const} */ ([field.name, typedOf(field).text]))
  if (content === undefined) return { method, url, headers, body: undefined }
  const body = writeContent(content, typedOf)
  // A browser names the type of parts itself, with what is between them.
  const type = typeof body === 'string' || body instanceof File ? (content.mediaType ?? content.body.mediaType) : ''
  return { method, url, headers: type === '' ? headers : [...headers, ['Content-Type', type]], body }
}

/**
 * @param {string} path
 * @param {readonly Field[]} parameters
 * @param {(field: Field) => Typed} typedOf
 * @returns {string}
 */
function fillPath(path, parameters, typedOf) {
  return pathOf(path, parameters, (field) => {
    const { text } = typedOf(field)
    if (text === '') throw new Mistake(field, 'The path needs a value.')
    // A browser takes them out of the path, however they are encoded.
    if (text.split('/').some((segment) => /^\.{1,2}$/.test(segment)))
      throw new Mistake(field, 'No segment of a path may be . or ..')
    return text
  })
}

/**
 * @param {Content} content
 * @param {(field: Field) => Typed} typedOf
 * @returns {Prepared['body']}
 */
function writeContent({ body, text, file }, typedOf) {
  if (file !== undefined || text !== undefined) return file ?? text
  switch (body.kind) {
    case 'form':
      return givenIn(body.fields, typedOf)
        .flatMap((field) => queryPieces(field, typedOf(field).text))
        .join('&')
    case 'parts':
      return writeParts(body.fields, typedOf)
    case 'json':
    case 'text':
    case 'any':
      return writeBody(body.fields, typedOf)
  }
}

/**
 * Texts before files: a receiver that reads the parts as they come knows all values when the first file begins.
 *
 * @param {readonly Field[]} fields
 * @param {(field: Field) => Typed} typedOf
 * @returns {readonly Part[]}
 */
function writeParts(fields, typedOf) {
  const parts = givenIn(fields, typedOf).flatMap((field) => {
    const { text, files = [] } = typedOf(field)
    /** @type {readonly (string | File)[]} */
    const values = field.control === 'file' ? files : textsIn(field, text)
    return values.map((value) => ({ name: field.name, value }))
  })
  return parts.toSorted((a, b) => Number(a.value instanceof File) - Number(b.value instanceof File))
}

/**
 * @param {Field} field
 * @param {string} text
 * @returns {readonly string[]}
 */
function textsIn(field, text) {
  if (field.control === 'lines') return linesIn(text)
  if (field.control !== 'json') return [text]
  if (!isJson(text)) throw new Mistake(field, 'This is not JSON.')
  return [text]
}

/**
 * @param {readonly Field[]} fields
 * @param {(field: Field) => Typed} typedOf
 * @returns {readonly Field[]}
 */
function givenIn(fields, typedOf) {
  return fields.filter((field) => typedOf(field).state === 'value')
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
      if (!isJson(text)) throw new Mistake(field, 'This is not JSON.')
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
      return JSON.stringify(linesIn(text))
    case 'text':
    case 'date':
    case 'base64':
    case 'pairs':
    case 'file':
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
