/**
 * The tree of a request and the names of its parameters -> the contract that requests are held against, as plain data.
 * It says of each value what the WSDL says, where request-schema.ts tells callers what JSON Schema can say of it. The
 * contracts of one WSDL stand together: what is the same, however often it is met, is there once.
 */
import type { ContractNode, Contracts, ListNode, Scope, TextNode, TextType } from '../../soap/check/contract.ts'
import { isBareBranch, isFlag, isLeaf, isScope, isTextAlone, nameParams, type Slot } from '../request/param-names.ts'
import {
  type ChoiceBranch,
  isNullable,
  type RequestAttribute,
  type RequestChoice,
  type RequestElement,
  type RequestNode,
  type RequestPart,
  type RequestText,
} from '../request/request.ts'
import { givenType } from '../request/request-text.ts'
import { numberOf, type SimpleType } from '../schema/simple-type.ts'

type Names = ReadonlyMap<Slot, string>

export class RequestContracts implements Contracts {
  readonly types: TextType[] = []
  readonly scopes: Scope[] = []
  readonly #typeOf = new Map<SimpleType, number>()
  readonly #scopeOf = new Map<RequestElement, number>()
  readonly #known = new Map<string, number>()

  /** The scope of the body of a request. */
  add(root: RequestElement): number {
    return this.#scope(root, nameParams(root).nameOf)
  }

  #scope(element: RequestElement, nameOf: Names): number {
    const known = element.isObject ? this.#scopeOf.get(element) : undefined
    if (known !== undefined) return known
    const index = this.#once(this.scopes, this.#contentOf(element, nameOf))
    // Large branches are shared by many requests, with the names inside them.
    if (element.isObject) this.#scopeOf.set(element, index)
    return index
  }

  /** What is inside one element that is there. */
  #contentOf(element: RequestElement, nameOf: Names): Scope {
    const { alternatives, attributes, children, parts } = element
    if (alternatives.length > 0) {
      const branches = alternatives.map((alternative): Scope => {
        const name = nameOf.get(alternative) ?? ''
        const { text } = alternative
        if (text !== undefined && isTextAlone(alternative)) {
          return [{ kind: 'text', name, type: this.#type(givenType(text)), isRequired: true, ...fixedOf(text) }]
        }
        return [{ kind: 'object', name, isRequired: true, scope: this.#scope(alternative, nameOf) }]
      })
      return [{ kind: 'choice', isRequired: true, branches }]
    }
    return [
      ...this.#text(element, nameOf),
      ...attributes.flatMap((attribute) => this.#attribute(attribute, nameOf)),
      ...children.flatMap((child) => this.#node(child, nameOf)),
      ...parts.map((part) => this.#part(part, nameOf)),
    ]
  }

  #node(node: RequestNode, nameOf: Names): readonly ContractNode[] {
    switch (node.kind) {
      case 'group':
        return toGroup(node.children.flatMap((child) => this.#node(child, nameOf)))
      case 'choice':
        return [this.#choice(node, nameOf)]
      case 'element':
        return this.#element(node, nameOf)
    }
  }

  #element(element: RequestElement, nameOf: Names): readonly ContractNode[] {
    if (element.isAlwaysNil) return []
    const name = nameOf.get(element) ?? ''
    if (element.isRepeating) return [this.#list(element, name, nameOf)]
    if (isScope(element)) return [this.#object(element, name, nameOf)]
    if (isFlag(element)) return [{ kind: 'flag', name }]
    // Without any value an optional element is left out, and one that may be nil and holds elements is nil.
    const isBranch = element.isOptional || (element.isNillable && element.text === undefined)
    const content = this.#contentOf(element, nameOf)
    return isBranch ? toGroup(content) : content
  }

  #choice({ isOptional, branches }: RequestChoice, nameOf: Names): ContractNode {
    const required = isOptional ? {} : ({ isRequired: true } as const)
    return { kind: 'choice', ...required, branches: branches.map((branch) => this.#branch(branch, nameOf)) }
  }

  /** An element that is the whole branch is what the branch needs, though the choice lets it be left out. */
  #branch(branch: ChoiceBranch, nameOf: Names): Scope {
    const { children } = branch
    const [only] = children
    if (isBareBranch(branch)) return [{ kind: 'flag', name: nameOf.get(branch) ?? '', isBranch: true }]
    if (only?.kind !== 'element' || children.length > 1) {
      return children.flatMap((child) => this.#node(child, nameOf).map((node) => withNull(node, child)))
    }
    const name = nameOf.get(only) ?? ''
    if (only.isRepeating) return [this.#list({ ...only, isOptional: false }, name, nameOf)]
    if (isScope(only)) return [withNull(this.#object(only, name, nameOf, false), only)]
    return isFlag(only) ? [{ kind: 'flag', name, isBranch: true }] : this.#contentOf(only, nameOf)
  }

  #text({ text, isMixed, isNillable }: RequestElement, nameOf: Names): readonly ContractNode[] {
    if (text === undefined || text.isConstant) return []
    return [
      {
        kind: 'text',
        name: nameOf.get(text) ?? '',
        type: this.#type(givenType(text)),
        ...(isMixed ? {} : { isRequired: true }),
        ...(isNillable ? { isNillable } : {}),
        ...fixedOf(text),
      },
    ]
  }

  #attribute(attribute: RequestAttribute, nameOf: Names): readonly TextNode[] {
    if (attribute.isConstant) return []
    const required = attribute.isRequired ? ({ isRequired: true } as const) : {}
    const name = nameOf.get(attribute) ?? ''
    const type = this.#type(givenType(attribute))
    return [{ kind: 'text', name, type, ...required, isAttribute: true, ...fixedOf(attribute) }]
  }

  /** Beside the envelope. */
  #part(part: RequestPart, nameOf: Names): TextNode {
    return { kind: 'text', name: nameOf.get(part) ?? '', type: this.#type(givenType(part)), isRequired: true }
  }

  #list(element: RequestElement, name: string, nameOf: Names): ContractNode {
    const { isOptional, occurs } = element
    const isFree = isOptional && occurs.min <= 1
    return {
      kind: 'list',
      name,
      ...(isOptional ? {} : { isRequired: true }),
      ...(isNullable(element) ? { isNillable: true } : {}),
      ...(isFree ? {} : { min: occurs.min }),
      ...(occurs.max === Infinity ? {} : { max: occurs.max }),
      ...this.#item(element, nameOf),
    }
  }

  /** Nothing is known of the items where an element holds nothing. */
  #item(element: RequestElement, nameOf: Names): Pick<ListNode, 'type' | 'fixed' | 'scope'> {
    if (!isLeaf(element)) return { scope: this.#scope(element, nameOf) }
    return element.text === undefined ? {} : { type: this.#type(givenType(element.text)), ...fixedOf(element.text) }
  }

  #object(
    element: RequestElement,
    name: string,
    nameOf: Names,
    isOptional: boolean = element.isOptional,
  ): ContractNode {
    const isRequired = !isOptional && !element.isNillable
    const scope = this.#scope(element, nameOf)
    return { kind: 'object', name, ...(isRequired ? { isRequired } : {}), scope }
  }

  #type(type: SimpleType): number {
    const known = this.#typeOf.get(type)
    if (known !== undefined) return known
    const index = this.#once(this.types, { ...toTextType(type), ...numberIn(type) })
    this.#typeOf.set(type, index)
    return index
  }

  #once<Value>(kept: Value[], value: Value): number {
    const key = JSON.stringify(value)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const index = kept.push(value) - 1
    this.#known.set(key, index)
    return index
  }
}

/** For what is in a branch itself: null instead of an object says that the branch is meant. */
function withNull(node: ContractNode, from: RequestNode): ContractNode {
  return node.kind === 'object' && from.kind === 'element' && from.isNillable ? { ...node, isNillable: true } : node
}

function toGroup(nodes: readonly ContractNode[]): readonly ContractNode[] {
  return nodes.length === 0 ? [] : [{ kind: 'group', nodes }]
}

function fixedOf({ fixed }: RequestText): { readonly fixed?: string } {
  return fixed === undefined ? {} : { fixed }
}

/** The template writes it so: dsl/value-text.ts. */
function numberIn(type: SimpleType): Pick<TextType, 'number'> {
  const number = numberOf(type)
  return number === undefined ? {} : { number }
}

export function toTextType({ builtin, isList, item, members, enumeration, facets, patterns }: SimpleType): TextType {
  return {
    base: builtin,
    ...(isList && item !== undefined ? { item: toTextType(item) } : {}),
    ...(members.length === 0 ? {} : { members: members.map(toTextType) }),
    ...(enumeration.length === 0 ? {} : { enumeration: enumeration.map(({ value }) => value) }),
    ...(facets.size === 0 ? {} : { facets: Object.fromEntries(facets) }),
    ...(patterns.length === 0 ? {} : { patterns }),
  }
}
