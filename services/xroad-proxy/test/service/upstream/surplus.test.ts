/**
 * An upstream that sends one answer too many, or the answer to another message: nobody gets what is not theirs. Both
 * lanes, over real TLS.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { newFolder, until } from '@services/testing'
import { exchange, head, type RawAnswer, rest } from '../../support/exchange.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import {
  ok as answer,
  type Peer,
  type RawRequest,
  type RawUpstream,
  startRaw,
} from '../../support/upstreams/raw-upstream.ts'

const soap = 'http://schemas.xmlsoap.org/soap/envelope/'
const xroad = 'http://x-road.eu/xsd/xroad.xsd'
const envelope = (id: string, body: string, attributes = `xmlns:x="${xroad}"`): string =>
  `<e:Envelope xmlns:e="${soap}" ${attributes}><e:Header>${id}</e:Header><e:Body>${body}</e:Body></e:Envelope>`
const xml = 'Content-Type: text/xml; charset=utf-8\r\n'
const template = (id: string): string =>
  JSON.stringify({ method: 'POST', params: ['id', 'x'], envelope: envelope(`<x:id>${id}</x:id>`, '<x>{{x}}</x>') })

const dsl = {
  'g/rest.yml': rest('GET'),
  'g/soap.yml': template('{{generate.uuid}}'),
  'g/own.yml': template('{{#if id}} {{id}} {{else}}{{generate.uuid}}{{/if}}'),
}

let upstream: RawUpstream
let lanes: Lanes
let audit: string

before(async () => {
  upstream = await startRaw()
  audit = join(newFolder(), 'audit.jsonl')
  const config = { security_server: { url: upstream.url }, audit: { file: audit }, expose_soap_fault_detail: true }
  lanes = await startLanes({ dsl, config })
})

after(async () => {
  await lanes.close()
  await upstream.close()
})

beforeEach(() => {
  upstream.serve = () => undefined
})

type LaneName = 'rest' | 'soap' | 'own'

function call(lane: LaneName, id: string, body = '{}', to = lanes): Promise<RawAnswer> {
  if (lane === 'rest') return exchange(to.port, head('GET', '/g/rest', `X-Road-Id: ${id}\r\n`))
  return exchange(to.port, head('POST', `/g/${lane}`, `X-Road-Id: ${id}\r\nContent-Length: ${body.length}\r\n`) + body)
}

/** By which the upstream knows a request. */
async function idOf(request: RawRequest): Promise<string> {
  const [id] = request.all('x-road-id')
  return id ?? /<x:id>(.*?)<\/x:id>/.exec(String(await request.body()))?.[1]?.trim() ?? ''
}

/** The answer to a message, on the lane that the request came on. */
function answerTo(id: string, request: RawRequest): string {
  if (request.line.startsWith('GET')) return answer(`for ${id}`, `X-Road-Id: ${id}\r\n`)
  return answer(envelope(`<x:id>${id}</x:id>`, `<for>${id}</for>`), xml)
}

const secret = '38001085718'

/** What came of a call whose answer is for somebody else. */
async function refuses(lane: LaneName, bytes: string, id: string, body?: string): Promise<void> {
  let peer: Peer | undefined
  upstream.serve = async (from, request) => {
    await request.body()
    peer = from
    from.write(bytes)
  }
  const got = await call(lane, id, body)
  strictEqual(got.status, 500, got.raw)
  const { error, message } = JSON.parse(got.body) as { error: string; message: string }
  strictEqual(error, 'internal_error')
  match(message, /^the answer of the upstream belongs to another message; the connection was closed$/)
  ok(!got.raw.includes(secret) && !got.raw.includes('other-id'), got.raw)
  await peer?.closed
  const told = lanes.log.filter((line) => line['id'] === id && /warn/i.test(String(line['level'])))
  deepStrictEqual(
    told.map(({ event, error: name }) => [event, name]),
    [['callFailed', 'internal_error']],
  )
  match(String(told[0]?.['cause']), /received other-id$/)
  // It has the id that X-Road knows.
  const sent = body === undefined ? id : 'mine'
  await until(
    () => existsSync(audit) && readFileSync(audit, 'utf8').includes(`"${sent}"`),
    'the line of the audit file',
  )
  const line = readFileSync(audit, 'utf8')
    .split('\n')
    .find((each) => each.includes(`"${sent}"`))
  const { outcome, request_hash: hash } = JSON.parse(String(line)) as Record<string, unknown>
  deepStrictEqual([outcome, hash ?? null], ['internal_error', null])
}

describe('an answer with another id than its call', () => {
  const hash = '<x:requestHash algorithmId="a">aGFzaA==</x:requestHash>'
  const fault = `<e:Fault><faultcode>Server.${secret}</faultcode><faultstring>${secret}</faultstring></e:Fault>`
  const multipart = (text: string): string =>
    answer(`--b\r\nContent-Type: text/xml\r\n\r\n${text}\r\n--b--`, 'Content-Type: multipart/related; boundary=b\r\n')
  const other = '<x:id>other-id</x:id>'
  const secretBody = `<a>${secret}</a>`
  const odd: Readonly<Record<string, readonly [LaneName, string, string?]>> = {
    'on the REST lane': ['rest', answer(secret, 'X-Road-Id: other-id\r\nX-Road-Request-Hash: aGFzaA==\r\n')],
    'on the REST lane, of an unknown length': ['rest', `HTTP/1.1 200 OK\r\nx-road-id:  other-id \r\nTransfer-Encoding: chunked\r\n\r\nb\r\n${secret}\r\n0\r\n\r\n`],
    'on the REST lane, an error of a Security Server': ['rest', answer(secret, 'X-Road-Error: Server.X\r\nX-Road-Id: other-id\r\n').replace('200 OK', '500 No')],
    'on the REST lane, after an empty one': ['rest', answer(secret, 'X-Road-Id:\r\nX-Road-Id: other-id\r\n')],
    'on the SOAP lane': ['soap', answer(envelope(other + hash, secretBody), xml)],
    'on the SOAP lane, with another prefix': ['soap', answer(envelope(`<q:id xmlns:q="${xroad}">other-id</q:id>`, secretBody, ''), xml)],
    'on the SOAP lane, without a prefix': ['soap', answer(envelope(`<id xmlns="${xroad}"><![CDATA[ other-id ]]></id>`, secretBody, 'xmlns:x="urn:x"'), xml)],
    'on the SOAP lane, after the body': ['soap', answer(`<e:Envelope xmlns:e="${soap}" xmlns:x="${xroad}"><e:Body>${secretBody}</e:Body><e:Header>${other}</e:Header></e:Envelope>`, xml)],
    'in a fault': ['soap', answer(envelope(other, fault), xml).replace('200 OK', '500 No')],
    'in a multipart answer': ['soap', multipart(envelope(other, secretBody))],
    'of a message with an id of its own': ['own', answer(envelope(other, secretBody), xml), '{"id":"mine"}'],
  } // prettier-ignore
  let count = 0
  for (const [what, [lane, bytes, body]] of Object.entries(odd)) {
    test(`${what}: nothing of it reaches the caller, and the connection is closed [G4]`, () =>
      refuses(lane, bytes, `${lane}-${count++}`, body))
  }

  test('with types, and as attachments are listed [G4]', async () => {
    const own = await startLanes({
      dsl: { 'g/soap.yml': JSON.stringify({ ...(JSON.parse(dsl['g/soap.yml']) as object), attachments: 'list' }) },
      config: { security_server: { url: upstream.url } },
    })
    upstream.serve = async (peer, request) => {
      await request.body()
      peer.write(multipart(envelope(other, secretBody)))
    }
    strictEqual((await call('soap', 'x', '{}', own)).status, 500)
    await own.close()
  })
})

describe('an answer that is taken', () => {
  const body = '<a>1</a>'
  const fine: Readonly<Record<string, readonly [LaneName, (id: string) => string, string?]>> = {
    'without an id, REST': ['rest', () => answer('1')],
    'with the same id, REST': ['rest', (id) => answer('1', `X-Road-Id:   ${id}  \r\n`)],
    'without a header, SOAP': ['soap', () => answer(`<e:Envelope xmlns:e="${soap}"><e:Body>${body}</e:Body></e:Envelope>`, xml)],
    'with an empty id, SOAP': ['soap', () => answer(envelope('<x:id/>', body), xml)],
    'with white space around the id, SOAP': ['soap', (id) => answer(envelope(`<x:id>\n ${id}\t</x:id>`, body), xml)],
    'with white space that XML does not trim, SOAP': ['own', () => answer(envelope('<x:id>&#xa0;mine&#x2003;</x:id>', body), xml), '{"id":"\\u00a0mine\\u2003"}'],
    'with an id of another namespace, SOAP': ['soap', (id) => answer(envelope(`<q:id xmlns:q="urn:q">other</q:id><x:id>${id}</x:id>`, body), xml)],
    'with an id that the envelope gave itself, SOAP': ['own', () => answer(envelope('<x:id>mine</x:id>', body), xml), '{"id":"mine"}'],
  } // prettier-ignore
  for (const [what, [lane, bytes, json]] of Object.entries(fine)) {
    test(`${what} [G4]`, async () => {
      upstream.serve = async (peer, request) => {
        peer.write(bytes(await idOf(request)))
      }
      const got = await call(lane, 'a-1', json)
      strictEqual(got.status, 200, got.raw)
    })
  }

  test('of a direct call, whatever its id [G4]', async () => {
    const direct = JSON.parse(dsl['g/soap.yml']) as object
    const { createServer } = process.getBuiltinModule('node:http')
    const server = createServer((_, response) => void response.setHeader('content-type', 'text/xml').end(envelope('<x:id>other</x:id>', body))) // prettier-ignore
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const own = await startLanes({
      dsl: { 'g/soap.yml': JSON.stringify({ ...direct, service: `http://127.0.0.1:${port}/` }) },
    })
    strictEqual((await call('soap', 'mine', '{}', own)).status, 200)
    await own.close()
    server.close()
    server.closeAllConnections()
  })
})

for (const lane of ['rest', 'soap'] as const) {
  test(`of 164 callers none gets the answer to another one, ${lane} lane [G4]`, async () => {
    // What a connection still has to send; every twentieth answer goes into it twice.
    const queues = new Map<Peer, string[]>()
    let count = 0
    let shifted = 0
    upstream.serve = async (peer, request) => {
      const bytes = answerTo(await idOf(request), request)
      const queue = queues.get(peer) ?? []
      queues.set(peer, queue)
      queue.push(bytes, ...(count++ % 20 === 3 ? [bytes] : []))
      const next = String(queue.shift())
      if (next !== bytes) shifted++
      peer.write(next)
    }
    const outcomes: number[] = []
    const callSome = async (worker: number): Promise<void> => {
      for (let i = 0; i < 41; i++) {
        const id = `${lane}-caller-${worker}-${i}`
        const { status, body } = await call(lane, id)
        outcomes.push(status)
        if (status === 200) ok(body.includes(id), body)
        else match(body, /internal_error/)
        for (const [other] of body.matchAll(/\w+-caller-\d+-\d+/g)) strictEqual(other, id)
      }
    }
    await Promise.all([0, 1, 2, 3].map(callSome))
    ok(shifted >= 5, `${shifted} shifted answers`)
    // A shifted connection costs one call, and is closed.
    strictEqual(outcomes.filter((status) => status === 500).length, shifted)
    strictEqual(outcomes.length, 164)
  })

  const surplus: Readonly<Record<string, (bytes: string) => string>> = {
    'another answer': (bytes) => bytes,
    'half an answer': () => 'HTTP/1.1 200 OK\r\n',
    'what is no HTTP': () => 'oops',
  }
  for (const [what, more] of Object.entries(surplus)) {
    test(`${what} on an idle connection closes it, ${lane} lane [G4]`, async () => {
      let last: Peer | undefined
      upstream.serve = async (peer, request) => {
        const bytes = answerTo(await idOf(request), request)
        last = peer
        peer.write(bytes + more(bytes))
      }
      const first = await call(lane, 'first')
      deepStrictEqual([first.status, first.body.includes('first')], [200, true], first.raw)
      await last?.closed
      const second = await call(lane, 'second')
      deepStrictEqual([second.status, second.body.includes('second')], [200, true], second.raw)
    })
  }
}

describe('both lanes over one connection', () => {
  const pairs = [['soap', 'rest'], ['rest', 'soap']] as const // prettier-ignore
  for (const [first, second] of pairs) {
    test(`a surplus answer of the ${first} lane reaches nobody on the ${second} lane [G4]`, async () => {
      const queues = new Map<Peer, string[]>()
      upstream.serve = async (peer, request) => {
        const id = await idOf(request)
        // An answer of the REST lane may be XML as well.
        const isRest = request.line.startsWith('GET')
        const bytes = isRest ? answer(`<for>${id}</for>`, `X-Road-Id: ${id}\r\n`) : answerTo(id, request)
        const queue = queues.get(peer) ?? []
        queues.set(peer, queue)
        queue.push(bytes, ...(id === 'first' ? [bytes] : []))
        peer.write(String(queue.shift()))
      }
      strictEqual((await call(first, 'first')).status, 200)
      const got = await call(second, 'second')
      deepStrictEqual([got.status, got.body.includes('first')], [500, false], got.raw)
      match(got.body, /belongs to another message/)
      strictEqual((await call(second, 'third')).status, 200)
    })
  }

  test('answers of the REST lane without an id still pass, and errors of X-Road [G4]', async () => {
    upstream.serve = async (peer, request) => peer.write(answerTo(await idOf(request), request))
    strictEqual((await call('soap', 'one')).status, 200)
    const passing = ['Content-Type: text/html\r\n', 'Content-Type: text/xml\r\nX-Road-Error: Server.X\r\n', 'Content-Type: text/xml\r\nX-Road-Id: two\r\n'] // prettier-ignore
    for (const headers of passing) {
      upstream.serve = (peer) => peer.write(answer('2', headers))
      strictEqual((await call('rest', 'two')).status, 200, headers)
    }
  })
})
