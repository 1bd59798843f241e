/**
 * Paths with parameters, as a tree that is made once: segments lead down, and a leaf says where a path leads to. A text
 * goes before a part of a segment, that before a whole segment, and that before all segments that are left, from left
 * to right; what leads nowhere is tried no further. Each node is visited once at most, however a path is made.
 */
import type { PathTemplate, Segment } from '../../path-template.ts'
import { decodeSegment, encodeValue, leadsElsewhere } from './segment.ts'

export interface Found<Leaf> {
  readonly leaf: Leaf
  /** One for each parameter, in order, as it is to be in the path of a call. */
  readonly values: readonly string[]
}

interface Node<Leaf> {
  readonly texts: Map<string, Node<Leaf>>
  /** The one with the most text first. */
  readonly parts: { readonly segment: Segment; readonly node: Node<Leaf> }[]
  whole: Node<Leaf> | undefined
  rest: Leaf | undefined
  leaf: Leaf | undefined
}

function newNode<Leaf>(): Node<Leaf> {
  return { texts: new Map(), parts: [], whole: undefined, rest: undefined, leaf: undefined }
}

export class PathTree<Leaf> {
  readonly #top: Node<Leaf> = newNode()

  /**
   * What is there already for a path of the same shape, or else what is made now. `before` are segments as they are,
   * decoded.
   */
  add(before: readonly string[], template: PathTemplate, make: () => Leaf): Leaf {
    let node = this.#top
    for (const text of before) node = stepIntoText(node, text)
    for (const segment of template) {
      const [piece] = segment
      if (segment.length === 1 && typeof piece === 'object' && piece.takesRest) return (node.rest ??= make())
      node = stepInto(node, segment)
    }
    return (node.leaf ??= make())
  }

  /** `path` as on the request line, without its query. */
  find(path: string): Found<Leaf> | undefined {
    const values: string[] = []
    const texts = path.split('/').slice(1).map(decodeSegment)
    const leaf = walk(this.#top, texts, 0, values)
    return leaf && { leaf, values }
  }
}

/** Texts of templates are percent-encoded where they need it, like those of URLs, and are compared decoded. */
function stepInto<Leaf>(node: Node<Leaf>, given: Segment): Node<Leaf> {
  const segment = given.map((piece) => (typeof piece === 'string' ? (decodeSegment(piece) ?? piece) : piece))
  const [piece = ''] = segment
  if (segment.length > 1) return stepIntoPart(node, segment)
  return typeof piece === 'string' ? stepIntoText(node, piece) : (node.whole ??= newNode())
}

function stepIntoText<Leaf>({ texts }: Node<Leaf>, text: string): Node<Leaf> {
  let next = texts.get(text)
  if (next === undefined) texts.set(text, (next = newNode()))
  return next
}

function stepIntoPart<Leaf>({ parts }: Node<Leaf>, segment: Segment): Node<Leaf> {
  const shape = shapeOf(segment)
  const known = parts.find((part) => shapeOf(part.segment) === shape)
  if (known !== undefined) return known.node
  const node = newNode<Leaf>()
  parts.push({ segment, node })
  parts.sort(
    (a, b) => textLength(b.segment) - textLength(a.segment) || (shapeOf(a.segment) < shapeOf(b.segment) ? -1 : 1),
  )
  return node
}

function shapeOf(segment: Segment): string {
  return segment.map((piece) => (typeof piece === 'string' ? piece : '{}')).join('')
}

function textLength(segment: Segment): number {
  return segment.reduce((length, piece) => length + (typeof piece === 'string' ? piece.length : 0), 0)
}

/** `values` gets one for each parameter on the way to the leaf. */
function walk<Leaf>(
  node: Node<Leaf>,
  texts: readonly (string | undefined)[],
  at: number,
  values: string[],
): Leaf | undefined {
  if (at === texts.length) return node.leaf
  const text = texts[at]
  if (text === undefined) return undefined
  const before = values.length
  const tryNext = (next: Node<Leaf> | undefined, found: readonly string[]): Leaf | undefined => {
    if (next === undefined) return undefined
    values.push(...found)
    const leaf = walk(next, texts, at + 1, values)
    if (leaf === undefined) values.length = before
    return leaf
  }
  let leaf = tryNext(node.texts.get(text), [])
  for (const { segment, node: next } of node.parts) {
    if (leaf !== undefined) return leaf
    const found = readParts(segment, text)
    if (found !== undefined) leaf = tryNext(next, found)
  }
  if (leaf !== undefined) return leaf
  if (node.whole !== undefined) {
    const value = encodeValue(text)
    if (value !== undefined) leaf = tryNext(node.whole, [value])
  }
  return leaf ?? takeRest(node, texts.slice(at), values)
}

function takeRest<Leaf>(
  { rest }: Node<Leaf>,
  texts: readonly (string | undefined)[],
  values: string[],
): Leaf | undefined {
  if (rest === undefined) return undefined
  const found: string[] = []
  for (const text of texts) {
    const value = text === undefined ? undefined : encodeValue(text)
    if (value === undefined) return undefined
    found.push(value)
  }
  values.push(found.join('/'))
  return rest
}

/**
 * The values of a segment with texts around them. Each text is taken where it is first, so this never goes back.
 */
function readParts(segment: Segment, text: string): readonly string[] | undefined {
  const last = segment.at(-1)
  const end = typeof last === 'string' ? text.length - last.length : text.length
  if (end < 0 || (typeof last === 'string' && !text.endsWith(last)) || leadsElsewhere(text)) return undefined
  const values: string[] = []
  let start = 0
  let isOpen = false
  for (const [at, piece] of segment.entries()) {
    if (typeof piece !== 'string') {
      isOpen = true
      continue
    }
    const isLast = at === segment.length - 1
    // A value has one character at least.
    const found = isLast ? end : text.indexOf(piece, isOpen ? start + 1 : 0)
    if (found < start || found > end || (!isOpen && found !== 0)) return undefined
    if (isOpen) {
      const value = encodeValue(text.slice(start, found))
      if (value === undefined) return undefined
      values.push(value)
      isOpen = false
    }
    start = found + piece.length
  }
  if (!isOpen) return values
  const value = encodeValue(text.slice(start))
  return value === undefined ? undefined : [...values, value]
}
