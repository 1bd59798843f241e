/** XML to JSON: by examples, at its caps, with malformed and hostile documents, and against a second reading. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import type { Limits } from '../../../src/soap/json/reader.ts'
import { maxDepth, maxEvents } from '../../../src/soap/json/translate.ts'
import { finish } from '../../../src/steps.ts'
import { joinJson, type Json, lengthOf, LongJson, quote } from '../../../src/soap/json/json-text.ts'
import { type Inside, type Listener, openParser } from '../../../src/soap/json/parser.ts'
import { anyShape, type Member, type Shape, toBody, type ValueKind } from '../../../src/soap/json/shape.ts'
import { toTypedValue } from '../../../src/soap/json/typed-value.ts'
import { XmlError } from '../../../src/soap/json/xml-error.ts'
import { readTree, toAnswer, toJson, type XmlElement } from '../../support/xml.ts'
import { translate, translateInSteps } from '../../support/translate.ts'

/** JSON text of one element. */
function value(xml: string): string {
  const { body } = translate(xml)
  return body.slice(body.indexOf(':') + 1, -1)
}

function leaf(text: string): string {
  return translate(`<a>${text}</a>`).body.slice('{"a":'.length, -1)
}

function refusal(xml: string, limits?: Limits): string {
  try {
    translate(xml, limits)
  } catch (error) {
    ok(error instanceof XmlError, String(error))
    strictEqual(error.name, 'XmlError')
    return error.message
  }
  throw new Error(`accepted: ${xml.slice(0, 200)}`)
}

function envelope(inside: string): string {
  return `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/">${inside}</s:Envelope>`
}

test('Body and Header become body and headers, whatever their prefix [S-xml.1 D3.6]', () => {
  const both = translate(envelope('<s:Header><i>1</i></s:Header><s:Body><o>2</o></s:Body>'))
  deepStrictEqual(both, { body: '{"o":2}', headers: '{"i":1}', fault: undefined })
  const plain = translate('<Envelope><Header><i>1</i></Header><Body><o>2</o></Body></Envelope>')
  deepStrictEqual(plain, both)
  deepStrictEqual(translate('<x:Envelope><y:Body><o>2</o></y:Body><z:Header><i>1</i></z:Header></x:Envelope>'), both)
})

test('a Header that is missing or empty is null, so is a Body [D3.6]', () => {
  for (const xml of [envelope('<s:Body/>'), envelope('<s:Header/><s:Body> </s:Body>'), envelope('')])
    deepStrictEqual(translate(xml), { body: 'null', headers: 'null', fault: undefined })
})

test('a second Body or Header makes an array; other children of the Envelope are not part of the answer [D3.6]', () => {
  const { body, headers } = translate(
    envelope('<s:Body>1</s:Body><x>9</x><t:Body>2</t:Body><Header/><Header>3</Header>text'),
  )
  strictEqual(body, '[1,2]')
  strictEqual(headers, '[null,3]')
  strictEqual(translate(envelope('<body>9</body><s:Body>1</s:Body><header>9</header>')).body, '1')
})

test('only the root is an Envelope, and only a child of it a Body [D3.6]', () => {
  strictEqual(translate('<a><Envelope><Body>1</Body></Envelope></a>').body, '{"a":{"Envelope":{"Body":1}}}')
  strictEqual(translate(envelope('<x><Body>1</Body></x>')).body, 'null')
  strictEqual(translate(envelope('<s:Body><s:Body>1</s:Body></s:Body>')).body, '{"s:Body":1}')
})

test('without an Envelope the document is the body [D3.6]', () => {
  deepStrictEqual(translate('<p:a>5</p:a>'), { body: '{"p:a":5}', headers: 'null', fault: undefined })
  strictEqual(translate('<a/>').body, '{"a":null}')
})

test('prefixes stay, repeats are arrays wherever they stand, keys in the order of their first element [S-xml.2]', () => {
  strictEqual(value('<r><p:b>1</p:b><a>2</a><p:b>3</p:b><b>4</b><p:b/></r>'), '{"p:b":[1,3,null],"a":2,"b":4}')
  strictEqual(value('<r><a><b/></a><a><b/><b/></a></r>'), '{"a":[{"b":null},{"b":[null,null]}]}')
  const names = Array.from({ length: 40 }, (_, index) => `n${index}`)
  const twice = [...names, ...names].map((name) => `<${name}/>`).join('')
  strictEqual(value(`<r>${twice}</r>`), `{${names.map((name) => `"${name}":[null,null]`).join(',')}}`)
})

test('attributes first, as written, xmlns too; text beside them is a string [D3.3]', () => {
  strictEqual(
    value('<a x:y="1" xmlns:x="u" xmlns="v">007</a>'),
    '{"@x:y":"1","@xmlns:x":"u","@xmlns":"v","#text":"007"}',
  )
  strictEqual(value('<a b="1">5</a>'), '{"@b":"1","#text":"5"}')
  strictEqual(value('<a b="1"><c/>true</a>'), '{"@b":"1","c":null,"#text":"true"}')
  strictEqual(value('<a xsi:nil="true"/>'), '{"@xsi:nil":"true"}')
  strictEqual(value('<a xsi:nil="true"> </a>'), '{"@xsi:nil":"true"}')
  strictEqual(value('<a b=" x\n\t&#10;&amp;&quot;\\ "/>'), String.raw`{"@b":" x  \n&\"\\ "}`)
})

test('nothing, or white space only, is null [S-xml.2 D3.2]', () => {
  for (const xml of [
    '<a/>',
    '<a></a>',
    '<a> \t\r\n</a>',
    '<a><!-- --></a>',
    '<a><![CDATA[ ]]></a>',
    '<a>&#32;&#10;</a>',
  ])
    strictEqual(value(xml), 'null', xml)
  strictEqual(leaf('&#160;'), '"\u00a0"')
})

test('text is one, whatever stands in it, and trimmed once [D3.2]', () => {
  strictEqual(leaf('a &#228; b'), '"a ä b"')
  strictEqual(leaf('\n a<!-- c --> <?p i?><![CDATA[ <b> ]]>&amp;\n'), '"a  <b> &"')
  strictEqual(leaf('1<!-- -->2'), '12')
  strictEqual(leaf('tr<![CDATA[ue]]>'), 'true')
  strictEqual(leaf('a\r\nb\rc&#13;d'), String.raw`"a\nb\nc\rd"`)
  strictEqual(value('<a> x <b>1</b> y <b/> z </a>'), '{"b":[1,null],"#text":"x  y  z"}')
})

test('integers of 64 bits keep their digits [S-xml.3 D3.4]', () => {
  const integers = ['0', '7', '-7', '9007199254740993', '9223372036854775807', '-9223372036854775808', ' 42 ']
  for (const text of integers) strictEqual(leaf(text), text.trim())
  strictEqual(leaf('+5'), '5')
  strictEqual(leaf('+9223372036854775807'), '9223372036854775807')
  strictEqual(leaf('+0'), '0')
})

test('everything else stays a string [S-xml.3 D3.4]', () => {
  const strings = [
    '9223372036854775808',
    '-9223372036854775809',
    '99999999999999999999',
    '007',
    '-0',
    '-007',
    '00',
    '+',
    '-',
  ]
  const more = ['1.0', '1e3', '0x10', '1 2', '١', 'True', 'TRUE', 'False', 'null', 'NaN', '+-5', '--5', '1_000', '1,5']
  for (const text of [...strings, ...more]) strictEqual(leaf(text), JSON.stringify(text))
  strictEqual(leaf(' true '), 'true')
  strictEqual(leaf('false'), 'false')
})

test('names of object members are ordinary keys [D3.4]', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'length']
  for (const name of names) {
    strictEqual(value(`<a><${name}>1</${name}></a>`), `{"${name}":1}`)
    strictEqual(value(`<a><${name}/><${name}/></a>`), `{"${name}":[null,null]}`)
    strictEqual(value(`<a ${name}="1"/>`), `{"@${name}":"1"}`)
    strictEqual(translate(`<${name}/>`).body, `{"${name}":null}`)
    strictEqual(translate(envelope(`<s:Body><${name}>1</${name}></s:Body>`)).body, `{"${name}":1}`)
    ok(refusal(`<a ${name}="1" ${name}="1"/>`).endsWith('duplicate attribute'))
    ok(refusal(`<a>&${name};</a>`).endsWith('undefined entity'))
  }
})

test('the five entities and character references are decoded, others refused [S-xml.4 D3.1]', () => {
  strictEqual(leaf('&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#x1F600;'), String.raw`"<>&\"'AB😀"`)
  strictEqual(leaf('&amp;lt;&#38;lt;'), '"&lt;&lt;"')
  for (const text of [
    '&nbsp;',
    '&auml;',
    '&foo;',
    '&AMP;',
    '&#0;',
    '&#x110000;',
    '&#xD800;',
    '&#xFFFE;',
    '&#11;',
    '&#X41;',
    '&;',
    '&#;',
  ])
    refusal(`<a>${text}</a>`)
  for (const text of ['&foo;', '&#0;']) refusal(`<a b="${text}"/>`)
})

test('a DOCTYPE is refused, with entities and without [D3.1]', () => {
  for (const doctype of ['<!DOCTYPE a>', '<!DOCTYPE a SYSTEM "file:///etc/passwd">', '<!DOCTYPE a [<!ENTITY x "y">]>'])
    strictEqual(refusal(`${doctype}<a>1</a>`).replace(/^[\d:]+ /, ''), 'a DOCTYPE is not accepted')
})

/** What makes a document malformed, each with a word that no message may show. */
const malformed = [
  '',
  ' ',
  'hidden',
  '{"hidden":1}',
  '<hidden>',
  '<hidden',
  '<hidden a="',
  '<a><hidden></a></hidden>',
  '<a></hidden>',
  '<a/></hidden>',
  '<a hidden="1" hidden="2"/>',
  '<a hidden/>',
  '<a hidden=1/>',
  '<a hidden="<"/>',
  '<a x="hidden"y="1"/>',
  '<a/>hidden',
  '<a/><hidden/>',
  'hidden<a/>',
  '<a/><![CDATA[hidden]]>',
  '<a/>&#32;',
  '<a>hidden ]]> </a>',
  '<a>hidden & </a>',
  '<a>&hidden;</a>',
  '<a>&hidden</a>',
  '<a>hidden < </a>',
  '<a>hidden\u0001</a>',
  '<a>hidden\u0000</a>',
  '<a>hidden\ufffe</a>',
  '<a>hidden\uffff</a>',
  '<a b="hidden\u0008"/>',
  '<a><!-- hidden -- --></a>',
  '<a><!-- hidden --->',
  '<a><![CDATA[hidden]]</a>',
  '<a><![hidden[x]]></a>',
  '<a><?xml hidden?></a>',
  '<a/><?XML hidden?>',
  '<a><?hidden?hidden?></a>',
  '<a><?hidden??></a>',
  ' <?xml version="1.0"?><hidden/>',
  '<?xml version="hidden"?><a/>',
  '<?xml hidden="1.0"?><a/>',
  '<?xml version="1.0" encoding="hid den"?><a/>',
  '<?xml version="1.0" standalone="hidden"?><a/>',
  '<?xml version="1.0" encoding="UTF-8" hidden?><a/>',
  '<1hidden/>',
  '<-hidden/>',
  '<a><hidden / ></a>',
  '<a>< hidden/></a>',
  '\ufeff<hidden/>',
  `<${'hidden'.repeat(1000)}>`,
  `<a>&${'hidden'.repeat(1000)};</a>`,
]

test('malformed XML is refused; the message says where, and shows nothing [D3.1 S-error.upstream_xml_parse_error]', () => {
  for (const xml of malformed) {
    const message = refusal(xml)
    ok(/^\d+:\d+: \S/.test(message), message)
    ok(!message.includes('hidden'), message)
    ok(message.length < 150, message)
  }
  strictEqual(refusal('<a>\n  <b>\n</a>'), '3:4: unexpected close tag')
})

test('where a refusal is our own, its words say what is wrong [D3.1 S-error.upstream_xml_parse_error]', () => {
  const reasons = [
    ['\ufeff<a/>', '1:0: a byte-order mark inside the document'],
    ['<!-- -->', '1:8: document must contain a root element'],
    ['<a><?a?b?></a>', '1:10: no white space after the target of a processing instruction'],
    // These are given up between two pieces, and not read to their end.
    [`<a>&${'x'.repeat(300_000)}`, '1:262144: undefined entity'],
    [`<!DOCTYPE a [${' '.repeat(300_000)}`, '1:131072: a DOCTYPE is not accepted'],
    [`<${'x'.repeat(300_000)}/>`, '1:262144: a name is too long'],
    [`<a ${'x'.repeat(300_000)}="1"/>`, '1:262144: a name is too long'],
    [`<a></${'x'.repeat(300_000)}>`, '1:262144: a name is too long'],
    [`<a><?${'x'.repeat(300_000)} ?></a>`, '1:262144: a name is too long'],
  ] as const
  for (const [xml, message] of reasons) strictEqual(refusal(xml), message)
})

const strayAmpersand = 'an & that begins no reference; as a character it is written &amp;'

test('an & that is no reference is told where it is, whatever comes behind it [D3.1]', () => {
  const places = [
    ['& <a/>', '1:1'],
    ['<a>\n <b>x & y</b>\n</a>', '2:7'],
    ['<a>\n <b>x & y</b>\n<c>1 &lt; 2</c>\n</a>', '2:7'],
    ['<a b="x & y"/>', '1:9'],
    ['<a>\r\nõõ AT&T</a>', '2:6'],
    ['<a><!-- a & b --><![CDATA[a & b]]><?p a & b?><b>x & y</b></a>', '1:51'],
    // What follows is given up between two pieces, and not read to its end.
    [`<a>x & ${'y'.repeat(300_000)}`, '1:6'],
  ] as const
  for (const [xml, place] of places) strictEqual(refusal(xml), `${place}: ${strayAmpersand}`)
  for (const xml of ['<a>&nbsp;</a>', '<a><!-- a & b -->&x;</a>']) match(refusal(xml), /: undefined entity$/)
})

test('the same far into a long document [D3.1]', () => {
  const places = [
    [`<a>${'x'.repeat(300_000)}\n<b>x & y</b>${'<c/>'.repeat(20_000)}</a>`, '2:6'],
    // Its line began long before, and ended long before the parser gave up.
    [`<a>${'<c/>'.repeat(90_000)}x & y${'<c>\n</c>'.repeat(9_000)}</a>`, '1'],
  ] as const
  for (const [xml, place] of places) strictEqual(refusal(xml), `${place}: ${strayAmpersand}`)
})

test('what looks odd and is well-formed passes [D3.1]', () => {
  const documents = [
    ['<a><?p ?x?><?p ??></a>', 'null'],
    ['<a><![CDATA[]]]]><![CDATA[>]]></a>', '"]]>"'],
    ['<a>]]&gt;</a>', '"]]>"'],
    ["<a\n\tb = '\"' ></a\n>", String.raw`{"@b":"\""}`],
    [
      '<?xml version="1.0" standalone=\'yes\' ?>\n<!-- --><?p?><a>\u007f\u0085\u2028</a>\n<!-- --> ',
      '"\u007f\u0085\u2028"',
    ],
    ['<õ.ä-1 ü="1"/>', '{"@ü":"1"}'],
    // Its comment comes in several pieces.
    [`<a><!--${'x'.repeat(300_000)}--><b c="1"/></a>`, '{"b":{"@c":"1"}}'],
    ['<\u{10000}/>', 'null'],
    ['<?xml version="1.1"?><a>\u0085</a>', '"\u0085"'],
  ] as const
  for (const [xml, json] of documents) strictEqual(value(xml), json, xml)
})

describe('caps', () => {
  const nest = (levels: number): string => '<a>'.repeat(levels) + '</a>'.repeat(levels)

  test('128 levels pass, one more fails, the root being the first [S-xml.5 S-limit.depth D3.5]', () => {
    strictEqual(maxDepth, 128)
    translate(nest(128))
    strictEqual(refusal(nest(129)), '1:387: more than 128 levels of elements')
    translate(nest(127).replace('<a></a>', '<a><b/></a>'))
    refusal(nest(128).replace('<a></a>', '<a><b/></a>'))
    refusal('<a>'.repeat(100_000))
    translate(`<a>${nest(127).repeat(3)}</a>`)
  })

  test('100 000 events pass, one more fails [S-xml.5 S-limit.events D3.5]', () => {
    strictEqual(maxEvents, 100_000)
    translate(`<a>${'<b/>'.repeat(99_998)}</a>`)
    ok(refusal(`<a>${'<b/>'.repeat(99_999)}</a>`).endsWith('more than 100000 parse events'))
    translate(`<a>${'<b></b>'.repeat(49_999)}</a>`)
    refusal(`<a>${'<b></b>'.repeat(49_999)}<b/></a>`)
  })

  test('everything that the parser tells of counts as an event [D3.5]', () => {
    const events = [
      ['<a/>', 1],
      ['<a></a>', 2],
      ['<a>x</a>', 3],
      ['<a> </a>', 2],
      ['<a>x&amp;y&#32;z</a>', 3],
      ['<a> <b/> </a>', 3],
      ['<a>x<b/>y</a>', 5],
      ['<a b="1" c="2"/>', 3],
      ['<a><![CDATA[]]></a>', 3],
      ['<a>x<![CDATA[y]]>z</a>', 5],
      ['<a><!----></a>', 3],
      ['<!----><a/><!---->', 3],
      ['<a>one<!-- -->two&lt;<b/>three</a>', 7],
      ['<?p?><a><?p?></a>', 4],
      ['<?xml version="1.0"?>\n<a/>\n', 2],
    ] as const
    for (const [xml, count] of events) {
      const limits = { depth: maxDepth, events: count }
      translate(xml, limits)
      finish(translateInSteps(xml, { limits, characters: 1 }))
      ok(refusal(xml, { depth: maxDepth, events: count - 1 }).endsWith(` more than ${count - 1} parse events`), xml)
    }
  })
})

describe('faults', () => {
  const body = (inside: string): string => envelope(`<s:Body>${inside}</s:Body>`)

  test('SOAP 1.1, texts as written, detail by the normal rules [S-error.upstream_soap_fault D3.7]', () => {
    const { fault } = translate(
      body(`<s:Fault>
        <faultcode> s:Server </faultcode><faultstring xml:lang="en">007 &lt;x&gt;</faultstring><faultactor>me</faultactor>
        <detail><p:code>5</p:code><p:code a="1"/></detail></s:Fault>`),
    )
    deepStrictEqual(fault, { code: 's:Server', string: '007 <x>', detail: '{"p:code":[5,{"@a":"1"}]}' })
  })

  test('SOAP 1.2: the outer code, the English reason, else the first one [D3.7]', () => {
    const text = (language: string, reason: string): string => `<e:Text xml:lang="${language}">${reason}</e:Text>`
    const fault = (reasons: string): string =>
      body(`<e:Fault><e:Code><e:Value>e:Receiver</e:Value><e:Subcode><e:Value>p:x</e:Value></e:Subcode></e:Code>
        <e:Reason>${reasons}</e:Reason><e:Detail>5</e:Detail></e:Fault>`)
    const english = { code: 'e:Receiver', string: 'two', detail: '5' }
    deepStrictEqual(translate(fault(text('et', 'üks') + text('en', 'two') + text('en', 'three'))).fault, english)
    deepStrictEqual(translate(fault(text('et', 'üks') + text('EN-gb', 'two'))).fault, english)
    deepStrictEqual(translate(fault(text('en', 'two') + text('et', 'kolm'))).fault, english)
    strictEqual(translate(fault(text('et', 'üks') + text('enx', 'x'))).fault?.string, 'üks')
    strictEqual(translate(fault('<e:Text>1</e:Text><e:Text>2</e:Text>')).fault?.string, '1')
    const many = Array.from({ length: 300 }, (_, index) => ` a${index}=""`).join('')
    strictEqual(translate(fault(`${text('et', 'üks')}<e:Text${many} xml:lang="en">two</e:Text>`)).fault?.string, 'two')
  })

  test('parts that are missing are empty; an empty detail is null [D3.7]', () => {
    deepStrictEqual(translate(body('<Fault/>')).fault, { code: '', string: '', detail: undefined })
    deepStrictEqual(translate(body('<Fault><detail/></Fault>')).fault, { code: '', string: '', detail: 'null' })
  })

  test('a Fault is a child of Body, or the root [D3.6]', () => {
    const inside = '<x:Fault><faultcode>c</faultcode><faultstring>s</faultstring></x:Fault>'
    const fault = { code: 'c', string: 's', detail: undefined }
    deepStrictEqual(translate(inside).fault, fault)
    deepStrictEqual(translate(body(`<a/>${inside}`)).fault, fault)
    for (const xml of [
      body(`<a>${inside}</a>`),
      envelope(`<s:Header>${inside}</s:Header>`),
      `<a>${inside}</a>`,
      envelope(inside),
    ])
      strictEqual(translate(xml).fault, undefined, xml)
    strictEqual(translate(body('<Fault><x><faultcode>c</faultcode></x></Fault>')).fault?.code, '')
  })
})

test('every document is what a second, plain reading makes of it [D3.2 D3.3 D3.4]', () => {
  const name = fc.constantFrom('a', 'b', 'p:a', 'p:ä', '__proto__', 'constructor', 'Body', 'Fault', 'faultcode')
  const text = fc.oneof(
    fc.constantFrom(
      ' ',
      '\n',
      'true',
      '+5',
      '-0',
      '007',
      '9223372036854775808',
      '<&>',
      ']]>',
      '"\\',
      '\u0085',
      '\u00a0',
    ),
    fc.integer().map(String),
    fc
      .string({ unit: 'grapheme' })
      .map((each) => each.replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')),
  )
  const attributes = fc.uniqueArray(fc.tuple(name, text), { maxLength: 3, selector: ([key]) => key })
  const { element } = fc.letrec<{ element: XmlElement }>((tie) => ({
    element: fc.record({
      name,
      attributes,
      content: fc.array(fc.oneof({ depthSize: 'small' }, text, tie('element')), { maxLength: 5 }),
    }),
  }))
  const isRoot = ({ name: root }: XmlElement): boolean => root !== 'Envelope'
  fc.assert(
    fc.property(element.filter(isRoot), fc.array(fc.nat(4), { minLength: 1 }), (root, ways) => {
      strictEqual(translate(write(root, ways)).body, `{"${root.name}":${toJson(root)}}`)
    }),
    { numRuns: 500 },
  )
})

/** One of the many ways to write an element: references, CDATA, comments in between. */
function write({ name, attributes, content }: XmlElement, ways: readonly number[]): string {
  let turn = 0
  const text = (raw: string): string => {
    const way = ways[turn++ % ways.length]
    const escaped = raw
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('\r', '&#13;')
    if (way === 1 && !raw.includes(']]>') && !raw.includes('\r')) return `<![CDATA[${raw}]]>`
    if (way === 2) return Array.from(raw, (each) => `&#x${each.codePointAt(0)?.toString(16)};`).join('')
    return way === 3 ? `${escaped}<!-- x -->` : escaped
  }
  const inTag = attributes.map(([key, raw]) => {
    const escaped = raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
    return ` ${key}="${escaped.replaceAll(/[\t\n\r]/g, (each) => `&#${each.codePointAt(0)};`)}"`
  })
  const inside = content.map((each) => (typeof each === 'string' ? text(each) : write(each, ways))).join('')
  return inside === '' ? `<${name}${inTag.join('')}/>` : `<${name}${inTag.join('')}>${inside}</${name}>`
}

test('any text at all is translated or refused with an XmlError', () => {
  const piece = fc.constantFrom(
    '<a>',
    '</a>',
    '<a',
    '/>',
    '>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?p',
    '?>',
    '&',
    ';',
    ' b="',
    '"',
    'x',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ unit: anyCharacter })), { maxLength: 12 }), (pieces) => {
      const xml = pieces.join('')
      try {
        JSON.parse(translate(`<r>${xml}</r>`).body)
      } catch (error) {
        ok(error instanceof XmlError, String(error))
      }
    }),
    { numRuns: 2000 },
  )
})

test('the parser stays in the form that the engine reads fast', (t) => {
  setFlagsFromString('--allow-natives-syntax')
  // oxlint-disable-next-line typescript/no-implied-eval -- the only way to ask the engine
  const isFast = new Function('object', 'return %HasFastProperties(object)') as (object: unknown) => boolean
  const seen: boolean[] = []
  const original = Reflect.get(SaxesParser.prototype, 'close') as () => SaxesParser
  t.mock.method(SaxesParser.prototype, 'close', function close(this: SaxesParser) {
    seen.push(isFast(this))
    return original.call(this)
  })
  for (let run = 0; run < 20; run++) translate('<a b="1">x<!-- --><?p?><![CDATA[x]]></a>')
  deepStrictEqual(
    seen,
    Array.from(seen, () => true),
  )
  strictEqual(seen.length, 20)
})

describe('long documents in steps', () => {
  const notClosed = 'no white space after the target of a processing instruction'
  const documents: readonly (readonly [xml: string, refusal?: string])[] = [
    ['<a>x\r\ny]]&gt;<b c="1\r\n2"/>\u{1f600}<![CDATA[ ]] ]]]]><!-- - --><?a b?>\r</a>\r\n'],
    ['<?xml version="1.0"?>\n<a b="&#x1F600;\u{1f600}">&amp;&lt; <b>007</b><b/></a>'],
    ['<a b="one" c="two &amp; three"> x<b d=""/><!-- y --> <![CDATA[ z ]]></a>'],
    ['<a><!--<?t?--><?t ?x <?t?y?>what?t?<?t ?z?><b c="d"/><?t  ?\r\n?></a>'],
    ['<a><!DOCTYPE a></a>', 'inappropriately located doctype declaration'],
    ['<!DOCTYPE a><a/>', 'a DOCTYPE is not accepted'],
    ['<!DOCTYPE a [<!ENTITY % x "]>"><!-- ]> --><?p ]>?>]><a/>', 'a DOCTYPE is not accepted'],
    ['<?xml version="1.0"?><?a?b?><a/>', notClosed],
    ['<a><?a?b?></a>', notClosed],
    ['<a><?a?b\r\n and more?></a>', notClosed],
    ['<a b="1"> some text &#38; more<?a?b?></a>', notClosed],
    ['<a>]]></a>', 'the string "]]>" is disallowed in char data'],
    ['<a/><b/>', 'documents may contain only one root'],
    ['<a>&x;</a>', 'undefined entity'],
    ['<a b="1" b="2"/>', 'duplicate attribute'],
  ]
  /** What may come whole, and what cannot. */
  const outcome = (run: () => { readonly body: Json; readonly headers: Json }): string => {
    try {
      const { body, headers } = run()
      return `${String(body)} ${String(headers)}`
    } catch (error) {
      ok(error instanceof XmlError)
      return error.message.replace(/^\d+:\d+: /, '')
    }
  }
  /** By the second, plain reading. */
  const expected = (xml: string): string => outcome(() => toAnswer(readTree(xml)))
  /** What fits on a screen of two long texts. */
  const checkSame = (actual: string, expected: string): void => {
    if (actual === expected) return
    let at = 0
    while (at < actual.length && actual[at] === expected[at]) at++
    const around = (text: string): string => text.slice(Math.max(0, at - 30), at + 30)
    strictEqual(`${actual.length}: ${around(actual)}`, `${expected.length}: ${around(expected)}`)
  }
  for (const [xml, reason] of documents) {
    test(`the same wherever it is cut: ${JSON.stringify(xml)} [D3.1 D3.2]`, () => {
      const whole = reason ?? expected(xml)
      for (const characters of [1, 2, 3, 5, 7, xml.length]) {
        strictEqual(
          outcome(() => finish(translateInSteps(xml, { characters }))),
          whole,
        )
      }
      for (let at = 1; at < xml.length; at++) {
        strictEqual(
          outcome(() => finish(translateInSteps([xml.slice(0, at), xml.slice(at)]))),
          whole,
        )
      }
    })
  }

  /** More than is kept as one text, with characters of one, two and four bytes, and those that JSON escapes. */
  const long = '\u{1f600}"\\\u00e4-'.repeat(12_000)
  const quoted = JSON.stringify(long)
  const many = (count: number, each: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => each(index)).join('')
  const manyAttributes = many(300, (index) => ` a${index}="${index}"`)
  const words = ' \n x'.repeat(1500)
  const blank = ' \n'.repeat(33_000)
  const longOnes: Readonly<Record<string, string>> = {
    'a text between spaces': `<a>\n ${long}${words}${words}\n </a>`,
    'a text beside attributes and elements': `<a b="c">${long}<d>1</d>${words}<d/></a>`,
    'texts of one name': `<a><b>${long}</b><b>1</b><c/><b>${words}</b></a>`,
    'texts in elements in elements': `<a><b><c>${long}</c></b><b><c>${words}</c></b></a>`,
    'an integer': `<a>${'7'.repeat(70_000)}</a>`,
    'white space': `<a><b>${blank}</b><c><![CDATA[${blank}]]></c><d e="f"><![CDATA[${blank}]]></d></a>`,
    'CDATA, a comment, an instruction': `<a>x<![CDATA[${long}]]><!--${words}-->x<?p ${words}?>x</a>`,
    'an attribute': `<a><b c="1" d='${long}' xmlns:e="2" f='${long}'>3</b><b c="4"/></a>`,
    'an attribute of 5 000 characters': `<a b="${'x'.repeat(5000)}" c="1"><d e="2"/></a>`,
    'more attributes than the parser looks at': `<a><b${manyAttributes}>1</b><b c="2"/></a>`,
    'more attributes, a long one among them': `<a><b${manyAttributes} c='${long}' d="1"/><b/></a>`,
    'elements, many of them': `<a>${many(400, (index) => `<n${index}>${'"'.repeat(100)}</n${index}>`)}</a>`,
    'an envelope': `<Envelope><Header><a>${long}</a></Header><x>${words}</x><Body>${long}</Body><Body/></Envelope>`,
  }
  const elementOf = (shape: Partial<Shape>): Member => ({ name: 'a', isList: false, shape: { ...anyShape, ...shape } })
  /** What is anything is read as without types. */
  const anything = toBody(elementOf({ kind: 'plain' }))
  for (const [name, xml] of Object.entries(longOnes)) {
    test(`the same wherever it is cut, whatever is long in it: ${name} [D3.1 D3.2 X7]`, () => {
      const whole = expected(xml)
      const typed = name.includes('attribute') ? [{ characters: 999, body: anything }] : []
      for (const options of [{ characters: 999 }, { characters: xml.length }, ...typed])
        checkSame(
          outcome(() => finish(translateInSteps(xml, options))),
          whole,
        )
    })
  }

  test('a name that is twice among very many attributes is refused [D3.1]', () => {
    for (const again of ['a0', 'a255', 'a299'])
      ok(refusal(`<a${manyAttributes} ${again}=""/>`).endsWith(': duplicate attribute'), again)
  })

  test('a long fault is told up to 128 Ki characters, wherever it is cut [D3.7]', () => {
    const pieces = Array.from({ length: 140 }, () => 'x'.repeat(1024))
    const told = 'x'.repeat(128 * 1024)
    const start = '<Fault><faultcode>c</faultcode><faultstring>'
    const { fault } = finish(translateInSteps([start, ...pieces, '</faultstring></Fault>']))
    deepStrictEqual(fault, { code: 'c', string: told, detail: undefined })
    const [code, text] = ['<Fault><faultcode>', '<Fault><Reason><Text>']
    strictEqual(finish(translateInSteps([code, ...pieces, '</faultcode></Fault>'])).fault?.code, told)
    strictEqual(finish(translateInSteps([text, ...pieces, '</Text></Reason></Fault>'])).fault?.string, told)
  })

  const digits = `${'7'.repeat(70_000)}\n `
  const kinds = ['preserved', 'replaced', 'collapsed', 'integer', 'decimal', 'float', 'boolean'] as const
  for (const [index, text] of kinds.entries()) {
    const contents = index < 3 ? [` \n${long}${words}`, digits, blank] : [digits]
    test(`the same wherever it is cut, however long a text is that is ${text} [X7]`, () => {
      const body = toBody(elementOf({ kind: 'value', text }))
      for (const content of contents) {
        const xml = `<Envelope><Body><a>${content}</a></Body></Envelope>`
        const whole = `{"a":${toTypedValue(text, content)}}`
        checkSame(String(finish(translateInSteps(xml, { body, characters: 999 })).body), whole)
      }
    })
  }

  test('the same wherever it is cut, however many and long the attributes are, with types [X7]', () => {
    const instance = 'xmlns:x="http://www.w3.org/2001/XMLSchema-instance"'
    const attributes = new Map<string, ValueKind>([['n', 'integer']])
    const item = { ...elementOf({ kind: 'value', text: 'preserved', attributes }), name: 'i', isList: true }
    const body = toBody(elementOf({ kind: 'object', members: new Map([['i', item]]), lists: ['i'] }))
    const items = `<i x:nil="1">${' '.repeat(70_000)}</i><i${manyAttributes} n="07">${long}</i><i ${instance}${manyAttributes} x:nil="true"/>`
    const xml = `<Envelope><Body><a${manyAttributes} ${instance} b='${long}'>${items}</a></Body></Envelope>`
    const members = many(300, (index) => `"@a${index}":"${index}",`)
    const whole = `{"a":{${members}"@b":${quoted},"i":[null,{${members}"@n":7,"#text":${quoted}},null]}}`
    for (const characters of [999, xml.length])
      checkSame(String(finish(translateInSteps(xml, { body, characters })).body), whole)
    const next = `<Envelope><Body><a><i ${instance} x:nil="1"/><i x:nil="1">z</i></a></Body></Envelope>`
    strictEqual(translate(next, undefined, body).body, '{"a":{"i":[null,{"@x:nil":"1","#text":"z"}]}}')
  })

  test('each piece is a step, and others have their turn between two [X7]', () => {
    const turns = (xml: string): number => [...translateInSteps(xml, { characters: 4 })].length
    deepStrictEqual([turns('<a/>'), turns('<aaaaa/>'), turns('<aaaaaa/>')], [0, 1, 2])
  })

  test('at most 256 attributes of an element, and none that is long, are looked at in one step [X7]', (t) => {
    const seen: number[] = []
    const original = Reflect.get(SaxesParser.prototype, 'openTag') as () => void
    t.mock.method(SaxesParser.prototype, 'openTag' as 'close', function openTag(this: { attribList: object[] }) {
      seen.push(this.attribList.length)
      original.call(this)
    })
    for (const count of [255, 256, 257, 300])
      translate(`<a${many(count, (index) => ` a${index}=""`)}><b c="1" d="2"></b></a>`)
    deepStrictEqual(seen.splice(0), [255, 2, 256, 2, 0, 2, 0, 2])
    for (const length of [5000, 64 * 1024, 64 * 1024 + 500])
      finish(translateInSteps([`<a b="`, 'x'.repeat(length), `"><c d="1"></c></a>`]))
    deepStrictEqual(seen, [1, 1, 0, 1, 0, 1])
  })

  test('JSON is text while it is short, then pieces of bytes that are short, and none is copied [X7]', () => {
    const short = 32 * 1024
    const lengths = (json: Json): readonly number[] => {
      ok(json instanceof LongJson)
      const pieces = json.close().pieces.map((piece) => piece.toString())
      strictEqual(lengthOf(json), Buffer.byteLength(pieces.join('')))
      return pieces.map((piece) => piece.length)
    }
    strictEqual(typeof joinJson('x'.repeat(short - 2), 'x'), 'string')
    strictEqual(typeof quote('x'.repeat(short - 1)), 'string')
    deepStrictEqual(lengths(joinJson('x', 'x'.repeat(short - 1))), [short])
    deepStrictEqual(lengths(quote('x'.repeat(short))), [short, 1, 1])
    deepStrictEqual(lengths(new LongJson().add('x'.repeat(2 * short + 5))), [short, short, 5])
    // No pair of surrogates is cut in two.
    deepStrictEqual(lengths(new LongJson().add(`x${'\u{1f600}'.repeat(short)}`)), [short - 1, short, 2])
    const small = new LongJson()
    for (let count = 0; count < 700; count++) small.add('x'.repeat(100))
    deepStrictEqual(lengths(small), [32_800, 32_800, 4400])
    deepStrictEqual([lengthOf('xx'), lengthOf(new LongJson().add('xx')), lengthOf(new LongJson())], [2, 2, 0])
    const pieces = [...small.pieces]
    strictEqual(joinJson(small, 'x'), small)
    deepStrictEqual(lengths(joinJson('x', small)), [1, 32_800, 32_800, 4400, 1])
    strictEqual(joinJson('x', small) instanceof LongJson && small.pieces[1], pieces[1])
  })

  const listener: Listener = {
    onOpen: () => undefined,
    onAttribute: () => undefined,
    onText: () => undefined,
    onData: () => undefined,
    onClose: () => undefined,
    onInstruction: () => undefined,
    onComment: () => undefined,
    onDeclaration: () => undefined,
    onDoctype: () => undefined,
  }

  test('what stands between two pieces is known, and what has been read of it can be taken [X7]', () => {
    const beginnings: readonly (readonly [start: string, inside: Inside, text: string, ends: string])[] = [
      ['<a>one', 'text', 'one', '</a>'],
      ['<a>one&', 'text', 'one', 'lt;</a>'],
      ['<a b="one', 'value', 'one', '"/>'],
      ['<a b="one&am', 'value', 'one', 'p;"/>'],
      ['<a><![CDATA[one', 'data', 'one', ']]></a>'],
      ['<a><![CDATA[one]', 'data', 'one', ']]></a>'],
      ['<a><![CDATA[one]]', 'data', 'one', '></a>'],
      ['<a><?p one', 'instruction', 'one', '?></a>'],
      ['<a><?p one?', 'instruction', 'one', '></a>'],
      ['<!--one', 'comment', 'one', '--><a/>'],
      ['<!--one-', 'comment', 'one', '-><a/>'],
      ['<a', 'other', '', '/>'],
      ['<a><?p', 'other', '', '?></a>'],
    ]
    for (const [start, inside, text, ends] of beginnings) {
      const parser = openParser(listener)
      parser.write(start)
      strictEqual(parser.inside, inside, start)
      deepStrictEqual([parser.takeText(), parser.takeText()], [text, ''], start)
      parser.write(ends)
      parser.close()
    }
    const parts = ['', ' "x', ' [', ' ["x', ' [<', ' [<!', ' [<!--', ' [<!--x-', ' [<!--x--', ' [<?', ' [<?p?']
    for (const part of parts) {
      const parser = openParser(listener)
      parser.write(`<!DOCTYPE a${part}`)
      strictEqual(parser.inside, 'doctype', part)
    }
  })

  test('of the names of entities the length is known, of numbers it does not count [X7]', () => {
    for (const [start, length] of [
      ['<a>&amp', 3],
      ['<a b="&abcde', 5],
      ['<a>&#12', 0],
      ['<a>x', 0],
    ] as const) {
      const parser = openParser(listener)
      parser.write(start)
      strictEqual(parser.entityLength, length, start)
    }
  })

  test('parsers are used again, at most four of them, and hold nothing of the document before [D3.1]', () => {
    const read = (): ReturnType<typeof openParser>[] => {
      const parsers = Array.from({ length: 6 }, () => openParser(listener))
      for (const parser of parsers) {
        parser.write('<a b="1">x</a>')
        parser.close()
        ok(parser.listener !== listener)
      }
      return parsers
    }
    const first = new Set(read())
    strictEqual(first.size, 6)
    strictEqual(read().filter((parser) => first.has(parser)).length, 4)
  })

  test('the longest answer leaves others their turn many times [S-limit.max_response_bytes]', () => {
    const length = 16 * 1024 * 1024
    for (const xml of [`<a><!--${'c'.repeat(length)}--></a>`, `<a>${'t'.repeat(length)}</a>`]) {
      const pauses = [...translateInSteps(xml)].length
      ok(pauses >= 60, `${pauses}`)
    }
    strictEqual([...translateInSteps('<a/>')].length, 0)
  })
})

test('answers that have been read are garbage at once: the next collections find nothing of them to keep [H7]', () => {
  const rows = Array.from({ length: 20 }, (_, row) => `<row id="${row}"><name>Mari</name><born>1980-01-02</born></row>`)
  const xml = `<e:Envelope xmlns:e="e"><e:Header/><e:Body><answer>${rows.join('')}</answer></e:Body></e:Envelope>`
  const oldSpaceBytes = (): number =>
    getHeapSpaceStatistics().find((space) => space.space_name === 'old_space')?.space_used_size ?? 0
  let kept = 0
  let before = oldSpaceBytes()
  for (let count = 1; count <= 12_000; count += 1) {
    translate(xml)
    if (count % 20 !== 0) continue
    const now = oldSpaceBytes()
    // What the engine makes of the sources themselves comes with the first thousands, and a great collection takes some
    // away.
    if (count > 4000 && now > before) kept += now - before
    before = now
  }
  ok(kept < 8 * 1024 * 1024, `${kept} bytes`)
})
