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
   * The schema that counts in a place: what it refers to, with its own words put over that, and all of `allOf`. The
   * alternatives of several members of `allOf` stay apart, in `choices`.
   *
   * @param {Schema} schema
   * @param {readonly string[]} [outer] References on the way here: one that leads back to itself is empty.
   * @returns {Opened}
   */
  open(schema, outer = []) {
    const { $ref, ...own } = schema
    if (outer.length > maxHops || ($ref !== undefined && outer.includes($ref))) return {}
    const { allOf = [], ...rest } = own
    if ($ref === undefined && allOf.length === 0) return withChoices(rest)
    const path = $ref === undefined ? outer : [...outer, $ref]
    const target = $ref === undefined ? {} : this.open(this.#find($ref), path)
    /** @type {Opened} */
    let whole = target
    for (const member of [...allOf.map((each) => this.open(each, path)), withChoices(rest)]) whole = join(whole, member)
    return whole
  }

  /**
   * The same with its alternatives opened, so that it can be seen what they are.
   *
   * @param {Schema} schema
   * @returns {Opened}
   */
  openAll(schema) {
    const opened = this.open(schema)
    return {
      ...opened,
      ...both('anyOf', opened.anyOf && opened.anyOf.map((each) => this.open(each))),
      ...both('oneOf', opened.oneOf && opened.oneOf.map((each) => this.open(each))),
    }
  }

  /**
   * Of a list the schema of its items, of a list of lists those of the inner one.
   *
   * @param {Schema} schema
   * @returns {Opened}
   */
  openItems(schema) {
    let opened = this.open(schema)
    // A list of itself has no end.
    for (let depth = 0; opened.items !== undefined && depth < maxHops; depth += 1) opened = this.open(opened.items)
    return opened
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
