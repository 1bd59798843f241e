/**
 * Grows the tree of a request from the schema, element by element. What this service does not send ends the operation with
 * a reason; where it stands in a branch that may be left out, that branch is left out instead, with a note. Types inside
 * themselves end at the point of repeat. Plain values come out (request.ts); nothing here knows templates or JSON.
 */
import { concreteTypes, contentOf, elementOf, findComponent, isList, simpleTypeIn, typeOf } from '../schema/content.ts'
import type { Attribute, Content } from '../schema/content.ts'
import { isAttachment, isEncodingAttribute } from '../schema/framework.ts'
import { localOf } from '../xml/qname.ts'
import type { QName } from '../xml/qname.ts'
import { Skip, isLeftOut, skipReasons } from '../operations/reasons.ts'
import type { RequestAttribute, RequestElement, RequestNode, RequestText } from './request.ts'
import type {
  ComplexDefinition,
  ElementDeclaration,
  ModelGroup,
  Particle,
  TypeDefinition,
} from '../schema/schema-model.ts'
import type { Schema } from '../schema/schema.ts'

export const requestLimits = { parts: 10_000, depth: 100 }

/** Types on the way from the request element to here, with the names of the elements that have them. */
export type Path = readonly { readonly type: TypeDefinition; readonly name: QName; readonly level: number }[]

interface Branch {
  readonly element: RequestElement
  readonly notes: readonly string[]
}

/** Branches by type, and by all else that makes them what they are. */
export type SharedBranches = Map<TypeDefinition, Map<string, Branch>>

/** How often something comes, all groups around it counted. */
export interface Count {
  readonly min: number
  readonly max: number
  /** How often where it comes at all. */
  readonly least: number
}

/** A name as the WSDL writes it, for messages. */
export type Spell = (name: QName) => string

export const once: Count = { min: 1, max: 1, least: 1 }

export class Expansion {
  /** What was left out, one sentence each. */
  readonly notes = new Set<string>()
  readonly #schema: Schema
  readonly #spell: Spell
  readonly #depth: number | undefined
  readonly #shared: SharedBranches
  /** Named groups around the particle at hand. */
  #openGroups = new Set<QName>()
  #parts = 0
  /** Branches that this tree holds: each value in it has to be one of its own. */
  readonly #taken = new Set<Branch>()

  /** With a depth, what is deeper is left out and each element that holds others is an object of its own. */
  constructor(schema: Schema, spell: Spell, depth?: number, shared: SharedBranches = new Map()) {
    this.#schema = schema
    this.#spell = spell
    this.#depth = depth
    this.#shared = shared
  }

  element(declared: ElementDeclaration, count: Count, outer: Path): RequestElement {
    const declaration = this.#concrete(declared, outer)
    refuseBroken(declaration.problem, outer)
    const type = typeOf(this.#schema, declaration.type)
    if (type.kind === 'complex' && type.abstract) return this.#alternatives(declaration, type, count, outer)
    return this.#typed({ declaration, type, typeName: undefined }, count, outer)
  }

  /** Content that cannot be sent does not matter where null may stand in its place. */
  #typed(element: Typed, count: Count, outer: Path): RequestElement {
    if (this.#depth !== undefined && outer.length === 1) return this.#branch(element, count, outer)
    return this.#grown(element, count, outer)
  }

  /** The branches of a large request are the same for many operations. */
  #branch(element: Typed, count: Count, outer: Path): RequestElement {
    const { declaration } = element
    const { name, nillable, fixed, documentation } = declaration
    const key = JSON.stringify([
      this.#depth,
      name,
      count,
      nillable,
      fixed,
      declaration.default,
      documentation,
      element.typeName,
    ])
    const known = this.#shared.get(element.type)?.get(key)
    if (known !== undefined && !this.#taken.has(known)) {
      this.#taken.add(known)
      for (const it of known.notes) this.notes.add(it)
      return known.element
    }
    const own = new Expansion(this.#schema, this.#spell, this.#depth, this.#shared)
    const branch = { element: own.#grown(element, count, outer), notes: [...own.notes] }
    const branches = this.#shared.get(element.type) ?? new Map<string, Branch>()
    if (known === undefined) this.#shared.set(element.type, branches.set(key, branch))
    this.#taken.add(branch)
    for (const it of branch.notes) this.notes.add(it)
    return branch.element
  }

  #grown(element: Typed, count: Count, outer: Path): RequestElement {
    const { declaration } = element
    try {
      if (isRepeat(element.type, outer))
        throw count.min === 0 ? repeated : new Skip('endless', localOf(declaration.name))
      return this.#withContent(element, count, outer)
    } catch (error) {
      if (count.min === 0 || !declaration.nillable || outer.length === 0 || !isLeftOut(error)) throw error
      return { ...emptyElement(element, count), isAlwaysNil: true }
    }
  }

  #withContent(element: Typed, count: Count, outer: Path): RequestElement {
    const { declaration, type } = element
    const content = contentOf(this.#schema, type)
    const level = (outer.at(-1)?.level ?? 0) + (isList(content) ? 0 : 1)
    const path = [...outer, { type, name: declaration.name, level }]
    if (path.length > requestLimits.depth) throw tooDeep()
    this.#refuseDeep(content, count, declaration.nillable, level)
    const { text } = content
    if (text !== undefined && isAttachment(text.names)) throw new Skip('attachment', describePath(path))
    this.#count(content.attributes.length)
    const children = this.#children(content, path)
    // Without anything inside, the element would say nothing.
    if (children.length === 0) this.#refuseDeep(content, count, declaration.nillable, Infinity)
    return {
      ...emptyElement(element, count),
      text: text === undefined ? undefined : { type: text, ...valueOf(declaration, count.min > 0 && count.max === 1) },
      attributes: content.attributes.flatMap((it) => this.#attribute(it, path)),
      children,
      isObject: this.#depth !== undefined && outer.length > 0 && count.max === 1 && content.particles.length > 0,
    }
  }

  /** What has to be there goes on, however deep. */
  #refuseDeep({ particles }: Content, { min }: Count, isNillable: boolean, level: number): void {
    if (this.#depth === undefined || level <= this.#depth + 1 || particles.length === 0) return
    if (min > 0 && !isNillable) return
    this.notes.add(`left out, as the whole request is too large: what is deeper than ${this.#depth} levels`)
    throw tooFar
  }

  /** An element inside a group may hold that group again; whether types repeat is looked at elsewhere. */
  #children({ particles }: Content, path: Path): readonly RequestNode[] {
    const outer = this.#openGroups
    this.#openGroups = new Set()
    try {
      return particles.flatMap((it) => this.#particle(it, once, path))
    } finally {
      this.#openGroups = outer
    }
  }

  #particle(particle: Particle, outer: Count, path: Path): readonly RequestNode[] {
    this.#count(1)
    const { occurs } = particle
    refuseBroken(occurs.problem, path)
    const count = {
      min: occurs.min * outer.min,
      max: multiply(occurs.max, outer.max),
      least: Math.max(occurs.min, 1) * outer.least,
    }
    if (count.max === 0) return []
    try {
      return this.#nodes(particle, count, path)
    } catch (error) {
      if (count.min > 0 || !isLeftOut(error)) throw error
      if (error.detail !== '' && error.reason !== 'endless') this.notes.add(describeNote(error))
      return []
    }
  }

  #nodes(particle: Particle, count: Count, path: Path): readonly RequestNode[] {
    switch (particle.kind) {
      case 'element':
      case 'elementRef': {
        const declaration = elementOf(this.#schema, particle)
        return declaration === undefined ? [] : [this.element(declaration, count, path)]
      }
      case 'groupRef':
        return this.#namedGroup(particle.ref, count, path)
      case 'choice':
        throw new Skip('choice', `in ${describePath(path)}`)
      case 'sequence':
      case 'all':
        return this.#group(particle, count, path)
      case 'any':
        if (count.min === 0) return []
        throw new Skip('any', `in ${describePath(path)}`)
    }
  }

  #namedGroup(ref: QName, count: Count, path: Path): readonly RequestNode[] {
    const { particle } = findComponent(this.#schema, 'group', ref)
    if (particle === undefined) return []
    if (this.#openGroups.has(ref)) throw new Skip('endless', `group ${localOf(ref)}`)
    if (this.#openGroups.size >= requestLimits.depth) throw tooDeep()
    this.#openGroups.add(ref)
    try {
      return this.#particle(particle, count, path)
    } finally {
      this.#openGroups.delete(ref)
    }
  }

  /** A repeating group of several elements has no name that a caller could give an array under: it is sent once. */
  #group({ particles }: ModelGroup, count: Count, path: Path): readonly RequestNode[] {
    const [only] = particles
    if (only !== undefined && particles.length === 1) return this.#particle(only, count, path)
    if (count.least > 1) throw new Skip('repeating_group', `in ${describePath(path)}`)
    const children = particles.flatMap((it) => this.#particle(it, once, path))
    return count.min === 0 && children.length > 0 ? [{ kind: 'group', children }] : children
  }

  /** The types that may stand for an abstract one: the only one in its place, several as objects of which a caller gives one. */
  #alternatives(declaration: ElementDeclaration, type: ComplexDefinition, count: Count, outer: Path): RequestElement {
    const types = type.name === undefined ? [] : concreteTypes(this.#schema, type.name)
    const [only] = types
    if (only !== undefined && types.length === 1) return this.#typed({ declaration, ...only }, count, outer)
    const failures: Skip[] = []
    const alternatives = types.flatMap((it) => {
      try {
        return [this.#typed({ declaration: { ...declaration, nillable: false }, ...it }, once, outer)]
      } catch (error) {
        if (!isLeftOut(error)) throw error
        failures.push(error)
        return []
      }
    })
    if (alternatives.length > 0) {
      return { ...emptyElement({ declaration, type, typeName: undefined }, count), alternatives }
    }
    if (only !== undefined && count.min > 0 && declaration.nillable && outer.length > 0) {
      return { ...emptyElement({ declaration, ...only }, count), isAlwaysNil: true }
    }
    throw failures[0] ?? new Skip('abstract', `type ${this.#spell(type.name ?? declaration.name)}${within(outer)}`)
  }

  /** The element itself, or the only one that may stand for it. */
  #concrete(declaration: ElementDeclaration, path: Path): ElementDeclaration {
    if (!declaration.abstract) return declaration
    const substitutes = this.#schema
      .substitutesOf(declaration.name)
      .map((it) => findComponent(this.#schema, 'element', it))
      .filter((it) => !it.abstract)
    const [substitute] = substitutes
    const name = this.#spell(declaration.name)
    if (substitute === undefined) throw new Skip('abstract', `element ${name}${within(path)}`)
    if (substitutes.length > 1) throw new Skip('choice', `several elements may stand for ${name}${within(path)}`)
    return substitute
  }

  #attribute(attribute: Attribute, path: Path): readonly RequestAttribute[] {
    const { name, isRequired, documentation } = attribute
    refuseBroken(attribute.problem, path)
    if (isEncodingAttribute(name)) return []
    const type = simpleTypeIn(this.#schema, attribute.type)
    if (!isAttachment(type.names)) return [{ name, isRequired, documentation, type, ...valueOf(attribute, isRequired) }]
    const skip = new Skip('attachment', `${describePath(path)}/@${localOf(name)}`)
    if (isRequired) throw skip
    this.notes.add(describeNote(skip))
    return []
  }

  #count(parts: number): void {
    this.#parts += parts
    if (this.#parts > requestLimits.parts) throw new Skip('request_too_large', `more than ${requestLimits.parts}`)
  }
}

interface Typed {
  readonly declaration: ElementDeclaration
  readonly type: TypeDefinition
  /** Said by `xsi:type`; undefined for the declared type. */
  readonly typeName: QName | undefined
}

function emptyElement({ declaration, typeName }: Typed, count: Count): RequestElement {
  return {
    kind: 'element',
    name: declaration.name,
    isOptional: count.min === 0,
    isRepeating: count.max > 1,
    occurs: { min: count.least, max: count.max },
    isNillable: declaration.nillable && declaration.fixed === undefined,
    isObject: false,
    isAlwaysNil: false,
    typeName,
    alternatives: [],
    text: undefined,
    attributes: [],
    children: [],
    documentation: declaration.documentation,
  }
}

/** A fixed value that has to be there is no caller's matter. */
function valueOf(
  { fixed, default: usual }: Pick<ElementDeclaration, 'fixed' | 'default'>,
  isNeeded: boolean,
): Pick<RequestText, 'fixed' | 'isConstant' | 'default'> {
  return { fixed, isConstant: fixed !== undefined && isNeeded, default: usual }
}

function isRepeat(type: TypeDefinition, path: Path): boolean {
  return type.kind === 'complex' && path.some((it) => it.type === type)
}

function refuseBroken(problem: string | undefined, path: Path): void {
  if (problem !== undefined)
    throw new Skip('broken_schema', path.length === 0 ? problem : `${problem}, in ${describePath(path)}`)
}

/** One for all: thousands of branches of a large request end so. */
const tooFar = new Skip('request_too_large', '', true)
const repeated = new Skip('endless')

function tooDeep(): Skip {
  return new Skip('request_too_large', `deeper than ${requestLimits.depth} levels`)
}

/** Zero times without a bound is zero. */
function multiply(inner: number, outer: number): number {
  return inner === 0 || outer === 0 ? 0 : inner * outer
}

function describeNote({ reason, detail }: Skip): string {
  return `left out, as it ${skipReasons[reason]}: ${detail}`
}

/** Nothing for the request element itself. */
function within(path: Path): string {
  return path.length === 0 ? '' : ` in ${describePath(path)}`
}

function describePath(path: Path): string {
  return path.map((it) => localOf(it.name)).join('/')
}
