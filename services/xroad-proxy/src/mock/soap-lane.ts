/**
 * SOAP requests to the Security Server: answered as it and the provider behind it would. The header of the request
 * comes back verbatim, the body is a file of the answers folder, what metadata.ts says, or an echo; `mock.` codes go to
 * `failures/`.
 */
import { createHash } from 'node:crypto'
import type { Answers } from './answers.ts'
import { bringBack, isTaken, openMessage, type SentMessage, tellAttachments, withAttachments } from './attachments.ts'
import { type Message, onDemand, readMessage, xroadNamespace } from './message.ts'
import { earlyAnswer, readFailure } from './failures/failures.ts'
import type { MockCall } from './failures/mock-call.ts'
import { prolog } from './failures/oddities.ts'
import { faultEnvelope, Refusal, soapFault, soapNamespace, spell, type Spelling } from './faults.ts'
import { headersOfList, isMethodList, listSoapMethods, withWsdl } from './metadata.ts'
import { decode, readAnswer, readBody, toXmlCall, typeOf } from './soap-request.ts'
import type { MockReply, Wire } from './wire.ts'

export interface MockBehaviour {
  readonly answers: Answers
  readonly spelling: Spelling
}

export async function serveSoap({ answers, spelling }: MockBehaviour, wire: Wire): Promise<void> {
  try {
    checkHead(wire)
    const body = await readBody(wire, (chunk) => answerEarly(wire, chunk))
    if (body === undefined) return
    const opened = openMessage(typeOf(wire), body)
    const message = readMessage(decode(opened))
    const sent = withAttachments(opened)
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
  if (!isTaken(type)) throw new Refusal('client.invalid_content_type', `Invalid content type: ${type}`)
  const action = headers['soapaction']
  if (typeof action === 'string' && action !== '' && !quotedUri.test(action)) {
    throw new Refusal('client.invalid_soap_action', 'Malformed SOAPAction header')
  }
}

/** What Java takes for a URI, roughly: no white space, no colon at the start. */
const quotedUri = /^"(?!:)(?:[^\s"<>\\^`{|}%]|%[0-9a-f]{2})*"$/i

/** Once the service code has come. */
function answerEarly(wire: Wire, chunk: Buffer): boolean {
  if (!wire.isUntouched || !chunk.includes(`>${earlyAnswer}<`)) return false
  wire.service = earlyAnswer
  wire.send({ ...blank, body: Buffer.from(soapText(`<${earlyAnswer}Response xmlns="urn:mock"/>`)) })
  return true
}

const blank: Omit<MockReply, 'body'> = { status: 200, type: 'text/xml; charset=utf-8', headers: [] }

function soapText(content: string): string {
  return `${prolog.plain}<soap:Envelope xmlns:soap="${soapNamespace}"><soap:Body>${content}</soap:Body></soap:Envelope>`
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
  const { isEnvelope, text } = readAnswer(content)
  return isEnvelope ? { ...blank, body: content } : dress(text, message, body)
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
    ...toXmlCall(wire, sent, around, message.request.content),
    error: (code, text) => soapFault(faultEnvelope(code, text)),
    providerError: (text) => soapFault(faultEnvelope('SOAP-ENV:Server', text), 500),
  }
}
