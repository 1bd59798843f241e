/**
 * A small XML reader for requests: text -> elements with their offsets in the text, so that an answer can repeat them
 * verbatim. Resolves namespaces and refuses what is not well-formed at all levels, but makes elements of the first ones
 * only. It is separate on purpose: a mock that shared the reader of the proxy would share its mistakes. No DOCTYPE, no
 * entities of its own.
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

/** Blanks are those of XML: a regular expression's own also match U+00A0 and others, which XML forbids in tags. */
const token =
  /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<\/([^ \t\r\n<>/"'=]+)[ \t\r\n]*>|<([^ \t\r\n<>/"'=!?]+)((?:[ \t\r\n]+[^ \t\r\n=<>"'/]+[ \t\r\n]*=[ \t\r\n]*(?:"[^"<]*"|'[^'<]*'))*)[ \t\r\n]*(\/?)>|[^<]+/y
const attribute = /([^ \t\r\n=]+)[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')/g
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'
const xmlnsNamespace = 'http://www.w3.org/2000/xmlns/'
const noScope: Scope = new Map([['xml', xmlNamespace]])

/** The root element. Children are listed down to `depth` levels, the root being the first. */
export function readXml(text: string, depth: number): XmlElement {
  const forbidden = forbiddenCharacter.exec(text)
  if (forbidden !== null) throw new XmlProblem(`A character is not allowed (place ${forbidden.index})`)
  const open: string[] = []
  const scopes: Scope[] = [noScope]
  const path: XmlElement[] = []
  let root: XmlElement | undefined
  const matcher = new RegExp(token)
  const first = text.startsWith('\uFEFF') ? 1 : 0
  matcher.lastIndex = first
  while (matcher.lastIndex < text.length) {
    const start = matcher.lastIndex
    const match = matcher.exec(text)
    if (match === null) throw new XmlProblem('The markup is not well-formed')
    const [whole, closing, name, attributes = '', slash] = match
    if (closing !== undefined) {
      if (open.pop() !== closing) throw new XmlProblem(`The end tag of ${closing} does not match`)
      scopes.pop()
      if (open.length < path.length) finish(path.pop() as XmlElement, start, matcher.lastIndex)
    } else if (name === undefined) {
      if (open.length === 0 && isContent(whole))
        throw new XmlProblem('Content is not allowed outside of the root element')
      checkContent(whole, start === first)
    } else {
      if (open.length === 0 && root !== undefined) throw new XmlProblem('There is more than one root element')
      const scope = checkTag(name, attributes, scopes.at(-1) as Scope)
      if (open.length < depth) {
        const place = { start, contentStart: matcher.lastIndex }
        const element = createElement(name, attributes, place, scope)
        path.at(-1)?.children.push(element)
        root ??= element
        if (slash === '') path.push(element)
        else finish(element, matcher.lastIndex, matcher.lastIndex)
      }
      if (slash !== '') continue
      open.push(name)
      scopes.push(scope)
    }
  }
  if (root === undefined || open.length > 0) throw new XmlProblem('The document ends before its root element does')
  return root
}

/** Comments and processing instructions may be anywhere. */
function isContent(whole: string): boolean {
  return !whole.startsWith('<?') && !whole.startsWith('<!--') && /[^ \t\r\n]/.test(whole)
}

function finish(element: XmlElement, contentEnd: number, end: number): void {
  element.contentEnd = contentEnd
  element.end = end
}

function createElement(
  name: string,
  attributes: string,
  place: { readonly start: number; readonly contentStart: number },
  scope: Scope,
): XmlElement {
  const [prefix, localName] = toParts(name)
  const namespace = scope.get(prefix)
  return { name, localName, namespace, attributes, ...place, contentEnd: 0, end: 0, children: [], scope }
}

function toParts(name: string): readonly [prefix: string, localName: string] {
  const colon = name.indexOf(':')
  return [colon < 0 ? '' : name.slice(0, colon), name.slice(colon + 1)]
}

/** Half a surrogate pair is none either. */
const forbiddenCharacter =
  // oxlint-disable-next-line no-control-regex -- these are the characters that XML forbids
  /[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/
const start =
  'A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}'
const noColonName = `[${start}][${start}\\-.0-9\\u00B7\\u0300-\\u036F\\u203F-\\u2040]*`
const qualifiedName = new RegExp(`^${noColonName}(?::${noColonName})?$`, 'u')
const plainName = new RegExp(`^${noColonName}$`, 'u')

/** Gives the namespaces that are in force inside the tag. */
function checkTag(name: string, attributes: string, outer: Scope): Scope {
  const scope = attributes.includes('xmlns') ? declare(attributes, outer) : outer
  resolve(name, scope)
  if (attributes === '') return scope
  const seen = new Set<string>()
  for (const [, attributeName = '', quoted, apostrophed] of attributes.matchAll(attribute)) {
    const isDeclaration = attributeName === 'xmlns' || attributeName.startsWith('xmlns:')
    const namespace = isDeclaration ? 'xmlns' : resolve(attributeName, scope)
    const [prefix, localName] = toParts(attributeName)
    const key = prefix === '' ? attributeName : `{${namespace}}${localName}`
    if (seen.has(key)) throw new XmlProblem(`The attribute ${attributeName} is there twice`)
    seen.add(key)
    checkReferences(quoted ?? apostrophed ?? '')
  }
  return scope
}

function resolve(name: string, scope: Scope): string | undefined {
  if (!qualifiedName.test(name)) throw new XmlProblem(`${name} is not a name`)
  const [prefix] = toParts(name)
  const namespace = scope.get(prefix)
  if (prefix !== '' && namespace === undefined) throw new XmlProblem(`The prefix ${prefix} is not bound`)
  return namespace
}

const declaration =
  /^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(["'])1\.\d\1(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(["'])[A-Za-z][\w.-]*\2)?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(["'])(?:yes|no)\3)?[ \t\r\n]*\?>$/

/** A comment, a processing instruction, CDATA or text. */
function checkContent(whole: string, isFirst: boolean): void {
  if (whole.startsWith('<!--')) {
    if (whole.slice(4, -2).includes('--')) throw new XmlProblem('A comment contains --')
  } else if (whole.startsWith('<?')) {
    const [, target = ''] = /^<\?([^ \t\r\n?]*)(?:[ \t\r\n][^]*)?\?>$/.exec(whole) ?? []
    if (isFirst && target === 'xml' && declaration.test(whole)) return
    if (!plainName.test(target) || target.toLowerCase() === 'xml')
      throw new XmlProblem('A processing instruction or the XML declaration is not valid')
  } else if (!whole.startsWith('<![CDATA[')) {
    if (whole.includes(']]>')) throw new XmlProblem('The text contains ]]>')
    checkReferences(whole)
  }
}

function checkReferences(text: string): void {
  for (const [reference] of text.matchAll(/&[^;&]{0,32};?/g)) {
    const isKnown = /^&(?:lt|gt|amp|quot|apos|#\d+|#x[\da-fA-F]+);$/.test(reference)
    const decoded = isKnown ? decode(reference) : '\0'
    if (decoded === reference || forbiddenCharacter.test(decoded))
      throw new XmlProblem('An & does not begin a reference that XML knows')
  }
}

function declare(attributes: string, outer: Scope): Scope {
  const scope = new Map(outer)
  for (const [, name = '', quoted, apostrophed] of attributes.matchAll(attribute)) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue
    const prefix = name.slice('xmlns:'.length)
    const uri = decode(quoted ?? apostrophed ?? '')
    const isReserved = prefix === 'xmlns' || uri === xmlnsNamespace || (prefix === 'xml') !== (uri === xmlNamespace)
    if (isReserved || (uri === '' && prefix !== '') || (name.includes(':') && !plainName.test(prefix)))
      throw new XmlProblem(`The declaration ${name} is not valid`)
    if (uri === '') scope.delete('')
    else scope.set(prefix, uri)
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
    /&(?:#x0*([0-9a-fA-F]{1,6})|#0*([0-9]{1,7})|(\w+));/g,
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
