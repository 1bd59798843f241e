/** What is typed in, and the requests and curl lines that are made of it. */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { typeWords } from '../../src/browser/description/docs-schema.js'
import { isNested } from '../../src/browser/docs-outline.js'
import { curlLine, quote } from '../../src/browser/request/docs-curl.js'
import { type Field, type Operation, readDescription } from '../../src/browser/description/docs-description.js'
import {
  type Content,
  Mistake,
  prepare,
  typedExample,
  type Typed,
  typedValue,
} from '../../src/browser/request/docs-request.js'

const document = {
  info: { title: 't', version: '1' },
  servers: [{ url: '.' }],
  paths: {
    '/a/b%20c': {
      get: {
        operationId: 'get',
        parameters: [
          { name: 'x', in: 'query', required: true, schema: { type: 'string' }, example: '1' },
          { name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'integer' } }, example: [1, 2] },
          { $ref: '#/components/parameters/h' },
        ],
      },
      post: {
        operationId: 'post',
        requestBody: {
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/s' },
              example: { n: 1, any: 1, flag: true, list: [1] },
            },
          },
        },
      },
    },
    '/a/b%20c/batch': { post: { operationId: 'post_batch', 'x-batch-of': 'post' } },
  },
  components: {
    parameters: { h: { name: 'X-H', in: 'header', schema: { type: 'string', enum: ['a', 'b'] } } },
    schemas: {
      s: {
        type: 'object',
        required: ['n'],
        properties: {
          n: { type: ['integer', 'null'] },
          any: {},
          flag: { type: ['boolean', 'null'] },
          list: { type: ['array', 'null'], items: {} },
          odd: { anyOf: [{ type: 'string', enum: ['p', 'q'], default: 'p' }, { type: 'null' }] },
        },
      },
    },
  },
}

const { operations, base } = readDescription(document, 'http://host/gate/openapi.json')
const [get, post] = operations as [Operation, Operation]

type Texts = Readonly<Record<string, string | readonly File[]>>

/** The request of an operation, with its examples unless something else is typed in. */
function made(operation: Operation, texts: Texts = {}, given: Partial<Content> = {}, at = 0) {
  const typedOf = (field: Field): Typed => {
    const typed = texts[field.name]
    if (typed === undefined) return typedExample(field)
    return typeof typed === 'string' ? { state: 'value', text: typed } : { state: 'value', text: '', files: typed }
  }
  const body = operation.bodies[at]
  return prepare(base, operation, typedOf, body && { body, ...given })
}

describe('requests of the page [N4.3]', () => {
  test('a description is read: references, batch forms, controls', () => {
    strictEqual(operations.length, 2)
    strictEqual(post.batch?.id, 'post_batch')
    deepStrictEqual(
      [...get.parameters, ...(post.bodies[0]?.fields ?? [])].map(({ name, control, isNullable }) => [
        name,
        control,
        isNullable,
      ]),
      [
        ['x', 'text', false],
        ['ids', 'lines', false],
        ['X-H', 'choice', false],
        ['n', 'number', true],
        ['any', 'any', true],
        ['flag', 'boolean', true],
        ['list', 'json', true],
        ['odd', 'choice', true],
      ],
    )
  })

  test('the examples make a request', () => {
    deepStrictEqual(made(get), {
      method: 'GET',
      url: 'http://host/gate/a/b%20c?x=1&ids=1&ids=2',
      headers: [],
      body: undefined,
    })
    deepStrictEqual(made(post), {
      method: 'POST',
      url: 'http://host/gate/a/b%20c',
      headers: [['Content-Type', 'application/json']],
      body: '{"n": 1, "any": 1, "flag": true, "list": [1]}',
    })
  })

  test('what is typed in becomes JSON of its kind, or a text that the service refuses', () => {
    const bodyOf = (texts: Record<string, string>): unknown => JSON.parse(made(post, texts).body as string)
    deepStrictEqual(bodyOf({ n: ' 5 ', any: 'x', flag: 'false', list: ' ["a"] ', odd: 'q' }), {
      n: 5,
      any: 'x',
      flag: false,
      list: ['a'],
      odd: 'q',
    })
    deepStrictEqual(bodyOf({ n: '05', any: '05' }), { n: '05', any: '05', flag: true, list: [1] })
    ok((made(post, { n: '9007199254740993' }).body as string).startsWith('{"n": 9007199254740993,'))
    throws(() => made(post, { list: '[' }), Mistake)
  })

  test('values come back into their fields as they were', () => {
    deepStrictEqual(typedValue('05', 'any'), { state: 'value', text: '05' })
    deepStrictEqual(typedValue('5', 'any'), { state: 'value', text: '"5"' })
    deepStrictEqual(typedValue(null, 'text'), { state: 'null', text: '' })
    deepStrictEqual(typedValue(undefined, 'text'), { state: 'absent', text: '' })
  })

  test('a line for curl has every value in one word of the shell', (t) => {
    strictEqual(curlLine(made(get, { 'X-H': 'b' })), "curl 'http://host/gate/a/b%20c?x=1&ids=1&ids=2' -H 'X-H: b'")
    if (process.platform === 'win32') return t.skip('Windows has no POSIX shell')
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 40 }), (text) => {
        // What no word of a command line can hold.
        const word = text.toWellFormed().replaceAll('\0', '')
        strictEqual(execFileSync('sh', ['-c', `printf %s ${quote(word)}`], { encoding: 'utf8' }), word)
      }),
      { numRuns: 30, examples: [["it's '' \\ \" $x `y` !\n#"]] },
    )
  })
})

/** What xroad-proxy's description has, and imported ones may have. */
const wide = readDescription(
  {
    servers: [{ url: '.' }],
    paths: {
      '/g/{id}/{rest}': {
        parameters: [{ name: 'id', in: 'path', schema: { type: 'integer' } }],
        get: {
          summary: 'g/{id}/{rest}',
          'x-titles': { et: 'Päring', ru: 'Запрос' },
          tags: ['g'],
          parameters: [
            { name: 'rest', in: 'path', 'x-takes-rest': true, schema: { type: 'string' } },
            { name: 'query', in: 'query', style: 'form', schema: { type: 'object' }, example: {} },
            { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } },
            { name: 'near', in: 'query', explode: false, schema: { type: 'array', items: {} } },
            { name: 'piped', in: 'query', style: 'pipeDelimited', schema: { type: 'array', items: {} } },
            { name: 'c', in: 'cookie', schema: {} },
          ],
          requestBody: { content: { 'application/json': {} } },
        },
        'x-methods': { PROPFIND: { operationId: 'find', 'x-facts': { Client: 'GOV/1' } } },
      },
      '/g/s': {
        post: {
          operationId: 'send',
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/choice' } },
              'multipart/form-data': {
                schema: {
                  properties: {
                    scan: { type: 'string', contentEncoding: 'base64' },
                    pages: { type: 'array', items: { type: 'string', format: 'binary' } },
                    name: { type: 'string' },
                  },
                },
              },
              'application/x-www-form-urlencoded': {
                schema: { properties: { a: {}, list: { type: 'array', items: {} } } },
                example: { a: 'x y', list: [1, 2] },
              },
              'text/xml; charset=utf-8': { example: '<a/>' },
              '*/*': {},
            },
          },
        },
      },
    },
    components: {
      schemas: {
        part: { type: 'object', required: ['kept'], properties: { kept: { type: 'string' } } },
        choice: {
          allOf: [{ $ref: '#/components/schemas/part' }, { $ref: '#/components/schemas/circle' }],
          type: 'object',
          properties: { code: {}, first: {}, last: {} },
          oneOf: [{ required: ['code'] }, { title: 'by name', required: ['first', 'last'] }, {}],
        },
        circle: { allOf: [{ $ref: '#/components/schemas/circle' }] },
      },
    },
  } as object,
  'http://host/gate/api',
)
const [read, find, write] = wide.operations as [Operation, Operation, Operation]

describe('what descriptions of other services have [P6.1]', () => {
  test('values in the path: slashes part segments only where they may; dots and nothing are refused', () => {
    const given = { id: 'a/b c', rest: 'x/ü/' }
    strictEqual(made(read, given).url, 'http://host/gate/g/a%2Fb%20c/x/%C3%BC/')
    throws(() => made(read, { ...given, id: '' }), Mistake)
    throws(() => made(read, { id: '..', rest: 'x' }), Mistake)
    throws(() => made(read, { id: '1', rest: 'x/./y' }), Mistake)
  })

  test('a whole query string, and lists and objects in the styles of OpenAPI; no cookies', () => {
    const { url } = made(read, {
      id: '1',
      rest: 'x',
      query: "a=1=2\nflag\n\n&='",
      filter: 'k=v',
      near: 'a,b\nc',
      piped: '1\n2',
    })
    strictEqual(url.split('?')[1], 'a=1%3D2&flag&%26=%27&filter[k]=v&near=a%2Cb,c&piped=1%7C2')
    deepStrictEqual(made(read, { id: '1', rest: 'x' }).url, 'http://host/gate/g/1/x')
  })

  test('methods that OpenAPI has no place for; titles of all languages are found; a path is not a title', () => {
    deepStrictEqual([find.method, find.id, find.facts], ['PROPFIND', 'find', [['Client', 'GOV/1']]])
    strictEqual(read.summary, '')
    ok(read.words.includes('Päring') && read.words.includes('Запрос'))
    deepStrictEqual(read.bodies, [])
  })

  test('components in words: their names, and null only where it is said', () => {
    const $ref = '#/components/schemas/register.api.Cat'
    strictEqual(typeWords({ oneOf: [{ $ref }, { type: 'string' }] }), 'Cat or text')
    strictEqual(typeWords({ anyOf: [{ $ref }, { type: 'null' }] }), 'Cat or null')
  })

  test('schemas that hold themselves in any way come to an end', () => {
    const schemas = {
      all: {
        allOf: [{ $ref: '#/components/schemas/all' }, { $ref: '#/components/schemas/all' }],
        properties: { a: {} },
      },
      list: { type: 'array', items: { $ref: '#/components/schemas/list' } },
      one: { oneOf: [{ $ref: '#/components/schemas/one' }, { $ref: '#/components/schemas/all' }] },
      next: { $ref: '#/components/schemas/next' },
    }
    for (const name of Object.keys(schemas)) {
      const media = { schema: { type: 'object', properties: { x: { $ref: `#/components/schemas/${name}` } } } }
      const whole = { schema: { $ref: `#/components/schemas/${name}` } }
      const responses = { 200: { content: { 'application/json': whole } } }
      const content = { 'application/json': media, 'multipart/form-data': media, 'text/json+json': whole }
      const source = { paths: { '/x': { post: { requestBody: { content }, responses } } }, components: { schemas } }
      const [operation] = readDescription(source, 'http://h/api').operations
      strictEqual(operation?.bodies.length, 3)
      ok(Array.isArray(operation.responses.columns))
      ok(!isNested(operation.parts, { $ref: '#/components/schemas/list' }))
      strictEqual(isNested(operation.parts, { $ref: '#/components/schemas/one' }), true)
    }
  })

  test('several media types of the answer are a choice', () => {
    const source = (content: object) => ({ paths: { '/x': { get: { responses: { 200: { content } } } } } })
    const fields = (content: object) => readDescription(source(content), 'http://h/').operations[0]?.parameters ?? []
    const [accept] = fields({ 'application/json': {}, 'application/pdf': {}, '*/*': {} })
    deepStrictEqual([accept?.name, accept?.schema.enum], ['Accept', ['application/json', 'application/pdf']])
    deepStrictEqual(fields({ 'application/json': {}, '*/*': {} }), [])
  })

  test('a choice: the fields of all options, and which go together', () => {
    const [json] = write.bodies
    deepStrictEqual(
      json?.fields.map(({ name, isRequired }) => [name, isRequired]),
      [
        ['kept', true],
        ['code', false],
        ['first', false],
        ['last', false],
      ],
    )
    deepStrictEqual(
      json?.choices.map((options) => options.map(({ label, names }) => [label, names])),
      [
        [
          ['code', ['code']],
          ['by name', ['first', 'last']],
          ['none of them', []],
        ],
      ],
    )
  })

  test('a choice whose branches rule the others out, as WSDL files make it; labels are short', () => {
    const never = false as unknown as object
    const nobody = { w1: never, w2: never, w3: never, w4: never }
    const schema = {
      type: 'object',
      properties: { a: {}, b: {}, list: { type: 'array' }, near: {}, own: {} },
      oneOf: [
        { required: ['a'], properties: { list: { maxItems: 0 } } },
        { anyOf: [{ required: ['list'], properties: { list: { minItems: 1 } } }], properties: { a: never, b: never } },
        { required: ['w1', 'w2', 'w3', 'w4'], properties: { a: never, b: never, list: { maxItems: 0 } } },
        { properties: { a: never, b: never, list: { maxItems: 0 }, near: never, ...nobody } },
      ],
    }
    const source = { paths: { '/x': { post: { requestBody: { content: { 'application/json': { schema } } } } } } }
    const [body] = readDescription(source, 'http://h/api').operations[0]?.bodies ?? []
    const names = body?.fields.map(({ name }) => name)
    deepStrictEqual(names, ['a', 'b', 'list', 'near', 'own'])
    const inForm = (all: readonly string[]): string[] => all.filter((name) => names?.includes(name)).toSorted()
    deepStrictEqual(
      body?.choices[0]?.map((option) => [option.label, inForm(option.names), option.required]),
      [
        ['a', ['a', 'b', 'near'], ['a']],
        ['list', ['list', 'near'], []],
        ['w1, w2, w3, ..', ['near'], ['w1', 'w2', 'w3', 'w4']],
        ['none of them', [], []],
      ],
    )
  })

  test('parts: files behind all texts, in the order of the description', () => {
    const scan = new File(['%PDF'], 'a "b".pdf', { type: 'application/pdf' })
    const pages = [new File(['1'], '1.txt'), new File(['2'], '2.txt')]
    const request = made(write, { scan: [scan], pages, name: '@x' }, {}, 1)
    deepStrictEqual(request.headers, [])
    deepStrictEqual(request.body, [
      { name: 'name', value: '@x' },
      { name: 'scan', value: scan },
      { name: 'pages', value: pages[0] },
      { name: 'pages', value: pages[1] },
    ])
    strictEqual(
      curlLine(request),
      "curl 'http://host/gate/g/s' --form-string 'name=@x' -F 'scan=@\"a \\\"b\\\".pdf\";type=application/pdf' " +
        '-F \'pages=@"1.txt"\' -F \'pages=@"2.txt"\'',
    )
  })

  test('forms, texts, files and types that the caller names', () => {
    deepStrictEqual(made(write, {}, {}, 2).body, 'a=x%20y&list=1&list=2')
    const xml = made(write, {}, { text: '<b/>' }, 3)
    deepStrictEqual([xml.body, xml.headers], ['<b/>', [['Content-Type', 'text/xml; charset=utf-8']]])
    const file = new File(['x'], 'x.bin')
    const any = made(write, {}, { file, mediaType: 'image/png' }, 4)
    deepStrictEqual([any.body, any.headers], [file, [['Content-Type', 'image/png']]])
    strictEqual(curlLine(any), "curl 'http://host/gate/g/s' -H 'Content-Type: image/png' --data-binary '@x.bin'")
    strictEqual(curlLine({ method: 'POST', url: 'u', headers: [], body: [] }), "curl -X POST 'u'")
    strictEqual(curlLine({ method: 'HEAD', url: 'u', headers: [], body: undefined }), "curl --head 'u'")
  })
})
