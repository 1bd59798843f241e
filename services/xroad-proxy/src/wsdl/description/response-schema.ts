/**
 * Output elements of one WSDL -> JSON Schemas of the `body` that callers get, in the shape that the translation of
 * responses gives: attributes as `@name`, text beside them as `#text`, repeated elements as arrays. Complex types
 * become definitions that refer to each other, so that what repeats or contains itself is written once for all
 * operations of the WSDL.
 *
 * What a response holds is the provider's: prefixes are those of the WSDL and may differ, so nothing with one is
 * required, and nothing that is not listed is ruled out.
 */
import { membersOf } from '../outline/members.ts'
import {
  isMissing,
  type OutlineAttribute,
  type OutlineContent,
  type OutlineElement,
  type OutlineType,
} from '../outline/outline.ts'
import { localOf, namespaceOf, type QName } from '../xml/qname.ts'
import { type Json, type JsonSchema, toResponseValue, toStringValue } from './value-schema.ts'
import { toWords } from './words.ts'

/** Of a WSDL the prefixes, by namespace. */
interface Prefixed {
  readonly prefixes: ReadonlyMap<string, string>
}

export class ResponseSchemas {
  /** Filled as operations are described. */
  readonly definitions = new Map<string, JsonSchema>()
  readonly #source: Prefixed
  readonly #toReference: (key: string) => string
  readonly #keys = new Map<OutlineType, string>()
  readonly #taken = new Set<string>()
  readonly #waiting: UnwrittenType[] = []

  /** `toReference` makes the `$ref` of a definition's key. */
  constructor(source: Prefixed, toReference: (key: string) => string) {
    this.#source = source
    this.#toReference = toReference
  }

  /** The schema of `body`, which holds this element. */
  describe(element: OutlineElement): JsonSchema {
    const value = this.#element(element, '')
    // Servers declare prefixes here, so that a mere text has attributes too.
    const property = '$ref' in value ? value : { anyOf: [value, withAttributes] }
    // Types wait in a list until they are written: a chain of a thousand must not be a thousand calls deep.
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.definitions.set(next.key, this.#definition(next))
    }
    return { type: 'object', properties: { [this.#nameOf(element.name)]: property } }
  }

  #element({ name, type, isNillable, documentation }: OutlineElement, owner: string): JsonSchema {
    const value = this.#value(type, `${owner}${localOf(name)}`)
    const words = toWords(documentation)
    return isNillable ? { anyOf: [value, nil], ...words } : { ...value, ...words }
  }

  #value(type: OutlineElement['type'], path: string): JsonSchema {
    if (isMissing(type) || isMissing(type.content)) return {}
    const { text, nodes, attributes } = type.content
    if (text?.builtin === 'anyType') return {}
    if (text !== undefined && nodes.length === 0 && attributes.length === 0) return toResponseValue(text)
    return { $ref: this.#toReference(this.#keyOf(type, type.content, path)) }
  }

  /** A type without a name is called after the element that holds it, and that after the type around it. */
  #keyOf(type: OutlineType, content: OutlineContent, path: string): string {
    const known = this.#keys.get(type)
    if (known !== undefined) return known
    const wished = (type.name === undefined ? path : localOf(type.name)).replace(/[^A-Za-z0-9._-]/gu, '_')
    let key = wished
    for (let count = 2; this.#taken.has(key); count++) key = `${wished}_${count}`
    this.#taken.add(key)
    this.#keys.set(type, key)
    this.#waiting.push({ key, type, content })
    return key
  }

  #definition({ key, type, content }: UnwrittenType): JsonSchema {
    const { text, attributes } = content
    const properties = new Map<string, Json>(
      attributes.map((declared) => [`@${this.#nameOf(declared.name)}`, this.#attribute(declared)] as const),
    )
    if (text !== undefined) properties.set('#text', toStringValue(text))
    const required = new Set<string>()
    for (const member of membersOf(content)) {
      const name = this.#nameOf(member.element.name)
      const item = this.#element(member.element, `${key}.`)
      const isRepeating = member.isRepeating || properties.has(name)
      properties.set(name, isRepeating ? { anyOf: [item, { type: 'array', items: item }] } : item)
      if (member.isRequired && namespaceOf(member.element.name) === '') required.add(name)
    }
    return {
      type: jsonTypes(text !== undefined, required.size > 0),
      properties: Object.fromEntries(properties),
      ...(required.size === 0 ? {} : { required: [...required] }),
      ...toWords(type.documentation),
    }
  }

  #attribute({ type, documentation }: OutlineAttribute): JsonSchema {
    return { ...(isMissing(type) ? {} : toStringValue(type)), ...toWords(documentation) }
  }

  #nameOf(name: QName): string {
    const prefix = this.#source.prefixes.get(namespaceOf(name))
    return prefix === undefined ? localOf(name) : `${prefix}:${localOf(name)}`
  }
}

/** A type whose definition has a key and is not written yet. */
interface UnwrittenType {
  readonly key: string
  readonly type: OutlineType
  readonly content: OutlineContent
}

const withAttributes: JsonSchema = { type: 'object', properties: { '#text': { type: 'string' } } }
const nil: JsonSchema = { type: 'object', properties: { '@xsi:nil': { type: 'string' } } }

/** An element with nothing in it is null; one with text and without attributes is the text's value. */
function jsonTypes(hasText: boolean, hasRequired: boolean): Json {
  if (hasText) return ['object', 'string', 'integer', 'boolean', 'null']
  return hasRequired ? 'object' : ['object', 'null']
}
