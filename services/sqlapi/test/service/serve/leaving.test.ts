/**
 * Clients that leave: whatever part of the answer is out, their statement ends, on both databases and with both
 * readers of requests. Each moment has a datasource with one connection, which the next request gets only when the
 * statement has ended.
 */
import { strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Dialect } from '../../../src/model.ts'
import { createDatabase, type TestDatabase } from '../../support/databases.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const pad = 'x'.repeat(1000)
/** Never ends, and gives no row. */
const endless: Readonly<Record<Dialect, string>> = {
  postgres: 'SELECT 1 AS id, pg_sleep(3600)::text AS pad',
  sqlite: `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n AS id, '' AS pad FROM c WHERE n < 0`,
}
/** More rows than are kept back for a whole answer, and then no more. */
const stalling: Readonly<Record<Dialect, string>> = {
  postgres: `SELECT g AS id, '${pad}' AS pad FROM generate_series(1, 5000) g UNION ALL ${endless.postgres}`,
  sqlite: `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n AS id, '${pad}' AS pad FROM c WHERE n < 5000`,
}
/** Neither ends nor stalls. */
const flowing = stalling.sqlite.replace(' WHERE n < 5000', '')

const muchBytes = 20_000_000

const get = (path: string, headers = ''): string => `GET /${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
/** Read by Node.js, whoever reads plain ones. */
const unusual = 'TE: trailers\r\n'
const post = (path: string, body: string): string =>
  `POST /${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

interface Moment {
  readonly title: string
  readonly method: 'GET' | 'POST'
  readonly text: string
  /** What is written for the file and another one. */
  readonly request: (run: string, quick: string) => string
  /** A part of the answer is out. */
  readonly isOut?: boolean
}

const reads = { method: 'GET', isOut: true } as const
const writes = { method: 'POST', request: (run: string) => post(`${run}/batch`, '[{},{}]') } as const

function momentsOf(kind: Dialect): readonly Moment[] {
  const ends = { ...reads, text: stalling[kind] }
  const all: Moment[] = [
    { title: 'before the head', method: 'GET', text: endless[kind], request: (run) => get(run) },
    { title: 'in a batch', text: endless[kind], ...writes },
    { title: 'in a transaction', text: `-- @transactional\n${endless[kind]}`, ...writes },
    { title: 'in an answer that stalls', ...ends, request: (run) => get(run) },
    { title: 'in an answer that stalls, in lines', ...ends, request: (run) => get(run, 'Accept: text/csv\r\n') },
    { title: 'in an answer that stalls, compressed', ...ends, request: (run) => get(run, 'Accept-Encoding: gzip\r\n') },
    { title: 'in an answer that stalls, a request behind it', ...ends, request: (run, quick) => get(run) + get(quick) },
    {
      title: 'in an answer that stalls, an unusual request behind it',
      ...ends,
      request: (run, quick) => get(run) + get(quick, unusual),
    },
    { title: 'in an answer that flows', ...reads, text: flowing, request: (run) => get(run) },
  ]
  // One without an end takes a whole core on SQLite.
  return kind === 'postgres' ? all : all.filter(({ title }) => !/in lines|compressed|behind it/.test(title))
}

const leavings: readonly ((socket: Socket) => void)[] = [
  (socket) => socket.destroy(),
  (socket) => socket.resetAndDestroy(),
]

for (const kind of ['postgres', 'sqlite'] as const) {
  const moments = momentsOf(kind)
  for (const fast_reader of [true, false]) {
    describe(`${kind}, fast_reader: ${fast_reader}`, { concurrency: kind === 'postgres' }, () => {
      let database: TestDatabase
      let service: TestService

      before(async () => {
        database = await createDatabase(kind)
        service = await startTestService({
          kind,
          files: Object.fromEntries(
            moments.flatMap(({ method, text }, i) => [
              [`p${i}/${method}/run.sql`, text],
              [`p${i}/${method}/quick.sql`, 'SELECT 1 AS one'],
            ]),
          ),
          datasources: Object.fromEntries(moments.map((_, i) => [`p${i}`, ''])),
          datasource: { url: database.url, max_connections: 1, acquire_timeout_seconds: 600 },
          config: { server: { fast_reader, compression: true } },
        })
      })
      after(async () => {
        await service.close()
        await database.remove()
      })

      for (const [i, { title, method, request, isOut = false }] of moments.entries()) {
        test(`a client that leaves ${title}: the statement ends [T3]`, { timeout: 60_000 }, async () => {
          for (const leave of leavings) {
            const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => undefined)
            socket.write(request(`p${i}/run`, `p${i}/quick`))
            if (isOut) await once(socket, 'data')
            await readOn(socket)
            leave(socket)
            const { text } = await service.send({ method, path: `/p${i}/quick` })
            strictEqual(text, '[{"one":1}]')
          }
        })
      }
    })
  }
}

/** Reads what comes until nothing does, or it is much: closing a connection with unread bytes resets it. */
async function readOn(socket: Socket): Promise<void> {
  socket.resume()
  for (let seen = -1; seen !== socket.bytesRead && seen < muchBytes; await setTimeout(200)) seen = socket.bytesRead
  socket.pause()
}
