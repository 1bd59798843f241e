/**
 * The service started from the predecessor's environment, as a process; single spellings are in
 * cases/config/legacy-environment-*.
 */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, newFolder, untilListening, writeFiles } from '@services/testing'
import fc from 'fast-check'
import { readLegacyEnvironment } from '../../../../src/boot/config/legacy-environment.ts'
import { dialectNames } from '../../../../src/dialects.ts'
import { createDatabase } from '../../../support/databases.ts'
import { spawnSqlapi } from '../../../support/process.ts'

function warnings(text: string): string[] {
  return text.split('\n').filter((line) => line.includes('WARN'))
}

for (const kind of dialectNames) {
  test(`a container of the predecessor starts as it is (${kind}) [N6.6]`, async () => {
    const database = await createDatabase(kind)
    const { hostname, port, pathname, username, password } = new URL(database.url)
    const folder = newFolder()
    writeFiles(join(folder, 'DSL'), { 'crm/GET/one.sql': 'SELECT 1 AS one' })
    const own =
      kind === 'sqlite'
        ? { 'sqlms.datasources.[0].jdbcUrl': `jdbc:${database.url}` }
        : {
            SQLMS_DATASOURCES_0_JDBCURL: `jdbc:postgresql://${hostname}:${port}${pathname}`,
            'sqlms.datasources[0].username': decodeURIComponent(username),
            'sqlms.datasources[0].password': decodeURIComponent(password),
          }
    const env = {
      SQLMS_SAVED_QUERIES_DIR: join(folder, 'DSL'),
      SQLMS_DATASOURCES_0_NAME: 'crm',
      SERVER_PORT: '0',
      SERVER_ADDRESS: '127.0.0.1',
      ...own,
    }
    const running = await untilListening(spawnSqlapi({ cwd: folder, env }))
    try {
      const { status, text } = await call(running.port, '/crm/one')
      deepStrictEqual([status, text], [200, '[{"one":1}]'])
      const lines = warnings(running.stdout())
      strictEqual(lines.length, Object.keys(env).length, lines.join('\n'))
      for (const name of Object.keys(env))
        strictEqual(lines.filter((line) => line.includes(`${name}: `)).length, 1, name)
      if (password !== '') ok(!lines.some((line) => line.includes(decodeURIComponent(password))), 'no password')
      match(running.stdout(), /config=environment/)
    } finally {
      await running.stop()
      await database.remove()
    }
  })
}

test('a file takes the place of all variables, and without the folder none counts [N6.6]', async () => {
  const folder = newFolder()
  writeFiles(join(folder, 'sql'), { 'a/GET/one.sql': 'SELECT 1 AS one' })
  const env = { SQLMS_DATASOURCES_0_NAME: 'crm', SERVER_PORT: '1' }
  const refused = await spawnSqlapi({ cwd: folder, env }).ended
  strictEqual(refused.code, 1)
  match(refused.stdout, /no configuration file in/)
  writeFileSync(
    join(folder, 'sqlapi.yaml'),
    'sql_dir: sql\nserver: {bind: "127.0.0.1:0"}\ndatasources: [{name: a, url: "sqlite::memory:"}]\n',
  )
  const running = await untilListening(spawnSqlapi({ cwd: folder, env: { ...env, SQLMS_SAVED_QUERIES_DIR: '/none' } }))
  try {
    strictEqual((await call(running.port, '/a/one')).text, '[{"one":1}]')
    deepStrictEqual(warnings(running.stdout()), [])
  } finally {
    await running.stop()
  }
})

test('no environment makes the reader fail, and no line of it holds a value [N6.6]', () => {
  const words = [
    'SQLMS',
    'sqlms',
    'DATASOURCES',
    'datasources',
    '0',
    '[0]',
    '[1]',
    'password',
    'PASSWORD',
    'name',
    'url',
    '_',
    '.',
    '__proto__',
    'SERVER_PORT',
    'LOGGING_LEVEL_',
    'cors.allowedOrigins',
  ]
  const name = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 7 }).map((parts) => parts.join(''))
  const value = fc.constantFrom(
    'hunter2',
    '${hunter2}',
    'jdbc:postgresql://hunter2@h/d?password=hunter2',
    '{"a":"hunter2"}',
    'tcp://hunter2',
  )
  fc.assert(
    fc.property(fc.dictionary(name, value), value, (env, json) => {
      const all = { ...env, SQLMS_SAVED_QUERIES_DIR: '/DSL', SPRING_APPLICATION_JSON: json }
      const { diagnostics, problems, file } = readLegacyEnvironment(all) ?? {}
      ok(!JSON.stringify([diagnostics, problems]).includes('hunter2'))
      strictEqual(file?.data['sql_dir'], '/DSL')
    }),
  )
})
