/**
 * Requests with attachments, from the caller's JSON or form to the bytes that the Security Server gets, over real
 * sockets. The DSL files are written by hand; those of WSDLs are in ../ingest/attachments.test.ts.
 */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type CallOptions, errorOf, type Reply, tableAfter } from '@services/testing'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import { AttachmentList } from '../../../src/soap/request/attachments.ts'
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
import { type Received, startUpstream, toAnswer, toEnvelope, type Upstream } from '../../support/upstreams/upstream.ts'

const manual = readFileSync(new URL('../../../docs/attachments.md', import.meta.url), 'utf8')

let upstream: Upstream
let lanes: Lanes

function dsl(params: readonly string[], envelope: string, fields: object = {}): string {
  return JSON.stringify({ method: 'POST', params, envelope, ...fields })
}

const maxBytes = 100_000

before(async () => {
  upstream = await startUpstream((socket) => socket.write(toAnswer(toEnvelope('<ok>1</ok>'))), { tls: 'mock' })
  lanes = await startLanes({
    config: { security_server: { url: upstream.url }, limits: { max_request_bytes: maxBytes } },
    dsl: {
      't/swa.yml': dsl(['title', 'file'], '<v t="{{xml_attr title}}"><f href="{{swa_ref file}}"/></v>'),
      't/typed.yml': dsl(['file', 'kind'], '<v>{{swa_ref file type="application/pdf"}}</v>'),
      't/kind.yml': dsl(['file', 'kind'], '<v>{{swa_ref file type=kind}}</v>'),
      't/mtom.yml': dsl(['file'], '<v>õ{{xop_include file}}</v>', { soap_action: 'urn:a' }),
      't/part.yml': dsl(['file'], '<v>{{mime_part file part="faili osa(1)"}}</v>'),
      't/list.yml': dsl(['files'], '<v>{{#each_value files}}<f>{{xop_include this}}</f>{{/each_value}}</v>'),
      't/each.yml': dsl(['files'], '<v>{{#each files}}<f>{{swa_ref this}}</f>{{/each}}</v>'),
      't/nested.yml': dsl(
        ['documents', 'note'],
        '<v>{{note}}{{#each_value documents}}<d n="{{xml_attr name}}">{{swa_ref file}}</d>{{/each_value}}</v>',
      ),
      't/two.yml': dsl(['a', 'b'], '<v><a>{{swa_ref a}}</a><b>{{xop_include b}}</b></v>'),
      't/flag.yml': dsl(['flag', 'file'], '<v>{{#if flag}}yes{{else}}no{{/if}}{{swa_ref file}}</v>'),
      't/odd.yml': dsl(['faili "nimi" õ\\"'], '<v>{{swa_ref this.[faili "nimi" õ\\"]}}</v>'),
      't/both.yml': dsl(['file'], '<v>{{file}}{{swa_ref file}}</v>'),
      't/plain.yml': dsl(['file'], '<v>{{file}}</v>'),
    },
  })
})

after(async () => {
  await lanes.close()
  await upstream.close()
})

interface Sent {
  readonly reply: Reply
  readonly request: Received
  readonly contentType: string
  readonly bytes: Buffer
}

/** A call that reaches the upstream. */
async function send(path: string, options: CallOptions): Promise<Sent> {
  const before = upstream.requests.length
  const reply = await lanes.call(path, { method: 'POST', ...options })
  strictEqual(reply.status, 200, reply.text)
  strictEqual(upstream.requests.length, before + 1)
  const request = upstream.requests.at(-1) as Received
  return { reply, request, contentType: contentTypeOf(request), bytes: upstream.bodies.at(-1) as Buffer }
}

function contentTypeOf({ head }: Received): string {
  return /^content-type: (.*)$/im.exec(head)?.[1] ?? ''
}

async function sendParts(path: string, options: CallOptions): Promise<readonly SeenPart[]> {
  const sent = await send(path, options)
  return takeApart(sent.contentType, sent.bytes)
}

/** A call that does not. */
async function refused(path: string, options: CallOptions): Promise<string> {
  const before = upstream.requests.length
  const reply = await lanes.call(path, { method: 'POST', ...options })
  deepStrictEqual([reply.status, errorOf(reply)], [400, 'malformed_request'])
  strictEqual(upstream.requests.length, before)
  return (JSON.parse(reply.text) as { message: string }).message
}

function form(...parts: readonly FormPart[]): CallOptions {
  return { headers: { 'content-type': formType }, body: toForm(...parts) }
}

/** Content-ID of an attachment, as a reference has it. */
function idOf(part: SeenPart | undefined): string {
  const [, id] = /^<([\w.=%@-]+)>$/.exec((part && headerOf(part, 'Content-ID')) ?? '') ?? []
  ok(id !== undefined)
  return id
}

const bytes = Buffer.from(Array.from({ length: 256 }, (_, code) => code))

test('a form that cannot be read because it is compressed is told as such [P2.2]', async () => {
  const { body } = form(field('title', 'x'))
  const headers = { 'content-type': formType, 'content-encoding': 'gzip' }
  strictEqual(
    await refused('/t/swa', { headers, body: gzipSync(body as Buffer) }),
    'the form cannot be read: found Content-Encoding: gzip, expected a body that is not compressed',
  )
})

describe('what goes out', () => {
  test('SOAP with attachments: the envelope first, 8bit, and the bytes under the id that it names [P2.2]', async () => {
    const body = { title: 'õ', file: bytes.toString('base64') }
    const { contentType, bytes: sent } = await send('/t/swa', { body })
    const [root, attachment, ...others] = takeApart(contentType, sent)
    strictEqual(others.length, 0)
    match(contentType, /^multipart\/related; type="text\/xml"; start="<[^">]+>"; boundary="[\w-]{1,70}"$/)
    strictEqual(`start="<${idOf(root)}>"`, /start="[^"]*"/.exec(contentType)?.[0])
    deepStrictEqual(root?.head.slice(0, 2), [
      'Content-Type: text/xml; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
    ])
    strictEqual(root?.bytes.toString(), `<v t="õ"><f href="cid:${idOf(attachment)}"/></v>`)
    deepStrictEqual(attachment?.head.slice(0, 2), [
      'Content-Type: application/octet-stream',
      'Content-Transfer-Encoding: binary',
    ])
    deepStrictEqual(attachment?.bytes, bytes)
  })

  test('MTOM where the template includes: XOP says so, and which type it stands for [P2.2]', async () => {
    const { contentType, request, bytes: sent } = await send('/t/mtom', { body: { file: 'AAEC' } })
    const [root, attachment] = takeApart(contentType, sent)
    match(
      contentType,
      /^multipart\/related; type="application\/xop\+xml"; start-info="text\/xml"; start="<[^">]+>"; boundary="[^"]+"$/,
    )
    match(request.head, /^soapaction: "urn:a"$/im)
    deepStrictEqual(root?.head.slice(0, 2), [
      'Content-Type: application/xop+xml; charset=utf-8; type="text/xml"',
      'Content-Transfer-Encoding: 8bit',
    ])
    const include = `<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:${idOf(attachment)}"/>`
    strictEqual(root?.bytes.toString(), `<v>õ${include}</v>`)
    deepStrictEqual(attachment?.bytes, Buffer.from([0, 1, 2]))
  })

  test('a part of the WSDL is known by the name in its Content-ID, and nothing refers to it [P2.2]', async () => {
    const [root, attachment] = await sendParts('/t/part', { body: { file: 'AAEC' } })
    strictEqual(root?.bytes.toString(), '<v></v>')
    match(idOf(attachment), /^faili%20osa%281%29=1\.[\w-]+@xroad-proxy$/)
  })

  test('several attachments, each with an id of its own, in the order of their references [P2.2]', async () => {
    const files = ['AAEC', '', 'AAEC']
    for (const path of ['/t/list', '/t/each']) {
      const [root, ...attachments] = await sendParts(path, { body: { files } })
      deepStrictEqual(
        attachments.map((part) => part.bytes.toString('base64')),
        files,
      )
      strictEqual(new Set(attachments.map(idOf)).size, 3)
      const ids = Array.from(root?.bytes.toString().matchAll(/cid:([^<"]+)/g) ?? [], ([, id]) => id)
      deepStrictEqual(ids, attachments.map(idOf))
    }
  })

  test('values inside objects are attachments too, and both kinds go into one message [P2.2]', async () => {
    const documents = [{ name: 'a', file: 'AQ==' }, { name: 'b' }, { name: 'c', file: 'Ag==' }]
    const [nested, ...attachments] = await sendParts('/t/nested', { body: { documents, note: 'x' } })
    const [first, last] = attachments.map(idOf)
    strictEqual(nested?.bytes.toString(), `<v>x<d n="a">cid:${first}</d><d n="b"></d><d n="c">cid:${last}</d></v>`)
    const { contentType } = await send('/t/two', { body: { a: 'AQ==', b: 'Ag==' } })
    match(contentType, /type="application\/xop\+xml"/)
  })

  test('without an attachment the envelope goes out alone, as ever [P2.2]', async () => {
    for (const body of [{ title: 'x' }, { title: 'x', file: null }, '', 'no JSON']) {
      const { contentType, request } = await send('/t/swa', { body })
      strictEqual(contentType, 'text/xml; charset=utf-8')
      match(request.body, /<f href=""\/>/)
    }
  })

  test('two calls never share a boundary or an id, and content may hold that of another call [P2.2]', async () => {
    const { contentType, bytes: sent } = await send('/t/swa', { body: { file: 'AQ==' } })
    const again = await send('/t/swa', { body: { file: sent.toString('base64') } })
    const [, attachment] = takeApart(again.contentType, again.bytes)
    deepStrictEqual(attachment?.bytes, sent)
    ok(again.contentType !== contentType)
  })

  test('the media type is that of the form, else that of the template, else any bytes [P2.2]', async () => {
    const typeOf = async (path: string, options: CallOptions): Promise<string | undefined> => {
      const [, attachment] = await sendParts(path, options)
      return attachment && headerOf(attachment, 'Content-Type')
    }
    strictEqual(await typeOf('/t/typed', { body: { file: 'AQ==' } }), 'application/pdf')
    strictEqual(await typeOf('/t/typed', form(file('file', 'x', 'Text/X; a="b; c"'))), 'Text/X; a="b; c"')
    strictEqual(await typeOf('/t/kind', { body: { file: 'AQ==', kind: 'image/png' } }), 'image/png')
    strictEqual(await typeOf('/t/kind', { body: { file: 'AQ==' } }), 'application/octet-stream')
    const untyped: FormPart = [['Content-Disposition: form-data; name="file"; filename=""'], 'x']
    strictEqual(await typeOf('/t/typed', form(untyped)), 'application/pdf')
    for (const kind of ['pdf', 'a/b\r\nX: y', 'a/b; c=õ', 'ä/b', 7, `a/${'b'.repeat(300)}`])
      strictEqual(await typeOf('/t/kind', { body: { file: 'AQ==', kind } }), 'application/octet-stream')
  })
})

describe('base64', () => {
  test('line ends and spaces are no matter, and empty text is an empty attachment [P2.2]', async () => {
    for (const [text, expected] of [
      ['AAEC\r\nAAEC\n', 'AAECAAEC'],
      [' A A\tE C ', 'AAEC'],
      ['', ''],
      ['+/8=', '+/8='],
    ] as const) {
      const [, attachment] = await sendParts('/t/swa', { body: { file: text } })
      strictEqual(attachment?.bytes.toString('base64'), expected)
    }
  })

  test('what is no base64 is 400 with the name of the param, and nothing is sent [P2.2]', async () => {
    const wrong = [
      'A',
      'AA',
      'AAA',
      'AA=',
      '=',
      'AB==',
      'AAEC=',
      'AA==AA==',
      '-_8=',
      'AAE*',
      'data:;base64,AAEC',
      'Ł',
      'õõõõ',
    ]
    for (const text of wrong) match(await refused('/t/swa', { body: { file: text } }), /^the param file is not base64;/)
    for (const [value, what] of [
      [7, 'a number'],
      [true, 'a boolean'],
      [['AAEC'], 'a list'],
      [{ bytes: 'AAEC', type: 'a/b' }, 'an object'],
    ] as const)
      match(await refused('/t/swa', { body: { file: value } }), new RegExp(`^the param file is ${what};`))
    strictEqual((await refused('/t/swa', { body: { file: 'secret!' } })).includes('secret'), false)
  })

  test('the name says which value of a list, and which field of an object [P2.2]', async () => {
    match(await refused('/t/list', { body: { files: ['AAEC', '?'] } }), /^the param files\.1 is not base64;/)
    match(await refused('/t/list', { body: { files: '?' } }), /^the param files is not base64;/)
    match(await refused('/t/each', { body: { files: ['?'] } }), /^the param files\.0 is not base64;/)
    match(
      await refused('/t/nested', { body: { documents: [{}, { file: 5 }] } }),
      /^the param documents\.1\.file is a number;/,
    )
    match(
      await refused('/t/nested', { body: { documents: { file: '?' } } }),
      /^the param documents\.file is not base64;/,
    )
  })

  test('an endpoint that attaches nothing reads no form and decodes nothing [P2.2]', async () => {
    const { request } = await send('/t/plain', { body: { file: 'no base64!' } })
    strictEqual(request.body, '<v>no base64!</v>')
    const ofForm = await send('/t/plain', form(field('file', 'x')))
    strictEqual(ofForm.request.body, '<v></v>')
  })
})

describe('forms', () => {
  test('a file arrives byte by byte under the name of its param, fields before it [P2.2]', async () => {
    const [root, attachment] = await sendParts('/t/swa', form(field('title', 'Jõgeva & "x"'), file('file', bytes)))
    strictEqual(root?.bytes.toString(), `<v t="Jõgeva &amp; &quot;x&quot;"><f href="cid:${idOf(attachment)}"/></v>`)
    strictEqual(attachment && headerOf(attachment, 'Content-Type'), 'application/pdf')
    deepStrictEqual(attachment?.bytes, bytes)
  })

  test('a form as fetch makes it [P2.2]', async () => {
    const data = new FormData()
    data.append('title', 'a\nb')
    data.append('file', new Blob([bytes], { type: 'image/png' }), 'pilt "1".png')
    const before = upstream.requests.length
    const reply = await fetch(`http://127.0.0.1:${lanes.port}/t/swa`, { method: 'POST', body: data })
    strictEqual(reply.status, 200, await reply.text())
    const contentType = contentTypeOf(upstream.requests[before] as Received)
    const [root, attachment] = takeApart(contentType, upstream.bodies[before] as Buffer)
    match(root?.bytes.toString() ?? '', /t="a&#13;&#10;b"/)
    strictEqual(attachment && headerOf(attachment, 'Content-Type'), 'image/png')
    deepStrictEqual(attachment?.bytes, bytes)
  })

  test('content with line ends, dashes and what looks like the boundary stays as it is [P2.2]', async () => {
    for (const content of [
      '',
      '\r\n',
      '\r\n--',
      '\n--b\n',
      '\n--b--\r\n',
      '\r\n--bb\r\n',
      '\r\n--b-\r\n',
      'x--b\r\n--b x\r\n',
      '\r\n\r\n--',
    ]) {
      const [, attachment] = await sendParts('/t/swa', form(file('file', content)))
      strictEqual(attachment?.bytes.toString(), content, JSON.stringify(content))
    }
  })

  test('parts of one name are a list, and JSON in a part is a value of JSON [P2.2]', async () => {
    const [, ...files] = await sendParts('/t/list', form(file('files', 'a'), file('files', 'b', 'application/json')))
    deepStrictEqual(
      files.map((part) => [part.bytes.toString(), headerOf(part, 'Content-Type')]),
      [
        ['a', 'application/pdf'],
        ['b', 'application/json'],
      ],
    )
    const json = JSON.stringify([{ name: 'a', file: 'AQ==' }])
    const parts: FormPart[] = [
      [['Content-Disposition: form-data; name="documents"', 'Content-Type: application/json'], json],
      // As browsers send an object.
      [['Content-Disposition: form-data; name="documents"; filename="blob"', 'Content-Type: application/json'], json],
    ]
    for (const documents of parts) {
      const [root, attachment] = await sendParts('/t/nested', form(documents, field('note', '12345678901234567890')))
      strictEqual(root?.bytes.toString(), `<v>12345678901234567890<d n="a">cid:${idOf(attachment)}</d></v>`)
    }
    const number = [
      'Content-Disposition: form-data; name="note"',
      'Content-Type: application/json; charset=utf-8',
    ] as const
    strictEqual((await send('/t/nested', form([number, '1.50']))).request.body, '<v>1.50</v>')
  })

  test('a field for an attachment is base64 as in JSON; any other media type makes bytes of it [P2.2]', async () => {
    const [, ofText] = await sendParts('/t/swa', form(field('file', 'true')))
    strictEqual(ofText?.bytes.toString('base64'), 'true')
    const typed = ['Content-Disposition: form-data; name="file"', 'Content-Type: application/pdf']
    const [, ofBytes] = await sendParts('/t/swa', form([typed, 'true']))
    strictEqual(ofBytes?.bytes.toString(), 'true')
    match(
      await refused('/t/swa', form(field('file', 'a b c'))),
      /^the param file is not base64; .* or a file of a form$/,
    )
  })

  test('true and false in a field are a yes and a no [P2.2]', async () => {
    for (const [value, text] of [
      ['true', 'yes'],
      ['false', 'no'],
      ['False', 'yes'],
      ['', 'no'],
    ] as const)
      strictEqual((await send('/t/flag', form(field('flag', value)))).request.body, `<v>${text}</v>`)
  })

  test('what is no param is dropped, whatever it is called [P2.2]', async () => {
    const strangers = ['__proto__', 'constructor', 'generate', 'files', 'titel'].map((name) => field(name, 'x'))
    const options = form(...strangers, field('title', 'x'), file('other', bytes), file('file', 'a'))
    const [root, ...attachments] = await sendParts('/t/swa', options)
    match(root?.bytes.toString() ?? '', /^<v t="x">/)
    strictEqual(attachments.length, 1)
  })

  test('names in quotes with escapes, without quotes, in UTF-8, and names of files in any form [P2.2]', async () => {
    const part = (rest: string): FormPart => [[`Content-Disposition: form-data; ${rest}`, 'Content-Type: a/b'], 'x']
    for (const rest of [
      'name=file; filename=x',
      String.raw`name="file"; filename="a\"b\\.pdf"`,
      String.raw`NAME="file";FILENAME="C:\x;y=z.pdf"`,
      `filename*=UTF-8''j%C3%B5e.pdf; name="file"`,
      `filename="õ.pdf"; filename*=UTF-8''x; name="file" ;`,
      'name="file"; filename=""',
      'name="file"',
    ]) {
      const [, attachment] = await sendParts('/t/swa', form(part(rest)))
      strictEqual(attachment?.bytes.toString(), 'x', rest)
    }
    for (const name of [String.raw`faili \"nimi\" õ\\%22`, String.raw`faili %22nimi%22 õ\\\"`]) {
      const [, attachment] = await sendParts('/t/odd', form(part(`name="${name}"; filename="x"`)))
      strictEqual(attachment?.bytes.toString(), 'x', name)
    }
  })

  test('transfer encodings of parts are undone, and lines of a head may be folded [P2.2]', async () => {
    const [, attachment] = await sendParts(
      '/t/swa',
      form([
        ['Content-Disposition: form-data;\r\n name="file"; filename="x"', 'Content-Transfer-Encoding: base64'],
        'QUJD\r\nQQ==',
      ]),
    )
    strictEqual(attachment?.bytes.toString(), 'ABCA')
  })

  test('an empty form, a preamble and what follows the end [P2.2]', async () => {
    for (const body of ['--b--', '--b--\r\n', 'preamble\r\n--b--\r\nepilogue --b', '--b-- \t\r\n'])
      strictEqual(
        (await send('/t/swa', { headers: { 'content-type': formType }, body })).contentType,
        'text/xml; charset=utf-8',
      )
    for (const type of ['Multipart/Form-Data; Boundary="b"', 'multipart/form-data;boundary=b; charset=utf-8']) {
      const options = { headers: { 'content-type': type }, body: toForm(file('file', 'x')) }
      strictEqual((await sendParts('/t/swa', options)).length, 2)
    }
  })

  test('a form that ends early is 400, wherever it ends, and nothing is sent [P2.2]', async () => {
    const whole = toForm(field('title', 'x'), file('file', 'abc'))
    const isEnd = whole.length - '\r\n'.length
    for (let end = 0; end < isEnd; end += 1) {
      const message = await refused('/t/swa', { headers: { 'content-type': formType }, body: whole.subarray(0, end) })
      match(message, /^the form ends before its closing boundary$/, whole.toString('utf8', 0, end))
    }
  })

  test('forms that are none: 400 says what is wrong, and nothing is sent [P2.2]', async () => {
    const part = (...head: string[]): CallOptions => form([head, 'x'])
    const disposition = 'Content-Disposition: form-data; name="file"; filename="x"'
    const cases: [CallOptions, RegExp][] = [
      [{ headers: { 'content-type': 'multipart/form-data' }, body: '' }, /names no boundary/],
      [
        form(file('file', 'x'), field('title', 'x')),
        /has the field "title" after the file "file": fields come before files/,
      ],
      [form(file('other', 'x'), field('other', 'x')), /the field "other" after the file "other"/],
      [form(file('title', 'x')), /has a file for "title", which takes text: send it as a field/],
      [part(), /a part without a Content-Disposition/],
      [part('Content-Disposition: attachment; name="file"'), /is not form-data/],
      [part('Content-Disposition: form-data'), /a part without a name/],
      [part('Content-Disposition: form-data; name=""'), /a part without a name/],
      [part(`Content-Disposition: form-data; name*=UTF-8''file`), /a part without a name/],
      [part('Content-Disposition: form-data; name="a"; name="file"'), /a part with two names/],
      [part('Content-Disposition: form-data; name="file'), /cannot be read/],
      [part('Content-Disposition: form-data; name="file" filename="x"'), /cannot be read/],
      [part(disposition, 'Content-Type: pdf'), /no media type in the Content-Type of "file"/],
      [part(disposition, 'Content-Type: a/b\u0001'), /no media type/],
      [part(disposition, 'Content-Transfer-Encoding: x-own'), /cannot be decoded: "file" has an unknown/],
      [part(disposition, 'Content-Transfer-Encoding: base64'), /cannot be decoded: "file" is not valid base64/],
      [
        part('Content-Disposition: form-data; name="title"', 'Content-Type: application/json'),
        /"title", which is not JSON/,
      ],
      [part('Content-Disposition: form-data; name="title"', 'Content-Type: text/plain; charset=utf-16'), /charset/],
      [form([['Content-Disposition: form-data; name="title"'], Buffer.from([0xe4])]), /"title", which is not UTF-8/],
      [
        {
          headers: { 'content-type': formType },
          body: Buffer.from('--b\r\nContent-Disposition: form-data; name="\xe4"\r\n\r\n\r\n--b--', 'latin1'),
        },
        /not UTF-8/,
      ],
      [
        { headers: { 'content-type': formType }, body: '--b\r\nno head\r\n--b--' },
        /headers have no end within 16384 bytes/,
      ],
      [part(`X: ${'x'.repeat(17_000)}`, disposition), /headers have no end within 16384 bytes/],
      [form(...Array.from({ length: 1001 }, () => field('a', ''))), /has more than 1000 parts/],
    ]
    for (const [options, expected] of cases) match(await refused('/t/swa', options), expected)
  })

  test('exactly the limit passes, one byte more is 413 for a form as for JSON, declared or chunked [P2.2]', async () => {
    const room = maxBytes - toForm(file('file', '')).length
    const [, largest] = await sendParts('/t/swa', form(file('file', 'x'.repeat(room))))
    strictEqual(largest?.bytes.length, room)
    const before = upstream.requests.length
    const tooLarge = form(file('file', 'x'.repeat(room + 1)))
    const chunked = { ...tooLarge.headers, 'transfer-encoding': 'chunked' }
    for (const options of [tooLarge, { ...tooLarge, headers: chunked }]) {
      const reply = await lanes.call('/t/swa', { method: 'POST', ...options })
      deepStrictEqual([reply.status, errorOf(reply)], [413, 'request_too_large'])
    }
    strictEqual(upstream.requests.length, before)
  })

  test('a chunked form is read like any other [P2.2]', async () => {
    const options = form(field('title', 'x'), file('file', bytes))
    const [, attachment] = await sendParts('/t/swa', {
      ...options,
      headers: { ...options.headers, 'transfer-encoding': 'chunked' },
    })
    deepStrictEqual(attachment?.bytes, bytes)
  })

  test('a file in the place of text is an error, not garbage in the envelope [P2.2]', async () => {
    const reply = await lanes.call('/t/both', { method: 'POST', ...form(file('file', 'x')) })
    deepStrictEqual([reply.status, errorOf(reply)], [500, 'template_expansion_failed'])
    match(reply.text, /'file' is a file, where text belongs/)
  })
})

test('the file of the manual attaches its param, and sends what the manual shows [P2.2]', () => {
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(manual) ?? []
  const { endpoint, warnings, templateWarnings } = readDsl(yaml, {
    file: 'save.yml',
    group: 'documents',
    service: 'save',
  })
  ok(endpoint.kind === 'soap')
  deepStrictEqual([endpoint.envelope.attached, warnings, templateWarnings], [['file'], [], []])
  const [, shown = ''] = /"message":"(the param file is not base64; [^\n]*)"\}/.exec(manual) ?? []
  throws(
    () => endpoint.envelope.render({ file: '?' }, noValues, new AttachmentList('id')),
    ({ message }: Error) => JSON.stringify(message).slice(1, -1) === shown,
  )
})

const noValues = { uuid: '', instance: '', client: '', protocol_version: '' }

test('the largest file under the defaults is what the manual says [P2.2]', async () => {
  const rows = tableAfter(manual, '<!-- table: sizes;')
  const [inJson = 0] = rows.map(([, words = '']) => Number(/^[\d ]+(?= bytes)/.exec(words)?.[0].replaceAll(' ', '')))
  ok(inJson > 0)
  const usual = await startLanes({
    config: { security_server: { url: upstream.url } },
    dsl: { 't/swa.yml': dsl(['file'], '<v>{{swa_ref file}}</v>') },
  })
  try {
    const statusOf = async (bytes: number): Promise<number> => {
      const body = `{"file":"${Buffer.alloc(bytes).toString('base64')}"}`
      return (await usual.call('/t/swa', { method: 'POST', body })).status
    }
    deepStrictEqual([await statusOf(inJson), await statusOf(inJson + 1)], [200, 413])
  } finally {
    await usual.close()
  }
})
