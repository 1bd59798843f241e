/**
 * The service with a WSDL directory, from the drop of a file to the call of its endpoint; and where generated files
 * call.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { createServer } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { call, newFolder } from '@services/testing'
import { createPublicContext } from '../../../src/boot/tls/keystore.ts'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import { Failure } from '../../../src/errors.ts'
import { openEvents } from '../../../src/events.ts'
import type { FileReply, Reply, Request, SoapEndpoint } from '../../../src/model.ts'
import type { Trace } from '../../../src/trace.ts'
import { Budget } from '../../../src/upstream/budget.ts'
import { createGuardedLookup } from '../../../src/guard/lookup.ts'
import { StepQueue } from '../../../src/serve/lanes/in-steps.ts'
import { toReader } from '../../../src/serve/lanes/request-reader.ts'
import { toSoapDestination, type Upstreams } from '../../../src/serve/lanes/soap-destination.ts'
import { callSoap } from '../../../src/serve/lanes/soap.ts'
import { openUpstream, withoutCaller } from '../../../src/upstream/upstream.ts'
import { startLanes } from '../../support/lanes.ts'
import { startInside } from '../../support/inside.ts'
import { startProxy } from '../../support/process.ts'
import { drop, wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const sidecar = 'member_class: GOV\nmember_code: "70000000"\nsubsystem_code: demo\n'

test('a WSDL that is dropped is called through the Security Server and answers in JSON [S-wsdl.1 S-boot.4 S-route.3]', async () => {
  const folder = newFolder({
    'crm/people/1.wsdl': wsdlOf(['find']),
    'crm/people/1.meta.yaml': sidecar,
    'crm/bad/1.wsdl': '<broken',
  })
  const lanes = await startLanes({ dsl: {}, config: { wsdl_watch_dir: folder } })
  try {
    const answer = await lanes.call('/crm/people-find', { body: { a: 'x & y' } })
    strictEqual(answer.status, 200, answer.text)
    const { body, headers } = JSON.parse(answer.text) as { body: object; headers: object }
    match(JSON.stringify(body), /findResponse/)
    match(JSON.stringify(headers), /"id:serviceCode":"find"/)
    ok(lanes.events.some((line) => /find/.test(line)))
    const warnings = lanes.log.filter(({ event }) => event === 'warning').map(({ message }) => String(message))
    strictEqual(warnings.length, 1)
    match(warnings[0] ?? '', /crm\/bad\/1\.wsdl:1: .*no operation of this WSDL is generated/)
    const api = JSON.parse((await lanes.call('/api')).text) as { paths: object }
    deepStrictEqual(Object.keys(api.paths), ['/crm/people-find'])
  } finally {
    await lanes.close()
  }
})

test('two starts of the process leave the same bytes and times [S-generated.3 S-what.6]', async () => {
  const wsdl = newFolder({ 'crm/api.wsdl': wsdlOf(['find', 'add']), 'crm/api.meta.yaml': sidecar })
  const state = (dsl: string) =>
    readdirSync(join(dsl, 'crm')).map((name) => {
      const path = join(dsl, 'crm', name)
      return [name, readFileSync(path, 'utf8'), statSync(path, { bigint: true }).mtimeNs]
    })
  const first = await startProxy({ files: {}, config: { wsdl_watch_dir: wsdl, wsdl: { upstream_host_allowlist: [] } } })
  const before = state(join(first.folder, 'DSL'))
  deepStrictEqual(
    before.map(([name]) => name),
    ['add.yml', 'find.yml'],
  )
  strictEqual((await call(first.port, '/crm/find', { body: {} })).status, 500)
  await first.stop()
  const second = await startProxy({ files: {}, config: { wsdl_watch_dir: wsdl }, folder: first.folder })
  await second.stop()
  deepStrictEqual(state(join(first.folder, 'DSL')), before)
})

test('the service starts when the WSDL directory is missing [D5.10]', async () => {
  const proxy = await startInside({ files: {}, config: { wsdl_watch_dir: 'nowhere' } })
  strictEqual((await call(proxy.port, '/health')).status, 200)
  await proxy.stop()
  match(proxy.stdout(), /WARN .*wsdl_watch_dir nowhere does not exist/)
})

/** What a name leads to, as a resolver would say it. */
const resolvesTo =
  (...addresses: readonly string[]) =>
  (_name: string, _options: object, callback: (error: null, found: LookupAddress[]) => void): void =>
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )

const answered = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><done/></e:Body></e:Envelope>'

const received: string[] = []
const vendorServer = createServer((request, response) => {
  received.push(`${request.headers.host} ${request.url}`)
  request.resume().on('end', () => response.end(answered))
}).listen(0, '127.0.0.1')
after(() => vendorServer.close())

/** To be read after the server listens. */
const portOf = (): number => (vendorServer.address() as AddressInfo).port

const bounds = { secureContext: createPublicContext, timeoutSeconds: 5, maxResponseBytes: 10_000 }

const writer = withoutCaller()

function request(): Request {
  const upload = {
    length: 0,
    collect: () => Promise.resolve(new Uint8Array()),
    stream: () => (async function* () {})(),
  }
  return { method: 'POST', target: '/a/find', requestId: 'a-request', peer: undefined, headers: [], upload }
}

test('a generated address is called by its own connections, whose resolver is asked each time [D5.7 S-sidecar.service_url]', async () => {
  const { endpoints } = drop(
    { 'wsdl/a/api.wsdl': wsdlOf(['find'], { address: `http://far.example.com:${portOf()}/soap?a=1` }) },
    { allowHttp: true },
  )
  const [endpoint] = endpoints()
  ok(endpoint?.kind === 'soap')
  // The only way to a public name without a public network: a resolver of our own.
  const loopback = openUpstream({
    ...bounds,
    lookup: (_name, options, callback) =>
      options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4),
  })
  const guarded = openUpstream({ ...bounds, lookup: createGuardedLookup(resolvesTo('127.0.0.1')) })
  const never = openUpstream({ ...bounds, lookup: createGuardedLookup(resolvesTo('10.0.0.1')) })
  const lane = {
    maxRequestBytes: 1000,
    budget: new Budget(1_000_000),
    timeoutSeconds: 5,
    queue: new StepQueue(),
    exposeFaultDetail: false,
    bodies: new Map(),
    obstacles: new Map(),
    events: openEvents({ level: 'off', format: 'text' }, { write: () => undefined }),
  }
  const trace: Trace = {
    requestId: 'a-request',
    endpoint: 'a/find',
    messageId: undefined,
    upstreamMs: undefined,
    waits: undefined,
    source: undefined,
    error: undefined,
    audit: undefined,
  }
  const upstreams = { upstream: never, direct: never, guarded: loopback }
  const callWith = (called: SoapEndpoint, through: Upstreams): Promise<Reply | FileReply> => {
    const generated = { instance: 'ee-test', client: '', protocol_version: '4.0' }
    const reader = toReader(called.params, undefined, lane.events)
    const destination = toSoapDestination(called, through, undefined, { generated, reader })
    ok(destination !== undefined)
    return callSoap({ ...lane, destinations: new Map([[called, destination]]) }, called, request(), writer, trace)
  }
  try {
    const reply = await callWith(endpoint, upstreams)
    strictEqual(reply.body, '{"body":{"done":null},"headers":null}')
    deepStrictEqual(received, [`far.example.com:${portOf()} /soap?a=1`])
    // The same name, by now leading into our own network.
    const rebound = callWith(endpoint, { ...upstreams, guarded })
    await rejects(
      rebound,
      (error) => error instanceof Failure && /leads to an address that must not be called/.test(error.message),
    )
    // A file of a person is called wherever it says.
    const { endpoint: own } = readDsl(`service: http://far.example.com:${portOf()}/\nmethod: POST\nenvelope: <e/>\n`, {
      file: 'own.yml',
      group: 'a',
      service: 'own',
    })
    ok(own.kind === 'soap')
    await callWith(own, { ...upstreams, direct: loopback, guarded: never })
    strictEqual(received.length, 2)
  } finally {
    await Promise.all([loopback, guarded, never].map((each) => each.close()))
  }
})

test('with a guard no address in a blocked range is called, named or resolved [D5.7]', async () => {
  const upstream = openUpstream({ ...bounds, lookup: createGuardedLookup(resolvesTo('93.184.215.14', '10.0.0.1')) })
  const before = received.length
  try {
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', 'far.example.com']) {
      const post = {
        origin: `http://${host}:${portOf()}`,
        path: '/',
        method: 'POST',
        headers: [],
        body: Buffer.from('x'),
      }
      await rejects(
        upstream.collect(post, writer),
        (error) =>
          error instanceof Failure && error.code === 'internal_error' && /must not be called/.test(error.message),
        host,
      )
    }
    strictEqual(received.length, before)
  } finally {
    await upstream.close()
  }
})
