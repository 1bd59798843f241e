/**
 * A simple type of XML Schema -> the JSON Schema (2020-12) of what a caller may send for it. A value that fits is a
 * valid text of the type once it is in the envelope; where JSON Schema cannot say as much as XML Schema, it says
 * less than the type allows rather than more, as far as people write such types.
 */
import { describeBytes, isByteText } from './byte-text.ts'
import { leavesEmpty } from './example-pattern.ts'
import type { SimpleType } from '../schema/simple-type.ts'
import { toExpression } from '../schema/pattern.ts'
import { compareDecimals, toDecimal, withoutExponent } from '../../soap/check/decimals.ts'
import { lexical, narrowedMembers } from './union-members.ts'
import { formatOf, type Json, type JsonSchema, jsonTypes, type Kind, kindOf, orNull, toJson } from './value-schema.ts'

export function toRequestValue(type: SimpleType, isNillable: boolean): JsonSchema {
  const schema = describe(type)
  return isNillable ? orNull(schema) : schema
}

/** The only value that a text may have. */
export function fixedValue(type: SimpleType, fixed: string, isNillable: boolean): JsonSchema {
  const schema = enumerate(type, [fixed])
  return isNillable ? orNull(schema) : schema
}

function describe(type: SimpleType): JsonSchema {
  const { enumeration, patterns, item } = type
  if (enumeration.length > 0) return enumerate(type, [...new Set(enumeration.map((item) => item.value))])
  if (type.members.length > 0) return { anyOf: narrowedMembers(type).map(describe) }
  if (patterns.length > 0) return describeText(type, type.isList ? {} : formatOf(type))
  if (item !== undefined) return { type: 'array', items: describe(item), ...itemFacets(type) }
  const kind = kindOf(type)
  switch (kind) {
    case 'integer':
    case 'number':
      return { type: jsonTypes[kind], ...formatOf(type), ...bounds(type, kind) }
    case 'boolean':
      return { type: 'boolean' }
    case 'text':
      if (isByteText(type)) return { type: 'string', ...formatOf(type), ...describeBytes(type) }
      return describeText(type, formatOf(type))
  }
}

/** Values of the WSDL, as numbers where all of them are. */
function enumerate(type: SimpleType, values: readonly string[]): JsonSchema {
  const kind = type.isList || type.members.length > 0 ? 'text' : kindOf(type)
  const found = values.map((value) => toJson(value, kind))
  const isExact = kind === 'text' || kind === 'boolean' || found.every((value) => typeof value === 'number')
  if (!isExact) return { type: 'string', enum: values }
  return { type: jsonTypes[kind], ...(type.isList ? {} : formatOf(type)), enum: [...new Set(found)] }
}

const textFacets: Readonly<Record<string, readonly string[]>> = {
  length: ['minLength', 'maxLength'],
  minLength: ['minLength'],
  maxLength: ['maxLength'],
}

/** Built-in type -> what its values look like, where JSON Schema has no format that says it. */
const shapes: Readonly<Record<string, string>> = {
  gYear: '[1-9][0-9]{3}',
  gYearMonth: '[1-9][0-9]{3}-(?:0[1-9]|1[0-2])',
  gMonth: '--(?:0[1-9]|1[0-2])',
  gMonthDay: '--(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-8])',
  gDay: '---(?:0[1-9]|[12][0-9]|3[01])',
  dayTimeDuration: 'P[0-9]{1,5}D',
  yearMonthDuration: 'P[0-9]{1,4}Y(?:[0-9]{1,2}M)?',
  language: '[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*',
  ...Object.fromEntries(
    ['Name', 'NCName', 'ID', 'IDREF', 'ENTITY', 'QName', 'NOTATION'].map((type) => [type, '[A-Za-z_][A-Za-z0-9._-]*']),
  ),
  NMTOKEN: '[A-Za-z0-9._-]+',
}
/** White space at the ends is not part of such a value. */
const collapsed: ReadonlySet<string> = new Set(['token', 'anyURI'])

function describeText(type: SimpleType, format: JsonSchema): JsonSchema {
  const { facets, builtin, patterns } = type
  const found: Record<string, Json> = {}
  for (const [facet, value] of type.isList ? [] : facets) {
    if (isByteText(type)) break
    if (Number(value) >= 0) for (const name of textFacets[facet] ?? []) found[name] = Number(value)
  }
  const least = Number(found['minLength'] ?? 0)
  const isCollapsed = collapsed.has(builtin) || facets.get('whiteSpace') === 'collapse'
  const shape = patterns.length > 0 ? undefined : (shapes[builtin] ?? (isCollapsed && least > 0 ? solid : undefined))
  const pattern = shape === undefined ? toExpression(withLexical(type)) : `^(?:${shape})$`
  return { type: 'string', ...format, ...found, ...(pattern === undefined ? {} : { pattern }) }
}

/** A pattern that lets a number be empty (`\d{0,3}`) overlooks that the type does not. */
function withLexical(type: SimpleType): readonly string[] {
  const own = lexical[kindOf(type)]
  return own !== undefined && leavesEmpty(type) ? [own, ...type.patterns] : type.patterns
}

/** Words with single spaces between them. */
const solid = String.raw`\S+(?: \S+)*`

function itemFacets({ facets }: SimpleType): JsonSchema {
  const found: Record<string, Json> = {}
  for (const [facet, value] of facets) {
    for (const name of textFacets[facet] ?? []) found[name.replace('Length', 'Items')] = Number(value)
  }
  return found
}

/** Largest and smallest numbers of JSON that are inside the types, also as JavaScript prints them. */
const ranges: Readonly<Record<string, readonly [least: number | undefined, most: number | undefined]>> = {
  byte: [-128, 127],
  short: [-32_768, 32_767],
  int: [-2_147_483_648, 2_147_483_647],
  long: [-9_223_372_036_854_775_000, 9_223_372_036_854_775_000],
  unsignedByte: [0, 255],
  unsignedShort: [0, 65_535],
  unsignedInt: [0, 4_294_967_295],
  unsignedLong: [0, 18_446_744_073_709_550_000],
  nonNegativeInteger: [0, undefined],
  positiveInteger: [1, undefined],
  nonPositiveInteger: [undefined, 0],
  negativeInteger: [undefined, -1],
}

function bounds(type: SimpleType, kind: Kind): JsonSchema {
  const { facets, builtin } = type
  const [from, to] = ranges[builtin] ?? []
  const digits = countIn(facets.get('totalDigits'))
  const decimals = kind === 'integer' ? 0 : countIn(facets.get('fractionDigits'))
  const widest = digits === undefined ? undefined : widestOf(digits, decimals ?? 0)
  const least = highest([from, toBound(facets.get('minInclusive'), 'least'), toBound(widest && `-${widest}`, 'least')])
  const most = lowest([to, toBound(facets.get('maxInclusive'), 'most'), toBound(widest, 'most')])
  const above = toBound(facets.get('minExclusive'), 'least')
  const below = toBound(facets.get('maxExclusive'), 'most')
  return {
    ...(least === undefined ? {} : { minimum: least }),
    ...(most === undefined ? {} : { maximum: most }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(below === undefined ? {} : { exclusiveMaximum: below }),
    ...(kind === 'number' && decimals !== undefined ? { multipleOf: Number(`1e-${decimals}`) } : {}),
  }
}

/** More digits than this no number of JavaScript has, before its point or behind it. */
const maxDigits = 300

function countIn(text: string | undefined): number | undefined {
  const count = text === undefined ? NaN : Number(text)
  return Number.isInteger(count) && count >= 0 && count <= maxDigits ? count : undefined
}

/** The largest number of so many digits. */
function widestOf(digits: number, decimals: number): string {
  return `${'9'.repeat(Math.max(digits - decimals, 0)) || '0'}${decimals === 0 ? '' : `.${'9'.repeat(decimals)}`}`
}

const plainDecimal = /^[-+]?(?:\d+\.?\d*|\.\d+)$/u

/**
 * Where no number of JavaScript has the digits of a bound, the next one inside it: to readers that round, and as JSON
 * writes it to those that do not.
 */
function toBound(text: string | undefined, side: 'least' | 'most'): number | undefined {
  const value = text === undefined ? NaN : Number(text)
  const exact = text?.trim() ?? ''
  if (!Number.isFinite(value)) return undefined
  if (!plainDecimal.test(exact)) return value
  const bound = toDecimal(exact)
  const sign = side === 'least' ? 1 : -1
  const isBeyond = (digits: string): boolean => sign * compareDecimals(toDecimal(digits), bound) < 0
  let found = value
  // The last bit of a number, once or twice. A number without such a bit stays.
  for (let step = 0; step < 4 && digitsOf(found).some(isBeyond); step++) {
    found *= 1 + (found > 0 ? sign : -sign) * Number.EPSILON
    if (!Number.isFinite(found)) return undefined
  }
  return found
}

/** As JSON writes it; of a whole number that is rounded there, also all its digits. */
function digitsOf(value: number): readonly string[] {
  const written = withoutExponent(String(value))
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? [written, BigInt(value).toString()] : [written]
}

function highest(values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined)
  return given.length === 0 ? undefined : Math.max(...given)
}

function lowest(values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined)
  return given.length === 0 ? undefined : Math.min(...given)
}
