/** Numbers as their digits say them, with as many digits as there are: JavaScript would round them. */

export interface Decimal {
  readonly isNegative: boolean
  /** Without zeros in front; empty for 0. */
  readonly whole: string
  /** Without zeros at the end. */
  readonly fraction: string
}

/** Of a text that is a decimal: an optional sign, digits, a point. */
export function toDecimal(text: string): Decimal {
  const isSigned = text.startsWith('-') || text.startsWith('+')
  const digits = isSigned ? text.slice(1) : text
  const point = digits.indexOf('.')
  const whole = withoutZerosBefore(point === -1 ? digits : digits.slice(0, point))
  const fraction = point === -1 ? '' : withoutZerosBehind(digits.slice(point + 1))
  return { isNegative: text.startsWith('-') && whole + fraction !== '', whole, fraction }
}

/** Below 0, 0, above 0. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.isNegative !== b.isNegative) return a.isNegative ? -1 : 1
  const size = compareSizes(a, b)
  return a.isNegative ? -size : size
}

function compareSizes(a: Decimal, b: Decimal): number {
  if (a.whole.length !== b.whole.length) return a.whole.length - b.whole.length
  return compareTexts(a.whole, b.whole) || compareTexts(a.fraction, b.fraction)
}

/** Digits of one length, or behind the point, are in order as texts. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The same for two texts that are the same number. */
export function canonicalDecimal(text: string): string {
  const { isNegative, whole, fraction } = toDecimal(text)
  return `${isNegative ? '-' : ''}${whole}.${fraction}`
}

/** A loop, because an expression for zeros at the end takes the square of their number. */
export function withoutZerosBehind(digits: string): string {
  let length = digits.length
  while (digits[length - 1] === '0') length--
  return digits.slice(0, length)
}

function withoutZerosBefore(digits: string): string {
  let at = 0
  while (digits[at] === '0') at++
  return digits.slice(at)
}

/** How a number of JSON has to be written. */
export type NumberKind = 'decimal' | 'integer'

/** Powers of ten that a number of JavaScript has. */
const maxPower = 308

/**
 * A number of JSON as XML Schema writes a decimal or an integer: digits instead of an exponent, and no `.0` in an
 * integer. Other texts, and exponents that would take more digits than anybody means, stay as they are.
 */
export function toDigits(text: string, kind: NumberKind): string {
  const plain = withoutExponent(text)
  return kind === 'integer' && /^[+-]?\d+\.0+$/.test(plain) ? plain.slice(0, plain.indexOf('.')) : plain
}

export function withoutExponent(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^([+-]?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,4})$/.exec(text) ?? []
  const power = Number(exponent ?? NaN)
  if (!(Math.abs(power) <= maxPower)) return text
  const digits = (whole + fraction).padEnd(whole.length + power, '0').padStart(fraction.length - power + 1, '0')
  const point = digits.length - Math.max(fraction.length - power, 0)
  const behind = withoutZerosBehind(digits.slice(point))
  return `${sign}${withoutZerosBefore(digits.slice(0, point)) || '0'}${behind === '' ? '' : `.${behind}`}`
}
