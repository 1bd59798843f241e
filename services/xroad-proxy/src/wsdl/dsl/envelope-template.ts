/**
 * The tree of a request and the names of its parameters -> the text of the SOAP envelope, a template in the order and
 * with the namespaces of the schema. What a caller may leave out is in a condition, what repeats in a loop.
 */
import type { ParamChoice, SoapVersion } from '../../model.ts'
import {
  isBareBranch,
  isFlag,
  isLeaf,
  isScope,
  isTextAlone,
  nameParams,
  type Params,
  type Slot,
} from '../request/param-names.ts'
import { choicesOf } from '../request/param-choices.ts'
import { type ServiceId, writeHeader } from './header-template.ts'
import { Prefixes } from './prefixes.ts'
import { asValue, attachmentText, attributeText, elementText, isListed } from './value-text.ts'
import { isContentType } from '../schema/framework.ts'
import { namespaces, toQName } from '../xml/qname.ts'
import { Skip } from '../operations/reasons.ts'
import type {
  ChoiceBranch,
  Request,
  RequestAttribute,
  RequestElement,
  RequestGroup,
  RequestNode,
} from '../request/request.ts'
import { block, blockElse, type Case, escapeText, firstOf, indent, joinLines, toPath } from './template-text.ts'

export interface Envelope {
  readonly text: string
  readonly params: readonly string[]
  readonly choices: readonly ParamChoice[]
}

/** Without a service the envelope is plain: no header, for a call directly to its address. Throws `Skip`. */
export function writeEnvelope(
  { root, isNested }: Pick<Request, 'root' | 'isNested'>,
  service: ServiceId | undefined,
  {
    prefixes: ofWsdl,
    soapVersion,
  }: { readonly prefixes: ReadonlyMap<string, string>; readonly soapVersion: SoapVersion },
): Envelope {
  const used = service === undefined ? (['soapenv'] as const) : (['soapenv', 'xroad', 'id'] as const)
  const prefixes = new Prefixes(ofWsdl, used, soapVersion)
  const { names, nameOf } = nameParams(root)
  const written = new BodyWriter({ nameOf, prefixes, isShort: isNested }).root(root)
  const body = isNested ? written.map((line) => line.trimStart()) : written
  const header = service === undefined ? [] : indent(writeHeader(service))
  const lines = [
    `<soapenv:Envelope${prefixes.declarations()}>`,
    ...header,
    '  <soapenv:Body>',
    ...indent(indent(body)),
    '  </soapenv:Body>',
    '</soapenv:Envelope>',
  ]
  return { text: `${lines.join('\n')}\n`, params: names, choices: choicesOf(root, nameOf) }
}

const nilAttribute = toQName(namespaces.instance, 'nil')
const typeAttribute = toQName(namespaces.instance, 'type')

/** Values named in all conditions together: branches in branches name theirs again and again. */
const maxConditionValues = 20_000

interface BodyOptions {
  readonly nameOf: Params['nameOf']
  readonly prefixes: Prefixes
  /** Hundreds of optional values in one file: each takes the shortest form. */
  readonly isShort: boolean
}

class BodyWriter {
  readonly #nameOf: Params['nameOf']
  readonly #prefixes: Prefixes
  readonly #isShort: boolean
  #conditionValues = 0

  constructor({ nameOf, prefixes, isShort }: BodyOptions) {
    this.#nameOf = nameOf
    this.#prefixes = prefixes
    this.#isShort = isShort
  }

  /** The types that may stand for an abstract one are params of their own. */
  root(root: RequestElement): readonly string[] {
    const body = root.alternatives.length > 0 ? this.#single(root) : this.element(root)
    return [...root.parts.map((part) => attachmentText(part, this.#reference(part))), ...body]
  }

  element(element: RequestElement): readonly string[] {
    if (element.isAlwaysNil) return [this.#nil(element)]
    if (element.isRepeating) return this.#repeating(element)
    if (isScope(element)) return this.#scope(element, element.isOptional)
    if (isFlag(element)) return block('if', [this.#reference(element)], this.#single(element))
    if (this.#isShort && isPlainOptional(element)) return [this.#short(element)]
    const isNillable = element.isNillable && element.text === undefined
    if (!element.isOptional && !isNillable) return this.#single(element)
    const given = this.#condition([element])
    if (element.isOptional) return given.length === 0 ? [] : block('if_present', given, this.#single(element))
    if (given.length === 0) return this.#single(element)
    return blockElse('if_present', given, this.#single(element), [this.#nil(element)])
  }

  #short(element: RequestElement): string {
    const nil = element.isNillable ? ` "${this.#prefixes.nameOf(nilAttribute)}"` : ''
    const reference = this.#textReference(element)
    const value = element.text === undefined ? reference : asValue(element.text, reference)
    return `{{xml_element "${this.#prefixes.nameOf(element.name)}" ${value}${nil}}}`
  }

  #repeating(element: RequestElement): readonly string[] {
    const single = this.#single(element)
    const isPlain = !element.isNillable || isLeaf(element)
    const item = isPlain ? single : blockElse('if', ['(is_nil this)'], [this.#nil(element)], single)
    return block('each_value', [this.#reference(element)], item)
  }

  /** One object; null, and nothing at all, is nil where that is allowed. */
  #scope(element: RequestElement, isOptional: boolean): readonly string[] {
    const reference = this.#reference(element)
    const given = block('each_value', [reference], this.#single(element))
    if (!element.isNillable) return given
    const nil = [this.#nil(element)]
    return isOptional
      ? [...block('if', [`(is_nil ${reference})`], nil), ...given]
      : blockElse('if_present', [reference], given, nil)
  }

  /** Of an abstract type not even null is allowed; any of the types that stand for it will do. */
  #nil(element: RequestElement): string {
    const type = this.#type(element.alternatives[0] ?? element)
    return `<${this.#prefixes.nameOf(element.name)}${type} ${this.#prefixes.nameOf(nilAttribute)}="true"/>`
  }

  /** One occurrence, without the question whether it is there. */
  #single(element: RequestElement): readonly string[] {
    const { alternatives } = element
    if (alternatives.length > 0) {
      return alternatives.flatMap((alternative) =>
        block(
          isTextAlone(alternative) ? 'if_present' : 'each_value',
          [this.#reference(alternative)],
          this.#single(alternative),
        ),
      )
    }
    const name = this.#prefixes.nameOf(element.name)
    const attributes = element.attributes.map((own) => this.#attribute(own)).join('')
    const start = `<${name}${this.#type(element)}${this.#nilIfNull(element)}${attributes}`
    const end = `</${name}>`
    const text = this.#text(element)
    const children = element.children.flatMap((child) => this.#node(child))
    if (children.length === 0) return [element.text === undefined ? `${start}/>` : `${start}>${text}${end}`]
    // White space would be part of the text.
    if (element.text !== undefined) return [`${start}>${text}${joinLines(children)}${end}`]
    return [`${start}>`, ...indent(children), end]
  }

  #node(node: RequestNode): readonly string[] {
    switch (node.kind) {
      case 'element':
        return this.element(node)
      case 'choice':
        return firstOf(node.branches.map((branch) => this.#case(branch)))
      case 'group':
        return this.#group(node)
    }
  }

  #group({ children }: RequestGroup): readonly string[] {
    const given = this.#condition(children)
    if (given.length === 0) return []
    const lines = children.flatMap((child) => this.#node(child))
    return block('if_present', given, lines)
  }

  /** What is in a branch; whether it is there has been asked already. */
  #case(branch: ChoiceBranch): Case {
    const [only, ...others] = branch.children
    const element = only?.kind === 'element' && others.length === 0 ? only : undefined
    const lines = element === undefined ? branch.children.flatMap((child) => this.#node(child)) : this.#there(element)
    const isFlagged = isBareBranch(branch) || (element !== undefined && isFlag(element))
    return { helper: isFlagged ? 'if' : 'if_present', values: this.#condition([branch]), lines }
  }

  #there(element: RequestElement): readonly string[] {
    if (element.isAlwaysNil) return [this.#nil(element)]
    if (element.isRepeating) return this.#repeating(element)
    return isScope(element) ? this.#scope(element, false) : this.#single(element)
  }

  #type({ typeName }: RequestElement): string {
    if (typeName === undefined) return ''
    return ` ${this.#prefixes.nameOf(typeAttribute)}="${this.#prefixes.nameOf(typeName)}"`
  }

  #nilIfNull(element: RequestElement): string {
    if (!element.isNillable || element.text === undefined) return ''
    return `{{#if (is_nil ${this.#textReference(element)})}} ${this.#prefixes.nameOf(nilAttribute)}="true"{{/if}}`
  }

  #text(element: RequestElement): string {
    const { text } = element
    if (text === undefined) return ''
    if (text.fixed !== undefined) return escapeText(text.fixed)
    const reference = this.#textReference(element)
    const said = element.attributes.find(({ name, isConstant }) => isContentType(name) && !isConstant)
    return elementText(text, reference, said === undefined ? undefined : this.#reference(said))
  }

  #textReference(element: RequestElement): string {
    if (element.isRepeating && isLeaf(element)) return 'this'
    // A type that stands for an abstract one and is text alone has its value under its own name.
    if (isTextAlone(element) && this.#nameOf.has(element)) return this.#reference(element)
    return element.text === undefined ? '' : this.#reference(element.text)
  }

  #attribute(attribute: RequestAttribute): string {
    const name = this.#prefixes.nameOf(attribute.name)
    const constant = attribute.fixed === undefined ? undefined : ` ${name}="${escapeText(attribute.fixed)}"`
    if (constant !== undefined && attribute.isConstant) return constant
    const reference = this.#reference(attribute)
    const value = attributeText(attribute, reference)
    const written = constant ?? ` ${name}="${value}"`
    return attribute.isRequired ? written : block('if_present', [reference], [written]).join('')
  }

  /** Values of which one is there when the caller gave anything for the nodes. */
  #condition(nodes: readonly (RequestNode | ChoiceBranch)[]): readonly string[] {
    const given = nodes.flatMap((node) => this.#givenBy(node))
    this.#conditionValues += given.length
    if (this.#conditionValues > maxConditionValues) {
      throw new Skip('request_too_large', `its conditions name more than ${maxConditionValues} values`)
    }
    return given
  }

  #givenBy(node: RequestNode | ChoiceBranch): readonly string[] {
    switch (node.kind) {
      case 'group':
        return node.children.flatMap((child) => this.#givenBy(child))
      case 'choice':
        return node.branches.flatMap((branch) => this.#givenBy(branch))
      case 'branch':
        return this.#givenByBranch(node)
      case 'element':
        return this.#givenByElement(node)
    }
  }

  #givenByElement(element: RequestElement): readonly string[] {
    if (element.isAlwaysNil) return []
    if (element.isRepeating || isScope(element) || isFlag(element)) return [this.#reference(element)]
    const { text, attributes, children, isNillable } = element
    const reference = text === undefined || text.isConstant ? undefined : this.#reference(text)
    const nil = isNillable && reference !== undefined ? [`(is_nil ${reference})`] : []
    return [
      ...(reference === undefined ? [] : [reference, ...nil]),
      ...attributes.filter((attribute) => !attribute.isConstant).map((attribute) => this.#reference(attribute)),
      ...children.flatMap((child) => this.#givenBy(child)),
    ]
  }

  /** Null instead of an object says that the branch is meant, and is nil. */
  #givenByBranch(branch: ChoiceBranch): readonly string[] {
    if (isBareBranch(branch)) return [this.#reference(branch)]
    return branch.children.flatMap((child) => {
      const isNullable = child.kind === 'element' && child.isNillable && !child.isRepeating && isScope(child)
      return [...this.#givenBy(child), ...(isNullable ? [`(is_nil ${this.#reference(child)})`] : [])]
    })
  }

  #reference(slot: Slot): string {
    return toPath(this.#nameOf.get(slot) ?? '')
  }
}

/** Text that may be left out, and nothing else. */
function isPlainOptional(element: RequestElement): boolean {
  const { isOptional, text, typeName } = element
  if (!isOptional || !isLeaf(element) || typeName !== undefined || text === undefined) return false
  return text.fixed === undefined && text.attachment === undefined && !isListed(text)
}
