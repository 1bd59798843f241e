/**
 * Plain requests are answered alike whether they are read here or by Node.js: the same bytes on the wire, for every
 * kind of answer, in every order, and however the connection ends. Real sockets; only the date is masked.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type ConnectionLimits, type Exchange, type Refusal, type Shell, startShell } from '@services/http-shell'
import { compareReaders, randomRequest, withLines } from '@services/http-shell/testing'
import { randomFrom, until } from '@services/testing'

const seed = Number(process.env['READERS_SEED'] ?? 20_261_122)
const closing = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

function get(path: string, method = 'GET'): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
}

function post(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** A path for each way to answer. */
const answers: Readonly<Record<string, (exchange: Exchange) => void>> = {
  '/text': (exchange) => exchange.send(200, { 'content-type': 'text/plain', vary: 'Origin' }, 'text'),
  '/letters': (exchange) => exchange.send(200, { 'x-number': 7 }, 'p\u00e4ring \u2028 \u{1f600}'),
  '/bytes': (exchange) => exchange.send(200, {}, Buffer.from([0, 1, 127, 128, 255])),
  '/empty': (exchange) => exchange.send(200, {}, ''),
  '/copied': (exchange) => exchange.send(200, {}, Buffer.alloc(16 * 1024, 'c')),
  '/own': (exchange) => exchange.send(200, {}, Buffer.alloc(16 * 1024 + 1, 'd')),
  '/long': (exchange) => exchange.send(200, {}, Buffer.alloc(1_000_000, 'e')),
  '/long-text': (exchange) => exchange.send(200, {}, 'f\u00e4'.repeat(100_000)),
  '/array': (exchange) => exchange.send(200, {}, new Uint8Array([65, 66])),
  '/gone': (exchange) => exchange.send(204, { date: 'never' }, ''),
  '/unchanged': (exchange) => exchange.send(304, { etag: '"x"' }, ''),
  '/none': (exchange) => exchange.send(404, {}, 'none'),
  '/strange': (exchange) => exchange.send(299, {}, 'strange'),
  '/closes': (exchange) => exchange.send(413, {}, 'too large', { close: true }),
  '/twice': (exchange) => {
    exchange.send(200, {}, 'once')
    exchange.send(500, {}, 'twice')
    exchange.end()
  },
  '/pieces': (exchange) => {
    exchange.begin(200, { 'content-type': 'x' })
    exchange.write('one', () => undefined)
    exchange.write('', () => undefined)
    exchange.write(Buffer.alloc(20_000, '2'), () => undefined)
    exchange.write('p\u00e4ring', () => undefined)
    exchange.end(Buffer.from('end'))
  },
  '/no-pieces': (exchange) => {
    exchange.begin(200, { 'content-type': 'x' })
    exchange.end()
  },
  '/declared': (exchange) => {
    exchange.begin(200, { 'Content-Length': 6 })
    exchange.write('one', () => undefined)
    exchange.end(Buffer.from('two'))
  },
  '/preflight': (exchange) => {
    exchange.begin(204, { vary: 'Origin' })
    exchange.end()
  },
  '/raw': (exchange) => {
    exchange.begin(
      200,
      ['X-a', '1', 'x-A', '2', 'Content-Length', '3', 'X-B', '\u00e4\u00ff', 'Date', 'then'],
      'Very \u00e4 fine',
    )
    exchange.end(Buffer.from('raw'))
  },
  '/raw-chunked': (exchange) => {
    exchange.begin(502, ['X-a', '1'], 'a\nb')
    exchange.write(Buffer.from('raw'), () => undefined)
    exchange.end()
  },
  '/later': (exchange) => void setTimeout(() => exchange.send(200, {}, 'later'), 20),
  '/pieces-later': (exchange) => {
    exchange.begin(200, {})
    setTimeout(() => {
      exchange.write('one', () => undefined)
      setTimeout(() => exchange.end(Buffer.from('two')), 20)
    }, 5)
  },
  '/state': (exchange) => {
    const state = (): string => [exchange.isOpen, exchange.hasBegun, exchange.status, exchange.leaving].join()
    const before = state()
    exchange.begin(201, {})
    exchange.end(Buffer.from(`${before} ${state()}`))
  },
}

/** Tells what the service sees of the request. */
async function echo(exchange: Exchange): Promise<void> {
  const { method, target, rawHeaders, headers, length } = exchange
  try {
    const chunks: Uint8Array[] = []
    if (target.length % 2 === 0) chunks.push(await exchange.collect(1000))
    else for await (const chunk of exchange.stream()) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('latin1')
    exchange.send(200, {}, JSON.stringify({ method, target, rawHeaders, headers, length, body }))
  } catch {
    // The shell answers what is not a body.
  }
}

function handle(exchange: Exchange): void {
  const path = exchange.target.split('?', 1)[0] as string
  const answer = answers[path]
  if (answer === undefined) void echo(exchange)
  else answer(exchange)
}

/** Not what else is known: with Node.js, letters of a body are taken for those of the method behind it. */
function refuse({ reason }: Refusal) {
  return { status: reason === 'timeout' ? 408 : 400, body: '{}' }
}

function start(fastReader: boolean, limits: Partial<ConnectionLimits> = {}, handler = handle): Promise<Shell> {
  return startShell({ host: '127.0.0.1', port: 0, fastReader, limits, handle: handler, refuse })
}

/** Everything that comes back, until the server has ended the connection. */
async function converse(port: number, pieces: readonly string[], isHalfClosed = false): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => undefined)
  const ended = new Promise<unknown>((resolve) => socket.on('end', resolve).on('close', resolve))
  await once(socket, 'connect')
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece, 'latin1')
    await new Promise(setImmediate)
  }
  if (isHalfClosed) socket.end()
  await ended
  socket.destroy()
  return toComparable(Buffer.concat(chunks).toString('latin1'))
}

/** Without the date. How a body is cut into chunks means nothing; what is long is told by its length. */
function toComparable(received: string): string {
  let text = ''
  for (let rest = received; rest !== '';) {
    const [head = '', status] = /^HTTP\/1\.1 (\d{3}) .*?\r\n\r\n/s.exec(rest) ?? []
    if (head === '') return `${text}no answer: ${rest.slice(0, 1000)}`
    text += head.replace(/\r\nDate: \w{3}, [^\r]+ GMT\r\n/, '\r\nDate: masked\r\n')
    rest = rest.slice(head.length)
    if (head.includes('\r\nTransfer-Encoding: chunked\r\n') && status !== '102') {
      const [body, sizes] = readChunks(rest)
      text += `${body} in chunks`
      rest = rest.slice(sizes.length)
    }
    const next = rest.search(/HTTP\/1\.1 \d{3} /)
    const body = next < 0 ? rest : rest.slice(0, next)
    text +=
      body.length > 2000 ? `${body.length} bytes, ${createHash('sha256').update(body, 'latin1').digest('hex')}` : body
    rest = rest.slice(body.length)
  }
  return text
}

/** The body, and all that it was made of. */
function readChunks(text: string): [body: string, read: string] {
  let body = ''
  let at = 0
  for (;;) {
    const [line = '', size = ''] = /^([0-9a-f]+)\r\n/.exec(text.slice(at, at + 20)) ?? []
    const length = Number.parseInt(size, 16)
    // An answer to HEAD has none.
    if (line === '') return [body, text.slice(0, at)]
    body += text.slice(at + line.length, at + line.length + length)
    at += line.length + length + 2
    if (length === 0) return [`${body} and an end`, text.slice(0, at)]
  }
}

let shells: readonly Shell[]

before(async () => {
  shells = [await start(false), await start(true)]
})
after(() => Promise.all(shells.map((shell) => shell.close())))

async function compare(pieces: readonly string[], isHalfClosed = false): Promise<string> {
  const [byNode = '', here] = await Promise.all(shells.map(({ port }) => converse(port, pieces, isHalfClosed)))
  strictEqual(here, byNode, JSON.stringify(pieces).slice(0, 5000))
  return byNode
}

describe('an answer has the same bytes', { concurrency: 4 }, () => {
  for (const path of Object.keys(answers)) {
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      test(`${method} ${path}`, async () => {
        match(await compare([get(path, method) + closing]), /^HTTP\/1\.1 \d{3} /)
        await compare([get(path, method).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')])
        await compare([post(path, 'body') + get('/text'), get(path, method) + post(path, '') + closing])
        await compare([get(path, method)], true)
      })
    }
  }

  test('all of them on one connection, ready in any order', async () => {
    const paths = Object.keys(answers).filter((path) => path !== '/closes')
    await compare([paths.map((path) => get(path)).join('') + closing])
    await compare([
      get('/later') +
        paths
          .toReversed()
          .map((path) => get(path))
          .join('') +
        closing,
    ])
    await compare(paths.flatMap((path) => [get('/pieces-later') + get(path)]).concat(closing))
  })

  test('what follows the last request is dropped', async () => {
    for (const path of ['/text', '/later']) {
      await compare([get(path).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n') + get('/text')])
    }
  })
})

test(`whatever the reader takes, Node.js takes alike (seed ${seed})`, async () => {
  const { requests, taken } = await compareReaders(10_000, seed)
  ok(taken > requests / 2, `${taken} of ${requests} are plain`)
})

test(`random requests, cut anywhere, are answered alike (seed ${seed})`, async () => {
  const random = randomFrom(seed)
  const atOnce = 10
  for (let count = 0; count < 400; count += atOnce) {
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        const requests = Array.from({ length: 1 + Math.floor(random() * 5) }, () => randomRequest(random)).join('')
        const pieces: string[] = []
        for (let at = 0; at < requests.length;) {
          const size = random() < 0.5 ? requests.length : 1 + Math.floor(random() * 100)
          pieces.push(requests.slice(at, at + size))
          at += size
        }
        await compare(pieces, true)
      }),
    )
  }
})

const wish = (wanted: string, protocol: string): string => `Connection: ${wanted}\r\nUpgrade: ${protocol}\r\n`

describe('a wish for another protocol is passed over [S6]', () => {
  for (const wished of [
    `${wish('Upgrade, HTTP2-Settings', 'h2c')}HTTP2-Settings: AAMAAABkAAQ\r\n`,
    wish('keep-alive, Upgrade', 'websocket'),
    wish('Upgrade', 'a/1, b'),
  ]) {
    for (const reader of [0, 1]) {
      test(`also with a body, and the connection stays: ${wished.replaceAll('\r\n', ' ')}, reader ${reader}`, async () => {
        const asked = withLines(post('/echo', 'body'), wished)
        const settings = /HTTP2-Settings: \S+/.exec(wished)?.[0] ?? ''
        const received = await converse(shells[reader]?.port as number, [asked + asked + get('/text') + closing])
        strictEqual(received.split('HTTP/1.1 200 OK').length, 5, received)
        strictEqual(received.split('"body":"body"').length, 3)
        strictEqual(received.includes('"upgrade":'), false)
        strictEqual(received.includes('AAMAAABkAAQ'), settings !== '')
      })
    }
  }

  test('a protocol that no connection wishes, and a wish without a protocol, are headers like others', async () => {
    for (const lines of ['Upgrade: h2c\r\n', 'Connection: Upgrade\r\n', 'Connection: Upgrade, x\r\nX: y\r\n']) {
      await compare([withLines(post('/echo', 'body'), lines) + closing])
    }
  })
})

test('answers that are ready in one turn are one write', async (t) => {
  const write = t.mock.method(Socket.prototype, 'write')
  await converse(shells[1]?.port as number, [get('/text').repeat(3) + get('/later').repeat(3), closing])
  const writes = write.mock.calls.filter((call) => (call.this as Socket).localPort === shells[1]?.port)
  ok(writes.length <= 3, `${writes.length} writes for 7 answers`)
})

test('what cannot be a header of an answer is an error before anything is written', async () => {
  const thrown: unknown[] = []
  const shell = await startShell({
    host: '127.0.0.1',
    port: 0,
    fastReader: true,
    refuse,
    handle: (exchange) => {
      for (const headers of [{ 'a b': 'x' }, { '': 'x' }, { x: 'a\r\nb' }, { x: '\u2028' }] as Record<
        string,
        string
      >[]) {
        try {
          exchange.send(200, headers, '')
        } catch (error) {
          thrown.push(error)
        }
        try {
          exchange.begin(200, headers)
        } catch (error) {
          thrown.push(error)
        }
      }
      exchange.send(500, {}, 'in order')
    },
  })
  match(await converse(shell.port, [closing]), /^HTTP\/1\.1 500 .*\r\n\r\nin order$/s)
  deepStrictEqual(
    thrown.map((error) => error instanceof TypeError),
    Array.from({ length: 8 }, () => true),
  )
  await shell.close()
})

test('an answer that breaks off ends the connection behind those before it', async () => {
  for (const fastReader of [false, true]) {
    const shell = await startShell({
      host: '127.0.0.1',
      port: 0,
      fastReader,
      refuse,
      handle: (exchange) => {
        if (exchange.target === '/text') return handle(exchange)
        exchange.begin(200, { 'content-length': 10 })
        exchange.write('part', () => undefined)
        setTimeout(() => exchange.breakOff(), 50)
      },
    })
    const received = await converse(shell.port, [get('/text') + get('/broken')])
    match(received, /^HTTP\/1\.1 200 .*\r\n\r\ntextHTTP\/1\.1 200 .*\r\n\r\npart$/s)
    await shell.close()
  }
})

describe('the end of a connection', { concurrency: true }, () => {
  for (const fastReader of [false, true]) {
    const way = fastReader ? 'here' : 'by Node.js'

    test(`an idle one is closed after the time that its answers promise, read ${way}`, async () => {
      const shell = await start(fastReader, { keepAliveMs: 1000 })
      const started = performance.now()
      match(await converse(shell.port, [get('/text')]), /Keep-Alive: timeout=1\r\n/)
      ok(performance.now() - started > 1900)
      await shell.close()
    })

    test(`the end of the service: the last answers say so, and what arrives is answered, read ${way}`, async () => {
      const held: Exchange[] = []
      const shell = await start(fastReader, {}, (exchange) => {
        if (exchange.target === '/held') held.push(exchange)
        else handle(exchange)
      })
      const body = 'x'.repeat(100)
      const conversations = [
        [get('/held')],
        [get('/held') + get('/text')],
        [post('/echo', body).slice(0, -1)],
        [get('/text'), post('/echo', body).slice(0, -50)],
        [get('/text')],
        [get('/text').slice(0, -5)],
        [],
      ].map((pieces) => converseLater(shell.port, pieces))
      const all = await Promise.all(conversations)
      await until(() => held.length === 2 && all.every(({ isSent }) => isSent()), 'all to be sent')
      const closed = shell.close()
      for (const exchange of held) exchange.send(200, {}, 'held')
      all[2]?.write('x')
      all[3]?.write('x'.repeat(50))
      const received = await Promise.all(all.map(({ received }) => received))
      await closed
      const connections = received.map((text) =>
        Array.from(text.matchAll(/\r\nConnection: (\S+)/g), ([, value]) => value),
      )
      deepStrictEqual(connections, [
        ['close'],
        ['keep-alive', 'keep-alive'],
        ['close'],
        ['keep-alive', 'close'],
        ['keep-alive'],
        [],
        [],
      ])
    })
  }

  test('one that says nothing is refused', async () => {
    const shell = await start(true, { headMs: 100 })
    match(await converse(shell.port, []), /^HTTP\/1\.1 408 Refused\r\n/)
    await shell.close()
  })
})

async function converseLater(port: number, pieces: readonly string[]) {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
  await once(socket, 'connect')
  for (const piece of pieces) {
    socket.write(piece, 'latin1')
    if (pieces.length > 1 && piece === pieces[0]) await until(() => received.includes('\r\n\r\n'), 'an answer')
  }
  await new Promise((resolve) => setTimeout(resolve, 5))
  return {
    isSent: () => socket.writableLength === 0,
    write: (text: string) => socket.write(text),
    received: once(socket, 'close').then(() => received),
  }
}
