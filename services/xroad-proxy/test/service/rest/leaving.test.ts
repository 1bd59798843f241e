/**
 * Callers who leave: whatever part of the answer is out, and whatever the upstream does, the call ends, on both lanes
 * and with both readers of requests.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { rest } from '../../support/exchange.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { type Peer, type RawUpstream, startRaw } from '../../support/upstreams/raw-upstream.ts'

const get = 'GET /g/get HTTP/1.1\r\nHost: x\r\n\r\n'
/** Node.js reads this one with either reader of plain requests. */
const unusual = 'GET /g/get HTTP/1.1\r\nHost: x\r\nTE: trailers\r\n\r\n'
const post = (path: string, body: string, length = body.length): string =>
  `POST /g/${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`

/** Long enough to be passed on while it arrives. */
const upload = post('post', 'x'.repeat(70_000), 200_000)

interface Moment {
  readonly request: string
  /** What the upstream sends before it stands still. */
  readonly sends: string
  /** A part of the answer is out. */
  readonly isOut?: boolean
}

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const declared = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'

const moments: Readonly<Record<string, Moment>> = {
  'a silent upstream': { request: get, sends: '' },
  'half of a head': { request: get, sends: declared.slice(0, 30) },
  'a head with a length': { request: get, sends: declared },
  'half of a body with a length': { request: get, sends: `${declared}some`, isOut: true },
  'a chunked head': { request: get, sends: chunked },
  'half of a chunked body': { request: get, sends: `${chunked}4\r\nsome\r\n` },
  'half of a body that ends with the connection': { request: get, sends: 'HTTP/1.1 200 OK\r\n\r\nsome' },
  'a request behind it': { request: get + get, sends: `${declared}some`, isOut: true },
  'an unusual request': { request: unusual, sends: `${declared}some`, isOut: true },
  'an unusual request behind it': { request: get + unusual, sends: `${declared}some`, isOut: true },
  'HTTP/1.0': { request: 'GET /g/get HTTP/1.0\r\n\r\n', sends: `${declared}some`, isOut: true },
  'an upload that has no answer': { request: upload, sends: '' },
  'an upload that has a part of its answer': { request: upload, sends: `${declared}some`, isOut: true },
  'SOAP, a silent upstream': { request: post('soap', '{}'), sends: '' },
  'SOAP, a head with a length': { request: post('soap', '{}'), sends: declared },
  'SOAP, half of a body with a length': { request: post('soap', '{}'), sends: `${declared}<e>` },
  'SOAP, half of a chunked body': { request: post('soap', '{}'), sends: `${chunked}3\r\n<e>\r\n` },
}

const leavings: readonly ((socket: Socket) => void)[] = [
  (socket) => socket.destroy(),
  (socket) => socket.resetAndDestroy(),
]

/** A file for each, with its number, which the upstream gets as the action of a SOAP call. */
const dsl = {
  'g/get.yml': rest('GET'),
  'g/post.yml': rest('POST'),
  ...Object.fromEntries(
    Object.keys(moments).map((_, i) => [
      `g/soap${i}.yml`,
      JSON.stringify({ method: 'POST', params: [], envelope: '<e/>', soap_action: `?${i}` }),
    ]),
  ),
}

for (const fastReader of [true, false]) {
  describe(`with fast_reader: ${fastReader}`, { concurrency: true }, () => {
    let upstream: RawUpstream
    let lanes: Lanes
    const called = Object.values(moments).map(() => [] as ((peer: Peer) => void)[])

    before(async () => {
      upstream = await startRaw(async (peer, request) => {
        const number = Number(/\?(\d+)/.exec(request.line + request.all('SOAPAction').join(' '))?.[1])
        const { sends } = Object.values(moments)[number] as Moment
        if (sends !== '') peer.write(sends)
        called[number]?.shift()?.(peer)
        await peer.closed
      })
      lanes = await startLanes({
        dsl,
        config: {
          server: { fast_reader: fastReader },
          security_server: { url: upstream.url },
          limits: { request_timeout_secs: 600 },
        },
      })
    })
    after(async () => {
      await lanes.close()
      await upstream.close()
    })

    for (const [number, [moment, { request, isOut = false }]] of Object.entries(moments).entries()) {
      test(`${moment}: a caller who leaves takes the call along [T3]`, { timeout: 30_000 }, async () => {
        for (const leave of leavings) {
          const call = Promise.withResolvers<Peer>()
          called[number]?.push(call.resolve)
          const socket = connect(lanes.port, '127.0.0.1').on('error', () => undefined)
          socket.write(request.replaceAll(/g\/(get|post)/g, `$&?${number}`).replace('g/soap', `$&${number}`))
          const { closed } = await call.promise
          if (isOut) await once(socket, 'data')
          leave(socket)
          await closed
        }
      })
    }
  })
}
