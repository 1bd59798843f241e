/**
 * Templates: what is refused at start, what a warning is for, what values look like in an envelope, and that no value
 * and no template makes the service print, hang or say too much. The short cut of the check is held against Handlebars
 * itself.
 */
import { deepStrictEqual, doesNotThrow, match, ok, strictEqual, throws } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { checkGrowth } from '@services/testing'
import fc from 'fast-check'
import Handlebars from 'handlebars'
import { Failure } from '../../../src/errors.ts'
import type { Generated, TemplateValues } from '../../../src/model.ts'
import { readParams } from '../../../src/soap/request/params.ts'
import { AttachmentList } from '../../../src/soap/request/attachments.ts'
import { isFilledIn } from '../../../src/soap/request/template-names.ts'
import { hasOnlyKnownNames, isPlain } from '../../../src/soap/request/template-scan.ts'
import { parseTemplate } from '../../../src/soap/request/template.ts'
import { TemplateSyntaxError } from '../../../src/soap/request/template-errors.ts'

const generated: Generated = {
  uuid: '0c1f9d0e-0000-4000-8000-000000000001',
  instance: 'ee-test',
  client: '<xroad:client id:objectType="MEMBER"></xroad:client>',
  protocol_version: '4.0',
}

function render(source: string, values: TemplateValues = {}): string {
  return parseTemplate(source).template.render(values, generated)
}

/** As a caller would send it. */
function renderBody(source: string, body: string): string {
  return render(source, readParams(Buffer.from(body), ['a', 'b', 'c', 'list', 'person', '__proto__', 'toString']))
}

function fails(source: string, body = '{}'): Failure {
  try {
    renderBody(source, body)
  } catch (error) {
    ok(error instanceof Failure, String(error))
    strictEqual(error.code, 'template_expansion_failed')
    return error
  }
  throw new Error(`rendered: ${source}`)
}

function refusal(source: string): [number, string] {
  try {
    parseTemplate(source)
  } catch (error) {
    ok(error instanceof TemplateSyntaxError, String(error))
    strictEqual(error.name, 'TemplateSyntaxError')
    return [error.line, error.message]
  }
  throw new Error(`accepted: ${source}`)
}

/** Whatever is written to the console or past it while `run` runs. */
function listen(t: TestContext, run: () => void): string[] {
  const heard: string[] = []
  const hear = (...args: unknown[]): boolean => heard.push(String(args[0])) > 0
  for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) t.mock.method(console, name, hear)
  t.mock.method(process.stderr, 'write', hear)
  run()
  t.mock.restoreAll()
  return heard
}

test('generate gives what the service knows [S-template.uuid S-template.instance S-template.client S-template.protocol_version]', () => {
  strictEqual(
    render('{{generate.uuid}}|{{generate.instance}}|{{{generate.client}}}|{{generate.protocol_version}}'),
    `${generated.uuid}|ee-test|${generated.client}|4.0`,
  )
  strictEqual(render('{{@root.generate.instance}}{{#with generate}}{{instance}}{{/with}}'), 'ee-testee-test')
})

test('values of the caller never replace generate [D2.1]', () => {
  const mine = readParams(Buffer.from('{"generate":{"uuid":"x"},"@root":{"generate":1},"root":"y"}'), [
    'generate',
    '@root',
    'root',
  ])
  const template = '{{generate.uuid}} {{@root.generate.uuid}} {{#with this}}{{generate.uuid}}{{/with}}{{generate.mine}}'
  strictEqual(render(template, mine), `${generated.uuid} ${generated.uuid} ${generated.uuid}`)
  strictEqual(render(template, { generate: 'text' }), `${generated.uuid} ${generated.uuid} ${generated.uuid}`)
  strictEqual(render('{{generate.uuid}}', { generate: ['a'] }), generated.uuid)
})

test('double braces escape, triple ones do not [S-template.braces]', () => {
  const values = { a: `<b c="d">&'</b>` }
  strictEqual(render('{{a}}', values), '&lt;b c&#x3D;&quot;d&quot;&gt;&amp;&#x27;&lt;/b&gt;')
  strictEqual(render('{{{a}}}', values), values.a)
  strictEqual(render('{{&a}}', values), values.a)
})

test('xml_element puts a value into its element, and knows left out, null and empty apart [X23]', () => {
  const source = '{{xml_element "n:a" a}}{{xml_element "b" b "xsi:nil"}}'
  const cases: Readonly<Record<string, string>> = {
    '{}': '',
    '{"a": null, "b": null}': '<b xsi:nil="true"/>',
    '{"a": "", "b": false}': '<n:a></n:a><b>false</b>',
    '{"a": "<&>\\u0022", "b": 0.10}': '<n:a>&lt;&amp;&gt;&quot;</n:a><b>0.10</b>',
  }
  for (const [body, envelope] of Object.entries(cases)) strictEqual(renderBody(source, body), envelope)
  ok(fails(source, '{"a": [1]}').message.includes("'a' is an object or a list"))
  ok(fails(source, '{"a": "\\u0001"}').message.includes('a character that XML forbids'))
  ok(isPlain(source))
})

test('a value that looks like a template stays as it is [S-template.single-pass]', () => {
  strictEqual(render('{{{a}}}{{b}}', { a: '{{generate.uuid}}{{{b}}}', b: '{{a}}' }), '{{generate.uuid}}{{{b}}}{{a}}')
})

test('the five characters and white space survive an attribute [S-template.xml_attr]', () => {
  strictEqual(
    render('<x y="{{xml_attr a}}"/>', { a: `"'<>&\t\n\r =\`õ` }),
    '<x y="&quot;&apos;&lt;&gt;&amp;&#9;&#10;&#13; =`õ"/>',
  )
  strictEqual(render('{{{xml_attr a}}}', { a: '<' }), '&lt;')
  strictEqual(render('{{xml_attr "<"}}'), '&lt;')
})

test('xml_attr takes text, numbers, truth values and nothing at all [D2.1]', () => {
  const template = '{{xml_attr a}}|{{xml_attr b}}|{{xml_attr c}}|{{xml_attr nothing}}|{{xml_attr person.name}}'
  strictEqual(renderBody(template, '{"a":1.50,"b":false,"c":null,"person":{}}'), '1.50|false|||')
  strictEqual(renderBody(template, '{"a":0,"b":true,"c":""}'), '0|true|||')
})

test('missing and null are empty, numbers and truth values are not [D2.1]', () => {
  for (const tag of ['{{a}}', '{{{a}}}', '{{xml_attr a}}', '{{this.a}}', '{{lookup this "a"}}']) {
    const rendered = ['{}', '{"a":null}', '{"a":""}', '{"a":false}', '{"a":true}', '{"a":0}', '{"a":-0}'].map((body) =>
      renderBody(tag, body),
    )
    deepStrictEqual(rendered, ['', '', '', 'false', 'true', '0', '-0'], tag)
  }
  strictEqual(renderBody('{{a}} {{b}}', '{"a":12345678901234567890,"b":1e2}'), '12345678901234567890 1e2')
  strictEqual(render('{{a.b.c}}{{a.[b c]}}{{missing.deep.er}}', { a: 'x' }), '')
})

test('characters that XML forbids send nothing and are not shown [D2.1]', () => {
  const point = (code: number): string => String.fromCharCode(code)
  const bad = [0, 1, 8, 0xb, 0xc, 0xe, 0x1f, 0xfffe, 0xffff, 0xd800, 0xdbff, 0xdc00, 0xdfff].map(point)
  for (const character of [...bad, '\udc00\ud800']) {
    for (const tag of ['{{a}}', '{{{a}}}', '{{xml_attr a}}']) {
      const failure = fails(`<x>${tag}</x>`, JSON.stringify({ a: `geheim${character}geheim` }))
      strictEqual(failure.message, 'the envelope would hold a character that XML forbids')
      strictEqual(failure.cause, undefined)
    }
  }
  const good = `\t\n\r ~\u007f\u0085õ\ud7ff\ue000\ufffd😀\u{10ffff}`
  strictEqual(render('{{{a}}}', { a: good }), good)
})

test('an object or a list is no text [D2.1]', () => {
  const bodies = ['{"person":{}}', '{"person":{"x":1}}', '{"person":[]}', '{"person":["geheim"]}', '{"person":[[1]]}']
  const odd = ['{"person":{"toString":"x","valueOf":1,"toHTML":"geheim"}}', '{"person":{"__proto__":{"toString":1}}}']
  for (const body of [...bodies, ...odd]) {
    for (const tag of ['{{person}}', '{{{person}}}', '{{xml_attr person}}', '{{lookup this "person"}}']) {
      const failure = fails(`<x>${tag}</x>`, body)
      const found = body.includes('"person":[') ? 'a list' : 'an object'
      strictEqual(
        failure.message,
        `'person' is an object or a list, or holds one, where text belongs; found ${found}, expected a string, a number, true or false`,
        `${tag} ${body} [G9]`,
      )
    }
  }
  for (const tag of ['{{person.x}}', '{{#with person}}{{x}}{{/with}}', '{{#each person}}{{this}}{{/each}}']) {
    fails(tag, '{"person":{"x":{"geheim":1}}}')
    fails(tag, '{"person":{"x":["geheim"]}}')
  }
  for (const tag of ['{{this}}', '{{.}}', '{{{@root}}}', '{{generate}}', '{{{generate}}}', '{{xml_attr generate}}']) {
    const name = tag.includes('generate') ? 'generate' : 'this'
    strictEqual(fails(tag).message, `'${name}' is an object or a list, or holds one, where text belongs`, tag)
  }
})

test('blocks and look-ups work over objects and lists [D2.3]', () => {
  const body =
    '{"list":[{"n":1,"x":["p","q"]},{"n":2.50,"x":[]}],"person":{"first name":"M","if":"i","a.b":"d"},"b":[]}'
  strictEqual(
    renderBody('{{#each list}}{{@index}}:{{n}}({{#each x}}{{this}},{{/each}}){{/each}}', body),
    '0:1(p,q,)1:2.50()',
  )
  strictEqual(
    renderBody('{{#each list}}{{#each x}}{{../n}}{{@root.person.if}}{{this}} {{/each}}{{/each}}', body),
    '1ip 1iq ',
  )
  strictEqual(renderBody('{{#each person}}{{@key}}={{this}};{{/each}}', body), 'first name=M;if=i;a.b=d;')
  strictEqual(renderBody('{{person.[first name]}}{{person.[a.b]}}{{lookup person "if"}}{{person.if}}', body), 'Mdii')
  strictEqual(renderBody('{{lookup (lookup list 1) "n"}} {{list.[0].n}} {{list.length}}', body), '2.50 1 2')
  strictEqual(
    renderBody('{{#if b}}some{{else}}none{{/if}} {{#unless b}}none{{/unless}} {{#each b}}{{else}}none{{/each}}', body),
    'none none none',
  )
  strictEqual(
    renderBody('{{#list}}{{n}} {{/list}}{{#person}}{{iff}}{{/person}}{{^c}}no c{{/c}}', body.replace('"if"', '"iff"')),
    '1 2.50 ino c',
  )
  strictEqual(renderBody('{{#each list as |item at|}}{{at}}{{item.n}}{{/each}}', body), '0112.50')
})

test('a template asks whether values are there, are null, and are one or many [D2.3]', () => {
  const source = [
    '{{#if_present a b}}some{{else}}none{{/if_present}}',
    '{{#if (is_nil a)}}nil{{/if}}',
    '{{#each_value list}}[{{this}}]{{/each_value}}',
  ].join('|')
  const cases: Readonly<Record<string, string>> = {
    '{}': 'none||',
    '{"a": null}': 'none|nil|',
    '{"a": [], "list": null}': 'none||',
    '{"a": 0, "list": 7}': 'some||[7]',
    '{"b": "", "list": ["x", false]}': 'some||[x][false]',
  }
  for (const [body, envelope] of Object.entries(cases)) strictEqual(renderBody(source, body), envelope, body)
  for (const name of ['is_nil', 'each_value', 'swa_ref', 'xop_include', 'mime_part']) {
    for (const values of ['', ' a b']) {
      const { warnings } = parseTemplate(`{{${name}${values}}}`)
      deepStrictEqual(warnings, [{ lines: [1], message: `the helper '${name}' takes 1 value` }])
    }
  }
  for (const values of ['"x"', '"x" a "nil" b'])
    strictEqual(
      fails(`{{xml_element ${values}}}`).message,
      "the helper 'xml_element' takes a name, a value and a name of nil",
    )
  strictEqual(fails('{{swa_ref a b}}').message, "the helper 'swa_ref' takes exactly one value")
})

test('which params are attached is known, whatever block attaches them [P2.2]', () => {
  const templates: readonly [string, readonly string[] | undefined][] = [
    ['swa_ref {{a}}{{swa_ref}}', undefined],
    ['{{swa_ref a}}{{xop_include b}}{{mime_part c}}{{swa_ref a}}', ['a', 'b', 'c']],
    ['{{swa_ref person.x}}{{swa_ref "a"}}', []],
    ['{{#if a}}{{swa_ref a}}{{else}}{{swa_ref b}}{{/if}}', ['a', 'b']],
    ['{{#each list}}{{swa_ref this}}{{else}}{{swa_ref b}}{{/each}}', ['list', 'b']],
    ['{{#each_value list}}{{#if @first}}{{swa_ref this}}{{/if}}{{/each_value}}', ['list']],
    ['{{#with person}}{{swa_ref .}}{{swa_ref x}}{{/with}}', ['person']],
    ['{{#each list}}{{swa_ref ../a}}{{swa_ref @root.b}}{{/each}}', ['a', 'b']],
    ['{{#each list}}{{swa_ref @root.person.x}}{{swa_ref @index}}{{swa_ref ../../a}}{{/each}}', []],
    ['{{#each list}}{{swa_ref x}}{{swa_ref ../..}}{{/each}}', []],
    [
      '{{#each list}}{{#each this}}{{swa_ref ..}}{{/each}}{{/each}}{{#each person.x}}{{swa_ref this}}{{/each}}',
      ['list'],
    ],
  ]
  for (const [source, attached] of templates) deepStrictEqual(parseTemplate(source).template.attached, attached, source)
})

test('a file is for attachments: none is text, and a helper gets it as it came [P2.2]', () => {
  const file = { bytes: Buffer.from('geheim'), type: 'a/b' }
  const values = { a: file, list: [file, null], person: { x: file } }
  for (const [tag, name] of [
    ['{{a}}', 'a'],
    ['{{{a}}}', 'a'],
    ['{{#each list}}{{this}}{{/each}}', 'list'],
    ['{{person.x}}', 'person'],
  ] as const) {
    const found = { a: '', list: '; found a list', person: '; found an object' }[name]
    const words = `, or holds one, where text belongs${found}, expected a string, a number, true or false`
    const message = `'${name}' is ${name === 'a' ? 'a file, where text belongs' : `an object or a list${words}`}`
    throws(() => render(tag, values), { code: 'template_expansion_failed', message }, tag)
  }
  const attached = new AttachmentList('id')
  const source = '{{swa_ref a}} {{#each list}}{{swa_ref this}}{{/each}} {{xop_include person.x}}{{swa_ref b}}'
  const { template } = parseTemplate(source)
  match(
    template.render(values, generated, attached),
    /^cid:1\.id@xroad-proxy cid:2\.id@xroad-proxy <xop:Include [^>]*>$/,
  )
  deepStrictEqual(
    attached.all.map(({ bytes, type }) => ({ bytes, type })),
    [file, file, file],
  )
  const wrong: readonly (readonly [source: string, values: TemplateValues, path: string])[] = [
    ['{{swa_ref list.[0]}}', { list: ['?'] }, 'list.0'],
    ['{{#each list}}{{swa_ref this}}{{/each}}', { list: [null, '?'] }, 'list.1'],
    ['{{#each_value list}}{{swa_ref x}}{{/each_value}}', { list: [{ x: '?' }] }, 'list.0.x'],
    ['{{#each_value person}}{{swa_ref x}}{{/each_value}}', { person: { x: '?' } }, 'person.x'],
  ]
  for (const [source, given, path] of wrong) {
    const { template } = parseTemplate(source)
    const message = new RegExp(`^the param ${path.replaceAll('.', '\\.')} is not base64;`)
    throws(() => template.render(given, generated, new AttachmentList('id')), { code: 'malformed_request', message })
  }
})

test('fields may have names of helpers, dashes and dots [D2.3]', () => {
  const values = { if: 1, log: 2, lookup: 3, each: 4, with: 5, unless: 6, 'a-b': 7, 'c.d': 8, else: 9, true: 10 }
  const names = Object.keys(values)
  strictEqual(render(names.map((name) => `{{this.[${name}]}}`).join(' '), values), '1 2 3 4 5 6 7 8 9 10')
  strictEqual(render(names.map((name) => `{{lookup this "${name}"}}`).join(' '), values), '1 2 3 4 5 6 7 8 9 10')
  strictEqual(render('{{this.if}} {{this.log}} {{a-b}} {{[c.d]}} {{xml_attr this.each}}', values), '1 2 7 8 4')
  strictEqual(render('{{log}} {{#if log}}yes{{/if}}', values), '2 yes')
})

test('prototypes are out of reach, without a word on the console [D2.3]', (t) => {
  const names = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__', 'trim', 'map']
  const places = ['', 'a.', 'list.', 'person.', 'generate.', '@root.', 'b.', 'list.[0].']
  const body = '{"a":"text","list":["x"],"person":{"x":1},"b":7}'
  const heard = listen(t, () => {
    for (const place of places) {
      for (const name of names) {
        strictEqual(renderBody(`{{${place}${name}}}{{${place}${name}.x}}`, body), '', place + name)
        strictEqual(renderBody(`{{#if ${place}${name}}}reached{{/if}}`, body), '', place + name)
      }
    }
    strictEqual(renderBody('{{lookup a "constructor"}}{{lookup (lookup a "constructor") "name"}}', body), '')
    strictEqual(renderBody('{{#with a}}{{constructor.name}}{{toString}}{{/with}}', body), '')
  })
  deepStrictEqual(heard, [])
})

test('own keys of such names are data [D2.3]', () => {
  strictEqual(renderBody('{{__proto__}} {{toString}} {{constructor}}', '{"__proto__":"p","toString":"t"}'), 'p t ')
  strictEqual(renderBody('{{__proto__.x}}{{x}}', '{"__proto__":{"x":1}}'), '1')
})

test('the helper that prints does not exist [D1.8]', (t) => {
  const heard = listen(t, () => {
    const { warnings } = parseTemplate('{{log a}}')
    strictEqual(warnings.length, 1)
    fails('{{log a}}', '{"a":"geheim"}')
    fails('{{log "geheim" level="error"}}')
    fails('{{#log a}}{{/log}}', '{"a":"geheim"}')
    fails('{{lookup (log a) "x"}}', '{"a":"geheim"}')
  })
  deepStrictEqual(heard, [])
})

test('what is no Handlebars is refused with a line [S-boot.2]', () => {
  const early = '}} comes too early or closes what {{{ has opened'
  const ends = 'the template ends before a placeholder or a block is closed'
  const wrong = 'a placeholder that is not closed, or a character that has no place in one'
  const refusals: [string, number, string][] = [
    ['{{', 1, ends],
    ['<a>\n{{a', 2, wrong],
    ['<a>\n{{a\n\n', 2, ends],
    ['<a>\r\n{{#if a\r\n\r\n', 2, ends],
    ['<a>\r\n{{}}', 2, early],
    ['{{{a}}', 1, early],
    ['{{a}}}', 1, '}}} closes what {{ has opened'],
    ['x\n{{a b=}}', 2, early],
    ['x\n\n{{ a ! }}', 3, wrong],
    ['{{a[0]}}', 1, wrong],
    ['{{foo(}}', 1, wrong],
    ['\n{{else}}', 2, '{{else}} outside a block or twice in one'],
    ['{{#if a}}{{else}}\n{{else}}{{/if}}', 2, '{{else}} outside a block or twice in one'],
    ['{{#if a}}{{else}}\n{{else if b}}{{/if}}', 2, '{{else}} outside a block or twice in one'],
    ['a\n{{/if}}', 2, 'the end of a block that was not opened'],
    ['a\n{{#if a}}\n{{/each}}', 2, "if doesn't match each"],
    ['\n{{a.this}}', 2, 'Invalid path: a.this'],
    ['\n{{a.true}}', 2, 'this is not a placeholder'],
    ['\0', 1, 'a character that cannot be read'],
    ['x\n{{> a b c}}', 2, 'Unsupported number of partial arguments: 2'],
  ]
  for (const [source, line, message] of refusals) deepStrictEqual(refusal(source), [line, message], source)
})

test('a block that is not closed is told where it opens, whatever follows [S-boot.2]', () => {
  const missing = (block: string, name = 'if'): string =>
    `the block {{#${block}}} is not closed; {{/${name}}} is missing`
  const templates: [string, number, string][] = [
    ['<a>\n\n{{#if a}}\nx\n', 3, missing('if a')],
    ['<a>\r\n{{#if a}}\r\nx\r\n', 2, missing('if a')],
    ['\n{{#if a}}\n{{else}}\n', 2, missing('if a')],
    ['\n{{#if a}}\n{{^}}\n', 2, missing('if a')],
    ['\n{{#if a}}\n{{#each b}}{{/each}}\n{{c}}', 2, missing('if a')],
    ['{{#if a}}\n{{#each b}}\n{{c}}', 2, missing('each b', 'each')],
    ['{{#if a}}{{/if}}\n{{~#if_present a\n  b~}}\nx', 2, missing('if_present a b', 'if_present')],
    ['\n{{#if a}}\n{{! {{/if}} }}\n{{!-- {{#each b}} --}}\n', 2, missing('if a')],
    ['\n{{#if a}}\n\\{{/if}}\n\\{{#each b}}\n', 2, missing('if a')],
    ['\n{{#if (lookup a "}}{{#each b}}")}}\n', 2, missing('if (lookup a "}}{{#each b}}")')],
    [`\n{{#if ${'a'.repeat(61)}}}\n`, 2, missing(`if ${'a'.repeat(61)}`)],
    [`\n{{#if ${'a'.repeat(62)}}}\n`, 2, missing('if')],
    // A placeholder inside it that is not closed is what the author has to close first.
    ['{{#if a}}\nx\n{{b\n', 3, 'the template ends before a placeholder or a block is closed'],
  ]
  for (const [source, line, message] of templates) deepStrictEqual(refusal(source), [line, message], source)
})

test('blocks within blocks, more of them than the short cut follows [S-soap.envelope]', () => {
  const nest = (levels: number): string => '{{#if a}}'.repeat(levels) + '{{/if}}'.repeat(levels)
  deepStrictEqual([isPlain(nest(32)), isPlain(nest(33))], [true, false])
  for (const levels of [32, 33, 200]) strictEqual(render(`${nest(levels)}x`, { a: true }), 'x')
})

test('a call that cannot succeed is a warning at start and a failure when it is reached [D2.3]', () => {
  const calls: [string, string][] = [
    ['{{nosuch a}}', "there is no helper 'nosuch'"],
    ['{{nosuch a b=1}}', "there is no helper 'nosuch'"],
    ['{{{nosuch a}}}', "there is no helper 'nosuch'"],
    ['{{#nosuch a}}{{/nosuch}}', "there is no helper 'nosuch'"],
    ['{{xml_attr (nosuch a)}}', "there is no helper 'nosuch'"],
    ['{{#if (person.x a)}}{{/if}}', "there is no helper 'person.x'"],
    ['{{"nosuch" a}}', "there is no helper 'nosuch'"],
    ['{{12 a}}', "there is no helper '12'"],
    ['{{xml_attr}}', "the helper 'xml_attr' takes 1 value"],
    ['{{xml_attr a b}}', "the helper 'xml_attr' takes 1 value"],
    ['{{#if}}{{/if}}', "the helper 'if' takes 1 value"],
    ['{{#if a b}}{{/if}}', "the helper 'if' takes 1 value"],
    ['{{lookup a}}', "the helper 'lookup' takes 2 values"],
    ['{{xml_attr (lookup (nosuch a) "b")}}', "there is no helper 'nosuch'"],
    ['{{#*inline "p"}}{{nosuch a}}{{/inline}}{{> p}}', "there is no helper 'nosuch'"],
    ['{{#*inline "p"}}{{/inline}}{{> p (nosuch a)}}', "there is no helper 'nosuch'"],
    ['{{#each}}{{/each}}', "the helper 'each' takes 1 value"],
    ['{{> person}}', 'there are no partials to include'],
    ['{{> (lookup this "a")}}', 'there are no partials to include'],
  ]
  for (const [call, problem] of calls) {
    const { template, warnings } = parseTemplate(`<x>\n${call}</x>{{#if b}}{{nosuch b}}{{/if}}`)
    deepStrictEqual(warnings.find(({ message }) => message === problem)?.lines, [2], call)
    strictEqual(warnings.length, 2)
    throws(() => template.render({ a: 'geheim', person: { x: 'geheim' } }, generated), {
      code: 'template_expansion_failed',
    })
  }
  const inOrder = parseTemplate('{{nosuch a}}{{if}}{{> p}}\n{{#each a b}}{{/each}}{{other a}}{{> (q)}}').warnings
  deepStrictEqual(
    inOrder.map(({ lines, message }) => `${lines[0]}: ${message}`),
    [
      "1: there is no helper 'nosuch'",
      "1: the helper 'if' takes 1 value",
      "2: the helper 'each' takes 1 value",
      "2: there is no helper 'other'",
      "2: there is no helper 'q'",
      '1: there are no partials to include',
      '2: there are no partials to include',
    ],
  )
  strictEqual(render('{{#if a}}{{nosuch b}}{{else}}fine{{/if}}', { a: false }), 'fine')
  // Without a value these are fields to Handlebars, and a missing field is empty.
  for (const call of ['{{nosuch a=1}}', '{{xml_attr (nosuch)}}']) {
    strictEqual(parseTemplate(call).warnings.length, 1)
    strictEqual(render(call), '')
  }
})

test('what may succeed is no warning [D2.3]', () => {
  const sources = [
    '{{a}}{{{a}}}{{&a}}{{a.b}}{{../a}}{{@root.a}}{{[a b]}}{{"a"}}{{12}}{{nosuch}}',
    '{{#a}}{{/a}}{{^a}}{{/a}}{{#if a}}{{else if b}}{{else}}{{/if}}{{#if a includeZero=true}}{{/if}}',
    '{{#each a as |b c|}}{{b}}{{/each}}{{#with a as |b|}}{{b}}{{/with}}{{lookup a b}}{{#unless a}}{{/unless}}',
    '{{xml_attr a}}{{xml_attr (lookup a "b")}}{{~a~}}{{! nosuch a }}{{!-- {{nosuch a}} --}}\\{{nosuch a}}',
    '{{> part}}{{#*inline "part"}}{{a}}{{/inline}}',
    '{{#> part}}{{a}}{{/part}}',
    '{{{{raw}}}} {{nosuch a}} {{{{/raw}}}}',
  ]
  for (const source of sources) deepStrictEqual(parseTemplate(source).warnings, [], source)
  strictEqual(render('{{> part}}{{#*inline "part"}}{{a}}{{/inline}}', { a: 1 }), '1')
})

test('a failure says what it may and no value [S-error.template_expansion_failed]', () => {
  strictEqual(
    fails('{{nosuch a}}', '{"a":"geheim"}').message,
    'the template cannot be rendered: Missing helper: "nosuch"',
  )
  strictEqual(fails('{{> part}}').message, 'the template uses a partial that it does not define')
  strictEqual(fails('{{xml_attr}}').message, "the helper 'xml_attr' takes exactly one value")
  const rendered = 'the template cannot be rendered'
  strictEqual(fails('{{#if}}{{/if}}').message, `${rendered}: #if requires exactly one argument`)
  strictEqual(fails('{{#each}}{{/each}}').message, `${rendered}: Must pass iterator to #each`)
  strictEqual(fails('{{person.x a}}', '{"person":{"x":"geheim"}}').message, rendered)
  const sources = [
    '{{> (lookup this "a")}}',
    '{{person.x a}}',
    '{{#with person}}{{x a}}{{/with}}',
    '{{* a}}',
    '{{#*a}}{{/a}}',
    '{{#if}}{{/if}}',
    '{{#each}}{{/each}}',
    '{{#if a b}}{{/if}}',
    '{{#with}}{{/with}}',
    '{{lookup}}',
    '{{#*inline "p"}}{{> p}}{{> p}}{{/inline}}{{> p}}',
    '{{{person}}}',
    '{{{a}}}\u0001',
  ]
  for (const source of sources) {
    const failure = fails(source, '{"a":"geheim","b":1,"person":{"x":"geheim"}}')
    const cause = failure.cause instanceof Error ? failure.cause.message : ''
    ok(!`${failure.message}${cause}`.includes('geheim'), `${source}: ${failure.message} (${cause})`)
  }
})

test('loops over loops end [S-error.template_expansion_failed]', () => {
  const list = `{"person":{"x":1},"list":[${'1,'.repeat(10_000)}1]}`
  const nested = (levels: number): string => '{{#each @root.list}}'.repeat(levels) + '{{/each}}'.repeat(levels)
  strictEqual(renderBody(nested(1), list), '')
  const values = '{{#each_value list}}{{#each_value @root.list}}{{/each_value}}{{/each_value}}'
  for (const source of [
    nested(2),
    `{{#each person}}{{/each}}${nested(9)}`,
    '{{#list}}{{#each @root.list}}{{/each}}{{/list}}',
    values,
  ]) {
    strictEqual(fails(source, list).message, 'the loops of the template take more than 1000000 rounds')
  }
  const once = `{"list":[${'1,'.repeat(500_000)}1]}`
  strictEqual(renderBody('{{#each list}}x{{/each}}', once).length, 500_001)
})

test('an envelope out of all proportion is not sent [S-error.template_expansion_failed]', () => {
  const body = JSON.stringify({ a: 'x'.repeat(1_000_000), list: Array.from({ length: 70 }, () => 1) })
  strictEqual(
    fails('{{#each list}}{{@root.a}}{{/each}}', body).message,
    'the envelope is longer than 67108864 characters',
  )
  fails('{{#each list}}{{#each @root.list}}{{#each @root.list}}{{{@root.a}}}{{/each}}{{/each}}{{/each}}', body)
  const message = 'the envelope is longer than 67108864 characters'
  strictEqual(fails('{{{a}}}'.repeat(70), body).message, message)
})

test('a long value in each round of a loop ends with the envelope that is too long [S-error.template_expansion_failed]', () => {
  // Mostly of characters that need no escape, whose cost is not what this is about.
  const values = { a: `<${'x'.repeat(400_000)}`, list: Array.from({ length: 20_000 }, () => 1) }
  const loops = [
    '{{#each list}}{{../a}}{{/each}}',
    '{{#each list}}{{xml_attr ../a}}{{/each}}',
    '{{#each_value list}}{{@root.a}}{{/each_value}}',
    '{{#list}}{{@root.a}}{{/list}}',
    '{{#each list}}{{#each ../list}}{{@root.a}}{{/each}}{{/each}}',
  ]
  for (const source of loops) {
    throws(() => render(source, values), { message: 'the envelope is longer than 67108864 characters' }, source)
  }
  strictEqual(render('{{#each list as |v i|}}{{i}}={{v}};{{/each}}', { list: ['x', 'y'] }), '0=x;1=y;')
})

test('blocks that stand too deep are refused in words [S-boot.2]', () => {
  const source = '{{#if a}}'.repeat(2000) + '{{/if}}'.repeat(2000)
  throws(() => parseTemplate(source), {
    name: 'TemplateSyntaxError',
    message: 'blocks stand too deep inside each other',
  })
})

test('a template renders the same each time, and one call leaves nothing for the next [D2.3]', () => {
  const { template } = parseTemplate('{{a}}{{#each list}}{{this}}{{/each}}{{generate.uuid}}')
  const values = readParams(Buffer.from('{"a":1,"list":[1,[2]]}'), ['a', 'list'])
  throws(() => template.render(values, generated), { code: 'template_expansion_failed' })
  strictEqual(template.render({ a: 'x', list: [1, 2] }, generated), `x12${generated.uuid}`)
  strictEqual(template.render({}, { ...generated, uuid: 'other' }), 'other')
  const frozen = Object.freeze({ a: Object.freeze(['x']) })
  strictEqual(render('{{#each a}}{{this}}{{/each}}', frozen), 'x')
  deepStrictEqual(frozen, { a: ['x'] })
})

const fragments = [
  '{{',
  '}}',
  '{',
  '}',
  '{{{',
  '}}}',
  '{{{{',
  '}}}}',
  '\\',
  '\0',
  '\n',
  '\r\n',
  ' ',
  '~',
  '.',
  '..',
  '../../',
  '/',
  '"',
  "'",
  '|',
  '[',
  ']',
  '(',
  ')',
  '#',
  '^',
  '!',
  '--',
  '&',
  '*',
  '>',
  '@',
  '=',
  ':',
  '-',
  '1',
  'a',
  'b-c',
  'õun',
  '[x y]',
  '"t"',
  'else',
  'elsewhere',
  'else-if',
  'elseõ',
  'this',
  'this.',
  'thistle',
  'true',
  'null',
  'nullable',
  'undefined',
  'as',
  'as |x|',
  '@root.',
  '@index',
  'xml_attr ',
  'lookup ',
  'log ',
  '#if ',
  '#each ',
  '/if',
  '/each',
  '{{#if a}}',
  '{{#each a.b}}',
  '{{else}}',
  '{{/if}}',
  '{{/each}}',
  '{{a}}',
  '{{{a.b}}}',
  '{{ a }}',
  '{{xml_attr a}}',
  '{{lookup this "a"}}',
  '<x>',
  'text',
]

test('the short cut of the check knows what generated files and most people write, and leaves the rest [S-boot.2]', () => {
  const usual = [
    '',
    'text } {',
    '{{a}}{{ a.b }}{{{a}}}{{{ a-b.c }}}',
    '{{this}}{{.}}{{this.a}}{{@root.a}}{{../../a}}{{[a b].c}}{{@index}}{{@key}}{{@first}}{{@last}}{{õ}}',
    '{{xml_attr a.b}}{{lookup a b}}{{lookup this "a b"}}',
    '{{xml_element "n:a" a}}{{xml_element "a" a "xsi:nil"}}{{xml_element "a b" ../a}}{{xml_element "a" a "nil"}}',
    '{{swa_ref a}}{{swa_ref a type="b/c"}}{{xop_include a type=b.c}}{{mime_part a type="b" part="c d"}}',
    '{{#if a}}x{{else}}y{{/if}}{{#unless a.b}}{{/unless}}{{#if (is_nil a)}}{{/if}}',
    '{{#each a}}{{#with this}}{{b}}{{/with}}{{/each}}{{#each_value a}}{{this}}{{/each_value}}',
    '{{#if a}}{{else if (is_nil b)}}{{else if c}}{{else}}{{/if}}',
    '{{#if_present a\n  b.c}}{{else if_present d (is_nil e)}}{{else}}{{/if_present}}',
  ]
  for (const source of usual) strictEqual(isPlain(source), true, source)
  const others = ['\\{{a}}', '{{a}}\\{{b}}', '{{a}}\0', '{{a b}}', '{{a}}}', '{{{a}}', '{{xml_element "a" b}}}', '{{! a }}', '{{~a}}', '{{if}}', '{{xml_attr}}', '{{xml_attr a b}}', '{{#if a}}', '{{/if}}', '{{#if a}}{{/each}}', '{{#if a}}{{#each b}}{{/if}}{{/each}}', '{{else}}', '{{else if a}}', '{{#if a}}{{else}}{{else}}{{/if}}', '{{#if a}}{{else}}{{else if b}}{{/if}}', '{{#if}}{{/if}}', '{{true}}', '{{else.a}}', '{{a}}{{b'] // prettier-ignore
  for (const source of others) strictEqual(isPlain(source), false, source)
})

test('names that the short cut finds, with the braces that they stand in [X26]', () => {
  const found = (source: string, unknown = ''): string | false => {
    const names: string[] = []
    const isKnown = (name: string, isRaw: boolean): boolean =>
      names.push(isRaw ? `{${name}}` : name) > 0 && name !== unknown
    return hasOnlyKnownNames(source, isKnown) && names.join(' ')
  }
  const source = 'x{{a}}{{{ b }}}{{xml_attr c-d}}{{#if e}}{{else}}{{/if}}{{#unless f}}{{/unless}}{{ generate.uuid }}'
  strictEqual(found(source), 'a {b} c-d e f generate.uuid')
  strictEqual(found('text'), '')
  for (const name of ['a', 'b', 'c-d', 'f', 'generate.uuid']) strictEqual(found(source, name), false, name)
  for (const other of ['{{#each a}}{{b}}{{/each}}', '{{../a}}', '{{lookup a b}}', '{{a.b.c}}', '{{[a b]}}', '{{a}}{{'])
    strictEqual(found(other), false, other)
})

test('values of the service are known in the braces that they need [X26]', () => {
  const known = (name: string): readonly boolean[] => [isFilledIn(name, false), isFilledIn(name, true)]
  for (const name of ['uuid', 'instance', 'protocol_version', 'user_id', 'issue'])
    deepStrictEqual(known(`generate.${name}`), [true, true], name)
  deepStrictEqual(known('generate.client'), [false, true])
  for (const name of [
    'uuid',
    'generate',
    'generate.',
    'generate.x',
    'generate.toString',
    'generated.uuid',
    'my_values.uuid',
    'x.generate.uuid',
  ])
    deepStrictEqual(known(name), [false, false], name)
})

function isHandlebars(source: string): boolean {
  try {
    Handlebars.precompile(source)
    return true
  } catch {
    return false
  }
}

test('whatever the short cut of the check accepts, Handlebars accepts [D1.4]', () => {
  let accepted = 0
  const pieces = fc.array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(pieces, (chosen) => {
      const source = chosen.join('')
      if (!isPlain(source)) return
      accepted++
      ok(isHandlebars(source), JSON.stringify(source))
    }),
    { numRuns: 60_000 },
  )
  ok(accepted > 1000, `${accepted} accepted`)
})

test('the same for placeholders that are almost right [D1.4]', () => {
  let accepted = 0
  const inside = fc.array(fc.constantFrom(...fragments.filter((text) => !text.includes('{'))), {
    minLength: 1,
    maxLength: 4,
  })
  const wrapped = fc
    .tuple(
      fc.constantFrom('{{', '{{ ', '{{{', '{{#if ', '{{#with ', '{{xml_attr ', '{{lookup a '),
      inside,
      fc.constantFrom('}}', ' }}', '}}}'),
    )
    .map(
      ([open, chosen, close]) =>
        open + chosen.join('') + close + (open.includes('#') ? `{{/${open.slice(3, -1)}}}` : ''),
    )
  fc.assert(
    fc.property(fc.array(wrapped, { minLength: 1, maxLength: 2 }), (tags) => {
      const source = tags.join('')
      if (!isPlain(source)) return
      accepted++
      ok(isHandlebars(source), JSON.stringify(source))
      // What is not looked at has no warning, so there must be none.
      deepStrictEqual(parseTemplate(`${source}{{! looked at }}`).warnings, [], source)
    }),
    { numRuns: 60_000 },
  )
  ok(accepted > 1000, `${accepted} accepted`)
})

test('the same for good templates with one character changed [D1.4]', () => {
  const good =
    '<a b="{{xml_attr x.y}}">{{{generate.client}}}{{#each list}}{{this}}{{../n}}{{else}}{{@root.z}}{{/each}}' +
    '{{#if [a b]}}{{lookup this "t"}}{{/if}} {{ n-m }}</a>'
  strictEqual(isPlain(good), true)
  for (let at = 0; at < good.length; at++) {
    for (const character of ['', '{', '}', '\\', '\0', '.', '/', ' ', '#', 'e', '"', ']', '[', '~', '@', '\n', '|']) {
      for (const skip of [0, 1]) {
        const source = good.slice(0, at) + character + good.slice(at + skip)
        if (isPlain(source)) ok(isHandlebars(source), source)
      }
    }
  }
})

/** About 1.5 KB with six placeholders, as generated files are. */
function envelope(operation: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"
    xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" xmlns:id="http://x-road.eu/xsd/identifiers" xmlns:p="http://rr.x-road.eu/p">
  <soapenv:Header>
    {{{generate.client}}}
    <xroad:service id:objectType="SERVICE"><id:xRoadInstance>{{generate.instance}}</id:xRoadInstance></xroad:service>
    <xroad:id>{{generate.uuid}}</xroad:id>
    <xroad:protocolVersion>{{generate.protocol_version}}</xroad:protocolVersion>
  </soapenv:Header>
  <soapenv:Body><p:${operation}><p:a x="{{xml_attr b}}">{{a}}</p:a>${'<p:field>0</p:field>'.repeat(40)}</p:${operation}>
  </soapenv:Body>
</soapenv:Envelope>`
}

test('three thousand envelopes are checked in no time [S-boot.2]', () => {
  // Handlebars' own parser is what would take the time.
  const sources = Array.from({ length: 1000 }, (_, index) => envelope(`op${index}`))
  const cpuMs = (work: (source: string) => unknown): number => {
    const start = process.threadCpuUsage()
    for (const source of sources) work(source)
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1000
  }
  const own = Math.min(cpuMs(parseTemplate), cpuMs(parseTemplate))
  const theirs = Math.min(cpuMs(Handlebars.parse), cpuMs(Handlebars.parse))
  ok(own < theirs / 2, `${own} ms, Handlebars ${theirs} ms`)
})

test('a long or hostile template is checked in linear time [S-soap.envelope]', () => {
  const sources: ((count: number) => string)[] = [
    (count) => '{'.repeat(count),
    (count) => '{{a}}'.repeat(count / 5),
    (count) => '{{ '.repeat(count / 3),
    (count) => `{{${'a.'.repeat(count / 2)}`,
    (count) => `{{${'../'.repeat(count / 3)}`,
    (count) => `{{lookup ${'a'.repeat(count)}`,
    (count) => `{{[${'x'.repeat(count)}`,
    (count) => `{{a${' '.repeat(count)}`,
  ]
  for (const write of sources) {
    checkGrowth(150_000, (count) => {
      const source = write(count)
      return () => doesNotThrow(() => isPlain(source))
    })
  }
})
