/**
 * Puts the service together: a loaded configuration in, a running service out. The only file that sees all the others;
 * what `main.ts` adds is the process (flags, signals, exit code).
 */
import { CodedContent } from '@services/content-coding'
import type { Loaded } from './boot/config/config.ts'
import { type DatedCertificate, readDates } from './boot/tls/certificates.ts'
import { watchCertificates } from './certificate-watch.ts'
import { endpointsWithoutClient, tellWithoutClient } from './boot/config/client-identity.ts'
import { loadEndpoints } from './boot/dsl/endpoints.ts'
import { createClientContext, createPublicContext, createServerCheck } from './boot/tls/keystore.ts'
import { describeEndpoints, type EndpointTypes } from './boot/description/openapi.ts'
import { refuseAddresses } from './boot/ingest/addresses.ts'
import type { Config } from './boot/config/schema.ts'
import type { Ingested } from './boot/ingest/ingest.ts'
import type { Events } from './events.ts'
import type { Endpoint, RestEndpoint, SoapEndpoint } from './model.ts'
import { Budget } from './upstream/budget.ts'
import { createDocsPage } from './serve/pages/docs-page.ts'
import { createGuardedLookup } from './guard/lookup.ts'
import { handle, reportTooSlow, type Service } from './serve/handle.ts'
import { refuse } from './serve/refuse.ts'
import { toRoutes } from './serve/route.ts'
import type { Obstacle, SecurityServer } from './serve/lanes/security-server.ts'
import { startServer } from './serve/server.ts'
import { type Destination, type SoapLane, toDestination, type Upstreams } from './serve/lanes/soap.ts'
import { openUpstream, type Upstream, type UpstreamOptions } from './upstream/upstream.ts'
import type { Member } from './soap/json/shape.ts'
import { version } from './version.ts'
import { toClientElement, toClientHeader, toServicePath } from './xroad.ts'

export interface RunningService {
  readonly address: string
  readonly port: number
  /** Stops accepting, finishes what is in flight, closes the connections. */
  close(): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

export async function startService(
  { config, source, warnings }: Loaded,
  env: Environment,
  events: Events,
): Promise<RunningService> {
  const ingested = await ingest(config)
  const loaded = loadEndpoints(config.dslPath)
  const { endpoints, warnings: refused } = refuseAddresses(loaded.endpoints, config.wsdl)
  const types = await readTypes(config, endpoints, ingested)
  const nameless = endpointsWithoutClient(endpoints, config.client)
  const found = [
    ...tellWithoutClient(nameless, config.client),
    ...(ingested?.warnings ?? []),
    ...loaded.warnings,
    ...loaded.templateWarnings,
    ...refused,
    ...types.warnings,
  ]
  const messages = [...warnings, ...found]
  for (const message of messages) events.emit('warning', { message })
  const rest = endpoints.filter((endpoint) => endpoint.kind === 'rest')
  events.emit('started', { version, config: source, soap: endpoints.length - rest.length, rest: rest.length })

  const { upstreams, certificates, ...lanes } = openLanes(
    config,
    { endpoints, rest, nameless: new Set(nameless), bodies: types.bodies },
    env,
    events,
  )
  const routes = toRoutes(endpoints)
  const service: Service = {
    routes,
    health: { status: 200, body: Buffer.from('{"status":"ok"}') },
    api: new CodedContent(await makeDescription(config, endpoints, ingested, types)),
    docs: createDocsPage(),
    errorMessageId: config.errorMessageId,
    ...lanes,
    events,
  }
  const server = await startServer({
    host: config.host,
    port: config.port,
    fastReader: config.server.fastReader,
    handle: (request, writer) => handle(service, request, writer),
    refuse: (refusal) => refuse(routes, events, refusal),
    tooSlow: (request) => reportTooSlow(service, request),
  })
  events.emit('listening', { address: server.address })
  const stopWatching = watchCertificates(certificates, events)
  return {
    address: server.address,
    port: server.port,
    async close() {
      stopWatching()
      await server.close()
      await Promise.all(upstreams.map((upstream) => upstream.close()))
    },
  }
}

/** Loaded only where WSDL files are to be read. */
async function ingest({ wsdlWatchDir: dir, dslPath, client, wsdl }: Config): Promise<Ingested | undefined> {
  if (dir === undefined) return undefined
  const { ingestWsdls } = await import('./boot/ingest/ingest.ts')
  const { allowHttpUpstream: allowHttp, upstreamHostAllowlist: hostAllowlist } = wsdl
  return ingestWsdls({ dir, dslPath, client, allowHttp, hostAllowlist, write: true })
}

/** Where WSDL files are read, the description of an earlier start is used as long as it would be the same. */
async function makeDescription(
  { dslPath, soapResponse }: Config,
  endpoints: readonly Endpoint[],
  ingested: Ingested | undefined,
  { described, bodies }: Types,
): Promise<Buffer> {
  const describe = (): Buffer => Buffer.from(describeEndpoints(endpoints, version, described))
  if (ingested === undefined) return describe()
  const { pageKey, recallPage, rememberPage } = await import('./boot/description/page-memory.ts')
  const typed = Array.from(bodies.keys(), ({ file }) => file)
  const key = pageKey(endpoints, ingested.keys, [version, soapResponse, typed, [...ingested.generated.keys()]])
  const known = recallPage(dslPath, key)
  if (known !== undefined) return known
  const page = describe()
  rememberPage(dslPath, key, page)
  return page
}

interface Types {
  readonly bodies: ReadonlyMap<SoapEndpoint, Member>
  readonly described?: EndpointTypes
  readonly warnings: readonly string[]
}

/** What WSDL files say about requests and answers; loaded only where somebody asks. */
async function readTypes(
  { soapResponse }: Config,
  endpoints: readonly Endpoint[],
  ingested: Ingested | undefined,
): Promise<Types> {
  const isAsked = endpoints.some(
    (endpoint) => endpoint.kind === 'soap' && (endpoint.response ?? soapResponse) === 'schema',
  )
  if (ingested === undefined && !isAsked) return { bodies: new Map(), warnings: [] }
  const { generated, replaced } = ingested ?? { generated: new Map(), replaced: new Map() }
  const { typeAnswers } = await import('./boot/description/typed-answers.ts')
  const { typeEndpoints } = await import('./boot/description/openapi-typed.ts')
  const { bodies, warnings } = typeAnswers(endpoints, { generated, replaced }, soapResponse)
  return { bodies, warnings, described: typeEndpoints({ generated, replaced, bodies }) }
}

interface Loads {
  readonly endpoints: readonly Endpoint[]
  readonly rest: readonly RestEndpoint[]
  /** Those that cannot say who calls. */
  readonly nameless: ReadonlySet<Endpoint>
  readonly bodies: Types['bodies']
}

interface Lanes extends Pick<Service, 'soap' | 'rest'> {
  /** To be closed at the end. */
  readonly upstreams: readonly Upstream[]
  /** Those that calls to the Security Server need. */
  readonly certificates: readonly DatedCertificate[]
}

function openLanes(
  config: Config,
  { endpoints, rest, nameless, bodies }: Loads,
  env: Environment,
  events: Events,
): Lanes {
  const { client, instance, limits } = config
  const bounds = { timeoutSeconds: limits.requestTimeoutSeconds, maxAnswerBytes: limits.maxResponseBytes }
  // Everything that calls need of the file system is read now: none of it has to be there later.
  const { certificates, ...identity } = openIdentity(config, endpoints, env)
  const upstream = openUpstream({ ...bounds, ...identity })
  if (endpoints.some((endpoint) => endpoint.kind === 'soap' && endpoint.url?.startsWith('https:')))
    createPublicContext()
  const direct = openUpstream({ ...bounds, secureContext: createPublicContext })
  const guarded = openUpstream({ ...bounds, secureContext: createPublicContext, lookup: createGuardedLookup() })
  const securityServer = config.securityServer && readPlace(config.securityServer.url)
  const upstreams = { upstream, direct, guarded }
  const { maxRequestBytes, requestTimeoutSeconds: timeoutSeconds } = limits
  const calls = { maxRequestBytes, timeoutSeconds, budget: new Budget(limits.maxInflightBytes) }
  return {
    upstreams: Object.values(upstreams),
    certificates,
    soap: {
      ...calls,
      ...toDestinations(endpoints, nameless, upstreams, securityServer),
      generated: { instance, client: toClientElement(client), protocol_version: config.protocolVersion },
      exposeFaultDetail: config.exposeSoapFaultDetail,
      bodies,
      events,
    },
    rest: {
      upstream,
      ...calls,
      client: toClientHeader(client),
      places: toPlaces(rest, instance, securityServer),
    },
  }
}

/** Where envelopes go, or why they go nowhere. A server that is missing is the first thing to mend. */
function toDestinations(
  endpoints: readonly Endpoint[],
  nameless: ReadonlySet<Endpoint>,
  upstreams: Upstreams,
  securityServer: SecurityServer | undefined,
): Pick<SoapLane, 'destinations' | 'obstacles'> {
  const destinations = new Map<SoapEndpoint, Destination>()
  const obstacles = new Map<SoapEndpoint, Obstacle>()
  for (const endpoint of endpoints) {
    if (endpoint.kind === 'rest') continue
    const destination = toDestination(endpoint, upstreams, securityServer)
    if (destination === undefined) obstacles.set(endpoint, 'no_security_server')
    else if (nameless.has(endpoint)) obstacles.set(endpoint, 'no_client')
    else destinations.set(endpoint, destination)
  }
  return { destinations, obstacles }
}

function toPlaces(
  endpoints: readonly RestEndpoint[],
  instance: string,
  securityServer: SecurityServer | undefined,
): ReadonlyMap<RestEndpoint, SecurityServer> {
  if (securityServer === undefined) return new Map()
  const { origin, path } = securityServer
  return new Map(
    endpoints.map((endpoint) => [endpoint, { origin, path: path + toServicePath(instance, endpoint.target) }]),
  )
}

/** Read at boot and only where an endpoint needs it, so that a wrong keystore shows before the first call. */
function openIdentity(
  { securityServer }: Config,
  endpoints: readonly Endpoint[],
  env: Environment,
): Pick<UpstreamOptions, 'secureContext' | 'checkServer'> & Pick<Lanes, 'certificates'> {
  const isNeeded = endpoints.some((endpoint) => endpoint.kind === 'rest' || endpoint.url === undefined)
  if (securityServer === undefined || !isNeeded) return { secureContext: createPublicContext, certificates: [] }
  const identity = createClientContext(securityServer, env)
  return {
    secureContext: () => identity,
    checkServer: createServerCheck(securityServer),
    certificates: readDates(securityServer, identity),
  }
}

function readPlace(url: string): SecurityServer {
  const { origin, pathname } = new URL(url)
  return { origin, path: pathname.replace(/\/+$/, '') }
}
