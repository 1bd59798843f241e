/**
 * All schemas that a WSDL draws on, found by namespace and name: those inside it, those that they include or import
 * from files beside it, and the built-in ones. It reads a component on demand, so that a schema of hundreds of types
 * costs only what its messages use. Files come from the caller's `resolve`; nothing is fetched.
 */
import { builtinTypes, frameworkSchemas, isFramework } from './framework.ts'
import { noDocumentation } from '../xml/documentation.ts'
import { type MissingSchema, noLocation, notBeside } from './missing.ts'
import { namespaces, type QName, toQName } from '../xml/qname.ts'
import type { ComponentKind, Components } from './schema-model.ts'
import { pointingTo, redefined } from './redefine.ts'
import { readComponent, resolveIn, type SchemaDocument } from './schema-read.ts'
import { childrenOf, readXml, resolveName, WsdlError, type XmlElement } from '../xml/xml.ts'

/**
 * The file that `location`, written in the file `from`, leads to; undefined when there is none or it may not be read.
 */
export type Resolve = (
  location: string,
  from: string,
) => { readonly file: string; readonly bytes: Uint8Array } | undefined

export interface Schema {
  /** Includes and imports that led nowhere: what is missing later is probably there. */
  readonly missing: readonly MissingSchema[]
  find<K extends ComponentKind>(kind: K, name: QName): Components[K] | undefined
  /** All names of a kind but those of SOAP and X-Road; for messages only, as every component is looked at. */
  names(kind: ComponentKind): readonly QName[]
  /** The first prefix that a schema declares for the namespace, wherever it does; for messages only. */
  prefixOf(namespace: string): string | undefined
  /** Elements that may stand for this one. */
  substitutesOf(name: QName): readonly QName[]
  /** Complex types that name this one as their base. */
  derivedFrom(name: QName): readonly QName[]
}

/** A schema element and the file that it is in. */
export interface SchemaRoot {
  readonly file: string
  readonly root: XmlElement
}

const maxSchemaFiles = 500

export function readSchema(roots: readonly SchemaRoot[], resolve: Resolve): Schema {
  const library = new Library(resolve)
  for (const { file, root } of [...roots, ...frameworkRoots()]) {
    library.add({ file, root, namespace: root.attributes.get('targetNamespace') ?? '', isChameleon: false })
  }
  return library
}

let readFramework: readonly SchemaRoot[] | undefined

/** After the WSDL's own: what that declares itself counts. */
function frameworkRoots(): readonly SchemaRoot[] {
  readFramework ??= frameworkSchemas.map((text) => ({ file: '', root: readXml(new TextEncoder().encode(text)) }))
  return readFramework
}

/** Of a type that is in no schema. */
const nothingSaid = { documentation: noDocumentation, expectedContentTypes: undefined }

const kinds: ReadonlyMap<string, ComponentKind> = new Map([
  ['element', 'element'],
  ['complexType', 'type'],
  ['simpleType', 'type'],
  ['group', 'group'],
  ['attribute', 'attribute'],
  ['attributeGroup', 'attributeGroup'],
])

interface Entry {
  readonly document: SchemaDocument
  readonly node: XmlElement
  component: Components[ComponentKind] | undefined
}

class Library implements Schema {
  readonly missing: MissingSchema[] = []
  readonly #resolve: Resolve
  readonly #entries = new Map<string, Entry>()
  readonly #substitutes = new Map<QName, QName[]>()
  readonly #derived = new Map<QName, QName[]>()
  readonly #files = new Map<string, XmlElement>()
  /** File and namespace of every schema that is in. */
  readonly #added = new Set<string>()

  readonly #roots: XmlElement[] = []
  /** By namespace. */
  #prefixes: Map<string, string> | undefined

  constructor(resolve: Resolve) {
    this.#resolve = resolve
    for (const name of builtinTypes) {
      const component = { kind: 'simple', name, derivation: { by: 'builtin' }, ...nothingSaid } as const
      this.#entries.set(`type ${name}`, { ...nowhere, component })
    }
  }

  find<K extends ComponentKind>(kind: K, name: QName): Components[K] | undefined {
    const entry = this.#entries.get(`${kind} ${name}`)
    if (entry === undefined) return undefined
    entry.component ??= readComponent[kind](entry.document, entry.node)
    return entry.component as Components[K]
  }

  names(kind: ComponentKind): readonly QName[] {
    const start = `${kind} `
    return [...this.#entries]
      .filter(([key, { document, node }]) => key.startsWith(start) && (document.file !== '' || node === emptyElement))
      .filter(([key]) => !key.endsWith(redefined))
      .map(([key]) => key.slice(start.length))
  }

  prefixOf(namespace: string): string | undefined {
    if (this.#prefixes === undefined) {
      this.#prefixes = new Map()
      for (const root of this.#roots) addPrefixes(this.#prefixes, root)
    }
    return this.#prefixes.get(namespace)
  }

  substitutesOf(name: QName): readonly QName[] {
    return this.#substitutes.get(name) ?? []
  }

  derivedFrom(name: QName): readonly QName[] {
    return this.#derived.get(name) ?? []
  }

  add(document: SchemaDocument): void {
    this.#roots.push(document.root)
    for (const node of childrenOf(document.root, namespaces.schema)) {
      const kind = kinds.get(node.local)
      const name = node.attributes.get('name')?.trim()
      if (kind !== undefined && name !== undefined)
        this.#declare(document, kind, toQName(document.namespace, name), node)
      if (node.local === 'include' || node.local === 'redefine') this.#include(document, node)
      if (node.local === 'redefine') this.#redefine(document, node)
      if (node.local === 'import') this.#import(document, node)
    }
  }

  #declare(document: SchemaDocument, kind: ComponentKind, name: QName, node: XmlElement): void {
    const key = `${kind} ${name}`
    if (!this.#entries.has(key)) this.#entries.set(key, { document, node, component: undefined })
    const head = node.attributes.get('substitutionGroup')
    const headName = head === undefined || kind !== 'element' ? undefined : resolveName(head, node)
    if (headName !== undefined) append(this.#substitutes, headName, name)
    const base = kind === 'type' ? baseOf(document, node) : undefined
    if (base !== undefined) append(this.#derived, base, name)
  }

  #include(document: SchemaDocument, node: XmlElement): void {
    const found = this.#open(document, node)
    if (found === undefined) return
    const own = found.root.attributes.get('targetNamespace') ?? ''
    const isChameleon = own === '' && document.namespace !== ''
    this.#addOnce({ ...found, namespace: isChameleon ? document.namespace : own, isChameleon })
  }

  /** What it redefines is there by now. The original goes on under a name that only its redefinition uses. */
  #redefine(document: SchemaDocument, redefine: XmlElement): void {
    for (const node of childrenOf(redefine, namespaces.schema)) {
      const kind = kinds.get(node.local)
      const name = toQName(document.namespace, node.attributes.get('name')?.trim() ?? '')
      const original = kind === undefined ? undefined : this.#entries.get(`${kind} ${name}`)
      if (kind === undefined || original === undefined) continue
      let mark = redefined
      while (this.#entries.has(`${kind} ${name}${mark}`)) mark += redefined
      this.#entries.set(`${kind} ${name}${mark}`, original)
      this.#entries.delete(`${kind} ${name}`)
      const isOriginal = (value: string, at: XmlElement) => resolveIn(document, value, at) === name
      this.#declare(
        document,
        kind,
        name,
        pointingTo(node, kind, (value, at) => (isOriginal(value, at) ? mark : '')),
      )
    }
  }

  /**
   * Without a location the namespace has to be elsewhere in the same WSDL; whether it is shows when it is used.
   */
  #import(document: SchemaDocument, node: XmlElement): void {
    if (isFramework(node.attributes.get('namespace') ?? '') || !node.attributes.has('schemaLocation')) return
    const found = this.#open(document, node)
    if (found === undefined) return
    this.#addOnce({ ...found, namespace: found.root.attributes.get('targetNamespace') ?? '', isChameleon: false })
  }

  #addOnce(document: SchemaDocument): void {
    const key = `${document.namespace} ${document.file}`
    if (this.#added.has(key)) return
    this.#added.add(key)
    this.add(document)
  }

  #open(document: SchemaDocument, node: XmlElement): { file: string; root: XmlElement } | undefined {
    const location = node.attributes.get('schemaLocation')?.trim() ?? ''
    const miss = (problem: string) => {
      const namespace = node.local === 'import' ? (node.attributes.get('namespace') ?? '') : document.namespace
      this.missing.push({
        file: document.file,
        line: node.line,
        location,
        problem,
        by: verbs[node.local] ?? 'imports',
        namespace,
      })
      return undefined
    }
    if (location === '') return miss(noLocation)
    const found = this.#resolve(location, document.file)
    if (found === undefined) return miss(notBeside)
    const { file } = found
    const known = this.#files.get(file)
    if (known !== undefined) return { file, root: known }
    if (this.#files.size >= maxSchemaFiles) return miss(`more than ${maxSchemaFiles} files`)
    try {
      const root = readXml(found.bytes)
      if (root.namespace !== namespaces.schema || root.local !== 'schema') return miss('not a schema')
      this.#files.set(file, root)
      return { file, root }
    } catch (error) {
      if (error instanceof WsdlError) return miss(`line ${error.line}: ${error.message}`)
      throw error
    }
  }
}

function addPrefixes(prefixes: Map<string, string>, { bindings, children }: XmlElement): void {
  for (const [prefix, namespace] of bindings.declared) {
    if (prefix !== '' && !prefixes.has(namespace)) prefixes.set(namespace, prefix)
  }
  for (const child of children) addPrefixes(prefixes, child)
}

const verbs: Readonly<Record<string, MissingSchema['by']>> = {
  include: 'includes',
  import: 'imports',
  redefine: 'redefines',
}

/** The base that a complex type names, if it does. */
function baseOf(document: SchemaDocument, node: XmlElement): QName | undefined {
  const content = node.children.find(({ local }) => local === 'complexContent' || local === 'simpleContent')
  const derivation = content?.children.find(({ local }) => local === 'extension' || local === 'restriction')
  const base = derivation?.attributes.get('base')
  return derivation === undefined || base === undefined ? undefined : resolveIn(document, base, derivation)
}

function append(lists: Map<QName, QName[]>, key: QName, name: QName): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [name])
  else list.push(name)
}

const emptyElement: XmlElement = {
  namespace: '',
  local: '',
  attributes: new Map(),
  children: [],
  text: '',
  bindings: { declared: new Map(), outer: undefined },
  line: 0,
}
const nowhere = {
  document: { file: '', namespace: '', root: emptyElement, isChameleon: false },
  node: emptyElement,
}
