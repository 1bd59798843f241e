/** A choice in a request: which params there are, what is sent, what /api and the endpoint say of it. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import type { ParamChoice, SoapEndpoint, TemplateObject } from '../../../src/model.ts'
import { describeRequest } from '../../../src/wsdl/description/request-schema.ts'
import type { GeneratedDsl } from '../../../src/wsdl/dsl/write.ts'
import { bodyOf, generateAround, renderDsl } from '../../support/wsdl/wsdl.ts'

function generate(content: string, more = ''): GeneratedDsl {
  const made = generateAround(`<x:element name="op"><x:complexType>${content}</x:complexType></x:element>${more}`)
  if (made.kind === 'skipped') throw new Error(`${made.reason}: ${made.detail}`)
  return made
}

function reasonOf(content: string, more = ''): string {
  const made = generateAround(`<x:element name="op"><x:complexType>${content}</x:complexType></x:element>${more}`)
  return made.kind === 'skipped' ? `${made.reason}: ${made.detail}` : made.kind
}

function endpointOf({ text }: GeneratedDsl): SoapEndpoint {
  const { endpoint, warnings } = readDsl(text, { file: 'a/op.yml', group: 'a', service: 'op' })
  ok(endpoint.kind === 'soap')
  deepStrictEqual(warnings, [])
  return endpoint
}

const fits = (made: GeneratedDsl, body: object): boolean =>
  new Ajv2020({ strict: false, validateFormats: false }).compile(describeRequest(made.request).schema)(body)
const sent = (made: GeneratedDsl, body: TemplateObject): string =>
  bodyOf(renderDsl(made.text, body)).replace(/^<t:op[^>]*?(?:\/>|>([\s\S]*)<\/t:op>)$/, '$1')

const int = (name: string, more = '') => `<x:element name="${name}" type="x:int"${more}/>`
const bare = (name: string, more = '') => `<x:element name="${name}"${more}><x:complexType/></x:element>`
const choice = (...branches: string[]) => `<x:choice>${branches.join('')}</x:choice>`
const sequence = (...items: string[]) => `<x:sequence>${items.join('')}</x:sequence>`
const holding = (name: string, content: string, more = '') =>
  `<x:element name="${name}"${more}><x:complexType>${content}</x:complexType></x:element>`

/** Bodies with what is sent for each, and whether /api allows it. */
type Rows = readonly (readonly [body: TemplateObject, inside: string, isFit: boolean])[]

const tables: Readonly<Record<string, { readonly content: string; readonly more?: string; readonly rows: Rows }>> = {
  'two elements': {
    content: choice(int('a'), int('b')),
    rows: [
      [{ a: 1 }, '<a>1</a>', true],
      [{ b: 2 }, '<b>2</b>', true],
      [{ b: 2, a: 1 }, '<a>1</a>', false],
      [{}, '', false],
      [{ a: 0 }, '<a>0</a>', true],
    ],
  },
  'a branch of several elements': {
    content: choice(int('a'), sequence(int('b'), int('c'), int('d', ' minOccurs="0"'))),
    rows: [
      [{ b: 1, c: 2 }, '<b>1</b><c>2</c>', true],
      [{ b: 1, c: 2, d: 3 }, '<b>1</b><c>2</c><d>3</d>', true],
      [{ c: 2 }, '<b></b><c>2</c>', false],
      [{ d: 3 }, '<b></b><c></c><d>3</d>', false],
      [{ a: 1, d: 3 }, '<a>1</a>', false],
    ],
  },
  'a branch that may be left out': {
    content: choice(int('a', ' minOccurs="0"'), int('b')),
    rows: [
      [{}, '', true],
      [{ a: 1 }, '<a>1</a>', true],
      [{ a: 1, b: 2 }, '<a>1</a>', false],
    ],
  },
  'a branch that is null': {
    content: choice(int('a', ' nillable="true"'), int('b')),
    rows: [
      [{ a: null }, '<a xsi:nil="true"></a>', true],
      [{ a: null, b: 2 }, '<a xsi:nil="true"></a>', false],
      [{ b: null }, '', false],
    ],
  },
  'a list and one more': {
    content: choice(int('a', ' maxOccurs="unbounded"'), int('b')),
    rows: [
      [{ a: [1, 2] }, '<a>1</a><a>2</a>', true],
      [{ a: [] }, '', false],
      [{ a: [], b: 2 }, '<b>2</b>', true],
      [{ a: [1], b: 2 }, '<a>1</a>', false],
    ],
  },
  'an element that is empty': {
    content: choice(bare('all'), int('b')),
    rows: [
      [{ all: true }, '<all/>', true],
      [{ all: false }, '', false],
      [{ all: false, b: 2 }, '<b>2</b>', false],
      [{ b: 2 }, '<b>2</b>', true],
    ],
  },
  'branches that hold nothing of the caller': {
    content: choice(
      holding('fixed', sequence('<x:element name="f" type="x:string" fixed="F"/>', bare('g'))),
      sequence(bare('first'), bare('second')),
      int('b'),
    ),
    rows: [
      [{ fixed: true }, '<fixed><f>F</f><g/></fixed>', true],
      [{ first: true }, '<first/><second/>', true],
      [{ first: true, fixed: true }, '<fixed><f>F</f><g/></fixed>', false],
      [{ b: 1 }, '<b>1</b>', true],
    ],
  },
  'a choice in a branch': {
    content: choice(sequence(int('a'), choice(int('b'), int('c'))), int('d')),
    rows: [
      [{ a: 1, c: 3 }, '<a>1</a><c>3</c>', true],
      [{ a: 1 }, '<a>1</a>', false],
      [{ c: 3 }, '<a></a><c>3</c>', false],
      [{ d: 4 }, '<d>4</d>', true],
      [{ d: 4, c: 3 }, '<a></a><c>3</c>', false],
    ],
  },
  'a choice that is the whole branch': {
    content: choice(choice(int('a'), choice(int('b'), int('c'))), int('d')),
    rows: [
      [{ c: 3 }, '<c>3</c>', true],
      [{ c: 3, d: 4 }, '<c>3</c>', false],
      [{}, '', false],
    ],
  },
  'a group': {
    content: sequence('<x:group ref="t:g" minOccurs="0"/>', int('z', ' minOccurs="0"')),
    more: `<x:group name="g">${choice(int('a'), int('b'))}</x:group>`,
    rows: [
      [{}, '', true],
      [{ b: 1 }, '<b>1</b>', true],
      [{ a: 1, b: 1 }, '<a>1</a>', false],
    ],
  },
  'a choice in a part that may be left out': {
    content: sequence(holding('e', sequence(int('k'), choice(int('a'), int('b'))), ' minOccurs="0"')),
    rows: [
      [{}, '', true],
      [{ k: 1, a: 2 }, '<e><k>1</k><a>2</a></e>', true],
      [{ k: 1 }, '<e><k>1</k></e>', false],
      [{ a: 2 }, '<e><k></k><a>2</a></e>', false],
    ],
  },
  'two choices that need each other': {
    content: sequence(holding('e', sequence(choice(int('a'), int('b')), choice(int('c'), int('d'))), ' minOccurs="0"')),
    rows: [
      [{}, '', true],
      [{ a: 1 }, '<e><a>1</a></e>', false],
      [{ b: 1, c: 2 }, '<e><b>1</b><c>2</c></e>', true],
    ],
  },
  'elements of one name': {
    content: choice(sequence(int('x'), int('code')), sequence(int('y'), int('code'))),
    rows: [
      [{ x: 1, code: 2 }, '<x>1</x><code>2</code>', true],
      [{ y: 1, code_2: 2 }, '<y>1</y><code>2</code>', true],
      [{ y: 1, code: 2 }, '<x></x><code>2</code>', false],
    ],
  },
  'the same element twice': {
    content: choice(int('a'), int('a')),
    rows: [
      [{ a: 1 }, '<a>1</a>', true],
      [{ a_2: 2 }, '<a>2</a>', true],
    ],
  },
  'elements of one name in branches that have names': {
    content: choice(holding('p', sequence(int('code'))), holding('q', sequence(int('code')))),
    rows: [
      [{ q_code: 1 }, '<q><code>1</code></q>', true],
      [{ p_code: 1, q_code: 2 }, '<p><code>1</code></p>', false],
    ],
  },
  'a type inside itself, which a choice ends': {
    content: sequence('<x:element name="n" type="t:node"/>'),
    more: `<x:complexType name="node">${choice(int('leaf'), '<x:element name="inner" type="t:node"/>')}</x:complexType>`,
    rows: [[{ leaf: 1 }, '<n><leaf>1</leaf></n>', true]],
  },
  'items of a list': {
    content: sequence(holding('i', choice(int('a'), int('b')), ' maxOccurs="2"')),
    rows: [
      [{ i: [{ a: 1 }, { b: 2 }] }, '<i><a>1</a></i><i><b>2</b></i>', true],
      [{ i: [{ a: 1, b: 2 }] }, '<i><a>1</a></i>', false],
      [{ i: [{}] }, '<i></i>', false],
    ],
  },
  'a choice of one': {
    content: `<x:choice maxOccurs="3">${int('a')}</x:choice>`,
    rows: [[{ a: [1, 2] }, '<a>1</a><a>2</a>', true]],
  },
}

describe('the first branch that is given is sent, and /api says what fits [P2.1]', () => {
  for (const [title, { content, more, rows }] of Object.entries(tables)) {
    test(title, () => {
      const made = generate(content, more)
      for (const [body, inside, isFit] of rows) {
        strictEqual(sent(made, body), inside, JSON.stringify(body))
        strictEqual(
          fits(made, body),
          isFit,
          `${JSON.stringify(body)} for ${JSON.stringify(describeRequest(made.request).schema)}`,
        )
      }
      ok(fits(made, describeRequest(made.request).example))
    })
  }
})

describe('what cannot be sent [P2.1]', () => {
  test('a choice that may come several times is skipped, wherever that is said', () => {
    const several = choice(int('a'), int('b'))
    for (const repeated of [
      several.replace('>', ' maxOccurs="2">'),
      `<x:sequence maxOccurs="unbounded">${several}</x:sequence>`,
      choice(several.replace('>', ' maxOccurs="unbounded">')),
    ])
      strictEqual(reasonOf(repeated), 'choice: in op')
    strictEqual(
      reasonOf('<x:group ref="t:g" maxOccurs="5"/>', `<x:group name="g">${several}</x:group>`),
      'choice: in op',
    )
    const heads =
      '<x:element name="h" abstract="true"/><x:element name="h1" substitutionGroup="t:h"/><x:element name="h2" substitutionGroup="t:h"/>'
    strictEqual(reasonOf(sequence('<x:element ref="t:h" maxOccurs="2"/>'), heads), 'choice: in op')
  })

  test('where it may be left out it is, with a note', () => {
    const made = generate(
      sequence(int('a'), holding('b', `<x:choice maxOccurs="2">${int('c')}${int('d')}</x:choice>`, ' minOccurs="0"')),
    )
    deepStrictEqual(endpointOf(made).params, ['a'])
    deepStrictEqual(made.notes, [
      'left out, as it has an xsd:choice in its request that may come several times: in op/b',
    ])
  })

  test('a branch of it is left out, with a note, and the others stay', () => {
    const made = generate(choice(sequence('<x:any/>', int('x')), int('a'), '<x:any/>', int('b')))
    deepStrictEqual(endpointOf(made).params, ['a', 'b'])
    deepStrictEqual(made.notes, ['left out, as it has an xsd:any in its request that may not be left out: in op'])
    strictEqual(fits(made, {}), false)
  })

  test('more branches than a template can ask about are', () => {
    const of = (count: number) => choice(...Array.from({ length: count }, (_, index) => int(`b${index}`)))
    strictEqual(reasonOf(of(501)), 'request_too_large: a choice of more than 500 branches')
    strictEqual(reasonOf(choice(of(300), of(201))), 'request_too_large: a choice of more than 500 branches')
    strictEqual(sent(generate(of(500)), { b499: 1 }), '<b499>1</b499>')
  })

  test('all branches of it are the operation', () => {
    strictEqual(reasonOf(choice('<x:any/>', '<x:any/>')), 'any: in op')
    strictEqual(reasonOf(choice(int('a'), '<x:element name="b" type="t:gone"/>')), 'type_missing: t:gone')
    strictEqual(reasonOf('<x:choice/>'), 'broken_schema: a choice without a branch, in op')
    strictEqual(reasonOf('<x:choice minOccurs="0"/>'), 'generated')
  })
})

test('between text a long condition stays in one piece [P2.1]', () => {
  const names = Array.from({ length: 9 }, (_, index) => `a-name-of-many-letters-${index}`)
  const made = generateAround(
    `<x:element name="op"><x:complexType mixed="true">${choice(int('x'), sequence(...names.map((name) => int(name))))}</x:complexType></x:element>`,
  )
  ok(made.kind === 'generated')
  for (const name of names) match(sent(made, { op: 'text', [name]: 7 }), new RegExp(`^text.*<${name}>7</${name}>`))
})

describe('the endpoint says which params make which branch [P2.1]', () => {
  const choicesOf = (content: string): readonly ParamChoice[] => endpointOf(generate(content)).choices

  test('params and what each branch needs', () => {
    deepStrictEqual(choicesOf(choice(int('a'), sequence(int('b'), int('c', ' minOccurs="0"')))), [
      {
        within: [],
        branches: [
          { params: ['a'], required: ['a'] },
          { params: ['b', 'c'], required: ['b'] },
        ],
        isRequired: true,
        around: [],
      },
    ])
  })

  test('one that need not be given, and one that has to be where its part is', () => {
    const inner = sequence(int('k'), choice(int('a'), int('b')))
    const [first, second] = choicesOf(
      sequence(holding('e', inner, ' minOccurs="0"'), choice(int('c', ' minOccurs="0"'), int('d'))),
    )
    deepStrictEqual([first?.isRequired, first?.around], [true, ['k']])
    deepStrictEqual([second?.isRequired, second?.around], [false, []])
  })

  test('one in a branch comes behind the one around it', () => {
    const found = choicesOf(choice(sequence(int('a'), choice(int('b'), int('c'))), int('d')))
    deepStrictEqual(
      found.map(({ branches, around }) => [branches.map(({ params }) => params), around]),
      [
        [[['a', 'b', 'c'], ['d']], []],
        [[['b'], ['c']], ['a']],
      ],
    )
  })

  test('in objects and lists, by the names that lead there', () => {
    const inner = sequence(holding('j', choice(int('a'), int('b')), ' maxOccurs="2"'), int('z'))
    deepStrictEqual(
      choicesOf(sequence(holding('i', inner, ' maxOccurs="2"'))).map(({ within }) => within),
      [['i', 'j']],
    )
  })

  test('a request without one has none', () => {
    deepStrictEqual(choicesOf(sequence(int('a'))), [])
    ok(!generate(sequence(int('a'))).text.includes('choices'))
  })
})

test('a file that a person wrote may have choices; what cannot be meant is a WARN with its line [P2.1]', () => {
  const text = `method: POST
params: [a, b, c, list]
choices:
  - branches: [{params: [a]}, {params: [b, bb], required: [c]}]
    around: [d]
  - within: [lists]
    required: false
    branches: [{params: [x]}, {params: [x]}]
envelope: <a/>
`
  const { endpoint, warnings } = readDsl(text, { file: 'a/op.yml', group: 'a', service: 'op' })
  ok(endpoint.kind === 'soap')
  deepStrictEqual(endpoint.choices[1], {
    within: ['lists'],
    branches: [
      { params: ['x'], required: ['x'] },
      { params: ['x'], required: ['x'] },
    ],
    isRequired: false,
    around: [],
  })
  deepStrictEqual(warnings, [
    'a/op.yml:4: choices[0].branches[1].params: bb is not among the params; did you mean b?',
    'a/op.yml:4: choices[0].branches[1].required: c is not among the params of its branch',
    'a/op.yml:5: choices[0].around: d is not among the params',
    'a/op.yml:6: choices[1].within: lists is not among the params; did you mean list?',
    'a/op.yml:8: choices[1].branches: x is in two branches',
  ])
  match(
    (() => {
      try {
        readDsl('method: POST\nenvelope: <a/>\nchoices:\n  - branches: {a: 1}\n', {
          file: 'f',
          group: 'a',
          service: 'b',
        })
        return ''
      } catch (error) {
        return (error as Error).message
      }
    })(),
    /f:4: choices\[0\]\.branches: found .*, expected a list of branches, each with params/,
  )
})
