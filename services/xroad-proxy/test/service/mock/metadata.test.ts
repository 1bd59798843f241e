/**
 * The metadata services of the mock, as the protocols have them: lists with versions, `getWsdl`, `getOpenAPI`, and its
 * refusals.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { after, before, test } from 'node:test'
import { newFolder, writeFiles } from '@services/testing'
import { type RunningMock, startMock } from '../../../src/mock/mock.ts'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { sharedPki } from '../../support/lanes.ts'
import { wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const wsdl = wsdlOf(['find'], { address: 'http://10.1.2.3:8080/secret' })
const yaml =
  'openapi: 3.0.3\ninfo: {title: Pets, version: "1"}\npaths:\n  /pets/{id}/{rest+}:\n    parameters: []\n    get: {}\n    put: {}\n  /all: {post: {}}\n  /none:\n'
const answers = newFolder({
  'find.v1.wsdl': wsdl,
  'find.v2.wsdl': wsdl.replace('<wsdl:types>', '<!-- two --><wsdl:types>'),
  'find.xml': '<found/>',
  'any.wsdl': `\uFEFF${wsdl}`,
  'no-wsdl.wsdl': 'hello',
  'add.xml': '<added/>',
  'pets.openapi.yaml': yaml,
  'pets.json': '[]',
  'shops.openapi.json': '{"openapi": "3.1.0"}',
  'plain.json': '{}',
  'broken.openapi.yaml': 'openapi: [\n',
})
let mock: RunningMock
let agent: Agent

before(async () => {
  mock = await startMock({ host: '127.0.0.1', port: 0, folder: sharedPki().folder, answers })
  const { files } = mock
  agent = new Agent({ pfx: readFileSync(files.keystore), passphrase: keystorePassword, ca: readFileSync(files.ca) })
})
after(async () => {
  agent.destroy()
  await mock.close()
})

interface Reply {
  readonly status: number
  readonly type: string
  readonly text: string
  readonly bytes: Buffer
}

async function send(path: string, headers: Record<string, string>, body?: string): Promise<Reply> {
  const outgoing = request(`${mock.url}${path}`, { method: body === undefined ? 'GET' : 'POST', headers, agent })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  return {
    status: incoming.statusCode ?? 0,
    type: incoming.headers['content-type'] ?? '',
    text: bytes.toString(),
    bytes,
  }
}

function soap(service: string, inside = ''): Promise<Reply> {
  const names = (code: string): string =>
    '<id:xRoadInstance>EE</id:xRoadInstance><id:memberClass>GOV</id:memberClass><id:memberCode>2</id:memberCode>' +
    `<id:subsystemCode>sub</id:subsystemCode>${code}`
  const envelope =
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xrd="http://x-road.eu/xsd/xroad.xsd" ' +
    'xmlns:id="http://x-road.eu/xsd/identifiers"><e:Header>' +
    `<xrd:client id:objectType="SUBSYSTEM">${names('')}</xrd:client>` +
    `<xrd:service id:objectType="SERVICE">${names(`<id:serviceCode>${service}</id:serviceCode>`)}</xrd:service>` +
    '<xrd:id>7</xrd:id><xrd:protocolVersion>4.0</xrd:protocolVersion></e:Header>' +
    `<e:Body><xrd:${service}>${inside}</xrd:${service}></e:Body></e:Envelope>`
  return send('/', { 'Content-Type': 'text/xml; charset=utf-8' }, envelope)
}

function getWsdl(code: string, version?: string): Promise<Reply> {
  const more = version === undefined ? '' : `<xrd:serviceVersion>${version}</xrd:serviceVersion>`
  return soap('getWsdl', `<xrd:serviceCode>${code}</xrd:serviceCode>${more}`)
}

const rest = (path: string): Promise<Reply> => send(`/r1/EE/GOV/2/sub/${path}`, { 'X-Road-Client': 'EE/GOV/1/me' })

const faultOf = ({ text }: Reply): string =>
  (/<faultcode>(.*)<\/faultcode><faultstring>(.*)<\/faultstring>/.exec(text) ?? []).slice(1).join(': ')

/** The second part of a multipart answer. */
function attachmentOf({ type, bytes }: Reply): { head: string; body: Buffer } {
  const boundary = /boundary="([^"]+)"/.exec(type)?.[1] ?? ''
  const text = bytes.toString('latin1')
  const [, , second = ''] = text.split(`--${boundary}`)
  const at = second.indexOf('\r\n\r\n')
  return { head: second.slice(2, at), body: Buffer.from(second.slice(at + 4, -2), 'latin1') }
}

test('getWsdl answers with the envelope and the WSDL as an attachment, its address hidden [P1.3]', async () => {
  const answer = await getWsdl('find', 'v1')
  match(answer.type, /^multipart\/related; type="text\/xml"; charset=UTF-8; boundary="[^"]+"$/)
  match(
    answer.text,
    /<xrd:getWsdlResponse><xrd:serviceCode>find<\/xrd:serviceCode><xrd:serviceVersion>v1<\/xrd:serviceVersion><\/xrd:getWsdlResponse>/,
  )
  match(answer.text, /<xrd:requestHash /)
  const { head, body } = attachmentOf(answer)
  match(head, /^Content-Type: text\/xml\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <wsdl=[^>]+@x-road\.eu>$/)
  strictEqual(body.toString(), wsdl.replace('http://10.1.2.3:8080/secret', 'http://example.org/xroad-endpoint'))
})

test('a version has its own file; one file without a version is there for all of them [P1.3]', async () => {
  match(attachmentOf(await getWsdl('find', 'v2')).body.toString(), /<!-- two -->/)
  for (const version of [undefined, 'v7']) {
    const { body } = attachmentOf(await getWsdl('any', version))
    deepStrictEqual(body.subarray(0, 3), Buffer.from('\uFEFF'))
    match(body.toString(), /location="http:\/\/example\.org\/xroad-endpoint"/)
  }
  strictEqual(attachmentOf(await getWsdl('no-wsdl')).body.toString(), 'hello')
})

test('getWsdl refuses in the words of a Security Server [P1.3]', async () => {
  const refused: readonly (readonly [Promise<Reply>, string])[] = [
    [
      getWsdl('find'),
      'server.serverproxy.unknown_service: Could not find wsdl URL for service SERVICE:EE/GOV/2/sub/find',
    ],
    [
      getWsdl('find', 'v3'),
      'server.serverproxy.unknown_service: Could not find wsdl URL for service SERVICE:EE/GOV/2/sub/find/v3',
    ],
    [
      getWsdl('add'),
      'server.serverproxy.unknown_service: Could not find wsdl URL for service SERVICE:EE/GOV/2/sub/add',
    ],
    [
      getWsdl('../find', 'v1'),
      'server.serverproxy.unknown_service: Could not find wsdl URL for service SERVICE:EE/GOV/2/sub/../find/v1',
    ],
    [getWsdl('pets'), 'server.serverproxy.invalid_service_type: Service is a REST service and does not have a WSDL'],
    [getWsdl('plain'), 'server.serverproxy.invalid_service_type: Service is a REST service and does not have a WSDL'],
    [getWsdl(' '), 'server.serverproxy.invalid_request: Missing serviceCode in message body'],
    [soap('getWsdl'), 'server.serverproxy.invalid_request: Missing serviceCode in message body'],
  ]
  for (const [answer, fault] of refused) strictEqual(faultOf(await answer), fault)
})

test('listMethods by SOAP has the versions, and no REST services [P1.3]', async () => {
  const { text } = await soap('listMethods')
  const services = Array.from(
    text.matchAll(
      /<id:serviceCode>([^<]*)<\/id:serviceCode>(?:<id:serviceVersion>([^<]*)<\/id:serviceVersion>)?<\/xrd:service>/g,
    ),
    ([, code, version]) => [code, version],
  )
  deepStrictEqual(services.slice(1), [
    ['add', undefined],
    ['any', undefined],
    ['find', 'v1'],
    ['find', 'v2'],
    ['no-wsdl', undefined],
  ])
})

test('listMethods by REST tells those that have a description [P1.3]', async () => {
  const { service } = JSON.parse((await rest('listMethods')).text) as { service: Record<string, string>[] }
  deepStrictEqual(
    service.map((each) => [each['service_code'], each['service_type']]),
    [
      ['add', 'REST'],
      ['broken', 'OPENAPI'],
      ['pets', 'OPENAPI'],
      ['plain', 'REST'],
      ['shops', 'OPENAPI'],
    ],
  )
})

test('listMethods by REST has methods and paths of a description, with * for what is a parameter [P1.3]', async () => {
  const { service } = JSON.parse((await rest('allowedMethods')).text) as {
    service: { service_code: string; endpoint_list: unknown }[]
  }
  deepStrictEqual(Object.fromEntries(service.map((each) => [each.service_code, each.endpoint_list])), {
    add: [],
    pets: [
      { method: 'GET', path: '/pets/*/*' },
      { method: 'PUT', path: '/pets/*/*' },
      { method: 'POST', path: '/all' },
    ],
    plain: [],
    // Neither of them says where its paths are.
    broken: [],
    shops: [],
  })
})

test('getOpenAPI gives the description, or refuses in the words of a Security Server [P1.3]', async () => {
  const pets = await rest('getOpenAPI?serviceCode=pets')
  deepStrictEqual([pets.status, pets.type, pets.text], [200, 'text/yaml; charset=utf-8', yaml])
  strictEqual((await rest('getOpenAPI?a=b&SERVICECODE=shops')).type, 'application/json; charset=utf-8')
  const refused: Readonly<Record<string, readonly [string, string]>> = {
    getOpenAPI: ['invalid_request', 'Missing serviceCode in message body'],
    'getOpenAPI?serviceCode=': ['invalid_request', 'Missing serviceCode in message body'],
    'getOpenAPI?serviceCode=find': ['internal_error', 'Invalid service type: WSDL'],
    'getOpenAPI?serviceCode=plain': ['internal_error', 'Invalid service type: REST'],
    'getOpenAPI?serviceCode=..%2Fpets': ['internal_error', 'Service not found: SERVICE:EE/GOV/2/sub/../pets'],
  }
  for (const [path, [code, message]] of Object.entries(refused)) {
    const answer = await rest(path)
    const error = JSON.parse(answer.text) as Record<string, string>
    deepStrictEqual(
      [answer.status, error['type'], error['message']],
      [500, `server.serverproxy.${code}`, message],
      path,
    )
  }
})

test('a file that answers getWsdl or getOpenAPI itself goes before [P1.3]', async () => {
  writeFiles(answers, { 'getWsdl.xml': '<own/>', 'getOpenAPI.txt': 'own' })
  ok((await getWsdl('find', 'v1')).text.includes('<own/>'))
  strictEqual((await rest('getOpenAPI?serviceCode=pets')).text, 'own')
})
