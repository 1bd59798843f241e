/**
 * What a WSDL file may be at all: charsets, well-formedness, limits; and schemas that try to take all time or memory.
 */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readWsdl } from '../../../src/wsdl/operations/operations.ts'
import { describeSkip, skipReasons } from '../../../src/wsdl/operations/reasons.ts'
import { ResponseSchemas } from '../../../src/wsdl/description/response-schema.ts'
import { describeRequest } from '../../../src/wsdl/description/request-schema.ts'
import { WsdlError, xmlLimits } from '../../../src/wsdl/xml/xml.ts'
import { generateAll, generateAround, noFiles, readText, wsdlAround } from '../../support/wsdl/wsdl.ts'

const read = (bytes: Uint8Array) => readWsdl(bytes, 'owner/api.wsdl', noFiles)
const utf8 = (text: string) => new TextEncoder().encode(text)
const element = (name: string, type: string, more = '') => `<x:element name="${name}" type="${type}" ${more}/>`
const complex = (name: string, inner: string) =>
  `<x:complexType name="${name}"><x:sequence>${inner}</x:sequence></x:complexType>`
const count = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index))

describe('charsets [D5.9]', () => {
  const text = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?>${wsdlAround(element('op', 't:T') + complex('T', element('õun', 'x:int')))}`
  const latin1 = (encoding: string) => Buffer.from(text(encoding), 'latin1')
  const files: Readonly<Record<string, Uint8Array>> = {
    'UTF-8': utf8(text('UTF-8')),
    'UTF-8 with a byte-order mark': Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), utf8(text('UTF-8'))]),
    'ISO-8859-1': latin1('ISO-8859-1'),
    'ISO-8859-15': latin1('ISO-8859-15'),
    'windows-1252': latin1('windows-1252'),
    'windows-1257': latin1('windows-1257'),
    'ISO-8859-4': latin1('ISO-8859-4'),
    'ISO-8859-13': latin1('ISO-8859-13'),
    'windows-1250': Buffer.from(text('windows-1250').replaceAll('õ', 'ä'), 'latin1'),
    'UTF-16': Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(text('UTF-16'), 'utf16le')]),
  }
  for (const [name, bytes] of Object.entries(files)) {
    test(name, () => {
      const [result] = generateAll(read(bytes))
      ok(result?.kind === 'generated')
      match(result.text, /<[õä]un>\{\{xml_integer [õä]un\}\}<\/[õä]un>/)
    })
  }
})

describe('a file that is no WSDL is refused as a whole, with the line [S-wsdl.1]', () => {
  const files: Readonly<Record<string, readonly [string, RegExp]>> = {
    empty: ['', /^is empty$/],
    'white space only': [' \n', /root element/],
    'a web page': [
      '<!DOCTYPE html><html><body>Log in</body></html>',
      /^is a web page and no WSDL; perhaps a page to log in/,
    ],
    'a web page in small letters [G9]': [
      '\n<!doctype html><p>404',
      /^is a web page and no WSDL; .*; get the WSDL itself, whose address often ends in \?wsdl$/,
    ],
    'a web page in XML': ['<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x" "y"><html/>', /^is a web page and no WSDL/],
    'not XML': ['\n hello', /^is not XML, which begins with <$/],
    unclosed: [wsdlAround('').replace('</wsdl:definitions>', ''), /unclosed tag/],
    'another document': ['<html/>', /is not a WSDL: its first element is html/],
    'an unknown prefix': ['<a:b/>', /unbound namespace prefix: "a"/],
    'an unknown prefix of an attribute': ['<a b:c="d"/>', /unbound namespace prefix: "b"/],
    'a name with two colons': ['<a:b:c xmlns:a="d"/>', /malformed name: a:b:c/],
    'a prefix without a namespace': ['<a xmlns:b=""/>', /invalid attempt to undefine prefix/],
    'a reserved prefix': ['<a xmlns:xml="b"/>', /xml prefix must be bound to/],
    'a reserved namespace': ['<a xmlns="http://www.w3.org/2000/xmlns/"/>', /default namespace may not be set/],
    'the prefix of declarations': ['<xmlns:a/>', /tags may not have "xmlns" as prefix/],
    'one attribute by two prefixes': ['<a xmlns:b="d" xmlns:c="d" b:e="" c:e=""/>', /duplicate attribute: \{d\}e/],
    'an instruction with a prefix': ['<a><?b:c d?></a>', /processing instruction name/],
    DOCTYPE: [`<!DOCTYPE a [<!ENTITY b "c">]>${wsdlAround('')}`, /DOCTYPE/],
    'an entity of its own': [wsdlAround('&b;'), /undefined entity/],
    'an unknown charset': [
      '<?xml version="1.0" encoding="ebcdic"?><a/>',
      /ebcdic is not supported; save the file as UTF-8/,
    ],
    'a charset that was never made': ['<?xml version="1.0" encoding="ISO-8859-12"?><a/>', /iso-8859-12/i],
    'too deep': [
      wsdlAround('<x:sequence>'.repeat(xmlLimits.depth) + '</x:sequence>'.repeat(xmlLimits.depth)),
      /deeper/,
    ],
    'too many elements': [`<a>${'<b/>'.repeat(xmlLimits.elements)}</a>`, /more than 500000 elements/],
    'too large': [`<a>${' '.repeat(xmlLimits.bytes)}</a>`, /larger than 16777216 bytes/],
  }
  test('JSON, a bare & and bytes of another charset than the file says are told as what they are [D5.9]', () => {
    for (const text of ['{"openapi": "3.1.0"}', '\uFEFF\n [1]'])
      throws(
        () => read(Buffer.from(text)),
        /^WsdlError: is JSON and no WSDL; the description of a REST service belongs/,
      )
    const [line, cause] = [3, 'an & that begins no reference; as a character it is written &amp;']
    throws(() => read(Buffer.from('<a>\n<!-- a & b -->\n<b>a & b</b>\n<c>&lt;</c></a>')), {
      message: `not well-formed: ${cause}`,
      line,
    })
    throws(() => read(Buffer.from('<a>õ</a>', 'latin1')), /^WsdlError: holds bytes that are not utf-8; save it so, or/)
  })

  test('a compressed file is refused', () => {
    throws(() => read(gzipSync('<a/>')), /^WsdlError: is compressed \(gzip\); unpack it$/)
  })

  for (const [name, [text, message]] of Object.entries(files)) {
    test(name, () => {
      throws(
        () => read(utf8(text)),
        (error) => error instanceof WsdlError && message.test(error.message) && error.line >= 1,
      )
    })
  }

  test('the line is that of the trouble', () => {
    throws(
      () => read(utf8('<a>\n\n<b></a>')),
      (error) => error instanceof WsdlError && error.line === 3,
    )
  })
})

/** Schemas of some kilobytes that a reader could follow for ever; each ends at once, in one way or the other. */
describe('hostile schemas end [S-wsdl.4 D5.1]', () => {
  const chain = (length: number, link: (index: number) => string) => count(length, link).join('')
  const extending = (base: string) =>
    `<x:complexContent><x:extension base="${base}"><x:sequence/></x:extension></x:complexContent>`
  const twice = (
    name: string,
    length: number,
    wrap: (name: string, inner: string) => string,
    use: (name: string) => string,
  ) => chain(length, (index) => wrap(`${name}${index}`, use(`t:${name}${index + 1}`).repeat(2)))
  const group = (name: string, inner: string) => `<x:group name="${name}"><x:sequence>${inner}</x:sequence></x:group>`
  const groupRef = (name: string) => `<x:group ref="${name}"/>`
  const attributeGroup = (name: string, inner: string) => `<x:attributeGroup name="${name}">${inner}</x:attributeGroup>`
  const root = (inner: string) => `${element('op', 't:T')}<x:complexType name="T">${inner}</x:complexType>`
  const schemas: Readonly<Record<string, readonly [string, string]>> = {
    'a group of itself': [root(groupRef('t:G')) + group('G', groupRef('t:G')), 'endless'],
    'a type that extends itself': [root(extending('t:T')), 'type_missing'],
    'types that extend each other': [
      `${root(extending('t:U'))}<x:complexType name="U">${extending('t:T')}</x:complexType>`,
      'type_missing',
    ],
    'a simple type of itself': [
      `${element('op', 't:S')}<x:simpleType name="S"><x:restriction base="t:S"/></x:simpleType>`,
      'type_missing',
    ],
    'an attribute group of itself': [
      root('<x:attributeGroup ref="t:A"/>') + attributeGroup('A', '<x:attributeGroup ref="t:A"/>'),
      'generated',
    ],
    'types that double': [
      element('op', 't:T0') +
        chain(60, (index) => complex(`T${index}`, element('a', `t:T${index + 1}`) + element('b', `t:T${index + 1}`))) +
        complex('T60', element('z', 'x:int')),
      'request_too_large',
    ],
    'groups that double': [
      root(groupRef('t:G0')) + twice('G', 60, group, groupRef) + group('G60', element('z', 'x:int')),
      'request_too_large',
    ],
    'attribute groups that double': [
      root('<x:attributeGroup ref="t:A0"/>') +
        twice('A', 60, attributeGroup, (name) => `<x:attributeGroup ref="${name}"/>`) +
        attributeGroup('A60', '<x:attribute name="z"/>'),
      'generated',
    ],
    'unions that double': [
      [
        element('op', 't:U0'),
        ...count(60, (index) => `<x:union memberTypes="t:U${index + 1} t:V${index + 1}"/>`).flatMap((union, index) =>
          ['U', 'V'].map((name) => `<x:simpleType name="${name}${index}">${union}</x:simpleType>`),
        ),
        '<x:simpleType name="U60"><x:restriction base="x:int"/></x:simpleType>',
        '<x:simpleType name="V60"><x:restriction base="x:string"/></x:simpleType>',
      ].join(''),
      'generated',
    ],
    'a chain of 5000 elements': [
      element('op', 't:T0') +
        chain(5000, (index) => complex(`T${index}`, element('a', `t:T${index + 1}`))) +
        complex('T5000', ''),
      'request_too_large',
    ],
    'a chain of 5000 simple types': [
      element('op', 't:S0') +
        chain(5000, (index) => `<x:simpleType name="S${index}"><x:restriction base="t:S${index + 1}"/></x:simpleType>`),
      'type_missing',
    ],
    'a chain of 5000 groups': [
      root(groupRef('t:G0')) + chain(5000, (index) => group(`G${index}`, groupRef(`t:G${index + 1}`))),
      'request_too_large',
    ],
    'nine thousand elements of one name': [
      root(`<x:sequence>${element('a', 'x:int', 'minOccurs="0"').repeat(9000)}</x:sequence>`),
      'request_too_large',
    ],
    'branches that all depend on everything below': [
      element('op', 't:T0') +
        chain(95, (index) =>
          complex(
            `T${index}`,
            element('a', `t:T${index + 1}`, 'minOccurs="0"') +
              count(50, (at) => element(`b${index}_${at}`, 'x:int')).join(''),
          ),
        ) +
        complex('T95', ''),
      'request_too_large',
    ],
  }
  for (const [name, [schema, outcome]] of Object.entries(schemas)) {
    test(name, () => {
      const result = generateAround(schema)
      strictEqual(result.kind === 'skipped' ? result.reason : result.kind, outcome)
      if (result.kind === 'generated') describeRequest(result.request)
      const wsdl = readText(wsdlAround(schema))
      const element = wsdl.outline.element('{urn:t}op')
      ok(element !== undefined)
      ok('properties' in new ResponseSchemas(wsdl, (key) => key).describe(element))
    })
  }
})

test('two thousand operations are read in moments [S-wsdl.7]', () => {
  const names = count(2000, (index) => `op${index}`)
  const text = wsdlAround(element('op', 't:T') + complex('T', element('a', 'x:int')))
    .replace(/<wsdl:portType.*<\/wsdl:portType>/, () => {
      const operations = names.map(
        (name) => `<wsdl:operation name="${name}"><wsdl:input message="t:m"/></wsdl:operation>`,
      )
      return `<wsdl:portType name="pt">${operations.join('')}</wsdl:portType>`
    })
    .replace(/<wsdl:operation name="op">.*<\/wsdl:operation><\/wsdl:binding>/s, () => {
      const operations = names.map((name) => `<wsdl:operation name="${name}"/>`)
      return `${operations.join('')}</wsdl:binding>`
    })
  const results = generateAll(readText(text))
  deepStrictEqual(
    results.map(({ kind, name }) => [kind, name]),
    names.map((name) => ['generated', name]),
  )
})

describe('the address of an operation is that of the port of its binding [X25]', () => {
  const ports = (...named: readonly string[]): string =>
    named
      .map(
        (binding, index) => `<wsdl:port binding="${binding}"><soap:address location="https://${index}/"/></wsdl:port>`,
      )
      .join('')
  const addressFor = (port: string, more = ''): string | undefined => {
    const text = wsdlAround(element('op', 'x:int')).replace(
      '</wsdl:definitions>',
      `${more}<wsdl:service name="s" xmlns:o="urn:o">${port}</wsdl:service></wsdl:definitions>`,
    )
    const [operation] = readText(text).operations
    ok(operation?.kind === 'operation')
    return operation.address
  }

  test('a port that names another binding is not asked', () => {
    strictEqual(addressFor(ports('t:other', 't:b')), 'https://1/')
    strictEqual(addressFor(ports('t:other')), undefined)
  })

  for (const wrong of ['o:b', 'b', 'nowhere:b']) {
    test(`a port whose binding has the wrong prefix means the only one of that name: ${wrong}`, () => {
      strictEqual(addressFor(ports(wrong)), 'https://0/')
    })
  }
})

test('every reason is a sentence about the operation [D5.10]', () => {
  for (const [reason, words] of Object.entries(skipReasons)) {
    const code = reason as keyof typeof skipReasons
    const skip = { kind: 'skipped', name: 'find', file: 'a.wsdl', line: 7, reason: code } as const
    strictEqual(describeSkip({ ...skip, detail: '' }), `operation find ${words}`)
    strictEqual(describeSkip({ ...skip, detail: 'in a/b' }), `operation find ${words}: in a/b`)
  }
})

test('a missing type names the include that may hold it, and the place of the operation [S-wsdl.4]', () => {
  const schema = `<x:include schemaLocation="https://far.example.org/a.xsd"/>${element('op', 't:Far')}`
  const result = generateAround(schema)
  ok(result.kind === 'skipped')
  ok(result.line > 1)
  match(result.detail, /^t:Far; perhaps in https:\/\/far\.example\.org\/a\.xsd \(not beside the WSDL\), which /)
})

test('what a schema redefines has its own parts and those of the original, also twice [D5.1]', () => {
  const schemaOf = (inner: string) =>
    `<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">${inner}</x:schema>`
  const redefine = (file: string, number: number) =>
    `<x:redefine schemaLocation="${file}">
    <x:complexType name="C"><x:complexContent><x:extension base="t:C">
    <x:sequence>${element(`c${number}`, 'x:int')}</x:sequence>
    </x:extension></x:complexContent></x:complexType>
    <x:group name="G"><x:sequence><x:group ref="t:G"/>${element(`g${number}`, 'x:int')}</x:sequence></x:group>
    </x:redefine>`
  const files: Readonly<Record<string, string>> = {
    'a.xsd': schemaOf(redefine('b.xsd', 2)),
    'b.xsd': schemaOf(
      `${complex('C', element('c1', 'x:int'))}<x:group name="G"><x:sequence>${element('g1', 'x:int')}</x:sequence></x:group>`,
    ),
  }
  const text = wsdlAround(
    redefine('a.xsd', 3) + element('op', 't:T') + complex('T', `${element('c', 't:C')}<x:group ref="t:G"/>`),
  )
  const wsdl = readWsdl(utf8(text), 'owner/api.wsdl', (file) => {
    const found = files[file]
    return found === undefined ? undefined : { file, bytes: utf8(found) }
  })
  const [result] = generateAll(wsdl)
  ok(result?.kind === 'generated')
  deepStrictEqual(Object.keys(describeRequest(result.request).schema['properties'] as object), [
    'c1',
    'c2',
    'c3',
    'g1',
    'g2',
    'g3',
  ])
})
