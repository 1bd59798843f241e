/**
 * The tree of a request and the names of its parameters -> the text of the SOAP envelope, a template in the order and with the
 * namespaces of the schema. What a caller may leave out stands in a condition, what repeats in a loop.
 */
import { isFlag, isLeaf, nameParams } from './params.ts'
import type { Params, Slot } from './params.ts'
import { Prefixes } from './prefixes.ts'
import { namespaces, toQName } from './qname.ts'
import { Skip } from './reasons.ts'
import type { RequestAttribute, RequestElement, RequestNode } from './request.ts'
import { block, blockElse, escapeText, indent, toPath } from './template-text.ts'

/** The X-Road service that an envelope is for. */
export interface ServiceId {
  readonly memberClass: string
  readonly memberCode: string
  readonly subsystemCode: string
  readonly serviceCode: string
  readonly serviceVersion: string | undefined
}

export interface Envelope {
  readonly text: string
  readonly params: readonly string[]
}

/** Without a service the envelope is plain: no header, for a call straight to its address. Throws `Skip`. */
export function writeEnvelope(
  root: RequestElement,
  service: ServiceId | undefined,
  ofWsdl: ReadonlyMap<string, string>,
): Envelope {
  const prefixes = new Prefixes(ofWsdl, service === undefined ? ['soapenv'] : ['soapenv', 'xroad', 'id'])
  const { names, nameOf } = nameParams(root)
  const body = new BodyWriter(nameOf, prefixes).element(root)
  const header = service === undefined ? [] : indent(writeHeader(service))
  const lines = [
    `<soapenv:Envelope${prefixes.declarations()}>`,
    ...header,
    '  <soapenv:Body>',
    ...indent(indent(body)),
    '  </soapenv:Body>',
    '</soapenv:Envelope>',
  ]
  return { text: `${lines.join('\n')}\n`, params: names }
}

function writeHeader(service: ServiceId): readonly string[] {
  const part = (name: string, value: string) => `    <id:${name}>${escapeText(value)}</id:${name}>`
  const { subsystemCode, serviceVersion } = service
  return [
    '<soapenv:Header>',
    '  {{{generate.client}}}',
    '  <xroad:service id:objectType="SERVICE">',
    '    <id:xRoadInstance>{{generate.instance}}</id:xRoadInstance>',
    part('memberClass', service.memberClass),
    part('memberCode', service.memberCode),
    ...(subsystemCode === '' ? [] : [part('subsystemCode', subsystemCode)]),
    part('serviceCode', service.serviceCode),
    ...(serviceVersion === undefined ? [] : [part('serviceVersion', serviceVersion)]),
    '  </xroad:service>',
    '  {{#if_present generate.user_id}}<xroad:userId>{{generate.user_id}}</xroad:userId>{{/if_present}}',
    '  <xroad:id>{{generate.uuid}}</xroad:id>',
    '  <xroad:protocolVersion>{{generate.protocol_version}}</xroad:protocolVersion>',
    '</soapenv:Header>',
  ]
}

const nilAttribute = toQName(namespaces.instance, 'nil')

/** Values named in all conditions together: branches in branches name theirs again and again. */
const maxConditionValues = 20_000

class BodyWriter {
  readonly #nameOf: Params['nameOf']
  readonly #prefixes: Prefixes
  #conditionValues = 0

  constructor(nameOf: Params['nameOf'], prefixes: Prefixes) {
    this.#nameOf = nameOf
    this.#prefixes = prefixes
  }

  element(element: RequestElement): readonly string[] {
    if (element.isRepeating) return this.#repeating(element)
    if (isFlag(element)) return block('if', [this.#reference(element)], this.#single(element))
    const isNillable = element.isNillable && element.text === undefined
    if (!element.isOptional && !isNillable) return this.#single(element)
    const given = this.#condition([element])
    if (element.isOptional) return given.length === 0 ? [] : block('if_present', given, this.#single(element))
    if (given.length === 0) return this.#single(element)
    return blockElse('if_present', given, this.#single(element), [this.#nil(element)])
  }

  #repeating(element: RequestElement): readonly string[] {
    const single = this.#single(element)
    const isPlain = !element.isNillable || isLeaf(element)
    const item = isPlain ? single : blockElse('if', ['(is_nil this)'], [this.#nil(element)], single)
    return block('each_value', [this.#reference(element)], item)
  }

  #nil(element: RequestElement): string {
    return `<${this.#prefixes.nameOf(element.name)} ${this.#prefixes.nameOf(nilAttribute)}="true"/>`
  }

  /** One occurrence, without the question whether it is there. */
  #single(element: RequestElement): readonly string[] {
    const name = this.#prefixes.nameOf(element.name)
    const attributes = element.attributes.map((it) => this.#attribute(it)).join('')
    const start = `<${name}${this.#nilIfNull(element)}${attributes}`
    const end = `</${name}>`
    const text = this.#text(element)
    const children = element.children.flatMap((it) => this.#node(it))
    if (children.length === 0) return [element.text === undefined ? `${start}/>` : `${start}>${text}${end}`]
    // White space would be part of the text.
    if (element.text !== undefined) return [`${start}>${text}${children.map((it) => it.trim()).join('')}${end}`]
    return [`${start}>`, ...indent(children), end]
  }

  #node(node: RequestNode): readonly string[] {
    if (node.kind === 'element') return this.element(node)
    const given = this.#condition(node.children)
    return given.length === 0
      ? []
      : block(
          'if_present',
          given,
          node.children.flatMap((it) => this.#node(it)),
        )
  }

  #nilIfNull(element: RequestElement): string {
    if (!element.isNillable || element.text === undefined) return ''
    return `{{#if (is_nil ${this.#textReference(element)})}} ${this.#prefixes.nameOf(nilAttribute)}="true"{{/if}}`
  }

  #text(element: RequestElement): string {
    if (element.text === undefined) return ''
    const { fixed } = element.text
    return fixed === undefined ? `{{${this.#textReference(element)}}}` : escapeText(fixed)
  }

  #textReference(element: RequestElement): string {
    if (element.isRepeating && isLeaf(element)) return 'this'
    return element.text === undefined ? '' : this.#reference(element.text)
  }

  #attribute(attribute: RequestAttribute): string {
    const name = this.#prefixes.nameOf(attribute.name)
    if (attribute.fixed !== undefined) return ` ${name}="${escapeText(attribute.fixed)}"`
    const reference = this.#reference(attribute)
    const written = ` ${name}="{{xml_attr ${reference}}}"`
    return attribute.isRequired ? written : block('if_present', [reference], [written]).join('')
  }

  /** Values of which one is there when the caller gave anything for the nodes. */
  #condition(nodes: readonly RequestNode[]): readonly string[] {
    const given = nodes.flatMap((it) => this.#givenBy(it))
    this.#conditionValues += given.length
    if (this.#conditionValues > maxConditionValues) {
      throw new Skip('request_too_large', `its conditions name more than ${maxConditionValues} values`)
    }
    return given
  }

  #givenBy(node: RequestNode): readonly string[] {
    if (node.kind === 'group') return node.children.flatMap((it) => this.#givenBy(it))
    if (node.isRepeating || isFlag(node)) return [this.#reference(node)]
    const { text, attributes, children, isNillable } = node
    const reference = text === undefined || text.fixed !== undefined ? undefined : this.#reference(text)
    const nil = isNillable && reference !== undefined ? [`(is_nil ${reference})`] : []
    return [
      ...(reference === undefined ? [] : [reference, ...nil]),
      ...attributes.filter((it) => it.fixed === undefined).map((it) => this.#reference(it)),
      ...children.flatMap((it) => this.#givenBy(it)),
    ]
  }

  #reference(slot: Slot): string {
    return toPath(this.#nameOf.get(slot) ?? '')
  }
}
