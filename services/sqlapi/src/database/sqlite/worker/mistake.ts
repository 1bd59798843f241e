/**
 * Where in a text the mistake is that SQLite has found in it: Node.js does not pass on the offset that SQLite knows, so
 * it is found by the message. For a syntax error that is exact: SQLite's parser stops at the first token that cannot
 * follow, so a text that ends behind that token fails alike, and one that ends before it is only incomplete. A name
 * that SQLite does not know is looked for in the text.
 */
import { grammar } from '../grammar.ts'
import { lex, type Token } from '../../../sql/lex.ts'
import type { SqliteConnection } from './library.ts'

/** Gives SQLite's message where the text cannot be prepared. */
export type Prepare = (text: string) => string | undefined

const unexpected = /^near "(.*)": syntax error$/s
const unreadable = /^unrecognized token: "(.*)"$/s
const unknownName =
  /^(?:(?:no such (?:column|table|view|index|trigger|function|collation sequence|module|window):|ambiguous column name:|duplicate column name:|unknown database|table .* has no column named|cannot join using column) (.*?)(?: - (?:should this be a string literal in single-quotes\?|column not present in both tables))?|(?:wrong number of arguments to function|misuse of aggregate:|misuse of window function) (.*)\(\))$/s

/** The offset, or undefined where the message does not tell. */
export function findMistake(text: string, message: string, prepare: Prepare): number | undefined {
  const near = unexpected.exec(message)?.[1] ?? unreadable.exec(message)?.[1]
  if (near !== undefined) return findToken(text, near, (end) => prepare(text.slice(0, end)) === message)
  if (message === 'incomplete input') return text.trimEnd().length
  const [, noun, callee] = unknownName.exec(message) ?? []
  const name = noun ?? callee
  return name === undefined ? undefined : findName(text, name)
}

/** What SQLite says where it cannot prepare the text. */
export function messageOf(connection: SqliteConnection, text: string): string | undefined {
  try {
    connection.prepare(text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * The first token with which the text fails. It also fails with every later one, so each attempt rules out half of the
 * tokens.
 */
function findToken(text: string, token: string, failsUntil: (end: number) => boolean): number | undefined {
  const places: number[] = []
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) places.push(at)
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (failsUntil((places[middle] as number) + token.length)) high = middle
    else low = middle + 1
  }
  return places[low]
}

/** A name may be qualified (`o.id`) and its parts quoted. */
function findName(text: string, name: string): number | undefined {
  const tokens = lex(text, grammar)
  const wanted = lex(name, grammar).map((token) => bare(name, token))
  const found = tokens.find((_, index) => wanted.every((part, at) => part === bare(text, tokens[index + at])))
  return found?.start ?? tokens.find((token) => bare(text, token) === wanted.at(-1))?.start
}

/** SQLite compares names without their quotes and their case. */
function bare(text: string, token: Token | undefined): string | undefined {
  if (token === undefined) return undefined
  const source = text.slice(token.start, token.end)
  return (token.kind === 'quoted' ? source.slice(1, -1) : source).toLowerCase()
}
