import { deepStrictEqual, ok, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseConfig } from '../src/boot/config/schema.ts'
import { isLegacy, translateLegacy } from '../src/boot/config/legacy.ts'
import { readYaml } from '../src/boot/config/yaml.ts'
import { StartupFailure } from '../src/errors.ts'

const read: readonly [string, object][] = [
  ['', {}],
  ['# only a comment\n', {}],
  ['---\n', {}],
  ['null', {}],
  ['a: yes\nb: true\nc: 0o17\nd: 017\ne: 12:30\nf: ~\n', { a: 'yes', b: true, c: 15, d: 17, e: '12:30', f: null }],
  ['1: x\ntrue: y\n', { 1: 'x', true: 'y' }],
  ['a: &x {b: 1}\nc: *x\n', { a: { b: 1 }, c: { b: 1 } }],
  ['a: {<<: 1}', { a: { '<<': 1 } }],
]

for (const [text, data] of read) {
  test(`[D6.1] YAML 1.2 core: ${JSON.stringify(text)}`, () => deepStrictEqual(readYaml(text, 'f.yaml'), data))
}

const refused: readonly [string, string, RegExp][] = [
  ['a list', '- a', /^f\.yaml:1:1: expected "field: value" lines/],
  ['a text', 'hello', /^f\.yaml:1:1: expected "field: value" lines/],
  ['duplicate keys', 'a: 1\nb: 2\na: 3', /^f\.yaml:3:1: .*unique/],
  ['duplicate keys deeper', 'a:\n  b: 1\n  b: 2', /^f\.yaml:3:3: .*unique/],
  ['a second document', 'a: 1\n---\nb: 2', /^f\.yaml:2:1: a second document/],
  ['an empty second document', 'a: 1\n---\n', /^f\.yaml:2:1: a second document/],
  ['an unknown alias', 'a: *b', /^f\.yaml:\d+:\d+: .*alias/],
  ['a foreign tag', 'a: !ruby/object {}', /^f\.yaml:1:4: .*[tT]ag/],
  ['an old tag', 'a: !!binary aGk=', /^f\.yaml:1:4: .*[tT]ag/],
  ['a list as key', '[1, 2]: a', /^f\.yaml:1:1: .*keys must be strings/],
  ['an open bracket', 'a: [1, 2\nb: 3', /^f\.yaml:2:/],
  ['a bind without quotes', 'server:\n  bind: [::]:8080', /^f\.yaml:2:/],
  ['tabs', 'a:\n\tb: 1', /^f\.yaml:2:1: .*[tT]ab/],
  ['__proto__', 'm: {__proto__: {admin: true}}', /^f\.yaml:1:1: .*__proto__/],
  ['deep flow', `a: ${'['.repeat(100_000)}`, /nested deeper than 50 levels/],
  ['deep blocks', `${'- '.repeat(100_000)}x`, /nested deeper than 50 levels/],
  ['a long text', `a: ${'x'.repeat(1_048_576)}`, /longer than 1048576/],
  ['a bomb', bomb(), /alias/i],
]

for (const [what, text, message] of refused) {
  test(`[D6.1] refused: ${what}`, () => {
    throws(
      () => readYaml(text, 'f.yaml'),
      (error) => {
        ok(error instanceof StartupFailure)
        ok(!error.message.includes('\n'))
        return message.test(error.message) || error.message
      },
    )
  })
}

/** Ten aliases of ten aliases of ... */
function bomb(): string {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `l${level + 1}: &l${level + 1} [${Array(10).fill(`*l${level}`).join(', ')}]`,
  )
  return ['l0: &l0 lol', ...levels].join('\n')
}

const fields = [
  'sql_dir',
  'server',
  'bind',
  'datasources',
  'name',
  'url',
  'cors',
  'logging',
  'level',
  'sqlms',
  'jdbcUrl',
  'a.b',
  'constructor',
]
const signs = [
  ': ',
  '\n',
  '\n  ',
  '- ',
  '{',
  '}',
  '[',
  ']',
  ',',
  '"',
  "'",
  '&a ',
  '*a',
  '|',
  '>',
  '#',
  '!',
  '%',
  '---',
  '...',
  '? ',
  '<<',
  '${A}',
  '0',
  'null',
]
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...fields, ...signs)).map((parts) => parts.join('')),
  fc.json({ maxDepth: 4 }),
  fc.dictionary(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 3 })).map((data) => JSON.stringify(data)),
)

function readAll(text: string, file: string) {
  const data = readYaml(text, file)
  return parseConfig(isLegacy(file) ? translateLegacy(data, file).data : data, file)
}

for (const file of ['sqlapi.yaml', 'application.yml']) {
  test(`[D6.1] [S-config.unknown] whatever stands in ${file}, the only error is a StartupFailure`, () => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          readAll(text, file)
        } catch (error) {
          if (!(error instanceof StartupFailure)) throw error
        }
      }),
      { numRuns: 3000 },
    )
  })
}
