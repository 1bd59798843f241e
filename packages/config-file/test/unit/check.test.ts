/** Data against a declaration: what comes out, what is told, and what each kind of file does with what is left open. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  checked,
  type FileKind,
  flag,
  joinProblems,
  list,
  locate,
  Literal,
  names,
  oneOf,
  parse,
  readYaml,
  section,
  strictText,
  text,
  toFieldName,
  toJsonSchema,
  variableName,
  wholeNumber,
} from '../../src/index.ts'

const fields = section({
  sql_dir: text('a directory', { filled: true }),
  format: oneOf(['4.0', '4.1']).default('4.0').describe('The format.'),
  server: section({ max_bytes: wholeNumber(1, 9).default(5), is_open: flag().default(false) }).prefault({}),
  items: list(section({ name: strictText('a name'), key_env: variableName().exactOptional() }), 'a list').prefault([]),
  map: names(text('a text'), 'name: text lines').prefault({}),
  odd: checked(text('no x'), (given) => (given.includes('x') ? 'found an x' : undefined), 'no x').exactOptional(),
})

const strict = {
  title: 'strict.yaml',
  fields,
  unknownFields: 'refused',
  emptyFields: 'refused',
  bareTexts: 'refused',
} as const
const lenient = { ...strict, unknownFields: 'ignored', emptyFields: 'left out', bareTexts: 'taken' } as const

function problemsOf(kind: FileKind, yaml: string): string[] {
  const { problems, unknown } = parse(kind, readYaml(yaml))
  return [...problems, ...unknown].map(({ path, message }) => `${toFieldName(path)}: ${message}`)
}

test('a value has its defaults, keys in camelCase, and is frozen however deep', () => {
  const { value } = parse(strict, readYaml('sql_dir: a\nitems: [{name: b}]\nmap: {a_b: c}\n'))
  deepStrictEqual(value, {
    sqlDir: 'a',
    format: '4.0',
    server: { maxBytes: 5, isOpen: false },
    items: [{ name: 'b' }],
    map: { a_b: 'c' },
  })
  const reached: unknown[] = [value]
  for (const each of reached) {
    if (typeof each !== 'object' || each === null) continue
    ok(Object.isFrozen(each))
    reached.push(...Object.values(each))
  }
})

test('each problem says what was found and what would be right', () => {
  deepStrictEqual(
    problemsOf(
      strict,
      'sql_dir: " "\nformat: 5.0\nserver: {max_bytes: 10, is_open: "no"}\nitems: [{name: 7, key_env: 4711}, 3]\nmap: []\nodd: xx\n',
    ),
    [
      'sql_dir: found an empty text, expected a directory',
      'format: found the number 5, expected 4.0 or 4.1',
      'server.max_bytes: found the number 10, expected a whole number from 1 to 9',
      'server.is_open: found "no", expected true or false',
      'items[0].name: found the number 7 (as a text it needs quotes), expected a name',
      'items[0].key_env: found a number, expected the name of an environment variable',
      'items[1]: found the number 3, expected the fields name, key_env',
      'map: found a list, expected name: text lines',
      'odd: found an x, expected no x',
    ],
  )
})

test('quotes do not help where a list or a group of fields is wanted [O3.1]', () => {
  const wanted = {
    server: 'the fields max_bytes, is_open',
    items: 'a list',
    map: 'name: text lines',
  }
  for (const kind of [strict, lenient]) {
    for (const [field, expected] of Object.entries(wanted)) {
      for (const [given, found] of [
        ['true', 'the boolean true'],
        ['7', 'the number 7'],
        ['x', 'a text'],
        [field === 'items' ? '{a: b}' : '[a]', field === 'items' ? 'a group of fields' : 'a list'],
      ]) {
        const problem = `${field}: found ${found}, expected ${expected}`
        deepStrictEqual(problemsOf(kind, `sql_dir: a\n${field}: ${given}\n`), [problem])
      }
    }
  }
})

test('a number is taken as the text that it is written as where the kind of file says so, strict texts apart', () => {
  const yaml = 'sql_dir: 00123\nformat: 4.0\nitems: [{name: 7}]\n'
  deepStrictEqual(problemsOf(lenient, yaml), [
    'items[0].name: found the number 7 (as a text it needs quotes), expected a name',
  ])
  deepStrictEqual(parse(lenient, readYaml('sql_dir: 00123\nformat: 4.0\n')).value?.sqlDir, '00123')
  strictEqual(problemsOf(strict, yaml).length, 3)
})

test('a field that is left empty is an error or left out, and what is required is never left out', () => {
  const yaml = 'sql_dir:\nserver:\nformat: ~\n'
  deepStrictEqual(problemsOf(lenient, yaml), ['sql_dir: left empty, expected a directory'])
  strictEqual(problemsOf(strict, yaml).length, 3)
})

test('a variable of other programs in a text is told, whatever becomes of the text', () => {
  const told = /^(sql_dir|name): a variable in \$\{\.\.\} is not replaced: .*; write the value, or the name alone/
  for (const text of ['${DIR}', '/a/${DIR:x}/b', '${my.dir}']) {
    const [found, ...more] = parse(lenient, readYaml(`sql_dir: "${text}"\n`)).unknown
    match(`${found?.path.join('.')}: ${found?.message}`, told)
    ok(!found?.message.includes('DIR'))
    deepStrictEqual(more, [])
  }
  for (const text of ['$DIR', '{DIR}', '${1}', '${}', '$${', 'a\\n${DIR}'])
    deepStrictEqual(parse(lenient, readYaml(`sql_dir: "${text}"\n`)).unknown, [], text)
})

test('an unknown field is an error or has no effect, and comes with its remedy either way', () => {
  const yaml = 'sql_dir: a\nfromat: 4.0\nserver: {sql_dir: a, zzz: 1}\nname: b\nmax_bytes: 3\n'
  const remedies = [
    ['fromat', 'did you mean format?'],
    ['server.sql_dir', 'it belongs at the top of the file, not indented'],
    ['server.zzz', 'the known fields are max_bytes, is_open'],
    ['name', 'it belongs below items'],
    ['max_bytes', 'it belongs below server'],
  ]
  deepStrictEqual(
    problemsOf(strict, yaml),
    remedies.map(([field, remedy]) => `${field}: unknown field; ${remedy}`),
  )
  deepStrictEqual(
    problemsOf(lenient, yaml),
    remedies.map(([field, remedy]) => `${field}: unknown field, has no effect; ${remedy}`),
  )
  strictEqual(parse(strict, readYaml(yaml)).value, undefined)
  ok(parse(lenient, readYaml(yaml)).value)
})

test('the JSON Schema has descriptions and defaults, and allows what is taken', () => {
  const properties = (kind: FileKind) => toJsonSchema(kind)['properties'] as Record<string, Record<string, unknown>>
  const { format, sql_dir: directory } = properties(strict)
  deepStrictEqual(format, { description: 'The format.', default: '4.0', type: 'string', enum: ['4.0', '4.1'] })
  strictEqual(directory?.['type'], 'string')
  deepStrictEqual(properties(lenient)['sql_dir']?.['type'], ['string', 'number', 'boolean'])
  deepStrictEqual(properties(lenient)['format']?.['enum'], ['4.0', 4, '4.1', 4.1])
})

const keys = fc.constantFrom('sql_dir', 'format', 'server', 'items', 'map', 'odd', 'max_bytes', 'name', 'x')
const { data } = fc.letrec((tie) => ({
  data: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, '', 'x', '4.0', new Literal('4.0', 4), new Literal('true', true)),
    fc.string(),
    fc.integer().map((value) => new Literal(String(value), value)),
    fc.array(tie('data'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(keys, fc.string()), tie('data'), { noNullPrototype: true }),
  ),
}))

test('whatever the data, the answer is a value or problems with paths and words', () => {
  fc.assert(
    fc.property(fc.constantFrom<FileKind>(strict, lenient), data, (kind, given) => {
      const { value, problems, unknown } = parse(kind, given)
      strictEqual(value === undefined, problems.length > 0)
      for (const { message } of [...problems, ...unknown]) match(message, /^(?!.*(?:undefined|Invalid)).+$/s)
    }),
    { numRuns: 3000 },
  )
})

test('what breaks several rules in the same words is told once, all in the order of lines [F10]', () => {
  const text = 'c: 1\na: 1\nb:\n  - d: 1\n  - d: 1\n'
  const problems = [['b', 1, 'd'], ['a'], ['b', 0, 'd'], ['c'], ['a'], ['b', 0, 'missing']].map((path) => ({
    path,
    message: 'x',
  }))
  const told = joinProblems(problems, locate(text), ({ path }) => path.join('.'))
  strictEqual(told, 'c; a; b.0.d; b.0.missing; b.1.d')
})
