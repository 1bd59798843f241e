/** `wsdl add --from-security-server`, in front of the mock and of servers that answer what none should. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Ended, type Files, newFolder, writeFiles } from '@services/testing'
import { readSidecar } from '../src/boot/ingest/sidecar.ts'
import { type RunningMock, startMock } from '../src/mock/mock.ts'
import { keystorePassword } from '../src/mock/pki.ts'
import { sharedPki } from './support/lanes.ts'
import { spawnProxy } from './support/process.ts'
import { type Act, startUpstream, toAnswer, toEnvelope, toFault11 } from './support/upstream.ts'
import { wsdlOf } from './support/wsdl-folder.ts'

const { folder: pkiFolder, files: pki } = sharedPki()

/** A folder with a configuration for a Security Server, and the command in it. */
function project(
  url: string,
  more: object = {},
): { folder: string; add: (...args: readonly string[]) => Promise<Ended> } {
  const config = {
    wsdl_watch_dir: 'wsdl',
    client_data: { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' },
    security_server: { url, keystore_path: pki.keystore, trust_ca_path: pki.ca },
    limits: { request_timeout_secs: 5 },
    ...more,
  }
  const folder = newFolder({ 'proxy.yaml': JSON.stringify(config) })
  const env = { PROXY_KEYSTORE_PASSWORD: keystorePassword }
  return {
    folder,
    add: (...args) => spawnProxy({ args: ['wsdl', 'add', '--from-security-server', ...args], cwd: folder, env }).ended,
  }
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.map((file) => file.slice(folder.length + 1)).toSorted()
}

/** A WSDL whose operations have a version. */
function versioned(version: string, ...operations: readonly string[]): string {
  return wsdlOf(operations, { address: 'http://10.0.0.1/own' })
    .replace('xmlns:t=', 'xmlns:xrd="http://x-road.eu/xsd/xroad.xsd" xmlns:t=')
    .replaceAll('<wsdl:input><soap:body', `<xrd:version>${version}</xrd:version><wsdl:input><soap:body`)
}

const sidecarIn = (folder: string, file: string): ReturnType<typeof readSidecar>['sidecar'] =>
  readSidecar(readFileSync(join(folder, file)), file).sidecar

describe('in front of the mock [P1.3]', () => {
  const answers = newFolder()
  const events: string[] = []
  let mock: RunningMock
  before(async () => {
    const onEvent = (line: string): void => void events.push(line)
    mock = await startMock({
      host: '127.0.0.1',
      port: 0,
      folder: pkiFolder,
      answers: join(answers, 'answers'),
      onEvent,
    })
  })
  after(() => mock.close())

  /** The mock reads its folder anew with every request. */
  function offer(files: Files): void {
    for (const name of filesIn(join(answers, 'answers'))) rmSync(join(answers, 'answers', name))
    writeFiles(join(answers, 'answers'), files)
  }

  test('one version of a service: its WSDL, a sidecar, an explanation; no service is called', async () => {
    offer({
      'find.v1.wsdl': versioned('v1', 'find', 'add'),
      'find.v2.wsdl': versioned('v2', 'find'),
      'find.xml': '<a/>',
    })
    events.length = 0
    const { folder, add } = project(mock.url)
    const { code, stdout, stderr } = await add('GOV/70000310/Arireg/find/v2')
    deepStrictEqual([code, stderr], [0, ''])
    match(stdout, /^added {5}wsdl\/arireg\/find\.v2\.wsdl\nadded {5}wsdl\/arireg\/find\.v2\.meta\.yaml\n/)
    match(stdout, /1 of 1 operations generated\n {2}generated {2}find {2}line \d+ {2}through the Security Server/)
    match(stdout, /From the next start on:\n {2}POST \/arireg\/find\nTo take it back: rm -r wsdl\/arireg\n/)
    const wsdl = readFileSync(join(folder, 'wsdl/arireg/find.v2.wsdl'), 'utf8')
    strictEqual(wsdl, versioned('v2', 'find').replace('http://10.0.0.1/own', 'http://example.org/xroad-endpoint'))
    const { provider, serviceVersions } = sidecarIn(folder, 'wsdl/arireg/find.v2.meta.yaml') ?? {}
    deepStrictEqual(provider, {
      memberClass: 'GOV',
      memberCode: '70000310',
      subsystemCode: 'Arireg',
      xroadInstance: '',
    })
    deepStrictEqual(serviceVersions, {})
    deepStrictEqual(
      events.map((line) => line.split(': ')[0]),
      ['POST / getWsdl'],
    )
  })

  test('all that a provider offers: a WSDL once, versions apart, the lowest in the folder of the owner', async () => {
    const first = versioned('v1', 'find', 'add')
    offer({
      'find.v1.wsdl': first,
      'add.v1.wsdl': first,
      'find.v2.wsdl': versioned('v2', 'find'),
      'find.v10.wsdl': versioned('v10', 'find'),
      'other.wsdl': wsdlOf(['other']),
      'pets.json': '{}',
    })
    events.length = 0
    const { folder, add } = project(mock.url)
    const { code, stdout, stderr } = await add('EE/GOV/70000310/arireg', '--owner', 'reg')
    deepStrictEqual([code, stderr], [0, ''])
    deepStrictEqual(
      filesIn(join(folder, 'wsdl')).filter((name) => name.endsWith('.wsdl')),
      ['reg/add.v1.wsdl', 'reg/other.wsdl', 'reg/v10/find.v10.wsdl', 'reg/v2/find.v2.wsdl'],
    )
    match(stdout, /4 WSDL files: 5 of 5 operations generated/)
    match(stdout, /POST \/reg\/v10-find\n/)
    strictEqual(sidecarIn(folder, 'wsdl/reg/v2/find.v2.meta.yaml')?.provider?.xroadInstance, 'EE')
    // The second service of a WSDL is not asked for.
    strictEqual(events.filter((line) => line.includes(' getWsdl:')).length, 4)
  })

  test('one service without a version: all that the provider has; what its list says goes before the WSDL', async () => {
    offer({ 'find.v3.wsdl': versioned('v1', 'find', 'add'), 'odd.wsdl': wsdlOf(['odd']) })
    const { folder, add } = project(mock.url)
    strictEqual((await add('ee-test/GOV/70000310/arireg/find')).stderr, '')
    deepStrictEqual(filesIn(join(folder, 'wsdl')), ['arireg/find.v3.meta.yaml', 'arireg/find.v3.wsdl'])
    deepStrictEqual(sidecarIn(folder, 'wsdl/arireg/find.v3.meta.yaml')?.serviceVersions, { find: 'v3' })
  })

  test('what was added is called by the next start, in the version of the provider', async () => {
    offer({ 'find.v2.wsdl': versioned('v2', 'find'), 'mock.txt': '' })
    const { folder, add } = project(mock.url)
    await add('GOV/70000310/arireg')
    const env = { PROXY_KEYSTORE_PASSWORD: keystorePassword }
    const explained = await spawnProxy({ args: ['wsdl', 'explain', 'wsdl'], cwd: folder, env }).ended
    match(explained.stdout, /1 of 1 operations generated/)
    const doctor = await spawnProxy({ args: ['doctor', '--format', 'json'], cwd: folder, env }).ended
    match(doctor.stdout, /info-wsdl-generated/)
    doesNotMatch(doctor.stdout, /weak-wsdl-service-code|weak-wsdl-skipped/)
  })

  const refused: Readonly<Record<string, readonly [files: Files, address: string, message: RegExp]>> = {
    'a version that the provider lacks': [
      { 'find.v1.wsdl': versioned('v1', 'find'), 'find.v2.wsdl': versioned('v2', 'find') },
      'GOV/1/x/find/v7',
      /does not give the WSDL of find v7 of ee-test\/GOV\/1\/x: server\.serverproxy\.unknown_service: .*; the provider has find in v1, v2;/,
    ],
    'a service that it lacks': [
      { 'find.v1.wsdl': versioned('v1', 'find') },
      'GOV/1/x/fnd',
      /ee-test\/GOV\/1\/x has no service fnd \(it has [^)]*find[^)]*\); did you mean find\?/,
    ],
    'a service that it lacks, with a version': [
      { 'find.v1.wsdl': versioned('v1', 'find') },
      'GOV/1/x/fnd/v1',
      /unknown_service: .*; did you mean find\?/,
    ],
    'a REST service': [
      { 'pets.json': '{}' },
      'GOV/1/x/pets',
      /pets of .* is a REST service and has no WSDL; write a DSL file of kind rest/,
    ],
    'a REST service with a version': [
      { 'pets.openapi.yaml': 'openapi: 3.0.0' },
      'GOV/1/x/pets/v1',
      /invalid_service_type: Service is a REST service .*; REST services have no WSDL and no version/,
    ],
    'nothing that is SOAP': [{ 'pets.json': '{}' }, 'GOV/1/x', /has no SOAP service; its REST services are pets/],
    'what is not a WSDL': [
      { 'find.wsdl': '<html/>' },
      'GOV/1/x/find',
      /the WSDL of find:1: is not a WSDL: its first element is html/,
    ],
    'what includes a file of the provider': [
      { 'find.wsdl': wsdlOf(['find'], { schema: '<x:include schemaLocation="types.xsd"/>' }) },
      'GOV/1/x/find',
      /types\.xsd named in .* does not exist; a Security Server gives a WSDL alone: get both from the provider/,
    ],
    'one of several services without a WSDL': [
      { 'find.wsdl': wsdlOf(['find']), 'odd.xml': '<a/>' },
      'GOV/1/x',
      /WSDL of odd .*; name the services that you need one by one: ee-test\/GOV\/1\/x\/SERVICE/,
    ],
    'no provider': [{}, 'GOV/1', /--from-security-server: found "GOV\/1", expected \[INSTANCE\/\]CLASS/],
  }
  for (const [name, [files, address, message]] of Object.entries(refused)) {
    test(`${name} is refused, and nothing is left`, async () => {
      const own = await startMock({ host: '127.0.0.1', port: 0, folder: pkiFolder, answers: newFolder(files) })
      const { folder, add } = project(own.url)
      const { code, stdout, stderr } = await add(address)
      await own.close()
      deepStrictEqual([code === 0, stdout], [false, ''])
      match(stderr, message)
      match(stderr, code === 2 ? /^xroad-proxy: [^\n]+\nTry: xroad-proxy --help\n$/ : /^xroad-proxy: [^\n]+\n$/)
      ok(!existsSync(join(folder, 'wsdl')))
    })
  }
})

/** A Security Server of a test's own making. */
async function against(
  act: Act,
  address: string,
  more?: object,
  ...flags: readonly string[]
): Promise<Ended & { folder: string; heads: string[] }> {
  const heads: string[] = []
  const spy: Act = (socket, request) => {
    heads.push(`${request.head}\n${request.body}`)
    return act(socket, request)
  }
  const upstream = await startUpstream(spy, { tls: 'mock' })
  try {
    const { folder, add } = project(upstream.url, more)
    return { ...(await add(address, ...flags)), folder, heads }
  } finally {
    await upstream.close()
  }
}

const xrd = 'xmlns:xrd="http://x-road.eu/xsd/xroad.xsd" xmlns:id="http://x-road.eu/xsd/identifiers"'
const listOf = (...services: readonly (readonly [string, string])[]): string =>
  toEnvelope(
    `<xrd:listMethodsResponse ${xrd}>${services
      .map(
        ([code, version]) =>
          `<xrd:service><id:serviceCode>${code}</id:serviceCode><id:serviceVersion>${version}</id:serviceVersion></xrd:service>`,
      )
      .join('')}</xrd:listMethodsResponse>`,
  )

/** As an older Security Server writes it: other spellings, a part in base64 first. */
function withAttachment(...parts: readonly (readonly [head: string, body: string])[]): Buffer {
  const envelope = toEnvelope(`<xrd:getWsdlResponse ${xrd}/>`)
  const all = [['content-type:text/xml', envelope] as const, ...parts]
  const body = all.map(([head, content]) => `--jetty\r\n${head}\r\n\r\n${content}\r\n`).join('')
  return toAnswer(`preamble\r\n${body}--jetty--`, { type: 'multipart/related; boundary=jetty' })
}

describe('servers that answer something else [P1.3]', () => {
  test('identity, target and question of what is asked', async () => {
    const head = 'CONTENT-TYPE: text/xml\r\nContent-Transfer-Encoding: base64'
    const encoded = Buffer.from(wsdlOf(['a'])).toString('base64')
    const { heads, code } = await against(
      (socket, { body }) => {
        const isList = body.includes('<xroad:listMethods/>')
        socket.write(
          isList ? toAnswer(listOf(['a', 'v1'])) : withAttachment(['Content-Type: text/plain', 'x'], [head, encoded]),
        )
      },
      'EE/GOV/1/s&/a',
      {},
      '--owner',
      's',
    )
    strictEqual(code, 0)
    strictEqual(heads.length, 2)
    const [list = '', get = ''] = heads
    match(list, /<soapenv:Body><xroad:listMethods\/><\/soapenv:Body>/)
    match(get, /^POST \/ HTTP/)
    match(get, /^content-type: text\/xml; charset=utf-8$/im)
    match(get, /<xroad:client id:objectType="SUBSYSTEM"><id:xRoadInstance>ee-test<.*demo/)
    match(
      get,
      /<id:xRoadInstance>EE<\/id:xRoadInstance>.*<id:subsystemCode>s&amp;<\/id:subsystemCode><id:serviceCode>getWsdl</,
    )
    match(
      get,
      /<xroad:getWsdl><xroad:serviceCode>a<\/xroad:serviceCode><xroad:serviceVersion>v1<\/xroad:serviceVersion><\/xroad:getWsdl>/,
    )
  })

  test('names of services that no file may have are names of files no more', async () => {
    const evil = ['../../evil', '/etc/x', '.hidden', 'a\\b', 'CON:', 'n'.repeat(300), 'õ', '..'] as const
    let asked = 0
    const { folder, code, stderr } = await against((socket, { body }) => {
      if (!body.includes('getWsdl'))
        return void socket.write(toAnswer(listOf(...evil.map((name) => [name, 'v1/../..'] as const))))
      asked += 1
      socket.write(withAttachment(['content-type:text/xml', wsdlOf([`op${asked}`])]))
    }, 'GOV/1/x')
    deepStrictEqual([code, stderr], [0, ''])
    const files = filesIn(folder).filter((name) => name !== 'proxy.yaml')
    strictEqual(files.length, 2 * evil.length)
    for (const name of files) match(name, /^wsdl\/x\/[A-Za-z0-9_][A-Za-z0-9._-]*\.(?:wsdl|meta\.yaml)$/)
  })

  const faults: readonly (readonly [name: string, answer: Buffer, message: RegExp])[] = [
    [
      'access denied',
      toAnswer(toFault11('Server.ServerProxy.AccessDenied', 'Request is not allowed')),
      /does not list the services of ee-test\/GOV\/1\/x: Server\.ServerProxy\.AccessDenied: Request is not allowed; nothing was added/,
    ],
    [
      'an unknown member',
      toAnswer(toFault11('Server.ClientProxy.UnknownMember', 'Could not find addresses'), { status: 500 }),
      /Server\.ClientProxy\.UnknownMember: Could not find addresses/,
    ],
    ['a page', toAnswer('<html/>', { type: 'text/html' }), /the answer holds no listMethodsResponse/],
    ['no XML', toAnswer('hello'), /the answer cannot be read as XML/],
    ['an error', toAnswer('', { status: 503 }), /HTTP 503/],
    ['an empty list', toAnswer(listOf()), /has no SOAP service/],
    ['a fault with a terminal in it', toAnswer(toFault11('a&#x9b;31m', 'b&#x202e;')), /a 31m: b/],
  ]
  for (const [name, answer, message] of faults) {
    test(name, async () => {
      const { code, stderr, folder } = await against((socket) => void socket.write(answer), 'GOV/1/x')
      strictEqual(code, 1)
      match(stderr, message)
      deepStrictEqual(filesIn(folder), ['proxy.yaml'])
    })
  }

  const wsdls: readonly (readonly [name: string, answer: Buffer, message: RegExp])[] = [
    [
      'an envelope without a WSDL',
      toAnswer(toEnvelope(`<xrd:getWsdlResponse ${xrd}/>`)),
      /no WSDL is attached to the answer/,
    ],
    ['a single part', withAttachment(), /no WSDL is attached to the answer/],
    [
      'no end',
      toAnswer('--j\r\n\r\n<a/>\r\n--j\r\n\r\n<b/>', { type: 'multipart/related; boundary=j' }),
      /closing boundary/,
    ],
    [
      'broken base64',
      withAttachment(['content-type: text/xml\r\ncontent-transfer-encoding: base64', '!!']),
      /not valid base64/,
    ],
    ['a DOCTYPE', withAttachment(['content-type: text/xml', `<!DOCTYPE a>${wsdlOf(['a'])}`]), /DOCTYPE/],
    [
      'a schema of this machine',
      withAttachment([
        'content-type: text/xml',
        wsdlOf(['a'], { schema: '<x:include schemaLocation="file:///etc/passwd"/>' }),
      ]),
      /file:\/\/\/etc\/passwd/,
    ],
    [
      'a schema of this network',
      withAttachment([
        'content-type: text/xml',
        wsdlOf(['a'], { schema: '<x:include schemaLocation="https://169.254.169.254/x"/>' }),
      ]),
      /link-local/,
    ],
  ]
  for (const [name, answer, message] of wsdls) {
    test(`a WSDL with ${name}`, async () => {
      const { code, stderr, folder } = await against((socket) => void socket.write(answer), 'GOV/1/x/a/v1')
      strictEqual(code, 1)
      match(stderr, message)
      deepStrictEqual(filesIn(folder), ['proxy.yaml'])
    })
  }

  test('one that never answers ends with its clock', async () => {
    const { code, stderr } = await against(() => undefined, 'GOV/1/x', { limits: { request_timeout_secs: 1 } })
    strictEqual(code, 1)
    match(stderr, /within 1 s/)
  })

  test('too many services', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => [`s${index}`, 'v1'] as const)
    const { stderr } = await against((socket) => void socket.write(toAnswer(listOf(...many))), 'GOV/1/x')
    match(stderr, /has more than 1000 services; name one: ee-test\/GOV\/1\/x\/SERVICE/)
  })

  test('who does not say who asks, or has no password, asks nobody', async () => {
    const { stderr, heads } = await against(() => undefined, 'GOV/1/x', { client_data: {} })
    match(stderr, /client_data of the configuration does not say who asks; write member_class and member_code/)
    deepStrictEqual(heads, [])
    const { folder } = project('https://127.0.0.1:1')
    const args = ['wsdl', 'add', '--from-security-server', 'GOV/1/x']
    const unset = await spawnProxy({ args, cwd: folder, env: { PROXY_KEYSTORE_PASSWORD: '' } }).ended
    match(unset.stderr, /environment variable PROXY_KEYSTORE_PASSWORD: is empty, expected the password/)
  })
})
