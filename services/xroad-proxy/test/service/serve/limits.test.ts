/**
 * What a caller may send: bodies up to the cap and beyond it, declared and chunked, with and without a wait for the
 * go-ahead, slow, broken and left in the middle, on both lanes. Limits of answers belong to the tests of the lanes.
 */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { type Reply, call, send, until, Wire, type WireAnswer } from '@services/testing'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { restFile, type SoapService, startSoapService } from '../../support/soap-service.ts'

const maxBytes = 1000
const mebibyte = 1_048_576
const health = '{"status":"ok"}'

let soap: SoapService
/** With a small cap. */
let small: Lanes
/** With the default. */
let usual: Lanes

before(async () => {
  soap = await startSoapService()
  const dsl = {
    'g/soap.yml': soap.echo,
    'g/rest.yml': restFile('POST', 'anything'),
    'g/dropped.yml': restFile('POST', 'anything', { forward_body: false }),
    'g/early.yml': restFile('POST', 'mock.early-answer'),
    'g/refused.yml': restFile('POST', 'mock.reset-before-answer'),
    'g/get.yml': restFile('GET', 'anything'),
  }
  small = await startLanes({ dsl, config: { limits: { max_request_bytes: maxBytes } } })
  usual = await startLanes({ dsl })
})

after(async () => {
  for (const lanes of [small, usual]) {
    const { log } = lanes
    await lanes.close()
    deepStrictEqual(
      log.filter(({ event }) => event === 'internalError'),
      [],
    )
  }
  await soap.close()
})

function refusedAt(limit: number, { status, headers, text }: Reply | WireAnswer): void {
  strictEqual(status, 413, text)
  strictEqual(headers['content-type'], 'application/json')
  const message = `the request body is larger than ${limit} bytes`
  deepStrictEqual(JSON.parse(text), { error: 'request_too_large', message, limit })
}

/** Length of the body that arrived at the other end. */
function arrived(path: string, { status, text }: Reply | WireAnswer): number {
  strictEqual(status, 200, text)
  const answer = JSON.parse(text) as { readonly body: { readonly x: string }; readonly bodyLength: number }
  return path === '/g/soap' ? Buffer.byteLength(JSON.stringify({ x: answer.body.x })) : answer.bodyLength
}

/** JSON of exactly so many bytes, with characters of two bytes in it. */
function bodyOf(bytes: number): string {
  const room = bytes - JSON.stringify({ x: '' }).length
  return JSON.stringify({ x: 'a'.repeat(room % 2) + '\u00e4'.repeat(Math.floor(room / 2)) })
}

function head(path: string, ...lines: string[]): string {
  return [`POST ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n')
}

function declared(body: string | Buffer): string {
  return `Content-Length: ${Buffer.byteLength(body)}`
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

const chunked = 'Transfer-Encoding: chunked'
const expecting = 'Expect: 100-continue'
const end = '0\r\n\r\n'
const lanesOfCalls = ['/g/soap', '/g/rest']

async function byteByByte(path: string, body: string): Promise<WireAnswer> {
  const wire = await Wire.open(small.port)
  wire.socket.setNoDelay(true)
  wire.write(head(path, chunked))
  const bytes = Buffer.from(body)
  for (let i = 0; i < bytes.length; i++) {
    wire.write(Buffer.concat([Buffer.from('1\r\n'), bytes.subarray(i, i + 1), Buffer.from('\r\n')]))
    if (i % 16 === 0) await new Promise(setImmediate)
  }
  wire.write(end)
  return wire.answer().finally(() => wire.socket.destroy())
}

const ways: Record<string, (path: string, body: string) => Promise<WireAnswer>> = {
  'with a length': (path, body) => send(small.port, head(path, declared(body)) + body),
  'in one chunk': (path, body) => send(small.port, head(path, chunked) + chunk(body) + end),
  'in chunks with extensions and a trailer': (path, body) =>
    send(small.port, `${head(path, chunked)}${chunk(body).replace('\r\n', ';a=b;c="d"\r\n')}0;last\r\nX-Trailer: y\r\n\r\n`),
  'byte by byte': byteByByte,
} // prettier-ignore

describe('the cap', { concurrency: true }, () => {
  for (const [how, sendBody] of Object.entries(ways)) {
    for (const path of lanesOfCalls) {
      test(`${path}, ${how}: counts bytes, inclusive [D1.7 S-limit.max_request_bytes S-config.limits.max_request_bytes]`, async () => {
        strictEqual(arrived(path, await sendBody(path, bodyOf(maxBytes))), maxBytes)
        refusedAt(maxBytes, await sendBody(path, bodyOf(maxBytes + 1)))
      })
    }
  }

  for (const path of lanesOfCalls) {
    test(`${path}: one MiB by default [S-limit.max_request_bytes]`, async () => {
      const ask = (bytes: number, framing?: string): Promise<WireAnswer> => {
        const body = bodyOf(bytes)
        return send(
          usual.port,
          framing === chunked ? head(path, chunked) + chunk(body) + end : head(path, declared(body)) + body,
        )
      }
      for (const framing of ['', chunked]) {
        strictEqual(arrived(path, await ask(mebibyte, framing)), mebibyte)
        refusedAt(mebibyte, await ask(mebibyte + 1, framing))
      }
    })
  }

  test('a body is capped whatever length it declares [D1.7 S-error.request_too_large]', async () => {
    for (const length of ['1001', '65536', '65537', '9007199254740993', '18446744073709551615']) {
      for (const path of [...lanesOfCalls, '/g/dropped']) {
        refusedAt(maxBytes, await send(small.port, head(path, `Content-Length: ${length}`)))
      }
    }
  })

  test('a body that is not forwarded counts as well [D1.7]', async () => {
    refusedAt(maxBytes, await send(small.port, head('/g/dropped', chunked) + chunk(bodyOf(maxBytes + 1)) + end))
    strictEqual(arrived('/g/dropped', await send(small.port, head('/g/dropped', declared(bodyOf(9))) + bodyOf(9))), 0)
  })

  test('a body of a GET counts as well [D1.7]', async () => {
    const ask = (body: string): Promise<WireAnswer> =>
      send(small.port, head('/g/get', declared(body)).replace('POST', 'GET') + body)
    strictEqual(arrived('/g/get', await ask(bodyOf(maxBytes))), maxBytes)
    refusedAt(maxBytes, await ask(bodyOf(maxBytes + 1)))
  })

  test('a small body that is refused costs no connection [D1.7]', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let i = 0; i < 3; i++) {
      refusedAt(maxBytes, await call(small.port, '/g/soap', { agent, method: 'POST', body: bodyOf(maxBytes + 1) }))
      strictEqual((await call(small.port, '/health', { agent })).text, health)
    }
    strictEqual(Object.values(agent.freeSockets).flat().length, 1)
    agent.destroy()
  })

  test('nothing of what is refused is sent on [D1.7]', async () => {
    const marker = { 'x-road-id': 'never-sent' }
    const body = bodyOf(maxBytes + 1)
    refusedAt(maxBytes, await call(small.port, '/g/rest?never-sent', { headers: marker, method: 'POST', body }))
    ok(small.events.every((line) => !line.includes('never-sent')))
  })
})

describe('clients that keep sending', { concurrency: true }, () => {
  test('one that writes all before it reads gets its answer [D1.7]', async () => {
    const large = Buffer.alloc(8_000_000, 0x20)
    for (const path of [...lanesOfCalls, '/g/none', '/g/get']) {
      for (const framing of [declared(large), chunked]) {
        const wire = await Wire.open(small.port)
        const failures: unknown[] = []
        wire.socket.on('error', (error) => failures.push(error))
        wire.socket.pause()
        wire.write(head(path, framing))
        if (framing === chunked) wire.write(`${large.length.toString(16)}\r\n`)
        await new Promise((resolve) => wire.socket.write(large, resolve))
        deepStrictEqual(failures, [], framing)
        wire.socket.resume()
        const answer = await wire.answer()
        if (lanesOfCalls.includes(path)) refusedAt(maxBytes, answer)
        else strictEqual(answer.status, path === '/g/none' ? 404 : 405)
        strictEqual(answer.headers['connection'], 'close')
        wire.socket.destroy()
      }
    }
  })

  test('one that never stops is answered and cut off [D1.7]', async () => {
    for (const path of lanesOfCalls) {
      const wire = await Wire.open(small.port)
      wire.write(head(path, chunked))
      const sending = setInterval(() => wire.write(chunk('x'.repeat(600))), 5)
      refusedAt(maxBytes, await wire.answer())
      await wire.closed
      clearInterval(sending)
      wire.socket.destroy()
    }
  })

  test('what is broken after the refusal gets no second answer [D1.7]', async () => {
    const wire = await Wire.open(small.port)
    wire.write(`${head('/g/soap', chunked)}${chunk(bodyOf(maxBytes + 1))}nonsense\r\n`)
    refusedAt(maxBytes, await wire.answer())
    await wire.closed
    strictEqual(wire.received, '')
    wire.socket.destroy()
  })

  test('an answer that comes before the end of the body leaves a connection that works [S-endpoint.rest]', async () => {
    const body = Buffer.alloc(mebibyte, 0x20)
    for (const path of ['/g/early', '/g/dropped']) {
      const wire = await Wire.open(usual.port)
      wire.socket.pause()
      wire.write(head(path, declared(body)))
      await new Promise((resolve) => wire.socket.write(body, resolve))
      wire.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
      wire.socket.resume()
      strictEqual((await wire.answer()).status, 200)
      strictEqual((await wire.answer()).text, health)
      wire.socket.destroy()
    }
  })

  test('a call that fails before the end of the body is told to a client that writes all first [S-endpoint.rest]', async () => {
    const body = Buffer.alloc(mebibyte, 0x20)
    const wire = await Wire.open(usual.port)
    wire.socket.pause()
    wire.write(head('/g/refused', declared(body)))
    await new Promise((resolve) => wire.socket.write(body, resolve))
    wire.socket.resume()
    const { status, text } = await wire.answer()
    deepStrictEqual([status, (JSON.parse(text) as { error: string }).error], [500, 'internal_error'])
    wire.socket.destroy()
  })
})

describe('the go-ahead', { concurrency: true }, () => {
  for (const path of lanesOfCalls) {
    for (const value of ['100-continue', '100-Continue', '100-continue, something-else']) {
      test(`${path}: ${value} is answered with 100 where the body fits [D1.7]`, async () => {
        const body = bodyOf(100)
        const wire = await Wire.open(small.port)
        wire.write(head(path, declared(body), `Expect: ${value}`))
        strictEqual((await wire.answer({ bodiless: true })).status, 100)
        wire.write(body)
        strictEqual(arrived(path, await wire.answer()), 100)
        wire.write(head(path, declared(body)) + body)
        strictEqual(arrived(path, await wire.answer()), 100)
        wire.socket.destroy()
      })
    }

    test(`${path}: a large body has its go-ahead as well [D1.7]`, async () => {
      const body = bodyOf(mebibyte)
      const wire = await Wire.open(usual.port)
      wire.write(head(path, declared(body), expecting))
      strictEqual((await wire.answer({ bodiless: true })).status, 100)
      wire.write(body)
      strictEqual(arrived(path, await wire.answer()), mebibyte)
      wire.socket.destroy()
    })

    test(`${path}: with chunks the cap counts as they arrive [D1.7]`, async () => {
      const wire = await Wire.open(small.port)
      wire.write(head(path, chunked, expecting))
      strictEqual((await wire.answer({ bodiless: true })).status, 100)
      wire.write(chunk('x'.repeat(maxBytes)) + chunk('x'))
      refusedAt(maxBytes, await wire.answer())
      wire.socket.destroy()
    })

    test(`${path}: none for a body that does not fit [D1.7]`, async () => {
      refusedAt(maxBytes, await send(small.port, head(path, `Content-Length: ${maxBytes + 1}`, expecting)))
    })
  }

  test('none where the path or the method is wrong [D1.6]', async () => {
    const lines = ['Content-Length: 100', expecting]
    strictEqual((await send(small.port, head('/g/none', ...lines))).status, 404)
    strictEqual((await send(small.port, head('/g/get', ...lines))).status, 405)
    strictEqual((await send(small.port, head('/health', ...lines))).status, 405)
  })

  test('none for HTTP/1.0, which knows none', async () => {
    const body = bodyOf(100)
    const answer = await send(
      small.port,
      head('/g/soap', declared(body), expecting).replace('HTTP/1.1', 'HTTP/1.0') + body,
    )
    strictEqual(arrived('/g/soap', answer), 100)
  })

  test('a request without a body gets none', async () => {
    strictEqual((await send(small.port, head('/g/soap', expecting, 'Content-Length: 0'))).status, 200)
  })
})

describe('bodies that are broken', { concurrency: true }, () => {
  const broken: Record<string, string> = {
    'a chunk that is none': `${head('/g/soap', chunked)}xyz\r\n`,
    'a chunk that is longer than it says': `${head('/g/soap', chunked)}2\r\n{}}\r\n`,
    'a size beyond all measure': `${head('/g/soap', chunked)}fffffffffffffffffffff\r\n`,
    'an extension beyond all measure': `${head('/g/soap', chunked)}2;${'x'.repeat(20_000)}\r\n{}\r\n`,
    'a trailer that is none': `${head('/g/soap', chunked)}0\r\nnonsense\r\n\r\n`,
  }
  for (const [what, bytes] of Object.entries(broken)) {
    test(`${what} is malformed [S-errors.shape]`, async () => {
      const { status, text } = await send(small.port, bytes)
      deepStrictEqual([status, (JSON.parse(text) as { error: string }).error], [400, 'malformed_request'])
    })
  }

  for (const path of lanesOfCalls) {
    for (const size of [500, 500_000]) {
      test(`${path}: a client that leaves in the middle of ${size} bytes has one line and no answer [D1.7 D1.8]`, async () => {
        const known = usual.log.length
        const gone = (): number => usual.log.slice(known).filter(({ status }) => status === 499).length
        const wires = await Promise.all([Wire.open(usual.port), Wire.open(usual.port)])
        for (const wire of wires) wire.write(`${head(path, `Content-Length: ${size}`)}{}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
        wires[0]?.socket.destroy()
        wires[1]?.socket.resetAndDestroy()
        await until(() => gone() >= 2, 'two lines')
        strictEqual(usual.log.slice(known).filter(({ event }) => event !== 'request').length, 0)
      })
    }
  }

  test('a client that ends its side in the middle is not answered as if that were all [D1.7]', async () => {
    for (const path of lanesOfCalls) {
      for (const framing of ['Content-Length: 20', 'Content-Length: 200000', chunked]) {
        const wire = await Wire.open(usual.port)
        wire.write(head(path, framing) + (framing === chunked ? chunk('{}') : '{}'))
        wire.socket.end()
        await wire.closed
        ok(!wire.received.includes(' 200 '), wire.received)
        wire.socket.destroy()
      }
    }
  })

  for (const path of lanesOfCalls) {
    test(`${path}: a slow body arrives whole [D1.7]`, async () => {
      const wire = await Wire.open(usual.port)
      const body = bodyOf(100_000)
      wire.write(head(path, declared(body)))
      for (let i = 0; i < body.length; i += 10_000) {
        wire.write(body.slice(i, i + 10_000))
        await new Promise((resolve) => setTimeout(resolve, 40))
      }
      strictEqual(arrived(path, await wire.answer()), 100_000)
      wire.socket.destroy()
    })
  }
})
