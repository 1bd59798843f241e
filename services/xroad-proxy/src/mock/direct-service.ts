/**
 * A SOAP service that is called without a Security Server, in SOAP 1.1 and 1.2: the version is that of the content
 * type, and answers and faults are in it too. The answer is a file of the answers folder, by the name of the element in
 * the Body, or an echo of that element. A name that begins with `mock.` goes to `failures/`: that of the element, or
 * the last part of the path.
 */
import type { Answers } from './answers.ts'
import { bringBack, envelopeTypeOf, openDirect, type SentMessage, tellAttachments } from './attachments.ts'
import { earlyAnswer, readFailure } from './failures/failures.ts'
import type { MockCall } from './failures/mock-call.ts'
import { prolog } from './failures/oddities.ts'
import { faultEnvelope, Refusal, soap12Namespace, soapFault12, soapNamespace } from './faults.ts'
import { onDemand } from './message.ts'
import { decode, readAnswer, readBody, readEnvelope, toXmlCall, typeOf } from './soap-request.ts'
import type { MockReply, Wire } from './wire.ts'
import type { XmlElement } from './read/xml.ts'

interface Version {
  readonly name: string
  readonly mediaType: string
  readonly namespace: string
  /** What a fault says of whom is to blame, and with which status. */
  readonly sender: readonly [code: string, status: number]
  readonly receiver: string
  readonly mismatch: string
  readonly fault: (code: string, text: string, status: number) => MockReply
}

const versions: readonly Version[] = [
  {
    name: '1.1',
    mediaType: 'text/xml',
    namespace: soapNamespace,
    sender: ['SOAP-ENV:Client', 500],
    receiver: 'SOAP-ENV:Server',
    mismatch: 'SOAP-ENV:VersionMismatch',
    fault: (code, text, status) => {
      const body = Buffer.from(faultEnvelope(code, text))
      return { status, type: 'text/xml; charset=utf-8', headers: [], body }
    },
  },
  {
    name: '1.2',
    mediaType: 'application/soap+xml',
    namespace: soap12Namespace,
    sender: ['env:Sender', 400],
    receiver: 'env:Receiver',
    mismatch: 'env:VersionMismatch',
    fault: (code, text, status) => soapFault12(code, { en: text }, status),
  },
]

export async function serveDirect({ answers }: { readonly answers: Answers }, wire: Wire): Promise<void> {
  if (wire.request.method !== 'POST') return wire.send(plain(405, 'A SOAP service takes POST', [['Allow', 'POST']]))
  const type = envelopeTypeOf(typeOf(wire))
  const version = versions.find(({ mediaType }) => mediaType === type)
  if (version === undefined) {
    return wire.send(plain(415, 'A SOAP service takes text/xml (SOAP 1.1) and application/soap+xml (SOAP 1.2)'))
  }
  try {
    const wanted = lastOf(wire.request.url ?? '')
    const sent = wanted === earlyAnswer ? emptyRequest(version) : await readSent(wire, version)
    if (sent === undefined) return
    const message = readMessage(decode(sent), version)
    const name = wanted.startsWith(onDemand) ? wanted : message.element.localName
    wire.service = `${name} by SOAP ${version.name}${tellAttachments(sent)}`
    if (!name.startsWith(onDemand)) return wire.send(answer(message, sent, answers))
    const [failure, argument] = readFailure(name) ?? []
    if (failure === undefined || argument === undefined) throw new Refusal('', `The mock knows no failure ${name}`)
    await failure.act(toMockCall(wire, message, sent, failure.name), argument)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    // What a Security Server calls a client's mistake has another name here.
    const [code, status] = error.code === version.mismatch ? [error.code, 500] : version.sender
    wire.send(version.fault(code, error.message, status))
  }
}

function plain(status: number, text: string, headers: MockReply['headers'] = []): MockReply {
  return { status, type: 'text/plain; charset=utf-8', headers, body: Buffer.from(`${text}\n`) }
}

function lastOf(target: string): string {
  const last = /([^/?]*)(?:\?.*)?$/.exec(target)?.[1] ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

async function readSent(wire: Wire, { mediaType }: Version): Promise<SentMessage | undefined> {
  const body = await readBody(wire)
  return body && openDirect(typeOf(wire), body, mediaType)
}

function emptyRequest({ mediaType, namespace }: Version): SentMessage {
  const envelope = Buffer.from(`<e:Envelope xmlns:e="${namespace}"><e:Body><none/></e:Body></e:Envelope>`)
  return { envelope, type: mediaType, attachments: [] }
}

interface DirectMessage {
  readonly version: Version
  /** What is around the content of the Body, with every declaration of the request in force. */
  readonly opening: string
  readonly closing: string
  readonly element: XmlElement
  /** What the element holds, as written. */
  readonly content: string
}

/** Envelope, Body, element. */
const levels = 3

function readMessage(text: string, version: Version): DirectMessage {
  const envelope = readEnvelope(text, levels)
  if (envelope.localName !== 'Envelope') throw new Refusal('', 'The message has no envelope')
  if (envelope.namespace !== version.namespace) {
    throw new Refusal(version.mismatch, `The envelope is not of SOAP ${version.name}, which the content type says`)
  }
  const body = envelope.children.find((each) => each.localName === 'Body' && each.namespace === version.namespace)
  const [element] = body?.children ?? []
  if (body === undefined || element === undefined) throw new Refusal('', 'The message has nothing in its Body')
  return {
    version,
    opening: `<${envelope.name}${envelope.attributes}><${body.name}${body.attributes}>`,
    closing: `</${body.name}></${envelope.name}>`,
    element,
    content: text.slice(element.contentStart, element.contentEnd),
  }
}

function answer(message: DirectMessage, sent: SentMessage, answers: Answers): MockReply {
  const { element, version, content } = message
  const file = answers.forSoap(element.localName)
  if (file !== undefined) {
    const { isEnvelope, text } = readAnswer(file.content)
    if (!isEnvelope) return dress(text, message)
    return { status: 200, type: `${version.mediaType}; charset=utf-8`, headers: [], body: file.content }
  }
  return bringBack(
    dress(`<${element.name}Response${element.attributes}>${content}</${element.name}Response>`, message),
    sent,
  )
}

function dress(content: string, { version, opening, closing }: DirectMessage): MockReply {
  const body = Buffer.from(`${prolog.plain}${opening}${content}${closing}`)
  return { status: 200, type: `${version.mediaType}; charset=utf-8`, headers: [], body }
}

function toMockCall(wire: Wire, message: DirectMessage, sent: SentMessage, name: string): MockCall {
  const { version, content } = message
  const around = (inner: string): MockReply =>
    dress(`<${name}Response xmlns="urn:mock">${inner}</${name}Response>`, message)
  return {
    ...toXmlCall(wire, sent, around, content),
    error: (code, text) => version.fault(code, text, 500),
    providerError: (text) => version.fault(version.receiver, text, 500),
  }
}
