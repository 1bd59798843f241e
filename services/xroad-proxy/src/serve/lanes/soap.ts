/**
 * The SOAP lane: allow-listed values of the caller's JSON become an envelope, the envelope goes to the Security Server
 * or directly to the service, and the response becomes JSON. The steps are in soap/, the destinations are made by
 * soap-destination.ts; this file owns the order of the steps and the meaning of the status.
 */
import { randomUUID } from 'node:crypto'
import { Failure } from '../../errors.ts'
import type { Events } from '../../events.ts'
import type {
  FailureSource,
  Fault,
  FileReply,
  Generated,
  Reply,
  Request,
  ResponseWriter,
  SoapEndpoint,
} from '../../model.ts'
import type { Called, Trace } from '../../trace.ts'
import { readResponseInSteps } from '../../soap/message/response.ts'
import { toFailure } from '../../soap/message/fault.ts'
import type { Translated } from '../../soap/json/frame.ts'
import { type Json, joinJson, lengthOf } from '../../soap/json/json-text.ts'
import type { Member } from '../../soap/json/shape.ts'
import type { Steps } from '../../steps.ts'
import { XmlError } from '../../soap/json/xml-error.ts'
import { sourceOf } from '../../xroad.ts'
import { hintFor } from './xroad-hints.ts'
import { readCallerHeaders, readMessageId } from '../../upstream/headers.ts'
import type { Room } from '../../upstream/room.ts'
import { foreignAnswer } from '../../upstream/upstream-call.ts'
import { requestHashOf, sentId, whoCallsWhat } from './audited-header.ts'
import { type CallLimits, openRoom } from './call-room.ts'
import { addressOf, beginCall, endCall, failCall, failSpan, withTrace } from './call-span.ts'
import type { StepQueue } from './in-steps.ts'
import type { RequestReader } from './request-reader.ts'
import { type Obstacle, refuseCall } from './security-server.ts'
import { type Incoming, readIncoming, render, withAttachments } from './soap-attachments.ts'
import type { SoapDestination } from './soap-destination.ts'
import type { Call, Upstream, UpstreamResponse } from '../../upstream/upstream.ts'

export interface SoapLane extends CallLimits {
  /** Where the envelopes of each endpoint go, except for those with an obstacle. */
  readonly destinations: ReadonlyMap<SoapEndpoint, SoapDestination>
  readonly obstacles: ReadonlyMap<SoapEndpoint, Obstructed>
  readonly exposeFaultDetail: boolean
  readonly queue: StepQueue
  /** What the Body holds, for endpoints that answer with types. */
  readonly bodies: ReadonlyMap<SoapEndpoint, Member>
  readonly events: Events
}

/**
 * An endpoint that cannot be called. Its requests are checked nevertheless, so that callers learn what they can repair
 * themselves.
 */
export interface Obstructed {
  readonly obstacle: Obstacle
  readonly reader: RequestReader
}

/** Statuses that say that the message was accepted and that there is no content. */
const empty: ReadonlySet<number> = new Set([202, 204])
const nothing: Reply = { status: 200, body: '{"body":null,"headers":null}' }

export async function callSoap(
  lane: SoapLane,
  endpoint: SoapEndpoint,
  request: Request,
  writer: ResponseWriter,
  trace: Trace,
): Promise<Reply | FileReply> {
  const room = openRoom(lane, endpoint, writer, trace)
  const body = await request.upload.collect(lane.maxRequestBytes, room.reserve)
  const { 'x-road-id': id, 'x-road-userid': user, 'x-road-issue': issue } = readCallerHeaders(request.headers)
  // An empty id does not count.
  const uuid = id || randomUUID()
  trace.messageId = uuid
  const incoming: Incoming = { endpoint, request, body, writer, trace, room }
  const destination = lane.destinations.get(endpoint) ?? (await obstruct(lane, incoming))
  const generated = { ...destination.generated, uuid, user_id: user, issue }
  const message = await lane.queue.run(toMessage(destination, incoming, generated), writer)
  const waiting = room.hold(message.body.length)
  if (waiting !== undefined) await waiting
  trace.audit?.departs({ user, ...whoCallsWhat(endpoint, message.body), bytesIn: body.length })
  const translation = await exchange(lane, destination.upstream, message, incoming)
  if (translation === undefined) return nothing
  if (trace.audit !== undefined) trace.audit.requestHash = requestHashOf(translation.headers)
  if (translation.fault !== undefined)
    throw refuseFault(lane, translation.fault, {
      direct: destination.source,
      called: calledBy(message, endpoint),
      trace,
    })
  return toJsonReply(translation, room)
}

/** Why the endpoint cannot be called; what is wrong with the request itself is reported first. */
async function obstruct({ obstacles, queue }: SoapLane, incoming: Incoming): Promise<never> {
  const obstructed = obstacles.get(incoming.endpoint)
  if (obstructed !== undefined) await queue.run(readIncoming(obstructed.reader, incoming), incoming.writer)
  return refuseCall(obstructed?.obstacle ?? 'no_security_server')
}

type Message = Call & { readonly body: Uint8Array }

/** With attachments, the body of the request, its texts and the message are in memory at the same time. */
function* toMessage({ call, reader }: SoapDestination, incoming: Incoming, generated: Generated): Steps<Message> {
  const { endpoint, body, room } = incoming
  if (endpoint.envelope.attached === undefined)
    return { ...call, body: yield* render(incoming, yield* readIncoming(reader, incoming), generated) }
  const waiting = room.hold(3 * body.length)
  if (waiting !== undefined) yield waiting
  return yield* withAttachments(incoming, yield* readIncoming(reader, incoming), generated, call)
}

/** The response to a message; what was called is noted for the log if it cannot be had. */
async function exchange(
  lane: SoapLane,
  upstream: Upstream,
  message: Message,
  incoming: Incoming,
): Promise<Translated | undefined> {
  try {
    const response = await send(upstream, message, incoming)
    return await lane.queue.run(accept(lane, response, message, incoming), incoming.writer)
  } catch (error) {
    incoming.trace.called = calledBy(message, incoming.endpoint)
    throw error
  }
}

function calledBy({ origin, body }: Message, endpoint: SoapEndpoint): Called {
  const { client, service, version } = whoCallsWhat(endpoint, body)
  return { upstream: addressOf(origin), client, service: version === undefined ? service : `${service}/${version}` }
}

async function send(upstream: Upstream, call: Message, { writer, room, trace }: Incoming): Promise<UpstreamResponse> {
  const started = performance.now()
  const span = trace.span && beginCall(trace.span, call)
  try {
    const response = await upstream.collect(span === undefined ? call : withTrace(call, span), writer, room)
    endCall(trace, span, started, response)
    return response
  } catch (error) {
    failCall(trace, span, started, error)
    throw error
  }
}

/**
 * The connection is free for others only once its response turns out to belong to this message: behind an upstream that
 * has sent one answer too many, each caller would get the answer to another one. Undefined for a response without
 * content.
 */
function* accept(
  lane: SoapLane,
  response: UpstreamResponse,
  message: Message,
  incoming: Incoming,
): Steps<Translated | undefined> {
  let isOwn = true
  try {
    if (response.body.length === 0 && empty.has(response.status)) return undefined
    const translation = yield* translate(lane, response, incoming)
    const foreign = message.isVerified === true ? foreignId(translation, response, message, incoming) : undefined
    if (foreign === undefined) return translation
    isOwn = false
    throw foreignAnswer(incoming.trace.messageId ?? '', foreign)
  } finally {
    response.source.settle(isOwn)
  }
}

/** An id of the response that is not that of the message. People write ids of their own into envelopes. */
function foreignId(
  { messageId }: Translated,
  { headers }: UpstreamResponse,
  { body }: Message,
  { endpoint, trace }: Incoming,
): string | undefined {
  const uuid = trace.messageId ?? ''
  for (const id of [readMessageId(headers), messageId?.trim()]) {
    if (id === undefined || id === uuid.trim()) continue
    if (id !== (sentId(endpoint, body, uuid) ?? id).trim()) return id
  }
  return undefined
}

/** Throws unless the response is a SOAP message: a good one on 2xx, a fault on any status but a redirect. */
function* translate(
  { bodies }: SoapLane,
  { status, body, contentType }: UpstreamResponse,
  { endpoint, trace }: Incoming,
): Steps<Translated> {
  const expected = bodies.get(endpoint)
  const attachments = endpoint.attachments ?? (expected === undefined ? 'none' : 'list')
  const span = trace.span?.begin('parse')
  try {
    if (status >= 300 && status < 400) throw httpError(status)
    const translation = yield* readResponseInSteps(body, contentType, { expected, attachments })
    if (!isSuccess(status) && translation.fault === undefined) throw httpError(status)
    span?.end()
    return translation
  } catch (error) {
    const failure = error instanceof XmlError ? notXml(error, status) : error
    failSpan(span, failure)
    throw failure
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** The status says more about a response that is not a success. */
function notXml(error: XmlError, status: number): Failure {
  if (!isSuccess(status)) return httpError(status)
  const message = `the answer cannot be read as XML: ${error.message}`
  return new Failure('upstream_xml_parse_error', message, { cause: error })
}

function httpError(status: number): Failure {
  return new Failure('upstream_http_error', `upstream returned HTTP ${status}`)
}

/** The log gets the whole fault, the caller what the configuration lets through. */
function refuseFault(
  lane: SoapLane,
  fault: Fault,
  {
    direct,
    called: { client, service },
    called,
    trace,
  }: { direct: FailureSource | undefined; called: Called; trace: Trace },
): Failure {
  trace.source = direct ?? sourceOf(fault.code)
  const { endpoint, messageId: id, requestId: request_id, span } = trace
  const hint = direct === undefined ? hintFor(fault.code, called) : undefined
  const traceparent = span?.traceparent
  lane.events.emit('soapFault', { endpoint, id, ...fault, client, service, hint, request_id, traceparent })
  return toFailure(fault, { expose: lane.exposeFaultDetail, source: trace.source })
}

/** The room of the call keeps only the reply from here on. */
function toJsonReply(translation: Translated, room: Room): Reply | FileReply {
  const json = toJson(translation)
  room.keep(lengthOf(json))
  if (typeof json === 'string') return { status: 200, body: json }
  return { status: 200, body: Buffer.concat(json.pieces, json.length) }
}

function toJson({ body, headers, attachments }: Translated): Json {
  const inside = joinJson(joinJson(joinJson('{"body":', body), ',"headers":'), headers)
  const all = attachments === undefined ? inside : joinJson(joinJson(inside, ',"attachments":'), attachments)
  return joinJson(all, '}')
}
