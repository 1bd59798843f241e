/**
 * One column's text as PostgreSQL prints it -> JSON, byte by byte from the frame into the answer. Room for the value as it
 * stands and for quotes was reserved with its row; whoever needs more, because of escapes, reserves it.
 */
import { quote } from '../../rows/json.ts'
import type { ByteWriter } from './bytes.ts'

/** A text longer than this is left to the engine, which is quicker per byte and slower per call; so is a mere copy. Measured. */
const longText = 256
const longCopy = 48

export const openingBracket = 0x5b
export const closingBracket = 0x5d
export const comma = 0x2c
const doubleQuote = 0x22
const backslash = 0x5c
const space = 0x20

/** For each byte: 0 as it is, 1 as `\u00..`, else the letter behind the backslash. Bytes of longer characters are as they are. */
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

const letterT = 0x54
const letterZ = 0x5a

/** `2026-01-01 10:20:30.5` -> `"2026-01-01T10:20:30.5"`; the infinities and the era (` BC`) stay as they are. */
export function writeTimestamp(source: Buffer, from: number, end: number, out: ByteWriter): void {
  const start = out.at
  writeQuoted(source, from, end, out)
  const gap = out.bytes.subarray(start, out.at).indexOf(space)
  if (gap !== -1) out.bytes[start + gap] = letterT
}

/**
 * The same with `Z` for `+00`: the session speaks UTC, so that is what nearly every value ends in; a file that sets another
 * zone keeps its offset.
 */
export function writeTimestamptz(source: Buffer, from: number, end: number, out: ByteWriter): void {
  const era = endsWith(source, from, end, ' BC') ? 3 : 0
  if (!endsWith(source, from, end - era, '+00')) {
    writeTimestamp(source, from, end, out)
    return
  }
  writeTimestamp(source, from, end - era - 3, out)
  const { bytes } = out
  bytes[out.at - 1] = letterZ
  if (era > 0) out.at += bytes.write(' BC', out.at, 'latin1')
  bytes[out.at++] = doubleQuote
}

function endsWith(source: Buffer, from: number, end: number, text: string): boolean {
  const start = end - text.length
  if (start < from) return false
  for (let i = 0; i < text.length; i++) if (source[start + i] !== text.charCodeAt(i)) return false
  return true
}
