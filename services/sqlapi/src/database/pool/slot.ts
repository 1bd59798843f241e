/**
 * A slot is one connection of a pool with the jobs on it: knows its state, whether one more job may join, and how long the job at
 * the head has been running. Records times in the histories of the jobs; pool.ts decides which job gets which slot.
 */
import type { Cancellation } from '../../model.ts'
import type { History } from './history.ts'

export interface Connection {
  /** The last job may have left something behind that the next one must not find. */
  readonly isDirty: boolean
  /** Makes the session clean again. False when the connection must go. */
  clean(): Promise<boolean>
  /** Gives back the jobs that have not begun, if the connection can: their runs reject with `takenBack`. */
  giveBack?(): void
  /** Gives up what is under way, if the connection can. */
  interrupt?(): void
  /** Ends the connection; never rejects. */
  close(): Promise<void>
}

export interface Job<C, T> {
  /** Short jobs of one group may share a connection; without a group the job has it alone. */
  readonly group: unknown
  /** Where the job's time is recorded, if it is to count. */
  readonly history: History | undefined
  readonly cancellation: Cancellation
  readonly run: (connection: C) => Promise<T>
}

export function mayShare({ group, history }: Job<never, unknown>): boolean {
  return group !== undefined && history?.isShort === true
}

/** The jobs on one slot together are expected to take no longer than this, so that no job waits longer for its neighbours. */
const backlogMs = 5

/** `idle`: nobody; `shared`: short jobs of one group; `late`: the same behind one that takes long; `alone`: a single job. */
export type SlotState = 'idle' | 'shared' | 'late' | 'alone' | 'cleaning' | 'closed'

/** A job's stay on a slot. */
export interface Turn<C> {
  readonly job: Job<C, unknown>
  readonly started: number
  /** Longest that it was likely to take when it started. */
  readonly expectedMs: number
  isLate: boolean
}

export class Slot<C extends Connection> {
  readonly connection: C
  readonly #depth: number
  state: SlotState = 'idle'
  /** Whose jobs share the slot. */
  group: unknown
  /** In the order of start; connections answer in this order. */
  readonly #turns: Turn<C>[] = []
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
    return this.#turns.length === 0
  }

  /** Whether one more short job may join those that share the slot. */
  hasRoomFor({ group, history }: Job<C, unknown>): boolean {
    if (this.state !== 'shared' || this.group !== group || this.#turns.length >= this.#depth) return false
    return this.#backlogMs + (history?.expectedMs ?? 0) <= backlogMs && !this.connection.isDirty
  }

  begin(job: Job<C, unknown>, now: number): Turn<C> {
    const turn = { job, started: now, expectedMs: job.history?.expectedMs ?? 0, isLate: false }
    if (this.state === 'idle') {
      this.state = mayShare(job) ? 'shared' : 'alone'
      this.group = job.group
      this.since = now
      // The first look at a slot that has just been filled says nothing yet.
      this.#hasMoved = true
    }
    this.#turns.push(turn)
    this.#backlogMs += turn.expectedMs
    return turn
  }

  /** The job is done, well or not. */
  finish(turn: Turn<C>, now: number): void {
    const isHead = this.#turns[0] === turn
    this.leave(turn)
    // A job that ends before its turn failed without being sent. Its time says nothing, nor does that of a lost connection.
    if (!isHead || this.state === 'closed') return
    turn.job.history?.record(now - Math.max(turn.started, this.since))
    this.since = now
    this.#hasMoved = true
    if (this.state === 'late') this.state = 'shared'
  }

  /** The job is no longer on this slot, whatever becomes of it. */
  leave(turn: Turn<C>): void {
    if (this.#turns[0] === turn) this.#turns.shift()
    else this.#turns.splice(this.#turns.indexOf(turn), 1)
    if (turn.isLate) turn.job.history?.endLate()
    // Sums of fractions drift; an empty slot starts at zero again.
    this.#backlogMs = this.isEmpty ? 0 : this.#backlogMs - turn.expectedMs
  }

  /** To be called at intervals while the slot is shared: a job that was at the head the last time too is late. */
  look(): void {
    const head = this.#turns[0]
    if (head === undefined || this.#hasMoved) {
      this.#hasMoved = false
      return
    }
    this.state = 'late'
    if (!head.isLate) {
      head.isLate = true
      head.job.history?.beginLate()
    }
    this.connection.giveBack?.()
  }
}
