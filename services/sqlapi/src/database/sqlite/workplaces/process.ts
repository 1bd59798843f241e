/**
 * The main thread's end of a SQLite process (host.ts), for statements that may run very long: unlike a thread it can be
 * ended in the middle of one, and its locks go with it. Slower than a thread, so it gets what needs it and nothing
 * else.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Sink } from '../../result.ts'
import { takenBack } from '../../pool/job.ts'
import { type Assignment, type ConnectionOptions, JobFailure, type Listeners, type Running } from './assignment.ts'
import { processEnvironment } from './environment.ts'
import type { FromProcess, ToProcess } from '../worker-messages.ts'

/** The program's file has this file's ending: `.ts` in the repository, `.js` in the package. */
const hostFile = new URL(`./host${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

/** One that is asked to close and does not is killed. Longer than its thread is given. */
const closeMs = 4000

interface PendingJob {
  readonly resolve: (json: string) => void
  readonly reject: (reason: unknown) => void
  readonly sink: Sink
  /** Pieces that the reader has not made room for. */
  pieces: number
}

export class Process {
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #pending = new Map<number, PendingJob>()
  readonly #sentTexts = new Set<number>()
  #runs = 0

  static async open(options: ConnectionOptions, listeners: Listeners): Promise<Process> {
    const child = fork(fileURLToPath(hostFile), [], {
      serialization: 'advanced',
      // Not ours: flags of a debugger would be taken twice.
      execArgv: [],
      env: processEnvironment(),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    // Not at `exit`, which may come while its last messages are still unread.
    const ended = once(child, 'close').catch(() => undefined)
    child.on('error', () => undefined)
    child.send({ open: options } satisfies ToProcess, () => undefined)
    const first = await Promise.race([once(child, 'message'), ended.then(() => undefined)])
    const opened = first?.[0] as Extract<FromProcess, { opened: boolean }> | undefined
    if (opened?.opened === true) return new Process(child, ended, listeners)
    throw new Error(opened?.message ?? 'The process ended at once')
  }

  private constructor(child: ChildProcess, ended: Promise<unknown>, listeners: Listeners) {
    const { broken, moved, abandoned, doomed } = listeners
    this.#child = child
    this.#ended = ended
    child.on('message', (message: FromProcess) => {
      if ('run' in message) this.#receive(message)
      else if ('moved' in message) moved(message.moved)
      else if ('doomed' in message) doomed?.()
      else if ('abandoned' in message) {
        this.#takeBack()
        abandoned({ ...message.abandoned, ended: ended.then(() => undefined) })
      }
    })
    void ended.then(() => {
      for (const { reject } of this.#pending.values()) reject(new Error('The process has ended'))
      this.#pending.clear()
      broken()
    })
  }

  get isIdle(): boolean {
    return this.#pending.size === 0
  }

  run({ job, textOf, sink, timeoutSeconds }: Assignment): Running {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const run = this.#runs++
    this.#pending.set(run, { resolve, reject, sink, pieces: 0 })
    const statements = new Set(job.sets.flatMap((statements) => statements.map(({ statement }) => statement)))
    const texts = [...statements]
      .filter((statement) => !this.#sentTexts.has(statement))
      .map((statement) => [statement, textOf(statement)] as const)
    for (const [statement] of texts) this.#sentTexts.add(statement)
    this.#send({ run, job, texts, timeoutSeconds })
    return { done: promise, cancel: () => this.#send({ cancel: run }) }
  }

  giveBack(): void {
    this.#send({ tell: 'giveBack' })
  }

  interrupt(): void {
    this.#send({ tell: 'interrupt' })
  }

  async close(): Promise<void> {
    this.#send({ tell: 'close' })
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), closeMs)
    await this.#ended
    clearTimeout(timer)
  }

  /** Its last message: a job that it has not answered by now reached it too late, and can be done elsewhere. */
  #takeBack(): void {
    for (const [run, { reject, sink }] of this.#pending) {
      if (sink.isOpen) continue
      this.#pending.delete(run)
      reject(takenBack)
    }
  }

  #receive(message: Extract<FromProcess, { run: number }>): void {
    const { run } = message
    const pending = this.#pending.get(run)
    if (pending === undefined) return
    if ('piece' in message) {
      this.#pass(message.piece, run, pending)
      return
    }
    this.#pending.delete(run)
    if ('json' in message) {
      pending.sink.rows = message.rows
      pending.resolve(message.json)
    } else if ('takenBack' in message) pending.reject(takenBack)
    else pending.reject('error' in message ? new JobFailure(message.error) : new Error('The process has ended'))
  }

  #pass(piece: Uint8Array, run: number, pending: PendingJob): void {
    const { sink } = pending
    const onWanted = (): void => {
      if (sink.isAbandoned) this.#send({ cancel: run })
      else for (; pending.pieces > 0; pending.pieces--) this.#send({ taken: run })
    }
    sink.onWanted ??= onWanted
    pending.pieces++
    if (sink.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))) sink.onWanted()
  }

  /** A message to a process that has just ended is lost; the event of its end says enough. */
  #send(message: ToProcess): void {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }
}
