/**
 * What a Security Server reads in a SOAP request: text -> `Message`, the parts that an answer repeats. For a
 * request that a real one refuses it throws a `Refusal` with the same code and text. It does not look into bodies.
 */
import { Refusal, soapNamespace } from './faults.ts'
import { readEnvelope } from './soap-request.ts'
import { attributeOf, textOf, type XmlElement } from './read/xml.ts'

export const xroadNamespace = 'http://x-road.eu/xsd/xroad.xsd'
export const identifierNamespace = 'http://x-road.eu/xsd/identifiers'
const representationNamespace = 'http://x-road.eu/xsd/representation.xsd'

/** Service codes that ask the mock for a failure; the body of such a request may be any. */
export const onDemand = 'mock.'

export interface Message {
  /** Start of an answer up to the first header field, with every declaration of the request in force. */
  readonly opening: string
  /** The X-Road fields of the header, verbatim. */
  readonly fields: string
  /** Prefix that means the X-Road namespace inside the header, if any. */
  readonly xroadPrefix: string | undefined
  /** From the end of the header to the start of the body's content. */
  readonly middle: string
  readonly closing: string
  readonly service: Service
  readonly request: RequestElement
}

/** The request element in the body: its prefix with colon, attributes and content as written. */
interface RequestElement {
  readonly prefix: string
  readonly attributes: string
  readonly content: string
  /** The text of a child in the X-Road namespace, as metadata services have them; empty without one. */
  part(name: string): string
}

export interface Service {
  readonly instance: string
  readonly memberClass: string
  readonly memberCode: string
  readonly subsystemCode: string
  readonly serviceCode: string
}

/** Envelope, Header and Body, field, part of an identifier. */
const levels = 4

export function readMessage(text: string): Message {
  const envelope = readEnvelope(text, levels)
  if (!isNamed(envelope, soapNamespace, 'Envelope')) {
    throw new Refusal('client.invalid_soap', 'Malformed SOAP message: envelope missing')
  }
  const header = envelope.children.find((child) => isNamed(child, soapNamespace, 'Header'))
  const body = envelope.children.find((child) => isNamed(child, soapNamespace, 'Body'))
  refuseFault(body, text)
  if (header === undefined) throw new Refusal('client.missing_header', 'Malformed SOAP message: header missing')
  const fields = header.children.filter(
    ({ namespace }) => namespace === xroadNamespace || namespace === representationNamespace,
  )
  const service = checkHeader(fields, text)
  const request = checkBody(body, service)
  return {
    opening: `<${envelope.name}${envelope.attributes}><${header.name}${header.attributes}>`,
    fields: fields.map(({ start, end }) => text.slice(start, end)).join(''),
    xroadPrefix: [...header.scope].find(([prefix, uri]) => uri === xroadNamespace && prefix !== '')?.[0],
    middle: `</${header.name}><${request.body.name}${request.body.attributes}>`,
    closing: `</${request.body.name}></${envelope.name}>`,
    service,
    request: {
      prefix: request.element.name.slice(0, request.element.name.length - request.element.localName.length),
      attributes: request.element.attributes,
      content: text.slice(request.element.contentStart, request.element.contentEnd),
      part: (name) => partOf(request.element, xroadNamespace, name, text),
    },
  }
}

/** A Security Server passes a Fault in a request back as an error of the client. */
function refuseFault(body: XmlElement | undefined, text: string): void {
  const fault = body?.children.find((child) => isNamed(child, soapNamespace, 'Fault'))
  if (fault === undefined) return
  const part = (name: string): string => {
    const found = fault.children.find(({ localName }) => localName === name)
    return found === undefined ? '' : textOf(found, text)
  }
  throw new Refusal(`client.${part('faultcode')}`, part('faultstring'))
}

function isNamed(element: XmlElement, namespace: string, localName: string): boolean {
  return element.localName === localName && element.namespace === namespace
}

/** Fields that a Security Server reads; it passes others of these namespaces over, however often they are there. */
const known: ReadonlySet<string> = new Set([
  ...['id', 'userId', 'issue', 'protocolVersion', 'client', 'service', 'securityServer', 'requestHash'].map(
    (name) => `{${xroadNamespace}}${name}`,
  ),
  `{${representationNamespace}}representedParty`,
])

/** In the order in which a Security Server looks: what is wrong in itself, then what is missing. */
function checkHeader(fields: readonly XmlElement[], text: string): Service {
  const seen = new Map<string, XmlElement>()
  for (const field of fields) {
    const name = `{${field.namespace}}${field.localName}`
    if (!known.has(name)) continue
    if (seen.has(field.localName)) {
      throw new Refusal('client.duplicate_header_field', `SOAP header contains duplicate field '${name}'`)
    }
    seen.set(field.localName, field)
    checkField(field, text)
  }
  for (const name of ['protocolVersion', 'client', 'id']) {
    if (!seen.has(name)) throw new Refusal('client.missing_header_field', `Required field '${name}' is missing`)
  }
  const service = seen.get('service')
  if (service === undefined) {
    throw new Refusal('client.missing_header_field', 'Message header must contain service id')
  }
  const part = (name: string): string => partOf(service, identifierNamespace, name, text)
  return {
    instance: part('xRoadInstance'),
    memberClass: part('memberClass'),
    memberCode: part('memberCode'),
    subsystemCode: part('subsystemCode'),
    serviceCode: part('serviceCode'),
  }
}

function partOf({ children }: XmlElement, namespace: string, name: string, text: string): string {
  const found = children.find((child) => isNamed(child, namespace, name))
  return found === undefined ? '' : textOf(found, text)
}

const objectTypes: Readonly<Record<string, readonly string[]>> = {
  client: ['MEMBER', 'SUBSYSTEM'],
  service: ['SERVICE'],
}

function checkField(field: XmlElement, text: string): void {
  if (field.localName === 'protocolVersion') {
    const version = textOf(field, text)
    if (version.startsWith('4.')) return
    const problem = `Invalid protocol version (supported: 4.x, provided: ${version})`
    throw new Refusal('client.invalid_protocol_version', problem)
  }
  const expected = objectTypes[field.localName]
  if (expected === undefined) return
  const objectType = attributeOf(field, identifierNamespace, 'objectType')
  if (objectType === undefined) throw new Refusal('client.invalid_xml', 'Missing objectType attribute')
  if (!expected.includes(objectType)) {
    throw new Refusal('client.invalid_xml', `Unexpected objectType: ${objectType}`)
  }
}

function checkBody(
  body: XmlElement | undefined,
  { serviceCode }: Service,
): { readonly body: XmlElement; readonly element: XmlElement } {
  if (body === undefined) throw new Refusal('client.missing_body', 'Malformed SOAP message: body missing')
  const [element, ...others] = body.children
  if (element === undefined || others.length > 0) {
    const problem = 'Malformed SOAP message: body must have exactly one child element'
    throw new Refusal('client.invalid_body', problem)
  }
  // A prefix of the name is enough for a real server too.
  if (!element.localName.startsWith(serviceCode) && !serviceCode.startsWith(onDemand)) {
    const problem = 'Malformed SOAP message: service code does not match in header and body'
    throw new Refusal('client.inconsistent_headers', problem)
  }
  return { body, element }
}
