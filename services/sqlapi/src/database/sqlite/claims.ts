/**
 * The memory that the main thread and a SQLite worker share: for each job under way whose it is, and how many pieces of its
 * answer have been taken. By it the main thread takes back or gives up a job whose worker is busy or waits.
 */

/** Short jobs that may be under way at one worker. */
export const depth = 64
/** A claim is in use until the worker has come to its job, also when that was taken back long before. */
export const maxClaims = 4 * depth

/** The worker takes a queued job when it comes to it; until then the main thread may take it back. */
const state = { queued: 0, running: 1, takenBack: 2, cancelled: 3 } as const

export class Claims {
  readonly memory: SharedArrayBuffer
  readonly #states: Int32Array
  /** Pieces taken. Only ever grows while a job is under way, so that a worker which waits for more misses none. */
  readonly #credits: Int32Array

  constructor(memory = new SharedArrayBuffer(2 * maxClaims * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#states = new Int32Array(memory, 0, maxClaims)
    this.#credits = new Int32Array(memory, this.#states.byteLength, maxClaims)
  }

  // What the main thread says.

  queue(claim: number): void {
    Atomics.store(this.#credits, claim, 0)
    Atomics.store(this.#states, claim, state.queued)
  }

  /** False when the worker has begun the job. */
  takeBack(claim: number): boolean {
    return Atomics.compareExchange(this.#states, claim, state.queued, state.takenBack) === state.queued
  }

  /** The credit wakes a worker that waits for some. */
  cancel(claim: number): void {
    Atomics.store(this.#states, claim, state.cancelled)
    this.credit(claim, 1)
  }

  credit(claim: number, pieces: number): void {
    Atomics.add(this.#credits, claim, pieces)
    Atomics.notify(this.#credits, claim)
  }

  // What the worker asks.

  /** False when the job is not to be done any more. */
  begin(claim: number): boolean {
    return Atomics.compareExchange(this.#states, claim, state.queued, state.running) === state.queued
  }

  isCancelled(claim: number): boolean {
    return Atomics.load(this.#states, claim) === state.cancelled
  }

  /** Waits until fewer than `most` of the pieces sent have not been taken, or the job is given up. */
  awaitCredit(claim: number, sent: number, most: number): void {
    for (;;) {
      const credit = Atomics.load(this.#credits, claim)
      if (sent - credit < most || this.isCancelled(claim)) return
      Atomics.wait(this.#credits, claim, credit)
    }
  }
}
