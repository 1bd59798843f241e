/** A misspelled name, and the known one that was probably meant. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from '../../src/index.ts'

const known = ['sql_dir', 'server', 'logging', 'cors', 'limits', 'port', 'security_server', 'max_request_bytes']

const meant: readonly [name: string, known: string | undefined][] = [
  ['sqlDir', 'sql_dir'],
  ['SQL-DIR', 'sql_dir'],
  ['sqldirr', 'sql_dir'],
  ['log', 'logging'],
  ['sever', 'server'],
  ['prot', 'port'],
  ['sql_dri', 'sql_dir'],
  ['max_bytes', 'max_request_bytes'],
  ['limit', 'limits'],
  ['securty_server', 'security_server'],
  ['max_rqest_byts', 'max_request_bytes'],
  ['request_bytes', 'max_request_bytes'],
  ['x', undefined],
  ['', undefined],
  ['something', undefined],
]

for (const [name, expected] of meant) {
  test(`${JSON.stringify(name)} is near ${expected ?? 'nothing'}`, () => strictEqual(nearest(name, known), expected))
}

test('half of a name leads to a guess only where no other name has it', () => {
  strictEqual(nearest('keystore', ['my_keystore_path', 'url']), 'my_keystore_path')
  strictEqual(nearest('keystore', ['my_keystore_path', 'my_keystore_alias']), undefined)
})

test('two letters in the wrong order are one mistake', () => {
  strictEqual(nearest('DLS', ['DSL']), 'DSL')
  strictEqual(nearest('LSD', ['DSL']), undefined)
})

test('a name with all words of another one is nearer than one with a part of it', () => {
  strictEqual(nearest('wsdl_dir', ['wsdl', 'wsdl_watch_dir']), 'wsdl_watch_dir')
  strictEqual(nearest('wsdl_dir', ['wsdl_old_dir', 'wsdl_new_dir']), undefined)
})

test('a very long name takes no longer than its beginning', () => {
  strictEqual(nearest('a'.repeat(1_000_000), known), undefined)
})
