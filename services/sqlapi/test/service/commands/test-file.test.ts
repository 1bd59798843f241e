/** `*.test.yaml` files: what becomes of a case, and what is said of a wrong file. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newFolder } from '@services/testing'
import { readTestFile, testFileSchema } from '../../../src/testing/test-file.ts'

function read(text: string | Uint8Array): ReturnType<typeof readTestFile> {
  return readTestFile('a.test.yaml', newFolder({ 'a.test.yaml': text }))
}

function requestOf(request: string): object | undefined {
  const { cases, problems } = read(`cases:\n  - name: x\n    request: ${request}\n`)
  deepStrictEqual(problems, [])
  return cases[0]?.request
}

describe('a case', () => {
  test('has a method by its body, and the digits of its numbers [N5.4]', () => {
    const post = { method: 'POST', path: '/a/b', query: '', headers: {} }
    deepStrictEqual(
      requestOf('{path: /a/b, body: {n: 1.50, big: 9007199254740993, t: "1", no: null, yes: true, l: [1]}}'),
      {
        ...post,
        body: '{"n": 1.50, "big": 9007199254740993, "t": "1", "no": null, "yes": true, "l": [1]}',
      },
    )
    deepStrictEqual(requestOf('{path: /a/b, method: POST}'), { ...post, body: undefined })
    deepStrictEqual(requestOf('{path: /a/b, body: "a\\n1"}'), { ...post, body: 'a\n1' })
    deepStrictEqual(requestOf('{path: /a/b}'), { ...post, method: 'GET', body: undefined })
  })

  test('has a query of values and lists, and headers [N5.4]', () => {
    deepStrictEqual(requestOf('{path: /a, query: {n: 007, t: "a b&c", l: [1, x], e: }, headers: {x-n: 5}}'), {
      method: 'GET',
      path: '/a',
      query: '?n=007&t=a+b%26c&l=1&l=x&e=',
      headers: { 'x-n': '5' },
      body: undefined,
    })
  })

  test('knows its line; what is not expected may be anything [N5.4]', () => {
    const { cases } = read(
      '# one\ncases:\n  - name: a\n    request: {path: /a}\n  - name: b\n    request: {path: /b}\n',
    )
    deepStrictEqual(
      cases.map(({ line }) => line),
      [3, 5],
    )
    deepStrictEqual(cases[0]?.expect, { status: 200, error: undefined, rows: undefined, ordered: true })
  })
})

test('an error that is expected brings its status [N5.4]', () => {
  const { cases } = read(
    'cases:\n  - name: a\n    request: {path: /a}\n    expect: {error: PayloadTooLargeException}\n',
  )
  deepStrictEqual(cases[0]?.expect, {
    status: 413,
    error: 'PayloadTooLargeException',
    rows: undefined,
    ordered: true,
  })
})

const wrong: readonly [text: string, pattern: RegExp][] = [
  ['cases: [', /^a\.test\.yaml:\d+:\d+: /],
  ['kases: []', /^a\.test\.yaml:1: kases: unknown field; did you mean cases\?/],
  [
    'cases:\n  - name: x\n    request: {path: /a}\n    expct: {}',
    /^a\.test\.yaml:4: cases\[0\]\.expct: unknown field; did you mean expect\?/,
  ],
  [
    'cases:\n  - name: x\n    request:\n      pth: /a',
    /^a\.test\.yaml:4: cases\[0\]\.request\.pth: unknown field; did you mean path\?/,
  ],
  [
    'cases:\n  - name: x\n    request: {query: {}}',
    /^a\.test\.yaml:3: cases\[0\]\.request\.path: missing, expected a path/,
  ],
  ['cases:\n  - request: {path: /a}', /^a\.test\.yaml:2: cases\[0\]\.name: missing, expected what the case shows/],
  ['cases:\n  - name: x\n    request: {path: a}', /request\.path: found "a", expected a path that begins with \//],
  [
    'cases:\n  - name: x\n    request: {path: /a?b=1}',
    /request\.path: found a \? or #; the query string belongs into query/,
  ],
  ['cases:\n  - name: x\n    request: {path: /a, method: PUT}', /request\.method: found "PUT", expected GET or POST/],
  ['cases:\n  - name: x\n    request: {path: /a, method: GET, body: {}}', /request\.body: a GET has no body/],
  ['cases:\n  - name: x\n    request: {path: /a, body: }', /request\.body: left empty/],
  ['cases:\n  - name: x\n    request: {path: /a, query: [1]}', /request\.query: expected name: value lines/],
  [
    'cases:\n  - name: x\n    request: {path: /a, query: {a: {b: 1}}}',
    /request\.query\.a: expected a value, or a list of values/,
  ],
  [
    'cases:\n  - name: x\n    request: {path: /a}\n    expect: {status: 20}',
    /expect\.status: found .*20.*, expected a whole number/,
  ],
  [
    'cases:\n  - name: x\n    request: {path: /a}\n    expect: {rows: }',
    /expect\.rows: left empty; write \[\] for no rows/,
  ],
  [
    'cases:\n  - name: x\n    request: {path: /a}\n    expect: {status: 400, rows: []}',
    /expect\.rows: an answer has rows with status 200 only/,
  ],
  [
    'cases:\n  - name: x\n    request: {path: /a}\n    expect: {error: PayloadToLargeException}',
    /expect\.error: found "PayloadToLargeException", expected .*PayloadTooLargeException/,
  ],
  [
    'cases:\n  - name: x\n    request: {path: /a}\n    expect: {status: 400, error: InternalError}',
    /expect\.status: InternalError has status 500; leave one of them out/,
  ],
  [
    'cases:\n  - name: x\n    request: {path: /a}\n    expect: {status: 413, error: MalformedRequestException}',
    /expect\.status: MalformedRequestException has status 400 or 415; leave one of them out/,
  ],
  [
    'cases:\n  - name: x\n    request: {path: /a}\n    expect: {error: InternalError, rows: []}',
    /expect\.rows: an answer has rows with status 200 only, and no error/,
  ],
  ['cases: 5', /^a\.test\.yaml:1: cases: found .*, expected a list of cases/],
  ['', /cases: missing, expected a list of cases/],
]

for (const [text, pattern] of wrong) {
  test(`a wrong file is told with its line and the cure: ${JSON.stringify(text)} [N5.4]`, () => {
    const { cases, problems } = read(text)
    deepStrictEqual(cases, [])
    ok(
      problems.some((problem) => pattern.test(problem)),
      problems.join('\n'),
    )
  })
}

test('a file that is no UTF-8 text is told by its name [N5.4]', () => {
  const { problems } = read(Buffer.from('cases: \xe4', 'latin1'))
  match(problems.join(), /a\.test\.yaml is not UTF-8 text/)
})

test('the schema for editors has the fields [N5.4]', () => {
  const text = JSON.stringify(testFileSchema())
  for (const field of ['cases', 'request', 'path', 'query', 'body', 'headers', 'expect', 'error', 'rows', 'ordered']) {
    ok(text.includes(`"${field}"`), field)
  }
  strictEqual(JSON.stringify(testFileSchema()).includes('$schema'), true)
})
