/**
 * Answers with the types of their WSDL. Every folder of cases/schema-response: a schema, an answer, its JSON, which
 * also has to be valid by the JSON Schema that callers are shown. README.md there explains the files. Then whole calls,
 * and hostile input.
 */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { canonicalJson, checkGrowth, type Files, tableAfter } from '@services/testing'
import { anyCharacter } from '@services/testing/characters'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { readSidecar } from '../../../src/boot/ingest/sidecar.ts'
import { type Member, toBody } from '../../../src/soap/json/shape.ts'
import { XmlError } from '../../../src/soap/json/xml-error.ts'
import { toTypedValue } from '../../../src/soap/json/typed-value.ts'
import { ResponseObjects } from '../../../src/wsdl/description/response-objects.ts'
import { Shapes } from '../../../src/wsdl/description/shape.ts'
import { TypedResponseSchemas } from '../../../src/wsdl/description/typed-response.ts'
import type { JsonSchema } from '../../../src/wsdl/description/value-schema.ts'
import { startTypedService, type TypedService, type TypedServiceOptions } from '../../support/wsdl/typed-service.ts'
import { outputOf, readText, wsdlAround } from '../../support/wsdl/wsdl.ts'
import { translate } from '../../support/translate.ts'

interface Case {
  readonly rule: readonly string[]
  readonly title: string
  readonly valid?: boolean
  readonly attributes?: string
}

const root = join(import.meta.dirname, '../../cases/schema-response')

function bodyOf(schema: string, attributes = ''): Member {
  const element = outputOf(readText(wsdlAround(schema, attributes)))
  return toBody(new Shapes().of(new ResponseObjects().of(element)))
}

/** The JSON Schema of `body`, in one piece. */
function describedAs(schema: string, attributes = ''): JsonSchema {
  const schemas = new TypedResponseSchemas((key) => `#/$defs/${key}`)
  const body = schemas.describe(outputOf(readText(wsdlAround(schema, attributes))))
  return { ...body, $defs: Object.fromEntries(schemas.definitions) }
}

function envelope(content: string): string {
  if (content.startsWith('<?xml')) return content
  return `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${content.trim()}</s:Body></s:Envelope>`
}

function problemsOf(value: string, schema: JsonSchema): unknown {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true })
  const validate = ajv.compile(schema)
  return validate(JSON.parse(value)) ? [] : validate.errors
}

for (const { name } of readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  const read = (file: string): string => readFileSync(join(root, name, file), 'utf8')
  const { rule, title, valid = true, attributes } = JSON.parse(read('case.json')) as Case
  test(`${title} (${name}) [${rule.join(' ')}]`, () => {
    const schema = read('types.xsd')
    const { body } = translate(envelope(read('answer.xml').trim()), undefined, bodyOf(schema, attributes))
    strictEqual(canonicalJson(body), canonicalJson(read('expected.json')))
    const problems = problemsOf(body, describedAs(schema, attributes))
    if (valid) deepStrictEqual(problems, [])
  })
}

test('the examples of the manual [S-typed.values]', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/typed.md'), 'utf8')
  const [, block = ''] = /^```xml\n([\s\S]*?)^```$/m.exec(page) ?? []
  const schema = block.replaceAll('xs:', 'x:').replaceAll('personResponse', 'opResponse')
  const rows = tableAfter(page, '<!-- table: typed;')
  ok(rows.length > 10)
  const body = bodyOf(schema)
  for (const [xml = '', json = ''] of rows) {
    const declared = `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:p="urn:t"`
    const translated = translate(envelope(`<p:opResponse ${declared}>${xml}</p:opResponse>`), undefined, body).body
    strictEqual(canonicalJson(translated), canonicalJson(`{"opResponse":${json}}`), xml)
  }
})

test('the checker does refuse what the description rules out', () => {
  const schema = describedAs(`<x:element name="opResponse"><x:complexType><x:sequence>
    <x:element name="a" type="x:int"/><x:element name="l" type="x:string" maxOccurs="2"/></x:sequence></x:complexType></x:element>`)
  for (const wrong of ['{"a":"1","l":[]}', '{"a":1}', '{"a":1,"l":"x"}', '{"a":1,"l":[1]}', '{"a":null,"l":[]}']) {
    ok((problemsOf(`{"opResponse":${wrong}}`, schema) as unknown[]).length > 0, wrong)
  }
  deepStrictEqual(problemsOf('{"opResponse":{"a":1,"l":["x"]}}', schema), [])
})

const simple = `<x:element name="opResponse"><x:complexType><x:sequence><x:element name="a" type="x:string"/>
  <x:element name="n" type="x:int" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>`

test('a prefix counts where it is declared, among however many attributes [S-typed.values]', () => {
  const body = bodyOf(simple)
  const xsi = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"'
  const nil = '<n i:nil="true"/>'
  // More attributes than are read in one step.
  const many = Array.from({ length: 300 }, (_, index) => ` a${index}=""`).join('')
  const numbers = (xml: string): unknown =>
    (JSON.parse(translate(envelope(xml), undefined, body).body) as { opResponse: { n: unknown } }).opResponse.n
  deepStrictEqual(numbers(`<opResponse${many} ${xsi}>${nil}</opResponse>`), [null])
  deepStrictEqual(numbers(`<opResponse ${xsi}><x${many} xmlns:i="urn:x"/>${nil}</opResponse>`), [null])
  const other = { '@i:nil': 'true', '#text': null }
  deepStrictEqual(numbers(`<opResponse><x${many} ${xsi}/>${nil}</opResponse>`), [other])
  deepStrictEqual(numbers(`<opResponse${many} xmlns:i="urn:x">${nil}</opResponse>`), [other])
})

test('the Header, and a fault, are as without a schema [S-typed.headers]', () => {
  const body = bodyOf(simple)
  const xml = `<s:Envelope xmlns:s="e"><s:Header><opResponse><n>1</n></opResponse></s:Header><s:Body><s:Fault>
    <faultcode>s:Server</faultcode><faultstring>no</faultstring><detail><opResponse><n>1</n></opResponse></detail></s:Fault></s:Body></s:Envelope>`
  const { headers, fault } = translate(xml, undefined, body)
  deepStrictEqual({ headers, fault }, { headers: translate(xml).headers, fault: translate(xml).fault })
  strictEqual(headers, '{"opResponse":{"n":1}}')
})

test('a value is JSON whatever the text is, and numbers are the number that was meant [S-typed.values]', () => {
  const kinds = ['preserved', 'replaced', 'collapsed', 'integer', 'decimal', 'float', 'boolean'] as const
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.stringMatching(/^[ \t]*[+-]?\d{0,30}(?:\.\d{0,30})?(?:[eE][+-]?\d{1,3})?$/),
  )
  fc.assert(
    fc.property(fc.constantFrom(...kinds), text, (kind, given) => {
      const value: unknown = JSON.parse(toTypedValue(kind, given))
      if (typeof value === 'number') strictEqual(value, Number(given.trim()))
      else if (kind === 'preserved') strictEqual(value, given)
    }),
    { numRuns: 2000 },
  )
})

test('long digits and long white space take no more time than their length [S-typed.values]', () => {
  for (const kind of ['integer', 'decimal', 'float', 'collapsed', 'boolean'] as const) {
    checkGrowth(60_000, (length) => {
      const texts = ['0', '1', ' ', '0.', '.0', '1e'].map((piece) => `${piece.repeat(length)}x`)
      return () => {
        for (const text of texts) toTypedValue(kind, text)
      }
    })
  }
  strictEqual(toTypedValue('decimal', `${'0'.repeat(1_000_000)}1`), '1')
})

test('caps and refusals of the plain translation hold [S-typed.values]', () => {
  const body = bodyOf(simple)
  throws(() => translate(envelope('<a>'.repeat(200)), undefined, body), XmlError)
  throws(
    () => translate(envelope(`<opResponse>${'<n>1</n>'.repeat(60_000)}</opResponse>`), undefined, body),
    /parse events/,
  )
  throws(() => translate(envelope('<opResponse a="1" a="2"/>'), undefined, body), XmlError)
})

test('a chain of a thousand types, and a type of a thousand lists [S-typed.arrays]', () => {
  const chain = Array.from(
    { length: 1000 },
    (_, n) =>
      `<x:complexType name="c${n}"><x:sequence><x:element name="e" type="t:c${n + 1}"/></x:sequence></x:complexType>`,
  )
  const schema = `<x:element name="opResponse" type="t:c0"/>${chain.join('')}<x:complexType name="c1000"><x:sequence>
    ${Array.from({ length: 1000 }, (_, n) => `<x:element name="l${n}" type="x:string" maxOccurs="9"/>`).join('')}</x:sequence></x:complexType>`
  const body = bodyOf(schema)
  const depth = 100
  const { body: json } = translate(
    envelope(`<opResponse>${'<e>'.repeat(depth)}${'</e>'.repeat(depth)}</opResponse>`),
    undefined,
    body,
  )
  ok(json.startsWith('{"opResponse":{"e":{"e":'))
  ok(Object.keys(describedAs(schema)['$defs'] as object).length === 1001)
})

test('any XML gives JSON, and the same texts as without a schema [S-typed.names]', () => {
  const name = fc.constantFrom('a', 'n', 't:a', 'opResponse', 'x', 'p:n', '__proto__')
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('1', ' b ', '', '-5', 'true'),
      fc
        .tuple(name, fc.array(tie('tree'), { maxLength: 3 }))
        .map(([tag, inner]) => `<${tag}>${inner.join('')}</${tag}>`),
    ),
  }))
  const body = bodyOf(simple)
  fc.assert(
    fc.property(tree, (inner) => {
      const xml = envelope(`<opResponse>${inner}</opResponse>`)
      const texts = (json: string): string =>
        JSON.stringify(Array.from(json.matchAll(/[15]|\bb\b|true/g), String).sort())
      const typed = translate(xml, undefined, body).body
      JSON.parse(typed)
      strictEqual(texts(typed), texts(translate(xml).body))
    }),
    { numRuns: 1000 },
  )
})

const instance = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"'
const nillable =
  '<x:element name="opResponse"><x:complexType><x:sequence>' +
  '<x:element name="code" type="x:string" nillable="true"/>' +
  '<x:element name="row" nillable="true"><x:complexType><x:sequence><x:element name="v" type="x:int" minOccurs="0"/></x:sequence></x:complexType></x:element>' +
  '<x:element name="n" type="x:int" nillable="true" maxOccurs="unbounded"/>' +
  '</x:sequence></x:complexType></x:element>'

test('an element that is nil and has content is refused, whatever the content [X14]', () => {
  const body = bodyOf(nillable)
  const ask = (inside: string): string =>
    translate(envelope(`<opResponse ${instance}>${inside}</opResponse>`), undefined, body).body
  for (const nil of ['i:nil="true"', "i:nil='1'", 'i:nil=" true "']) {
    for (const content of ['SECRET', '0', '<![CDATA[x]]>', '&#65;', ' x ', '<v>1</v>', '<other/>', '<!-- c -->x']) {
      for (const name of ['code', 'row', 'n']) {
        throws(
          () => ask(`<${name} ${nil}>${content}</${name}>`),
          /^XmlError: \d+:\d+: an element that is nil has content$/,
        )
      }
    }
    for (const nothing of ['', '<!-- c -->', '<?p i?>', '<![CDATA[]]>']) {
      strictEqual(ask(`<code ${nil}>${nothing}</code>`), '{"opResponse":{"code":null,"n":[]}}')
    }
  }
  strictEqual(ask('<code i:nil="false">x</code><code i:nil="0">y</code>'), '{"opResponse":{"code":["x","y"],"n":[]}}')
})

test('a sidecar that says something else about answers is refused, with its line [S-typed.mode]', () => {
  const read = (text: string): unknown => readSidecar(Buffer.from(text), 'api.meta.yaml').lines
  deepStrictEqual(read('attachments: base64\nresponse:\n'), {
    client: undefined,
    response: undefined,
    attachments: 'base64',
    validation: undefined,
    timeoutSecs: undefined,
    maxResponseBytes: undefined,
  })
  const refused: readonly (readonly [string, RegExp])[] = [
    ['member_class: GOV\nresponse: typed', /^api\.meta\.yaml:2: response: found "typed", expected plain or schema$/],
    ['attachments: [list]', /^api\.meta\.yaml:1: attachments: found a list/],
    ['attachments: true', /^api\.meta\.yaml:1: attachments: found "true", expected none or list or base64$/],
  ]
  for (const [text, message] of refused) throws(() => read(text), { name: 'SidecarError', message }, text)
})

describe('end to end', () => {
  const wsdl = wsdlAround(`<x:element name="op"><x:complexType/></x:element>${simple}`)
  const answer = envelope('<t:opResponse xmlns:t="urn:t"><a>007</a><n>1</n></t:opResponse>')
  const plain = { body: { 't:opResponse': { '@xmlns:t': 'urn:t', a: '007', n: 1 } }, headers: null }
  const typed = { body: { opResponse: { a: '007', n: [1] } }, headers: null }
  const byHand = 'method: POST\nenvelope: <q/>\n'
  const services = new Map<string, TypedService>()

  const start = async (name: string, options: TypedServiceOptions): Promise<void> => {
    services.set(name, await startTypedService(options))
  }
  const files = { 'owner/api.wsdl': wsdl }

  before(async () => {
    await start('default', { wsdl: files })
    await start('global', { wsdl: files, dsl: { 'other/op.yml': byHand }, config: { soap_response: 'schema' } })
    const own = { 'owner/op.yml': `response: schema\n${byHand}`, 'other/op.yml': `response: schema\n${byHand}` }
    await start('file', { wsdl: files, dsl: own })
    await start('kept', { wsdl: files, dsl: { 'owner/op.yml': byHand }, config: { soap_response: 'schema' } })
    const noTypes = { 'owner/api.wsdl': wsdlAround('<x:element name="op"><x:complexType/></x:element>') }
    await start('no types', { wsdl: noTypes, config: { soap_response: 'schema' } })
    const many = Array.from({ length: 12 }, (_, index) => [`many/${String(index).padStart(2, '0')}.yml`, byHand])
    await start('many', { dsl: Object.fromEntries(many) as Files, config: { soap_response: 'schema' } })
    const saidPlain = { 'other/op.yml': `response: plain\n${byHand}` }
    await start('said plain', { wsdl: files, dsl: saidPlain, config: { soap_response: 'schema' } })
    await start('no wsdl', { dsl: { 'owner/op.yml': `response: schema\n${byHand}` } })
    await start('sidecar', { wsdl: { ...files, 'owner/api.meta.yaml': 'response: schema\n' } })
    const sidecar = { ...files, 'owner/api.meta.yaml': 'response: plain\nattachments: base64\n' }
    await start('sidecar plain', { wsdl: sidecar, config: { soap_response: 'schema' } })
  })
  after(async () => {
    await Promise.all(Array.from(services.values(), (service) => service.close()))
  })

  const called = async (name: string, path?: string): Promise<unknown> => {
    const { text } = await services.get(name)!.call(answer, path === undefined ? {} : { path })
    return JSON.parse(text) as unknown
  }
  const warningsAbout = (name: string, what: RegExp): readonly string[] =>
    services.get(name)!.warnings.filter((warning) => what.test(warning))

  test('without a word about it the answer is plain [S-typed.mode]', async () => {
    deepStrictEqual(await called('default'), plain)
  })

  test('soap_response: schema is for all generated files, and for no others [S-typed.mode]', async () => {
    deepStrictEqual(await called('global'), typed)
    deepStrictEqual(await called('global', '/other/op'), plain)
    deepStrictEqual(await called('kept'), plain)
  })

  test('soap_response: schema without an effect is a WARN that names the files [X28]', () => {
    const found = (name: string): readonly string[] => {
      const [warning = '', ...more] = warningsAbout(name, /response/)
      deepStrictEqual(more, [])
      return /^soap_response: schema has no effect on (.*?): (.*)$/.exec(warning)?.slice(1) ?? []
    }
    const named = (name: string): string => found(name)[0]?.replaceAll(services.get(name)!.lanes.folder, '') ?? ''
    strictEqual(named('global'), '/DSL/other/op.yml')
    match(found('global')[1]!, /^no WSDL that was read at this start has their operations; .*the answers stay plain$/)
    strictEqual(named('kept'), '/DSL/owner/op.yml')
    match(found('kept')[1]!, /^they were written by hand in the place of generated files; response: schema in a file/)
    strictEqual(named('no types'), '/DSL/owner/op.yml')
    match(found('no types')[1]!, /^their WSDL does not tell what the answer holds/)
    const files = Array.from({ length: 10 }, (_, index) => `/DSL/many/${String(index).padStart(2, '0')}.yml`)
    strictEqual(named('many'), `${files.join(', ')}, and 2 more`)
    for (const name of ['default', 'sidecar', 'sidecar plain', 'said plain']) {
      deepStrictEqual(warningsAbout(name, /response/), [], name)
    }
  })

  test('response: schema in a file that takes the place of a generated one [S-typed.mode]', async () => {
    deepStrictEqual(await called('file'), typed)
  })

  test('response: schema without a WSDL is a WARN, and the answer plain [S-typed.mode]', async () => {
    for (const [name, path] of [
      ['file', '/other/op'],
      ['no wsdl', '/owner/op'],
    ] as const) {
      deepStrictEqual(await called(name, path), plain)
      const [warning = '', ...more] = warningsAbout(name, /response/)
      match(warning, /op\.yml: response: schema needs a WSDL that has this operation; the answer stays plain$/)
      deepStrictEqual(more, [])
    }
  })

  test('a sidecar decides for all operations of its WSDL [S-typed.mode]', async () => {
    deepStrictEqual(await called('sidecar'), typed)
    deepStrictEqual(await called('sidecar plain'), plain)
    deepStrictEqual(warningsAbout('sidecar', /response|attachments|unknown/), [])
  })

  test('/api describes the shape that is in force [S-typed.mode]', async () => {
    const schemas: unknown[] = []
    for (const name of ['default', 'global', 'file', 'kept']) {
      const { paths } = await services.get(name)!.api()
      const { schema } = paths['/owner/op']!['post']!.responses['200']!.content['application/json']
      schemas.push(schema.properties === undefined ? schema : Object.keys(schema.properties['body']!.properties!))
    }
    const untyped = { $ref: '#/components/schemas/translation' }
    deepStrictEqual(schemas, [['t:opResponse'], ['opResponse'], ['opResponse'], untyped])
  })

  test('a fault is the error that it always is [S-typed.headers]', async () => {
    const { status, text } = await services
      .get('global')!
      .call(envelope('<s:Fault><faultcode>Server.X</faultcode><faultstring>no</faultstring></s:Fault>'))
    deepStrictEqual([status, (JSON.parse(text) as { error: string }).error], [502, 'upstream_soap_fault'])
  })
})
