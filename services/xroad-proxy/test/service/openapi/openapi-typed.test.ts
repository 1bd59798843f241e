/**
 * What the description gains from WSDL files: types, words and examples of requests, types of answers in the shape in
 * force.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import { describeEndpoints } from '../../support/description.ts'
import { typeEndpoints } from '../../../src/boot/description/openapi-typed.ts'
import { typeResponses } from '../../../src/boot/description/typed-responses.ts'
import type { GeneratedFrom } from '../../../src/boot/ingest/ingest.ts'
import type { ResponseShape, SoapEndpoint } from '../../../src/model.ts'
import { finish, type Steps } from '../../../src/steps.ts'
import { readWsdl, type Wsdl } from '../../../src/wsdl/operations/operations.ts'
import { realFolder, realWsdls, withoutRealWsdls } from '../../support/wsdl/real-wsdls.ts'
import { type Description, type Schema, startTypedService } from '../../support/wsdl/typed-service.ts'
import { generateAll, noFiles, resolveIn, wsdlAround } from '../../support/wsdl/wsdl.ts'

interface Described {
  readonly text: string
  readonly document: Description
}

interface Options {
  readonly shape?: ResponseShape
  readonly maxCharacters?: number
}

function* prepare(): Steps<void> {}

/** Endpoints of these WSDLs, `/<file>/<operation>`, as they would be loaded. */
function load(wsdls: readonly Wsdl[]): { endpoints: SoapEndpoint[]; generated: Map<string, GeneratedFrom> } {
  const endpoints: SoapEndpoint[] = []
  const generated = new Map<string, GeneratedFrom>()
  for (const wsdl of wsdls) {
    const group = wsdl.file.replaceAll(/\W/g, '_')
    for (const [index, made] of generateAll(wsdl).entries()) {
      const operation = wsdl.operations[index]
      const file = `DSL/${group}/${made.name}.yml`
      if (made.kind === 'skipped' || operation?.kind !== 'operation' || generated.has(file)) continue
      const { endpoint } = readDsl(made.text, { file, group, service: made.name })
      ok(endpoint.kind === 'soap')
      endpoints.push(endpoint)
      const from = { name: made.name, source: wsdl.file, key: undefined, wsdl, operation }
      generated.set(file, { ...from, request: made.request, notes: made.notes, prepare })
    }
  }
  return { endpoints, generated }
}

function describeAll(wsdls: readonly Wsdl[], { shape = 'plain', ...limits }: Options = {}): Described {
  const { endpoints, generated } = load(wsdls)
  const { bodies } = finish(typeResponses(endpoints, { generated, replaced: new Map() }, shape))
  const types = typeEndpoints({ generated, replaced: new Map(), bodies, ...limits })
  const text = describeEndpoints(endpoints, '1.2.3', types)
  return { text, document: JSON.parse(text) as Description }
}

function wsdlOf(schema: string, file = 'owner/api.wsdl', edit = (text: string): string => text): Wsdl {
  return readWsdl(new TextEncoder().encode(edit(wsdlAround(schema))), file, noFiles)
}

/** One for all: it compiles the schema of OpenAPI at its first document, which takes as long as hundreds of checks. */
const validator = new Validator()

async function refuseInvalid({ text, document }: Described): Promise<void> {
  const { valid, errors } = await validator.validate(JSON.parse(text) as Record<string, unknown>)
  deepStrictEqual([valid, errors ?? []], [true, []])
  const references = text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)
  for (const [, key = ''] of references) ok(Object.hasOwn(document.components.schemas, key), key)
}

const words = (...inner: string[]): string =>
  `<x:annotation><x:appinfo xmlns:r="http://x-road.eu/xsd/xroad.xsd">${inner.join('')}</x:appinfo></x:annotation>`

const person = `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="code" type="x:string">${words('<r:title xml:lang="et">Isikukood</r:title>', '<r:title xml:lang="en">Personal code</r:title>', '<r:notes xml:lang="en">Eleven digits</r:notes>')}</x:element>
    <x:element name="sex" minOccurs="0"><x:simpleType><x:restriction base="x:string"><x:enumeration value="M"/><x:enumeration value="N"/></x:restriction></x:simpleType></x:element>
    <x:element name="born" type="x:date" minOccurs="0" maxOccurs="unbounded"/>
  </x:sequence></x:complexType></x:element>
  <x:element name="opResponse"><x:complexType><x:sequence><x:element name="person" type="t:person" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>
  <x:complexType name="person"><x:sequence>
    <x:element name="code" type="x:string">${words('<r:title>Kood</r:title>')}</x:element>
    <x:element name="share" type="x:decimal" minOccurs="0"/>
    <x:element name="sex" minOccurs="0"><x:simpleType><x:restriction base="x:string"><x:enumeration value="M"/></x:restriction></x:simpleType></x:element>
  </x:sequence></x:complexType>`

const titled = (text: string): string =>
  text.replace(
    '<wsdl:operation name="op"><wsdl:input m',
    `<wsdl:operation name="op"><wsdl:documentation><r:title xmlns:r="http://x-road.eu/xsd/xroad.xsd" xml:lang="en">Person</r:title><r:title xmlns:r="http://x-road.eu/xsd/xroad.xsd" xml:lang="et">Isik</r:title><r:notes xmlns:r="http://x-road.eu/xsd/xroad.xsd" xml:lang="en">Finds a person</r:notes></wsdl:documentation><wsdl:input m`,
  )

describe('the description of generated endpoints [D6.3]', () => {
  const operationOf = ({ document }: Described) => document.paths['/owner_api_wsdl/op']!['post']!

  test('title and notes of the operation, the preferred language first, all of them by language [S-typed.words]', async () => {
    const described = describeAll([wsdlOf(person, undefined, titled)])
    await refuseInvalid(described)
    const operation = operationOf(described)
    strictEqual(operation['summary'], 'Isik')
    match(String(operation['description']), /^Finds a person\n\nen: Person$/)
    deepStrictEqual(operation['x-titles'], { en: 'Person', et: 'Isik' })
  })

  test('types, enumerations, what is required, words, and an example that is valid [S-typed.request]', () => {
    const { schema, example } = operationOf(describeAll([wsdlOf(person)])).requestBody.content['application/json']
    deepStrictEqual(schema, {
      type: 'object',
      properties: {
        code: {
          type: 'string',
          title: 'Isikukood',
          description: 'Eleven digits\n\nen: Personal code',
          'x-titles': { et: 'Isikukood', en: 'Personal code' },
        },
        sex: { type: 'string', enum: ['M', 'N'] },
        born: { type: 'array', items: { type: 'string', format: 'date' } },
      },
      required: ['code'],
    })
    deepStrictEqual(example, { code: 'text', sex: 'M', born: ['2026-01-31'] })
  })

  test('a choice is oneOf, with the params of each branch optional and those of the others ruled out [P2.1]', async () => {
    const either =
      '<x:choice><x:element name="a" type="x:int"/><x:element name="b" type="x:int" maxOccurs="2"/></x:choice>'
    const described = describeAll([
      wsdlOf(`<x:element name="op"><x:complexType>${either}</x:complexType></x:element><x:element name="opResponse"/>`),
    ])
    await refuseInvalid(described)
    const { schema, example } = operationOf(described).requestBody.content['application/json']
    strictEqual(schema['required'], undefined)
    deepStrictEqual(Object.keys(schema.properties ?? {}), ['a', 'b'])
    deepStrictEqual(schema['oneOf'], [
      { required: ['a'], properties: { b: { maxItems: 0 } } },
      { required: ['b'], properties: { b: { minItems: 1 }, a: false } },
    ])
    deepStrictEqual(example, { a: 1 })
  })

  const bodyOf = (described: Described): Schema | undefined =>
    operationOf(described).responses['200']!.content['application/json'].schema.properties?.['body']

  test('the answer in the plain shape: prefixes, and what a text may become [S-typed.mode]', async () => {
    const described = describeAll([wsdlOf(person)])
    await refuseInvalid(described)
    deepStrictEqual(bodyOf(described), {
      type: 'object',
      properties: { 't:opResponse': { $ref: '#/components/schemas/owner.api.opResponse' } },
    })
    const { code, share, sex } = described.document.components.schemas['owner.api.person']!.properties!
    deepStrictEqual(code, { type: ['string', 'integer', 'boolean', 'null'], title: 'Kood' })
    deepStrictEqual([share, sex], [{ type: ['integer', 'string', 'null'] }, { enum: ['M'] }])
  })

  test('the answer in the shape of the schema: one type each, arrays, what is required [S-typed.mode]', async () => {
    const described = describeAll([wsdlOf(person)], { shape: 'schema' })
    await refuseInvalid(described)
    deepStrictEqual(bodyOf(described), {
      type: 'object',
      properties: { opResponse: { $ref: '#/components/schemas/owner.api.opResponse' } },
      required: ['opResponse'],
    })
    const { schemas } = described.document.components
    deepStrictEqual(schemas['owner.api.opResponse'], {
      type: 'object',
      properties: { person: { type: 'array', items: { $ref: '#/components/schemas/owner.api.person' } } },
      required: ['person'],
    })
    deepStrictEqual(schemas['owner.api.person'], {
      type: 'object',
      properties: {
        code: { type: 'string', title: 'Kood' },
        share: { type: 'number' },
        sex: { type: 'string', enum: ['M'] },
      },
      required: ['code'],
    })
  })

  test('types of one WSDL are written once, those of another under other names [S-typed.components]', async () => {
    const files = ['a/b.wsdl', 'a.b.wsdl', 'a/b.WSDL', 'õ/b.wsdl', 'ä/b.wsdl']
    const described = describeAll(files.map((file) => wsdlOf(person, file)))
    await refuseInvalid(described)
    const keys = Object.keys(described.document.components.schemas).filter((key) => key.endsWith('.person'))
    strictEqual(keys.length, Object.keys(described.document.paths).length)
    for (const key of Object.keys(described.document.components.schemas)) match(key, /^[\w.-]+$/)
  })

  test('the same for the same endpoints in another order [S-typed.components]', () => {
    const { endpoints, generated } = load([wsdlOf(person, 'a/1.wsdl'), wsdlOf(person, 'a.1.wsdl')])
    const none = { generated, replaced: new Map(), bodies: new Map() }
    const text = describeEndpoints(endpoints, '1', typeEndpoints(none))
    strictEqual(describeEndpoints(endpoints.toReversed(), '1', typeEndpoints(none)), text)
  })

  test('beyond the bound endpoints are described without types, and the rest stays valid [S-typed.components]', async () => {
    const wsdls = Array.from({ length: 20 }, (_, index) => wsdlOf(person, `o/${index}.wsdl`))
    const whole = describeAll(wsdls)
    const cut = describeAll(wsdls, { maxCharacters: 5000 })
    await refuseInvalid(cut)
    ok(cut.text.length < whole.text.length - 10_000)
    const typed = Object.values(cut.document.paths).filter(
      ({ post }) => post!.requestBody.content['application/json'].schema['required'] !== undefined,
    )
    ok(typed.length > 0 && typed.length < 20, String(typed.length))
    strictEqual(Object.keys(cut.document.paths).length, 20)
  })

  test('odd names of elements and types are keys like any other', async () => {
    const names = ['__proto__', 'constructor', 'a.b', 'õ', '_']
    const elements = names.map((name) => `<x:element name="${name}" type="t:${name}"/>`).join('')
    const types = names
      .map(
        (name) =>
          `<x:complexType name="${name}"><x:sequence><x:element name="v" type="x:int"/></x:sequence></x:complexType>`,
      )
      .join('')
    const schema = `<x:element name="op" type="x:string"/><x:element name="opResponse"><x:complexType><x:sequence>${elements}</x:sequence></x:complexType></x:element>${types}`
    for (const shape of ['plain', 'schema'] as const) await refuseInvalid(describeAll([wsdlOf(schema)], { shape }))
  })

  test('three thousand endpoints with types are described in a moment', () => {
    const wsdls = Array.from({ length: 3000 }, (_, index) => wsdlOf(person, `o/${index}.wsdl`))
    const { endpoints, generated } = load(wsdls)
    const since = process.cpuUsage()
    const types = typeEndpoints({ generated, replaced: new Map(), bodies: new Map() })
    const { length } = describeEndpoints(endpoints, '1', types)
    // Of the processor: the clock on the wall tells how busy the machine is.
    ok(process.cpuUsage(since).user < 5_000_000)
    ok(length < 3000 * 4000, `${length} characters`)
  })
})

test('/api of a service with a WSDL, its required body and the header of the user [S-endpoint.api D6.3 X24]', async () => {
  const service = await startTypedService({ wsdl: { 'owner/api.wsdl': wsdlAround(person) } })
  try {
    const document = await service.api()
    await refuseInvalid({ document, text: JSON.stringify(document) })
    const { schema } = document.paths['/owner/op']!['post']!.requestBody.content['application/json']
    deepStrictEqual(schema['required'], ['code'])
    const { parameters, requestBody } = document.paths['/owner/op']!['post']!
    const headers = ['X-Road-Id', 'X-Road-UserId', 'X-Road-Issue']
    deepStrictEqual(
      parameters,
      headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    )
    strictEqual((requestBody as { required?: boolean }).required, true)
  } finally {
    await service.close()
  }
})

describe('real WSDLs [D6.3 S-typed.components]', { skip: withoutRealWsdls }, () => {
  for (const shape of ['plain', 'schema'] as const) {
    test(`answers in the shape ${shape}`, async (t) => {
      const wsdls = realWsdls.map((file) => {
        const path = join(realFolder, file)
        return readWsdl(readFileSync(path), file, resolveIn(dirname(path)))
      })
      const described = describeAll(wsdls, { shape })
      await refuseInvalid(described)
      const { paths } = described.document
      const ajv = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true })
      for (const [path, item] of Object.entries(paths)) {
        const { schema, example } = item['post']!.requestBody.content['application/json']
        const validate = ajv.compile(withParts(schema, described.document))
        ok(validate(example), `${path}: ${JSON.stringify(validate.errors)}`)
      }
      t.diagnostic(`${Object.keys(paths).length} endpoints, ${described.text.length} characters`)
    })
  }
})

/** Parts that requests share, put in their places. */
function withParts(schema: Schema, { components }: Description): Schema {
  const place = (_: string, value: unknown): unknown => {
    const { $ref } = (value ?? {}) as { $ref?: unknown }
    return typeof $ref === 'string' ? components.schemas[$ref.slice('#/components/schemas/'.length)] : value
  }
  return JSON.parse(JSON.stringify(schema), place) as Schema
}
