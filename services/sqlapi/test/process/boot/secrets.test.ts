/** Passwords that stand in the configuration by mistake: what is said, and that they are never told. */
import { doesNotMatch, match, ok, strictEqual, throws } from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { newFolder } from '@services/testing'
import { loadConfig } from '../../../src/boot/config/config.ts'
import { StartupFailure } from '../../../src/errors.ts'
import { spawnSqlapi } from '../../support/process.ts'

const cwd = mkdtempSync(join(tmpdir(), 'sqlapi-secrets-'))
after(() => rmSync(cwd, { recursive: true, force: true }))

const head = 'sql_dir: sql\ndatasources:\n  - name: crm\n    url: postgres://db/crm\n'

function refusal(text: string, file: string): string {
  writeFileSync(join(cwd, file), text)
  let message = ''
  throws(
    () => loadConfig({ flag: file, env: { CRM_PASSWORD: 'x' }, cwd }),
    (error) => {
      ok(error instanceof StartupFailure, String(error))
      message = error.message
      return true
    },
  )
  doesNotMatch(message, /hunter|4711|Tr0ub/i)
  strictEqual(message.split('\n').length, 1)
  return message
}

const fields = ['password', 'Password', 'pass', 'pwd', 'passwd', 'secret', 'db_password', 'PGPASSWORD', 'passphrase', 'credentials', 'password_value', 'passwort', 'client-secret'] // prettier-ignore

for (const field of fields) {
  for (const value of ['hunter2', '4711', '[hunter2]', '{a: hunter2}', "'*hunter2'", '|\n      hunter2']) {
    for (const file of ['sqlapi.yaml', 'application.yml']) {
      // The one field that the old spelling had.
      if (file === 'application.yml' && /^password$/i.test(field)) continue
      test(`${file}, ${field}: ${JSON.stringify(value)} is led to password_env without being told [S19]`, () => {
        const message = refusal(`${head}    ${field}: ${value}\n`, file)
        match(
          message,
          new RegExp(`datasources\\[0\\]\\.${field}: unknown field; a password never belongs in this file`),
        )
        match(message, /environment variable and give the variable's name in password_env/)
        doesNotMatch(message, /did you mean/)
      })
    }
  }
}

test('the same at the top and in other groups [S19]', () => {
  match(refusal('sql_dir: sql\npassword: hunter2\n', 'sqlapi.yaml'), /: password: unknown field; a password never/)
  match(
    refusal('sql_dir: sql\nserver: {pwd: hunter2}\n', 'sqlapi.yaml'),
    /server\.pwd: unknown field; a password never/,
  )
})

for (const [value, said] of [
  ['hunter2', /no environment variable has this name \(what stands there is not shown/],
  ['Tr0ub4dor&3', /not shown/],
  ['hunter two', /not shown/],
  ['$hunter2', /not shown/],
  ['${hunter2}', /not shown/],
  ["'4711'", /not shown/],
  ['4711', /found a number, expected the name of an environment variable/],
  ['4711.5', /found a number/],
  ['[hunter2]', /found a list/],
  ['{hunter2: hunter2}', /found a group of fields/],
  ['*hunter2', /alias without an anchor.*needs quotes/],
  ['!hunter2', /tag.*needs quotes/],
  ['!hunter2 x', /tag.*needs quotes/],
  ['!!hunter2 x', /tag.*needs quotes/],
  ['!<hunter2> x', /tag/],
  ['!<hunter2', /tag/],
  ['!hunter2!', /tag.*needs quotes/],
  ['!hunter2!x y', /tag.*needs quotes/],
  ['!e!hunter2 x', /tag.*needs quotes/],
  ['!! hunter2', /tag.*needs quotes/],
  ['|hunter2', /extra characters.*needs quotes/],
  ['>hunter2', /extra characters.*needs quotes/],
  ['> hunter2', /extra characters.*needs quotes/],
  ['|- hunter2', /extra characters.*needs quotes/],
  ['- hunter2', /a line of its own/],
  [', hunter2', /reserved character/],
  [String.raw`"\hunter2"`, /Invalid escape sequence; in double quotes/],
  ['"hunter2', /quote/],
  ["'hunter2' hunter2", /./],
  ['@hunter2', /reserved character/],
  ['%hunter2', /./],
  ['hunter2: hunter2', /./],
  ['[hunter2', /./],
  ['{hunter2', /./],
  ['MISSING_NAME', /environment variable MISSING_NAME is not set; set it to the password/],
] as const) {
  for (const file of ['sqlapi.yaml', 'application.yml']) {
    test(`${file}, password_env: ${value} is not told unless it looks like a name [S19]`, () => {
      const message = refusal(`${head}    password_env: ${value}\n`, file)
      if (!(file === 'application.yml' && value.includes('${'))) match(message, said)
    })
  }
}

for (const [value, said] of [
  ['hunter2', /password_file: the file \(what stands there is not shown, .*\) does not exist/],
  ["'4711'", /does not exist/],
  ['4711', /found a number, expected the path of a file/],
  ['[hunter2]', /found a list/],
] as const) {
  test(`password_file: ${value} tells nothing [S19]`, () => {
    match(refusal(`${head}    password_file: ${value}\n`, 'sqlapi.yaml'), said)
  })
}

for (const line of [
  'url: postgres://u:hunter2@h:x/db',
  'url: hunter2',
  'url: 4711',
  'url: "mysql://u:hunter2@h/db"',
  'password=hunter2: x',
  'password hunter2: x',
  '? {password: hunter2}\n    : x',
  'username: 5\n    password: 4711',
]) {
  test(`${JSON.stringify(line)} tells nothing [S19]`, () => {
    const text = `sql_dir: sql\ndatasources:\n  - name: crm\n    ${line}\n`
    refusal(text, 'sqlapi.yaml')
    if (!line.includes('username')) refusal(text, 'application.yml')
  })
}

test('a password of the old spelling that is no text is not told either [S19]', () => {
  for (const value of ['4711', '[hunter2]', '{a: hunter2}', '"${hunter2}hunter2"']) {
    match(refusal(`${head}    password: ${value}\n`, 'application.yml'), /\.password: found (?:no text|a placeholder)/)
  }
})

test('misspellings of password_env are still led to it [S19]', () => {
  for (const field of ['password_evn', 'passwordEnv', 'pasword_env', 'password-env', 'password_en']) {
    match(refusal(`${head}    ${field}: hunter2\n`, 'sqlapi.yaml'), /did you mean password_env\?/)
  }
})

for (const [line, said] of [
  ['password:hunter2', /^\w+\.ya?ml:5:\d+: .*; a colon needs a space after it$/],
  ['- password:hunter2', /:5:\d+: .*; a colon needs a space after it$/],
  [
    'url2: {}\n  - password:hunter2',
    /datasources\[1\]: found a text \(a colon needs a space after it\), expected the fields [\w, ]*$/,
  ],
  ['  password:hunter2', /datasources\[0\]\.url: goes on with a field for a password that has no space/],
  ['  pwd=hunter2', /datasources\[0\]\.url: goes on with a field for a password/],
] as const) {
  test(`${JSON.stringify(line)} without a space is told with its cure, and not itself [S19]`, () => {
    for (const file of ['sqlapi.yaml', 'application.yml']) match(refusal(`${head}    ${line}\n`, file), said)
  })
}

test('the process says it in one line and tells the password nowhere [S19]', async () => {
  const folder = newFolder({
    'sqlapi.yaml': `${head}    username: app\n    password: hunter2\n`,
    'sql/crm/GET/a.sql': 'SELECT 1',
  })
  const { code, stdout, stderr } = await spawnSqlapi({ cwd: folder }).ended
  strictEqual(code, 1)
  match(stdout, /^\S+ ERROR .*datasources\[0\]\.password: unknown field; a password never belongs in this file.*\n$/)
  doesNotMatch(stdout + stderr, /hunter/)
})
