/** Callers that go on calling, each with a connection that is kept, and what became of their calls. */
import { call } from './call.ts'

const { Agent } = process.getBuiltinModule('node:http')

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

export interface CallersOptions {
  readonly count: number
  /** What an answer with status 200 has to be. */
  readonly body: string
  /** Between two calls of one caller. Without it they take as much of the machine as there is. */
  readonly pauseMs?: number
  /** A caller whose call went wrong waits for this before it calls again. */
  readonly afterWrong?: Promise<unknown>
}

export function keepCalling(port: number, path: string, options: CallersOptions): Callers {
  const { count, body, pauseMs, afterWrong } = options
  const agent = new Agent({ keepAlive: true })
  const ending = new AbortController()
  let right = 0
  const wrong: string[] = []
  const live = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const failure = await failureOf(call(port, path, { agent }), body)
      if (failure === undefined) right++
      else wrong.push(failure)
      if (failure !== undefined) await afterWrong
      if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs))
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

/** What is wrong with an answer that has to be this body with status 200. */
async function failureOf(answer: ReturnType<typeof call>, body: string): Promise<string | undefined> {
  try {
    const { status, text } = await answer
    return status === 200 && text === body ? undefined : `${status} ${text.slice(0, 200)}`
  } catch (error) {
    return (error as Error).message
  }
}
