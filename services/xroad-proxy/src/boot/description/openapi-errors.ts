/**
 * The errors of the service as its description has them: the table of what each means -> schemas and responses for the
 * components, and for the operations of a kind the references to these. Pure.
 */
import { type FailureCode, failures } from '../../errors.ts'
import type { Endpoint, FailureSource } from '../../model.ts'

export type Kind = Endpoint['kind']
export type Json = Readonly<Record<string, unknown>>

/** Who gives an error: endpoints of a kind, or only those that refuse requests that do not fit. */
type Giver = Kind | 'refusing'

interface ErrorNote {
  readonly kinds: readonly Giver[]
  readonly meaning: string
  /** Schemas of the fields that come along, required ones and others. */
  readonly extras?: Json
  readonly optionalExtras?: Json
}

const both = ['soap', 'rest'] as const
/** `proxy` is whoever answers otherwise: a fault always comes from elsewhere. */
const sources: readonly FailureSource[] = ['security_server', 'provider_security_server', 'provider']
const limit = { limit: { type: 'integer', description: 'The limit in bytes.' } }

const errorNotes: Readonly<Record<FailureCode, ErrorNote>> = {
  malformed_request: { kinds: both, meaning: 'The request cannot be read without guessing.' },
  invalid_request: {
    kinds: ['refusing'],
    meaning: 'The request does not fit the description; nothing was sent.',
    extras: {
      problems: {
        type: 'array',
        description: 'At most 100.',
        items: {
          type: 'object',
          required: ['param', 'problem'],
          properties: {
            param: { type: 'string', description: 'Path such as items[3].code; empty for the body as a whole.' },
            problem: { type: 'string', description: 'What is wrong, what would be right.' },
          },
        },
      },
    },
  },
  template_not_found: { kinds: both, meaning: 'No endpoint has this path.' },
  method_not_allowed: { kinds: both, meaning: 'The endpoint has another method; the header Allow names it.' },
  request_too_large: { kinds: both, meaning: 'The body of the request is too large.', extras: limit },
  template_expansion_failed: { kinds: ['soap'], meaning: 'The values do not fit into the envelope.' },
  keystore_load_failed: { kinds: both, meaning: 'The identity of this service cannot be used.' },
  internal_error: { kinds: both, meaning: 'The call could not be made, or something unexpected happened.' },
  upstream_http_error: { kinds: ['soap'], meaning: 'The answer was neither a success nor a SOAP fault.' },
  upstream_soap_fault: {
    kinds: ['soap'],
    meaning: 'The answer was a SOAP fault.',
    extras: { code: { type: 'string' }, string: { type: 'string' }, source: { enum: [...sources] } },
    optionalExtras: { detail: { description: 'Only where the configuration exposes it.' } },
  },
  upstream_xml_parse_error: { kinds: ['soap'], meaning: 'The answer was not XML that can be translated.' },
  upstream_body_too_large: { kinds: both, meaning: 'The answer was too large.', extras: limit },
  upstream_timeout: { kinds: both, meaning: 'No answer came in time.' },
  audit_unavailable: { kinds: both, meaning: 'The call was not made, because the audit file cannot be written.' },
}

const codes = Object.keys(failures) as FailureCode[]

export const text = { type: 'string' }

/** Statuses with references, the same for all endpoints of a kind. */
export const errorReferences: Readonly<Record<Giver, Json>> = {
  soap: toReferences('soap'),
  rest: toReferences('rest'),
  refusing: { ...toReferences('soap'), ...toReferences('refusing') },
}

/** Schemas by code, responses by kind and status; with those of endpoints that refuse where there are any. */
function errorComponents(isRefusing: boolean): { readonly schemas: Json; readonly responses: Json } {
  const givers: readonly Giver[] = isRefusing ? [...both, 'refusing'] : both
  const given = codes.filter((code) => errorNotes[code].kinds.some((kind) => givers.includes(kind)))
  return {
    schemas: Object.fromEntries(given.map((code) => [code, errorSchema(code)])),
    responses: Object.fromEntries(
      givers.flatMap((giver) =>
        statusesOf(giver).map((status) => [`${giver}_${status}`, errorResponse(giver, status)]),
      ),
    ),
  }
}

/** Errors that only some configurations know: each has its status to itself. */
export type ConditionalError = 'audit_unavailable'
const conditional: readonly ConditionalError[] = ['audit_unavailable']

/** The item of a path without those that cannot happen here. */
export function onlyPossible(item: Json, possible: readonly ConditionalError[]): Json {
  const statuses = impossible(possible).map((code) => String(failures[code]))
  if (statuses.length === 0) return item
  return mapValues(item, (operation) => {
    if ('x-methods' in item && operation === item['x-methods']) return onlyPossible(operation as Json, possible)
    const { responses } = (typeof operation === 'object' ? operation : {}) as { responses?: Json }
    if (responses === undefined) return operation
    // A provider may have responses of its own with this status.
    const ours = statuses.filter((status) => '$ref' in (responses[status] as object))
    return { ...(operation as Json), responses: omit(responses, ours) }
  })
}

/** The components likewise. */
export function onlyPossibleErrors(
  possible: readonly ConditionalError[],
  isRefusing: boolean,
): { schemas: Json; responses: Json } {
  const { schemas, responses: all } = errorComponents(isRefusing)
  const left = impossible(possible)
  const responses = left.flatMap((code) => both.map((kind) => `${kind}_${failures[code]}`))
  return { schemas: omit(schemas, left), responses: omit(all, responses) }
}

function impossible(possible: readonly ConditionalError[]): readonly ConditionalError[] {
  return conditional.filter((code) => !possible.includes(code))
}

function omit(fields: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

function mapValues(fields: Json, map: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value)]))
}

export function references(section: string, names: readonly string[]): Json[] {
  return names.map((name) => ({ $ref: `#/components/${section}/${name}` }))
}

/** The schemas of what we answer ourselves with a status, whatever the configuration. */
export function errorsAt(giver: Giver, status: number): Json[] {
  return references('schemas', codesAt(giver, status)).filter(
    ({ $ref }) => !conditional.some((code) => String($ref).endsWith(`/${code}`)),
  )
}

function codesAt(giver: Giver, status: number): FailureCode[] {
  return codesOf(giver).filter((code) => failures[code] === status)
}

function toReferences(giver: Giver): Json {
  return Object.fromEntries(
    statusesOf(giver).map((status) => [status, { $ref: `#/components/responses/${giver}_${status}` }]),
  )
}

/** Of endpoints that refuse those that others do not have. */
function statusesOf(giver: Giver): number[] {
  const own = codes.filter((code) => errorNotes[code].kinds.includes(giver))
  return [...new Set(own.map((code) => failures[code]))]
}

function codesOf(giver: Giver): FailureCode[] {
  const kinds: readonly Giver[] = giver === 'refusing' ? ['soap', 'refusing'] : [giver]
  return codes.filter((code) => errorNotes[code].kinds.some((kind) => kinds.includes(kind)))
}

function errorSchema(code: FailureCode): Json {
  const { meaning, extras = {}, optionalExtras = {} } = errorNotes[code]
  return {
    type: 'object',
    description: meaning,
    required: ['error', 'message', ...Object.keys(extras)],
    properties: { error: { const: code }, message: text, ...extras, ...optionalExtras },
  }
}

/** On the REST lane the provider may answer with the same status, and with whatever it likes. */
function errorResponse(giver: Giver, status: number): Json {
  const own = codesAt(giver, status)
  const schemas = references('schemas', own)
  const headers = own.includes('method_not_allowed') ? { headers: { Allow: { schema: text } } } : {}
  switch (giver) {
    case 'soap':
    case 'refusing':
      return {
        description: own.join(', '),
        ...headers,
        content: { 'application/json': { schema: { anyOf: schemas } } },
      }
    case 'rest':
      return {
        description: `${own.join(', ')}; or the provider's own answer, unchanged`,
        ...headers,
        content: {
          'application/json': { schema: { anyOf: [...schemas, { description: "The provider's own." }] } },
          '*/*': {},
        },
      }
  }
}
