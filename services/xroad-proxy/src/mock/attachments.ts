/**
 * Requests with attachments: the bytes of a multipart/related message -> its envelope and what came beside it, and an
 * answer that brings that back. A Security Server takes any multipart that it can read; the SOAP stack of a service
 * that is called directly takes what RFC 2387 allows. The service has its own code for both ways.
 */
import { createHash } from 'node:crypto'
import { Refusal } from './faults.ts'
import { type Leaf, type Leaves, MimeProblem, parameterOf, readLeaves } from './read/mime.ts'
import type { MockReply } from './wire.ts'
import { escapeXml } from './read/xml.ts'

export interface SentAttachment {
  /** Content-ID with its brackets; empty if the part has none. */
  readonly id: string
  readonly type: string
  /** Content-Transfer-Encoding. */
  readonly encoding: string
  readonly bytes: Buffer
}

/** What a request holds; without attachments the envelope is all of it. */
export interface SentMessage {
  readonly envelope: Buffer
  /** Content-Type of the envelope. */
  readonly type: string
  readonly attachments: readonly SentAttachment[]
}

/** A Security Server reads the envelope before it looks at what comes after it. */
export interface OpenedMessage extends Pick<SentMessage, 'envelope' | 'type'> {
  readonly others: readonly Leaf[]
}

export function isMultipart(type: string): boolean {
  return bareType(type) === 'multipart/related'
}

/** Whether a Security Server reads messages of this Content-Type. */
export function isTaken(type: string): boolean {
  const bare = bareType(type)
  return bare === 'text/xml' || bare === xop || isMultipart(type)
}

/** A message to a Security Server. */
export function openMessage(type: string, body: Buffer): OpenedMessage {
  if (!isMultipart(type)) return { envelope: body, type, others: [] }
  const [root, ...others] = open(type, body).leaves
  if (root === undefined) throw new Refusal('client.missing_soap', 'Request does not contain SOAP message')
  const bare = bareType(typeOf(root))
  if (bare !== xop && bare !== 'text/xml') refuseType(bare)
  return { envelope: root.bytes, type: typeOf(root), others }
}

export function withAttachments({ envelope, type, others }: OpenedMessage): SentMessage {
  return {
    envelope,
    type: type.replace(/^\s*application\/xop\+xml/i, 'text/xml'),
    attachments: others.map(toAttachment),
  }
}

/** A message to a service that is called without a Security Server. `envelopeType` is that of its version of SOAP. */
export function openDirect(type: string, body: Buffer, envelopeType: string): SentMessage {
  if (!isMultipart(type)) return { envelope: body, type, attachments: [] }
  if (parameterOf(type, 'boundary') === undefined) refuseMime('its Content-Type names no boundary')
  const { leaves, isClosed } = open(type, body)
  if (!isClosed) refuseMime('it has no closing boundary')
  const [root, ...attachments] = leaves.map(toAttachment)
  if (root === undefined) return refuseMime('it has no parts')
  const start = parameterOf(type, 'start')
  if (start !== undefined && start !== root.id) refuseMime(`its first part is ${root.id}, not ${start}`)
  checkTypes(type, root.type, envelopeType)
  const ids = attachments.map(({ id }) => id)
  if (ids.includes('')) refuseMime('an attachment has no Content-ID')
  if (new Set([root.id, ...ids]).size < leaves.length) refuseMime('two parts have one Content-ID')
  return { envelope: root.bytes, type: root.type.replace(/^application\/xop\+xml/i, envelopeType), attachments }
}

/** Media type of the envelope by what the message says of it; empty where it says nothing. */
export function envelopeTypeOf(type: string): string {
  if (!isMultipart(type)) return bareType(type)
  const root = bareType(parameterOf(type, 'type') ?? '')
  return root === xop ? bareType(parameterOf(type, 'start-info') ?? '') : root
}

const xop = 'application/xop+xml'

function bareType(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase()
}

function open(type: string, body: Buffer): Leaves {
  try {
    return readLeaves(type, body)
  } catch (error) {
    if (error instanceof MimeProblem) refuseMime(error.message)
    throw error
  }
}

function refuseMime(problem: string): never {
  throw new Refusal('client.mime_parsing_failed', `The multipart message cannot be read: ${problem}`)
}

function typeOf({ type }: Leaf): string {
  if (type === undefined) throw new Refusal('client.invalid_content_type', 'Could not get content type for part')
  return type
}

function refuseType(type: string): never {
  throw new Refusal('client.invalid_content_type', `Invalid content type: ${type}`)
}

/** Its receiver decodes it. */
function toAttachment(leaf: Leaf): SentAttachment {
  const { id, encoding, bytes } = leaf
  const isBase64 = encoding.toLowerCase() === 'base64'
  return { id, type: typeOf(leaf), encoding, bytes: isBase64 ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes }
}

/** What the message says of its envelope, and what the envelope says of itself. */
function checkTypes(message: string, root: string, envelopeType: string): void {
  const bare = bareType(root)
  if (bare !== xop && bare !== envelopeType) refuseType(root)
  if (parameterOf(message, 'type')?.toLowerCase() !== bare)
    refuseMime('its parameter type is not that of its first part')
  if (bare !== xop) return
  if (parameterOf(message, 'start-info') !== envelopeType) refuseMime(`its parameter start-info is not ${envelopeType}`)
  if (parameterOf(root, 'type') !== envelopeType)
    refuseMime(`the parameter type of its first part is not ${envelopeType}`)
}

const boundary = 'mock-echo'

/** The answer with the attachments of its request. */
export function bringBack(answer: MockReply, { attachments }: SentMessage): MockReply {
  if (attachments.length === 0) return answer
  const isXop = answer.body.includes('http://www.w3.org/2004/08/xop/include')
  const envelopeType = bareType(answer.type)
  const rootType = isXop ? xop : envelopeType
  const start = '<root@mock-echo>'
  const info = isXop ? `; start-info="${envelopeType}"` : ''
  const head = (type: string, id: string): Buffer => {
    const headers = [
      `Content-Type: ${type}`,
      'Content-Transfer-Encoding: binary',
      ...(id === '' ? [] : [`Content-ID: ${id}`]),
    ]
    return Buffer.from(`--${boundary}\r\n${headers.join('\r\n')}\r\n\r\n`)
  }
  const root = isXop ? `${rootType}; charset=utf-8; type="${envelopeType}"` : answer.type
  const parts = attachments.flatMap(({ id, type, bytes }) => [head(type, id), bytes, Buffer.from('\r\n')])
  return {
    ...answer,
    type: `multipart/related; type="${rootType}"${info}; start="${start}"; boundary="${boundary}"`,
    body: Buffer.concat([
      head(root, start),
      answer.body,
      Buffer.from('\r\n'),
      ...parts,
      Buffer.from(`--${boundary}--\r\n`),
    ]),
  }
}

/** For a line of the log: `2 attachments (application/pdf 5 bytes, ..)`. */
export function tellAttachments({ attachments }: SentMessage): string {
  if (attachments.length === 0) return ''
  const told = attachments.map(({ type, bytes }) => `${type} ${bytes.length} bytes`).join(', ')
  return ` with ${attachments.length} attachment${attachments.length === 1 ? '' : 's'} (${told})`
}

export function describeAttachments({ attachments }: SentMessage): string {
  return attachments
    .map(({ id, type, encoding, bytes }) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const described = { id, type, encoding, size: String(bytes.length), sha256 }
      const attributes = Object.entries(described).map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
      return `<attachment${attributes.join('')}/>`
    })
    .join('')
}
