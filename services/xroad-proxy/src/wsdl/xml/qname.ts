/**
 * Expanded names: a namespace and a local name in one string, `{namespace}local`, or `local` alone without a namespace,
 * so that they compare and serve as keys. Knows nothing of documents: the holder of the bindings resolves prefixes.
 */
export type QName = string

export function toQName(namespace: string, local: string): QName {
  return namespace === '' ? local : `{${namespace}}${local}`
}

export function localOf(name: QName): string {
  return name.slice(name.lastIndexOf('}') + 1)
}

export function namespaceOf(name: QName): string {
  return name.slice(1, Math.max(1, name.lastIndexOf('}')))
}

const nameStart =
  'A-Z_a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f' +
  '\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}'
const ncName = new RegExp(`^[${nameStart}][-.0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040${nameStart}]*$`, 'u')

/** Whether a tag may have this name, without a prefix. */
export function isNCName(name: string): boolean {
  return ncName.test(name)
}

export const namespaces = {
  wsdl: 'http://schemas.xmlsoap.org/wsdl/',
  wsdl2: 'http://www.w3.org/ns/wsdl',
  mime: 'http://schemas.xmlsoap.org/wsdl/mime/',
  schema: 'http://www.w3.org/2001/XMLSchema',
  instance: 'http://www.w3.org/2001/XMLSchema-instance',
  xml: 'http://www.w3.org/XML/1998/namespace',
  xmlns: 'http://www.w3.org/2000/xmlns/',
  xroad: 'http://x-road.eu/xsd/xroad.xsd',
  identifiers: 'http://x-road.eu/xsd/identifiers',
} as const
