/** What the shell needs of Node beyond its documentation, with real sockets. */
import { ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { stopListening } from '../../src/node/node-http.ts'

test('Node has the fields that node-http.ts sets', () => {
  ok('httpAllowHalfOpen' in createServer())
  ok('shouldKeepAlive' in ServerResponse.prototype || 'shouldKeepAlive' in new ServerResponse('' as never))
})

test('Node asks the function that node-http.ts replaces what follows a head [F5]', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [accepted] = (await once(server, 'connection')) as [{ parser: { onIncoming: unknown } }]
  strictEqual(typeof accepted.parser.onIncoming, 'function')
  socket.destroy()
  server.close()
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
