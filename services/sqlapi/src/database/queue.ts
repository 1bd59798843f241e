/**
 * Those who wait for a connection, in order of arrival, each for the same longest time. Knows nothing of connections: the
 * pool takes from the front when it has one, this file tells those whose time is up.
 */

export interface Waiting {
  readonly reject: (reason: unknown) => void
}

export class Queue<W extends Waiting> {
  readonly #timeoutMs: number
  readonly #late: () => Error
  #entries: { readonly waiting: W; readonly deadline: number }[] = []
  #timer: NodeJS.Timeout | undefined

  /** `late` makes the error for those who have waited too long. */
  constructor(timeoutSeconds: number, late: () => Error) {
    this.#timeoutMs = timeoutSeconds * 1000
    this.#late = late
  }

  get length(): number {
    return this.#entries.length
  }

  push(waiting: W): void {
    this.#entries.push({ waiting, deadline: performance.now() + this.#timeoutMs })
    this.#watch()
  }

  /** Offers the entries from the front until one is refused; those before it leave the queue. */
  offer(take: (waiting: W) => boolean): void {
    const refused = this.#entries.findIndex(({ waiting }) => !take(waiting))
    this.#entries.splice(0, refused === -1 ? this.#entries.length : refused)
  }

  rejectAll(error: unknown): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const entries = this.#entries
    this.#entries = []
    for (const { waiting } of entries) waiting.reject(error)
  }

  /** One timer for all: they wait equally long, so the first is always the next to run out of time. */
  #watch(): void {
    const [first] = this.#entries
    if (first === undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(() => this.#rejectLate(), Math.max(1, first.deadline - performance.now()))
  }

  #rejectLate(): void {
    this.#timer = undefined
    const now = performance.now()
    const inTime = this.#entries.findIndex(({ deadline }) => deadline > now)
    const late = this.#entries.splice(0, inTime === -1 ? this.#entries.length : inTime)
    for (const { waiting } of late) waiting.reject(this.#late())
    this.#watch()
  }
}
