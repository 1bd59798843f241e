/**
 * What an element of some type may hold, all references followed and all inheritance worked in: pieces of its children in
 * order, attributes, the kind of its text. One level at a time, so whoever asks decides how deep to go.
 */
import { joinPatterns } from './pattern.ts'
import { localOf } from '../xml/qname.ts'
import type { QName } from '../xml/qname.ts'
import type {
  AttributeDeclaration,
  AttributeUse,
  ComplexDefinition,
  Components,
  ElementDeclaration,
  Facet,
  Particle,
  SimpleDefinition,
  TypeDefinition,
  TypeUse,
} from './schema-model.ts'
import type { ComponentKind, Schema } from './schema.ts'

export interface Content {
  /** The value of its text; undefined for a type that holds elements only. */
  readonly text: SimpleType | undefined
  readonly particles: readonly Particle[]
  readonly attributes: readonly Attribute[]
}

export interface Attribute extends AttributeDeclaration {
  readonly isRequired: boolean
}

/** A simple type with everything that its bases say. */
export interface SimpleType {
  /** Local name of the built-in type that it comes from. */
  readonly builtin: string
  readonly isList: boolean
  /** The type of a list's items. */
  readonly item: SimpleType | undefined
  /** The alternatives of a union; empty for any other type. */
  readonly members: readonly SimpleType[]
  /** Named types on the way to the built-in one, itself first. */
  readonly names: readonly QName[]
  readonly enumeration: readonly Facet[]
  /** The narrowest of each kind, without enumerations and patterns. */
  readonly facets: ReadonlyMap<string, string>
  /** All of them hold. */
  readonly patterns: readonly string[]
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

/** For answers, which are not refused for what their schema fails to declare. */
export function ignoreMissing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof MissingComponent) return undefined
    throw error
  }
}

/** Longer chains of base types and references than people write: a type that is its own base ends here. */
const maxChain = 100

export function findComponent<K extends ComponentKind>(schema: Schema, kind: K, name: QName): Components[K] {
  const component = schema.find(kind, name)
  if (component === undefined) throw new MissingComponent(kind, name)
  return component
}

export function typeOf(schema: Schema, use: TypeUse): TypeDefinition {
  return 'ref' in use ? findComponent(schema, 'type', use.ref) : use.inline
}

/** The element of a particle, behind a reference too; undefined for what is no element. */
export function elementOf(schema: Schema, particle: Particle): ElementDeclaration | undefined {
  if (particle.kind === 'element') return particle.declaration
  return particle.kind === 'elementRef' ? findComponent(schema, 'element', particle.ref) : undefined
}

export function contentOf(schema: Schema, type: TypeDefinition): Content {
  if (type.kind === 'simple') return { text: simpleTypeOf(schema, type), particles: [], attributes: [] }
  return complexContent(schema, type, 0)
}

function complexContent(schema: Schema, type: ComplexDefinition, depth: number): Content {
  const own = type.particle === undefined ? [] : [type.particle]
  const inherited = baseContent(schema, type, depth)
  const attributes = mergeAttributes(inherited?.attributes ?? [], attributesOf(schema, type.attributes, new Set()))
  if (type.simpleContent !== undefined) {
    return { text: simpleContentText(schema, type.simpleContent, inherited), particles: [], attributes }
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

const plainText: SimpleType = {
  builtin: 'string',
  isList: false,
  item: undefined,
  members: [],
  names: [],
  enumeration: [],
  facets: new Map(),
  patterns: [],
}

/** Built-in types that are lists, and what of. */
const builtinLists: Readonly<Record<string, string>> = { NMTOKENS: 'NMTOKEN', IDREFS: 'IDREF', ENTITIES: 'ENTITY' }

function simpleContentText(
  schema: Schema,
  { inline, facets }: NonNullable<ComplexDefinition['simpleContent']>,
  inherited: Content | undefined,
): SimpleType {
  const narrowed = inline === undefined ? inherited?.text : simpleTypeIn(schema, inline)
  return restrict(narrowed ?? plainText, facets)
}

/** A later declaration of a name replaces the inherited one; a prohibited one removes it. */
function mergeAttributes(inherited: readonly Attribute[], own: readonly UsedAttribute[]): readonly Attribute[] {
  const merged = new Map(inherited.map((it) => [it.name, it]))
  for (const { isProhibited, ...attribute } of own) {
    if (isProhibited) merged.delete(attribute.name)
    else merged.set(attribute.name, attribute)
  }
  return [...merged.values()]
}

interface UsedAttribute extends Attribute {
  readonly isProhibited: boolean
}

/** A group counts once, however often it is named: groups that name each other would go on for ever. */
function attributesOf(schema: Schema, uses: readonly AttributeUse[], seen: Set<QName>): readonly UsedAttribute[] {
  return uses.flatMap((use) => {
    if (use.kind !== 'attributeGroupRef') {
      const flags = { isRequired: use.use === 'required', isProhibited: use.use === 'prohibited' }
      if (use.kind === 'attribute') return [{ ...use.declaration, ...flags }]
      const declaration = findComponent(schema, 'attribute', use.ref)
      return [{ ...declaration, fixed: use.fixed ?? declaration.fixed, ...flags }]
    }
    if (seen.has(use.ref)) return []
    seen.add(use.ref)
    return attributesOf(schema, findComponent(schema, 'attributeGroup', use.ref).attributes, seen)
  })
}

const maxAlternatives = 50

/** All types that come from this one, however far, and that an element can have. */
export function concreteTypes(
  schema: Schema,
  base: QName,
): readonly { readonly type: TypeDefinition; readonly typeName: QName }[] {
  const found = new Set([base])
  for (const name of found) {
    for (const it of schema.derivedFrom(name)) if (found.size <= maxAlternatives) found.add(it)
  }
  return [...found].flatMap((typeName) => {
    const type = findComponent(schema, 'type', typeName)
    return type.kind === 'complex' && type.abstract ? [] : [{ type, typeName }]
  })
}

/** An element around a list and nothing else: it and its items are one level. */
export function isList({ text, attributes, particles }: Content): boolean {
  const [only] = particles
  if (only === undefined || particles.length > 1 || attributes.length > 0 || text !== undefined) return false
  if (only.kind === 'element' || only.kind === 'elementRef') return only.occurs.max > 1
  return only.kind === 'sequence' && isList({ text, attributes, particles: only.particles })
}

/** What has been worked out, and `pending` while it is: a type may not come from itself. */
const simpleTypes = new WeakMap<SimpleDefinition, SimpleType | 'pending'>()

function simpleTypeOf(schema: Schema, type: SimpleDefinition, depth = 0): SimpleType {
  const known = simpleTypes.get(type)
  if (known === 'pending' || depth > maxChain) throw new MissingComponent('type', type.name ?? 'without a name')
  if (known !== undefined) return known
  simpleTypes.set(type, 'pending')
  try {
    const derived = derive(schema, type, depth)
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
      return unionOf(derivation.members.map((it) => simpleTypeIn(schema, it, depth + 1)))
    case 'restriction':
      return restrict(simpleTypeIn(schema, derivation.base, depth + 1), derivation.facets)
  }
}

function builtinType(builtin: string): SimpleType {
  const item = builtinLists[builtin]
  if (item === undefined) return { ...plainText, builtin }
  return { ...listOf({ ...plainText, builtin: item }), facets: new Map([['minLength', '1']]) }
}

function listOf(item: SimpleType): SimpleType {
  return { ...plainText, builtin: item.builtin, isList: true, item, names: item.names }
}

/** The text of a type that is named or written in place. */
export function simpleTypeIn(schema: Schema, use: TypeUse, depth = 0): SimpleType {
  const type = typeOf(schema, use)
  return type.kind === 'simple' ? simpleTypeOf(schema, type, depth) : (contentOf(schema, type).text ?? plainText)
}

function restrict(base: SimpleType, facets: readonly Facet[]): SimpleType {
  if (facets.length === 0) return base
  const named = Map.groupBy(facets, (it) => it.name)
  const patterns = named.get('pattern')?.map((it) => it.value)
  const others = facets.filter((it) => it.name !== 'enumeration' && it.name !== 'pattern')
  return {
    ...base,
    enumeration: named.get('enumeration') ?? base.enumeration,
    facets: new Map([...base.facets, ...others.map((it) => [it.name, it.value] as const)]),
    patterns: patterns === undefined ? base.patterns : [...base.patterns, joinPatterns(patterns)],
  }
}

/** Unions in unions are one union. */
function unionOf(types: readonly SimpleType[]): SimpleType {
  const members = new Set(types.flatMap((it) => (it.members.length === 0 || isNarrowed(it) ? [it] : it.members)))
  return { ...plainText, members: [...members], names: [...new Set(types.flatMap((it) => it.names))] }
}

function isNarrowed({ facets, enumeration, patterns }: SimpleType): boolean {
  return facets.size > 0 || enumeration.length > 0 || patterns.length > 0
}
