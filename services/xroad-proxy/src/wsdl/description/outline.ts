/**
 * What an answer may hold, by local names: each type of a WSDL's answers with its elements, attributes and text, one level
 * each, made once however often it is used. The shapes that answers are translated by (shape.ts) and the JSON Schemas that
 * tell callers about them (typed-response.ts) both come from here, so that one says what the other does.
 */
import { contentOf, elementOf, findComponent, ignoreMissing, simpleTypeIn, typeOf } from '../schema/content.ts'
import type { Content, SimpleType } from '../schema/content.ts'
import type { Documentation } from '../xml/documentation.ts'
import { localOf } from '../xml/qname.ts'
import type { QName } from '../xml/qname.ts'
import type { ElementDeclaration, Particle, TypeDefinition } from '../schema/schema-model.ts'
import type { Schema } from '../schema/schema.ts'

export type OutlineValue =
  /** Text alone. */
  | { readonly kind: 'text'; readonly type: SimpleType }
  | { readonly kind: 'object'; readonly outline: Outline }
  /** Nothing is known of it. */
  | { readonly kind: 'anything' }

export interface OutlineMember {
  readonly name: string
  readonly value: OutlineValue
  readonly isList: boolean
  readonly isRequired: boolean
  readonly isNillable: boolean
  readonly documentation: Documentation
}

export interface OutlineAttribute {
  readonly name: string
  readonly type: SimpleType | undefined
  readonly isRequired: boolean
  readonly documentation: Documentation
}

export interface Outline {
  /** Of its type, or of the elements that lead to it. */
  readonly name: string
  /** Of an object that is made of text and attributes. */
  readonly text: SimpleType | undefined
  /** Whether there may be text between its elements. */
  readonly isMixed: boolean
  readonly attributes: readonly OutlineAttribute[]
  readonly members: readonly OutlineMember[]
  /** Types that an answer may name by `xsi:type` instead, by local name. */
  readonly derived: ReadonlyMap<string, Outline>
  readonly documentation: Documentation
}

export class Outlines {
  readonly #schema: Schema
  readonly #outlines = new Map<TypeDefinition, Outline>()
  readonly #waiting: Waiting[] = []

  constructor(schema: Schema) {
    this.#schema = schema
  }

  /** The element that an answer holds; undefined when it is not declared. */
  of(output: QName): OutlineMember | undefined {
    const declaration = this.#schema.find('element', output)
    if (declaration === undefined) return undefined
    const element = this.#member(declaration, '', once)
    // Types wait in a list until they are filled in: a chain of a thousand must not be a thousand calls deep.
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) this.#fill(next)
    return element
  }

  #member(declaration: ElementDeclaration, owner: string, { isRequired, isRepeating }: Count): OutlineMember {
    return {
      name: localOf(declaration.name),
      value: ignoreMissing(() => this.#value(declaration, owner)) ?? anything,
      isList: isRepeating,
      isRequired,
      isNillable: declaration.nillable,
      documentation: declaration.documentation,
    }
  }

  #value(declaration: ElementDeclaration, owner: string): OutlineValue {
    return this.#valueOf(typeOf(this.#schema, declaration.type), `${owner}${localOf(declaration.name)}`)
  }

  #valueOf(type: TypeDefinition, element: string): OutlineValue {
    const content = contentOf(this.#schema, type)
    const { text, particles, attributes } = content
    if (text?.builtin === 'anyType') return anything
    if (text !== undefined && type.kind === 'simple') return { kind: 'text', type: text }
    const isMixed = type.kind === 'complex' && type.simpleContent === undefined && text !== undefined
    if (text !== undefined && !isMixed && particles.length === 0 && attributes.length === 0) {
      return { kind: 'text', type: text }
    }
    return { kind: 'object', outline: this.#outline(type, content, isMixed, element) }
  }

  /** A type without a name is called after the element that holds it, and that after the type around it. */
  #outline(type: TypeDefinition, content: Content, isMixed: boolean, element: string): Outline {
    const known = this.#outlines.get(type)
    if (known !== undefined) return known
    const members: OutlineMember[] = []
    const derived = new Map<string, Outline>()
    const outline = {
      name: (type.name === undefined ? element : localOf(type.name)).replace(/[^A-Za-z0-9._-]/gu, '_'),
      text: isMixed ? undefined : content.text,
      isMixed,
      attributes: content.attributes.map((it) => ({
        name: localOf(it.name),
        type: ignoreMissing(() => simpleTypeIn(this.#schema, it.type)),
        isRequired: it.isRequired,
        documentation: it.documentation,
      })),
      members,
      derived,
      documentation: type.documentation,
    }
    this.#outlines.set(type, outline)
    this.#waiting.push({ outline, type, members, derived, particles: content.particles })
    return outline
  }

  #fill({ outline, type, members, derived, particles }: Waiting): void {
    for (const [name, it] of type.name === undefined ? [] : this.#derived(type.name)) derived.set(name, it)
    const into: Members = { owner: `${outline.name}.`, found: new Map(), parts: 0 }
    for (const it of particles) this.#add(into, it, once)
    members.push(...into.found.values())
  }

  #add(into: Members, particle: Particle, outer: Count): void {
    const { min, max } = particle.occurs
    const count = { ...outer, isRequired: outer.isRequired && min > 0, isRepeating: outer.isRepeating || max > 1 }
    into.parts += 1
    if (max === 0 || into.parts > maxParts) return
    switch (particle.kind) {
      case 'element':
      case 'elementRef': {
        const declaration = ignoreMissing(() => elementOf(this.#schema, particle))
        if (declaration !== undefined) this.#addElement(into, declaration, count)
        break
      }
      case 'groupRef': {
        const group = ignoreMissing(() => findComponent(this.#schema, 'group', particle.ref))
        const isOpen = count.groups.length >= maxOpenGroups || count.groups.includes(particle.ref)
        if (group?.particle === undefined || isOpen) break
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

  /** Where other elements may stand for it, none of them is required. */
  #addElement(into: Members, declaration: ElementDeclaration, count: Count): void {
    const substitutes = this.#substitutes(declaration)
    const isRequired = count.isRequired && substitutes.length === 0
    if (!declaration.abstract) addMember(into, this.#member(declaration, into.owner, { ...count, isRequired }))
    for (const it of substitutes) addMember(into, this.#member(it, into.owner, { ...count, isRequired: false }))
  }

  #substitutes(declaration: ElementDeclaration): readonly ElementDeclaration[] {
    return reach(declaration.name, (name) => this.#schema.substitutesOf(name)).flatMap((it) => {
      const substitute = this.#schema.find('element', it)
      return substitute === undefined || substitute.abstract ? [] : [substitute]
    })
  }

  #derived(base: QName): readonly (readonly [string, Outline])[] {
    return reach(base, (name) => this.#schema.derivedFrom(name)).flatMap((it) => {
      const type = this.#schema.find('type', it)
      const value = type === undefined ? undefined : ignoreMissing(() => this.#valueOf(type, localOf(it)))
      return value?.kind === 'object' ? [[localOf(it), value.outline] as const] : []
    })
  }
}

interface Waiting {
  readonly outline: Outline
  readonly type: TypeDefinition
  readonly members: OutlineMember[]
  readonly derived: Map<string, Outline>
  readonly particles: readonly Particle[]
}

interface Members {
  readonly owner: string
  readonly found: Map<string, OutlineMember>
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
const anything: OutlineValue = { kind: 'anything' }
/** More than the elements of one type; what comes after them is taken as if no schema listed it. */
const maxParts = 10_000
const maxOpenGroups = 100
const maxReached = 300

/** Two elements of one local name in one type share a key, as a list; if they differ in type, nothing is known of either. */
function addMember({ found }: Members, member: OutlineMember): void {
  const { name } = member
  const before = found.get(name)
  if (before === undefined) {
    found.set(name, member)
    return
  }
  found.set(name, {
    ...before,
    value: isSame(before.value, member.value) ? before.value : anything,
    isList: true,
    isRequired: before.isRequired || member.isRequired,
    isNillable: before.isNillable || member.isNillable,
  })
}

/** What is named from there, and from what is named, the start left out. */
function reach(start: QName, next: (name: QName) => readonly QName[]): readonly QName[] {
  const found = new Set<QName>()
  const open = [start]
  for (let name = open.pop(); name !== undefined && found.size < maxReached; name = open.pop()) {
    for (const it of next(name)) {
      if (found.has(it) || it === start) continue
      found.add(it)
      open.push(it)
    }
  }
  return [...found]
}

function isSame(a: OutlineValue, b: OutlineValue): boolean {
  if (a.kind === 'text' && b.kind === 'text') return a.type === b.type
  if (a.kind === 'object' && b.kind === 'object') return a.outline === b.outline
  return a.kind === 'anything' && b.kind === 'anything'
}
