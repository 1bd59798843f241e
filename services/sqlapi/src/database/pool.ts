/**
 * The connections of one datasource and who may use them: jobs come in, each is given a connection, in order of arrival.
 * Pure scheduling: what a connection is and what a job does on it belong to the drivers (postgres/, sqlite/).
 *
 * A connection is in one place at a time: opening, idle, shared by short jobs that are in flight together, or taken by one
 * job alone. A short job joins a shared lane while the lane is not full and its head is not late; any other job waits
 * for an idle connection or for a new one. The ceiling `max` counts opening connections too.
 */
import type { Cancellation } from '../model.ts'
import { Failure } from '../errors.ts'
import type { History } from './history.ts'
import { Queue } from './queue.ts'

/** What a job's run rejects with when its connection was asked to give it back before it began. */
export const takenBack = Symbol('taken back')

export interface Connection {
  /** Something may have been left behind that the next job must not find. */
  readonly isDirty: boolean
  /** Makes the session clean again. False when the connection must go. */
  clean(): Promise<boolean>
  /** Where a late connection can give jobs back that have not begun, their runs reject with `takenBack`. */
  giveBack?(): void
  /** Ends the connection; never rejects. */
  close(): Promise<void>
}

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
}

export interface Job<C, T> {
  /** Short jobs of one group may share a connection; without a group the job has it alone. */
  readonly group: unknown
  /** Where the job's time is recorded, if it is to count. */
  readonly history: History | undefined
  readonly cancellation: Cancellation
  readonly run: (connection: C) => Promise<T>
}

/** A shared lane that finished nothing between two looks, so far apart, is late and takes no more jobs. */
const lookMs = 5
/** Connections are opened so many at a time: while they open, the running jobs often prove short and need no more. */
const maxOpening = 2
/** Connections that nobody used for so long are closed, but for one. */
const idleSeconds = 60

interface Lane<C> {
  readonly connection: C
  state: 'idle' | 'shared' | 'alone' | 'closed'
  /** Whose jobs share the lane. */
  group: unknown
  inFlight: number
  /** When the job at the head came to its turn, or when the lane became idle. */
  since: number
  /** Jobs finished, now and at the last look. */
  finished: number
  finishedBefore: number
  isLate: boolean
}

/** A job in the queue. */
interface WaitingJob<C> {
  readonly job: Job<C, unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

export class Pool<C extends Connection> {
  readonly #options: PoolOptions<C>
  readonly #lanes = new Set<Lane<C>>()
  readonly #idle: Lane<C>[] = []
  readonly #queue: Queue<WaitingJob<C>>
  #opening = 0
  #closing = 0
  #closed = false
  #lookTimer: NodeJS.Timeout | undefined
  readonly #idleTimer: NodeJS.Timeout

  constructor(options: PoolOptions<C>) {
    this.#options = options
    this.#queue = new Queue(options.acquireTimeoutSeconds, () => lateFailure(options))
    this.#idleTimer = setInterval(() => this.#closeIdle(), (idleSeconds / 2) * 1000).unref()
  }

  /** Runs the job on a connection. Rejects with what the job rejects with, or when none could be had in time. */
  run<T>(job: Job<C, T>): Promise<T> {
    if (this.#queue.length === 0) {
      const lane = this.#laneFor(job)
      if (lane !== undefined) return this.#start(lane, job)
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#queue.push({ job, resolve: resolve as (value: unknown) => void, reject })
    this.#dispatch()
    return promise
  }

  /** Opens the first connection, so that its error can be told at start. */
  async probe(): Promise<void> {
    if (this.#lanes.size + this.#opening > 0) return
    this.#opening++
    try {
      this.#add(await this.#openLane())
    } finally {
      this.#opening--
      this.#dispatch()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#idleTimer)
    clearTimeout(this.#lookTimer)
    this.#queue.rejectAll(new Failure('BadSqlGrammarException', `Datasource '${this.#options.name}' is closed`))
    await Promise.all([...this.#lanes].map((lane) => this.#remove(lane)))
  }

  /** Gives the waiting jobs their connections, first come first served, and opens what is missing. */
  #dispatch(): void {
    this.#queue.offer(({ job, resolve, reject }) => {
      if (job.cancellation.cancelled) {
        reject(new Failure('BadSqlGrammarException', 'The client has gone'))
        return true
      }
      const lane = this.#laneFor(job)
      if (lane === undefined) return false
      this.#start(lane, job).then(resolve, reject)
      return true
    })
    if (this.#queue.length > this.#opening) this.#openMore()
  }

  #laneFor(job: Job<C, unknown>): Lane<C> | undefined {
    if (!mayShare(job)) return this.#idle.pop()
    for (const lane of this.#lanes) {
      if (lane.state !== 'shared' || lane.group !== job.group) continue
      if (lane.inFlight < this.#options.depth && !lane.isLate && !lane.connection.isDirty) return lane
    }
    return this.#idle.pop()
  }

  #start<T>(lane: Lane<C>, job: Job<C, T>): Promise<T> {
    const started = performance.now()
    if (lane.inFlight === 0) {
      lane.state = mayShare(job) ? 'shared' : 'alone'
      lane.group = job.group
      lane.since = started
      // The first look at a lane that has just been filled says nothing yet.
      lane.finishedBefore = -1
    }
    lane.inFlight++
    if (lane.state === 'shared') this.#lookTimer ??= setTimeout(() => this.#look(), lookMs)
    const running = job.run(lane.connection)
    const leave = (): void => {
      lane.inFlight--
      this.#release(lane)
    }
    const finish = (): void => {
      const now = performance.now()
      job.history?.record(now - Math.max(started, lane.since))
      lane.since = now
      lane.finished++
      lane.isLate = false
      leave()
    }
    return running.then(
      (value) => {
        finish()
        return value
      },
      (error: unknown) => {
        if (error === takenBack) {
          leave()
          return this.run(job)
        }
        finish()
        throw error
      },
    )
  }

  #release(lane: Lane<C>): void {
    if (lane.state === 'closed') return
    if (lane.inFlight > 0) {
      if (this.#queue.length > 0) this.#dispatch()
    } else if (lane.connection.isDirty) {
      lane.state = 'alone'
      void lane.connection.clean().then((isClean) => (isClean ? this.#toIdle(lane) : this.#replace(lane)))
    } else {
      this.#toIdle(lane)
    }
  }

  #toIdle(lane: Lane<C>): void {
    if (lane.state === 'closed') return
    lane.state = 'idle'
    this.#idle.push(lane)
    if (this.#queue.length > 0) this.#dispatch()
  }

  async #replace(lane: Lane<C>): Promise<void> {
    await this.#remove(lane)
    this.#dispatch()
  }

  #openMore(): void {
    const free = this.#options.max - this.#lanes.size - this.#closing
    const wanted = Math.min(this.#queue.length, free, maxOpening)
    while (this.#opening < wanted) void this.#openOne()
  }

  async #openOne(): Promise<void> {
    this.#opening++
    try {
      const lane = await this.#openLane()
      this.#opening--
      this.#add(lane)
    } catch (error) {
      this.#opening--
      // With another connection alive the jobs can still be served in time; without one nobody would come for them.
      if (this.#lanes.size === 0 && this.#opening === 0) this.#queue.rejectAll(error)
    }
  }

  async #openLane(): Promise<Lane<C>> {
    const opened: { lane?: Lane<C>; isBroken: boolean } = { isBroken: false }
    const connection = await this.#options.open(() => {
      opened.isBroken = true
      if (opened.lane !== undefined) void this.#replace(opened.lane)
    })
    const state = opened.isBroken ? 'closed' : 'idle'
    const since = performance.now()
    opened.lane = {
      connection,
      state,
      group: undefined,
      inFlight: 0,
      since,
      finished: 0,
      finishedBefore: 0,
      isLate: false,
    }
    return opened.lane
  }

  #add(lane: Lane<C>): void {
    if (lane.state === 'closed') {
      // Broken before it could be used: whoever waits for it needs another.
      void lane.connection.close()
      this.#dispatch()
      return
    }
    this.#lanes.add(lane)
    if (this.#closed) void this.#remove(lane)
    else this.#toIdle(lane)
  }

  async #remove(lane: Lane<C>): Promise<void> {
    if (!this.#lanes.delete(lane)) return
    lane.state = 'closed'
    const index = this.#idle.indexOf(lane)
    if (index !== -1) this.#idle.splice(index, 1)
    this.#closing++
    await lane.connection.close()
    this.#closing--
  }

  /**
   * Marks the lanes that are late. Two timers have a round of reading sockets between them, so a lane is not taken for late
   * because this process was busy and had not read its answers.
   */
  #look(): void {
    this.#lookTimer = undefined
    for (const lane of this.#lanes) {
      if (lane.state !== 'shared' || lane.inFlight === 0) continue
      lane.isLate = lane.finished === lane.finishedBefore
      if (lane.isLate) lane.connection.giveBack?.()
      lane.finishedBefore = lane.finished
      this.#lookTimer ??= setTimeout(() => this.#look(), lookMs)
    }
    if (this.#queue.length > 0) this.#dispatch()
  }

  #closeIdle(): void {
    const old = performance.now() - idleSeconds * 1000
    // The stack is used from its end, so the connections at its start are those that nobody needs.
    while (this.#lanes.size > 1 && this.#idle[0] !== undefined && this.#idle[0].since < old) {
      void this.#remove(this.#idle[0])
    }
  }
}

function lateFailure<C>({ name, acquireTimeoutSeconds, maxConnections }: PoolOptions<C>): Failure {
  const limits = `${acquireTimeoutSeconds} s (max_connections ${maxConnections})`
  return new Failure('BadSqlGrammarException', `No connection of datasource '${name}' became free within ${limits}`)
}

function mayShare({ group, history }: Job<never, unknown>): boolean {
  return group !== undefined && history?.isShort === true
}
