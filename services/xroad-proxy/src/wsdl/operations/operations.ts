/**
 * Bytes of a WSDL -> its operations in the order of their bindings, each either described or skipped with a reason, so that
 * one odd operation does not hide the others. Reads only the SOAP 1.1 document/literal side of a binding; request.ts judges what
 * the request element holds.
 */
import { bodyElement, soapParts } from './body.ts'
import { readDefinitions } from './definitions.ts'
import type { Binding, Definitions, PortType } from './definitions.ts'
import { readDocumentation } from '../xml/documentation.ts'
import type { Documentation } from '../xml/documentation.ts'
import { mimeContents } from './mime-contents.ts'
import type { MimeContent } from './mime-contents.ts'
import { describeMisnamed } from './misnamed.ts'
import type { Outline } from '../outline/outline.ts'
import { outlineOf } from '../outline/schema-outline.ts'
import { whereElse } from '../schema/missing.ts'
import type { MissingSchema } from '../schema/missing.ts'
import { localOf, namespaceOf, namespaces } from '../xml/qname.ts'
import type { QName } from '../xml/qname.ts'
import { Skip } from './reasons.ts'
import type { SkippedOperation } from './reasons.ts'
import type { Resolve, Schema } from '../schema/schema.ts'
import { childrenOf, resolveName } from '../xml/xml.ts'
import type { XmlElement } from '../xml/xml.ts'

export interface Wsdl {
  readonly file: string
  readonly operations: readonly (Operation | SkippedOperation)[]
  readonly schema: Schema
  /** What the messages may hold. */
  readonly outline: Outline
  /** Namespace -> prefix as the first element of the WSDL declares them. */
  readonly prefixes: ReadonlyMap<string, string>
  /** Includes and imports that brought nothing. */
  readonly missing: readonly MissingSchema[]
  /** Those of them that should have brought another WSDL. */
  readonly missingWsdls: readonly MissingSchema[]
  /** Files that it imports, where it holds nothing but imports. */
  readonly onlyImports: readonly string[]
}

export interface Operation {
  readonly kind: 'operation'
  readonly name: string
  /** The WSDL that the operation's binding stands in: this one, or one that it imports. */
  readonly file: string
  /** Line of the operation in the binding. */
  readonly line: number
  /** The line of this WSDL's own import, where the binding stands in another one. */
  readonly importLine: number | undefined
  /** `xrd:version` of the binding's operation. */
  readonly version: string | undefined
  /** Undefined when the binding does not say. */
  readonly soapAction: string | undefined
  /** Where the port of the binding is, as written. */
  readonly address: string | undefined
  readonly input: QName
  /** What a request has beside its envelope, by its binding. */
  readonly mimeContents: readonly MimeContent[]
  /** Undefined for a one-way operation, and when the output names no element. */
  readonly output: QName | undefined
  readonly documentation: Documentation
}

/** Throws `WsdlError` when the file as a whole cannot be read. */
export function readWsdl(bytes: Uint8Array, file: string, resolve: Resolve): Wsdl {
  const definitions = readDefinitions(bytes, file, resolve)
  const { root, schema } = definitions
  const declared = [...root.bindings.declared].filter(([prefix]) => prefix !== '')
  const prefixes = new Map(declared.map(([prefix, namespace]) => [namespace, prefix]))
  const operations = root.namespace === namespaces.wsdl2 ? listWsdl2(definitions) : listOperations(definitions)
  const { missing: missingWsdls, onlyImports } = definitions
  const missing = [...missingWsdls, ...schema.missing]
  return { file, operations, schema, outline: outlineOf(schema), prefixes, missing, missingWsdls, onlyImports }
}

function listWsdl2({ file, root }: Definitions): SkippedOperation[] {
  return childrenOf(root, namespaces.wsdl2, 'interface')
    .flatMap((child) => childrenOf(child, namespaces.wsdl2, 'operation'))
    .map((operation) => ({
      kind: 'skipped',
      name: nameOf(operation),
      file,
      line: operation.line,
      reason: 'wsdl_2',
      detail: '',
    }))
}

/** Bound operations in the order of the file; what is left of the port types has no SOAP 1.1 binding. */
function listOperations(definitions: Definitions): (Operation | SkippedOperation)[] {
  const listed = new Map<string, Listed>()
  const repeats: SkippedOperation[] = []
  for (const bound of boundOperations(definitions)) {
    const name = nameOf(bound.node)
    const earlier = listed.get(name)
    if (earlier === undefined) listed.set(name, { bound, result: readOrSkip(definitions, bound) })
    else if (earlier.bound.binding === bound.binding || earlier.bound.portType !== bound.portType) {
      repeats.push(skip(bound, new Skip('overloaded')))
    } else if (earlier.result.kind === 'skipped') {
      const result = readOrSkip(definitions, bound)
      if (result.kind === 'operation') listed.set(name, { bound, result })
    }
  }
  return [...[...listed.values()].map((entry) => entry.result), ...repeats, ...listUnbound(definitions, listed)]
}

interface Listed {
  readonly bound: BoundOperation
  readonly result: Operation | SkippedOperation
}

/** An operation of a SOAP 1.1 binding, the binding, and the port type that it is about. */
interface BoundOperation {
  readonly binding: Binding
  readonly node: XmlElement
  readonly portType: PortType | undefined
}

function boundOperations(definitions: Definitions): readonly BoundOperation[] {
  return [...definitions.bindings.values()]
    .filter(({ node }) => childrenOf(node, namespaces.soap, 'binding').length > 0)
    .flatMap((binding) => {
      const portType = portTypeOf(definitions, binding)
      return childrenOf(binding.node, namespaces.wsdl, 'operation').map((node) => ({ binding, node, portType }))
    })
}

function listUnbound({ portTypes }: Definitions, bound: ReadonlyMap<string, unknown>): SkippedOperation[] {
  const places = [...portTypes.values()].flatMap(({ file, operations }) =>
    Array.from(operations, ([name, [node]]) => [name, { file, line: node?.line ?? 0 }] as const),
  )
  return [...new Map(places)]
    .filter(([name]) => !bound.has(name))
    .map(([name, { file, line }]) => ({ kind: 'skipped', name, file, line, reason: 'no_soap_11_binding', detail: '' }))
}

function readOrSkip(definitions: Definitions, bound: BoundOperation): Operation | SkippedOperation {
  const name = nameOf(bound.node)
  try {
    return readOperation(definitions, bound, name)
  } catch (error) {
    if (!(error instanceof Skip)) throw error
    return skip(bound, error)
  }
}

function skip({ binding: { file }, node }: BoundOperation, { reason, detail }: Skip): SkippedOperation {
  return { kind: 'skipped', name: nameOf(node), file, line: node.line, reason, detail }
}

/** Letters of any language, but nothing that a path could mean something by. */
const safeName = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]{0,99}$/u

function readOperation(definitions: Definitions, { binding, node, portType }: BoundOperation, name: string): Operation {
  if (!safeName.test(name)) throw new Skip('unsafe_name')
  const abstract = operationOf(portType, node, name)
  if (abstract === undefined) throw new Skip('no_port_type_operation', whyNoOperation(definitions, binding, name))
  const [input] = childrenOf(abstract, namespaces.wsdl, 'input')
  if (input === undefined) throw new Skip('no_input')
  const [boundInput] = childrenOf(node, namespaces.wsdl, 'input')
  const [boundOutput] = childrenOf(node, namespaces.wsdl, 'output')
  const [soap] = childrenOf(node, namespaces.soap, 'operation')
  refuseStyle(binding.node, soap)
  if (boundInput !== undefined) refuseUse(boundInput)
  const [output] = childrenOf(abstract, namespaces.wsdl, 'output')
  return {
    kind: 'operation',
    name,
    file: binding.file,
    line: node.line,
    importLine: binding.importLine,
    version: versionOf(node),
    soapAction: soap?.attributes.get('soapAction'),
    address: addressOf(definitions, binding),
    input: bodyElement(definitions, input, boundInput),
    mimeContents: boundInput === undefined ? [] : mimeContents(boundInput),
    output: output === undefined ? undefined : outputElement(definitions, output, boundOutput),
    documentation: readDocumentation(abstract),
  }
}

/** Of overloaded operations the one whose input has the name that the binding says; otherwise the first. */
function operationOf(portType: PortType | undefined, bound: XmlElement, name: string): XmlElement | undefined {
  const candidates = portType?.operations.get(name) ?? []
  const wanted = inputName(bound)
  return candidates.find((candidate) => wanted !== undefined && inputName(candidate) === wanted) ?? candidates[0]
}

function inputName(operation: XmlElement): string | undefined {
  return childrenOf(operation, namespaces.wsdl, 'input')[0]?.attributes.get('name')
}

function refuseStyle(binding: XmlElement, operation: XmlElement | undefined): void {
  const [soap] = childrenOf(binding, namespaces.soap, 'binding')
  const style = operation?.attributes.get('style') ?? soap?.attributes.get('style') ?? 'document'
  if (style !== 'document') throw new Skip('rpc')
}

function refuseUse(input: XmlElement): void {
  const bodies = soapParts(input, 'body')
  if (bodies.some((body) => body.attributes.get('use') === 'encoded')) throw new Skip('encoded')
}

function outputElement(definitions: Definitions, output: XmlElement, bound: XmlElement | undefined): QName | undefined {
  try {
    return bodyElement(definitions, output, bound)
  } catch (error) {
    if (error instanceof Skip) return undefined
    throw error
  }
}

/** Either the binding names a port type that is not there, or that has no such operation. */
function whyNoOperation(definitions: Definitions, binding: Binding, name: string): string {
  const text = binding.node.attributes.get('type') ?? ''
  if (portTypeOf(definitions, binding) !== undefined) return `port type ${text.trim()} has no operation ${name}`
  const { portTypes, missing } = definitions
  const meant = resolveName(text, binding.node)
  const why = describeMisnamed({ kind: 'port type', text, at: binding.node }, portTypes.keys())
  return `${why}${meant === undefined ? '' : whereElse(missing, namespaceOf(meant))}`
}

function portTypeOf({ portTypes }: Definitions, { node }: Binding): PortType | undefined {
  const name = resolveName(node.attributes.get('type') ?? '', node)
  return name === undefined ? undefined : portTypes.get(name)
}

/**
 * A port that names no binding that there is, because its prefix is the wrong one, means the one of the same local name where
 * there is only one.
 */
function addressOf({ bindings, ports }: Definitions, binding: Binding): string | undefined {
  const bindingOf = (port: XmlElement): Binding | undefined => {
    const text = port.attributes.get('binding')?.trim() ?? ''
    const name = resolveName(text, port)
    const named = name === undefined ? undefined : bindings.get(name)
    if (named !== undefined) return named
    const local = text.slice(text.indexOf(':') + 1)
    const [only, ...others] = [...bindings].filter(([other]) => localOf(other) === local)
    return others.length === 0 ? only?.[1] : undefined
  }
  const port = ports.find((candidate) => bindingOf(candidate) === binding)
  const address = port === undefined ? undefined : childrenOf(port, namespaces.soap, 'address')[0]
  return address?.attributes.get('location')?.trim()
}

/** Whatever URI the X-Road namespace has in this WSDL. */
function versionOf(operation: XmlElement): string | undefined {
  const version = operation.children.find((child) => child.local === 'version' && child.namespace !== namespaces.wsdl)
  return version?.text.trim() || undefined
}

function nameOf(element: XmlElement): string {
  return element.attributes.get('name')?.trim() ?? ''
}
