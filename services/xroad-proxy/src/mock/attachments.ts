/**
 * Requests with attachments: the bytes of a multipart/related message -> its envelope and what came beside it, and an
 * answer that brings that back. As strict as RFC 2046 and RFC 2387 are; the service has its own code for both ways.
 */
import { createHash } from 'node:crypto'
import { Refusal } from './faults.ts'
import type { MockReply } from './wire.ts'
import { escapeXml } from './xml-reader.ts'

export interface SentAttachment {
  /** Content-ID with its brackets. */
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

export function isMultipart(type: string): boolean {
  return /^\s*multipart\/related\s*;/i.test(type)
}

/** `envelopeType` is that of a message without attachments. */
export function openMessage(type: string, body: Buffer, envelopeType = 'text/xml'): SentMessage {
  if (!isMultipart(type)) return { envelope: body, type, attachments: [] }
  const parts = split(body, parameterOf(type, 'boundary') ?? refuse('its Content-Type names no boundary')).map(readPart)
  const [root, ...attachments] = parts
  if (root === undefined) return refuse('it has no parts')
  const start = parameterOf(type, 'start')
  if (start !== undefined && start !== root.id) refuse(`its first part is ${root.id}, not ${start}`)
  checkTypes(type, root.type, envelopeType)
  const ids = attachments.map(({ id }) => id)
  if (ids.includes('')) refuse('an attachment has no Content-ID')
  if (new Set([root.id, ...ids]).size < parts.length) refuse('two parts have one Content-ID')
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

function refuse(problem: string): never {
  throw new Refusal('client.mime_parsing_failed', `The multipart message cannot be read: ${problem}`)
}

function parameterOf(type: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(type)
  return found?.[1] ?? found?.[2]
}

/** What the message says of its envelope, and what the envelope says of itself. */
function checkTypes(message: string, root: string, envelopeType: string): void {
  const bare = bareType(root)
  if (bare !== xop && bare !== envelopeType)
    throw new Refusal('client.invalid_content_type', `Invalid content type: ${root}`)
  if (parameterOf(message, 'type')?.toLowerCase() !== bare) refuse('its parameter type is not that of its first part')
  if (bare !== xop) return
  if (parameterOf(message, 'start-info') !== envelopeType) refuse(`its parameter start-info is not ${envelopeType}`)
  if (parameterOf(root, 'type') !== envelopeType) refuse(`the parameter type of its first part is not ${envelopeType}`)
}

/** One character for each byte. */
function split(body: Buffer, boundary: string): readonly string[] {
  const literal = boundary.replaceAll(/[^\w]/g, String.raw`\$&`)
  const lines = new RegExp(`\\r\\n--${literal}(--)?[ \\t]*(?=\\r\\n|$)`, 'g')
  const text = `\r\n${body.toString('latin1')}`
  const found = [...text.matchAll(lines)]
  const last = found.findIndex(([, end]) => end !== undefined)
  if (last === -1) refuse('it has no closing boundary')
  return found
    .slice(0, last)
    .map(({ 0: line, index }, place) => text.slice(index + line.length + 2, found[place + 1]?.index))
}

function readPart(text: string): SentAttachment {
  const end = `\r\n${text}`.indexOf('\r\n\r\n')
  if (end === -1) refuse('the headers of a part have no end')
  const headers = new Map(
    text
      .slice(0, Math.max(end - 2, 0))
      .split('\r\n')
      .map((line) => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.slice(line.indexOf(':') + 1).trim()]),
  )
  const encoding = headers.get('content-transfer-encoding') ?? '7bit'
  const content = Buffer.from(text.slice(end + 2), 'latin1')
  const bytes = encoding.toLowerCase() === 'base64' ? Buffer.from(content.toString('latin1'), 'base64') : content
  return { id: headers.get('content-id') ?? '', type: headers.get('content-type') ?? 'text/plain', encoding, bytes }
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
  const head = (type: string, id: string): Buffer =>
    Buffer.from(
      `--${boundary}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: binary\r\nContent-ID: ${id}\r\n\r\n`,
    )
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
