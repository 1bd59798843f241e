/**
 * The text of one element: whether it is blank, its trimmed form, and the JSON value that it stands for when the
 * element has neither attributes nor children. White space is XML's four characters; a no-break space is content.
 */

/** A sign, and digits without leading zeros. `-0` is out: no integer says it. */
const integer = /^(?:\+?0|[+-]?[1-9]\d{0,18})$/

const largestDigits = '9223372036854775807'
const smallestDigits = '9223372036854775808'

const plus = 0x2b
const minus = 0x2d
const nine = 0x39

/** JSON text of a trimmed text. */
export function toLeaf(text: string): string {
  if (text === '') return 'null'
  if (text === 'true' || text === 'false') return text
  return toInteger(text) ?? JSON.stringify(text)
}

export function isBlank(text: string): boolean {
  return skipBlank(text) === text.length
}

export function trimBlank(text: string): string {
  const start = skipBlank(text)
  let end = text.length
  while (end > start && isBlankCode(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

function skipBlank(text: string): number {
  let at = 0
  while (at < text.length && isBlankCode(text.charCodeAt(at))) at++
  return at
}

function isBlankCode(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d
}

/** The digits, if they fit into 64 bits with a sign. */
function toInteger(text: string): string | undefined {
  const first = text.charCodeAt(0)
  // Most texts end here, and a regular expression costs more than the rest.
  if (first > nine || text.length > largestDigits.length + 1 || !integer.test(text)) return undefined
  const isNegative = first === minus
  const digits = isNegative || first === plus ? text.slice(1) : text
  const isTooLarge = digits.length === largestDigits.length && digits > (isNegative ? smallestDigits : largestDigits)
  if (isTooLarge) return undefined
  return isNegative ? text : digits
}
