/**
 * Attachments of endpoints that are made from a WSDL, from the caller to the Security Server, and what `/api` says of
 * them.
 */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type CallOptions, newFolder } from '@services/testing'
import { type Lanes, startLanes } from '../../support/lanes.ts'
import {
  field,
  file,
  type FormPart,
  formType,
  headerOf,
  type SeenPart,
  takeApart,
  toForm,
} from '../../support/multipart.ts'
import { startUpstream, toAnswer, toEnvelope, type Upstream } from '../../support/upstreams/upstream.ts'
import { generateAll, generateAround, readText } from '../../support/wsdl/wsdl.ts'

let upstream: Upstream
let lanes: Lanes

before(async () => {
  upstream = await startUpstream((socket) => socket.write(toAnswer(toEnvelope('<ok>1</ok>'))), { tls: 'mock' })
  const wsdl = readFileSync(join(import.meta.dirname, '../../cases/wsdl/attachments/api.wsdl'))
  const wsdl_watch_dir = newFolder({ 'owner/api.wsdl': wsdl })
  lanes = await startLanes({ dsl: {}, config: { security_server: { url: upstream.url }, wsdl_watch_dir } })
})

after(async () => {
  await lanes.close()
  await upstream.close()
})

async function send(operation: string, options: CallOptions): Promise<readonly SeenPart[]> {
  const reply = await lanes.call(`/owner/${operation}`, { method: 'POST', ...options })
  strictEqual(reply.status, 200, reply.text)
  const [, contentType = ''] = /^content-type: (.*)$/im.exec(upstream.requests.at(-1)?.head ?? '') ?? []
  return takeApart(contentType, upstream.bodies.at(-1) as Buffer)
}

function bodyOf(root: SeenPart | undefined): string {
  const [, body = ''] = /<soapenv:Body>\s*([\s\S]*?)\s*<\/soapenv:Body>/.exec(root?.bytes.toString() ?? '') ?? []
  return body.replaceAll(/>\s+</g, '><').replaceAll(/cid:[^"<]+/g, 'cid:..')
}

const form = (...parts: readonly FormPart[]): CallOptions => ({
  headers: { 'content-type': formType },
  body: toForm(...parts),
})

describe('what goes out', () => {
  test('swaRef: elements and attributes have the reference, nothing else changes [P2.2]', async () => {
    const [root, attachment] = await send('swaRef', { body: { file: 'AAEC' } })
    strictEqual(bodyOf(root), '<reg:file><file>cid:..</file></reg:file>')
    strictEqual(root && headerOf(root, 'Content-Type'), 'text/xml; charset=utf-8')
    deepStrictEqual(attachment?.bytes, Buffer.from([0, 1, 2]))
    const [named, ofForm] = await send('swaRefAttribute', form(file('href', 'x', 'text/plain')))
    strictEqual(bodyOf(named), '<reg:named href="cid:.."/>')
    strictEqual(ofForm?.bytes.toString(), 'x')
  })

  test('MTOM: an xop:Include where expectedContentTypes stands, with the type that WSDL or caller name [P2.2]', async () => {
    const include = '<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:.."/>'
    const body = { bytes: 'AAEC', contentType: 'text/csv', picture: ['AQ==', 'Ag=='], checksum: 'FF' }
    const [root, bytes, ...pictures] = await send('mtom', { body })
    strictEqual(
      bodyOf(root),
      `<reg:optimized><bytes xmime:contentType="text/csv">${include}</bytes><picture>${include}</picture>` +
        `<picture>${include}</picture><checksum>FF</checksum></reg:optimized>`,
    )
    strictEqual(root && headerOf(root, 'Content-Type'), 'application/xop+xml; charset=utf-8; type="text/xml"')
    strictEqual(bytes && headerOf(bytes, 'Content-Type'), 'text/csv')
    deepStrictEqual(
      pictures.map((part) => headerOf(part, 'Content-Type')),
      ['application/octet-stream', 'application/octet-stream'],
    )
    const [, ofForm] = await send('mtom', form(file('bytes', 'x', 'text/x-own')))
    strictEqual(ofForm && headerOf(ofForm, 'Content-Type'), 'text/x-own')
  })

  test('base64 without that stands in the envelope, which goes out alone [P2.2 X22]', async () => {
    const reply = await lanes.call('/owner/inline', { method: 'POST', body: { bytes: 'AAEC' } })
    strictEqual(reply.status, 200)
    match(upstream.requests.at(-1)?.head ?? '', /^content-type: text\/xml; charset=utf-8$/im)
    match(upstream.requests.at(-1)?.body ?? '', /<bytes>AAEC<\/bytes>/)
  })

  test('parts of the binding: a part of the message, an element of the body, and one that is neither [P2.2]', async () => {
    const cases = [
      ['mimePart', { text: 'a', file: 'AQ==' }, '<reg:text>a</reg:text>', 'file', 'application/pdf'],
      ['mimeElement', { bytes: 'AQ==' }, '<reg:inline><bytes></bytes></reg:inline>', 'bytes', 'plain/text'],
      ['mimeAlone', { text: 'a', other: 'AQ==' }, '<reg:text>a</reg:text>', 'other', 'application/octet-stream'],
    ] as const
    for (const [operation, body, expected, name, type] of cases) {
      const [root, attachment, ...others] = await send(operation, { body })
      strictEqual(bodyOf(root), expected)
      deepStrictEqual([others.length, attachment && headerOf(attachment, 'Content-Type')], [0, type])
      match((attachment && headerOf(attachment, 'Content-ID')) ?? '', new RegExp(`^<${name}=[^>]+>$`))
      deepStrictEqual(attachment?.bytes, Buffer.from([1]))
    }
  })
})

test('expectedContentTypes of a type counts for its elements, unless they say otherwise; never for attributes [P2.2]', () => {
  const says = (types: string): string => `m:expectedContentTypes="${types}"`
  const result = generateAround(
    `<x:simpleType name="Scan" ${says('image/png')}><x:restriction base="x:base64Binary"/></x:simpleType>
     <x:simpleType name="Small"><x:restriction base="t:Scan"><x:maxLength value="9"/></x:restriction></x:simpleType>
     <x:simpleType name="Own" ${says('text/csv')}><x:restriction base="t:Scan"/></x:simpleType>
     <x:complexType name="Kept" ${says('application/pdf')}><x:simpleContent><x:extension base="m:base64Binary">
       <x:attribute name="copy" type="t:Scan"/></x:extension></x:simpleContent></x:complexType>
     <x:complexType name="Kept2"><x:simpleContent><x:extension base="t:Kept"/></x:simpleContent></x:complexType>
     <x:simpleType name="Several"><x:list itemType="t:Scan"/></x:simpleType>
     <x:simpleType name="Text" ${says('image/png')}><x:restriction base="x:string"/></x:simpleType>
     <x:element name="op"><x:complexType><x:sequence>
       <x:element name="scan" type="t:Scan"/><x:element name="small" type="t:Small"/><x:element name="own" type="t:Own"/>
       <x:element name="said" type="t:Scan" ${says('image/jpeg')}/><x:element name="kept" type="t:Kept"/>
       <x:element name="kept2" type="t:Kept2"/><x:element name="several" type="t:Several"/><x:element name="text" type="t:Text"/>
       <x:element name="here" minOccurs="0"><x:simpleType ${says('audio/ogg')}><x:restriction base="x:base64Binary"/></x:simpleType></x:element>
     </x:sequence></x:complexType></x:element>`,
    'xmlns:m="http://www.w3.org/2005/05/xmlmime"',
  )
  ok(result.kind === 'generated')
  const included = Array.from(
    result.text.matchAll(/\{\{xop_include (\w+)(?: type=("[^"]*"|\S+))?\}\}/g),
    ([, ...found]) => found.filter((each) => each !== undefined),
  )
  deepStrictEqual(included, [
    ['scan', '"image/png"'],
    ['small', '"image/png"'],
    ['own', '"text/csv"'],
    ['said', '"image/jpeg"'],
    ['kept', 'kept_contentType'],
    ['kept2', 'kept2_contentType'],
    ['here', '"audio/ogg"'],
  ])
})

test('a choice of types, an abstract type and a list of objects have their attachments in their place [P2.2]', () => {
  const swaRef = 'xmlns:r="http://ws-i.org/profiles/basic/1.1/xsd" type="r:swaRef"'
  const result = generateAround(
    `<x:complexType name="A" abstract="true"><x:sequence/></x:complexType>
     <x:complexType name="B"><x:complexContent><x:extension base="t:A"><x:sequence><x:element name="f" ${swaRef}/></x:sequence></x:extension></x:complexContent></x:complexType>
     <x:complexType name="C"><x:complexContent><x:extension base="t:A"><x:sequence><x:element name="n" type="x:int"/></x:sequence></x:extension></x:complexContent></x:complexType>
     <x:element name="op"><x:complexType><x:sequence>
       <x:element name="a" type="t:A"/>
       <x:element name="d" maxOccurs="unbounded"><x:complexType><x:sequence><x:element name="if" ${swaRef} nillable="true"/></x:sequence><x:attribute name="u" ${swaRef}/></x:complexType></x:element>
     </x:sequence></x:complexType></x:element>`,
  )
  ok(result.kind === 'generated')
  match(result.text, /<f>\{\{swa_ref f\}\}<\/f>/)
  match(result.text, /\{\{swa_ref this\.\[if\]\}\}/)
  match(result.text, /\{\{#if_present u\}\} u="\{\{swa_ref u\}\}"\{\{\/if_present\}\}/)
  match(result.text, /<if\{\{#if \(is_nil this\.\[if\]\)\}\} xsi:nil="true"\{\{\/if\}\}>/)
})

/** A message with two parts, the second of which the binding sends beside the envelope. */
function withMimePart(style: string, parts: string, schema = ''): string {
  return `<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:m="http://schemas.xmlsoap.org/wsdl/mime/" xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:r="http://ws-i.org/profiles/basic/1.1/xsd" xmlns:t="urn:t" targetNamespace="urn:t">
    <w:types><x:schema targetNamespace="urn:t">${schema}</x:schema></w:types>
    <w:message name="m">${parts}</w:message>
    <w:portType name="p"><w:operation name="op"><w:input message="t:m"/></w:operation></w:portType>
    <w:binding name="b" type="t:p"><s:binding style="${style}" transport="http://schemas.xmlsoap.org/soap/http"/>
    <w:operation name="op"><w:input><m:multipartRelated><m:part><s:body use="literal" namespace="urn:r"/></m:part>
    <m:part><m:content part="file" type="image/png"/></m:part></m:multipartRelated></w:input></w:operation></w:binding></w:definitions>`
}

test('a part of the message is a param of its own, in either style, whatever its type and the body [P2.2 P2.3]', () => {
  const title = '<w:part name="title" type="x:string"/>'
  for (const type of ['type="x:base64Binary"', 'type="r:swaRef"', 'type="x:hexBinary"', 'element="t:op"']) {
    const [result] = generateAll(readText(withMimePart('rpc', `${title}<w:part name="file" ${type}/>`, bytes)))
    ok(result?.kind === 'generated', type)
    match(result.text, /params:\n {2}- title\n {2}- file\n/)
    match(result.text, /\{\{mime_part file part="file" type="image\/png"\}\}/)
    doesNotMatch(result.text, /<file/)
  }
  const [both] = generateAll(
    readText(
      withMimePart('document', '<w:part name="b" element="t:op"/><w:part name="file" type="x:base64Binary"/>', bytes),
    ),
  )
  ok(both?.kind === 'generated')
  match(both.text, /<file>\{\{op_file\}\}<\/file>|<file>\{\{file\}\}<\/file>/)
  match(both.text, /\{\{mime_part file_2 part="file" type="image\/png"\}\}/)
})

const bytes =
  '<x:element name="op"><x:complexType><x:sequence><x:element name="file" type="x:base64Binary"/></x:sequence></x:complexType></x:element>'

interface Described {
  readonly paths: Readonly<
    Record<string, { readonly post: { readonly requestBody: { readonly content: Record<string, Content> } } }>
  >
}

interface Content {
  readonly schema: { readonly properties: Readonly<Record<string, object>>; readonly required?: readonly string[] }
  readonly example?: unknown
  readonly encoding?: unknown
}

test('/api describes both media types, with types, and a form only where something is attached [P2.2]', async () => {
  const { text } = await lanes.call('/api')
  const { paths } = JSON.parse(text) as Described
  const contentOf = (operation: string): Record<string, Content> =>
    paths[`/owner/${operation}`]?.post.requestBody.content ?? {}
  deepStrictEqual(Object.keys(contentOf('inline')), ['application/json'])
  const { 'application/json': json, 'multipart/form-data': ofForm } = contentOf('mtom')
  const base64 = { type: 'string', contentEncoding: 'base64' }
  deepStrictEqual(json?.schema.properties, {
    ...json?.schema.properties,
    bytes: { ...base64, contentMediaType: 'text/plain' },
    picture: { type: 'array', items: base64, maxItems: 3 },
  })
  const binary = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }
  deepStrictEqual(ofForm?.schema.properties, {
    ...json?.schema.properties,
    bytes: { ...binary, contentMediaType: 'text/plain' },
    picture: { type: 'array', items: binary, maxItems: 3 },
  })
  deepStrictEqual([ofForm?.schema.required, ofForm?.encoding], [['bytes'], { bytes: { contentType: 'text/plain' } }])
  strictEqual(ofForm?.example, undefined)
  deepStrictEqual(contentOf('mimePart')['application/json']?.schema.required, ['text', 'file'])
  for (const operation of ['mimePart', 'swaRef', 'mtom'])
    ok((await send(operation, { body: contentOf(operation)['application/json']?.example })).length > 1)
})

test('where requests are checked, an attachment is base64 or a file, and parts are params [P2.2 P4.1]', async () => {
  const wsdl = readFileSync(join(import.meta.dirname, '../../cases/wsdl/attachments/api.wsdl'))
  const config = {
    security_server: { url: upstream.url },
    validate_requests: 'refuse',
    wsdl_watch_dir: newFolder({ 'owner/api.wsdl': wsdl }),
  }
  const checked = await startLanes({ dsl: {}, config })
  try {
    const call = async (
      operation: string,
      options: CallOptions,
    ): Promise<readonly [status: number, problems: unknown]> => {
      const { status, text } = await checked.call(`/owner/${operation}`, { method: 'POST', ...options })
      const { problems = [] } = JSON.parse(text) as { problems?: readonly { readonly param: string }[] }
      return [status, problems.map(({ param }) => param)]
    }
    const picture = file('picture', 'x')
    const cases: [operation: string, options: CallOptions, status: number, ...params: string[]][] = [
      ['swaRef', { body: { file: 'AA+/' } }, 200],
      ['swaRef', form(file('file', 'x')), 200],
      ['swaRef', { body: {} }, 400, 'file'],
      ['swaRef', { body: { file: 'no base64!' } }, 400, 'file'],
      ['swaRef', form(field('zz', 'x'), file('file', 'x')), 400, 'zz'],
      ['swaRef', form(file('zz', 'x'), file('file', 'x')), 400, 'zz'],
      ['mimePart', { body: { text: 'a', file: 'AAAA' } }, 200],
      ['mimePart', form(field('text', 'true'), file('file', 'x')), 200],
      ['mimePart', { body: { text: 'a' } }, 400, 'file'],
      ['mimeElement', { body: { bytes: 'AAAA' } }, 200],
      ['mtom', form(file('bytes', 'x'), picture, picture), 200],
      ['mtom', form(file('bytes', 'x'), picture, picture, picture, picture), 400, 'picture'],
    ]
    for (const [operation, options, status, ...params] of cases)
      deepStrictEqual(await call(operation, options), [status, params], `${operation} ${JSON.stringify(options)}`)
  } finally {
    await checked.close()
  }
})
