/**
 * The interface between the pool and a workplace for SQLite jobs: a job that is handed over, what it may reject with,
 * and what the workplace reports about itself. The same for a thread and for a process.
 */
import type { Sink } from '../../result.ts'
import type { DatabaseFiles } from '../files.ts'
import type { Job, JobError, StatementLimits, WorkerOptions } from '../worker-messages.ts'

/** How a worker is started, and how long its statements may take. */
export interface ConnectionOptions extends Omit<WorkerOptions, 'claims'>, StatementLimits {}

/** A job as its caller describes it. */
export interface Assignment {
  readonly job: Omit<Job, 'claim'>
  /** The texts of the job's statements, for those that the worker has not seen. */
  readonly textOf: (statement: number) => string
  /** Where the pieces of a long result go. */
  readonly sink: Sink
  /** Longest time that a statement of the job may take; undefined for that of the datasource. */
  readonly timeoutSeconds?: number | undefined
}

/** A job that was handed over. */
export interface Running {
  /** The result, or what is left of it behind its pieces. */
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
  /** A statement takes long enough that there should be a way to end it. */
  readonly long: (statement: number) => void
  /** The worker is given up soon, unless its statement ends; told again and again. */
  readonly doomed?: () => void
  /**
   * The worker has been given up and all of its jobs are settled. It commits nothing any more; its thread ends when the
   * statement does, and whatever locks it has are held until then.
   */
  readonly abandoned: (loss: Loss) => void
}

/** A worker that was given up. */
export interface Loss {
  /** The statement that it is running, and why that was given up; undefined if the worker was ending anyway. */
  readonly statement: number | undefined
  readonly reason: string
  /** Resolves when the thread has ended after all. */
  readonly ended: Promise<void>
}

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

/** The rejection of a job that did not begin because it may run very long. */
export const runsOn = Symbol('runs on')
