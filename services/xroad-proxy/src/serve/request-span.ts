/**
 * A request as a span: its headers come in, its place in a trace goes out, and in the end what became of it is added. Names are those
 * of OpenTelemetry's stable conventions for HTTP servers. A path with parameters is told as its template, a query string not at all.
 */
import type { Span, Tracing } from '@services/trace'
import type { Request } from '../model.ts'
import { valueOf } from './pages/header-value.ts'

export function beginRequest(tracing: Tracing, { method, headers }: Pick<Request, 'method' | 'headers'>): Span {
  const known = methods.has(method)
  const traceparent = valueOf(headers, 'traceparent')
  const tracestate = valueOf(headers, 'tracestate')
  return tracing.begin({ traceparent, tracestate }, known ? method : otherName, {
    kind: 'server',
    attributes: {
      'http.request.method': known ? method : otherMethod,
      'http.request.method_original': known ? undefined : method,
      'url.scheme': 'http',
    },
  })
}

export interface Ended {
  readonly method: string
  /** `group/service` and what follows, with the names of parameters; undefined where the request reached none. */
  readonly endpoint?: string | undefined
  /** The path, where it did not. */
  readonly path?: string | undefined
  readonly status: number
  /** The code of an error. */
  readonly error?: string | undefined
}

export function endRequest(span: Span, { method, endpoint, path, status, error }: Ended): void {
  if (!span.isRecording) {
    span.end()
    return
  }
  const verb = methods.has(method) ? method : otherName
  const route = endpoint === undefined ? undefined : `/${endpoint}`
  span.end({
    name: route === undefined ? verb : `${verb} ${route}`,
    attributes: {
      'http.route': route,
      'url.path': route ?? path,
      'http.response.status_code': status,
      // A request that was refused is no error of this service, and has a name all the same.
      'error.type': error,
    },
    error: status >= leastFailure ? (error ?? String(status)) : undefined,
  })
}

/** From here on it is this service, or the one behind it, that has failed. */
const leastFailure = 500
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
