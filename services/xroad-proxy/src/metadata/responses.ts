/**
 * The metadata services of X-Road in their own formats: the clients of an instance, what a provider offers and allows,
 * by REST and by SOAP, its WSDLs and OpenAPI descriptions. Responses in, plain lists and bytes out; for any other
 * response it throws a `MetadataError`. Sends nothing.
 */
import type { Identity, Translation } from '../model.ts'
import { finish } from '../steps.ts'
import { XmlError } from '../soap/json/xml-error.ts'
import { readResponse } from '../soap/message/response.ts'
import { readMediaType } from '../soap/mime/media-type.ts'
import { readPartsInSteps } from '../soap/message/multipart.ts'
import type { RawPart } from '../soap/mime/parts.ts'
import { decodeTransferInSteps } from '../soap/mime/transfer.ts'

/** A member or one of its subsystems. */
export type Client = Identity

export interface Service {
  readonly code: string
  /** Empty where there is none. */
  readonly version: string
  /** By REST: `REST`, or `OPENAPI` for one with a description. Empty by SOAP. */
  readonly type: string
  /** REST: those of its endpoints that are allowed. Empty when it is allowed as a whole and none is described. */
  readonly endpoints: readonly { readonly method: string; readonly path: string }[]
}

export interface MetadataResponse {
  readonly status: number
  readonly contentType: string | undefined
  /** Names and values in turn. */
  readonly headers?: readonly string[]
  readonly body: Uint8Array
}

/** Whether a list of services is that of our own mock, which answers all others as well. */
export function isOfMock({ headers = [] }: MetadataResponse): boolean {
  return headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'x-mock-answers')
}

/** What a response says instead of what was asked for. Free of control characters. */
export class MetadataError extends Error {
  constructor(message: string) {
    super(message.replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, maxTextLength))
    this.name = 'MetadataError'
  }
}

const maxTextLength = 300

export function readClients({ status, body }: MetadataResponse): readonly Client[] {
  const { member } = readObject(status, body)
  return listOf(member).map((entry) => {
    const id = fieldsOf(fieldsOf(entry)['id'])
    return {
      instance: textOf(id['xroad_instance']),
      memberClass: textOf(id['member_class']),
      memberCode: textOf(id['member_code']),
      subsystemCode: textOf(id['subsystem_code']),
    }
  })
}

export function readRestServices({ status, body }: MetadataResponse): readonly Service[] {
  const { service } = readObject(status, body)
  return listOf(service).map((entry) => {
    const fields = fieldsOf(entry)
    const endpoints = listOf(fields['endpoint_list']).map((endpoint) => {
      const { method, path } = fieldsOf(endpoint)
      return { method: textOf(method), path: textOf(path) }
    })
    const [code, version, type] = ['service_code', 'service_version', 'service_type'].map((name) =>
      textOf(fields[name]),
    )
    return { code: code ?? '', version: version ?? '', type: type ?? '', endpoints }
  })
}

/** Of the service `listMethods` or `allowedMethods`. */
export function readSoapServices(metadata: MetadataResponse, service = 'allowedMethods'): readonly Service[] {
  const { body } = readSoap(metadata)
  const response = childrenOf(parse(body))[`${service}Response`]
  if (response === undefined) throw new MetadataError(`the answer holds no ${service}Response`)
  return listOf(childrenOf(response)['service']).map((entry) => {
    const { serviceCode, serviceVersion } = childrenOf(entry)
    return { code: textOf(serviceCode), version: textOf(serviceVersion), type: '', endpoints: [] }
  })
}

/** The WSDL that is attached to the response to `getWsdl`, as its provider has written it. */
export function readWsdl(response: MetadataResponse): Uint8Array {
  // A fault has no attachment, so it is looked for first.
  readSoap(response)
  const { body, contentType = '' } = response
  if (readMediaType(contentType).type !== 'multipart/related')
    throw new MetadataError('no WSDL is attached to the answer')
  try {
    const { others } = finish(readPartsInSteps(body, contentType, { isRootEnough: false }))
    const part = others.find(isXml) ?? others[0]
    if (part === undefined) throw new MetadataError('no WSDL is attached to the answer')
    return finish(decodeTransferInSteps(part.body, part.headers.get('content-transfer-encoding'), 'the attachment'))
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw new MetadataError(error.message)
  }
}

function isXml({ headers }: RawPart): boolean {
  return /[/+]xml$/.test(readMediaType(headers.get('content-type') ?? '').type)
}

/** The description in the response to `getOpenAPI`, YAML or JSON. */
export function readOpenApi({ status, body }: MetadataResponse): Uint8Array {
  if (status === 200) return body
  throw toError(status, tryParse(body))
}

/** The service element in the X-Road header of an envelope; undefined where there is none. */
export function readServiceHeader(envelope: string): (Identity & { code: string; version: string }) | undefined {
  const { headers } = readResponse(Buffer.from(envelope), 'text/xml; charset=utf-8')
  const { service } = childrenOf(parse(headers))
  if (service === undefined) return undefined
  const parts = childrenOf(service)
  return {
    instance: textOf(parts['xRoadInstance']),
    memberClass: textOf(parts['memberClass']),
    memberCode: textOf(parts['memberCode']),
    subsystemCode: textOf(parts['subsystemCode']),
    code: textOf(parts['serviceCode']),
    version: textOf(parts['serviceVersion']),
  }
}

type Fields = Readonly<Record<string, unknown>>

function readObject(status: number, body: Uint8Array): Fields {
  const fields = tryParse(body)
  if (status !== 200) throw toError(status, fields)
  if (fields !== undefined) return fields
  throw new MetadataError('the answer is not a JSON object')
}

/** From the form of errors that a Security Server makes, if it is one. */
function toError(status: number, { type, message }: Fields = {}): MetadataError {
  const said = [type, message].map(textOf).filter(Boolean).join(': ')
  return new MetadataError(said === '' ? `HTTP ${status}` : said)
}

function tryParse(body: Uint8Array): Fields | undefined {
  try {
    const value = parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

/** Throws what a fault says. */
function readSoap({ status, body, contentType }: MetadataResponse): Translation {
  const isSuccess = status >= 200 && status < 300
  try {
    const translation = readResponse(body, contentType)
    const { fault } = translation
    if (fault !== undefined) throw new MetadataError(`${fault.code}: ${fault.string}`)
    if (!isSuccess) throw new MetadataError(`HTTP ${status}`)
    return translation
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    throw new MetadataError(isSuccess ? `the answer cannot be read as XML: ${error.message}` : `HTTP ${status}`)
  }
}

/** Codes that look like numbers keep their digits. */
function parse(json: string): unknown {
  const revive = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' || typeof value === 'boolean' ? (context?.source ?? String(value)) : value
  return JSON.parse(json, revive)
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

/** The children of a translated element by their local names. */
function childrenOf(element: unknown): Fields {
  const named = Object.entries(fieldsOf(element)).map(([name, value]) => [name.slice(name.indexOf(':') + 1), value])
  return Object.fromEntries(named) as Fields
}

/** One element or many, in XML; always a list in JSON. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

/** The text of an element may be beside its attributes. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  const text = fieldsOf(value)['#text']
  return typeof text === 'string' ? text : ''
}
