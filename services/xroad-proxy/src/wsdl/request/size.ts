/**
 * How deep a request is written out whose whole tree would be too large: as deep as its tree has no more parts than a person can
 * look through. Counted by type and depth, each once for a WSDL, so that hundreds of operations over the same types cost
 * little more than one.
 */
import { concreteTypes, contentOf, elementOf, findComponent, isList, typeOf } from '../schema/content.ts'
import type { Content } from '../schema/content.ts'
import type { SharedBranches } from './expansion.ts'
import type { ElementDeclaration, Particle, TypeDefinition } from '../schema/schema-model.ts'
import type { Schema } from '../schema/schema.ts'

export const largeLimits = { parts: 400, depth: 8 }

export class Sizes {
  readonly branches: SharedBranches = new Map()
  readonly #schema: Schema
  readonly #parts = new Map<TypeDefinition, Map<number, number>>()
  readonly #large = new Set<TypeDefinition>()

  constructor(schema: Schema) {
    this.#schema = schema
  }

  /** Whether the tree of a request like this one was too large before: one that holds the same single element. */
  isKnownLarge(root: ElementDeclaration): boolean {
    const only = this.#onlyChild(root)
    return only !== undefined && this.#large.has(only)
  }

  rememberLarge(root: ElementDeclaration): void {
    const only = this.#onlyChild(root)
    if (only !== undefined) this.#large.add(only)
  }

  depthFor(root: ElementDeclaration): number {
    const type = typeOf(this.#schema, root.type)
    let depth = 1
    while (depth < largeLimits.depth && this.#count(type, depth + 1) <= largeLimits.parts) depth += 1
    return depth
  }

  #onlyChild(root: ElementDeclaration): TypeDefinition | undefined {
    const { attributes, particles } = contentOf(this.#schema, typeOf(this.#schema, root.type))
    const [only, ...others] = elementsIn(this.#schema, particles)
    return only === undefined || others.length + attributes.length > 0 ? undefined : typeOf(this.#schema, only.type)
  }

  #count(type: TypeDefinition, depth: number): number {
    const known = this.#parts.get(type)?.get(depth)
    if (known !== undefined) return known
    const counts = this.#parts.get(type) ?? new Map<number, number>()
    this.#parts.set(type, counts)
    // A list that holds itself would go on at one depth.
    counts.set(depth, 0)
    const types =
      type.kind === 'complex' && type.abstract && type.name !== undefined
        ? concreteTypes(this.#schema, type.name)
        : [{ type }]
    const parts = types.reduce((sum, it) => sum + this.#partsOf(contentOf(this.#schema, it.type), depth), 0)
    counts.set(depth, parts)
    return parts
  }

  #partsOf(content: Content, depth: number): number {
    const inner = isList(content) ? depth : depth - 1
    return elementsIn(this.#schema, content.particles).reduce((sum, it) => {
      const type = typeOf(this.#schema, it.type)
      return sum + 1 + (type.kind === 'simple' || inner < 0 ? 0 : this.#count(type, inner))
    }, content.attributes.length)
  }
}

function elementsIn(schema: Schema, particles: readonly Particle[], depth = 0): readonly ElementDeclaration[] {
  return particles.flatMap((it) => {
    const element = elementOf(schema, it)
    if (element !== undefined) return [element]
    if (depth > maxGroups) return []
    if ('particles' in it) return elementsIn(schema, it.particles, depth + 1)
    const group = it.kind === 'groupRef' ? findComponent(schema, 'group', it.ref).particle : undefined
    return group === undefined ? [] : elementsIn(schema, [group], depth + 1)
  })
}

/** Groups in groups, which may hold each other. */
const maxGroups = 10
