/**
 * The connections of one datasource and who may use them: jobs come in, each is given a connection. Pure scheduling: what a
 * connection is and what a job does on it belong to the drivers (postgres/, sqlite/), what happens on one lane to lane.ts,
 * the order of those who wait to queue.ts.
 *
 * A short job joins a shared lane that has room; any other job, and a short one without a lane to join, takes an idle lane
 * or waits for one in order of arrival. The ceiling `max` counts connections that are being opened or closed too.
 */
import { Failure } from '../../errors.ts'
import { type Clock, realClock } from './clock.ts'
import { type Connection, type Job, Lane, mayShare, type Turn } from './lane.ts'
import { Queue, type Waiting } from './queue.ts'

/** What a job's run rejects with when its connection was asked to give it back before it began. */
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

/** Shared lanes are looked at so often; one whose head is the same at two looks is late. */
const lookMs = 5
/** Connections are opened so many at a time: while they open, the running jobs often prove short and need no more. */
const maxOpening = 2
/** When a connection could not be opened beside others, the next attempt comes so much later. */
const retryMs = 500
/** Connections that nobody used for so long are closed, but for one. */
const idleMs = 60_000

/** A job in the queue. */
interface WaitingJob<C> extends Waiting {
  readonly job: Job<C, unknown>
  readonly resolve: (value: unknown) => void
}

export class Pool<C extends Connection> {
  readonly #options: PoolOptions<C>
  readonly #clock: Clock
  readonly #lanes = new Set<Lane<C>>()
  /** Those shared or late, the one that was filled first at the front: the fewer lanes are filled the better. */
  readonly #shared: Lane<C>[] = []
  /** A stack, so that those nobody needs stay at its start. */
  readonly #idle: Lane<C>[] = []
  readonly #queue: Queue<WaitingJob<C>>
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

  /** Runs the job on a connection. Rejects with what the job rejects with, or when none could be had in time. */
  run<T>(job: Job<C, T>): Promise<T> {
    const refusal = this.#refusalOf(job)
    if (refusal !== undefined) return Promise.reject(refusal)
    const now = this.#clock.now()
    const lane = this.#mustWait(job) ? undefined : this.#laneFor(job)
    return lane === undefined ? this.#wait(job, now) : this.#start(lane, job, now, now)
  }

  /** Opens the first connection, so that its error can be told at start. */
  async probe(): Promise<void> {
    // Whoever has come meanwhile waits for the outcome.
    if (this.#lanes.size + this.#opening === 0) await this.#open().finally(() => this.#dispatch())
  }

  /** Ends every connection of this moment, whatever it is at. Who waits gets one that is opened afterwards. */
  async renew(): Promise<void> {
    const lanes = [...this.#lanes]
    for (const { connection } of lanes) connection.interrupt?.()
    await Promise.all(lanes.map((lane) => this.#remove(lane)))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const stop of [this.#stopLooking, this.#stopRetry, this.#stopTidying]) stop?.()
    this.#queue.rejectAll(this.#closedFailure())
    await Promise.all([...this.#lanes].map((lane) => this.#remove(lane)))
  }

  /** A job passes those who wait when they lose nothing by it, but never those of its own group. */
  #mustWait({ group }: Job<C, unknown>): boolean {
    return !this.#queue.isEmpty && (this.#isDraining || this.#queue.firstOf(group) !== undefined)
  }

  /** More is waited for than may be opened, so lanes have to run empty. */
  get #isDraining(): boolean {
    return this.#queue.demand > this.#room
  }

  /** Connections that are being opened or may be. */
  get #room(): number {
    return this.#stopRetry === undefined ? this.#options.max - this.#lanes.size - this.#closing : this.#opening
  }

  #laneFor(job: Job<C, unknown>): Lane<C> | undefined {
    if (mayShare(job)) {
      for (const lane of this.#shared) if (lane.hasRoomFor(job)) return lane
    }
    return this.#idle.pop()
  }

  #start<T>(lane: Lane<C>, job: Job<C, T>, now: number, arrived: number): Promise<T> {
    const isEmpty = lane.isEmpty
    const turn = lane.begin(job, now)
    if (isEmpty && lane.state === 'shared') {
      this.#shared.push(lane)
      this.#stopLooking ??= this.#clock.after(lookMs, () => this.#look())
    }
    return job.run(lane.connection).then(
      (value) => {
        this.#finish(lane, turn)
        return value
      },
      (error: unknown) => {
        if (error === takenBack) return this.#startAgain(lane, turn, job, arrived)
        this.#finish(lane, turn)
        throw error
      },
    )
  }

  #finish(lane: Lane<C>, turn: Turn<C>): void {
    const now = this.#clock.now()
    lane.finish(turn, now)
    this.#release(lane, now)
  }

  #startAgain<T>(lane: Lane<C>, turn: Turn<C>, job: Job<C, T>, arrived: number): Promise<T> {
    lane.leave(turn)
    const refusal = this.#refusalOf(job)
    // It waits before its lane is free, or somebody behind it could be first.
    const again = refusal === undefined ? this.#wait(job, arrived) : Promise.reject(refusal)
    this.#release(lane, this.#clock.now())
    return again
  }

  #wait<T>(job: Job<C, T>, arrived: number): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const group = mayShare(job) ? job.group : undefined
    const waiting: WaitingJob<C> = {
      job,
      arrived,
      group,
      resolve: resolve as (value: unknown) => void,
      reject,
      standing: undefined,
    }
    job.cancellation.onCancel = this.#leaver(waiting)
    this.#queue.push(waiting)
    this.#dispatch()
    return promise
  }

  /** Takes the job out of the queue when its client goes. Apart from `#wait`: from its scope it would keep the job alive. */
  #leaver(waiting: WaitingJob<C>): () => void {
    return () => {
      if (this.#queue.remove(waiting)) waiting.reject(this.#refusalOf(waiting.job))
    }
  }

  /** Gives lanes to those who wait, first come first served, and opens what is missing. */
  #dispatch(): void {
    for (let first = this.#queue.first; first !== undefined; first = this.#queue.first) {
      const lane = this.#laneFor(first.job)
      if (lane === undefined) break
      this.#startWaiting(lane, first)
      this.#fill(lane)
    }
    this.#openMore()
  }

  /** Those of the same group join as far as there is room, in front of others whom this costs nothing. */
  #fill(lane: Lane<C>): void {
    if (lane.state !== 'shared') return
    for (let next = this.#queue.firstOf(lane.group); next !== undefined; next = this.#queue.firstOf(lane.group)) {
      if (!mayShare(next.job)) this.#queue.leaveLine(next)
      else if (lane.hasRoomFor(next.job)) this.#startWaiting(lane, next)
      else return
    }
  }

  #startWaiting(lane: Lane<C>, waiting: WaitingJob<C>): void {
    const { job, arrived, resolve, reject } = waiting
    this.#queue.remove(waiting)
    job.cancellation.onCancel = undefined
    this.#start(lane, job, this.#clock.now(), arrived).then(resolve, reject)
  }

  #release(lane: Lane<C>, now: number): void {
    if (lane.state === 'closed') return
    if (lane.isEmpty) {
      takeOut(this.#shared, lane)
      if (lane.connection.isDirty) void this.#clean(lane)
      else this.#toIdle(lane, now)
    } else if (!this.#queue.isEmpty) {
      this.#dispatch()
      if (!this.#isDraining) this.#fill(lane)
    }
  }

  async #clean(lane: Lane<C>): Promise<void> {
    lane.state = 'cleaning'
    if (!(await lane.connection.clean())) return this.#remove(lane)
    if (lane.state === 'cleaning') this.#toIdle(lane, this.#clock.now())
  }

  #toIdle(lane: Lane<C>, now: number): void {
    lane.state = 'idle'
    lane.since = now
    this.#idle.push(lane)
    if (!this.#queue.isEmpty) this.#dispatch()
    if (this.#lanes.size > 1) this.#stopTidying ??= this.#clock.after(idleMs / 2, () => this.#tidy())
  }

  #openMore(): void {
    const wanted = Math.min(this.#queue.demand, this.#room, maxOpening)
    while (this.#opening < wanted) this.#open().catch((error: unknown) => this.#openLater(error))
  }

  async #open(): Promise<void> {
    let lane: Lane<C> | undefined
    let isBroken = false
    const broken = (): void => {
      isBroken = true
      if (lane !== undefined) void this.#remove(lane)
    }
    this.#opening++
    try {
      lane = new Lane(await this.#options.open(broken), this.#options.depth, this.#clock.now())
    } finally {
      this.#opening--
    }
    this.#lanes.add(lane)
    if (isBroken || this.#isClosed) void this.#remove(lane)
    else this.#toIdle(lane, this.#clock.now())
  }

  /** With another connection alive the jobs can still be served in time; without one nobody would come for them. */
  #openLater(error: unknown): void {
    if (this.#isClosed || this.#lanes.size + this.#opening === 0) {
      this.#queue.rejectAll(error)
    } else if (this.#lanes.size > 0) {
      this.#stopRetry ??= this.#clock.after(retryMs, () => this.#retry())
    }
  }

  #retry(): void {
    this.#stopRetry?.()
    this.#stopRetry = undefined
    this.#dispatch()
  }

  async #remove(lane: Lane<C>): Promise<void> {
    if (!this.#lanes.delete(lane)) return
    lane.state = 'closed'
    takeOut(this.#idle, lane)
    takeOut(this.#shared, lane)
    this.#closing++
    await lane.connection.close()
    this.#closing--
    if (this.#lanes.size === 0) this.#retry()
    else this.#dispatch()
  }

  /**
   * Finds the lanes that are late. Two timers have a round of reading sockets between them, so a lane is not taken for late
   * because this process was busy and had not read its answers.
   */
  #look(): void {
    for (const lane of this.#shared) lane.look()
    this.#stopLooking = this.#shared.length === 0 ? undefined : this.#clock.after(lookMs, () => this.#look())
  }

  #tidy(): void {
    const old = this.#clock.now() - idleMs
    while (this.#lanes.size > 1 && this.#idle[0] !== undefined && this.#idle[0].since <= old) {
      void this.#remove(this.#idle[0])
    }
    this.#stopTidying = this.#lanes.size > 1 ? this.#clock.after(idleMs / 2, () => this.#tidy()) : undefined
  }

  /** Why the job need not even wait. */
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
