/**
 * What a client sent that is not a request, as plain values for the service to answer, and the bytes of such an answer.
 * Knows the error codes of Node's parser.
 */

import { maxHeadBytes } from './limits.ts'
import { requestIdName } from './request-id.ts'

/** Why something is refused before the service sees a request. */
export type Reason =
  | 'malformed'
  | 'TLS'
  | 'not a target'
  | 'unknown method'
  | 'tunnel'
  | 'head too large'
  | 'timeout'
  | 'transfer coding'
  | 'no host'
  | 'repeated host'
  | 'not a host'

export interface Refusal {
  readonly reason: Reason
  /** Method and target, where they could be read. */
  readonly line: RequestLine | undefined
  /** The body of a request that had begun is what is wrong; the service knows that request. */
  readonly isBody: boolean
  /** Of the request, where it could be read that far; else a new one. The answer has it where the shell is told to. */
  readonly requestId: string
  /** Largest head in bytes. */
  readonly maxHeadBytes: number
}

export interface RequestLine {
  readonly method: string
  readonly target: string
}

/** The answer to it: JSON text. */
export interface Refused {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** What Node's HTTP parser reports; of `rawPacket`, `bytesParsed` bytes were good. */
export interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

export function toRefusal(error: ParserError, isBody: boolean, requestId: string): Refusal {
  if (!isBody && beginsTls(error)) return { reason: 'TLS', line: undefined, isBody, requestId, maxHeadBytes }
  const reason = reasons[error.code ?? ''] ?? 'malformed'
  const line = isBody || reason !== 'unknown method' ? undefined : readLine(error)
  // Bytes that only look like a method to the parser are not a request.
  const isLine = reason !== 'unknown method' || line !== undefined
  return { reason: isLine ? reason : 'malformed', line, isBody, requestId, maxHeadBytes }
}

const reasons: Readonly<Record<string, Reason>> = {
  HPE_INVALID_METHOD: 'unknown method',
  HPE_INVALID_URL: 'not a target',
  // Where `HTTP/` is expected stands something else: a blank has ended the target too early.
  HPE_INVALID_CONSTANT: 'not a target',
  HPE_HEADER_OVERFLOW: 'head too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
}

/** A record of a handshake, as the client's first words: its port is one for plain HTTP. */
function beginsTls({ rawPacket, bytesParsed = 0 }: ParserError): boolean {
  return bytesParsed === 0 && rawPacket?.[0] === 0x16 && rawPacket[1] === 0x03
}

/** The line in which the parser stopped, if it is a request line. What was good before it may be other requests. */
function readLine({ rawPacket, bytesParsed = 0 }: ParserError): RequestLine | undefined {
  if (rawPacket === undefined) return undefined
  let start = Math.min(bytesParsed, rawPacket.length)
  while (start > 0 && isToken(rawPacket[start - 1] as number)) start--
  const [, method, target] = requestLine.exec(rawPacket.toString('latin1', start, start + maxHeadBytes)) ?? []
  return method === undefined || target === undefined ? undefined : { method, target }
}

const requestLine = /^[\r\n]*([\w!#$%&'*+.^`|~-]{1,64}) +(\S+) +HTTP\/\d\.\d\r?\n/
const tokens = new Set(Buffer.from("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))

function isToken(byte: number): boolean {
  return tokens.has(byte)
}

/** An answer without a request, with an id where one is given. The connection ends with it. */
export function toBytes({ status, body, headers = {} }: Refused, requestId: string | undefined): string {
  const all = {
    connection: 'close',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
    ...(requestId === undefined ? {} : { [requestIdName]: requestId }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${body}`
}
