/**
 * An OpenAPI 3.1 document -> the operations that the page shows. Knows no service: what it reads is what any
 * description may say, and four things more: `x-batch-of`, by which a batch form is shown with the operation that it
 * repeats, `x-methods` of a path, for methods that OpenAPI has no place for, `x-facts` of an operation, names and texts
 * that are shown with it, and `x-takes-rest` of a value in the path, whose slashes part segments.
 */
import { readBodies } from './docs-body-types.js'
import { decode, Parts } from './docs-parts.js'
import { Responses } from './docs-responses.js'
import { controlOf, exampleIn } from './docs-schema.js'

/**
 * @typedef {import('./docs-body-types.js').Body} Body
 * @typedef {import('./docs-parts.js').Reference} Reference
 * @typedef {import('./docs-schema.js').Schema} Schema
 * @typedef {import('./docs-schema.js').Control} Control
 */

/**
 * A value that a request may have.
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {'path' | 'query' | 'header' | 'body'} place
 * @property {boolean} isRequired
 * @property {boolean} isNullable
 * @property {Control} control
 * @property {Schema} schema
 * @property {string | undefined} description
 * @property {unknown} example Undefined where the value is left out at first.
 * @property {string} [style] How a list or an object stands in a query string, where that is said.
 * @property {boolean} [isExploded] Whether each element of a list has the name of the parameter.
 * @property {boolean} [isWholePath] Whether slashes part segments.
 */

/**
 * @typedef {{ readonly title: string, readonly version: string, readonly base: string, readonly operations: readonly
 * Operation[] }} Description
 */

/**
 * @typedef {{ readonly schema?: Schema, readonly example?: unknown, readonly examples?: Readonly<Record<string, {
 * readonly value?: unknown }>> }} Media
 */
/**
 * @typedef {Reference & { readonly description?: string, readonly required?: boolean, readonly content?:
 * Readonly<Record<string, Media>>, readonly headers?: Readonly<Record<string, Reference & { readonly description?:
 * string }>> }} Content
 */
/**
 * @typedef {Reference & { readonly name?: string, readonly in?: string, readonly required?: boolean, readonly schema?: Schema,
 *   readonly description?: string, readonly example?: unknown, readonly style?: string, readonly explode?: boolean,
 *   readonly 'x-takes-rest'?: boolean }} ParameterObject
 */
/**
 * @typedef {{ readonly operationId?: string, readonly tags?: readonly string[], readonly summary?: string,
 *   readonly description?: string, readonly deprecated?: boolean, readonly parameters?: readonly ParameterObject[],
 *   readonly requestBody?: Content, readonly responses?: Readonly<Record<string, Content>>, readonly 'x-batch-of'?: string,
 *   readonly 'x-titles'?: Readonly<Record<string, unknown>>, readonly 'x-facts'?: Readonly<Record<string, string>> }} OperationObject
 */
/**
 * @typedef {Readonly<Record<string, OperationObject | undefined>> & { readonly parameters?: readonly ParameterObject[],
 *   readonly 'x-methods'?: Readonly<Record<string, OperationObject>> }} PathItem
 */
/**
 * The parts of an OpenAPI document that are looked at.
 *
 * @typedef {{ readonly info?: { readonly title?: string, readonly version?: string },
 *   readonly servers?: readonly { readonly url: string }[],
 *   readonly paths?: Readonly<Record<string, object>> }} OpenApi
 */

const methods = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head']

/**
 * @param {OpenApi} source
 * @param {string} address Where the document came from.
 * @returns {Description}
 */
export function readDescription(source, address) {
  const base = new URL(source.servers?.[0]?.url ?? '.', address).href.replace(/\/$/, '')
  const parts = new Parts(source)
  /** @type {Operation[]} */
  const operations = []
  /** @type {[batchOf: string, batch: Operation][]} */
  const batches = []
  for (const [path, given] of Object.entries(source.paths ?? {})) {
    const item = /** @type {PathItem} */ (given)
    const known = methods.flatMap((method) => {
      const found = item[method]
      return found === undefined ? [] : [/** @type {const} */ ([method.toUpperCase(), found])]
    })
    for (const [method, found] of [...known, ...Object.entries(item['x-methods'] ?? {})]) {
      const operation = new Operation(parts, { path, method, found, shared: item.parameters ?? [] })
      if (found['x-batch-of'] === undefined) operations.push(operation)
      else batches.push([found['x-batch-of'], operation])
    }
  }
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  for (const [id, batch] of batches) {
    const single = byId.get(id)
    if (single === undefined) operations.push(batch)
    else single.batch = batch
  }
  return { title: source.info?.title ?? '', version: source.info?.version ?? '', base, operations }
}

/** What the list shows is read at once; the rest of hundreds of operations only when one is opened. */
export class Operation {
  /** @type {Operation | undefined} */
  batch
  /** @type {OperationObject} */
  #found
  /** @type {readonly ParameterObject[]} */
  #shared
  /** @type {readonly Field[] | undefined} */
  #parameters
  /** @type {readonly Body[] | undefined} */
  #bodies

  /**
   * @param {Parts} parts
   * @param {{ readonly path: string, readonly method: string, readonly found: OperationObject,
   *   readonly shared: readonly ParameterObject[] }} given
   */
  constructor(parts, { path, method, found, shared }) {
    this.parts = parts
    this.#found = found
    this.#shared = shared
    this.id = found.operationId ?? `${method.toLowerCase()} ${path}`
    this.method = method
    /** As a request has it, encoded. */
    this.path = path
    /** The path for people. */
    this.title = decode(path)
    this.tags = found.tags ?? []
    const summary = found.summary ?? ''
    // The path once more says nothing.
    this.summary = `/${summary}` === this.title ? '' : summary
    this.description = found.description ?? ''
    this.isDeprecated = found.deprecated === true
    this.facts = Object.entries(found['x-facts'] ?? {})
  }

  /** What the search looks at: titles in all languages as well. */
  get words() {
    const titles = Object.values(this.#found['x-titles'] ?? {}).map(String)
    return [this.method, this.title, this.summary, ...titles, ...this.tags].join(' ')
  }

  /** @returns {readonly Field[]} */
  get parameters() {
    return (this.#parameters ??= this.#readParameters())
  }

  /**
   * In which media types a body may be sent, the first one first.
   *
   * @returns {readonly Body[]}
   */
  get bodies() {
    // No browser sends a body along with these.
    if (this.method === 'GET' || this.method === 'HEAD') return []
    return (this.#bodies ??= readBodies(this.parts, this.#found.requestBody))
  }

  get bodyWords() {
    return this.bodies.length === 0 ? '' : (this.parts.resolve(this.#found.requestBody ?? {}).description ?? '')
  }

  /** @returns {Field[]} */
  #readParameters() {
    const own = (this.#found.parameters ?? []).map((given) => this.parts.resolve(given))
    const shared = this.#shared
      .map((given) => this.parts.resolve(given))
      .filter((given) => !own.some((other) => other.name === given.name && other.in === given.in))
    return [...[...shared, ...own].flatMap((given) => this.#parameter(given)), ...this.#accept()]
  }

  /**
   * A choice of the media type of the answer, where there are several.
   *
   * @returns {Field[]}
   */
  #accept() {
    const named = this.responses.mediaTypes.filter((type) => !type.includes('*'))
    if (named.length < 2) return []
    const schema = { type: 'string', enum: named }
    const description = 'The type of the answer.'
    const common = { isRequired: false, isNullable: false, example: undefined }
    return [{ name: 'Accept', place: 'header', control: 'choice', schema, description, ...common }]
  }

  /**
   * @param {ParameterObject} given
   * @returns {Field[]}
   */
  #parameter({ name = '', in: place, required, schema: type = {}, description, example, style, explode, ...more }) {
    // Scripts cannot send cookies.
    if (place !== 'path' && place !== 'query' && place !== 'header') return []
    const schema = this.parts.open(type)
    const shown = example ?? exampleIn(schema)
    const control = parameterControl(schema, shown)
    /** @type {Field} */
    const field = {
      name,
      place,
      isRequired: required === true || place === 'path',
      isNullable: false,
      control,
      schema,
      description: description ?? schema.description,
      example: control === 'pairs' && isEmpty(shown) ? undefined : shown,
      isExploded: explode ?? (style ?? 'form') === 'form',
      isWholePath: place === 'path' && more['x-takes-rest'] === true,
      ...(style === undefined ? {} : { style }),
    }
    return [field]
  }

  /** What may come back. */
  get responses() {
    return new Responses(this.parts, this.#found.responses ?? {})
  }
}

/**
 * What a query string or a header has is text, whatever nobody knows it to be.
 *
 * @param {Schema} schema
 * @param {unknown} example
 * @returns {Control}
 */
function parameterControl(schema, example) {
  if (schema.type === 'array') return 'lines'
  if (schema.type === 'object') return 'pairs'
  const control = controlOf(schema, example)
  return control === 'any' || control === 'json' || control === 'base64' ? 'text' : control
}

/**
 * @param {unknown} value
 * @returns {boolean}
 */
function isEmpty(value) {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
