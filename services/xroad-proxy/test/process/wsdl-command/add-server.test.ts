/** `wsdl add --from-security-server`, in front of the mock and of servers that answer what none should. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { call, type Ended, type Files, newFolder, untilListening, writeFiles } from '@services/testing'
import { readSidecar } from '../../../src/boot/ingest/sidecar.ts'
import { type RunningMock, startMock } from '../../../src/mock/mock.ts'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { runCommand } from '../../support/commands.ts'
import { sharedPki } from '../../support/lanes.ts'
import { spawnProxy } from '../../support/process.ts'
import { type Act, startUpstream, toAnswer, toEnvelope, toFault11 } from '../../support/upstreams/upstream.ts'
import { wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

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
  const env = { PROXY_KEYSTORE_PASSWORD: keystorePassword, SCHOOL: keystorePassword }
  return {
    folder,
    add: (...args) => runCommand({ args: ['wsdl', 'add', '--from-security-server', ...args], cwd: folder, env }),
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
    match(stdout, /From the next start or reload on:\n {2}POST \/arireg\/find\nTo take it back: rm -r wsdl\/arireg\n/)
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
    match(
      stdout,
      /^pets is left out: it is a REST service without a description; write a DSL file of kind rest for it$/m,
    )
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
    const explained = await runCommand({ args: ['wsdl', 'explain', 'wsdl'], cwd: folder, env })
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
      /pets of ee-test\/GOV\/1\/x: it is a REST service without a description; write a DSL file of kind rest/,
    ],
    'a REST service with a version': [
      { 'pets.openapi.yaml': 'openapi: 3.0.0' },
      'GOV/1/x/pets/v1',
      /invalid_service_type: Service is a REST service .*; REST services have no WSDL and no version: leave out \/v1/,
    ],
    'nothing that is SOAP': [
      { 'pets.json': '{}' },
      'GOV/1/x',
      /has no service with a WSDL or a description; its REST services without a description are pets/,
    ],
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

const pets = `openapi: 3.0.3
info: { title: Pets, version: "1" }
paths:
  /v1/pets:
    get: { responses: { "200": { description: all } } }
    post: { responses: { "201": { description: new } } }
  /v1/pets/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { "200": { description: one } }
`

describe('a REST service with a description [P1.3 P3.3]', () => {
  async function offering(
    files: Files,
    config: object = {},
  ): Promise<ReturnType<typeof project> & { mock: RunningMock }> {
    const mock = await startMock({ host: '127.0.0.1', port: 0, folder: pkiFolder, answers: newFolder(files) })
    return { mock, ...project(mock.url, { dsl_path: 'DSL', host: '127.0.0.1', port: 0, ...config }) }
  }

  test('its description and a DSL file; the next start serves its operations', async () => {
    const { mock, folder, add } = await offering({ 'pets.openapi.yaml': pets }, { wsdl_watch_dir: undefined })
    const { code, stdout, stderr } = await add('EE/GOV/70000310/Zoo/pets')
    deepStrictEqual([code, stderr], [0, ''])
    deepStrictEqual(stdout.split('\n'), [
      'added     DSL/zoo/pets.openapi.yaml',
      'added     DSL/zoo/pets.yml',
      '',
      'From the next start or reload on:',
      '  GET /zoo/pets/v1/pets',
      '  POST /zoo/pets/v1/pets',
      '  GET /zoo/pets/v1/pets/{id}',
      'To take it back: rm DSL/zoo/pets.openapi.yaml DSL/zoo/pets.yml',
      '',
    ])
    strictEqual(readFileSync(join(folder, 'DSL/zoo/pets.openapi.yaml'), 'utf8'), pets)
    const env = { PROXY_KEYSTORE_PASSWORD: keystorePassword }
    const { port, stop } = await untilListening(spawnProxy({ cwd: folder, env }))
    const answer = await call(port, '/zoo/pets/v1/pets/17?a=b')
    strictEqual((JSON.parse(answer.text) as { path: string }).path, '/r1/EE/GOV/70000310/Zoo/pets/v1/pets/17')
    strictEqual((await call(port, '/zoo/pets/v1/cats')).status, 404)
    await Promise.all([stop(), mock.close()])
  })

  test('a subsystem with services of both kinds, and a folder in that of the owner', async () => {
    const json = JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'Pets', version: '1' },
      paths: { '/x': { get: { responses: { 200: { description: 'all' } } } } },
    })
    const files = { 'find.v1.wsdl': versioned('v1', 'find'), 'pets.openapi.json': json, 'bare.txt': '' }
    const { mock, folder, add } = await offering(files)
    const { code, stdout, stderr } = await add('GOV/70000310/zoo', '--owner', 'zoo/v1')
    await mock.close()
    deepStrictEqual([code, stderr], [0, ''])
    deepStrictEqual(
      filesIn(folder).filter((name) => name !== 'proxy.yaml'),
      [
        'DSL/zoo/v1-pets.openapi.json',
        'DSL/zoo/v1-pets.yml',
        'wsdl/zoo/v1/find.v1.meta.yaml',
        'wsdl/zoo/v1/find.v1.wsdl',
      ],
    )
    match(stdout, /^bare is left out: /m)
    match(stdout, /From the next start or reload on:\n {2}POST \/zoo\/v1-find\n {2}GET \/zoo\/v1-pets\/x\n/)
    const [, undo = ''] = /^To take it back: (.*)$/m.exec(stdout) ?? []
    const ended = await spawnProxy({ command: ['sh', '-c', undo], args: [], cwd: folder }).ended
    deepStrictEqual([ended.code, ended.stderr], [0, ''])
    deepStrictEqual(filesIn(folder), ['proxy.yaml'])
  })

  const refused: Readonly<Record<string, readonly [description: string, message: RegExp]>> = {
    'what is not a description': ['hello: world\n', /DSL\/x\/pets\.openapi\.yaml/],
    'no YAML': ['a: [', /DSL\/x\/pets\.openapi\.yaml/],
    'nothing at all': ['', /DSL\/x\/pets\.openapi\.yaml/],
    'a reference to another host': [
      pets.replace('{ type: string }', '{ $ref: "https://far.example.com/x.yaml" }'),
      /DSL\/x\/pets\.openapi\.yaml:\d+: /,
    ],
    'no operation': [pets.replace(/paths:[^]*/, 'paths: {}\n'), /DSL\/x\/pets\.openapi\.yaml has no operation/],
  }
  for (const [name, [description, message]] of Object.entries(refused)) {
    test(`${name} is refused, and nothing is left, of other services neither`, async () => {
      const { mock, folder, add } = await offering({ 'pets.openapi.yaml': description, 'find.wsdl': wsdlOf(['find']) })
      const { code, stdout, stderr } = await add('GOV/1/x')
      await mock.close()
      deepStrictEqual([code, stdout], [1, ''])
      match(stderr, message)
      match(stderr, /^xroad-proxy: [^\n]*; nothing was added\n$/)
      deepStrictEqual(filesIn(folder), ['proxy.yaml'])
      ok(!existsSync(join(folder, 'DSL')) && !existsSync(join(folder, 'wsdl')))
    })
  }

  test('files that are there are refused without --force', async () => {
    const { mock, folder, add } = await offering({ 'pets.openapi.yaml': pets })
    writeFiles(folder, { 'DSL/zoo/pets.yml': 'kind: rest\n' })
    match((await add('GOV/1/zoo')).stderr, /DSL\/zoo\/pets\.yml is there already; --force replaces what is there/)
    deepStrictEqual(filesIn(join(folder, 'DSL')), ['zoo/pets.yml'])
    match((await add('GOV/1/zoo', '--force')).stdout, /^replaced {2}DSL\/zoo\/pets\.yml$/m)
    // One of another name that gives the same endpoint would stop the start.
    writeFiles(folder, { 'DSL/zoo/pets.yaml': pets })
    strictEqual((await add('GOV/1/zoo', '--owner', 'other')).code, 0)
    await mock.close()
  })

  test('a service whose name is a path', async () => {
    const list = JSON.stringify({ service: [{ service_code: '../../evil', service_type: 'OPENAPI' }] })
    const { folder, code, stderr } = await against((socket, { head }) => {
      if (head.startsWith('POST')) socket.write(toAnswer(listOf()))
      else if (head.includes('/listMethods')) socket.write(toAnswer(list, { type: 'application/json' }))
      else socket.write(toAnswer(pets, { type: 'text/yaml' }))
    }, 'GOV/1/x')
    deepStrictEqual([code, stderr], [0, ''])
    for (const name of filesIn(folder))
      match(name, /^proxy\.yaml$|^DSL\/x\/service_[\w.-]+_[0-9a-f]{8}\.(?:yml|openapi\.yaml)$/)
    strictEqual(filesIn(folder).length, 3)
  })
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

  test('another client of the configuration asks, and is the one that calls', async () => {
    const clients = {
      school: {
        member_class: 'MUN',
        member_code: '75000000',
        keystore_path: pki.keystore,
        keystore_password_env: 'SCHOOL',
      },
    }
    const { folder, heads, code, stderr } = await against(
      (socket) => void socket.write(withAttachment(['content-type:text/xml', wsdlOf(['a'])])),
      'GOV/1/x/a/v1',
      { clients, client_data: {} },
      '--client',
      'school',
    )
    deepStrictEqual([code, stderr], [0, ''])
    match(heads[0] ?? '', /<xroad:client id:objectType="MEMBER"><id:xRoadInstance>ee-test<.*>MUN<.*>75000000</)
    strictEqual(sidecarIn(folder, 'wsdl/x/a.v1.meta.yaml')?.client, 'school')
    const stranger = await against(() => undefined, 'GOV/1/x', { clients }, '--client', 'schol')
    match(stranger.stderr, /--client: found "schol", .*school; did you mean school\?/)
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
    ['an empty list', toAnswer(listOf()), /has no service with a WSDL or a description;/],
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

  test('too many services are refused', async () => {
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
