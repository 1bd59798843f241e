import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict'
import type { Steps } from '../../../src/steps.ts'
import { describe, test } from 'node:test'
import { checkGrowth } from '@services/testing'
import { anyCharacter } from '@services/testing/characters'
import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import { describeEndpoints } from '../../support/description.ts'
import { failures } from '../../../src/errors.ts'
import type { Endpoint, RestEndpoint, SoapEndpoint } from '../../../src/model.ts'

// oxlint-disable-next-line require-yield -- nothing is rendered
function* noSteps(): Steps<string> {
  return ''
}

interface Schema {
  readonly type?: string
  readonly const?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
  readonly anyOf?: readonly Schema[]
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly content: Content }>>
}

interface Document {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const target = {
  xroadInstance: '',
  memberClass: 'GOV',
  memberCode: '70000002',
  subsystemCode: 'business',
  serviceCode: 'companies',
  path: '/v1/search',
}

const exampleOfSoap: SoapEndpoint = {
  kind: 'soap',
  group: 'population',
  service: 'person',
  path: '',
  methods: ['POST'],
  file: 'person.yml',
  client: undefined,
  limits: { timeoutSeconds: undefined, maxResponseBytes: undefined },
  params: ['code'],
  choices: [],
  declared: undefined,
  validation: undefined,
  url: undefined,
  soapVersion: '1.1',
  soapAction: undefined,
  envelope: { namesClient: false, attached: undefined, render: () => '', renderInSteps: noSteps },
  response: undefined,
  attachments: undefined,
  isGenerated: false,
}

const exampleOfRest: RestEndpoint = {
  kind: 'rest',
  group: 'business',
  service: 'companies',
  path: '',
  methods: ['GET'],
  file: 'companies.yml',
  client: undefined,
  limits: { timeoutSeconds: undefined, maxResponseBytes: undefined },
  target,
  headers: undefined,
  allowedQueryParams: undefined,
  forwardBody: true,
}

const soap = (fields: Partial<SoapEndpoint> = {}): SoapEndpoint => ({ ...exampleOfSoap, ...fields })
const rest = (fields: Partial<RestEndpoint> = {}): RestEndpoint => ({ ...exampleOfRest, ...fields })

/**
 * One for all: it compiles the schema of OpenAPI at its first document, which takes as long as hundreds of checks. It
 * knows one document at a time.
 */
const validator = new Validator()

/** The description with its references resolved, after an independent validator found nothing wrong with it. */
async function describeValid(...endpoints: readonly Endpoint[]): Promise<Document> {
  const result = await validator.validate(JSON.parse(describeEndpoints(endpoints, '1.2.3')))
  deepStrictEqual([result.valid, result.errors ?? [], validator.version], [true, [], '3.1'])
  return validator.resolveRefs() as unknown as Document
}

/** The one operation of the one endpoint. */
async function operationOf(endpoint: Endpoint): Promise<Operation> {
  const { paths } = await describeValid(endpoint)
  return Object.values(Object.values(paths)[0]!)[0]!
}

const jsonOf = ({ content }: { readonly content: Content }): Schema => content['application/json']!.schema!

describe('the OpenAPI description [S-what.5 S-endpoint.api D6.3]', () => {
  test('the validator does refuse what is invalid', async () => {
    const { valid } = await validator.validate({ openapi: '3.1.0', info: { title: '' }, paths: {} })
    strictEqual(valid, false)
  })

  test('is valid without any endpoint, and names the version', async () => {
    const { info, paths } = await describeValid()
    deepStrictEqual([info.version, paths], ['1.2.3', {}])
  })

  test('has one path for each endpoint and none for the pages of the service', async () => {
    const { paths } = await describeValid(soap(), rest(), rest({ service: 'reports', methods: ['POST'] }))
    deepStrictEqual(
      Object.entries(paths).map(([path, item]) => [path, Object.keys(item)]),
      [
        ['/business/companies', ['get']],
        ['/business/reports', ['post']],
        ['/population/person', ['post']],
      ],
    )
  })

  test('a SOAP file: one property for each param, of any JSON type, and no body is required', async () => {
    const params = ['code', 'given-name', '__proto__', 'if', '1']
    const { requestBody } = await operationOf(soap({ params }))
    const schema = jsonOf(requestBody!)
    strictEqual(schema.type, 'object')
    deepStrictEqual(Object.keys(schema.properties!).toSorted(), params.toSorted())
    for (const property of Object.values(schema.properties!)) deepStrictEqual(property, {})
    deepStrictEqual([requestBody!.required, schema.required, schema.additionalProperties], Array(3).fill(undefined))
  })

  test('a body is required where one branch of a choice has to be given [P2.1 P4.3]', async () => {
    const branches = ['a', 'b'].map((name) => ({ params: [name], required: [name] }))
    const requiredWith = async (choice: Partial<SoapEndpoint['choices'][number]>): Promise<unknown> => {
      const choices = [{ within: [], branches, isRequired: true, around: [], ...choice }]
      return (await operationOf(soap({ params: ['a', 'b', 'c'], choices }))).requestBody?.required
    }
    strictEqual(await requiredWith({}), true)
    strictEqual(await requiredWith({ isRequired: false }), undefined)
    strictEqual(await requiredWith({ around: ['c'] }), undefined)
    strictEqual(await requiredWith({ within: ['c'] }), undefined)
  })

  test('a SOAP file that attaches something takes JSON with base64, and a form with files [P2.2]', async () => {
    const attached = { namesClient: false, attached: ['file'], render: () => '', renderInSteps: noSteps }
    const { requestBody } = await operationOf(soap({ params: ['file', 'code'], envelope: attached }))
    deepStrictEqual(Object.keys(requestBody!.content), ['application/json', 'multipart/form-data'])
    deepStrictEqual(jsonOf(requestBody!).properties, { code: {}, file: { contentEncoding: 'base64' } })
    const ofForm = requestBody!.content['multipart/form-data']!.schema!
    // Fields come before files.
    deepStrictEqual(Object.keys(ofForm.properties!), ['code', 'file'])
    deepStrictEqual(ofForm.properties, {
      code: {},
      file: { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' },
    })
  })

  test('a SOAP file: the headers that its envelope takes, and the words of its file [P6.1]', async () => {
    const { parameters } = await operationOf(soap({ callerHeaders: ['X-Road-UserId'] }))
    deepStrictEqual(
      parameters.map(({ name }) => name),
      ['X-Road-UserId'],
    )
    strictEqual((await operationOf(soap())).parameters, undefined)
    const words = { title: 'Isik', description: 'By code.' }
    const documents = JSON.parse(describeEndpoints([soap(words), rest(words)], '1')) as {
      paths: Record<string, Record<string, { summary: string; description: string }>>
    }
    deepStrictEqual(
      Object.values(documents.paths).map((item) =>
        Object.values(item).map(({ summary, description }) => [summary, description]),
      ),
      [
        [['Isik', 'By code.\n\nPasses the request to GOV/70000002/business/companies/v1/search.']],
        [['Isik', 'By code.']],
      ],
    )
  })

  test('a SOAP file: the answer has body and headers', async () => {
    const { responses } = await operationOf(soap())
    const schema = jsonOf(responses['200']!)
    deepStrictEqual(
      [schema.required, Object.keys(schema.properties!)],
      [
        ['body', 'headers'],
        ['body', 'headers'],
      ],
    )
  })

  const soapOnly = [
    'template_expansion_failed',
    'upstream_http_error',
    'upstream_soap_fault',
    'upstream_xml_parse_error',
  ] as const

  for (const [endpoint, absent] of [
    [soap(), []],
    [rest(), soapOnly],
  ] as const) {
    test(`a ${endpoint.kind} file: every error code at its status, with its shape`, async () => {
      const { responses } = await operationOf(endpoint)
      const found: string[] = []
      for (const [status, response] of Object.entries(responses)) {
        for (const { properties, required } of response.content['application/json']?.schema?.anyOf ?? []) {
          if (properties === undefined) continue
          found.push(`${properties['error']?.const} ${status}`)
          deepStrictEqual([required?.slice(0, 2), properties['message']], [['error', 'message'], { type: 'string' }])
        }
      }
      const expected = Object.entries(failures)
        // Only where the configuration knows it, or the endpoint refuses.
        .filter(([code]) => !['audit_unavailable', 'invalid_request', ...absent].includes(code))
        .map(([code, status]) => `${code} ${status}`)
      deepStrictEqual(found.toSorted(), expected.toSorted())
      ok('Allow' in responses['405']!.headers!)
    })
  }

  test('extras: limit is required where it is told, detail is not', async () => {
    const { components } = await describeValid()
    const extras = Object.entries(components.schemas).flatMap(([code, { required = [], properties = {} }]) =>
      Object.keys(properties)
        .filter((name) => !['error', 'message', 'body', 'headers'].includes(name))
        .map((name) => `${code}: ${name}${required.includes(name) ? '' : '?'}`),
    )
    deepStrictEqual(extras, [
      'request_too_large: limit',
      'upstream_soap_fault: code',
      'upstream_soap_fault: string',
      'upstream_soap_fault: source',
      'upstream_soap_fault: detail?',
      'upstream_body_too_large: limit',
    ])
  })

  test('a REST file: query parameters as the file allows them', async () => {
    const keysOf = async (allowed: ReadonlySet<string> | undefined): Promise<unknown[]> => {
      const { parameters } = await operationOf(rest({ allowedQueryParams: allowed }))
      return parameters.filter((parameter) => parameter.in === 'query').map(({ name, schema }) => [name, schema.type])
    }
    deepStrictEqual(await keysOf(undefined), [['query', 'object']])
    deepStrictEqual(await keysOf(new Set()), [])
    deepStrictEqual(await keysOf(new Set(['name', 'filter[a]', ''])), [
      ['name', 'string'],
      ['filter[a]', 'string'],
      ['', 'string'],
    ])
  })

  test('a REST file: a body where it is forwarded and means something', async () => {
    const hasBody = async (fields: Partial<RestEndpoint>): Promise<boolean> => {
      const { requestBody } = await operationOf(rest(fields))
      return requestBody !== undefined
    }
    const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'GET', 'HEAD', 'TRACE']
    const withBody: boolean[] = []
    for (const method of methods) withBody.push(await hasBody({ methods: [method] }))
    deepStrictEqual(withBody, [true, true, true, true, true, false, false, false])
    strictEqual(await hasBody({ methods: ['POST'], forwardBody: false }), false)
  })

  test('a REST file: a success, and any other answer, is that of the provider, with the headers of X-Road [P3.4]', async () => {
    const { responses, parameters } = await operationOf(rest())
    for (const status of ['200', '2XX', 'default']) {
      deepStrictEqual(responses[status]?.content, { '*/*': {} }, status)
      ok('X-Road-Error' in responses[status].headers!)
    }
    // The provider may use the statuses of our errors for its own.
    ok('*/*' in responses['500']!.content)
    const headers = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
    deepStrictEqual(headers, ['X-Road-Id', 'X-Road-UserId', 'X-Road-Issue'])
  })

  test('a REST file with several methods has an operation for each, with ids that differ [P3.1 P3.4]', async () => {
    const { paths } = await describeValid(rest({ methods: ['GET', 'POST', 'HEAD', 'QUERY', 'PURGE'] }))
    const {
      get,
      post,
      head,
      description,
      'x-methods': others,
    } = paths['/business/companies'] as Record<string, Operation>
    deepStrictEqual(
      [get, post, head].map((each) => each!.operationId),
      ['business_companies_get', 'business_companies_post', 'business_companies_head'],
    )
    deepStrictEqual([Object.keys(others!), typeof description], [['QUERY', 'PURGE'], 'string'])
    for (const each of [get, post, head]) ok('200' in each!.responses && '2XX' in each!.responses)
    deepStrictEqual([get!.requestBody, post!.requestBody === undefined], [undefined, false])
  })

  test('parameters of a path are parameters, with {rest+} as one that says so [P3.1 P3.4]', async () => {
    const { paths } = await describeValid(
      rest({ path: '/{id}/{rest+}', target: { ...target, path: '/v1/{id}/{rest+}' } }),
      rest({ service: '{x}', path: '/{id}.{format}' }),
    )
    deepStrictEqual(Object.keys(paths), ['/business/%7Bx%7D/{id}.{format}', '/business/companies/{id}/{rest}'])
    const { parameters, operationId } = paths['/business/companies/{id}/{rest}']!['get']!
    deepStrictEqual(
      parameters.filter((each) => each.in === 'path').map(({ name, schema }) => `${name} ${schema.type}`),
      ['id string', 'rest string'],
    )
    strictEqual(operationId, 'business_companies_id_rest_')
  })

  test('a method that OpenAPI 3.1 does not know stands aside, and the document stays valid', async () => {
    const { paths } = await describeValid(rest({ methods: ['PROPFIND'] }), soap({ methods: ['QUERY'] }))
    deepStrictEqual(
      Object.values(paths).map((item) => [Object.keys(item), Object.keys(item['x-methods']!)]),
      [
        [['description', 'x-methods'], ['PROPFIND']],
        [['description', 'x-methods'], ['QUERY']],
      ],
    )
  })

  test('odd names are percent-encoded: no path parameter, no query, no fragment', async () => {
    const names = ['{id}', 'a b', 'õ', 'x?y', 'x#y', '100%', '__proto__', '\u{1F600}', '\uD800', "it's", '..']
    const { paths } = await describeValid(...names.map((name) => soap({ group: name, service: name })))
    strictEqual(Object.keys(paths).length, names.length)
    for (const path of Object.keys(paths)) {
      ok(/^\/[\w.~%!'()*-]+\/[\w.~%!'()*-]+$/.test(path), path)
    }
    ok('/%7Bid%7D/%7Bid%7D' in paths)
    ok('/%C3%B5/%C3%B5' in paths)
  })

  test('ids of operations differ even where names flow together', async () => {
    const pairs = [
      ['a_b', 'c'],
      ['a', 'b_c'],
      ['a', 'b-c'],
      ['a', 'b_c_2'],
      ['a', 'b_c_3'],
      ['-', '-'],
    ]
    const { paths } = await describeValid(...pairs.map(([group = '', service = '']) => soap({ group, service })))
    const ids = Object.values(paths).map(({ post }) => post!.operationId)
    strictEqual(new Set(ids).size, pairs.length)
    for (const id of ids) ok(/^\w+$/.test(id), id)
  })

  test('the same for the same endpoints in another order', () => {
    const endpoints = [soap(), rest(), soap({ group: 'a', service: 'b_c' }), soap({ group: 'a_b', service: 'c' })]
    strictEqual(describeEndpoints(endpoints, '1'), describeEndpoints(endpoints.toReversed(), '1'))
    notStrictEqual(describeEndpoints(endpoints, '1'), describeEndpoints(endpoints.slice(1), '1'))
  })

  test('tells no address of a direct call and no path of a file', () => {
    const document = describeEndpoints([soap({ url: 'https://vendor.example.org/ws', file: '/srv/DSL/x.yml' })], '1')
    ok(!document.includes('vendor') && !document.includes('/srv'))
  })

  test('is valid whatever the names are', async () => {
    const name = fc.oneof(
      fc.string({ unit: anyCharacter, minLength: 1 }),
      fc.constantFrom('__proto__', 'constructor', 'if'),
    )
    const method = fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD', 'TRACE', 'PURGE')
    // As a path may have them: path-template.ts refuses the others.
    const parameter = name.map((text) => text.replaceAll(/[{}/]|\+$/g, '_'))
    const path = fc.tuple(fc.uniqueArray(parameter, { maxLength: 3 }), fc.boolean()).map(([names, takesRest]) => {
      const last = names.length - 1
      return names.map((each, at) => `/{${each}${takesRest && at === last ? '+' : ''}}`).join('')
    })
    const endpoint = fc.record({
      group: name,
      service: name,
      methods: fc.uniqueArray(method, { minLength: 1, maxLength: 3 }),
      path,
      keys: fc.uniqueArray(name),
      isSoap: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(endpoint, { selector: ({ group, service }) => `${group}/${service}`, maxLength: 5 }),
        async (all) => {
          const endpoints = all.map(({ keys, isSoap, path: own, ...base }) => {
            if (isSoap) return soap({ ...base, params: keys })
            const at = { ...target, path: `/v1${own}` }
            return rest({ ...base, path: own, target: at, allowedQueryParams: new Set(keys) })
          })
          const { paths } = await describeValid(...endpoints)
          const described = Object.values(paths).flatMap((item) => Object.entries(item))
          for (const [, { parameters = [] }] of described.filter(([key]) =>
            ['get', 'post', 'delete', 'head'].includes(key),
          )) {
            const named = parameters.map((each) => `${each.in} ${each.name}`)
            strictEqual(new Set(named).size, named.length, named.join())
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  test('the time grows with the number of endpoints, and so does the description', () => {
    checkGrowth(750, (count) => {
      const many = Array.from({ length: count }, (_, index) => soap({ service: `s${index}` }))
      return () => {
        const document = describeEndpoints(many, '1')
        ok(document.length < count * 1500, `${document.length} characters`)
      }
    })
  })
})
