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
import { CutMultipart, type Parts, readPartsInSteps } from './multipart.ts'
import type { Member } from '../json/shape.ts'
import type { RawPart } from '../mime/parts.ts'
import { decodeTransferInSteps } from '../mime/transfer.ts'
import { finish, type Steps } from '../../steps.ts'
import { toWhole, translateInSteps } from '../json/translate.ts'
import { XmlError } from '../json/xml-error.ts'

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
  let parts: Parts
  try {
    parts = yield* readPartsInSteps(body, contentType, { isRootEnough: attachments === 'none' })
  } catch (error) {
    return yield* readCutFault(error)
  }
  const { root, others } = parts
  const pieces = yield* readRoot(root)
  const received = yield* readAttachments(others, attachments === 'base64')
  const included = new Set<ReceivedAttachment>()
  const include = attachments === 'base64' ? includeFrom(received, included, body.length) : undefined
  const translation = yield* translateInSteps(pieces, { body: expected, include })
  const left = received.filter((each) => !included.has(each))
  return left.length === 0 ? translation : { ...translation, attachments: listAttachments(left) }
}

function* readRoot({ headers, body }: RawPart): Steps<Iterable<string>> {
  const content = yield* decodeTransferInSteps(body, headers.get('content-transfer-encoding'))
  return decodeInPieces(content, headers.get('content-type'))
}

/** A Fault says why a call failed even if what comes after it is missing. Anything else that was cut is an error. */
function* readCutFault(error: unknown): Steps<Translated> {
  if (!(error instanceof CutMultipart)) throw error
  try {
    const translation = yield* translateInSteps(yield* readRoot(error.root))
    if (translation.fault !== undefined) return translation
  } catch (problem) {
    if (!(problem instanceof XmlError)) throw problem
  }
  throw error
}
