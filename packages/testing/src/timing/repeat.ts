/** Work that goes on beside a test: callers that ask over and over, a look at something again and again. */

/** The part of node:test's context that is needed: what is to be done when the test is over, however it went. */
export interface TestEnd {
  after(done: () => void): void
}

export interface Repeated {
  /** Begins nothing more, and settles when what was begun is done. Rejects with the first error of the work. */
  end(): Promise<void>
}

/**
 * Has `callers` do the work over and over until `end` is called or the test is over: a failed assertion must not leave
 * a loop behind, which would keep the whole run from ending. `work` gets the numbers of the caller and of its round,
 * from 0.
 */
export function repeat(
  test: TestEnd,
  callers: number,
  work: (caller: number, round: number) => Promise<void>,
): Repeated {
  const over = new AbortController()
  test.after(() => over.abort())
  const loops = Array.from({ length: callers }, async (_, caller) => {
    for (let round = 0; !over.signal.aborted; round++) await work(caller, round)
  })
  const all = Promise.all(loops)
  // `end` reports it, but perhaps nobody calls `end`.
  all.catch(() => undefined)
  return {
    async end() {
      over.abort()
      await all
    },
  }
}
