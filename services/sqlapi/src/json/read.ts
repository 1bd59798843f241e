/**
 * JSON text -> parameter values. Numbers keep their digits; an array or object inside a parameter set is checked to its
 * end and kept as source text, because most databases want it as text anyway.
 *
 * Owns no grammar (scan.ts does) and does not judge what the values are for (serve/params/ does).
 */
import { isUtf8 } from 'node:buffer'
import { Failure } from '../errors.ts'
import { char, isDigit, skipArray, skipBlank, skipObject, skipValue, unexpected } from './scan.ts'
import type { JsonNumber, JsonValue } from '../model.ts'

/** A whole text: an object becomes a map, anything else is what it would be inside one. */
export type JsonDocument = Map<string, JsonValue> | JsonValue

const defaultMaxDepth = 128

/** Reads a request body. The outermost brackets are the first level of `maxDepth`. */
export function readJson(body: Buffer, maxDepth = defaultMaxDepth): JsonDocument {
  return readJsonText(toText(body), maxDepth)
}

export function readJsonText(text: string, maxDepth = defaultMaxDepth): JsonDocument {
  const read: JsonDocument[] = []
  const end = skipBlank(text, readDocument(text, skipBlank(text, 0), maxDepth, read))
  if (end < text.length) throw unexpected(text, end)
  return read[0] as JsonDocument
}

/** Reads the source of an object that `readJson` has let pass. */
export function readObject(text: string): Map<string, JsonValue> {
  const members = new Map<string, JsonValue>()
  readMembers(text, 0, defaultMaxDepth, members)
  return members
}

/** Reads the source of an array that `readJson` has let pass. */
export function readElements(text: string): JsonValue[] {
  const elements: JsonValue[] = []
  skipArray(text, 0, defaultMaxDepth, (_, at, room) => {
    const end = skipValue(text, at, room)
    elements.push(toValue(text, at, end))
    return end
  })
  return elements
}

/** Like `readElements`, but objects are read as well: one pass over a batch instead of two. */
export function readDocuments(text: string): JsonDocument[] {
  const documents: JsonDocument[] = []
  skipArray(text, 0, defaultMaxDepth, (_, at, room) => readDocument(text, at, room, documents))
  return documents
}

/** The same JSON without white space and with the last value of a repeated key, at the first's place. */
export function compact(text: string): string {
  const output = { text: '' }
  compactValue(text, 0, defaultMaxDepth, output)
  return output.text
}

/** Throws for a body that is not UTF-8. */
export function toText(body: Buffer): string {
  const text = body.toString()
  if (text.includes('\ufffd') && !isUtf8(body)) throw notUtf8(body, text)
  return text
}

/** Names the first byte that did not survive decoding. */
function notUtf8(body: Buffer, text: string): Failure {
  const survived = Buffer.from(text)
  let at = 0
  while (at < body.length && body[at] === survived[at]) at++
  return new Failure('body_malformed', `Request body is not valid UTF-8 at byte ${at + 1}`)
}

function readDocument(text: string, at: number, room: number, into: JsonDocument[]): number {
  if (text.charCodeAt(at) === char.openBrace) {
    const members = new Map<string, JsonValue>()
    into.push(members)
    return readMembers(text, at, room, members)
  }
  const end = skipValue(text, at, room)
  into.push(toValue(text, at, end))
  return end
}

function readMembers(text: string, at: number, room: number, into: Map<string, JsonValue>): number {
  return skipObject(text, at, room, (_, key, keyEnd, value, inner) => {
    const end = skipValue(text, value, inner)
    into.set(toString(text, key, keyEnd), toValue(text, value, end))
    return end
  })
}

/** The value of a piece that has been skipped, so that its first character tells its kind. */
function toValue(text: string, at: number, end: number): JsonValue {
  switch (text.charCodeAt(at)) {
    case char.quote:
      return toString(text, at, end)
    case char.openBrace:
      return { kind: 'object', text: text.slice(at, end) }
    case char.openBracket:
      return { kind: 'array', text: text.slice(at, end) }
    case char.t:
      return true
    case char.f:
      return false
    case char.n:
      return null
    default:
      return toNumber(text, at, end)
  }
}

function toString(text: string, at: number, end: number): string {
  const inside = text.slice(at + 1, end - 1)
  return inside.includes('\\') ? (JSON.parse(text.slice(at, end)) as string) : inside
}

function toNumber(text: string, at: number, end: number): JsonNumber {
  let next = text.charCodeAt(at) === char.minus ? at + 1 : at
  while (next < end && isDigit(text.charCodeAt(next))) next++
  return { kind: next < end ? 'float' : 'integer', digits: text.slice(at, end) }
}

/** Text that grows by `+=`, which copies nothing until the end, however deep it is nested. */
interface Output {
  text: string
}

function compactValue(text: string, at: number, room: number, output: Output): number {
  const first = text.charCodeAt(at)
  if (first === char.openBrace) return compactObject(text, at, room, output)
  if (first === char.openBracket) return compactArray(text, at, room, output)
  const end = skipValue(text, at, room)
  output.text += text.slice(at, end)
  return end
}

function compactArray(text: string, at: number, room: number, output: Output): number {
  let separator = ''
  output.text += '['
  const end = skipArray(text, at, room, (_, element, inner) => {
    output.text += separator
    separator = ','
    return compactValue(text, element, inner, output)
  })
  output.text += ']'
  return end
}

function compactObject(text: string, at: number, room: number, output: Output): number {
  const members = new Map<string, Output>()
  const end = skipObject(text, at, room, (_, key, keyEnd, value, inner) => {
    const member = { text: `${text.slice(key, keyEnd)}:` }
    members.set(toString(text, key, keyEnd), member)
    return compactValue(text, value, inner, member)
  })
  let separator = '{'
  for (const member of members.values()) {
    output.text += separator + member.text
    separator = ','
  }
  output.text += members.size === 0 ? '{}' : '}'
  return end
}
