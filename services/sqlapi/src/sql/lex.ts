/**
 * SQL text -> tokens, as one of the two dialects reads it. White space and comments give no token. What is quoted, by
 * whatever means the dialect has, is one token, so nothing inside it can be taken for a parameter or a semicolon.
 *
 * The lexer is total: every text gives tokens, an unterminated quote or comment reaches to the end, and the database
 * is left to say what is wrong with it. It knows no statements (script.ts does).
 */
import type { Dialect } from '../model.ts'

export type TokenKind =
  /** Identifier or keyword, unquoted. */
  | 'word'
  /** String literal, quoted identifier or dollar-quoted body, with its quotes. */
  | 'quoted'
  /** `:name`. */
  | 'parameter'
  /** `$1`, and in SQLite also `?`, `?1`, `@name`, `$name`: placeholders that are not ours. */
  | 'placeholder'
  /** Any other character, digits included; `::` and `:=` are one symbol. */
  | 'symbol'

/** `start` and `end` are offsets into the text, `end` exclusive. */
export interface Token {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
}

interface Rules {
  readonly nestedComments: boolean
  /** A carriage return alone ends a line comment. */
  readonly returnEndsLine: boolean
  /** `E'..'` with backslash escapes, `$tag$..$tag$`. */
  readonly escapeStrings: boolean
  readonly dollarQuotes: boolean
  /** Opening quote -> closing quote; a doubled closing quote stands for itself, except after `[`. */
  readonly quotes: Readonly<Record<string, string>>
  readonly placeholder: RegExp
}

const rules: Readonly<Record<Dialect, Rules>> = {
  postgres: {
    nestedComments: true,
    returnEndsLine: true,
    escapeStrings: true,
    dollarQuotes: true,
    quotes: { "'": "'", '"': '"' },
    placeholder: /\$[0-9]+/y,
  },
  sqlite: {
    nestedComments: false,
    returnEndsLine: false,
    escapeStrings: false,
    dollarQuotes: false,
    quotes: { "'": "'", '"': '"', '`': '`', '[': ']' },
    placeholder: /\?[0-9]*|[@$][A-Za-z_0-9\u0080-\uffff$]+/y,
  },
}

const space = /[\s\0\ufeff]+/y
const word = /[A-Za-z_\u0080-\uffff][A-Za-z_0-9\u0080-\uffff$]*/y
/** A whole number literal, so that the letters of `1e5` or `0xFF` are no word and `1.5` no three tokens. */
const number = /[0-9][0-9A-Za-z_.]*/y
const parameter = /:[A-Za-z_][A-Za-z0-9_]*/y
/** White space with a line break, then a quote: the string goes on, with its escapes. A comment would end it. */
const continuation = /[ \t\f\v]*[\n\r][ \t\f\v\n\r]*'/y
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z_0-9\u0080-\uffff]*)?\$/y

/** Cuts the whole text into tokens, in order. */
export function lex(text: string, dialect: Dialect): Token[] {
  const rule = rules[dialect]
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const after = skipBlank(text, at, rule)
    if (after > at) {
      at = after
      continue
    }
    const token = readToken(text, at, rule)
    tokens.push(token)
    at = token.end
  }
  return tokens
}

/** The end of the white space or comment at `at`, or `at` itself. */
function skipBlank(text: string, at: number, rule: Rules): number {
  if (text.startsWith('--', at)) return endOfLine(text, at, rule)
  if (text.startsWith('/*', at)) return endOfComment(text, at, rule)
  return matchEnd(space, text, at)
}

function endOfLine(text: string, at: number, rule: Rules): number {
  for (let i = at; i < text.length; i++) {
    const char = text[i]
    if (char === '\n' || (char === '\r' && rule.returnEndsLine)) return i
  }
  return text.length
}

function endOfComment(text: string, at: number, rule: Rules): number {
  let depth = 1
  for (let i = at + 2; i < text.length; i++) {
    if (text.startsWith('*/', i)) {
      depth--
      i++
      if (depth === 0) return i + 1
    } else if (rule.nestedComments && text.startsWith('/*', i)) {
      depth++
      i++
    }
  }
  return text.length
}

function readToken(text: string, at: number, rule: Rules): Token {
  const char = text.charAt(at)
  const closing = rule.quotes[char]
  if (closing !== undefined) return token('quoted', at, endOfQuote(text, at, closing))
  if (char === ':') {
    const end = matchEnd(parameter, text, at)
    if (end > at) return token('parameter', at, end)
    const pair = text.startsWith('::', at) || text.startsWith(':=', at)
    return token('symbol', at, at + (pair ? 2 : 1))
  }
  if (rule.escapeStrings && (char === 'e' || char === 'E') && text[at + 1] === "'") {
    return token('quoted', at, endOfEscapeString(text, at + 1))
  }
  if (rule.dollarQuotes && char === '$') {
    const end = matchEnd(dollarTag, text, at)
    if (end > at) return token('quoted', at, endOfDollarQuote(text, text.slice(at, end), end))
  }
  const wordEnd = matchEnd(word, text, at)
  if (wordEnd > at) return token('word', at, wordEnd)
  const placeholderEnd = matchEnd(rule.placeholder, text, at)
  if (placeholderEnd > at) return token('placeholder', at, placeholderEnd)
  return token('symbol', at, Math.max(matchEnd(number, text, at), at + 1))
}

function endOfQuote(text: string, at: number, closing: string): number {
  for (let from = at + 1; ;) {
    const end = text.indexOf(closing, from)
    if (end === -1) return text.length
    // `]` cannot be doubled in SQLite: `[a]]` is `[a]` and a stray bracket.
    if (closing === ']' || text[end + 1] !== closing) return end + 1
    from = end + 2
  }
}

function endOfEscapeString(text: string, quote: number): number {
  for (let i = quote + 1; i < text.length; i++) {
    const char = text[i]
    if (char === '\\') i++
    else if (char === "'") {
      if (text[i + 1] === "'") i++
      else {
        const next = matchEnd(continuation, text, i + 1)
        if (next === i + 1) return next
        i = next - 1
      }
    }
  }
  return text.length
}

function endOfDollarQuote(text: string, tag: string, from: number): number {
  const end = text.indexOf(tag, from)
  return end === -1 ? text.length : end + tag.length
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

function token(kind: TokenKind, start: number, end: number): Token {
  return { kind, start, end }
}
