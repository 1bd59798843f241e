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
import { translate } from './translate.ts'

export interface AnswerOptions {
  /** What the Body holds, where answers have types. */
  readonly expected?: Member | undefined
  readonly attachments?: AttachmentMode
}

export function readAnswer(
  body: Uint8Array,
  contentType: string | undefined,
  { expected, attachments = 'none' }: AnswerOptions = {},
): Translation {
  refuseCompressed(body)
  if (contentType === undefined || readMediaType(contentType).type !== 'multipart/related')
    return translate(decodeXml(body, contentType), undefined, expected)
  const { root, others } =
    attachments === 'none' ? { root: rootPart(body, contentType), others: [] } : readParts(body, contentType)
  const translation = translate(decodeXml(root.body, root.contentType), undefined, expected)
  return others.length === 0
    ? translation
    : { ...translation, attachments: listAttachments(others, attachments === 'base64') }
}
