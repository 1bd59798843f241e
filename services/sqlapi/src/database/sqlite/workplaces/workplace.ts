/**
 * A place where SQLite jobs are done, one connection of the pool: a worker thread, and beside it, from the first job
 * that needs it, a process. Jobs whose statements may run very long go to the process, which can be ended. The pool
 * never runs jobs of both at the same time, because they belong to different groups.
 */
import type { Assignment, ConnectionOptions, Listeners, Running } from './assignment.ts'
import { Connection } from './connection.ts'
import type { DatabaseFiles } from '../files.ts'
import { Process } from './process.ts'

/** How long a process may be idle before it ends. */
const idleMs = 60_000

export interface WorkplaceListeners extends Listeners {
  /** A process was given up; what it was doing is undone, and the next job gets another one. */
  readonly killed: (loss: { readonly statement: number | undefined; readonly reason: string }) => void
}

export class Workplace {
  readonly isDirty = false
  readonly #options: ConnectionOptions
  readonly #listeners: WorkplaceListeners
  readonly #thread: Connection
  #process: Promise<Process> | undefined
  /** For the jobs behind a statement that is about to be given up with its process: starting one takes its time. */
  #successor: Promise<Process> | undefined
  #idleTimer: NodeJS.Timeout | undefined

  static async open(options: ConnectionOptions, listeners: WorkplaceListeners): Promise<Workplace> {
    return new Workplace(options, listeners, await Connection.open(options, listeners))
  }

  private constructor(options: ConnectionOptions, listeners: WorkplaceListeners, thread: Connection) {
    this.#options = options
    this.#listeners = listeners
    this.#thread = thread
  }

  /** What is open here; undefined for a database in memory. */
  get files(): DatabaseFiles | undefined {
    return this.#thread.files
  }

  run(assignment: Assignment): Running {
    const isForProcess = assignment.job.mayRunOn && this.files !== undefined
    return isForProcess ? this.#runInProcess(assignment) : this.#thread.run(assignment)
  }

  giveBack(): void {
    this.#thread.giveBack()
    this.#tell((process) => process.giveBack())
  }

  interrupt(): void {
    this.#thread.interrupt()
    this.#tell((process) => process.interrupt())
  }

  clean(): Promise<boolean> {
    return Promise.resolve(true)
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer)
    await Promise.all([this.#thread.close(), this.#endProcesses()])
  }

  #tell(tell: (process: Process) => void): void {
    this.#process?.then(tell, () => undefined)
  }

  #runInProcess(assignment: Assignment): Running {
    clearTimeout(this.#idleTimer)
    let running: Running | undefined
    let isCancelled = false
    const run = async (): Promise<string> => {
      const process = await this.#openProcess()
      running = process.run(assignment)
      if (isCancelled) running.cancel()
      try {
        return await running.done
      } finally {
        if (process.isIdle) this.#idleTimer = setTimeout(() => void this.#endProcesses(), idleMs).unref()
      }
    }
    const cancel = (): void => {
      isCancelled = true
      running?.cancel()
    }
    return { done: run(), cancel }
  }

  #openProcess(): Promise<Process> {
    if (this.#process === undefined) {
      this.#process = this.#successor ?? this.#start()
      this.#successor = undefined
    }
    return this.#process
  }

  #start(): Promise<Process> {
    const { moved, killed, long } = this.#listeners
    const gone = (): void => {
      if (this.#process === opening) this.#process = undefined
      if (this.#successor === opening) this.#successor = undefined
    }
    const doomed = (): void => {
      if (this.#process === opening) this.#successor ??= this.#start()
    }
    const abandoned: Listeners['abandoned'] = (loss) => {
      gone()
      killed(loss)
    }
    const files = this.files
    const options = { ...this.#options, uri: this.#options.uriOfExisting, openElsewhere: files }
    const opening = Process.open(options, { broken: gone, moved, abandoned, long, doomed })
    opening.catch(gone)
    return opening
  }

  async #endProcesses(): Promise<void> {
    const open = [this.#process, this.#successor].filter((opening) => opening !== undefined)
    this.#process = undefined
    this.#successor = undefined
    const end = async (opening: Promise<Process>): Promise<void> => {
      // The job of one that could not be started knows already.
      const process = await opening.catch(() => undefined)
      await process?.close()
    }
    await Promise.all(open.map(end))
  }
}
