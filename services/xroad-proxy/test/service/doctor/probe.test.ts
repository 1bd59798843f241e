/** `doctor --probe` against the mock Security Server and against servers that answer what none should. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { readYaml } from '@services/config-file'
import { checkGrowth, type Files, newFolder, writeFiles } from '@services/testing'
import { issueClient, issueServer, makeAuthority, toPkcs12 } from '@services/testing/certificates'
import { surveyEndpoints } from '../../../src/boot/dsl/endpoints.ts'
import { createClientContext } from '../../../src/boot/tls/keystore.ts'
import { parseConfig } from '../../../src/boot/config/schema.ts'
import {
  type MetadataResponse,
  MetadataError,
  readClients,
  readRestServices,
  readSoapServices,
} from '../../../src/metadata/responses.ts'
import { probe, type ProbeFacts } from '../../../src/doctor/probe/probe.ts'
import { isOnPath } from '../../../src/doctor/probe/question.ts'
import { startMock } from '../../../src/mock/mock.ts'
import type { ResponseWriter } from '../../../src/model.ts'
import { openUpstream } from '../../../src/upstream/upstream.ts'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { sharedPki, startLanes } from '../../support/lanes.ts'
import { type Act, startUpstream, toAnswer, toEnvelope, toFault11 } from '../../support/upstreams/upstream.ts'

const { folder: pkiFolder, files: pki } = sharedPki()
const env = { WORD: keystorePassword }
const secureContext = createClientContext(
  { keystorePath: pki.keystore, keystorePasswordEnv: 'WORD', trustCaPath: pki.ca },
  env,
)

const restFile = (code: string, path = '', method = 'GET', provider = 'registry'): string => `kind: rest
method: ${method}
target: { member_class: GOV, member_code: "70000001", subsystem_code: ${provider}, service_code: ${code}, path: "${path}" }
`

const envelope = (service: string): string => `params: [p, code]
method: POST
envelope: |
  <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:x="http://x-road.eu/xsd/xroad.xsd"
      xmlns:i="http://x-road.eu/xsd/identifiers"><s:Header>{{{generate.client}}}${service}<x:id>{{generate.uuid}}</x:id>
    </s:Header><s:Body><q>{{p}}</q></s:Body></s:Envelope>
`
const soapFile = (code: string, version = '', memberCode = '70000001'): string =>
  envelope(
    `<x:service i:objectType="SERVICE"><i:xRoadInstance>{{generate.instance}}</i:xRoadInstance>` +
      `<i:memberClass>GOV</i:memberClass><i:memberCode>${memberCode}</i:memberCode>` +
      `<i:subsystemCode>registry</i:subsystemCode><i:serviceCode>${code}</i:serviceCode>` +
      `${version === '' ? '' : `<i:serviceVersion>${version}</i:serviceVersion>`}</x:service>`,
  )

async function ask(
  url: string,
  dsl: Files,
  fields: Readonly<Record<string, string | number>> = {},
): Promise<ProbeFacts> {
  const folder = newFolder()
  writeFiles(folder, dsl)
  const { seconds = 5, instance = 'ee-test' } = fields
  const config = {
    client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
    limits: { request_timeout_secs: seconds },
    xroad_instance: instance,
    security_server: { url, keystore_path: pki.keystore, trust_ca_path: pki.ca },
  }
  const { value: settings, problems } = parseConfig(readYaml(JSON.stringify(config)))
  ok(settings, JSON.stringify(problems))
  const { endpoints } = surveyEndpoints(folder)
  return probe({ settings, url, secureContext, endpoints })
}

/** Path -> verdict. */
const verdictsOf = ({ endpoints }: ProbeFacts): Record<string, string> =>
  Object.fromEntries(endpoints.map(({ path, verdict }) => [path, verdict]))

describe('in front of the mock', async () => {
  const answers = newFolder({ 'companies.json': '{}', 'person.xml': '<a/>', 'other.txt': '' })
  const events: string[] = []
  const onEvent = (line: string): void => void events.push(line)
  const mock = await startMock({ host: '127.0.0.1', port: 0, folder: pkiFolder, answers, onEvent })
  after(() => mock.close())

  test('each endpoint gets its verdict, and no service of a provider is called [S-doctor.probe]', async () => {
    events.length = 0
    const facts = await ask(mock.url, {
      'g/rest.yml': restFile('companies', '/v1/x'),
      'g/rest2.yml': restFile('secret'),
      'g/soap.yml': soapFile('person'),
      'g/soap2.yml': soapFile('nobody'),
      'g/version.yml': soapFile('person', 'v1'),
      'g/meta.yml': soapFile('listMethods'),
      'g/dynamic.yml': soapFile('{{code}}'),
      'g/partly.yml': soapFile('person', '', '{{p}}'),
      'g/plain.yml': 'method: POST\nenvelope: <e/>\n',
      'g/no-xml.yml': 'method: POST\nenvelope: "<e>"\n',
      'g/direct.yml': `service: https://service.example.org\n${soapFile('person')}`,
    })
    strictEqual(facts.connectionProblem, undefined)
    match(facts.connection, /^TLSv1\.[23] with \w+$/)
    deepStrictEqual(facts.clients, [])
    deepStrictEqual(facts.silentProviders, [])
    deepStrictEqual(verdictsOf(facts), {
      '/g/direct': 'unknown',
      '/g/dynamic': 'unknown',
      '/g/meta': 'allowed',
      '/g/no-xml': 'unknown',
      '/g/partly': 'unknown',
      '/g/plain': 'unknown',
      '/g/rest': 'allowed',
      '/g/rest2': 'allowed',
      '/g/soap': 'allowed',
      '/g/soap2': 'allowed',
      '/g/version': 'allowed',
    })
    const asked = events.map((line) => line.split(': ')[0] ?? '')
    deepStrictEqual(asked.toSorted(), [
      'GET /listClients?xRoadInstance=ee-test listClients',
      'GET /r1/ee-test/GOV/70000001/registry/allowedMethods allowedMethods',
      'POST / allowedMethods',
    ])
  })

  test('calls that the mock answers are not said to be refused, whatever it has files for [X29]', async () => {
    const dsl = {
      'g/rest.yml': restFile('anything', '/v1/x', 'POST'),
      'g/soap.yml': soapFile('whatever', 'v7'),
      'g/elsewhere.yml': restFile('companies', '', 'GET', 'other'),
    }
    const facts = await ask(mock.url, dsl)
    deepStrictEqual(verdictsOf(facts), { '/g/elsewhere': 'allowed', '/g/rest': 'allowed', '/g/soap': 'allowed' })
    const reasons = facts.endpoints.map(({ reason }) => reason)
    strictEqual(reasons.filter((reason) => reason === 'this is the mock, which answers every service code').length, 2)
    const lanes = await startLanes({ dsl })
    const statuses = await Promise.all([
      lanes.call('/g/rest', { method: 'POST', body: '{}' }),
      lanes.call('/g/elsewhere'),
    ])
    await lanes.close()
    deepStrictEqual(
      statuses.map(({ status }) => status),
      [200, 200],
    )
  })

  test('endpoints of an OpenAPI description are compared with the path of the file, parameters with stars [S-doctor.probe P3.1]', async () => {
    const endpoint_list = [
      { method: 'GET', path: '/pet/*' },
      { method: 'POST', path: '/store/**' },
      { method: '*', path: '/any' },
    ]
    const service = [
      { service_code: 'petstore', service_type: 'OPENAPI', endpoint_list },
      { service_code: 'whole', endpoint_list: [] },
      { service_code: 'bare' },
    ]
    writeFiles(answers, { 'allowedMethods.json': JSON.stringify({ service }) })
    const facts = await ask(mock.url, {
      'g/a.yml': restFile('petstore', '/pet/7'),
      'g/b.yml': restFile('petstore', '/pet/7', 'POST'),
      'g/c.yml': restFile('petstore', '/store/a/b', 'POST'),
      'g/d.yml': restFile('petstore', 'any', 'DELETE'),
      'g/e.yml': restFile('petstore'),
      'g/f.yml': restFile('whole', '/what/ever', 'PUT'),
      'g/g.yml': restFile('bare'),
      'g/h.yml': restFile('companies'),
      'g/i.yml': restFile('petstore', '/pet/{id}'),
      'g/j.yml': restFile('petstore', '/store/{rest+}', 'POST'),
      'g/k.yml': restFile('petstore', '/pet/{id}/{part}'),
    })
    deepStrictEqual(verdictsOf(facts), {
      '/g/a': 'allowed',
      '/g/b': 'unknown',
      '/g/c': 'allowed',
      '/g/d': 'allowed',
      '/g/e': 'unknown',
      '/g/f': 'allowed',
      '/g/g': 'allowed',
      '/g/h': 'not allowed',
      '/g/i/{id}': 'allowed',
      '/g/j/{rest+}': 'allowed',
      '/g/k/{id}/{part}': 'unknown',
    })
  })

  test('a provider that the instance does not have is not asked [S-doctor.probe]', async () => {
    const id = { xroad_instance: 'ee-test', member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' }
    writeFiles(answers, { 'listClients.json': JSON.stringify({ member: [{ id, name: 'Demo' }] }) })
    events.length = 0
    const facts = await ask(mock.url, { 'g/a.yml': restFile('companies') })
    strictEqual(facts.clients.length, 1)
    deepStrictEqual(verdictsOf(facts), { '/g/a': 'not allowed' })
    match(facts.endpoints[0]?.reason ?? '', /no client ee-test\/GOV\/70000001\/registry/)
    deepStrictEqual(
      events.filter((line) => line.includes('/r1/')),
      [],
    )
  })

  test('a provider of another instance is looked for in the list of that one [P1.1 S-doctor.weak-probe-provider-unknown]', async () => {
    const member = ['EE', 'EE2'].map((instance) => {
      return { id: { xroad_instance: instance, member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' } }
    })
    writeFiles(answers, { 'listClients.json': JSON.stringify({ member }) })
    events.length = 0
    const file = (instance: string): string =>
      restFile('x').replace('{ member', `{ xroad_instance: ${instance}, member`)
    const facts = await ask(mock.url, { 'g/a.yml': file('EE'), 'g/b.yml': file('EE'), 'g/c.yml': file('FI') })
    const found = facts.endpoints.map(({ provider, lacking }) => [provider, lacking])
    deepStrictEqual(found.slice(0, 2), [
      ['EE/GOV/70000001/registry', 'provider'],
      ['EE/GOV/70000001/registry', 'provider'],
    ])
    // Its list has nobody of that instance, so it is no list of it.
    strictEqual(facts.endpoints[2]?.lacking, undefined)
    const asked = events.flatMap((line) => /\/listClients\?xRoadInstance=(\S+)/.exec(line)?.[1] ?? [])
    deepStrictEqual(asked.toSorted(), ['EE', 'FI', 'ee-test'])
    writeFiles(answers, { 'listClients.json': '{"member":[]}' })
  })

  test('a version that the provider lacks is told from one that is not allowed [S-doctor.weak-probe-version-unknown]', async () => {
    const list = (name: string, services: readonly (readonly [string, string])[]): string => {
      const all = services.map(
        ([code, version]) =>
          `<xroad:service><id:serviceCode>${code}</id:serviceCode>${
            version === '' ? '' : `<id:serviceVersion>${version}</id:serviceVersion>`
          }</xroad:service>`,
      )
      return `<xroad:${name}Response xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" xmlns:id="http://x-road.eu/xsd/identifiers">${all.join('')}</xroad:${name}Response>`
    }
    const all = ['v1', 'v2', 'v3'].map((version) => ['find', version] as const)
    const own = newFolder({
      'allowedMethods.xml': list('allowedMethods', [['find', 'v1']]),
      'listMethods.xml': list('listMethods', [...all, ['bare', '']]),
    })
    const seen: string[] = []
    const onEvent = (line: string): void => void seen.push(line)
    const other = await startMock({ host: '127.0.0.1', port: 0, folder: pkiFolder, answers: own, onEvent })
    const dsl = {
      'g/a.yml': soapFile('find', 'v1'),
      'g/b.yml': soapFile('find', 'v2'),
      'g/c.yml': soapFile('find', 'v9'),
      'g/d.yml': soapFile('find'),
      'g/e.yml': soapFile('bare', 'v1'),
      'g/f.yml': soapFile('nobody', 'v1'),
    }
    const facts = await ask(other.url, dsl)
    const only = await ask(other.url, { 'g/a.yml': dsl['g/a.yml'] })
    writeFiles(own, { 'listMethods.xml': list('listMethods', [['find', '']]) })
    const odd = await ask(other.url, { 'g/c.yml': dsl['g/c.yml'] })
    await other.close()
    deepStrictEqual(
      facts.endpoints.map(({ verdict, lacking, reason }) => [verdict, lacking, reason.replaceAll(/\S*registry/g, 'X')]),
      [
        ['allowed', undefined, 'the provider lists the service for this client'],
        ['not allowed', undefined, 'X does not list find v2 for this client (allowed is find v1)'],
        ['not allowed', 'version', 'X has no find v9; it has find v1, v2, v3'],
        ['not allowed', 'version', 'X has no find without a version; it has find v1, v2, v3'],
        ['not allowed', 'version', 'X has no bare v1; it has bare without version'],
        ['not allowed', undefined, 'X does not list nobody v1 for this client'],
      ],
    )
    strictEqual(only.endpoints[0]?.verdict, 'allowed')
    // What is allowed is there, also where the list of all does not have it.
    match(odd.endpoints[0]?.reason ?? '', /has no find v9; it has find without version, v1$/)
    // Nobody who may call everything makes the provider list all that it has.
    strictEqual(seen.filter((line) => line.includes(' listMethods:')).length, 2)
  })

  test('the mock lists clients as XML to those who do not take JSON', async () => {
    const xml = '<clientList>from the file</clientList>'
    const list = async (accept: string): Promise<string> => {
      const upstream = openUpstream({ secureContext: () => secureContext, timeoutSeconds: 5, maxResponseBytes: 10_000 })
      const headers = ['Accept', accept]
      const call = { origin: mock.url, path: '/listClients', method: 'GET', headers, body: undefined }
      const { body } = await upstream.collect(call, { isOpen: true } as ResponseWriter)
      await upstream.close()
      return Buffer.from(body).toString()
    }
    strictEqual(await list('*/*'), '<xrd:clientList xmlns:xrd="http://x-road.eu/xsd/xroad.xsd"/>')
    writeFiles(answers, { 'listClients.xml': xml })
    strictEqual(await list('text/xml'), xml)
    match(await list('text/xml, application/json;q=0.1'), /^\{"member":/)
  })

  test('a certificate that the server refuses is told [S-doctor.probe]', async () => {
    const stranger = issueClient(makeAuthority('nobody'))
    const folder = newFolder({ 'client.p12': toPkcs12(stranger.key, [stranger.certificate], 'w') })
    const settings = { keystorePath: join(folder, 'client.p12'), keystorePasswordEnv: 'W', trustCaPath: pki.ca }
    const section = { url: mock.url, keystore_path: settings.keystorePath, trust_ca_path: pki.ca }
    const { value } = parseConfig({ security_server: section })
    ok(value)
    const refused = createClientContext(settings, { W: 'w' })
    const facts = await probe({ settings: value, url: mock.url, secureContext: refused, endpoints: [] })
    match(facts.connectionProblem ?? '', /certificate/)
  })
})

/** A Security Server of a test's own making. */
async function against(act: Act, dsl: Files, fields?: Parameters<typeof ask>[2]): Promise<ProbeFacts> {
  const upstream = await startUpstream(act, { tls: 'mock' })
  try {
    return await ask(`${upstream.url}${fields?.['prefix'] ?? ''}`, dsl, fields)
  } finally {
    await upstream.close()
  }
}

const json = (value: unknown, status = 200): Buffer =>
  toAnswer(JSON.stringify(value), { status, type: 'application/json' })

describe('servers that answer something else', () => {
  const dsl = { 'g/rest.yml': restFile('a'), 'g/soap.yml': soapFile('b') }

  test('errors of a Security Server are told in its own words [S-doctor.probe]', async () => {
    const error = { type: 'Server.ClientProxy.SslAuthenticationFailed', message: 'no IS\u001Bcertificates' }
    const facts = await against((socket, { head }) => {
      if (head.startsWith('POST')) socket.write(toAnswer(toFault11('Server.ServerProxy.X', 'broken')))
      else socket.write(json(error, 500))
    }, dsl)
    strictEqual(facts.clientsProblem, 'Server.ClientProxy.SslAuthenticationFailed: no IS certificates')
    deepStrictEqual(facts.silentProviders.map(({ problem }) => problem).toSorted(), [
      'Server.ClientProxy.SslAuthenticationFailed: no IS certificates',
      'Server.ServerProxy.X: broken',
    ])
    deepStrictEqual(verdictsOf(facts), { '/g/rest': 'unknown', '/g/soap': 'unknown' })
  })

  const oddities: readonly [string, Buffer][] = [
    ['a page', toAnswer('<html><body>Hello</body></html>', { type: 'text/html' })],
    ['nothing', toAnswer('')],
    ['a redirect', toAnswer('', { status: 302, headers: { Location: '/login' } })],
    ['other JSON', json([1, 2, 3])],
    ['null', json(null)],
    ['deep JSON', toAnswer(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, { type: 'application/json' })],
    [
      'members that are none',
      json({ member: [null, 1, 'x', [], { id: 7 }], service: [null, 1, { endpoint_list: 'x' }] }),
    ],
    ['another SOAP answer', toAnswer(toEnvelope('<other/>'))],
    ['services that are none', toAnswer(toEnvelope('<allowedMethodsResponse><service/>text</allowedMethodsResponse>'))],
    ['an error without words', toAnswer('', { status: 503 })],
    ['long words', json({ type: 'x'.repeat(100_000), message: '\n'.repeat(1000) }, 500)],
  ]
  for (const [name, answer] of oddities) {
    test(`${name} [S-doctor.probe]`, async () => {
      const { endpoints, silentProviders, clientsProblem = '' } = await against((socket) => socket.write(answer), dsl)
      strictEqual(endpoints.length, 2)
      for (const { verdict, reason } of endpoints) ok(verdict !== 'allowed' && reason.length < 600)
      for (const { problem } of silentProviders) ok(problem.length > 0 && problem.length <= 300)
      ok(clientsProblem.length <= 300)
    })
  }

  test('one that never answers ends with its clock [S-doctor.probe]', async () => {
    const facts = await against(() => undefined, dsl, { seconds: 1 })
    match(facts.connectionProblem ?? '', /within 1 s/)
  })

  test('a path before the services is kept, as the instance in the query [S-doctor.probe]', async () => {
    const heads: string[] = []
    const act: Act = (socket, { head }) => {
      heads.push(head.split(' HTTP/')[0] as string)
      socket.write(json({}))
    }
    await against(act, dsl, { prefix: '/gate/way', instance: 'EE&x' })
    deepStrictEqual(heads.toSorted(), [
      'GET /gate/way/listClients?xRoadInstance=EE%26x',
      'GET /gate/way/r1/EE%26x/GOV/70000001/registry/allowedMethods',
      'POST /gate/way/',
    ])
  })

  test('the identity and the headers of a request for what is allowed [S-doctor.probe]', async () => {
    const received: string[] = []
    const clients: string[] = []
    const upstream = await startUpstream(
      (socket, { head, body }) => {
        received.push(`${head}\n${body}`)
        socket.write(json({}))
      },
      { tls: 'mock' },
    )
    await ask(upstream.url, { ...dsl, 'g/other.yml': restFile('z', '/other') })
    clients.push(...upstream.clients)
    await upstream.close()
    strictEqual(received.length, 3, 'each provider of each lane is asked once')
    ok(clients.every((name) => name === 'Mock client'))
    const rest = received.find((each) => each.includes('/r1/')) ?? ''
    match(rest, /^X-Road-Client: ee-test\/GOV\/70000000\/demo$/im)
    match(rest, /^Accept: application\/json$/im)
    const soap = received.find((each) => each.startsWith('POST')) ?? ''
    match(soap, /<id:serviceCode>allowedMethods<\/id:serviceCode>/)
    match(soap, /<id:subsystemCode>demo<\/id:subsystemCode>/)
    match(soap, /<soapenv:Body><xroad:allowedMethods\/><\/soapenv:Body>/)
    match(soap, /^content-type: text\/xml; charset=utf-8$/im)
  })
})

describe('no connection', () => {
  test('a port where nobody listens is told [S-doctor.probe]', async () => {
    const listener = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => listener.once('listening', resolve))
    const { port } = listener.address() as { port: number }
    listener.close()
    const facts = await ask(`https://127.0.0.1:${port}`, {})
    match(facts.connectionProblem ?? '', /refused the connection/)
  })

  test('plain HTTP on the port [S-doctor.probe]', async () => {
    const listener = createServer((socket) => void socket.on('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')))
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as { port: number }
    const facts = await ask(`https://127.0.0.1:${port}`, {})
    listener.close()
    match(facts.connectionProblem ?? '', /does not speak TLS/)
  })

  test('a server of another authority [S-doctor.probe]', async () => {
    const stranger = await startUpstream(() => undefined, { tls: issueServer(makeAuthority('other')) })
    match((await ask(stranger.url, {})).connectionProblem ?? '', /trust_ca_path/)
    await stranger.close()
  })

  test('a port that takes connections and says nothing [S-doctor.probe]', async () => {
    const listener = createServer(() => undefined).listen(0, '127.0.0.1')
    await new Promise((resolve) => listener.once('listening', resolve))
    const { port } = listener.address() as { port: number }
    const sockets = new Set<{ destroy: () => void }>()
    listener.on('connection', (socket) => sockets.add(socket))
    const facts = await ask(`https://127.0.0.1:${port}`, {}, { seconds: 1 })
    for (const socket of sockets) socket.destroy()
    listener.close()
    match(facts.connectionProblem ?? '', /did not take the connection in time/)
  })
})

describe('what the metadata services say', () => {
  const answer = (body: string, contentType = 'application/json'): MetadataResponse => ({
    status: 200,
    contentType,
    body: Buffer.from(body),
  })

  test('members and subsystems are told apart [S-doctor.probe]', () => {
    const body = {
      member: [{ id: { member_class: 'GOV', member_code: 'TS1', object_type: 'MEMBER', xroad_instance: 'AA' } }],
    }
    deepStrictEqual(readClients(answer(JSON.stringify(body))), [
      { instance: 'AA', memberClass: 'GOV', memberCode: 'TS1', subsystemCode: '' },
    ])
  })

  test('codes that look like numbers stay as they are [S-doctor.probe]', () => {
    deepStrictEqual(
      readRestServices(answer('{"service":[{"service_code":12345678901234567890,"service_version":1.0}]}')),
      [{ code: '12345678901234567890', version: '1.0', type: '', endpoints: [] }],
    )
    const services = ['007', '9007199254740993', 'true'].map(
      (code) => `<x:service i:objectType="SERVICE"><i:serviceCode>${code}</i:serviceCode></x:service>`,
    )
    const soap = toEnvelope(`<x:allowedMethodsResponse>${services.join('')}</x:allowedMethodsResponse>`)
    deepStrictEqual(
      readSoapServices(answer(soap, 'text/xml')).map(({ code }) => code),
      ['007', '9007199254740993', 'true'],
    )
  })

  test('a provider without services has an empty list [S-doctor.probe]', () => {
    deepStrictEqual(readRestServices(answer('{"service":[]}')), [])
    deepStrictEqual(readSoapServices(answer(toEnvelope('<x:allowedMethodsResponse/>'), 'text/xml')), [])
  })

  test('an error has no control characters and an end', () => {
    const { message } = new MetadataError(`a\u0000b\n\u2028c${'x'.repeat(1000)}`)
    match(message, /^a b cx+$/)
    strictEqual(message.length, 300)
  })
})

const globs: readonly [string, string, boolean][] = [
  ['/pet', '/pet', true],
  ['/pet', '/pets', false],
  ['/pet', '/PET', false],
  ['/pet/*', '/pet/7', true],
  ['/pet/*', '/pet/', true],
  ['/pet/*', '/pet/7/8', false],
  ['/pet/*/uploadImage', '/pet/7/uploadImage', true],
  ['/foo/*/bar/', '/foo/zyggy/quux/bar', false],
  ['/foo/**bar', '/foo/whatever//bar', true],
  ['/foo/**bar', '/foo/zyggybar', true],
  ['**', '', true],
  ['**', '/a/b', true],
  ['***', '/a/b', true],
  ['*', '/a', false],
  ['', '', true],
  ['', '/', false],
  ['/a\\*', '/a*', true],
  ['/a\\*', '/ab', false],
  ['/a\\\\', '/a\\', true],
  ['/a.b', '/axb', false],
  ['/a(b)+[c]', '/a(b)+[c]', true],
  // What a star has taken it does not give back.
  ['/a*b', '/aab', false],
]
for (const [glob, path, expected] of globs) {
  test(`${JSON.stringify(glob)} ${expected ? 'is' : 'is not'} ${JSON.stringify(path)} [S-doctor.probe]`, () => {
    strictEqual(isOnPath(glob, path), expected)
  })
}

test('a pattern cannot keep the doctor busy [S-doctor.probe]', () => {
  checkGrowth(2000, (length) => {
    const path = `${'a'.repeat(length)}b`
    return () => strictEqual(isOnPath('**a'.repeat(500), path), false)
  })
})
