/**
 * Writes that came together share a transaction: each commit waits for the disk, and one for all of them waits once.
 * Jobs in, replies out behind the commit; to its caller each looks as if it had committed itself. What the statement
 * does is SQLite's own in either case: a failing one undoes its work and no other's.
 *
 * Where that does not hold the whole is undone and each job is done by itself, in the same order: a statement that
 * ended the transaction (`ON CONFLICT ROLLBACK`, `RAISE(ROLLBACK)`, a full disk), a commit that failed. With
 * constraints that only a commit checks there are no groups.
 */
import { toJobError } from './job.ts'
import type { BoundStatement, Job, JobReply } from '../worker-messages.ts'
import type { Session } from './session.ts'

/** How long a group takes further writes, while its first one waits for its reply. */
const groupMs = 5
const maxGroup = 64
/** A statement that took longer than this when it last ran, or has not run yet, does not join a group. */
const shortMs = 2

export interface GroupOptions {
  readonly session: Session
  readonly run: (job: Job) => JobReply
  /** Commits the transaction in which these jobs were done, or throws. */
  readonly commit: (claims: readonly number[]) => void
  /** Takes the next job, if there is one and it fits. */
  readonly next: (fits: (job: Job) => boolean) => Job | undefined
  /** Milliseconds since some moment. */
  readonly now: () => number
}

interface Done {
  readonly job: Job
  readonly reply: JobReply
}

export class Groups {
  readonly #options: GroupOptions
  /** How long each statement took when it last ran, without its commit; for ever, once it has ended a transaction. */
  readonly #tookMs = new Map<number, number>()

  constructor(options: GroupOptions) {
    this.#options = options
  }

  /** Does the job, with those that wait behind it and fit. */
  run(first: Job): JobReply[] {
    const { session, next, now } = this.#options
    const reply = this.#begin(first)
    if (reply !== undefined) return [reply]
    const until = now() + groupMs
    const group: Done[] = []
    const fits = (job: Job): boolean =>
      job.transaction === 'shared' &&
      this.#isShort(job) &&
      !this.#runsOn(job) &&
      group.length < maxGroup &&
      now() < until
    const takesMore = this.#isShort(first)
    for (let job: Job | undefined = first; job !== undefined;) {
      group.push({ job, reply: this.#time(job) })
      job = takesMore && session.isTransaction ? next(fits) : undefined
    }
    return this.#settle(group)
  }

  /**
   * Begins the transaction. Gives a reply where there is none: it could not be had, or the job had to be done without.
   */
  #begin(job: Job): JobReply | undefined {
    const { session, run } = this.#options
    const bound = onlyStatementOf(job)
    try {
      // A wrong statement fails without waiting for the lock.
      session.statements.prepare(bound.statement)
      if (session.isWal) {
        session.begin('immediate')
        const defers = session.statements.defersConstraints()
        if (this.#runsOn(job)) {
          session.rollback()
          return { claim: job.claim, runsOn: true }
        }
        if (!defers) return undefined
      }
    } catch (error) {
      session.rollback()
      const offset = session.statements.findMistake(bound.statement, (error as Error).message)
      return { claim: job.claim, error: { ...toJobError(error, bound), offset } }
    }
    session.rollback()
    return run(alone(job))
  }

  #time(job: Job): JobReply {
    const { session, run, now } = this.#options
    const { statement } = onlyStatementOf(job)
    const started = now()
    const reply = run(job)
    const took = session.isTransaction ? now() - started : Infinity
    if (this.#tookMs.get(statement) !== Infinity) this.#tookMs.set(statement, took)
    return reply
  }

  #settle(group: readonly Done[]): JobReply[] {
    const { session, run, commit } = this.#options
    // What a statement alone in its transaction did to that is what it would have done to its own.
    let isSettled = group.length === 1
    if (session.isTransaction) {
      try {
        commit(group.map(({ job }) => job.claim))
        isSettled = true
      } catch {
        session.rollback()
        isSettled = false
      }
    }
    if (!isSettled) return group.map(({ job }) => run(alone(job)))
    try {
      session.requireFiles()
      return group.map(({ reply }) => reply)
    } catch (error) {
      return group.map(({ job, reply }) => {
        return 'error' in reply ? reply : { claim: job.claim, error: toJobError(error, undefined) }
      })
    }
  }

  /** Known to have been prepared, or about to be: the error of one that is wrong is its own. */
  #runsOn(job: Job): boolean {
    return !job.mayRunOn && this.#options.session.statements.mayRunOn(onlyStatementOf(job).statement, true)
  }

  #isShort(job: Job): boolean {
    return (this.#tookMs.get(onlyStatementOf(job).statement) ?? Infinity) < shortMs
  }
}

/** A job that shares its transaction has one statement and one set of values. */
function onlyStatementOf(job: Job): BoundStatement {
  return job.sets[0]?.[0] as BoundStatement
}

function alone(job: Job): Job {
  return { ...job, transaction: 'none' }
}
