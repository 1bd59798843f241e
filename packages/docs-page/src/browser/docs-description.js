/**
 * An OpenAPI 3.1 document -> the operations that the page shows. Knows no service: what it reads is what any description may
 * say, and `x-batch-of`, by which a batch form stands with the operation that it repeats.
 */
import { controlOf, isNullable } from './docs-schema.js'

/**
 * @typedef {import('./docs-schema.js').Schema} Schema
 * @typedef {import('./docs-schema.js').Control} Control
 */

/**
 * A value that a request may have.
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {'query' | 'header' | 'body'} place
 * @property {boolean} isRequired
 * @property {boolean} isNullable
 * @property {Control} control
 * @property {Schema} schema
 * @property {string | undefined} description
 * @property {unknown} example Undefined where the value is left out at first.
 */

/**
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} method
 * @property {string} path As a request has it, encoded.
 * @property {string} title The path for people.
 * @property {readonly string[]} tags
 * @property {string} summary
 * @property {string} description
 * @property {boolean} isDeprecated
 * @property {readonly Field[]} fields
 * @property {boolean} hasBody
 * @property {unknown} bodyExample
 * @property {readonly Column[]} columns Of a row, as far as they are known.
 * @property {readonly Problem[]} problems
 * @property {Operation | undefined} batch
 */

/** @typedef {{ readonly key: string, readonly schema: Schema }} Column */
/** @typedef {{ readonly status: string, readonly description: string, readonly names: readonly string[] }} Problem */
/** @typedef {{ readonly title: string, readonly version: string, readonly base: string, readonly operations: readonly Operation[] }} Description */

/** @typedef {{ readonly $ref?: string }} Reference */
/** @typedef {{ readonly schema?: Schema, readonly example?: unknown }} Media */
/** @typedef {Reference & { readonly description?: string, readonly content?: Readonly<Record<string, Media>> }} Content */
/**
 * @typedef {Reference & { readonly name?: string, readonly in?: string, readonly required?: boolean, readonly schema?: Schema,
 *   readonly description?: string, readonly example?: unknown }} ParameterObject
 */
/**
 * @typedef {{ readonly operationId?: string, readonly tags?: readonly string[], readonly summary?: string,
 *   readonly description?: string, readonly deprecated?: boolean, readonly parameters?: readonly ParameterObject[],
 *   readonly requestBody?: Content, readonly responses?: Readonly<Record<string, Content>>, readonly 'x-batch-of'?: string
 *   }} OperationObject
 */
/**
 * The parts of an OpenAPI document that are looked at.
 *
 * @typedef {{ readonly info?: { readonly title?: string, readonly version?: string },
 *   readonly servers?: readonly { readonly url: string }[],
 *   readonly paths?: Readonly<Record<string, Readonly<Record<string, OperationObject | undefined>>>> }} OpenApi
 */

const methods = ['get', 'put', 'post', 'delete', 'patch']
const jsonType = 'application/json'

/**
 * @param {OpenApi} source
 * @param {string} address Where the document came from.
 * @returns {Description}
 */
export function readDescription(source, address) {
  const base = new URL(source.servers?.[0]?.url ?? '.', address).href.replace(/\/$/, '')
  const reader = new Reader(source)
  /** @type {Operation[]} */
  const operations = []
  /** @type {[batchOf: string, batch: Operation][]} */
  const batches = []
  for (const [path, item] of Object.entries(source.paths ?? {})) {
    for (const method of methods) {
      const found = item[method]
      if (found === undefined) continue
      const operation = reader.operation(path, method, found)
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

class Reader {
  /** @type {OpenApi} */
  #document

  /** @param {OpenApi} document */
  constructor(document) {
    this.#document = document
  }

  /**
   * @param {string} path
   * @param {string} method
   * @param {OperationObject} found
   * @returns {Operation}
   */
  operation(path, method, found) {
    const media = this.#resolve(found.requestBody ?? {}).content?.[jsonType]
    return {
      id: found.operationId ?? `${method} ${path}`,
      method: method.toUpperCase(),
      path,
      title: decode(path),
      tags: found.tags ?? [],
      summary: found.summary ?? '',
      description: found.description ?? '',
      isDeprecated: found.deprecated === true,
      fields: [...this.#parameters(found.parameters ?? []), ...this.#bodyFields(media ?? {})],
      hasBody: media !== undefined,
      bodyExample: media?.example,
      columns: this.#columns(found.responses?.['200'] ?? {}),
      problems: this.#problems(found.responses ?? {}),
      batch: undefined,
    }
  }

  /**
   * @param {readonly ParameterObject[]} parameters
   * @returns {Field[]}
   */
  #parameters(parameters) {
    return parameters.flatMap((given) => {
      const { name = '', in: place, required, schema: type = {}, description, example } = this.#resolve(given)
      if (place !== 'query' && place !== 'header') return []
      const schema = this.#resolve(type)
      const isRequired = required === true
      const control = parameterControl(schema, example)
      return [{ name, place, isRequired, isNullable: false, control, schema, description, example }]
    })
  }

  /**
   * One for each key of an object.
   *
   * @param {Media} media
   * @returns {Field[]}
   */
  #bodyFields({ schema: given = {}, example }) {
    const { properties = {}, required = [] } = this.#resolve(given)
    /** @type {Map<string, unknown>} */
    const examples = new Map(Object.entries(example ?? {}))
    return Object.entries(properties).map(([name, part]) => {
      const schema = this.#resolve(part)
      const own = examples.get(name)
      return {
        name,
        place: 'body',
        isRequired: required.includes(name),
        isNullable: isNullable(schema),
        control: controlOf(schema, own),
        schema,
        description: schema.description,
        example: own,
      }
    })
  }

  /**
   * @param {Content} response
   * @returns {Column[]}
   */
  #columns(response) {
    let schema = this.#resolve(this.#resolve(response).content?.[jsonType]?.schema ?? {})
    while (schema.type === 'array' && schema.items !== undefined) schema = this.#resolve(schema.items)
    return Object.entries(schema.properties ?? {}).map(([key, part]) => ({ key, schema: this.#resolve(part) }))
  }

  /**
   * @param {Readonly<Record<string, Content>>} responses
   * @returns {Problem[]}
   */
  #problems(responses) {
    return Object.entries(responses)
      .filter(([status]) => /^[45]/.test(status))
      .map(([status, response]) => {
        const { description = '', content } = this.#resolve(response)
        const { properties } = this.#resolve(content?.[jsonType]?.schema ?? {})
        const names = properties?.['error']?.enum ?? []
        return { status, description, names: names.map(String) }
      })
  }

  /**
   * What a reference leads to; a few in a row are followed, a circle is not.
   *
   * @template {Reference} Part
   * @param {Part} part
   * @returns {Part}
   */
  #resolve(part) {
    let found = part
    for (let hops = 0; found.$ref !== undefined && hops < 10; hops += 1) {
      /** @type {unknown} */
      let at = this.#document
      for (const step of found.$ref.slice('#/'.length).split('/')) {
        at = /** @type {Readonly<Record<string, unknown>> | undefined} */ (at)?.[decode(step)]
      }
      found = /** @type {Part} */ (at ?? {})
    }
    return found
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
  const control = controlOf(schema, example)
  return control === 'any' || control === 'json' ? 'text' : control
}

/**
 * @param {string} text
 * @returns {string}
 */
function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
