/**
 * Which headers pass the REST lane, in both directions. Raw pairs come in, raw pairs go out: order, repeats, case and
 * bytes stay the same. Also the headers of the caller that may occur only once. Knows names only (header-names.ts),
 * nothing about the lanes.
 */
import { isUtf8 } from 'node:buffer'
import { Failure } from '../errors.ts'
import { hopByHop, hopByHopPrefix, notOutbound } from '../header-names.ts'
import type { RawHeaders } from '../model.ts'

const messageIdName = 'x-road-id'

/** What becomes of the headers of an endpoint's requests, the same for all of them. */
export interface OutboundRules {
  /** Value of X-Road-Client. */
  readonly client: string
  /** In lower case: those of the caller that do not go out. */
  readonly dropped: ReadonlySet<string>
  /** Go out behind the caller's. */
  readonly set: RawHeaders
  /**
   * Of the two about a trace those that the file leaves to us: they are added to each call, and the caller's do
   * not go out.
   */
  readonly traced: readonly TraceHeader[]
}

export const traceHeaders = ['traceparent', 'tracestate'] as const

export type TraceHeader = (typeof traceHeaders)[number]

/** `remove` in lower case; what is set takes the place of the caller's. */
export function toOutboundRules(
  client: string,
  { remove = [], set = [], isTracing = false }: HeaderChoices = {},
): OutboundRules {
  if (remove.length === 0 && set.length === 0 && !isTracing) return { client, dropped: notOutbound, set, traced: [] }
  const names = new Set([...remove, ...set.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())])
  const traced = isTracing ? traceHeaders.filter((name) => !names.has(name)) : []
  return { client, dropped: new Set([...notOutbound, ...names, ...traced]), set, traced }
}

/** Of a file, and whether requests have a place in a trace. */
interface HeaderChoices {
  readonly remove?: readonly string[] | undefined
  readonly set?: RawHeaders
  readonly isTracing?: boolean
}

export interface Outbound {
  readonly headers: string[]
  /** The caller's X-Road-Id, or the fresh one. */
  readonly messageId: string
  readonly isFreshId: boolean
}

/** Headers for the Security Server: the caller's own, then ours. */
export function toOutbound(
  received: RawHeaders,
  { client, dropped, set }: OutboundRules,
  freshId: () => string,
): Outbound {
  const headers: string[] = []
  let messageId = ''
  const named = namedByConnection(received)
  for (let i = 0; i < received.length; i += 2) {
    const name = received[i] as string
    const value = received[i + 1] as string
    const lower = name.toLowerCase()
    if (isDropped(lower, dropped, named)) continue
    if (lower === messageIdName) {
      // An empty id does not count.
      if (value === '') continue
      messageId ||= value
    }
    headers.push(name, value)
  }
  const isFreshId = messageId === ''
  if (isFreshId) {
    messageId = freshId()
    headers.push('X-Road-Id', messageId)
  }
  headers.push('X-Road-Client', client)
  if (set.length > 0) headers.push(...set)
  return { headers, messageId, isFreshId }
}

export interface Inbound {
  readonly headers: string[]
  /** Declared length in bytes. */
  readonly contentLength: number | undefined
  /** X-Road-Error: the code of the Security Server that made the response. */
  readonly errorCode: string | undefined
  /** X-Road-Id, if it is another one than that of the request. */
  readonly foreignId: string | undefined
  /** Whether the response has an X-Road-Id. */
  readonly hasId: boolean
  /** A SOAP message has its id inside, and a response of the REST lane has one here unless it is an error. */
  readonly isLikeSoap: boolean
}

const soapTypes = /^(?:text\/xml|application\/soap\+xml|application\/xop\+xml|multipart\/related)(?![\w.+-])/i

const noContent = 204

/**
 * Headers for the caller, from those of a response with this status. A response without an id gets the one of its
 * request.
 */
export function toInbound(received: RawHeaders, status = 200, messageId?: string): Inbound {
  const headers: string[] = []
  let hasId = false
  let contentLength: number | undefined
  let errorCode: string | undefined
  let foreignId: string | undefined
  let isSoapType = false
  const named = namedByConnection(received)
  for (let i = 0; i < received.length; i += 2) {
    const name = received[i] as string
    const value = received[i + 1] as string
    const lower = name.toLowerCase()
    if (isDropped(lower, hopByHop, named)) continue
    // HTTP forbids it there, and there are clients that refuse such a response or wait for its body.
    if (status === noContent && lower === 'content-length') continue
    if (lower === 'content-length') contentLength = Number(value)
    else if (lower === 'x-road-error') errorCode ??= value
    else if (lower === 'content-type') isSoapType = soapTypes.test(value)
    else if (lower === messageIdName) {
      // An empty id does not count.
      if (value === '') continue
      hasId = true
      if (messageId !== undefined && value.trim() !== messageId.trim()) foreignId ??= value.trim()
    }
    headers.push(name, value)
  }
  const isLikeSoap = isSoapType && !hasId && errorCode === undefined
  if (!hasId && messageId !== undefined) headers.push('X-Road-Id', messageId)
  return { headers, contentLength, errorCode, foreignId, hasId, isLikeSoap }
}

/** X-Road-Id of a SOAP response: none, unless it is a response to a call of the REST lane. */
export function readMessageId(received: RawHeaders): string | undefined {
  for (let i = 0; i < received.length; i += 2) {
    const name = received[i] as string
    if (name.length !== messageIdName.length || name.toLowerCase() !== messageIdName) continue
    return (
      Buffer.from(received[i + 1] as string, 'latin1')
        .toString()
        .trim() || undefined
    )
  }
  return undefined
}

/** Statuses whose responses have no body, whatever their headers say. */
export const bodyless: ReadonlySet<number> = new Set([204, 304])

/**
 * How the end of a response shows: by its length, by its last chunk, by the end of its connection, or in a way
 * unknown here.
 */
export type Framing = 'length' | 'chunks' | 'connection' | 'unknown'

/** A header that is repeated counts as a list. */
export function framingOf(received: RawHeaders): Framing {
  let framing: Framing = 'connection'
  for (let i = 0; i < received.length; i += 2) {
    const name = received[i] as string
    if (name.length === 'content-length'.length && name.toLowerCase() === 'content-length') framing = 'length'
    if (name.length !== 'transfer-encoding'.length || name.toLowerCase() !== 'transfer-encoding') continue
    if (framing === 'chunks' || (received[i + 1] as string).trim().toLowerCase() !== 'chunked') return 'unknown'
    framing = 'chunks'
  }
  return framing
}

/** Headers that say which message this is, who asks and why, in lower case. */
const single = ['x-road-id', 'x-road-userid', 'x-road-issue'] as const

export type CallerHeaders = Readonly<Partial<Record<(typeof single)[number], string | undefined>>>

/**
 * The text of each header of the caller that may occur once. A second one is refused: a proxy in front that adds its
 * own header instead of replacing the caller's would be passed by. So are bytes that are not UTF-8. A header that
 * Connection names is not part of the message, and so is not among them.
 */
export function readCallerHeaders(received: RawHeaders): CallerHeaders {
  let found: { -readonly [Name in keyof CallerHeaders]: CallerHeaders[Name] } | undefined
  for (let i = 0; i < received.length; i += 2) {
    const lower = toSingle(received[i] as string)
    if (lower === undefined) continue
    found ??= {}
    if (found[lower] !== undefined) throw malformed(received[i] as string, 'is there more than once')
    found[lower] = toText(received[i] as string, received[i + 1] as string)
  }
  if (found === undefined) return none
  const named = namedByConnection(received)
  if (named === undefined) return found
  for (const name of single) if (named.has(name)) found[name] = undefined
  return found
}

/** The same for one header, in lower case. Undefined if it is missing, or if Connection names it. */
export function readSingleHeader(received: RawHeaders, lower: string): string | undefined {
  let found: string | undefined
  for (let i = 0; i < received.length; i += 2) {
    const name = received[i] as string
    if (name.length !== lower.length || name.toLowerCase() !== lower) continue
    if (found !== undefined) throw malformed(name, 'is there more than once')
    found = toText(name, received[i + 1] as string)
  }
  return found === undefined || namedByConnection(received)?.has(lower) ? undefined : found
}

const none: CallerHeaders = {}

function toSingle(name: string): (typeof single)[number] | undefined {
  // The length first: most headers are done with it.
  for (const known of single) if (name.length === known.length && name.toLowerCase() === known) return known
  return undefined
}

const ascii = /^[\x20-\x7e]*$/

function toText(name: string, value: string): string {
  if (ascii.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  if (!isUtf8(bytes)) throw malformed(name, 'is not UTF-8')
  return bytes.toString()
}

function malformed(name: string, problem: string): Failure {
  return new Failure('malformed_request', `the header ${name} ${problem}`)
}

function isDropped(lower: string, known: ReadonlySet<string>, named: ReadonlySet<string> | undefined): boolean {
  return known.has(lower) || lower.startsWith(hopByHopPrefix) || (named !== undefined && named.has(lower))
}

/** What is in `Connection` usually names no header at all, and then there is no set. */
const usualConnections: ReadonlySet<string> = new Set(['keep-alive', 'close', 'Keep-Alive', 'Close'])

/** In lower case. Undefined where it names none but usual words. */
export function namedByConnection(headers: RawHeaders): ReadonlySet<string> | undefined {
  let named: Set<string> | undefined
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] as string
    if (name.length !== 'connection'.length || name.toLowerCase() !== 'connection') continue
    const value = headers[i + 1] as string
    if (usualConnections.has(value)) continue
    named ??= new Set()
    for (const token of value.split(',')) named.add(token.trim().toLowerCase())
  }
  return named
}
