/**
 * The jobs that wait for a connection, in order of arrival, all for the same longest time; jobs that may share a
 * connection are also in the line of their group. Knows nothing of connections: the pool takes the jobs that it can
 * start, this file rejects those whose time is up. Hardly any step takes longer when more jobs wait.
 */
import { type Link, LinkedList } from '@services/linked-list'
import type { Clock } from './clock.ts'

/** A job that waits. */
export interface Waiter {
  /** By the queue's clock. */
  readonly arrived: number
  /** The group with which it may share a connection; undefined if it may not share. */
  line: unknown
  refuse(reason: unknown): void
  /** Where it is while it waits. Set by the queue: undefined before and after. */
  position: QueuePosition | undefined
}

/** Where a job is: among all, and in the line of its group. */
export interface QueuePosition {
  readonly amongAll: Link<Waiter>
  inLine: Link<Waiter> | undefined
}

export class Queue<W extends Waiter> {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #late: (queued: W) => Error
  readonly #all = new LinkedList<W>()
  /** By group. Empty lines are kept: there are no more groups than statements. */
  readonly #lines = new Map<unknown, LinkedList<W>>()
  /** Lines that are not empty, and how many jobs are in lines. */
  #filledLines = 0
  #inLines = 0
  #stopTimer: (() => void) | undefined

  /** `late` makes the error for a job that has waited too long. */
  constructor(clock: Clock, timeoutSeconds: number, late: (queued: W) => Error) {
    this.#clock = clock
    this.#timeoutMs = timeoutSeconds * 1000
    this.#late = late
  }

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  get size(): number {
    return this.#all.size
  }

  /** How many connections would be enough for all: one for each line, one for each job that is in none. */
  get demand(): number {
    return this.#all.size - this.#inLines + this.#filledLines
  }

  /** The job that has waited longest. */
  get first(): W | undefined {
    return this.#all.first?.element
  }

  /** The job of this group that has waited longest. */
  firstOf(group: unknown): W | undefined {
    return this.#lines.get(group)?.first?.element
  }

  push(queued: W): void {
    let inLine: Link<W> | undefined
    if (queued.line !== undefined) {
      let line = this.#lines.get(queued.line)
      if (line === undefined) this.#lines.set(queued.line, (line = new LinkedList()))
      if (line.size === 0) this.#filledLines++
      inLine = insertByArrival(line, queued)
      this.#inLines++
    }
    queued.position = { amongAll: insertByArrival(this.#all, queued), inLine }
    // A job that comes back may be the next to run out of time.
    if (this.first === queued) this.#stopWatching()
    this.#watch()
  }

  /** False if it was not waiting any more. */
  remove(queued: W): boolean {
    const { position } = queued
    if (position === undefined) return false
    this.leaveLine(queued)
    queued.position = undefined
    this.#all.remove(position.amongAll as Link<W>)
    return true
  }

  /** It may not share any more, and keeps its place among all. */
  leaveLine({ position, line: group }: W): void {
    const line = this.#lines.get(group)
    if (position?.inLine === undefined || line === undefined) return
    line.remove(position.inLine as Link<W>)
    position.inLine = undefined
    this.#inLines--
    if (line.size === 0) this.#filledLines--
  }

  rejectAll(toError: (queued: W) => unknown): void {
    for (let queued = this.first; queued !== undefined; queued = this.first) {
      this.remove(queued)
      queued.refuse(toError(queued))
    }
    this.#stopWatching()
  }

  /** One timer for all: every job may wait equally long, so the first is always the next to run out of time. */
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
      queued.refuse(this.#late(queued))
    }
    this.#watch()
  }
}

/** Nearly always at the end: only a job that had a connection and lost it comes back to an earlier position. */
function insertByArrival<W extends Waiter>(list: LinkedList<W>, queued: W): Link<W> {
  let before = list.last
  while (before !== undefined && before.element.arrived > queued.arrived) before = before.before
  return list.insertBehind(before, queued)
}
