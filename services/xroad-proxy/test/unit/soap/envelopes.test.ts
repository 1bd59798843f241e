/** Envelopes that no Security Server can read, and params that do not do what they seem to: each told with its line. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { readDsl, type ReadDsl } from '../../../src/boot/dsl/dsl.ts'

const read = (text: string): ReadDsl => readDsl(text, { file: 's.yml', group: 'g', service: 's' })

const lines = `params: [code]
method: POST
envelope: |
  <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"
      xmlns:xroad="http://x-road.eu/xsd/xroad.xsd" xmlns:id="http://x-road.eu/xsd/identifiers">
    <s:Header>
      {{{generate.client}}}
      <xroad:service id:objectType="SERVICE">
        <id:xRoadInstance>{{generate.instance}}</id:xRoadInstance>
        <id:memberClass>GOV</id:memberClass>
        <id:memberCode>1</id:memberCode>
        <id:serviceCode>find</id:serviceCode>
      </xroad:service>
      <xroad:id>{{generate.uuid}}</xroad:id>
      <xroad:protocolVersion>{{generate.protocol_version}}</xroad:protocolVersion>
    </s:Header>
    <s:Body>
      <find><code>{{code}}</code></find>
    </s:Body>
  </s:Envelope>
`.split('\n')
const whole = lines.join('\n')
/** Without these lines, which count from 1. */
const without = (from: number, to = from): string => lines.toSpliced(from - 1, to - from + 1).join('\n')
const direct = (text: string): string => `service: https://service.example/soap\n${text}`

const wrong: Readonly<Record<string, readonly [text: string, warning: RegExp]>> = {
  text: ['method: POST\nenvelope: hello\n', /^s\.yml:2: envelope: line 1 of the template: is not XML/],
  JSON: ['method: POST\nenvelope: |\n  {"a": 1}\n', /^s\.yml:3: envelope: is not XML/],
  'a page': ['method: POST\nenvelope: |\n  <!DOCTYPE html><html/>\n', /^s\.yml:3: envelope: has a DOCTYPE/],
  'a tag without its end': [whole.replace('</code>', '</cod>'), /^s\.yml:18: envelope: not well-formed.*needs its end/],
  'a prefix of generate.client': [whole.replace('xmlns:xroad', 'xmlns:xrd'), /^s\.yml:7: envelope: .*xroad.*its xmlns$/],
  'another root': ['method: POST\nenvelope: |\n  <find/>\n', /^s\.yml:3: envelope: begins with <find>, expected the Env/],
  'no Header': [without(6, 16), /^s\.yml:4: envelope: has no Header, expected .*\{\{\{generate\.client\}\}\}, <xroad:service/],
  'no Body': [without(17, 19), /^s\.yml:4: envelope: has no Body/],
  'an empty Body': [without(18), /^s\.yml:17: envelope: the Body is empty/],
  'no client': [without(7), /^s\.yml:6: envelope: the Header lacks client, .*; write \{\{\{generate\.client\}\}\}$/],
  'no service': [without(8, 13), /^s\.yml:6: envelope: the Header lacks service, .*; write <xroad:service /],
  'no id and version': [without(14, 15), /^s\.yml:6: envelope: the Header lacks id, protocolVersion, .*<xroad:id>\{\{/],
  'no serviceCode': [without(12), /^s\.yml:8: envelope: service lacks <id:serviceCode>$/],
  'no objectType': [whole.replace(' id:objectType="SERVICE"', ''), /^s\.yml:8: .* lacks the attribute id:objectType="SERVICE"$/],
  'a namespace of SOAP': [whole.replace('/soap/env', '/soap/Env'), /^s\.yml:4: envelope: Envelope has the namespace ".*Envelope\/", expected http/],
  'a namespace of X-Road': [whole.replace('xroad.xsd', 'x.xsd'), /^s\.yml:7: envelope: client has the namespace .*, expected http:\/\/x-road\.eu\/xsd\/xroad\.xsd/],
  'no prefix': [whole.replaceAll('xroad:id>', 'id>'), /^s\.yml:14: envelope: id has no namespace, expected/],
  'a direct call without Body': [direct(without(17, 19)), /^s\.yml:5: envelope: has no Body/],
  'a block': [whole.replace('</find>', '</fin>{{#if code}}1{{/if}}'), /^s\.yml:18: envelope: not well-formed/],
} // prettier-ignore
for (const [title, [text, warning]] of Object.entries(wrong)) {
  test(`one WARN names the line of an envelope that is no message: ${title} [G9]`, () => {
    const { envelopeWarnings } = read(text)
    strictEqual(envelopeWarnings.length, 1)
    match(envelopeWarnings[0] ?? '', warning)
  })
}

test('envelopes that may be right are not reported [G9]', () => {
  const fine = {
    whole,
    'client as people write it': whole.replace(
      '{{{generate.client}}}',
      '<xroad:client id:objectType="MEMBER"><id:xRoadInstance>E</id:xRoadInstance><id:memberClass>G</id:memberClass><id:memberCode>1</id:memberCode></xroad:client>',
    ),
    'a condition': whole.replace('<code>{{code}}</code>', '{{#if code}}<code>{{code}}</code>{{else}}<all/>{{/if}}'),
    'a Header that callers write': whole.replace(/<xroad:service[^]*<\/xroad:service>/, '{{{code}}}'),
    'a direct call without Header': direct(without(6, 16)),
    'a direct call of XML': direct('method: POST\nenvelope: <find/>\n'),
  }
  for (const [title, text] of Object.entries(fine)) deepStrictEqual(read(text).envelopeWarnings, [], title)
})

test('three braces around a value of a caller are a WARN with the line [G9]', () => {
  for (const written of ['{{{code}}}', '{{&code}}', '{{{ code.x }}}']) {
    const [warning = ''] = read(whole.replace('{{code}}', written)).warnings
    match(warning, /^s\.yml:18: envelope: \{\{.*code.* writes the value .*; write \{\{code(?:\.x)?\}\}, unless/)
  }
  deepStrictEqual(read(whole).warnings, [])
})

test('a param that the envelope does not use is an INFO with the line [G9]', () => {
  const { notices, warnings } = read(whole.replace('params: [code]', 'params: [code, cod]'))
  deepStrictEqual(warnings, [])
  strictEqual(notices.length, 1)
  match(notices[0] ?? '', /^s\.yml:1: params\[1\]: the envelope does not use cod, .*; write \{\{cod\}\}/)
  match(
    read(whole.replace('params: [code]', 'params:\n  code: {}\n  x: {}')).notices[0] ?? '',
    /^s\.yml:3: params\.x: /,
  )
  for (const use of ['{{#each this}}{{this}}{{/each}}', '{{lookup this code}}', '{{[a b]}}', '{{#if b}}{{/if}}']) {
    const text = whole.replace('params: [code]', use.includes('[') ? 'params: [code, a b]' : 'params: [code, b]')
    deepStrictEqual(read(text.replace('{{code}}', `{{code}}${use}`)).notices, [], use)
  }
})
