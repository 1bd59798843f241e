/**
 * Where the calls of a REST endpoint go, as which client, and with which headers. Made at boot, read with each call.
 */
import type { RawHeaders, RestEndpoint } from '../../model.ts'
import { parsePathTemplate, textsAround } from '../../path-template.ts'
import type { AuditedMessage } from '../../trace.ts'
import { type OutboundRules, toOutboundRules } from '../../upstream/headers.ts'
import type { Limits, Upstream } from '../../upstream/upstream.ts'
import { toName, toServicePath } from '../../xroad.ts'
import type { SecurityServer } from './security-server.ts'

/** What is the same for all calls of an endpoint. `path` is the one before the query string. */
export interface RestDestination extends SecurityServer {
  /** With the identity of the client. */
  readonly upstream: Upstream
  /** The pieces of the path around its parameters, where it has any. */
  readonly texts: readonly string[]
  readonly rules: OutboundRules
  /** Instead of those of all calls. */
  readonly limits: Limits | undefined
  /** As the audit file names who calls what. */
  readonly audited: Pick<AuditedMessage, 'lane' | 'client' | 'service' | 'version'> & {
    /** The user that X-Road sees instead of the caller's, where the file says so. */
    readonly user?: string
  }
}

/** Who calls from where, as addresses and headers say it. */
export interface RestIdentity {
  readonly instance: string
  /** Value of X-Road-Client. */
  readonly client: string
  /** As people read it. */
  readonly name: string
}

/** `set` are header names and values in turn. */
export function toRestDestination(
  { target, headers }: RestEndpoint,
  { instance, client, name }: RestIdentity,
  { origin, path: base }: SecurityServer,
  {
    upstream,
    set,
    limits,
    isTracing,
  }: Pick<RestDestination, 'upstream' | 'limits'> & {
    readonly set: RawHeaders
    /** Requests have a place in a trace, and their calls pass it on. */
    readonly isTracing: boolean
  },
): RestDestination {
  const path = base + toServicePath(instance, target)
  // What is before the target's own path has no brace: it is percent-encoded.
  const texts = textsAround(parsePathTemplate(path))
  const service = `${toName({ ...target, instance: target.xroadInstance || instance })}/${target.serviceCode}`
  const audited = { lane: 'rest', client: name, service, version: undefined, ...userIn(set) } as const
  const rules = toOutboundRules(client, { remove: headers?.remove, set, isTracing })
  return { origin, path, texts, upstream, rules, limits, audited }
}

/** One character for each byte. */
function userIn(set: RawHeaders): { readonly user?: string } {
  const at = set.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'x-road-userid')
  return at === -1 ? {} : { user: Buffer.from(set[at + 1] ?? '', 'latin1').toString() }
}
