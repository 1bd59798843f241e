/** Bodies that arrive and never end: how much they hold together, and who has to go. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { until } from '@services/testing'
import { BodyGivenUp, maxHeldBytes, Uploads } from '../../../src/serve/uploads.ts'
import { startTestService } from '../../support/service.ts'

interface TestBody {
  /** True where it has to wait behind these bytes. */
  bring(bytes: number): boolean
  isWaiting(): boolean
  isGivenUp(): boolean
  arrived(): void
  end(): void
}

function begin(uploads: Uploads, maxBytes = 1_000_000): TestBody {
  const { reserve, arrived, end } = uploads.begin(maxBytes)
  let waiting = false
  let reason: Error | undefined
  return {
    bring(bytes) {
      const room = reserve(bytes, (error) => (reason = error), false)
      waiting = room !== undefined
      void room?.then(() => (waiting = false))
      return waiting
    },
    isWaiting: () => waiting,
    isGivenUp: () => reason instanceof BodyGivenUp,
    arrived,
    end,
  }
}

/** So many bodies, in the order in which they begin. */
function beginAll(uploads: Uploads, sizes: readonly number[]): TestBody[] {
  return sizes.map((bytes) => {
    const body = begin(uploads)
    body.bring(bytes)
    return body
  })
}

const waitings = async (bodies: readonly TestBody[]): Promise<boolean[]> => {
  await setImmediate()
  return bodies.map((body) => body.isWaiting())
}

test('beyond the limit all but the first body wait, and none is given up for one that came later [S9]', async () => {
  const told: string[] = []
  const uploads = new Uploads((held, maxBytes) => told.push(`${held} ${maxBytes}`))
  const bodies = beginAll(uploads, [600_000, 400_000, 1, 1])
  deepStrictEqual(await waitings(bodies), [false, false, true, true])
  const [first, second, third] = bodies as [TestBody, TestBody, TestBody]
  ok(!first.bring(300_000))
  ok(second.bring(1))
  first.arrived()
  deepStrictEqual(await waitings(bodies), [false, false, false, false])
  ok(!second.bring(500_000))
  ok(third.bring(500_000))
  second.end()
  deepStrictEqual(await waitings(bodies), [false, false, false, false])
  deepStrictEqual(told, ['arriving 1000000'])
  ok(!bodies.some((body) => body.isGivenUp()))
})

test('room is given in the order in which bodies began, to no more than are likely to fit [S9]', async () => {
  const uploads = new Uploads()
  const bodies = beginAll(uploads, [800_000, 150_000, ...Array.from({ length: 8 }, () => 50_000)])
  const [first, second] = bodies as [TestBody, TestBody]
  deepStrictEqual(await waitings(bodies.slice(2)), [false, ...Array.from({ length: 7 }, () => true)])
  second.end()
  // 1 200 000 bytes are there, and the first is read on in any case.
  strictEqual((await waitings(bodies)).filter(Boolean).length, 7)
  first.end()
  // 400 000 bytes are there, so nine more pieces of 64 KiB fit.
  strictEqual((await waitings(bodies)).filter(Boolean).length, 0)
})

test('bodies of requests that are not answered hold as much again, and the first waits too [S9]', async () => {
  const told: string[] = []
  const uploads = new Uploads((held) => told.push(held))
  const bodies = beginAll(uploads, [600_000, 400_000])
  for (const body of bodies) body.arrived()
  const [one, other] = bodies as [TestBody, TestBody]
  const late = begin(uploads)
  ok(!late.bring(600_000))
  late.arrived()
  const next = begin(uploads)
  ok(next.bring(1))
  deepStrictEqual(told, ['unanswered'])
  one.end()
  one.end()
  deepStrictEqual(await waitings([next]), [false])
  ok(!next.bring(999_999))
  other.end()
  late.end()
})

test('who stops sending while others wait is given up after 10 seconds, who goes on is not [S9]', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval', 'Date'] })
  const uploads = new Uploads()
  const bodies = beginAll(uploads, [500_000, 450_000])
  const [silent, slow] = bodies as [TestBody, TestBody]
  context.mock.timers.tick(60_000)
  ok(!silent.isGivenUp(), 'nobody waits')
  const waiting = begin(uploads)
  ok(waiting.bring(50_001))
  context.mock.timers.tick(9000)
  // It was on its way; now the body waits as well.
  ok(slow.bring(65_536))
  ok(!silent.isGivenUp())
  context.mock.timers.tick(1000)
  ok(silent.isGivenUp())
  ok(!slow.isGivenUp())
  silent.end()
  deepStrictEqual(await waitings([waiting]), [false])
  context.mock.timers.tick(60_000)
  ok(!slow.isGivenUp() && !waiting.isGivenUp())
})

test('the limit grows with what single bodies may have [S9]', () => {
  strictEqual(maxHeldBytes(1_048_576), 134_217_728)
  strictEqual(maxHeldBytes(100_000_000), 400_000_000)
})

test('uploads that never end leave room for those that do [S9]', async () => {
  const service = await startTestService({
    kind: 'sqlite',
    files: { 'demo/POST/length.sql': 'SELECT length(:x) AS n' },
  })
  const port = Number(new URL(service.url).port)
  const part = Buffer.alloc(1_000_000, 'x')
  const sockets: Socket[] = []
  const told: string[] = []
  const count = Math.ceil(maxHeldBytes(1_048_576) / part.length)
  for (let i = 0; i < count; i++) {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    let received = ''
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
    socket.on('close', () => told.push(received))
    await once(socket, 'connect')
    socket.write('POST /demo/length HTTP/1.1\r\nHost: x\r\nContent-Length: 1000001\r\n\r\n')
    socket.write(part)
  }
  strictEqual((await service.post('/demo/length', { x: 'y'.repeat(900_000) })).text, '[{"n":900000}]')
  await until(() => told.length > 0, 'one to be given up')
  match(told[0] as string, /^HTTP\/1\.1 400 .*\r\nConnection: close\r\n/is)
  const message =
    /"MalformedRequestException","message":"Less than 65536 bytes .* in 10 s, .* 134217728 bytes \(four times server\.max_body_bytes, /
  match(told[0] as string, message)
  strictEqual(service.log.filter((line) => line.includes('Request bodies wait unread')).length, 1)
  for (const socket of sockets) socket.destroy()
  await service.close()
})
