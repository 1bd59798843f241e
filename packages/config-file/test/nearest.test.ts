/** A misspelled name, and the known one that was probably meant. */
import { strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from '../src/index.ts'

const known = ['sql_dir', 'server', 'logging', 'cors', 'limits', 'port', 'security_server', 'max_request_bytes']

const meant: readonly [name: string, known: string | undefined][] = [
  ['sqlDir', 'sql_dir'],
  ['SQL-DIR', 'sql_dir'],
  ['sqldirr', 'sql_dir'],
  ['log', 'logging'],
  ['sever', 'server'],
  ['prot', 'port'],
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

test('a very long name takes no longer than its beginning', () => {
  strictEqual(nearest('a'.repeat(1_000_000), known), undefined)
})
