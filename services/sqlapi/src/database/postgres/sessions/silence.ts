/**
 * A server that should answer at once and does not: something between us and it drops packets. The connection is then
 * ended, because nobody else would ever end it.
 */

/** How long it may be silent, unless the configuration has another time. */
export const usualSilenceSeconds = 10

export class Silence {
  readonly #ms: number
  readonly #endConnection: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(endConnection: () => void, seconds: number = usualSilenceSeconds) {
    this.#endConnection = endConnection
    this.#ms = seconds * 1000
  }

  /** For a command of ours, which takes no time. */
  async answered<T>(answer: Promise<T>): Promise<T> {
    const timer = setTimeout(this.#endConnection, this.#ms)
    try {
      return await answer
    } finally {
      clearTimeout(timer)
    }
  }

  /** The server was asked to stop a statement: that has to bring something before `isOver`. */
  begins(): void {
    this.#timer = setTimeout(this.#endConnection, this.#ms).unref()
  }

  isOver(): void {
    clearTimeout(this.#timer)
  }
}
