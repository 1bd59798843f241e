/**
 * The head of an answer as text, one character for each byte: what Node's server would write, byte for byte. Status and
 * headers come in. What says how the answer is framed and whether the connection stays is added here.
 */
import type { Headers, RawHeaders } from '../exchange/exchange.ts'
import { isRequestIdName, requestIdName } from '../exchange/request-id.ts'

// Not imported by name: node-http.ts says why.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** What an answer says of its connection when that ends with it. */
export const closeLines = 'Connection: close\r\n'
const chunked = 'Transfer-Encoding: chunked\r\n'

/** The same when it stays. */
export function toKeepAliveLines(ms: number): string {
  return `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(ms / 1000)}\r\n`
}

/** What an answer says of its request. */
export function toIdLine(requestId: string): string {
  return `${requestIdName}: ${requestId}\r\n`
}

/** Lines of an answer that its service knows nothing of. */
export interface OwnLines {
  readonly connectionLines: string
  /** Empty where answers have no ids. */
  readonly idLine: string
}

export interface AnswerHead {
  readonly text: string
  /** No header tells the length, so that the body goes out in chunks. */
  readonly isChunked: boolean
}

/** Answers with these statuses have no body, nor have those to HEAD. */
export function isBodyless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304
}

/**
 * Of an answer that is complete: `headers` tell its length. Throws a TypeError for what cannot be a header, as toHead
 * does.
 */
export function toWholeHead(status: number, headers: Headers, idLine: string, connectionLines: string): string {
  let lines = statusLine(status, '')
  let hasDate = false
  for (const name in headers) {
    if (isDate(name)) hasDate = true
    lines += toLine(name, headers[name] as string | number)
  }
  return `${lines}${idLine}${hasDate ? '' : dateLine()}${connectionLines}\r\n`
}

/**
 * Of an answer in pieces. Raw pairs are those of an upstream, which keep their own date or none, and their own id where
 * there is one.
 */
export function toHead(
  status: number,
  statusText: string,
  headers: Headers | RawHeaders,
  { connectionLines, idLine, hasBody }: OwnLines & { readonly hasBody: boolean },
): AnswerHead {
  const isRaw = Array.isArray(headers)
  const pairs = isRaw ? (headers as RawHeaders) : Object.entries(headers as Headers).flat()
  let text = statusLine(status, statusText)
  let hasDate = isRaw
  let hasLength = false
  let hasId = false
  for (let i = 0; i < pairs.length; i += 2) {
    const name = pairs[i] as string
    if (isDate(name)) hasDate = true
    if (isLength(name)) hasLength = true
    if (isRequestIdName(name)) hasId = true
    text += toLine(name, pairs[i + 1] as string | number)
  }
  const isChunked = hasBody && !hasLength
  text += `${hasId ? '' : idLine}${hasDate ? '' : dateLine()}${connectionLines}${isChunked ? chunked : ''}\r\n`
  return { text, isChunked }
}

function statusLine(status: number, text: string): string {
  return `HTTP/1.1 ${status} ${text === '' ? (STATUS_CODES[status] ?? 'unknown') : text}\r\n`
}

function isDate(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'date'
}

function isLength(name: string): boolean {
  return name.length === 14 && name.toLowerCase() === 'content-length'
}

const namePattern = /^[\w!#$%&'*+.^`|~-]+$/
const badValue = /[^\t\u0020-\u007e\u0080-\u00ff]/

/** Names that have been looked at. Upstreams may send any. */
const goodNames = new Set<string>()
const maxNames = 1000

function toLine(name: string, value: string | number): string {
  if (!goodNames.has(name)) {
    if (!namePattern.test(name)) throw new TypeError(`${JSON.stringify(name)} cannot be the name of a header`)
    if (goodNames.size < maxNames) goodNames.add(name)
  }
  if (typeof value === 'string' && badValue.test(value)) {
    throw new TypeError(`the value of the header ${name} has a character that no header can have`)
  }
  return `${name}: ${value}\r\n`
}

let currentDateLine = ''

/** Made once a second. */
function dateLine(): string {
  if (currentDateLine === '') {
    const now = new Date()
    currentDateLine = `Date: ${now.toUTCString()}\r\n`
    setTimeout(() => (currentDateLine = ''), 1000 - now.getMilliseconds()).unref()
  }
  return currentDateLine
}
