/**
 * Tests of the simulation in a thread of their own: node:test follows every promise of its thread by an async hook,
 * which takes half of a simulation's time. A file of tests comes in and is read twice: here its tests are registered
 * with node:test, in the thread they run, and what comes back of each is whether it failed.
 */
import { ok } from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { parentPort, Worker, workerData } from 'node:worker_threads'

type Work = () => void | Promise<void>

interface Outcome {
  readonly title: string
  readonly failure: { readonly message: string; readonly stack: string | undefined } | undefined
}

const mark = 'runs the tests of the simulation'

/** What a file of tests, given by its `import.meta.url`, registers each of them with. */
export function testsInThread(file: string): (title: string, work: Work) => void {
  if (workerData === mark) return runHere()
  // Without node:test there is no hook. Mutants, for one, are known to no other thread than the first (tools/mutate).
  if (process.env['NODE_TEST_CONTEXT'] === undefined) return (title, work) => void test(title, work)
  let running: Promise<ReadonlyMap<string, Outcome>> | undefined
  return (title) =>
    void test(title, async () => {
      running ??= outcomesOf(file)
      const outcome = (await running).get(title)
      ok(outcome !== undefined, 'the thread ended before this test did')
      const { failure } = outcome
      if (failure !== undefined) throw Object.assign(new Error(failure.message), { stack: failure.stack })
    })
}

/** One after another, as node:test has them. */
function runHere(): (title: string, work: Work) => void {
  let last = Promise.resolve()
  return (title, work) => {
    last = last.then(async () => {
      const failure = await failureOf(work)
      parentPort?.postMessage({ title, failure } satisfies Outcome)
    })
  }
}

async function failureOf(work: Work): Promise<Outcome['failure']> {
  try {
    await work()
    return undefined
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    return { message, stack }
  }
}

/** Rejects with what nobody in the thread has caught. */
async function outcomesOf(file: string): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>()
  // Without the modules that a run of tests loads beforehand (`--import`): they too may use node:test.
  const thread = new Worker(new URL(file), { workerData: mark, execArgv: [] })
  thread.on('message', (outcome: Outcome) => outcomes.set(outcome.title, outcome))
  await once(thread, 'exit')
  return outcomes
}
