/** What is said about names and files of a WSDL that lead nowhere, and about WSDLs that only import others. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { generateAll, generateAround, readText, wsdlAround } from '../../support/wsdl/wsdl.ts'
import { drop, plain, wsdlOf } from '../../support/wsdl/wsdl-folder.ts'

const requestOf = '<x:element name="op" type="x:string"/>'

/** `reason: detail` of the one operation, with the WSDL changed. */
function wordsOf(change: (wsdl: string) => string, schema = requestOf): string {
  const before = wsdlAround(schema)
  const after = change(before)
  ok(after !== before, 'nothing was changed')
  const [first] = generateAll(readText(after))
  return first?.kind === 'skipped' ? `${first.reason}: ${first.detail}` : (first?.kind ?? 'no operation')
}

describe('a name that misses by its namespace is told so [X25]', () => {
  const bindingOf =
    (type: string, declared = '') =>
    (wsdl: string) =>
      wsdl.replace('<wsdl:binding name="b" type="t:pt">', `<wsdl:binding name="b" ${type} ${declared}>`)
  const rows: Readonly<Record<string, readonly [change: (wsdl: string) => string, words: string]>> = {
    'a binding whose tns is another namespace': [
      bindingOf('type="tns:pt"', 'xmlns:tns="urn:other"'),
      'no_port_type_operation: port type tns:pt is missing: the prefix tns stands for "urn:other" here; pt is in "urn:t": t:pt is probably meant',
    ],
    'a prefix that hides the right one': [
      bindingOf('type="t:pt"', 'xmlns:t="urn:other"'),
      'no_port_type_operation: port type t:pt is missing: the prefix t stands for "urn:other" here; pt is in "urn:t": declare a prefix for that namespace and write it there',
    ],
    'no prefix': [
      bindingOf('type="pt"'),
      'no_port_type_operation: port type pt is missing: a name without a prefix stands for no namespace here; pt is in "urn:t": t:pt is probably meant',
    ],
    'a prefix that is a default namespace': [
      bindingOf('type="t:pt"', 'xmlns="urn:t" xmlns:t="urn:other"'),
      'no_port_type_operation: port type t:pt is missing: the prefix t stands for "urn:other" here; pt is in "urn:t": pt is probably meant',
    ],
    'a prefix that nobody declares': [
      bindingOf('type="tns:pt"'),
      'no_port_type_operation: port type tns:pt is missing: the prefix tns is declared nowhere; pt is in "urn:t": t:pt is probably meant',
    ],
    'a name that is nowhere': [bindingOf('type="t:gone"'), 'no_port_type_operation: port type t:gone is missing'],
    'a binding without a type': [bindingOf(''), 'no_port_type_operation: no port type is named'],
    'a port type without the operation': [
      (wsdl) => wsdl.replace('<wsdl:operation name="op"><wsdl:input m', '<wsdl:operation name="oq"><wsdl:input m'),
      'no_port_type_operation: port type t:pt has no operation op',
    ],
    'a message': [
      (wsdl) => wsdl.replace('<wsdl:input message="t:m"/>', '<wsdl:input message="o:m" xmlns:o="urn:o"/>'),
      'input_unresolved: message o:m is missing: the prefix o stands for "urn:o" here; m is in "urn:t": t:m is probably meant',
    ],
    'an element': [
      (wsdl) => wsdl.replace('element="t:op"', 'element="o:op" xmlns:o="urn:o"'),
      'input_unresolved: element o:op is missing: the prefix o stands for "urn:o" here; op is in "urn:t": t:op is probably meant',
    ],
    'a type': [
      (wsdl) => wsdl.replace('type="x:string"', 'type="t:string"'),
      'type_missing: t:string; string is declared in "http://www.w3.org/2001/XMLSchema"',
    ],
  }
  for (const [name, [change, words]] of Object.entries(rows)) {
    test(name, () => {
      strictEqual(wordsOf(change), words)
    })
  }
})

describe('a request without a body has a reason and a cure of its own [X25]', () => {
  const part = '<wsdl:part name="p" element="t:op"/>'
  const body = '<soap:body use="literal"/>'
  const header = '<soap:header message="t:m" part="p" use="literal"/>'
  const rows: Readonly<Record<string, readonly [from: string, to: string, words: string]>> = {
    'a part with neither': [
      part,
      '<wsdl:part name="p"/>',
      'no_body: part p of message t:m names neither an element nor a type',
    ],
    'a part with a type': [
      part,
      '<wsdl:part name="p" type="x:string"/>',
      'no_body: part p of message t:m names a type, not an element',
    ],
    'no part': [part, '', 'no_body: message t:m has no part'],
    'a body that names another part': [
      body,
      '<soap:body parts="q" use="literal"/>',
      'no_body: soap:body names the part q, which message t:m does not have',
    ],
    'a body that names none': [
      body,
      '<soap:body parts="" use="literal"/>',
      'no_body: soap:body names no part of message t:m',
    ],
    'a header alone': [
      body,
      header,
      'no_body: every part of message t:m is sent as a header; its binding has no soap:body',
    ],
    'a header and a body': [body, header + body, 'no_body: every part of message t:m is sent as a header'],
    'an input that is not bound': [body, '', 'generated'],
    'several parts': [
      part,
      part + part.replace('"p"', '"q"'),
      'input_unresolved: its message has several parts for the body (p, q): name the one that is meant in parts of soap:body',
    ],
  }
  for (const [name, [from, to, words]] of Object.entries(rows)) {
    test(name, () => {
      strictEqual(
        wordsOf((wsdl) => wsdl.replace(from, to)),
        words,
      )
    })
  }
})

test('what is abstract is named with its prefix, in a note and where several could stand for it too [X25]', () => {
  const types = '<x:complexType name="A" abstract="true"/><x:element name="h" abstract="true" type="x:string"/>'
  const several = '<x:element name="h1" substitutionGroup="t:h"/><x:element name="h2" substitutionGroup="t:h"/>'
  const around = (content: string, more = '') =>
    generateAround(
      `<x:element name="op"><x:complexType><x:sequence>${content}</x:sequence></x:complexType></x:element>${types}${more}`,
    )
  const detailOf = (result: ReturnType<typeof around>) =>
    result.kind === 'skipped' ? result.detail : result.notes.join()
  strictEqual(detailOf(around('<x:element name="a" type="t:A"/>')), 'type t:A in op')
  match(detailOf(around('<x:element name="a" type="t:A" minOccurs="0"/>')), /type t:A in op$/)
  strictEqual(detailOf(around('<x:element ref="t:h"/>')), 'element t:h in op')
  const own = `<x:element name="op" abstract="true"/>${several.replaceAll('t:h', 't:op')}`
  strictEqual(detailOf(generateAround(own)), 'several elements may stand for t:op')
  strictEqual(detailOf(generateAround(`<x:element name="op" type="t:A"/>${types}`)), 'type t:A')
})

describe('the hint for a file that is missing names the file, the line that asks for it, and the cure [X25]', () => {
  const warningOf = (schema: string, more: Readonly<Record<string, string>> = {}) => {
    const dropped = drop({
      'wsdl/a/api.wsdl': wsdlOf(['find'], { schema, type: 't:Far' }),
      ...sidecarOf('a/api'),
      ...more,
    })
    strictEqual(dropped.warnings.length, 1, dropped.warnings.join('\n'))
    return plain(dropped.warnings, dropped.folder)[0] ?? ''
  }
  const include = (location: string) => `<x:include schemaLocation="${location}"/>`
  const schema = (content: string) =>
    `<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">\n${content}</x:schema>`
  const ends: Readonly<Record<string, readonly [schema: string, end: string]>> = {
    beside: [
      include('types.xsd'),
      'types.xsd (not beside the WSDL), which a/api.wsdl:3 includes: put the file itself at a/types.xsd',
    ],
    'in a folder': [
      include('./xsd/types.xsd'),
      './xsd/types.xsd (not beside the WSDL), which a/api.wsdl:3 includes: put the file itself at a/xsd/types.xsd',
    ],
    'in a folder that is not looked into': [
      include('../types.xsd'),
      '../types.xsd (not beside the WSDL), which a/api.wsdl:3 includes: put it beside the WSDL and write its name alone as the schemaLocation',
    ],
    'an address': [
      include('https://far.example.com/x/types.xsd'),
      'https://far.example.com/x/types.xsd (not beside the WSDL), which a/api.wsdl:3 includes: fetch it with xroad-proxy wsdl vendor, or put it beside the WSDL as types.xsd',
    ],
    'an address without a name': [
      include('https://far.example.com/'),
      'https://far.example.com/ (not beside the WSDL), which a/api.wsdl:3 includes: fetch it with xroad-proxy wsdl vendor, or put it beside the WSDL',
    ],
    'without a location': [
      '<x:include/>',
      'a file without a location (does not name a file), which a/api.wsdl:3 includes: write its location',
    ],
    redefined: [
      '<x:redefine schemaLocation="types.xsd"/>',
      'types.xsd (not beside the WSDL), which a/api.wsdl:3 redefines: put the file itself at a/types.xsd',
    ],
  }
  for (const [name, [content, end]] of Object.entries(ends)) {
    test(name, () => {
      ok(warningOf(content).includes(`: t:Far; perhaps in ${end}; it gets no endpoint`), warningOf(content))
    })
  }

  test('an include of an included file, and one that is no schema', () => {
    match(
      warningOf(include('one.xsd'), { 'wsdl/a/one.xsd': schema(include('two.xsd')) }),
      /perhaps in two\.xsd \(not beside the WSDL\), which a\/one\.xsd:2 includes: put the file itself at a\/two\.xsd;/,
    )
    match(
      warningOf(include('one.xsd'), { 'wsdl/a/one.xsd': '<html/>' }),
      /perhaps in one\.xsd \(not a schema\), which a\/api\.wsdl:3 includes: correct it;/,
    )
  })

  test('of several the one of the namespace that is looked for', () => {
    const other = '<x:import namespace="urn:o" schemaLocation="other.xsd"/>'
    match(warningOf(other + include('mine.xsd')), /perhaps in mine\.xsd .* a\/mine\.xsd; it gets/)
    match(warningOf(other), /perhaps in other\.xsd .*:3 imports: /)
    match(
      warningOf(include('one.xsd') + include('two.xsd')),
      /perhaps in one\.xsd .*; 1 more missing: two\.xsd; it gets/,
    )
  })

  test('a WSDL that is imported and missing', () => {
    const before = '<wsdl:import namespace="urn:o" location="types.wsdl"/>'
    const text = wsdlOf(['find'], { before }).replace('type="t:pt"', 'type="o:pt" xmlns:o="urn:o"')
    const dropped = drop({ 'wsdl/a/api.wsdl': text, ...sidecarOf('a/api') })
    match(
      dropped.warnings.join('\n'),
      /port type o:pt is missing: .*; perhaps in types\.wsdl \(not beside the WSDL\), which a\/api\.wsdl:2 imports: put the file itself at a\/types\.wsdl;/,
    )
  })
})

function sidecarOf(...names: readonly string[]): Record<string, string> {
  const sidecar = 'member_class: GOV\nmember_code: 70000001\nsubsystem_code: register\n'
  return Object.fromEntries(names.map((name) => [`wsdl/${name}.meta.yaml`, sidecar]))
}

describe('a WSDL that only imports others is no WARN [X25]', () => {
  const importing = (...locations: readonly string[]) =>
    `<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/"><wsdl:documentation>all</wsdl:documentation>
${locations.map((location) => `<wsdl:import namespace="urn:t" location="${location}"/>`).join('\n')}</wsdl:definitions>`
  const sources = (files: Readonly<Record<string, string>>) =>
    Object.entries(files).map(([name, text]) => `${name} ${/^# Source: (\S+):/m.exec(text)?.[1]}`)

  for (const importer of ['a/all.wsdl', 'a/x.wsdl']) {
    test(`the sidecar is that of the imported one: ${importer}`, () => {
      const dropped = drop({
        [`wsdl/${importer}`]: importing('m.wsdl', 'n.wsdl'),
        'wsdl/a/m.wsdl': wsdlOf(['find']),
        'wsdl/a/n.wsdl': wsdlOf(['add']).replaceAll('urn:t', 'urn:n'),
        ...sidecarOf('a/m', 'a/n'),
      })
      deepStrictEqual(dropped.warnings, [])
      deepStrictEqual(sources(dropped.files()), ['a/add.yml a/n.wsdl', 'a/find.yml a/m.wsdl'])
      // Remembered, it is the same.
      deepStrictEqual(dropped.again().warnings, [])
    })

    test(`the sidecar is that of the importing one: ${importer}`, () => {
      const dropped = drop({
        [`wsdl/${importer}`]: importing('m.wsdl'),
        'wsdl/a/m.wsdl': wsdlOf(['find']),
        ...sidecarOf(importer.replace('.wsdl', '')),
      })
      deepStrictEqual(dropped.warnings, [])
      deepStrictEqual(sources(dropped.files()), [`a/find.yml ${importer}`])
    })
  }

  test('what it imports stands in another folder: the endpoints are those of both', () => {
    const dropped = drop({
      'wsdl/a/all.wsdl': importing('people/m.wsdl'),
      'wsdl/a/people/m.wsdl': wsdlOf(['find']),
      ...sidecarOf('a/all', 'a/people/m'),
    })
    deepStrictEqual(dropped.warnings, [])
    deepStrictEqual(Object.keys(dropped.files()), ['a/find.yml', 'a/people-find.yml'])
  })

  test('what it imports has no operation: that is told of the other one', () => {
    const dropped = drop({ 'wsdl/a/all.wsdl': importing('m.wsdl'), 'wsdl/a/m.wsdl': wsdlOf([]), ...sidecarOf('a/m') })
    deepStrictEqual(plain(dropped.warnings, dropped.folder), [
      'wsdl/a/m.wsdl: has no operation; it needs a portType, a binding and a service, which may be in another file of the provider',
    ])
  })

  test('a skipped operation is told once', () => {
    const odd = wsdlOf(['find']).replace('<soap:binding', '<soap:binding style="odd"')
    const dropped = drop({ 'wsdl/a/all.wsdl': importing('m.wsdl'), 'wsdl/a/m.wsdl': odd })
    strictEqual(dropped.warnings.length, 1)
    match(
      dropped.warnings[0] ?? '',
      /a\/m\.wsdl:\d+: operation find is bound in a style that is neither document nor rpc/,
    )
  })

  test('an operation is told with the file that it stands in, and the line of that file', () => {
    const other = wsdlOf(['find', 'add'])
    const text = other.replace(
      '<wsdl:operation name="add"><wsdl:input><soap:body use="literal"/>',
      '<wsdl:operation name="add"><wsdl:input><soap:body use="encoded"/>',
    )
    const lineOf = (part: string): number => text.slice(0, text.lastIndexOf(part)).split('\n').length
    const dropped = drop({
      'wsdl/a/all.wsdl': importing('mid.xml'),
      'wsdl/a/mid.xml': importing('m.xml'),
      'wsdl/a/m.xml': text,
      ...sidecarOf('a/all'),
    })
    const place = `wsdl/a/m.xml:${lineOf('name="add"')}`
    deepStrictEqual(plain(dropped.warnings, dropped.folder), [
      `${place}: operation add uses encoded values; only literal ones are supported; it gets no endpoint`,
    ])
    deepStrictEqual(dropped.files()['a/find.yml']?.split('\n').slice(1, 3), [
      '# Source: a/all.wsdl:2',
      `# Imported: a/m.xml:${lineOf('name="find"')}`,
    ])
    const reported = dropped.report.flatMap(({ operations }) => operations.map(({ file, line }) => `${file}:${line}`))
    deepStrictEqual(plain(reported, dropped.folder), [`wsdl/a/m.xml:${lineOf('name="find"')}`, place])
    // Remembered, it is the same.
    deepStrictEqual(dropped.again().warnings, dropped.warnings)
    deepStrictEqual(dropped.again().report, dropped.report)
  })

  test('an operation of its own that another WSDL has as well stays a WARN', () => {
    const own = wsdlOf(['find'], { before: '<wsdl:import namespace="urn:n" location="m.wsdl"/>' })
    const dropped = drop({ 'wsdl/a/all.wsdl': own, 'wsdl/a/m.wsdl': wsdlOf(['find']), ...sidecarOf('a/all', 'a/m') })
    strictEqual(dropped.warnings.length, 1)
    match(dropped.warnings[0] ?? '', /a\/m\.wsdl:\d+: operation find has the DSL file of an operation of another WSDL/)
  })

  const nothing: Readonly<Record<string, readonly [file: Readonly<Record<string, string>>, end: string]>> = {
    'a file that is missing': [
      {},
      'm.wsdl (not beside the WSDL), which a/all.wsdl:2 imports: put the file itself at a/m.wsdl',
    ],
    'another document': [
      { 'wsdl/a/m.wsdl': '<html/>' },
      'm.wsdl (is not a WSDL: its first element is html without a namespace), which a/all.wsdl:2 imports: correct it',
    ],
  }
  for (const [name, [files, end]] of Object.entries(nothing)) {
    test(`it imports nothing readable: ${name}`, () => {
      const dropped = drop({ 'wsdl/a/all.wsdl': importing('m.wsdl'), ...files })
      const [first] = plain(dropped.warnings, dropped.folder)
      strictEqual(first, `wsdl/a/all.wsdl: has no operation; perhaps in ${end}`)
    })
  }

  test('one of two is missing: a WARN with the line, and the operations of the other', () => {
    const dropped = drop({
      'wsdl/a/all.wsdl': importing('m.wsdl', 'n.wsdl'),
      'wsdl/a/m.wsdl': wsdlOf(['find']),
      ...sidecarOf('a/m'),
    })
    deepStrictEqual(plain(dropped.warnings, dropped.folder), [
      'wsdl/a/all.wsdl:3: operations may be missing: n.wsdl (not beside the WSDL), which a/all.wsdl:3 imports: put the file itself at a/n.wsdl',
    ])
    deepStrictEqual(Object.keys(dropped.files()), ['a/find.yml'])
  })

  test('without any import it has no operation', () => {
    const dropped = drop({ 'wsdl/a/all.wsdl': importing() })
    deepStrictEqual(plain(dropped.warnings, dropped.folder), [
      'wsdl/a/all.wsdl: has no operation; it needs a portType, a binding and a service, which may be in another file of the provider',
    ])
  })

  test('an import may bring a schema', () => {
    const far = `<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
<x:complexType name="Far"><x:sequence><x:element name="far" type="x:string"/></x:sequence></x:complexType></x:schema>`
    const dropped = drop({
      'wsdl/a/api.wsdl': wsdlOf(['find'], {
        before: '<wsdl:import namespace="urn:t" location="far.xsd"/>',
        type: 't:Far',
      }),
      'wsdl/a/far.xsd': far,
      ...sidecarOf('a/api'),
    })
    deepStrictEqual(dropped.warnings, [])
    deepStrictEqual(Object.keys(dropped.files()), ['a/find.yml'])
  })
})
