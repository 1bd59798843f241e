/**
 * The main thread's end of one SQLite worker: jobs are collected for one turn of the event loop and sent as one
 * message, answers go to those who wait for them. A worker whose statement runs too long, or for nobody, is given up:
 * this file rejects its jobs, and others take care of the thread. Knows nothing of SQL.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { takenBack } from '../../pool/job.ts'
import { Claims, type Turn } from '../claims.ts'
import type { DatabaseFiles } from '../files.ts'
import {
  type JobReply,
  type Jobs,
  type Moved,
  type Opened,
  type StatementLimits,
  threadGoneMs,
  type WorkerOptions,
  writeJob,
} from '../worker-messages.ts'
import {
  type Assignment,
  type ConnectionOptions,
  JobFailure,
  type Listeners,
  type Loss,
  type Running,
  runsOn,
} from './assignment.ts'
import { threadOptions } from './environment.ts'
import { UnderWay, type UnderWayJob } from './under-way.ts'

/** The worker's file has this file's ending: `.ts` in the repository, `.js` in the package. */
const workerFile = new URL(
  `../worker/worker${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
)

/** A worker that is asked to close and does not is ended; SQLite's files survive that. */
const closeMs = 2000
/** How often a busy worker is checked. */
const lookMs = 100
/** A statement that has taken longer once is done in a process from then on, where it can be ended. */
const longMs = 1000
/** How long before a statement is given up its worker is told so. */
const noticeMs = 1000
/** How long a statement whose time is up may take to end by itself, as one that returns rows does. */
const graceMs = 300

/** What a connection is made of. */
interface Parts extends Listeners {
  readonly worker: Worker
  /** Resolves when the worker has ended, for whatever reason. */
  readonly ended: Promise<void>
  readonly claims: Claims
  readonly files: DatabaseFiles | undefined
  readonly limits: StatementLimits & { readonly goneMs: number }
}

export class Connection {
  readonly #worker: Worker
  readonly #ended: Promise<void>
  readonly #claims: Claims
  readonly #underWay = new UnderWay()
  readonly #sentTexts = new Set<number>()
  readonly #limits: Parts['limits']
  readonly #abandoned: Listeners['abandoned']
  readonly #long: Listeners['long']
  readonly #doomed: Listeners['doomed']
  /** The message that is being collected. */
  #outgoing: Jobs | undefined
  #isClosing = false
  #isAbandoned = false
  #hasEnded = false
  /** Runs while there is something to look at. */
  #watch: NodeJS.Timeout | undefined
  /** The statement of the last look, and since when it has been there. */
  #turn: Turn | undefined
  #turnSince = 0
  /** What the worker has open; undefined for a database in memory. */
  readonly files: DatabaseFiles | undefined
  /** The worker cleans up after each job itself. */
  readonly isDirty = false

  static async open(options: ConnectionOptions, listeners: Listeners): Promise<Connection> {
    const { statementTimeoutSeconds, goneMs = threadGoneMs, ...openOptions } = options
    const limits = { statementTimeoutSeconds, goneMs }
    const claims = new Claims()
    const workerData = { ...openOptions, claims: claims.memory } satisfies WorkerOptions
    const worker = new Worker(workerFile, { workerData, ...threadOptions() })
    worker.on('error', () => undefined)
    // From here on: by the time somebody asks, the worker may have ended.
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    // Rejects with what the worker could not even start for.
    const [answer] = (await once(worker, 'message')) as [Opened]
    if (answer.opened) return new Connection({ worker, ended, claims, files: answer.files, limits, ...listeners })
    void worker.terminate()
    throw new Error(answer.message)
  }

  private constructor(parts: Parts) {
    const { worker, ended, claims, files, broken, moved, abandoned, long } = parts
    this.#long = long
    this.#doomed = parts.doomed
    this.files = files
    this.#limits = parts.limits
    this.#abandoned = abandoned
    this.#worker = worker
    this.#ended = ended
    this.#claims = claims
    worker.on('message', (message: readonly JobReply[] | Moved) => {
      if ('moved' in message) moved(message.moved)
      else for (const reply of message) this.#receive(reply)
    })
    void ended.then(() => {
      this.#hasEnded = true
      clearInterval(this.#watch)
      this.#giveUp()
      if (!this.#isClosing && !this.#isAbandoned) broken()
    })
  }

  run({ job, textOf, sink, timeoutSeconds = this.#limits.statementTimeoutSeconds }: Assignment): Running {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const underWay = this.#underWay.add(resolve, reject, sink, timeoutSeconds)
    this.#claims.queue(underWay.claim)
    this.#watch ??= setInterval(() => this.#look(), lookMs).unref()
    const outgoing = this.#collect()
    writeJob(outgoing.jobs, underWay.claim, job)
    for (const statements of job.sets) {
      for (const { statement } of statements) {
        if (this.#sentTexts.has(statement)) continue
        this.#sentTexts.add(statement)
        outgoing.texts.push([statement, textOf(statement)])
      }
    }
    return { done: promise, cancel: () => this.#cancel(underWay) }
  }

  /** Takes back every job that the worker has not reached. One without any processor time keeps them in the end. */
  giveBack(): void {
    if (!this.#underWay.hasClaimsToSpare) return
    // From the end: meanwhile the worker takes jobs from the front, and no job may overtake an earlier one.
    const taken = this.#underWay
      .inOrder()
      .toReversed()
      .filter(({ claim }) => this.#claims.takeBack(claim))
    for (const { reject } of taken.toReversed()) reject(takenBack)
  }

  /** Gives up what the worker is doing, as far as possible. */
  interrupt(): void {
    this.giveBack()
    for (const { claim } of this.#underWay.inOrder()) this.#claims.cancel(claim)
  }

  clean(): Promise<boolean> {
    return Promise.resolve(true)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#isAbandoned) return
    this.#worker.postMessage({ jobs: [], texts: [] } satisfies Jobs)
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    // A thread that sleeps is ended at once, one that is in the middle of a statement only when that has ended.
    const terminating = setTimeout(() => void this.#worker.terminate(), closeMs)
    const leaving = setTimeout(() => {
      const statement = this.#claims.turn?.statement
      void this.#leave({ statement, reason: 'the service does not wait for it' }).then(leave)
    }, closeMs + graceMs)
    await Promise.race([this.#ended, left])
    clearTimeout(terminating)
    clearTimeout(leaving)
  }

  /** Checks whether the worker is still running the same statement. */
  #look(): void {
    if (this.#underWay.isEmpty) {
      clearInterval(this.#watch)
      this.#watch = undefined
      return
    }
    const now = performance.now()
    const turn = this.#claims.turn
    if (turn?.turn !== this.#turn?.turn) {
      this.#turn = turn
      this.#turnSince = now
      return
    }
    const job = turn === undefined ? undefined : this.#underWay.get(turn.claim)
    if (turn === undefined || job === undefined) return
    const ranMs = now - this.#turnSince
    if (ranMs >= longMs && !job.sink.isOpen) this.#long(turn.statement)
    const { timeoutSeconds, goneSince = Infinity } = job
    const overdueMs = timeoutSeconds > 0 ? ranMs - timeoutSeconds * 1000 : -Infinity
    const forNobodyMs = now - goneSince - this.#limits.goneMs
    if (Math.max(overdueMs, forNobodyMs) >= -noticeMs) this.#doomed?.()
    if (overdueMs >= 0) {
      job.timedOut = turn
      this.#claims.cancel(turn.claim)
      if (overdueMs >= graceMs) this.#abandon(turn, `it ran longer than ${timeoutSeconds} s`)
    } else if (forNobodyMs >= 0) this.#abandon(turn, 'its client has gone')
  }

  /** From now on the worker commits nothing, so jobs that it has begun and not committed can be done elsewhere. */
  #abandon(stuck: Turn, reason: string): void {
    if (!this.#claims.abandon()) return
    clearInterval(this.#watch)
    void this.#leave({ statement: stuck.statement, reason }, stuck)
  }

  /** A job whose commit is done must not be done again: its answer, which is on its way, comes first. */
  async #leave(loss: Omit<Loss, 'ended'>, stuck?: Turn): Promise<void> {
    const isOwed = this.#underWay.inOrder().some(({ claim }) => this.#claims.isSettled(claim))
    if (isOwed) await Promise.race([this.#ended, sleep(graceMs)])
    if (this.#hasEnded) return
    this.#isAbandoned = true
    this.#giveUp(stuck)
    this.#abandoned({ ...loss, ended: this.#ended })
    void this.#worker.terminate()
  }

  #timeout({ statement, set }: Turn, timeoutSeconds: number): JobFailure {
    return new JobFailure({ code: undefined, message: 'statement timeout', statement, set, timeoutSeconds })
  }

  /** The worker has ended, or commits nothing any more because it is `stuck`. */
  #giveUp(stuck?: Turn): void {
    for (const job of this.#underWay.inOrder()) {
      job.reject(this.#lossOf(job, stuck))
      this.#underWay.remove(job)
    }
  }

  /** Jobs that it had not begun can be done elsewhere, and of a stuck one also those that it had not committed. */
  #lossOf({ claim, pieces, timedOut, timeoutSeconds }: UnderWayJob, stuck: Turn | undefined): unknown {
    if (this.#claims.takeBack(claim)) return takenBack
    // Nobody knows how far it came.
    if (stuck === undefined || pieces > 0 || this.#claims.isSettled(claim)) return lost()
    if (claim !== stuck.claim) return takenBack
    return timedOut === undefined ? lost() : this.#timeout(timedOut, timeoutSeconds)
  }

  #cancel(job: UnderWayJob): void {
    if (!this.#underWay.has(job)) return
    job.goneSince ??= performance.now()
    this.#claims.cancel(job.claim)
  }

  #collect(): Jobs {
    if (this.#outgoing === undefined) {
      this.#outgoing = { jobs: [], texts: [] }
      setImmediate(() => {
        this.#worker.postMessage(this.#outgoing)
        this.#outgoing = undefined
      })
    }
    return this.#outgoing
  }

  #receive(reply: JobReply): void {
    const job = this.#underWay.get(reply.claim)
    if (job === undefined) return
    if ('piece' in reply) {
      this.#pass(reply.piece, job)
      return
    }
    this.#underWay.remove(job)
    if ('json' in reply) {
      job.sink.rows = reply.rows
      job.resolve(reply.json)
    } else job.reject(this.#reasonOf(reply, job))
  }

  #reasonOf(reply: JobReply, { timedOut, timeoutSeconds }: UnderWayJob): unknown {
    if ('runsOn' in reply) return runsOn
    if (timedOut !== undefined) return this.#timeout(timedOut, timeoutSeconds)
    return 'error' in reply ? new JobFailure(reply.error) : new Error('The job was given up')
  }

  /** The worker sends no more than a few pieces ahead of those for which the reader has made room. */
  #pass(piece: Uint8Array<ArrayBuffer>, job: UnderWayJob): void {
    const { sink, claim } = job
    const onWanted = (): void => {
      if (sink.isAbandoned) this.#cancel(job)
      else if (this.#underWay.has(job)) this.#claims.credit(claim, job.pieces)
      job.pieces = 0
    }
    sink.onWanted ??= onWanted
    job.pieces++
    const { buffer, byteOffset, byteLength } = piece
    if (sink.write(Buffer.from(buffer, byteOffset, byteLength))) sink.onWanted()
  }
}

function lost(): Error {
  return new Error('The worker has ended')
}
