/**
 * Requests that offer another protocol, with every framing of a body: each is answered like any other, and the
 * connection goes on, with both readers of requests.
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { BodyTooLarge, type Exchange, type Shell, startShell } from '@services/http-shell'
import { converse } from '@services/http-shell/testing'

const maxBytes = 100

/** Values of `Connection` and `Upgrade`, and further lines. */
const offers: Readonly<Record<string, string>> = {
  h2c: 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQ\r\n',
  websocket: 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n',
  TLS: 'Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n',
  'something unknown': 'Upgrade: foo/1\r\nConnection: upgrade\r\n',
  'several in one line': 'Connection: keep-alive, Upgrade\r\nUpgrade: h2c, websocket, foo/1\r\n',
  'several in lines': 'Connection: x\r\nUpgrade: h2c\r\nconnection: UPGRADE\r\nupgrade: foo/1\r\n',
}

/** Lines of the head, then what follows it in pieces. */
const framings: Readonly<Record<string, readonly [lines: string, ...pieces: string[]]>> = {
  'no body': ['', ''],
  'an empty body': ['Content-Length: 0\r\n', ''],
  'a body in the same packet': ['Content-Length: 4\r\n', 'body'],
  'a body in a later packet': ['Content-Length: 4\r\n', '', 'body'],
  'a body in several packets': ['Content-Length: 4\r\n', 'b', 'od', 'y'],
  'chunks in the same packet': ['Transfer-Encoding: chunked\r\n', '4\r\nbody\r\n0\r\n\r\n'],
  'chunks in later packets': ['Transfer-Encoding: chunked\r\n', '', '4\r\nbo', 'dy\r\n', '0\r\n', '\r\n'],
  'chunks with trailers': ['Transfer-Encoding: chunked\r\nTrailer: X\r\n', '4\r\nbody\r\n', '0\r\nX: y\r\n', '\r\n'],
  'an expectation': ['Expect: 100-continue\r\nContent-Length: 4\r\n', '', 'body'],
}

const head = (lines: string): string => `POST /asked HTTP/1.1\r\nHost: x\r\n${lines}\r\n`
const next = 'POST /next HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nmore'
const last = 'GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

function answer(exchange: Exchange): void {
  exchange.collect(maxBytes).then(
    (body) => exchange.send(200, {}, `${exchange.target} ${body.toString()} ${String(exchange.headers['upgrade'])}`),
    (error: unknown) => {
      if (error instanceof BodyTooLarge) exchange.send(413, {}, '', { close: true })
    },
  )
}

for (const fastReader of [false, true]) {
  describe(fastReader ? 'plain requests are read here' : 'Node.js reads everything', { concurrency: true }, () => {
    let shell: Shell
    before(async () => {
      const refuse = () => ({ status: 400, body: '{}' })
      shell = await startShell({ host: '127.0.0.1', port: 0, fastReader, handle: answer, refuse })
    })
    after(() => shell.close())

    for (const [offered, offer] of Object.entries(offers)) {
      for (const [framing, [lines, first = '', ...pieces]] of Object.entries(framings)) {
        test(`${offered} with ${framing}: answered, and the connection goes on [F5]`, async () => {
          const asked = [head(offer + lines) + first, ...pieces]
          const body = framing === 'no body' || framing === 'an empty body' ? '' : 'body'
          const answers = await send(shell.port, [...asked, next, ...asked, next + last])
          const expected = [`/asked ${body} undefined`, '/next more undefined']
          deepStrictEqual(answers, [...expected, ...expected, '/last  undefined'])
        })
      }

      test(`${offered} with requests in the same packet: all are answered [F5]`, async () => {
        const all = Object.values(framings).filter(([lines]) => !lines.includes('Expect'))
        const asked = all.map(([lines, ...pieces]) => head(offer + lines) + pieces.join('')).join('')
        const answers = await send(shell.port, [asked + next + asked + last])
        strictEqual(answers.length, 2 * all.length + 2)
      })

      test(`${offered} with a body that is too large or broken: 413 and 400 [F5]`, async () => {
        const large = head(`${offer}Content-Length: 1000\r\n`) + 'x'.repeat(1000)
        const chunks = head(`${offer}Transfer-Encoding: chunked\r\n`)
        const pieces = { [large]: 413, [`${chunks}3e8\r\n${'x'.repeat(1000)}`]: 413, [`${chunks}zz\r\n`]: 400 }
        for (const [bytes, expected] of Object.entries(pieces)) {
          const [answer] = await converse(shell.port, [bytes])
          strictEqual(answer?.status, expected)
        }
      })
    }
  })
}

/** Bodies of the answers. */
async function send(port: number, pieces: readonly string[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const ended = new Promise((resolve) => socket.on('end', resolve).on('close', resolve))
  for (const piece of pieces) {
    socket.write(piece, 'latin1')
    await pause(5)
  }
  await ended
  const text = Buffer.concat(chunks).toString('latin1').replaceAll('HTTP/1.1 100 Continue\r\n\r\n', '')
  return text.split(/HTTP\/1\.1 200 OK\r\n.*?\r\n\r\n/s).slice(1)
}
