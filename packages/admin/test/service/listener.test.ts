/** The pages of the listener, over real sockets. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { call, until, Wire } from '@services/testing'
import { type AdminListener, sharedWhileRunning, startAdmin } from '../../src/index.ts'
import type { AdminPages } from '../../src/listener.ts'

let admin: AdminListener
let status: 'ready' | 'not_ready' = 'ready'
let broken = false
const faults: unknown[] = []

const pages: AdminPages = {
  health: () => '{"status":"ok"}',
  ready: () => ({ status, parts: [] }),
  metrics: sharedWhileRunning(async () => {
    if (broken) throw new Error('a secret')
    return Promise.resolve({ mediaType: 'text/plain; version=0.0.4', text: 'x 1\n' })
  }),
  version: { name: 'shop', version: '1.2.3' },
  failed: (error) => faults.push(error),
}

before(async () => {
  admin = await startAdmin({ host: '127.0.0.1', port: 0 }, pages)
})
after(() => admin.close())

test('each of the four pages says what the service gives for it [O1.1]', async () => {
  const answers = await Promise.all(
    ['/health', '/ready', '/metrics', '/version?x'].map((path) => call(admin.port, path)),
  )
  deepStrictEqual(
    answers.map(({ status, headers, text }) => [status, headers['content-type'], text]),
    [
      [200, 'application/json', '{"status":"ok"}'],
      [200, 'application/json', '{"status":"ready","parts":[]}'],
      [200, 'text/plain; version=0.0.4', 'x 1\n'],
      [200, 'application/json', '{"name":"shop","version":"1.2.3"}'],
    ],
  )
  const head = await call(admin.port, '/metrics', { method: 'HEAD' })
  deepStrictEqual([head.status, head.text, head.headers['content-length']], [200, '', '4'])
})

test('503 while it is not ready [O1.2]', async () => {
  status = 'not_ready'
  strictEqual((await call(admin.port, '/ready')).status, 503)
  status = 'ready'
})

test('other paths are 404, other methods 405, and what is not a request 400 [O1.1]', async () => {
  strictEqual((await call(admin.port, '/')).status, 404)
  const posted = await call(admin.port, '/metrics', { body: 'x'.repeat(200_000) })
  deepStrictEqual([posted.status, posted.headers['allow']], [405, 'GET, HEAD'])
  const wire = await Wire.open(admin.port)
  wire.write('hello\r\n\r\n')
  strictEqual((await wire.answer()).status, 400)
})

test('a page that cannot be made is 500, tells nothing, and the service hears why [O1.1]', async () => {
  broken = true
  const { status, text } = await call(admin.port, '/metrics')
  broken = false
  strictEqual(status, 500)
  ok(!text.includes('secret'))
  deepStrictEqual(faults.map(String), ['Error: a secret'])
})

test('scrapes at the same time share one [O1.3]', async () => {
  const { promise, resolve } = Promise.withResolvers<string>()
  let times = 0
  const shared = sharedWhileRunning(() => {
    times++
    return promise
  })
  const all = [shared(), shared(), shared()]
  resolve('x')
  deepStrictEqual([await Promise.all(all), times], [['x', 'x', 'x'], 1])
  await shared()
  strictEqual(times, 2)
})

test('who opens many connections gets no more than a few, and the others once those are closed [O1.1]', async () => {
  const wires = await Promise.all(Array.from({ length: 100 }, () => Wire.open(admin.port)))
  let closed = 0
  for (const wire of wires) void wire.closed.then(() => closed++)
  // Those that were taken are closed too where no request comes, but after 10 s, all together.
  await until(() => closed >= 60, 'the rest to be closed', 8000)
  ok(closed < wires.length, `${closed} closed`)
  for (const { socket } of wires) socket.destroy()
  await until(async () => {
    const { status } = await call(admin.port, '/health').catch(() => ({ status: 0 }))
    return status === 200
  }, 'an answer again')
})
