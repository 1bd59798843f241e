/**
 * What the audit file says of a SOAP message: who calls what, by the X-Road header of the envelope as it goes out, and
 * the hash that the Security Server's response gives. Only people write another user or id into an envelope than those
 * of the request, so those of generated files are not read for them. Nothing here runs without an audit file.
 */
import type { SoapEndpoint } from '../../model.ts'
import type { AuditedMessage } from '../../trace.ts'
import { type Json, lengthOf } from '../../soap/json/json-text.ts'
import { type HeaderNames, readHeaderNames } from '../../soap/message/header-names.ts'

type Named = Pick<AuditedMessage, 'lane' | 'client' | 'service' | 'version'> & {
  /** The user that X-Road sees; left out when that is the caller's user, or nobody. */
  readonly user?: string
  /** By which X-Road knows the message; left out where the header has none. */
  readonly id?: string
}

interface Known {
  /** The envelope up to where the names end. */
  readonly start: string
  readonly names: HeaderNames
}

/** Of each endpoint the newest: most envelopes of an endpoint begin alike, and two that do say the same. */
const known = new WeakMap<SoapEndpoint, Known>()

export function whoCallsWhat(endpoint: SoapEndpoint, message: Uint8Array): Named {
  const { group, service, url, isGenerated } = endpoint
  if (url !== undefined) {
    return { lane: 'direct', client: undefined, service: `${group}/${service}`, version: undefined }
  }
  const envelope = startOfEnvelope(message)
  if (!isGenerated) {
    const { end: _, user, id, ...names } = readHeaderNames(envelope, { isWhole: true })
    return { lane: 'soap', ...names, ...(user === undefined ? {} : { user }), ...(id === undefined ? {} : { id }) }
  }
  const before = known.get(endpoint)
  if (before !== undefined && envelope.startsWith(before.start)) return { lane: 'soap', ...before.names }
  const { end, user: _, id: __, ...names } = readHeaderNames(envelope)
  if (end !== undefined) known.set(endpoint, { start: envelope.slice(0, end), names })
  return { lane: 'soap', ...names }
}

/** By which X-Road knows a message of an endpoint; `uuid` is that of the request. */
export function sentId({ isGenerated }: SoapEndpoint, message: Uint8Array, uuid: string): string | undefined {
  return isGenerated ? uuid : readHeaderNames(startOfEnvelope(message), { isWhole: true }).id
}

/** In a message with attachments the envelope is the first part. */
function startOfEnvelope(message: Uint8Array): string {
  const text = Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString('utf8', 0, maxHeaderLength)
  return text.startsWith('--') ? text.slice(text.indexOf('\r\n\r\n') + 4) : text
}

/** A header is usually a few hundred characters long. */
const maxHeaderLength = 65_536

/** `headers` of a translated response. */
export function requestHashOf(headers: Json): string | undefined {
  if (lengthOf(headers) > maxHeaderLength) return undefined
  const fields = JSON.parse(String(headers)) as Readonly<Record<string, unknown>> | null
  const [, hash] = Object.entries(fields ?? {}).find(([name]) => /^(?:.*:)?requestHash$/.test(name)) ?? []
  const text = typeof hash === 'object' && hash !== null ? (hash as { '#text'?: unknown })['#text'] : hash
  return typeof text === 'string' ? text : undefined
}
