/** One facet of a simple type -> a check of texts that are values of its built-in type: lengths, digits, bounds. */
import { type Builtin, builtinOf } from './builtins.ts'
import { compareDecimals, toDecimal } from './decimals.ts'
import { count } from './words.ts'

export interface FacetCheck {
  readonly wanted: string
  holds(text: string): boolean
}

/** Undefined for what says nothing about texts, or has a value that is not one. */
export function toFacetCheck(name: string, value: string, builtin: Builtin): FacetCheck | undefined {
  const { lengthOf } = builtin
  const number = /^\d{1,15}$/.test(value) ? Number(value) : undefined
  switch (name) {
    case 'length':
    case 'minLength':
    case 'maxLength':
      return lengthOf === undefined || number === undefined ? undefined : lengthCheck(name, number, builtin, lengthOf)
    case 'totalDigits':
    case 'fractionDigits':
      return number === undefined || !isCounted(builtin) ? undefined : digitsCheck(name, number)
    case 'minInclusive':
    case 'minExclusive':
    case 'maxInclusive':
    case 'maxExclusive':
      return boundCheck(name, value, builtin)
    default:
      return undefined
  }
}

function lengthCheck(
  name: 'length' | 'minLength' | 'maxLength',
  length: number,
  builtin: Builtin,
  lengthOf: (text: string) => number,
): FacetCheck {
  const what = count(
    length,
    builtin === builtinOf('hexBinary') || builtin === builtinOf('base64Binary') ? 'byte' : 'character',
  )
  switch (name) {
    case 'length':
      return { wanted: `exactly ${what}`, holds: (text) => lengthOf(text) === length }
    case 'minLength':
      return { wanted: `at least ${what}`, holds: (text) => lengthOf(text) >= length }
    case 'maxLength':
      return { wanted: `at most ${what}`, holds: (text) => lengthOf(text) <= length }
  }
}

/** Whether its values are decimals. */
function isCounted({ compare }: Builtin): boolean {
  return compare === builtinOf('decimal').compare
}

function digitsCheck(name: 'totalDigits' | 'fractionDigits', most: number): FacetCheck {
  if (name === 'fractionDigits') {
    return {
      wanted: `at most ${count(most, 'digit')} behind the point`,
      holds: (text) => toDecimal(text).fraction.length <= most,
    }
  }
  return {
    wanted: `at most ${count(most, 'digit')}`,
    holds(text) {
      const { whole, fraction } = toDecimal(text)
      return whole.length + fraction.length <= most
    },
  }
}

const bounds = {
  minInclusive: { words: 'at least', holds: (order: number) => order >= 0 },
  minExclusive: { words: 'more than', holds: (order: number) => order > 0 },
  maxInclusive: { words: 'at most', holds: (order: number) => order <= 0 },
  maxExclusive: { words: 'less than', holds: (order: number) => order < 0 },
}

/** A bound that is not a value of the type says nothing. */
function boundCheck(name: keyof typeof bounds, value: string, builtin: Builtin): FacetCheck | undefined {
  const { compare } = builtin
  if (compare === undefined || !builtin.fits(value)) return undefined
  const { words, holds } = bounds[name]
  if (isCounted(builtin)) {
    const bound = toDecimal(value)
    return { wanted: `${words} ${value}`, holds: (text) => holds(compareDecimals(toDecimal(text), bound)) }
  }
  return {
    wanted: `${words} ${value}`,
    holds(text) {
      const order = compare(text, value)
      return order !== undefined && holds(order)
    },
  }
}
