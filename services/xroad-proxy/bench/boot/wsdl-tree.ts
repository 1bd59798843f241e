/**
 * Generates a directory of small WSDL files like those of registers: each has some operations, each of them a request
 * of four values and an answer with a list. A sidecar beside each sends the calls through the Security Server. The same
 * files each time.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tree } from './boot-tree.ts'

const operationsPerFile = 10

export function writeWsdls(folder: string, operations: number): Tree {
  let bytes = 0
  const files = operations / operationsPerFile
  for (let n = 0; n < files; n++) {
    const owner = join(folder, `register-${n}`)
    const text = wsdl(`http://register-${n}.x-road.eu`)
    mkdirSync(owner, { recursive: true })
    writeFileSync(join(owner, 'api.wsdl'), text)
    writeFileSync(join(owner, 'api.meta.yaml'), 'subsystem_code: bench\n')
    bytes += Buffer.byteLength(text)
  }
  return { files, bytes }
}

function wsdl(namespace: string): string {
  const names = Array.from({ length: operationsPerFile }, (_, index) => `getRecords${index}`)
  const each = (make: (name: string) => string): string => names.map(make).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>
<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:xrd="http://x-road.eu/xsd/xroad.xsd" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:tns="${namespace}"
  targetNamespace="${namespace}">
<wsdl:types>
<xs:schema targetNamespace="${namespace}" elementFormDefault="qualified">
  <xs:complexType name="Record">
    <xs:sequence>
      <xs:element name="code" type="xs:string"/>
      <xs:element name="name" type="xs:string"/>
      <xs:element name="amount" type="xs:decimal" minOccurs="0"/>
      <xs:element name="since" type="xs:date" nillable="true"/>
    </xs:sequence>
  </xs:complexType>
${each(element)}
</xs:schema>
</wsdl:types>
${each(messages)}
<wsdl:portType name="port">
${each(
  (name) => `  <wsdl:operation name="${name}">
    <wsdl:documentation><xrd:title>Records of the register</xrd:title></wsdl:documentation>
    <wsdl:input message="tns:${name}"/><wsdl:output message="tns:${name}Response"/>
  </wsdl:operation>`,
)}
</wsdl:portType>
<wsdl:binding name="binding" type="tns:port">
  <soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
${each(
  (name) => `  <wsdl:operation name="${name}">
    <wsdl:input><soap:body use="literal"/></wsdl:input><wsdl:output><soap:body use="literal"/></wsdl:output>
  </wsdl:operation>`,
)}
</wsdl:binding>
</wsdl:definitions>
`
}

function element(name: string): string {
  return `  <xs:element name="${name}">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="code" type="xs:string"/>
        <xs:element name="purpose" type="xs:string"/>
        <xs:element name="from" type="xs:date" minOccurs="0"/>
        <xs:element name="area" type="xs:int" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence>
    </xs:complexType>
  </xs:element>
  <xs:element name="${name}Response">
    <xs:complexType>
      <xs:sequence>
        <xs:element name="total" type="xs:int"/>
        <xs:element name="record" type="tns:Record" minOccurs="0" maxOccurs="unbounded"/>
      </xs:sequence>
    </xs:complexType>
  </xs:element>`
}

function messages(name: string): string {
  return [name, `${name}Response`]
    .map((name) => `<wsdl:message name="${name}"><wsdl:part name="body" element="tns:${name}"/></wsdl:message>`)
    .join('\n')
}
