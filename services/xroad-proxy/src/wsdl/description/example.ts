/**
 * A simple type -> a value that it allows, the same every time, to show people what is meant. Ignores facets that no
 * such simple value meets.
 */
import { exampleBytes, isByteText } from './byte-text.ts'
import { maxEffort } from '../../soap/check/pattern/automaton.ts'
import { withoutExponent } from '../../soap/check/decimals.ts'
import { toTextCheck } from '../../soap/check/text-check.ts'
import type { SimpleType } from '../schema/simple-type.ts'
import { toTextType } from './request-contract.ts'
import { leavesEmpty, matchAll } from './example-pattern.ts'
import { toRequestValue } from './request-value.ts'
import { narrowedMembers } from './union-members.ts'
import { type Json, type JsonSchema, type Kind, kindOf } from './value-schema.ts'

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

const examples = new WeakMap<SimpleType, Json>()

export function exampleValue(type: SimpleType): Json {
  const known = examples.get(type)
  if (known !== undefined) return known
  const mark = type.isList ? undefined : marks[type.builtin]
  if (mark !== undefined && ['id-1', 'id-10'].every((text) => isValue(type, text))) return mark
  const candidates = candidatesOf(type)
  const found = candidates.find((candidate) => isValue(type, textOf(candidate))) ?? candidates[0] ?? ''
  examples.set(type, found)
  return found
}

/** Whether a text is a value of the type, by the check of requests. */
export function isValue(type: SimpleType, text: string): boolean {
  return toTextCheck(toTextType(type)).problemOf(text, { left: maxEffort }) === undefined
}

function textOf(value: Json): string {
  return Array.isArray(value) ? value.map(textOf).join(' ') : withoutExponent(`${value as boolean | number | string}`)
}

/** The best first. */
function candidatesOf(type: SimpleType): readonly Json[] {
  const { enumeration, item, members, patterns } = type
  if (enumeration.length > 0) return toRequestValue(type, false)['enum'] as readonly Json[]
  if (members.length > 0) return [exampleOfMembers(type), ...narrowedMembers(type).map(exampleValue)]
  if (patterns.length > 0) {
    const numbers = isNumber(type) ? [exampleNumber(type), ...numbersNear(type)] : []
    return [patterned(type), ...numbers, exampleText(type), usualText(type), ...guesses].filter(
      (each) => each !== undefined,
    )
  }
  if (item !== undefined) return [exampleList(type, item)]
  switch (kindOf(type)) {
    case 'boolean':
      return [true]
    case 'integer':
    case 'number':
      return [exampleNumber(type), ...numbersNear(type)]
    case 'text':
      return isByteText(type) ? [exampleBytes(type)] : [...usualTexts(type), exampleText(type)]
  }
}

/** For patterns that no way through is found for. */
const guesses = ['b', 'B', '1', 'ж', '-', ' '].flatMap((each) => [1, 2, 3, 4, 5, 8, 10, 11].map((n) => each.repeat(n)))

function isNumber(type: SimpleType): boolean {
  const kind = kindOf(type)
  return type.item === undefined && (kind === 'integer' || kind === 'number')
}

/** Bounds, and what is next to them. */
function numbersNear({ facets }: SimpleType): readonly Json[] {
  const bounds = ['minInclusive', 'maxInclusive', 'minExclusive', 'maxExclusive'].map((name) => facets.get(name))
  const numbers = bounds.filter((bound) => bound !== undefined).map(Number)
  const near = numbers.flatMap((number) => {
    return [number + 1, number - 1, Math.ceil(number), Math.floor(number), number + 0.1, number - 0.1]
  })
  return [...numbers, ...near, 0, -1]
}

/** The usual one, also without its zone; bounds, and years beyond them. */
function usualTexts(type: SimpleType): readonly string[] {
  const usual = usualText(type)
  if (usual === undefined) return []
  const bounds = [...type.facets]
    .filter(([name]) => /^(?:min|max)(?:In|Ex)clusive$/.test(name))
    .map(([, value]) => value.trim())
  const beyond = bounds.flatMap((bound) => ['0001', '9998'].map((year) => bound.replace(/^\d{4}/, year)))
  const days = bounds.flatMap((bound) => ['00:00:00', '23:59:59'].map((time) => bound.replace(/^\d\d:\d\d:\d\d/, time)))
  const durations = type.builtin.endsWith('uration') ? ['PT0S', 'P1000Y', 'P1Y', 'P1M'] : []
  return [usual, usual.replace(/Z$/, ''), ...bounds, ...beyond, ...days, ...durations]
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

/** Stand for values that every message has once, or that name one of these, until the whole example is there. */
const marks: Readonly<Record<string, string>> = { ID: '\0ID', IDREF: '\0IDREF' }

/** Each value of xs:ID is another one. */
export function withIdentities(example: JsonSchema): JsonSchema {
  let count = 0
  const fill = (value: Json): Json => {
    if (value === marks['ID']) return `id-${++count}`
    if (value === marks['IDREF']) return 'id-1'
    if (Array.isArray(value)) return value.map(fill)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each)]))
  }
  return fill(example) as JsonSchema
}
