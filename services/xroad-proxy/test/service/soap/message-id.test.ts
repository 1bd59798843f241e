/**
 * The id of a message, from the caller to the envelope and back on every answer, on both lanes and over real sockets.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { exchange, head, type RawAnswer, rest } from '../../support/exchange.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { answering, ok as answer, type RawUpstream, startRaw } from '../../support/upstreams/raw-upstream.ts'
import { toAnswer } from '../../support/upstreams/upstream.ts'

const fresh = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const envelope =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><ok>1</ok></e:Body></e:Envelope>'
const fault = envelope.replace(
  '<ok>1</ok>',
  '<e:Fault><faultcode>e:Server</faultcode><faultstring>no</faultstring></e:Fault>',
)
const soap = `method: POST
envelope: <q id="{{generate.uuid}}" user="{{generate.user_id}}" issue="{{generate.issue}}"/>
`
const dsl = { 'g/rest.yml': rest('POST'), 'g/soap.yml': soap }
const lanesOfCalls = ['rest', 'soap'] as const

let upstream: RawUpstream
let plain: Lanes
let telling: Lanes

before(async () => {
  upstream = await startRaw(answering(answer(envelope, 'Content-Type: text/xml\r\n')))
  const config = { security_server: { url: upstream.url }, limits: { max_request_bytes: 1000 } }
  plain = await startLanes({ dsl, config })
  telling = await startLanes({ dsl, config: { ...config, error_message_id: true } })
})

after(async () => {
  await Promise.all([plain.close(), telling.close()])
  await upstream.close()
})

function post(lanes: Lanes, path: string, headers = '', body = '{}'): Promise<RawAnswer> {
  return exchange(lanes.port, `${head('POST', path, `Content-Length: ${body.length}\r\n${headers}`)}${body}`)
}

function idOf(got: RawAnswer): string {
  const [id = '', ...others] = got.all('x-road-id')
  deepStrictEqual(others, [], got.raw)
  return id
}

describe('on an answer', { concurrency: true }, () => {
  for (const lane of lanesOfCalls) {
    test(`it is the caller's on the ${lane} lane [P5.1]`, async () => {
      strictEqual(idOf(await post(plain, `/g/${lane}`, 'X-Road-Id: message-1\r\n')), 'message-1')
    })

    test(`it is a new one without, or with an empty one, on the ${lane} lane [P5.1]`, async () => {
      const ids = [await post(plain, `/g/${lane}`), await post(plain, `/g/${lane}`, 'X-Road-Id:\r\n')].map(idOf)
      for (const id of ids) match(id, fresh)
      strictEqual(new Set(ids).size, 2)
    })

    test(`it keeps its bytes beyond ASCII on the ${lane} lane [P5.1]`, async () => {
      strictEqual(idOf(await post(plain, `/g/${lane}`, 'X-Road-Id: \xe2\x82\xac1\r\n')), '\xe2\x82\xac1')
    })

    test(`it is in the line of the log on the ${lane} lane [P5.1]`, async () => {
      await post(plain, `/g/${lane}`, `X-Road-Id: logged-${lane}\r\n`)
      ok(plain.log.some(({ event, id }) => event === 'request' && id === `logged-${lane}`))
    })
  }

  const ofUpstream = {
    'the one of the upstream is that of the call': 'mine',
    'an empty one of the upstream is none': '',
  }
  for (const [what, id] of Object.entries(ofUpstream)) {
    test(`${what} on the REST lane [P5.1]`, async () => {
      const own = await startRaw(answering(answer('{}', `x-road-id: ${id}\r\n`)))
      const lanes = await startLanes({ dsl, config: { security_server: { url: own.url } } })
      try {
        strictEqual(idOf(await post(lanes, '/g/rest', 'X-Road-Id: mine\r\n')), 'mine')
      } finally {
        await lanes.close()
        await own.close()
      }
    })
  }
})

test('id, user and issue of a SOAP caller reach the envelope, and nothing else does [P5.1]', async () => {
  const before = upstream.requests.length
  await post(plain, '/g/soap', 'X-Road-Id: a<b\r\nX-Road-UserId: EE1\r\nX-Road-Issue: case 7\r\nX-Road-Client: x\r\n')
  const [sent] = upstream.requests.slice(before)
  strictEqual(String(await sent?.body()), '<q id="a&lt;b" user="EE1" issue="case 7"/>')
  deepStrictEqual(
    sent?.headers.filter(([name]) => /^x-road/i.test(name)),
    [],
  )
})

describe('a header that Connection names', { concurrency: true }, () => {
  const given = { 'X-Road-Id': 'gone-1', 'X-Road-UserId': 'gone-2', 'X-Road-Issue': 'gone-3' }
  const all = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`)

  for (const [name, value] of Object.entries(given)) {
    for (const lane of lanesOfCalls) {
      test(`does not go out on the ${lane} lane: ${name} [D4.3 P5.1]`, async () => {
        const own = await startRaw(answering(answer(envelope, 'Content-Type: text/xml\r\n')))
        const lanes = await startLanes({ dsl, config: { security_server: { url: own.url } } })
        try {
          const got = await post(lanes, `/g/${lane}`, `Connection: ${name.toLowerCase()}\r\n${all.join('')}`)
          strictEqual(got.status, 200)
          const [sent] = own.requests
          const text = `${sent?.head}${String(await sent?.body())}`
          deepStrictEqual(
            Object.values(given).filter((each) => !text.includes(each)),
            [value],
          )
          if (name === 'X-Road-Id') match(idOf(got), fresh)
          else strictEqual(idOf(got), given['X-Road-Id'])
        } finally {
          await lanes.close()
          await own.close()
        }
      })
    }
  }

  test('is no id of an error either [D4.3 P5.1]', async () => {
    match(idOf(await post(telling, '/g/none', 'Connection: X-Road-Id\r\nX-Road-Id: gone-1\r\n')), fresh)
  })

  test('is refused nevertheless where it occurs twice [X11]', async () => {
    for (const lane of lanesOfCalls) {
      const twice = 'Connection: X-Road-UserId\r\nX-Road-UserId: 1\r\nX-Road-UserId: 2\r\n'
      strictEqual((await post(plain, `/g/${lane}`, twice)).status, 400)
    }
  })
})

test('an issue that occurs twice is refused on both lanes [P5.1 X11]', async () => {
  for (const lane of lanesOfCalls) {
    const got = await post(plain, `/g/${lane}`, 'X-Road-Issue: 1\r\nX-Road-Issue: 2\r\n')
    strictEqual(got.status, 400)
    match(got.body, /the header X-Road-Issue is there more than once/)
  }
})

describe('on an error', { concurrency: true }, () => {
  const refused: Readonly<Record<string, () => [path: string, headers: string, body: string, error: string]>> = {
    'no endpoint': () => ['/g/none', '', '{}', 'template_not_found'],
    'a body that is too large, SOAP': () => ['/g/soap', '', 'x'.repeat(1001), 'request_too_large'],
    'a body that is too large, REST': () => ['/g/rest', '', 'x'.repeat(1001), 'request_too_large'],
  }
  for (const [what, make] of Object.entries(refused)) {
    test(`it is the caller's, or a new one: ${what} [P5.1]`, async () => {
      const [path, headers, body, error] = make()
      const given = await post(telling, path, `${headers}X-Road-Id: message-2\r\n`, body)
      strictEqual(idOf(given), 'message-2')
      const { message_id, ...told } = JSON.parse(given.body) as { message_id: string; error: string }
      deepStrictEqual([message_id, told.error], ['message-2', error])
      const without = await post(telling, path, headers, body)
      match(idOf(without), fresh)
      strictEqual((JSON.parse(without.body) as { message_id: string }).message_id, idOf(without))
    })

    test(`the body has none unless error_message_id says so: ${what} [P5.1]`, async () => {
      const [path, headers, body] = make()
      const got = await post(plain, path, `${headers}X-Road-Id: message-3\r\n`, body)
      strictEqual(idOf(got), 'message-3')
      ok(!got.body.includes('message_id'))
    })
  }

  const never: Readonly<Record<string, readonly [text: string, status: number]>> = {
    'no HTTP': ['hello there\r\n\r\n', 400],
    'no host': ['GET /g/rest HTTP/1.1\r\n\r\n', 400],
    'another coding': [head('POST', '/g/soap', 'Transfer-Encoding: gzip, chunked\r\n'), 501],
    'too large a head': [head('GET', '/g/soap', `X: ${'x'.repeat(70_000)}\r\n`), 431],
    'a method that nobody knows': [head('FETCH', '/g/soap', ''), 405],
    'a tunnel': [head('CONNECT', '/g/none', ''), 404],
  }
  for (const [what, [text, status]] of Object.entries(never)) {
    test(`it is a new one where nothing became a request: ${what} [P5.1]`, async () => {
      for (const [lanes, isTold] of [[plain, false] as const, [telling, true] as const]) {
        const got = await exchange(lanes.port, text)
        const { message_id } = JSON.parse(got.body) as { message_id?: string }
        deepStrictEqual([got.status, message_id], [status, isTold ? idOf(got) : undefined])
        match(idOf(got), fresh)
        ok(lanes.log.some(({ id }) => id === idOf(got)))
      }
    })
  }

  test('a new one takes the place of what was wrong with the request [P5.1 X11]', async () => {
    const got = await post(telling, '/g/soap', 'X-Road-Id: 1\r\nX-Road-Id: 2\r\n')
    strictEqual(got.status, 400)
    match(idOf(got), fresh)
  })

  test('of a fault it is the one of the envelope [P5.1]', async () => {
    const own = await startRaw(answering(toAnswer(fault, { status: 500 })))
    const lanes = await startLanes({ dsl, config: { security_server: { url: own.url }, error_message_id: true } })
    try {
      const got = await post(lanes, '/g/soap')
      const { error, message_id } = JSON.parse(got.body) as { error: string; message_id: string }
      deepStrictEqual([error, message_id], ['upstream_soap_fault', idOf(got)])
      ok(String(await own.requests[0]?.body()).includes(`id="${message_id}"`))
    } finally {
      await lanes.close()
      await own.close()
    }
  })
})
