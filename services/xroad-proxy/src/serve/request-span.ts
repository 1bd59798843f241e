/**
 * A request as a span: its headers come in, its place in a trace goes out, and in the end what became of it is added.
 */
import { beginServerSpan, endServerSpan, type Span, type Tracing } from '@services/trace'
import type { Request } from '../model.ts'
import { headerValue } from '../raw-headers.ts'

/** The request carries the span's place in the trace from then on. */
export function beginRequest(tracing: Tracing, request: Request): Span {
  const { method, headers } = request
  const traceparent = headerValue(headers, 'traceparent')
  const tracestate = headerValue(headers, 'tracestate')
  const span = beginServerSpan(tracing, method, { traceparent, tracestate })
  request.traceparent = span.traceparent
  return span
}

export interface Ended {
  readonly method: string
  /** `group/service` and what follows, with the names of parameters; undefined where the request reached none. */
  readonly endpoint?: string | undefined
  /** The path of a request that reached none. */
  readonly path?: string | undefined
  readonly status: number
  /** The code of an error. */
  readonly error?: string | undefined
}

export function endRequest(span: Span, { method, endpoint, path, status, error }: Ended): void {
  endServerSpan(span, { method, route: endpoint === undefined ? undefined : `/${endpoint}`, path, status, error })
}
