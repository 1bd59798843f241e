/** What a REST file says of headers and limits, over raw sockets. */
import { deepStrictEqual, match, ok as isTrue, rejects, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { errorOf, until } from '@services/testing'
import { exchange, head, rest } from '../../support/exchange.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import {
  answering,
  ok,
  type Peer,
  type RawRequest,
  type RawUpstream,
  startRaw,
} from '../../support/upstreams/raw-upstream.ts'
import { soapFile } from '../../support/soap-service.ts'

let upstream: RawUpstream
let lanes: Lanes
const secret = 's3cret-Õ'

before(async () => {
  upstream = await startRaw()
  const set = { 'X-Api-Key': { env: 'COMPANIES_KEY' }, 'Accept-Language': 'et', 'X-Odd': 'õ' }
  lanes = await startLanes({
    dsl: {
      'h/edits.yml': rest('POST', {}, { timeout_secs: 600, headers: { remove: ['Cookie', 'X-Gone'], set } }),
      'h/id.yml': rest('GET', {}, { timeout_secs: 600, headers: { remove: ['X-Road-Id', 'X-Road-UserId'] } }),
      'h/user.yml': rest('GET', {}, { timeout_secs: 600, headers: { set: { 'X-Road-UserId': 'EE1' } } }),
      'l/short.yml': rest('GET', {}, { timeout_secs: 1 }),
      'l/long.yml': rest('GET', {}, { timeout_secs: 600 }),
      'l/sized.yml': rest('GET', {}, { timeout_secs: 600 }),
      'l/small.yml': rest('GET', {}, { timeout_secs: 600, max_response_bytes: 10 }),
      'l/large.yml': rest('GET', {}, { timeout_secs: 600, max_response_bytes: 3000 }),
      'l/usual.yml': rest('GET'),
      'l/soap.yml': soapFile().replace('{', '{"timeout_secs":1,"max_response_bytes":100,'),
    },
    config: { security_server: { url: upstream.url }, limits: { request_timeout_secs: 3, max_response_bytes: 2000 } },
    env: { COMPANIES_KEY: `${secret} ` },
  })
})

after(async () => {
  await lanes.close()
  await upstream.close()
})

async function pass(request: string, answer: string = ok()): Promise<{ sent: RawRequest; status: number }> {
  const known = upstream.requests.length
  upstream.serve = answering(answer)
  const { status } = await exchange(lanes.port, request)
  return { sent: upstream.requests[known]!, status }
}

describe('headers', () => {
  test('what is removed does not go out, what is set replaces that of the caller [P3.2]', async () => {
    const own =
      'cookie: a=1\r\nCOOKIE: b=2\r\nx-api-key: mine\r\nX-Api-Key: too\r\nX-Gone: 1\r\nX-Kept: 1\r\nAccept-language: en\r\n'
    const { sent, status } = await pass(`${head('POST', '/h/edits', `${own}Content-Length: 2\r\n`)}{}`)
    const bytes = Buffer.from(secret).toString('latin1')
    deepStrictEqual(
      [
        status,
        sent.all('cookie'),
        sent.all('x-gone'),
        sent.all('x-kept'),
        sent.all('x-api-key'),
        sent.all('accept-language'),
      ],
      [200, [], [], ['1'], [bytes], ['et']],
    )
    deepStrictEqual(
      [sent.all('x-road-client').length, sent.all('x-road-id').length, String(await sent.body())],
      [1, 1, '{}'],
    )
  })

  test('what is set goes out where the caller sends none [P3.2]', async () => {
    const { sent } = await pass(head('POST', '/h/edits', 'Content-Length: 0\r\n'))
    deepStrictEqual([sent.all('accept-language'), sent.all('x-api-key').length], [['et'], 1])
  })

  test('Connection cannot take away what is set [P3.2]', async () => {
    const { sent } = await pass(
      head('POST', '/h/edits', 'Connection: X-Api-Key, Accept-Language\r\nContent-Length: 0\r\n'),
    )
    deepStrictEqual([sent.all('accept-language'), sent.all('x-api-key').length], [['et'], 1])
  })

  test('without its id a call has a fresh one, in the log and the answer as well [P3.2]', async () => {
    upstream.serve = answering(ok())
    const known = upstream.requests.length
    const answer = await exchange(lanes.port, head('GET', '/h/id', 'X-Road-Id: mine\r\nX-Road-UserId: EE9\r\n'))
    const sent = upstream.requests[known]!
    const [id = ''] = sent.all('x-road-id')
    match(id, /^[\da-f-]{36}$/)
    deepStrictEqual([sent.all('x-road-userid'), answer.all('x-road-id'), lanes.log.at(-1)?.['id']], [[], [id], id])
  })

  test('a user that is set is the only one [P3.2]', async () => {
    const { sent } = await pass(head('GET', '/h/user', 'X-Road-UserId: EE9\r\n'))
    deepStrictEqual(sent.all('x-road-userid'), ['EE1'])
  })

  test('the value of a variable is nowhere but in the call [P3.2]', async () => {
    const { text } = await lanes.call('/api')
    isTrue(!text.includes('s3cret') && !text.includes('COMPANIES_KEY'))
    isTrue(!JSON.stringify(lanes.log).includes('s3cret'))
  })

  test('a variable that is not set stops the start, by its name [P3.2]', async () => {
    const dsl = { 'h/x.yml': rest('GET', {}, { headers: { set: { 'X-Key': { env: 'NOT_SET' } } } }) }
    await rejects(startLanes({ dsl }), /x\.yml:1: headers\.set\.X-Key: environment variable NOT_SET is not set; set it/)
  })

  test('so does one with a line break, without its value [P3.2]', async () => {
    const dsl = { 'h/x.yml': rest('GET', {}, { headers: { set: { 'X-Key': { env: 'BROKEN' } } } }) }
    const failure = startLanes({ dsl, env: { BROKEN: 's3cret\r\nX-Evil: 1' } })
    await rejects(
      failure,
      ({ message }: Error) => /BROKEN has a line break/.test(message) && !message.includes('s3cret'),
    )
  })
})

const never = (): void => undefined
const chunked = (length: number): string =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n${'x'.repeat(length)}\r\n0\r\n\r\n`

describe('limits', () => {
  test('the time of one file, shorter and longer than that of the others [P3.2]', async () => {
    upstream.serve = never
    const [short, usual, soap] = await Promise.all(
      ['GET /l/short', 'GET /l/usual', 'POST /l/soap'].map(async (line) => {
        const [method = '', path = ''] = line.split(' ')
        const { status, body } = await exchange(lanes.port, head(method, path, 'Content-Length: 0\r\n'))
        const { error, message } = JSON.parse(body) as { error: string; message: string }
        // A busy machine may not even send it in time, and that is told in other words.
        return `${status} ${error} ${/\b\d+ s\b/.exec(message)?.[0]}`
      }),
    )
    strictEqual(short, '504 upstream_timeout 1 s')
    strictEqual(usual, '504 upstream_timeout 3 s')
    strictEqual(soap, '504 upstream_timeout 1 s')
    const waiting: Peer[] = []
    upstream.serve = (peer) => void waiting.push(peer)
    const late = exchange(lanes.port, head('GET', '/l/long'))
    await until(() => waiting.length === 1, 'the call with more time')
    strictEqual((await exchange(lanes.port, head('GET', '/l/usual'))).status, 504)
    waiting[0]!.write(ok())
    strictEqual((await late).status, 200)
  })

  test('the size of an answer of one file, declared or not [P3.2]', async () => {
    const sizeOf = async (path: string, answer: string): Promise<string> => {
      upstream.serve = answering(answer)
      const { status, body } = await exchange(lanes.port, head('GET', path))
      return status === 200
        ? String(body.length)
        : `${status} ${errorOf({ text: body })} ${(JSON.parse(body) as { limit: number }).limit}`
    }
    for (const answer of [(length: number): string => ok('x'.repeat(length)), chunked]) {
      strictEqual(await sizeOf('/l/small', answer(10)), '10')
      strictEqual(await sizeOf('/l/small', answer(11)), '502 upstream_body_too_large 10')
      strictEqual(await sizeOf('/l/large', answer(3000)), '3000')
      strictEqual(await sizeOf('/l/large', answer(3001)), '502 upstream_body_too_large 3000')
      strictEqual(await sizeOf('/l/sized', answer(2001)), '502 upstream_body_too_large 2000')
    }
  })
})
