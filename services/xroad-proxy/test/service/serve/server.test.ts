/**
 * The HTTP shell over real sockets: paths and methods, what is no HTTP, many and odd connections, and the log line that
 * each request leaves. Bodies and their cap are for limits.test.ts, the process for lifecycle.test.ts and
 * startup.test.ts.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Shell } from '@services/http-shell'
import { RequestLog } from '@services/observe'
import { checkRequestLimits, resetTunnels } from '@services/http-shell/testing'
import { type Reply, call, errorOf, send, until, Wire, type WireAnswer } from '@services/testing'
import { openEvents } from '../../../src/events.ts'
import type { ResponseWriter, Request } from '../../../src/model.ts'
import { handle, type Service } from '../../../src/serve/handle.ts'
import { requestLines } from '../../../src/serve/request-lines.ts'
import { startServer } from '../../../src/serve/server.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { restFile, type SoapService, soapFile, startSoapService } from '../../support/soap-service.ts'

const maxBytes = 1000
const health = '{"status":"ok"}'

let soap: SoapService
let lanes: Lanes
let port = 0

before(async () => {
  soap = await startSoapService()
  lanes = await startLanes({
    dsl: {
      'g/echo.yml': soap.echo,
      'g/logged.yml': soap.echo,
      'g/get.yml': restFile('GET', 'anything'),
      'g/head.yml': restFile('HEAD', 'anything'),
      'g/patch.yaml': restFile('PATCH', 'anything'),
      'g/propfind.yml': restFile('PROPFIND', 'anything'),
      'g/a.b.yml': soap.echo,
      'g/a b.yml': soap.echo,
      'g/100%.yml': soap.echo,
      'g/a%2Fb.yml': soap.echo,
      'r\u00fchm/p\u00e4ring.yml': soap.echo,
      'g/deeper/echo.yml': soap.echo,
      'health/echo.yml': soap.echo,
    },
    config: { limits: { max_request_bytes: maxBytes } },
  })
  port = lanes.port
})

after(async () => {
  await lanes.close()
  await soap.close()
})

/** Checks the shape of an error and gives status and name. */
function refusal({ status, headers, text }: Reply | WireAnswer): [status: number, error: string] {
  strictEqual(headers['content-type'], 'application/json')
  strictEqual(headers['content-length'], String(Buffer.byteLength(text)))
  const { error, message, ...extras } = JSON.parse(text) as Record<string, unknown>
  ok(typeof error === 'string' && typeof message === 'string' && message !== '', text)
  deepStrictEqual(Object.keys(extras), status === 413 ? ['limit'] : [])
  return [status, error]
}

function head(method: string, path: string, ...lines: string[]): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n')
}

function post(path: string, body: string): string {
  return `${head('POST', path, `Content-Length: ${Buffer.byteLength(body)}`)}${body}`
}

function echoed(x: string): string {
  return `{"body":{"x":${JSON.stringify(x)}},"headers":null}`
}

const chunked = 'Transfer-Encoding: chunked'
const notFound = [404, 'template_not_found']
const malformed = [400, 'malformed_request']

describe('paths', { concurrency: true }, () => {
  const found: Record<string, string> = {
    'two segments': '/g/echo',
    'a query string': '/g/echo?a=/b?c',
    'an empty query string': '/g/echo?',
    'an encoded letter': '/%67/%65cho',
    'a dot in the name': '/g/a.b',
    'an encoded space': '/g/a%20b',
    'an encoded percent sign': '/g/100%25',
    'a percent sign as it is': '/g/100%',
    'letters beyond ASCII': '/r%C3%BChm/p%C3%A4ring',
    'a folder in a folder': '/deeper/echo',
    'a group that is called like a page': '/health/echo',
    'the absolute form': 'http://x/g/echo',
    'the absolute form with a port and a query': 'HTTP://x:8080/g/echo?x=1',
  }
  for (const [what, target] of Object.entries(found)) {
    test(`${what} is an endpoint [D1.9 S-what.1]`, async () => {
      strictEqual((await send(port, post(target, '{"x":"y"}'))).text, echoed('y'))
    })
  }

  const unknown = [
    '/', '//', '/g', '/g/', '/g/none', '/none/echo', '/g/echo/', '/g//echo', '//g/echo', '/g/echo/more', '/g/deeper/echo', '/a/b/c/d',
    '/G/echo', '/g/ECHO', '/g/echo.yml', '/health/', '/Health', '/healthz', '/api/', '/g%2Fecho', '/g%2fecho', '/g%2Fecho/x', '/g/echo%2F',
    '/g/a/b', '/%2Fg/echo', '/g%252Fecho', '/g/echo%00', '/g/%', '/g/%zz', '/g/%ff', '/g/%c3%28', '/g/%ed%a0%80', '/g/../g/echo', '/./g/echo',
    '/g/..%2fecho', '/%2e%2e/%2e%2e/etc/passwd', '/g/echo;x=1', '/g/echo%3Fx', '/g/echo%20', '/g\\echo', '/__proto__/constructor',
    '/constructor', '/toString', '/g/__proto__', '*', 'http://x', 'http://x?/g/echo', 'ftp://x/g/echo', 'http://g/echo', '/g/echo#x',
  ] // prettier-ignore
  for (const target of unknown) {
    test(`there is nothing at ${target} [D1.6 S-route.2 S-error.template_not_found]`, async () => {
      for (const bytes of [post(target, '{"x":"y"}'), head('DELETE', target), head('OPTIONS', target)]) {
        const answer = await send(port, bytes)
        deepStrictEqual(refusal(answer), notFound)
        strictEqual(answer.headers['allow'], undefined)
      }
    })
  }

  test('a path of nearly 64 KiB is unknown, its message short [D1.6]', async () => {
    const answer = await send(port, head('GET', `/g/${'x'.repeat(65_000)}`))
    deepStrictEqual(refusal(answer), notFound)
    ok(answer.text.length < 200)
  })

  test('health is ok and nothing else [S-endpoint.health]', async () => {
    const answer = await call(port, '/health?x=y')
    deepStrictEqual([answer.status, answer.text, answer.headers['content-type']], [200, health, 'application/json'])
  })

  test('api lists each endpoint [S-endpoint.api S-what.5]', async () => {
    const { status, headers, text } = await call(port, '/api')
    deepStrictEqual([status, headers['content-type']], [200, 'application/json'])
    const { openapi, paths } = JSON.parse(text) as { openapi: string; paths: Record<string, unknown> }
    match(openapi, /^3\.1\./)
    for (const path of ['/g/echo', '/g/get', '/deeper/echo']) ok(Object.hasOwn(paths, path), path)
  })

  test('without a Security Server, what needs it is 500 [S-config.security_server S-error.internal_error]', async () => {
    const alone = await startLanes({
      dsl: { 'g/soap.yml': soapFile(), 'g/rest.yml': restFile('POST', 'x'), 'g/direct.yml': soap.echo },
      config: { security_server: null, limits: { max_request_bytes: maxBytes } },
    })
    for (const path of ['/g/soap', '/g/rest']) {
      const answer = await call(alone.port, path, { body: { x: 'y' } })
      deepStrictEqual(refusal(answer), [500, 'internal_error'])
      match(answer.text, /security_server/)
      deepStrictEqual(refusal(await call(alone.port, path, { body: 'x'.repeat(maxBytes + 1), method: 'POST' })), [
        413,
        'request_too_large',
      ])
    }
    strictEqual((await call(alone.port, '/g/direct', { body: { x: 'y' } })).text, echoed('y'))
    await alone.close()
  })

  test('nobody is asked who they are [S-auth.1 S-not-produced]', async () => {
    for (const authorization of ['Basic bm86Ym9keQ==', 'Bearer x', 'nonsense']) {
      const headers = { authorization, cookie: 'x=y', origin: 'https://elsewhere.example' }
      strictEqual((await call(port, '/g/echo', { headers, body: { x: 'y' } })).status, 200)
      strictEqual((await call(port, '/health', { headers })).status, 200)
    }
  })

  test('nothing of a request becomes a header of an answer', async () => {
    const injected = '%0d%0aX-Injected:%20yes%0d%0a%0d%0a'
    for (const path of [`/g/${injected}`, `/health?x=${injected}`]) {
      strictEqual((await send(port, head('GET', path))).headers['x-injected'], undefined)
    }
  })
})

describe('methods', { concurrency: true }, () => {
  const known = [
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'PURGE',
    'QUERY',
    'M-SEARCH',
  ]
  const strange = ['BREW', 'get', 'Post', 'X', 'GETX', "!#$%&'*+.^_`|~"]
  const endpoints: Record<string, string> = {
    '/health': 'GET, HEAD',
    '/api': 'GET, HEAD',
    '/g/echo': 'POST',
    '/g/get': 'GET',
    '/g/head': 'HEAD',
    '/g/patch': 'PATCH',
    '/g/propfind': 'PROPFIND',
  } // prettier-ignore
  for (const method of [...known, ...strange]) {
    test(`${method} [D1.6 S-route.1 S-error.method_not_allowed S-soap.method S-rest.method]`, async () => {
      for (const [path, allow] of Object.entries(endpoints)) {
        if (allow.split(', ').includes(method)) continue
        const bodiless = method === 'HEAD'
        const answer = await send(port, head(method, `${path}?x`), { bodiless })
        strictEqual(answer.headers['allow'], allow, path)
        strictEqual(answer.status, 405)
        if (bodiless) continue
        deepStrictEqual(refusal(answer), [405, 'method_not_allowed'])
        const { message } = JSON.parse(answer.text) as { message: string }
        ok(message.replace(/;.*/, '').endsWith(`not ${method}`), message)
      }
      if (method !== 'HEAD') deepStrictEqual(refusal(await send(port, head(method, '/none/none'))), notFound)
    })
  }

  test('a method beyond the common ones reaches the Security Server [S-endpoint.rest]', async () => {
    for (const [method, path] of [
      ['PATCH', '/g/patch'],
      ['GET', '/g/get'],
    ] as const) {
      // prettier-ignore
      const answer = await call(port, path, { method })
      strictEqual((JSON.parse(answer.text) as { method: string }).method, method)
    }
    strictEqual((await send(port, head('HEAD', '/g/head'), { bodiless: true })).status, 200)
  })

  test('HEAD has the head of GET and no body [D1.6]', async () => {
    for (const path of ['/health', '/api', '/none/none']) {
      const get = await call(port, path)
      const wire = await Wire.open(port)
      wire.write(head('HEAD', path, 'Connection: close'))
      const answer = await wire.answer({ bodiless: true })
      await wire.closed
      deepStrictEqual([wire.received, answer.status], ['', get.status], path)
      for (const name of ['content-type', 'content-length']) strictEqual(answer.headers[name], get.headers[name])
      wire.socket.destroy()
    }
  })

  test('404 comes before 405, 405 before 413 [D1.6]', async () => {
    const body = 'x'.repeat(maxBytes + 1)
    for (const method of ['POST', 'PUT', 'DELETE', 'PROPFIND']) {
      for (const framing of ['Content-Length: 100000000', `Content-Length: ${body.length}`, chunked]) {
        const sent = framing === chunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body
        const ask = async (path: string): Promise<string> =>
          refusal(await send(port, head(method, path, framing) + sent)).join(' ')
        strictEqual(await ask('/none/none'), '404 template_not_found')
        strictEqual(await ask('/health'), '405 method_not_allowed')
        strictEqual(await ask('/g/get'), '405 method_not_allowed')
        strictEqual(await ask('/g/echo'), method === 'POST' ? '413 request_too_large' : '405 method_not_allowed')
      }
    }
  })

  test('a tunnel is not opened [D1.6]', async () => {
    for (const target of ['other.example:443', '127.0.0.1:22', '/g/none']) {
      deepStrictEqual(refusal(await send(port, head('CONNECT', target))), notFound)
    }
    const wire = await Wire.open(port)
    wire.write(post('/g/echo', '{"x":"first"}') + head('CONNECT', 'other.example:443'))
    strictEqual((await wire.answer()).text, echoed('first'))
    deepStrictEqual(refusal(await wire.answer()), notFound)
    await wire.closed
    strictEqual(wire.received, '')
    wire.socket.destroy()
  })

  test('a client that resets the connection of a refused tunnel harms nobody [D1.6]', async () => {
    await resetTunnels(port)
    strictEqual((await send(port, head('GET', '/health'))).status, 200)
  })

  test('no other protocol is spoken on request [D1.6]', async () => {
    for (const protocol of ['websocket', 'h2c', 'TLS/1.0']) {
      const lines = ['Connection: Upgrade, HTTP2-Settings', `Upgrade: ${protocol}`, 'HTTP2-Settings: AAMAAABkAAQ']
      strictEqual((await send(port, head('GET', '/health', ...lines))).text, health)
      deepStrictEqual(refusal(await send(port, head('GET', '/g/echo', ...lines))), [405, 'method_not_allowed'])
    }
  })
})

describe('requests that are no good', { concurrency: true }, () => {
  const nonsense: Record<string, string | Buffer> = {
    'no HTTP at all': 'hello\r\n\r\n',
    'a TLS greeting': Buffer.from('16030100a5010000a10303aabbccdd', 'hex'),
    'HTTP/2 by prior knowledge': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a version that is none': 'GET /health HTTP/9.9\r\nHost: x\r\n\r\n',
    'a protocol that is none': 'GET /health HTPP/1.1\r\nHost: x\r\n\r\n',
    'a line that is no header': 'GET /health HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n',
    'a space before the colon': head('GET', '/health', 'X : y'),
    'a header over two lines': head('GET', '/health', 'X: y', ' z'),
    'a length that is none': head('POST', '/g/echo', 'Content-Length: seven'),
    'a negative length': head('POST', '/g/echo', 'Content-Length: -1'),
    'two lengths': head('POST', '/g/echo', 'Content-Length: 1', 'Content-Length: 2'),
    'a length and chunks': `${head('POST', '/g/echo', 'Content-Length: 3', chunked)}0\r\n\r\n`,
    'a body of unknown framing': `${head('POST', '/g/echo', 'Transfer-Encoding: gzip')}x`,
    'a NUL in the target': head('GET', '/\0'),
    'a NUL in a header': head('GET', '/health', 'X-A: \0'),
    'a control character in the target': head('GET', '/g/\u001b[31mecho'),
    'raw letters beyond ASCII in the target': Buffer.from(head('GET', '/r\u00fchm/p\u00e4ring')),
    'a target without a slash': head('GET', 'health'),
    'a line break in the place of two': head('GET', '/health').replaceAll('\r', ''),
  }
  for (const [what, bytes] of Object.entries(nonsense)) {
    test(`${what} is malformed [S-errors.shape]`, async () => {
      const wire = await Wire.open(port)
      wire.write(bytes)
      deepStrictEqual(refusal(await wire.answer()), malformed)
      await wire.closed
      wire.socket.destroy()
    })
  }

  const tooLarge: Record<string, string> = {
    'a header': head('GET', '/health', `X: ${'x'.repeat(70_000)}`),
    'a header of a megabyte': head('GET', '/health', `X: ${'x'.repeat(1_000_000)}`),
    'many headers': head('GET', '/health', ...Array.from({ length: 20_000 }, (_, i) => `x${i}: y`)),
    'a target': head('GET', `/${'x'.repeat(70_000)}`),
    'a target of eight megabytes': head('GET', `/?${'x'.repeat(8_000_000)}`),
  }
  for (const method of ['GET', 'PROPFIND']) {
    test(`a head of ${method} of exactly 65 536 bytes is read, one byte more is 431 [G7]`, async () => {
      const statusOf = async (bytes: number): Promise<unknown> => {
        const start = `${method} /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: `
        const wire = await Wire.open(port)
        wire.socket.write(`${start}${'x'.repeat(bytes - start.length - 4)}\r\n\r\n`)
        const { status } = await wire.answer()
        wire.socket.destroy()
        return status
      }
      deepStrictEqual([await statusOf(65_536), await statusOf(65_537)], [method === 'GET' ? 200 : 405, 431])
    })
  }

  for (const [what, bytes] of Object.entries(tooLarge)) {
    test(`${what} beyond the limit is 431, also for a client that writes all before it reads [S-errors.shape]`, async () => {
      const wire = await Wire.open(port)
      wire.socket.pause()
      await new Promise((resolve) => wire.socket.write(bytes, resolve))
      wire.socket.resume()
      deepStrictEqual(refusal(await wire.answer()), [431, 'malformed_request'])
      wire.socket.destroy()
    })
  }

  test('a client that is refused and never closes holds no connection [S-errors.shape]', async () => {
    const wire = await Wire.open(port)
    wire.write('hello\r\n\r\n')
    await wire.closed
    const gone = new Promise((resolve) => wire.socket.once('error', resolve).once('close', resolve))
    const writing = setInterval(() => wire.write('x'), 500)
    await gone
    clearInterval(writing)
    wire.socket.destroy()
  })

  test('what came before the nonsense gets its answer, the nonsense one of its own, and then the connection ends', async () => {
    for (const [rest, refused] of [
      ['BREW / HTTP/1.1\r\n\r\n', notFound],
      ['\0\0\0\0', malformed],
      ['no HTTP', malformed],
    ] as const) {
      const wire = await Wire.open(port)
      wire.write(post('/g/echo', '{"x":"y"}') + rest)
      strictEqual((await wire.answer()).text, echoed('y'))
      deepStrictEqual(refusal(await wire.answer()), refused)
      await wire.closed
      strictEqual(wire.received, '')
      wire.socket.destroy()
    }
  })

  test('a body that breaks off after its request was refused gets no second answer', async () => {
    const wire = await Wire.open(port)
    wire.write(`${head('POST', '/none/none', 'Content-Length: 100')}{}`)
    deepStrictEqual(refusal(await wire.answer()), notFound)
    wire.socket.end()
    await wire.closed
    strictEqual(wire.received, '')
    wire.socket.destroy()
  })

  test('HTTP/1.0 is understood, and the connection closed', async () => {
    const body = '{"x":"y"}'
    const wire = await Wire.open(port)
    wire.write(`POST /g/echo HTTP/1.0\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    strictEqual((await wire.answer()).text, echoed('y'))
    await wire.closed
    wire.socket.destroy()
    strictEqual((await send(port, 'GET /health HTTP/1.0\r\n\r\n')).text, health)
  })

  test('an expectation that nobody knows is passed over; no Host, and two of them, are refused [X16]', async () => {
    deepStrictEqual(refusal(await send(port, 'GET /health HTTP/1.1\r\n\r\n')), malformed)
    deepStrictEqual(refusal(await send(port, head('GET', '/health', 'hOST: y'))), malformed)
    strictEqual((await send(port, head('GET', '/health', 'Expect: bananas'))).text, health)
    strictEqual((await send(port, `\r\n\r\n${head('GET', '/health')}`)).text, health)
  })
})

describe('connections', { concurrency: true }, () => {
  test('pipelined requests are answered in their order, errors among them', async () => {
    const wire = await Wire.open(port)
    const requests = [
      post('/g/echo', '{"x":"1"}'),
      head('GET', '/health'),
      head('GET', '/none/none'),
      post('/g/get', '{"x":"2"}'),
      post('/g/echo', 'x'.repeat(maxBytes + 1)),
      head('HEAD', '/health'),
      post('/g/echo', '{"x":"3"}'),
    ]
    wire.write(requests.join(''))
    strictEqual((await wire.answer()).text, echoed('1').replace('"1"', '1'))
    strictEqual((await wire.answer()).text, health)
    for (const status of [404, 405, 413]) strictEqual(refusal(await wire.answer())[0], status)
    strictEqual((await wire.answer({ bodiless: true })).headers['content-length'], String(health.length))
    strictEqual((await wire.answer()).text, echoed('3').replace('"3"', '3'))
    wire.socket.destroy()
  })

  test('a connection stays usable after every error that is not about the connection itself', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const body = 'x'.repeat(maxBytes + 1)
    const statuses = [
      await call(port, '/none/none', { agent }),
      await call(port, '/none/none', { agent, body: { x: 'y' } }),
      await call(port, '/g/echo', { agent, method: 'PUT', body: { x: 'y' } }),
      await call(port, '/g/echo', { agent, method: 'POST', body }),
      await call(port, '/health', { agent, method: 'DELETE' }),
      await call(port, '/g/echo', { agent, body: { x: '\u0001' } }),
      await call(port, '/g/echo', { agent, method: 'POST', body: '{"x":' }),
      await call(port, '/g/echo', { agent, body: { x: 'y' } }),
    ].map(({ status }) => status)
    deepStrictEqual(statuses, [404, 404, 405, 413, 405, 500, 200, 200])
    strictEqual(Object.values(agent.freeSockets).flat().length, 1)
    agent.destroy()
  })

  test('five hundred connections at once, idle ones among them', async () => {
    const wires = await Promise.all(Array.from({ length: 500 }, () => Wire.open(port)))
    for (const round of ['a', 'b']) {
      const busy = wires.filter((_, index) => index % 2 === 0)
      for (const wire of busy) wire.write(post('/g/echo', JSON.stringify({ x: round })))
      const answers = await Promise.all(busy.map((wire) => wire.answer()))
      ok(answers.every(({ status, text }) => status === 200 && text === echoed(round)))
    }
    for (const wire of wires) wire.write(head('GET', '/health'))
    for (const wire of wires) strictEqual((await wire.answer()).text, health)
    for (const wire of wires) wire.socket.destroy()
  })

  test('clients that never finish their request keep nobody else from being served', async () => {
    const wires = await Promise.all(Array.from({ length: 300 }, () => Wire.open(port)))
    for (const [index, wire] of wires.entries()) {
      wire.write(index % 2 === 0 ? 'GET /health HTTP/1.1\r\nX-' : `${head('POST', '/g/echo', chunked)}1\r\n`)
    }
    for (let i = 0; i < 20; i++) strictEqual((await call(port, '/g/echo', { body: { x: 'y' } })).status, 200)
    for (const wire of wires) wire.socket.destroy()
  })
})

/** What the log says of the requests to one path or endpoint. */
async function linesOf(place: string, count: number): Promise<Record<string, unknown>[]> {
  const found = (): Record<string, unknown>[] =>
    lanes.log.filter(({ event, path, endpoint }) => event === 'request' && (path === place || endpoint === place))
  await until(() => found().length >= count, `${count} lines of ${place}`)
  return found()
}

describe('the log', () => {
  test('one line for each request: method, endpoint, status, durations, message id [D1.8]', async () => {
    const sent = [
      await call(port, '/g/logged?x=secretquery', { body: { x: 'secretbody' } }),
      await call(port, '/g/logged', { body: 'x'.repeat(maxBytes + 1), method: 'POST' }),
    ]
    deepStrictEqual(
      sent.map(({ status }) => status),
      [200, 413],
    )
    const lines = await linesOf('g/logged', 2)
    strictEqual(lines.length, 2)
    const [good = {}, refused = {}] = lines
    deepStrictEqual([good['level'], good['method'], good['status']], ['info', 'POST', 200])
    match(String(good['id']), /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)
    ok(Number(good['ms']) >= Number(good['upstream_ms']) && Number(good['upstream_ms']) > 0)
    deepStrictEqual([refused['status'], refused['error'], refused['source']], [413, 'request_too_large', 'proxy'])
    strictEqual(refused['upstream_ms'], undefined)
    match(String(refused['id']), /^[\da-f]{8}-/)
  })

  test('the message id of a REST request is that of its caller [D1.8]', async () => {
    const id = 'id of "the" caller'
    const known = (await linesOf('g/get', 0)).length
    await call(port, '/g/get?x=secretquery', { headers: { 'x-road-id': id } })
    const [line = {}] = (await linesOf('g/get', known + 1)).slice(known)
    deepStrictEqual([line['id'], line['status'], line['method']], [id, 200, 'GET'])
  })

  test('requests that reach no endpoint have their path, without the query string [D1.8]', async () => {
    await call(port, '/logged/nothing?x=secretquery')
    await send(port, head('PUT', 'http://user:secretpassword@x/logged/nothing?x=secretquery'))
    const lines = await linesOf('/logged/nothing', 2)
    deepStrictEqual(lines.map(({ method, status }) => [method, status]), [['GET', 404], ['PUT', 404]]) // prettier-ignore
  })

  test('what is no request leaves a line as well, without a word of what was sent [D1.8]', async () => {
    const odd = (): Record<string, unknown>[] => lanes.log.filter(({ method }) => method === 'unknown')
    const known = odd().length
    await send(port, 'secretmethod secretpath HTTP/1.1\r\n\r\n')
    await send(port, head('SECRETMETHOD', '/g/echo'))
    await send(port, 'secretgarbage').catch(() => undefined)
    await send(port, head('GET', '/health', 'secretheader'))
    await send(port, head('GET', '/health', `secretheader: ${'x'.repeat(70_000)}`))
    await until(() => odd().length >= known + 5, 'five lines')
    deepStrictEqual(odd().slice(known).map(({ status }) => status), [404, 405, 400, 400, 431]) // prettier-ignore
  })

  test('no body, query string, header or password is in any line of all these tests [D1.8]', async () => {
    const secrets = { x: 'secretbody', y: 'secretbody' }
    await call(port, '/g/echo', { body: secrets, headers: { authorization: 'secretheader' } })
    await send(port, `${head('POST', '/g/echo', 'Content-Length: 2')}{} secretbody secretbody`)
    await send(port, `${head('POST', '/g/echo', chunked)}secretbody secretbody\r\n`)
    await call(port, '/g/get?secretquery', { headers: { 'x-road-userid': 'secretheader' } })
    await until(() => lanes.log.length > 0, 'lines')
    const text = JSON.stringify(lanes.log)
    doesNotMatch(text, /secret/i)
    doesNotMatch(text, /\\u001b|\[31m/)
    ok(lanes.log.length > 100)
  })
})

describe('the server alone', () => {
  const options = { host: '127.0.0.1', port: 0 }
  const refuse = () => ({ status: 400, body: '{}' })

  async function start(
    handler: (request: Request, writer: ResponseWriter) => Promise<void>,
    fastReader = true,
  ): Promise<Shell> {
    return startServer({
      ...options,
      fastReader,
      handle: handler,
      refuse,
      tooSlow: () => undefined,
      maxConnections: 1000,
      full: () => undefined,
    })
  }

  test('what nobody expected is 500 with a minimal body, and the log has the rest [S-error.internal_error]', async () => {
    const written: string[] = []
    const events = openEvents({ level: 'info', format: 'json' }, { write: (line) => void written.push(line) })
    new RequestLog(events, 'answered', requestLines(events)).use({ requests: 'all', slowMs: 1000 })
    const service = {
      routes: new Map(),
      get health(): never {
        throw new TypeError('secret detail')
      },
      events,
    } as unknown as Service
    const server = await start((request, writer) => handle(service, request, writer))
    const answer = await call(server.port, '/health')
    deepStrictEqual([answer.status, answer.text], [500, '{"error":"internal_error","message":"internal error"}'])
    const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>)
    deepStrictEqual(lines.map(({ event, level }) => [event, level]), [['internalError', 'error'], ['request', 'info']]) // prettier-ignore
    match(String(lines[0]?.['stack']), /TypeError: secret detail\n\s+at /)
    strictEqual(lines[1]?.['error'], 'internal_error')
    await server.close()
  })

  test('the head and the whole of a request have to arrive in time', async () => {
    // Whatever arrives in part is Node's.
    const server = await start((_, writer) => Promise.resolve(writer.send({ status: 200, body: '{}' })), false)
    await checkRequestLimits(server.port)
    await server.close()
  })

  test('nothing is kept of clients that left', async () => {
    const held: (() => void)[] = []
    const server = await start(async (request, writer) => {
      if (request.target === '/upload') await request.upload.collect(1000).catch(() => undefined)
      else await new Promise<void>((resolve) => held.push(resolve))
      writer.send({ status: 200, body: '{}' })
    })
    const sockets: WeakRef<Socket>[] = []
    const notice = (message: unknown): void =>
      void sockets.push(new WeakRef((message as { readonly socket: Socket }).socket))
    diagnostics.subscribe('net.server.socket', notice)
    for (const bytes of ['', head('GET', '/'), head('POST', '/upload', 'Content-Length: 100'), 'nonsense\r\n']) {
      const wires = await Promise.all(Array.from({ length: 25 }, () => Wire.open(server.port)))
      for (const wire of wires) wire.write(bytes)
      await until(() => !bytes.startsWith('GET') || held.length === 25, 'all of them to wait')
      await call(server.port, '/upload')
      for (const wire of wires) wire.socket.destroy()
    }
    diagnostics.unsubscribe('net.server.socket', notice)
    for (const resolve of held.splice(0)) resolve()
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const isGone = (): boolean => {
      collectGarbage()
      return sockets.filter((socket) => socket.deref() !== undefined).length < 10
    }
    await until(isGone, 'all sockets to be forgotten')
    ok(sockets.length > 100)
    await server.close()
  })
})

test('the service has survived all of this [S-endpoint.health]', async () => {
  strictEqual(errorOf(await call(port, '/health')), '')
  ok(lanes.log.every(({ event }) => event !== 'internalError'), JSON.stringify(lanes.log.find(({ event }) => event === 'internalError'))) // prettier-ignore
})
