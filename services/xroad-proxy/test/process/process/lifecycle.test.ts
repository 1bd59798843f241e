/**
 * The life of the process: its end on a signal, with requests in flight, idle connections and slow readers, and what it
 * writes to stdout on the way. Real processes; what they call is in the test.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { testEnd, untilRefused } from '@services/command-line/testing'
import { type Reply, call, errorOf, linesOf, newFolder, send, until, Wire, writeFiles } from '@services/testing'
import { type RunningMock, startMock } from '../../../src/mock/mock.ts'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { sharedPki } from '../../support/lanes.ts'
import { type Running, type Setting, startProxy } from '../../support/process.ts'
import { restFile, type SoapService, startSoapService } from '../../support/soap-service.ts'

const echoed = '{"body":{"x":"y"},"headers":null}'
const body = { x: 'y' }

let mock: RunningMock

before(async () => {
  mock = await startMock({ host: '127.0.0.1', port: 0, folder: sharedPki().folder })
})
after(async () => mock.close())

interface Started extends Running {
  readonly soap: SoapService
}

const started: Started[] = []

async function start({ config = {}, env = {}, ...rest }: Partial<Setting> = {}): Promise<Started> {
  const soap = await startSoapService()
  const running = await startProxy({
    files: {
      'g/echo.yml': soap.echo,
      'g/held.yml': soap.held,
      'g/large.yml': restFile('GET', 'mock.large.15000000'),
      'g/upload.yml': restFile('POST', 'anything'),
      'g/silent.yml': restFile('GET', 'mock.slow-headers'),
      'g/fault.yml': restFile('GET', 'mock.provider-fault'),
    },
    config: {
      security_server: { url: mock.url, keystore_path: mock.files.keystore, trust_ca_path: mock.files.ca },
      ...config,
    },
    env: { PROXY_KEYSTORE_PASSWORD: keystorePassword, ...env },
    ...rest,
  })
  const both = { ...running, soap }
  started.push(both)
  return both
}

after(async () => {
  for (const running of started) {
    running.kill('SIGKILL')
    await running.ended
    await running.soap.close()
  }
})

async function hold({ port, soap }: Started, calls: number): Promise<Promise<Reply>[]> {
  const held = Array.from({ length: calls }, () => call(port, '/g/held', { body }))
  await until(() => soap.waiting() === calls, 'calls that wait')
  return held
}

async function end(running: Running): Promise<void> {
  running.kill('SIGTERM')
  await untilRefused(running)
}

function requestLines(stdout: string): string[] {
  return linesOf(stdout).filter((line) => line.includes(' Request '))
}

testEnd({
  title: 'calls under way [D1.8]',
  async start() {
    const running = await start({ config: { limits: { request_timeout_secs: 300 } } })
    const { port, soap } = running
    return {
      ...running,
      getPath: '/health',
      postPath: '/g/echo',
      large: { path: '/g/large', length: 15_000_000 },
      async hold() {
        const held = await hold(running, 3)
        const statuses = Promise.all(held).then((answers) => answers.map(({ status }) => status))
        return { status: statuses.then((all) => Math.max(...all)), release: () => soap.release() }
      },
      async holdForever(signal) {
        const held = call(port, '/g/held', { body, ...(signal ? { signal } : {}) })
        await until(() => soap.waiting() === 1, 'a call that waits')
        return { outcome: held.catch((error: unknown) => error) }
      },
    }
  },
})

describe('the end', { concurrency: 3 }, () => {
  test('a body that is on its way is waited for [D1.8]', async () => {
    const running = await start()
    const wires = await Promise.all(['/g/upload', '/g/echo'].map(async (path) => {
      const wire = await Wire.open(running.port)
      wire.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100009\r\n\r\n{"x":`)
      return wire
    })) // prettier-ignore
    await call(running.port, '/health')
    await end(running)
    for (const wire of wires) wire.write(`"y"}${' '.repeat(100_000)}`)
    for (const wire of wires) strictEqual((await wire.answer()).status, 200)
    strictEqual((await running.ended).code, 0)
    for (const wire of wires) wire.socket.destroy()
  })

  test('connections to the Security Server on which nothing happens do not delay it [D1.8]', async () => {
    const running = await start()
    await Promise.all(Array.from({ length: 20 }, () => call(running.port, '/g/fault')))
    strictEqual((await running.stop()).code, 0)
  })

  test('requests that were sent ahead are answered [D1.8]', async () => {
    const running = await start()
    const wire = await Wire.open(running.port)
    const text = JSON.stringify(body)
    const request = (path: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${text.length}\r\n\r\n${text}`
    wire.write(request('/g/held') + request('/g/echo') + request('/g/none'))
    await until(() => running.soap.waiting() === 1, 'a call that waits')
    await end(running)
    running.soap.release()
    deepStrictEqual([(await wire.answer()).text, (await wire.answer()).text], [echoed, echoed])
    strictEqual((await wire.answer()).status, 404)
    strictEqual((await running.ended).code, 0)
    wire.socket.destroy()
  })

  test('a client that is gone is not waited for [D1.8]', async () => {
    const running = await start()
    const abort = new AbortController()
    const gone = ['/g/held', '/g/silent'].map((path) =>
      call(running.port, path, { ...(path === '/g/held' ? { body } : {}), signal: abort.signal }).catch(() => 'gone'),
    )
    await until(() => running.soap.waiting() === 1, 'a call that waits')
    // Nothing tells of the other one.
    await new Promise((resolve) => setTimeout(resolve, 200))
    abort.abort()
    deepStrictEqual(await Promise.all(gone), ['gone', 'gone'])
    // In order, so before the end is forced.
    const { code, stdout } = await running.stop()
    strictEqual(code, 0)
    strictEqual(requestLines(stdout).filter((line) => line.includes('status=499')).length, 2, stdout)
    strictEqual(running.soap.waiting(), 0)
  })

  test('a call that is not answered ends with its clock [D1.8 S-error.upstream_timeout]', async () => {
    const running = await start({ config: { limits: { request_timeout_secs: 1 }, security_server: undefined } })
    const [held] = await hold(running, 1)
    const { code } = await running.stop()
    const answer = await held
    deepStrictEqual([answer?.status, code], [504, 0])
  })
})

describe('what it writes', { concurrency: 3 }, () => {
  test('a line for each request, in order, all of them written at the end [D1.8]', async () => {
    const running = await start()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let i = 0; i < 500; i++) await call(running.port, `/none/${i}?x=${i}`, { agent })
    agent.destroy()
    const { stdout } = await running.stop()
    deepStrictEqual(
      requestLines(stdout).map((line) => / path=(\S+) /.exec(line)?.[1]),
      Array.from({ length: 500 }, (_, i) => `/none/${i}`),
    )
  })

  test('a path in a log line is cut to 256 whole characters', async () => {
    const running = await start({ env: { PROXY_LOG_FORMAT: 'json' } })
    const paths = [`/none/${'a'.repeat(20_000)}`, `/${'b'.repeat(255)}`, `/g/${'%C3%B5'.repeat(500)}?x=1`]
    for (const path of paths) await call(running.port, path)
    const { stdout } = await running.stop()
    const lines = linesOf(stdout).map((line) => JSON.parse(line) as Record<string, string>)
    deepStrictEqual(
      lines.filter(({ event }) => event === 'request').map(({ path }) => path),
      paths.map((path) => path.slice(0, 256)),
    )
  })

  test('a warning of Node.js is a log line, once a minute for each kind, and stderr stays empty', async () => {
    const folder = newFolder({
      'preload.mjs': `
        import { EventEmitter } from 'node:events'
        process.on('newListener', (name) => {
          if (name !== 'warning') return
          setImmediate(() => {
            for (let i = 0; i < 3; i++) {
              const emitter = new EventEmitter()
              for (let j = 0; j < 12; j++) emitter.on('x', () => undefined)
            }
          })
        })`,
    })
    const env = { PROXY_LOG_FORMAT: 'json', NODE_OPTIONS: `--import=${folder}/preload.mjs` }
    const running = await start({ folder, env })
    await running.line(/processWarning/)
    const { stdout, stderr } = await running.stop()
    strictEqual(stderr, '')
    const warnings = linesOf(stdout)
      .map((line) => JSON.parse(line) as Record<string, string>)
      .filter(({ event }) => event === 'processWarning')
    deepStrictEqual(
      warnings.map(({ warning, level }) => [warning, level]),
      [['MaxListenersExceededWarning', 'warn']],
    )
    match(warnings[0]?.['message'] ?? '', /^Possible EventEmitter memory leak detected/)
  })

  test('PROXY_LOG_FORMAT=json: every line is an object, from the first to the last [D1.8]', async () => {
    const running = await start({ env: { PROXY_LOG_FORMAT: 'json' } })
    await call(running.port, '/g/echo', { body })
    await call(running.port, '/g/fault')
    await call(running.port, '/g/none%E2%80%A8')
    const { stdout, code } = await running.stop()
    strictEqual(code, 0)
    const lines = linesOf(stdout).map((line) => JSON.parse(line) as Record<string, unknown>)
    deepStrictEqual(
      lines.map(({ event }) => event),
      [
        'notice',
        'warning',
        'warning',
        'warning',
        'started',
        'listening',
        'request',
        'request',
        'request',
        'shuttingDown',
        'stopped',
      ],
    )
    ok(lines.every(({ level, time, target }) => target === 'xroad_proxy' && Boolean(level) && Number.isFinite(Date.parse(String(time))))) // prettier-ignore
    const requests = lines.filter(({ event }) => event === 'request')
    deepStrictEqual(
      requests.map(({ method, endpoint, path, status, source }) => [method, endpoint, path, status, source]),
      [
        ['POST', 'g/echo', undefined, 200, undefined],
        ['GET', 'g/fault', undefined, 500, 'provider'],
        ['GET', undefined, '/g/none%E2%80%A8', 404, 'proxy'],
      ],
    )
  })

  test('nothing that was sent is in any line: bodies, queries, headers, the password of the keystore [D1.8]', async () => {
    const running = await start()
    const headers = { authorization: 'secret', 'x-road-userid': 'secret', cookie: 'secret=secret' }
    await call(running.port, '/g/echo?secret', { body: { x: 'secret', secret: 'secret' }, headers })
    await call(running.port, '/g/upload?secret', { body: { x: 'secret' }, headers })
    await call(running.port, '/g/fault?secret', { headers })
    await call(running.port, '/g/none?secret', { headers })
    await send(running.port, 'POST http://secret:secret@x/g/none?secret HTTP/1.1\r\nSecret: secret\r\n\r\n')
    await send(running.port, 'secret secret HTTP/1.1\r\n\r\n')
    await send(running.port, 'GET /g/\x1b[31msecret HTTP/1.1\r\nHost: x\r\n\r\n')
    await send(running.port, 'POST /g/echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nsecret secret\r\n')
    const { stdout, stderr } = await running.stop()
    strictEqual(stderr, '')
    doesNotMatch(stdout, /secret/i)
    strictEqual(requestLines(stdout).length, 8)
    doesNotMatch(stdout, /[^\n\x20-\x7e]/)
  })

  test('a reader of the log that stops reading does not stop the service [D1.8]', async () => {
    const running = await start()
    running.child.stdout?.pause()
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    const path = `/none/${'x'.repeat(2000)}`
    for (let i = 0; i < 20; i++) {
      await Promise.all(Array.from({ length: 20 }, () => call(running.port, path, { agent })))
    }
    strictEqual((await call(running.port, '/g/echo', { agent, body })).text, echoed)
    agent.destroy()
    running.child.stdout?.resume()
    const { code, stdout } = await running.stop()
    deepStrictEqual([code, requestLines(stdout).length], [0, 401])
  })
})

test('files are read once: what changes afterwards has no effect [S-what.6]', async () => {
  const folder = newFolder()
  const { port, soap } = await start({ folder })
  writeFiles(folder, { 'DSL/g/echo.yml': 'broken: [', 'DSL/g/new.yml': soap.echo, 'proxy.yaml': 'broken: [' })
  strictEqual((await call(port, '/g/echo', { body })).text, echoed)
  strictEqual(errorOf(await call(port, '/g/new', { body })), 'template_not_found')
})
