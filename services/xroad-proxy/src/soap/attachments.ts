/**
 * The parts of an answer beside its root, as JSON text: Content-ID without its brackets, media type, size in bytes, and on
 * request the content. A part whose transfer encoding cannot be undone counts as it stands.
 */
import { readMediaType } from './media-type.ts'
import type { RawPart } from './multipart.ts'
import { toId } from './multipart.ts'
import { decodeTransfer } from './transfer.ts'
import { XmlError } from './translate.ts'

export function listAttachments(parts: readonly RawPart[], hasContent: boolean): string {
  return JSON.stringify(
    parts.map(({ headers, body: raw }) => {
      const id = headers.get('content-id')
      const type = headers.get('content-type')
      const body = decode(raw, headers.get('content-transfer-encoding'))
      return {
        id: id === undefined ? null : toId(id),
        type: type === undefined ? null : readMediaType(type).type,
        size: body.length,
        ...(hasContent ? { content: Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64') } : {}),
      }
    }),
  )
}

function decode(body: Buffer, encoding: string | undefined): Uint8Array {
  try {
    return decodeTransfer(body, encoding)
  } catch (error) {
    if (error instanceof XmlError) return body
    throw error
  }
}
