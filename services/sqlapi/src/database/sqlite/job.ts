/**
 * One job from its first statement to its commit: a `Job` in, its reply out. What it wrote and how its session was left is
 * settled when the reply is there, but for a `shared` transaction, which group.ts ends.
 */
import { Failure } from '../../errors.ts'
import { maxAnswerLength, tooLong } from '../answer.ts'
import type { Call, Job, JobError, JobReply } from './messages.ts'
import type { Pieces, Session } from './session.ts'

export interface JobOptions {
  readonly session: Session
  readonly isCancelled: () => boolean
  /** Where a long answer goes while its rows come, if it may. */
  readonly pieces: Pieces | undefined
}

/** An error of the library; the code is missing where SQLite was not asked. */
interface SqliteError {
  readonly errcode?: number
  readonly message: string
}

export function runJob(job: Job, options: JobOptions): JobReply {
  const reply = perform(job, options)
  try {
    options.session.settle(job)
    if (!job.isRead && job.transaction !== 'shared') options.session.requireFiles()
    return reply
  } catch (error) {
    return 'error' in reply ? reply : { claim: job.claim, error: toJobError(error, undefined) }
  }
}

function perform(job: Job, { session, isCancelled, pieces }: JobOptions): JobReply {
  const { claim, transaction, sets, batch } = job
  const isOurs = transaction === 'deferred' || transaction === 'immediate'
  let running: Call | undefined
  let set = 0
  const check = (): void => {
    if (isCancelled()) throw new Failure('BadSqlGrammarException', 'The client has gone')
  }
  try {
    if (session.isLost) throw new Failure('BadSqlGrammarException', 'The connection to the database was lost')
    if (isOurs) session.begin(transaction)
    const answers = sets.map((calls, number) => {
      let answer: string | undefined
      set = number
      for (const [index, call] of calls.entries()) {
        check()
        running = call
        const isLast = index === calls.length - 1
        answer = session.run(call, { check, pieces: isLast ? pieces : undefined }) ?? answer
      }
      return answer ?? '[]'
    })
    running = undefined
    // What a file began itself and did not end is undone.
    if (isOurs) session.commit()
    return { claim, json: batch ? joinAnswers(answers) : (answers[0] as string) }
  } catch (error) {
    if (running === undefined) return { claim, error: toJobError(error, running) }
    session.forget(running.statement)
    const offset = session.findMistake(running.statement, (error as SqliteError).message)
    return { claim, error: { ...toJobError(error, running), set, offset } }
  }
}

/** The answers of a batch as one JSON array. */
function joinAnswers(answers: readonly string[]): string {
  let length = 0
  for (const answer of answers) length += answer.length
  if (length > maxAnswerLength) throw tooLong()
  return `[${answers.join(',')}]`
}

export function toJobError(error: unknown, call: Call | undefined): JobError {
  const { errcode, message } = error as SqliteError
  // What is neither SQLite's nor ours is the library's, about values too long for it.
  const isOurs = errcode !== undefined || error instanceof Failure
  return { code: errcode, message: isOurs ? message : 'The result is too large', statement: call?.statement }
}
