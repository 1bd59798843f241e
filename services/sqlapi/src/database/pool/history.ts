/**
 * What one statement's runs have been like so far, and whether that makes it short. A short statement may share a
 * connection with others. A statement that is unknown, that was slow or large recently, or that is late right now has
 * one to itself.
 *
 * One bad run ends the trust, and many good ones win it back: otherwise a statement that is slow once in a hundred runs
 * would count as short again each time before it delays its neighbours once more.
 */

/** Short on average. */
const shortMs = 10
/** A run as long as this ends all trust. */
const slowMs = 100
/**
 * No more than this is taken off the average for the time that an answer may have waited: on a machine that is
 * overloaded for long, turns of the event loop are so long that any statement would count as short.
 */
const maxUnseenMs = 20
/** Runs before a statement is known. */
const trialRuns = 3
/** Runs in a row that win back the trust lost first; twice as many after each further loss. */
const firstProbation = 64
const longestProbation = 8192
/** Least weight of the newest run in the average. */
const weight = 1 / 8

export class History {
  #averageMs = 0
  #runs = 0
  /** How many runs without an incident are asked for, and how many of them are still to come. */
  #probation: number
  #toCome: number
  #lateRuns = 0

  /** `trial` is how many runs a statement has to itself before it is known. */
  constructor(trial = trialRuns) {
    this.#probation = trial
    this.#toCome = trial
  }

  get isShort(): boolean {
    return this.#toCome === 0 && this.#averageMs < shortMs && this.#lateRuns === 0
  }

  /** How long the next run is likely to take. */
  get expectedMs(): number {
    return this.#averageMs
  }

  /** A run has ended after `ms`. For `unseenMs` of that the answer may have waited for this process (own-time.ts). */
  record(ms: number, unseenMs = 0): void {
    this.#runs++
    const taken = Math.max(0, ms - Math.min(unseenMs, maxUnseenMs))
    this.#averageMs += (taken - this.#averageMs) * Math.max(weight, 1 / this.#runs)
    if (ms - unseenMs >= slowMs) this.#loseTrust()
    else if (this.#toCome > 0) this.#toCome--
  }

  /**
   * A result has become too large to be collected, so it takes as long as its reader does. Once a run or more often.
   */
  recordLarge(): void {
    this.#loseTrust()
  }

  /** A run is late and goes on; until `endLate` no other is started beside anybody. */
  beginLate(): void {
    this.#lateRuns++
  }

  endLate(): void {
    this.#lateRuns--
  }

  #loseTrust(): void {
    if (this.#toCome === 0) {
      this.#probation = Math.min(Math.max(firstProbation, 2 * this.#probation), longestProbation)
    }
    this.#toCome = this.#probation
  }
}
