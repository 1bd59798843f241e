/** Which fields may hold a password by mistake, and what is shown of them. */
import { doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { parse, readYaml, section, text, toFieldName, YamlError } from '../../src/index.ts'
import { isSecretField, shownKey } from '../../src/words/secrets.ts'
import { remedyFor } from '../../src/words/unknown-field.ts'

const kind = {
  title: 'a.yaml',
  fields: section({ name: text('a name'), password_env: text('the name of a variable').default('') }),
  unknownFields: 'refused',
  emptyFields: 'refused',
  bareTexts: 'refused',
  password: { name: 'password_env', of: 'the datasource', example: 'CRM_PASSWORD' },
} as const

test('names of passwords are told from misspelled names of the right field, and from others', () => {
  for (const key of [
    'password',
    'pwd',
    'db_password',
    'client-secret',
    'PGPASSWORD',
    'token',
    'pwd:x',
    'password_value',
  ]) {
    ok(isSecretField(key, 'password_env'), key)
  }
  for (const key of ['password_evn', 'passwordEnv', 'password_en', 'name', 'user', 'username', 'urls', 'level']) {
    ok(!isSecretField(key, 'password_env'), key)
  }
})

test('a field that exists in another spelling is named, although passwords have such names [O3.2]', () => {
  const password = { name: 'password_env', of: 'the datasource', example: 'CRM_PASSWORD' }
  const known = ['name', 'password_env', 'password_file']
  for (const key of ['passwordFile', 'password-file', 'PasswordFile']) {
    strictEqual(remedyFor(key, { known, absent: known, missing: [], password }), 'did you mean password_file?')
  }
  match(remedyFor('password', { known, absent: known, missing: [], password }), /a password never belongs in this file/)
})

test('of a key that may have its value glued to it, the name alone is shown', () => {
  for (const key of ['pwd:hunter2', 'token=hunter2', 'password hunter2', 'a:hunter2', 'my secret is hunter2']) {
    doesNotMatch(shownKey(key), /hunter2/, key)
    doesNotMatch(toFieldName(['a', key]), /hunter2/, key)
  }
  strictEqual(toFieldName(['a', 'b c', 0, 'd']), 'a."b c"[0].d')
})

/** What is told of a text, as YAML or as data. */
function refusal(yaml: string): string {
  try {
    const { problems } = parse(kind, readYaml(yaml))
    return problems.map(({ path, message }) => `${toFieldName(path)}: ${message}`).join('; ')
  } catch (error) {
    ok(error instanceof YamlError)
    return error.message
  }
}

for (const [title, yaml, said] of [
  ['in a line of its own', 'name: a\npassword:hunter2\n', /; a colon needs a space after it$/],
  ['in the first line', 'password:hunter2\nname: a\n', /; a colon needs a space after it$/],
  ['alone', 'password:hunter2\n', /^expected "field: value" lines.*; a colon needs a space after it$/],
  ['in braces', '{name: a, password:hunter2}', /^password…: unknown field; a password never belongs/],
  ['a line that is indented too far', 'name: a\n  password:hunter2\n', /^name: goes on with a field for a password/],
  ['without a word for passwords', '{name: a, user:hunter2}', /^user…: unknown field; a colon needs a space/],
  ['twice', '{password:hunter2 : 1, password:hunter2 : 2}', /^"password…" occurs twice/],
] as const) {
  test(`a field without a space behind its colon has a cure and tells nothing: ${title} [S19]`, () => {
    const message = refusal(yaml)
    match(message, said)
    doesNotMatch(message, /hunter/)
  })
}
