/**
 * How long one statement has taken so far, and whether that makes it short. A short statement may share a connection with
 * others; a statement that nobody knows yet, or that was slow of late, gets a connection to itself.
 */

const shortMs = 10
const trialRuns = 3
/** Weight of the newest run: one run of a second keeps a statement out of the shared lanes for some forty runs. */
const weight = 1 / 8

export class History {
  #averageMs = 0
  #runs = 0

  get isShort(): boolean {
    return this.#runs >= trialRuns && this.#averageMs < shortMs
  }

  record(ms: number): void {
    this.#averageMs += this.#runs === 0 ? ms : (ms - this.#averageMs) * weight
    if (this.#runs < trialRuns) this.#runs++
  }
}
