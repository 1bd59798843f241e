/**
 * The SOAP bindings of a WSDL -> their operations, those of SOAP 1.1 first, with all that the binding says of how they
 * are called. What an operation sends is operations.ts.
 */
import type { SoapVersion } from '../../model.ts'
import { soapVersionNames, soapVersions } from '../../soap-versions.ts'
import type { Binding, Definitions, PortType } from './definitions.ts'
import { localOf, namespaces } from '../xml/qname.ts'
import { childrenOf, resolveName, type XmlElement } from '../xml/xml.ts'

/** An operation of a SOAP binding, the binding, and the port type that it is about. */
export interface BoundOperation {
  readonly binding: Binding
  readonly node: XmlElement
  readonly portType: PortType | undefined
  readonly soapVersion: SoapVersion
  /** Of the elements that bind it. */
  readonly soap: string
}

export function boundOperations(definitions: Definitions): readonly BoundOperation[] {
  const bindings = [...definitions.bindings.values()]
  return soapVersionNames.flatMap((soapVersion) => {
    const soap = soapVersions[soapVersion].binding
    return bindings
      .filter(({ node }) => childrenOf(node, soap, 'binding').length > 0)
      .flatMap((binding) => {
        const portType = portTypeOf(definitions, binding)
        return childrenOf(binding.node, namespaces.wsdl, 'operation').map((node) => {
          return { binding, node, portType, soapVersion, soap }
        })
      })
  })
}

export function portTypeOf({ portTypes }: Definitions, { node }: Binding): PortType | undefined {
  const name = resolveName(node.attributes.get('type') ?? '', node)
  return name === undefined ? undefined : portTypes.get(name)
}

/** What `soap:operation` or, where it says nothing, `soap:binding` has. */
export function styleOf({ binding, node, soap }: BoundOperation): string {
  const [operation] = childrenOf(node, soap, 'operation')
  const [whole] = childrenOf(binding.node, soap, 'binding')
  return (operation?.attributes.get('style') ?? whole?.attributes.get('style') ?? 'document').trim()
}

/**
 * A port that names no existing binding, because its prefix is the wrong one, means the one of the same local name
 * where there is only one.
 */
export function addressOf({ bindings, ports }: Definitions, { binding, soap }: BoundOperation): string | undefined {
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
  const address = port === undefined ? undefined : childrenOf(port, soap, 'address')[0]
  return address?.attributes.get('location')?.trim()
}
