/**
 * SQL text -> tokens, as a dialect reads it. White space and comments give no token. What is quoted, by
 * whatever means the dialect has, is one token, so nothing inside it can be taken for a parameter or a semicolon.
 *
 * The lexer is total: every text gives tokens. A comment or quote that is never closed is a token of its own kind that
 * reaches to the end of the text. The lexer does not know statements (script.ts does).
 */
import type { TokenRules } from './grammar.ts'

export type TokenKind =
  /** Identifier or keyword, unquoted. */
  | 'word'
  /** String literal, quoted identifier or dollar-quoted body, with its quotes. */
  | 'quoted'
  /** `:name`. */
  | 'parameter'
  /** `$1`, `:größe`, and in SQLite also `?`, `?1`, `:1`, `@name`, `$name`, `#name`: placeholders that are not ours. */
  | 'placeholder'
  /** A comment or anything quoted that is never closed, up to the end of the text. */
  | 'unclosed'
  /** Any other character, digits included; `::` and `:=` are one symbol. */
  | 'symbol'

/** `start` and `end` are offsets into the text, `end` exclusive. */
export interface Token {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
}

const space = classOf(/[\s\0\ufeff]/)
const wordStart = classOf(/[A-Za-z_\u0080-\uffff]/)
const wordPart = classOf(/[A-Za-z_0-9\u0080-\uffff$]/)
const digit = classOf(/[0-9]/)
/** Of a whole number literal, so that the letters of `1e5` or `0xFF` are not a word and `1.5` is not three tokens. */
const numberPart = classOf(/[0-9A-Za-z_.]/)
/** Not in front of an escape string, which would lose its `E`: `json_object('a':E'b')`. */
const parameter = /:(?![Ee]')[A-Za-z_][A-Za-z0-9_]*/y
/** White space with a line break, then a quote: the string goes on, with its escapes. A comment would end it. */
const continuation = /[ \t\f\v]*[\n\r][ \t\f\v\n\r]*'/y
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z_0-9\u0080-\uffff]*)?\$/y

type CharacterClass = (text: string, at: number) => boolean

/**
 * With a table for ASCII, because most runs are a few letters long, and then a sticky pattern costs several times as
 * much.
 */
function classOf(pattern: RegExp): CharacterClass {
  const ascii = Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)))
  return (text, at) => ascii[text.charCodeAt(at)] ?? pattern.test(text.charAt(at))
}

/** Cuts the whole text into tokens, in order. */
export function lex(text: string, rule: TokenRules): Token[] {
  const tokens: Token[] = []
  for (let at = skipBlanks(text, 0, rule); at < text.length;) {
    const token = readToken(text, at, rule)
    tokens.push(token)
    at = skipBlanks(text, token.end, rule)
  }
  return tokens
}

/** The end of the white space and closed comments at `from`, or `from` itself. */
function skipBlanks(text: string, from: number, rule: TokenRules): number {
  for (let at = from; ;) {
    at = endOfRun(space, text, at)
    if (text.startsWith('--', at)) at = matchEnd(rule.lineEnd, text, at)
    else if (text.startsWith('/*', at)) {
      const end = endOfComment(text, at, rule)
      if (end === undefined) return at
      at = end
    } else return at
  }
}

/** As its neighbours below: behind the closing mark; nothing where there is none. */
function endOfComment(text: string, at: number, rule: TokenRules): number | undefined {
  let depth = 1
  const edge = rule.nestedComments ? /\*\/|\/\*/g : /\*\//g
  edge.lastIndex = at + 2
  for (let found = edge.exec(text); found !== null; found = edge.exec(text)) {
    depth += found[0] === '*/' ? -1 : 1
    if (depth === 0) return edge.lastIndex
  }
  return undefined
}

function readToken(text: string, at: number, rule: TokenRules): Token {
  if (wordStart(text, at)) {
    const isEscapeString = rule.escapeStrings && text[at + 1] === "'" && (text[at] === 'e' || text[at] === 'E')
    if (isEscapeString) return quoted(text, at, endOfEscapeString(text, at + 1))
    return token('word', at, endOfRun(wordPart, text, at))
  }
  if (digit(text, at)) return token('symbol', at, endOfRun(numberPart, text, at))
  const char = text.charAt(at)
  const closing = rule.quotes[char]
  if (closing !== undefined) return quoted(text, at, endOfQuote(text, at, closing))
  if (char === ':') {
    const end = matchEnd(parameter, text, at)
    const foreignEnd = matchEnd(rule.placeholder, text, at)
    if (foreignEnd > end) return token('placeholder', at, foreignEnd)
    if (end > at) return token('parameter', at, end)
    const pair = text.startsWith('::', at) || text.startsWith(':=', at)
    return token('symbol', at, at + (pair ? 2 : 1))
  }
  if (rule.dollarQuotes && char === '$') {
    const end = matchEnd(dollarTag, text, at)
    if (end > at) return quoted(text, at, endOfDollarQuote(text, text.slice(at, end), end))
  }
  // Closed comments were passed over before.
  if (text.startsWith('/*', at)) return token('unclosed', at, text.length)
  const placeholderEnd = matchEnd(rule.placeholder, text, at)
  if (placeholderEnd > at) return token('placeholder', at, placeholderEnd)
  return token('symbol', at, at + 1)
}

/** Behind the last of the characters from `at` on that are in the class. */
function endOfRun(isIn: CharacterClass, text: string, at: number): number {
  let end = at
  while (end < text.length && isIn(text, end)) end++
  return end
}

function endOfQuote(text: string, at: number, closing: string): number | undefined {
  for (let from = at + 1; ;) {
    const end = text.indexOf(closing, from)
    if (end === -1) return undefined
    // `]` cannot be doubled in SQLite: `[a]]` is `[a]` and a stray bracket.
    if (closing === ']' || text[end + 1] !== closing) return end + 1
    from = end + 2
  }
}

function endOfEscapeString(text: string, quote: number): number | undefined {
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
  return undefined
}

function endOfDollarQuote(text: string, tag: string, from: number): number | undefined {
  const end = text.indexOf(tag, from)
  return end === -1 ? undefined : end + tag.length
}

function quoted(text: string, start: number, end: number | undefined): Token {
  return end === undefined ? token('unclosed', start, text.length) : token('quoted', start, end)
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

function token(kind: TokenKind, start: number, end: number): Token {
  return { kind, start, end }
}
