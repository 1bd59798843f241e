/**
 * The built-in types of XML Schema as a table: which texts are values of each, how white space counts, in what order
 * values are and what a person reads about them. Besides two of our own, for params that a DSL file declares.
 */
import { canonicalDecimal, compareDecimals, toDecimal } from './decimals.ts'
import {
  canonicalDuration,
  canonicalMoment,
  compareDurations,
  compareMoments,
  type MomentKind,
  readDuration,
  readMoment,
} from './moments.ts'
import { nameCharacter, nameStart } from './pattern/name-characters.ts'

export type WhiteSpace = 'preserve' | 'replace' | 'collapse'

export interface Builtin {
  readonly whiteSpace: WhiteSpace
  /** What is wanted, in words that follow "expected". */
  readonly wanted: string
  /** Whether the text is a value; white space has been dealt with. */
  readonly fits: (text: string) => boolean
  /** The same for texts that are the same value. Asked of values only, as what follows. */
  readonly canonical: (text: string) => string
  /** Below 0, 0, above 0; undefined for values without an order. */
  readonly compare?: (a: string, b: string) => number | undefined
  /** What facets of length count; undefined for types that have no length. */
  readonly lengthOf?: ((text: string) => number) | undefined
  /** Bounds that come with the type. */
  readonly bounds?: Readonly<Record<string, string>>
  /** Whether true and false of JSON are texts of it. */
  readonly takesBooleans?: true
}

const itself = (text: string): string => text
const anything = (): boolean => true

/** As XML counts: a character may take two code units. */
function characters(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc_00) === 0xdc_00) count--
  return count
}

function textType(whiteSpace: WhiteSpace, wanted: string, fits: (text: string) => boolean = anything): Builtin {
  return { whiteSpace, wanted, fits, canonical: itself, lengthOf: characters }
}

const isName = new RegExp(`^[${nameStart}:][${nameCharacter}:]*$`, 'u')
const isPlainName = new RegExp(`^[${nameStart}][${nameCharacter}]*$`, 'u')
const isToken = new RegExp(`^[${nameCharacter}:]+$`, 'u')
const plainName = textType('collapse', 'a name of letters, digits, points and dashes', (text) => isPlainName.test(text))

/** Its length depends on its prefix, so that facets of length say nothing. */
const qualifiedName: Builtin = { ...plainName, lengthOf: undefined }

const isDecimal = (text: string): boolean => /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text)
const isInteger = (text: string): boolean => /^[+-]?\d+$/.test(text)
const compareNumbers = (a: string, b: string): number => compareDecimals(toDecimal(a), toDecimal(b))

function integer(least?: string, most?: string): Builtin {
  const range = least !== undefined && most !== undefined ? ` from ${least} to ${most}` : ''
  return {
    whiteSpace: 'collapse',
    wanted: `a whole number${range}`,
    fits: isInteger,
    canonical: canonicalDecimal,
    compare: compareNumbers,
    bounds: {
      ...(least === undefined ? {} : { minInclusive: least }),
      ...(most === undefined ? {} : { maxInclusive: most }),
    },
  }
}

const isFloat = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?|-?INF|NaN)$/

function toFloat(text: string): number {
  return Number(text.replace('INF', 'Infinity'))
}

function float(round: (value: number) => number): Builtin {
  return {
    whiteSpace: 'collapse',
    wanted: 'a number',
    fits: (text) => isFloat.test(text),
    canonical: (text) => String(round(toFloat(text))),
    compare(a, b) {
      const [left, right] = [round(toFloat(a)), round(toFloat(b))]
      if (Number.isNaN(left) || Number.isNaN(right)) return undefined
      return left < right ? -1 : Number(left > right)
    },
  }
}

function moment(kind: MomentKind, example: string, wanted: string): Builtin {
  const read = (text: string) => readMoment(kind, text)
  return {
    whiteSpace: 'collapse',
    wanted: `${wanted} such as ${example}`,
    fits: (text) => read(text) !== undefined,
    canonical(text) {
      const found = read(text)
      return found === undefined ? text : canonicalMoment(found)
    },
    compare(a, b) {
      const [left, right] = [read(a), read(b)]
      return left === undefined || right === undefined ? undefined : compareMoments(left, right)
    },
  }
}

function duration(parts: RegExp, example: string): Builtin {
  return {
    whiteSpace: 'collapse',
    wanted: `a duration such as ${example}`,
    fits: (text) => parts.test(text) && readDuration(text) !== undefined,
    canonical(text) {
      const found = readDuration(text)
      return found === undefined ? text : canonicalDuration(found)
    },
    compare(a, b) {
      const [left, right] = [readDuration(a), readDuration(b)]
      return left === undefined || right === undefined ? undefined : compareDurations(left, right)
    },
  }
}

const boolean: Builtin = {
  whiteSpace: 'collapse',
  wanted: 'true or false',
  fits: (text) => /^(?:true|false|1|0)$/.test(text),
  canonical: (text) => String(text === 'true' || text === '1'),
  takesBooleans: true,
}

/**
 * Only what no byte text holds is searched for: an expression over the whole of it would keep as many steps to go back.
 */
function isBase64(text: string): boolean {
  const bare = withoutSpaces(text)
  if (bare.length % 4 !== 0) return false
  const filling = bare.endsWith('==') ? 2 : Number(bare.endsWith('='))
  const last = bare[bare.length - filling - 1] ?? ''
  const isWhole = filling === 0 || (filling === 1 ? 'AEIMQUYcgkosw048' : 'AQgw').includes(last)
  return isWhole && !/[^A-Za-z0-9+/]/.test(bare.slice(0, bare.length - filling))
}

function withoutSpaces(text: string): string {
  return text.includes(' ') ? text.replaceAll(' ', '') : text
}

/**
 * Escapes are two digits, brackets belong to an address of IPv6, a scheme has its own letters, and there is one
 * fragment.
 */
function isUri(text: string): boolean {
  const border = text.search(/[:/?#]/)
  if (text[border] === ':' && !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(text.slice(0, border))) return false
  const [head = '', ...fragments] = text.split('#')
  if (fragments.length > 1 || /%(?![0-9A-Fa-f]{2})/.test(text)) return false
  return !/[[\]]/.test(head.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?[\]]*\[[^/?[\]]*\]/, '') + fragments.join(''))
}

const any: Builtin = { ...textType('preserve', 'text, a number, true or false'), takesBooleans: true }

const builtins: Readonly<Record<string, Builtin>> = {
  anyType: any,
  anySimpleType: any,
  anyAtomicType: any,
  string: textType('preserve', 'text'),
  normalizedString: textType('replace', 'text'),
  token: textType('collapse', 'text'),
  language: textType('collapse', 'a language such as et', (text) => /^[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*$/.test(text)),
  Name: textType('collapse', 'a name of letters, digits, points, colons and dashes', (text) => isName.test(text)),
  NCName: plainName,
  ID: plainName,
  IDREF: plainName,
  ENTITY: plainName,
  // A prefix would have to be declared in the envelope, where a caller declares none.
  QName: qualifiedName,
  NOTATION: qualifiedName,
  NMTOKEN: textType('collapse', 'letters, digits, points, colons and dashes', (text) => isToken.test(text)),
  anyURI: textType('collapse', 'an address such as http://example.org/', isUri),
  boolean,
  decimal: {
    whiteSpace: 'collapse',
    wanted: 'a number such as 12.50, without an exponent',
    fits: isDecimal,
    canonical: canonicalDecimal,
    compare: compareNumbers,
  },
  integer: integer(),
  nonPositiveInteger: integer(undefined, '0'),
  negativeInteger: integer(undefined, '-1'),
  nonNegativeInteger: integer('0'),
  positiveInteger: integer('1'),
  long: integer('-9223372036854775808', '9223372036854775807'),
  int: integer('-2147483648', '2147483647'),
  short: integer('-32768', '32767'),
  byte: integer('-128', '127'),
  unsignedLong: integer('0', '18446744073709551615'),
  unsignedInt: integer('0', '4294967295'),
  unsignedShort: integer('0', '65535'),
  unsignedByte: integer('0', '255'),
  float: float(Math.fround),
  double: float((value) => value),
  dateTime: moment('dateTime', '2026-01-31T12:00:00+02:00', 'a date with a time'),
  date: moment('date', '2026-01-31', 'a date of the calendar'),
  time: moment('time', '12:00:00', 'a time'),
  gYear: moment('gYear', '2026', 'a year'),
  gYearMonth: moment('gYearMonth', '2026-01', 'a month of a year'),
  gMonth: moment('gMonth', '--01', 'a month'),
  gMonthDay: moment('gMonthDay', '--01-31', 'a day of a month'),
  gDay: moment('gDay', '---31', 'a day'),
  duration: duration(/^/, 'P1DT12H'),
  dayTimeDuration: duration(/^[^YM]*(?:T|$)/, 'P1DT12H'),
  yearMonthDuration: duration(/^[^DT]*$/, 'P1Y6M'),
  hexBinary: {
    whiteSpace: 'collapse',
    wanted: 'bytes as hexadecimal digits, two each',
    fits: (text) => text.length % 2 === 0 && !/[^0-9A-Fa-f]/.test(text),
    canonical: (text) => text.toUpperCase(),
    lengthOf: (text) => text.length / 2,
  },
  base64Binary: {
    whiteSpace: 'collapse',
    wanted: 'bytes in base64',
    fits: isBase64,
    canonical: withoutSpaces,
    lengthOf(text) {
      const bare = withoutSpaces(text)
      return (bare.length / 4) * 3 - (bare.endsWith('==') ? 2 : Number(bare.endsWith('=')))
    },
  },
}

/** For params that a DSL file declares: what JSON calls a number, and a date without a zone. */
const ownTypes: Readonly<Record<string, Builtin>> = {
  ownNumber: {
    ...float((value) => value),
    fits: (text) => /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[Ee][+-]?\d+)?$/.test(text),
    canonical: (text) => (isDecimal(text) ? canonicalDecimal(text) : String(Number(text))),
  },
  ownDate: { ...moment('date', '2026-01-31', 'a date of the calendar'), fits: isOwnDate },
}

function isOwnDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && readMoment('date', text) !== undefined
}

/** Of a type that nobody knows any text is right. */
export function builtinOf(base: string): Builtin {
  return (Object.hasOwn(builtins, base) ? builtins[base] : ownTypes[base]) ?? any
}
