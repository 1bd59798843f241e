/**
 * A simple type with everything that its bases say, and how a built-in one, a list, a union and a restriction make one.
 * Which type a name leads to is content.ts.
 */
import type { QName } from '../xml/qname.ts'
import { joinPatterns } from './pattern.ts'
import type { Facet } from './schema-model.ts'

export interface SimpleType {
  /** Local name of the built-in type that it comes from. */
  readonly builtin: string
  readonly isList: boolean
  /** The type of a list's items. */
  readonly item: SimpleType | undefined
  /** The alternatives of a union; empty for any other type. */
  readonly members: readonly SimpleType[]
  /** Named types on the way to the built-in one, itself first. */
  readonly names: readonly QName[]
  readonly enumeration: readonly Facet[]
  /** The narrowest of each kind, without enumerations and patterns. */
  readonly facets: ReadonlyMap<string, string>
  /** All of them hold. */
  readonly patterns: readonly string[]
  /** What the type says of elements with it: media types of what travels beside the envelope. */
  readonly expectedContentTypes?: string
}

export const plainText: SimpleType = {
  builtin: 'string',
  isList: false,
  item: undefined,
  members: [],
  names: [],
  enumeration: [],
  facets: new Map(),
  patterns: [],
}

/** Built-in types that are lists, and what of. */
const builtinLists: Readonly<Record<string, string>> = { NMTOKENS: 'NMTOKEN', IDREFS: 'IDREF', ENTITIES: 'ENTITY' }

export function builtinType(builtin: string): SimpleType {
  const item = builtinLists[builtin]
  if (item === undefined) return { ...plainText, builtin }
  return { ...listOf({ ...plainText, builtin: item }), facets: new Map([['minLength', '1']]) }
}

export function listOf(item: SimpleType): SimpleType {
  return { ...plainText, builtin: item.builtin, isList: true, item, names: item.names }
}

export function restrict(base: SimpleType, facets: readonly Facet[]): SimpleType {
  if (facets.length === 0) return base
  const named = Map.groupBy(facets, (facet) => facet.name)
  const patterns = named.get('pattern')?.map((facet) => facet.value)
  const others = facets.filter((facet) => facet.name !== 'enumeration' && facet.name !== 'pattern')
  return {
    ...base,
    enumeration: named.get('enumeration') ?? base.enumeration,
    facets: new Map([...base.facets, ...others.map((other) => [other.name, other.value] as const)]),
    patterns: patterns === undefined ? base.patterns : [...base.patterns, joinPatterns(patterns)],
  }
}

/** Unions in unions are one union. */
export function unionOf(types: readonly SimpleType[]): SimpleType {
  const members = new Set(
    types.flatMap((type) => (type.members.length === 0 || isNarrowed(type) ? [type] : type.members)),
  )
  return { ...plainText, members: [...members], names: [...new Set(types.flatMap((type) => type.names))] }
}

export function isNarrowed({ facets, enumeration, patterns }: SimpleType): boolean {
  return facets.size > 0 || enumeration.length > 0 || patterns.length > 0
}

export const integerTypes: ReadonlySet<string> = new Set(
  `integer nonPositiveInteger negativeInteger long int short byte nonNegativeInteger unsignedLong unsignedInt
  unsignedShort unsignedByte positiveInteger`.split(/\s+/u),
)

/**
 * Whether its values, or the items of a list, are numbers that XML Schema writes without an exponent. A union may have
 * enumerated texts beside them, as long as none of these looks like a number with an exponent.
 */
export function numberOf({ builtin, members, item }: SimpleType): 'decimal' | 'integer' | undefined {
  if (item !== undefined) return numberOf(item)
  if (members.length > 0) {
    const kinds = new Set(members.filter((member) => !isWords(member)).map(numberOf))
    if (kinds.has(undefined)) return undefined
    return kinds.has('decimal') ? 'decimal' : [...kinds][0]
  }
  if (integerTypes.has(builtin)) return 'integer'
  return builtin === 'decimal' ? 'decimal' : undefined
}

function isWords({ enumeration }: SimpleType): boolean {
  return enumeration.length > 0 && !enumeration.some(({ value }) => /\d[eE][+-]?\d/.test(value))
}
