/**
 * The main thread's end of one SQLite worker: jobs are collected for one turn of the event loop and sent as one message,
 * answers are handed to whoever waits for them. Knows nothing of SQL.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { takenBack } from '../pool.ts'
import {
  claim,
  type Job,
  type JobError,
  type JobReply,
  type Jobs,
  maxClaims,
  type Opened,
  type WorkerOptions,
} from './messages.ts'

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

/** A job that was handed over. */
export interface Running {
  readonly done: Promise<string>
  /** Gives the job up: before it begins, between two of its statements or between two rows. */
  readonly cancel: () => void
}

interface Waiting {
  readonly claim: number
  readonly resolve: (json: string) => void
  readonly reject: (reason: unknown) => void
}

export class Connection {
  readonly #worker: Worker
  readonly #claims: Int32Array
  /** Claims that no job uses. */
  readonly #free = Array.from({ length: maxClaims }, (_, index) => index)
  readonly #waiting = new Map<number, Waiting>()
  readonly #sentTexts = new Set<number>()
  #outgoing: Outgoing | undefined
  #isClosing = false
  #lastId = 0
  /** The worker cleans up after each job itself. */
  readonly isDirty = false

  static async open(options: Omit<WorkerOptions, 'claims'>, broken: () => void): Promise<Connection> {
    const claims = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * maxClaims))
    const worker = new Worker(workerFile, { workerData: { ...options, claims } satisfies WorkerOptions })
    // Rejects with what the worker could not even start for.
    const [answer] = (await once(worker, 'message')) as [Opened]
    if (answer.opened) return new Connection(worker, claims, broken)
    void worker.terminate()
    throw new Error(answer.message)
  }

  private constructor(worker: Worker, claims: Int32Array, broken: () => void) {
    this.#worker = worker
    this.#claims = claims
    worker.on('message', (replies: readonly JobReply[]) => this.#receive(replies))
    worker.on('error', () => undefined)
    worker.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The worker has ended'))
      this.#waiting.clear()
      if (!this.#isClosing) broken()
    })
  }

  /** Does the job; `textOf` gives the texts of its statements, for those that the worker has not seen. */
  run(job: Omit<Job, 'id' | 'claim'>, textOf: (statement: number) => string): Running {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const id = ++this.#lastId
    // The pool keeps far fewer jobs under way than there are claims.
    const free = this.#free.pop() as number
    Atomics.store(this.#claims, free, claim.queued)
    this.#waiting.set(id, { claim: free, resolve, reject })
    const outgoing = this.#collect()
    outgoing.jobs.push({ ...job, id, claim: free })
    for (const { statement } of job.sets.flat()) {
      if (this.#sentTexts.has(statement)) continue
      this.#sentTexts.add(statement)
      outgoing.texts.push([statement, textOf(statement)])
    }
    return { done: promise, cancel: () => this.#cancel(id) }
  }

  /** Takes back every job that the worker has not come to yet. */
  giveBack(): void {
    for (const { claim: index, reject } of this.#waiting.values()) {
      const was = Atomics.compareExchange(this.#claims, index, claim.queued, claim.takenBack)
      if (was === claim.queued) reject(takenBack)
    }
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

  #cancel(id: number): void {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) Atomics.store(this.#claims, waiting.claim, claim.cancelled)
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
      if (waiting === undefined) continue
      this.#free.push(waiting.claim)
      if ('json' in reply) waiting.resolve(reply.json)
      else waiting.reject('error' in reply ? new JobFailure(reply.error) : new Error('The job was given up'))
    }
  }
}
