/**
 * What a message may hold, as a graph: elements have types, types have content, content has nodes, and those hold
 * elements again. All references are followed, all inheritance is worked in, and groups are still groups. Requests, the
 * shapes of responses and JSON Schemas are made from it. schema-outline.ts makes it from a schema, each piece on first
 * use, so the reader decides how deep to go. A type inside itself is the same object again.
 */
import type { SimpleType } from '../schema/simple-type.ts'
import {
  type Blocks,
  type ComponentKind,
  type ElementDeclaration,
  nothingBlocked,
  type Occurs,
} from '../schema/schema-model.ts'
import type { Documentation } from '../xml/documentation.ts'
import type { QName } from '../xml/qname.ts'

export interface Outline {
  /** The global element of this name; undefined where there is none. */
  element(name: QName): OutlineElement | undefined
  /** The global type of this name. */
  type(name: QName): OutlineType | Missing
  /** An element that no schema declares, such as the one around the parts of an rpc message. */
  own(declaration: ElementDeclaration): OutlineElement
}

/** Instead of what no schema declares. */
export interface Missing {
  readonly kind: 'missing'
  readonly component: ComponentKind
  readonly name: QName
}

export interface OutlineElement {
  /** Without a namespace when the element is unqualified. */
  readonly name: QName
  readonly type: OutlineType | Missing
  readonly isNillable: boolean
  readonly isAbstract: boolean
  /** What may not stand for it. */
  readonly blocks: Blocks
  /** Its `unique`, `key` and `keyref`, each with its name. */
  readonly constraints: readonly string[]
  readonly fixed: string | undefined
  readonly default: string | undefined
  /** Media types, where its base64 text may travel beside the envelope (MTOM). */
  readonly expectedContentTypes: string | undefined
  /** Elements that name this one as the head of their substitution group. */
  readonly substitutes: readonly OutlineElement[]
  readonly documentation: Documentation
  /** Why no message can hold it, in words. */
  readonly problem: string | undefined
}

export interface OutlineType {
  readonly kind: 'simple' | 'complex'
  readonly name: QName | undefined
  readonly isAbstract: boolean
  /** How it comes from its base; undefined for a type without one that is complex. */
  readonly by: 'extension' | 'restriction' | undefined
  readonly blocks: Blocks
  /** Types that name this one as their base. */
  readonly derived: readonly OutlineType[]
  /** Missing where something that the type is made of is. */
  readonly content: OutlineContent | Missing
  readonly documentation: Documentation
}

export interface OutlineContent {
  /** `simple` is text alone, beside attributes; `mixed` is text between elements. */
  readonly kind: 'simple' | 'mixed' | 'elements'
  /** Undefined for `elements`. */
  readonly text: SimpleType | undefined
  readonly attributes: readonly OutlineAttribute[]
  /** In the order of the message. */
  readonly nodes: readonly OutlineNode[]
}

export interface OutlineAttribute {
  readonly name: QName
  readonly type: SimpleType | Missing
  readonly isRequired: boolean
  readonly fixed: string | undefined
  readonly default: string | undefined
  readonly documentation: Documentation
  /** Why no message can hold it, in words. */
  readonly problem: string | undefined
}

export type OutlineNode =
  | { readonly kind: 'element'; readonly occurs: Occurs; readonly element: OutlineElement }
  | OutlineGroup
  | { readonly kind: 'wildcard'; readonly occurs: Occurs }
  /** A named group inside itself, or inside more named groups than anybody writes. */
  | { readonly kind: 'cut'; readonly occurs: Occurs; readonly why: 'recursion' | 'depth'; readonly group: QName }
  | { readonly kind: 'absent'; readonly occurs: Occurs; readonly missing: Missing }

export interface OutlineGroup {
  readonly kind: 'sequence' | 'all' | 'choice'
  readonly occurs: Occurs
  /** Of a named group, which is a sequence of the one group that it declares. */
  readonly name: QName | undefined
  readonly nodes: readonly OutlineNode[]
}

export function isMissing(value: object): value is Missing {
  return 'kind' in value && value.kind === 'missing'
}

/** What is reached from there in one step and more, nearest first; neither the start nor more than `most`. */
export function reach<Item>(start: Item, next: (item: Item) => readonly Item[], most: number): readonly Item[] {
  const found = new Set([start])
  for (const item of found) {
    for (const one of next(item)) if (found.size <= most) found.add(one)
  }
  return [...found].slice(1)
}

const maxConcreteTypes = 50

/** The types that an element of an abstract type can have; `blocks` are those of the element. */
export function concreteTypes(type: OutlineType, blocks: Blocks = nothingBlocked): readonly OutlineType[] {
  return typesFrom(type, blocks).filter(({ isAbstract }) => !isAbstract)
}

/** Those that are derived from a type in ways that neither it nor the element blocks. */
function typesFrom(type: OutlineType, blocks: Blocks): readonly OutlineType[] {
  const isBlocked = ({ by }: OutlineType): boolean => by !== undefined && (blocks.has(by) || type.blocks.has(by))
  return reach(type, ({ derived }) => derived.filter((each) => !isBlocked(each)), maxConcreteTypes)
}

/** The elements that may stand for an abstract one in a request. */
export function concreteElements(element: OutlineElement): readonly OutlineElement[] {
  const { blocks, type } = element
  if (blocks.has('substitution')) return []
  const all = reach(element, ({ substitutes }) => substitutes, maxConcreteTypes).filter(({ isAbstract }) => !isAbstract)
  if (isMissing(type) || (blocks.size === 0 && type.blocks.size === 0)) return all
  const types = new Set<OutlineType | Missing>([type, ...typesFrom(type, blocks)])
  return all.filter((each) => types.has(each.type))
}
