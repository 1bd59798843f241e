/**
 * Undoes the Content-Transfer-Encoding of a part (RFC 2045). What the encoding does not allow is an error.
 */
import type { Steps } from '../../steps.ts'
import { XmlError } from '../json/xml-error.ts'

type Decoder = (body: Buffer) => Steps<Buffer>

const decoders: ReadonlyMap<string, Decoder> = new Map([
  ['', keep],
  ['7bit', keep],
  ['8bit', keep],
  ['binary', keep],
  ['base64', decodeBase64],
  ['quoted-printable', decodeQuotedPrintable],
])

/** Bytes that are decoded in one step. */
const stepBytes = 512 * 1024
const equalsSign = 0x3d

export function isKnownTransfer(encoding = ''): boolean {
  return decoders.has(encoding.toLowerCase())
}

export function* decodeTransferInSteps(body: Buffer, encoding = '', part = 'the root part'): Steps<Buffer> {
  const decode = decoders.get(encoding.toLowerCase())
  if (decode === undefined) throw new XmlError(`${part} has an unknown Content-Transfer-Encoding`)
  const decoded = yield* decode(body)
  if (decoded === broken) throw new XmlError(`${part} is not valid ${encoding.toLowerCase()}`)
  return decoded
}

const broken = Buffer.alloc(0)

// oxlint-disable-next-line require-yield -- there is nothing to do
function* keep(body: Buffer): Steps<Buffer> {
  return body
}

/** Groups of four, the last one filled up with equals signs; lines and white space anywhere between. */
function* decodeBase64(body: Buffer): Steps<Buffer> {
  const decoded = Buffer.allocUnsafe(Math.ceil(body.length / 4) * 3)
  let length = 0
  let rest = ''
  let isEnded = false
  for (let at = 0; at < body.length; at += stepBytes) {
    if (at > 0) yield
    const text = rest + body.toString('latin1', at, at + stepBytes).replaceAll(/[\r\n\t ]+/g, '')
    const whole = text.slice(0, text.length - (text.length % 4))
    rest = text.slice(whole.length)
    if (isEnded && text !== '') return broken
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(whole)) return broken
    isEnded = whole.endsWith('=')
    length += decoded.write(whole, length, 'base64')
  }
  return rest === '' ? decoded.subarray(0, length) : broken
}

/** `=C3` is a byte, `=` at the end of a line joins it to the next one; everything else stands for itself. */
function* decodeQuotedPrintable(body: Buffer): Steps<Buffer> {
  const decoded = Buffer.allocUnsafe(body.length)
  let length = 0
  let at = 0
  let pause = stepBytes
  while (at < body.length) {
    if (at > pause) {
      yield
      pause = at + stepBytes
    }
    const byte = body[at] ?? 0
    if (byte !== equalsSign) {
      decoded[length++] = byte
      at++
      continue
    }
    const escaped = toDigit(body[at + 1]) * 16 + toDigit(body[at + 2])
    const next = Number.isNaN(escaped) ? endOfBlankLine(body, at + 1) : at + 3
    if (next === undefined) return broken
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
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++
  if (bytes[at] === 0x0d) at++
  if (at === bytes.length) return at
  return bytes[at] === 0x0a ? at + 1 : undefined
}
