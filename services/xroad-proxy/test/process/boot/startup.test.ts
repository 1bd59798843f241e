/**
 * The start of the real process: what refuses it, with which exit code and which one line of log, and what must not.
 * Which fields and files are refused with which words is for the tests of boot/; here it is the process that counts.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { checkRefused, type RefusalCase, testFlags } from '@services/command-line/testing'
import { call, type Ended, errorOf, linesOf, newFolder, send, writeFiles } from '@services/testing'
import { keystorePassword } from '../../../src/mock/pki.ts'
import { runCommand } from '../../support/commands.ts'
import { sharedPki } from '../../support/lanes.ts'
import { type Inside, startInside } from '../../support/inside.ts'
import { binary, spawnProxy } from '../../support/process.ts'
import { restFile, soapFile } from '../../support/soap-service.ts'

const concurrency = { concurrency: 4 }
const packaged = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
  version: string
}
const secret = 'hunter2'
const direct = soapFile('https://service.example.org/')

type Refusal = RefusalCase<
  'invalid_configuration' | 'invalid_dsl' | 'keystore_load_failed' | 'trust_ca_load_failed' | 'listen_failed'
>

const securityServer = { url: 'https://127.0.0.1:5500', keystore_path: 'client.p12' }
const password = { PROXY_KEYSTORE_PASSWORD: keystorePassword }
const needing = { 'g/rest.yml': restFile('GET', 'x') }

const configurations: Refusal[] = [
  ...['4.2', '5', '4', '', '4.0 ', 'v4.0'].map((given): Refusal => ({
    title: `the protocol version ${JSON.stringify(given)} [S-boot.1 S-startup S-config.xroad_protocol_version]`,
    config: { xroad_protocol_version: given },
    error: 'invalid_configuration',
    names: ['proxy.yaml:', 'xroad_protocol_version', given, '4.0', '4.1'],
  })),
  {
    title: 'the protocol version 4.2 without quotes [S-boot.1]',
    yaml: 'port: 0\nxroad_protocol_version: 4.2\n',
    error: 'invalid_configuration',
    names: ['proxy.yaml:2:', 'xroad_protocol_version', '4.2', '4.0 or 4.1'],
  },
  {
    title: 'a Security Server without https [D1.3 S-config.security_server.url]',
    config: { security_server: { ...securityServer, url: `http://user:${secret}@127.0.0.1:5500` } },
    env: password,
    error: 'invalid_configuration',
    names: ['security_server.url', 'https://'],
  },
  {
    title: 'a section without its keystore [S-config.security_server.keystore_path]',
    config: { security_server: { url: 'https://127.0.0.1:5500' } },
    env: password,
    error: 'invalid_configuration',
    names: ['security_server.keystore_path', 'missing'],
  },
  {
    title: 'a port that is none [S-config.port]',
    config: { port: 65_536 },
    error: 'invalid_configuration',
    names: ['port', '65536', '0 to 65535'],
  },
  { title: 'no YAML [D1.1]', yaml: 'port: [', error: 'invalid_configuration', names: ['proxy.yaml:1:'] },
  { title: 'no mapping [D1.1]', yaml: '- port', error: 'invalid_configuration', names: ['proxy.yaml'] },
  {
    title: 'no UTF-8 [D1.1]',
    yaml: Buffer.from('xroad_instance: \xe4', 'latin1'),
    error: 'invalid_configuration',
    names: ['proxy.yaml', 'UTF-8'],
  },
  {
    title: '--config with a file that does not exist [D1.1 S-config.search]',
    args: ['--config', 'missing.yaml'],
    error: 'invalid_configuration',
    names: ['--config', 'missing.yaml', 'does not exist'],
  },
  {
    title: 'the same with an equals sign, and with the command [D1.1]',
    args: ['serve', '--config=missing.yaml'],
    error: 'invalid_configuration',
    names: ['--config', 'missing.yaml'],
  },
  {
    title: 'PROXY_CONFIG with a file that does not exist [D1.1 S-env.PROXY_CONFIG]',
    env: { PROXY_CONFIG: 'missing.yaml' },
    error: 'invalid_configuration',
    names: ['PROXY_CONFIG', 'missing.yaml'],
  },
  {
    title: '--config beats PROXY_CONFIG [S-config.search]',
    args: ['-c', 'missing.yaml'],
    env: { PROXY_CONFIG: 'proxy.yaml' },
    error: 'invalid_configuration',
    names: ['--config', 'missing.yaml'],
  },
  {
    title: 'a directory in the place of the file, as a container mount makes one [D1.1]',
    prepare(folder) {
      renameSync(join(folder, 'proxy.yaml'), join(folder, 'other.yaml'))
      mkdirSync(join(folder, 'proxy.yaml'))
    },
    error: 'invalid_configuration',
    names: ['proxy.yaml', 'directory'],
  },
  {
    title: 'a link to nothing in the place of the file [D1.1]',
    prepare(folder) {
      renameSync(join(folder, 'proxy.yaml'), join(folder, 'other.yaml'))
      symlinkSync('nowhere', join(folder, 'proxy.yaml'))
    },
    error: 'invalid_configuration',
    names: ['proxy.yaml', 'does not exist'],
  },
  {
    title: 'a dsl_path that is a file [S-config.dsl_path]',
    config: { dsl_path: 'proxy.yaml' },
    error: 'invalid_dsl',
    names: ['dsl_path', 'proxy.yaml', 'directory'],
  },
  {
    title: 'a configuration that is wrong is refused before the files are looked at [D1.1]',
    config: { port: -1 },
    files: { 'g/broken.yml': 'broken: [' },
    error: 'invalid_configuration',
    names: ['port'],
  },
]

const envelopes: readonly (readonly [what: string, envelope: string, line: number])[] = [
  ['a block that is not closed', '<a>\n{{#if x}}<b/>\n</a>', 6],
  ['a brace too few', '<a>\n\n{{x}</a>', 6],
]

const files: Refusal[] = [
  ...envelopes.map(([what, envelope, line]): Refusal => ({
    title: `a template with ${what} [S-boot.2 S-startup D1.4 D2.3]`,
    files: { 'g/x.yml': `method: POST\nparams: [x]\nenvelope: |\n  ${envelope.replaceAll('\n', '\n  ')}\n`, 'g/good.yml': direct },
    error: 'invalid_dsl',
    names: [`g/x.yml:${what.startsWith('a block') ? '' : line}`, 'envelope'],
  })),
  { title: 'no YAML [D1.4]', files: { 'g/x.yml': 'method: POST\nenvelope: [' }, error: 'invalid_dsl', names: ['g/x.yml:2'] },
  { title: 'an unknown kind [D1.4]', files: { 'g/x.yaml': 'method: POST\nkind: soup' }, error: 'invalid_dsl', names: ['g/x.yaml:2', 'kind', 'soap'] },
  { title: 'no method [D1.4]', files: { 'g/x.yml': 'envelope: <a/>' }, error: 'invalid_dsl', names: ['g/x.yml', 'method'] },
  { title: 'no envelope [D1.4]', files: { 'g/x.yml': 'method: POST' }, error: 'invalid_dsl', names: ['g/x.yml', 'envelope'] },
  { title: 'no target [D1.4 S-boot.3]', files: { 'g/x.yml': 'kind: rest\nmethod: GET' }, error: 'invalid_dsl', names: ['g/x.yml', 'target'] },
  { title: 'a number among the params [D1.4]', files: { 'g/x.yml': 'method: POST\nparams: [1]\nenvelope: <a/>' }, error: 'invalid_dsl', names: ['g/x.yml:2', 'params[0]'] },
  { title: 'two files for one endpoint [D1.4]', files: { 'g/x.yml': direct, 'g/x.yaml': direct }, error: 'invalid_dsl', names: ['g/x.yml', 'g/x.yaml'] },
  { title: 'several broken files in one line [D1.4]', files: { 'a/x.yml': 'method: POST', 'b/y.yml': 'kind: soup' }, error: 'invalid_dsl', names: ['a/x.yml', 'b/y.yml'] },
  { title: 'a path that leaves the service [D4.2]', files: { 'g/x.yml': restFile('GET', 'x').replace('"x"}', '"x","path":"/../y"}') }, error: 'invalid_dsl', names: ['g/x.yml', 'target.path', '..'] },
] // prettier-ignore

const identities: Refusal[] = [
  ...Object.entries(needing).flatMap(([name, text]) => ['g/soap.yml', name].map((file): Refusal => ({
    title: `no keystore, needed by ${file} [D1.5 S-startup S-error.keystore_load_failed]`,
    files: { [file]: file === name ? text : soapFile() },
    config: { security_server: securityServer },
    env: password,
    error: 'keystore_load_failed',
    names: ['proxy.yaml:1: security_server.keystore_path client.p12: file does not exist'],
  }))),
  {
    title: 'a wrong password [D1.5]',
    files: needing,
    config: { security_server: securityServer },
    prepare: (folder) => writeFileSync(join(folder, 'client.p12'), readFileSync(sharedPki().files.keystore)),
    env: { PROXY_KEYSTORE_PASSWORD: secret },
    error: 'keystore_load_failed',
    names: ['password', 'PROXY_KEYSTORE_PASSWORD', 'wrong'],
  },
  {
    title: 'a PEM file [D1.5]',
    files: needing,
    config: { security_server: securityServer },
    prepare: (folder) => writeFileSync(join(folder, 'client.p12'), readFileSync(sharedPki().files.clientCertificate)),
    env: password,
    error: 'keystore_load_failed',
    names: ['client.p12', 'PEM', 'openssl pkcs12'],
  },
  {
    title: 'a Java keystore [D1.5]',
    files: needing,
    config: { security_server: securityServer },
    prepare(folder) {
      const text = readFileSync(join(import.meta.dirname, '../../fixtures/client.jks.base64'), 'latin1')
      writeFileSync(join(folder, 'client.p12'), Buffer.from(text, 'base64'))
    },
    env: password,
    error: 'keystore_load_failed',
    names: ['client.p12', 'JKS', 'keytool'],
  },
  {
    title: 'no bundle of authorities [S-config.security_server.trust_ca_path]',
    files: needing,
    config: { security_server: { ...securityServer, trust_ca_path: 'ca.pem' } },
    prepare: (folder) => writeFileSync(join(folder, 'client.p12'), readFileSync(sharedPki().files.keystore)),
    env: password,
    error: 'trust_ca_load_failed',
    names: ['trust_ca_path', 'ca.pem'],
  },
  ...[{}, { PROXY_KEYSTORE_PASSWORD: '' }].map((env): Refusal => ({
    title: `the variable is ${'PROXY_KEYSTORE_PASSWORD' in env ? 'empty' : 'not set'}, whether needed or not [S-env.PROXY_KEYSTORE_PASSWORD]`,
    config: { security_server: securityServer },
    env,
    error: 'keystore_load_failed',
    names: ['PROXY_KEYSTORE_PASSWORD', 'PROXY_KEYSTORE_PASSWORD' in env ? 'empty' : 'not set'],
  })),
  {
    title: 'a variable of another name [S-config.security_server.keystore_password_env]',
    config: { security_server: { ...securityServer, keystore_password_env: 'OTHER' } },
    env: password,
    error: 'keystore_load_failed',
    names: ['OTHER', 'not set'],
  },
] // prettier-ignore

const addresses: Refusal[] = [
  { title: 'an address of another machine [D1.1]', config: { host: '203.0.113.1' }, error: 'listen_failed', names: ['host', '203.0.113.1', 'not an address of this machine'] },
  { title: 'a host that does not exist [D1.1]', config: { host: 'no-such-host.invalid' }, error: 'listen_failed', names: ['host', 'no-such-host.invalid'] },
  { title: 'a host that is none [D1.1]', config: { host: 'http://0.0.0.0' }, error: 'invalid_configuration', names: ['host'] },
] // prettier-ignore

/**
 * Runs until it ends by itself and checks all that is the same for every refusal; in a process of its own, or by the
 * same `main` in the one that runs commands.
 */
async function refuse(refusal: Refusal, format: 'text' | 'json', where: 'process' | 'host'): Promise<Ended> {
  const { files: dsl = {}, config = {}, yaml, env = {}, args = [], prepare, command, error, names } = refusal
  const folder = newFolder()
  writeFiles(join(folder, 'DSL'), dsl)
  writeFileSync(join(folder, 'proxy.yaml'), yaml ?? JSON.stringify({ host: '127.0.0.1', port: 0, ...config }))
  prepare?.(folder)
  const given = { ...env, PROXY_LOG_FORMAT: format }
  const order = { cwd: folder, args, env: given }
  const spawned =
    where === 'process'
      ? spawnProxy({ ...order, ...(command ? { command } : {}) })
      : { ended: runCommand(order), kill: () => undefined }
  const end = await checkRefused({ spawned, format, target: 'xroad_proxy', error, names })
  ok(!end.stdout.includes(secret), end.stdout)
  return end
}

const groups = { configurations, files, identities, addresses }
for (const [group, refusals] of Object.entries(groups)) {
  describe(`a start is refused: ${group}`, concurrency, () => {
    for (const [index, refusal] of refusals.entries()) {
      test(refusal.title, async () => {
        await refuse(refusal, index % 2 === 0 ? 'text' : 'json', index < 2 ? 'process' : 'host')
      })
    }
  })
}

/** Root may take every port, unless it gives that right up. */
const withoutRight = ['setpriv', '--bounding-set=-net_bind_service']

function reasonToSkip(): string | false {
  const first = '/proc/sys/net/ipv4/ip_unprivileged_port_start'
  if (!existsSync(first) || Number(readFileSync(first, 'latin1')) <= 80) return 'every user may take every port here'
  const [program = '', ...args] = withoutRight
  const isRoot = process.getuid?.() === 0
  return isRoot && spawnSync(program, [...args, 'true']).status !== 0
    ? 'setpriv is not there or may not do this'
    : false
}

describe('a start is refused: the rest', concurrency, () => {
  test('a port that is taken [D1.1 S-config.port]', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const refusal: Refusal = {
      title: '',
      files: { 'g/x.yml': direct },
      config: { port },
      error: 'listen_failed',
      names: [`port ${port}`, 'in use by another process'],
    }
    for (const format of ['text', 'json'] as const) await refuse(refusal, format, 'process')
    taken.close()
  })

  test('a port that the user may not take [D1.1]', { skip: reasonToSkip() }, async () => {
    const isRoot = process.getuid?.() === 0
    const command = isRoot ? { command: [...withoutRight, process.execPath, binary] } : {}
    const names = ['port 80', 'may not be used', 'above 1023']
    await refuse({ title: '', config: { port: 80 }, ...command, error: 'listen_failed', names }, 'text', 'process')
  })

  test('the one line is written whatever is filtered [S-env.RUST_LOG]', async () => {
    const { stdout } = await refuse(
      { title: '', config: { port: -1 }, env: { RUST_LOG: 'off' }, error: 'invalid_configuration', names: ['port'] },
      'text',
      'host',
    )
    strictEqual(linesOf(stdout).length, 1)
  })

  test('every problem of a file is in the one line [D1.1]', async () => {
    const config = {
      port: -1,
      xroad_protocol_version: '5',
      limits: { max_request_bytes: 0, request_timeout_secs: 'x' },
    }
    const names = ['port', 'xroad_protocol_version', 'limits.max_request_bytes', 'limits.request_timeout_secs']
    await refuse({ title: '', config, error: 'invalid_configuration', names }, 'json', 'host')
  })
})

testFlags({
  rules: '[D1.1 S-version.1]',
  name: 'xroad-proxy',
  version: packaged.version,
  variables: ['PROXY_CONFIG', 'PROXY_KEYSTORE_PASSWORD', 'RUST_LOG'],
  wrong: [['--prot', '80'], ['--port', '1'], ['proxy.yaml'], ['serve', 'more']],
  run: (args) => runCommand({ args, cwd: newFolder() }),
})

describe('what must load', concurrency, () => {
  const running: Inside[] = []
  const start = async (...setting: Parameters<typeof startInside>): Promise<Inside> => {
    const service = await startInside(...setting)
    running.push(service)
    return service
  }
  after(async () => {
    await Promise.all(running.map((service) => service.stop()))
  })

  test('the log tells where the configuration comes from [S-config.search]', async () => {
    const yaml = JSON.stringify({ host: '127.0.0.1', port: 0 })
    const shown = async (names: readonly string[], args: readonly string[], env = {}): Promise<string> => {
      const cwd = newFolder(Object.fromEntries(names.map((name) => [name, yaml])))
      const service = spawnProxy({ cwd, args, env })
      const line = await service.line(/DSL files read/)
      service.kill('SIGKILL')
      await service.ended
      return / config=(".*?"|\S+)/.exec(line)?.[1] ?? ''
    }
    const all = ['proxy.yaml', 'proxy.yml', 'a.yaml', 'b.yaml']
    strictEqual(await shown(all, ['--config', 'a.yaml'], { PROXY_CONFIG: 'b.yaml' }), '"--config a.yaml"')
    strictEqual(await shown(all, [], { PROXY_CONFIG: 'b.yaml' }), '"PROXY_CONFIG b.yaml"')
    strictEqual(await shown(all, ['serve']), './proxy.yaml')
    strictEqual(await shown(['proxy.yml'], []), './proxy.yml')
    strictEqual(
      await shown([], []),
      '"built-in defaults (neither --config nor PROXY_CONFIG names a file, and there is no ./proxy.yaml or ./proxy.yml)"',
    )
    strictEqual(
      await shown([], [], { PROXY_CONFIG: '' }),
      '"built-in defaults (neither --config nor PROXY_CONFIG names a file, and there is no ./proxy.yaml or ./proxy.yml)"',
    )
  })

  test('a keystore that nobody needs is not looked at [D1.5]', async () => {
    for (const text of ['nonsense', undefined]) {
      const folder = newFolder(text === undefined ? {} : { 'client.p12': text })
      const { port } = await start({
        files: { 'g/direct.yml': direct },
        config: {
          security_server: {
            ...securityServer,
            keystore_path: join(folder, 'client.p12'),
            trust_ca_path: 'nowhere.pem',
          },
        },
        env: password,
        folder,
      })
      strictEqual((await call(port, '/health')).text, '{"status":"ok"}')
    }
  })

  test('without a Security Server the files load, and fail when they are called [S-config.security_server]', async () => {
    const { port, stdout } = await start({ files: { ...needing, 'g/soap.yml': soapFile() } })
    match(stdout(), / soap=1 rest=1\n/)
    strictEqual(errorOf(await call(port, '/g/rest')), 'internal_error')
    strictEqual(errorOf(await call(port, '/g/soap', { body: {} })), 'internal_error')
  })

  test('a dsl_path that does not exist is a WARN [D1.9]', async () => {
    const { port, stdout } = await start({ files: {}, config: { dsl_path: './nowhere' } })
    strictEqual(linesOf(stdout()).filter((line) => / WARN .*nowhere/.test(line)).length, 1)
    deepStrictEqual((JSON.parse((await call(port, '/api')).text) as { paths: object }).paths, {})
  })

  test('unknown keys are a WARN each, in both kinds of file, and the text of a scalar counts [D1.2]', async () => {
    const yaml = 'host: 127.0.0.1\nport: 0\nxroad_protocol_version: 4.0\nprot: 1\nclient_data: {member_code: 00123}\n'
    const folder = newFolder({ 'proxy.yaml': yaml })
    writeFiles(folder, { 'DSL/g/x.yml': 'method: POST\nparam: [x]\nenvelope: <a/>\nservice: https://x.example/' })
    const service = spawnProxy({ cwd: folder })
    await service.line(/Listening/)
    service.kill('SIGTERM')
    const { code, stdout } = await service.ended
    strictEqual(code, 0)
    const warnings = linesOf(stdout).filter((line) => line.includes(' WARN '))
    deepStrictEqual(
      warnings.map((line) => /(\S+:\d+): (\w+): .*did you mean (\w+)/.exec(line)?.slice(1)),
      [
        ['./proxy.yaml:4', 'prot', 'port'],
        ['DSL/g/x.yml:2', 'param', 'params'],
      ],
    )
  })

  test('port 0 is a free one, and the log tells which [S-config.port]', async () => {
    const services = await Promise.all([start({ files: {} }), start({ files: {} })])
    const [first = 0, second = 0] = services.map(({ port }) => port)
    ok(first > 0 && second > 0 && first !== second)
    for (const port of [first, second]) strictEqual((await call(port, '/health')).status, 200)
  })

  const hasIPv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))
  test('an address of IPv6 is listened on', { skip: hasIPv6 ? false : 'there is no IPv6 here' }, async () => {
    const { stdout } = await start({ files: {}, config: { host: '::1' } })
    match(stdout(), / address="?\[::1\]:\d+/)
  })

  test('files as a ConfigMap mounts them: linked over a folder whose name begins with two dots [D1.9 S-what.1]', async () => {
    const folder = newFolder({ 'DSL/g/..2026_07_01/one.yml': direct })
    symlinkSync('..2026_07_01', join(folder, 'DSL/g/..data'))
    symlinkSync('..data/one.yml', join(folder, 'DSL/g/one.yml'))
    const { port, stdout } = await start({ files: {}, folder })
    match(stdout(), / soap=1 rest=0\n/)
    strictEqual((await send(port, 'GET /g/one HTTP/1.1\r\nHost: x\r\n\r\n')).status, 405)
  })

  test('a thousand files are loaded [S-what.1]', async (t) => {
    const many: Record<string, string> = {}
    for (let i = 0; i < 1000; i++)
      many[`group${i % 37}/service${i}.yml`] = i % 2 === 0 ? direct : restFile('GET', `s${i}`)
    const since = performance.now()
    const { port, stdout } = await start({ files: many })
    t.diagnostic(`written, read and listening after ${Math.round(performance.now() - since)} ms`)
    match(stdout(), / soap=500 rest=500\n/)
    strictEqual(errorOf(await call(port, `/group${999 % 37}/service999`)), 'internal_error')
    const { paths } = JSON.parse((await call(port, '/api')).text) as { paths: object }
    strictEqual(Object.keys(paths).filter((path) => path.startsWith('/group')).length, 1000)
  })
})
