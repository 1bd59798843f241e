/**
 * The parts of a response besides its root: Content-ID without its brackets, media type, size in bytes, and on request
 * the content. What an xop:Include names replaces it; the rest is a list, as JSON text.
 *
 * A part that its own encoding does not allow is an error: it has been cut. A part with an unknown encoding stays as it
 * is.
 */
import type { Include } from '../json/inclusions.ts'
import { type Json, joinJson, LongJson } from '../json/json-text.ts'
import type { Steps } from '../../steps.ts'
import { XmlError } from '../json/xml-error.ts'
import { readMediaType } from '../mime/media-type.ts'
import { type RawPart, toId } from '../mime/parts.ts'
import { decodeTransferInSteps, isKnownTransfer } from '../mime/transfer.ts'

export interface ReceivedAttachment {
  readonly id: string | null
  readonly type: string | null
  /** In bytes. */
  readonly size: number
  /** In base64, where it is wanted. */
  readonly content: Json | undefined
}

export function* readAttachments(parts: readonly RawPart[], hasContent: boolean): Steps<readonly ReceivedAttachment[]> {
  const attachments: ReceivedAttachment[] = []
  for (const { headers, body: raw } of parts) {
    const id = headers.get('content-id')
    const type = headers.get('content-type')
    const encoding = headers.get('content-transfer-encoding')
    const body = isKnownTransfer(encoding) ? yield* decodeTransferInSteps(raw, encoding, 'an attachment') : raw
    attachments.push({
      id: id === undefined ? null : toId(id),
      type: type === undefined ? null : readMediaType(type).type,
      size: body.length,
      content: hasContent ? yield* toBase64(body) : undefined,
    })
  }
  return attachments
}

export function listAttachments(attachments: readonly ReceivedAttachment[]): Json {
  let json: Json = '['
  for (const { content, ...described } of attachments) {
    json = joinJson(json, json === '[' ? '' : ',')
    if (content === undefined) json = joinJson(json, JSON.stringify(described))
    else {
      const begun: Json = joinJson(json, `${JSON.stringify(described).slice(0, -1)},"content":"`)
      json = joinJson(joinJson(begun, content), '"}')
    }
  }
  return joinJson(json, ']')
}

/**
 * Finds attachments by the addresses of a response and keeps what it found in `included`. `maxBytes` bounds what is put
 * in its place altogether: one attachment may be named again and again.
 */
export function includeFrom(
  attachments: readonly ReceivedAttachment[],
  included: Set<ReceivedAttachment>,
  maxBytes: number,
): Include {
  let bytes = 0
  // The first of several with one id.
  const byId = new Map(attachments.toReversed().map((each) => [each.id, each]))
  return (address) => {
    const [, id] = /^cid:(.*)$/is.exec(address) ?? []
    if (id === undefined) return undefined
    const found = byId.get(percentDecoded(id)) ?? byId.get(id)
    if (found?.content === undefined) throw new XmlError('an xop:Include names an attachment that did not come')
    bytes += found.size
    if (bytes > maxBytes) throw new XmlError('attachments are included again and again')
    included.add(found)
    return joinJson(joinJson('"', found.content), '"')
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Bytes of content in one step; whole groups of three. */
const stepBytes = 3 * 128 * 1024

function* toBase64(body: Buffer): Steps<Json> {
  if (body.length <= stepBytes) return body.toString('base64')
  const text = new LongJson()
  for (let at = 0; at < body.length; at += stepBytes) {
    if (at > 0) yield
    text.add(body.toString('base64', at, Math.min(at + stepBytes, body.length)))
  }
  return text
}
