/**
 * A request as a span, with the names of OpenTelemetry's stable conventions for HTTP servers. What a service knows of
 * the request comes in. No query string, no header and no body goes out.
 */
import type { Span, Tracing } from './span.ts'
import type { TraceHeaders } from './trace-context.ts'

export function beginServerSpan(tracing: Tracing, method: string, headers: TraceHeaders): Span {
  const isKnown = methods.has(method)
  return tracing.begin(headers, isKnown ? method : otherName, {
    kind: 'server',
    attributes: {
      'http.request.method': isKnown ? method : otherMethod,
      'http.request.method_original': isKnown ? undefined : method,
      'url.scheme': 'http',
    },
  })
}

export interface AnsweredRequest {
  readonly method: string
  /** Of what the request has reached, with the names of parameters; undefined for nothing. */
  readonly route: string | undefined
  /** For a request that has reached nothing. */
  readonly path: string | undefined
  readonly status: number
  /** What its error is called. */
  readonly error: string | undefined
  /** The answer broke off: with a good status it is a failure nevertheless. */
  readonly isBroken?: boolean
}

export function endServerSpan(span: Span, answered: AnsweredRequest): void {
  const { method, route, path, status, error, isBroken = false } = answered
  if (!span.isRecording) {
    span.end()
    return
  }
  const verb = methods.has(method) ? method : otherName
  span.end({
    name: route === undefined ? verb : `${verb} ${route}`,
    attributes: {
      'http.route': route,
      'url.path': route ?? path,
      'http.response.status_code': status,
      // A request that was refused is not a failure of the service, and has a name nevertheless.
      'error.type': error,
    },
    error: status >= minFailureStatus || isBroken ? (error ?? String(status)) : undefined,
  })
}

/** From here on it is the service, or one behind it, that has failed. */
const minFailureStatus = 500
const otherMethod = '_OTHER'
const otherName = 'HTTP'
const methods: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
])
