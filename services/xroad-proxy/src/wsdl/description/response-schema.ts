/**
 * Output elements of one WSDL -> JSON Schemas of the `body` that callers get, in the shape that the translation of answers
 * gives: attributes as `@name`, text beside them as `#text`, repeated elements as arrays. Complex types become definitions
 * that refer to each other, so that what repeats or contains itself is written once for all operations of the WSDL.
 *
 * What an answer holds is the provider's: prefixes are those of the WSDL and may differ, so nothing with one is required,
 * and nothing that is not listed is ruled out.
 */
import { contentOf, elementOf, findComponent, ignoreMissing, simpleTypeIn, typeOf } from '../schema/content.ts'
import type { Attribute, Content } from '../schema/content.ts'
import { localOf, namespaceOf } from '../xml/qname.ts'
import type { QName } from '../xml/qname.ts'
import type { ElementDeclaration, Particle, TypeDefinition } from '../schema/schema-model.ts'
import type { Schema } from '../schema/schema.ts'
import { toResponseValue, toStringValue } from './value-schema.ts'
import type { Json, JsonSchema } from './value-schema.ts'
import { toWords } from './words.ts'

/** What schemas are made from: that of the WSDL, and its prefixes by namespace. */
interface Source {
  readonly schema: Schema
  readonly prefixes: ReadonlyMap<string, string>
}

export class ResponseSchemas {
  /** Filled as operations are described. */
  readonly definitions = new Map<string, JsonSchema>()
  readonly #source: Source
  readonly #toReference: (key: string) => string
  readonly #keys = new Map<TypeDefinition, string>()
  readonly #taken = new Set<string>()
  readonly #waiting: Waiting[] = []

  /** `toReference` makes the `$ref` of a definition's key. */
  constructor(source: Source, toReference: (key: string) => string) {
    this.#source = source
    this.#toReference = toReference
  }

  /** The schema of `body`; anything goes for an element that cannot be resolved. */
  describe(output: QName): JsonSchema {
    const declaration = this.#source.schema.find('element', output)
    if (declaration === undefined) return {}
    const value = this.#element(declaration, '')
    // Servers declare prefixes here, so that a mere text has attributes too.
    const property = '$ref' in value ? value : { anyOf: [value, withAttributes] }
    // Types wait in a list until they are written: a chain of a thousand must not be a thousand calls deep.
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      this.definitions.set(next.key, this.#definition(next))
    }
    return { type: 'object', properties: { [this.#nameOf(declaration.name)]: property } }
  }

  #element(declaration: ElementDeclaration, owner: string): JsonSchema {
    const value = this.#value(declaration, owner)
    const words = toWords(declaration.documentation)
    return declaration.nillable ? { anyOf: [value, nil], ...words } : { ...value, ...words }
  }

  #value(declaration: ElementDeclaration, owner: string): JsonSchema {
    const { schema } = this.#source
    return orAnything(() => {
      const type = typeOf(schema, declaration.type)
      const content = contentOf(schema, type)
      const { text, particles, attributes } = content
      if (text?.builtin === 'anyType') return {}
      if (text !== undefined && particles.length === 0 && attributes.length === 0) return toResponseValue(text)
      return { $ref: this.#toReference(this.#keyOf({ type, content }, `${owner}${localOf(declaration.name)}`)) }
    })
  }

  /** A type without a name is called after the element that holds it, and that after the type around it. */
  #keyOf({ type, content }: Omit<Waiting, 'key'>, element: string): string {
    const known = this.#keys.get(type)
    if (known !== undefined) return known
    const wished = (type.name === undefined ? element : localOf(type.name)).replace(/[^A-Za-z0-9._-]/gu, '_')
    let key = wished
    for (let count = 2; this.#taken.has(key); count += 1) key = `${wished}_${count}`
    this.#taken.add(key)
    this.#keys.set(type, key)
    this.#waiting.push({ key, type, content })
    return key
  }

  #definition({ key, type, content: { text, attributes, particles } }: Waiting): JsonSchema {
    const properties = new Map<string, Json>(
      attributes.map((it) => [`@${this.#nameOf(it.name)}`, this.#attribute(it)] as const),
    )
    if (text !== undefined) properties.set('#text', toStringValue(text))
    const required = new Set<string>()
    const members = { owner: `${key}.`, properties, required, parts: 0 }
    for (const it of particles) this.#add(members, it, once)
    return {
      type: jsonTypes(text !== undefined, required.size > 0),
      properties: Object.fromEntries(properties),
      ...(required.size === 0 ? {} : { required: [...required] }),
      ...toWords(type.documentation),
    }
  }

  #attribute({ type, documentation }: Attribute): JsonSchema {
    const value = orAnything(() => toStringValue(simpleTypeIn(this.#source.schema, type)))
    return { ...value, ...toWords(documentation) }
  }

  #add(into: Members, particle: Particle, outer: Count): void {
    const { schema } = this.#source
    const { min, max } = particle.occurs
    const count = { ...outer, isRequired: outer.isRequired && min > 0, isRepeating: outer.isRepeating || max > 1 }
    into.parts += 1
    if (max === 0 || into.parts > maxParts) return
    switch (particle.kind) {
      case 'element':
      case 'elementRef': {
        const declaration = ignoreMissing(() => elementOf(schema, particle))
        if (declaration !== undefined) this.#addElement(into, declaration, count)
        break
      }
      case 'groupRef': {
        const group = ignoreMissing(() => findComponent(schema, 'group', particle.ref))
        if (group?.particle === undefined || isOpen(particle.ref, outer.groups)) break
        this.#add(into, group.particle, { ...count, groups: [...outer.groups, particle.ref] })
        break
      }
      case 'sequence':
      case 'all':
      case 'choice': {
        const isRequired = count.isRequired && particle.kind !== 'choice'
        for (const it of particle.particles) this.#add(into, it, { ...count, isRequired })
        break
      }
      case 'any':
        break
    }
  }

  #addElement({ owner, properties, required }: Members, declaration: ElementDeclaration, count: Count): void {
    const name = this.#nameOf(declaration.name)
    const item = this.#element(declaration, owner)
    const isRepeating = count.isRepeating || properties.has(name)
    properties.set(name, isRepeating ? { anyOf: [item, { type: 'array', items: item }] } : item)
    if (count.isRequired && namespaceOf(declaration.name) === '') required.add(name)
  }

  #nameOf(name: QName): string {
    const prefix = this.#source.prefixes.get(namespaceOf(name))
    return prefix === undefined ? localOf(name) : `${prefix}:${localOf(name)}`
  }
}

/** A type whose definition has a key and is not written yet. */
interface Waiting {
  readonly key: string
  readonly type: TypeDefinition
  readonly content: Content
}

interface Members {
  readonly owner: string
  readonly properties: Map<string, Json>
  readonly required: Set<string>
  /** Particles that were looked at so far. */
  parts: number
}

/** How often a particle may come, all groups around it counted, and the named ones among those. */
interface Count {
  readonly isRequired: boolean
  readonly isRepeating: boolean
  readonly groups: readonly QName[]
}

const once: Count = { isRequired: true, isRepeating: false, groups: [] }
/** More than the elements of one type; what comes after them goes without a schema. */
const maxParts = 10_000
const maxOpenGroups = 100

/** A group inside itself adds nothing. */
function isOpen(group: QName, groups: readonly QName[]): boolean {
  return groups.length >= maxOpenGroups || groups.includes(group)
}

const withAttributes: JsonSchema = { type: 'object', properties: { '#text': { type: 'string' } } }
const nil: JsonSchema = { type: 'object', properties: { '@xsi:nil': { type: 'string' } } }

/** An element with nothing in it is null; one with text and without attributes is the text's value. */
function jsonTypes(hasText: boolean, hasRequired: boolean): Json {
  if (hasText) return ['object', 'string', 'integer', 'boolean', 'null']
  return hasRequired ? 'object' : ['object', 'null']
}

function orAnything(read: () => JsonSchema): JsonSchema {
  return ignoreMissing(read) ?? {}
}
