/**
 * The text of one element that has grown long, converted to JSON piece by piece as it arrives: no step handles all of
 * it. White space is treated as for a short text. Texts that may be numbers are not collected here, because their
 * digits count as a whole.
 */
import { addEscaped, type Json, LongJson } from './json-text.ts'
import { isBlank, trimBlank } from './leaf.ts'
import type { Shape, ValueKind } from './shape.ts'

/** Characters from which on a text counts as long. No number that fits into 64 bits has as many. */
export const shortText: number = 64 * 1024

type Space = 'trimmed' | 'preserved' | 'replaced' | 'collapsed'

/** Undefined if the text has to be kept as it is. */
export function newLongText(shape: Shape | undefined): LongText | undefined {
  if (shape?.text === undefined) return new LongText('trimmed')
  const space = spaces[shape.text]
  return space && new LongText(space)
}

const spaces: Readonly<Record<ValueKind, Space | undefined>> = {
  preserved: 'preserved',
  replaced: 'replaced',
  collapsed: 'collapsed',
  integer: undefined,
  decimal: undefined,
  float: undefined,
  boolean: undefined,
}

/** A text that is kept as JSON. */
export interface CollectedText {
  /** Nothing but white space has come. */
  readonly isBlank: boolean
  add(text: string): void
  toJson(): Json
}

class LongText implements CollectedText {
  readonly #space: Space
  readonly #json = new LongJson().add('"')
  /** White space that counts only if something follows. */
  #held = new LongJson()
  #hasContent = false
  /** Nothing but white space has come. */
  isBlank = true

  constructor(space: Space) {
    this.#space = space
  }

  add(text: string): void {
    if (this.isBlank && !isBlank(text)) this.isBlank = false
    switch (this.#space) {
      case 'preserved':
        this.#put(text)
        break
      case 'replaced':
        this.#put(text.replaceAll(/[\t\n\r]/g, ' '))
        break
      case 'collapsed':
        this.#addTrimmed(text.replaceAll(/[\t\n\r ]+/g, ' '))
        break
      case 'trimmed':
        this.#addTrimmed(text)
    }
  }

  /** A plain text of white space only is null. */
  toJson(): Json {
    if (this.#space === 'trimmed' && !this.#hasContent) return 'null'
    return this.#json.add('"')
  }

  #addTrimmed(text: string): void {
    const content = trimBlank(text)
    if (content === '') {
      this.#hold(text)
      return
    }
    const start = text.indexOf(content)
    this.#hold(text.slice(0, start))
    this.#json.add(this.#held)
    this.#held = new LongJson()
    this.#hasContent = true
    this.#put(content)
    this.#hold(text.slice(start + content.length))
  }

  #hold(blank: string): void {
    if (blank === '' || !this.#hasContent) return
    if (this.#space === 'trimmed') this.#held.add(JSON.stringify(blank).slice(1, -1))
    // One space, however many pieces have some.
    else if (this.#held.length === 0) this.#held.add(' ').close()
  }

  #put(text: string): void {
    addEscaped(this.#json, text)
  }
}
