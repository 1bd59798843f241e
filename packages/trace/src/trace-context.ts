/**
 * W3C Trace Context: the headers `traceparent` and `tracestate` as plain values, read and written. Pure. A text that
 * the standard calls invalid is read as nothing, and the caller makes a context of its own.
 */
import { randomBytes } from 'node:crypto'

/** Where a request is in a trace. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all of them 0. */
  readonly traceId: string
  /** 16 of them. */
  readonly spanId: string
  /** Whether the caller has recorded its part. */
  readonly isSampled: boolean
  /** The trace id is random in its last 56 bits. */
  readonly isRandom: boolean
}

/** A later version may have more behind it. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const onlyZeros = /^0+$/
const ownVersion = '00'
const noVersion = 'ff'
const sampledBit = 1
const randomBit = 2

/** The value of the header, or several values with commas between, which are not valid. */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version = noVersion, traceId = '', spanId = '', flags = '', more] =
    pattern.exec(header === undefined ? '' : trimmed(header)) ?? []
  if (version === noVersion || (version === ownVersion && more !== undefined) || more?.includes(',')) return undefined
  if (onlyZeros.test(traceId) || onlyZeros.test(spanId)) return undefined
  const bits = Number.parseInt(flags, 16)
  return { traceId, spanId, isSampled: (bits & sampledBit) !== 0, isRandom: (bits & randomBit) !== 0 }
}

/** In the version that is known here, with the flags that are. */
export function writeTraceparent({ traceId, spanId, isSampled, isRandom }: TraceContext): string {
  const flags = (isSampled ? sampledBit : 0) | (isRandom ? randomBit : 0)
  return `${ownVersion}-${traceId}-${spanId}-0${flags}`
}

/** The beginning of a trace that nobody records. */
export function newTraceContext(): TraceContext {
  return { traceId: randomId(16), spanId: randomId(8), isSampled: false, isRandom: false }
}

function randomId(bytes: number): string {
  for (;;) {
    const id = randomBytes(bytes).toString('hex')
    if (!onlyZeros.test(id)) return id
  }
}

const maxMembers = 32
/** `vendor=value`; a value has neither comma nor equals sign, and does not end with a space. */
const member = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/

/** The value of the header as it is passed on; nothing where a member of it is wrong, or there is none. */
export function readTracestate(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const members = header.split(',').map(trimmed).filter(Boolean)
  if (members.length === 0 || members.length > maxMembers) return undefined
  return members.every((each) => member.test(each)) ? members.join(',') : undefined
}

/** Spaces and tabs may be around a value. */
function trimmed(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '')
}

/** Headers of a request, several of a name joined by commas. */
export interface TraceHeaders {
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

/** What both say together. A trace state without a parent says nothing. */
export function readTraceHeaders(
  headers: TraceHeaders,
): { readonly parent: TraceContext; readonly tracestate: string | undefined } | undefined {
  const parent = readTraceparent(headers.traceparent)
  return parent && { parent, tracestate: readTracestate(headers.tracestate) }
}
