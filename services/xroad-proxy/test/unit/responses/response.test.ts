/** Bodies of answers as they come off the wire: plain, in another charset, in parts, compressed. */
import { deepStrictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readResponse } from '../../../src/soap/message/response.ts'
import { XmlError } from '../../../src/soap/json/xml-error.ts'

const envelope = (inside: string): string => `<s:Envelope xmlns:s="u"><s:Body>${inside}</s:Body></s:Envelope>`
const answered = (body: string): object => ({ body, headers: 'null', fault: undefined })

test('a plain answer, whatever its Content-Type says it is [S-endpoint.soap]', () => {
  for (const contentType of [undefined, '', 'text/xml', 'application/soap+xml; charset=utf-8', 'text/html', 'x'])
    deepStrictEqual(readResponse(Buffer.from(envelope('<a>õ</a>')), contentType), answered('{"a":"õ"}'))
})

test('an answer in the charset of its Content-Type or declaration [D3.1]', () => {
  const body = Buffer.from(`<?xml version="1.0" encoding="ISO-8859-15"?>${envelope('<a>\u00a8</a>')}`, 'latin1')
  deepStrictEqual(readResponse(body, 'text/xml'), answered('{"a":"š"}'))
  deepStrictEqual(readResponse(body, 'text/xml; charset=ISO-8859-1'), answered('{"a":"¨"}'))
  const wide = Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${envelope('<a>€</a>')}`, 'utf16le')
  deepStrictEqual(readResponse(wide, undefined), answered('{"a":"€"}'))
})

test('the root part in its own charset; the charset of the whole does not count [D3.8]', () => {
  const body = Buffer.from(
    `--b\r\nContent-Type: text/xml; charset=windows-1257\r\n\r\n${envelope('<a>\u00d0</a>')}\r\n--b\r\n\r\n\u00ff\r\n--b--`,
    'latin1',
  )
  deepStrictEqual(readResponse(body, 'multipart/related; charset=utf-8; boundary="b"'), answered('{"a":"Š"}'))
})

test('a mark inside of the root part, and a root that is cut off [D3.8]', () => {
  const whole = `--b\n\n\ufeff${envelope('<a>1</a>')}`
  deepStrictEqual(readResponse(Buffer.from(`${whole}\n--b--`), 'multipart/related; boundary=b'), answered('{"a":1}'))
  throws(() => readResponse(Buffer.from(`${whole.slice(0, -1)}\n--b--`), 'multipart/related; boundary=b'), XmlError)
})

test('compressed answers are named, in parts too [S-limit.wire]', () => {
  const compressed = { name: 'XmlError', message: 'the answer is compressed (gzip)' }
  throws(() => readResponse(gzipSync(envelope('')), 'text/xml'), compressed)
  throws(() => readResponse(gzipSync('--b'), 'multipart/related; boundary=b'), compressed)
  const part = Buffer.concat([Buffer.from('--b\n\n'), gzipSync(envelope('')), Buffer.from('\n--b--')])
  throws(() => readResponse(part, 'multipart/related; boundary=b'), compressed)
})

test('what is no XML is an XmlError [S-error.upstream_xml_parse_error]', () => {
  for (const body of ['', ' ', '{}', 'Bad Gateway', '<html><br></html>', '\u0000', '<!DOCTYPE html><html/>'])
    throws(() => readResponse(Buffer.from(body), 'text/xml'), XmlError, body)
})
