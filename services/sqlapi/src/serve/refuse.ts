/** The reply to what never becomes a request: what was wrong comes in, status and text go out. */
import type { Refusal, Refused } from '@services/http-shell'
import { Failure, type FailureName, toReply } from '../errors.ts'
import { missingEndpoint, readTarget } from './route.ts'

/** A transfer coding that is not known has a status of its own. */
const notImplemented = 501

/** With the name of the error. */
export interface NamedRefusal extends Refused {
  readonly error: FailureName
}

export function refuse({ reason, line, maxHeadBytes }: Refusal): NamedRefusal {
  switch (reason) {
    // A method that no file can answer, whatever the path.
    case 'unknown method':
    case 'tunnel':
      return toRefused(missingEndpoint(readTarget(line?.target ?? '').shown))
    case 'head too large':
      return malformed(`Request line and headers are larger than ${maxHeadBytes} bytes`)
    case 'timeout':
      return malformed('The request did not arrive in time')
    case 'transfer coding':
      return { ...malformed('Transfer codings other than chunked are not supported'), status: notImplemented }
    case 'no host':
      return malformed('The request has no Host header')
    case 'repeated host':
      return malformed('The request has more than one Host header')
    case 'not a host':
      return malformed('The Host header is neither a host name nor an address')
    case 'not a target':
      return malformed('The URL is not valid: percent-encode blanks and letters outside ASCII, as %20 and %C3%B5')
    case 'TLS':
      return malformed('This port takes plain HTTP, and the client began TLS: call it with http://')
    case 'malformed':
      return malformed('The request is not valid HTTP')
  }
}

function malformed(message: string): NamedRefusal {
  return toRefused(new Failure('http_malformed', message))
}

function toRefused(failure: Failure): NamedRefusal {
  const { status, body } = toReply(failure, {})
  return { error: failure.name, status, headers: { 'content-type': body.mediaType }, body: body.content }
}
