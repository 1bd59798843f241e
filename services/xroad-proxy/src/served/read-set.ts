/**
 * The files of a configuration -> what is in them, as one value: WSDL files, DSL files, descriptions of REST
 * services. Decides what is read where; each kind of file is read by its folder below boot/. Opens no connection.
 */
import type { Environment } from '@services/config-file'
import type { RequestChecks } from '../boot/checks/request-checks.ts'
import { endpointsWithoutClient, namesOf, tellWithoutClient } from '../boot/config/client-identity.ts'
import type { Loaded } from '../boot/config/config.ts'
import type { Config } from '../boot/config/schema.ts'
import type { EndpointTypes } from '../boot/description/openapi.ts'
import { type LoadedEndpoints, misplacedWsdls, surveyEndpointsInSteps, withoutProblems } from '../boot/dsl/endpoints.ts'
import { refuseAddresses } from '../boot/ingest/addresses.ts'
import type { Ingested } from '../boot/ingest/ingest.ts'
import type { Imported } from '../boot/openapi/import.ts'
import type { Endpoint, SoapEndpoint } from '../model.ts'
import type { Member } from '../soap/json/shape.ts'
import { inSlices, othersTurn } from './slices.ts'

/** What is in the files. */
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
  /** One INFO each. */
  readonly notices: readonly string[]
}

export interface Types {
  readonly bodies: ReadonlyMap<SoapEndpoint, Member>
  readonly described?: EndpointTypes
  readonly warnings: readonly string[]
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
    ...found.envelopeWarnings,
    ...(found.descriptionWarnings ?? []),
    ...refused,
    ...types.warnings,
    ...checks.warnings,
  ]
  const misplaced = misplacedWsdls(found.wsdls, config.wsdlWatchDir)
  const notices = [...loaded.notices, ...found.notices, ...misplaced]
  return { loaded, endpoints, found, ingested, checks, types, nameless, warnings, notices }
}

/** How many endpoints there are of each lane. */
export function countOf({ endpoints }: Pick<ReadSet, 'endpoints'>): { readonly soap: number; readonly rest: number } {
  const rest = endpoints.filter((endpoint) => endpoint.kind === 'rest').length
  return { soap: endpoints.length - rest, rest }
}

/** What reads descriptions is loaded only where a DSL file names one. */
async function load(
  config: Config,
  env: Environment,
  descriptions: Set<string>,
): Promise<LoadedEndpoints & Partial<Imported>> {
  const survey = await inSlices(surveyEndpointsInSteps(config.dslPath, namesOf(config), env))
  if (survey.described.length === 0) return withoutProblems(survey)
  const { importDescriptions } = await import('../boot/openapi/import.ts')
  return withoutProblems(importDescriptions(survey, config.dslPath, descriptions))
}

/** Loaded only where WSDL files are to be read. */
async function ingest({ config, origins }: Loaded): Promise<Ingested | undefined> {
  const { wsdlWatchDir: dir, dslPath, client, clients, wsdl } = config
  if (dir === undefined) return undefined
  const { ingestWsdlsInSteps } = await import('../boot/ingest/ingest.ts')
  const { allowHttpUpstream: allowHttp, upstreamHostAllowlist: hostAllowlist } = wsdl
  const isDslPathGiven = origins['dsl_path'] !== 'default'
  const options = { dir, dslPath, isDslPathGiven, client, clients, allowHttp, hostAllowlist, write: true }
  return inSlices(ingestWsdlsInSteps(options))
}

/** What WSDL files say about requests and responses; loaded only when asked for. */
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
  const { typeResponses } = await import('../boot/description/typed-responses.ts')
  const { typeEndpoints } = await import('../boot/description/openapi-typed.ts')
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
  const { checkEndpoints } = await import('../boot/checks/request-checks.ts')
  return inSlices(checkEndpoints(endpoints, { dslPath, usual, generated: ingested?.generated ?? new Map() }))
}
