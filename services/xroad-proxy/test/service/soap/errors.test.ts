/**
 * Every error of the SOAP lane as its caller meets it, status, fields and extras: answers that are no good, faults,
 * answers that are too large or too slow, connections that fail. Upstreams are played by the tests or by the mock, over
 * real sockets.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { elapsed, errorOf, freePort, newFolder, until, Wire } from '@services/testing'
import { issueServer, makeAuthority, makeSelfSigned } from '@services/testing/certificates'
import { type Lanes, type LogLine, sharedPki, startLanes } from '../../support/lanes.ts'
import {
  type Act,
  startUpstream,
  toAnswer,
  toEnvelope,
  toFault11,
  type Upstream,
} from '../../support/upstreams/upstream.ts'

const capBytes = 2000
const timeoutSeconds = 1
const limits = { max_request_bytes: 100, max_response_bytes: capBytes }
const hurry = { ...limits, request_timeout_secs: timeoutSeconds }

/** A DSL file; JSON is YAML. */
function dsl(service?: string, envelope = '<e>{{a}}</e>'): string {
  return JSON.stringify({ method: 'POST', params: ['a'], envelope, ...(service === undefined ? {} : { service }) })
}

/** An X-Road request for a service of the mock. */
function request(serviceCode: string): string {
  const id = '<id:memberClass>GOV</id:memberClass><id:memberCode>1</id:memberCode>'
  return (
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" ' +
    'xmlns:id="http://x-road.eu/xsd/identifiers"><s:Header>{{{generate.client}}}<xroad:service id:objectType="SERVICE">' +
    `<id:xRoadInstance>ee-test</id:xRoadInstance>${id}<id:serviceCode>${serviceCode}</id:serviceCode></xroad:service>` +
    '<xroad:id>{{generate.uuid}}</xroad:id><xroad:protocolVersion>4.0</xroad:protocolVersion></s:Header>' +
    `<s:Body><${serviceCode}><x>{{a}}</x></${serviceCode}></s:Body></s:Envelope>`
  )
}

let act: Act
let security: Upstream
let direct: Upstream
let lanes: Lanes
/** The same with faults exposed. */
let exposed: Lanes
let large: Lanes
/** The same with little patience. */
let hasty: Lanes

before(async () => {
  security = await startUpstream((socket, received) => act(socket, received), { tls: 'mock' })
  direct = await startUpstream((socket, received) => act(socket, received))
  const files = { 't/call.yml': dsl(), 'd/call.yml': dsl(`${direct.url}/secret-path?token=secret`) }
  const config = { security_server: { url: security.url } }
  lanes = await startLanes({ dsl: files, config: { ...config, limits } })
  exposed = await startLanes({ dsl: files, config: { ...config, limits, expose_soap_fault_detail: true } })
  large = await startLanes({ dsl: files, config })
  hasty = await startLanes({ dsl: files, config: { ...config, limits: hurry } })
})

after(async () => {
  await Promise.all([lanes.close(), exposed.close(), large.close(), hasty.close()])
  await Promise.all([security.close(), direct.close()])
})

const both = ['/t/call', '/d/call'] as const

interface Told {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** What a caller is told when the upstream answers like this. */
async function toldFor(answer: Buffer | Act, path: string = '/t/call', from: Lanes = lanes): Promise<Told> {
  act = typeof answer === 'function' ? answer : (socket) => socket.write(answer)
  const { status, text, headers } = await from.call(path, { body: {} })
  strictEqual(headers['content-type'], 'application/json')
  return { status, body: JSON.parse(text) as Told['body'] }
}

/** The lines of the last call. */
function logged(event: string, from: Lanes = lanes): LogLine {
  return from.log.findLast((line) => line['event'] === event) ?? {}
}

describe('answers that are no SOAP message', () => {
  const statuses = [300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 429, 500, 502, 503, 504]
  for (const status of statuses) {
    for (const path of both) {
      test(`${status} is 502 whatever its body, ${path} [S-error.upstream_http_error D2.5 S-auth.5]`, async () => {
        const bodies = [
          '',
          'Bad Gateway secret-text',
          '<!DOCTYPE html><html><body><p>secret-text<br></body></html>',
          '<html><body>secret-text</body></html>',
          '<s:Envelope><s:Body><s:Fault><faultcode>secret-text',
          '{"error":"secret-text"}',
          toEnvelope('<ok>secret-text</ok>'),
          '\0\ufffe',
        ]
        for (const body of status === 304 ? [''] : bodies) {
          const headers = { Location: `${direct.url}/elsewhere` }
          const { status: told, body: error } = await toldFor(toAnswer(body, { status, headers }), path)
          const message = `upstream returned HTTP ${status}`
          deepStrictEqual([told, error], [502, { error: 'upstream_http_error', message }])
        }
      })
    }
  }

  test('a redirect is not followed, also when a fault comes with it [D2.5]', async () => {
    const headers = { Location: `${direct.url}/elsewhere` }
    for (const path of both) {
      const upstream = path === '/t/call' ? security : direct
      for (const status of [301, 302, 303, 307, 308]) {
        const from = [security.requests.length, direct.requests.length, upstream.requests.length]
        const { body } = await toldFor(toAnswer(toFault11('soap:Server', 'x'), { status, headers }), path)
        strictEqual(body['error'], 'upstream_http_error')
        strictEqual(upstream.requests.length, from[2]! + 1)
        strictEqual(security.requests.length + direct.requests.length, from[0]! + from[1]! + 1)
      }
    }
  })

  test('an interim answer is passed over [S-error.upstream_http_error]', async () => {
    const interim = Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n')
    const { status, body } = await toldFor(Buffer.concat([interim, toAnswer(toEnvelope('<a>1</a>'))]))
    deepStrictEqual([status, body], [200, { body: { a: 1 }, headers: null }])
  })

  const nothing: readonly (readonly [number, string])[] = [
    [202, 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n'],
    [202, 'HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    [204, 'HTTP/1.1 204 No Content\r\n\r\n'],
    [204, 'HTTP/1.1 204 No Content\r\nContent-Type: text/xml\r\nContent-Length: 0\r\n\r\n'],
  ]
  for (const [status, bytes] of nothing) {
    test(`${JSON.stringify(bytes)} is an answer without content [S-endpoint.soap]`, async () => {
      for (const path of both) {
        const told = await toldFor(Buffer.from(bytes), path)
        deepStrictEqual([status, told], [status, { status: 200, body: { body: null, headers: null } }])
      }
    })
  }

  test('201 and 202 with a message are read like 200 [S-endpoint.soap]', async () => {
    for (const status of [200, 201, 202, 299]) {
      const told = await toldFor(toAnswer(toEnvelope('<a>1</a>', '<b/>'), { status }))
      deepStrictEqual(told, { status: 200, body: { body: { a: 1 }, headers: { b: null } } })
    }
  })
})

describe('faults', () => {
  const envelope12 = 'xmlns:s="http://www.w3.org/2003/05/soap-envelope"'
  const fault12 =
    `<s:Envelope ${envelope12}><s:Body><s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>x:Sub</s:Value>` +
    '</s:Subcode></s:Code><s:Reason><s:Text xml:lang="et">Viga</s:Text><s:Text xml:lang="en">Wrong</s:Text></s:Reason>' +
    '<s:Detail><d n="1">0<e>7</e></d></s:Detail></s:Fault></s:Body></s:Envelope>'
  const fault11 = toFault11('soap:Server', 'Broken &amp; gone', '<detail><id>42</id><id>007</id></detail>')

  for (const status of [200, 202, 400, 403, 404, 500, 503]) {
    test(`faults of both versions on HTTP ${status} [S-error.upstream_soap_fault D3.7]`, async () => {
      const old = await toldFor(toAnswer(fault11, { status }))
      deepStrictEqual(old, {
        status: 502,
        body: {
          error: 'upstream_soap_fault',
          message: 'upstream returned SOAP Fault (soap:Server)',
          code: 'soap:Server',
          string: 'Broken & gone',
          source: 'provider',
        },
      })
      const type = 'application/soap+xml; charset=utf-8'
      const { body } = await toldFor(toAnswer(fault12, { status, type }), '/d/call')
      deepStrictEqual([body['code'], body['string'], Object.hasOwn(body, 'detail')], ['s:Sender', 'Wrong', false])
      strictEqual(body['message'], 'upstream returned SOAP Fault (s:Sender)')
    })
  }

  test('an exposed fault is told in full [S-fault.2 S-config.expose_soap_fault_detail D3.7]', async () => {
    const old = await toldFor(toAnswer(fault11, { status: 500 }), '/t/call', exposed)
    deepStrictEqual(old, {
      status: 502,
      body: {
        error: 'upstream_soap_fault',
        message: 'upstream returned SOAP Fault (soap:Server): Broken & gone',
        code: 'soap:Server',
        string: 'Broken & gone',
        source: 'provider',
        detail: { id: [42, '007'] },
      },
    })
    const { body } = await toldFor(toAnswer(fault12, { status: 500 }), '/t/call', exposed)
    deepStrictEqual(body['detail'], { d: { '@n': '1', e: 7, '#text': '0' } })
    strictEqual(body['message'], 'upstream returned SOAP Fault (s:Sender): Wrong')
  })

  test('an exposed fault without detail has no such field, one with an empty detail has null [S-fault.2]', async () => {
    const none = await toldFor(toAnswer(toFault11('c', 's')), '/t/call', exposed)
    strictEqual(Object.hasOwn(none.body, 'detail'), false)
    const empty = await toldFor(toAnswer(toFault11('c', 's', '<detail/>')), '/t/call', exposed)
    strictEqual(empty.body['detail'], null)
  })

  const truncated = '… (truncated)'
  const strings: readonly (readonly [title: string, string: string, told: string])[] = [
    ['199 characters', 'x'.repeat(199), 'x'.repeat(199)],
    ['200 characters', 'x'.repeat(200), 'x'.repeat(200)],
    ['201 characters', 'x'.repeat(201), `${'x'.repeat(200)}${truncated}`],
    ['200 characters, the last beyond 16 bits', `${'x'.repeat(199)}😀`, `${'x'.repeat(199)}😀`],
    ['201 characters, the 200th beyond 16 bits', `${'x'.repeat(199)}😀y`, `${'x'.repeat(199)}😀${truncated}`],
    ['200 characters beyond 16 bits', '😀'.repeat(200), '😀'.repeat(200)],
    ['201 characters beyond 16 bits', '😀'.repeat(201), `${'😀'.repeat(200)}${truncated}`],
    ['no characters', '', ''],
  ]
  for (const [title, string, told] of strings) {
    test(`a fault string of ${title} [S-limit.fault-string S-version.3 S-fault.1 S-fault.2 D3.7]`, async () => {
      const answer = toAnswer(toFault11('c', string))
      const { body } = await toldFor(answer)
      deepStrictEqual([body['string'], body['message']], [told, 'upstream returned SOAP Fault (c)'])
      const whole = await toldFor(answer, '/t/call', exposed)
      strictEqual(whole.body['string'], string)
      strictEqual(whole.body['message'], `upstream returned SOAP Fault (c)${string === '' ? '' : `: ${string}`}`)
    })
  }

  test('code and string stay text, and control characters in them do not get through [D3.7]', async () => {
    for (const from of [lanes, exposed]) {
      const { body } = await toldFor(toAnswer(toFault11('007', 'true')), '/t/call', from)
      deepStrictEqual([body['code'], body['string']], ['007', 'true'])
      const odd = await toldFor(toAnswer(toFault11('a&#9;b', 'x&#10;y\u0085z')), '/t/call', from)
      deepStrictEqual([odd.body['code'], odd.body['string']], ['a\ufffdb', 'x\ufffdy\ufffdz'])
    }
  })

  test('a fault without code and string is a fault, so is one without an Envelope [S-error.upstream_soap_fault]', async () => {
    const bare = await toldFor(toAnswer(toEnvelope('<s:Fault/>')))
    deepStrictEqual([bare.body['error'], bare.body['code'], bare.body['string']], ['upstream_soap_fault', '', ''])
    const alone = await toldFor(toAnswer('<Fault><faultcode>c</faultcode></Fault>', { status: 500 }))
    deepStrictEqual([alone.body['error'], alone.body['code']], ['upstream_soap_fault', 'c'])
  })

  test('an element called Fault deeper in the body is none [S-error.upstream_soap_fault]', async () => {
    const { status, body } = await toldFor(toAnswer(toEnvelope('<r><Fault><faultcode>c</faultcode></Fault></r>')))
    deepStrictEqual([status, body], [200, { body: { r: { Fault: { faultcode: 'c' } } }, headers: null }])
  })

  const codes: readonly (readonly [code: string, source: string])[] = [
    ['server.clientproxy.unknown_member', 'security_server'],
    ['Server.ClientProxy.UnknownMember', 'security_server'],
    ['SOAP-ENV:Server.ClientProxy.NetworkError', 'security_server'],
    ['server.clientproxy', 'security_server'],
    ['server.clientproxy.service_failed.ssl_authentication_failed', 'security_server'],
    ['client.missing_header', 'security_server'],
    ['Client.InvalidSoap', 'security_server'],
    ['server.serverproxy.access_denied', 'provider_security_server'],
    ['Server.ServerProxy.AccessDenied', 'provider_security_server'],
    ['Server.ServerProxy.ServiceFailed.HttpError', 'provider_security_server'],
    ['soap:Server.ServerProxy.ServiceDisabled', 'provider_security_server'],
    ['soap:Server', 'provider'],
    ['SOAP-ENV:Client', 'provider'],
    ['soap:Client.Validation', 'provider'],
    ['Client', 'provider'],
    ['Server', 'provider'],
    ['Server.ClientProxyish.X', 'provider'],
    ['env:Receiver', 'provider'],
    ['', 'provider'],
  ]
  for (const [code, source] of codes) {
    test(`the code '${code}' tells of ${source}, a direct call always of provider [S-source]`, async () => {
      const { body } = await toldFor(toAnswer(toFault11(code, 'x'), { status: 500 }))
      deepStrictEqual([body['code'], body['source']], [code, source])
      strictEqual(logged('request')['source'], source)
      const straight = await toldFor(toAnswer(toFault11(code, 'x')), '/d/call')
      strictEqual(straight.body['source'], 'provider')
      strictEqual(logged('request')['source'], 'provider')
    })
  }

  test('the log has the whole fault at warn level, the caller a part of it [S-fault.1]', async () => {
    const string = `${'x'.repeat(300)}\u0085`
    const fault = toFault11('soap:Server', string, '<detail><secret>1</secret></detail>')
    const { body } = await toldFor(toAnswer(fault))
    strictEqual(Object.hasOwn(body, 'detail'), false)
    const { id, request_id } = logged('request')
    const { time: _time, target: _target, message: _message, ...line } = logged('soapFault')
    deepStrictEqual(line, {
      request_id,
      level: 'warn',
      event: 'soapFault',
      endpoint: 't/call',
      id,
      code: 'soap:Server',
      string,
      detail: '{"secret":1}',
    })
    strictEqual(typeof id, 'string')
  })
})

describe('answers that cannot be read', () => {
  const levels = (count: number): string => '<a>'.repeat(count - 2) + '</a>'.repeat(count - 2)
  const unreadable: readonly (readonly [rule: string, title: string, answer: Buffer])[] = [
    ['D3.1', 'an empty body', toAnswer('')],
    ['D3.1', 'white space', toAnswer(' \n')],
    ['D3.1', 'text', toAnswer('OK')],
    ['D3.1', 'JSON', toAnswer('{"a":1}')],
    ['D3.1', 'HTML that is no XML', toAnswer('<html><body>a<br>b</body></html>')],
    ['D3.1', 'a DOCTYPE', toAnswer(`<!DOCTYPE x>${toEnvelope('<a/>')}`)],
    ['D3.1', 'a DOCTYPE with an entity', toAnswer(`<!DOCTYPE x [<!ENTITY e "x">]>${toEnvelope('<a>&e;</a>')}`)],
    ['S-xml.4', 'a custom entity', toAnswer(toEnvelope('<a>&nbsp;</a>'))],
    ['D3.1', 'a reference to a forbidden character', toAnswer(toEnvelope('<a>&#0;</a>'))],
    ['D3.1', 'tags that do not match', toAnswer(toEnvelope('<a></b>'))],
    ['D3.1', 'an attribute twice', toAnswer(toEnvelope('<a b="1" b="2"/>'))],
    ['D3.1', 'text after the root', toAnswer(`${toEnvelope('<a/>')}x`)],
    ['D3.1', 'two roots', toAnswer(toEnvelope('<a/>') + toEnvelope('<a/>'))],
    ['D3.1', 'a control character', toAnswer(toEnvelope('<a>\u0001</a>'))],
    ['D3.1', ']]> in text', toAnswer(toEnvelope('<a>]]></a>'))],
    ['D3.1', 'a message that is cut off', toAnswer(toEnvelope('<a/>').slice(0, -1))],
    ['D3.1', 'an unfinished message over and over', toAnswer('<'.repeat(1000))],
    ['D3.5', '129 levels', toAnswer(`<a>${levels(130)}</a>`)],
    ['S-limit.wire', 'gzip', toAnswer(gzipSync(toEnvelope('<a/>')), { headers: { 'Content-Encoding': 'gzip' } })],
    ['S-limit.wire', 'gzip that does not say so', toAnswer(gzipSync(toEnvelope('<a/>')))],
    ['S-limit.wire', 'zstd', toAnswer(zstdCompressSync(toEnvelope('<a/>')))],
    ['D3.1', 'ISO-8859-1 that says UTF-8', toAnswer(Buffer.from(toEnvelope('<a>õ</a>'), 'latin1'))],
    ['D3.1', 'a charset that nobody knows', toAnswer(toEnvelope('<a/>'), { type: 'text/xml; charset=x-none' })],
    ['D3.1', 'UTF-16 that is UTF-8', toAnswer(toEnvelope('<a/>'), { type: 'text/xml; charset=utf-16' })],
    ['D3.8', 'multipart without a boundary', toAnswer(toEnvelope('<a/>'), { type: 'multipart/related' })],
    ['D3.8', 'multipart without parts', toAnswer(toEnvelope('<a/>'), { type: 'multipart/related; boundary=b' })],
  ]
  for (const [rule, title, answer] of unreadable) {
    test(`${title} [${rule} S-error.upstream_xml_parse_error]`, async () => {
      for (const path of both) {
        const { status, body } = await toldFor(answer, path)
        deepStrictEqual(
          [status, body['error'], Object.keys(body)],
          [502, 'upstream_xml_parse_error', ['error', 'message']],
        )
        strictEqual(logged('request')['error'], 'upstream_xml_parse_error')
      }
    })
  }

  test('the message quotes nothing of the answer [D2.5 S-error.upstream_xml_parse_error]', async () => {
    const broken = [
      '<secret>',
      '<a secret="1" secret="2"/>',
      '&secret;',
      '<a></secret>',
      '<!secret>',
      '<?secret',
      'secret<',
    ]
    for (const content of broken) {
      for (const answer of [toEnvelope(content), content]) {
        const { body } = await toldFor(toAnswer(answer))
        strictEqual(body['error'], 'upstream_xml_parse_error')
        ok(!String(body['message']).includes('secret'), String(body['message']))
      }
    }
    const { body } = await toldFor(toAnswer('<a/>', { type: 'text/xml; charset="<script>alert(1)</script>"' }))
    ok(!String(body['message']).includes('<'), String(body['message']))
  })

  test('128 levels pass, one more does not [S-limit.depth D3.5]', async () => {
    const envelope = (count: number): Buffer => toAnswer(toEnvelope(levels(count)))
    strictEqual((await toldFor(envelope(128), '/t/call', large)).status, 200)
    const { status, body } = await toldFor(envelope(129), '/t/call', large)
    deepStrictEqual([status, body['error']], [502, 'upstream_xml_parse_error'])
  })

  test('100000 events pass, one more does not, also in a fault [S-limit.events D3.5]', async () => {
    // Envelope and Body take four, the declaration of a prefix one.
    const items = (count: number): string => '<i/>'.repeat(count - 5)
    strictEqual((await toldFor(toAnswer(toEnvelope(items(100_000))), '/t/call', large)).status, 200)
    const { body } = await toldFor(toAnswer(toEnvelope(items(100_001))), '/t/call', large)
    strictEqual(body['error'], 'upstream_xml_parse_error')
    const fault = await toldFor(toAnswer(toEnvelope(`<s:Fault>${items(100_001)}</s:Fault>`)), '/t/call', large)
    strictEqual(fault.body['error'], 'upstream_xml_parse_error')
  })

  const text = 'Jõgeva Ž €'
  const in1257 = Buffer.from([0x4a, 0xf5, 0x67, 0x65, 0x76, 0x61, 0x20, 0xde, 0x20, 0x80])
  const in15 = Buffer.from([0x4a, 0xf5, 0x67, 0x65, 0x76, 0x61, 0x20, 0xb4, 0x20, 0xa4])
  const around = (bytes: Buffer, prolog = ''): Buffer =>
    Buffer.concat([Buffer.from(`${prolog}<a>`), bytes, Buffer.from('</a>')])
  const utf16 = Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?><a>${text}</a>`, 'utf16le')
  const readable: readonly (readonly [title: string, type: string, body: Buffer | string, expected?: string])[] = [
    ['no Content-Type', '', `<a>${text}</a>`],
    ['a byte-order mark', 'text/xml', `\ufeff<a>${text}</a>`],
    ['windows-1257 of the Content-Type', 'text/xml; charset=windows-1257', around(in1257)],
    ['windows-1257 of the declaration', 'text/xml', around(in1257, '<?xml version="1.0" encoding="windows-1257"?>')],
    ['ISO-8859-15 of the declaration', 'text/xml', around(in15, '<?xml version="1.0" encoding=\'iso-8859-15\'?>')],
    ['quotes in the Content-Type', 'application/soap+xml; charset="ISO-8859-15"', around(in15)],
    [
      'Content-Type and declaration that disagree',
      'text/xml; charset=windows-1257',
      around(in1257, '<?xml version="1.0" encoding="utf-8"?>'),
    ],
    ['UTF-16 little-endian', 'text/xml', utf16],
    ['UTF-16 big-endian', 'text/xml; charset=utf-16', Buffer.from(utf16).swap16()],
    ['ISO-8859-1', 'text/xml; charset=ISO-8859-1', Buffer.from('<a>J\u00f5geva</a>', 'latin1'), 'Jõgeva'],
    ['another type', 'text/html; charset=utf-8', `<a>${text}</a>`],
  ]
  for (const [title, type, body, expected = text] of readable) {
    test(`${title} [D3.1]`, async () => {
      const told = await toldFor(toAnswer(body, { type }))
      deepStrictEqual(told, { status: 200, body: { body: { a: expected }, headers: null } })
    })
  }

  test('the root part of multipart/related, also when it is a fault [D3.8]', async () => {
    const parts = (root: string): string =>
      `--b\r\nContent-Type: image/png\r\nContent-ID: <x>\r\n\r\n\x89PNG\r\n--b\r\nContent-ID: <r>\r\n\r\n${root}\r\n--b--`
    const type = 'multipart/related; boundary="b"; start="<r>"; type="text/xml"'
    const good = await toldFor(toAnswer(parts(toEnvelope('<a>õ</a>')), { type }))
    deepStrictEqual(good, { status: 200, body: { body: { a: 'õ' }, headers: null } })
    const fault = await toldFor(toAnswer(parts(toFault11('c', 's')), { type, status: 500 }))
    deepStrictEqual([fault.status, fault.body['code']], [502, 'c'])
  })
})

describe('answers that are too large', () => {
  const whole = (bytes: number): string => `<a>${'x'.repeat(bytes - 7)}</a>`
  const chunked = (body: string): string =>
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`
  const tooLarge = {
    status: 502,
    body: {
      error: 'upstream_body_too_large',
      message: `the answer is larger than ${capBytes} bytes`,
      limit: capBytes,
    },
  }

  test('exactly the cap passes, declared, chunked and up to the end [S-limit.max_response_bytes]', async () => {
    const body = whole(capBytes)
    const fit: readonly Act[] = [
      (socket) => socket.write(toAnswer(body)),
      (socket) => socket.write(`${chunked(body)}0\r\n\r\n`),
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${body}`),
    ]
    for (const path of both) {
      for (const each of fit) {
        const told = await toldFor(each, path)
        deepStrictEqual([told.status, told.body['body']], [200, { a: 'x'.repeat(capBytes - 7) }])
      }
    }
  })

  const over = whole(capBytes + 1)
  const floods: readonly (readonly [title: string, act: Act])[] = [
    ['declared', (socket) => socket.write(toAnswer(over))],
    ['declared and never sent', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n')],
    ['declared in an error', (socket) => socket.write(toAnswer(over, { status: 500 }))],
    ['chunked', (socket) => socket.write(`${chunked(over)}0\r\n\r\n`)],
    ['chunked without an end', (socket) => socket.write(chunked(over))],
    ['without a length', (socket) => socket.write(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${over}`)],
    ['in an error without a length', (socket) => socket.write(`HTTP/1.1 503 No\r\nConnection: close\r\n\r\n${over}`)],
  ]
  for (const [title, flood] of floods) {
    test(`one byte more, ${title} [S-error.upstream_body_too_large S-limit.max_response_bytes]`, async () => {
      for (const path of both) {
        const upstream = path === '/t/call' ? security : direct
        deepStrictEqual(await toldFor(flood, path), tooLarge)
        const used = upstream.requests.at(-1)!.connection
        await until(() => upstream.sockets[used]!.destroyed, 'the connection is torn down')
        strictEqual((await toldFor(toAnswer('<a/>'), path)).status, 200)
      }
    })
  }

  test('the cap counts compressed bytes [S-limit.wire]', async () => {
    const small = gzipSync(whole(100_000))
    ok(small.length < capBytes)
    strictEqual((await toldFor(toAnswer(small))).body['error'], 'upstream_xml_parse_error')
  })

  test('16 MiB by default; an answer of the mock that is larger is not read to its end [S-limit.max_response_bytes]', async () => {
    const mebibyte = 1024 * 1024
    const codes = [`mock.large.${16 * mebibyte}`, `mock.large.${16 * mebibyte + 1}`, 'mock.oversized-chunked']
    const other = await startLanes({
      dsl: Object.fromEntries(codes.map((code, i) => [`m/c${i}.yml`, dsl(undefined, request(code))])),
    })
    const answers = []
    for (const i of codes.keys()) answers.push(await other.call(`/m/c${i}`, { body: {} }))
    await other.close()
    const [fit, ...others] = answers
    strictEqual(fit?.status, 200)
    for (const { status, text } of others) {
      const { error, limit } = JSON.parse(text) as Record<string, unknown>
      deepStrictEqual([status, error, limit], [502, 'upstream_body_too_large', 16 * mebibyte])
    }
  })
})

describe('answers that take too long', () => {
  const timedOut = {
    status: 504,
    body: { error: 'upstream_timeout', message: `no whole answer within ${timeoutSeconds} s` },
  }
  const answer = toAnswer(toEnvelope('<a>1</a>'))
  const stalls: readonly (readonly [title: string, act: Act])[] = [
    ['no answer', () => undefined],
    ['half a head', (socket) => socket.write(answer.subarray(0, 20))],
    ['interim answers only', (socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n')],
    ['a head without its body', (socket) => socket.write(answer.subarray(0, answer.indexOf('\r\n\r\n') + 4))],
    ['half a body', (socket) => socket.write(answer.subarray(0, -10))],
    [
      'a chunked body without an end',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<a>'),
    ],
    ['an error without its body', (socket) => socket.write('HTTP/1.1 500 No\r\nContent-Length: 5\r\n\r\n')],
    ['a body, a byte every 50 ms', (socket) => trickle(socket, answer)],
  ]
  interface Measured extends Told {
    readonly ms: number
  }
  let measured: Promise<Measured>[]

  /** All at once: each takes its second. */
  before(async () => {
    act = (socket, { body }) => stalls[Number(/\d+/.exec(body))]?.[1](socket, { head: '', body, connection: 0 })
    measured = stalls.flatMap((_, i) => both.map((path) => measure(path, i)))
    await Promise.all(measured)
  })

  async function measure(path: string, a: number): Promise<Measured> {
    const since = elapsed()
    const { status, text } = await hasty.call(path, { body: { a } })
    return { status, body: JSON.parse(text) as Told['body'], ms: since() }
  }

  for (const [i, [title]] of stalls.entries()) {
    test(`${title} [S-error.upstream_timeout S-limit.request_timeout_secs D2.6]`, async () => {
      for (const each of measured.slice(i * both.length, (i + 1) * both.length)) {
        const { ms, ...told } = await each
        deepStrictEqual(told, timedOut)
        ok(ms > timeoutSeconds * 1000 - 50, `${ms} ms`)
      }
      for (const upstream of [security, direct]) {
        const { connection } = upstream.requests.findLast(({ body }) => body === `<e>${i}</e>`)!
        await until(() => upstream.sockets[connection]!.destroyed, 'the connection is torn down')
      }
    })
  }

  test('the log says that the upstream had its time [D2.6 D1.8]', () => {
    const lines = hasty.log.filter(({ event, error }) => event === 'request' && error === 'upstream_timeout')
    strictEqual(lines.length, stalls.length * both.length)
    for (const { upstream_ms: ms, source, status } of lines) {
      ok(Number(ms) >= timeoutSeconds * 1000 - 50, String(ms))
      deepStrictEqual([source, status], ['proxy', 504])
    }
  })

  test('a connection that does not come about; nothing is sent when it does after all [D2.6]', async () => {
    const { files } = sharedPki()
    const identity = { key: readFileSync(files.serverKey), cert: readFileSync(files.serverCertificate) }
    const received: string[] = []
    const tls = createTlsServer({ ...identity, ca: readFileSync(files.ca), requestCert: true }, (socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (chunk: Buffer) => received.push(chunk.toString()))
      socket.on('data', () => socket.write(answer))
    })
    const held: Socket[] = []
    const tcp = createServer((socket) => {
      socket.on('error', () => undefined)
      held.push(socket)
    })
    tcp.listen(0, '127.0.0.1')
    await once(tcp, 'listening')
    const url = `https://127.0.0.1:${(tcp.address() as AddressInfo).port}`
    // The second call is let wait for longer, on a connection of its own.
    const other = await startLanes({
      dsl: { 't/call.yml': dsl() },
      config: { security_server: { url }, limits: hurry },
    })
    try {
      const { status, text } = await other.call('/t/call', { body: {} })
      deepStrictEqual({ status, body: JSON.parse(text) as object }, timedOut)
      const waiting = other.call('/t/call', { body: {} })
      await until(() => held.length > 1, 'another connection')
      for (const socket of held) tls.emit('connection', socket)
      strictEqual((await waiting).status, 200)
      strictEqual(received.length, 1)
    } finally {
      await other.close()
      for (const socket of held) socket.destroy()
      tcp.close()
    }
  })

  test('a caller who sends slowly does not use up the time of the call [S-limit.request_timeout_secs]', async () => {
    act = (socket) => socket.write(answer)
    const wire = await Wire.open(hasty.port)
    wire.write('POST /t/call HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{')
    await new Promise((resolve) => setTimeout(resolve, timeoutSeconds * 1000 + 300))
    wire.write('}')
    const { status, text } = await wire.answer()
    deepStrictEqual([status, text], [200, '{"body":{"a":1},"headers":null}'])
    wire.socket.destroy()
  })

  test('an answer just in time counts [S-error.upstream_timeout]', async () => {
    const late: Act = (socket) => setTimeout(() => socket.write(answer), timeoutSeconds * 1000 - 700)
    const told = await toldFor(late, '/t/call', hasty)
    deepStrictEqual(told, { status: 200, body: { body: { a: 1 }, headers: null } })
  })
})

function trickle(socket: Socket, bytes: Buffer): void {
  let sent = bytes.indexOf('\r\n\r\n')
  socket.write(bytes.subarray(0, sent))
  const timer = setInterval(() => {
    socket.write(bytes.subarray(sent, sent + 1))
    sent += 1
  }, 50)
  socket.once('close', () => clearInterval(timer))
}

describe('connections that fail', () => {
  /** Says what is wrong and what to do, and nothing that a caller has no business with. */
  async function failureAt(config: Readonly<Record<string, unknown>>, service?: string): Promise<string> {
    const other = await startLanes({ dsl: { 't/call.yml': dsl(service) }, config })
    const { status, text } = await other.call('/t/call', { body: {} })
    const line = logged('request', other)
    await other.close()
    const told = JSON.parse(text) as Record<string, unknown>
    deepStrictEqual([status, told['error'], Object.keys(told)], [500, 'internal_error', ['error', 'message']])
    deepStrictEqual([line['error'], line['source']], ['internal_error', 'proxy'])
    match(String(logged('callFailed', other)['cause']), /^[A-Z_]+$/)
    const message = String(told['message'])
    const hidden = /127\.0\.0\.1|localhost|\.invalid|:\d{4,5}|\/t\/|https?:\/\/|secret|\n|\bat \S+:\d+/.exec(message)
    strictEqual(hidden, null, message)
    return message
  }

  test('a port where nothing listens [D2.6 S-error.internal_error]', async () => {
    const place = `127.0.0.1:${await freePort()}/secret`
    const refused = /refused the connection.*check host and port/
    match(await failureAt({ security_server: { url: `https://${place}` } }), refused)
    match(await failureAt({}, `https://${place}`), refused)
    match(await failureAt({}, `http://${place}`), refused)
    match(await failureAt({}, `http://localhost:${place.slice(10)}`), refused)
  })

  test('a host name that does not exist [D2.6]', async () => {
    match(await failureAt({ security_server: { url: 'https://secret.invalid' } }), /cannot be resolved/)
    match(await failureAt({}, 'http://secret.invalid/x'), /cannot be resolved/)
  })

  test('a port that speaks plain HTTP [D2.6]', async () => {
    const plain = createServer((socket) => void socket.on('error', () => undefined).end('HTTP/1.1 400 Bad\r\n\r\n'))
    plain.listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const { port } = plain.address() as AddressInfo
    const spoken = /does not speak TLS but probably plain HTTP \(wrong version number\).*5500/
    match(await failureAt({ security_server: { url: `https://127.0.0.1:${port}` } }), spoken)
    match(await failureAt({}, `https://127.0.0.1:${port}`), spoken)
    plain.close()
  })

  test('an issuer that is not trusted [D2.6]', async () => {
    const strange = await startUpstream(() => undefined, { tls: makeSelfSigned() })
    match(await failureAt({ security_server: { url: strange.url } }), /unknown issuer.*trust_ca_path/)
    match(await failureAt({}, strange.url), /unknown issuer.*trust_ca_path/)
    const bySystem = { url: security.url, trust_ca_path: null }
    match(await failureAt({ security_server: bySystem }), /unknown issuer.*trust_ca_path/)
    strictEqual(strange.requests.length, 0)
    await strange.close()
  })

  test('a certificate for another name, and one that has expired [D2.6]', async () => {
    const authority = makeAuthority()
    const folder = newFolder({ 'ca.pem': authority.certificate })
    const trust = { trust_ca_path: join(folder, 'ca.pem') }
    const dayMs = 86_400_000
    const named = await startUpstream(() => undefined, {
      tls: issueServer(authority, { names: ['secret.example.org'] }),
    })
    match(await failureAt({ security_server: { url: named.url, ...trust } }), /is for another name.*subjectAltName/)
    const old = { notBefore: new Date(Date.now() - 2 * dayMs), notAfter: new Date(Date.now() - dayMs) }
    const expired = await startUpstream(() => undefined, { tls: issueServer(authority, old) })
    match(await failureAt({ security_server: { url: expired.url, ...trust } }), /has expired.*clock/)
    strictEqual(named.requests.length + expired.requests.length, 0)
    await Promise.all([named.close(), expired.close()])
  })

  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`a Security Server that does not know our certificate, ${maxVersion} [D2.6]`, async () => {
      const { files } = sharedPki()
      const server = createTlsServer({
        key: readFileSync(files.serverKey),
        cert: readFileSync(files.serverCertificate),
        ca: makeAuthority('another').certificate,
        requestCert: true,
        rejectUnauthorized: true,
        maxVersion,
      })
      server.on('tlsClientError', () => undefined)
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
      match(await failureAt({ security_server: { url } }), /certificate.*internal TLS certificates.*Security Server/)
      server.close()
    })
  }

  test('an answer that is no HTTP, one that breaks off, and one whose length is a lie [D2.6]', async () => {
    const odd: readonly (readonly [Act, RegExp])[] = [
      [(socket) => socket.end('nonsense\r\n\r\n'), /not valid HTTP/],
      [(socket) => socket.end(toAnswer('<a/>').subarray(0, -2)), /closed the connection before the end/],
      [(socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n'), /not valid HTTP/],
      [(socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'), /not as long/],
      [(socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`), /headers .* too large/],
      [(socket) => socket.end(), /closed the connection/],
      [(socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'), /./],
    ]
    for (const [each, message] of odd) {
      for (const path of both) {
        const { status, body } = await toldFor(each, path)
        deepStrictEqual([status, body['error']], [500, 'internal_error'])
        match(String(body['message']), message)
      }
    }
  })

  test('without a security_server only direct calls work [S-config.security_server S-error.internal_error]', async () => {
    act = (socket) => socket.write(toAnswer('<a/>'))
    const files = { 't/call.yml': dsl(), 'd/call.yml': dsl(direct.url) }
    const other = await startLanes({ dsl: files, config: { security_server: null } })
    const { status, text } = await other.call('/t/call', { body: {} })
    deepStrictEqual(
      [status, JSON.parse(text)],
      [
        500,
        {
          error: 'internal_error',
          message:
            'this endpoint goes through the Security Server, but the configuration has no section security_server',
        },
      ],
    )
    strictEqual((await other.call('/d/call', { body: {} })).status, 200)
    await other.close()
  })
})

describe('requests that are refused before anything is sent', () => {
  test('beyond the cap 413, exactly the cap passes [S-error.request_too_large S-limit.max_request_bytes D1.7]', async () => {
    act = (socket) => socket.write(toAnswer('<a/>'))
    const from = security.requests.length
    const bodies = ['x'.repeat(100), 'x'.repeat(101)]
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const [fit, over] = await Promise.all(
        bodies.map((body) => lanes.call('/t/call', { method: 'POST', body, headers })),
      )
      strictEqual(fit?.status, 200)
      strictEqual(over?.status, 413)
      deepStrictEqual(JSON.parse(over.text), {
        error: 'request_too_large',
        message: 'the request body is larger than 100 bytes',
        limit: 100,
      })
    }
    strictEqual(security.requests.length, from + 2)
  })

  test('404 comes before 405, 405 before 413 [S-error.method_not_allowed S-error.template_not_found D1.6]', async () => {
    const from = security.requests.length
    const body = 'x'.repeat(200)
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'QUERY']) {
      const wrong = await lanes.call('/t/call', { method, body })
      deepStrictEqual([wrong.status, errorOf(wrong), wrong.headers['allow']], [405, 'method_not_allowed', 'POST'])
      strictEqual(errorOf(await lanes.call('/t/none', { method, body })), 'template_not_found')
    }
    strictEqual(security.requests.length, from)
  })

  test('callers are not asked who they are [S-auth.1 S-not-produced]', async () => {
    act = (socket) => socket.write(toAnswer('<a/>'))
    const { status } = await lanes.call('/t/call', { body: {}, headers: { authorization: 'nonsense' } })
    strictEqual(status, 200)
  })
})

test('nothing of bodies, paths and queries of upstreams has come into the log [D1.8]', () => {
  // A fault has a line of its own, and a warning quotes our own files.
  const isOther = (event: unknown): boolean => event !== 'soapFault' && event !== 'warning'
  const lines = lanes.log.filter(({ event }) => isOther(event)).map((line) => JSON.stringify(line))
  ok(lines.length > 100)
  deepStrictEqual(
    lines.filter((line) => /secret|<|token/.test(line)),
    [],
  )
})

/** What the mock does on demand, on the whole way through mutual TLS. */
describe('failures of the mock', { concurrency: true }, () => {
  const rows: readonly (readonly [code: string, rule: string, status: number, error: string, message: RegExp])[] = [
    [
      'mock.fault.server.clientproxy.unknown_member',
      'S-error.upstream_soap_fault',
      502,
      'upstream_soap_fault',
      /unknown_member/,
    ],
    ['mock.fault12.Sender', 'S-error.upstream_soap_fault', 502, 'upstream_soap_fault', /\(Sender\)/],
    ['mock.provider-fault', 'S-error.upstream_soap_fault', 502, 'upstream_soap_fault', /SOAP-ENV:Server/],
    ['mock.status.301', 'S-error.upstream_http_error', 502, 'upstream_http_error', /HTTP 301/],
    ['mock.status.403', 'S-error.upstream_http_error', 502, 'upstream_http_error', /HTTP 403/],
    ['mock.status.503', 'S-error.upstream_http_error', 502, 'upstream_http_error', /HTTP 503/],
    ['mock.redirect', 'D2.5', 502, 'upstream_http_error', /HTTP 302/],
    ['mock.slow-headers', 'D2.6', 504, 'upstream_timeout', /within 3 s/],
    ['mock.stalled-body', 'D2.6', 504, 'upstream_timeout', /within 3 s/],
    ['mock.slow-body', 'D2.6', 504, 'upstream_timeout', /within 3 s/],
    ['mock.oversized', 'S-error.upstream_body_too_large', 502, 'upstream_body_too_large', /larger than/],
    ['mock.oversized-chunked', 'S-error.upstream_body_too_large', 502, 'upstream_body_too_large', /larger than/],
    ['mock.compressed', 'S-limit.wire', 502, 'upstream_xml_parse_error', /compressed \(gzip\)/],
    ['mock.malformed', 'S-error.upstream_xml_parse_error', 502, 'upstream_xml_parse_error', /cannot be read as XML/],
    ['mock.wrong-charset', 'D3.1', 502, 'upstream_xml_parse_error', /not valid utf-8/],
    ['mock.doctype', 'D3.1', 502, 'upstream_xml_parse_error', /DOCTYPE/],
    ['mock.entity', 'S-xml.4', 502, 'upstream_xml_parse_error', /entity/i],
    ['mock.deep', 'S-limit.depth', 502, 'upstream_xml_parse_error', /128 levels/],
    ['mock.many-events', 'S-limit.events', 502, 'upstream_xml_parse_error', /100000 parse events/],
    ['mock.empty', 'S-error.upstream_xml_parse_error', 502, 'upstream_xml_parse_error', /root element/],
    ['mock.truncated', 'D2.6', 500, 'internal_error', /closed the connection/],
    ['mock.truncated-chunked', 'D2.6', 500, 'internal_error', /closed the connection|not valid HTTP/],
    ['mock.reset', 'D2.6', 500, 'internal_error', /broke the connection off/],
    ['mock.reset-before-answer', 'D2.6', 500, 'internal_error', /broke the connection off/],
    ['mock.malformed-http', 'D2.6', 500, 'internal_error', /not valid HTTP/],
  ]
  const good = ['mock.latin1', 'mock.multipart', 'mock.repeat-headers', 'mock.early-answer', 'mock.request', 'ordinary']
  const maxResponseBytes = 4 * 1024 * 1024
  const files = [...rows.map(([code]) => code), ...good].map((code) => [`m/${code}.yml`, dsl(undefined, request(code))])
  let patient: Lanes
  /** For failures that are over when the time of the call is; a busy machine may need longer for the others. */
  let hasty: Lanes

  before(async () => {
    const open = (seconds: number): Promise<Lanes> => {
      const limits = { max_response_bytes: maxResponseBytes, request_timeout_secs: seconds }
      return startLanes({ dsl: Object.fromEntries(files) as Record<string, string>, config: { limits } })
    }
    ;[patient, hasty] = await Promise.all([open(300), open(3)])
  })

  after(async () => {
    await Promise.all([patient.close(), hasty.close()])
    // No call was made twice, whatever became of it.
    const asked = [...patient.events, ...hasty.events].map(
      (event) => / (mock\.\S+|ordinary):/.exec(event)?.[1] ?? event,
    )
    deepStrictEqual(asked.toSorted(), [...rows.map(([code]) => code), ...good].toSorted())
  })

  for (const [code, rule, status, error, message] of rows) {
    test(`${code} [${rule}]`, async () => {
      const lanes = error === 'upstream_timeout' ? hasty : patient
      const { status: told, text } = await lanes.call(`/m/${code}`, { body: { a: 'x'.repeat(60) } })
      const body = JSON.parse(text) as Record<string, unknown>
      deepStrictEqual([told, body['error']], [status, error])
      match(String(body['message']), message)
    })
  }

  for (const code of good) {
    test(`${code} is an answer like any other [S-endpoint.soap]`, async () => {
      const { status, text } = await patient.call(`/m/${code}`, { body: { a: 'x' } })
      strictEqual(status, 200)
      const { body, headers } = JSON.parse(text) as Record<string, Record<string, unknown>>
      deepStrictEqual(Object.keys(body ?? {}), [`${code}Response`])
      if (code !== 'mock.early-answer') ok(Object.hasOwn(headers ?? {}, 'xroad:id'))
    })
  }
})
