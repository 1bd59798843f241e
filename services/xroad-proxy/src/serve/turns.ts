/**
 * Turns at something of which there is a fixed number, first come, first served. Who gives up waiting leaves nothing behind:
 * the HTTP client's own queue would keep such a call, with its body, until a connection comes free.
 */
export class Turns {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Starts now or later; whoever has been started gives the turn back. The result ends the waiting. */
  take(start: () => void): () => void {
    if (this.#free > 0) {
      this.#free -= 1
      start()
    } else {
      this.#waiting.add(start)
    }
    return () => void this.#waiting.delete(start)
  }

  giveBack(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
    } else {
      this.#waiting.delete(next)
      next()
    }
  }
}
