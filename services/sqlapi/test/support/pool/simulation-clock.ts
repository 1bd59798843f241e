/** Virtual time and seeded chance: a simulation that is run again with its seed takes the same course. */
import type { Clock } from '../../../src/database/pool/clock.ts'

interface Timer {
  readonly at: number
  readonly order: number
  readonly callback: () => void
}

/** Stands still until it is told to go on to the next timer. */
export class VirtualClock implements Clock {
  /** How much of its time this process has left over: 1 while nothing takes it any, 0 while it is busy. */
  idleShare = 1
  /** When it was busy last. */
  busyAt = -Infinity
  #now = 0
  #idle = 0
  #order = 0
  /** A heap: the next one is the first. */
  readonly #timers: Timer[] = []
  readonly #stopped = new Set<Timer>()

  now(): number {
    return this.#now
  }

  idle(): number {
    return this.#idle
  }

  /** The process does something else for so long; whatever is due in that time comes behind it. */
  stall(ms: number): void {
    this.#now += ms
  }

  afterTurn(callback: () => void): void {
    callback()
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, order: this.#order++, callback }
    this.#push(timer)
    return () => this.#stopped.add(timer)
  }

  /** Goes on to the next timer, if there is one up to that time. */
  step(until = Infinity): boolean {
    for (;;) {
      const [timer] = this.#timers
      if (timer === undefined || timer.at > until) return false
      this.#pop()
      if (this.#stopped.delete(timer)) continue
      const before = this.#now
      this.#now = Math.max(before, timer.at)
      this.#idle += (this.#now - before) * this.idleShare
      if (this.idleShare === 0) this.busyAt = this.#now
      timer.callback()
      return true
    }
  }

  #push(timer: Timer): void {
    const timers = this.#timers
    let index = timers.push(timer) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(timer, timers[parent] as Timer)) break
      timers[index] = timers[parent] as Timer
      index = parent
    }
    timers[index] = timer
  }

  #pop(): void {
    const timers = this.#timers
    const last = timers.pop() as Timer
    if (timers.length === 0) return
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= timers.length) break
      if (child + 1 < timers.length && isBefore(timers[child + 1] as Timer, timers[child] as Timer)) child++
      if (!isBefore(timers[child] as Timer, last)) break
      timers[index] = timers[child] as Timer
      index = child
    }
    timers[index] = last
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at
}

/** Lets everything happen that needs no time: a tick comes when no promise has anything left to do. */
export function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
