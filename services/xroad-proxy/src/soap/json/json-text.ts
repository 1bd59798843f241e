/**
 * JSON text under construction: a string while it is short, then bytes of UTF-8 in pieces. A long response is never in
 * memory as one string, and no step has to join a million parts.
 *
 * A text has one owner: do not use it again after it was joined to another one.
 */

export type Json = string | LongJson

/** Characters that are kept as a string. */
const shortLength = 32 * 1024

export class LongJson {
  readonly pieces: Buffer[] = []
  /** In bytes. */
  length = 0
  #open = ''

  add(json: Json): this {
    if (typeof json === 'string') this.#addText(json)
    else {
      this.close()
      for (const piece of json.close().pieces) this.#push(piece)
    }
    return this
  }

  /** Converts everything to bytes. */
  close(): this {
    if (this.#open !== '') this.#push(Buffer.from(this.#open))
    this.#open = ''
    return this
  }

  toString(): string {
    return Buffer.concat(this.close().pieces, this.length).toString()
  }

  #addText(text: string): void {
    this.#open += text
    if (this.#open.length < shortLength) return
    if (text.length < shortLength) {
      this.close()
      return
    }
    const long = this.#open
    this.#open = ''
    for (let at = 0; at < long.length;) {
      const end = endOfPiece(long, at, shortLength)
      this.#push(Buffer.from(long.slice(at, end)))
      at = end
    }
  }

  #push(piece: Buffer): void {
    this.pieces.push(piece)
    this.length += piece.length
  }
}

export function joinJson(before: Json, after: Json): Json {
  if (typeof before === 'string') {
    if (typeof after === 'string' && before.length + after.length < shortLength) return before + after
    return new LongJson().add(before).add(after)
  }
  return before.add(after)
}

/** The JSON of a text. */
export function quote(text: string): Json {
  if (text.length < shortLength) return JSON.stringify(text)
  return addEscaped(new LongJson().add('"'), text).add('"')
}

/** What is between the quotes. */
export function addEscaped(json: LongJson, text: string): LongJson {
  for (let at = 0; at < text.length;) {
    const end = endOfPiece(text, at, shortLength)
    json.add(JSON.stringify(text.slice(at, end)).slice(1, -1))
    at = end
  }
  return json
}

/** In UTF-8, or of a short one its characters, which are as many at least. */
export function lengthOf(json: Json): number {
  return typeof json === 'string' ? json.length : json.close().length
}

/** No pair of surrogates is cut in two. */
function endOfPiece(text: string, from: number, length: number): number {
  const end = Math.min(from + length, text.length)
  const isHalf = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
  return isHalf ? end - 1 : end
}
