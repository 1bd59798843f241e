/** Time as the scheduler sees it, so that a simulation can bring its own. */

export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number
  /** Milliseconds of that time in which this process had nothing to do but wait. */
  idle(): number
  /** Calls back once, when all that is happening in this turn of the event loop has happened. */
  afterTurn(callback: () => void): void
  /** Calls back once, after `ms` milliseconds, unless the function that it returns is called before. */
  after(ms: number, callback: () => void): () => void
}

export const realClock: Clock = {
  now: () => performance.now(),
  idle: () => performance.eventLoopUtilization().idle,
  afterTurn: (callback) => void setImmediate(callback),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
