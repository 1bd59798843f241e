/**
 * The SOAP lane on its way out: which bytes reach the Security Server or a direct service, what becomes of the caller's
 * values, and how connections are used. Upstreams are played by the tests, over real sockets and mutual TLS.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { type Reply, call, type CallOptions, errorOf, newFolder, until } from '@services/testing'
import { issueServer, makeAuthority, makeSelfSigned } from '@services/testing/certificates'
import type { SoapEndpoint } from '../../../src/model.ts'
import { type Lanes, sharedPki, startLanes } from '../../support/lanes.ts'
import { startProxy } from '../../support/process.ts'
import {
  type Act,
  type Received,
  startUpstream,
  toAnswer,
  toEnvelope,
  type Upstream,
} from '../../support/upstreams/upstream.ts'

const xml = (name: string): string => `<v>{{${name}}}</v>`
const answerAll: Act = (socket) => socket.write(toAnswer(toEnvelope('<ok>1</ok>')))
const agent = new Agent({ keepAlive: true, maxSockets: 128 })

/** A DSL file; JSON is YAML. */
function dsl(
  envelope: string,
  fields: Partial<Record<keyof SoapEndpoint | 'method' | 'service' | 'soap_action', unknown>> = {},
) {
  return JSON.stringify({ method: 'POST', params: ['a', 'b', 'c'], envelope, ...fields })
}

let act: Act = answerAll
let security: Upstream
let direct: Upstream
let secret: Upstream
let lanes: Lanes

before(async () => {
  security = await startUpstream((socket, request) => act(socket, request), { tls: 'mock' })
  direct = await startUpstream((socket, request) => act(socket, request))
  secret = await startUpstream(answerAll, { tls: makeSelfSigned() })
  const client = '<e>{{{generate.client}}}</e>'
  lanes = await startLanes({
    config: {
      security_server: { url: security.url },
      xroad_protocol_version: '4.1',
      limits: { request_timeout_secs: 10 },
    },
    dsl: {
      't/plain.yml': dsl('<e>õ</e>'),
      't/a.yml': dsl(xml('a')),
      't/raw.yml': dsl('<v>{{{a}}}</v>'),
      't/attribute.yml': dsl('<v a="{{xml_attr a}}"/>'),
      't/inside.yml': dsl('<v>{{#with a}}{{b}}{{#each c}}[{{this}}]{{/each}}{{/with}}</v>'),
      't/list.yml': dsl('<v>{{#each a}}<i n="{{@index}}">{{b}}{{#if c}}!{{/if}}</i>{{/each}}</v>'),
      't/dashed.yml': dsl('<v>{{a-b}}|{{[c.d]}}|{{this.if}}|{{this.log}}</v>', { params: ['a-b', 'c.d', 'if', 'log'] }),
      't/hidden.yml': dsl('<v>{{d}}|{{__proto__}}|{{constructor}}|{{a.constructor.name}}|{{toString}}</v>', {
        params: ['a', '__proto__', 'constructor', 'toString'],
      }),
      't/generate.yml': dsl('<v>{{generate.uuid}}|{{generate.instance}}</v>', { params: ['generate'] }),
      't/uuid.yml': dsl('<v>{{generate.uuid}}|{{xml_attr generate.uuid}}</v>'),
      't/version.yml': dsl('<v>{{generate.protocol_version}} {{generate.instance}}</v>'),
      't/client.yml': dsl(client),
      't/helper.yml': dsl('<v>{{shout a}}</v>'),
      't/half-helper.yml': dsl('<v>{{#if a}}{{shout a}}{{/if}}</v>'),
      't/action.yml': dsl('<e/>', { soap_action: 'urn:x#Do It' }),
      't/empty-action.yml': dsl('<e/>', { soap_action: '' }),
      't/get.yml': dsl('<e/>', { method: 'GET' }),
      't/no-params.yml': dsl('<v>{{a}}</v>', { params: undefined }),
      'd/path.yml': dsl('<e/>', { service: `${direct.url}/a%20b/C;d?x=1&y=%C3%A4&z`, soap_action: 'urn:d' }),
      'd/root.yml': dsl('<e/>', { service: direct.url }),
      'd/id.yml': dsl('<e>{{a}}</e>', { service: direct.url }),
      'd/secret.yml': dsl('<e/>', { service: secret.url }),
    },
  })
})

after(async () => {
  agent.destroy()
  await lanes.close()
  await Promise.all([security.close(), direct.close(), secret.close()])
})

function post(path: string, body: string | Buffer | undefined = '{}', headers: CallOptions['headers'] = {}) {
  return call(lanes.port, path, { method: 'POST', agent, headers, body })
}

/** The one request that a call makes. */
async function sentBy(path: string, body?: string | Buffer, headers: CallOptions['headers'] = {}): Promise<Received> {
  const upstream = path.startsWith('/d/') ? direct : security
  const from = upstream.requests.length
  const answer = await post(path, body, headers)
  deepStrictEqual([answer.status, answer.text], [200, '{"body":{"ok":1},"headers":null}'])
  strictEqual(upstream.requests.length, from + 1)
  return upstream.requests[from]!
}

/** What stands in the `v` element of the envelope that was sent. */
async function rendered(path: string, body?: string | Buffer, headers?: CallOptions['headers']): Promise<string> {
  return (await sentBy(path, body, headers)).body.replace(/^<v>(.*)<\/v>$/s, '$1')
}

describe('what is sent', () => {
  test('the whole head and body of a call through the Security Server [S-request.1 S-request.3 D2.4 D2.5]', async () => {
    const { head, body } = await sentBy('/t/plain')
    deepStrictEqual(head.split('\r\n'), [
      'POST / HTTP/1.1',
      `host: 127.0.0.1:${security.port}`,
      'connection: keep-alive',
      'Content-Type: text/xml; charset=utf-8',
      'Accept-Encoding: identity',
      'content-length: 9',
    ])
    strictEqual(body, '<e>õ</e>')
  })

  test('the whole head of a direct call, path and query as written [S-request.3 S-what.4 D2.4 D2.5]', async () => {
    const { head, body } = await sentBy('/d/path')
    deepStrictEqual(head.split('\r\n'), [
      'POST /a%20b/C;d?x=1&y=%C3%A4&z HTTP/1.1',
      `host: 127.0.0.1:${direct.port}`,
      'connection: keep-alive',
      'Content-Type: text/xml; charset=utf-8',
      'Accept-Encoding: identity',
      'SOAPAction: "urn:d"',
      'content-length: 4',
    ])
    strictEqual(body, '<e/>')
    match((await sentBy('/d/root')).head, /^POST \/ HTTP\/1\.1\r\n/)
  })

  test('nothing of the headers of the caller is sent, whatever they say [D2.5 S-auth.3]', async () => {
    const headers = {
      'X-Road-Client': 'EE/GOV/1/2',
      'X-Road-Id': 'id-of-caller',
      'X-Road-UserId': 'EE1234',
      'X-Forwarded-For': '10.0.0.1',
      Authorization: 'Basic eDp5',
      Cookie: 'a=b',
      SOAPAction: '"urn:caller"',
      'Accept-Encoding': 'gzip, br',
      Accept: 'text/html',
      'User-Agent': 'caller',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'Content-Type': 'application/json',
      'Content-Encoding': 'identity',
      TE: 'trailers',
    }
    const bare = await sentBy('/t/plain')
    const full = await sentBy('/t/plain', '{}', headers)
    strictEqual(full.head, bare.head)
    strictEqual(full.body, bare.body)
  })

  test('credentials of a direct service travel in its body [S-auth.4]', async () => {
    strictEqual((await sentBy('/d/id', '{"a": "user:secret & more"}')).body, '<e>user:secret &amp; more</e>')
  })

  test('soap_action is sent in quotes as written, an empty one as two quotes, none as no header [D2.4]', async () => {
    const actionOf = async (path: string): Promise<string | undefined> =>
      /^soapaction: .*$/im.exec((await sentBy(path)).head)?.[0]
    strictEqual(await actionOf('/t/action'), 'SOAPAction: "urn:x#Do It"')
    strictEqual(await actionOf('/t/empty-action'), 'SOAPAction: ""')
    strictEqual(await actionOf('/t/plain'), undefined)
  })

  test('an envelope is posted, also where the endpoint has another method [S-request.1]', async () => {
    const from = security.requests.length
    const answer = await call(lanes.port, '/t/get', { method: 'GET', agent })
    strictEqual(answer.status, 200)
    match(security.requests[from]!.head, /^POST \/ HTTP/)
    strictEqual(security.requests[from]!.body, '<e/>')
    strictEqual((await post('/t/get')).status, 405)
  })

  const places = [
    ['', '/'],
    ['/', '/'],
    ['/consumer', '/consumer'],
    ['/consumer/', '/consumer'],
    ['/a/b%20c', '/a/b%20c'],
  ] as const
  for (const [given, path] of places) {
    test(`a Security Server whose URL ends in '${given}' is called at ${path} [S-request.3]`, async () => {
      const config = { security_server: { url: `${security.url}${given}` } }
      const other = await startLanes({ config, dsl: { 't/plain.yml': dsl('<e/>') } })
      const from = security.requests.length
      strictEqual((await other.call('/t/plain', { body: {} })).status, 200)
      await other.close()
      strictEqual(security.requests[from]!.head.split(' ', 2)[1], path)
    })
  }

  test('the Security Server sees the certificate of the keystore [S-request.3 S-auth.2]', async () => {
    await sentBy('/t/plain')
    ok(security.clients.length > 0)
    deepStrictEqual([...new Set(security.clients)].map(Boolean), [true])
  })

  test('a direct call over HTTPS trusts the system and presents no certificate [S-request.3]', async () => {
    const authority = makeAuthority()
    const service = await startUpstream(answerAll, { tls: issueServer(authority) })
    const { files } = sharedPki()
    const folder = newFolder({ 'ca.pem': authority.certificate })
    const proxy = await startProxy({
      files: { 'd/call.yml': dsl('<e/>', { service: `${service.url}/x` }), 't/plain.yml': dsl('<e/>') },
      config: { security_server: { url: security.url, keystore_path: files.keystore, trust_ca_path: files.ca } },
      env: { PROXY_KEYSTORE_PASSWORD: 'mock', NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') },
    })
    try {
      const answer = await call(proxy.port, '/d/call', { body: {} })
      deepStrictEqual([answer.status, answer.text], [200, '{"body":{"ok":1},"headers":null}'])
      deepStrictEqual(service.clients, [''])
      strictEqual((await call(proxy.port, '/t/plain', { body: {} })).status, 200)
    } finally {
      await proxy.stop()
      await service.close()
    }
  })

  test('a direct service with an unknown issuer is not called, and the error says so [S-request.3 D2.6]', async () => {
    const answer = await post('/d/secret')
    strictEqual(answer.status, 500)
    const { error, message } = JSON.parse(answer.text) as { error: string; message: string }
    strictEqual(error, 'internal_error')
    match(message, /unknown issuer.*system trust store/)
    strictEqual(secret.requests.length, 0)
  })
})

describe('values of the caller', () => {
  const values: readonly (readonly [rule: string, title: string, path: string, body: string, expected: string])[] = [
    ['D2.1', 'text', '/t/a', '{"a":"x y"}', 'x y'],
    ['D2.1', 'text beyond ASCII and beyond 16 bits', '/t/a', '{"a":"õ€😀 \\ud83d\\ude00"}', 'õ€😀 😀'],
    ['D2.1', 'a missing value', '/t/a', '{"b":"x"}', ''],
    ['D2.1', 'null', '/t/a', '{"a":null}', ''],
    ['D2.1', 'empty text', '/t/a', '{"a":""}', ''],
    ['D2.1', 'true', '/t/a', '{"a":true}', 'true'],
    ['D2.1', 'false', '/t/a', '{"a":false}', 'false'],
    ['D2.1', 'zero', '/t/a', '{"a":0}', '0'],
    ['D2.1', 'a fraction with a zero at its end', '/t/a', '{"a":1.50}', '1.50'],
    ['D2.1', 'twenty digits', '/t/a', '{"a":12345678901234567890}', '12345678901234567890'],
    ['D2.1', 'an exponent', '/t/a', '{"a":1e2}', '1e2'],
    ['D2.1', 'an exponent with sign', '/t/a', '{"a":-1.0E+02}', '-1.0E+02'],
    ['D2.1', 'minus zero', '/t/a', '{"a":-0}', '-0'],
    ['D2.1', 'a number that JavaScript has no room for', '/t/a', '{"a":1e999}', '1e999'],
    ['D2.1', 'a small fraction', '/t/a', '{"a":0.00000001}', '0.00000001'],
    ['D2.1', 'digits in a text are no number', '/t/a', '{"a":"1.50 -0 1e2"}', '1.50 -0 1e2'],
    ['D2.1', 'the last of repeated keys', '/t/a', '{"a":1,"a":2}', '2'],
    ['D2.1', 'an object in a block', '/t/inside', '{"a":{"b":1.10,"c":["x",null,2.0]}}', '1.10[x][][2.0]'],
    ['D2.1', 'a list of objects', '/t/list', '{"a":[{"b":"x","c":true},{"b":0}]}', '<i n="0">x!</i><i n="1">0</i>'],
    ['D2.1', 'an empty list', '/t/list', '{"a":[]}', ''],
    ['D2.1', 'a missing list', '/t/list', '{}', ''],
    [
      'D2.3',
      'names with dashes and dots and those of helpers',
      '/t/dashed',
      '{"a-b":1,"c.d":2,"if":3,"log":4}',
      '1|2|3|4',
    ],
    ['S-soap.params', 'keys that are not listed are dropped', '/t/hidden', '{"d":"no","a":"x"}', '||||'],
    ['D2.3', 'prototypes are out of reach', '/t/hidden', '{"a":{"b":1}}', '||||'],
    ['S-soap.params', 'without params nothing of the body counts', '/t/no-params', '{"a":1}', ''],
    ['S-template.braces', 'double braces escape', '/t/a', `{"a":"&<>\\"'"}`, '&amp;&lt;&gt;&quot;&#x27;'],
    ['S-template.braces', 'an escape is escaped again', '/t/a', '{"a":"&amp;"}', '&amp;amp;'],
    ['S-template.braces', 'triple braces do not escape', '/t/raw', '{"a":"<x y=\'1\'/>&amp;"}', "<x y='1'/>&amp;"],
    [
      'S-template.single-pass',
      'a value is no template',
      '/t/a',
      '{"a":"{{b}}{{{generate.client}}}","b":"x"}',
      '{{b}}{{{generate.client}}}',
    ],
    ['S-template.single-pass', 'nor in triple braces', '/t/raw', '{"a":"{{b}}","b":"x"}', '{{b}}'],
    ['S-template.instance', 'instance and version come from the configuration', '/t/version', '{}', '4.1 ee-test'],
    [
      'S-template.protocol_version',
      'the caller does not choose the version',
      '/t/version',
      '{"generate":{"protocol_version":"9"}}',
      '4.1 ee-test',
    ],
  ]
  for (const [rule, title, path, body, expected] of values) {
    test(`${title} [${rule}]`, async () => {
      strictEqual(await rendered(path, body), expected)
    })
  }

  test('the five characters, line ends, numbers, booleans, null and missing values [S-template.xml_attr D2.1]', async () => {
    const attributeOf = async (body: string): Promise<string> =>
      /^<v a="(.*)"\/>$/s.exec((await sentBy('/t/attribute', body)).body)?.[1] ?? 'none'
    strictEqual(await attributeOf(`{"a":"&<>\\"'"}`), '&amp;&lt;&gt;&quot;&apos;')
    strictEqual(await attributeOf('{"a":"a\\tb\\nc\\rd"}'), 'a&#9;b&#10;c&#13;d')
    strictEqual(await attributeOf('{"a":1.50}'), '1.50')
    strictEqual(await attributeOf('{"a":false}'), 'false')
    strictEqual(await attributeOf('{"a":null}'), '')
    strictEqual(await attributeOf('{}'), '')
  })

  test('generate in the body changes nothing, even where params list it [D2.1]', async () => {
    const body = '{"generate":{"uuid":"mine","instance":"mine","client":"mine"}}'
    match(await rendered('/t/generate', body), /^[\da-f-]{36}\|ee-test$/)
    match(await rendered('/t/generate', '{"generate":"mine"}'), /^[\da-f-]{36}\|ee-test$/)
    strictEqual(await rendered('/t/a', '{"a":"x","generate":null}'), 'x')
  })

  test('__proto__ and constructor in the body are keys like any other, and reach nothing [D2.3]', async () => {
    strictEqual(await rendered('/t/hidden', '{"__proto__":"p","constructor":"c","toString":"t"}'), '|p|c||t')
    strictEqual(await rendered('/t/a', '{"__proto__":{"a":"no"}}'), '')
    strictEqual(await rendered('/t/a', '{"constructor":{"prototype":{"a":"no"}}}'), '')
    strictEqual(await rendered('/t/a', '{"b":1}'), '')
  })

  const noParams: readonly (readonly [string, string | Buffer])[] = [
    ['nothing', ''],
    ['white space', ' \r\n'],
    ['broken JSON', '{"a":"x"'],
    ['two objects', '{"a":"x"}{}'],
    ['a list', '[{"a":"x"}]'],
    ['a text', '"a"'],
    ['null', 'null'],
    ['a form', 'a=x'],
    ['XML', '<a>x</a>'],
    ['ISO-8859-1', Buffer.from('{"a":"õ"}', 'latin1')],
    ['UTF-16', Buffer.from('{"a":"x"}', 'utf16le')],
    ['two byte-order marks', '\ufeff\ufeff{"a":"x"}'],
    ['zero bytes', Buffer.alloc(1000)],
    ['gzip', gzipSync('{"a":"x"}')],
    ['very deep brackets', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ]
  for (const [title, body] of noParams) {
    test(`${title} as a body is no params and no error [S-request.2 S-not-produced]`, async () => {
      strictEqual(await rendered('/t/a', body), '')
    })
  }

  for (const type of [
    'text/plain',
    'application/xml',
    'multipart/form-data; boundary=x',
    'nonsense',
    'a/b; charset=x',
  ]) {
    test(`a body of Content-Type ${type} is read all the same [S-request.1]`, async () => {
      strictEqual(await rendered('/t/a', '{"a":"x"}', { 'Content-Type': type }), 'x')
    })
  }

  test('a chunked body and one with a byte-order mark are read [S-request.2]', async () => {
    strictEqual(await rendered('/t/a', '{"a":"x"}', { 'transfer-encoding': 'chunked' }), 'x')
    strictEqual(await rendered('/t/a', '\ufeff{"a":"x"}'), 'x')
  })
})

describe('what cannot be rendered is not sent', () => {
  const refused: readonly (readonly [rule: string, title: string, path: string, body: string, message: RegExp])[] = [
    ['D2.1', 'a zero character', '/t/a', '{"a":"x\\u0000"}', /character that XML forbids/],
    ['D2.1', 'a control character', '/t/a', '{"a":"\\u001b[1m"}', /character that XML forbids/],
    ['D2.1', 'a vertical tab in an attribute', '/t/attribute', '{"a":"\\u000b"}', /character that XML forbids/],
    ['D2.1', 'U+FFFE', '/t/a', '{"a":"\\ufffe"}', /character that XML forbids/],
    ['D2.1', 'half of a surrogate pair', '/t/a', '{"a":"\\ud83d x"}', /character that XML forbids/],
    ['D2.1', 'the other half, in triple braces', '/t/raw', '{"a":"\\ude00"}', /character that XML forbids/],
    ['D2.1', 'an object where text belongs', '/t/a', '{"a":{"b":1}}', /'a' is an object or a list/],
    ['D2.1', 'a list where text belongs', '/t/a', '{"a":[1,2]}', /'a' is an object or a list/],
    ['D2.1', 'an object in an attribute', '/t/attribute', '{"a":{}}', /'a' is an object or a list/],
    ['S-error.template_expansion_failed', 'a helper that does not exist', '/t/helper', '{"a":"x"}', /shout/],
    [
      'S-error.template_expansion_failed',
      'such a helper in a branch that is taken',
      '/t/half-helper',
      '{"a":"x"}',
      /shout/,
    ],
  ]
  for (const [rule, title, path, body, message] of refused) {
    test(`${title} [${rule} S-error.template_expansion_failed]`, async () => {
      const opened = security.sockets.length
      const sent = security.requests.length
      const answer = await post(path, body)
      strictEqual(answer.status, 500)
      const told = JSON.parse(answer.text) as Record<string, unknown>
      deepStrictEqual(Object.keys(told), ['error', 'message'])
      strictEqual(told['error'], 'template_expansion_failed')
      match(String(told['message']), message)
      deepStrictEqual([security.sockets.length, security.requests.length], [opened, sent])
    })
  }

  test('not even a connection is opened [D2.1]', async () => {
    const quiet = await startUpstream(answerAll, { tls: 'mock' })
    const other = await startLanes({
      config: { security_server: { url: quiet.url } },
      dsl: { 't/a.yml': dsl(xml('a')), 'd/a.yml': dsl(xml('a'), { service: quiet.url }) },
    })
    for (const path of ['/t/a', '/d/a']) {
      strictEqual(errorOf(await other.call(path, { body: { a: '\0' } })), 'template_expansion_failed')
    }
    await other.close()
    strictEqual(quiet.sockets.length, 0)
    await quiet.close()
  })

  test('the branch without the unknown helper still renders [S-error.template_expansion_failed]', async () => {
    strictEqual(await rendered('/t/half-helper', '{}'), '')
  })
})

describe('what the service fills in', () => {
  test('a fresh id each time, the same at both places and in the log [S-template.uuid]', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i += 1) {
      const [first = '', second = ''] = (await rendered('/t/uuid')).split('|')
      match(first, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
      strictEqual(second, first)
      ids.push(first)
    }
    strictEqual(new Set(ids).size, 3)
    const logged = lanes.log.filter(({ event, endpoint }) => event === 'request' && endpoint === 't/uuid')
    deepStrictEqual(
      logged.map(({ id }) => id),
      ids,
    )
    for (const { status, upstream_ms } of logged) deepStrictEqual([status, typeof upstream_ms], [200, 'number'])
  })

  const inside = '<id:xRoadInstance>ee-test</id:xRoadInstance><id:memberClass>GOV</id:memberClass>'
  test('the client element of a subsystem [S-template.client D2.2]', async () => {
    strictEqual(
      (await sentBy('/t/client')).body,
      `<e><xroad:client id:objectType="SUBSYSTEM">${inside}<id:memberCode>70000000</id:memberCode>` +
        '<id:subsystemCode>demo</id:subsystemCode></xroad:client></e>',
    )
  })

  test('the client element of a member, its values escaped; the protocol version is 4.0 by default [D2.2]', async () => {
    const other = await startLanes({
      config: {
        security_server: { url: security.url },
        client_data: { member_class: 'GOV', member_code: '<&1>' },
        xroad_instance: 'EE&T',
      },
      dsl: {
        't/client.yml': dsl('<e>{{{generate.client}}}{{generate.protocol_version}}{{generate.instance}}</e>'),
      },
    })
    const from = security.requests.length
    await other.call('/t/client', { body: {} })
    await other.close()
    strictEqual(
      security.requests[from]!.body,
      '<e><xroad:client id:objectType="MEMBER"><id:xRoadInstance>EE&amp;T</id:xRoadInstance>' +
        '<id:memberClass>GOV</id:memberClass><id:memberCode>&lt;&amp;1&gt;</id:memberCode></xroad:client>4.0EE&amp;T</e>',
    )
  })
})

describe('connections', () => {
  test('calls one after the other share a connection [D2.8]', async () => {
    await sentBy('/t/plain')
    const opened = security.sockets.length
    const used = new Set<number>()
    for (let i = 0; i < 10; i += 1) used.add((await sentBy('/t/plain')).connection)
    deepStrictEqual([security.sockets.length, used.size], [opened, 1])
  })

  test('a connection that the upstream has closed while idle costs no call [D2.8]', async () => {
    await sentBy('/t/plain')
    for (const socket of security.sockets) socket.end()
    await until(() => security.sockets.every((socket) => socket.destroyed), 'all connections closed')
    for (let i = 0; i < 5; i += 1) await sentBy('/t/plain')
  })

  test('a connection is dropped after 20 s without a call, before the Security Server drops it [D2.8]', async (context) => {
    const quiet = await startUpstream(answerAll)
    const other = await startLanes({ dsl: { 'd/call.yml': dsl('<e/>', { service: quiet.url }) } })
    context.mock.timers.enable({ apis: ['setTimeout'] })
    /** In small steps: the HTTP client counts ticks of its own. */
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 100) {
        context.mock.timers.tick(100)
        await setImmediate()
      }
    }
    strictEqual((await other.call('/d/call', { body: {} })).status, 200)
    await pass(15_000)
    strictEqual((await other.call('/d/call', { body: {} })).status, 200)
    await pass(18_000)
    deepStrictEqual([quiet.sockets.length, quiet.sockets[0]?.readableEnded], [1, false])
    await pass(5000)
    context.mock.timers.reset()
    await until(() => quiet.sockets[0]!.readableEnded, 'the end of the connection')
    await other.close()
    await quiet.close()
  })

  test('an upstream that announces the end of the connection gets no further call on it [D2.8]', async () => {
    const from = direct.requests.length
    act = (socket) => socket.end(toAnswer(toEnvelope('<ok>1</ok>'), { headers: { Connection: 'close' } }))
    try {
      for (let i = 0; i < 5; i += 1) await sentBy('/d/root')
    } finally {
      act = answerAll
    }
    strictEqual(new Set(direct.requests.slice(from).map(({ connection }) => connection)).size, 5)
  })

  test('an answer of HTTP/1.0 without a length ends with its connection [S-endpoint.soap]', async () => {
    act = (socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${toEnvelope('<ok>1</ok>')}`)
    try {
      await sentBy('/d/root')
      await sentBy('/t/plain')
    } finally {
      act = answerAll
    }
  })

  const breaks: readonly (readonly [string, Act])[] = [
    ['closes the connection', (socket) => socket.end()],
    ['resets the connection', (socket) => socket.destroy()],
    ['closes after half an answer', (socket) => socket.end(toAnswer(toEnvelope('<a/>')).subarray(0, 100))],
    ['closes after a whole head', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n')],
    ['answers nonsense', (socket) => socket.end('nonsense\r\n\r\n')],
  ]
  for (const [title, breakOff] of breaks) {
    for (const path of ['/t/plain', '/d/root']) {
      test(`${path}: an upstream that reads the request and ${title} gets it once [D2.8]`, async () => {
        const upstream = path === '/d/root' ? direct : security
        // On a connection that has been used before: a client might think that it is just stale.
        await sentBy(path)
        const from = upstream.requests.length
        act = breakOff
        try {
          const answer = await post(path)
          deepStrictEqual([answer.status, errorOf(answer)], [500, 'internal_error'])
        } finally {
          act = answerAll
        }
        strictEqual(upstream.requests.length, from + 1)
        await sentBy(path)
        strictEqual(upstream.requests.length, from + 2)
      })
    }
  }

  test('no call is sent again when the upstream closes while others use their connections [D2.8]', async () => {
    const from = direct.requests.length
    act = (socket, { body }) => {
      if (body.includes('odd')) socket.end()
      else setTimeout(() => answerAll(socket, { head: '', body, connection: 0 }), 20)
    }
    try {
      const bodies = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? `even ${i}` : `odd ${i}`))
      const answers = await Promise.all(bodies.map((a) => post('/d/id', JSON.stringify({ a }))))
      deepStrictEqual(
        answers.map(({ status }) => status),
        bodies.map((body) => (body.startsWith('odd') ? 500 : 200)),
      )
      const received = direct.requests.slice(from).map(({ body }) => body)
      deepStrictEqual(received.toSorted(), bodies.map((body) => `<e>${body}</e>`).toSorted())
    } finally {
      act = answerAll
    }
  })

  test('answers of 100 calls at once, in another order than asked, do not mix [S-endpoint.soap]', async () => {
    const waiting: (() => void)[] = []
    act = (socket, { body }) => {
      waiting.push(() => socket.write(toAnswer(toEnvelope(`<r>${body}</r>`, `<h>${body}</h>`))))
      // Backwards, so that the first that came is the last that goes.
      if (waiting.length === 100) for (const answer of waiting.toReversed()) answer()
    }
    try {
      const numbers = Array.from({ length: 100 }, (_, i) => `n${i}`)
      const answers = await Promise.all(numbers.map((a) => post('/d/id', JSON.stringify({ a }))))
      deepStrictEqual(
        answers.map(({ text }) => text),
        numbers.map((n) => `{"body":{"r":{"e":"${n}"}},"headers":{"h":{"e":"${n}"}}}`),
      )
    } finally {
      act = answerAll
    }
  })

  test('a caller that leaves takes the upstream call along, and the log says so [D4.5]', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<Received>()
    act = (_socket, request) => resolve(request)
    try {
      const leaving = new AbortController()
      const gone = call(lanes.port, '/t/plain', { body: {}, signal: leaving.signal })
      const { connection } = await asked
      leaving.abort()
      await rejects(gone)
      await until(() => security.sockets[connection]!.destroyed, 'the connection of the call is closed')
      const last = (): Record<string, unknown> | undefined => lanes.log.findLast(({ event }) => event === 'request')
      await until(() => last()?.['status'] === 499, 'a line with status 499')
      const { endpoint, error } = last() ?? {}
      deepStrictEqual([endpoint, error], ['t/plain', undefined])
    } finally {
      act = answerAll
    }
    await sentBy('/t/plain')
  })

  test('failures use no connection up for good, however many there are of each kind [D2.6]', async () => {
    const many = 300
    const failing: readonly Act[] = [
      (socket) => socket.end(),
      (socket) => socket.end('nonsense\r\n\r\n'),
      (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n'),
      (socket) => socket.write(toAnswer('', { status: 500 })),
    ]
    try {
      for (const each of failing) {
        act = each
        const statuses = await Promise.all(Array.from({ length: many }, async () => (await post('/d/id')).status))
        deepStrictEqual(
          [...new Set(statuses)].filter((status) => status < 500),
          [],
        )
      }
      const leaving = new AbortController()
      const gone = Array.from({ length: many }, () =>
        call(lanes.port, '/d/id', { body: {}, signal: leaving.signal }).catch(() => 'gone'),
      )
      const from = direct.requests.length
      act = () => undefined
      await until(() => direct.requests.length - from === 256, 'as many calls as there are connections')
      leaving.abort()
      deepStrictEqual([...new Set(await Promise.all(gone))], ['gone'])
    } finally {
      act = answerAll
    }
    const left = (): number => lanes.log.filter(({ endpoint, status }) => endpoint === 'd/id' && status === 499).length
    // The others may have left before their requests arrived.
    await until(() => left() >= 256, 'a line for each call that was under way')
    // By their bodies, because what those before them had sent may still be arriving.
    const last = Array.from({ length: many }, async () => (await post('/d/id', '{"a":"last"}')).status)
    deepStrictEqual([...new Set(await Promise.all(last))], [200])
    strictEqual(direct.requests.filter(({ body }) => body === '<e>last</e>').length, many)
  })

  test('an answer before the whole request was read counts [S-endpoint.soap]', async () => {
    const body = { a: 'x'.repeat(900_000) }
    const early = await startUpstream(() => undefined)
    const other = await startLanes({ dsl: { 'd/a.yml': dsl(xml('a'), { service: early.url }) } })
    const answering = other.call('/d/a', { body })
    await until(() => early.sockets.length === 1, 'a connection')
    early.sockets[0]!.end(toAnswer(toEnvelope('<ok>1</ok>')))
    const answer: Reply = await answering
    deepStrictEqual([answer.status, answer.text], [200, '{"body":{"ok":1},"headers":null}'])
    await other.close()
    await early.close()
  })
})
