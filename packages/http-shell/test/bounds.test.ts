/** How many requests may be under way, and what a client that takes nothing can hold, with real sockets. */
import { ok, rejects, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { type Bounds, type Exchange, fewRequests, type Shell, startShell } from '@services/http-shell'
import { converse } from '@services/http-shell/testing'
import { until } from '@services/testing'

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

function start(
  handle: (exchange: Exchange) => void,
  bounds: Partial<Bounds>,
  cut?: (exchange: Exchange) => void,
): Promise<Shell> {
  const refuse = () => ({ status: 400, body: '{}' })
  return startShell({ host: '127.0.0.1', port: 0, bounds, handle, refuse, ...(cut ? { cut } : {}) })
}

/** A client that sends all of it and reads nothing. */
async function sendAhead(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.pause()
  socket.write(bytes)
  return socket
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
    const handle = (exchange: Exchange): void => {
      begun += 1
      exchange.onGone = () => void (gone += 1)
      exchange.send(200, {}, body)
    }
    const shell = await start(handle, { stallMs: 1, maxPipelinedRequests: 8 }, cut.resolve)
    const socket = await sendAhead(shell.port, request.repeat(1500))
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
  const shell = await start((exchange) => void (exchange.onGone = left.resolve), {})
  const socket = connect(shell.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(request)
  socket.destroySoon()
  await left.promise
  await shell.close()
})

test('connections that send ahead have few requests each under way, and share the others [S9]', async () => {
  const count = 100
  const waiting: Exchange[] = []
  let isAnswering = false
  const maxPipelinedRequests = 20
  const handle = (exchange: Exchange): void => {
    if (isAnswering) exchange.send(200, {}, 'x')
    else waiting.push(exchange)
  }
  const shell = await start(handle, { maxPipelinedRequests })
  const alone = await sendAhead(shell.port, request.repeat(count))
  await until(() => waiting.length === maxPipelinedRequests, 'as many as one connection may have')
  const others: Socket[] = []
  for (let i = 0; i < 8; i++) others.push(await sendAhead(shell.port, request.repeat(count)))
  // The first one has all but a few of those that are shared.
  const all = maxPipelinedRequests + fewRequests + others.length * fewRequests
  await until(() => waiting.length === all, 'a few of each, and as many more together as one may have')
  await new Promise((resolve) => setTimeout(resolve, 50))
  strictEqual(waiting.length, all)
  isAnswering = true
  for (const exchange of waiting) exchange.send(200, {}, 'x')
  for (const socket of [alone, ...others]) {
    let received = ''
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
    socket.resume()
    await until(() => received.split('HTTP/1.1 200').length === count + 1, 'all answers')
    socket.destroy()
  }
  await shell.close()
})

test('a conversation that does not end is an error', async () => {
  const shell = await start(() => undefined, {})
  await rejects(converse(shell.port, [request], false, 50), /not ended after 50 ms, received ""/)
  await shell.close()
})
