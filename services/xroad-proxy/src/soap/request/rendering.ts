/**
 * The work of one rendering, bounded and interrupted. Handlebars cannot pause, so a rendering that has worked long
 * enough is thrown away and begins anew: the texts of the loops, rounds and attachments that were done are kept, and
 * take their places at once. Templates have no side effects but attachments, which are kept as well.
 */
import { RenderError } from './template-errors.ts'

/** Rounds of all loops of one rendering: loops over one list inside another one multiply. */
const maxRounds = 1_000_000
const maxEnvelopeCharacters = 64 * 1024 * 1024

/** Characters between two pauses: those of the template that are gone through, and those that are written. */
const stepCharacters = 2_000_000

/** Thrown through Handlebars. Made once: an error costs its stack. */
export const pause = new Error('the rendering pauses')

/** A block of a template, as Handlebars hands it to a helper. */
type Block = (context: unknown, options?: object) => string

/** What is done of a piece, in the order in which the template comes to it. */
interface Piece {
  readonly done: (string | Piece)[]
  next: number
  /** Characters that were made before it. */
  readonly before: number
}

export class Rendering {
  /** Characters of what is done. */
  made = 0
  readonly #lines: readonly number[]
  #roundsLeft = maxRounds
  #work = 0
  readonly #whole: Piece = { done: [], next: 0, before: 0 }
  #piece: Piece = this.#whole

  /** Where the lines of the template begin. */
  constructor(lines: readonly number[]) {
    this.#lines = lines
  }

  /** Another step: what is done is found again. */
  restart(): void {
    this.#work = 0
    this.#whole.next = 0
    this.#piece = this.#whole
  }

  /** What `make` gives is kept; `effort` is what it takes besides writing that. */
  once(make: () => string, effort: number, onFirst?: () => void): string {
    const around = this.#piece
    const place = around.next++
    const known = around.done[place]
    if (typeof known === 'string') return known
    if (this.#work >= stepCharacters) throw pause
    if (known === undefined) onFirst?.()
    const piece = known ?? { done: [], next: 0, before: this.made }
    piece.next = 0
    around.done[place] = piece
    this.#piece = piece
    const text = make()
    this.#piece = around
    around.done[place] = text
    this.made = piece.before + text.length
    checkLength(this.made)
    this.#work += effort + text.length
    return text
  }

  /** The rounds of one loop, counted before the first of them. */
  loop(rounds: number, make: () => string): string {
    return this.once(make, 0, () => {
      this.#roundsLeft -= rounds
      if (this.#roundsLeft < 0) throw new RenderError(`the loops of the template take more than ${maxRounds} rounds`)
    })
  }

  /** A block whose `fn` is called for each round. */
  toRound(fn: Block, place: hbs.AST.SourceLocation | undefined): Block {
    const effort = place === undefined ? 0 : this.#offsetOf(place.end) - this.#offsetOf(place.start)
    return (context: unknown, options) => this.once(() => fn(context, options), effort)
  }

  #offsetOf({ line, column }: hbs.AST.Position): number {
    return (this.#lines[line - 1] ?? 0) + column
  }
}

/** Where the lines of a template begin. */
export function linesOf(source: string): readonly number[] {
  return [0, ...Array.from(source.matchAll(/\r\n?|\n/g), ({ index, 0: end }) => index + end.length)]
}

export function checkLength(length: number): void {
  if (length <= maxEnvelopeCharacters) return
  throw new RenderError(`the envelope is longer than ${maxEnvelopeCharacters} characters`)
}
