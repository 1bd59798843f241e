/**
 * Configuration file in, resolved configuration or refusal out. Each folder of cases/config holds `case.json` (title,
 * environment, flag), the file, and `expected.json` or `refused.txt`. `UPDATE_CASES=1` writes what comes out; review
 * the diff.
 */
import { deepStrictEqual, match, ok, strictEqual, throws } from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadConfig, type Loaded, resolveDatasources, search } from '../../../src/boot/config/config.ts'
import { StartupFailure } from '../../../src/errors.ts'

interface Case {
  readonly title: string
  readonly env?: Record<string, string>
  readonly flag?: string
}

const cases = join(import.meta.dirname, '../../cases/config')

for (const name of readdirSync(cases)) {
  const cwd = join(cases, name)
  const { title, env = {}, flag } = JSON.parse(readFileSync(join(cwd, 'case.json'), 'utf8')) as Case
  test(`${title} (${name})`, () => {
    const { file, text } = outcome(() => loadConfig({ flag, env, cwd }), cwd)
    if (process.env['UPDATE_CASES']) writeFileSync(join(cwd, file), text)
    strictEqual(text, readFileSync(join(cwd, file), 'utf8'))
  })
}

function outcome(load: () => Loaded, cwd: string): { file: string; text: string } {
  try {
    return { file: 'expected.json', text: `${JSON.stringify(load(), null, 2)}\n` }
  } catch (error) {
    ok(error instanceof StartupFailure, String(error))
    strictEqual(error.message.split(/[\r\n]/).length, 1, 'one line')
    ok(!error.message.includes('hunter2'), 'no password in the message')
    return {
      file: 'refused.txt',
      text: `${error.message.replaceAll(cwd, '<cwd>')}\nformat: ${error.format ?? 'unknown'}\n`,
    }
  }
}

test('the places are these, in this order [S-config.search]', () => {
  const places = ['/app/sqlapi.yaml', './sqlapi.yaml', './application.yml']
  const profiles = ['prod', 'dev', 'test'].map((profile) => `./application-${profile}.yml`)
  deepStrictEqual(search.paths, [...places, ...profiles])
})

test('each place is looked at before those after it [S-config.search]', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'sqlapi-'))
  for (const path of search.paths.slice(1).toReversed()) {
    writeFileSync(join(cwd, path), `sql_dir: ${path}`)
    const { config, file } = loadConfig({ flag: undefined, env: {}, cwd })
    deepStrictEqual([config.sqlDir, file], [path, path])
  }
})

test('a file with the other ending of YAML is named where nothing is found [S-config.search] [D6.1]', () => {
  for (const [there, wanted] of [
    ['sqlapi.yml', 'sqlapi.yaml'],
    ['application.yaml', 'application.yml'],
  ] as const) {
    const cwd = mkdtempSync(join(tmpdir(), 'sqlapi-'))
    writeFileSync(join(cwd, there), 'sql_dir: sql')
    throws(() => loadConfig({ flag: undefined, env: {}, cwd }), {
      message: new RegExp(`no configuration file in .*; \\./${there} is there, rename it to \\./${wanted}$`),
    })
  }
})

test('a file that cannot be read says so [D6.1]', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'sqlapi-'))
  mkdirSync(join(cwd, 'directory.yaml'))
  writeFileSync(join(cwd, 'latin1.yaml'), Buffer.from('sql_dir: \xe4', 'latin1'))
  throws(
    () => loadConfig({ flag: 'directory.yaml', env: {}, cwd }),
    /^InvalidConfigurationException: --config directory\.yaml: file \/.*directory\.yaml is a directory/,
  )
  throws(
    () => loadConfig({ flag: 'latin1.yaml', env: {}, cwd }),
    /^InvalidConfigurationException: --config latin1\.yaml: file \/.*latin1\.yaml is not UTF-8 text/,
  )
})

test('a byte-order mark before the first field is no part of it', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'sqlapi-'))
  writeFileSync(join(cwd, 'sqlapi.yaml'), '\ufeffsql_dir: sql\n')
  strictEqual(loadConfig({ flag: undefined, env: {}, cwd }).config.sqlDir, 'sql')
})

test('the configuration is frozen, however deep', () => {
  const { config, datasources } = loadConfig({
    flag: undefined,
    env: { CRM_PASSWORD: 'x' },
    cwd: join(cases, 'everything'),
  })
  const reached: unknown[] = [config, datasources]
  for (const value of reached) {
    if (typeof value !== 'object' || value === null) continue
    ok(Object.isFrozen(value), JSON.stringify(value))
    reached.push(...Object.values(value))
  }
})

test('the password is in the resolved URL and nowhere in the configuration [S-config.datasources.password_env]', () => {
  const env = { CRM_PASSWORD: 'hunter2' }
  const { config } = loadConfig({ flag: undefined, env, cwd: join(cases, 'everything') })
  ok(!JSON.stringify(config).includes('hunter2'))
  match(resolveDatasources(config.datasources, env)[0]?.url ?? '', /^postgres:\/\/crm_app:hunter2@/)
})

test('every case has one outcome', () => {
  for (const name of readdirSync(cases)) {
    const files = ['expected.json', 'refused.txt'].filter((file) => existsSync(join(cases, name, file)))
    strictEqual(files.length, 1, name)
    strictEqual(files[0] === 'refused.txt', /refuse|new-spelling/.test(name), name)
  }
})
