/**
 * An upstream call as a span, what the upstream learns of it, and how long it took. Names are those of OpenTelemetry's
 * stable conventions for HTTP clients. The address comes without a query string and with the names of its parameters:
 * no value of a caller is in a span.
 */
import type { Span } from '@services/trace'
import { nameOf } from '../../errors.ts'
import type { Trace } from '../../trace.ts'
import { type TraceHeader, traceHeaders } from '../../upstream/headers.ts'
import type { Call } from '../../upstream/upstream.ts'

/** `path` may have parameters in braces. */
export function beginCall(span: Span, { origin, path, method }: Pick<Call, 'origin' | 'path' | 'method'>): Span {
  // Without an SDK the span of the request is passed on.
  if (!span.isRecording) return span.begin(method, { kind: 'client' })
  const { protocol, hostname, port } = new URL(origin)
  return span.begin(method, {
    kind: 'client',
    attributes: {
      'http.request.method': method,
      'server.address': hostname.replace(/^\[|\]$/g, ''),
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      'url.full': origin + (path.split('?', 1)[0] as string),
      'network.protocol.version': '1.1',
    },
  })
}

/** Host and port of an origin. */
export function addressOf(origin: string): string {
  const { protocol, hostname, port } = new URL(origin)
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}

/** The call with the headers for it. */
export function withTrace(call: Call, span: Span): Call {
  return { ...call, span, headers: [...call.headers, ...toPairs(span, traceHeaders)] }
}

/** Names and values of these headers in turn. */
export function toPairs(span: Span, names: readonly TraceHeader[]): string[] {
  return names.flatMap((name) => {
    const value = span[name]
    return value === undefined ? [] : [name, value]
  })
}

const minErrorStatus = 400

/** A call that was answered, whatever the status; `started` is when it went out, by the clock of `performance`. */
export function endCall(
  trace: Trace,
  span: Span | undefined,
  started: number,
  { status }: { readonly status: number },
): void {
  trace.upstreamMs = performance.now() - started
  span?.end({
    attributes: { 'http.response.status_code': status },
    error: status >= minErrorStatus ? String(status) : undefined,
  })
}

/** The same of one that brought no whole answer. */
export function failCall(trace: Trace, span: Span | undefined, started: number, error: unknown): void {
  trace.upstreamMs = performance.now() - started
  failSpan(span, error)
}

export function failSpan(span: Span | undefined, error: unknown): void {
  span?.end({ error: nameOf(error) })
}
