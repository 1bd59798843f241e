/** What the log says of calls that X-Road refuses or that reach nobody: whom, as whom, and what helps. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '@services/testing'
import { hintFor } from '../../../src/serve/lanes/xroad-hints.ts'
import { rest } from '../../support/exchange.ts'
import { type Lanes, type LogLine, startLanes } from '../../support/lanes.ts'
import { answering, type RawUpstream, startRaw } from '../../support/upstreams/raw-upstream.ts'

const header =
  '<x:client i:objectType="SUBSYSTEM"><i:xRoadInstance>EE</i:xRoadInstance><i:memberClass>GOV</i:memberClass><i:memberCode>1</i:memberCode></x:client>' +
  '<x:service i:objectType="SERVICE"><i:xRoadInstance>EE</i:xRoadInstance><i:memberClass>GOV</i:memberClass><i:memberCode>2</i:memberCode><i:serviceCode>q</i:serviceCode><i:serviceVersion>v1</i:serviceVersion></x:service>' +
  '<x:id>{{generate.uuid}}</x:id>'
const envelope = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:x="http://x-road.eu/xsd/xroad.xsd" xmlns:i="http://x-road.eu/xsd/identifiers"><e:Header>${header}</e:Header><e:Body><q/></e:Body></e:Envelope>`
const dsl = { 'g/rest.yml': rest('GET'), 'g/soap.yml': JSON.stringify({ method: 'POST', envelope }) }
const client = 'ee-test/GOV/70000000/demo'
const service = 'ee-test/GOV/70000001/sub/svc'

let upstream: RawUpstream
let lanes: Lanes
before(async () => {
  upstream = await startRaw()
  lanes = await startLanes({ dsl, config: { security_server: { url: upstream.url } } })
})
after(async () => {
  await lanes.close()
  await upstream.close()
})

async function told(event: string, id: string): Promise<LogLine> {
  const find = (): LogLine | undefined => lanes.log.find((line) => line['event'] === event && line['id'] === id)
  await until(() => find() !== undefined, event)
  return find() as LogLine
}

describe('an error of X-Road on the REST lane', () => {
  const json =
    '{"type":"Server.ServerProxy.AccessDenied","message":"Request <&lt;> is not allowed: \\"svc\\"","detail":"d"}'
  const xml = '<error><type>t</type><message>Request &lt;&amp;lt;&gt; is not allowed: "svc"</message></error>'
  const framed = (body: string): readonly string[] => [
    `Content-Length: ${body.length}\r\n\r\n${body}`,
    `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ]
  for (const [index, body] of [...framed(json), ...framed(xml)].entries()) {
    test(`is in the log with code, text and hint, and unchanged for the caller, ${index} [G7 G9]`, async () => {
      upstream.serve = answering(`HTTP/1.1 500 No\r\nX-Road-Error: Server.ServerProxy.AccessDenied\r\n${body}`)
      const { status, text } = await lanes.call('/g/rest', { headers: { 'X-Road-Id': `rest-${index}` } })
      strictEqual(status, 500)
      ok(!text.includes(client))
      const { code, string, client: caller, service: called, hint } = await told('xroadError', `rest-${index}`)
      deepStrictEqual([code, string], ['Server.ServerProxy.AccessDenied', 'Request <&lt;> is not allowed: "svc"'])
      deepStrictEqual([caller, called], [client, service])
      strictEqual(hint, `ask the provider of ${service} to give ${client} the right to call it`)
    })
  }
})

test('a fault of X-Road has client, service and a hint in the log; one of the provider has no hint [G9]', async () => {
  const fault = (code: string): string =>
    `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault><faultcode>${code}</faultcode><faultstring>s</faultstring></e:Fault></e:Body></e:Envelope>`
  const call = async (code: string, id: string): Promise<LogLine> => {
    const body = fault(code)
    upstream.serve = answering(
      `HTTP/1.1 500 No\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    const { text } = await lanes.call('/g/soap', { method: 'POST', body: '{}', headers: { 'X-Road-Id': id } })
    ok(!text.includes('ask the provider') && !text.includes('EE/GOV/1'))
    return told('soapFault', id)
  }
  const denied = await call('server.serverproxy.access_denied', 'soap-1')
  deepStrictEqual([denied['client'], denied['service']], ['EE/GOV/1', 'EE/GOV/2/q/v1'])
  match(String(denied['hint']), /^ask the provider of EE\/GOV\/2\/q\/v1 to give EE\/GOV\/1 the right to call it$/)
  strictEqual((await call('soap:Client', 'soap-2'))['hint'], undefined)
})

test('a call without a connection names host, port, client and service in the log only [G9]', async () => {
  const dead = await startRaw()
  const { url, port } = dead
  await dead.close()
  const own = await startLanes({ dsl, config: { security_server: { url } } })
  for (const [path, method, expected] of [
    ['/g/rest', 'GET', [client, service]],
    ['/g/soap', 'POST', ['EE/GOV/1', 'EE/GOV/2/q/v1']],
  ] as const) {
    const { status, text } = await own.call(path, { method, ...(method === 'POST' ? { body: '{}' } : {}) })
    deepStrictEqual([status, text.includes(String(port))], [500, false])
    const line = own.log.findLast(({ event }) => event === 'callFailed')
    deepStrictEqual([line?.['upstream'], line?.['client'], line?.['service']], [`127.0.0.1:${port}`, ...expected])
  }
  await own.close()
})

test('hints know both spellings of a code, and the innermost part that means something [G9]', () => {
  const called = { upstream: 'h:1', client: 'C', service: 'S' }
  match(String(hintFor('Server.ClientProxy.UnknownMember', called)), /does not know C or the provider of S/)
  match(String(hintFor('SOAP-ENV:Server.ServerProxy.ServiceFailed.NetworkError', called)), /no connection .* S/)
  match(String(hintFor('server.serverproxy.service_failed.http_error', called)), /S itself answers with an HTTP error/)
  match(String(hintFor('server.serverproxy.service_failed.odd', called)), /S did not answer as it should/)
  match(String(hintFor('client.missing_header_field', called)), /Header needs client, service, id and protocolVersion/)
  for (const code of ['', 'soap:Client', 'E-17', 'server.serverproxy.constructor', 'Server', 'x.access_denied'])
    strictEqual(hintFor(code, called), undefined, code)
})
