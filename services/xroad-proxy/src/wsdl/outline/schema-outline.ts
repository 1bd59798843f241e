/**
 * The components of a schema -> the outline of its messages, each piece when it is first looked at, each type once. The
 * only place that follows the references of a schema from element to element.
 */
import { type Attribute, contentOf, MissingComponent, simpleTypeIn } from '../schema/content.ts'
import {
  type ElementDeclaration,
  nothingBlocked,
  type Particle,
  type TypeDefinition,
  type TypeUse,
} from '../schema/schema-model.ts'
import type { Schema } from '../schema/schema.ts'
import type { QName } from '../xml/qname.ts'
import type {
  Missing,
  Outline,
  OutlineAttribute,
  OutlineContent,
  OutlineElement,
  OutlineGroup,
  OutlineNode,
  OutlineType,
} from './outline.ts'

const maxOpenGroups = 100

export function outlineOf(schema: Schema): Outline {
  return new SchemaOutline(schema)
}

class SchemaOutline implements Outline {
  readonly schema: Schema
  readonly #types = new Map<TypeDefinition, OutlineType>()
  readonly #elements = new Map<QName, OutlineElement>()

  constructor(schema: Schema) {
    this.schema = schema
  }

  /** The same object each time, so that a circle of substitution groups comes to an end. */
  element(name: QName): OutlineElement | undefined {
    const known = this.#elements.get(name)
    if (known !== undefined) return known
    const declaration = this.schema.find('element', name)
    if (declaration === undefined) return undefined
    const element = new LazyElement(this, declaration)
    this.#elements.set(name, element)
    return element
  }

  type(name: QName): OutlineType | Missing {
    return this.typeOf({ ref: name })
  }

  own(declaration: ElementDeclaration): OutlineElement {
    return new LazyElement(this, declaration)
  }

  typeOf(use: TypeUse): OutlineType | Missing {
    const definition = 'ref' in use ? this.schema.find('type', use.ref) : use.inline
    if (definition === undefined) return missing('type', 'ref' in use ? use.ref : '')
    const known = this.#types.get(definition)
    if (known !== undefined) return known
    const type = new LazyType(this, definition)
    this.#types.set(definition, type)
    return type
  }

  /** `open` are the named groups around the particle; those inside another type begin again. */
  node(particle: Particle, open: readonly QName[]): OutlineNode {
    const { occurs } = particle
    switch (particle.kind) {
      case 'element':
        return { kind: 'element', occurs, element: new LazyElement(this, particle.declaration) }
      case 'elementRef': {
        const element = this.element(particle.ref)
        if (element !== undefined) return { kind: 'element', occurs, element }
        return { kind: 'absent', occurs, missing: missing('element', particle.ref) }
      }
      case 'groupRef':
        return this.#namedGroup(particle, open)
      case 'any':
        return { kind: 'wildcard', occurs }
      case 'sequence':
      case 'all':
      case 'choice': {
        const nodes = particle.particles.map((inner) => this.node(inner, open))
        return { kind: particle.kind, occurs, name: undefined, nodes }
      }
    }
  }

  #namedGroup({ occurs, ref }: Extract<Particle, { kind: 'groupRef' }>, open: readonly QName[]): OutlineNode {
    const group = this.schema.find('group', ref)
    if (group === undefined) return { kind: 'absent', occurs, missing: missing('group', ref) }
    if (open.includes(ref)) return { kind: 'cut', occurs, why: 'recursion', group: ref }
    if (open.length >= maxOpenGroups) return { kind: 'cut', occurs, why: 'depth', group: ref }
    const { particle } = group
    const nodes = (): readonly OutlineNode[] => (particle === undefined ? [] : [this.node(particle, [...open, ref])])
    return new LazyGroup(occurs, ref, nodes)
  }
}

class LazyElement implements OutlineElement {
  readonly name: OutlineElement['name']
  readonly isNillable: boolean
  readonly isAbstract: boolean
  readonly blocks: OutlineElement['blocks']
  readonly constraints: OutlineElement['constraints']
  readonly fixed: OutlineElement['fixed']
  readonly default: OutlineElement['default']
  readonly expectedContentTypes: OutlineElement['expectedContentTypes']
  readonly documentation: OutlineElement['documentation']
  readonly problem: OutlineElement['problem']
  readonly #outline: SchemaOutline
  readonly #type: TypeUse

  constructor(outline: SchemaOutline, declaration: ElementDeclaration) {
    this.name = declaration.name
    this.isNillable = declaration.nillable
    this.isAbstract = declaration.abstract
    this.blocks = declaration.blocks
    this.constraints = declaration.constraints
    this.fixed = declaration.fixed
    this.default = declaration.default
    this.expectedContentTypes = declaration.expectedContentTypes
    this.documentation = declaration.documentation
    this.problem = declaration.problem
    this.#outline = outline
    this.#type = declaration.type
  }

  get type(): OutlineType | Missing {
    return this.#outline.typeOf(this.#type)
  }

  get substitutes(): readonly OutlineElement[] {
    const names = this.#outline.schema.substitutesOf(this.name)
    return names.map((name) => this.#outline.element(name)).filter((element) => element !== undefined)
  }
}

class LazyType implements OutlineType {
  readonly kind: OutlineType['kind']
  readonly name: OutlineType['name']
  readonly isAbstract: boolean
  readonly by: OutlineType['by']
  readonly blocks: OutlineType['blocks']
  readonly documentation: OutlineType['documentation']
  readonly #outline: SchemaOutline
  readonly #definition: TypeDefinition
  #content: OutlineContent | Missing | undefined

  constructor(outline: SchemaOutline, definition: TypeDefinition) {
    this.kind = definition.kind
    this.name = definition.name
    this.isAbstract = definition.kind === 'complex' && definition.abstract
    this.by = definition.kind === 'complex' ? definition.base?.by : undefined
    this.blocks = definition.kind === 'complex' ? definition.blocks : nothingBlocked
    this.documentation = definition.documentation
    this.#outline = outline
    this.#definition = definition
  }

  get content(): OutlineContent | Missing {
    this.#content ??= orMissing(() => readContent(this.#outline, this.#definition))
    return this.#content
  }

  get derived(): readonly OutlineType[] {
    const names = this.name === undefined ? [] : this.#outline.schema.derivedFrom(this.name)
    return names.map((name) => this.#outline.type(name)).filter((type) => type.kind !== 'missing')
  }
}

class LazyGroup implements OutlineGroup {
  readonly kind = 'sequence'
  readonly occurs: OutlineGroup['occurs']
  readonly name: QName
  readonly #read: () => readonly OutlineNode[]
  #nodes: readonly OutlineNode[] | undefined

  constructor(occurs: OutlineGroup['occurs'], name: QName, read: () => readonly OutlineNode[]) {
    this.occurs = occurs
    this.name = name
    this.#read = read
  }

  get nodes(): readonly OutlineNode[] {
    this.#nodes ??= this.#read()
    return this.#nodes
  }
}

function readContent(outline: SchemaOutline, definition: TypeDefinition): OutlineContent {
  const { text, particles, attributes } = contentOf(outline.schema, definition)
  const isSimple = definition.kind === 'simple' || definition.simpleContent !== undefined
  const withText = isSimple ? 'simple' : 'mixed'
  return {
    kind: text === undefined ? 'elements' : withText,
    text,
    attributes: attributes.map((attribute) => readAttribute(outline, attribute)),
    nodes: particles.map((particle) => outline.node(particle, [])),
  }
}

function readAttribute({ schema }: SchemaOutline, attribute: Attribute): OutlineAttribute {
  return { ...attribute, type: orMissing(() => simpleTypeIn(schema, attribute.type)) }
}

function missing(component: Missing['component'], name: QName): Missing {
  return { kind: 'missing', component, name }
}

function orMissing<Value>(read: () => Value): Value | Missing {
  try {
    return read()
  } catch (error) {
    if (error instanceof MissingComponent) return missing(error.kind, error.component)
    throw error
  }
}
