/** The messages between the main thread and a SQLite worker: plain values that survive a structured clone. */

import type { Reason } from '../../errors.ts'
import type { FormatName } from '../../model.ts'
import type { DatabaseFiles } from './files.ts'
import type { OpenOptions } from './worker/library.ts'

/** A parameter as SQLite binds it. */
export type SqliteValue = null | bigint | number | string

/** One statement with its values; `statement` is the number under which its text was sent. */
export interface BoundStatement {
  readonly statement: number
  readonly values: readonly SqliteValue[]
}

/** A unit of work that a worker does from beginning to end. */
export interface Job {
  /** Number of the job's claim, which no other job has until this one is answered. */
  readonly claim: number
  /**
   * `none`: each statement commits itself. `shared`: a single write that commits itself, alone or with others of its
   * kind. `deferred` and `immediate` are SQLite's kinds of BEGIN.
   */
  readonly transaction: 'none' | 'shared' | 'deferred' | 'immediate'
  /** The statements may leave something behind on the connection, which is then opened afresh. */
  readonly touchesSession: boolean
  readonly batch: boolean
  readonly format: FormatName
  /** It runs where it can be ended: its statements may run very long. */
  readonly mayRunOn: boolean
  /** Nothing is written: a long result may be sent while its rows come. */
  readonly isRead: boolean
  /** For each set of parameters the statements, in order. */
  readonly sets: readonly (readonly BoundStatement[])[]
}

/**
 * Jobs as `writeJob` writes and `readJobs` reads them. For each job: claim, flags, format, number of sets; for each
 * set: number of statements; for each statement: its number, number of values, values.
 */
export type JobList = SqliteValue[]

/** A message without jobs asks the worker to close the database and end. */
export interface Jobs {
  readonly jobs: JobList
  /** Texts that the worker has not seen yet. */
  readonly texts: (readonly [statement: number, text: string])[]
}

/** What went wrong; `statement` is the number of the one that failed, if one did, and `set` the number of its set. */
export interface JobError {
  /** Undefined for what SQLite refused. */
  readonly reason?: Reason
  readonly code: number | undefined
  readonly message: string
  readonly statement: number | undefined
  readonly set?: number | undefined
  /** Where in the statement's text the mistake is. */
  readonly offset?: number | undefined
  /** The statement ran longer than this allows. */
  readonly timeoutSeconds?: number
}

/**
 * `json` is the result, or what is left of it after the pieces; `rows` all that were read for it. `piece` is UTF-8, and
 * more will come. `skipped`: the worker came to the job and found that it was claimed already. `runsOn`: nothing was
 * done, because a statement of the job may run very long, and this worker cannot be ended then.
 */
export type JobReply = { readonly claim: number } & (
  | { readonly json: string; readonly rows: number }
  | { readonly piece: Uint8Array<ArrayBuffer> }
  | { readonly error: JobError }
  | { readonly skipped: true }
  | { readonly runsOn: true }
)

/** The files that the worker has open are no longer those of the database. It begins no more jobs and ends. */
export interface Moved {
  readonly moved: DatabaseFiles
}

/** First message of a worker: it has opened the database, or could not. */
export type Opened =
  | { readonly opened: true; readonly files: DatabaseFiles | undefined }
  | { readonly opened: false; readonly message: string }

/** What a worker is started with. */
export interface WorkerOptions extends OpenOptions {
  /** The memory of its `Claims`. */
  readonly claims: SharedArrayBuffer
}

/** How long statements may take. */
export interface StatementLimits {
  /** Longest time that one may run; 0 for no limit. */
  readonly statementTimeoutSeconds: number
  /** How long one may go on after its client has gone before it is given up; otherwise as its worker decides. */
  readonly goneMs?: number | undefined
}

/** In a thread, which goes on all the same. */
export const threadGoneMs = 5000
/** In a process, which is killed: with the time to notice a client that has left, within two seconds. */
export const processGoneMs = 500

/** What the main thread says to a SQLite process; `run`, `cancel` and `taken` carry the number of a job. */
export type ToProcess =
  | { readonly open: Omit<WorkerOptions, 'claims'> & StatementLimits }
  | {
      readonly run: number
      readonly job: Omit<Job, 'claim'>
      readonly texts: Jobs['texts']
      /** Undefined for that of the datasource. */
      readonly timeoutSeconds: number | undefined
    }
  | { readonly cancel: number }
  /** A piece of the result has gone to its reader. */
  | { readonly taken: number }
  | { readonly tell: 'giveBack' | 'interrupt' | 'close' }

/** What it reports about itself or about a job. */
export type FromProcess =
  | Opened
  | Moved
  /** Its thread has ended. */
  | { readonly ended: true }
  /** It is given up soon. */
  | { readonly doomed: true }
  /** It has been given up, all jobs are settled, and it ends. */
  | { readonly abandoned: { readonly statement: number | undefined; readonly reason: string } }
  | ({ readonly run: number } & (
      | { readonly json: string; readonly rows: number }
      | { readonly piece: Uint8Array }
      | { readonly error: JobError }
      | { readonly takenBack: true }
      | { readonly lost: true }
    ))

const transactions: readonly Job['transaction'][] = ['none', 'shared', 'deferred', 'immediate']
const flag = { touchesSession: 4, batch: 8, mayRunOn: 16, isRead: 32 } as const

/** Adds the job at the end of the list. */
export function writeJob(list: JobList, claim: number, job: Omit<Job, 'claim'>): void {
  list.push(claim, flagsOf(job), job.format, job.sets.length)
  for (const statements of job.sets) {
    list.push(statements.length)
    for (const { statement, values } of statements) {
      list.push(statement, values.length)
      for (const value of values) list.push(value)
    }
  }
}

/** Adds the jobs of the list to those that are to be done. */
export function readJobs(list: Readonly<JobList>, jobs: Job[]): void {
  let at = 0
  const next = (): number => list[at++] as number
  while (at < list.length) {
    const claim = next()
    const flags = next()
    const format = list[at++] as FormatName
    const sets = readMany(next(), () =>
      readMany(next(), (): BoundStatement => {
        const statement = next()
        const end = next() + at
        const values = list.slice(at, end)
        at = end
        return { statement, values }
      }),
    )
    jobs.push({
      claim,
      transaction: transactions[flags & 3] as Job['transaction'],
      touchesSession: (flags & flag.touchesSession) !== 0,
      batch: (flags & flag.batch) !== 0,
      format,
      mayRunOn: (flags & flag.mayRunOn) !== 0,
      isRead: (flags & flag.isRead) !== 0,
      sets,
    })
  }
}

function flagsOf({ transaction, touchesSession, batch, mayRunOn, isRead }: Omit<Job, 'claim'>): number {
  let flags = transactions.indexOf(transaction)
  if (touchesSession) flags |= flag.touchesSession
  if (batch) flags |= flag.batch
  if (mayRunOn) flags |= flag.mayRunOn
  if (isRead) flags |= flag.isRead
  return flags
}

function readMany<T>(count: number, read: () => T): T[] {
  const found: T[] = []
  for (let i = 0; i < count; i++) found.push(read())
  return found
}
