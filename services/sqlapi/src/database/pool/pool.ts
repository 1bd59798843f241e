/**
 * Who gets which connection of a datasource: jobs come in, each is given one. Pure scheduling: the drivers (postgres/,
 * sqlite/) know what a connection is and what a job does on it, connections.ts which are open, slot.ts what happens on
 * one, queue.ts the order of waiting jobs.
 *
 * A short job joins a shared slot that has room; any other job, and a short one without a slot to join, takes an idle
 * slot or waits for one in order of arrival.
 */
import { Failure } from '../../errors.ts'
import type { DatabaseLoad, DatasourceMeter } from '../../metering.ts'
import { type Clock, realClock } from './clock.ts'
import { Connections, type ConnectionsOptions, takeOut } from './connections.ts'
import { type Connection, type Errand, ErrandJob, type Job, mayShare, type Owner } from './job.ts'
import { OwnTime } from './own-time.ts'
import { Queue } from './queue.ts'
import type { Slot } from './slot.ts'

export interface PoolOptions<C> extends ConnectionsOptions<C> {
  /** Datasource name, for messages. */
  readonly name: string
  /** As configured for the whole datasource, for messages. */
  readonly maxConnections: number
  readonly acquireTimeoutSeconds: number
  /** Why a job got no connection if none was open; otherwise all were in use. */
  readonly unanswered?: (() => Failure) | undefined
  readonly meter?: Pick<DatasourceMeter, 'waited' | 'ran'> | undefined
  readonly clock?: Clock
}

/** How often shared slots are checked. A slot with the same job at its head in two checks is late. */
const lookMs = 5
/** The same while no slot is shared: only to know of times in which this process was away. */
const lookAloneMs = 25

export class Pool<C extends Connection> implements Owner<C> {
  readonly #options: PoolOptions<C>
  readonly #clock: Clock
  /**
   * Slots that are shared or late, the one that was filled first at the front: the fewer slots are filled the better.
   */
  readonly #shared: Slot<C>[] = []
  readonly #connections: Connections<C>
  readonly #queue: Queue<Job<C>>
  readonly #ownTime: OwnTime
  /** When a job last succeeded, by the clock of the pool. */
  lastSuccess = -Infinity

  constructor(options: PoolOptions<C>) {
    this.#options = options
    this.#clock = options.clock ?? realClock
    this.#connections = new Connections(options, this.#clock, {
      changed: () => this.#dispatch(),
      closed: (slot) => takeOut(this.#shared, slot),
      unreachable: (error) => this.#queue.rejectAll((job) => this.#inVain(job, error)),
    })
    this.#ownTime = new OwnTime(this.#clock, () => this.#look())
    this.#queue = new Queue(this.#clock, options.acquireTimeoutSeconds, (job) => {
      const ms = options.acquireTimeoutSeconds * 1000
      options.meter?.waited(ms)
      job.meter?.waited(ms)
      return (this.#connections.slots.size === 0 ? options.unanswered?.() : undefined) ?? lateFailure(options)
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
    const { slots, opening, closing } = this.#connections
    const connections = { idle: 0, shared: 0, alone: 0, cleaning: 0, opening, closing }
    for (const { state } of slots) {
      if (state === 'late') connections.shared++
      else if (state !== 'closed') connections[state]++
    }
    return { connections, waiting: this.#queue.size }
  }

  /** Each job that has begun calls it when it is done, well or not. */
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
  probe(): Promise<void> {
    return this.#connections.probe()
  }

  /**
   * Ends every connection that is open now, whatever it is doing. Waiting jobs get connections that are opened
   * afterwards.
   */
  renew(): Promise<void> {
    return this.#connections.renew()
  }

  /** Ends the connections that `isMeant` names, each as soon as it is free. Later jobs get others. */
  retire(isMeant: (connection: C) => boolean): void {
    this.#connections.retire(isMeant)
  }

  close(): Promise<void> {
    this.#ownTime.end()
    const closing = this.#connections.close()
    this.#queue.rejectAll((job) => this.#inVain(job, this.#closedFailure()))
    return closing
  }

  /** A job may overtake waiting jobs if they lose nothing by it, but never those of its own group. */
  #mustWait({ group }: Job<C>): boolean {
    return !this.#queue.isEmpty && (this.#isDraining || this.#queue.firstOf(group) !== undefined)
  }

  /** More connections are wanted than may be opened, so slots have to run empty. */
  get #isDraining(): boolean {
    return this.#queue.demand > this.#connections.room + this.#connections.idle.length
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
    return this.#connections.idle.pop()
  }

  /**
   * While this process itself is the one that is slow, a further connection would serve nobody sooner, and a server
   * with one full connection has less to do than with several. But nobody else waits for that.
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
      if (this.#queue.remove(job)) job.refuse(this.#inVain(job, this.#refusalOf(job)))
    }
  }

  /** The job has waited and gets no connection, for this reason. */
  #inVain(job: Job<C>, reason: unknown): unknown {
    const ms = this.#clock.now() - job.arrived
    this.#options.meter?.waited(ms)
    job.meter?.waited(ms)
    return reason
  }

  /** Gives slots to waiting jobs, first come first served, and opens the connections that are missing. */
  #dispatch(): void {
    for (let first = this.#queue.first; first !== undefined; first = this.#queue.first) {
      const slot = this.#slotFor(first)
      if (slot === undefined) break
      this.#beginQueued(slot, first)
      this.#fill(slot)
    }
    // A job that is held back waits for none of the idle ones.
    if (this.#connections.idle.length === 0) this.#connections.openFor(this.#queue.demand)
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
      // The job that was held back for this one.
      if (!this.#queue.isEmpty) this.#dispatch()
    } else if (!this.#queue.isEmpty) {
      this.#dispatch()
      if (!this.#isDraining) this.#fill(slot)
    }
  }

  async #clean(slot: Slot<C>): Promise<void> {
    slot.state = 'cleaning'
    if (!(await slot.connection.clean())) return this.#connections.remove(slot)
    if (slot.state === 'cleaning') this.#toIdle(slot, this.#clock.now())
  }

  #toIdle(slot: Slot<C>, now: number): void {
    this.#connections.putBack(slot, now)
    if (!this.#queue.isEmpty) this.#dispatch()
  }

  /**
   * Finds the slots that are late, and says when to look again. Node.js reads the sockets between two timers, so a slot
   * does not count as late only because this process was busy and had not read its answers.
   */
  #look(): number {
    for (const slot of this.#shared) slot.look()
    // Jobs that were held back may go elsewhere now.
    if (!this.#queue.isEmpty) this.#dispatch()
    if (this.#shared.length > 0) return lookMs
    return [...this.#connections.slots].some(({ isTimed }) => isTimed) ? lookAloneMs : Infinity
  }

  /** Why the job need not wait at all. */
  #refusalOf({ cancellation }: Job<C>): Failure | undefined {
    if (this.#connections.isClosed) return this.#closedFailure()
    return cancellation.cancelled ? new Failure('client_gone') : undefined
  }

  #closedFailure(): Failure {
    return new Failure('datasource_closed', `Datasource '${this.#options.name}' is closed`)
  }
}

function lateFailure<C>({ name, acquireTimeoutSeconds, maxConnections }: PoolOptions<C>): Failure {
  const limits = `${acquireTimeoutSeconds} s (max_connections ${maxConnections})`
  return new Failure('acquire_timeout', `No connection of datasource '${name}' became free within ${limits}`)
}
