/**
 * The leaves of a multipart message, read as a Security Server reads them (Apache James Mime4j, not strict): lines may
 * end with LF alone, the closing boundary may be missing, multipart inside multipart is opened, parameters need no
 * quotes. Owns no rule about what a leaf may be.
 */
/** A part that is no multipart itself. */
export interface Leaf {
  /** Content-Type; undefined if the part has none. */
  readonly type: string | undefined
  /** Content-ID with its brackets, or empty. */
  readonly id: string
  /** Content-Transfer-Encoding. */
  readonly encoding: string
  /** As they were sent, before any decoding. */
  readonly bytes: Buffer
}

export interface Leaves {
  readonly leaves: readonly Leaf[]
  /** Whether the outermost multipart has its closing boundary. */
  readonly isClosed: boolean
}

/** What is beyond the limits of Mime4j. */
export class MimeProblem extends Error {}

const maxLineCharacters = 1000
const maxHeaderCharacters = 10_000
const maxHeaders = 1000
const maxDepth = 16

export function readLeaves(type: string, body: Buffer): Leaves {
  // One character for each byte.
  const text = body.toString('latin1')
  const boundary = boundaryOf(type)
  if (boundary === undefined) return { leaves: [{ type, id: '', encoding: '7bit', bytes: body }], isClosed: false }
  const { parts, isClosed } = split(text, boundary)
  return { leaves: parts.flatMap((part) => openPart(part, 1)), isClosed }
}

function boundaryOf(type: string): string | undefined {
  return /^\s*multipart\//i.test(type) ? parameterOf(type, 'boundary') : undefined
}

const parameter = /;\s*([^\s=;"]*)\s*(?:=\s*((?:"(?:[^"\\]|\\.)*"?|[^;"])*))?/g

/** The value up to the next semicolon, without the quotes. */
export function parameterOf(type: string, name: string): string | undefined {
  for (const [, key = '', value] of type.matchAll(parameter)) {
    if (key.toLowerCase() === name && value !== undefined) return value.trim().replaceAll(/\\(.)|"/g, '$1')
  }
  return undefined
}

/** A boundary begins a line and ends with white space, two dashes or the text. The rest of its line is skipped. */
function split(text: string, boundary: string): { readonly parts: readonly string[]; readonly isClosed: boolean } {
  const literal = boundary.replaceAll(/\W/g, String.raw`\$&`)
  const found = [...text.matchAll(new RegExp(String.raw`(?<![^\n])--${literal}(?:(--)|(?=[ \t\r\n])|$)`, 'g'))]
  const last = found.findIndex(([, end]) => end !== undefined)
  const starts = last === -1 ? found : found.slice(0, last)
  const parts = starts.map(({ index }, place) => {
    const line = text.indexOf('\n', index)
    const next = found[place + 1]?.index
    const content = line === -1 ? '' : text.slice(line + 1, next)
    return next === undefined ? content : content.replace(/\r?\n$/, '')
  })
  return { parts, isClosed: last !== -1 }
}

function openPart(text: string, depth: number): readonly Leaf[] {
  if (depth > maxDepth) throw new MimeProblem(`more than ${maxDepth} multiparts in one another`)
  const blank = /^\r?\n|\n\r?\n/.exec(text)
  const head = blank === null ? text : text.slice(0, blank.index)
  const content = blank === null ? '' : text.slice(blank.index + blank[0].length)
  const headers = readHeaders(head)
  const type = headers.get('content-type')
  const boundary = type === undefined ? undefined : boundaryOf(type)
  if (boundary !== undefined) return split(content, boundary).parts.flatMap((part) => openPart(part, depth + 1))
  if (/^\s*message\/rfc822\b/i.test(type ?? '')) return openPart(content, depth + 1)
  return [
    {
      type,
      id: headers.get('content-id') ?? '',
      encoding: headers.get('content-transfer-encoding') ?? '7bit',
      bytes: Buffer.from(content, 'latin1'),
    },
  ]
}

/** Names in lower case. A line that is no header is passed over. */
function readHeaders(head: string): ReadonlyMap<string, string> {
  const lines = head.split(/\r?\n/)
  if (lines.some(({ length }) => length > maxLineCharacters)) {
    throw new MimeProblem(`a line of a header has more than ${maxLineCharacters} bytes`)
  }
  const fields = lines
    .join('\n')
    .replaceAll(/\n[ \t]+/g, ' ')
    .split('\n')
  if (fields.length > maxHeaders) throw new MimeProblem(`a part has more than ${maxHeaders} headers`)
  if (fields.some(({ length }) => length > maxHeaderCharacters)) {
    throw new MimeProblem(`a header has more than ${maxHeaderCharacters} bytes`)
  }
  const pairs = fields
    .filter((field) => field.includes(':'))
    .map((field): [string, string] => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).trim().toLowerCase(), field.slice(colon + 1).trim()]
    })
  return new Map(pairs)
}
