/** The audit file over real sockets: what its lines say, when they are there, and what never gets into them. */
import { deepStrictEqual, doesNotMatch, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { errorOf, newFolder, until } from '@services/testing'
import { exchange, head, open, readToEnd, rest, toAnswer as toRawAnswer } from '../../support/exchange.ts'
import { type Lanes, type LanesOptions, startLanes } from '../../support/lanes.ts'
import { answering, ok as answer, type RawUpstream, startRaw } from '../../support/upstreams/raw-upstream.ts'
import { startUpstream, toAnswer, toEnvelope, toFault11, type Upstream } from '../../support/upstreams/upstream.ts'

type Line = Readonly<Record<string, unknown>>

const names = [
  'time',
  'id',
  'caller',
  'client',
  'service',
  'version',
  'lane',
  'user',
  'request_hash',
  'bytes_in',
  'bytes_out',
  'ms',
  'upstream_ms',
  'outcome',
  'source',
]

const header = (service: string): string =>
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" ' +
  `xmlns:id="http://x-road.eu/xsd/identifiers"><e:Header>{{{generate.client}}}<xroad:service id:objectType="SERVICE">${service}` +
  '</xroad:service><xroad:id>{{generate.uuid}}</xroad:id><xroad:protocolVersion>4.0</xroad:protocolVersion></e:Header>' +
  '<e:Body><q:find xmlns:q="urn:q">{{code}}</q:find></e:Body></e:Envelope>'
const codes = (code: string): string =>
  `<id:xRoadInstance>EE</id:xRoadInstance><id:memberClass>GOV</id:memberClass><id:memberCode>${code}</id:memberCode>` +
  '<id:subsystemCode>sub</id:subsystemCode><id:serviceCode>find</id:serviceCode><id:serviceVersion>v1</id:serviceVersion>'
const soap = (envelope: string, more = ''): string =>
  `${more}method: POST\nparams: [code, member]\nenvelope: ${JSON.stringify(envelope)}\n`

/** What envelopes have as `userId`. */
const users = {
  fixed: 'EE-system',
  first: 'EE{{generate.user_id}}',
  param: '{{member}}',
  plain: '{{generate.user_id}}',
}

/** What they have as `id`; an empty text for none at all. */
const ids = { fixed: 'always-the-same', param: ' {{member}} ', none: '' }

const dsl = {
  'g/rest.yml': rest('POST'),
  'g/get.yml': rest('GET', { xroad_instance: 'FI' }),
  'g/head.yml': rest('HEAD'),
  'g/drop.yml': rest('POST', {}, { forward_body: false }),
  'g/soap.yml': soap(header(codes('1'))),
  'g/any.yml': soap(header(codes('{{member}}'))),
  ...Object.fromEntries(
    Object.entries(users).map(([name, user]) => [
      `g/user-${name}.yml`,
      soap(header(codes('1')).replace('<xroad:id>', `<xroad:userId>${user}</xroad:userId>$&`)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [
      `g/id-${name}.yml`,
      soap(header(codes('1')).replace(/<xroad:id>.*<\/xroad:id>/, id && `<xroad:id>${id}</xroad:id>`)),
    ]),
  ),
  'g/bare.yml': soap('<q>{{code}}</q>'),
  'g/attached.yml': soap(header(codes('9')).replace('{{code}}', '{{swa_ref code}}')),
  'g/path.yml': rest('GET', { path: '/v1/{code}' }),
  'g/set.yml': rest('GET', {}, { headers: { set: { 'x-Road-userID': { env: 'TECHNICAL_USER' } } } }),
  'g/removed.yml': rest('GET', {}, { headers: { remove: ['X-Road-UserId'] } }),
}

interface Audited extends Lanes {
  readonly file: string
  lines(): readonly Line[]
  text(): string
}

async function startAudited(options: Partial<LanesOptions> = {}, audit: object = {}): Promise<Audited> {
  const file = join(newFolder(), 'audit.jsonl')
  const config = { audit: { file, ...audit }, ...options.config }
  const env = { TECHNICAL_USER: 'EE-tehniline-õ', ...options.env }
  const lanes = await startLanes({ dsl, ...options, config, env })
  const text = (): string => readFileSync(file, 'utf8')
  const lines = (): readonly Line[] =>
    text()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line)
  return { ...lanes, file, text, lines }
}

/** The line of the message with this id. */
function lineOf(lanes: Audited, id: string): Line {
  const found = lanes.lines().filter((line) => line['id'] === id)
  strictEqual(found.length, 1, `lines with the id ${id}`)
  return found[0] as Line
}

function timeless(line: Line): Line {
  const { time: _time, ms: _ms, upstream_ms: _upstream, ...rest } = line
  return rest
}

describe('the line of an exchange', () => {
  let lanes: Audited
  let direct: Upstream

  before(async () => {
    direct = await startUpstream((socket) => void socket.write(toAnswer(toEnvelope('<a/>'))))
    const vendor = soap('<q>{{code}}</q>', `service: ${direct.url}/soap?key=geheim\n`)
    lanes = await startAudited({ dsl: { ...dsl, 'v/vendor.yml': vendor } })
  })
  after(async () => {
    await lanes.close()
    await direct.close()
  })

  test('has the user that a REST file sets, and the one that it keeps from the provider [P5.2]', async (t) => {
    const named = await startAudited({ env: { TECHNICAL_USER: ' EE-tehniline-õ ' } })
    t.after(() => named.close())
    const heard = async (path: string, headers: Record<string, string>): Promise<unknown[]> => {
      const id = `user-${path}-${Object.keys(headers).length}`
      const { text } = await named.call(`/g/${path}`, { headers: { ...headers, 'X-Road-Id': id } })
      const sent = (JSON.parse(text) as { headers: [string, string][] }).headers
      const [, user] = sent.find(([name]) => name.toLowerCase() === 'x-road-userid') ?? []
      return [user && Buffer.from(user, 'latin1').toString(), lineOf(named, id)['user']]
    }
    const user = { 'X-Road-UserId': 'EE10101010005' }
    deepStrictEqual(await heard('set', user), ['EE-tehniline-õ', 'EE-tehniline-õ'])
    deepStrictEqual(await heard('set', {}), ['EE-tehniline-õ', 'EE-tehniline-õ'])
    deepStrictEqual(await heard('removed', user), [undefined, 'EE10101010005'])
    deepStrictEqual(await heard('removed', {}), [undefined, null])
  })

  test('has no user whose header Connection names, on either lane [D4.3 P5.2]', async () => {
    for (const [method, path] of [['GET', '/g/get'] as const, ['POST', '/g/soap'] as const]) {
      const id = `hop-${method}`
      const headers = `Connection: X-Road-UserId\r\nX-Road-UserId: EE1\r\nX-Road-Id: ${id}\r\nContent-Length: 2\r\n`
      strictEqual((await exchange(lanes.port, `${head(method, path, headers)}{}`)).status, 200)
      strictEqual(lineOf(lanes, id)['user'], null)
    }
  })

  test('has the user that an envelope names, else the one of the caller [P5.2]', async () => {
    let count = 0
    const userOf = async (service: string, body: object, headers: Record<string, string> = {}): Promise<unknown> => {
      const id = `named-${(count += 1)}`
      const request = { method: 'POST', body: JSON.stringify(body), headers: { ...headers, 'X-Road-Id': id } }
      strictEqual((await lanes.call(`/g/${service}`, request)).status, 200)
      return lineOf(lanes, id)['user']
    }
    const caller = { 'X-Road-UserId': '38001085718' }
    strictEqual(await userOf('user-fixed', {}, caller), 'EE-system')
    strictEqual(await userOf('user-fixed', {}), 'EE-system')
    strictEqual(await userOf('user-first', {}, caller), 'EE38001085718')
    strictEqual(await userOf('user-param', { member: 'Õie & co' }, caller), 'Õie & co')
    strictEqual(await userOf('user-param', { member: '38001085719' }), '38001085719')
    // X-Road is told nobody, and who asked is known all the same.
    strictEqual(await userOf('user-param', {}, caller), '38001085718')
    strictEqual(await userOf('soap', {}, caller), '38001085718')
    strictEqual(await userOf('user-plain', {}, caller), '38001085718')
    strictEqual(await userOf('user-plain', {}), null)
  })

  test('has the id that the envelope names, by which X-Road knows the message, else the own one [P5.2]', async () => {
    const idOf = async (service: string, body: object, expected = 200): Promise<unknown> => {
      const count = lanes.lines().length
      const request = { method: 'POST', body: JSON.stringify(body), headers: { 'X-Road-Id': 'of-the-request' } }
      const { status, headers } = await lanes.call(`/g/${service}`, request)
      // What the caller is told stays the id of the request.
      deepStrictEqual([status, headers['x-road-id']], [expected, 'of-the-request'])
      const [line, ...others] = lanes.lines().slice(count)
      strictEqual(others.length, 0)
      return line?.['id']
    }
    strictEqual(await idOf('id-fixed', {}), 'always-the-same')
    strictEqual(await idOf('id-param', { member: 'õ-1' }), 'õ-1')
    strictEqual(await idOf('id-param', {}), 'of-the-request')
    // The mock refuses a message without one.
    strictEqual(await idOf('id-none', {}, 502), 'of-the-request')
    strictEqual(await idOf('soap', {}), 'of-the-request')
  })

  test('of the REST lane has every field, and no other [P5.2]', async () => {
    const headers = { 'X-Road-Id': 'rest-1', 'X-Road-UserId': 'EE10101010005' }
    const got = await lanes.call('/g/rest', { method: 'POST', body: '{"a":"geheim"}', headers })
    const { time, ms, upstream_ms, ...line } = lineOf(lanes, 'rest-1')
    deepStrictEqual(Object.keys(lineOf(lanes, 'rest-1')), names)
    deepStrictEqual(line, {
      id: 'rest-1',
      caller: '127.0.0.1',
      client: 'ee-test/GOV/70000000/demo',
      service: 'ee-test/GOV/70000001/sub/svc',
      version: null,
      lane: 'rest',
      user: 'EE10101010005',
      request_hash: got.headers['x-road-request-hash'],
      bytes_in: 14,
      bytes_out: Buffer.byteLength(got.text),
      outcome: 'ok',
      source: null,
    })
    ok(Math.abs(Date.parse(String(time)) - Date.now()) < 600_000)
    match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    ok(Number(ms) >= Number(upstream_ms) && Number(upstream_ms) > 0)
  })

  test('of the SOAP lane has service and version as the envelope does [P5.2]', async () => {
    const got = await lanes.call('/g/soap', {
      method: 'POST',
      body: '{"code":"geheim"}',
      headers: { 'X-Road-Id': 's-1' },
    })
    const { headers } = JSON.parse(got.text) as { headers: Record<string, Record<string, string>> }
    const line = timeless(lineOf(lanes, 's-1'))
    deepStrictEqual(line, {
      id: 's-1',
      caller: '127.0.0.1',
      client: 'ee-test/GOV/70000000/demo',
      service: 'EE/GOV/1/sub/find',
      version: 'v1',
      lane: 'soap',
      user: null,
      request_hash: headers['xroad:requestHash']?.['#text'],
      bytes_in: 17,
      bytes_out: Buffer.byteLength(got.text),
      outcome: 'ok',
      source: null,
    })
    notStrictEqual(line['request_hash'], undefined)
  })

  test('of a direct call has its endpoint, and not the address [P5.2]', async () => {
    const got = await lanes.call('/v/vendor', { method: 'POST', body: '{}', headers: { 'X-Road-Id': 'd-1' } })
    strictEqual(got.status, 200)
    const line = timeless(lineOf(lanes, 'd-1'))
    deepStrictEqual(line, {
      id: 'd-1',
      caller: '127.0.0.1',
      client: null,
      service: 'v/vendor',
      version: null,
      lane: 'direct',
      user: null,
      request_hash: null,
      bytes_in: 2,
      bytes_out: Buffer.byteLength(got.text),
      outcome: 'ok',
      source: null,
    })
  })

  test('says the service that the caller has chosen, each time anew [P5.2]', async () => {
    for (const member of ['2', '3', '2', '<&>', 'ä\u{1F600}', '2']) {
      const id = `any-${member.length}-${Math.random()}`
      await lanes.call('/g/any', { method: 'POST', body: JSON.stringify({ member }), headers: { 'X-Road-Id': id } })
      strictEqual(lineOf(lanes, id)['service'], `EE/GOV/${member}/sub/find`)
    }
  })

  test('of an envelope without an X-Road header names nobody [P5.2]', async () => {
    await lanes.call('/g/bare', { method: 'POST', body: '{}', headers: { 'X-Road-Id': 'bare-1' } })
    const { client, service, version, lane } = lineOf(lanes, 'bare-1')
    deepStrictEqual([client, service, version, lane], [null, null, null, 'soap'])
  })

  test('has the instance of the target, and counts no body that is dropped or only announced [P5.2]', async () => {
    await lanes.call('/g/get', { headers: { 'X-Road-Id': 'get-1' } })
    deepStrictEqual(
      [lineOf(lanes, 'get-1')['service'], lineOf(lanes, 'get-1')['bytes_in']],
      ['FI/GOV/70000001/sub/svc', 0],
    )
    const answered = await exchange(lanes.port, head('HEAD', '/g/head', 'X-Road-Id: head-1\r\n'))
    strictEqual(answered.status, 200)
    strictEqual(lineOf(lanes, 'head-1')['bytes_out'], 0)
    await lanes.call('/g/drop', { method: 'POST', body: 'abc', headers: { 'X-Road-Id': 'drop-1' } })
    strictEqual(lineOf(lanes, 'drop-1')['bytes_in'], 3)
  })

  test('with attachments has the names of its envelope [P5.2]', async () => {
    const body = JSON.stringify({ code: Buffer.from('geheim').toString('base64') })
    await lanes.call('/g/attached', { method: 'POST', body, headers: { 'X-Road-Id': 'a-1' } })
    const { service, bytes_in } = lineOf(lanes, 'a-1')
    deepStrictEqual([service, bytes_in], ['EE/GOV/9/sub/find', body.length])
  })

  test('says nothing of the parameters of a path [P5.2]', async () => {
    const got = await lanes.call('/g/path/geheim', { headers: { 'X-Road-Id': 'p-1' } })
    strictEqual(got.status, 200)
    strictEqual(lineOf(lanes, 'p-1')['service'], 'ee-test/GOV/70000001/sub/svc')
  })

  test('counts a body that is passed on while it arrives [P5.2]', async () => {
    const body = Buffer.alloc(200_000, 'x')
    await lanes.call('/g/rest', { method: 'POST', body, headers: { 'X-Road-Id': 'large-1' } })
    strictEqual(lineOf(lanes, 'large-1')['bytes_in'], 200_000)
  })

  test('is not there for what is never sent [P5.2]', async () => {
    const before = lanes.lines().length
    await lanes.call('/g/none')
    await lanes.call('/health')
    await lanes.call('/api')
    await lanes.call('/docs')
    await lanes.call('/g/rest')
    const twice = 'Content-Length: 2\r\nX-Road-Id: 1\r\nX-Road-Id: 2\r\n'
    strictEqual((await exchange(lanes.port, `${head('POST', '/g/soap', twice)}{}`)).status, 400)
    const large = Buffer.alloc(1_048_577, 'x')
    strictEqual((await lanes.call('/g/soap', { method: 'POST', body: large })).status, 413)
    strictEqual(
      errorOf(await lanes.call('/g/soap', { method: 'POST', body: '{"code":"\\u0001"}' })),
      'template_expansion_failed',
    )
    strictEqual(lanes.lines().length, before)
  })

  test('holds no body and no query string, whatever there is [P5.2]', async () => {
    await lanes.call('/g/get?geheim=1')
    doesNotMatch(lanes.text(), /geheim/)
  })

  test('stays one line and one value each, whatever is in it [P5.2]', async () => {
    const before = lanes.lines().length
    const user = '","user":"x"}\\n{"\u2028\u0085\u202e\ufeff\ud83d\ude00\'<>&'
    const bytes = Buffer.from(user).toString('latin1')
    const raw = `Content-Length: 2\r\nX-Road-Id: odd-1\r\nX-Road-UserId: ${bytes}\r\n`
    strictEqual((await exchange(lanes.port, `${head('POST', '/g/rest', raw)}{}`)).status, 200)
    strictEqual(lineOf(lanes, 'odd-1')['user'], user)
    const member = '1</id:memberCode>\n{"time":"now"}\r\n\u2029'
    await lanes.call('/g/any', { method: 'POST', body: JSON.stringify({ member }), headers: { 'X-Road-Id': 'odd-2' } })
    strictEqual(lineOf(lanes, 'odd-2')['service'], `EE/GOV/${member.replace('\r\n', '\n').trim()}/sub/find`)
    strictEqual(lanes.lines().length, before + 2)
    // oxlint-disable-next-line no-control-regex
    doesNotMatch(lanes.text(), /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e\ufeff]/)
  })

  test('cuts what is too long [P5.2]', async () => {
    const user = 'u'.repeat(10_000)
    await lanes.call('/g/get', { headers: { 'X-Road-Id': 'long-1', 'X-Road-UserId': user } })
    strictEqual(lineOf(lanes, 'long-1')['user'], `${'u'.repeat(4096)}… (truncated)`)
  })

  test('belongs to the user of the process alone [P5.2]', () => {
    strictEqual(statSync(lanes.file).mode & 0o777, 0o600)
  })
})

describe('who called', () => {
  test('is what the header says, else the address [P5.2 G7]', async () => {
    const lanes = await startAudited({}, { caller_header: 'X-Client-Name' })
    try {
      const cases: readonly (readonly [header: string, caller: string])[] = [
        ['x-client-NAME: crm\r\n', 'crm'],
        ['', '127.0.0.1'],
        ['X-Client-Name:\r\n', '127.0.0.1'],
        // A header that Connection names is not part of the message [G7].
        ['X-Client-Name: crm\r\nConnection: X-Client-Name\r\n', '127.0.0.1'],
        ['X-Client-Name: \xc3\xa4\r\n', 'ä'],
      ]
      for (const [index, [line, caller]] of cases.entries()) {
        await exchange(lanes.port, head('GET', '/g/get', `X-Road-Id: c-${index}\r\n${line}`))
        strictEqual(lineOf(lanes, `c-${index}`)['caller'], caller)
      }
      const before = lanes.lines().length
      for (const line of ['X-Client-Name: a\r\nX-Client-Name: b\r\n', 'X-Client-Name: \xe4\r\n']) {
        const got = await exchange(lanes.port, head('GET', '/g/get', line))
        deepStrictEqual([got.status, got.body.includes('malformed_request')], [400, true])
      }
      strictEqual(lanes.lines().length, before)
      strictEqual(lanes.events.length, cases.length)
    } finally {
      await lanes.close()
    }
  })

  test('is the address without the form of IPv6 around it [P5.2]', async () => {
    const lanes = await startAudited({ config: { host: '::' } })
    try {
      await exchange(lanes.port, head('GET', '/g/get', 'X-Road-Id: v4\r\n'))
      strictEqual(lineOf(lanes, 'v4')['caller'], '127.0.0.1')
    } finally {
      await lanes.close()
    }
  })

  test('is a keyed hash of the user where there is a key [P5.2]', async () => {
    const lanes = await startAudited({ env: { AUDIT_KEY: 'schlüssel' } }, { hash_key_env: 'AUDIT_KEY' })
    try {
      for (const [id, user] of [
        ['h-1', 'EE10101010005'],
        ['h-2', undefined],
      ] as const) {
        await lanes.call('/g/get', {
          headers: { 'X-Road-Id': id, ...(user === undefined ? {} : { 'X-Road-UserId': user }) },
        })
        const line = lineOf(lanes, id)
        deepStrictEqual(
          Object.keys(line),
          names.map((name) => (name === 'user' ? 'user_hash' : name)),
        )
        const hash = user === undefined ? null : createHmac('sha256', 'schlüssel').update(user).digest('hex')
        strictEqual(line['user_hash'], hash)
      }
      doesNotMatch(lanes.text(), /EE10101010005|schl/)
    } finally {
      await lanes.close()
    }
  })
})

describe('what became of it', () => {
  let upstream: RawUpstream
  let lanes: Audited

  before(async () => {
    upstream = await startRaw()
    lanes = await startAudited({
      config: { security_server: { url: upstream.url }, limits: { request_timeout_secs: 1, max_response_bytes: 5000 } },
    })
  })
  after(async () => {
    await lanes.close()
    await upstream.close()
  })

  const cases: Readonly<
    Record<string, readonly [path: string, bytes: string | Buffer | undefined, outcome: string, source: string | null]>
  > = {
    'a redirect': ['/g/rest', toAnswer('', { status: 302 }), 'ok', null],
    'an error of the provider': ['/g/rest', toAnswer('{}', { status: 404 }), 'http_404', 'provider'],
    'an error of X-Road': [
      '/g/rest',
      toAnswer('{}', { status: 500, headers: { 'X-Road-Error': 'Server.ClientProxy.SslAuthenticationFailed' } }),
      'http_500',
      'security_server',
    ],
    'a fault': [
      '/g/soap',
      toAnswer(toFault11('Server.ServerProxy.AccessDenied', 'no'), { status: 500 }),
      'upstream_soap_fault',
      'provider_security_server',
    ],
    'no SOAP': ['/g/soap', toAnswer('<html>', { status: 503 }), 'upstream_http_error', 'proxy'],
    'no XML': ['/g/soap', toAnswer('{}'), 'upstream_xml_parse_error', 'proxy'],
    'an answer that is too large': ['/g/rest', toAnswer('x'.repeat(5001)), 'upstream_body_too_large', 'proxy'],
    'no HTTP': ['/g/rest', 'nonsense\r\n\r\n', 'internal_error', 'proxy'],
    'no answer': ['/g/soap', undefined, 'upstream_timeout', 'proxy'],
  }
  for (const [name, [path, bytes, outcome, source]] of Object.entries(cases)) {
    test(`${name} is ${outcome} [P5.2]`, async () => {
      upstream.serve = bytes === undefined ? () => undefined : answering(bytes)
      const id = name.replaceAll(' ', '-')
      const got = await lanes.call(path, { method: 'POST', body: '{}', headers: { 'X-Road-Id': id } })
      const line = lineOf(lanes, id)
      deepStrictEqual([line['outcome'], line['source']], [outcome, source])
      strictEqual(line['bytes_out'], Buffer.byteLength(got.text))
    })
  }

  test('an empty SOAP answer is ok [P5.2]', async () => {
    upstream.serve = answering(toAnswer('', { status: 202 }))
    await lanes.call('/g/soap', { method: 'POST', body: '{}', headers: { 'X-Road-Id': 'accepted' } })
    strictEqual(lineOf(lanes, 'accepted')['outcome'], 'ok')
  })

  test('a caller who leaves is caller_gone [P5.2]', async () => {
    upstream.serve = () => undefined
    const requests = upstream.requests.length
    const socket = await open(lanes.port)
    socket.write('POST /g/rest HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nX-Road-Id: gone\r\n\r\n{}')
    await until(() => upstream.requests.length > requests, 'the call')
    socket.resetAndDestroy()
    await until(() => lanes.text().includes('"gone"'), 'the line')
    const { caller, outcome, bytes_out } = lineOf(lanes, 'gone')
    deepStrictEqual([caller, outcome, bytes_out], ['127.0.0.1', 'caller_gone', 0])
  })

  test('an answer that breaks off has the bytes that were given [P5.2]', async () => {
    upstream.serve = async (peer) => {
      peer.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789')
      peer.socket.destroy()
    }
    const got = await exchange(lanes.port, `${head('POST', '/g/rest', 'Content-Length: 2\r\nX-Road-Id: cut\r\n')}{}`)
    strictEqual(got.isWhole, false)
    const { outcome, bytes_out, source } = lineOf(lanes, 'cut')
    deepStrictEqual([outcome, bytes_out, source], ['internal_error', 10, 'proxy'])
  })
})

describe('a line is there before the last byte of the answer', () => {
  test('of one that is passed on in pieces, and not before the others [P5.2]', async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>()
    const upstream = await startRaw(async (peer) => {
      peer.write('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc')
      await go
      peer.write('def')
    })
    const lanes = await startAudited({ config: { security_server: { url: upstream.url } } })
    try {
      const socket = await open(lanes.port)
      socket.write(`${head('POST', '/g/rest', 'Content-Length: 2\r\nX-Road-Id: s-1\r\n')}{}`)
      let seen = ''
      const atEnd = Promise.withResolvers<string>()
      socket.on('data', (chunk: Buffer) => {
        seen += chunk.toString('latin1')
        // In the same turn in which the last byte arrives.
        if (seen.endsWith('def')) atEnd.resolve(lanes.text())
      })
      await until(() => seen.endsWith('abc'), 'the first piece')
      strictEqual(lanes.text(), '')
      resolve()
      match(await atEnd.promise, /^\{.*"id":"s-1".*"bytes_out":6,.*\}\n$/)
      socket.destroy()
    } finally {
      await lanes.close()
      await upstream.close()
    }
  })

  test('on both lanes, for each of many callers [P5.2]', async () => {
    const upstream = await startRaw(answering(answer(toEnvelope('<a/>'), 'Content-Type: text/xml\r\n')))
    const lanes = await startAudited({ config: { security_server: { url: upstream.url } } })
    try {
      await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const path = index % 2 === 0 ? '/g/rest' : '/g/soap'
          const socket = await open(lanes.port)
          socket.write(`${head('POST', path, `Content-Length: 2\r\nX-Road-Id: m-${index}\r\n`)}{}`)
          const got = toRawAnswer(await readToEnd(socket))
          ok(got.isWhole && lanes.text().includes(`"id":"m-${index}"`))
        }),
      )
      strictEqual(lanes.lines().length, 60)
    } finally {
      await lanes.close()
      await upstream.close()
    }
  })
})
