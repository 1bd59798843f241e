/**
 * The parts of a multipart body as bytes (RFC 2046): where boundary lines stand, and the headers and the content of
 * what is between them. Which part is what is for the readers of responses and of forms to say.
 *
 * A boundary counts only on a line of its own. Every byte is looked at once, in steps.
 */
import type { Steps } from '../../steps.ts'
import { endOfBlankLine } from './transfer.ts'

/** A boundary line: where the bytes before it end, and where those after it start. */
export interface Delimiter {
  readonly end: number
  readonly next: number
  readonly isLast: boolean
}

/** A part as it is in the body. */
export interface RawPart {
  /** Names in lower case; one character for each byte. The first line of a name counts. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
}

/** Of one body, without the root. */
export const maxParts = 1000
export const maxPartHeaderBytes = 16_384
const lineFeed = 0x0a
const carriageReturn = 0x0d
const dash = 0x2d

/** What a boundary line begins with. */
export function toMarker(boundary: string): Buffer {
  return Buffer.from(`--${boundary}`, 'latin1')
}

/** False matches are cheap, and many: this many are checked in one step. */
const findsPerStep = 3000
/** Bytes in which a boundary is looked for in one step. */
const bytesPerStep = 1024 * 1024

/** What ends the line before a boundary. A line feed alone is content where senders are known to be strict. */
type LineEnds = 'any' | 'strict'

/** The next boundary line. Every byte is looked at once: a boundary holds no line feed, so no two finds overlap. */
export function* findDelimiter(
  bytes: Buffer,
  marker: Buffer,
  from: number,
  lineEnds: LineEnds = 'any',
): Steps<Delimiter | undefined> {
  let start = from
  for (let finds = 1; start < bytes.length; finds++) {
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
    const delimiter = toDelimiter(bytes, at, at + marker.length, lineEnds)
    if (delimiter !== undefined) return delimiter
    start = at + marker.length
  }
  return undefined
}

function toDelimiter(bytes: Buffer, at: number, afterMarker: number, lineEnds: LineEnds): Delimiter | undefined {
  if (at !== 0 && bytes[at - 1] !== lineFeed) return undefined
  if (at !== 0 && lineEnds === 'strict' && bytes[at - 2] !== carriageReturn) return undefined
  const isLast = bytes[afterMarker] === dash && bytes[afterMarker + 1] === dash
  const next = endOfBlankLine(bytes, isLast ? afterMarker + 2 : afterMarker)
  return next === undefined ? undefined : { end: endOfLineBefore(bytes, at), next, isLast }
}

/** The line end before a boundary belongs to the boundary. */
function endOfLineBefore(bytes: Buffer, at: number): number {
  if (at === 0) return 0
  return bytes[at - 2] === carriageReturn ? at - 2 : at - 1
}

/** Undefined when its headers have no end, or are longer than `maxPartHeaderBytes`. */
export function readPart(bytes: Buffer): RawPart | undefined {
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

/** Without its brackets. */
export function toId(id: string = ''): string {
  return id.trim().replace(/^<(.*)>$/, '$1')
}
