/**
 * Spans of a started process with a real SDK of OpenTelemetry: which there are, how they hang together, what is in
 * them, when they are out.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { call, newFolder, until } from '@services/testing'
import { loadSdk, partsOf, readSpans, refuseSdk, spanKinds, type WrittenSpan } from '@services/trace/testing'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { rest } from '../../support/exchange.ts'
import { sharedPki } from '../../support/lanes.ts'
import { startProxy } from '../../support/process.ts'
import { answering, ok as answer, type RawUpstream, startRaw } from '../../support/upstreams/raw-upstream.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const sampled = `00-${traceId}-${parentId}-01`
const unsampled = `00-${'a'.repeat(32)}-${parentId}-00`
const envelope =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><ok>1</ok></e:Body></e:Envelope>'
const files = {
  'g/rest.yml': rest('GET', { path: '/persons/{code}' }),
  'g/soap.yml': 'method: POST\nparams: [code]\nenvelope: <q>{{code}}</q>\n',
  'g/broken.yml': 'method: POST\nparams: [code]\nenvelope: <broken>{{code}}</broken>\n',
  'g/nowhere.yml': 'method: POST\nservice: http://127.0.0.1:1/key-in-path?secret=1\nenvelope: <q/>\n',
}
const secret = '38001085718'

let upstream: RawUpstream
before(async () => {
  const good = answering(answer(envelope, 'Content-Type: text/xml\r\n'))
  const bad = answering(answer('no xml', 'Content-Type: text/xml\r\n'))
  upstream = await startRaw(async (peer, request) => {
    const isBroken = request.line.startsWith('POST') && (await request.body()).includes('<broken>')
    await (isBroken ? bad : good)(peer, request)
  })
})
after(() => upstream.close())

function configFor(): Readonly<Record<string, unknown>> {
  const { keystore, ca } = sharedPki().files
  return {
    client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
    security_server: { url: upstream.url, keystore_path: keystore, trust_ca_path: ca },
  }
}

function environment(folder: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { SPANS_FILE: join(folder, 'spans'), PROXY_KEYSTORE_PASSWORD: keystorePassword, ...more }
}

describe('spans of both lanes', () => {
  let spans: readonly WrittenSpan[] = []
  let log = ''

  before(async () => {
    const folder = newFolder()
    const env = environment(folder, { NODE_OPTIONS: loadSdk })
    const service = await startProxy({ files, config: configFor(), env, folder })
    const get = (path: string, headers = {}) => call(service.port, path, { headers })
    const post = (path: string, headers = {}) => call(service.port, path, { body: { code: secret }, headers })
    strictEqual((await get(`/g/rest/${secret}?q=${secret}`, { traceparent: sampled, tracestate: 'a=1' })).status, 200)
    strictEqual((await post('/g/soap', { traceparent: sampled, tracestate: 'a=1' })).status, 200)
    strictEqual((await post('/g/soap', { traceparent: unsampled })).status, 200)
    strictEqual((await post('/g/soap')).status, 200)
    strictEqual((await post('/g/broken')).status, 502)
    strictEqual((await post('/g/nowhere')).status, 500)
    strictEqual((await get('/g/nothing')).status, 404)
    strictEqual((await call(service.port, '/g/soap', { method: 'PURGE' })).status, 405)
    strictEqual((await service.stop()).code, 0)
    log = service.stdout()
    spans = readSpans(join(folder, 'spans'))
  })

  function only(name: string, route?: string): WrittenSpan {
    const found = spans.filter(
      (span) => span.name === name && (route === undefined || span.attributes['http.route'] === route),
    )
    strictEqual(found.length, 1, JSON.stringify(spans.map(({ name }) => name)))
    return found[0] as WrittenSpan
  }

  /** Server spans in the order of the requests. */
  function ofServer(): WrittenSpan[] {
    return spans.filter(({ kind }) => kind === spanKinds.server).sort((a, b) => a.startMs - b.startMs)
  }

  test('a request is a server span below that of its caller, with the names of the conventions [O2.2]', () => {
    const span = only('GET /g/rest/{code}')
    deepStrictEqual([span.traceId, span.parentId, span.kind, span.status], [traceId, parentId, spanKinds.server, 0])
    deepStrictEqual(span.attributes, {
      'http.request.method': 'GET',
      'url.scheme': 'http',
      'http.route': '/g/rest/{code}',
      'url.path': '/g/rest/{code}',
      'http.response.status_code': 200,
    })
    strictEqual(span.scope, 'xroad-proxy')
  })

  test('the call of the REST lane is a client span below it, and waits for its connection [O2.2]', () => {
    const [client, ...others] = partsOf(spans, only('GET /g/rest/{code}'))
    deepStrictEqual(others, [])
    deepStrictEqual([client?.name, client?.kind, client?.status], ['GET', spanKinds.client, 0])
    const { 'url.full': url, ...attributes } = client?.attributes ?? {}
    match(url as string, /^https:\/\/127\.0\.0\.1:\d+\/r1\/.*\/svc\/persons\/\{code\}$/)
    deepStrictEqual(attributes, {
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
      'server.port': upstream.port,
      'network.protocol.version': '1.1',
      'http.response.status_code': 200,
    })
    deepStrictEqual(
      partsOf(spans, client as WrittenSpan).map(({ name }) => name),
      ['wait for a connection'],
    )
  })

  test('the upstream is told of the client span, and of the state as it was [O2.1 O2.2]', () => {
    const [client] = partsOf(spans, only('GET /g/rest/{code}'))
    const [request] = upstream.requests
    deepStrictEqual(request?.all('traceparent'), [`00-${traceId}-${client?.spanId}-01`])
    deepStrictEqual(request?.all('tracestate'), ['a=1'])
  })

  test('on the SOAP lane the answer is parsed in a span of its own [O2.2]', () => {
    const [, server] = ofServer() as [WrittenSpan, WrittenSpan]
    strictEqual(server.name, 'POST /g/soap')
    deepStrictEqual(
      partsOf(spans, server).map(({ name, kind }) => [name, kind]),
      [
        ['POST', spanKinds.client],
        ['parse', spanKinds.internal],
      ],
    )
    const [client] = partsOf(spans, server)
    deepStrictEqual(upstream.requests[1]?.all('traceparent'), [`00-${traceId}-${client?.spanId}-01`])
  })

  test('the decision of the caller not to record is respected, and given on [O2.1 O2.2]', () => {
    ok(!spans.some((span) => span.traceId === 'a'.repeat(32)))
    match(
      upstream.requests[2]?.all('traceparent')[0] as string,
      new RegExp(`^00-a{32}-(?!${parentId})[0-9a-f]{16}-00$`),
    )
  })

  test('without a caller the SDK decides [O2.2]', () => {
    const server = ofServer()[2] as WrittenSpan
    deepStrictEqual([server.name, server.parentId], ['POST /g/soap', undefined])
    ok(upstream.requests[3]?.all('traceparent')[0]?.startsWith(`00-${server.traceId}-`))
  })

  test('what failed says so by a name [O2.2]', () => {
    const broken = only('POST /g/broken')
    deepStrictEqual([broken.status, broken.attributes['error.type']], [2, 'upstream_xml_parse_error'])
    const [client, parse] = partsOf(spans, broken)
    deepStrictEqual(
      [client?.status, parse?.status, parse?.attributes['error.type']],
      [0, 2, 'upstream_xml_parse_error'],
    )
    const nowhere = only('POST /g/nowhere')
    deepStrictEqual([nowhere.status, nowhere.attributes['http.response.status_code']], [2, 500])
    const [gone] = partsOf(spans, nowhere)
    deepStrictEqual([gone?.status, gone?.attributes['error.type']], [2, 'internal_error'])
    strictEqual(gone?.attributes['url.full'], 'http://127.0.0.1:1/key-in-path')
  })

  test('a refusal is no failure of the service [O2.2]', () => {
    const lost = ofServer().find(({ attributes }) => attributes['http.response.status_code'] === 404)
    deepStrictEqual([lost?.name, lost?.status, lost?.attributes['url.path']], ['GET', 0, '/g/nothing'])
    strictEqual(lost?.attributes['error.type'], 'template_not_found')
    const purged = ofServer().find(({ attributes }) => attributes['http.request.method'] === '_OTHER')
    deepStrictEqual([purged?.name, purged?.attributes['http.request.method_original']], ['HTTP', 'PURGE'])
  })

  test('no span has a value of a caller, an exception or a text of an error [O2.2]', () => {
    doesNotMatch(JSON.stringify(spans), new RegExp(`${secret}|secret|no xml`))
    for (const { events, message } of spans) deepStrictEqual([events, message], [0, undefined])
  })

  test('lines of the log name the server span, without any configuration [O2.1]', () => {
    const server = ofServer()[1] as WrittenSpan
    ok(log.includes(`traceparent=00-${traceId}-${server.spanId}-01`), log)
  })
})

test('an SDK that node --import loads survives the restart of the program by itself [O2.2]', async () => {
  const folder = newFolder()
  const flags = loadSdk.split('=')
  const service = await startProxy({ files, config: configFor(), env: environment(folder), folder, flags })
  if (process.platform === 'linux') {
    match(readFileSync(`/proc/${service.pid}/cmdline`, 'utf8'), /--max-semi-space-size.*--import/s)
  }
  await call(service.port, '/g/nothing')
  strictEqual((await service.stop()).code, 0)
  deepStrictEqual(
    readSpans(join(folder, 'spans')).map(({ name }) => name),
    ['GET'],
  )
})

test('an exporter that hangs does not keep the service from ending [O2.2]', async () => {
  const folder = newFolder()
  const env = environment(folder, { NODE_OPTIONS: loadSdk, SPANS_HANG: '1' })
  const service = await startProxy({ files, config: configFor(), env, folder })
  await call(service.port, '/g/nothing')
  await until(() => service.stdout().includes('status=404'), 'the line of the log')
  strictEqual((await service.stop()).code, 0)
  strictEqual(readSpans(join(folder, 'spans')).length, 1)
})

test('without an SDK nothing of OpenTelemetry is loaded [O2.2]', async () => {
  const config = { ...configFor(), trace: { enabled: true } }
  const env = environment(newFolder(), { NODE_OPTIONS: refuseSdk })
  const service = await startProxy({ files, config, env })
  strictEqual((await call(service.port, '/g/soap', { body: { code: '1' } })).status, 200)
  strictEqual((await service.stop()).code, 0)
  const again = await startProxy({ files, config, env: { ...env, NODE_OPTIONS: `${loadSdk} ${refuseSdk}` } }).catch(
    String,
  )
  match(again as string, /@opentelemetry\/api was loaded/, 'it would show')
})
