/**
 * The words of a stored routine: source text -> tokens that PL/pgSQL and SQL know by name. Comments are gone and
 * literals are opaque, so nothing that is in them counts. What could be read in two ways is said to be unclear.
 */
import { lex, type Token } from '../../../sql/lex.ts'
import { grammar } from '../grammar.ts'

export interface Word {
  /** Lower-cased, of an unquoted word only: what may be a keyword. Empty otherwise. */
  readonly keyword: string
  /** Lower-cased name of a word or a quoted identifier; empty otherwise. */
  readonly name: string
  /** What is there, for symbols; `'` for any literal. */
  readonly symbol: string
}

/** White space in JavaScript, part of a name in PostgreSQL. */
const blankInName = /[\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff][\w$\u0080-\uffff]/

/** `undefined` where the server could read the text in another way than this file does. */
export function readWords(source: string): readonly Word[] | undefined {
  if (blankInName.test(source)) return undefined
  const words: Word[] = []
  for (const token of lex(source, grammar)) {
    if (isUnclear(source, token)) return undefined
    words.push(...toWords(source.slice(token.start, token.end), token))
  }
  return words
}

/**
 * A backslash before the quote ends the literal or not, depending on `standard_conforming_strings`. `U&"\0073et"` is a
 * name that must not be read as it is. A literal that is not closed hides what follows. And `1..n$$` ends in a
 * name with two dollars, where the scanner of files sees the beginning of a literal.
 */
function isUnclear(source: string, { kind, start, end }: Token): boolean {
  switch (kind) {
    case 'word':
      return end - start === 1 && /u/i.test(source.charAt(start)) && source.startsWith('&"', end)
    case 'quoted':
      return source[start] === "'" && source.slice(start, end).includes(String.raw`\'`)
    case 'unclosed':
      return true
    case 'parameter':
      return goesOn.test(source.charAt(end))
    case 'symbol':
      return /\d/.test(source.charAt(start)) && goesOn.test(source.charAt(end))
    case 'placeholder':
      return false
  }
}

const goesOn = /[$\u0080-\uffff]/

const nothing = { keyword: '', name: '', symbol: '' }

function toWords(text: string, { kind }: Token): readonly Word[] {
  switch (kind) {
    case 'word':
      return [{ keyword: text.toLowerCase(), name: text.toLowerCase(), symbol: '' }]
    case 'quoted':
      return text.startsWith('"')
        ? [{ ...nothing, name: text.slice(1, -1).replaceAll('""', '"').toLowerCase() }]
        : [{ ...nothing, symbol: "'" }]
    case 'parameter':
      // `xs[1:n]`, where the scanner of files sees a parameter.
      return [
        { ...nothing, symbol: ':' },
        { keyword: text.slice(1).toLowerCase(), name: text.slice(1).toLowerCase(), symbol: '' },
      ]
    case 'placeholder':
    case 'unclosed':
      return [{ ...nothing, symbol: text }]
    case 'symbol':
      return /^\d/.test(text) ? numberWords(text) : [{ ...nothing, symbol: text }]
  }
}

/** `1..n` is one token to the scanner of files. */
function numberWords(text: string): readonly Word[] {
  const names = text.toLowerCase().match(/[a-z_]\w*/g) ?? []
  return [{ ...nothing, symbol: '0' }, ...names.map((name) => ({ keyword: name, name, symbol: '' }))]
}
