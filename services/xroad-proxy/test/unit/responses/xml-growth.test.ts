/** No document makes the reader slow out of proportion. */
import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { checkGrowth } from '@services/testing'
import { readResponse } from '../../../src/soap/message/response.ts'
import { XmlError } from '../../../src/soap/json/xml-error.ts'

const kibibyte = 1024
const small = 384 * kibibyte

const fill = (piece: string, bytes: number): string => piece.repeat(Math.max(1, Math.floor(bytes / piece.length)))
const number = (bytes: number, each: (index: number) => string): string => {
  const pieces: string[] = []
  for (let length = 0; length < bytes; length += pieces.at(-1)?.length ?? 1) pieces.push(each(pieces.length))
  return pieces.join('')
}
const nest = (levels: number, inside: string): string => '<a>x'.repeat(levels) + inside + '</a>'.repeat(levels)

const documents: Readonly<Record<string, (bytes: number) => string>> = {
  'one attribute': (bytes) => `<a b="${fill('x', bytes)}"/>`,
  'references in an attribute': (bytes) => `<a b="${fill('&amp;', bytes)}"/>`,
  'tabs in an attribute': (bytes) => `<a b="${fill('\t', bytes)}"/>`,
  'attributes of one element': (bytes) => `<a${number(bytes, (index) => ` a${index}=""`)}/>`,
  'one text': (bytes) => `<a>${fill('x', bytes)}</a>`,
  'white space after a text': (bytes) => `<a>x${fill(' ', bytes)}x</a>`,
  'white space between comments': (bytes) => `<a>x${fill(`${' '.repeat(200)}<!---->`, bytes)}</a>`,
  'references in a text': (bytes) => `<a>${fill('&amp;', bytes)}</a>`,
  'carriage returns': (bytes) => `<a>${fill('x\r', bytes)}</a>`,
  brackets: (bytes) => `<a>${fill(']', bytes)}</a>`,
  'CDATA sections': (bytes) => `<a>${fill(`<![CDATA[${'x'.repeat(100)}]]>`, bytes)}</a>`,
  'brackets in CDATA': (bytes) => `<a><![CDATA[${fill(']]x]', bytes)}]]></a>`,
  'children of different names': (bytes) =>
    `<a>${number(bytes, (index) => `<n${index}>${'x'.repeat(80)}</n${index}>`)}</a>`,
  'children of one name': (bytes) => `<a>${fill('<b>12345678901234567890</b>', bytes)}</a>`,
  'a deep text': (bytes) => nest(128, fill('x', bytes)),
  'a long name': (bytes) => `<${fill('a', bytes)}/>`,
  'a long name, closed': (bytes) => `<${fill('a', bytes / 2)}></${fill('a', bytes / 2)}>`,
  'one comment': (bytes) => `<a><!--${fill(' -', bytes)} --></a>`,
  'one processing instruction': (bytes) => `<a><?p ${fill('?', bytes)}?></a>`,
  'a long entity': (bytes) => `<a>&${fill('a', bytes)};</a>`,
  'a long reference': (bytes) => `<a>&#x${fill('0', bytes)}41;</a>`,
  'an ampersand that does not end': (bytes) => `<a>&${fill('a', bytes)}`,
  'a DOCTYPE': (bytes) => `<!DOCTYPE a [${fill('<!ENTITY a "b">', bytes)}]><a/>`,
  'a declaration': (bytes) => `<?xml${fill(' ', bytes)}version="1.0"?><a/>`,
  'a fault': (bytes) => `<Fault><faultcode>${fill('x', bytes)}</faultcode><detail>${fill('x', bytes)}</detail></Fault>`,
}

/** Bodies of multipart/related, and a boundary. */
const parts: Readonly<Record<string, readonly [body: (bytes: number) => string, boundary: string]>> = {
  'boundaries in lines': [(bytes) => `--b\n\n<a>${fill('x --b', bytes)}</a>\n--b--`, 'b'],
  'lines that nearly are boundaries': [(bytes) => fill(`--${'b'.repeat(69)}c\n`, bytes), 'b'.repeat(70)],
  dashes: [(bytes) => fill('-', bytes), '-'.repeat(70)],
  'white space after boundaries': [(bytes) => fill(`--b${' '.repeat(50)}x\n`, bytes), 'b'],
  'empty parts': [(bytes) => fill('--b\n\n\n', bytes), 'b'],
  headers: [(bytes) => `--b\n${fill('a: b\n', bytes)}\n\n--b--`, 'b'],
  'quoted-printable': [
    (bytes) => `--b\nContent-Transfer-Encoding: quoted-printable\n\n${fill('=41', bytes)}\n--b--`,
    'b',
  ],
  'white space in quoted-printable': [
    (bytes) => `--b\nContent-Transfer-Encoding: quoted-printable\n\n${fill('= ', bytes)}`,
    'b',
  ],
  'white space in base64': [(bytes) => `--b\nContent-Transfer-Encoding: base64\n\n${fill(' ', bytes)}!\n--b--`, 'b'],
}

for (const [name, write] of Object.entries(documents))
  test(`time grows with the bytes of ${name}`, () => checkReader(write, undefined))

for (const [name, [write, boundary]] of Object.entries(parts)) {
  test(`time grows with the bytes of ${name}, in parts`, () => {
    checkReader(write, `multipart/related; boundary="${boundary}"`)
    checkReader(write, `multipart/related; boundary="${boundary}"; start=x`)
  })
}

function checkReader(write: (bytes: number) => string, contentType: string | undefined): void {
  checkGrowth(small, (bytes) => {
    const body = Buffer.from(write(bytes))
    return () => {
      try {
        Buffer.from(readResponse(body, contentType).body)
      } catch (error) {
        ok(error instanceof XmlError, String(error))
      }
    }
  })
}
