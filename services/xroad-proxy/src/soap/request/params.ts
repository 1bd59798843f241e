/**
 * A request body -> the values that a template may use: the allow-listed keys of a JSON object. A body that is not a
 * JSON object in UTF-8 counts as one without keys; nothing here throws.
 *
 * A number stays what the caller wrote. It is a JavaScript number where that prints the same digits, else the digits
 * themselves as text: a registry code of twenty digits must not come out rounded.
 */
import type { TemplateObject, TemplateValue, TemplateValues } from '../../model.ts'

/** Levels of brackets inside a parameter. */
export const maxDepth = 128

export type JsonObject = Readonly<Record<string, unknown>>

export function readParams(body: Uint8Array, allowed: readonly string[]): TemplateValues {
  if (body.length === 0 || allowed.length === 0) return emptyObject()
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const document = /^\s*\{/.test(text) ? parse(text) : undefined
    return isObject(document) ? pick(document, allowed) : emptyObject()
  } catch {
    return emptyObject()
  }
}

/** The whole object of a body, an empty one of an empty body; for any other body what is wrong with it, in words. */
export function readDocument(body: Uint8Array): JsonObject | string {
  if (body.length === 0) return {}
  let text = ''
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    if (text.trim() === '') return {}
    const document = parse(text)
    return isObject(document) ? document : `found ${nameOf(document)}, expected a JSON object`
  } catch (error) {
    if (error instanceof SyntaxError) return `${foundIn(text, error)}, expected a JSON object; ${syntax}`
    return 'found bytes that are no UTF-8, expected a JSON object in UTF-8'
  }
}

/** The allow-listed values of a document; undefined for one that is nested deeper than templates can take. */
export function pickParams(document: JsonObject, allowed: readonly string[]): TemplateValues | undefined {
  try {
    return pick(document, allowed)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function nameOf(document: unknown): string {
  if (document === null) return 'null'
  return Array.isArray(document) ? 'a list' : `a ${typeof document}`
}

const syntax = 'its names and texts have double quotes, and no comma follows the last'

/** The parser's own words hold a part of the body. */
function foundIn(text: string, { message }: SyntaxError): string {
  if (/^\s*</.test(text)) return 'found XML'
  if (/^[\w.~%+-]{1,100}=/.test(text)) return 'found a form (name=value)'
  const [, place] = /\((line \d+ column \d+)\)$/.exec(message) ?? []
  return place === undefined ? 'found no JSON' : `found no JSON from ${place} on`
}

/** One value of JSON, in the same way. Throws for what is not one. */
export function readJsonValue(text: string): TemplateValue {
  // Digits are found only after a character.
  return copy(parse(` ${text}`), maxDepth)
}

/** Matches numbers that JavaScript may print differently; a text that only looks like one costs time, nothing else. */
const losesDigits = /(?<=[[:,\s]-?)(?:[\d.]{16}|\d+(?:\.\d+)?[eE]|\d+\.\d*0(?!\d)|0\.000000)|(?<=[[:,\s])-0(?![\d.])/

function parse(text: string): unknown {
  const document: unknown = JSON.parse(text)
  return losesDigits.test(text) ? JSON.parse(quoteNumbers(text)) : document
}

/** Valid JSON -> the same with quotes around the numbers that would lose digits. Far faster than a reviver. */
function quoteNumbers(text: string): string {
  const start = /["\d-]/g
  const number = /[-+.\deE]+/y
  let quoted = ''
  let done = 0
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    if (found[0] === '"') {
      start.lastIndex = skipString(text, found.index)
      continue
    }
    number.lastIndex = found.index
    const digits = number.exec(text)?.[0] ?? ''
    start.lastIndex = found.index + digits.length
    if (String(Number(digits)) === digits) continue
    quoted += `${text.slice(done, found.index)}"${digits}"`
    done = start.lastIndex
  }
  return quoted + text.slice(done)
}

function skipString(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1)
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote + 1
}

/** By an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text[before - 1] === '\\') before--
  return (at - before) % 2 === 1
}

function isObject(document: unknown): document is JsonObject {
  return typeof document === 'object' && document !== null && !Array.isArray(document)
}

function pick(document: JsonObject, allowed: readonly string[]): TemplateValues {
  const params = emptyObject()
  for (const key of allowed) {
    if (Object.hasOwn(document, key)) params[key] = copy(document[key], maxDepth)
  }
  return params
}

/** The same value with objects that have no prototype. */
function copy(value: unknown, room: number): TemplateValue {
  if (typeof value !== 'object' || value === null) return value as TemplateValue
  if (room === 0) throw new RangeError('nested too deeply')
  if (Array.isArray(value)) return value.map((element) => copy(element, room - 1))
  const object = emptyObject()
  for (const key of Object.keys(value)) object[key] = copy((value as JsonObject)[key], room - 1)
  return object
}

function emptyObject(): Record<string, TemplateObject[string]> {
  return Object.create(null) as Record<string, TemplateValue>
}
