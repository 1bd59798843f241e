/**
 * The content of a type -> its elements in order, with all groups around them worked in: what a response may hold,
 * where nobody has to choose between the branches of a choice.
 */
import type { OutlineContent, OutlineElement, OutlineNode } from './outline.ts'

export interface Member {
  readonly element: OutlineElement
  /** In every message: neither it nor a group around it may be left out, and none is a choice. */
  readonly isRequired: boolean
  readonly isRepeating: boolean
}

/** More than the elements of one type; what comes after them is taken as if no schema listed it. */
const maxNodes = 10_000

export function membersOf({ nodes }: OutlineContent): readonly Member[] {
  const walk: Walk = { members: [], nodes: 0 }
  for (const node of nodes) add(walk, node, once)
  return walk.members
}

interface Walk {
  readonly members: Member[]
  /** That were looked at so far. */
  nodes: number
}

type Count = Pick<Member, 'isRequired' | 'isRepeating'>

const once: Count = { isRequired: true, isRepeating: false }

function add(walk: Walk, node: OutlineNode, outer: Count): void {
  const { min, max } = node.occurs
  walk.nodes++
  if (max === 0 || walk.nodes > maxNodes) return
  const isRequired = outer.isRequired && min > 0
  const isRepeating = outer.isRepeating || max > 1
  switch (node.kind) {
    case 'element':
      walk.members.push({ element: node.element, isRequired, isRepeating })
      break
    case 'sequence':
    case 'all':
    case 'choice': {
      const count = { isRequired: isRequired && node.kind !== 'choice', isRepeating }
      for (const inner of node.nodes) add(walk, inner, count)
      break
    }
    case 'wildcard':
    case 'cut':
    case 'absent':
      break
  }
}
