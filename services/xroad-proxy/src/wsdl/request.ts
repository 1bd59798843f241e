/**
 * The request element of an operation -> the tree of elements and attributes that a message may hold, each in its place.
 * What this service does not send ends the operation with a reason: a choice, an attachment, a missing declaration, a tree
 * beyond the limit. Names of parameters and the text of the envelope are made from the tree elsewhere.
 */
import { MissingComponent, contentOf, elementOf, findComponent, simpleTypeIn, typeOf } from './content.ts'
import type { Attribute, SimpleType } from './content.ts'
import type { Documentation } from './documentation.ts'
import { attachmentTypes, isAttachmentAttribute, isEncodingAttribute } from './framework.ts'
import type { Operation, Wsdl } from './operations.ts'
import { localOf } from './qname.ts'
import type { QName } from './qname.ts'
import { Skip } from './reasons.ts'
import type { ElementDeclaration, ModelGroup, Occurs, Particle, TypeDefinition } from './schema-model.ts'
import { whereElse } from './schema.ts'
import type { Schema } from './schema.ts'

export interface RequestElement {
  readonly kind: 'element'
  readonly name: QName
  readonly isOptional: boolean
  readonly isRepeating: boolean
  readonly isNillable: boolean
  /** Undefined for an element that holds elements only, or nothing. */
  readonly text: RequestText | undefined
  readonly attributes: readonly RequestAttribute[]
  readonly children: readonly RequestNode[]
  readonly documentation: Documentation
}

/** Elements that come together or not at all. */
export interface RequestGroup {
  readonly kind: 'group'
  readonly children: readonly RequestNode[]
}

export type RequestNode = RequestElement | RequestGroup

export interface RequestText {
  readonly type: SimpleType
  /** The only value that the schema allows, where the element has to be there. */
  readonly fixed: string | undefined
  readonly default: string | undefined
}

export interface RequestAttribute extends RequestText {
  readonly name: QName
  readonly isRequired: boolean
  readonly documentation: Documentation
}

export const requestLimits = { parts: 10_000, depth: 100 }

/** Throws `Skip`. */
export function readRequest(wsdl: Wsdl, { input }: Operation): RequestElement {
  try {
    const declaration = findComponent(wsdl.schema, 'element', input)
    const root = new Expansion(wsdl.schema).element(declaration, once, [])
    const isUntyped = root.text?.type.builtin === 'anyType'
    return isUntyped ? { ...root, text: undefined } : root
  } catch (error) {
    if (error instanceof MissingComponent)
      throw new Skip('type_missing', `${localOf(error.component)}${whereElse(wsdl.schema)}`)
    throw error
  }
}

const once: Occurs = { min: 1, max: 1 }

/** Types on the way from the request element to here, with the names of the elements that have them. */
type Path = readonly { readonly type: TypeDefinition; readonly name: QName }[]

class Expansion {
  readonly #schema: Schema
  /** Named groups around the particle at hand. */
  #openGroups = new Set<QName>()
  #parts = 0

  constructor(schema: Schema) {
    this.#schema = schema
  }

  element(declared: ElementDeclaration, occurs: Occurs, outer: Path): RequestElement {
    const declaration = this.#concrete(declared, outer)
    const type = typeOf(this.#schema, declaration.type)
    const path = [...outer, { type, name: declaration.name }]
    if (path.length > requestLimits.depth) throw tooDeep()
    if (type.name !== undefined && attachmentTypes.has(type.name)) throw new Skip('attachment', describePath(path))
    const content = contentOf(this.#schema, type)
    const { text } = content
    if (text !== undefined) refuseAttachment(text, path)
    const fixed = occurs.min > 0 && occurs.max === 1 && !declaration.nillable ? declaration.fixed : undefined
    this.#count(content.attributes.length)
    return {
      kind: 'element',
      name: declaration.name,
      isOptional: occurs.min === 0,
      isRepeating: occurs.max > 1,
      isNillable: declaration.nillable,
      text: text === undefined ? undefined : { type: text, fixed, default: declaration.default },
      attributes: content.attributes.flatMap((it) => this.#attribute(it, path)),
      children: this.#children(content.particles, path),
      documentation: declaration.documentation,
    }
  }

  /** An element inside a group may hold that group again; whether types repeat is looked at elsewhere. */
  #children(particles: readonly Particle[], path: Path): readonly RequestNode[] {
    const outer = this.#openGroups
    this.#openGroups = new Set()
    const children = particles.flatMap((it) => this.#particle(it, once, path))
    this.#openGroups = outer
    return children
  }

  #particle(particle: Particle, outer: Occurs, path: Path): readonly RequestNode[] {
    this.#count(1)
    const occurs = { min: particle.occurs.min * outer.min, max: multiply(particle.occurs.max, outer.max) }
    if (occurs.max === 0) return []
    switch (particle.kind) {
      case 'element':
      case 'elementRef': {
        const declaration = elementOf(this.#schema, particle)
        return declaration === undefined || this.#isRepeat(declaration, path)
          ? []
          : [this.element(declaration, occurs, path)]
      }
      case 'groupRef':
        return this.#namedGroup(particle.ref, occurs, path)
      case 'choice':
        throw new Skip('choice', `in ${describePath(path)}`)
      case 'sequence':
      case 'all':
        return this.#group(particle, occurs, path)
      case 'any':
        return []
    }
  }

  #namedGroup(ref: QName, occurs: Occurs, path: Path): readonly RequestNode[] {
    const { particle } = findComponent(this.#schema, 'group', ref)
    if (particle === undefined || this.#openGroups.has(ref)) return []
    if (this.#openGroups.size >= requestLimits.depth) throw tooDeep()
    this.#openGroups.add(ref)
    const nodes = this.#particle(particle, occurs, path)
    this.#openGroups.delete(ref)
    return nodes
  }

  /** A repeating group of several elements has no name that a caller could give an array under: it is sent once. */
  #group({ particles }: ModelGroup, occurs: Occurs, path: Path): readonly RequestNode[] {
    const [only] = particles
    if (only !== undefined && particles.length === 1) return this.#particle(only, occurs, path)
    const children = particles.flatMap((it) => this.#particle(it, once, path))
    return occurs.min === 0 && children.length > 0 ? [{ kind: 'group', children }] : children
  }

  /** The element itself, or the only one that may stand for it. */
  #concrete(declaration: ElementDeclaration, path: Path): ElementDeclaration {
    if (!declaration.abstract) return declaration
    const substitutes = this.#schema
      .substitutesOf(declaration.name)
      .map((it) => findComponent(this.#schema, 'element', it))
      .filter((it) => !it.abstract)
    const [substitute] = substitutes
    const name = localOf(declaration.name)
    if (substitute === undefined) throw new Skip('type_missing', `nothing stands for the abstract element ${name}`)
    if (substitutes.length > 1)
      throw new Skip('choice', `several elements may stand for ${name} in ${describePath(path)}`)
    return substitute
  }

  #attribute(attribute: Attribute, path: Path): readonly RequestAttribute[] {
    const { name, isRequired, documentation } = attribute
    if (isAttachmentAttribute(name)) throw new Skip('attachment', describePath(path))
    if (isEncodingAttribute(name)) return []
    const type = simpleTypeIn(this.#schema, attribute.type)
    refuseAttachment(type, path)
    const fixed = isRequired ? attribute.fixed : undefined
    return [{ name, isRequired, documentation, type, fixed, default: attribute.default }]
  }

  #isRepeat({ type }: ElementDeclaration, path: Path): boolean {
    const definition = typeOf(this.#schema, type)
    return definition.kind === 'complex' && path.some((it) => it.type === definition)
  }

  #count(parts: number): void {
    this.#parts += parts
    if (this.#parts > requestLimits.parts) throw new Skip('request_too_large', `more than ${requestLimits.parts}`)
  }
}

function tooDeep(): Skip {
  return new Skip('request_too_large', `deeper than ${requestLimits.depth} levels`)
}

/** Zero times without a bound is zero. */
function multiply(inner: number, outer: number): number {
  return inner === 0 || outer === 0 ? 0 : inner * outer
}

function refuseAttachment({ names }: SimpleType, path: Path): void {
  if (names.some((it) => attachmentTypes.has(it))) throw new Skip('attachment', describePath(path))
}

function describePath(path: Path): string {
  return path.map((it) => localOf(it.name)).join('/')
}
