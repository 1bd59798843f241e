/**
 * The main thread's end of one SQLite worker: jobs are collected for one turn of the event loop and sent as one message,
 * answers are handed to whoever waits for them. Knows nothing of SQL.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Job, JobError, JobReply, Jobs, Opened, WorkerOptions } from './messages.ts'

/** The worker's file has this file's ending: `.ts` in the repository, `.js` in the package. */
const workerFile = new URL(`./worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

/** A worker that is asked to close and does not is ended; SQLite's files survive that. */
const closeMs = 2000

/** A job that the worker could not do. */
export class JobFailure extends Error {
  readonly error: JobError
  /** For the log. */
  readonly code: string | undefined

  constructor(error: JobError) {
    super(error.message)
    this.error = error
    this.code = error.code === undefined ? undefined : `SQLite ${error.code}`
  }
}

/** The message that is being collected. */
interface Outgoing {
  readonly jobs: Job[]
  readonly texts: [statement: number, text: string][]
}

interface Waiting {
  readonly resolve: (json: string) => void
  readonly reject: (reason: unknown) => void
}

export class Connection {
  readonly #worker: Worker
  readonly #cancelled: Int32Array
  readonly #waiting = new Map<number, Waiting>()
  readonly #sentTexts = new Set<number>()
  #outgoing: Outgoing | undefined
  #isClosing = false
  /** The worker cleans up after each job itself. */
  readonly isDirty = false

  static async open(options: Omit<WorkerOptions, 'cancelled'>, broken: () => void): Promise<Connection> {
    const cancelled = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(workerFile, { workerData: { ...options, cancelled } satisfies WorkerOptions })
    // Rejects with what the worker could not even start for.
    const [answer] = (await once(worker, 'message')) as [Opened]
    if (answer.opened) return new Connection(worker, cancelled, broken)
    void worker.terminate()
    throw new Error(answer.message)
  }

  private constructor(worker: Worker, cancelled: Int32Array, broken: () => void) {
    this.#worker = worker
    this.#cancelled = cancelled
    worker.on('message', (replies: readonly JobReply[]) => this.#receive(replies))
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The worker has ended'))
      this.#waiting.clear()
      if (!this.#isClosing) broken()
    })
  }

  /** Does the job; `textOf` gives the texts of its statements, for those that the worker has not seen. */
  run(job: Job, textOf: (statement: number) => string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    this.#waiting.set(job.id, { resolve, reject })
    const outgoing = this.#collect()
    outgoing.jobs.push(job)
    for (const { statement } of job.sets.flat()) {
      if (this.#sentTexts.has(statement)) continue
      this.#sentTexts.add(statement)
      outgoing.texts.push([statement, textOf(statement)])
    }
    return promise
  }

  /** Gives the job up between two of its statements. */
  cancel(id: number): void {
    Atomics.store(this.#cancelled, 0, id)
  }

  clean(): Promise<boolean> {
    return Promise.resolve(true)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    const ended = once(this.#worker, 'exit')
    this.#worker.postMessage({ jobs: [], texts: [] } satisfies Jobs)
    const timer = setTimeout(() => void this.#worker.terminate(), closeMs)
    await ended.catch(() => undefined)
    clearTimeout(timer)
  }

  #collect(): Outgoing {
    if (this.#outgoing === undefined) {
      this.#outgoing = { jobs: [], texts: [] }
      setImmediate(() => {
        this.#worker.postMessage(this.#outgoing satisfies Jobs | undefined)
        this.#outgoing = undefined
      })
    }
    return this.#outgoing
  }

  #receive(replies: readonly JobReply[]): void {
    for (const reply of replies) {
      const waiting = this.#waiting.get(reply.id)
      this.#waiting.delete(reply.id)
      if ('json' in reply) waiting?.resolve(reply.json)
      else waiting?.reject(new JobFailure(reply.error))
    }
  }
}
