/**
 * The parts of an answer beside its root, as JSON text: Content-ID without its brackets, media type, size in bytes, and on
 * request the content. A part that its own encoding does not allow is an error: it has been cut. A part with an unknown
 * encoding stays as it is.
 */
import { type Json, joinJson, LongJson } from '../json/json-text.ts'
import { readMediaType } from '../mime/media-type.ts'
import { type RawPart, toId } from '../mime/parts.ts'
import { decodeTransferInSteps, isKnownTransfer } from '../mime/transfer.ts'
import type { Steps } from '../json/translate.ts'

/** Bytes of content in one step; whole groups of three. */
const stepBytes = 3 * 128 * 1024

export function* listAttachments(parts: readonly RawPart[], hasContent: boolean): Steps<Json> {
  let json: Json = '['
  for (const { headers, body: raw } of parts) {
    const id = headers.get('content-id')
    const type = headers.get('content-type')
    const encoding = headers.get('content-transfer-encoding')
    const body = isKnownTransfer(encoding) ? yield* decodeTransferInSteps(raw, encoding, 'an attachment') : raw
    const described = JSON.stringify({
      id: id === undefined ? null : toId(id),
      type: type === undefined ? null : readMediaType(type).type,
      size: body.length,
    })
    json = joinJson(json, json === '[' ? '' : ',')
    if (hasContent) {
      json = joinJson(joinJson(json, `${described.slice(0, -1)},"content":"`), yield* toBase64(body))
      json = joinJson(json, '"}')
    } else json = joinJson(json, described)
  }
  return joinJson(json, ']')
}

function* toBase64(body: Buffer): Steps<Json> {
  if (body.length <= stepBytes) return body.toString('base64')
  const text = new LongJson()
  for (let at = 0; at < body.length; at += stepBytes) {
    if (at > 0) yield
    text.add(body.toString('base64', at, Math.min(at + stepBytes, body.length)))
  }
  return text
}
