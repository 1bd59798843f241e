/**
 * Opens both lanes: who calls the Security Server with which keystore, where the calls of each endpoint go, or why they
 * go nowhere. Endpoints and the configuration come in; what the request path reads goes out. Everything that calls need
 * of the file system is read here: none of it has to be there later. Of the lanes before, connections stay where
 * nothing has changed that they are made with.
 */
import type { Environment } from '@services/config-file'
import { type ClientKeystore, identityOf, keystoreOf } from '../boot/config/client-identity.ts'
import type { Config } from '../boot/config/schema.ts'
import { toHeaderPairs } from '../boot/dsl/header-edits.ts'
import { type DatedCertificate, ownDates, trustedDates } from '../boot/tls/certificates.ts'
import { type ClientIdentity, createPublicContext, openIdentity } from '../boot/tls/keystore.ts'
import type { Events } from '../events.ts'
import { createGuardedLookup } from '../guard/lookup.ts'
import type { Endpoint, EndpointLimits, Identity, RestEndpoint, SoapEndpoint } from '../model.ts'
import { toReader } from '../serve/lanes/request-reader.ts'
import { type RestDestination, toRestDestination } from '../serve/lanes/rest-destination.ts'
import type { RestLane } from '../serve/lanes/rest.ts'
import type { SecurityServer } from '../serve/lanes/security-server.ts'
import { type SoapDestination, toSoapDestination, type Upstreams } from '../serve/lanes/soap-destination.ts'
import type { StepQueue } from '../serve/lanes/in-steps.ts'
import type { Obstructed, SoapLane } from '../serve/lanes/soap.ts'
import type { Validation } from '../soap/check/check.ts'
import type { Budget } from '../upstream/budget.ts'
import { type Limits, openUpstream, type Upstream, type UpstreamOptions } from '../upstream/upstream.ts'
import { toClientElement, toClientHeader, toName } from '../xroad.ts'

export interface Loads {
  readonly endpoints: readonly Endpoint[]
  /** Those that cannot say who calls. */
  readonly nameless: ReadonlySet<Endpoint>
  readonly bodies: SoapLane['bodies']
  /** Endpoints whose requests are checked. */
  readonly checks: ReadonlyMap<SoapEndpoint, Validation>
  /** Requests have a place in a trace, and their calls pass it on. */
  readonly isTracing: boolean
}

export interface Lanes {
  readonly soap: SoapLane
  readonly rest: RestLane
  /** To be closed at the end, or retired when others take their place. */
  readonly upstreams: readonly KeyedUpstream[]
  /** Those that calls to the Security Server need. */
  readonly certificates: readonly DatedCertificate[]
  /** With which the Security Server is called; the one of `client_data` has no name. */
  readonly identities: readonly ServerIdentity[]
}

export interface KeyedUpstream {
  /** All that its connections are made with. */
  readonly key: string
  readonly upstream: Upstream
}

export interface ServerIdentity extends ClientIdentity {
  /** Scheme, host and port of the server. */
  readonly origin: string
  readonly name: string | undefined
  /** When it last answered a call of this identity, as of an upstream. */
  readonly lastAnswer: () => number
}

/** What lanes share with those before them and after them. */
export interface LanesContext {
  readonly env: Environment
  readonly events: Events
  readonly budget: Budget
  readonly queue: StepQueue
  /** Those before. */
  readonly lanes: Pick<Lanes, 'upstreams' | 'identities'> | undefined
}

export function openLanes(
  config: Config,
  { endpoints, nameless, bodies, checks, isTracing }: Loads,
  { env, events, budget, queue, lanes: before }: LanesContext,
): Lanes {
  const { limits } = config
  const open = keepUpstreams(toBounds(config, endpoints), before?.upstreams)
  const { clients, certificates, identities } = openClients(config, endpoints, { open, env, known: before?.identities })
  if (endpoints.some((endpoint) => endpoint.kind === 'soap' && endpoint.url?.startsWith('https:')))
    createPublicContext()
  const direct = open('direct', { secureContext: createPublicContext })
  const guarded = open('guarded', { secureContext: createPublicContext, lookup: createGuardedLookup() })
  const ways: Ways = {
    instance: config.instance,
    securityServer: config.securityServer && readSecurityServer(config.securityServer.url),
    clientOf: ({ client }) => clients.get(client) as Client,
    limitsOf: (endpoint) => limitsOf(endpoint.limits, limits),
    direct: direct.upstream,
    guarded: guarded.upstream,
    isTracing,
  }
  const { maxRequestBytes, requestTimeoutSeconds: timeoutSeconds } = limits
  const calls = { maxRequestBytes, timeoutSeconds, budget }
  return {
    upstreams: [...Array.from(clients.values(), ({ keyed }) => keyed), direct, guarded],
    certificates,
    identities,
    soap: {
      ...calls,
      ...toSoapDestinations({ endpoints, nameless, checks, events }, ways),
      exposeFaultDetail: config.exposeSoapFaultDetail,
      bodies,
      queue,
      events,
    },
    rest: { ...calls, events, destinations: toRestDestinations(endpoints, ways, env) },
  }
}

/** Of all calls without limits of their own, and the time of the longest of the others. */
type Bounds = Limits & Required<Pick<UpstreamOptions, 'longestSeconds'>>

function toBounds({ limits }: Config, endpoints: readonly Endpoint[]): Bounds {
  const { requestTimeoutSeconds: timeoutSeconds, maxResponseBytes } = limits
  const all = endpoints.map((endpoint) => endpoint.limits.timeoutSeconds ?? 0)
  return { timeoutSeconds, maxResponseBytes, longestSeconds: all.reduce((a, b) => Math.max(a, b), timeoutSeconds) }
}

type OpenUpstream = (key: string, options: Omit<UpstreamOptions, keyof Bounds>) => KeyedUpstream

/**
 * The one of before where its key is the same. Who began with a set ends with its bounds, so those are a part of the
 * key.
 */
function keepUpstreams(bounds: Bounds, before: readonly KeyedUpstream[] = []): OpenUpstream {
  return (name, options) => {
    const key = JSON.stringify([name, bounds])
    return before.find((known) => known.key === key) ?? { key, upstream: openUpstream({ ...bounds, ...options }) }
  }
}

/** Undefined where the file says nothing. */
function limitsOf(own: EndpointLimits, limits: Config['limits']): Limits | undefined {
  if (own.timeoutSeconds === undefined && own.maxResponseBytes === undefined) return undefined
  return {
    timeoutSeconds: own.timeoutSeconds ?? limits.requestTimeoutSeconds,
    maxResponseBytes: own.maxResponseBytes ?? limits.maxResponseBytes,
  }
}

/** Who calls, in all spellings, and connections to the Security Server that are opened as this client. */
interface Client {
  readonly generated: SoapDestination['generated']
  readonly header: string
  readonly name: string
  readonly keyed: KeyedUpstream
}

interface Ways extends Pick<Upstreams, 'direct' | 'guarded'>, Pick<Loads, 'isTracing'> {
  readonly instance: string
  readonly securityServer: SecurityServer | undefined
  readonly clientOf: (endpoint: Endpoint) => Client
  readonly limitsOf: (endpoint: Endpoint) => Limits | undefined
}

/** Where envelopes go, or why they go nowhere. A server that is missing is the first thing to repair. */
function toSoapDestinations(
  { endpoints, nameless, checks, events }: Omit<Loads, 'bodies' | 'isTracing'> & { readonly events: Events },
  { securityServer, clientOf, limitsOf, direct, guarded }: Ways,
): Pick<SoapLane, 'destinations' | 'obstacles'> {
  const destinations = new Map<SoapEndpoint, SoapDestination>()
  const obstacles = new Map<SoapEndpoint, Obstructed>()
  for (const endpoint of endpoints) {
    if (endpoint.kind === 'rest') continue
    const { generated, keyed } = clientOf(endpoint)
    const reader = toReader(endpoint.params, checks.get(endpoint), events)
    const call = { generated, reader, limits: limitsOf(endpoint) }
    const destination = toSoapDestination(endpoint, { upstream: keyed.upstream, direct, guarded }, securityServer, call)
    if (destination === undefined) obstacles.set(endpoint, { obstacle: 'no_security_server', reader })
    else if (nameless.has(endpoint)) obstacles.set(endpoint, { obstacle: 'no_client', reader })
    else destinations.set(endpoint, destination)
  }
  return { destinations, obstacles }
}

function toRestDestinations(
  endpoints: readonly Endpoint[],
  { instance, securityServer, clientOf, limitsOf, isTracing }: Ways,
  env: Environment,
): ReadonlyMap<RestEndpoint, RestDestination> {
  if (securityServer === undefined) return new Map()
  const rest = endpoints.filter((endpoint) => endpoint.kind === 'rest')
  return new Map(
    rest.map((endpoint) => {
      const { header: client, name, keyed } = clientOf(endpoint)
      const set = endpoint.headers === undefined ? [] : toHeaderPairs(endpoint.headers, env)
      const call = { upstream: keyed.upstream, set, limits: limitsOf(endpoint), isTracing }
      return [endpoint, toRestDestination(endpoint, { instance, client, name }, securityServer, call)]
    }),
  )
}

interface OpenClients extends Pick<Lanes, 'certificates' | 'identities'> {
  /** By the name in `clients`; that of `client_data` is undefined. */
  readonly clients: ReadonlyMap<string | undefined, Client>
}

interface ClientContext {
  readonly open: OpenUpstream
  readonly env: Environment
  /** Of the lanes before: a keystore that has not changed is not opened again. */
  readonly known: readonly ClientIdentity[] | undefined
}

/** A keystore is read at boot and only where an endpoint needs it, so that a wrong one shows before the first call. */
function openClients(
  config: Config,
  endpoints: readonly Endpoint[],
  { open, env, known = [] }: ClientContext,
): OpenClients {
  const clients = new Map<string | undefined, Client>()
  const certificates: DatedCertificate[] = []
  const identities: ServerIdentity[] = []
  for (const name of new Set([undefined, ...endpoints.map(({ client }) => client)])) {
    const isNeeded = endpoints.some((endpoint) => endpoint.client === name && isThroughServer(endpoint))
    const keystore = isNeeded ? keystoreOf(config, name) : undefined
    const identity = keystore && openIdentity(keystore, env, known)
    if (identity !== undefined) certificates.push(...ownDates(keystore as ClientKeystore, identity.secureContext))
    const { url } = config.securityServer ?? {}
    const keyed = open(JSON.stringify([name, identity?.digest]), toTls(identity))
    if (identity !== undefined && url !== undefined) {
      const lastAnswer = (): number => keyed.upstream.lastAnswer()
      identities.push({ ...identity, name, origin: new URL(url).origin, lastAnswer })
    }
    clients.set(name, { ...spell(config, name), keyed })
  }
  // Of the ones that servers are verified with it is said once.
  if (certificates.length > 0) certificates.push(...trustedDates(config.securityServer?.trustCaPath))
  return { clients, certificates, identities }
}

function toTls(identity: ClientIdentity | undefined): Pick<UpstreamOptions, 'secureContext' | 'checkServer'> {
  if (identity === undefined) return { secureContext: createPublicContext }
  const { secureContext, checkServer } = identity
  return { secureContext: () => secureContext, checkServer }
}

function spell(config: Config, name: string | undefined): Omit<Client, 'keyed'> {
  const identity = identityOf(config, name) as Identity
  const { instance, protocolVersion: protocol_version } = config
  const generated = { instance, client: toClientElement(identity), protocol_version }
  return { generated, header: toClientHeader(identity), name: toName(identity) }
}

function isThroughServer(endpoint: Endpoint): boolean {
  return endpoint.kind === 'rest' || endpoint.url === undefined
}

function readSecurityServer(url: string): SecurityServer {
  const { origin, pathname } = new URL(url)
  return { origin, path: pathname.replace(/\/+$/, '') }
}
