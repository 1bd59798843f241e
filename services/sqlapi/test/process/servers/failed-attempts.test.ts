/**
 * Attempts to open a connection that fail, each in its own way: none of them may leave a socket. The servers here keep
 * their ends open, so what a client does not close stays.
 */
import { ok, rejects, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { until } from '@services/testing'
import { makeSelfSigned } from '@services/testing/certificates'
import { startThrowawayPostgres } from '@services/testing/postgres'
import { PostgresProbe } from '../../../src/database/postgres/probe.ts'
import { Observer } from '../../../src/database/postgres/replica-watch.ts'
import { openSocket } from '../../../src/database/postgres/wire/servers.ts'
import { runCheck, spawnCheck } from '../../support/check.ts'
import { startTestService } from '../../support/service.ts'

const tls = process.getBuiltinModule('node:tls')

interface Counting {
  readonly port: number
  /** Connections that the client has not closed both ways. */
  open(): number
  /** The most that the client had at a time. */
  most(): number
  /** All so far. */
  all(): number
  close(): Promise<void>
}

/** `answer` gets what a client sends, by its number among the messages of the connection. */
async function startCounting(answer: (socket: Socket, message: number, chunk: Buffer) => void): Promise<Counting> {
  const sockets = new Set<Socket>()
  let [most, all, used] = [0, 0, 0]
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let messages = 0
    all++
    sockets.add(socket)
    most = Math.max(most, ++used)
    socket.on('data', (chunk: Buffer) => answer(socket, messages++, chunk))
    // Only a client that has closed both ways refuses what it gets.
    let trying: NodeJS.Timeout | undefined
    socket.on('end', () => {
      used--
      trying = setInterval(() => socket.write('?'), 10)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      if (trying === undefined) used--
      clearInterval(trying)
      sockets.delete(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    open: () => sockets.size,
    most: () => most,
    all: () => all,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const upstreams = new WeakMap<Socket, Socket>()

/** Passes on what a client sends to the port, and what comes back. */
function pass(client: Socket, port: number, chunk: Buffer): void {
  let upstream = upstreams.get(client)
  if (upstream === undefined) {
    const opened = (upstream = connect({ port, host: '127.0.0.1' }))
    upstreams.set(client, opened)
    opened.on('data', (answer: Buffer) => void client.write(answer)).on('error', () => undefined)
    client.on('end', () => opened.end()).on('close', () => opened.destroy())
  }
  upstream.write(chunk)
}

/** A frame of a server. */
function frame(type: string, ...parts: readonly (string | Buffer | number)[]): Buffer {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'number' ? int32(part) : Buffer.from(part))))
  return Buffer.concat([Buffer.from(type), int32(bytes.length + 4), bytes])
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

const refusal = (severity: string, code: string): Buffer => frame('E', `S${severity}\0V${severity}\0C${code}\0Mno\0\0`)
const welcome = Buffer.concat([frame('R', 0), frame('K', 1, 1), frame('Z', 'I')])
const standby = Buffer.concat([
  frame('R', 0),
  frame('S', 'in_hot_standby\0on\0'),
  frame('S', 'default_transaction_read_only\0off\0'),
  frame('K', 1, 1),
  frame('Z', 'I'),
])

type Script = readonly (Buffer | string)[]

interface Way {
  /** What the server sends after each message of the client; nothing at the end. */
  readonly script: Script
  readonly query?: string
  readonly fails: RegExp
}

const ways: Readonly<Record<string, Way>> = {
  'a refusal': { script: [refusal('FATAL', '53300')], fails: /no/ },
  'a refusal of the credentials': { script: [frame('R', 3), refusal('FATAL', '28P01')], fails: /no/ },
  'a refusal after md5': { script: [frame('R', 5, 'salt'), refusal('FATAL', '28P01')], fails: /no/ },
  'SCRAM without a password': {
    script: [frame('R', 10, 'SCRAM-SHA-256\0\0'), frame('R', 11, 'r=x,s=c2FsdA==,i=4096')],
    fails: /password must be a non-empty string/,
  },
  'a method that the driver does not have': { script: [frame('R', 10, 'OAUTHBEARER\0\0')], fails: /supported/ },
  'a method that the driver does not know': { script: [frame('R', 7)], fails: /Unknown authenticationOk/ },
  'no PostgreSQL': { script: ['HTTP/1.1 400 Bad Request\r\n\r\n'], fails: /./ },
  'an error without an end': { script: [frame('E', 'SFATAL')], fails: /an error without an end/ },
  'a notice without an end': { script: [frame('N', 'SNOTICE')], fails: /an error without an end/ },
  'an error without fields': { script: [frame('E')], fails: /an error without an end/ },
  'a message of 2 GiB': { script: [Buffer.from('R\x7f\xff\xff\xff', 'latin1')], fails: /a message that is too long/ },
  silence: { script: [], fails: /timeout expired/ },
  'silence after the welcome': { script: [frame('R', 0)], fails: /timeout expired/ },
  'a refusal after the welcome': { script: [Buffer.concat([frame('R', 0), refusal('FATAL', '3D000')])], fails: /no/ },
  'a question that fails': {
    script: [welcome, Buffer.concat([refusal('ERROR', '42501'), frame('Z', 'I')])],
    query: 'target_session_attrs=primary',
    fails: /no/,
  },
  'a question without an answer': {
    script: [welcome],
    query: 'target_session_attrs=primary',
    fails: /Connection terminated/,
  },
  'the wrong role': { script: [standby], query: 'target_session_attrs=primary', fails: /is a standby/ },
  'no TLS': { script: ['N'], query: 'sslmode=require', fails: /does not support SSL/ },
  'an error instead of TLS': { script: ['E'], query: 'sslmode=require', fails: /error establishing an SSL/ },
  'no handshake': { script: ['S', 'no TLS\r\n'], query: 'sslmode=require', fails: /./ },
  'silence instead of a handshake': { script: ['S'], query: 'sslmode=require', fails: /timeout expired/ },
  'no TLS at once': { script: ['no TLS\r\n'], query: 'sslmode=require&sslnegotiation=direct', fails: /./ },
}

describe('an attempt to connect that fails closes its socket', { concurrency: 4 }, () => {
  for (const [name, { script, query = '', fails }] of Object.entries(ways)) {
    test(`${name} [F1]`, async () => {
      const server = await startCounting((socket, message) => void socket.write(script[message] ?? ''))
      const one = `127.0.0.1:${server.port}`
      for (const hosts of [one, `${one},${one}`]) {
        await rejects(openSocket({ url: `postgres://u:@${hosts}/db?${query}`, connectTimeoutSeconds: 1 }), fails)
        await until(() => server.open() === 0, 'no open connection')
      }
      ok(server.all() >= 2)
      await server.close()
    })
  }

  test('a certificate that is refused, and a login that fails over TLS [F1]', async () => {
    const { certificate: cert, key } = makeSelfSigned({ names: ['localhost'] })
    const secure = tls.createServer({ cert, key }, (socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => void socket.write(refusal('FATAL', '28P01')))
    })
    secure.listen(0, '127.0.0.1')
    await once(secure, 'listening')
    const { port } = secure.address() as { port: number }
    const server = await startCounting((socket, message, chunk) => {
      if (message === 0) socket.write('S')
      else pass(socket, port, chunk)
    })
    for (const [mode, fails] of [
      ['verify-full', /self.signed/],
      ['require', /no/],
    ] as const) {
      const url = `postgres://u:p@localhost:${server.port}/db?sslmode=${mode}`
      await rejects(openSocket({ url, connectTimeoutSeconds: 120 }), fails)
      await until(() => server.open() === 0, 'no open connection')
    }
    await server.close()
    secure.close()
  })

  test('connect_timeout of the URL is the time for each of its servers [F9]', async () => {
    const silent = await startCounting(() => undefined)
    const last = await startCounting((socket) => void socket.write(welcome))
    const at = ({ port }: Counting): string => `127.0.0.1:${port}`
    const hosts = [silent, silent, last].map(at).join(',')
    const opened = await openSocket({ url: `postgres://u@${hosts}/db?connect_timeout=1`, connectTimeoutSeconds: 600 })
    strictEqual(opened.server, at(last))
    strictEqual(silent.all(), 2)
    opened.leave()
    // A limit of 0 is none of its own.
    const url = `postgres://u@${at(silent)}/db?connect_timeout=0`
    await rejects(openSocket({ url, connectTimeoutSeconds: 1 }), /timeout expired/)
    await until(() => silent.open() + last.open() === 0, 'no open connection')
    await Promise.all([silent.close(), last.close()])
  })

  test('an attempt that nobody wants any more ends [F1]', async () => {
    const server = await startCounting(() => undefined)
    const url = `postgres://u:p@127.0.0.1:${server.port}/db`
    const probe = new PostgresProbe({ url, timeoutSeconds: 120 })
    const asking = new AbortController()
    const asked = rejects(probe.ask(asking.signal))
    const observer = new Observer({ url, connectTimeoutSeconds: 120, answerSeconds: 120 })
    const observed = rejects(observer.ask())
    await until(() => server.open() === 2, 'two attempts')
    asking.abort()
    observer.close()
    await Promise.all([asked, observed])
    await until(() => server.open() === 0, 'no open connection')
    await server.close()
  })
})

test('an error without an end does not keep the process busy when settings are made [F1]', async () => {
  const script = [welcome, frame('E', 'SFATAL')]
  const server = await startCounting((socket, message) => void socket.write(script[message] ?? ''))
  const datasource = { url: `postgres://u:p@127.0.0.1:${server.port}/db` }
  const service = await startTestService({
    kind: 'postgres',
    files: { 'demo/GET/one.sql': 'SELECT 1 AS one' },
    datasource,
  })
  ok((await service.get('/demo/one')).text.includes('cannot be connected'))
  await until(() => server.open() === 0, 'no open connection')
  await service.close()
  await server.close()
})

test('a request to cancel leaves no socket on a server that keeps its end open [F1]', async () => {
  const server = await startCounting((socket, _, chunk) => {
    if (chunk.length !== 16) socket.write(welcome)
  })
  const opened = await openSocket({ url: `postgres://u:p@127.0.0.1:${server.port}/db`, connectTimeoutSeconds: 1 })
  await opened.cancel()
  await until(() => server.all() === 2 && server.open() === 1, 'no request')
  opened.leave()
  await until(() => server.open() === 0, 'no open connection')
  await server.close()
})

test('max_connections is the most sockets that attempts have, and none is left of them [F1]', async () => {
  const server = await startCounting((socket) => void socket.write(refusal('FATAL', '28P01')))
  for (const more of [{}, { replicas: [`postgres://u:p@localhost:${server.port}/db`] }]) {
    const datasource = { url: `postgres://u:p@127.0.0.1:${server.port}/db`, max_connections: 1, ...more }
    const files = { 'demo/GET/one.sql': 'SELECT 1 AS one' }
    const service = await startTestService({ kind: 'postgres', files, datasource })
    const replies = await Promise.all(Array.from({ length: 20 }, () => service.get('/demo/one')))
    ok(replies.every(({ text }) => text.includes('cannot be connected')))
    if (!('replicas' in more)) strictEqual(server.most(), 1)
    await service.close()
    await until(() => server.open() === 0, 'no open connection')
  }
  await server.close()
})

test('without a password that PostgreSQL asks for, nothing is left of requests, of /ready, or of check [F1]', async () => {
  const postgres = await startThrowawayPostgres()
  await postgres.query(`CREATE ROLE app LOGIN PASSWORD 'secret'`)
  const server = await startCounting((socket, _, chunk) => pass(socket, postgres.port, chunk))
  for (const login of ['app', 'app:']) {
    const url = `postgres://${login}@127.0.0.1:${server.port}/postgres`
    const files = { 'demo/GET/one.sql': 'SELECT 1 AS one' }
    const service = await startTestService({ kind: 'postgres', files, datasource: { url, max_connections: 3 } })
    const replies = await Promise.all(Array.from({ length: 30 }, () => service.get('/demo/one')))
    ok(replies.every(({ text }) => text.includes('cannot be connected')))
    ok(server.most() <= 3, `${server.most()} at a time`)
    await service.close()
    await until(() => server.open() === 0, 'no open connection')
    await rejects(new PostgresProbe({ url, timeoutSeconds: 120 }).ask(new AbortController().signal), /non-empty/)
    const config = { datasources: [{ name: 'demo', url }] }
    strictEqual((await runCheck({ files, config })).code, 2)
    await until(() => server.open() === 0, 'no open connection')
    // The process waits for nothing.
    if (login === 'app:') strictEqual((await spawnCheck({ files, config })).code, 2)
  }
  await server.close()
  await postgres.remove()
})
