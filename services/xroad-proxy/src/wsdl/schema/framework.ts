/**
 * Schemas that every X-Road or SOAP description leans on. They are known here and never looked for: an import of one of
 * these namespaces is satisfied, whatever its schemaLocation says. Of their content only the parts that messages use.
 */
import { soapVersions } from '../../soap-versions.ts'
import { xmldsig } from './xmldsig.ts'
import { namespaceOf, namespaces, type QName, toQName } from '../xml/qname.ts'

const versions = Object.values(soapVersions)
const encodings = versions.map(({ encoding }) => encoding)
const xmlmime = ['http://www.w3.org/2005/05/xmlmime', 'http://www.w3.org/2004/11/xmlmime']
const swaRef = 'http://ws-i.org/profiles/basic/1.1/xsd'

const swaRefType = toQName(swaRef, 'swaRef')

/** Whether values with these types travel beside the envelope. Those of xmlmime may be inline, as base64 text. */
export function isAttachment(types: readonly QName[]): boolean {
  return types.includes(swaRefType)
}

const expectedContentTypes = xmlmime.map((local) => toQName(local, 'expectedContentTypes'))

/** What an element declaration of base64 text says about it. */
export function expectedContentTypesOf(attributes: ReadonlyMap<QName, string>): string | undefined {
  const stated = expectedContentTypes.find((name) => attributes.has(name))
  return stated === undefined ? undefined : attributes.get(stated)
}

const contentTypes: ReadonlySet<QName> = new Set(xmlmime.map((namespace) => toQName(namespace, 'contentType')))

/** The attribute of a message that says what its base64 text is. */
export function isContentType(attribute: QName): boolean {
  return contentTypes.has(attribute)
}

const known: ReadonlySet<string> = new Set([
  ...versions.flatMap(({ envelope, encoding, binding }) => [envelope, encoding, binding]),
  ...xmlmime,
  swaRef,
  namespaces.schema,
  namespaces.instance,
  namespaces.xml,
  namespaces.wsdl,
  namespaces.mime,
  namespaces.xroad,
  namespaces.identifiers,
  'http://schemas.xmlsoap.org/wsdl/http/',
  'http://x-road.eu/xsd/representation.xsd',
  'http://x-road.ee/xsd/x-road.xsd',
  'http://x-rd.net/xsd/xroad.xsd',
  'http://x-tee.riik.ee/xsd/xtee.xsd',
  'http://www.w3.org/2000/09/xmldsig#',
  'http://www.w3.org/1999/xlink',
  'http://www.w3.org/2002/xforms',
])

export function isFramework(namespace: string): boolean {
  return known.has(namespace)
}

export const builtinTypes: ReadonlySet<QName> = new Set(
  `anyType anySimpleType anyAtomicType string normalizedString token language Name NCName NMTOKEN NMTOKENS ID IDREF IDREFS
  ENTITY ENTITIES QName NOTATION anyURI boolean decimal integer nonPositiveInteger negativeInteger long int short byte
  nonNegativeInteger unsignedLong unsignedInt unsignedShort unsignedByte positiveInteger float double duration
  dayTimeDuration yearMonthDuration dateTime dateTimeStamp time date gYearMonth gYear gMonthDay gDay gMonth hexBinary
  base64Binary`
    .split(/\s+/u)
    .map((local) => toQName(namespaces.schema, local)),
)

const xsd = `xmlns="${namespaces.schema}" elementFormDefault="qualified"`

const encodedTypes = `string normalizedString token boolean decimal integer long int short byte unsignedLong unsignedInt
  unsignedShort unsignedByte nonNegativeInteger positiveInteger float double duration dateTime time date hexBinary
  base64Binary anyURI`
  .split(/\s+/u)
  .map((type) => `<simpleType name="${type}"><restriction base="${type}"/></simpleType>`)
  .join('')

/**
 * Attributes like id, href and arrayType are left out: they say how values are encoded, which literal messages do not.
 */
const encoding = (namespace: string) => `<schema ${xsd} targetNamespace="${namespace}">
  <complexType name="Array"><sequence><any minOccurs="0" maxOccurs="unbounded"/></sequence></complexType>
  <complexType name="Struct"><sequence><any minOccurs="0" maxOccurs="unbounded"/></sequence></complexType>
  <simpleType name="base64"><restriction base="base64Binary"/></simpleType>
  <attribute name="arrayType" type="string"/>
  <attributeGroup name="commonAttributes"/>
  ${encodedTypes}
</schema>`

const mime = (namespace: string) => `<schema ${xsd} targetNamespace="${namespace}" xmlns:t="${namespace}">
  <attribute name="contentType" type="string"/>
  <attribute name="expectedContentTypes" type="string"/>
  <complexType name="base64Binary"><simpleContent><extension base="base64Binary">
    <attribute ref="t:contentType"/></extension></simpleContent></complexType>
  <complexType name="hexBinary"><simpleContent><extension base="hexBinary">
    <attribute ref="t:contentType"/></extension></simpleContent></complexType>
</schema>`

const xml = `<schema ${xsd} targetNamespace="${namespaces.xml}">
  <attribute name="lang" type="string"/>
  <attribute name="space" type="NCName"/>
  <attribute name="base" type="anyURI"/>
  <attribute name="id" type="ID"/>
  <attributeGroup name="specialAttrs"/>
</schema>`

const attachments = `<schema ${xsd} targetNamespace="${swaRef}">
  <simpleType name="swaRef"><restriction base="anyURI"/></simpleType>
</schema>`

const identifier = (name: string, parts: readonly string[]) => `<complexType name="${name}"><sequence>
  ${parts.map((part) => `<element ref="t:${part}"${part.endsWith('?') ? ' minOccurs="0"' : ''}/>`.replace('?"', '"')).join('')}
  </sequence><attribute ref="t:objectType" use="required"/></complexType>`

const member = ['xRoadInstance', 'memberClass', 'memberCode']

const identifiers = `<schema ${xsd} targetNamespace="${namespaces.identifiers}" xmlns:t="${namespaces.identifiers}">
  <simpleType name="XRoadObjectType"><restriction base="string">
    ${[
      'MEMBER',
      'SUBSYSTEM',
      'SERVICE',
      'CENTRALSERVICE',
      'SECURITYSERVER',
      'GLOBALGROUP',
      'LOCALGROUP',
      'SECURITYCATEGORY',
    ]
      .map((value) => `<enumeration value="${value}"/>`)
      .join('')}</restriction></simpleType>
  ${[...member, 'subsystemCode', 'groupCode', 'serviceCode', 'serviceVersion', 'securityCategoryCode', 'serverCode']
    .map((name) => `<element name="${name}" type="string"/>`)
    .join('')}
  <attribute name="objectType" type="t:XRoadObjectType"/>
  ${identifier('XRoadClientIdentifierType', [...member, 'subsystemCode?'])}
  ${identifier('XRoadServiceIdentifierType', [...member, 'subsystemCode?', 'serviceCode', 'serviceVersion?'])}
  ${identifier('XRoadSecurityServerIdentifierType', [...member, 'serverCode'])}
  ${identifier('XRoadCentralServiceIdentifierType', ['xRoadInstance', 'serviceCode'])}
  ${identifier('XRoadGlobalGroupIdentifierType', ['xRoadInstance', 'groupCode'])}
  ${identifier('XRoadLocalGroupIdentifierType', ['groupCode'])}
</schema>`

const xroad = `<schema ${xsd} targetNamespace="${namespaces.xroad}" xmlns:t="${namespaces.xroad}"
    xmlns:id="${namespaces.identifiers}">
  <element name="client" type="id:XRoadClientIdentifierType"/>
  <element name="service" type="id:XRoadServiceIdentifierType"/>
  <element name="centralService" type="id:XRoadCentralServiceIdentifierType"/>
  ${['id', 'userId', 'issue', 'protocolVersion', 'requestHash', 'version', 'title', 'notes', 'techNotes']
    .map((name) => `<element name="${name}" type="string"/>`)
    .join('')}
  <element name="listMethods"/>
  <element name="allowedMethods"/>
  <complexType name="MethodListType"><sequence>
    <element ref="t:service" minOccurs="0" maxOccurs="unbounded"/></sequence></complexType>
  <element name="listMethodsResponse" type="t:MethodListType"/>
  <element name="allowedMethodsResponse" type="t:MethodListType"/>
</schema>`

/** Schema texts, in the same language as those of the WSDLs and read by the same code. */
export const frameworkSchemas: readonly string[] = [
  ...encodings.map(encoding),
  ...xmlmime.map(mime),
  xml,
  attachments,
  identifiers,
  xroad,
  xmldsig,
]

/** Attributes that say how a value is encoded or sent; a literal message does without them. */
export function isEncodingAttribute(name: QName): boolean {
  return encodings.includes(namespaceOf(name)) || namespaceOf(name) === namespaces.wsdl
}
