/**
 * What became of a request -> its line in the log. Which requests have one is decided by the package observe; what
 * is in it is described by handle.ts and refuse.ts.
 */
import type { RequestLines } from '@services/observe'
import type { AnsweredRequest, Events } from '../events.ts'

export function requestLines(events: Events): RequestLines<AnsweredRequest> {
  return {
    // 499 too: the caller has left before it had its reply.
    isError: ({ status, error }) => status >= 400 || error !== undefined,
    ms: ({ ms }) => ms,
    tell: (answered) => events.emit('request', answered),
  }
}
