/**
 * Bytes of a WSDL -> its operations in the order of their bindings, each either described or skipped with a reason, so
 * that one odd operation does not hide the others. Bindings are bindings.ts; request.ts judges what the request element
 * holds.
 */
import type { SoapVersion } from '../../model.ts'
import { addressOf, type BoundOperation, boundOperations, portTypeOf, styleOf } from './bindings.ts'
import { bodyElement, type MessageSide, nameOf, partNames, soapParts } from './body.ts'
import { type Binding, type Definitions, type PortType, readDefinitions } from './definitions.ts'
import { rpcElement } from './rpc.ts'
import { type Documentation, readDocumentation } from '../xml/documentation.ts'
import { type MimeContent, mimeContents } from './mime-contents.ts'
import { describeMisnamed } from './misnamed.ts'
import type { Outline, OutlineElement } from '../outline/outline.ts'
import { outlineOf } from '../outline/schema-outline.ts'
import { type MissingSchema, whereElse } from '../schema/missing.ts'
import { namespaceOf, namespaces } from '../xml/qname.ts'
import { Skip, type SkippedOperation } from './reasons.ts'
import type { Resolve, Schema } from '../schema/schema.ts'
import { childrenOf, resolveName, type XmlElement } from '../xml/xml.ts'

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
  /** The WSDL that the operation's binding is in: this one, or one that it imports. */
  readonly file: string
  /** Line of the operation in the binding. */
  readonly line: number
  /** The line of this WSDL's own import, where the binding is in another one. */
  readonly importLine: number | undefined
  /** `xrd:version` of the binding's operation. */
  readonly version: string | undefined
  /** Undefined when the binding does not say. */
  readonly soapAction: string | undefined
  /** Where the port of the binding is, as written. */
  readonly address: string | undefined
  readonly soapVersion: SoapVersion
  /** What is in the body of the request. */
  readonly input: OutlineElement
  /** What a request has beside its envelope, by its binding. */
  readonly mimeContents: readonly MimeContent[]
  /** Undefined for a one-way operation, and when the output names no element. */
  readonly output: OutlineElement | undefined
  readonly documentation: Documentation
}

/** Throws `WsdlError` when the file as a whole cannot be read. */
export function readWsdl(bytes: Uint8Array, file: string, resolve: Resolve): Wsdl {
  const definitions = readDefinitions(bytes, file, resolve)
  const { root, schema } = definitions
  const declared = [...root.bindings.declared].filter(([prefix]) => prefix !== '')
  const prefixes = new Map(declared.map(([prefix, namespace]) => [namespace, prefix]))
  const outline = outlineOf(schema)
  const operations =
    root.namespace === namespaces.wsdl2 ? listWsdl2(definitions) : listOperations({ ...definitions, outline })
  const { missing: missingWsdls, onlyImports } = definitions
  const missing = [...missingWsdls, ...schema.missing]
  return { file, operations, schema, outline, prefixes, missing, missingWsdls, onlyImports }
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

/** A WSDL whose messages can be looked into. */
interface Outlined extends Definitions {
  readonly outline: Outline
}

/**
 * Bound operations in the order of the file, those of SOAP 1.1 first; what is left of the port types has no SOAP
 * binding.
 */
function listOperations(definitions: Outlined): (Operation | SkippedOperation)[] {
  const listed = new Map<string, Listed>()
  const repeats: SkippedOperation[] = []
  for (const bound of boundOperations(definitions)) {
    const name = nameOf(bound.node)
    const earlier = listed.get(name)
    if (earlier === undefined) listed.set(name, { bound, result: readOrSkip(definitions, bound) })
    else if (earlier.bound.soapVersion !== bound.soapVersion) continue
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

function listUnbound({ portTypes }: Definitions, bound: ReadonlyMap<string, unknown>): SkippedOperation[] {
  const places = [...portTypes.values()].flatMap(({ file, operations }) =>
    Array.from(operations, ([name, [node]]) => [name, { file, line: node?.line ?? 0 }] as const),
  )
  return [...new Map(places)]
    .filter(([name]) => !bound.has(name))
    .map(([name, { file, line }]) => ({ kind: 'skipped', name, file, line, reason: 'no_soap_11_binding', detail: '' }))
}

function readOrSkip(definitions: Outlined, bound: BoundOperation): Operation | SkippedOperation {
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

function readOperation(definitions: Outlined, bound: BoundOperation, name: string): Operation {
  const { binding, node, portType, soapVersion, soap } = bound
  if (!safeName.test(name)) throw new Skip('unsafe_name')
  const abstract = operationOf(portType, node, name)
  if (abstract === undefined) throw new Skip('no_port_type_operation', whyNoOperation(definitions, binding, name))
  const [input] = childrenOf(abstract, namespaces.wsdl, 'input')
  if (input === undefined) throw new Skip('no_input')
  const [boundInput] = childrenOf(node, namespaces.wsdl, 'input')
  const [boundOutput] = childrenOf(node, namespaces.wsdl, 'output')
  const elementOf = bodyReader(definitions, bound)
  const sent = { side: input, bound: boundInput, soap }
  refuseEncoded(sent)
  const [output] = childrenOf(abstract, namespaces.wsdl, 'output')
  return {
    kind: 'operation',
    name,
    file: binding.file,
    line: node.line,
    importLine: binding.importLine,
    version: versionOf(node),
    soapVersion,
    soapAction: childrenOf(node, soap, 'operation')[0]?.attributes.get('soapAction'),
    address: addressOf(definitions, bound),
    input: elementOf(sent, name),
    mimeContents: boundInput === undefined ? [] : mimeContents(boundInput, partNames(definitions, sent)),
    output:
      output === undefined
        ? undefined
        : outputElement(() => elementOf({ side: output, bound: boundOutput, soap }, `${name}Response`)),
    documentation: readDocumentation(abstract),
  }
}

/** In document style the body holds the element of a part; in RPC style one of this name, around the parts. */
function bodyReader(definitions: Outlined, bound: BoundOperation): (side: MessageSide, name: string) => OutlineElement {
  const { outline } = definitions
  const style = styleOf(bound)
  switch (style) {
    case 'document':
      return (side) => bodyElement(definitions, outline, side)
    case 'rpc':
      return (side, name) => {
        refuseEncoded(side)
        return rpcElement(definitions, outline, { side, name, namespace: bound.binding.namespace })
      }
    default:
      throw new Skip('style', style)
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

function refuseEncoded(side: MessageSide): void {
  if (soapParts(side, 'body').some((body) => body.attributes.get('use') === 'encoded')) throw new Skip('encoded')
}

function outputElement(read: () => OutlineElement): OutlineElement | undefined {
  try {
    return read()
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

/** Whatever URI the X-Road namespace has in this WSDL. */
function versionOf(operation: XmlElement): string | undefined {
  const version = operation.children.find((child) => child.local === 'version' && child.namespace !== namespaces.wsdl)
  return version?.text.trim() || undefined
}
