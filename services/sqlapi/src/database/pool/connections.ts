/**
 * The connections of a pool: which are open, which of them are idle, how many more there may be. Opens what is wanted,
 * closes what has broken, has to go or has long been idle. pool.ts says how many are wanted, and who gets which.
 */
import type { ReachListener } from '../../metering.ts'
import type { Clock } from './clock.ts'
import type { Connection } from './job.ts'
import { Slot } from './slot.ts'

export interface ConnectionsOptions<C> {
  /** Most connections of this pool, with those that are being opened or closed. */
  readonly max: number
  /** How many short jobs may be in flight on one connection. */
  readonly depth: number
  /** Opens a connection, unless `signal` ends that; `broken` must be called when it ends by itself. */
  readonly open: (broken: () => void, signal: AbortSignal) => Promise<C>
  readonly reach?: ReachListener | undefined
}

/** What gives the connections to jobs. */
export interface Scheduler<C extends Connection> {
  /** A connection has become idle, or there is room for one. */
  changed(): void
  /** The slot is closed, whatever is on it. */
  closed(slot: Slot<C>): void
  /** No connection is open, and none can be opened. */
  unreachable(error: unknown): void
}

/** How many connections are opened at a time: while they open, running jobs often end, and then no more are needed. */
const maxOpening = 2
/** How long to wait after a connection could not be opened, if others are open. */
const retryMs = 500
/** How long a connection may be idle before it is closed, except the last one. */
const idleMs = 60_000

export class Connections<C extends Connection> {
  readonly #options: ConnectionsOptions<C>
  readonly #clock: Clock
  readonly #scheduler: Scheduler<C>
  readonly slots = new Set<Slot<C>>()
  /** A stack, so that slots that nobody needs stay at its start. */
  readonly idle: Slot<C>[] = []
  opening = 0
  closing = 0
  isClosed = false
  readonly #ending = new AbortController()
  #stopRetry: (() => void) | undefined
  #stopTidying: (() => void) | undefined

  constructor(options: ConnectionsOptions<C>, clock: Clock, scheduler: Scheduler<C>) {
    this.#options = options
    this.#clock = clock
    this.#scheduler = scheduler
  }

  /** How many are being opened or may be. */
  get room(): number {
    return this.#stopRetry === undefined ? this.#options.max - this.slots.size - this.closing : this.opening
  }

  /** Opens the first one, so that the start can report its error. */
  async probe(): Promise<void> {
    // Jobs that have come in the meantime wait for the outcome.
    if (this.slots.size + this.opening === 0) await this.#open().finally(() => this.#scheduler.changed())
  }

  /** Opens connections until `demand` are being opened, as far as there is room. */
  openFor(demand: number): void {
    const wanted = Math.min(demand, this.room, maxOpening)
    while (this.opening < wanted) this.#open().catch((error: unknown) => this.#openLater(error))
  }

  /** Nobody uses the slot any more, and it is clean. */
  putBack(slot: Slot<C>, now: number): void {
    slot.state = 'idle'
    slot.since = now
    this.idle.push(slot)
    if (this.slots.size > 1) this.#stopTidying ??= this.#clock.after(idleMs / 2, () => this.#tidy())
  }

  /** Closes the slot, whatever its connection is doing. */
  async remove(slot: Slot<C>): Promise<void> {
    if (!this.slots.delete(slot)) return
    slot.state = 'closed'
    takeOut(this.idle, slot)
    this.#scheduler.closed(slot)
    this.closing++
    await slot.connection.close()
    this.closing--
    if (this.slots.size === 0) this.#retry()
    else this.#scheduler.changed()
  }

  /** Ends every connection that is open now, whatever it is doing. New ones are opened as they are wanted. */
  async renew(): Promise<void> {
    const slots = [...this.slots]
    for (const { connection } of slots) connection.interrupt?.()
    await Promise.all(slots.map((slot) => this.remove(slot)))
  }

  /** Ends the connections that `isMeant` names, each as soon as it is free. */
  retire(isMeant: (connection: C) => boolean): void {
    for (const slot of [...this.slots].filter(({ connection }) => isMeant(connection))) {
      slot.connection.retire?.()
      if (slot.state === 'idle') void this.remove(slot)
    }
  }

  /** From now on none stays open. */
  async close(): Promise<void> {
    this.isClosed = true
    this.#ending.abort()
    this.#stopRetry?.()
    this.#stopTidying?.()
    await Promise.all([...this.slots].map((slot) => this.remove(slot)))
  }

  async #open(): Promise<void> {
    let slot: Slot<C> | undefined
    let isBroken = false
    const broken = (): void => {
      isBroken = true
      if (slot !== undefined) void this.remove(slot)
    }
    this.opening++
    try {
      slot = new Slot(await this.#options.open(broken, this.#ending.signal), this.#options.depth, this.#clock.now())
    } finally {
      this.opening--
    }
    this.slots.add(slot)
    this.#options.reach?.opened()
    if (isBroken || this.isClosed) {
      void this.remove(slot)
    } else {
      this.putBack(slot, this.#clock.now())
      this.#scheduler.changed()
    }
  }

  /** While another connection is open the jobs can still be served in time; without one nothing would start them. */
  #openLater(error: unknown): void {
    if (this.isClosed || this.slots.size + this.opening === 0) {
      if (!this.isClosed) this.#options.reach?.unreachable(error)
      this.#scheduler.unreachable(error)
    } else if (this.slots.size > 0) {
      this.#stopRetry ??= this.#clock.after(retryMs, () => this.#retry())
    }
  }

  #retry(): void {
    this.#stopRetry?.()
    this.#stopRetry = undefined
    this.#scheduler.changed()
  }

  #tidy(): void {
    const old = this.#clock.now() - idleMs
    while (this.slots.size > 1 && this.idle[0] !== undefined && this.idle[0].since <= old) {
      void this.remove(this.idle[0])
    }
    this.#stopTidying = this.slots.size > 1 ? this.#clock.after(idleMs / 2, () => this.#tidy()) : undefined
  }
}

export function takeOut<T>(list: T[], member: T): void {
  const index = list.indexOf(member)
  if (index !== -1) list.splice(index, 1)
}
