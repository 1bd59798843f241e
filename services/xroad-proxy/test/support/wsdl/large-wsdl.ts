/**
 * A WSDL like those of large registers: hundreds of operations over one graph of types that hold each other, with
 * abstract bases, lists in elements around them, and optional values by the dozen.
 */
export function largeWsdl(operations: number): string {
  const names = Array.from({ length: operations }, (_, index) => `operation${index}`)
  const each = (make: (name: string, index: number) => string): string => names.map(make).join('\n')
  const leaves = (type: number, count: number): string =>
    Array.from(
      { length: count },
      (_, index) =>
        `<x:element name="value${type}_${index}" type="x:${index % 3 === 0 ? 'long' : 'string'}" minOccurs="0" nillable="true"/>`,
    ).join('')
  const list = (name: string, type: string): string =>
    `<x:element name="${name}" minOccurs="0" nillable="true"><x:complexType><x:sequence>
      <x:element name="item" type="${type}" minOccurs="0" maxOccurs="unbounded"/></x:sequence></x:complexType></x:element>`
  const types = Array.from({ length: graphSize }, (_, index) => {
    const next = (step: number): string => `t:T${(index * 3 + step) % graphSize}`
    return `<x:complexType name="T${index}"><x:sequence>${leaves(index, 12)}
      ${list(`list${index}`, next(1))}${list(`more${index}`, next(2))}
      <x:element name="one${index}" type="${next(5)}" minOccurs="0"/>
      <x:element name="party${index}" type="t:Party" minOccurs="0" nillable="true"/></x:sequence></x:complexType>`
  })
  return `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
<wsdl:types><x:schema targetNamespace="urn:t">
${types.join('\n')}
<x:complexType name="Party" abstract="true"><x:sequence><x:element name="name" type="x:string"/></x:sequence></x:complexType>
${['Person', 'Firm']
  .map(
    (name) => `<x:complexType name="${name}"><x:complexContent><x:extension base="t:Party"><x:sequence>
  <x:element name="code" type="x:int"/><x:element name="case" type="t:T0" minOccurs="0"/></x:sequence></x:extension></x:complexContent></x:complexType>`,
  )
  .join('\n')}
<x:complexType name="Request"><x:sequence><x:element name="Case" type="t:T0" nillable="true"/>
  <x:element name="User" type="t:Party" nillable="true"/><x:element name="reason" type="x:string"/></x:sequence></x:complexType>
${each((name) => `<x:element name="${name}"><x:complexType><x:sequence><x:element name="request" type="t:Request"/></x:sequence></x:complexType></x:element>`)}
</x:schema></wsdl:types>
${each((name) => `<wsdl:message name="${name}"><wsdl:part name="p" element="t:${name}"/></wsdl:message>`)}
<wsdl:portType name="pt">
${each((name) => `<wsdl:operation name="${name}"><wsdl:input message="t:${name}"/></wsdl:operation>`)}
</wsdl:portType>
<wsdl:binding name="b" type="t:pt"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
${each((name) => `<wsdl:operation name="${name}"><wsdl:input><soap:body use="literal"/></wsdl:input></wsdl:operation>`)}
</wsdl:binding>
</wsdl:definitions>`
}

const graphSize = 40
