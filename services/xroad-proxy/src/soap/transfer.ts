/**
 * Undoes the Content-Transfer-Encoding of a part (RFC 2045). What the encoding does not allow is an error.
 */
import { XmlError } from './translate.ts'

const decoders: ReadonlyMap<string, (body: Buffer) => Uint8Array> = new Map([
  ['', (body: Buffer) => body],
  ['7bit', (body: Buffer) => body],
  ['8bit', (body: Buffer) => body],
  ['binary', (body: Buffer) => body],
  ['base64', decodeBase64],
  ['quoted-printable', decodeQuotedPrintable],
])

const equalsSign = 0x3d

export function decodeTransfer(body: Buffer, encoding = ''): Uint8Array {
  const decode = decoders.get(encoding.toLowerCase())
  if (decode === undefined) throw new XmlError('the root part has an unknown Content-Transfer-Encoding')
  return decode(body)
}

function decodeBase64(body: Buffer): Uint8Array {
  const text = body.toString('latin1').replaceAll(/[\r\n\t ]+/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw new XmlError('the root part is not valid base64')
  return Buffer.from(text, 'base64')
}

/** `=C3` is a byte, `=` at the end of a line joins it to the next one; everything else stands for itself. */
function decodeQuotedPrintable(body: Buffer): Uint8Array {
  const decoded = Buffer.allocUnsafe(body.length)
  let length = 0
  let at = 0
  while (at < body.length) {
    const byte = body[at] ?? 0
    if (byte !== equalsSign) {
      decoded[length++] = byte
      at += 1
      continue
    }
    const escaped = toDigit(body[at + 1]) * 16 + toDigit(body[at + 2])
    const next = Number.isNaN(escaped) ? endOfBlankLine(body, at + 1) : at + 3
    if (next === undefined) throw new XmlError('the root part is not valid quoted-printable')
    if (!Number.isNaN(escaped)) decoded[length++] = escaped
    at = next
  }
  return decoded.subarray(0, length)
}

function toDigit(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  // Upper case becomes lower case.
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN
}

/** The place after the line, if nothing but white space is left on it. */
export function endOfBlankLine(bytes: Buffer, from: number): number | undefined {
  let at = from
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1
  if (bytes[at] === 0x0d) at += 1
  if (at === bytes.length) return at
  return bytes[at] === 0x0a ? at + 1 : undefined
}
