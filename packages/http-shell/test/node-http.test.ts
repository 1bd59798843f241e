/** What the shell needs of Node beyond its documentation, and the bounds of a connection, with real sockets. */
import { ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { type Exchange, type Shell, startShell } from '@services/http-shell'
import { stopListening } from '../src/node-http.ts'

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

test('Node has the fields that node-http.ts sets', () => {
  ok('httpAllowHalfOpen' in createServer())
  ok('shouldUpgradeCallback' in createServer())
  ok('shouldKeepAlive' in ServerResponse.prototype || 'shouldKeepAlive' in new ServerResponse(request as never))
})

test('the close of Node.js cuts an answer on its way: once it does not, stopListening can go [H2]', async () => {
  const body = Buffer.alloc(8_000_000, 'x')
  const received: number[] = []
  for (const stop of [
    (server: Server) => void server.close(),
    (server: Server) => stopListening(server, () => undefined),
  ]) {
    const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    // It reads nothing until the server is told to close.
    await once(socket, 'readable')
    stop(server)
    let bytes = 0
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
    await once(socket, 'close')
    received.push(bytes)
  }
  const [byNode = 0, byShell = 0] = received
  ok(byNode < body.length, `${byNode} bytes came`)
  ok(byShell > body.length, `${byShell} bytes came`)
})

function start(handle: (exchange: Exchange) => void, cut?: (exchange: Exchange) => void): Promise<Shell> {
  const refuse = () => ({ status: 400, body: '{}' })
  const bounds = { stallMs: 1, maxPipelinedRequests: 8 }
  return startShell({ host: '127.0.0.1', port: 0, bounds, handle, refuse, ...(cut ? { cut } : {}) })
}

for (const [what, bytes] of [
  ['long', 4_000_000],
  ['short', 60_000],
] as const) {
  test(`a client that does not take its ${what} answers is cut off, and few of its requests have run`, async () => {
    const body = Buffer.alloc(bytes, 'x')
    const cut = Promise.withResolvers<Exchange>()
    let begun = 0
    let gone = 0
    const shell = await start((exchange) => {
      begun += 1
      exchange.onGone = () => void (gone += 1)
      exchange.send(200, {}, body)
    }, cut.resolve)
    const socket = connect(shell.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(request.repeat(1500))
    const exchange = await cut.promise
    strictEqual(exchange.leaving, 'too slow')
    ok(begun < 1500, `${begun} of 1500`)
    ok(gone > 0)
    socket.destroy()
    await shell.close()
  })
}

test('a client that leaves after it has ended its side is noticed', async () => {
  const left = Promise.withResolvers<void>()
  const shell = await start((exchange) => {
    exchange.onGone = left.resolve
  })
  const socket = connect(shell.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request)
  socket.destroySoon()
  await left.promise
  await shell.close()
})
