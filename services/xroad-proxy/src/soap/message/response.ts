/**
 * The body of a SOAP response in, its translation out: takes the root part of a multipart response, finds the charset,
 * reads the XML, lists what is attached. Throws an XmlError for every response that cannot be read. Ignores the status
 * of the response.
 */
import type { AttachmentMode, Translation } from '../../model.ts'
import { includeFrom, listAttachments, readAttachments, type ReceivedAttachment } from './attachments.ts'
import { decodeInPieces, refuseCompressed } from './charset.ts'
import type { Translated } from '../json/frame.ts'
import { readMediaType } from '../mime/media-type.ts'
import { readPartsInSteps } from './multipart.ts'
import type { Member } from '../json/shape.ts'
import { decodeTransferInSteps } from '../mime/transfer.ts'
import { finish, type Steps } from '../../steps.ts'
import { toWhole, translateInSteps } from '../json/translate.ts'

export interface ResponseOptions {
  /** What the Body holds, where responses have types. */
  readonly expected?: Member | undefined
  readonly attachments?: AttachmentMode
}

export function readResponse(
  body: Uint8Array,
  contentType: string | undefined,
  options?: ResponseOptions,
): Translation {
  return toWhole(finish(readResponseInSteps(body, contentType, options)))
}

/** The same for a response that may be long, so that other requests are served meanwhile. */
export function* readResponseInSteps(
  body: Uint8Array,
  contentType: string | undefined,
  { expected, attachments = 'none' }: ResponseOptions = {},
): Steps<Translated> {
  refuseCompressed(body)
  if (contentType === undefined || readMediaType(contentType).type !== 'multipart/related')
    return yield* translateInSteps(decodeInPieces(body, contentType), { body: expected })
  const { root, others } = yield* readPartsInSteps(body, contentType, { isRootEnough: attachments === 'none' })
  const content = yield* decodeTransferInSteps(root.body, root.headers.get('content-transfer-encoding'))
  const pieces = decodeInPieces(content, root.headers.get('content-type'))
  const received = yield* readAttachments(others, attachments === 'base64')
  const included = new Set<ReceivedAttachment>()
  const include = attachments === 'base64' ? includeFrom(received, included, body.length) : undefined
  const translation = yield* translateInSteps(pieces, { body: expected, include })
  const left = received.filter((each) => !included.has(each))
  return left.length === 0 ? translation : { ...translation, attachments: listAttachments(left) }
}
