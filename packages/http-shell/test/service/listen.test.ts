/** Addresses that can and cannot be used to listen on, with real sockets. */
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { listen, ListenProblem } from '@services/http-shell'

test('a server listens, and its address is told as bound', async () => {
  const server = createServer()
  const { address, port } = await listen(server, { host: '127.0.0.1', port: 0 })
  deepStrictEqual([address, port], [`127.0.0.1:${(server.address() as AddressInfo).port}`, port])
  strictEqual(server.listenerCount('error'), 0)
  server.close()
})

test('an IPv6 address is told in brackets', async (t) => {
  const server = createServer()
  try {
    const { address } = await listen(server, { host: '::1', port: 0 })
    match(address, /^\[::1\]:\d+$/)
  } catch (error) {
    t.skip(`this machine has no IPv6 loopback (${(error as Error).message})`)
  }
  server.close()
})

test('an address that cannot be used is refused in words', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  for (const [address, message] of [
    [{ host: '127.0.0.1', port }, /^is in use by another process/],
    [{ host: '192.0.2.1', port: 0 }, /^is not an address of this machine/],
    [{ host: 'no-such-host.invalid', port: 0 }, /^(is not a known host name|cannot be used to listen on)/],
  ] as const) {
    await rejects(
      listen(createServer(), address),
      (error) => error instanceof ListenProblem && message.test(error.message),
    )
  }
  taken.close()
})
