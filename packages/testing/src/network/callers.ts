/** Callers that go on calling, each with a connection that is kept, and what became of their calls. */
import { Agent } from 'node:http'
import { call } from './call.ts'

export interface Calls {
  /** Answered as they should be. */
  readonly right: number
  /** A word for each of the others. */
  readonly wrong: readonly string[]
}

export interface Callers {
  readonly count: number
  /** So far. */
  readonly soFar: () => Calls
  stop(): Promise<Calls>
}

/** `body` is what an answer with status 200 has to be. */
export function keepCalling(port: number, path: string, { count, body }: { count: number; body: string }): Callers {
  const agent = new Agent({ keepAlive: true })
  const ending = new AbortController()
  let right = 0
  const wrong: string[] = []
  const live = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        const { status, text } = await call(port, path, { agent })
        if (status === 200 && text === body) right++
        else wrong.push(`${status} ${text.slice(0, 200)}`)
      } catch (error) {
        wrong.push((error as Error).message)
      }
    }
  }
  const lives = Promise.all(Array.from({ length: count }, live))
  return {
    count,
    soFar: () => ({ right, wrong }),
    async stop() {
      ending.abort()
      await lives
      agent.destroy()
      return { right, wrong }
    },
  }
}
