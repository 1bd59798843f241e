/** Files that are written as a whole: what is left of a process that was killed, and folders that cannot be made. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict'
import { readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeAbandoned, writeWhole } from '../src/boot/whole-file.ts'
import { newFolder } from './support/process.ts'

const left = '.00000000-0000-4000-8000-000000000000.tmp'
const young = '.00000000-0000-4000-8000-000000000001.tmp'

test('[S-wsdl.1] what a killed process left is removed, what another one is about to put in place stays', () => {
  const folder = newFolder()
  for (const name of [left, young, '.mine.tmp', 'get.yml']) writeFileSync(join(folder, name), '')
  const longAgo = new Date(Date.now() - 3_600_000)
  for (const name of [left, '.mine.tmp', 'get.yml']) utimesSync(join(folder, name), longAgo, longAgo)
  removeAbandoned(folder)
  deepStrictEqual(readdirSync(folder).toSorted(), [young, '.mine.tmp', 'get.yml'].toSorted())
})

test('a folder that is not there is nothing to tidy', () => {
  removeAbandoned(join(newFolder(), 'absent'))
})

test('[S-wsdl.1] folders are made as far as they are missing', () => {
  const path = join(newFolder(), 'a/b/c/get.yml')
  strictEqual(writeWhole(path, 'x'), undefined)
  strictEqual(writeWhole(path, 'y'), undefined)
  strictEqual(readFileSync(path, 'utf8'), 'y')
})

test('[D5.10] a folder that cannot be made is told by its code', () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'file'), '')
  strictEqual(writeWhole(join(folder, 'file/get.yml'), 'x'), 'ENOTDIR')
  symlinkSync('nowhere', join(folder, 'link'))
  strictEqual(writeWhole(join(folder, 'link/a/get.yml'), 'x'), 'ENOENT')
})
