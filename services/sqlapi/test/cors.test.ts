/** CORS headers for answers and preflights. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createCors } from '../src/serve/cors.ts'

const methods = { 'access-control-allow-methods': 'GET, POST, HEAD', 'access-control-max-age': '600' }
const any = createCors('*')
const listed = createCors(['https://a.example', 'https://b.example:8443'])

test('[D1.9] a star allows every origin', () => {
  for (const origin of ['https://a.example', 'null', undefined]) {
    deepStrictEqual(any.headersFor(origin), { 'access-control-allow-origin': '*' })
  }
})

test('[D1.9] of a list the origin itself is allowed, compared exactly', () => {
  const allowed = { 'access-control-allow-origin': 'https://b.example:8443', vary: 'Origin' }
  deepStrictEqual(listed.headersFor('https://b.example:8443'), allowed)
  for (const origin of ['https://b.example', 'https://A.example', 'https://a.example/', 'null', '', undefined]) {
    deepStrictEqual(listed.headersFor(origin), { vary: 'Origin' }, `${origin}`)
  }
  deepStrictEqual(createCors([]).headersFor('https://a.example'), { vary: 'Origin' })
})

test('the headers of an answer are made once', () => {
  strictEqual(any.headersFor('x'), any.headersFor('y'))
  strictEqual(listed.headersFor('https://a.example'), listed.headersFor('https://a.example'))
})

test('[D1.9] a preflight allows the methods and the headers that it asks for', () => {
  deepStrictEqual(any.preflight('https://x.example', 'content-type,  x-datasource'), {
    'access-control-allow-origin': '*',
    ...methods,
    'access-control-allow-headers': 'content-type, x-datasource',
    vary: 'Access-Control-Request-Headers',
  })
  deepStrictEqual(listed.preflight('https://a.example', 'authorization'), {
    'access-control-allow-origin': 'https://a.example',
    ...methods,
    'access-control-allow-headers': 'authorization',
    vary: 'Origin, Access-Control-Request-Headers',
  })
})

test('[D1.9] a preflight from an origin that is not listed allows nothing', () => {
  deepStrictEqual(listed.preflight('https://x.example', 'content-type'), { vary: 'Origin' })
})

test('[D1.9] what is no header name is never echoed', () => {
  const vary = 'Access-Control-Request-Headers'
  for (const asked of [undefined, '', ' ', 'a,,b', 'a b', 'x: y', 'a\r\nset-cookie: b', 'é', 'a;b', '"a"']) {
    const headers = any.preflight('https://x.example', asked)
    deepStrictEqual(headers, { 'access-control-allow-origin': '*', ...methods, vary }, `${asked}`)
  }
})
