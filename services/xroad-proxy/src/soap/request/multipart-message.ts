/**
 * An envelope and its attachments -> one message of multipart/related: SOAP with Attachments, or MTOM where the
 * envelope has an xop:Include. Bytes and a Content-Type out; without attachments the envelope goes out as it is, which
 * is not decided here.
 */
import type { AttachmentList } from './attachments.ts'

export interface MultipartMessage {
  readonly contentType: string
  readonly body: Buffer
}

/** `envelopeType` is the Content-Type that the envelope has by itself. */
export function toMultipartMessage(
  envelope: Uint8Array,
  envelopeType: string,
  { all, hasIncludes, uuid }: AttachmentList,
): MultipartMessage {
  // Nobody who writes content of the message knows the id, so no content can hold the boundary.
  const boundary = `xroad-proxy-${uuid}`
  const root = `root.${uuid}@xroad-proxy`
  const [soapType = ''] = envelopeType.split(';', 1)
  const types = hasIncludes ? toMtom(envelopeType, soapType) : { related: `type="${soapType}"`, root: envelopeType }
  const pieces: Uint8Array[] = [
    head(boundary, { type: types.root, encoding: '8bit', id: root }),
    envelope,
    ...all.flatMap(({ id, type, bytes }) => [lineEnd, head(boundary, { type, encoding: 'binary', id }), bytes]),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]
  return {
    contentType: `multipart/related; ${types.related}; start="<${root}>"; boundary="${boundary}"`,
    body: Buffer.concat(pieces),
  }
}

const xop = 'application/xop+xml'

/** The type that the envelope would have is reported beside that of XOP. */
function toMtom(envelopeType: string, soapType: string): { readonly related: string; readonly root: string } {
  const parameters = envelopeType.slice(soapType.length)
  return { related: `type="${xop}"; start-info="${soapType}"`, root: `${xop}${parameters}; type="${soapType}"` }
}

const lineEnd = Buffer.from('\r\n')

interface PartHead {
  readonly type: string
  readonly encoding: '8bit' | 'binary'
  readonly id: string
}

function head(boundary: string, { type, encoding, id }: PartHead): Buffer {
  const lines = [
    `--${boundary}`,
    `Content-Type: ${type}`,
    `Content-Transfer-Encoding: ${encoding}`,
    `Content-ID: <${id}>`,
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
}
