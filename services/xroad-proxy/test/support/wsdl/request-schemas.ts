/** Schemas of made-up requests, one for each thing that people write into WSDLs, for tests with random bodies. */

const simple = (name: string, base: string, facets: string) =>
  `<x:element name="${name}" minOccurs="0"><x:simpleType><x:restriction base="x:${base}">${facets}</x:restriction></x:simpleType></x:element>`
const facet = (name: string, value: string) => `<x:${name} value="${value}"/>`

/** It has a pattern with `\\i`, for which no example is made. */
export const withoutExample = 'facets of texts'

export const requestSchemas: Readonly<Record<string, string>> = {
  'facets of texts': `<x:element name="op"><x:complexType><x:sequence>
    ${simple('a', 'string', facet('minLength', '3') + facet('maxLength', '5'))}
    ${simple('b', 'string', facet('length', '2'))}
    ${simple('c', 'string', facet('pattern', '[A-Z]{2}\\d+') + facet('pattern', 'x|y'))}
    ${simple('d', 'token', facet('minLength', '1'))}
    ${simple('e', 'string', facet('pattern', '\\w{1,3}-\\s\\i\\c*'))}
    ${simple('f', 'string', facet('enumeration', 'a b') + facet('enumeration', ''))}
    ${simple('g', 'base64Binary', facet('maxLength', '9'))}
    ${simple('h', 'hexBinary', facet('length', '4'))}
    ${simple('i', 'int', facet('pattern', '0\\d{2}'))}
    <x:element name="j" type="t:narrow" nillable="true"/>
    </x:sequence></x:complexType></x:element>
    <x:simpleType name="wide"><x:restriction base="x:string"><x:pattern value="[a-c]*"/></x:restriction></x:simpleType>
    <x:simpleType name="narrow"><x:restriction base="t:wide"><x:pattern value="[b-d]+"/><x:maxLength value="4"/></x:restriction></x:simpleType>`,
  'what may be nil and has attributes that have to be there': `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="a" type="t:person" nillable="true"/>
    <x:element name="b" type="t:person" nillable="true" minOccurs="0" maxOccurs="3"/>
    <x:element name="c" type="t:amount" nillable="true"/>
    <x:element name="d" type="t:amount" nillable="true" minOccurs="0" maxOccurs="3"/>
    <x:element name="e" type="t:free" nillable="true"/>
    <x:element name="f" type="t:free" nillable="true" minOccurs="0" maxOccurs="3"/>
    <x:choice minOccurs="0"><x:element name="g" type="t:person" nillable="true"/><x:element name="h" type="t:amount" nillable="true"/></x:choice>
    </x:sequence></x:complexType></x:element>
    <x:complexType name="person"><x:sequence><x:element name="first" type="x:string"/></x:sequence>
      <x:attribute name="code" use="required"/><x:attribute name="note"/></x:complexType>
    <x:complexType name="amount"><x:simpleContent><x:extension base="x:decimal"><x:attribute name="unit" use="required"/></x:extension></x:simpleContent></x:complexType>
    <x:complexType name="free"><x:sequence><x:element name="second" type="x:string"/></x:sequence><x:attribute name="mark"/></x:complexType>`,
  'built-in types': `<x:element name="op"><x:complexType><x:sequence>${`string normalizedString token language Name NCName
    NMTOKEN NMTOKENS ID anyURI boolean decimal integer nonPositiveInteger negativeInteger long int short byte nonNegativeInteger
    unsignedLong unsignedInt unsignedShort unsignedByte positiveInteger float double duration dateTime time date gYearMonth gYear
    gMonthDay gDay gMonth hexBinary base64Binary anyType anySimpleType`
    .split(/\s+/)
    .map((type) => `<x:element name="v-${type}" type="x:${type}" minOccurs="0"/>`)
    .join('')}</x:sequence></x:complexType></x:element>`,
  'facets of numbers': `<x:element name="op"><x:complexType><x:sequence>
    ${simple('a', 'decimal', facet('totalDigits', '5') + facet('fractionDigits', '2'))}
    ${simple('b', 'decimal', facet('minExclusive', '0') + facet('maxInclusive', '1'))}
    ${simple('c', 'integer', facet('totalDigits', '3'))}
    ${simple('d', 'long', facet('minInclusive', '-5') + facet('maxExclusive', '-3'))}
    ${simple('e', 'unsignedByte', facet('minInclusive', '250'))}
    ${simple('f', 'decimal', facet('enumeration', '0.10') + facet('enumeration', '5'))}
    ${simple('g', 'integer', facet('enumeration', '123456789012345678901') + facet('enumeration', '007'))}
    </x:sequence></x:complexType></x:element>`,
  'lengths of bytes': `<x:element name="op"><x:complexType><x:sequence>
    ${[0, 2, 5].map((n) => simple(`l${n}`, 'base64Binary', facet('length', `${n}`))).join('')}
    ${[1, 2, 4].map((n) => simple(`a${n}`, 'base64Binary', facet('minLength', `${n}`))).join('')}
    ${[2, 3].map((n) => simple(`b${n}`, 'base64Binary', facet('maxLength', `${n}`))).join('')}
    ${[1, 4].map((n) => simple(`c${n}`, 'base64Binary', facet('minLength', `${n}`) + facet('maxLength', `${n + 1}`))).join('')}
    ${[0, 2].map((n) => simple(`h${n}`, 'hexBinary', facet('minLength', `${n}`) + facet('maxLength', `${n + 1}`))).join('')}
    </x:sequence></x:complexType></x:element>`,
  'how often': `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="a" type="x:int" minOccurs="2" maxOccurs="3"/>
    <x:element name="b" type="x:int" minOccurs="0" maxOccurs="2"/>
    <x:sequence minOccurs="0"><x:element name="c" type="x:int" minOccurs="2" maxOccurs="4"/></x:sequence>
    <x:sequence maxOccurs="2"><x:element name="d" type="t:item" minOccurs="2" maxOccurs="unbounded"/></x:sequence>
    <x:element name="e" minOccurs="0"><x:complexType><x:sequence><x:element name="f" type="x:int" minOccurs="3" maxOccurs="3"/>
      <x:element name="g" type="x:int" minOccurs="0"/></x:sequence></x:complexType></x:element>
    </x:sequence></x:complexType></x:element>
    <x:complexType name="item"><x:sequence><x:element name="x" type="x:date"/><x:element name="y" type="t:item" minOccurs="0"/></x:sequence></x:complexType>`,
  'branches that may be left out': `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="a" minOccurs="0"><x:complexType><x:sequence>
      <x:element name="must" type="x:int"/><x:element name="also" type="x:date"/><x:element name="may" type="x:int" minOccurs="0"/>
      <x:element name="inner" minOccurs="0"><x:complexType><x:sequence><x:element name="deep" type="x:int"/>
        <x:element name="flag" minOccurs="0"><x:complexType/></x:element></x:sequence><x:attribute name="mark" use="required"/></x:complexType></x:element>
      <x:sequence minOccurs="0"><x:element name="together" type="x:int"/><x:element name="with" type="x:int"/></x:sequence>
    </x:sequence></x:complexType></x:element>
    <x:element name="n" nillable="true"><x:complexType><x:sequence><x:element name="o" type="x:int"/><x:element name="p" type="x:int" nillable="true"/></x:sequence></x:complexType></x:element>
    <x:element name="q" minOccurs="0"><x:complexType><x:simpleContent><x:extension base="x:int"><x:attribute name="unit"/></x:extension></x:simpleContent></x:complexType></x:element>
    </x:sequence></x:complexType></x:element>`,
  lists: `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="a" type="t:codes"/><x:element name="b" type="t:codes" minOccurs="0" maxOccurs="3"/>
    <x:element name="c" type="t:few" nillable="true"/><x:element name="d" type="t:either"/>
    <x:element name="e" type="t:whole" minOccurs="0"/></x:sequence><x:attribute name="f" type="t:codes"/></x:complexType></x:element>
    <x:simpleType name="code"><x:restriction base="x:string"><x:enumeration value="A"/><x:enumeration value="B"/></x:restriction></x:simpleType>
    <x:simpleType name="codes"><x:list itemType="t:code"/></x:simpleType>
    <x:simpleType name="few"><x:restriction><x:simpleType><x:list itemType="x:int"/></x:simpleType><x:minLength value="2"/><x:maxLength value="3"/></x:restriction></x:simpleType>
    <x:simpleType name="whole"><x:restriction base="t:codes"><x:enumeration value="A B"/></x:restriction></x:simpleType>
    <x:simpleType name="either"><x:union memberTypes="t:few x:date"/></x:simpleType>`,
  choices: `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="before" type="x:int"/>
    <x:choice><x:element name="a" type="x:int"/><x:element name="b" type="t:pair"/>
      <x:sequence><x:element name="c" type="x:date"/><x:element name="d" type="x:int" minOccurs="0"/></x:sequence></x:choice>
    <x:choice minOccurs="0"><x:element name="e" type="x:int" maxOccurs="3"/><x:element name="f"><x:complexType/></x:element></x:choice>
    <x:element name="maybe" minOccurs="0"><x:complexType><x:choice><x:element name="g" type="x:int"/><x:element name="h" type="x:int" nillable="true"/></x:choice></x:complexType></x:element>
    <x:element name="items" minOccurs="0" maxOccurs="2"><x:complexType><x:sequence>
      <x:choice><x:element name="i" type="x:int"/><x:element name="j" type="t:pair" nillable="true"/></x:choice>
      <x:element name="k" type="x:int" minOccurs="0"/></x:sequence><x:attribute name="mark"/></x:complexType></x:element>
    </x:sequence></x:complexType></x:element>
    <x:complexType name="pair"><x:sequence><x:element name="x" type="x:int"/><x:element name="y" type="x:int" minOccurs="0"/></x:sequence></x:complexType>`,
  'choices in choices': `<x:element name="op"><x:complexType>
    <x:choice>
      <x:sequence><x:element name="a" type="x:int"/><x:choice><x:element name="b" type="x:int"/><x:element name="c" type="x:int"/></x:choice></x:sequence>
      <x:choice><x:element name="d" type="x:int"/><x:element name="e" type="x:int" minOccurs="0"/></x:choice>
      <x:sequence><x:element name="f" type="x:int" minOccurs="0"/><x:choice><x:element name="g" type="x:int"/><x:sequence><x:element name="h" type="x:int"/>
        <x:choice minOccurs="0"><x:element name="i" type="x:int"/><x:element name="j" type="x:int" maxOccurs="unbounded"/></x:choice></x:sequence></x:choice>
        <x:choice><x:element name="k" type="x:int"/><x:element name="l" type="x:int"/></x:choice></x:sequence>
      <x:group ref="t:either"/>
      <x:sequence minOccurs="0"><x:element name="o" type="x:int" minOccurs="0"/><x:element name="p" type="x:int" minOccurs="0"/></x:sequence>
      <x:element name="q"><x:complexType><x:sequence><x:element name="z" type="x:string" fixed="Z"/><x:element name="empty"><x:complexType/></x:element></x:sequence></x:complexType></x:element>
      <x:sequence><x:element name="r" type="x:string" fixed="R"/><x:element name="s"><x:complexType/></x:element></x:sequence>
      <x:element name="t" type="x:string" fixed="T"/>
    </x:choice></x:complexType></x:element>
    <x:group name="either"><x:choice><x:element name="m" type="x:int"/><x:element name="n"><x:complexType><x:choice><x:element name="a" type="x:int"/><x:element name="b" type="x:int"/></x:choice></x:complexType></x:element></x:choice></x:group>`,
  'choices in parts that may be left out': `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="one" minOccurs="0"><x:complexType><x:sequence><x:element name="must" type="x:int"/>
      <x:choice><x:element name="a" type="x:int"/><x:element name="b" type="x:int"/></x:choice>
      <x:choice minOccurs="0"><x:element name="c" type="x:int"/><x:element name="d" type="x:int"/></x:choice></x:sequence></x:complexType></x:element>
    <x:sequence minOccurs="0"><x:choice><x:element name="e" type="x:int"/><x:element name="f" type="x:int"/></x:choice>
      <x:choice><x:element name="g" type="x:int"/><x:element name="h" type="x:int" maxOccurs="2"/></x:choice><x:element name="i" type="x:int" minOccurs="0"/></x:sequence>
    <x:element name="nil" nillable="true"><x:complexType><x:choice><x:element name="j" type="x:int"/><x:element name="k" type="x:int"/></x:choice></x:complexType></x:element>
    <x:element ref="t:head" minOccurs="0"/><x:element name="between" type="x:int"/><x:element ref="t:head"/>
    </x:sequence></x:complexType></x:element>
    <x:element name="head" abstract="true"/><x:element name="first" type="x:int" substitutionGroup="t:head"/>
    <x:element name="second" substitutionGroup="t:head"><x:complexType><x:sequence><x:element name="v" type="x:int"/></x:sequence></x:complexType></x:element>`,
  'abstract types, fixed values and defaults': `<x:element name="op"><x:complexType><x:sequence>
    <x:element name="who" type="t:party"/><x:element name="others" type="t:party" minOccurs="0" maxOccurs="unbounded"/>
    <x:element name="null" type="t:party" nillable="true"/><x:element name="maybe" type="t:party" minOccurs="0" nillable="true"/>
    <x:element name="one" type="t:thing"/>
    <x:element name="f1" type="x:string" fixed="F"/><x:element name="f2" type="x:int" fixed="7" minOccurs="0"/>
    <x:element name="f3" type="x:string" fixed="G" nillable="true"/><x:element name="f4" type="x:boolean" default="true"/>
    <x:element name="f5" type="x:string" fixed="H" maxOccurs="2"/>
    </x:sequence><x:attribute name="f6" fixed="I"/><x:attribute name="f7" fixed="J" use="required"/></x:complexType></x:element>
    <x:complexType name="party" abstract="true"><x:sequence><x:element name="name" type="x:string"/></x:sequence></x:complexType>
    <x:complexType name="person"><x:complexContent><x:extension base="t:party"><x:sequence><x:element name="code" type="x:int"/></x:sequence></x:extension></x:complexContent></x:complexType>
    <x:complexType name="firm"><x:complexContent><x:extension base="t:party"><x:sequence><x:element name="head" type="t:party" minOccurs="0"/></x:sequence><x:attribute name="kind" use="required"/></x:extension></x:complexContent></x:complexType>
    <x:complexType name="thing" abstract="true"/>
    <x:complexType name="book"><x:complexContent><x:extension base="t:thing"><x:sequence><x:element name="pages" type="x:int"/></x:sequence></x:extension></x:complexContent></x:complexType>`,
}
