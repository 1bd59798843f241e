/** Callers that write and read through the balancer until they are told to end, and what became of each call. */
import { call } from '@services/testing'

export interface Call {
  readonly kind: 'write' | 'read'
  /** Of a write. */
  readonly id: number
  /** By the clock of `performance`. */
  readonly started: number
  readonly ms: number
  /** Empty for a good one, else what the caller was told. */
  readonly failure: string
}

export interface Load {
  readonly calls: readonly Call[]
  end(): Promise<void>
}

/** Each caller waits for its answer, and a moment after a failure. */
export function startLoad(
  port: number,
  { writers, readers }: { readonly writers: number; readonly readers: number },
): Load {
  const calls: Call[] = []
  const ending = new AbortController()
  let lastId = 0
  const run = async (kind: Call['kind']): Promise<void> => {
    while (!ending.signal.aborted) {
      const id = kind === 'write' ? ++lastId : 0
      const started = performance.now()
      const failure = await (kind === 'write' ? write(port, id) : read(port))
      calls.push({ kind, id, started, ms: performance.now() - started, failure })
      await new Promise((resolve) => setTimeout(resolve, failure === '' ? 2 : 100))
    }
  }
  const running = [
    ...Array.from({ length: writers }, () => run('write')),
    ...Array.from({ length: readers }, () => run('read')),
  ]
  return {
    calls,
    async end() {
      ending.abort()
      await Promise.all(running)
    },
  }
}

async function write(port: number, id: number): Promise<string> {
  return failureOf(call(port, '/app/note', { body: { id } }), `[{"id":${id}}]`)
}

async function read(port: number): Promise<string> {
  return failureOf(call(port, '/app/one', { method: 'GET' }), '[{"one":1}]')
}

async function failureOf(answer: ReturnType<typeof call>, expected: string): Promise<string> {
  try {
    const { status, text } = await answer
    if (status === 200) return text === expected ? '' : `wrong answer ${text.slice(0, 100)}`
    return text.startsWith('{') ? (JSON.parse(text) as { message: string }).message : `HTTP ${status}`
  } catch (error) {
    return `no answer (${(error as Error).message})`
  }
}
