/**
 * One job from its first statement to its commit: a `Job` in, its reply out. What it wrote and how its session was left is
 * settled when the reply is there, but for a `shared` transaction, which group.ts ends.
 */
import { Failure } from '../../errors.ts'
import { joinAnswers } from '../answer.ts'
import type { Call, Job, JobError, JobReply } from './messages.ts'
import type { Pieces, Session } from './session.ts'

export interface JobOptions {
  readonly session: Session
  readonly isCancelled: () => boolean
  /** Where a long answer goes while its rows come, if it may. */
  readonly pieces: Pieces | undefined
}

export function runJob(job: Job, { session, isCancelled, pieces }: JobOptions): JobReply {
  const { claim, transaction, sets, batch, touchesSession } = job
  const isOurs = transaction === 'deferred' || transaction === 'immediate'
  let running: Call | undefined
  const check = (): void => {
    if (isCancelled()) throw new Failure('BadSqlGrammarException', 'The client has gone')
  }
  try {
    if (isOurs) session.begin(transaction)
    const answers = sets.map((calls) => {
      let answer: string | undefined
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
    if (running !== undefined) session.forget(running.statement)
    return { claim, error: toJobError(error, running) }
  } finally {
    if (transaction !== 'shared') session.rollback()
    if (touchesSession) session.renew()
  }
}

export function toJobError(error: unknown, call: Call | undefined): JobError {
  const { errcode, message } = error as { errcode?: number; message: string }
  // What is neither SQLite's nor ours is the library's, about values too long for it.
  const isOurs = errcode !== undefined || error instanceof Failure
  return { code: errcode, message: isOurs ? message : 'The result is too large', statement: call?.statement }
}
