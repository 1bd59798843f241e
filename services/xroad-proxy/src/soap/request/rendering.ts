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

/** What is done of the piece in progress on one level: loops hold rounds, and rounds hold loops. */
interface Level {
  /** Texts of the pieces inside, in the order in which the template comes to them. */
  readonly done: string[]
  next: number
  /** Whether a piece is in progress, and the characters that were made before it. */
  isBegun: boolean
  before: number
}

export class Rendering {
  /** Characters of what is done. */
  made = 0
  readonly #lines: readonly number[]
  #roundsLeft = maxRounds
  #work = 0
  readonly #levels: Level[] = []
  #depth = 0

  /** Where the lines of the template begin. */
  constructor(lines: readonly number[]) {
    this.#lines = lines
  }

  /** Another step: what is done is found again. */
  restart(): void {
    this.#work = 0
    this.#depth = 0
    for (const level of this.#levels) level.next = 0
  }

  /** What `make` gives is kept; `effort` is what it takes besides writing that. */
  once(make: () => string, effort: number): string {
    return this.#begin() ?? this.#end(make(), effort)
  }

  /** The rounds of one loop, counted before the first of them. */
  loop(rounds: number, make: () => string): string {
    return this.#begin(rounds) ?? this.#end(make(), 0)
  }

  /** A block whose `fn` is called for each round. */
  toRound(fn: Block, place: hbs.AST.SourceLocation | undefined): Block {
    const effort = place === undefined ? 0 : this.#offsetOf(place.end) - this.#offsetOf(place.start)
    return (context: unknown, options) => this.#begin() ?? this.#end(fn(context, options), effort)
  }

  /** The text of the next piece, if it is done; else it is in progress until `#end`. */
  #begin(rounds = 0): string | undefined {
    const level = (this.#levels[this.#depth] ??= { done: [], next: 0, isBegun: false, before: 0 })
    const known = level.done[level.next++]
    if (known !== undefined) return known
    if (this.#work >= stepCharacters) throw pause
    if (!level.isBegun) {
      this.#roundsLeft -= rounds
      if (this.#roundsLeft < 0) throw new RenderError(`the loops of the template take more than ${maxRounds} rounds`)
      level.isBegun = true
      level.before = this.made
    }
    this.#depth++
    return undefined
  }

  #end(text: string, effort: number): string {
    const inside = this.#levels[this.#depth]
    if (inside !== undefined && inside.next > 0) {
      inside.done.length = 0
      inside.next = 0
    }
    this.#depth--
    const level = this.#levels[this.#depth] as Level
    level.done.push(text)
    level.isBegun = false
    this.made = level.before + text.length
    checkLength(this.made)
    this.#work += effort + text.length
    return text
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
