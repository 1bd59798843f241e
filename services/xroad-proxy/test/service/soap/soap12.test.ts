/**
 * SOAP 1.2: what goes out in a direct call, what its faults become, and why there is none through a Security Server.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import { startLanes, type Lanes } from '../../support/lanes.ts'
import { startUpstream, toAnswer, type Upstream } from '../../support/upstreams/upstream.ts'
import { drop } from '../../support/wsdl/wsdl-folder.ts'
import { generateAll, readText, wsdlAround } from '../../support/wsdl/wsdl.ts'

const namespace = 'http://www.w3.org/2003/05/soap-envelope'
const place = { file: 'a/b.yml', group: 'a', service: 'b' }

/** A WSDL with one operation, bound to SOAP 1.2, at this address. */
function wsdl12(address = 'https://far.example.com/soap12', action = 'urn:do "it"'): string {
  return wsdlAround(
    '<x:element name="op"><x:complexType><x:sequence><x:element name="a" type="x:int" nillable="true"/></x:sequence></x:complexType></x:element>',
  )
    .replaceAll('soap:', 's12:')
    .replace(
      'xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"',
      'xmlns:s12="http://schemas.xmlsoap.org/wsdl/soap12/"',
    )
    .replace(
      '<wsdl:operation name="op"><wsdl:input><s12',
      `<wsdl:operation name="op"><s12:operation soapAction='${action}'/><wsdl:input><s12`,
    )
    .replace(
      '</wsdl:definitions>',
      `<wsdl:service name="s"><wsdl:port name="p" binding="t:b"><s12:address location="${address}"/></wsdl:port></wsdl:service></wsdl:definitions>`,
    )
}

/** The same operation bound to SOAP 1.1 too, behind that. */
function wsdlBoth(): string {
  const own = wsdl12().replace(
    '<wsdl:definitions ',
    '<wsdl:definitions xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" ',
  )
  return own.replace(
    '<wsdl:service name="s">',
    `<wsdl:binding name="b11" type="t:pt"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/><wsdl:operation name="op"><soap:operation soapAction="urn:11"/><wsdl:input><soap:body use="literal"/></wsdl:input></wsdl:operation></wsdl:binding>
    <wsdl:service name="s"><wsdl:port name="p11" binding="t:b11"><soap:address location="https://far.example.com/soap11"/></wsdl:port>`,
  )
}

describe('operations that are bound to SOAP 1.2 only [P2.3]', () => {
  test('are generated for a direct call, with an envelope of that version', () => {
    const dropped = drop({ 'wsdl/a/api.wsdl': wsdl12() })
    deepStrictEqual(dropped.warnings, [])
    const text = dropped.files()['a/op.yml'] ?? ''
    match(
      text,
      /^service: "https:\/\/far\.example\.com\/soap12"\nmethod: POST\nsoap_action: "urn:do %22it%22"\nsoap_version: "1\.2"$/m,
    )
    ok(text.includes(`xmlns:soapenv="${namespace}"`))
    ok(!text.includes('schemas.xmlsoap.org'))
    const [endpoint] = dropped.endpoints()
    ok(endpoint?.kind === 'soap')
    strictEqual(endpoint.soapVersion, '1.2')
    // Remembered, it is the same.
    deepStrictEqual(dropped.again().warnings, [])
    strictEqual(dropped.files()['a/op.yml'], text)
  })

  test('are skipped where the calls go through a Security Server, with that reason', () => {
    for (const [address, files] of [
      ['http://TURVASERVER/', {}],
      ['https://10.0.0.1/', {}],
      ['https://far.example.com/', { 'wsdl/a/api.meta.yaml': 'member_class: GOV\n' }],
    ] as const) {
      const dropped = drop({ 'wsdl/a/api.wsdl': wsdl12(address), ...files })
      const [first = '', ...others] = dropped.warnings
      match(
        first,
        /api\.wsdl:\d+: operation op is bound to SOAP 1\.2 only, which Security Servers refuse; it gets no endpoint$/,
      )
      deepStrictEqual(others, [], address)
      deepStrictEqual(dropped.files(), {})
    }
  })

  test('are called directly where the sidecar says so', () => {
    const dropped = drop({
      'wsdl/a/api.wsdl': wsdl12('http://TURVASERVER/'),
      'wsdl/a/api.meta.yaml': 'service_url: https://near.example.com/soap\n',
    })
    deepStrictEqual(dropped.warnings, [])
    match(
      dropped.files()['a/op.yml'] ?? '',
      /service: "https:\/\/near\.example\.com\/soap"\n.*\n.*\nsoap_version: "1\.2"/,
    )
  })

  test('are those of SOAP 1.1 where they are bound to both', () => {
    const dropped = drop({ 'wsdl/a/api.wsdl': wsdlBoth() })
    deepStrictEqual(dropped.warnings, [])
    const text = dropped.files()['a/op.yml'] ?? ''
    match(text, /service: "https:\/\/far\.example\.com\/soap11"\nmethod: POST\nsoap_action: "urn:11"\nenvelope/)
  })

  test('are not called over where the one of SOAP 1.1 is skipped', () => {
    const [made, ...others] = generateAll(
      readText(wsdlBoth().replace('<soap:body use="literal"/>', '<soap:body use="encoded"/>')),
    )
    deepStrictEqual([made?.kind === 'skipped' && made.reason, others], ['encoded', []])
  })
})

describe('a file with soap_version: "1.2" [P2.3]', () => {
  const file = (more: string) =>
    `method: POST\nservice: https://far.example.com/\n${more}envelope: <e xmlns="${namespace}"/>\n`
  const read = (text: string) => readDsl(text, place)

  test('may have it without quotes; left out it is 1.1', () => {
    const versionOf = (text: string) => {
      const { endpoint, warnings } = read(text)
      deepStrictEqual(warnings, [])
      return endpoint.kind === 'soap' && endpoint.soapVersion
    }
    strictEqual(versionOf(file('soap_version: 1.2\n')), '1.2')
    strictEqual(versionOf(file('')), '1.1')
    strictEqual(versionOf(file('soap_version: "1.1"\n')), '1.1')
  })

  const refused: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
    'through a Security Server': [
      'method: POST\nsoap_version: 1.2\nenvelope: <a/>\n',
      /^a\/b\.yml:2: soap_version: found 1\.2 in a file without service: a Security Server takes SOAP 1\.1 only; leave it out, or call the service directly$/,
    ],
    'beside what else is wrong': [
      'method: POST\nsoap_version: 1.2\nsoap_acton: x\nparams: {a: {type: string, enum: []}}\nenvelope: <a/>\n',
      /^a\/b\.yml:2: soap_version: .*; a\/b\.yml:3: soap_acton: .*did you mean soap_action\?; a\/b\.yml:4: params\.a\.enum: .*/,
    ],
    'of a version that there is not': [
      file('soap_version: 1.3\n'),
      /a\/b\.yml:3: soap_version: found .*1\.3.*, expected 1\.1 or 1\.2/,
    ],
  }
  for (const [title, [text, message]] of Object.entries(refused)) {
    test(`is refused ${title}`, () => {
      let told = ''
      try {
        read(text)
      } catch (error) {
        told = (error as Error).message
      }
      match(told, message)
    })
  }

  test('draws a WARN where the envelope is of another version', () => {
    const { warnings } = read(
      file('soap_version: 1.2\n').replace(namespace, 'http://schemas.xmlsoap.org/soap/envelope/'),
    )
    deepStrictEqual(warnings, [
      `a/b.yml:4: envelope: an envelope of SOAP 1.2 has the namespace ${namespace}, and this one does not name it`,
    ])
  })
})

describe('a direct call of SOAP 1.2 [P2.3]', () => {
  let upstream: Upstream
  let lanes: Lanes
  let answer: Buffer

  before(async () => {
    upstream = await startUpstream((socket) => void socket.write(answer))
    const dsl = (more: string): string =>
      `method: POST\nservice: ${upstream.url}/soap\nsoap_version: 1.2\nparams: [a]\n${more}envelope: <e:Envelope xmlns:e="${namespace}"><e:Body>{{a}}</e:Body></e:Envelope>\n`
    // What is made from a WSDL may not call this machine, so it is kept as a person's own.
    const made = drop({ 'wsdl/a/api.wsdl': wsdl12() }).files()['a/op.yml'] ?? ''
    const own = made.slice(made.indexOf('\n') + 1).replace('https://far.example.com', upstream.url)
    lanes = await startLanes({
      dsl: {
        'd/action.yml': dsl('soap_action: urn:a\\b;c\n'),
        'd/none.yml': dsl(''),
        'd/empty.yml': dsl('soap_action: ""\n'),
        'd/made.yml': own,
        'd/attached.yml': dsl('').replace('{{a}}', '<x>{{xop_include a}}</x>'),
      },
    })
  })
  after(async () => {
    await lanes.close()
    await upstream.close()
  })

  const envelope = (content: string): string =>
    `<e:Envelope xmlns:e="${namespace}"><e:Body>${content}</e:Body></e:Envelope>`
  async function call(path: string, body: object, { content = '<ok>true</ok>', status = 200 } = {}) {
    answer = Buffer.from(toAnswer(envelope(content), { status, type: 'application/soap+xml; charset=utf-8' }))
    const reply = await lanes.call(path, { method: 'POST', body: JSON.stringify(body) })
    return { reply, sent: upstream.requests.at(-1) }
  }
  const typeOf = (head = ''): string[] =>
    head.split('\r\n').filter((line) => /^(?:content-type|soapaction):/i.test(line))

  test('goes out as application/soap+xml with the action, and without SOAPAction', async () => {
    const { reply, sent } = await call('/d/action', { a: 1 })
    deepStrictEqual(typeOf(sent?.head), ['Content-Type: application/soap+xml; charset=utf-8; action="urn:a\\\\b;c"'])
    strictEqual(reply.text, '{"body":{"ok":true},"headers":null}')
  })

  test('has no action where the file says none, or an empty one', async () => {
    for (const path of ['/d/none', '/d/empty']) {
      const { sent } = await call(path, { a: 1 })
      deepStrictEqual(typeOf(sent?.head), ['Content-Type: application/soap+xml; charset=utf-8'])
    }
  })

  test('of a generated file is an envelope of that version, nil included', async () => {
    const { sent } = await call('/d/made', { a: null })
    deepStrictEqual(typeOf(sent?.head), ['Content-Type: application/soap+xml; charset=utf-8; action="urn:do %22it%22"'])
    match(sent?.body ?? '', new RegExp(`^<soapenv:Envelope\\s+xmlns:soapenv="${namespace}"`))
    match(sent?.body ?? '', /<a xsi:nil="true"><\/a>/)
  })

  test('with something attached says so in all of its types', async () => {
    const { sent } = await call('/d/attached', { a: 'AAAA' })
    match(
      typeOf(sent?.head)[0] ?? '',
      /^Content-Type: multipart\/related; type="application\/xop\+xml"; start-info="application\/soap\+xml";/,
    )
    match(sent?.body ?? '', /Content-Type: application\/xop\+xml; charset=utf-8; type="application\/soap\+xml"\r\n/)
  })

  test('tells faults as those of SOAP 1.1', async () => {
    const fault =
      '<e:Fault><e:Code><e:Value>e:Sender</e:Value></e:Code><e:Reason><e:Text xml:lang="en">No &amp; no</e:Text></e:Reason></e:Fault>'
    for (const status of [200, 400, 500]) {
      const { reply } = await call('/d/none', {}, { content: fault, status })
      strictEqual(reply.status, 502)
      deepStrictEqual(JSON.parse(reply.text), {
        error: 'upstream_soap_fault',
        message: 'upstream returned SOAP Fault (e:Sender)',
        code: 'e:Sender',
        string: 'No & no',
        source: 'provider',
      })
    }
  })
})
