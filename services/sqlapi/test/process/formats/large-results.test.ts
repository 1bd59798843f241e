/** Results beyond what is collected: sent while their rows come, for both kinds of database. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { peakResidentBytes, residentBytes, withoutMemoryUse } from '@services/testing'
import { collectLimit } from '../../../src/database/result.ts'
import { dialectNames } from '../../../src/dialects.ts'
import type { Dialect } from '../../../src/model.ts'
import { createDatabase } from '../../support/databases.ts'
import { startSqlapi } from '../../support/process.ts'
import { startTestService, type TestService } from '../../support/service.ts'

/** `:n` rows of about a hundred bytes; the row number `:bad` is an error. */
const rows: Readonly<Record<Dialect, string>> = {
  postgres: `SELECT g AS id, repeat('x', 80) AS pad, 1 / (:bad::int - g) AS ratio FROM generate_series(1, :n::int) g`,
  sqlite: `WITH RECURSIVE g(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM g WHERE id < CAST(:n AS INTEGER))
    SELECT id, printf('%.80c', 'x') AS pad, iif(id = CAST(:bad AS INTEGER), abs(-9223372036854775807 - 1), 0) AS ratio FROM g`,
}
const one = 'SELECT 1 AS one'
/** Three times as long as what is collected. */
const many = 30_000

function startRows(kind: Dialect, fields: object = {}): Promise<TestService> {
  const files = {
    'demo/GET/rows.sql': rows[kind],
    'demo/GET/one.sql': one,
    'demo/GET/marked.sql': `-- @transactional\n${one};\n${rows[kind]}`,
    'demo/POST/middle.sql': `${rows[kind]};\n${one}`,
  }
  return startTestService({ kind, files, ...fields })
}

interface Received {
  readonly status: number
  readonly isChunked: boolean
  readonly text: string
  /** The answer came to its end. */
  readonly isWhole: boolean
}

/** Takes what comes, also of an answer that breaks off. */
function receive(url: string, method = 'GET'): Promise<Received> {
  const { promise, resolve } = Promise.withResolvers<Received>()
  const asked = request(url, { method, agent: false }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    response.on('error', () => undefined)
    response.on('close', () => {
      const isChunked = response.headers['transfer-encoding'] === 'chunked'
      resolve({ status: response.statusCode ?? 0, isChunked, text, isWhole: response.complete })
    })
  })
  asked.on('error', () => resolve({ status: 0, isChunked: false, text: '', isWhole: false }))
  asked.end(method === 'POST' ? `{"n":${many},"bad":-1}` : undefined)
  return promise
}

/** Asks for an answer of more than 100 MB, far beyond what any buffer on the way takes, and does not read it. */
async function stall(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write('GET /demo/rows?n=1000000&bad=-1 HTTP/1.1\r\nHost: x\r\n\r\n')
  socket.pause()
  return socket
}

/** Resolves however the socket closes. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

for (const kind of dialectNames) {
  describe(`on ${kind}`, () => {
    let service: TestService
    before(async () => {
      service = await startRows(kind)
    })
    after(() => service.close())

    test(`a long result has all its rows, a short one its length (${kind}) [S-large.1]`, async () => {
      const long = await receive(`${service.url}/demo/rows?n=${many}&bad=-1`)
      deepStrictEqual([long.status, long.isChunked, long.isWhole], [200, true, true])
      const ids = (JSON.parse(long.text) as { id: number }[]).map(({ id }) => id)
      deepStrictEqual([ids.length, ids[0], ids.at(-1)], [many, 1, many])
      strictEqual(new Set(ids).size, many)
      const short = await receive(`${service.url}/demo/rows?n=1000&bad=-1`)
      deepStrictEqual([short.status, short.isChunked, short.isWhole], [200, false, true])
      strictEqual((JSON.parse(short.text) as unknown[]).length, 1000)
      const head = await receive(`${service.url}/demo/rows?n=${many}&bad=-1`, 'HEAD')
      deepStrictEqual([head.status, head.text, head.isWhole], [200, '', true])
      strictEqual((await service.get('/demo/one')).text, '[{"one":1}]')
    })

    test(`the last statement of a marked file streams, a long one in the middle does not matter (${kind}) [S-large.1]`, async () => {
      const marked = await receive(`${service.url}/demo/marked?n=${many}&bad=-1`)
      deepStrictEqual([marked.status, marked.isChunked, marked.isWhole], [200, true, true])
      strictEqual((JSON.parse(marked.text) as unknown[]).length, many)
      strictEqual((await receive(`${service.url}/demo/middle`, 'POST')).text, '[{"one":1}]')
    })

    test(`an error is a 400 as long as nothing was sent, then a cut connection (${kind}) [S-large.1] [S-large.2]`, async () => {
      const early = await service.get('/demo/rows?n=5000&bad=4999')
      strictEqual(early.status, 400)
      match(early.text, /^\{"error":"BadSqlGrammarException","message":"/)
      for (const version of ['1.1', '1.0']) {
        const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
        let text = ''
        let wasReset = false
        socket.setEncoding('latin1').on('data', (piece: string) => {
          text += piece
        })
        socket.on('error', ({ code }: NodeJS.ErrnoException) => {
          wasReset = code === 'ECONNRESET'
        })
        socket.write(`GET /demo/rows?n=${many}&bad=${many - 100} HTTP/${version}\r\nHost: x\r\n\r\n`)
        await closed(socket)
        ok(wasReset, `HTTP/${version} ended like a whole answer`)
        ok(!text.endsWith(']') && !text.endsWith('0\r\n\r\n'))
      }
      ok(service.log.some((line) => line.includes('A response broke off')))
      strictEqual((await service.get('/demo/one')).text, '[{"one":1}]')
    })
  })

  test(`a client that goes in the middle frees the only connection (${kind}) [S-large.3]`, async () => {
    const service = await startRows(kind, { datasource: { max_connections: 1, acquire_timeout_seconds: 5 } })
    try {
      const socket = await stall(Number(new URL(service.url).port))
      await setTimeout(500)
      socket.destroy()
      strictEqual((await service.get('/demo/one')).text, '[{"one":1}]')
    } finally {
      await service.close()
    }
  })

  test(`a client that does not read holds little memory, and its connection for seconds only (${kind}) [S-large.3] [S-large.4]`, async () => {
    const database = await createDatabase(kind)
    const config = {
      datasources: [{ name: 'demo', url: database.url, max_connections: 1, acquire_timeout_seconds: 30 }],
    }
    const files = { 'demo/GET/rows.sql': rows[kind], 'demo/GET/one.sql': one }
    const service = await startSqlapi({ files, config })
    try {
      const socket = await stall(service.port)
      const wasCut = closed(socket)
      await setTimeout(1000)
      const before = residentBytes(service.pid)
      const answer = await receive(`http://127.0.0.1:${service.port}/demo/one`)
      strictEqual(answer.text, '[{"one":1}]')
      const now = residentBytes(service.pid)
      ok(now - before < 50 * mebibyte, `${before} bytes became ${now}`)
      // The client learns that it was cut off when it reads on.
      socket.resume()
      await wasCut
    } finally {
      await service.stop()
      await database.remove()
    }
  })
}

test('a million rows through a process that stays small [S-large.4]', async (t) => {
  if (withoutMemoryUse !== false) return t.skip(withoutMemoryUse)
  for (const kind of dialectNames) {
    const database = await createDatabase(kind)
    const config = { datasources: [{ name: 'demo', url: database.url }] }
    const service = await startSqlapi({ files: { 'demo/GET/rows.sql': rows[kind] }, config })
    try {
      let length = 0
      let last = ''
      const { promise, resolve } = Promise.withResolvers<boolean>()
      request(`http://127.0.0.1:${service.port}/demo/rows?n=1000000&bad=-1`, { agent: false }, (response) => {
        response.setEncoding('latin1').on('data', (piece: string) => {
          length += piece.length
          last = `${last}${piece}`.slice(-20)
        })
        response.on('close', () => resolve(response.complete))
      }).end()
      strictEqual(await promise, true)
      ok(length > 100 * collectLimit - 1 && last.endsWith('}]'), `${length} bytes, ${last}`)
      const peak = peakResidentBytes(service.pid) / mebibyte
      ok(peak < 200, `${kind}: ${peak} MiB`)
      t.diagnostic(`${kind}: peak of ${Math.round(peak)} MiB`)
    } finally {
      await service.stop()
      await database.remove()
    }
  }
})

const mebibyte = 1024 * 1024
