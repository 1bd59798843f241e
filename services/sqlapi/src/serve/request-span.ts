/**
 * A request as a span: its headers come in, its place in a trace goes out, and in the end what became of it is added.
 */
import type { Exchange } from '@services/http-shell'
import { beginServerSpan, endServerSpan, type Span, type Tracing } from '@services/trace'
import { nameOf } from '../errors.ts'
import type { Request, RequestHeaders, Trace } from '../model.ts'
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

/** Reading a body of this many bytes takes long enough for a span of its own. */
const largeBytes = 64 * 1024

/** The reading of a large body, as a part of its request. */
export class Parsing {
  #span: Span | undefined

  private constructor(span: Span) {
    this.#span = span
  }

  static begin({ trace, body }: Request): Parsing | undefined {
    const span = trace?.span
    if (span?.isRecording !== true || body.length < largeBytes) return undefined
    return new Parsing(span.begin('parse', { attributes: { 'http.request.body.size': body.length } }))
  }

  /** Does nothing the second time. `error` is why the body could not be used. */
  end(error?: unknown): void {
    this.#span?.end(error === undefined ? {} : { error: nameOf(error) })
    this.#span = undefined
  }
}
