/**
 * How X-Road writes names down: an identity as an XML element and as a header, a service as a path, and what the code
 * of an error tells about who made it. Pure text in, text out.
 *
 * Owns no header names and no envelope; those who send a call put the pieces together.
 */
import type { Identity, FailureSource, Target } from './model.ts'

/** The client element of a SOAP header. The envelope around it declares the prefixes `xroad` and `id`. */
export function toClientElement(identity: Identity): string {
  const { instance, memberClass, memberCode, subsystemCode } = identity
  const member = element('xRoadInstance', instance) + element('memberClass', memberClass)
  const isMember = subsystemCode === ''
  const subsystem = isMember ? '' : element('subsystemCode', subsystemCode)
  const type = isMember ? 'MEMBER' : 'SUBSYSTEM'
  const inside = `${member}${element('memberCode', memberCode)}${subsystem}`
  return `<xroad:client id:objectType="${type}">${inside}</xroad:client>`
}

/** The value of the header `X-Road-Client`: four segments, or three for a member that calls in its own name. */
export function toClientHeader(identity: Identity): string {
  const { instance, memberClass, memberCode, subsystemCode } = identity
  const member = [instance, memberClass, memberCode]
  return toSegments(subsystemCode === '' ? member : [...member, subsystemCode])
}

/** Member class, member code and subsystem for people, as far as they are known; empty where nothing is. */
export function toClientName({ memberClass, memberCode, subsystemCode }: Identity): string {
  return [memberClass, memberCode, subsystemCode].filter((part) => part !== '').join('/')
}

/** As people read and write it: `EE/GOV/70000001/my-system`, without the parts that are empty. */
export function toName({ instance, memberClass, memberCode, subsystemCode }: Identity): string {
  return [instance, memberClass, memberCode, subsystemCode].filter((part) => part !== '').join('/')
}

/** The path of a REST call at the Security Server, without the query. `instance` is our own. */
export function toServicePath(instance: string, target: Target): string {
  const { xroadInstance, memberClass, memberCode, subsystemCode, serviceCode, path } = target
  return `/r1/${toSegments([xroadInstance || instance, memberClass, memberCode, subsystemCode, serviceCode])}${path}`
}

/** Whether every character may be in an identifier (ASCII letters only). Says nothing about an empty one. */
export function isIdentifier(text: string): boolean {
  return /^[A-Za-z0-9'()+,\-.=?]*$/.test(text)
}

/**
 * Beginnings of a code, after the prefix of a qualified name. Before version 7.8 they were written in capitals;
 * Security Servers of different age talk to each other, and a fault keeps the spelling of the one that made it. Errors
 * of the signer come wrapped in these. A provider's own `soap:Client.Something` always has a prefix.
 */
const origins: readonly (readonly [RegExp, FailureSource])[] = [
  [/^(?:[^\s:]+:)?server\.clientproxy(?:\.|$)/i, 'security_server'],
  [/^(?:[^\s:]+:)?server\.serverproxy(?:\.|$)/i, 'provider_security_server'],
  [/^client\../i, 'security_server'],
]

/** Who made an error, by the code in the fault or in the header `X-Road-Error`. */
export function sourceOf(errorCode: string): FailureSource {
  const code = errorCode.trim()
  return origins.find(([beginning]) => beginning.test(code))?.[1] ?? 'provider'
}

function element(name: string, value: string): string {
  return `<id:${name}>${escapeText(value)}</id:${name}>`
}

const textEscapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escapeText(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => textEscapes[character] ?? character)
}

function toSegments(parts: readonly string[]): string {
  return parts.map(toSegment).join('/')
}

/** A segment of a path: every character but letters, digits and `-._~` is percent-encoded as UTF-8. */
export function toSegment(part: string): string {
  // `encodeURIComponent` leaves five characters alone that the gateways disagree about, and throws for half a pair.
  return encodeURIComponent(part.toWellFormed()).replaceAll(/[!'()*]/g, toPercent)
}

function toPercent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
