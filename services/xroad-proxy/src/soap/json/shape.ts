/**
 * What the schema says about a response, as plain data: which elements are lists, which texts are numbers or booleans,
 * which attributes there are. Made at start from a WSDL (wsdl/description/shape.ts), read while a response is
 * translated (schema-response.ts). Types that hold themselves are shapes that hold themselves.
 */

/** What becomes of a text; the first three are strings, with white space as XML Schema wants it for the type. */
export type ValueKind = 'preserved' | 'replaced' | 'collapsed' | 'integer' | 'decimal' | 'float' | 'boolean'

export interface Shape {
  /** `plain`: anything may be inside, and is read by the rules for responses without a schema. */
  readonly kind: 'plain' | 'value' | 'object'
  /** Of a value, and of an object that is made of text and attributes. */
  readonly text: ValueKind | undefined
  /** By local name. */
  readonly attributes: ReadonlyMap<string, ValueKind>
  /** Elements inside, by local name. */
  readonly members: ReadonlyMap<string, Member>
  /** Names of those members that are lists. */
  readonly lists: readonly string[]
  /** Of the types that `xsi:type` may name instead, by local name. */
  readonly derived: ReadonlyMap<string, Shape>
}

export interface Member {
  /** Local name of the element, and key in the JSON. */
  readonly name: string
  readonly isList: boolean
  readonly shape: Shape
}

export const anyShape: Shape = {
  kind: 'plain',
  text: undefined,
  attributes: new Map(),
  members: new Map(),
  lists: [],
  derived: new Map(),
}

/** The Body of a response whose element is known. */
export function toBody(element: Member): Member {
  return { name: 'body', isList: false, shape: { ...anyShape, members: new Map([[element.name, element]]) } }
}
