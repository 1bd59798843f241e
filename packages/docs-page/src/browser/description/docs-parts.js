/** The document as a place that references lead to: `$ref` is followed, `allOf` is worked in. Pure. */

/**
 * @typedef {import('./docs-schema.js').Schema} Schema
 * @typedef {{ readonly $ref?: string }} Reference
 * @typedef {Schema & { readonly choices?: readonly (readonly Schema[])[] }} Opened With the alternatives of each `oneOf` in it.
 */

/** References and `allOf` inside each other that are followed; a circle ends here. */
const maxHops = 10

export class Parts {
  /** @type {unknown} */
  #document

  /** @param {unknown} document */
  constructor(document) {
    this.#document = document
  }

  /**
   * What a reference leads to; a few in a row are followed, a circle is not. What leads nowhere is empty.
   *
   * @template {Reference} Part
   * @param {Part} part
   * @returns {Part}
   */
  resolve(part) {
    let found = part
    for (let hops = 0; found.$ref !== undefined && hops < maxHops; hops += 1) found = this.#find(found.$ref)
    return found
  }

  /**
   * The schema that counts in a place: what it refers to, with its own words put over that, and all of `allOf`. The alternatives of
   * several members of `allOf` stay apart, in `choices`.
   *
   * @param {Schema} schema
   * @param {number} [hops]
   * @returns {Opened}
   */
  open(schema, hops = 0) {
    if (hops > maxHops) return {}
    const { $ref, ...own } = schema
    const target = $ref === undefined ? {} : this.open(this.#find($ref), hops + 1)
    const { allOf = [], ...rest } = own
    const members = [target, ...allOf.map((member) => this.open(member, hops + 1)), withChoices(rest)]
    if ($ref === undefined && allOf.length === 0) return withChoices(rest)
    /** @type {Opened} */
    let whole = {}
    for (const member of members) whole = join(whole, member)
    return whole
  }

  /**
   * @template Part
   * @param {string} reference
   * @returns {Part}
   */
  #find(reference) {
    /** @type {unknown} */
    let at = reference.startsWith('#/') ? this.#document : undefined
    for (const step of reference.slice('#/'.length).split('/')) {
      const name = decode(step).replaceAll('~1', '/').replaceAll('~0', '~')
      at = /** @type {Readonly<Record<string, unknown>> | undefined | null} */ (at)?.[name]
    }
    return /** @type {Part} */ (at ?? {})
  }
}

/**
 * @param {Opened} whole
 * @param {Opened} member
 * @returns {Opened}
 */
function join(whole, member) {
  return {
    ...whole,
    ...member,
    ...both('properties', whole.properties && { ...whole.properties, ...member.properties }),
    ...both('required', whole.required && [...whole.required, ...(member.required ?? [])]),
    ...both('choices', whole.choices && [...whole.choices, ...(member.choices ?? [])]),
  }
}

/**
 * @param {Schema} schema
 * @returns {Opened}
 */
function withChoices(schema) {
  return schema.oneOf === undefined ? schema : { ...schema, choices: [schema.oneOf] }
}

/**
 * @template Value
 * @param {string} name
 * @param {Value | undefined} value
 * @returns {Readonly<Record<string, Value>>}
 */
function both(name, value) {
  return value === undefined ? {} : { [name]: value }
}

/**
 * @param {string} text
 * @returns {string}
 */
export function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
