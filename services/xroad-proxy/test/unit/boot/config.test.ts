import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig, type Loaded, search } from '../../../src/boot/config/config.ts'
import { StartupFailure } from '../../../src/errors.ts'

interface Given {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly env?: Readonly<Record<string, string>>
  readonly flag?: string
}

/** Loads in a fresh folder that holds these files. */
function load({ files = {}, env = {}, flag }: Given): Loaded {
  const cwd = mkdtempSync(join(tmpdir(), 'xroad-proxy-'))
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content)
    return loadConfig({ flag, env, cwd })
  } finally {
    rmSync(cwd, { recursive: true })
  }
}

function loadText(text: string, env: Readonly<Record<string, string>> = {}): Loaded {
  return load({ files: { 'proxy.yaml': text }, env })
}

function refusal(attempt: () => unknown): StartupFailure {
  try {
    attempt()
  } catch (error) {
    ok(error instanceof StartupFailure, String(error))
    ok(!/[\r\n]/.test(error.message), 'one line')
    ok(!error.message.includes('hunter2'), 'no password in the message')
    return error
  }
  throw new Error('it was not refused')
}

const securityServer = 'security_server:\n  url: https://ss.example\n  keystore_path: k.p12\n'
const password = { PROXY_KEYSTORE_PASSWORD: 'hunter2' }

test('--config, PROXY_CONFIG, proxy.yaml, proxy.yml, defaults, in this order [S-config.search]', () => {
  deepStrictEqual(search.paths, ['./proxy.yaml', './proxy.yml'])
  const files: Record<string, string> = { 'a.yaml': 'port: 1', 'b.yaml': 'port: 2' }
  Object.assign(files, { 'proxy.yaml': 'port: 3', 'proxy.yml': 'port: 4' })
  const env = { PROXY_CONFIG: 'b.yaml' }
  const shown = ({ config, source }: Loaded) => [config.port, source]
  deepStrictEqual(shown(load({ files, env, flag: 'a.yaml' })), [1, '--config a.yaml'])
  deepStrictEqual(shown(load({ files, env })), [2, 'PROXY_CONFIG b.yaml'])
  deepStrictEqual(shown(load({ files })), [3, './proxy.yaml'])
  deepStrictEqual(shown(load({ files: { 'proxy.yml': 'port: 4' } })), [4, './proxy.yml'])
  deepStrictEqual(shown(load({})), [
    8080,
    'built-in defaults (neither --config nor PROXY_CONFIG names a file, and there is no ./proxy.yaml or ./proxy.yml)',
  ])
})

test('a named file must exist, a default one need not; an empty variable is none [D1.1 S-env.PROXY_CONFIG]', () => {
  const flag = refusal(() => load({ flag: 'no.yaml', env: { PROXY_CONFIG: 'no2.yaml' } }))
  strictEqual(flag.code, 'invalid_configuration')
  match(
    flag.message,
    /^--config no\.yaml: file \/.*\/no\.yaml does not exist; its folder has no .*; begin with a copy of proxy\.example\.yaml/,
  )
  match(
    refusal(() => load({ env: { PROXY_CONFIG: 'a/no.yaml' } })).message,
    /^PROXY_CONFIG a\/no\.yaml: .* not exist; the folder .*\/a does not exist or may not be read$/,
  )
  strictEqual(
    load({ env: { PROXY_CONFIG: '' } }).source,
    'built-in defaults (neither --config nor PROXY_CONFIG names a file, and there is no ./proxy.yaml or ./proxy.yml)',
  )
  // Also where a default one is there.
  refusal(() => load({ flag: 'no.yaml', files: { 'proxy.yaml': '' } }))
})

test('a file that cannot be read says so [D1.1]', () => {
  const latin1 = Buffer.from('client_data: {member_code: \xe4}', 'latin1')
  match(
    refusal(() => load({ files: { 'proxy.yaml': latin1 } })).message,
    /^\.\/proxy\.yaml: .*proxy\.yaml is not UTF-8/,
  )
  const cwd = mkdtempSync(join(tmpdir(), 'xroad-proxy-'))
  try {
    mkdirSync(join(cwd, 'proxy.yaml'))
    match(refusal(() => loadConfig({ flag: undefined, env: {}, cwd })).message, /proxy\.yaml is a directory/)
    rmSync(join(cwd, 'proxy.yaml'), { recursive: true })
    symlinkSync('nowhere', join(cwd, 'proxy.yaml'))
    match(refusal(() => loadConfig({ flag: undefined, env: {}, cwd })).message, /proxy\.yaml does not exist/)
  } finally {
    rmSync(cwd, { recursive: true })
  }
})

test('a byte-order mark before the first field is no part of it [D1.2]', () => {
  strictEqual(loadText('\ufeffport: 1').config.port, 1)
})

const defaults = {
  dslPath: './DSL',
  host: '0.0.0.0',
  port: 8080,
  server: { fastReader: true },
  shutdown: { delaySeconds: 0 },
  trace: { enabled: false },
  reload: 'off',
  instance: 'ee-test',
  protocolVersion: '4.0',
  client: { instance: 'ee-test', memberClass: '', memberCode: '', subsystemCode: '' },
  clients: [],
  wsdl: { allowHttpUpstream: false, upstreamHostAllowlist: [] },
  soapResponse: 'plain',
  validateRequests: 'off',
  errorMessageId: false,
  exposeSoapFaultDetail: false,
  docs: { showUpstream: false },
  limits: {
    maxRequestBytes: 1_048_576,
    maxResponseBytes: 16_777_216,
    maxInflightBytes: 268_435_456,
    maxConnections: 10_000,
    requestTimeoutSeconds: 30,
  },
  logging: { requests: 'all', slowMs: 1000 },
}

for (const text of [
  '',
  '# nothing\n',
  'limits:\nclient_data:\nsecurity_server:\nserver:\nport:\ndsl_path: ~\nwsdl: null\n',
]) {
  test(`the defaults: ${JSON.stringify(text)} [S-config.search S-config.security_server]`, () => {
    const { config, warnings } = loadText(text)
    deepStrictEqual({ ...config }, defaults)
    deepStrictEqual(warnings, [])
  })
}

const everything = `
dsl_path: /srv/dsl
host: "::1"
port: 0
server:
  fast_reader: false
xroad_instance: EE
xroad_protocol_version: 4.1
client_data:
  member_class: GOV
  member_code: 00123
  subsystem_code: 4.0
clients:
  4.0:
    member_class: COM
    member_code: 007
    keystore_path: 1.p12
    keystore_password_env: MY_PASSWORD
wsdl_watch_dir: wsdl
wsdl:
  allow_http_upstream: true
  upstream_host_allowlist: [a.example, 10]
soap_response: schema
validate_requests: warn
error_message_id: true
expose_soap_fault_detail: true
docs:
  show_upstream: true
security_server:
  url: HTTPS://Security.example:8443/
  keystore_path: id.p12
  keystore_password_env: MY_PASSWORD
  trust_ca_path: ca.pem
limits:
  max_request_bytes: 1
  max_response_bytes: 2147483648
  max_inflight_bytes: 3
  max_connections: 5
  request_timeout_secs: 86400
logging:
  requests: off
  slow_ms: 250
audit:
  file: audit.jsonl
  required: true
  hash_key_env: MY_PASSWORD
  caller_header: X-Client
`

const everyField =
  '[S-config.dsl_path S-config.port S-config.xroad_instance S-config.xroad_protocol_version] ' +
  '[S-config.client_data.member_class S-config.client_data.member_code S-config.client_data.subsystem_code] ' +
  '[S-config.wsdl_watch_dir S-config.wsdl.allow_http_upstream S-config.wsdl.upstream_host_allowlist] ' +
  '[S-config.soap_response S-config.expose_soap_fault_detail S-config.security_server.url] ' +
  '[S-config.security_server.keystore_path S-config.security_server.keystore_password_env] ' +
  '[S-config.security_server.trust_ca_path S-config.limits.max_request_bytes] ' +
  '[S-config.limits.max_response_bytes S-config.limits.request_timeout_secs]'

test(`every field is read ${everyField}`, () => {
  const { config, warnings } = loadText(everything, { MY_PASSWORD: 'hunter2' })
  deepStrictEqual(warnings, [])
  deepStrictEqual(
    { ...config },
    {
      dslPath: '/srv/dsl',
      host: '::1',
      port: 0,
      server: { fastReader: false },
      shutdown: { delaySeconds: 0 },
      trace: { enabled: false },
      reload: 'off',
      instance: 'EE',
      protocolVersion: '4.1',
      client: { instance: 'EE', memberClass: 'GOV', memberCode: '00123', subsystemCode: '4.0' },
      clients: [
        {
          name: '4.0',
          identity: { instance: 'EE', memberClass: 'COM', memberCode: '007', subsystemCode: '' },
          keystorePath: '1.p12',
          keystorePasswordEnv: 'MY_PASSWORD',
        },
      ],
      wsdlWatchDir: 'wsdl',
      wsdl: { allowHttpUpstream: true, upstreamHostAllowlist: ['a.example', '10'] },
      soapResponse: 'schema',
      validateRequests: 'warn',
      errorMessageId: true,
      exposeSoapFaultDetail: true,
      docs: { showUpstream: true },
      securityServer: {
        url: 'https://security.example:8443',
        keystorePath: 'id.p12',
        keystorePasswordEnv: 'MY_PASSWORD',
        trustCaPath: 'ca.pem',
        optional: false,
      },
      limits: {
        maxRequestBytes: 1,
        maxResponseBytes: 2_147_483_648,
        maxInflightBytes: 3,
        maxConnections: 5,
        requestTimeoutSeconds: 86_400,
      },
      logging: { requests: 'off', slowMs: 250 },
      audit: { file: 'audit.jsonl', required: true, hashKeyEnv: 'MY_PASSWORD', callerHeader: 'X-Client' },
    },
  )
  ok(!JSON.stringify(config).includes('hunter2'))
})

test('the configuration is frozen, however deep', () => {
  const reached: unknown[] = [loadText(everything, { MY_PASSWORD: 'x' }).config]
  for (const value of reached) {
    if (typeof value !== 'object' || value === null) continue
    ok(Object.isFrozen(value), JSON.stringify(value))
    reached.push(...Object.values(value))
  }
  ok(reached.length > 25)
})

const texts = ['4.0', '00123', '0x1F', '1e3', 'true', '70000000000000000001', '-0', '.inf', '"4.0"', "'00123'"]

for (const text of texts) {
  test(`a text field takes ${text} as it is written [D1.2]`, () => {
    const { config } = loadText(`client_data:\n  member_code: ${text}\nxroad_instance: ${text}\n`)
    const written = text.replaceAll(/["']/g, '')
    deepStrictEqual([config.client.memberCode, config.instance], [written, written])
  })
}

test('a number is read as one, in any notation [D1.2 S-config.port]', () => {
  deepStrictEqual(
    ['0x1F', '1e3', '8080.0'].map((port) => loadText(`port: ${port}`).config.port),
    [31, 1000, 8080],
  )
})

test('unknown fields are warnings with line and nearest name [D1.2]', () => {
  const { config, warnings } = loadText(
    'prot: 1\nlimits:\n  max_request_byte: 5\n  "a\\nb": 1\nzzz: 1\n__proto: 1\nconstructor: 1\nport: 7\n',
  )
  strictEqual(config.port, 7)
  strictEqual(config.limits.maxRequestBytes, 1_048_576)
  const expected = [
    /^\.\/proxy\.yaml:1: prot: unknown field, has no effect; did you mean port\?$/,
    /^\.\/proxy\.yaml:3: limits\.max_request_byte: .*did you mean max_request_bytes\?$/,
    /^\.\/proxy\.yaml:4: limits\."a\\nb": unknown field.*the known fields are max_request_bytes, max_response_bytes/,
    /^\.\/proxy\.yaml:5: zzz: unknown field, has no effect; the known fields are dsl_path, host, port/,
    /^\.\/proxy\.yaml:6: __proto: unknown field/,
    /^\.\/proxy\.yaml:7: constructor: unknown field/,
  ]
  strictEqual(warnings.length, expected.length)
  for (const [index, warning] of warnings.entries()) match(warning, expected[index] ?? /never/)
})

const wrong: readonly [string, string, RegExp][] = [
  ['S-config.port', 'port: 65536', /^\.\/proxy\.yaml:1: port: found the number 65536, expected .* 0 to 65535$/],
  ['S-config.port', 'port: -1', /port: found the number -1/],
  ['S-config.port', 'port: 80.5', /port: found the number 80.5/],
  ['S-config.port', 'port: "8080"', /port: found "8080", expected a whole number/],
  ['S-config.port', 'port: eighty', /port: found "eighty"/],
  ['S-config.port', 'port: [80]', /port: found a list/],
  ['S-config.port', 'port: true', /port: found the boolean true/],
  [
    'S-config.xroad_protocol_version',
    'xroad_protocol_version: 4.2',
    /:1: .*version: found "4\.2", expected 4\.0 or 4\.1$/,
  ],
  ['S-config.xroad_protocol_version', 'xroad_protocol_version: 4', /found "4", expected 4\.0 or 4\.1$/],
  ['S-config.xroad_protocol_version', 'xroad_protocol_version: 4.00', /found "4\.00"/],
  ['S-config.xroad_protocol_version', 'xroad_protocol_version: ""', /found an empty text, expected 4\.0 or 4\.1$/],
  ['S-config.xroad_protocol_version', 'xroad_protocol_version: "4.0 "', /found "4\.0 "/],
  ['S-config.xroad_instance', 'xroad_instance: ""', /xroad_instance: found an empty text/],
  ['S-config.xroad_instance', 'xroad_instance: ".."', /xroad_instance: found "\.\."/],
  ['S-config.xroad_instance', 'xroad_instance: "a\\r\\nb"', /xroad_instance: found control characters/],
  [
    'S-config.client_data.member_code',
    'client_data: {member_code: "a\\nX: y"}',
    /client_data\.member_code: found control/,
  ],
  ['S-config.client_data.member_class', 'client_data: {member_class: "\\0"}', /member_class: found control/],
  ['S-config.client_data.member_class', 'client_data: {member_class: "\\ud800"}', /member_class: found control/],
  ['S-config.client_data.subsystem_code', 'client_data: {subsystem_code: "\\u0085"}', /subsystem_code: found control/],
  ['S-config.client_data.member_code', 'client_data: {member_code: [1]}', /member_code: found a list/],
  [
    'S-config.client_data.member_code',
    'client_data: GOV',
    /client_data: found a text, expected the fields member_class/,
  ],
  ['S-config.dsl_path', 'dsl_path: " "', /dsl_path: found an empty text/],
  ['S-config.dsl_path', 'dsl_path: "a\\0b"', /dsl_path: found control/],
  ['S-config.wsdl.allow_http_upstream', 'wsdl: {allow_http_upstream: yes}', /found "yes", expected true or false/],
  ['S-config.soap_response', 'soap_response: typed', /found "typed", expected plain or schema/],
  ['S-config.expose_soap_fault_detail', 'expose_soap_fault_detail: "true"', /found "true", expected true or false/],
  ['S-config.expose_soap_fault_detail', 'expose_soap_fault_detail: 1', /found the number 1, expected true or false/],
  ['S-config.wsdl.upstream_host_allowlist', 'wsdl: {upstream_host_allowlist: a}', /found a text, expected a list/],
  ['S-config.wsdl.upstream_host_allowlist', 'wsdl: {upstream_host_allowlist: [a, ]}\nx: [', /:2:/],
  [
    'S-config.wsdl.upstream_host_allowlist',
    'wsdl:\n  upstream_host_allowlist:\n    - a\n    -\n',
    /:4: wsdl.*\[1\]: left/,
  ],
  ['S-config.limits.max_request_bytes', 'limits: {max_request_bytes: 0}', /max_request_bytes: found the number 0/],
  ['S-config.limits.max_response_bytes', 'limits: {max_response_bytes: -1}', /max_response_bytes: found the number -1/],
  ['S-config.limits.max_response_bytes', 'limits: {max_response_bytes: 1.5}', /found the number 1.5/],
  ['S-config.limits.max_response_bytes', 'limits: {max_response_bytes: 1e300}', /found the number 1e\+300/],
  ['S-config.limits.request_timeout_secs', 'limits: {request_timeout_secs: 0}', /found the number 0.* 1 to 86400/],
  ['S-config.limits.request_timeout_secs', 'limits: {request_timeout_secs: 86401}', /found the number 86401/],
  ['S-config.limits.request_timeout_secs', 'limits: {request_timeout_secs: .inf}', /found the number Infinity/],
  ['D1.1', 'host: "a b"', /host: found "a b"/],
  ['D1.1', 'host: ""', /host: found an empty text/],
  [
    'D1.1',
    'host: 127.0.0.1:8080',
    /host: found "127.0.0.1:8080", expected an address without a port; its field is port/,
  ],
  ['D1.1', 'host: "[::1]:8080"', /expected an address without a port; its field is port/],
  ['D1.1', 'port: 1\nport: 2', /^\.\/proxy\.yaml:2:1: "port" occurs twice/],
  ['D1.1', '- port', /^\.\/proxy\.yaml:1:1: expected "field: value"/],
]

for (const [rule, text, message] of wrong) {
  test(`refused: ${JSON.stringify(text)} [${rule}]`, () => {
    const failure = refusal(() => loadText(text, password))
    strictEqual(failure.code, 'invalid_configuration')
    match(failure.message, message)
  })
}

const urls: readonly [string, RegExp][] = [
  ['http://ss.example', /does not start with https:\/\//],
  ['ss.example:5500', /does not start with https:\/\//],
  ['https:ss.example', /does not start with https:\/\//],
  ['https:///ss.example', /does not start with https:\/\//],
  [' https://ss.example', /does not start with https:\/\//],
  ['', /found an empty text/],
  ['https://', /does not start with https:\/\//],
  ['https://<host>:5500', /not a URL/],
  ['https://a b', /not a URL/],
  ['https://ss.example:99999', /not a URL/],
  ['https://ss.example\\\\x', /not a URL/],
  ['https://ss.example\\tx', /control characters/],
  ['https://me:hunter2@ss.example', /user name or password/],
  ['https://me@ss.example', /user name or password/],
  ['https://ss.example/?a=hunter2', /query string or a fragment/],
  ['https://ss.example/#', /query string or a fragment/],
]

for (const [url, message] of urls) {
  test(`refused: ${url} [D1.3 S-config.security_server.url]`, () => {
    const failure = refusal(() => loadText(`security_server:\n  keystore_path: x\n  url: "${url}"\n`, password))
    strictEqual(failure.code, 'invalid_configuration')
    match(failure.message, /^\.\/proxy\.yaml:3: security_server\.url: found .*, expected the https:\/\/ address/)
    match(failure.message, message)
  })
}

for (const [url, used] of [
  ['https://ss.example', 'https://ss.example'],
  ['https://ss.example:443', 'https://ss.example'],
  ['https://ss.example:5500', 'https://ss.example:5500'],
  ['https://ss.example:8443/', 'https://ss.example:8443'],
  ['hTTpS://SS.example:1//', 'https://ss.example:1'],
  ['https://[::1]:5500/base/', 'https://[::1]:5500/base'],
] as const) {
  test(`any port is fine, without a word: ${url} [D1.3 S-config.security_server.url]`, () => {
    const { config, warnings } = loadText(`security_server:\n  keystore_path: x\n  url: ${url}\n`, password)
    deepStrictEqual([config.securityServer?.url, warnings], [used, []])
  })
}

test('an entry of the list of hosts that lets nobody through is a warning [S-config.wsdl.upstream_host_allowlist]', () => {
  const odd = ['https://a.ee/x', '*.ee', 'a.ee:443', '[::1]:443', '*']
  const usual = ['a.ee', 'A.EE.', 'põhja.ee', '192.0.2.1', '2001:db8::1']
  const list = [...odd, ...usual].map((entry) => `    - '${entry}'`)
  const { warnings } = loadText(`wsdl:\n  upstream_host_allowlist:\n${list.join('\n')}\n`)
  const cure = 'is no host name and lets nobody through; write it without scheme, port, path and *'
  deepStrictEqual(
    warnings,
    odd.map((entry, i) => `./proxy.yaml:${i + 3}: wsdl.upstream_host_allowlist[${i}]: "${entry}" ${cure}`),
  )
})

test('what the service adds itself at the end of the address is a warning [D1.3]', () => {
  const { warnings } = loadText('security_server:\n  url: https://ss/r1/\n  keystore_path: x\n', password)
  deepStrictEqual(warnings, [
    './proxy.yaml:2: security_server.url: ends with /r1, which the service adds itself to calls of REST services; leave it out',
  ])
})

test('what other programs call their fields is told by name [D1.2]', () => {
  const { warnings } = loadText('server: {bind: 0.0.0.0:80}\nlogging: {level: debug, format: json}\nlisten: 80\n')
  match(warnings[0] ?? '', /server\.bind: unknown field, .* is host and its port is port, both at the top of the file/)
  match(warnings[1] ?? '', /logging\.level: .* RUST_LOG, such as debug/)
  match(warnings[2] ?? '', /logging\.format: .* PROXY_LOG_FORMAT=json/)
  match(warnings[3] ?? '', /listen: .* is host and its port is port/)
})

test('port 4000 is a warning [D1.3]', () => {
  const { config, warnings } = loadText('security_server:\n  url: https://ss:4000/\n  keystore_path: x\n', password)
  strictEqual(config.securityServer?.url, 'https://ss:4000')
  strictEqual(warnings.length, 1)
  match(warnings[0] ?? '', /^\.\/proxy\.yaml:2: security_server\.url: port 4000 is the administration/)
})

test('the section of the Security Server needs both [S-config.security_server.keystore_path S-config.security_server.url]', () => {
  const { message } = refusal(() => loadText('security_server:\n  trust_ca_path: x\n', password))
  match(message, /:1: security_server\.url: missing, .*; \.\/proxy\.yaml:1: security_server\.keystore_path: missing/)
})

test('all problems of a file are told at once, each with its line [D1.1 S-boot.1 S-startup]', () => {
  const { message } = refusal(() =>
    loadText('port: x\n\nxroad_protocol_version: 5\nlimits:\n  request_timeout_secs: 0\n'),
  )
  deepStrictEqual(
    message.split('; ').map((problem) => problem.split(': ').slice(0, 2).join(' ')),
    ['./proxy.yaml:1 port', './proxy.yaml:3 xroad_protocol_version', './proxy.yaml:5 limits.request_timeout_secs'],
  )
})

for (const env of [{}, { PROXY_KEYSTORE_PASSWORD: '' }]) {
  test(`a security_server needs the password: ${JSON.stringify(env)} [S-env.PROXY_KEYSTORE_PASSWORD]`, () => {
    const failure = refusal(() => loadText(securityServer, env))
    strictEqual(failure.code, 'keystore_load_failed')
    match(failure.message, /^\.\/proxy\.yaml:1: security_server\.keystore_password_env: .* PROXY_KEYSTORE_PASSWORD is/)
    match(failure.message, Object.keys(env).length === 0 ? /is not set;/ : /is empty;/)
  })
}

test('who has put the password elsewhere learns of the file for it, and which field has no effect [O3.2]', () => {
  const { code, message } = refusal(() => loadText(`${securityServer}  password_file: ./pw\n`, {}))
  strictEqual(code, 'keystore_load_failed')
  match(message, /, or name a file that holds it in keystore_password_file; \.\/proxy\.yaml:\d+: /)
  match(message, /security_server\.password_file: unknown field, has no effect; /)
})

test('the variable that is named counts, no other [S-config.security_server.keystore_password_env]', () => {
  const text = `${securityServer}  keystore_password_env: OTHER\n`
  match(refusal(() => loadText(text, password)).message, /environment variable OTHER is not set/)
  ok(loadText(text, { OTHER: 'hunter2' }).config.securityServer)
  ok(loadText(securityServer, password).config.securityServer)
  ok(loadText('', {}).config)
})

test('a password in place of the name is not repeated [S-config.security_server.keystore_password_env]', () => {
  const text = `${securityServer}  keystore_password_env: hunter2!\n`
  match(refusal(() => loadText(text, password)).message, /:4: .*keystore_password_env: found a text, expected the name/)
})

test('nor is one that could be a name, and the cure is told [S-config.security_server.keystore_password_env]', () => {
  const text = `${securityServer}  keystore_password_env: hunter2\n`
  match(
    refusal(() => loadText(text, {})).message,
    /:4: .*keystore_password_env: no .* has this name .*; a password never/,
  )
})

for (const key of ['password', 'keystore_password', 'keystorePassword', 'secret']) {
  test(`${key} is led to keystore_password_env of the environment, not to the field itself [D1.2]`, () => {
    const { warnings } = loadText(`${securityServer}  ${key}: hunter2\n`, password)
    strictEqual(warnings.length, 1)
    match(
      warnings[0] ?? '',
      /^\.\/proxy\.yaml:4: security_server\.\w+: unknown field, has no effect; a password never belongs/,
    )
    ok(!warnings.join().includes('hunter2'))
  })
}

test('where each value comes from is known, and nothing of what it is', () => {
  const { origins } = loadText(`port: 1\nclient_data:\n  member_code: "1"\n${securityServer}`, password)
  deepStrictEqual([origins['port'], origins['client_data.member_code']], ['./proxy.yaml:1', './proxy.yaml:3'])
  deepStrictEqual(
    [
      origins['host'],
      origins['security_server.url'],
      origins['security_server.trust_ca_path'],
      origins['wsdl_watch_dir'],
    ],
    ['default', './proxy.yaml:5', undefined, undefined],
  )
})

test('the example file is right and without warnings [S-config.search]', () => {
  const text = readFileSync(new URL('../../../proxy.example.yaml', import.meta.url), 'utf8')
  const loaded = loadText(text, password)
  deepStrictEqual(loaded.warnings, [])
  // What is commented out there are the defaults.
  const shown = text.replaceAll(/^( *)# ([a-z_]+:(?: \S*)?)$/gm, '$1$2')
  const { wsdlWatchDir, audit, ...rest } = loadText(shown, { ...password, PROXY_AUDIT_KEY: 'k' }).config
  const { securityServer } = loaded.config
  const keystorePasswordFile = './keystore.password'
  deepStrictEqual(rest, { ...loaded.config, securityServer: { ...securityServer, keystorePasswordFile } })
  strictEqual(wsdlWatchDir, './wsdl')
  strictEqual(audit?.file, './audit.jsonl')
})

test('faults come in the order of their lines [F10]', () => {
  const text = 'wsdl_refresh: x\nport: no\nclient_data:\n  membr_code: a\n  member_class: 7\nhost: 5\nzzz: 1\n'
  const { message } = refusal(() => loadText(text))
  const lines = Array.from(message.matchAll(/proxy\.yaml:(\d+): /g), ([, line]) => Number(line))
  ok(lines.length >= 4, message)
  deepStrictEqual(
    lines,
    lines.toSorted((a, b) => a - b),
  )
})
