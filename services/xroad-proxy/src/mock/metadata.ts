/**
 * The metadata services, which a Security Server answers itself: the clients of the instance, the methods of a provider
 * on both lanes, its WSDLs (`getWsdl`) and its OpenAPI descriptions (`getOpenAPI`). Identifiers and the folder of
 * answers in, content of answers out, or a `Refusal` in the words of a real one. The lanes put the content into
 * messages.
 */
import { randomUUID } from 'node:crypto'
import { isMapping, type Mapping, readYaml, YamlError } from '@services/config-file'
import { type AnswerFile, type Answers, answersAll, contentTypes } from './answers.ts'
import { Refusal } from './faults.ts'
import { identifierNamespace, type Message, type Service, xroadNamespace } from './message.ts'
import type { Header, MockReply, Wire } from './wire.ts'
import { escapeXml, readXml, type XmlElement, XmlProblem } from './read/xml.ts'

const listClients = 'listClients'

export function isListClients({ request: { method, url = '' } }: Wire): boolean {
  return method === 'GET' && /^\/listClients(?:\?|$)/.test(url)
}

/** The mock knows no clients: `listClients.json` or `listClients.xml` of the folder, or an empty list. */
export async function serveClients({ answers }: { readonly answers: Answers }, wire: Wire): Promise<void> {
  wire.service = listClients
  // A preference is not looked at: a client that takes JSON at all gets it.
  const isJson = (wire.request.headers.accept ?? '').includes('application/json')
  const file = isJson ? answers.forRest(listClients, 'GET') : answers.forSoap(listClients)
  const empty = isJson ? '{"member":[]}' : `<xrd:clientList xmlns:xrd="${xroadNamespace}"/>`
  const type = isJson ? (contentTypes['json'] ?? '') : 'text/xml; charset=utf-8'
  wire.send({ status: 200, type, headers: [], body: file?.content ?? Buffer.from(empty) })
}

export function isMethodList(serviceCode: string): boolean {
  return serviceCode === 'listMethods' || serviceCode === 'allowedMethods'
}

/** Of a list that the mock makes itself. */
export function headersOfList(serviceCode: string): readonly Header[] {
  return serviceCode === 'allowedMethods' ? [answersAll] : []
}

/** The body of `listMethods` and `allowedMethods` by SOAP: services that have an answer in XML or a WSDL. */
export function listSoapMethods(service: Service, answers: Answers): string {
  const { instance, memberClass, memberCode, subsystemCode, serviceCode } = service
  const element = (name: string, value: string): string =>
    value === '' ? '' : `<id:${name}>${escapeXml(value)}</id:${name}>`
  const provider =
    element('xRoadInstance', instance) +
    element('memberClass', memberClass) +
    element('memberCode', memberCode) +
    element('subsystemCode', subsystemCode)
  const services = soapServices(answers).map(({ code, version }) => {
    const names = element('serviceCode', code) + element('serviceVersion', version)
    return `<xrd:service id:objectType="SERVICE">${provider}${names}</xrd:service>`
  })
  const name = `xrd:${serviceCode}Response`
  return `<${name} xmlns:xrd="${xroadNamespace}" xmlns:id="${identifierNamespace}">${services.join('')}</${name}>`
}

/** A file with an answer is for all versions that have a WSDL. */
function soapServices(answers: Answers): readonly { readonly code: string; readonly version: string }[] {
  const described = answers.wsdls()
  const isDescribed = (code: string): boolean => described.some((each) => each.code === code)
  const others = answers
    .serviceCodes(['xml'])
    .filter((code) => !isMethodList(code) && !isDescribed(code) && answers.openApiOf(code) === undefined)
  return [...described, ...others.map((code) => ({ code, version: '' }))].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function keyOf({ code, version }: { readonly code: string; readonly version: string }): string {
  return `${code}\n${version}`
}

/** The same by REST: services that have an answer or a description, except for those of the other lane. */
export function listRestMethods(provider: readonly string[], answers: Answers): string {
  const [instance, memberClass, memberCode, subsystemCode] = provider
  const soap = new Set(answers.wsdls().map(({ code }) => code))
  const codes = [...new Set([...answers.serviceCodes(Object.keys(contentTypes)), ...answers.openApiCodes()])]
  const service = codes
    .sort()
    .filter((code) => !isMethodList(code) && !soap.has(code))
    .map((code) => {
      const description = answers.openApiOf(code)
      return {
        member_class: memberClass,
        member_code: memberCode,
        object_type: 'SERVICE',
        service_code: code,
        service_type: description === undefined ? 'REST' : 'OPENAPI',
        subsystem_code: subsystemCode,
        xroad_instance: instance,
        endpoint_list: description === undefined ? [] : endpointsOf(description),
      }
    })
  return JSON.stringify({ service })
}

const restMethods: ReadonlySet<string> = new Set(['delete', 'get', 'head', 'options', 'patch', 'post', 'put', 'trace'])

/**
 * As a Security Server takes them from a description: a parameter of a path is anything. None of a broken description.
 */
function endpointsOf({ content }: AnswerFile): readonly { readonly method: string; readonly path: string }[] {
  return Object.entries(pathsOf(content)).flatMap(([path, item]) => {
    const methods = isMapping(item) ? Object.keys(item).filter((name) => restMethods.has(name)) : []
    return methods.map((method) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{[^{}]*\}/g, '*') }))
  })
}

const descriptionLimits = { characters: 16 * 1024 * 1024, depth: 100, aliases: 10_000 }

/** JSON is YAML too. */
function pathsOf(description: Buffer): Mapping {
  try {
    const { paths } = readYaml(description.toString('utf8'), descriptionLimits)
    return isMapping(paths) ? paths : {}
  } catch (error) {
    if (error instanceof YamlError) return {}
    throw error
  }
}

/** The answer to `getWsdl`: the envelope and, as an attachment, the WSDL. */
export function withWsdl(envelope: MockReply, { service, request }: Message, answers: Answers): MockReply {
  const code = request.part('serviceCode')
  if (code.trim() === '') refuse('invalid_request', 'Missing serviceCode in message body')
  const version = request.part('serviceVersion')
  const { instance, memberClass, memberCode, subsystemCode } = service
  const file = answers.wsdlOf(code, version)
  if (file === undefined) {
    if (isRestOnly(code, answers)) {
      refuse('invalid_service_type', 'Service is a REST service and does not have a WSDL')
    }
    const id = nameOf([instance, memberClass, memberCode, subsystemCode, code, version])
    refuse('unknown_service', `Could not find wsdl URL for service ${id}`)
  }
  return attach(envelope, hideAddresses(file.content))
}

function isRestOnly(code: string, answers: Answers): boolean {
  const others = Object.keys(contentTypes).filter((extension) => extension !== 'xml')
  return answers.openApiOf(code) !== undefined || answers.serviceCodes(others).includes(code)
}

/** The answer to `getOpenAPI`; `query` is that of the request. */
export function describeRest(provider: readonly string[], query: string | undefined, answers: Answers): AnswerFile {
  const given = [...new URLSearchParams(query)].findLast(([name]) => name.toLowerCase() === 'servicecode')
  const code = given?.[1] ?? ''
  if (code === '') refuse('invalid_request', 'Missing serviceCode in message body')
  const file = answers.openApiOf(code)
  if (file !== undefined) return file
  if (answers.wsdls().some((each) => each.code === code)) refuse('internal_error', 'Invalid service type: WSDL')
  if (answers.forRest(code, 'GET') !== undefined) refuse('internal_error', 'Invalid service type: REST')
  return refuse('internal_error', `Service not found: ${nameOf([...provider, code])}`)
}

/** By the Security Server of the provider. */
function refuse(code: string, message: string): never {
  throw new Refusal(`server.serverproxy.${code}`, message)
}

function nameOf(parts: readonly string[]): string {
  return `SERVICE:${parts.filter(Boolean).join('/')}`
}

function attach(envelope: MockReply, wsdl: Buffer): MockReply {
  const boundary = `mock-${randomUUID()}`
  const id = `<wsdl=${randomUUID()}@x-road.eu>`
  const parts = [
    `--${boundary}\r\nContent-Type: text/xml; charset=UTF-8\r\n\r\n`,
    envelope.body,
    `\r\n--${boundary}\r\nContent-Type: text/xml\r\nContent-Transfer-Encoding: binary\r\nContent-ID: ${id}\r\n\r\n`,
    wsdl,
    `\r\n--${boundary}--\r\n`,
  ]
  const type = `multipart/related; type="text/xml"; charset=UTF-8; boundary="${boundary}"`
  return { ...envelope, type, body: Buffer.concat(parts.map((part) => Buffer.from(part))) }
}

const wsdlNamespace = 'http://schemas.xmlsoap.org/wsdl/'
const addressNamespaces: ReadonlySet<string | undefined> = new Set([
  'http://schemas.xmlsoap.org/wsdl/soap/',
  'http://schemas.xmlsoap.org/wsdl/soap12/',
])
/** Definitions, service, port, address. */
const levels = 4
const noAddress = 'http://example.org/xroad-endpoint'

/** Where the provider's own machine is, nobody else learns. What is not a WSDL goes out as it is. */
function hideAddresses(wsdl: Buffer): Buffer {
  // One byte a character: whatever the charset, every byte that is not part of an address stays.
  const text = wsdl.toString('latin1')
  const addresses = findAddresses(text)
  if (addresses.length === 0) return wsdl
  let hidden = ''
  let at = 0
  for (const { start, contentStart } of addresses) {
    const tag = text.slice(start, contentStart)
    hidden += text.slice(at, start) + tag.replace(/(\slocation\s*=\s*)(?:"[^"]*"|'[^']*')/, `$1"${noAddress}"`)
    at = contentStart
  }
  return Buffer.from(hidden + text.slice(at), 'latin1')
}

function findAddresses(text: string): readonly XmlElement[] {
  try {
    const root = readXml(text.replace(/^\u00EF\u00BB\u00BF/, '   '), levels)
    if (root.namespace !== wsdlNamespace || root.localName !== 'definitions') return []
    return root.children
      .flatMap((service) => service.children)
      .flatMap((port) => port.children)
      .filter(({ localName, namespace }) => localName === 'address' && addressNamespaces.has(namespace))
  } catch (error) {
    if (error instanceof XmlProblem) return []
    throw error
  }
}
