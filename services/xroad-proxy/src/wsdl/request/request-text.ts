/**
 * The type of a text or an attribute and what its declaration says of it -> a value of a request: whether it is fixed,
 * and whether it travels beside the envelope. Parts that the binding names are in mime-parts.ts.
 */
import { oneMediaType } from '../operations/mime-contents.ts'
import type { OutlineElement } from '../outline/outline.ts'
import { isAttachment } from '../schema/framework.ts'
import { builtinType, numberOf, type SimpleType } from '../schema/simple-type.ts'
import type { RequestAttachment, RequestText } from './request.ts'

/** An element; an attribute has no content types. */
type Declared = Pick<OutlineElement, 'fixed' | 'default'> & Partial<Pick<OutlineElement, 'expectedContentTypes'>>

/** A fixed value that has to be there is not up to the caller. */
export function toText(type: SimpleType, declared: Declared, isNeeded: boolean): RequestText {
  const { fixed, default: usual } = declared
  return {
    type,
    fixed,
    isConstant: fixed !== undefined && isNeeded,
    default: usual,
    attachment: attachmentOf(type, declared),
  }
}

const base64 = builtinType('base64Binary')

/** The type of what a caller gives: of an attachment its bytes, in base64, whatever the envelope has in its place. */
export function givenType({ type, attachment }: RequestText): SimpleType {
  return attachment === undefined || attachment.by === 'xop_include' ? type : base64
}

/** Whether its numbers are written as digits, and how. */
export function numberKind({ type }: RequestText): ReturnType<typeof numberOf> {
  return numberOf(type)
}

/** Of a list, or of a union, nobody could tell what is attached. */
export function isUnclear(type: SimpleType): boolean {
  return isAttachment(type.names) && !isOne(type)
}

/** MTOM is for base64 only, and the element or its type says so; other base64 is in the envelope. */
function attachmentOf(type: SimpleType, declared: Declared): RequestAttachment | undefined {
  if (!isOne(type) || declared.fixed !== undefined) return undefined
  if (isAttachment(type.names)) return { by: 'swa_ref', type: undefined }
  // Of an attribute nothing can be included, whatever its type says.
  const contentTypes =
    'expectedContentTypes' in declared ? (declared.expectedContentTypes ?? type.expectedContentTypes) : undefined
  if (contentTypes === undefined || type.builtin !== 'base64Binary') return undefined
  return { by: 'xop_include', type: oneMediaType(contentTypes) }
}

function isOne({ isList, members }: SimpleType): boolean {
  return !isList && members.length === 0
}
