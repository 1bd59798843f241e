/**
 * The admin listener in front of a mock Security Server: readiness, metrics, the end. Real processes, sockets and
 * mutual TLS.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:tls'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  call,
  errorOf,
  isRefused,
  keepCalling,
  linesOf,
  newFolder,
  type Reply,
  tableAfter,
  until,
  Wire,
} from '@services/testing'
import { promtool, samplesOf, startPrometheus, withoutPrometheus } from '@services/testing/prometheus'
import { metricTable } from '../../../src/measure/metric-table.ts'
import { type RunningMock, startMock } from '../../../src/mock/mock.ts'
import { keystorePassword, writePki } from '../../../src/mock/pki.ts'
import { sharedPki } from '../../support/lanes.ts'
import { type Inside, startInside } from '../../support/inside.ts'
import { type Running, type Setting, spawnProxy, startProxy } from '../../support/process.ts'
import { restFile, type SoapService, soapFile, startSoapService } from '../../support/soap-service.ts'

let mock: RunningMock
let direct: SoapService
before(async () => {
  mock = await startMock({ host: '127.0.0.1', port: 0, folder: sharedPki().folder })
  direct = await startSoapService()
})
after(async () => Promise.all([mock.close(), direct.close()]))

interface AdminPages {
  readonly admin: (path: string) => Promise<Reply>
  readonly adminPort: number
  readonly samples: () => Promise<ReadonlyMap<string, number>>
  readonly ready: () => Promise<{ code: number; status: string; parts: readonly Record<string, unknown>[] }>
}

const env = { PROXY_KEYSTORE_PASSWORD: keystorePassword }

function identity(server: object = {}): object {
  const { url, files } = mock
  return { url, keystore_path: files.keystore, trust_ca_path: files.ca, ...server }
}

type Fields = Readonly<Record<string, unknown>>

function settingOf(config: Fields): Setting {
  const files = {
    'soap/echo.yml': direct.echo,
    'soap/held.yml': direct.held,
    'soap/gone.yml': soapFile('http://127.0.0.1:1/'),
    'rest/one.yml': restFile('GET', 'one'),
  }
  const full = {
    admin: { bind: '127.0.0.1:0' },
    client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
    security_server: identity(),
    ...config,
  }
  return { files, env, config: full }
}

/** In a process of its own, for tests of its end. */
async function startAlone(config: Fields = {}): Promise<Running & AdminPages> {
  const running = await startProxy(settingOf(config))
  return { ...running, ...pagesBehind(await running.line(adminLine)) }
}

/** In the process of the test. */
async function start(config: Fields = {}): Promise<Inside & AdminPages> {
  const running = await startInside(settingOf(config))
  return { ...running, ...pagesBehind(linesOf(running.stdout()).find((line) => adminLine.test(line))) }
}

const adminLine = /Admin pages/

function pagesBehind(line: string | undefined): AdminPages {
  const adminPort = Number(/:(\d+)"?$/.exec(line ?? '')?.[1])
  return {
    adminPort,
    admin: (path) => call(adminPort, path),
    samples: async () => samplesOf((await call(adminPort, '/metrics')).text),
    ready: async () => {
      const { status: code, text } = await call(adminPort, '/ready')
      return { code, ...(JSON.parse(text) as { status: string; parts: Record<string, unknown>[] }) }
    },
  }
}

function untilReady(service: AdminPages, wanted: string): Promise<void> {
  return until(async () => (await service.ready()).status === wanted, wanted)
}

function untilState(service: AdminPages, wanted: string): Promise<void> {
  return until(async () => (await service.ready()).parts[0]?.['state'] === wanted, wanted)
}

describe('the listener', () => {
  test('without `admin` there is none, with it there are four pages [O1.1]', async () => {
    const without = await startInside({ files: { 'soap/echo.yml': direct.echo } })
    strictEqual(errorOf(await call(without.port, '/metrics')), 'template_not_found')
    await without.stop()
    ok(!without.stdout().includes('Admin'))

    const service = await startAlone()
    strictEqual((await service.admin('/health')).text, (await call(service.port, '/health')).text)
    const version = JSON.parse((await service.admin('/version')).text) as Record<string, string>
    deepStrictEqual([version['name'], version['node']], ['xroad-proxy', process.version])
    strictEqual((await service.admin('/soap/echo')).status, 404)
    strictEqual(errorOf(await call(service.port, '/ready')), 'template_not_found')
    strictEqual((await service.stop()).code, 0)
  })

  test('a port that is taken, or that of the callers, stops the start [O1.1]', async () => {
    const taken = createServer()
    taken.listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    for (const [own, said] of [
      [0, /admin\.bind 127\.0\.0\.1:\d+ is in use/],
      [port, /admin\.bind: port \d+ is that of the callers/],
    ] as const) {
      const config = { host: '127.0.0.1', port: own, dsl_path: '.', admin: { bind: `127.0.0.1:${port}` } }
      const { code, stdout } = await spawnProxy({ cwd: newFolder({ 'proxy.yaml': JSON.stringify(config) }) }).ended
      strictEqual(code, 1)
      match(stdout, said)
    }
    taken.close()
  })
})

describe('readiness', () => {
  test('a Security Server that takes our identity is up; no host is told [O1.2]', async () => {
    const service = await start()
    await untilReady(service, 'ready')
    const { code, parts } = await service.ready()
    deepStrictEqual(
      [code, parts.map(({ since: _since, ...part }) => part)],
      [200, [{ name: 'security_server', kind: 'security_server', state: 'up', optional: false }]],
    )
    ok(!(await service.admin('/ready')).text.includes('127.0.0.1'))
    await service.stop()
  })

  test('one that refuses our certificate behind the handshake is down, as one that is not there [O1.2]', async () => {
    const stranger = writePki(newFolder())
    for (const server of [{ keystore_path: stranger.keystore }, { url: 'https://127.0.0.1:1' }]) {
      const service = await start({ security_server: identity(server) })
      await untilState(service, 'down')
      const { code, status } = await service.ready()
      deepStrictEqual([code, status], [503, 'not_ready'])
      await service.stop()
    }
  })

  test('one that answers our calls is up, even where it has no time for a handshake alone [O1.2]', async () => {
    const { files } = mock
    let ended = 0
    const busy = createTlsServer({
      ca: readFileSync(files.ca),
      cert: readFileSync(files.serverCertificate),
      key: readFileSync(files.serverKey),
      requestCert: true,
    }).on('secureConnection', (socket) => {
      // Nobody who asks for readiness sends anything.
      const timer = setTimeout(() => {
        ended++
        socket.destroy()
      }, 100)
      socket.on('error', () => undefined)
      socket.on('data', () => {
        clearTimeout(timer)
        socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}')
      })
    })
    busy.listen(0, '127.0.0.1')
    await once(busy, 'listening')
    const url = `https://127.0.0.1:${(busy.address() as AddressInfo).port}`
    const service = await start({ security_server: identity({ url }) })
    const load = keepCalling(service.port, '/rest/one', { count: 2, body: '{}' })
    await untilReady(service, 'ready')
    ok(ended > 0, 'the questions of before were not answered')
    await load.stop()
    await service.stop()
    busy.close()
  })

  test('one that takes the connection and says nothing is down when its time is up [O1.2]', async () => {
    const silent = createServer()
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const admin = { bind: '127.0.0.1:0', ready_timeout_seconds: 1 }
    const service = await start({ admin, security_server: identity({ url }) })
    await untilState(service, 'down')
    await service.stop()
    silent.close()
  })

  test('one that says nothing keeps neither a scrape nor `/ready` waiting, and its address stands in neither [O1.3]', async () => {
    const silent = createServer()
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const admin = { bind: '127.0.0.1:0', ready_timeout_seconds: 60 }
    const service = await startAlone({ admin, security_server: identity({ url }) })
    const held = rejects(call(service.port, '/soap/held', { body: { x: 1 } }))
    await until(() => direct.waiting() > 0, 'the call to wait')
    const [ready, metrics] = await Promise.all([service.admin('/ready'), service.admin('/metrics')])
    deepStrictEqual([ready.status, metrics.status], [503, 200])
    strictEqual(samplesOf(metrics.text).get('xroad_proxy_http_requests_in_flight'), 1)
    ok(!/127\.0\.0\.1/.test(ready.text + metrics.text), 'no host')
    ok(!metrics.text.includes(`"${keystorePassword}"`), 'no password')
    service.kill('SIGKILL')
    await held
    silent.close()
  })

  test('an optional one does not count, and without one it is ready [O1.2]', async () => {
    const optional = await start({ security_server: identity({ url: 'https://127.0.0.1:1', optional: true }) })
    await untilState(optional, 'down')
    strictEqual((await optional.ready()).status, 'ready')
    await optional.stop()
    const none = await start({ security_server: undefined })
    deepStrictEqual(await none.ready(), { code: 200, status: 'ready', parts: [] })
    await none.stop()
  })

  test('the end is announced at once; during the delay requests are taken, and a second signal ends it [O1.2]', async () => {
    const service = await startAlone({ shutdown: { delay_seconds: 3600 } })
    await untilReady(service, 'ready')
    service.kill('SIGTERM')
    await service.line(/Shutting down/)
    const { code, status } = await service.ready()
    deepStrictEqual([code, status], [503, 'ending'])
    const answer = await call(service.port, '/health', { headers: { connection: 'keep-alive' } })
    deepStrictEqual([answer.status, answer.headers.connection], [200, 'close'])
    service.kill('SIGTERM')
    strictEqual((await service.ended).signal, 'SIGKILL')
  })

  test('the end comes after the delay, and the admin listener ends last [O1.2]', async () => {
    const service = await startAlone({ shutdown: { delay_seconds: 1 } })
    const held = call(service.port, '/soap/held', { body: { x: 1 } })
    await until(() => direct.waiting() > 0, 'the call to wait')
    const begun = performance.now()
    service.kill('SIGTERM')
    await until(async () => isRefused(service.port), 'the port of the callers to close')
    ok(performance.now() - begun >= 1000, 'not before the delay is over')
    strictEqual((await service.ready()).status, 'ending', 'the admin port is still open')
    direct.release()
    strictEqual((await held).status, 200)
    strictEqual((await service.ended).code, 0)
    await rejects(service.ready())
  })
})

describe('metrics', () => {
  test('operations.md lists every metric with its type and its labels [O1.3]', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
    deepStrictEqual(
      tableAfter(page, '<!-- table: metrics').map(([name = '', type, labels = '']) => {
        return [name, type, labels.split(', ').filter(Boolean)]
      }),
      Object.entries(metricTable).map(([name, { kind, labels }]) => [name, kind, labels]),
    )
  })

  for (const fastReader of [true, false]) {
    test(`calls, pages and refusals are counted, fast_reader: ${fastReader} [O1.3]`, async () => {
      const service = await start({ server: { fast_reader: fastReader } })
      for (let i = 0; i < 3; i++) strictEqual((await call(service.port, '/soap/echo', { body: { x: 1 } })).status, 200)
      await call(service.port, '/soap/gone', { body: { x: 1 } })
      await call(service.port, '/health')
      await call(service.port, '/secret')
      await call(service.port, '/soap/echo', { method: 'PROPFIND' })
      const wire = await Wire.open(service.port)
      wire.write('BREW /soap/echo HTTP/1.1\r\nHost: x\r\n\r\n')
      await wire.answer()
      const other = await Wire.open(service.port)
      other.write('no request\r\n\r\n')
      strictEqual((await other.answer()).status, 400)
      const of = (endpoint: string, method: string, status: number, error = '', source = ''): string => {
        const labels = { endpoint, method, status, error, source }
        const text = Object.entries(labels).map(([name, value]) => `${name}="${value}"`)
        return `xroad_proxy_http_requests_total{${text.join(',')}}`
      }
      const samples = await service.samples()
      const wanted: [string, number][] = [
        [of('soap/echo', 'POST', 200), 3],
        [of('soap/gone', 'POST', 500, 'internal_error', 'proxy'), 1],
        [of('/health', 'GET', 200), 1],
        [of('none', 'GET', 404, 'template_not_found', 'proxy'), 1],
        [of('none', 'other', 405, 'method_not_allowed', 'proxy'), 2],
        [of('none', 'other', 400, 'malformed_request', 'proxy'), 1],
        ['xroad_proxy_upstream_outcomes_total{endpoint="soap/echo",source=""}', 3],
        ['xroad_proxy_upstream_outcomes_total{endpoint="soap/gone",source="proxy"}', 1],
        ['xroad_proxy_upstream_duration_seconds_count{endpoint="soap/echo"}', 3],
        ['xroad_proxy_http_request_duration_seconds_count{endpoint="soap/echo",method="POST"}', 3],
        ['xroad_proxy_upstream_connections{state="busy"}', 0],
        ['xroad_proxy_inflight_bytes', 0],
        ['xroad_proxy_calls_waiting', 0],
      ]
      for (const [series, value] of wanted) strictEqual(samples.get(series), value, series)
      ok((samples.get('xroad_proxy_upstream_connections{state="idle"}') ?? 0) > 0)
      ok((samples.get('xroad_proxy_http_request_bytes_total') ?? 0) > 300)
      ok((samples.get('xroad_proxy_http_response_bytes_total') ?? 0) > 300)
      const certificates = [...samples].filter(([series]) =>
        series.startsWith('xroad_proxy_certificate_expiry_seconds'),
      )
      ok(certificates.length >= 2 && certificates.every(([, left]) => left > 0), 'own and trusted')
      ok(![...samples.keys()].some((series) => series.includes('secret')), 'no path of a caller')
      await service.stop()
    })
  }

  test(
    'Prometheus reads the page, and promtool finds nothing in it [O1.4]',
    { skip: withoutPrometheus ?? false },
    async () => {
      const service = await startAlone()
      for (let i = 0; i < 3; i++) await call(service.port, '/soap/echo', { body: { x: 1 } })
      await call(service.port, '/nothing')
      deepStrictEqual(promtool(['check', 'metrics'], (await service.admin('/metrics')).text), { code: 0, said: '' })
      const prometheus = await startPrometheus('xroad-proxy', service.adminPort)
      try {
        const sum = 'sum(xroad_proxy_http_requests_total{endpoint="soap/echo",status="200"})'
        await until(async () => (await prometheus.value(sum)) === 3, sum)
      } finally {
        await prometheus.stop()
      }
      await service.stop()
    },
  )
})
