/**
 * The tree of a request and the parts that travel beside its envelope -> the tree with a place for each. A part of the
 * message is a value of its own. One that the message does not have has the content of the element in the body that has
 * its name and holds bytes, which is then empty in the envelope.
 */
import type { MimeContent } from '../operations/mime-contents.ts'
import { builtinType } from '../schema/simple-type.ts'
import { noDocumentation } from '../xml/documentation.ts'
import { localOf } from '../xml/qname.ts'
import type {
  ChoiceBranch,
  RequestAttachment,
  RequestElement,
  RequestNode,
  RequestPart,
  RequestText,
} from './request.ts'

const byteTypes: ReadonlySet<string> = new Set(['base64Binary', 'hexBinary'])

export function withMimeParts(root: RequestElement, contents: readonly MimeContent[]): RequestElement {
  return contents.reduce((tree, content) => {
    return (content.isInMessage ? undefined : placeIn(tree, content)) ?? beside(tree, content)
  }, root)
}

function beside(root: RequestElement, content: MimeContent): RequestElement {
  const { part } = content
  const value: RequestPart = {
    name: part,
    isRequired: true,
    type: builtinType('base64Binary'),
    fixed: undefined,
    isConstant: false,
    default: undefined,
    attachment: toAttachment(content),
    documentation: noDocumentation,
  }
  return { ...root, parts: [...root.parts, value] }
}

/** Undefined where no element has the name of the part. */
function placeIn(element: RequestElement, content: MimeContent): RequestElement | undefined {
  const { text } = element
  if (text !== undefined && localOf(element.name) === content.part && holdsBytes(text)) {
    return { ...element, text: { ...text, attachment: toAttachment(content) } }
  }
  const children = placeAmong(element.children, content)
  return children && { ...element, children }
}

function placeAmong<Node extends RequestNode | ChoiceBranch>(
  nodes: readonly Node[],
  content: MimeContent,
): readonly Node[] | undefined {
  for (const [index, node] of nodes.entries()) {
    const placed = placeInNode(node, content)
    if (placed !== undefined) return nodes.with(index, placed as Node)
  }
  return undefined
}

function placeInNode(node: RequestNode | ChoiceBranch, content: MimeContent): RequestNode | ChoiceBranch | undefined {
  switch (node.kind) {
    case 'element':
      return placeIn(node, content)
    case 'choice': {
      const branches = placeAmong(node.branches, content)
      return branches && { ...node, branches }
    }
    case 'group':
    case 'branch': {
      const children = placeAmong(node.children, content)
      return children && { ...node, children }
    }
  }
}

function toAttachment({ part, type }: MimeContent): RequestAttachment {
  return { by: 'mime_part', part, type }
}

function holdsBytes({ type, isConstant, attachment }: RequestText): boolean {
  return byteTypes.has(type.builtin) && !type.isList && !isConstant && attachment === undefined
}
