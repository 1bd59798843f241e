/**
 * Examples of /api, one for each facet and literal of XML Schema: our check takes them, and xmllint takes the envelopes
 * that they make.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { newFolder } from '@services/testing'
import { toRequestCheck } from '../../../../src/soap/check/check.ts'
import { CompiledContracts } from '../../../../src/soap/check/compiled-contracts.ts'
import { RequestContracts } from '../../../../src/wsdl/description/request-contract.ts'
import { describeRequest } from '../../../../src/wsdl/description/request-schema.ts'
import type { JsonSchema } from '../../../../src/wsdl/description/value-schema.ts'
import { generateAround, renderDsl, wsdlAround } from '../../../support/wsdl/wsdl.ts'
import { openSchemas, standAlone, whyNoXmllint } from '../../../support/wsdl/xml-schema.ts'

const op = (content: string): string => `<x:element name="op"><x:complexType>${content}</x:complexType></x:element>`
const el = (type: string): string => op(`<x:sequence><x:element name="f" type="${type}"/></x:sequence>`)
const simple = (base: string, facets: string): string =>
  op(
    `<x:sequence><x:element name="f"><x:simpleType><x:restriction base="${base}">${facets}</x:restriction></x:simpleType></x:element></x:sequence>`,
  )

const schemas: Readonly<Record<string, string>> = {
  ids: op(
    '<x:sequence><x:element name="a" maxOccurs="5" minOccurs="2"><x:complexType><x:sequence><x:element name="r" type="x:IDREF"/></x:sequence><x:attribute name="id" type="x:ID" use="required"/></x:complexType></x:element><x:element name="b" type="x:ID"/><x:element name="c" type="x:IDREFS"/></x:sequence>',
  ),
  min: simple('x:decimal', '<x:minInclusive value="100.5"/>'),
  min2: simple('x:decimal', '<x:minExclusive value="100"/><x:fractionDigits value="2"/>'),
  max: simple('x:integer', '<x:maxExclusive value="-7"/>'),
  small: simple('x:decimal', '<x:minExclusive value="0"/><x:maxExclusive value="0.001"/>'),
  big: simple('x:integer', '<x:minInclusive value="123456789012345678901"/>'),
  float: simple('x:float', '<x:minExclusive value="1"/><x:maxExclusive value="1.5"/>'),
  double: simple('x:double', '<x:maxExclusive value="1"/>'),
  'date ex': simple('x:date', '<x:minExclusive value="2030-01-01"/>'),
  'date mex': simple('x:date', '<x:maxExclusive value="1900-01-01"/>'),
  dt: simple('x:dateTime', '<x:maxExclusive value="2000-01-01T00:00:00"/>'),
  time: simple('x:time', '<x:minExclusive value="12:30:00"/>'),
  gy: simple('x:gYear', '<x:minExclusive value="2030"/>'),
  gm: simple('x:gMonth', '<x:minInclusive value="--05"/>'),
  dur: simple('x:duration', '<x:minInclusive value="P1Y"/>'),
  dur2: simple('x:duration', '<x:maxExclusive value="PT1H"/>'),
  lang: simple('x:language', '<x:minLength value="5"/>'),
  lang2: simple('x:language', '<x:length value="3"/>'),
  uri: simple('x:anyURI', '<x:length value="5"/>'),
  uri2: simple('x:anyURI', '<x:minLength value="40"/>'),
  tok: simple('x:NMTOKEN', '<x:length value="2"/>'),
  name: simple('x:NCName', '<x:minLength value="8"/>'),
  'id len': simple('x:ID', '<x:length value="8"/>'),
  totald: simple('x:decimal', '<x:totalDigits value="3"/><x:fractionDigits value="3"/>'),
  totald2: simple('x:integer', '<x:totalDigits value="1"/><x:minInclusive value="9"/>'),
  'list len': op(
    '<x:sequence><x:element name="f"><x:simpleType><x:restriction><x:simpleType><x:list itemType="x:date"/></x:simpleType><x:length value="3"/></x:restriction></x:simpleType></x:element></x:sequence>',
  ),
  'pat num': simple('x:integer', '<x:pattern value="[5-9]\\d{2}"/>'),
  'pat bound': simple('x:integer', '<x:minInclusive value="77"/><x:pattern value="[0-9]{2}"/>'),
  'pat sign': simple('x:negativeInteger', '<x:pattern value="-?[0-9]+"/>'),
  'between digits': simple('x:decimal', '<x:minExclusive value="99.25"/><x:fractionDigits value="0"/>'),
  'short ids': op(
    ['a', 'b']
      .map((name) => {
        const type = '<x:simpleType><x:restriction base="x:ID"><x:maxLength value="5"/></x:restriction></x:simpleType>'
        const element = `<x:complexType><x:attribute name="id" use="required">${type}</x:attribute></x:complexType>`
        return `<x:element name="${name}">${element}</x:element>`
      })
      .join('')
      .replace(/.*/, '<x:sequence>$&</x:sequence>'),
  ),
  'pat date': simple('x:date', '<x:pattern value="\\d{4}-12-\\d{2}"/>'),
  'pat len': simple('x:string', '<x:pattern value="[A-Z]*"/><x:minLength value="4"/>'),
  union: op(
    '<x:sequence><x:element name="f"><x:simpleType><x:restriction><x:simpleType><x:union memberTypes="x:int x:date"/></x:simpleType><x:pattern value=".{10}"/></x:restriction></x:simpleType></x:element></x:sequence>',
  ),
  ws: simple('x:string', '<x:whiteSpace value="collapse"/><x:minLength value="3"/>'),
  hex: simple('x:hexBinary', '<x:minLength value="3"/>'),
  ubyte: simple('x:unsignedByte', '<x:minInclusive value="200"/>'),
  neg: el('x:negativeInteger'),
  npos: el('x:nonPositiveInteger'),
  pos: el('x:positiveInteger'),
  fixed: op(
    '<x:sequence><x:element name="f" type="x:decimal" fixed="1.50" minOccurs="0"/><x:element name="g" type="x:date" fixed="2020-01-01" minOccurs="0"/></x:sequence>',
  ),
  occurs: op('<x:sequence><x:element name="f" type="x:int" minOccurs="3" maxOccurs="5"/></x:sequence>'),
}

describe('the example of a request is valid [G10]', { skip: whyNoXmllint() }, () => {
  for (const [title, schema] of Object.entries(schemas)) {
    test(title, () => {
      const result = generateAround(schema)
      ok(result.kind === 'generated')
      const { example } = describeRequest(result.request)
      const contracts = new RequestContracts()
      const check = toRequestCheck(new CompiledContracts(contracts), contracts.add(result.request), () => undefined)
      deepStrictEqual(check(example), [])
      const body = standAlone(renderDsl(result.text, example))
      const found = openSchemas(join(newFolder(), 'api.wsdl'), wsdlAround(schema)).validate(new Map([['body', body]]))
      deepStrictEqual(found.get('body'), [])
    })
  }
})

describe('a default that is no value of its type is told, and not used [G10]', () => {
  const defaults: Readonly<Record<string, readonly [schema: string, example: unknown]>> = {
    'a text for a number': [el('x:int').replace('/>', ' default="abc"/>'), 1],
    'no date of the calendar': [el('x:date').replace('/>', ' default="2020-13-01"/>'), '2026-01-31'],
    'above the most': [simple('x:int', '<x:maxInclusive value="-5"/>').replace('"f"', '"f" default="9"'), -5],
  }
  for (const [title, [schema, example]] of Object.entries(defaults)) {
    test(title, () => {
      const result = generateAround(schema)
      ok(result.kind === 'generated')
      const described = describeRequest(result.request)
      deepStrictEqual(described.example, { f: example })
      const { default: usual, description } = (described.schema['properties'] as JsonSchema)['f'] as JsonSchema
      strictEqual(usual, undefined)
      match(JSON.stringify(description), /^"Default: /)
    })
  }
})
