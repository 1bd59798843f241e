/**
 * The requests that have begun with one set and have not ended: two additions a request, so that the code that takes
 * the set away knows when.
 */

export class UnderWay {
  #count = 0
  #none: (() => void) | undefined

  begin(): void {
    this.#count++
  }

  end(): void {
    if (--this.#count === 0) this.#none?.()
  }

  /** Calls back once none is left; no further ones begin. */
  whenNone(call: () => void): void {
    if (this.#count === 0) call()
    else this.#none = call
  }
}
