/** A configuration file that is not there, and what a person does about it. */
import { deepStrictEqual, strictEqual, throws } from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigFileError, readConfigFile } from '../../src/config-file.ts'

const cwd = mkdtempSync(join(tmpdir(), 'missing-file-'))
after(() => rmSync(cwd, { recursive: true }))
const folders: Readonly<Record<string, readonly string[]>> = {
  one: ['sqlapi.yaml', 'notes.txt'],
  many: ['a1.yaml', 'b2.json', 'c3.yml', 'd4.yaml', 'e5.yaml', 'f6.yaml', 'g7.yaml'],
  none: ['notes.txt'],
}
for (const [folder, names] of Object.entries(folders)) {
  mkdirSync(join(cwd, folder))
  for (const name of names) writeFileSync(join(cwd, folder, name), '')
}
mkdirSync(join(cwd, 'none/sub.yaml'))

const begin = 'app init writes one'

/** After the words that the system's code has. */
function cure(file: string, isReload = false): string {
  let end = ''
  throws(
    () => readConfigFile({ file, source: `--config ${file}` }, { cwd, isReload }, { begin }),
    (error) => {
      end = error instanceof ConfigFileError ? error.message.replaceAll(cwd, '') : ''
      return true
    },
  )
  return end.replace(/^.* makes one\)|^.*?does not exist/, '')
}

test('a configuration that does not exist leads to the one that was meant [F11] [G9]', () => {
  const meant = '; did you mean one/sqlapi.yaml?'
  const given = ['one/sqlapy.yaml', 'one/sqlapi.yml', 'one/sqlapi', 'one/sqlapi-prod.yaml', 'one/SQLAPI.toml']
  deepStrictEqual(
    given.map((file) => cure(file)),
    given.map(() => meant),
  )
})

test('a configuration that does not exist leads to those beside it, or to how to begin [F11] [G9]', () => {
  strictEqual(cure('one/none.yaml'), '; its folder has sqlapi.yaml')
  strictEqual(cure('many/none.yaml'), '; its folder has a1.yaml, b2.json, c3.yml, d4.yaml, e5.yaml and 2 more')
  strictEqual(cure('none/none.yaml'), `; its folder has no .yaml, .yml or .json file; ${begin}`)
  strictEqual(cure('lost/none.yaml'), '; the folder /lost does not exist or may not be read')
  strictEqual(cure('one/sqlapi.yaml/none.yaml'), '; the folder /one/sqlapi.yaml does not exist or may not be read')
})

test('a folder, a link and a file that has gone have a cure of their own [F11] [G9]', () => {
  strictEqual(cure('one'), '; it has sqlapi.yaml')
  strictEqual(cure('none'), '')
  symlinkSync('nowhere', join(cwd, 'link.yaml'))
  strictEqual(cure('link.yaml'), '; it is a link to nowhere, and there is nothing')
  strictEqual(cure('one/sqlapy.yaml', true), '; put it back')
})
