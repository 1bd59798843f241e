/** Answers in the codings that clients accept, over real sockets, on both databases. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { brotliDecompressSync, createGunzip, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type BinaryAnswer, callForBytes, until } from '@services/testing'
import { dialectNames } from '../../../src/dialects.ts'
import type { Reply } from '../../../src/model.ts'
import { encode } from '../../../src/serve/representation/compress.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
}

function codingOf({ headers }: Pick<BinaryAnswer, 'headers'>): string {
  return headers['content-encoding'] ?? 'identity'
}

function decoded(answer: BinaryAnswer): string {
  return decoders[codingOf(answer)]!(answer.bytes).toString()
}

for (const kind of dialectNames) {
  describe(`on ${kind}`, () => {
    let service: TestService
    let port: number
    const rows =
      kind === 'postgres'
        ? `SELECT g AS id, md5(g::text) AS pad, 1 / (:bad::int - g) AS ratio FROM generate_series(1, :n::int) g`
        : `WITH RECURSIVE g(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM g WHERE id < CAST(:n AS INTEGER))
          SELECT id, hex(id * 1000003) || printf('%.30d', id * 7919) AS pad, iif(id = CAST(:bad AS INTEGER), abs(-9223372036854775807 - 1), 0) AS ratio FROM g`
    before(async () => {
      service = await startTestService({
        kind,
        files: {
          'demo/GET/rows.sql': rows,
          'demo/POST/rows.sql': rows,
          'demo/GET/cached.sql': `-- @cache 60s\n${rows}`,
          'demo/POST/text.sql': `SELECT ${kind === 'postgres' ? ':t::text' : ':t'} AS t`,
          'demo/GET/bad.sql': 'SELECT * FROM missing',
        },
        datasource: { max_connections: 2, acquire_timeout_seconds: 5 },
        config: { server: { compression: true } },
      })
      port = Number(new URL(service.url).port)
    })
    after(() => service.close())
    const get = (path: string, accepted?: string, method = 'GET'): Promise<BinaryAnswer> =>
      callForBytes(port, path, { method, headers: accepted === undefined ? {} : { 'accept-encoding': accepted } })

    const choices: readonly (readonly [accepted: string | undefined, coding: string])[] = [
      ['', 'identity'],
      ['gzip', 'gzip'],
      ['br', 'br'],
      ['zstd', 'zstd'],
      ['gzip, deflate, br, zstd', 'zstd'],
      ['gzip, deflate, br', 'br'],
      ['gzip;q=0.9, br;q=0.8', 'gzip'],
      ['zstd;q=0, *', 'br'],
      ['*;q=0', 'identity'],
      ['identity', 'identity'],
      ['identity;q=0', 'identity'],
      ['deflate, compress', 'identity'],
      ['x-gzip', 'gzip'],
    ]
    test('the coding is the one that the client likes best, for short, long and streamed answers [N6.2]', async () => {
      for (const n of [50, 1000, 20_000]) {
        const plain = await get(`/demo/rows?n=${n}&bad=-1`)
        // A stream is chosen for as a text is: here it is once for each coding.
        const own = n < 20_000 ? choices : choices.slice(0, 4)
        for (const [accepted, coding] of own) {
          const answer = await get(`/demo/rows?n=${n}&bad=-1`, accepted)
          deepStrictEqual(
            [answer.status, codingOf(answer), answer.headers['vary']],
            [200, coding, 'Accept-Encoding'],
            String(accepted),
          )
          strictEqual(answer.headers['content-type'], 'application/json')
          ok(decoded(answer) === plain.bytes.toString(), `${accepted} ${n}`)
          strictEqual(answer.bytes.length < plain.bytes.length, coding !== 'identity')
          if (n < 20_000) strictEqual(answer.headers['content-length'], String(answer.bytes.length))
          else strictEqual(answer.headers['transfer-encoding'], 'chunked')
        }
      }
    })

    test('up to 1 KiB an answer stays as it is [N6.2]', async () => {
      const around = '[{"t":""}]'.length
      for (const [length, coding] of [
        [1024, 'identity'],
        [1025, 'gzip'],
        [16 * 1024, 'gzip'],
        [16 * 1024 + 1, 'gzip'],
      ] as const) {
        const body = { t: 'x'.repeat(length - around) }
        const answer = await callForBytes(port, '/demo/text', { body, headers: { 'accept-encoding': 'gzip' } })
        deepStrictEqual([codingOf(answer), answer.headers['vary']], [coding, 'Accept-Encoding'], String(length))
        strictEqual(decoded(answer), JSON.stringify([body]))
      }
      // Characters of two bytes count as two.
      const answer = await callForBytes(port, '/demo/text', {
        body: { t: 'õ'.repeat(600) },
        headers: { 'accept-encoding': 'br' },
      })
      deepStrictEqual([codingOf(answer), decoded(answer)], ['br', JSON.stringify([{ t: 'õ'.repeat(600) }])])
    })

    test('HEAD has the coding of GET and no length of another one [N6.2]', async () => {
      for (const n of [1, 50, 1000, 20_000]) {
        const { headers } = await get(`/demo/rows?n=${n}&bad=-1`, 'gzip')
        const head = await get(`/demo/rows?n=${n}&bad=-1`, 'gzip', 'HEAD')
        strictEqual(head.bytes.length, 0)
        for (const name of ['content-type', 'content-encoding', 'vary'])
          strictEqual(head.headers[name], headers[name], `${name} ${n}`)
        const length = head.headers['content-length']
        ok(length === undefined || length === headers['content-length'], `${length} ${n}`)
      }
    })

    test('CSV, batches and errors are compressed too, and tags stay those of the plain answer [N6.2]', async () => {
      const csv = await callForBytes(port, '/demo/rows?n=50&bad=-1', {
        headers: { accept: 'text/csv', 'accept-encoding': 'br' },
      })
      deepStrictEqual([codingOf(csv), csv.headers['vary']], ['br', 'Accept, Accept-Encoding'])
      match(decoded(csv), /^id,pad,ratio\r\n1,/)
      const queries = Array.from({ length: 100 }, () => ({ n: 1, bad: -1 }))
      const batch = await callForBytes(port, '/demo/rows/batch', {
        body: { queries },
        headers: { 'accept-encoding': 'gzip' },
      })
      deepStrictEqual([codingOf(batch), (JSON.parse(decoded(batch)) as unknown[]).length], ['gzip', 100])
      const bad = await get('/demo/bad', 'gzip')
      deepStrictEqual([bad.status, codingOf(bad), bad.headers['vary']], [400, 'identity', 'Accept-Encoding'])
      const plain = await get('/demo/cached?n=50&bad=-1')
      const coded = await get('/demo/cached?n=50&bad=-1', 'gzip')
      deepStrictEqual([codingOf(coded), coded.headers['etag']], ['gzip', plain.headers['etag']])
      strictEqual(coded.headers['vary'], 'X-Datasource, Accept, Accept-Encoding')
      const known = await callForBytes(port, '/demo/cached?n=50&bad=-1', {
        headers: { 'accept-encoding': 'gzip', 'if-none-match': plain.headers['etag'] },
      })
      deepStrictEqual(
        [known.status, known.headers['content-encoding'], known.headers['etag']],
        [304, undefined, plain.headers['etag']],
      )
      strictEqual(known.headers['vary'], 'X-Datasource, Accept, Accept-Encoding')
    })

    test('an error in the middle of a stream cuts it in any coding [N6.2] [S-large.2]', async () => {
      for (const coding of ['gzip', 'br', 'zstd']) {
        const isCut = await get('/demo/rows?n=40000&bad=30000', coding).then(
          () => false,
          () => true,
        )
        ok(isCut, coding)
      }
      ok(service.log.some((line) => line.includes('A response broke off')))
    })

    test('a client that goes or reads nothing frees the connections behind the compressor [N6.2] [S-large.3]', async () => {
      for (const coding of ['gzip', 'br', 'zstd']) {
        const sockets = [1, 2, 3].map(() => {
          const socket = connect(port, '127.0.0.1')
          socket.on('error', () => undefined)
          socket.write(`GET /demo/rows?n=3000000&bad=-1 HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${coding}\r\n\r\n`)
          socket.pause()
          return socket
        })
        await setTimeout(300)
        for (const socket of sockets) socket.destroy()
        const { status } = await service.get('/demo/rows?n=1&bad=-1')
        strictEqual(status, 200, coding)
      }
    })

    test('many requests of one connection have their answers in order, whichever is compressed first [N6.2]', async () => {
      const socket = connect(port, '127.0.0.1')
      const asked = [2000, 1, 500, 40, 1500, 2, 60]
      const head = (n: number): string =>
        `GET /demo/rows?n=${n}&bad=-1 HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n`
      socket.write(
        asked.map((n, at) => `${head(n)}${at === asked.length - 1 ? 'Connection: close\r\n' : ''}\r\n`).join(''),
      )
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      await once(socket, 'end')
      let rest = Buffer.concat(chunks)
      for (const n of asked) {
        const at = rest.indexOf('\r\n\r\n') + 4
        const headers = rest.subarray(0, at).toString()
        const length = Number(/content-length: (\d+)/i.exec(headers)?.[1])
        const body = rest.subarray(at, at + length)
        const text = headers.includes('content-encoding') ? gunzipSync(body).toString() : body.toString()
        strictEqual((JSON.parse(text) as unknown[]).length, n)
        rest = rest.subarray(at + length)
      }
      strictEqual(rest.length, 0)
    })
  })
}

test('without the field nothing is compressed, and nothing depends on the header [N6.2]', async () => {
  const service = await startTestService({
    kind: 'sqlite',
    files: { 'demo/GET/x.sql': `SELECT printf('%.5000c', 'x') AS x` },
  })
  try {
    const { headers, text } = await service.get('/demo/x', { 'accept-encoding': 'gzip, br, zstd' })
    deepStrictEqual([headers['content-encoding'], headers['vary'], text.length], [undefined, undefined, 5010])
  } finally {
    await service.close()
  }
})

function replyOf(content: string | Readable, headers: Record<string, string> = {}): Reply {
  return { status: 200, headers, body: { mediaType: 'application/json', content } }
}

test('a piece that a stream gets leaves it at once, without waiting for the next [N6.2]', async () => {
  for (const coding of ['gzip', 'br', 'zstd']) {
    const source = new PassThrough()
    // As that of a database does.
    source.on('error', () => undefined)
    const reply = await encode(replyOf(source), { method: 'GET', headers: { 'accept-encoding': coding } })
    const content = reply.body?.content as Readable
    for (let at = 0; at < 3; at++) {
      source.write(Buffer.from(`[${at},`.repeat(50)))
      // Nothing more is written before this one has come out.
      const [piece] = (await once(content, 'data')) as [Buffer]
      ok(piece.length > 0, coding)
    }
    content.destroy()
    while (!source.destroyed) await setTimeout(1)
  }
})

test('a stream that breaks off gives its own error, and no end [N6.2]', async () => {
  const source = new PassThrough()
  const reply = await encode(replyOf(source), { method: 'GET', headers: { 'accept-encoding': 'gzip' } })
  const content = reply.body?.content as Readable
  source.write('x'.repeat(100))
  content.resume()
  const failed = once(content, 'error')
  source.destroy(new Error('the database has gone'))
  const [error] = (await failed) as [Error]
  strictEqual(error.message, 'the database has gone')
})

test('what is in a coding already, and a Vary that is there already, stay as they are [N6.2]', async () => {
  const asked = { method: 'GET', headers: { 'accept-encoding': 'gzip' } }
  const coded = replyOf('x'.repeat(5000), { 'content-encoding': 'br', vary: 'accept-encoding' })
  strictEqual(await encode(coded, asked), coded)
  const reply = await encode(replyOf('x'.repeat(5000), { vary: 'Origin, accept-encoding' }), asked)
  deepStrictEqual(reply.headers, { vary: 'Origin, accept-encoding', 'content-encoding': 'gzip' })
  const empty = { status: 204, headers: {}, body: undefined }
  deepStrictEqual((await encode(empty, asked)).body, undefined)
})

test('rows that come slowly reach the client while the statement runs, also compressed [N6.2]', async () => {
  const service = await startTestService({
    kind: 'postgres',
    files: {
      'demo/GET/slow.sql': `SELECT g, md5(g::text), CASE WHEN g = 30000 THEN pg_sleep(3600) END FROM generate_series(1, 30001) g`,
    },
  })
  const compressing = await startTestService({
    kind: 'postgres',
    files: {
      'demo/GET/slow.sql': `SELECT g, md5(g::text), CASE WHEN g = 30000 THEN pg_sleep(3600) END FROM generate_series(1, 30001) g`,
    },
    config: { server: { compression: true } },
  })
  try {
    const lengths: number[] = []
    for (const { url } of [service, compressing]) {
      const outgoing = request(`${url}/demo/slow`, { agent: false, headers: { 'accept-encoding': 'gzip' } }).end()
      outgoing.on('error', () => undefined)
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      incoming.on('error', () => undefined)
      const gunzip = createGunzip()
      gunzip.on('error', () => undefined)
      const stream = incoming.headers['content-encoding'] === 'gzip' ? incoming.pipe(gunzip) : incoming
      let length = 0
      stream.on('data', (chunk: Buffer) => {
        length += chunk.length
      })
      const [plain] = lengths
      // No less than without compression, but for what stands between two reads of a socket.
      if (plain !== undefined) await until(() => length >= plain - 65_536, 'the rows come')
      // What the service has sent comes through; then nothing more does, because the statement sleeps.
      let before = 0
      const isStill = async (): Promise<boolean> => {
        before = length
        await setTimeout(500)
        return before === length && length > 0
      }
      await until(isStill, 'the statement sleeps')
      lengths.push(length)
      // A mere end would only be noticed with the next write, and there is none.
      outgoing.socket?.resetAndDestroy()
    }
    strictEqual(lengths.length, 2)
  } finally {
    await Promise.all([service.close(), compressing.close()])
  }
})
