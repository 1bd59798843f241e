/** What the shell needs of Node beyond its documentation, and the bounds of a connection, with real sockets. */
import { ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { type Exchange, type Shell, startShell } from '@services/http-shell'

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

test('Node has the fields that node-http.ts sets', () => {
  ok('httpAllowHalfOpen' in createServer())
  ok('shouldUpgradeCallback' in createServer())
  ok('shouldKeepAlive' in ServerResponse.prototype || 'shouldKeepAlive' in new ServerResponse(request as never))
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
