/** JSON Schemas of requests and answers, made from the types of a WSDL. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { matchPattern } from '../../../src/wsdl/description/example-pattern.ts'
import { describeRequest } from '../../../src/wsdl/description/request-schema.ts'
import { ResponseSchemas } from '../../../src/wsdl/description/response-schema.ts'
import { generateAround, outputOf, readText, wsdlAround } from '../../support/wsdl/wsdl.ts'

/** Of a union, with a pattern around it. */
function restrictedUnion(members: string, pattern: string): string {
  const union = `<x:simpleType><x:union memberTypes="${members}"/></x:simpleType>`
  return `<x:element name="f"><x:simpleType><x:restriction>${union}<x:pattern value="${pattern}"/></x:restriction></x:simpleType></x:element>`
}

/** Schema and example of one field of a request, `f`. */
function field(declaration: string, types = ''): { schema: unknown; example: unknown; required: unknown } {
  const { schema, example } = request(`<x:sequence>${declaration}</x:sequence>`, types)
  const properties = schema['properties'] as Readonly<Record<string, unknown>> | undefined
  return { schema: properties?.['f'], example: example['f'], required: schema['required'] }
}

function request(content: string, types = ''): ReturnType<typeof describeRequest> {
  const result = generateAround(`<x:element name="op"><x:complexType>${content}</x:complexType></x:element>${types}`)
  ok(result.kind === 'generated')
  return describeRequest(result.request)
}

const int = { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 }
const four = '[A-Za-z0-9+/]'.repeat(4)
const base64 = `^(?:(?:${four})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?)$`
const long = 9_223_372_036_854_775_000

const typed = (type: string, more = '') => `<x:element name="f" type="${type}" ${more}/>`
const restricted = (base: string, facets: Readonly<Record<string, string | number>>) =>
  `<x:element name="f"><x:simpleType><x:restriction base="${base}">${Object.entries(facets)
    .map(([name, value]) => `<x:${name} value="${value}"/>`)
    .join('')}</x:restriction></x:simpleType></x:element>`

describe('bounds of numbers that JavaScript rounds [D6.3 X24]', () => {
  const keywords = {
    minInclusive: 'minimum',
    minExclusive: 'exclusiveMinimum',
    maxInclusive: 'maximum',
    maxExclusive: 'exclusiveMaximum',
  } as const
  const boundOf = (base: string, facet: string, value: string): number => {
    const { schema } = field(restricted(base, { [facet]: value }))
    return (schema as Readonly<Record<string, number>>)[keywords[facet as keyof typeof keywords]] ?? NaN
  }
  const wholes = ['1', '9007199254740991', '9007199254740992', '1000000000000000', '100000000000000000000', '0']
  for (const value of [...wholes, ...wholes.map((each) => `-${each}`), '0.1', '-0.1', '12345.678', '1e300']) {
    test(`a bound that is a number of JavaScript stays: ${value}`, () => {
      for (const facet of Object.keys(keywords)) strictEqual(boundOf('x:decimal', facet, value), Number(value), facet)
    })
  }

  test('another one gives the next number inside, as JSON writes it and as all its digits', () => {
    const digits = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 30n }), fc.constantFrom('', '-'))
    const isInside = (facet: string, number: bigint, bound: bigint): boolean =>
      facet.startsWith('min') ? number >= bound : number <= bound
    fc.assert(
      fc.property(digits, fc.constantFrom(...Object.keys(keywords)), ([size, sign], facet) => {
        const text = `${sign}${size}`
        const found = boundOf('x:integer', facet, text)
        const bound = BigInt(text)
        // Below 1e21 JSON has no exponent.
        const written = Math.abs(found) < 1e21 ? BigInt(String(found)) : BigInt(found)
        ok(isInside(facet, written, bound) && isInside(facet, BigInt(found), bound), `${facet} ${text}: ${found}`)
        ok(Math.abs(found - Number(text)) <= Math.abs(Number(text)) * 4 * Number.EPSILON, `${facet} ${text}: ${found}`)
      }),
    )
  })

  test('more digits than a number of JavaScript has are a bound inside, or none', () => {
    const schemaOf = (facets: Readonly<Record<string, string>>): unknown =>
      field(restricted('x:decimal', facets)).schema
    deepStrictEqual(schemaOf({ totalDigits: '15' }), { type: 'number', minimum: -(1e15 - 1), maximum: 1e15 - 1 })
    const most = 9_999_999_999_999_998
    deepStrictEqual(schemaOf({ totalDigits: '16' }), { type: 'number', minimum: -most, maximum: most })
    deepStrictEqual(schemaOf({ totalDigits: '999999999', fractionDigits: '500' }), { type: 'number' })
    deepStrictEqual(schemaOf({ minInclusive: '9'.repeat(400) }), { type: 'number' })
    deepStrictEqual(boundOf('x:decimal', 'minInclusive', '1.00000000000000001'), 1 + Number.EPSILON)
    deepStrictEqual(boundOf('x:decimal', 'maxInclusive', '1.00000000000000001'), 1)
    deepStrictEqual(boundOf('x:decimal', 'minInclusive', `0.${'0'.repeat(400)}1`), 0)
  })
})

describe('fields of a request [D6.3]', () => {
  const cases: readonly (readonly [string, string, object | undefined, unknown])[] = [
    ['text', typed('x:string'), { type: 'string' }, 'text'],
    ['an integer', typed('x:integer'), { type: 'integer' }, 1],
    ['a long', typed('x:long'), { type: 'integer', format: 'int64', minimum: -long, maximum: long }, 1],
    ['a decimal', typed('x:decimal'), { type: 'number' }, 1],
    ['a boolean', typed('x:boolean'), { type: 'boolean' }, true],
    ['a date', typed('x:date'), { type: 'string', format: 'date' }, '2026-01-31'],
    ['a moment', typed('x:dateTime'), { type: 'string', format: 'date-time' }, '2026-01-31T12:00:00Z'],
    ['bytes', typed('x:base64Binary'), { type: 'string', contentEncoding: 'base64', pattern: base64 }, 'AAAA'],
    ['null allowed', typed('x:int', 'nillable="true"'), { ...int, type: ['integer', 'null'] }, 1],
    ['a default [X21]', typed('x:int', 'default="5"'), { ...int, default: 5 }, 5],
    [
      'a default that readers of JSON would round [X21]',
      typed('x:integer', 'default="9007199254740993"'),
      { type: 'integer', description: 'Default: 9007199254740993' },
      1,
    ],
    [
      'a default that no number says [X21]',
      typed('x:decimal', 'default="many"'),
      { type: 'number', description: 'Default: many' },
      1,
    ],
    [
      'a default whose type is sent as text [X21]',
      restricted('x:int', { pattern: '\\d{4}' }).replace('name="f"', 'name="f" default="0815"'),
      { type: 'string', format: 'int32', pattern: '^(?:[0-9]{4})$', default: '0815' },
      '0815',
    ],
    [
      'lengths',
      restricted('x:string', { minLength: 6, maxLength: 9 }),
      { type: 'string', minLength: 6, maxLength: 9 },
      'texttt',
    ],
    ['a length', restricted('x:string', { length: 2 }), { type: 'string', minLength: 2, maxLength: 2 }, 'aa'],
    [
      'a range',
      restricted('x:int', { minInclusive: 5, maxExclusive: 9 }),
      { ...int, minimum: 5, exclusiveMaximum: 9 },
      5,
    ],
    [
      'a pattern',
      restricted('x:string', { pattern: '[0-9]{2}|x' }),
      { type: 'string', pattern: '^(?:[0-9]{2}|x)$' },
      '00',
    ],
    [
      'a pattern of digits',
      restricted('x:int', { pattern: '\\d{4}' }),
      { type: 'string', format: 'int32', pattern: '^(?:[0-9]{4})$' },
      '1111',
    ],
    [
      'a pattern of digits that forgets that a number is not empty',
      restricted('x:integer', { pattern: '\\d{0,3}' }),
      { type: 'string', pattern: '^(?=(?:[\\-+]?[0-9]+)$)(?:[0-9]{0,3})$' },
      '1',
    ],
    [
      'the same of decimals',
      restricted('x:decimal', { pattern: '\\d*\\.?\\d*' }),
      {
        type: 'string',
        pattern: '^(?=(?:[\\-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][\\-+]?[0-9]+)?)$)(?:[0-9]*\\.?[0-9]*)$',
      },
      '1',
    ],
    [
      'a pattern of XML Schema alone',
      restricted('x:string', { pattern: '\\i\\c*' }),
      { type: 'string', pattern: '^(?:[\\p{L}_:][\\p{L}\\p{N}._:\\-]*)$' },
      'a',
    ],
    ['a pattern that cannot be said', restricted('x:string', { pattern: '[a-z-[b]]' }), { type: 'string' }, 'text'],
    [
      'a pattern with a plain ^',
      restricted('x:string', { pattern: '^a' }),
      { type: 'string', pattern: '^(?:\\^a)$' },
      'text',
    ],
    [
      'a pattern whose author means the ends',
      restricted('x:string', { pattern: '^a$' }),
      { type: 'string', pattern: '^(?:a)$' },
      'a',
    ],
    ['values', restricted('x:string', { enumeration: 'a' }), { type: 'string', enum: ['a'] }, 'a'],
    [
      'values that are numbers',
      restricted('x:int', { enumeration: 7 }),
      { type: 'integer', format: 'int32', enum: [7] },
      7,
    ],
    [
      'a list [X19]',
      '<x:element name="f"><x:simpleType><x:list itemType="x:int"/></x:simpleType></x:element>',
      { type: 'array', items: int },
      [1],
    ],
    [
      'a list of values [X19]',
      '<x:element name="f"><x:simpleType><x:list><x:simpleType><x:restriction base="x:string"><x:enumeration value="A"/></x:restriction></x:simpleType></x:list></x:simpleType></x:element>',
      { type: 'array', items: { type: 'string', enum: ['A'] } },
      ['A'],
    ],
    [
      'a fixed value that may be left out [X21]',
      typed('x:int', 'fixed="7" minOccurs="0" nillable="true"'),
      { type: 'integer', format: 'int32', enum: [7] },
      7,
    ],
    ['a fixed value that has to be there [X21]', typed('x:int', 'fixed="7" nillable="true"'), undefined, undefined],
    [
      'so many at least and at most [X18]',
      typed('x:boolean', 'minOccurs="2" maxOccurs="3"'),
      { type: 'array', items: { type: 'boolean' }, minItems: 2, maxItems: 3 },
      [true, true],
    ],
    [
      'as many as there may be [X18]',
      typed('x:boolean', 'minOccurs="0" maxOccurs="3"'),
      { type: 'array', items: { type: 'boolean' }, maxItems: 3 },
      [true],
    ],
    [
      'a union',
      '<x:element name="f"><x:simpleType><x:union memberTypes="x:boolean x:date"/></x:simpleType></x:element>',
      { anyOf: [{ type: 'boolean' }, { type: 'string', format: 'date' }] },
      true,
    ],
    [
      'a union with a pattern of its own',
      restrictedUnion('x:int x:string', '[A-Z]{3}'),
      {
        anyOf: [
          { type: 'string', format: 'int32', pattern: '^(?=(?:[\\-+]?[0-9]+)$)(?:[A-Z]{3})$' },
          { type: 'string', pattern: '^(?:[A-Z]{3})$' },
        ],
      },
      'AAA',
    ],
    [
      'a union of dates and numbers with a pattern of its own',
      restrictedUnion('x:int x:date', '[0-9\\-]{10}'),
      {
        anyOf: [
          { type: 'string', format: 'int32', pattern: '^(?=(?:[\\-+]?[0-9]+)$)(?:[0-9\\-]{10})$' },
          { type: 'string', format: 'date', pattern: '^(?:[0-9\\-]{10})$' },
        ],
      },
      '0000000000',
    ],
    [
      'a pattern over another one',
      '<x:element name="f"><x:simpleType><x:restriction><x:simpleType><x:restriction base="x:string"><x:pattern value="[A-Z0-9]{3}"/></x:restriction></x:simpleType><x:pattern value="[0-9]+"/></x:restriction></x:simpleType></x:element>',
      { type: 'string', pattern: '^(?=(?:[A-Z0-9]{3})$)(?:[0-9]+)$' },
      '000',
    ],
    [
      'a pattern and a length',
      restricted('x:string', { pattern: '[A-Z]*\\d+', length: 11 }),
      { type: 'string', minLength: 11, maxLength: 11, pattern: '^(?:[A-Z]*[0-9]+)$' },
      'AAAAA111111',
    ],
    [
      'a date with a pattern',
      restricted('x:date', { pattern: '.{10}' }),
      { type: 'string', format: 'date', pattern: '^(?:.{10})$' },
      '2026-01-31',
    ],
    [
      'repeating',
      typed('x:boolean', 'maxOccurs="unbounded"'),
      { type: 'array', items: { type: 'boolean' }, minItems: 1 },
      [true],
    ],
    ['an empty element', '<x:element name="f" minOccurs="0"><x:complexType/></x:element>', { type: 'boolean' }, true],
  ]
  for (const [name, declaration, schema, example] of cases) {
    test(name, () => {
      const found = field(declaration)
      deepStrictEqual([found.schema, found.example], [schema, example])
    })
  }

  test('required is what the schema requires, outside optional branches', () => {
    const { schema } = request(
      `<x:sequence>
      <x:element name="must" type="x:int"/>
      <x:element name="may" type="x:int" minOccurs="0"/>
      <x:element name="branch" minOccurs="0"><x:complexType><x:sequence><x:element name="inner" type="x:int"/></x:sequence></x:complexType></x:element>
      <x:element name="list" type="t:item" maxOccurs="unbounded"/>
      </x:sequence><x:attribute name="mark" use="required"/>`,
      `<x:complexType name="item"><x:sequence><x:element name="a" type="x:int"/><x:element name="b" type="x:int" minOccurs="0"/></x:sequence></x:complexType>`,
    )
    deepStrictEqual(schema['required'], ['mark', 'must', 'list'])
    deepStrictEqual((schema['properties'] as Record<string, unknown>)['list'], {
      type: 'array',
      items: { type: 'object', properties: { a: int, b: int }, required: ['a'] },
      minItems: 1,
    })
    strictEqual(schema['dependentRequired'], undefined)
  })

  test('a branch that may be left out needs all of its required values once one of them is given [X24]', () => {
    const { schema } = request(`<x:sequence>
      <x:element name="branch" minOccurs="0"><x:complexType><x:sequence>
        <x:element name="a" type="x:int"/><x:element name="b" type="x:int"/><x:element name="c" type="x:int" minOccurs="0"/>
        <x:element name="inner" minOccurs="0"><x:complexType><x:sequence><x:element name="d" type="x:int"/><x:element name="e" type="x:int" minOccurs="0"/></x:sequence></x:complexType></x:element>
      </x:sequence></x:complexType></x:element></x:sequence>`)
    strictEqual(schema['required'], undefined)
    deepStrictEqual(schema['dependentRequired'], { a: ['b'], b: ['a'], c: ['a'], d: ['a'], e: ['d', 'a'] })
  })

  test('titles, notes and the words of values, Estonian first', () => {
    const annotation = (inner: string) =>
      `<x:annotation><x:appinfo xmlns:r="http://x-road.eu/xsd/xroad.xsd">${inner}</x:appinfo></x:annotation>`
    const { schema } = field(
      `<x:element name="f">${annotation('<r:title xml:lang="en">Kind</r:title><r:title xml:lang="et">Liik</r:title><r:notes>Tähtis</r:notes>')}
      <x:simpleType><x:restriction base="x:string"><x:enumeration value="A">${annotation('<r:title>Esimene</r:title>')}</x:enumeration></x:restriction></x:simpleType></x:element>`,
    )
    deepStrictEqual(schema, {
      type: 'string',
      enum: ['A'],
      title: 'Liik',
      description: 'Tähtis\n\nen: Kind\n\nA: Esimene',
      'x-titles': { en: 'Kind', et: 'Liik' },
    })
  })
})

describe('examples of patterns [D6.3]', () => {
  const patterns: Readonly<Record<string, string | undefined>> = {
    '\\d{11}': '11111111111',
    '[1-6][0-9]{2}(0[1-9]|1[0-2])\\d\\d': '1000111',
    '([DdNn]\\d{5})|([Mm]\\d{4,5})': 'D11111',
    '\\+?\\d{5,11}': '11111',
    'EE-.+\\.x*': 'EE-a.',
    '(J|j)ah': 'Jah',
    '': '',
    '[^a]': '1',
    '[^@]+@[^\\.]+\\..+': 'a@a.a',
    '[^a1A -]': undefined,
    '[^&&]': undefined,
    '^a$': undefined,
    '[a-z-[b]]': undefined,
    '\\p{Lu}{2}[\\p{Nd}]': 'AA1',
    '[\\p{L}\\-]+': 'a',
    '😀{3}[😀]': '😀😀😀😀',
    '\\P{Lu}': undefined,
    '\\p{IsNothing}': undefined,
    '(a': undefined,
    'a)': undefined,
    '[a': undefined,
    'a{': undefined,
    'a{9999}': undefined,
    'a{100}{100}': undefined,
    '((((a{99}){99}){99}){99}){99}': undefined,
    '\\': undefined,
    ['('.repeat(5000)]: undefined,
  }
  for (const [pattern, text] of Object.entries(patterns)) {
    test(pattern.slice(0, 40), () => {
      strictEqual(matchPattern(pattern), text)
      if (text !== undefined) ok(new RegExp(`^(?:${pattern})$`, 'u').test(text))
    })
  }
})

describe('the body of an answer [D6.3]', () => {
  function answer(schema: string, attributes = ''): { body: unknown; definitions: Readonly<Record<string, unknown>> } {
    const wsdl = readText(wsdlAround(schema, attributes))
    const answers = new ResponseSchemas(wsdl, (key) => `#/${key}`)
    const body = answers.describe(outputOf(wsdl))
    return { body, definitions: Object.fromEntries(answers.definitions) }
  }
  const text = { type: ['string', 'integer', 'boolean', 'null'] }

  test('elements, attributes, text beside attributes, repetition and null', () => {
    const { body, definitions } = answer(`<x:element name="opResponse"><x:complexType><x:sequence>
      <x:element name="name" type="x:string"/>
      <x:element name="born" type="x:date" minOccurs="0"/>
      <x:element name="rows" type="x:int" maxOccurs="unbounded"/>
      <x:element name="price"><x:complexType><x:simpleContent><x:extension base="x:decimal"><x:attribute name="unit"/></x:extension></x:simpleContent></x:complexType></x:element>
      <x:element name="gone" type="x:boolean" nillable="true"/>
      </x:sequence></x:complexType></x:element>`)
    deepStrictEqual(body, { type: 'object', properties: { 't:opResponse': { $ref: '#/opResponse' } } })
    const integer = { type: ['integer', 'string', 'null'] }
    deepStrictEqual(definitions['opResponse'], {
      type: 'object',
      properties: {
        name: text,
        born: { type: ['string', 'null'], format: 'date' },
        rows: { anyOf: [integer, { type: 'array', items: integer }] },
        price: { $ref: '#/opResponse.price' },
        gone: {
          anyOf: [
            { type: ['boolean', 'integer', 'null'] },
            { type: 'object', properties: { '@xsi:nil': { type: 'string' } } },
          ],
        },
      },
      required: ['name', 'rows', 'price', 'gone'],
    })
    deepStrictEqual(definitions['opResponse.price'], {
      type: ['object', 'string', 'integer', 'boolean', 'null'],
      properties: { '@unit': { type: 'string' }, '#text': { type: 'string' } },
    })
  })

  test('values are what the translation makes of them', () => {
    const { definitions } =
      answer(`<x:element name="opResponse"><x:complexType><x:sequence><x:element name="v"><x:simpleType>
      <x:restriction base="x:string">${['a', '7', '007', 'true', '', '99999999999999999999'].map((value) => `<x:enumeration value="${value}"/>`).join('')}</x:restriction>
      </x:simpleType></x:element></x:sequence></x:complexType></x:element>`)
    const { properties } = definitions['opResponse'] as { properties: Record<string, unknown> }
    deepStrictEqual(properties['v'], { enum: ['a', 7, '007', true, null, '99999999999999999999'] })
  })

  test('a type inside itself refers to itself, a choice requires nothing', () => {
    const { definitions } = answer(`<x:element name="opResponse" type="t:node"/><x:complexType name="node"><x:choice>
      <x:element name="node" type="t:node"/><x:element name="leaf" type="x:string"/></x:choice></x:complexType>`)
    deepStrictEqual(definitions, {
      node: { type: ['object', 'null'], properties: { node: { $ref: '#/node' }, leaf: text } },
    })
  })

  test('qualified names have the prefix of the WSDL and are not required', () => {
    const { definitions } = answer(
      `<x:element name="opResponse"><x:complexType><x:sequence><x:element name="name" type="x:string"/></x:sequence></x:complexType></x:element>`,
      'elementFormDefault="qualified"',
    )
    deepStrictEqual(definitions['opResponse'], { type: ['object', 'null'], properties: { 't:name': text } })
  })

  test('a mere text may come with declarations of prefixes', () => {
    const { body } = answer('<x:element name="opResponse" type="x:date"/>')
    const value = {
      anyOf: [
        { type: ['string', 'null'], format: 'date' },
        { type: 'object', properties: { '#text': { type: 'string' } } },
      ],
    }
    deepStrictEqual(body, { type: 'object', properties: { 't:opResponse': value } })
  })

  test('what is missing in an answer is anything [D5.2]', () => {
    const { body, definitions } = answer(`<x:element name="opResponse"><x:complexType><x:sequence>
      <x:element name="far" type="t:nowhere"/><x:element ref="t:gone"/><x:group ref="t:gone"/></x:sequence></x:complexType></x:element>`)
    deepStrictEqual(definitions['opResponse'], { type: 'object', properties: { far: {} }, required: ['far'] })
    strictEqual(typeof body, 'object')
    const [operation] = readText(wsdlAround('<x:element name="op" type="x:int"/>')).operations
    deepStrictEqual(operation?.kind === 'operation' && [operation.output], [undefined])
  })
})

test('texts of many bytes are held against their pattern without going back for each of them [D6.3 P4.3]', () => {
  // A pattern with a count inside of a repetition overflows the stack of V8 from some 10 million characters on.
  const text = 'AAAA'.repeat(4 * 1024 * 1024)
  for (const facets of [{}, { minLength: 1 }, { minLength: 100 }, { minLength: 5000 }, { maxLength: 2 ** 28 }]) {
    const declaration =
      Object.keys(facets).length === 0 ? typed('x:base64Binary') : restricted('x:base64Binary', facets)
    const { pattern } = field(declaration).schema as { pattern: string }
    const expression = new RegExp(pattern, 'u')
    deepStrictEqual(
      [text, `${text}AA==`, `${text}A`, `${text}!AAA`].map((each) => expression.test(each)),
      [true, true, false, false],
      pattern,
    )
  }
})
