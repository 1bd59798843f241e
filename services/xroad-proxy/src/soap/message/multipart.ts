/**
 * The parts of a multipart/related response (RFC 2387): the root, which the `start` parameter names or which comes
 * first, and the others. The bytes of each part come out unchanged.
 *
 * A boundary counts only on a line of its own. Without the closing boundary the response has been cut; the error has
 * the root, which may be a whole Fault.
 */
import { readMediaType } from '../mime/media-type.ts'
import { type Delimiter, findDelimiter, maxParts, type RawPart, readPart, toId, toMarker } from '../mime/parts.ts'
import type { Steps } from '../../steps.ts'
import { XmlError } from '../json/xml-error.ts'

export interface Parts {
  readonly root: RawPart
  readonly others: readonly RawPart[]
}

interface Wish {
  /** Of the other parts nothing is wanted but that the last one ends. */
  readonly isRootEnough: boolean
}

export class CutMultipart extends XmlError {
  readonly root: RawPart

  constructor(root: RawPart) {
    super('the multipart answer has no closing boundary')
    this.root = root
  }
}

export function* readPartsInSteps(body: Uint8Array, contentType: string, wish: Wish): Steps<Parts> {
  const { parameters } = readMediaType(contentType)
  const boundary = parameters.get('boundary') ?? ''
  if (boundary === '') throw new XmlError('the multipart answer names no boundary')
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return yield* findParts(bytes, toMarker(boundary), parameters.get('start'), wish)
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
  if (root !== undefined && delimiter === undefined) throw new CutMultipart(withoutCutLine(root, marker))
  if (root === undefined) throw new XmlError('the multipart answer has no root part')
  return { root, others: isRootEnough ? [] : others }
}

/** The last line may be the beginning of a boundary. */
function withoutCutLine({ headers, body }: RawPart, marker: Buffer): RawPart {
  const start = body.lastIndexOf(lineFeed)
  const line = body.toString('latin1', start + 1)
  if (start === -1 || !`${marker.toString('latin1')}-`.startsWith(line)) return { headers, body }
  return { headers, body: body.subarray(0, start) }
}

const lineFeed = 0x0a

function tooMany(hasRoot: boolean): XmlError {
  return new XmlError(
    hasRoot ? `the answer has more than ${maxParts} attachments` : `the root is not among the first ${maxParts} parts`,
  )
}

const noHeaders: ReadonlyMap<string, string> = new Map()

function refuseHeaders(): never {
  throw new XmlError('the headers of a part have no end')
}
