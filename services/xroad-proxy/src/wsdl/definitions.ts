/**
 * WSDL 1.1 as data: messages, port types, bindings and ports by name, and the schemas inside. A WSDL that imports another
 * one beside it is read together with that one. What an operation makes of them is operations.ts.
 */
import { namespaces, toQName } from './qname.ts'
import type { QName } from './qname.ts'
import { readSchema } from './schema.ts'
import type { MissingSchema, Resolve, Schema, SchemaRoot } from './schema.ts'
import { WsdlError, childrenOf, readXml } from './xml.ts'
import type { XmlElement } from './xml.ts'

export interface Definitions {
  readonly file: string
  readonly root: XmlElement
  readonly schema: Schema
  readonly messages: ReadonlyMap<QName, XmlElement>
  readonly portTypes: ReadonlyMap<QName, PortType>
  readonly bindings: ReadonlyMap<QName, XmlElement>
  readonly ports: readonly XmlElement[]
  /** WSDL imports that brought nothing. */
  readonly missing: readonly MissingSchema[]
}

/** Operations by name; overloaded ones are several. */
export type PortType = ReadonlyMap<string, readonly XmlElement[]>

const maxImports = 50

export function readDefinitions(bytes: Uint8Array, file: string, resolve: Resolve): Definitions {
  const root = readXml(bytes)
  if (root.local !== 'definitions' || root.namespace !== namespaces.wsdl) {
    if (root.namespace !== namespaces.wsdl2)
      throw new WsdlError(`is no WSDL: its first element is ${root.local} ${inNamespace(root)}`, root.line)
  }
  const missing: MissingSchema[] = []
  const documents = withImports({ file, root }, resolve, missing)
  return {
    file,
    root,
    schema: readSchema(documents.flatMap(schemasOf), resolve),
    messages: named(documents, 'message'),
    portTypes: new Map([...named(documents, 'portType')].map(([name, node]) => [name, toPortType(node)])),
    bindings: named(documents, 'binding'),
    ports: documents
      .flatMap((it) => childrenOf(it.root, namespaces.wsdl, 'service'))
      .flatMap((it) => childrenOf(it, namespaces.wsdl, 'port')),
    missing,
  }
}

function inNamespace({ namespace }: XmlElement): string {
  return namespace === '' ? 'without a namespace' : `in the namespace ${JSON.stringify(namespace)}`
}

interface Document {
  readonly file: string
  readonly root: XmlElement
}

function withImports(main: Document, resolve: Resolve, missing: MissingSchema[]): readonly Document[] {
  const documents = [main]
  for (const { file, root } of documents) {
    for (const node of childrenOf(root, namespaces.wsdl, 'import')) {
      const location = node.attributes.get('location')?.trim() ?? ''
      const miss = (problem: string) => {
        missing.push({ file, line: node.line, location, problem })
      }
      const found = resolve(location, file)
      if (found === undefined) miss('not beside the WSDL')
      else if (documents.length > maxImports) miss(`more than ${maxImports} imports`)
      else if (!documents.some((it) => it.file === found.file)) {
        const imported = openImport(found, miss)
        if (imported !== undefined) documents.push(imported)
      }
    }
  }
  return documents
}

function openImport(
  { file, bytes }: { readonly file: string; readonly bytes: Uint8Array },
  miss: (problem: string) => void,
): Document | undefined {
  try {
    return { file, root: readXml(bytes) }
  } catch (error) {
    if (!(error instanceof WsdlError)) throw error
    miss(`line ${error.line}: ${error.message}`)
    return undefined
  }
}

function schemasOf({ file, root }: Document): readonly SchemaRoot[] {
  return childrenOf(root, namespaces.wsdl, 'types')
    .flatMap((it) => childrenOf(it, namespaces.schema, 'schema'))
    .map((it) => ({ file, root: it }))
}

function toPortType(node: XmlElement): PortType {
  return Map.groupBy(childrenOf(node, namespaces.wsdl, 'operation'), (it) => it.attributes.get('name')?.trim() ?? '')
}

/** The first one of a name counts. */
function named(documents: readonly Document[], local: string): ReadonlyMap<QName, XmlElement> {
  const found = new Map<QName, XmlElement>()
  for (const { root } of documents) {
    const namespace = root.attributes.get('targetNamespace') ?? ''
    for (const node of childrenOf(root, namespaces.wsdl, local)) {
      const name = toQName(namespace, node.attributes.get('name')?.trim() ?? '')
      if (!found.has(name)) found.set(name, node)
    }
  }
  return found
}
