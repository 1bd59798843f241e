/**
 * A simple type -> a value that it allows, the same every time, for people to see what is meant. Facets that no value of this
 * simple sort meets are passed over.
 */
import type { SimpleType } from './content.ts'
import { matchPattern } from './example-pattern.ts'
import { kindOf, toJson } from './value-schema.ts'
import type { Json } from './value-schema.ts'

const texts: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  dateTime: '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'P1D',
  gYear: '2026',
  gYearMonth: '2026-01',
  gMonth: '--01',
  gMonthDay: '--01-31',
  gDay: '---31',
  anyURI: 'http://example.org/',
  base64Binary: 'AAAA',
  hexBinary: '00',
  language: 'et',
  boolean: 'true',
}

const maxLength = 1000

export function exampleValue(type: SimpleType): Json {
  const [first] = type.enumeration
  const kind = kindOf(type)
  if (first !== undefined) return toJson(first.value, kind)
  const [member] = type.members
  if (member !== undefined) return exampleValue(member)
  switch (kind) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return exampleNumber(type)
    case 'text':
      return patterned(type) ?? texts[type.builtin] ?? exampleText(type)
  }
}

function exampleNumber(type: SimpleType): number {
  const { facets, builtin } = type
  const written = patterned(type)
  // Only what a number is written as again: leading zeros would be lost.
  if (written !== undefined && String(Number(written)) === written) return Number(written)
  const least = Number(facets.get('minInclusive') ?? -Infinity)
  const most = Number(facets.get('maxInclusive') ?? Infinity)
  const usual = builtin.startsWith('negative') || builtin.startsWith('nonPositive') ? -1 : 1
  return Math.max(least, Math.min(most, usual))
}

function patterned({ facets }: SimpleType): string | undefined {
  const pattern = facets.get('pattern')
  if (pattern === undefined) return undefined
  const text = matchPattern(pattern)
  const least = Number(facets.get('minLength') ?? facets.get('length') ?? 0)
  return text !== undefined && text.length >= least ? text : undefined
}

function exampleText({ facets }: SimpleType): string {
  const length = Number(facets.get('length') ?? NaN)
  if (length >= 0) return 'a'.repeat(Math.min(length, maxLength))
  const least = Math.min(Number(facets.get('minLength') ?? 0), maxLength)
  const most = Number(facets.get('maxLength') ?? Infinity)
  return 'text'.slice(0, most).padEnd(least, 't')
}
