/**
 * The fields of a DSL file, each declared once for its kind: name, default, what it means, what is valid. Gives
 * checked values to dsl.ts and a JSON Schema to editors. Knows nothing of templates, nor of the path of the file.
 */
import {
  anyText,
  checked,
  type Data,
  expected,
  flag,
  isMapping,
  list,
  names,
  type Mapping,
  oneOf,
  type Parsed,
  parse,
  section,
  text,
  textOr,
  toJsonSchema,
  type ValueOf,
  variableName,
  wholeNumber,
} from '@services/config-file'
import type { DeclaredParam } from '../../model.ts'
import { parsePathTemplate, PathTemplateError } from '../../path-template.ts'
import { soapVersionNames, usualSoapVersion } from '../../soap-versions.ts'
import { isNoDots, urlProblem, validation } from '../config/schema.ts'
import { choiceList } from './choices.ts'
import { paramList, paramMap, toDeclared } from './declared-params.ts'

/** What parsers of HTTP know, without CONNECT and TRACE: those are for proxies of another sort. */
const methods: ReadonlySet<string> = new Set(
  (
    'GET HEAD POST PUT PATCH DELETE OPTIONS QUERY SEARCH REPORT PURGE PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK ACL ' +
    'BIND UNBIND REBIND CHECKOUT MERGE MKACTIVITY MKCALENDAR LINK UNLINK SOURCE M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE'
  ).split(' '),
)

const meanings = {
  method: 'an HTTP method such as POST',
  service: 'an address such as https://service.example.org/soap (left out: through the Security Server)',
  soapAction: 'the SOAPAction in printable ASCII, without the quotes around it',
  client: 'a name of clients in the configuration',
  path: 'a path such as /v1/things/{id}, as it is to stand in the URL (other characters percent-encoded)',
  restMethod: 'an HTTP method such as POST (several are methods: [GET, POST])',
  openapi: 'the path of an OpenAPI file, seen from this one',
  header: 'the name of a header',
  headerValue: 'a text, or {env: NAME} for the value of an environment variable',
}

/** For one endpoint, instead of those of the configuration. */
/** Of one file instead of the configuration; sidecars take them too. */
export const limitFields = {
  timeout_secs: wholeNumber(1, 86_400)
    .exactOptional()
    .describe('Seconds for one call of this file; left out, limits.request_timeout_secs counts.'),
  max_response_bytes: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('Largest response in bytes; left out, limits.max_response_bytes counts.'),
}

/** What people read of an endpoint. */
const words = {
  title: text('a title', { filled: true })
    .exactOptional()
    .describe('What the endpoint is called, in a line; /api and the page at /docs show it.'),
  description: anyText('a description', { filled: true })
    .exactOptional()
    .describe('What else callers should know; /api and the page at /docs show it.'),
}

const soapFields = {
  kind: oneOf(['soap']).default('soap').describe('soap: an envelope from a template, the answer as JSON.'),
  ...words,
  params: paramList,
  choices: choiceList,
  service: checked(text(meanings.service), urlProblem, meanings.service)
    .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' })
    .exactOptional()
    .describe('URL for a direct call; left out, the call goes through the Security Server.'),
  method: method(),
  envelope: checked(
    anyText('the SOAP envelope as a template', { filled: true }),
    envelopeProblem,
    'text that XML can hold',
  ).describe('SOAP envelope, a Handlebars template.'),
  soap_action: checked(text(meanings.soapAction), soapActionProblem, meanings.soapAction)
    .exactOptional()
    .describe('Value of the SOAPAction header, without quotes, or the action of SOAP 1.2; left out, there is none.'),
  soap_version: oneOf(soapVersionNames)
    .default(usualSoapVersion)
    .describe('Version of the envelope; 1.2 for direct calls only, as Security Servers refuse it.'),
  client: clientName(),
  response: oneOf(['plain', 'schema'])
    .exactOptional()
    .describe('Shape of the answer: schema gives it the types of its WSDL. Left out, soap_response counts.'),
  attachments: oneOf(['none', 'list', 'base64'])
    .exactOptional()
    .describe('What an answer shows of attachments. Left out: list with the types of the WSDL, otherwise none.'),
  ...limitFields,
  validate_requests: validation
    .exactOptional()
    .describe(
      'What becomes of requests that do not fit: off, warn or refuse. Left out, that of the configuration counts.',
    ),
}

const restFields = {
  kind: oneOf(['rest']).describe('rest: the request is passed through to an X-Road REST service.'),
  ...words,
  method: method(meanings.restMethod).exactOptional(),
  methods: list(method(), 'a list of HTTP methods such as [GET, POST]')
    .exactOptional()
    .describe('HTTP methods of the endpoint, instead of method; each is passed on unchanged.'),
  openapi: checked(text(meanings.openapi, { filled: true }), openapiProblem, meanings.openapi)
    .exactOptional()
    .describe(
      "The service's own OpenAPI description, instead of method and target.path: each of its operations is an endpoint.",
    ),
  target: section({
    member_class: identifier('a member class').describe('Member class of the provider.'),
    member_code: identifier('a registry code').describe('Registry code of the provider.'),
    subsystem_code: identifier('a subsystem code').describe('Subsystem of the provider.'),
    service_code: identifier('a service code').describe('Service code below the subsystem.'),
    xroad_instance: identifier('an X-Road instance')
      .default('')
      .describe('Instance of the provider; xroad_instance of the configuration if left out.'),
    path: checked(text(meanings.path), pathProblem, meanings.path)
      .default('')
      .transform((given) => (given === '' || given.startsWith('/') ? given : `/${given}`))
      .describe(
        'Follows the service code; the first slash may be left out. {id} takes a segment of the URL, {rest+} all that are left.',
      ),
  }).describe('The REST service that is called.'),
  client: clientName(),
  allowed_query_params: list(text('the name of a query parameter'), 'a list of names')
    .exactOptional()
    .describe('Left out: every query parameter is forwarded. An empty list: none. Otherwise those listed.'),
  forward_body: flag().default(true).describe('Whether the body of the request is forwarded.'),
  headers: section({
    remove: list(text(meanings.header), 'a list of header names')
      .prefault([])
      .describe('Headers of the caller that are not passed on.'),
    set: names(
      textOr(anyText(meanings.headerValue), headerVariable(), meanings.headerValue),
      'header names with a value each',
    )
      .prefault({})
      .describe("Headers that go out in place of the caller's, each with a text or {env: NAME}."),
  })
    .exactOptional()
    .describe('What is changed of the headers of requests.'),
  ...limitFields,
}

const manners = { unknownFields: 'ignored', emptyFields: 'left out', bareTexts: 'taken' } as const
const soapFile = { title: 'SOAP service', fields: section(soapFields), ...manners }
/** The same with params that say more than their names. */
const declaringFile = {
  title: 'SOAP service',
  fields: section({ ...soapFields, params: paramMap }),
  ...manners,
}
const restFile = { title: 'REST service', fields: section(restFields), ...manners }

export const kinds = ['soap', 'rest'] as const
export type Kind = (typeof kinds)[number]

export const fieldNames: Readonly<Record<Kind, readonly string[]>> = {
  soap: Object.keys(soapFields),
  rest: Object.keys(restFields),
}

/** What a map says of its params, in order; undefined for a list of names. */
export type SoapFile = ValueOf<typeof soapFile.fields> & { readonly declared: readonly DeclaredParam[] | undefined }
export type RestFile = ValueOf<typeof restFile.fields>

export function parseSoap(data: Mapping): Parsed<SoapFile> {
  const { params } = data
  if (!isMapping(params)) return withDeclared(parse(soapFile, data), (value) => ({ ...value, declared: undefined }))
  const filled = Object.entries(params).map(([name, given]) => [name, given ?? {}] as const)
  const parsed = parse(declaringFile, { ...data, params: Object.fromEntries(filled) })
  return withDeclared(parsed, (value) => {
    const declared = Object.entries(value.params).map(([name, given]) => toDeclared(name, given))
    return { ...value, params: declared.map(({ name }) => name), declared }
  })
}

function withDeclared<Value>({ value, ...rest }: Parsed<Value>, settle: (value: Value) => SoapFile): Parsed<SoapFile> {
  return { ...rest, value: value && settle(value) }
}

export function parseRest(data: Data): Parsed<RestFile> {
  return parse(restFile, data)
}

type Properties = Readonly<Record<string, object>>

/** Both kinds as one JSON Schema. */
export function dslSchema(): object {
  const { $schema, ...soap } = toJsonSchema(soapFile)
  const [list, map] = [soap, toJsonSchema(declaringFile)].map(({ properties }) => (properties as Properties)['params'])
  const params = { ...map, ...list, type: ['array', 'object'] }
  const both = { ...soap, properties: { ...(soap['properties'] as Properties), params } }
  const { $schema: _, ...rest } = toJsonSchema(restFile)
  const source = ['method', 'methods', 'openapi'].map((field) => ({ required: [field] }))
  return { $schema, title: 'DSL file', oneOf: [both, { ...rest, oneOf: source }] }
}

function clientName() {
  return text(meanings.client, { filled: true })
    .exactOptional()
    .describe('Who calls: a name of clients in the configuration; client_data if left out.')
}

function headerVariable() {
  return section({
    env: variableName()
      .regex(/^[A-Za-z_]\w*$/, expected('the name of an environment variable (letters, digits and _)'))
      .describe('Environment variable that holds the value.'),
  })
}

function method(meaning = meanings.method) {
  return checked(text(meaning, { shown: true }), methodProblem, meaning)
    .transform((given) => given.toUpperCase())
    .describe('HTTP method of the endpoint; a request with another one is answered with 405.')
}

function openapiProblem(given: string): string | undefined {
  return /^[a-z][\w+.-]+:\/\//i.test(given)
    ? 'found an address; save the description in a file beside this one'
    : undefined
}

function methodProblem(given: string): string | undefined {
  return methods.has(given.toUpperCase()) ? undefined : `found ${JSON.stringify(given.slice(0, 64))}`
}

/** May be empty, so that an unfinished file loads; the validator tells. */
function identifier(meaning: string) {
  return checked(text(meaning), (given) => (isNoDots(given) ? undefined : 'found a text of dots only'), meaning)
}

/** Lone surrogates and what else XML forbids; YAML has let through neither, except as an escape in double quotes. */
function envelopeProblem(given: string): string | undefined {
  // oxlint-disable-next-line no-control-regex
  const isFit = given.isWellFormed() && !/[\0-\x08\x0b\x0c\x0e-\x1f\uFFFE\uFFFF]/.test(given)
  return isFit ? undefined : 'found characters that XML forbids'
}

function soapActionProblem(given: string): string | undefined {
  if (given.includes('"')) return 'found a double quote'
  return /^[\x20-\x7e]*$/.test(given) ? undefined : 'found other characters'
}

/** The path goes out as it is written, so it has to be right as it is written. */
function pathProblem(given: string): string | undefined {
  if (/[?#]/.test(given)) return 'found a query string or a fragment'
  return templateProblem(given) ?? textProblem(given.replaceAll(parameter, 'x'))
}

const parameter = /\{(\w[\w.-]*)\+?\}/g

function templateProblem(given: string): string | undefined {
  try {
    parsePathTemplate(given.startsWith('/') ? given : `/${given}`)
    const [odd] = /\{[^{}]*\}/.exec(given.replaceAll(parameter, '')) ?? []
    return odd === undefined ? undefined : `found ${odd}; the name of a parameter has letters, digits, _, - and dots`
  } catch (error) {
    if (error instanceof PathTemplateError) return error.message
    throw error
  }
}

function textProblem(given: string): string | undefined {
  if (/%(?![\da-f]{2})/i.test(given)) return 'found a percent sign without two hexadecimal digits (itself it is %25)'
  const [odd] = /[^\w.~!$&'()*+,;=:@/%-]/u.exec(given) ?? []
  if (odd !== undefined) return `found ${JSON.stringify(odd)}, which no path may hold`
  return hasParentSegment(given) ? 'found a segment "..", which would leave the service' : undefined
}

/** Servers differ in what they decode first, so every spelling that one of them would take counts. */
function hasParentSegment(path: string): boolean {
  return path
    .replaceAll(/%2e/gi, '.')
    .replaceAll(/%3b/gi, ';')
    .split(/\/|%2f|%5c/i)
    .some((segment) => segment.split(';', 1)[0] === '..')
}
