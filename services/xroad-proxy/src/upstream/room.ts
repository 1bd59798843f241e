/**
 * The share of one call in the budget of all calls: what it holds at each stage, and how long it may wait for more.
 * Before the call is sent, the wait has its own clock; afterwards the clock of the call applies.
 */
import type { Failure } from '../errors.ts'
import type { Reserve } from '../model.ts'
import { type Budget, noRoom, type Share, within } from './budget.ts'

/** What is asked for ahead of a response whose length is not declared. */
const aheadBytes = 64 * 1024

export class Room {
  readonly #budget: Budget
  readonly #timeoutSeconds: number
  readonly #share: Share
  /** What is held besides the response while it arrives. */
  #base = 0
  /** For a connection. */
  #turnMs = 0

  constructor(budget: Budget, timeoutSeconds: number) {
    this.#budget = budget
    this.#timeoutSeconds = timeoutSeconds
    this.#share = budget.open()
  }

  /** Milliseconds that the call has waited so far: for room, and for a connection. */
  get waitedMs(): number {
    return this.#share.waitedMs + this.#turnMs
  }

  /** The call has waited this long for a connection. */
  waited(ms: number): void {
    this.#turnMs += ms
  }

  get isWaiting(): boolean {
    return this.#share.isWaiting
  }

  get held(): number {
    return this.#share.held
  }

  /** For a body that is arriving. One that is complete waits for no other body: its call can end. */
  readonly reserve: Reserve = (bytes, _giveUp, isWhole) => {
    const { held, wanted, isWaiting } = this.#share
    return this.#waitFor(this.#share.hold(held + (isWaiting ? wanted : 0) + bytes, isWhole ? 'call' : 'upload'))
  }

  /** Holds this many bytes from now on, instead of what it held before. */
  hold(bytes: number): Promise<void> | undefined {
    return this.#waitFor(this.#share.hold(bytes))
  }

  /** The body has arrived, and is kept. */
  keepUpload(): void {
    void this.#share.hold(this.#share.held)
  }

  /**
   * A response begins, and everything that is held now stays until its end. `times` as much is wanted as it is long.
   */
  expect(bytes: number, times: number): Promise<void> | undefined {
    this.#base = this.#share.held
    return this.#share.hold(this.#base + bytes * times)
  }

  /** This many bytes of a response have arrived. */
  grow(bytes: number, times: number): Promise<void> | undefined {
    const needed = this.#base + bytes * times
    return needed <= this.#share.held ? undefined : this.#share.hold(needed + aheadBytes * times)
  }

  /** Holds this many bytes instead of what it held before. They are in memory already, so nothing waits. */
  keep(bytes: number): void {
    this.#share.keep(bytes)
  }

  close(): void {
    this.#share.close()
  }

  /** Why a call is over that found no room in its time. */
  get failure(): Failure {
    return noRoom(this.#budget, this.#timeoutSeconds)
  }

  #waitFor(waiting: Promise<void> | undefined): Promise<void> | undefined {
    return waiting && within(this.#share, waiting, this.#budget, this.#timeoutSeconds)
  }
}
