/**
 * One component of a schema file -> its declaration. Names are resolved where they stand; what they lead to is not
 * looked at. Knows the defaults of the schema element (forms) and the namespace that an included file without one takes
 * on.
 */
import { readDocumentation } from '../xml/documentation.ts'
import { expectedContentTypesOf } from './framework.ts'
import { isNCName, namespaceOf, namespaces, type QName, toQName } from '../xml/qname.ts'
import {
  type AttributeDeclaration,
  type AttributeUse,
  type Blocks,
  type ComplexDefinition,
  type Components,
  type ElementDeclaration,
  type Facet,
  type ModelGroup,
  type Occurs,
  type Particle,
  type SimpleDefinition,
  type TypeDefinition,
  type TypeUse,
  nothingBlocked,
} from './schema-model.ts'
import { childrenOf, resolveName, type XmlElement } from '../xml/xml.ts'

/** One schema element of a file, with the namespace that its names are in. */
export interface SchemaDocument {
  readonly file: string
  readonly namespace: string
  readonly root: XmlElement
  /**
   * Included by a schema with a namespace while having none: names without one are meant to be in that of the includer.
   */
  readonly isChameleon: boolean
}

const anyType: TypeUse = { ref: toQName(namespaces.schema, 'anyType') }
const anySimpleType: TypeUse = { ref: toQName(namespaces.schema, 'anySimpleType') }

/** One reader for each kind of component. They recurse as deep as the file is nested, which xml.ts bounds. */
type Kinds = { readonly [K in keyof Components]: (document: SchemaDocument, node: XmlElement) => Components[K] }

export const readComponent: Kinds = {
  element: (document, node) => readElement(document, node, 'global'),
  type: readType,
  group: (document, node) => ({ particle: readModel(document, node) }),
  attribute: (document, node) => readAttribute(document, node, 'global'),
  attributeGroup: (document, node) => ({ attributes: readAttributes(document, node) }),
}

/** Where a declaration is: below the schema itself, where it always has its namespace, or inside a type. */
type Scope = 'global' | 'local'

function readElement(document: SchemaDocument, node: XmlElement, scope: Scope): ElementDeclaration {
  return {
    name: scope === 'global' ? nameInSchema(document, node) : localNameOf(document, node, 'elementFormDefault'),
    type: typeOf(document, node) ?? anyType,
    nillable: isTrue(node, 'nillable'),
    abstract: isTrue(node, 'abstract'),
    blocks: blocksOf(document, node),
    constraints: partsOf(node, 'unique', 'key', 'keyref').map((part) => `${part.local} ${ncNameOf(part)}`),
    fixed: node.attributes.get('fixed'),
    default: node.attributes.get('default'),
    documentation: readDocumentation(node),
    expectedContentTypes: expectedContentTypesOf(node.attributes),
    problem: nameProblem(document, node),
  }
}

function readAttribute(document: SchemaDocument, node: XmlElement, scope: Scope): AttributeDeclaration {
  return {
    name: scope === 'global' ? nameInSchema(document, node) : localNameOf(document, node, 'attributeFormDefault'),
    type: typeOf(document, node) ?? anySimpleType,
    fixed: node.attributes.get('fixed'),
    default: node.attributes.get('default'),
    documentation: readDocumentation(node),
    problem: nameProblem(document, node),
  }
}

function blocksOf({ root }: SchemaDocument, node: XmlElement): Blocks {
  const written = node.attributes.get('block') ?? root.attributes.get('blockDefault') ?? ''
  if (written.trim() === '') return nothingBlocked
  return new Set(
    written.trim() === '#all' ? ['extension', 'restriction', 'substitution'] : written.trim().split(/\s+/u),
  )
}

/** A start tag with such a name would be no XML. */
function nameProblem({ file, namespace }: SchemaDocument, node: XmlElement): string | undefined {
  const name = node.attributes.get('name')
  const place = `${file}:${node.line}`
  if (name === undefined) return `an ${node.local} has no name (${place})`
  if (!isNCName(name.trim())) return `the name ${JSON.stringify(name.slice(0, 64))} is not an XML name (${place})`
  const isReserved = namespace === namespaces.xmlns || (node.local === 'attribute' && name.trim() === 'xmlns')
  return isReserved ? `the name ${name.trim()} is reserved (${place})` : undefined
}

function nameInSchema({ namespace }: SchemaDocument, node: XmlElement): QName {
  return toQName(namespace, ncNameOf(node))
}

function localNameOf(document: SchemaDocument, node: XmlElement, formDefault: string): QName {
  const form = node.attributes.get('form') ?? document.root.attributes.get(formDefault)
  return form === 'qualified' ? nameInSchema(document, node) : ncNameOf(node)
}

function ncNameOf(node: XmlElement): string {
  return (node.attributes.get('name') ?? '').trim()
}

/** The type that an element or attribute names or holds; undefined when it does neither. */
function typeOf(document: SchemaDocument, node: XmlElement): TypeUse | undefined {
  const ref = refOf(document, node, 'type')
  if (ref !== undefined) return { ref }
  const inline = partsOf(node, 'complexType', 'simpleType')[0]
  return inline === undefined ? undefined : { inline: readType(document, inline) }
}

function readType(document: SchemaDocument, node: XmlElement): TypeDefinition {
  return node.local === 'simpleType' ? readSimpleType(document, node) : readComplexType(document, node)
}

function readSimpleType(document: SchemaDocument, node: XmlElement): SimpleDefinition {
  const [derivation] = partsOf(node, 'restriction', 'list', 'union')
  const of = derivation === undefined ? ({ by: 'builtin' } as const) : readDerivation(document, derivation)
  return {
    kind: 'simple',
    name: typeName(document, node),
    derivation: of,
    documentation: readDocumentation(node),
    expectedContentTypes: expectedContentTypesOf(node.attributes),
  }
}

function readDerivation(document: SchemaDocument, node: XmlElement): SimpleDefinition['derivation'] {
  const inline = partsOf(node, 'simpleType').map((part) => ({ inline: readSimpleType(document, part) }))
  switch (node.local) {
    case 'list': {
      const ref = refOf(document, node, 'itemType')
      return { by: 'list', item: ref === undefined ? (inline[0] ?? anySimpleType) : { ref } }
    }
    case 'union': {
      const names = (node.attributes.get('memberTypes') ?? '').split(/\s+/u).filter(Boolean)
      return { by: 'union', members: [...names.map((name) => ({ ref: toRef(document, node, name) })), ...inline] }
    }
    default: {
      const ref = refOf(document, node, 'base')
      return {
        by: 'restriction',
        base: ref === undefined ? (inline[0] ?? anySimpleType) : { ref },
        facets: facetsOf(node),
      }
    }
  }
}

const structural: ReadonlySet<string> = new Set([
  'annotation',
  'simpleType',
  'attribute',
  'attributeGroup',
  'anyAttribute',
])

function facetsOf(node: XmlElement): readonly Facet[] {
  return childrenOf(node, namespaces.schema)
    .filter((child) => !structural.has(child.local) && child.attributes.has('value'))
    .map((child) => ({
      name: child.local,
      value: child.attributes.get('value') ?? '',
      documentation: readDocumentation(child),
    }))
}

function readComplexType(document: SchemaDocument, node: XmlElement): ComplexDefinition {
  const [content] = partsOf(node, 'simpleContent', 'complexContent')
  const derivation = content === undefined ? undefined : partsOf(content, 'extension', 'restriction')[0]
  const body = derivation ?? node
  const base = derivation === undefined ? undefined : refOf(document, derivation, 'base')
  const by = derivation?.local === 'extension' ? 'extension' : 'restriction'
  return {
    kind: 'complex',
    name: typeName(document, node),
    abstract: isTrue(node, 'abstract'),
    blocks: blocksOf(document, node),
    mixed: isTrue(content ?? node, 'mixed') || isTrue(node, 'mixed'),
    base: base === undefined ? undefined : { by, ref: base },
    simpleContent: content?.local === 'simpleContent' ? readSimpleContent(document, body) : undefined,
    particle: readModel(document, body),
    attributes: readAttributes(document, body),
    documentation: readDocumentation(node),
    expectedContentTypes: expectedContentTypesOf(node.attributes),
  }
}

function readSimpleContent(document: SchemaDocument, node: XmlElement): ComplexDefinition['simpleContent'] {
  const [inline] = partsOf(node, 'simpleType')
  const type = inline === undefined ? undefined : { inline: readSimpleType(document, inline) }
  return { inline: type, facets: node.local === 'restriction' ? facetsOf(node) : [] }
}

const groups: ReadonlySet<string> = new Set(['sequence', 'all', 'choice'])

function readModel(document: SchemaDocument, node: XmlElement): Particle | undefined {
  const [model] = partsOf(node, 'sequence', 'all', 'choice', 'group')
  return model === undefined ? undefined : readParticle(document, model)
}

function readParticle(document: SchemaDocument, node: XmlElement): Particle | undefined {
  const occurs = occursOf(node)
  if (groups.has(node.local)) {
    const particles = childrenOf(node, namespaces.schema).map((child) => readParticle(document, child))
    const kind = node.local as ModelGroup['kind']
    return { kind, occurs, particles: particles.filter((particle) => particle !== undefined) }
  }
  if (node.local === 'any') return { kind: 'any', occurs }
  const ref = refOf(document, node, 'ref')
  if (node.local === 'group') return ref === undefined ? undefined : { kind: 'groupRef', occurs, ref }
  if (node.local !== 'element') return undefined
  if (ref !== undefined) return { kind: 'elementRef', occurs, ref }
  return { kind: 'element', occurs, declaration: readElement(document, node, 'local') }
}

function occursOf({ attributes, local }: XmlElement): Occurs {
  const least = attributes.get('minOccurs')?.trim() ?? '1'
  const most = attributes.get('maxOccurs')?.trim() ?? '1'
  const occurs = { min: toCount(least), max: most === 'unbounded' ? Infinity : toCount(most) }
  const isEmpty = occurs.max === 0 && !attributes.has('minOccurs')
  if (occurs.min <= occurs.max || isEmpty) return occurs
  const name = attributes.get('name') ?? attributes.get('ref') ?? ''
  const problem = `${`${local} ${name}`.trim()} has minOccurs ${JSON.stringify(least)} and maxOccurs ${JSON.stringify(most)}`
  return { min: 1, max: 1, problem }
}

/** NaN for what is not a count: it compares with nothing. */
function toCount(text: string): number {
  return /^\d+$/u.test(text) ? Number(text) : NaN
}

function readAttributes(document: SchemaDocument, node: XmlElement): readonly AttributeUse[] {
  return partsOf(node, 'attribute', 'attributeGroup').flatMap((part) => readAttributeUse(document, part))
}

function readAttributeUse(document: SchemaDocument, node: XmlElement): readonly AttributeUse[] {
  const ref = refOf(document, node, 'ref')
  if (node.local === 'attributeGroup') return ref === undefined ? [] : [{ kind: 'attributeGroupRef', ref }]
  const written = node.attributes.get('use')
  const use = written === 'required' || written === 'prohibited' ? written : 'optional'
  if (ref !== undefined) return [{ kind: 'attributeRef', use, ref, fixed: node.attributes.get('fixed') }]
  return [{ kind: 'attribute', use, declaration: readAttribute(document, node, 'local') }]
}

function typeName(document: SchemaDocument, node: XmlElement): QName | undefined {
  const name = node.attributes.get('name')
  return name === undefined ? undefined : toQName(document.namespace, name.trim())
}

function refOf(document: SchemaDocument, node: XmlElement, attribute: string): QName | undefined {
  const value = node.attributes.get(attribute)
  return value === undefined ? undefined : toRef(document, node, value)
}

/** An unknown prefix stays in the name, so that the message about the missing component shows it. */
function toRef(document: SchemaDocument, node: XmlElement, value: string): QName {
  return resolveIn(document, value, node) ?? value.trim()
}

/** The name that a reference means in this schema; undefined for an unknown prefix. */
export function resolveIn(
  { namespace, isChameleon }: SchemaDocument,
  value: string,
  node: XmlElement,
): QName | undefined {
  const name = resolveName(value, node)
  return name !== undefined && isChameleon && namespaceOf(name) === '' ? toQName(namespace, name) : name
}

function partsOf(node: XmlElement, ...locals: readonly string[]): readonly XmlElement[] {
  return childrenOf(node, namespaces.schema).filter((child) => locals.includes(child.local))
}

function isTrue(node: XmlElement, attribute: string): boolean {
  const value = node.attributes.get(attribute)?.trim()
  return value === 'true' || value === '1'
}
