/** Simple types with everything that their bases say. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toRequestCheck } from '../../../src/soap/check/check.ts'
import { CompiledContracts } from '../../../src/soap/check/compiled-contracts.ts'
import { RequestContracts } from '../../../src/wsdl/description/request-contract.ts'
import { describeRequest } from '../../../src/wsdl/description/request-schema.ts'
import { ResponseSchemas } from '../../../src/wsdl/description/response-schema.ts'
import type { JsonSchema } from '../../../src/wsdl/description/value-schema.ts'
import { generateAround, readText, wsdlAround } from '../../support/wsdl/wsdl.ts'

const element = (name: string, type: string) =>
  `<x:element name="${name}"><x:complexType><x:sequence><x:element name="f" type="${type}"/></x:sequence></x:complexType></x:element>`
const simple = (name: string, inner: string) => `<x:simpleType name="${name}">${inner}</x:simpleType>`
const union = (name: string, members: string) => simple(name, `<x:union memberTypes="${members}"/>`)
const narrowed = (name: string, base: string, facet: string) =>
  simple(name, `<x:restriction base="${base}">${facet}</x:restriction>`)

/** The field `f` of a request with these types. */
function requestField(type: string, types: string): { schema: unknown; example: unknown } {
  const result = generateAround(element('op', type) + types)
  ok(result.kind === 'generated')
  const { schema, example } = describeRequest(result.request)
  return { schema: (schema['properties'] as JsonSchema)['f'], example: example['f'] }
}

const int = { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 }
const boolean = { type: 'boolean' }

describe('unions in unions [X31]', () => {
  const wide = union('Wide', 'x:int x:boolean')

  test('a union that nothing narrows is one with the union around it', () => {
    const { schema } = requestField('t:Outer', wide + union('Outer', 't:Wide x:date'))
    deepStrictEqual(schema, { anyOf: [int, boolean, { type: 'string', format: 'date' }] })
  })

  test('a union narrowed to listed values keeps to them inside another union', () => {
    const few = narrowed('Few', 't:Wide', '<x:enumeration value="7"/><x:enumeration value="true"/>')
    const { schema, example } = requestField('t:Outer', wide + few + union('Outer', 't:Few x:date'))
    deepStrictEqual(schema, {
      anyOf: [
        { type: 'string', enum: ['7', 'true'] },
        { type: 'string', format: 'date' },
      ],
    })
    strictEqual(example, '7')
  })

  test('a union narrowed by a pattern stays apart inside another union', () => {
    const short = narrowed('Short', 't:Wide', '<x:pattern value=".{1,4}"/>')
    const { schema } = requestField('t:Outer', wide + short + union('Outer', 't:Short x:date'))
    const narrow = [
      { type: 'string', format: 'int32', pattern: '^(?=(?:[\\-+]?[0-9]+)$)(?:.{1,4})$' },
      { type: 'string', pattern: '^(?=(?:true|false|0|1)$)(?:.{1,4})$' },
    ]
    deepStrictEqual(schema, { anyOf: [{ anyOf: narrow }, { type: 'string', format: 'date' }] })
  })

  test('a narrowed union two levels down is still narrowed', () => {
    const few = narrowed('Few', 't:Wide', '<x:enumeration value="7"/>')
    const types = wide + few + union('Middle', 't:Few x:int') + union('Outer', 't:Middle x:date')
    deepStrictEqual(requestField('t:Outer', types).schema, {
      anyOf: [{ type: 'string', enum: ['7'] }, int, { type: 'string', format: 'date' }],
    })
  })

  test('an answer of a union narrowed to listed values lists them', () => {
    const few = narrowed('Few', 't:Wide', '<x:enumeration value="7"/><x:enumeration value="true"/>')
    const wsdl = readText(wsdlAround(`${element('op', 'x:int')}${element('opResponse', 't:Few')}${wide}${few}`))
    const [operation] = wsdl.operations
    ok(operation?.kind === 'operation' && operation.output !== undefined)
    const schemas = new ResponseSchemas(wsdl, (key) => key)
    ok(
      JSON.stringify([schemas.describe(operation.output), ...schemas.definitions.values()]).includes('"enum":[7,true]'),
    )
  })
})

describe('an element with mixed content may have no text [G6]', () => {
  const letter = '<x:element name="letter"><x:complexType mixed="true"><x:sequence>'
  const types = `<x:element name="op"><x:complexType><x:sequence>${letter}<x:element name="sign" type="x:string"/>
    </x:sequence></x:complexType></x:element></x:sequence></x:complexType></x:element>`
  const result = generateAround(types)
  ok(result.kind === 'generated')
  const { request } = result

  test('the check lets it pass', () => {
    const contracts = new RequestContracts()
    const check = toRequestCheck(new CompiledContracts(contracts), contracts.add(request), () => undefined)
    deepStrictEqual(check({ sign: 'M' }), [])
    deepStrictEqual(check({ letter: 'Tere', sign: 'M' }), [])
    deepStrictEqual(check({ letter: 'Tere' }), [{ param: 'sign', problem: 'missing, expected text' }])
  })

  test('/api does not demand the text', () => deepStrictEqual(describeRequest(request).schema['required'], ['sign']))
})
