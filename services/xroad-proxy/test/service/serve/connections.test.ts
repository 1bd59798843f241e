/** More connections of callers than `limits.max_connections` admits. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { until } from '@services/testing'
import { startLanes } from '../../support/lanes.ts'
import { restFile } from '../../support/soap-service.ts'

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** The status of an answer, or nothing if the connection is closed without one. */
async function ask(socket: Socket): Promise<string> {
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
  const closed = once(socket, 'close')
  socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await closed
  return received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
}

test('connections beyond the limit are closed without an answer, and the log says so once [G2]', async () => {
  const limits = { max_connections: 2 }
  const lanes = await startLanes({ dsl: { 'g/get.yml': restFile('GET', 'anything') }, config: { limits } })
  const [first, second] = [await open(lanes.port), await open(lanes.port)]
  for (let i = 0; i < 3; i++) strictEqual(await ask(await open(lanes.port)), '')
  strictEqual(await ask(first), '200')
  // The end of a connection takes effect at the server a little later.
  let status = ''
  await until(async () => (status = await ask(await open(lanes.port))) !== '', 'room for another one')
  strictEqual(status, '200')
  strictEqual(await ask(second), '200')
  const lines = lanes.log.filter(({ event }) => event === 'connectionsFull')
  deepStrictEqual(
    lines.map(({ limit, closed }) => [String(limit), String(closed)]),
    [['2', '1']],
  )
  await lanes.close()
})
