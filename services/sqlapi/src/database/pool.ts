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
  /** May share its connection, as long as its history says that it is short. */
  readonly shareable: boolean
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
  inFlight: number
  /** When the job at the head came to its turn, or when the lane became idle. */
  since: number
  /** Jobs finished, now and at the last look. */
  finished: number
  finishedBefore: number
  isLate: boolean
}

interface Waiting<C> {
  readonly job: Job<C, unknown>
  readonly deadline: number
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

export class Pool<C extends Connection> {
  readonly #options: PoolOptions<C>
  readonly #lanes = new Set<Lane<C>>()
  readonly #idle: Lane<C>[] = []
  #queue: Waiting<C>[] = []
  #opening = 0
  #closed = false
  #deadlineTimer: NodeJS.Timeout | undefined
  #lookTimer: NodeJS.Timeout | undefined
  readonly #idleTimer: NodeJS.Timeout

  constructor(options: PoolOptions<C>) {
    this.#options = options
    this.#idleTimer = setInterval(() => this.#closeIdle(), (idleSeconds / 2) * 1000).unref()
  }

  /** Runs the job on a connection. Rejects with what the job rejects with, or when none could be had in time. */
  run<T>(job: Job<C, T>): Promise<T> {
    if (this.#queue.length === 0) {
      const lane = this.#laneFor(job)
      if (lane !== undefined) return this.#start(lane, job)
    }
    const waiting = Promise.withResolvers<T>()
    this.#queue.push({
      job,
      deadline: performance.now() + this.#options.acquireTimeoutSeconds * 1000,
      resolve: waiting.resolve as (value: unknown) => void,
      reject: waiting.reject,
    })
    this.#watchDeadline()
    this.#dispatch()
    return waiting.promise
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
    clearTimeout(this.#deadlineTimer)
    clearTimeout(this.#lookTimer)
    this.#rejectAll(new Failure('BadSqlGrammarException', `Datasource '${this.#options.name}' is closed`))
    await Promise.all([...this.#lanes].map((lane) => this.#remove(lane)))
  }

  /** Gives the waiting jobs their connections, first come first served, and opens what is missing. */
  #dispatch(): void {
    let taken = 0
    for (const waiting of this.#queue) {
      if (waiting.job.cancellation.cancelled) {
        waiting.reject(new Failure('BadSqlGrammarException', 'The client has gone'))
      } else {
        const lane = this.#laneFor(waiting.job)
        if (lane === undefined) break
        this.#start(lane, waiting.job).then(waiting.resolve, waiting.reject)
      }
      taken++
    }
    if (taken > 0) this.#queue = this.#queue.slice(taken)
    if (this.#queue.length > this.#opening) this.#openMore()
  }

  #laneFor(job: Job<C, unknown>): Lane<C> | undefined {
    if (!mayShare(job)) return this.#idle.pop()
    for (const lane of this.#lanes) {
      const { state, inFlight, isLate, connection } = lane
      if (state === 'shared' && inFlight < this.#options.depth && !isLate && !connection.isDirty) return lane
    }
    return this.#idle.pop()
  }

  #start<T>(lane: Lane<C>, job: Job<C, T>): Promise<T> {
    const started = performance.now()
    if (lane.inFlight === 0) {
      lane.state = mayShare(job) ? 'shared' : 'alone'
      lane.since = started
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
    const free = this.#options.max - this.#lanes.size
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
      if (this.#lanes.size === 0 && this.#opening === 0) this.#rejectAll(error)
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
    opened.lane = { connection, state, inFlight: 0, since, finished: 0, finishedBefore: 0, isLate: false }
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
    await lane.connection.close()
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

  /** One timer for the whole queue: jobs wait equally long, so the first is always the next to run out of time. */
  #watchDeadline(): void {
    if (this.#deadlineTimer !== undefined) return
    const first = this.#queue[0]
    if (first === undefined) return
    this.#deadlineTimer = setTimeout(
      () => {
        this.#deadlineTimer = undefined
        this.#rejectLate()
        this.#watchDeadline()
      },
      Math.max(1, first.deadline - performance.now()),
    )
  }

  #rejectLate(): void {
    const now = performance.now()
    const firstInTime = this.#queue.findIndex((waiting) => waiting.deadline > now)
    const late = this.#queue.splice(0, firstInTime === -1 ? this.#queue.length : firstInTime)
    if (late.length === 0) return
    const { name, acquireTimeoutSeconds, maxConnections } = this.#options
    const limits = `${acquireTimeoutSeconds} s (max_connections ${maxConnections})`
    const message = `No connection of datasource '${name}' became free within ${limits}`
    for (const waiting of late) waiting.reject(new Failure('BadSqlGrammarException', message))
  }

  #rejectAll(error: unknown): void {
    const waiting = this.#queue
    this.#queue = []
    for (const { reject } of waiting) reject(error)
  }
}

function mayShare({ shareable, history }: Job<never, unknown>): boolean {
  return shareable && history?.isShort === true
}
