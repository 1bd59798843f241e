/**
 * The reply to what never became a request: bytes that are not HTTP, a head beyond the limit, a method that the HTTP
 * parser does not know. The problem comes in, a reply goes out, and a log line, because the request path sees none of
 * this. Its id is a new one: a header of the caller may be what could not be read.
 */
import { randomUUID } from 'node:crypto'
import type { Refusal, RequestLine } from '@services/http-shell'
import { Failure, toReply } from '../errors.ts'
import type { Reply } from '../model.ts'
import type { Service } from './handle.ts'
import { route, type Routes } from './route.ts'

export function refuse(
  { routes, errorMessageId, events }: Pick<Service, 'routes' | 'errorMessageId' | 'events'>,
  refusal: Refusal,
): Reply {
  const id = randomUUID()
  const { error, reason, reply } = toRefusal(routes, refusal, errorMessageId ? id : undefined)
  // Neither method nor path: what looks like them may be the rest of a body that was longer than declared. The request
  // path logs a request whose body is what was refused.
  if (!refusal.isBody && events.isEnabled('answered')) {
    const { requestId: request_id } = refusal
    const { status } = reply
    events.emit('answered', { method: 'unknown', status, ms: 0, id, error, source: 'proxy', reason, request_id })
  }
  return { ...reply, headers: { ...reply.headers, 'X-Road-Id': id } }
}

interface Refused {
  readonly error: string
  /** The same for every client: it quotes nothing that was sent. Undefined where it would name a path. */
  readonly reason: string | undefined
  readonly reply: Reply
}

function toRefusal(routes: Routes, { reason, line, maxHeadBytes }: Refusal, messageId: string | undefined): Refused {
  const malformed = (status: number, message: string): Refused => {
    const error = 'malformed_request'
    return {
      error,
      reason: message,
      reply: { status, body: JSON.stringify({ error, message, message_id: messageId }) },
    }
  }
  switch (reason) {
    case 'unknown method':
    case 'tunnel': {
      const failure = findFailure(routes, line ?? { method: '', target: '' })
      return { error: failure.code, reason: undefined, reply: toReply(failure, messageId) }
    }
    case 'head too large':
      return malformed(431, `the request line and headers are larger than ${maxHeadBytes} bytes`)
    case 'timeout':
      return malformed(408, 'the request did not arrive in time')
    case 'transfer coding':
      return malformed(501, 'transfer codings other than chunked are not supported')
    case 'no host':
      return malformed(400, 'the request has no Host header')
    case 'repeated host':
      return malformed(400, 'the request has more than one Host header')
    case 'not a host':
      return malformed(400, 'the Host header is neither a host name nor an address')
    case 'not a target':
      return malformed(400, 'the URL is not valid: percent-encode blanks and letters outside ASCII, as %20 and %C3%B5')
    case 'TLS':
      return malformed(400, 'this port takes plain HTTP, and the client began TLS: call it with http://')
    case 'malformed':
      return malformed(400, 'the request is not valid HTTP')
  }
}

/** A method that the parser does not know is wrong for every path, and unknown paths stay unknown. */
function findFailure(routes: Routes, { method, target }: RequestLine): Failure {
  try {
    route(routes, method, target)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  return new Failure('internal_error', 'internal error')
}
