/**
 * The bytes that all calls together may hold: who gets room and when, and that everything comes back, whatever happens.
 * First the rules by themselves, then seeded runs of many calls, then whole calls over real sockets.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { until, Wire } from '@services/testing'
import fc from 'fast-check'
import type { ResponseWriter } from '../../../src/model.ts'
import { Budget, type Share, type Stage } from '../../../src/upstream/budget.ts'
import { Room } from '../../../src/upstream/room.ts'
import { openUpstream } from '../../../src/upstream/upstream.ts'
import { exchange, head, type RawAnswer, rest } from '../../support/exchange.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { ok as answer, type RawUpstream, startRaw } from '../../support/upstreams/raw-upstream.ts'
import { soapFile } from '../../support/soap-service.ts'
import { startUpstream } from '../../support/upstreams/upstream.ts'

/** Names of those who got what they waited for, in order. */
function watch() {
  const granted: string[] = []
  const refused: string[] = []
  const ask = (name: string, share: Share, bytes: number, stage: Stage = 'call'): void => {
    const waiting = share.hold(bytes, stage)
    if (waiting === undefined) granted.push(name)
    else {
      waiting.then(
        () => granted.push(name),
        () => refused.push(name),
      )
    }
  }
  return { granted, refused, ask }
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

describe('the budget', () => {
  test('who would go past it waits until another gives back; who began first is first, whoever asks first [X6]', async () => {
    const budget = new Budget(100)
    const [a, b, c, d] = [budget.open(), budget.open(), budget.open(), budget.open()]
    const { granted, ask } = watch()
    ask('a', a, 90)
    ask('d', d, 20)
    ask('c', c, 20)
    ask('b', b, 20)
    deepStrictEqual([granted, budget.used, budget.waiting], [['a'], 90, 3])
    a.hold(60)
    await settled()
    deepStrictEqual([granted, budget.used, budget.waiting], [['a', 'b', 'c'], 100, 1])
    b.close()
    await settled()
    deepStrictEqual([granted, budget.used], [['a', 'b', 'c', 'd'], 100])
    for (const each of [a, c, d, d]) each.close()
    strictEqual(budget.used, 0)
  })

  test('nobody small passes one who waits for much [X6]', async () => {
    const budget = new Budget(100)
    const [a, b, c] = [budget.open(), budget.open(), budget.open()]
    const { granted, ask } = watch()
    ask('a', a, 50)
    ask('b', b, 80)
    ask('c', c, 1)
    await settled()
    deepStrictEqual(granted, ['a'])
    a.close()
    await settled()
    deepStrictEqual(granted, ['a', 'b', 'c'])
  })

  test('calls that hold and all want more do not wait for each other: the oldest goes on [X6]', async () => {
    const budget = new Budget(100)
    const shares = [budget.open(), budget.open(), budget.open()]
    const { granted, ask } = watch()
    for (const [i, share] of shares.entries()) ask(`${i}`, share, 33)
    for (const [i, share] of shares.entries().toArray().toReversed()) ask(`${i} more`, share, 66)
    await settled()
    deepStrictEqual(granted, ['0', '1', '2', '0 more'])
    strictEqual(budget.used, 132)
    shares[0]?.close()
    await settled()
    deepStrictEqual(granted.slice(4), ['1 more'])
    shares[1]?.close()
    await settled()
    deepStrictEqual(granted.slice(5), ['2 more'])
    shares[2]?.close()
    strictEqual(budget.used, 0)
  })

  test('a call larger than the budget passes alone [X6]', async () => {
    const budget = new Budget(100)
    const [a, b] = [budget.open(), budget.open()]
    const { granted, ask } = watch()
    ask('a', a, 10)
    ask('b', b, 1000)
    await settled()
    deepStrictEqual(granted, ['a'])
    a.close()
    await settled()
    deepStrictEqual(granted, ['a', 'b'])
  })

  test('uploads fill half of it; those that never end keep no call from its room [X6 X8]', async () => {
    const budget = new Budget(100)
    const { granted, refused, ask } = watch()
    const uploads = Array.from({ length: 6 }, () => budget.open())
    for (const [i, share] of uploads.entries()) ask(`u${i}`, share, 10, 'upload')
    await settled()
    deepStrictEqual(granted, ['u0', 'u1', 'u2', 'u3', 'u4'])
    const [a, b] = [budget.open(), budget.open()]
    ask('a', a, 25)
    ask('b', b, 25)
    ask('a more', a, 50)
    ask('b more', b, 50)
    await settled()
    deepStrictEqual(granted.slice(5), ['a', 'b', 'a more'])
    a.close()
    await settled()
    deepStrictEqual(granted.slice(8), ['b more'])
    b.close()
    uploads[5]?.close()
    await settled()
    deepStrictEqual(refused, ['u5'])
    for (const share of uploads) share.close()
    strictEqual(budget.used, 0)
  })

  test('uploads without a length that all want more do not wait for each other [X6 X8]', async () => {
    const budget = new Budget(100)
    const { granted, ask } = watch()
    const [a, b] = [budget.open(), budget.open()]
    for (const [name, share] of Object.entries({ a, b })) ask(name, share, 25, 'upload')
    for (const [name, share] of Object.entries({ b, a })) ask(`${name} more`, share, 30, 'upload')
    await settled()
    deepStrictEqual(granted, ['a', 'b', 'a more'])
    // As a call it may use the other half.
    a.hold(60)
    a.close()
    await settled()
    deepStrictEqual(granted, ['a', 'b', 'a more', 'b more'])
  })

  test('whatever calls do, in whatever order: all of them end, and nothing is left [X6]', async () => {
    type Step = readonly [bytes: number, stage: Stage, leaves: boolean]
    const step = fc.tuple(fc.nat(80), fc.constantFrom<Stage>('call', 'upload'), fc.boolean())
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { maxLength: 12 }), async (calls) => {
        const budget = new Budget(100)
        const run = async (steps: readonly Step[]): Promise<void> => {
          const share = budget.open()
          for (const [bytes, stage, leaves] of steps) {
            const waiting = share.hold(stage === 'upload' ? share.held + bytes : bytes, stage)
            if (waiting !== undefined && leaves) {
              share.refuse(new Error('out of time'))
              await waiting.catch(() => undefined)
              break
            }
            await waiting
            await settled()
            ok(budget.used <= 100 + 5 * 80, String(budget.used))
          }
          share.close()
        }
        await Promise.all(calls.map((steps) => run(steps)))
        deepStrictEqual([budget.used, budget.waiting], [0, 0])
      }),
      { numRuns: 300 },
    )
  })
})

test('a body that is complete no longer waits for uploads, even if it began to wait as one [G3]', async () => {
  const budget = new Budget(100)
  const other = budget.open()
  void other.hold(50, 'upload')
  const share = budget.open()
  const waiting = share.hold(2, 'upload')
  strictEqual(budget.waiting, 1)
  share.hold(4, 'call')
  await waiting
  deepStrictEqual([share.held, budget.used, budget.waiting], [4, 54, 0])
  share.close()
  other.close()
  strictEqual(budget.used, 0)
})

const kibibyte = 1024
const text = 'x'.repeat(40 * kibibyte + 1)
const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><a>${text}</a></e:Body></e:Envelope>`
const known = answer(body, 'Content-Type: text/xml\r\n')
const chunk = `${(body.length / 2).toString(16)}\r\n`
const unknown = `HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${body.slice(0, body.length / 2)}\r\n`
const rests = `${chunk}${body.slice(body.length / 2)}\r\n0\r\n\r\n`

describe('who finds no room in its time', () => {
  const named = /^no room within 1 s: all calls together may hold 100000 bytes \(limits\.max_inflight_bytes\)$/

  test('before the call is sent: 504 with the name of the bound, and everything comes back [X6]', async () => {
    const budget = new Budget(100_000)
    const other = budget.open()
    other.keep(90_000)
    const room = new Room(budget, 1)
    await rejects(Promise.resolve(room.hold(20_000)), { code: 'upstream_timeout', message: named })
    await rejects(Promise.resolve(room.reserve(20_000, undefined, false)), { code: 'upstream_timeout', message: named })
    deepStrictEqual([budget.used, budget.waiting], [90_000, 0])
  })

  for (const [what, bytes] of Object.entries({ 'known length': known, 'unknown length': unknown + rests })) {
    test(`while its answer of ${what} arrives: the same, by the clock of the call [X6]`, async () => {
      const upstream = await startUpstream((socket) => socket.write(bytes))
      const calls = openUpstream({
        secureContext: () => createSecureContext(),
        timeoutSeconds: 1,
        maxResponseBytes: 1e6,
      })
      const budget = new Budget(100_000)
      const other = budget.open()
      other.keep(90_000)
      const call = { origin: upstream.url, path: '/', method: 'GET', headers: [], body: undefined }
      const writer = { isOpen: true, hasBegun: false, status: 0, onGone: undefined } as unknown as ResponseWriter
      const room = new Room(budget, 1)
      await rejects(calls.collect(call, writer, room), { code: 'upstream_timeout', message: named })
      deepStrictEqual([budget.used, budget.waiting], [90_000, 0])
      other.close()
      const answered = await calls.collect(call, writer, new Room(budget, 1))
      strictEqual(answered.body.length, body.length)
      await calls.close()
      await upstream.close()
    })
  }
})

describe('calls in a small budget', () => {
  let upstream: RawUpstream
  let lanes: Lanes

  before(async () => {
    upstream = await startRaw()
    const limits = { max_inflight_bytes: 128 * kibibyte, max_request_bytes: 60_000, request_timeout_secs: 3 }
    const dsl = {
      'g/rest.yml': rest('POST'),
      'g/soap.yml': soapFile(),
      'g/patient-rest.yml': rest('POST', {}, { timeout_secs: 120 }),
      'g/patient-soap.yml': JSON.stringify({ ...(JSON.parse(soapFile()) as object), timeout_secs: 120 }),
    }
    lanes = await startLanes({ dsl, config: { security_server: { url: upstream.url }, limits } })
  })

  after(async () => {
    await lanes.close()
    await until(() => upstream.open() === 0, 'no connection to the upstream is left')
    await upstream.close()
  })

  const post = (lane: string, sent = '{}'): Promise<RawAnswer> =>
    exchange(lanes.port, `${head('POST', `/g/${lane}`, `Content-Length: ${sent.length}\r\n`)}${sent}`)

  for (const lane of ['rest', 'soap']) {
    for (const [what, first, second] of [
      ['of known length', known, ''],
      ['of unknown length', unknown, rests],
    ] as const) {
      test(`forty answers ${what} on the ${lane} lane, far beyond it together, all come [X6]`, async () => {
        upstream.serve = async (peer, request) => {
          await request.body()
          peer.write(first)
          await settled()
          if (second !== '') peer.write(second)
        }
        const all = await Promise.all(Array.from({ length: 40 }, () => post(`patient-${lane}`)))
        for (const got of all) {
          deepStrictEqual([got.status, got.isWhole, got.body.length > text.length], [200, true, true], got.line)
        }
      })
    }
  }

  const refusal = {
    error: 'upstream_timeout',
    message: 'no room within 3 s: all calls together may hold 131072 bytes (limits.max_inflight_bytes)',
  }

  test('uploads that never end fill half of it: other callers wait and get their answers, or 504 [X6 X8]', async () => {
    upstream.serve = async (peer, request) => {
      await request.body()
      peer.write(known)
    }
    const wires = await Promise.all(Array.from({ length: 8 }, () => Wire.open(lanes.port)))
    for (const wire of wires)
      wire.write(
        `POST /g/soap HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4e20\r\n${'x'.repeat(20_000)}\r\n`,
      )
    // Those that found no room hear of it, those that have it may go on sending.
    const refused = await Promise.all(wires.slice(4).map((wire) => wire.answer()))
    for (const got of refused) deepStrictEqual([got.status, JSON.parse(got.text)], [504, refusal])
    const empty = await exchange(lanes.port, head('POST', '/g/soap'))
    strictEqual(empty.status, 200, empty.raw.slice(0, 300))
    for (const wire of wires) wire.socket.destroy()
    await until(async () => (await post('soap', `{"x":"${'y'.repeat(50_000)}"}`)).status === 200, 'their room')
  })

  test('callers who leave, at every stage, leave nothing behind [X6]', async () => {
    for (const [first, waits] of [
      [known.slice(0, 1000), false],
      [unknown, false],
      ['', false],
      [known, true],
    ] as const) {
      upstream.serve = async (peer, request) => {
        await request.body()
        peer.write(first)
      }
      const wires = await Promise.all(Array.from({ length: 6 }, () => Wire.open(lanes.port)))
      const seen = upstream.requests.length
      for (const wire of wires) wire.write(`POST /g/soap HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`)
      if (!waits) await until(() => upstream.requests.length > seen, 'the calls')
      for (const wire of wires) wire.socket.destroy()
    }
    upstream.serve = async (peer, request) => {
      await request.body()
      peer.write(known)
    }
    // More than half of the budget, so it passes only when nothing else is held.
    for (let i = 0; i < 3; i += 1) {
      const got = await post('soap', `{"x":"${'y'.repeat(55_000)}"}`)
      match(got.line, /200/)
    }
  })
})
