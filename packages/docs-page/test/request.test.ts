/** What is typed in, and the requests and curl lines that are made of it. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { curlLine, quote } from '../src/browser/docs-curl.js'
import { type Field, type Operation, readDescription } from '../src/browser/docs-description.js'
import { Mistake, prepare, typedExample, typedValue } from '../src/browser/docs-request.js'

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

function made(operation: Operation, texts: Readonly<Record<string, string>> = {}, body?: string) {
  const typedOf = (field: Field) => {
    const text = texts[field.name]
    return text === undefined ? typedExample(field) : ({ state: 'value', text } as const)
  }
  return prepare(base, operation, typedOf, body)
}

describe('requests of the page [N4.3]', () => {
  test('a description is read: references, batch forms, controls', () => {
    strictEqual(operations.length, 2)
    strictEqual(post.batch?.id, 'post_batch')
    deepStrictEqual(
      [...get.fields, ...post.fields].map(({ name, control, isNullable }) => [name, control, isNullable]),
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
    const bodyOf = (texts: Record<string, string>): unknown => JSON.parse(made(post, texts).body ?? '')
    deepStrictEqual(bodyOf({ n: ' 5 ', any: 'x', flag: 'false', list: ' ["a"] ', odd: 'q' }), {
      n: 5,
      any: 'x',
      flag: false,
      list: ['a'],
      odd: 'q',
    })
    deepStrictEqual(bodyOf({ n: '05', any: '05' }), { n: '05', any: '05', flag: true, list: [1] })
    strictEqual(made(post, { n: '9007199254740993' }).body?.slice(0, 21), '{"n": 9007199254740993'.slice(0, 21))
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
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        // What no word of a command line can hold.
        const word = text.toWellFormed().replaceAll('\0', '')
        strictEqual(execFileSync('sh', ['-c', `printf %s ${quote(word)}`], { encoding: 'utf8' }), word)
      }),
      { numRuns: 30, examples: [["it's '' \\ \" $x `y` !\n#"]] },
    )
  })
})
