/** Requests as bytes, at the edges of HTTP/1.1: what a parser takes, mends or refuses. Each has its own connection. */

const host = 'Host: compare.example\r\n'
const close = 'Connection: close\r\n'
const json = 'Content-Type: application/json\r\n'

/** Title -> bytes, a character for each, for the endpoint at this path. */
export function rawRequests(path: string): Record<string, string> {
  const get = (headers: string): string => `GET ${path} HTTP/1.1\r\n${host}${close}${headers}\r\n`
  const post = (headers: string, body: string): string =>
    `POST ${path} HTTP/1.1\r\n${host}${close}${json}${headers}\r\n${body}`
  return {
    'HTTP/1.0': `GET ${path} HTTP/1.0\r\n\r\n`,
    'HTTP/1.0 with keep-alive': `GET ${path} HTTP/1.0\r\n${host}Connection: keep-alive\r\n\r\nGET ${path} HTTP/1.0\r\n\r\n`,
    'HTTP/2.0': `GET ${path} HTTP/2.0\r\n${host}${close}\r\n`,
    'no version': `GET ${path}\r\n\r\n`,
    'no host': `GET ${path} HTTP/1.1\r\n${close}\r\n`,
    'two hosts': get(host),
    'lower-case method': `get ${path} HTTP/1.1\r\n${host}${close}\r\n`,
    'unknown method': `NONSENSE ${path} HTTP/1.1\r\n${host}${close}\r\n`,
    'absolute form': `GET http://compare.example${path} HTTP/1.1\r\n${host}${close}\r\n`,
    asterisk: `OPTIONS * HTTP/1.1\r\n${host}${close}\r\n`,
    connect: `CONNECT compare.example:443 HTTP/1.1\r\n${host}${close}\r\n`,
    'space in the target': `GET ${path} x HTTP/1.1\r\n${host}${close}\r\n`,
    'two spaces': `GET  ${path} HTTP/1.1\r\n${host}${close}\r\n`,
    'bytes beyond ASCII in the target': `GET ${path}?a=\xc3\xb5\xff HTTP/1.1\r\n${host}${close}\r\n`,
    'leading line breaks': `\r\n\r\n${get('')}`,
    'line feeds alone': get('').replaceAll('\r\n', '\n'),
    'not HTTP': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    'header without a colon': get('nonsense\r\n'),
    'space before the colon': get('X-A : b\r\n'),
    'space in a name': get('X A: b\r\n'),
    'empty name': get(': b\r\n'),
    'folded header': get('X-A: b\r\n c\r\n'),
    'NUL in a value': get('X-A: b\0c\r\n'),
    'bytes beyond ASCII in a value': get('X-Request-Id: \xc3\xb5\xff\r\n'),
    'long header': get(`X-A: ${'a'.repeat(20_000)}\r\n`),
    'many headers': get(Array.from({ length: 2500 }, (_, index) => `X-${index}: a\r\n`).join('')),
    'long target': `GET ${path}?a=${'a'.repeat(20_000)} HTTP/1.1\r\n${host}${close}\r\n`,
    'length that is no number': post('Content-Length: two\r\n', '{}'),
    'negative length': post('Content-Length: -2\r\n', '{}'),
    'two lengths': post('Content-Length: 2\r\nContent-Length: 3\r\n', '{} '),
    'the same length twice': post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'),
    'length and chunks': post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'),
    'huge length': post('Content-Length: 99999999999\r\n', '{}'),
    'body without a length': post('', '{}'),
    chunks: post('Transfer-Encoding: chunked\r\n', '1\r\n{\r\n1;name=value\r\n}\r\n0\r\nX-Trailer: a\r\n\r\n'),
    'chunk size that is no number': post('Transfer-Encoding: chunked\r\n', 'x\r\n{}\r\n0\r\n\r\n'),
    'chunk longer than its size': post('Transfer-Encoding: chunked\r\n', '1\r\n{}\r\n0\r\n\r\n'),
    'another transfer encoding': post('Transfer-Encoding: gzip\r\n', '{}'),
    'chunked and another encoding': post('Transfer-Encoding: gzip, chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'),
    'expect 100-continue': post('Expect: 100-continue\r\nContent-Length: 2\r\n', '{}'),
    upgrade: get('Connection: Upgrade\r\nUpgrade: websocket\r\n'),
    // Alike, because they run at the same time: the log has them in the order of their ends.
    'three in a row': `GET ${path} HTTP/1.1\r\n${host}\r\nGET ${path} HTTP/1.1\r\n${host}\r\n${get('')}`,
    'body of a GET': `GET ${path} HTTP/1.1\r\n${host}${close}Content-Length: 2\r\n\r\n{}`,
  }
}
