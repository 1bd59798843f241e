/**
 * How the expressions of XML Schema and of ECMAScript differ: what is behind a backslash, and which signs mean
 * something. An escape becomes the source of a class for the expressions of JavaScript, with the flag `v`.
 */
import { nameCharacter, nameStart } from './name-characters.ts'
import { UnknownSyntax } from './unknown-syntax.ts'

export interface Dialect {
  /** What may follow a backslash, at the start of a text. */
  readonly escapes: RegExp
  /** Whether `^` and `$` are the ends of the text, and brackets may begin with `(?:`. */
  readonly hasAnchors: boolean
  /** Whether a class may be one without another: `[a-z-[aeiou]]`. */
  readonly hasSubtraction: boolean
  /** Source of what is escaped, for a place inside a class or outside. */
  escape(escaped: string, isInside: boolean): string
}

/** Letter -> the inside of its class; the upper case letter is all others. */
const classes: Readonly<Record<string, string>> = {
  s: String.raw` \t\n\r`,
  d: String.raw`\p{Nd}`,
  w: String.raw`\p{L}\p{M}\p{N}\p{S}`,
  i: `:${nameStart}`,
  c: `:${nameCharacter}`,
}

/** Those that people write. */
const blocks: Readonly<Record<string, string>> = {
  BasicLatin: String.raw`\u{0}-\u{7f}`,
  'Latin-1Supplement': String.raw`\u{80}-\u{ff}`,
  'LatinExtended-A': String.raw`\u{100}-\u{17f}`,
  'LatinExtended-B': String.raw`\u{180}-\u{24f}`,
  Greek: String.raw`\u{370}-\u{3ff}`,
  Cyrillic: String.raw`\u{400}-\u{4ff}`,
}

export const xmlSchema: Dialect = {
  escapes: /^(?:[pP]\{[A-Za-z0-9-]{1,40}\}|[^pP])/su,
  hasAnchors: false,
  hasSubtraction: true,
  escape(escaped) {
    const [, letter = '', name] = /^([pP])\{(.*)\}$/.exec(escaped) ?? []
    if (name !== undefined) return letter === 'p' ? `[${property(name)}]` : `[^${property(name)}]`
    return classOf(escaped, classes) ?? control(escaped) ?? quote(escaped)
  },
}

function property(name: string): string {
  if (/^[LMNPZSC][a-z]?$/.test(name)) return String.raw`\p{${name}}`
  const block = name.startsWith('Is') ? blocks[name.slice(2)] : undefined
  if (block === undefined) throw new UnknownSyntax(`names characters ${name}, which are not known here`)
  return block
}

const ownClasses: Readonly<Record<string, string>> = { s: String.raw`\s`, d: '0-9', w: 'A-Za-z0-9_' }

export const ecmaScript: Dialect = {
  escapes: /^(?:u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[pP]\{[\w=]{1,60}\}|[^pPux])/su,
  hasAnchors: true,
  hasSubtraction: false,
  escape(escaped, isInside) {
    const [hex] = /[0-9A-Fa-f]+/.exec(/^[ux]./.test(escaped) ? escaped.slice(1) : '') ?? []
    if (hex !== undefined) return `\\u{${hex.toLowerCase()}}`
    if (/^[pP]\{/.test(escaped)) return `[\\${escaped}]`
    if (!isInside && /^[bBk1-9]$/.test(escaped)) throw new UnknownSyntax(`has \\${escaped}, which looks around`)
    if (/^[0cbBk1-9]$/.test(escaped)) throw new UnknownSyntax(`has \\${escaped}, which is not known here`)
    return classOf(escaped, ownClasses) ?? control(escaped) ?? quote(escaped)
  },
}

function classOf(letter: string, known: Readonly<Record<string, string>>): string | undefined {
  const inside = Object.hasOwn(known, letter.toLowerCase()) ? known[letter.toLowerCase()] : undefined
  if (inside === undefined) return undefined
  return letter === letter.toLowerCase() ? `[${inside}]` : `[^${inside}]`
}

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v' }

function control(letter: string): string | undefined {
  const character = controls[letter]
  return character === undefined ? undefined : quote(character)
}

/** A character that means nothing but itself, in the source of an expression. */
export function quote(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
