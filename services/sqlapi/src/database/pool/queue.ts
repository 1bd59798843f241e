/**
 * Those who wait for a connection, in order of arrival, each for the same longest time; those who may share one stand in the
 * line of their group as well. Knows nothing of connections: the pool takes whom it has one for, this file tells those whose
 * time is up. Hardly a step takes longer because more are waiting.
 */
import type { Clock } from './clock.ts'

/** One who waits. */
export interface Waiting {
  /** By the queue's clock. */
  readonly arrived: number
  /** With whom it may share a connection; undefined when with nobody. */
  readonly group: unknown
  readonly reject: (reason: unknown) => void
}

/** Neighbours in a list. */
interface Link<W> {
  readonly waiting: W
  before: Link<W> | undefined
  behind: Link<W> | undefined
}

/** Where somebody stands: among all, and in a line. */
interface Place<W> {
  readonly amongAll: Link<W>
  inLine: Link<W> | undefined
}

export class Queue<W extends Waiting> {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #late: () => Error
  readonly #all = new List<W>()
  readonly #lines = new Map<unknown, List<W>>()
  readonly #places = new Map<W, Place<W>>()
  #inLines = 0
  #stopTimer: (() => void) | undefined

  /** `late` makes the error for those who have waited too long. */
  constructor(clock: Clock, timeoutSeconds: number, late: () => Error) {
    this.#clock = clock
    this.#timeoutMs = timeoutSeconds * 1000
    this.#late = late
  }

  get isEmpty(): boolean {
    return this.#places.size === 0
  }

  /** How many connections would do for all: one for each line, one for each who stands in none. */
  get demand(): number {
    return this.#places.size - this.#inLines + this.#lines.size
  }

  /** Who has waited longest. */
  get first(): W | undefined {
    return this.#all.first?.waiting
  }

  /** Who has waited longest of those who may share with this group. */
  firstOf(group: unknown): W | undefined {
    return this.#lines.get(group)?.first?.waiting
  }

  push(waiting: W): void {
    const { group } = waiting
    let inLine: Link<W> | undefined
    if (group !== undefined) {
      let line = this.#lines.get(group)
      if (line === undefined) this.#lines.set(group, (line = new List()))
      inLine = line.insert(waiting)
      this.#inLines++
    }
    this.#places.set(waiting, { amongAll: this.#all.insert(waiting), inLine })
    // One who comes back may be the next to run out of time.
    if (this.first === waiting) this.#stopWatching()
    this.#watch()
  }

  /** False when it did not wait any more. */
  remove(waiting: W): boolean {
    const place = this.#places.get(waiting)
    if (place === undefined) return false
    this.leaveLine(waiting)
    this.#places.delete(waiting)
    this.#all.remove(place.amongAll)
    return true
  }

  /** It may not share any more, and keeps its place among all. */
  leaveLine(waiting: W): void {
    const place = this.#places.get(waiting)
    const line = this.#lines.get(waiting.group)
    if (place?.inLine === undefined || line === undefined) return
    line.remove(place.inLine)
    place.inLine = undefined
    this.#inLines--
    if (line.first === undefined) this.#lines.delete(waiting.group)
  }

  rejectAll(error: unknown): void {
    for (let waiting = this.first; waiting !== undefined; waiting = this.first) {
      this.remove(waiting)
      waiting.reject(error)
    }
    this.#stopWatching()
  }

  /** One timer for all: they wait equally long, so the first is always the next to run out of time. */
  #watch(): void {
    if (this.first === undefined || this.#stopTimer !== undefined) return
    const deadline = this.first.arrived + this.#timeoutMs
    this.#stopTimer = this.#clock.after(Math.max(1, deadline - this.#clock.now()), () => this.#rejectLate())
  }

  #stopWatching(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
  }

  #rejectLate(): void {
    this.#stopTimer = undefined
    const latest = this.#clock.now() - this.#timeoutMs
    for (let waiting = this.first; waiting !== undefined && waiting.arrived <= latest; waiting = this.first) {
      this.remove(waiting)
      waiting.reject(this.#late())
    }
    this.#watch()
  }
}

/** A list by arrival, from which anybody can be taken out. */
class List<W extends Waiting> {
  first: Link<W> | undefined
  #last: Link<W> | undefined

  /** Nearly always at the end: only one who had a connection and lost it comes back to an earlier place. */
  insert(waiting: W): Link<W> {
    let before = this.#last
    while (before !== undefined && before.waiting.arrived > waiting.arrived) before = before.before
    const behind = before === undefined ? this.first : before.behind
    const link = { waiting, before, behind }
    this.#join(before, link)
    this.#join(link, behind)
    return link
  }

  remove({ before, behind }: Link<W>): void {
    this.#join(before, behind)
  }

  #join(before: Link<W> | undefined, behind: Link<W> | undefined): void {
    if (before === undefined) this.first = behind
    else before.behind = behind
    if (behind === undefined) this.#last = before
    else behind.before = before
  }
}
