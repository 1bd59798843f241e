/**
 * The HTTP shell under this service, over real sockets: pipelines that it refuses in its own words, random ones,
 * callers that send thousands of requests at once or do not read.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { converse, type Subject, testPipelines } from '@services/http-shell/testing'
import { call, residentBytes, send, withoutMemoryUse } from '@services/testing'
import { type Served, startInside } from '../../support/inside.ts'
import { type Running, type Setting, startSqlapi } from '../../support/process.ts'

/** Some tens of milliseconds of work. */
const slow = 'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 30000) SELECT max(n) AS n FROM c'

let service: Running
/** The same, but Node.js reads all requests. */
let byNode: Served

function settingOf(fastReader: boolean): Setting {
  return {
    files: {
      'demo/GET/one.sql': 'SELECT 1 AS one',
      'demo/GET/slow.sql': slow,
      'demo/GET/large.sql': 'SELECT hex(zeroblob(450000)) AS x',
      'demo/POST/echo.sql': 'SELECT 1 AS x',
      'demo/POST/insert.sql': 'CREATE TABLE IF NOT EXISTS t (x); INSERT INTO t VALUES (:x)',
      'demo/GET/count.sql': 'SELECT count(*) AS n FROM t',
    },
    config: {
      // A recursion is counted in a process, one for each connection.
      datasources: [{ name: 'demo', url: 'sqlite:demo.db', max_connections: 3, acquire_timeout_seconds: 300 }],
      server: { max_pipelined_requests: 8, fast_reader: fastReader },
    },
  }
}

function toSubject({ port }: Pick<Served, 'port'>): Subject {
  const line = 'HTTP/1.1\r\nHost: x\r\n'
  return {
    port,
    quick: `GET /demo/one ${line}\r\n`,
    slow: `GET /demo/slow ${line}\r\n`,
    post: `POST /demo/echo ${line}Content-Length: 7\r\n\r\n{"x":1}`,
    postPath: '/demo/echo',
    postIsChecked: true,
    status: { unknownMethod: 400, tunnel: 400, headTooLarge: 400 },
  }
}

before(async () => {
  service = await startSqlapi(settingOf(true))
  byNode = await startInside(settingOf(false))
})

after(async () => {
  await byNode.stop()
  strictEqual(service.stderr(), '')
  strictEqual((await service.stop()).code, 0)
})

testPipelines({
  rules: '[S6] [S15] [S-config.server.fast_reader]',
  subject: () => toSubject(service),
  randomCount: 10,
  isWiring: true,
})
testPipelines({
  rules: '[S6] [S15] [S-config.server.fast_reader], read by Node.js',
  subject: () => toSubject(byNode),
  randomCount: 10,
  isWiring: true,
})

test('a write with nonsense behind it in one packet is done once and answered by its own answer [S6]', async () => {
  const body = '{"x":1}'
  const post = `POST /demo/insert HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const answers = await converse(service.port, [`${post}\0garbage / HTTP/1.1\r\n\r\n`])
  deepStrictEqual(
    answers.map(({ status }) => status),
    [200, 400],
  )
  match(answers[1]?.text ?? '', /The request is not valid HTTP/)
  strictEqual((await call(service.port, '/demo/count')).text, '[{"n":1}]')
})

test('a head that is too large is told the bound, and nonsense nothing of files [S6] [S15]', async () => {
  const large = await send(service.port, `GET /demo/one HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`)
  match(large.text, /larger than 65536 bytes/)
  for (const bytes of ['GET\0 / HTTP/1.1\r\n\r\n', '\x16\x03\x01\0\xa5', 'FOO\r\n\r\n']) {
    ok(!(await send(service.port, bytes)).text.includes('Saved query'), bytes)
  }
})

test('a URL with a letter outside ASCII or a blank says so, with the cure [S6]', async () => {
  for (const { port } of [service, byNode]) {
    for (const target of ['/demo/one?name=J\xc3\xb5gi', '/demo/one?name=J gi', '/demo/\xc3\xb5ne', 'demo/one']) {
      const { status, text } = await send(port, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
      strictEqual(status, 400)
      match(text, /MalformedRequestException.*The URL is not valid: percent-encode .*%20 and %C3%B5/)
    }
  }
})

test('others are answered while one connection sends 200 000 requests at once [S9]', { timeout: 600_000 }, async () => {
  const count = 200_000
  const socket = connect({ port: service.port, host: '127.0.0.1' })
  const seen = { answered: 0 }
  const done = new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      seen.answered += chunk.toString('latin1').split('HTTP/1.1 200 OK').length - 1
      if (seen.answered >= count * 0.999) resolve()
    })
    socket.on('error', reject)
  })
  const health = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'
  for (let i = 0; i < count / 1000; i++) socket.write(health.repeat(1000))
  const between: number[] = []
  let before = 0
  while (seen.answered < count * 0.9) {
    strictEqual((await call(service.port, '/health')).status, 200)
    between.push(seen.answered - before)
    before = seen.answered
  }
  await done
  socket.destroy()
  // Counted, not timed: how many answers of the other connection one request has to wait for.
  ok(between.length > 10, `${between.length} answers beside ${count}`)
})

test(
  'a client that does not read has a few of its requests run, not all [S9] [S-config.server.max_pipelined_requests]',
  { skip: withoutMemoryUse },
  async () => {
    const socket = connect({ port: service.port, host: '127.0.0.1' })
    socket.on('error', () => undefined)
    const memoryBefore = residentBytes(service.pid)
    socket.pause()
    socket.write('GET /demo/large HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1500))
    for (let i = 0; i < 30; i++) {
      strictEqual((await call(service.port, '/demo/large')).status, 200)
    }
    const growth = residentBytes(service.pid) - memoryBefore
    socket.destroy()
    ok(growth < 400_000_000, `${growth} bytes more`)
  },
)
