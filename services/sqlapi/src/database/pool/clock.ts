/** Time as the scheduler sees it, so that a simulation can bring its own. */

export interface Clock {
  /** Milliseconds since some moment; never goes back. */
  now(): number
  /** Calls back once, after so many milliseconds, unless the function that it returns is called before. */
  after(ms: number, callback: () => void): () => void
}

export const realClock: Clock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}
