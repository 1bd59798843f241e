/**
 * `xs:redefine`: a component that redefines another of its name -> the same with its references to that one renamed. A
 * reference is renamed by the text that the caller appends.
 */
import type { ComponentKind } from './schema-model.ts'
import type { XmlElement } from '../xml/xml.ts'

/** Ends the name of what has been redefined; no name has it. */
export const redefined = '*'

/** How a component names the one that it redefines. */
const selfReference: Readonly<Partial<Record<ComponentKind, string>>> = {
  type: 'base',
  group: 'ref',
  attributeGroup: 'ref',
}

/** The component with `markOf` behind each of its references to another one of its kind. */
export function pointingTo(
  node: XmlElement,
  kind: ComponentKind,
  markOf: (value: string, at: XmlElement) => string,
): XmlElement {
  const attribute = selfReference[kind]
  const value = attribute === undefined ? undefined : node.attributes.get(attribute)
  const children = node.children.map((child) => pointingTo(child, kind, markOf))
  if (attribute === undefined || value === undefined || (kind !== 'type' && node.local !== kind))
    return { ...node, children }
  return {
    ...node,
    children,
    attributes: new Map([...node.attributes, [attribute, value.trim() + markOf(value, node)]]),
  }
}
