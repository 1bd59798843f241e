/** Messages to the server, as bytes (PostgreSQL manual, "Message Formats"). */
import type { ByteWriter } from '../rows/bytes.ts'

const type = {
  parse: 0x50, // P
  bind: 0x42, // B
  describe: 0x44, // D
  execute: 0x45, // E
  close: 0x43, // C
  sync: 0x53, // S
  query: 0x51, // Q
  copyFail: 0x66, // f
  terminate: 0x58, // X
} as const

const statementLetter = 0x53 // S
const portalLetter = 0x50 // P

/** `types` are object identifiers, 0 for one that the server is to find. */
export function writeParse(out: ByteWriter, name: string, text: string, types: readonly number[]): void {
  const start = begin(out, type.parse)
  writeName(out, name)
  writeName(out, text)
  out.int16(types.length)
  for (const oid of types) out.uint32(oid)
  end(out, start)
}

/** All columns of a result as text. */
const asTexts: Buffer = Buffer.alloc(2)

/** Format codes for the columns of a result: the number of columns, then 1 for each in binary form and 0 for a text. */
export function toFormats(isBinary: readonly boolean[]): Buffer {
  const formats = Buffer.alloc(2 + 2 * isBinary.length)
  formats.writeUInt16BE(isBinary.length)
  for (const [index, binary] of isBinary.entries()) formats.writeUInt16BE(binary ? 1 : 0, 2 + 2 * index)
  return formats
}

/** Binds to the unnamed portal; values as text, results in these formats. */
export function writeBind(out: ByteWriter, name: string, values: readonly (string | null)[], formats = asTexts): void {
  const start = begin(out, type.bind)
  out.byte(0)
  writeName(out, name)
  out.int16(0)
  out.int16(values.length)
  for (const value of values) {
    if (value === null) out.int32(-1)
    else writeSized(out, value)
  }
  out.copy(formats)
  end(out, start)
}

export function writeDescribe(out: ByteWriter, name: string): void {
  writeNamed(out, type.describe, statementLetter, name)
}

/** Describes the unnamed portal: columns without parameters. */
export function writeDescribePortal(out: ByteWriter): void {
  writeNamed(out, type.describe, portalLetter, '')
}

export function writeClose(out: ByteWriter, name: string): void {
  writeNamed(out, type.close, statementLetter, name)
}

/** Executes the unnamed portal to its end. */
export function writeExecute(out: ByteWriter): void {
  const start = begin(out, type.execute)
  out.byte(0)
  out.int32(0)
  end(out, start)
}

export function writeSync(out: ByteWriter): void {
  end(out, begin(out, type.sync))
}

export function writeQuery(out: ByteWriter, text: string): void {
  const start = begin(out, type.query)
  writeName(out, text)
  end(out, start)
}

export function writeCopyFail(out: ByteWriter, reason: string): void {
  const start = begin(out, type.copyFail)
  writeName(out, reason)
  end(out, start)
}

export function writeTerminate(out: ByteWriter): void {
  end(out, begin(out, type.terminate))
}

/** Leaves room for the length; gives where the message began, counted in what is not taken yet. */
function begin(out: ByteWriter, letter: number): number {
  out.reserve(5)
  out.bytes[out.at] = letter
  out.at += 5
  return out.length - 4
}

function end(out: ByteWriter, start: number): void {
  const size = out.length - start
  out.bytes.writeUInt32BE(size, out.at - size)
}

function writeNamed(out: ByteWriter, letter: number, kind: number, name: string): void {
  const start = begin(out, letter)
  out.byte(kind)
  writeName(out, name)
  end(out, start)
}

function writeName(out: ByteWriter, text: string): void {
  out.text(text)
  out.byte(0)
}

function writeSized(out: ByteWriter, text: string): void {
  out.int32(0)
  const size = out.text(text)
  out.bytes.writeInt32BE(size, out.at - size - 4)
}
