/**
 * The request element of an operation -> the tree of elements and attributes that a message may hold, each in its place:
 * plain values, from which the names of the params, the text of the envelope, the JSON Schema and the example are made
 * elsewhere. How a tree is grown from the schema, and what cannot be sent, is expansion.ts.
 */
import { MissingComponent, findComponent } from '../schema/content.ts'
import type { SimpleType } from '../schema/content.ts'
import type { Documentation } from '../xml/documentation.ts'
import { Expansion, once } from './expansion.ts'
import type { Spell } from './expansion.ts'
import { namespacesOf } from '../operations/misnamed.ts'
import { whereElse } from '../schema/missing.ts'
import type { Operation, Wsdl } from '../operations/operations.ts'
import { localOf, namespaceOf } from '../xml/qname.ts'
import type { QName } from '../xml/qname.ts'
import { Skip } from '../operations/reasons.ts'
import type { ElementDeclaration } from '../schema/schema-model.ts'
import type { Schema } from '../schema/schema.ts'
import { Sizes } from './size.ts'

export interface RequestElement {
  readonly kind: 'element'
  readonly name: QName
  readonly isOptional: boolean
  readonly isRepeating: boolean
  /** How often it stands there, where it stands there at all; `max` is Infinity for `unbounded`. */
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
  /** The only value that the schema allows. */
  readonly fixed: string | undefined
  /** Whether the fixed value is written unasked. */
  readonly isConstant: boolean
  readonly default: string | undefined
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
  /** What the schema allows and this service cannot send, one sentence each. */
  readonly notes: readonly string[]
}

/** Throws `Skip`. */
export function readRequest({ schema, prefixes, missing }: Wsdl, { input }: Operation): Request {
  const spell: Spell = (name) => prefixed(name, prefixes)
  try {
    return grow(schema, input, spell)
  } catch (error) {
    if (!(error instanceof MissingComponent)) throw error
    const { kind, component } = error
    const elsewhere = namespacesOf(component, schema.names(kind))
    throw new Skip('type_missing', `${spell(component)}${elsewhere}${whereElse(missing, namespaceOf(component))}`)
  }
}

/** As the WSDL writes it. */
function prefixed(name: QName, prefixes: Wsdl['prefixes']): string {
  const prefix = prefixes.get(namespaceOf(name))
  return prefix === undefined ? localOf(name) : `${prefix}:${localOf(name)}`
}

const sizes = new WeakMap<Schema, Sizes>()

/** The whole tree, or as much of one that is too large as a person can look through. */
function grow(schema: Schema, input: QName, spell: Spell): Request {
  const declaration = findComponent(schema, 'element', input)
  const known = sizes.get(schema) ?? new Sizes(schema)
  sizes.set(schema, known)
  if (known.isKnownLarge(declaration)) return expand(schema, declaration, spell, known)
  try {
    return expand(schema, declaration, spell)
  } catch (error) {
    if (!(error instanceof Skip) || error.reason !== 'request_too_large') throw error
    known.rememberLarge(declaration)
    return expand(schema, declaration, spell, known)
  }
}

function expand(schema: Schema, declaration: ElementDeclaration, spell: Spell, large?: Sizes): Request {
  const expansion = new Expansion(schema, spell, large?.depthFor(declaration), large?.branches)
  const root = expansion.element(declaration, once, [])
  const isUntyped = root.text?.type.builtin === 'anyType'
  return {
    root: isUntyped ? { ...root, text: undefined } : root,
    isNested: large !== undefined,
    notes: [...expansion.notes],
  }
}
