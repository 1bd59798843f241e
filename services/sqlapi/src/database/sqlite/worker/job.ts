/**
 * One job from its first statement to its commit: a `Job` in, its reply out. What it wrote and how its session was left
 * is settled when the reply is there, except for a `shared` transaction, which group.ts ends.
 */
import { Failure } from '../../../errors.ts'
import { formats } from '../../../formats/formats.ts'
import { maxResultLength } from '../../result.ts'
import type { BoundStatement, Job, JobError, JobReply } from '../worker-messages.ts'
import type { Pieces, Session } from './session.ts'

/** Where a job is done; the same for all jobs of a worker. */
export interface JobSite {
  readonly session: Session
  readonly isCancelled: (claim: number) => boolean
  /** Called around each statement. */
  readonly beginStatement: (claim: number, set: number, statement: number) => void
  readonly endStatement: () => void
  /** Commits what these jobs have done, or throws. */
  readonly commit: (claims: readonly number[]) => void
}

/** An error of the library; the code is missing where SQLite was not asked. */
interface SqliteError {
  readonly errcode?: number
  readonly message: string
}

/** `pieces` is where a long result goes while its rows come, if it may. */
export function runJob(job: Job, site: JobSite, pieces: Pieces | undefined): JobReply {
  const reply = perform(job, site, pieces)
  try {
    site.session.settle(job)
    if (!job.isRead && job.transaction !== 'shared') site.session.requireFiles()
    return reply
  } catch (error) {
    return 'error' in reply ? reply : { claim: job.claim, error: toJobError(error, undefined) }
  }
}

function perform(job: Job, site: JobSite, pieces: Pieces | undefined): JobReply {
  const { session } = site
  const { claim, transaction, sets, batch } = job
  const format = formats[job.format]
  const isOurs = transaction === 'deferred' || transaction === 'immediate'
  let running: BoundStatement | undefined
  let set = 0
  const rowsBefore = session.rows
  const check = (): void => {
    if (site.isCancelled(claim)) throw new Failure('client_gone')
  }
  try {
    if (session.isLost) throw new Failure('connection_lost')
    if (isOurs) {
      session.begin(transaction)
      session.statements.noticeSchema()
    }
    if (!job.mayRunOn && runsOn(job, session)) return { claim, runsOn: true }
    const results = sets.map((statements, number) => {
      let result: string | undefined
      set = number
      for (const [index, bound] of statements.entries()) {
        check()
        running = bound
        const isLast = index === statements.length - 1
        site.beginStatement(claim, number, bound.statement)
        try {
          result = session.run(bound, { format, check, pieces: isLast ? pieces : undefined }) ?? result
        } finally {
          site.endStatement()
        }
      }
      return result ?? format.nothing
    })
    running = undefined
    // What a file began itself and did not end is undone.
    if (isOurs) site.commit([claim])
    return { claim, json: batch ? joinResults(results) : (results[0] as string), rows: session.rows - rowsBefore }
  } catch (error) {
    if (running === undefined) return { claim, error: toJobError(error, running) }
    session.statements.forget(running.statement)
    const offset = session.statements.findMistake(running.statement, (error as SqliteError).message)
    return { claim, error: { ...toJobError(error, running), set, offset } }
  }
}

/** Whether a statement of the job may run very long. The error of one that is wrong is reported when it runs. */
function runsOn({ sets, isRead }: Job, session: Session): boolean {
  for (const statements of sets) {
    for (const [index, { statement }] of statements.entries()) {
      try {
        if (session.statements.mayRunOn(statement, !isRead)) return true
      } catch {
        // What it wants may be made by those before it.
        return index > 0
      }
    }
  }
  return false
}

/** The results of a batch as one JSON array. */
function joinResults(results: readonly string[]): string {
  let length = 0
  for (const result of results) length += result.length
  if (length > maxResultLength) throw new Failure('result_too_large')
  return `[${results.join(',')}]`
}

export function toJobError(error: unknown, bound: BoundStatement | undefined): JobError {
  const { errcode, message } = error as SqliteError
  const statement = bound?.statement
  if (errcode !== undefined) return { code: errcode, message, statement }
  // What is neither SQLite's nor ours is the library's, about values too long for it.
  const failure = error instanceof Failure ? error : new Failure('result_too_large')
  return { reason: failure.reason, code: undefined, message: failure.message, statement }
}
