/**
 * One column's text as PostgreSQL prints it -> JSON, byte by byte from the frame into the result. Room for the value as
 * it is and for quotes was reserved with its row; code that needs more, because of escapes, reserves it.
 */
import { quote } from '../../../json/quote.ts'
import type { ByteWriter } from './bytes.ts'
import { toMoment } from './moments.ts'

/**
 * A text longer than this is left to the engine, which is quicker per byte and slower per call; so is a mere copy.
 * Measured.
 */
const longText = 256
const longCopy = 48

export const openingBracket = 0x5b
export const closingBracket = 0x5d
export const comma = 0x2c
const doubleQuote = 0x22
const backslash = 0x5c
const space = 0x20
const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * For each byte: 0 as it is, 1 as `\u00..`, else the letter behind the backslash. Bytes of longer characters are as
 * they are.
 */
const escapes = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 0x20 ? 1 : 0))
for (const [byte, letter] of [
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [doubleQuote, '"'],
  [backslash, '\\'],
] as const) {
  escapes[byte] = letter.charCodeAt(0)
}

const hexDigits = Buffer.from('0123456789abcdef')

/** Bytes as they are, without quotes. */
export function writeVerbatim(source: Buffer, from: number, end: number, out: ByteWriter): void {
  const { bytes } = out
  let { at } = out
  if (end - from > longCopy) at += source.copy(bytes, at, from, end)
  else for (let i = from; i < end; i++) bytes[at++] = source[i] as number
  out.at = at
}

/** JSON as it is, but with no line break in it: there they are white space only. */
export function writeOneLine(source: Buffer, from: number, end: number, out: ByteWriter): void {
  const { bytes, at: start } = out
  writeVerbatim(source, from, end, out)
  for (let at = start; at < out.at; at++) if (bytes[at] === lineFeed || bytes[at] === carriageReturn) bytes[at] = space
}

/** Bytes that hold nothing to escape (digits, dates, identifiers), in quotes. */
export function writeQuoted(source: Buffer, from: number, end: number, out: ByteWriter): void {
  const { bytes } = out
  let { at } = out
  bytes[at++] = doubleQuote
  for (let i = from; i < end; i++) bytes[at++] = source[i] as number
  bytes[at++] = doubleQuote
  out.at = at
}

/** Any text, as a JSON string. */
export function writeText(source: Buffer, from: number, end: number, out: ByteWriter): void {
  if (end - from > longText) {
    out.text(quote(source.toString('utf8', from, end)))
    return
  }
  const { bytes } = out
  let { at } = out
  bytes[at++] = doubleQuote
  for (let i = from; i < end; i++) {
    const byte = source[i] as number
    if (escapes[byte] !== 0) {
      out.at = at
      writeEscaped(source, i, end, out)
      return
    }
    bytes[at++] = byte
  }
  bytes[at++] = doubleQuote
  out.at = at
}

/** The rest of a text from its first byte that needs an escape, and the closing quote. */
function writeEscaped(source: Buffer, from: number, end: number, out: ByteWriter): void {
  out.reserve(6 * (end - from) + 1)
  const { bytes } = out
  let { at } = out
  for (let i = from; i < end; i++) {
    const byte = source[i] as number
    const escape = escapes[byte] as number
    if (escape === 0) {
      bytes[at++] = byte
      continue
    }
    bytes[at++] = backslash
    if (escape === 1) {
      at += bytes.write('u00', at, 'latin1')
      bytes[at++] = hexDigits[byte >> 4] as number
      bytes[at++] = hexDigits[byte & 15] as number
    } else {
      bytes[at++] = escape
    }
  }
  bytes[at++] = doubleQuote
  out.at = at
}

/** Where the space is behind the opening quote and `2026-01-01`. */
const gapOfUsualYear = 11
const letterT = 0x54
const letterZ = 0x5a
const plus = 0x2b
const minus = 0x2d
const colon = 0x3a

/**
 * `2026-01-01 10:20:30.5` -> `"2026-01-01T10:20:30.5"`. The infinities, the era (` BC`) and what another DateStyle of
 * the file makes of it stay as they are.
 */
export function writeTimestamp(source: Buffer, from: number, end: number, out: ByteWriter): void {
  const start = out.at
  writeQuoted(source, from, end, out)
  const { bytes, at } = out
  let gap = start + gapOfUsualYear
  if (gap >= at || bytes[gap] !== space) gap = start + bytes.subarray(start, at).indexOf(space)
  if (gap > start + 3 && bytes[gap - 3] === minus) bytes[gap] = letterT
}

/**
 * The same with `Z` for `+00`: the session speaks UTC, so that is what nearly every value ends in. A file may set
 * another zone; `+02` is `+02:00` then.
 */
export function writeTimestamptz(source: Buffer, from: number, end: number, out: ByteWriter): void {
  const era = endsWith(source, from, end, ' BC') ? 3 : 0
  const offset = end - era - 3
  if (endsWith(source, from, end - era, '+00')) {
    writeTimestamp(source, from, offset, out)
    const { bytes } = out
    bytes[out.at - 1] = letterZ
    if (era > 0) out.at += bytes.write(' BC', out.at, 'latin1')
    bytes[out.at++] = doubleQuote
  } else if (isOffset(source, from, offset)) {
    writeTimestamp(source, from, end - era, out)
    out.at--
    out.reserve(7)
    out.at += out.bytes.write(era > 0 ? ':00 BC"' : ':00"', out.at, 'latin1')
  } else if (isOffset(source, from, offset - 6) && source[offset] === colon) {
    out.text(quote(toMoment(source.toString('latin1', from, end))))
  } else {
    writeTimestamp(source, from, end, out)
  }
}

/** Whether a sign is there, right behind a digit of the time. */
function isOffset(source: Buffer, from: number, at: number): boolean {
  if (at <= from || (source[at] !== plus && source[at] !== minus)) return false
  const before = source[at - 1] as number
  return before >= 0x30 && before <= 0x39
}

function endsWith(source: Buffer, from: number, end: number, text: string): boolean {
  const start = end - text.length
  if (start < from) return false
  for (let i = 0; i < text.length; i++) if (source[start + i] !== text.charCodeAt(i)) return false
  return true
}
