/**
 * A slot is one connection of a pool with the jobs on it: knows its state, whether one more job may join, and how long
 * the job at the head has been running. Records times in the histories of the jobs; pool.ts decides which job gets
 * which slot.
 */
import { type Connection, type Job, mayShare } from './job.ts'
import type { OwnTime } from './own-time.ts'

/**
 * The jobs on one slot together are expected to take no longer than this, so that no job waits longer for its
 * neighbours.
 */
const backlogMs = 5

/**
 * `idle`: nobody; `shared`: short jobs of one group; `late`: the same behind one that takes long; `alone`: a single
 * job.
 */
export type SlotState = 'idle' | 'shared' | 'late' | 'alone' | 'cleaning' | 'closed'

export class Slot<C extends Connection> {
  readonly connection: C
  readonly #depth: number
  state: SlotState = 'idle'
  /** Whose jobs share the slot. */
  group: unknown
  /** In the order of start; connections answer in this order. */
  readonly #jobs: Job<C>[] = []
  #backlogMs = 0
  /** When the job at the head came to its turn, or when the slot became idle. */
  since: number
  /** Whether the head has changed since the last look. */
  #hasMoved = false

  constructor(connection: C, depth: number, now: number) {
    this.connection = connection
    this.#depth = depth
    this.since = now
  }

  get isEmpty(): boolean {
    return this.#jobs.length === 0
  }

  /** The time of a job counts that is on it now. */
  get isTimed(): boolean {
    return this.#jobs[0]?.history !== undefined
  }

  /** Whether one more short job may join those that share the slot. */
  hasRoomFor({ group, history }: Job<C>): boolean {
    if (this.state !== 'shared' || this.group !== group || this.#jobs.length >= this.#depth) return false
    return this.#backlogMs + (history?.expectedMs ?? 0) <= backlogMs && !this.connection.isDirty
  }

  begin(job: Job<C>, now: number): void {
    job.slot = this
    job.started = now
    job.expectedMs = job.history?.expectedMs ?? 0
    job.isLate = false
    if (this.state === 'idle') {
      this.state = mayShare(job) ? 'shared' : 'alone'
      this.group = job.group
      this.since = now
      // The first look at a slot that has just been filled says nothing yet.
      this.#hasMoved = true
    }
    this.#jobs.push(job)
    this.#backlogMs += job.expectedMs
  }

  /** Full, but jobs of this group may join as soon as others have ended. */
  isFullFor({ group }: Job<C>): boolean {
    return this.state === 'shared' && this.group === group && !this.connection.isDirty
  }

  /** The job is done, well or not. Gives how many milliseconds it took from its turn on, where that says something. */
  finish(job: Job<C>, now: number, ownTime: OwnTime): number | undefined {
    const isHead = this.#jobs[0] === job
    this.leave(job)
    // A job that ends before its turn failed without being sent. Its time says nothing, nor does that of a lost
    // connection.
    if (!isHead || this.state === 'closed') return undefined
    const took = now - Math.max(job.started, this.since)
    job.history?.record(took, ownTime.unseenMs(now))
    this.since = now
    this.#hasMoved = true
    if (this.state === 'late') this.state = 'shared'
    return took
  }

  /** The job is no longer on this slot, whatever becomes of it. */
  leave(job: Job<C>): void {
    job.slot = undefined
    if (this.#jobs[0] === job) this.#jobs.shift()
    else this.#jobs.splice(this.#jobs.indexOf(job), 1)
    if (job.isLate) job.history?.endLate()
    // Sums of fractions drift; an empty slot starts at zero again.
    this.#backlogMs = this.isEmpty ? 0 : this.#backlogMs - job.expectedMs
  }

  /** Call it at intervals while the slot is shared: a job that was at the head the last time too is late. */
  look(): void {
    const head = this.#jobs[0]
    if (head === undefined || this.#hasMoved) {
      this.#hasMoved = false
      return
    }
    this.state = 'late'
    if (!head.isLate) {
      head.isLate = true
      head.history?.beginLate()
    }
    this.connection.giveBack?.()
  }
}
