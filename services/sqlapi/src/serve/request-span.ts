/** A request as a span: its headers come in, its place in a trace goes out, and in the end what became of it is added. */
import type { Exchange } from '@services/http-shell'
import { beginServerSpan, endServerSpan, type Span, type Tracing } from '@services/trace'
import type { RequestHeaders, Trace } from '../model.ts'
import { pathOf } from './route.ts'
import { brokenOff } from './trace.ts'

export function beginRequest(tracing: Tracing, { method, headers }: Pick<Exchange, 'method' | 'headers'>): Span {
  const { traceparent, tracestate } = headers as RequestHeaders
  return beginServerSpan(tracing, method, { traceparent, tracestate })
}

export function endRequest(span: Span, { method, target, endpoint, page, status, error }: Trace): void {
  endServerSpan(span, {
    method,
    route: endpoint?.path ?? page,
    path: target === undefined ? undefined : pathOf(target),
    status,
    error,
    isBroken: error === brokenOff,
  })
}
