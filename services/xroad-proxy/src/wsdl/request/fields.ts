/**
 * The params of one object of a request (the body, or an item of a list) with what they depend on: parts that are there
 * or not, and choices between such parts. Without names, which are param-names.ts, and without types.
 */
import { isBareBranch, isFlag, isScope, type Slot } from './param-names.ts'
import type {
  ChoiceBranch,
  RequestAttribute,
  RequestChoice,
  RequestElement,
  RequestNode,
  RequestPart,
  RequestText,
} from './request.ts'

export type Field = {
  readonly isOptional: boolean
  /** The innermost part that it is in; undefined for one that is always there. */
  readonly part: Part | undefined
} & (
  | { readonly kind: 'text'; readonly slot: RequestText; readonly element: RequestElement }
  /** Or a part of the message beside the envelope. */
  | { readonly kind: 'attribute'; readonly slot: RequestAttribute | RequestPart }
  /** A list, or an object with names of its own. */
  | { readonly kind: 'scope'; readonly slot: RequestElement }
  /** An element that can hold nothing. */
  | { readonly kind: 'flag'; readonly slot: RequestElement }
  | { readonly kind: 'branch'; readonly slot: ChoiceBranch }
)

/** Elements that may be left out together, and what they need once any of them is given. */
export interface Part {
  readonly outer: Part | undefined
  /** The choice that it is a branch of. */
  readonly choice: FieldChoice | undefined
  readonly needed: Slot[]
}

export interface FieldChoice {
  readonly isOptional: boolean
  /** The innermost part around it. */
  readonly part: Part | undefined
  /** In the order of the schema. */
  readonly branches: readonly Part[]
}

export interface Fields {
  readonly fields: readonly Field[]
  /** A choice in a branch of another one comes after that. */
  readonly choices: readonly FieldChoice[]
}

export function fieldsOf(element: RequestElement): Fields {
  const walk = new Walk()
  walk.content(element, undefined)
  for (const { slot, isOptional, part } of walk.fields) if (!isOptional) part?.needed.push(slot)
  return walk
}

class Walk implements Fields {
  readonly fields: Field[] = []
  readonly choices: FieldChoice[] = []

  /** The params of one element that is there. */
  content(element: RequestElement, part: Part | undefined): void {
    const { text, isMixed, attributes, children, parts } = element
    if (text !== undefined && !text.isConstant)
      this.fields.push({ kind: 'text', slot: text, element, isOptional: isMixed, part })
    for (const slot of attributes)
      if (!slot.isConstant) this.fields.push({ kind: 'attribute', slot, isOptional: !slot.isRequired, part })
    for (const child of children) this.#node(child, part)
    for (const slot of parts) this.fields.push({ kind: 'attribute', slot, isOptional: false, part })
  }

  #node(node: RequestNode, outer: Part | undefined): void {
    switch (node.kind) {
      case 'group': {
        const part = { outer, choice: undefined, needed: [] }
        for (const child of node.children) this.#node(child, part)
        break
      }
      case 'choice':
        this.#choice(node, outer)
        break
      case 'element':
        this.#element(node, outer, node.isOptional)
        break
    }
  }

  #element(element: RequestElement, outer: Part | undefined, isOptional: boolean): void {
    const { isRepeating, isNillable } = element
    if (element.isAlwaysNil) return
    if (isRepeating || isScope(element)) {
      const isFree = isOptional || (isNillable && !isRepeating)
      this.fields.push({ kind: 'scope', slot: element, isOptional: isFree, part: outer })
    } else if (isFlag(element)) {
      this.fields.push({ kind: 'flag', slot: element, isOptional, part: outer })
    } else {
      // Without any value an optional element is left out, and one that may be nil and holds elements is nil.
      const isPart = isOptional || (isNillable && element.text === undefined)
      this.content(element, isPart ? { outer, choice: undefined, needed: [] } : outer)
    }
  }

  #choice({ isOptional, branches }: RequestChoice, part: Part | undefined): void {
    const parts: Part[] = []
    const choice = { isOptional, part, branches: parts }
    this.choices.push(choice)
    for (const branch of branches) {
      const own = { outer: part, choice, needed: [] }
      parts.push(own)
      this.#branch(branch, own)
    }
  }

  /** An element that is the whole branch is what the branch needs, though the choice lets it be left out. */
  #branch(branch: ChoiceBranch, part: Part): void {
    const { children } = branch
    const [only] = children
    if (isBareBranch(branch)) this.fields.push({ kind: 'branch', slot: branch, isOptional: false, part })
    else if (children.length > 1 || only?.kind !== 'element') for (const child of children) this.#node(child, part)
    else if (only.isRepeating || isScope(only) || isFlag(only)) this.#element(only, part, false)
    else this.content(only, part)
  }
}
