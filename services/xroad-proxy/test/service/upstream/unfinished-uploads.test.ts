/**
 * Callers who begin an upload and never finish it, by the hundreds, over real sockets: everyone else is answered while
 * they stay as they are, whichever lane and whichever reader of requests.
 */
import { ok as isTrue, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until, Wire } from '@services/testing'
import { exchange, head, rest } from '../../support/exchange.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { soapFile } from '../../support/soap-service.ts'
import { ok, type RawUpstream, startRaw } from '../../support/upstreams/raw-upstream.ts'

const kibibyte = 1024
const envelope =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><a>1</a></e:Body></e:Envelope>'
/** Longer than the suite: what passes has not waited for the end of an upload. */
const patience = 3600
const dsl = {
  'g/get.yml': rest('GET'),
  'g/post.yml': rest('POST'),
  'g/soap.yml': soapFile(),
}

let upstream: RawUpstream

before(async () => {
  upstream = await startRaw(async (peer, request) => {
    await request.body()
    const isSoap = request.head.includes('text/xml')
    peer.write(isSoap ? ok(envelope, 'Content-Type: text/xml\r\n') : ok('{}', 'Content-Type: application/json\r\n'))
  })
})

after(() => upstream.close())

function start(limits: Readonly<Record<string, number>>, fast_reader = true): Promise<Lanes> {
  const config = {
    server: { fast_reader },
    security_server: { url: upstream.url },
    limits: { request_timeout_secs: patience, ...limits },
    logging: { requests: 'off' },
  }
  return startLanes({ dsl, config })
}

const small: Readonly<Record<string, string>> = {
  'a GET': head('GET', '/g/get'),
  'a small body on the REST lane': `${head('POST', '/g/post', 'Content-Length: 2\r\n')}{}`,
  'a small body on the SOAP lane': `${head('POST', '/g/soap', 'Content-Length: 2\r\n')}{}`,
  'a small body in chunks': `${head('POST', '/g/soap', 'Transfer-Encoding: chunked\r\n')}2\r\n{}\r\n0\r\n\r\n`,
}

async function begin(port: number, count: number, bytes: string): Promise<Wire[]> {
  const wires = await Promise.all(Array.from({ length: count }, () => Wire.open(port)))
  for (const wire of wires) wire.write(bytes)
  return wires
}

function end(wires: readonly Wire[]): void {
  for (const { socket } of wires) socket.destroy()
}

/** Milliseconds of each of a hundred calls, in order, a few at a time. */
async function measure(port: number): Promise<readonly number[]> {
  const times: number[] = []
  for (let round = 0; round < 25; round++) {
    const calls = Object.entries(small).map(async ([what, bytes]) => {
      const started = performance.now()
      const { status, line } = await exchange(port, bytes)
      strictEqual(status, 200, `${what}: ${line}`)
      times.push(performance.now() - started)
    })
    await Promise.all(calls)
  }
  return times.toSorted((a, b) => a - b)
}

describe('1200 unfinished uploads of the REST lane', () => {
  test('half of the connections stay for others, whose p99 is under a second [G3]', async (t) => {
    const lanes = await start({})
    const seen = upstream.requests.length
    const length = 200 * kibibyte
    const uploads = await begin(
      lanes.port,
      1200,
      `POST /g/post HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(10)}`,
    )
    t.after(() => (end(uploads), lanes.close()))
    await until(() => upstream.requests.length >= seen + 128, 'the uploads that may go on')
    const times = await measure(lanes.port)
    strictEqual(upstream.requests.length, seen + 128 + times.length)
    isTrue((times[98] as number) < 1000, `${times[98]} ms`)
    // An upload that has been sent whole needs no place any more, and neither does one whose caller has left.
    const [first, second] = uploads as [Wire, Wire, ...Wire[]]
    first.write('x'.repeat(length - 10))
    strictEqual((await first.answer()).status, 200)
    second.socket.destroy()
    await until(() => upstream.requests.length >= seen + 130 + times.length, 'the next two')
  })
})

for (const [reader, isFast] of [
  ['this service', true],
  ['Node.js', false],
] as const) {
  describe(`uploads that fill their half of max_inflight_bytes, read by ${reader}`, () => {
    const declared = `Content-Length: ${40 * kibibyte}\r\n\r\n${'x'.repeat(30 * kibibyte)}`
    const chunked = `Transfer-Encoding: chunked\r\n\r\n7800\r\n${'x'.repeat(30 * kibibyte)}\r\n`
    for (const [lane, framing, bytes] of [
      ['SOAP', 'declared', `POST /g/soap HTTP/1.1\r\nHost: x\r\n${declared}`],
      ['SOAP', 'chunked', `POST /g/soap HTTP/1.1\r\nHost: x\r\n${chunked}`],
      ['REST', 'chunked', `POST /g/post HTTP/1.1\r\nHost: x\r\n${chunked}`],
    ] as const) {
      test(`${framing}, ${lane} lane: complete requests do not wait for them [G3]`, async (t) => {
        const lanes = await start({ max_inflight_bytes: 128 * kibibyte }, isFast)
        const uploads = await begin(lanes.port, 12, bytes)
        t.after(() => (end(uploads), lanes.close()))
        // Those that have no room wait for it by now.
        for (let i = 0; i < 5; i++) await exchange(lanes.port, head('GET', '/health'))
        for (const [what, request] of Object.entries(small)) {
          const { status, line } = await exchange(lanes.port, request)
          strictEqual(status, 200, `${what}: ${line}`)
        }
        // Its end comes when it waits already.
        const [late] = (await begin(
          lanes.port,
          1,
          `${head('POST', '/g/soap', 'Transfer-Encoding: chunked\r\n')}2\r\n{}\r\n`,
        )) as [Wire]
        for (let i = 0; i < 5; i++) await exchange(lanes.port, head('GET', '/health'))
        late.write('0\r\n\r\n')
        strictEqual((await late.answer()).status, 200)
        late.socket.destroy()
      })
    }
  })
}
