/**
 * One side of an operation and of its binding -> the element that is in the body of its message, or why there is
 * none. Which operations there are, and whether their binding is one that is supported, is operations.ts.
 */
import type { Definitions } from './definitions.ts'
import { describeMisnamed } from './misnamed.ts'
import type { Outline, OutlineElement } from '../outline/outline.ts'
import { whereElse } from '../schema/missing.ts'
import { namespaceOf, namespaces } from '../xml/qname.ts'
import { Skip } from './reasons.ts'
import { childrenOf, resolveName, type XmlElement } from '../xml/xml.ts'

/** One of the two messages of an operation, and what the binding says of it. */
export interface MessageSide {
  /** In the port type. */
  readonly side: XmlElement
  readonly bound: XmlElement | undefined
  /** Of the elements that bind it. */
  readonly soap: string
}

/**
 * The element of the message part that is the body: the part that `soap:body` names, or the one that is not a header.
 */
export function bodyElement(definitions: Definitions, outline: Outline, side: MessageSide): OutlineElement {
  const { parts, message, named } = bodyParts(definitions, side)
  const withElement = parts.filter((part) => part.attributes.has('element'))
  const [part] = withElement
  if (part === undefined) {
    const written = side.side.attributes.get('message')?.trim() ?? ''
    const about = { parts, message, written, named }
    const noBody =
      side.bound === undefined || soapParts(side, 'body').length > 0 ? '' : '; its binding has no soap:body'
    throw new Skip('no_body', `${describeParts(about)}${noBody}`)
  }
  if (withElement.length > 1) throw new Skip('input_unresolved', severalParts(withElement))
  return declaredElement(definitions, outline, part)
}

/** The parts of the message that are in the body, and what `soap:body` says about that. */
export function bodyParts(
  definitions: Definitions,
  side: MessageSide,
): { readonly parts: readonly XmlElement[]; readonly message: XmlElement; readonly named: string | undefined } {
  const message = messageOf(definitions, side.side)
  const named = soapParts(side, 'body')[0]?.attributes.get('parts')
  const isBody =
    named === undefined
      ? notIn([...headerParts(definitions, message, side), ...contentParts(side.bound)])
      : isIn(named.trim().split(/\s+/u))
  return {
    parts: childrenOf(message, namespaces.wsdl, 'part').filter((child) => isBody(nameOf(child))),
    message,
    named,
  }
}

/** Names of all parts of the message, wherever they are sent. */
export function partNames(definitions: Definitions, { side }: MessageSide): readonly string[] {
  return childrenOf(messageOf(definitions, side), namespaces.wsdl, 'part').map(nameOf)
}

/** `soap:body` or `soap:header`, bare or in the root part of a multipart message. */
export function soapParts(
  { bound, soap }: Pick<MessageSide, 'bound' | 'soap'>,
  local: 'body' | 'header',
): readonly XmlElement[] {
  if (bound === undefined) return []
  return [bound, ...mimeParts(bound)].flatMap((parent) => childrenOf(parent, soap, local))
}

export function mimeParts(bound: XmlElement): readonly XmlElement[] {
  const related = childrenOf(bound, namespaces.mime, 'multipartRelated')
  return related.flatMap((part) => childrenOf(part, namespaces.mime, 'part'))
}

function messageOf({ messages, missing }: Definitions, side: XmlElement): XmlElement {
  const text = side.attributes.get('message') ?? ''
  const name = resolveName(text, side)
  const message = name === undefined ? undefined : messages.get(name)
  if (message !== undefined) return message
  const why = describeMisnamed({ kind: 'message', text, at: side }, messages.keys())
  throw new Skip('input_unresolved', `${why}${name === undefined ? '' : whereElse(missing, namespaceOf(name))}`)
}

function declaredElement({ schema, missing }: Definitions, outline: Outline, part: XmlElement): OutlineElement {
  const text = part.attributes.get('element') ?? ''
  const name = resolveName(text, part)
  const found = name === undefined ? undefined : outline.element(name)
  if (found !== undefined) return found
  const why = describeMisnamed({ kind: 'element', text, at: part }, schema.names('element'))
  const where = name === undefined ? '' : whereElse([...missing, ...schema.missing], namespaceOf(name))
  throw new Skip('input_unresolved', `${why}${where}`)
}

interface Bodiless {
  /** The parts that could be the body; none of them names an element. */
  readonly parts: readonly XmlElement[]
  readonly message: XmlElement
  /** The name of the message as it is written. */
  readonly written: string
  /** What `parts` of soap:body says. */
  readonly named: string | undefined
}

function describeParts({ parts, message, written, named }: Bodiless): string {
  const [part] = parts
  if (part !== undefined) {
    const instead = part.attributes.has('type') ? 'a type, not an element' : 'neither an element nor a type'
    return `part ${nameOf(part)} of message ${written} names ${instead}`
  }
  if (childrenOf(message, namespaces.wsdl, 'part').length === 0) return `message ${written} has no part`
  if (named === undefined) return `every part of message ${written} is sent as a header`
  if (named.trim() === '') return `soap:body names no part of message ${written}`
  return `soap:body names the part ${named.trim()}, which message ${written} does not have`
}

function severalParts(parts: readonly XmlElement[]): string {
  const names = parts.map(nameOf).join(', ')
  return `its message has several parts for the body (${names}): name the one that is meant in parts of soap:body`
}

function headerParts(definitions: Definitions, message: XmlElement, side: MessageSide): readonly string[] {
  return soapParts(side, 'header')
    .filter((header) => {
      const name = resolveName(header.attributes.get('message') ?? '', header)
      return name !== undefined && definitions.messages.get(name) === message
    })
    .map((header) => header.attributes.get('part') ?? '')
}

/** What travels beside the envelope is not the body. */
function contentParts(bound: XmlElement | undefined): readonly string[] {
  if (bound === undefined) return []
  const contents = mimeParts(bound).flatMap((part) => childrenOf(part, namespaces.mime, 'content'))
  return contents.map((content) => content.attributes.get('part')?.trim() ?? '')
}

function isIn(names: readonly string[]): (name: string) => boolean {
  return (name) => names.includes(name)
}

function notIn(names: readonly string[]): (name: string) => boolean {
  return (name) => !names.includes(name)
}

/** Of an operation, or of a part of a message. */
export function nameOf(element: XmlElement): string {
  return element.attributes.get('name')?.trim() ?? ''
}
