/**
 * Several clients in one process: as whom each endpoint calls, over which connections, and what is wrong with a client.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { newFolder, writeFiles } from '@services/testing'
import { issueClient, makeAuthority, toPkcs12 } from '@services/testing/certificates'
import { loadConfig } from '../../../src/boot/config/config.ts'
import { StartupFailure } from '../../../src/errors.ts'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { rest } from '../../support/exchange.ts'
import { type Lanes, sharedPki, startLanes } from '../../support/lanes.ts'
import { startUpstream, toAnswer, toEnvelope, type Upstream } from '../../support/upstreams/upstream.ts'
import { demo, drop, wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const own = { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' }
const tax = { member_class: 'GOV', member_code: '70000349', subsystem_code: 'tax' }
const land = { member_class: 'COM', member_code: '1' }
const soap = (client: string): string => `${client}method: POST\nenvelope: <q>{{{generate.client}}}</q>\n`

const dsl = {
  'g/rest.yml': rest('GET'),
  'g/rest-tax.yml': rest('GET', {}, { client: 'tax' }),
  'g/rest-land.yml': rest('GET', {}, { client: 'land' }),
  'g/soap.yml': soap(''),
  'g/soap-tax.yml': soap('client: tax\n'),
  'g/soap-land.yml': soap('client: land\n'),
}

/**
 * What the Security Server of the test is shown: certificates of the mock's authority do not matter, their names do.
 */
const folder = newFolder()
const authority = makeAuthority()
const issued = issueClient(authority)
const foreign = join(folder, 'foreign.p12')
writeFileSync(foreign, toPkcs12(issued.key, [issued.certificate], 'other'))

function clients(): object {
  const { keystore } = sharedPki().files
  return { tax: { ...tax, keystore_path: keystore }, land: { ...land, keystore_path: keystore } }
}

describe('over real sockets', () => {
  let upstream: Upstream
  let lanes: Lanes

  before(async () => {
    upstream = await startUpstream((socket) => void socket.write(toAnswer(toEnvelope('<a/>'))), { tls: 'mock' })
    lanes = await startLanes({ dsl, config: { clients: clients(), security_server: { url: upstream.url } } })
  })
  after(async () => {
    await lanes.close()
    await upstream.close()
  })

  const callers = {
    rest: 'ee-test/GOV/70000000/demo',
    'rest-tax': 'ee-test/GOV/70000349/tax',
    'rest-land': 'ee-test/COM/1',
  }
  for (const [service, caller] of Object.entries(callers)) {
    test(`a REST file calls as the client that it names: ${service} [P5.3]`, async () => {
      const { status } = await lanes.call(`/g/${service}`, { headers: { 'X-Road-Client': 'EE/GOV/1/mine' } })
      strictEqual(status, 200)
      deepStrictEqual(
        upstream.requests
          .at(-1)
          ?.head.match(/^X-Road-Client: .*$/gim)
          ?.slice(),
        [`X-Road-Client: ${caller}`],
      )
    })
  }

  const elements = {
    soap: ['SUBSYSTEM', 'GOV', '70000000', 'demo'],
    'soap-tax': ['SUBSYSTEM', 'GOV', '70000349', 'tax'],
    'soap-land': ['MEMBER', 'COM', '1'],
  }
  for (const [service, codes] of Object.entries(elements)) {
    test(`an envelope names the client of its file: ${service} [P5.3]`, async () => {
      const { status } = await lanes.call(`/g/${service}`, { method: 'POST', body: '{}' })
      strictEqual(status, 200)
      const sent = upstream.requests.at(-1)?.body ?? ''
      deepStrictEqual(
        Array.from(sent.matchAll(/objectType="(\w+)"|<id:member\w+>([^<]*)|<id:subsystemCode>([^<]*)/g), (found) =>
          found.slice(1).join(''),
        ),
        codes,
      )
    })
  }

  test('both lanes of a client share its connections, and no two clients do [P5.3]', async () => {
    const connections = async (suffix: string): Promise<number[]> => {
      const before = upstream.requests.length
      await lanes.call(`/g/rest${suffix}`)
      await lanes.call(`/g/soap${suffix}`, { method: 'POST', body: '{}' })
      await lanes.call(`/g/rest${suffix}`)
      return upstream.requests.slice(before).map(({ connection }) => connection)
    }
    const all = [await connections(''), await connections('-tax'), await connections('-land')]
    for (const own of all) strictEqual(new Set(own).size, 1, String(own))
    strictEqual(new Set(all.flat()).size, 3)
  })
})

test('each connection presents the certificate of its client [P5.3]', async () => {
  const { files } = sharedPki()
  const second = newFolder()
  const { writePki } = await import('../../../src/mock/pki.ts')
  const other = writePki(second)
  // The server trusts the mock's authority only, so the identity of another one is turned away.
  const upstream = await startUpstream((socket) => void socket.write(toAnswer('{}')), { tls: 'mock' })
  const lanes = await startLanes({
    dsl,
    config: {
      clients: {
        tax: { ...tax, keystore_path: files.keystore },
        land: { ...land, keystore_path: other.keystore },
      },
      security_server: { url: upstream.url },
    },
  })
  try {
    strictEqual((await lanes.call('/g/rest')).status, 200)
    strictEqual((await lanes.call('/g/rest-tax')).status, 200)
    const refused = await lanes.call('/g/rest-land')
    strictEqual(refused.status, 500)
    match(refused.text, /certificate/)
    strictEqual((await lanes.call('/g/rest-tax')).status, 200)
  } finally {
    await lanes.close()
    await upstream.close()
  }
})

describe('a start', () => {
  async function messageOf(config: object, files: Readonly<Record<string, string>> = dsl): Promise<string> {
    let message = ''
    await rejects(startLanes({ dsl: files, config: { ...config } }), (error) => {
      ok(error instanceof StartupFailure, String(error))
      message = `${error.code}: ${error.message}`
      return true
    })
    return message
  }

  const { keystore } = sharedPki().files
  const broken: Readonly<Record<string, readonly [clients: object, message: RegExp]>> = {
    'a keystore that is not there': [
      { tax: { ...tax, keystore_path: '/nowhere.p12' } },
      /^keystore_load_failed: .*proxy\.yaml:1: clients\.tax\.keystore_path \/nowhere\.p12: file does not exist$/,
    ],
    'a wrong password': [
      { tax: { ...tax, keystore_path: foreign } },
      /^keystore_load_failed: .*proxy\.yaml:1: clients\.tax\.keystore_path .*foreign\.p12: the password in the environment variable PROXY_KEYSTORE_PASSWORD is wrong$/,
    ],
    'a password that is not set': [
      { tax: { ...tax, keystore_path: keystore, keystore_password_env: 'TAX_PASSWORD' } },
      /proxy\.yaml:1: clients\.tax\.keystore_password_env: environment variable TAX_PASSWORD is not set; set it to the password of /,
    ],
    'no member code': [
      { tax: { member_class: 'GOV', keystore_path: keystore } },
      /clients\.tax\.member_code: missing, expected a registry code/,
    ],
    'an empty member class': [
      { tax: { ...tax, member_class: ' ', keystore_path: keystore } },
      /clients\.tax\.member_class: found an empty text/,
    ],
    'no keystore': [{ tax }, /clients\.tax\.keystore_path: missing, expected the path of a PKCS12 file/],
    'a password in the place of its variable': [
      { tax: { ...tax, keystore_path: keystore, keystore_password_env: 'hunter2 !' } },
      /clients\.tax\.keystore_password_env: found a text, expected the name of an environment variable/,
    ],
    'a name with a slash': [
      { 'a/b': { ...tax, keystore_path: keystore } },
      /clients\."a\/b": is not the name of a client, expected up to 64 letters/,
    ],
    'no group': [{ tax: 'GOV' }, /clients\.tax: found a text, expected the fields member_class, /],
    'a list': [['tax'], /clients: found a list, expected clients with a name each/],
  }
  for (const [name, [given, message]] of Object.entries(broken)) {
    test(`is refused with the field in the message: ${name} [P5.3]`, async () => {
      const told = await messageOf({ clients: given }, { 'g/s.yml': dsl['g/rest-tax.yml'] })
      match(told, message)
      ok(!told.includes('hunter2'))
    })
  }

  for (const name of ['tex', '__proto__', 'constructor', 'toString', '']) {
    test(`is refused for a client that nobody knows, with file and line: ${JSON.stringify(name)} [P5.3]`, async () => {
      for (const text of [soap(`client: ${JSON.stringify(name)}\n`), rest('GET', {}, { client: name })]) {
        match(await messageOf({ clients: clients() }, { 'g/s.yml': text }), /g\/s\.yml:1: client: found /)
      }
    })
  }

  test('says that there are no clients at all [P5.3]', async () => {
    match(await messageOf({}), /client: found "(?:tax|land)", but the configuration has no clients/)
  })

  test('reads no keystore of a client that no endpoint names [P5.3]', async () => {
    const given = { ...clients(), unused: { ...land, keystore_path: '/nowhere.p12' } }
    const lanes = await startLanes({ dsl, config: { clients: given } })
    await lanes.close()
  })

  test('warns of what has no effect, and of an unknown field [P5.3]', async () => {
    const direct = 'service: https://service.example.org/\nclient: tax\nmethod: POST\nenvelope: <q/>\n'
    const given = { tax: { ...tax, keystore_path: keystore, member_name: 'x' } }
    const lanes = await startLanes({ dsl: { 'g/s.yml': direct }, config: { clients: given, security_server: null } })
    const warnings = lanes.log.filter(({ event }) => event === 'warning').map(({ message }) => String(message))
    await lanes.close()
    deepStrictEqual(
      warnings.map((warning) => warning.replaceAll(`${lanes.folder}/`, '')),
      [
        'proxy.yaml:1: clients.tax.member_name: unknown field, has no effect; the known fields are member_class, member_code, subsystem_code, keystore_path, keystore_password_env, keystore_password_file',
        'proxy.yaml:1: clients: has no effect without security_server, through which clients call',
        'DSL/g/s.yml:2: client: has no effect beside service, which is called without X-Road',
      ],
    )
  })

  test('watches the certificate of each, and the trusted ones once [P5.3]', async () => {
    const soon = new Date(Date.now() + 5.5 * 86_400_000)
    const client = issueClient(authority, { notAfter: soon })
    const path = join(folder, 'soon.p12')
    writeFileSync(path, toPkcs12(client.key, [client.certificate], keystorePassword))
    const given = { tax: { ...tax, keystore_path: path }, land: { ...land, keystore_path: path } }
    const lanes = await startLanes({ dsl, config: { clients: given } })
    const warnings = lanes.log.filter(({ event }) => event === 'warning').map(({ message }) => String(message))
    await lanes.close()
    deepStrictEqual(
      warnings.map((warning) => /^(\S+) .* in 5 days;/.exec(warning)?.[1]).filter((field) => field !== undefined),
      ['clients.land.keystore_path', 'clients.tax.keystore_path'],
    )
  })

  test('tells where each value comes from [P5.3]', () => {
    const cwd = newFolder()
    const lines = [
      'clients:',
      '  tax:',
      '    member_class: GOV',
      '    member_code: 007',
      `    keystore_path: ${keystore}`,
    ]
    writeFiles(cwd, { 'proxy.yaml': `${lines.join('\n')}\n` })
    const { origins, config } = loadConfig({ flag: undefined, env: {}, cwd })
    deepStrictEqual(
      Object.entries(origins).filter(([field]) => field.startsWith('clients')),
      [
        ['clients.tax.member_class', './proxy.yaml:3'],
        ['clients.tax.member_code', './proxy.yaml:4'],
        ['clients.tax.subsystem_code', 'default'],
        ['clients.tax.keystore_path', './proxy.yaml:5'],
        ['clients.tax.keystore_password_env', 'default'],
      ],
    )
    strictEqual(config.clients[0]?.identity.memberCode, '007')
  })
})

describe('a sidecar', () => {
  const named = [
    {
      name: 'tax',
      identity: { instance: 'ee-test', memberClass: 'GOV', memberCode: '70000349', subsystemCode: 'tax' },
      keystorePath: 'k',
      keystorePasswordEnv: 'K',
    },
  ]
  const dropWith = (sidecar: string) =>
    drop({ 'wsdl/crm/api.wsdl': wsdlOf(['find']), 'wsdl/crm/api.meta.yaml': sidecar }, { client: demo, clients: named })

  test('puts its client into the files, and is compared with that one [P5.3]', () => {
    const dropped = dropWith('client: tax\nmember_code: "70000349"\n')
    deepStrictEqual(dropped.warnings, [])
    const [endpoint] = dropped.endpoints()
    strictEqual(endpoint?.client, 'tax')
    ok(endpoint.kind === 'soap')
    const generated = { uuid: 'u', instance: 'ee-test', client: '<c/>', protocol_version: '4.0' }
    match(endpoint.envelope.render({}, generated), /<id:memberCode>70000349<[\s\S]*<id:subsystemCode>tax</)
  })

  test('of somebody else than its client gives nothing [P5.3]', () => {
    const { warnings, endpoints } = dropWith(`client: tax\nmember_code: "${own.member_code}"\n`)
    match(warnings.join(), /member_code is "70000000" here and "70000349" in clients\.tax; no operation/)
    deepStrictEqual(endpoints(), [])
  })

  test('of a client that nobody knows gives nothing, and what it gave before goes [P5.3]', () => {
    const { warnings, endpoints } = dropWith('client: text\n')
    match(
      warnings.join(),
      /its sidecar cannot be used: \S+\.meta\.yaml:\d+: client: found "text", expected a name of clients in the configuration: tax; did you mean tax\?/,
    )
    deepStrictEqual(endpoints(), [])
  })

  test('that is called directly needs none [P5.3]', () => {
    const { warnings, endpoints } = dropWith('client: tax\nservice_url: https://far.example.com/soap\n')
    match(warnings.join(), /client: has no effect beside service_url/)
    strictEqual(endpoints()[0]?.client, undefined)
  })
})
