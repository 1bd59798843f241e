/** Names in an envelope that no call can fill: what is told, with line and nearest name, and what is not told. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { nearest } from '@services/config-file'
import fc from 'fast-check'
import { readDsl } from '../../../src/boot/dsl/dsl.ts'
import { parseTemplate } from '../../../src/soap/request/template.ts'
import { realFiles, realFolder, withoutRealWsdls } from '../../support/wsdl/real-wsdls.ts'
import { generateAround, wsdlAround } from '../../support/wsdl/wsdl.ts'
import { drop } from '../../support/wsdl/wsdl-folder.ts'
import { startLanes } from '../../support/lanes.ts'

const params = ['personalCode', 'given-name', 'person', 'list', 'if', 'first name']

const warningsOf = (source: string, names: readonly string[] = params): string[] =>
  parseTemplate(source, { params: names, nearest }).warnings.map(({ message }) => message)

/** The text of a DSL file -> warnings without its path. */
const readText = (text: string): string[] =>
  readDsl(text, { file: 's.yml', group: 'g', service: 's' }).templateWarnings.map((each) =>
    each.replace(/^s\.yml:/, ''),
  )

const gone = (name: string, remedy: string): string => `'${name}' is not among params, so it is always empty; ${remedy}`
const others = `params are ${params.join(', ')}`
const braces = "'generate.client' is XML and needs three braces: {{{generate.client}}}"
const filled = (name: string, meant: string): string =>
  `the service does not fill in 'generate.${name}'; did you mean ${meant}?`

describe('a name that no call can fill is told [X26]', () => {
  const cases: readonly (readonly [source: string, ...messages: string[]])[] = [
    ['{{personCode}}', gone('personCode', 'did you mean personalCode?')],
    ['{{{personCode}}}', gone('personCode', 'did you mean personalCode?')],
    ['{{PersonalCode}}', gone('PersonalCode', 'did you mean personalCode?')],
    ['{{this.personCode}}{{./personCode}}', gone('personCode', 'did you mean personalCode?')],
    ['{{@root.personCode}}', gone('personCode', 'did you mean personalCode?')],
    ['{{persn.name}}', gone('persn.name', 'did you mean person?')],
    ['{{[first nam]}}', gone('first nam', 'did you mean first name?')],
    ['{{"personCode"}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#if personCode}}x{{/if}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#unless personCode}}x{{/unless}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#if_present person personCode}}x{{/if_present}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#if (is_nil personCode)}}x{{/if}}', gone('personCode', 'did you mean personalCode?')],
    ['<a b="{{xml_attr personCode}}"/>', gone('personCode', 'did you mean personalCode?')],
    ['{{lookup lst 0}}', gone('lst', 'did you mean list?')],
    ['{{lookup this "personCode"}}', gone('personCode', 'did you mean personalCode?')],
    ['{{lookup @root "personCode"}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#each lists}}{{this}}{{/each}}', gone('lists', 'did you mean list?')],
    ['{{#each_value lst}}{{this}}{{/each_value}}', gone('lst', 'did you mean list?')],
    ['{{#with persons}}{{name}}{{/with}}', gone('persons', 'did you mean person?')],
    ['{{#each list}}{{../personCode}}{{/each}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#each list}}{{@root.personCode}}{{/each}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#each list}}{{else}}{{personCode}}{{/each}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#with person}}{{#if x}}{{../personCode}}{{/if}}{{/with}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#with this}}{{personCode}}{{/with}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#if person}}{{else if personCode}}{{/if}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#personCode}}x{{/personCode}}', gone('personCode', 'did you mean personalCode?')],
    ['{{^personCode}}x{{/personCode}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#each list as |item|}}{{/each}}{{item}}', gone('item', others)],
    ['{{zzz}}', gone('zzz', others)],
    ['{{generate.client}}', braces],
    ['{{this.generate.client}}', braces],
    ['{{@root.generate.client}}', braces],
    ['{{#with generate}}{{client}}{{/with}}', braces],
    ['{{#if person}}{{generate.client}}{{/if}}', braces],
    ['{{generat.client}}', gone('generat.client', 'did you mean {{{generate.client}}}?')],
    ['{{{generat.client}}}', gone('generat.client', 'did you mean {{{generate.client}}}?')],
    ['{{Generate.uuid}}', gone('Generate.uuid', 'did you mean generate.uuid?')],
    ['{{uuid}}', gone('uuid', 'did you mean generate.uuid?')],
    ['{{protocol_version}}', gone('protocol_version', 'did you mean generate.protocol_version?')],
    ['{{generate.uid}}', filled('uid', 'generate.uuid')],
    ['{{generate.userId}}', filled('userId', 'generate.user_id')],
    ['{{generate.protocolVersion}}', filled('protocolVersion', 'generate.protocol_version')],
    ['{{{generate.clent}}}', filled('clent', '{{{generate.client}}}')],
    ['{{#if_present generate.userid}}x{{/if_present}}', filled('userid', 'generate.user_id')],
    ['{{lookup generate "uid"}}', filled('uid', 'generate.uuid')],
    ['{{#with generate}}{{instnce}}{{/with}}', filled('instnce', 'generate.instance')],
    [
      '{{generate.zzz}}',
      "the service does not fill in 'generate.zzz'; there are uuid, instance, client, protocol_version, user_id, issue",
    ],
    [
      '{{generate}}',
      'generate alone is not a text; there are uuid, instance, client, protocol_version, user_id, issue',
    ],
    ['{{xml_atr person}}', "there is no helper 'xml_atr'; did you mean xml_attr?"],
    ['{{xmlAttr person}}', "there is no helper 'xmlAttr'; did you mean xml_attr?"],
    ['{{#eech list}}{{/eech}}', "there is no helper 'eech'; did you mean each?"],
    ['{{#if (isnil person)}}{{/if}}', "there is no helper 'isnil'; did you mean is_nil?"],
    ['{{#each list}}{{@indx}}{{/each}}', "there is no '@indx'; did you mean @index?"],
    [
      '{{#each list}}{{@indx}}{{@kee}}{{/each}}',
      "there is no '@indx'; did you mean @index?",
      "there is no '@kee'; did you mean @key?",
    ],
    ['{{@zzzzz}}{{@roott.person}}', "there is no '@zzzzz'", "there is no '@roott'; did you mean @root?"],
    ['{{../personalCode}}', "'../personalCode' leads outside the values, so it is always empty"],
    ['{{#with this}}{{../personalCode}}{{/with}}', "'../personalCode' leads outside the values, so it is always empty"],
    ['{{#each list}}{{#with @root}}{{personCode}}{{/with}}{{/each}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#person}}{{@root.personCode}}{{/person}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#person}}{{#with @root.generate}}{{uid}}{{/with}}{{/person}}', filled('uid', 'generate.uuid')],
    ['{{#each list as |item|}}{{../item}}{{/each}}', gone('item', others)],
    ['{{#each list as |item|}}{{#with @root}}{{this.item}}{{/with}}{{/each}}', gone('item', others)],
    [
      '{{#with this as |all|}}{{all.person}}{{personCode}}{{/with}}{{all}}',
      gone('personCode', 'did you mean personalCode?'),
      gone('all', others),
    ],
    ['{{#with}}{{anything}}{{/with}}', "the helper 'with' takes 1 value"],
    ['{{12}}', gone('12', others)],
    ['{{personCode a=1}}', "there is no helper 'personCode'"],
    ['{{#if person includeZero=personCode}}{{/if}}', gone('personCode', 'did you mean personalCode?')],
    ['{{lookup (lookup lst 0) "name"}}', gone('lst', 'did you mean list?')],
    ['{{#> part personCode}}{{/part}}', gone('personCode', 'did you mean personalCode?')],
    ['{{#> part}}{{@root.personCode}}{{/part}}', gone('personCode', 'did you mean personalCode?')],
    [
      '{{#*inline "part"}}{{@root.personCode}}{{/inline}}{{> part a=lst}}',
      gone('personCode', 'did you mean personalCode?'),
      gone('lst', 'did you mean list?'),
    ],
    ['{{#*inline "part"}}{{/inline}}{{> (lookup lst 0)}}', gone('lst', 'did you mean list?')],
    ['{{generate_client}}', gone('generate_client', 'did you mean {{{generate.client}}}?')],
    ['{{service.uuid}}', gone('service.uuid', 'did you mean generate.uuid?')],
    ['{{generate.user.id}}{{generate.uid}}', filled('user.id', 'generate.user_id'), filled('uid', 'generate.uuid')],
    [`{{${'z'.repeat(80)}}}`, gone('z'.repeat(64), others)],
    [
      '{{personCode}} {{generate.client}} {{instance}}',
      gone('personCode', 'did you mean personalCode?'),
      braces,
      gone('instance', 'did you mean generate.instance?'),
    ],
  ]
  for (const [source, ...messages] of cases) {
    test(source, () => {
      deepStrictEqual(warningsOf(source), messages)
    })
  }

  test('a file without any params is told as well', () => {
    deepStrictEqual(warningsOf('{{zzz}}', []), [gone('zzz', 'the file has no params, such as params: [zzz]')])
  })

  test('of many params the first ten are told', () => {
    const names = Array.from('abcdefghijkl')
    deepStrictEqual(warningsOf('{{zzz}}', names.slice(0, 10)), [gone('zzz', 'params are a, b, c, d, e, f, g, h, i, j')])
    deepStrictEqual(warningsOf('{{zzz}}', names), [gone('zzz', 'params are a, b, c, d, e, f, g, h, i, j, and 2 more')])
    const eleven = names.slice(0, 11)
    deepStrictEqual(warningsOf('{{zzz}}', eleven), [gone('zzz', 'params are a, b, c, d, e, f, g, h, i, j, and 1 more')])
  })
})

describe('what a call can fill is not told [X26]', () => {
  const sources = [
    '{{personalCode}}{{{personalCode}}}{{&personalCode}}{{given-name}}{{person.name.first}}{{[first name]}}{{this.if}}',
    '{{generate.uuid}}{{generate.instance}}{{{generate.client}}}{{&generate.client}}{{generate.protocol_version}}',
    '{{#if_present generate.user_id}}{{generate.user_id}}{{/if_present}}{{#if generate.client}}{{/if}}',
    '{{#with generate}}{{uuid}}{{{client}}}{{../personalCode}}{{/with}}{{{lookup generate "client"}}}',
    '{{#each list}}{{this}}{{name}}{{@index}}{{@key}}{{@first}}{{@last}}{{../personalCode}}{{@root.person}}{{/each}}',
    '{{#each list}}{{#each items}}{{code}}{{../name}}{{../../personalCode}}{{/each}}{{/each}}',
    '{{#each list as |item index|}}{{item.name}}{{index}}{{#if item}}{{item}}{{/if}}{{/each}}',
    '{{#with this as |all|}}{{#each list as |part|}}{{part}}{{/each}}{{all.anything}}{{/with}}',
    '{{#with person as |p|}}{{p.name}}{{name}}{{/with}}{{#each_value list}}{{this}}{{name}}{{/each_value}}',
    '{{#each list}}{{#with this}}{{anything}}{{../anything}}{{/with}}{{/each}}',
    '{{#with generate}}{{#with this}}{{anything}}{{/with}}{{/with}}{{#with ..}}{{anything}}{{/with}}',
    '{{#with (lookup person "name")}}{{anything}}{{/with}}{{lookup (lookup this "generate") "uuid"}}',
    '{{#each this}}{{anything}}{{/each}}{{#each generate}}{{anything}}{{/each}}{{#generate}}{{uuid}}{{/generate}}',
    '{{#each list as |item|}}{{#with @root}}{{item}}{{/with}}{{/each}}{{true}}{{null}}{{undefined}}',
    '{{#with this as |all|}}{{all.anything}}{{personalCode}}{{/with}}',
    '{{#person}}{{#each list}}{{../../../anything}}{{/each}}{{/person}}',
    '{{#person}}{{name}}{{../anything}}{{/person}}{{^person}}{{personalCode}}{{/person}}',
    '{{#each this}}{{@key}}={{this}}{{/each}}{{#each @root}}{{this}}{{/each}}{{#each generate}}{{this}}{{/each}}',
    '{{lookup this personalCode}}{{lookup list 0}}{{lookup person "name"}}{{lookup @root "person"}}',
    '{{#if person}}{{else if list}}{{else}}{{personalCode}}{{/if}}{{#unless list}}{{/unless}}',
    '{{#if_present person (is_nil list)}}{{/if_present}}{{xml_attr (lookup person "name")}}{{xml_attr "text"}}',
    '{{> part}}{{#*inline "part"}}{{anything}}{{/inline}}{{#> part}}{{anything}}{{/part}}',
    '{{! personCode }}{{!-- {{personCode}} --}}\\{{personCode}}<a>personCode</a>',
    '{{#if person includeZero=true}}{{/if}}{{~personalCode~}}',
  ]
  for (const source of sources) {
    test(source, () => {
      deepStrictEqual(warningsOf(source), [])
    })
  }

  test('whatever the params are called, they are known by the names that the generator writes', () => {
    const name = fc.oneof(
      fc.string({ minLength: 1, unit: fc.constantFrom('a', 'b', 'x', 'y', 'z', '_', '-', '.', 'õ', ' ', '1') }),
      fc.constantFrom('if', 'each', 'lookup', 'this', 'generate', 'true', '__proto__', 'constructor', 'uuid'),
    )
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 5 }), (names) => {
        const source = names
          .map((each) => `{{this.[${each}]}}{{@root.[${each}]}}{{#if this.[${each}]}}{{/if}}`)
          .join('')
        deepStrictEqual(
          warningsOf(
            source,
            names.filter((each) => each !== 'generate'),
          ).filter((each) => !each.startsWith('generate ')),
          [],
        )
      }),
    )
  })
})

describe('where it stands [X26]', () => {
  test('the line of the file, all of them in one warning', () => {
    const text =
      'params: [personalCode]\nmethod: POST\nenvelope: |\n  <a>\n  {{personCode}}\n  <b>{{xml_atr x}}\n  {{personCode}}{{personCode}}</b>\n'
    deepStrictEqual(readText(`${text}  {{personCode}}</a>\n`), [
      "6: envelope: there is no helper 'xml_atr'; did you mean xml_attr?",
      `5: envelope: ${gone('personCode', 'did you mean personalCode?')} (also in lines 7, 8)`,
      `6: envelope: ${gone('x', 'params are personalCode')}`,
    ])
  })

  test('in an envelope whose lines are folded, the line of the template', () => {
    const text = 'method: POST\n\nenvelope: "<a>\\n{{personCode}}</a>"\n'
    deepStrictEqual(readText(text), [
      `3: envelope: line 2 of the template: ${gone('personCode', 'the file has no params, such as params: [personCode]')}`,
    ])
  })

  test('of very many the first twenty are told', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `  {{name${index}}}`)
    const told = readText(
      `method: POST\nparams: [${Array.from({ length: 500 }, (_, index) => `p${index}`).join(', ')}]\nenvelope: |\n${lines.join('\n')}\n`,
    )
    strictEqual(told.length, 21)
    match(told[20]!, /^3: envelope: and 30 more like these$/)
  })

  test('each is one WARN of the start, and the service starts', async () => {
    const envelope =
      'method: POST\nenvelope: |\n  <a xmlns:xroad="x" xmlns:id="i">{{personCode}}\n  {{generate.client}}\n  {{generat.client}}</a>\n'
    const lanes = await startLanes({ dsl: { 'g/s.yml': `service: https://x.example/\n${envelope}` } })
    const warnings = lanes.log.filter(({ event }) => event === 'warning').map(({ message }) => String(message))
    await lanes.close()
    deepStrictEqual(
      warnings.map((warning) => /g\/s\.yml:(\d+): envelope: (.*?)(?:,|$)/.exec(warning)?.slice(1, 3)),
      [
        ['4', "'personCode' is not among params"],
        ['5', braces],
        ['6', "'generat.client' is not among params"],
      ],
    )
  })
})

/** Every name of a generated file as if a person had written it. */
function reviewGenerated(text: string): string[] {
  ok(text.startsWith('# GENERATED BY'))
  return readText(text.slice(text.indexOf('\n') + 1))
}

describe('no generated file and no example is told of [X26]', () => {
  test('names of all sorts are known', () => {
    const result = generateAround(
      `<x:element name="op"><x:complexType><x:sequence>
      ${['if', 'each', 'this', 'generate', 'a.b', 'õ', 'log', 'constructor'].map((name) => `<x:element name="${name}" type="x:string" minOccurs="0" nillable="true"/>`).join('')}
      <x:element name="list" type="t:item" minOccurs="0" maxOccurs="unbounded"/>
      <x:element name="texts" type="x:string" nillable="true" maxOccurs="unbounded"/>
      <x:element name="empty" minOccurs="0"><x:complexType/></x:element>
      </x:sequence><x:attribute name="mark"/></x:complexType></x:element>
      <x:complexType name="item"><x:sequence><x:element name="a" type="x:int"/><x:element name="more" type="t:item" minOccurs="0" maxOccurs="unbounded"/></x:sequence><x:attribute name="mark"/></x:complexType>`,
    )
    ok(result.kind === 'generated')
    deepStrictEqual(reviewGenerated(result.text), [])
  })

  test('the cases of WSDL files', () => {
    const cases = join(import.meta.dirname, '../../cases/wsdl')
    const wsdls = readdirSync(cases, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.wsdl'))
    ok(wsdls.length > 10)
    for (const [index, name] of wsdls.entries()) {
      const { files } = drop({
        [`wsdl/o${index}/api.wsdl`]: readFileSync(join(cases, name)),
        'wsdl/o/a.wsdl': wsdlAround(''),
      })
      for (const text of Object.values(files())) deepStrictEqual(reviewGenerated(text), [], name)
    }
  })

  test('files that real WSDLs give are not told of', { skip: withoutRealWsdls }, () => {
    const names = realFiles(/\.(?:wsdl|xsd)$/)
    const { files } = drop(
      Object.fromEntries(names.map((name) => [`wsdl/${name}`, readFileSync(join(realFolder, name))])),
    )
    const texts = Object.entries(files())
    ok(texts.length > 100, `${texts.length}`)
    for (const [file, text] of texts) deepStrictEqual(reviewGenerated(text), [], file)
  })

  test('examples and what comes with the package', () => {
    const folders = ['../../../../../examples/xroad-proxy/DSL', '../../../dsl'].map((each) =>
      join(import.meta.dirname, each),
    )
    for (const folder of folders) {
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yml'))
      ok(names.length > 0)
      for (const name of names) {
        const text = readFileSync(join(folder, name), 'utf8')
        if (!text.includes('kind: rest')) deepStrictEqual(readText(text), [], name)
      }
    }
  })
})

test('templates that need no parser are those about which the parser has nothing to say [X26]', () => {
  const name = fc.constantFrom('personalCode', 'given-name', 'persn', 'generate.uuid', 'generate.client', 'generate.uid', 'if', 'this') // prettier-ignore
  const tag = fc
    .tuple(
      fc.constantFrom(
        '{{%}}',
        '{{{%}}}',
        '{{ % }}',
        '{{#if %}}x{{/if}}',
        '{{#unless %}}{{else}}{{/unless}}',
        '{{xml_attr %}}',
        '{{#each %}}{{a}}{{/each}}',
        '{{#with %}}{{b}}{{/with}}',
        '\\{{%}}',
        '{{! % }}',
      ),
      name,
    ) // prettier-ignore
    .map(([form, of]) => form.replace('%', of))
  fc.assert(
    fc.property(fc.array(tag, { maxLength: 4 }), (tags) => {
      const source = tags.join(' ')
      let parsed: readonly string[]
      try {
        parsed = warningsOf(`{{!-- has the parser asked --}}${source}`)
      } catch {
        return
      }
      deepStrictEqual(warningsOf(source), parsed, source)
    }),
    { numRuns: 3000 },
  )
})
