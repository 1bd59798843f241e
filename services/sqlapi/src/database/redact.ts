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

export function redact(text: string, values: readonly JsonValue[], { sql, quotes }: RedactOptions): string {
  const scalars = values.flatMap(scalarsOf).sort((a, b) => b.length - a.length)
  if (scalars.length > maxValues) return hidden
  const isOfNames = quotes === 'names' || quotes === 'schema'
  const isInFile = (word: string): boolean => isOfNames && hasWord(sql, word)
  let shown = text
  for (const scalar of scalars) {
    if (isInFile(scalar)) continue
    for (const spelling of new Set([scalar, scalar.toLowerCase(), scalar.toUpperCase()])) shown = hide(shown, spelling)
  }
  shown = shown.replaceAll(
    quotes === 'data' ? allQuoted : quoted,
    (whole, open: string, inside: string, close: string) => {
      const isClients = scalars.some((scalar) => areAlike(scalar, inside))
      const mayStay = quotes === 'data' ? !isClients && hasWord(sql, inside) : !isClients || isInFile(inside)
      return mayStay ? whole : open + hidden + close
    },
  )
  if (shown.length > maxLength) shown = `${shown.slice(0, maxLength)}${hidden}`
  return quotes === 'schema' ? shown : hideWords(shown, scalars.join('\0').toLowerCase(), { sql, quotes })
}

/** In whatever language the server speaks. */
const opening = '["\'«»“”„‘’‹›「『]'
const closing = '["\'«»“”„‘’‹›」』]'
const quoted = new RegExp(`(${opening}\\s?)(.*?)(\\s?${closing})`, 'gsu')
/** From the first quote to the last: a value may hold quotes itself. */
const allQuoted = new RegExp(`(${opening}\\s?)(.*)(\\s?${closing})`, 'gsu')

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

function hasWord(sql: string, word: string): boolean {
  const source = sql.toLowerCase()
  const wanted = word.toLowerCase()
  return findFrom(source, wanted, 0, false) >= 0 || findFrom(source.replaceAll('"', ''), wanted, 0, false) >= 0
}

const wordCharacter = /[\p{L}\p{N}_]/u

function standsAlone(text: string, at: number, length: number): boolean {
  return !wordCharacter.test(text.charAt(at - 1)) && !wordCharacter.test(text.charAt(at + length))
}

/** One of them is a part of the other. */
function areAlike(scalar: string, inside: string): boolean {
  const [one, other] = [scalar.toLowerCase(), inside.toLowerCase()]
  return one.includes(other) || (one.length >= shortLength && other.includes(one))
}

/** Every word that resembles a value, and bytes of a value as PostgreSQL prints them (`0xc3`). */
function hideWords(text: string, values: string, { sql, quotes }: RedactOptions): string {
  // A text and values so long that comparing them would keep other requests waiting.
  const isTooMuch = text.length * values.length > maxCompared
  const isLikeValue = (word: string): boolean => isTooMuch || resembles(word, values)
  return text.replaceAll(/[\p{L}\p{N}_]+/gu, (word) => {
    const name = word.toLowerCase()
    const mayStay = quotes !== 'author' && (messageWords.has(name) || hasWord(sql, name))
    if (mayStay) return word
    return isLikeValue(name) || (quotes === 'data' && /^0x[\da-f]+$/.test(name)) ? hidden : word
  })
}

const maxCompared = 100_000_000

/**
 * Whether the word may be made of one of the values: it is in them, or has as many characters in a row as they have, or
 * its letters or its digits are one of their words.
 */
function resembles(word: string, values: string): boolean {
  if (values === '') return false
  if (word.length >= 3 && values.includes(word)) return true
  for (let at = 0; at + shortLength <= word.length; at++) {
    if (values.includes(word.slice(at, at + shortLength))) return true
  }
  const parts = word.match(/\p{L}+|\p{N}+/gu) ?? []
  return parts.some((part) => findFrom(values, part, 0, false) >= 0)
}
