/**
 * Bytes of an XML document in, its text out. The first of these that is there decides the charset: a byte-order mark,
 * the charset of the Content-Type, the shape of the first bytes, the XML declaration; else it is UTF-8. Bytes that the
 * charset does not have are an error, never U+FFFD: the name of a person must never be silently wrong.
 *
 * Decompresses nothing; recognizes compressed bytes only to report them.
 */
import { readMediaType } from '../mime/media-type.ts'
import { XmlError } from '../json/xml-error.ts'

type Charset =
  | 'utf-8'
  | 'iso-8859-1'
  | 'iso-8859-15'
  | 'windows-1252'
  | 'windows-1257'
  | 'utf-16le'
  | 'utf-16be'
  | 'utf-16'

interface Mark {
  readonly charset: Charset
  readonly bytes: readonly number[]
}

const byteOrderMarks: readonly Mark[] = [
  { charset: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { charset: 'utf-16le', bytes: [0xff, 0xfe] },
  { charset: 'utf-16be', bytes: [0xfe, 0xff] },
]

/** What `<` looks like in two bytes; no other charset has a zero byte in it. */
const wideStarts: readonly Mark[] = [
  { charset: 'utf-16le', bytes: [0x3c, 0x00] },
  { charset: 'utf-16be', bytes: [0x00, 0x3c] },
]

/** Names in lower case, those that servers are known to send. */
const charsets: ReadonlyMap<string, Charset> = new Map<string, Charset>([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['ascii', 'utf-8'],
  ['iso-8859-1', 'iso-8859-1'],
  ['iso8859-1', 'iso-8859-1'],
  ['iso_8859-1', 'iso-8859-1'],
  ['latin1', 'iso-8859-1'],
  ['iso-8859-15', 'iso-8859-15'],
  ['iso8859-15', 'iso-8859-15'],
  ['iso_8859-15', 'iso-8859-15'],
  ['latin-9', 'iso-8859-15'],
  ['latin9', 'iso-8859-15'],
  ['windows-1252', 'windows-1252'],
  ['cp1252', 'windows-1252'],
  ['windows-1257', 'windows-1257'],
  ['cp1257', 'windows-1257'],
  ['utf-16', 'utf-16'],
  ['utf16', 'utf-16'],
  ['utf-16le', 'utf-16le'],
  ['utf-16be', 'utf-16be'],
])

const compressions: readonly { readonly name: string; readonly starts: readonly (readonly number[])[] }[] = [
  { name: 'gzip', starts: [[0x1f, 0x8b]] },
  {
    name: 'deflate',
    starts: [
      [0x78, 0x01],
      [0x78, 0x5e],
      [0x78, 0x9c],
      [0x78, 0xda],
    ],
  },
  { name: 'zstd', starts: [[0x28, 0xb5, 0x2f, 0xfd]] },
]

const declaredEncoding = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]*)/
const maxDeclarationBytes = 1024
const maxNameLength = 40

export function decodeXml(body: Uint8Array, contentType: string | undefined): string {
  return [...decodeInPieces(body, contentType)].join('')
}

/** The same in pieces of whole characters, so that no step decodes all of a long response; a short one is one piece. */
export function decodeInPieces(body: Uint8Array, contentType: string | undefined): Iterable<string> {
  refuseCompressed(body)
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const mark = byteOrderMarks.find((candidate) => startsWith(bytes, candidate.bytes))
  if (mark !== undefined) return decode(bytes.subarray(mark.bytes.length), mark.charset)
  const wide = wideStarts.find((start) => startsWith(bytes, start.bytes))?.charset
  const announced = contentType === undefined ? '' : (readMediaType(contentType).parameters.get('charset') ?? '')
  if (announced !== '') return decode(bytes, resolveWidth(toCharset(announced), wide ?? 'utf-16be'))
  return decode(bytes, wide ?? readDeclaration(bytes))
}

/** Says that the response is compressed, which no `Accept-Encoding` of ours allowed. */
export function refuseCompressed(body: Uint8Array): void {
  const found = compressions.find(({ starts }) => starts.some((start) => startsWith(body, start)))
  if (found !== undefined) throw new XmlError(`the answer is compressed (${found.name})`)
}

function startsWith(body: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => body[index] === byte)
}

function readDeclaration(bytes: Buffer): Charset {
  const [, name = ''] = declaredEncoding.exec(bytes.toString('latin1', 0, maxDeclarationBytes)) ?? []
  const charset = name === '' ? 'utf-8' : toCharset(name)
  if (charset.startsWith('utf-16')) throw new XmlError('the declaration says UTF-16, the bytes are not')
  return charset
}

function toCharset(name: string): Charset {
  const charset = charsets.get(name.toLowerCase())
  if (charset !== undefined) return charset
  throw new XmlError(`the charset ${name.replaceAll(/[^\w.:+-]/g, '?').slice(0, maxNameLength)} is not supported`)
}

/** Without a mark, `utf-16` is big-endian unless the first bytes say otherwise. */
function resolveWidth(charset: Charset, wide: Charset): Charset {
  return charset === 'utf-16' ? wide : charset
}

function decode(bytes: Buffer, charset: Charset): Iterable<string> {
  switch (charset) {
    // Where browsers read windows-1252 under this name, 0x80 to 0x9F are control characters here.
    case 'iso-8859-1':
      return decodeLatin(bytes)
    case 'utf-16':
    case 'utf-16be':
      return decodeWide(bytes, (piece) => Buffer.from(piece).swap16())
    case 'utf-16le':
      return decodeWide(bytes, (piece) => piece)
    case 'utf-8':
    case 'iso-8859-15':
    case 'windows-1252':
    case 'windows-1257':
      return decodeNarrow(bytes, charset)
  }
}

const pieceBytes = 128 * 1024

function* decodeLatin(bytes: Buffer): Generator<string> {
  for (let at = 0; at === 0 || at < bytes.length; at += pieceBytes) yield bytes.toString('latin1', at, at + pieceBytes)
}

function* decodeWide(bytes: Buffer, toLittleEndian: (piece: Buffer) => Buffer): Generator<string> {
  const refuse = (): never => {
    throw new XmlError('the answer is not valid UTF-16')
  }
  if (bytes.length % 2 !== 0) refuse()
  let half = ''
  for (let at = 0; at === 0 || at < bytes.length; at += pieceBytes) {
    const text = half + toLittleEndian(bytes.subarray(at, at + pieceBytes)).toString('utf16le')
    // Half of a pair waits for the other half.
    half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? ''
    const whole = text.slice(0, text.length - half.length)
    if (!whole.isWellFormed()) refuse()
    yield whole
  }
  if (half !== '') refuse()
}

function* decodeNarrow(bytes: Buffer, charset: 'utf-8' | 'iso-8859-15' | 'windows-1252' | 'windows-1257') {
  // A second mark is for the parser to refuse.
  const decoder = new TextDecoder(charset, { fatal: true, ignoreBOM: true })
  for (let at = 0; at === 0 || at < bytes.length; at += pieceBytes) {
    const stream = at + pieceBytes < bytes.length
    yield decodePiece(decoder, charset, bytes.subarray(at, at + pieceBytes), stream)
  }
}

function decodePiece(decoder: TextDecoder, charset: string, piece: Buffer, stream: boolean): string {
  try {
    const text = decoder.decode(piece, { stream })
    if (!charset.startsWith('windows-') || !controls.test(text)) return text
  } catch {
    // Told below.
  }
  throw new XmlError(`the answer is not valid ${charset}`)
}

/**
 * C1. The decoder reads bytes that a Windows charset does not define as these, as browsers do. No defined byte becomes
 * one; in ISO-8859-x they are characters of the charset.
 */
const controls = /[\u0080-\u009f]/
