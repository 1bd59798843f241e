/**
 * OpenAPI descriptions of REST services: files in, endpoints, warnings and problems out, and what `/api` says of them.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { type Files, newFolder } from '@services/testing'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describeEndpoints } from '../../support/description.ts'
import { RestDescriptions } from '../../../src/boot/description/openapi-rest.ts'
import { surveyEndpoints } from '../../../src/boot/dsl/endpoints.ts'
import { importDescriptions } from '../../../src/boot/openapi/import.ts'

const target = '{member_class: GOV, member_code: "1", subsystem_code: sub, service_code: svc}'
const dsl = (fields: string = ''): string => `kind: rest\nopenapi: s.openapi.yaml\n${fields}target: ${target}\n`
const start = 'openapi: 3.1.0\ninfo: {title: t, version: "1"}\n'
const ok200 = '{responses: {"200": {description: fine}}}'

interface Outcome {
  readonly urls: readonly string[]
  readonly warnings: readonly string[]
  readonly problems: readonly string[]
  readonly api: Api
}

interface Api {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly securitySchemes?: object }
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly {
    readonly name?: string
    readonly in?: string
    readonly schema?: object
    readonly $ref?: string
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>>; readonly $ref?: string }>
  >
  readonly security?: object
}

/** Files below the folder `g` of a DSL tree. Messages have paths from there. */
function load(files: Files): Outcome {
  const folder = newFolder(Object.fromEntries(Object.entries(files).map(([name, text]) => [`DSL/g/${name}`, text])))
  const tree = join(folder, 'DSL')
  const shown = (messages: readonly string[]): string[] => messages.map((each) => each.replaceAll(`${tree}/g/`, ''))
  const found = importDescriptions(surveyEndpoints(tree), tree)
  const api = describeEndpoints(found.endpoints, '1', undefined, {
    descriptions: new RestDescriptions(found.descriptions),
  })
  return {
    urls: found.endpoints.map(({ group, service, path, methods }) => `${methods.join()} /${group}/${service}${path}`),
    warnings: shown([...found.warnings, ...found.descriptionWarnings]),
    problems: shown(found.problems.map(({ message }) => message)),
    api: JSON.parse(api) as Api,
  }
}

/** One description beside its DSL file. */
const loadOne = (text: string, fields: string = '', more: Files = {}): Outcome =>
  load({ 's.yml': dsl(fields), 's.openapi.yaml': text, ...more })

/** One for all: it compiles the schema of OpenAPI at its first document, which takes as long as hundreds of checks. */
const validator = new Validator()

async function assertValid(api: Api): Promise<void> {
  const { valid, errors } = await validator.validate(structuredClone(api) as unknown as Record<string, unknown>)
  deepStrictEqual([valid, errors ?? []], [true, []])
}

const operationOf = ({ api }: Outcome, path: string, method: string): Operation => api.paths[`/g/s${path}`]![method]!

const companies30 = `openapi: 3.0.3
info: {title: Companies, version: 1.0}
servers: [{url: https://registry.example.org/api/v2}]
security: [{key: []}, {tls: []}]
paths:
  /v1/companies:
    summary: All of them
    get:
      operationId: list
      summary: Finds companies
      description: By name.
      tags: [x]
      parameters:
        - {name: name, in: query, required: true, schema: {type: string, nullable: true}}
        - {$ref: "#/components/parameters/Page"}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: X-Road-Client, in: header, schema: {type: string}}
        - {name: session, in: cookie, schema: {type: string}}
      responses:
        "200":
          description: found
          headers: {X-Total: {$ref: "#/components/headers/Total"}}
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Company"}}}}
          links: {next: {operationId: list}}
        "404": {$ref: "#/components/responses/Missing"}
        "503": {description: later}
        default: {description: else}
    post:
      requestBody: {$ref: "#/components/requestBodies/New"}
      callbacks: {done: {"{$request.body#/url}": {post: ${ok200}}}}
      responses: {"201": {description: made}}
      deprecated: true
      security: []
  /v1/companies/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer, minimum: 0, exclusiveMinimum: true}}
      - {name: lang, in: query, schema: {type: string}}
    get:
      parameters: [{name: lang, in: query, schema: {enum: [et, en]}}]
      responses: {"200": {description: found, content: {application/json: {schema: {$ref: "#/components/schemas/Company"}}}}}
    trace: ${ok200}
  /v1/report.{format}: {get: ${ok200}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Api-Key}
    tls: {type: http, scheme: bearer}
  headers: {Total: {schema: {type: integer}}}
  parameters:
    Page: {name: page, in: query, schema: {type: integer, maximum: 10, exclusiveMaximum: false}}
  requestBodies:
    New: {content: {application/json: {schema: {$ref: "#/components/schemas/Company"}}}}
  responses:
    Missing: {description: no such company, content: {application/json: {schema: {$ref: "#/components/schemas/Problem"}}}}
  schemas:
    Unused: {type: string}
    Problem: {type: object, properties: {code: {type: string}}}
    Company:
      type: object
      required: [code]
      properties:
        code: {type: string}
        logo: {type: string, format: byte}
        parent: {allOf: [{$ref: "#/components/schemas/Company"}], nullable: true}
        state: {type: string, nullable: true, enum: [active, gone]}
        example: {$ref: "#/components/schemas/Problem", description: left out}
      example: {code: "1", $ref: "#/components/schemas/Nothing"}
`

describe('an OpenAPI 3.0 description', () => {
  const outcome = loadOne(companies30)

  test('each operation is an endpoint at its path, TRACE is told [P3.3]', () => {
    deepStrictEqual(outcome.urls, [
      'GET /g/s/v1/companies',
      'POST /g/s/v1/companies',
      'GET /g/s/v1/companies/{id}',
      'GET /g/s/v1/report.{format}',
    ])
    deepStrictEqual(outcome.warnings, [
      's.openapi.yaml:41: /v1/companies/{id} trace: TRACE is passed on by no proxy; it has no endpoint',
    ])
    deepStrictEqual(outcome.problems, [])
  })

  test('/api is valid OpenAPI 3.1 [P3.3 P3.4]', () => assertValid(outcome.api))

  test('parameters of the path and of the operation, none that are ours [P3.3]', () => {
    const namesOf = (path: string, method: string): string[] =>
      operationOf(outcome, path, method).parameters.map(({ in: place, name, $ref }) =>
        ($ref ?? `${place} ${name}`).replace(/.*\//, ''),
      )
    const ours = ['X-Road-Id', 'X-Road-UserId', 'X-Road-Issue']
    deepStrictEqual(namesOf('/v1/companies', 'get'), [
      'query name',
      'query page',
      'header X-Trace',
      'cookie session',
      ...ours,
    ])
    deepStrictEqual(namesOf('/v1/companies/{id}', 'get'), ['path id', 'query lang', ...ours])
    deepStrictEqual(namesOf('/v1/report.{format}', 'get'), ['path format', ...ours])
    const [id, lang] = operationOf(outcome, '/v1/companies/{id}', 'get').parameters
    deepStrictEqual([id!.schema, lang!.schema], [{ type: 'integer', exclusiveMinimum: 0 }, { enum: ['et', 'en'] }])
  })

  test('schemas are those of 3.1 [P3.3]', () => {
    const { schemas } = outcome.api.components
    const { properties } = schemas['openapi.g.s.Company'] as { properties: Record<string, object> }
    deepStrictEqual(properties, {
      code: { type: 'string' },
      logo: { type: 'string', contentEncoding: 'base64' },
      parent: { anyOf: [{ allOf: [{ $ref: '#/components/schemas/openapi.g.s.Company' }] }, { type: 'null' }] },
      state: { type: ['string', 'null'], enum: ['active', 'gone', null] },
      example: { $ref: '#/components/schemas/openapi.g.s.Problem' },
    })
    ok(!Object.keys(schemas).some((name) => name.endsWith('Unused')))
    const check = new Ajv2020({ strict: false, validateFormats: false }).addSchema({
      $id: 'api',
      components: outcome.api.components,
    })
    const company = check.compile({ $ref: 'api#/components/schemas/openapi.g.s.Company' })
    deepStrictEqual(
      [company({ code: '1', parent: null, state: null }), company({ code: '1', parent: {} })],
      [true, false],
    )
  })

  test('answers: those of the provider beside our errors, always a success [P3.4]', () => {
    const list = operationOf(outcome, '/v1/companies', 'get').responses
    deepStrictEqual(
      Object.keys(list).toSorted(),
      ['200', '2XX', '400', '404', '405', '413', '500', '502', '503', '504', 'default'].toSorted(),
    )
    ok(!('links' in list['200']!) && 'X-Total' in (list['200'] as { headers: object }).headers)
    const { anyOf } = list['404']!.content!['application/json']!.schema as { anyOf: { $ref: string }[] }
    deepStrictEqual(
      anyOf.map(({ $ref }) => $ref.replace(/.*\//, '')),
      ['template_not_found', 'openapi.g.s.Problem'],
    )
    const made = operationOf(outcome, '/v1/companies', 'post').responses
    ok('201' in made && '2XX' in made && !('200' in made))
  })

  test('words, and what a caller has to prove [P3.3]', () => {
    const { summary, description, operationId, security, ...list } = operationOf(outcome, '/v1/companies', 'get')
    deepStrictEqual([summary, operationId], ['Finds companies', 'g_s_list'])
    match(description, /^By name\.\n\nPasses the request to GOV\/1\/sub\/svc\/v1\/companies\.$/)
    deepStrictEqual(security, [{ 'openapi.g.s.key': [] }, { 'openapi.g.s.tls': [] }])
    ok(!('callbacks' in operationOf(outcome, '/v1/companies', 'post')) && !('servers' in list))
    const made = operationOf(outcome, '/v1/companies', 'post') as Operation & { deprecated?: boolean }
    deepStrictEqual([made.deprecated, made.security], [true, undefined])
  })

  test('what the DSL file adds or drops is not asked of callers [P3.2 P3.3]', async () => {
    const fields =
      'allowed_query_params: [name, q]\nforward_body: false\nheaders: {remove: [X-Trace, Cookie], set: {X-Api-Key: k, Authorization: b}}\n'
    const less = loadOne(companies30, fields)
    await assertValid(less.api)
    const { parameters, security } = operationOf(less, '/v1/companies', 'get')
    deepStrictEqual(
      parameters.flatMap(({ name }) => name ?? []),
      ['name', 'q'],
    )
    deepStrictEqual(
      [security, operationOf(less, '/v1/companies', 'post').requestBody, less.api.components.securitySchemes],
      [undefined, undefined, undefined],
    )
  })
})

describe('several files', () => {
  const files: Files = {
    's.yml': dsl(),
    's.openapi.yaml': `${start}paths:
  /a: {$ref: "parts/paths.yaml#/a"}
  /b:
    get:
      parameters: [{$ref: "./parts/paths.yaml#/page"}]
      responses: {"200": {description: x, content: {application/json: {schema: {$ref: "parts/Company.yaml"}}}}}
components: {schemas: {Company: {type: string}}}
`,
    'parts/paths.yaml': `a:
  get:
    responses: {"200": {description: x, content: {application/json: {schema: {$ref: "../parts/Company.yaml#/properties/address"}}}}}
page: {name: page, in: query, schema: {$ref: "schemas.json#/definitions/Page~1Number"}}
`,
    'parts/Company.yaml':
      'type: object\nproperties:\n  parent: {$ref: "#"}\n  address: {type: object, properties: {of: {$ref: Company.yaml}}}\n',
    'parts/schemas.json':
      '{"definitions": {"Page/Number": {"type": "integer", "$ref": "#/definitions/Any"}, "Any": {"minimum": 1}}}',
  }

  test('are one description, and none of them is a DSL file [P3.3]', async () => {
    const outcome = load(files)
    deepStrictEqual([outcome.urls, outcome.warnings, outcome.problems], [['GET /g/s/a', 'GET /g/s/b'], [], []])
    await assertValid(outcome.api)
    const names = Object.keys(outcome.api.components.schemas).filter((name) => name.startsWith('openapi.'))
    deepStrictEqual(
      names.toSorted(),
      ['Any', 'Company_2', 'Page_Number', 'address'].map((name) => `openapi.g.s.${name}`),
    )
    deepStrictEqual(outcome.api.components.schemas['openapi.g.s.Page_Number'], {
      type: 'integer',
      $ref: '#/components/schemas/openapi.g.s.Any',
    })
  })

  test('a mistake in one of them is told with its line there [P3.3]', () => {
    const wrong = { ...files, 'parts/paths.yaml': String(files['parts/paths.yaml']).replace('in: query', 'in: qery') }
    const { urls, warnings } = load(wrong)
    deepStrictEqual(urls, [])
    match(
      warnings.join(),
      /^parts\/paths\.yaml:4: page\.in: found "qery", expected one of .*query.*; until then s\.yml has no endpoints$/,
    )
    const schema = { ...files, 'parts/schemas.json': '{"definitions": {"Page/Number": 5}}' }
    match(load(schema).warnings.join(), /^parts\/schemas\.json:1: .*found 5, expected object or boolean/)
  })

  test('a part that is broken YAML is told there, and no DSL file either [P3.3]', () => {
    const { warnings, problems } = load({
      ...files,
      'parts/paths.yaml': 'a: [\n',
      'other.yml': dsl().replace('s.openapi', 't.openapi'),
      't.openapi.yaml': `${start}paths: {/x: {get: ${ok200}}}\n`,
    })
    match(warnings.join(), /^parts\/paths\.yaml:1:4: a \[ that no \] closes/)
    deepStrictEqual([warnings.length, problems], [1, []])
  })
})

describe('what is wrong', () => {
  const paths = `paths:\n  /a:\n    get: ${ok200}\n`
  const wrong: readonly (readonly [what: string, text: string, message: RegExp])[] = [
    ['no YAML', 'openapi: [', /^s\.openapi\.yaml:1:\d+: /],
    ['a list', '- a\n', /^s\.openapi\.yaml:1:1: expected "field: value" lines/],
    ['an empty file', '', /^s\.openapi\.yaml:1: openapi: missing, expected a version such as 3\.0\.3/],
    ['broken JSON', '{"openapi": "3.0.0",}x', /^s\.openapi\.yaml:1:\d+: /],
    [
      'OpenAPI 2.0',
      `swagger: "2.0"\ninfo: {title: t, version: "1"}\n${paths}`,
      /:1: swagger: OpenAPI 2\.0 cannot be read; convert it to OpenAPI 3\.0, as/,
    ],
    [
      'OpenAPI 3.2',
      `openapi: 3.2.0\ninfo: {title: t, version: "1"}\n${paths}`,
      /:1: openapi: found "3\.2\.0", expected 3\.0 or 3\.1/,
    ],
    ['OpenAPI 30', `openapi: "30"\n${paths}`, /:1: openapi: found "30", expected 3\.0 or 3\.1/],
    ['a DSL file', dsl(), /:2: openapi: found "s\.openapi\.yaml", expected 3\.0 or 3\.1/],
    ['no info', `openapi: 3.0.0\n${paths}`, /:1: the description: info is missing; add it/],
    ['no paths', 'openapi: 3.0.0\ninfo: {title: t, version: "1"}\n', /:1: the description: paths is missing; add it/],
    [
      'no responses',
      `openapi: 3.0.0\ninfo: {title: t, version: "1"}\npaths:\n  /a:\n    get: {}\n`,
      /:5: paths\."\/a"\.get: responses is missing; add it/,
    ],
    [
      'no description',
      `openapi: 3.0.0\ninfo: {title: t, version: "1"}\npaths:\n  /a:\n    get:\n      responses:\n        "200": {}\n`,
      /:7: paths\."\/a"\.get\.responses\.200: description is missing; add it/,
    ],
    ['no slash', `${start}paths:\n  a:\n    get: ${ok200}\n`, /:4: paths: found "a", and a path begins with a slash/],
    [
      'an unknown field',
      `openapi: 3.0.0\ninfo: {title: t, version: "1"}\npaths:\n  /a:\n    gte: ${ok200}\n`,
      /:5: paths\."\/a": found "gte", which OpenAPI does not know here; remove it, or begin its name with x-/,
    ],
    [
      'a wrong type',
      `openapi: 3.0.0\ninfo: {title: 5, version: "1"}\n${paths}`,
      /:2: info\.title: found 5, expected string; a text needs quotes/,
    ],
    [
      'a wrong schema',
      `openapi: 3.0.0\ninfo: {title: t, version: "1"}\n${paths}components:\n  schemas:\n    A:\n      type: strnig\n`,
      /:9: components\.schemas\.A\.type: found "strnig", expected one of .*string/,
    ],
    ['nothing there', `${start}paths:\n  /a:\n    get:\n`, /found nothing, expected object/],
    [
      'a lost reference',
      `${start}${paths}components:\n  schemas:\n    Company: {}\n    B:\n      $ref: "#/components/schemas/Compny"\n`,
      /:10: \$ref "#\/components\/schemas\/Compny" leads nowhere; did you mean Company below #\/components\/schemas\?/,
    ],
    [
      'a reference to nothing like it',
      `${start}${paths}components: {schemas: {B: {$ref: "#/definitions/X"}}}\n`,
      /leads nowhere; correct it, or add what it names/,
    ],
    [
      'a missing file',
      `${start}${paths}components: {schemas: {B: {$ref: "./b.yaml"}}}\n`,
      /:6: \$ref leads to "\.\/b\.yaml", and there is no such file; save it there/,
    ],
    [
      'a file elsewhere',
      `${start}${paths}components: {schemas: {B: {$ref: "../../../../etc/passwd"}}}\n`,
      /:6: \$ref leads to .*, out of the folder of the DSL files; save it there/,
    ],
    [
      'a parameter inside itself',
      `${start}paths: {/a: {get: {parameters: [{$ref: "#/components/parameters/A"}], responses: {"200": {description: x}}}}}\ncomponents: {parameters: {A: {$ref: "#/components/parameters/A"}}}\n`,
      /\$ref leads back to what contains it/,
    ],
    [
      'twice the same key',
      `${start}paths:\n  /a: {get: ${ok200}}\n  /a: {get: ${ok200}}\n`,
      /:5:3: "\/a" occurs twice; keep one/,
    ],
    ['latin-1', `${start}x-\xf5: 1\n`, /^s\.openapi\.yaml: is not UTF-8 text; save it as UTF-8/],
    ['too deep', `${start}x-a: ${'['.repeat(150)}${']'.repeat(150)}\n`, /nested deeper than 100 levels/],
  ]
  for (const [what, text, message] of wrong) {
    test(`${what}: one finding with file and line, and the others stay [P3.3]`, () => {
      const bytes = Buffer.from(text, what === 'latin-1' ? 'latin1' : 'utf8')
      const { urls, warnings, problems } = load({
        's.yml': dsl(),
        's.openapi.yaml': bytes,
        'other.yml': `kind: rest\nmethod: GET\ntarget: ${target}\n`,
      })
      deepStrictEqual(
        [urls, problems, warnings.length],
        [['GET /g/other'], [], 1],
        JSON.stringify([urls, problems, warnings]),
      )
      match(warnings[0]!, message)
      match(warnings[0]!, /; until then s\.yml has no endpoints$/)
      ok(!warnings[0]!.includes('\n'))
    })
  }

  const remote = [
    'https://x.example/a.yaml',
    'http://x.example/a.yaml#/b',
    '//x.example/a',
    'file:///etc/passwd',
    'urn:x:y',
    'HTTPS://X.example/',
  ]
  for (const ref of remote) {
    test(`a reference to ${ref} is told, and nothing is fetched [P3.3 G1]`, () => {
      const { urls, problems, warnings } = loadOne(`${start}${paths}components:\n  schemas:\n    B: {$ref: "${ref}"}\n`)
      deepStrictEqual([urls, problems, warnings.length], [[], [], 1])
      match(
        warnings.join(),
        /^s\.openapi\.yaml:8: \$ref leads to ".*", and nothing is fetched; save it beside this file and name it by its path/,
      )
    })
  }

  test('an address in an example, and the name that a document gives itself, are no such reference [P3.3]', () => {
    const text = `${start}$self: https://x.example/api.yaml
paths:
  /a:
    get:
      responses:
        "200":
          description: x
          content: {application/json: {example: {$ref: "https://x.example/a"}, schema: {$ref: "#item"}}}
components: {schemas: {A: {$anchor: item, type: object, properties: {$ref: {type: string}, example: {default: {$ref: "http://y"}}}}}}
`.replace('$self: https://x.example/api.yaml\n', '')
    const { urls, problems, warnings } = loadOne(text)
    deepStrictEqual([urls, problems, warnings], [['GET /g/s/a'], [], []])
  })

  test('a description that is not there stops the start with the line that names it [P3.3]', () => {
    const { problems } = load({ 's.yml': dsl() })
    deepStrictEqual(problems, ['s.yml:2: openapi: there is no file s.openapi.yaml; save the description there'])
  })

  test('two files for one path stop the start, with both of them; a description costs its own endpoint [P3.1 P3.3 G1]', () => {
    const one = `kind: rest\nmethod: GET\ntarget: ${target.replace('}', ', path: "/{key}"}')}\n`
    const { problems, warnings } = load({
      's.yaml': one,
      's.yml': dsl(),
      's.openapi.yaml': `${start}paths: {"/{id}": {post: ${ok200}}}\n`,
    })
    deepStrictEqual(problems, [])
    match(
      warnings.join(),
      /^s\.yml:2: openapi: s\.openapi\.yaml gives the same endpoint \/g\/s\/\{id\} as .*s\.yaml; rename or remove one; the first one counts$/,
    )
    const both = load({ 's.yaml': one, 's.yml': one })
    match(both.problems.join(), /^s\.yml: gives the same endpoint \/g\/s\/\{key\} as .*s\.yaml; rename or remove one$/)
  })

  test('paths that cannot be called are told one by one, the others are there [P3.3]', () => {
    const odd = ['/{a}{b}', '/{a', '/x?y=1', '/x#y', '/{x+}/z', '/{}', '/100%', '/a/../b', '/a/%2E%2e;x', '/{a}/{a}']
    const text = `${start}paths:\n${odd.map((path) => `  ${JSON.stringify(path)}: {get: ${ok200}}\n`).join('')}  /fine: {get: ${ok200}}\n  "/{id}": {get: ${ok200}}\n  "/{key}": {get: ${ok200}, put: ${ok200}}\n`
    const { urls, warnings, problems } = loadOne(text)
    deepStrictEqual([urls, problems], [['GET /g/s/fine', 'GET /g/s/{id}'], []])
    strictEqual(warnings.length, odd.length + 2)
    for (const [at, path] of odd.entries())
      ok(warnings[at]!.startsWith(`s.openapi.yaml:${at + 4}: ${path}: `), String(warnings[at]))
    match(
      warnings.at(-1)!,
      /s\.yml:2: openapi: s\.openapi\.yaml has PUT \/\{key\}, which is the same path as \/\{id\}; the first one counts/,
    )
  })

  test('servers of an operation are told, a description without operations as well [P3.3]', () => {
    const own = `${start}paths:\n  /a:\n    servers: [{url: https://other.example}]\n    get: ${ok200}\n`
    match(
      loadOne(own).warnings.join(),
      /^s\.openapi\.yaml:6: \/a get: names servers of its own, and the call goes to the one that the Security Server/,
    )
    match(
      loadOne(`${start}paths: {}\n`).warnings.join(),
      /^s\.yml:2: openapi: s\.openapi\.yaml has no operations; there are no endpoints/,
    )
  })

  test('a description that nobody names is told and is no DSL file; a DSL file of such a name stays one [P3.3]', () => {
    const { urls, warnings, problems } = load({
      'lost.openapi.yaml': `${start}${paths}`,
      'old.openapi.yml': `kind: rest\nmethod: GET\ntarget: ${target}\n`,
    })
    deepStrictEqual([urls, problems], [['GET /g/old.openapi'], []])
    deepStrictEqual(warnings, ['lost.openapi.yaml: is not read; no DSL file names it in its field openapi'])
  })

  test('DSL files that name each other are told, and make no endpoint [P3.3]', () => {
    const naming = (name: string): string => `kind: rest\nopenapi: ${name}\ntarget: ${target}\n`
    const { urls, warnings } = load({
      'a.yml': naming('b.yml'),
      'b.yml': naming('a.yml'),
      'itself.yml': naming('itself.yml'),
      'other.yml': `kind: rest\nmethod: GET\ntarget: ${target}\n`,
    })
    deepStrictEqual(urls, ['GET /g/other'])
    const told = (name: string): string =>
      `${name}:2: openapi: has no effect, because a file without effect names this one as its description; DSL files cannot name each other`
    deepStrictEqual(warnings, [told('a.yml'), told('b.yml'), told('itself.yml')])
  })
})

test('two services of one description, JSON too, do not share names [P3.3]', async () => {
  const json = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 't', version: '1' },
    paths: {
      '/a': {
        get: {
          responses: {
            200: { description: 'x', content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
          },
        },
      },
    },
    components: {
      schemas: {
        A: {
          oneOf: [{ $ref: '#/components/schemas/B' }],
          discriminator: { propertyName: 'k', mapping: { b: 'B', c: '#/components/schemas/C' } },
        },
        B: {},
        C: {},
      },
    },
  })
  const { urls, api, warnings } = load({
    'a.yml': dsl().replace('s.openapi.yaml', 'x.json'),
    'b.yml': dsl().replace('s.openapi.yaml', 'x.json'),
    'x.json': `\n  ${json}`,
  })
  deepStrictEqual([urls, warnings], [['GET /g/a/a', 'GET /g/b/a'], []])
  await assertValid(api)
  const names = Object.keys(api.components.schemas).filter((name) => name.startsWith('openapi.'))
  deepStrictEqual(
    names.toSorted(),
    ['a.A', 'a.B', 'a.C', 'b.A', 'b.B', 'b.C'].map((name) => `openapi.g.${name}`),
  )
  const { discriminator } = api.components.schemas['openapi.g.b.A'] as { discriminator: { mapping: object } }
  deepStrictEqual(discriminator.mapping, {
    b: '#/components/schemas/openapi.g.b.B',
    c: '#/components/schemas/openapi.g.b.C',
  })
})

test('a thousand operations with a thousand schemas are read in a moment [P3.3]', () => {
  const many = Array.from({ length: 1000 }, (_, at) => at)
  const text = JSON.stringify({
    openapi: '3.0.3',
    info: { title: 't', version: '1' },
    paths: Object.fromEntries(
      many.map((at) => [
        `/v1/t${at}/{id}`,
        {
          get: {
            responses: {
              200: {
                description: 'x',
                content: { 'application/json': { schema: { $ref: `#/components/schemas/S${at}` } } },
              },
            },
          },
        },
      ]),
    ),
    components: {
      schemas: Object.fromEntries(
        many.map((at) => [
          `S${at}`,
          { type: 'object', properties: { next: { $ref: `#/components/schemas/S${(at + 1) % 1000}` } } },
        ]),
      ),
    },
  })
  const since = process.cpuUsage()
  const { urls } = load({ 's.yml': dsl().replace('yaml', 'json'), 's.openapi.json': text })
  const { user, system } = process.cpuUsage(since)
  strictEqual(urls.length, 1000)
  ok(user + system < 5_000_000, `${user + system} µs`)
})
