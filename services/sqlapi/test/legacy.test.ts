/** The translation itself; whole files are in cases/config/legacy-*. */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { translateJdbc } from '../src/boot/config/jdbc.ts'
import { isLegacy, translateLegacy } from '../src/boot/config/legacy.ts'
import { StartupFailure } from '../src/errors.ts'

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
  test(`[D6.2] [S-config.legacy] ${file}: ${legacy}`, () => strictEqual(isLegacy(file), legacy))

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
  test(`[D6.2] [S-config.legacy] ${key} is dropped with one diagnostic that holds no value`, () => {
    const { data, diagnostics } = translateLegacy({ [key]: { a: 'hunter2', b: 'x' } }, 'application.yml')
    deepStrictEqual(
      [data, diagnostics],
      [{}, [`application.yml: ${key} has no counterpart in sqlapi.yaml and is ignored`]],
    )
  })
}

const levels: readonly [object, string][] = [
  [{ root: 'INFO' }, 'info'],
  [{ ROOT: 'x', root: 'FATAL' }, 'error'],
  [{ root: false }, 'off'],
  [{ root: 'warn', sqlapi: 'TRACE', com: { example: { crm: 'DEBUG' } } }, 'warn,sqlapi=trace'],
]

for (const [level, directive] of levels) {
  test(`[D6.2] [S-config.logging.level] ${JSON.stringify(level)}`, () => {
    deepStrictEqual(translateLegacy({ logging: { level } }, 'application.yml').data, { logging: { level: directive } })
  })
}

test('[D6.2] a password in plain text is taken with a warning that does not hold it', () => {
  const datasources = [{ name: 'a', jdbcUrl: 'jdbc:postgresql://h/db', username: 'me', password: 'hunter2' }]
  const { data, diagnostics } = translateLegacy({ sqlms: { datasources } }, 'application.yml')
  deepStrictEqual(data, { datasources: [{ name: 'a', url: 'postgresql://me:hunter2@h/db' }] })
  strictEqual(diagnostics.length, 1)
  ok(!diagnostics[0]?.includes('hunter2'))
})

test('[D6.2] refusals name every key and hold no value', () => {
  const data = {
    sqlms: { other: 'hunter2', datasources: [{ jdbcUrl: 'jdbc:h2:hunter2' }] },
    server: { port: '${hunter2}' },
  }
  throws(
    () => translateLegacy(data, 'application.yml'),
    (error) => {
      ok(error instanceof StartupFailure)
      ok(
        ['sqlms.other', 'sqlms.datasources[0].jdbcUrl', 'server.port'].every((path) => error.message.includes(path)),
        error.message,
      )
      return !error.message.includes('hunter2')
    },
  )
})

test('keys that objects have from birth are ordinary keys', () => {
  const { data } = translateLegacy({ constructor: 1, 'toString.valueOf': 2 }, 'application.yml')
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

for (const [from, to] of jdbc) test(`[D6.2] ${from}`, () => strictEqual(translateJdbc(from)?.url, to))

test('[D6.2] JDBC parameters without a counterpart are named, also those called like methods', () => {
  deepStrictEqual(translateJdbc('jdbc:postgresql://h/db?toString=1&stringtype=x&User=u&password=p'), {
    url: 'postgresql://h/db',
    user: 'u',
    password: 'p',
    dropped: ['toString', 'stringtype'],
  })
})
