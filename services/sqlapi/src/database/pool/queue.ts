/**
 * Those who wait for a connection, in order of arrival, each for the same longest time; those who may share one stand in the
 * line of their group as well. Knows nothing of connections: the pool takes whom it has one for, this file tells those whose
 * time is up. Hardly a step takes longer because more are queued.
 */
import { type Link, LinkedList } from '@services/linked-list'
import type { Clock } from './clock.ts'

/** One who waits. */
export interface Waiter {
  /** By the queue's clock. */
  readonly arrived: number
  /** With whom it may share a connection; undefined when with nobody. */
  readonly group: unknown
  readonly reject: (reason: unknown) => void
  /** Where it stands, while it waits. The queue's own: undefined at first, and again afterwards. */
  position: QueuePosition | undefined
}

/** Where somebody stands: among all, and in the line of its group. */
export interface QueuePosition {
  readonly amongAll: Link<Waiter>
  inLine: Link<Waiter> | undefined
}

export class Queue<W extends Waiter> {
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

  push(queued: W): void {
    const { group } = queued
    let inLine: Link<W> | undefined
    if (group !== undefined) {
      let line = this.#lines.get(group)
      if (line === undefined) this.#lines.set(group, (line = new LinkedList()))
      if (line.size === 0) this.#filledLines++
      inLine = insertByArrival(line, queued)
      this.#inLines++
    }
    queued.position = { amongAll: insertByArrival(this.#all, queued), inLine }
    // One who comes back may be the next to run out of time.
    if (this.first === queued) this.#stopWatching()
    this.#watch()
  }

  /** False when it did not wait any more. */
  remove(queued: W): boolean {
    const { position } = queued
    if (position === undefined) return false
    this.leaveLine(queued)
    queued.position = undefined
    this.#all.remove(position.amongAll as Link<W>)
    return true
  }

  /** It may not share any more, and keeps its place among all. */
  leaveLine({ position, group }: W): void {
    const line = this.#lines.get(group)
    if (position?.inLine === undefined || line === undefined) return
    line.remove(position.inLine as Link<W>)
    position.inLine = undefined
    this.#inLines--
    if (line.size === 0) this.#filledLines--
  }

  rejectAll(error: unknown): void {
    for (let queued = this.first; queued !== undefined; queued = this.first) {
      this.remove(queued)
      queued.reject(error)
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
    for (let queued = this.first; queued !== undefined && queued.arrived <= latest; queued = this.first) {
      this.remove(queued)
      queued.reject(this.#late())
    }
    this.#watch()
  }
}

/** Nearly always at the end: only one who had a connection and lost it comes back to an earlier place. */
function insertByArrival<W extends Waiter>(list: LinkedList<W>, queued: W): Link<W> {
  let before = list.last
  while (before !== undefined && before.element.arrived > queued.arrived) before = before.before
  return list.insertBehind(before, queued)
}
