/** `xroad-proxy doctor`: what it prints, how it ends, and that it leaves everything as it was. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Ended, type Files, newFolder, writeFiles } from '@services/testing'
import type { Finding } from '../../../src/doctor/finding.ts'
import { startMock } from '../../../src/mock/mock.ts'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { runCommand } from '../../support/commands.ts'
import { password, restFile, soapFile } from '../../support/doctor.ts'
import { sharedPki } from '../../support/lanes.ts'
import { binary, spawnProxy } from '../../support/process.ts'
import { wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const client = { member_class: 'GOV', member_code: '70000000', subsystem_code: 'demo' }
const sound = { client_data: client }

function run(args: readonly string[], files: Files, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  return runCommand({ args: ['doctor', ...args], cwd: newFolder(files), env })
}

function spawnDoctor(args: readonly string[], files: Files): Promise<Ended> {
  return spawnProxy({ args: ['doctor', ...args], cwd: newFolder(files) }).ended
}

const yaml = (config: object): string => JSON.stringify(config)

const exits: readonly [string, string[], Files, number][] = [
  ['nothing but INFO', [], { 'proxy.yaml': yaml(sound), 'DSL/a/b.yml': soapFile }, 0],
  ['nothing but INFO, --strict', ['--strict'], { 'proxy.yaml': yaml(sound), 'DSL/a/b.yml': soapFile }, 0],
  ['WEAK', [], { 'proxy.yaml': yaml(sound) }, 0],
  ['WEAK, --strict', ['--strict'], { 'proxy.yaml': yaml(sound) }, 1],
  ['FATAL', [], { 'proxy.yaml': yaml(sound), 'DSL/a/b.yml': restFile }, 1],
  ['FATAL, --strict', ['--strict'], { 'proxy.yaml': yaml({ ...sound, xroad_protocol_version: '1' }) }, 1],
  ['no file at all', [], {}, 0],
  ['no YAML', [], { 'proxy.yaml': ':\n  - [' }, 1],
  ['not UTF-8', [], { 'proxy.yaml': Buffer.from([0xff, 0xfe, 0]) }, 1],
  ['a directory', [], { 'proxy.yaml/x': '' }, 1],
  ['a file that is not there', ['--config', 'nowhere.yaml'], {}, 1],
]

for (const [index, [name, args, files, code]] of exits.entries()) {
  const format = index % 2 === 0 ? 'text' : 'json'
  test(`${format}: ${name} ends with ${code} [S-doctor.exit D6.1]`, async () => {
    const all = [...args, '--format', format]
    const ended = await (name === 'FATAL' ? spawnDoctor(all, files) : run(all, files))
    deepStrictEqual([ended.code, ended.stderr], [code, ''])
    if (format === 'text') match(ended.stdout, /\d+ FATAL, \d+ BREAK, \d+ WEAK, \d+ INFO\n$/)
    else ok(Array.isArray(JSON.parse(ended.stdout)))
  })
}

test('a wrong flag ends with 2 and says nothing on stdout [D1.1]', async () => {
  const { code, stdout, stderr } = await run(['--format', 'yaml'], {})
  deepStrictEqual([code, stdout], [2, ''])
  match(stderr, /--format: found "yaml", expected text or json/)
})

test('six texts each, and --config counts like with the service [S-doctor.json D6.1]', async () => {
  const files = { 'other.yaml': yaml({ ...sound, port: 'x' }), 'proxy.yaml': yaml(sound) }
  const { stdout } = await run(['-c', 'other.yaml', '--format', 'json'], files)
  const findings = JSON.parse(stdout) as Record<string, string>[]
  for (const finding of findings) {
    deepStrictEqual(Object.keys(finding), ['severity', 'code', 'field', 'headline', 'rationale', 'recovery'])
    for (const text of Object.values(finding)) strictEqual(typeof text, 'string')
  }
  match(findings[0]?.['headline'] ?? '', /other\.yaml:1: port: /)
})

test('the password is never printed, whatever is wrong', async () => {
  const config = { ...sound, security_server: { url: 'https://s.example.org', keystore_path: 'client.p12' } }
  const env = { PROXY_KEYSTORE_PASSWORD: password }
  for (const keystore of [
    'text',
    Buffer.alloc(0),
    '-----BEGIN CERTIFICATE-----',
    readFileSync(sharedPki().files.keystore),
  ]) {
    const files = { 'proxy.yaml': yaml(config), 'client.p12': keystore, 'DSL/a/b.yml': restFile }
    for (const format of ['text', 'json']) {
      const { code, stdout, stderr } = await run(['--format', format, '--probe'], files, env)
      deepStrictEqual([code, stderr], [1, ''])
      match(stdout, /fatal-keystore-unreadable/)
      ok(!stdout.includes(password) && !stdout.includes('secret/word'))
    }
  }
})

test('nothing is written, and the service reads what the doctor has read', async () => {
  const folder = newFolder({ 'proxy.yaml': yaml({ ...sound, wsdl_watch_dir: 'wsdl' }), 'DSL/a/b.yml': soapFile })
  const look = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
      (path) => `${path} ${statSync(join(folder, path)).mtimeMs}`,
    )
  const before = look()
  strictEqual((await spawnProxy({ args: ['doctor'], cwd: folder }).ended).code, 0)
  deepStrictEqual(look(), before)
})

test(
  'a reader that has had enough is no failure',
  { skip: process.platform === 'win32' && 'Windows ends no process by a closed pipe' },
  async () => {
    const broken = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`DSL/g/s${index}.yml`, 'method: NOPE\n']),
    )
    const cwd = newFolder({ 'proxy.yaml': yaml(sound), ...broken })
    const command = ['/bin/sh', '-c', '"$0" "$1" doctor | head -n 1', process.execPath, binary]
    const { stdout, stderr } = await spawnProxy({ cwd, command }).ended
    deepStrictEqual([stdout.split(' ')[0], stderr], ['FATAL', ''])
  },
)

test(
  'odd trees are findings [D6.1]',
  { skip: process.platform === 'win32' && 'Windows has no such links' },
  async () => {
    const folder = newFolder({
      'proxy.yaml': yaml(sound),
      'DSL/a/b.yml': soapFile,
      'DSL/a/large.yml': ' '.repeat(1_048_577),
    })
    symlinkSync('nowhere', join(folder, 'DSL/a/broken.yml'))
    symlinkSync('..', join(folder, 'DSL/a/up'))
    symlinkSync('/dev/zero', join(folder, 'DSL/a/zero.yml'))
    writeFileSync(join(folder, 'DSL/a/bytes.yml'), Buffer.from([0xff]))
    const { code, stdout, stderr } = await spawnProxy({ args: ['doctor', '--format', 'json'], cwd: folder }).ended
    deepStrictEqual([code, stderr], [1, ''])
    const findings = JSON.parse(stdout) as Finding[]
    const fields = findings
      .filter(({ code: each }) => each === 'fatal-dsl-load')
      .map(({ field }) => field.split('/').at(-1) ?? '')
    deepStrictEqual(fields.toSorted(), ['broken.yml', 'bytes.yml', 'large.yml', 'zero.yml'])
    ok(findings.some(({ code: each, headline }) => each === 'weak-dsl-warning' && headline.includes('link')))
  },
)

test('in front of the mock Security Server [S-doctor.probe]', async () => {
  const { folder: pkiFolder, files: pki } = sharedPki()
  const answers = newFolder({ 'companies.json': '{}' })
  const events: string[] = []
  const onEvent = (line: string): void => void events.push(line)
  const mock = await startMock({ host: '127.0.0.1', port: 0, folder: pkiFolder, answers, onEvent })
  const server = { url: mock.url, keystore_path: pki.keystore, trust_ca_path: pki.ca }
  const files = { 'proxy.yaml': yaml({ ...sound, security_server: server }), 'DSL/g/companies.yml': restFile }
  const env = { PROXY_KEYSTORE_PASSWORD: keystorePassword }

  const quiet = await run([], files, env)
  deepStrictEqual([quiet.code, events], [0, []])

  const probed = await run(['--probe', '--strict', '--format', 'json'], files, env)
  const closed = { ...files, 'DSL/g/secret.yml': restFile.replace('companies', 'secret') }
  const echoed = await run(['--probe', '--strict'], closed, env)
  writeFiles(answers, { 'allowedMethods.json': '{"service":[{"service_code":"companies"}]}' })
  const refused = await run(['--probe', '--strict'], closed, env)
  await mock.close()
  const unreachable = await run(['--probe'], files, env)

  deepStrictEqual([probed.code, probed.stderr], [0, ''])
  const codes = new Set((JSON.parse(probed.stdout) as Finding[]).map(({ code }) => code))
  for (const code of ['info-probe-connected', 'info-probe-clients', 'info-probe-allowed']) ok(codes.has(code), code)
  strictEqual(echoed.code, 0)
  match(
    echoed.stdout,
    /INFO {2}info-probe-allowed {2}\S*secret\.yml\n {6}.*this is the mock, which answers every service code/,
  )
  strictEqual(refused.code, 1)
  match(refused.stdout, /WEAK {2}weak-probe-not-allowed {2}\S*secret\.yml\n {6}.*\/g\/secret/)
  strictEqual(unreachable.code, 1)
  match(unreachable.stdout, /FATAL fatal-probe-no-connection/)
  ok(
    events.every((line) => /listClients|allowedMethods/.test(line)),
    events.join('\n'),
  )
})

test('the operations of a description are asked about as those of files are, and as whom they call [P3.3 P7]', async () => {
  const { folder: pkiFolder, files: pki } = sharedPki()
  const allowed = {
    service_code: 'companies',
    service_type: 'OPENAPI',
    endpoint_list: [{ method: 'GET', path: '/v1/companies/*' }],
  }
  const answers = newFolder({ 'allowedMethods.json': JSON.stringify({ service: [allowed] }) })
  const mock = await startMock({ host: '127.0.0.1', port: 0, folder: pkiFolder, answers })
  const server = { url: mock.url, keystore_path: pki.keystore, trust_ca_path: pki.ca }
  const tax = { member_class: 'GOV', member_code: '70000349', subsystem_code: 'tax', keystore_path: pki.keystore }
  const found = '{responses: {"200": {description: x}}}'
  const id = '{in: path, name: id, required: true, schema: {type: string}}'
  const { code, stdout } = await run(
    ['--probe', '--format', 'json'],
    {
      'proxy.yaml': yaml({ ...sound, security_server: server, clients: { tax } }),
      'DSL/g/companies.yml': `client: tax\n${restFile.replace('method: GET', 'openapi: c.openapi.yaml')}`,
      'DSL/g/c.openapi.yaml':
        'openapi: 3.1.0\ninfo: {title: t, version: "1"}\npaths:\n' +
        `  /v1/companies/{id}: {parameters: [${id}], get: ${found}, put: ${found}}\n`,
    },
    { PROXY_KEYSTORE_PASSWORD: keystorePassword },
  )
  await mock.close()
  strictEqual(code, 0)
  const findings = JSON.parse(stdout) as Finding[]
  const told = findings.filter(({ code: each }) => /^info-probe-(?:allowed|unknown)$/.test(each))
  const path = '/g/companies/v1/companies/{id}'
  const provided = 'the provider lists'
  deepStrictEqual(
    told.map(({ code: each, headline }) => `${each} ${headline.slice(headline.indexOf(': ') + 2)}`),
    [
      `info-probe-unknown ${path}: ${provided} companies for this client, but PUT /v1/companies/* is not among its endpoints`,
      `info-probe-allowed ${path}: ${provided} GET /v1/companies/* for this client`,
    ],
  )
})

test('the providers of WSDL files are asked about before the start that makes endpoints of them [P1.1 P7]', async (t) => {
  const { folder: pkiFolder, files: pki } = sharedPki()
  const own = { xroad_instance: 'ee-test', ...client }
  const answers = newFolder({ 'listClients.json': JSON.stringify({ member: [{ id: own }] }) })
  const mock = await startMock({ host: '127.0.0.1', port: 0, folder: pkiFolder, answers })
  t.after(() => mock.close())
  const server = { url: mock.url, keystore_path: pki.keystore, trust_ca_path: pki.ca }
  const { stdout } = await run(
    ['--probe', '--format', 'json'],
    {
      'proxy.yaml': yaml({ ...sound, wsdl_watch_dir: 'wsdl', security_server: server }),
      'wsdl/crm/api.wsdl': wsdlOf(['find', 'add']),
      'wsdl/crm/api.meta.yaml': 'provider: {member_class: GOV, member_code: "70000009", subsystem_code: crm}\n',
    },
    { PROXY_KEYSTORE_PASSWORD: keystorePassword },
  )
  const told = (JSON.parse(stdout) as Finding[]).filter(({ code }) => code === 'weak-probe-provider-unknown')
  deepStrictEqual(
    told.map(({ field, headline }) => [field, headline]),
    [
      [
        'ee-test/GOV/70000009/crm',
        'A provider is not registered: ee-test/GOV/70000009/crm, which /crm/add and 1 more would call (DSL/crm/add.yml)',
      ],
    ],
  )
})
