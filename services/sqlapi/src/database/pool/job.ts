/**
 * Work that needs a connection of a pool. One object for each, from its arrival to its end: what the queue and the slot
 * keep of it is in it too, because thousands may wait at once, and what waits is copied by the garbage collector.
 */
import type { CallMeter } from '../../metering.ts'
import type { Cancellation } from '../../model.ts'
import type { History } from './history.ts'
import type { QueuePosition, Waiter } from './queue.ts'
import type { Slot } from './slot.ts'

/** The rejection of a job that its connection gave back before the job began. */
export const takenBack = Symbol('taken back')

export interface Connection {
  /** The last job may have left something behind that the next one must not find. */
  readonly isDirty: boolean
  /** Makes the session clean again. False when the connection must go. */
  clean(): Promise<boolean>
  /** Gives back the jobs that have not begun, if the connection can: their runs reject with `takenBack`. */
  giveBack?(): void
  /** Gives up what is in progress, if the connection can. */
  interrupt?(): void
  /** From now on `clean` says that it must go. Left out where connections only end with their pool. */
  retire?(): void
  /** Ends the connection; never rejects. */
  close(): Promise<void>
}

export abstract class Job<C extends Connection> implements Waiter {
  /** Short jobs of one group may share a connection; without a group the job has it alone. */
  abstract readonly group: unknown
  /** Where the job's time is recorded, if it is to count. */
  abstract readonly history: History | undefined
  abstract readonly cancellation: Cancellation
  /** Is told how long the job has waited; undefined when nobody listens. */
  abstract readonly meter: Pick<CallMeter, 'waited'> | undefined
  /** When it arrived, by the pool's clock. The pool sets this field and all that follow. */
  arrived = 0
  /** While it waits: its line in the queue, and its place there. */
  line: unknown
  position: QueuePosition | undefined
  /** While it has a connection: since when, and the longest that it was likely to take then. */
  slot: Slot<C> | undefined
  started = 0
  expectedMs = 0
  isLate = false

  /** It has a connection. Must not throw; `Pool.ended` must be called once, when the job is done, well or not. */
  abstract begin(connection: C): void
  /** It gets no connection: the client has gone, its time is up, the pool is closed or nothing can be opened. */
  abstract refuse(reason: unknown): void
}

export function mayShare<C extends Connection>({ group, history }: Job<C>): boolean {
  return group !== undefined && history?.isShort === true
}

/** A job as a plain value, for those whose run is a promise. */
export interface Errand<C, T> {
  readonly group: unknown
  readonly history: History | undefined
  readonly cancellation: Cancellation
  /** As in `Job`. */
  readonly meter?: Job<Connection>['meter']
  /** Rejects with `takenBack` where the connection has given the job back. */
  readonly run: (connection: C) => Promise<T>
}

/** What an errand's job tells its pool. */
export interface Owner<C extends Connection> {
  ended(job: Job<C>, isSuccess?: boolean): void
  startAgain(job: Job<C>): void
}

export class ErrandJob<C extends Connection, T> extends Job<C> {
  readonly #owner: Owner<C>
  readonly #errand: Errand<C, T>
  readonly #resolve: (value: T) => void
  readonly refuse: (reason: unknown) => void

  constructor(owner: Owner<C>, errand: Errand<C, T>, resolve: (value: T) => void, reject: (reason: unknown) => void) {
    super()
    this.#owner = owner
    this.#errand = errand
    this.#resolve = resolve
    this.refuse = reject
  }

  get group(): unknown {
    return this.#errand.group
  }

  get history(): History | undefined {
    return this.#errand.history
  }

  get cancellation(): Cancellation {
    return this.#errand.cancellation
  }

  get meter(): Job<C>['meter'] {
    return this.#errand.meter
  }

  begin(connection: C): void {
    this.#errand.run(connection).then(
      (value) => {
        this.#owner.ended(this, true)
        this.#resolve(value)
      },
      (error: unknown) => {
        if (error === takenBack) {
          this.#owner.startAgain(this)
          return
        }
        this.#owner.ended(this)
        this.refuse(error)
      },
    )
  }
}
