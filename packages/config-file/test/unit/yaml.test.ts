/** YAML in, data or an error with line and column out. */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { checkGrowth } from '@services/testing'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { Literal } from '../../src/yaml/data.ts'
import { locate } from '../../src/yaml/places.ts'
import type { Path } from '../../src/words/problem.ts'
import { readPlainYaml } from '../../src/yaml/plain.ts'
import { readAnyYaml, readYaml, readYamlIn } from '../../src/yaml/yaml.ts'
import { YamlError } from '../../src/yaml/document.ts'

const read: readonly [string, object][] = [
  ['', {}],
  ['# only a comment\n', {}],
  ['---\n', {}],
  ['null', {}],
  ['a: ~\nb: null\nc:\nd: NULL\n', { a: null, b: null, c: null, d: null }],
  ['a: yes\nb: "5"\nc: \'true\'\n', { a: 'yes', b: '5', c: 'true' }],
  ['1: x\ntrue: y\nnull: z\n', { 1: 'x', true: 'y', null: 'z' }],
  ['a: !!str 4.0\nb: ! 5\n', { a: '4.0', b: '5' }],
  ['a: {<<: x}', { a: { '<<': 'x' } }],
  [': x', { '': 'x' }],
  ['\ufeffa: x', { a: 'x' }],
  ['%YAML 1.1\n---\na: yes\n', { a: 'yes' }],
  ['a: &anchor x', { a: 'x' }],
  ['a: &x {b: [1y]}\nc: *x\nd: [*x]\n', { a: { b: ['1y'] }, c: { b: ['1y'] }, d: [{ b: ['1y'] }] }],
  ['a: &x y\nb: &x z\nc: *x\n', { a: 'y', b: 'z', c: 'z' }],
]

for (const [text, data] of read) {
  test(`YAML 1.2 core: ${JSON.stringify(text)}`, () => deepStrictEqual(readYaml(text), data))
}

const literals: readonly [string, number | boolean][] = [
  ['4.0', 4],
  ['00123', 123],
  ['0x1F', 31],
  ['0o17', 15],
  ['1e3', 1000],
  ['-0', -0],
  ['true', true],
  ['FALSE', false],
  ['70000000000000000001', 7e19],
  ['.inf', Infinity],
]

for (const [text, value] of literals) {
  test(`${text} keeps its text`, () => {
    deepStrictEqual(readYaml(`a: ${text}\nb: [${text}]\n`), {
      a: new Literal(text, value),
      b: [new Literal(text, value)],
    })
  })
}

const refused: [string, string, RegExp][] = [
  ['a list', '- a', /^1:1: expected "field: value" lines/],
  ['a text', 'hello', /^1:1: expected "field: value" lines/],
  ['duplicate keys', 'a: 1\nb: 2\na: 3', /^3:1: "a" occurs twice/],
  ['duplicate keys of texts', 'a: x\nb: y\na: z\n', /^3:1: "a" occurs twice/],
  [
    'an item without its dash [F11]',
    'a:\n  - b: x\n    c: y\n    b: z\n',
    /^4:5: "b" occurs twice; keep one, or .* "- "$/,
  ],
  [
    'a dash without a space [F11] [G9]',
    'a:\n  -b: x\n    c: y\n',
    /^2:\d: a dash needs a space after it: "- " begins an item$/,
  ],
  [
    'an item of fields without its dash, in its column [F11]',
    'a:\n  - b: x\n    c: y\n  b: z\n  c: u\n',
    /^4:\d: .*same column; or begin it with "- " if it is the next item of the list$/,
  ],
  [
    'an item without its dash in the first column [F11]',
    'a:\n- b: x\n  c: y\nb z\n',
    /^4:\d: .*; or begin it with "- " if/,
  ],
  ['a text without its dash [G9]', 'a:\n  - b\n  c\n  - d\n', /^3:\d: .*same column; or begin it with "- " if/],
  ['another mistake below a list in its column', 'a:\n- b\nc: @x\n', /^3:\d: .*; put it in quotes$/],
  ['a line between two columns of a list', 'a:\n  - b: c\n d: e\n', /^3:\d: .*begin them all in the same column$/],
  ['a tab among spaces [F11]', 'a:\n  - b: x\n  \t  c: y\n', /^3:1: Tabs are not allowed .*; indent with spaces$/],
  ['duplicate keys deeper', 'a:\n  b: x\n  b: y\n', /^3:3: "b" occurs twice/],
  ['a second document', 'a: 1\n---\nb: 2', /^2:1: a second document/],
  ['an empty second document', 'a: 1\n---\n', /^2:1: a second document/],
  ['an unknown alias', 'a: *x', /^1:4: /],
  ['an alias inside of what it names', 'a: &x [*x]', /^1:8: an alias without an anchor above it/],
  [
    'aliases of aliases',
    `a: &a [1,2]\n${'bcdefghi'.replaceAll(/./g, (name, at) => `${name}: &${name} [${`*${String.fromCharCode(96 + Number(at) + 1)},`.repeat(9)}]\n`)}`,
    /more than 100 aliases/,
  ],
  ['a foreign tag', 'b: 1\na: !ruby/object {}', /^2:4: .*[tT]ag/],
  ['an old tag', 'a: !!binary aGk=', /^1:4: .*[tT]ag/],
  ['a list as key', '[1, 2]: a', /^1:1: a key that is not a text; .* needs quotes/],
  [
    'braces without quotes',
    'a: {{name}}',
    /^1:\d: a key that is not a text; a text that begins with \{ or \[ needs quotes/,
  ],
  ['tabs', 'a:\n\tb: 1', /^2:1: Tabs are not allowed as indentation; indent with spaces$/],
  [
    'JSON without its last brace [G7]',
    '{\n "a": {\n  "b": 1\n }\n',
    /^1:1: the JSON ends before this \{ is closed; add the missing \}$/,
  ],
  [
    'JSON without an inner bracket [G7]',
    '{\n "a": [1, 2\n}\n',
    /^2:7: the JSON ends before this \[ is closed; add the missing \]$/,
  ],
  [
    'JSON without a comma [G7]',
    '{\n "a": 1\n "b": 2\n}\n',
    /^2:\d+: a comma is missing at the end of this line of the JSON, or a colon in it$/,
  ],
  ['an open bracket', 'a: [1, 2\nb: 3', /^1:4: a \[ that no \] closes/],
  ['an open bracket inside another', 'a: [1, {b: [2}\nc: 3', /^1:12: a \[ that no \] closes/],
  ['an open brace', 'x: 1\na: {b: 1\nc: 2\n', /^2:4: a \{ that no \} closes; .* needs quotes/],
  ['an open quote', 'a: "x\nb: 3', /^1:4: a double quote that is not closed/],
  ['an open single quote', "a: 'x'\nb: 'it\n", /^2:4: a single quote that is not closed/],
  ['a colon in a text', 'a: b: c\n', /^1:4: a text with a colon and a space in it needs quotes/],
  ['a line that is too far right', 'a: x\n b: y\n', /^1:4: .*or the line below is indented too far/],
  ['lines that do not stand below each other', 'a:\n  b: 1\n c: 2\n', /^3:1: .*begin them all in the same column/],
  ['a line without a colon', 'a: 1\nb\n', /^2:1: a line without a colon and a space behind it; write field: value/],
  ['a text that begins with @', 'a: @x\n', /^1:4: .*reserved character.*; put it in quotes/],
  ['something behind quotes', 'a: "x" y\n', /^1:8: something follows the end of a value; put the whole text in quotes/],
  ['a pattern', 'pattern: [A-Z]+\n', /^1:15: .*put the whole text in quotes/],
  ['a list on the line of its field', 'a: - b\n', /^1:4: .*write each - on a line of its own/],
  ['a missing comma', '{"a": 1 "b": 2}', /^1:7: a comma is missing/],
  ['a bracket that nothing opens', 'a: ]\n', /^1:4: a \} or \] that nothing opens/],
  ['tabs', 'a:\n\tb: 1', /^2:1: .*[tT]ab/],
  ['a control character', 'a: x\nb: y\u0007', /^2:5: control character U\+0007/],
  ['NUL', 'a: x\0', /^1:5: control character U\+0000/],
  ['__proto__', 'm: {__proto__: {admin: true}}', /^1:5: .*__proto__/],
  ['deep flow', `a: ${'['.repeat(100_000)}`, /^1:\d+: nested deeper than 50 levels/],
  ['deep blocks', `${'- '.repeat(100_000)}x`, /nested deeper than 50 levels/],
  ['deep questions', '? '.repeat(100_000), /nested deeper than 50 levels/],
  ['a long text', `a: ${'x'.repeat(1_048_576)}`, /longer than 1048576/],
]

const noBar = /^2:1: envelope: a text of several lines needs a \| after the colon: envelope: \|$/
const noBars: readonly string[] = [
  ' <e:a xmlns:e="x">\n  <b>{{x}}</b>\n</e:a>\n',
  ' <a>\n  <b>x: y</b>\n</a>\n',
  '\n<a>\n\n</a>\ntimeout: 3\n',
  '\r\n  <a>\r\n    <b>x: y</b>\r\n  </a>\r\n',
  '\n  <?xml version="1.0"?>\n  <a b="c: d">\n  </a>\n',
  '\n  {{#x}}\n    <a/>\n',
  '\n  <a>\n    <b> #1</b>\n    <c/>\n  </a>\n',
]
for (const text of noBars) refused.push([`an envelope without a bar [G9] ${text}`, `a: 1\nenvelope:${text}`, noBar])
refused.push(
  ['a mistake after an envelope [G9]', 'envelope: <a>\n  <b/>\n  </a>\ntimeout 3\n', /^4:1: a line without a colon/],
  ['a mistake below an envelope of one line [G9]', 'envelope: <a/>\ntimeout 3\n', /^2:1: a line without a colon/],
  ['a block of an envelope that ends too early [G9]', 'envelope: |\n  <a>\n </a>\n', /^\d:1: a line that is indented/],
)

for (const [what, text, message] of refused) {
  test(`refused with its line: ${what}`, () => {
    throws(
      () => readYaml(text),
      (error) => {
        ok(error instanceof YamlError, String(error))
        ok(!error.message.includes('\n') && error.message.length < 250)
        return message.test(`${error.line}:${error.column}: ${error.message}`) || error.message
      },
    )
  })
}

test('what is wrong in a file is an error of its reader, with file, line and column', () => {
  const toError = (message: string): Error => new RangeError(message)
  deepStrictEqual(readYamlIn('a.yaml', 'a: x', toError), { a: 'x' })
  throws(() => readYamlIn('a.yaml', 'a: x\nb: [', toError), { name: 'RangeError', message: /^a\.yaml:2:\d+: / })
  const most = { characters: 3, depth: 1, aliases: 0 }
  throws(() => readYamlIn('a.yaml', 'a: xy', toError, most), {
    name: 'RangeError',
    message: 'a.yaml:1:1: longer than 3 characters',
  })
})

test('the time to read keys grows with their number', () => {
  checkGrowth(22_500, (count) => {
    const text = Array.from({ length: count }, (_, index) => `k${index}: ""`).join('\n')
    return () => strictEqual(Object.keys(readAnyYaml(text)).length, count)
  })
})

const file = `# a comment
kind: soap
target:
  a: 1
  b: [x, 2]
  "c d":
    - one
    - two
envelope: | # another

  <a>
folded: >
  <a>
`

const places: readonly [Path, number][] = [
  [['kind'], 2],
  [['target', 'b'], 5],
  [['target', 'b', 1], 5],
  [['target', 'c d'], 6],
  [['target', 'c d', 1], 8],
  [['target', 'missing'], 3],
  [['target', 'missing', 'deeper'], 3],
  [['missing'], 2],
  [[], 2],
]

for (const [path, line] of places) {
  test(`the line of ${JSON.stringify(path)}`, () => strictEqual(locate(file).lineOf(path), line))
}

test('the lines of a literal block are lines of the file, those of other texts are not', () => {
  strictEqual(locate(file).firstLineOf(['envelope']), 10)
  strictEqual(locate(file).firstLineOf(['folded']), undefined)
  strictEqual(locate(file).firstLineOf(['kind']), undefined)
  strictEqual(locate(file).firstLineOf(['missing']), undefined)
})

/** Pieces that the short cut takes, and pieces close to them that it must leave to the parser. */
const pieces = String.raw`
POST|a|true|Null|TRUE|a:b|a: b|a:|http://x.y/z?a=b&c=%20#d|x # c|x#c|a?|a#|a&b|a%|a@|a,b|a'b|a"b|a[b|a}|/|/a b
5|05|1.0|-1|1e3|0x1F|0o7|9999999999999999|123456789012345|12a|1_000|.inf|-|~|""|''|"q"|"q" # c|'it'|'it''s'|"\n"|"a: b"|"# a"
[a, b]|[a,]|[]|[ ]|[,]|[a b]|[1]|[ a , b ]|[[a]]|[a]x|[a] # c|{a: b}|{}||-|>|&a x|*a|!t x|!!str 5|" q "|"|'|@x|- a|? a|a  |
---|...|%YAML 1.2|__proto__: x|"a": x|? |: |<<: x| |  |# c|  # c|- x|  - x|   - x|  k: x|   k: x|k0: x|  k0: x|a: x|b : x
  more| x|    |-x|  -x|  -|  - |a:  x|a : x|_a: x|1: x|a.b: x|a-b: x|true: x|null: x
`
  .split(/[|\n]/)
  .concat(
    '|',
    '| ',
    '|-',
    '|+',
    '|2',
    '| # c',
    '|x',
    '\n',
    '\r',
    '\t',
    '\ufeff',
    '\u0085',
    '\u2028',
    '\u00a0',
    'ä',
    '😀',
  )
  .concat(
    '\tx',
    '  \t',
    '  \tx',
    'a:\tx',
    '  -\tx',
    'a: \tx',
    'a: x\t',
    'a: "\t"',
    "a: '\t'",
    '\t# c',
    'a:\t',
    'a: |\t',
  )

const fragment = fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 }))
const usual = `POST|x.y|"q"|'it is'|"a: b"|a-b|urn:x#y|h:/y?z=1|/v1/x|00123|70000310|true|false|"a\tb"`.split('|')
const common = fc.constantFrom(...usual)
const rare = fc.oneof({ weight: 30, arbitrary: common }, { weight: 1, arbitrary: fragment })
const several = fc.array(rare, { minLength: 1, maxLength: 3 })
const xml = fc.constantFrom('<a>', '  <b/>', '\t<c>', '</a>  ', '# d', '', ' \u00a0', '- e: {{f}}')
const pad = fc.constantFrom('', '  ', ' ', '    ')
const value = fc.oneof(
  rare.map((text) => ` ${text}`),
  several.map((texts) => ` [${texts.join(', ')}]`),
  fc.tuple(several, pad).map(([texts, indent]) => texts.map((text) => `\n${indent}- ${text}`).join('')),
  fc.tuple(several, pad).map(([texts, indent]) => texts.map((text, at) => `\n${indent}k${at}: ${text}`).join('')),
  fc
    .tuple(fc.constantFrom('|', '|-', '|', '|+', '>'), fc.array(fc.oneof(rare, xml, pad)), pad)
    .map(([bar, texts, indent]) => ` ${bar}\n${texts.map((text) => `${indent}${text}\n`).join('')}`),
)
/** Mostly a file that is right, with something put in between. */
const texts = fc
  .tuple(
    fc.array(value, { maxLength: 5 }),
    fc.option(fragment, { freq: 2 }),
    fc.nat(),
    fc.constantFrom('\n', '\n', '\n\n', '\n', '', ' \n'),
    fc.constantFrom('\n', '\n', '\r\n'),
  )
  .map(([fields, put, at, end, lineEnd]) => {
    const lines = `${fields.map((field, index) => `${'abcdef'[index]}:${field}`).join('\n')}${end}`.split('\n')
    if (put !== null) lines.splice(at % (lines.length + 1), 0, put)
    return lines.join(lineEnd)
  })

test('the short cut reads what the parser reads, or nothing', () => {
  let taken = 0
  fc.assert(
    fc.property(texts, (text) => {
      const short = readPlainYaml(text)
      if (short === undefined) return
      if (Object.keys(short).length > 0) taken += 1
      deepStrictEqual(short, readAnyYaml(text))
    }),
    { numRuns: 10_000 },
  )
  ok(taken > 400, `only ${taken} texts went through the short cut`)
})

test('whatever the text, the only error is a YamlError', () => {
  fc.assert(
    fc.property(fc.oneof(texts, fc.string({ unit: anyCharacter }), fc.json({ maxDepth: 4 })), (text) => {
      try {
        readYaml(text)
      } catch (error) {
        if (!(error instanceof YamlError)) throw error
      }
    }),
    { numRuns: 5000 },
  )
})

test('the short cut takes the usual file', () => {
  const text = `# A comment

kind: soap
params:
  - a
  # between
  - b
more: [a, b]
method: POST
service: "https://x.example/y"
target:
  member_class: GOV
  member_code: 00123
  path: ''
forward: true
envelope: |
  <a>

    {{b}}
  </a>

# the end
`
  deepStrictEqual(readPlainYaml(text), {
    kind: 'soap',
    params: ['a', 'b'],
    more: ['a', 'b'],
    method: 'POST',
    service: 'https://x.example/y',
    target: { member_class: 'GOV', member_code: new Literal('00123', 123), path: '' },
    forward: new Literal('true', true),
    envelope: '<a>\n\n  {{b}}\n</a>\n',
  })
  deepStrictEqual(readPlainYaml(text), readAnyYaml(text))
})
