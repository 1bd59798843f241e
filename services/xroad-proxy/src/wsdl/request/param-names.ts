/**
 * Names that callers give the leaves of a request under: local names, depth first; of two leaves with one name each
 * takes the shortest path that tells them apart, joined by `_`. A repeating element is one name; what its items hold
 * has names of its own, found below the item.
 */
import { localOf } from '../xml/qname.ts'
import type {
  ChoiceBranch,
  RequestAttribute,
  RequestElement,
  RequestNode,
  RequestPart,
  RequestText,
} from './request.ts'

/**
 * What a caller can give a value for: text, an attribute, a part beside the envelope, a whole repeating element, an
 * empty element that is there or not, a branch of a choice that has no value of its own.
 */
export type Slot = RequestText | RequestAttribute | RequestPart | RequestElement | ChoiceBranch

export interface Params {
  /** Keys of the request body, in the order of the schema. */
  readonly names: readonly string[]
  /** The name of a slot within the object that it is looked for in. */
  readonly nameOf: ReadonlyMap<Slot, string>
}

/** Keys of the body that a template could not tell from what the service itself provides. */
const reserved: ReadonlySet<string> = new Set(['generate'])

export function nameParams(root: RequestElement): Params {
  const nameOf = new Map<Slot, string>()
  const names = nameScope(slotsWithin(root, []), nameOf)
  return { names, nameOf }
}

/** Text and nothing else: its repetitions are plain values. */
export function isLeaf({ attributes, children, alternatives }: RequestElement): boolean {
  return attributes.length === 0 && children.length === 0 && alternatives.length === 0
}

/** Its value is an object with names of its own, or a list of them. */
export function isScope(element: RequestElement): boolean {
  return element.isObject || (element.isRepeating && !isLeaf(element)) || element.alternatives.length > 0
}

/** One of the types that an element may have, of which a caller gives the text and nothing else. */
export function isTextAlone(alternative: RequestElement): boolean {
  const { text } = alternative
  return isLeaf(alternative) && text !== undefined && !text.isConstant
}

/** An element that can hold nothing: all a caller can say is whether it is there. */
export function isFlag(element: RequestElement): boolean {
  return isLeaf(element) && element.text === undefined && element.isOptional && !element.isRepeating
}

/** True where a value of the caller stands for a whole element. */
export function isElement(slot: Slot): slot is RequestElement {
  return 'kind' in slot && slot.kind === 'element'
}

/** A branch of a choice in which a caller can give nothing: all that can be said is that it is meant. */
export function isBareBranch({ children }: ChoiceBranch): boolean {
  return children.every((child) => slotsOf(child, []).length === 0)
}

interface NamedSlot {
  readonly slot: Slot
  /** Local names from the object that the slot is looked for in, its own last. */
  readonly path: readonly string[]
}

function nameScope(slots: readonly NamedSlot[], nameOf: Map<Slot, string>): readonly string[] {
  const byLast = Map.groupBy(slots, ({ path }) => path.at(-1) ?? '')
  const isClear = (name: string) => byLast.get(name)?.length === 1 && !reserved.has(name)
  const taken = new Set([...reserved, ...[...byLast.keys()].filter(isClear)])
  const groups = new Map([...byLast].map(([name, group]) => [name, new Endings(group.map(({ path }) => path))]))
  const numbers = new Map<string, number>()
  for (const { slot, path } of slots) {
    const last = path.at(-1) ?? ''
    const wished = isClear(last) ? last : free(groups.get(last)?.shortest(path) ?? last, taken, numbers)
    taken.add(wished)
    nameOf.set(slot, wished)
  }
  for (const { slot } of slots) {
    if (isElement(slot) && !isLeaf(slot)) nameScope(slotsWithin(slot, []), nameOf)
  }
  return slots.map(({ slot }) => nameOf.get(slot) ?? '')
}

/** Paths with the same last name, and how many of them end in the same way, by the length of the ending. */
class Endings {
  readonly #paths: readonly (readonly string[])[]
  readonly #counts = new Map<number, ReadonlyMap<string, number>>()

  constructor(paths: readonly (readonly string[])[]) {
    this.#paths = paths
  }

  /** A path that is the end of another one is distinguished by being whole. */
  shortest(path: readonly string[]): string {
    for (let length = 2; length < path.length; length++) {
      const ending = toName(path, length)
      if (this.#countsOf(length).get(ending) === 1) return ending
    }
    return path.join('_')
  }

  #countsOf(length: number): ReadonlyMap<string, number> {
    const known = this.#counts.get(length)
    if (known !== undefined) return known
    const counts = new Map<string, number>()
    for (const path of this.#paths) {
      const ending = toName(path, length)
      counts.set(ending, (counts.get(ending) ?? 0) + 1)
    }
    this.#counts.set(length, counts)
    return counts
  }
}

function toName(path: readonly string[], length: number): string {
  return path.slice(-length).join('_')
}

/** The name, or with the first number that makes it one of its own; `numbers` are the last ones that were given out. */
function free(name: string, taken: ReadonlySet<string>, numbers: Map<string, number>): string {
  if (!taken.has(name)) return name
  let number = numbers.get(name) ?? 1
  do number++
  while (taken.has(`${name}_${number}`))
  numbers.set(name, number)
  return `${name}_${number}`
}

function slotsOf(node: RequestNode, outer: readonly string[]): readonly NamedSlot[] {
  switch (node.kind) {
    case 'group':
      return node.children.flatMap((child) => slotsOf(child, outer))
    case 'choice':
      return node.branches.flatMap((branch) => slotsOfBranch(branch, outer))
    case 'element':
      return slotsOfElement(node, outer)
  }
}

function slotsOfElement(element: RequestElement, outer: readonly string[]): readonly NamedSlot[] {
  if (element.isAlwaysNil) return []
  const path = [...outer, localOf(element.name)]
  if (element.isRepeating || isScope(element) || isFlag(element)) return [{ slot: element, path }]
  return slotsWithin(element, path)
}

function slotsOfBranch(branch: ChoiceBranch, outer: readonly string[]): readonly NamedSlot[] {
  const slots = branch.children.flatMap((child) => slotsOf(child, outer))
  return slots.length > 0 ? slots : [{ slot: branch, path: [...outer, localOf(branch.name)] }]
}

/** What an object for the element holds: its values, or the types that it may have. */
function slotsWithin(element: RequestElement, path: readonly string[]): readonly NamedSlot[] {
  const { text, attributes, children, parts, alternatives } = element
  const besides = parts.map((part) => ({ slot: part, path: [...path, part.name] }))
  if (alternatives.length > 0) {
    return alternatives.map((alternative) => ({
      slot: alternative,
      path: [...path, localOf(alternative.typeName ?? alternative.name)],
    }))
  }
  const textPath = path.length === 0 ? [localOf(element.name)] : path
  const texts = text === undefined || text.isConstant ? [] : [{ slot: text, path: textPath }]
  const free = attributes.filter((attribute) => !attribute.isConstant)
  const named = free.map((attribute) => ({ slot: attribute, path: [...path, localOf(attribute.name)] }))
  return [...texts, ...named, ...children.flatMap((child) => slotsOf(child, path)), ...besides]
}
