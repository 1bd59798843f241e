/**
 * A text and the kind of its type in, the JSON text of its value out. Numbers keep their digits; what is not a value of
 * its type stays a string. White space of the four sorts that XML knows, as XML Schema has it.
 */
import type { ValueKind } from './shape.ts'

export function toTypedValue(kind: ValueKind, text: string): string {
  if (kind === 'preserved') return JSON.stringify(text)
  if (kind === 'replaced') return JSON.stringify(text.replaceAll(/[\t\n\r]/g, ' '))
  const value = collapse(text)
  switch (kind) {
    case 'collapsed':
      return JSON.stringify(value)
    case 'integer':
    case 'decimal':
    case 'float':
      return toNumber(value, kind) ?? orString(value)
    case 'boolean':
      return booleans.get(value) ?? orString(value)
  }
}

/** Nothing where a number or boolean belongs is what servers write that have no value. */
function orString(value: string): string {
  return value === '' ? 'null' : JSON.stringify(value)
}

const booleans: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['0', 'false'],
])

function collapse(text: string): string {
  return /[\t\n\r]|^ | $| {2}/.test(text) ? text.replaceAll(/[\t\n\r ]+/g, ' ').replaceAll(/^ | $/g, '') : text
}

/** Sign, whole part, fraction with its point, exponent. No two parts can match the same character. */
const forms: Readonly<Record<'integer' | 'decimal' | 'float', RegExp>> = {
  integer: /^([+-]?)(\d+)$/,
  decimal: /^([+-]?)(\d*)(\.\d*)?$/,
  float: /^([+-]?)(\d*)(\.\d*)?([eE][+-]?\d+)?$/,
}

/** JSON has no plus sign, no zero in front, and a digit on both sides of the point. */
function toNumber(text: string, kind: 'integer' | 'decimal' | 'float'): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = ''] = forms[kind].exec(text) ?? []
  if (whole === '' && fraction.length < 2) return undefined
  return (sign === '-' ? '-' : '') + withoutZeros(whole) + (fraction === '.' ? '' : fraction) + exponent
}

function withoutZeros(digits: string): string {
  let start = 0
  while (start < digits.length - 1 && digits.charCodeAt(start) === 0x30) start++
  return digits.slice(start) || '0'
}
