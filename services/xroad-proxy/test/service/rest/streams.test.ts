/**
 * The REST lane in time: bodies that are too large, broken or slow, callers and upstreams that leave, connections that
 * are kept, shared and given up.
 */
import { deepStrictEqual, match, ok as isTrue, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { elapsed, errorOf, until } from '@services/testing'
import { exchange, head, open, readToEnd, rest, toAnswer } from '../../support/exchange.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { answering, ok, type Peer, type RawUpstream, startRaw } from '../../support/upstreams/raw-upstream.ts'

const cap = 100_000
const requestCap = 200_000
const mebibyte = 1024 * 1024
/** Stands in every body that must not reach the log. */
const secret = 'secret-of-a-body'
const dsl = { 'g/get.yml': rest('GET'), 'g/post.yml': rest('POST'), 'g/put.yml': rest('PUT') }

let upstream: RawUpstream
/** Small caps and a second for a call. */
let tight: Lanes
/** Room for all of it. */
let wide: Lanes
let idle: Promise<number>

before(async () => {
  idle = watchIdle()
  upstream = await startRaw()
  const server = { security_server: { url: upstream.url } }
  tight = await startLanes({
    dsl,
    config: {
      ...server,
      limits: { max_response_bytes: cap, max_request_bytes: requestCap, request_timeout_secs: 1 },
    },
  })
  wide = await startLanes({
    dsl,
    config: {
      ...server,
      limits: { max_response_bytes: 64 * mebibyte, max_request_bytes: 64 * mebibyte, request_timeout_secs: 40 },
    },
  })
})

after(async () => {
  await Promise.all([tight.close(), wide.close()])
  await until(() => upstream.open() === 0, 'no connection to the upstream is left')
  await upstream.close()
  strictEqual(JSON.stringify([tight.log, wide.log]).includes(secret), false)
})

function declared(length: number, body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body}`
}

function chunked(...chunks: readonly string[]): string {
  const marked = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${marked.join('')}`
}

const lastChunk = '0\r\n\r\n'

/** The connection that the newest call went over. */
function newest(): Peer {
  return upstream.peers.findLast((peer) => peer.received > 0) as Peer
}

/** Waits until the service has read what was written before. */
async function hasRead(lanes: Lanes): Promise<void> {
  await sleep(50)
  for (let i = 0; i < 3; i += 1) await exchange(lanes.port, head('GET', '/health'))
}

/** What follows the question mark of a request line. */
function nameIn(line: string): string {
  return decodeURIComponent(/\?(\S+)/.exec(line)?.[1] ?? '')
}

/** What the service says in its own words. */
function told(body: string): Record<string, unknown> {
  return JSON.parse(body) as Record<string, unknown>
}

describe('the cap on answers', () => {
  test('exactly the cap passes, declared and chunked [S-limit.max_response_bytes D4.4]', async () => {
    const body = 'x'.repeat(cap)
    for (const bytes of [declared(cap, body), chunked(body.slice(1), 'x') + lastChunk]) {
      upstream.serve = answering(bytes)
      const got = await exchange(tight.port, head('GET', '/g/get'))
      deepStrictEqual([got.status, got.isWhole, got.body.length], [200, true, cap])
    }
  })

  test('declared beyond the cap: 502 with the limit, at once, the connection torn down [S-error.upstream_body_too_large]', async () => {
    upstream.serve = answering(declared(cap + 1, 'x'))
    const got = await exchange(tight.port, head('GET', '/g/get'))
    const { message, ...fields } = told(got.body)
    deepStrictEqual([got.status, fields], [502, { error: 'upstream_body_too_large', limit: cap }])
    match(String(message), /larger than 100000 bytes/)
    await newest().closed
  })

  test('chunked beyond the cap: 502, also when it never ends [S-error.upstream_body_too_large]', async () => {
    upstream.serve = answering(chunked('x'.repeat(cap), 'y') + lastChunk)
    const got = await exchange(tight.port, head('GET', '/g/get'))
    deepStrictEqual([got.status, errorOf({ text: got.body })], [502, 'upstream_body_too_large'])
    await newest().closed
    const chunk = `${(cap / 10).toString(16)}\r\n${'x'.repeat(cap / 10)}\r\n`
    let sent = 0
    upstream.serve = async (peer) => {
      peer.write(chunked())
      // In few pieces: on a busy machine many would take longer than a call may.
      for (; !peer.isClosed; sent += cap / 10) {
        peer.write(chunk)
        await sleep(0)
      }
    }
    const endless = await exchange(tight.port, head('GET', '/g/get'))
    strictEqual(endless.status, 502)
    await newest().closed
    isTrue(sent < 50 * cap, `${sent} bytes`)
  })

  test('an answer that ends with its connection counts as well [S-error.upstream_body_too_large]', async () => {
    upstream.serve = (peer) => {
      peer.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(cap + 1)}`)
      peer.socket.end()
    }
    strictEqual((await exchange(tight.port, head('GET', '/g/get'))).status, 502)
  })

  test('an answer of 1 MB that is declared larger than 2^53 is refused [S-limit.wire]', async () => {
    upstream.serve = answering('HTTP/1.1 200 OK\r\nContent-Length: 9007199254740993\r\n\r\nx')
    strictEqual((await exchange(tight.port, head('GET', '/g/get'))).status, 502)
  })
})

describe('answers that break off', () => {
  const body = `${secret}${'x'.repeat(50_000)}`
  const ends: Readonly<Record<string, (peer: Peer) => void>> = {
    'an orderly end': (peer) => peer.socket.end(),
    'a broken connection': (peer) => peer.socket.destroy(),
    'a reset': (peer) => peer.reset(),
  }
  for (const [name, end] of Object.entries(ends)) {
    test(`declared, ${name} in the middle: the caller sees a broken answer [D4.5]`, async () => {
      upstream.serve = answering(declared(body.length + 1, body))
      const socket = await open(wide.port)
      // A connection that would be kept: only its end tells that the rest is missing.
      socket.write('GET /g/get HTTP/1.1\r\nHost: x\r\n\r\n')
      await once(socket, 'readable')
      const answer = readToEnd(socket)
      end(newest())
      const got = toAnswer(await answer)
      deepStrictEqual([got.status, got.isWhole, got.all('content-length')], [200, false, [String(body.length + 1)]])
      strictEqual(wide.log.at(-1)?.['error'], 'internal_error')
    })

    test(`declared, ${name} before the first byte of the body: 500 in words [D4.5 D2.6]`, async () => {
      upstream.serve = async (peer) => {
        peer.write(declared(3, ''))
        await sleep(20)
        end(peer)
      }
      const got = await exchange(wide.port, head('GET', '/g/get'))
      deepStrictEqual([got.status, errorOf({ text: got.body })], [500, 'internal_error'])
    })

    test(`chunked, ${name} before its end: never a whole answer [D4.5 D2.6]`, async () => {
      upstream.serve = async (peer) => {
        peer.write(chunked(body))
        await sleep(20)
        end(peer)
      }
      const got = await exchange(wide.port, head('GET', '/g/get'))
      deepStrictEqual([got.status, errorOf({ text: got.body })], [500, 'internal_error'])
    })
  }

  test('an answer that ends with its connection, and the connection is reset: never a whole answer [D4.5]', async () => {
    upstream.serve = async (peer) => {
      peer.write(`HTTP/1.1 200 OK\r\n\r\n${body}`)
      await sleep(20)
      peer.reset()
    }
    const got = await exchange(wide.port, head('GET', '/g/get'))
    deepStrictEqual([got.status, errorOf({ text: got.body })], [500, 'internal_error'])
  })

  test('longer than declared: the rest is no answer to the next call [D4.5]', async () => {
    const known = upstream.peers.length
    upstream.serve = answering(`${declared(3, 'abc')}${ok('smuggled')}`)
    strictEqual((await exchange(wide.port, head('GET', '/g/get'))).body, 'abc')
    upstream.serve = answering(ok('own'))
    strictEqual((await exchange(wide.port, head('GET', '/g/get'))).body, 'own')
    isTrue(upstream.peers.length > known)
  })
})

describe('the clock', () => {
  const stalls: Readonly<Record<string, string>> = {
    'no answer at all': '',
    'half of the head': 'HTTP/1.1 200 OK\r\nX-Half',
    'the head alone': declared(10, ''),
    'a chunked body without end': chunked(secret),
    'a body that ends with its connection': `HTTP/1.1 200 OK\r\n\r\n${secret}`,
    'informational answers only': 'HTTP/1.1 102 Processing\r\n\r\n',
  }
  describe('what stalls', { concurrency: true }, () => {
    const peers = new Map<string, Peer>()
    before(() => {
      upstream.serve = (peer, { line }) => {
        const name = nameIn(line)
        peers.set(name, peer)
        peer.write(stalls[name] as string)
        return peer.closed
      }
    })
    for (const name of Object.keys(stalls)) {
      test(`${name}: 504 within the second [S-error.upstream_timeout S-limit.request_timeout_secs D2.6]`, async () => {
        const since = elapsed()
        const got = await exchange(tight.port, head('GET', `/g/get?${encodeURIComponent(name)}`))
        const took = since()
        deepStrictEqual([got.status, errorOf({ text: got.body })], [504, 'upstream_timeout'])
        isTrue(took > 900 && took < 5000, `${took} ms`)
        await peers.get(name)?.closed
      })
    }
  })

  test('an answer that has begun and stalls or trickles is broken off [S-error.upstream_timeout D2.6 D4.5]', async () => {
    upstream.serve = answering(declared(10, 'abc'))
    const since = elapsed()
    const got = await exchange(tight.port, head('GET', '/g/get'))
    deepStrictEqual([got.status, got.body, got.isWhole], [200, 'abc', false])
    isTrue(since() < 5000)
    deepStrictEqual([tight.log.at(-1)?.['status'], tight.log.at(-1)?.['error']], [200, 'upstream_timeout'])
    upstream.serve = async (peer) => {
      for (peer.write(declared(1000, '')); !peer.isClosed; await sleep(50)) peer.write('x')
    }
    const trickled = await exchange(tight.port, head('GET', '/g/get'))
    deepStrictEqual([trickled.status, trickled.isWhole], [200, false])
  })

  test('a connection that never completes: 504 [S-error.upstream_timeout D2.6]', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined).resume()))
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const url = `https://127.0.0.1:${(silent.address() as { port: number }).port}`
    const lanes = await startLanes({
      dsl,
      config: { security_server: { url }, limits: { request_timeout_secs: 1 } },
    })
    const since = elapsed()
    const got = await exchange(lanes.port, head('GET', '/g/get'))
    deepStrictEqual([got.status, errorOf({ text: got.body })], [504, 'upstream_timeout'])
    isTrue(since() < 5000)
    await lanes.close()
    await until(() => sockets.every(({ destroyed }) => destroyed), 'the service gives the connection up')
    silent.close()
  })

  test('an upload that the upstream does not take: 504 reaches who writes first [S-error.upstream_timeout]', async () => {
    upstream.serve = (peer) => {
      peer.socket.pause()
      return peer.closed
    }
    const socket = await open(tight.port)
    const answer = readToEnd(socket)
    const size = requestCap
    socket.write(head('POST', '/g/post', `Content-Length: ${size}\r\n`))
    for (let sent = 0; sent < size; sent += 20_000) {
      socket.write('x'.repeat(20_000))
      await sleep(150)
    }
    strictEqual(toAnswer(await answer).status, 504)
    newest().socket.resume()
  })
})

describe('callers that leave', () => {
  test('before the head of the answer: the call is aborted [D4.5]', async () => {
    const asked = Promise.withResolvers<Peer>()
    upstream.serve = (peer) => asked.resolve(peer)
    const socket = await open(wide.port)
    socket.write(head('GET', '/g/get'))
    const peer = await asked.promise
    socket.destroy()
    await peer.closed
    await until(() => wide.log.at(-1)?.['status'] === 499, 'the line in the log')
    strictEqual(wide.log.at(-1)?.['error'], undefined)
  })

  test('during the body of the answer: the call is aborted [D4.5]', async () => {
    upstream.serve = answering(declared(1000, 'some'))
    const socket = await open(wide.port)
    socket.write(head('GET', '/g/get'))
    await once(socket, 'data')
    socket.destroy()
    await newest().closed
  })

  test('during their upload: the call is aborted, or never made [D4.5]', async () => {
    const asked = Promise.withResolvers<Peer>()
    upstream.serve = async (peer, request) => {
      asked.resolve(peer)
      await request.body()
    }
    const socket = await open(wide.port)
    socket.write(`${head('POST', '/g/post', 'Content-Length: 1000000\r\n')}${'x'.repeat(100_000)}`)
    const peer = await asked.promise
    socket.destroy()
    await peer.closed
    const known = upstream.requests.length
    const small = await open(wide.port)
    // In chunks, so that it is a request before its body is there: a small one of known length begins when it is whole.
    small.write(`${head('POST', '/g/post', 'Transfer-Encoding: chunked\r\n')}3\r\nabc\r\n`)
    await hasRead(wide)
    small.destroy()
    await until(() => wide.log.at(-1)?.['status'] === 499, 'the line in the log')
    strictEqual(upstream.requests.length, known)
  })

  test('with requests in a row on one connection: every call is aborted [D4.5]', async () => {
    const peers: Peer[] = []
    upstream.serve = (peer) => {
      peers.push(peer)
      return peer.closed
    }
    const socket = await open(wide.port)
    socket.write('GET /g/get HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3))
    await until(() => peers.length === 3, 'three calls')
    socket.destroy()
    await Promise.all(peers.map(({ closed }) => closed))
  })
})

describe('uploads', () => {
  test('a large body of declared length arrives while it is sent [S-endpoint.rest]', async () => {
    const size = 10 * mebibyte
    const socket = await open(wide.port)
    upstream.serve = async (peer, request) => {
      const length = (await request.body()).length
      peer.write(ok(String(length)))
    }
    const known = upstream.requests.length
    socket.write(head('PUT', '/g/put', `Content-Length: ${size}\r\n`))
    const half = Buffer.alloc(size / 2, 'x')
    socket.write(half)
    await until(() => upstream.requests.length > known && newest().received > size / 4, 'the first half has arrived')
    socket.write(half)
    const got = toAnswer(await readToEnd(socket))
    deepStrictEqual([got.status, got.body], [200, String(size)])
    deepStrictEqual(upstream.requests.at(-1)?.all('content-length'), [String(size)])
  })

  test('exactly the cap passes, one more is 413 before anything is sent [D1.7 S-limit.max_request_bytes]', async () => {
    upstream.serve = async (peer, request) => peer.write(ok(String((await request.body()).length)))
    const send = (size: number, isChunked: boolean): string =>
      isChunked
        ? `${head('POST', '/g/post', 'Transfer-Encoding: chunked\r\n')}${size.toString(16)}\r\n${'x'.repeat(size)}\r\n${lastChunk}`
        : head('POST', '/g/post', `Content-Length: ${size}\r\n`) + 'x'.repeat(size)
    for (const isChunked of [false, true]) {
      strictEqual((await exchange(tight.port, send(requestCap, isChunked))).body, String(requestCap))
      const known = upstream.requests.length
      const got = await exchange(tight.port, send(requestCap + 1, isChunked))
      const { message, ...fields } = told(got.body)
      deepStrictEqual([got.status, fields], [413, { error: 'request_too_large', limit: requestCap }])
      strictEqual(typeof message, 'string')
      strictEqual(upstream.requests.length, known)
    }
  })

  test('a slow upstream slows the caller down [S-endpoint.rest]', async () => {
    const asked = Promise.withResolvers<Peer>()
    upstream.serve = async (peer, request) => {
      peer.socket.pause()
      asked.resolve(peer)
      peer.write(ok(String((await request.body()).length)))
    }
    const size = 48 * mebibyte
    const socket = await open(wide.port)
    const answer = readToEnd(socket)
    socket.write(head('PUT', '/g/put', `Content-Length: ${size}\r\n`))
    socket.write(Buffer.alloc(size, 'x'))
    const peer = await asked.promise
    await settled(() => socket.bytesWritten - socket.writableLength)
    // What is on its way stands in the buffers of two connections.
    isTrue(socket.writableLength > mebibyte, `${socket.writableLength} bytes wait`)
    peer.socket.resume()
    strictEqual(toAnswer(await answer).body, String(size))
  })

  test('an upstream that breaks off during the upload: 500 reaches who writes first [D2.6 S-error.internal_error]', async () => {
    for (const end of ['reset', 'end'] as const) {
      upstream.serve = async (peer) => {
        await sleep(30)
        if (end === 'reset') peer.reset()
        else peer.socket.destroy()
      }
      const got = toAnswer(await writeAll(head('PUT', '/g/put', `Content-Length: ${size}\r\n`)))
      deepStrictEqual([got.status, errorOf({ text: got.body })], [500, 'internal_error'])
    }
  })
})

const size = 4 * mebibyte

/** Writes head and body to their end before it reads anything. */
async function writeAll(bytes: string, { port } = wide): Promise<string> {
  const socket = await open(port)
  await new Promise<void>((resolve) => {
    socket.write(bytes)
    socket.write(Buffer.alloc(size, 'x'), () => resolve())
  })
  return readToEnd(socket)
}

describe('answers before the upload has ended', { concurrency: true }, () => {
  const answers: Readonly<Record<string, string>> = {
    declared: ok('early'),
    chunked: chunked('early') + lastChunk,
    redirect: ok('early').replace('200 OK', '307 Elsewhere'),
    closing: ok('early', 'Connection: close\r\n').replace('200 OK', '413 Too Large'),
  }
  before(() => {
    upstream.serve = (peer, { line }) => {
      peer.write(answers[nameIn(line)] ?? ok('late'))
      if (nameIn(line) === 'closing') peer.socket.end()
      return line.startsWith('PUT') ? peer.closed : undefined
    }
  })

  for (const name of Object.keys(answers)) {
    const request = head('PUT', `/g/put?${name}`, `Content-Length: ${size}\r\n`)

    test(`${name}: whole for a caller that writes all before it reads [S-endpoint.rest]`, async () => {
      const got = toAnswer(await writeAll(request))
      deepStrictEqual([got.body, got.isWhole], ['early', true])
    })

    test(`${name}: whole for a caller that never ends its upload [S-endpoint.rest]`, async () => {
      const socket = await open(wide.port)
      socket.write(request + 'x'.repeat(70_000))
      const got = toAnswer(await readToEnd(socket))
      deepStrictEqual([got.body, got.isWhole], ['early', true])
    })

    test(`${name}: the rest of the upload is dropped and the next request answered [S-endpoint.rest]`, async () => {
      const known = upstream.requests.length
      const socket = await open(wide.port)
      socket.write(`PUT /g/put?${name} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(70_000)}`)
      const [early] = (await once(socket, 'data')) as [Buffer]
      match(early.toString(), /early/)
      socket.write('x'.repeat(1_000_000 - 70_000) + head('GET', '/g/get'))
      const rest = await readToEnd(socket)
      match(rest, /late$/)
      strictEqual(upstream.requests.slice(known).filter(({ line }) => line.includes(name)).length < 4, true)
    })
  }

  for (const connection of ['close', 'keep-alive']) {
    test(`413 reaches who writes all before it reads (Connection: ${connection}) [D1.7 S-error.request_too_large]`, async () => {
      const headers = `Host: x\r\nConnection: ${connection}\r\nContent-Length: ${size}\r\n`
      const got = toAnswer(await writeAll(`POST /g/post HTTP/1.1\r\n${headers}\r\n`, tight))
      deepStrictEqual([got.status, got.isWhole, got.all('connection')], [413, true, ['close']])
    })
  }

  test('a chunked upload without end is 413 at the cap [D1.7]', async () => {
    const posts = upstream.requests.filter(({ line }) => line.startsWith('POST')).length
    const socket = await open(tight.port)
    const answer = readToEnd(socket)
    // A connection that would be kept.
    socket.write('POST /g/post HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    while (!socket.destroyed && socket.writable && !socket.readableEnded) {
      socket.write(`2710\r\n${'x'.repeat(10_000)}\r\n`)
      await sleep(10)
    }
    const got = toAnswer(await answer)
    deepStrictEqual([got.status, got.all('connection')], [413, ['close']])
    strictEqual(upstream.requests.filter(({ line }) => line.startsWith('POST')).length, posts)
  })
})

/** Waits until a count stands still. */
async function settled(count: () => number): Promise<number> {
  for (let last = -1; ;) {
    const now = count()
    if (now === last && now > 0) return now
    last = now
    await sleep(300)
  }
}

describe('slow callers', () => {
  for (const fate of ['kept', 'closed'] as const) {
    test(`a caller that does not read stops the upstream, and gets all of it later (${fate} connection) [S-pass.1 D4.4]`, async () => {
      const size = 50 * mebibyte
      const piece = Buffer.alloc(mebibyte / 4, 'x')
      let written = 0
      upstream.serve = async ({ socket }) => {
        socket.write(ok('', fate === 'closed' ? 'Connection: close\r\n' : '').replace('Length: 0', `Length: ${size}`))
        for (; written < size && !socket.destroyed; written += piece.length) {
          if (!socket.write(piece)) await once(socket, 'drain')
        }
        if (fate === 'closed') socket.end()
      }
      const socket = await open(wide.port)
      socket.write(head('GET', '/g/get'))
      await once(socket, 'readable')
      const stalled = await settled(() => written)
      isTrue(stalled < size - mebibyte, `${stalled} bytes have left the upstream`)
      let received = 0
      socket.on('data', (chunk: Buffer) => (received += chunk.length))
      await once(socket, 'end')
      isTrue(received > size && received < size + 1000, `${received} bytes`)
      socket.destroy()
    })
  }

  test('the upstream is reset while the caller does not read: the answer is broken [D4.5]', async () => {
    const size = 50 * mebibyte
    upstream.serve = ({ socket }) => void socket.write(declared(size, 'x'.repeat(size)))
    const socket = await open(wide.port)
    socket.write(head('GET', '/g/get'))
    await once(socket, 'readable')
    await sleep(300)
    newest().reset()
    strictEqual(toAnswer(await readToEnd(socket)).isWhole, false)
  })
})

describe('hostile upstreams', () => {
  test('answers with damaged bytes: none is a crash, the next call works [S-error.internal_error D4.5]', async () => {
    const templates = [
      ok('x'.repeat(200), 'Set-Cookie: a=1\r\nX-Road-Error: e\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\n'),
      chunked('a'.repeat(20), 'b'.repeat(300), secret) + lastChunk,
      `HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${ok('after', 'Connection: close\r\n')}`,
    ]
    const damaged = Array.from({ length: 300 }, (_, i) => damage(templates[i % templates.length] as string, i))
    const used: Peer[] = []
    upstream.serve = async (peer, { line }) => {
      used.push(peer)
      peer.write(damaged[Number(nameIn(line))] as string)
      await sleep(50)
      peer.socket.end()
    }
    const known = tight.log.length
    const got = await Promise.all(damaged.map((_, i) => exchange(tight.port, head('GET', `/g/get?${i}`))))
    const errors = got.filter(({ status, body }) => status === 500 && !body.includes('"error":"internal_error"'))
    deepStrictEqual(errors, [])
    isTrue(got.filter(({ status }) => status === 500).length > 30, 'some are refused')
    isTrue(got.filter(({ status, isWhole }) => status === 200 && isWhole).length > 30, 'some pass')
    deepStrictEqual(
      tight.log.slice(known).filter(({ event }) => event === 'internalError'),
      [],
    )
    await until(() => used.every(({ isClosed }) => isClosed), 'what the upstream has closed is closed')
    upstream.serve = answering(ok('sound'))
    strictEqual((await exchange(tight.port, head('GET', '/g/get'))).body, 'sound')
  })
})

/** Some bytes of the text replaced, the same with every run. */
function damage(text: string, seed: number): string {
  const bytes = Buffer.from(text, 'latin1')
  let state = seed * 2654435761 + 1
  const next = (): number => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff)
  for (let i = 0; i < 1 + (seed % 3); i += 1) bytes[(next() >> 8) % bytes.length] = next() >> 12
  return bytes.toString('latin1')
}

describe('connections', () => {
  let lanes: Lanes

  before(async () => {
    lanes = await startLanes({
      dsl,
      config: { security_server: { url: upstream.url }, limits: { request_timeout_secs: 10 } },
    })
  })

  after(() => lanes.close())

  test('50 calls one after the other share one connection, the next connection resumes the session [D2.8]', async () => {
    upstream.serve = answering(ok())
    const known = upstream.peers.length
    for (let i = 0; i < 50; i += 1) strictEqual((await exchange(lanes.port, head('GET', '/g/get'))).status, 200)
    strictEqual(upstream.peers.length, known + 1)
    newest().socket.end()
    await newest().closed
    strictEqual((await exchange(lanes.port, head('GET', '/g/get'))).status, 200)
    strictEqual(upstream.peers.length, known + 2)
    strictEqual(newest().socket.isSessionReused(), true)
    strictEqual(newest().socket.authorized, true)
  })

  test('an upstream that closes after each answer costs no call [D2.8]', async () => {
    upstream.serve = async (peer, request) => {
      await request.body()
      peer.write(ok())
      peer.socket.end()
    }
    for (let i = 0; i < 20; i += 1) strictEqual((await exchange(lanes.port, head('GET', '/g/get'))).status, 200)
    upstream.serve = async (peer, request) => {
      await request.body()
      peer.write(ok('ok', 'Connection: close\r\n'))
      peer.socket.end()
    }
    for (let i = 0; i < 20; i += 1) strictEqual((await exchange(lanes.port, head('GET', '/g/get'))).status, 200)
  })

  for (const method of ['get', 'post']) {
    test(`a connection that breaks under a ${method}: an error in words, never sent twice, the next call works [D2.8 D2.6]`, async () => {
      const path = `/g/${method}`
      const request = head(method.toUpperCase(), path, method === 'post' ? 'Content-Length: 0\r\n' : '')
      for (const end of ['end', 'destroy', 'reset'] as const) {
        upstream.serve = answering(ok())
        strictEqual((await exchange(lanes.port, request)).status, 200)
        const known = upstream.requests.length
        upstream.serve = (peer) => {
          if (end === 'reset') peer.reset()
          else peer.socket[end]()
        }
        const got = await exchange(lanes.port, request)
        deepStrictEqual([got.status, errorOf({ text: got.body })], [500, 'internal_error'])
        match(String(told(got.body)['message']), /closed the connection|broke the connection off/)
        await sleep(50)
        strictEqual(upstream.requests.length, known + 1)
        upstream.serve = answering(ok())
        strictEqual((await exchange(lanes.port, request)).status, 200)
      }
    })
  }

  test('300 calls at once are all answered [S-endpoint.rest]', async () => {
    upstream.serve = async (peer, request) => {
      await sleep(20)
      peer.write(ok(/\?(\d+)/.exec(request.line)?.[1]))
    }
    const numbers = Array.from({ length: 300 }, (_, i) => String(i))
    const got = await Promise.all(numbers.map((i) => exchange(lanes.port, head('GET', `/g/get?${i}`))))
    deepStrictEqual(
      got.map(({ body }) => body),
      numbers,
    )
  })

  test('more calls than connections wait; who leaves while waiting costs no connection [S-endpoint.rest D4.5]', async () => {
    const other = await startLanes({
      dsl,
      config: { security_server: { url: upstream.url }, limits: { request_timeout_secs: 30 } },
    })
    const known = upstream.peers.length
    const gate = Promise.withResolvers<void>()
    let asked = 0
    upstream.serve = async (peer) => {
      asked += 1
      await gate.promise
      peer.write(ok())
    }
    const calls = Array.from({ length: 256 }, () => exchange(other.port, head('GET', '/g/get')))
    await until(() => asked === 256, 'every connection is taken')
    const leaving = await Promise.all(Array.from({ length: 20 }, () => open(other.port)))
    for (const socket of leaving) socket.write(head('GET', '/g/get'))
    const waiting = Array.from({ length: 20 }, () => exchange(other.port, head('GET', '/g/get')))
    await hasRead(other)
    for (const socket of leaving) socket.destroy()
    await until(() => other.log.filter(({ status }) => status === 499).length === 20, 'they have left')
    gate.resolve()
    const statuses = (await Promise.all([...calls, ...waiting])).map(({ status }) => status)
    deepStrictEqual([...new Set(statuses)], [200])
    deepStrictEqual([asked, upstream.peers.length - known], [276, 256])
    strictEqual(upstream.peers.slice(known).filter(({ isClosed }) => isClosed).length, 0)
    await other.close()
  })

  test('who leaves while the connection is being made leaves it to the next call [D4.5 D2.8]', async () => {
    const gate = Promise.withResolvers<void>()
    let accepted = 0
    const relay = createServer((socket) => {
      accepted += 1
      socket.on('error', () => undefined)
      void gate.promise.then(() => {
        const onward = connect({ port: upstream.port, host: '127.0.0.1' }).on('error', () => undefined)
        socket.pipe(onward).pipe(socket)
      })
    })
    await once(relay.listen(0, '127.0.0.1'), 'listening')
    const url = `https://127.0.0.1:${(relay.address() as { port: number }).port}`
    const other = await startLanes({ dsl, config: { security_server: { url } } })
    upstream.serve = answering(ok())
    const known = upstream.peers.length
    const asked = upstream.requests.length
    const socket = await open(other.port)
    socket.write(head('GET', '/g/get'))
    await until(() => accepted === 1, 'the service connects')
    socket.destroy()
    await until(() => other.log.at(-1)?.['status'] === 499, 'the caller has left')
    gate.resolve()
    await until(() => upstream.peers.length > known, 'the connection is there')
    await sleep(50)
    strictEqual((await exchange(other.port, head('GET', '/g/get'))).status, 200)
    deepStrictEqual([upstream.peers.length - known, upstream.requests.length - asked, accepted], [1, 1, 1])
    await other.close()
    relay.close()
  })

  test('who waits for a connection is timed as well [S-error.upstream_timeout]', async () => {
    upstream.serve = (peer) => peer.closed
    const got = await Promise.all(Array.from({ length: 300 }, () => exchange(tight.port, head('GET', '/g/get'))))
    deepStrictEqual([...new Set(got.map(({ status }) => status))], [504])
    upstream.serve = answering(ok())
    strictEqual((await exchange(tight.port, head('GET', '/g/get'))).status, 200)
  })

  test('an idle connection is closed by us after 20 s, not earlier [D2.8]', async () => {
    const idleMs = await idle
    isTrue(idleMs > 19_000 && idleMs < 26_000, `${idleMs} ms`)
  })
})

/** How long an idle connection is kept, with an upstream of its own, while the other tests run. */
async function watchIdle(): Promise<number> {
  const raw = await startRaw(answering(ok()))
  const lanes = await startLanes({ dsl, config: { security_server: { url: raw.url } } })
  await exchange(lanes.port, head('GET', '/g/get'))
  const since = elapsed()
  await raw.peers[0]?.closed
  const took = since()
  await lanes.close()
  await raw.close()
  return took
}
