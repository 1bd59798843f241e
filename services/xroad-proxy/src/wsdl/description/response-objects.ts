/**
 * What a response may hold, by local names: each type of a WSDL's responses with its elements, attributes and text, one
 * level each, made once however often it is used. The shapes that responses are translated by (shape.ts) and the JSON
 * Schemas that tell callers about them (typed-response.ts) both come from here, so that one says what the other does.
 */
import { type Member, membersOf } from '../outline/members.ts'
import { isMissing, type OutlineContent, type OutlineElement, type OutlineType, reach } from '../outline/outline.ts'
import type { SimpleType } from '../schema/simple-type.ts'
import type { Documentation } from '../xml/documentation.ts'
import { localOf } from '../xml/qname.ts'

export type ResponseValue =
  /** Text alone. */
  | { readonly kind: 'text'; readonly type: SimpleType }
  | { readonly kind: 'object'; readonly object: ResponseObject }
  /** Nothing is known of it. */
  | { readonly kind: 'anything' }

export interface ResponseMember {
  readonly name: string
  readonly value: ResponseValue
  readonly isList: boolean
  readonly isRequired: boolean
  readonly isNillable: boolean
  readonly documentation: Documentation
}

export interface ResponseAttribute {
  readonly name: string
  readonly type: SimpleType | undefined
  readonly isRequired: boolean
  readonly documentation: Documentation
}

export interface ResponseObject {
  /** Of its type, or of the elements that lead to it. */
  readonly name: string
  /** Of an object that is made of text and attributes. */
  readonly text: SimpleType | undefined
  /** Whether there may be text between its elements. */
  readonly isMixed: boolean
  readonly attributes: readonly ResponseAttribute[]
  readonly members: readonly ResponseMember[]
  /** Types that a response may name by `xsi:type` instead, by local name. */
  readonly derived: ReadonlyMap<string, ResponseObject>
  readonly documentation: Documentation
}

export class ResponseObjects {
  readonly #objects = new Map<OutlineType, ResponseObject>()
  readonly #waiting: UnreadObject[] = []

  /** The element that a response holds. */
  of(element: OutlineElement): ResponseMember {
    const member = this.#member({ element, isRequired: true, isRepeating: false }, '')
    // Types wait in a list until they are filled in: a chain of a thousand must not be a thousand calls deep.
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) this.#fill(next)
    return member
  }

  #member({ element, isRequired, isRepeating }: Member, owner: string): ResponseMember {
    const { name, type, isNillable, documentation } = element
    const value = this.#value(type, `${owner}${localOf(name)}`)
    return { name: localOf(name), value, isList: isRepeating, isRequired, isNillable, documentation }
  }

  #value(type: OutlineElement['type'], path: string): ResponseValue {
    if (isMissing(type) || isMissing(type.content)) return anything
    const { kind, text, attributes } = type.content
    if (text?.builtin === 'anyType') return anything
    if (kind === 'simple' && text !== undefined && attributes.length === 0) return { kind: 'text', type: text }
    return { kind: 'object', object: this.#object(type, type.content, path) }
  }

  /** A type without a name is called after the element that holds it, and that after the type around it. */
  #object(type: OutlineType, content: OutlineContent, path: string): ResponseObject {
    const known = this.#objects.get(type)
    if (known !== undefined) return known
    const members: ResponseMember[] = []
    const derived = new Map<string, ResponseObject>()
    const isMixed = content.kind === 'mixed'
    const object = {
      name: (type.name === undefined ? path : localOf(type.name)).replace(/[^A-Za-z0-9._-]/gu, '_'),
      text: isMixed ? undefined : content.text,
      isMixed,
      attributes: content.attributes.map((attribute) => ({
        name: localOf(attribute.name),
        type: isMissing(attribute.type) ? undefined : attribute.type,
        isRequired: attribute.isRequired,
        documentation: attribute.documentation,
      })),
      members,
      derived,
      documentation: type.documentation,
    }
    this.#objects.set(type, object)
    this.#waiting.push({ object, type, content, members, derived })
    return object
  }

  #fill({ object, type, content, members, derived }: UnreadObject): void {
    for (const other of reach(type, (from) => from.derived, maxReached)) {
      const name = localOf(other.name ?? '')
      const value = this.#value(other, name)
      if (value.kind === 'object') derived.set(name, value.object)
    }
    const found = new Map<string, ResponseMember>()
    const owner = `${object.name}.`
    for (const member of membersOf(content).flatMap(withSubstitutes)) addMember(found, this.#member(member, owner))
    members.push(...found.values())
  }
}

interface UnreadObject {
  readonly object: ResponseObject
  readonly type: OutlineType
  readonly content: OutlineContent
  readonly members: ResponseMember[]
  readonly derived: Map<string, ResponseObject>
}

const anything: ResponseValue = { kind: 'anything' }
const maxReached = 300

/** Where other elements may stand for one, none of them is required. */
function withSubstitutes(member: Member): readonly Member[] {
  const { element, isRequired, isRepeating } = member
  const substitutes = reach(element, (from) => from.substitutes, maxReached).filter(({ isAbstract }) => !isAbstract)
  const own = element.isAbstract ? [] : [{ element, isRequired: isRequired && substitutes.length === 0, isRepeating }]
  return [...own, ...substitutes.map((substitute) => ({ element: substitute, isRequired: false, isRepeating }))]
}

/**
 * Two elements of one local name in one type share a key, as a list; if they differ in type, nothing is known of
 * either.
 */
function addMember(found: Map<string, ResponseMember>, member: ResponseMember): void {
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

function isSame(a: ResponseValue, b: ResponseValue): boolean {
  switch (a.kind) {
    case 'anything':
      return b.kind === 'anything'
    case 'text':
      return b.kind === 'text' && a.type === b.type
    case 'object':
      return b.kind === 'object' && a.object === b.object
  }
}
