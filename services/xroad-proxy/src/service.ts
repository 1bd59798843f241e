/**
 * Puts the service together: a loaded configuration in, a running service out. The only file that sees all the others;
 * what `main.ts` adds is the process (flags, signals, exit code).
 */
import { AuditFile } from './audit/audit-file.ts'
import { CodedContent } from '@services/content-coding'
import type { Shell } from '@services/http-shell'
import { whenDrained } from '@services/observe'
import { openTracing } from '@services/trace'
import type { Loaded } from './boot/config/config.ts'
import { watchCertificates } from './certificate-watch.ts'
import { endpointsWithoutClient, namesOf, tellWithoutClient } from './boot/config/client-identity.ts'
import { type LoadedEndpoints, surveyEndpoints, withoutProblems } from './boot/dsl/endpoints.ts'
import { calledAs } from './boot/description/called-as.ts'
import type { RequestChecks } from './boot/checks/request-checks.ts'
import { describeEndpoints, type EndpointTypes } from './boot/description/openapi.ts'
import { refuseAddresses } from './boot/ingest/addresses.ts'
import type { Config } from './boot/config/schema.ts'
import type { Imported } from './boot/openapi/import.ts'
import type { Ingested } from './boot/ingest/ingest.ts'
import type { Events } from './events.ts'
import { openLanes, type ServerIdentity } from './lanes.ts'
import type { Measures } from './measure/measures.ts'
import type { Endpoint, SoapEndpoint } from './model.ts'
import type { Audit } from './serve/audited-writer.ts'
import { openDocsPage } from './serve/pages/docs-page.ts'
import { handle, reportTooSlow, type Service } from './serve/handle.ts'
import { refuse } from './serve/refuse.ts'
import { toRoutes } from './serve/route.ts'
import { startServer } from './serve/server.ts'
import type { Member } from './soap/json/shape.ts'
import { version } from './version.ts'

export interface RunningService {
  readonly address: string
  readonly port: number
  isListening(): boolean
  readonly identities: readonly ServerIdentity[]
  /** Answers end their connections from now on. */
  announceEnd(): void
  /** Stops accepting, finishes what is in flight, closes the connections. */
  close(): Promise<void>
  /** What SIGHUP asks for; left out where there is nothing that could be done. */
  hangUp?(): void
}

type Environment = Readonly<Record<string, string | undefined>>

/** `measures` counts what the service does; without it nothing is counted. */
export async function startService(
  { config, source, warnings }: Loaded,
  env: Environment,
  events: Events,
  measures?: Measures,
): Promise<RunningService> {
  const ingested = await ingest(config)
  const loaded = await load(config, env)
  const { endpoints, warnings: refused } = refuseAddresses(loaded.endpoints, config.wsdl)
  const { checks, refusing, warnings: unchecked } = await openChecks(config, endpoints, ingested)
  const types = await readTypes(config, endpoints, ingested, refusing)
  const nameless = endpointsWithoutClient(endpoints, config.client)
  const found = [
    ...tellWithoutClient(nameless, config.client),
    ...(ingested?.warnings ?? []),
    ...loaded.warnings,
    ...loaded.templateWarnings,
    ...(loaded.descriptionWarnings ?? []),
    ...refused,
    ...types.warnings,
    ...unchecked,
  ]
  const messages = [...warnings, ...found]
  for (const message of messages) events.emit('warning', { message })
  const rest = endpoints.filter((endpoint) => endpoint.kind === 'rest').length
  events.emit('started', { version, config: source, soap: endpoints.length - rest, rest })

  const tracing = await openTracing({ ...config.trace, name: 'xroad-proxy', version })
  if (tracing !== undefined) events.subscribe(whenDrained((withinMs) => tracing.drained(withinMs)))
  const { upstreams, certificates, identities, ...lanes } = openLanes(
    config,
    { endpoints, nameless: new Set(nameless), bodies: types.bodies, checks, isTracing: tracing !== undefined },
    env,
    events,
  )
  const clients = calledAs(endpoints, config)
  const audit = openAudit(config.audit, env, events)
  const routes = toRoutes(endpoints)
  const service: Service = {
    routes,
    health: { status: 200, body: Buffer.from('{"status":"ok"}') },
    api: new CodedContent(
      await makeDescription(config, { ...loaded, endpoints }, ingested, { ...types, clients, refusing }),
    ),
    docs: openDocsPage(config, { hasSeveralClients: clients.size > 0 }),
    errorMessageId: config.errorMessageId,
    audit,
    tracing,
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
  measures?.watch({ load: () => server.load(), upstreams, budget: lanes.soap.budget, certificates })
  events.emit('listening', { address: server.address })
  const stopWatching = watchCertificates(certificates, events)
  return {
    identities,
    ...running(server, audit, async () => {
      stopWatching()
      await server.close()
      await Promise.all(upstreams.map((upstream) => upstream.close()))
    }),
  }
}

function running(
  server: Shell,
  audit: Audit | undefined,
  close: () => Promise<void>,
): Omit<RunningService, 'identities'> {
  let isListening = true
  return {
    address: server.address,
    port: server.port,
    isListening: () => isListening,
    announceEnd: () => server.drain(),
    async close() {
      isListening = false
      await close()
      audit?.file.close()
    },
    ...(audit === undefined ? {} : { hangUp: () => audit.file.reopen() }),
  }
}

function openAudit(settings: Config['audit'], env: Environment, events: Events): Audit | undefined {
  if (settings === undefined) return undefined
  const { file, required: isRequired, hashKeyEnv, callerHeader } = settings
  return {
    file: new AuditFile(file, events),
    isRequired,
    hashKey: hashKeyEnv === undefined ? undefined : env[hashKeyEnv],
    callerHeader: callerHeader?.toLowerCase(),
  }
}

/** What reads descriptions is loaded only where a DSL file names one. */
async function load(config: Config, env: Environment): Promise<LoadedEndpoints & Partial<Imported>> {
  const survey = surveyEndpoints(config.dslPath, namesOf(config), env)
  if (survey.described.length === 0) return withoutProblems(survey)
  const { importDescriptions } = await import('./boot/openapi/import.ts')
  return withoutProblems(importDescriptions(survey, config.dslPath))
}

/** Loaded only where WSDL files are to be read. */
async function ingest({ wsdlWatchDir: dir, dslPath, client, clients, wsdl }: Config): Promise<Ingested | undefined> {
  if (dir === undefined) return undefined
  const { ingestWsdls } = await import('./boot/ingest/ingest.ts')
  const { allowHttpUpstream: allowHttp, upstreamHostAllowlist: hostAllowlist } = wsdl
  return ingestWsdls({ dir, dslPath, client, clients, allowHttp, hostAllowlist, write: true })
}

/** Where WSDL files are read, the description of an earlier start is used as long as it would be the same. */
async function makeDescription(
  { dslPath, soapResponse, audit }: Config,
  { endpoints, descriptions: found, digests = [] }: Pick<LoadedEndpoints, 'endpoints'> & Partial<Imported>,
  ingested: Ingested | undefined,
  {
    described,
    bodies,
    clients,
    refusing,
  }: Types & {
    readonly clients: ReturnType<typeof calledAs>
    readonly refusing: RequestChecks['refusing']
  },
): Promise<Buffer> {
  const possible = audit?.required === true ? (['audit_unavailable'] as const) : []
  const descriptions = found && new (await import('./boot/description/openapi-rest.ts')).RestDescriptions(found)
  const facts = { clients, refusing, possible, descriptions }
  const describe = (): Buffer => Buffer.from(describeEndpoints(endpoints, version, described, facts))
  if (ingested === undefined) return describe()
  const { pageKey, recallPage, rememberPage } = await import('./boot/description/page-memory.ts')
  const typed = Array.from(bodies.keys(), ({ file }) => file)
  const key = pageKey(endpoints, ingested.keys, [
    version,
    soapResponse,
    possible,
    typed,
    [...ingested.generated.keys()],
    [...clients.values()],
    Array.from(refusing, ({ file }) => file),
    digests,
  ])
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
  refusing: RequestChecks['refusing'],
): Promise<Types> {
  const isAsked = endpoints.some(
    (endpoint) => endpoint.kind === 'soap' && (endpoint.response ?? soapResponse) === 'schema',
  )
  if (ingested === undefined && !isAsked) return { bodies: new Map(), warnings: [] }
  const { generated, replaced } = ingested ?? { generated: new Map(), replaced: new Map() }
  const { typeAnswers } = await import('./boot/description/typed-answers.ts')
  const { typeEndpoints } = await import('./boot/description/openapi-typed.ts')
  const { bodies, warnings } = typeAnswers(endpoints, { generated, replaced }, soapResponse)
  return { bodies, warnings, described: typeEndpoints({ generated, replaced, bodies, refusing }) }
}

/** Loaded only where requests are to be checked. */
async function openChecks(
  { validateRequests: usual, dslPath }: Config,
  endpoints: readonly Endpoint[],
  ingested: Ingested | undefined,
): Promise<RequestChecks> {
  const isAsked = endpoints.some((endpoint) => endpoint.kind === 'soap' && (endpoint.validation ?? usual) !== 'off')
  if (!isAsked) return { checks: new Map(), refusing: new Set(), warnings: [] }
  const { checkEndpoints } = await import('./boot/checks/request-checks.ts')
  return checkEndpoints(endpoints, { dslPath, usual, generated: ingested?.generated ?? new Map() })
}
