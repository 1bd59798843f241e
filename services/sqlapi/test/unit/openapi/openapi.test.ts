/** The description as text: what it says of endpoints, and that it is valid whatever they are called. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import { failures } from '../../../src/errors.ts'
import { writeDocument } from '../../../src/openapi/document/document.ts'
import type { Api, Column, Operation, Parameter } from '../../../src/openapi/document/operation.ts'

interface Described {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly parameters?: readonly Record<string, unknown>[]
  readonly requestBody?: { required?: boolean; content: Record<string, { schema: object; example: object }> }
  readonly responses: Record<
    string,
    { $ref?: string; description?: string; content?: Record<string, { schema: object }> }
  >
  readonly 'x-batch-of'?: string
}

interface Document {
  readonly openapi: string
  readonly info: object
  readonly servers: object[]
  readonly tags: { name: string }[]
  readonly paths: Record<string, Record<string, Described>>
  readonly components: { schemas: Record<string, Record<string, unknown>>; parameters?: Record<string, object> }
}

function operation(path: string, more: Partial<Operation> = {}): Operation {
  const project = path.split('/')[1] ?? ''
  return { method: 'GET', path, project, needsDatasource: false, parameters: [], ...more }
}

function parameter(name: string, more: Partial<Parameter> = {}): Parameter {
  return { name, isExpanded: false, ...more }
}

/** One for all: it compiles the schema of OpenAPI at its first document, which takes as long as hundreds of checks. */
const validator = new Validator()

async function write(operations: readonly Operation[], more: Partial<Api> = {}): Promise<Document> {
  const text = writeDocument({ version: '1.2.3', operations, datasources: [], hasFullErrors: false, ...more })
  const { valid, errors } = await validator.validate(JSON.parse(text) as Record<string, unknown>)
  deepStrictEqual([valid, errors ?? []], [true, []])
  const document = JSON.parse(text) as Document
  for (const [, key = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
    ok(Object.hasOwn(document.components.schemas, key), key)
  }
  return document
}

function all({ paths }: Document): Described[] {
  return Object.values(paths).flatMap((item) => Object.values(item))
}

describe('what it says [N4.1]', () => {
  test('nothing at all is a valid document too', async () => {
    const { openapi, info, servers, paths } = await write([])
    deepStrictEqual([openapi, info, servers], ['3.1.0', { title: 'sqlapi', version: '1.2.3' }, [{ url: '.' }]])
    deepStrictEqual(paths, {})
  })

  test('a GET has a query string, a POST a body and a batch form', async () => {
    const document = await write([
      operation('/crm/orders/list', { parameters: [parameter('customer')] }),
      operation('/crm/orders/add', { method: 'POST', parameters: [parameter('customer'), parameter('note')] }),
    ])
    deepStrictEqual(Object.keys(document.paths), ['/crm/orders/add', '/crm/orders/add/batch', '/crm/orders/list'])
    const get = document.paths['/crm/orders/list']?.['get']
    strictEqual(get?.operationId, 'get_crm_orders_list')
    deepStrictEqual(get?.parameters, [
      { name: 'customer', in: 'query', required: true, schema: { type: 'string' }, example: '1' },
    ])
    const post = document.paths['/crm/orders/add']?.['post']
    strictEqual(post?.operationId, 'post_crm_orders_add')
    strictEqual(post?.requestBody?.required, true)
    deepStrictEqual(post?.requestBody?.content['application/json'], {
      schema: { $ref: '#/components/schemas/post_crm_orders_add_parameters' },
      example: { customer: 1, note: 1 },
    })
    deepStrictEqual(document.components.schemas['post_crm_orders_add_parameters'], {
      type: 'object',
      required: ['customer', 'note'],
      properties: { customer: {}, note: {} },
    })
    const batch = document.paths['/crm/orders/add/batch']?.['post']
    strictEqual(batch?.operationId, 'post_crm_orders_add_batch')
    strictEqual(batch?.['x-batch-of'], 'post_crm_orders_add')
    deepStrictEqual(batch?.requestBody?.content['application/json']?.example, {
      queries: [{ customer: 1, note: 1 }],
    })
    deepStrictEqual(batch?.responses['200']?.content?.['application/json']?.schema, {
      type: 'array',
      items: { type: 'array', items: { $ref: '#/components/schemas/post_crm_orders_add_row' } },
    })
  })

  test('a GET file called batch shares its path with the batch form of a POST file', async () => {
    const document = await write([operation('/crm/add/batch'), operation('/crm/add', { method: 'POST' })])
    const item = document.paths['/crm/add/batch']
    deepStrictEqual(Object.keys(item ?? {}).toSorted(), ['get', 'post'])
    deepStrictEqual(
      [item?.['get']?.operationId, item?.['post']?.operationId],
      ['get_crm_add_batch', 'post_crm_add_batch'],
    )
  })

  test('the words of comments', async () => {
    const words = { summary: 'Orders', description: 'Of one customer.', tags: ['orders', 'crm'], deprecated: 'use /b' }
    const document = await write([operation('/crm/a', words), operation('/crm/b', { deprecated: '' })])
    const [a, b] = all(document)
    deepStrictEqual([a?.summary, a?.tags, a?.deprecated], ['Orders', ['orders', 'crm'], true])
    strictEqual(a?.description, 'Of one customer.\n\nDeprecated: use /b')
    deepStrictEqual([b?.summary, b?.description, b?.deprecated, b?.tags], [undefined, undefined, true, ['crm']])
    deepStrictEqual(document.tags, [{ name: 'crm' }, { name: 'orders' }])
  })

  test('the errors by status, with the names of the table', async () => {
    const { components, paths } = await write([operation('/crm/a')])
    const responses = paths['/crm/a']?.['get']?.responses ?? {}
    deepStrictEqual(Object.keys(responses), ['200', '400', '413', '415', '500'])
    for (const { error, status } of Object.values(failures)) {
      strictEqual(responses[status]?.$ref, `#/components/responses/error_${status}`)
      const { properties } = components.schemas[`error_${status}`] as { properties: { error: { enum: string[] } } }
      ok(properties.error.enum.includes(error))
    }
  })

  test('what databases add to errors, where the configuration wants it', async () => {
    const propertiesOf = async (hasFullErrors: boolean): Promise<string[][]> => {
      const { schemas } = (await write([operation('/crm/a')], { hasFullErrors })).components
      return [400, 413].map((status) => Object.keys(schemas[`error_${status}`]?.['properties'] as object))
    }
    const short = ['error', 'message']
    deepStrictEqual(await propertiesOf(false), [short, short])
    deepStrictEqual(await propertiesOf(true), [[...short, 'detail', 'hint', 'position', 'sqlstate', 'code'], short])
  })

  test('the header of datasources, where it is allowed, and needed where a project has none', async () => {
    const operations = [operation('/crm/a'), operation('/lost/a', { needsDatasource: true })]
    const { paths, components } = await write(operations, { datasources: ['crm', 'other'] })
    deepStrictEqual(paths['/crm/a']?.['get']?.parameters, [{ $ref: '#/components/parameters/datasource' }])
    deepStrictEqual(paths['/lost/a']?.['get']?.parameters, [{ $ref: '#/components/parameters/datasource_needed' }])
    const { datasource_needed: needed } = components.parameters as Record<string, Record<string, unknown>>
    deepStrictEqual(
      [needed?.['name'], needed?.['required'], needed?.['example'], needed?.['schema']],
      ['X-Datasource', true, 'crm', { type: 'string', enum: ['crm', 'other'] }],
    )
    const without = await write(operations)
    deepStrictEqual([without.components.parameters, all(without)[0]?.parameters], [undefined, []])
  })

  test('the same text for the same endpoints in any order', () => {
    const operations = ['/a/b', '/a/b-c', '/a/b_c', '/b/a', '/a/ü'].map((path) => operation(path, { method: 'POST' }))
    const api = { version: '1', datasources: [], hasFullErrors: false }
    strictEqual(writeDocument({ ...api, operations }), writeDocument({ ...api, operations: operations.toReversed() }))
  })
})

describe('types [N4.1]', () => {
  const column = (key: string, more: Partial<Column> = {}): Column => ({ key, isNullable: true, ...more })

  async function rowOf(columns: readonly Column[] | undefined): Promise<unknown> {
    return (await write([operation('/a/b', { columns })])).components.schemas['get_a_b_row']
  }

  test('rows that nobody knows, rows without columns, and rows typed to the column', async () => {
    deepStrictEqual(await rowOf(undefined), { type: 'object', additionalProperties: true })
    deepStrictEqual(await rowOf([]), { type: 'object', properties: {} })
    deepStrictEqual(
      await rowOf([
        column('id', { type: { type: 'integer' }, isNullable: false }),
        column('total', { type: { type: 'string' } }),
        column('tags', { type: { type: 'array', items: { type: 'string' } }, description: 'Words.' }),
        column('data', { type: { type: 'any' } }),
        column('__proto__', { type: { type: 'string', format: 'date-time' }, isNullable: false }),
        column('odd'),
      ]),
      {
        type: 'object',
        required: ['id', 'total', 'tags', 'data', '__proto__', 'odd'],
        properties: JSON.parse(`{
          "id": {"type": "integer", "format": "int64"},
          "total": {"type": ["string", "null"]},
          "tags": {"type": ["array", "null"], "items": {"type": ["string", "null"]}, "description": "Words."},
          "data": {},
          "__proto__": {"type": "string", "format": "date-time"},
          "odd": {}
        }`) as object,
      },
    )
  })

  async function propertyOf(more: Partial<Parameter>): Promise<{ schema: unknown; example: unknown; body: unknown }> {
    const document = await write([operation('/a/b', { method: 'POST', parameters: [parameter('x', more)] })])
    const body = document.components.schemas['post_a_b_parameters'] as { properties: { x: unknown } }
    const { example } = document.paths['/a/b']!['post']!.requestBody!.content['application/json']!
    return { schema: body.properties.x, example: (example as { x: unknown }).x, body }
  }

  test('a value of a body may be null, and a list where one is expanded', async () => {
    deepStrictEqual((await propertyOf({ type: { type: 'string', format: 'date' } })).schema, {
      type: ['string', 'null'],
      format: 'date',
    })
    deepStrictEqual((await propertyOf({ type: { type: 'string', labels: ['a'] } })).schema, {
      anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }],
    })
    const expanded = await propertyOf({ type: { type: 'integer' }, isExpanded: true })
    deepStrictEqual(expanded.example, [1])
    deepStrictEqual(expanded.schema, {
      anyOf: [
        { type: 'integer', format: 'int64' },
        { type: 'array', items: { type: ['integer', 'null'], format: 'int64' } },
        { type: 'null' },
      ],
    })
    deepStrictEqual((await propertyOf({ isExpanded: true })).example, [1])
    deepStrictEqual((await propertyOf({ type: { type: 'any' } })).schema, {})
  })

  test('choices, defaults and descriptions', async () => {
    const chosen = await propertyOf({ type: { type: 'string' }, choices: ['new', 'paid'], description: 'State.' })
    deepStrictEqual(chosen.example, 'new')
    deepStrictEqual(chosen.schema, {
      anyOf: [{ type: 'string', enum: ['new', 'paid'] }, { type: 'null' }],
      description: 'State.',
    })
    const list = await propertyOf({ type: { type: 'array', items: { type: 'string' } }, choices: ['new'] })
    deepStrictEqual(
      [list.example, list.schema],
      [['new'], { type: ['array', 'null'], items: { anyOf: [{ type: 'string', enum: ['new'] }, { type: 'null' }] } }],
    )
    const optional = await propertyOf({ type: { type: 'integer' }, fallback: { json: 10 } })
    deepStrictEqual(
      [optional.example, optional.schema],
      [10, { anyOf: [{ type: 'integer', format: 'int64', default: 10 }, { type: 'null' }] }],
    )
    deepStrictEqual((optional.body as { required?: unknown }).required, undefined)
    const nullable = await propertyOf({ type: { type: 'integer' }, fallback: { json: null } })
    deepStrictEqual(
      [nullable.example, nullable.schema],
      [
        null,
        {
          anyOf: [
            { type: 'integer', format: 'int64' },
            { type: 'null', default: null },
          ],
        },
      ],
    )
    const listed = await propertyOf({ type: { type: 'integer' }, isExpanded: true, fallback: { json: [1] } })
    deepStrictEqual(listed.schema, {
      anyOf: [
        { type: 'integer', format: 'int64' },
        { type: 'array', items: { type: ['integer', 'null'], format: 'int64' }, default: [1] },
        { type: 'null' },
      ],
    })
    deepStrictEqual((await propertyOf({ fallback: { json: 'x' } })).schema, { anyOf: [{ default: 'x' }] })
  })

  async function inQuery(more: Partial<Parameter>): Promise<unknown> {
    const { paths } = await write([operation('/a/b', { parameters: [parameter('x', more)] })])
    const [{ in: _, name: __, ...described } = {}] = paths['/a/b']?.['get']?.parameters ?? []
    return described
  }

  test('a value of a query string is text, repeated for declared lists', async () => {
    deepStrictEqual(await inQuery({ type: { type: 'integer' } }), {
      required: true,
      schema: { type: 'integer', format: 'int64' },
      example: 1,
    })
    // PostgreSQL reads the text itself.
    deepStrictEqual(await inQuery({ type: { type: 'array', items: { type: 'integer' } } }), {
      required: true,
      schema: { type: 'string' },
      example: '{}',
    })
    deepStrictEqual(await inQuery({ type: { type: 'array', items: { type: 'integer' } }, isDeclared: true }), {
      required: true,
      schema: { type: 'array', items: { type: 'integer', format: 'int64' } },
      example: [1],
    })
    deepStrictEqual(await inQuery({ type: { type: 'any' }, isDeclared: true }), {
      required: true,
      schema: { type: 'string', contentMediaType: 'application/json' },
      example: '{}',
    })
    deepStrictEqual(await inQuery({ type: { type: 'any' }, isDeclared: true, fallback: { json: { a: [1] } } }), {
      required: false,
      schema: { type: 'string', contentMediaType: 'application/json', default: '{"a":[1]}' },
      example: '{"a":[1]}',
    })
    deepStrictEqual(
      await inQuery({ type: { type: 'array', items: { type: 'integer' } }, fallback: { json: [1, 2] } }),
      { required: false, schema: { type: 'string' } },
    )
    deepStrictEqual(await inQuery({ fallback: { json: 5 } }), {
      required: false,
      schema: { type: 'string', default: '5' },
      example: '5',
    })
    deepStrictEqual(await inQuery({ isExpanded: true }), { required: true, schema: { type: 'string' }, example: '1' })
    deepStrictEqual(
      await inQuery({ type: { type: 'string', format: 'date' }, fallback: { json: null }, description: 'From.' }),
      {
        required: false,
        description: 'From.',
        schema: { type: 'string', format: 'date' },
      },
    )
  })
})

describe('names [N4.1]', () => {
  async function idsOf(...paths: readonly string[]): Promise<Record<string, string>> {
    const document = await write(paths.map((path) => operation(path)))
    return Object.fromEntries(
      Object.entries(document.paths).map(([path, item]) => [path, item['get']?.operationId ?? '']),
    )
  }

  test('odd names give way to plain ones', async () => {
    deepStrictEqual(await idsOf('/p/a-b', '/p/a_b', '/p/a b', '/p/a_b_2', '/p/a/b'), {
      '/p/a%20b': 'get_p_a_b_4',
      '/p/a-b': 'get_p_a_b_5',
      '/p/a/b': 'get_p_a_b',
      '/p/a_b': 'get_p_a_b_3',
      '/p/a_b_2': 'get_p_a_b_2',
    })
  })

  test('letters beyond ASCII are spelled, everything else is an underscore', async () => {
    deepStrictEqual(await idsOf('/p/tellimus õ', '/p/заказ', '/p/%7B', '/p/{id}', '/p/...', '/p/-', "/p/it's"), {
      '/p/%257B': 'get_p__7B',
      '/p/%7Bid%7D': 'get_p__id_',
      '/p/-': 'get_p__',
      '/p/...': 'get_p___2',
      "/p/it's": 'get_p_it_s',
      '/p/tellimus%20%C3%B5': 'get_p_tellimus_o',
      '/p/%D0%B7%D0%B0%D0%BA%D0%B0%D0%B7': 'get_p_u437u430u43au430u437',
    })
  })

  test('whatever files are called: the document is valid, the names differ in any casing, paths lead back', async () => {
    const segment = fc.oneof(
      fc.constantFrom(
        'a-b',
        'a_b',
        'A_B',
        'a b',
        'batch',
        '%41',
        'ä',
        'a.b',
        '日',
        '__proto__',
        'constructor',
        '😀',
        'x/y',
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter((text) => !/[\0/]|^\.\.?$/.test(text)),
    )
    const path = fc.array(segment, { minLength: 2, maxLength: 3 }).map((segments) => `/${segments.join('/')}`)
    const operations = fc.uniqueArray(fc.record({ path, isPost: fc.boolean() }), {
      selector: ({ path, isPost }) => `${path} ${isPost}`,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(operations, async (given) => {
        const document = await write(
          given.map(({ path, isPost }) => operation(path, { method: isPost ? 'POST' : 'GET' })),
        )
        const ids = all(document).map(({ operationId }) => operationId)
        strictEqual(new Set(ids.map((id) => id.toLowerCase())).size, ids.length)
        for (const id of ids) match(id, /^\w+$/)
        const paths = Object.keys(document.paths)
        for (const { path } of given) ok(paths.some((each) => decodeURIComponent(each) === path.toWellFormed()))
        for (const each of paths) strictEqual(new URL(each, 'http://host').pathname, each)
      }),
      { numRuns: 60 },
    )
  })
})
