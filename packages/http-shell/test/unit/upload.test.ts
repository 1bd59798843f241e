/** Uploads whose reader leaves in the middle, with real sockets: the client writes everything before it reads. */
import { ok } from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type Exchange, startShell } from '@services/http-shell'
import { NodeExchange } from '../../src/node/exchange.ts'

const size = 4 * 1024 * 1024

/** What lies between the answer and the moment in which the reader of the pieces leaves. */
const gaps: Readonly<Record<string, () => Promise<unknown> | undefined>> = {
  nothing: () => undefined,
  'a microtask': () => Promise.resolve(),
  'a tick': () => new Promise<void>((resolve) => process.nextTick(resolve)),
  'a turn': () => setImmediate(),
}

type Step = (exchange: Exchange, pieces: AsyncIterator<Uint8Array>) => unknown

const answer: Step = (exchange) => exchange.send(500, {}, 'early', { close: true })
const leave: Step = (_exchange, pieces) => pieces.return?.()

describe('an answer before the upload has ended: the rest is read before the connection ends', () => {
  for (const [order, first, second] of [
    ['the reader leaves, then the answer', leave, answer],
    ['the answer, then the reader leaves', answer, leave],
  ] as const) {
    for (const [gap, pass] of Object.entries(gaps)) {
      for (const pieces of [1, 3]) {
        test(`${order}, ${gap} between, after ${pieces} of its pieces`, async () => {
          const taken = Promise.withResolvers<Exchange>()
          const handle = async (exchange: Exchange): Promise<void> => {
            taken.resolve(exchange)
            const iterator = exchange.stream()[Symbol.asyncIterator]()
            for (let i = 0; i < pieces; i += 1) await iterator.next()
            // A busy reader: meanwhile the socket has filled the stream, which has stopped reading.
            for (let i = 0; i < 20; i += 1) await setImmediate()
            first(exchange, iterator)
            await pass()
            second(exchange, iterator)
          }
          const shell = await startShell({
            host: '127.0.0.1',
            port: 0,
            refuse: () => ({ status: 400, body: '{}' }),
            handle: (exchange) => void handle(exchange),
          })
          const socket = connect(shell.port, '127.0.0.1')
          socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`)
          socket.write(Buffer.alloc(size, 'x'))
          socket.on('error', () => undefined)
          let received = ''
          socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
          await once(socket, 'close')
          const exchange = await taken.promise
          ok(exchange instanceof NodeExchange && exchange.isRead, 'the whole upload was read')
          ok(received.endsWith('early'), received)
          await shell.close()
        })
      }
    }
  }
})
