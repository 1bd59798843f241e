/**
 * The OpenAPI 3.1 description that `/api` serves: loaded endpoints in, JSON text out, made once at start and the same
 * for the same endpoints in whatever order.
 *
 * It says what a DSL file says: names of params and of query keys; types are handed in for files that have a WSDL or an
 * OpenAPI. Addresses of direct calls and of the Security Server are not told. What the errors mean is the manual's
 * matter; here each has a line.
 */
import type { Endpoint, ResponseShape, SoapEndpoint } from '../../model.ts'
import type { Steps } from '../../steps.ts'
import { requestContent } from './openapi-form.ts'
import { describeParams } from './declared-schema.ts'
import type { RestDescriptions } from './openapi-rest.ts'
import { requestHeaders, restParts } from './rest-operation.ts'
import {
  type ConditionalError,
  errorReferences,
  type Json,
  onlyPossible,
  onlyPossibleErrors,
  references,
  text,
} from './openapi-errors.ts'

/** What the WSDL of a generated endpoint says about it. */
export interface TypedEndpoint {
  readonly summary?: string
  readonly description?: string
  /** Fields of the operation beyond those. */
  readonly others?: Json
  readonly request?: { readonly schema: Json; readonly example: Json }
  /** Schema of `body` in the response, and the shape that it is about. */
  readonly body: Json
  readonly shape: ResponseShape
}

export interface EndpointTypes {
  /** Does ahead, in steps, what is costly about `of`. */
  prepare(endpoint: SoapEndpoint): Steps<void>
  of(endpoint: SoapEndpoint): TypedEndpoint | undefined
  /** Components that the types refer to, complete once all endpoints were asked for. */
  readonly schemas: Json
}

/** Methods that have a place of their own in a path item. */
const knownMethods = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'])

const responseHeaders = {
  'X-Road-Id': 'Id of the message.',
  'X-Road-Service': 'The service that answered.',
  'X-Road-Request-Hash': 'Hash of the request.',
  'X-Road-Request-Id': 'Id of the request between the Security Servers.',
  'X-Road-Error': 'Present when a part of X-Road, not the provider, reports an error.',
}

/** What is told of endpoints besides their files. */
export interface EndpointFacts {
  /** As whom calls go out, for endpoints that are to tell. */
  readonly clients?: ReadonlyMap<Endpoint, string> | undefined
  /** Those that refuse requests that do not fit. */
  readonly refusing?: ReadonlySet<Endpoint>
  /** Errors that this configuration knows and others do not. */
  readonly possible?: readonly ConditionalError[]
  /** What the descriptions of REST services say. */
  readonly descriptions?: RestDescriptions | undefined
}

export function* describeEndpointsInSteps(
  endpoints: readonly Endpoint[],
  version: string,
  types?: EndpointTypes,
  facts: EndpointFacts = {},
): Steps<string> {
  const { clients, refusing = new Set(), possible = [], descriptions } = facts
  const takenIds = new Map<string, number>()
  // As text from the beginning: all of them at once would be a step of its own.
  const paths: string[] = []
  for (const [path, found] of [...Map.groupBy(endpoints, pathOf)].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    for (const endpoint of found) if (endpoint.kind === 'soap') yield* types?.prepare(endpoint) ?? []
    yield
    const item = onlyPossible(pathItem(found, takenIds, { types, descriptions, clients, refusing }), possible)
    paths.push(`${JSON.stringify(path)}:${JSON.stringify(item)}`)
  }
  yield
  const head = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'xroad-proxy', version },
    // Relative to the address of the description itself: a proxy in front may put a path before it.
    servers: [{ url: '.', description: 'this service' }],
  })
  const errors = onlyPossibleErrors(possible, refusing.size > 0)
  const parts = JSON.stringify(components(types?.schemas, descriptions, errors))
  return `${head.slice(0, -1)},"paths":{${paths.join()}},"components":${parts}}`
}

/** Braces of names are encoded, so that only those of parameters are left. */
function pathOf({ group, service, path }: Endpoint): string {
  const below = path.replaceAll('+}', '}')
  return `/${encodeURIComponent(group.toWellFormed())}/${encodeURIComponent(service.toWellFormed())}${below}`
}

/** Letters, digits and underscores, as generators of client code want it. */
function freeId(parts: readonly string[], taken: Map<string, number>): string {
  const wanted = parts.join('_').replaceAll(/[^\p{L}\p{N}]+/gu, '_')
  let id = wanted
  let count = taken.get(wanted) ?? 1
  while (taken.has(id)) id = `${wanted}_${++count}`
  taken.set(wanted, count).set(id, 1)
  return id
}

/** What is known of endpoints besides their files. */
interface Known extends Required<Pick<EndpointFacts, 'refusing'>>, Pick<EndpointFacts, 'clients'> {
  readonly types: EndpointTypes | undefined
  readonly descriptions: RestDescriptions | undefined
}

function pathItem(endpoints: readonly Endpoint[], takenIds: Map<string, number>, known: Known): Json {
  const operations = endpoints.flatMap((endpoint) =>
    endpoint.methods.map((method) => [method, operation(endpoint, method, takenIds, known)] as const),
  )
  const [usual, others] = [true, false].map((isKnown) =>
    operations.filter(([method]) => knownMethods.has(method) === isKnown),
  )
  const item = Object.fromEntries((usual ?? []).map(([method, operation]) => [method.toLowerCase(), operation]))
  if (others === undefined || others.length === 0) return item
  const names = others.map(([method]) => method)
  const [noun, verb, whose] =
    names.length === 1 ? ['method', 'operation is', 'its'] : ['methods', 'operations are', 'their']
  return {
    ...item,
    description: `OpenAPI 3.1 has no place for the ${noun} ${names.join(', ')}; ${whose} ${verb} below x-methods.`,
    'x-methods': Object.fromEntries(others),
  }
}

function clientFact(client: string | undefined): Json {
  return client === undefined ? {} : { 'x-facts': { Client: client } }
}

function operation(
  endpoint: Endpoint,
  method: string,
  takenIds: Map<string, number>,
  { types, descriptions, clients, refusing }: Known,
): Json {
  const { group, service, path, methods } = endpoint
  const described = endpoint.kind === 'rest' ? descriptions?.of(endpoint) : undefined
  const verb = methods.length > 1 || described !== undefined ? [method.toLowerCase()] : []
  const own = described?.operationId === undefined ? [...(path === '' ? [] : [path]), ...verb] : [described.operationId]
  return {
    operationId: freeId([group, service, ...own], takenIds),
    tags: [group],
    summary: endpoint.title ?? `${group}/${service}${path.replaceAll('+}', '}')}`,
    ...(endpoint.kind === 'soap'
      ? soapParts(endpoint, types?.of(endpoint), refusing.has(endpoint))
      : restParts(endpoint, method, described)),
    ...clientFact(clients?.get(endpoint)),
  }
}

const dropped = 'Other keys are dropped; a body that is not a JSON object counts as {}.'
const refused = 'A request that does not fit is refused with invalid_request, and nothing is sent.'

function soapParts(endpoint: SoapEndpoint, typed: TypedEndpoint | undefined, isRefusing: boolean): Json {
  const { callerHeaders = [] } = endpoint
  const attachments = endpoint.attachments ?? (typed?.shape === 'schema' ? 'list' : 'none')
  const request = typed?.request ?? { schema: describeParams(endpoint, isRefusing) }
  const isRequired =
    request.schema['required'] !== undefined ||
    endpoint.choices.some(({ within, isRequired: isNeeded, around }) => isNeeded && within.length + around.length === 0)
  return {
    ...typed?.others,
    ...(typed?.summary === undefined || endpoint.title !== undefined ? {} : { summary: typed.summary }),
    ...described(endpoint.description ?? typed?.description),
    ...(callerHeaders.length === 0 ? {} : { parameters: references('parameters', callerHeaders) }),
    requestBody: {
      description: isRefusing ? refused : dropped,
      ...(isRequired ? { required: true } : {}),
      content: requestContent(request, endpoint.envelope.attached),
    },
    responses: {
      200: {
        description: 'The answer of the service, translated to JSON.',
        content: { 'application/json': { schema: responseSchema(typed?.body, attachments !== 'none') } },
      },
      ...errorReferences[isRefusing ? 'refusing' : 'soap'],
    },
  }
}

function described(description: string | undefined): Json {
  return description === undefined ? {} : { description }
}

function responseSchema(body: Json = {}, hasAttachments: boolean = false): Json {
  const own = {
    ...(Object.keys(body).length === 0 ? {} : { body }),
    ...(hasAttachments ? { attachments: { $ref: '#/components/schemas/attachments' } } : {}),
  }
  if (Object.keys(own).length === 0) return { $ref: '#/components/schemas/translation' }
  return { ...translation, properties: { ...translation.properties, ...own } }
}

function components(
  types: Json = {},
  rest: RestDescriptions | undefined,
  errors: ReturnType<typeof onlyPossibleErrors>,
): Json {
  const securitySchemes = rest?.securitySchemes ?? {}
  return {
    schemas: {
      translation,
      attachments,
      ...errors.schemas,
      ...types,
      ...rest?.schemas,
    },
    ...(Object.keys(securitySchemes).length === 0 ? {} : { securitySchemes }),
    responses: {
      ...errors.responses,
      passed: {
        description: 'The answer of the provider, unchanged in status, headers and body.',
        headers: Object.fromEntries(
          Object.entries(responseHeaders).map(([name, description]) => [name, { description, schema: text }]),
        ),
        content: { '*/*': {} },
      },
    },
    parameters: Object.fromEntries(
      Object.entries(requestHeaders).map(([name, description]) => [
        name,
        { name, in: 'header', description, schema: text },
      ]),
    ),
  }
}

const translation = {
  type: 'object',
  required: ['body', 'headers'],
  properties: {
    body: { description: 'The SOAP Body.' },
    headers: { description: 'The SOAP Header.' },
  },
}

const attachments = {
  type: 'array',
  description: 'What came beside the envelope, where anything did.',
  items: {
    type: 'object',
    required: ['id', 'type', 'size'],
    properties: {
      id: { type: ['string', 'null'], description: 'Content-ID.' },
      type: { type: ['string', 'null'], description: 'Media type.' },
      size: { type: 'integer', description: 'In bytes.' },
      content: { ...text, contentEncoding: 'base64' },
    },
  },
}
