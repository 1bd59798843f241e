/** What generated files write in the place of literals, and what they say without one: numbers of JSON, SOAPAction. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { join } from 'node:path'
import { newFolder } from '@services/testing'
import { readWsdl } from '../../../src/wsdl/operations/operations.ts'
import { xmldsig } from '../../../src/wsdl/schema/xmldsig.ts'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import { toRequestCheck } from '../../../src/soap/check/check.ts'
import { CompiledContracts } from '../../../src/soap/check/compiled-contracts.ts'
import { readDocument, readParams } from '../../../src/soap/request/params.ts'
import { RequestContracts } from '../../../src/wsdl/description/request-contract.ts'
import { describeRequest } from '../../../src/wsdl/description/request-schema.ts'
import type { JsonSchema } from '../../../src/wsdl/description/value-schema.ts'
import type { GeneratedDsl } from '../../../src/wsdl/dsl/write.ts'
import { openSchemas, standAlone, whyNoXmllint } from '../../support/wsdl/xml-schema.ts'
import { renderDsl, bodyOf, generateAll, generateAround, readText, wsdlAround } from '../../support/wsdl/wsdl.ts'

const op = (content: string, types = ''): string =>
  `<x:element name="op"><x:complexType>${content}</x:complexType></x:element>${types}`
const field = (type: string, more = ''): string =>
  op(`<x:sequence><x:element name="f" type="${type}" ${more}/></x:sequence>`)
const decimals = '<x:sequence><x:element name="f" type="x:decimal" maxOccurs="3"/></x:sequence>'
const list = '<x:element name="f"><x:simpleType><x:list itemType="x:long"/></x:simpleType></x:element>'

const union = (types: string, others = ''): string =>
  `<x:simpleType><x:union memberTypes="${types}">${others}</x:union></x:simpleType>`
const words = (...values: readonly string[]): string =>
  `<x:simpleType><x:restriction base="x:string">${values.map((value) => `<x:enumeration value="${value}"/>`).join('')}</x:restriction></x:simpleType>`
const ofType = (type: string): string => op(`<x:sequence><x:element name="f">${type}</x:element></x:sequence>`)

function generate(schema: string): GeneratedDsl {
  const result = generateAround(schema)
  ok(result.kind === 'generated')
  return result
}

/** The body of the envelope for a text of JSON, whose numbers keep their digits. */
function send({ text }: GeneratedDsl, json: string): string {
  const { endpoint } = readDsl(text, { file: 'g.yml', group: 'g', service: 's' })
  ok(endpoint.kind === 'soap')
  const generated = { uuid: '', instance: '', client: '', protocol_version: '4.0' }
  return bodyOf(endpoint.envelope.render(readParams(Buffer.from(json), endpoint.params), generated))
}

function problemsWith({ request }: GeneratedDsl, json: string): unknown {
  const contracts = new RequestContracts()
  const check = toRequestCheck(new CompiledContracts(contracts), contracts.add(request), () => undefined)
  const document = readDocument(Buffer.from(json))
  return typeof document === 'string' ? document : check(document)
}

describe('numbers of JSON become digits where XML Schema has no exponent [G10]', () => {
  const rows: readonly (readonly [schema: string, json: string, sent: string])[] = [
    [field('x:decimal'), '{"f":1e-7}', '<f>0.0000001</f>'],
    [field('x:decimal'), '{"f":0.0000001}', '<f>0.0000001</f>'],
    [field('x:decimal'), '{"f":-1.5E+2}', '<f>-150</f>'],
    [field('x:decimal'), '{"f":-0.0}', '<f>-0.0</f>'],
    [field('x:decimal'), '{"f":1.50}', '<f>1.50</f>'],
    [field('x:decimal'), `{"f":1e308}`, `<f>1${'0'.repeat(308)}</f>`],
    [field('x:integer'), '{"f":1e22}', '<f>10000000000000000000000</f>'],
    [field('x:integer'), '{"f":1E+5}', '<f>100000</f>'],
    [field('x:integer'), '{"f":-0.0}', '<f>-0</f>'],
    [field('x:integer'), '{"f":12.0}', '<f>12</f>'],
    [field('x:unsignedByte'), '{"f":2.5e1}', '<f>25</f>'],
    [field('x:double'), '{"f":1e-7}', '<f>1e-7</f>'],
    [field('x:float'), '{"f":1E+5}', '<f>1E+5</f>'],
    [field('x:string'), '{"f":1e22}', '<f>1e22</f>'],
    [op('<x:attribute name="f" type="x:decimal"/>'), '{"f":1e3}', '<t:op f="1000"/>'],
    [op(decimals), '{"f":[1e3,"x&y",7]}', '<f>1000</f><f>x&amp;y</f><f>7</f>'],
    [op(`<x:sequence>${list}</x:sequence>`), '{"f":[1e3,2]}', '<f>1000 2 </f>'],
    [ofType(union('x:integer x:decimal')), '{"f":1e-7}', '<f>0.0000001</f>'],
    [ofType(union('x:int', words('unbounded'))), '{"f":1e3}', '<f>1000</f>'],
    [ofType(union('x:int', words('unbounded'))), '{"f":"unbounded"}', '<f>unbounded</f>'],
    [ofType(union('x:int', words('2E1', '2E2'))), '{"f":"2E1"}', '<f>2E1</f>'],
    [ofType(union('x:int x:double')), '{"f":1e3}', '<f>1e3</f>'],
    [
      ofType(`<x:simpleType><x:list>${union('x:int x:long')}</x:list></x:simpleType>`),
      '{"f":[1e3,2]}',
      '<f>1000 2 </f>',
    ],
    [field('x:decimal', 'minOccurs="0"'), '{}', '<t:op></t:op>'],
    [field('x:int', 'nillable="true"'), '{"f":null}', 'xsi:nil="true"></f>'],
  ]
  for (const [schema, json, sent] of rows) {
    test(`${json.slice(0, 60)} as ${/(?:type|itemType|memberTypes)="([^"]+)"/.exec(schema)?.[1]}`, () => {
      const result = generate(schema)
      ok(send(result, json).includes(sent), send(result, json))
      if (!json.includes('&')) deepStrictEqual(problemsWith(result, json), [])
    })
  }

  test('an exponent that would take more digits stays, and is refused', () => {
    const result = generate(field('x:decimal'))
    match(send(result, '{"f":1e309}'), /<f>1e309<\/f>/)
    deepStrictEqual(problemsWith(result, '{"f":1e309}'), [
      { param: 'f', problem: 'expected a number such as 12.50, without an exponent' },
    ])
  })

  test('a large request writes them in its short form too', () => {
    const many = Array.from({ length: 101 }, (_, index) => `<x:element name="e${index}" type="t:b" minOccurs="0"/>`)
    const leaves = Array.from(
      { length: 101 },
      (_, index) => `<x:element name="n${index}" type="x:decimal" minOccurs="0"/>`,
    )
    const types = `<x:complexType name="b"><x:sequence>${leaves.join('')}</x:sequence></x:complexType>`
    const result = generate(op(`<x:sequence>${many.join('')}</x:sequence>`, types))
    match(result.text, /\{\{xml_element "n0" \(xml_decimal n0\)\}\}/)
    strictEqual(send(result, '{"e0":{"n0":1e3}}'), '<t:op><e0><n0>1000</n0></e0></t:op>')
  })
})

describe('an abstract type whose derived types are text alone [G10]', () => {
  const extension = (name: string, base: string, more = ''): string =>
    `<x:complexType name="${name}" ${more}><x:simpleContent><x:extension base="${base}"/></x:simpleContent></x:complexType>`
  const types = extension('A', 'x:decimal', 'abstract="true"') + extension('B', 't:A') + extension('C', 't:A')
  const element = (more = ''): string => op(`<x:sequence><x:element name="f" type="t:A" ${more}/></x:sequence>`, types)
  const rows: readonly (readonly [schema: string, json: string, sent: string])[] = [
    [element(), '{"f":{"B":"1.50"}}', '<f xsi:type="t:B">1.50</f>'],
    [element(), '{"f":{"C":1e3}}', '<f xsi:type="t:C">1000</f>'],
    [element('minOccurs="0"'), '{}', '<t:op></t:op>'],
    [element('maxOccurs="2"'), '{"f":[{"B":1},{"C":2}]}', '<f xsi:type="t:B">1</f><f xsi:type="t:C">2</f>'],
    [element('nillable="true"'), '{"f":null}', '<f xsi:type="t:B" xsi:nil="true"/>'],
    [`<x:element name="op" type="t:A"/>${types}`, '{"C":2}', '<t:op xsi:type="t:C">2</t:op>'],
    [element().replace('name="C"', 'name="C" abstract="true"'), '{"f":7}', '<f xsi:type="t:B">7</f>'],
  ]
  for (const [schema, json, sent] of rows) {
    test(json, () => {
      const result = generate(schema)
      ok(send(result, json).includes(sent), send(result, json))
      deepStrictEqual(problemsWith(result, json), [])
    })
  }

  test('has a schema, an example that can be sent, and a check', () => {
    const result = generate(element())
    const { schema, example } = describeRequest(result.request)
    deepStrictEqual(example, { f: { B: 1 } })
    match(JSON.stringify(schema), /"properties":\{"B":\{"type":"number"\}\},"required":\["B"\]/)
    deepStrictEqual(problemsWith(result, '{"f":{"B":"x"}}'), [
      { param: 'f.B', problem: 'expected a number such as 12.50, without an exponent' },
    ])
  })
})

test('an operation that needs xsd:any is skipped, and the other one works [G10 X20]', () => {
  const two = wsdlAround(
    `${op('<x:sequence><x:element name="f" type="x:int"/><x:any/></x:sequence>')}<x:element name="add"/>`,
  )
    .replace(
      '<wsdl:portType',
      '<wsdl:message name="a"><wsdl:part name="p" element="t:add"/></wsdl:message><wsdl:portType',
    )
    .replace(
      '<wsdl:operation name="op"><wsdl:input m',
      '<wsdl:operation name="add"><wsdl:input message="t:a"/></wsdl:operation>$&',
    )
    .replace(
      '<wsdl:operation name="op"><wsdl:input><',
      '<wsdl:operation name="add"><wsdl:input><soap:body use="literal"/></wsdl:input></wsdl:operation>$&',
    )
  deepStrictEqual(
    generateAll(readText(two)).map((each) => [each.name, each.kind === 'skipped' ? each.reason : each.kind]),
    [
      ['add', 'generated'],
      ['op', 'any'],
    ],
  )
})

describe('a default that JSON would write with an exponent, or round, is a text for people [G10]', () => {
  const schemaOf = (value: string, type = 'x:decimal'): JsonSchema => {
    const { schema, example } = describeRequest(generate(field(type, `default="${value}"`)).request)
    doesNotMatch(JSON.stringify([schema['properties'], example]), /\d[eE][+-]?\d/)
    return (schema['properties'] as JsonSchema)['f'] as JsonSchema
  }
  for (const value of ['10000000000000000000000000000', '12345678901234567890.5', '0.0000000001']) {
    test(value, () => strictEqual(schemaOf(value)['description'], `Default: ${value}`))
  }
  test('others are numbers', () => strictEqual(schemaOf('1.50')['default'], 1.5))
})

describe('SOAPAction of an operation that states none [G10]', () => {
  const soap12 = (text: string): string =>
    text.replace('http://schemas.xmlsoap.org/wsdl/soap/', 'http://schemas.xmlsoap.org/wsdl/soap12/')
  const direct = { kind: 'direct', url: 'https://far.example.com/' } as const
  const around = wsdlAround(field('x:int'))
  const withOperation = around.replace(
    '<wsdl:operation name="op"><wsdl:input><soap',
    '<wsdl:operation name="op"><soap:operation style="document"/><wsdl:input><soap',
  )

  test('is empty, as WS-I demands', () => {
    for (const text of [around, withOperation]) {
      const [result] = generateAll(readText(text))
      ok(result?.kind === 'generated')
      match(result.text, /^soap_action: ""$/m)
      const { endpoint } = readDsl(result.text, { file: 'g.yml', group: 'g', service: 's' })
      ok(endpoint.kind === 'soap')
      strictEqual(endpoint.soapAction, '')
    }
  })

  test('is left out in SOAP 1.2, which does not demand one', () => {
    const [result] = generateAll(readText(soap12(around)), direct)
    ok(result?.kind === 'generated')
    doesNotMatch(result.text, /soap_action/)
  })
})

describe('the schema of XML Signature is known, whatever its location says [G10]', () => {
  const imports = '<x:import namespace="http://www.w3.org/2000/09/xmldsig#" schemaLocation="xmldsig-core-schema.xsd"/>'
  const sequence = `<x:sequence><x:element ref="ds:Signature" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/></x:sequence>`
  const wsdl = wsdlAround(imports + op(sequence))

  test('a file of W3C with its DOCTYPE beside the WSDL is not read', () => {
    const withDoctype = Buffer.from('<!DOCTYPE schema PUBLIC "-//W3C//DTD XMLSchema 200102//EN" "x"><schema/>')
    const read = readWsdl(Buffer.from(wsdl), 'owner/api.wsdl', (file) => ({ file, bytes: withDoctype }))
    deepStrictEqual(read.missing, [])
    const [result] = generateAll(read)
    ok(result?.kind === 'generated')
    match(result.text, /<ns1:SignatureValue/)
  })

  test('its text is a schema that takes the example of /api', { skip: whyNoXmllint() }, () => {
    const folder = newFolder({ 'xmldsig-core-schema.xsd': xmldsig })
    const result = generate(imports + op(sequence))
    const body = standAlone(renderDsl(result.text, describeRequest(result.request).example))
    const found = openSchemas(join(folder, 'api.wsdl'), wsdl).validate(new Map([['body', body]]))
    deepStrictEqual(found.get('body'), [])
  })
})
