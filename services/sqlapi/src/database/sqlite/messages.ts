/** What the main thread and a SQLite worker say to each other: plain values that survive a structured clone. */

import type { OpenOptions } from './library.ts'

/** A parameter as SQLite binds it. */
export type SqliteValue = null | bigint | number | string

/** One statement with its values; `statement` is the number under which its text was sent. */
export interface Call {
  readonly statement: number
  readonly values: readonly SqliteValue[]
}

/** A unit of work that a worker does from beginning to end. */
export interface Job {
  readonly id: number
  /** Index of the job's claim. */
  readonly claim: number
  /** `none`: each statement commits itself. `deferred` and `immediate` are SQLite's kinds of BEGIN. */
  readonly transaction: 'none' | 'deferred' | 'immediate'
  /** The statements may leave something behind on the connection, which is then opened afresh. */
  readonly touchesSession: boolean
  readonly batch: boolean
  /** For each set of parameters the calls, in order. */
  readonly sets: readonly (readonly Call[])[]
}

/** A message without jobs asks the worker to close the database and end. */
export interface Jobs {
  readonly jobs: readonly Job[]
  /** Texts that the worker has not seen yet. */
  readonly texts: readonly (readonly [statement: number, text: string])[]
}

/** What went wrong; `statement` is that of the failing call, where it was one. */
export interface JobError {
  readonly code: number | undefined
  readonly message: string
  readonly statement: number | undefined
}

/** `skipped`: the worker came to the job and found it claimed by somebody else. */
export type JobReply = { readonly id: number } & (
  | { readonly json: string }
  | { readonly error: JobError }
  | { readonly skipped: true }
)

/** Whose a job is. The worker takes a queued one when it comes to it; until then the main thread may take it back. */
export const claim = { queued: 0, running: 1, takenBack: 2, cancelled: 3 } as const

/** Claims of one worker: as many jobs as can be under way there. */
export const maxClaims = 256

/** First message of a worker: it has opened the database, or could not. */
export type Opened = { readonly opened: true } | { readonly opened: false; readonly message: string }

/** What a worker is started with. */
export interface WorkerOptions extends OpenOptions {
  /** One number of `claim` for each job that is under way, shared with the main thread. */
  readonly claims: Int32Array
}
