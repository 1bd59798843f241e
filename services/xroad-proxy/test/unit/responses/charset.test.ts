/** Which charset is chosen, and that every supported one is read byte by byte as its standard has it. */
import { ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { decodeXml } from '../../../src/soap/message/charset.ts'
import { XmlError } from '../../../src/soap/json/xml-error.ts'

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const utf16le = (text: string): Buffer => Buffer.from(text, 'utf16le')
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()
const bytes = (...codes: number[]): Buffer => Buffer.from(codes)
const declared = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?>`

function refusal(body: Uint8Array, contentType?: string): string {
  try {
    decodeXml(body, contentType)
  } catch (error) {
    ok(error instanceof XmlError, String(error))
    return error.message
  }
  throw new Error('accepted')
}

/** Characters of bytes 0x80 to 0xFF where they are not those of ISO-8859-1, from the tables of the charsets. */
const tables: Readonly<Record<string, string>> = {
  'ISO-8859-1': '',
  'ISO-8859-15': 'a4€ a6Š a8š b4Ž b8ž bcŒ bdœ beŸ',
  'windows-1252':
    '80€ 82‚ 83ƒ 84„ 85… 86† 87‡ 88ˆ 89‰ 8aŠ 8b‹ 8cŒ 8eŽ 91‘ 92’ 93“ 94” 95• 96– 97— 98˜ 99™ 9aš 9b› 9cœ 9ež 9fŸ',
  'windows-1257':
    '80€ 82‚ 84„ 85… 86† 87‡ 89‰ 8b‹ 8d¨ 8eˇ 8f¸ 91‘ 92’ 93“ 94” 95• 96– 97— 99™ 9b› 9d¯ 9e˛ a8Ø aaŖ afÆ b8ø baŗ bfæ ' +
    'c0Ą c1Į c2Ā c3Ć c6Ę c7Ē c8Č caŹ cbĖ ccĢ cdĶ ceĪ cfĻ d0Š d1Ń d2Ņ d4Ō d8Ų d9Ł daŚ dbŪ ddŻ deŽ ' +
    'e0ą e1į e2ā e3ć e6ę e7ē e8č eaź ebė ecģ edķ eeī efļ f0š f1ń f2ņ f4ō f8ų f9ł faś fbū fdż fež ff˙',
}

/** Bytes that a charset does not have, from the tables of the Unicode consortium. */
const undefinedBytes: Readonly<Record<string, readonly number[]>> = {
  'windows-1252': [0x81, 0x8d, 0x8f, 0x90, 0x9d],
  'windows-1257': [0x81, 0x83, 0x88, 0x8a, 0x8c, 0x90, 0x98, 0x9a, 0x9c, 0x9f, 0xa1, 0xa5],
}

for (const [charset, differences] of Object.entries(tables)) {
  test(`${charset}, every byte, by declaration and by Content-Type; a byte that it lacks is an error [D3.1 X13]`, () => {
    const others = new Map(
      differences.split(' ').map((each) => [Number.parseInt(each.slice(0, 2), 16), each.slice(2)] as const),
    )
    for (let code = 0x80; code <= 0xff; code++) {
      const expected = others.get(code) ?? String.fromCharCode(code)
      const declaration = declared(charset)
      const body = Buffer.concat([latin1(declaration), bytes(code)])
      if (undefinedBytes[charset]?.includes(code)) {
        strictEqual(refusal(body), `the answer is not valid ${charset}`, code.toString(16))
        strictEqual(refusal(bytes(code), `text/xml; charset=${charset}`), `the answer is not valid ${charset}`)
        continue
      }
      strictEqual(decodeXml(body, undefined), declaration + expected, code.toString(16))
      strictEqual(decodeXml(bytes(code), `text/xml; charset=${charset}`), expected)
    }
  })
}

test('UTF-8 without a word, with a mark, with its names; US-ASCII is a part of it [D3.1]', () => {
  const text = '<a>õ€😀</a>'
  strictEqual(decodeXml(Buffer.from(text), undefined), text)
  strictEqual(decodeXml(Buffer.from(`\ufeff${text}`), undefined), text)
  strictEqual(decodeXml(Buffer.from(`\ufeff\ufeff${text}`), undefined), `\ufeff${text}`)
  for (const name of ['utf-8', 'UTF-8', '"utf-8"', 'utf8', 'us-ascii', 'US-ASCII']) {
    strictEqual(decodeXml(Buffer.from(text), `text/xml;charset=${name}`), text)
    const declaration = declared(name.replaceAll('"', ''))
    strictEqual(decodeXml(Buffer.from(declaration + text), 'text/xml'), declaration + text)
  }
  strictEqual(decodeXml(bytes(), undefined), '')
})

test('malformed UTF-8 is an error [D3.1]', () => {
  const broken = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe4, 0x20], [0x80]]
  for (const codes of broken) strictEqual(refusal(bytes(0x3c, ...codes)), 'the answer is not valid utf-8')
  strictEqual(refusal(latin1('<a>\u00f5</a>'), 'text/xml; charset=us-ascii'), 'the answer is not valid utf-8')
})

test('UTF-16 in both orders: by its mark, by name, by its first bytes [D3.1]', () => {
  const text = '<a>õ€😀</a>'
  for (const contentType of [undefined, 'text/xml', 'text/xml; charset=utf-16', 'text/xml; charset=iso-8859-1']) {
    strictEqual(decodeXml(utf16le(`\ufeff${text}`), contentType), text)
    strictEqual(decodeXml(utf16be(`\ufeff${text}`), contentType), text)
  }
  for (const contentType of [undefined, 'text/xml', 'text/xml; charset=utf-16']) {
    strictEqual(decodeXml(utf16le(declared('UTF-16') + text), contentType), declared('UTF-16') + text)
    strictEqual(decodeXml(utf16be(text), contentType), text)
  }
  strictEqual(decodeXml(utf16le(` ${text}`), 'text/xml; charset=utf-16le'), ` ${text}`)
  strictEqual(decodeXml(utf16be(` ${text}`), 'text/xml; charset=UTF-16BE'), ` ${text}`)
  strictEqual(decodeXml(utf16be(` ${text}`), 'text/xml; charset=utf-16'), ` ${text}`)
})

test('half a character of UTF-16 is an error, and so is UTF-16 that is not [D3.1]', () => {
  for (const text of ['<\ud83d>', '<\ude00>', '<\ud83d']) {
    strictEqual(refusal(utf16le(`\ufeff${text}`)), 'the answer is not valid UTF-16')
    strictEqual(refusal(utf16be(`\ufeff${text}`)), 'the answer is not valid UTF-16')
  }
  strictEqual(refusal(Buffer.concat([utf16le('<a/>'), bytes(0x20)])), 'the answer is not valid UTF-16')
  strictEqual(refusal(Buffer.from(`${declared('utf-16')}<a/>`)), 'the declaration says UTF-16, the bytes are not')
})

test('the bytes of the answer are left as they are', () => {
  const body = utf16be('\ufeff<a/>')
  const before = body.toString('hex')
  decodeXml(body, undefined)
  strictEqual(body.toString('hex'), before)
  strictEqual(decodeXml(body.subarray(2), 'text/xml; charset=utf-16be'), '<a/>')
  strictEqual(body.toString('hex'), before)
})

test('a mark goes before the Content-Type, that before the declaration [D3.1]', () => {
  const body = latin1(`${declared('windows-1257')}\u00e0`)
  ok(decodeXml(body, undefined).endsWith('ą'))
  ok(decodeXml(body, 'text/xml').endsWith('ą'))
  ok(decodeXml(body, 'text/xml; charset=""').endsWith('ą'))
  ok(decodeXml(body, 'text/xml; charset=iso-8859-1').endsWith('à'))
  ok(decodeXml(Buffer.from(`\ufeff${declared('windows-1257')}à`), 'text/xml; charset=iso-8859-15').endsWith('à'))
  ok(
    decodeXml(latin1("<?xml\tversion='1.0'\n encoding = 'ISO-8859-1' standalone='no'?>\u00e0"), undefined).endsWith(
      'à',
    ),
  )
})

test('any other charset is refused by its name, which is cleaned and cut [D3.1]', () => {
  strictEqual(refusal(Buffer.from('<a/>'), 'text/xml; charset=KOI8-R'), 'the charset KOI8-R is not supported')
  strictEqual(refusal(Buffer.from(`${declared('iso-8859-2')}<a/>`)), 'the charset iso-8859-2 is not supported')
  strictEqual(
    refusal(Buffer.from('<a/>'), 'text/xml; charset="a\nb\u001b[31m<"'),
    'the charset a?b??31m? is not supported',
  )
  ok(refusal(Buffer.from('<a/>'), `text/xml; charset=${'x'.repeat(10_000)}`).length < 100)
  for (const name of ['utf-7', 'utf-32', 'iso-8859-4', '__proto__', 'constructor', 'shift_jis', 'x-user-defined'])
    strictEqual(refusal(Buffer.from('<a/>'), `text/xml; charset=${name}`), `the charset ${name} is not supported`)
})

test('compressed bytes are called by their name [S-limit.wire S-error.upstream_xml_parse_error]', () => {
  const compressed = [
    ['gzip', gzipSync('<a/>')],
    ['zstd', zstdCompressSync('<a/>')],
    ...[1, 3, 6, 9].map((level) => ['deflate', deflateSync('<a/>', { level })] as const),
  ] as const
  for (const [name, body] of compressed) {
    const message = `the answer is compressed (${name})`
    strictEqual(refusal(body), message)
    strictEqual(refusal(body, 'text/xml; charset=iso-8859-1'), message)
  }
})
