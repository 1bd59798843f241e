/**
 * The REST lane: a request for a REST endpoint goes to the Security Server and its response to the caller, bytes, order
 * and repeats as they are. Owns what the lane adds and removes; headers.ts and query.ts know the rules, upstream.ts the
 * call.
 */
import { randomUUID } from 'node:crypto'
import type { RawHeaders, ResponseWriter, Request, RestEndpoint, Upload } from '../../model.ts'
import type { AuditedMessage, Trace } from '../../trace.ts'
import { fillIn, parsePathTemplate, textsAround } from '../../path-template.ts'
import { sourceOf, toName, toServicePath } from '../../xroad.ts'
import type { Budget } from '../../upstream/budget.ts'
import { beginCall, endCall, failCall, toPairs } from './call-span.ts'
import { type OutboundRules, readCallerHeaders, toOutbound, toOutboundRules } from '../../upstream/headers.ts'
import { toQuery } from './query.ts'
import { Room } from '../../upstream/room.ts'
import { refuseCall, type SecurityServer } from './security-server.ts'
import type { Limits, Upstream } from '../../upstream/upstream.ts'

export interface RestLane {
  readonly maxRequestBytes: number
  readonly budget: Budget
  /** Of a call, and of each wait before it. */
  readonly timeoutSeconds: number
  /** Where the calls of each endpoint go. Empty without a Security Server. */
  readonly destinations: ReadonlyMap<RestEndpoint, RestDestination>
}

/** What is the same for all calls of an endpoint. `path` is the one before the query string. */
export interface RestDestination extends SecurityServer {
  /** With the identity of the client. */
  readonly upstream: Upstream
  /** The pieces of the path around its parameters, where it has any. */
  readonly texts: readonly string[]
  readonly rules: OutboundRules
  /** In place of those of all calls. */
  readonly limits: Limits | undefined
  /** As the audit file names who calls what. */
  readonly audited: Pick<AuditedMessage, 'lane' | 'client' | 'service' | 'version'> & {
    /** Whom X-Road is told in place of the caller's user, where the file says so. */
    readonly user?: string
  }
}

/** Who calls from where, as addresses and headers say it. */
export interface RestIdentity {
  readonly instance: string
  /** Value of X-Road-Client. */
  readonly client: string
  /** As people read it. */
  readonly name: string
}

/** `set` are header names and values in turn. */
export function toRestDestination(
  { target, headers }: RestEndpoint,
  { instance, client, name }: RestIdentity,
  { origin, path: base }: SecurityServer,
  {
    upstream,
    set,
    limits,
    isTracing,
  }: Pick<RestDestination, 'upstream' | 'limits'> & {
    readonly set: RawHeaders
    /** Requests have a place in a trace, and their calls tell it. */
    readonly isTracing: boolean
  },
): RestDestination {
  const path = base + toServicePath(instance, target)
  // What stands before the target's own path has no brace: it is percent-encoded.
  const texts = textsAround(parsePathTemplate(path))
  const service = `${toName({ ...target, instance: target.xroadInstance || instance })}/${target.serviceCode}`
  const audited = { lane: 'rest', client: name, service, version: undefined, ...userIn(set) } as const
  const rules = toOutboundRules(client, { remove: headers?.remove, set, isTracing })
  return { origin, path, texts, upstream, rules, limits, audited }
}

/** One character for each byte. */
function userIn(set: RawHeaders): { readonly user?: string } {
  const at = set.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === 'x-road-userid')
  return at === -1 ? {} : { user: Buffer.from(set[at + 1] ?? '', 'latin1').toString() }
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
  const room = new Room(lane.budget, endpoint.limits.timeoutSeconds ?? lane.timeoutSeconds)
  writer.held = room
  trace.waits = room
  const body = request.upload.length === 0 ? noBody : await readBody(request.upload, lane.maxRequestBytes, room)
  const { 'x-road-id': id, 'x-road-userid': user } = readCallerHeaders(request.headers)
  const { origin, path, texts, upstream, rules, limits, audited } = destination ?? refuseCall('no_security_server')
  const { headers, messageId, isFreshId } = toOutbound(request.headers, rules, randomUUID)
  // In the log it is text, to the Security Server it goes byte for byte.
  trace.messageId = isFreshId ? messageId : id
  trace.audit?.departs({ user, ...audited, bytesIn: lengthOf(body) })
  const span = trace.span && beginCall(trace.span, { origin, path, method: request.method })
  if (span !== undefined) headers.push(...toPairs(span, rules.traced))
  const started = performance.now()
  try {
    const { status, errorCode } = await upstream.stream(
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
    if (errorCode !== undefined) trace.source = sourceOf(errorCode)
    else if (status >= 400) trace.source = 'provider'
    endCall(span, { status })
  } catch (error) {
    failCall(span, error)
    throw error
  } finally {
    trace.upstreamMs = performance.now() - started
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
