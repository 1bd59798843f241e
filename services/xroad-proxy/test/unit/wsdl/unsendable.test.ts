/** Requests that no message can be made for: schemas that are broken, and content that cannot be sent. */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeRequest } from '../../../src/wsdl/description/request-schema.ts'
import { bodyOf, generateAround, readText, renderDsl } from '../../support/wsdl/wsdl.ts'

const around = (content: string, types = ''): ReturnType<typeof generateAround> =>
  generateAround(`<x:element name="op"><x:complexType>${content}</x:complexType></x:element>${types}`)
const reasonOf = (result: ReturnType<typeof generateAround>): string =>
  result.kind === 'skipped' ? `${result.reason}: ${result.detail}` : 'generated'

describe('a broken schema skips the operation [X17]', () => {
  const broken: Readonly<Record<string, readonly [content: string, words: string]>> = {
    'an empty name': [
      '<x:sequence><x:element name=""/></x:sequence>',
      'the name "" is not an XML name (owner/api.wsdl:3), in op',
    ],
    'a name with a space': [
      '<x:sequence><x:element name="a b"/></x:sequence>',
      'the name "a b" is not an XML name (owner/api.wsdl:3), in op',
    ],
    'a name with a colon': [
      '<x:sequence><x:element name="a:b"/></x:sequence>',
      'the name "a:b" is not an XML name (owner/api.wsdl:3), in op',
    ],
    'a name that begins with a digit': [
      '<x:sequence><x:element name="1a" minOccurs="0"/></x:sequence>',
      'the name "1a" is not an XML name (owner/api.wsdl:3), in op',
    ],
    'no name': [
      '<x:sequence><x:element type="x:int"/></x:sequence>',
      'an element has no name (owner/api.wsdl:3), in op',
    ],
    'an attribute with a broken name': [
      '<x:attribute name="a&lt;b"/>',
      'the name "a<b" is not an XML name (owner/api.wsdl:3), in op',
    ],
    'an attribute that declares a prefix': [
      '<x:attribute name="xmlns"/>',
      'the name xmlns is reserved (owner/api.wsdl:3), in op',
    ],
    'a count that is none': [
      '<x:sequence><x:element name="a" minOccurs="many"/></x:sequence>',
      'element a has minOccurs "many" and maxOccurs "1", in op',
    ],
    'more at least than at most': [
      '<x:sequence><x:element name="a" minOccurs="3" maxOccurs="2"/></x:sequence>',
      'element a has minOccurs "3" and maxOccurs "2", in op',
    ],
    'a negative count': [
      '<x:sequence><x:sequence maxOccurs="-1"/></x:sequence>',
      'sequence has minOccurs "1" and maxOccurs "-1", in op',
    ],
  }
  for (const [title, [content, words]] of Object.entries(broken)) {
    test(title, () => strictEqual(reasonOf(around(content)), `broken_schema: ${words}`))
  }

  test('names in letters of any language are names', () => {
    strictEqual(
      reasonOf(around('<x:sequence><x:element name="õun-1.2_3"/><x:element name="код"/></x:sequence>')),
      'generated',
    )
  })
})

describe('what no message can hold skips the operation, or the branch that may be left out [X20]', () => {
  const abstract = '<x:complexType name="A" abstract="true"><x:sequence/></x:complexType>'
  const endless =
    '<x:complexType name="N"><x:sequence><x:element name="a" type="x:int"/><x:element name="n" type="t:N"/></x:sequence></x:complexType>'
  const group = '<x:element name="a"/><x:element name="b"/>'
  const cases: Readonly<Record<string, readonly [element: (occurs: string) => string, types: string, words: string]>> =
    {
      'an xsd:any': [
        (occurs) =>
          `<x:element name="e" ${occurs}><x:complexType><x:sequence><x:any/></x:sequence></x:complexType></x:element>`,
        '',
        'any: in op/e',
      ],
      'an abstract type that nothing is derived from': [
        (occurs) => `<x:element name="e" type="t:A" ${occurs}/>`,
        abstract,
        'abstract: type t:A in op',
      ],
      'an abstract element that nothing stands for': [
        (occurs) => `<x:element ref="t:e" ${occurs}/>`,
        '<x:element name="e" abstract="true"/>',
        'abstract: element t:e in op',
      ],
      'an element that needs itself': [(occurs) => `<x:element name="e" type="t:N" ${occurs}/>`, endless, 'endless: n'],
      'a group that has to come several times': [
        (occurs) =>
          `<x:element name="e" ${occurs}><x:complexType><x:sequence minOccurs="2" maxOccurs="2">${group}</x:sequence></x:complexType></x:element>`,
        '',
        'repeating_group: in op/e',
      ],
      'a list of attachments in one text [X22]': [
        (occurs) =>
          `<x:element name="e" ${occurs}><x:simpleType><x:list itemType="r:swaRef" xmlns:r="http://ws-i.org/profiles/basic/1.1/xsd"/></x:simpleType></x:element>`,
        '',
        'attachment: op/e',
      ],
    }
  for (const [title, [element, types, words]] of Object.entries(cases)) {
    test(title, () => {
      const sequence = (occurs: string) =>
        `<x:sequence><x:element name="code" type="x:int"/>${element(occurs)}</x:sequence>`
      strictEqual(reasonOf(around(sequence(''), types)), words)
      const optional = around(sequence('minOccurs="0"'), types)
      ok(optional.kind === 'generated')
      deepStrictEqual(Object.keys(describeRequest(optional.request).example), ['code'])
      strictEqual(bodyOf(renderDsl(optional.text, { code: 1, e: 'x', n: 'x' })), '<t:op><code>1</code></t:op>')
      const isNoted = !words.startsWith('endless')
      deepStrictEqual([optional.notes.length, optional.text.includes('# left out')], isNoted ? [1, true] : [0, false])
    })
  }

  test('a required element that may be null is null where its content cannot be sent', () => {
    const nillable = around('<x:sequence><x:element name="e" type="t:N" nillable="true"/></x:sequence>', endless)
    ok(nillable.kind === 'generated')
    strictEqual(bodyOf(renderDsl(nillable.text, {})), '<t:op><e xsi:nil="true"/></t:op>')
  })

  test('an xsd:any that may be left out is left out', () => {
    strictEqual(reasonOf(around('<x:sequence><x:any minOccurs="0"/></x:sequence>')), 'generated')
  })
})

describe('an abstract type is a choice of the types that are derived from it [X20]', () => {
  const derived = (name: string, base: string, content: string, more = '') =>
    `<x:complexType name="${name}" ${more}><x:complexContent><x:extension base="t:${base}"><x:sequence>${content}</x:sequence></x:extension></x:complexContent></x:complexType>`
  const party = `<x:complexType name="party" abstract="true"><x:sequence><x:element name="name" type="x:string"/></x:sequence></x:complexType>`
  const person = derived('person', 'party', '<x:element name="code" type="x:int"/>')
  const body =
    derived('body', 'party', '', 'abstract="true"') + derived('firm', 'body', '<x:element name="vat" type="x:int"/>')

  test('each of them is an object of its own, of which a caller gives one', () => {
    const result = around('<x:sequence><x:element name="who" type="t:party"/></x:sequence>', party + person + body)
    ok(result.kind === 'generated')
    const envelope = renderDsl(result.text, { who: { firm: { name: 'A', vat: 7 } } })
    strictEqual(bodyOf(envelope), '<t:op><who xsi:type="t:firm"><name>A</name><vat>7</vat></who></t:op>')
    const { schema, example } = describeRequest(result.request)
    const { who } = schema['properties'] as { who: { oneOf: { required: string[] }[] } }
    deepStrictEqual([who.oneOf.map(({ required }) => required), schema['required']], [[['person'], ['firm']], ['who']])
    deepStrictEqual(example, { who: { person: { name: 'text', code: 1 } } })
  })

  test('the only one takes the place of the abstract type', () => {
    const result = around('<x:sequence><x:element name="who" type="t:party"/></x:sequence>', party + person)
    ok(result.kind === 'generated')
    strictEqual(
      bodyOf(renderDsl(result.text, { name: 'A', code: 7 })),
      '<t:op><who xsi:type="t:person"><name>A</name><code>7</code></who></t:op>',
    )
  })

  test('a request whose own type is abstract has a param for each type', () => {
    const result = generateAround(`<x:element name="op" type="t:party"/>${party}${person}${body}`)
    ok(result.kind === 'generated')
    strictEqual(
      bodyOf(renderDsl(result.text, { person: { name: 'A', code: 7 } })),
      '<t:op xsi:type="t:person"><name>A</name><code>7</code></t:op>',
    )
  })
})

test('several patterns of one restriction are alternatives, those of its base hold as well', () => {
  const result = around(
    '<x:sequence><x:element name="f" type="t:n"/></x:sequence>',
    `<x:simpleType name="w"><x:restriction base="x:string"><x:pattern value="a.*"/><x:pattern value="b.*"/></x:restriction></x:simpleType>
    <x:simpleType name="n"><x:restriction base="t:w"><x:pattern value=".*z"/></x:restriction></x:simpleType>`,
  )
  ok(result.kind === 'generated')
  const { f } = describeRequest(result.request).schema['properties'] as { f: { pattern: string } }
  const fits = (text: string) => new RegExp(f.pattern, 'u').test(text)
  deepStrictEqual(['az', 'bz', 'cz', 'a', 'b'].map(fits), [true, true, false, false, false])
})

test('what is missing is named with its prefix, and what is no WSDL with its namespace [X25]', () => {
  const missing = around('<x:sequence><x:element name="a" type="t:gone"/></x:sequence>')
  ok(reasonOf(missing).startsWith('type_missing: t:gone'), reasonOf(missing))
  throws(
    () => readText('<definitions xmlns="urn:other"/>'),
    /is not a WSDL: its first element is definitions in the namespace "urn:other"$/,
  )
  throws(() => readText('<html/>'), /is not a WSDL: its first element is html without a namespace$/)
})

test('what is missing is named with a prefix that only the schema or a component declares [X25] [T5]', () => {
  const owned = (at: string, xmlns: string): string =>
    `<x:element name="op"${at === 'component' ? xmlns : ''}><x:complexType><x:sequence>
      <x:element name="a" type="o:gone"${at === 'reference' ? xmlns : ''}/></x:sequence></x:complexType></x:element>`
  for (const at of ['component', 'reference']) {
    const reason = reasonOf(generateAround(owned(at, ' xmlns:o="urn:other"')))
    ok(reason.startsWith('type_missing: o:gone'), reason)
  }
  const schema = generateAround(owned('schema', '').replace('o:gone', 'x:gone'))
  ok(reasonOf(schema).startsWith('type_missing: x:gone'), reasonOf(schema))
})

test('patterns that take for ever on a text that does not match hold up no start [X23]', () => {
  const result = around(
    '<x:sequence><x:element name="f" type="t:n"/></x:sequence>',
    `<x:simpleType name="w"><x:restriction base="x:string"><x:pattern value="(a+)+b"/></x:restriction></x:simpleType>
    <x:simpleType name="n"><x:restriction base="t:w"><x:pattern value="a{60}c"/></x:restriction></x:simpleType>`,
  )
  ok(result.kind === 'generated')
  // No text fits both.
  deepStrictEqual(describeRequest(result.request).example, { f: 'text' })
})

describe('what a schema blocks does not stand for anything [G6]', () => {
  const derived = (name: string, by: string, content: string): string =>
    `<x:complexType name="${name}"><x:complexContent><x:${by} base="t:A"><x:sequence>${content}</x:sequence></x:${by}></x:complexContent></x:complexType>`
  const types = (block = ''): string =>
    [
      `<x:complexType name="A" abstract="true" ${block}><x:sequence><x:element name="a" minOccurs="0"/></x:sequence></x:complexType>`,
      derived('B', 'extension', '<x:element name="b"/>'),
      derived('C', 'restriction', '<x:element name="a"/>'),
    ].join('')
  const element = (block = ''): string => `<x:sequence><x:element name="f" type="t:A" ${block}/></x:sequence>`
  const paramsOf = (result: ReturnType<typeof generateAround>): string =>
    result.kind === 'skipped'
      ? reasonOf(result)
      : (/params:([^]*?)method/.exec(result.text)?.[1] ?? '').replace(/\s+- /g, ' ').trim()
  const head = (block: string): string =>
    `<x:element name="h" type="t:A" abstract="true" ${block}/><x:element name="s" type="t:B" substitutionGroup="t:h"/><x:element name="u" type="t:C" substitutionGroup="t:h"/>`
  const ref = '<x:sequence><x:element ref="t:h"/></x:sequence>'
  const cases: Readonly<Record<string, readonly [result: ReturnType<typeof generateAround>, params: string]>> = {
    nothing: [around(element(), types()), 'f'],
    'extensions of the type': [around(element(), types('block="extension"')), 'a'],
    'restrictions by the element': [around(element('block="restriction"'), types()), 'a b'],
    everything: [around(element('block="#all"'), types()), 'abstract: type t:A in op'],
    'what the schema says for all': [
      generateAround(
        `<x:element name="op"><x:complexType>${element()}</x:complexType></x:element>${types()}`,
        'blockDefault="extension"',
      ),
      'a',
    ],
    'substitution of an element': [around(ref, types() + head('block="substitution"')), 'abstract: element t:h in op'],
    'elements of an extended type': [around(ref, types() + head('block="extension"')), 'a'],
  }
  for (const [title, [result, params]] of Object.entries(cases))
    test(title, () => strictEqual(paramsOf(result), params))

  test('an element may stand for one that stands for another one', () => {
    const chain =
      '<x:element name="h" abstract="true" type="x:string"/><x:element name="m" abstract="true" type="x:string" substitutionGroup="t:h"/>' +
      '<x:element name="s" type="x:string" substitutionGroup="t:m"/>'
    strictEqual(paramsOf(around(ref, chain)), 's')
  })
})

test('what the check of requests does not look at is said with the operation [G6]', () => {
  const constraints =
    '<x:unique name="codes"><x:selector xpath="f"/><x:field xpath="."/></x:unique><x:key name="k"><x:selector xpath="f"/><x:field xpath="."/></x:key>'
  const content = `<x:sequence><x:element name="f" type="x:ID" maxOccurs="2"/></x:sequence><x:attribute name="r" type="x:IDREFS"/>`
  const result = generateAround(
    `<x:element name="op"><x:complexType>${content}</x:complexType>${constraints}</x:element>`,
  )
  ok(result.kind === 'generated')
  deepStrictEqual(result.notes, [
    'not checked: unique codes',
    'not checked: key k',
    'not checked: that no two values of xs:ID are the same',
    'not checked: that a value of xs:IDREF is one of xs:ID',
  ])
  ok(result.text.includes('\n# not checked: unique codes\n'))
})
