/**
 * The connections of one datasource and who may use them: jobs come in, each is given a connection. Pure scheduling: the drivers
 * (postgres/, sqlite/) know what a connection is and what a job does on it, slot.ts what happens on one connection, queue.ts
 * the order of waiting jobs.
 *
 * A short job joins a shared slot that has room; any other job, and a short one without a slot to join, takes an idle slot
 * or waits for one in order of arrival. The limit `max` includes connections that are being opened or closed.
 */
import { Failure } from '../../errors.ts'
import { type Clock, realClock } from './clock.ts'
import { type Connection, type Job, Slot, mayShare, type Turn } from './slot.ts'
import { Queue, type Waiter } from './queue.ts'

/** The rejection of a job that its connection gave back before the job began. */
export const takenBack = Symbol('taken back')

export interface PoolOptions<C> {
  /** Datasource name, for messages. */
  readonly name: string
  /** Most connections of this pool. */
  readonly max: number
  /** As configured for the whole datasource, for messages. */
  readonly maxConnections: number
  readonly acquireTimeoutSeconds: number
  /** How many short jobs may be in flight on one connection. */
  readonly depth: number
  /** Opens a connection; `broken` is to be called when it ends by itself. */
  readonly open: (broken: () => void) => Promise<C>
  readonly clock?: Clock
}

/** How often shared slots are checked. A slot with the same job at its head in two checks is late. */
const lookMs = 5
/** How many connections are opened at a time: while they open, running jobs often end, and then no more are needed. */
const maxOpening = 2
/** How long to wait after a connection could not be opened, if others are open. */
const retryMs = 500
/** How long a connection may be idle before it is closed, except the last one. */
const idleMs = 60_000

/** A job in the queue. */
interface QueuedJob<C> extends Waiter {
  readonly job: Job<C, unknown>
  readonly resolve: (value: unknown) => void
}

export class Pool<C extends Connection> {
  readonly #options: PoolOptions<C>
  readonly #clock: Clock
  readonly #slots = new Set<Slot<C>>()
  /** Slots that are shared or late, the one that was filled first at the front: the fewer slots are filled the better. */
  readonly #shared: Slot<C>[] = []
  /** A stack, so that slots that nobody needs stay at its start. */
  readonly #idle: Slot<C>[] = []
  readonly #queue: Queue<QueuedJob<C>>
  #opening = 0
  #closing = 0
  #isClosed = false
  #stopLooking: (() => void) | undefined
  #stopRetry: (() => void) | undefined
  #stopTidying: (() => void) | undefined

  constructor(options: PoolOptions<C>) {
    this.#options = options
    this.#clock = options.clock ?? realClock
    this.#queue = new Queue(this.#clock, options.acquireTimeoutSeconds, () => lateFailure(options))
  }

  /** Runs the job on a connection. Rejects with the error of the job, or if no connection became free in time. */
  run<T>(job: Job<C, T>): Promise<T> {
    const refusal = this.#refusalOf(job)
    if (refusal !== undefined) return Promise.reject(refusal)
    const now = this.#clock.now()
    const slot = this.#mustWait(job) ? undefined : this.#slotFor(job)
    return slot === undefined ? this.#wait(job, now) : this.#start(slot, job, now, now)
  }

  /** Opens the first connection, so that the start can report its error. */
  async probe(): Promise<void> {
    // Jobs that have come in the meantime wait for the outcome.
    if (this.#slots.size + this.#opening === 0) await this.#open().finally(() => this.#dispatch())
  }

  /** Ends every connection that is open now, whatever it is doing. Waiting jobs get connections that are opened afterwards. */
  async renew(): Promise<void> {
    const slots = [...this.#slots]
    for (const { connection } of slots) connection.interrupt?.()
    await Promise.all(slots.map((slot) => this.#remove(slot)))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const stop of [this.#stopLooking, this.#stopRetry, this.#stopTidying]) stop?.()
    this.#queue.rejectAll(this.#closedFailure())
    await Promise.all([...this.#slots].map((slot) => this.#remove(slot)))
  }

  /** A job may overtake waiting jobs if they lose nothing by it, but never those of its own group. */
  #mustWait({ group }: Job<C, unknown>): boolean {
    return !this.#queue.isEmpty && (this.#isDraining || this.#queue.firstOf(group) !== undefined)
  }

  /** More connections are wanted than may be opened, so slots have to run empty. */
  get #isDraining(): boolean {
    return this.#queue.demand > this.#room
  }

  /** Connections that are being opened or may be. */
  get #room(): number {
    return this.#stopRetry === undefined ? this.#options.max - this.#slots.size - this.#closing : this.#opening
  }

  #slotFor(job: Job<C, unknown>): Slot<C> | undefined {
    if (mayShare(job)) {
      for (const slot of this.#shared) if (slot.hasRoomFor(job)) return slot
    }
    return this.#idle.pop()
  }

  #start<T>(slot: Slot<C>, job: Job<C, T>, now: number, arrived: number): Promise<T> {
    const isEmpty = slot.isEmpty
    const turn = slot.begin(job, now)
    if (isEmpty && slot.state === 'shared') {
      this.#shared.push(slot)
      this.#stopLooking ??= this.#clock.after(lookMs, () => this.#look())
    }
    return job.run(slot.connection).then(
      (value) => {
        this.#finish(slot, turn)
        return value
      },
      (error: unknown) => {
        if (error === takenBack) return this.#startAgain(slot, turn, job, arrived)
        this.#finish(slot, turn)
        throw error
      },
    )
  }

  #finish(slot: Slot<C>, turn: Turn<C>): void {
    const now = this.#clock.now()
    slot.finish(turn, now)
    this.#release(slot, now)
  }

  #startAgain<T>(slot: Slot<C>, turn: Turn<C>, job: Job<C, T>, arrived: number): Promise<T> {
    slot.leave(turn)
    const refusal = this.#refusalOf(job)
    // It is queued before its slot is free, because otherwise a later job could be first.
    const again = refusal === undefined ? this.#wait(job, arrived) : Promise.reject(refusal)
    this.#release(slot, this.#clock.now())
    return again
  }

  #wait<T>(job: Job<C, T>, arrived: number): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const group = mayShare(job) ? job.group : undefined
    const queued: QueuedJob<C> = {
      job,
      arrived,
      group,
      resolve: resolve as (value: unknown) => void,
      reject,
      position: undefined,
    }
    job.cancellation.onCancel = this.#leaver(queued)
    this.#queue.push(queued)
    this.#dispatch()
    return promise
  }

  /** Takes the job out of the queue when its client goes. Not inside `#wait`: a closure there would keep the job alive. */
  #leaver(queued: QueuedJob<C>): () => void {
    return () => {
      if (this.#queue.remove(queued)) queued.reject(this.#refusalOf(queued.job))
    }
  }

  /** Gives slots to waiting jobs, first come first served, and opens the connections that are missing. */
  #dispatch(): void {
    for (let first = this.#queue.first; first !== undefined; first = this.#queue.first) {
      const slot = this.#slotFor(first.job)
      if (slot === undefined) break
      this.#startQueued(slot, first)
      this.#fill(slot)
    }
    this.#openMore()
  }

  /** Jobs of the same group join as far as there is room, ahead of others, who lose nothing by it. */
  #fill(slot: Slot<C>): void {
    if (slot.state !== 'shared') return
    for (let next = this.#queue.firstOf(slot.group); next !== undefined; next = this.#queue.firstOf(slot.group)) {
      if (!mayShare(next.job)) this.#queue.leaveLine(next)
      else if (slot.hasRoomFor(next.job)) this.#startQueued(slot, next)
      else return
    }
  }

  #startQueued(slot: Slot<C>, queued: QueuedJob<C>): void {
    const { job, arrived, resolve, reject } = queued
    this.#queue.remove(queued)
    job.cancellation.onCancel = undefined
    this.#start(slot, job, this.#clock.now(), arrived).then(resolve, reject)
  }

  #release(slot: Slot<C>, now: number): void {
    if (slot.state === 'closed') return
    if (slot.isEmpty) {
      takeOut(this.#shared, slot)
      if (slot.connection.isDirty) void this.#clean(slot)
      else this.#toIdle(slot, now)
    } else if (!this.#queue.isEmpty) {
      this.#dispatch()
      if (!this.#isDraining) this.#fill(slot)
    }
  }

  async #clean(slot: Slot<C>): Promise<void> {
    slot.state = 'cleaning'
    if (!(await slot.connection.clean())) return this.#remove(slot)
    if (slot.state === 'cleaning') this.#toIdle(slot, this.#clock.now())
  }

  #toIdle(slot: Slot<C>, now: number): void {
    slot.state = 'idle'
    slot.since = now
    this.#idle.push(slot)
    if (!this.#queue.isEmpty) this.#dispatch()
    if (this.#slots.size > 1) this.#stopTidying ??= this.#clock.after(idleMs / 2, () => this.#tidy())
  }

  #openMore(): void {
    const wanted = Math.min(this.#queue.demand, this.#room, maxOpening)
    while (this.#opening < wanted) this.#open().catch((error: unknown) => this.#openLater(error))
  }

  async #open(): Promise<void> {
    let slot: Slot<C> | undefined
    let isBroken = false
    const broken = (): void => {
      isBroken = true
      if (slot !== undefined) void this.#remove(slot)
    }
    this.#opening++
    try {
      slot = new Slot(await this.#options.open(broken), this.#options.depth, this.#clock.now())
    } finally {
      this.#opening--
    }
    this.#slots.add(slot)
    if (isBroken || this.#isClosed) void this.#remove(slot)
    else this.#toIdle(slot, this.#clock.now())
  }

  /** While another connection is open the jobs can still be served in time; without one nothing would start them. */
  #openLater(error: unknown): void {
    if (this.#isClosed || this.#slots.size + this.#opening === 0) {
      this.#queue.rejectAll(error)
    } else if (this.#slots.size > 0) {
      this.#stopRetry ??= this.#clock.after(retryMs, () => this.#retry())
    }
  }

  #retry(): void {
    this.#stopRetry?.()
    this.#stopRetry = undefined
    this.#dispatch()
  }

  async #remove(slot: Slot<C>): Promise<void> {
    if (!this.#slots.delete(slot)) return
    slot.state = 'closed'
    takeOut(this.#idle, slot)
    takeOut(this.#shared, slot)
    this.#closing++
    await slot.connection.close()
    this.#closing--
    if (this.#slots.size === 0) this.#retry()
    else this.#dispatch()
  }

  /**
   * Finds the slots that are late. Node.js reads the sockets between two timers, so a slot does not count as late
   * only because this process was busy and had not read its answers.
   */
  #look(): void {
    for (const slot of this.#shared) slot.look()
    this.#stopLooking = this.#shared.length === 0 ? undefined : this.#clock.after(lookMs, () => this.#look())
  }

  #tidy(): void {
    const old = this.#clock.now() - idleMs
    while (this.#slots.size > 1 && this.#idle[0] !== undefined && this.#idle[0].since <= old) {
      void this.#remove(this.#idle[0])
    }
    this.#stopTidying = this.#slots.size > 1 ? this.#clock.after(idleMs / 2, () => this.#tidy()) : undefined
  }

  /** Why the job need not wait at all. */
  #refusalOf({ cancellation }: Job<C, unknown>): Failure | undefined {
    if (this.#isClosed) return this.#closedFailure()
    return cancellation.cancelled ? new Failure('client_gone') : undefined
  }

  #closedFailure(): Failure {
    return new Failure('datasource_closed', `Datasource '${this.#options.name}' is closed`)
  }
}

function takeOut<T>(list: T[], member: T): void {
  const index = list.indexOf(member)
  if (index !== -1) list.splice(index, 1)
}

function lateFailure<C>({ name, acquireTimeoutSeconds, maxConnections }: PoolOptions<C>): Failure {
  const limits = `${acquireTimeoutSeconds} s (max_connections ${maxConnections})`
  return new Failure('acquire_timeout', `No connection of datasource '${name}' became free within ${limits}`)
}
