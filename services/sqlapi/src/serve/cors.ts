/**
 * Which CORS headers an answer carries. Knows the allowed origins, not the HTTP server; every answer gets the headers,
 * errors too, or a browser would hide them from the page that asked.
 */

export type Headers = Readonly<Record<string, string>>

export interface Cors {
  /** For every answer; the objects are shared, not made anew. */
  headersFor(origin: string | undefined): Headers
  /** For the answer to a preflight. `asked` is the value of `Access-Control-Request-Headers`. */
  preflight(origin: string | undefined, asked: string | undefined): Headers
}

const methods = 'GET, POST, HEAD'
const askedVary = 'Access-Control-Request-Headers'
const maxAgeSeconds = '600'
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

const anyOrigin: Headers = Object.freeze({ 'access-control-allow-origin': '*' })
const unlistedOrigin: Headers = Object.freeze({ vary: 'Origin' })

/** Origins are compared as they are, character by character. */
export function createCors(allowed: '*' | readonly string[]): Cors {
  const headersFor = allowed === '*' ? () => anyOrigin : listOrigins(allowed)
  return {
    headersFor,
    preflight(origin, asked) {
      const headers = headersFor(origin)
      return headers['access-control-allow-origin'] === undefined ? headers : allowAsked(headers, asked)
    },
  }
}

function listOrigins(origins: readonly string[]): Cors['headersFor'] {
  const listed = new Map(origins.map((origin) => [origin, allowOrigin(origin)]))
  return (origin) => (origin === undefined ? unlistedOrigin : (listed.get(origin) ?? unlistedOrigin))
}

function allowOrigin(origin: string): Headers {
  return Object.freeze({ 'access-control-allow-origin': origin, vary: 'Origin' })
}

function allowAsked(headers: Headers, asked: string | undefined): Headers {
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
