/**
 * SOAP requests: answered as a Security Server and the provider behind it would. The header of the request comes back
 * verbatim, the body is a file of the answers folder, what metadata.ts says, or an echo; `mock.` codes go to failures-on-demand.ts.
 */
import { createHash } from 'node:crypto'
import type { Answers } from './answers.ts'
import {
  bringBack,
  describeAttachments,
  isMultipart,
  openMessage,
  type SentMessage,
  tellAttachments,
} from './attachments.ts'
import { type Message, onDemand, readMessage, xroadNamespace } from './message.ts'
import { type MockCall, readFailure, soapFault } from './failures-on-demand.ts'
import { faultEnvelope, Refusal, spell, type Spelling } from './faults.ts'
import { headersOfList, isMethodList, listSoapMethods, withWsdl } from './metadata.ts'
import { prolog, xmlShape } from './oddities.ts'
import type { MockReply, Wire } from './wire.ts'
import { escapeXml } from './xml-reader.ts'

export interface MockBehaviour {
  readonly answers: Answers
  readonly spelling: Spelling
}

const maxEnvelopeBytes = 10 * 1024 * 1024
/** With all attachments. */
const maxMessageBytes = 128 * 1024 * 1024
const earlyCode = 'mock.early-answer'

export async function serveSoap({ answers, spelling }: MockBehaviour, wire: Wire): Promise<void> {
  try {
    checkHead(wire)
    const body = await readBody(wire)
    if (body === undefined) return
    const sent = openMessage(typeOf(wire), body)
    const message = readMessage(decode(sent))
    const { serviceCode } = message.service
    wire.service = `${serviceCode}${tellAttachments(sent)}`
    if (!serviceCode.startsWith(onDemand)) {
      wire.send(answer(message, sent, answers))
      return
    }
    const [failure, argument] = readFailure(serviceCode) ?? []
    if (failure === undefined || argument === undefined) {
      throw new Refusal('server.serverproxy.unknown_service', `The mock knows no service code ${serviceCode}`)
    }
    await failure.act(toMockCall(wire, message, sent, failure.name), argument)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    wire.send(soapFault(faultEnvelope(spell(error.code, spelling), error.message)))
  }
}

function checkHead(wire: Wire): void {
  const { method, headers } = wire.request
  if (method !== 'POST') {
    throw new Refusal('client.invalid_http_method', `Must use POST request method instead of ${method}`)
  }
  const type = typeOf(wire)
  if (!isMultipart(type) && !/^\s*text\/xml\s*(?:;|$)/i.test(type)) {
    throw new Refusal('client.invalid_content_type', `Invalid content type: ${type}`)
  }
  const action = headers['soapaction']
  if (typeof action === 'string' && action !== '' && !/^"[^"]*"$/.test(action)) {
    throw new Refusal('client.invalid_soap_action', 'Malformed SOAPAction header')
  }
}

function typeOf({ request }: Wire): string {
  return request.headers['content-type'] ?? ''
}

/** The bytes of the request, undefined when the request is answered already or the client has left. */
async function readBody(wire: Wire): Promise<Buffer | undefined> {
  const most = isMultipart(typeOf(wire)) ? maxMessageBytes : maxEnvelopeBytes
  const chunks: Buffer[] = []
  let length = 0
  let isAnswered = false
  const isWhole = await wire.read((chunk) => {
    length += chunk.length
    if (length <= most) chunks.push(chunk)
    if (isAnswered || !chunk.includes(`>${earlyCode}<`)) return
    isAnswered = true
    wire.service = earlyCode
    wire.send({ ...blank, body: Buffer.from(soapText(`<${earlyCode}Response xmlns="urn:mock"/>`)) })
  })
  if (!isWhole || isAnswered) return undefined
  if (length <= most) return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
  const body = Buffer.from(`The mock reads envelopes of at most ${most} bytes\n`)
  wire.send({ status: 413, type: 'text/plain; charset=utf-8', headers: [], body })
  return undefined
}

const blank: Omit<MockReply, 'body'> = { status: 200, type: 'text/xml; charset=utf-8', headers: [] }

function soapText(content: string): string {
  const namespace = 'http://schemas.xmlsoap.org/soap/envelope/'
  return `${prolog.plain}<soap:Envelope xmlns:soap="${namespace}"><soap:Body>${content}</soap:Body></soap:Envelope>`
}

function decode({ envelope, type }: SentMessage): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8'
  if (/^utf-?8$/i.test(charset)) return envelope.toString('utf8')
  try {
    return new TextDecoder(charset).decode(envelope)
  } catch {
    throw new Refusal('client.invalid_soap', `The charset ${charset} is not supported`)
  }
}

function answer(message: Message, sent: SentMessage, answers: Answers): MockReply {
  const { service, request } = message
  const { envelope: body } = sent
  const file = answers.forSoap(service.serviceCode)
  if (file !== undefined) return fromFile(file.content, message, body)
  const { serviceCode } = service
  if (isMethodList(serviceCode)) {
    return { ...dress(listSoapMethods(service, answers), message, body), headers: headersOfList(serviceCode) }
  }
  const name = `${request.prefix}${serviceCode}Response`
  const echo = dress(`<${name}${request.attributes}>${request.content}</${name}>`, message, body)
  return serviceCode === 'getWsdl' ? withWsdl(echo, message, answers) : bringBack(echo, sent)
}

/** A file is the content of the Body, or a whole envelope, which is sent as it is. */
function fromFile(content: Buffer, message: Message, body: Buffer): MockReply {
  const text = content.toString('utf8')
  const start = /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[^]*?-->\s*)*/.exec(text)?.[0] ?? ''
  const isEnvelope = /^<(?:[^\s:<>/]+:)?Envelope[\s>]/.test(text.slice(start.length, start.length + 100))
  if (isEnvelope) return { ...blank, body: content }
  return dress(text.replace(/^\uFEFF?\s*(?:<\?xml[^>]*\?>)?/, ''), message, body)
}

/** Content -> the whole answer: the request's X-Road header, the hash of the request, the content. */
function dress(content: string, message: Message, body: Buffer): MockReply {
  const { opening, fields, xroadPrefix, middle, closing } = message
  const name = `${xroadPrefix ?? 'xroad'}:requestHash`
  const declared = xroadPrefix === undefined ? ` xmlns:xroad="${xroadNamespace}"` : ''
  const digest = createHash('sha512').update(body).digest('base64')
  const requestHash = `<${name}${declared} algorithmId="http://www.w3.org/2001/04/xmlenc#sha512">${digest}</${name}>`
  const text = `${prolog.plain}${opening}${fields}${requestHash}${middle}${content}${closing}`
  return { ...blank, body: Buffer.from(text) }
}

function toMockCall(wire: Wire, message: Message, sent: SentMessage, name: string): MockCall {
  const around = (content: string): MockReply =>
    dress(`<${name}Response xmlns="urn:mock">${content}</${name}Response>`, message, sent.envelope)
  return {
    lane: 'soap',
    wire,
    shape: xmlShape,
    target: wire.request.url ?? '/',
    ordinary: () => around(message.request.content),
    around,
    aroundXml: around,
    received: () => around(describeRequest(wire, sent)),
    restError: (code, text) => soapFault(faultEnvelope(code, text)),
  }
}

function describeRequest({ request }: Wire, sent: SentMessage): string {
  const { method = '', url = '', rawHeaders } = request
  const headers = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`<header name="${escapeXml(name)}">${escapeXml(rawHeaders[index + 1] ?? '')}</header>`] : [],
  )
  return (
    `<method>${escapeXml(method)}</method><target>${escapeXml(url)}</target>${headers.join('')}` +
    `<body>${escapeXml(sent.envelope.toString('utf8'))}</body>${describeAttachments(sent)}`
  )
}
