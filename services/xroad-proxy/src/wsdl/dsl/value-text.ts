/**
 * A value of a request and the name that a template has for it -> the text that replaces the value:
 * escaped text, a list with spaces between its items, or a helper that attaches it.
 */
import { numberKind } from '../request/request-text.ts'
import type { RequestText } from '../request/request.ts'

/** `contentType` is the reference to a param that says the media type of an attachment. */
export function elementText(text: RequestText, reference: string, contentType?: string): string {
  if (text.attachment !== undefined) return attachmentText(text, reference, contentType)
  const helper = helperOf(text)
  const toValue = (of: string): string => (helper === undefined ? `{{${of}}}` : `{{${helper} ${of}}}`)
  return isListed(text) ? spaced(reference, toValue('this')) : toValue(reference)
}

/** Without the quotes around it. */
export function attributeText(text: RequestText, reference: string): string {
  if (text.attachment !== undefined) return attachmentText(text, reference)
  const toValue = (of: string): string => `{{xml_attr ${asValue(text, of)}}}`
  return isListed(text) ? spaced(reference, toValue('this')) : toValue(reference)
}

/** What a helper takes for the value. */
export function asValue(text: RequestText, reference: string): string {
  const helper = helperOf(text)
  return helper === undefined ? reference : `(${helper} ${reference})`
}

/** JSON may write a number with an exponent, which XML Schema knows for floats only. */
function helperOf(text: RequestText): string | undefined {
  const number = numberKind(text)
  return number === undefined ? undefined : `xml_${number}`
}

/** Whether its values may be lists, which are in one text with spaces between them. */
export function isListed({ type }: RequestText): boolean {
  return type.isList || type.members.some((member) => member.isList)
}

function spaced(reference: string, value: string): string {
  return `{{#each_value ${reference}}}${value} {{/each_value}}`
}

export function attachmentText({ attachment }: RequestText, reference: string, contentType?: string): string {
  if (attachment === undefined) return ''
  const { by, type, part } = attachment
  const typed = contentType === undefined ? quoted('type', type) : ` type=${contentType}`
  return `{{${by} ${reference}${quoted('part', part)}${typed}}}`
}

/** Characters that mean something to the template are left out: no name of a part has any. */
function quoted(key: string, value: string | undefined): string {
  return value === undefined ? '' : ` ${key}="${value.replaceAll(/["\\{}]/g, '')}"`
}
