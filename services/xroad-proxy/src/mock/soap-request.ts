/**
 * A SOAP request as it comes off the wire: its bytes, its envelope as text, what was received in words, and what
 * failures see of it.
 * soap-lane.ts reads it as a Security Server does, direct-service.ts as a service that is called without one.
 */
import { describeAttachments, isMultipart, type SentMessage } from './attachments.ts'
import type { MockCall } from './failures/mock-call.ts'
import { xmlNotation } from './failures/oddities.ts'
import { faultOnDemand12, Refusal } from './faults.ts'
import type { MockReply, Wire } from './wire.ts'
import { escapeXml, readXml, type XmlElement, XmlProblem } from './read/xml.ts'

const maxEnvelopeBytes = 10 * 1024 * 1024
/** With all attachments. */
const maxMessageBytes = 128 * 1024 * 1024

export function typeOf({ request }: Wire): string {
  return request.headers['content-type'] ?? ''
}

/**
 * The bytes of the request, undefined when the request is answered already or the client has left. `answersEarly` sees
 * each piece and says whether it has sent an answer.
 */
export async function readBody(wire: Wire, answersEarly?: (chunk: Buffer) => boolean): Promise<Buffer | undefined> {
  const most = isMultipart(typeOf(wire)) ? maxMessageBytes : maxEnvelopeBytes
  const chunks: Buffer[] = []
  let length = 0
  let isAnswered = false
  const isWhole = await wire.read((chunk) => {
    length += chunk.length
    if (length <= most) chunks.push(chunk)
    isAnswered ||= answersEarly?.(chunk) === true
  })
  if (!isWhole || isAnswered) return undefined
  if (length <= most) return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)
  const body = Buffer.from(`The mock reads envelopes of at most ${most} bytes\n`)
  wire.send({ status: 413, type: 'text/plain; charset=utf-8', headers: [], body })
  return undefined
}

export function decode({ envelope, type }: Pick<SentMessage, 'envelope' | 'type'>): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1] ?? 'utf-8'
  if (/^utf-?8$/i.test(charset)) return envelope.toString('utf8')
  try {
    return new TextDecoder(charset).decode(envelope)
  } catch {
    throw new Refusal('client.invalid_soap', `The charset ${charset} is not supported`)
  }
}

/** The root element of a request; `levels` of elements are listed. */
export function readEnvelope(text: string, levels: number): XmlElement {
  try {
    return readXml(text, levels)
  } catch (error) {
    if (error instanceof XmlProblem) throw new Refusal('client.invalid_soap', error.message)
    throw error
  }
}

/** The content of a file of answers: a whole envelope, or else what the Body holds. */
export function readAnswer(content: Buffer): { readonly isEnvelope: boolean; readonly text: string } {
  const text = content.toString('utf8')
  const start = /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--[^]*?-->\s*)*/.exec(text)?.[0] ?? ''
  const isEnvelope = /^<(?:[^\s:<>/]+:)?Envelope[\s>]/.test(text.slice(start.length, start.length + 100))
  return { isEnvelope, text: text.replace(/^\uFEFF?\s*(?:<\?xml[^>]*\?>)?/, '') }
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

/** The call, but for the faults of the one who answers it; `around` makes an answer of content. */
export function toXmlCall(
  wire: Wire,
  sent: SentMessage,
  around: (content: string) => MockReply,
  content: string,
): Omit<MockCall, 'error' | 'providerError'> {
  return {
    wire,
    notation: xmlNotation,
    target: wire.request.url ?? '/',
    ordinary: () => around(content),
    around,
    aroundXml: around,
    received: () => around(describeRequest(wire, sent)),
    error12: faultOnDemand12,
  }
}
