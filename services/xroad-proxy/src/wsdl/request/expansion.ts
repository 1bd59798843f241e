/**
 * Grows the tree of a request along the outline of its element. What this service does not send ends the operation with
 * a reason; where it is in a branch that may be left out, that branch is left out instead, with a note. Types
 * inside themselves end at the point of repeat. Plain values come out (request.ts); nothing here knows templates or
 * JSON.
 */
import { Skip, isLeftOut, skipReasons } from '../operations/reasons.ts'
import {
  concreteElements,
  concreteTypes,
  isMissing,
  type Missing,
  type OutlineAttribute,
  type OutlineContent,
  type OutlineElement,
  type OutlineGroup,
  type OutlineNode,
  type OutlineType,
} from '../outline/outline.ts'
import { isEncodingAttribute } from '../schema/framework.ts'
import { localOf, type QName } from '../xml/qname.ts'
import { uncheckedIn, uncheckedOf } from './unchecked.ts'
import { type Count, countOf, emptyElement, inBranch, once, type Typed } from './bare-element.ts'
import { type Branch, SharedBranches } from './branches.ts'
import { isEmptiable, toChoice } from './choice.ts'
import { describePath, isRepeat, type Path, within } from './path.ts'
import { isUnclear, toText } from './request-text.ts'
import type { RequestAttribute, RequestElement, RequestNode } from './request.ts'
import { isList } from './size.ts'

const requestLimits = { parts: 10_000, depth: 100, branches: 500 }

/** What messages about a WSDL need to know of it. */
export interface Words {
  /** A name as the WSDL writes it. */
  spell(name: QName): string
  /** The name, and where what is missing may be. */
  whereabouts(missing: Missing): string
}

/**
 * For a request that is too large as a whole: what is deeper is left out, and each element that holds others is an
 * object.
 */
export interface Cut {
  readonly depth: number
  readonly shared: SharedBranches
}

export class Expansion {
  /** What was left out, one sentence each. */
  readonly notes = new Set<string>()
  readonly #words: Words
  readonly #cut: Cut | undefined
  #parts = 0
  /** Branches that this tree holds: each value in it has to be one of its own. */
  readonly #taken = new Set<Branch>()

  constructor(words: Words, cut?: Cut) {
    this.#words = words
    this.#cut = cut
  }

  element(declared: OutlineElement, count: Count, outer: Path): RequestElement {
    const element = this.#concrete(declared, outer)
    refuseBroken(element.problem, outer)
    const type = this.#present(element.type)
    if (type.isAbstract) return this.#alternatives(element, type, count, outer)
    return this.#typed({ element, type, isNillable: element.isNillable, typeName: undefined }, count, outer)
  }

  #present<Value extends object>(value: Value | Missing): Value {
    if (isMissing(value)) throw this.#absent(value)
    return value
  }

  #absent(missing: Missing): Skip {
    return new Skip('type_missing', this.#words.whereabouts(missing))
  }

  #typed(typed: Typed, count: Count, outer: Path): RequestElement {
    if (this.#cut !== undefined && outer.length === 1) return this.#branch(typed, count, outer, this.#cut)
    return this.#grown(typed, count, outer)
  }

  /** The branches of a large request are the same for many operations. */
  #branch(typed: Typed, count: Count, outer: Path, cut: Cut): RequestElement {
    const { name, fixed, default: usual, documentation } = typed.element
    const key = JSON.stringify([cut.depth, name, count, typed.isNillable, fixed, usual, documentation, typed.typeName])
    const branch = cut.shared.take(typed.type, key, this.#taken, () => {
      const own = new Expansion(this.#words, cut)
      return { element: own.#grown(typed, count, outer), notes: [...own.notes] }
    })
    for (const note of branch.notes) this.notes.add(note)
    return branch.element
  }

  /** Content that cannot be sent does not matter where null may replace it. */
  #grown(typed: Typed, count: Count, outer: Path): RequestElement {
    try {
      if (isRepeat(typed.type, outer))
        throw count.min === 0 ? repeated : new Skip('endless', localOf(typed.element.name))
      return this.#withContent(typed, count, outer)
    } catch (error) {
      if (count.min === 0 || !typed.isNillable || outer.length === 0 || !isLeftOut(error)) throw error
      if (needsAttributes(typed.type)) throw error
      return { ...emptyElement(typed, count), isAlwaysNil: true }
    }
  }

  #withContent(typed: Typed, count: Count, outer: Path): RequestElement {
    const { element, type, isNillable } = typed
    const content = this.#present(type.content)
    const level = (outer.at(-1)?.level ?? 0) + (isList(content) ? 0 : 1)
    const path = [...outer, { type, name: element.name, level }]
    if (path.length > requestLimits.depth) throw tooDeep()
    this.#refuseDeep(content, count, isNillable, level)
    const { text } = content
    if (text !== undefined && isUnclear(text)) throw new Skip('attachment', describePath(path))
    this.#note([...uncheckedOf(element), ...(text === undefined ? [] : uncheckedIn(text))])
    this.#count(content.attributes.length)
    const children = content.nodes.flatMap((node) => this.#node(node, once, path))
    // Without anything inside, the element would say nothing.
    if (children.length === 0) this.#refuseDeep(content, count, isNillable, Infinity)
    const mayBeNil = isNillable && (text !== undefined || !needsAttributes(type))
    return {
      ...emptyElement({ ...typed, isNillable: mayBeNil }, count),
      isMixed: content.kind === 'mixed',
      text: text === undefined ? undefined : toText(text, element, count.min > 0 && count.max === 1),
      attributes: content.attributes.flatMap((attribute) => this.#attribute(attribute, path)),
      children,
      isObject: this.#cut !== undefined && outer.length > 0 && count.max === 1 && content.nodes.length > 0,
    }
  }

  /** What has to be there goes on, however deep. */
  #refuseDeep({ nodes }: OutlineContent, { min }: Count, isNillable: boolean, level: number): void {
    if (this.#cut === undefined || level <= this.#cut.depth + 1 || nodes.length === 0) return
    if (min > 0 && !isNillable) return
    this.notes.add(`left out, as the whole request is too large: what is deeper than ${this.#cut.depth} levels`)
    throw tooFar
  }

  #node(node: OutlineNode, outer: Count, path: Path): readonly RequestNode[] {
    this.#count(1)
    refuseBroken(node.occurs.problem, path)
    const count = countOf(node.occurs, outer)
    if (count.max === 0) return []
    try {
      return this.#counted(node, count, path)
    } catch (error) {
      if (count.min > 0 || !isLeftOut(error)) throw error
      if (error.detail !== '' && error.reason !== 'endless') this.notes.add(describeNote(error))
      return []
    }
  }

  #counted(node: OutlineNode, count: Count, path: Path): readonly RequestNode[] {
    switch (node.kind) {
      case 'element':
        return this.#standIn(node.element, count, path)
      case 'choice':
        return this.#choice(node, count, path)
      case 'sequence':
      case 'all':
        return this.#group(node, count, path)
      case 'wildcard':
        if (count.min === 0) return []
        throw new Skip('any', `in ${describePath(path)}`)
      case 'cut':
        throw node.why === 'depth' ? tooDeep() : new Skip('endless', `group ${localOf(node.group)}`)
      case 'absent':
        throw this.#absent(node.missing)
    }
  }

  /** A repeating group of several elements has no name that a caller could give an array under: it is sent once. */
  #group({ nodes }: OutlineGroup, count: Count, path: Path): readonly RequestNode[] {
    const [only] = nodes
    if (only !== undefined && nodes.length === 1) return this.#node(only, count, path)
    if (count.least > 1) throw new Skip('repeating_group', `in ${describePath(path)}`)
    const children = nodes.flatMap((node) => this.#node(node, once, path))
    return count.min === 0 && children.length > 0 ? [{ kind: 'group', children }] : children
  }

  /** Several elements that may stand for an abstract one are a choice that nobody has written. */
  #standIn(element: OutlineElement, count: Count, path: Path): readonly RequestNode[] {
    const elements = element.isAbstract ? concreteElements(element) : []
    if (elements.length < 2) return [this.element(element, count, path)]
    return this.#choice(
      { nodes: elements.map((each) => ({ kind: 'element', occurs: once, element: each })) },
      count,
      path,
    )
  }

  /** What cannot be sent is left out of a choice as out of everything that does not have to be there. */
  #choice({ nodes }: Pick<OutlineGroup, 'nodes'>, count: Count, path: Path): readonly RequestNode[] {
    const [first] = nodes
    if (first !== undefined && nodes.length === 1) return this.#node(first, count, path)
    if (count.max > 1) throw new Skip('choice', `in ${describePath(path)}`)
    const isOptional = count.min === 0 || nodes.some((node) => isEmptiable(node, () => this.#count(1)))
    const grown = nodes.map((node) => this.#node(node, inBranch, path))
    const choice = toChoice(grown, isOptional, requestLimits.branches)
    if (choice.length > 0 || isOptional) return choice
    if (first === undefined) throw new Skip('broken_schema', `a choice without a branch, in ${describePath(path)}`)
    // No branch can be sent: the first says why.
    return this.#node(first, once, path)
  }

  /**
   * The types that may stand for an abstract one: the only one in its place, several as objects of which a caller gives
   * one.
   */
  #alternatives(element: OutlineElement, type: OutlineType, count: Count, outer: Path): RequestElement {
    const { isNillable } = element
    const types = concreteTypes(type, element.blocks).map((found) => ({
      element,
      type: found,
      isNillable,
      typeName: found.name,
    }))
    const [only] = types
    if (only !== undefined && types.length === 1) return this.#typed(only, count, outer)
    const failures: Skip[] = []
    const alternatives = types.flatMap((typed) => {
      try {
        return [this.#typed({ ...typed, isNillable: false }, once, outer)]
      } catch (error) {
        if (!isLeftOut(error)) throw error
        failures.push(error)
        return []
      }
    })
    if (alternatives.length > 0) {
      return { ...emptyElement({ element, type, isNillable, typeName: undefined }, count), alternatives }
    }
    if (only !== undefined && count.min > 0 && isNillable && outer.length > 0 && !needsAttributes(only.type)) {
      return { ...emptyElement(only, count), isAlwaysNil: true }
    }
    throw failures[0] ?? new Skip('abstract', `type ${this.#words.spell(type.name ?? element.name)}${within(outer)}`)
  }

  /** The element itself, or the only one that may stand for it. */
  #concrete(element: OutlineElement, path: Path): OutlineElement {
    if (!element.isAbstract) return element
    const [substitute, ...others] = concreteElements(element)
    const name = this.#words.spell(element.name)
    if (substitute === undefined) throw new Skip('abstract', `element ${name}${within(path)}`)
    if (others.length > 0) throw new Skip('abstract', `several elements may stand for ${name}${within(path)}`)
    return substitute
  }

  #attribute(attribute: OutlineAttribute, path: Path): readonly RequestAttribute[] {
    const { name, isRequired, documentation } = attribute
    refuseBroken(attribute.problem, path)
    if (isEncodingAttribute(name)) return []
    const type = this.#present(attribute.type)
    this.#note(uncheckedIn(type))
    if (!isUnclear(type)) return [{ name, isRequired, documentation, ...toText(type, attribute, isRequired) }]
    const skip = new Skip('attachment', `${describePath(path)}/@${localOf(name)}`)
    if (isRequired) throw skip
    this.notes.add(describeNote(skip))
    return []
  }

  #note(notes: readonly string[]): void {
    for (const note of notes) this.notes.add(note)
  }

  #count(parts: number): void {
    this.#parts += parts
    if (this.#parts > requestLimits.parts) throw new Skip('request_too_large', `more than ${requestLimits.parts}`)
  }
}

function refuseBroken(problem: string | undefined, path: Path): void {
  if (problem !== undefined)
    throw new Skip('broken_schema', path.length === 0 ? problem : `${problem}, in ${describePath(path)}`)
}

/** One for all: thousands of branches of a large request end so. */
const tooFar = new Skip('request_too_large', '', { isOfBranch: true })
const repeated = new Skip('endless')

function tooDeep(): Skip {
  return new Skip('request_too_large', `deeper than ${requestLimits.depth} levels`)
}

function describeNote({ reason, detail }: Skip): string {
  return `left out, as it ${skipReasons[reason]}: ${detail}`
}

/** Nil or not, an element has the attributes that it has to have, and null holds none. */
function needsAttributes({ content }: OutlineType): boolean {
  return !isMissing(content) && content.attributes.some(({ isRequired }) => isRequired)
}
