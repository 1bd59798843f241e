/**
 * What an element of some type may hold, all references followed and all inheritance worked in: pieces of its children
 * in order, attributes, the kind of its text. One level at a time, so the caller decides how deep to go.
 */
import { localOf, type QName } from '../xml/qname.ts'
import type {
  AttributeDeclaration,
  AttributeUse,
  ComplexDefinition,
  ComponentKind,
  Components,
  Particle,
  SimpleDefinition,
  TypeDefinition,
  TypeUse,
} from './schema-model.ts'
import type { Schema } from './schema.ts'
import { builtinType, listOf, plainText, restrict, type SimpleType, unionOf } from './simple-type.ts'

export interface Content {
  /** The value of its text; undefined for a type that holds elements only. */
  readonly text: SimpleType | undefined
  readonly particles: readonly Particle[]
  readonly attributes: readonly Attribute[]
}

export interface Attribute extends AttributeDeclaration {
  readonly isRequired: boolean
}

/** A reference to something that no schema holds. */
export class MissingComponent extends Error {
  readonly kind: ComponentKind
  readonly component: QName

  constructor(kind: ComponentKind, component: QName) {
    super(`${kind} ${component} is not declared`)
    this.name = 'MissingComponent'
    this.kind = kind
    this.component = component
  }
}

/** Longer chains of base types and references than people write: a type that is its own base ends here. */
const maxChain = 100

function findComponent<K extends ComponentKind>(schema: Schema, kind: K, name: QName): Components[K] {
  const component = schema.find(kind, name)
  if (component === undefined) throw new MissingComponent(kind, name)
  return component
}

function typeOf(schema: Schema, use: TypeUse): TypeDefinition {
  return 'ref' in use ? findComponent(schema, 'type', use.ref) : use.inline
}

export function contentOf(schema: Schema, type: TypeDefinition): Content {
  if (type.kind === 'simple') return { text: simpleTypeOf(schema, type), particles: [], attributes: [] }
  return complexContent(schema, type, 0)
}

function complexContent(schema: Schema, type: ComplexDefinition, depth: number): Content {
  const own = type.particle === undefined ? [] : [type.particle]
  const inherited = baseContent(schema, type, depth)
  const attributes = mergeAttributes(inherited?.attributes ?? [], attributesOf(schema, type.attributes))
  if (type.simpleContent !== undefined) {
    const text = withContentTypes(simpleContentText(schema, type.simpleContent, inherited), type)
    return { text, particles: [], attributes }
  }
  const isExtension = type.base?.by === 'extension'
  const text = type.mixed ? plainText : undefined
  if (!isExtension) return { text, particles: own, attributes }
  return { text: text ?? inherited?.text, particles: [...(inherited?.particles ?? []), ...own], attributes }
}

function baseContent(schema: Schema, { base }: ComplexDefinition, depth: number): Content | undefined {
  if (base === undefined) return undefined
  if (depth > maxChain) throw new MissingComponent('type', base.ref)
  const type = findComponent(schema, 'type', base.ref)
  if (type.kind === 'complex') return complexContent(schema, type, depth + 1)
  if (localOf(base.ref) === 'anyType') return undefined
  return { text: simpleTypeOf(schema, type), particles: [], attributes: [] }
}

function simpleContentText(
  schema: Schema,
  { inline, facets }: NonNullable<ComplexDefinition['simpleContent']>,
  inherited: Content | undefined,
): SimpleType {
  const narrowed = inline === undefined ? inherited?.text : simpleTypeIn(schema, inline)
  return restrict(narrowed ?? plainText, facets)
}

/** What a type says itself goes before what its base says. */
function withContentTypes(
  text: SimpleType,
  { expectedContentTypes }: Pick<TypeDefinition, 'expectedContentTypes'>,
): SimpleType {
  return expectedContentTypes === undefined ? text : { ...text, expectedContentTypes }
}

/** A later declaration of a name replaces the inherited one; a prohibited one removes it. */
function mergeAttributes(inherited: readonly Attribute[], own: readonly UsedAttribute[]): readonly Attribute[] {
  const merged = new Map(inherited.map((attribute) => [attribute.name, attribute]))
  for (const { isProhibited, ...attribute } of own) {
    if (isProhibited) merged.delete(attribute.name)
    else merged.set(attribute.name, attribute)
  }
  return [...merged.values()]
}

interface UsedAttribute extends Attribute {
  readonly isProhibited: boolean
}

/**
 * A group counts once, however often it is named: groups that name each other would go on for ever. In a loop, since a
 * chain of groups has no bound.
 */
function attributesOf(schema: Schema, uses: readonly AttributeUse[]): readonly UsedAttribute[] {
  const found: UsedAttribute[] = []
  const seen = new Set<QName>()
  const waiting = uses.toReversed()
  for (let use = waiting.pop(); use !== undefined; use = waiting.pop()) {
    if (use.kind !== 'attributeGroupRef') found.push(attributeOf(schema, use))
    else if (!seen.has(use.ref)) {
      seen.add(use.ref)
      waiting.push(...findComponent(schema, 'attributeGroup', use.ref).attributes.toReversed())
    }
  }
  return found
}

function attributeOf(schema: Schema, use: Exclude<AttributeUse, { kind: 'attributeGroupRef' }>): UsedAttribute {
  const flags = { isRequired: use.use === 'required', isProhibited: use.use === 'prohibited' }
  if (use.kind === 'attribute') return { ...use.declaration, ...flags }
  const declaration = findComponent(schema, 'attribute', use.ref)
  return { ...declaration, fixed: use.fixed ?? declaration.fixed, ...flags }
}

/** What has been worked out, and `pending` while it is: a type may not come from itself. */
const simpleTypes = new WeakMap<SimpleDefinition, SimpleType | 'pending'>()

function simpleTypeOf(schema: Schema, type: SimpleDefinition, depth = 0): SimpleType {
  const known = simpleTypes.get(type)
  if (known === 'pending' || depth > maxChain) throw new MissingComponent('type', type.name ?? 'without a name')
  if (known !== undefined) return known
  simpleTypes.set(type, 'pending')
  try {
    const derived = withContentTypes(derive(schema, type, depth), type)
    const { name } = type
    const named = name === undefined ? derived : { ...derived, names: [...new Set([name, ...derived.names])] }
    simpleTypes.set(type, named)
    return named
  } catch (error) {
    simpleTypes.delete(type)
    throw error
  }
}

function derive(schema: Schema, { derivation, name }: SimpleDefinition, depth: number): SimpleType {
  switch (derivation.by) {
    case 'builtin':
      return builtinType(name === undefined ? 'string' : localOf(name))
    case 'list':
      return listOf(simpleTypeIn(schema, derivation.item, depth + 1))
    case 'union':
      return unionOf(derivation.members.map((member) => simpleTypeIn(schema, member, depth + 1)))
    case 'restriction':
      return restrict(simpleTypeIn(schema, derivation.base, depth + 1), derivation.facets)
  }
}

/** The text of a type that is named or written in place. */
export function simpleTypeIn(schema: Schema, use: TypeUse, depth = 0): SimpleType {
  const type = typeOf(schema, use)
  return type.kind === 'simple' ? simpleTypeOf(schema, type, depth) : (contentOf(schema, type).text ?? plainText)
}
