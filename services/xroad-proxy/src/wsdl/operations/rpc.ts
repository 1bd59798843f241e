/**
 * A message of an operation in RPC style -> the element that is in the body: it is named like the operation, in the
 * namespace that the binding says, and holds an element without a namespace for each part, in their order.
 */
import type { Definitions } from './definitions.ts'
import { bodyParts, type MessageSide, nameOf, soapParts } from './body.ts'
import { describeMisnamed } from './misnamed.ts'
import { Skip } from './reasons.ts'
import type { Outline, OutlineElement } from '../outline/outline.ts'
import { whereElse } from '../schema/missing.ts'
import {
  type ComplexDefinition,
  type ElementDeclaration,
  nothingBlocked,
  type Particle,
} from '../schema/schema-model.ts'
import { noDocumentation, readDocumentation } from '../xml/documentation.ts'
import { isNCName, namespaceOf, toQName } from '../xml/qname.ts'
import { resolveName, type XmlElement } from '../xml/xml.ts'

export interface RpcBody {
  readonly side: MessageSide
  /** That of the operation in a request, with `Response` behind it in a response. */
  readonly name: string
  /** Where the binding says none: that of the WSDL that it is in. */
  readonly namespace: string
}

export function rpcElement(
  definitions: Definitions,
  outline: Outline,
  { side, name, namespace }: RpcBody,
): OutlineElement {
  const { parts, named: wanted = '' } = bodyParts(definitions, side)
  const found = new Set(parts.map(nameOf))
  const missing = wanted.split(/\s+/u).find((part) => part !== '' && !found.has(part))
  if (missing !== undefined)
    throw new Skip('no_body', `soap:body names the part ${missing}, which the message does not have`)
  const [body] = side.bound === undefined ? [] : soapParts(side, 'body')
  const particles = parts.map((part) => toParticle(declareAccessor(definitions, part)))
  const own = body?.attributes.get('namespace')?.trim() ?? namespace
  return outline.own({ ...bare, ...named(name, own), type: { inline: sequenceOf(particles) } })
}

/** Of a part with a type it has that type; of one with an element it holds the element. */
function declareAccessor(definitions: Definitions, part: XmlElement): ElementDeclaration {
  const type = part.attributes.has('element')
    ? { inline: sequenceOf([{ kind: 'elementRef', occurs: once, ref: resolved(definitions, part, 'element') }]) }
    : { ref: resolved(definitions, part, 'type') }
  return { ...bare, ...named(nameOf(part), ''), type, documentation: readDocumentation(part) }
}

function resolved({ schema, missing }: Definitions, part: XmlElement, kind: 'element' | 'type'): string {
  const text = part.attributes.get(kind)
  if (text === undefined) throw new Skip('no_body', `part ${nameOf(part)} names neither an element nor a type`)
  const name = resolveName(text, part)
  if (name !== undefined && schema.find(kind, name) !== undefined) return name
  const why = describeMisnamed({ kind, text, at: part }, schema.names(kind))
  const where = name === undefined ? '' : whereElse([...missing, ...schema.missing], namespaceOf(name))
  throw new Skip('input_unresolved', `${why}${where}`)
}

const once = { min: 1, max: 1 }

function toParticle(declaration: ElementDeclaration): Particle {
  return { kind: 'element', occurs: once, declaration }
}

function sequenceOf(particles: readonly Particle[]): ComplexDefinition {
  return {
    kind: 'complex',
    name: undefined,
    abstract: false,
    blocks: nothingBlocked,
    mixed: false,
    base: undefined,
    simpleContent: undefined,
    particle: { kind: 'sequence', occurs: once, particles },
    attributes: [],
    documentation: noDocumentation,
    expectedContentTypes: undefined,
  }
}

const bare: Omit<ElementDeclaration, 'name' | 'type' | 'problem'> = {
  nillable: false,
  abstract: false,
  blocks: nothingBlocked,
  constraints: [],
  fixed: undefined,
  default: undefined,
  documentation: noDocumentation,
  expectedContentTypes: undefined,
}

/** WSDL takes names that no tag can have. */
function named(name: string, namespace: string): Pick<ElementDeclaration, 'name' | 'problem'> {
  const problem = isNCName(name) ? undefined : `the name ${JSON.stringify(name.slice(0, 64))} is not an XML name`
  return { name: toQName(namespace, name), problem }
}
