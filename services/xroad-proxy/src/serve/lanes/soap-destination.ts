/**
 * Where the envelopes of an endpoint go: to the Security Server, or directly to an address of its own. Made at boot,
 * read with each call.
 */
import type { FailureSource, Generated, SoapEndpoint, SoapVersion } from '../../model.ts'
import type { Call, Limits, Upstream } from '../../upstream/upstream.ts'
import type { RequestReader } from './request-reader.ts'
import type { SecurityServer } from './security-server.ts'

/** Where an envelope goes: everything of the call but its body. */
export interface SoapDestination {
  readonly reader: RequestReader
  readonly upstream: Upstream
  readonly call: Omit<Call, 'body'>
  /** Who makes the faults, where it is one and the same. */
  readonly source: FailureSource | undefined
  /** `generate.*` without what belongs to a message. */
  readonly generated: Pick<Generated, 'instance' | 'client' | 'protocol_version'>
}

export interface Upstreams {
  /** Calls to the Security Server, with the identity of the endpoint's client. */
  readonly upstream: Upstream
  /** Calls to the addresses of DSL files, without one. */
  readonly direct: Upstream
  /** Calls to addresses that came from a WSDL: names that lead into the local network are refused. */
  readonly guarded: Upstream
}

/**
 * What is the same for all calls of an endpoint; undefined where there is no Security Server for them. An envelope is
 * posted, whatever the method of the endpoint is.
 */
export function toSoapDestination(
  { url, soapVersion, soapAction, isGenerated }: SoapEndpoint,
  { upstream, direct, guarded }: Upstreams,
  securityServer: SecurityServer | undefined,
  {
    generated,
    reader,
    limits,
  }: Pick<SoapDestination, 'generated' | 'reader'> & { readonly limits?: Limits | undefined },
): SoapDestination | undefined {
  const { type, action } = versionHeaders[soapVersion](soapAction)
  const headers = ['Content-Type', type, 'Accept-Encoding', 'identity', ...action]
  if (url === undefined) {
    if (securityServer === undefined) return undefined
    const { origin, path } = securityServer
    return {
      upstream,
      call: { origin, path: path || '/', method: 'POST', headers, limits, isVerified: true },
      source: undefined,
      generated,
      reader,
    }
  }
  const { origin, pathname, search } = new URL(url)
  const call = { origin, path: pathname + search, method: 'POST', headers, limits }
  return { upstream: isGenerated ? guarded : direct, call, source: 'provider', generated, reader }
}

/** How the action goes along: in a header of its own, or as a parameter of the type. */
const versionHeaders: Readonly<Record<SoapVersion, (action: string | undefined) => VersionHeaders>> = {
  '1.1': (action) => ({
    type: 'text/xml; charset=utf-8',
    action: action === undefined ? [] : ['SOAPAction', `"${action}"`],
  }),
  '1.2': (action) => ({
    // An action is a URI, and an empty text is not one.
    type: `application/soap+xml; charset=utf-8${action ? `; action="${action.replaceAll('\\', String.raw`\\`)}"` : ''}`,
    action: [],
  }),
}

interface VersionHeaders {
  readonly type: string
  readonly action: readonly string[]
}
