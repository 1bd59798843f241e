/** CORS headers for answers and preflights. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import type { ReplyHeaders } from '../../../src/model.ts'
import { type Cors, createCors } from '../../../src/serve/cors.ts'

const methods = { 'access-control-allow-methods': 'GET, POST, HEAD', 'access-control-max-age': '600' }
/** Of answers, not of preflights. */
const exposed = { 'access-control-expose-headers': 'X-Request-Id' }
const any = createCors('*')
const listed = createCors(['https://a.example', 'https://b.example:8443'])

/** The headers of the reply to a preflight. */
function preflight(cors: Cors, origin: string, asked: string | undefined): ReplyHeaders | undefined {
  const request = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': asked,
  }
  const reply = cors.preflight('OPTIONS', request)
  deepStrictEqual([reply?.status, reply?.body], [204, undefined])
  return reply?.headers
}

test('a star allows every origin, and a page may read the id of its request [D1.9] [O2.3]', () => {
  for (const origin of ['https://a.example', 'null', undefined]) {
    deepStrictEqual(any.headersFor({ origin }), { 'access-control-allow-origin': '*', ...exposed })
  }
})

test('of a list the origin itself is allowed, compared exactly [D1.9]', () => {
  const allowed = { 'access-control-allow-origin': 'https://b.example:8443', ...exposed, vary: 'Origin' }
  deepStrictEqual(listed.headersFor({ origin: 'https://b.example:8443' }), allowed)
  for (const origin of ['https://b.example', 'https://A.example', 'https://a.example/', 'null', '', undefined]) {
    deepStrictEqual(listed.headersFor({ origin }), { vary: 'Origin' }, `${origin}`)
  }
  deepStrictEqual(createCors([]).headersFor({ origin: 'https://a.example' }), { vary: 'Origin' })
})

test('the headers of an answer are made once', () => {
  strictEqual(any.headersFor({ origin: 'x' }), any.headersFor({ origin: 'y' }))
  strictEqual(listed.headersFor({ origin: 'https://a.example' }), listed.headersFor({ origin: 'https://a.example' }))
})

test('a preflight allows the methods and the headers that it asks for [D1.9]', () => {
  deepStrictEqual(preflight(any, 'https://x.example', 'content-type,  x-datasource'), {
    'access-control-allow-origin': '*',
    ...methods,
    'access-control-allow-headers': 'content-type, x-datasource',
    vary: 'Access-Control-Request-Headers',
  })
  deepStrictEqual(preflight(listed, 'https://a.example', 'authorization'), {
    'access-control-allow-origin': 'https://a.example',
    ...methods,
    'access-control-allow-headers': 'authorization',
    vary: 'Origin, Access-Control-Request-Headers',
  })
})

test('a preflight from an origin that is not listed allows nothing [D1.9]', () => {
  deepStrictEqual(preflight(listed, 'https://x.example', 'content-type'), { vary: 'Origin' })
})

test('what is no header name is never echoed [D1.9]', () => {
  const vary = 'Access-Control-Request-Headers'
  for (const asked of [undefined, '', ' ', 'a,,b', 'a b', 'x: y', 'a\r\nset-cookie: b', 'é', 'a;b', '"a"']) {
    const headers = preflight(any, 'https://x.example', asked)
    deepStrictEqual(headers, { 'access-control-allow-origin': '*', ...methods, vary }, `${asked}`)
  }
})

test('an OPTIONS request without an origin or a method to ask for is no preflight, nor is another method [D1.4]', () => {
  const request = { origin: 'https://a.example', 'access-control-request-method': 'POST' }
  strictEqual(any.preflight('POST', request), undefined)
  for (const missing of Object.keys(request)) {
    strictEqual(any.preflight('OPTIONS', { ...request, [missing]: undefined }), undefined, missing)
  }
})
