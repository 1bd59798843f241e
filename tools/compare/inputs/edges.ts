/** Requests at the edges of HTTP and of JSON that any endpoint has an answer to. */
import type { Request } from '../wire.ts'

const json = { 'Content-Type': 'application/json' }

/** For the endpoint at this path, and for the pages of the service. */
export function commonRequests(path: string): Request[] {
  const post = (body: string, headers: Readonly<Record<string, string>> = json): Request => ({
    method: 'POST',
    path,
    headers,
    body,
  })
  return [
    ...['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'].map((method) => ({
      method,
      path,
    })),
    ...bodies.map((body) => post(body)),
    ...types.map((type) => post('{"a": 1}', { 'Content-Type': type })),
    ...headers.map((each) => ({ method: 'GET', path, headers: each })),
    ...headers.map((each) => post('{}', { ...json, ...each })),
    ...queries.map((query) => ({ method: 'GET', path: `${path}${query}` })),
    ...pages.flatMap((page) => ['GET', 'HEAD', 'POST', 'OPTIONS'].map((method) => ({ method, path: page }))),
    { method: 'OPTIONS', path, headers: preflight },
    { method: 'OPTIONS', path: '/nowhere', headers: preflight },
  ]
}

const preflight = {
  Origin: 'https://a.example',
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'content-type, x-other',
}

const bodies = [
  '',
  '{}',
  '[]',
  'null',
  '1',
  '"text"',
  '{',
  '{"a": }',
  '{"a": 1,}',
  "{'a': 1}",
  '{"a": 01}',
  '{"a": 1e999}',
  '{"a": 123456789012345678901234567890}',
  '{"a": 1, "a": 2}',
  '{"__proto__": {"a": 1}}',
  '{"a": "\\ud800"}',
  '{"a": "\u0000"}',
  '{"a": "õ€😀"}',
  '\ufeff{"a": 1}',
  `{"a": ${'['.repeat(300)}${']'.repeat(300)}}`,
  '{"queries": []}',
  '{"queries": [{}, {}]}',
  '<a/>',
  'a=1&b=2',
]

const types = [
  'text/plain',
  'application/xml',
  'application/json; charset=iso-8859-1',
  'application/json; charset=utf-16',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'nonsense',
]

const headers: readonly Readonly<Record<string, string>>[] = [
  { Accept: 'text/html' },
  { Accept: 'text/csv' },
  { Accept: 'application/x-ndjson' },
  { Accept: 'application/xml;q=0.5, */*;q=0' },
  { 'Accept-Encoding': 'gzip, br, zstd' },
  { Origin: 'https://a.example' },
  { Origin: 'null' },
  { 'X-Request-Id': 'compare-1' },
  { 'X-Request-Id': 'with space and "quote"' },
  { 'X-Datasource': 'nowhere' },
  { 'X-Road-Id': 'compare-2', 'X-Road-UserId': 'EE38001010000' },
  { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  { 'If-None-Match': '*' },
  { Range: 'bytes=0-1' },
  { Expect: 'nonsense' },
  { 'Transfer-Encoding': 'chunked' },
  { 'Content-Encoding': 'gzip' },
  { Connection: 'close' },
]

const queries = [
  '?',
  '?a=1',
  '?a=1&a=2',
  '?a',
  '?a=%',
  '?a=%00',
  '?a=%C3%B5',
  '?a=%E4',
  '?a=b+c',
  '/',
  '/batch',
  '//',
  '/../x',
  '%2f',
  '?status=granted',
]

const pages = [
  '/',
  '/health',
  '/healthz',
  '/openapi.json',
  '/api',
  '/docs',
  '/docs/',
  '/docs/nowhere',
  '/favicon.ico',
  '/metrics',
  '/nowhere',
  '/%',
]
