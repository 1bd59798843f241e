/**
 * The compiled writers for the rows of one result shape, one for each format in which they were wanted. Nearly always
 * there is only one, so the last one used is at hand.
 */
import type { RowFormat } from './format.ts'

export class Writers<Writer extends { readonly format: RowFormat }> {
  /** Gives nothing as long as it is not known how to write a column. */
  readonly #compile: (format: RowFormat) => Writer | undefined
  #all: readonly Writer[] = []
  #last: Writer | undefined

  constructor(compile: (format: RowFormat) => Writer | undefined) {
    this.#compile = compile
  }

  find(format: RowFormat): Writer | undefined {
    return this.#last?.format === format ? this.#last : this.#choose(format)
  }

  /** What was compiled does not fit any more. */
  forget(): void {
    this.#all = []
    this.#last = undefined
  }

  #choose(format: RowFormat): Writer | undefined {
    const known = this.#all.find((writer) => writer.format === format)
    const writer = known ?? this.#compile(format)
    if (writer === undefined) return undefined
    if (known === undefined) this.#all = [...this.#all, writer]
    this.#last = writer
    return writer
  }
}
