/**
 * The parts of a multipart/related answer (RFC 2387): the root, which the `start` parameter names or which comes first, and
 * the others. The bytes of each part come out unchanged.
 *
 * A boundary counts only on a line of its own. Without the closing boundary the answer has been cut.
 */
import { readMediaType } from './media-type.ts'
import { decodeTransferInSteps, endOfBlankLine } from './transfer.ts'
import { finish, type Steps } from '../json/translate.ts'
import { XmlError } from '../json/xml-error.ts'

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
  readonly root: RawPart
  readonly others: readonly RawPart[]
}

const maxParts = 1000
const maxPartHeaderBytes = 16 * 1024
const lineFeed = 0x0a
const carriageReturn = 0x0d
const dash = 0x2d

/** The root alone, decoded. */
export function rootPart(body: Uint8Array, contentType: string): Part {
  const { root } = finish(readPartsInSteps(body, contentType, { isRootEnough: true }))
  const content = finish(decodeTransferInSteps(root.body, root.headers.get('content-transfer-encoding')))
  return { body: content, contentType: root.headers.get('content-type') }
}

interface Wish {
  /** Of the other parts nothing is wanted but that the last one ends. */
  readonly isRootEnough: boolean
}

export function* readPartsInSteps(body: Uint8Array, contentType: string, wish: Wish): Steps<Parts> {
  const { parameters } = readMediaType(contentType)
  const boundary = parameters.get('boundary') ?? ''
  if (boundary === '') throw new XmlError('the multipart answer names no boundary')
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return yield* findParts(bytes, Buffer.from(`--${boundary}`, 'latin1'), parameters.get('start'), wish)
}

/** A part after the root may lack any header: it is listed as it is. */
function* findParts(bytes: Buffer, marker: Buffer, start: string | undefined, { isRootEnough }: Wish): Steps<Parts> {
  const others: RawPart[] = []
  let root: RawPart | undefined
  let delimiter = yield* findDelimiter(bytes, marker, 0)
  while (delimiter !== undefined && !delimiter.isLast) {
    if (others.length === maxParts) throw tooMany(root !== undefined)
    const following: Delimiter | undefined = yield* findDelimiter(bytes, marker, delimiter.next)
    if (root !== undefined && isRootEnough) {
      delimiter = following
      continue
    }
    const content = bytes.subarray(delimiter.next, Math.max(delimiter.next, following?.end ?? bytes.length))
    const part = readPart(content) ?? (root === undefined ? refuseHeaders() : { headers: noHeaders, body: content })
    const isRoot = root === undefined && (start === undefined || toId(part.headers.get('content-id')) === toId(start))
    if (isRoot) root = part
    else others.push(part)
    delimiter = following
  }
  if (root !== undefined && delimiter === undefined) throw new XmlError('the multipart answer has no closing boundary')
  if (root === undefined) throw new XmlError('the multipart answer has no root part')
  return { root, others: isRootEnough ? [] : others }
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

/** False matches are cheap, and many: this many are checked in one step. */
const findsPerStep = 3000
/** Bytes in which a boundary is looked for in one step. */
const bytesPerStep = 1024 * 1024

/** The next boundary line. Every byte is looked at once: a boundary holds no line feed, so no two finds overlap. */
function* findDelimiter(bytes: Buffer, marker: Buffer, from: number): Steps<Delimiter | undefined> {
  let start = from
  for (let finds = 1; start < bytes.length; finds += 1) {
    if (finds % findsPerStep === 0) yield
    const end = Math.min(bytes.length, start + bytesPerStep + marker.length)
    const found = bytes.subarray(start, end).indexOf(marker)
    if (found === -1) {
      if (end === bytes.length) return undefined
      start = end - marker.length + 1
      yield
      continue
    }
    const at = start + found
    const delimiter = toDelimiter(bytes, at, at + marker.length)
    if (delimiter !== undefined) return delimiter
    start = at + marker.length
  }
  return undefined
}

function toDelimiter(bytes: Buffer, at: number, afterMarker: number): Delimiter | undefined {
  if (at !== 0 && bytes[at - 1] !== lineFeed) return undefined
  const isLast = bytes[afterMarker] === dash && bytes[afterMarker + 1] === dash
  const next = endOfBlankLine(bytes, isLast ? afterMarker + 2 : afterMarker)
  return next === undefined ? undefined : { end: endOfLineBefore(bytes, at), next, isLast }
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
