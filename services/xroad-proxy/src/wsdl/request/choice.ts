/**
 * A choice of the schema, its branches grown one by one -> the choice of a request: branches that hold nothing are
 * gone, and a choice that is the whole branch of another one is part of that. Growing is expansion.ts.
 */
import { Skip } from '../operations/reasons.ts'
import type { OutlineNode } from '../outline/outline.ts'
import type { QName } from '../xml/qname.ts'
import type { ChoiceBranch, RequestChoice, RequestNode } from './request.ts'

/**
 * Whether a message may hold nothing of it, by the schema. `visit` gets each node, and may end the walk by
 * throwing.
 */
export function isEmptiable(node: OutlineNode, visit: () => void): boolean {
  visit()
  const { min, max } = node.occurs
  if (min === 0 || max === 0) return true
  switch (node.kind) {
    case 'sequence':
    case 'all':
      return node.nodes.every((inner) => isEmptiable(inner, visit))
    case 'choice':
      return node.nodes.some((inner) => isEmptiable(inner, visit))
    case 'element':
    case 'wildcard':
    case 'cut':
    case 'absent':
      return false
  }
}

/**
 * Each branch was grown as one that may be left out. Nothing, where no branch is left. Throws `Skip` for more than
 * `most`.
 */
export function toChoice(
  grown: readonly (readonly RequestNode[])[],
  isOptional: boolean,
  most: number,
): readonly RequestChoice[] {
  const branches = grown.flatMap(toBranches)
  if (branches.length > most) throw new Skip('request_too_large', `a choice of more than ${most} branches`)
  return branches.length === 0 ? [] : [{ kind: 'choice', isOptional, branches }]
}

function toBranches(grown: readonly RequestNode[]): readonly ChoiceBranch[] {
  const [only] = grown
  if (only === undefined) return []
  if (grown.length === 1 && only.kind === 'group') return toBranches(only.children)
  if (grown.length === 1 && only.kind === 'choice') return only.branches
  return [{ kind: 'branch', name: nameOf(only), children: grown }]
}

/** Of the first element inside. */
function nameOf(node: RequestNode): QName {
  switch (node.kind) {
    case 'element':
      return node.name
    case 'group':
      return node.children[0] === undefined ? '' : nameOf(node.children[0])
    case 'choice':
      return node.branches[0]?.name ?? ''
  }
}
