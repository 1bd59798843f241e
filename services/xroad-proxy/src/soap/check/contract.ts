/**
 * What a request may hold, as plain data: made of a WSDL (wsdl/description/request-contract.ts) or of the params that a
 * DSL file declares (declared-contract.ts), kept between starts as JSON, held against requests by check.ts. Nothing
 * here runs.
 *
 * It follows the envelope that the template of the endpoint makes of values, branch by branch: what may be left out,
 * what has to come together, what repeats.
 */

import type { NumberKind } from './decimals.ts'

/** Text of an element or of an attribute, or a value of JSON that becomes such a text. */
export interface TextType {
  /** Local name of a built-in type of XML Schema, or one of `ownTypes`. */
  readonly base: string
  /** The type of a list's items. */
  readonly item?: TextType
  /** The alternatives of a union. */
  readonly members?: readonly TextType[]
  /** Texts of which one is meant, as they are written. */
  readonly enumeration?: readonly string[]
  /** `minLength`, `maxInclusive` and their like, by name. */
  readonly facets?: Readonly<Record<string, string>>
  /** Expressions of XML Schema about the whole text; all of them hold. */
  readonly patterns?: readonly string[]
  /** An expression of ECMAScript about the whole text. */
  readonly expression?: string
  /** How the template writes numbers of JSON, if otherwise than they came. */
  readonly number?: NumberKind
}

/** Marks are left out where they do not apply: thousands of these are kept. */
export interface TextNode {
  readonly kind: 'text'
  readonly name: string
  /** In `types`. */
  readonly type: number
  readonly isRequired?: true
  /** Null says `xsi:nil`. */
  readonly isNillable?: true
  /** Line breaks reach an attribute as they are, an element as `\n`. */
  readonly isAttribute?: true
  /** The only value that the schema allows. */
  readonly fixed?: string
}

/** An element that can hold nothing: it is there or not. */
export interface FlagNode {
  readonly kind: 'flag'
  readonly name: string
  /** It is a branch of a choice: false would be neither here nor there. */
  readonly isBranch?: true
}

/** A repeating element. */
export interface ListNode {
  readonly kind: 'list'
  readonly name: string
  readonly isRequired?: true
  readonly isNillable?: true
  /** How often where it is there at all. */
  readonly min?: number
  readonly max?: number
  /** What each item is; neither: anything. */
  readonly type?: number
  readonly fixed?: string
  readonly scope?: number
}

/** One object with names of its own. */
export interface ObjectNode {
  readonly kind: 'object'
  readonly name: string
  readonly isRequired?: true
  /** In a branch of a choice null says that the branch is meant, and is nil. */
  readonly isNillable?: true
  readonly scope: number
}

/** Nodes that may be left out together, and are there as soon as any of them is given. */
export interface GroupNode {
  readonly kind: 'group'
  readonly nodes: readonly ContractNode[]
}

/** Of several branches one. */
export interface ChoiceNode {
  readonly kind: 'choice'
  readonly isRequired?: true
  readonly branches: readonly (readonly ContractNode[])[]
}

/** A value whose inside is not known. */
export interface AnyNode {
  readonly kind: 'any'
  readonly name: string
  readonly isRequired?: true
  readonly is?: 'array' | 'object'
}

export type ContractNode = TextNode | FlagNode | ListNode | ObjectNode | GroupNode | ChoiceNode | AnyNode

/** The content of one object. */
export type Scope = readonly ContractNode[]

/** The contracts of one WSDL or of one DSL file: what is the same is there once. */
export interface Contracts {
  readonly types: readonly TextType[]
  readonly scopes: readonly Scope[]
}

/** One of several contracts: the scope of the body. */
export interface RequestContract {
  readonly contracts: Contracts
  readonly root: number
}
