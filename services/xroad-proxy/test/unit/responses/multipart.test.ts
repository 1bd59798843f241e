/** The root part of multipart/related, in the ways in which servers write it, and in ways in which they should not. */
import { ok, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { readMediaType } from '../../../src/soap/mime/media-type.ts'
import { readPartsInSteps } from '../../../src/soap/message/multipart.ts'
import { readResponse } from '../../../src/soap/message/response.ts'
import { decodeTransferInSteps } from '../../../src/soap/mime/transfer.ts'
import { finish } from '../../../src/steps.ts'
import { XmlError } from '../../../src/soap/json/xml-error.ts'

const related = 'multipart/related; type="text/xml"; boundary=b'
const crlf = (...lines: string[]): string => lines.join('\r\n')

/** As responses are read: the parts, and the content of the root decoded. */
function root(
  body: string | Buffer,
  contentType = related,
): { readonly body: Uint8Array; readonly contentType: string | undefined; readonly text: string } {
  const parts = finish(readPartsInSteps(Buffer.from(body as string), contentType, { isRootEnough: true }))
  const { headers, body: encoded } = parts.root
  const content = finish(decodeTransferInSteps(encoded, headers.get('content-transfer-encoding')))
  return { body: content, contentType: headers.get('content-type'), text: Buffer.from(content).toString() }
}

function refusal(body: string | Buffer, contentType = related): string {
  try {
    root(body, contentType)
  } catch (error) {
    ok(error instanceof XmlError, String(error))
    return error.message
  }
  throw new Error('accepted')
}

test('the first part is the root, and has its own Content-Type [D3.8]', () => {
  const body = crlf(
    '--b',
    'Content-Type: text/xml; charset=iso-8859-1',
    '',
    '<a/>',
    '--b',
    '',
    'attachment',
    '--b--',
    '',
  )
  const { text, contentType } = root(body)
  strictEqual(text, '<a/>')
  strictEqual(contentType, 'text/xml; charset=iso-8859-1')
  strictEqual(root(`preamble\r\n${body}epilogue`).text, '<a/>')
})

test('the start parameter names the root [D3.8]', () => {
  const body = crlf('--b', 'Content-ID: <1@x>', '', 'one', '--b', 'content-id:', ' <2@x>', '', 'two', '--b--')
  strictEqual(root(body).text, 'one')
  for (const start of ['"<2@x>"', '<2@x>', '2@x']) strictEqual(root(body, `${related}; start=${start}`).text, 'two')
  strictEqual(refusal(body, `${related}; start="<3@x>"`), 'the multipart answer has no root part')
})

test('boundaries with quotes, dashes, spaces [D3.8]', () => {
  for (const [written, boundary] of [
    ['"b"', 'b'],
    ['"b c"', 'b c'],
    ['"a\\"b"', 'a"b'],
    ['----=_Part_1', '----=_Part_1'],
    ['"----"', '----'],
    ['b;x=y', 'b'],
  ] as const) {
    const body = crlf(`--${boundary}`, '', '<a/>', `--${boundary}--`)
    strictEqual(root(body, `Multipart/Related; Boundary=${written}`).text, '<a/>', written)
  }
})

test('line feeds alone, white space after a boundary, folded headers in any case [D3.8]', () => {
  strictEqual(
    root('--b\nCONTENT-TYPE:\n\ttext/xml;\n charset=utf-8\n\n<a>\n</a>\n--b--\n').contentType,
    'text/xml; charset=utf-8',
  )
  strictEqual(root('--b\n\n<a>\n</a>\n--b--').text, '<a>\n</a>')
  strictEqual(root('--b \t\r\n\r\n<a/>\r\n--b-- ').text, '<a/>')
  strictEqual(root('--b\n\n\n--b--').text, '')
})

test('only a whole line is a boundary [D3.8]', () => {
  const content = crlf('<a>--b', 'x --b', '--bb', '--b c', '--b-', '--b-- x', ' --b', '-- b</a>')
  strictEqual(root(crlf('--b', '', content, '--b--')).text, content)
})

test('bytes stay bytes [D3.8]', () => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, code) => code))
  const { body } = root(Buffer.concat([Buffer.from('--b\r\n\r\n'), every, Buffer.from('\r\n\r\n--b--')]))
  strictEqual(Buffer.from(body).toString('hex'), `${every.toString('hex')}0d0a`)
})

test('transfer encodings are undone [D3.8]', () => {
  const encoded = (encoding: string, content: string): string =>
    crlf('--b', `Content-Transfer-Encoding: ${encoding}`, '', content, '--b--')
  for (const name of ['7bit', '8BIT', 'binary']) strictEqual(root(encoded(name, '=41')).text, '=41')
  const text = `<a>${'õ'.repeat(100)}</a>`
  const lines = Buffer.from(text)
    .toString('base64')
    .replaceAll(/(.{76})/g, '$1\r\n')
  strictEqual(root(encoded('Base64', lines)).text, text)
  strictEqual(
    root(encoded('Quoted-Printable', '<a b=3D"=C3=B5=c3=b5"> =\r\nx=  \r\n=09</a>=')).text,
    '<a b="õõ"> x\t</a>',
  )
  strictEqual(refusal(encoded('base64', 'PGE!')), 'the root part is not valid base64')
  for (const wrong of ['=4', '=4G', '= x', '==41', '=\u0000'])
    strictEqual(refusal(encoded('quoted-printable', `${wrong}x`)), 'the root part is not valid quoted-printable')
  strictEqual(refusal(encoded('x-uuencode', '')), 'the root part has an unknown Content-Transfer-Encoding')
  strictEqual(refusal(encoded('constructor', '')), 'the root part has an unknown Content-Transfer-Encoding')
})

test('without its closing boundary an answer has been cut, wherever that was [X10]', () => {
  const whole = crlf('--b', '', '<a/>', '--b', 'Content-Type: x', '', 'more', '--b--')
  strictEqual(root(whole).text, '<a/>')
  strictEqual(root(`${whole}\r\nepilogue`).text, '<a/>')
  for (let length = whole.indexOf('<a/>') + 4; length < whole.length; length += 1) {
    strictEqual(refusal(whole.slice(0, length)), 'the multipart answer has no closing boundary', `${length}`)
  }
  for (const end of ['--b--x', '--b-', '--b --', ' --b--', '--B--', '--c--']) {
    strictEqual(refusal(crlf('--b', '', '<a/>', end)), 'the multipart answer has no closing boundary', end)
  }
})

test('base64 has whole groups of four and nothing behind its end [X10]', () => {
  const encoded = (content: string): string => crlf('--b', 'Content-Transfer-Encoding: base64', '', content, '--b--')
  for (const good of ['QUJD', 'QUI=', 'QQ==', 'QUJD\r\nQUJD\r\n', ' Q U J D ', '', 'QUJD'.repeat(300_000)])
    strictEqual(root(encoded(good)).text, Buffer.from(good, 'base64').toString(), good.slice(0, 20))
  for (const broken of [
    'QUJDR',
    'QUJDRE',
    'QUJDREV',
    'QUI',
    'Q',
    'Q===',
    '====',
    '=',
    'QQ==QQ==',
    'QUI=QUJD',
    'QU=D',
    'QUJD\0',
    'QUJ-',
    'QUJDR'.padStart(524_289, 'QUJD'),
    `${'QUJD'.repeat(131_072)}=QUJ`,
  ])
    // prettier-ignore
    strictEqual(refusal(encoded(broken)), 'the root part is not valid base64', broken.slice(-20))
})

test('no boundary, no root, no end of the headers [D3.8 S-error.upstream_xml_parse_error]', () => {
  strictEqual(refusal('--b\n\n<a/>\n--b--', 'multipart/related'), 'the multipart answer names no boundary')
  strictEqual(refusal('--b\n\n<a/>\n--b--', 'multipart/related; boundary=""'), 'the multipart answer names no boundary')
  for (const body of ['', '<a/>', '--c\n\n<a/>\n--c--', '--b--\n\n<a/>', 'x--b\n\n<a/>'])
    strictEqual(refusal(body), 'the multipart answer has no root part')
  for (const body of ['--b', '--b\n\n--b--', '--b\nContent-Type: text/xml', `--b\nx: ${'y'.repeat(20_000)}\n\n<a/>`])
    strictEqual(refusal(body), 'the headers of a part have no end')
  strictEqual(refusal('--b\n\n\n'.repeat(2000), `${related}; start=x`), 'the root is not among the first 1000 parts')
})

test('parameters of a media type: quotes, escapes, the first of a name, never a throw', () => {
  const read = (header: string): string => JSON.stringify([...readMediaType(header).parameters])
  strictEqual(readMediaType(' Text/XML ;charset=x').type, 'text/xml')
  strictEqual(read('a/b; C=d ;e="f;g\\"h"; c=i;'), '[["c","d"],["e","f;g\\"h"]]')
  strictEqual(read('a/b; c = d'), '[["c","d"]]')
  strictEqual(read('a/b; c="d'), '[["c","d"]]')
  strictEqual(read('a/b; c="d\\'), '[["c","d"]]')
  strictEqual(read('a/b;;; =; c; "d"; e'), '[]')
  strictEqual(read(''), '[]')
  strictEqual(read('a/b; __proto__=x'), '[["__proto__","x"]]')
})

test('a whole fault in an answer that was cut after it is that fault, and nothing else is taken [G11]', () => {
  const envelope = (body: string): string => `<e:Envelope xmlns:e="urn:e"><e:Body>${body}</e:Body></e:Envelope>`
  const fault = envelope('<e:Fault><faultcode>C</faultcode><faultstring>S</faultstring></e:Fault>')
  const opening = crlf('--b', 'Content-Type: text/xml', '', '')
  const rest = crlf('', '--b', 'Content-Type: x', '', 'more', '--b--')
  for (const attachments of ['none', 'base64'] as const) {
    for (let length = 0; length < rest.length; length += 1) {
      const { fault: found } = readResponse(Buffer.from(opening + fault + rest.slice(0, length)), related, {
        attachments,
      })
      strictEqual(`${found?.code} ${found?.string}`, 'C S', `${length}`)
    }
    for (const cut of [
      opening + fault.slice(0, -1),
      opening + envelope('<a/>'),
      `${opening}${fault}x`,
      `--b\r\n${fault}`,
    ]) {
      throws(() => readResponse(Buffer.from(cut), related, { attachments }), /no closing boundary|headers of a part/)
    }
  }
})
