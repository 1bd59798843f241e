/**
 * A pool with a queue: lends a limited number of things, such as connections, first come, first served. Makes a thing
 * when it is needed. Lends the free one that was used last, so that surplus ones stay idle. A waiter that gives up
 * leaves nothing behind: the queue of the HTTP client would keep such a call, with its body, until a connection becomes
 * free. A pool that is retired still lends, and keeps nothing that is free.
 */
import { type Link, LinkedList } from '@services/linked-list'

export interface Waiter<Thing> {
  /** Where it is, while it waits. Only the turns change it. */
  standing: Link<Waiter<Thing>> | undefined
  /** Now it may; the thing has to be given back. */
  start(thing: Thing): void
}

export class Turns<Thing> {
  /** Everything that was made so far. */
  readonly things: Thing[] = []
  readonly #max: number
  readonly #make: () => Thing
  readonly #free: Thing[] = []
  readonly #waiting = new LinkedList<Waiter<Thing>>()
  #discard: ((thing: Thing) => void) | undefined

  constructor(max: number, make: () => Thing) {
    this.#max = max
    this.#make = make
  }

  /** How many things are lent, how many are free, and how many wait for one. */
  get load(): { readonly busy: number; readonly idle: number; readonly waiting: number } {
    const idle = this.#free.length
    return { busy: this.things.length - idle, idle, waiting: this.#waiting.size }
  }

  /** Starts the waiter now or later. */
  take(waiter: Waiter<Thing>): void {
    // No one overtakes those that are about to start.
    const thing = this.#waiting.size > 0 ? undefined : (this.#free.pop() ?? this.#makeOne())
    if (thing === undefined) waiter.standing = this.#waiting.append(waiter)
    else waiter.start(thing)
  }

  /** Ends the waiting of one who has not been started; changes nothing for others. */
  leave(waiter: Waiter<Thing>): void {
    if (waiter.standing === undefined) return
    this.#waiting.remove(waiter.standing)
    waiter.standing = undefined
  }

  giveBack(thing: Thing): void {
    this.#free.push(thing)
    // Not at once: the code that gives a thing back may still use it before the end of its turn of the event loop.
    if (this.#waiting.size > 0 || this.#discard !== undefined) queueMicrotask(() => this.#startNext())
  }

  /** From now on `discard` gets each thing as soon as it is free and nobody waits for it. */
  retire(discard: (thing: Thing) => void): void {
    this.#discard = discard
    this.#discardFree()
  }

  #startNext(): void {
    const next = this.#waiting.first?.element
    if (next === undefined) return this.#discardFree()
    const thing = this.#free.pop()
    if (thing === undefined) return
    this.leave(next)
    next.start(thing)
  }

  #discardFree(): void {
    if (this.#discard === undefined) return
    for (const thing of this.#free.splice(0)) {
      this.things.splice(this.things.indexOf(thing), 1)
      this.#discard(thing)
    }
  }

  #makeOne(): Thing | undefined {
    if (this.things.length === this.#max) return undefined
    const thing = this.#make()
    this.things.push(thing)
    return thing
  }
}
