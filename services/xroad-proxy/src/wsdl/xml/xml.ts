/**
 * Bytes of a WSDL or schema file -> tree of elements with resolved names, the prefixes in scope (types are named by
 * prefix in attribute values) and line numbers. Strict: what is not well-formed, a DOCTYPE, an entity of one's own and
 * a document beyond the limits are a `WsdlError`. What the elements mean is decided elsewhere.
 */
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { findStrayAmpersand, lineEnds, strayAmpersand } from '../../soap/json/xml-error.ts'
import { decodeXml } from '../../soap/message/charset.ts'
import { type Bindings, namespaceOfPrefix, readTag } from './prefixes.ts'
import { type QName, toQName } from './qname.ts'

export interface XmlElement {
  readonly namespace: string
  readonly local: string
  readonly attributes: ReadonlyMap<QName, string>
  readonly children: readonly XmlElement[]
  /** Character data directly inside, comments left out. */
  readonly text: string
  readonly bindings: Bindings
  readonly line: number
}

/** Why a file as a whole cannot be read. */
export class WsdlError extends Error {
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.name = 'WsdlError'
    this.line = line
  }
}

export const xmlLimits = { bytes: 16 * 1024 * 1024, depth: 200, elements: 500_000 }

interface OpenElement extends XmlElement {
  readonly children: XmlElement[]
  text: string
}

export function readXml(bytes: Uint8Array): XmlElement {
  if (bytes.length > xmlLimits.bytes) throw new WsdlError(`larger than ${xmlLimits.bytes} bytes`, 1)
  const text = decode(bytes)
  if (/^\uFEFF?\s*[^<\s\uFEFF]/u.test(text)) throw new WsdlError('is not XML, which begins with <', 1)
  if (/^\uFEFF?\s*(?:<\?xml[^>]*>\s*)?<!doctype\s+html\b/iu.test(text)) throw new WsdlError(webPage, 1)
  const tree = new Tree()
  tree.parse(text)
  if (tree.root === undefined) throw new WsdlError('holds no XML element', 1)
  return tree.root
}

/** Charsets of one byte that a file may declare, more of them than answers come in. */
const declaredCharset = /^<\?xml\s[^>]*?encoding\s*=\s*["']((?:iso-8859-|windows-125)\d{1,2})["']/iu
const declarationBytes = 200

const json =
  'is JSON and no WSDL; the description of a REST service belongs below dsl_path, beside a file of kind rest that names it in openapi'
const webPage =
  'is a web page and no WSDL; perhaps a page to log in or of an error was saved in its place; get the WSDL itself, whose address often ends in ?wsdl'

function decode(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new WsdlError('is empty', 1)
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, declarationBytes))
  const charset = declaredCharset.exec(start)?.[1]
  if (/^(?:\u00ef\u00bb\u00bf)?\s*[{[]/u.test(start)) throw new WsdlError(json, 1)
  try {
    return charset === undefined ? decodeXml(bytes, undefined) : new TextDecoder(charset, { fatal: true }).decode(bytes)
  } catch (error) {
    throw new WsdlError(inWords(error as Error), 1)
  }
}

/** In the words of an answer, where it is about one. */
function inWords({ message }: Error): string {
  const [, compressed] = /^the answer is (compressed .*)/u.exec(message) ?? []
  if (compressed !== undefined) return `is ${compressed}; unpack it`
  if (message.startsWith('the charset ')) return `${message}; save the file as UTF-8, and say so in its first line`
  const [, charset = ''] = /^the answer is not valid (.*)/u.exec(message) ?? []
  return charset === ''
    ? message
    : `holds bytes that are not ${charset}; save it so, or name its charset in the first line`
}

/** As soap/json/parser.ts has one, for the same reasons. */
class PlainParser extends SaxesParser<{ xmlns: false; position: true }> {}

/** The tree as it grows: `open` is the path from the root to the element that is being read. */
class Tree {
  root: XmlElement | undefined
  readonly #parser = new PlainParser({ xmlns: false, position: true })
  readonly #open: OpenElement[] = []
  #elements = 0
  #line = 1

  parse(text: string): void {
    const parser = this.#parser
    const fail = (message: string, line = parser.line): never => {
      throw new WsdlError(message, line)
    }
    const refuse = (reason: string): never => fail(`not well-formed: ${reason}`)
    parser.on('error', (error) => {
      const at = findStrayAmpersand(text.slice(0, parser.position))
      if (at !== undefined) fail(`not well-formed: ${strayAmpersand}`, lineEnds(text.slice(0, at)) + 1)
      refuse(error.message.replaceAll(/^\d+:\d+: |\.$/gu, ''))
    })
    parser.on('doctype', () => fail('has a DOCTYPE, which is refused'))
    parser.on('processinginstruction', ({ target }) => {
      if (target.includes(':')) refuse('disallowed character in processing instruction name')
    })
    parser.on('opentagstart', () => {
      this.#line = parser.line
      this.#elements++
      if (this.#elements > xmlLimits.elements) fail(`more than ${xmlLimits.elements} elements`)
      if (this.#open.length >= xmlLimits.depth) fail(`nested deeper than ${xmlLimits.depth} levels`)
    })
    parser.on('opentag', (tag) => this.#enter(tag, refuse))
    parser.on('closetag', () => {
      this.#open.pop()
    })
    parser.on('text', (piece) => this.#append(piece))
    parser.on('cdata', (piece) => this.#append(piece))
    parser.write(text).close()
  }

  #enter(tag: SaxesTagPlain, fail: (message: string) => never): void {
    const parent = this.#open.at(-1)
    const { namespace, local, attributes, bindings } = readTag(tag, parent?.bindings, fail)
    const element: OpenElement = { namespace, local, attributes, children: [], text: '', bindings, line: this.#line }
    if (parent === undefined) this.root = element
    else parent.children.push(element)
    this.#open.push(element)
  }

  #append(piece: string): void {
    const element = this.#open.at(-1)
    if (element !== undefined) element.text += piece
  }
}

/** The name that an attribute value like `tns:person` means where it is; undefined for an unknown prefix. */
export function resolveName(text: string, { bindings }: XmlElement): QName | undefined {
  const value = text.trim()
  const colon = value.indexOf(':')
  const prefix = colon < 0 ? '' : value.slice(0, colon)
  const namespace = namespaceOfPrefix(prefix, bindings)
  return namespace === undefined ? undefined : toQName(namespace, value.slice(colon + 1))
}

/** A prefix that stands for the namespace at this place, empty for the default one; undefined when there is none. */
export function prefixFor(namespace: string, { bindings }: XmlElement): string | undefined {
  if (namespaceOfPrefix('', bindings) === namespace) return ''
  for (let scope: Bindings | undefined = bindings; scope !== undefined; scope = scope.outer) {
    for (const prefix of scope.declared.keys()) if (namespaceOfPrefix(prefix, bindings) === namespace) return prefix
  }
  return undefined
}

export function childrenOf(element: XmlElement, namespace: string, local?: string): readonly XmlElement[] {
  return element.children.filter(
    (child) => child.namespace === namespace && (local === undefined || child.local === local),
  )
}
