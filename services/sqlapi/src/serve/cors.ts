/**
 * Which CORS headers a reply carries, and the whole reply to a preflight. Knows the allowed origins, not the HTTP server. Every
 * reply has the headers, errors too, because otherwise a browser hides it from the page that asked.
 */
import type { Reply, ReplyHeaders, RequestHeaders } from '../model.ts'

export interface Cors {
  /** For every reply; the objects are shared, not made anew. */
  headersFor(request: RequestHeaders): ReplyHeaders
  /** The reply to a preflight; undefined for any other request. */
  preflight(method: string, request: RequestHeaders): Reply | undefined
}

const methods = 'GET, POST, HEAD'
const askedVary = 'Access-Control-Request-Headers'
const maxAgeSeconds = '600'
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

const anyOrigin: ReplyHeaders = Object.freeze({ 'access-control-allow-origin': '*' })
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
      const isAllowed = headers['access-control-allow-origin'] !== undefined
      const asked = request['access-control-request-headers']
      return { status: 204, headers: isAllowed ? allowAsked(headers, asked) : headers, body: undefined }
    },
  }
}

function listOrigins(origins: readonly string[]): Cors['headersFor'] {
  const listed = new Map(origins.map((origin) => [origin, allowOrigin(origin)]))
  return ({ origin }) => (origin === undefined ? unlistedOrigin : (listed.get(origin) ?? unlistedOrigin))
}

function allowOrigin(origin: string): ReplyHeaders {
  return Object.freeze({ 'access-control-allow-origin': origin, vary: 'Origin' })
}

function allowAsked(headers: ReplyHeaders, asked: string | undefined): ReplyHeaders {
  const names = toHeaderNames(asked)
  return {
    ...headers,
    'access-control-allow-methods': methods,
    ...(names === '' ? {} : { 'access-control-allow-headers': names }),
    'access-control-max-age': maxAgeSeconds,
    vary: headers['vary'] === undefined ? askedVary : `${headers['vary']}, ${askedVary}`,
  }
}

/** The names if all of them are header names, else none: nothing else of a request is ever echoed. */
function toHeaderNames(asked = ''): string {
  const names = asked.split(',').map((name) => name.trim())
  return names.every((name) => token.test(name)) ? names.join(', ') : ''
}
