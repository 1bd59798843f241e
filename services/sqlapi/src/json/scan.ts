/**
 * The grammar of JSON, strictly as RFC 8259 has it, in one pass over a string. Builds nothing: every function takes the
 * text and the place where its piece starts, and gives the place after it, or throws. `room` is how many levels of
 * brackets may still open. Callers who want the pieces pass what to do at an element or a member (read.ts does).
 *
 * Stricter than `JSON.parse` in three ways: the depth, numbers that no double can hold, and halves of surrogate pairs,
 * which no database can store as text.
 */
import { Failure } from '../errors.ts'
import { hintAt } from './hint.ts'

/** What to do at an element of an array: gives the place after it. */
export type SkipElement = (text: string, at: number, room: number) => number

/** What to do at a member of an object: gives the place after its value. */
export type SkipMember = (text: string, key: number, keyEnd: number, value: number, room: number) => number

export const char = {
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  e: 0x65,
  f: 0x66,
  n: 0x6e,
  t: 0x74,
  u: 0x75,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const

export function skipValue(text: string, at: number, room: number): number {
  switch (text.charCodeAt(at)) {
    case char.quote:
      return skipString(text, at)
    case char.openBrace:
      return skipObject(text, at, room, skipValueOfMember)
    case char.openBracket:
      return skipArray(text, at, room, skipValue)
    case char.t:
      return skipWord(text, at, 'true')
    case char.f:
      return skipWord(text, at, 'false')
    case char.n:
      return skipWord(text, at, 'null')
    default:
      return skipNumber(text, at)
  }
}

export function skipObject(text: string, at: number, room: number, skipMember: SkipMember): number {
  if (room === 0) throw malformed('nested too deeply', at)
  let next = skipBlank(text, at + 1)
  if (text.charCodeAt(next) === char.closeBrace) return next + 1
  for (;;) {
    const keyEnd = skipString(text, next)
    const colon = skipBlank(text, keyEnd)
    if (text.charCodeAt(colon) !== char.colon) throw unexpected(text, colon)
    next = skipBlank(text, skipMember(text, next, keyEnd, skipBlank(text, colon + 1), room - 1))
    if (text.charCodeAt(next) === char.closeBrace) return next + 1
    if (text.charCodeAt(next) !== char.comma) throw unexpected(text, next)
    next = skipBlank(text, next + 1)
  }
}

function skipValueOfMember(text: string, _key: number, _keyEnd: number, value: number, room: number): number {
  return skipValue(text, value, room)
}

export function skipArray(text: string, at: number, room: number, skipElement: SkipElement): number {
  if (room === 0) throw malformed('nested too deeply', at)
  let next = skipBlank(text, at + 1)
  if (text.charCodeAt(next) === char.closeBracket) return next + 1
  for (;;) {
    next = skipBlank(text, skipElement(text, next, room - 1))
    if (text.charCodeAt(next) === char.closeBracket) return next + 1
    if (text.charCodeAt(next) !== char.comma) throw unexpected(text, next)
    next = skipBlank(text, next + 1)
  }
}

function skipString(text: string, at: number): number {
  if (text.charCodeAt(at) !== char.quote) throw unexpected(text, at)
  let next = at + 1
  for (;;) {
    const code = text.charCodeAt(next)
    if (code === char.quote) return next + 1
    if (code === char.backslash) next = skipEscape(text, next)
    else if (code >= 0x20) next++
    else throw unexpected(text, next)
  }
}

function skipEscape(text: string, at: number): number {
  if (text.charCodeAt(at + 1) !== char.u) {
    if (isShortEscape(text.charCodeAt(at + 1))) return at + 2
    throw unexpected(text, at + 1)
  }
  const unit = readUnit(text, at + 2)
  if (unit < 0xd800 || unit > 0xdfff) return at + 6
  if (unit < 0xdc00 && text.startsWith('\\u', at + 6)) {
    const low = readUnit(text, at + 8)
    if (low >= 0xdc00 && low <= 0xdfff) return at + 12
  }
  throw malformed('half of a surrogate pair', at)
}

const shortEscapes = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)))

function isShortEscape(code: number): boolean {
  return shortEscapes.has(code)
}

/** The code unit that four hexadecimal digits stand for. */
function readUnit(text: string, at: number): number {
  let unit = 0
  for (let next = at; next < at + 4; next++) {
    const digit = toHexDigit(text.charCodeAt(next))
    if (digit < 0) throw unexpected(text, next)
    unit = unit * 16 + digit
  }
  return unit
}

function toHexDigit(code: number): number {
  if (isDigit(code)) return code - char.zero
  const digit = toLower(code) - 0x57
  return digit >= 10 && digit <= 15 ? digit : -1
}

function skipWord(text: string, at: number, word: string): number {
  if (text.startsWith(word, at)) return at + word.length
  let wrong = at
  while (text[wrong] === word[wrong - at]) wrong++
  throw unexpected(text, wrong)
}

function skipNumber(text: string, at: number): number {
  const first = text.charCodeAt(at) === char.minus ? at + 1 : at
  const wholeEnd = text.charCodeAt(first) === char.zero ? first + 1 : skipDigits(text, first)
  const partEnd = text.charCodeAt(wholeEnd) === char.dot ? skipDigits(text, wholeEnd + 1) : wholeEnd
  const end = toLower(text.charCodeAt(partEnd)) === char.e ? skipExponent(text, partEnd) : partEnd
  // Without an exponent it takes more than 300 digits to leave the range, and digits alone are an integer of any size.
  const maybeTooLarge = end > partEnd || (end > wholeEnd && end - at > 300)
  if (maybeTooLarge && !Number.isFinite(Number(text.slice(at, end)))) throw malformed('a number out of range', at)
  return end
}

function skipExponent(text: string, at: number): number {
  const sign = text.charCodeAt(at + 1)
  return skipDigits(text, sign === char.plus || sign === char.minus ? at + 2 : at + 1)
}

function skipDigits(text: string, at: number): number {
  let next = at
  while (isDigit(text.charCodeAt(next))) next++
  if (next === at) throw unexpected(text, at)
  return next
}

export function isDigit(code: number): boolean {
  return code >= char.zero && code <= char.nine
}

/** Upper and lower case of an ASCII letter differ in one bit. */
function toLower(code: number): number {
  return code | 0x20
}

export function skipBlank(text: string, at: number): number {
  let next = at
  while (isBlank(text.charCodeAt(next))) next++
  return next
}

function isBlank(code: number): boolean {
  return code <= 0x20 && (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09)
}

export function unexpected(text: string, at: number): Failure {
  const point = text.codePointAt(at)
  if (point === undefined) return malformed('unexpected end', at)
  const isPrintable = point > 0x20 && point < 0x7f
  const hex = point.toString(16).toUpperCase().padStart(4, '0')
  return malformed(`unexpected ${isPrintable ? `'${String.fromCodePoint(point)}'` : `U+${hex}`}`, at, {
    cause: { hint: hintAt(text, at) },
  })
}

function malformed(what: string, at: number, options?: ErrorOptions): Failure {
  return new Failure('body_malformed', `Request body is not valid JSON: ${what} at character ${at + 1}`, options)
}
