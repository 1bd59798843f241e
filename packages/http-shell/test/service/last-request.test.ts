/**
 * Requests that end their connection, because their own end is uncertain: bytes that follow them in the same packet
 * never run, whether the request begins at once or waits for others.
 */
import { deepStrictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Exchange, startShell } from '@services/http-shell'
import { converse } from '@services/http-shell/testing'
import { until } from '@services/testing'

const chunks = '2\r\n{}\r\n0\r\n\r\n'
const next = 'POST /next HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'
/** Node.js reads it, also if plain requests have another reader. */
const first = 'GET /first HTTP/1.1\r\nHost: x\r\nTE: trailers\r\n\r\n'

const last: Readonly<Record<string, { readonly bytes: string; readonly status: number; readonly runs: boolean }>> = {
  'chunks in HTTP/1.0, whose clients know none': {
    bytes: `POST /last HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
    status: 200,
    runs: true,
  },
  'chunks and a length in HTTP/1.0': {
    bytes: `POST /last HTTP/1.0\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
    status: 400,
    runs: false,
  },
  'two hosts': { bytes: 'GET /last HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', status: 400, runs: false },
  'another transfer coding': {
    bytes: `POST /last HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n${chunks}`,
    status: 400,
    runs: false,
  },
}

for (const fastReader of [false, true]) {
  describe(fastReader ? 'plain requests are read here' : 'Node.js reads everything', () => {
    for (const [title, { bytes, status, runs }] of Object.entries(last)) {
      for (const isWaiting of [false, true]) {
        test(`${title}, ${isWaiting ? 'after a request under way' : 'at once'} [S6]`, async () => {
          const targets: string[] = []
          const held: Exchange[] = []
          const handle = (exchange: Exchange): void => {
            targets.push(exchange.target)
            if (exchange.target === '/first') held.push(exchange)
            else exchange.collect(100).then(() => exchange.send(200, {}, ''), fail)
          }
          const shell = await startShell({
            host: '127.0.0.1',
            port: 0,
            fastReader,
            handle,
            refuse: () => ({ status: 400, body: '{}' }),
            limits: { maxPipelinedRequests: 1 },
          })
          const answers = converse(shell.port, [(isWaiting ? first : '') + bytes + next])
          if (isWaiting) {
            await until(() => held.length === 1, 'the request before it')
            held[0]?.send(200, {}, '')
          }
          const statuses = (await answers).map((answer) => answer.status)
          deepStrictEqual(statuses, isWaiting ? [200, status] : [status])
          deepStrictEqual(targets, [...(isWaiting ? ['/first'] : []), ...(runs ? ['/last'] : [])])
          await shell.close()
        })
      }
    }
  })
}

function fail(error: unknown): void {
  throw error
}
