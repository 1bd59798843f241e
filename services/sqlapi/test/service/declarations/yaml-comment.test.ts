/** The YAML comment of the predecessor's files: what is read of it, and that it changes no answer. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { documentationOf } from '../../../src/declarations/documentation.ts'
import { readDeclarations } from '../../../src/declarations/read.ts'
import { type Described, readYamlComment } from '../../../src/declarations/yaml-comment.ts'
import { dialectNames } from '../../../src/dialects.ts'
import type { Declarations, YamlComment } from '../../../src/model.ts'
import { startTestService } from '../../support/service.ts'

const comment = `/*
declaration:
  version: 0.1
  description: "Orders of a customer"
  method: get
  accepts: json
  returns: json
  namespace: shop
  allowlist:
    query:
      - field: customer
        type: integer
        description: "Number of the customer"
      - field: state
        type: string
        enum: ['open', 'paid', '', 5, true]
        description: "  State  "
    body:
      - field: states
        type: array
        items:
          type: string
          enum: ['open', 'paid']
  response:
    fields:
      - field: order_id
        type: integer
        description: "Number of the order"
      - field: placedOn
        type: date
*/`

function declare(text: string, parameters: readonly string[] = ['customer', 'state', 'from']): Declarations {
  const { declarations } = readDeclarations({ text: `${text}\nSELECT 1`, method: 'GET', parameters })
  return declarations as Declarations
}

function described(text: string): Described {
  const read = readYamlComment(declare(text).yaml as YamlComment)
  ok(!('message' in read), JSON.stringify(read))
  return read
}

test('descriptions and enumerations are read, by the names of the SQL and the keys of the rows [N3.5]', () => {
  const { description, params, results } = described(comment)
  strictEqual(description, 'Orders of a customer')
  deepStrictEqual(Object.fromEntries(params), {
    customer: { description: 'Number of the customer', enum: undefined },
    state: { description: 'State', enum: ['open', 'paid', '', '5', 'true'] },
    states: { description: undefined, enum: ['open', 'paid'] },
  })
  deepStrictEqual(Object.fromEntries(results), {
    orderId: { description: 'Number of the order', enum: undefined },
    placedOn: { description: undefined, enum: undefined },
  })
})

test('a comment of another shape says less [N3.5]', () => {
  const empty = { description: undefined, params: new Map(), results: new Map() }
  for (const text of [
    '/* declaration: */',
    '/* declaration: text */',
    '/*\ndeclaration:\n  allowlist: [a]\n  response: {fields: {a: b}}\n  description: [x]\n*/',
    '/*\ndeclaration:\n  allowlist: {query: [a, {type: string}, {field: }, null], body: null}\n*/',
    '/*\ndeclaration:\n  description: ""\n*/',
  ]) {
    deepStrictEqual(described(text), empty, text)
  }
})

test('one that is no YAML is told with its place in the file [N3.5]', () => {
  const cases: readonly [text: string, line: number, column: number][] = [
    ['/*\ndeclaration:\n  a: [1\n*/', 3, 6],
    ['-- Text.\n\n  /* declaration: {a: "b} */', 3, 23],
    ['/*\ndeclaration:\n  a: 1\n  a: 2\n*/', 4, 3],
    ['/*\ndeclaration:\n\ta: 1\n*/', 3, 1],
  ]
  for (const [text, line, column] of cases) {
    const problem = readYamlComment(declare(text).yaml as YamlComment)
    ok('message' in problem, text)
    deepStrictEqual([problem.line, problem.column], [line, column], `${text} ${problem.message}`)
    ok(problem.message.startsWith('the comment is not YAML: '), problem.message)
    // No problem of the declarations: a start says nothing of it.
    deepStrictEqual(declare(text).problems, [])
  }
})

test('lines with @ go before the comment, in each word by itself [N3.5] [N3.1]', () => {
  const lines = `-- @summary Orders
-- @param state -- Which ones
-- @enum from a, b
-- @result orderId Its number
-- @tag shop
-- @deprecated`
  for (const text of [`${comment}\n${lines}`, `${lines}\n${comment}`]) {
    const { params, results, ...rest } = documentationOf(declare(text))
    deepStrictEqual(rest, { summary: 'Orders', description: 'Orders of a customer', tags: ['shop'], deprecated: '' })
    deepStrictEqual(params.get('state'), { description: 'Which ones', enum: ['open', 'paid', '', '5', 'true'] })
    deepStrictEqual(params.get('customer')?.description, 'Number of the customer')
    deepStrictEqual(params.get('from'), { description: undefined, enum: ['a', 'b'] })
    deepStrictEqual(results.get('orderId'), { description: 'Its number', enum: undefined })
  }
  const own = documentationOf(declare(`-- @description Mine.\n${comment}`))
  strictEqual(own.description, 'Mine.')
  const broken = documentationOf(declare('/* declaration: [ */\n-- @summary Orders'))
  deepStrictEqual([broken.summary, broken.description, broken.params.size], ['Orders', undefined, 0])
})

for (const kind of dialectNames) {
  test(`${kind}: no answer changes with the comment, whatever it says [N3.5]`, async () => {
    const sql = 'SELECT :state AS state, :customer AS customer'
    const files = {
      'demo/GET/plain.sql': sql,
      'demo/GET/said.sql': `${comment}\n${sql}`,
      'demo/GET/broken.sql': `/* declaration: [ */\n${sql}`,
      'demo/POST/plain.sql': sql,
      'demo/POST/said.sql': `${comment}\n${sql}`,
      'demo/POST/broken.sql': `/* declaration: [ */\n${sql}`,
    }
    const service = await startTestService({ kind, files })
    try {
      const queries = ['customer=1&state=lost', 'customer=&state=', 'customer=x', 'customer=1&customer=2&state=a']
      for (const query of queries) {
        const replies = await Promise.all(
          ['plain', 'said', 'broken'].map((name) => service.get(`/demo/${name}?${query}`)),
        )
        for (const { status, text } of replies) deepStrictEqual([status, text], [replies[0]?.status, replies[0]?.text])
      }
      const bodies = [{ customer: 'x', state: 5 }, { customer: null, state: true }, { customer: 1 }]
      for (const body of bodies) {
        const replies = await Promise.all(
          ['plain', 'said', 'broken'].map((name) => service.post(`/demo/${name}`, body)),
        )
        for (const { status, text } of replies) deepStrictEqual([status, text], [replies[0]?.status, replies[0]?.text])
      }
      deepStrictEqual(
        service.log.filter((line) => line.includes('WARN') && !line.includes('key=customer problem="it occurs twice')),
        [],
      )
    } finally {
      await service.close()
    }
  })
}

test('descriptions and enumerations of the comment stand in the description of the endpoint [N3.5]', async () => {
  const sql = '-- @summary Orders\nSELECT :state AS order_id, :customer AS customer'
  const files = { 'demo/GET/orders.sql': `${comment}\n${sql}` }
  const service = await startTestService({
    kind: 'sqlite',
    files,
    schema: 'CREATE TABLE x (a)',
    config: { openapi: true },
  })
  try {
    const { text } = await service.get('/openapi.json')
    const { paths } = JSON.parse(text) as { paths: Record<string, { get: Record<string, unknown> }> }
    const { summary, description, parameters } = paths['/demo/orders']?.get ?? {}
    deepStrictEqual([summary, description], ['Orders', 'Orders of a customer'])
    const [state, customer] = parameters as { description?: string; schema: { enum?: unknown } }[]
    deepStrictEqual([state?.description, state?.schema.enum], ['State', ['open', 'paid', '', '5', 'true']])
    strictEqual(customer?.description, 'Number of the customer')
    ok(text.includes('Number of the order'))
  } finally {
    await service.close()
  }
})

const folder = process.env['SQLAPI_REAL_TREES'] ?? ''
const skip = existsSync(folder) ? false : 'SQLAPI_REAL_TREES names no folder with check-outs'

test('comments of other projects are read, nearly all of them [N3.5]', { skip }, (t) => {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.sql'))
    .map(({ parentPath, name }) => join(parentPath, name))
  const comments = paths.flatMap((path) => {
    const file = { text: readFileSync(path, 'utf8'), method: 'GET', parameters: undefined } as const
    const { yaml, problems = [] } = readDeclarations(file).declarations ?? {}
    deepStrictEqual(problems, [], path)
    return yaml ?? []
  })
  const unread = comments.map(readYamlComment).filter((read) => 'message' in read)
  t.diagnostic(`${comments.length} comments, ${unread.length} of them no YAML`)
  ok(unread.length <= comments.length / 50)
})
