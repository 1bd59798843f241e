import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { METHODS } from 'node:http'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readDsl } from '../src/boot/dsl/dsl.ts'
import type { ReadDsl } from '../src/boot/dsl/dsl.ts'
import { StartupFailure } from '../src/errors.ts'
import type { RestEndpoint, SoapEndpoint } from '../src/model.ts'

const place = { file: 'DSL/registry/find.yml', group: 'registry', service: 'find' }
const generated = { uuid: 'u-1', instance: 'EE', client: '<c/>', protocol_version: '4.0' }

function read(text: string): ReadDsl {
  return readDsl(text, place)
}

function soap(text: string): SoapEndpoint {
  const { endpoint } = read(text)
  ok(endpoint.kind === 'soap')
  return endpoint
}

function rest(text: string): RestEndpoint {
  const { endpoint } = read(text)
  ok(endpoint.kind === 'rest')
  return endpoint
}

function refusal(text: string): string {
  try {
    read(text)
  } catch (error) {
    ok(error instanceof StartupFailure, String(error))
    strictEqual(error.code, 'invalid_dsl')
    ok(!/[\r\n]/.test(error.message), 'one line')
    return error.message
  }
  throw new Error('it was not refused')
}

const envelope = 'envelope: |\n  <a>{{x}}</a>\n'
const target =
  'target:\n  member_class: GOV\n  member_code: 00123\n  subsystem_code: "sub system"\n  service_code: find\n'
const restFile = `kind: rest\nmethod: GET\n${target}`

test('a small SOAP file [S-what.1 S-what.2 S-soap.kind S-soap.method S-soap.envelope S-version.5]', () => {
  for (const kind of ['', 'kind: soap\n', 'kind:\n']) {
    const endpoint = soap(`${kind}method: POST\n${envelope}`)
    const { envelope: template, ...rest } = endpoint
    deepStrictEqual(rest, {
      ...place,
      kind: 'soap',
      method: 'POST',
      params: [],
      choices: [],
      url: undefined,
      soapAction: undefined,
      response: undefined,
      attachments: undefined,
      isGenerated: false,
      client: undefined,
      title: undefined,
      description: undefined,
      callerHeaders: [],
    })
    strictEqual(template.render({ x: '1' }, generated), '<a>1</a>\n')
    ok(Object.isFrozen(endpoint))
  }
})

test('a SOAP file with everything [S-soap.params S-soap.service D2.4]', () => {
  const text = `kind: soap
params: [a, "5", 'true', a]
service: https://Service.example:8443/soap?x=1
method: post
soap_action: urn:find#1
envelope: |
  <a>{{a}}</a>
`
  const { endpoint, warnings } = read(text)
  ok(endpoint.kind === 'soap')
  deepStrictEqual(endpoint.params, ['a', '5', 'true'])
  deepStrictEqual(
    [endpoint.method, endpoint.url, endpoint.soapAction],
    ['POST', 'https://service.example:8443/soap?x=1', 'urn:find#1'],
  )
  deepStrictEqual(warnings, [])
  strictEqual(soap(`method: POST\nsoap_action: ""\n${envelope}`).soapAction, '')
  strictEqual(soap(`method: POST\nsoap_action:\nservice:\nparams:\n${envelope}`).soapAction, undefined)
})

test('a small REST file [S-rest.kind S-rest.method D1.2]', () => {
  const { endpoint, warnings } = read(restFile)
  deepStrictEqual(
    { ...endpoint },
    {
      ...place,
      kind: 'rest',
      title: undefined,
      description: undefined,
      method: 'GET',
      target: {
        xroadInstance: '',
        memberClass: 'GOV',
        memberCode: '00123',
        subsystemCode: 'sub system',
        serviceCode: 'find',
        path: '',
      },
      allowedQueryParams: undefined,
      forwardBody: true,
      client: undefined,
    },
  )
  deepStrictEqual(warnings, [])
  ok(Object.isFrozen(endpoint) && endpoint.kind === 'rest' && Object.isFrozen(endpoint.target))
})

test('absent, empty and filled [S-rest.allowed_query_params S-rest.forward_body]', () => {
  deepStrictEqual(rest(`${restFile}allowed_query_params: []\n`).allowedQueryParams, new Set())
  deepStrictEqual(rest(`${restFile}allowed_query_params: [a, 4.0, a]\n`).allowedQueryParams, new Set(['a', '4.0']))
  strictEqual(rest(`${restFile}forward_body: false\n`).forwardBody, false)
  const { endpoint, warnings } = read(`${restFile}allowed_query_params:\n`)
  strictEqual(endpoint.kind === 'rest' && endpoint.allowedQueryParams, undefined)
  match(warnings.join(), /^DSL\/registry\/find\.yml:8: allowed_query_params: left empty: every .* \[\] forwards none$/)
})

test('title and description of both kinds; neither may be empty [P6.1]', () => {
  const words = 'title: Find a person\ndescription: |\n  By code.\n  Or 1.0\n'
  for (const text of [`${words}method: POST\n${envelope}`, `${words}${restFile}`]) {
    const { endpoint, warnings } = read(text)
    deepStrictEqual([endpoint.title, endpoint.description, warnings], ['Find a person', 'By code.\nOr 1.0\n', []])
  }
  strictEqual(read(`title: 2.0\n${restFile}`).endpoint.title, '2.0')
  strictEqual(read(`title:\n${restFile}`).endpoint.title, undefined)
  throws(() => read(`title: ""\n${restFile}`), /DSL\/registry\/find\.yml:1: title: /)
  throws(() => read(`description: [a]\n${restFile}`), /DSL\/registry\/find\.yml:1: description: /)
})

describe('which headers of a caller reach an envelope [P6.1]', () => {
  const all = ['X-Road-Id', 'X-Road-UserId', 'X-Road-Issue']
  const cases: [template: string, headers: string[]][] = [
    ['<a>{{x}} generate.uuid</a>', []],
    ['<a>{{generate.uuid}}</a>', ['X-Road-Id']],
    ['<a>{{#if generate.user_id}}{{{ generate.user_id }}}{{/if}}{{generate.instance}}</a>', ['X-Road-UserId']],
    ['<a>{{xml_element "i" generate.issue}}{{generate.[uuid]}}</a>', ['X-Road-Id', 'X-Road-Issue']],
    ['<a>{{@root.generate/user_id}}</a>', ['X-Road-UserId']],
    ['<a>{{#with generate}}{{issue}}{{/with}}</a>', all],
    ['<a>{{! generate.uuid }}</a>', []],
  ]
  for (const [template, headers] of cases) {
    test(template, () => {
      deepStrictEqual(soap(`method: POST\nenvelope: |\n  ${template}\n`).callerHeaders, headers)
    })
  }
})

test('empty target strings and odd identifiers load [D1.4 S-charset]', () => {
  const { target } = rest(
    'kind: rest\nmethod: GET\ntarget:\n  member_class: ""\n  member_code: \'\'\n  subsystem_code: "ä/ö"\n  service_code: ""\n',
  )
  const empty = { xroadInstance: '', memberClass: '', memberCode: '', serviceCode: '', path: '' }
  deepStrictEqual(target, { ...empty, subsystemCode: 'ä/ö' })
})

test('the path goes as written, with a slash before it [D4.2 S-rest.target.path]', () => {
  const paths: readonly [string, string][] = [
    ['/v1/things', '/v1/things'],
    ['v1/things', '/v1/things'],
    ['""', ''],
    ['', ''],
    ['/', '/'],
    ['1.0', '/1.0'],
    ['//x', '//x'],
    ['"/a-._~!$&\'()*+,;=:@/%C3%A4"', "/a-._~!$&'()*+,;=:@/%C3%A4"],
    ['/..a/b../...', '/..a/b../...'],
    ['/a/./b', '/a/./b'],
  ]
  for (const [written, path] of paths) strictEqual(rest(`${restFile}  path: ${written}\n`).target.path, path, written)
})

const wrongPaths: readonly [string, RegExp][] = [
  ['..', /segment "\.\."/],
  ['/a/../b', /segment "\.\."/],
  ['a/..', /segment "\.\."/],
  ['/%2e%2E/x', /segment "\.\."/],
  ['/.%2e', /segment "\.\."/],
  ['/a%2F..%2fb', /segment "\.\."/],
  ['/a%5c..', /segment "\.\."/],
  ['/..;x/a', /segment "\.\."/],
  ['/..%3bx/a', /segment "\.\."/],
  ['/a?b=1', /query string or a fragment/],
  ['"/a#b"', /query string or a fragment/],
  ['/a b', /found " ", which no path may hold/],
  ['/ä', /found "ä", which no path may hold/],
  ['"/😀"', /found "😀", which no path may hold/],
  ['/a\\\\b', /found "\\\\", which no path may hold/],
  ['"/{id}"', /found "{", which no path may hold/],
  ['"/a\\r\\nb"', /found control characters/],
  ['/100%', /percent sign/],
  ['/%zz', /percent sign/],
]

for (const [path, message] of wrongPaths) {
  test(`refused path: ${path} [D4.2 D1.4]`, () => {
    const said = refusal(`${restFile}  path: ${path}\n`)
    match(said, /^DSL\/registry\/find\.yml:8: target\.path: found .*, expected a path such as/)
    match(said, message)
  })
}

const wrong: readonly [string, string, RegExp][] = [
  ['an empty file', '', /find\.yml:1: method: missing, expected an HTTP method such as POST; .*envelope: missing/],
  ['invalid YAML', 'method: POST\nenvelope: [', /find\.yml:2:\d+: /],
  ['tabs', 'method: POST\nparams:\n\t- a\n', /find\.yml:3:1: .*[tT]ab/],
  ['a list', '- a', /find\.yml:1:1: expected "field: value"/],
  ['a duplicate key', `method: POST\nmethod: GET\n${envelope}`, /find\.yml:2:1: "method" stands twice/],
  ['an alias of nothing', `method: POST\nkind: *m\n${envelope}`, /find\.yml:2:7: an alias without an anchor above it/],
  [
    'a REST file without its kind',
    `method: GET\n${target}`,
    /:2: target: a file with a target and no envelope needs the line kind: rest$/,
  ],
  ['unknown kind', `\nkind: rset\n`, /:2: kind: found "rset", expected soap or rest; did you mean rest\?$/],
  ['kind in capitals', `kind: SOAP\n`, /:1: kind: found "SOAP", .*did you mean soap\?$/],
  ['a far kind', `kind: graphql\n`, /:1: kind: found "graphql", expected soap or rest$/],
  ['a number as kind', `kind: 5\n`, /:1: kind: found "5", expected soap or rest$/],
  ['an empty kind', `kind: ""\n`, /:1: kind: found "", expected soap or rest$/],
  ['a list as kind', `kind: [rest]\n`, /:1: kind: found no text, expected soap or rest$/],
  ['no method', envelope, /:1: method: missing/],
  ['an empty method', `method:\n${envelope}`, /:1: method: left empty/],
  ['no envelope', 'method: POST\n', /:1: envelope: missing/],
  ['an empty envelope', 'method: POST\nenvelope: ""\n', /:2: envelope: found an empty text/],
  ['a blank envelope', 'method: POST\nenvelope: |\n  \n', /:2: envelope: found an empty text/],
  ['a list as envelope', 'method: POST\nenvelope: [a]\n', /:2: envelope: found a list/],
  ['an envelope with NUL', 'method: POST\nenvelope: "a\\0"\n', /:2: envelope: found characters that XML forbids/],
  ['a lone surrogate', 'method: POST\nenvelope: "a\\ud800"\n', /:2: envelope: found characters that XML forbids/],
  ['U+FFFF', 'method: POST\nenvelope: "a\\uffff"\n', /:2: envelope: found characters that XML forbids/],
  ['a number in params', `method: POST\nparams: [a, 5]\n${envelope}`, /:2: params\[1\]: found the number 5/],
  ['a number of its own line', `method: POST\nparams:\n  - a\n  - 5\n${envelope}`, /:4: params\[1\]: found the number/],
  ['a boolean in params', `method: POST\nparams: [true]\n${envelope}`, /params\[0\]: found the boolean true/],
  ['a float in params', `method: POST\nparams: [4.0]\n${envelope}`, /params\[0\]: found the number 4/],
  ['null in params', `method: POST\nparams: [a, ~]\n${envelope}`, /params\[1\]: left empty/],
  ['a group in params', `method: POST\nparams: [{a: b}]\n${envelope}`, /params\[0\]: found a group of fields/],
  ['a list in params', `method: POST\nparams: [[a]]\n${envelope}`, /params\[0\]: found a list/],
  ['a text as params', `method: POST\nparams: a\n${envelope}`, /params: found a text, expected a list/],
  ['an unknown method', `method: PSOT\n${envelope}`, /:1: method: found "PSOT"/],
  ['CONNECT', `method: CONNECT\n${envelope}`, /:1: method: found "CONNECT"/],
  ['trace', `kind: rest\nmethod: trace\n${target}`, /:2: method: found "trace"/],
  ['a method with a line end', `method: "GET\\r\\nX: y"\n${envelope}`, /:1: method: found control characters/],
  ['a list of methods', `method: [GET, POST]\n${envelope}`, /:1: method: found a list/],
  [
    'no URL',
    `method: POST\nservice: example.org\n${envelope}`,
    /:2: service: .*not start with https:\/\/, expected an/,
  ],
  ['ftp', `method: POST\nservice: ftp://example.org\n${envelope}`, /:2: service: .*does not start with https:\/\//],
  ['file', `method: POST\nservice: file:///etc/passwd\n${envelope}`, /:2: service: .*does not start with/],
  ['an empty service', `method: POST\nservice: ""\n${envelope}`, /:2: service: found an empty text/],
  [
    'a placeholder',
    `method: POST\nservice: https://<host>/x\n${envelope}`,
    /:2: service: found an address that is not a URL/,
  ],
  ['a password', `method: POST\nservice: https://a:hunter2@b/\n${envelope}`, /:2: service: .*a user name or password/],
  [
    'a quote in soap_action',
    `method: POST\nsoap_action: '"urn:x"'\n${envelope}`,
    /:2: soap_action: found a double quote/,
  ],
  [
    'a line end in it',
    `method: POST\nsoap_action: "a\\r\\nb"\n${envelope}`,
    /:2: soap_action: found control characters/,
  ],
  [
    'another response',
    `response: typed\nmethod: POST\n${envelope}`,
    /:1: response: found "typed", expected plain or schema/,
  ],
  [
    'other attachments',
    `attachments: 1\nmethod: POST\n${envelope}`,
    /:1: attachments: found "1", expected none or list or base64/,
  ],
  ['ä in soap_action', `method: POST\nsoap_action: urn:ä\n${envelope}`, /:2: soap_action: found other characters/],
  ['no target', 'kind: rest\nmethod: GET\n', /:1: target: missing, expected the fields member_class/],
  ['an empty target', 'kind: rest\nmethod: GET\ntarget:\n', /:3: target: left empty/],
  ['a text as target', 'kind: rest\nmethod: GET\ntarget: a/b\n', /:3: target: found a text/],
  ['no method in REST', `kind: rest\n${target}`, /:1: method: missing/],
  ['text as forward_body', `${restFile}forward_body: "no"\n`, /:8: forward_body: found "no", expected true or false/],
  ['text as list', `${restFile}allowed_query_params: a\n`, /:8: allowed_query_params: found a text, expected a list/],
  [
    'null in list',
    `${restFile}allowed_query_params: [a, ]\n`.replace('a, ', 'a, ~'),
    /:8: allowed_query_params\[1\]: left/,
  ],
]

for (const [what, text, message] of wrong) {
  test(`refused: ${what} [D1.4]`, () => {
    const said = refusal(text)
    ok(said.startsWith('DSL/registry/find.yml:'), said)
    match(said, message)
    ok(!said.includes('hunter2'))
  })
}

const targetRules =
  '[S-rest.target.member_class S-rest.target.member_code] ' +
  '[S-rest.target.subsystem_code S-rest.target.service_code D1.4 S-boot.3]'

test(`the fields of a target are required; a missing one is told with the line of its group ${targetRules}`, () => {
  for (const field of ['member_class', 'member_code', 'subsystem_code', 'service_code']) {
    const without = restFile.replace(new RegExp(`  ${field}: .*\n`), '')
    match(refusal(without), new RegExp(`find\\.yml:3: target\\.${field}: missing`))
    const dots = restFile.replace(new RegExp(`(  ${field}: ).*\n`), '$1..\n')
    match(refusal(dots), new RegExp(`target\\.${field}: found a text of dots only`))
    const controls = restFile.replace(new RegExp(`(  ${field}: ).*\n`), '$1"a\\r\\nX: y"\n')
    match(refusal(controls), new RegExp(`target\\.${field}: found control characters`))
    const number = restFile.replace(new RegExp(`(  ${field}: ).*\n`), '$1[1]\n')
    match(refusal(number), new RegExp(`target\\.${field}: found a list`))
  }
})

test('a template that does not compile is named by its line in the file [D1.4 S-boot.2 S-startup]', () => {
  const said = refusal('# comment\nmethod: POST\nenvelope: |\n\n  <a>\n  {{#if x}}\n  {{/each}}\n  </a>\n')
  match(said, /^DSL\/registry\/find\.yml:6: envelope: /)
  match(refusal('method: POST\n\nenvelope: "<a>{{/if}}</a>"\n'), /^DSL\/registry\/find\.yml:3: envelope: /)
  match(refusal('method: POST\n\nenvelope: >\n  <a>\n\n  {{/if}}\n  </a>\n'), /^DSL\/registry\/find\.yml:3: envelope: /)
})

test('unknown keys, keys of the other kind and what is unwise are warnings with file, line and field [D1.2]', () => {
  const text = `method: GET
param: [x]
params: [x, generate]
envelop: y
zzz: 1
forward_body: false
target:
  path: x
service: HTTP://example.org/x
${envelope}`
  const { endpoint, warnings } = read(text)
  deepStrictEqual([endpoint.method, endpoint.kind === 'soap' && endpoint.params], ['GET', ['x', 'generate']])
  const expected = [
    /^DSL\/registry\/find\.yml:2: param: unknown field, has no effect; did you mean params\?$/,
    /:4: envelop: unknown field, has no effect; did you mean envelope\?$/,
    /:5: zzz: unknown field, has no effect; the known fields are kind, title, description, params, choices, service, method, envelope, soap_action, client, response, attachments$/,
    /:6: forward_body: has no effect in a file of kind soap, only in one of kind rest$/,
    /:7: target: has no effect in a file of kind soap, only in one of kind rest$/,
    /:9: service: the call is not encrypted; https is right$/,
    /:1: method: found GET; SOAP is called with POST$/,
    /:3: params\[1\]: generate is what the service itself fills in/,
  ]
  for (const [index, pattern] of expected.entries()) match(warnings[index] ?? '', pattern)
  strictEqual(warnings.length, expected.length)
})

test('the same in a REST file [D1.2]', () => {
  const { warnings } = read(`${restFile}  service_version: v1\n  pathh: x\nenvelope: x\nparams: [5]\n`)
  const expected = [/:8: target\.service_version: unknown field/, /:9: target\.pathh: .*did you mean path\?$/]
  const others = [
    /:10: envelope: has no effect in a file of kind rest/,
    /:11: params: has no effect in a file of kind rest/,
  ]
  for (const [index, pattern] of [...expected, ...others].entries()) match(warnings[index] ?? '', pattern)
  strictEqual(warnings.length, 4)
})

test('every method that the server can hear is possible, in any case [S-soap.method S-rest.method]', () => {
  for (const method of METHODS.filter((each) => each !== 'CONNECT' && each !== 'TRACE')) {
    strictEqual(rest(restFile.replace('GET', method)).method, method)
    strictEqual(rest(restFile.replace('GET', method.toLowerCase())).method, method)
  }
})

test('windows line ends and a byte-order mark are no trouble [D1.4]', () => {
  const text = `\ufeffmethod: POST\r\nparams:\r\n  - x\r\nenvelope: |\r\n  <a>\r\n  {{x}}</a>\r\n`
  strictEqual(soap(text).envelope.render({ x: '1' }, generated), '<a>\n1</a>\n')
})

const keys = [
  'kind',
  'method',
  'params',
  'service',
  'envelope',
  'soap_action',
  'response',
  'attachments',
  'target',
  'allowed_query_params',
  'x',
]
const values = ['soap', 'rest', 'POST', '5', 'true', '~', '[a, 5]', '{a: b}', '"{{a}}"', '"{{#a}}"', 'https://a.b', '|']
const lines = fc.oneof(
  fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...values)).map(([key, value]) => `${key}: ${value}`),
  fc.constantFrom('  member_class: a', '  path: ..', '  - a', '  <a>{{b}}</a>', '', '# c', '  {{', '  }}', '---'),
  fc.string(),
)

test('whatever stands in a file, the only error is a StartupFailure [D1.4]', () => {
  fc.assert(
    fc.property(fc.array(lines), (parts) => {
      try {
        read(`${parts.join('\n')}\n`)
      } catch (error) {
        if (!(error instanceof StartupFailure)) throw error
        ok(error.message.startsWith('DSL/registry/find.yml:'))
      }
    }),
    { numRuns: 5000 },
  )
})
