/**
 * A small XML reader for requests: text -> elements with their offsets in the text, so that an answer can repeat them
 * verbatim. Resolves namespaces; below the levels that the caller asks for it only checks that tags match. It is
 * separate on purpose: a mock that shared the reader of the proxy would share its mistakes. No DOCTYPE, no entities of
 * its own.
 */
export interface XmlElement {
  /** As written, with its prefix. */
  readonly name: string
  readonly localName: string
  readonly namespace: string | undefined
  /** The attributes as written, white space in front included. */
  readonly attributes: string
  readonly start: number
  readonly contentStart: number
  contentEnd: number
  end: number
  readonly children: XmlElement[]
  /** Namespaces by prefix, those of the ancestors included. */
  readonly scope: Scope
}

export type Scope = ReadonlyMap<string, string>

/** Not well-formed, or of a kind that X-Road does not take. */
export class XmlProblem extends Error {}

const token =
  /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<\/([^\s<>/"'=]+)\s*>|<([^\s<>/"'=!?]+)((?:\s+[^\s=<>"'/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/y
const attribute = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g
const noScope: Scope = new Map([['xml', 'http://www.w3.org/XML/1998/namespace']])

/** The root element. Children are listed down to `depth` levels, the root being the first. */
export function readXml(text: string, depth: number): XmlElement {
  const open: string[] = []
  const path: XmlElement[] = []
  let root: XmlElement | undefined
  const matcher = new RegExp(token)
  matcher.lastIndex = text.startsWith('\uFEFF') ? 1 : 0
  while (matcher.lastIndex < text.length) {
    const start = matcher.lastIndex
    const match = matcher.exec(text)
    if (match === null) throw new XmlProblem('The markup is not well-formed')
    const [whole, closing, name, attributes = '', slash] = match
    if (closing !== undefined) {
      if (open.pop() !== closing) throw new XmlProblem(`The end tag of ${closing} does not match`)
      if (open.length < path.length) finish(path.pop() as XmlElement, start, matcher.lastIndex)
    } else if (name === undefined) {
      if (open.length === 0 && isContent(whole))
        throw new XmlProblem('Content is not allowed outside of the root element')
    } else {
      if (open.length === 0 && root !== undefined) throw new XmlProblem('There is more than one root element')
      if (open.length < depth) {
        const parent = path.at(-1)
        const place = { start, contentStart: matcher.lastIndex }
        const element = createElement(name, attributes, place, parent?.scope ?? noScope)
        parent?.children.push(element)
        root ??= element
        if (slash === '') path.push(element)
        else finish(element, matcher.lastIndex, matcher.lastIndex)
      }
      if (slash === '') open.push(name)
    }
  }
  if (root === undefined || open.length > 0) throw new XmlProblem('The document ends before its root element does')
  return root
}

/** Comments and processing instructions may be anywhere. */
function isContent(whole: string): boolean {
  return !whole.startsWith('<?') && !whole.startsWith('<!--') && whole.trim() !== ''
}

function finish(element: XmlElement, contentEnd: number, end: number): void {
  element.contentEnd = contentEnd
  element.end = end
}

function createElement(
  name: string,
  attributes: string,
  place: { readonly start: number; readonly contentStart: number },
  outer: Scope,
): XmlElement {
  const scope = attributes.includes('xmlns') ? declare(attributes, outer) : outer
  const colon = name.indexOf(':')
  const prefix = colon < 0 ? '' : name.slice(0, colon)
  const namespace = scope.get(prefix)
  if (prefix !== '' && namespace === undefined) throw new XmlProblem(`The prefix ${prefix} is not bound`)
  const localName = name.slice(colon + 1)
  return { name, localName, namespace, attributes, ...place, contentEnd: 0, end: 0, children: [], scope }
}

function declare(attributes: string, outer: Scope): Scope {
  const scope = new Map(outer)
  for (const [, name = '', quoted, apostrophed] of attributes.matchAll(attribute)) {
    if (name === 'xmlns') scope.set('', decode(quoted ?? apostrophed ?? ''))
    else if (name.startsWith('xmlns:')) scope.set(name.slice('xmlns:'.length), decode(quoted ?? apostrophed ?? ''))
  }
  return scope
}

/** Value of an attribute by namespace and local name. */
export function attributeOf(element: XmlElement, namespace: string, localName: string): string | undefined {
  for (const [, name = '', quoted, apostrophed] of element.attributes.matchAll(attribute)) {
    const [prefix, local] = name.includes(':') ? name.split(':') : ['', name]
    if (local === localName && prefix !== '' && element.scope.get(prefix as string) === namespace) {
      return decode(quoted ?? apostrophed ?? '')
    }
  }
  return undefined
}

/** The text of an element without its tags. */
export function textOf(element: XmlElement, text: string): string {
  const content = text.slice(element.contentStart, element.contentEnd)
  if (!content.includes('<')) return decode(content)
  return content
    .split(/<!\[CDATA\[([^]*?)\]\]>/)
    .map((piece, index) => (index % 2 === 1 ? piece : decode(piece.replaceAll(/<!--[^]*?-->|<[^>]*>/g, ''))))
    .join('')
}

const predefined: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|(\w+));/g,
    (whole, hex?: string, digits?: string, name?: string) => {
      if (name !== undefined) return predefined[name] ?? whole
      const point = hex === undefined ? Number(digits) : Number.parseInt(hex, 16)
      return point > 0x10_ff_ff ? whole : String.fromCodePoint(point)
    },
  )
}

const escapes: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Text or attribute value -> XML. What XML cannot hold at all becomes U+FFFD. */
export function escapeXml(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are the characters that XML forbids
  const allowed = text.toWellFormed().replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD')
  return allowed.replaceAll(/[<>&"']/g, (character) => escapes[character] as string)
}
