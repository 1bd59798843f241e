/**
 * WSDL 1.1 as data: messages, port types, bindings and ports by name, and the schemas inside. A WSDL that imports
 * another one beside it is read together with that one. What an operation makes of them is operations.ts.
 */
import { type MissingSchema, noLocation, notBeside } from '../schema/missing.ts'
import { namespaces, type QName, toQName } from '../xml/qname.ts'
import { readSchema, type Resolve, type Schema, type SchemaRoot } from '../schema/schema.ts'
import { childrenOf, readXml, WsdlError, type XmlElement } from '../xml/xml.ts'

export interface Definitions {
  readonly file: string
  readonly root: XmlElement
  readonly schema: Schema
  readonly messages: ReadonlyMap<QName, XmlElement>
  readonly portTypes: ReadonlyMap<QName, PortType>
  readonly bindings: ReadonlyMap<QName, Binding>
  readonly ports: readonly XmlElement[]
  /** WSDL imports that brought nothing. */
  readonly missing: readonly MissingSchema[]
  /** Files that it imports, where it holds nothing but imports. */
  readonly onlyImports: readonly string[]
}

/** Where a port type or a binding is: in the WSDL itself, or in one that it imports. */
interface Located {
  readonly file: string
  /** The line of the WSDL's own import that leads there; undefined for what is in the WSDL itself. */
  readonly importLine: number | undefined
}

export interface Binding extends Located {
  readonly node: XmlElement
  /** Of the WSDL that it is in. */
  readonly namespace: string
}

export interface PortType extends Located {
  /** By name; overloaded ones are several. */
  readonly operations: ReadonlyMap<string, readonly XmlElement[]>
}

const maxImports = 50

export function readDefinitions(bytes: Uint8Array, file: string, resolve: Resolve): Definitions {
  const root = readXml(bytes)
  if (!isWsdl(root) && root.namespace !== namespaces.wsdl2) throw new WsdlError(noWsdl(root), root.line)
  const missing: MissingSchema[] = []
  const documents = withImports({ file, root, by: '', importLine: undefined }, resolve, missing)
  return {
    file,
    root,
    schema: readSchema(documents.flatMap(schemasOf), resolve),
    messages: named(documents, 'message', (node) => node),
    portTypes: named(documents, 'portType', (node, located) => ({ ...located, operations: operationsOf(node) })),
    bindings: named(documents, 'binding', (node, located, namespace) => ({ ...located, node, namespace })),
    ports: documents
      .flatMap((document) => childrenOf(document.root, namespaces.wsdl, 'service'))
      .flatMap((service) => childrenOf(service, namespaces.wsdl, 'port')),
    missing,
    onlyImports: holdsOnlyImports(root)
      ? documents.filter((document) => document.by === file).map((document) => document.file)
      : [],
  }
}

function isWsdl({ local, namespace }: XmlElement): boolean {
  return local === 'definitions' && namespace === namespaces.wsdl
}

function isSchema({ local, namespace }: XmlElement): boolean {
  return local === 'schema' && namespace === namespaces.schema
}

function noWsdl(root: XmlElement): string {
  return `is not a WSDL: its first element is ${root.local} ${inNamespace(root)}`
}

function holdsOnlyImports({ children }: XmlElement): boolean {
  return children.every(
    (child) => child.namespace === namespaces.wsdl && ['import', 'documentation'].includes(child.local),
  )
}

function inNamespace({ namespace }: XmlElement): string {
  return namespace === '' ? 'without a namespace' : `in the namespace ${JSON.stringify(namespace)}`
}

interface Document extends Located {
  readonly root: XmlElement
  /** The file that imports it, the first of several. */
  readonly by: string
}

function withImports(main: Document, resolve: Resolve, missing: MissingSchema[]): readonly Document[] {
  const documents = [main]
  for (const { file, root, importLine } of documents) {
    for (const node of childrenOf(root, namespaces.wsdl, 'import')) {
      const location = node.attributes.get('location')?.trim() ?? ''
      const miss = (problem: string) => {
        const namespace = node.attributes.get('namespace') ?? ''
        missing.push({ file, line: node.line, location, problem, by: 'imports', namespace })
      }
      const found = location === '' ? undefined : resolve(location, file)
      if (found === undefined) miss(location === '' ? noLocation : notBeside)
      else if (documents.length > maxImports) miss(`more than ${maxImports} imports`)
      else if (!documents.some((document) => document.file === found.file)) {
        const imported = openImport(found, miss)
        if (imported !== undefined)
          documents.push({ file: found.file, root: imported, by: file, importLine: importLine ?? node.line })
      }
    }
  }
  return documents
}

function openImport(
  { bytes }: { readonly bytes: Uint8Array },
  miss: (problem: string) => void,
): XmlElement | undefined {
  try {
    const root = readXml(bytes)
    // WSDL 1.1 lets an import bring a schema as well.
    if (isWsdl(root) || isSchema(root)) return root
    miss(noWsdl(root))
    return undefined
  } catch (error) {
    if (!(error instanceof WsdlError)) throw error
    miss(`line ${error.line}: ${error.message}`)
    return undefined
  }
}

function schemasOf({ file, root }: Document): readonly SchemaRoot[] {
  if (isSchema(root)) return [{ file, root }]
  return childrenOf(root, namespaces.wsdl, 'types')
    .flatMap((child) => childrenOf(child, namespaces.schema, 'schema'))
    .map((schema) => ({ file, root: schema }))
}

function operationsOf(node: XmlElement): PortType['operations'] {
  return Map.groupBy(
    childrenOf(node, namespaces.wsdl, 'operation'),
    (child) => child.attributes.get('name')?.trim() ?? '',
  )
}

/** The first one of a name counts. */
function named<Component>(
  documents: readonly Document[],
  local: string,
  make: (node: XmlElement, located: Located, namespace: string) => Component,
): ReadonlyMap<QName, Component> {
  const found = new Map<QName, Component>()
  for (const { file, root, importLine } of documents) {
    const namespace = root.attributes.get('targetNamespace') ?? ''
    for (const node of childrenOf(root, namespaces.wsdl, local)) {
      const name = toQName(namespace, node.attributes.get('name')?.trim() ?? '')
      if (!found.has(name)) found.set(name, make(node, { file, importLine }, namespace))
    }
  }
  return found
}
