/**
 * The answer to what never became a request: no HTTP at all, a head beyond the limit, a method that the HTTP parser does not
 * know. What was wrong comes in, a reply goes out, and a line of log, because the request path sees none of this.
 */
import { Failure, toReply } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Reply } from '../model.ts'
import { route, type Routes } from './route.ts'
import type { Refusal, RequestLine } from './server.ts'

/** `at` is `body` where a request breaks off in the middle: the request path logs that one. */
export function refuse(routes: Routes, log: Log, reason: Refusal, at: RequestLine | 'body' | undefined): Reply {
  const { error, reply } = toRefusal(routes, reason, at)
  // Neither method nor path: what looks like them may be the rest of a body that was longer than declared.
  if (at !== 'body') log.write('request', { method: 'unknown', status: reply.status, ms: 0, error, source: 'proxy' })
  return reply
}

interface Refused {
  readonly error: string
  readonly reply: Reply
}

function toRefusal(routes: Routes, reason: Refusal, at: RequestLine | 'body' | undefined): Refused {
  if (reason !== 'unknown method' || at === undefined || at === 'body') {
    return { error: 'malformed_request', reply: replies[reason] }
  }
  const failure = findFailure(routes, at)
  return { error: failure.code, reply: toReply(failure) }
}

/** A method that the parser does not know is wrong for every path, and unknown paths stay unknown. */
function findFailure(routes: Routes, { method, target }: RequestLine): Failure {
  try {
    route(routes, method, target)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  return new Failure('internal_error', 'internal error')
}

const malformed: Reply = { status: 400, body: toBody('the request is not valid HTTP') }

const replies: Readonly<Record<Refusal, Reply>> = {
  malformed,
  'unknown method': malformed,
  'head too large': { status: 431, body: toBody('the head of the request is too large') },
  timeout: { status: 408, body: toBody('the request did not arrive in time') },
}

function toBody(message: string): string {
  return JSON.stringify({ error: 'malformed_request', message })
}
