/**
 * Clients that leave: the service notices at every point of the request and the answer, so that it can end its work for
 * them.
 */
import { strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { type Exchange, startShell } from '@services/http-shell'

const plain = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
/** Node.js reads it, also if plain requests have another reader. */
const unusual = 'GET / HTTP/1.1\r\nHost: x\r\nTE: trailers\r\n\r\n'
const upgrade = 'GET / HTTP/1.1\r\nHost: x\r\nTE: trailers\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'
const upload = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nbody'
const chunks = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n'

type Begin = (exchange: Exchange) => void

const parts: Readonly<Record<string, Begin>> = {
  'before the head': () => undefined,
  'after a head with a length': (exchange) => exchange.begin(200, { 'content-length': 100 }),
  'after a chunked head': (exchange) => exchange.begin(200, {}),
  'in a body with a length': (exchange) => {
    exchange.begin(200, { 'content-length': 100 })
    exchange.write('some', () => undefined)
  },
  'in a chunked body': (exchange) => {
    exchange.begin(200, {})
    exchange.write('some', () => undefined)
  },
  'in a long part of a body': (exchange) => {
    exchange.begin(200, {})
    exchange.write(Buffer.alloc(10_000_000), () => undefined)
  },
}

const requests: Readonly<Record<string, { readonly bytes: string; readonly most?: number }>> = {
  'a plain request': { bytes: plain },
  'an unusual request': { bytes: unusual },
  'a request of HTTP/1.0': { bytes: 'GET / HTTP/1.0\r\n\r\n' },
  'a body that is arriving': { bytes: upload },
  'chunks that are arriving': { bytes: chunks },
  'a request after it': { bytes: plain + plain },
  'an unusual request after it': { bytes: plain + unusual },
  'half a request after it': { bytes: plain + plain.slice(0, 20) },
  'a wish for another protocol after it': { bytes: plain + upgrade },
  'requests after it that may not begin': { bytes: plain.repeat(5), most: 1 },
  'unusual requests after it that may not begin': { bytes: unusual.repeat(5), most: 1 },
  'an upload after it that may not begin': { bytes: unusual + upload, most: 1 },
}

const leavings: Readonly<Record<string, (socket: Socket) => void>> = {
  'closes the connection': (socket) => socket.destroy(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
}

for (const fastReader of [false, true]) {
  describe(fastReader ? 'plain requests are read here' : 'Node.js reads everything', { concurrency: true }, () => {
    for (const [what, { bytes, most }] of Object.entries(requests)) {
      for (const [moment, begin] of Object.entries(parts)) {
        for (const [how, leave] of Object.entries(leavings)) {
          test(`${what}: a client that ${how} ${moment} has left [T3]`, { timeout: 15_000 }, async () => {
            const first = Promise.withResolvers<Exchange>()
            const gone = Promise.withResolvers<void>()
            const shell = await startShell({
              host: '127.0.0.1',
              port: 0,
              fastReader,
              limits: most === undefined ? {} : { maxPipelinedRequests: most },
              handle: (exchange) => {
                exchange.onGone ??= gone.resolve
                exchange.collect(100).catch(() => undefined)
                first.resolve(exchange)
              },
              refuse: () => ({ status: 400, body: '{}' }),
            })
            const socket = connect({ port: shell.port, host: '127.0.0.1', allowHalfOpen: true })
            await once(socket, 'connect')
            socket.write(bytes)
            const exchange = await first.promise
            begin(exchange)
            // A head goes out with the first bytes of the body.
            if (moment.includes('body')) await once(socket, 'data')
            socket.on('error', () => undefined)
            leave(socket)
            await gone.promise
            strictEqual(exchange.leaving, 'left')
            socket.destroy()
            await shell.close()
          })
        }
      }
    }
  })
}
