/**
 * The main thread's end of one SQLite worker: jobs are collected for one turn of the event loop and sent as one message,
 * answers are handed to whoever waits for them. Knows nothing of SQL.
 */
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Outlet } from '../answer.ts'
import { takenBack } from '../pool.ts'
import { Claims, depth, maxClaims } from './claims.ts'
import type { DatabaseFiles } from './files.ts'
import type { Job, JobError, JobReply, Jobs, Moved, Opened, WorkerOptions } from './messages.ts'

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

/** A job as its caller describes it. */
export interface Assignment {
  readonly job: Omit<Job, 'claim'>
  /** The texts of the job's statements, for those that the worker has not seen. */
  readonly textOf: (statement: number) => string
  /** Where the pieces of a long answer go. */
  readonly outlet: Outlet
}

/** A job that was handed over. */
export interface Running {
  /** The answer, or what is left of it behind its pieces. */
  readonly done: Promise<string>
  /** Gives the job up: before it begins, between two of its statements or between two rows. */
  readonly cancel: () => void
}

/** What a connection calls. */
export interface Listeners {
  /** The worker has ended by itself. */
  readonly broken: () => void
  /** These files are open, and others have their names. The worker is about to end. */
  readonly moved: (files: DatabaseFiles) => void
}

/** What a connection is made of. */
interface Parts extends Listeners {
  readonly worker: Worker
  /** Resolves when the worker has ended, for whatever reason. */
  readonly ended: Promise<void>
  readonly claims: Claims
  readonly files: DatabaseFiles | undefined
}

interface Waiting {
  readonly resolve: (json: string) => void
  readonly reject: (reason: unknown) => void
  readonly outlet: Outlet
  /** Pieces that the reader has not made room for. */
  pieces: number
}

export class Connection {
  readonly #worker: Worker
  readonly #ended: Promise<void>
  readonly #claims: Claims
  /** Claims that no job uses. */
  readonly #free = Array.from({ length: maxClaims }, (_, index) => index)
  /** By claim. */
  readonly #waiting = new Map<number, Waiting>()
  readonly #sentTexts = new Set<number>()
  #outgoing: Outgoing | undefined
  #isClosing = false
  /** What the worker has open; undefined for a database in memory. */
  readonly files: DatabaseFiles | undefined
  /** The worker cleans up after each job itself. */
  readonly isDirty = false

  static async open(options: Omit<WorkerOptions, 'claims'>, listeners: Listeners): Promise<Connection> {
    const claims = new Claims()
    const workerData = { ...options, claims: claims.memory } satisfies WorkerOptions
    const worker = new Worker(workerFile, { workerData, env: workerEnvironment() })
    worker.on('error', () => undefined)
    // From here on: by the time somebody asks, the worker may have ended.
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    // Rejects with what the worker could not even start for.
    const [answer] = (await once(worker, 'message')) as [Opened]
    if (answer.opened) return new Connection({ worker, ended, claims, files: answer.files, ...listeners })
    void worker.terminate()
    throw new Error(answer.message)
  }

  private constructor({ worker, ended, claims, files, broken, moved }: Parts) {
    this.files = files
    this.#worker = worker
    this.#ended = ended
    this.#claims = claims
    worker.on('message', (message: readonly JobReply[] | Moved) => {
      if ('moved' in message) moved(message.moved)
      else for (const reply of message) this.#receive(reply)
    })
    void ended.then(() => {
      this.#giveUp()
      if (!this.#isClosing) broken()
    })
  }

  run({ job, textOf, outlet }: Assignment): Running {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    // There is one: the pool has no more than `depth` jobs here, and `giveBack` leaves as many claims free.
    const claim = this.#free.pop() as number
    const waiting: Waiting = { resolve, reject, outlet, pieces: 0 }
    this.#claims.queue(claim)
    this.#waiting.set(claim, waiting)
    const outgoing = this.#collect()
    outgoing.jobs.push({ ...job, claim })
    for (const calls of job.sets) {
      for (const { statement } of calls) {
        if (this.#sentTexts.has(statement)) continue
        this.#sentTexts.add(statement)
        outgoing.texts.push([statement, textOf(statement)])
      }
    }
    return { done: promise, cancel: () => this.#cancel(claim, waiting) }
  }

  /** Takes back every job that the worker has not come to yet. One that gets no processor time at all keeps them in the end. */
  giveBack(): void {
    if (this.#free.length < depth) return
    for (const [claim, { reject }] of this.#waiting) if (this.#claims.takeBack(claim)) reject(takenBack)
  }

  /** Gives up what the worker is at, as far as it can be. */
  interrupt(): void {
    this.giveBack()
    for (const claim of this.#waiting.keys()) this.#claims.cancel(claim)
  }

  clean(): Promise<boolean> {
    return Promise.resolve(true)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#worker.postMessage({ jobs: [], texts: [] } satisfies Jobs)
    const timer = setTimeout(() => void this.#worker.terminate(), closeMs)
    await this.#ended
    clearTimeout(timer)
  }

  /** The worker has ended. Jobs that it had not begun can be done elsewhere; of the others nobody knows how far they came. */
  #giveUp(): void {
    for (const [claim, { reject }] of this.#waiting) {
      reject(this.#claims.takeBack(claim) ? takenBack : new Error('The worker has ended'))
    }
    this.#waiting.clear()
  }

  /** The claim may be another job's by now. */
  #cancel(claim: number, waiting: Waiting): void {
    if (this.#waiting.get(claim) === waiting) this.#claims.cancel(claim)
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

  #receive(reply: JobReply): void {
    const { claim } = reply
    const waiting = this.#waiting.get(claim)
    if (waiting === undefined) return
    if ('piece' in reply) {
      this.#pass(reply.piece, claim, waiting)
      return
    }
    this.#waiting.delete(claim)
    this.#free.push(claim)
    if ('json' in reply) waiting.resolve(reply.json)
    else waiting.reject('error' in reply ? new JobFailure(reply.error) : new Error('The job was given up'))
  }

  /** The worker sends no more than a few pieces ahead of those for which the reader has made room. */
  #pass(piece: Uint8Array<ArrayBuffer>, claim: number, waiting: Waiting): void {
    const { outlet } = waiting
    const onWanted = (): void => {
      if (outlet.isAbandoned) this.#cancel(claim, waiting)
      else if (this.#waiting.get(claim) === waiting) this.#claims.credit(claim, waiting.pieces)
      waiting.pieces = 0
    }
    outlet.onWanted ??= onWanted
    waiting.pieces++
    const { buffer, byteOffset, byteLength } = piece
    if (outlet.write(Buffer.from(buffer, byteOffset, byteLength))) outlet.onWanted()
  }
}

/** The compile cache does not reach workers by itself; without it each takes the types out of the sources again. */
function workerEnvironment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir()
  return cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) }
}
