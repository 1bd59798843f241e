/**
 * The HTTP shell over real sockets: bodies and their cap, malformed and hostile requests, CORS, many connections. What
 * the URL and the header choose is for route.test.ts, what the database answers for cases.test.ts.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { checkRequestLimits, resetTunnels } from '@services/http-shell/testing'
import { type Reply, call, elapsed, errorOf, send, Wire, type WireAnswer } from '@services/testing'
import { type ThrowawayPostgres, startThrowawayPostgres } from '@services/testing/postgres'
import { openEvents } from '../../../src/events.ts'
import type { Reply as ServiceReply } from '../../../src/model.ts'
import { createCors } from '../../../src/serve/cors.ts'
import { handle, type Service } from '../../../src/serve/handle.ts'
import { WithoutEffect } from '../../../src/serve/params/without-effect.ts'
import { startServer } from '../../../src/serve/server.ts'
import { Uploads } from '../../../src/serve/uploads.ts'
import { type Running, startSqlapi } from '../../support/process.ts'

const maxBytes = 1000
const listed = 'https://a.example'
/** Some half a second of work. */
const slow =
  'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1500000) SELECT max(n) AS n FROM c'

const files = {
  'demo/GET/one.sql': 'SELECT 1 AS one',
  'demo/GET/a/b.sql': "SELECT 'ab' AS x",
  'demo/GET/echo.sql': 'SELECT :x AS x',
  'demo/GET/slow.sql': slow,
  'demo/GET/failing.sql': 'SELECT * FROM missing',
  'demo/POST/echo.sql': 'SELECT :x AS x',
  'demo/POST/length.sql': 'SELECT length(:x) AS length',
  'demo/POST/touch.sql': 'CREATE TABLE IF NOT EXISTS touched (x)',
  'demo/GET/touched.sql': "SELECT count(*) AS n FROM sqlite_schema WHERE name = 'touched'",
}
/** What is wrong is in the requests, and not that thousands of them wait on a busy machine. */
const patient = { url: 'sqlite::memory:', acquire_timeout_seconds: 300 }
const datasources = [
  { name: 'demo', ...patient },
  { name: 'second', ...patient },
]

let open: Running
let closed: Running
let port = 0

before(async () => {
  const server = { max_body_bytes: maxBytes }
  const cors = { allowed_origins: `${listed} , https://b.example:8443` }
  ;[open, closed] = await Promise.all([
    startSqlapi({ files, config: { datasources, server } }),
    startSqlapi({ files, config: { datasources, server, cors, allow_datasource_header: false } }),
  ])
  port = open.port
})

after(async () => {
  for (const service of [open, closed]) {
    strictEqual(service.stderr(), '')
    const { code } = await service.stop()
    strictEqual(code, 0)
  }
})

/** Checks the shape of an error and gives its name. */
function refusal({ status, headers, text }: Reply | WireAnswer, expected = 400): string {
  strictEqual(status, expected, text)
  strictEqual(headers['content-type'], 'application/json')
  const body = JSON.parse(text) as Record<string, unknown>
  deepStrictEqual(Object.keys(body), ['error', 'message'])
  ok(
    Object.values(body).every((value) => typeof value === 'string' && value !== ''),
    text,
  )
  return body['error'] as string
}

function messageOf({ text }: Reply | WireAnswer): string {
  return (JSON.parse(text) as { message: string }).message
}

/** JSON of exactly so many bytes, with characters of two bytes in it. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ x: '' }).length
  const letters = '\u00e4'.repeat(Math.floor((bytes - empty) / 2))
  return JSON.stringify({ x: letters + ' '.repeat((bytes - empty) % 2) })
}

function head(method: string, path: string, ...lines: string[]): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n')
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

const chunked = 'Transfer-Encoding: chunked'

describe('the cap on bodies', { concurrency: true }, () => {
  const sendBody = {
    'with a length': (body: string) =>
      send(port, `${head('POST', '/demo/length', `Content-Length: ${Buffer.byteLength(body)}`)}${body}`),
    'in one chunk': (body: string) => send(port, `${head('POST', '/demo/length', chunked)}${chunk(body)}0\r\n\r\n`),
    'byte by byte': async (body: string): Promise<WireAnswer> => {
      const wire = await Wire.open(port)
      wire.socket.setNoDelay(true)
      wire.write(head('POST', '/demo/length', chunked))
      const bytes = Buffer.from(body)
      for (let i = 0; i < bytes.length; i++) {
        wire.write(Buffer.concat([Buffer.from('1\r\n'), bytes.subarray(i, i + 1), Buffer.from('\r\n')]))
        if (i % 16 === 0) await new Promise(setImmediate)
      }
      wire.write('0\r\n\r\n')
      return wire.answer()
    },
  }
  for (const [how, sendOne] of Object.entries(sendBody)) {
    test(`counts bytes and is inclusive: ${how} [D2.5] [S-limits.max_body_bytes] [S-config.server.max_body_bytes]`, async () => {
      const exact = await sendOne(bodyOf(maxBytes))
      deepStrictEqual([exact.status, exact.text], [200, '[{"length":496}]'])
      const over = await sendOne(bodyOf(maxBytes + 1))
      strictEqual(refusal(over, 413), 'PayloadTooLargeException')
      match(messageOf(over), /1000/)
    })
  }

  test('the cap comes before anything else that is wrong [S-error.PayloadTooLargeException] [D1.8]', async () => {
    const body = '{'.repeat(maxBytes + 1)
    const headers = { 'content-length': body.length, 'x-datasource': 'unknown' }
    for (const path of ['/demo/echo', '/demo/echo/batch', '/demo/unknown', '/', '/%zz', '/demo/one', '/health']) {
      for (const method of ['POST', 'GET', 'PUT']) {
        const answer = await call(port, path, { method, headers, body })
        strictEqual(refusal(answer, 413), 'PayloadTooLargeException', `${method} ${path}`)
      }
    }
  })

  test('a client that writes all before it reads gets its answer [S-error.PayloadTooLargeException]', async () => {
    const large = Buffer.alloc(4_000_000, 0x20)
    for (const framing of [`Content-Length: ${large.length}`, chunked]) {
      const wire = await Wire.open(port)
      const failures: unknown[] = []
      wire.socket.on('error', (error) => failures.push(error))
      wire.socket.pause()
      wire.write(head('POST', '/demo/echo', framing))
      if (framing === chunked) wire.write(`${large.length.toString(16)}\r\n`)
      await new Promise((resolve) => wire.socket.write(large, resolve))
      deepStrictEqual(failures, [], framing)
      wire.socket.resume()
      strictEqual(refusal(await wire.answer(), 413), 'PayloadTooLargeException')
      wire.socket.destroy()
    }
  })

  test('a client that never stops sending is answered and cut off [S-error.PayloadTooLargeException]', async () => {
    const wire = await Wire.open(port)
    wire.write(head('POST', '/demo/echo', chunked))
    const sending = setInterval(() => wire.write(chunk('x'.repeat(600))), 5)
    try {
      strictEqual(refusal(await wire.answer(), 413), 'PayloadTooLargeException')
      await wire.closed
    } finally {
      clearInterval(sending)
      wire.socket.destroy()
    }
  })

  test('Expect: 100-continue is answered with 100 where the body fits', async () => {
    const wire = await Wire.open(port)
    const body = '{"x":1}'
    wire.write(head('POST', '/demo/echo', `Content-Length: ${body.length}`, 'Expect: 100-continue'))
    strictEqual((await wire.answer({ bodiless: true })).status, 100)
    wire.write(body)
    strictEqual((await wire.answer()).text, '[{"x":1}]')
    wire.socket.destroy()
  })

  test('Expect: 100-continue is answered with 413 where the body does not fit [S-error.PayloadTooLargeException]', async () => {
    const expecting = [`Content-Length: ${maxBytes + 1}`, 'Expect: 100-continue']
    const answer = await send(port, head('POST', '/demo/echo', ...expecting))
    strictEqual(refusal(answer, 413), 'PayloadTooLargeException')
    strictEqual(answer.headers['access-control-allow-origin'], '*')
  })

  test('Expect: 100-continue with chunks is capped as they arrive', async () => {
    const wire = await Wire.open(port)
    wire.write(head('POST', '/demo/echo', chunked, 'Expect: 100-continue'))
    strictEqual((await wire.answer({ bodiless: true })).status, 100)
    wire.write(chunk('x'.repeat(maxBytes)) + chunk('x'))
    strictEqual(refusal(await wire.answer(), 413), 'PayloadTooLargeException')
    wire.socket.destroy()
  })

  test('a client that stops in the middle of its body is never answered as if that were all', async () => {
    for (const leave of ['end', 'destroy'] as const) {
      const wire = await Wire.open(port)
      wire.write(`${head('POST', '/demo/touch', 'Content-Length: 20')}{}`)
      wire.socket[leave]()
      if (leave === 'end') strictEqual(refusal(await wire.answer()), 'MalformedRequestException')
    }
    strictEqual((await call(port, '/demo/touched')).text, '[{"n":0}]')
  })

  test('bodies with a type of another kind, and with none, are JSON all the same [D2.1]', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1']) {
      const answer = await call(port, '/demo/echo', { headers: { 'content-type': type }, body: '{"x":1}' })
      strictEqual(answer.text, '[{"x":1}]', type)
    }
    const answer = await send(port, `${head('POST', '/demo/echo', 'Content-Length: 7')}{"x":1}`)
    deepStrictEqual([answer.status, answer.headers['content-type']], [200, 'application/json'])
  })
})

describe('connections', { concurrency: true }, () => {
  test('pipelined requests are answered in their order, slow ones and errors among them', async () => {
    const wire = await Wire.open(port)
    const post = (body: string): string => `${head('POST', '/demo/echo', `Content-Length: ${body.length}`)}${body}`
    const gets = ['/demo/slow', '/demo/one', '/demo/unknown', '/demo/failing'].map((path) => head('GET', path))
    wire.write(gets.join('') + post('{') + post('{"x":2}') + head('HEAD', '/demo/one') + head('GET', '/demo/a/b'))
    strictEqual((await wire.answer()).text, '[{"n":1500000}]')
    strictEqual((await wire.answer()).text, '[{"one":1}]')
    strictEqual(refusal(await wire.answer()), 'SqlapiRuntimeException')
    strictEqual(refusal(await wire.answer()), 'BadSqlGrammarException')
    strictEqual(refusal(await wire.answer()), 'MalformedRequestException')
    strictEqual((await wire.answer()).text, '[{"x":2}]')
    strictEqual((await wire.answer({ bodiless: true })).headers['content-length'], '11')
    strictEqual((await wire.answer()).text, '[{"x":"ab"}]')
    wire.socket.destroy()
  })

  test('a connection stays usable after every error that is not about the connection itself', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const wrong = [
      () => call(port, '/demo/unknown', { agent }),
      () => call(port, '/demo/echo', { agent, body: '{"x":' }),
      () => call(port, '/demo/echo', { agent, body: {} }),
      () => call(port, '/demo/one', { agent, headers: { 'x-datasource': 'none' } }),
      () => call(port, '/demo/failing', { agent }),
      () => call(port, '/demo/echo/batch', { agent, body: {} }),
      () => call(port, '/demo/one', { agent, method: 'DELETE' }),
      () => call(port, '/%zz', { agent }),
    ]
    for (const each of wrong) refusal(await each())
    strictEqual((await call(port, '/demo/one', { agent })).text, '[{"one":1}]')
    const sockets = Object.values(agent.freeSockets).flat()
    strictEqual(sockets.length, 1)
    agent.destroy()
  })

  test('HEAD has the head of GET and no body [D1.4]', async () => {
    for (const path of ['/demo/one', '/demo/unknown', '/demo/failing', '/demo/echo', '/datasources']) {
      const get = await call(port, path)
      const wire = await Wire.open(port)
      wire.write(head('HEAD', path, 'Connection: close'))
      const answer = await wire.answer({ bodiless: true })
      await wire.closed
      strictEqual(wire.received, '', path)
      strictEqual(answer.status, get.status)
      for (const name of ['content-type', 'content-length', 'access-control-allow-origin']) {
        strictEqual(answer.headers[name], get.headers[name], `${path} ${name}`)
      }
      wire.socket.destroy()
    }
    const health = await send(port, head('HEAD', '/health'), { bodiless: true })
    strictEqual(health.status, 200)
    strictEqual((await send(port, head('HEAD', '/demo/touch'), { bodiless: true })).status, 400)
  })

  test('two thousand connections at once', async (t) => {
    const since = elapsed()
    const wires = await Promise.all(Array.from({ length: 2000 }, () => Wire.open(port)))
    for (const round of [1, 2]) {
      for (const wire of wires) wire.write(head('GET', `/demo/echo?x=${round}`))
      const answers = await Promise.all(wires.map((wire) => wire.answer()))
      ok(answers.every(({ status, text }) => status === 200 && text === `[{"x":"${round}"}]`))
    }
    for (const wire of wires) wire.socket.destroy()
    t.diagnostic(`4000 answers after ${Math.round(since())} ms`)
    strictEqual((await call(port, '/demo/one')).status, 200)
  })

  test('clients that never finish their request keep nobody else from being served', async () => {
    const wires = await Promise.all(Array.from({ length: 300 }, () => Wire.open(port)))
    for (const [index, wire] of wires.entries()) {
      wire.write(
        index % 2 === 0 ? 'GET /demo/one HTTP/1.1\r\nHost: x\r\nX-' : `${head('POST', '/demo/echo', chunked)}1\r\n`,
      )
    }
    for (let i = 0; i < 20; i++) strictEqual((await call(port, '/demo/one')).status, 200)
    for (const wire of wires) wire.socket.destroy()
  })

  test('the head and the whole of a request have to arrive in time', async () => {
    const cors = createCors('*')
    const reply: ServiceReply = { status: 200, headers: {}, body: { mediaType: 'text/plain', content: '' } }
    const options = {
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 10,
      uploads: new Uploads(),
      maxPipelinedRequests: 2,
      // Whatever arrives in part is Node's.
      fastReader: false,
      cors,
      breaksOff: () => undefined,
    }
    const server = await startServer({ ...options, handle: () => Promise.resolve(reply) })
    await checkRequestLimits(server.port)
    await server.close()
  })
})

describe('CORS', { concurrency: true }, () => {
  const preflightTo = (to: number, origin: string, ...lines: string[]): Promise<WireAnswer> =>
    send(to, head('OPTIONS', '/demo/echo', `Origin: ${origin}`, 'Access-Control-Request-Method: POST', ...lines))
  const asked = 'Access-Control-Request-Headers: content-type, x-datasource'

  test('a preflight where any origin may call [D1.4] [D1.9]', async () => {
    const { status, headers, text } = await preflightTo(port, 'https://anywhere.example', asked)
    deepStrictEqual([status, text], [204, ''])
    strictEqual(headers['access-control-allow-origin'], '*')
    deepStrictEqual(headers['access-control-allow-methods']?.split(', ').toSorted(), ['GET', 'HEAD', 'POST'])
    strictEqual(headers['access-control-allow-headers'], 'content-type, x-datasource')
    match(headers['vary'] ?? '', /Access-Control-Request-Headers/i)
  })

  test('a preflight where listed origins may call [D1.9]', async () => {
    const allowed = await preflightTo(closed.port, listed, asked)
    strictEqual(allowed.headers['access-control-allow-origin'], listed)
    strictEqual(allowed.headers['access-control-allow-headers'], 'content-type, x-datasource')
    match(allowed.headers['vary'] ?? '', /\bOrigin\b/)
    const refused = await preflightTo(closed.port, 'https://evil.example', asked)
    const names = Object.keys(refused.headers).filter((name) => name.startsWith('access-control-'))
    deepStrictEqual([refused.text, names], ['', []])
    match(refused.headers['vary'] ?? '', /\bOrigin\b/)
  })

  test('OPTIONS never runs SQL, with the headers of a preflight or without [D1.4]', async () => {
    await preflightTo(port, 'https://x.example')
    for (const lines of [[], ['Origin: https://x.example'], ['Access-Control-Request-Method: POST']]) {
      strictEqual(refusal(await send(port, head('OPTIONS', '/demo/touch', ...lines))), 'SqlapiRuntimeException')
    }
    strictEqual(refusal(await send(port, head('OPTIONS', '*'))), 'SqlapiRuntimeException')
    const preflight = ['Origin: https://x.example', 'Access-Control-Request-Method: POST']
    await send(port, head('OPTIONS', '/demo/touch', ...preflight))
    strictEqual((await call(port, '/demo/touched')).text, '[{"n":0}]')
  })

  test('origins are compared exactly [D1.9] [S-config.cors.allowed_origins]', async () => {
    const allows = async (origin: string): Promise<string | undefined> => {
      const { headers } = await call(closed.port, '/demo/one', { headers: { origin } })
      match(headers['vary'] ?? '', /\bOrigin\b/)
      return headers['access-control-allow-origin']
    }
    for (const origin of [listed, 'https://b.example:8443']) strictEqual(await allows(origin), origin)
    const others = [
      'http://a.example', 'https://A.example', 'https://a.example/', 'https://a.example:443', 'https://b.example',
      'https://a.example.evil.example', 'https://evil-a.example', 'null', '*', `${listed}, https://b.example:8443`,
    ] // prettier-ignore
    for (const origin of others) strictEqual(await allows(origin), undefined, origin)
    const { headers } = await call(closed.port, '/demo/one')
    deepStrictEqual([headers['vary'], headers['access-control-allow-origin']], ['Origin', undefined])
  })

  test('errors carry the headers too, the 413 included [D1.9]', async () => {
    const big = 'x'.repeat(maxBytes + 1)
    for (const [to, origin, allowed] of [
      [port, 'https://x.example', '*'],
      [closed.port, listed, listed],
    ] as const) {
      const headers = { origin }
      const answers = [
        await call(to, '/demo/unknown', { headers }),
        await call(to, '/', { headers }),
        await call(to, '/demo/failing', { headers }),
        await call(to, '/demo/echo', { headers, body: '{' }),
        await call(to, '/demo/echo', { headers, body: big }),
        await call(to, '/demo/one', { headers, method: 'DELETE' }),
      ]
      deepStrictEqual(
        answers.map(({ status }) => status),
        [400, 400, 400, 400, 413, 400],
      )
      for (const answer of answers) strictEqual(answer.headers['access-control-allow-origin'], allowed, answer.text)
    }
  })

  test('nothing but header names is echoed to a preflight [D1.9]', async () => {
    for (const names of ['a b', 'x\ty', '<script>', 'a,,b', '"x"', 'x: y', '\u00e4']) {
      const { headers } = await preflightTo(port, 'https://x.example', `Access-Control-Request-Headers: ${names}`)
      strictEqual(headers['access-control-allow-headers'], undefined, names)
    }
  })
})

describe('requests that are no good', { concurrency: true }, () => {
  const malformed: Record<string, string | Buffer> = {
    'no HTTP at all': 'hello\r\n\r\n',
    'a TLS greeting': Buffer.from('16030100a5010000a10303aabbccdd', 'hex'),
    'HTTP/2 by prior knowledge': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a version that is none': 'GET /demo/one HTTP/9.9\r\nHost: x\r\n\r\n',
    'no Host': 'GET /demo/unknown HTTP/1.1\r\n\r\n',
    'a line that is no header': 'GET /demo/one HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n',
    'a head that is too large': head('GET', '/demo/one', `X-Large: ${'x'.repeat(70_000)}`),
    'a target that is too long': head('GET', `/demo/${'x'.repeat(70_000)}`),
    'a length that is none': head('POST', '/demo/echo', 'Content-Length: seven'),
    'a negative length': head('POST', '/demo/echo', 'Content-Length: -1'),
    'two lengths': head('POST', '/demo/echo', 'Content-Length: 1', 'Content-Length: 2'),
    'a length and chunks': `${head('POST', '/demo/echo', 'Content-Length: 3', chunked)}0\r\n\r\n`,
    'a chunk that is none': `${head('POST', '/demo/echo', chunked)}xyz\r\n`,
    'a body of unknown framing': `${head('POST', '/demo/echo', 'Transfer-Encoding: gzip')}x`,
    'a NUL in the target': head('GET', '/demo/\0'),
    'a NUL in a header': head('GET', '/demo/one', 'X-A: \0'),
    'a control character in the target': head('GET', '/demo/\x01one'),
    'a target without a slash': head('GET', 'demo/one'),
    'an expectation that nobody knows': head('GET', '/demo/unknown', 'Expect: bananas'),
    'a request to tunnel': head('CONNECT', 'other.example:443'),
    'a method that nobody knows': head('BREW', '/demo/one'),
  }
  for (const [what, bytes] of Object.entries(malformed)) {
    test(`${what} gets an answer in the shape of every error [S-errors.shape]`, async () => {
      match(refusal(await send(port, bytes)), /^(?:MalformedRequestException|SqlapiRuntimeException)$/)
    })
  }

  for (const method of [
    'PUT',
    'DELETE',
    'PATCH',
    'TRACE',
    'OPTIONS',
    'PROPFIND',
    'PURGE',
    'QUERY',
    'CONNECT',
    'BREW',
  ]) {
    test(`${method} has no saved query [D1.3] [S-error.SqlapiRuntimeException]`, async () => {
      strictEqual(
        refusal(await send(port, head(method, method === 'CONNECT' ? 'x:1' : '/demo/one'))),
        'SqlapiRuntimeException',
      )
    })
  }

  test('a client that resets the connection of a refused tunnel harms nobody', async () => {
    await resetTunnels(port)
    strictEqual((await send(port, head('GET', '/demo/one'))).status, 200)
  })

  test('HTTP/1.0 is understood, and the connection closed', async () => {
    const wire = await Wire.open(port)
    wire.write('GET /demo/one HTTP/1.0\r\n\r\n')
    strictEqual((await wire.answer()).text, '[{"one":1}]')
    await wire.closed
    wire.socket.destroy()
  })

  test('a target in the absolute form means its path', async () => {
    for (const target of ['http://x/demo/echo?x=1', 'http://x:8080/demo/echo?x=1', 'HTTPS://user:pw@x/demo/echo?x=1']) {
      strictEqual((await send(port, head('GET', target))).text, '[{"x":"1"}]', target)
    }
    strictEqual(refusal(await send(port, head('GET', 'http://demo/one'))), 'SqlapiRuntimeException')
  })

  test('every URL without a file, and what the message says of it [D1.3] [S-error.SqlapiRuntimeException]', async () => {
    const shown: Record<string, string> = {
      '/': '/',
      '/demo': '/demo',
      '/demo/': '/demo/',
      '/demo/one/': '/demo/one/',
      '//demo/one': '//demo/one',
      '/demo//one': '/demo//one',
      '/demo/x%20y': '/demo/x y',
      '/DEMO/%C3%84': '/DEMO/\u00c4',
      '/demo/one.sql': '/demo/one.sql',
      '/demo/GET/one': '/demo/GET/one',
      '/demo/unknown?x=secret': '/demo/unknown',
      '/demo/one/batch': '/demo/one/batch',
      '/health/': '/health/',
      '/demo/%00': '/demo/\0',
      '/demo/a%5Cb': '/demo/a\\b',
    }
    for (const [path, as] of Object.entries(shown)) {
      const answer = await call(port, path)
      strictEqual(refusal(answer), 'SqlapiRuntimeException', path)
      // The nearest path may follow.
      strictEqual(messageOf(answer).replace(/; did you mean \S+\?$/, ''), `Saved query '${as}' does not exist`)
    }
    for (const path of ['/demo/%zz', '/demo/%', '/demo/%ff', '/%c3%28/one', '/demo/%ed%a0%80', '/demo/one%']) {
      strictEqual(refusal(await call(port, path)), 'SqlapiRuntimeException', path)
    }
  })

  test('a path in a message is cut to 256 characters [D1.3]', async () => {
    for (const letter of ['x', '%C3%A4', '%F0%9F%98%80']) {
      const answer = await call(port, `/demo/${letter.repeat(5000)}`)
      const [, path = ''] = /^Saved query '(.*)' does not exist$/u.exec(messageOf(answer)) ?? []
      strictEqual(Array.from(path).length, 256)
      strictEqual(path, `/demo/${decodeURIComponent(letter).repeat(250)}`)
    }
  })

  test('the path is decoded before it is looked up [D1.5]', async () => {
    for (const path of ['/demo/a%2Fb', '/demo/a%2fb', '/%64emo/a/%62', '/demo%2Fa%2Fb', '/DEMO/A/%42']) {
      strictEqual((await call(port, path)).text, '[{"x":"ab"}]', path)
    }
    // Decoded once, not twice.
    strictEqual(refusal(await call(port, '/demo/a%252Fb')), 'SqlapiRuntimeException')
  })

  test('no path reaches a file [D1.5]', async () => {
    const paths = [
      '/../../../../etc/passwd', '/demo/../../sqlapi.yaml', '/demo/..%2f..%2fsqlapi.yaml', '/demo/%2e%2e/one', '/./demo/one',
      '/demo/GET/one.sql', '/demo/../demo/one', '/etc/passwd', '//etc/passwd', '/demo/..;/one', '/file:///etc/passwd',
      '/demo/%2Fetc%2Fpasswd', '/sql/demo/GET/one', '/__proto__/constructor', '/constructor', '/demo/__proto__',
    ] // prettier-ignore
    for (const path of paths) {
      const answer = await send(port, head('GET', path))
      strictEqual(refusal(answer), 'SqlapiRuntimeException', path)
    }
  })

  test('the header chooses, and only one that is configured [S-routing.1] [S-error.UnknownDataSourceNameException]', async () => {
    const ask = (...lines: string[]): Promise<WireAnswer> => send(port, head('GET', '/demo/one', ...lines))
    strictEqual((await ask('X-Datasource: second')).text, '[{"one":1}]')
    strictEqual((await ask('x-dAtAsOuRcE:   second  ')).text, '[{"one":1}]')
    const refused = [
      ['X-Datasource: SECOND'],
      ['X-Datasource: unknown'],
      ['X-Datasource:'],
      ['X-Datasource: demo', 'X-Datasource: second'],
      ['X-Datasource: demo', 'X-Datasource: demo'],
      ['X-Datasource: __proto__'],
      [`X-Datasource: ${'x'.repeat(10_000)}`],
    ]
    for (const lines of refused) {
      const answer = await ask(...lines)
      strictEqual(refusal(answer), 'UnknownDataSourceNameException', lines.join())
      ok(answer.text.length < 600)
    }
  })

  test('a header that is not honoured has no say [S-config.allow_datasource_header]', async () => {
    for (const name of ['second', 'unknown', '']) {
      const answer = await call(closed.port, '/demo/one', { headers: { 'x-datasource': name } })
      strictEqual(answer.text, '[{"one":1}]')
    }
  })

  test('nothing of a request becomes a header of the answer', async () => {
    const injected = '%0d%0aX-Injected:%20yes%0d%0a%0d%0a'
    const answers = [
      await send(port, head('GET', `/demo/${injected}`)),
      await send(port, head('GET', `/demo/echo?x=${injected}`)),
      await send(port, head('GET', '/demo/one', `X-Datasource: a${injected}`)),
      await send(closed.port, head('GET', '/demo/one', `Origin: ${listed}${injected}`)),
    ]
    for (const { headers } of answers) strictEqual(headers['x-injected'], undefined)
  })

  test('what goes through the service unharmed is still one JSON text [S-errors.shape]', async () => {
    for (const value of ['%0d%0a', '%00', '%E2%80%A8', '%22%5C', '%F0%9F%98%80', '%7F', '%3C/script%3E']) {
      const { text } = await call(port, `/demo/echo?x=${value}`)
      deepStrictEqual(JSON.parse(text), [{ x: decodeURIComponent(value) }])
    }
  })
})

test('what nobody expected is 500 with a minimal body, and the log has the rest [S-error.InternalError]', async () => {
  const written: string[] = []
  const events = openEvents({ level: 'error', format: 'json' }, { write: (line) => void written.push(line) })
  const health = (): never => {
    throw new TypeError('secret detail')
  }
  const cors = createCors('*')
  const service: Service = {
    endpoints: new Map(),
    databases: new Map(),
    chooseDatasource: (name) => name,
    unloaded: new Map(),
    errors: 'short',
    withoutEffect: new WithoutEffect(events),
    chooseFormat: () => 'json' as const,
    pages: new Map([['/health', health]]),
    cors,
    events,
  }
  const options = {
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 10,
    uploads: new Uploads(),
    cors,
    maxPipelinedRequests: 2,
    fastReader: true,
    breaksOff: () => undefined,
  }
  const server = await startServer({ ...options, handle: (request) => handle(service, request) })
  const answer = await call(server.port, '/health?x=y')
  strictEqual(refusal(answer, 500), 'InternalError')
  ok(!answer.text.includes('secret detail'))
  strictEqual(answer.headers['access-control-allow-origin'], '*')
  const [line = '{}'] = written
  strictEqual(written.length, 1)
  match((JSON.parse(line) as { stack: string }).stack, /TypeError: secret detail\n\s+at /)
  await server.close()
})

describe('what an error may tell', () => {
  const marker = 'marker_of_sql_text'
  const sql = (text: string): string => `/* ${marker} */ ${text} -- ${marker}`
  let postgres: ThrowawayPostgres
  let service: Running
  const statements: Record<string, string> = {
    syntax: 'SELEC 1',
    unfinished: "SELECT 'abc",
    'unknown-table': 'SELECT * FROM nowhere',
    'unknown-column': 'SELECT nothing FROM t',
    'unknown-function': 'SELECT nofunction(1)',
    constraint: 'INSERT INTO t (id) VALUES (1), (1)',
    'not-null': 'INSERT INTO t (id) VALUES (NULL)',
    type: "SELECT CAST('x' AS integer) + nothing",
    division: 'SELECT 1 / 0 FROM t, t u',
    cast: "SELECT cast('abc' AS int)",
    'too-many': 'INSERT INTO t (id) VALUES (1, 2)',
    missing: 'SELECT :absent',
    raise: "DO $$ BEGIN RAISE EXCEPTION 'custom' USING ERRCODE = 'P0001'; END $$",
    dynamic: "DO $$ BEGIN EXECUTE 'SELEC nested'; END $$",
    copy: 'COPY t FROM STDIN',
    role: 'SET ROLE nobody_there',
    timeout: "SET statement_timeout = '20ms'; SELECT pg_sleep(5)",
    terminate: 'SELECT pg_terminate_backend(pg_backend_pid())',
    attach: `ATTACH '/nonexistent/${marker}/x.db' AS other`,
    pragma: 'PRAGMA nothing = (',
  }

  before(async () => {
    postgres = await startThrowawayPostgres()
    const files = Object.fromEntries(
      Object.entries(statements).map(([name, text]) => [`any/POST/${name}.sql`, sql(text)]),
    )
    const host = `127.0.0.1:${postgres.port}`
    service = await startSqlapi({
      files: { ...files, 'any/POST/prepare.sql': 'CREATE TABLE t (id integer PRIMARY KEY NOT NULL)' },
      env: { WRONG: 'hunter2' },
      config: {
        datasources: [
          { name: 'pg', url: postgres.url },
          { name: 'lite', url: 'sqlite::memory:' },
          { name: 'password', url: `postgres://${host}/postgres`, username: 'postgres', password_env: 'WRONG' },
          { name: 'role', url: `postgres://${host}/postgres`, username: 'someone_else', password_env: 'WRONG' },
          { name: 'database', url: postgres.url.replace(/postgres$/, 'other_database') },
          { name: 'refused', url: 'postgres://someone_else:hunter2@127.0.0.1:1/other_database' },
          { name: 'nohost', url: 'postgres://someone_else:hunter2@no-such-host.invalid/other_database' },
          { name: 'nofile', url: 'sqlite:/nonexistent/folder/file.db' },
          { name: 'notdb', url: 'sqlite:sqlapi.yaml' },
        ],
      },
    })
    for (const name of ['pg', 'lite']) {
      const { text } = await call(service.port, '/any/prepare', { headers: { 'x-datasource': name }, body: {} })
      strictEqual(text, '[]')
    }
  })
  after(async () => {
    await service.stop()
    await postgres.remove()
  })

  test('no stack, SQL, address, user or path is in any error [S-errors.shape] [S-error.BadSqlGrammarException]', async () => {
    const calls = [
      ...['pg', 'lite'].flatMap((name) => Object.keys(statements).map((path) => [name, path] as const)),
      ...['password', 'role', 'database', 'refused', 'nohost', 'nofile', 'notdb'].map(
        (name) => [name, 'unknown-table'] as const,
      ),
    ]
    const answers = await Promise.all(
      calls.map(async ([name, path]) => {
        const headers = { 'x-datasource': name }
        return { name, path, answer: await call(service.port, `/any/${path}`, { headers, body: { x: 1 } }) }
      }),
    )
    const others = [
      await call(service.port, '/any/syntax', { body: '{"x":' }),
      await call(service.port, '/any/syntax/batch', { body: {} }),
      await call(service.port, '/any/none'),
      await call(service.port, '/any/syntax', { headers: { 'x-datasource': 'none' }, body: {} }),
    ].map((answer) => ({ name: '', path: '', answer }))
    const forbidden = [
      marker, 'SELEC', 'SELECT', 'INSERT', 'RAISE', 'nested', '127.0.0.1', 'localhost', `${postgres.port}`, 'no-such-host', 'hunter2',
      'p@ss', 'p%40ss', 'postgres://', 'sqlite:', 'someone_else', 'user "', 'other_database', '.ts', '.js', 'node:', '/nonexistent',
      service.folder, '    at ', '$1', '?1', 'ECONN', 'ENOTFOUND', 'EAI_', 'yaml',
    ] // prettier-ignore
    const leaks: string[] = []
    let count = 0
    for (const { name, path, answer } of [...answers, ...others]) {
      if (answer.status === 200) continue
      count++
      refusal(answer)
      ok(answer.text.length < 1000)
      // A statement is told by its line, which is no place in our sources.
      const told = messageOf(answer).replaceAll('statement at line', '')
      for (const word of forbidden) if (told.includes(word)) leaks.push(`${word} on ${name} ${path}: ${answer.text}`)
    }
    deepStrictEqual(leaks, [])
    ok(count > 35, `${count} errors`)
  })
})

test('the service has survived all of this [S-endpoints.health] [D1.1]', async () => {
  strictEqual(errorOf(await call(port, '/health')), '')
  strictEqual((await call(port, '/healthz')).status, 200)
})
