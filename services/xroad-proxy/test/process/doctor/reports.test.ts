/**
 * The doctor about several clients and the audit file, its annotations for GitHub Actions, and its watch over
 * certificates.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type Ended, newFolder } from '@services/testing'
import { issueClient, makeAuthority, toPkcs12 } from '@services/testing/certificates'
import { startMock } from '../../../src/mock/mock.ts'
import { keystorePassword } from '../../../src/mock/pki.ts'
import {
  examine,
  inDays,
  keystore,
  password,
  restFile,
  server,
  serverCertificate,
  soapFile,
} from '../../support/doctor.ts'
import { sharedPki } from '../../support/lanes.ts'
import { runCommand } from '../../support/commands.ts'
import { spawnProxy } from '../../support/process.ts'

const tax = { member_class: 'GOV', member_code: '70000349', subsystem_code: 'tax', keystore_path: '@/tax.p12' }
const taxFile = `client: tax\n${restFile}`

describe('a keystore of a client', () => {
  const codes = (files: Readonly<Record<string, string | Buffer>>, dsl: string, env = {}): string[] =>
    examine({ config: { security_server: server, clients: { tax } }, dsl: { 'g/s.yml': dsl }, files, env })
      .filter(({ field, severity }) => field.startsWith('clients.tax.keystore') && severity !== 'INFO')
      // The files of the test are for everybody.
      .filter(({ code }) => code !== 'weak-keystore-open-to-others')
      .map(({ code, field }) => `${code} ${field}`)

  test('is looked at like the other one, with its field [P7 P5.3]', () => {
    const path = 'clients.tax.keystore_path'
    deepStrictEqual(codes({}, taxFile), [`fatal-keystore-file-missing ${path}`])
    deepStrictEqual(codes({ 'tax.p12': 'text' }, taxFile), [`fatal-keystore-unreadable ${path}`])
    // Nobody calls as this client.
    deepStrictEqual(codes({ 'tax.p12': 'text' }, soapFile), [`weak-keystore-unreadable ${path}`])
    deepStrictEqual(codes({ 'tax.p12': keystore({ notAfter: inDays(-1) }) }, taxFile), [
      `fatal-keystore-expired ${path}`,
    ])
    deepStrictEqual(codes({ 'tax.p12': keystore({ notAfter: inDays(5) }) }, taxFile), [
      `weak-keystore-expiring ${path}`,
    ])
    deepStrictEqual(codes({ 'tax.p12': keystore() }, taxFile), [])
  })

  test('has a password of its own [P7 P5.3]', () => {
    const found = examine({
      config: { security_server: server, clients: { tax: { ...tax, keystore_password_env: 'TAX' } } },
      files: { 'tax.p12': keystore() },
    })
    const missing = found.find(({ code }) => code === 'fatal-keystore-env-missing')
    strictEqual(missing?.field, 'clients.tax.keystore_password_env')
    match(missing.headline, /variable TAX with/)
  })

  test('that is wrong draws no second finding about the files that name it [P7 P5.3]', () => {
    const found = examine({
      config: { security_server: server, clients: { tax: { member_class: 'GOV' } } },
      dsl: { 'g/s.yml': taxFile },
    })
    deepStrictEqual(
      found.filter(({ severity }) => severity === 'FATAL').map(({ code, field }) => `${code} ${field}`),
      ['fatal-config-load clients.tax.member_code', 'fatal-config-load clients.tax.keystore_path'],
    )
    const unknown = examine({ config: { security_server: server }, dsl: { 'g/s.yml': taxFile } })
    ok(unknown.some(({ code, headline }) => code === 'fatal-dsl-load' && headline.includes('no clients')))
  })

  test('is one that a REST lane needs to be ready [P7 P5.3]', () => {
    const ready = (files: Readonly<Record<string, Buffer>>): boolean =>
      examine({ config: { security_server: server, clients: { tax } }, dsl: { 'g/s.yml': taxFile }, files }).some(
        ({ code }) => code === 'info-rest-lane-ready',
      )
    deepStrictEqual([ready({ 'tax.p12': keystore() }), ready({})], [true, false])
  })

  test('shares what the server is verified with, of which it is said once [P7 P5.3]', () => {
    const found = examine({
      config: { security_server: { ...server, trust_ca_path: '@/ca.pem' }, clients: { tax } },
      files: { 'tax.p12': keystore(), 'ca.pem': serverCertificate({ notAfter: inDays(5) }) },
    })
    strictEqual(found.filter(({ code }) => code === 'weak-trust-ca-expiring').length, 1)
  })
})

const yaml = (config: object): string => JSON.stringify(config, undefined, 1)
const client = { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' }

function run(folder: string, args: readonly string[]): Promise<Ended> {
  return runCommand({ args: ['doctor', ...args], cwd: folder, env: { PROXY_KEYSTORE_PASSWORD: password } })
}

describe('annotations', () => {
  test('stand at the line of the field or the file that they are about [P7]', async () => {
    const folder = newFolder({
      'proxy.yaml':
        'port: 1\nclient_data:\n  member_class: GOV\n  member_code: "<code>"\nlimits:\n  request_timeout_secs: 301\n',
      'DSL/a/b.yml': `# 50%, and: more\nmethod: POST\nzzz: 1\nenvelope: <e/>\n`,
      'DSL/a/c.yml': 'kind: rest\nmethod: GET\n',
    })
    const { stdout, code } = await run(folder, ['--format', 'github'])
    strictEqual(code, 1)
    const lines = stdout.trimEnd().split('\n')
    ok(
      lines.every((line) => /^::(?:error|warning|notice)(?: file=[^:]+,line=\d+)?::[a-z]+-[\w-]+: /.test(line)),
      stdout,
    )
    const placeOf = (name: string): string | undefined =>
      lines.find((line) => line.includes(`::${name}: `))?.split('::')[1]
    deepStrictEqual(
      [
        'fatal-client-data-placeholder-member_code',
        'weak-limits-timeout-too-long',
        'weak-dsl-warning',
        'fatal-dsl-load',
        'info-config-source',
      ].map(placeOf),
      [
        'error file=proxy.yaml,line=4',
        'warning file=proxy.yaml,line=6',
        'warning file=DSL/a/b.yml,line=3',
        'error file=DSL/a/c.yml,line=1',
        'notice file=proxy.yaml,line=1',
      ],
    )
  })

  test('are one line each, whatever is in a certificate or a file name, and name no file from elsewhere [P7]', async () => {
    const elsewhere = newFolder({ 'proxy.yaml': yaml({ client_data: client, dsl_path: './DSL' }) })
    const folder = newFolder({ 'DSL/a/b\n::error::x.yml': 'method: NOPE\n', 'client.p12': keystore() })
    const config = join(elsewhere, 'proxy.yaml')
    writeFileSync(config, yaml({ client_data: client, security_server: { ...server, keystore_path: 'client.p12' } }))
    const { stdout } = await run(folder, ['--format', 'github', '-c', config])
    for (const line of stdout.trimEnd().split('\n')) match(line, /^::(?:error|warning|notice)[ :]/)
    doesNotMatch(stdout, /file=[./]*\/|BEGIN CERTIFICATE|^::error::x/m)
    match(stdout, /::notice::info-keystore-identity: The identity of the service: CN=client/)
  })

  test('without a file and without findings to mend are notices and warnings [P7]', async () => {
    const { stdout, code } = await run(newFolder(), ['--format', 'github'])
    strictEqual(code, 0)
    match(stdout, /^::notice::info-config-defaults: /m)
    doesNotMatch(stdout, /::error/)
  })
})

describe('a watch over certificates', () => {
  const authority = makeAuthority()

  async function codeOf(args: readonly string[], days: number, more: object = {}): Promise<number | null> {
    const { key, certificate } = issueClient(authority, { notAfter: new Date(Date.now() + days * 86_400_000) })
    const folder = newFolder({
      'proxy.yaml': yaml({ client_data: client, security_server: { ...server, keystore_path: 'client.p12', ...more } }),
      'DSL/a/b.yml': restFile,
      'client.p12': toPkcs12(key, [certificate], password),
    })
    return (await run(folder, args)).code
  }

  const cases: readonly (readonly [args: readonly string[], days: number, code: number])[] = [
    [[], 20, 0],
    [['--watch-certificates', '30'], 20, 1],
    [['--watch-certificates', '10'], 20, 0],
    [['--watch-certificates', '45'], 40, 1],
    [['--watch-certificates', '0'], 1, 0],
    [['--watch-certificates', '0'], -1, 1],
    [['--watch-certificates', '10', '--strict', '--format', 'json'], 40, 1],
  ]
  for (const [args, days, code] of cases) {
    test(`ends with ${code} for ${days} days left and ${args.join(' ') || 'no flag'} [P7]`, async () => {
      // Whoever may read the keystore is no matter of the watch.
      strictEqual(await codeOf(args, days), code)
    })
  }

  test('ends with 1 where nobody can know [P7]', async () => {
    const folder = newFolder({
      'proxy.yaml': yaml({ client_data: client, security_server: { ...server, keystore_path: 'client.p12' } }),
      'DSL/a/b.yml': soapFile,
      'client.p12': 'text',
    })
    deepStrictEqual([(await run(folder, [])).code, (await run(folder, ['--watch-certificates', '5'])).code], [0, 1])
  })
})

test('each client is asked for with its own certificate, about its endpoints [P7 P5.3]', async () => {
  const { folder: pkiFolder, files: pki } = sharedPki()
  const provider = { member_class: 'GOV', member_code: '70000001', subsystem_code: 'registry' }
  const listed = {
    member: [client, provider].map((id) => ({ id: { object_type: 'SUBSYSTEM', xroad_instance: 'ee-test', ...id } })),
  }
  const answers = newFolder({ 'listClients.json': JSON.stringify(listed) })
  const mock = await startMock({ host: '127.0.0.1', port: 0, folder: pkiFolder, answers, onEvent: () => undefined })
  const folder = newFolder({
    'proxy.yaml': yaml({
      client_data: client,
      clients: { tax: { ...tax, keystore_path: pki.keystore } },
      security_server: { url: mock.url, keystore_path: pki.keystore, trust_ca_path: pki.ca },
    }),
    'DSL/g/companies.yml': restFile,
    'DSL/g/tax.yml': taxFile,
  })
  const ended = await spawnProxy({
    args: ['doctor', '--probe', '--format', 'json'],
    cwd: folder,
    env: { PROXY_KEYSTORE_PASSWORD: keystorePassword },
  }).ended
  await mock.close()
  const findings = JSON.parse(ended.stdout) as { code: string; field: string; headline: string }[]
  const unknown = findings.filter(({ code }) => code === 'fatal-probe-client-unknown')
  deepStrictEqual(
    unknown.map(({ field }) => field),
    ['clients.tax'],
  )
  match(unknown[0]?.headline ?? '', /ee-test\/GOV\/70000349\/tax/)
  const told = findings.filter(({ code }) => /^(?:info|weak)-probe-(?:allowed|unknown|not-allowed|provider)/.test(code))
  for (const path of ['/g/companies', '/g/tax'])
    strictEqual(told.filter(({ headline }) => headline.includes(path)).length, 1)
})
