/**
 * The metadata services of X-Road in their own formats: the clients of an instance, and what a provider allows, by REST and
 * by SOAP. Responses in, plain lists out; for any other response it throws a `MetadataError`. Sends nothing.
 */
import type { Identity } from '../model.ts'
import { readAnswer } from '../soap/message/answer.ts'
import { XmlError } from '../soap/json/xml-error.ts'

/** A member or one of its subsystems. */
export type Client = Identity

export interface Service {
  readonly code: string
  /** Empty where there is none. */
  readonly version: string
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

/** What an answer says in place of what was asked for. Free of control characters. */
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
    return { code: textOf(fields['service_code']), version: textOf(fields['service_version']), endpoints }
  })
}

export function readSoapServices({ status, body, contentType }: MetadataResponse): readonly Service[] {
  const translation = readSoap(status, body, contentType)
  const { fault } = translation
  if (fault !== undefined) throw new MetadataError(`${fault.code}: ${fault.string}`)
  if (status < 200 || status > 299) throw new MetadataError(`HTTP ${status}`)
  const response = childrenOf(parse(translation.body))['allowedMethodsResponse']
  if (response === undefined) throw new MetadataError('the answer holds no allowedMethodsResponse')
  return listOf(childrenOf(response)['service']).map((entry) => {
    const { serviceCode, serviceVersion } = childrenOf(entry)
    return { code: textOf(serviceCode), version: textOf(serviceVersion), endpoints: [] }
  })
}

/** The service element in the X-Road header of an envelope; undefined where there is none. */
export function readServiceHeader(envelope: string): (Identity & { code: string; version: string }) | undefined {
  const { headers } = readAnswer(Buffer.from(envelope), 'text/xml; charset=utf-8')
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

export interface EnvelopeHead {
  /** The client element, as the SOAP lane writes it. */
  readonly client: string
  readonly id: string
  readonly protocolVersion: string
}

/** The SOAP request for the services of a provider that this client may call. */
export function toAllowedMethods(provider: Identity, { client, id, protocolVersion }: EnvelopeHead): string {
  const { instance, memberClass, memberCode, subsystemCode } = provider
  const names = [
    ['xRoadInstance', instance],
    ['memberClass', memberClass],
    ['memberCode', memberCode],
    ...(subsystemCode === '' ? [] : [['subsystemCode', subsystemCode]]),
    ['serviceCode', 'allowedMethods'],
  ]
  const parts = names.map(([name, value = '']) => `<id:${name}>${escapeText(value)}</id:${name}>`).join('')
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"' +
    ' xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" xmlns:id="http://x-road.eu/xsd/identifiers">' +
    `<soapenv:Header>${client}<xroad:service id:objectType="SERVICE">${parts}</xroad:service>` +
    `<xroad:id>${id}</xroad:id><xroad:protocolVersion>${protocolVersion}</xroad:protocolVersion></soapenv:Header>` +
    '<soapenv:Body><xroad:allowedMethods/></soapenv:Body></soapenv:Envelope>'
  )
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escapeText(text: string): string {
  return text.replaceAll(/[&<>]/g, (found) => escapes[found] ?? found)
}

type Fields = Readonly<Record<string, unknown>>

function readObject(status: number, body: Uint8Array): Fields {
  const fields = tryParse(body)
  if (status === 200 && fields !== undefined) return fields
  // The form of errors that a Security Server makes.
  const { type, message } = fields ?? {}
  const said = [type, message].map(textOf).filter(Boolean).join(': ')
  if (status !== 200) throw new MetadataError(said === '' ? `HTTP ${status}` : said)
  throw new MetadataError('the answer is not a JSON object')
}

function tryParse(body: Uint8Array): Fields | undefined {
  try {
    const value = parse(new TextDecoder().decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

function readSoap(status: number, body: Uint8Array, contentType: string | undefined): ReturnType<typeof readAnswer> {
  try {
    return readAnswer(body, contentType)
  } catch (error) {
    if (!(error instanceof XmlError)) throw error
    const isSuccess = status >= 200 && status < 300
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

/** The text of an element may stand beside its attributes. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  const text = fieldsOf(value)['#text']
  return typeof text === 'string' ? text : ''
}
