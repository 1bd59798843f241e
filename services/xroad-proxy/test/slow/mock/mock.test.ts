/**
 * The mock Security Server over real mutual TLS: what it accepts and refuses, its answers on both lanes, and every
 * failure of its table as it looks on the wire.
 */
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import { newFolder, type Spawned, spawnProcess, writeFiles } from '@services/testing'
import { StartupFailure } from '../../../src/errors.ts'
import { failures } from '../../../src/mock/failures/failures.ts'
import { type RunningMock, startMock } from '../../../src/mock/mock.ts'
import { keystorePassword } from '../../../src/mock/pki.ts'

const folder = newFolder()
const answers = join(folder, 'answers')
const events: string[] = []
let mock: RunningMock
let old: RunningMock
let agent: Agent
let identity: ConnectionOptions

before(async () => {
  mock = await startMock({ host: '127.0.0.1', port: 0, folder, onEvent: (line) => events.push(line) })
  old = await startMock({ host: '127.0.0.1', port: 0, folder, faults: 'before-7.8' })
  identity = {
    pfx: readFileSync(mock.files.keystore),
    passphrase: keystorePassword,
    ca: readFileSync(mock.files.ca),
  }
  agent = new Agent({ ...identity, keepAlive: true })
})

after(async () => {
  agent.destroy()
  await Promise.all([mock.close(), old.close()])
})

interface Reply {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
  readonly text: string
}

interface Call {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
  readonly to?: RunningMock
}

async function call(path: string, { method = 'GET', headers = {}, body, to = mock }: Call = {}): Promise<Reply> {
  const outgoing = request(`${to.url}${path}`, { method, headers: headers as Record<string, string>, agent })
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [import('node:http').IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const received = Buffer.concat(chunks)
  const raw = incoming.rawHeaders
  return {
    status: incoming.statusCode as number,
    headers: raw.flatMap((name, index) =>
      index % 2 === 0 ? [[name.toLowerCase(), raw[index + 1] as string] as const] : [],
    ),
    body: received,
    text: received.toString('utf8'),
  }
}

function header({ headers }: Pick<Reply, 'headers'>, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1]
}

const client = { 'X-Road-Client': 'EE/GOV/1/sub' }

function rest(path: string, options: Call = {}): Promise<Reply> {
  return call(`/r1/EE/GOV/2/provider/${path}`, { ...options, headers: { ...client, ...options.headers } })
}

interface Parts {
  readonly service?: string
  readonly header?: string
  readonly body?: string
  readonly envelope?: string
}

const clientField =
  '<xroad:client id:objectType="SUBSYSTEM"><id:xRoadInstance>EE</id:xRoadInstance><id:memberClass>GOV</id:memberClass>' +
  '<id:memberCode>1</id:memberCode><id:subsystemCode>sub</id:subsystemCode></xroad:client>'
const serviceField = (code: string): string =>
  '<xroad:service id:objectType="SERVICE"><id:xRoadInstance>EE</id:xRoadInstance><id:memberClass>GOV</id:memberClass>' +
  `<id:memberCode>2</id:memberCode><id:subsystemCode>pro&amp;vider</id:subsystemCode><id:serviceCode>${code}</id:serviceCode></xroad:service>`
const idField = '<xroad:id>some-id</xroad:id>'
const versionField = '<xroad:protocolVersion>4.0</xroad:protocolVersion>'
const namespaces =
  'xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" ' +
  'xmlns:id="http://x-road.eu/xsd/identifiers"'

function envelopeOf({
  service = 'person',
  header,
  body = `<p:${service} xmlns:p="urn:p"><p:code>1</p:code></p:${service}>`,
}: Parts): string {
  const fields = header ?? `${clientField}${serviceField(service)}${idField}${versionField}`
  return `<?xml version="1.0"?><soap:Envelope ${namespaces}><soap:Header>${fields}</soap:Header><soap:Body>${body}</soap:Body></soap:Envelope>`
}

function soap(parts: Parts, options: Call = {}): Promise<Reply> {
  const headers = { 'Content-Type': 'text/xml; charset=utf-8', ...options.headers }
  return call('/', { method: 'POST', body: parts.envelope ?? envelopeOf(parts), ...options, headers })
}

function bodyIn({ text }: Reply): string {
  return /<soap:Body>([^]*)<\/soap:Body>/.exec(text)?.[1] ?? text
}

function faultIn({ status, text }: Reply): readonly [status: number, code: string, message: string] {
  const [, code = '', message = ''] = /<faultcode>(.*)<\/faultcode><faultstring>(.*)<\/faultstring>/.exec(text) ?? []
  return [status, code, message.replaceAll('&apos;', "'")]
}

describe('mutual TLS', { concurrency: true }, () => {
  const attempt = async (options: ConnectionOptions): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port: mock.port, servername: 'localhost', ...options })
    // In TLS 1.3 a client learns only with the first bytes that its certificate is missing.
    socket.on('secureConnect', () => socket.write(`GET /r1/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`))
    let received = ''
    socket.setEncoding('utf8').on('data', (text: string) => (received += text))
    const { promise, resolve } = Promise.withResolvers<string>()
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    socket.once('close', () => resolve(received.split('\r\n')[0] as string))
    return promise
  }

  test('the PKCS12 identity gets in, by TLS 1.2 and 1.3', async () => {
    const { ca, pfx, passphrase } = identity
    strictEqual(await attempt({ ca, pfx, passphrase, maxVersion: 'TLSv1.2' }), 'HTTP/1.1 500 Internal Server Error')
    strictEqual(await attempt({ ca, pfx, passphrase, minVersion: 'TLSv1.3' }), 'HTTP/1.1 500 Internal Server Error')
  })

  test('a client without a certificate is refused, and so is one with a certificate of its own', async () => {
    const { ca } = identity
    const stranger = await startMock({ host: '127.0.0.1', port: 0, folder: newFolder() })
    await stranger.close()
    const pfx = readFileSync(stranger.files.keystore)
    match(await attempt({ ca }), /^(?:ERR_SSL_.*|ECONNRESET|)$/)
    match(await attempt({ ca, pfx, passphrase: keystorePassword }), /^(?:ERR_SSL_.*|ECONNRESET|)$/)
    ok(events.includes('refused 127.0.0.1: peer did not return a certificate'))
    ok(
      events.some((line) => /^refused 127\.0\.0\.1: (?:UNABLE_TO|SELF_SIGNED|.*certificate)/.test(line)),
      events.join('\n'),
    )
  })

  test('TLS 1.1 is refused', async () => {
    const { ca, pfx, passphrase } = identity
    const ciphers = 'DEFAULT@SECLEVEL=0'
    match(
      await attempt({ ca, pfx, passphrase, ciphers, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }),
      /^ERR_SSL_|^ECONNRESET$/,
    )
  })

  test('a client that trusts other CAs turns away', async () => {
    strictEqual(await attempt({ pfx: identity.pfx, passphrase: keystorePassword }), 'SELF_SIGNED_CERT_IN_CHAIN')
  })

  test('connections stay open between requests, without a word about it', async () => {
    const socket = await open()
    for (const path of ['a', 'b']) {
      const { text } = await exchange(socket, restRequest(path))
      match(text, /^HTTP\/1\.1 200 OK\r\n/)
      ok(!/^(?:keep-alive|connection):/im.test(text), text)
    }
    socket.destroy()
  })
})

describe('the SOAP lane', { concurrency: true }, () => {
  test('without a file the request comes back as a response, its header verbatim', async () => {
    const fields = `${clientField}<!-- kept? --><xroad:userId>EE&#x31;</xroad:userId>${serviceField('person')}<xroad:issue/>${idField}${versionField}`
    const body = '<p:person xmlns:p="urn:p" a=\'1\'><p:x><![CDATA[<]]></p:x>&lt;</p:person>'
    const reply = await soap({ envelope: envelopeOf({ header: `${fields}<other:x xmlns:other="urn:o"/>`, body }) })
    strictEqual(reply.status, 200)
    strictEqual(header(reply, 'content-type'), 'text/xml; charset=utf-8')
    const [, head = '', rest = ''] =
      /<soap:Header>(.*)(<xroad:requestHash .*<\/xroad:requestHash>)<\/soap:Header>/.exec(reply.text) ?? []
    strictEqual(head, fields.replace('<!-- kept? -->', ''))
    const digest = createHash('sha512').update(envelopeOf({ header: `${fields}<other:x xmlns:other="urn:o"/>`, body }))
    ok(rest.includes(digest.digest('base64')))
    strictEqual(
      bodyIn(reply),
      '<p:personResponse xmlns:p="urn:p" a=\'1\'><p:x><![CDATA[<]]></p:x>&lt;</p:personResponse>',
    )
  })

  test('default namespaces, other prefixes, an empty element, a byte-order mark, protocol 4.1', async () => {
    const envelope =
      '\uFEFF<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/">\n<Header>' +
      '<client xmlns="http://x-road.eu/xsd/xroad.xsd" xmlns:i="http://x-road.eu/xsd/identifiers" i:objectType="MEMBER"/>' +
      '<x:service xmlns:x="http://x-road.eu/xsd/xroad.xsd" xmlns:i="http://x-road.eu/xsd/identifiers" i:objectType="SERVICE">' +
      '<i:serviceCode>person</i:serviceCode></x:service><id xmlns="http://x-road.eu/xsd/xroad.xsd">1</id>' +
      '<protocolVersion xmlns="http://x-road.eu/xsd/xroad.xsd">4.1</protocolVersion></Header>' +
      '<Body><personRequest xmlns=""/></Body></Envelope>\n'
    const reply = await soap({ envelope }, { headers: { SOAPAction: '""' } })
    match(reply.text, /<xroad:requestHash xmlns:xroad="http:\/\/x-road\.eu\/xsd\/xroad\.xsd" /)
    match(reply.text, /<Body><personResponse xmlns=""><\/personResponse><\/Body><\/Envelope>$/)
  })

  test('a file is the content of the body, or an envelope that is sent as it is', async () => {
    const whole = '<?xml version="1.0"?><!-- x --><e:Envelope xmlns:e="urn:any"><e:Body>\u00E4</e:Body></e:Envelope>\n'
    writeFiles(answers, {
      'inBody.xml': '<?xml version="1.0" encoding="UTF-8"?>\n<p:r xmlns:p="urn:p">\u00E4</p:r>',
      'whole.xml': whole,
    })
    strictEqual(bodyIn(await soap({ service: 'inBody' })).trim(), '<p:r xmlns:p="urn:p">\u00E4</p:r>')
    match((await soap({ service: 'inBody' })).text, /<xroad:id>some-id<\/xroad:id>/)
    strictEqual((await soap({ service: 'whole' })).text, whole)
  })

  test('a file that changes, comes or goes is noticed at once', async () => {
    const name = 'changing.xml'
    for (const content of ['<a>1</a>', '<a>2</a>', '<a>3</a>']) {
      writeFiles(answers, { [name]: content })
      strictEqual(bodyIn(await soap({ service: 'changing' })), content)
    }
    // Old enough to be served from memory.
    const then = new Date(Date.now() - 60_000)
    utimesSync(join(answers, name), then, then)
    strictEqual(bodyIn(await soap({ service: 'changing' })), '<a>3</a>')
    await new Promise((resolve) => setTimeout(resolve, 250))
    for (let i = 0; i < 3; i++) strictEqual(bodyIn(await soap({ service: 'changing' })), '<a>3</a>')
    writeFiles(answers, { [name]: '<a>4</a>' })
    strictEqual(bodyIn(await soap({ service: 'changing' })), '<a>4</a>')
    rmSync(join(answers, name))
    match(bodyIn(await soap({ service: 'changing' })), /^<p:changingResponse/)
  })

  test('listMethods and allowedMethods list the files, unless they have one', async () => {
    const own = await startMock({
      host: '127.0.0.1',
      port: 0,
      folder,
      answers: newFolder({ 'b.xml': '', 'a.xml': '', 'c.json': '', 'allowedMethods.xml': '<own/>' }),
    })
    const list = await soap({ service: 'listMethods' }, { to: own })
    const service = (code: string): string => serviceField(code).replaceAll('xroad:', 'xrd:')
    strictEqual(
      bodyIn(list),
      `<xrd:listMethodsResponse xmlns:xrd="http://x-road.eu/xsd/xroad.xsd" xmlns:id="http://x-road.eu/xsd/identifiers">${service('a')}${service('b')}</xrd:listMethodsResponse>`,
    )
    strictEqual(bodyIn(await soap({ service: 'allowedMethods' }, { to: own })), '<own/>')
    await own.close()
  })

  const without = (field: string): string =>
    [clientField, serviceField('person'), idField, versionField].filter((each) => each !== field).join('')
  const refusals: Readonly<Record<string, readonly [Parts, code: string, oldCode: string, message: RegExp]>> = {
    'no header': [
      { envelope: `<soap:Envelope ${namespaces}><soap:Body><a/></soap:Body></soap:Envelope>` },
      'client.missing_header',
      'Client.MissingHeader',
      /header missing/,
    ],
    'a Fault in the request [G11]': [
      {
        envelope: `<soap:Envelope ${namespaces}><soap:Body><soap:Fault><faultcode>Code</faultcode><faultstring>it failed</faultstring></soap:Fault></soap:Body></soap:Envelope>`,
      },
      'client.Code',
      'Client.Code',
      /it failed/,
    ],
    'no client': [
      { header: without(clientField) },
      'client.missing_header_field',
      'Client.MissingHeaderField',
      /'client' is missing/,
    ],
    'no service': [
      { header: without(serviceField('person')) },
      'client.missing_header_field',
      'Client.MissingHeaderField',
      /must contain service id/,
    ],
    'no id': [
      { header: without(idField) },
      'client.missing_header_field',
      'Client.MissingHeaderField',
      /'id' is missing/,
    ],
    'no protocolVersion': [
      { header: without(versionField) },
      'client.missing_header_field',
      'Client.MissingHeaderField',
      /'protocolVersion' is missing/,
    ],
    'the fields in another namespace': [
      { envelope: envelopeOf({}).replace('http://x-road.eu/xsd/xroad.xsd', 'http://x-road.ee/xsd/x-road.xsd') },
      'client.missing_header_field',
      'Client.MissingHeaderField',
      /'protocolVersion' is missing/,
    ],
    'two ids': [
      { header: without('') + idField },
      'client.duplicate_header_field',
      'Client.DuplicateHeaderField',
      /duplicate field/,
    ],
    'protocol 3.1': [
      { header: without(versionField) + versionField.replace('4.0', '3.1') },
      'client.invalid_protocol_version',
      'Client.InvalidProtocolVersion',
      /provided: 3\.1/,
    ],
    'no objectType': [
      { envelope: envelopeOf({}).replace(' id:objectType="SUBSYSTEM"', '') },
      'client.invalid_xml',
      'Client.InvalidXml',
      /Missing objectType/,
    ],
    'a wrong objectType': [
      { envelope: envelopeOf({}).replace('"SUBSYSTEM"', '"SERVER"') },
      'client.invalid_xml',
      'Client.InvalidXml',
      /Unexpected objectType: SERVER/,
    ],
    'no body': [
      { envelope: `<soap:Envelope ${namespaces}><soap:Header>${without('')}</soap:Header></soap:Envelope>` },
      'client.missing_body',
      'Client.MissingBody',
      /body missing/,
    ],
    'an empty body': [{ body: ' ' }, 'client.invalid_body', 'Client.InvalidBody', /exactly one child/],
    'two elements in the body': [
      { body: '<person/><person/>' },
      'client.invalid_body',
      'Client.InvalidBody',
      /exactly one child/,
    ],
    'another element in the body': [
      { body: '<company/>' },
      'client.inconsistent_headers',
      'Client.InconsistentHeaders',
      /does not match/,
    ],
    'SOAP 1.2': [
      {
        envelope: envelopeOf({}).replace(
          'http://schemas.xmlsoap.org/soap/envelope/',
          'http://www.w3.org/2003/05/soap-envelope',
        ),
      },
      'client.invalid_soap',
      'Client.InvalidSoap',
      /envelope missing/,
    ],
    'an unknown failure': [
      { service: 'mock.unheard-of' },
      'server.serverproxy.unknown_service',
      'Server.ServerProxy.UnknownService',
      /no service code mock\.unheard-of/,
    ],
  }
  for (const [title, [parts, code, oldCode, message]] of Object.entries(refusals)) {
    test(`a request with ${title} is a Fault on 200, in both spellings`, async () => {
      const reply = await soap(parts)
      const [status, found, text] = faultIn(reply)
      deepStrictEqual([status, found], [200, code])
      match(text, message)
      strictEqual(header(reply, 'soapaction'), '')
      match(reply.text, /<faultactor><\/faultactor><detail><faultDetail xmlns="">[\da-f-]{36}<\/faultDetail><\/detail>/)
      deepStrictEqual(faultIn(await soap(parts, { to: old })).slice(0, 2), [200, oldCode])
    })
  }

  test('fields that a Security Server does not know may repeat [G8]', async () => {
    const odd = '<xroad:title>a</xroad:title><xroad:title>b</xroad:title>'
    const other = '<r:id xmlns:r="http://x-road.eu/xsd/representation.xsd">other</r:id>'
    const reply = await soap({ header: without('') + odd + other })
    doesNotMatch(reply.text, /Fault/)
  })

  const broken = [
    '',
    'text',
    '<',
    '<a',
    '<a></b>',
    '<a/><b/>',
    '<a/>text',
    '<p:a/>',
    '<a b=1/>',
    '<!DOCTYPE a><a/>',
    '<a>'.repeat(100_000),
    `<a ${' x="1"'.repeat(100_000)}`,
    `<a${' '.repeat(500_000)}`,
    `${envelopeOf({})}<more/>`,
    envelopeOf({}).slice(0, -1),
    '<a>\u0000</a>',
  ]
  test('what is no XML, or has a DOCTYPE, is invalid SOAP', async () => {
    for (const envelope of broken) {
      const [status, code] = faultIn(await soap({ envelope }))
      deepStrictEqual([status, code], [200, 'client.invalid_soap'], envelope.slice(0, 60))
    }
  })

  const inside: Readonly<Record<string, string>> = {
    'an entity that nobody declared': '<a>&nbsp;</a>',
    'an & that begins nothing': '<a>R & D</a>',
    'the same in an attribute': '<a b="R&D"/>',
    'a reference to a character that XML forbids': '<a>&#0;</a>',
    'a reference to half a surrogate pair': '<a>&#xD800;</a>',
    'a control character': '<a>\u0001</a>',
    'a character outside of XML': '<a>\uFFFE</a>',
    'an attribute twice': '<a b="1" b="2"/>',
    'an attribute twice, with other prefixes': '<a xmlns:c="urn:c" xmlns:d="urn:c" c:b="1" d:b="2"/>',
    'a prefix that is not bound, far inside': '<a><b><c><d><e:f/></d></c></b></a>',
    'the same of an attribute': '<a e:b="1"/>',
    'a prefix that is unbound': '<a xmlns:b=""/>',
    'a reserved prefix': '<a xmlns:xmlns="urn:x"/>',
    'a name that is none': '<1a/>',
    'a name of three parts': '<p:a:b xmlns:p="urn:p"/>',
    ']]> in a text': '<a>]]></a>',
    '-- in a comment': '<a><!-- a -- b --></a>',
    'an XML declaration in the middle': '<a><?xml version="1.0"?></a>',
    'an instruction without a target': '<a><? a?></a>',
    'a blank that XML does not know': '<a\u00A0b="1"/>',
    'the same between attributes': '<a b="1" \u2003c="2"/>',
    'the same in an end tag': '<a></a\u00A0>',
    'the namespace of declarations': '<a xmlns:b="http://www.w3.org/2000/xmlns/"/>',
  }
  for (const [what, content] of Object.entries(inside)) {
    test(`what is not well-formed is invalid SOAP: ${what} [G7]`, async () => {
      const [status, code] = faultIn(await soap({ body: `<person>${content}</person>` }))
      deepStrictEqual([status, code], [200, 'client.invalid_soap'])
    })
  }

  test('what is well-formed is taken, however odd [G7]', async () => {
    const odd = `<person xmlns="urn:p" a=' "&apos;&#9;' xml:lang="et" xmlns:q='urn:q' q:a="1" b='>'><?pi a?b ?><!-- - --><õ.-·>]] &gt;&#0000000065;&#x000000041;\u00A0<![CDATA[<&]]></õ.-·>\u{1F600}</person>`
    const [status, code] = faultIn(await soap({ body: odd }))
    deepStrictEqual([status, code], [200, ''])
  })

  test('methods, content types and SOAPAction are checked first', async () => {
    deepStrictEqual(faultIn(await call('/')), [
      200,
      'client.invalid_http_method',
      'Must use POST request method instead of GET',
    ])
    for (const type of ['application/json', 'application/soap+xml', 'text/xmlx', '']) {
      strictEqual(
        faultIn(await soap({}, { headers: { 'Content-Type': type } }))[1],
        'client.invalid_content_type',
        type,
      )
    }
    strictEqual((await soap({}, { headers: { 'Content-Type': 'TEXT/XML' } })).status, 200)
    for (const action of ['urn:a', '"a b"', '":a"', '"%4"', '"<a>"']) {
      strictEqual(faultIn(await soap({}, { headers: { SOAPAction: action } }))[1], 'client.invalid_soap_action', action)
    }
    strictEqual((await soap({}, { headers: { 'Content-Type': 'application/xop+xml' } })).status, 200)
    strictEqual(bodyIn(await soap({}, { headers: { SOAPAction: '"urn:a"' } })).slice(0, 18), '<p:personResponse ')
  })

  test('a service code never reaches a file outside of the folder', async () => {
    writeFiles(folder, { 'outside.xml': '<secret/>', 'answers/.hidden.xml': '<secret/>' })
    for (const code of [
      '../outside',
      '..\\outside',
      '/etc/passwd',
      '.hidden',
      '\u0000',
      'x'.repeat(5000),
      'answers/../../outside',
    ]) {
      const reply = await soap({
        service: 'person',
        header: `${clientField}${serviceField(code)}${idField}${versionField}`,
      })
      ok(!reply.text.includes('secret'), code)
      ok(!(await rest(encodeURIComponent(code))).text.includes('secret'), code)
    }
  })

  test('other charsets are read', async () => {
    const envelope = envelopeOf({ body: '<person>\u00E4</person>' }).replace('<?xml version="1.0"?>', '')
    const reply = await soap(
      {},
      { body: Buffer.from(envelope, 'latin1'), headers: { 'Content-Type': 'text/xml; charset="ISO-8859-1"' } },
    )
    strictEqual(bodyIn(reply), '<personResponse>\u00E4</personResponse>')
    strictEqual(
      faultIn(await soap({}, { headers: { 'Content-Type': 'text/xml; charset=klingon' } }))[1],
      'client.invalid_soap',
    )
  })

  test('an envelope of 10 MiB is answered, a larger one is 413', async () => {
    const limit = 10 * 1024 * 1024
    const empty = envelopeOf({ body: '<person></person>' }).length
    const envelopeWith = (bytes: number): string =>
      envelopeOf({ body: `<person>${'x'.repeat(bytes - empty)}</person>` })
    strictEqual(bodyIn(await soap({ envelope: envelopeWith(limit) })).length, limit - empty + 33)
    strictEqual((await soap({ envelope: envelopeWith(limit + 1) })).status, 413)
    strictEqual((await soap({})).status, 200)
  })
})

describe('the REST lane', { concurrency: true }, () => {
  test('without a file the request comes back as JSON, as it was on the wire', async () => {
    const body = Buffer.from('{"\u00E4": 1}')
    const reply = await rest('service/a%20b//c?x=1&x=%41&', {
      method: 'PATCH',
      body,
      headers: { 'X-Twice': ['1', '2'], 'X-Latin': '\u00E4' },
    })
    strictEqual(reply.status, 200)
    strictEqual(header(reply, 'content-type'), 'application/json; charset=utf-8')
    const { headers, ...rest_ } = JSON.parse(reply.text) as { headers: [string, string][] }
    deepStrictEqual(rest_, {
      method: 'PATCH',
      path: '/r1/EE/GOV/2/provider/service/a%20b//c',
      query: 'x=1&x=%41&',
      body: body.toString(),
      bodyLength: body.length,
      bodySha256: createHash('sha256').update(body).digest('hex'),
    })
    deepStrictEqual(
      headers.filter(([name]) => name.startsWith('X-')),
      [
        ['X-Road-Client', 'EE/GOV/1/sub'],
        ['X-Twice', '1'],
        ['X-Twice', '2'],
        ['X-Latin', '\u00E4'],
      ],
    )
  })

  test('the answer carries the X-Road headers of the protocol', async () => {
    const reply = await rest('sErvice%20%C3%A4%2B/path?q=1', {
      headers: { 'X-Road-Id': 'my id', 'X-Road-Client': 'EE/GOV/1%2F2/s%3Ab' },
    })
    strictEqual(header(reply, 'x-road-id'), 'my id')
    strictEqual(header(reply, 'x-road-client'), 'EE/GOV/1%2F2/s:b')
    strictEqual(header(reply, 'x-road-service'), 'EE/GOV/2/provider/sErvice%20%C3%A4+')
    match(header(reply, 'x-road-request-id') ?? '', /^[\da-f-]{36}$/)
    strictEqual(header(reply, 'x-road-error'), undefined)
    const other = await rest('service')
    match(header(other, 'x-road-id') ?? '', /^EE-[\da-f-]{36}$/)
    strictEqual(
      header(await rest('service', { headers: { 'X-Road-Client': 'EE/GOV/1' } }), 'x-road-client'),
      'EE/GOV/1',
    )
  })

  test('the request hash covers the message and, if there is one, its body', async () => {
    const sha512 = (...parts: (string | Buffer)[]): Buffer =>
      parts.reduce((hash, part) => hash.update(part), createHash('sha512')).digest()
    for (const body of [undefined, 'body']) {
      const length = body === undefined ? '' : `Content-Length: ${body.length}\r\n`
      const line = 'POST /r1/EE/GOV/2/provider/s?q=1'
      const sent = `${line} HTTP/1.1\r\nHost: x\r\nX-Road-Client: EE/GOV/1\r\nAccept: a\r\n${length}User-Agent: x\r\n\r\n${body ?? ''}`
      const socket = await open()
      const { text } = await exchange(socket, sent)
      socket.destroy()
      const of = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1]?.trim() ?? ''
      const head = sha512(
        `${line.replace(' ', '\r\n')}\r\nX-Road-Client:EE/GOV/1\r\nAccept:a\r\nx-road-request-id:${of('x-road-request-id')}\r\n`,
      )
      strictEqual(
        of('x-road-request-hash'),
        (body === undefined ? head : sha512(head, sha512(body))).toString('base64'),
      )
    }
  })

  test('a file is chosen by method first, then by extension, with its content type', async () => {
    writeFiles(answers, {
      'typed.json': '[1]',
      'typed.POST.txt': 'posted',
      'page.html': '<p>',
      'data.bin': Buffer.from([0, 255]),
      'x.y.xml': '<a/>',
      'answers.json/file': '',
    })
    const summary = async (path: string, method?: string): Promise<readonly [string, string]> => {
      const reply = await rest(path, method === undefined ? {} : { method })
      return [header(reply, 'content-type') ?? '', reply.body.toString('latin1')]
    }
    deepStrictEqual(await summary('typed'), ['application/json; charset=utf-8', '[1]'])
    deepStrictEqual(await summary('typed/more?x=1'), ['application/json; charset=utf-8', '[1]'])
    deepStrictEqual(await summary('typed', 'POST'), ['text/plain; charset=utf-8', 'posted'])
    deepStrictEqual(await summary('page'), ['text/html; charset=utf-8', '<p>'])
    deepStrictEqual(await summary('data'), ['application/octet-stream', '\u0000\u00FF'])
    deepStrictEqual(await summary('x.y'), ['application/xml; charset=utf-8', '<a/>'])
    match((await summary('answers'))[1], /^\{"method"/)
    match((await summary('TYPED'))[1], /^\{"method"/)
    const { body, headers, status } = await rest('typed', { method: 'HEAD' })
    deepStrictEqual([status, body.length, header({ headers }, 'content-length')], [200, 0, '3'])
  })

  test('listMethods and allowedMethods list the files', async () => {
    const own = await startMock({
      host: '127.0.0.1',
      port: 0,
      folder,
      answers: newFolder({ 'b.GET.json': '', 'b.json': '', 'a.txt': '', no: '', 'x.md': '' }),
    })
    for (const name of ['listMethods', 'allowedMethods']) {
      const { service } = JSON.parse((await rest(name, { to: own })).text) as { service: Record<string, unknown>[] }
      deepStrictEqual(
        service.map((each) => each['service_code']),
        ['a', 'b'],
      )
      deepStrictEqual(service[0], {
        member_class: 'GOV',
        member_code: '2',
        object_type: 'SERVICE',
        service_code: 'a',
        service_type: 'REST',
        subsystem_code: 'provider',
        xroad_instance: 'EE',
        endpoint_list: [],
      })
    }
    await own.close()
  })

  const paths: Readonly<
    Record<string, readonly [path: string, headers: Record<string, string>, code: string, message: string]>
  > = {
    'no X-Road-Client': [
      '/r1/EE/GOV/2/p/s',
      {},
      'server.clientproxy.invalid_client_identifier',
      'The client identifier is missing',
    ],
    'an X-Road-Client of two parts': [
      '/r1/EE/GOV/2/p/s',
      { 'X-Road-Client': 'EE/GOV' },
      'server.clientproxy.internal_error',
      'Invalid Client Id',
    ],
    'an X-Road-Client of five parts': [
      '/r1/EE/GOV/2/p/s',
      { 'X-Road-Client': 'EE/GOV/1/a/b' },
      'server.clientproxy.internal_error',
      'Invalid Client Id',
    ],
    'too few segments': ['/r1/EE/GOV/2/p', client, 'server.clientproxy.internal_error', 'Invalid request URI'],
    'bad percent-encoding': [
      '/r1/EE/GOV/2/p/%E4',
      client,
      'server.clientproxy.internal_error',
      'Invalid percent-encoding in an identifier',
    ],
    'an unknown failure': [
      '/r1/EE/GOV/2/p/mock.unheard-of',
      client,
      'server.serverproxy.unknown_service',
      'The mock knows no service code mock.unheard-of',
    ],
  }
  for (const [title, [path, headers, code, message]] of Object.entries(paths)) {
    test(`a request with ${title} is an error of the Security Server`, async () => {
      const reply = await call(path, { headers })
      strictEqual(reply.status, 500)
      strictEqual(header(reply, 'x-road-error'), code)
      strictEqual(header(reply, 'content-type'), 'application/json;charset=utf-8')
      const { detail, ...rest } = JSON.parse(reply.text) as { detail: string }
      deepStrictEqual(rest, { type: code, message })
      match(detail, /^[\da-f-]{36}$/)
    })
  }

  test('errors are XML for who accepts XML, and spelled as before 7.8 on demand', async () => {
    for (const [accept, type] of [
      ['application/json, application/xml;q=0.5', 'application/xml'],
      ['text/*', 'text/xml'],
      ['TEXT/XML', 'text/xml'],
    ] as const) {
      const reply = await call('/r1/EE/GOV/2/p/s', { headers: { Accept: accept }, to: old })
      strictEqual(header(reply, 'content-type'), `${type};charset=utf-8`)
      match(
        reply.text,
        /<error><type>Server\.ClientProxy\.InvalidClientIdentifier<\/type><message>The client identifier is missing<\/message><detail>[\da-f-]{36}<\/detail><\/error>$/,
      )
    }
  })

  test('the last of several X-Road-Client counts', async () => {
    const reply = await rest('s', { headers: { 'X-Road-Client': ['bad', 'EE/GOV/9'] } })
    strictEqual(header(reply, 'x-road-client'), 'EE/GOV/9')
  })

  test('large bodies are counted and hashed, not echoed', async () => {
    const body = Buffer.alloc(10 * 1024 * 1024 + 1, 'x')
    const echo = JSON.parse((await rest('s', { method: 'PUT', body })).text) as Record<string, unknown>
    deepStrictEqual(
      [echo['body'], echo['bodyLength'], echo['bodySha256']],
      [null, body.length, createHash('sha256').update(body).digest('hex')],
    )
  })
})

/** What came over a connection of its own and how it ended. */
interface Seen {
  readonly head: string
  /** With the chunks put together. */
  readonly body: Buffer
  readonly raw: Buffer
  readonly text: string
  readonly end: 'open' | 'orderly' | 'reset'
}

async function open(): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: mock.port, servername: 'localhost', ...identity })
  await once(socket, 'secureConnect')
  return socket
}

interface Patience {
  /** Nothing has come for so long; ten times that for the first byte. */
  readonly quietMs?: number
  readonly longestMs?: number
}

/** Sends, and reads until the answer is whole, the connection ends, or patience does. */
async function exchange(
  socket: TLSSocket,
  bytes: string | Buffer,
  { quietMs = 3000, longestMs = 20_000 }: Patience = {},
): Promise<Seen> {
  const chunks: Buffer[] = []
  const { promise, resolve } = Promise.withResolvers<Seen['end']>()
  const giveUp = (): void => resolve('open')
  const longest = setTimeout(giveUp, longestMs)
  let quiet = setTimeout(giveUp, 10 * quietMs)
  let length = 0
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk)
    length += chunk.length
    clearTimeout(quiet)
    quiet = setTimeout(giveUp, quietMs)
    if (isWhole(chunks, length)) resolve('open')
  }
  socket.on('data', onData)
  socket.once('end', () => resolve('orderly'))
  socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNRESET' ? 'reset' : 'orderly'))
  socket.once('close', () => resolve('orderly'))
  socket.write(bytes)
  const end = await promise
  clearTimeout(quiet)
  clearTimeout(longest)
  socket.off('data', onData)
  const raw = Buffer.concat(chunks)
  const at = raw.indexOf('\r\n\r\n')
  const head = raw.toString('latin1', 0, Math.max(0, at))
  const rest = raw.subarray(at + 4)
  return {
    head,
    body: /^transfer-encoding: chunked/im.test(head) ? unchunk(rest) : rest,
    raw,
    get text() {
      return raw.toString('latin1')
    },
    end,
  }
}

/** By the framing that the head declares. The head comes in one piece of TLS. */
function isWhole(chunks: readonly Buffer[], length: number): boolean {
  const [first = Buffer.alloc(0)] = chunks
  const at = first.indexOf('\r\n\r\n')
  if (at < 0 || first.indexOf('HTTP/1.1 ') !== 0) return false
  const head = first.toString('latin1', 0, at)
  if (/^transfer-encoding: chunked/im.test(head)) return endOf(chunks) === '\r\n0\r\n\r\n'
  const declaredLength = /^content-length: (\d+)/im.exec(head)?.[1] ?? '0'
  return length >= at + 4 + Number(declaredLength)
}

/** The last bytes, which may be spread over two pieces. */
function endOf(chunks: readonly Buffer[]): string {
  const ends = chunks.slice(-2).map((chunk) => chunk.toString('latin1', Math.max(0, chunk.length - 7)))
  return ends.join('').slice(-7)
}

function unchunk(bytes: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) break
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    pieces.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 4 + size
  }
  return Buffer.concat(pieces)
}

function restRequest(service: string, method = 'GET'): string {
  return `${method} /r1/EE/GOV/2/provider/${service} HTTP/1.1\r\nHost: x\r\nX-Road-Client: EE/GOV/1/sub\r\n\r\n`
}

function soapRequest(service: string): string {
  const envelope = envelopeOf({ service, body: '<p:any xmlns:p="urn:p"><p:code>1</p:code></p:any>' })
  return `POST /some/path HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: ${Buffer.byteLength(envelope)}\r\n\r\n${envelope}`
}

type Lane = 'soap' | 'rest'
type Observe = (see: (argument?: string, patience?: Patience) => Promise<Seen>, lane: Lane) => Promise<void>

const declared = ({ head }: Seen): number => Number(/^content-length: (\d+)/im.exec(head)?.[1])
const isChunked = ({ head }: Seen): boolean => /^transfer-encoding: chunked/im.test(head)
const isComplete = (seen: Seen): boolean =>
  isChunked(seen)
    ? seen.raw.toString('latin1', seen.raw.length - 7) === '\r\n0\r\n\r\n'
    : declared(seen) === seen.body.length
const statusOf = ({ head }: Seen): number => Number(head.split(' ')[1])
const mebibyte = 1024 * 1024

function isHalf(seen: Seen): void {
  strictEqual(statusOf(seen), 200)
  ok(seen.body.length > 100)
  if (!isChunked(seen)) strictEqual(seen.body.length, declared(seen) >> 1)
}

/** For each row of the table: how it looks on the wire. */
const observations: Readonly<Record<string, Observe>> = {
  'mock.request': async (see, lane) => {
    const seen = await see()
    const text = seen.body.toString()
    if (lane === 'rest') {
      strictEqual((JSON.parse(text) as { path: string }).path, '/r1/EE/GOV/2/provider/mock.request')
      return
    }
    match(
      text,
      /<method>POST<\/method><target>\/some\/path<\/target><header name="Host">x<\/header><header name="Content-Type">text\/xml</,
    )
    match(text, /<body>&lt;\?xml version=&quot;1\.0&quot;/)
  },
  'mock.fault': async (see, lane) => {
    const seen = await see('.server.serverproxy.access_denied')
    if (lane === 'soap') {
      strictEqual(statusOf(seen), 200)
      match(seen.body.toString(), /<faultcode>server\.serverproxy\.access_denied<\/faultcode>.*<faultDetail xmlns="">/)
      match((await see('.a&lt;b')).body.toString(), /<faultcode>a&lt;b<\/faultcode>/)
      return
    }
    strictEqual(statusOf(seen), 500)
    match(seen.head, /^X-Road-Error: server\.serverproxy\.access_denied\r$/m)
    strictEqual((JSON.parse(seen.body.toString()) as { type: string }).type, 'server.serverproxy.access_denied')
    strictEqual(statusOf(await see('.Server.ServerProxy.ServiceFailed')), 500)
    strictEqual(statusOf(await see('.Client.BadRequest')), 400)
    match((await see('.a%0D%0Ab%C3%B5')).head, /^X-Road-Error: a\?\?b\?\r$/m)
  },
  'mock.fault12': async (see, lane) => {
    const seen = await see('.env:Receiver')
    strictEqual(statusOf(seen), lane === 'soap' ? 500 : 400)
    if (lane === 'soap') {
      match(seen.head, /^Content-Type: application\/soap\+xml/m)
      match(seen.body.toString(), /<env:Value>env:Receiver<\/env:Value>.*<env:Text xml:lang="en">/)
    }
  },
  'mock.provider-fault': async (see, lane) => {
    const seen = await see()
    strictEqual(statusOf(seen), 500)
    ok(!/x-road-error/i.test(seen.head))
    const text = seen.body.toString()
    if (lane === 'soap') match(text, /<faultcode>SOAP-ENV:Server<\/faultcode>/)
    else strictEqual((JSON.parse(text) as { status: number }).status, 500)
  },
  'mock.status': async (see) => {
    for (const status of [200, 201, 299, 301, 401, 403, 404, 418, 429, 500, 503, 599]) {
      const seen = await see(`.${status}`)
      strictEqual(statusOf(seen), status)
      strictEqual(seen.body.toString(), `Answer of the mock with status ${status}\n`)
    }
    for (const status of [204, 304]) {
      const seen = await see(`.${status}`)
      deepStrictEqual([statusOf(seen), seen.body.length, declared(seen)], [status, 0, Number.NaN])
    }
    for (const wrong of ['', '.', '.100', '.199', '.600', '.20', '.2000', '.abc']) {
      match((await see(wrong)).body.toString(), /unknown_service/)
    }
  },
  'mock.slow-headers': async (see) => {
    const seen = await see('', { quietMs: 100 })
    deepStrictEqual([seen.raw.length, seen.end], [0, 'open'])
  },
  'mock.stalled-body': async (see) => {
    const seen = await see('', { quietMs: 500 })
    isHalf(seen)
    strictEqual(seen.end, 'open')
  },
  'mock.slow-body': async (see) => {
    const early = await see('', { quietMs: 80 })
    deepStrictEqual([statusOf(early), early.body.length < 4], [200, true])
    ok(declared(early) > 200)
    const enough = performance.now()
    const later = await see('', { longestMs: 2000 })
    ok(performance.now() - enough >= 1900)
    ok(later.body.length > 3 && later.body.length < 25, String(later.body.length))
  },
  'mock.oversized': async (see) => {
    const seen = await see('', { quietMs: 60_000, longestMs: 300_000 })
    deepStrictEqual([declared(seen), isComplete(seen)], [64 * mebibyte, true])
  },
  'mock.oversized-chunked': async (see) => {
    const seen = await see('', { quietMs: 60_000, longestMs: 300_000 })
    deepStrictEqual([seen.body.length, isChunked(seen), isComplete(seen)], [64 * mebibyte, true, true])
  },
  'mock.large': async (see, lane) => {
    for (const bytes of [2000, 4096, 70_000, mebibyte, 3 * mebibyte + 1]) {
      const seen = await see(`.${bytes}`)
      deepStrictEqual([declared(seen), seen.body.length, isComplete(seen)], [bytes, bytes, true])
      checkSyntax(seen, lane)
    }
    const small = await see('.0')
    ok(isComplete(small))
    checkSyntax(small, lane)
    for (const wrong of ['', '.', '.x', '.-1', `.${2 ** 30 + 1}`]) {
      match((await see(wrong)).body.toString(), /unknown_service/)
    }
  },
  'mock.large-chunked': async (see, lane) => {
    for (const bytes of [2000, 3 * mebibyte + 1]) {
      const seen = await see(`.${bytes}`)
      deepStrictEqual([isChunked(seen), seen.body.length, isComplete(seen)], [true, bytes, true])
      checkSyntax(seen, lane)
    }
  },
  'mock.compressed': async (see, lane) => {
    const seen = await see()
    match(seen.head, /^Content-Encoding: gzip\r$/m)
    checkSyntax({ ...seen, body: gunzipSync(seen.body) }, lane)
  },
  'mock.truncated': async (see) => {
    const seen = await see()
    isHalf(seen)
    deepStrictEqual([seen.end, isChunked(seen)], ['orderly', false])
  },
  'mock.truncated-chunked': async (see) => {
    const seen = await see()
    isHalf(seen)
    deepStrictEqual([seen.end, isChunked(seen), isComplete(seen)], ['orderly', true, false])
  },
  'mock.reset': async (see) => {
    const seen = await see()
    isHalf(seen)
    strictEqual(seen.end, 'reset')
  },
  'mock.reset-before-answer': async (see) => {
    const seen = await see()
    deepStrictEqual([seen.raw.length, seen.end], [0, 'reset'])
  },
  'mock.malformed': async (see, lane) => {
    const seen = await see()
    ok(isComplete(seen) && seen.body.length > 100)
    if (lane === 'rest') await rejects(async () => JSON.parse(seen.body.toString()) as unknown)
    else ok(!seen.body.toString().includes('</soap:Envelope>'))
  },
  'mock.malformed-http': async (see) => {
    const seen = await see()
    deepStrictEqual([seen.text, seen.end], ['This is no HTTP at all\r\n\r\n', 'orderly'])
  },
  'mock.redirect': async (see, lane) => {
    const seen = await see('?x=1')
    strictEqual(statusOf(seen), 302)
    const path = lane === 'soap' ? '/some/path' : '/r1/EE/GOV/2/provider/mock.redirect?x=1'
    strictEqual(/^Location: (.*)\r$/m.exec(seen.head)?.[1], path)
  },
  'mock.wrong-charset': async (see) => {
    const seen = await see()
    match(seen.head, /charset=utf-8\r$/m)
    ok(seen.body.includes(Buffer.from('Jõgeva', 'latin1')))
  },
  'mock.latin1': async (see, lane) => {
    const seen = await see()
    match(seen.head, /charset=ISO-8859-1\r$/m)
    ok(seen.body.includes(Buffer.from('Jõgeva', 'latin1')))
    if (lane === 'soap') match(seen.body.toString('latin1'), /^<\?xml version="1\.0" encoding="ISO-8859-1"\?>/)
  },
  'mock.doctype': async (see) => {
    match(
      (await see()).body.toString(),
      /^<\?xml [^>]*><!DOCTYPE answer \[<!ENTITY declared "expanded">\]>.*&declared;/,
    )
  },
  'mock.entity': async (see) => {
    const text = (await see()).body.toString()
    match(text, /^<\?xml .*&undeclared;/)
    ok(!text.includes('<!DOCTYPE'))
  },
  'mock.deep': async (see, lane) => {
    const seen = await see()
    checkSyntax(seen, lane)
    strictEqual(seen.body.toString().split(lane === 'soap' ? '<level>' : '[').length - 1, 200)
  },
  'mock.many-events': async (see, lane) => {
    const seen = await see()
    checkSyntax(seen, lane)
    strictEqual(seen.body.toString().split(lane === 'soap' ? '<item>' : '"1"').length - 1, 150_000)
  },
  'mock.empty': async (see) => {
    const seen = await see()
    deepStrictEqual([statusOf(seen), declared(seen), seen.end], [200, 0, 'open'])
  },
  'mock.multipart': async (see, lane) => {
    const seen = await see()
    match(
      seen.head,
      /^Content-Type: multipart\/related; type="[^"]+"; start="<root@mock>"; boundary="mock-boundary"\r$/m,
    )
    const [, root = '', attachment = '', last] = seen.body.toString('latin1').split('--mock-boundary')
    checkSyntax({ ...seen, body: Buffer.from(root.split('\r\n\r\n')[1]?.trimEnd() ?? '', 'latin1') }, lane)
    ok(attachment.endsWith('\u0000\u0001attachment\u00FF\r\n'))
    strictEqual(last, '--\r\n')
  },
  'mock.repeat-headers': async (see) => {
    const { head } = await see()
    for (const line of [
      'Set-Cookie: first=1; Path=/',
      'Set-Cookie: second=2; Path=/',
      'Connection: keep-alive, X-Mock-Hop',
      'X-Mock-Hop: of this connection',
    ]) {
      ok(head.split('\r\n').includes(line), line)
    }
  },
  'mock.early-answer': async (_see, lane) => {
    const socket = await open()
    const envelope = envelopeOf({ service: 'mock.early-answer' })
    const whole = lane === 'soap' ? soapRequest('x') : restRequest('mock.early-answer', 'POST')
    const head = whole.slice(0, whole.indexOf('\r\n\r\n')).replace(/\r\nContent-Length: \d+/, '')
    const first = `${head}\r\nContent-Length: 1000000\r\n\r\n${lane === 'soap' ? envelope : 'x'}`
    const seen = await exchange(socket, first)
    strictEqual(statusOf(seen), 200)
    ok(isComplete(seen))
    socket.destroy()
  },
}

function checkSyntax({ body }: Seen, lane: Lane): void {
  const text = body.toString()
  if (lane === 'rest') JSON.parse(text)
  else
    match(
      text.slice(0, 60) + text.slice(-60),
      /^<\?xml version="1\.0" encoding="UTF-8"\?><soap:Envelope .*<\/soap:Envelope>$/s,
    )
}

test('every failure of the table is observed here', () => {
  deepStrictEqual(
    failures.map(({ name }) => name),
    Object.keys(observations),
  )
})

test('the manual lists every failure with its description', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/mock.md'), 'utf8')
  const [, table = ''] = /<!-- table: failures[^>]*>\n\n.*\n.*\n((?:\|.*\n)+)/.exec(page) ?? []
  deepStrictEqual(
    table.trimEnd().split('\n'),
    failures.map(({ name, takes, description }) => {
      const code = takes === undefined ? name : `${name}.<${takes}>`
      return `| \`${code}\` | ${description} |`
    }),
  )
})

for (const lane of ['soap', 'rest'] as const) {
  describe(`failures on demand, ${lane}`, { concurrency: 4 }, () => {
    for (const [name, observe] of Object.entries(observations)) {
      test(name, async () => {
        const sockets: TLSSocket[] = []
        const see = async (argument = '', patience: Patience = {}): Promise<Seen> => {
          const socket = await open()
          sockets.push(socket)
          const code = name + argument
          return exchange(socket, lane === 'soap' ? soapRequest(code.replace('?x=1', '')) : restRequest(code), patience)
        }
        await observe(see, lane)
        for (const socket of sockets) socket.destroy()
      })
    }
  })
}

test('a client that leaves ends what it left behind', async () => {
  for (const service of ['mock.slow-headers', 'mock.slow-body', 'mock.stalled-body', 'mock.large.1000000000']) {
    const socket = await open()
    socket.write(restRequest(service))
    await new Promise((resolve) => setTimeout(resolve, 50))
    socket.destroy()
    const isOver = (line: string): boolean => line.includes(`${service}: `) && line.includes('broken off')
    for (let i = 0; i < 100 && !events.some(isOver); i++) await new Promise((resolve) => setTimeout(resolve, 20))
    ok(events.some(isOver), service)
  }
})

test('closing breaks off what is under way', async () => {
  const own = await startMock({ host: '127.0.0.1', port: 0, folder })
  const sockets = await Promise.all(
    ['mock.slow-headers', 'mock.slow-body', 'mock.stalled-body', 'mock.oversized', 'plain'].map(async (service) => {
      const socket = connect({ host: '127.0.0.1', port: own.port, servername: 'localhost', ...identity })
      socket.on('error', () => undefined)
      await once(socket, 'secureConnect')
      socket.write(restRequest(service))
      return socket
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, 100))
  const ends = sockets.map((socket) => once(socket.resume(), 'close'))
  await own.close()
  await Promise.all(ends)
})

test('events are one printable line for each request', async () => {
  await rest('printable?x=1')
  await soap({
    service: 'printable',
    header: `${clientField}${serviceField('print\u0085able\n2')}${idField}${versionField}`,
  })
  const line = events.find((each) => each.includes('printable'))
  match(line ?? '', /^GET \/r1\/EE\/GOV\/2\/provider\/printable\?x=1 printable: 200, \d+\.\d ms$/)
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  ok(events.every((each) => !/[\u0000-\u001F\u007F-\u009F]/.test(each)))
})

test(
  'an unreadable answer is a 500 that names it, and no end of the mock',
  { skip: process.platform === 'win32' },
  async () => {
    const loop = newFolder()
    symlinkSync('looped.json', join(loop, 'looped.json'))
    const own = await startMock({ host: '127.0.0.1', port: 0, folder, answers: loop })
    const { status, text } = await rest('looped', { to: own })
    strictEqual(status, 500)
    match(text, /^The mock failed: ELOOP: .*looped\.json'\n$/)
    strictEqual((await rest('other', { to: own })).status, 200)
    await own.close()
  },
)

test('a folder of answers need not exist, and may be a file', async () => {
  for (const place of [join(folder, 'not', 'there'), join(folder, 'ca.pem'), join(folder, 'ca.pem', 'below')]) {
    const own = await startMock({ host: '127.0.0.1', port: 0, folder, answers: place })
    match((await rest('a', { to: own })).text, /^\{"method":"GET"/)
    await own.close()
  }
})

test('a taken port and an address of another machine are one line each', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const refused = (options: { host: string; port: number }, pattern: RegExp): Promise<void> =>
    rejects(startMock({ folder, ...options }), (error: Error) => {
      ok(error instanceof StartupFailure)
      match(error.message, pattern)
      return true
    })
  await refused({ host: '127.0.0.1', port }, new RegExp(`^mock: 127\\.0\\.0\\.1:${port} is in use by another process`))
  await refused({ host: '192.0.2.1', port: 0 }, /is not an address of this machine/)
  taken.close()
  deepStrictEqual(readFileSync(mock.files.ca), identity.ca)
})

describe('the subcommand', { concurrency: true }, () => {
  const command = join(import.meta.dirname, '../../../src/mock/command.ts')
  const script = (settings: object): string =>
    `import { runMock } from ${JSON.stringify(command)}; await runMock(${JSON.stringify(settings)})`
  const run = (settings: object): Spawned =>
    spawnProcess({ command: [process.execPath, '--input-type=module', '--eval', script(settings)] })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`says where it listens and how to get there, ends with 0 on ${signal}`, async () => {
      const started = run({ host: '127.0.0.1', port: 0, folder })
      await started.line(/trust_ca_path/)
      const [first = ''] = started.stdout().split('\n')
      const [, url = ''] = /^Mock Security Server listening on (https:\/\/127\.0\.0\.1:\d+)$/.exec(first) ?? []
      ok(
        started
          .stdout()
          .includes(
            `\nsecurity_server:\n  url: ${url}\n  keystore_path: ${join(folder, 'client.p12')}\n  trust_ca_path: ${join(folder, 'ca.pem')}\n`,
          ),
        started.stdout(),
      )
      match(started.stdout(), /PROXY_KEYSTORE_PASSWORD=mock/)
      const outgoing = request(`${url}/r1/a`, { agent: new Agent({ ...identity, keepAlive: true }) }).end()
      await once(outgoing, 'response')
      await started.line(/^GET \/r1\/a -: 500, /)
      started.kill(signal)
      const { code, stderr } = await started.ended
      deepStrictEqual([code, stderr], [0, ''])
    })
  }

  test('a taken port is one line on stderr and exit code 1', async () => {
    const { code, stdout, stderr } = await run({ host: '127.0.0.1', port: mock.port, folder }).ended
    deepStrictEqual([code, stdout], [1, ''])
    match(stderr, new RegExp(`^mock: 127\\.0\\.0\\.1:${mock.port} is in use by another process; [^\\n]+\\n$`))
  })
})
