/**
 * An upstream call as a span, and what the upstream learns of it. Names are those of OpenTelemetry's stable
 * conventions for HTTP clients. The address comes without a query string and with the names of its parameters: no value
 * of a caller is in a span.
 */
import type { Span } from '@services/trace'
import { nameOf } from '../../errors.ts'
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

export function endCall(span: Span | undefined, { status }: { readonly status: number }): void {
  span?.end({
    attributes: { 'http.response.status_code': status },
    error: status >= minErrorStatus ? String(status) : undefined,
  })
}

export function failCall(span: Span | undefined, error: unknown): void {
  span?.end({ error: nameOf(error) })
}
