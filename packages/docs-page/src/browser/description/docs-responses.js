/** The responses of an operation -> what the page says of them: rows, schemas, headers, and how it may fail. Pure. */

/**
 * @typedef {import('./docs-description.js').Content} Content
 * @typedef {import('./docs-parts.js').Parts} Parts
 * @typedef {import('./docs-schema.js').Schema} Schema
 */

/** @typedef {{ readonly key: string, readonly schema: Schema }} Column */
/** @typedef {{ readonly status: string, readonly mediaType: string, readonly schema: Schema }} Success */
/** @typedef {{ readonly name: string, readonly words: string }} Named */
/**
 * @typedef {{ readonly name: string | undefined, readonly words: string, readonly fields: readonly string[] }} Meaning
 */
/**
 * @typedef {{ readonly status: string, readonly description: string, readonly names: readonly string[],
 *   readonly meanings: readonly Meaning[] }} Problem
 */

const jsonType = 'application/json'

export class Responses {
  /** @type {Parts} */
  #parts
  /** @type {readonly (readonly [status: string, response: Content])[]} */
  #all

  /**
   * @param {Parts} parts
   * @param {Readonly<Record<string, Content>>} responses By status.
   */
  constructor(parts, responses) {
    this.#parts = parts
    this.#all = Object.entries(responses).map(([status, response]) => [status, parts.resolve(response)])
  }

  /** @returns {readonly (readonly [status: string, response: Content])[]} */
  get #successes() {
    return this.#all.filter(([status]) => status.startsWith('2'))
  }

  /**
   * Of successes.
   *
   * @returns {readonly string[]}
   */
  get mediaTypes() {
    return [...new Set(this.#successes.flatMap(([, { content = {} }]) => Object.keys(content)))]
  }

  /**
   * Of a row, where the answer is a list of rows.
   *
   * @returns {readonly Column[]}
   */
  get columns() {
    const parts = this.#parts
    const [, response] = this.#all.find(([status]) => status === '200') ?? []
    const schema = response?.content?.[jsonType]?.schema ?? {}
    if (parts.open(schema).type !== 'array') return []
    return Object.entries(parts.openItems(schema).properties ?? {}).map(([key, part]) => ({
      key,
      schema: parts.open(part),
    }))
  }

  /**
   * Schemas of successes, as far as they are known; one that is below several statuses is reported once.
   *
   * @returns {readonly Success[]}
   */
  get answers() {
    /** @type {Set<string>} */
    const known = new Set()
    return this.#successes.flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([mediaType, { schema = {} }]) => {
        const key = JSON.stringify([mediaType, schema])
        if (Object.keys(schema).length === 0 || known.has(key)) return []
        known.add(key)
        return [{ status, mediaType, schema }]
      }),
    )
  }

  /**
   * Headers that a success may have, by name.
   *
   * @returns {readonly Named[]}
   */
  get headers() {
    const found = this.#successes.flatMap(([, { headers = {} }]) =>
      Object.entries(headers).map(
        ([name, header]) => /** @type {const} */ ([name, this.#parts.resolve(header).description ?? '']),
      ),
    )
    return Array.from(new Map(found), ([name, words]) => ({ name, words }))
  }

  /** @returns {readonly Problem[]} */
  get problems() {
    return this.#all
      .filter(([status]) => /^[45]/.test(status))
      .map(([status, { description = '', content }]) => {
        const schema = this.#parts.open(content?.[jsonType]?.schema ?? {})
        const names = schema.properties?.['error']?.enum ?? []
        const meanings = (schema.anyOf ?? schema.oneOf ?? []).map((each) => meaningOf(this.#parts.open(each)))
        return { status, description, names: names.map(String), meanings: meanings.filter(({ words }) => words !== '') }
      })
  }
}

/**
 * @param {Schema} schema
 * @returns {Meaning}
 */
function meaningOf({ properties = {}, description = '' }) {
  const name = properties['error']?.const
  const fields = Object.keys(properties).filter((field) => field !== 'error' && field !== 'message')
  return { name: typeof name === 'string' ? name : undefined, words: description, fields }
}
