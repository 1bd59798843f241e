/**
 * All that requests are served with, made of files: DSL files, WSDL files, descriptions, keystores. A loaded
 * configuration comes in, what the request path reads goes out, or the StartupFailure of what is wrong. `readSet` reads
 * the files, `openSet` opens what calls need of them. Neither changes what is served meanwhile; that is service.ts.
 */
import { CodedContent } from '@services/content-coding'
import type { AuditFiles } from './audit/audit-files.ts'
import type { RequestChecks } from './boot/checks/request-checks.ts'
import type { Loaded } from './boot/config/config.ts'
import { endpointsWithoutClient, namesOf, tellWithoutClient } from './boot/config/client-identity.ts'
import type { Config } from './boot/config/schema.ts'
import { calledAs } from './boot/description/called-as.ts'
import { describeEndpointsInSteps, type EndpointTypes } from './boot/description/openapi.ts'
import { type LoadedEndpoints, surveyEndpointsInSteps, withoutProblems } from './boot/dsl/endpoints.ts'
import { refuseAddresses } from './boot/ingest/addresses.ts'
import type { Ingested } from './boot/ingest/ingest.ts'
import type { Imported } from './boot/openapi/import.ts'
import { StartupFailure } from './errors.ts'
import type { Events } from './events.ts'
import { type Lanes, type LanesBefore, openLanes } from './lanes.ts'
import type { Endpoint, SoapEndpoint } from './model.ts'
import type { Audit } from './serve/audited-writer.ts'
import type { Service } from './serve/handle.ts'
import { openDocsPage } from './serve/pages/docs-page.ts'
import { toRoutes } from './serve/route.ts'
import type { Member } from './soap/json/shape.ts'
import type { Steps } from './steps.ts'
import { version } from './version.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What stands in the files. */
export interface ReadSet {
  readonly loaded: Loaded
  readonly endpoints: readonly Endpoint[]
  readonly found: LoadedEndpoints & Partial<Imported>
  readonly ingested: Ingested | undefined
  readonly checks: RequestChecks
  readonly types: Types
  readonly nameless: readonly Endpoint[]
  /** One WARN each. */
  readonly warnings: readonly string[]
}

/** What is served. Holds nothing of the files but what requests need. */
export interface ServedSet extends Pick<Lanes, 'upstreams' | 'certificates' | 'identities'> {
  readonly config: Config
  readonly service: Service
  /** Whether the directory of DSL files was there. */
  readonly hasDsl: boolean
  /** WSDL files that could be read, with the directory. */
  readonly wsdls: ReadonlySet<string>
}

/**
 * Writes the DSL files that WSDL files give. `descriptions` gets the paths of the OpenAPI documents that DSL files lead
 * to.
 */
export async function readSet(loaded: Loaded, env: Environment, descriptions: Set<string>): Promise<ReadSet> {
  const { config } = loaded
  const ingested = await ingest(loaded)
  await othersTurn()
  const found = await load(config, env, descriptions)
  await othersTurn()
  const { endpoints, warnings: refused } = refuseAddresses(found.endpoints, config.wsdl)
  const checks = await openChecks(config, endpoints, ingested)
  await othersTurn()
  const types = await readTypes(config, endpoints, ingested, checks.refusing)
  await othersTurn()
  const nameless = endpointsWithoutClient(endpoints, config.client)
  const warnings = [
    ...loaded.warnings,
    ...tellWithoutClient(nameless, config.client),
    ...(ingested?.warnings ?? []),
    ...found.warnings,
    ...found.templateWarnings,
    ...(found.descriptionWarnings ?? []),
    ...refused,
    ...types.warnings,
    ...checks.warnings,
  ]
  return { loaded, endpoints, found, ingested, checks, types, nameless, warnings }
}

/**
 * Requests that have arrived meanwhile wait for a slice, and for the step that it ends with: a set may take the place
 * of another one while they are served.
 */
const sliceMs = 5

async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  for (let end = performance.now() + sliceMs; ; end = performance.now() + sliceMs) {
    do {
      const step = steps.next()
      if (step.done === true) return step.value
    } while (performance.now() < end)
    await othersTurn()
  }
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** How many endpoints there are of each lane. */
export function countOf({ endpoints }: Pick<ReadSet, 'endpoints'>): { readonly soap: number; readonly rest: number } {
  const rest = endpoints.filter((endpoint) => endpoint.kind === 'rest').length
  return { soap: endpoints.length - rest, rest }
}

/** What the set before leaves, and what is the same for all sets. */
export interface Grounds extends LanesBefore {
  readonly env: Environment
  readonly events: Events
  readonly auditFiles: AuditFiles
  readonly tracing: Service['tracing']
}

export async function openSet(
  read: ReadSet,
  { env, events, auditFiles, tracing, ...before }: Grounds,
): Promise<ServedSet> {
  const { loaded, endpoints, ingested, types, nameless, found } = read
  const { config } = loaded
  const { checks, refusing } = read.checks
  const { upstreams, certificates, identities, ...lanes } = withOrigins(loaded, () =>
    openLanes(
      config,
      { endpoints, nameless: new Set(nameless), bodies: types.bodies, checks, isTracing: tracing !== undefined },
      env,
      events,
      before,
    ),
  )
  const clients = calledAs(endpoints, config)
  const page = await makeDescription(config, { ...found, endpoints }, ingested, { ...types, clients, refusing })
  const service: Service = {
    routes: toRoutes(endpoints),
    health: { status: 200, body: Buffer.from('{"status":"ok"}') },
    api: new CodedContent(page),
    docs: openDocsPage(config, { hasSeveralClients: clients.size > 0 }),
    errorMessageId: config.errorMessageId,
    audit: openAudit(config.audit, env, auditFiles),
    tracing,
    ...lanes,
    events,
  }
  const has = { hasDsl: found.isMissing !== true, wsdls: wsdlsOf(ingested) }
  return { config, service, upstreams, certificates, identities, ...has }
}

/** What is wrong with a file that the configuration names is told with the line that names it. */
function withOrigins<Opened>({ origins }: Loaded, open: () => Opened): Opened {
  try {
    return open()
  } catch (error) {
    const origin = error instanceof StartupFailure && error.field !== undefined ? origins[error.field] : undefined
    if (origin === undefined) throw error
    const { code, message, field } = error as StartupFailure
    throw new StartupFailure(code, `${origin}: ${message}`, field)
  }
}

function wsdlsOf(ingested: Ingested | undefined): ReadonlySet<string> {
  return new Set(ingested?.report.flatMap(({ file, isRead }) => (isRead ? [file] : [])))
}

function openAudit(settings: Config['audit'], env: Environment, files: AuditFiles): Audit | undefined {
  if (settings === undefined) return undefined
  const { file, required: isRequired, hashKeyEnv, callerHeader } = settings
  return {
    file: files.open(file),
    isRequired,
    hashKey: hashKeyEnv === undefined ? undefined : env[hashKeyEnv],
    callerHeader: callerHeader?.toLowerCase(),
  }
}

/** What reads descriptions is loaded only where a DSL file names one. */
async function load(
  config: Config,
  env: Environment,
  descriptions: Set<string>,
): Promise<LoadedEndpoints & Partial<Imported>> {
  const survey = await inSlices(surveyEndpointsInSteps(config.dslPath, namesOf(config), env))
  if (survey.described.length === 0) return withoutProblems(survey)
  const { importDescriptions } = await import('./boot/openapi/import.ts')
  return withoutProblems(importDescriptions(survey, config.dslPath, descriptions))
}

/** Loaded only where WSDL files are to be read. */
async function ingest({ config, origins }: Loaded): Promise<Ingested | undefined> {
  const { wsdlWatchDir: dir, dslPath, client, clients, wsdl } = config
  if (dir === undefined) return undefined
  const { ingestWsdlsInSteps } = await import('./boot/ingest/ingest.ts')
  const { allowHttpUpstream: allowHttp, upstreamHostAllowlist: hostAllowlist } = wsdl
  const isDslPathGiven = origins['dsl_path'] !== 'default'
  const options = { dir, dslPath, isDslPathGiven, client, clients, allowHttp, hostAllowlist, write: true }
  return inSlices(ingestWsdlsInSteps(options))
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
  const describe = async (): Promise<Buffer> =>
    Buffer.from(await inSlices(describeEndpointsInSteps(endpoints, version, described, facts)))
  if (ingested === undefined) return describe()
  const { pageKey, recallPage, rememberPage } = await import('./boot/description/page-memory.ts')
  const typed = Array.from(bodies.keys(), ({ file }) => file)
  const more = [
    version,
    soapResponse,
    possible,
    typed,
    [...ingested.generated.keys()],
    [...clients.values()],
    Array.from(refusing, ({ file }) => file),
    digests,
  ]
  const key = await inSlices(pageKey(endpoints, ingested.keys, more))
  const known = recallPage(dslPath, key)
  if (known !== undefined) return known
  const page = await describe()
  rememberPage(dslPath, key, page)
  return page
}

export interface Types {
  readonly bodies: ReadonlyMap<SoapEndpoint, Member>
  readonly described?: EndpointTypes
  readonly warnings: readonly string[]
}

/** What WSDL files say about requests and responses; loaded only where somebody asks. */
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
  const { typeResponses } = await import('./boot/description/typed-responses.ts')
  const { typeEndpoints } = await import('./boot/description/openapi-typed.ts')
  const { bodies, warnings } = await inSlices(typeResponses(endpoints, { generated, replaced }, soapResponse))
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
  return inSlices(checkEndpoints(endpoints, { dslPath, usual, generated: ingested?.generated ?? new Map() }))
}
