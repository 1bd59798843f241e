/**
 * The REST lane: a request for a REST endpoint goes to the Security Server and its response to the caller, bytes, order
 * and repeats as they are. Owns what the lane adds and removes; headers.ts and query.ts know the rules, upstream.ts the
 * call.
 */
import { randomUUID } from 'node:crypto'
import type { Events } from '../../events.ts'
import type { Request, ResponseWriter, RestEndpoint, Upload } from '../../model.ts'
import { fillIn } from '../../path-template.ts'
import type { Called, Trace } from '../../trace.ts'
import { readCallerHeaders, toOutbound } from '../../upstream/headers.ts'
import type { Room } from '../../upstream/room.ts'
import { sourceOf } from '../../xroad.ts'
import { hintFor } from './xroad-hints.ts'
import { type CallLimits, openRoom } from './call-room.ts'
import { addressOf, beginCall, endCall, failCall, toPairs } from './call-span.ts'
import { toQuery } from './query.ts'
import type { RestDestination } from './rest-destination.ts'
import { refuseCall } from './security-server.ts'

export interface RestLane extends CallLimits {
  /** Where the calls of each endpoint go. Empty without a Security Server. */
  readonly destinations: ReadonlyMap<RestEndpoint, RestDestination>
  readonly events: Events
}

/** What a request is for. */
export interface RestMatch {
  readonly endpoint: RestEndpoint
  /** One for each parameter of the path, percent-encoded. */
  readonly values?: readonly string[] | undefined
}

/**
 * Bodies up to this size are read before the call, so that a slow caller holds no connection to the Security Server.
 */
const collectBytes = 64 * 1024

export async function callRest(
  lane: RestLane,
  { endpoint, values }: RestMatch,
  request: Request,
  writer: ResponseWriter,
  trace: Trace,
): Promise<void> {
  const destination = lane.destinations.get(endpoint)
  const room = openRoom(lane, endpoint, writer, trace)
  const body = request.upload.length === 0 ? noBody : await readBody(request.upload, lane.maxRequestBytes, room)
  const { 'x-road-id': id, 'x-road-userid': user } = readCallerHeaders(request.headers)
  const { origin, path, texts, upstream, rules, limits, audited } = destination ?? refuseCall('no_security_server')
  const { headers, messageId, isFreshId } = toOutbound(request.headers, rules, randomUUID)
  // In the log it is text, to the Security Server it goes byte for byte.
  trace.messageId = isFreshId ? messageId : id
  trace.audit?.departs({ user, ...audited, bytesIn: lengthOf(body) })
  const span = trace.span && beginCall(trace.span, { origin, path, method: request.method })
  if (span !== undefined) headers.push(...toPairs(span, rules.traced))
  const toCalled = (): Called => ({ upstream: addressOf(origin), client: audited.client, service: audited.service })
  const started = performance.now()
  try {
    const { status, errorCode, errorStart } = await upstream.stream(
      {
        origin,
        path:
          (values === undefined ? path : fillIn(texts, values)) + toQuery(request.target, endpoint.allowedQueryParams),
        method: request.method,
        headers,
        messageId,
        limits,
        span,
        ...(endpoint.forwardBody ? body : noBody),
      },
      writer,
      room,
    )
    if (errorCode !== undefined) reportError(lane, { code: errorCode, body: errorStart, called: toCalled() }, trace)
    else if (status >= 400) trace.source = 'provider'
    endCall(trace, span, started, { status })
  } catch (error) {
    failCall(trace, span, started, error)
    trace.called = toCalled()
    throw error
  }
}

/** The caller gets an error of X-Road unchanged; the log says what it is and what helps. */
function reportError(
  { events }: RestLane,
  { code, body, called }: { readonly code: string; readonly body: Uint8Array | undefined; readonly called: Called },
  trace: Trace,
): void {
  trace.source = sourceOf(code)
  const { endpoint, messageId: id, requestId: request_id, span } = trace
  const { client, service } = called
  const said = { code, string: textOf(body), client, service, hint: hintFor(code, called) }
  events.emit('xroadError', { endpoint, id, ...said, request_id, traceparent: span?.traceparent })
}

const escaped: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' }

/** As X-Road writes its errors: a field or an element called message. */
function textOf(body: Uint8Array = new Uint8Array()): string {
  const text = Buffer.from(body).toString()
  const [, json, xml = ''] = /"message"\s*:\s*("(?:[^"\\]|\\.)*")|<message>([^<]*)<\/message>/.exec(text) ?? []
  try {
    return json === undefined
      ? xml.replaceAll(/&(?:lt|gt|amp);/g, (each) => escaped[each] ?? each)
      : String(JSON.parse(json))
  } catch {
    return ''
  }
}

interface Body {
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined
  readonly bodyLength?: number
}

function lengthOf({ body, bodyLength }: Body): number {
  return bodyLength ?? (body instanceof Uint8Array ? body.length : 0)
}

const noBody: Body = { body: undefined }

/**
 * A body without a declared length is read whole, because it may turn out too large, and then nothing must have been
 * sent.
 */
async function readBody(upload: Upload, maxBytes: number, room: Room): Promise<Body> {
  const { length } = upload
  if (length === undefined || length <= collectBytes || length > maxBytes) {
    const body = await upload.collect(maxBytes, room.reserve)
    room.keepUpload()
    return { body }
  }
  return { body: upload.stream(), bodyLength: length }
}
