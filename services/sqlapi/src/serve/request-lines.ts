/**
 * What became of a request -> its line in the log. Which requests have one is decided by the package observe. No line
 * holds a query string, a header besides the id, or a body.
 */
import { type RequestLines, roundMs } from '@services/observe'
import type { Events } from '../events.ts'
import type { Trace } from '../model.ts'
import { pathOf } from './route.ts'

/** Instead of the method of what never became a request. */
const unknownMethod = 'unknown'

export function requestLines(events: Events): RequestLines<Trace> {
  return {
    isError,
    ms: ({ ms }) => ms,
    tell(trace) {
      const { requestId, method, target, status, error, code, ms, waitedMs, datasource, rows, bytes, span } = trace
      events.emit(isError(trace) ? 'requestFailed' : 'request', {
        method: target === undefined ? unknownMethod : method,
        path: target === undefined ? undefined : pathOf(target),
        status,
        error,
        code,
        ms: roundMs(ms),
        waitedMs: waitedMs === undefined ? undefined : roundMs(waitedMs),
        datasource,
        rows,
        bytes,
        requestId,
        traceparent: span?.traceparent,
      })
    },
  }
}

/** 499 too: the client has left before it had its reply. */
function isError({ status, error }: Trace): boolean {
  return status >= 400 || error !== undefined
}
