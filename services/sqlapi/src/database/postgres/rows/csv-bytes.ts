/**
 * One column's text as PostgreSQL prints it -> a cell of CSV, byte by byte from the frame into the result. Room for the
 * value as it is and for quotes was reserved with its row; code that needs more reserves it. How cells are written is
 * formats/csv.ts's.
 */
import type { ByteWriter } from './bytes.ts'

const quote = 0x22

/** For each byte: 1 where a cell that holds it is in quotes. */
const special = Uint8Array.from({ length: 256 }, (_, byte) => (',"\r\n'.includes(String.fromCharCode(byte)) ? 1 : 0))

/** Any text. */
export function writeCell(source: Buffer, from: number, end: number, out: ByteWriter): void {
  const { bytes } = out
  let { at } = out
  for (let i = from; i < end; i++) {
    const byte = source[i] as number
    if (special[byte] !== 0) {
      writeQuotedCell(source, from, end, out)
      return
    }
    bytes[at++] = byte
  }
  out.at = at
  // Nothing would be a null.
  if (from === end) writeQuotedCell(source, from, end, out)
}

function writeQuotedCell(source: Buffer, from: number, end: number, out: ByteWriter): void {
  out.reserve(2 * (end - from) + 2)
  const { bytes } = out
  let { at } = out
  bytes[at++] = quote
  for (let i = from; i < end; i++) {
    const byte = source[i] as number
    if (byte === quote) bytes[at++] = quote
    bytes[at++] = byte
  }
  bytes[at++] = quote
  out.at = at
}

type Write = (source: Buffer, from: number, end: number, out: ByteWriter) => void

/** For what is written as a JSON string without escapes, and holds nothing special: the same without its quotes. */
export function withoutQuotes(write: Write): Write {
  return (source, from, end, out) => {
    const before = out.length
    write(source, from, end, out)
    // The slab may be another one now.
    const start = out.at - (out.length - before)
    out.bytes.copyWithin(start, start + 1, out.at - 1)
    out.at -= 2
  }
}
