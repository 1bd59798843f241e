/**
 * An envelope that somebody wrote by hand, filled in -> why nobody can read it as a message: it is not XML, no SOAP
 * envelope, or lacks what Security Servers demand. Knows neither the file nor its lines.
 */
import type { Template } from '../../model.ts'
import { soapVersions } from '../../soap-versions.ts'
import type { TemplateWarning } from '../../soap/request/template-names.ts'
import { toQName } from '../../wsdl/xml/qname.ts'
import { readXml, WsdlError, type XmlElement } from '../../wsdl/xml/xml.ts'
import { toClientElement } from '../../xroad.ts'
import type { SoapFile } from './dsl-schema.ts'

type Envelope = Pick<SoapFile, 'envelope' | 'params' | 'service' | 'soapVersion'>

/** One or none. Values may be pieces of XML, so it counts only if it is wrong with texts and without any. */
export function envelopeProblem(file: Envelope, template: Template): readonly TemplateWarning[] {
  if (template.attached !== undefined) return []
  const problem = problemWith('x', file, template)
  return problem === undefined || problemWith('', file, template) === undefined ? [] : [problem]
}

function problemWith(value: string, file: Envelope, template: Template): TemplateWarning | undefined {
  const filled = fill(value, file, template)
  if (filled === undefined) return undefined
  try {
    return problemOf(filled, file)
  } catch (error) {
    if (!(error instanceof WsdlError)) throw error
    return toWarning(`${error.message}; each tag needs its end and each prefix its xmlns`, error.line, filled, file)
  }
}

/** Blocks on lines of their own leave no line in what was filled in, so its lines are not those of the template. */
function toWarning(message: string, line: number, filled: string, { envelope }: Envelope): TemplateWarning {
  const hasSameLines = filled.split('\n').length === envelope.split('\n').length
  return { lines: hasSameLines ? [line] : [], message }
}

const identity = { instance: 'x', memberClass: 'x', memberCode: 'x', subsystemCode: 'x' }
const sample = { uuid: 'x', instance: 'x', client: toClientElement(identity), protocol_version: 'x' }
const simpleTag = /\{\{\{? *([A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)?) *\}?\}\}/g

/** Undefined for what cannot be filled in with texts. Compiling a template takes longer than all else of a start. */
function fill(value: string, { envelope, params }: Envelope, template: Template): string | undefined {
  const filled = envelope.replaceAll(simpleTag, (_, name) => (name === 'generate.client' ? sample.client : value))
  if (!filled.includes('{{')) return filled
  try {
    return template.render(Object.fromEntries(params.map((param) => [param, value])), sample)
  } catch {
    return undefined
  }
}

/** Values of callers that are XML, and may be any part of the message. */
const rawValue = /\{\{(?:\{(?!\s*generate\.)|&)/

function problemOf(filled: string, file: Envelope): TemplateWarning | undefined {
  const text = filled.trimStart()
  if (!text.startsWith('<')) return { lines: [1], message: 'is not XML, which begins with <' }
  if (/^(?:<\?[^>]*>\s*)?<!doctype/i.test(text)) return { lines: [1], message: 'has a DOCTYPE, which SOAP forbids' }
  const root = readXml(Buffer.from(filled))
  if (rawValue.test(file.envelope)) return undefined
  const [found] = soapProblems(root, file)
  return found && toWarning(found.message, found.element.line, filled, file)
}

interface Found {
  readonly element: XmlElement
  readonly message: string
}

/** A direct call may send any XML. */
function* soapProblems(root: XmlElement, { service, soapVersion }: Envelope): Generator<Found> {
  const isDirect = service !== undefined
  const { envelope: namespace } = soapVersions[soapVersion]
  if (root.local !== 'Envelope') {
    const message = `begins with <${root.local}>, expected the Envelope of SOAP, with the namespace ${namespace}`
    if (!isDirect) yield { element: root, message }
    return
  }
  if (root.namespace !== namespace) yield { element: root, message: wrongNamespace(root, namespace) }
  const [header, body] = ['Header', 'Body'].map((name) => root.children.find(({ local }) => local === name))
  for (const part of [header, body]) {
    if (part !== undefined && part.namespace !== namespace) {
      yield { element: part, message: wrongNamespace(part, namespace) }
    }
  }
  if (body === undefined) yield { element: root, message: 'has no Body, expected one with the element of the request' }
  if (isDirect) return
  if (header === undefined) {
    yield { element: root, message: `has no Header, expected one before the Body with ${remedies(fieldNames)}` }
  } else yield* headerProblems(header)
  if (body?.children.length === 0) {
    yield { element: body, message: 'the Body is empty, expected the element of the request' }
  }
}

const xroad = 'http://x-road.eu/xsd/xroad.xsd'
const identifiers = 'http://x-road.eu/xsd/identifiers'

/** Field of the header that X-Road demands -> how it is written. */
const fields: Readonly<Record<string, string>> = {
  client: '{{{generate.client}}}',
  service: '<xroad:service id:objectType="SERVICE"> with the codes of the provider',
  id: '<xroad:id>{{generate.uuid}}</xroad:id>',
  protocolVersion: '<xroad:protocolVersion>{{generate.protocol_version}}</xroad:protocolVersion>',
}
const fieldNames = Object.keys(fields)

function remedies(names: readonly string[]): string {
  return names.map((name) => fields[name]).join(', ')
}

const parts: Readonly<Record<string, readonly string[]>> = {
  client: ['xRoadInstance', 'memberClass', 'memberCode'],
  service: ['xRoadInstance', 'memberClass', 'memberCode', 'serviceCode'],
}

function* headerProblems(header: XmlElement): Generator<Found> {
  const missing: string[] = []
  for (const name of fieldNames) {
    const named = header.children.filter(({ local }) => local === name)
    const element = named.find(({ namespace }) => namespace === xroad) ?? named[0]
    if (element === undefined) missing.push(name)
    else if (element.namespace !== xroad) yield { element, message: wrongNamespace(element, xroad) }
    else yield* identifierProblems(element)
  }
  if (missing.length === 0) return
  const message = `the Header lacks ${missing.join(', ')}, which X-Road demands; write ${remedies(missing)}`
  yield { element: header, message }
}

function* identifierProblems(element: XmlElement): Generator<Found> {
  const wanted = parts[element.local] ?? []
  if (wanted.length === 0) return
  const stranger = element.children.find(({ local, namespace }) => wanted.includes(local) && namespace !== identifiers)
  if (stranger !== undefined) yield { element: stranger, message: wrongNamespace(stranger, identifiers) }
  const missing = wanted.filter((name) => element.children.every(({ local }) => local !== name))
  if (missing.length > 0) {
    yield { element, message: `${element.local} lacks ${missing.map((name) => `<id:${name}>`).join(', ')}` }
  }
  if (!element.attributes.has(toQName(identifiers, 'objectType'))) {
    const type = element.local === 'service' ? 'SERVICE' : 'SUBSYSTEM'
    yield { element, message: `${element.local} lacks the attribute id:objectType="${type}"` }
  }
}

function wrongNamespace({ local, namespace }: XmlElement, expected: string): string {
  const found = namespace === '' ? 'no namespace' : `the namespace ${JSON.stringify(namespace.slice(0, 100))}`
  return `${local} has ${found}, expected ${expected}; correct its prefix or the xmlns of it`
}
