/**
 * The side of a binding that a caller sends -> the parts of its multipart message beside the envelope: what
 * `mime:content` names. Where in the request their content is to be found is mime-parts.ts.
 */
import { namespaces } from '../xml/qname.ts'
import { childrenOf, type XmlElement } from '../xml/xml.ts'
import { mimeParts } from './body.ts'
import { Skip } from './reasons.ts'

/** A part that travels beside the envelope. */
export interface MimeContent {
  /** Its name in the WSDL, which receivers find it by. */
  readonly part: string
  /** Media type, where the binding names exactly one. */
  readonly type: string | undefined
  /** Whether the message has such a part. Some bindings name an element of the body instead. */
  readonly isInMessage: boolean
}

/** `parts` are the names of those that the message has. Throws `Skip` for one without a name. */
export function mimeContents(bound: XmlElement, parts: readonly string[]): readonly MimeContent[] {
  return mimeParts(bound).flatMap((part) => {
    const contents = childrenOf(part, namespaces.mime, 'content')
    const [first, ...others] = contents
    if (first === undefined) return []
    const name = first.attributes.get('part')?.trim() ?? ''
    if (name === '') throw new Skip('attachment', 'its mime:content names no part')
    // Several contents of one part are types to choose from.
    const type = others.length > 0 ? undefined : oneMediaType(first.attributes.get('type'))
    return [{ part: name, type, isInMessage: parts.includes(name) }]
  })
}

/** The media type of a list that has one, without a wildcard. */
export function oneMediaType(list: string = ''): string | undefined {
  const type = list.trim()
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : undefined
}
