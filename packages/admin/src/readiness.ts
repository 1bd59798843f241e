/**
 * Whether the service should get requests: the parts that it needs are asked in the background, one by one, and the
 * answer is what was found last, so nobody who wants it waits for a database. What a part is and how it is asked comes
 * from the service.
 */

export type PartState = 'up' | 'down' | 'unknown'

/** Something that the service needs. It shows no name of a host and no password. */
export interface Part {
  readonly name: string
  readonly kind: string
  /** The service is ready without it. */
  readonly optional: boolean
  /** Milliseconds between two questions. */
  readonly everyMs: number
  /**
   * Milliseconds from a question that brought nothing good to a second one, which is asked before the part counts as
   * down. Left out, the first one counts: for parts that are asked so often that a wrong answer is soon made good.
   */
  readonly doubtMs?: number
  /** How long an answer may take. */
  readonly timeoutMs: number
  /**
   * Settles when it is up, rejects when it is not. Gives up when `signal` is aborted, which says that it took too long.
   */
  readonly ask: (signal: AbortSignal) => Promise<unknown>
  /**
   * When it last did what it is there for, by the clock of `performance`; a success of the last second needs no
   * question.
   */
  readonly lastSuccess?: () => number
}

export interface ReadinessReport {
  readonly status: 'ready' | 'not_ready' | 'ending'
  readonly parts: readonly {
    readonly name: string
    readonly kind: string
    readonly state: PartState
    /** When it came into this state, ISO 8601. */
    readonly since: string
    readonly optional: boolean
  }[]
}

/** A success this young counts as an answer. */
const freshMs = 1000

export class Readiness {
  #watches: readonly Watch[]
  /** Those that are to take their place, once each has been asked. */
  #next: readonly Watch[] = []
  readonly #serves: () => boolean
  #isEnding = false

  /** Asks from now on. `serves` says whether requests are taken at all at this moment. */
  constructor(parts: readonly Part[], serves: () => boolean) {
    this.#serves = serves
    this.#watches = parts.map((part) => new Watch(part))
  }

  /**
   * Replaces the parts. A part that is the same object stays as it is. The old ones are reported until each of the
   * others has been asked, so that a change makes nobody wait for a first answer; then this settles.
   */
  async replace(parts: readonly Part[]): Promise<void> {
    const known = [...this.#watches, ...this.#next]
    const next = parts.map((part) => known.find((watch) => watch.part === part) ?? new Watch(part))
    closeOthers(this.#next, [...this.#watches, ...next])
    this.#next = next
    await Promise.all(next.map(({ answered }) => answered))
    if (this.#next !== next) return
    closeOthers(this.#watches, next)
    this.#watches = next
    this.#next = []
  }

  /** From now on the answer is that the service ends. */
  end(): void {
    this.#isEnding = true
  }

  read(): ReadinessReport {
    return {
      status: this.#status,
      parts: this.#watches.map(({ part: { name, kind, optional }, state, since }) => {
        return { name, kind, state, since: since.toISOString(), optional }
      }),
    }
  }

  /** Asks no more. */
  close(): void {
    closeOthers([...this.#watches, ...this.#next], [])
  }

  get #status(): ReadinessReport['status'] {
    if (this.#isEnding) return 'ending'
    const isUp = this.#watches.every(({ part, state }) => part.optional || state === 'up')
    return isUp && this.#serves() ? 'ready' : 'not_ready'
  }
}

function closeOthers(watches: readonly Watch[], but: readonly Watch[]): void {
  for (const watch of watches) if (!but.includes(watch)) watch.close()
}

/** One part, and what is known of it. */
class Watch {
  readonly part: Part
  state: PartState = 'unknown'
  since = new Date()
  /** A question that was given up may still be on its way. None is asked beside it. */
  #isAsking = false
  /** The last question brought nothing good, and does not count yet. */
  #isDoubted = false
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  readonly #answered = Promise.withResolvers<void>()
  /** Settles with the first answer that counts, or when nobody asks any more. */
  readonly answered = this.#answered.promise

  constructor(part: Part) {
    this.part = part
    this.#lookAfter(0)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#answered.resolve()
  }

  #lookAfter(ms: number): void {
    this.#timer = setTimeout(() => void this.#look(), ms).unref()
  }

  async #look(): Promise<void> {
    const isUp = this.#isFresh() || ((await this.#ask()) && !this.#isClosed) || this.#isFresh()
    if (this.#isClosed) return
    const { everyMs, doubtMs } = this.part
    this.#isDoubted = !isUp && doubtMs !== undefined && !this.#isDoubted && this.state !== 'down'
    if (this.#isDoubted) return this.#lookAfter(doubtMs as number)
    this.#set(isUp ? 'up' : 'down')
    this.#answered.resolve()
    this.#lookAfter(everyMs)
  }

  #set(state: PartState): void {
    if (state === this.state) return
    this.state = state
    this.since = new Date()
  }

  #isFresh(): boolean {
    const { lastSuccess } = this.part
    return lastSuccess !== undefined && performance.now() - lastSuccess() <= freshMs
  }

  async #ask(): Promise<boolean> {
    if (this.#isAsking) return false
    const tooLate = new AbortController()
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => {
      tooLate.abort()
      resolve(false)
    }, this.part.timeoutMs)
    this.#isAsking = true
    const answer = this.part
      .ask(tooLate.signal)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#isAsking = false
        clearTimeout(timer)
      })
    return Promise.race([answer, late])
  }
}
