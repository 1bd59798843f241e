/**
 * A pool with a queue: lends a limited number of things, such as connections, first come, first served. Makes a thing
 * when it is needed. Lends the free one that was used last, so that surplus ones stay idle. A waiter that gives up
 * leaves nothing behind: the queue of the HTTP client would keep such a call, with its body, until a connection becomes
 * free. A pool that is retired still lends, and keeps nothing that is free.
 *
 * Waiters whose upload is still arriving have at most half of the things. Beyond that they wait, and others pass them:
 * nobody knows whether an upload ever ends.
 */
import { type Link, LinkedList } from '@services/linked-list'

export interface Waiter<Thing> {
  /** Where it is, while it waits, and since when. Only the turns change them. */
  standing: Link<Waiter<Thing>> | undefined
  ticket?: number
  /** Its upload is still arriving. `endUpload` reports the end, once, at the latest before the thing comes back. */
  readonly isUpload?: boolean
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
  readonly #waitingUploads = new LinkedList<Waiter<Thing>>()
  /** Things that are lent to uploads. */
  #uploads = 0
  #tickets = 0
  #discard: ((thing: Thing) => void) | undefined

  constructor(max: number, make: () => Thing) {
    this.#max = max
    this.#make = make
  }

  /** How many things are lent, how many are free, and how many wait for one. */
  get load(): { readonly busy: number; readonly idle: number; readonly waiting: number } {
    const idle = this.#free.length
    return { busy: this.things.length - idle, idle, waiting: this.#waiting.size + this.#waitingUploads.size }
  }

  /** Starts the waiter now or later. */
  take(waiter: Waiter<Thing>): void {
    // No one overtakes those that are about to start.
    const mayStart = this.#next() === undefined && this.#admits(waiter)
    const thing = mayStart ? (this.#free.pop() ?? this.#makeOne()) : undefined
    if (thing === undefined) {
      waiter.ticket = ++this.#tickets
      waiter.standing = this.#queueOf(waiter).append(waiter)
    } else this.#start(waiter, thing)
  }

  /** Ends the waiting of one who has not been started; changes nothing for others. */
  leave(waiter: Waiter<Thing>): void {
    if (waiter.standing === undefined) return
    this.#queueOf(waiter).remove(waiter.standing)
    waiter.standing = undefined
  }

  /** The upload of a waiter that has been started has arrived. The waiter keeps its thing. */
  endUpload(): void {
    this.#uploads--
    this.#startLater()
  }

  giveBack(thing: Thing): void {
    this.#free.push(thing)
    this.#startLater()
  }

  /** From now on `discard` gets each thing as soon as it is free and nobody waits for it. */
  retire(discard: (thing: Thing) => void): void {
    this.#discard = discard
    this.#discardFree()
  }

  /** Not at once: the code that gives a thing back may still use it before the end of its turn of the event loop. */
  #startLater(): void {
    if (this.#next() !== undefined || this.#discard !== undefined) queueMicrotask(() => this.#startNext())
  }

  #startNext(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const thing = this.#free.pop() ?? this.#makeOne()
      if (thing === undefined) return
      this.leave(next)
      this.#start(next, thing)
    }
    this.#discardFree()
  }

  /** The one that has waited longest, of those that may start. */
  #next(): Waiter<Thing> | undefined {
    const other = this.#waiting.first?.element
    const upload = this.#waitingUploads.first?.element
    if (upload === undefined || !this.#admits(upload)) return other
    return other === undefined || (upload.ticket as number) < (other.ticket as number) ? upload : other
  }

  #admits({ isUpload }: Waiter<Thing>): boolean {
    return isUpload !== true || this.#uploads < this.#max / 2
  }

  #queueOf({ isUpload }: Waiter<Thing>): LinkedList<Waiter<Thing>> {
    return isUpload === true ? this.#waitingUploads : this.#waiting
  }

  #start(waiter: Waiter<Thing>, thing: Thing): void {
    if (waiter.isUpload === true) this.#uploads++
    waiter.start(thing)
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
