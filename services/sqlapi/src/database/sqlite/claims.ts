/**
 * The memory that the main thread and a SQLite worker share: who owns each job in progress, how many pieces of its
 * result have been taken, and which statement the worker is running. With it the main thread takes back or gives up a
 * job whose worker is busy or waits, and gives up the worker itself.
 */

/** Short jobs that may be in progress at one worker. */
export const depth = 64
/** A claim is in use until the worker reaches its job, even if the job was taken back long before. */
export const maxClaims = 4 * depth

/** The worker takes a queued job when it reaches it; until then the main thread may take it back. */
const state = { queued: 0, running: 1, takenBack: 2, cancelled: 3, settled: 4 } as const

/** A worker is either given up or may commit, never both. */
const phase = { open: 0, committing: 1, abandoned: 2 } as const

/** Words about the worker as a whole. */
const word = { phase: 0, claim: 1, set: 2, statement: 3, turn: 4 } as const

/** Unused words between those that the two threads write all the time, so that these share no cache line. */
const apart = 32

/** A statement that a worker is running. */
export interface Turn {
  readonly claim: number
  /** Number of its set of parameters. */
  readonly set: number
  readonly statement: number
  /** Changes each time a statement begins. */
  readonly turn: number
}

export class Claims {
  readonly memory: SharedArrayBuffer
  readonly #states: Int32Array
  /** Pieces taken. Never decreases while a job is in progress, so that a worker that waits for more misses none. */
  readonly #credits: Int32Array
  readonly #words: Int32Array
  #turn = 0

  constructor(memory = new SharedArrayBuffer((2 * maxClaims + 2 * apart) * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#states = new Int32Array(memory, 0, maxClaims)
    this.#credits = new Int32Array(memory, this.#states.byteLength, maxClaims)
    this.#words = new Int32Array(memory, 2 * this.#states.byteLength + apart * Int32Array.BYTES_PER_ELEMENT)
  }

  // Called by the main thread.

  queue(claim: number): void {
    Atomics.store(this.#credits, claim, 0)
    Atomics.store(this.#states, claim, state.queued)
  }

  /** False when the worker has begun the job. */
  takeBack(claim: number): boolean {
    return Atomics.compareExchange(this.#states, claim, state.queued, state.takenBack) === state.queued
  }

  /** Wakes a worker that waits for credit. A settled job stays settled. */
  cancel(claim: number): void {
    Atomics.compareExchange(this.#states, claim, state.queued, state.cancelled)
    Atomics.compareExchange(this.#states, claim, state.running, state.cancelled)
    this.credit(claim, 1)
  }

  credit(claim: number, pieces: number): void {
    Atomics.add(this.#credits, claim, pieces)
    Atomics.notify(this.#credits, claim)
  }

  /** The statement that the worker is running, if it is running one. */
  get turn(): Turn | undefined {
    const turn = Atomics.load(this.#words, word.turn)
    if (turn % 2 === 0) return undefined
    const claim = Atomics.load(this.#words, word.claim)
    const set = Atomics.load(this.#words, word.set)
    const statement = Atomics.load(this.#words, word.statement)
    return Atomics.load(this.#words, word.turn) === turn ? { claim, set, statement, turn } : undefined
  }

  /** From now on the worker commits nothing. False while it commits. */
  abandon(): boolean {
    return Atomics.compareExchange(this.#words, word.phase, phase.open, phase.abandoned) !== phase.committing
  }

  /** The work of the job is final: it must not be done again. */
  isSettled(claim: number): boolean {
    return Atomics.load(this.#states, claim) === state.settled
  }

  // Called by the worker.

  beginStatement(claim: number, set: number, statement: number): void {
    this.#words[word.claim] = claim
    this.#words[word.set] = set
    this.#words[word.statement] = statement
    // Seen with what is before it.
    Atomics.store(this.#words, word.turn, ++this.#turn)
  }

  endStatement(): void {
    Atomics.store(this.#words, word.turn, ++this.#turn)
  }

  /** False when the worker has been given up: then everything must be undone. */
  beginCommit(): boolean {
    return Atomics.compareExchange(this.#words, word.phase, phase.open, phase.committing) === phase.open
  }

  /** Between the commit of these jobs and the next thing that may take long. */
  settle(claim: number): void {
    Atomics.store(this.#states, claim, state.settled)
  }

  endCommit(): void {
    Atomics.compareExchange(this.#words, word.phase, phase.committing, phase.open)
  }

  /** False when the job must not be done any more. */
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
