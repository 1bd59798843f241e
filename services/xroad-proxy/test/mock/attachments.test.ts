/** Attachments at the mock: what it takes, refuses and tells, and the whole way through the service and back. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createHash } from 'node:crypto'
import { Refusal } from '../../src/mock/faults.ts'
import { openMessage } from '../../src/mock/attachments.ts'
import { type Lanes, startLanes } from '../support/lanes.ts'
import { field, file, formType, toForm } from '../support/multipart.ts'

const header = (code: string): string => `<soapenv:Header>{{{generate.client}}}
  <xroad:service id:objectType="SERVICE"><id:xRoadInstance>{{generate.instance}}</id:xRoadInstance><id:memberClass>GOV</id:memberClass><id:memberCode>1</id:memberCode><id:serviceCode>${code}</id:serviceCode></xroad:service>
  <xroad:id>{{generate.uuid}}</xroad:id><xroad:protocolVersion>{{generate.protocol_version}}</xroad:protocolVersion></soapenv:Header>`

function dsl(code: string, body: string, fields: object = {}): string {
  const envelope = `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" xmlns:id="http://x-road.eu/xsd/identifiers">${header(code)}<soapenv:Body>${body}</soapenv:Body></soapenv:Envelope>`
  return JSON.stringify({ method: 'POST', params: ['file', 'other'], envelope, attachments: 'base64', ...fields })
}

let lanes: Lanes

before(async () => {
  lanes = await startLanes({
    dsl: {
      't/swa.yml': dsl('save', '<save><file href="{{swa_ref file}}"/>{{mime_part other part="other"}}</save>'),
      't/mtom.yml': dsl('store', '<store><file>{{xop_include file}}</file><other>{{swa_ref other}}</other></store>'),
      't/told.yml': dsl('mock.request', '<any>{{swa_ref file}}{{swa_ref other}}</any>'),
    },
  })
})

after(() => lanes.close())

interface Translated {
  readonly body: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly attachments?: readonly { readonly id: string; readonly type: string; readonly content: string }[]
}

async function call(path: string, body: unknown, headers = {}): Promise<Translated> {
  const { status, text } = await lanes.call(path, { method: 'POST', headers, body })
  strictEqual(status, 200, text)
  return JSON.parse(text) as Translated
}

const bytes = Buffer.from(Array.from({ length: 1000 }, (_, code) => code % 256))

describe('through the service and back', () => {
  test('SOAP with attachments: the echo brings them, with their types, as they were [P2.2]', async () => {
    const form = toForm(file('file', bytes, 'application/pdf'), file('other', '\r\n--bx', 'text/plain'))
    const { body, attachments } = await call('/t/swa', form, { 'content-type': formType })
    deepStrictEqual(
      attachments?.map(({ type, content }) => [type, content]),
      [
        ['application/pdf', bytes.toString('base64')],
        ['text/plain', Buffer.from('\r\n--bx').toString('base64')],
      ],
    )
    deepStrictEqual(body['saveResponse']?.['file'], { '@href': `cid:${attachments?.[0]?.id}` })
    match(attachments?.[1]?.id ?? '', /^other=/)
  })

  test('MTOM: the echo has the content in its place, and lists what is left [P2.2]', async () => {
    const { body, attachments } = await call('/t/mtom', { file: bytes.toString('base64'), other: 'AAEC' })
    strictEqual(body['storeResponse']?.['file'], bytes.toString('base64'))
    deepStrictEqual(
      attachments?.map(({ content }) => content),
      ['AAEC'],
    )
    deepStrictEqual(await call('/t/mtom', { file: '' }).then(({ attachments }) => attachments), undefined)
  })

  test('mock.request says what came, and so does the line of the log [P2.2]', async () => {
    const form = toForm(field('other', 'AQ=='), file('file', bytes, 'image/png'))
    const { body } = await call('/t/told', form, { 'content-type': formType })
    const { attachment, body: envelope } = body['mock.requestResponse'] ?? {}
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const [told] = attachment as readonly Readonly<Record<string, string>>[]
    deepStrictEqual([told?.['@type'], told?.['@size'], told?.['@sha256']], ['image/png', '1000', sha256])
    match(String(envelope), /<any>cid:1\..*cid:2\..*<\/any>/)
    const expected = /: 200, /
    match(
      lanes.events.findLast((line) => expected.test(line)) ?? '',
      /mock\.request with 2 attachments \(image\/png 1000 bytes, application\/octet-stream 1 bytes\): 200/,
    )
  })
})

describe('what the mock refuses as a Security Server does', () => {
  const type = 'multipart/related; type="text/xml"; start="<r>"; boundary="b"'
  const part = (id: string, content = 'x', contentType = 'text/xml'): string =>
    `--b\r\nContent-Type: ${contentType}\r\nContent-ID: ${id}\r\n\r\n${content}\r\n`

  function refusalOf(body: string, contentType = type): string {
    try {
      openMessage(contentType, Buffer.from(body, 'latin1'))
      return ''
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return `${error.code} ${error.message.replace(/^The multipart message cannot be read: /, '')}`
    }
  }

  test('a message that is as it should be is taken, whatever its content is [P2.2]', () => {
    for (const content of ['', '\r\n', 'x--b', '\n--b--\r\n', '\r\n--bb\r\n', '\u0000\u00ff']) {
      const { envelope, attachments } = openMessage(
        type,
        Buffer.from(`${part('<r>')}${part('<1>', content)}--b--`, 'latin1'),
      )
      deepStrictEqual([envelope.toString(), attachments[0]?.bytes.toString('latin1')], ['x', content])
    }
  })

  test('others are refused with the reason [P2.2]', () => {
    const xop = type.replace('text/xml', 'application/xop+xml')
    const cases: [actual: string, expected: RegExp][] = [
      [refusalOf(`${part('<r>')}--b--`, 'multipart/related; type="text/xml"'), /names no boundary/],
      [refusalOf(part('<r>')), /no closing boundary/],
      [refusalOf(`${part('<r>')}--b-`), /no closing boundary/],
      [refusalOf('--b--'), /it has no parts/],
      [refusalOf(`${part('<1>')}${part('<r>')}--b--`), /its first part is <1>, not <r>/],
      [refusalOf(`${part('<r>')}${part('<1>')}${part('<1>')}--b--`), /two parts have one Content-ID/],
      [refusalOf(`${part('<r>')}${part('')}--b--`), /an attachment has no Content-ID/],
      [refusalOf(`${part('<r>', 'x', 'application/json')}--b--`), /^client\.invalid_content_type/],
      [refusalOf(`${part('<r>')}--b--`, xop), /its parameter type is not that of its first part/],
      [
        refusalOf(`${part('<r>', 'x', 'application/xop+xml; type="text/xml"')}--b--`, xop),
        /start-info is not text\/xml/,
      ],
      [
        refusalOf(`${part('<r>', 'x', 'application/xop+xml')}--b--`, `${xop}; start-info="text/xml"`),
        /the parameter type of its first part/,
      ],
    ]
    for (const [actual, expected] of cases) match(actual, expected)
    match(refusalOf(part('<r>')), /^client\.mime_parsing_failed /)
  })
})
