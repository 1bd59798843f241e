/** The REST lane over real sockets: what leaves for the Security Server and what comes back, byte for byte. */
import { deepStrictEqual, match, notStrictEqual, ok as isTrue, strictEqual } from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createServer as createTls } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { errorOf, until } from '@services/testing'
import { issueServer, makeAuthority } from '@services/testing/certificates'
import { exchange, head, open, type RawAnswer, readToEnd, rest, toAnswer } from '../../support/exchange.ts'
import { type Lanes, sharedPki, startLanes } from '../../support/lanes.ts'
import { answering, ok, type RawRequest, type RawUpstream, startRaw } from '../../support/upstreams/raw-upstream.ts'

const client = 'ee-test/GOV/70000000/demo'
const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'M-SEARCH', 'QUERY', 'REPORT']

let upstream: RawUpstream
let lanes: Lanes

before(async () => {
  upstream = await startRaw()
  lanes = await startLanes({
    dsl: {
      ...Object.fromEntries(methods.map((method) => [`m/${method}.yml`, rest(method)])),
      'b/none.yml': rest('POST', {}, { forward_body: false }),
      'u/odd.yml': rest('GET', {
        member_class: "G'O(V)",
        member_code: 'a/b c%d',
        subsystem_code: 'õ!*~_-.',
        service_code: 'x+y=z?',
        path: "/v1/it's(a)%20path/;p=1",
      }),
      'u/bare.yml': rest('GET', { path: 'v2/things' }),
      'q/some.yml': rest('GET', {}, { allowed_query_params: ['a', 'b c', 'õ'] }),
      'q/none.yml': rest('GET', {}, { allowed_query_params: [] }),
    },
    config: { security_server: { url: upstream.url }, limits: { request_timeout_secs: 5 } },
  })
})

after(async () => {
  await lanes.close()
  await until(() => upstream.open() === 0, 'no connection to the upstream is left')
  await upstream.close()
})

/** Sends a request, answers it with these bytes, and gives both sides. */
async function pass(request: string, answer: string | Buffer = ok()): Promise<{ sent: RawRequest; got: RawAnswer }> {
  const known = upstream.requests.length
  upstream.serve = answering(answer)
  const got = withoutOwnId(await exchange(lanes.port, request))
  const sent = upstream.requests[known]
  isTrue(sent !== undefined && upstream.requests.length === known + 1, `one call: ${got.raw}`)
  return { sent, got }
}

/** What the service adds to an answer that has no such header of its own, at the end: the rest is the upstream's. */
function withoutOwnId({ raw }: RawAnswer): RawAnswer {
  return toAnswer(
    raw.replace(/\r\nX-Request-Id: [\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?=\r\n(?:Connection: |\r\n))/, ''),
  )
}

describe('headers to the Security Server', () => {
  test('always our own, percent-encoded, once, whatever the caller says [S-header.X-Road-Client S-auth.3]', async () => {
    const { sent } = await pass(head('GET', '/m/GET', 'X-Road-Client: EE/GOV/1/evil\r\nx-ROAD-client: b\r\n'))
    deepStrictEqual(sent.all('x-road-client'), [client])
    const named = await pass(head('GET', '/m/GET', 'Connection: X-Road-Client\r\n'))
    deepStrictEqual(named.sent.all('x-road-client'), [client])
  })

  test('of the caller, as sent, or a fresh UUID for each call [S-header.X-Road-Id]', async () => {
    const { sent } = await pass(head('GET', '/m/GET', 'X-Road-Id: my-id 1 \xc3\xa4<>"%00;\r\n'))
    deepStrictEqual(sent.all('x-road-id'), ['my-id 1 \xc3\xa4<>"%00;'])
    const [first = '', ...more] = (await pass(head('GET', '/m/GET'))).sent.all('x-road-id')
    match(first, uuid)
    deepStrictEqual(more, [])
    notStrictEqual((await pass(head('GET', '/m/GET'))).sent.all('x-road-id')[0], first)
    const empty = await pass(head('GET', '/m/GET', 'X-Road-Id: \r\n'))
    match(empty.sent.all('x-road-id').join('|'), uuid)
  })

  test('a message id with invisible characters stays one line in the log [S-header.X-Road-Id D1.8]', async () => {
    const known = lanes.log.length
    await pass(head('GET', '/m/GET', 'X-Road-Id: a\tb\xc2\x85c\r\n'))
    await until(() => lanes.log.length > known, 'the line')
    strictEqual(lanes.log.at(-1)?.['id'], 'a\tb\x85c')
  })

  test('a control character in a header is no HTTP and never goes out [S-header.X-Road-Id S-not-produced]', async () => {
    const known = upstream.requests.length
    for (const odd of ['\x00', '\x01', '\x7f', '\r', '\n x']) {
      const got = await exchange(lanes.port, head('GET', '/m/GET', `X-Road-Id: a${odd}b\r\n`))
      strictEqual(errorOf({ text: got.body }), 'malformed_request', JSON.stringify(odd))
    }
    strictEqual(upstream.requests.length, known)
  })

  test('X-Road-UserId goes as it was sent, or not at all [S-header.X-Road-UserId]', async () => {
    const { sent } = await pass(head('GET', '/m/GET', 'x-road-userid: EE38001010000\r\n'))
    deepStrictEqual(
      sent.headers.filter(([name]) => /userid/i.test(name)),
      [['x-road-userid', 'EE38001010000']],
    )
    const without = await pass(head('GET', '/m/GET'))
    strictEqual(/userid/i.test(without.sent.head), false)
  })

  test('however many headers there are, none is lost, nor the body after them [S-header.end-to-end]', async () => {
    const many = 'a: b\r\n'.repeat(5000)
    const last = 'Content-Length: 5\r\nX-Road-Id: late\r\nX-Gone: 1\r\nConnection: close, X-Gone\r\n'
    const { sent, got } = await pass(`POST /m/POST HTTP/1.1\r\nHost: proxy.example\r\n${many}${last}\r\nhello`)
    deepStrictEqual([got.status, sent.all('a').length, sent.all('x-gone')], [200, 5000, []])
    deepStrictEqual([sent.all('x-road-id'), String(await sent.body())], [['late'], 'hello'])
  })

  test('order, casing, repeats, bytes and odd names stay as they are [S-header.end-to-end D4.3]', async () => {
    const own =
      'aCCept: text/x;q=0.5\r\nX-One: 1\r\nCache-Control: no-cache\r\nPragma: no-cache\r\nx-one: 2\r\n' +
      'X-Bytes: \xe4\xff\xc3\xb5\r\nX-Empty: \r\nCookie: a=1\r\nCookie: b=2\r\nAuthorization: Basic eDp5\r\n' +
      "X-!#$%&'*+.^_`|~: t\r\nAccept-Encoding: gzip, br\r\nUser-Agent: u/1\r\nX-Forwarded-For: 1.2.3.4\r\n"
    const { sent } = await pass(head('GET', '/m/GET', own))
    const kept = own.replaceAll('X-Empty: \r\n', 'X-Empty: \r\n')
    isTrue(sent.head.includes(`\r\n${kept.trimEnd()}\r\n`), sent.head)
  })

  test('Content-Type of a body goes unchanged, none is made up [S-header.end-to-end]', async () => {
    const type = 'multipart/form-data; boundary="--x y"'
    const { sent } = await pass(`${head('POST', '/m/POST', `Content-Type: ${type}\r\nContent-Length: 2\r\n`)}{}`)
    deepStrictEqual(sent.all('content-type'), [type])
    const without = await pass(`${head('POST', '/m/POST', 'Content-Length: 2\r\n')}{}`)
    deepStrictEqual(without.sent.all('content-type'), [])
  })

  test('Host names the Security Server [S-header.Host]', async () => {
    const { sent } = await pass(head('GET', '/m/GET'))
    deepStrictEqual(sent.all('host'), [`127.0.0.1:${upstream.port}`])
  })

  test('dropped, also those that Connection names, the others stay [S-header.hop-by-hop D4.3]', async () => {
    const hops =
      'Keep-Alive: timeout=5\r\nProxy-Authorization: x\r\nProxy-Connection: x\r\nProxy-Odd: x\r\nTE: trailers\r\n' +
      'Trailer: x\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\nX-Hop: 1\r\nX-Other: 2\r\nX-Kept: 3\r\n'
    const { sent } = await pass(head('GET', '/m/GET', `${hops}Connection: x-HOP ,, x-other\r\n`))
    const names = sent.headers.map(([name]) => name.toLowerCase())
    deepStrictEqual(names, ['host', 'connection', 'x-kept', 'x-road-id', 'x-road-client'])
    deepStrictEqual(sent.all('connection'), ['keep-alive'])
  })

  test('a wish for another protocol is passed over [S-header.hop-by-hop D4.3]', async () => {
    upstream.serve = answering(ok())
    const wish =
      'Upgrade: websocket\r\nSec-WebSocket-Key: a\r\nHTTP2-Settings: A\r\nConnection: close, Upgrade, HTTP2-Settings\r\n'
    const got = await exchange(lanes.port, `GET /m/GET HTTP/1.1\r\nHost: x\r\n${wish}\r\n`)
    strictEqual(got.status, 200)
    const sent = upstream.requests.at(-1) as RawRequest
    deepStrictEqual([sent.all('upgrade'), sent.all('http2-settings'), sent.all('connection')], [[], [], ['keep-alive']])
  })

  test('targets that are no path lead nowhere [S-error.template_not_found]', async () => {
    for (const [method, target] of [
      ['OPTIONS', '*'],
      ['GET', 'http://elsewhere.example'],
      ['GET', '//m/GET'],
    ] as const) {
      strictEqual((await exchange(lanes.port, head(method, target))).status, 404)
    }
  })

  test('Expect is answered here and not sent on [S-header.hop-by-hop]', async () => {
    const socket = await open(lanes.port)
    upstream.serve = answering(ok())
    const known = upstream.requests.length
    socket.write(head('POST', '/m/POST', 'Expect: 100-continue\r\nContent-Length: 3\r\n'))
    const [first] = (await once(socket, 'data')) as [Buffer]
    strictEqual(first.toString('latin1'), 'HTTP/1.1 100 Continue\r\n\r\n')
    strictEqual(upstream.requests.length, known)
    socket.write('abc')
    strictEqual(toAnswer(await readToEnd(socket)).status, 200)
    const sent = upstream.requests.at(-1) as RawRequest
    deepStrictEqual(sent.all('expect'), [])
    strictEqual((await sent.body()).toString(), 'abc')
  })

  test('no go-ahead for a request that is refused [D1.6]', async () => {
    const got = await exchange(lanes.port, head('POST', '/m/GET', 'Expect: 100-continue\r\nContent-Length: 3\r\n'))
    strictEqual(got.status, 405)
  })
})

describe('the identity', () => {
  test('one PKCS12 identity stands for both kinds, and the caller speaks plain HTTP [S-what.3 S-auth.2]', async () => {
    const soap = 'method: POST\nenvelope: "<Envelope/>"\n'
    const other = await startLanes({
      dsl: { 'g/rest.yml': rest('GET'), 'g/soap.yml': soap },
      config: { security_server: { url: upstream.url } },
    })
    const { fingerprint256 } = new X509Certificate(readFileSync(sharedPki().files.clientCertificate))
    const seen: string[] = []
    upstream.serve = async (peer, request) => {
      await request.body()
      seen.push(`${request.line} ${peer.socket.getPeerCertificate().fingerprint256}`)
      peer.write(ok('<a/>'))
    }
    try {
      strictEqual((await exchange(other.port, head('GET', '/g/rest'))).status, 200)
      strictEqual((await exchange(other.port, head('POST', '/g/soap', 'Content-Length: 0\r\n'))).status, 200)
    } finally {
      await other.close()
    }
    deepStrictEqual(seen, [
      `GET /r1/ee-test/GOV/70000001/sub/svc HTTP/1.1 ${fingerprint256}`,
      `POST / HTTP/1.1 ${fingerprint256}`,
    ])
  })
})

describe('the outbound URL', () => {
  const prefix = '/r1/ee-test/GOV/70000001/sub/svc'

  test('instance and identifier, percent-encoded but for letters, digits and -._~ [S-rest-url D4.2 S-version.2]', async () => {
    const { sent } = await pass(head('GET', '/u/odd'))
    const identifier = 'ee-test/G%27O%28V%29/a%2Fb%20c%25d/%C3%B5%21%2A~_-./x%2By%3Dz%3F'
    strictEqual(sent.line, `GET /r1/${identifier}/v1/it's(a)%20path/;p=1 HTTP/1.1`)
  })

  test('the first slash may be left out, and there need be no path [S-rest.target.path D4.2]', async () => {
    strictEqual((await pass(head('GET', '/u/bare'))).sent.line, `GET ${prefix}/v2/things HTTP/1.1`)
    strictEqual((await pass(head('GET', '/m/GET'))).sent.line, `GET ${prefix} HTTP/1.1`)
  })

  test('the query byte for byte, whatever it holds [S-rest.allowed_query_params D4.1]', async () => {
    for (const query of ['?a=1&a=2&&b', '?', '??', '?%zz=%&+=%20', '?\'"<>{}|\\^`[]', '?a=1?b=2', '?/../']) {
      const { sent } = await pass(head('GET', `/m/GET${query}`))
      strictEqual(sent.line, `GET ${prefix}${query} HTTP/1.1`)
    }
    const long = `?x=${'y'.repeat(50_000)}`
    strictEqual((await pass(head('GET', `/m/GET${long}`))).sent.line, `GET ${prefix}${long} HTTP/1.1`)
  })

  test('bytes that no URL may hold are refused by the HTTP parser [S-errors.shape]', async () => {
    const known = upstream.requests.length
    for (const odd of ['\x01', '\x7f', '\xe4', '\xc3\xb5']) {
      const got = await exchange(lanes.port, head('GET', `/m/GET?a=${odd}`))
      deepStrictEqual([got.status, errorOf({ text: got.body })], [400, 'malformed_request'])
    }
    strictEqual(upstream.requests.length, known)
  })

  test('allowed pieces as written, in order, with repeats; or none [S-rest.allowed_query_params D4.1]', async () => {
    const query = '?a=1&x=2&%61=%3&a&b+c=1&b%20c=2&B=3&%C3%B5=4&%c3%b5=5&=6&a%3D=7'
    strictEqual(
      (await pass(head('GET', `/q/some${query}`))).sent.line,
      `GET ${prefix}?a=1&%61=%3&a&b+c=1&b%20c=2&%C3%B5=4&%c3%b5=5 HTTP/1.1`,
    )
    strictEqual((await pass(head('GET', '/q/some?x=1'))).sent.line, `GET ${prefix} HTTP/1.1`)
    strictEqual((await pass(head('GET', `/q/none${query}`))).sent.line, `GET ${prefix} HTTP/1.1`)
  })

  test('the absolute form of a request target means the same [S-rest-url]', async () => {
    const { sent } = await pass(head('GET', 'http://elsewhere.example:1/m/GET?a=%20b'))
    strictEqual(sent.line, `GET ${prefix}?a=%20b HTTP/1.1`)
    deepStrictEqual(sent.all('host'), [`127.0.0.1:${upstream.port}`])
  })

  test('a path of the address stands before /r1/ [S-config.security_server.url]', async () => {
    const url = `${upstream.url}/gate/way/`
    const other = await startLanes({ dsl: { 'g/s.yml': rest('GET') }, config: { security_server: { url } } })
    try {
      upstream.serve = answering(ok())
      await exchange(other.port, head('GET', '/g/s?q'))
      strictEqual(upstream.requests.at(-1)?.line, `GET /gate/way${prefix}?q HTTP/1.1`)
    } finally {
      await other.close()
    }
  })

  test('instance and identity are those of the configuration [S-config.xroad_instance S-header.X-Road-Client]', async () => {
    const config = {
      xroad_instance: 'E E',
      client_data: { member_class: 'NEE', member_code: '00123', subsystem_code: "s'1/õ" },
      security_server: { url: upstream.url },
    }
    const other = await startLanes({ dsl: { 'g/s.yml': rest('GET') }, config })
    try {
      upstream.serve = answering(ok())
      await exchange(other.port, head('GET', '/g/s'))
      const sent = upstream.requests.at(-1) as RawRequest
      strictEqual(sent.line, 'GET /r1/E%20E/GOV/70000001/sub/svc HTTP/1.1')
      deepStrictEqual(sent.all('x-road-client'), ['E%20E/NEE/00123/s%271%2F%C3%B5'])
    } finally {
      await other.close()
    }
  })
})

describe('methods and bodies', () => {
  for (const method of methods) {
    test(`${method} passes with its body, and no other method does [S-endpoint.rest S-rest.method S-version.4 D1.6]`, async () => {
      const { sent, got } = await pass(
        `${head(method, `/m/${method}`, 'Content-Length: 5\r\n')}\x00\xff\r\n.`,
        method === 'HEAD' ? 'HTTP/1.1 200 OK\r\nContent-Length: 77\r\n\r\n' : ok(),
      )
      strictEqual(sent.line.split(' ')[0], method)
      strictEqual((await sent.body()).toString('latin1'), '\x00\xff\r\n.')
      deepStrictEqual(sent.all('content-length'), ['5'])
      strictEqual(got.status, 200)
      const other = method === 'PUT' ? 'POST' : 'PUT'
      const refused = await exchange(lanes.port, head(other, `/m/${method}`, 'Content-Length: 0\r\n'))
      deepStrictEqual([refused.status, refused.all('allow')], [405, [method]])
    })
  }

  test('a method that nobody knows is 405 as well [S-route.1]', async () => {
    const got = await exchange(lanes.port, head('FROBNICATE', '/m/GET'))
    deepStrictEqual([got.status, errorOf({ text: got.body })], [405, 'method_not_allowed'])
  })

  test('an empty body stays empty, and a POST says its length [S-endpoint.rest]', async () => {
    for (const headers of ['Content-Length: 0\r\n', '', 'Transfer-Encoding: chunked\r\n']) {
      const { sent } = await pass(head('POST', '/m/POST', headers) + (headers.startsWith('T') ? '0\r\n\r\n' : ''))
      deepStrictEqual([sent.all('content-length'), sent.all('transfer-encoding')], [['0'], []])
    }
    const { sent } = await pass(head('GET', '/m/GET', 'Content-Length: 0\r\n'))
    deepStrictEqual(sent.all('transfer-encoding'), [])
  })

  test('false sends no body, whatever its size, and the answer comes all the same [S-rest.forward_body]', async () => {
    for (const length of [3, 100_000]) {
      const body = 'x'.repeat(length)
      const { sent, got } = await pass(
        head('POST', '/b/none', `Content-Type: a/b\r\nContent-Length: ${length}\r\n`) + body,
      )
      deepStrictEqual([sent.all('content-length'), sent.all('content-type')], [['0'], ['a/b']])
      strictEqual(got.body, 'ok')
    }
    const { sent } = await pass(`${head('POST', '/b/none', 'Transfer-Encoding: chunked\r\n')}3\r\nabc\r\n0\r\n\r\n`)
    deepStrictEqual([sent.all('content-length'), sent.all('transfer-encoding')], [['0'], []])
  })

  test('a chunked body arrives whole, with its length, without its trailers [S-endpoint.rest]', async () => {
    const body = '3;x=y\r\nabc\r\n1\r\n\xff\r\n0\r\nX-Trailer: t\r\n\r\n'
    const { sent } = await pass(head('POST', '/m/POST', 'Transfer-Encoding: chunked\r\nTrailer: X-Trailer\r\n') + body)
    strictEqual((await sent.body()).toString('latin1'), 'abc\xff')
    deepStrictEqual([sent.all('content-length'), sent.all('trailer'), sent.all('x-trailer')], [['4'], [], []])
  })

  test('a body with two lengths is refused and smuggles nothing [S-route.1]', async () => {
    const known = upstream.requests.length
    const odd = [
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
      'Content-Length: 5\r\nContent-Length: 6\r\n',
      'Content-Length: +5\r\n',
      'Transfer-Encoding: chunked, identity\r\n',
      'Transfer-Encoding: xchunked\r\n',
      'Transfer-Encoding : chunked\r\n',
      'X-Folded: a\r\n b\r\n',
    ]
    for (const headers of odd) {
      const got = await exchange(lanes.port, `${head('POST', '/m/POST', headers)}0\r\n\r\nGET /m/GET HTTP/1.1\r\n\r\n`)
      strictEqual(got.status, 400, headers + got.raw)
    }
    strictEqual(upstream.requests.length, known)
  })
})

describe('the answer', () => {
  test('status, reason, headers in order with repeats, casing and bytes, and the body unchanged [S-pass.1 D4.3]', async () => {
    const headers =
      'DATE: Sat, 01 Jan 2000 00:00:00 GMT\r\nSet-Cookie: a=1\r\ncontent-TYPE: x/y; charset="z"\r\nSet-Cookie: b=2\r\n' +
      'X-Bytes: \xe4\xc3\xb5\r\nSERVER: s\r\nETag: "1"\r\nX-Empty: \r\nVary: a\r\nVary: b\r\nx-road-ID: 1\r\nContent-Length: 4\r\n'
    const { got } = await pass(
      head('GET', '/m/GET', 'X-Road-Id: 1\r\n'),
      `HTTP/1.1 207 Many - things\r\n${headers}\r\n\x00\xff\r\n`,
    )
    strictEqual(got.raw, `HTTP/1.1 207 Many - things\r\n${headers}Connection: close\r\n\r\n\x00\xff\r\n`)
  })

  test('a reason in UTF-8 keeps its bytes, and one answer never has that of another [S-pass.1]', async () => {
    const { got } = await pass(
      head('GET', '/m/GET', 'X-Road-Id: 1\r\n'),
      'HTTP/1.1 299 h\xc3\xa4sti\r\nContent-Length: 0\r\n\r\n',
    )
    strictEqual(got.line, 'HTTP/1.1 299 h\xc3\xa4sti')
    const latin = await pass(
      head('GET', '/m/GET', 'X-Road-Id: 1\r\n'),
      'HTTP/1.1 203 \xe4\r\nContent-Length: 0\r\n\r\n',
    )
    strictEqual(latin.got.line, 'HTTP/1.1 203 Non-Authoritative Information')
    const bare = await pass(head('GET', '/m/GET', 'X-Road-Id: 1\r\n'), 'HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n')
    match(bare.got.line, /^HTTP\/1.1 200 (OK)?$/)
    const none = await pass(head('GET', '/m/GET', 'X-Road-Id: 1\r\n'), 'HTTP/1.1 404\r\nContent-Length: 0\r\n\r\n')
    match(none.got.line, /^HTTP\/1.1 404 (Not Found)?$/)
  })

  test('the X-Road headers reach the caller [S-header.response S-source]', async () => {
    const headers =
      'X-Road-Client: a/b/c/d\r\nX-Road-Service: a/b/c/d/e\r\nX-Road-Id: 1\r\nX-Road-Request-Hash: aGFzaA==\r\n' +
      'X-Road-Request-Id: 2\r\nX-Road-Error: Server.ServerProxy.ServiceFailed\r\n'
    const { got } = await pass(
      head('GET', '/m/GET', 'X-Road-Id: 1\r\n'),
      ok('e', headers).replace('200 OK', '500 Internal Server Error'),
    )
    isTrue(got.raw.includes(headers))
    await until(() => lanes.log.at(-1)?.['status'] === 500, 'the line')
    strictEqual(lanes.log.at(-1)?.['source'], 'provider_security_server')
  })

  test('hop-by-hop headers of the answer are dropped, also those that Connection names [S-header.hop-by-hop D4.3]', async () => {
    const hops =
      'Connection: keep-alive, X-Hop\r\nKeep-Alive: timeout=60\r\nProxy-Authenticate: x\r\nProxy-Odd: x\r\nTE: x\r\n' +
      'Trailer: x\r\nHTTP2-Settings: x\r\nX-Hop: 1\r\nX-Kept: 2\r\nX-Road-Id: 1\r\n'
    const { got } = await pass(head('GET', '/m/GET', 'X-Road-Id: 1\r\n'), ok('ok', hops))
    deepStrictEqual(got.headers, [
      ['X-Kept', '2'],
      ['X-Road-Id', '1'],
      ['Content-Length', '2'],
      ['Connection', 'close'],
    ])
  })

  for (const status of [301, 302, 303, 307, 308, 300]) {
    test(`${status} passes with its Location and is not followed [S-pass.2 D2.5]`, async () => {
      const location = `Location: ${upstream.url}/elsewhere\r\n`
      const { got } = await pass(
        head('GET', '/m/GET', 'X-Road-Id: 1\r\n'),
        ok('moved', location).replace('200 OK', `${status} Moved`),
      )
      deepStrictEqual([got.status, got.all('location'), got.body], [status, [`${upstream.url}/elsewhere`], 'moved'])
    })
  }

  for (const status of [400, 401, 403, 404, 405, 413, 418, 429, 500, 502, 503, 504, 599]) {
    test(`${status} of the provider passes unchanged [S-pass.3 S-pass.4 S-auth.5 S-source]`, async () => {
      const problem = '{"type":"about:blank","detail":"own format"}'
      const headers =
        'X-Road-Id: 1\r\nWWW-Authenticate: Basic realm="r"\r\nContent-Type: application/problem+json\r\nRetry-After: 7\r\n'
      const { got } = await pass(
        head('GET', '/m/GET', 'X-Road-Id: 1\r\n'),
        ok(problem, headers).replace('200 OK', `${status} Odd`),
      )
      strictEqual(
        got.raw,
        `${ok(problem, headers)
          .replace('200 OK', `${status} Odd`)
          .replace(/\r\n\r\n[^]*/, '')}\r\nConnection: close\r\n\r\n${problem}`,
      )
      await until(() => lanes.log.at(-1)?.['status'] === status, 'the line')
      deepStrictEqual([lanes.log.at(-1)?.['source'], lanes.log.at(-1)?.['error']], ['provider', undefined])
    })
  }

  test('HEAD, 204 and 304 have no body, and all but 204 keep their Content-Length [D4.4]', async () => {
    const { got } = await pass(head('HEAD', '/m/HEAD'), 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n')
    deepStrictEqual([got.status, got.all('content-length'), got.body], [200, ['99999999999'], ''])
    const none = await pass(head('HEAD', '/m/HEAD'), 'HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n')
    deepStrictEqual([none.got.status, none.got.body], [500, ''])
    const unchanged = await pass(
      head('GET', '/m/GET', 'X-Road-Id: 1\r\n'),
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: x\r\n\r\n',
    )
    deepStrictEqual(
      [unchanged.got.all('content-length'), unchanged.got.all('etag'), unchanged.got.body],
      [['5'], ['x'], ''],
    )
    const large = await pass(
      head('GET', '/m/GET', 'X-Road-Id: 1\r\n'),
      'HTTP/1.1 304 No\r\nContent-Length: 99999999999\r\n\r\n',
    )
    deepStrictEqual([large.got.status, large.got.all('content-length')], [304, ['99999999999']])
    const empty = await pass(
      head('GET', '/m/GET', 'X-Road-Id: 1\r\n'),
      'HTTP/1.1 204 No Content\r\nX-Road-Id: 1\r\n\r\n',
    )
    strictEqual(empty.got.raw, 'HTTP/1.1 204 No Content\r\nX-Road-Id: 1\r\nConnection: close\r\n\r\n')
    for (const length of ['Content-Length: 0', 'content-length: 3', 'Content-Length: 99999999999']) {
      const { got } = await pass(
        head('GET', '/m/GET', 'X-Road-Id: 1\r\n'),
        `HTTP/1.1 204 No Content\r\n${length}\r\nX-Road-Id: 1\r\n\r\n`,
      )
      strictEqual(got.raw, empty.got.raw, length)
    }
  })

  test('a body that must not be there is dropped and is no answer to the next call [D4.4]', async () => {
    for (const framing of ['Content-Length: 3\r\n\r\nabc', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n']) {
      for (const status of [204, 304]) {
        const { got } = await pass(head('GET', '/m/GET', 'X-Road-Id: 1\r\n'), `HTTP/1.1 ${status} No\r\n${framing}`)
        deepStrictEqual([got.status, got.body], [status, ''])
      }
      strictEqual((await pass(head('HEAD', '/m/HEAD'), `HTTP/1.1 200 OK\r\n${framing}`)).got.body, '')
      strictEqual((await pass(head('GET', '/m/GET', 'X-Road-Id: 1\r\n'), ok('next'))).got.body, 'next')
    }
  })

  test('a length that Connection names is dropped, and the answer is whole all the same [D4.3 D4.4]', async () => {
    const { got } = await pass(head('GET', '/m/GET', 'X-Road-Id: 1\r\n'), ok('abc', 'Connection: content-length\r\n'))
    deepStrictEqual([got.body, got.isWhole, got.all('content-length')], ['abc', true, []])
  })

  test('an empty body with Content-Length: 0 stays so [D4.4]', async () => {
    const { got } = await pass(head('GET', '/m/GET', 'X-Road-Id: 1\r\n'), ok('', 'X-Road-Id: 1\r\n'))
    strictEqual(got.raw, 'HTTP/1.1 200 OK\r\nX-Road-Id: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })

  test('a compressed request passes as it is [S-pass.1]', async () => {
    const body = gzipSync('{"a":1}').toString('latin1')
    const coded = `Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n`
    const { sent } = await pass(`${head('POST', '/m/POST', coded)}${body}`)
    const arrived = (await sent.body()).toString('latin1')
    deepStrictEqual([arrived, sent.all('content-encoding')], [body, ['gzip']])
  })

  test('compressed bytes pass as they are [S-limit.wire S-pass.1]', async () => {
    const body = gzipSync('x'.repeat(10_000)).toString('latin1')
    const { got } = await pass(head('GET', '/m/GET'), ok(body, 'Content-Encoding: gzip\r\n'))
    deepStrictEqual([got.body, got.all('content-encoding')], [body, ['gzip']])
  })

  test('a chunked answer arrives whole and chunked, without trailers [D4.4]', async () => {
    const chunks = '3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Trailer: 1\r\n\r\n'
    const { got } = await pass(head('GET', '/m/GET'), `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`)
    deepStrictEqual([got.body, got.isWhole, got.all('content-length')], ['abc0123456789', true, []])
    strictEqual(/trailer/i.test(got.raw), false)
  })

  test('an answer that ends with its connection arrives whole [D4.4]', async () => {
    for (const version of ['1.0', '1.1']) {
      upstream.serve = (peer) => {
        peer.write(`HTTP/${version} 200 OK\r\nContent-Type: a/b\r\n\r\nabc\xff`)
        peer.socket.end()
      }
      const got = await exchange(lanes.port, head('GET', '/m/GET'))
      deepStrictEqual([got.status, got.body, got.isWhole, got.all('content-type')], [200, 'abc\xff', true, ['a/b']])
    }
  })

  test('a caller of HTTP/1.0 gets what is chunked without chunks [D4.4]', async () => {
    upstream.serve = answering('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n')
    const got = await exchange(lanes.port, 'GET /m/GET HTTP/1.0\r\n\r\n')
    deepStrictEqual([got.body, got.all('transfer-encoding')], ['abc', []])
  })

  test('informational answers before the answer are passed over [S-pass.1]', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n'
    const { got } = await pass(head('GET', '/m/GET'), early + ok('after', 'X-Kept: 1\r\n'))
    deepStrictEqual([got.status, got.body, got.all('link'), got.all('x-kept')], [200, 'after', [], ['1']])
  })
})

describe('answers that are no HTTP', () => {
  const odd: Readonly<Record<string, string>> = {
    'no HTTP at all': 'This is no HTTP at all\r\n\r\n',
    'a status that is none': 'HTTP/1.1 2xx OK\r\n\r\n',
    'Content-Length and Transfer-Encoding':
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
    'a length that is none': 'HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc',
    'a control character in a header': 'HTTP/1.1 200 OK\r\nX-Odd: a\x01b\r\nContent-Length: 0\r\n\r\n',
    'NUL in a header': 'HTTP/1.1 200 OK\r\nX-Odd: a\x00b\r\nContent-Length: 0\r\n\r\n',
    'a line break in a header': 'HTTP/1.1 200 OK\r\nX-Odd: a\rX-Split: b\r\nContent-Length: 0\r\n\r\n',
    'a folded header': 'HTTP/1.1 200 OK\r\nX-Odd: a\r\n b\r\nContent-Length: 0\r\n\r\n',
    'a space in a header name': 'HTTP/1.1 200 OK\r\nX Odd: a\r\nContent-Length: 0\r\n\r\n',
    'a chunk size that is none': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n',
    'headers of 100 KB': `HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(100_000)}\r\nContent-Length: 0\r\n\r\n`,
    'many headers of 100 KB': `HTTP/1.1 200 OK\r\n${'X-Many: 12345678\r\n'.repeat(6000)}Content-Length: 0\r\n\r\n`,
    'another protocol': 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nxyz',
  }
  for (const [name, bytes] of Object.entries(odd)) {
    test(`${name}: 500 in words, the connection closed [D2.6 S-errors.shape S-error.internal_error]`, async () => {
      const { got } = await pass(head('GET', '/m/GET'), bytes)
      strictEqual(got.status, 500, got.raw)
      assertInWords(got.body)
      const peer = upstream.peers.at(-1)
      await until(() => peer?.isClosed === true, 'the connection is closed')
      strictEqual((await pass(head('GET', '/m/GET'))).got.body, 'ok')
    })
  }
})

/** An `internal_error` that tells nothing about addresses and code. */
function assertInWords(body: string, expected: RegExp = /\w{3} \w/): void {
  const { error, message, ...more } = JSON.parse(body) as Record<string, string>
  deepStrictEqual([error, more], ['internal_error', {}])
  match(message ?? '', expected)
  strictEqual(/127\.0\.0\.1|https:|localhost|\.invalid|\.ts\b|node_modules|\bat \w+ \(|:\d{4,}/.test(body), false, body)
}

/** The identity of a Security Server that the service trusts. */
function ownPki(): { key: Buffer; cert: Buffer } {
  const { serverKey, serverCertificate } = sharedPki().files
  return { key: readFileSync(serverKey), cert: readFileSync(serverCertificate) }
}

describe('a Security Server that cannot be reached', () => {
  async function failing(config: Record<string, unknown>): Promise<string> {
    const other = await startLanes({ dsl: { 'g/s.yml': rest('GET') }, config })
    try {
      const got = await exchange(other.port, head('GET', '/g/s'))
      strictEqual(got.status, 500, got.raw)
      const line = other.log.find(({ event }) => event === 'request')
      deepStrictEqual([line?.['error'], line?.['source']], ['internal_error', 'proxy'])
      return got.body
    } finally {
      await other.close()
    }
  }

  test('no section: 500 in words [S-config.security_server S-error.internal_error]', async () => {
    assertInWords(await failing({ security_server: null }), /security_server/)
  })

  test('a refused connection is 500, with the reason in words [D2.6]', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    assertInWords(await failing({ security_server: { url: `https://127.0.0.1:${port}` } }), /refused/)
  })

  test('unknown host: 500 in words [D2.6]', async () => {
    assertInWords(await failing({ security_server: { url: 'https://no-such-host.invalid' } }), /host name/)
  })

  test('a certificate of an unknown issuer: 500 that names trust_ca_path [D2.6 S-auth.2]', async () => {
    const { key, certificate: cert } = issueServer(makeAuthority())
    const server = createTls({ key, cert })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    try {
      assertInWords(await failing({ security_server: { url: `https://127.0.0.1:${port}` } }), /trust_ca_path/)
    } finally {
      server.close()
    }
  })

  test('plain HTTP behind the port: 500 in words [D2.6]', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n').on('error', () => undefined))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    try {
      assertInWords(await failing({ security_server: { url: `https://127.0.0.1:${port}` } }), /plain HTTP/)
    } finally {
      server.close()
    }
  })

  test('hangs up in the handshake: 500 in words [D2.6]', async () => {
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    try {
      assertInWords(await failing({ security_server: { url: `https://127.0.0.1:${port}` } }), /broke|closed/)
    } finally {
      server.close()
    }
  })

  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`our certificate is refused over ${maxVersion}: 500 that says what to upload [D2.6 S-auth.2]`, async () => {
      const server = createTls({
        ...ownPki(),
        ca: makeAuthority().certificate,
        maxVersion,
        requestCert: true,
        rejectUnauthorized: true,
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as { port: number }
      try {
        const url = `https://127.0.0.1:${port}`
        assertInWords(await failing({ security_server: { url } }), /our certificate|client certificate/)
      } finally {
        server.close()
      }
    })
  }

  test('TLS 1.2 is enough and TLS 1.1 is not [D2.7]', async () => {
    const settings = ownPki()
    const server = createTls({ ...settings, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    try {
      assertInWords(await failing({ security_server: { url: `https://127.0.0.1:${port}` } }), /TLS/)
    } finally {
      server.close()
    }
    const modern = createTls({ ...settings, maxVersion: 'TLSv1.2' }, (socket) => {
      socket.once('data', () => socket.write(ok('by 1.2')))
      socket.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => modern.listen(0, '127.0.0.1', resolve))
    const other = await startLanes({
      dsl: { 'g/s.yml': rest('GET') },
      config: { security_server: { url: `https://127.0.0.1:${(modern.address() as { port: number }).port}` } },
    })
    strictEqual((await exchange(other.port, head('GET', '/g/s'))).body, 'by 1.2')
    await other.close()
    modern.close()
  })
})
