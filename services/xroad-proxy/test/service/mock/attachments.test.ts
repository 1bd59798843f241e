/** Attachments at the mock: what it takes, refuses and tells, and the whole way through the service and back. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createHash } from 'node:crypto'
import { Refusal } from '../../../src/mock/faults.ts'
import { openDirect, openMessage, withAttachments } from '../../../src/mock/attachments.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import { field, file, formType, toForm } from '../../support/multipart.ts'

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

describe('what a service that is called directly refuses', () => {
  const type = 'multipart/related; type="text/xml"; start="<r>"; boundary="b"'
  const part = (id: string, content = 'x', contentType = 'text/xml'): string =>
    `--b\r\nContent-Type: ${contentType}\r\nContent-ID: ${id}\r\n\r\n${content}\r\n`

  function refusalOf(body: string, contentType = type): string {
    try {
      openDirect(contentType, Buffer.from(body, 'latin1'), 'text/xml')
      return ''
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return `${error.code} ${error.message.replace(/^The multipart message cannot be read: /, '')}`
    }
  }

  test('a message that is as it should be is taken, whatever its content is [P2.2]', () => {
    for (const content of ['', '\r\n', 'x--b', '\r\n--bb\r\n', '\u0000\u00ff']) {
      const { envelope, attachments } = openDirect(
        type,
        Buffer.from(`${part('<r>')}${part('<1>', content)}--b--`, 'latin1'),
        'text/xml',
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

describe('what a Security Server reads in a multipart message, and so does the mock [G11]', () => {
  const related = 'multipart/related; boundary=b'
  const root = '--b\r\nContent-Type: text/xml\r\n\r\n<e/>\r\n'
  const text = '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'

  /** The envelope and its attachments in one line, or the code. */
  function outcomeOf(body: string, type = related): string {
    try {
      const { envelope, attachments } = withAttachments(openMessage(type, Buffer.from(body, 'latin1')))
      const rest = attachments.map((each) => `${each.type} ${each.bytes.toString('latin1')}`)
      return [envelope.toString('latin1'), ...rest].join(' | ')
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return `${error.code}: ${error.message}`
    }
  }

  const taken: Readonly<Record<string, readonly [body: string, outcome: string, type?: string]>> = {
    'lines that end with LF alone': [`${root}${text}--b--`.replaceAll('\r', ''), '<e/> | text/plain x'],
    'lines of both kinds': [`${root.replaceAll('\r', '')}${text}--b--`, '<e/> | text/plain x'],
    'a boundary with characters of no token, without quotes': [
      `${root}${text}--b--`.replaceAll('--b', '--:a=b c/?:'),
      '<e/> | text/plain x',
      "multipart/related; start-info=; type='application/xop+xml'; boundary=:a=b c/?:",
    ],
    'a boundary in quotes, with a semicolon': [
      `${root}--b--`.replaceAll('--b', '--b;c'),
      '<e/>',
      'Multipart/Related; x="; boundary=no"; BOUNDARY="b\\;c"',
    ],
    'no closing boundary': [`${root}${text}`, '<e/> | text/plain x\r\n'],

    'a preamble and an epilogue': [`before\r\n${root}--b--\r\n${text}`, '<e/>'],
    'more on the line of a boundary': [`${root.replace('--b', '--b more')}--b--`, '<e/>'],
    'attachments without Content-ID, and with one Content-ID': [
      `${root}${text}${text.replace('\r\n\r\n', '\r\nContent-ID: <1>\r\n\r\n').repeat(2)}--b--`,
      '<e/> | text/plain x | text/plain x | text/plain x',
    ],
    'parameters that do not fit the first part': [
      `${root}--b--`,
      '<e/>',
      `${related}; type="application/xop+xml"; start="<other>"`,
    ],
    'a first part of XOP': [`${root.replace('text/xml', 'application/xop+xml; type="x"')}--b--`, '<e/>'],
    'folded headers, and lines that are none': [
      `${root.replace('Content-Type: ', 'nonsense\r\nCONTENT-TYPE :\r\n\t')}--b--`,
      '<e/>',
    ],
    'multipart in multipart': [
      `${root}--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: a/b\r\n\r\n1\r\n--c\r\nContent-Type: c/d\r\n\r\n2\r\n--c--\r\n--b--`,
      '<e/> | a/b 1 | c/d 2',
    ],
  }
  for (const [title, [body, outcome, type]] of Object.entries(taken)) {
    test(`takes ${title}`, () => strictEqual(outcomeOf(body, type), outcome))
  }

  const refused: Readonly<Record<string, readonly [body: string, outcome: string, type?: string]>> = {
    'an empty message': ['', 'client.missing_soap: Request does not contain SOAP message'],
    'a message without parts': ['--b--', 'client.missing_soap: Request does not contain SOAP message'],
    'another boundary': [root, 'client.missing_soap: Request does not contain SOAP message', `${related}c`],
    'no boundary': [root, 'client.invalid_content_type: Invalid content type: multipart/related', 'multipart/related'],
    'a first part of another type': [
      `${text}${root}--b--`,
      'client.invalid_content_type: Invalid content type: text/plain',
    ],
    'no SOAP in a multipart in it': [
      '--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\nContent-Type: text/plain\n\nx\n--c--\n\n--b--',
      'client.invalid_content_type: Invalid content type: text/plain',
    ],
    'a first part without a type': [
      '--b\r\n\r\n<e/>\r\n--b--',
      'client.invalid_content_type: Could not get content type for part',
    ],
    'an attachment without a type': [
      `${root}--b\r\nCont-Type: a/b\r\n\r\nx\r\n--b--`,
      'client.invalid_content_type: Could not get content type for part',
    ],
    'a line of a header that is too long': [
      `${root.replace('text/xml', `text/xml; x=${'x'.repeat(1000)}`)}--b--`,
      'client.mime_parsing_failed: The multipart message cannot be read: a line of a header has more than 1000 bytes',
    ],
  }
  for (const [title, [body, outcome, type]] of Object.entries(refused)) {
    test(`refuses ${title}`, () => strictEqual(outcomeOf(body, type), outcome))
  }
})
