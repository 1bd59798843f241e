/**
 * Those who wait for a connection, in order of arrival, each for the same longest time; those who may share one stand in the
 * line of their group as well. Knows nothing of connections: the pool takes whom it has one for, this file tells those whose
 * time is up. Hardly a step takes longer because more are waiting.
 */
import { type Link, LinkedList } from '@services/linked-list'
import type { Clock } from './clock.ts'

/** One who waits. */
export interface Waiting {
  /** By the queue's clock. */
  readonly arrived: number
  /** With whom it may share a connection; undefined when with nobody. */
  readonly group: unknown
  readonly reject: (reason: unknown) => void
  /** Where it stands, while it waits. The queue's own: undefined at first, and again afterwards. */
  standing: Standing | undefined
}

/** Where somebody stands: among all, and in the line of its group. */
export interface Standing {
  readonly amongAll: Link<Waiting>
  inLine: Link<Waiting> | undefined
}

export class Queue<W extends Waiting> {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #late: () => Error
  readonly #all = new LinkedList<W>()
  /** By group; a line is kept when it is empty. There are no more groups than statements. */
  readonly #lines = new Map<unknown, LinkedList<W>>()
  /** Lines that somebody stands in, and how many stand in lines. */
  #filledLines = 0
  #inLines = 0
  #stopTimer: (() => void) | undefined

  /** `late` makes the error for those who have waited too long. */
  constructor(clock: Clock, timeoutSeconds: number, late: () => Error) {
    this.#clock = clock
    this.#timeoutMs = timeoutSeconds * 1000
    this.#late = late
  }

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  /** How many connections would do for all: one for each line, one for each who stands in none. */
  get demand(): number {
    return this.#all.size - this.#inLines + this.#filledLines
  }

  /** Who has waited longest. */
  get first(): W | undefined {
    return this.#all.first?.element
  }

  /** Who has waited longest of those who may share with this group. */
  firstOf(group: unknown): W | undefined {
    return this.#lines.get(group)?.first?.element
  }

  push(waiting: W): void {
    const { group } = waiting
    let inLine: Link<W> | undefined
    if (group !== undefined) {
      let line = this.#lines.get(group)
      if (line === undefined) this.#lines.set(group, (line = new LinkedList()))
      if (line.size === 0) this.#filledLines++
      inLine = insertByArrival(line, waiting)
      this.#inLines++
    }
    waiting.standing = { amongAll: insertByArrival(this.#all, waiting), inLine }
    // One who comes back may be the next to run out of time.
    if (this.first === waiting) this.#stopWatching()
    this.#watch()
  }

  /** False when it did not wait any more. */
  remove(waiting: W): boolean {
    const { standing } = waiting
    if (standing === undefined) return false
    this.leaveLine(waiting)
    waiting.standing = undefined
    this.#all.remove(standing.amongAll as Link<W>)
    return true
  }

  /** It may not share any more, and keeps its place among all. */
  leaveLine({ standing, group }: W): void {
    const line = this.#lines.get(group)
    if (standing?.inLine === undefined || line === undefined) return
    line.remove(standing.inLine as Link<W>)
    standing.inLine = undefined
    this.#inLines--
    if (line.size === 0) this.#filledLines--
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

/** Nearly always at the end: only one who had a connection and lost it comes back to an earlier place. */
function insertByArrival<W extends Waiting>(list: LinkedList<W>, waiting: W): Link<W> {
  let before = list.last
  while (before !== undefined && before.element.arrived > waiting.arrived) before = before.before
  return list.insertBehind(before, waiting)
}
