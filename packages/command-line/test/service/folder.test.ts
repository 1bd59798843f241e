/**
 * Folders that commands make: those on the way, those that are there or that somebody else makes meanwhile, and
 * places that take none.
 */
import { ok, throws } from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
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

test('several may make the same folders at once', async () => {
  const ready = new Int32Array(new SharedArrayBuffer(4))
  const workerData = { root: newFolder(), ready, module: import.meta.resolve('@services/command-line') }
  const code = `
    const { parentPort, workerData: { root, ready, module } } = require('node:worker_threads')
    import(module).then(({ makeFolder }) => {
      for (let i = 0; i < 300; i++) {
        Atomics.add(ready, 0, 1)
        while (Atomics.load(ready, 0) < 2 * (i + 1));
        makeFolder(root + '/' + i + '/a/b')
      }
      parentPort.close()
    })`
  const workers = [1, 2].map(() => new Worker(code, { eval: true, workerData }))
  await Promise.all(workers.map((worker) => once(worker, 'exit')))
  ok(statSync(join(workerData.root, '299/a/b')).isDirectory())
})
