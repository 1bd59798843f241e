/** The outline of what messages may hold: what it keeps of a schema, and where it ends. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { membersOf } from '../../../src/wsdl/outline/members.ts'
import {
  concreteTypes,
  isMissing,
  type OutlineContent,
  type OutlineElement,
  type OutlineNode,
  reach,
} from '../../../src/wsdl/outline/outline.ts'
import { readText, wsdlAround } from '../../support/wsdl/wsdl.ts'

const elementOf = (schema: string, name = '{urn:t}op'): OutlineElement => {
  const element = readText(wsdlAround(schema)).outline.element(name)
  ok(element !== undefined)
  return element
}

const contentOf = ({ type }: OutlineElement): OutlineContent => {
  ok(!isMissing(type) && !isMissing(type.content))
  return type.content
}

const inside = (model: string, more = ''): OutlineContent =>
  contentOf(elementOf(`<x:element name="op"><x:complexType>${model}</x:complexType></x:element>${more}`))

/** Groups in brackets, names of elements with how often they come. */
function draw(node: OutlineNode): unknown {
  const { min, max } = node.occurs
  const often = min === 1 && max === 1 ? '' : ` ${min}..${max}`
  switch (node.kind) {
    case 'element':
      return `${node.element.name}${often}`
    case 'sequence':
    case 'all':
    case 'choice':
      return [`${node.kind}${node.name === undefined ? '' : ` ${node.name}`}${often}`, ...node.nodes.map(draw)]
    case 'wildcard':
      return `any${often}`
    case 'cut':
      return `${node.why} of ${node.group}`
    case 'absent':
      return `no ${node.missing.component} ${node.missing.name}`
  }
}

describe('the outline of a message [H2]', () => {
  test('groups are groups, in the order of the schema, with how often they come', () => {
    const { kind, nodes } = inside(`<x:sequence><x:element name="a" type="x:int"/>
      <x:choice minOccurs="0"><x:element name="b" type="x:int" maxOccurs="unbounded"/><x:any minOccurs="0"/></x:choice></x:sequence>`)
    strictEqual(kind, 'elements')
    deepStrictEqual(nodes.map(draw), [['sequence', 'a', ['choice 0..1', 'b 1..Infinity', 'any 0..1']]])
  })

  test('what a base type holds comes first', () => {
    const { nodes, attributes } = inside(
      '<x:complexContent><x:extension base="t:B"><x:sequence><x:element name="b"/></x:sequence></x:extension></x:complexContent>',
      '<x:complexType name="B"><x:sequence><x:element name="a"/></x:sequence><x:attribute name="c" use="required"/></x:complexType>',
    )
    deepStrictEqual(nodes.map(draw), [
      ['sequence', 'a'],
      ['sequence', 'b'],
    ])
    deepStrictEqual(
      attributes.map(({ name, isRequired }) => [name, isRequired]),
      [['c', true]],
    )
  })

  test('a named group inside itself is cut where it comes again; inside an element of its own it goes on', () => {
    const { nodes } = inside(
      '<x:group ref="t:G"/>',
      `<x:group name="G"><x:sequence><x:element name="a"><x:complexType><x:group ref="t:G"/></x:complexType></x:element>
        <x:group ref="t:G" minOccurs="0"/></x:sequence></x:group>`,
    )
    const group = ['sequence {urn:t}G', ['sequence', 'a', 'recursion of {urn:t}G']]
    deepStrictEqual(nodes.map(draw), [group])
    const [member] = membersOf({ kind: 'elements', text: undefined, attributes: [], nodes })
    ok(member !== undefined)
    deepStrictEqual(contentOf(member.element).nodes.map(draw), [group])
  })

  test('more named groups in each other than anybody writes are cut', () => {
    const count = 150
    const groups = Array.from(
      { length: count },
      (_, index) => `<x:group name="G${index}"><x:sequence><x:group ref="t:G${index + 1}"/></x:sequence></x:group>`,
    )
    const { nodes } = inside(
      '<x:group ref="t:G0"/>',
      `${groups.join('')}<x:group name="G${count}"><x:sequence/></x:group>`,
    )
    ok(JSON.stringify(nodes.map(draw)).includes('depth of {urn:t}G100'))
  })

  test('a type inside itself is the same object, and is read once', () => {
    const element = elementOf(
      '<x:element name="op" type="t:T"/><x:complexType name="T"><x:sequence><x:element name="again" type="t:T"/></x:sequence></x:complexType>',
    )
    const [member] = membersOf(contentOf(element))
    strictEqual(member?.element.type, element.type)
    strictEqual(contentOf(member.element), contentOf(element))
  })

  test('what no schema declares is marked where it would stand, and its neighbours are there', () => {
    const content = inside(
      `<x:sequence><x:element ref="t:none"/><x:group ref="t:G"/><x:element name="a" type="t:T"/><x:element name="b" type="t:D"/></x:sequence>
        <x:attribute name="c" type="t:S"/>`,
      '<x:complexType name="D"><x:complexContent><x:extension base="t:B"/></x:complexContent></x:complexType>',
    )
    deepStrictEqual(content.nodes.map(draw), [['sequence', 'no element {urn:t}none', 'no group {urn:t}G', 'a', 'b']])
    const [a, b] = membersOf(content).map(({ element }) => element.type)
    deepStrictEqual(a, { kind: 'missing', component: 'type', name: '{urn:t}T' })
    ok(b !== undefined && !isMissing(b))
    deepStrictEqual(b.content, { kind: 'missing', component: 'type', name: '{urn:t}B' })
    deepStrictEqual(content.attributes[0]?.type, { kind: 'missing', component: 'type', name: '{urn:t}S' })
  })

  test('types and elements that may stand for another one are named with it, in circles too', () => {
    const schema = `<x:element name="op" type="t:A" abstract="true" substitutionGroup="t:two"/>
      <x:element name="one" type="t:A" substitutionGroup="t:op"/><x:element name="two" type="t:A" substitutionGroup="t:one"/>
      <x:complexType name="A" abstract="true"/>
      ${[
        ['B', 'A'],
        ['C', 'A'],
        ['D', 'B'],
      ]
        .map(
          ([name, base]) =>
            `<x:complexType name="${name}"><x:complexContent><x:extension base="t:${base}"/></x:complexContent></x:complexType>`,
        )
        .join('')}`
    const element = elementOf(schema)
    deepStrictEqual(
      reach(element, ({ substitutes }) => substitutes, 10).map(({ name }) => name),
      ['{urn:t}one', '{urn:t}two'],
    )
    ok(!isMissing(element.type))
    deepStrictEqual(
      concreteTypes(element.type).map(({ name }) => name),
      ['{urn:t}B', '{urn:t}C', '{urn:t}D'],
    )
    deepStrictEqual(
      reach(element.type, ({ derived }) => derived, 2).map(({ name }) => name),
      ['{urn:t}B', '{urn:t}C'],
    )
  })

  test('text alone, text between elements and elements are told apart', () => {
    const simple = '<x:simpleContent><x:extension base="x:int"><x:attribute name="a"/></x:extension></x:simpleContent>'
    const outlines = [simple, '<x:sequence/>'].map((model) => inside(model))
    const [mixed] = membersOf(
      inside('<x:sequence><x:element name="m"><x:complexType mixed="true"/></x:element></x:sequence>'),
    )
    ok(mixed !== undefined)
    deepStrictEqual(
      [...outlines, contentOf(mixed.element)].map(({ kind, text }) => [kind, text?.builtin]),
      [
        ['simple', 'int'],
        ['elements', undefined],
        ['mixed', 'string'],
      ],
    )
  })

  test('a type is found by its name, for a part of a message that names a type', () => {
    const { outline } = readText(wsdlAround('<x:complexType name="T"/>'))
    const type = outline.type('{urn:t}T')
    deepStrictEqual([type.kind, type.name], ['complex', '{urn:t}T'])
    strictEqual(outline.type('{urn:t}U').kind, 'missing')
  })

  test('the media types that an element of base64 text names are kept', () => {
    const { expectedContentTypes } = elementOf(
      '<x:element name="op" type="x:base64Binary" xmlns:m="http://www.w3.org/2005/05/xmlmime" m:expectedContentTypes="image/png"/>',
    )
    strictEqual(expectedContentTypes, 'image/png')
  })
})

describe('the elements of a type, with its groups worked in [H2]', () => {
  test('an element is required only where no group around it may be left out or is a choice', () => {
    const content =
      inside(`<x:sequence><x:element name="a"/><x:sequence minOccurs="0"><x:element name="b"/></x:sequence>
      <x:choice><x:element name="c"/></x:choice><x:sequence maxOccurs="3"><x:element name="d"/></x:sequence>
      <x:element name="e" minOccurs="0" maxOccurs="0"/></x:sequence>`)
    deepStrictEqual(
      membersOf(content).map(({ element, isRequired, isRepeating }) => [element.name, isRequired, isRepeating]),
      [
        ['a', true, false],
        ['b', false, false],
        ['c', false, false],
        ['d', true, true],
      ],
    )
  })

  test('groups that hold two of the next one, and so on, come to an end', () => {
    const groups = Array.from(
      { length: 40 },
      (_, index) =>
        `<x:group name="G${index}"><x:sequence><x:group ref="t:G${index + 1}"/><x:group ref="t:G${index + 1}"/></x:sequence></x:group>`,
    )
    const last = '<x:group name="G40"><x:sequence><x:element name="a"/></x:sequence></x:group>'
    const members = membersOf(inside('<x:group ref="t:G0"/>', `${groups.join('')}${last}`))
    ok(members.length > 1000 && members.length < 10_000)
  })
})
