/** MTOM answers: what an xop:Include names stands in its place where attachments are asked for in base64. */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import type { AttachmentMode } from '../../../src/model.ts'
import { type ResponseOptions, readResponse } from '../../../src/soap/message/response.ts'
import { XmlError } from '../../../src/soap/json/xml-error.ts'
import { startTypedService } from '../../support/wsdl/typed-service.ts'
import { toEnvelope } from '../../support/upstreams/upstream.ts'
import { wsdlAround } from '../../support/wsdl/wsdl.ts'

const related = 'multipart/related; type="application/xop+xml"; start="<root@x>"; start-info="text/xml"; boundary="b"'
const xop = 'xmlns:xop="http://www.w3.org/2004/08/xop/include"'

type Part = readonly [id: string | undefined, content: string | Buffer, encoding?: string]

function message(xml: string, ...parts: readonly Part[]): Buffer {
  const all: Part[] = [['<root@x>', xml], ...parts]
  return Buffer.concat([
    ...all.flatMap(([id, content, encoding = 'binary'], index) => [
      Buffer.from(`--b\r\nContent-Type: ${index === 0 ? 'application/xop+xml; type="text/xml"' : 'image/png'}\r\n`),
      Buffer.from(`Content-Transfer-Encoding: ${encoding}\r\n${id === undefined ? '' : `Content-ID: ${id}\r\n`}\r\n`),
      Buffer.from(content as string),
      Buffer.from('\r\n'),
    ]),
    Buffer.from('--b--\r\n'),
  ])
}

function include(href: string): string {
  return `<xop:Include ${xop} href="${href}"/>`
}

function read(body: Buffer, attachments: AttachmentMode = 'base64', options: ResponseOptions = {}) {
  const answer = readResponse(body, related, { ...options, attachments })
  return {
    body: JSON.parse(answer.body) as unknown,
    left: answer.attachments === undefined ? undefined : (JSON.parse(answer.attachments) as { id: string | null }[]),
  }
}

const bytes = Buffer.from(Array.from({ length: 256 }, (_, code) => code))

test('the content stands in its place, and the list has only what is left [P2.2]', () => {
  const xml = `<r><a>${include('cid:1@x')}</a><b href="cid:2@x"/><c> ${include('cid:3@x')}\n</c></r>`
  const { body, left } = read(message(xml, ['<1@x>', bytes], ['<2@x>', 'xy'], ['<3@x>', 'QUJD', 'base64']))
  deepStrictEqual(body, { r: { a: bytes.toString('base64'), b: { '@href': 'cid:2@x' }, c: 'QUJD' } })
  deepStrictEqual(left, [{ id: '2@x', type: 'image/png', size: 2, content: 'eHk=' }])
  strictEqual(read(message(`<r>${include('cid:1@x')}</r>`, ['<1@x>', bytes])).left, undefined)
})

test('the content is text, whatever it looks like, with attributes beside it, and none is empty text [P2.2]', () => {
  const digits = Buffer.from('1234', 'base64')
  const xml = `<r><a>${include('cid:1')}</a><b t="image/png">${include('cid:2')}</b><c>${include('cid:1')}</c></r>`
  deepStrictEqual(read(message(xml, ['<1>', digits], ['<2>', ''])).body, {
    r: { a: '1234', b: { '@t': 'image/png', '#text': '' }, c: '1234' },
  })
})

test('any prefix of the namespace, declared anywhere, and none of another one [P2.2]', () => {
  const uri = 'http://www.w3.org/2004/08/xop/include'
  for (const xml of [
    `<r><a><Include xmlns="${uri}" href="cid:1"/></a></r>`,
    `<r xmlns:i="${uri}"><a><i:Include href="cid:1"></i:Include></a></r>`,
    `<r xmlns:i="urn:x"><a xmlns:i="${uri}"><i:Include href='cid:1'/></a></r>`,
  ])
    strictEqual(JSON.stringify(read(message(xml, ['<1>', 'xy'])).body).includes('"eHk="'), true, xml)
  // More attributes than are read in one step.
  const many = Array.from({ length: 300 }, (_, index) => ` a${index}=""`).join('')
  for (const xml of [
    `<r${many} xmlns:i="${uri}"><a><i:Include href="cid:1"/></a></r>`,
    `<r><a><Include${many} xmlns="${uri}" href="cid:1"/></a></r>`,
    `<r${many} xmlns:i="${uri}"><b${many} xmlns:i="urn:x"/><a><i:Include href="cid:1"/></a></r>`,
  ])
    strictEqual(JSON.stringify(read(message(xml, ['<1>', 'xy'])).body).includes('"eHk="'), true, xml)
  for (const xml of [
    `<r><b${many} xmlns:i="${uri}"/><a><i:Include href="cid:1"/></a></r>`,
    `<r xmlns:i="${uri}"><a${many} xmlns:i="urn:x"><i:Include href="cid:1"/></a></r>`,
    '<r><a><Include href="cid:1"/></a></r>',
    '<r xmlns:xop="urn:x"><a><xop:Include href="cid:1"/></a></r>',
    `<r><b xmlns:i="${uri}"/><a xmlns:i="urn:x"><i:Include href="cid:1"/></a></r>`,
    `<r><b xmlns:i="${uri}"/><a><i:Include href="cid:1"/></a></r>`,
    `<r xmlns:i="${uri}"><a><i:Other href="cid:1"/></a></r>`,
    `<r xmlns:i="${uri}"><a><i:Include/></a></r>`,
    `<r xmlns:i="${uri}"><a><i:Include href="http://x/1"/></a></r>`,
  ]) {
    const { body, left } = read(message(xml, ['<1>', 'xy']))
    match(JSON.stringify(body), /Include|Other/, xml)
    strictEqual(left?.length, 1)
  }
})

test('addresses: percent-encoded or not, the scheme in any case, several references to one part [P2.2]', () => {
  const references = ['cid:a%40b%20c', 'CID:a@b c', 'cid:a@b%20c']
  for (const href of references)
    deepStrictEqual(read(message(`<r>${include(href)}</r>`, ['<a@b c>', 'xy'])), {
      body: { r: 'eHk=' },
      left: undefined,
    })
  // Some write into both what belongs into one of them.
  deepStrictEqual(read(message(`<r>${include('cid:a%40b')}</r>`, ['<a%40b>', 'xy'])).body, { r: 'eHk=' })
  deepStrictEqual(read(message(`<r>${include('cid:100%')}</r>`, ['<100%>', 'xy'])).body, { r: 'eHk=' })
  const twice = `<r><a>${include('cid:1')}</a><a>${include('cid:1')}</a></r>`
  deepStrictEqual(read(message(twice, ['<1>', 'xy'])), { body: { r: { a: ['eHk=', 'eHk='] } }, left: undefined })
})

test('of two parts with one id the first is meant, and the other is left [P2.2]', () => {
  const { body, left } = read(message(`<r>${include('cid:1')}</r>`, ['<1>', 'a'], ['<1>', 'b'], [undefined, 'c']))
  deepStrictEqual(body, { r: 'YQ==' })
  deepStrictEqual(
    left?.map(({ id }) => id),
    ['1', null],
  )
})

test('a part that is not there, and content beside the reference, are errors [P2.2 X10]', () => {
  const part: Part = ['<1>', 'a']
  const cases: [string, RegExp][] = [
    [`<r>${include('cid:2')}</r>`, /an xop:Include names an attachment that did not come/],
    [`<r>${include('cid:')}</r>`, /did not come/],
    [`<r>${include('cid:root@x')}</r>`, /did not come/],
    [`<r>text${include('cid:1')}</r>`, /an xop:Include beside other content/],
    [`<r><a/>${include('cid:1')}</r>`, /an xop:Include beside other content/],
    [`<r>${include('cid:1')}${include('cid:1')}</r>`, /an xop:Include beside other content/],
    [`<r>${include('cid:1')}text</r>`, /an xop:Include has text beside it/],
  ]
  for (const [xml, expected] of cases) {
    throws(
      () => read(message(xml, part)),
      (error) => error instanceof XmlError && expected.test(error.message),
      xml,
    )
  }
})

test('one part that is named again and again does not make an answer of gigabytes [P2.2]', () => {
  const part: Part = ['<1>', 'x'.repeat(100_000)]
  const many = (count: number): string => `<r>${`<a>${include('cid:1')}</a>`.repeat(count)}</r>`
  throws(() => read(message(many(3), part)), /attachments are included again and again/)
  ok(read(message(many(1), part)))
})

test('unless the content is asked for, everything is as it was [P2.2]', () => {
  const body = message(`<r>${include('cid:1')}</r>`, ['<1>', 'a'])
  const asElement = {
    r: { 'xop:Include': { '@xmlns:xop': 'http://www.w3.org/2004/08/xop/include', '@href': 'cid:1' } },
  }
  deepStrictEqual(read(body, 'list'), { body: asElement, left: [{ id: '1', type: 'image/png', size: 1 }] })
  deepStrictEqual(read(body, 'none'), { body: asElement, left: undefined })
})

test('with types: base64 is a string, also where attributes stand beside it [P2.2]', async () => {
  const schema = `<x:element name="op" type="x:string"/><x:element name="opResponse"><x:complexType><x:sequence>
    <x:element name="file" type="x:base64Binary"/><x:element name="more" type="m:base64Binary" minOccurs="0" maxOccurs="unbounded" xmlns:m="http://www.w3.org/2005/05/xmlmime"/>
    </x:sequence></x:complexType></x:element>`
  const service = await startTypedService({
    wsdl: { 'owner/api.wsdl': wsdlAround(schema), 'owner/api.meta.yaml': 'response: schema\nattachments: base64\n' },
  })
  try {
    const content = `<opResponse><file>\n  ${include('cid:1')}\n</file><more xmime:contentType="a/b" xmlns:xmime="http://www.w3.org/2005/05/xmlmime">${include('cid:2')}</more></opResponse>`
    const answer = message(toEnvelope(content), ['<1>', '1'], ['<2>', '2'])
    const { text, status } = await service.call(answer, { type: related })
    strictEqual(status, 200, text)
    deepStrictEqual(JSON.parse(text), {
      body: { opResponse: { file: 'MQ==', more: [{ '@contentType': 'a/b', '#text': 'Mg==' }] } },
      headers: null,
    })
    const missing = await service.call(message(toEnvelope(content), ['<1>', '1']), { type: related })
    deepStrictEqual([missing.status, /upstream_xml_parse_error/.test(missing.text)], [502, true])
  } finally {
    await service.close()
  }
})
