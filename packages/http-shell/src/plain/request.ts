/**
 * The strict reader of plain requests: bytes come in, what one request says goes out, or that it is not for this
 * reader. Plain is what nearly every client sends: HTTP/1.1 with exact line ends, one Host, each header once, a body of
 * a declared length or none. A wish for another protocol, which Java's client has with every request, is not told.
 * Whatever is unusual in any way belongs to Node's parser, which alone decides what is wrong. Knows no sockets.
 */

import { canBeHost } from '../exchange/host.ts'
import { readRequestId, requestIdKey } from '../exchange/request-id.ts'

/** The headers of a request. Requests of one connection that have the same ones share the object. */
export interface Head {
  /** All header lines with the empty one, as they stood on the wire. */
  readonly bytes: Buffer
  readonly rawHeaders: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  /** Of the body, in bytes. */
  readonly length: number
  /** The client wants the connection to end with the answer. */
  readonly isLast: boolean
  /** The client's own, where it sends one. */
  readonly requestId: string | undefined
}

/**
 * `plain`: the fields of the reader say what was read. `part`: so far it looks plain, but its end is missing.
 * `unusual`: nothing is known of it.
 */
export type Finding = 'plain' | 'part' | 'unusual'

/** Longer heads, and longer requests, are left to Node. */
const maxPlainHeadBytes = 16 * 1024
const maxPlainBytes = 64 * 1024

/** Reads one request at a time. The fields say what was found when the last one was plain. */
export class RequestReader {
  method = ''
  /** Path and query string as on the request line. */
  target = ''
  head: Head = noHead
  /** Where the body begins, and where the request ends. */
  bodyAt = 0
  end = 0

  /**
   * Reads the request that begins at `at`. `known` are the headers of the one before, which are not read again if they
   * are the same.
   */
  read(bytes: Buffer, at: number, known: Head | undefined): Finding {
    const headersAt = this.#readLine(bytes, at)
    if (headersAt <= 0) return headersAt < 0 && bytes.length - at < maxPlainHeadBytes ? 'part' : 'unusual'
    let head = known
    if (known === undefined || !holds(bytes, headersAt, known.bytes)) {
      // The line before ends in the same way: there may be no headers at all.
      const lastLine = bytes.indexOf(blankLine, headersAt - lineEnd.length)
      const bodyAt = lastLine + blankLine.length
      if ((lastLine < 0 ? bytes.length : bodyAt) - at > maxPlainHeadBytes) return 'unusual'
      if (lastLine < 0) return 'part'
      head = readHead(bytes.subarray(headersAt, bodyAt))
    }
    if (head === undefined) return 'unusual'
    this.head = head
    this.bodyAt = headersAt + head.bytes.length
    this.end = this.bodyAt + head.length
    if (this.end <= bytes.length) return 'plain'
    return this.end - at > maxPlainBytes ? 'unusual' : 'part'
  }

  /** Returns where the headers begin, 0 if the line is not plain, less if its end is missing. */
  #readLine(bytes: Buffer, at: number): number {
    const method = methodAt(bytes, at)
    if (method === undefined) return 0
    const targetAt = at + method.bytes.length
    let i = targetAt
    while (inTarget[bytes[i] as number] === 1) i++
    if (!holdsSoFar(bytes, i, version)) return 0
    if (i + version.length > bytes.length) return -1
    if (bytes[targetAt] !== slash) return 0
    this.method = method.name
    this.target = bytes.toString('latin1', targetAt, i)
    return i + version.length
  }
}

function methodAt(bytes: Buffer, at: number): (typeof methods)[number] | undefined {
  for (const method of methods) if (holdsSoFar(bytes, at, method.bytes)) return method
  return undefined
}

function holds(bytes: Buffer, at: number, wanted: Buffer): boolean {
  const end = at + wanted.length
  return end <= bytes.length && bytes.compare(wanted, 0, wanted.length, at, end) === 0
}

/** For a few bytes: whether they are there, or would if more had arrived. */
function holdsSoFar(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length && at + i < bytes.length; i++) if (bytes[at + i] !== wanted[i]) return false
  return true
}

const lineEnd = '\r\n'
const blankLine = Buffer.from('\r\n\r\n')
const version = Buffer.from(' HTTP/1.1\r\n')
const slash = 0x2f
const space = 0x20
const tab = 0x09

/** Others have a meaning of their own, or none. The most usual ones first. */
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'].map((name) => ({
  name,
  bytes: Buffer.from(`${name} `),
}))

/** Which bytes may be in a target: printable ASCII. A fragment is never sent to a server. */
const inTarget = Uint8Array.from({ length: 256 }, (_, byte) => Number(byte > space && byte < 0x7f && byte !== 0x23))

/** One or more header lines, none of them folded, and the empty one. */
const headPattern = /^(?:[\w!#$%&'*+.^`|~-]+:[\t\u0020-\u007e\u0080-\u00ff]*\r\n)+\r\n$/

/** Headers that change how a request is read, or are a list in another way than others. */
const unusualNames: ReadonlySet<string> = new Set([
  'expect',
  'keep-alive',
  'proxy-connection',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
])
const lengthPattern = /^(?:0|[1-9]\d{0,8})$/
/** Value of `Connection` -> what the client wants of it. Another protocol is never spoken: the wish is passed over. */
const connections: ReadonlyMap<string, 'stays' | 'ends' | 'another protocol'> = new Map([
  ['keep-alive', 'stays'],
  ['Keep-Alive', 'stays'],
  ['close', 'ends'],
  ['Close', 'ends'],
  ['Upgrade', 'another protocol'],
  ['upgrade', 'another protocol'],
  ['keep-alive, Upgrade', 'another protocol'],
  ['Upgrade, HTTP2-Settings', 'another protocol'],
  ['Upgrade,HTTP2-Settings', 'another protocol'],
])

const noHead: Head = {
  bytes: Buffer.alloc(0),
  rawHeaders: [],
  headers: {},
  length: 0,
  isLast: false,
  requestId: undefined,
}

function readHead(bytes: Buffer): Head | undefined {
  const text = bytes.toString('latin1')
  if (!headPattern.test(text)) return undefined
  const rawHeaders: string[] = []
  const headers: Record<string, string> = {}
  let wanted: ReturnType<typeof connections.get> = 'stays'
  let namesProtocol = false
  let length = 0
  for (let at = 0; at < text.length - lineEnd.length;) {
    const end = text.indexOf(lineEnd, at)
    const colon = text.indexOf(':', at)
    const name = text.slice(at, colon)
    const value = trimmed(text, colon + 1, end)
    at = end + lineEnd.length

    const key = name.toLowerCase()
    // Once each: then nothing has to be joined. What every object has is taken for a second one.
    if (headers[key] !== undefined || unusualNames.has(key)) return undefined
    if (key === 'content-length') {
      if (!lengthPattern.test(value)) return undefined
      length = Number(value)
    } else if (key === 'connection') {
      wanted = connections.get(value)
      if (wanted === undefined) return undefined
    } else if (key === 'upgrade') {
      if (namesProtocol) return undefined
      namesProtocol = true
      continue
    }
    rawHeaders.push(name, value)
    headers[key] = value
  }
  if (headers['host'] === undefined || !canBeHost(headers['host'])) return undefined
  if (namesProtocol !== (wanted === 'another protocol')) return undefined
  // A copy, and not out of Node's pool: what arrived with these bytes may be much more, and this is kept as long as the
  // connection.
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  const requestId = readRequestId(headers[requestIdKey])
  return { bytes: copy, rawHeaders, headers, length, isLast: wanted === 'ends', requestId }
}

/** Without the blanks around it; no others than Node's parser takes for blanks. */
function trimmed(text: string, start: number, end: number): string {
  let from = start
  let to = end
  while (from < to && isBlank(text.charCodeAt(from))) from++
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

function isBlank(code: number): boolean {
  return code === space || code === tab
}
