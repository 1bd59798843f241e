/**
 * An element of a request before it has content: how often it comes and what type it has in its place. What it
 * holds is expansion.ts.
 */
import type { OutlineElement, OutlineNode, OutlineType } from '../outline/outline.ts'
import type { QName } from '../xml/qname.ts'
import type { RequestElement } from './request.ts'

/** How often something comes, all groups around it counted. */
export interface Count {
  readonly min: number
  readonly max: number
  /** How often where it comes at all. */
  readonly least: number
}

export const once: Count = { min: 1, max: 1, least: 1 }
/** A branch of a choice, which a caller may leave out for another one. */
export const inBranch: Count = { min: 0, max: 1, least: 1 }

export function countOf({ min, max }: OutlineNode['occurs'], outer: Count): Count {
  return { min: min * outer.min, max: multiply(max, outer.max), least: Math.max(min, 1) * outer.least }
}

/** Zero times without a bound is zero. */
function multiply(inner: number, outer: number): number {
  return inner === 0 || outer === 0 ? 0 : inner * outer
}

/** An element with the type that it has in this place. */
export interface Typed {
  readonly element: OutlineElement
  readonly type: OutlineType
  readonly isNillable: boolean
  /** Said by `xsi:type`; undefined for the declared type. */
  readonly typeName: QName | undefined
}

export function emptyElement({ element, isNillable, typeName }: Typed, count: Count): RequestElement {
  return {
    kind: 'element',
    name: element.name,
    isOptional: count.min === 0,
    isRepeating: count.max > 1,
    occurs: { min: count.least, max: count.max },
    isNillable: isNillable && element.fixed === undefined,
    isObject: false,
    isAlwaysNil: false,
    typeName,
    alternatives: [],
    text: undefined,
    isMixed: false,
    attributes: [],
    children: [],
    parts: [],
    documentation: element.documentation,
  }
}
