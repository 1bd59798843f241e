/**
 * Parameter values -> the text that PostgreSQL reads. Two views of one value: its code (what kind it is, from the value
 * alone, so that equal kinds share a prepared statement) and its text for the type that the parameter has. Pure.
 */
import type { JsonNumber, JsonText, JsonValue, ValueTypeName } from '../../../model.ts'
import { readElements } from '../../../json/read.ts'
import { requireInt64 } from '../../int64.ts'
import { type ArrayElements, toArrayText } from './arrays.ts'
import { integerTypes, oid } from './types.ts'

/**
 * One letter per kind of value, so that the kinds of a whole set are one short string. `e` is an array without a kind
 * (empty or all null), `m` one with several kinds or nested, `o` an object. `l` and `L` are an integer and integers
 * that do not fit int4; `bind` gives `i` and `I` for all, and plan.ts widens them where that counts. `z` and `Z` are
 * texts that are declared as timestamps and have a time zone.
 */
export type Code = 'n' | 'b' | 'i' | 'l' | 'f' | 't' | 'z' | 'B' | 'I' | 'L' | 'F' | 'T' | 'Z' | 'e' | 'm' | 'M' | 'o'

const open = oid.unspecified

/**
 * The types that a parameter may be prepared with, by the kind of its value (manual, "When a type does not fit"): the
 * declared one, then what else is tried. What is left open could become text or another number, so a number is tried as
 * what it is in SQL before: int4 or numeric.
 */
export const candidateTypes: Readonly<Record<Code, readonly number[]>> = {
  n: [open, oid.text],
  b: [oid.bool, open],
  i: [oid.int8, oid.int4, open],
  l: [oid.int8, open],
  f: [oid.float8, oid.numeric, open],
  t: [oid.text, open],
  z: [oid.text, open],
  B: [oid.boolArray, open],
  I: [oid.int8Array, oid.int4Array, open],
  L: [oid.int8Array, open],
  F: [oid.float8Array, oid.numericArray, open],
  T: [oid.textArray, open],
  Z: [oid.textArray, open],
  e: [oid.jsonb, open],
  m: [oid.jsonb, open],
  M: [oid.jsonb, open],
  o: [oid.jsonb, open],
}

/** The same for a parameter that is alone in `ARRAY[..]` and is a list: always an array of its elements. */
export const candidateElementTypes: Readonly<Record<Code, readonly number[]>> = {
  ...candidateTypes,
  e: [oid.textArray, open],
  m: [oid.jsonbArray, open],
  M: [oid.jsonbArray, open],
}

export const isList = (code: Code): boolean => 'BILFTZemM'.includes(code)

/** An array that has no element type of its own. */
export const isKindless = (code: Code): boolean => 'emM'.includes(code)

/** A value with its code; the elements of an array are read once and kept. */
export interface Bound {
  readonly code: Code
  readonly value: JsonValue
  readonly elements: readonly JsonValue[] | undefined
}

/** The type matters that the parameter is declared with, if any. */
export function bind(name: string, value: JsonValue, type?: ValueTypeName): Bound {
  if (value === null) return { code: 'n', value, elements: undefined }
  if (typeof value === 'string') {
    return { code: type === 'timestamp' && hasTimeZone(value) ? 'z' : 't', value, elements: undefined }
  }
  if (typeof value === 'boolean') return { code: 'b', value, elements: undefined }
  if ('digits' in value) {
    if (value.kind === 'integer') requireInt64(name, value.digits)
    return { code: value.kind === 'integer' ? 'i' : 'f', value, elements: undefined }
  }
  if (value.kind !== 'array') return { code: 'o', value, elements: undefined }
  const elements = readElements(value.text)
  let code = listCode(elements)
  if (code === 'T' && type === 'timestamp' && elements.some(hasTimeZone)) code = 'Z'
  if (code === 'I')
    for (const element of elements) if (element !== null) requireInt64(name, (element as JsonNumber).digits)
  return { code, value, elements }
}

/** Of a timestamp. Before the time there are signs in its date. */
function hasTimeZone(value: JsonValue): boolean {
  return typeof value === 'string' && /[Z+-]/.test(value.slice('2026-01-31T'.length))
}

const int4 = { least: -2_147_483_648, most: 2_147_483_647 }

/** Whether an integer, or every element of a list of integers, fits int4. */
export function fitsInt4({ value, elements }: Bound): boolean {
  if (elements !== undefined) return elements.every((element) => element === null || isInt4(element))
  return isInt4(value)
}

/** A 64-bit integer that a double rounds is far outside of int4 and stays there. */
function isInt4(value: JsonValue): boolean {
  const number = Number((value as JsonNumber).digits)
  return number >= int4.least && number <= int4.most
}

/** Throws where `bind` would; a list is only taken apart when it could hold too large a number. */
export function requireRange(name: string, value: JsonValue): void {
  if (typeof value !== 'object' || value === null) return
  if ('digits' in value ? value.kind === 'integer' : value.kind === 'array' && /\d{19}/.test(value.text))
    bind(name, value)
}

/** How an array, or a domain made of one, takes its elements: as JSON, or as texts and arrays of them. */
export type ElementForm = 'json' | 'text'

/** The bound value's text for a parameter of the given type, whose elements have this form where it is an array. */
export function encode({ value, elements }: Bound, type: number, form: ElementForm | undefined): string | null {
  if (elements === undefined || form === undefined) return scalarText(value, type)
  return toArrayText(elements.map(form === 'json' ? elementAsJson : elementAsText))
}

function scalarText(value: JsonValue, type: number): string | null {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if ('text' in value) return value.text
  return value.kind === 'float' ? floatText(value, type) : value.digits
}

/** A double in the digits that the client sent; `1e3` for an integer column is `1000`, an underflow is a zero. */
function floatText({ digits }: JsonNumber, type: number): string {
  const number = Number(digits)
  if (integerTypes.has(type) && Number.isSafeInteger(number)) return number.toString()
  if (number !== 0) return digits
  return Object.is(number, -0) ? '-0' : '0'
}

function elementAsText(element: JsonValue): string | null | ArrayElements {
  if (isArray(element)) return readElements(element.text).map(elementAsText)
  return scalarText(element, oid.unspecified)
}

function elementAsJson(element: JsonValue): string | null {
  if (element === null) return null
  return typeof element === 'string' ? JSON.stringify(element) : scalarText(element, oid.unspecified)
}

function isArray(value: JsonValue): value is JsonText {
  return typeof value === 'object' && value?.kind === 'array'
}

function listCode(elements: readonly JsonValue[]): Code {
  let code: Code = 'e'
  for (const element of elements) {
    if (element === null) continue
    const own = elementCode(element)
    if (own === 'M') return 'M'
    if (code === 'e' || code === own) code = own
    else if ((code === 'I' && own === 'F') || (code === 'F' && own === 'I')) code = 'F'
    else return elements.some((other) => elementCode(other) === 'M') ? 'M' : 'm'
  }
  return code
}

function elementCode(element: JsonValue): Code {
  if (typeof element === 'string') return 'T'
  if (typeof element === 'boolean') return 'B'
  if (element === null) return 'e'
  if (element.kind === 'integer') return 'I'
  return element.kind === 'float' ? 'F' : 'M'
}
