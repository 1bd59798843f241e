/**
 * The REST lane: a request for a REST endpoint goes to the Security Server and its answer to the caller, bytes, order and
 * repeats as they are. Owns what the lane adds and removes; headers.ts and query.ts know the rules, upstream.ts the call.
 */
import { randomUUID } from 'node:crypto'
import type { ResponseWriter, Request, RestEndpoint, Trace, Upload } from '../../model.ts'
import { sourceOf } from '../../xroad.ts'
import type { Budget } from '../../upstream/budget.ts'
import { readCallerHeaders, toOutbound } from '../../upstream/headers.ts'
import { toQuery } from './query.ts'
import { Room } from '../../upstream/room.ts'
import { refuseCall, type SecurityServer } from './security-server.ts'
import type { Upstream } from '../../upstream/upstream.ts'

export interface RestLane {
  readonly maxRequestBytes: number
  readonly budget: Budget
  /** Of a call, and of each wait before it. */
  readonly timeoutSeconds: number
  /** Where the calls of each endpoint go. Empty without a Security Server. */
  readonly places: ReadonlyMap<RestEndpoint, RestPlace>
}

/** The path is the one before the query string. */
export interface RestPlace extends SecurityServer {
  /** With the identity of the client. */
  readonly upstream: Upstream
  /** Value of X-Road-Client. */
  readonly client: string
}

/** Bodies up to this size are read before the call, so that a slow caller holds no connection to the Security Server. */
const collectBytes = 64 * 1024

export async function callRest(
  lane: RestLane,
  endpoint: RestEndpoint,
  request: Request,
  writer: ResponseWriter,
  trace: Trace,
): Promise<void> {
  const room = new Room(lane.budget, lane.timeoutSeconds)
  writer.held = room
  const body = request.upload.length === 0 ? noBody : await readBody(request.upload, lane.maxRequestBytes, room)
  const { 'x-road-id': id } = readCallerHeaders(request.headers)
  const { origin, path, upstream, client } = lane.places.get(endpoint) ?? refuseCall('no_security_server')
  const { headers, messageId } = toOutbound(request.headers, client, randomUUID)
  // In the log it is text, to the Security Server it goes byte for byte.
  trace.messageId = id || messageId
  const started = performance.now()
  try {
    const { status, errorCode } = await upstream.stream(
      {
        origin,
        path: path + toQuery(request.target, endpoint.allowedQueryParams),
        method: endpoint.method,
        headers,
        messageId,
        ...(endpoint.forwardBody ? body : noBody),
      },
      writer,
      room,
    )
    if (errorCode !== undefined) trace.source = sourceOf(errorCode)
    else if (status >= 400) trace.source = 'provider'
  } finally {
    trace.upstreamMs = performance.now() - started
  }
}

interface Body {
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined
  readonly bodyLength?: number
}

const noBody: Body = { body: undefined }

/** A body without a declared length is read whole, because it may turn out too large, and then nothing must have been sent. */
async function readBody(upload: Upload, maxBytes: number, room: Room): Promise<Body> {
  const { length } = upload
  if (length === undefined || length <= collectBytes || length > maxBytes) {
    const body = await upload.collect(maxBytes, room.reserve)
    room.keepUpload()
    return { body }
  }
  return { body: upload.stream(), bodyLength: length }
}
