/**
 * Why XML cannot be read. An `&` that is written as a character has words of its own: a parser takes all that follows,
 * up to the next semicolon, for the name of an entity, so what it reports is far behind. Pure.
 */

/** A response that cannot be read. The message says where and why, and quotes nothing of it. */
export class XmlError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'XmlError'
  }
}

const maxReasonLength = 100

/** What the parser says, without the names of elements and attributes that follow its colon. */
export function toReason(message: string): string {
  return message.replace(/:[^]*|\.$/, '').slice(0, maxReasonLength)
}

export const strayAmpersand = 'an & that begins no reference; as a character it is written &amp;'

/** Where `&` may stand for itself, with what ends that. */
const endings: Readonly<Record<string, string>> = { '<!--': '-->', '<![CDATA[': ']]>', '<?': '?>' }
/** These, and an `&` without a number or a name that ends, or goes on to the end of what is there. */
const candidates = /<!--|<!\[CDATA\[|<\?|&(?!#\d+(?:;|$)|#x[\da-f]+(?:;|$)|[\p{L}_:][\p{L}\p{N}_:.-]*(?:;|$))/giu

/** The offset of the first one in what the parser has read; undefined where there is none. In one pass. */
export function findStrayAmpersand(read: string): number | undefined {
  candidates.lastIndex = 0
  for (let found = candidates.exec(read); found !== null; found = candidates.exec(read)) {
    const ending = endings[found[0].toUpperCase()]
    if (ending === undefined) return found.index
    const end = read.indexOf(ending, found.index)
    if (end === -1) return undefined
    candidates.lastIndex = end + ending.length
  }
  return undefined
}

/**
 * Its `line:column` in a document that has been read up to `place`, and what is wrong with it. Of a line that began
 * before what is known of the document, and has ended since, only the number is told.
 */
export function tellStrayAmpersand(read: string, place: string): string | undefined {
  const at = findStrayAmpersand(read)
  if (at === undefined) return undefined
  const [line = 0, column = 0] = place.split(':').map(Number)
  const lines = lineEnds(read.slice(at))
  const before = read.slice(0, at)
  const own = /[\r\n]([^\r\n]*)$/u.exec(before)?.[1]
  const left = own === undefined ? column - charactersIn(read.slice(at)) : charactersIn(own)
  const isKnown = own !== undefined || lines === 0
  return `${line - lines}${isKnown ? `:${left + 1}` : ''}: ${strayAmpersand}`
}

export function lineEnds(text: string): number {
  return text.split(/\r\n|[\r\n]/u).length - 1
}

function charactersIn(text: string): number {
  return Array.from(text).length
}
