/**
 * The request path. A request comes in, its reply goes to the response writer; the body of `answer` is the order of
 * checks that the manual promises. Each stage is a call into the file that owns it; none of them calls the next.
 */
import type { CodedContent } from '@services/content-coding'
import { BodyTooLarge } from '@services/http-shell'
import { cutText, goneStatus, roundMs, stackOf } from '@services/observe'
import type { Span, Tracing } from '@services/trace'
import { CallerGone, callerGone, Failure, failures, nameOf, toReply } from '../errors.ts'
import type { AnsweredRequest, Events } from '../events.ts'
import type { FileReply, Reply, Request, ResponseWriter } from '../model.ts'
import { headerValue } from '../raw-headers.ts'
import type { Trace } from '../trace.ts'
import type { DocsPage } from './pages/docs-page.ts'
import { type Audit, AuditedWriter } from './audited-writer.ts'
import { callRest, type RestLane, type RestMatch } from './lanes/rest.ts'
import { idOfRefused, withId } from './message-id.ts'
import { beginRequest, endRequest } from './request-span.ts'
import { route, type Routes, toPath } from './route.ts'
import { callSoap, type SoapLane } from './lanes/soap.ts'

/** Everything that the request path needs, made at boot. */
export interface Service {
  readonly routes: Routes
  /** Bytes, because they are the same for every request. */
  readonly health: FileReply
  readonly api: CodedContent
  readonly docs: DocsPage
  readonly soap: SoapLane
  readonly rest: RestLane
  /** Whether the body of an error has the id of its message. */
  readonly errorMessageId: boolean
  /** Undefined without an audit file. */
  readonly audit: Audit | undefined
  /** Undefined when tracing is off. */
  readonly tracing: Tracing | undefined
  readonly events: Events
}

/** Never rejects: an error on the way becomes a reply, or breaks off one that has begun. */
export async function handle(service: Service, request: Request, caller: ResponseWriter): Promise<void> {
  const started = performance.now()
  const trace = newTrace(request, service.tracing && beginRequest(service.tracing, request))
  const writer = service.audit === undefined ? caller : watch(service.audit, request, caller, trace)
  try {
    await answer(service, request, writer, trace)
  } catch (thrown) {
    trace.error = nameOf(thrown)
    trace.reason = whyTooLarge(thrown)
    report(service.events, trace, thrown)
    // From here on the call holds nothing but a short reply.
    writer.held?.close()
    if (writer.hasBegun) writer.breakOff()
    else writer.send(refusal(service, request, trace, thrown))
  }
  if (!service.events.isEnabled('answered') && trace.span === undefined) return
  const described = describe(request, writer, trace, performance.now() - started)
  service.events.emit('answered', described)
  if (trace.span !== undefined) endRequest(trace.span, described)
}

function newTrace({ requestId }: Request, span: Span | undefined): Trace {
  return {
    requestId,
    span,
    endpoint: undefined,
    messageId: undefined,
    upstreamMs: undefined,
    waits: undefined,
    source: undefined,
    error: undefined,
    audit: undefined,
  }
}

function watch(audit: Audit, request: Request, caller: ResponseWriter, trace: Trace): ResponseWriter {
  const writer = new AuditedWriter(audit, request, caller, trace)
  trace.audit = writer
  return writer
}

/** A caller was cut off because it read too little of its reply. */
export function reportTooSlow(
  { events }: Service,
  {
    method,
    target,
    requestId: request_id,
    traceparent,
  }: Pick<Request, 'method' | 'target' | 'requestId' | 'traceparent'>,
): void {
  events.emit('answerBrokenOff', {
    method,
    path: cutText(toPath(target)),
    reason: 'the caller took less than 64 KiB in 10 s',
    request_id,
    traceparent,
  })
}

/** Throws, or settles when the reply has ended. */
async function answer(service: Service, request: Request, writer: ResponseWriter, trace: Trace): Promise<void> {
  if (asksForPage(request)) return writer.send(service.docs.leading)
  const match = route(service.routes, request.method, request.target)
  if ('endpoint' in match) {
    const { endpoint, name } = match
    trace.endpoint = name
    if (endpoint.kind === 'rest') await callRest(service.rest, match as RestMatch, request, writer, trace)
    else writer.send(withId(await callSoap(service.soap, endpoint, request, writer, trace), trace.messageId as string))
  } else if ('page' in match) {
    writer.send(match.page === 'health' ? service.health : await replyApi(service, request))
  } else {
    writer.send(await service.docs.reply(match.docs, request.headers))
  }
}

/** A browser at `/`. A program that asks for it has missed its path. */
function asksForPage({ method, target, headers }: Request): boolean {
  if (target !== '/' && !target.startsWith('/?')) return false
  return (method === 'GET' || method === 'HEAD') && headerValue(headers, 'accept')?.includes('text/html') === true
}

function refusal({ errorMessageId }: Service, { headers }: Request, trace: Trace, thrown: unknown): Reply | FileReply {
  const id = (trace.messageId ??= idOfRefused(headers))
  return withId(toReply(thrown, errorMessageId ? id : undefined), id)
}

function replyApi({ api }: Service, { headers }: Request): FileReply | Promise<FileReply> {
  return api.reply(headerValue(headers, 'accept-encoding'), headerValue(headers, 'if-none-match'))
}

/** What the caller is not told: why a call failed, and where an unexpected error came from. */
function report(
  events: Events,
  { endpoint, messageId: id, requestId: request_id, span, called }: Trace,
  thrown: unknown,
): void {
  const traceparent = span?.traceparent
  if (thrown instanceof CallerGone) return
  if (!(thrown instanceof Failure)) {
    events.emit('internalError', {
      endpoint,
      id,
      stack: stackOf(thrown),
      request_id,
      traceparent,
    })
  } else if (isCall(thrown)) {
    const cause = thrown.cause instanceof Error ? thrown.cause.message : undefined
    const { code: error, message: reason } = thrown
    events.emit('callFailed', { endpoint, id, error, reason, cause, ...called, request_id, traceparent })
  }
}

/** Whether the call failed, and not the request. A fault has a log line of its own. */
function isCall({ code }: Failure): boolean {
  return failures[code] >= 500 && code !== 'upstream_soap_fault'
}

/** The caller need not know which field of ours has the limit, but the operator does. */
function whyTooLarge(thrown: unknown): string | undefined {
  if (!(thrown instanceof Failure) || thrown.code !== 'request_too_large') return undefined
  return thrown.cause instanceof BodyTooLarge ? `${thrown.message}; limits.max_request_bytes raises it` : thrown.message
}

function describe(request: Request, writer: ResponseWriter, trace: Trace, ms: number): AnsweredRequest {
  const { endpoint, messageId: id, upstreamMs, waits, error, requestId: request_id } = trace
  const isGone = error === callerGone
  const isFailed = error !== undefined && !isGone
  return {
    method: request.method,
    endpoint,
    path: endpoint === undefined ? cutText(toPath(request.target)) : undefined,
    status: isGone ? goneStatus : writer.status,
    ms: roundMs(ms),
    upstream_ms: upstreamMs === undefined ? undefined : roundMs(upstreamMs),
    waited_ms: waits === undefined ? undefined : roundMs(waits.waitedMs),
    bytes: writer.bytes,
    id,
    error: isFailed ? error : undefined,
    source: isFailed ? (trace.source ?? 'proxy') : trace.source,
    reason: trace.reason,
    request_id,
    traceparent: trace.span?.traceparent,
  }
}
