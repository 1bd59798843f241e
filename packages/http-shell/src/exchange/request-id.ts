/**
 * The id under which a request is found again, in the log and by its caller: the caller's own `X-Request-Id`, where
 * that is one, else a new UUID. Callers write it into the log of the service, so it has no character that could mean
 * anything there.
 */
import { randomUUID } from 'node:crypto'

export const requestIdName = 'X-Request-Id'
/** The same in lower case, as headers of requests are named. */
export const requestIdKey = 'x-request-id'

const idPattern = /^[\w.-]{1,128}$/

/** The id that a caller sent. Undefined for anything else; a header that came twice is joined by a comma, and none. */
export function readRequestId(sent: string | string[] | undefined): string | undefined {
  return typeof sent === 'string' && idPattern.test(sent) ? sent : undefined
}

/** Cheap: Node.js takes random bytes for many at a time. */
export function newRequestId(): string {
  return randomUUID()
}

/** Whether the name of a header of an answer is that of the id. */
export function isRequestIdName(name: string): boolean {
  return name.length === requestIdName.length && name.toLowerCase() === requestIdKey
}
