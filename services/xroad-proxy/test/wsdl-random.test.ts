/**
 * Whatever fits the JSON Schema of a request in /api makes an envelope that is valid against the WSDL: random bodies, as a
 * validator judges them that knows nothing of this service. Made-up WSDLs always, those of real registers where a folder is
 * named.
 */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { newFolder } from '@services/testing'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { TemplateObject } from '../src/model.ts'
import { decodeXml } from '../src/soap/message/charset.ts'
import { readWsdl } from '../src/wsdl/operations/operations.ts'
import { describeRequest } from '../src/wsdl/description/request-schema.ts'
import { RandomBodies } from './support/random-body.ts'
import { generateAll, renderDsl, resolveIn, rpcAround, wsdlAround } from './support/wsdl.ts'
import { openSchemas, standAlone, whyNoXmllint, whyNotCompiled } from './support/xml-schema.ts'

const variable = 'XROAD_PROXY_REAL_WSDLS'
const folder = process.env[variable]
const noXmllint = whyNoXmllint()

interface Judged {
  readonly operations: number
  /** Operation -> what is wrong with its envelopes. */
  readonly invalid: ReadonlyMap<string, string>
}

/** Envelopes of so many random bodies for each operation of a WSDL, and of its example. `more` are schemas that no WSDL holds. */
function judge(
  path: string,
  bytes: Uint8Array,
  bodies: number,
  seed: number,
  { isExample = true, more = '' }: { readonly isExample?: boolean; readonly more?: string } = {},
): Judged {
  const wsdl = readWsdl(bytes, path, resolveIn(dirname(path)))
  const random = new RandomBodies(seed)
  const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true, multipleOfPrecision: 1 })
  const envelopes = new Map<string, string>()
  const sent = new Map<string, string>()
  let operations = 0
  for (const result of generateAll(wsdl)) {
    if (result.kind === 'skipped') continue
    operations += 1
    const { schema, example } = describeRequest(result.request)
    const fits = ajv.compile(schema)
    for (let index = 0; index < bodies + (isExample ? 1 : 0); index += 1) {
      const body = (index < bodies ? random.next(schema) : example) as TemplateObject
      ok(fits(body), `${result.name}: ${JSON.stringify(fits.errors)} for ${JSON.stringify(body)}`)
      envelopes.set(`${result.name} ${index}`, standAlone(renderDsl(result.text, body)))
      sent.set(`${result.name} ${index}`, JSON.stringify(body))
    }
  }
  if (envelopes.size === 0) return { operations, invalid: new Map() }
  const found = openSchemas(path, decodeXml(bytes, undefined) + more).validate(envelopes)
  const invalid = new Map<string, string>()
  for (const [name, [problem]] of found) {
    if (problem !== undefined) invalid.set(name.replace(/ \d+$/, ''), `${problem} for ${sent.get(name)}`)
  }
  return { operations, invalid }
}

const simple = (name: string, base: string, facets: string) =>
  `<x:element name="${name}" minOccurs="0"><x:simpleType><x:restriction base="x:${base}">${facets}</x:restriction></x:simpleType></x:element>`
const facet = (name: string, value: string) => `<x:${name} value="${value}"/>`

/** It has a pattern with `\\i`, for which no example is made. */
const withoutExample = 'facets of texts'

const schemas: Readonly<Record<string, string>> = {
  'facets of texts': `<x:element name="op"><x:complexType><x:sequence>
    ${simple('a', 'string', facet('minLength', '3') + facet('maxLength', '5'))}
    ${simple('b', 'string', facet('length', '2'))}
    ${simple('c', 'string', facet('pattern', '[A-Z]{2}\\d+') + facet('pattern', 'x|y'))}
    ${simple('d', 'token', facet('minLength', '1'))}
    ${simple('e', 'string', facet('pattern', '\\w{1,3}-\\s\\i\\c*'))}
    ${simple('f', 'string', facet('enumeration', 'a b') + facet('enumeration', ''))}
    ${simple('g', 'base64Binary', facet('maxLength', '9'))}
    ${simple('h', 'hexBinary', facet('length', '4'))}
    ${simple('i', 'int', facet('pattern', '0\\d{2}'))}
    <x:element name="j" type="t:narrow" nillable="true"/>
    </x:sequence></x:complexType></x:element>
    <x:simpleType name="wide"><x:restriction base="x:string"><x:pattern value="[a-c]*"/></x:restriction></x:simpleType>
    <x:simpleType name="narrow"><x:restriction base="t:wide"><x:pattern value="[b-d]+"/><x:maxLength value="4"/></x:restriction></x:simpleType>`,
  'built-in types': `<x:element name="op"><x:complexType><x:sequence>${`string normalizedString token language Name NCName
    NMTOKEN NMTOKENS ID anyURI boolean decimal integer nonPositiveInteger negativeInteger long int short byte nonNegativeInteger
    unsignedLong unsignedInt unsignedShort unsignedByte positiveInteger float double duration dateTime time date gYearMonth gYear
    gMonthDay gDay gMonth hexBinary base64Binary anyType anySimpleType`
    .split(/\s+/)
    .map((it) => `<x:element name="v-${it}" type="x:${it}" minOccurs="0"/>`)
    .join('')}</x:sequence></x:complexType></x:element>`,
  'facets of numbers': `<x:element name="op"><x:complexType><x:sequence>
    ${simple('a', 'decimal', facet('totalDigits', '5') + facet('fractionDigits', '2'))}
    ${simple('b', 'decimal', facet('minExclusive', '0') + facet('maxInclusive', '1'))}
    ${simple('c', 'integer', facet('totalDigits', '3'))}
    ${simple('d', 'long', facet('minInclusive', '-5') + facet('maxExclusive', '-3'))}
    ${simple('e', 'unsignedByte', facet('minInclusive', '250'))}
    ${simple('f', 'decimal', facet('enumeration', '0.10') + facet('enumeration', '5'))}
    ${simple('g', 'integer', facet('enumeration', '123456789012345678901') + facet('enumeration', '007'))}
    </x:sequence></x:complexType></x:element>`,
  'lengths of bytes': `<x:element name="op"><x:complexType><x:sequence>
    ${[0, 2, 5].map((n) => simple(`l${n}`, 'base64Binary', facet('length', `${n}`))).join('')}
    ${[1, 2, 4].map((n) => simple(`a${n}`, 'base64Binary', facet('minLength', `${n}`))).join('')}
    ${[2, 3].map((n) => simple(`b${n}`, 'base64Binary', facet('maxLength', `${n}`))).join('')}
    ${[1, 4].map((n) => simple(`c${n}`, 'base64Binary', facet('minLength', `${n}`) + facet('maxLength', `${n + 1}`))).join('')}
    ${[0, 2].map((n) => simple(`h${n}`, 'hexBinary', facet('minLength', `${n}`) + facet('maxLength', `${n + 1}`))).join('')}
    </x:sequence></x:complexType></x:element>`,
  'how often': `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="a" type="x:int" minOccurs="2" maxOccurs="3"/>
    <x:element name="b" type="x:int" minOccurs="0" maxOccurs="2"/>
    <x:sequence minOccurs="0"><x:element name="c" type="x:int" minOccurs="2" maxOccurs="4"/></x:sequence>
    <x:sequence maxOccurs="2"><x:element name="d" type="t:item" minOccurs="2" maxOccurs="unbounded"/></x:sequence>
    <x:element name="e" minOccurs="0"><x:complexType><x:sequence><x:element name="f" type="x:int" minOccurs="3" maxOccurs="3"/>
      <x:element name="g" type="x:int" minOccurs="0"/></x:sequence></x:complexType></x:element>
    </x:sequence></x:complexType></x:element>
    <x:complexType name="item"><x:sequence><x:element name="x" type="x:date"/><x:element name="y" type="t:item" minOccurs="0"/></x:sequence></x:complexType>`,
  'branches that may be left out': `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="a" minOccurs="0"><x:complexType><x:sequence>
      <x:element name="must" type="x:int"/><x:element name="also" type="x:date"/><x:element name="may" type="x:int" minOccurs="0"/>
      <x:element name="inner" minOccurs="0"><x:complexType><x:sequence><x:element name="deep" type="x:int"/>
        <x:element name="flag" minOccurs="0"><x:complexType/></x:element></x:sequence><x:attribute name="mark" use="required"/></x:complexType></x:element>
      <x:sequence minOccurs="0"><x:element name="together" type="x:int"/><x:element name="with" type="x:int"/></x:sequence>
    </x:sequence></x:complexType></x:element>
    <x:element name="n" nillable="true"><x:complexType><x:sequence><x:element name="o" type="x:int"/><x:element name="p" type="x:int" nillable="true"/></x:sequence></x:complexType></x:element>
    <x:element name="q" minOccurs="0"><x:complexType><x:simpleContent><x:extension base="x:int"><x:attribute name="unit"/></x:extension></x:simpleContent></x:complexType></x:element>
    </x:sequence></x:complexType></x:element>`,
  lists: `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="a" type="t:codes"/><x:element name="b" type="t:codes" minOccurs="0" maxOccurs="3"/>
    <x:element name="c" type="t:few" nillable="true"/><x:element name="d" type="t:either"/>
    <x:element name="e" type="t:whole" minOccurs="0"/></x:sequence><x:attribute name="f" type="t:codes"/></x:complexType></x:element>
    <x:simpleType name="code"><x:restriction base="x:string"><x:enumeration value="A"/><x:enumeration value="B"/></x:restriction></x:simpleType>
    <x:simpleType name="codes"><x:list itemType="t:code"/></x:simpleType>
    <x:simpleType name="few"><x:restriction><x:simpleType><x:list itemType="x:int"/></x:simpleType><x:minLength value="2"/><x:maxLength value="3"/></x:restriction></x:simpleType>
    <x:simpleType name="whole"><x:restriction base="t:codes"><x:enumeration value="A B"/></x:restriction></x:simpleType>
    <x:simpleType name="either"><x:union memberTypes="t:few x:date"/></x:simpleType>`,
  choices: `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="before" type="x:int"/>
    <x:choice><x:element name="a" type="x:int"/><x:element name="b" type="t:pair"/>
      <x:sequence><x:element name="c" type="x:date"/><x:element name="d" type="x:int" minOccurs="0"/></x:sequence></x:choice>
    <x:choice minOccurs="0"><x:element name="e" type="x:int" maxOccurs="3"/><x:element name="f"><x:complexType/></x:element></x:choice>
    <x:element name="maybe" minOccurs="0"><x:complexType><x:choice><x:element name="g" type="x:int"/><x:element name="h" type="x:int" nillable="true"/></x:choice></x:complexType></x:element>
    <x:element name="items" minOccurs="0" maxOccurs="2"><x:complexType><x:sequence>
      <x:choice><x:element name="i" type="x:int"/><x:element name="j" type="t:pair" nillable="true"/></x:choice>
      <x:element name="k" type="x:int" minOccurs="0"/></x:sequence><x:attribute name="mark"/></x:complexType></x:element>
    </x:sequence></x:complexType></x:element>
    <x:complexType name="pair"><x:sequence><x:element name="x" type="x:int"/><x:element name="y" type="x:int" minOccurs="0"/></x:sequence></x:complexType>`,
  'choices in choices': `<x:element name="op"><x:complexType>
    <x:choice>
      <x:sequence><x:element name="a" type="x:int"/><x:choice><x:element name="b" type="x:int"/><x:element name="c" type="x:int"/></x:choice></x:sequence>
      <x:choice><x:element name="d" type="x:int"/><x:element name="e" type="x:int" minOccurs="0"/></x:choice>
      <x:sequence><x:element name="f" type="x:int" minOccurs="0"/><x:choice><x:element name="g" type="x:int"/><x:sequence><x:element name="h" type="x:int"/>
        <x:choice minOccurs="0"><x:element name="i" type="x:int"/><x:element name="j" type="x:int" maxOccurs="unbounded"/></x:choice></x:sequence></x:choice>
        <x:choice><x:element name="k" type="x:int"/><x:element name="l" type="x:int"/></x:choice></x:sequence>
      <x:group ref="t:either"/>
      <x:sequence minOccurs="0"><x:element name="o" type="x:int" minOccurs="0"/><x:element name="p" type="x:int" minOccurs="0"/></x:sequence>
      <x:element name="q"><x:complexType><x:sequence><x:element name="z" type="x:string" fixed="Z"/><x:element name="empty"><x:complexType/></x:element></x:sequence></x:complexType></x:element>
      <x:sequence><x:element name="r" type="x:string" fixed="R"/><x:element name="s"><x:complexType/></x:element></x:sequence>
      <x:element name="t" type="x:string" fixed="T"/>
    </x:choice></x:complexType></x:element>
    <x:group name="either"><x:choice><x:element name="m" type="x:int"/><x:element name="n"><x:complexType><x:choice><x:element name="a" type="x:int"/><x:element name="b" type="x:int"/></x:choice></x:complexType></x:element></x:choice></x:group>`,
  'choices in parts that may be left out': `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="one" minOccurs="0"><x:complexType><x:sequence><x:element name="must" type="x:int"/>
      <x:choice><x:element name="a" type="x:int"/><x:element name="b" type="x:int"/></x:choice>
      <x:choice minOccurs="0"><x:element name="c" type="x:int"/><x:element name="d" type="x:int"/></x:choice></x:sequence></x:complexType></x:element>
    <x:sequence minOccurs="0"><x:choice><x:element name="e" type="x:int"/><x:element name="f" type="x:int"/></x:choice>
      <x:choice><x:element name="g" type="x:int"/><x:element name="h" type="x:int" maxOccurs="2"/></x:choice><x:element name="i" type="x:int" minOccurs="0"/></x:sequence>
    <x:element name="nil" nillable="true"><x:complexType><x:choice><x:element name="j" type="x:int"/><x:element name="k" type="x:int"/></x:choice></x:complexType></x:element>
    <x:element ref="t:head" minOccurs="0"/><x:element name="between" type="x:int"/><x:element ref="t:head"/>
    </x:sequence></x:complexType></x:element>
    <x:element name="head" abstract="true"/><x:element name="first" type="x:int" substitutionGroup="t:head"/>
    <x:element name="second" substitutionGroup="t:head"><x:complexType><x:sequence><x:element name="v" type="x:int"/></x:sequence></x:complexType></x:element>`,
  'abstract types, fixed values and defaults': `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="who" type="t:party"/><x:element name="others" type="t:party" minOccurs="0" maxOccurs="unbounded"/>
    <x:element name="null" type="t:party" nillable="true"/><x:element name="maybe" type="t:party" minOccurs="0" nillable="true"/>
    <x:element name="one" type="t:thing"/>
    <x:element name="f1" type="x:string" fixed="F"/><x:element name="f2" type="x:int" fixed="7" minOccurs="0"/>
    <x:element name="f3" type="x:string" fixed="G" nillable="true"/><x:element name="f4" type="x:boolean" default="true"/>
    <x:element name="f5" type="x:string" fixed="H" maxOccurs="2"/>
    </x:sequence><x:attribute name="f6" fixed="I"/><x:attribute name="f7" fixed="J" use="required"/></x:complexType></x:element>
    <x:complexType name="party" abstract="true"><x:sequence><x:element name="name" type="x:string"/></x:sequence></x:complexType>
    <x:complexType name="person"><x:complexContent><x:extension base="t:party"><x:sequence><x:element name="code" type="x:int"/></x:sequence></x:extension></x:complexContent></x:complexType>
    <x:complexType name="firm"><x:complexContent><x:extension base="t:party"><x:sequence><x:element name="head" type="t:party" minOccurs="0"/></x:sequence><x:attribute name="kind" use="required"/></x:extension></x:complexContent></x:complexType>
    <x:complexType name="thing" abstract="true"/>
    <x:complexType name="book"><x:complexContent><x:extension base="t:thing"><x:sequence><x:element name="pages" type="x:int"/></x:sequence></x:extension></x:complexContent></x:complexType>`,
}

describe(
  'whatever fits the schema of a request makes a valid envelope [X18 X19 X20 X21 X24]',
  { skip: noXmllint },
  () => {
    for (const [title, schema] of Object.entries(schemas)) {
      for (const form of ['qualified', 'unqualified']) {
        test(`${title}, ${form}`, () => {
          const text = wsdlAround(`${schema}<x:element name="opResponse"/>`, `elementFormDefault="${form}"`)
          const { operations, invalid } = judge(join(newFolder(), 'api.wsdl'), Buffer.from(text), 60, 1, {
            isExample: title !== withoutExample,
          })
          deepStrictEqual([operations, [...invalid.values()]], [1, []])
        })
      }
    }
  },
)

/** Parts of an rpc message, and the schema of what WSDL 1.1 makes of them. */
const parts: Readonly<Record<string, readonly [parts: string, content: string]>> = {
  'simple types': [
    '<wsdl:part name="a" type="x:int"/><wsdl:part name="b" type="x:string"/><wsdl:part name="c" type="t:few"/>',
    '<x:element name="a" type="x:int"/><x:element name="b" type="x:string"/><x:element name="c" type="t:few"/>',
  ],
  'complex types': [
    '<wsdl:part name="who" type="t:person"/><wsdl:part name="other" type="t:person"/><wsdl:part name="open" type="t:either"/>',
    '<x:element name="who" type="t:person"/><x:element name="other" type="t:person"/><x:element name="open" type="t:either"/>',
  ],
  'parts that name elements': [
    '<wsdl:part name="p" element="t:single"/><wsdl:part name="q" element="t:group"/>',
    `<x:element name="p"><x:complexType><x:sequence><x:element ref="t:single"/></x:sequence></x:complexType></x:element>
    <x:element name="q"><x:complexType><x:sequence><x:element ref="t:group"/></x:sequence></x:complexType></x:element>`,
  ],
  'no parts': ['', ''],
}
const typesOfParts = `<x:simpleType name="few"><x:restriction base="x:string"><x:enumeration value="A"/><x:enumeration value="B"/></x:restriction></x:simpleType>
  <x:complexType name="person"><x:sequence><x:element name="code" type="x:int"/><x:element name="list" type="x:date" minOccurs="0" maxOccurs="3"/>
    <x:choice><x:element name="x" type="x:int"/><x:element name="y" type="t:few"/></x:choice></x:sequence><x:attribute name="mark" use="required"/></x:complexType>
  <x:complexType name="either"><x:choice minOccurs="0"><x:element name="m" type="t:person"/><x:element name="n" type="x:int"/></x:choice></x:complexType>
  <x:element name="single" type="x:int"/><x:element name="group" type="t:person"/>`

describe('whatever fits the schema of an rpc request makes a valid envelope [P2.3]', { skip: noXmllint }, () => {
  for (const [title, [written, content]] of Object.entries(parts)) {
    for (const form of ['qualified', 'unqualified']) {
      test(`${title}, ${form}`, () => {
        const text = rpcAround(written, typesOfParts, `elementFormDefault="${form}"`)
        const around = `<x:schema targetNamespace="urn:body" xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"><x:import namespace="urn:t"/>
          <x:element name="op"><x:complexType><x:sequence>${content}</x:sequence></x:complexType></x:element></x:schema>`
        const { operations, invalid } = judge(join(newFolder(), 'api.wsdl'), Buffer.from(text), 60, 1, { more: around })
        deepStrictEqual([operations, [...invalid.values()]], [1, []])
      })
    }
  }
})

/** `^` and `$` are characters in XML Schema; texts for such a pattern are made as its author means them. */
const anchored = /\[facet 'pattern'\] .* the pattern '\^.*\$'|is not a valid value of the (?:local )?atomic type/

const skip = folder === undefined ? `${variable} names no folder` : noXmllint

describe('random bodies for real WSDLs make valid envelopes [X24]', { skip }, () => {
  const paths = folder === undefined ? [] : wsdlsIn(folder)
  for (const [index, path] of paths.entries()) {
    test(relative(folder ?? '', path), (t) => {
      const bytes = readFileSync(path)
      const reason = whyNotCompiled(path, decodeXml(bytes, undefined))
      if (reason !== undefined) return t.skip(reason)
      const { operations, invalid } = judge(path, bytes, 3, index, { isExample: false })
      const wrong = [...invalid].filter(([, problem]) => !anchored.test(problem))
      t.diagnostic(`${operations} operations, ${invalid.size} with an envelope that is not valid`)
      deepStrictEqual(wrong, [])
    })
  }
})

function wsdlsIn(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.wsdl'))
    .toSorted()
    .map((name) => join(root, name))
}
