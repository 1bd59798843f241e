/**
 * How this process spends its own time: turns of the event loop and looks come in, two judgements go out. With them the
 * pool tells its own slowness from the server's: an answer that waits for us makes no statement slow, and while we have
 * no time left a further connection brings nothing forward.
 */
import type { Clock } from './clock.ts'

/** With less than this share of its time left over the process is busy. */
const leftOver = 0.2
/** The time over which that share is averaged, roughly. */
const averagedMs = 50

export class OwnTime {
  readonly #clock: Clock
  readonly #look: () => number
  /** Something has happened in this turn of the event loop. */
  #isMarked = false
  /** When the last turn ended in which something happened, and how long this process had been idle until then. */
  #turnEnd = 0
  #idleAtEnd = 0
  /** When the turns began before this one and before that. */
  #turn = 0
  #turnBefore = 0
  #turnBeforeThat = 0
  /** When this process last had waited for something to happen. */
  #awake = 0
  #lookedAt = 0
  #idleAtLook = 0
  #idleShare = 1
  /** How soon the next look is to come. */
  #dueMs = Infinity
  #stopTimer: (() => void) | undefined

  /**
   * `look` is called with each look and gives after how many milliseconds the next one is to come, Infinity for none.
   */
  constructor(clock: Clock, look: () => number) {
    this.#clock = clock
    this.#look = look
  }

  /** Makes sure that a look comes within this time. */
  expect(dueMs: number): void {
    if (dueMs >= this.#dueMs) return
    this.#lookedAt = this.#clock.now()
    this.#idleAtLook = this.#clock.idle()
    this.#schedule(dueMs)
  }

  end(): void {
    this.#schedule(Infinity)
  }

  /** This process works most of its time, and hardly ever waits for anybody. */
  get isBusy(): boolean {
    return this.#idleShare < leftOver
  }

  /** Something happens now. Call it in each turn of the loop in which something does, and at each look. */
  mark(now: number): void {
    if (this.#isMarked) return
    this.#isMarked = true
    this.#turnBeforeThat = this.#turnBefore
    this.#turnBefore = this.#turn
    this.#turn = now
    const waited = this.#clock.idle() - this.#idleAtEnd
    if (waited > 0) this.#awake = this.#turnEnd + waited
    this.#clock.afterTurn(this.#endTurn)
  }

  /**
   * For how long an answer that is read now may have been there already. While this process waits for answers it sees
   * each at once; while it is busy it sees one after a turn, or after two if the question was sent in the first.
   */
  unseenMs(now: number): number {
    return now - Math.max(this.#awake, this.#turnBeforeThat)
  }

  readonly #endTurn = (): void => {
    this.#isMarked = false
    this.#turnEnd = this.#clock.now()
    this.#idleAtEnd = this.#clock.idle()
  }

  #schedule(dueMs: number): void {
    this.#stopTimer?.()
    this.#dueMs = dueMs
    this.#stopTimer = dueMs === Infinity ? undefined : this.#clock.after(dueMs, () => this.#measure())
  }

  #measure(): void {
    const now = this.#clock.now()
    this.mark(now)
    const idle = this.#clock.idle()
    const gap = now - this.#lookedAt
    const share = (idle - this.#idleAtLook) / gap
    this.#idleShare += (share - this.#idleShare) * Math.min(1, gap / averagedMs)
    this.#lookedAt = now
    this.#idleAtLook = idle
    this.#dueMs = Infinity
    this.#schedule(this.#look())
  }
}
