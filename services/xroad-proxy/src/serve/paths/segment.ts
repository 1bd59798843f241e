/**
 * One segment of a URL as a caller wrote it -> its text, and a text -> a segment for the provider, encoded again.
 * Refuses what a server behind could take for a way out of the service: `.` and `..` in every spelling that some server
 * understands. Pure.
 */
import { toSegment } from '../../xroad.ts'

/**
 * Decoded once; undefined where it is not percent-encoded UTF-8. Bytes beyond ASCII never get here: such a request line
 * is not HTTP.
 */
export function decodeSegment(raw: string): string | undefined {
  if (plain.test(raw)) return raw
  try {
    return decodeURIComponent(raw)
  } catch {
    return undefined
  }
}

/** Without any character that is encoded, on the way in or out. */
const plain = /^[\w~.-]*$/

/** For a parameter; undefined for a text that cannot be the value of one. */
export function encodeValue(text: string): string | undefined {
  if (text === '' || leadsElsewhere(text)) return undefined
  return plain.test(text) ? text : toSegment(text)
}

/**
 * Whether some reading of the text has a segment `.` or `..`. Servers decode once more than they should, take a
 * backslash or an encoded slash for a slash, drop what is behind a semicolon, white space or a control character, or
 * fold wide characters.
 */
export function leadsElsewhere(text: string): boolean {
  if (harmless.test(text)) return false
  let reading = text.normalize('NFKC')
  for (let round = 0; round < maxRounds; round++) {
    if (reading.split(/[/\\]/).some(isDots)) return true
    const next = decodeAgain(reading).normalize('NFKC')
    if (next === reading) return false
    reading = next
  }
  return true
}

/** Most values: no dot, no percent sign, nothing beyond ASCII. */
const harmless = /^[^.%\x80-\uffff]*$/
/** Nobody encodes a value more often than that by mistake. */
const maxRounds = 8

function isDots(segment: string): boolean {
  const [name = ''] = segment.split(';', 1)
  const bare = name.replaceAll(/[\s\p{C}]/gu, '')
  return bare === '.' || bare === '..'
}

/** Spellings that are not UTF-8 and that servers have been seen to take. */
const oddSpellings: readonly (readonly [RegExp, string])[] = [
  [/%(?:c0|e0%80|f0%80%80)%ae|%u002e/gi, '.'],
  [/%(?:c0|e0%80|f0%80%80)%af|%u002f/gi, '/'],
  [/%c1%9c|%u005c/gi, '\\'],
]

function decodeAgain(text: string): string {
  let spelled = text
  for (const [pattern, character] of oddSpellings) spelled = spelled.replaceAll(pattern, character)
  return spelled.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
}
