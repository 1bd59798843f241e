/** Folders that commands make: those on the way, those that are there, and places that take none. */
import { ok, throws } from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { makeFolder } from '@services/command-line'
import { newFolder } from '@services/testing'

test('a folder comes with those around it, and one that is there stays', () => {
  const folder = newFolder({ 'mine.txt': '' })
  for (const path of [join(folder, 'a/b/c'), join(folder, 'a/b'), relative('.', join(folder, 'd/e')), '.']) {
    makeFolder(path)
    ok(statSync(path).isDirectory(), path)
  }
  ok(existsSync(join(folder, 'mine.txt')))
})

test('a place that takes no folders is an error, and not a wait without end', () => {
  const folder = newFolder({ file: '' })
  throws(() => makeFolder(join(folder, 'file', 'x', 'y')), /ENOTDIR|ENOENT/)
  if (process.platform === 'linux') throws(() => makeFolder('/proc/x/y'), /ENOENT/)
})
