/**
 * The connections of one datasource and who may use them: jobs come in, each is given a connection. Pure scheduling: the drivers
 * (postgres/, sqlite/) know what a connection is and what a job does on it, slot.ts what happens on one connection, queue.ts
 * the order of waiting jobs.
 *
 * A short job joins a shared slot that has room; any other job, and a short one without a slot to join, takes an idle slot
 * or waits for one in order of arrival. The limit `max` includes connections that are being opened or closed.
 */
import { Failure } from '../../errors.ts'
import type { DatabaseLoad, DatasourceMeter, ReachListener } from '../../metering.ts'
import { type Clock, realClock } from './clock.ts'
import { type Connection, type Errand, ErrandJob, type Job, mayShare, type Owner } from './job.ts'
import { OwnTime } from './own-time.ts'
import { Queue } from './queue.ts'
import { Slot } from './slot.ts'

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
  readonly meter?: Pick<DatasourceMeter, 'waited' | 'ran'> | undefined
  readonly reach?: ReachListener | undefined
  readonly clock?: Clock
}

/** How often shared slots are checked. A slot with the same job at its head in two checks is late. */
const lookMs = 5
/** The same while no slot is shared: only to know of times in which this process was away. */
const lookAloneMs = 25
/** How many connections are opened at a time: while they open, running jobs often end, and then no more are needed. */
const maxOpening = 2
/** How long to wait after a connection could not be opened, if others are open. */
const retryMs = 500
/** How long a connection may be idle before it is closed, except the last one. */
const idleMs = 60_000

export class Pool<C extends Connection> implements Owner<C> {
  readonly #options: PoolOptions<C>
  readonly #clock: Clock
  readonly #slots = new Set<Slot<C>>()
  /** Slots that are shared or late, the one that was filled first at the front: the fewer slots are filled the better. */
  readonly #shared: Slot<C>[] = []
  /** A stack, so that slots that nobody needs stay at its start. */
  readonly #idle: Slot<C>[] = []
  readonly #queue: Queue<Job<C>>
  readonly #ownTime: OwnTime
  #opening = 0
  #closing = 0
  #isClosed = false
  /** When a job last succeeded, by the clock of the pool. */
  lastSuccess = -Infinity
  #stopRetry: (() => void) | undefined
  #stopTidying: (() => void) | undefined

  constructor(options: PoolOptions<C>) {
    this.#options = options
    this.#clock = options.clock ?? realClock
    this.#ownTime = new OwnTime(this.#clock, () => this.#look())
    this.#queue = new Queue(this.#clock, options.acquireTimeoutSeconds, (job) => {
      const ms = options.acquireTimeoutSeconds * 1000
      options.meter?.waited(ms)
      job.meter?.waited(ms)
      return lateFailure(options)
    })
  }

  /** Runs an errand on a connection. Rejects with the error of its run, or if no connection became free in time. */
  run<T>(errand: Errand<C, T>): Promise<T> {
    return new Promise((resolve, reject) => this.start(new ErrandJob(this, errand, resolve, reject)))
  }

  /** Gives the job a connection, now or later, or tells it why it gets none. */
  start(job: Job<C>): void {
    const refusal = this.#refusalOf(job)
    if (refusal !== undefined) {
      job.refuse(refusal)
      return
    }
    const now = this.#clock.now()
    job.arrived = now
    const slot = this.#mustWait(job) ? undefined : this.#slotFor(job)
    if (slot === undefined) this.#wait(job)
    else this.#begin(slot, job, now)
  }

  get load(): DatabaseLoad {
    const connections = { idle: 0, shared: 0, alone: 0, cleaning: 0, opening: this.#opening, closing: this.#closing }
    for (const { state } of this.#slots) {
      if (state === 'late') connections.shared++
      else if (state !== 'closed') connections[state]++
    }
    return { connections, waiting: this.#queue.size }
  }

  /** To be called by each job that has begun, when it is done, well or not. */
  ended(job: Job<C>, isSuccess = false): void {
    const { slot } = job
    if (slot === undefined) return
    const { meter } = this.#options
    const now = this.#clock.now()
    this.#ownTime.mark(now)
    if (isSuccess) this.lastSuccess = now
    const isShared = slot.state !== 'alone'
    const ms = slot.finish(job, now, this.#ownTime)
    job.meter?.waited(job.started - job.arrived)
    if (meter !== undefined) {
      meter.waited(job.started - job.arrived)
      meter.ran(ms, isShared)
    }
    this.#release(slot, now)
  }

  /** The job's connection has given it back: it keeps its place and deadline. */
  startAgain(job: Job<C>): void {
    const { slot } = job
    if (slot === undefined) return
    slot.leave(job)
    const refusal = this.#refusalOf(job)
    // It is queued before its slot is free, because otherwise a later job could be first.
    if (refusal === undefined) this.#wait(job)
    else job.refuse(refusal)
    this.#release(slot, this.#clock.now())
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

  /** Ends the connections of which that is true, each as soon as it is free. Later jobs get others. */
  retire(isMeant: (connection: C) => boolean): void {
    for (const slot of [...this.#slots].filter(({ connection }) => isMeant(connection))) {
      slot.connection.retire?.()
      if (slot.state === 'idle') void this.#remove(slot)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#ownTime.end()
    this.#stopRetry?.()
    this.#stopTidying?.()
    this.#queue.rejectAll(this.#closedFailure())
    await Promise.all([...this.#slots].map((slot) => this.#remove(slot)))
  }

  /** A job may overtake waiting jobs if they lose nothing by it, but never those of its own group. */
  #mustWait({ group }: Job<C>): boolean {
    return !this.#queue.isEmpty && (this.#isDraining || this.#queue.firstOf(group) !== undefined)
  }

  /** More connections are wanted than may be opened, so slots have to run empty. */
  get #isDraining(): boolean {
    return this.#queue.demand > this.#room + this.#idle.length
  }

  /** Connections that are being opened or may be. */
  get #room(): number {
    return this.#stopRetry === undefined ? this.#options.max - this.#slots.size - this.#closing : this.#opening
  }

  #slotFor(job: Job<C>): Slot<C> | undefined {
    if (mayShare(job)) {
      let isFull = false
      for (const slot of this.#shared) {
        if (slot.hasRoomFor(job)) return slot
        isFull ||= slot.isFullFor(job)
      }
      if (isFull && this.#isHeldBack) return undefined
    }
    return this.#idle.pop()
  }

  /**
   * While this process itself is the one that is slow, a further connection would serve nobody sooner, and a server with one full
   * connection has less to do than with several. But nobody else waits for that.
   */
  get #isHeldBack(): boolean {
    return this.#ownTime.isBusy && this.#queue.demand <= 1
  }

  #begin(slot: Slot<C>, job: Job<C>, now: number): void {
    const { isEmpty } = slot
    this.#ownTime.mark(now)
    slot.begin(job, now)
    if (isEmpty && slot.state === 'shared') this.#shared.push(slot)
    if (slot.isTimed) this.#ownTime.expect(slot.state === 'shared' ? lookMs : lookAloneMs)
    // The last step: a job on a connection that is just breaking has ended when this returns.
    job.begin(slot.connection)
  }

  #wait(job: Job<C>): void {
    job.line = mayShare(job) ? job.group : undefined
    job.cancellation.onCancel = this.#leaver(job)
    this.#queue.push(job)
    this.#dispatch()
  }

  /** Takes the job out of the queue when its client goes. */
  #leaver(job: Job<C>): () => void {
    return () => {
      if (this.#queue.remove(job)) job.refuse(this.#refusalOf(job))
    }
  }

  /** Gives slots to waiting jobs, first come first served, and opens the connections that are missing. */
  #dispatch(): void {
    for (let first = this.#queue.first; first !== undefined; first = this.#queue.first) {
      const slot = this.#slotFor(first)
      if (slot === undefined) break
      this.#beginQueued(slot, first)
      this.#fill(slot)
    }
    // Who is held back waits for none of those that are idle.
    if (this.#idle.length === 0) this.#openMore()
  }

  /** Jobs of the same group join as far as there is room, ahead of others, who lose nothing by it. */
  #fill(slot: Slot<C>): void {
    if (slot.state !== 'shared') return
    for (let next = this.#queue.firstOf(slot.group); next !== undefined; next = this.#queue.firstOf(slot.group)) {
      if (!mayShare(next)) this.#queue.leaveLine(next)
      else if (slot.hasRoomFor(next)) this.#beginQueued(slot, next)
      else return
    }
  }

  #beginQueued(slot: Slot<C>, job: Job<C>): void {
    this.#queue.remove(job)
    job.cancellation.onCancel = undefined
    this.#begin(slot, job, this.#clock.now())
  }

  #release(slot: Slot<C>, now: number): void {
    if (slot.state === 'closed') return
    if (slot.isEmpty) {
      takeOut(this.#shared, slot)
      if (!slot.connection.isDirty) {
        this.#toIdle(slot, now)
        return
      }
      void this.#clean(slot)
      // Who was held back for this one.
      if (!this.#queue.isEmpty) this.#dispatch()
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
    this.#options.reach?.opened()
    if (isBroken || this.#isClosed) void this.#remove(slot)
    else this.#toIdle(slot, this.#clock.now())
  }

  /** While another connection is open the jobs can still be served in time; without one nothing would start them. */
  #openLater(error: unknown): void {
    if (this.#isClosed || this.#slots.size + this.#opening === 0) {
      if (!this.#isClosed) this.#options.reach?.unreachable(error)
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
   * Finds the slots that are late, and says when to look again. Node.js reads the sockets between two timers, so a slot does not count as late
   * only because this process was busy and had not read its answers.
   */
  #look(): number {
    for (const slot of this.#shared) slot.look()
    // Who was held back may go elsewhere now.
    if (!this.#queue.isEmpty) this.#dispatch()
    if (this.#shared.length > 0) return lookMs
    return [...this.#slots].some(({ isTimed }) => isTimed) ? lookAloneMs : Infinity
  }

  #tidy(): void {
    const old = this.#clock.now() - idleMs
    while (this.#slots.size > 1 && this.#idle[0] !== undefined && this.#idle[0].since <= old) {
      void this.#remove(this.#idle[0])
    }
    this.#stopTidying = this.#slots.size > 1 ? this.#clock.after(idleMs / 2, () => this.#tidy()) : undefined
  }

  /** Why the job need not wait at all. */
  #refusalOf({ cancellation }: Job<C>): Failure | undefined {
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
