/**
 * A simple type -> a value that it allows, the same every time, to show people what is meant. Ignores facets that no
 * such simple value meets.
 */
import { exampleBytes, isByteText } from './byte-text.ts'
import type { SimpleType } from '../schema/simple-type.ts'
import { leavesEmpty, matchAll } from './example-pattern.ts'
import { toRequestValue } from './request-value.ts'
import { narrowedMembers } from './union-members.ts'
import { type Json, type Kind, kindOf } from './value-schema.ts'

const texts: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  dateTime: '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'P1D',
  gYear: '2026',
  gYearMonth: '2026-01',
  gMonth: '--01',
  gMonthDay: '--01-28',
  gDay: '---31',
  anyURI: 'http://example.org/',
  language: 'et',
  boolean: 'true',
}

const maxLength = 1000

export function exampleValue(type: SimpleType): Json {
  const [first] = type.enumeration
  if (first !== undefined) return (toRequestValue(type, false)['enum'] as readonly Json[])[0] ?? ''
  const { item, members, patterns } = type
  const [member] = members
  if (member !== undefined) return exampleOfMembers(type)
  if (patterns.length > 0) return patterned(type) ?? exampleText(type)
  if (item !== undefined) return exampleList(type, item)
  switch (kindOf(type)) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return exampleNumber(type)
    case 'text':
      return isByteText(type) ? exampleBytes(type) : (usualText(type) ?? exampleText(type))
  }
}

/** Of the first member that has one where the union has patterns of its own. */
function exampleOfMembers(type: SimpleType): Json {
  const members = narrowedMembers(type)
  const fitting = type.patterns.length === 0 ? members[0] : members.find((member) => patterned(member) !== undefined)
  return exampleValue(fitting ?? (members[0] as SimpleType))
}

/** The usual one, or a bound that it is beyond: dates and times of one form are in order as texts. */
function usualText({ builtin, facets }: SimpleType): string | undefined {
  const usual = texts[builtin]
  if (usual === undefined) return undefined
  const [least, most] = [facets.get('minInclusive'), facets.get('maxInclusive')]
  if (least !== undefined && usual < least) return least
  return most !== undefined && usual > most ? most : usual
}

function exampleList({ facets }: SimpleType, item: SimpleType): Json {
  const least = Number(facets.get('minLength') ?? facets.get('length') ?? 1)
  return Array.from({ length: Math.max(0, Math.min(least, maxLength)) }, () => exampleValue(item))
}

/** 1 or -1, or else what is next to them within the bounds. */
function exampleNumber(type: SimpleType): number {
  const schema = toRequestValue(type, false)
  const bound = (keyword: string): number | undefined => {
    const value = schema[keyword]
    return typeof value === 'number' ? value : undefined
  }
  const step = bound('multipleOf') ?? 1
  const above = bound('exclusiveMinimum')
  const below = bound('exclusiveMaximum')
  const least = Math.max(bound('minimum') ?? -Infinity, above === undefined ? -Infinity : above + step)
  const most = Math.min(bound('maximum') ?? Infinity, below === undefined ? Infinity : below - step)
  const value = Math.max(least, Math.min(most, 1))
  // Between two numbers that are closer than a step.
  return value > most && above !== undefined && below !== undefined ? (above + below) / 2 : value
}

/** A text for all patterns and lengths of the type. */
function patterned(type: SimpleType): string | undefined {
  const { facets } = type
  const least = Number(facets.get('minLength') ?? facets.get('length') ?? 0)
  const most = Number(facets.get('maxLength') ?? Infinity)
  // A pattern that a number may be left out of does not make the empty text a number.
  const usual = leavesEmpty(type) ? bare[kindOf(type)] : undefined
  return usual !== undefined && usual.length >= least && usual.length <= most
    ? usual
    : matchAll(type, { least, most, usual: usualText(type) })
}

const bare: Readonly<Partial<Record<Kind, string>>> = { integer: '1', number: '1', boolean: 'true' }

function exampleText({ facets }: SimpleType): string {
  const length = Number(facets.get('length') ?? NaN)
  if (length >= 0) return 'a'.repeat(Math.min(length, maxLength))
  const least = Math.min(Number(facets.get('minLength') ?? 0), maxLength)
  const most = Number(facets.get('maxLength') ?? Infinity)
  return 'text'.slice(0, most).padEnd(least, 't')
}
