/** The translation itself; whole files are in cases/config/legacy-*. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@services/testing/characters'
import { type Mapping, type Problem, readYaml, toFieldName, YamlError } from '@services/config-file'
import fc from 'fast-check'
import { translateJdbc } from '../../../../src/boot/config/jdbc.ts'
import { isLegacy, translateLegacy } from '../../../../src/boot/config/legacy.ts'
import { parseConfig } from '../../../../src/boot/config/schema.ts'

const inWords = ({ path, message }: Problem): string => `${toFieldName(path)}: ${message}`

const names: readonly [string, boolean][] = [
  ['./application.yml', true],
  ['/etc/application-prod.yaml', true],
  ['application.yaml', true],
  ['sqlapi.yaml', false],
  ['application/sqlapi.yaml', false],
  ['my-application.yml', false],
  ['application.json', false],
]

for (const [file, legacy] of names)
  test(`${file}: ${legacy} [D6.2] [S-config.legacy]`, () => strictEqual(isLegacy(file), legacy))

const dropped = [
  'spring',
  'h2',
  'management',
  'info',
  'userIPHeaderName',
  'userIPLoggingPrefix',
  'userIPLoggingMDCkey',
  'timeZone',
  'time-zone',
]

for (const key of dropped) {
  test(`${key} is dropped with one diagnostic that holds no value [D6.2] [S-config.legacy]`, () => {
    const { data, diagnostics } = translateLegacy({ [key]: { a: 'hunter2', b: 'x' } })
    const expected = `${key}: has no counterpart in sqlapi.yaml and is ignored`
    deepStrictEqual([data, diagnostics.map(inWords)], [{}, [expected]])
  })
}

const levels: readonly [Mapping, string][] = [
  [{ root: 'INFO' }, 'info'],
  [{ ROOT: 'x', root: 'FATAL' }, 'error'],
  [{ root: false }, 'off'],
  [{ root: 'warn', sqlapi: 'TRACE', com: { example: { crm: 'DEBUG' } } }, 'warn,sqlapi=trace'],
]

for (const [level, directive] of levels) {
  test(`${JSON.stringify(level)} [D6.2] [S-config.logging.level]`, () => {
    deepStrictEqual(translateLegacy({ logging: { level } }).data, { logging: { level: directive } })
  })
}

test('a password in plain text is taken with a warning that does not hold it [D6.2]', () => {
  const datasources = [{ name: 'a', jdbcUrl: 'jdbc:postgresql://h/db', username: 'me', password: 'hunter2' }]
  const { data, diagnostics } = translateLegacy({ sqlms: { datasources } })
  deepStrictEqual(data, { datasources: [{ name: 'a', url: 'postgresql://me:hunter2@h/db' }] })
  strictEqual(diagnostics.length, 1)
  ok(!JSON.stringify(diagnostics).includes('hunter2'))
})

test('refusals name every key and hold no value [D6.2]', () => {
  const data = {
    sqlms: { other: 'hunter2', datasources: [{ jdbcUrl: 'jdbc:h2:hunter2' }] },
    server: { port: '${hunter2}' },
  }
  const told = translateLegacy(data).problems.map(inWords).join('; ')
  for (const path of ['sqlms.other', 'sqlms.datasources[0].jdbcUrl', 'server.port']) ok(told.includes(path), told)
  ok(!told.includes('hunter2'))
})

test('keys that objects have from birth are ordinary keys', () => {
  const { data } = translateLegacy({ constructor: 1, 'toString.valueOf': 2 })
  deepStrictEqual(JSON.stringify(data), '{"constructor":1,"toString":{"valueOf":2}}')
})

const jdbc: readonly [string, string | undefined][] = [
  ['jdbc:postgresql://h:5433/db', 'postgresql://h:5433/db'],
  ['jdbc:postgresql://h/', 'postgresql://h/'],
  ['jdbc:postgresql:db', 'postgresql://localhost/db'],
  ['jdbc:postgresql:/', 'postgresql://localhost/'],
  ['jdbc:postgresql://h/db?sslmode=disable&ssl=true', 'postgresql://h/db?sslmode=disable'],
  ['jdbc:postgresql://h/db?ssl=false', 'postgresql://h/db'],
  ['jdbc:postgresql://h/db?currentSchema=my schema', 'postgresql://h/db?options=-c%20search_path%3Dmy%5C%20schema'],
  ['jdbc:sqlite:/a/b.db', 'sqlite:/a/b.db'],
  ['jdbc:sqlite:', 'sqlite::memory:'],
  ['jdbc:h2:mem:a', undefined],
  ['jdbc:mysql://h/db', undefined],
]

for (const [from, to] of jdbc) test(`${from} [D6.2]`, () => strictEqual(translateJdbc(from)?.url, to))

test('JDBC parameters without a counterpart are named, also those called like methods [D6.2]', () => {
  deepStrictEqual(translateJdbc('jdbc:postgresql://h/db?toString=1&stringtype=x&User=u&password=p'), {
    url: 'postgresql://h/db',
    user: 'u',
    password: 'p',
    dropped: ['toString', 'stringtype'],
  })
})

const keys = [
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
  fc.string({ unit: anyCharacter }),
  fc.array(fc.constantFrom(...keys, ...signs)).map((parts) => parts.join('')),
  fc.json({ maxDepth: 4 }),
  fc.dictionary(fc.constantFrom(...keys), fc.jsonValue({ maxDepth: 3 })).map((data) => JSON.stringify(data)),
)

for (const file of ['sqlapi.yaml', 'application.yml']) {
  test(`whatever stands in ${file}, there is a configuration or problems [D6.1] [S-config.unknown]`, () => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const data = readYaml(text)
          const { value, problems } = parseConfig(isLegacy(file) ? translateLegacy(data).data : data)
          strictEqual(value === undefined, problems.length > 0)
        } catch (error) {
          if (!(error instanceof YamlError)) throw error
        }
      }),
      { numRuns: 3000 },
    )
  })
}
