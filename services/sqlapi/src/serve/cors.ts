/**
 * Which CORS headers a reply carries, and the whole reply to a preflight. Knows the allowed origins, not the HTTP
 * server. Every reply has the headers, errors too, because otherwise a browser hides it from the page that asked.
 */
import type { Reply, ReplyHeaders, RequestHeaders } from '../model.ts'

export interface Cors {
  /** For every reply; the objects are shared, not made again. */
  headersFor(request: RequestHeaders): ReplyHeaders
  /** The reply to a preflight; undefined for any other request. */
  preflight(method: string, request: RequestHeaders): Reply | undefined
}

const methods = 'GET, POST, HEAD'
const askedVary = 'Access-Control-Request-Headers'
const maxAgeSeconds = '600'
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** What a page may read of an answer besides its type and length: the id by which the log has the request. */
const exposed = { 'access-control-expose-headers': 'X-Request-Id' }

const anyOrigin: ReplyHeaders = Object.freeze({ 'access-control-allow-origin': '*', ...exposed })
const unlistedOrigin: ReplyHeaders = Object.freeze({ vary: 'Origin' })

/** Origins are compared as they are, character by character. */
export function createCors(allowed: '*' | readonly string[]): Cors {
  const headersFor = allowed === '*' ? () => anyOrigin : listOrigins(allowed)
  return {
    headersFor,
    preflight(method, request) {
      if (method !== 'OPTIONS' || request['origin'] === undefined) return undefined
      if (request['access-control-request-method'] === undefined) return undefined
      const headers = headersFor(request)
      const { 'access-control-allow-origin': origin, vary } = headers
      if (origin === undefined) return { status: 204, headers, body: undefined }
      const asked = toHeaderNames(request['access-control-request-headers'])
      return { status: 204, headers: allowAsked(origin, asked, vary), body: undefined }
    },
  }
}

function listOrigins(origins: readonly string[]): Cors['headersFor'] {
  const listed = new Map(origins.map((origin) => [origin, allowOrigin(origin)]))
  return ({ origin }) => (origin === undefined ? unlistedOrigin : (listed.get(origin) ?? unlistedOrigin))
}

function allowOrigin(origin: string): ReplyHeaders {
  return Object.freeze({ 'access-control-allow-origin': origin, ...exposed, vary: 'Origin' })
}

/** Nothing is exposed, because a preflight has nothing to be read. */
function allowAsked(origin: string, asked: string, vary: string | undefined): ReplyHeaders {
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': methods,
    ...(asked === '' ? {} : { 'access-control-allow-headers': asked }),
    'access-control-max-age': maxAgeSeconds,
    vary: vary === undefined ? askedVary : `${vary}, ${askedVary}`,
  }
}

/** The names if all of them are header names, else none: nothing else of a request is ever echoed. */
function toHeaderNames(asked = ''): string {
  const names = asked.split(',').map((name) => name.trim())
  return names.every((name) => token.test(name)) ? names.join(', ') : ''
}
