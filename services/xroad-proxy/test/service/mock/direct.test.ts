/**
 * The SOAP service of the mock, called directly over real sockets: by the service, whose DSL files name it, and by
 * hand. SOAP 1.1 and SOAP 1.2, attachments, answers from files, failures.
 */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { errorOf, newFolder, type Reply, writeFiles } from '@services/testing'
import { type RunningMock, startMock } from '../../../src/mock/mock.ts'
import { type Lanes, sharedPki, startLanes } from '../../support/lanes.ts'

const namespaces = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
} as const
type Version = keyof typeof namespaces
const types: Readonly<Record<Version, string>> = { '1.1': 'text/xml', '1.2': 'application/soap+xml' }
const all = ['1.1', '1.2'] as const

const answers = newFolder()
const events: string[] = []
let mock: RunningMock
let lanes: Lanes

const envelope = (version: Version, body: string): string =>
  `<e:Envelope xmlns:e="${namespaces[version]}"><e:Body>${body}</e:Body></e:Envelope>`

function dsl(version: Version, path: string, body: string, more: object = {}): string {
  const fields = { soap_version: version, soap_action: 'urn:look', method: 'POST', params: ['number', 'file'] }
  return JSON.stringify({
    ...fields,
    service: new URL(path, mock.serviceUrl).href,
    envelope: envelope(version, body),
    ...more,
  })
}

before(async () => {
  writeFiles(answers, {
    'known.xml': '<known><state>in a file</state></known>',
    'whole.xml': envelope('1.2', '<whole/>'),
  })
  mock = await startMock({
    host: '127.0.0.1',
    port: 0,
    servicePort: 0,
    folder: sharedPki().folder,
    answers,
    onEvent: (line) => void events.push(line),
  })
  const look = '<v:look xmlns:v="urn:v" n="1"><v:number>{{number}}</v:number></v:look>'
  const files = all.flatMap((version) => {
    const group = `v${version.replace('.', '')}`
    const paths: readonly (readonly [string, string, string, object?])[] = [
      ['look', '/soap?wsdl', look],
      ['known', '/', '<known xmlns="urn:k"/>'],
      ['request', '/mock.request', look],
      ['element', '/', '<mock.request/>'],
      ['fault', '/a/mock.fault.env:Sender', look],
      ['provider', '/mock.provider-fault', look],
      ['twelve', '/mock.fault12.env:Receiver', look],
      ['early', '/mock.early-answer', look],
      ['large', '/mock.large.100000', look],
      ['unknown', '/mock.none', look],
      ['swa', '/', '<save><f href="{{swa_ref file}}"/></save>', { attachments: 'base64' }],
      ['mtom', '/', '<save><f>{{xop_include file}}</f></save>', { attachments: 'base64' }],
      ['attached', '/mock.request', '<save><f>{{xop_include file}}</f></save>'],
    ]
    return paths.map(([name, path, body, more]) => [`${group}/${name}.yml`, dsl(version, path, body, more)] as const)
  })
  lanes = await startLanes({ dsl: Object.fromEntries(files), config: { security_server: null } })
})

after(async () => {
  await lanes.close()
  await mock.close()
})

async function send(version: Version, name: string, body: object = { number: '1' }): Promise<Reply> {
  return lanes.call(`/v${version.replace('.', '')}/${name}`, { method: 'POST', body })
}

function bodyOf(reply: Reply): unknown {
  strictEqual(reply.status, 200, reply.text)
  return (JSON.parse(reply.text) as { body: unknown }).body
}

for (const version of all) {
  describe(`SOAP ${version} through the service and back [P2.3]`, () => {
    test('without a file the element comes back as a response, in the version of the request', async () => {
      deepStrictEqual(bodyOf(await send(version, 'look', { number: '<1>' })), {
        'v:lookResponse': { '@xmlns:v': 'urn:v', '@n': '1', 'v:number': '<1>' },
      })
      match(events.at(-1) ?? '', new RegExp(`^POST /soap\\?wsdl look by SOAP ${version}: 200, `))
    })

    test('a file is the content of the Body', async () => {
      deepStrictEqual(bodyOf(await send(version, 'known')), { known: { state: 'in a file' } })
    })

    test('it says what it was sent, by the path or by the name of the element', async () => {
      for (const name of ['request', 'element']) {
        const { 'mock.requestResponse': said } = bodyOf(await send(version, name)) as {
          'mock.requestResponse': { header: { '@name': string; '#text': string }[]; body: string; method: string }
        }
        const headers = new Map(said.header.map((each) => [each['@name'].toLowerCase(), each['#text']]))
        const type = headers.get('content-type')
        strictEqual(
          type,
          version === '1.1' ? 'text/xml; charset=utf-8' : 'application/soap+xml; charset=utf-8; action="urn:look"',
        )
        strictEqual(headers.get('soapaction'), version === '1.1' ? '"urn:look"' : undefined)
        ok(said.body.includes(namespaces[version]), said.body)
      }
    })

    test('faults are told in the version of the request, or in that of SOAP 1.2 on demand', async () => {
      const told = async (name: string): Promise<unknown[]> => {
        const reply = await send(version, name)
        const { code, string, source } = JSON.parse(reply.text) as Record<string, string>
        return [reply.status, errorOf(reply), code, string, source]
      }
      const asked = 'A failure that was asked for'
      deepStrictEqual(await told('fault'), [502, 'upstream_soap_fault', 'env:Sender', asked, 'provider'])
      deepStrictEqual(await told('twelve'), [502, 'upstream_soap_fault', 'env:Receiver', asked, 'provider'])
      const code = version === '1.1' ? 'SOAP-ENV:Server' : 'env:Receiver'
      deepStrictEqual((await told('provider')).slice(2, 3), [code])
      const sender = version === '1.1' ? 'SOAP-ENV:Client' : 'env:Sender'
      deepStrictEqual((await told('unknown')).slice(2, 4), [sender, 'The mock knows no failure mock.none'])
    })

    test('an answer before the request is read, and one of a given size', async () => {
      deepStrictEqual(bodyOf(await send(version, 'early')), { 'mock.early-answerResponse': { '@xmlns': 'urn:mock' } })
      const large = await call(version, '/mock.large.100000', envelope(version, '<a/>'))
      deepStrictEqual([large.status, large.bytes], [200, 100_000])
    })

    test('attachments go there and come back, beside the envelope and included', async () => {
      const file = Buffer.from([0, 1, 2, 255]).toString('base64')
      const swa = JSON.parse((await send(version, 'swa', { file })).text) as { attachments: { content: string }[] }
      deepStrictEqual(
        swa.attachments.map(({ content }) => content),
        [file],
      )
      const mtom = JSON.parse((await send(version, 'mtom', { file })).text) as { body: object; attachments: unknown }
      deepStrictEqual([mtom.body, mtom.attachments], [{ saveResponse: { f: file } }, undefined])
      const { 'mock.requestResponse': said } = bodyOf(await send(version, 'attached', { file })) as {
        'mock.requestResponse': { attachment: { '@size': string; '@type': string } }
      }
      deepStrictEqual([said.attachment['@size'], said.attachment['@type']], ['4', 'application/octet-stream'])
      match(events.at(-1) ?? '', /mock\.request by SOAP 1\.\d with 1 attachment \(application\/octet-stream 4 bytes\)/)
    })
  })
}

interface Answered {
  readonly status: number
  readonly type: string | null
  readonly text: string
  readonly bytes: number
}

/** By hand. */
async function call(version: Version, path: string, body: string, headers: object = {}): Promise<Answered> {
  const url = new URL(path, mock.serviceUrl)
  const reply = await fetch(url, { method: 'POST', body, headers: { 'content-type': types[version], ...headers } })
  const bytes = Buffer.from(await reply.arrayBuffer())
  return { status: reply.status, type: reply.headers.get('content-type'), text: bytes.toString(), bytes: bytes.length }
}

describe('what the service for direct calls refuses [P2.3]', () => {
  test('the wrong version, what is no envelope, no XML or empty is a fault, whatever the version', async () => {
    const other = { '1.1': '1.2', '1.2': '1.1' } as const
    for (const version of all) {
      const [client, mismatch, status] =
        version === '1.1'
          ? ['SOAP-ENV:Client', 'SOAP-ENV:VersionMismatch', 500]
          : ['env:Sender', 'env:VersionMismatch', 400]
      const cases: readonly (readonly [string, string, number])[] = [
        [envelope(other[version], '<a/>'), mismatch, 500],
        ['<a/>', client, status],
        ['', client, status],
        ['<a', client, status],
        [envelope(version, ''), client, status],
        [`<!DOCTYPE a>${envelope(version, '<a/>')}`, client, status],
      ]
      for (const [body, code, expected] of cases) {
        const { status: got, text, type } = await call(version, '/', body)
        const said = /<(?:faultcode|env:Value)>(.*?)<\//.exec(text)?.[1]
        deepStrictEqual([got, said, type], [expected, code, `${types[version]}; charset=utf-8`], body)
      }
    }
  })

  test('other methods are 405, other content types 415', async () => {
    const got = await fetch(mock.serviceUrl ?? '')
    deepStrictEqual([got.status, got.headers.get('allow')], [405, 'POST'])
    for (const type of ['application/json', 'application/xml', 'multipart/related; boundary=x', 'text/xmlx']) {
      strictEqual((await call('1.1', '/', envelope('1.1', '<a/>'), { 'content-type': type })).status, 415, type)
    }
  })

  test('a whole envelope in a file is sent as it is', async () => {
    const { text, type } = await call('1.2', '/', envelope('1.2', '<whole/>'))
    deepStrictEqual([text, type], [envelope('1.2', '<whole/>'), 'application/soap+xml; charset=utf-8'])
  })
})

test('a Security Server takes no SOAP 1.2, and neither does the mock in its place [P2.3]', async (t) => {
  strictEqual(lanes.mock.serviceUrl, undefined)
  const through = await startLanes({
    dsl: { 'a/b.yml': JSON.stringify({ method: 'POST', envelope: envelope('1.2', '<a/>') }) },
  })
  t.after(() => through.close())
  const reply = await through.call('/a/b', { method: 'POST', body: {} })
  const { code } = JSON.parse(reply.text) as { code: string }
  deepStrictEqual([reply.status, code], [502, 'client.invalid_soap'])
})

test('a port that is taken is told, and nothing is left listening', async () => {
  const taken = Number(new URL(mock.serviceUrl ?? '').port)
  const folder = newFolder()
  await rejects(startMock({ host: '127.0.0.1', port: 0, servicePort: taken, folder }), {
    message: new RegExp(`^mock: 127\\.0\\.0\\.1:${taken} is in use by another process`),
  })
  // A mock that is closed gives its port back.
  const first = await startMock({ host: '127.0.0.1', port: 0, servicePort: 0, folder: join(folder, 'b') })
  const port = Number(new URL(first.serviceUrl ?? '').port)
  await first.close()
  const second = await startMock({ host: '127.0.0.1', port: 0, servicePort: port, folder: join(folder, 'b') })
  strictEqual(Number(new URL(second.serviceUrl ?? '').port), port)
  await second.close()
})
