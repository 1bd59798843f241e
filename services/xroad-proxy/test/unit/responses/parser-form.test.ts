/**
 * The form in which the engine keeps XML parsers: in the slow one, which it chooses by itself, a response takes several
 * times as long to read. A start reads descriptions and envelopes first.
 */
import { deepStrictEqual } from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { SaxesParser } from 'saxes'
import { readResponse } from '../../../src/soap/message/response.ts'
import { readXml } from '../../../src/wsdl/xml/xml.ts'

test('parsers of descriptions and of responses stay in the fast form, and are of one kind [B8]', () => {
  setFlagsFromString('--allow-natives-syntax')
  // oxlint-disable-next-line no-implied-eval -- the parser of the engine has to see the flag first
  const isFast = new Function('value', 'return %HasFastProperties(value)') as (value: object) => boolean
  const write = mock.method(SaxesParser.prototype, 'write')
  const document = Buffer.from('<s:Envelope xmlns:s="S"><s:Body a="b">x</s:Body></s:Envelope>')
  for (let times = 0; times < 20; times++) {
    readXml(document)
    readResponse(document, 'text/xml')
  }
  const parsers = new Set(write.mock.calls.map((call) => call.this as SaxesParser))
  deepStrictEqual(Map.groupBy(parsers, isFast).keys().toArray(), [true])
  deepStrictEqual(
    Map.groupBy(parsers, ({ opt }) => opt.xmlns)
      .keys()
      .toArray(),
    [false],
  )
})
