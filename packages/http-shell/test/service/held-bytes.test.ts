/**
 * Bytes that a connection holds of requests that do not begin or that no reader takes: few. Clients that leave
 * meanwhile, and a server that ends, with real sockets.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Exchange, fewRequests, type Shell, type ShellOptions, startShell } from '@services/http-shell'
import { converse } from '@services/http-shell/testing'
import { until } from '@services/testing'
import { readAheadBytes } from '../../src/exchange/limits.ts'

/** Node reads this much at once. */
const readBytes = 64 * 1024
const line = 'HTTP/1.1\r\nHost: x\r\n'
/** Node.js reads this one with either reader of plain requests. */
const unusual = `GET / ${line}TE: trailers\r\n\r\n`
const large = 'x'.repeat(4_000_000)
const uploads = {
  'a declared length': `POST / ${line}Content-Length: ${large.length}\r\n\r\n${large}`,
  chunks: `POST / ${line}Transfer-Encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n${large}`,
}

function start(options: Pick<ShellOptions, 'handle'> & Partial<ShellOptions>): Promise<Shell> {
  return startShell({ host: '127.0.0.1', port: 0, refuse: () => ({ status: 400, body: '{}' }), ...options })
}

function send(port: number, bytes: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write(bytes)
  return socket
}

/** Until no more is read. */
async function settled(shell: Shell): Promise<number> {
  let bytes = -1
  while (shell.load().bytesIn !== bytes) {
    bytes = shell.load().bytesIn
    await pause(200)
  }
  return bytes
}

const room = Promise.withResolvers<void>()
const takings: Readonly<Record<string, (exchange: Exchange) => unknown>> = {
  'that nobody takes': () => undefined,
  'that waits for room': (exchange) => exchange.collect(1e9, () => room.promise).catch(() => undefined),
  'whose reader waits': async (exchange) => {
    for await (const piece of exchange.stream()) if (piece.length > 0) await room.promise
  },
}

for (const fastReader of [false, true]) {
  describe(fastReader ? 'plain requests are read here' : 'Node.js reads everything', { concurrency: true }, () => {
    for (const [framing, bytes] of Object.entries(uploads)) {
      for (const [what, take] of Object.entries(takings)) {
        test(`an upload of ${framing} ${what} is not read [G2]`, { timeout: 15_000 }, async () => {
          const taken = Promise.withResolvers<Exchange>()
          const handle = (exchange: Exchange): void => {
            taken.resolve(exchange)
            void take(exchange)
          }
          const shell = await start({ fastReader, handle })
          const socket = send(shell.port, bytes)
          await taken.promise
          const read = await settled(shell)
          // A reader has taken one piece.
          const most = readAheadBytes + readBytes + (what.includes('reader') ? readBytes : 0)
          ok(read <= most, `${read} bytes were read`)
          socket.resetAndDestroy()
          await shell.close()
        })
      }
    }

    for (const [what, bytes] of Object.entries({
      'its upload': uploads['a declared length'],
      'what follows its request': `GET / ${line}\r\n${uploads['a declared length']}`,
      'what follows an unusual one': unusual + uploads.chunks,
    })) {
      test(
        `a client that resets the connection is noticed while ${what} is not read [G2] [T3]`,
        { timeout: 15_000 },
        async () => {
          const gone = Promise.withResolvers<void>()
          const handle = (exchange: Exchange): void => void (exchange.onGone = gone.resolve)
          const shell = await start({ fastReader, handle, limits: { maxPipelinedRequests: 1 } })
          const socket = send(shell.port, bytes)
          await once(socket, 'connect')
          await settled(shell)
          socket.resetAndDestroy()
          await gone.promise
          await shell.close()
        },
      )
    }

    test('requests that may not begin when the server ends are answered [G2]', async () => {
      const held: Exchange[] = []
      const handle = (exchange: Exchange): void => void held.push(exchange)
      const shell = await start({ fastReader, handle, limits: { maxPipelinedRequests: 1 } })
      const answers = converse(shell.port, [unusual.repeat(3)])
      await until(() => held.length === 1, 'the first')
      const closed = shell.close()
      for (const i of [0, 1, 2]) {
        await until(() => held.length === i + 1, 'the next one')
        held[i]?.send(200, {}, `${i}`)
      }
      deepStrictEqual(
        (await answers).map(({ status }) => status),
        [200, 200, 200],
      )
      await closed
    })

    test('a refusal goes out behind a slow answer, although the client has ended its side meanwhile', async () => {
      const held: Exchange[] = []
      const shell = await start({ fastReader, handle: (exchange) => void held.push(exchange) })
      const socket = connect({ port: shell.port, host: '127.0.0.1', allowHalfOpen: true })
      socket.write(`${unusual}no request\r\n\r\n`)
      let received = ''
      socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
      await until(() => held.length === 1, 'the request')
      socket.end()
      await pause(100)
      held[0]?.send(200, {}, '')
      await once(socket, 'end')
      deepStrictEqual(received.match(/HTTP\/1\.1 (?!102)\d+/g), ['HTTP/1.1 200', 'HTTP/1.1 400'])
      await shell.close()
    })

    test('another connection gets its turn between two lots of a long pipeline [S9]', async () => {
      const targets: string[] = []
      const handle = (exchange: Exchange): void => {
        targets.push(exchange.target)
        exchange.send(200, {}, '')
      }
      const shell = await start({ fastReader, handle })
      const sockets = [connect(shell.port, '127.0.0.1'), connect(shell.port, '127.0.0.1')]
      for (const socket of sockets) await once(socket, 'connect')
      // Both are with Node, and have no request under way.
      for (const socket of sockets) {
        socket.write(unusual)
        await once(socket, 'data')
        socket.resume()
      }
      sockets[0]?.write(unusual.repeat(500))
      sockets[1]?.write(unusual.replace(' / ', ' /other '))
      await until(() => targets.length === 503, 'all requests')
      ok(targets.indexOf('/other') < 502, 'the other one came last')
      for (const socket of sockets) socket.destroy()
      await shell.close()
    })
  })
}

// Not at the same time as others: it counts all requests that Node makes.
describe('requests behind one that is slow', () => {
  for (const [what, first, allowed] of [
    ['that may not begin', unusual, fewRequests],
    ['that will never begin', `POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 1],
  ] as const) {
    test(`${what} are bytes, not requests of Node [G2]`, { timeout: 15_000 }, async () => {
      let made = 0
      const count = (): void => void made++
      subscribe('http.server.request.start', count)
      const held: Exchange[] = []
      const handle = (exchange: Exchange): void => void held.push(exchange)
      const shell = await start({ handle, limits: { maxPipelinedRequests: fewRequests } })
      const socket = send(shell.port, first + unusual.repeat(200))
      let received = ''
      socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
      await until(() => held.length === allowed, 'those that may begin')
      await settled(shell)
      strictEqual(made, allowed)
      // The first lot, and further ones until all have begun.
      const lots = allowed === 1 ? 0 : 200 / allowed
      for (let lot = 0; lot < lots; lot++) {
        for (const exchange of held.splice(0)) exchange.send(200, {}, '')
        await until(() => held.length > 0, 'the next ones')
        ok(held.length <= fewRequests, `${held.length} at once`)
      }
      for (const exchange of held) exchange.send(200, {}, '')
      if (allowed === 1) await once(socket, 'close')
      await until(() => received.split('HTTP/1.1 200').length === made + 1, 'all answers')
      unsubscribe('http.server.request.start', count)
      socket.destroy()
      await shell.close()
    })
  }
})
