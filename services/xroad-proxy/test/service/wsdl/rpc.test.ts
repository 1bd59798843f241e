/** Operations in RPC style: what is sent, what callers are told, what answers become, and why some are skipped. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { describeRequest } from '../../../src/wsdl/description/request-schema.ts'
import { TypedResponseSchemas } from '../../../src/wsdl/description/typed-response.ts'
import type { GeneratedDsl } from '../../../src/wsdl/dsl/write.ts'
import { bodyOf, generateAll, readText, renderDsl, rpcAround } from '../../support/wsdl/wsdl.ts'
import { startTypedService, type TypedService } from '../../support/wsdl/typed-service.ts'

const person = `<x:complexType name="person"><x:sequence><x:element name="code" type="x:string"/>
  <x:element name="born" type="x:date" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType>`
const simple = '<wsdl:part name="year" type="x:int"/>'

function outcomeOf(text: string): GeneratedDsl | string {
  const [made] = generateAll(readText(text))
  ok(made !== undefined)
  return made.kind === 'skipped' ? `${made.reason}: ${made.detail}` : made
}

function generate(text: string): GeneratedDsl {
  const made = outcomeOf(text)
  if (typeof made === 'string') throw new Error(made)
  return made
}

describe('the body of an rpc request [P2.3]', () => {
  test('the element around the parts is in the namespace of soap:body, the parts are in none, their order is that of the message', () => {
    const parts = '<wsdl:part name="who" type="t:person"/><wsdl:part name="year" type="x:int"/>'
    const made = generate(rpcAround(parts, person, 'elementFormDefault="qualified"'))
    const body = bodyOf(renderDsl(made.text, { year: 2026, code: '1', born: ['2000-01-31'] }))
    strictEqual(body, '<ns1:op><who><t:code>1</t:code><t:born>2000-01-31</t:born></who><year>2026</year></ns1:op>')
    match(made.text, /xmlns:ns1="urn:body"/)
  })

  test('without a namespace it is in that of the WSDL that binds it, and an empty one is none', () => {
    const inside = { year: 1 }
    strictEqual(bodyOf(renderDsl(generate(rpcAround(simple, '', '', '')).text, inside)), '<t:op><year>1</year></t:op>')
    strictEqual(
      bodyOf(renderDsl(generate(rpcAround(simple, '', '', 'namespace=""')).text, inside)),
      '<op><year>1</year></op>',
    )
  })

  test('parts that soap:body does not name, and those that are headers, are left out', () => {
    const parts = `${simple}<wsdl:part name="header" type="x:int"/>`
    const named = generate(rpcAround(parts, '', '', 'namespace="urn:body" parts="year"'))
    const bound = rpcAround(parts).replace(
      '<wsdl:input><soap:body',
      '<wsdl:input><soap:header message="t:m" part="header" use="literal"/><soap:body',
    )
    for (const made of [named, generate(bound)])
      strictEqual(bodyOf(renderDsl(made.text, { year: 1, header: 2 })), '<ns1:op><year>1</year></ns1:op>')
  })

  test('a part that travels beside the envelope is not in it', () => {
    const parts = `${simple}<wsdl:part name="file" type="x:base64Binary"/>`
    const text = rpcAround(parts)
      .replace('<wsdl:definitions ', '<wsdl:definitions xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" ')
      .replace(
        '<wsdl:input><soap:body use="literal" namespace="urn:body"/></wsdl:input>',
        `<wsdl:input><mime:multipartRelated><mime:part><soap:body use="literal" namespace="urn:body"/></mime:part>
        <mime:part><mime:content part="file" type="application/pdf"/></mime:part></mime:multipartRelated></wsdl:input>`,
      )
    const { schema } = describeRequest(generate(text).request)
    deepStrictEqual(Object.keys(schema['properties'] as object).toSorted(), ['file', 'year'])
    ok(!/<file>/.test(generate(text).text))
  })

  test('what callers are told: the params, their types and words', () => {
    const words = '<wsdl:part name="year" type="x:int"><wsdl:documentation>Of birth</wsdl:documentation></wsdl:part>'
    const { schema, example } = describeRequest(
      generate(rpcAround(`${words}<wsdl:part name="who" type="t:person"/>`, person)).request,
    )
    deepStrictEqual(Object.keys(schema['properties'] as object), ['year', 'code', 'born'])
    deepStrictEqual(schema['required'], ['year', 'code'])
    match(JSON.stringify(schema), /"description":"Of birth"/)
    deepStrictEqual(Object.keys(example), ['year', 'code', 'born'])
  })

  const skipped: Readonly<Record<string, readonly [text: string, outcome: string]>> = {
    'a part that names nothing': [
      rpcAround('<wsdl:part name="a"/>'),
      'no_body: part a names neither an element nor a type',
    ],
    'a type that is missing': [
      rpcAround('<wsdl:part name="a" type="t:gone"/>'),
      'input_unresolved: type t:gone is missing',
    ],
    'an element that is missing': [
      rpcAround('<wsdl:part name="a" element="t:gone"/>'),
      'input_unresolved: element t:gone is missing',
    ],
    'a prefix that is declared nowhere': [
      rpcAround('<wsdl:part name="a" type="z:int"/>'),
      'input_unresolved: type z:int is missing: the prefix z is declared nowhere; int is in "http://www.w3.org/2001/XMLSchema": x:int is probably meant',
    ],
    'a name that no tag can have': [
      rpcAround('<wsdl:part name="a b" type="x:int"/>'),
      'broken_schema: the name "a b" is not an XML name, in op',
    ],
    'a part without a name': [
      rpcAround('<wsdl:part type="x:int"/>'),
      'broken_schema: the name "" is not an XML name, in op',
    ],
    'soap:body that names a part that is not there': [
      rpcAround(simple, '', '', 'parts="year gone"'),
      'no_body: soap:body names the part gone, which the message does not have',
    ],
    'encoded values': [rpcAround(simple).replace('use="literal"', 'use="encoded"'), 'encoded: '],
    'another style': [rpcAround(simple).replace('style="rpc"', 'style="RPC"'), 'style: RPC'],
  }
  for (const [title, [text, outcome]] of Object.entries(skipped)) {
    test(`skips with a reason: ${title}`, () => strictEqual(outcomeOf(text), outcome))
  }

  test('an operation whose name no tag can have', () => {
    strictEqual(
      outcomeOf(rpcAround(simple).replaceAll('operation name="op"', 'operation name="1op"')),
      'broken_schema: the name "1op" is not an XML name',
    )
  })
})

/** With an answer of these parts. */
function answering(parts: string, body = '<soap:body use="literal" namespace="urn:answer"/>'): string {
  return rpcAround(simple, person)
    .replace('<wsdl:part name="p" element="t:opResponse"/>', parts)
    .replace(/(<soap:body use="literal" [^>]*\/><\/wsdl:input>)/, `$1<wsdl:output>${body}</wsdl:output>`)
}

test('the answer of an rpc operation has the types of its parts; an encoded one has none [P2.3]', () => {
  const typesOf = (text: string): unknown => {
    const [operation] = readText(text).operations
    ok(operation?.kind === 'operation')
    if (operation.output === undefined) return undefined
    const schemas = new TypedResponseSchemas((key) => key)
    return [schemas.describe(operation.output), Object.fromEntries(schemas.definitions)]
  }
  const parts = '<wsdl:part name="found" type="x:boolean"/><wsdl:part name="who" type="t:person"/>'
  const types = JSON.stringify(typesOf(answering(parts)))
  match(types, /"required":\["opResponse"\]/)
  match(types, /"found":\{"type":"boolean"\}/)
  strictEqual(typesOf(answering(parts, '<soap:body use="encoded"/>')), undefined)
})

describe('an rpc operation is called through a Security Server [P2.3]', () => {
  let service: TypedService
  before(async () => {
    service = await startTypedService({
      wsdl: {
        'owner/api.wsdl': answering('<wsdl:part name="years" type="x:int"/><wsdl:part name="who" type="t:person"/>'),
        'owner/api.meta.yaml': 'service_code: op\nresponse: schema\n',
      },
    })
  })
  after(() => service.close())

  test('the answer has its types', async () => {
    const reply = await service.call(
      `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><a:opResponse xmlns:a="urn:answer"><years>7</years><who><code>007</code></who></a:opResponse></e:Body></e:Envelope>`,
    )
    deepStrictEqual(JSON.parse(reply.text), {
      body: { opResponse: { years: 7, who: { code: '007', born: [] } } },
      headers: null,
    })
    deepStrictEqual(service.warnings, [])
  })
})
