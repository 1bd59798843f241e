/**
 * Whatever fits the JSON Schema of a request in /api makes an envelope that is valid against the WSDL: random bodies,
 * as a validator judges them that knows nothing of this service. Made-up WSDLs always, those of real registers where a
 * folder is named.
 */
import { deepStrictEqual, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { newFolder } from '@services/testing'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { TemplateObject } from '../../../src/model.ts'
import { decodeXml } from '../../../src/soap/message/charset.ts'
import { readWsdl } from '../../../src/wsdl/operations/operations.ts'
import { describeRequest } from '../../../src/wsdl/description/request-schema.ts'
import { RandomBodies } from '../../support/bodies/random-body.ts'
import { realFolder, realWsdls, withoutRealWsdls } from '../../support/wsdl/real-wsdls.ts'
import { requestSchemas, withoutExample } from '../../support/wsdl/request-schemas.ts'
import { generateAll, rendererOf, resolveIn, rpcAround, wsdlAround } from '../../support/wsdl/wsdl.ts'
import { anchored, openSchemas, standAlone, whyNoXmllint, whyNotCompiled } from '../../support/wsdl/xml-schema.ts'

const noXmllint = whyNoXmllint()

interface Judged {
  readonly operations: number
  /** Operation -> what is wrong with its envelopes. */
  readonly invalid: ReadonlyMap<string, string>
}

/**
 * Envelopes of so many random bodies for each operation of a WSDL, and of its example. `more` are schemas that no WSDL
 * holds.
 */
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
    const render = rendererOf(result.text)
    for (let index = 0; index < bodies + (isExample ? 1 : 0); index += 1) {
      const body = (index < bodies ? random.next(schema) : example) as TemplateObject
      ok(fits(body), `${result.name}: ${JSON.stringify(fits.errors)} for ${JSON.stringify(body)}`)
      envelopes.set(`${result.name} ${index}`, standAlone(render(body)))
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

describe(
  'whatever fits the schema of a request makes a valid envelope [X18 X19 X20 X21 X24 P2.1 P2.4]',
  { skip: noXmllint },
  () => {
    for (const [title, schema] of Object.entries(requestSchemas)) {
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

const skip = withoutRealWsdls === false ? noXmllint : withoutRealWsdls

describe('random bodies for real WSDLs make valid envelopes [X24 P2.4]', { skip }, () => {
  for (const [index, name] of realWsdls.entries()) {
    test(name, (t) => {
      const path = join(realFolder, name)
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
