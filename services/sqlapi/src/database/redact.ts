/**
 * An error text of a database -> the same without what came from the client, for the log. Databases repeat values in
 * their errors, whole, in part, in lower case, with or without quotes, so `…` replaces whatever may come from a
 * parameter: better one word of the text too many than a value in the log. A word that resembles a value stays only if
 * the file itself contains it, or if databases use it in messages (`message-words.ts`). Pure.
 */
import type { JsonValue } from '../model.ts'
import { messageWords } from './message-words.ts'

export interface RedactOptions {
  /** The statement as its file has it: names that it mentions are not secret. */
  readonly sql: string
  /**
   * `schema`: the text names what the schema has. `names`: quotes hold names, of things that need not exist. `data`:
   * they hold data. `author`: the text is made by the author of a function.
   */
  readonly quotes: 'schema' | 'names' | 'data' | 'author'
}

const hidden = '…'
/** Longer texts are cut. */
const maxLength = 1000
/** With more values than this, all sets of a batch together, nothing of the text is kept. */
const maxValues = 10_000
/** A shorter value is looked for as a word of its own. */
const shortLength = 4
/** Characters in a row that a name of the schema may share with a value. */
const sharedWithSchema = 7
/** Characters of the text times values, or times their characters: more would keep other requests waiting. */
const maxLookedFor = 10_000_000
const maxCompared = 100_000_000

export function redact(text: string, values: readonly JsonValue[], { sql, quotes }: RedactOptions): string {
  const scalars = values.flatMap(scalarsOf).sort((a, b) => b.length - a.length)
  if (scalars.length > maxValues) return hidden
  const isOfNames = quotes === 'names' || quotes === 'schema'
  const source = sql.toLowerCase()
  const isInFile = (word: string): boolean => hasWord(source, word)
  let shown = cut(text, Math.max(maxLength, maxLookedFor / scalars.length))
  for (const scalar of scalars) {
    const spellings = [scalar, scalar.toLowerCase(), scalar.toUpperCase()].filter((each) => shown.includes(each))
    if (spellings.length === 0 || (isOfNames && isInFile(scalar))) continue
    for (const spelling of spellings) shown = hide(shown, spelling)
  }
  const folded = scalars.map((scalar) => scalar.toLowerCase())
  shown = cut(shown, maxLength).replaceAll(
    quotes === 'data' ? allQuoted : quoted,
    (whole, open: string, inside: string, close: string) => {
      const isClients = folded.some((scalar) => areAlike(scalar, inside.toLowerCase()))
      const mayStay = quotes === 'data' ? !isClients && isInFile(inside) : !isClients || (isOfNames && isInFile(inside))
      return mayStay ? whole : open + hidden + close
    },
  )
  return hideWords(shown, folded.join('\0'), { sql: source, quotes })
}

function cut(text: string, length: number): string {
  return text.length > length ? text.slice(0, length) + hidden : text
}

/** In whatever language the server speaks. A text that was cut may lack the last quote. */
const opening = '["\'«»“”„‘’‹›「『]'
const closing = '\\s?["\'«»“”„‘’‹›」』]|…$'
const quoted = new RegExp(`(${opening}\\s?)(.*?)(${closing})`, 'gsu')
/** From the first quote to the last: a value may hold quotes itself. */
const allQuoted = new RegExp(`(${opening}\\s?)(.*)(${closing})`, 'gsu')

/** Texts and numbers, also those inside of arrays and objects. */
export function scalarsOf(value: JsonValue): string[] {
  if (value === null || typeof value === 'boolean') return []
  if (typeof value === 'string') return value === '' ? [] : [value]
  if ('digits' in value) return [value.digits]
  const found = value.text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g) ?? []
  return found
    .map((token) => (token.startsWith('"') ? (JSON.parse(token) as string) : token))
    .filter((token) => token !== '')
}

function hide(text: string, value: string): string {
  const isLong = value.length >= shortLength
  const found = findFrom(text, value, 0, isLong)
  if (found < 0) return text
  let shown = ''
  let from = 0
  for (let at = found; at >= 0; at = findFrom(text, value, from, isLong)) {
    shown += text.slice(from, at) + hidden
    from = at + value.length
  }
  return shown + text.slice(from)
}

function findFrom(text: string, value: string, from: number, anywhere: boolean): number {
  let at = text.indexOf(value, from)
  if (anywhere) return at
  while (at >= 0 && !standsAlone(text, at, value.length)) at = text.indexOf(value, at + 1)
  return at
}

/** Whether SQL in lower case has it. */
function hasWord(source: string, word: string): boolean {
  const wanted = word.toLowerCase()
  return findFrom(source, wanted, 0, false) >= 0 || findFrom(source.replaceAll('"', ''), wanted, 0, false) >= 0
}

const wordCharacter = /[\p{L}\p{M}\p{N}_]/u

function standsAlone(text: string, at: number, length: number): boolean {
  return !wordCharacter.test(text.charAt(at - 1)) && !wordCharacter.test(text.charAt(at + length))
}

/** One of them is a part of the other. */
function areAlike(one: string, other: string): boolean {
  return one.includes(other) || (one.length >= shortLength && other.includes(one))
}

const words = /[\p{L}\p{M}\p{N}_]+/gu
/** Words, and signs between them: a value may consist of emoji. */
const wordsAndSigns = /([\p{L}\p{M}\p{N}_]+)|[^\p{L}\p{M}\p{N}_\s]{2,}/gu

/**
 * Hides what may be made of one of the values: words, signs in a row, and bytes as PostgreSQL prints them (`0xc3`).
 */
function hideWords(text: string, values: string, { sql, quotes }: RedactOptions): string {
  const isTooMuch = text.length * values.length > maxCompared
  const wordsOfValues = new Set(isTooMuch ? [] : values.match(words))
  const length = quotes === 'schema' ? sharedWithSchema + 1 : shortLength
  const isLikeValue = (word: string): boolean =>
    isTooMuch || sharesRun(word, values, length) || (quotes !== 'schema' && hasWordOf(word, values, wordsOfValues))
  return text.replaceAll(wordsAndSigns, (found, word: string | undefined) => {
    const name = found.toLowerCase()
    if (word === undefined) return found.length >= length && isLikeValue(name) ? hidden : found
    const mayStay = quotes !== 'author' && (messageWords.has(name) || hasWord(sql, name))
    if (mayStay) return word
    return isLikeValue(name) || (quotes === 'data' && /^0x[\da-f]+$/.test(name)) ? hidden : word
  })
}

/** It is in one of the values, or its letters or its digits are one of their words. */
function hasWordOf(word: string, values: string, wordsOfValues: ReadonlySet<string>): boolean {
  if (word.length >= 3 && values.includes(word)) return true
  const parts = word.match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? []
  return parts.some((part) => wordsOfValues.has(part))
}

/** As many characters in a row are in one of the values. */
function sharesRun(word: string, values: string, length: number): boolean {
  for (let at = 0; at + length <= word.length; at++) {
    if (values.includes(word.slice(at, at + length))) return true
  }
  return false
}
