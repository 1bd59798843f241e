/**
 * XML Schema as data: what a schema file declares, with references still by name. Nothing here runs. schema-read.ts
 * makes these from XML, schema.ts finds them by name, content.ts follows the references.
 */
import type { Documentation } from '../xml/documentation.ts'
import type { QName } from '../xml/qname.ts'

/** `max` is Infinity for `unbounded`. */
export interface Occurs {
  readonly min: number
  readonly max: number
  /** Why this says nothing, in words. */
  readonly problem?: string
}

/** Ways in which something may stand for something else that a schema rules out. */
export type Blocks = ReadonlySet<string>

export const nothingBlocked: Blocks = new Set()

export type TypeUse = { readonly ref: QName } | { readonly inline: TypeDefinition }

export interface ElementDeclaration {
  /** Without a namespace when the element is unqualified. */
  readonly name: QName
  readonly type: TypeUse
  readonly nillable: boolean
  readonly abstract: boolean
  /** `extension`, `restriction`, `substitution`. */
  readonly blocks: Blocks
  /** Its `unique`, `key` and `keyref`, each with its name. */
  readonly constraints: readonly string[]
  readonly fixed: string | undefined
  readonly default: string | undefined
  readonly documentation: Documentation
  /** Media types of what is sent for it beside the envelope, as MTOM has it. */
  readonly expectedContentTypes: string | undefined
  /** Why no message can hold it, in words. */
  readonly problem: string | undefined
}

export type Particle =
  | { readonly kind: 'element'; readonly occurs: Occurs; readonly declaration: ElementDeclaration }
  | { readonly kind: 'elementRef'; readonly occurs: Occurs; readonly ref: QName }
  | { readonly kind: 'groupRef'; readonly occurs: Occurs; readonly ref: QName }
  | { readonly kind: 'any'; readonly occurs: Occurs }
  | ModelGroup

export interface ModelGroup {
  readonly kind: 'sequence' | 'all' | 'choice'
  readonly occurs: Occurs
  readonly particles: readonly Particle[]
}

export interface AttributeDeclaration {
  readonly name: QName
  readonly type: TypeUse
  readonly fixed: string | undefined
  readonly default: string | undefined
  readonly documentation: Documentation
  /** Why no message can hold it, in words. */
  readonly problem: string | undefined
}

export type AttributeUse =
  | {
      readonly kind: 'attribute'
      readonly use: 'optional' | 'required' | 'prohibited'
      readonly declaration: AttributeDeclaration
    }
  | {
      readonly kind: 'attributeRef'
      readonly use: 'optional' | 'required' | 'prohibited'
      readonly ref: QName
      readonly fixed: string | undefined
    }
  | { readonly kind: 'attributeGroupRef'; readonly ref: QName }

export interface Facet {
  readonly name: string
  readonly value: string
  readonly documentation: Documentation
}

export interface SimpleDefinition {
  readonly kind: 'simple'
  readonly name: QName | undefined
  readonly derivation:
    | { readonly by: 'builtin' }
    | { readonly by: 'restriction'; readonly base: TypeUse; readonly facets: readonly Facet[] }
    | { readonly by: 'list'; readonly item: TypeUse }
    | { readonly by: 'union'; readonly members: readonly TypeUse[] }
  readonly documentation: Documentation
  /** As of an element, for all elements of this type. */
  readonly expectedContentTypes: string | undefined
}

export interface ComplexDefinition {
  readonly kind: 'complex'
  readonly name: QName | undefined
  readonly abstract: boolean
  /** `extension`, `restriction`. */
  readonly blocks: Blocks
  readonly mixed: boolean
  /** Undefined when the type is made of nothing else. */
  readonly base: { readonly by: 'extension' | 'restriction'; readonly ref: QName } | undefined
  /** Simple content has text and no elements; `inline` narrows the base's text. */
  readonly simpleContent: { readonly inline: TypeUse | undefined; readonly facets: readonly Facet[] } | undefined
  readonly particle: Particle | undefined
  readonly attributes: readonly AttributeUse[]
  readonly documentation: Documentation
  /** As of an element, for all elements of this type. */
  readonly expectedContentTypes: string | undefined
}

export type TypeDefinition = SimpleDefinition | ComplexDefinition

/** The components of a schema that other ones name. */
export interface Components {
  readonly element: ElementDeclaration
  readonly type: TypeDefinition
  readonly group: { readonly particle: Particle | undefined }
  readonly attribute: AttributeDeclaration
  readonly attributeGroup: { readonly attributes: readonly AttributeUse[] }
}

export type ComponentKind = keyof Components
