/**
 * The life of the process: its end on a signal, with requests in flight, idle connections and slow readers, and what it
 * writes to stdout on the way. Real processes; what they call is in the test.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type Answer, call, errorOf, linesOf, newFolder, send, until, Wire, writeFiles } from '@services/testing'
import { type RunningMock, startMock } from '../src/mock/mock.ts'
import { keystorePassword } from '../src/mock/pki.ts'
import { sharedPki } from './support/lanes.ts'
import { type Running, type Setting, startProxy } from './support/process.ts'
import { restFile, type SoapService, startSoapService } from './support/soap-service.ts'

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

async function hold({ port, soap }: Started, calls: number): Promise<Promise<Answer>[]> {
  const held = Array.from({ length: calls }, () => call(port, '/g/held', { body }))
  await until(() => soap.waiting() === calls, 'calls that wait')
  return held
}

function connectTo(port: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const socket = connect({ port, host: '127.0.0.1' })
  socket.once('connect', () => resolve('connected'))
  socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(String(code)))
  return promise.finally(() => socket.destroy())
}

/** The line of log comes just before the end of listening. */
async function endOf(running: Running, signal: NodeJS.Signals): Promise<void> {
  running.kill(signal)
  await running.line(/Shutting down/)
  await until(async () => (await connectTo(running.port)) === 'ECONNREFUSED', 'connections to be refused')
}

function requestLines(stdout: string): string[] {
  return linesOf(stdout).filter((line) => line.includes(' Request '))
}

describe('the end', { concurrency: 3 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`[D1.8] ${signal}: what is in flight is finished, nothing new is accepted, exit code 0`, async () => {
      const running = await start()
      const agent = new Agent({ keepAlive: true })
      await call(running.port, '/g/echo', { agent, body })
      const held = await hold(running, 3)
      await endOf(running, signal)
      running.soap.release()
      for (const answer of await Promise.all(held)) deepStrictEqual([answer.status, answer.text], [200, echoed])
      const { code, stdout, stderr } = await running.ended
      deepStrictEqual([code, stderr], [0, ''])
      match(linesOf(stdout).at(-1) ?? '', / INFO xroad_proxy: Stopped$/)
      match(stdout, new RegExp(`Shutting down signal=${signal}\\n`))
      strictEqual(
        requestLines(stdout).filter((line) => line.includes('g/held') && line.includes('status=200')).length,
        3,
      )
      agent.destroy()
    })
  }

  test('[D1.8] a large answer that its client is still reading is not cut', async () => {
    const running = await start()
    const wire = await Wire.open(running.port)
    wire.socket.pause()
    wire.write('GET /g/large HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(wire.socket, 'readable')
    await endOf(running, 'SIGTERM')
    wire.socket.resume()
    const { status, text } = await wire.answer()
    deepStrictEqual([status, text.length], [200, 15_000_000])
    strictEqual((await running.ended).code, 0)
    wire.socket.destroy()
  })

  test('[D1.8] a body that is on its way is waited for', async () => {
    const running = await start()
    const wires = await Promise.all(['/g/upload', '/g/echo'].map(async (path) => {
      const wire = await Wire.open(running.port)
      wire.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100009\r\n\r\n{"x":`)
      return wire
    })) // prettier-ignore
    await call(running.port, '/health')
    await endOf(running, 'SIGTERM')
    for (const wire of wires) wire.write(`"y"}${' '.repeat(100_000)}`)
    for (const wire of wires) strictEqual((await wire.answer()).status, 200)
    strictEqual((await running.ended).code, 0)
    for (const wire of wires) wire.socket.destroy()
  })

  test('[D1.8] requests that were sent ahead are answered', async () => {
    const running = await start()
    const wire = await Wire.open(running.port)
    const text = JSON.stringify(body)
    const request = (path: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${text.length}\r\n\r\n${text}`
    wire.write(request('/g/held') + request('/g/echo') + request('/g/none'))
    await until(() => running.soap.waiting() === 1, 'a call that waits')
    await endOf(running, 'SIGTERM')
    running.soap.release()
    deepStrictEqual([(await wire.answer()).text, (await wire.answer()).text], [echoed, echoed])
    strictEqual((await wire.answer()).status, 404)
    strictEqual((await running.ended).code, 0)
    wire.socket.destroy()
  })

  test('[D1.8] connections on which nothing happens do not delay the end, here and at the Security Server', async () => {
    const running = await start()
    const agent = new Agent({ keepAlive: true })
    await Promise.all(Array.from({ length: 20 }, () => call(running.port, '/g/fault', { agent })))
    await Promise.all(Array.from({ length: 20 }, () => call(running.port, '/g/echo', { agent, body })))
    const silent = await Promise.all(Array.from({ length: 100 }, () => Wire.open(running.port)))
    silent[0]?.write('GET /health HTTP/1.1\r\nHo')
    silent[1]?.write('nonsense\r\n\r\n')
    // In order, so before the end is forced.
    const { code } = await running.stop()
    strictEqual(code, 0)
    for (const wire of silent) wire.socket.destroy()
    agent.destroy()
  })

  test('[D1.8] a connection whose requests follow each other does not keep the service alive', async () => {
    const running = await start()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const failed = (async () => {
      for (;;) await call(running.port, '/g/echo', { body, agent })
    })().catch((error: unknown) => (error as NodeJS.ErrnoException).code)
    await until(() => requestLines(running.stdout()).length > 10, 'some requests')
    // In order, so before the end is forced.
    const { code } = await running.stop()
    strictEqual(code, 0)
    match(String(await failed), /^ECONN(?:REFUSED|RESET)$/)
    agent.destroy()
  })

  test('[D1.8] a client that is gone is not waited for', async () => {
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

  for (const second of ['SIGTERM', 'SIGINT'] as const) {
    test(`[D1.8] a second signal, ${second}, ends it at once`, async () => {
      const running = await start()
      const [held] = await hold(running, 1)
      const outcome = held?.catch((error: unknown) => error)
      running.kill('SIGTERM')
      await running.line(/Shutting down/)
      running.kill(second)
      const { code, signal, stdout } = await running.ended
      ok(code !== 0 || signal !== null)
      match(
        linesOf(stdout).at(-1) ?? '',
        / WARN xroad_proxy: Ended before all work was finished reason="second signal"$/,
      )
      ok((await outcome) instanceof Error)
    })
  }

  test('[D1.8] [S-error.upstream_timeout] a call that is not answered ends with its clock', async () => {
    const running = await start({ config: { limits: { request_timeout_secs: 1 }, security_server: undefined } })
    const [held] = await hold(running, 1)
    const { code } = await running.stop()
    const answer = await held
    deepStrictEqual([answer?.status, code], [504, 0])
  })
})

describe('what it writes', { concurrency: 3 }, () => {
  test('[D1.8] a line for each request, in order, all of them written at the end', async () => {
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

  test('[D1.8] PROXY_LOG_FORMAT=json: every line is an object, from the first to the last', async () => {
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

  test('[D1.8] nothing that was sent is in any line: bodies, queries, headers, the password of the keystore', async () => {
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

  test('[D1.8] a reader of the log that goes away does not end the service', async () => {
    const running = await start()
    running.child.stdout?.destroy()
    running.child.stderr?.destroy()
    for (let i = 0; i < 20; i++) strictEqual(errorOf(await call(running.port, '/none/none')), 'template_not_found')
    strictEqual((await call(running.port, '/g/echo', { body })).text, echoed)
    const { code } = await running.stop()
    strictEqual(code, 0)
  })

  test('[D1.8] a reader of the log that stops reading does not stop the service', async () => {
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

test('[S-what.6] files are read once: what changes afterwards has no effect', async () => {
  const folder = newFolder()
  const { port, soap } = await start({ folder })
  writeFiles(folder, { 'DSL/g/echo.yml': 'broken: [', 'DSL/g/new.yml': soap.echo, 'proxy.yaml': 'broken: [' })
  strictEqual((await call(port, '/g/echo', { body })).text, echoed)
  strictEqual(errorOf(await call(port, '/g/new', { body })), 'template_not_found')
})
