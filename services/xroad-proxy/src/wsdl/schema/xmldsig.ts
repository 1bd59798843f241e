/**
 * XML Signature (http://www.w3.org/2000/09/xmldsig#) as a schema text. The file that W3C publishes begins with a
 * DOCTYPE, which is refused, so it is known here instead. Wildcards for extensions may be left out of a message.
 */
const namespace = 'http://www.w3.org/2000/09/xmldsig#'

const id = '<attribute name="Id" type="ID"/>'
const algorithm = '<attribute name="Algorithm" type="anyURI" use="required"/>'
const anyOthers = '<any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>'
const anyOther = '<any namespace="##other" processContents="lax"/>'

/** Text of a built-in type. */
const plain = (names: string, type: string): string =>
  names
    .split(' ')
    .map((name) => `<element name="${name}" type="${type}"/>`)
    .join('')
const refs = (names: string): string =>
  names
    .split(' ')
    .map((name) => {
      const [, local = '', occurs = ''] = /^(\w+)([?+*]?)$/.exec(name) ?? []
      const min = occurs === '?' || occurs === '*' ? ' minOccurs="0"' : ''
      const max = occurs === '+' || occurs === '*' ? ' maxOccurs="unbounded"' : ''
      return `<element ref="ds:${local}"${min}${max}/>`
    })
    .join('')
const sequence = (content: string): string => `<sequence>${content}</sequence>`
const choices = (content: string): string => `<choice maxOccurs="unbounded">${content}</choice>`
/** An element and its type, which others extend by the name that W3C gave it. */
const typed = (name: string, content: string, more = ''): string =>
  `<element name="${name}" type="ds:${name}Type"/><complexType name="${name}Type"${more}>${content}</complexType>`
const mixed = ' mixed="true"'

const certificate = `${plain('X509SKI', 'base64Binary')}${plain('X509SubjectName', 'string')}${plain('X509Certificate X509CRL', 'base64Binary')}`
const keys = `${refs('KeyName KeyValue RetrievalMethod X509Data PGPData SPKIData MgmtData')}${anyOther}`
const packet = `<element name="PGPKeyPacket" type="base64Binary"/>`
const crypto = (names: string): string => plain(names, 'ds:CryptoBinary')

export const xmldsig = `<schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:ds="${namespace}"
    targetNamespace="${namespace}" elementFormDefault="qualified">
  <simpleType name="CryptoBinary"><restriction base="base64Binary"/></simpleType>
  <simpleType name="DigestValueType"><restriction base="base64Binary"/></simpleType>
  <simpleType name="HMACOutputLengthType"><restriction base="integer"/></simpleType>
  ${plain('DigestValue', 'ds:DigestValueType')}${plain('KeyName MgmtData', 'string')}
  ${typed('Signature', sequence(refs('SignedInfo SignatureValue KeyInfo? Object*')) + id)}
  ${typed('SignatureValue', `<simpleContent><extension base="base64Binary">${id}</extension></simpleContent>`)}
  ${typed('SignedInfo', sequence(refs('CanonicalizationMethod SignatureMethod Reference+')) + id)}
  ${typed('CanonicalizationMethod', sequence('<any minOccurs="0" maxOccurs="unbounded"/>') + algorithm, mixed)}
  ${typed('SignatureMethod', sequence(`<element name="HMACOutputLength" minOccurs="0" type="ds:HMACOutputLengthType"/>${anyOthers}`) + algorithm, mixed)}
  ${typed('Reference', `${sequence(refs('Transforms? DigestMethod DigestValue'))}${id}<attribute name="URI" type="anyURI"/><attribute name="Type" type="anyURI"/>`)}
  ${typed('Transforms', sequence(refs('Transform+')))}
  ${typed('Transform', `<choice minOccurs="0" maxOccurs="unbounded">${anyOther}${plain('XPath', 'string')}</choice>${algorithm}`, mixed)}
  ${typed('DigestMethod', sequence(anyOthers) + algorithm, mixed)}
  ${typed('KeyInfo', choices(keys) + id, mixed)}
  ${typed('KeyValue', `<choice>${refs('DSAKeyValue RSAKeyValue')}${anyOther}</choice>`, mixed)}
  ${typed('RetrievalMethod', `${sequence(refs('Transforms?'))}<attribute name="URI" type="anyURI"/><attribute name="Type" type="anyURI"/>`)}
  ${typed('X509Data', `<sequence maxOccurs="unbounded"><choice><element name="X509IssuerSerial" type="ds:X509IssuerSerialType"/>${certificate}${anyOther}</choice></sequence>`)}
  <complexType name="X509IssuerSerialType">${sequence(plain('X509IssuerName', 'string') + plain('X509SerialNumber', 'integer'))}</complexType>
  ${typed('PGPData', `<choice>${sequence(`<element name="PGPKeyID" type="base64Binary"/>${packet.replace('/>', ' minOccurs="0"/>')}${anyOthers}`)}${sequence(packet + anyOthers)}</choice>`)}
  ${typed('SPKIData', `<sequence maxOccurs="unbounded"><element name="SPKISexp" type="base64Binary"/>${anyOther.replace('/>', ' minOccurs="0"/>')}</sequence>`)}
  ${typed('Object', `<sequence minOccurs="0" maxOccurs="unbounded"><any processContents="lax"/></sequence>${id}<attribute name="MimeType" type="string"/><attribute name="Encoding" type="anyURI"/>`, mixed)}
  ${typed('Manifest', sequence(refs('Reference+')) + id)}
  ${typed('SignatureProperties', sequence(refs('SignatureProperty+')) + id)}
  ${typed('SignatureProperty', `${choices(anyOther)}<attribute name="Target" type="anyURI" use="required"/>${id}`, mixed)}
  ${typed('DSAKeyValue', sequence(`<sequence minOccurs="0">${crypto('P Q')}</sequence>${crypto('G').replace('/>', ' minOccurs="0"/>')}${crypto('Y')}${crypto('J').replace('/>', ' minOccurs="0"/>')}<sequence minOccurs="0">${crypto('Seed PgenCounter')}</sequence>`))}
  ${typed('RSAKeyValue', sequence(crypto('Modulus Exponent')))}
</schema>`
