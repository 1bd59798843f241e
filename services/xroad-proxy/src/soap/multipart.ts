/**
 * The parts of a multipart/related answer (RFC 2387): the root, which the `start` parameter names or which comes first, and
 * the others. The bytes of the root come out decoded, with its own Content-Type; the others as they stand.
 *
 * A boundary counts on a line of its own. The closing one may be missing: whether the root is whole, its XML tells.
 */
import { readMediaType } from './media-type.ts'
import { decodeTransfer, endOfBlankLine } from './transfer.ts'
import { XmlError } from './translate.ts'

export interface Part {
  readonly body: Uint8Array
  readonly contentType: string | undefined
}

/** A boundary line: where the bytes before it end, and where those after it start. */
interface Delimiter {
  readonly end: number
  readonly next: number
  readonly isLast: boolean
}

/** A part as it stands in the answer. */
export interface RawPart {
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

export interface Parts {
  readonly root: Part
  readonly others: readonly RawPart[]
}

const maxParts = 1000
const maxPartHeaderBytes = 16 * 1024
const lineFeed = 0x0a
const carriageReturn = 0x0d
const dash = 0x2d

/** What follows the root is not looked at. */
export function rootPart(body: Uint8Array, contentType: string): Part {
  return split(body, contentType, { isRootEnough: true }).root
}

export function readParts(body: Uint8Array, contentType: string): Parts {
  return split(body, contentType, { isRootEnough: false })
}

interface Wish {
  readonly isRootEnough: boolean
}

function split(body: Uint8Array, contentType: string, wish: Wish): Parts {
  const { parameters } = readMediaType(contentType)
  const boundary = parameters.get('boundary') ?? ''
  if (boundary === '') throw new XmlError('the multipart answer names no boundary')
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const { root, others } = findParts(bytes, Buffer.from(`--${boundary}`, 'latin1'), parameters.get('start'), wish)
  return {
    root: {
      body: decodeTransfer(root.body, root.headers.get('content-transfer-encoding')),
      contentType: root.headers.get('content-type'),
    },
    others,
  }
}

/** A part behind the root may lack whatever it likes: it is listed as what it is. */
function findParts(
  bytes: Buffer,
  marker: Buffer,
  start: string | undefined,
  { isRootEnough }: Wish,
): { root: RawPart; others: RawPart[] } {
  const others: RawPart[] = []
  let root: RawPart | undefined
  let delimiter = findDelimiter(bytes, marker, 0)
  while (delimiter !== undefined && !delimiter.isLast) {
    if (others.length === maxParts) throw tooMany(root !== undefined)
    const following = findDelimiter(bytes, marker, delimiter.next)
    const content = bytes.subarray(delimiter.next, Math.max(delimiter.next, following?.end ?? bytes.length))
    const part = readPart(content) ?? (root === undefined ? refuseHeaders() : { headers: noHeaders, body: content })
    const isRoot = root === undefined && (start === undefined || toId(part.headers.get('content-id')) === toId(start))
    if (isRoot) root = part
    else others.push(part)
    if (isRoot && isRootEnough) break
    delimiter = following
  }
  if (root === undefined) throw new XmlError('the multipart answer has no root part')
  return { root, others }
}

function tooMany(hasRoot: boolean): XmlError {
  return new XmlError(
    hasRoot ? `the answer has more than ${maxParts} attachments` : `the root is not among the first ${maxParts} parts`,
  )
}

const noHeaders: ReadonlyMap<string, string> = new Map()

function refuseHeaders(): never {
  throw new XmlError('the headers of a part have no end')
}

export function toId(id: string = ''): string {
  return id.trim().replace(/^<(.*)>$/, '$1')
}

/** The next boundary line. Every byte is looked at once: a boundary holds no line feed, so no two finds overlap. */
function findDelimiter(bytes: Buffer, marker: Buffer, from: number): Delimiter | undefined {
  let at = bytes.indexOf(marker, from)
  while (at !== -1) {
    const afterMarker = at + marker.length
    const isLineStart = at === 0 || bytes[at - 1] === lineFeed
    const isLast = bytes[afterMarker] === dash && bytes[afterMarker + 1] === dash
    const next = isLineStart ? endOfBlankLine(bytes, isLast ? afterMarker + 2 : afterMarker) : undefined
    if (next !== undefined) return { end: endOfLineBefore(bytes, at), next, isLast }
    at = bytes.indexOf(marker, afterMarker)
  }
  return undefined
}

/** The line end before a boundary belongs to the boundary. */
function endOfLineBefore(bytes: Buffer, at: number): number {
  if (at === 0) return 0
  return bytes[at - 2] === carriageReturn ? at - 2 : at - 1
}

/** Undefined when its headers have no end. */
function readPart(bytes: Buffer): RawPart | undefined {
  const head = bytes.toString('latin1', 0, maxPartHeaderBytes)
  const blankLine = /^\r?\n|\n\r?\n/.exec(head)
  if (blankLine === null) return undefined
  const lines = head
    .slice(0, blankLine.index)
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split('\n')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    if (name !== '' && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return { headers, body: bytes.subarray(blankLine.index + blankLine[0].length) }
}
