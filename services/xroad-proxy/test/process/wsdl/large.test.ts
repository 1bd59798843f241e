/** Requests whose whole tree would be too large: written as deep as a person can look through, and callable. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '@services/testing'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import type { TemplateObject } from '../../../src/model.ts'
import { isPlain } from '../../../src/soap/request/template-scan.ts'
import { describeRequest } from '../../../src/wsdl/description/request-schema.ts'
import { largeWsdl } from '../../support/wsdl/large-wsdl.ts'
import { RandomBodies } from '../../support/bodies/random-body.ts'
import { bodyOf, generateAll, readText, renderDsl } from '../../support/wsdl/wsdl.ts'
import { openSchemas, standAlone, whyNoXmllint } from '../../support/wsdl/xml-schema.ts'

test('hundreds of operations over one large graph of types are generated, each within bounds [X23]', () => {
  const results = generateAll(readText(largeWsdl(300)))
  deepStrictEqual(new Set(results.map(({ kind }) => kind)), new Set(['generated']))
  for (const result of results)
    ok(result.kind === 'generated' && result.text.length < 60_000 && result.notes.length === 1)
})

test('the params of a large request are objects in objects, like its message [X23]', () => {
  const [result] = generateAll(readText(largeWsdl(1)))
  ok(result?.kind === 'generated')
  const { endpoint } = readDsl(result.text, { file: 'large.yml', group: 'group', service: 'service' })
  ok(endpoint.kind === 'soap')
  deepStrictEqual(endpoint.params, ['request'])
  const sent = {
    request: {
      Case: { value0_0: 5, value0_1: 'a<b', value0_2: null, list0: { item: [{ value1_1: 'x' }, {}] } },
      User: { Person: { name: 'N', code: 7 } },
      reason: 'R',
    },
  }
  strictEqual(
    bodyOf(renderDsl(result.text, sent)),
    '<t:operation0><request><Case><value0_0>5</value0_0><value0_1>a&lt;b</value0_1><value0_2 xsi:nil="true"/>' +
      '<list0><item><value1_1>x</value1_1></item><item></item></list0></Case>' +
      '<User xsi:type="t:Person"><name>N</name><code>7</code></User><reason>R</reason></request></t:operation0>',
  )
  strictEqual(
    bodyOf(renderDsl(result.text, { request: { Case: null, User: null, reason: '' } })),
    '<t:operation0><request><Case xsi:nil="true"/><User xsi:type="t:Person" xsi:nil="true"/><reason></reason></request></t:operation0>',
  )
})

test('whatever fits the schema of a large request makes a valid envelope [X23 X24]', { skip: whyNoXmllint() }, () => {
  const text = largeWsdl(2)
  const random = new RandomBodies(3)
  const envelopes = new Map<string, string>()
  for (const result of generateAll(readText(text))) {
    ok(result.kind === 'generated')
    const { schema, example } = describeRequest(result.request)
    envelopes.set(result.name, standAlone(renderDsl(result.text, example)))
    for (let index = 0; index < 20; index += 1) {
      const body = random.next(schema) as TemplateObject
      envelopes.set(`${result.name} ${index}`, standAlone(renderDsl(result.text, body)))
    }
  }
  const found = openSchemas(join(newFolder(), 'api.wsdl'), text).validate(envelopes)
  deepStrictEqual([...found.values()].flat(), [])
})

test('large templates are known to be good without the parser [X23]', () => {
  const [result] = generateAll(readText(largeWsdl(1)))
  ok(result?.kind === 'generated')
  ok(isPlain(result.text))
})
