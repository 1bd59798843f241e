/**
 * Files that other members write: whatever is in them, a start, a reload and the doctor go on. Such a file costs one
 * WARN, and its endpoints are missing.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Files, newFolder, randomFrom } from '@services/testing'
import { RestDescriptions } from '../../../src/boot/description/openapi-rest.ts'
import { surveyEndpoints } from '../../../src/boot/dsl/endpoints.ts'
import { importDescriptions } from '../../../src/boot/openapi/import.ts'
import { lineInJson } from '../../../src/boot/openapi/json-lines.ts'
import { describeEndpoints } from '../../support/description.ts'
import { examine } from '../../support/doctor.ts'
import { readWsdl } from '../../../src/wsdl/operations/operations.ts'
import { generateAll, noFiles, wsdlAround } from '../../support/wsdl/wsdl.ts'
import { type Lanes, startLanes } from '../../support/lanes.ts'

const target = '{member_class: GOV, member_code: "1", subsystem_code: sub, service_code: svc}'
const dsl = (name: string): string => `kind: rest\nopenapi: ${name}\ntarget: ${target}\n`
const own = `kind: rest\nmethod: GET\ntarget: ${target}\n`
const responses = { 200: { description: 'fine' } }
const description = (more: object = {}, info: object = {}): string =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title: 't', version: '1', ...info },
    paths: { '/a': { get: { responses } } },
    ...more,
  })
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

/** All that a start does with descriptions; `own.yml` is one of our own. */
function load(text: string, name = 's.openapi.json', more: Files = {}) {
  const files: Files = { 's.yml': dsl(name), [name]: text, 'own.yml': own, ...more }
  const folder = newFolder(
    Object.fromEntries(Object.entries(files).map(([file, content]) => [`DSL/g/${file}`, content])),
  )
  const tree = join(folder, 'DSL')
  const found = importDescriptions(surveyEndpoints(tree), tree)
  JSON.parse(
    describeEndpoints(found.endpoints, '1', undefined, { descriptions: new RestDescriptions(found.descriptions) }),
  )
  return {
    urls: found.endpoints.map(({ service, path }) => `/${service}${path}`),
    warnings: [...found.warnings, ...found.descriptionWarnings].map((each) => each.replaceAll(`${tree}/g/`, '')),
    problems: found.problems.map(({ message }) => message),
  }
}

describe('a description in JSON', () => {
  test('may hold what YAML refuses, also if there is something to report [G1]', () => {
    const servers = { paths: { '/a': { get: { servers: [{ url: 'https://x.example' }], responses } } } }
    const text = JSON.stringify(JSON.parse(description(servers, { description: 'a\x7fb' })), undefined, 1)
    const { urls, warnings, problems } = load(text)
    deepStrictEqual([urls, problems], [['/own', '/s/a'], []])
    const line = text.split('\n').findIndex((each) => each.includes('"get"')) + 1
    strictEqual(warnings.length, 1)
    match(String(warnings[0]), new RegExp(`^s\\.openapi\\.json:${line}: /a get: names servers of its own`))
  })

  const odd: readonly (readonly [what: string, text: string, message: RegExp])[] = [
    ['deeper than all that is read', description().replace('{', `{"x-deep":${deep(500)},`), /nested deeper than 200 levels/],
    ['deeper than any stack', description().replace('{', `{"x-deep":${deep(200_000)},`), /nested deeper than 200 levels/],
    ['deep, and an anchor to look for', description({ components: { schemas: { A: { $ref: '#nix' } } } }).replace('{', `{"x-deep":${deep(150_000)},`), /s\.openapi\.json:1: /],
    ['that leads to another host', description({ components: { schemas: { A: { $ref: 'https://x.example/a' } } } }), /nothing is fetched/],
    ['that leads to a device', description({ components: { schemas: { A: { $ref: '../../../../../../../../../dev/zero' } } } }), /out of the folder of the DSL files/],
    ['in a circle of responses', description({ components: { responses: { A: { $ref: '#/components/responses/B' }, B: { $ref: '#/components/responses/A' } } } }), /leads back to what contains it/],
    ['that triples fourteen times', description({ components: { callbacks: tripling(14) } }), /larger than 1000000 lists and objects/],
    ['with a long chain of references', description({ components: { responses: chain(5000) } }), /nested deeper than 200 levels/],
    ['with a number for a title', description({}, { title: 1e300 }), /info\.title: found 1e\+300, expected string/],
  ] // prettier-ignore
  for (const [what, text, message] of odd) {
    test(`${what}: one WARN, its endpoints are missing, the others stay [G1]`, () => {
      const { urls, warnings, problems } = load(text)
      deepStrictEqual([urls, problems, warnings.length], [['/own'], [], 1])
      match(String(warnings[0]), message)
      match(String(warnings[0]), /; until then .*s\.yml has no endpoints$/)
    })
  }

  const fine: readonly (readonly [what: string, text: string])[] = [
    ['a byte-order mark', `\uFEFF${description()}`],
    ['lone surrogates', description({}, { description: '\ud800' }).replace('"t"', String.raw`"\udc00"`)],
    ['numbers that no double holds', description().replace('{', '{"x-n":[1e999,-1e999,123456789012345678901234567890],')],
    ['equal keys', description().replace('"info"', '"info":{},"info"')],
    ['150 levels', description().replace('{', `{"x-deep":${deep(150)},`)],
    ['names of prototypes', description({ components: { schemas: { A: { $ref: '#/x-s/__proto__' }, constructor: { type: 'string' }, B: { $ref: '#/components/schemas/constructor' } } } }).replace('{', '{"x-s":{"__proto__":{"type":"string"}},')],
  ] // prettier-ignore
  for (const [what, text] of fine) {
    test(`${what}: its endpoints are there [G1]`, () => {
      deepStrictEqual(load(text), { urls: ['/own', '/s/a'], warnings: [], problems: [] })
    })
  }

  test('an endpoint that a file of our own has is not taken by it [G1]', () => {
    const more = { 's/index.yml': own }
    const paths = { paths: { '/{id}': { get: { responses } } } }
    const one = `kind: rest\nmethod: GET\ntarget: ${target.replace('}', ', path: "/{key}"}')}\n`
    const { urls, warnings, problems } = load(description(paths), 's.openapi.json', { ...more, 's.yaml': one })
    deepStrictEqual([urls.includes('/s/{key}'), urls.includes('/s/{id}'), problems], [true, false, []])
    match(
      warnings.join(),
      /gives the same endpoint \/g\/s\/\{id\} as .*s\.yaml; rename or remove one; the first one counts/,
    )
  })

  test('a file of our own that it refers to keeps its endpoints [G1]', () => {
    const other = { 'o.yml': dsl('o.openapi.json'), 'o.openapi.json': description() }
    const schemas = { A: { $ref: './own.yml' }, B: { $ref: './o.yml' }, C: { $ref: 'o.openapi.json#/info' } }
    const { urls, problems } = load(description({ components: { schemas } }), 's.openapi.json', other)
    deepStrictEqual([urls.filter((url) => !url.startsWith('/s/')), problems], [['/own', '/o/a'], []])
  })

  test('a thousand things to report are twenty lines [G1]', () => {
    const paths = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`/x?${at}`, { get: { responses } }]))
    const { warnings } = load(description({ paths }))
    strictEqual(warnings.length, 22)
    match(String(warnings[20]), /s\.openapi\.json: and 980 more like these$/)
  })

  test('any small change of one gives endpoints or a WARN [G1]', () => {
    const text = description({
      components: { schemas: { A: { type: 'object', properties: { a: { $ref: '#/components/schemas/A' } } } }, responses: { R: { description: 'x' } } },
      paths: { '/a/{id}': { parameters: [{ name: 'id', in: 'path', required: true, schema: {} }], get: { responses: { 200: { $ref: '#/components/responses/R' } } } } },
    }) // prettier-ignore
    const random = randomFrom(7)
    const pick = (count: number): number => Math.floor(random() * count)
    const pieces = [
      '"',
      '{}',
      '[]',
      'null',
      '\x7f',
      '__proto__',
      '1e999',
      '#/',
      '$ref',
      '/../',
      '%',
      '{',
      ',"a":',
      '\\ud800',
      '~2',
    ]
    for (let round = 0; round < 400; round++) {
      const at = pick(text.length)
      const changed = text.slice(0, at) + String(pieces[pick(pieces.length)]) + text.slice(at + pick(4))
      const { urls, warnings, problems } = load(changed)
      deepStrictEqual(problems, [], changed)
      ok(urls.includes('/own') && (urls.length > 1 || warnings.length > 0), changed)
    }
  })
})

/** Each leads to the next one three times. */
function tripling(levels: number): object {
  const next = (level: number): object => ({ $ref: `#/components/callbacks/C${level + 1}` })
  const callback = (level: number): object => ({ '{$url}': { post: { responses, callbacks: { a: next(level), b: next(level), c: next(level) } } } })
  return Object.fromEntries(Array.from({ length: levels + 1 }, (_, level) => [`C${level}`, level === levels ? {} : callback(level)]))
} // prettier-ignore

function chain(links: number): object {
  const link = (at: number): object =>
    at === links ? { description: 'x' } : { $ref: `#/components/responses/R${at + 1}` }
  return Object.fromEntries(Array.from({ length: links + 1 }, (_, at) => [`R${at}`, link(at)]))
}

describe('a description in YAML', () => {
  const start = 'openapi: 3.0.0\ninfo: {title: t, version: "1"}\n'
  const paths = 'paths: {/a: {get: {responses: {"200": {description: x}}}}}\n'
  const odd: readonly (readonly [what: string, text: string, message: RegExp])[] = [
    ['aliases that repeat much', `${start}x-a: &a [${'1,'.repeat(5000)}]\nx-b: [${'*a,'.repeat(900)}]\n${paths}`, /aliases that repeat more than 100000 values/],
    ['aliases of aliases', `${start}${Array.from({ length: 30 }, (_, at) => `x-${at}: &a${at} [${at === 0 ? '1' : `*a${at - 1}, *a${at - 1}`}]\n`).join('')}${paths}`, /more than 1000 aliases/],
    ['a list of two million items', `${start}x-a:\n${'- a\n'.repeat(2_000_000)}${paths}`, /more than 1500000 words and marks/],
    ['a control character', `${start}x-a: "\x7f"\n${paths}`, /control character U\+007F/],
  ] // prettier-ignore
  for (const [what, text, message] of odd) {
    test(`${what}: one WARN, its endpoints are missing, the others stay [G1]`, () => {
      const { urls, warnings, problems } = load(text, 's.openapi.yaml')
      deepStrictEqual([urls, problems, warnings.length], [['/own'], [], 1])
      match(String(warnings[0]), message)
    })
  }
})

test('lines in JSON are found by the rules of JSON [G1]', () => {
  const text =
    '\n{ "a" : [1, {"b\\u0063\\"": "}]\\\\"} ,\n null],\n"a": [ "x",\n{"bc\\"":\n[]}, -1.5e3, true ,\n[[]] ] ,\n"__proto__": 5 }\n'
  const lines: readonly (readonly [path: readonly (string | number)[], line: number])[] = [
    [[], 2],
    [['a'], 4],
    [['a', 0], 4],
    [['a', '1'], 5],
    [['a', 1, 'bc"'], 5],
    [['a', 1, 'nix', 'nix'], 5],
    [['a', 2], 6],
    [['a', 4, 0], 7],
    [['a', 5], 4],
    [['__proto__'], 8],
    [['b', 'c'], 2],
  ] // prettier-ignore
  for (const [path, line] of lines) strictEqual(lineInJson(text, path), line, path.join('.'))
  strictEqual(lineInJson(`${'[\n'.repeat(100_000)}${']'.repeat(100_000)}`, [0, 0, 'a']), 3)
})

describe('a service with such files', () => {
  const foreign = {
    'g/own.yml': own,
    'g/s.yml': dsl('s.openapi.json'),
    'g/s.openapi.json': description({ paths: { 'no slash': {} } }, { description: '\x7f' }),
  }
  let lanes: Lanes
  before(async () => {
    lanes = await startLanes({ dsl: foreign })
  })
  after(() => lanes.close())
  const warnings = (): readonly unknown[] =>
    lanes.log.filter(({ event }) => event === 'warning').map(({ message }) => message)

  test('starts and reloads with one WARN each [G1]', async () => {
    strictEqual((await lanes.call('/g/own')).status, 200)
    strictEqual((await lanes.call('/g/s/a')).status, 404)
    strictEqual(warnings().length, 1)
    match(String(warnings()[0]), /s\.openapi\.json:1: paths: found "no slash"/)
    strictEqual((await lanes.hangUp())['event'], 'reloaded')
    strictEqual(warnings().length, 2)
  })
})

test('a WSDL with a chain of attribute groups that no stack holds gets its endpoint [G1]', () => {
  const links = Array.from(
    { length: 20_000 },
    (_, at) => `<x:attributeGroup name="A${at}"><x:attributeGroup ref="t:A${at + 1}"/></x:attributeGroup>`,
  )
  const schema = `<x:element name="op"><x:complexType><x:sequence><x:element name="a" type="x:string"/></x:sequence><x:attributeGroup ref="t:A0"/></x:complexType></x:element>${links.join('')}<x:attributeGroup name="A20000"><x:attribute name="last" type="x:string"/></x:attributeGroup>`
  const [operation] = generateAll(readWsdl(Buffer.from(wsdlAround(schema)), 'a.wsdl', noFiles))
  ok(operation?.kind === 'generated')
  match(operation.text, /last=/)
})

test('the doctor reports such a file and goes on [G1]', () => {
  const found = examine({
    dsl: { 'g/s.yml': dsl('s.openapi.json'), 'g/s.openapi.json': description({ paths: { a: {} } }, { title: '\x7f' }) },
  })
  deepStrictEqual(
    found.filter(({ severity }) => severity === 'FATAL'),
    [],
  )
  ok(
    found.some(({ headline }) => /paths: found "a"/.test(headline)),
    JSON.stringify(found),
  )
})
