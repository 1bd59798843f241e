/**
 * The request element of an operation -> the tree of elements and attributes that a message may hold, each in its
 * place: plain values, from which the names of the params, the text of the envelope, the JSON Schema and the example
 * are made elsewhere. How a tree is grown from the schema, and what cannot be sent, is expansion.ts.
 */
import { namespacesOf } from '../operations/misnamed.ts'
import type { Operation, Wsdl } from '../operations/operations.ts'
import { Skip } from '../operations/reasons.ts'
import type { Outline, OutlineElement } from '../outline/outline.ts'
import type { SimpleType } from '../schema/simple-type.ts'
import { whereElse } from '../schema/missing.ts'
import type { Documentation } from '../xml/documentation.ts'
import { localOf, namespaceOf, type QName } from '../xml/qname.ts'
import { once } from './bare-element.ts'
import { Expansion, type Words } from './expansion.ts'
import { withMimeParts } from './mime-parts.ts'
import { Sizes } from './size.ts'

export interface RequestElement {
  readonly kind: 'element'
  readonly name: QName
  readonly isOptional: boolean
  readonly isRepeating: boolean
  /** How often it is there, where it is there at all; `max` is Infinity for `unbounded`. */
  readonly occurs: { readonly min: number; readonly max: number }
  readonly isNillable: boolean
  /** Its value is an object with names of its own, although it does not repeat. */
  readonly isObject: boolean
  /** Has to be there, and has no content that could be sent: it is always nil. */
  readonly isAlwaysNil: boolean
  /** Said by `xsi:type`, where the declared type is abstract. */
  readonly typeName: QName | undefined
  /** One for each type that may stand for an abstract one; an element with alternatives has no content of its own. */
  readonly alternatives: readonly RequestElement[]
  /** Undefined for an element that holds elements only, or nothing. */
  readonly text: RequestText | undefined
  /** Its text stands between elements, and there may be none. */
  readonly isMixed: boolean
  readonly attributes: readonly RequestAttribute[]
  readonly children: readonly RequestNode[]
  /** What travels beside the envelope, of the request element only. */
  readonly parts: readonly RequestPart[]
  readonly documentation: Documentation
}

/** Whether null may stand for all of it: that holds no attributes, and some may have to be there. */
export function isNullable({ isNillable, attributes }: RequestElement): boolean {
  return isNillable && !attributes.some(({ isRequired }) => isRequired)
}

/** Elements that come together or not at all. */
export interface RequestGroup {
  readonly kind: 'group'
  readonly children: readonly RequestNode[]
}

/** Branches of which a message holds one: the first that the caller gives anything for. */
export interface RequestChoice {
  readonly kind: 'choice'
  /** Whether a message may do without all of them. */
  readonly isOptional: boolean
  readonly branches: readonly ChoiceBranch[]
}

/** One element, which is optional then, or several that come together. */
export interface ChoiceBranch {
  readonly kind: 'branch'
  /** Of its first element; what a caller asks for it by where it has no value of its own. */
  readonly name: QName
  readonly children: readonly RequestNode[]
}

export type RequestNode = RequestElement | RequestGroup | RequestChoice

export interface RequestText {
  readonly type: SimpleType
  /** The only value that the schema allows. */
  readonly fixed: string | undefined
  /** Whether the fixed value is written unasked. */
  readonly isConstant: boolean
  readonly default: string | undefined
  /** How its bytes travel beside the envelope; undefined for what is in it. */
  readonly attachment: RequestAttachment | undefined
}

/** A reference of SOAP with Attachments, an xop:Include of MTOM, or a part that the envelope does not mention. */
export interface RequestAttachment {
  readonly by: 'swa_ref' | 'xop_include' | 'mime_part'
  /** Media type, where the WSDL names one. */
  readonly type: string | undefined
  /** Its name as a part of the message, for `mime_part`. */
  readonly part?: string
}

/** A part of the message beside the envelope. */
export interface RequestPart extends RequestText {
  readonly name: string
  readonly isRequired: boolean
  readonly documentation: Documentation
}

export interface RequestAttribute extends RequestText {
  readonly name: QName
  readonly isRequired: boolean
  readonly documentation: Documentation
}

export interface Request {
  readonly root: RequestElement
  /** Its params are objects in objects, like the message, and not the values at all depths. */
  readonly isNested: boolean
  /** What the schema allows and this service cannot send, or demands and it does not check, one sentence each. */
  readonly notes: readonly string[]
}

/** Throws `Skip`. */
export function readRequest(wsdl: Wsdl, { input, mimeContents }: Operation): Request {
  const request = grow(input, wordsOf(wsdl), sizesOf(wsdl.outline))
  return mimeContents.length === 0 ? request : { ...request, root: withMimeParts(request.root, mimeContents) }
}

function wordsOf({ schema, prefixes, missing }: Wsdl): Words {
  const spell: Words['spell'] = (name) => {
    const prefix = prefixes.get(namespaceOf(name)) ?? schema.prefixOf(namespaceOf(name))
    return prefix === undefined ? localOf(name) : `${prefix}:${localOf(name)}`
  }
  return {
    spell,
    whereabouts: ({ component, name }) =>
      `${spell(name)}${namespacesOf(name, schema.names(component))}${whereElse(missing, namespaceOf(name))}`,
  }
}

const sizes = new WeakMap<Outline, Sizes>()

function sizesOf(outline: Outline): Sizes {
  const known = sizes.get(outline) ?? new Sizes()
  sizes.set(outline, known)
  return known
}

/** The whole tree, or as much of one that is too large as a person can look through. */
function grow(element: OutlineElement, words: Words, known: Sizes): Request {
  if (known.isKnownLarge(element)) return expand(element, words, known)
  try {
    return expand(element, words)
  } catch (error) {
    if (!(error instanceof Skip) || error.reason !== 'request_too_large') throw error
    known.rememberLarge(element)
    return expand(element, words, known)
  }
}

function expand(element: OutlineElement, words: Words, large?: Sizes): Request {
  const cut = large === undefined ? undefined : { depth: large.depthFor(element), shared: large.branches }
  const expansion = new Expansion(words, cut)
  const root = expansion.element(element, once, [])
  const isUntyped = root.text?.type.builtin === 'anyType'
  return {
    root: isUntyped ? { ...root, text: undefined } : root,
    isNested: large !== undefined,
    notes: [...expansion.notes],
  }
}
