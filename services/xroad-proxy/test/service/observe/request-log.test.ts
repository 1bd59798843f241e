/**
 * Which requests have a line in the log, what stands in it, and that answer, line and causes of a request have one id,
 * on both lanes.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '@services/testing'
import { exchange, head, open, type RawAnswer, rest } from '../../support/exchange.ts'
import { type Lanes, type LogLine, startLanes } from '../../support/lanes.ts'
import { answering, ok as answer, type RawUpstream, startRaw } from '../../support/upstreams/raw-upstream.ts'

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const envelope =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><ok>1</ok></e:Body></e:Envelope>'
const fault = envelope.replace(
  '<ok>1</ok>',
  '<e:Fault><faultcode>e:Server</faultcode><faultstring>no</faultstring></e:Fault>',
)
const dsl = { 'g/rest.yml': rest('POST'), 'g/get.yml': rest('GET'), 'g/soap.yml': 'method: POST\nenvelope: <q/>\n' }

let upstream: RawUpstream
const started: Lanes[] = []

before(async () => {
  upstream = await startRaw(answering(answer(envelope, 'Content-Type: text/xml\r\n')))
})
after(async () => {
  await Promise.all(started.map((lanes) => lanes.close()))
  await upstream.close()
})

async function start(logging?: object, url = upstream.url): Promise<Lanes> {
  const lanes = await startLanes({ dsl, config: { security_server: { url }, ...(logging && { logging }) } })
  started.push(lanes)
  return lanes
}

function post(lanes: Lanes, path: string, headers = '', body = '{}'): Promise<RawAnswer> {
  return exchange(lanes.port, `${head('POST', path, `Content-Length: ${body.length}\r\n${headers}`)}${body}`)
}

function requestsOf({ log }: Lanes): readonly LogLine[] {
  return log.filter(({ event }) => event === 'request')
}

/** The line is written once the answer is with the socket, which may be later than its caller has read it. */
async function untilLines(lanes: Lanes, count: number): Promise<readonly LogLine[]> {
  await until(() => requestsOf(lanes).length >= count, `${count} lines`)
  return requestsOf(lanes)
}

function idOf(got: RawAnswer): string {
  const [id = '', ...others] = got.all('x-request-id')
  deepStrictEqual(others, [], got.raw)
  return id
}

/** Good ones, errors of ours and of the provider, and what is no request. */
async function callInEveryWay(lanes: Lanes): Promise<void> {
  await post(lanes, '/g/rest')
  await post(lanes, '/g/soap')
  await exchange(lanes.port, head('GET', '/health'))
  await exchange(lanes.port, head('GET', '/g/none?x=secret'))
  await exchange(lanes.port, head('DELETE', '/g/rest'))
  await exchange(lanes.port, 'no request secret\r\n\r\n')
}

const good = ['g/rest 200', 'g/soap 200', '/health 200']
const bad = ['/g/none 404', '/g/rest 405', 'unknown 400']
const levels: Readonly<Record<string, readonly [logging: object | undefined, lines: readonly string[]]>> = {
  'all, the default': [undefined, [...good, ...bad]],
  'slow, where none is': [{ requests: 'slow', slow_ms: 3_600_000 }, bad],
  errors: [{ requests: 'errors' }, bad],
  off: [{ requests: 'off' }, []],
}
for (const [what, [logging, expected]] of Object.entries(levels)) {
  test(`which requests have a line: ${what} [O2.3]`, async () => {
    const lanes = await start(logging)
    await callInEveryWay(lanes)
    const lines = await untilLines(lanes, expected.length)
    deepStrictEqual(
      lines.map(({ endpoint, path, method, status }) => `${String(endpoint ?? path ?? method)} ${String(status)}`),
      expected,
    )
    ok(!JSON.stringify(lanes.log).includes('secret'))
  })
}

test('slow: a request that took slow_ms has a line, and so has an error of the provider [O2.3]', async () => {
  const slow = await startRaw((peer, request) => {
    const text = request.line.startsWith('GET') ? 'HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n' : answer('{}')
    setTimeout(() => peer.socket.write(text), 30)
  })
  const lanes = await start({ requests: 'slow', slow_ms: 20 }, slow.url)
  const errors = await start({ requests: 'errors' }, slow.url)
  await post(lanes, '/g/rest')
  await post(errors, '/g/rest')
  await exchange(errors.port, head('GET', '/g/get'))
  const [line] = await untilLines(lanes, 1)
  ok(Number(line?.['ms']) >= 20)
  deepStrictEqual((await untilLines(errors, 1)).map(({ status, source }) => [status, source]), [[404, 'provider']]) // prettier-ignore
  await slow.close()
})

test('the line about what never became a request says why, in the words of its answer [O2.3 D1.8]', async () => {
  const lanes = await start()
  const clientHello = '\x16\x03\x01\x00\xf4\x01\x00\x00\xf0\x03\x03'
  const answers = [await exchange(lanes.port, clientHello), await exchange(lanes.port, 'no request secret\r\n\r\n')]
  const messages = answers.map(({ body }) => (JSON.parse(body) as { message: string }).message)
  match(messages[0] ?? '', /the client began TLS/)
  deepStrictEqual(
    (await untilLines(lanes, 2)).map(({ reason }) => reason),
    messages,
  )
})

test('a line has the durations, the wait, the bytes and the id [O2.3]', async () => {
  const lanes = await start()
  const answers = [await post(lanes, '/g/rest'), await post(lanes, '/g/soap'), await exchange(lanes.port, head('HEAD', '/health'))] // prettier-ignore
  const lines = await untilLines(lanes, 3)
  for (const [index, line] of lines.entries()) {
    strictEqual(line['request_id'], idOf(answers[index] as RawAnswer))
    strictEqual(line['bytes'], (answers[index] as RawAnswer).body.length)
    const isCall = line['path'] === undefined
    deepStrictEqual([typeof line['ms'], typeof line['waited_ms']], ['number', isCall ? 'number' : 'undefined'])
    if (isCall) ok(Number(line['ms']) >= Number(line['waited_ms']) && Number(line['waited_ms']) >= 0)
  }
})

describe('the id of a request', () => {
  let lanes: Lanes
  before(async () => {
    lanes = await start({ requests: 'off' })
  })

  const requests: Readonly<Record<string, (headers: string) => string>> = {
    'a REST call': (headers) => `${head('POST', '/g/rest', `Content-Length: 2\r\n${headers}`)}{}`,
    'a SOAP call': (headers) => `${head('POST', '/g/soap', `Content-Length: 2\r\n${headers}`)}{}`,
    'a body in chunks': (headers) => `${head('POST', '/g/rest', `Transfer-Encoding: chunked\r\n${headers}`)}2\r\n{}\r\n0\r\n\r\n`, // prettier-ignore
    'a body that is no JSON': (headers) => `${head('POST', '/g/soap', `Content-Length: 2\r\n${headers}`)}{"`,
    'no endpoint': (headers) => head('GET', '/g/none', headers),
    'another method': (headers) => head('PATCH', '/g/rest', headers),
    '/health': (headers) => head('GET', '/health', headers),
    '/api': (headers) => head('GET', '/api', headers),
    '/docs': (headers) => head('GET', '/docs', headers),
    'a script of /docs': (headers) => head('HEAD', '/docs.js', headers),
    'two hosts': (headers) => head('GET', '/health', `Host: other\r\n${headers}`),
  }
  for (const [what, make] of Object.entries(requests)) {
    test(`is the caller's, or a new one: ${what} [O2.3]`, async () => {
      strictEqual(idOf(await exchange(lanes.port, make('X-Request-Id: call_1.a-B\r\n'))), 'call_1.a-B')
      match(idOf(await exchange(lanes.port, make(''))), uuid)
      match(idOf(await exchange(lanes.port, make('X-Request-Id: no id\r\n'))), uuid)
      match(idOf(await exchange(lanes.port, make('X-Request-Id: a\r\nX-Request-Id: b\r\n'))), uuid)
    })
  }

  test('is another one for each request of a connection [O2.3]', async () => {
    const socket = await open(lanes.port)
    const one = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'
    socket.write(`${one}${one.replace('\r\n\r\n', '\r\nX-Request-Id: second\r\n\r\n')}${head('GET', '/health')}`)
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    const ids = Array.from(text.matchAll(/^X-Request-Id: (.*)\r$/gim), ([, id]) => id)
    strictEqual(ids.length, 3)
    strictEqual(ids[1], 'second')
    strictEqual(new Set(ids).size, 3)
  })

  test("goes on to the service on the REST lane as the caller's header, and not on the SOAP lane [O2.3]", async () => {
    const known = upstream.requests.length
    await post(lanes, '/g/rest', 'X-Request-Id: call_1\r\n')
    await post(lanes, '/g/rest')
    await post(lanes, '/g/soap', 'X-Request-Id: call_1\r\n')
    const sent = upstream.requests.slice(known).map((request) => request.all('x-request-id'))
    deepStrictEqual(sent, [['call_1'], [], []])
  })

  for (const chunked of [false, true]) {
    test(`that the service answers with wins on the REST lane, ${chunked ? 'collected' : 'streamed'} [O2.3]`, async () => {
      const text = chunked
        ? 'HTTP/1.1 200 OK\r\nx-request-ID: of the service\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'
        : answer('{}', 'x-request-ID: of the service\r\n')
      const own = await startRaw(answering(text))
      const others = await start(undefined, own.url)
      strictEqual(idOf(await post(others, '/g/rest', 'X-Request-Id: mine\r\n')), 'of the service')
      const [line] = await untilLines(others, 1)
      strictEqual(line?.['request_id'], 'mine')
      await own.close()
    })
  }

  test('is in the lines about causes, whatever level requests are logged at [O2.3]', async () => {
    const failing = await startRaw(answering(answer(fault, 'Content-Type: text/xml\r\n')))
    const faulty = await start({ requests: 'off' }, failing.url)
    const got = await post(faulty, '/g/soap')
    strictEqual(got.status, 502)
    const [line, ...others] = faulty.log.filter(({ event }) => event === 'soapFault')
    deepStrictEqual([line?.['request_id'], others], [idOf(got), []])
    await failing.close()
    const dead = await post(faulty, '/g/rest')
    const cause = faulty.log.find(({ event }) => event === 'callFailed')
    strictEqual(cause?.['request_id'], idOf(dead))
    deepStrictEqual(requestsOf(faulty), [])
  })
})

test('a caller that leaves has its line, with 499 [O2.3]', async () => {
  const silent = await startRaw(() => undefined)
  const lanes = await start({ requests: 'errors' }, silent.url)
  const socket = await open(lanes.port)
  socket.write(`${head('POST', '/g/rest', 'Content-Length: 2\r\nX-Request-Id: gone\r\n')}{}`)
  await until(() => silent.requests.length > 0, 'the call')
  socket.resetAndDestroy()
  const [line] = await untilLines(lanes, 1)
  deepStrictEqual([line?.['status'], line?.['request_id']], [499, 'gone'])
  await silent.close()
})
