/**
 * How deep a request is written out whose whole tree would be too large: as deep as its tree has no more parts than a
 * person can look through. Counted by type and depth, each once for a WSDL, so that hundreds of operations over the
 * same types cost little more than one.
 */
import { membersOf } from '../outline/members.ts'
import {
  concreteTypes,
  isMissing,
  type OutlineContent,
  type OutlineElement,
  type OutlineType,
} from '../outline/outline.ts'
import { SharedBranches } from './branches.ts'

const largeLimits = { parts: 400, depth: 8 }

export class Sizes {
  readonly branches = new SharedBranches()
  readonly #parts = new Map<OutlineType, Map<number, number>>()
  readonly #large = new Set<OutlineType>()

  /** Whether the tree of a request like this one was too large before: one that holds the same single element. */
  isKnownLarge(root: OutlineElement): boolean {
    const only = onlyChild(root)
    return only !== undefined && this.#large.has(only)
  }

  rememberLarge(root: OutlineElement): void {
    const only = onlyChild(root)
    if (only !== undefined) this.#large.add(only)
  }

  depthFor({ type }: OutlineElement): number {
    if (isMissing(type)) return 1
    let depth = 1
    while (depth < largeLimits.depth && this.#count(type, depth + 1) <= largeLimits.parts) depth++
    return depth
  }

  #count(type: OutlineType, depth: number): number {
    const known = this.#parts.get(type)?.get(depth)
    if (known !== undefined) return known
    const counts = this.#parts.get(type) ?? new Map<number, number>()
    this.#parts.set(type, counts)
    // A list that holds itself would go on at one depth.
    counts.set(depth, 0)
    const types = type.isAbstract ? concreteTypes(type) : [type]
    const parts = types.reduce((sum, { content }) => sum + (isMissing(content) ? 0 : this.#partsOf(content, depth)), 0)
    counts.set(depth, parts)
    return parts
  }

  #partsOf(content: OutlineContent, depth: number): number {
    const inner = isList(content) ? depth : depth - 1
    return membersOf(content).reduce((sum, { element: { type } }) => {
      return sum + 1 + (type.kind !== 'complex' || inner < 0 ? 0 : this.#count(type, inner))
    }, content.attributes.length)
  }
}

/** An element around a list and nothing else: it and its items are one level. */
export function isList({ kind, attributes, nodes }: Pick<OutlineContent, 'kind' | 'attributes' | 'nodes'>): boolean {
  const [only] = nodes
  if (only === undefined || nodes.length > 1 || attributes.length > 0 || kind !== 'elements') return false
  if (only.kind === 'element') return only.occurs.max > 1
  return only.kind === 'sequence' && only.name === undefined && isList({ kind, attributes, nodes: only.nodes })
}

function onlyChild({ type }: OutlineElement): OutlineType | undefined {
  const content = isMissing(type) ? type : type.content
  if (isMissing(content)) return undefined
  const [only, ...others] = membersOf(content)
  if (only === undefined || others.length + content.attributes.length > 0) return undefined
  return isMissing(only.element.type) ? undefined : only.element.type
}
