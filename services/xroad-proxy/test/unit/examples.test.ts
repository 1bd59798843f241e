import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '@services/testing'
import { loadConfig } from '../../src/boot/config/config.ts'
import { loadEndpoints } from '../../src/boot/dsl/endpoints.ts'

const service = join(import.meta.dirname, '../..')
const example = join(service, '../../examples/xroad-proxy')
const environment = { env: { PROXY_KEYSTORE_PASSWORD: 'mock', PROXY_AUDIT_KEY: 'key' }, cwd: join(service, '../..') }
const { endpoints, warnings } = loadEndpoints(join(example, 'DSL'))

test('the example loads without a warning', () => {
  const { config, warnings: more } = loadConfig({ flag: 'examples/xroad-proxy/proxy.yaml', ...environment })
  deepStrictEqual([config.dslPath, ...more, ...warnings], ['examples/xroad-proxy/DSL'])
  deepStrictEqual(
    endpoints.map(({ kind, methods, group, service, path }) => `${kind} ${methods.join()} /${group}/${service}${path}`),
    [
      'rest GET /business/companies',
      'rest GET,PATCH /business/company/{registryCode}',
      'rest POST /business/reports',
      'soap POST /population/person',
      'soap POST /xroad/allowedMethods',
      'soap POST /xroad/listMethods',
    ],
  )
})

test('the mock has an answer for every endpoint of the example, and no other', () => {
  const wanted = endpoints.flatMap((endpoint) => {
    if (endpoint.kind === 'soap') return `${endpoint.service}.xml`
    const { serviceCode } = endpoint.target
    const { methods } = endpoint
    return methods.length === 1 ? `${serviceCode}.json` : methods.map((method) => `${serviceCode}.${method}.json`)
  })
  deepStrictEqual(readdirSync(join(example, 'answers')).toSorted(), wanted.toSorted())
})

test('the package and the example have the same files for the group xroad [S-route.4]', () => {
  const filesBelow = (folder: string): [string, string][] =>
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])
  const shipped = filesBelow(join(service, 'dsl/xroad'))
  deepStrictEqual(shipped, filesBelow(join(example, 'DSL/xroad')))
  deepStrictEqual(
    shipped.map(([name]) => name),
    ['allowedMethods.yml', 'listMethods.yml'],
  )
})

for (const name of ['listMethods', 'allowedMethods']) {
  test(`${name} asks the target of the request body, as this client [S-route.4]`, () => {
    const { endpoints: shipped } = loadEndpoints(join(service, 'dsl'))
    const endpoint = shipped.find((each) => each.service === name)
    ok(endpoint?.kind === 'soap' && endpoint.url === undefined)
    deepStrictEqual(endpoint.params, ['member_class', 'member_code', 'subsystem_code'])
    const envelope = endpoint.envelope.render(
      { member_class: 'COM', member_code: '1<2', subsystem_code: 'sub' },
      { uuid: 'some-id', instance: 'EE', client: '<xroad:client id:objectType="SUBSYSTEM"/>', protocol_version: '4.1' },
    )
    const [header = '', body = ''] = envelope.replaceAll(/>\s+</g, '><').split('</soapenv:Header>')
    strictEqual(
      header.slice(header.indexOf('<soapenv:Header>')),
      '<soapenv:Header><xroad:client id:objectType="SUBSYSTEM"/><xroad:service id:objectType="SERVICE">' +
        '<id:xRoadInstance>EE</id:xRoadInstance><id:memberClass>COM</id:memberClass>' +
        '<id:memberCode>1&lt;2</id:memberCode><id:subsystemCode>sub</id:subsystemCode>' +
        `<id:serviceCode>${name}</id:serviceCode></xroad:service>` +
        '<xroad:id>some-id</xroad:id><xroad:protocolVersion>4.1</xroad:protocolVersion>',
    )
    strictEqual(body.trimEnd(), `<soapenv:Body><xroad:${name}/></soapenv:Body></soapenv:Envelope>`)
  })
}

test('the example of the configuration shows every field, with its default where one is commented out', () => {
  const file = join(service, 'proxy.example.yaml')
  const schema = JSON.parse(readFileSync(join(service, 'proxy.schema.json'), 'utf8')) as Section
  const known = namesIn(schema)
  const full = readFileSync(file, 'utf8').replaceAll(
    /^( *)# ([a-z_]+)(?=:(?: |$))/gm,
    (whole, indent: string, name: string) => (known.includes(name) ? indent + name : whole),
  )
  const shown = Array.from(full.matchAll(/^ *([a-z_]+):/gm), ([, name = '']) => name)
  deepStrictEqual(shown.toSorted(byText), known.toSorted(byText))

  const { config, warnings: more } = loadConfig({ flag: file, ...environment })
  deepStrictEqual(more, [])
  const folder = newFolder({ 'proxy.yaml': full })
  const { config: filled } = loadConfig({ flag: join(folder, 'proxy.yaml'), ...environment })
  // Those without a default.
  const { audit, wsdlWatchDir, ...rest } = filled
  const keystorePasswordFile = './keystore.password'
  deepStrictEqual(rest, { ...config, securityServer: { ...config.securityServer, keystorePasswordFile } })
  deepStrictEqual([audit?.file, wsdlWatchDir], ['./audit.jsonl', './wsdl'])
})

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}

interface Section {
  readonly properties?: Readonly<Record<string, Section>>
}

function namesIn({ properties = {} }: Section): string[] {
  return Object.entries(properties).flatMap(([name, section]) => [name, ...namesIn(section)])
}
