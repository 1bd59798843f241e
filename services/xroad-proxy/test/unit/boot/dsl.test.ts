import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { METHODS } from 'node:http'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readDsl, type ReadDsl } from '../../../src/boot/dsl/dsl.ts'
import { StartupFailure } from '../../../src/errors.ts'
import type { RestEndpoint, SoapEndpoint } from '../../../src/model.ts'

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

function refusal(text: string, env: Readonly<Record<string, string>> = {}): string {
  try {
    readDsl(text, place, env)
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
const limits = { timeoutSeconds: undefined, maxResponseBytes: undefined }

test('a small SOAP file is read [S-what.1 S-what.2 S-soap.kind S-soap.method S-soap.envelope S-version.5]', () => {
  for (const kind of ['', 'kind: soap\n', 'kind:\n']) {
    const endpoint = soap(`${kind}method: POST\n${envelope}`)
    const { envelope: template, ...rest } = endpoint
    deepStrictEqual(rest, {
      ...place,
      kind: 'soap',
      path: '',
      methods: ['POST'],
      limits,
      params: [],
      choices: [],
      declared: undefined,
      validation: undefined,
      url: undefined,
      soapVersion: '1.1',
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
    [endpoint.methods.join(), endpoint.url, endpoint.soapAction],
    ['POST', 'https://service.example:8443/soap?x=1', 'urn:find#1'],
  )
  deepStrictEqual(warnings, [])
  strictEqual(soap(`method: POST\nsoap_action: ""\n${envelope}`).soapAction, '')
  strictEqual(soap(`method: POST\nsoap_action:\nservice:\nparams:\n${envelope}`).soapAction, undefined)
})

test('a small REST file is read [S-rest.kind S-rest.method D1.2]', () => {
  const { endpoint, warnings } = read(restFile)
  deepStrictEqual(
    { ...endpoint },
    {
      ...place,
      kind: 'rest',
      title: undefined,
      description: undefined,
      path: '',
      methods: ['GET'],
      limits,
      target: {
        xroadInstance: '',
        memberClass: 'GOV',
        memberCode: '00123',
        subsystemCode: 'sub system',
        serviceCode: 'find',
        path: '',
      },
      headers: undefined,
      allowedQueryParams: undefined,
      forwardBody: true,
      client: undefined,
    },
  )
  deepStrictEqual(warnings, [])
  ok(Object.isFrozen(endpoint) && endpoint.kind === 'rest' && Object.isFrozen(endpoint.target))
})

test('a list that is absent, empty or filled is told apart [S-rest.allowed_query_params S-rest.forward_body]', () => {
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

test('parameters of the path are segments of the URL, in order [P3.1]', () => {
  const paths: readonly [string, string][] = [
    ['/v1/companies/{id}', '/{id}'],
    ['v1/{id}', '/{id}'],
    ['"{id}"', '/{id}'],
    ['/v1/{id}/reports/{year}', '/{id}/{year}'],
    ['/v1/{id}.{format}/x', '/{id}/{format}'],
    ['/files/{rest+}', '/{rest+}'],
    ['/{a}/{b+}', '/{a}/{b+}'],
    ['/v1/{registry-code_2.x}', '/{registry-code_2.x}'],
    ['/%7Bid%7D', ''],
  ]
  for (const [written, path] of paths) strictEqual(rest(`${restFile}  path: ${written}\n`).path, path, written)
})

test('a file has method or methods, and not both [P3.1]', () => {
  const methodsOf = (lines: string): readonly string[] => rest(`kind: rest\n${lines}${target}`).methods
  deepStrictEqual(methodsOf('method: get\n'), ['GET'])
  deepStrictEqual(methodsOf('methods: [get, Post, GET, HEAD]\n'), ['GET', 'POST', 'HEAD'])
  deepStrictEqual(methodsOf('methods:\n  - OPTIONS\n'), ['OPTIONS'])
  deepStrictEqual(methodsOf('method:\nmethods: [PUT]\n'), ['PUT'])
  const wrongMethods: readonly [string, RegExp][] = [
    ['', /:1: method: missing, expected an HTTP method such as POST, or methods with a list of them$/],
    ['method:\n', /:2: method: left empty, expected an HTTP method such as POST, or methods/],
    ['methods:\n', /:2: methods: left empty, expected HTTP methods such as \[GET, POST\]$/],
    ['methods: []\n', /:2: methods: found an empty list, expected HTTP methods such as \[GET, POST\]$/],
    ['method: GET\nmethods: [GET]\n', /:3: methods: cannot be combined with method; keep one of the two$/],
    ['method: GET\nmethods: []\n', /:3: methods: cannot be combined with method; keep one of the two$/],
    ['methods: GET\n', /:2: methods: found a text, expected a list of HTTP methods/],
    ['method: [GET, POST]\n', /:2: method: found a list, expected .* \(several are methods: \[GET, POST\]\)/],
    ['methods: [GET, PSOT]\n', /:2: methods\[1\]: found "PSOT"/],
    ['methods: [GET, TRACE]\n', /:2: methods\[1\]: found "TRACE"/],
    ['methods: [GET, ~]\n', /:2: methods\[1\]: left empty/],
    ['methods: {GET: 1}\n', /:2: methods: found a group of fields/],
  ]
  for (const [lines, message] of wrongMethods) match(refusal(`kind: rest\n${lines}${target}`), message)
  match(
    refusal(`methods: [POST]\n${envelope}`),
    /:1: method: missing.*methods: unknown field, .*did you mean method\?$/,
  )
})

test('an OpenAPI description has the methods and paths [P3.3]', () => {
  const { endpoint, openapi } = read(`kind: rest\nopenapi: s.openapi.yaml\n${target}`)
  deepStrictEqual([endpoint.methods, endpoint.path, openapi], [[], '', { name: 's.openapi.yaml', line: 2 }])
  const beside = (lines: string): string => refusal(`kind: rest\nopenapi: s.openapi.yaml\n${lines}`)
  match(
    beside(`method: GET\n${target}`),
    /:3: method: cannot be combined with openapi, whose description has .*; remove it$/,
  )
  match(beside(`methods: [GET]\n${target}`), /:3: methods: cannot be combined with openapi/)
  match(beside(`${target}  path: /v1\n`), /:8: target\.path: cannot be combined with openapi/)
  match(refusal(`kind: rest\nopenapi: https://x.example/o.json\n${target}`), /:2: openapi: found an address; save the/)
  match(refusal(`kind: rest\nopenapi: [a]\n${target}`), /:2: openapi: found a list/)
})

const headersOf = (lines: string): string => `${restFile}headers:\n${lines}`
const env = { KEY: 's3cret', EMPTY: ' ', BROKEN: 's3cret\n', CONTROL: 's3cret\x01', Õ: 'x' }

test('headers are removed and set, a variable stays a name [P3.2]', () => {
  const text = headersOf('  remove: [Cookie, x-a]\n  set:\n    X-Key: {env: KEY}\n    X-Version: 4.0\n    X-Õ: õ\n')
  match(refusal(text), /set\."X-Õ": a name of a header has letters/)
  const { endpoint } = readDsl(text.replace('X-Õ', 'X-O'), place, env)
  ok(endpoint.kind === 'rest')
  deepStrictEqual(endpoint.headers, {
    remove: ['cookie', 'x-a'],
    set: [
      { name: 'X-Key', value: { env: 'KEY' } },
      { name: 'X-Version', value: '4.0' },
      { name: 'X-O', value: 'õ' },
    ],
  })
  strictEqual(rest(headersOf('  remove: []\n  set: {}\n')).headers, undefined)
})

const wrongHeaders: readonly [string, RegExp][] = [
  [
    '  set: {X-Road-Client: a}\n',
    /:9: headers\.set\.X-Road-Client: is a header which says who calls; client_data of the configuration/,
  ],
  ['  set: {x-road-CLIENT: a}\n', /headers\.set\.x-road-CLIENT: is a header which says who calls/],
  ['  remove: [X-Road-Client]\n', /:9: headers\.remove\[0\]: found X-Road-Client, which says who calls/],
  ['  set: {Host: a}\n', /which names the Security Server; security_server\.url of the configuration has it; remove/],
  ['  remove: [a, host]\n', /headers\.remove\[1\]: found host, which names the Security Server/],
  [
    '  set: {Content-Length: 5}\n',
    /headers\.set\.Content-Length: is a header which is written anew with each body; remove the line/,
  ],
  ...[
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Upgrade',
    'HTTP2-Settings',
    'Proxy-Authorization',
  ].flatMap((name): [string, RegExp][] => [
    [
      `  set: {${name}: a}\n`,
      new RegExp(`headers\\.set\\.${name}: is a header which belongs to a connection and never goes on; remove the`),
    ],
    [`  remove: [${name}]\n`, new RegExp(`found ${name}, which belongs to a connection`)],
  ]),
  ['  set: {Expect: a}\n', /which was answered here/],
  ['  set: {X-Road-Id: a}\n', /headers\.set\.X-Road-Id: each message has an id of its own; remove the line/],
  ['  set: {"X Y": a}\n', /headers\.set\."X Y": a name of a header has letters, digits and -, such as X-Api-Key/],
  ['  set: {"": a}\n', /a name of a header has/],
  ['  set: {"X:": a}\n', /a name of a header has/],
  ['  remove: ["X\\r\\nY"]\n', /headers\.remove\[0\]: found control characters/],
  ['  remove: ["X Y"]\n', /headers\.remove\[0\]: found "X Y", a name of a header has/],
  ['  set: {X-A: a, x-a: b}\n', /headers\.set\.x-a: is there already, in another spelling; keep one/],
  ['  set: {X-A: "a\\r\\nX-B: c"}\n', /headers\.set\.X-A: found a line break in the value/],
  ['  set: {X-A: "a\\nb"}\n', /headers\.set\.X-A: found a line break in the value/],
  ['  set: {X-A: "a\\0b"}\n', /headers\.set\.X-A: found control characters in the value/],
  ['  set: {X-A: }\n', /headers\.set\.X-A: left empty, expected a text, or {env: NAME}/],
  ['  set: {X-A: [a]}\n', /headers\.set\.X-A: found a list, expected a text, or {env: NAME}/],
  ['  set: {X-A: {envv: KEY}}\n', /headers\.set\.X-A.*did you mean env/],
  [
    '  set: {X-A: {env: "a b"}}\n',
    /headers\.set\.X-A: found a group of fields, expected a text, or {env: NAME} for the value of an env/,
  ],
  ['  set: {X-A: {env: UNSET}}\n', /:9: headers\.set\.X-A: environment variable UNSET is not set; set it to the value/],
  ['  set: {X-A: {env: EMPTY}}\n', /environment variable EMPTY is empty; set it to the value of the header/],
  [
    '  set: {X-A: {env: BROKEN}}\n',
    /environment variable BROKEN has a line break, often one at its end; set it without/,
  ],
  ['  set: {X-A: {env: CONTROL}}\n', /environment variable CONTROL has control characters/],
  ['  set: [X-A]\n', /headers\.set: found a list/],
  ['  set: X-A\n', /headers\.set: found a text/],
  ['  remove: Cookie\n', /headers\.remove: found a text, expected a list of header names/],
]

for (const [lines, message] of wrongHeaders) {
  test(`refused headers: ${lines.trim()} [P3.2]`, () => {
    const said = refusal(headersOf(lines), env)
    match(said, message)
    ok(!said.includes('s3cret'))
  })
}

test('one file may have limits of its own [P3.2]', () => {
  const both = 'timeout_secs: 120\nmax_response_bytes: 1000000000\n'
  deepStrictEqual(rest(`${restFile}${both}`).limits, { timeoutSeconds: 120, maxResponseBytes: 1_000_000_000 })
  deepStrictEqual(soap(`method: POST\n${both}${envelope}`).limits, {
    timeoutSeconds: 120,
    maxResponseBytes: 1_000_000_000,
  })
  deepStrictEqual(rest(`${restFile}timeout_secs:\n`).limits, limits)
  for (const value of ['0', '86401', '1.5', '"30"', 'soon', '-1', '[1]'])
    match(
      refusal(`${restFile}timeout_secs: ${value}\n`),
      /:8: timeout_secs: .*expected a whole number from 1 to 86400$/,
    )
  for (const value of ['0', '1e20', '1.5', '16 MiB'])
    match(
      refusal(`${restFile}max_response_bytes: ${value}\n`),
      /:8: max_response_bytes: .*expected a whole number from 1/,
    )
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
  ['"/{id"', /found a lone {; as itself it is %7B/],
  ['/id}', /found a lone }; as itself it is %7D/],
  ['"/{}"', /found {}; a parameter needs a name, such as {id}/],
  ['"/{+}"', /found {\+}; a parameter needs a name/],
  ['"/{a}{b}"', /found {a}{b}; a text has to part them, or a slash/],
  ['"/{a}/x/{a}"', /found the parameter {a} twice; give each its own name/],
  ['"/{rest+}/x"', /found {rest\+}, which takes all that is left and has to be the last segment; write {rest}/],
  ['"/x{rest+}"', /found {rest\+}, which takes all that is left/],
  ['"/{a+}/{b+}"', /found {a\+}, which takes all that is left/],
  ['"/{riigi kood}"', /found {riigi kood}; the name of a parameter has letters, digits, _, - and dots/],
  ['"/{*id}"', /found {\*id}; the name of a parameter/],
  ['"/{id?}"', /query string or a fragment/],
  ['"/{a{b}}"', /found a lone {/],
  ['"/../{id}"', /segment "\.\."/],
  ['"v1/{id}/{id}"', /twice/],
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
  ['a duplicate key', `method: POST\nmethod: GET\n${envelope}`, /find\.yml:2:1: "method" occurs twice/],
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
  [
    'lines as params [G9]',
    `method: POST\nparams:\n  a\n  b\n${envelope}`,
    /:2: params: found a text, .*; write each on its own line with "- " before it, or \[a, b\]$/m,
  ],
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

test('unknown keys, keys of the other kind and what is unwise are warnings in the order of lines [D1.2] [F10]', () => {
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
  deepStrictEqual([endpoint.methods.join(), endpoint.kind === 'soap' && endpoint.params], ['GET', ['x', 'generate']])
  const expected = [
    /^DSL\/registry\/find\.yml:1: method: found GET; SOAP is called with POST$/,
    /:2: param: unknown field, has no effect; did you mean params\?$/,
    /:3: params\[1\]: generate is what the service itself fills in/,
    /:4: envelop: unknown field, has no effect; did you mean envelope\?$/,
    /:5: zzz: unknown field, has no effect; the known fields are kind, title, description, params, choices, service, method, envelope, soap_action, soap_version, client, response, attachments, timeout_secs, max_response_bytes, validate_requests$/,
    /:6: forward_body: has no effect in a file of kind soap, only in one of kind rest$/,
    /:7: target: has no effect in a file of kind soap, only in one of kind rest$/,
    /:9: service: the call is not encrypted; https is right$/,
  ]
  for (const [index, pattern] of expected.entries()) match(warnings[index] ?? '', pattern)
  strictEqual(warnings.length, expected.length)
})

test('the address of a description in place of that of the service is a warning [D1.2]', () => {
  const told = (service: string): string =>
    read(`params: []\nmethod: POST\nservice: ${service}\nenvelope: <a/>\n`).warnings.join()
  for (const address of ['https://a.ee/x?wsdl', 'https://a.ee/x.asmx?WSDL', 'https://a.ee/x?v=1&wsdl=2'])
    match(told(address), /:3: service: the address ends like that of a WSDL; .* without \?wsdl$/)
  for (const address of ['https://a.ee/wsdl', 'https://a.ee/x?wsdls=1', 'https://a.ee/x.wsdl'])
    strictEqual(told(address), '')
})

test('one brace around a param is reported with its own line [G7]', () => {
  const text =
    'params: [x, y]\nmethod: POST\nservice: https://a.ee/x\nenvelope: |\n  <a>\n    <b>${x}</b>\n    <c>{y}</c>\n    <d>${x}</d>\n  </a>\n'
  const { warnings } = read(text)
  strictEqual(warnings.length, 2)
  match(String(warnings[0]), /:6: envelope: \$\{x\} is text; a placeholder is written \{\{x\}\} \(also in line 8\)$/)
  match(String(warnings[1]), /:7: envelope: \{y\} is text; a placeholder is written \{\{y\}\}$/)
})

test('a name after a dollar sign is reported once, with its own line, however the envelope is written [G7]', () => {
  const lines = ['<a>', '<b>{{x}}</b>', '', '<c>${x} ${x}</c>', '<d>${x}</d>', '</a>']
  for (const [opening, closing] of [
    ['|', ''],
    ['>', ''],
    ['>-', ''],
    ['', ''],
    ['"', '"'],
    ["'", "'"],
  ] as const) {
    for (const end of ['\n', '\r\n']) {
      const text = ['params: [x]', 'method: POST', 'service: https://a.ee/x', `envelope: ${opening}`, ...lines]
      const { warnings } = read(`${text.join(`${end}  `).replaceAll(/  (?=\w+:)/g, '')}${closing}${end}`)
      deepStrictEqual(
        warnings.map((warning) => warning.replace(/^.*?(?=:\d+:)/, '')),
        [':8: envelope: ${x} is text; a placeholder is written {{x}} (also in line 9)'],
        `${opening} ${JSON.stringify(end)}`,
      )
    }
  }
})

test('any name after a dollar sign is reported, and a dollar sign before a placeholder is not [G7]', () => {
  const told = (inner: string) =>
    read(`params: [personalCode]\nmethod: POST\nservice: https://a.ee/x\nenvelope: <a>${inner}</a>\n`).warnings.join()
  for (const written of ['${personalCode}', '${incoming.body.personal_code}', '${ PERSONALCODE }'])
    match(told(written), /is text; a placeholder is written \{\{personalCode\}\}$/, written)
  match(
    told('${body.other}'),
    /\$\{body\.other\} is text; a placeholder is written \{\{other\}\}, with a name of params$/,
  )
  for (const [written, name] of Object.entries({
    '${OTHER:-x}': 'OTHER',
    '${}': 'name',
    '${my-value}': 'my-value',
    '${b.a[0]}': 'a',
  }))
    match(told(written), new RegExp(`a placeholder is written \\{\\{${name}\\}\\}, with a name of params$`))
  for (const written of ['${{personalCode}}', '$', '$personalCode', '{other}', '$ {other}'])
    strictEqual(told(written), '')
})

test('one brace around a param, and a URL for a path, are text that somebody did not mean [D1.2]', () => {
  const told = (inner: string) =>
    read(`params: [x, y]\nmethod: POST\nservice: https://a.ee/x\nenvelope: <a>${inner}</a>\n`).warnings.join()
  match(told('{ x }'), /:4: envelope: \{ x \} is text; a placeholder is written \{\{x\}\}$/)
  match(told('${y} {x}'), /:4: envelope: \$\{y\} is text; a placeholder is written \{\{y\}\},.*\{x\} is text/)
  strictEqual(told('{{x}}{{ y }}{z}'), '')
  for (const [path, count] of [
    ['https://h/a', 1],
    ['/HTTP://h', 1],
    ['/v1/https', 0],
  ] as const)
    deepStrictEqual(read(`${restFile}  path: ${path}\n`).warnings.length, count, path)
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
    deepStrictEqual(rest(restFile.replace('GET', method)).methods, [method])
    deepStrictEqual(rest(restFile.replace('GET', method.toLowerCase())).methods, [method])
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
  'methods',
  'openapi',
  'headers',
  'timeout_secs',
  'max_response_bytes',
  'x',
]
const values = [
  'soap',
  'rest',
  'POST',
  '5',
  'true',
  '~',
  '[a, 5]',
  '{a: b}',
  '"{{a}}"',
  '"{{#a}}"',
  'https://a.b',
  '|',
  '{set: {X-A: {env: A}}, remove: [Host]}',
]
const lines = fc.oneof(
  fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...values)).map(([key, value]) => `${key}: ${value}`),
  fc.constantFrom(
    '  member_class: a',
    '  path: ..',
    '  path: "/{a}/{b+}"',
    '  path: "/{a"',
    '  - a',
    '  <a>{{b}}</a>',
    '',
    '# c',
    '  {{',
    '  }}',
    '---',
  ),
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
