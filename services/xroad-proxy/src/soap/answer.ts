/**
 * The body of a SOAP answer in, its translation out: takes the root part of a multipart answer, finds the charset, reads the
 * XML, lists what is attached. Every answer that cannot be read is an XmlError. The status of the answer does not matter here.
 */
import type { AttachmentMode, Translation } from '../model.ts'
import { listAttachments } from './attachments.ts'
import { decodeXml, refuseCompressed } from './charset.ts'
import { readMediaType } from './media-type.ts'
import { readParts, rootPart } from './multipart.ts'
import type { Member } from './shape.ts'
import { finish, type Steps, translateInSteps } from './translate.ts'

export interface AnswerOptions {
  /** What the Body holds, where answers have types. */
  readonly expected?: Member | undefined
  readonly attachments?: AttachmentMode
}

export function readAnswer(body: Uint8Array, contentType: string | undefined, options?: AnswerOptions): Translation {
  return finish(readAnswerInSteps(body, contentType, options))
}

/** The same for an answer that may be long, so that others get their turn meanwhile. */
export function* readAnswerInSteps(
  body: Uint8Array,
  contentType: string | undefined,
  { expected, attachments = 'none' }: AnswerOptions = {},
): Steps<Translation> {
  refuseCompressed(body)
  if (contentType === undefined || readMediaType(contentType).type !== 'multipart/related')
    return yield* translateInSteps(decodeXml(body, contentType), { body: expected })
  const { root, others } =
    attachments === 'none' ? { root: rootPart(body, contentType), others: [] } : readParts(body, contentType)
  const translation = yield* translateInSteps(decodeXml(root.body, root.contentType), { body: expected })
  return others.length === 0
    ? translation
    : { ...translation, attachments: listAttachments(others, attachments === 'base64') }
}
