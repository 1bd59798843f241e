/** A WSDL or schema file -> the other files that it leads to, by their locations as written. Pure. */
import { isFramework } from '../wsdl/schema/framework.ts'
import { namespaces } from '../wsdl/xml/qname.ts'
import { childrenOf, readXml, WsdlError, type XmlElement } from '../wsdl/xml/xml.ts'

/** Throws `WsdlError` when the text is neither a WSDL nor a schema. */
export function readLocations(bytes: Uint8Array): readonly string[] {
  const root = readXml(bytes)
  if (root.namespace === namespaces.schema && root.local === 'schema') return schemaLocations(root)
  if (root.namespace !== namespaces.wsdl || root.local !== 'definitions') {
    throw new WsdlError(`is neither a WSDL nor a schema: its first element is ${root.local}`, root.line)
  }
  const imports = childrenOf(root, namespaces.wsdl, 'import').map((child) => child.attributes.get('location'))
  const schemas = childrenOf(root, namespaces.wsdl, 'types').flatMap((child) =>
    childrenOf(child, namespaces.schema, 'schema'),
  )
  return [...new Set([...trimmed(imports), ...schemas.flatMap(schemaLocations)])]
}

/** What the service knows by heart is not looked for. */
function schemaLocations(schema: XmlElement): readonly string[] {
  const leading = childrenOf(schema, namespaces.schema).filter(
    ({ local, attributes }) =>
      local === 'include' ||
      local === 'redefine' ||
      (local === 'import' && !isFramework(attributes.get('namespace') ?? '')),
  )
  return [...new Set(trimmed(leading.map((node) => node.attributes.get('schemaLocation'))))]
}

function trimmed(locations: readonly (string | undefined)[]): readonly string[] {
  return locations.map((location) => location?.trim() ?? '').filter((location) => location !== '')
}
